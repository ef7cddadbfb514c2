"""One plan for all processes. A search with a time limit ends differently in each, so the first decides."""

from __future__ import annotations

import json
from typing import Callable

import jax
import numpy as np

from shardwright._src import _native


def agreed(search: Callable[[], _native.Planned], apply: Callable[[str], _native.Planned]) -> _native.Planned:
  """Searches in the first process; the others take over its plan, or what went wrong there."""
  if jax.process_count() == 1:
    return search()
  return _led(search) if jax.process_index() == 0 else _followed(apply)


def _led(search: Callable[[], _native.Planned]) -> _native.Planned:
  try:
    found = search()
  except BaseException as error:  # The others wait for a word, whatever happens here.
    _from_first(json.dumps({"error": str(error) or type(error).__name__}))
    raise
  _from_first(json.dumps({"plan": found.plan_text()}))
  return found


def _followed(apply: Callable[[str], _native.Planned]) -> _native.Planned:
  word = json.loads(_from_first(""))
  if "error" in word:
    raise _native.Error(word["error"])
  return apply(word["plan"])


def _from_first(text: str) -> str:
  from jax.experimental import multihost_utils

  data = np.frombuffer(text.encode(), np.uint8)
  size = int(multihost_utils.broadcast_one_to_all(np.int32(data.size)))
  padded = np.zeros(size, np.uint8)
  padded[: data.size] = data[:size]
  return bytes(np.asarray(multihost_utils.broadcast_one_to_all(padded))).decode()

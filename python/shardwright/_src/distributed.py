"""One plan for all processes. A search with a time limit ends differently in each, so the first decides."""

from __future__ import annotations

from typing import Callable

import jax
import numpy as np

from shardwright._src import _native


def agreed(search: Callable[[], _native.Planned], apply: Callable[[str], _native.Planned]) -> _native.Planned:
  """Searches in the first process; the others take over its plan."""
  if jax.process_count() == 1:
    return search()
  found = search() if jax.process_index() == 0 else None
  text = _from_first(found.plan_text() if found is not None else "")
  return found if found is not None else apply(text)


def _from_first(text: str) -> str:
  from jax.experimental import multihost_utils

  data = np.frombuffer(text.encode(), np.uint8)
  size = int(multihost_utils.broadcast_one_to_all(np.int32(data.size)))
  padded = np.zeros(size, np.uint8)
  padded[: data.size] = data
  return bytes(np.asarray(multihost_utils.broadcast_one_to_all(padded))).decode()

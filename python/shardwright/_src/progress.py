"""A line that says how far planning has come: in a terminal, and in a notebook."""

from __future__ import annotations

import sys
from typing import Any, Callable, Union

from shardwright._src.estimate import bytes_text, seconds_text

# Evaluations, seconds, best step seconds, its peak bytes, whether it fits.
Word = tuple[int, float, float, int, bool]
Progress = Union[bool, Callable[[Word], None], None]


class Line:
  """Shows the latest word; `close` removes it."""

  def __init__(self, show: Callable[[str], None], clear: Callable[[], None]):
    self._show = show
    self._clear = clear
    self._shown = False

  def __call__(self, word: Word) -> None:
    self._show(sentence(word))
    self._shown = True

  def close(self) -> None:
    if self._shown:
      self._clear()


class Silent:
  """Shows nothing, or hands each word to a function."""

  def __init__(self, function: Callable[[Word], None] | None = None):
    self.function = function

  def __call__(self, word: Word) -> None:
    if self.function is not None:
      self.function(word)

  def close(self) -> None:
    pass


def sentence(word: Word) -> str:
  evaluations, seconds, best, peak, fits = word
  memory = bytes_text(peak) + ("" if fits else " (does not fit)")
  return f"{evaluations} evaluations in {seconds:.1f} s, best step {seconds_text(best)}, {memory}"


def shown(progress: Progress) -> Line | Silent:
  """None shows progress where a person is likely to look, True and False do as they say, a function gets each word."""
  if callable(progress):
    return Silent(progress)
  if progress is False:
    return Silent()
  if _in_notebook():
    return _notebook_line()
  return _terminal_line() if progress or sys.stderr.isatty() else Silent()


def _terminal_line() -> Line:
  def write(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()

  return Line(write, lambda: write(""))


def _in_notebook() -> bool:
  python = sys.modules.get("IPython")
  shell: Any = python.get_ipython() if python is not None else None
  return type(shell).__name__ == "ZMQInteractiveShell"


def _notebook_line() -> Line:
  from IPython.display import HTML, display  # type: ignore[import-not-found]

  handle: Any = display(HTML(""), display_id=True)
  return Line(lambda text: handle.update(HTML(text)), lambda: handle.update(HTML("")))

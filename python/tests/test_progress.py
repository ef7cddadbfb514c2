"""Where progress is shown."""

import sys
import types

import pytest
from shardwright._src import progress

WORD = (1200, 2.5, 0.0031, 4_000_000, False)


def test_a_sentence():
  assert progress.sentence(WORD) == "1200 evaluations in 2.5 s, best step 3.1 ms, 4 MB (does not fit)"


def test_a_terminal_is_written_over(monkeypatch, capsys):
  monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
  line = progress.shown(None)
  line(WORD)
  line.close()
  assert capsys.readouterr().err == f"\r\x1b[K{progress.sentence(WORD)}\r\x1b[K"


@pytest.mark.parametrize("wanted", [None, False])
def test_nothing_is_shown_to_nobody(wanted, monkeypatch, capsys):
  monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
  progress.shown(wanted)(WORD)
  assert capsys.readouterr().err == ""


def test_a_notebook_updates_one_cell(monkeypatch):
  shown = []

  class ZMQInteractiveShell:
    pass

  python, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
  python.get_ipython = ZMQInteractiveShell
  display.HTML = str
  display.display = lambda text, display_id: types.SimpleNamespace(update=shown.append)
  monkeypatch.setitem(sys.modules, "IPython", python)
  monkeypatch.setitem(sys.modules, "IPython.display", display)
  line = progress.shown(None)
  line(WORD)
  line.close()
  assert shown == [progress.sentence(WORD), ""]

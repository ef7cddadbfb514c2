"""The code in the README and in the quickstart runs as it is printed."""

import doctest
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
  return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), flags=re.DOTALL | re.MULTILINE)


def run(block, names):
  if not block.startswith(">>>"):
    exec(compile(block, "block", "exec"), names)
    return
  test = doctest.DocTestParser().get_doctest(block, names, "block", None, 0)
  outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False)
  names.update(test.globs)
  assert outcome.failed == 0, block


def test_quickstart(tmp_path, monkeypatch, capsys):
  monkeypatch.chdir(tmp_path)
  names = {"__name__": "quickstart"}
  for block in blocks("docs/quickstart.md"):
    run(block, names)
  assert "what each axis splits" in capsys.readouterr().out
  assert (tmp_path / "plan.json").exists()


def test_readme(tmp_path, monkeypatch, capsys):
  monkeypatch.chdir(tmp_path)
  examples = [block for block in blocks("README.md") if "import shardwright" in block]
  if not examples:
    pytest.fail("the README has no example of the package")
  for block in examples:
    run(block, {"__name__": "readme"})
  assert "what each axis splits" in capsys.readouterr().out

"""What we print of a module, jaxlib parses and verifies, and it is the same module."""

import pathlib
import re

import jaxlib_mlir
import pytest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
MODULES = sorted(p for folder in ("models", "ops", "chlo", "sdy", "rules") for p in (DATA / folder).glob("*.mlir") if p.stem not in jaxlib_mlir.UNREADABLE)

# How jaxlib prints the input, and the flags that make shardwright-opt print the same form.
FORMS = {
  "pretty": (dict(generic=False, locations=False), []),
  "generic": (dict(generic=True, locations=False), ["--mlir-print-op-generic"]),
  "pretty_locations": (dict(generic=False, locations=True), ["--mlir-print-debuginfo"]),
  "generic_locations": (dict(generic=True, locations=True), ["--mlir-print-op-generic", "--mlir-print-debuginfo"]),
}


def module_id(path):
  return f"{path.parent.name}/{path.stem}"


def test_there_are_modules():
  assert {p.parent.name for p in MODULES} >= {"models", "ops", "chlo", "sdy", "rules"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_round_trip(path, form, shardwright_opt, tmp_path):
  options, flags = FORMS[form]
  printed = jaxlib_mlir.reprint(path.read_text(), **options)
  source = tmp_path / "in.mlir"
  source.write_text(printed)
  ours = shardwright_opt.ok(source, *flags)
  # Printed again by jaxlib, as generic as it gets, both must be one text.
  exact = dict(generic=True, locations=options["locations"])
  assert same_blobs(jaxlib_mlir.reprint(ours, **exact)) == same_blobs(jaxlib_mlir.reprint(printed, **exact))


def same_blobs(text):
  """jaxlib numbers a resource anew each time the process reads it: `blob_1`, `blob_2`."""
  return re.sub(r"\bblob(_\d+)+\b", "blob", text)


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_pretty_text_is_jaxlibs(path, shardwright_opt, tmp_path):
  """Not only the same module: the same text, but for white space at line ends and blank lines."""
  printed = jaxlib_mlir.reprint(path.read_text())
  source = tmp_path / "in.mlir"
  source.write_text(printed)
  assert lines(shardwright_opt.ok(source)) == lines(printed)


def lines(text):
  return [line.rstrip() for line in text.splitlines() if line.strip()]

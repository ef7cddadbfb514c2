"""The folders of src/shardwright are layers: each includes only itself and the layers above it."""

import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).parent.parent / "src" / "shardwright"

# From top to bottom. A folder may include those before it.
LAYERS = ["base", "mesh", "program", "rules", "analysis", "plan", "spmd", "cost", "search", "driver", "mlir"]

INCLUDE = re.compile(r'^\s*#include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


def sources():
  return sorted(p for p in SOURCES.rglob("*") if p.suffix in (".h", ".cpp"))


def layer_of(path):
  return path.relative_to(SOURCES).parts[0]


def breaches(path, text):
  """What `path` with the content `text` includes and may not."""
  allowed = LAYERS[: LAYERS.index(layer_of(path)) + 1]
  found = []
  for include in INCLUDE.findall(text):
    parts = include.split("/")
    if parts[0] == "shardwright" and parts[1] not in allowed:
      found.append(include)
    if parts[0] in ("mlir", "llvm") and layer_of(path) != "mlir":
      found.append(include)
  return found


def test_every_folder_is_a_layer():
  folders = {p.name for p in SOURCES.iterdir() if p.is_dir()}
  assert folders <= set(LAYERS)


def test_a_breach_is_found():
  header = SOURCES / "program" / "program.h"
  assert breaches(header, '#include "shardwright/rules/rule.h"\n') == ["shardwright/rules/rule.h"]
  assert breaches(header, '#include "mlir/IR/Types.h"\n') == ["mlir/IR/Types.h"]
  assert breaches(header, '#include "shardwright/base/ids.h"\n') == []


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(SOURCES)))
def test_includes_only_layers_above(path):
  assert breaches(path, path.read_text()) == []

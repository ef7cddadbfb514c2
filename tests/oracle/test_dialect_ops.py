"""Every op that jaxlib's bindings know is defined in our dialects and stands in the test data."""

import pathlib
import re

import jaxlib_mlir
import pytest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

# Ops that jaxlib knows and we do not define, with the reason.
NOT_DEFINED = {}

# Ops that no module of the test data holds, with the reason.
NOT_IN_DATA = {}

OPS = [op for names in jaxlib_mlir.ALL_OPS.values() for op in names]


@pytest.fixture(scope="module")
def ops_in_data():
  """All op names that occur in the test data, in jaxlib's generic print where it can read the module."""
  found = set()
  for path in sorted(DATA.glob("*/*.mlir")):
    if path.stem in jaxlib_mlir.UNREADABLE:
      found.update(re.findall(r"= (stablehlo\.[\w-]+)", path.read_text()))
    else:
      found.update(re.findall(r'"((?:stablehlo|chlo|sdy)\.[\w-]+)"\(', jaxlib_mlir.reprint(path.read_text(), generic=True)))
  return found


def test_jaxlib_knows_ops():
  assert len(jaxlib_mlir.ALL_OPS["stablehlo"]) > 100
  assert len(jaxlib_mlir.ALL_OPS["chlo"]) > 40
  assert len(jaxlib_mlir.ALL_OPS["sdy"]) > 15


@pytest.mark.parametrize("op", OPS)
def test_op_is_defined(op, shardwright_opt):
  """An op that is not defined is called unregistered; a defined one at most gets a complaint about its contents."""
  done = shardwright_opt("-", stdin=f'"{op}"() : () -> ()')
  undefined = "unregistered operation" in done.stderr or "being parsed with an unregistered dialect" in done.stderr
  assert undefined == (op in NOT_DEFINED), done.stderr


@pytest.mark.parametrize("op", OPS)
def test_op_stands_in_the_data(op, ops_in_data):
  assert (op in ops_in_data) != (op in NOT_IN_DATA)

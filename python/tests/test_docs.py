"""Every public name has a docstring with an example, and the examples run as they are printed."""

import doctest
import inspect
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shardwright as sw
import steps

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def names(mesh, state, batch, tmp_path):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  plan.save(tmp_path / "plan.json")
  return {
    "sw": sw, "jax": jax, "jnp": jnp, "np": np, "mesh": mesh, "state": state, "batch": batch,
    "train_step": steps.mlp_step, "plan": plan, "path": str(tmp_path / "plan.json"),
  }  # fmt: skip


def documented(name):
  """The object itself and, for a class, its public members."""
  thing = getattr(sw, name)
  yield name, thing
  if inspect.isclass(thing):
    for member, value in vars(thing).items():
      if not member.startswith("_") and (
        callable(value) or hasattr(value, "__doc__") and not isinstance(value, (int, str))
      ):
        yield f"{name}.{member}", value


@pytest.mark.parametrize("name", sw.__all__)
def test_has_an_example(name):
  doc = getattr(sw, name).__doc__ or ""
  assert doc.strip(), f"sw.{name} has no docstring"
  assert ">>>" in doc, f"sw.{name} has no example"


@pytest.mark.parametrize("name", sw.__all__)
def test_examples_run(name, names):
  for where, thing in documented(name):
    for test in doctest.DocTestFinder(recurse=False).find(thing, where, globs=dict(names)):
      outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test)
      assert outcome.failed == 0, where


def test_all_is_all():
  public = {n for n, v in vars(sw).items() if not n.startswith("_") and not inspect.ismodule(v)}
  assert public == set(sw.__all__) and sw.__all__ == sorted(sw.__all__)


def test_the_reference_names_everything():
  page = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "python.md").read_text()
  assert [name for name in sw.__all__ if f"`sw.{name}" not in page] == []
  assert [
    name
    for name in inspect.signature(sw.plan).parameters
    if name not in ("function", "args", "kwargs") and f"`{name}`" not in page
  ] == []

"""The examples run, at small size."""

import importlib.util
import pathlib

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"


def example(name):
  spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def test_train_transformer():
  losses = example("train_transformer").main(steps=12, budget=1.0)
  assert losses[-1] < losses[0]


def test_flax_nnx():
  pytest.importorskip("flax")
  losses = example("flax_nnx").main(steps=12)
  assert losses[-1] < losses[0]


def test_inference():
  assert example("inference").main(tokens=6).shape == (8, 6)

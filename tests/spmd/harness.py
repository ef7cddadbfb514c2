"""Programs with arguments to run them on, and what it means that two runs give the same numbers.

    case = model_case("gpt")
    expected = case.run(case.text)                   # on one device
    differences(expected, case.run(explicit_text))   # [] when they are the same to rounding
"""

import dataclasses
import functools
import pathlib

import jax
import numpy as np

import models

from ..properties.random_programs import draw_arguments, random_program
from . import xla

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL_TEXTS = ROOT / "tests" / "data" / "models"

# Two floats are the same when |a - b| <= relative * (|b| + rms of the tensor) + absolute. The order of additions
# differs between a program and its partitioned form, and the error that makes is a small multiple of the rounding unit
# times the size of the summands; the tensor's root mean square stands for that size. The absolute part is for tensors
# that are zero but for rounding (the gradient of a bias before a normalisation). Integers and booleans must be equal.
RELATIVE = {"float64": 1e-9, "float32": 5e-5, "float16": 2e-2, "bfloat16": 5e-2}
ABSOLUTE = {"float64": 1e-12, "float32": 5e-7, "float16": 1e-3, "bfloat16": 1e-2}


@dataclasses.dataclass(frozen=True)
class Case:
  name: str
  text: str
  arguments: list  # numpy arrays, in the order of @main's arguments.

  def run(self, text):
    return xla.Program(text).compile()(*self.arguments)

  @functools.cached_property
  def expected(self):
    """Of the program itself on one device."""
    return self.run(self.text)


def small_models():
  """{name: (model, small configuration)} of every small program."""
  variants = [(model, model.small_variants()) for model in map(models.get, models.names())]
  return {name: (model, config) for model, configs in variants for name, config in configs.items()}


def model_case(name):
  model, config = small_models()[name]
  arguments = tame_adam(model.concrete_args(config))
  leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
  return Case(name, (MODEL_TEXTS / f"{name}.mlir").read_text(), leaves)


def tame_adam(arguments):
  """Adam divides by the root of its second moments. Where these start at zero the first step is the gradient's sign,
  and rounding turns the sign of gradients near zero; so they start at a size that gradients here have."""
  state = arguments[0]
  if not isinstance(state, dict) or "v" not in state:
    return arguments
  rng = np.random.default_rng(0)
  moments = jax.tree.map(lambda v: rng.uniform(0.5e-4, 2e-4, v.shape).astype(v.dtype), state["v"])
  return ({**state, "v": moments}, *arguments[1:])


def random_case(seed, size):
  program = random_program(seed, size)
  return Case(f"random-{seed}-{size}", program.text, draw_arguments(program, seed))


def differences(expected, actual):
  """One line for each result that is not the same."""
  if len(expected) != len(actual):
    return [f"{len(actual)} results, not {len(expected)}"]
  lines = [difference(e, a) for e, a in zip(expected, actual)]
  return [f"result {number}: {line}" for number, line in enumerate(lines) if line]


def difference(expected, actual):
  """What is wrong with `actual`; None when it is the same."""
  if (expected.shape, expected.dtype) != (actual.shape, actual.dtype):
    return f"{actual.dtype}{list(actual.shape)}, not {expected.dtype}{list(expected.shape)}"
  if expected.dtype.name not in RELATIVE:
    wrong = expected != actual
    if not wrong.any():
      return None
    return f"{wrong.sum()} of {wrong.size} elements differ, {first_wrong(expected, actual, wrong)}"
  excess = error(expected, actual)
  if np.all(excess <= 1):  # False for NaN on one side.
    return None
  return f"off by {np.max(excess):.3g} tolerances, {first_wrong(expected, actual, ~(excess <= 1))}"


def error(expected, actual):
  """Of each element, in tolerances."""
  name = expected.dtype.name
  e, a = expected.astype(np.float64), actual.astype(np.float64)
  finite = e[np.isfinite(e)]
  magnitude = np.abs(e) + (np.sqrt(np.mean(np.square(finite))) if finite.size else 0)
  with np.errstate(invalid="ignore"):
    off = np.abs(a - e) / (RELATIVE[name] * magnitude + ABSOLUTE[name])
  return np.where((e == a) | (np.isnan(e) & np.isnan(a)), 0, off)


def first_wrong(expected, actual, wrong):
  index = tuple(int(i) for i in np.argwhere(wrong)[0])
  return f"first at {list(index)}: {actual[index]}, not {expected[index]}"


def largest_error(expected, actual):
  """In tolerances, over all float results; how much room there is."""
  floats = [(e, a) for e, a in zip(expected, actual, strict=True) if e.dtype.name in RELATIVE and e.size]
  return max((float(np.max(error(e, a))) for e, a in floats), default=0.0)

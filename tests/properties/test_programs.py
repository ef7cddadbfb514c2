"""The random programs themselves: valid, tame, whole, and of every family.

SHARDWRIGHT_EXAMPLES=500 looks at that many programs instead of a few dozen.
"""

import json
import math
import os
import random
import re

import numpy as np
import pytest

from .block import LARGEST_TENSOR, NAME, Block, Maker, Program, literal, nested_text
from .random_programs import FAMILIES, draw_arguments, pretty_text, random_program, run, serialize

EXAMPLES = int(os.environ.get("SHARDWRIGHT_EXAMPLES", 60))
SEEDS = range(EXAMPLES)
# Compiling is slow; a long run compiles more.
RUN_SEEDS = range(max(12, EXAMPLES // 10))


def program_of(seed):
  return random_program(seed, 4 + seed * 7 % 40)


@pytest.mark.parametrize("seed", SEEDS)
def test_jaxlib_accepts_it(seed):
  assert serialize(program_of(seed).text)


@pytest.mark.parametrize("seed", SEEDS)
def test_command_reads_it(seed, shardwright):
  program = program_of(seed)
  found = json.loads(shardwright.ok("inspect", "--json", "-", stdin=program.text))
  assert [tuple(a["shape"]) for a in found["arguments"]] == [a.shape for a in program.arguments]
  assert not found["unsupported"]


@pytest.mark.parametrize("dtype", ["f32", "i32", "i1"])
def test_command_reads_large_constants_as_jax_prints_them(dtype, shardwright):
  """Which is in hexadecimal from some hundred elements on."""
  block = Block(Maker(random.Random(0), [16], []))
  value = block.dense((16, 16), dtype, nested_text((16, 16), lambda: literal(block.random, dtype)), 8.0)
  text = pretty_text(Program((), (), tuple(block.statements), (value,), (), {}).text)
  assert 'dense<"0x' in text
  shardwright.ok("inspect", "--json", "-", stdin=text)


@pytest.mark.parametrize("seed", RUN_SEEDS)
def test_results_are_finite_tame_and_repeat(seed):
  program = random_program(seed, 8 + seed % 12)
  results = run(program, seed)
  for value, array in zip(program.results, results, strict=True):
    assert array.shape == value.shape
    # A comparison with NaN fails too.
    assert not value.is_float or np.max(np.abs(array)) <= value.bound * 1.001
  assert all(np.array_equal(a, b) for a, b in zip(results, run(program, seed)))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_makes_programs_alone(family):
  program = random_program(1, 3, families=[family])
  assert program.families == (family,)
  assert serialize(program.text)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_dead_code(seed):
  """Every value is used, but for loop counters and the state that random bits leave."""
  program = program_of(seed)
  names = NAME.findall(program.text)
  used_once = {name for name in names if names.count(name) == 1}
  parameters = set(re.findall(r"(%\w+): tensor", program.text))
  assert used_once <= parameters


@pytest.mark.parametrize("seed", SEEDS)
def test_tensors_are_small(seed):
  shapes = re.findall(r"tensor<([\dx]*)x[a-z]", program_of(seed).text)
  assert max(math.prod(map(int, shape.split("x"))) for shape in shapes) <= LARGEST_TENSOR


def test_seed_gives_the_same_program():
  assert random_program(5, 30).text == random_program(5, 30).text != random_program(6, 30).text


def test_draws_fit_their_kind():
  for seed in SEEDS:
    program = program_of(seed)
    for argument, array in zip(program.arguments, draw_arguments(program, seed), strict=True):
      assert array.shape == argument.shape
      if argument.kind != "bool":
        assert array.min() >= argument.low and array.max() < argument.high
      if argument.kind == "unique":
        assert len(set(array.flat)) == array.size


def test_every_family_occurs():
  used = {name for seed in SEEDS for name in program_of(seed).families}
  assert used == set(FAMILIES)


def test_every_op_of_the_rule_families_occurs():
  """Families choose among ops; these are the ones with rules of their own."""
  text = "".join(random_program(seed, 40).text for seed in range(60))
  ops = set(re.findall(r'"?((?:stablehlo|chlo|func)\.\w+)"?[( ]', text))
  expected = """add and atan2 batch_norm_inference batch_norm_training bitcast_convert broadcast_in_dim case cholesky
    clamp compare concatenate constant convert convolution dot_general dynamic_slice dynamic_update_slice fft gather if
    iota map optimization_barrier pad reduce reduce_window reshape reverse rng_bit_generator scatter select
    select_and_scatter slice sort tanh transpose triangular_solve while"""
  assert {f"stablehlo.{name}" for name in expected.split()} | {"chlo.erf", "chlo.top_k", "func.call"} <= ops

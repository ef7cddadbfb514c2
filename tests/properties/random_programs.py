"""Random StableHLO programs that cover every rule family, for properties that must hold of any program.

    program = random_program(seed=3, size=30)
    program.text          a module that jaxlib accepts
    program.arguments     shape, dtype and how to draw values
    results = run(program, seed=0)

A seed gives the same program on every machine. Sizes are few and repeat, so colours meet themselves often. Values are
finite and tame, indices are in range, whatever jumps depends on exact values only, and nothing is dead code: results of
a partitioned program can be compared with those of the program itself.

    python -m tests.properties.random_programs --seed 3 --size 30 -o -
    python -m tests.properties.random_programs --families
"""

import argparse
import contextlib
import dataclasses
import itertools
import random
import sys

import numpy as np

from .block import Block, Maker, Program
from .steps import FAMILIES
from .steps.control import fold

MOST_RESULTS = 8
NUMPY = {"f32": np.float32, "i32": np.int32, "i1": np.bool_}


def random_program(seed, size, families=None):
  """A program of about `size` steps, each one to a dozen ops, from the families named (all if None)."""
  rng = random.Random(f"{seed}/{size}")
  allowed = [FAMILIES[name] for name in FAMILIES if families is None or name in families]
  maker = Maker(rng, some_sizes(rng), allowed)
  block = Block(maker)
  for _ in range(size):
    block.step()
  results = gather_results(block)
  arguments = alias_some(rng, maker.arguments, results)
  values = {a.value.name: a.value for a in arguments} | {v.name: v for v in block.pool}
  return Program(arguments, tuple(maker.functions), tuple(block.statements), results, tuple(sorted(maker.used)), values)


def some_sizes(rng):
  """Few sizes, so that dims of different origin are often equal."""
  sizes = rng.sample([2, 4, 8, 16], rng.choice([1, 2, 2, 3]))
  if rng.random() < 0.3:
    sizes.append(rng.choice([1, 3, 6]))
  return sizes


def gather_results(block):
  """All values that nobody uses, some added up, not too many."""
  ends = list(block.unused.values())
  block.random.shuffle(ends)
  results = []
  for end in ends:
    same = [i for i, v in enumerate(results) if (v.shape, v.dtype) == (end.shape, end.dtype) and v.is_float]
    if same and block.random.random() < 0.6:
      results[same[0]] = block.tame(block.add(results[same[0]], end))
    elif len(results) < MOST_RESULTS or not results[0].is_float:
      results.append(end)
      results.sort(key=lambda v: not v.is_float)
    else:
      results[0] = fold(block, results[0], end)
  return tuple(results)


def alias_some(rng, arguments, results):
  """Arguments whose buffer a result of the same type may take, as donated ones."""
  taken, aliased = set(), []
  for argument in arguments:
    kind = argument.shape, argument.dtype
    fits = [i for i, v in enumerate(results) if i not in taken and (v.shape, v.dtype) == kind]
    if fits and rng.random() < 0.3:
      argument = dataclasses.replace(argument, alias=rng.choice(fits))
      taken.add(argument.alias)
    aliased.append(argument)
  return tuple(aliased)


def draw(argument, rng):
  """Values for one argument from a numpy generator."""
  if argument.kind == "bool":
    return rng.integers(0, 2, argument.shape).astype(np.bool_)
  if argument.kind == "unique":
    numbers = rng.permutation(np.arange(argument.low, argument.high, dtype=np.int32))
    return numbers[: int(np.prod(argument.shape))].reshape(argument.shape)
  if argument.kind == "int":
    return rng.integers(argument.low, argument.high, argument.shape, dtype=np.int32)
  return rng.uniform(argument.low, argument.high, argument.shape).astype(np.float32)


def draw_arguments(program, seed):
  rng = np.random.default_rng(seed)
  return [np.asarray(draw(argument, rng)) for argument in program.arguments]


@contextlib.contextmanager
def parsed(text):
  """The module, parsed and verified by jaxlib."""
  from jax._src.interpreters import mlir
  from jaxlib.mlir import ir

  with mlir.make_ir_context():
    module = ir.Module.parse(text)
    assert module.operation.verify()
    yield module


def pretty_text(text):
  """As JAX prints it; programs are written in MLIR's generic form."""
  with parsed(text) as module:
    return str(module)


def kept_apart(text):
  """With a function for each call and a number on each op, so that none says the same as another and is left out for that."""
  from jaxlib.mlir import ir

  with parsed(text) as module:
    give_calls_their_own(module)
    numbers = itertools.count()
    for op in all_ops(module):
      op.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get({"number": ir.StringAttr.get(str(next(numbers)))})
    return module.operation.get_asm(print_generic_op_form=True)


def all_ops(module):
  from jaxlib.mlir import ir

  found = []
  module.operation.walk(lambda op: found.append(op) or ir.WalkResult.ADVANCE)
  return found


def give_calls_their_own(module):
  """Functions are called by one call each. A copy brings its own calls, hence again."""
  from jaxlib.mlir import ir

  functions = {op.attributes["sym_name"].value: op for op in module.body.operations}
  called = set()
  calls = [op for op in all_ops(module) if op.name == "func.call"]
  for call in calls:
    name = call.attributes["callee"].value
    if name in called:
      copied = functions[name].operation.clone(ir.InsertionPoint(module.body))
      name = f"{name}_{len(functions)}"
      copied.attributes["sym_name"] = ir.StringAttr.get(name)
      call.attributes["callee"] = ir.FlatSymbolRefAttr.get(name)
      return give_calls_their_own(module)
    called.add(name)


def serialize(text):
  """What jax.export stores."""
  from jax._src.export import _export

  with parsed(text) as module:
    return _export._module_to_bytecode(module)


def as_function(program, text=None):
  """The program (or another text of the same signature) as a function that JAX can compile."""
  import jax
  import jax.export
  import jax.numpy as jnp

  def same_signature(*_):
    return tuple(jnp.zeros(v.shape, NUMPY[v.dtype]) for v in program.results)

  types = [jax.ShapeDtypeStruct(a.shape, NUMPY[a.dtype]) for a in program.arguments]
  exported = jax.export.export(jax.jit(same_signature, keep_unused=True))(*types)
  return jax.jit(dataclasses.replace(exported, mlir_module_serialized=serialize(text or program.text)).call)


def run(program, seed):
  """Results on one CPU device, as numpy arrays."""
  return [np.asarray(v) for v in as_function(program)(*draw_arguments(program, seed))]


def main():
  parser = argparse.ArgumentParser(prog="random_programs", description="Writes a random StableHLO program.")
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("--size", type=int, default=30, help="number of steps (30)")
  parser.add_argument("--only", help="families to use, with commas (all)")
  parser.add_argument("--families", action="store_true", help="list the families")
  parser.add_argument("-o", "--output", default="-")
  options = parser.parse_args()
  if options.families:
    print("\n".join(FAMILIES))
    return
  text = random_program(options.seed, options.size, options.only and options.only.split(",")).text
  if options.output == "-":
    sys.stdout.write(text)
    return
  with open(options.output, "w", encoding="utf-8") as file:
    file.write(text)


if __name__ == "__main__":
  main()

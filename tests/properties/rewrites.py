"""Changes to a program that leave its meaning alone, and where its ops are afterwards.

The flat program is, in order: one op per argument, those of each statement, one per result. So the ops of a statement
are a range of numbers that moves with it.
"""

import dataclasses
import re

from .block import NAME, Block, Maker
from .steps.shape import merge, split, toggle_one


def renamed_text(program, rng):
  """The text with other names for all SSA values."""
  text = program.text
  names = sorted(set(NAME.findall(text)))
  numbers = rng.sample(range(10 * len(names)), len(names))
  new = {name: f"%{rng.choice('abxyz')}_{number}" for name, number in zip(names, numbers)}
  return NAME.sub(lambda found: new[found.group()], text)


def reordered(program, rng):
  """The statements in a random order in which every value still comes before its uses, and their old positions."""
  waiting = list(enumerate(program.statements))
  results = {s.result for s in program.statements}
  known, order = set(), []
  while waiting:
    needs = lambda statement: {n for n in statement.names() if n in results} - {statement.result}
    chosen = rng.choice([entry for entry in waiting if needs(entry[1]) <= known])
    waiting.remove(chosen)
    order.append(chosen)
    known.add(chosen[1].result)
  return dataclasses.replace(program, statements=tuple(s for _, s in order)), [i for i, _ in order]


def with_undone_moves(program, rng, names, chance=0.4):
  """Before some uses of the values named, a transpose and its inverse, or a reshape and its inverse. Also returns the
  old position of each statement, None for new ones."""
  maker = Maker(rng, [2], [], prefix="moved")
  statements, positions = [], []
  for position, statement in enumerate(program.statements):
    for name in names:
      use = re.compile(re.escape(name) + r"(?!\w)")
      if statement.result == name or not use.search(statement.text) or rng.random() >= chance:
        continue
      block = Block(maker)
      moved = undone_move(block, program.values[name])
      statement = dataclasses.replace(statement, text=use.sub(moved.name, statement.text))
      statements += block.statements
      positions += [None] * len(block.statements)
    statements.append(statement)
    positions.append(position)
  return dataclasses.replace(program, statements=tuple(statements)), positions


def undone_move(block, value):
  rng = block.random
  if value.rank > 1 and rng.random() < 0.5:
    permutation = rng.sample(range(value.rank), value.rank)
    return block.transpose(block.transpose(value, permutation), [permutation.index(d) for d in range(value.rank)])
  # One change only: two could cut a dim in a way that no factors fit.
  shape = rng.choice([merge, split, toggle_one])(rng, list(value.shape))
  return block.reshape(block.reshape(value, shape), value.shape)


def ranges(program):
  """The flat op numbers of each statement."""
  result, start = [], len(program.arguments)
  for statement in program.statements:
    result.append(range(start, start + statement.flat))
    start += statement.flat
  return result


def flat_count(program):
  return len(program.arguments) + sum(s.flat for s in program.statements) + len(program.results)


def op_numbers(old, new, positions):
  """Number of each op of the old flat program -> its number in the new one. Statement i was number positions[i]."""
  numbers = {op: op for op in range(len(old.arguments))}
  old_ranges, new_ranges = ranges(old), ranges(new)
  for now, before in enumerate(positions):
    if before is not None:
      numbers |= dict(zip(old_ranges[before], new_ranges[now]))
  shift = flat_count(new) - flat_count(old)
  returns = range(flat_count(old) - len(old.results), flat_count(old))
  return numbers | {op: op + shift for op in returns}

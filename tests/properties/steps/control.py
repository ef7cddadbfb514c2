"""Loops, branches, calls, barriers and random bits."""

import math

from ..block import TAME, Block, Value, array_text, elements, indent, region_text

# Floats that go round a loop or out of a branch or function are kept below this.
CARRIED = 2.0


def bounded(block, value):
  if not value.is_float or value.bound <= CARRIED:
    return value
  if value.bound > 16:
    value = block.scale(value, 2.0 ** -round(math.log2(math.sqrt(value.bound))))
  return block.unary("tanh", value, 1.0)


def parameters_like(block, values):
  """Names inside for values from outside, of which only the type is known (and that floats are small)."""
  bound = lambda v: TAME if v.is_float else math.inf
  return [Value(block.maker.name("r"), v.shape, v.dtype, bound(v), not v.is_float) for v in values]


def some_values(block, most):
  """The first is a float: what else a block computes can be added to it."""
  values = [block.pick(accepts=lambda v: elements(v.shape) <= 512)]
  for _ in range(block.random.randrange(most)):
    values.append(block.pick(block.random.choice(["f32", "f32", "i32"]), lambda v: elements(v.shape) <= 512))
  return values


def grow(block, most):
  for _ in range(block.random.randrange(1, most + 1)):
    block.step()


def finish(block, likes):
  """One result like each of `likes`, made so that nothing computed in the block is dead."""
  results = []
  for like in likes:
    taken = [*likes, *results]
    fits = [v for v in block.unused.values() if (v.shape, v.dtype) == (like.shape, like.dtype) and v not in taken]
    results.append(block.random.choice(fits) if fits else like)
  chosen = {v.name for v in results}
  for extra in [v for v in block.unused.values() if v.name not in chosen]:
    results[0] = fold(block, results[0], extra)
  for value in results:
    block.use(value)
  return [bounded(block, v) for v in results]


def fold(block, total, extra):
  """total + extra, or + the mean of extra."""
  extra = block.to_float(extra)
  if extra.shape != total.shape:
    count = elements(extra.shape)
    if extra.rank > 0:
      extra = block.scale(block.reduce(extra, list(range(extra.rank))), 1.0 / count)
    extra = block.broadcast(extra, total.shape, []) if total.rank > 0 else extra
  return block.tame(block.add(total, extra))


def flat_count(block):
  return sum(statement.flat for statement in block.statements)


def write_loop(block, inits, trips, make_body):
  """`make_body(block, counter, parameters)` returns what the loop carries on."""
  counter = block.splat((), "i32", 0)
  inside = Block(block.maker, block)
  i, *parameters = parameters_like(inside, [counter, *inits])
  inside.pool += parameters
  carried = make_body(inside, i, parameters)
  following = inside.add(i, inside.splat((), "i32", 1))
  body = region_text([i, *parameters], inside.statements, [following, *carried])
  condition, condition_flat = loop_condition(block, [counter, *inits], trips)
  operands = [counter, *inits]
  constant = [unchanged(block, *three) for three in zip(inits, parameters, carried)]
  flat = len(operands) - sum(constant) + 1 + condition_flat + flat_count(inside)
  types = [(v.shape, v.dtype) for v in operands]
  _, *results = block.op("while", operands, types, "", [condition, body], flat=flat, bound=CARRIED, exact=False)
  for init, result, same in zip(inits, results, constant):
    if same:
      block.maker.same[result.name] = init.name
  return [block.keep(as_carried(v)) for v in results]


def unchanged(block, init, parameter, carried):
  """Whether a loop carries the value for nothing: the flat program takes it from outside."""
  same = block.maker.same
  found = same.get(carried.name, carried.name) in (parameter.name, same.get(init.name, init.name))
  if found:
    same[parameter.name] = same.get(init.name, init.name)
  return found


def as_carried(value):
  return value if value.is_float else Value(value.name, value.shape, value.dtype)


def loop_condition(block, values, trips):
  inside = Block(block.maker, isolated=True)
  parameters = parameters_like(block, values)
  more = inside.compare("LT", parameters[0], inside.splat((), "i32", trips))
  return region_text(parameters, inside.statements, [more]), flat_count(inside)


def while_(block):
  inits = [bounded(block, v) for v in some_values(block, 3)]

  def body(inside, _, parameters):
    inside.unused |= {v.name: v for v in parameters}
    grow(inside, 3)
    return finish(inside, parameters)

  return write_loop(block, inits, block.random.choice([2, 3, 4]), body)


def scan(block):
  """Takes one row per turn and writes one: what JAX makes of lax.scan."""
  rows = block.pick(accepts=lambda v: v.rank in (2, 3) and elements(v.shape) <= 512)
  state = bounded(block, block.tensor(rows.shape[1:]))
  inits = [state, bounded(block, rows)]
  carries_rows = block.random.random() < 0.5
  if carries_rows:
    inits.append(bounded(block, rows))

  def body(inside, i, parameters):
    source = parameters[2] if carries_rows else rows
    zero = inside.splat((), "i32", 0)
    starts = [i, *[zero] * (rows.rank - 1)]
    sizes = [1, *rows.shape[1:]]
    attrs = f"slice_sizes = {array_text(sizes)}"
    row = inside.op("dynamic_slice", [source, *starts], (sizes, "f32"), attrs, bound=source.bound)
    inside.keep(inside.add(parameters[0], inside.reshape(row, rows.shape[1:])))
    grow(inside, 2)
    new_state = finish(inside, parameters[:1])[0]
    written = [parameters[1], inside.reshape(new_state, sizes), *starts]
    return [new_state, inside.op("dynamic_update_slice", written, (rows.shape, "f32"), bound=CARRIED), *parameters[2:]]

  return write_loop(block, inits, rows.shape[0], body)


def case(block):
  likes = some_values(block, 2)
  two = block.random.random() < 0.5
  regions, flat = [], 1 + len(likes)
  for _ in range(2 if two else block.random.choice([2, 3])):
    inside = Block(block.maker, block)
    if block.random.random() < 0.8:
      grow(inside, 2)
    results = finish(inside, likes)
    regions.append(region_text([], inside.statements, results))
    flat += flat_count(inside)
  number = branch_number(block, len(regions))
  types = [(v.shape, v.dtype) for v in likes]
  if two:
    number = block.compare("EQ", number, block.splat((), "i32", 0))
  results = block.op("if" if two else "case", [number], types, "", regions, flat=flat, bound=CARRIED, exact=False)
  return [block.keep(as_carried(v)) for v in results]


def branch_number(block, count):
  if block.isolated:
    return block.splat((), "i32", block.random.randrange(count))
  return block.maker.argument((), "i32", "int", 0, count)


def call(block):
  """A function called twice: its inlined bodies are copies of each other."""
  values = some_values(block, 3)
  inside = Block(block.maker, isolated=True, depth=block.depth + 1)
  parameters = parameters_like(inside, values)
  inside.pool += parameters
  inside.unused = {v.name: v for v in parameters}
  grow(inside, 4)
  results = finish(inside, parameters[: block.random.choice([1, 1, 2])])
  name = f"@f{len(block.maker.functions)}"
  block.maker.functions.append(function_text(name, parameters, inside.statements, results))
  for operands in (values, [block.tensor(v.shape, v.dtype) for v in values]):
    for value in write_call(block, name, operands, results, flat_count(inside)):
      block.keep(value)


def function_text(name, parameters, statements, results):
  header = ", ".join(f"{p.name}: {p.type}" for p in parameters)
  types = ", ".join(v.type for v in results)
  lines = [line for statement in statements for line in statement.text.split("\n")]
  end = f"  return {', '.join(v.name for v in results)} : {types}"
  return "\n".join([f"func.func private {name}({header}) -> ({types}) {{", *indent(lines), end, "}"])


def write_call(block, name, operands, results, flat):
  result = block.maker.name()
  types = [(v.shape, v.dtype) for v in results]
  text = f"{result}:{len(types)} = func.call {name}({', '.join(v.name for v in operands)})"
  text += f" : ({', '.join(v.type for v in operands)}) -> ({', '.join(v.type for v in results)})"
  values = block.write("call", result, operands, types, text, flat=flat, bound=CARRIED, exact=False)
  return [as_carried(v) for v in values]


def barrier(block):
  values = [block.pick(block.random.choice(["f32", "f32", "i32", "i1"])) for _ in range(block.random.choice([2, 3]))]
  types = [(v.shape, v.dtype) for v in values]
  results = block.op("optimization_barrier", values, types, flat=len(values))
  return [block.keep(Value(new.name, new.shape, new.dtype, old.bound, old.exact)) for new, old in zip(results, values)]


def random_bits(block):
  shape = block.shape()
  state = block.dense((2,), "ui64", f"[{block.random.randrange(100)}, 7]", math.inf)
  attrs = f"rng_algorithm = #stablehlo<rng_algorithm {block.random.choice(['THREE_FRY', 'PHILOX'])}>"
  _, bits = block.op("rng_bit_generator", [state], [((2,), "ui64"), (shape, "ui32")], attrs)
  small = block.binary("and", bits, block.splat(shape, "ui32", 7), 7.0)
  return block.keep(block.op("convert", [small], (shape, "i32"), bound=7.0))


FAMILIES = {
  "while": (1.2, while_),
  "scan": (0.8, scan),
  "case": (1, case),
  "call": (1.2, call),
  "barrier": (1, barrier),
  "random_bits": (0.4, random_bits),
}

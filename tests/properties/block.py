"""StableHLO text under construction: values, statements, blocks, and the finished program.

Two things are known of every value besides its type, so that programs can be compared before and after partitioning:
  bound   no element is larger than this in absolute value: keeps numbers finite and tame;
  exact   its bits do not depend on the order of any floating-point sum. Whatever jumps (comparisons, rounding, the
          order that a sort finds) takes exact values only, or a last-bit difference would become a large one.
"""

import dataclasses
import itertools
import math
import re
import typing

FLOATS = ("f32", "f16", "bf16")
NAME = re.compile(r"%[A-Za-z_]\w*")
CONTROL = ("while", "scan", "case", "call")
LARGEST_TENSOR = 4096
# Floats kept for further use stay below this.
TAME = 8.0

# Ops that move or choose elements and round nothing.
MOVING = {
  "transpose", "reshape", "broadcast_in_dim", "slice", "reverse", "concatenate", "pad", "gather", "dynamic_slice",
  "dynamic_update_slice", "select", "maximum", "minimum", "negate", "abs", "clamp", "optimization_barrier",
}


def type_text(shape, dtype):
  return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def list_text(numbers):
  return f"[{', '.join(map(str, numbers))}]"


def array_text(numbers):
  numbers = list(numbers)
  return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def elements(shape):
  return math.prod(shape)


@dataclasses.dataclass(frozen=True)
class Value:
  name: str  # `%v3`, or `%v3#1` for the second result of an op.
  shape: tuple
  dtype: str
  bound: float = math.inf
  exact: bool = True

  @property
  def type(self):
    return type_text(self.shape, self.dtype)

  @property
  def rank(self):
    return len(self.shape)

  @property
  def is_float(self):
    return self.dtype in FLOATS


@dataclasses.dataclass(frozen=True)
class Argument:
  """How to draw it: `float` and `int` from [low, high), `unique` distinct integers from [low, high), `bool`."""

  value: Value
  kind: str
  low: float = 0
  high: float = 1
  alias: int | None = None  # The result that may take its buffer.

  @property
  def shape(self):
    return self.value.shape

  @property
  def dtype(self):
    return self.value.dtype


@dataclasses.dataclass(frozen=True)
class Statement:
  """One op with its regions. `flat` is how many ops it is in the flat program, where calls are inlined."""

  result: str
  text: str
  flat: int

  def names(self):
    return NAME.findall(self.text)


@dataclasses.dataclass(frozen=True)
class Program:
  arguments: tuple
  functions: tuple  # Texts of private functions.
  statements: tuple
  results: tuple
  families: tuple  # Names of the rule families that went into it, sorted.
  values: dict  # All values of the main block by name.

  @property
  def text(self):
    parameters = ", ".join(map(parameter_text, self.arguments))
    lines = [line for statement in self.statements for line in statement.text.split("\n")]
    types = ", ".join(v.type for v in self.results)
    main = [f"func.func public @main({parameters}) -> ({types}) {{", *indent(lines)]
    main += [f"  return {', '.join(v.name for v in self.results)} : {types}", "}"]
    functions = [line for text in self.functions for line in text.split("\n")]
    return "\n".join(["module @random {", *indent(main), *indent(functions), "}", ""])


def parameter_text(argument):
  alias = "" if argument.alias is None else f" {{tf.aliasing_output = {argument.alias} : i32}}"
  return f"{argument.value.name}: {argument.value.type}{alias}"


def indent(lines):
  return [f"  {line}" for line in lines]


class Family(typing.NamedTuple):
  name: str
  weight: float
  step: typing.Callable  # Takes the block to add to.


class Maker:
  """What all blocks of one program share."""

  def __init__(self, random, sizes, families, prefix=""):
    self.random = random
    self.prefix = prefix  # Of all names, to tell them from another maker's.
    self.sizes = sizes
    self.families = families  # Those that may be used.
    self.used = set()
    self.arguments = []
    self.functions = []
    self.same = {}  # Names of values that a loop carries unchanged -> what it starts with.
    self.numbers = itertools.count()

  def name(self, letter="v"):
    return f"%{self.prefix}{letter}{next(self.numbers)}"

  def argument(self, shape, dtype, kind, low=0, high=1):
    value = Value(self.name("a"), tuple(shape), dtype, float(max(abs(low), abs(high))))
    self.arguments.append(Argument(value, kind, low, high))
    return value


class Block:
  """A list of statements and the values they may use. A block sees the values of the one it stands in (`outer`). In an
  `isolated` one, as in a function, there can be no new arguments."""

  def __init__(self, maker, outer=None, isolated=False, depth=0):
    self.maker = maker
    self.random = maker.random
    self.outer = outer
    self.isolated = isolated or (outer is not None and outer.isolated)
    self.depth = depth if outer is None else outer.depth + 1
    self.statements = []
    self.pool = [] if outer is None else list(outer.pool)
    self.unused = {}  # Name -> value, in order: what nobody has used yet.

  # --- steps ---

  def step(self):
    """Adds a random piece of program. Loops and branches are not nested deeper than two."""
    families = [f for f in self.maker.families if self.depth < 2 or f.name not in CONTROL]
    if not families:
      return
    family = self.random.choices(families, [f.weight for f in families])[0]
    self.maker.used.add(family.name)
    family.step(self)

  # --- statements ---

  def op(self, name, operands, results, attrs="", regions=(), **known):
    """Writes one op. `results` is one (shape, dtype) or a list of them; returns a value or a list."""
    several = isinstance(results, list)
    types = [type_text(*r) for r in (results if several else [results])]
    full = name if "." in name else f"stablehlo.{name}"
    result = self.maker.name()
    count = f":{len(types)}" if several else ""
    region_text = f" ({{\n{'}, {'.join(regions)}}})" if regions else ""
    text = f'{result}{count} = "{full}"({", ".join(v.name for v in operands)}){region_text}'
    text += f" {{{attrs}}}" if attrs else ""
    text += f" : ({', '.join(v.type for v in operands)}) -> ({', '.join(types)})"
    return self.write(name, result, operands, results, text, **known)

  def write(self, name, result, operands, results, text, flat=1, bound=None, exact=None):
    self.statements.append(Statement(result, text, flat))
    for value in operands:
      self.use(value)
    if bound is None:
      bound = max((v.bound for v in operands), default=math.inf) if name in MOVING else math.inf
    if exact is None:
      exact = name in MOVING and all(v.exact for v in operands)

    def value(suffix, shape, dtype):
      return Value(f"{result}{suffix}", tuple(shape), dtype, bound, exact or dtype not in FLOATS)

    if isinstance(results, list):
      return [value(f"#{i}", *r) for i, r in enumerate(results)]
    return value("", *results)

  def use(self, value):
    self.unused.pop(value.name, None)
    if self.outer is not None:
      self.outer.use(value)

  # --- the pool ---

  def keep(self, value):
    """Offers a value to later statements, tamed first."""
    value = self.tame(value)
    self.pool.append(value)
    self.unused[value.name] = value
    return value

  def tame(self, value):
    if not value.is_float or value.bound <= TAME:
      return value
    # Products and sums of many terms grow like the square root of their bound; tanh of that is not all ones.
    factor = 2.0 ** -round(math.log2(math.sqrt(value.bound))) if value.bound < 1e9 else 2.0**-6
    value = self.scale(value, factor)
    if value.bound <= TAME:
      return value
    kind = self.random.choice(["tanh", "tanh", "sine", "clamp"])
    if kind == "clamp":
      low, high = self.splat((), value.dtype, -2.0), self.splat((), value.dtype, 2.0)
      return self.op("clamp", [low, value, high], (value.shape, value.dtype), bound=2.0)
    return self.unary(kind, value, bound=1.0)

  def candidates(self, accepts):
    return [v for v in self.pool if v.dtype in ("f32", "i32", "i1") and accepts(v)]

  def find(self, accepts):
    """A value from the pool, rather one that nobody has used, or None."""
    found = self.candidates(accepts)
    fresh = [v for v in found if v.name in self.unused]
    if fresh and self.random.random() < 0.6:
      return self.random.choice(fresh)
    return self.random.choice(found) if found else None

  def pick(self, dtype="f32", accepts=lambda v: v.rank > 0, rank=None):
    """A value from the pool, or a new one."""
    found = self.find(lambda v: v.dtype == dtype and accepts(v))
    if found is not None and self.random.random() < 0.95:
      return found
    for _ in range(20):
      value = Value("", self.shape(rank), dtype)
      if accepts(value):
        return self.fresh(value.shape, dtype)
    return found

  def tensor(self, shape, dtype="f32", exact=False):
    """A value of this very type, from the pool if there is one."""
    shape = tuple(shape)
    found = self.find(lambda v: v.shape == shape and v.dtype == dtype and (v.exact or not exact))
    return found if found is not None and self.random.random() < 0.8 else self.fresh(shape, dtype)

  def fresh(self, shape, dtype):
    """A new argument, or a constant where there can be none or are many."""
    if self.isolated or len(self.maker.arguments) >= 16 or self.random.random() < 0.1:
      value = self.constant(shape, dtype)
    elif dtype == "f32":
      value = self.maker.argument(shape, dtype, "float", -1, 1)
    elif dtype == "i1":
      value = self.maker.argument(shape, dtype, "bool")
    else:
      value = self.maker.argument(shape, dtype, "int", -8, 8)
    self.pool.append(value)
    return value

  # --- shapes ---

  def size(self):
    return self.random.choice(self.maker.sizes)

  def shape(self, rank=None):
    if rank is None:
      rank = self.random.choice([1, 1, 2, 2, 2, 2, 3, 3, 4])
    # Equal dims make colours meet themselves.
    if self.random.random() < 0.35:
      size = self.size()
      shape = (size,) * rank
    else:
      shape = tuple(self.size() for _ in range(rank))
    while elements(shape) > LARGEST_TENSOR // 4:
      shape = tuple(max(size // 2, 1) if size == max(shape) else size for size in shape)
    return shape

  # --- small ops that everything needs ---

  def constant(self, shape, dtype):
    splat = self.random.random() < 0.4 or elements(shape) > 256
    draw = lambda: literal(self.random, dtype)
    text = draw() if splat or not shape else nested_text(shape, draw)
    return self.dense(shape, dtype, text, bound=8.0 if dtype == "i32" else 1.0)

  def dense(self, shape, dtype, text, bound):
    attrs = f"value = dense<{text}> : {type_text(shape, dtype)}"
    return self.op("constant", [], (shape, dtype), attrs, bound=bound, exact=True)

  def splat(self, shape, dtype, number):
    text = f"{number:e}" if dtype in FLOATS else str(number)
    return self.dense(shape, dtype, text, bound=abs(float(number)))

  def unary(self, name, value, bound, **known):
    return self.op(name, [value], (value.shape, value.dtype), bound=bound, **known)

  def binary(self, name, left, right, bound=math.inf, **known):
    return self.op(name, [left, right], (left.shape, left.dtype), bound=bound, **known)

  def add(self, left, right):
    return self.binary("add", left, right, left.bound + right.bound)

  def multiply(self, left, right):
    return self.binary("multiply", left, right, left.bound * right.bound)

  def scale(self, value, factor):
    return self.multiply(value, self.splat(value.shape, value.dtype, factor))

  def shift(self, value, offset):
    return self.add(value, self.splat(value.shape, value.dtype, offset))

  def compare(self, direction, left, right):
    attrs = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    return self.op("compare", [left, right], (left.shape, "i1"), attrs, bound=1.0)

  def iota(self, shape, dim, dtype="i32"):
    return self.op("iota", [], (shape, dtype), f"iota_dimension = {dim} : i64", bound=float(shape[dim]), exact=True)

  def reshape(self, value, shape):
    return self.op("reshape", [value], (shape, value.dtype))

  def transpose(self, value, permutation):
    shape = tuple(value.shape[p] for p in permutation)
    return self.op("transpose", [value], (shape, value.dtype), f"permutation = {array_text(permutation)}")

  def broadcast(self, value, shape, dims):
    return self.op("broadcast_in_dim", [value], (shape, value.dtype), f"broadcast_dimensions = {array_text(dims)}")

  def reduce(self, value, dims, name="add", initial=None, bound=None):
    shape = tuple(size for d, size in enumerate(value.shape) if d not in dims)
    if initial is None:
      initial = self.splat((), value.dtype, 0.0 if value.is_float else 0)
    if bound is None:
      bound = value.bound * math.prod(value.shape[d] for d in dims)
    exact = value.exact and name in ("maximum", "minimum")
    attrs = f"dimensions = {array_text(dims)}"
    body = self.body(name, value.dtype)
    return self.op("reduce", [value, initial], (shape, value.dtype), attrs, [body], bound=bound, exact=exact)

  def to_float(self, value):
    """Any value as a tame f32."""
    if value.is_float:
      return value
    if value.bound > TAME:
      value = self.binary("and", value, self.splat(value.shape, value.dtype, 7), bound=7.0)
    return self.op("convert", [value], (value.shape, "f32"), bound=value.bound, exact=True)

  # --- regions ---

  def body(self, name, *dtypes):
    """A region that combines two scalars of each type: (a, b) -> a op b."""
    lefts = [Value(self.maker.name("r"), (), t) for t in dtypes]
    rights = [Value(self.maker.name("r"), (), t) for t in dtypes]
    inner = Block(self.maker, isolated=True)
    results = [inner.op(name, [a, b], ((), a.dtype)) for a, b in zip(lefts, rights)]
    return region_text(lefts + rights, inner.statements, results)


def region_text(parameters, statements, results):
  header = [f"^bb0({', '.join(f'{p.name}: {p.type}' for p in parameters)}):"] if parameters else []
  lines = [line for statement in statements for line in statement.text.split("\n")]
  names, types = ", ".join(v.name for v in results), ", ".join(v.type for v in results)
  return "\n".join([*header, *indent(lines), f'  "stablehlo.return"({names}) : ({types}) -> ()', ""])


def literal(random, dtype):
  if dtype in FLOATS:
    return str(random.randrange(-8, 9) / 8)
  return random.choice(["true", "false"]) if dtype == "i1" else str(random.randrange(-8, 8))


def nested_text(shape, draw):
  if not shape:
    return draw()
  return f"[{', '.join(nested_text(shape[1:], draw) for _ in range(shape[0]))}]"

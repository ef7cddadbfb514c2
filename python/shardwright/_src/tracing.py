"""From a function and example arguments to a StableHLO text, and back from flat results to what the function returns.

Leaves that are no arrays (functions in an Equinox module, strings) are constants of the program; so are static
arguments. Both must be the same again when the planned step is called.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import os
import re
import sys
import warnings
from typing import Any, Callable, Iterator, Sequence

import jax
import numpy as np
from jax.tree_util import keystr, tree_flatten, tree_flatten_with_path, tree_unflatten

from shardwright._src import errors, jax_private

PyTreeDef = Any


@dataclasses.dataclass(frozen=True)
class Statics:
  """Which arguments are static, and which are donated; as `jax.jit` takes them."""

  static_argnums: tuple[int, ...] = ()
  static_argnames: tuple[str, ...] = ()
  donate_argnums: tuple[int, ...] = ()
  donate_argnames: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Leaf:
  """An array that goes in or comes out: its path in the tree, shape and dtype."""

  path: str
  shape: tuple[int, ...]
  dtype: Any
  donated: bool = False
  weak_type: bool = False  # Of a result: it comes from Python numbers alone, and gives way to other dtypes.
  stated: bool = False  # Of an argument: the function was jitted with a sharding for it.

  @property
  def is_key(self) -> bool:
    """Whether it holds random keys: the program has their bits."""
    return jax.dtypes.issubdtype(self.dtype, jax.dtypes.prng_key)

  def __str__(self) -> str:
    return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class Tree:
  """A pytree some of whose leaves are arrays and the others constants."""

  treedef: PyTreeDef
  constants: dict[int, Any]  # By position among all leaves.

  @property
  def array_positions(self) -> list[int]:
    return [i for i in range(self.treedef.num_leaves) if i not in self.constants]

  def build(self, arrays: Sequence[Any], constant: Callable[[Any], Any] = lambda value: value) -> Any:
    """The tree with these arrays, and of each constant what `constant` makes of it."""
    leaves = [constant(self.constants[i]) if i in self.constants else None for i in range(self.treedef.num_leaves)]
    for position, array in zip(self.array_positions, arrays, strict=True):
      leaves[position] = array
    return tree_unflatten(self.treedef, leaves)


@dataclasses.dataclass(frozen=True)
class Call:
  """Arguments of one call, taken apart."""

  tree: Tree  # Of (positional, keyword) arguments without the static ones.
  statics: tuple[tuple[Any, Any], ...]  # Position or name, and value.
  arrays: tuple[Any, ...]
  names: tuple[str, ...]  # Of the positional arguments that are not static.
  positional: int  # How many arguments come by position, static ones too.

  @functools.cached_property
  def paths(self) -> tuple[str, ...]:
    """Of the arrays. Calls of a planned step need them for errors only."""
    entries, _ = tree_flatten_with_path(self.tree.build(self.arrays))
    return tuple(_path_text(entries[i][0], self.names) for i in self.tree.array_positions)

  def key(self) -> Any:
    """Calls with equal keys have equal programs. Raises ArgumentMismatch if a constant is not hashable."""
    types = tuple(map(_type_of, self.arrays))
    for where, value in self.statics:
      _check_hashable(f"static argument {where!r}", value)
    for value in self.tree.constants.values():
      _check_hashable("an argument that is no array", value)
    return self.tree.treedef, tuple(self.tree.constants.items()), self.statics, types


class Signature:
  """How a function is called: takes arguments apart and puts them together again."""

  def __init__(self, function: Callable[..., Any], statics: Statics):
    self.function = function
    self.name = getattr(function, "__name__", type(function).__name__)
    self.statics = statics
    self.parameters = _parameters(function)
    numbers, names = jax_private.static_arguments(function)
    self.static_positions, self.static_names = self._both(
      (*statics.static_argnums, *numbers), (*statics.static_argnames, *names)
    )
    self.donated_positions, self.donated_names = self._both(statics.donate_argnums, statics.donate_argnames)
    clash = [
      *sorted(self.static_names & self.donated_names), *sorted(self.static_positions & self.donated_positions)
    ]  # fmt: skip
    if clash:
      raise errors.PlanError(
        f"{self.name}: argument {clash[0]!r} is static and donated; only arrays are donated, so leave it out of one"
      )

  def _both(self, positions: Sequence[int], names: Sequence[str]) -> tuple[frozenset[int], frozenset[str]]:
    """An argument is meant whether it is passed by position or by name."""
    positional = [p.name for p in self.parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    count = len(positional)
    numbers = {n + count if n < 0 else n for n in positions}
    endless = not self.parameters or any(p.kind is p.VAR_POSITIONAL for p in self.parameters)
    outside = next((n for n in positions if not endless and not -count <= n < count), None)
    if outside is not None:
      raise errors.PlanError(f"{self.name} has {count} positional arguments, so there is no argument {outside}")
    wrong = next((name for name in names if self.parameters and not self._takes(name)), None)
    if wrong is not None:
      raise errors.PlanError(f"{self.name} has no argument `{wrong}`")
    both_numbers = numbers | {positional.index(name) for name in names if name in positional}
    return frozenset(both_numbers), frozenset(names) | {positional[n] for n in numbers if n < count}

  def _takes(self, name: str) -> bool:
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in self.parameters)

  def take_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    positional = tuple(a for i, a in enumerate(args) if i not in self.static_positions)
    keyword = {name: a for name, a in kwargs.items() if name not in self.static_names}
    statics: list[tuple[Any, Any]] = [(i, a) for i, a in enumerate(args) if i in self.static_positions]
    statics += [(name, kwargs[name]) for name in sorted(kwargs) if name in self.static_names]
    leaves, treedef = tree_flatten((positional, keyword))
    constants = _constants((positional, keyword), leaves)
    arrays = tuple(leaf for i, leaf in enumerate(leaves) if i not in constants)
    return Call(Tree(treedef, constants), tuple(statics), arrays, self._names(len(args)), len(args))

  def arranged(
    self, args: tuple[Any, ...], kwargs: dict[str, Any], count: int | None = None
  ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same arguments, `count` of them by position and the others by name, as far as the function takes them so.
    By default all by position that can be."""
    if len(args) == count or (count is None and not kwargs):
      return args, kwargs
    placed, named = list(args), dict(kwargs)
    slots = [p for p in self.parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for slot in slots[len(placed) : count]:
      if slot.kind is slot.POSITIONAL_ONLY or slot.name not in named:
        break
      placed.append(named.pop(slot.name))
    if count is not None and len(placed) <= len(slots):
      for slot in reversed(slots[count : len(placed)]):
        if slot.kind is slot.POSITIONAL_ONLY or slot.name in named:
          break
        named[slot.name] = placed.pop()
    return tuple(placed), named

  def _names(self, count: int) -> tuple[str, ...]:
    """Names of the positional arguments that are not static."""
    names: list[str] = []
    for parameter in self.parameters:
      if parameter.kind is parameter.VAR_POSITIONAL:
        names += [f"{parameter.name}[{i}]" for i in range(count - len(names))]
      elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        names.append(parameter.name)
    names += [f"args[{i}]" for i in range(len(names), count)]
    return tuple(name for i, name in enumerate(names[:count]) if i not in self.static_positions)

  def put_together(self, call: Call, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for the function: those of the call with other arrays."""
    positional, keyword = call.tree.build(arrays)
    rest = iter(positional)
    statics = dict(call.statics)
    count = len(positional) + sum(isinstance(where, int) for where in statics)
    args = tuple(statics[i] if i in statics else next(rest) for i in range(count))
    return args, {**keyword, **{name: a for name, a in statics.items() if isinstance(name, str)}}


@dataclasses.dataclass(frozen=True)
class Program:
  """A function as StableHLO, with the way in and the way out."""

  signature: Signature
  call: Call
  text: str
  arguments: tuple[Leaf, ...]
  results: tuple[Leaf, ...]
  result_tree: Tree
  platform: str  # What it was lowered for.

  @property
  def name(self) -> str:
    return self.signature.name

  def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The call, passed by position and by name as the planned one was. Raises ArgumentMismatch if it is another."""
    call = self.signature.take_apart(*self.signature.arranged(args, kwargs, self.call.positional))
    self._check(call)
    return call

  def _check(self, call: Call) -> None:
    if call.tree.treedef != self.call.tree.treedef:
      raise errors.ArgumentMismatch(f"{self.name}: {self._other_arguments(call)}")
    for (where, now), (_, planned) in zip(call.statics, self.call.statics):
      if now != planned:
        raise errors.ArgumentMismatch(
          f"{self.name}: static argument {where!r} is {now!r}, and it was planned for {planned!r}"
        )
    if len(call.statics) != len(self.call.statics):
      raise errors.ArgumentMismatch(
        f"{self.name}: {len(call.statics)} static arguments, and it was planned for {len(self.call.statics)}"
      )
    for position, planned in self.call.tree.constants.items():
      if position not in call.tree.constants or not _same(call.tree.constants[position], planned):
        raise errors.ArgumentMismatch(
          f"{self.name}: an argument is not the constant {planned!r} that it was planned for"
        )
    if call.tree.constants.keys() != self.call.tree.constants.keys():
      raise errors.ArgumentMismatch(f"{self.name}: {self._other_arguments(call)}")
    for leaf, array in zip(self.arguments, call.arrays, strict=True):
      if isinstance(array, jax.Array) and array.shape == leaf.shape and array.dtype == leaf.dtype:
        continue  # Nearly always, and a step has many.
      shape, dtype, _ = _type_of(abstract(array))
      if shape != leaf.shape or dtype != leaf.dtype:
        now = Leaf(leaf.path, shape, dtype)
        raise errors.ArgumentMismatch(f"{self.name}: {leaf.path} is {now}, and it was planned for {leaf}")

  def _other_arguments(self, call: Call) -> str:
    """What sets the arguments apart from those that were planned."""
    extra = [path for path in call.paths if path not in self.call.paths]
    missing = [path for path in self.call.paths if path not in call.paths]
    words = [f"{', '.join(paths[:3])} {which}" for paths, which in ((missing, "missing"), (extra, "too many")) if paths]
    return (
      f"{'; '.join(words) or 'laid out otherwise'}; arguments are {call.tree.treedef}, "
      f"and it was planned for {self.call.tree.treedef}"
    )


def trace(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], mesh: Any, platform: str) -> Program:
  """Traces and lowers; nothing is run and nothing allocated."""
  call = signature.take_apart(args, kwargs)
  outcome: list[Tree] = []
  changed: list[str] = []
  wrapper = _wrapper(signature, call, outcome, changed)
  traced = _traced(wrapper, signature, call, mesh)
  _warn_of_changes(signature, changed)
  with _lowering(signature):
    lowered = traced.lower(lowering_platforms=(platform,))
    text = _located(lowered.as_text(debug_info=True), signature.function)
  donated = [info.donated for info in jax.tree.leaves(lowered.args_info)]
  arguments = tuple(
    Leaf(path, tuple(array.shape), array.dtype, flag, stated=stated)
    for path, array, flag, stated in zip(
      call.paths, map(abstract, call.arrays), donated, _jitted_with_shardings(traced), strict=True
    )
  )
  results = tuple(
    Leaf("result" + keystr(path), tuple(info.shape), info.dtype, weak_type=weak_type(aval))
    for (path, info), aval in zip(tree_flatten_with_path(lowered.out_info)[0], traced.jaxpr.out_avals, strict=True)
  )
  return Program(signature, call, text, arguments, results, outcome[0], platform)


_CUSTOM_CALL = re.compile(r"custom_call @([\w.$]+)")


def foreign_calls(program: Program, mesh: Any, platform: str) -> list[str]:
  """Kernels that the program calls and that the same function would not call on `platform`. The rest of a program is
  not for one platform alone."""
  calls = dict.fromkeys(_CUSTOM_CALL.findall(program.text))
  if not calls or platform == program.platform:
    return []
  args, kwargs = program.signature.put_together(program.call, program.call.arrays)
  try:
    there = _CUSTOM_CALL.findall(trace(program.signature, args, kwargs, mesh, platform).text)
  except errors.TraceError:  # It has no form there.
    there = []
  return [name for name in calls if name not in there]


# `loc("model.py":12:3 to :17)`. Quotes and what is not printable are escaped in names.
_FILE_LOCATION = re.compile(r'loc\("((?:[^"\\\n]|\\.)*)":\d+:\d+(?: to \d*:\d+)?\)')


def _located(text: str, function: Callable[..., Any]) -> str:
  """The text with one spelling of each source path, and with what JAX locates here (arrays that the function closes
  over) located at the function."""
  here, there = _quoted(__file__), _definition(function)
  canonical = jax.config.jax_hlo_source_file_canonicalization_regex  # Who sets it says how paths are spelled.

  def spelled(match: re.Match[str]) -> str:
    name = match[1]
    if name == here:
      return there
    # A script that a launcher runs (`python -m cProfile train.py`) is known by the path that was given.
    if canonical is None and not name.startswith("/") and os.path.exists(name):
      return match[0].replace(name, _quoted(os.path.abspath(name)), 1)
    return match[0]

  return _FILE_LOCATION.sub(spelled, text)


def _definition(function: Callable[..., Any]) -> str:
  """The location of the line where a function begins; an unknown one for what is not written in Python."""
  function = inspect.unwrap(function)
  while isinstance(function, functools.partial):
    function = inspect.unwrap(function.func)
  code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
  return f'loc("{_quoted(code.co_filename)}":{code.co_firstlineno}:1)' if code else "loc(unknown)"


def _quoted(name: str) -> str:
  """As MLIR writes it between quotes."""
  escaped = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in os.fsencode(name))
  return "".join(escaped).replace("\\5C", "\\\\")


def is_array(leaf: Any) -> bool:
  """What `jax.jit` would take as an array."""
  if isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex, jax.ShapeDtypeStruct)):
    return not isinstance(leaf, np.ndarray) or leaf.dtype != object
  return hasattr(leaf, "shape") and hasattr(leaf, "dtype") and not isinstance(leaf, type)


def _constants(tree: Any, leaves: Sequence[Any]) -> dict[int, Any]:
  """Leaves that are no arrays, by position. Numbers in an Equinox module are none: `inference` of a dropout is a
  Python bool that the module branches on, and `equinox.filter_jit` takes them so."""
  constants = {i: leaf for i, leaf in enumerate(leaves) if not is_array(leaf)}
  equinox = sys.modules.get("equinox")
  if equinox is None:
    return constants
  position = 0
  for node in jax.tree.leaves(tree, is_leaf=lambda node: isinstance(node, equinox.Module)):
    inside = len(jax.tree.leaves(node)) if isinstance(node, equinox.Module) else 1
    if isinstance(node, equinox.Module):
      numbers = enumerate(leaves[position : position + inside], position)
      constants |= {i: leaf for i, leaf in numbers if isinstance(leaf, (bool, int, float, complex))}
    position += inside
  return constants


def _check_hashable(what: str, value: Any) -> None:
  try:
    hash(value)
  except TypeError as error:
    raise errors.ArgumentMismatch(f"{what} is {value!r}, which cannot be hashed") from error


def abstract(leaf: Any) -> jax.ShapeDtypeStruct:
  """Shape and dtype alone: where an array lies now is no part of the program."""
  if isinstance(leaf, (bool, int, float, complex)):
    return jax.ShapeDtypeStruct(
      (), jax.dtypes.canonicalize_dtype(np.result_type(leaf)), weak_type=not isinstance(leaf, bool)
    )
  dtype = leaf.dtype
  if not jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
    dtype = jax.dtypes.canonicalize_dtype(dtype)
  return jax.ShapeDtypeStruct(leaf.shape, dtype, weak_type=weak_type(leaf))


def weak_type(leaf: Any) -> bool:
  return bool(getattr(leaf, "weak_type", False))


def _type_of(leaf: Any) -> tuple[tuple[int, ...], Any, bool]:
  array = leaf if isinstance(leaf, (jax.Array, jax.ShapeDtypeStruct)) else abstract(leaf)
  return tuple(array.shape), array.dtype, weak_type(array)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
  try:
    return list(inspect.signature(function).parameters.values())
  except (TypeError, ValueError):
    return []


def _path_text(path: Sequence[Any], names: Sequence[str]) -> str:
  """`state['params']['w']`, as JAX names arguments."""
  where, inside = path[0].idx, path[1]
  return (names[inside.idx] if where == 0 else inside.key) + keystr(tuple(path[2:]))


def _same(a: Any, b: Any) -> bool:
  try:
    return a is b or bool(a == b)
  except Exception:  # A comparison that makes no truth value is no equality.
    return False


def _wrapper(signature: Signature, call: Call, outcome: list[Tree], changed: list[str]) -> Callable[..., Any]:
  """The function of the arrays alone. Constants among its results are left out and kept in `outcome`; paths of what it
  changes in place and does not return in `changed`."""

  def wrapper(*args: Any, **kwargs: Any) -> Any:
    arrays = jax.tree.leaves((args, kwargs))
    real_args, real_kwargs = signature.put_together(call, arrays)
    result = signature.function(*real_args, **real_kwargs)
    leaves, treedef = tree_flatten(result)
    changed[:] = _changed(call, arrays, signature.take_apart(real_args, real_kwargs), leaves)
    outcome[:] = [Tree(treedef, _constants(result, leaves))]
    return outcome[0].build([leaves[i] for i in outcome[0].array_positions], lambda value: None)

  wrapper.__name__ = wrapper.__qualname__ = signature.name
  kept = [p for i, p in enumerate(signature.parameters) if not _is_static(signature, i, p)]
  if kept:
    # JAX names arguments after it.
    wrapper.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
  return wrapper


_ATTRIBUTE = re.compile(r"\.\w+$")


def _changed(call: Call, arrays: Sequence[Any], after: Call, returned: Sequence[Any]) -> list[str]:
  """Of attributes, as those of a flax nnx module: dicts and lists are the function's own, made for it from leaves."""
  if after.tree.treedef != call.tree.treedef or len(after.arrays) != len(arrays):
    return []
  known = set(map(id, returned))
  pairs = zip(call.paths, arrays, after.arrays, strict=True)
  return [path for path, old, new in pairs if new is not old and id(new) not in known and _ATTRIBUTE.search(path)]


def _warn_of_changes(signature: Signature, changed: Sequence[str]) -> None:
  if not changed:
    return
  more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
  warnings.warn(
    f"{signature.name} changes {changed[0]}{more} in place and does not return it: a planned step, as one of jax.jit, "
    "changes nothing. Return what changes; of a flax nnx module that is nnx.state(model)",
    stacklevel=5,
  )


def _is_static(signature: Signature, position: int, parameter: inspect.Parameter) -> bool:
  positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
  return parameter.name in signature.static_names or (positional and position in signature.static_positions)


def _traced(wrapper: Callable[..., Any], signature: Signature, call: Call, mesh: Any) -> Any:
  args, kwargs = call.tree.build([abstract(a) for a in call.arrays], lambda value: None)
  donated = [i for i in range(len(args)) if _original_position(signature, i) in signature.donated_positions]
  names = [name for name in kwargs if name in signature.donated_names]
  if not donated and not names and not call.tree.constants:
    with _lowering(signature):
      donated = _donated_already(signature, call)
  jitted = jax.jit(wrapper, donate_argnums=donated, donate_argnames=names, keep_unused=True)
  with _lowering(signature):
    try:
      with _automatic_context():
        return jitted.trace(*args, **kwargs)
    except Exception as first:
      # A function that names mesh axes without a mesh (`PartitionSpec` constraints) means this one.
      try:
        with jax.sharding.use_abstract_mesh(mesh):
          return jitted.trace(*args, **kwargs)
      except Exception:
        raise first from None


def _jitted_with_shardings(traced: Any) -> list[bool]:
  """Of each array that is passed: whether a function that `jax.jit` made has a sharding for it, and nothing else uses
  it. JAX lowers that to a constraint inside, as if the function had stated it of what it makes of the array."""
  jaxpr = traced.jaxpr.jaxpr
  uses: dict[int, list[bool]] = {id(variable): [] for variable in jaxpr.invars}
  for equation in jaxpr.eqns:
    stated = equation.params["in_shardings"] if equation.primitive.name == "jit" else [None] * len(equation.invars)
    for variable, sharding in zip(equation.invars, stated, strict=True):
      uses.get(id(variable), []).append(isinstance(sharding, jax.sharding.Sharding))
  return [uses[id(variable)] == [True] for variable in jaxpr.invars]


def _donated_already(signature: Signature, call: Call) -> list[int]:
  """Positions, among those that are not static, that a function made by `jax.jit` donates."""
  if not hasattr(signature.function, "trace"):
    return []
  args, kwargs = signature.put_together(call, [abstract(a) for a in call.arrays])
  traced = signature.function.trace(*args, **kwargs)
  if not hasattr(traced, "args_info"):  # Other libraries have a jit and a trace of their own, as flax nnx.
    return []
  infos = traced.args_info[0]
  leaves = [jax.tree.leaves(info) for info in infos]
  return [i for i, inside in enumerate(leaves) if inside and all(info.donated for info in inside)]


def _original_position(signature: Signature, position: int) -> int:
  """Of an argument that is not static: where it stands among all."""
  for static in sorted(signature.static_positions):
    if static <= position:
      position += 1
  return position


@contextlib.contextmanager
def _automatic_context() -> Iterator[None]:
  """Where a mesh with explicit axes is set, tracing under it would state a sharding for every value."""
  now = jax.sharding.get_abstract_mesh()
  if now.empty or all(kind == jax.sharding.AxisType.Auto for kind in now.axis_types):
    yield
    return
  automatic = (jax.sharding.AxisType.Auto,) * len(now.axis_names)
  with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh(now.axis_sizes, now.axis_names, axis_types=automatic)):
    yield


@contextlib.contextmanager
def _lowering(signature: Signature) -> Iterator[None]:
  try:
    yield
  except Exception as error:
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    # JAX names the argument in a later line, where it can.
    depends = re.search(r"depends on the values? of the arguments? [^\n]*", str(error))
    where = f" ({depends[0].rstrip('. ')})" if depends and depends[0] not in lines[0] else ""
    raise errors.TraceError(f"{signature.name} does not trace: {type(error).__name__}: {lines[0]}{where}") from error

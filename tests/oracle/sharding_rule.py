"""Sharding rules in Shardy's notation: parsing them, and naming how two of them differ.

`([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}`
"""

import dataclasses
import math
import re

KINDS = ("reduction", "need_replication", "permutation")


@dataclasses.dataclass(frozen=True)
class Rule:
  tensors: tuple  # Operands then results; a tensor is a tuple of dims, a dim a tuple of factor names.
  operands: int  # How many of the tensors are operands.
  sizes: dict  # Factor name -> size.
  kinds: dict  # Factor name -> kind; those that are not in it are parallel.

  def kind(self, factor):
    return self.kinds.get(factor, "parallel")


def _tensors(text):
  """`([i, jk], [])` -> ((("i",), ("j", "k")), ())."""
  dims = lambda tensor: tuple(tuple(re.findall(r"[a-z](?:_\d+)?", dim)) for dim in tensor.split(","))
  return tuple(dims(tensor) if tensor else () for tensor in re.findall(r"\[([^\]]*)\]", text))


def parse(text):
  text = text.strip().removeprefix("#sdy.op_sharding_rule").strip("<>").removesuffix(", custom")
  whole = re.fullmatch(r"(\(.*\))->(\([^)]*\))(?: \{([^}]*)\})?((?: \w+=\{[^}]*\})*)", text)
  assert whole, f"not a sharding rule: {text}"
  operands, results = _tensors(whole[1]), _tensors(whole[2])
  sizes = dict(re.findall(r"(\w+)=(\d+)", whole[3] or ""))
  listed = dict(re.findall(r"(\w+)=\{([^}]*)\}", whole[4]))
  kinds = {factor: kind for kind in KINDS for factor in re.findall(r"\w+", listed.get(kind, ""))}
  return Rule(operands + results, len(operands), {f: int(s) for f, s in sizes.items()}, kinds)


def _placed(rule):
  """What each factor says, free of its name: (places, size, kind) -> the dims it stands in.

  A place is (tensor, dim, how many factors stand before it). A factor of size 1 cannot be split and joins nothing, so
  whether it is there and of which kind has no meaning; it is left out.
  """
  places = {}
  for t, tensor in enumerate(rule.tensors):
    for d, dim in enumerate(tensor):
      for n, factor in enumerate(f for f in dim if rule.sizes[f] != 1):
        places.setdefault(factor, []).append((t, d, n))
  return {(tuple(p), rule.sizes[f], rule.kind(f)): {place[:2] for place in p} for f, p in places.items()}


def _misfits(ours, theirs):
  """The dims whose size is not the product of their factors in `theirs`; ours always fit (R1)."""
  size = lambda rule, dim: math.prod(rule.sizes[factor] for factor in dim)
  dims = lambda rule: {(t, d): dim for t, tensor in enumerate(rule.tensors) for d, dim in enumerate(tensor)}
  mine, other = dims(ours), dims(theirs)
  return {at for at in mine if size(ours, mine[at]) != size(theirs, other[at])}


def differences(ours, theirs):
  """How two rules of one op differ: `theirs>ours` -> the dims, as (tensor, dim). Empty if only names of factors differ.

  `permutation>need_replication`: in some dim they have a permutation factor where we have a blocked one.
  `need_replication>need_replication`: blocked on both sides, but tied to other dims.
  `permutation misfit`: they have a permutation factor whose size is not that of the dim.
  `misfit, parallel>parallel`: beside a misfit, other factors of the same op differ too.
  """
  assert ours.operands == theirs.operands
  assert [len(t) for t in ours.tensors] == [len(t) for t in theirs.tensors]
  mine, other = _placed(ours), _placed(theirs)
  only_mine = {key: dims for key, dims in mine.items() if key not in other}
  only_other = {key: dims for key, dims in other.items() if key not in mine}
  misfits = _misfits(ours, theirs)
  # A factor with one misfit explains what is different in all the dims it stands in.
  explained = set(misfits)
  found = {}
  for (_, _, kind), dims in only_other.items():
    if dims & misfits:
      explained |= dims
      found.setdefault(f"{kind} misfit", set()).update(dims)
  for dim in set().union(*only_mine.values(), *only_other.values()) - explained:
    left = {kind for (_, _, kind), dims in only_other.items() if dim in dims} or {"nothing"}
    right = {kind for (_, _, kind), dims in only_mine.items() if dim in dims} or {"nothing"}
    for kind in (("misfit, " if misfits else "") + f"{a}>{b}" for a in left for b in right):
      found.setdefault(kind, set()).add(dim)
  return found

"""Plans as people like to see them."""

from __future__ import annotations

import html as html_escape
import itertools
import re
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

from shardwright._src import errors
from shardwright._src.estimate import bytes_text, seconds_text
from shardwright._src.saved import SavedPlan

if TYPE_CHECKING:
  from shardwright._src.plan import Plan

# Arguments that differ in nothing but indices share a row; of the rest the largest are shown.
_MOST_ROWS = 12
_LIST_ALL = "plan.explain(rows=0) lists them"
# `layers[3]` and `['Block_3']` are one of many; the number in `w1` is part of a name.
_INDEX = re.compile(r"(?<![^\W_])\d+(?![^\W_])")

Rows = list[list[str]]


def text(plan: Plan) -> str:
  """Several lines; what `print(plan)` shows."""
  parts = [f"Plan of {plan._program.name} for {plan._mesh.text} on {plan.device}", *_indented(_summary(plan))]
  parts += ["", "what each axis splits", *_table(_axes(plan))]
  collectives = _collectives(plan)
  if collectives:
    parts += ["", "communication in one step", *_table(collectives)]
  rows, left = _arguments(plan)
  parts += ["", "arguments", *_table(rows)]
  if left:
    parts.append(f"  … and {left} more ({_LIST_ALL})")
  return "\n".join(parts)


def html(plan: Plan) -> str:
  """The same as HTML, for notebooks."""
  rows, left = _arguments(plan)
  more = [f"<div>… and {left} more ({_LIST_ALL})</div>"] if left else []
  return "".join(
    [
      '<div style="font-family: sans-serif">',
      f"<b>Plan of {_e(plan._program.name)} for {_e(plan._mesh.text)} on {_e(plan.device)}</b>",
      *(f"<div>{_e(line)}</div>" for line in _summary(plan)),
      _html_table("what each axis splits", _axes(plan)),
      _html_table("communication in one step", _collectives(plan)),
      _html_table("arguments", rows),
      *more,
      "</div>",
    ]
  )


def diff(a: Plan, b: Union[Plan, SavedPlan]) -> str:
  """Lines with what differs; a sentence where nothing does. Raises OtherProgram where there is nothing to compare."""
  here, there = _as_saved(a), _as_saved(b)
  _check_comparable(here, there)
  parts = [*_mesh_difference(a, b), *_spec_differences(a, b)]
  parts = [*_program_difference(here, there), *(parts or ["every argument lies alike"])]
  if hasattr(b, "estimate"):
    parts += ["", "estimate", *_table(_estimate_rows(a, b))]
  return "\n".join(parts)


def _summary(plan: Plan) -> list[str]:
  estimate = plan.estimate
  memory = f"{bytes_text(estimate.peak_bytes)} of {bytes_text(estimate.limit_bytes)} on each device"
  return [
    f"step    {seconds_text(estimate.step_seconds)}: compute {seconds_text(estimate.compute_seconds)}, "
    f"waiting for communication {seconds_text(estimate.exposed_communication_seconds)}",
    f"memory  {memory}" + ("" if estimate.fits else ": DOES NOT FIT"),
    *([f"search  {_search(plan)}"] if plan.report["searches"] else []),
  ]


def _search(plan: Plan) -> str:
  search = plan.report["search"]
  count, seconds = search["evaluations"], search["seconds"]
  return f"{search['algorithm']}, {count} evaluations in {seconds:.2f} s, stopped by {search['stopped_by']}"


def _axes(plan: Plan) -> Rows:
  return [[axis, ", then ".join(classes) or "nothing"] for axis, classes in plan.report["plan"].items()]


def _collectives(plan: Plan) -> Rows:
  all_kinds = plan.estimate.collectives.items()
  return [[kind, f"{c.count:g} x", bytes_text(c.bytes), seconds_text(c.seconds)] for kind, c in all_kinds if c.count]


def _arguments(plan: Plan) -> tuple[Rows, int]:
  """The largest groups of arguments that are alike, and how many groups are left."""
  groups: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
  for leaf, argument in zip(plan._program.arguments, plan.report["arguments"], strict=True):
    key = (_INDEX.sub("*", leaf.path), str(leaf), argument["spec"])
    groups.setdefault(key, []).append((leaf.path, argument["bytes"]))
  sizes = {key: sum(size for _, size in group) for key, group in groups.items()}
  rows = []
  for key in sorted(groups, key=lambda key: -sizes[key])[:_MOST_ROWS]:
    _, *rest = key
    group = groups[key]
    rows.append([f"{len(group)} x", _together([path for path, _ in group]), *rest, bytes_text(sizes[key])])
  return rows, max(0, len(groups) - _MOST_ROWS)


def _together(paths: list[str]) -> str:
  """Paths that differ in indices alone, with a star where they do: "['Block_*']['Dense_0']"."""
  between = _INDEX.split(paths[0])
  numbers = ["*" if len(set(column)) > 1 else column[0] for column in zip(*map(_INDEX.findall, paths))]
  return "".join(text + number for text, number in itertools.zip_longest(between, numbers, fillvalue=""))


def _check_comparable(a: SavedPlan, b: SavedPlan) -> None:
  here, there = _types(a), _types(b)
  others = [f"{path} is only in the first" for path in here if path not in there]
  others += [f"{path} is only in the second" for path in there if path not in here]
  others += [
    f"{path} is {here[path]} in the first and {there[path]} in the second"
    for path in here
    if path in there and here[path] != there[path]
  ]
  if others:
    raise errors.OtherProgram(
      f"these are plans of different programs, {_program_text(a)} and {_program_text(b)}: {others[0]}"
    )


def _as_saved(plan: Union[Plan, SavedPlan]) -> SavedPlan:
  if isinstance(plan, SavedPlan):
    return plan
  if not hasattr(plan, "plan_json"):
    raise errors.PlanError(f"`diff` compares with a sw.Plan or what sw.load gives, not with {plan!r}")
  return SavedPlan(plan.plan_json, plan._program.name)


def _types(plan: SavedPlan) -> dict[str, str]:
  return {a["path"]: f"{a['dtype']}[{','.join(map(str, a['shape']))}]" for a in plan.arguments}


def _program_text(plan: SavedPlan) -> str:
  """ "train_step (4 arguments, 57 ops)"; a plan from a file is known by the file."""
  count = len(plan.arguments)
  return f"{plan.name} ({count} argument{'' if count == 1 else 's'}, {plan.program.get('ops')} ops)"


def _program_difference(a: SavedPlan, b: SavedPlan) -> list[str]:
  if a.program == b.program:
    return []
  return [f"the programs differ inside: {_program_text(a)} here, {_program_text(b)} there"]


def _mesh_difference(a: Plan, b: Union[Plan, SavedPlan]) -> list[str]:
  axes = b.mesh if isinstance(b.mesh, dict) else dict(b.mesh.shape)
  return [] if axes == a._mesh.axes else [f"mesh: {a._mesh.axes} here, {axes} there"]


def _specs(plan: Union[Plan, SavedPlan]) -> dict[str, str]:
  arguments: Iterable[dict[str, Any]] = plan.arguments if hasattr(plan, "arguments") else plan.report["arguments"]
  return {argument["path"]: argument["spec"] for argument in arguments}


def _spec_differences(a: Plan, b: Union[Plan, SavedPlan]) -> list[str]:
  here, there = _specs(a), _specs(b)
  rows = [[path, here[path], "->", there[path]] for path in here if here[path] != there[path]]
  return [f"{len(rows)} of {len(here)} arguments lie elsewhere", *_table(rows)] if rows else []


def _estimate_rows(a: Plan, b: Any) -> Rows:
  x, y = a.estimate, b.estimate
  rows = [
    ["step", seconds_text(x.step_seconds), "->", seconds_text(y.step_seconds)],
    ["memory", bytes_text(x.peak_bytes), "->", bytes_text(y.peak_bytes)],
  ]
  for kind, one in x.collectives.items():
    other = y.collectives[kind]
    if one != other:
      rows.append(
        [kind, f"{one.count:g} x, {bytes_text(one.bytes)}", "->", f"{other.count:g} x, {bytes_text(other.bytes)}"]
      )
  return rows


def _indented(lines: Iterable[str]) -> list[str]:
  return [f"  {line}" for line in lines]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
  widths = [max(map(len, column)) for column in zip(*rows)]
  return _indented("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _html_table(title: str, rows: Rows) -> str:
  if not rows:
    return ""
  cells = ("".join(f'<td style="text-align: left">{_e(cell)}</td>' for cell in row) for row in rows)
  return f"<div><i>{_e(title)}</i></div><table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


def _e(value: str) -> str:
  return html_escape.escape(value)

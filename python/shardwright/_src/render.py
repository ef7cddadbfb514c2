"""Plans as people like to see them."""

from __future__ import annotations

import html as html_escape
import re
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union

from shardwright._src.estimate import bytes_text, seconds_text

if TYPE_CHECKING:
  from shardwright._src.plan import Plan
  from shardwright._src.saved import SavedPlan

# Arguments that differ in nothing but indices share a row; of the rest the largest are shown.
_MOST_ROWS = 12

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
    parts.append(f"  … and {left} more")
  return "\n".join(parts)


def html(plan: Plan) -> str:
  """The same as HTML, for notebooks."""
  rows, left = _arguments(plan)
  more = [f"<div>… and {left} more</div>"] if left else []
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
  """Lines with what differs; a sentence where nothing does."""
  parts = [*_mesh_difference(a, b), *_spec_differences(a, b)]
  if not parts:
    parts = ["every argument lies alike"]
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
  groups: dict[tuple[str, str, str], list[int]] = {}
  for leaf, argument in zip(plan._program.arguments, plan.report["arguments"], strict=True):
    key = (re.sub(r"\[\d+\]", "[*]", leaf.path), str(leaf), argument["spec"])
    groups.setdefault(key, []).append(argument["bytes"])
  ordered = sorted(groups.items(), key=lambda item: -sum(item[1]))
  rows = [[f"{len(sizes)} x", *key, bytes_text(sum(sizes))] for key, sizes in ordered[:_MOST_ROWS]]
  return rows, max(0, len(ordered) - _MOST_ROWS)


def _mesh_difference(a: Plan, b: Union[Plan, SavedPlan]) -> list[str]:
  axes = b.mesh if isinstance(b.mesh, dict) else dict(b.mesh.shape)
  return [] if axes == a._mesh.axes else [f"mesh: {a._mesh.axes} here, {axes} there"]


def _specs(plan: Union[Plan, SavedPlan]) -> dict[str, str]:
  arguments: Iterable[dict[str, Any]] = plan.arguments if hasattr(plan, "arguments") else plan.report["arguments"]
  return {argument["path"]: argument["spec"] for argument in arguments}


def _spec_differences(a: Plan, b: Union[Plan, SavedPlan]) -> list[str]:
  here, there = _specs(a), _specs(b)
  paths = [*here, *(path for path in there if path not in here)]
  rows = [
    [path, here.get(path, "not here"), "->", there.get(path, "not there")]
    for path in paths
    if here.get(path) != there.get(path)
  ]
  return [f"{len(rows)} of {len(paths)} arguments lie elsewhere", *_table(rows)] if rows else []


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

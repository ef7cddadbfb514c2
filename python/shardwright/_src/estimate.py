"""What a plan costs, in parts with units."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Collective:
  """All collectives of one kind in one step: bytes and seconds are those of one device.

  >>> plan.estimate.collectives["all_gather"]
  Collective(count=0.0, bytes=0.0, seconds=0.0)
  """

  count: float
  bytes: float
  seconds: float


@dataclasses.dataclass(frozen=True)
class Estimate:
  """What one step costs on one device.

  >>> plan.estimate.fits, plan.estimate.peak_bytes < plan.estimate.limit_bytes
  (True, True)

  Attributes:
    step_seconds: from start to end: compute and exposed communication.
    compute_seconds: while kernels run.
    exposed_communication_seconds: while the device waits for communication.
    peak_bytes: the most memory in use at any time.
    limit_bytes: the memory that there is.
    fits: whether the peak keeps to the limit.
    collectives: by kind: all_reduce, all_gather, reduce_scatter, all_to_all, collective_permute.
    details: everything that `shardwright estimate --json` gives.
  """

  step_seconds: float
  compute_seconds: float
  exposed_communication_seconds: float
  peak_bytes: int
  limit_bytes: int
  fits: bool
  collectives: dict[str, Collective]
  details: dict[str, Any] = dataclasses.field(repr=False)

  @classmethod
  def from_report(cls, report: dict[str, Any]) -> Estimate:
    collectives = {
      kind: Collective(float(c["count"]), c["bytes"], c["seconds"]) for kind, c in report["collectives"].items()
    }
    numbers = {field: report[field] for field in _NUMBERS}
    return cls(**numbers, collectives=collectives, details=report)


_NUMBERS = ("step_seconds", "compute_seconds", "exposed_communication_seconds", "peak_bytes", "limit_bytes", "fits")


def seconds_text(seconds: float) -> str:
  """ "3.1 ms"."""
  for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
    if seconds >= size:
      return f"{seconds / size:.3g} {unit}"
  return "0 s" if seconds == 0 else f"{seconds / 1e-9:.3g} ns"


def bytes_text(count: float) -> str:
  """ "1.5 GB"."""
  for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
    if abs(count) >= size:
      return f"{count / size:.3g} {unit}"
  return f"{count:.0f} B"

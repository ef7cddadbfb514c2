"""From measurements to a device profile. docs/reference/devices.md describes the format."""

import copy
import json
import math
import pathlib
import statistics

DEVICES = pathlib.Path(__file__).resolve().parent.parent.parent / "devices"

# What JAX calls a kind of device -> the profile that describes it. The first match counts.
KNOWN_KINDS = [
  ("A100-SXM4-40GB", "a100-40"),
  ("A100-SXM4-80GB", "a100-80"),
  ("P100", "p100"),
  ("V100", "v100"),
  ("H100", "h100"),
  ("H200", "h200"),
  ("B200", "b200"),
  ("TPU v3", "tpu-v3"),
  ("TPU v4", "tpu-v4"),
  ("TPU v5 lite", "tpu-v5e"),
  ("TPU v5", "tpu-v5p"),
  ("TPU v6", "tpu-v6e"),
  ("cpu", "host-cpu"),
]


def base_profile(kind, path=None):
  """The profile at `path`, or the known one for this kind of device, or None."""
  if path is None:
    name = next((name for text, name in KNOWN_KINDS if text in kind), None)
    path = name and DEVICES / f"{name}.json"
  return json.loads(pathlib.Path(path).read_text()) if path else None


def bare_profile(flavor):
  """For a kind of device nobody has described: to be filled by measurement."""
  unknown = lambda value: {"value": value, "source": "assumption: not measured"}
  rate = lambda: {"flops_per_second": unknown(1e9), "efficiency": unknown(1)}
  link = {"bytes_per_second": unknown(1e9), "efficiency": unknown(1), "latency_seconds": unknown(1e-5)}
  return {
    "name": "measured",
    "title": "measured",
    "flavor": flavor,
    "memory": {"capacity_bytes": unknown(2**34), "reserved_bytes": unknown(0), "bytes_per_second": unknown(1e10)}
    | {"efficiency": unknown(1)},
    "matmul": {name: rate() for name in ("f64", "f32", "f32_highest", "f16", "bf16", "f8", "i8")},
    "vector": rate(),
    "launch_overhead_seconds": unknown(1e-6),
    "links": [{"kind": "host"} | link | {"overhead_seconds": unknown(1e-5)}],
  }


class Profile:
  """A profile being filled. `source` says who measured; a datasheet's peak stays, and what was measured becomes its
  efficiency, unless it is more than the peak."""

  def __init__(self, base, source):
    self.json = copy.deepcopy(base)
    self.source = source

  def number(self, value):
    return {"value": float(f"{value:.4g}"), "source": self.source}

  def rate(self, entry, key, measured):
    """Sets entry[key] and entry["efficiency"] so that their product is what was measured."""
    peak = entry[key]
    if peak["source"].startswith("assumption") or not 0.05 <= measured / peak["value"] <= 1:
      entry[key] = self.number(measured)
      entry["efficiency"] = {"value": 1, "source": self.source + "; the rate beside it is what was reached"}
    else:
      entry["efficiency"] = self.number(measured / peak["value"])

  def memory(self, rates, cached):
    """`rates`: bytes per second by the bytes that a kernel moves. If the least are `cached`, those that are faster than
    the geometric mean of the fastest and the slowest are; what is left is the memory's."""
    entry = self.json["memory"]
    limit = math.sqrt(max(rates.values()) * min(rates.values())) if cached else math.inf
    inside = {size: rate for size, rate in rates.items() if rate > limit}
    outside = [rate for size, rate in rates.items() if size > max(inside, default=0)]
    self.rate(entry, "bytes_per_second", statistics.median(outside) if cached else max(outside))
    if inside:
      entry["cache_bytes"] = self.number(max(inside))
      entry["cache_bytes_per_second"] = self.number(statistics.median(inside.values()))

  def fallback(self, name, other):
    """Matmuls of a class that does not run here are taken to run as another one."""
    entry = copy.deepcopy(self.json["matmul"][other])
    for number in entry.values():
      number["source"] = f"does not run here; taken to be {other}: " + number["source"]
    self.json["matmul"][name] = entry

  def link(self, overhead, latency, bandwidth):
    """Of the innermost link, over which all devices at hand are taken to be joined."""
    entry = self.json["links"][0]
    self.rate(entry, "bytes_per_second", bandwidth)
    entry["latency_seconds"] = self.number(latency)
    entry["overhead_seconds"] = self.number(overhead)

  def text(self):
    return json.dumps(self.json, indent=1, ensure_ascii=False) + "\n"

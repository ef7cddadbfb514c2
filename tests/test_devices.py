"""Device profiles, and `calibrate`, which measures one."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

DEVICES = sorted((ROOT / "devices").glob("*.json"))
MLP = ROOT / "tests" / "data" / "models" / "mlp.mlir"


def numbers(value, path=""):
  """Every {"value", "source"} of a profile, with the way to it."""
  if isinstance(value, dict) and "value" in value:
    yield path, value
  elif isinstance(value, (dict, list)):
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
      yield from numbers(child, f"{path}/{key}")


@pytest.mark.parametrize("path", DEVICES, ids=lambda p: p.stem)
def test_every_number_has_a_source(path):
  profile = json.loads(path.read_text())
  found = dict(numbers(profile))
  assert len(found) >= 25
  for where, number in found.items():
    assert len(number["source"]) > 10, where
    assert "http" not in number["source"], f"{where}: sources are titles, not addresses"


@pytest.mark.parametrize("path", DEVICES, ids=lambda p: p.stem)
def test_built_in_profiles_are_those_of_the_folder(path, shardwright):
  """The name and the file give the same answer."""
  run = lambda device: json.loads(shardwright.ok("estimate", MLP, "--mesh", "data=4", "--device", device, "--json"))
  assert run(path.stem) == run(path)


def test_a_name_may_be_in_any_case(shardwright):
  assert "h100 (" in shardwright.ok("estimate", MLP, "--mesh", "data=4", "--device", "H100")


def test_unknown_device_lists_the_known(shardwright):
  done = shardwright("estimate", MLP, "--mesh", "data=4", "--device", "h20")
  assert done.returncode == 1
  for path in DEVICES:
    assert path.stem in done.stderr


def test_a_bad_profile_names_file_and_key(shardwright, tmp_path):
  profile = json.loads((ROOT / "devices" / "h100.json").read_text())
  profile["memory"]["efficiency"]["value"] = 12
  bad = tmp_path / "bad.json"
  bad.write_text(json.dumps(profile))
  done = shardwright("estimate", MLP, "--mesh", "data=4", "--device", bad)
  assert done.returncode == 1
  assert done.stderr == f"{bad}: error: `memory.efficiency.value` is 12; expected 0.001 to 1\n"


def calibrate(command, output, devices):
  flags = f"--xla_force_host_platform_device_count={devices}"
  environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags, "PYTHON": sys.executable}
  done = subprocess.run([*command, "--quick", "--name", "here", "-o", str(output)], env=environment,
                        capture_output=True, text=True, timeout=600)
  assert done.returncode == 0, done.stderr
  return json.loads(output.read_text())


@pytest.mark.parametrize("devices", [1, 4])
def test_calibrate_writes_a_profile_that_estimate_reads(shardwright, tmp_path, devices):
  output = tmp_path / "here.json"
  profile = calibrate([shardwright.path, "calibrate"], output, devices)
  assert profile["name"] == "here" and profile["flavor"] == "cpu"
  assert profile["matmul"]["f32"]["flops_per_second"]["source"].startswith("measured")
  measured = profile["links"][0]["bytes_per_second"]["source"].startswith("measured")
  assert measured == (devices > 1)
  report = shardwright.ok("estimate", MLP, "--mesh", "data=4", "--device", output, "--json")
  assert json.loads(report)["step_seconds"] > 0


def filled_memory(rates, cached):
  sys.path.insert(0, str(ROOT / "tools"))
  try:
    from calibrate import profile
  finally:
    sys.path.pop(0)
  made = profile.Profile(profile.bare_profile("cpu"), "measured")
  made.memory(rates, cached)
  return {key: number["value"] for key, number in made.json["memory"].items()}


def test_what_fits_into_caches_is_measured_apart():
  memory = filled_memory({2e5: 9e9, 1e6: 8e9, 4e6: 7e9, 2e7: 2e9, 1e8: 1e9}, cached=True)
  assert (memory["cache_bytes"], memory["cache_bytes_per_second"]) == (4e6, 8e9)
  assert memory["bytes_per_second"] == 1.5e9
  assert "cache_bytes" not in filled_memory({2e8: 3e12, 3e9: 4e12}, cached=False)
  assert "cache_bytes" not in filled_memory({2e5: 3e9, 1e8: 3e9}, cached=True), "all as fast as one another"


def test_calibrate_says_how_to_run_it_when_its_package_is_elsewhere(shardwright, tmp_path):
  binary = tmp_path / "shardwright"
  os.link(os.path.realpath(shardwright.path), binary) if os.stat(tmp_path).st_dev == os.stat(
    shardwright.path).st_dev else binary.write_bytes(open(shardwright.path, "rb").read())
  binary.chmod(0o755)
  done = subprocess.run([binary, "calibrate"], capture_output=True, text=True, timeout=60)
  assert done.returncode == 1
  assert "python -m calibrate" in done.stderr


def fitted(samples):
  sys.path.insert(0, str(ROOT / "tools"))
  try:
    from calibrate import collectives
  finally:
    sys.path.pop(0)
  return collectives.fit([collectives.Sample(*sample) for sample in samples])


def test_the_fit_finds_the_link_that_made_the_times():
  """Times made by rules C2 to C6 from 5 us, 2 us a hop and 10 GB/s."""
  overhead, latency, bandwidth = 5e-6, 2e-6, 1e10
  hops = {2: 1, 4: 3, 8: 6}
  samples = []
  for n in hops:
    for size in (1 << 12, 1 << 20, 1 << 26):
      gather = hops[n] * latency + size * (n - 1) / n / bandwidth
      samples += [("all_gather", n, size, overhead + gather), ("all_reduce", n, size, overhead + 2 * gather)]
      samples += [("collective_permute", n, size, overhead + latency + size / bandwidth)]
  assert fitted(samples) == pytest.approx((overhead, latency, bandwidth))


def test_the_fit_has_no_negative_parts():
  samples = [("all_gather", 2, size, 1e-6 + size * size * 1e-18) for size in (1 << 20, 1 << 24, 1 << 27)]
  overhead, latency, bandwidth = fitted(samples)
  assert overhead >= 0 and latency >= 0 and bandwidth > 0

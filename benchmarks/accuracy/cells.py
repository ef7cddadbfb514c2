"""Writes the programs that estimates are held against into build/accuracy: what one device runs, as `--emit local` gives it, and the
explicit program of 8 devices.

    python -m benchmarks.accuracy.cells                medium configurations, all strategies, meshes 8 and 2x4
    python -m benchmarks.accuracy.cells --small        the small variants
    python -m benchmarks.accuracy.cells --unseen 16    programs that no rule was fitted to, at this size
    python -m benchmarks.accuracy.cells --tpu          medium configurations, few strategies, as TPUs get them
    python -m benchmarks.accuracy.cells --most 60      the first 60, of all models in turn
    python -m benchmarks.accuracy.cells --estimates    estimates of what is there again

FOLDER/index.json lists them with the estimate of each plan for --device. Programs are packed text without locations. What is
there already is not made again.
"""

import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

from tests.spmd import strategies, tool, xla

from . import configs

FOLDER = tool.ROOT / "build" / "accuracy"
SMALL = tool.ROOT / "build" / "accuracy-small"
UNSEEN = tool.ROOT / "build" / "accuracy-unseen"
TPU = tool.ROOT / "build" / "accuracy-tpu"


def choice(cell):
  """The options that say how a program is split."""
  words = ["--mesh", tool.mesh_text(strategies.MESHES[cell["mesh"]])]
  return words + [word for tactic in cell["tactics"] for word in ("--tactic", tactic)]


def describe(config, strategy, mesh):
  name = f"{config.name}.{strategy}.{mesh}".replace(" + ", "+").replace(", ", "-").replace(" ", "-")
  tactics = config.tactics(strategy, strategies.MESHES[mesh])
  return {"name": name, "config": config.name, "model": config.model, "dtype": config.dtype or "float32",
          "strategy": strategy, "mesh": mesh, "tactics": tactics, "file": f"{name}.mlir.gz",
          "explicit": f"{name}.explicit.mlir.gz"}  # fmt: skip


def module_path(folder, config_name):
  return folder / "modules" / f"{config_name}.mlir"


def write_module(folder, config, platform="cuda"):
  path = module_path(folder, config.name)
  path.parent.mkdir(parents=True, exist_ok=True)
  if not path.exists():
    path.write_text(config.text(platform))


def without_locations(text):
  with xla.parsed(text) as module:
    return module.operation.get_asm(enable_debug_info=False)


def write_programs(folder, cell):
  paths = {"local": folder / cell["file"], "explicit": folder / cell["explicit"]}
  if all(path.exists() for path in paths.values()):
    return
  with tempfile.TemporaryDirectory() as made:
    emits = [word for form in paths for word in ("--emit", f"{form}={made}/{form}")]
    tool.run("apply", module_path(folder, cell["config"]), *choice(cell), *emits)
    for form, path in paths.items():
      text = without_locations(pathlib.Path(made, form).read_text())
      path.write_bytes(gzip.compress(text.encode()))


def estimate(folder, cell, device):
  """The parts of the estimate that are compared."""
  words = ["estimate", module_path(folder, cell["config"]), *choice(cell), "--device", device, "--json"]
  made = json.loads(tool.run(*words))
  parts = ("compute_seconds", "step_seconds", "peak_bytes", "flops", "traffic_bytes", "kernels")
  return {part: made[part] for part in parts} | {"memory": made["memory"], "collectives": made["collectives"]}


def save(folder, cells):
  (folder / "index.json").write_text(json.dumps({"cells": cells}, indent=1) + "\n")


def make(folder, config, strategy, mesh, device, platform="cuda"):
  """One cell, written and estimated; None where the command refuses it."""
  cell = describe(config, strategy, mesh)
  try:
    write_module(folder, config, platform)
    write_programs(folder, cell)
    return cell | {"estimate": estimate(folder, cell, device)}
  except (tool.ToolError, subprocess.TimeoutExpired) as error:
    print(f"{cell['name']}: {error}", flush=True)
    return None


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--folder", type=pathlib.Path, help="build/accuracy, or build/accuracy-small, -unseen")
  parser.add_argument("--device")
  parser.add_argument("--small", action="store_true")
  parser.add_argument("--unseen", type=int, metavar="SIZE")
  parser.add_argument("--tpu", action="store_true")
  parser.add_argument("--most", type=int)
  parser.add_argument("--only", default="", help="configurations whose name has this in it")
  parser.add_argument("--estimates", action="store_true")
  options = parser.parse_args()
  options.folder = options.folder or (SMALL if options.small else UNSEEN if options.unseen else TPU if options.tpu else FOLDER)
  options.device = options.device or ("tpu-v5e" if options.tpu else "h200")
  if options.estimates:
    cells = json.loads((options.folder / "index.json").read_text())["cells"]
    save(options.folder, [cell | {"estimate": estimate(options.folder, cell, options.device)} for cell in cells])
    return
  options.folder.mkdir(parents=True, exist_ok=True)
  known = configs.never_fitted(options.unseen) if options.unseen else configs.small() if options.small else configs.MEDIUM
  wanted = [config for config in known if options.only in config.name]
  listed = configs.tpu_cells(wanted) if options.tpu else configs.every_cell(wanted)
  platform = "tpu" if options.tpu else "cuda"
  made = [make(options.folder, *cell, options.device, platform) for cell in listed[: options.most]]
  save(options.folder, [cell for cell in made if cell])
  subprocess.run(["du", "-sh", "--exclude=modules", str(options.folder)], check=False)


if __name__ == "__main__":
  main()

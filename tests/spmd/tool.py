"""The command `shardwright apply`, from Python."""

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("SHARDWRIGHT", str(ROOT / "build" / "release" / "tools" / "shardwright"))


class ToolError(Exception):
  """The command refused; the text is what it wrote to standard error."""


@dataclasses.dataclass(frozen=True)
class Applied:
  report: dict
  plan: dict
  explicit: str
  annotated: str

  def counts(self):
    """How many collectives of each kind; kinds that do not occur are left out."""
    return {kind: c["count"] for kind, c in self.report["collectives"].items() if c["count"]}


def mesh_text(mesh):
  """`data=2,model=4` of [("data", 2), ("model", 4)]."""
  return ",".join(f"{name}={size}" for name, size in mesh)


def run(*arguments, stdin=None, timeout=300):
  """Standard output of the command."""
  done = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=timeout)
  if done.returncode != 0:
    words = done.stderr.strip() or f"exit status {done.returncode}"
    raise ToolError(words)
  return done.stdout


def apply(text, mesh, tactics=(), plan=None, more=()):
  """Both forms of a module text under tactics, or under a plan (the JSON object of a plan file)."""
  with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "module.mlir").write_text(text)
    choice = [word for tactic in tactics for word in ("--tactic", tactic)]
    if plan is not None:
      (folder / "given.json").write_text(json.dumps(plan))
      choice += ["--plan", folder / "given.json"]
    emit = ["--emit", f"explicit={folder}/explicit.mlir", "--emit", f"annotated={folder}/annotated.mlir"]
    outputs = [*emit, "-o", folder / "plan.json", "--json"]
    report = run("apply", folder / "module.mlir", "--mesh", mesh_text(mesh), *choice, *outputs, *more)
    texts = [(folder / name).read_text() for name in ("plan.json", "explicit.mlir", "annotated.mlir")]
    return Applied(json.loads(report), json.loads(texts[0]), texts[1], texts[2])


def analyze(text):
  return json.loads(run("analyze", "--ops", "--json", "-", stdin=text))


def program_key(text):
  """What a plan file says of the program that it is for."""
  return json.loads(run("apply", "-", "--mesh", "x=1", "--tactic", "remake(0)", "-o", "-", stdin=text))["program"]

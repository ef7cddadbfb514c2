"""Where the built tools are. `make test` sets the variables; a release build is the default."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"

# Partitioned programs run on eight host devices; JAX reads this when it first needs a device.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")


def tool_path(variable, name):
  path = pathlib.Path(os.environ.get(variable, ROOT / "build" / "release" / "tools" / name))
  if not path.exists():
    pytest.exit(f"{path} is not built; run `make build`", returncode=1)
  return str(path)


class Tool:
  """Runs one of the project's commands. Text in, text out."""

  def __init__(self, path):
    self.path = path

  def __call__(self, *args, stdin=None, timeout=120):
    return subprocess.run([self.path, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=timeout)

  def ok(self, *args, stdin=None, timeout=120):
    """Standard output of a run that must succeed."""
    done = self(*args, stdin=stdin, timeout=timeout)
    assert done.returncode == 0, f"{' '.join(map(str, args))}: {done.stderr[:2000]}"
    return done.stdout


@pytest.fixture(scope="session")
def shardwright():
  return Tool(tool_path("SHARDWRIGHT", "shardwright"))


@pytest.fixture(scope="session")
def shardwright_opt():
  return Tool(tool_path("SHARDWRIGHT_OPT", "shardwright-opt"))

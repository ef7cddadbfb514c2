"""The package is tested on eight host devices."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Before JAX needs a device for the first time.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

# SHARDWRIGHT_INSTALLED tests the package that is installed, not the one that `make python` built.
if "SHARDWRIGHT_INSTALLED" not in os.environ:
  sys.path.insert(0, str(ROOT / "build" / "release" / "python"))

import jax  # noqa: E402
import pytest  # noqa: E402
import steps  # noqa: E402


@pytest.fixture(scope="session")
def mesh():
  return jax.make_mesh((4, 2), ("data", "model"))


@pytest.fixture
def state():
  return steps.mlp_state()


@pytest.fixture
def batch():
  return steps.mlp_batch()

"""The package is cheap to import, and keeps to JAX's public side."""

import pathlib
import re
import subprocess
import sys

import shardwright as sw

CODE = """
import time
import jax
start = time.perf_counter()
import shardwright
print(time.perf_counter() - start)
"""


def test_import_takes_less_than_the_limit():
  paths = [p for p in sys.path if p]
  seconds = [float(run(paths)) for _ in range(3)]
  assert min(seconds) < 0.3, seconds


def run(paths):
  code = f"import sys; sys.path[:0] = {paths!r}\n{CODE}"
  return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def sources():
  return sorted(pathlib.Path(sw.__file__).parent.rglob("*.py"))


def test_one_file_alone_touches_what_is_private_in_jax():
  private = re.compile(r"jax\._src|jaxlib|jax\.interpreters|jax\.extend")
  users = {p.name for p in sources() if any(private.search(line) for line in code_lines(p))}
  assert users == {"jax_private.py"}


def code_lines(path):
  """Lines that import or use, not those of docstrings and comments."""
  text = re.sub(r'""".*?"""', "", path.read_text(), flags=re.DOTALL)
  return [line for line in text.splitlines() if not line.strip().startswith("#")]


def test_no_library_is_imported_that_is_not_needed():
  code = "import sys, shardwright; print([name for name in ('flax', 'optax', 'IPython') if name in sys.modules])"
  code = f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n{code}"
  assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"

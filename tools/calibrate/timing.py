"""How long compiled functions take, free of what starting them costs."""

import statistics
import time

import jax


def seconds(function, *arguments, repeats):
  """The median of `repeats` runs, which is what a step meets. The first, which compiles, does not count."""
  jax.block_until_ready(function(*arguments))
  taken = []
  for _ in range(repeats):
    begin = time.perf_counter()
    jax.block_until_ready(function(*arguments))
    taken.append(time.perf_counter() - begin)
  return statistics.median(taken)


def per_iteration(make, *, few, many, repeats):
  """Seconds of one iteration. `make(n)` gives (function, arguments) of a run with n of them.

  The difference of two runs leaves out what every run costs: dispatch, the first touch of memory. Noise can make
  it vanish; then the longer run alone has to do.
  """
  short, long = (seconds(function, *arguments, repeats=repeats) for function, arguments in (make(few), make(many)))
  slope = (long - short) / (many - few)
  return slope if slope > 0.05 * long / many else long / many

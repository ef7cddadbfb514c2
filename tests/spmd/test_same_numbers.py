"""Explicit = annotated = unpartitioned, for every small model and every strategy; `make grid` runs all combinations.

The slice takes each model and each strategy at least once and meshes in turn.
"""

import pytest

from . import cells, harness, strategies, workers

# Compiling takes the time; these take longest.
SLOW = ("unet", "unet_noise")


def slice_of_the_grid():
  """For each strategy the first model that no other cell has yet, on the next mesh; then the models left over."""
  chosen, used = [], set()
  meshes = list(strategies.MESHES)
  for number, strategy in enumerate(strategies.STRATEGIES):
    fitting = [c for c in strategies.cells() if c[1] == strategy]
    best = min(fitting, key=lambda c: (c[0] in used, c[0] in SLOW, (meshes.index(c[2]) - number) % len(meshes)))
    chosen.append(best)
    used.add(best[0])
  for number, model in enumerate(m for m in strategies.ALL if m not in used):
    chosen.append((model, "data parallel", meshes[number % len(meshes)]))
  return chosen


SLICE = slice_of_the_grid()


@pytest.fixture(scope="module")
def outcomes(shardwright):
  return dict(workers.run_all(cells.run_cell, SLICE))


@pytest.mark.parametrize("cell", SLICE, ids=" | ".join)
def test_same_numbers(cell, outcomes):
  ended = outcomes[cell]
  assert not ended.failure, ended.failure
  assert not ended.value.refused, ended.value.refused
  assert ended.value.explicit == cells.SAME
  assert ended.value.annotated == cells.SAME


def test_slice_touches_every_model_and_every_strategy():
  assert {cell[0] for cell in SLICE} == set(harness.small_models())
  assert {cell[1] for cell in SLICE} == set(strategies.STRATEGIES)
  assert {cell[2] for cell in SLICE} == set(strategies.MESHES)


def test_grid_knows_every_small_model():
  assert set(strategies.ALL) == set(harness.small_models())

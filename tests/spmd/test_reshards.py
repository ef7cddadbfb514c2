"""For the same shardings our reshards move no more bytes than Shardy's; `make reshards` compares the whole grid."""

import pytest

from . import collectives, reshards, shardy, workers
from .test_same_numbers import SLICE

CELLS = [cell for cell in SLICE if cell[1] not in reshards.REMADE]

HAND_MADE = """sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(
    %x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
    %w: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>})
    -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
       {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>}
     : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
"""


@pytest.fixture(scope="module")
def outcomes(shardwright):
  return dict(workers.run_all(reshards.compare, CELLS))


@pytest.mark.parametrize("cell", CELLS, ids=" | ".join)
def test_no_worse_than_shardy(cell, outcomes):
  ended = outcomes[cell]
  assert not ended.failure, ended.failure
  assert not ended.value.refused, ended.value.refused
  assert ended.value.no_worse, reshards.summary(ended.value)


def test_shardys_collectives_are_read():
  """The second dim of w is gathered over data, and the product summed over model."""
  found = collectives.total(shardy.collectives_of(HAND_MADE))
  gathered, reduced = 16 * 16 * 4, 4 * 16 * 4
  assert found["all_gather"] == collectives.Total(count=1, tensors=1, bytes=gathered, moved=3 / 4 * gathered)
  assert found["all_reduce"] == collectives.Total(count=1, tensors=1, bytes=reduced, moved=reduced)


def test_every_kind_of_shardys_collectives_is_read():
  """From rows to columns: `data` moves by all-to-all; `model` from one dim to another and its order by a permute."""
  text = HAND_MADE.replace('[{"data"}, {}]>}) {', '[{}, {"model", "data"}]>}) {')
  kinds = collectives.counts(shardy.collectives_of(text))
  assert kinds["all_gather"] == 1 and {"all_to_all", "collective_permute"} & set(kinds)

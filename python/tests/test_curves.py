"""Partitioned training follows unpartitioned training. `make loss-curves` does the same over 200 steps."""

import curves
import pytest


@pytest.mark.parametrize("mesh", curves.MESHES, ids=lambda mesh: "x".join(map(str, mesh.values())))
@pytest.mark.parametrize("name", curves.MODELS)
def test_losses_agree(name, mesh):
  made = curves.curves(name, mesh, steps=4)
  assert made.apart < curves.TOLERANCE and made.memory <= 0.5
  assert made.alone[-1] < made.alone[0]

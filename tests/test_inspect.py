"""`shardwright inspect` on the models: what it says of them is what their JAX code says."""

import json
import math
import pathlib

import jax
import pytest

import models

DATA = pathlib.Path(__file__).resolve().parent / "data" / "models"
EXPORTS = sorted(DATA.glob("*.mlir"))


def inspect(shardwright, path, *flags):
  return json.loads(shardwright.ok("inspect", "--json", path, *flags))


def small_report(shardwright, name):
  return inspect(shardwright, DATA / f"{name}.mlir")


def leaves(tree):
  return jax.tree_util.tree_flatten_with_path(tree)[0]


@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_every_op_has_a_rule(path, shardwright):
  assert inspect(shardwright, path)["unsupported"] == []


@pytest.mark.parametrize("name", ["mlp_train", "transformer", "gpt", "gemma_2b", "moe", "unet", "gns", "resnet50", "vit"])
def test_arguments_are_jaxs(name, shardwright):
  model = models.get(name)
  _, arguments, _ = model.step(model.small())
  report = small_report(shardwright, name)
  expected = [(list(leaf.shape), leaf.dtype.itemsize * math.prod(leaf.shape)) for argument in arguments for _, leaf in leaves(argument)]
  assert [(a["shape"], a["bytes"]) for a in report["arguments"]] == expected


@pytest.mark.parametrize("name", ["mlp_train", "transformer", "gpt", "gemma_2b", "moe", "unet", "gns", "vit"])
def test_parameters_and_optimizer_state(name, shardwright):
  """Found from structure alone, they are the `params` of the state and the rest of it."""
  report = small_report(shardwright, name)
  for argument in report["arguments"]:
    in_state = argument["path"].startswith("state")
    expected = "parameter" if "['params']" in argument["path"] else "optimizer_state" if in_state else "input"
    assert argument["role"] == expected, argument
    assert argument["donated"] == in_state
  assert report["parameters"]["tensors"] == sum("['params']" in a["path"] for a in report["arguments"])


def test_caches_are_state_and_weights_are_parameters(shardwright):
  roles = {a["path"]: a["role"] for a in small_report(shardwright, "decoder")["arguments"]}
  assert roles["cache[0]['k']"] == "state"
  assert roles["token"] == "input"


def test_matmul_flops(shardwright):
  report = small_report(shardwright, "mlp")
  # Two matmuls and one relu.
  assert report["flops"] == 2 * 256 * 32 * 64 + 2 * 256 * 64 * 16 + 256 * 64


def test_loops_count_by_their_trip_count(shardwright):
  unrolled = small_report(shardwright, "gemma_2b")
  scanned = small_report(shardwright, "gemma_2b_scan")
  layers = models.get("gemma_2b").small().layers
  assert [loop["trip_count"] for loop in scanned["loops"]] == [layers, layers], "forward and backward"
  assert all(loop["known"] for loop in scanned["loops"])
  assert scanned["flops"] == pytest.approx(unrolled["flops"], rel=0.01)


def test_names_need_debug_information(shardwright, tmp_path):
  path = tmp_path / "mlp.mlir"
  path.write_text(models.get("mlp").export(locations=False))
  assert [a["path"] for a in inspect(shardwright, path)["arguments"]] == ["arg0", "arg1", "arg2"]


def test_text_is_for_people(shardwright):
  text = shardwright.ok("inspect", DATA / "gpt.mlir")
  assert "parameters" in text and "optimizer state" in text
  assert "every op has a rule" in text
  assert "more (--all lists them)" in text
  assert "more (--all lists them)" not in shardwright.ok("inspect", "--all", DATA / "gpt.mlir")


def test_the_flat_program_prints(shardwright):
  text = shardwright.ok("inspect", "--program", DATA / "gemma_2b_scan.mlir")
  assert "while {trip_count=" in text
  assert "carry" in text

"""Plans in files: saved, loaded, given to the command line."""

import json

import jax
import pytest
import shardwright as sw
import steps

BOTH = [sw.dp("data"), sw.megatron("model")]


@pytest.fixture
def path(tmp_path, mesh, state, batch):
  sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH).save(tmp_path / "plan.json")
  return tmp_path / "plan.json"


def test_a_loaded_plan_is_the_saved_one(path, mesh, state, batch):
  saved = sw.load(path)
  assert saved.tactics == ["dp(data)", "megatron(model)"] and saved.mesh == {"data": 4, "model": 2}
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=saved)
  assert plan.plan_json == path.read_text() == saved.text
  assert plan.tactics == saved.tactics
  assert "every argument lies alike" in plan.diff(saved)
  steps.assert_same(plan.jit()(state, batch), jax.jit(steps.mlp_step)(state, batch))


def test_a_loaded_plan_serves_jit(path, mesh, state, batch):
  step = sw.jit(steps.mlp_step, mesh=mesh, plan=sw.load(path))
  steps.assert_same(step(state, batch), jax.jit(steps.mlp_step)(state, batch))


def test_a_plan_of_another_program_is_refused(path, mesh, state):
  saved = sw.load(path)
  with pytest.raises(sw.OtherProgram, match="the plan was made for another program"):
    sw.plan(steps.mlp_loss, state, steps.mlp_batch(rows=32), mesh=mesh, device="h100", plan=saved)


def test_a_plan_for_another_mesh_is_refused(path, state, batch):
  with pytest.raises(sw.MeshError, match="is a plan for {'data': 4, 'model': 2}, and the mesh is {'data': 8}"):
    sw.plan(steps.mlp_step, state, batch, mesh={"data": 8}, device="h100", plan=sw.load(path))


def test_no_plan_file(tmp_path):
  (tmp_path / "plan.json").write_text("{}")
  with pytest.raises(sw.PlanError, match="is no plan file"):
    sw.load(tmp_path / "plan.json")
  with pytest.raises(FileNotFoundError):
    sw.load(tmp_path / "none.json")


def test_saving_leaves_nothing_else(path):
  assert [p.name for p in path.parent.iterdir()] == ["plan.json"]
  assert json.loads(path.read_text())["version"] == 1


def test_saving_where_there_is_no_folder(path, mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=sw.load(path))
  target = path.parent / "none" / "plan.json"
  with pytest.raises(FileNotFoundError) as caught:
    plan.save(target)
  assert str(caught.value) == f"cannot save the plan as {target}: there is no folder {target.parent}"
  with pytest.raises(IsADirectoryError) as caught:
    plan.save(path.parent)
  assert caught.value.filename == str(path.parent) and ".tmp" not in str(caught.value)
  assert [p.name for p in path.parent.iterdir()] == ["plan.json"]


def test_saying_what_it_is(path):
  assert "data=4, model=2: dp(data), megatron(model); 4 arguments" in repr(sw.load(path))

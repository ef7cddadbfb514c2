"""Plans in files: saved, loaded, given to the command line."""

import json
import os

import jax
import jax.numpy as jnp
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


def test_a_plan_is_carried_over_to_another_batch_size(path, mesh, state, batch):
  larger = steps.mlp_batch(rows=32)
  plan = sw.plan(steps.mlp_step, state, larger, mesh=mesh, device="h100", plan=path)
  assert plan.in_shardings[1]["x"].spec == jax.P("data")
  assert plan.tactics == ["dp(data)", "megatron(model)"]
  sizes = "the plan was made for other sizes: argument `batch['x']` was f32[16,32] and is f32[32,32] (and 1 more differ)"
  assert sizes in plan.report["remarks"]
  steps.assert_same(plan.jit()(state, larger), jax.jit(steps.mlp_step)(state, larger))
  step = sw.jit(steps.mlp_step, mesh=mesh, plan=path)
  for data in (batch, larger):
    steps.assert_same(step(state, data), jax.jit(steps.mlp_step)(state, data))


def test_a_batch_that_the_plan_does_not_divide_is_refused_with_the_remedy(path, mesh, state):
  with pytest.raises(sw.OtherProgram) as caught:
    sw.plan(steps.mlp_step, state, steps.mlp_batch(rows=6), mesh=mesh, device="h100", plan=path)
  assert "`batch['x']` was f32[16,32] and is f32[6,32]" in str(caught.value)
  assert "lay as [data, -], and with this size the plan leaves it as replicated" in str(caught.value)
  assert "plan this one anew, by the same tactics: `dp(data)`, `megatron(model)`" in str(caught.value)


def test_a_plan_for_another_mesh_is_refused(path, state, batch):
  with pytest.raises(sw.MeshError, match="is a plan for {'data': 4, 'model': 2}, and the mesh is {'data': 8}"):
    sw.plan(steps.mlp_step, state, batch, mesh={"data": 8}, device="h100", plan=sw.load(path))


def test_no_plan_file(tmp_path):
  (tmp_path / "plan.json").write_text("{}")
  with pytest.raises(sw.PlanError, match="is no plan file"):
    sw.load(tmp_path / "plan.json")
  with pytest.raises(FileNotFoundError):
    sw.load(tmp_path / "none.json")
  for data in (b"\x7fELF\xff", b"[" * 100_000):
    (tmp_path / "plan.json").write_bytes(data)
    with pytest.raises(sw.PlanError, match="plan.json is no plan file: "):
      sw.load(tmp_path / "plan.json")


def test_a_plan_is_given_by_the_path_of_its_file(path, mesh, state, batch):
  for given in (path, str(path)):
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=given)
    assert plan.tactics == ["dp(data)", "megatron(model)"]


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


def test_saving_through_a_link(path, mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=sw.load(path))
  folder = path.parent
  (folder / "plans").mkdir()
  (folder / "plans" / "old.json").write_text("old")
  for name in ("old.json", "new.json"):  # One is there, one is not yet.
    link = folder / f"link to {name}"
    link.symlink_to(os.path.join("plans", name))
    plan.save(link)
    assert link.is_symlink() and (folder / "plans" / name).read_text() == path.read_text()
  assert sorted(p.name for p in (folder / "plans").iterdir()) == ["new.json", "old.json"]
  (folder / "circle").symlink_to("circle")
  with pytest.raises(OSError) as caught:
    plan.save(folder / "circle")
  assert caught.value.filename == str(folder / "circle") and (folder / "circle").is_symlink()


def test_saving_into_a_pipe(path, mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=sw.load(path))
  pipe = path.parent / "pipe"
  os.mkfifo(pipe)
  reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
  plan.save(pipe)
  assert os.read(reader, 1 << 20).decode() == path.read_text() and pipe.is_fifo()
  os.close(reader)


def test_a_plan_of_a_module_without_the_arguments_that_are_not_used(tmp_path, mesh):
  x = jnp.ones((8, 16))
  sw.plan(lambda x, y: x + y, x, x, mesh=mesh, schedule=[sw.shard("x", 0, "data")]).save(tmp_path / "plan.json")
  with pytest.raises(sw.OtherProgram, match=r"the plan has no `key`: .*lower with jax\.jit\(…, keep_unused=True\)"):
    sw.plan(lambda x, key, y: x + y, x, x, x, mesh=mesh, plan=tmp_path / "plan.json")
  with pytest.raises(sw.OtherProgram) as caught:
    sw.plan(lambda x, z: x * z, x, x, mesh=mesh, plan=tmp_path / "plan.json")
  assert "keep_unused" not in str(caught.value)

"""sw.jit: plans when it meets new shapes."""

import jax
import jax.numpy as jnp
import pytest
import shardwright as sw
import steps


def test_plans_once_per_shape(mesh, state, batch, monkeypatch):
  from shardwright._src import api

  calls = []
  plan = api._plan
  monkeypatch.setattr(api, "_plan", lambda *args: calls.append(args) or plan(*args))
  step = sw.jit(steps.mlp_step, mesh=mesh, schedule=[sw.shard("batch*", 0, "data")])
  for rows in (16, 16, 8, 16):
    batch = steps.mlp_batch(rows=rows)
    steps.assert_same(step(state, batch), jax.jit(steps.mlp_step)(state, batch))
  assert len(calls) == 2
  assert step.plan(state, batch).tactics == ["shard(batch*:0, data)"] and len(calls) == 2


def test_one_plan_whether_by_position_or_by_name(mesh, state, batch):
  step = sw.jit(steps.mlp_step, mesh=mesh, schedule=[sw.dp("data")])
  expected = jax.jit(steps.mlp_step)(state, batch)
  steps.assert_same(step(state, batch=batch), expected)
  steps.assert_same(step(state, batch), expected)
  steps.assert_same(step(batch=batch, state=state), expected)
  assert len(step._steps) == 1


def test_is_a_decorator(mesh, state, batch):
  @sw.jit(mesh=mesh, schedule=[sw.dp("data")], donate_argnums=0, mode="annotated")
  def step(state, batch):
    """A step."""
    return steps.mlp_step(state, batch)

  assert (step.__name__, step.__doc__) == ("step", "A step.")
  expected = jax.jit(steps.mlp_step)(state, batch)
  steps.assert_same(step(state, batch), expected)


def test_static_values_have_plans_of_their_own(mesh, state, batch):
  @sw.jit(mesh=mesh, schedule=[sw.dp("data")], static_argnames="power")
  def step(state, batch, power):
    return steps.mlp_loss(state, batch) ** power

  for power in (1, 2, 1):
    steps.assert_same(step(state, batch, power=power), steps.mlp_loss(state, batch) ** power)
  assert len(step._steps) == 2


def test_steps_can_stand_in_a_jit(mesh, state, batch):
  step = sw.jit(steps.mlp_step, mesh=mesh, schedule=[sw.dp("data")])
  twice = jax.jit(lambda s, b: step(step(s, b)[0], b))
  expected = steps.mlp_step(steps.mlp_step(state, batch)[0], batch)
  steps.assert_same(twice(state, batch), expected)


def test_lower(mesh, state, batch):
  step = sw.jit(steps.mlp_step, mesh=mesh, schedule=[sw.dp("data")])
  assert "all-reduce" in step.lower(state, batch).compile().as_text()


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_repr_names_function_and_mesh(mesh, dtype):
  plan = sw.plan(
    steps.mlp_step, steps.mlp_state(dtype=dtype), steps.mlp_batch(dtype=dtype), mesh=mesh, schedule=["dp(data)"]
  )
  assert repr(plan.jit()) == "<mlp_step planned for data=4,model=2, explicit>"


def test_repr_before_there_is_a_plan(mesh):
  assert repr(sw.jit(steps.mlp_step, mesh=mesh)) == "<mlp_step to be planned for data=4,model=2, explicit>"


def test_a_planned_step_has_no_derivative(mesh, state, batch):
  loss = sw.jit(steps.mlp_loss, mesh=mesh, schedule=[sw.dp("data")])
  with pytest.raises(sw.PlanError, match="mlp_loss was planned as it is and cannot be differentiated"):
    jax.grad(loss)(state, batch)


def test_a_mode_that_there_is_not_is_said_at_once(mesh):
  with pytest.raises(sw.PlanError, match="the mode is one of explicit, annotated, not 'fast'"):
    sw.jit(steps.mlp_step, mesh=mesh, mode="fast")


def test_static_values_must_be_hashable(mesh):
  scaled = sw.jit(lambda x, how: x * how["by"], mesh=mesh, static_argnums=1, budget="5")
  with pytest.raises(sw.ArgumentMismatch, match="static argument 1 is {'by': 2}, which cannot be hashed"):
    scaled(jnp.ones(8), {"by": 2})


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_numbers_stay_weakly_typed(mesh, mode):
  def scaled(scale, x):
    return scale * 0.5, x * scale, jnp.sum(x), {"turns": 3 + scale.astype(int)}

  step = sw.jit(scaled, mesh=mesh, mode=mode, schedule=[sw.shard("x", 0, "data")])
  x = jnp.ones((8, 8), jnp.bfloat16)
  scale = expected_scale = 2.0
  for _ in range(3):
    scale, *rest = step(scale, x)
    expected_scale, *expected = jax.jit(scaled)(expected_scale, x)
    pairs = zip(jax.tree.leaves((scale, rest)), jax.tree.leaves((expected_scale, expected)), strict=True)
    assert all((a.dtype, a.weak_type) == (e.dtype, e.weak_type) for a, e in pairs)
    steps.assert_same(scale, expected_scale)
  assert scale.weak_type and rest[0].dtype == jnp.bfloat16
  assert len(step._steps) == 1

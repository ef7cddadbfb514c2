"""What functions look like: trees, keywords, static arguments, keys, loops, and the libraries people use."""

import functools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shardwright as sw
import steps
from jax.sharding import PartitionSpec as P

DP = [sw.dp("data")]


def planned(function, *args, mesh, schedule=DP, **kwargs):
  return sw.plan(function, *args, mesh=mesh, device="h100", schedule=schedule, **kwargs)


def test_keyword_arguments(mesh, state, batch):
  def step(state, *, batch, scale=2.0):
    return scale * steps.mlp_loss(state, batch)

  plan = planned(step, state, batch=batch, scale=3.0, mesh=mesh)
  assert plan.in_shardings[0]["w1"].spec == P()
  assert plan.kwarg_shardings["batch"]["x"].spec == P("data")
  step_planned = plan.jit()
  steps.assert_same(step_planned(state, batch=batch, scale=3.0), step(state, batch=batch, scale=3.0))
  steps.assert_same(step_planned(state, scale=5.0, batch=batch), step(state, batch=batch, scale=5.0))


def test_arguments_by_position_may_come_by_name_and_the_reverse(mesh, state, batch):
  def step(state, batch, scale, *, power):
    return scale * steps.mlp_loss(state, batch) ** power

  expected = step(state, batch, 3.0, power=2)
  by_position = planned(step, state, batch, 3.0, power=2, mesh=mesh, static_argnames="power")
  by_name = planned(step, state, scale=3.0, batch=batch, power=2, mesh=mesh, static_argnames="power")
  assert by_name.kwarg_shardings["batch"]["x"].spec == by_position.in_shardings[1]["x"].spec == P("data")
  for plan in (by_position, by_name):
    run = plan.jit()
    steps.assert_same(run(state, batch, 3.0, power=2), expected)
    steps.assert_same(run(state, batch, power=2, scale=3.0), expected)
    steps.assert_same(run(power=2, scale=3.0, batch=batch, state=state), expected)
    run.lower(scale=3.0, batch=batch, state=state, power=2)
    (placed,), named = plan.place(state, scale=3.0, batch=batch, power=2)
    assert placed["w1"].sharding.spec == P() and named["batch"]["x"].sharding.spec == P("data")
    assert named.keys() == {"scale", "batch", "power"}


def test_static_arguments_may_come_by_name_or_by_position(mesh, state, batch):
  def step(kind, state, batch):
    return steps.mlp_loss(state, batch) if kind == "loss" else 0.0

  run = planned(step, "loss", state, batch, mesh=mesh, static_argnums=0).jit()
  steps.assert_same(run(kind="loss", state=state, batch=batch), steps.mlp_loss(state, batch))
  with pytest.raises(sw.ArgumentMismatch, match="static argument 0 is 'other', and it was planned for 'loss'"):
    run(kind="other", state=state, batch=batch)


def test_static_arguments_by_position_and_by_name(mesh, state, batch):
  def step(kind, state, batch, power=2):
    return (steps.mlp_loss(state, batch) if kind == "loss" else 0.0) ** power

  plan = planned(step, "loss", state, batch, power=3, mesh=mesh, static_argnums=0, static_argnames="power")
  assert plan.in_shardings[1]["x"].spec == P("data")
  steps.assert_same(plan.jit()("loss", state, batch, power=3), step("loss", state, batch, 3))
  with pytest.raises(sw.ArgumentMismatch, match="static argument 'power' is 4, and it was planned for 3"):
    plan.jit()("loss", state, batch, power=4)


def test_static_arguments_serve_plain_jit(mesh, state, batch):
  def step(state, kind, batch):
    assert kind == "loss"
    return steps.mlp_loss(state, batch)

  plan = planned(step, state, "loss", batch, mesh=mesh, static_argnums=1)
  jitted = jax.jit(step, static_argnums=1, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
  steps.assert_same(jitted(state, "loss", batch), steps.mlp_loss(state, batch))


def test_arguments_that_nothing_uses(mesh, state, batch):
  plan = planned(lambda state, unused, batch: steps.mlp_loss(state, batch), state, jnp.ones((8, 3)), batch, mesh=mesh)
  steps.assert_same(plan.jit()(state, jnp.zeros((8, 3)), batch), steps.mlp_loss(state, batch))


def test_random_keys_go_in_and_come_out(mesh, state, batch):
  def step(state, batch, key):
    key, drop = jax.random.split(key)
    mask = jax.random.bernoulli(drop, 0.5, batch["x"].shape)
    return steps.mlp_loss(state, {**batch, "x": batch["x"] * mask}), key, jax.random.split(key, 8)

  key = jax.random.key(3)
  plan = planned(step, state, batch, key, mesh=mesh)
  result = plan.jit()(state, batch, key)
  assert jax.random.key_impl(result[1]) == jax.random.key_impl(key)
  steps.assert_same(result, jax.jit(step)(state, batch, key))
  shape = jax.eval_shape(lambda: key)
  assert planned(step, state, batch, shape, mesh=mesh).plan_json == plan.plan_json


SPLIT_BOTH = [sw.shard("batch*", 0, "data"), sw.shard("state", 1, "model")]


def scanned(state, batch):
  def layer(x, w):
    return jnp.tanh(x @ w), None

  x, _ = jax.lax.scan(jax.checkpoint(layer), batch["x"], state)
  return jnp.mean((x - batch["y"]) ** 2)


def test_scan_and_checkpoint(mesh, batch):
  state = jnp.asarray(np.random.default_rng(2).normal(0, 0.2, (6, 32, 32)), jnp.float32)
  plan = planned(jax.value_and_grad(scanned), state, batch, mesh=mesh, schedule=SPLIT_BOTH)
  assert plan.in_shardings[0].spec == P(None, "model")
  steps.assert_same(plan.jit()(state, batch), jax.jit(jax.value_and_grad(scanned))(state, batch))


def test_numpy_and_python_numbers(mesh, state, batch):
  def step(state, batch, rate, flag):
    return jnp.where(flag, rate, 1.0) * steps.mlp_loss(state, batch)

  host = jax.tree.map(np.asarray, (state, batch))
  plan = planned(step, *host, 0.5, True, mesh=mesh)
  steps.assert_same(plan.jit()(*host, 0.25, True), step(state, batch, 0.25, True))


def test_none_and_empty_trees(mesh, state, batch):
  def step(state, batch, extra):
    return {"loss": steps.mlp_loss(state, batch), "nothing": None, "empty": ()}

  plan = planned(step, state, batch, {"mask": None, "list": []}, mesh=mesh)
  result = plan.jit()(state, batch, {"mask": None, "list": []})
  assert result["nothing"] is None and result["empty"] == ()


def test_functions_that_are_jitted_already(mesh, state, batch):
  step = functools.partial(jax.jit, donate_argnums=0)(steps.mlp_step)
  plan = planned(step, state, batch, mesh=mesh)
  expected, placed = jax.jit(steps.mlp_step)(state, batch), plan.place(state, batch)
  steps.assert_same(plan.jit()(*placed), expected)
  assert placed[0]["w1"].is_deleted()


@pytest.mark.parametrize("statics", [{"static_argnums": 1}, {"static_argnames": "layers"}], ids=str)
def test_functions_that_are_jitted_already_keep_what_is_static_and_donated(mesh, state, batch, statics):
  def step(state, layers, batch):
    for _ in range(layers):
      state, loss = steps.mlp_step(state, batch)
    return state, loss

  jitted = jax.jit(step, donate_argnums=0, **statics)
  expected = jax.jit(step, static_argnums=1)(state, 2, batch)
  plan = planned(jitted, state, 2, batch, mesh=mesh)
  named = sw.jit(jitted, mesh=mesh, schedule=DP)(jax.tree.map(jnp.copy, state), layers=2, batch=batch)
  steps.assert_same(named, expected)
  placed = plan.place(state, 2, batch)
  steps.assert_same(plan.jit()(*placed), expected)
  assert placed[0]["w1"].is_deleted()


def test_bound_methods_and_partials(mesh, state, batch):
  class Trainer:
    rate = 0.5

    def step(self, state, batch):
      return self.rate * steps.mlp_loss(state, batch)

  for function in (Trainer().step, functools.partial(Trainer.step, Trainer())):
    plan = planned(function, state, batch, mesh=mesh)
    steps.assert_same(plan.jit()(state, batch), 0.5 * steps.mlp_loss(state, batch))


def test_leaves_that_are_no_arrays_are_constants(mesh, state, batch):
  def step(model, batch):
    params, activation = model
    hidden = activation(batch["x"] @ params["w1"])
    return (params, activation), jnp.mean(hidden)

  plan = planned(step, (state, jnp.tanh), batch, mesh=mesh, schedule=[sw.shard("batch['x']", 0, "data")])
  (params, activation), loss = plan.jit()((state, jnp.tanh), batch)
  assert activation is jnp.tanh
  steps.assert_same(loss, step((state, jnp.tanh), batch)[1])
  with pytest.raises(sw.ArgumentMismatch, match="is not the constant"):
    plan.jit()((state, jnp.sin), batch)


def test_parts_under_shard_map_are_left_alone(mesh, batch):
  automatic = jax.sharding.Mesh(mesh.devices, mesh.axis_names)

  @functools.partial(jax.shard_map, mesh=automatic, in_specs=P("data"), out_specs=P())
  def mean(x):
    return jax.lax.pmean(jnp.mean(x), "data")

  def step(x):
    return mean(x) + jnp.sum(x)

  plan = planned(step, batch["x"], mesh=mesh, schedule=[sw.shard("x", 0, "data")])
  steps.assert_same(jax.jit(step, in_shardings=plan.in_shardings)(batch["x"]), step(batch["x"]))
  steps.assert_same(plan.jit("annotated")(batch["x"]), step(batch["x"]))
  with pytest.raises(sw.PlanError, match="shard_map.* cannot stand inside the explicit form; use the annotated form"):
    plan.jit()(batch["x"])


def test_flax_linen(mesh):
  nn = pytest.importorskip("flax.linen")
  optax = pytest.importorskip("optax")
  model = nn.Sequential([nn.Dense(64), nn.relu, nn.Dense(8)])
  x = jnp.ones((16, 32))
  params = model.init(jax.random.key(0), x)
  optimizer = optax.adam(1e-2)

  def step(params, opt_state, x):
    loss, gradients = jax.value_and_grad(lambda p: jnp.mean(model.apply(p, x) ** 2))(params)
    updates, opt_state = optimizer.update(gradients, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss

  plan = planned(step, params, optimizer.init(params), x, mesh=mesh, schedule=[sw.dp("data"), sw.megatron("model")])
  assert plan.in_shardings[0]["params"]["layers_0"]["kernel"].spec == P(None, "model")
  result = plan.jit()(params, optimizer.init(params), x)
  steps.assert_same(result[2], jax.jit(step)(params, optimizer.init(params), x)[2])


def test_flax_nnx(mesh):
  nnx = pytest.importorskip("flax.nnx")
  model = nnx.Linear(32, 16, rngs=nnx.Rngs(0))
  graph, params = nnx.split(model)

  def step(params, x):
    loss, gradients = jax.value_and_grad(lambda p: jnp.mean(nnx.merge(graph, p)(x) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), loss

  x = jnp.ones((16, 32))
  plan = planned(step, params, x, mesh=mesh)
  steps.assert_same(plan.jit()(params, x)[1], step(params, x)[1])


@pytest.mark.parametrize("wrap", [lambda nnx: lambda f: f, lambda nnx: nnx.jit], ids=["plain", "nnx.jit"])
def test_modules_that_are_changed_in_place_are_warned_of(mesh, wrap):
  """As under `jax.jit`, nobody gets what is not returned."""
  nnx = pytest.importorskip("flax.nnx")

  @wrap(nnx)
  def step(model, x):
    gradients = nnx.grad(lambda m: jnp.mean(m(x) ** 2))(model)
    nnx.update(model, jax.tree.map(lambda p, g: p - 0.1 * g, nnx.state(model), gradients))
    return x.sum()

  model, x = nnx.Linear(32, 16, rngs=nnx.Rngs(0)), jnp.ones((16, 32))
  with pytest.warns(UserWarning, match=r"step changes model\.\S+ and 1 more in place and does not return it") as caught:
    planned(step, model, x, mesh=mesh, schedule=[sw.shard("x", 0, "data")])
  assert caught[0].filename == __file__


def test_what_is_changed_in_place_and_returned_or_is_the_functions_own(mesh):
  nnx = pytest.importorskip("flax.nnx")

  def step(model, batch):
    batch["x"] = batch["x"] / 2  # The dict was made for this call.
    nnx.update(model, jax.tree.map(lambda p: p * batch["x"].mean(), nnx.state(model)))
    return nnx.state(model)

  with warnings.catch_warnings():
    warnings.simplefilter("error", UserWarning)
    planned(step, nnx.Linear(32, 16, rngs=nnx.Rngs(0)), {"x": jnp.ones((16, 32))}, mesh=mesh)


def test_equinox(mesh):
  eqx = pytest.importorskip("equinox")
  model = eqx.nn.MLP(32, 8, 64, 2, key=jax.random.key(0))

  def step(model, x):
    loss, gradients = eqx.filter_value_and_grad(lambda m: jnp.mean(jax.vmap(m)(x) ** 2))(model)
    return eqx.apply_updates(model, jax.tree.map(lambda g: -0.1 * g, gradients)), loss

  x = jnp.ones((16, 32))
  plan = planned(step, model, x, mesh=mesh)
  new_model, loss = plan.jit()(model, x)
  expected_model, expected_loss = eqx.filter_jit(step)(model, x)
  steps.assert_same(loss, expected_loss)
  steps.assert_same(eqx.filter(new_model, eqx.is_array), eqx.filter(expected_model, eqx.is_array))


def test_equinox_modules_that_branch_on_numbers(mesh):
  """`inference` and `p` of a dropout are Python numbers; `equinox.filter_jit` leaves them so."""
  eqx = pytest.importorskip("equinox")

  class Net(eqx.Module):
    linear: eqx.nn.Linear
    norm: eqx.nn.BatchNorm
    dropout: eqx.nn.Dropout

    def __init__(self, key):
      self.linear = eqx.nn.Linear(32, 16, key=key)
      self.norm = eqx.nn.BatchNorm(16, "batch", mode="batch")
      self.dropout = eqx.nn.Dropout(0.5)

    def __call__(self, x, state, key):
      x, state = self.norm(self.linear(x), state)
      return self.dropout(x, key=key), state

  model, state = eqx.nn.make_with_state(Net)(jax.random.key(0))

  def step(model, state, x, key):
    def loss_of(model, state):
      keys = jax.random.split(key, len(x))
      apply = jax.vmap(model, axis_name="batch", in_axes=(0, None, 0), out_axes=(0, None))
      y, new_state = apply(x, state, keys)
      return jnp.mean(y**2), new_state

    (loss, state), gradients = eqx.filter_value_and_grad(loss_of, has_aux=True)(model, state)
    return eqx.apply_updates(model, jax.tree.map(lambda g: -0.1 * g, gradients)), state, loss

  x, expected, actual = jnp.asarray(np.random.default_rng(0).normal(size=(16, 32)), jnp.float32), [], []
  run = planned(step, model, state, x, jax.random.key(1), mesh=mesh, schedule=[sw.shard("x", 0, "data")]).jit()
  for losses, function in ((expected, eqx.filter_jit(step)), (actual, run)):
    trained = model, state
    for number in range(2):
      *trained, loss = function(*trained, x, jax.random.key(number))
      losses.append(loss)
  assert trained[0].dropout.inference is False
  steps.assert_same(actual, expected)


def test_flax_train_state_with_batch_statistics(mesh):
  nn = pytest.importorskip("flax.linen")
  from flax.training import train_state

  optax = pytest.importorskip("optax")

  class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
      x = nn.relu(nn.BatchNorm(use_running_average=not train)(nn.Dense(64)(x)))
      return nn.Dense(8)(nn.Dropout(0.5, deterministic=not train)(x))

  class State(train_state.TrainState):
    statistics: dict

  net, x = Net(), jnp.asarray(np.random.default_rng(0).normal(size=(16, 32)), jnp.float32)
  made = net.init(jax.random.key(0), x, False)
  state = State.create(apply_fn=net.apply, params=made["params"], tx=optax.adamw(1e-3), statistics=made["batch_stats"])

  def step(state, x, key):
    def loss_of(params):
      variables = {"params": params, "batch_stats": state.statistics}
      y, new = state.apply_fn(variables, x, True, mutable=["batch_stats"], rngs={"dropout": key})
      return jnp.mean(y**2), new["batch_stats"]

    (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(state.params)
    return state.apply_gradients(grads=gradients, statistics=statistics), loss

  plan = planned(step, state, x, jax.random.key(1), mesh=mesh, schedule=[sw.dp("data"), sw.megatron("model")])
  actual, expected = plan.jit()(state, x, jax.random.key(1)), jax.jit(step)(state, x, jax.random.key(1))
  steps.assert_same((actual[0].statistics, actual[1]), (expected[0].statistics, expected[1]))
  again = plan.jit()(actual[0], x, jax.random.key(2))[1]
  steps.assert_same(again, jax.jit(step)(expected[0], x, jax.random.key(2))[1], tolerance=1e-4)


@pytest.mark.parametrize("rows", [8, 16])  # One row on a device, and two.
@pytest.mark.parametrize(
  "operation, ufunc, start", [("add", np.add, 3.0), ("mul", np.multiply, 2.0), ("max", np.maximum, 0.7)]
)
def test_initial_values_of_reductions_count_once(operation, ufunc, start, rows, mesh):
  x = np.random.default_rng(0).normal(size=(rows, 64)).astype(np.float32)

  def reductions(x, start):
    combine = getattr(jax.lax, operation)
    return jax.lax.reduce(x, start, combine, (0,)), jax.lax.reduce(x, start, combine, (0, 1))

  expected = ufunc.reduce(x, 0, initial=start), ufunc.reduce(x, None, initial=start)
  plan = planned(reductions, x, np.float32(start), mesh=mesh, schedule=["shard(x:0, data+model)"])
  for mode in ("explicit", "annotated"):
    steps.assert_same(plan.jit(mode)(x, np.float32(start)), expected)


def test_what_a_step_computes_twice_is_sent_once(mesh):
  """As derivatives of derivatives do: `jvp` computes the value again."""
  keys = jax.random.split(jax.random.key(0), 3)
  params = {"up": jax.random.normal(keys[0], (8, 64)), "down": jax.random.normal(keys[1], (64, 16)) / 8}
  points = jax.random.normal(keys[2], (256, 8))

  def value(params, points):
    return jnp.tanh(jnp.tanh(points @ params["up"]) @ params["down"])

  def once(params, points):
    return jax.jvp(lambda p: value(params, p), (points,), (2 * points,))

  def twice(params, points):
    return value(params, points), *once(params, points)

  schedule = [sw.dp("data"), sw.megatron("model")]
  plans = [planned(function, params, points, mesh=mesh, schedule=schedule) for function in (once, twice)]
  steps.assert_same(plans[1].jit()(params, points), twice(params, points))
  assert [plan.estimate.collectives["all_reduce"].count for plan in plans] == [2, 2]

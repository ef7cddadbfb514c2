"""Plans from schedules of tactics: shardings, programs that run, and what they say of themselves."""

import functools
import json
import pathlib
import re
import runpy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shardwright as sw
import steps
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P

DP = [sw.dp("data")]
BOTH = [sw.dp("data"), sw.megatron("model")]


@pytest.fixture(scope="module")
def plan(mesh):
  return sw.plan(steps.mlp_step, steps.mlp_state(), steps.mlp_batch(), mesh=mesh, device="h100", schedule=BOTH)


def test_shardings_have_the_shape_of_the_arguments(plan, mesh):
  state, batch = plan.in_shardings
  assert {k: s.spec for k, s in batch.items()} == {"x": P("data"), "y": P("data")}
  assert (state["w1"].spec, state["w2"].spec) == (P(None, "model"), P("model"))
  new_state, loss = plan.out_shardings
  assert new_state["w1"].spec == P(None, "model") and loss.spec == P()
  assert loss.mesh.shape == mesh.shape


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
@pytest.mark.parametrize("schedule", [DP, BOTH, [sw.zero3("data")], ["zero2(data)"]], ids=str)
def test_runs_like_the_function(mesh, state, batch, schedule, mode):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=schedule)
  result = plan.jit(mode)(state, batch)
  steps.assert_same(result, jax.jit(steps.mlp_step)(state, batch))
  for (path, array), sharding in zip(jax.tree.leaves_with_path(result), jax.tree.leaves(plan.out_shardings)):
    assert array.sharding.is_equivalent_to(sharding, array.ndim), path


def test_shardings_serve_plain_jit(plan, state, batch):
  step = jax.jit(steps.mlp_step, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
  steps.assert_same(step(state, batch), jax.jit(steps.mlp_step)(state, batch))


def test_step_runs_exactly_the_collectives_that_were_estimated(plan):
  lowered = plan.jit().lower()
  assert lowered.as_text().count("stablehlo.all_reduce") == plan.estimate.collectives["all_reduce"].count == 4
  hlo = lowered.compile().as_text()
  assert "all-reduce(" in hlo and "all-gather" not in hlo and "all-to-all" not in hlo


def test_plans_from_shapes_alone(mesh):
  shapes = jax.eval_shape(lambda: (steps.mlp_state(), steps.mlp_batch()))
  huge = jax.tree.map(lambda s: jax.ShapeDtypeStruct((s.shape[0] * 4096, s.shape[1] * 4096), s.dtype), shapes)
  plan = sw.plan(steps.mlp_step, *huge, mesh=mesh, device="h100", schedule=BOTH, memory="10TB")
  assert plan.in_shardings[0]["w1"].spec == P(None, "model")


def test_steps_feed_one_another(plan, state, batch):
  step = plan.jit()
  expected = state
  for _ in range(3):
    state, loss = step(state, batch)
    expected, expected_loss = jax.jit(steps.mlp_step)(expected, batch)
  steps.assert_same((state, loss), (expected, expected_loss))


def test_donated_arguments_are_used_up(mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH, donate_argnums=0)
  placed = plan.place(state, batch)
  plan.jit()(*placed)
  assert all(array.is_deleted() for array in jax.tree.leaves(placed[0]))
  assert not any(array.is_deleted() for array in jax.tree.leaves(placed[1]))


def test_donation_saves_memory(mesh, state, batch):
  def peak(**more):
    return sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=DP, **more).estimate.peak_bytes

  assert peak(donate_argnames="state") == peak(donate_argnums=(0,)) < peak()


def test_place_moves_nothing_that_lies_there(plan, state, batch):
  placed = plan.place(state, batch)
  again = plan.place(*placed)
  assert all(a is b for a, b in zip(jax.tree.leaves(placed), jax.tree.leaves(again)))
  assert placed[1]["x"].sharding.spec == P("data")


def test_abstract_meshes_run_on_the_devices_there_are(state, batch):
  for mesh in (jax.sharding.AbstractMesh((4, 2), ("data", "model")), {"data": 4, "model": 2}, "data=4,model=2"):
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="tpu-v5e", schedule=BOTH)
    steps.assert_same(plan.jit()(state, batch), jax.jit(steps.mlp_step)(state, batch))


def factors(a):
  return jnp.linalg.cholesky(a)


MATRICES = jnp.stack([jnp.eye(4)] * 16)
SPLIT = [sw.shard("a", 0, "data")]


@pytest.mark.parametrize(
  "device, cholesky",
  [("h100", "@cusolver_potrf_ffi"), ("tpu-v5e", "stablehlo.cholesky"), ("host-cpu", "@lapack_spotrf_ffi")],
)
def test_more_devices_than_are_here_are_planned_as_the_program_that_they_get(device, cholesky):
  plan = sw.plan(factors, MATRICES, mesh={"data": 16}, device=device, schedule=SPLIT)
  assert cholesky in plan.annotated and cholesky in plan.explicit


def test_sizes_that_devices_here_have_are_planned_as_the_program_that_these_get():
  plan = sw.plan(factors, MATRICES, mesh={"data": 8}, device="h100", schedule=SPLIT)
  assert "@lapack_spotrf_ffi" in plan.annotated
  steps.assert_same(plan.jit()(MATRICES), jax.jit(factors)(MATRICES))


def test_a_mesh_of_devices_is_planned_as_the_program_that_they_get(mesh):
  plan = sw.plan(factors, MATRICES, mesh=mesh, device="h100", schedule=SPLIT)
  assert "@lapack_spotrf_ffi" in plan.annotated
  steps.assert_same(plan.jit()(MATRICES), jax.jit(factors)(MATRICES))


def test_jit_with_sizes_plans_for_the_devices_it_runs_on():
  step = sw.jit(factors, mesh={"data": 8}, device="h100", schedule=SPLIT)
  steps.assert_same(step(MATRICES), jax.jit(factors)(MATRICES))


def test_a_profile_in_a_file_says_its_platform(tmp_path):
  profile = pathlib.Path(__file__).parents[2] / "devices" / "tpu-v5e.json"
  (tmp_path / "mine.json").write_text(profile.read_text())
  plan = sw.plan(factors, MATRICES, mesh={"data": 16}, device=str(tmp_path / "mine.json"), schedule=SPLIT)
  assert "stablehlo.cholesky" in plan.annotated


def test_a_mesh_whose_devices_stand_in_another_order(state, batch):
  devices = np.array(jax.devices())[[5, 2, 7, 0, 1, 6, 3, 4]].reshape(2, 4)
  mesh = jax.sharding.Mesh(devices, ("model", "data"))
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, schedule=BOTH)
  result = plan.jit()(state, batch)
  steps.assert_same(result, jax.jit(steps.mlp_step)(state, batch))
  assert result[0]["w1"].sharding.device_set == set(devices.flat)


def test_device_is_that_of_the_mesh(mesh, state, batch):
  assert sw.plan(steps.mlp_step, state, batch, mesh=mesh, schedule=DP).device == "host-cpu"


def test_estimate_has_parts(plan):
  estimate = plan.estimate
  assert estimate.fits and 0 < estimate.compute_seconds <= estimate.step_seconds
  assert estimate.step_seconds == pytest.approx(estimate.compute_seconds + estimate.exposed_communication_seconds)
  assert estimate.collectives["all_gather"].count == 0
  assert estimate.details["device"]


def test_pins_take_partition_specs(mesh, state, batch):
  schedule = [sw.dp("data"), sw.pin("state['w1']", P(None, "model"))]
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=schedule)
  assert plan.in_shardings[0]["w1"].spec == P(None, "model")


def test_pins_may_leave_out_the_last_dims(mesh, state, batch):
  for spec in (P("data"), "[data]"):
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=[sw.pin("state*", spec)])
    assert plan.in_shardings[0]["w1"].spec == P("data")


def test_several_axes_split_a_dim_as_in_a_partition_spec(mesh, state, batch):
  def specs(axes):
    schedule = [sw.shard("batch*", 0, axes)]
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=schedule)
    steps.assert_same(plan.jit()(state, batch), jax.jit(steps.mlp_step)(state, batch))
    return {plan.in_shardings[1][name].spec for name in batch}

  assert specs(("data", "model")) == {P(("data", "model"))}
  assert specs(["data"]) == {P("data")}
  with pytest.raises(sw.PlanError, match=r"axes split a dim in the order of the mesh, data=4,model=2: .* pin"):
    specs(("model", "data"))


def test_numbers_of_numpy_are_numbers(state, batch):
  sizes = {"data": np.prod([2, 2]), "model": np.int32(2)}
  schedule = [sw.shard("batch*", np.int64(0), "data"), sw.auto("model")]
  plan = sw.plan(
    steps.mlp_step, state, batch, mesh=sizes, device="h100", memory=np.int64(10**9), schedule=schedule,
    budget=np.float32(1), seed=np.uint8(3), threads=np.int64(1), donate_argnums=np.int64(0),
  )  # fmt: skip
  assert plan.estimate.limit_bytes == 10**9 and plan.report["search"]["seed"] == 3
  assert plan.in_shardings[1]["x"].spec[0] == "data"


@pytest.mark.parametrize("memory", ["2GB", "2 GB", "2gb", " 2 Gb ", "2000 mb"])
def test_memory_as_people_write_it(memory, mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", memory=memory, schedule=[sw.dp("data")])
  assert plan.estimate.limit_bytes == 2 * 10**9


def test_negative_dims_count_from_the_last(mesh, batch):
  def step(w, b):
    return batch["x"] @ w + b

  plan = sw.plan(step, jnp.ones((32, 8)), jnp.ones(8), mesh=mesh, device="h100", schedule=[sw.shard("*", -1, "model")])
  assert [sharding.spec for sharding in plan.in_shardings] == [P(None, "model"), P("model")]


def test_placed_arrays_stay_on_request(mesh, state, batch):
  sharding = jax.sharding.NamedSharding(mesh, P("model"))
  state = {**state, "w2": jax.device_put(state["w2"], sharding)}

  def spec(**more):
    return (
      sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=DP, **more).in_shardings[0]["w2"].spec
    )

  assert (spec(), spec(keep_placed=True)) == (P(), P("model"))


def test_stated_shardings_are_kept(mesh, state, batch):
  automatic = jax.sharding.Mesh(mesh.devices, mesh.axis_names)

  def step(state, batch):
    w1 = jax.lax.with_sharding_constraint(state["w1"], jax.sharding.NamedSharding(automatic, P(None, "model")))
    return steps.mlp_loss({**state, "w1": w1}, batch)

  plan = sw.plan(step, state, batch, mesh=mesh, device="h100", schedule=DP)
  steps.assert_same(plan.jit()(state, batch), jax.jit(step)(state, batch))
  free = sw.plan(step, state, batch, mesh=mesh, device="h100", schedule=DP, keep_stated=False)
  half = "tensor<32x32xf32>"
  assert half in plan.explicit and half not in free.explicit


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_an_argument_may_come_otherwise_than_the_function_lays_it_out_first(mesh, mode):
  x = np.arange(64.0, dtype=np.float32).reshape(8, 8)
  columns = jax.sharding.NamedSharding(jax.sharding.Mesh(mesh.devices, mesh.axis_names), P(None, "data"))

  def step(x):
    return jnp.sin(jax.lax.with_sharding_constraint(x, columns)) * 2

  for function in (step, jax.jit(step)):
    plan = sw.plan(function, x, mesh=mesh, schedule=[sw.shard("x", 0, "data")])
    assert plan.in_shardings[0].spec == P("data")
    assert plan.estimate.collectives["all_to_all"].count == 2
    steps.assert_same(plan.jit(mode)(x), jnp.sin(x) * 2)
    assert sw.plan(function, x, mesh=mesh, schedule=["remake(0)"]).in_shardings[0].spec == P(None, "data")


def test_an_argument_comes_as_the_function_was_jitted_to_take_it(mesh):
  x = np.ones((8, 8), np.float32)
  columns = jax.sharding.NamedSharding(jax.sharding.Mesh(mesh.devices, mesh.axis_names), P(None, "data"))
  step = jax.jit(lambda x, y: jnp.sin(x) * y, in_shardings=(columns, None), donate_argnums=0)
  for function in (step, lambda x, y: step(x, y) + 1):
    assert sw.plan(function, x, x, mesh=mesh, schedule=["remake(0)"]).in_shardings[0].spec == P(None, "data")
    with pytest.raises(sw.Contradiction, match="x.* dim 0 is given to axis `data`"):
      sw.plan(function, x, x, mesh=mesh, schedule=[sw.shard("x", 0, "data")])
    assert sw.plan(function, x, x, mesh=mesh, schedule=[sw.shard("y", 0, "data")])


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_dims_that_are_stated_to_be_free_are_split(mesh, state, batch, mode, tmp_path):
  free = P.UNCONSTRAINED

  def step(state, batch):
    hidden = jnp.tanh(jax.lax.with_sharding_constraint(batch["x"] @ state["w1"], P(free, "model")))
    hidden = jax.lax.with_sharding_constraint(hidden, P(free, None))
    return jnp.mean((hidden @ state["w2"] - batch["y"]) ** 2)

  plan = sw.plan(step, state, batch, mesh=mesh, device="h100", schedule=DP)
  assert plan.estimate.collectives["all_gather"].count == 1
  assert plan.estimate.collectives["all_gather"].bytes == 16 * 64 * 4 / mesh.shape["data"], "of the hidden dim alone"
  steps.assert_same(plan.jit(mode)(state, batch), steps.mlp_loss(state, batch))
  plan.save(tmp_path / "plan.json")
  again = sw.plan(step, state, batch, mesh=mesh, device="h100", plan=tmp_path / "plan.json")
  assert again.estimate.collectives == plan.estimate.collectives


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_keys_of_examples_are_split_with_them(mesh, state, batch, mode):
  """JAX states of an array of keys that the words of each lie together, and nothing else."""
  rows = len(batch["x"])

  def step(keys, state, batch):
    noise = jax.vmap(lambda key: jax.random.normal(key, batch["x"].shape[1:]))(keys)
    loss, gradients = jax.value_and_grad(steps.mlp_loss)(state, {**batch, "x": batch["x"] + noise})
    return jax.vmap(lambda key: jax.random.split(key)[0])(keys), gradients, loss

  args = jax.random.split(jax.random.key(0), rows), state, batch
  for schedule in (DP, ["shard(keys:0, data)"]):
    plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=schedule)
    assert plan.in_shardings[0].spec == plan.out_shardings[0].spec == P("data")
    assert plan.estimate.collectives["all_gather"].count == 0
    steps.assert_same(plan.jit(mode)(*args), jax.jit(step)(*args), 1e-4)


def test_pins_may_leave_dims_free(mesh, state, batch):
  pin = sw.pin("batch*", P(P.UNCONSTRAINED, "model"))
  plan = sw.plan(steps.mlp_loss, state, batch, mesh=mesh, device="h100", schedule=[*DP, pin])
  assert plan.in_shardings[1]["x"].spec == P("data", "model")
  steps.assert_same(plan.jit()(state, batch), steps.mlp_loss(state, batch))


def test_axes_named_inside_mean_the_mesh_of_the_plan(mesh, state, batch):
  def step(state, batch):
    x = jax.lax.with_sharding_constraint(batch["x"], P("data"))
    return steps.mlp_loss(state, {**batch, "x": x})

  plan = sw.plan(step, state, batch, mesh=mesh, device="h100", schedule=DP)
  steps.assert_same(plan.jit()(state, batch), steps.mlp_loss(state, batch))


def test_a_mesh_with_explicit_axes_may_be_set(mesh, state, batch):
  expected = jax.jit(steps.mlp_step)(state, batch)
  with jax.set_mesh(mesh):
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH)
    result = plan.jit()(state, batch)
  steps.assert_same(result, expected)


def on(mesh, tree):
  return jax.tree.map(lambda a: jax.device_put(a, jax.NamedSharding(mesh, P())), tree)


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
@pytest.mark.parametrize("kind", [AxisType.Explicit, AxisType.Auto], ids=str)
def test_results_lie_on_the_mesh_of_the_arguments(state, batch, mode, kind):
  mesh = jax.make_mesh((4, 2), ("data", "model"), (kind, kind))
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH, donate_argnums=0)
  step = plan.jit(mode)
  start, expected = on(mesh, state), state
  batch = on(mesh, batch)
  for _ in range(3):
    last = state
    state, loss = step(state, batch)
    expected, _ = steps.mlp_step(expected, steps.mlp_batch())
    assert loss.sharding.mesh == mesh and all(a.sharding.mesh == mesh for a in state.values())
  assert all(a.is_deleted() for a in last.values())
  steps.assert_same(state, expected)
  change = jax.tree.map(lambda a, b: a - b, state, start)  # JAX takes no arrays of different meshes.
  assert change["w1"].sharding.mesh == mesh
  jitted = step._jitted_as_given if kind is AxisType.Explicit else step._jitted
  assert jitted._cache_size() == 1  # What came out went in as it was.


def test_arrays_that_lie_nowhere_give_results_that_functions_take(plan, mesh, state, batch):
  state, _ = plan.jit()(state, batch)
  assert set(state["w1"].sharding.mesh.axis_types) == {AxisType.Auto}
  steps.mlp_loss(state, batch)  # On explicit axes JAX would ask how to split what comes out of products.


def test_results_lie_on_the_mesh_that_is_set(plan, mesh, state, batch):
  expected, _ = steps.mlp_step(state, batch)
  with jax.set_mesh(mesh):
    for _ in range(2):
      result, _ = plan.jit()(state, batch)
      steps.assert_same(jax.tree.map(lambda a: a + jnp.ones(a.shape), result), jax.tree.map(lambda a: a + 1, expected))
      placed, _ = plan.place(state, batch)
      assert placed["w1"].sharding.mesh == result["w1"].sharding.mesh == mesh


def test_a_step_of_arrays_on_explicit_axes_can_stand_in_a_jit(plan, mesh, state, batch):
  step = plan.jit()
  expected = steps.mlp_step(steps.mlp_step(state, batch)[0], batch)
  twice = jax.jit(lambda state, batch: step(step(state, batch)[0], batch))
  steps.assert_same(twice(on(mesh, state), on(mesh, batch)), expected)


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_arguments_may_all_be_empty(mesh, mode):
  a, b = jnp.ones((0, 8)), jnp.ones((8, 0))
  plan = sw.plan(lambda a, b: b @ a, a, b, mesh=mesh, device="h100", schedule=[sw.shard("a", 1, "data")])
  steps.assert_same(plan.jit(mode)(a, b), jnp.zeros((8, 8)))


def test_says_what_it_is(plan):
  text = repr(plan)
  for part in ("mlp_step", "data=4,model=2", "h100", "state['w1']", "[-, model]", "all_reduce", "memory"):
    assert part in text, part
  assert all(len(line) < 160 for line in text.splitlines())
  html = plan._repr_html_()
  assert "<table>" in html and "state[&#x27;w1&#x27;]" in html


def test_layers_share_a_row_however_they_are_named(mesh):
  """As flax names them: the number of a layer is part of a key. `w1` and `w2` have their names."""
  shapes = {"w1": (16, 64), "w2": (16, 64)}
  params = {f"Block_{i}": {name: jax.ShapeDtypeStruct(s, jnp.float32) for name, s in shapes.items()} for i in range(3)}

  def loss(params, x):
    for block in params.values():
      x = x + jnp.tanh(x @ block["w1"]) @ block["w2"].T
    return x.sum()

  x = jax.ShapeDtypeStruct((64, 16), jnp.float32)
  plan = sw.plan(jax.grad(loss), params, x, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.megatron("model")])
  for text in (str(plan), plan.explain()):
    rows = [" ".join(line.split()) for line in text.splitlines()]
    for name in ("w1", "w2"):
      assert any(row.startswith("3 x ") or " 3 x " in row for row in rows if f"params['Block_*']['{name}']" in row), name


def test_what_jax_says_of_random_keys_is_no_stated_sharding(mesh, state, batch):
  def step(state, batch, key):
    keep = jax.random.bernoulli(key, 0.9, batch["x"].shape)
    return steps.mlp_loss(state, batch | {"x": batch["x"] * keep})

  plan = sw.plan(step, state, batch, jax.random.key(0), mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert not any("module states" in remark for remark in plan.report["remarks"]), plan.report["remarks"]


def test_explains_itself(plan):
  text = plan.explain()
  assert "what each axis splits" in text and "megatron(model)" in text
  assert len(plan.explain(rows=0)) >= len(text)


def test_says_why(plan):
  text = plan.why()
  assert "why  dot_general at" in text and "which data splits" in text
  assert re.search(r"state\['w1'\] .*\n      whole along data: .*\n      dim 1: model splits state/", text), text
  assert "more (rows=0 lists them)" in plan.why(rows=1) and "more (" not in plan.why(rows=0)


def test_says_how_to_see_more_in_the_words_of_python(plan):
  text = plan.explain(rows=1)
  assert "more (rows=0 lists them)" in text and "--all" not in text


def test_arguments_that_no_axis_divides_are_said_to_be_so(mesh):
  def step(odd, even, x):
    return jnp.sum(odd) * jnp.sum(even) * x

  args = jnp.ones((7, 3)), jnp.ones((7, 8)), jnp.ones(8)
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")])
  assert {group["pattern"]: group["why"] for group in plan.report["unsharded"]} == {
    "odd": "no axis divides a dim: 7, 3 by data=4, model=2",
    "even": "no tactic asks for it",
  }


@pytest.mark.parametrize(
  "sizes, why",
  [
    ({"one": 1}, {"odd": "the mesh has one device", "x": "the mesh has one device"}),
    ({"one": 1, "two": 2}, {"odd": "no axis divides a dim: 7, 3 by two=2", "x": "one=1 splits nothing"}),
  ],
)
def test_axes_of_size_one_are_no_reason(sizes, why):
  args = jnp.ones((7, 3)), jnp.ones(8)
  plan = sw.plan(lambda odd, x: odd.sum() * x, *args, mesh=sizes, device="h100", schedule=[sw.shard("x", 0, "one")])
  assert {group["pattern"]: group["why"] for group in plan.report["unsharded"]} == why


def test_a_search_says_what_was_not_worth_it(mesh, state, batch):
  plan = sw.plan(steps.mlp_loss, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.auto("model")], budget=20)
  assert "not worth it" in {group["why"] for group in plan.report["unsharded"]}


def test_constants_are_located_where_the_function_is(mesh, state, batch):
  weights = jnp.ones((32, 64))

  def closes_over(state, batch):
    return steps.mlp_loss(state, {**batch, "x": jnp.tanh(batch["x"] @ weights) @ weights.T})

  line = closes_over.__code__.co_firstlineno
  schedule = [sw.shard("batch*", 1, "data")]
  for function in (closes_over, jax.jit(closes_over), functools.partial(closes_over)):
    plan = sw.plan(function, state, batch, mesh=mesh, device="h100", schedule=schedule)
    assert f"constant at {__file__}:{line}:1" in plan.explain(rows=0)
    assert "tracing.py" not in plan.explain(rows=0)


def test_source_paths_have_one_spelling(mesh, batch, tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  (tmp_path / "script.py").write_text("import jax\ndef step(x):\n  return jax.numpy.sum(x) + 1\n")
  step = runpy.run_path("script.py")["step"]
  assert step.__code__.co_filename == "script.py"
  text = sw.plan(step, batch["x"], mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")]).explain()
  assert f" at {tmp_path}/script.py:3" in text and " at script.py" not in text


def test_diff(plan, mesh, state, batch):
  other = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=DP)
  text = plan.diff(other)
  assert "2 of 4 arguments lie elsewhere" in text and "[-, model]" in text and "step" in text
  assert "every argument lies alike" in plan.diff(plan)


def test_plans_of_two_programs_have_no_diff(plan, mesh, state, batch, tmp_path):
  def doubled(x):
    return 2 * x

  other = sw.plan(doubled, batch["x"], mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")])
  with pytest.raises(
    sw.OtherProgram,
    match=r"plans of different programs, mlp_step \(4 arguments, \d+ ops\) and doubled \(1 argument, \d+ ops\): "
    r"state\['w1'\] is only in the first",
  ):
    plan.diff(other)
  other.save(tmp_path / "other.json")
  with pytest.raises(sw.OtherProgram, match=r"mlp_step .* and .*other.json \(1 argument"):
    plan.diff(sw.load(tmp_path / "other.json"))
  shorter = sw.plan(steps.mlp_step, state, steps.mlp_batch(rows=8), mesh=mesh, device="h100", schedule=BOTH)
  with pytest.raises(sw.OtherProgram, match=r"batch\['x'\] is f32\[16,32\] in the first and f32\[8,32\] in the second"):
    plan.diff(shorter)


def test_a_function_that_changed_inside_has_a_diff(plan, mesh, state, batch):
  donating = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH, donate_argnums=0)
  assert "the programs differ inside" in plan.diff(donating)


def test_programs_are_stablehlo(plan):
  assert "sdy.manual_computation" in plan.explicit and "stablehlo.all_reduce" in plan.explicit
  assert "sdy.sharding" in plan.annotated and "shardwright.plan" in plan.annotated


def test_timeline_is_for_trace_viewers(plan):
  assert json.dumps(plan.timeline()) and plan.timeline()["traceEvents"]


def test_bfloat16_stays(mesh):
  state, batch = steps.mlp_state(dtype=jnp.bfloat16), steps.mlp_batch(dtype=jnp.bfloat16)
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=BOTH)
  result = plan.jit()(state, batch)
  assert result[0]["w1"].dtype == jnp.bfloat16
  steps.assert_same(result, jax.jit(steps.mlp_step)(state, batch), tolerance=0.05)


def test_a_plan_or_a_file_serves_instead_of_a_search(plan, mesh, state, batch, tmp_path):
  plan.save(tmp_path / "plan.json")
  for given in (plan, str(tmp_path / "plan.json"), sw.load(tmp_path / "plan.json")):
    again = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", plan=given)
    assert again.in_shardings == plan.in_shardings and not again.report["searches"]


@pytest.mark.parametrize("mode", ["explicit", "annotated"])
def test_meshes_of_any_size(state, batch, mode):
  devices = np.array(jax.devices())
  for mesh in (
    Mesh(devices[:1], ("x",)),
    Mesh(devices[2:6], ("x",)),
    Mesh(devices[:6].reshape(2, 1, 3), ("x", "y", "z")),
  ):
    plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, schedule=[sw.dp("x")])
    steps.assert_same(plan.jit(mode)(state, batch), jax.jit(steps.mlp_step)(state, batch))


def test_turns_that_had_to_be_assumed_are_in_the_report(mesh):
  def halves(x):
    return jax.lax.while_loop(lambda y: jnp.abs(y).max() > 1, lambda y: y / 2, x)

  made = sw.plan(halves, jax.ShapeDtypeStruct((8, 8), jnp.float32), mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")])
  assert any("assumed" in remark or "10" in remark for remark in made.report["remarks"]), made.report["remarks"]


def test_turns_to_assume_may_be_said(mesh):
  def halves(x):
    return jax.lax.while_loop(lambda y: jnp.abs(y).max() > 1, lambda y: y / 2, x)

  def seconds(**more):
    x = jax.ShapeDtypeStruct((8, 8), jnp.float32)
    plan = sw.plan(halves, x, mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")], **more)
    return plan.estimate.step_seconds

  assert seconds(default_trip_count=100) > 5 * seconds() == 5 * seconds(default_trip_count=10)
  step = sw.jit(halves, mesh=mesh, device="h100", schedule=[sw.shard("x", 0, "data")], default_trip_count=100)
  assert step.plan(jnp.ones((8, 8))).estimate.step_seconds == seconds(default_trip_count=100)

"""What goes wrong has a type, and its text names the argument."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shardwright as sw
import steps
from jax.sharding import PartitionSpec as P
from shardwright._src import errors


@pytest.fixture
def plan(mesh, state, batch):
  def make(*schedule, step=steps.mlp_step, args=(state, batch), **more):
    return sw.plan(step, *args, **{"mesh": mesh, "device": "h100", "schedule": list(schedule) or None, **more})

  return make


@pytest.mark.parametrize(
  "schedule, kind, text",
  [
    ([sw.dp("dta")], sw.UnknownAxis, "the mesh has no axis `dta`; it is data=4,model=2"),
    ([sw.shard("btch*", 0, "data")], sw.NoSuchArgument, "`btch*` matches no argument; did you mean"),
    ([sw.shard("*w1", 2, "data")], sw.PlanError, "argument `state['w1']` f32[32,64] has 2 dims, so there is no dim 2"),
    ([sw.pin("*w1", P("data", None, None))], sw.PlanError, "`state['w1']` f32[32,64]: it has 2 dims, the spec 3"),
    (
      [sw.pin("*w1", P("data")), sw.pin("*w1", "[-, data]")],
      sw.Contradiction,
      "`state['w1']` f32[32,64] is pinned to [data, -] by",
    ),
    ([sw.dp("data"), sw.shard("batch*", 0, "data")], sw.Contradiction, "is on axis `data` already, by `dp(data)`"),
    (
      [sw.pin("*w1", "[data, -]"), sw.shard("*w1", 0, "model")],
      sw.Contradiction,
      "contradict each other: argument `state['w1']`",
    ),
    (["shard(batch*:0)"], sw.PlanError, "shard takes PATTERN:DIM, AXIS"),
    (["no_such(data)"], sw.PlanError, "no_such"),
    ([sw.expert("model")], sw.PlanError, "name the dim"),
  ],
  ids=str,
)
def test_tactics(plan, schedule, kind, text):
  with pytest.raises(kind) as caught:
    plan(*schedule)
  assert type(caught.value) is kind
  assert text in str(caught.value)


@pytest.mark.parametrize(
  "options, text",
  [
    ({"schedule": []}, "the schedule is empty: leave `schedule` out"),
    ({"memory": 0.5}, "`memory` is a number of bytes or a text as \"40GB\", not 0.5"),
    ({"memory": [1]}, "not [1]"),
    ({"memory": -5}, "not -5"),
    ({"memory": float("inf")}, "`memory` is a number of bytes or a text as \"40GB\", not inf"),
    ({"memory": float("nan")}, "not nan"),
    ({"memory": ""}, "`memory` is a number of bytes or a text as \"40GB\", not ''"),
    ({"memory": True}, "not True"),
    ({"topology": 3}, "`topology` is a text as"),
    ({"budget": None}, "`budget` is a number of seconds or a text as \"10s,20000\", not None"),
    ({"seed": "a"}, "`seed` is a number, not 'a'"),
    ({"seed": 2**70}, f"seed is {2**70}; it is a number from 0 on, at most {2**64 - 1}"),
    ({"threads": 100000}, "threads is 100000; it is a number from 0 on, at most 1024"),
    ({"threads": 1.5}, "`threads` is a number, not 1.5"),
    ({"threads": True}, "`threads` is a number, not True"),
    ({"default_trip_count": 2**63}, f"default_trip_count is {2**63}; it is a number from 0 on"),
    ({"plan": 3}, "`plan` is a sw.Plan, what sw.load gives or the path of a file, not 3"),
    ({"static_argnums": 1, "donate_argnums": 1}, "mlp_step: argument 'batch' is static and donated"),
    ({"static_argnums": -1, "donate_argnames": "batch"}, "mlp_step: argument 'batch' is static and donated"),
    ({"schedule": [sw.dp("data")], "plan": "plan.json"}, "`plan` and `schedule` are both given"),
  ],
  ids=str,
)
def test_options(plan, options, text):
  with pytest.raises(sw.PlanError) as caught:
    plan(**options)
  assert text in str(caught.value)


def test_axes_are_texts():
  with pytest.raises(sw.PlanError, match="shard: 3 is neither the name of an axis nor several"):
    sw.shard("x", 0, 3)
  with pytest.raises(sw.PlanError, match="pin: 3 is neither the name of an axis nor several"):
    sw.pin("x", [None, 3])
  with pytest.raises(sw.PlanError, match="shard: a dim is a whole number, not 'a'"):
    sw.shard("x", "a", "data")


def test_links_may_be_a_dict(plan):
  with pytest.raises(sw.PlanError, match="nowhere"):
    plan(sw.dp("data"), topology={"data": "nowhere"})


def test_an_axis_that_does_not_divide_names_argument_dim_and_sizes(plan, state):
  batch = steps.mlp_batch(rows=6)
  with pytest.raises(
    sw.Indivisible, match=r"`batch\['x'\]` f32\[6,32\]: dim 0 has size 6, which axis `data` of size 4 does not divide"
  ):
    plan(sw.shard("batch*", 0, "data"), args=(state, batch))


def test_every_kind_of_native_error_is_reached_by_some_test():
  kinds = {kind for _, kind in errors._KINDS}
  tested = {sw.UnknownAxis, sw.NoSuchArgument, sw.Indivisible, sw.Contradiction, sw.UnknownDevice, sw.OtherProgram}
  assert kinds == tested


def test_memory_that_is_too_small_names_the_smallest_peak(plan):
  with pytest.raises(sw.DoesNotFit) as caught:
    plan(sw.dp("data"), memory=2000)
  error = caught.value
  assert error.limit == 2000 < error.smallest_peak == error.plan.estimate.peak_bytes
  assert "the smallest peak is" in str(error) and "the limit is 2 kB" in str(error)
  assert "tried" not in str(error), "nothing was searched"
  assert "DOES NOT FIT" in repr(error.plan)


def test_a_search_that_finds_nothing_says_how_much_it_tried(plan):
  with pytest.raises(sw.DoesNotFit, match="; 20 plans were tried, the budget ended the search and a larger one may"):
    plan(sw.auto("data", "model"), memory=2000, budget="20")


def test_device(plan):
  with pytest.raises(sw.UnknownDevice, match="unknown device `h20`; known are a100-40"):
    plan(sw.dp("data"), device="h20")


def test_devices_are_named_in_any_case(plan):
  assert plan(sw.dp("data"), device="H100").device == "h100"
  assert plan(sw.dp("data"), device="TPU-v5e").report["device"] == "tpu-v5e"


def test_a_function_that_does_not_trace(plan):
  with pytest.raises(sw.TraceError, match="bad_step does not trace: TypeError: dot_general requires") as caught:

    def bad_step(state, batch):
      return batch["x"] @ batch["x"]

    plan(sw.dp("data"), step=bad_step)
  assert isinstance(caught.value.__cause__, TypeError)


def test_a_mesh_larger_than_the_machine_plans_and_does_not_run(plan):
  made = plan(sw.dp("data"), mesh={"data": 16, "model": 64})
  with pytest.raises(sw.MeshError, match="the mesh data=16,model=64 has 1024 devices and JAX has 8"):
    made.jit()


def test_what_only_other_devices_can_run(plan, mesh, monkeypatch):
  def step(a, b):
    return jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(a), b, lower=True)

  args = jnp.eye(8), jnp.ones((8, 4))
  with monkeypatch.context() as without:
    without.setattr(jax, "devices", lambda: [])
    made = plan(sw.auto("data"), step=step, args=args, mesh={"data": 4, "model": 2}, device="h100")
  with pytest.raises(sw.MeshError, match="step was planned for h100, as a program for cuda") as caught:
    made.jit()
  assert "that calls cusolver_potrf_ffi, which a program for cpu does not; to run it here, plan it" in str(caught.value)
  with pytest.raises(sw.MeshError, match="as a program for cuda"):
    made.jit("annotated", mesh=mesh)


def test_meshes(plan, state, batch):
  with pytest.raises(sw.MeshError, match="the mesh is int"):
    plan(mesh=8)
  with pytest.raises(sw.MeshError, match="`data` is no mesh"):
    plan(mesh="data")
  with pytest.raises(sw.MeshError, match="axis 'a-b' of the mesh"):
    plan(mesh={"a-b": 8})
  with pytest.raises(sw.MeshError, match="axis 'a' of the mesh has size 0"):
    plan(mesh={"a": 0})
  with pytest.raises(sw.MeshError, match="the mesh has no axes"):
    plan(mesh={})
  with pytest.raises(sw.MeshError, match="names an axis twice"):
    plan(mesh="a=2,a=4")
  made = plan(sw.dp("data"))
  with pytest.raises(sw.MeshError, match="the plan is for data=4,model=2, and the mesh is x=8"):
    made.jit(mesh=jax.make_mesh((8,), ("x",)))


def test_other_arguments_than_planned(plan, state, batch):
  step = plan(sw.dp("data")).jit()
  with pytest.raises(
    sw.ArgumentMismatch, match=r"batch\['x'\] is float32\[8,32\], and it was planned for float32\[16,32\]"
  ):
    step(state, {**batch, "x": batch["x"][:8]})
  with pytest.raises(sw.ArgumentMismatch, match=r"state\['w1'\] is bfloat16"):
    step({**state, "w1": state["w1"].astype(jnp.bfloat16)}, batch)
  with pytest.raises(sw.ArgumentMismatch, match=r"state\['w3'\] too many; arguments are"):
    step({**state, "w3": state["w1"]}, batch)
  with pytest.raises(sw.ArgumentMismatch, match=r"state\['w2'\] missing; arguments are"):
    step({"w1": state["w1"]}, batch)
  with pytest.raises(sw.ArgumentMismatch, match=r"batch\['y'\] missing; arguments are"):
    step(state, batch={"x": batch["x"]})
  with pytest.raises(sw.ArgumentMismatch, match="laid out otherwise; arguments are"):
    step(collections.OrderedDict(state), batch)


def test_an_array_that_is_donated_is_passed_once(plan, mesh):
  def step(m, v, x):
    return m + x.sum(), v * x.sum()

  array = jnp.ones((16, 8))
  made = plan(sw.shard("*", 0, "data"), step=step, args=(array, array, array), donate_argnums=(0, 1))
  run = made.jit()
  m, v, x = made.place(jnp.ones((16, 8)), jnp.ones((16, 8)), jnp.ones((16, 8)))
  with pytest.raises(sw.ArgumentMismatch, match=r"step: v is the same array as m, and m is donated.*\(jnp\.copy\)"):
    run(m, m, x)
  with pytest.raises(sw.ArgumentMismatch, match="step: x is the same array as m, and m is donated"):
    run(m, v, m)
  run(m, v, x)
  jax.jit(lambda a: run(a, a, a))(array)  # Nothing is donated inside another program.


@pytest.mark.parametrize("spec", [P(), P("data")], ids=str)
def test_an_array_that_is_moved_may_be_passed_twice(plan, spec):
  def step(m, v):
    return m + 1, v + m.sum()

  array = jnp.ones((16, 8))
  run = plan(sw.pin("*", spec), step=step, args=(array, array), donate_argnums=(0, 1)).jit()
  steps.assert_same(run(array, array), step(array, array))
  numbers = np.ones((16, 8), np.float32)
  steps.assert_same(run(numbers, numbers), step(array, array))
  steps.assert_same(run(*run(array, array)), step(*step(array, array)))


def test_a_step_does_not_go_under_vmap(plan, state, batch):
  batches = jax.tree.map(lambda a: jnp.stack([a, a]), batch)
  for mode in ("explicit", "annotated"):
    step = plan(sw.dp("data")).jit(mode)
    for function in (step, jax.jit(step)):
      with pytest.raises(sw.PlanError, match=r"mlp_step was planned as it is and has no batched form; .*jax\.vmap"):
        jax.vmap(function, in_axes=(None, 0))(state, batches)


def test_a_plan_is_compared_with_a_plan(plan):
  with pytest.raises(sw.PlanError, match="`diff` compares with a sw.Plan or what sw.load gives, not with 3"):
    plan(sw.dp("data")).diff(3)


def test_callbacks_are_refused_when_run(plan):
  def step(state, batch):
    jax.debug.print("loss {}", steps.mlp_loss(state, batch))
    return steps.mlp_loss(state, batch)

  made = plan(sw.dp("data"), step=step)
  with pytest.raises(sw.PlanError, match="calls back into Python"):
    made.jit()(steps.mlp_state(), steps.mlp_batch())


def test_callbacks_in_order_are_refused(plan):
  def step(state, batch):
    jax.debug.print("loss {}", steps.mlp_loss(state, batch), ordered=True)
    return steps.mlp_loss(state, batch)

  with pytest.raises(sw.PlanError, match="step calls back into Python in order .*; leave the order out"):
    plan(sw.dp("data"), step=step)


def test_options_that_there_are_not(plan):
  with pytest.raises(sw.PlanError, match="there is no search 'luck'; there are mcts"):
    plan(search="luck")
  with pytest.raises(sw.PlanError, match="`soon` is no budget"):
    plan(budget="soon")
  with pytest.raises(sw.PlanError, match="`much` is not an amount of memory"):
    plan(memory="much")
  with pytest.raises(sw.PlanError, match="a schedule is a list of tactics"):
    plan(schedule=sw.dp("data"))
  with pytest.raises(sw.PlanError, match="mlp_step has no argument `kind`"):
    plan(static_argnames="kind")
  with pytest.raises(sw.PlanError, match="the mode is one of explicit, annotated"):
    plan(sw.dp("data")).jit("fast")


def test_all_are_shardwright_errors():
  kinds = [getattr(sw, name) for name in sw.__all__]
  kinds = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception)]
  assert len(kinds) == 12 and all(issubclass(kind, sw.ShardwrightError) for kind in kinds)


def test_a_branch_on_a_value_names_the_argument(plan):
  def branch(state, batch):
    return batch["x"] if state["w1"][0, 0] > 0 else batch["y"]

  with pytest.raises(
    sw.TraceError, match=r"branch does not trace: .*depends on the value of the argument state\['w1'\]"
  ):
    plan(sw.dp("data"), step=branch)


@pytest.mark.parametrize(
  "options, text",
  [
    ({"seed": -1}, "seed is -1"),
    ({"threads": -2}, "threads is -2"),
    ({"static_argnums": 7}, "mlp_step has 2 positional arguments, so there is no argument 7"),
    ({"donate_argnames": "stat"}, "mlp_step has no argument `stat`"),
    ({"memory": "lots"}, "`lots` is not an amount of memory"),
    ({"budget": "soon"}, "`soon` is no budget"),
    ({"search": "best"}, "there is no search 'best'"),
    ({"default_trip_count": -1}, "default_trip_count is -1; it is a number from 0 on"),
    ({"default_trip_count": "many"}, "`default_trip_count` is a number, not 'many'"),
  ],
  ids=str,
)
def test_options_that_mean_nothing(plan, options, text):
  with pytest.raises(sw.PlanError, match=text):
    plan(sw.dp("data"), **options)

"""The named strategies on steps and decoding loops of many shapes: they take what one expects, and numbers stay."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import shardwright as sw
import steps
from jax import lax
from jax.sharding import PartitionSpec as P

RNG = np.random.default_rng(0)
WIDTH, HIDDEN, ROWS = 16, 32, 32
ADAM = optax.adam(1e-2)
LBFGS = optax.lbfgs(memory_size=2, linesearch=optax.scale_by_zoom_linesearch(max_linesearch_steps=4))


def f32(*shape):
  return jnp.asarray(RNG.normal(0, 0.3, shape), jnp.float32)


def network(inputs=WIDTH, outputs=WIDTH):
  return {"w1": f32(inputs, HIDDEN), "b1": f32(HIDDEN), "w2": f32(HIDDEN, outputs)}


def rows(count=ROWS, inputs=WIDTH, outputs=WIDTH):
  return {"x": f32(count, inputs), "y": f32(count, outputs)}


def apply(p, x):
  return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"]


def square(p, batch):
  return jnp.mean((apply(p, batch["x"]) - batch["y"]) ** 2)


def updated(p, gradients, state):
  updates, state = ADAM.update(gradients, state, p)
  return optax.apply_updates(p, updates), state


def two_trees(a, b, batch):
  def loss(a, b):
    return jnp.mean((apply(b, apply(a, batch["x"])) - batch["y"]) ** 2)

  loss, (of_a, of_b) = jax.value_and_grad(loss, argnums=(0, 1))(a, b)
  descend = lambda p, g: p - 0.1 * g  # noqa: E731
  return jax.tree.map(descend, a, of_a), jax.tree.map(descend, b, of_b), loss


def adversaries(g, d, g_state, d_state, batch):
  def of_d(d):
    return jnp.mean(jax.nn.softplus(-apply(d, batch["x"])) + jax.nn.softplus(apply(d, apply(g, batch["z"]))))

  def of_g(g):
    return jnp.mean(jax.nn.softplus(-apply(d, apply(g, batch["z"]))))

  d_loss, d_gradients = jax.value_and_grad(of_d)(d)
  g_loss, g_gradients = jax.value_and_grad(of_g)(g)
  (d, d_state), (g, g_state) = updated(d, d_gradients, d_state), updated(g, g_gradients, g_state)
  return g, d, g_state, d_state, (g_loss, d_loss)


def moving_average(p, average, state, batch):
  """The average comes back first."""
  loss, gradients = jax.value_and_grad(square)(p, batch)
  p, state = updated(p, gradients, state)
  return jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, average, p), p, state, loss


def two_tasks(trunk, first, second, a, b):
  def loss(networks):
    trunk, first, second = networks
    return square(first, {"x": apply(trunk, a["x"]), "y": a["y"]}) + square(
      second, {"x": apply(trunk, b["x"]), "y": b["y"]}
    )

  loss, gradients = jax.value_and_grad(loss)((trunk, first, second))
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (trunk, first, second), gradients), loss


def accumulated(p, state, parts):
  def add(total, part):
    loss, gradients = jax.value_and_grad(square)(p, part)
    return jax.tree.map(jnp.add, total, gradients), loss

  gradients, losses = lax.scan(add, jax.tree.map(jnp.zeros_like, p), parts)
  return *updated(p, gradients, state), losses.mean()


def many_steps(p, state, batches):
  """A loop trains: one step for each of the batches."""

  def step(carried, batch):
    p, state = carried
    loss, gradients = jax.value_and_grad(square)(p, batch)
    return updated(p, gradients, state), loss

  (p, state), losses = lax.scan(step, (p, state), batches)
  return p, state, losses


def line_search(p, state, batch):
  loss = lambda p: square(p, batch)  # noqa: E731
  value, gradients = optax.value_and_grad_from_state(loss)(p, state=state)
  updates, state = LBFGS.update(gradients, state, p, value=value, grad=gradients, value_fn=loss)
  return optax.apply_updates(p, updates), state, value


def perturbed(p, batch):
  """Sharpness-aware minimization: the gradient at the point uphill."""
  gradients = jax.grad(square)(p, batch)
  uphill = jax.tree.map(lambda p, g: p + 0.05 * g / (optax.global_norm(gradients) + 1e-6), p, gradients)
  return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(square)(uphill, batch))


def picked(p, batch, labels, weights):
  """Each row has a place of its own, rows by a count."""

  def loss(p):
    chosen = jax.nn.log_softmax(apply(p, batch["x"]))[jnp.arange(ROWS), labels]
    return jnp.mean(weights * (chosen + batch["y"][np.arange(ROWS), labels]) ** 2)

  return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p))


def deep_q(p, target, states, actions, rewards, following):
  rows = jnp.arange(ROWS)

  def loss(p):
    best = jnp.argmax(apply(p, following), -1)
    wanted = rewards + 0.9 * apply(target, following)[rows, best]
    return jnp.mean((apply(p, states)[rows, actions] - lax.stop_gradient(wanted)) ** 2)

  loss, gradients = jax.value_and_grad(loss)(p)
  return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), loss


def contrast(p, a, b):
  """The two views of each example go through the network together."""

  def loss(p):
    z = apply(p, jnp.concatenate([a, b]))
    same = jnp.roll(jnp.eye(2 * ROWS), ROWS, axis=0)
    return -jnp.sum(same * jax.nn.log_softmax(z @ z.T - 1e9 * jnp.eye(2 * ROWS))) / ROWS

  loss, gradients = jax.value_and_grad(loss)(p)
  return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), loss


def preference(p, reference, chosen, rejected):
  """Both answers go through the policy together, and through a model that is not trained."""

  def loss(p):
    both = jnp.concatenate([chosen, rejected])
    better, worse = jnp.split(apply(p, both).sum(-1) - apply(reference, both).sum(-1), 2)
    return -jnp.mean(jax.nn.log_sigmoid(better - worse))

  loss, gradients = jax.value_and_grad(loss)(p)
  return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), loss


def critic_of_both(g, d, real, noise):
  """The critic sees real and made examples in one batch."""

  def of_d(d):
    truth = jnp.concatenate([jnp.ones(ROWS), jnp.zeros(ROWS)])
    return optax.sigmoid_binary_cross_entropy(apply(d, jnp.concatenate([real, apply(g, noise)]))[:, 0], truth).mean()

  d_loss, d_gradients = jax.value_and_grad(of_d)(d)
  g_loss, g_gradients = jax.value_and_grad(lambda g: -apply(d, apply(g, noise)).mean())(g)
  descend = lambda p, g: p - 0.1 * g  # noqa: E731
  return jax.tree.map(descend, g, g_gradients), jax.tree.map(descend, d, d_gradients), d_loss, g_loss


def halves(p, first, second, x, y):
  """Each half of the batch has a task of its own."""

  def loss(networks):
    p, first, second = networks
    h, n = apply(p, x), ROWS // 2
    return jnp.mean((apply(first, h[:n]) - y[:n]) ** 2) + jnp.mean((apply(second, h[n:]) - y[n:]) ** 2)

  loss, gradients = jax.value_and_grad(loss)((p, first, second))
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (p, first, second), gradients), loss


def graph_attention(p, nodes, senders, receivers, labels):
  """Edges have nothing of their own: inputs hold which nodes they join."""

  def loss(p):
    h, count = apply(p, nodes), nodes.shape[0]
    score = jax.nn.leaky_relu((h @ p["a"])[senders] + (h @ p["b"])[receivers])
    weight = jnp.exp(score - jax.ops.segment_max(score, receivers, count)[receivers])
    total = jax.ops.segment_sum(weight, receivers, count)
    h = jax.ops.segment_sum((weight / (total[receivers] + 1e-9))[:, None] * h[senders], receivers, count)
    return jnp.mean((h - jax.nn.one_hot(labels, h.shape[1])) ** 2)

  loss, gradients = jax.value_and_grad(loss)(p)
  return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), loss


def molecules(p, trunk, atoms, bonds, angles, energies):
  """Angles look up bonds, bonds look up atoms, and molecules are sums of atoms."""

  def loss(p, trunk):
    h, count = atoms["x"], atoms["x"].shape[0]
    m = apply(p, bonds["x"] + h[bonds["from"]] - h[bonds["to"]])
    m = m + jax.ops.segment_sum(apply(p, angles["x"] + m[angles["from"]]), angles["to"], m.shape[0])
    h = apply(trunk, h + jax.ops.segment_sum(m, bonds["to"], count))
    return jnp.mean((jax.ops.segment_sum(h.mean(1), atoms["of"], energies.shape[0]) - energies) ** 2)

  loss, gradients = jax.value_and_grad(loss, argnums=(0, 1))(p, trunk)
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (p, trunk), gradients), loss


def bags(p, table, batch, items):
  """Each row has a bag of items, one list of all rows."""

  def loss(p, table):
    bag = jax.ops.segment_sum(table[items["id"]] * items["weight"][:, None], items["row"], batch["x"].shape[0])
    return square(p, {**batch, "x": batch["x"] + bag})

  loss, gradients = jax.value_and_grad(loss, argnums=(0, 1))(p, table)
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (p, table), gradients), loss


def picks(below, *shape):
  return jnp.asarray(RNG.integers(0, below, shape), jnp.int32)


ONE, TWO, GENERATOR, CRITIC = network(), network(), network(inputs=8), network(outputs=1)
LABELS = jnp.asarray(RNG.integers(0, WIDTH, ROWS), jnp.int32)
# The arguments, which of them are parameters, which are data, and the dim of the data that is the batch.
STEPS = {
  "two_trees": (two_trees, (ONE, TWO, rows()), (0, 1), (2,), 0),
  "adversaries": (
    adversaries,
    (GENERATOR, CRITIC, ADAM.init(GENERATOR), ADAM.init(CRITIC), {"x": f32(ROWS, WIDTH), "z": f32(ROWS, 8)}),
    (0, 1),
    (4,),
    0,
  ),
  "moving_average": (moving_average, (ONE, ONE, ADAM.init(ONE), rows()), (0,), (3,), 0),
  "two_tasks": (two_tasks, (ONE, TWO, CRITIC, rows(), rows(16, outputs=1)), (0, 1, 2), (3, 4), 0),
  "accumulated": (
    accumulated, (ONE, ADAM.init(ONE), {"x": f32(4, ROWS, WIDTH), "y": f32(4, ROWS, WIDTH)}), (0,), (2,), 1
  ),
  "many_steps": (
    many_steps, (ONE, ADAM.init(ONE), {"x": f32(4, ROWS, WIDTH), "y": f32(4, ROWS, WIDTH)}), (0,), (2,), 1
  ),
  "line_search": (line_search, (ONE, LBFGS.init(ONE), rows()), (0,), (2,), 0),
  "perturbed": (perturbed, (ONE, rows()), (0,), (1,), 0),
  "picked": (picked, (ONE, rows(), LABELS, f32(ROWS)), (0,), (1, 2, 3), 0),
  "contrast": (contrast, (ONE, f32(ROWS, WIDTH), f32(ROWS, WIDTH)), (0,), (1, 2), 0),
  "preference": (preference, (ONE, TWO, f32(ROWS, WIDTH), f32(ROWS, WIDTH)), (0,), (2, 3), 0),
  "critic_of_both": (critic_of_both, (GENERATOR, CRITIC, f32(ROWS, WIDTH), f32(ROWS, 8)), (0, 1), (2, 3), 0),
  "halves": (halves, (ONE, TWO, network(), f32(ROWS, WIDTH), f32(ROWS, WIDTH)), (0, 1, 2), (3, 4), 0),
  "deep_q": (deep_q, (ONE, TWO, f32(ROWS, WIDTH), LABELS, f32(ROWS), f32(ROWS, WIDTH)), (0,), (2, 3, 4, 5), 0),
}  # fmt: skip
HALVES = {"w1": P(None, "model"), "b1": P("model"), "w2": P("model")}


def planned(name, mesh, *schedule, cases=STEPS):
  function, args, parameters, data, dim = cases[name]
  plan = sw.plan(function, *args, mesh=mesh, device="h100", schedule=schedule)
  steps.assert_same(plan.jit()(*args), jax.jit(function)(*args), 1e-4)
  batch = P(*[None] * dim, "data")
  return [plan.in_shardings[i] for i in parameters], [plan.in_shardings[i] for i in data], batch


def specs(shardings):
  return {sharding.spec for sharding in jax.tree.leaves(shardings)}


@pytest.mark.parametrize("name", STEPS)
def test_data_parallelism(name, mesh):
  parameters, data, batch = planned(name, mesh, sw.dp("data"))
  assert specs(data) == {batch} and specs(parameters) == {P()}


@pytest.mark.parametrize("name", STEPS)
def test_zero3_splits_all_parameters(name, mesh):
  parameters, data, batch = planned(name, mesh, sw.zero3("data"))
  assert specs(data) == {batch} and all("data" in spec for spec in specs(parameters))


@pytest.mark.parametrize("name", STEPS)
def test_zero2_keeps_all_parameters_whole(name, mesh):
  parameters, data, batch = planned(name, mesh, sw.zero2("data"))
  assert specs(data) == {batch} and specs(parameters) == {P()}


JOINED_BY_INDICES = {
  "graph_attention": (
    graph_attention,
    ({**ONE, "a": f32(WIDTH), "b": f32(WIDTH)}, f32(64, WIDTH), picks(64, 256), picks(64, 256), picks(WIDTH, 64)),
    (0,),
    (1, 2, 3, 4),
    0,
  ),
  "molecules": (
    molecules,
    (
      ONE,
      TWO,
      {"x": f32(64, WIDTH), "of": picks(16, 64)},
      {"x": f32(128, WIDTH), "from": picks(64, 128), "to": picks(64, 128)},
      {"x": f32(256, WIDTH), "from": picks(128, 256), "to": picks(128, 256)},
      f32(16),
    ),
    (0, 1),
    (2, 3, 4, 5),
    0,
  ),
  "bags": (
    bags,
    (ONE, f32(64, WIDTH), rows(), {"id": picks(64, 128), "weight": f32(128), "row": picks(ROWS, 128)}),
    (0, 1),
    (2, 3),
    0,
  ),
}


@pytest.mark.parametrize("strategy", [sw.dp, sw.zero2, sw.zero3])
@pytest.mark.parametrize("name", JOINED_BY_INDICES)
def test_what_indices_join_is_split_together(name, strategy, mesh):
  parameters, data, batch = planned(name, mesh, strategy("data"), cases=JOINED_BY_INDICES)
  assert specs(data) == {batch}
  assert all("data" in spec for spec in specs(parameters)) if strategy is sw.zero3 else specs(parameters) == {P()}


def with_a_context(p, encoder, context, batch):
  """All examples attend to one context, which has a network of its own."""

  def loss(p, encoder):
    keys, h = context @ encoder["w1"] @ encoder["w2"], apply(p, batch["x"])
    h = h + jax.nn.softmax(h @ keys.T) @ keys
    return jnp.mean((h - batch["y"]) ** 2)

  loss, gradients = jax.value_and_grad(loss, argnums=(0, 1))(p, encoder)
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (p, encoder), gradients), loss


@pytest.mark.parametrize("strategy", [sw.dp, sw.zero2, sw.zero3])
def test_what_all_examples_share_is_no_batch(strategy, mesh):
  batch = {"x": f32(8, 32, WIDTH), "y": f32(8, 32, WIDTH)}
  args = ONE, TWO, f32(64, WIDTH), batch
  plan = sw.plan(with_a_context, *args, mesh=mesh, device="h100", schedule=[strategy("data")])
  assert specs(plan.in_shardings[3]) == {P("data")} and plan.in_shardings[2].spec == P()
  steps.assert_same(plan.jit()(*args), jax.jit(with_a_context)(*args), 1e-4)


def compared(p, q, x, y):
  """Each with each, and as much is computed of either as of the pairs."""

  def loss(p, q):
    return jnp.mean(jax.nn.logsumexp(apply(p, x) @ apply(q, y).T, axis=1))

  loss, gradients = jax.value_and_grad(loss, argnums=(0, 1))(p, q)
  return *jax.tree.map(lambda p, g: p - 0.1 * g, (p, q), gradients), loss


def test_of_two_batches_that_are_compared_neither_is_left_out(mesh):
  with pytest.raises(sw.PlanError, match="which dim is the batch is in doubt: `x.0` or `y.0`"):
    sw.plan(compared, ONE, TWO, f32(ROWS, WIDTH), f32(16, WIDTH), mesh=mesh, device="h100", schedule=[sw.dp("data")])


def neighbours(p, nodes, senders, receivers):
  return nodes + jax.ops.segment_sum(apply(p, nodes[senders]), receivers, nodes.shape[0])


def test_edges_go_with_the_nodes_where_nothing_is_trained(mesh):
  args = ONE, f32(64, WIDTH), picks(64, 256), picks(64, 256)
  plan = sw.plan(neighbours, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert specs(plan.in_shardings[1:]) == {P("data")} and specs(plan.in_shardings[0]) == {P()}
  collectives = plan.estimate.collectives
  assert collectives["all_gather"].count == collectives["reduce_scatter"].count == 1
  assert collectives["all_reduce"].count == 0


SCALED = {  # Optimizers that sum over their moments, and what a step gathers of two weights with them.
  "lamb": optax.lamb(1e-2),
  "clipped": optax.chain(optax.scale_by_adam(), optax.clip_by_global_norm(1.0), optax.scale(-1e-2)),
  "adafactor": optax.adafactor(1e-2, min_dim_size_to_factor=8),
  "muon": optax.contrib.muon(1e-2),
}


@pytest.mark.parametrize("name", SCALED)
def test_zero2_splits_moments_that_are_summed(name, mesh):
  optimizer = SCALED[name]

  def step(p, state, batch):
    loss, gradients = jax.value_and_grad(square)(p, batch)
    updates, state = optimizer.update(gradients, state, p)
    return optax.apply_updates(p, updates), state, loss

  args = ONE, optimizer.init(ONE), rows()
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.zero2("data")])
  assert specs(plan.in_shardings[0]) == {P()} and specs(plan.in_shardings[2]) == {P("data")}
  state = zip(jax.tree.leaves(plan.in_shardings[1]), jax.tree.leaves(args[1]))
  assert all("data" in sharding.spec for sharding, array in state if array.size > 3)
  steps.assert_same(plan.jit()(*args), jax.jit(step)(*args), 1e-4)


def test_zero2_keeps_frozen_vectors_whole(mesh):
  """Norms and scales of a network that an adapter is trained for."""

  def step(adapters, frozen, batch):
    def loss(adapters):
      x = batch["x"]
      for p, w in zip(adapters, frozen):
        h = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * w["scale"]
        x = x + jnp.tanh(h @ w["w"] + h @ p["a"] @ p["b"])
      return jnp.mean((x - batch["y"]) ** 2)

    loss, gradients = jax.value_and_grad(loss)(adapters)
    return jax.tree.map(lambda p, g: p - 0.1 * g, adapters, gradients), loss

  args = [{"a": f32(WIDTH, 4), "b": f32(4, WIDTH)}] * 2, [{"w": f32(WIDTH, WIDTH), "scale": f32(WIDTH)}] * 2, rows()
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.zero2("data")])
  assert specs(plan.in_shardings[:2]) == {P()} and specs(plan.in_shardings[2]) == {P("data")}
  assert plan.estimate.collectives["all_gather"].count == len(jax.tree.leaves(args[0]))
  steps.assert_same(plan.jit()(*args), jax.jit(step)(*args), 1e-4)


@pytest.mark.parametrize("name", STEPS)
def test_megatron_takes_the_hidden_dim_of_all_networks(name, mesh):
  parameters, data, batch = planned(name, mesh, sw.dp("data"), sw.megatron("model"))
  assert specs(data) == {batch}
  for tree in parameters:
    assert {key: sharding.spec for key, sharding in tree.items()} == HALVES


@pytest.mark.parametrize("name", ["contrast", "preference", "critic_of_both", "halves"])
@pytest.mark.parametrize("named", [False, True])
def test_what_batches_are_put_together_into_is_split(name, named, mesh):
  function, args, _, data, _ = STEPS[name]
  names = [f"{list(inspect.signature(function).parameters)[i]}:0" for i in data] if named else []
  plan = sw.plan(function, *args, mesh=mesh, device="h100", schedule=[sw.dp("data", *names)])
  alone = sw.plan(function, *args, mesh={"data": 1}, device="h100", schedule=[sw.dp("data")])
  assert plan.report["flops"] < 0.3 * alone.report["flops"]


def next_words(p, words):
  """Words are cut inside the step, and a network makes the positions: gradients of its weights are sums over places alone."""

  def loss(p):
    places = jnp.arange(words.shape[1] - 1, dtype=jnp.float32)[:, None]
    x = p["table"][words[:, :-1]] + jnp.tanh(places @ p["frequencies"]) @ p["mix"]
    scores = jax.nn.softmax(jnp.einsum("bsd,btd->bst", x @ p["query"], x @ p["key"]))
    logits = (x + scores @ x) @ p["table"].T
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), words[:, 1:, None], -1).mean()

  return jax.tree.map(lambda w, g: w - 0.1 * g, p, jax.grad(loss)(p))


def next_words_args(batch):
  p = {name: f32(WIDTH, WIDTH) for name in ("mix", "query", "key")}
  p |= {"table": f32(VOCABULARY, WIDTH), "frequencies": f32(1, WIDTH)}
  return p, jnp.asarray(RNG.integers(0, VOCABULARY, (batch, 65)), jnp.int32)


def test_places_with_a_network_of_their_own_are_no_examples(mesh):
  plan = sw.plan(next_words, *next_words_args(16), mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert plan.in_shardings[1].spec == P("data")
  assert {kind for kind, cost in plan.estimate.collectives.items() if cost.count} == {"all_reduce"}


def test_places_of_a_single_example_are_no_batch(mesh):
  with pytest.raises(sw.PlanError, match="no input has a leading dim that could be the batch"):
    sw.plan(next_words, *next_words_args(1), mesh=mesh, device="h100", schedule=[sw.dp("data")])

  def convolved(p, image):
    def loss(p):
      hidden = lax.conv_general_dilated(image, p["kernel"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
      return jnp.mean((jax.nn.relu(hidden).reshape(1, -1, 16) @ p["w"]) ** 2)

    return jax.tree.map(lambda w, g: w - 0.1 * g, p, jax.grad(loss)(p))

  args = {"kernel": f32(3, 3, 8, 16), "w": f32(16, 32)}, f32(1, 32, 32, 8)
  with pytest.raises(sw.PlanError, match="no input has a leading dim that could be the batch"):
    sw.plan(convolved, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")])


def test_examples_that_are_made_inside_along_several_dims(mesh):
  def step(p):
    x = jnp.linspace(0.0, 1.0, 4096)[:, None]
    gradients = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["a"]) @ p["b"] - jnp.sin(x)) ** 2))(p)
    return jax.tree.map(lambda w, g: w - 0.1 * g, p, gradients)

  with pytest.raises(sw.PlanError, match=r"examples are made inside, along one of several dims: .*auto\(AXIS\)"):
    sw.plan(step, {"a": f32(1, 256), "b": f32(256, 1)}, mesh=mesh, device="h100", schedule=[sw.dp("data")])


def test_what_a_solver_needs_whole_joins_no_batch(mesh):
  """The right-hand sides are the rows of the batch; the equations are no rows."""

  def solve(factor, w1, w2, x):
    return jnp.tanh(jax.scipy.linalg.solve_triangular(factor, x.T, lower=True).T @ w1) @ w2

  args = jnp.eye(WIDTH) + jnp.tril(f32(WIDTH, WIDTH)), f32(WIDTH, HIDDEN), f32(HIDDEN, WIDTH), f32(ROWS, WIDTH)
  plan = sw.plan(solve, *args, mesh=mesh, device="h100", schedule=[sw.dp("data", "x:0"), sw.megatron("model")])
  assert [sharding.spec for sharding in plan.in_shardings] == [P(), P(None, "model"), P("model"), P("data")]
  steps.assert_same(plan.jit()(*args), jax.jit(solve)(*args), 1e-4)


def test_guided_sampling_is_split_by_the_batch(mesh):
  """Each example goes through the network with its label and without, in one batch; the examples are no input."""

  def sample(p, table, labels, key):
    both = jnp.concatenate([labels, jnp.full_like(labels, VOCABULARY - 1)])

    def step(x, _):
      with_label, without = jnp.split(apply(p, jnp.concatenate([x, x]) + table[both]), 2)
      return x - 0.1 * (without + 2 * (with_label - without)), None

    return lax.scan(step, jax.random.normal(key, (ROWS, WIDTH)), length=3)[0]

  args = ONE, f32(VOCABULARY, WIDTH), LABELS, jax.random.key(0)
  plan = sw.plan(sample, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert plan.in_shardings[2].spec == P("data") == plan.out_shardings.spec
  assert specs(plan.in_shardings[:2]) == {P()}
  steps.assert_same(plan.jit()(*args), jax.jit(sample)(*args), 1e-4)


def test_data_parallelism_of_a_recurrent_network_that_is_fed_by_time(mesh):
  def step(p, x, labels):
    def loss(p):
      cell = lambda h, x: (jnp.tanh(x @ p["w1"] + h @ p["wh"]),) * 2  # noqa: E731
      _, hidden = lax.scan(cell, jnp.zeros((x.shape[1], HIDDEN)), x)
      return optax.softmax_cross_entropy_with_integer_labels(hidden @ p["w2"], labels).mean()

    loss, gradients = jax.value_and_grad(loss)(p)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, gradients), loss

  args = {**ONE, "wh": f32(HIDDEN, HIDDEN)}, f32(12, ROWS, WIDTH), jnp.asarray(RNG.integers(0, WIDTH, (12, ROWS)))
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert specs(plan.in_shardings[1:]) == {P(None, "data")} and specs(plan.in_shardings[0]) == {P()}
  steps.assert_same(plan.jit()(*args), jax.jit(step)(*args), 1e-4)


# --- decoding ---

VOCABULARY, HEADS, HEAD, LAYERS, BATCH, LENGTH = 32, 4, 4, 2, 8, 6


def layer():
  projections = {name: f32(WIDTH, HEADS, HEAD) for name in "qkv"}
  return {**projections, "o": f32(HEADS, HEAD, WIDTH), "w1": f32(WIDTH, HIDDEN), "w2": f32(HIDDEN, WIDTH)}


DECODER = {"embedding": f32(VOCABULARY, WIDTH), "layers": jax.tree.map(lambda *x: jnp.stack(x), layer(), layer())}
CACHE = jnp.zeros((2, LAYERS, BATCH, LENGTH, HEADS, HEAD))
TOKENS = jnp.asarray(RNG.integers(0, VOCABULARY, (BATCH, 4)))


def decode(p, token, position, keys, values):
  """Layers are stacked, and so are their caches."""

  def block(x, piece):
    p, keys, values = piece
    query, key, value = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in "qkv")
    keys = lax.dynamic_update_slice(keys, key[:, None], (0, position, 0, 0))
    values = lax.dynamic_update_slice(values, value[:, None], (0, position, 0, 0))
    scores = jnp.where(jnp.arange(LENGTH) <= position, jnp.einsum("bhk,bmhk->bhm", query, keys), -1e9)
    x = x + jnp.einsum("bhm,bmhk,hkd->bd", jax.nn.softmax(scores), values, p["o"])
    return x + jnp.tanh(x @ p["w1"]) @ p["w2"], (keys, values)

  x, caches = lax.scan(block, p["embedding"][token], (p["layers"], keys, values))
  return jnp.argmax(x @ p["embedding"].T, -1).astype(token.dtype), *caches


def generate(p, token, keys, values):
  def step(carry, position):
    carry = decode(p, carry[0], position, *carry[1:])
    return carry, carry[0]

  (_, keys, values), tokens = lax.scan(step, (token, keys, values), jnp.arange(LENGTH))
  return tokens, keys, values


LOOPS = {
  "one_step": (lambda p, tokens, keys, values: decode(p, tokens[:, -1], 3, keys, values), (TOKENS, *CACHE)),
  "caches_come_back": (lambda p, tokens, keys, values: generate(p, tokens[:, -1], keys, values), (TOKENS, *CACHE)),
  "tokens_alone": (lambda p, tokens: generate(p, tokens[:, -1], *CACHE)[0].T, (TOKENS,)),
  "tokens_by_time": (lambda p, tokens: generate(p, tokens[:, -1], *CACHE)[0], (TOKENS,)),
  "prompts_by_time": (lambda p, tokens: generate(p, tokens[-1], *CACHE)[0], (TOKENS.T,)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_decoding_is_split_by_the_batch(name, mesh):
  function, data = LOOPS[name]
  for schedule in ([sw.dp("data")], [sw.dp("data"), sw.megatron("model")]):
    plan = sw.plan(function, DECODER, *data, mesh=mesh, device="h100", schedule=schedule)
    for sharding, array in zip(plan.in_shardings[1:], data):
      assert sharding.spec.index("data") == array.shape.index(BATCH)
    assert not any("data" in spec for spec in specs(plan.in_shardings[0]))
    for mode in ("explicit", "annotated"):
      steps.assert_same(plan.jit(mode)(DECODER, *data), jax.jit(function)(DECODER, *data), 1e-4)


def attend(p, x, keys, values, positions):
  scores = jnp.einsum("bd,dhk,bmhk->bhm", x, p["q"], keys)
  scores = jnp.where(jnp.arange(keys.shape[1]) <= positions[:, None, None], scores, -1e9)
  return x + jnp.einsum("bhm,bmhk,hkd->bd", jax.nn.softmax(scores), values, p["o"])


def decode_rows(p, caches, positions, x):
  """Each row is at a place of its own."""
  written = []
  for p, (keys, values) in zip(p, caches):
    key, value = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in "kv")
    keys = keys.at[jnp.arange(BATCH), positions].set(key)
    values = values.at[jnp.arange(BATCH), positions].set(value)
    x = attend(p, x, keys, values, positions)
    x = x + jnp.tanh(x @ p["w1"]) @ p["w2"]
    written.append((keys, values))
  return written, positions + 1, x


def decode_pages(p, caches, positions, x, tables):
  """The rows' keys and values are on pages that are theirs by tables."""
  written = []
  for p, (keys, values) in zip(p, caches):
    key, value = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in "kv")
    page, place = tables[jnp.arange(BATCH), positions // 2], positions % 2
    keys, values = keys.at[page, place].set(key), values.at[page, place].set(value)
    of_rows = [pages[tables].reshape(BATCH, -1, HEADS, HEAD) for pages in (keys, values)]
    x = attend(p, x, *of_rows, positions)
    x = x + jnp.tanh(x @ p["w1"]) @ p["w2"]
    written.append((keys, values))
  return written, positions + 1, x


def decode_stack(p, caches, positions, x):
  """The caches of all layers in one array."""
  keys, values = caches
  for l, p in enumerate(p):  # noqa: E741
    key, value = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in "kv")
    keys = keys.at[l, jnp.arange(BATCH), positions].set(key)
    values = values.at[l, jnp.arange(BATCH), positions].set(value)
    x = attend(p, x, keys[l], values[l], positions)
    x = x + jnp.tanh(x @ p["w1"]) @ p["w2"]
  return (keys, values), positions + 1, x


def decode_stacked_pages(p, caches, positions, x, tables):
  keys, values = caches
  page, place = tables[jnp.arange(BATCH), positions // 2], positions % 2
  for l, p in enumerate(p):  # noqa: E741
    key, value = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in "kv")
    keys, values = keys.at[l, page, place].set(key), values.at[l, page, place].set(value)
    of_rows = [pages[l][tables].reshape(BATCH, -1, HEADS, HEAD) for pages in (keys, values)]
    x = attend(p, x, *of_rows, positions)
    x = x + jnp.tanh(x @ p["w1"]) @ p["w2"]
  return (keys, values), positions + 1, x


POSITIONS = jnp.asarray(RNG.integers(0, LENGTH, BATCH), jnp.int32)
CACHED = {
  "rows": (decode_rows, [(f32(BATCH, LENGTH, HEADS, HEAD),) * 2] * LAYERS, (), P("data")),
  "pages": (decode_pages, [(f32(32, 2, HEADS, HEAD),) * 2] * LAYERS, (jnp.arange(32).reshape(BATCH, 4),), P()),
  "stack": (decode_stack, (f32(LAYERS, BATCH, LENGTH, HEADS, HEAD),) * 2, (), P(None, "data")),
  "stacked_pages": (decode_stacked_pages, (f32(LAYERS, 32, 2, HEADS, HEAD),) * 2, (jnp.arange(32).reshape(BATCH, 4),), P()),
}


@pytest.mark.parametrize("donated", [(), (1, 2)])
@pytest.mark.parametrize("name", CACHED)
def test_what_is_written_into_a_cache_is_no_update_of_a_parameter(name, donated, mesh):
  function, caches, more, spec = CACHED[name]
  args = [layer() for _ in range(LAYERS)], caches, POSITIONS, f32(BATCH, WIDTH), *more
  expected = jax.jit(function)(*args)
  for schedule in ([sw.dp("data")], [sw.dp("data"), sw.megatron("model")]):
    plan = sw.plan(function, *args, mesh=mesh, device="h100", schedule=schedule, donate_argnums=donated)
    assert specs(plan.in_shardings[2:]) == {P("data")}
    for mode in ("explicit", "annotated"):
      steps.assert_same(plan.jit(mode)(*jax.tree.map(jnp.copy, args)), expected, 1e-4)
    if len(schedule) == 1:
      assert specs(plan.in_shardings[0]) == {P()} and specs(plan.in_shardings[1]) == {spec}
  heads = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model")}
  hidden = {"w1": P(None, "model"), "w2": P("model")}
  assert jax.tree.map(lambda sharding: sharding.spec, plan.in_shardings[0]) == [{**heads, **hidden}] * LAYERS


def test_a_cache_that_all_layers_write_into_is_in_memory_once(mesh):
  caches = (jax.ShapeDtypeStruct((LAYERS, BATCH, 4096, HEADS, HEAD), jnp.float32),) * 2
  args = [layer() for _ in range(LAYERS)], caches, POSITIONS, f32(BATCH, WIDTH)
  plan = sw.plan(decode_stack, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")], donate_argnums=1)
  one_device = sum(cache.size * 4 / 4 for cache in caches)
  assert one_device < plan.estimate.peak_bytes < 2 * one_device


# --- weights that hold several projections ---

PARTS = WIDTH + 16  # Of a state-space layer: what goes through the state, and how to write and read it.


def attended(q, k, v, p):
  mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v)
  return mixed.reshape(*mixed.shape[:2], WIDTH) @ p["o"]


def of_rows(x):
  return x.reshape(*x.shape[:2], HEADS, HEAD)


def split_heads(p, x):
  return attended(*map(of_rows, jnp.split(x @ p["qkv"], 3, -1)), p)


def sliced_heads(p, x):
  qkv = x @ p["qkv"]
  return attended(*(of_rows(qkv[..., i * WIDTH : (i + 1) * WIDTH]) for i in range(3)), p)


def reshaped_heads(p, x):
  return attended(*jnp.moveaxis((x @ p["qkv"]).reshape(*x.shape[:2], 3, HEADS, HEAD), 2, 0), p)


def modulated(p, x):
  shift, scale, gate = jnp.split(jnp.tanh(x.mean(1) @ p["modulation"])[:, None], 3, -1)
  return gate * reshaped_heads(p, x * (1 + scale) + shift)


def heads_of_their_own(p, x):
  return attended(*jnp.moveaxis(jnp.einsum("btd,dnhk->btnhk", x, p["qkv"]), 2, 0), p)


def gated(p, x):
  gate, up = jnp.split(x @ p["gate_up"], 2, -1)
  return (jax.nn.silu(gate) * up) @ p["down"]


def state_space(p, x):
  gate, rest = jnp.split(x @ p["in"], [WIDTH], -1)
  h, write, read = jnp.split(jax.nn.silu(rest * p["scale"]), [WIDTH, WIDTH + 8], -1)

  def turn(state, now):
    h, write, read = now
    state = 0.9 * state + h[..., None] * write[:, None, None]
    return state, jnp.einsum("bhks,bs->bhk", state, read)

  turns = jax.tree.map(lambda a: jnp.moveaxis(a, 1, 0), (of_rows(h), write, read))
  _, y = lax.scan(turn, jnp.zeros((x.shape[0], HEADS, HEAD, 8)), turns)
  y = jnp.moveaxis(y, 0, 1).reshape(gate.shape) * jax.nn.silu(gate)
  return (y * lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-5)) @ p["out"]


QKV, ROWS_OF_HEADS = f32(WIDTH, 3 * WIDTH), f32(WIDTH, WIDTH)
# A layer, its weights, those that megatron splits and those that it leaves, being cut.
FUSED = {
  "split": (split_heads, {"qkv": QKV, "o": ROWS_OF_HEADS}, {"o": P("model")}, "qkv"),
  "sliced": (sliced_heads, {"qkv": QKV, "o": ROWS_OF_HEADS}, {"o": P("model")}, "qkv"),
  "reshaped": (reshaped_heads, {"qkv": QKV, "o": ROWS_OF_HEADS}, {"o": P("model")}, "qkv"),
  "modulated": (
    modulated, {"qkv": QKV, "o": ROWS_OF_HEADS, "modulation": f32(WIDTH, 3 * WIDTH)}, {"o": P("model")}, "qkv"
  ),
  "apart": (
    heads_of_their_own,
    {"qkv": f32(WIDTH, 3, HEADS, HEAD), "o": ROWS_OF_HEADS},
    {"qkv": P(None, None, "model"), "o": P("model")},
    None,
  ),
  "gated": (gated, {"gate_up": f32(WIDTH, 2 * HIDDEN), "down": f32(HIDDEN, WIDTH)}, {"down": P("model")}, "gate_up"),
  "state_space": (
    state_space, {"in": f32(WIDTH, PARTS + WIDTH), "scale": f32(PARTS), "out": ROWS_OF_HEADS}, {"out": P("model")}, "in"
  ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUSED)
def test_megatron_splits_what_is_cut_out_of_a_weight(name, mesh):
  layer, weights, split, whole = FUSED[name]

  def step(layers, x, y):
    def loss(layers):
      h = x
      for p in layers:
        h = h + layer(p, h)
      return jnp.mean((h - y) ** 2)

    loss, gradients = jax.value_and_grad(loss)(layers)
    return jax.tree.map(lambda w, g: w - 0.1 * g, layers, gradients), loss

  args = [weights, jax.tree.map(lambda w: 0.9 * w, weights)], f32(8, 6, WIDTH), f32(8, 6, WIDTH)
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.megatron("model")])
  for p in plan.in_shardings[0]:
    assert {key: sharding.spec for key, sharding in p.items()} == {key: split.get(key, P()) for key in p}
  notes = [note for note in plan.report["remarks"] if "cut out of it" in note]
  assert [f"layers/*/{whole}" in note for note in notes] == [True] * (whole is not None)
  whys = {group["pattern"]: group["why"] for group in plan.report["unsharded"]}
  assert whole is None or whys[f"layers/*/{whole}"] == "dims that are cut out of it are split"
  for mode in ("explicit", "annotated"):
    steps.assert_same(plan.jit(mode)(*args), jax.jit(step)(*args), 1e-4)


# --- sequences ---


def test_the_sequence_is_none_of_what_an_optimizer_multiplies(mesh):
  """Shampoo multiplies gradients with themselves, and so the vocabulary with itself."""

  def step(state, tokens):
    p, statistics = state

    def loss(p):
      x = p["embedding"][tokens]
      x = x + jax.nn.softmax(jnp.einsum("btd,bsd->bts", x @ p["q"], x)) @ x
      return jnp.mean(jax.nn.logsumexp(x @ p["head"], -1))

    gradients = jax.grad(loss)(p)
    statistics = jax.tree.map(lambda s, g: 0.9 * s + 0.1 * g @ g.T, statistics, gradients)
    steps = jax.tree.map(lambda s, g: s @ g, statistics, gradients)
    return jax.tree.map(lambda w, step: w - 0.1 * step, p, steps), statistics

  p = {"embedding": f32(VOCABULARY, WIDTH), "q": f32(WIDTH, WIDTH), "head": f32(WIDTH, 40)}
  args = (p, jax.tree.map(lambda w: jnp.eye(len(w)), p)), TOKENS
  plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.sequence("model")])
  assert plan.in_shardings[1].spec == P("data", "model")
  assert specs(plan.in_shardings[0]) == {P()}


# --- attention from block to block ---

BLOCK, SEQUENCE = 4, 16


def into_blocks(x):
  return jnp.moveaxis(x.reshape(BATCH, -1, BLOCK, HEADS, HEAD), (1, 3), (0, 2))


@jax.checkpoint
def blockwise(q, k, v):
  """The softmax goes along, from block of keys to block of keys."""
  places = jnp.arange(BLOCK)

  def of_queries(_, block):
    i, q = block

    def add(carry, block):
      j, k, v = block
      out, most, total = carry
      scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
      scores = jnp.where((i * BLOCK + places)[:, None] >= j * BLOCK + places, scores, -1e9)
      now = jnp.maximum(most, scores.max(-1))
      shares, before = jnp.exp(scores - now[..., None]), jnp.exp(most - now)
      out = out * before[..., None] + jnp.einsum("bhqk,bhkd->bhqd", shares, v)
      return (out, now, total * before + shares.sum(-1)), None

    start = jnp.zeros_like(q), jnp.full(q.shape[:-1], -1e9), jnp.zeros(q.shape[:-1])
    (out, _, total), _ = lax.scan(add, start, (jnp.arange(len(k)), k, v))
    return None, out / total[..., None]

  q, k, v = map(into_blocks, (q, k, v))
  _, out = lax.scan(of_queries, None, (jnp.arange(len(q)), q))
  return jnp.moveaxis(out, (0, 2), (1, 3)).reshape(BATCH, SEQUENCE, HEADS, HEAD)


def test_the_sequence_of_blockwise_attention_is_that_of_the_tokens(mesh):
  def step(p, x, y):
    def loss(p):
      h = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5)
      out = blockwise(*(jnp.einsum("btd,dhk->bthk", h, p[name]) for name in "qkv"))
      h = x + jnp.einsum("bthk,hkd->btd", out, p["o"])
      return jnp.mean((h + jnp.tanh(h @ p["w1"]) @ p["w2"] - y) ** 2)

    loss, gradients = jax.value_and_grad(loss)(p)
    return jax.tree.map(lambda w, g: w - 0.1 * g, p, gradients), loss

  args = layer(), f32(BATCH, SEQUENCE, WIDTH), f32(BATCH, SEQUENCE, WIDTH)
  named = sw.shard("x", 1, "model")
  plans = [
    sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.megatron("model"), last])
    for last in (sw.sequence("model"), named)
  ]
  assert specs(plans[0].in_shardings[1:]) == {P("data", "model")}
  assert plans[0].estimate.collectives == plans[1].estimate.collectives
  for mode in ("explicit", "annotated"):
    steps.assert_same(plans[0].jit(mode)(*args), jax.jit(step)(*args), 1e-4)


# --- random numbers ---


@pytest.mark.parametrize("partitionable", [True, False])
@pytest.mark.parametrize("kind", ["threefry2x32", "rbg"])
def test_dropout_drops_the_same(kind, partitionable, mesh):
  def step(p, batch, key):
    drop, noise = jax.random.split(key)

    def loss(p):
      hidden = jnp.tanh(batch["x"] @ p["w1"] + p["b1"])
      hidden = jnp.where(jax.random.bernoulli(drop, 0.7, hidden.shape), hidden / 0.7, 0)
      return jnp.mean((hidden @ p["w2"] - batch["y"] + jax.random.normal(noise, batch["y"].shape)) ** 2)

    return jax.value_and_grad(loss)(p)

  with jax.threefry_partitionable(partitionable):
    args = ONE, rows(), jax.random.key(3, impl=kind)
    plan = sw.plan(step, *args, mesh=mesh, device="h100", schedule=[sw.dp("data"), sw.megatron("model")])
    for mode in ("explicit", "annotated"):
      steps.assert_same(plan.jit(mode)(*args), jax.jit(step)(*args))

"""Steps that add up the gradients of parts of a batch, in each way that people write them: `dp` splits every part, gradients are sent
once, and the numbers are those of one device."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import shardwright as sw
from jax import lax

PARTS, WIDTH = 4, 32
RNG = np.random.default_rng(0)


def params():
  return {"w1": jnp.asarray(RNG.normal(size=(WIDTH, 64)), jnp.float32), "w2": jnp.asarray(RNG.normal(size=(64, WIDTH)), jnp.float32)}


def loss(p, x):
  return jnp.mean((jnp.tanh(x @ p["w1"]) @ p["w2"] - x) ** 2)


def zeros(p):
  return jax.tree.map(jnp.zeros_like, p)


def updated(p, gradients):
  return jax.tree.map(lambda p, g: p - 0.1 * g / PARTS, p, gradients)


def scanned(p, parts, start=zeros):
  def one(total, x):
    return jax.tree.map(jnp.add, total, jax.grad(loss)(p, x)), None

  return updated(p, lax.scan(one, start(p), parts)[0])


def reshaped(p, x):
  return scanned(p, x.reshape(PARTS, -1, WIDTH))


def interleaved(p, x):
  return scanned(p, x.reshape(-1, PARTS, WIDTH).swapaxes(0, 1))


def sliced(p, x):
  size = x.shape[0] // PARTS
  one = lambda i, total: jax.tree.map(jnp.add, total, jax.grad(loss)(p, lax.dynamic_slice_in_dim(x, i * size, size)))
  return updated(p, lax.fori_loop(0, PARTS, one, zeros(p)))


def unrolled(p, x):
  total = zeros(p)
  for part in jnp.split(x, PARTS):
    total = jax.tree.map(jnp.add, total, jax.grad(loss)(p, part))
  return updated(p, total)


def stacked(p, x):
  return scanned(p, x)


def begun(p, x):
  """The sum does not begin with zeros: weight decay."""
  return scanned(p, x, lambda p: jax.tree.map(lambda w: 0.01 * w, p))


def over_time(p, x):
  """No accumulation, but time comes first, too."""

  def run(p):
    def one(h, x):
      h = jnp.tanh((h + x) @ p["w1"]) @ p["w2"]
      return h, jnp.mean(h**2)

    return lax.scan(one, jnp.zeros(x.shape[1:]), x)[1].mean()

  return updated(p, jax.grad(run)(p))


WAYS = {
  reshaped: (64, WIDTH), interleaved: (64, WIDTH), sliced: (64, WIDTH), unrolled: (64, WIDTH), stacked: (PARTS, 16, WIDTH),
  begun: (PARTS, 16, WIDTH), over_time: (PARTS, 16, WIDTH),
}  # fmt: skip


def flops(function, *args):
  return function.lower(*args).compile().cost_analysis()["flops"]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_dp_splits_each_part(way):
  mesh = jax.make_mesh((8,), ("data",))
  p, x = params(), jnp.asarray(RNG.normal(size=WAYS[way]), jnp.float32)
  plan = sw.plan(way, p, x, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert flops(plan.jit("explicit"), p, x) < flops(jax.jit(way), p, x) / 4
  reduced = plan.estimate.collectives["all_reduce"]
  assert reduced.count == 2 and reduced.bytes == 2 * 4 * WIDTH * 64
  expected = jax.jit(way)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def through_layers(p, x):
  """A loop over layers leaves a stack of gradients."""
  stacked = jax.tree.map(lambda w: jnp.stack([w, w / 2, -w]), p)

  def deep(p, x):
    hidden, _ = lax.scan(lambda h, w: (h + jnp.tanh(h @ w["w1"]) @ w["w2"], None), x, p)
    return jnp.mean(hidden**2)

  def one(total, x):
    return jax.tree.map(jnp.add, total, jax.grad(deep)(stacked, x)), None

  return updated(stacked, lax.scan(one, zeros(stacked), x)[0])


def through_time(p, x):
  """A loop over time adds up gradients."""

  def run(p, x):
    def one(h, x):
      h = jnp.tanh((h + x) @ p["w1"]) @ p["w2"]
      return h, jnp.mean(h**2)

    return lax.scan(one, jnp.zeros(x.shape[1:]), x)[1].mean()

  def one(total, x):
    return jax.tree.map(jnp.add, total, jax.grad(run)(p, x)), None

  return updated(p, lax.scan(one, zeros(p), x)[0])


NESTED = {through_layers: ((PARTS, 16, WIDTH), "x:1", 3), through_time: ((PARTS, 4, 16, WIDTH), "x:2", 1)}


@pytest.mark.parametrize("way", NESTED, ids=lambda way: way.__name__)
def test_sums_of_sums_are_reduced_once(way):
  shape, batch, copies = NESTED[way]
  p, x = params(), jnp.asarray(RNG.normal(size=shape), jnp.float32)
  plan = sw.plan(way, p, x, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.dp("data", batch)])
  reduced = plan.estimate.collectives["all_reduce"]
  assert reduced.count == 2 and reduced.bytes == 2 * copies * 4 * WIDTH * 64
  expected = jax.jit(way)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def test_a_mean_that_is_taken_chunk_by_chunk_is_reduced_once():
  """It starts with Python's numbers, whose type is not settled."""

  def mean(x):
    chunks = x.reshape(len(x), PARTS, -1).swapaxes(0, 1)
    add = lambda sums, x: ((sums[0] + jnp.tanh(x).sum() + 0.1 * (x**2).sum(), sums[1] + (x > 0).sum()), None)  # noqa: E731
    total, count = lax.scan(add, (0.0, 0), chunks)[0]
    return total / count

  x = jnp.asarray(RNG.normal(size=(16, WIDTH)), jnp.float32)
  plan = sw.plan(mean, x, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.dp("data", "x:0")])
  assert {kind: cost.count for kind, cost in plan.estimate.collectives.items() if cost.count} == {"all_reduce": 2}
  for mode in ("explicit", "annotated"):
    np.testing.assert_allclose(plan.jit(mode)(x), mean(x), rtol=1e-5)


def test_zero3_scatters_the_gradients_of_a_recurrent_network_once():
  p, x = params(), jnp.asarray(RNG.normal(size=WAYS[over_time]), jnp.float32)
  plan = sw.plan(over_time, p, x, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.zero3("data", "x:1")])
  assert plan.estimate.collectives["reduce_scatter"].count == 2
  expected = jax.jit(over_time)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def test_zero3_scatters_the_gradients_of_biases_behind_the_loop():
  """A bias is laid along the rows in two steps, and its gradient summed in two, the second over one row."""

  def step(p, x):
    def loss(p):
      turn = lambda h, _: (jnp.tanh(h @ p["w"] + p["b"]), None)  # noqa: E731
      return jnp.mean(lax.scan(turn, x, None, length=6)[0] ** 2)

    return updated(p, jax.grad(loss)(p))

  args = {"w": jnp.eye(16) / 2, "b": jnp.ones(16)}, jnp.ones((16, 16))
  plan = sw.plan(step, *args, mesh={"data": 8}, device="h100", schedule=[sw.zero3("data")])
  assert plan.estimate.collectives["reduce_scatter"].count == 2
  expected = jax.jit(step)(*args)
  for mode in ("explicit", "annotated"):
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), plan.jit(mode)(*args), expected)


def stages(p, x):
  """As those of a Runge-Kutta step are added up."""
  gradients = (jax.grad(loss)(p, x * (k + 1.0)) for k in range(4))
  return jax.tree.map(lambda a, b, c, d: 0.1 / 6 * (a + 2 * b + 2 * c + d), *gradients)


def weighed(p, x):
  return jax.tree.map(jnp.subtract, p, stages(p, x))


def weighed_in_turns(p, x):
  return jax.tree.map(jnp.subtract, p, lax.fori_loop(0, 3, lambda i, t: jax.tree.map(jnp.add, t, stages(p, x + i)), zeros(p)))


@pytest.mark.parametrize("step", [weighed, weighed_in_turns], ids=lambda step: step.__name__)
def test_gradients_that_are_weighed_are_scattered_once(step):
  p, x = params(), jnp.asarray(RNG.normal(size=(16, WIDTH)), jnp.float32)
  plan = sw.plan(step, p, x, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.zero3("data")])
  assert plan.estimate.collectives["reduce_scatter"].count == 2
  expected = jax.jit(step)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-3, atol=1e-4), actual, expected)


def test_zero3_scatters_sums_once_in_each_epoch():
  """Weights that an outer loop trains are as whole for the inner one as those of a single step."""

  def epochs(p, parts):
    return lax.scan(lambda p, _: (scanned(p, parts), None), p, length=3)[0]

  p = {"w1": jax.ShapeDtypeStruct((512, 1024), jnp.float32), "w2": jax.ShapeDtypeStruct((1024, 512), jnp.float32)}
  parts = jax.ShapeDtypeStruct((PARTS, 16, 512), jnp.float32)
  plan = sw.plan(epochs, p, parts, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.zero3("data", "parts:1")])
  sent = {kind: cost.count for kind, cost in plan.estimate.collectives.items() if cost.count}
  assert sent == {"all_gather": 6, "reduce_scatter": 6}


def test_zeros_that_several_sums_begin_with_are_not_sent():
  def shared(p):
    zero = jnp.zeros((WIDTH, WIDTH))
    return {"w1": zero, "w2": zero}

  p = {"w1": params()["w1"][:, :WIDTH], "w2": params()["w2"][:WIDTH]}
  x = jnp.asarray(RNG.normal(size=(PARTS, 16, WIDTH)), jnp.float32)
  plan = sw.plan(
    lambda p, x: scanned(p, x, shared), p, x, mesh=jax.make_mesh((8,), ("data",)), device="h100",
    schedule=[sw.zero3("data", "x:1")],
  )  # fmt: skip
  sent = {kind: cost.count for kind, cost in plan.estimate.collectives.items() if cost.count}
  assert sent == {"all_gather": 2, "reduce_scatter": 2}
  expected = jax.jit(scanned)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def test_stacks_that_are_split_by_layers_are_not_sent_in_each_turn():
  p = jax.tree.map(lambda w: jnp.stack([w / n for n in range(1, 9)]), params())
  x = jnp.asarray(RNG.normal(size=(16, WIDTH)), jnp.float32)

  def deep(p, x):
    def run(p):
      hidden, _ = lax.scan(lambda h, w: (h + jnp.tanh(h @ w["w1"]) @ w["w2"], None), x, p)
      return jnp.mean(hidden**2)

    return updated(p, jax.grad(run)(p))

  plan = sw.plan(deep, p, x, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.shard("p*", 0, "data")])
  sent = {kind: cost.count for kind, cost in plan.estimate.collectives.items() if cost.count}
  assert sent == {"all_gather": 2}
  expected = jax.jit(deep)(p, x)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(p, x)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def shuffled(p, x, key):
  """Epochs over parts of a shuffled batch, each with an update of its own."""

  def epoch(p, key):
    parts = x.reshape(-1, WIDTH)[jax.random.permutation(key, x.shape[0] * x.shape[1])].reshape(PARTS, -1, WIDTH)
    return lax.scan(lambda p, part: (updated(p, jax.grad(loss)(p, part)), None), p, parts)[0], None

  return lax.scan(epoch, p, jax.random.split(key, 2))[0]


def drawn(p, x, key):
  return updated(p, jax.grad(loss)(p, x.reshape(-1, WIDTH)[jax.random.randint(key, (64,), 0, x.shape[0] * x.shape[1])]))


def replayed(state, x, key):
  """Nothing but what the state holds brings examples."""
  p, buffer = state
  buffer = lax.dynamic_update_slice(buffer, x, (key[0].astype(jnp.int32) % 8, 0))
  return updated(p, jax.grad(loss)(p, buffer[jax.random.randint(key, (64,), 0, buffer.shape[0])])), buffer


def dispatched(how):
  """The rows of all sequences go to four networks, each of which has places for 32."""

  def step(p, x, _):
    rows = x.reshape(-1, WIDTH)
    of = jnp.argmax(rows[:, :4], 1)
    chosen = jax.nn.one_hot(of, 4, dtype=jnp.int32)
    place = (jnp.cumsum(chosen, 0) * chosen).sum(1) - 1

    def loss(p):
      if how == "scattered":
        at = jnp.where(place < 32, of * 32 + place, 128)
        sent = jnp.zeros((128, WIDTH)).at[at].set(rows, mode="drop").reshape(4, 32, WIDTH)
      elif how == "gathered":
        source = jnp.full((4, 32), len(rows)).at[of, place].set(jnp.arange(len(rows)), mode="drop")
        sent = rows.at[source].get(mode="fill", fill_value=0)
      else:
        sent = jnp.einsum("te,tc,td->ecd", chosen.astype(jnp.float32), jax.nn.one_hot(place, 32), rows)
      hidden = jnp.tanh(jnp.einsum("ecd,edf->ecf", sent, p["w1"]))
      return jnp.mean(jnp.einsum("ecf,efd->ecd", hidden, p["w2"]) ** 2)

    return updated(p, jax.grad(loss)(p))

  step.__name__ = how
  return step


def sent_to_networks(p, rows):
  """Rows go to one of four networks each, which have places for as many as there are on average, and come back."""
  of, places = jnp.argmax(rows[:, :4], 1), len(rows) // 4
  chosen = jax.nn.one_hot(of, 4, dtype=jnp.int32)
  place = (jnp.cumsum(chosen, 0) * chosen).sum(1) - 1
  sent = jnp.zeros((4, places, WIDTH)).at[of, place].set(rows, mode="drop")
  hidden = jnp.tanh(jnp.einsum("ecd,edf->ecf", sent, p["w1"]))
  back = jnp.einsum("ecf,efd->ecd", hidden, p["w2"]).at[of, place].get(mode="fill", fill_value=0)
  return rows + back


def remade(p, x, _):
  """What layers compute is computed again in the backward pass."""

  def loss(p):
    layer = jax.checkpoint(lambda rows, p: (sent_to_networks(p, rows), None))
    rows, _ = lax.scan(layer, x.reshape(-1, WIDTH), jax.tree.map(lambda w: 0.1 * jnp.stack([w, -w, 2 * w]), p))
    return jnp.mean(rows**2)

  return updated(p, jax.grad(loss)(p))


def forwards(p, x, _):
  return sent_to_networks(p, x.reshape(-1, WIDTH)).reshape(x.shape)


def taught(p, x, _):
  """The teacher, which is not trained, has the networks."""
  student, teacher = p
  return updated(student, jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["w1"]) @ p["w2"] - forwards(teacher, x, _)) ** 2))(student))


MIXED = [remade, forwards, taught, shuffled, drawn, replayed, *map(dispatched, ("scattered", "gathered", "multiplied"))]


@pytest.mark.parametrize("way", MIXED, ids=lambda way: way.__name__)
def test_dp_splits_mixed_examples(way):
  mesh = jax.make_mesh((8,), ("data",))
  one, x, key = params(), jnp.asarray(RNG.normal(size=(16, 16, WIDTH)), jnp.float32), jax.random.PRNGKey(0)
  four = jax.tree.map(lambda w: jnp.stack([w, 2 * w, -w, 3 * w]), one)
  args = {replayed: ((one, x.reshape(-1, WIDTH)), x[0, :1], key), taught: ((one, four), x, key)}.get(
    way, (one if way in (shuffled, drawn) else four, x, key)
  )
  plan = sw.plan(way, *args, mesh=mesh, device="h100", schedule=[sw.dp("data")])
  assert flops(plan.jit("explicit"), *args) < flops(jax.jit(way), *args) / 4
  expected = jax.jit(way)(*args)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(*args)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def chunked_loss(p, x, labels):
  """Attention over the whole sequence, and logits for one chunk of it after the other."""
  x = x + jax.nn.softmax(jnp.einsum("btd,bsd->bts", x, x) / 8, -1) @ x
  chunks = [t.reshape(t.shape[0], PARTS, -1, *t.shape[2:]).swapaxes(0, 1) for t in (x, labels)]

  @jax.checkpoint
  def add(total, chunk):
    logits = chunk[0] @ p["head"]
    picked = jnp.take_along_axis(logits, chunk[1][..., None], -1)[..., 0]
    return total + (jax.nn.logsumexp(logits, -1) - picked).sum(), None

  return lax.scan(add, 0.0, chunks)[0] / labels.size


@pytest.mark.parametrize("over_vocabulary", [False, True])
def test_sequence_splits_what_loops_compute_chunk_by_chunk(over_vocabulary):
  """Where nothing else does."""

  def step(p, x, labels):
    return updated(p, jax.grad(chunked_loss)(p, x, labels))

  p = {"head": jnp.asarray(RNG.normal(size=(WIDTH, 256)), jnp.float32)}
  args = p, jnp.asarray(RNG.normal(size=(4, 64, WIDTH)), jnp.float32), jnp.asarray(RNG.integers(0, 256, (4, 64)))
  schedule = [sw.dp("data"), *[sw.vocab("model")] * over_vocabulary, sw.sequence("model")]
  plan = sw.plan(step, *args, mesh=jax.make_mesh((2, 4), ("data", "model")), device="h100", schedule=schedule)
  assert flops(plan.jit("explicit"), *args) < flops(jax.jit(step), *args) / 6
  assert any("chunks (" in words for words in plan.report["words"]) != over_vocabulary
  expected = jax.jit(step)(*args)
  for mode in ("explicit", "annotated"):
    actual = plan.jit(mode)(*args)
    jax.tree.map(lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected)


def test_dp_splits_networks_side_by_side():
  """What a whole ensemble has as its leading dim is summed in no gradient, and is no loop's either."""

  def one(p, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p, x))

  shapes = jax.tree.map(lambda w: jax.ShapeDtypeStruct((8, *w.shape), w.dtype), params())
  batches = jax.ShapeDtypeStruct((8, 16, WIDTH), jnp.float32)
  plan = sw.plan(jax.vmap(one), shapes, batches, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.dp("data")])
  assert {sharding.spec[0] for sharding in jax.tree.leaves(plan.in_shardings)} == {"data"}


def test_dp_takes_the_batch_and_not_what_is_cut_from_a_table():
  def step(p, x, table):
    def loss(p):
      return jnp.mean((jnp.tanh((x + table[: x.shape[1]]) @ p["w1"]) @ p["w2"]) ** 2)

    return updated(p, jax.grad(loss)(p))

  args = params(), jnp.zeros((16, 8, WIDTH)), jnp.zeros((32, WIDTH))
  plan = sw.plan(step, *args, mesh=jax.make_mesh((8,), ("data",)), device="h100", schedule=[sw.dp("data")])
  specs = [tuple(sharding.spec) for sharding in jax.tree.leaves(plan.in_shardings[1:])]
  assert specs[0][:1] == ("data",) and "data" not in specs[1]

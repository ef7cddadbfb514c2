"""Automatic plans: found, repeated, shown while they are searched, and left when a person wants."""

import logging
import signal
import subprocess
import sys
import threading
import time

import jax
import pytest
import shardwright as sw
import steps


def test_the_whole_mesh_is_searched_by_default(mesh, state, batch):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", budget="200")
  assert plan.tactics == ["auto(data, model)"] and plan.report["search"]["evaluations"] > 0
  steps.assert_same(plan.jit()(state, batch), jax.jit(steps.mlp_step)(state, batch))
  assert "mcts" in repr(plan)


def test_tactics_stand_beside_a_search(mesh, state, batch):
  schedule = [sw.shard("batch*", 0, "data"), sw.auto("model")]
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=schedule, budget="100")
  assert plan.in_shardings[1]["x"].spec[0] == "data"
  steps.assert_same(plan.jit()(state, batch), jax.jit(steps.mlp_step)(state, batch))


def test_a_seed_repeats_with_one_thread(mesh, state, batch):
  def found():
    return sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", budget="150", threads=1, seed=7).plan_json

  assert found() == found()


@pytest.mark.parametrize("search", ["greedy", "random", "exhaustive", "automap"])
def test_other_searches(mesh, state, batch, search):
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", search=search, budget="60")
  assert plan.report["search"]["algorithm"] == search


def test_memory_drives_the_search(state, batch):
  """With room for a part of the state only, the plan must split it."""
  large = jax.tree.map(lambda s: jax.ShapeDtypeStruct((4096, 4096), s.dtype), state)
  batch = jax.tree.map(lambda s: jax.ShapeDtypeStruct((64, 4096), s.dtype), batch)
  plan = sw.plan(steps.mlp_step, large, batch, mesh={"data": 8}, device="h100", memory="150MB", budget="300")
  assert plan.estimate.fits and plan.estimate.peak_bytes <= 150e6
  assert any(any(s.spec) for s in jax.tree.leaves(plan.in_shardings[0]))


def endless(budget, **more):
  """A search that only its budget ends."""
  mesh = {"a": 2, "b": 2, "c": 2}
  return sw.plan(
    steps.deep_step, *steps.deep_arguments(), mesh=mesh, device="h100", search="exhaustive", budget=budget, **more
  )


def test_progress_is_told():
  words = []
  endless(0.6, progress=words.append)
  assert len(words) > 1 and all(len(word) == 5 for word in words)
  assert words[-1][0] >= words[0][0] > 0


def test_even_a_short_search_has_a_last_word(mesh, state, batch):
  words = []
  plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", budget="5", progress=words.append)
  assert words[-1][0] == plan.report["search"]["evaluations"]


def test_progress_on_a_terminal(capsys):
  endless(0.6, progress=True)
  shown = capsys.readouterr().err
  assert "evaluations in" in shown and shown.endswith("\r\x1b[K")


def test_an_error_in_the_callback_ends_the_search():
  def fail(_):
    raise RuntimeError("enough")

  start = time.monotonic()
  with pytest.raises(RuntimeError, match="enough"):
    endless(600.0, progress=fail)
  assert time.monotonic() - start < 60


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # Processes in the background ignore it.
sys.path[:0] = {paths!r}
import steps, shardwright as sw
def tell(word):
  print("searching", flush=True)
try:
  sw.plan(steps.deep_step, *steps.deep_arguments(), mesh={{"a": 2, "b": 2, "c": 2}}, device="h100", search="exhaustive",
          budget=600.0, progress=tell)
except KeyboardInterrupt:
  print("interrupted", flush=True)
  os._exit(0)  # How long JAX takes to end is not asked.
"""


def test_an_interrupt_ends_the_search():
  code = INTERRUPTED.format(paths=[path for path in sys.path if path])
  with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
    try:
      assert child.stdout.readline() == "searching\n"
      child.send_signal(signal.SIGINT)
      assert "interrupted" in child.communicate(timeout=60)[0]
    finally:
      child.kill()


def test_other_threads_run_while_a_search_does():
  ticks = []
  stop = threading.Event()

  def tick():
    while not stop.wait(0.02):
      ticks.append(time.monotonic())

  thread = threading.Thread(target=tick)
  thread.start()
  endless(1.0)
  stop.set()
  thread.join()
  assert len(ticks) >= 5


def test_a_plan_is_logged(mesh, state, batch, caplog):
  with caplog.at_level(logging.INFO, logger="shardwright"):
    sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=["dp(data)"])
  assert "mlp_step for data=4,model=2 on h100: step" in caplog.text

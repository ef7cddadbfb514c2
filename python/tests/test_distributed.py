"""Two processes, four devices each: one plan, one loss."""

import os
import pathlib
import socket
import subprocess
import sys

import jax
import steps

WORKER = pathlib.Path(__file__).with_name("distributed_worker.py")


def free_port():
  with socket.socket() as s:
    s.bind(("localhost", 0))
    return s.getsockname()[1]


def test_two_processes_run_one_plan():
  port, paths = free_port(), [p for p in sys.path if p]
  environment = {**os.environ, "PYTHONHASHSEED": "0"}
  commands = [[sys.executable, str(WORKER), str(port), str(index), *paths] for index in range(2)]
  workers = [
    subprocess.Popen(c, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for c in commands
  ]
  outputs = [worker.communicate(timeout=300) for worker in workers]
  assert [worker.returncode for worker in workers] == [0, 0], outputs
  first, second = (out.splitlines()[-1].split() for out, _ in outputs)
  assert first == second, "plans and losses are those of the first process"
  state, batch, expected = steps.mlp_state(), steps.mlp_batch(), []
  for _ in range(3):
    state, loss = jax.jit(steps.mlp_step)(state, batch)
    expected.append(loss)
  steps.assert_same([jax.numpy.float32(x) for x in first[2:]], expected)

"""One of two processes with four host devices each: distributed_worker.py PORT INDEX PATHS…"""

import os
import sys

port, index, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
sys.path[:0] = paths
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402

jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=index)

import shardwright as sw  # noqa: E402
import steps  # noqa: E402

assert len(jax.devices()) == 8 and len(jax.local_devices()) == 4
mesh = jax.make_mesh((2, 4), ("data", "model"))
state, batch = jax.device_get((steps.mlp_state(), steps.mlp_batch()))
try:  # What is wrong is wrong in every process, and none waits for the others.
  sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", schedule=[sw.dp("no_such")])
except sw.UnknownAxis as error:
  assert "the mesh has no axis `no_such`" in str(error)
else:
  raise AssertionError("an unknown axis was taken")
plan = sw.plan(steps.mlp_step, state, batch, mesh=mesh, device="h100", budget=0.5 + index, seed=index)
step = plan.jit()
losses = []
for _ in range(3):
  state, loss = step(state, batch)
  losses.append(float(loss))
print(hash(plan.plan_json), plan.plan_json.count("\n"), *losses, flush=True)

"""Work spread over processes that may die: XLA ends its process on some inputs, and that is one result among others.

    for item, outcome in run_all(function, items, processes=2, timeout=300):
      outcome.value, or outcome.failure: what went wrong, as text

`function` must be importable by name. Outcomes come as they are ready, not in order.
"""

import dataclasses
import multiprocessing
import multiprocessing.connection
import os
import signal
import tempfile
import time
import traceback
import typing

PROCESSES = int(os.environ.get("SHARDWRIGHT_PROCESSES", 2))
# XLA's memory grows with every program that it compiles.
ITEMS_PER_PROCESS = 400


@dataclasses.dataclass(frozen=True)
class Outcome:
  value: typing.Any = None
  failure: str = ""


def serve(function, connection, stderr):
  """Runs in the worker: items in, outcomes out."""
  os.dup2(os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
  while (item := connection.recv()) is not None:
    try:
      outcome = Outcome(function(*item))
    except Exception:
      outcome = Outcome(failure=traceback.format_exc(limit=-8))
    connection.send(outcome)


class Worker:
  def __init__(self, function):
    context = multiprocessing.get_context("spawn")
    self.connection, theirs = context.Pipe()
    self.stderr = tempfile.NamedTemporaryFile(prefix="worker-", suffix=".log")
    self.process = context.Process(target=serve, args=(function, theirs, self.stderr.name), daemon=True)
    self.process.start()
    theirs.close()
    self.item = None
    self.done = 0
    self.since = 0.0

  def give(self, item):
    self.item = item
    self.since = time.monotonic()
    self.connection.send(item)

  def take(self):
    """The outcome of the item; a process that died leaves what it wrote last."""
    try:
      outcome = self.connection.recv()
    except (EOFError, ConnectionError):
      self.process.join()
      outcome = Outcome(failure=f"{self.ending()}: {self.last_words()}")
    item, self.item = self.item, None
    self.done += 1
    return item, outcome

  def ending(self):
    code = self.process.exitcode
    return f"process ended by {signal.Signals(-code).name}" if code < 0 else f"process ended with status {code}"

  def last_words(self):
    with open(self.stderr.name, errors="replace") as file:
      lines = [line.strip() for line in file if line.strip()]
    telling = [line for line in lines if "Check failed" in line or "LLVM ERROR" in line or "error:" in line]
    return (telling or lines or ["no message"])[-1][:400]

  def stop(self):
    self.process.kill()
    self.process.join()
    self.connection.close()
    self.stderr.close()


def run_all(function, items, processes=PROCESSES, timeout=600):
  """(item, outcome) of every item; an item is the tuple of the function's arguments."""
  waiting = iter(items)
  workers = [Worker(function) for _ in range(processes)]
  try:
    for worker in workers:
      give_next(worker, waiting)
    while any(worker.item is not None for worker in workers):
      for number, worker in enumerate(workers):
        result = poll(worker, workers, timeout)
        if result is None:
          continue
        if not worker.process.is_alive() or worker.done >= ITEMS_PER_PROCESS:
          worker.stop()
          worker = workers[number] = Worker(function)
        give_next(worker, waiting)
        yield result
  finally:
    for worker in workers:
      worker.stop()


def give_next(worker, waiting):
  item = next(waiting, None)
  if item is not None:
    worker.give(item)


def poll(worker, workers, timeout):
  """An outcome of this worker if there is one; waits a little for any of the workers."""
  if worker.item is None:
    return None
  busy = [w.connection for w in workers if w.item is not None]
  multiprocessing.connection.wait(busy, timeout=1)
  if worker.connection.poll():
    return worker.take()
  if time.monotonic() - worker.since > timeout:
    worker.process.kill()
    worker.process.join()
    item, worker.item = worker.item, None
    return item, Outcome(failure=f"no end after {timeout} s")
  return None

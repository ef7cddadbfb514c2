"""jaxlib's own parser, verifier, printer and Shardy passes: the oracle for what we read and print."""

import contextlib
import inspect

import jax
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import chlo, sdy, stablehlo


@contextlib.contextmanager
def context():
  with jax_mlir.make_ir_context() as ctx:
    yield ctx


# Modules of the test data that jaxlib cannot read through Python, with the reason.
UNREADABLE = {"quantized": "jaxlib's Python contexts lack MLIR's quant dialect"}
if jax.__version_info__ < (0, 11):
  newer = "holds ops and attributes that came with jaxlib 0.11"
  UNREADABLE |= {"newer": newer, "unstable_top_k": newer, "reduction_kinds": newer}


def op_names(dialect):
  """Names of all ops that jaxlib's bindings of a dialect module know."""
  classes = [c for c in vars(dialect).values() if inspect.isclass(c)]
  return sorted({c.OPERATION_NAME for c in classes if getattr(c, "OPERATION_NAME", None)})


ALL_OPS = {d.__name__.rsplit(".", 1)[1]: op_names(d) for d in (stablehlo, chlo, sdy)}


def reprint(text, generic=False, locations=False):
  """Parses and verifies `text` and prints it again."""
  with context():
    module = ir.Module.parse(text)
    assert module.operation.verify()
    return module.operation.get_asm(print_generic_op_form=generic, enable_debug_info=locations)


def run_pass(text, pipeline):
  """The module after a pass pipeline, e.g. `func.func(sdy-populate-op-sharding-rules)`."""
  with context():
    module = ir.Module.parse(text)
    passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    return str(module)

"""How many collectives a training step of L pre-norm blocks needs: computed from Shardy's rules and the law by hand.

P = 8L parameter tensors. Tensor parallelism needs four all-reduces a layer (two forward, two backward), data
parallelism one per gradient and one for the loss. With ZeRO-3 every parameter is gathered once when the copy is kept,
and for the forward and the backward pass when it is made again; all but the first norm's scale, which the backward pass
does not use, as nobody asks for the gradient of the input.
"""

import dataclasses
import typing

import models

MODEL = models.get("transformer")
MESH = [("data", 2), ("model", 4)]


@dataclasses.dataclass(frozen=True)
class Form:
  tactics: tuple
  expected: typing.Callable  # Of layers and parameter tensors: (all-reduces, all-gathers, reduce-scatters).

  def counts(self, layers):
    """{kind: count}, without zeros."""
    numbers = self.expected(layers, 8 * layers)
    return {kind: n for kind, n in zip(("all_reduce", "all_gather", "reduce_scatter"), numbers, strict=True) if n}


FORMS = {
  "data parallel": Form(("dp(data)",), lambda L, P: (P + 1, 0, 0)),
  "megatron": Form(("megatron(model)",), lambda L, P: (4 * L, 0, 0)),
  "data parallel + megatron": Form(("dp(data)", "megatron(model)"), lambda L, P: (P + 4 * L + 1, 0, 0)),
  "megatron + sequence": Form(("megatron(model)", "sequence(model)"), lambda L, P: (2 * L + 1, 4 * L, 4 * L)),
  "zero3": Form(("zero3(data)",), lambda L, P: (1, P, P)),
  "zero3, made again": Form(("zero3(data)", "remake(0)"), lambda L, P: (1, 2 * P - 1, P)),
}


def module(layers):
  """The step with so many layers, at the small sizes."""
  return MODEL.export(dataclasses.replace(MODEL.small(), layers=layers))

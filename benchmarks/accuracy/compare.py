"""Holds estimates against what XLA needs and what was measured; writes docs/results/estimate-accuracy.md.

    python -m benchmarks.accuracy.compare              makes the estimates of all measured programs again first
    python -m benchmarks.accuracy.compare --print      to standard output, worst first

The measurements are in benchmarks/results: h200-cublas.json and h200-small.json (memory with cuBLAS), h200.json (memory and time as JAX
compiles), h200-explicit.json (memory of explicit programs; h200-explicit-again.json has some from a newer JAX) and host.json with host-profile.json, what `calibrate` found on the same machine.
h200-unseen-absent.json (memory), h200-unseen.json (time) and host-unseen.json are of programs that no rule was fitted to. tpu-v5e.json is what XLA's
compiler for TPUs says of programs of 8 chips.
"""

import argparse
import dataclasses
import json
import statistics

from tests.spmd import tool

from . import cells, configs, host, unseen

RESULTS = tool.ROOT / "benchmarks" / "results"
DOC = tool.ROOT / "docs" / "results" / "estimate-accuracy.md"
POINTER = 8  # XLA's output has a table of pointers, one per result, which is no tensor.
WORKSPACE = 32 << 20  # What XLA reserves for cuBLAS.
UNSEEN_HOST = host.MODULES.with_name("accuracy-host-unseen")


@dataclasses.dataclass(frozen=True)
class Row:
  name: str
  group: str
  actual: dict  # Bytes of each part.
  estimated: dict
  strategy: str
  seconds: float | None = None
  predicted: float | None = None
  collectives: tuple = ()  # Of XLA and of the estimate: {kind: (count, bytes)}.

  @staticmethod
  def total(parts):
    return parts["arguments"] + parts["outputs"] + parts["temporaries"] - parts["aliased"]

  @property
  def error(self):
    return self.total(self.estimated) / self.total(self.actual) - 1


def parts_of(estimate):
  memory = estimate["memory"]
  return {"arguments": memory["arguments_bytes"], "outputs": memory["results_bytes"], "temporaries": memory["temporaries_bytes"],
          "aliased": memory["aliased_bytes"]}  # fmt: skip


def results_of(folder, config_name, known={}):
  """How many results a module has."""
  path = cells.module_path(folder, config_name)
  if path not in known:
    head = next(line for line in path.read_text().splitlines() if "@main(" in line)
    known[path] = head.split("->")[-1].count("tensor<")
  return known[path]


def row(folder, cell, found, predicted, pointers=True):
  """One program. Where there are several results, XLA adds the table (not on TPUs)."""
  count = results_of(folder, cell["config"])
  actual = dict(found["memory"])
  actual["outputs"] -= POINTER * count if count > 1 and pointers else 0
  times = found.get("seconds")
  seconds = statistics.median(times) if isinstance(times, list) else times
  both = tuple(map(moved, (found["collectives"], cell["estimate"]["collectives"]))) if "collectives" in found else ()
  return Row(cell["name"], cell["config"], actual, parts_of(cell["estimate"]), cell["strategy"], seconds, predicted, both)


def moved(collectives):
  """{kind: (count, bytes)} of the kinds that occur."""
  return {kind: (round(c["count"]), round(c["bytes"])) for kind, c in collectives.items() if c["count"]}


def listed(folder):
  path = folder / "index.json"
  return json.loads(path.read_text())["cells"] if path.exists() else []


def rows_of(folder, found, time, pointers=True):
  """Of the listed programs that were compiled; `time` is the part of the estimate that was measured."""
  known = [cell for cell in listed(folder) if "memory" in found.get(cell["name"], {})]
  return [row(folder, cell, found[cell["name"]], cell["estimate"][time], pointers) for cell in known]


def ranks(values):
  """Of each value, 0 for the least; equal ones share the mean of theirs."""
  order = sorted(range(len(values)), key=values.__getitem__)
  result = [0.0] * len(values)
  for first in range(len(order)):
    same = [n for n in order if values[n] == values[order[first]]]
    result[order[first]] = statistics.mean(order.index(n) for n in same)
  return result


def rank_correlation(a, b):
  return statistics.correlation(ranks(a), ranks(b))


def percent(value):
  return f"{100 * value:+.1f} %"


def size(count):
  return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


SUMMARY = ["| programs | number | median error | from | to | within 10 % | more than 10 % under |", "|---|---:|---:|---:|---:|---:|---:|"]


def memory_summary(title, rows):
  errors = [r.error for r in rows]
  median = 100 * statistics.median(map(abs, errors))
  return (f"| {title} | {len(rows)} | {median:.1f} % | {percent(min(errors))} | {percent(max(errors))} |"
          f" {sum(abs(e) <= 0.1 for e in errors)} | {sum(e < -0.1 for e in errors)} |")  # fmt: skip


def by(rows, key):
  groups = {}
  for r in rows:
    groups.setdefault(getattr(r, key), []).append(r)
  return groups


def folded(title, head, lines):
  return [f"<details><summary>{title}</summary>", "", *head, *lines, "", "</details>", ""]


def memory_line(r):
  return (f"| `{r.name}` | {size(r.actual['temporaries'])} | {size(r.estimated['temporaries'])} | {size(Row.total(r.actual))} |"
          f" {size(Row.total(r.estimated))} | {percent(r.error)} |")  # fmt: skip


PADDED = "XLA counts arguments and outputs with the padding of their tiles, of which the estimate knows in temporaries alone."
MEMORY_HEAD = ["| program | XLA's temporaries | estimated | XLA's total | estimated | error |", "|---|---:|---:|---:|---:|---:|"]


def memory_section(title, rows):
  exact = sum(r.actual["arguments"] == r.estimated["arguments"] and r.actual["outputs"] == r.estimated["outputs"] for r in rows)
  kept = [r for r in rows if r.strategy != REMADE]
  lines = [f"## {title}", "", f"Arguments and outputs are exact in {exact} of {len(rows)}." if exact else PADDED, "", *SUMMARY]
  lines += [memory_summary("all", rows), memory_summary("all but copies made again", kept)]
  lines += [memory_summary(f"`{name}`", members) for name, members in by(rows, "group").items()]
  lines += ["", "By strategy:", "", *SUMMARY, *(memory_summary(name, members) for name, members in by(rows, "strategy").items())]
  worst = sorted(kept, key=lambda r: -abs(r.error))[:10]
  lines += ["", "The ten worst, copies made again left out:", "", *MEMORY_HEAD, *map(memory_line, worst), ""]
  return lines + folded("every program", MEMORY_HEAD, map(memory_line, rows))


def time_summary(rows):
  errors = [r.predicted / r.seconds - 1 for r in rows]
  correlation = rank_correlation([r.predicted for r in rows], [r.seconds for r in rows])
  return f"{len(rows)} programs: rank correlation {correlation:.3f}, median error {100 * statistics.median(map(abs, errors)):.0f} %."


def time_line(r):
  return f"| `{r.name}` | {1e3 * r.seconds:.2f} | {1e3 * r.predicted:.2f} | {percent(r.predicted / r.seconds - 1)} |"


TIME_HEAD = ["| program | measured ms | predicted ms | error |", "|---|---:|---:|---:|"]


def time_section(title, rows, note):
  timed = [r for r in rows if r.seconds and r.seconds >= 1e-3]
  if len(timed) < 3:
    return [f"## {title}", "", "Not measured.", ""]
  lines = [f"## {title}", "", note, "", "**" + time_summary(timed) + "**", ""]
  worst = sorted(timed, key=lambda r: -abs(r.predicted / r.seconds - 1))[:10]
  lines += ["The ten worst:", "", *TIME_HEAD, *map(time_line, worst), ""]
  return lines + folded("every program", TIME_HEAD, map(time_line, timed))


def collectives_section(rows):
  checked = [r for r in rows if r.collectives]
  other = [r for r in checked if r.collectives[0] != r.collectives[1]]
  lines = ["## Collectives", "", f"Count and bytes by kind, in XLA's compiled HLO of the explicit program and in the estimate: equal in"
           f" {len(checked) - len(other)} of {len(checked)} programs."]  # fmt: skip
  differences = [f"| `{r.name}` | {text(r.collectives[0])} | {text(r.collectives[1])} |" for r in other]
  return lines + ["", *folded("where they differ", ["| program | XLA | estimate |", "|---|---|---|"], differences)] if other else [*lines, ""]


def text(collectives):
  return ", ".join(f"{count} {kind} {size(total)}" for kind, (count, total) in sorted(collectives.items())) or "none"


def load(name):
  path = RESULTS / name
  return json.loads(path.read_text()) if path.exists() else {"programs": {}}


REMADE = "zero3, made again"

INTRODUCTION = """# How good estimates are

Made by `python -m benchmarks.accuracy.compare`; benchmarks/accuracy/README.md says how the measurements are made. The total is arguments +
outputs + temporaries - aliased, of one device.
"""

GPU_NOTE = """Truth is `memory_analysis()` of XLA's GPU backend on an {device} for the local form of each plan (`--emit local`: what one device runs,
collectives replaced by local ops of the same shapes), JAX {jax}. The 8 bytes that XLA counts for each result's pointer are left out. The first
table is of all medium models with cuBLAS for every product (`{flags}`), which is what the estimate models; the second of programs compiled as
JAX does it, where XLA measures for each product whether cuBLAS or a kernel of its own is faster; the third of small models with cuBLAS. There nearly
all memory is the 32 MiB that XLA reserves for cuBLAS whatever the size of a product. The estimate leaves them out for small ones (M11), which JAX mostly gives to
kernels that need none, and so does the table. What is left are some hundred kilobytes, in which every small buffer counts.

What is more than 10 % too low, and why. One program of each kind was compiled again and XLA's buffers and order were read; of the others of its kind
the cause is taken to be the same:

- *Copies made again* (`zero3, made again`) are not comparable: in the local form the two gathers of a parameter are two equal local ops, and
  XLA merges them. Its temporaries are those of `zero3` in {same} of {remade} programs. As collectives they stay apart: see the explicit programs below.
- `gemma_2b_remat`, `vit`: XLA makes three orders of a program and takes the one that needs least. Here that is one which leaves gradients of weights to the
  end, so that what they are made from lives as long: the gradient of the logits, and of both hidden values of a layer while the layer below has its largest. With `zero3` in
  `bfloat16` it is one that makes the zeros to which the gradient of the embedding is added before the backward pass. The estimate has one order for all plans, in which
  gradients are used early. In `vit.bfloat16` XLA also pads the 197 positions to 200 in copies, as cuBLAS wants multiples of 8.
- `lstm`: in XLA's order the weight of the output layer is updated before the last product that reads it, so XLA copies the donated weight first. The estimate lets the update wait.
- `moe` and `moe_gather` with sequences split, `float32`: XLA writes the gradients of stacked weights in another order than the weights, updates those in other
  memory and copies the donated weights before their first use; of two that are equally large, one into the other's place.
- `unet` with `zero3`, in the local form alone: there a gather is a local op that needs nothing but an argument, and XLA makes all the kernels that the backward pass reads
  at the start. As collectives they wait.

Of small models, more than 10 % too low:

- Gaps: what XLA reserves is 1 to 17 % more than what lives at once (`resnet50` 8 to 14 %, `gns` 16 %, `transformer` 5 to 17 %); of the medium models that were looked at 1 % at most. The
  estimate has no gaps.
- `gemma_2b_remat`: as above, and more often. A product returns its workspace beside its result; if XLA counts that as made when it orders a program, as it seems to, products of small values
  never free memory and wait.
- `decoder_prefill`: XLA adds the residual stream up again from all its terms in every kernel that reads it, and keeps the terms. It counts a microsecond for a launch, in which an H200 moves 4.8 MB;
  K5 compares bytes alone. With that microsecond in K5 these are nearer, but `moe` and `gemma` are lower, where the order is what is missing.
- `moe_gather`: zeros that scatters add to, of one shape, are made in one launch before the first of them is needed, with JAX 0.11; the estimate makes them one by one, as JAX 0.12 does.
- `transformer`, `gns`: copies of donated weights as in `lstm`. In `transformer` also attention: a stack of products over batch and heads wants these two side by side, and XLA
  transposes what the product before wrote, once for each order that is needed, where the estimate has transposes beside products for nothing (K8).
- `unet` and `resnet50` with `zero3`: the local form, as above.
- `lstm` with `zero3`: a device has one sequence, so that the gradients of weights are products of one row in each turn. XLA multiplies, two of them in one launch; the estimate makes one
  product after the other.

More than 10 % too high: `mamba` with `zero2`, of whose associative scan XLA makes some pieces again that the estimate keeps; `vit.float32` with Megatron,
where the estimate keeps the normalized values beside the residual stream and the output of each norm (K10) and XLA makes them again. Of small models also those whose peak is not at a product, as `lstm`, `unet` and in part `mamba`: what lives only between products lies in the place of the workspace, and goes with it
(of `lstm` with data parallelism 445 kB live, 206 kB are left; of `unet` with heads split 14.1 and 10.0 MB); `mlp`, where cuBLAS takes the maximum in its own call; `gpt` and `moe`, where XLA makes more values again, for the
microsecond of a launch; and a few of `gemma_2b_scan` and `residual`, not looked into.
"""

GPU_TIME_NOTE = """Seconds of whole runs, compiled as JAX does it, median of up to 10. The host's part of starting a run is in them, more
of it the more arguments there are. The rules of time were fitted to single kernels (benchmarks/results/h200-kernels.md) and to an earlier run of these programs; this one was measured in between.
`mamba` is too low: XLA's kernels for its scan make much again and run far from the memory's speed."""

EXPLICIT_NOTE = """The explicit programs with their collectives, compiled for 8 H200s that were not there (`gpu.py --explicit`, JAX {jax}, cuBLAS). XLA's
scheduler starts collectives early to hide them, and stops doing so where a program would no longer fit; what it needs therefore depends on what
there is. Here the devices have just so much memory that XLA's own limit is the estimate; where that is too little for it, XLA also makes values again by
itself. On devices with memory to spare it takes more, up to a third for a transformer, which is no error of the estimate.

What is more than 10 % too low: `gemma_2b_remat` and `gemma_2b_scan`, whose embedding is also the output layer (XLA holds the gathered embedding
and the gradient of the logits longer than the estimate's order does, and leaves gradients of weights to the end; three programs were looked at), `mamba_scan` over two axes, `lstm` and `moe_gather`.
The {low} that were too low with an earlier model were compiled once more with JAX {again}: there {better} are within 10 %, all of `mamba_scan`, `lstm` and `moe_gather` among them, and the worst is {worst}."""


UNSEEN_NOTE = """{count} programs of other kinds ({names}), which stand in benchmarks/accuracy/unseen, each split by `dp`, `zero3` and `megatron` over 8 devices and by `dp` and `megatron` over 2x4, where the
command can do so. They were written after the rules. What they showed was mended where it is so for all programs of a kind: products that add to what their results are added to (K12), softmax kernels that are launched alone (K10),
gradients that are summed over the turns of a loop, what derivatives of derivatives compute again, and on hosts K5, K8, M16 and M17. Where the times of single kernels were off was looked at in 32 of the programs, too (T1 to T4). So the figures are better than those of programs that nobody has looked at.

Memory on GPUs is of the local form at size 16 for an absent H200 (JAX {absent}, no Triton products), time of the same programs on an H200 (JAX {timed}), and a line says what was found of their memory there. Without a GPU XLA cannot try kernels out, and
reserves 4 MiB for a product where its choice on an H200 needs 32 (M11). On hosts it is the explicit form at size 1 (JAX {host}).

Known to be off on GPUs: `long_convolution`, whose Fourier transforms need room that is not in the model; `wavenet` and `autoencoder`, where cuDNN's convolutions do; `towers`, too low, where XLA leaves the value of the loss to the end and keeps the logits for it;
`factored`, too high, where XLA runs the product of little size before the one of much that both read; `meta`, too high. `mixer` with Megatron took several times as long as predicted, both times that it was measured; when it was looked into it took the predicted time. XLA tries kernels out. On hosts `generation`, `policy`, `clusters`, `long_convolution` and `gat` are too low: XLA copies what several scatters begin with in `gat`, the others were not looked into."""


def unseen_text(absent, timed, hosts):
  rows, seconds = rows_of(cells.UNSEEN, absent["programs"], "compute_seconds"), rows_of(cells.UNSEEN, timed["programs"], "compute_seconds")
  host_rows = rows_of(UNSEEN_HOST, hosts["programs"], "step_seconds")
  names = ", ".join(f"`{name}`" for name in unseen.PROGRAMS)
  note = UNSEEN_NOTE.format(count=len(unseen.PROGRAMS), names=names, absent=absent["jax"], timed=timed["jax"], host=hosts["jax"])
  goals = ["| goal | found | reached |", "|---|---|---|", *memory_verdicts("memory on the GPU", rows, 0.1, 0.25),
           *memory_verdicts("the same where there is a GPU to try kernels on", seconds, 0.1, 0.25), *time_verdicts("time on the GPU", seconds, 0.95, 0.2), *memory_verdicts("memory on host devices", host_rows, 0.15, None),
           *time_verdicts("time on host devices", host_rows, 0.8, None), ""]  # fmt: skip
  return ["# Programs that no rule was fitted to", "", note, "", *goals, *memory_section("Memory on GPUs, unseen programs", rows),
          *time_section("Time on a GPU, unseen programs", seconds, "Collectives left out."),
          *memory_section("Memory on hosts, unseen programs", host_rows), *time_section("Time on hosts, unseen programs", host_rows, "Median of 3."),
          *collectives_section(host_rows)]  # fmt: skip


def explicit_text(explicit, rows, again):
  if not rows:
    return []
  newer = rows_of(cells.FOLDER, again["programs"], "step_seconds")
  note = EXPLICIT_NOTE.format(jax=explicit["jax"], again=again["jax"], better=sum(abs(r.error) <= 0.1 for r in newer), low=len(newer),
                              worst=percent(min(r.error for r in newer)))  # fmt: skip
  return ["# Eight GPUs", "", note, "", *memory_section("Memory, medium models, explicit programs", rows)]


def gpu_text(cublas, timed, groups):
  programs = cublas["programs"]
  remade = [name for name in programs if "made-again" in name]
  temporaries = lambda name: programs[name]["memory"]["temporaries"]  # noqa: E731
  same = sum(abs(temporaries(name) / temporaries(name.replace("-made-again", "")) - 1) < 0.005 for name in remade)
  flags = " ".join(flag for flag in cublas["flags"].split() if "gpu" in flag)
  lines = ["# GPU", "", GPU_NOTE.format(device=cublas["device"], jax=cublas["jax"], flags=flags, same=same, remade=len(remade))]
  for title, rows in groups:
    lines += memory_section(f"Memory, {title}", rows)
  return lines + time_section("Time of one device, collectives left out", timed, GPU_TIME_NOTE)


HOST_NOTE = """Truth is `memory_analysis()` of the explicit program of small models, compiled for 8 host devices (JAX {jax}), in float32: XLA's CPU backend
widens bfloat16. These programs need some hundred kilobytes, so that every small buffer counts.

What is more than 10 % too low, and why; eight programs were compiled again and XLA's buffers read, with an earlier model:

- `attention`, `residual`, `decoder` and `decoder_prefill` with multi-query attention, `lstm` with copies made again: what is gathered or scattered along another dim than the first is laid out with that dim
  first for the collective and then copied, so that it is there twice. With that in the model 6 fewer would be too low, but of the 48 estimates that change 29 become worse: not all such collectives are copied.
- `lstm` with its hidden dim split: XLA copies the gradient of the logits twice, in two orders of dims, as the hidden values lie with time first. This was seen on one device.
- `vit` with Megatron, `resnet50` with channels split: the gradient of a convolution's kernel wants the input in another order of dims, and XLA makes that copy in the forward pass and keeps it.
  In `resnet50` XLA also runs elementwise kernels of the backward pass earlier than the estimate's order does.
- `mlp_train`: one activation more.
- Other copies made again: both gathers of a parameter run at the start."""

HOST_TIME_NOTE = """Steps of explicit programs with their collectives on 8 host devices that share 2 cores, median of 5, of every sixth program, where
it takes at least 1 ms; predicted with the profile that `calibrate` measured there (benchmarks/results/host-profile.json). That hosts do not overlap communication with
computation (T5) was learnt from these very runs, in which overlap gave a lower
correlation. Predictions are too low by half and more: devices that compute between two collectives wait for one another longer than those
that `calibrate` measures, and short loops and narrow products reach less than its large ones."""


def verdict(goal, value, reached):
  return f"| {goal} | {value} | {'yes' if reached else 'no'} |"


def memory_verdicts(title, rows, median, worst):
  """The goals for memory; `worst` is None where there is none."""
  errors = [r.error for r in rows]
  middle, furthest = statistics.median(map(abs, errors)), max(errors, key=abs)
  lines = [verdict(f"{title}: median error under {median:.0%}", f"{middle:.1%}", middle < median)]
  if worst:
    lines.append(verdict(f"{title}: worst under {worst:.0%}", percent(furthest), abs(furthest) < worst))
  under = sum(e < -0.1 for e in errors)
  return [*lines, verdict(f"{title}: nothing more than 10 % too low without a reason", f"{under} of {len(rows)} are lower, see below", not under)]


def time_verdicts(title, rows, correlation, median):
  timed = [r for r in rows if r.seconds and r.seconds >= 1e-3]
  found = rank_correlation([r.predicted for r in timed], [r.seconds for r in timed])
  lines = [verdict(f"{title}: rank correlation above {correlation}", f"{found:.3f}, {len(timed)} programs", found > correlation)]
  middle = statistics.median(abs(r.predicted / r.seconds - 1) for r in timed)
  return lines + ([verdict(f"{title}: median error under {median:.0%}", f"{middle:.0%}", middle < median)] if median else [])


def verdicts(groups, timed, explicit, tpus, hosts):
  gpu = groups[0][1]
  lines = ["| goal | found | reached |", "|---|---|---|", *memory_verdicts("memory on the GPU", gpu, 0.1, 0.25)]
  kept = [r for r in gpu if r.strategy != REMADE]
  lines += memory_verdicts("the same without copies made again, which are not comparable", kept, 0.1, 0.25)
  small = [r for r in groups[2][1] if r.strategy != REMADE]
  if small:
    lines += memory_verdicts("the same of small models", small, 0.1, 0.25)
  if explicit:
    lines += memory_verdicts("memory of explicit programs on 8 GPUs", explicit, 0.1, 0.25)
  lines += time_verdicts("time on the GPU", timed, 0.95, 0.2)
  if tpus:
    lines += memory_verdicts("memory on TPUs, by XLA's compiler", tpus, 0.1, 0.25)
    lines += time_verdicts("time of kernels on TPUs, against XLA's own model", tpus, 0.95, 0.2)
  lines += memory_verdicts("memory on host devices", hosts, 0.15, None)
  return [*lines, *time_verdicts("time on host devices", hosts, 0.8, None), ""]


def host_text(found, rows):
  return ["# Host devices", "", HOST_NOTE.format(jax=found.get("jax")), "", *memory_section("Memory, small models", rows),
          *time_section("Time of a step", rows, HOST_TIME_NOTE), *collectives_section(rows)]  # fmt: skip


TPU_NOTE = """What XLA's compiler for TPUs says of the explicit programs with their collectives, compiled for 8 chips of a TPU v5e that were not there (`tpu.py`, JAX {jax}): its
`memory_analysis()`, and the cycles that it expects each kernel to take, at {clock:.1f} GHz. These cycles are the compiler's own model and no measurement; collectives have none. No TPU was at hand.

XLA's scheduler starts gathers early and leaves gradients for later as long as a program keeps within the chip's memory of 16 GiB, and takes more than it must. Programs that are more than 10 % too low were
compiled once more for chips with a quarter more than was estimated{failing}: there they need between {least} and {most} of the estimate. Most of what is left are gradients that wait for their reduction and for their update, which XLA puts at
the end; associative scans (`mamba`), whose pieces XLA stores; and copies of carried gradients in another order of dims behind the loop of `lstm`.

Not modelled: values that XLA keeps in the 128 MiB of vector memory and not in the main memory, which counts where all is small; which dims XLA lays along its tiles; and time that depends on either."""

CLOCK = 1.5e9  # Of a TPU v5e: the JAX authors' book How To Scale Your Model, chapter on TPUs.


def tpu_rows(found):
  timed = {name: program | {"seconds": program["cycles"] / CLOCK} for name, program in found["programs"].items() if "cycles" in program}
  return rows_of(cells.TPU, timed, "compute_seconds", pointers=False)


def tpu_text(found, rows):
  if not rows:
    return []
  again = [(r, found["programs"][r.name]) for r in rows if found["programs"][r.name].keys() & {"within", "within_error"}]
  needed = [Row.total(program["within"]) / Row.total(r.estimated) for r, program in again if "within" in program]
  failing = len(again) - len(needed)
  note = TPU_NOTE.format(jax=found["jax"], clock=CLOCK / 1e9, least=f"{min(needed, default=1):.2f}", most=f"{max(needed, default=1):.2f}",
                         failing=f" (XLA could not compile {failing} so)" if failing else "")  # fmt: skip
  return ["# TPUs", "", note, "", *memory_section("Memory, medium models, 8 TPUs", rows),
          *time_section("Kernels on TPUs, as XLA expects them", rows, "Of one step, without collectives.")]  # fmt: skip


def refresh(folder, known, device):
  """Makes the estimates of these cells again."""
  if known:
    cells.save(folder, [cell | {"estimate": cells.estimate(folder, cell, device)} for cell in known])


def measured(folder, known, *found, platform="cuda"):
  """The cells of these configurations of which something was measured, with their modules."""
  names = {name for programs in found for name in programs}
  chosen = [(config, cell) for config, *rest in configs.every_cell(known) if (cell := cells.describe(config, *rest))["name"] in names]
  for config, _ in chosen:
    cells.write_module(folder, config, platform)
  return [cell for _, cell in chosen]


def refresh_all(found_on_hosts, unseen_on_hosts):
  programs = lambda *files: [load(file)["programs"] for file in files]  # noqa: E731
  refresh(cells.FOLDER, measured(cells.FOLDER, configs.MEDIUM, *programs("h200-cublas.json", "h200.json", "h200-explicit.json")), "h200")
  refresh(cells.SMALL, measured(cells.SMALL, configs.small(), *programs("h200-small.json")), "h200")
  refresh(cells.TPU, measured(cells.TPU, configs.MEDIUM, *programs("tpu-v5e.json"), platform="tpu"), "tpu-v5e")
  refresh(cells.UNSEEN, measured(cells.UNSEEN, configs.never_fitted(16), *programs("h200-unseen-absent.json", "h200-unseen.json")), "h200")
  known = [cell for cell in host.wanted_cells("") if "memory" in found_on_hosts.get(cell["name"], {})]
  refresh(host.MODULES, known, RESULTS / "host-profile.json")
  known = [cell for cell in host.wanted_cells("", UNSEEN_HOST, configs.never_fitted(1)) if "memory" in unseen_on_hosts.get(cell["name"], {})]
  refresh(UNSEEN_HOST, known, RESULTS / "host-profile.json")


def without_workspace(found):
  """The same programs, less what is reserved for cuBLAS."""
  less = lambda memory: memory | {"temporaries": memory["temporaries"] - WORKSPACE * (memory["temporaries"] >= WORKSPACE)}  # noqa: E731
  return {name: program | {"memory": less(program["memory"])} for name, program in found.items() if "memory" in program}


def gpu_groups(cublas, jitted, small):
  """Title and rows of each table of memory."""
  groups = [("medium models, cuBLAS", cells.FOLDER, cublas["programs"]), ("medium models, as JAX compiles", cells.FOLDER, jitted["programs"]),
            ("small models, cuBLAS, its workspace left out", cells.SMALL, without_workspace(small["programs"]))]  # fmt: skip
  return [(title, rows_of(folder, found, "compute_seconds")) for title, folder, found in groups]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--print", action="store_true")
  parser.add_argument("--as-they-are", action="store_true", help="take the estimates that are listed")
  options = parser.parse_args()
  cublas, jitted, small = load("h200-cublas.json"), load("h200.json"), load("h200-small.json")
  explicit, hosts, unseen_hosts = load("h200-explicit.json"), load("host.json"), load("host-unseen.json")
  if not options.as_they_are:
    refresh_all(hosts["programs"], unseen_hosts["programs"])
  groups = gpu_groups(cublas, jitted, small)
  whole = rows_of(cells.FOLDER, explicit["programs"], "step_seconds")
  tpus = load("tpu-v5e.json")
  on_tpus = tpu_rows(tpus)
  rows = rows_of(host.MODULES, hosts["programs"], "step_seconds")
  if options.print:
    for r in sorted([r for _, members in groups for r in members] + whole + on_tpus + rows, key=lambda r: r.error):
      print(f"{percent(r.error):>10}  {r.name}")
    return
  DOC.parent.mkdir(exist_ok=True)
  timed = rows_of(cells.FOLDER, jitted["programs"], "compute_seconds")
  head = [INTRODUCTION, *verdicts(groups, timed, whole, on_tpus, rows)]
  DOC.write_text("\n".join([*head, *gpu_text(cublas, timed, groups), *explicit_text(explicit, whole, load("h200-explicit-again.json")), *tpu_text(tpus, on_tpus),
                             *host_text(hosts, rows), *unseen_text(load("h200-unseen-absent.json"), load("h200-unseen.json"), unseen_hosts)]))  # fmt: skip


if __name__ == "__main__":
  main()

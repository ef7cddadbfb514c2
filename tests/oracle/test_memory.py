"""The memory estimate against XLA's own: `memory_analysis()` of what it compiles for host devices. Nothing is run."""

import dataclasses
import json
import statistics

import jax
import pytest

import models

# Full-size structure in f32; layers cut where compiling would take long and the layers are alike.
PROGRAMS = {
  "attention": {},
  "gns": {"layers": 6},
  "gpt": {"layers": 6},
  "lstm": {},
  "mamba": {"layers": 2},
  "resnet50": {},
  "transformer": {"layers": 4},
  "vit": {"layers": 6},
}

# How far below an estimate may be; 0.9 where nothing is said. XLA copies the gradient of the lstm's logits twice, as its hidden
# values lie with time first; the estimate has one copy.
LOWEST = {"lstm": 0.85}


def truth(function, arguments, donated):
  compiled = jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments).compile()
  return compiled.memory_analysis()


def total(analysis):
  sizes = analysis.argument_size_in_bytes + analysis.output_size_in_bytes - analysis.alias_size_in_bytes
  return sizes + analysis.temp_size_in_bytes


@pytest.fixture(scope="module")
def measured(shardwright):
  """Per program: (our report, XLA's analysis)."""
  results = {}
  for name, fields in PROGRAMS.items():
    model = models.get(name)
    config = dataclasses.replace(model.config, **fields)
    report = shardwright.ok("estimate", "-", "--mesh", "data=1", "--device", "host-cpu", "--json",
                            stdin=model.export(config))
    results[name] = json.loads(report), truth(*model.step(config))
  return results


@pytest.mark.parametrize("name", PROGRAMS)
def test_arguments_results_and_what_they_share_are_exact(measured, name):
  report, analysis = measured[name]
  memory = report["memory"]
  assert memory["arguments_bytes"] == analysis.argument_size_in_bytes
  assert memory["aliased_bytes"] == analysis.alias_size_in_bytes
  # XLA counts the table of pointers that a tuple of results is.
  pointers = 8 * 1000
  assert memory["results_bytes"] == pytest.approx(analysis.output_size_in_bytes, abs=pointers)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_peak_is_close_and_not_far_below(measured, name):
  report, analysis = measured[name]
  assert LOWEST.get(name, 0.9) <= report["peak_bytes"] / total(analysis) <= 1.25


def test_the_middle_of_all_is_within_a_tenth(measured):
  errors = [abs(report["peak_bytes"] / total(analysis) - 1) for report, analysis in measured.values()]
  assert statistics.median(errors) <= 0.1, errors

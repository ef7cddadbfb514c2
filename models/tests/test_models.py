"""Every model exports from shapes, runs when small, learns, and has the size that it is known for."""

import dataclasses
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

import models
from models import decoder, gemma, layers, lowering, mamba, moe, optim, spec, unet
from models.__main__ import main
from models.model import Config, ConfigError, Model

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS = [models.get(name) for name in models.names()]
SMALL: dict[str, tuple[Model, Config]] = {
    name: (model, config) for model in MODELS for name, config in model.small_variants().items()
}
FORWARD_ONLY = {"mlp", "attention", "residual", "decoder", "decoder_prefill"}
TRAINING = sorted(set(SMALL) - FORWARD_ONLY)
# Drawing the noise in the program is tested by itself; compiling the whole network once more would only take long.
TRAINING_RUNS = sorted(set(TRAINING) - {"unet_noise"})

# Sizes that others published (Keras presets: Gemma, GPT-2 medium; torchvision: ResNet-50, ViT-L/16; mamba-370m), with
# the vocabulary or context that they published them for where ours differs.
PUBLISHED_SIZES = {
    "gemma_2b": (2_506_172_416, {"vocabulary": 256_000}),
    "gemma_7b": (8_537_680_896, {"vocabulary": 256_000}),
    "gpt": (354_823_168, {"vocabulary": 50_257, "sequence": 1024}),
    "resnet50": (25_557_032, {}),
    "vit": (304_326_632, {}),
    "mamba": (371_516_416, {"vocabulary": 50_280}),
}


@cache
def small_text(name: str) -> str:
    model, config = SMALL[name]
    return model.export(config)


def parse(text: str) -> ir.Module:
    """Parses and verifies with the MLIR inside jaxlib."""
    module = ir.Module.parse(text, jax_mlir.make_ir_context())
    assert module.operation.verify()
    return module


def main_function(module: ir.Module) -> Any:
    return next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")


def op_names(module: ir.Module) -> list[str]:
    names: list[str] = []

    def visit(op: Any) -> Any:
        names.append(op.operation.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return names


def argument_paths(text: str) -> list[str]:
    signature = next(line for line in text.splitlines() if "func.func public @main" in line)
    return re.findall(r'loc\("([^"]*)"\)', signature.split("->")[0])


def aliased_pairs(text: str) -> list[tuple[str, str]]:
    """(path of a donated argument, path of the result that takes over its buffer)."""
    signature = next(line for line in text.splitlines() if "func.func public @main" in line)
    arguments, results = signature.split(" -> ")
    result_paths = re.findall(r'jax.result_info = "([^"]*)"', results)
    aliases = re.findall(r'tf.aliasing_output = (\d+) : i32\} loc\("([^"]*)"\)', arguments)
    return [(path, result_paths[int(number)]) for number, path in aliases]


# Exports


@pytest.mark.parametrize("name", SMALL)
def test_small_export_parses_and_names_every_argument(name: str) -> None:
    model, config = SMALL[name]
    _, args, _ = model.step(config)
    parse(small_text(name))
    paths = argument_paths(small_text(name))
    assert len(paths) == len(jax.tree.leaves(args))
    assert len(set(paths)) == len(paths)
    assert len(small_text(name)) < 1.1e6


@pytest.mark.parametrize("name", TRAINING)
def test_state_is_donated_to_the_result_of_the_same_name(name: str) -> None:
    model, config = SMALL[name]
    _, (state, _), _ = model.step(config)
    pairs = aliased_pairs(small_text(name))
    assert len(pairs) == len(jax.tree.leaves(state))
    assert [result for _, result in pairs] == [path.replace("state", "result[0]", 1) for path, _ in pairs]


@pytest.mark.parametrize("name", ["decoder", "decoder_prefill"])
def test_cache_is_donated(name: str) -> None:
    pairs = aliased_pairs(small_text(name))
    assert len(pairs) == 4
    assert [result for _, result in pairs] == [path.replace("cache", "result[0]", 1) for path, _ in pairs]


@pytest.mark.parametrize("name", SMALL)
def test_locations_name_only_files_of_this_folder(name: str) -> None:
    files = set(re.findall(r'loc\("([^"]+)":\d+', small_text(name)))
    assert files
    assert all(re.fullmatch(r"models/\w+\.py", file) for file in files)
    assert str(REPOSITORY) not in small_text(name)


def test_text_depends_neither_on_the_caller_nor_on_what_was_exported_before() -> None:
    model, config = SMALL["gpt"]
    first = small_text("gpt")
    small_text("vit")

    def caller_with_a_longer_stack() -> str:
        return model.export(config)

    assert caller_with_a_longer_stack() == first


@pytest.mark.parametrize("name", ["mlp", "gpt", "gemma_2b_scan", "decoder", "moe", "resnet50"])
def test_generic_and_bare_forms_hold_the_same_program(name: str) -> None:
    model, config = SMALL[name]
    expected = op_names(parse(small_text(name)))
    for generic, locations in [(True, True), (True, False), (False, False)]:
        text = model.export(config, generic=generic, locations=locations)
        assert ("loc(" in text) == locations
        assert ('"func.func"' in text) == generic
        assert op_names(parse(text)) == expected


@pytest.mark.parametrize("platform", ["cpu", "cuda", "tpu"])
def test_every_platform_is_lowered_without_having_it(platform: str) -> None:
    for name in ("moe", "lstm"):
        model, config = SMALL[name]
        text = model.export(config, platform=platform)
        parse(text)
        assert len(aliased_pairs(text)) == len(aliased_pairs(small_text(name)))


def test_arguments_that_nothing_uses_are_kept() -> None:
    number = jax.ShapeDtypeStruct((), "float32")
    text = lowering.stablehlo_text(lambda used, unused: used + 1, (number, number))
    assert argument_paths(text) == ["used", "unused"]


def test_mlp_and_attention_have_the_shapes_of_the_test_vectors() -> None:
    def shapes(name: str) -> list[tuple[int, ...]]:
        return [arg.shape for arg in models.get(name).step()[1]]

    assert shapes("mlp") == [(256, 32), (32, 64), (64, 16)]
    sequence, width, head, value_head = 128, 64, 32, 16
    assert shapes("attention") == [(sequence, width), (width, head), (width, head), (width, value_head)]


@pytest.mark.parametrize("name", ["gpt", "gemma_7b", "transformer", "decoder", "moe", "gns", "vit", "mamba", "lstm"])
def test_layers_are_adjustable(name: str) -> None:
    model = models.get(name)
    counts = [model.parameter_count(dataclasses.replace(model.small(), layers=n)) for n in (1, 2, 3)]
    assert counts[0] < counts[1] < counts[2]
    assert name == "lstm" or counts[2] - counts[1] == counts[1] - counts[0]


def test_scan_keeps_the_text_the_same_for_any_depth() -> None:
    model, config = SMALL["gemma_2b_scan"]
    deep = model.export(dataclasses.replace(config, layers=64))
    assert op_names(parse(deep)) == op_names(parse(small_text("gemma_2b_scan")))
    assert "optimization_barrier" in small_text("gemma_2b_remat")


# Sizes


def trained_size(model: Model, config: Config) -> int:
    """Numbers in the parameters that the step returns, found by tracing it."""
    function, args, _ = model.step(config)
    state, loss = jax.eval_shape(function, *args)
    assert loss.shape == ()
    return sum(leaf.size for leaf in jax.tree.leaves(state["params"]))


@pytest.mark.parametrize("name", PUBLISHED_SIZES)
def test_full_models_have_their_published_size(name: str) -> None:
    model = models.get(name)
    published, fields = PUBLISHED_SIZES[name]
    config = dataclasses.replace(model.config, **fields)
    if hasattr(config, "scan"):
        config = dataclasses.replace(config, scan=True)
    assert trained_size(model, config) == published


@pytest.mark.parametrize(("name", "low", "high"), [("gns", 230e6, 270e6), ("unet", 250e6, 300e6), ("moe", 4e9, 5e9)])
def test_other_full_models_have_a_size_of_their_kind(name: str, low: float, high: float) -> None:
    assert low < models.get(name).parameter_count() < high


@pytest.mark.parametrize("name", TRAINING)
def test_parameter_count_agrees_with_the_traced_step(name: str) -> None:
    model, config = SMALL[name]
    assert model.parameter_count(config) == trained_size(model, config)


def test_transformer_has_eight_tensors_a_layer_and_tells_its_dims_apart() -> None:
    model = models.get("transformer")
    for config in (model.config, model.small()):
        sizes = [value for field, value in dataclasses.asdict(config).items() if field != "layers"]
        assert len(set(sizes)) == len(sizes)
        state, _ = model.step(config)[1]
        assert len(jax.tree.leaves(state["params"])) == 8 * config.layers


# Values


@cache
def two_steps(name: str) -> tuple[Any, Any, list[float]]:
    """State before, state after, and the two losses."""
    model, config = SMALL[name]
    function, args, donated = model.step(config)
    step = jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*args).compile()
    state, batch = model.concrete_args(config)
    before = jax.tree.map(np.array, state)
    losses = []
    for _ in range(2):
        state, loss = step(state, batch)
        losses.append(float(loss))
    return before, jax.tree.map(np.array, state), losses


@pytest.mark.parametrize("name", TRAINING_RUNS)
def test_training_stays_finite_and_moves_every_parameter(name: str) -> None:
    before, after, losses = two_steps(name)
    assert np.isfinite(losses).all()
    assert losses[1] != losses[0]
    pairs = zip(jax.tree.leaves_with_path(before["params"]), jax.tree.leaves(after["params"]), strict=True)
    for (path, old), new in pairs:
        assert np.isfinite(new).all(), path
        assert (old != new).any(), path


@pytest.mark.parametrize("name", sorted(FORWARD_ONLY))
def test_forward_models_give_finite_results(name: str) -> None:
    model, config = SMALL[name]
    function, _, donated = model.step(config)
    results = jax.jit(function, donate_argnums=donated)(*model.concrete_args(config))
    for leaf in jax.tree.leaves(results):
        assert np.isfinite(leaf).all()
        assert np.std(leaf) > 0


def test_concrete_arguments_match_their_shapes_and_repeat_for_a_seed() -> None:
    for model, config in SMALL.values():
        concrete = model.concrete_args(config, seed=3)
        same = jax.tree.map(lambda a, s: a.shape == s.shape and a.dtype == s.dtype, concrete, model.step(config)[1])
        assert all(jax.tree.leaves(same)), model.name
    first, again, other = (SMALL["gpt"][0].concrete_args(SMALL["gpt"][1], seed)[1]["tokens"] for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_gemma_scanned_rematerialised_and_unrolled_agree() -> None:
    _, config = SMALL["gemma_2b"]
    state, batch = models.get("gemma_2b").concrete_args(config)
    params = state["params"]
    stacked = {**params, "layers": jax.tree.map(lambda *rows: jnp.stack(rows), *params["layers"])}
    unrolled = jax.jit(lambda p: gemma.loss(config, p, batch))(params)
    for remat in (False, True):
        scanned = dataclasses.replace(config, scan=True, remat=remat)
        loss = jax.jit(lambda p, c=scanned: gemma.loss(c, p, batch))(stacked)
        np.testing.assert_allclose(loss, unrolled, rtol=1e-5)


def test_both_dispatches_of_the_experts_agree() -> None:
    """With so little capacity that some tokens find a slot and others are dropped."""
    config = dataclasses.replace(SMALL["moe"][1], layers=1, capacity_factor=0.5)
    state, batch = models.get("moe").concrete_args(config)
    by_dispatch = [
        jax.jit(jax.grad(lambda p, c=dataclasses.replace(config, dispatch=d): moe.loss(c, p, batch)))(state["params"])
        for d in ("einsum", "gather")
    ]
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), *by_dispatch)


def test_no_slot_of_an_expert_is_given_twice() -> None:
    config = SMALL["moe"][1]
    experts = jax.random.randint(jax.random.key(0), (2, 32, 2), 0, config.experts)
    slots = np.array(moe.slot_numbers(config, experts))
    for sequence in range(2):
        taken = list(zip(np.array(experts)[sequence].ravel(), slots[sequence].ravel(), strict=True))
        assert len(set(taken)) == len(taken)
    assert slots.min() == 0


def test_decoding_in_one_piece_fills_the_cache_like_token_by_token() -> None:
    model, config = SMALL["decoder_prefill"]
    params, empty, prompt = model.concrete_args(config)
    decode = jax.jit(decoder.decode)
    next_token, whole = decode(params, empty, prompt, jnp.int32(0))
    step_cache = empty
    for position in range(config.prompt):
        step_token, step_cache = decode(params, step_cache, prompt[:, position, None], jnp.int32(position))
    assert (next_token == step_token).all()
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), whole, step_cache)


def test_linear_recurrence_is_the_loop_it_replaces() -> None:
    rng = np.random.default_rng(0)
    decay, inputs = rng.uniform(0.1, 1, (2, 7, 3)), rng.normal(size=(2, 7, 3))
    state, expected = np.zeros((2, 3)), []
    for position in range(7):
        state = decay[:, position] * state + inputs[:, position]
        expected.append(state)
    np.testing.assert_allclose(mamba.linear_recurrence(decay, inputs), np.stack(expected, 1), rtol=1e-5)


def test_batch_norm_statistics_follow_the_data() -> None:
    before, after, _ = two_steps("resnet50")
    changed = jax.tree.map(lambda old, new: (old != new).any(), before["statistics"], after["statistics"])
    assert all(jax.tree.leaves(changed))


def test_noise_is_drawn_from_the_key() -> None:
    model, config = SMALL["unet_noise"]
    _, batch = model.concrete_args(config)
    noise, times = jax.jit(unet.noise_and_times)(batch)
    other, _ = jax.jit(unet.noise_and_times)({**batch, "key": batch["key"] + 1})
    assert noise.shape == batch["images"].shape
    assert 0.9 < np.std(noise) < 1.1
    assert (noise != other).any()
    assert ((times >= 0) & (times < 1)).all()


def test_attention_is_causal() -> None:
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, 6, 2, 4)).astype(np.float32)
    mask = layers.causal_mask(6)
    whole = layers.attention(q, k, v, mask)
    np.testing.assert_allclose(whole[:, :4], layers.attention(q[:, :4], k[:, :4], v[:, :4], mask[:4, :4]), rtol=1e-5)


def test_rope_depends_on_distance_alone() -> None:
    q, k = np.random.default_rng(0).normal(size=(2, 1, 6, 2, 4)).astype(np.float32)

    def scores(positions: jax.Array) -> jax.Array:
        return jnp.einsum("bshk,bthk->bhst", layers.rope(q, positions), layers.rope(k, positions))

    positions = jnp.arange(6)
    np.testing.assert_allclose(scores(positions), scores(positions + 9), atol=1e-4)
    assert not np.allclose(scores(positions), scores(2 * positions), atol=1e-2)


@pytest.mark.parametrize(
    ("state_of", "update", "reference"),
    [
        (optim.adam_state, optim.adam_update, optax.adam(optim.LEARNING_RATE)),
        (optim.momentum_state, optim.momentum_update, optax.sgd(optim.LEARNING_RATE, optim.MOMENTUM)),
    ],
)
def test_optimizers_do_what_optax_does(state_of: Any, update: Any, reference: optax.GradientTransformation) -> None:
    rng = np.random.default_rng(0)
    state = jax.tree.map(lambda array: array.sample(rng), state_of({"w": spec.weight((4, 3))}))
    params = state["params"]
    memory = reference.init(params)
    for _ in range(3):
        grads = {"w": jnp.asarray(rng.normal(size=(4, 3)), jnp.float32)}
        state = update(state, grads)
        updates, memory = reference.update(grads, memory)
        params = optax.apply_updates(params, updates)
        np.testing.assert_allclose(state["params"]["w"], params["w"], rtol=1e-6)


# Command line


def run_main(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("gpt2", "there is no model 'gpt2'; there are mlp, "),
        ("gpt --experts 4", "gpt has no field 'experts'; it has layers, batch, "),
        ("gpt --heads 7", "width 1024 is not divisible by heads 7"),
        ("gemma_2b --kv-heads 3", "heads 8 is not divisible by kv_heads 3"),
        ("gpt --layers 0", "layers must be at least 1, not 0"),
        ("gpt --layers many", "invalid int value: 'many'"),
        ("unet --image 30", "image 30 cannot be halved 3 times"),
        ("vit --patch 15", "image 224 is not divisible by patch 15"),
        ("moe --top-k 9", "top_k 9 is more than there are experts: 8"),
        ("decoder --generate 5000", "cache 2048 cannot hold prompt 512 and generate 5000 tokens: 5512"),
        ("mlp --platform abacus", "invalid choice: 'abacus'"),
        ("mlp more", "unexpected argument 'more'"),
        ("mlp -o /no/such/folder/mlp.mlir", "cannot write /no/such/folder/mlp.mlir: No such file or directory"),
        ("", "which model?"),
    ],
)
def test_errors_are_one_line_and_status_2(capsys: pytest.CaptureFixture[str], arguments: str, message: str) -> None:
    status, out, err = run_main(capsys, *arguments.split())
    assert status == 2
    assert out == ""
    assert err.startswith("models: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_configurations_reject_unknown_choices() -> None:
    with pytest.raises(ConfigError, match="dtype must be one of float32, bfloat16, not float8"):
        dataclasses.replace(models.get("gpt").config, dtype="float8")


def test_list_names_every_model_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run_main(capsys, "--list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(models.names())
    assert re.search(r"gemma_7b +8\.54B parameters ", out)


def test_options_set_fields(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    output = tmp_path / "gemma.mlir"
    arguments = f"gemma_2b --small --layers 5 --kv_heads 2 --scan --generic --no-locations -o {output}"
    assert run_main(capsys, *arguments.split()) == (0, "", "")
    model = models.get("gemma_2b")
    config = dataclasses.replace(model.small(), layers=5, kv_heads=2, scan=True)
    assert output.read_text() == model.export(config, generic=True, locations=False)
    assert os.listdir(tmp_path) == ["gemma.mlir"]
    status, out, _ = run_main(capsys, "resnet50", "--small", "--blocks", "1,1,1")
    assert status == 0
    assert "state['params']['stages'][2][0]['conv1']" in out


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    output = tmp_path / "mlp.mlir"
    output.write_text("before")
    monkeypatch.setattr(Path, "replace", fail)
    status, _, err = run_main(capsys, "mlp", "-o", str(output))
    assert (status, err) == (2, f"models: error: cannot write {output}: No space left on device\n")
    assert output.read_text() == "before"
    assert os.listdir(tmp_path) == ["mlp.mlir"]


def test_export_small_writes_every_small_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_main(capsys, "--export-small", str(tmp_path / "new")) == (0, "", "")
    assert {path.stem for path in (tmp_path / "new").iterdir()} == set(SMALL)
    assert (tmp_path / "new" / "gpt.mlir").read_text() == small_text("gpt")


def test_the_module_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "models", "residual"]
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert result.stdout == small_text("residual")

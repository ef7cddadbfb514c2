"""Odd and broken input gets a diagnostic and exit status 1, or a report; never a crash or a hang."""

import json
import os
import subprocess

import pytest

GOOD = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
"""

BAD = {
  "empty": ("", "the file is empty"),
  "binary": ("\x00\x01\x02", "binary file"),
  "text": ("hello, world", "error: "),
  "no_main": ("func.func @f() { return }", "no function @main"),
  "dynamic": ("func.func @main(%x: tensor<?xf32>) { return }", "dim 0 of tensor<?xf32> is dynamic"),
  "tuple": ("func.func @main(%x: tuple<tensor<f32>>) { return }", "tuple"),
  "wrong_contraction": (GOOD.replace("[1] x [0]", "[0] x [0]"), "dot_general"),
  "dim_out_of_range": (GOOD.replace("[1] x [0]", "[7] x [0]"), "dot_general"),
  "unknown_stablehlo_op": ('func.func @main() {\n  "stablehlo.nonsense"() : () -> ()\n  return }', "stablehlo.nonsense"),
  "nested": ("func.func @main() {" + '"a.b"() ({' * 5000, "nest"),
}


@pytest.mark.parametrize("command", [["inspect"], ["analyze"], ["analyze", "--rules"]], ids=lambda c: "".join(c))
@pytest.mark.parametrize("name", BAD)
def test_bad_input(name, command, shardwright, tmp_path):
  text, message = BAD[name]
  path = tmp_path / "bad.mlir"
  path.write_text(text)
  done = shardwright(*command, path)
  assert done.returncode == 1, done.stderr
  assert message in done.stderr
  assert done.stderr.startswith(f"{path}:"), "file:line:col comes first"
  assert done.stdout == ""


def test_every_prefix_of_a_module_is_survived(shardwright):
  for length in range(0, len(GOOD) - 2, 7):
    done = shardwright("inspect", "-", stdin=GOOD[:length])
    assert done.returncode == 1
    assert "<stdin>:" in done.stderr, GOOD[:length]


def test_a_reader_that_has_seen_enough_takes_no_file_along(shardwright, tmp_path):
  """`| head`: the report goes nowhere, and the files are there, whole, with nothing beside them."""
  plan, trace = tmp_path / "plan.json", tmp_path / "trace.json"
  commands = (["partition", "--budget", "5", "-o", plan], ["estimate", "--trace", trace])
  for command, *arguments in commands:
    reader, writer = os.pipe()
    os.close(reader)
    words = [shardwright.path, command, "-", "--mesh", "data=4", "--device", "h100", *map(str, arguments)]
    done = subprocess.run(words, input=GOOD, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
  assert {path.name for path in tmp_path.iterdir()} == {"plan.json", "trace.json"}
  for path in (plan, trace):
    json.loads(path.read_text())


def test_unknown_command_names_the_nearest_and_the_others(shardwright):
  done = shardwright("partitoin", "step.mlir", "--mesh", "data=4")
  assert done.returncode == 2 and done.stdout == ""
  assert done.stderr == (
    "error: there is no command `partitoin`; did you mean `partition`? "
    "There are inspect, analyze, partition, apply, estimate, explain, diff, calibrate\n"
  )
  assert "did you mean" not in shardwright("xyzzy").stderr
  assert "there is no command `xyzzy`; there are inspect, analyze" in shardwright("xyzzy").stderr


def test_no_command_lists_them(shardwright):
  done = shardwright()
  assert done.returncode == 2
  assert done.stderr == "error: no command; there are inspect, analyze, partition, apply, estimate, explain, diff, calibrate\n"


def test_missing_file(shardwright, tmp_path):
  done = shardwright("inspect", tmp_path / "nothing.mlir")
  assert done.returncode == 1
  assert "cannot read" in done.stderr and "No such file" in done.stderr


def test_invalid_utf8_is_survived(shardwright, tmp_path):
  path = tmp_path / "bad.mlir"
  path.write_bytes(b"func.func @main() { \xff\xfe return }")
  assert shardwright("inspect", path).returncode == 1


def test_unknown_ops_are_reported(shardwright):
  text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @mystery(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
  report = json.loads(shardwright.ok("inspect", "--json", "-", stdin=text))
  assert [(u["op"], u["count"], u["location"]) for u in report["unsupported"]] == [
    ("foo.bar", 1, "<stdin>:2:8"),
    ("stablehlo.custom_call:mystery", 1, "<stdin>:3:8"),
  ]


def test_tokens_and_zero_sizes(shardwright):
  text = """func.func @main(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, !stablehlo.token) {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.add %x, %x : tensor<0x4xf32>
  return %0, %t : tensor<0x4xf32>, !stablehlo.token
}"""
  report = json.loads(shardwright.ok("inspect", "--json", "-", stdin=text))
  assert report["ops"] == {"stablehlo.add": 1, "stablehlo.create_token": 1}


def test_large_constants(shardwright, tmp_path):
  """100 MB of constant data, as hex."""
  count = 25_000_000
  path = tmp_path / "large.mlir"
  with path.open("w") as file:
    file.write(f'func.func @main() -> tensor<{count}xf32> {{\n  %0 = stablehlo.constant dense<"0x')
    file.write("0000803F00000040" * (count // 2))
    file.write(f'"> : tensor<{count}xf32>\n  return %0 : tensor<{count}xf32>\n}}\n')
  report = json.loads(shardwright.ok("inspect", "--json", path))
  assert report["results"][0]["bytes"] == 4 * count


def test_output_appears_whole_or_not_at_all(shardwright, tmp_path):
  target = tmp_path / "out.json"
  target.write_text("old")
  done = shardwright("inspect", "--json", "-", "-o", target, stdin="nonsense")
  assert done.returncode == 1
  assert target.read_text() == "old"
  assert shardwright("inspect", "-", "-o", tmp_path / "missing" / "out", stdin=GOOD).returncode == 1
  shardwright.ok("inspect", "--json", "-", "-o", target, stdin=GOOD)
  assert json.loads(target.read_text())["flops"] == 2 * 4 * 8 * 2
  assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


def test_links_are_followed_and_pipes_written_to(shardwright, tmp_path):
  """Nothing is put in the place of what is no file: not of a device either, when run as root."""
  real, link, pipe = tmp_path / "real.txt", tmp_path / "link", tmp_path / "pipe"
  real.write_text("old")
  link.symlink_to(real)
  shardwright.ok("inspect", "--json", "-", "-o", link, stdin=GOOD)
  assert link.is_symlink() and json.loads(real.read_text())["flops"] == 2 * 4 * 8 * 2
  os.mkfifo(pipe)
  reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
  shardwright.ok("inspect", "--json", "-", "-o", pipe, stdin=GOOD)
  assert json.loads(reader.communicate(timeout=60)[0])["flops"] == 2 * 4 * 8 * 2
  assert pipe.is_fifo()
  done = shardwright("inspect", "-", "-o", "/dev/full", stdin=GOOD)
  assert done.returncode == 1 and "cannot write `/dev/full`: No space left on device" in done.stderr
  assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe", "real.txt"]


@pytest.mark.parametrize("outputs, where", [
    (["--emit", "annotated={0}/a", "--emit", "explicit={0}/a"], "`{0}/a`"),
    (["--emit", "annotated=-", "-o", "-"], "standard output"),
])
def test_two_outputs_to_one_place(outputs, where, shardwright, tmp_path):
  outputs = [text.format(tmp_path) for text in outputs]
  done = shardwright("partition", "-", "--mesh", "data=2", "--device", "h100", *outputs, stdin=GOOD)
  assert done.returncode == 1
  assert f"two outputs go to {where.format(tmp_path)}; give each a place of its own" in done.stderr
  assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option, value", [
    ("--threads", "100000"), ("--threads", "-1"), ("--patience", "-1"), ("--seed", "99999999999999999999"),
])
def test_numbers_out_of_range(option, value, shardwright):
  done = shardwright("partition", "-", "--mesh", "data=2", "--device", "h100", option, value, stdin=GOOD)
  assert done.returncode == 2
  assert option in done.stderr and value in done.stderr


@pytest.mark.parametrize("arguments", [[], ["inspect"], ["nonsense"], ["inspect", "-", "--nonsense"]])
def test_bad_usage(arguments, shardwright):
  done = shardwright(*arguments, stdin=GOOD)
  assert done.returncode == 2
  assert done.stderr != ""


def test_help_and_version(shardwright):
  assert "inspect" in shardwright.ok("--help")
  assert "MODULE" in shardwright.ok("inspect", "--help")
  assert shardwright.ok("--version").strip() != ""

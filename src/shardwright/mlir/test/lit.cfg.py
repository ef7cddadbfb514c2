# The tests of the project's MLIR dialects and passes.
#
#   lit-22 -v --param tools_dir=BUILD/tools src/shardwright/mlir/test
#
# tools_dir is where shardwright-opt was built; without the parameter the environment variable
# SHARDWRIGHT_TOOLS_DIR, and then PATH, are asked. LLVM's own tools are found through llvm-config.
import os
import shutil
import subprocess

import lit.formats

config.name = "shardwright-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)


def llvm_tools_dir():
    """The folder of FileCheck, from the parameter `llvm_tools_dir` or from llvm-config."""
    given = lit_config.params.get("llvm_tools_dir")
    if given:
        return given
    for name in ("llvm-config-22", "llvm-config"):
        if shutil.which(name):
            return subprocess.check_output([name, "--bindir"], text=True).strip()
    lit_config.fatal("llvm-config-22 is not on PATH; pass --param llvm_tools_dir=DIR")


def tools_dir():
    """The folder of shardwright-opt."""
    given = lit_config.params.get("tools_dir") or os.environ.get("SHARDWRIGHT_TOOLS_DIR")
    if given:
        return os.path.abspath(given)
    found = shutil.which("shardwright-opt")
    if found is None:
        lit_config.fatal("shardwright-opt is not on PATH; pass --param tools_dir=DIR")
    return os.path.dirname(found)


config.test_exec_root = lit_config.params.get(
    "exec_root", os.path.join(tools_dir(), "lit-output"))
config.environment["PATH"] = os.pathsep.join(
    [tools_dir(), llvm_tools_dir(), os.environ.get("PATH", "")])
# Debian's MLIR is not instrumented; its allocators would look like poisoned memory to a sanitized tool.
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "allow_user_poisoning=0")

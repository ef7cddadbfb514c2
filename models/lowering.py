"""From a JAX function and argument shapes to StableHLO text that is the same wherever it is made."""

import contextlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax

PLATFORMS = ("cpu", "cuda", "tpu")

_REPOSITORY = Path(__file__).resolve().parent.parent
_SOURCE_REGEX = "jax_hlo_source_file_canonicalization_regex"


def stablehlo_text(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    donated: tuple[int, ...] = (),
    *,
    generic: bool = False,
    locations: bool = True,
    platform: str = "cpu",
) -> str:
    """Lowers `function` for `platform` and prints it, pretty or generic, with or without locations.

    With locations, arguments carry their JAX paths (`loc("state['params']['w1']")`) and source files read
    `models/gpt.py`. The text does not depend on who calls this, from where, or what was exported before: see
    `_on_a_stack_of_its_own` and `_relative_sources`.
    """

    def lower_and_print() -> str:
        jitted = jax.jit(function, donate_argnums=donated, keep_unused=True)
        lowered = jitted.trace(*args).lower(lowering_platforms=(platform,))
        if not generic:
            return lowered.as_text(debug_info=locations)
        operation = lowered.compiler_ir("stablehlo").operation
        return operation.get_asm(print_generic_op_form=True, enable_debug_info=locations)

    with _relative_sources():
        return _on_a_stack_of_its_own(lower_and_print)


@contextlib.contextmanager
def _relative_sources() -> Iterator[None]:
    """Makes source files relative to the repository while the program is traced and printed."""
    before = getattr(jax.config, _SOURCE_REGEX)
    jax.config.update(_SOURCE_REGEX, "^" + re.escape(f"{_REPOSITORY}/"))
    try:
        yield
    finally:
        jax.config.update(_SOURCE_REGEX, before)


def _on_a_stack_of_its_own(work: Callable[[], str]) -> str:
    """Runs `work` in a fresh thread: locations hold the whole Python call stack, and the caller's frames are noise."""
    with ThreadPoolExecutor(max_workers=1) as executor:
        return executor.submit(work).result()

"""The command line: `python -m models NAME [options] -o OUT.mlir`."""

import argparse
import dataclasses
import os
import sys
import typing
from pathlib import Path
from typing import Any, NoReturn

import jax

import models
from models.lowering import PLATFORMS
from models.model import Config, ConfigError, Model

USAGE_ERROR = 2


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line; argparse would print the usage before it."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(message)


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


_integers.__name__ = "comma-separated integers"  # What argparse calls it in "invalid ... value".


def _field_option(hint: Any) -> dict[str, Any]:
    """How argparse reads a configuration field of that type."""
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction}
    if typing.get_origin(hint) is typing.Literal:
        return {"choices": typing.get_args(hint)}
    if typing.get_origin(hint) is tuple:
        return {"type": _integers, "metavar": "N,N,..."}
    return {"type": hint, "metavar": "N"}


def _common_parser(**settings: Any) -> _Parser:
    """The options that all models share."""
    parser = _Parser(prog="python -m models", allow_abbrev=False, **settings)
    parser.add_argument("name", nargs="?", metavar="NAME", help="a model, as --list names it")
    parser.add_argument("--list", action="store_true", help="list the models and their parameter counts")
    parser.add_argument("--export-small", metavar="DIR", help="write the small variant of every model into DIR")
    parser.add_argument("--small", action="store_true", help="start from the variant that runs on host devices")
    parser.add_argument("--generic", action="store_true", help="print MLIR's generic form")
    parser.add_argument("--no-locations", action="store_true", help="leave out names and source locations")
    parser.add_argument("--platform", choices=PLATFORMS, default="cpu", help="lower for this platform (default: cpu)")
    parser.add_argument("-o", "--output", default="-", metavar="OUT", help="file to write; '-' is standard output")
    return parser


def _model_parser(model: Model) -> _Parser:
    """The common options and one for each field of the model: `kv_heads` is `--kv-heads` or `--kv_heads`."""
    parser = _common_parser(description=model.summary)
    group = parser.add_argument_group(f"fields of {model.name}")
    for name, hint in model.config.field_types().items():
        options = sorted({f"--{name}", "--" + name.replace("_", "-")})
        default = f"default: {getattr(model.config, name)}"
        group.add_argument(*options, dest=name, default=None, help=default, **_field_option(hint))
    return parser


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, Model | None]:
    """Looks for the model's name first, because the model decides which options there are."""
    first_look, _ = _common_parser(add_help=False).parse_known_args(arguments)
    if first_look.name:
        model = models.get(first_look.name)
        options, unknown = _model_parser(model).parse_known_args(arguments)
    else:
        model = None
        options, unknown = _general_parser().parse_known_args(arguments)
    if unknown:
        raise ConfigError(_unknown_option(unknown[0], model))
    return options, model


def _general_parser() -> _Parser:
    return _common_parser(
        description="Exports one model's step as StableHLO text.",
        epilog="`python -m models NAME --help` lists the fields that a model has.",
    )


def _unknown_option(option: str, model: Model | None) -> str:
    if model is None or not option.startswith("--"):
        return f"unexpected argument '{option}'"
    field = option.removeprefix("--").split("=")[0]
    return f"{model.name} has no field '{field}'; it has {', '.join(model.config.field_types())}"


def _configuration(model: Model, options: argparse.Namespace) -> Config:
    base = model.small() if options.small else model.config
    chosen = {name: getattr(options, name) for name in base.field_types()}
    return dataclasses.replace(base, **{name: value for name, value in chosen.items() if value is not None})


def _write(text: str, output: Path) -> None:
    """Writes beside the file and renames, so that the file appears whole or not at all."""
    output = output.resolve()
    if output.exists() and not output.is_file():
        output.write_text(text, encoding="utf-8")  # A pipe or device: nothing to rename over.
        return
    temporary = output.with_name(f".{output.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(output)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _list() -> None:
    for name in models.names():
        model = models.get(name)
        print(f"{name:12} {_human(model.parameter_count()):>8} parameters  {model.summary}")


def _human(count: int) -> str:
    for unit, size in (("B", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.2f}{unit}"
    return str(count)


def _export_small(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for model in map(models.get, models.names()):
        for name, config in model.small_variants().items():
            _write(model.export(config), folder / f"{name}.mlir")


def _export(model: Model, options: argparse.Namespace) -> None:
    text = model.export(
        _configuration(model, options),
        generic=options.generic,
        locations=not options.no_locations,
        platform=options.platform,
    )
    if options.output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        _write(text, Path(options.output))


def _run(arguments: list[str]) -> None:
    options, model = _parse(arguments)
    if options.list:
        _list()
    elif options.export_small:
        _export_small(Path(options.export_small))
    elif model:
        _export(model, options)
    else:
        raise ConfigError("which model? python -m models NAME [options]; --list lists the names")


def main(arguments: list[str]) -> int:
    try:
        _run(arguments)
    except OSError as error:
        return _fail(f"cannot write {error.filename or 'standard output'}: {error.strerror}")
    except ConfigError as error:
        return _fail(str(error))
    return 0


def _fail(message: str) -> int:
    print(f"models: error: {message}", file=sys.stderr)
    return USAGE_ERROR


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")  # Lowering needs no accelerator, so do not seize one.
    sys.exit(main(sys.argv[1:]))

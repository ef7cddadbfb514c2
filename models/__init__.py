"""JAX models of every kind that people partition, exported as StableHLO from shapes alone.

    import dataclasses, models
    model = models.get("gemma_7b")
    text = model.export(dataclasses.replace(model.config, layers=4, scan=True))

From the command line: `python -m models gemma_7b --layers 4 --scan -o gemma.mlir`.
"""

from models import (
    attention,
    decoder,
    gemma,
    gns,
    gpt,
    lstm,
    mamba,
    mlp,
    moe,
    residual,
    resnet50,
    transformer,
    unet,
    vit,
)
from models.model import Config, ConfigError, Model

_MODULES = (
    mlp, attention, residual, transformer, gpt, gemma, decoder, moe, unet, gns, resnet50, vit, mamba, lstm,
)  # fmt: skip
_BY_NAME = {model.name: model for module in _MODULES for model in module.MODELS}


def names() -> tuple[str, ...]:
    """All model names, simple ones first."""
    return tuple(_BY_NAME)


def get(name: str) -> Model:
    """The model called `name`; raises `ConfigError` when there is none."""
    if name not in _BY_NAME:
        raise ConfigError(f"there is no model '{name}'; there are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


__all__ = ["Config", "ConfigError", "Model", "get", "names"]

"""The pieces that random programs are made of, by rule family. A step takes a block and adds to it."""

from ..block import Family
from . import control, elementwise, indexing, linear, patterns, reduction, shape, window

MODULES = (elementwise, linear, shape, reduction, indexing, window, control, patterns)
FAMILIES = {name: Family(name, *entry) for module in MODULES for name, entry in module.FAMILIES.items()}

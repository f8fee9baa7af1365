"""The table of operations, and the public functions that follow from it."""

import importlib

from . import _arithmetic, _elementwise
from ._public import FUNCTIONS, METHODS, PROPERTIES

import os
_here = os.path.dirname(__file__)
for _m in ["_reduce", "_scan", "_norm", "_sort", "_order", "_search", "_shape", "_join", "_index", "_scatter", "_contract", "_einsum", "_fused", "_linalg", "_create", "_complex", "_random", "_numpy", "_queries", "_complex", "_copy", "_norm", "_fused"]:
    if os.path.exists(os.path.join(_here, _m + ".py")):
        importlib.import_module("symgrad.ops." + _m)

globals().update(FUNCTIONS)

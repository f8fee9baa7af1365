"""The table of operations, and the public functions that follow from it."""

import importlib
import os

from ._public import FUNCTIONS, METHODS, PROPERTIES

_here = os.path.dirname(__file__)
for _m in ["_arithmetic.py", *sorted(os.listdir(_here))]:
    if _m.endswith(".py") and _m != "__init__.py":
        try:
            importlib.import_module("symgrad.ops." + _m[:-3])
        except ImportError as _e:
            print("TEMPORARY", _e)

globals().update(FUNCTIONS)

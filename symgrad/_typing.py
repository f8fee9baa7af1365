"""The dtypes by PyTorch's names. They are NumPy's own dtypes: ``sg.float32 == np.float32 == "float32"``."""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(numpy_name)
    for name, numpy_name in {
        "float64": "float64", "double": "float64", "float32": "float32", "float": "float32",
        "float16": "float16", "half": "float16",
        "complex128": "complex128", "cdouble": "complex128", "complex64": "complex64", "cfloat": "complex64",
        "int64": "int64", "long": "int64", "int32": "int32", "int": "int32", "int16": "int16", "short": "int16",
        "int8": "int8", "uint8": "uint8", "bool": "bool",
    }.items()
}  # fmt: skip
"""PyTorch's name of a dtype → the dtype; the *name* ``float`` is float32 and ``int`` is int32, as there."""


def as_dtype(x: Any) -> np.dtype[Any]:
    """The dtype that ``x`` says: a dtype, a NumPy scalar type, a name, or one of Python's types.

    As in PyTorch and NumPy, Python's own ``float`` is float64, ``int`` int64, ``complex`` complex128.
    """
    if isinstance(x, np.dtype):
        return x
    if isinstance(x, str):
        name = x.rpartition(".")[2]
        if name in DTYPES:
            return DTYPES[name]
    try:
        if x is not None:
            return np.dtype(x)
    except TypeError:
        pass
    raise TypeError(f"dtype must be a dtype, not {x!r}\nKnown names: {', '.join(DTYPES)}.")

"""Calls of NumPy's functions, by the function: the one table that `test_numpy_namespace.py` runs.

The table is numpy_calls.txt: under each name its calls, with `` | `` between. In a call, letters are arrays (see
`ARRAYS`); those of floats and of complex numbers are the variables.
"""

import re
import warnings
from pathlib import Path

import numpy as np

_rng = np.random.default_rng(3)


def _apart(*shape):
    """Numbers between 0.2 and 2 in no order, no two of which are near each other."""
    n = int(np.prod(shape))
    return (0.2 + 1.8 * (_rng.permutation(n) + 0.3 * _rng.random(n)) / n).reshape(shape)


def _signed(*shape):
    values = _apart(*shape)
    return values * np.where(_rng.random(shape) < 0.5, -1, 1)


ARRAYS = {
    "v": _signed(4), "w": _signed(4), "u": _signed(3), "t": _signed(3), "p": _apart(4), "q": _apart(4) / 2.5,
    "x": np.sort(_signed(5)), "A": _signed(3, 4), "C": _signed(3, 4), "P": _apart(3, 4), "S": _signed(4, 4),
    "B": _signed(2, 3, 4), "O": _signed(1, 3, 1), "s": np.asarray(0.7), "r": np.asarray(-1.3),
    "E": np.zeros(0), "G": np.zeros((0, 3)), "f": _signed(4).astype(np.float32),
    "F": np.asfortranarray(_signed(3, 4)), "R": _signed(4)[::-1], "T": _signed(4, 3).T,
    "z": _signed(4) + 1j * _signed(4), "Z": _signed(3, 4) + 1j * _signed(3, 4),
    "N": np.where(np.arange(12).reshape(3, 4) % 5 == 1, np.nan, _signed(3, 4)),
}  # fmt: skip
"""The variables: v, w, u, t vectors; p, q, P positive; x sorted; A, C matrices; B a stack; s, r numbers; E, G empty; f
of single precision; F in Fortran's order; R, T with strides; z, Z complex; N with NaN."""

CONSTANTS = {
    "k": np.array([2, 0, 3, 0]), "K": np.array([[0, 3], [1, 1], [2, 0]]), "m": np.array([True, False, True, True]),
    "M": np.arange(12).reshape(3, 4) % 3 != 1, "h": np.array([0.3, 0.1, 0.9, 0.4]),
}  # fmt: skip
"""What stays as it is: places k and K, masks m and M, numbers h."""


def put(function, a, *args, **kwargs):
    """What a function that writes makes of (a copy of) its first argument."""
    a = np.copy(a)
    function(a, *args, **kwargs)
    return a


def calls():
    """(name, call) of every call in the table."""
    text = (Path(__file__).parent / "numpy_calls.txt").read_text(encoding="utf-8")
    for name, block in re.findall(r"^(\S+)\n((?: .*\n)+)", text, re.M):
        for call in re.split(r" \|\s+", block.strip()):
            yield name, call


def run(call, arrays):
    """What a call gives, with these arrays in place of those of the same names."""
    return eval(call, {"np": np, "put": put, **CONSTANTS, **ARRAYS, **arrays})


def is_there(call):
    """Whether the installed NumPy has the function; and the argument, which came with a later version."""
    if not all(hasattr(np, name) for name in re.findall(r"np\.(\w+)", call)):
        return False
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(call, {})
    except (TypeError, ValueError):
        if np.lib.NumpyVersion(np.__version__) >= "2.4.0":
            raise
        return False
    return True

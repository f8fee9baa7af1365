"""Whether a term's values are real: what many rules rest on, √x² = |x| and log x − log y = log(x/y) among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._postorder import postorder
from ._node import Add, Call, Data, Ein, Expr, Lin, Map, Var

REAL_OF_COMPLEX = frozenset([
    "abs", "abs_complex", "abs_power", "angle", "dist", "imag", "irfft", "real", "std", "var", "vector_norm",
    "view_as_real",
])  # fmt: skip
"""Rows whose results are real whatever their arguments are."""
COMPLEX_OF_REAL = frozenset(
    [
        "complex",
        "eig",
        "fft",
        "hankel_1",
        "hankel_2",
        "ifft",
        "lambertw",
        "polar",
        "rfft",
        "view_as_complex",
        "wofz",
        "wofz_slope",
    ]
)
"""Rows whose results are complex though their arguments are real."""


def is_real(term: Expr) -> bool:
    """Whether no complex number occurs in what gives the term its value, as far as is known."""
    known = term.memo.get("real")
    if known is None:
        for t in postorder(term):
            if "real" not in t.memo:
                t.memo["real"] = _is_real(t)
        known = term.memo["real"]
    return bool(known)


def _is_real(t: Any) -> bool:
    if isinstance(t, Var):
        return "complex" not in t.properties
    if isinstance(t, Data):
        return bool(t.value.dtype.kind != "c")
    numbers: Any = ()
    if isinstance(t, (Map, Call, Lin)):
        if t.op.name in REAL_OF_COMPLEX:
            return True
        if t.op.name in COMPLEX_OF_REAL or (t.op.name == "cast" and np.dtype(t.params[0]).kind == "c"):
            return False
        numbers = t.params
    elif isinstance(t, Ein):
        numbers = (t.coef,)
    elif isinstance(t, Add):
        numbers = [c for c, _, _ in t.terms]
    return not any(isinstance(c, complex) for c in numbers) and all(c.memo["real"] for c in t.children)

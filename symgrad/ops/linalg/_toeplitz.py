"""Systems whose matrix has equal entries along its diagonals: by Levinson's recursion, in n² steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible, table
from ..shape._pad import constant_pad
from ._contract import fit
from ._linalg import LinAlgError


def _solve(c: np.ndarray, r: np.ndarray, b: np.ndarray) -> np.ndarray:
    from scipy.linalg import solve_toeplitz

    lead = np.broadcast_shapes(c.shape[:-1], r.shape[:-1], b.shape[:-2])
    out = np.empty((*lead, *b.shape[-2:]), np.result_type(c, r, b))
    columns, rows = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (c, r))
    sides = np.broadcast_to(b, (*lead, *b.shape[-2:]))
    for at in np.ndindex(*lead):
        lost = ~np.isfinite(sides[at]).all(0)  # columns that SciPy refuses: what is not finite makes them so
        if not (np.isfinite(columns[at]).all() and np.isfinite(rows[at]).all()):
            lost[:] = True
        out[at][:, lost] = np.nan
        if lost.all():
            continue
        try:
            out[at][:, ~lost] = solve_toeplitz((columns[at], rows[at]), sides[at][:, ~lost]) if out.size else 0
        except np.linalg.LinAlgError as error:
            raise LinAlgError(
                f"solve_toeplitz: {error}", "Levinson's recursion needs all leading minors.",
                "linalg.solve(linalg.toeplitz(c, r), b) pivots.",
            ) from None  # fmt: skip
    return out


def _turned(g: Any, c: Any, r: Any) -> Any:
    """The solution for the transposed matrix."""
    if c.shape != r.shape:
        c, r = np.broadcast_arrays(c, r)
    return toeplitz_row(table("cat")([c[..., :1], r[..., 1:]], c.ndim - 1), c, g)


def _along(a: Any, b: Any) -> Any:
    """``sum(a[j + k] * b[j])`` for every k."""
    n = int(a.shape[-2])
    places = np.arange(n)[:, None] + np.arange(n)
    widths = [(0, 0)] * a.ndim
    widths[-2] = (0, n)
    return (constant_pad(a, tuple(widths), 0)[..., places, :] * b[..., None, :, :]).sum((-2, -1))


def _rule_of_column(g: Any, c: Any, r: Any, y: Any, shape_c: Any) -> Any:
    return fit(-_along(_turned(g, c, r), y), shape_c)


def _rule_of_row(g: Any, c: Any, r: Any, y: Any, shape_r: Any) -> Any:
    n = int(y.shape[-2])
    return fit(-_along(y, _turned(g, c, r)) * (np.arange(n) > 0), shape_r)  # the first is the column's


toeplitz_row: Any = fallible(
    "solve_toeplitz", _solve, _rule_of_column, _rule_of_row,
    lambda g, c, r, shape_b: fit(_turned(g, c, r), shape_b),
    inputs=("c", "r", "b"),
    sample=lambda rng: ((rng.normal(size=4) + [6, 0, 0, 0], rng.normal(size=4), rng.normal(size=(4, 2))), ()),
    doc="the solution X of T X = B, T having the first column c and the first row r",
)  # fmt: skip

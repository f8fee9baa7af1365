"""The principal logarithm and square root of matrices.

The idea to hold: the derivative of the logarithm at A along E stands in the corner of the logarithm of
``[[A, E], [0, A]]``; that of the root X follows from ``X X = A``, which is Sylvester's equation for a change of X.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...core import fallible
from ._linalg import LinAlgError
from ._pseudo import corner
from ._sylvester import sylvester_row


def _principal(x: np.ndarray, name: str) -> np.ndarray:
    """SciPy's function of that name, matrix by matrix; real matrices must have a real one."""
    import scipy.linalg

    function = getattr(scipy.linalg, name)
    out = np.empty(x.shape, x.dtype)
    for at in np.ndindex(*x.shape[:-2]):
        if not x.size:
            continue
        if name == "logm":
            _expect_regular(x[at])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)  # of a singular matrix: seen below
            found = np.asarray(function(x[at].astype(np.result_type(x, np.float64))))
        if x.dtype.kind == "f" and found.dtype.kind == "c":
            size = np.abs(found).max()
            if not np.abs(found.imag).max() <= 1e-7 * size:
                raise _no_real(name, x[at])
            found = found.real
        rest = np.abs(found @ found - x[at]).max() if name == "sqrtm" else 0.0
        if not np.isfinite(found).all() or not rest <= 1e-6 * np.abs(x[at]).max():
            raise _no_real(name, x[at])
        out[at] = found
    return out


def _expect_regular(x: np.ndarray) -> None:
    values = np.abs(np.linalg.eigvals(x))
    if values.min() <= np.finfo(values.dtype).eps * values.max():
        raise LinAlgError(
            "logm: the matrix is singular, so it has no logarithm.",
            f"The sizes of its eigenvalues are {np.array2string(values, precision=3)}.", "",
        )  # fmt: skip


def _no_real(name: str, x: np.ndarray) -> LinAlgError:
    values = np.array2string(np.linalg.eigvals(x), precision=6)
    return LinAlgError(
        f"{name}: the matrix has no real principal {'logarithm' if name == 'logm' else 'square root'} with derivatives",
        f"Its eigenvalues are {values}: one is zero, or negative.",
        "Cast it to complex numbers if the complex one is meant.",
    )  # fmt: skip


def _positive(rng: Any) -> Any:
    a = rng.normal(size=(3, 3))
    return [a @ a.T + np.eye(3)], ()


def _log_rate(operands: Any) -> np.ndarray:
    if not operands[0].any():  # what has the operands' shapes, for the result's: the logarithm itself refuses zeros
        return np.full(np.broadcast_shapes(*[x.shape for x in operands]), np.nan, np.result_type(*operands))
    x, *along = operands
    lost = [~np.isfinite(e).all((-2, -1), keepdims=True) for e in along]  # SciPy refuses them
    if not any(v.any() for v in lost):
        return corner(lambda x: _principal(x, "logm"), operands)
    known = [np.where(v, 0, e) for e, v in zip(along, lost, strict=True)]
    found = corner(lambda x: _principal(x, "logm"), [x, *known])
    return np.where(np.logical_or.reduce(np.broadcast_arrays(*lost)), np.nan, found)


def _log_rate_rule(g: Any, operands: Any, i: int) -> Any:
    a, *directions = operands
    rest = [e.mT for k, e in enumerate(directions, 1) if k != i]
    return log_rate_row([a.mT, *rest, g])


log_rate_row: Any = fallible(
    "matrix_log_rate", _log_rate, _log_rate_rule, variadic=True, last=2,
    sample=lambda rng: ([_positive(rng)[0][0], rng.normal(size=(3, 3))], ()),
    doc="the derivative of the matrix logarithm at a matrix along others",
)  # fmt: skip

logm_row = fallible(
    "matrix_log", lambda x: _principal(x, "logm"), lambda g, x: log_rate_row([x.mT, g]),
    last=2, sample=_positive, label="logm", doc="the principal logarithm of a matrix",
)  # fmt: skip

sqrtm_row = fallible(
    "matrix_sqrt", lambda x: _principal(x, "sqrtm"), lambda g, y: sylvester_row(y.mT, y.mT, g),
    last=2, sample=_positive, label="sqrtm", doc="the principal square root of a matrix",
)  # fmt: skip

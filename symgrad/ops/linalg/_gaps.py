"""Gaps between eigenvalues (squared singular values), by which the turns of the vectors are divided.

The idea to hold: where a gap is closed the vectors have no derivative, and a rule that is asked for one says so. A loss
of the values alone never asks: what it wants of the vectors is 0 / 0 there, and counts as 0. That is right to first
order. To second order the quotient has a limit, which is how fast the loss's derivatives in the values move apart: so
where they do move, the gradient's own derivative raises instead of taking 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._errors import GradientError, SymgradError
from ...core import Tensor, fallible, modes
from .._dims import array
from ..entries import _elementwise as e
from ._linalg import adjoint, as_column, as_row

_ROUNDING = 1e4  # times the dtype's resolution: how large, beside the largest, an entry is that was asked for


def over_gaps(x: Any, values: Any, what: str) -> Any:
    """``x[i, j] / (values[j] - values[i])``, and 0 on the diagonal; where a gap is zero, x must be zero too."""
    closed, size = _closed(values), np.abs(array(x))
    wanted = closed & ~np.eye(closed.shape[-1], dtype=bool) & (size > _least(size, values))
    if wanted.any():
        raise GradientError(*_undefined(what, "vectors have", values, wanted))
    gap = as_row(values) - as_column(values)
    return e.where(closed, 0.0, x / e.where(closed, 1.0, gap))


def over_values(x: Any, values: Any, gradients: Sequence[Any], what: str) -> Any:
    """Columns ``x`` divided by singular values; where one is zero x must be, beside the ``gradients`` behind it."""
    plain = array(values)
    zero = _zero(plain)
    if zero.any():
        largest = [np.abs(array(g)).max((-2, -1), initial=0, keepdims=True)[..., 0] for g in gradients]
        size = np.abs(array(x)).max(-2, initial=0)
        wanted = zero & (size > _ROUNDING * np.finfo(plain.dtype).eps * np.max(largest, 0))
        if wanted.any():
            own = wanted[..., None] & np.eye(zero.shape[-1], dtype=bool)
            raise GradientError(*_undefined(what, "vectors have", values, own))
    return e.where(as_row(zero), 0.0, x / as_row(e.where(zero, 1.0, values)))


class Undecided(SymgradError):
    """The vectors' gradients are 0 in the plane of values that coincide: numbers do not tell why. Raised by rules on
    arrays; a sweep finds it out (sweep/guards.py).

    Attributes
    ----------
    parts : of the error to raise if they move with the matrix
    where : per number of an output that is in question the entries that count, as a mask of its shape; None for all, if
        they depend on the outputs at all
    node : whose rule it is
    """

    def __init__(self, parts: tuple[str, ...], where: dict[int, np.ndarray | None]) -> None:
        super().__init__(*parts)
        self.parts, self.where = parts, where
        self.node: Any = None


def expect_still(g: Any, y: Any, values: Any, what: str, rows: Sequence[int] = (), squared: bool = False) -> None:
    """Raise if the gradients of vectors, 0 in the plane of ``values`` that coincide, move with these.

    Parameters
    ----------
    g, y : the gradients of all outputs, and the outputs
    rows : the numbers of the outputs whose vectors are in rows; all others but the values' are in columns
    squared : as of `kept_apart`
    """
    closed = _shut(array(values), squared, 2)
    if squared and all(part.shape[-2] == part.shape[-1] == values.shape[-1] for part in y if part.ndim > values.ndim):
        closed &= ~np.eye(values.shape[-1], dtype=bool)  # a square matrix: nothing lies beside all vectors
    if modes.decided.get() or not closed.any():
        return
    some, n = closed.any(-1), values.shape[-1]
    where: dict[int, np.ndarray | None] = {}
    for k, part in enumerate(y):
        if part.ndim > some.ndim:
            mask = where[k] = np.zeros(part.shape, bool)
            if k in rows:
                mask[..., :n, :] = some[..., :, None]
            else:
                mask[..., :n] = some[..., None, :]
    expect_unmoved(g, y, where, _undefined(what, "vectors have", values, closed))


def expect_unmoved(g: Any, y: Any, where: dict[int, np.ndarray | None], parts: tuple[str, str, str]) -> None:
    """Raise a GradientError of these parts if the gradients of outputs move with the outputs: see `Undecided`."""
    if modes.decided.get():
        return
    if not any(isinstance(gk, Tensor) for gk in g):
        raise Undecided(parts, where)
    for k, mask in where.items():
        if isinstance(g[k], Tensor) and g[k]._node is not None and modes.moves_with(g[k], mask, y):
            raise GradientError(*parts)


def kept_apart(
    d: Any, g: Any, y: Sequence[Any], left: Callable[[], Any], right: Any, what: str, squared: bool = False
) -> Any:
    """The gradient ``d = left diag(g) right + …`` of a loss of ``values``, whose own derivative raises where it needs
    a gap that is closed.

    Parameters
    ----------
    g : the derivatives of the loss in the values
    y : the values and the vectors, as they were computed
    left, right : the vectors, in columns (as a function, called where they are needed) and in rows
    squared : the values are singular values: their squares' gaps count, and zeros, beside which there are more vectors
    """
    if not isinstance(g, Tensor):
        return d
    values = next(part for part in y if part.ndim == g.ndim)
    shut = _shut(array(values), squared)
    if not shut.any():
        return d
    unlike = shut & _unlike(array(g))
    if unlike.any():  # d is one of many, which all do where the matrix does not move, but not to second order
        raise GradientError(*_undefined(what, "gradient of a loss of the values has", values, unlike))
    if g._node is None or not modes.moves_apart(g, shut, y):
        return d
    return apart_row(d, array(values), array(left()), array(right), shut, bool(squared), what)


def values_kept_apart(
    moved: Any, change: Any, values: Any, left: Any, right: Any, what: str, squared: bool = False
) -> Any:
    """The tangents of ``values`` as the matrix changes, whose own derivative raises where that ``change`` turns the
    vectors of values that coincide: what the loss will make of them is not known here."""
    shut = _shut(array(values), squared)
    if shut.any():
        shut = shut & _touched(array(change), array(values), array(left), array(right), squared)
    return turned_row(moved, array(values), shut, what) if shut.any() else moved


def expect_no_zero(change: Any, values: Any, left: Any, right: Any, what: str) -> None:
    """Raise where a ``change`` turns vectors of a singular value of zero into what lies beside all vectors."""
    own = _shut(values, True) & _zero(values)[..., None]
    if own.any():
        own &= _touched(change, values, left, right, True)
    if own.any():
        raise GradientError(*_undefined(what, "vectors have", values, own))


def _closed(values: Any, order: int = 1) -> Any:
    """The pairs that are not told apart, or so little that nothing is left of the digits of what is divided by their
    gap, as derivatives of the second order in vectors are twice."""
    v = array(values)
    near = np.finfo(v.dtype).eps ** (0.75 if order == 1 else 0.5) * np.abs(v).max(-1, initial=0, keepdims=True)
    return np.abs(v[..., None, :] - v[..., :, None]) <= np.maximum(_resolution(v), near)[..., None]


def _shut(v: Any, squared: bool, order: int = 1) -> Any:
    """The pairs whose gap is closed; a value and itself only where that is a singular value of zero, which stands for
    what lies beside all vectors."""
    shut = _closed(v * v if squared else v, order)
    apart = ~np.eye(v.shape[-1], dtype=bool)
    if squared:
        apart = apart | _zero(v)[..., None]
    return shut & apart


def _unlike(g: Any) -> Any:
    """The pairs of values in which a loss has unlike slopes; a value and itself where it has any."""
    apart = np.abs(g[..., None, :] - g[..., :, None])
    apart = np.where(np.eye(g.shape[-1], dtype=bool), np.abs(g)[..., None], apart)
    return apart > 1e-9 * np.abs(g).max(-1, initial=0)[..., None, None]


def _zero(v: Any) -> Any:
    return np.abs(v) <= _resolution(v)


def _resolution(v: Any) -> Any:
    """Per matrix, below what its values are not told apart."""
    return np.finfo(v.dtype).eps * v.shape[-1] * np.abs(v).max(-1, initial=0, keepdims=True)


def _least(size: Any, values: Any) -> Any:
    """Per matrix, below what an entry is rounding beside the largest."""
    return _ROUNDING * np.finfo(array(values).dtype).eps * size.max((-2, -1), initial=0, keepdims=True)


def _touched(change: Any, values: Any, left: Any, right: Any, squared: bool) -> Any:
    """Where a change of the matrix has a part in the plane of two vectors, or (singular values) beside all of them."""
    size = np.abs(change)
    least = _least(size, values)
    beside_right = change @ adjoint(right)
    inner = adjoint(left) @ beside_right
    inner = np.maximum(np.abs(inner), np.abs(np.swapaxes(inner, -1, -2)))
    if squared:
        below = np.abs(beside_right - left @ (adjoint(left) @ beside_right)).max(-2, initial=0)
        across = adjoint(left) @ change
        beyond = np.abs(across - across @ adjoint(right) @ right).max(-1, initial=0)
        diagonal = np.eye(values.shape[-1], dtype=bool)
        outside = np.maximum(below, beyond)[..., None]
        own = np.where(diagonal, np.maximum(outside, np.abs(inner.imag) if np.iscomplexobj(inner) else 0), 0)
        inner = np.where(diagonal, own, inner)
    return inner > least


def _apart_rule(g: Any, values: Any, left: Any, right: Any, shut: Any, squared: Any, what: Any) -> Any:
    wanted = array(shut).astype(bool) & _touched(array(g), array(values), array(left), array(right), squared)
    if wanted.any():
        raise GradientError(*_undefined(what, "gradient of a loss of the values has", values, wanted))
    return g


def _turned_rule(g: Any, values: Any, shut: Any, what: Any) -> Any:
    if array(shut).any():
        raise GradientError(*_undefined(what, "values' derivative has", values, array(shut)))
    return g


def _undefined(what: str, subject: str, values: Any, wanted: Any) -> tuple[str, str, str]:
    """The parts of the error: a derivative that is not there, since a gap is closed."""
    *batch, i, j = (int(k[0]) for k in np.nonzero(wanted))
    ours = array(values)[tuple(batch)]
    gap = f"the gap between the values {i} and {j} is {abs(ours[i] - ours[j]):.1e}."
    return (
        f"{what}: the {subject} no derivative where "
        + (f"values coincide: {gap}" if i != j else f"value {i} is zero."),
        f"The values are {np.array2string(ours, precision=6)}.",
        "Differentiate the values only, and those once, or move the matrix off the degenerate point.",
    )  # fmt: skip


def _sample(rng: Any) -> Any:
    d, v = rng.normal(size=(3, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return [d, np.array([1.0, 2.0, 3.0]), v, v.T, np.zeros((3, 3), bool)], (False, "linalg.eigh")


apart_row = fallible(
    "kept_apart", lambda d, values, left, right, shut, squared, what: +d, _apart_rule, None, None, None, None,
    sample=_sample, doc="d, whose derivative raises where it turns vectors of values that coincide",
)  # fmt: skip
turned_row = fallible(
    "values_kept_apart", lambda moved, values, shut, what: +moved, _turned_rule, None, None,
    sample=lambda rng: ([rng.normal(size=3), np.array([1.0, 2.0, 3.0]), np.zeros((3, 3), bool)], ("linalg.eigh",)),
    doc="values, whose derivative raises",
)  # fmt: skip

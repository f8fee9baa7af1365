"""Filters by differences of a signal and of its result, under SciPy's names.

The idea to hold: with the state in front, ``A y = B x + z`` as polynomials; what is left of the last terms when ``y``
ends is the state behind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...core import Symbol, Tensor, table
from ...ops._dims import axis_of, rank, sizes
from ...ops.filters._recursions import recursive_row
from ...ops.filters._sliding_products import CONVOLVE
from .._mirrored import mirrored, refused


def _behind(x: Any, count: int) -> Any:
    """The last axis with zeros behind."""
    return np.pad(x, [(0, 0)] * (rank(x) - 1) + [(0, count)]) if count else x


def _coefficients(b: Any, a: Any, what: str) -> tuple[Any, Any]:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    for name, v in (("b", b), ("a", a)):
        if rank(v) != 1 or not sizes(v)[0]:
            raise ValueError(f"{what}: {name} is not a non-empty 1d array, since {name}.shape={sizes(v)}")
    first = a[0]
    if not isinstance(first, Symbol) and (first._data if isinstance(first, Tensor) else first) == 0:
        raise ValueError(f"{what}: the filter coefficient a[0] must not be 0")
    return b, a


def _filtered(b: Any, a: Any, x: Any, z: Any = None) -> tuple[Any, Any]:
    """The result along the last axis; with a state, the state behind."""
    n, order = sizes(x)[-1], max(sizes(a)[0], sizes(b)[0]) - 1
    moved = CONVOLVE[1](x, b, False)
    if z is not None:
        moved = _behind(moved, n + order - sizes(moved)[-1]) + _behind(a[0] * z, n)
    y = moved[..., :n] / a[0] if sizes(a)[0] == 1 else recursive_row(a, moved[..., :n])
    if z is None:
        return y, None
    fed = CONVOLVE[1](y, a, False)
    return y, ((moved - _behind(fed, n + order - sizes(fed)[-1])) / a[0])[..., n:]


@mirrored(_scipy.lfilter, "b a x zi")
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Return a signal filtered along an axis, ``a[0] y[t] + a[1] y[t-1] + … = b[0] x[t] + b[1] x[t-1] + …``.

    Parameters are those of `scipy.signal.lfilter`. The signal, both sets of coefficients and the state ``zi`` are
    differentiated. A gradient costs two filters more, one of them run backwards, and correlations of ``len(a)`` and
    ``len(b)`` terms.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = np.array([1.0, 0.0, 0.0, 0.0])
    >>> sg.jacobian(lambda r: sp.signal.lfilter([1.0], np.stack([1.0, -r]), x))(0.5)
    array([0.  , 1.  , 1.  , 0.75])
    """
    b, a = _coefficients(b, a, "lfilter")
    axis = axis_of(axis, rank(x))
    if not sizes(x)[axis]:
        raise ValueError(f"lfilter: x has no entries along axis {axis}")
    x = np.moveaxis(x, axis, -1)
    if zi is None:
        return np.moveaxis(_filtered(b, a, x)[0], -1, axis)
    order = max(sizes(a)[0], sizes(b)[0]) - 1
    wanted = (*sizes(x)[:-1], order)
    z = np.moveaxis(zi, axis, -1) if rank(zi) == len(wanted) else None
    if z is None or sizes(z)[-1] != order or any(k not in (1, n) for k, n in zip(sizes(z), wanted, strict=True)):
        shape = (*wanted[:axis], order, *wanted[axis:-1])
        raise ValueError(f"Unexpected shape for zi: expected {shape}, found {sizes(zi)}.")
    y, end = _filtered(b, a, x, np.broadcast_to(z, wanted))
    return np.moveaxis(y, -1, axis), np.moveaxis(end, -1, axis)


def _steady(b: Any, a: Any) -> Any:
    """The state in which a filter does not move when a step comes, and a is normalised."""
    b, a = b / a[0], a / a[0]
    order = max(sizes(a)[0], sizes(b)[0]) - 1
    b, a = _behind(b, order + 1 - sizes(b)[0]), _behind(a, order + 1 - sizes(a)[0])
    moved = b[1:] - a[1:] * b[0]
    gain = moved.sum() / a.sum()
    return gain * np.cumsum(a, 0)[:-1] - np.cumsum(moved, 0) + moved


@mirrored(_scipy.lfilter_zi, "b a")
def lfilter_zi(b: Any, a: Any) -> Any:
    """Return the state of `lfilter` after a step that is long ago.

    Parameters are those of `scipy.signal.lfilter_zi`.
    """
    return _steady(*_coefficients(b, a, "lfilter_zi"))


def _sections(sos: Any, what: str) -> list[tuple[Any, Any]]:
    if rank(sos) != 2 or sizes(sos)[1] != 6:
        raise ValueError(f"{what}: sos array must be shape (n_sections, 6), got {sizes(sos)}")
    if isinstance(sos, Symbol):
        raise refused(
            f"signal.{what} of a symbol", "sos[:, 3] must be 1, which a symbol is not.", "Stack it with ones."
        )
    if not np.all((sos._data if isinstance(sos, Tensor) else sos)[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")
    one = np.ones(1, sos.dtype)
    return [(s[:3], table("cat")([one, s[4:]], 0)) for s in (sos[k] for k in range(sizes(sos)[0]))]


def _by_sections(sections: Any, x: Any, states: Any) -> tuple[Any, Any]:
    ends = []
    for k, (b, a) in enumerate(sections):
        x, end = _filtered(b, a, x, None if states is None else states[k])
        ends.append(end)
    return x, None if states is None else np.stack(ends)


@mirrored(_scipy.sosfilt, "sos x zi")
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Return a signal filtered by second-order sections, one behind the other.

    Parameters are those of `scipy.signal.sosfilt`; ``sos[:, 3]`` must be 1, and its gradient is 0.
    """
    sections = _sections(sos, "sosfilt")
    axis = axis_of(axis, rank(x))
    x = np.moveaxis(x, axis, -1)
    if zi is None:
        return np.moveaxis(_by_sections(sections, x, None)[0], -1, axis)
    lead = sizes(x)[:-1]
    wanted = (len(sections), *lead[:axis], 2, *lead[axis:])
    if sizes(zi) != wanted:
        raise ValueError(f"Invalid zi shape. With axis={axis}, zi must have shape {wanted}, got {sizes(zi)}.")
    y, ends = _by_sections(sections, x, np.moveaxis(zi, axis + 1, -1))
    return np.moveaxis(y, -1, axis), np.moveaxis(ends, -1, axis + 1)


def _steady_sections(sections: Any) -> Any:
    states, scale = [], 1.0
    for b, a in sections:
        states.append(scale * _steady(b, a))
        scale = scale * (b.sum() / a.sum())
    return np.stack(states)


@mirrored(_scipy.sosfilt_zi, "sos")
def sosfilt_zi(sos: Any) -> Any:
    """Return the states of `sosfilt` after a step that is long ago.

    Parameters are those of `scipy.signal.sosfilt_zi`.
    """
    return _steady_sections(_sections(sos, "sosfilt_zi"))


def _extended(x: Any, padtype: str | None, edge: int) -> Any:
    """The last axis with as many entries more on both sides."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    if sizes(x)[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if not edge:
        return x
    before, behind = np.flip(x[..., 1 : edge + 1], -1), np.flip(x[..., -edge - 1 : -1], -1)
    if padtype == "odd":
        before, behind = 2 * x[..., :1] - before, 2 * x[..., -1:] - behind
    elif padtype == "constant":
        before, behind = x[..., :1] + 0 * before, x[..., -1:] + 0 * behind
    return table("cat")([before, x, behind], rank(x) - 1)


def _to_and_fro(run: Any, x: Any, edge: int) -> Any:
    y = run(np.flip(run(x), -1))
    y = np.flip(y, -1)
    return y[..., edge:-edge] if edge else y


@mirrored(_scipy.filtfilt, "b a x")
def filtfilt(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
    method: str = "pad", irlen: int | None = None,
) -> Any:  # fmt: skip
    """Return a signal filtered forwards and backwards, which shifts no phase.

    Parameters are those of `scipy.signal.filtfilt`; ``method="gust"`` is refused.
    """
    if method != "pad":
        raise refused(f"signal.filtfilt(method={method!r})", "Gustafsson's method has no rule.", "Take method='pad'.")
    b, a = _coefficients(b, a, "filtfilt")
    count = 3 * max(sizes(a)[0], sizes(b)[0]) if padlen is None else padlen
    edge = 0 if padtype is None else count
    wide = _extended(np.moveaxis(x, axis, -1), padtype, edge)
    state = _steady(b, a)
    return np.moveaxis(_to_and_fro(lambda v: _filtered(b, a, v, state * v[..., :1])[0], wide, edge), -1, axis)


@mirrored(_scipy.sosfiltfilt, "sos x")
def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None) -> Any:
    """Return a signal filtered by second-order sections forwards and backwards.

    Parameters are those of `scipy.signal.sosfiltfilt`.
    """
    sections = _sections(sos, "sosfiltfilt")
    numbers = sos._data if isinstance(sos, Tensor) else sos
    taps = 2 * len(sections) + 1 - min((numbers[:, 2] == 0).sum(), (numbers[:, 5] == 0).sum())
    edge = 0 if padtype is None else int(3 * taps) if padlen is None else padlen
    wide, state = _extended(np.moveaxis(x, axis, -1), padtype, edge), _steady_sections(sections)

    def run(v: Any) -> Any:
        return _by_sections(sections, v, [state[k] * v[..., :1] for k in range(len(sections))])[0]

    return np.moveaxis(_to_and_fro(run, wide, edge), -1, axis)

"""``sg.plot``: a function with its derivatives as a picture; a Hessian as a map with its eigenvalues.

The idea to hold: what is drawn is what the library computes; nothing is a difference of values. Here it is decided what
is drawn, and whether the limits make sense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _limits
from .._errors import ShapeError, compose
from ..core import Tensor
from ._plot_curves import draw_curves
from ._plot_labels import pyplot
from ._plot_matrix import draw_matrix, is_matrix
from ._plot_plane import draw_plane
from ._plot_subject import subject_of


def plot(
    f: Any, low: Any = None, high: Any = None, *, orders: int = 2, taylor: int | Sequence[int] | None = None,
    at: float | None = None, points: int | None = None, ax: Any = None,
) -> Any:  # fmt: skip
    """Draw a function of one number with its derivatives, a function of two numbers as contours, or a Hessian.

    Parameters
    ----------
    f : a function of one number, of two numbers or of a vector of two, that returns one number; a Formula in these; or
        a matrix of second derivatives: what `hessian` returns, sparse and structured ones too
    low, high : the ends of the interval; of a function of two numbers the corners, as pairs, or one number for both
    orders : the highest derivative that is drawn, of a function of one number
    taylor : one order or several: the Taylor polynomials of ``f`` about ``at`` are drawn too
    at : the point about which they are
    points : at how many points the curves are computed (401), or along each side of a plane (81)
    ax : the Axes to draw into; of a matrix two of them; default: a new figure

    Returns
    -------
    The Axes; of a matrix ``(map, spectrum)``. Show it with ``plt.show()``, save it with ``ax.figure.savefig``.

    Raises
    ------
    MissingDependencyError : matplotlib is not installed (``pip install "symgrad[plot]"``)
    ShapeError, DTypeError : it is no such function or matrix, or its values are complex
    ValueError : the interval is empty or not finite, an order is no whole number from 0, ``taylor`` comes without
        ``at``, or ``f`` has no finite value there
    GradientError : a Taylor coefficient is not finite; or what differentiating ``f`` raises

    Notes
    -----
    Derivatives are those of `grad`, at all points together by `vmap`; a function that branches runs once for each. A
    formula stands in the legend where it is short and holds everywhere. Curves have gaps where ``f`` is NaN and where
    it jumps; at poles the picture is cut. Of a function of two numbers the critical points that Newton's method finds
    from the grid are marked, with the ellipse on which the second-order Taylor polynomial has moved by at most one
    contour. Cost: ``points`` (squared, for a plane) values, and as many of each derivative drawn.

    Of a matrix of more than 500 rows a square of the map is the largest entry of a block; from 2000 rows on a few
    eigenvalues are shown, as `symgrad.transforms._report.report` finds them.

    Examples
    --------
    >>> import numpy as np
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import symgrad as sg
    >>> ax = sg.plot(lambda x: np.sin(x), 0, 3, taylor=3, at=0)
    >>> for label in ax.get_legend_handles_labels()[1]:
    ...     print(label)
    $f(x) = \\sin(x)$
    $f'(x) = \\cos(x)$
    $f''(x) = -\\sin(x)$
    $T_{3}(x)$, Taylor about 0
    >>> t = sg.symbol("t")
    >>> ax = sg.plot(sg.formula(lambda t: t * sg.log(t), t), 0, 2, orders=1)
    >>> ax.get_legend_handles_labels()[1][1]
    "$f'(t) = 1 + \\\\log(t)$"
    """
    pyplot()  # first: whatever else is wrong, nothing is drawn without it
    if is_matrix(f):
        return draw_matrix(f, ax) if low is None and high is None else _refuse_limits(f)
    pair = any(np.ndim(_plain(limit)) for limit in (low, high))
    subject = subject_of(f, pair)
    _require_limits(low, high)
    ends = _ends(low, high, subject.count)
    count = _whole(points, "points", 2) if points is not None else None
    highest = _whole(orders, "orders", 0)
    powers = [] if taylor is None else [_whole(k, "taylor", 0) for k in np.atleast_1d(taylor).tolist()]
    if subject.count == 2:
        if taylor is not None or at is not None:
            raise ValueError(compose(
                "taylor= and at= are for functions of one number, and this one is of two",
                "Its critical points are marked, with their second-order ellipses.", "Leave both out.",
            ))  # fmt: skip
        return draw_plane(_axes(ax), subject, *ends, count or _limits.PLOT_SIDE)
    if bool(powers) != (at is not None):
        raise ValueError(compose(
            "Taylor polynomials are about a point: taylor= and at= come together", f"taylor={taylor}, at={at}.",
            "Write taylor=(1, 2), at=0.5.",
        ))  # fmt: skip
    place = None if at is None else _number(at, "at")
    xs = np.linspace(float(ends[0][0]), float(ends[1][0]), count or _limits.PLOT_POINTS)
    return draw_curves(_axes(ax), subject, xs, highest, powers, place)


def _axes(ax: Any) -> Callable[[], Any]:
    """What gives the axes: new ones are made when there is something to draw."""
    if ax is not None and not hasattr(ax, "plot"):
        raise ShapeError("a function is drawn into one Axes", f"ax is {type(ax).__name__}.", "Pass plt.gca().")
    return lambda: pyplot().subplots(figsize=(7.2, 4.8), layout="constrained")[1] if ax is None else ax


def _plain(value: Any) -> Any:
    return value._data if isinstance(value, Tensor) else value


def _require_limits(low: Any, high: Any) -> None:
    if low is None or high is None:
        raise ValueError(compose(
            "a function is drawn between two limits", f"low is {low}, high is {high}.", "Write sg.plot(f, -1, 1)."
        ))  # fmt: skip


def _refuse_limits(f: Any) -> Any:
    raise ValueError(compose(
        "a matrix is drawn as a whole: it takes no limits", f"It is a {type(f).__name__}.", "Write sg.plot(H)."
    ))  # fmt: skip


def _ends(low: Any, high: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Both ends as vectors of as many numbers as the function takes."""
    found = []
    for limit, name in ((low, "low"), (high, "high")):
        flat = np.asarray(_plain(limit))
        if flat.dtype.kind not in "fiu" or flat.shape not in ((), (count,)):
            said = "a number" if count == 1 else "a number, or a pair of them"
            raise ValueError(compose(f"{name}= is {said}, got {limit!r}", "", "Write sg.plot(f, -1, 1)."))
        if not np.isfinite(flat).all():
            raise ValueError(compose(f"{name}= is not finite: {limit!r}", "", "Choose a finite interval."))
        found.append(np.broadcast_to(flat.astype(float), (count,)))
    if not (found[0] < found[1]).all():
        raise ValueError(compose(
            "the interval is empty: low is not below high", f"low is {low}, high is {high}.",
            "Exchange them, or move them apart.",
        ))  # fmt: skip
    return found[0], found[1]


def _number(value: Any, name: str) -> float:
    found = np.asarray(_plain(value))
    if found.dtype.kind not in "fiu" or found.size != 1 or not np.isfinite(found).all():
        raise ValueError(compose(f"{name}= is a finite number, got {value!r}", "", "Write at=0.5."))
    return float(found.reshape(()))


def _whole(value: Any, name: str, least: int) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ValueError(compose(f"{name} takes whole numbers from {least}, got {value!r}", "", ""))
    return int(value)


__all__ = ["plot"]

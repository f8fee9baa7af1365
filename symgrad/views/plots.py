"""``sg.plot``: a function with its derivatives as curves, contours and fields; a Hessian with its eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import GradientError, ShapeError, compose
from .._limits import bound
from ..core import unwrap
from .plot_matrix import as_label, derivative_title, draw_matrix, is_matrix, named, pyplot
from .plot_subject import Subject, subject_of

# ----------------- A function of one number with its derivatives, and its Taylor polynomials about a point, as curves

# The idea to hold: a curve is broken where the function jumps. Whether it does is found by bisection of steep steps:
# what is continuous becomes small between points that are close, a jump or a pole does not.


_STYLES = ({"linewidth": 2.2}, {"linewidth": 1.5}, {"linewidth": 1.5})


class Curve(NamedTuple):
    """Values at points, a nan between those where it jumps."""

    x: np.ndarray
    y: np.ndarray


def draw_curves(
    axes: Callable[[], Any], f: Subject, xs: np.ndarray, orders: int, powers: list[int], at: float | None
) -> Any:
    """Draw the function, its derivatives and its Taylor polynomials; the axes are made once there is something."""
    found = [f.values(xs, k) for k in range(orders + 1)]
    defined = ~np.isnan(found[0])
    found = [np.where(defined, y, np.nan) for y in found]
    if not any(np.isfinite(y).any() for y in found):
        raise _nothing_to_draw(f, f"{xs[0]:g} and {xs[-1]:g}")
    polynomials = _polynomials(f, powers, at) if powers else []
    low, high, cut = _view(found)
    ax = axes()
    for k, y in enumerate(found):
        curve = _broken(partial(f.values, order=k), xs, y, high - low)
        label = as_label(derivative_title(f.name, f.variables[0], k), f.text(k, xs[np.isfinite(y)], y[np.isfinite(y)]))
        ax.plot(curve.x, curve.y, label=label, color=f"C{k}", zorder=3 - k / 10, **_STYLES[min(k, 2)])
    for k, (power, terms) in enumerate(zip(powers, polynomials, strict=True)):
        assert at is not None
        y = np.polynomial.polynomial.polyval(xs - at, terms)
        label = rf"$T_{{{power}}}({named(f.variables[0])})$, Taylor about {at:g}"
        ax.plot(xs, y, "--", label=label, color=f"C{orders + 1 + k}", linewidth=1.4, zorder=2)
    if polynomials:
        ax.plot([at], [polynomials[0][0]], "o", color="C0", markersize=6, zorder=4)
    _finished(ax, f, xs, (low, high) if cut or polynomials else None)
    return ax


def _nothing_to_draw(f: Subject, ends: str) -> ValueError:
    return ValueError(compose(
        f"there is nothing to draw: {f.name} has no finite value between {ends}",
        "It is NaN or infinite at every point.", "Choose limits inside its domain.",
    ))  # fmt: skip


def _polynomials(f: Subject, powers: list[int], at: float | None) -> list[list[float]]:
    assert at is not None
    found = f.coefficients(at, max(powers))
    bad = next((k for k, c in enumerate(found) if not np.isfinite(c)), None)
    if bad is not None:
        raise GradientError(
            f"{f.name} has no Taylor polynomial of order {max(powers)} about {at:g}",
            f"Its coefficient of order {bad} there is {found[bad]}.", "Expand it about another point: at=….",
        )  # fmt: skip
    return [found[: power + 1] for power in powers]


PLOT_FAR = bound(8)
"""Ratio of a curve's height with and without its outermost values above which the picture is cut."""


def _view(found: list[np.ndarray]) -> tuple[float, float, bool]:
    """Where to look: at all that is drawn, or where a few values are far off (at a pole) at the others."""
    lows, highs, cut = [], [], False
    for y in found:
        y = y[np.isfinite(y)]
        if not len(y):
            continue
        low, high = float(y.min()), float(y.max())
        first, last = np.quantile(y, (0.03, 0.97))
        if high - low > PLOT_FAR * (last - first) > 0:
            cut = True
            first, last = np.quantile(y, (0.12, 0.88))
            low, high = max(low, first - 0.8 * (last - first)), min(high, last + 0.8 * (last - first))
        lows.append(low)
        highs.append(high)
    low, high = min(lows), max(highs)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room, cut


PLOT_STEEP = bound(50)
"""Parts of the picture's height above which a step of a curve is looked at: it may be a jump."""
PLOT_JUMPS = bound(64)
"""Steps of a curve that are looked at, the highest."""
PLOT_HALVINGS = bound(28)
"""Bisections of such a step."""


def _broken(f: Callable[[np.ndarray], np.ndarray], xs: np.ndarray, ys: np.ndarray, height: float) -> Curve:
    """The curve without strokes across jumps."""
    with np.errstate(all="ignore"):
        steps = np.abs(np.diff(ys))
    steep = np.flatnonzero(np.isfinite(steps) & (steps > height / PLOT_STEEP))
    steep = np.sort(steep[np.argsort(-steps[steep], kind="stable")][:PLOT_JUMPS])
    if not len(steep):
        return Curve(xs, ys)
    a, b, low, high = xs[steep], xs[steep + 1], ys[steep], ys[steep + 1]
    with np.errstate(all="ignore"):
        for _ in range(PLOT_HALVINGS):
            middle = (a + b) / 2
            y = f(middle)
            right = np.abs(y - low) < np.abs(high - y)
            a, low = np.where(right, middle, a), np.where(right, y, low)
            b, high = np.where(right, b, middle), np.where(right, high, y)
        jumps = steep[~(np.abs(high - low) <= 0.5 * steps[steep])]
    places = jumps + 1
    return Curve(np.insert(xs, places, (xs[jumps] + xs[jumps + 1]) / 2), np.insert(ys, places, np.nan))


def _finished(ax: Any, f: Subject, xs: np.ndarray, view: tuple[float, float] | None) -> None:
    ax.set_xlim(xs[0], xs[-1])
    if view is not None:
        ax.set_ylim(*view)
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=1)
    ax.set_xlabel(f"${named(f.variables[0])}$")
    ax.grid(True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    if len(ax.get_legend_handles_labels()[1]):
        ax.legend(loc="best", framealpha=0.9)


# -------------------------------------------------------------------------------------------------------------------
# A function of two numbers: contours, the field of its gradient, and its critical points with what is around them

# The idea to hold: critical points are found by Newton's method from cells of a grid in which the gradient changes its
# signs, and marked where it is zero within rounding; there may be others between.


_MARKS = {"minimum": "o", "maximum": "^", "saddle": "X", "flat": "D"}


class Critical(NamedTuple):
    """A point where the gradient is zero, what it is, and the eigenvalues and vectors of the Hessian there."""

    point: np.ndarray
    kind: str
    values: np.ndarray
    vectors: np.ndarray


PLOT_ARROWS = bound(15)
"""Arrows along each side of a plane."""


def draw_plane(axes: Callable[[], Any], f: Subject, low: np.ndarray, high: np.ndarray, count: int) -> Any:
    """Draw the contours, arrows along the gradient, and the critical points that were found."""
    grid = [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]
    x, y = np.meshgrid(*grid)
    z = f.values(np.stack([x.ravel(), y.ravel()], 1)).reshape(x.shape)
    if not np.isfinite(z).any():
        raise _nothing_to_draw(f, "the limits")
    inside = [np.linspace(a, b, 2 * PLOT_ARROWS + 1)[1::2] for a, b in zip(low, high, strict=True)]
    points = np.stack([part.ravel() for part in np.meshgrid(*inside)], 1)
    slopes = np.where(np.isnan(f.values(points))[:, None], np.nan, f.gradients(points))
    critical = critical_points(f, low, high)
    levels, beyond = _levels(z[np.isfinite(z)])
    ax = axes()
    _contours(ax, f, (x, y, z), levels, beyond)
    _arrows(ax, points, slopes, high - low)
    step = float(np.diff(levels).min()) if len(levels) > 1 else 1.0
    for k, found in enumerate(critical):
        first = found.kind not in [c.kind for c in critical[:k]]
        ax.plot(*found.point, _MARKS[found.kind], color="white", markeredgecolor="black", markersize=8, zorder=5,
                label=found.kind if first else None)  # fmt: skip
        for line in around(found, step, high - low):
            ax.plot(*line, color="black", linewidth=1.3, zorder=4)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel(_axis(f.variables[0]))
    ax.set_ylabel(_axis(f.variables[1]))
    if critical:
        ax.legend(loc="upper right", framealpha=0.9)
    return ax


def _contours(ax: Any, f: Subject, at: tuple[np.ndarray, ...], levels: np.ndarray, beyond: Any) -> None:
    x, y, z = at
    if len(levels) < 2:
        ax.set_title(f"constant: {z[np.isfinite(z)][0]:.6g}")
        return
    from matplotlib.colors import BoundaryNorm

    shown = np.ma.masked_invalid(z)
    norm = BoundaryNorm(levels, pyplot().get_cmap("viridis").N, extend=beyond)
    filled = ax.contourf(x, y, shown, levels, cmap="viridis", norm=norm, extend=beyond, alpha=0.75)
    ax.contour(x, y, shown, levels, colors="white", linewidths=0.7, alpha=0.8)
    bar = ax.figure.colorbar(filled, ax=ax, format="%.4g")
    bar.ax.set_title(f"${named(f.name)}$", fontsize=11)


def _axis(name: str) -> str:
    base, _, rest = name.partition("[")
    return f"${named(base)}" + (f"[{rest}$" if rest else "$")


PLOT_LEVELS = bound(12)
"""Contours of a plane."""


def _levels(z: np.ndarray) -> tuple[np.ndarray, str]:
    """Heights of the lines: even ones, or closer together towards the end where most values are; and whether there are
    values beyond them."""
    first, last = np.quantile(z, (0.01, 0.99))
    low, high, beyond = float(z.min()), float(z.max()), "neither"
    if high - low > PLOT_FAR * (last - first) > 0:
        low, high, beyond = float(first), float(last), "both"
    if not high > low:
        return np.zeros(0), beyond
    middle = (float(np.median(z)) - low) / (high - low)
    even = np.linspace(0, 1, PLOT_LEVELS + 1)
    if middle < 0.15:
        return low + (high - low) * even**3, beyond
    if middle > 0.85:
        return high - (high - low) * even[::-1] ** 3, beyond
    from matplotlib.ticker import MaxNLocator

    return np.asarray(MaxNLocator(PLOT_LEVELS).tick_values(low, high)), beyond


def _arrows(ax: Any, points: np.ndarray, slopes: np.ndarray, size: np.ndarray) -> None:
    """Arrows along the gradient, as directions of the drawn plane; the longer ones where it is larger."""
    scaled = slopes * size  # the gradient where both sides of the picture have length 1: across its contours
    length = np.linalg.norm(scaled, axis=1)
    usable = np.isfinite(length) & (length > 0)
    if not usable.any():
        return
    points, scaled, length = points[usable], scaled[usable], length[usable]
    share = (length / length.max()) ** (1 / 3) / length / (1.1 * PLOT_ARROWS)
    arrows = scaled * share[:, None] * size
    ax.quiver(*points.T, *arrows.T, angles="xy", scale_units="xy", scale=1, pivot="mid", width=0.0028, color="0.15",
              alpha=0.75, zorder=3)  # fmt: skip


PLOT_CRITICAL = bound(48)
"""Places from which critical points are looked for."""


def critical_points(f: Subject, low: np.ndarray, high: np.ndarray) -> list[Critical]:
    """The critical points that Newton's method leads to from cells of a grid in which both parts of the gradient change
    their signs; those in which it is zero all over are left out."""
    size, side = high - low, 2 * PLOT_ARROWS + 1
    sides = [np.linspace(a, b, side) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*sides), -1)
    slopes = f.gradients(grid.reshape(-1, 2)).reshape(grid.shape) * size
    steep = np.linalg.norm(slopes, axis=-1)
    typical = float(np.nanmedian(steep)) if np.isfinite(steep).any() else 0.0
    if not typical > 0:
        return []
    corners = np.stack([slopes[:-1, :-1], slopes[:-1, 1:], slopes[1:, :-1], slopes[1:, 1:]])
    with np.errstate(invalid="ignore"):
        crossed = ((corners.min(0) <= 0) & (corners.max(0) >= 0)).all(-1)  # not where there are NaNs
    crossed &= np.isfinite(corners).all((0, -1)) & corners.any((0, -1))
    centres = (grid[:-1, :-1] + grid[1:, 1:])[crossed] / 2
    order = np.argsort(np.abs(corners).sum((0, -1))[crossed], kind="stable")
    found = list[Critical]()
    for start in centres[order][:PLOT_CRITICAL]:
        point = _newton(f, start, size, typical)
        if point is None or (point < low).any() or (point > high).any() or _is_plateau(f, point, size, steep):
            continue
        if all((np.abs(point - c.point) > 1e-4 * size).any() for c in found):
            found.append(_judged(f, point, size, typical))
    return found


PLOT_NEWTON = bound(60)
"""Newton steps to one."""


def _newton(f: Subject, point: np.ndarray, size: np.ndarray, typical: float) -> np.ndarray | None:
    """Where the gradient is zero near a point; None where it leads elsewhere."""
    start = point
    for _ in range(PLOT_NEWTON):
        slope = f.gradients(point[None])[0] * size  # in units of the picture's sides
        form = f.curvature(point) * size[:, None] * size
        if not (np.isfinite(slope).all() and np.isfinite(form).all()):
            return None
        step = -np.linalg.lstsq(form, slope, rcond=1e-14)[0]
        length = float(np.abs(step).max())
        point = point + step * size * min(1.0, 0.05 / length if length else 1.0)
        if (np.abs(point - start) > 0.3 * size).any():
            return None
        if length < 1e-12:
            break
    left = f.gradients(point[None])[0] * size
    apart = np.abs(f.gradients(_beside(point, size)) * size).max()
    bend = float(np.abs(form).max())  # of a narrow peak, beyond which most of the picture is flat, what counts
    flat = np.abs(left).max() <= 1e-9 * max(typical, bend)
    return point if flat and apart <= max(1e-3 * typical, 1e-5 * bend) else None


def _is_plateau(f: Subject, point: np.ndarray, size: np.ndarray, steep: np.ndarray) -> bool:
    """Whether the gradient is nothing all around, beside what it is elsewhere: it underflows, say."""
    around = float(np.abs(f.gradients(_beside(point, 2e4 * size))).max(initial=0)) * size.max()
    return bool(around <= 1e-12 * np.nanmax(steep))


def _judged(f: Subject, point: np.ndarray, size: np.ndarray, typical: float) -> Critical:
    kinds = {_kind(f.curvature(p) * size[:, None] * size, typical) for p in (point, *_beside(point, size))}
    values, vectors = np.linalg.eigh(f.curvature(point))
    return Critical(point, kinds.pop() if len(kinds) == 1 else "flat", values, vectors)


def _beside(point: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Points close to one: at a kink the gradient and the Hessian are conventions, and others beside it."""
    return point + 1e-6 * size * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])


def _kind(form: np.ndarray, typical: float) -> str:
    if not np.isfinite(form).all():
        return "flat"
    low, high = np.linalg.eigvalsh(form)
    if min(abs(low), abs(high)) <= 1e-6 * max(typical, abs(low), abs(high)):
        return "flat"
    return "minimum" if low > 0 else "maximum" if high < 0 else "saddle"


def around(found: Critical, step: float, size: np.ndarray) -> list[np.ndarray]:
    """What the Hessian says of the place: the ellipse where the second-order Taylor polynomial is a step away from the
    value, no wider than a part of the picture; at a saddle the two lines on which it is level."""
    if found.kind == "flat":
        return []
    if found.kind == "saddle":
        a, b = found.vectors[:, 0] / np.sqrt(-found.values[0]), found.vectors[:, 1] / np.sqrt(found.values[1])
        lines = []
        for d in (a + b, a - b):
            d = d * 0.08 / np.abs(d / size).max()
            lines.append(np.stack([found.point - d, found.point + d], 1))
        return lines
    t = np.linspace(0, 2 * np.pi, 181)
    circle = found.vectors @ (np.stack([np.cos(t), np.sin(t)]) / np.sqrt(np.abs(found.values))[:, None])
    radius = min(np.sqrt(2 * step), 0.2 / float(np.abs(circle / size[:, None]).max()))
    return [found.point[:, None] + radius * circle]


# ----------------- ``sg.plot``: a function with its derivatives as a picture; a Hessian as a map with its eigenvalues

# The idea to hold: what is drawn is what the library computes; nothing is a difference of values. Here it is decided
# what is drawn, and whether the limits make sense.


PLOT_POINTS = bound(401)
"""Points at which a curve is computed unless it is said; an odd number, so that the middle is one."""


def plot(
    f: Any, low: Any = None, high: Any = None, *, orders: int = 2, taylor: int | Sequence[int] | None = None,
    at: float | None = None, points: int | None = None, ax: Any = None,
) -> Any:  # fmt: skip
    """Draw a function of one number with its derivatives, a function of two numbers as contours, or a Hessian.

    Parameters
    ----------
    f : a function of one number, of two numbers or of a vector of two, that returns one number; a Formula in these; or
        a matrix of second derivatives: what `hessian` returns, sparse and structured ones too
    low, high : the ends of the interval; of a function of two numbers the corners, as pairs, or one number for both;
        of a formula in the order of the alphabet
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
    eigenvalues are shown, as `symgrad.transforms.report.report` finds them.

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
    pair = any(np.ndim(unwrap(limit)) for limit in (low, high))
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
    xs = np.linspace(float(ends[0][0]), float(ends[1][0]), count or PLOT_POINTS)
    return draw_curves(_axes(ax), subject, xs, highest, powers, place)


def _axes(ax: Any) -> Callable[[], Any]:
    """What gives the axes: new ones are made when there is something to draw."""
    if ax is not None and not hasattr(ax, "plot"):
        raise ShapeError("a function is drawn into one Axes", f"ax is {type(ax).__name__}.", "Pass plt.gca().")
    return lambda: pyplot().subplots(figsize=(7.2, 4.8), layout="constrained")[1] if ax is None else ax


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
        flat = np.asarray(unwrap(limit))
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
    found = np.asarray(unwrap(value))
    if found.dtype.kind not in "fiu" or found.size != 1 or not np.isfinite(found).all():
        raise ValueError(compose(f"{name}= is a finite number, got {value!r}", "", "Write at=0.5."))
    return float(found.reshape(()))


def _whole(value: Any, name: str, least: int) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ValueError(compose(f"{name} takes whole numbers from {least}, got {value!r}", "", ""))
    return int(value)

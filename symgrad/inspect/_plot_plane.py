"""A function of two numbers: contours, the field of its gradient, and its critical points with what is around them.

The idea to hold: critical points are found by Newton's method from cells of a grid in which the gradient changes its
signs, and marked where it is zero within rounding; there may be others between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import compose
from ._plot_labels import named, pyplot
from ._plot_subject import Subject

_MARKS = {"minimum": "o", "maximum": "^", "saddle": "X", "flat": "D"}


class Critical(NamedTuple):
    """A point where the gradient is zero, what it is, and the eigenvalues and vectors of the Hessian there."""

    point: np.ndarray
    kind: str
    values: np.ndarray
    vectors: np.ndarray


def draw_plane(axes: Callable[[], Any], f: Subject, low: np.ndarray, high: np.ndarray, count: int) -> Any:
    """Draw the contours, arrows along the gradient, and the critical points that were found."""
    grid = [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]
    x, y = np.meshgrid(*grid)
    z = f.values(np.stack([x.ravel(), y.ravel()], 1)).reshape(x.shape)
    if not np.isfinite(z).any():
        raise ValueError(compose(
            f"there is nothing to draw: {f.name} has no finite value between the limits",
            "It is NaN or infinite at every point.", "Choose limits inside its domain.",
        ))  # fmt: skip
    inside = [np.linspace(a, b, 2 * _limits.PLOT_ARROWS + 1)[1::2] for a, b in zip(low, high, strict=True)]
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


def _levels(z: np.ndarray) -> tuple[np.ndarray, str]:
    """Heights of the lines: even ones, or closer together towards the end where most values are; and whether there are
    values beyond them."""
    first, last = np.quantile(z, (0.01, 0.99))
    low, high, beyond = float(z.min()), float(z.max()), "neither"
    if high - low > _limits.PLOT_FAR * (last - first) > 0:
        low, high, beyond = float(first), float(last), "both"
    if not high > low:
        return np.zeros(0), beyond
    middle = (float(np.median(z)) - low) / (high - low)
    even = np.linspace(0, 1, _limits.PLOT_LEVELS + 1)
    if middle < 0.15:
        return low + (high - low) * even**3, beyond
    if middle > 0.85:
        return high - (high - low) * even[::-1] ** 3, beyond
    from matplotlib.ticker import MaxNLocator

    return np.asarray(MaxNLocator(_limits.PLOT_LEVELS).tick_values(low, high)), beyond


def _arrows(ax: Any, points: np.ndarray, slopes: np.ndarray, size: np.ndarray) -> None:
    """Arrows along the gradient, as directions of the drawn plane; the longer ones where it is larger."""
    scaled = slopes * size  # the gradient where both sides of the picture have length 1: across its contours
    length = np.linalg.norm(scaled, axis=1)
    usable = np.isfinite(length) & (length > 0)
    if not usable.any():
        return
    points, scaled, length = points[usable], scaled[usable], length[usable]
    share = (length / length.max()) ** (1 / 3) / length / (1.1 * _limits.PLOT_ARROWS)
    arrows = scaled * share[:, None] * size
    ax.quiver(*points.T, *arrows.T, angles="xy", scale_units="xy", scale=1, pivot="mid", width=0.0028, color="0.15",
              alpha=0.75, zorder=3)  # fmt: skip


def critical_points(f: Subject, low: np.ndarray, high: np.ndarray) -> list[Critical]:
    """The critical points that Newton's method leads to from cells of a grid in which both parts of the gradient change
    their signs; those in which it is zero all over are left out."""
    size, side = high - low, 2 * _limits.PLOT_ARROWS + 1
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
    for start in centres[order][: _limits.PLOT_CRITICAL]:
        point = _newton(f, start, size, typical)
        if point is None or (point < low).any() or (point > high).any() or _is_plateau(f, point, size, steep):
            continue
        if all((np.abs(point - c.point) > 1e-4 * size).any() for c in found):
            found.append(_judged(f, point, size, typical))
    return found


def _newton(f: Subject, point: np.ndarray, size: np.ndarray, typical: float) -> np.ndarray | None:
    """Where the gradient is zero near a point; None where it leads elsewhere."""
    start = point
    for _ in range(_limits.PLOT_NEWTON):
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


__all__ = ["around", "critical_points", "draw_plane"]

"""A function of one number with its derivatives, and its Taylor polynomials about a point, as curves.

The idea to hold: a curve is broken where the function jumps. Whether it does is found by bisection of steep steps: what
is continuous becomes small between points that are close, a jump or a pole does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import GradientError, compose
from ._plot_labels import as_label, derivative_title, named
from ._plot_subject import Subject

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
        raise ValueError(compose(
            f"there is nothing to draw: {f.name} has no finite value between {xs[0]:g} and {xs[-1]:g}",
            "It is NaN or infinite at every point.", "Choose limits inside its domain.",
        ))  # fmt: skip
    polynomials = _polynomials(f, powers, at) if powers else []
    low, high, cut = _view(found)
    ax = axes()
    for k, y in enumerate(found):

        def again(points: np.ndarray, k: int = k) -> np.ndarray:
            return f.values(points, k)

        curve = _broken(again, xs, y, high - low)
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


def _view(found: list[np.ndarray]) -> tuple[float, float, bool]:
    """Where to look: at all that is drawn, or where a few values are far off (at a pole) at the others."""
    lows, highs, cut = [], [], False
    for y in found:
        y = y[np.isfinite(y)]
        if not len(y):
            continue
        low, high = float(y.min()), float(y.max())
        first, last = np.quantile(y, (0.03, 0.97))
        if high - low > _limits.PLOT_FAR * (last - first) > 0:
            cut = True
            first, last = np.quantile(y, (0.12, 0.88))
            low, high = max(low, first - 0.8 * (last - first)), min(high, last + 0.8 * (last - first))
        lows.append(low)
        highs.append(high)
    low, high = min(lows), max(highs)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room, cut


def _broken(f: Callable[[np.ndarray], np.ndarray], xs: np.ndarray, ys: np.ndarray, height: float) -> Curve:
    """The curve without strokes across jumps."""
    with np.errstate(all="ignore"):
        steps = np.abs(np.diff(ys))
    steep = np.flatnonzero(np.isfinite(steps) & (steps > height / _limits.PLOT_STEEP))
    steep = np.sort(steep[np.argsort(-steps[steep], kind="stable")][: _limits.PLOT_JUMPS])
    if not len(steep):
        return Curve(xs, ys)
    a, b, low, high = xs[steep], xs[steep + 1], ys[steep], ys[steep + 1]
    with np.errstate(all="ignore"):
        for _ in range(_limits.PLOT_HALVINGS):
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


__all__ = ["draw_curves"]

"""A step length that decreases the function enough and flattens its slope enough: the strong Wolfe conditions.

The search is that of Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6, with the safeguards
that PyTorch's LBFGS has, so that both visit the same points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Point", "strong_wolfe"]


class Point(NamedTuple):
    """One trial: step length, value, gradient, and slope along the search direction."""

    t: float
    value: float
    gradient: np.ndarray
    slope: float


def _cubic_minimum(a: Point, b: Point, low: float | None = None, high: float | None = None) -> float:
    """Minimise the cubic through two values with two slopes, between `low` and `high` (or the two points)."""
    if a.t > b.t:
        a, b = b, a
    low = a.t if low is None else low
    high = b.t if high is None else high
    if a.t == b.t:
        return min(max(a.t, low), high)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    bottom = b.slope - a.slope + 2 * d2
    if bottom == 0:
        return (low + high) / 2.0
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / bottom), low), high)


def strong_wolfe(
    evaluate: Callable[[float], Point],
    start: Point,
    t: float,
    reach: float,
    *,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    tolerance: float = 1e-9,
    max_trials: int = 25,
) -> tuple[Point, int]:
    """Search for a step length along a descent direction.

    Parameters
    ----------
    evaluate : callable
        Gives the `Point` at a step length.
    start : Point
        The point at 0.
    t : float
        The first step length to try.
    reach : float
        Largest element of the direction; with `tolerance` it says when steps no longer differ.
    decrease, curvature : float
        Constants of the two conditions.
    max_trials : int
        Evaluations after the first.

    Returns
    -------
    The point found, and the number of evaluations.
    """

    def too_high(point: Point) -> bool:
        return point.value > start.value + decrease * point.t * start.slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -curvature * start.slope

    # Walk outwards until the minimum lies between two points.
    previous, point, trials = start, evaluate(t), 0
    bracket = None
    while trials < max_trials:
        if too_high(point) or (trials > 1 and point.value >= previous.value):
            bracket = [previous, point]
            break
        if flat(point):
            return point, trials + 1
        if point.slope >= 0:
            bracket = [previous, point]
            break
        t = _cubic_minimum(previous, point, point.t + 0.01 * (point.t - previous.t), point.t * 10)
        previous, point = point, evaluate(t)
        trials += 1
    if bracket is None:
        bracket = [start, point]
    return _zoom(evaluate, bracket, too_high, flat, reach, tolerance, trials, max_trials)


def _zoom(
    evaluate: Callable[[float], Point],
    bracket: list[Point],
    too_high: Callable[[Point], bool],
    flat: Callable[[Point], bool],
    reach: float,
    tolerance: float,
    trials: int,
    max_trials: int,
) -> tuple[Point, int]:
    """Narrow the bracket until its lower end will do."""
    # Which end is the lower one is looked up by position: of two equal ends, that is the first.
    low = 0 if bracket[0].value <= bracket[1].value else 1
    stuck = False
    while trials < max_trials and not abs(bracket[1].t - bracket[0].t) * reach < tolerance:
        t, stuck = _keep_off_the_ends(_cubic_minimum(bracket[0], bracket[1]), bracket[0].t, bracket[1].t, stuck)
        point = evaluate(t)
        trials += 1
        if too_high(point) or point.value >= bracket[low].value:
            bracket[1 - low] = point
            low = 0 if bracket[0].value <= bracket[1].value else 1
            continue
        if flat(point):
            return point, trials + 1
        if point.slope * (bracket[1 - low].t - bracket[low].t) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = point
    return bracket[low], trials + 1


def _keep_off_the_ends(t: float, one: float, other: float, stuck: bool) -> tuple[float, bool]:
    """Move a trial that crowds an end of the bracket, the second time or if it is on the end, a tenth inwards."""
    left, right = min(one, other), max(one, other)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if stuck or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True

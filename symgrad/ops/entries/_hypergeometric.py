"""Hypergeometric functions: by their argument each has a neighbour for a slope, by their parameters a series.

The idea to hold: the slope by a parameter is the series with each term differentiated, summed with `Jet`. Beside the sum
runs the sum of the magnitudes: where so much cancels that 1e-11 is not kept, or the series does not end, it is NaN.
Before, Kummer's and Pfaff's transformations move the argument to where terms have one sign (DLMF 13.2.39, 15.8.1).

Source: NIST Digital Library of Mathematical Functions, chapters 13 and 15.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._limits import SERIES_TERMS
from ...core import elementwise
from .._lazy import special
from ._incomplete import rounded, spread
from ._jets import Jet, parameters
from ._named import SCIPY_NAMES, of_order

# ruff: noqa: E501  (a row is a line)

LARGEST = 1e6
"""Of the parameters of Gauss's function."""
KEPT = 1e-11
"""The relative error from cancellation up to which a slope is given."""


def _series(above: list[np.ndarray], below: list[np.ndarray], x: np.ndarray) -> tuple[Jet, np.ndarray]:
    """The series Σ (a)_n.../(b)_n... x^n/n! and its slopes by all parameters; per slope, how much cancels."""
    jets = parameters([*above, *below], False)
    tops, bottoms = jets[: len(above)], jets[len(above) :]
    zeros = [np.zeros_like(x) for _ in jets]
    term = Jet(np.ones_like(x), list(zeros), {})
    total, sizes = Jet(np.ones_like(x), list(zeros), {}), np.zeros((len(jets), x.size))
    open_ = np.ones(x.shape, bool)
    for n in range(SERIES_TERMS):
        step: Any = Jet(x / (n + 1.0), list(zeros), {})
        for a in tops:
            step = step * (a + float(n))
        for b in bottoms:
            step = step / (b + float(n))
        term = term * step
        total = total + term
        sizes += np.abs(np.array(term.g))
        small = np.abs(term.v) <= 1e-17 * np.abs(total.v)
        slopes = np.abs(np.array(term.g)) <= 1e-17 * sizes
        open_ &= (~(small & slopes.all(0)) | (n < 3)) & np.isfinite(total.v)
        if not open_.any():
            break
    lost = np.where(open_, np.inf, 4e-16 * sizes)
    return total, lost


def _kept(found: np.ndarray, lost: np.ndarray) -> np.ndarray:
    return np.where(lost <= KEPT * np.abs(found), found, np.nan)


def _hyp1f1(a: Any, b: Any, x: Any) -> Any:
    """Kummer's function; SciPy's does not return for x of 1e300, where all but polynomials are infinite."""
    polynomial = np.less_equal(a, 0) & np.equal(np.mod(a, 1), 0)
    return rounded(np.asarray(special.hyp1f1(a, b, np.where(np.greater(x, 1e6) & ~polynomial, 1e6, x))), a, b, x)


def _hyp2f1(a: Any, b: Any, c: Any, x: Any) -> Any:
    """Gauss's function; of parameters beyond `LARGEST` it is NaN: SciPy crashes on some."""
    beyond = (np.abs(a) > LARGEST) | (np.abs(b) > LARGEST) | (np.abs(c) > LARGEST) | np.isinf(x)
    kept = [np.where(beyond, 0.5, v) for v in (a, b, c, x)]
    return rounded(np.where(beyond, np.nan, special.hyp2f1(*kept)), a, b, c, x)


def hyp1f1_slope(a: Any, b: Any, x: Any, place: int) -> np.ndarray:
    """The derivative of 1F1(a; b; x) by a (place 0) or b."""
    given = (a, b, x)
    a, b, x = spread(a, b, x)
    with np.errstate(all="ignore"):
        turned = x < 0  # exp(x) 1F1(b - a; b; -x)
        total, lost = _series([np.where(turned, b - a, a)], [b], np.abs(x))
        by_a, by_b = total.g
        if place == 0:
            found, lost = np.where(turned, -by_a, by_a), lost[0]
        else:
            found, lost = by_b + np.where(turned, by_a, 0.0), lost[1] + np.where(turned, lost[0], 0.0)
        out = _kept(found, lost) * np.where(turned, np.exp(x), 1.0)
    return rounded(out, *given)


def hyp2f1_slope(a: Any, b: Any, c: Any, x: Any, place: int) -> np.ndarray:
    """The derivative of 2F1(a, b; c; x) by a, b or c (places 0, 1, 2), for x < 1."""
    given = (a, b, c, x)
    if place == 1:
        a, b, place = b, a, 0
    a, b, c, x = spread(a, b, c, x)
    with np.errstate(all="ignore"):
        turned = x < 0  # (1 - x)^-a 2F1(a, c - b; c; x/(x - 1))
        total, lost = _series([a, np.where(turned, c - b, b)], [c], np.where(turned, x / (x - 1), x))
        scale, log = np.where(turned, (1 - x) ** -a, 1.0), np.where(turned, np.log1p(-x), 0.0)
        if place == 0:
            found, lost = total.g[0] - log * total.v, lost[0] + 4e-16 * np.abs(log * total.v)
        else:
            found, lost = total.g[2] + np.where(turned, total.g[1], 0.0), lost[2] + np.where(turned, lost[1], 0.0)
        out = np.where(x < 1, _kept(found, lost) * scale, np.nan)
    return rounded(out, *given)


# fmt: off
_TWO, _THREE = "positive", ("positive", "positive", "positive", "probability")
hyp1f1: Any = elementwise("hyp1f1", lambda a, b, x: _hyp1f1(a, b, x), lambda a, b, x: hyp1f1_by_a(a, b, x), lambda a, b, x: hyp1f1_by_b(a, b, x), lambda a, b, x: a / b * hyp1f1(a + 1, b + 1, x), domain=_TWO, real_only=True, scipy="hyp1f1({0}, {1}, {2})", letter="₁F₁", doc="Kummer's function, the confluent hypergeometric function")
hyp1f1_by_a: Any = elementwise("hyp1f1_by_a", lambda a, b, x: hyp1f1_slope(a, b, x, 0), None, None, lambda a, b, x: hyp1f1(a + 1, b + 1, x) / b + a / b * hyp1f1_by_a(a + 1, b + 1, x), domain=_TWO, real_only=True, text="∂₁F₁/∂a(<0>, <1>, <2>)", latex=r"\tfrac{\partial {}_{1}F_{1}}{\partial a}(<0>, <1>, <2>)", doc="the derivative of Kummer's function 1F1(a; b; x) by a")
hyp1f1_by_b: Any = elementwise("hyp1f1_by_b", lambda a, b, x: hyp1f1_slope(a, b, x, 1), None, None, lambda a, b, x: a / b * (hyp1f1_by_b(a + 1, b + 1, x) - hyp1f1(a + 1, b + 1, x) / b), domain=_TWO, real_only=True, text="∂₁F₁/∂b(<0>, <1>, <2>)", latex=r"\tfrac{\partial {}_{1}F_{1}}{\partial b}(<0>, <1>, <2>)", doc="the derivative of Kummer's function 1F1(a; b; x) by b")
hyp2f1: Any = elementwise("hyp2f1", lambda a, b, c, x: _hyp2f1(a, b, c, x), lambda a, b, c, x: hyp2f1_by_a(a, b, c, x), lambda a, b, c, x: hyp2f1_by_a(b, a, c, x), lambda a, b, c, x: hyp2f1_by_c(a, b, c, x), lambda a, b, c, x: a * b / c * hyp2f1(a + 1, b + 1, c + 1, x), domain=_THREE, real_only=True, scipy="hyp2f1({0}, {1}, {2}, {3})", letter="₂F₁", doc="Gauss's hypergeometric function")
hyp2f1_by_a: Any = elementwise("hyp2f1_by_a", lambda a, b, c, x: hyp2f1_slope(a, b, c, x, 0), None, None, None, lambda a, b, c, x: b / c * (hyp2f1(a + 1, b + 1, c + 1, x) + a * hyp2f1_by_a(a + 1, b + 1, c + 1, x)), inputs=("a", "b", "c", "x"), domain=_THREE, real_only=True, text="∂₂F₁/∂a(<0>, <1>, <2>, <3>)", latex=r"\tfrac{\partial {}_{2}F_{1}}{\partial a}(<0>, <1>, <2>, <3>)", doc="the derivative of Gauss's function 2F1(a, b; c; x) by a")
hyp2f1_by_c: Any = elementwise("hyp2f1_by_c", lambda a, b, c, x: hyp2f1_slope(a, b, c, x, 2), None, None, None, lambda a, b, c, x: a * b / c * (hyp2f1_by_c(a + 1, b + 1, c + 1, x) - hyp2f1(a + 1, b + 1, c + 1, x) / c), domain=_THREE, real_only=True, text="∂₂F₁/∂c(<0>, <1>, <2>, <3>)", latex=r"\tfrac{\partial {}_{2}F_{1}}{\partial c}(<0>, <1>, <2>, <3>)", doc="the derivative of Gauss's function 2F1(a, b; c; x) by c")
hyperu: Any = elementwise("hyperu", lambda x, a, b: special.hyperu(a, b, x), lambda x, a, b: -a * hyperu(x, a + 1, b + 1), domain="positive", sample=(0.5, 1.5), real_only=True, text="U(<1>, <2>, <0>)", latex=r"U(<1>, <2>, <0>)", scipy="hyperu({a}, {b}, {0})", doc="Tricomi's confluent hypergeometric function")
hyp0f1: Any = elementwise("hyp0f1", lambda x, v: special.hyp0f1(v, x), lambda x, v: hyp0f1(x, v + 1) / v, sample=(1.5,), real_only=True, letter="₀F₁", scipy="hyp0f1({v}, {0})", doc="the confluent hypergeometric limit function")
# fmt: on


SCIPY_NAMES |= {"hyp1f1": hyp1f1, "hyp2f1": hyp2f1}
of_order("hyp0f1", hyp0f1, "parameter v", doc="Return the confluent hypergeometric limit function 0F1(; v; x).")
of_order("hyperu", hyperu, "parameter a", "parameter b", doc="Return Tricomi's confluent hypergeometric function.")

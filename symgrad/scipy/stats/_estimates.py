"""Statistics of samples under SciPy's names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.stats as _scipy
from scipy import special

from ..._errors import ShapeError
from ...ops import FUNCTIONS, sizes
from ...ops.linalg import cholesky_row, triangular_row
from .._mirrored import DIFFERENTIATED, called_as, holds, mirrored, refused
from ._distributions import number


@mirrored(_scipy.zscore, "a")
def zscore(a: Any, axis: int | None, ddof: int, nan_policy: str) -> Any:
    """Return a less its mean, over its standard deviation along ``axis`` (None: of all entries).

    Parameters are those of `scipy.stats.zscore`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(sp.stats.zscore)(np.array([1.0, 2.0, 6.0])).round(4)
    array([[ 0.1763, -0.2204,  0.0441],
           [-0.2204,  0.2755, -0.0551],
           [ 0.0441, -0.0551,  0.011 ]])
    """
    if nan_policy != "propagate":
        raise refused(f"stats.zscore with nan_policy={nan_policy!r}", "", "Take out NaN before.")
    return (a - np.mean(a, axis, keepdims=True)) / np.std(a, axis, ddof=ddof, keepdims=True)


@mirrored(_scipy.entropy, "pk qk")
def entropy(pk: Any, qk: Any, base: Any, axis: int, nan_policy: str, keepdims: bool) -> Any:
    """Return the entropy of probabilities, or the relative entropy of two sets of them, which need not add up to 1.

    Parameters are those of `scipy.stats.entropy`.

    Parameters
    ----------
    pk, qk : probabilities along ``axis``, differentiable; they are divided by their sums

    Raises
    ------
    ValueError : a base that is not positive
    NotDifferentiableError : a ``nan_policy`` other than 'propagate'

    Notes
    -----
    ``−Σ pₖ log pₖ`` and ``Σ pₖ log(pₖ/qₖ)``. A probability of 0 adds 0, and slopes there are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sp.stats.entropy(np.array([1.0, 3.0])).round(4)
    np.float64(0.5623)
    >>> sg.grad(sp.stats.entropy)(np.array([1.0, 3.0])).round(4)
    array([ 0.206 , -0.0687])
    >>> sg.formula(lambda p: sp.stats.entropy(p), sg.symbol("p", "n"))
    sum(entr(p/sum(p)))
    """
    if nan_policy != "propagate":
        raise refused(f"stats.entropy with nan_policy={nan_policy!r}", "", "Take out NaN before.")
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    p = pk / pk.sum(axis, keepdims=True)
    terms = special.entr(p) if qk is None else special.rel_entr(p, qk / qk.sum(axis, keepdims=True))
    found = terms.sum(axis, keepdims=keepdims)
    return found if base is None else found / np.log(base)


class Correlation:
    """What `pearsonr` returns: ``statistic`` and ``pvalue``, also as a pair.

    The p-value is computed when it is asked for.
    """

    def __init__(self, statistic: Any, count: int, alternative: str) -> None:
        self.statistic, self._count, self._alternative = statistic, count, alternative

    @property
    def pvalue(self) -> Any:
        """The probability of a correlation as large as this, of independent normal samples."""
        r = self.statistic
        if self._count == 2:
            return 1 + 0 * r  # two points lie on a line; nan where there is no correlation
        half = self._count / 2 - 1
        if self._alternative == "two-sided":
            return 2 * special.betainc(half, half, (1 - np.abs(r)) / 2)
        return special.betainc(half, half, (1 - r) / 2 if self._alternative == "greater" else (1 + r) / 2)

    @property
    def correlation(self) -> Any:
        """The statistic."""
        return self.statistic

    def __iter__(self) -> Iterator[Any]:
        return iter((self.statistic, self.pvalue))

    def __getitem__(self, k: int) -> Any:
        return self.statistic if k in (0, -2) else (self.statistic, self.pvalue)[k]

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"PearsonRResult(statistic={self.statistic})"


@called_as(_scipy.pearsonr)
def pearsonr(x: Any, y: Any, alternative: str, method: Any, axis: int | None) -> Any:
    """Return Pearson's correlation coefficient of two samples along an axis, and its p-value.

    Parameters are those of `scipy.stats.pearsonr`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> y = np.array([1.0, 2.0, 4.0])
    >>> sg.grad(lambda x: sp.stats.pearsonr(x, y)[0])(np.array([1.0, 2.0, 3.0])).round(4)
    array([ 0.0546, -0.1091,  0.0546])
    """
    if not holds((x, y), DIFFERENTIATED):
        return NotImplemented
    if method is not None:
        raise refused("stats.pearsonr with method=", "It draws random numbers.", "Leave it out.")
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    return Correlation(_centred(x, y, axis), math.prod(shape) if axis is None else shape[axis], alternative)


@mirrored(lambda x, y, axis: _scipy.pearsonr(x, y, axis=axis)[0], "x y")
def _centred(x: Any, y: Any, axis: Any) -> Any:
    a, b = (v - np.mean(v, axis, keepdims=True) for v in (x, y))
    r = (a * b).sum(axis) / np.sqrt((a * a).sum(axis) * (b * b).sum(axis))
    return np.clip(r, -1.0, 1.0)


class gaussian_kde:
    """A density estimated by a normal one around each point: `scipy.stats.gaussian_kde` with derivatives.

    ``evaluate`` (also ``pdf`` and a call) and ``logpdf`` have derivatives in the points, the data set, the bandwidth,
    where it is a number, and the weights. The bandwidth follows the data, as in SciPy.

    Parameters
    ----------
    dataset : (n,) or (d, n)
    bw_method : 'scott' (None), 'silverman' or a number
    weights : (n,); they are divided by their sum

    Raises
    ------
    LinAlgError : the points lie in a subspace

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> kde = sp.stats.gaussian_kde(np.array([0.0, 1.0, 3.0]))
    >>> sg.grad(lambda x: kde.logpdf(x)[0])(np.array([2.0])).round(4)
    array([-0.2071])
    """

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        if callable(bw_method):
            raise refused("stats.gaussian_kde with a function as bw_method", "", "Pass the number.")
        self._given = dataset, bw_method, weights
        if not holds(self._given, DIFFERENTIATED):
            _scipy.gaussian_kde(dataset, bw_method, weights)  # which says what is wrong with them

    def evaluate(self, points: Any) -> Any:
        """Return the density at points (m,) or (d, m)."""
        return _evaluate(points, *self._given)

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at points (m,) or (d, m)."""
        return _logpdf(x, *self._given)

    def pdf(self, x: Any) -> Any:
        """Return the density at points (m,) or (d, m)."""
        return self.evaluate(x)

    __call__ = evaluate


def _log_density(points: Any, dataset: Any, bw_method: Any, weights: Any) -> Any:
    data = np.atleast_2d(number(dataset, "dataset"))
    places = np.atleast_2d(number(points, "points"))
    d, n = sizes(data)
    if n < 2:
        raise ShapeError("`dataset` input should have multiple elements.", f"It has {n}.", "Give two points or more.")
    if sizes(places)[0] != d:
        if sizes(places) != (1, d):
            raise ShapeError(f"points have dimension {sizes(places)[0]}, dataset has dimension {d}",
                             f"Their shape is {sizes(points)}.", f"Give points as columns, ({d}, m).")  # fmt: skip
        places = places.reshape((d, 1))
    w = np.full(n, 1 / n) if weights is None else number(weights, "weights") / number(weights, "weights").sum()
    effective = 1 / (w * w).sum()
    factor = _factor(bw_method, effective, d)
    moved = data - (data * w).sum(-1, keepdims=True)
    covariance = (moved * w) @ moved.mT / (1 - (w * w).sum())
    root = cholesky_row(covariance, False) * factor
    whitened = [triangular_row(root, v, False, True, False) for v in (places, data)]
    apart = whitened[0][:, :, None] - whitened[1][:, None, :]
    logs = np.log(w) - (apart * apart).sum(0) / 2
    normal = d * math.log(2 * math.pi) / 2 + np.log(np.diagonal(root)).sum()
    return FUNCTIONS["logsumexp"](logs, -1) - normal


def _factor(bw_method: Any, effective: Any, d: int) -> Any:
    if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
        return effective ** (-1.0 / (d + 4))
    if isinstance(bw_method, str):
        if bw_method != "silverman":
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        return (effective * (d + 2) / 4.0) ** (-1.0 / (d + 4))
    return number(bw_method, "bw_method")


_logpdf = mirrored(lambda points, *of: _scipy.gaussian_kde(*of).logpdf(points))(_log_density)


@mirrored(lambda points, *of: _scipy.gaussian_kde(*of).evaluate(points))
def _evaluate(points: Any, dataset: Any, bw_method: Any, weights: Any) -> Any:
    return np.exp(_log_density(points, dataset, bw_method, weights))

"""Distributions of vectors, matrices and counts in classes.

The idea to hold: a covariance goes in by its Cholesky factor, of which a density needs a triangular solve and the
logarithms of a diagonal. So a matrix that is not positive definite raises, and its gradient is symmetric.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats as _scipy
from scipy import special

from ..._errors import ShapeError
from ...core import Symbol
from ...ops import ndarray_of, rank, sizes
from ...ops.entries.distributions import orthant, pairs
from ...ops.linalg import cholesky_row, cholesky_solve_row, triangular_row
from .._mirrored import mirrored, refused, together
from ._distributions import Named, chosen, count, number
from ._standard_distributions import LOG_2PI


class Multivariate(Named):
    """A distribution of SciPy's whose methods are written each for itself."""

    _formulas: dict[str, Callable[..., Any]] = {}  # noqa: RUF012  (never written to)

    def __init_subclass__(cls) -> None:
        cls._name = cls.__name__.removeprefix("_")
        cls._scipy = getattr(_scipy, cls._name)
        for name, formula in cls._formulas.items():
            method = mirrored(getattr(cls._scipy, name))(formula)
            method.__name__, method.__qualname__ = name, f"{cls.__name__}.{name}"
            setattr(cls, name, staticmethod(method))


def _of(function: Any, formula: Callable[..., Any], says: str) -> Callable[..., Any]:
    """A function of what a formula gives, with its arguments."""

    @functools.wraps(formula)
    def composed(**given: Any) -> Any:
        return function(formula(**given))

    composed.__doc__ = says
    return composed


def _squeezed(value: Any) -> Any:
    shape = tuple(n for n in sizes(value) if n != 1)
    return value if shape == sizes(value) else value.reshape(shape)


def _location_and_matrix(loc: Any, matrix: Any, names: tuple[str, str]) -> tuple[Any, Any, Any]:
    """The dimension, a vector and a square matrix, of what SciPy lets users leave out or shorten."""
    matrix = number(1.0 if matrix is None else matrix, names[1])
    if loc is None:
        d = 1 if rank(matrix) < 2 else sizes(matrix)[0]
        loc = np.zeros(d)
    loc = number(loc, names[0])
    d = math.prod(sizes(loc))
    loc = loc.reshape((1,)) if d == 1 else loc
    if rank(loc) != 1:
        raise ShapeError(
            f"Array '{names[0]}' must be a vector of length {d}.", f"Its shape is {sizes(loc)}.",
            f"Pass np.ravel({names[0]}).",
        )  # fmt: skip
    if rank(matrix) < 2:
        matrix = matrix * np.eye(d)
    if sizes(matrix) != (d, d):
        raise ShapeError(
            f"Array '{names[1]}' must be a matrix of {d} by {d}, or its diagonal", f"Its shape is {sizes(matrix)}.",
            f"'{names[0]}' has {d} entries.",
        )  # fmt: skip
    return d, loc, matrix


def _points(x: Any, d: int) -> Any:
    """Points in rows: their last axis is a point's."""
    x = number(x, "x")
    if rank(x) == 0:
        return x.reshape((1,))
    if rank(x) == 1:
        return x.reshape((sizes(x)[0], 1) if d == 1 else (1, sizes(x)[0]))
    return x


def logdet_of_factor(factor: Any) -> Any:
    """log det of the matrices (…, d, d) whose Cholesky factors are given."""
    return 2 * np.log(np.diagonal(factor, axis1=-2, axis2=-1)).sum(-1)


def _expect_dimension(points: Any, x: Any, d: int) -> None:
    if sizes(points)[-1] != d:
        raise ShapeError(f"x has points of {sizes(points)[-1]} entries, not {d}", f"Its shape is {sizes(x)}.",
                         f"Give points as rows, (…, {d}).")  # fmt: skip


def _expect_full_rank(name: str, allow_singular: bool, step: str) -> None:
    if allow_singular:
        raise refused(f"stats.{name} with allow_singular=True", "Its rank depends on values.", step)


def _from_location(x: Any, loc: Any, d: int) -> Any:
    """Points less a place: vectors (…, d), of one point a vector."""
    moved = _points(x, d) - loc
    _expect_dimension(moved, x, d)
    return moved.reshape((d,)) if rank(moved) == 2 and sizes(moved)[0] == 1 else moved


def squared_distances(moved: Any, factor: Any) -> Any:
    """xᵀK⁻¹x of vectors x (…, d), K being the matrix or matrices (…, d, d) of these Cholesky factors."""
    d = sizes(moved)[-1]
    if rank(moved) == 1 and rank(factor) == 2:  # one point: a formula says x·K⁻¹x of it
        return moved @ cholesky_solve_row(moved.reshape((d, 1)), factor, False).reshape((d,))
    if rank(factor) == 2:
        scaled = triangular_row(factor, moved.reshape((-1, d)).mT, False, True, False)
        return (scaled * scaled).sum(0).reshape(sizes(moved)[:-1])
    lead = np.broadcast_shapes(sizes(moved)[:-1], sizes(factor)[:-2])
    factors, columns = np.broadcast_to(factor, (*lead, d, d)), np.broadcast_to(moved, (*lead, d))[..., None]
    scaled = triangular_row(factors, columns, False, True, False)
    return (scaled * scaled).sum((-2, -1))


def normal_log_density(moved: Any, factor: Any) -> Any:
    """The logarithm of the normal density at vectors (…, d) from its mean, the covariance by its Cholesky factor."""
    return -(squared_distances(moved, factor) + logdet_of_factor(factor) + sizes(moved)[-1] * LOG_2PI) / 2


def normal_entropy(factor: Any) -> Any:
    """The entropy of the normal distribution, whose covariance is given by its Cholesky factor."""
    return (logdet_of_factor(factor) + sizes(factor)[-1] * (LOG_2PI + 1)) / 2


def _normal_logpdf(x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    """Return the logarithm of the density at points x (…, d); mean (d,), cov (d, d) or its diagonal."""
    d, mean, cov = _location_and_matrix(mean, cov, ("mean", "cov"))
    _expect_full_rank("multivariate_normal", allow_singular, "Project x and cov.")
    factor = cholesky_row(cov, False)
    return _squeezed(normal_log_density(_from_location(x, mean, d), factor))


def _normal_entropy(mean: Any, cov: Any) -> Any:
    """Return the differential entropy, in nats."""
    _, _, cov = _location_and_matrix(mean, cov, ("mean", "cov"))
    return normal_entropy(cholesky_row(cov, False))


def _normal_cdf(
    x: Any, mean: Any, cov: Any, allow_singular: bool, maxpts: int | None, abseps: float, releps: float,
    lower_limit: Any,
) -> Any:  # fmt: skip
    """Return the probability of points that are in no entry above x (…, d).

    Where a derivative is asked for, one and two dimensions are exact to 14 digits, in tails too. Three and more are
    SciPy's integral, which has errors of about ``abseps``, with the same random numbers in each call. A slope by x
    needs probabilities of d - 1 dimensions, one by cov of d - 2: those of three are exact. The slopes by entries
    of cov are those of a symmetric matrix, of which both halves get the same.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> S = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> sg.grad(lambda S: sp.stats.multivariate_normal.cdf([0.0, 0.0], cov=S))(S).round(6)
    array([[-0.045944,  0.091888],
           [ 0.091888, -0.045944]])
    >>> h, k, r = sg.symbols("h k r")
    >>> f = lambda h: sp.stats.multivariate_normal.cdf([h, k], cov=[[1.0, r], [r, 1.0]])
    >>> sg.formula(f, h).grad("h")
    φ(h) Φ((k − hr)/√(1 − r²))
    """
    d, mean, cov = _location_and_matrix(mean, cov, ("mean", "cov"))
    _expect_full_rank("multivariate_normal", allow_singular, "Project x and cov.")
    if lower_limit is not None:
        raise refused(
            "stats.multivariate_normal.cdf(lower_limit=…)", "It is written from minus infinity on.",
            "A box of two dimensions is cdf(b1, b2) - cdf(a1, b2) - cdf(b1, a2) + cdf(a1, a2).",
        )  # fmt: skip
    points = _points(x, d)
    _expect_dimension(points, x, d)
    if not isinstance(cov, Symbol):
        cholesky_row(ndarray_of(cov), False)  # raises where it is not positive definite
    deviations = np.sqrt(np.diagonal(cov))
    symmetric = (cov + cov.mT) / 2
    correlations = [symmetric[i, j] / (deviations[i] * deviations[j]) for i, j in pairs(d)]
    at = np.stack(correlations) if correlations else None
    return _squeezed(orthant((points - mean) / deviations, at, (float(abseps), float(releps), maxpts)))


class _multivariate_normal(Multivariate):
    """`scipy.stats.multivariate_normal` with derivatives in x, mean and cov."""

    _formulas = {  # noqa: RUF012
        "logpdf": _normal_logpdf, "pdf": _of(np.exp, _normal_logpdf, "Return the density at points x (…, d)."),
        "entropy": _normal_entropy,
        "cdf": _normal_cdf, "logcdf": _of(np.log, _normal_cdf, "Return the logarithm of `cdf`."),
    }  # fmt: skip


def _student_logpdf(x: Any, loc: Any, shape: Any, df: Any) -> Any:
    """Return the logarithm of the density at points x (…, d)."""
    d, loc, shape = _location_and_matrix(loc, shape, ("loc", "shape"))
    df = number(1.0 if df is None else df, "df")
    if not isinstance(df, Symbol) and not (ndarray_of(df) > 0).all():
        raise ValueError(f"'df' must be greater than zero: it is {ndarray_of(df)}")
    if not isinstance(df, Symbol) and np.isinf(ndarray_of(df)).any():
        raise refused("stats.multivariate_t with df=inf", "It is the normal distribution.", "Use multivariate_normal.")
    factor = cholesky_row(shape, False)
    half = (df + d) / 2
    constant = (
        special.gammaln(half) - special.gammaln(df / 2) - d / 2 * np.log(df * np.pi) - logdet_of_factor(factor) / 2
    )
    return _squeezed(constant - half * np.log1p(squared_distances(_from_location(x, loc, d), factor) / df))


def _student_pdf(x: Any, loc: Any, shape: Any, df: Any, allow_singular: bool) -> Any:
    """Return the density at points x (…, d)."""
    _expect_full_rank("multivariate_t", allow_singular, "Project x.")
    return np.exp(_student_logpdf(x, loc, shape, df))


class _multivariate_t(Multivariate):
    """`scipy.stats.multivariate_t` with derivatives in x, loc, shape and df."""

    _formulas = {"logpdf": _student_logpdf, "pdf": _student_pdf}  # noqa: RUF012


def log_beta(alpha: Any) -> Any:
    """The logarithm of Euler's beta function of the numbers along the last axis."""
    return special.gammaln(alpha).sum(-1) - special.gammaln(alpha.sum(-1))


def dirichlet_log_density(x: Any, alpha: Any) -> Any:
    """The logarithm of the density at x (…, k), the concentrations being (…, k)."""
    return special.xlogy(alpha - 1, x).sum(-1) - log_beta(alpha)


def dirichlet_entropy(alpha: Any) -> Any:
    """The entropy of Dirichlet's distribution of the concentrations (…, k)."""
    total, k = alpha.sum(-1), sizes(alpha)[-1]
    return log_beta(alpha) + (total - k) * special.psi(total) - ((alpha - 1) * special.psi(alpha)).sum(-1)


def _on_simplex(x: Any, alpha: Any) -> Any:
    """The entries of x along its first axis, the last one added where it was left out."""
    if rank(alpha) != 1:
        raise ValueError(f"Parameter vector 'a' must be one dimensional, but a.shape = {sizes(alpha)}.")
    k, n = sizes(alpha)[0], sizes(x)[0] if rank(x) else 0
    if n not in (k, k - 1) or rank(x) > 2:
        raise ValueError(f"Vector 'x' must have {k} entries, as 'alpha', or one fewer; its shape is {sizes(x)}.")
    whole = x if n == k else np.concatenate([x, 1 - x.sum(0, keepdims=True)], 0)
    if isinstance(x, Symbol) or isinstance(alpha, Symbol):
        return whole
    plain, a = ndarray_of(whole), ndarray_of(alpha)
    if not (a > 0).all():
        raise ValueError("All parameters must be greater than 0")
    if (plain < 0).any() or (plain > 1).any() or (np.abs(plain.sum(0) - 1) > 1e-9).any():
        raise ValueError(f"The input vector 'x' must lie within the normal simplex: its sums are {plain.sum(0)}.")
    if ((plain == 0).T & (a < 1)).any():
        raise ValueError("Each entry in 'x' must be greater than zero if its alpha is less than one.")
    return whole


def _dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """Return the logarithm of the density at x (k,) or (k, m), whose columns add up to 1; or without last row."""
    x, alpha = number(x, "x"), number(alpha, "alpha")
    whole = _on_simplex(x, alpha)
    return _squeezed(dirichlet_log_density(whole if rank(whole) == 1 else whole.mT, alpha))


def _dirichlet_entropy(alpha: Any) -> Any:
    """Return the differential entropy, in nats."""
    return dirichlet_entropy(number(alpha, "alpha"))


class _dirichlet(Multivariate):
    """`scipy.stats.dirichlet` with derivatives in x and alpha."""

    _formulas = {  # noqa: RUF012
        "logpdf": _dirichlet_logpdf,
        "pdf": _of(np.exp, _dirichlet_logpdf, "Return the density at x (k,) or (k, m)."),
        "entropy": _dirichlet_entropy,
    }


def _wishart_parameters(df: Any, scale: Any) -> tuple[int, Any, Any]:
    scale = number(scale, "scale")
    if rank(scale) < 2:
        scale = scale * np.eye(math.prod(sizes(scale)))
    d, df = sizes(scale)[0], number(df, "df")
    if sizes(scale) != (d, d) or rank(df):
        raise ShapeError("Array 'scale' must be square and df a number", f"Shapes: {sizes(scale)}, {sizes(df)}.",
                         f"Give a matrix of {d} by {d}, and one number of degrees of freedom.")  # fmt: skip
    if not isinstance(df, Symbol) and not (ndarray_of(df) > d - 1).all():
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix minus 1.")
    return d, df, cholesky_row(scale, False)


def _log_gamma_of_matrices(a: Any, d: int) -> Any:
    return d * (d - 1) / 4 * math.log(math.pi) + special.gammaln(a - np.arange(d) / 2).sum()


def _wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the logarithm of the density at positive definite matrices x, (d, d) or (d, d, m)."""
    d, df, factor = _wishart_parameters(df, scale)
    x = number(x, "x")
    if rank(x) == 0 or (rank(x) == 1 and d > 1):
        x = x * np.eye(d)
    elif rank(x) == 1:
        x = x.reshape((1, 1, -1))
    if sizes(x)[:2] != (d, d) or rank(x) > 3:
        raise ValueError(f"Quantiles have incompatible dimensions: should be {(d, d)}, got {sizes(x)[:2]}.")
    many = x if rank(x) == 2 else np.moveaxis(x, 2, 0)
    own = cholesky_row(many, False)
    scaled = triangular_row(factor, own, False, True, False)
    logdet = logdet_of_factor(own)
    constant = df * d / 2 * math.log(2) + df / 2 * logdet_of_factor(factor) + _log_gamma_of_matrices(df / 2, d)
    return _squeezed((df - d - 1) / 2 * logdet - (scaled * scaled).sum((-2, -1)) / 2 - constant)


def _wishart_entropy(df: Any, scale: Any) -> Any:
    """Return the differential entropy, in nats."""
    d, df, factor = _wishart_parameters(df, scale)
    digammas = special.psi((df - np.arange(d)) / 2).sum()
    return (
        (d + 1) / 2 * logdet_of_factor(factor) + d * (d + 1) / 2 * math.log(2) + _log_gamma_of_matrices(df / 2, d)
        - (df - d - 1) / 2 * digammas + df * d / 2
    )  # fmt: skip


class _wishart(Multivariate):
    """`scipy.stats.wishart` with derivatives in x, df and scale."""

    _formulas = {  # noqa: RUF012
        "logpdf": _wishart_logpdf,
        "pdf": _of(np.exp, _wishart_logpdf, "Return the density at positive definite matrices x, (d, d) or (d, d, m)."),
        "entropy": _wishart_entropy,
    }


def _multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """Return the logarithm of the probability of counts x (…, k), n in all; p (…, k)."""
    count(x, "multinomial.logpmf", "x")
    count(n, "multinomial.logpmf", "n")
    short = getattr(together(p), "dtype", None) in (np.float16, np.float32)
    rounding = 10 * np.finfo(np.float32).eps if short else 1e-12  # shares in short floats add up as well as they can
    x, n, p = number(x, "x"), number(n, "n"), number(p, "p")
    if sizes(x)[-1:] != sizes(p)[-1:]:
        raise ValueError(f"Size of each quantile should be size of p: received {sizes(x)}, but expected {sizes(p)}.")
    value = special.gammaln(n + 1) + (special.xlogy(x, p) - special.gammaln(x + 1)).sum(-1)
    there = ((np.floor(x) == x) & (x >= 0)).all(-1) & (x.sum(-1) == n)
    proper = ((p >= 0) & (p <= 1)).all(-1) & (np.abs(1 - p.sum(-1)) <= rounding) & (n >= 0)
    return chosen(there, value, -np.inf) * chosen(proper, 1.0, np.nan)  # a factor: derivatives are NaN, too


class _multinomial(Multivariate):
    """`scipy.stats.multinomial` with derivatives in p, whose entries add up to 1 (else NaN)."""

    _formulas = {  # noqa: RUF012
        "logpmf": _multinomial_logpmf,
        "pmf": _of(np.exp, _multinomial_logpmf, "Return the probability of counts x (…, k), n in all; p (…, k)."),
    }


MULTIVARIATE: dict[str, Any] = {
    "dirichlet": _dirichlet(), "multinomial": _multinomial(), "multivariate_normal": _multivariate_normal(),
    "multivariate_t": _multivariate_t(), "wishart": _wishart(),
}  # fmt: skip

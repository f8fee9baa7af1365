"""Kullback and Leibler's divergence between two distributions, E log p(x)/q(x) under p: closed forms, by pairs.

The idea to hold: two of one family have a formula of their own, 0 to the last digit where they are equal. Of two
families −E log q(x) needs the moments of p that log q is written in; the divergence is that less the entropy of p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from .. import ops
from .._errors import SymgradError
from ..core import Symbol, Tensor
from ..ops import ndarray_of
from ..ops import set_public_names as _settle
from ..ops.linalg import cholesky_solve_row
from ..scipy.stats._multivariate import log_beta, logdet_of_factor, squared_distances
from ..special import normal_pdf
from ._composed import Independent, TransformedDistribution
from ._counts import Bernoulli, Binomial, Categorical, OneHotCategorical, Poisson, finite
from ._distribution import Distribution, expanded, softplus, summed
from ._numbers import Beta, Exponential, Gamma, Laplace, Normal, Uniform
from ._vectors import Dirichlet, MultivariateNormal

__all__ = ["kl_divergence", "register_kl"]

_PAIRS: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Any], Any]:
    """Decorate a function of two distributions, which `kl_divergence` calls for these two classes and what derives
    from them.

    Raises
    ------
    TypeError : one is no class of distributions

    Examples
    --------
    >>> from symgrad.distributions import Exponential, kl_divergence, register_kl
    >>> class Waiting(Exponential):
    ...     pass
    >>> @register_kl(Waiting, Waiting)
    ... def _(p, q):
    ...     return 42
    >>> kl_divergence(Waiting(1.0), Waiting(2.0))
    42
    """
    for given in (type_p, type_q):
        if not (isinstance(given, type) and issubclass(given, Distribution)):
            raise TypeError(f"Expected a subclass of Distribution, but got {given!r}")

    def decorate(function: Any) -> Any:
        _PAIRS[type_p, type_q] = function
        return function

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return E log p(x)/q(x) under p, of the batch that the two broadcast to.

    Parameters
    ----------
    p, q : distributions; of one family, `Independent` ones and equally transformed ones included, or of two where p has
        the moments that log q needs (the pairs that PyTorch has)

    Returns
    -------
    Tensor
        Infinite where p has values that q cannot have.

    Raises
    ------
    NotImplementedError : no closed form is written for this pair

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))
    tensor(0.4431)
    >>> mu, s = sg.symbols("mu sigma")
    >>> f = sg.formula(lambda mu: kl_divergence(Normal(mu, s), Normal(0.0, 1.0)), mu)
    >>> f, f.grad("mu"), f.grad("sigma")
    ((μ² + σ² − 2 log(σ) − 1)/2, μ, σ − 1/σ)
    """
    found = _found(type(p), type(q))
    if found is None:
        names = f"{type(p).__name__}, {type(q).__name__}"
        raise _NoClosedForm(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}",
            "Closed forms are written for pairs of one family that have one, and for those of two that PyTorch has.",
            f"Estimate it, x = p.rsample((1000,)); (p.log_prob(x) - q.log_prob(x)).mean(0), or @register_kl({names}).",
        )  # fmt: skip
    return found(p, q)


class _NoClosedForm(SymgradError, NotImplementedError):
    """There is no formula for a pair."""


_NoClosedForm.__name__ = "NotImplementedError"


def _found(p: type, q: type) -> Callable[[Any, Any], Any] | None:
    """The function of the nearest pair of classes that these derive from."""
    near = [
        (p.__mro__.index(a) + q.__mro__.index(b), i)
        for i, (a, b) in enumerate(_PAIRS) if issubclass(p, a) and issubclass(q, b)
    ]  # fmt: skip
    return list(_PAIRS.values())[min(near)[1]] if near else None


# ------------------------------------------------------------------------------------------------ of one family


@register_kl(Normal, Normal)
def _normals(p: Normal, q: Normal) -> Any:
    return q.scale.log() - p.scale.log() + (p.variance + (p.loc - q.loc) ** 2) / (2 * q.variance) - 0.5


@register_kl(Laplace, Laplace)
def _laplaces(p: Laplace, q: Laplace) -> Any:
    apart = p.loc - q.loc  # the divergence is smooth where it is 0, and |·|'s second derivative is 0 there
    apart = apart.abs() if isinstance(apart, Symbol) else ops.where(apart >= 0, apart, -apart)
    return q.scale.log() - p.scale.log() + apart / q.scale + p.scale / q.scale * (-apart / p.scale).exp() - 1


@register_kl(Exponential, Exponential)
def _exponentials(p: Exponential, q: Exponential) -> Any:
    return p.rate.log() - q.rate.log() + q.rate / p.rate - 1


@register_kl(Gamma, Gamma)
def _gammas(p: Gamma, q: Gamma) -> Any:
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate.log() - q.rate.log()) + ops.lgamma(b) - ops.lgamma(a)
        + (a - b) * ops.digamma(a) + (q.rate - p.rate) * a / p.rate
    )  # fmt: skip


@register_kl(Exponential, Gamma)
def _exponential_and_gamma(p: Exponential, q: Gamma) -> Any:
    return _gammas(_as_gamma(p), q)


@register_kl(Gamma, Exponential)
def _gamma_and_exponential(p: Gamma, q: Exponential) -> Any:
    return _gammas(p, _as_gamma(q))


def _as_gamma(d: Exponential) -> Gamma:
    return Gamma(ops.ones_like(d.rate), d.rate, validate_args=False)


@register_kl(Beta, Beta)
def _betas(p: Beta, q: Beta) -> Any:
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    total = (c - a + d - b) * special.psi(a + b)
    return special.betaln(c, d) - special.betaln(a, b) + (a - c) * special.psi(a) + (b - d) * special.psi(b) + total


@register_kl(Dirichlet, Dirichlet)
def _dirichlets(p: Dirichlet, q: Dirichlet) -> Any:
    a, b = p.concentration, q.concentration
    return log_beta(b) - log_beta(a) + ((a - b) * (special.psi(a) - special.psi(a.sum(-1, keepdim=True)))).sum(-1)


@register_kl(Uniform, Uniform)
def _uniforms(p: Uniform, q: Uniform) -> Any:
    inside = (q.low <= p.low) & (q.high >= p.high)
    return ops.where(inside, ((q.high - q.low) / (p.high - p.low)).log(), np.inf)


@register_kl(Poisson, Poisson)
def _poissons(p: Poisson, q: Poisson) -> Any:
    if isinstance(p.rate, Symbol) or isinstance(q.rate, Symbol):  # as in a textbook; 0 log(0/0) is 0
        return special.xlogy(p.rate, p.rate / q.rate) - (p.rate - q.rate)
    return special.rel_entr(p.rate, q.rate) - (p.rate - q.rate)


@register_kl(Bernoulli, Bernoulli)
def _bernoullis(p: Bernoulli, q: Bernoulli) -> Any:
    if p._given == q._given == "probs":
        rest = 1 - p.probs
        failures = special.xlog1py(rest, -p.probs) - special.xlog1py(rest, -q.probs)
        return special.rel_entr(p.probs, q.probs) + failures
    if p._given != q._given:
        return p._log_of(*p._shares) - q._log_of(*p._shares)
    if isinstance(p.logits, Symbol) or isinstance(q.logits, Symbol):  # as in a textbook
        return p.probs * (p.logits - q.logits) + softplus(q.logits) - softplus(p.logits)
    success, failure = p._shares
    log_ratio = softplus(-q.logits) - softplus(-p.logits)
    return success * log_ratio + failure * (softplus(q.logits) - softplus(p.logits))


@register_kl(Binomial, Binomial)
def _binomials(p: Binomial, q: Binomial) -> Any:
    """So many times that of one trial; infinite where q has fewer trials, and of more there is no closed form."""
    n, m = ndarray_of(p.total_count), ndarray_of(q.total_count)
    if (n < m).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    return ops.where(p.total_count > q.total_count, np.inf, p.total_count * _bernoullis(p, q))


@register_kl(Categorical, Categorical)
def _categoricals(p: Categorical, q: Categorical) -> Any:
    if isinstance(p, OneHotCategorical) != isinstance(q, OneHotCategorical):
        raise NotImplementedError("KL between classes by their numbers and classes as vectors, which are other values")
    if p._given == q._given == "probs":
        return special.rel_entr(p.probs, q.probs).sum(-1)
    apart = finite(p.logits) - q.logits
    return (p.probs * (apart if finite(p.logits) is p.logits else ops.where(p.logits == -np.inf, 0.0, apart))).sum(-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _vectors(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between Multivariate Normals with different event shapes: {p.event_shape}, {q.event_shape}"
        )
    d = p.event_shape[0]
    own, other = p._factor, q._factor
    lead = np.broadcast_shapes(tuple(own.shape[:-2]), tuple(other.shape[:-2]))
    ratio = cholesky_solve_row(expanded(p.covariance_matrix, lead, 2), expanded(other, lead, 2), False)
    trace, apart = ratio.diagonal(0, -2, -1).sum(-1), squared_distances(q.loc - p.loc, other)
    return (logdet_of_factor(other) - logdet_of_factor(own) + trace + apart - d) / 2


# ------------------------------------------------------------------------------------------------ made of others


@register_kl(Independent, Independent)
def _independents(p: Independent, q: Independent) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL between Independents that take another number of dimensions for an event")
    return summed(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Any:
    """What is done to both alike, and can be undone, changes nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL between distributions that are transformed in different ways")
    return kl_divergence(p.base_dist, q.base_dist)


# ------------------------------------------------------------------------------------------------ of two families


def _ends(d: Any) -> tuple[Any, Any]:
    """Between which numbers draws lie."""
    support = d.support
    return getattr(support, "lower_bound", -np.inf), getattr(support, "upper_bound", np.inf)


def _between_families(of_q: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The divergence as −E log q less the entropy of p; infinite where p has values that q has not."""

    def divergence(p: Any, q: Any) -> Any:
        (low, high), (least, most) = _ends(p), _ends(q)
        outside = (low < least) | (high > most) if isinstance(q, Uniform) or isinstance(p, Uniform) else None
        if outside is None and (low < least or high > most):
            return ops.full_like(p.mean + q.mean, np.inf)
        value = of_q(p, q) - p.entropy()
        return value if outside is None else ops.where(ops.as_tensor(outside), np.inf, value)

    return divergence


def _of_normal(p: Any, q: Normal) -> Any:
    return (p.variance + (p.mean - q.loc) ** 2) / (2 * q.variance) + q.scale.log() + np.log(2 * np.pi) / 2


def _of_exponential(p: Any, q: Exponential) -> Any:
    return q.rate * p.mean - q.rate.log()


def _of_gamma(p: Any, q: Gamma) -> Any:
    a = q.concentration
    log = _mean_of_log(p.low, p.high) if isinstance(p, Uniform) else _mean_of_log_of_beta(p)
    return q.rate * p.mean - (a - 1) * log - a * q.rate.log() + ops.lgamma(a)


def _mean_of_log_of_beta(p: Beta) -> Any:
    return ops.digamma(p.concentration1) - ops.digamma(p.concentration1 + p.concentration0)


def _mean_of_log(low: Any, high: Any) -> Any:
    """Of a uniform number; x log x is not taken at both ends, which are nearly the same where they are close."""
    return high.log() + special.xlog1py(low, (high - low) / low) / (high - low) - 1


def _of_beta(p: Uniform, q: Beta) -> Any:
    a, b = q.concentration1, q.concentration0
    logs = (a - 1) * _mean_of_log(p.low, p.high) + (b - 1) * _mean_of_log(1 - p.high, 1 - p.low)
    return special.betaln(a, b) - logs


def _of_laplace(p: Normal, q: Laplace) -> Any:
    """The mean of |x − m| is σ(2φ(z) + z(2Φ(z) − 1)), zσ being the distance of μ and m."""
    z = (p.loc - q.loc) / p.scale
    away = p.scale * (2 * normal_pdf(z) + z * (2 * special.ndtr(z) - 1))
    return away / q.scale + (2 * q.scale).log()


def _of_uniform(p: Any, q: Uniform) -> Any:
    return (q.high - q.low).log()


for _q, _of_q, _of in (
    (Normal, _of_normal, (Uniform, Exponential, Gamma, Laplace, Beta)),
    (Exponential, _of_exponential, (Uniform, Normal, Laplace, Beta)),
    (Gamma, _of_gamma, (Uniform, Normal, Laplace, Beta)),
    (Uniform, _of_uniform, (Normal, Laplace, Exponential, Gamma, Beta)),
    (Beta, _of_beta, (Uniform, Normal, Laplace, Exponential, Gamma)),
    (Laplace, _of_laplace, (Normal,)),
):
    for _p in _of:
        register_kl(_p, _q)(_between_families(_of_q))


@register_kl(Bernoulli, Poisson)
def _one_and_counts(p: Bernoulli, q: Poisson) -> Any:
    return q.rate - special.xlogy(p.probs, q.rate) - p.entropy()


@register_kl(Poisson, Bernoulli)
@register_kl(Poisson, Binomial)
def _counts_without_end(p: Poisson, q: Any) -> Any:
    """Infinite, but for a rate of 0, where there is nothing but 0."""
    trials = q.total_count if isinstance(q, Binomial) else 1.0
    return ops.where(p.rate > 0, np.inf, -q._log_of(0 * q.probs, trials))


_settle(__name__, globals(), __all__)

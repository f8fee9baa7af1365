"""Distributions of vectors: MultivariateNormal and Dirichlet.

The idea to hold: of a covariance its Cholesky factor is kept, of which density, entropy, draws and divergences need
triangular solves and the logarithms of a diagonal. Dirichlet's vectors are broken off a stick, each piece a beta share.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor
from ..ops.linalg import cholesky_row
from ..scipy.stats._multivariate import (
    dirichlet_entropy,
    dirichlet_log_density,
    normal_entropy,
    normal_log_density,
)
from . import constraints
from ._distribution import Distribution, expanded, in_one_dtype, one_of_two
from ._numbers import Beta, mode_on_simplex


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, by its mean and one of three matrices.

    Parameters
    ----------
    loc : (…, d), the mean
    covariance_matrix, precision_matrix, scale_tril : one of them, (…, d, d): Σ, its inverse, or L of Σ = LLᵀ, lower
        triangular; the other two are there as attributes

    Notes
    -----
    A matrix is factored once, when the distribution is made: 𝒪(d³).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import MultivariateNormal
    >>> d = MultivariateNormal(sg.zeros(2), sg.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> d.log_prob(sg.tensor([1.0, 1.0])), d.entropy(), d.variance
    (tensor(-3.3804), tensor(4.2242), tensor([4., 5.]))
    >>> x, mu, S = sg.symbol("x", "n"), sg.symbol("mu", "n"), sg.symbol("Sigma", ("n", "n"), pd=True)
    >>> sg.formula(lambda mu: MultivariateNormal(mu, S).log_prob(x), mu).grad("mu")
    Σ⁻¹(x − μ)
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky,
    }  # fmt: skip
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, matrix = one_of_two(
            "MultivariateNormal",
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril,
        )  # fmt: skip
        given = in_one_dtype({"loc": loc, name: matrix})
        if given["loc"].ndim < 1:
            raise ShapeError(
                "loc must be at least one-dimensional.", "It is a number.", "Use Normal, or loc of one entry."
            )
        d = given["loc"].shape[-1]
        if tuple(given[name].shape[-2:]) != (d, d):
            raise ShapeError(
                f"{name} must be {d} by {d}, as loc has {d} entries", f"Its shape is {tuple(given[name].shape)}.",
                "diag_embed makes matrices of their diagonals.",
            )  # fmt: skip
        self._settle(validate_args, (d,), **given)
        self._factor = expanded(self._factored(name, given[name]), self._batch_shape, 2)
        self._dims["_factor"] = 2

    def _factored(self, name: str, matrix: Tensor) -> Tensor:
        if name == "scale_tril":
            return matrix
        return cholesky_row(matrix if name == "covariance_matrix" else ops.inverse(matrix), False)

    def _worked_out(self, name: str) -> Any:
        if name == "scale_tril":
            return self._factor
        factor = self._factor
        return factor @ factor.mT if name == "covariance_matrix" else ops.inverse(self.covariance_matrix)

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        """The variances of the entries: the diagonal of the covariance."""
        return (self._factor**2).sum(-1)

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density at vectors ``value``, (…, d)."""
        return normal_log_density(self._known(value) - self.loc, self._factor)

    def entropy(self) -> Tensor:
        """Return the differential entropy, (log det Σ + d log 2πe)/2."""
        return normal_entropy(self._factor)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw μ + Lε, ε being standard normal."""
        noise = ops.randn(self._extended_shape(sample_shape), dtype=self._dtype)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)


class Dirichlet(Distribution):
    """Dirichlet's distribution of vectors of shares, which add up to 1, by its ``concentration``, (…, k).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Dirichlet
    >>> d = Dirichlet(sg.tensor([1.0, 2.0, 3.0]))
    >>> d.mean, d.log_prob(sg.tensor([0.2, 0.3, 0.5]))
    (tensor([0.1667, 0.3333, 0.5000]), tensor(1.5041))
    >>> x, a = sg.symbol("x", "k"), sg.symbol("alpha", "k")
    >>> sg.formula(lambda a: Dirichlet(a).log_prob(x), a).grad("alpha")
    ψ(sum(α)) + log(x) − ψ(α)
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012
    support = constraints.simplex
    has_rsample = True
    concentration: Tensor

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        (concentration,) = in_one_dtype({"concentration": concentration}).values()
        self._settle(validate_args, tuple(concentration.shape)[-1:], concentration=concentration)

    @property
    def mean(self) -> Tensor:
        """The mean, α/Σα."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """The variances of the entries, m(1 − m)/(Σα + 1) with the mean m."""
        m = self.mean
        return m * (1 - m) / (self.concentration.sum(-1, keepdim=True) + 1)

    @property
    def mode(self) -> Tensor:
        """Where the density is greatest: the corner of the largest concentration, where all are below 1."""
        return mode_on_simplex(self.concentration)

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density at vectors of shares, (…, k)."""
        return dirichlet_log_density(self._known(value), self.concentration)

    def entropy(self) -> Tensor:
        """Return the differential entropy."""
        return dirichlet_entropy(self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw by breaking a stick: the k-th piece is a beta share, of αₖ to those after it, of what is left.

        So the derivatives are those of `Beta`, and of two entries the draw is one from it.
        """
        a = self.concentration.to(np.float64)
        if a.shape[-1] < 2:
            return ops.ones(self._extended_shape(sample_shape), dtype=self._dtype)
        after = a.flip(-1).cumsum(-1).flip(-1)[..., 1:]
        shares = Beta(a[..., :-1], after, validate_args=False).rsample(sample_shape)
        left = (1 - shares).cumprod(-1)
        whole = ops.ones_like(left[..., :1])
        pieces = ops.cat([shares, whole], -1) * ops.cat([whole, left], -1)
        return pieces.clamp(min=float(np.finfo(self._dtype).tiny)).to(self._dtype)  # at 0 there is no density

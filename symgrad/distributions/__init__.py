"""Distributions as objects, with formulas of their densities and divergences: PyTorch's ``torch.distributions``.

Examples
--------
>>> import symgrad as sg
>>> from symgrad.distributions import Normal, kl_divergence
>>> sg.manual_seed(0)
<symgrad.Generator, seed 0>
>>> mu = sg.tensor(0.5, requires_grad=True, name="mu")
>>> q = Normal(mu, 1.0)
>>> (q.rsample((1000,)) ** 2).mean().backward()
>>> mu.grad
tensor(0.9039)
>>> kl_divergence(q, Normal(0.0, 1.0)).formula()
μ²/2
"""

from ..ops import set_public_names as _settle
from . import constraints, kl, transforms
from ._composed import Independent, LogNormal, MixtureSameFamily, TransformedDistribution
from ._counts import Bernoulli, Binomial, Categorical, OneHotCategorical, Poisson
from ._distribution import Distribution
from ._numbers import Beta, Exponential, Gamma, Laplace, Normal, StudentT, Uniform
from ._vectors import Dirichlet, MultivariateNormal
from .kl import kl_divergence, register_kl
from .transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AffineTransform", "Bernoulli", "Beta", "Binomial", "Categorical", "ComposeTransform", "Dirichlet", "Distribution",
    "ExpTransform", "Exponential", "Gamma", "Independent", "IndependentTransform", "Laplace", "LogNormal",
    "MixtureSameFamily", "MultivariateNormal", "Normal", "OneHotCategorical", "Poisson", "PowerTransform",
    "SigmoidTransform", "SoftplusTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution",
    "Uniform", "constraints", "identity_transform", "kl", "kl_divergence", "register_kl", "transforms",
]  # fmt: skip

_settle(__name__, globals(), set(__all__) - {"identity_transform"})

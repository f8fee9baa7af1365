"""Distributions of one real number: each a row of parameters and moments over a law of `symgrad.scipy.stats`.

The idea to hold: a law says density, distribution function, quantile and entropy at location 0 and scale 1. A class
here says how one comes there, so no density is written twice. A draw is the quantile at a level that is drawn (of a
normal and a uniform one NumPy's own); its derivative in a shape a, at what was drawn, is −(∂F/∂a)/f: F is the
distribution function and f the density.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .. import ops
from ..core import Symbol, Tensor
from ..ops import ndarray_of
from ..ops.create import numpy_generator
from ..scipy.stats._distributions import outside, with_ends, within
from ..scipy.stats._standard_distributions import CONTINUOUS_LAWS
from . import constraints
from ._distribution import Distribution
from .constraints import positive, real


class OfALaw(Distribution):
    """A distribution that is one of SciPy's, moved and stretched."""

    has_rsample = True
    _law: ClassVar[Any]
    _shapes: ClassVar[tuple[str, ...]] = ()

    def _standard(self, x: Any) -> Any:
        """The point at location 0 and scale 1."""
        return x

    def _placed(self, y: Any) -> Any:
        """Back from there."""
        return y

    def _log_scale(self) -> Any:
        return 0.0

    @property
    def _of(self) -> list[Any]:
        return [getattr(self, name) for name in self._shapes]

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density at ``value``, which broadcasts with the batch."""
        y = self._standard(self._known(value))
        return self._with_ends("logpdf", y, self._law.log(y, *self._of) - self._log_scale())

    def cdf(self, value: Any) -> Tensor:
        """Return the probability of draws up to ``value``."""
        y = self._standard(self._known(value))
        return self._with_ends("cdf", y, self._law.cdf(y, *self._of))

    def _with_ends(self, method: str, y: Any, value: Any) -> Any:
        """A value, and what it is outside the support, where one may ask with ``validate_args=False``."""
        if self._law.support is None or not self._is_asked_anywhere(y):
            return value
        return with_ends(method, value, *outside(y, *self._law.support(*self._of)))

    def icdf(self, value: Any) -> Tensor:
        """Return the quantile: the point up to which the probability is ``value``; NaN of what is no probability."""
        level = self._floats(value)
        level = level if isinstance(level, Symbol) else within(level, "share")
        return self._placed(self._law.ppf(level, *self._of))

    def entropy(self) -> Tensor:
        """Return the differential entropy, in nats."""
        value = self._law.entropy(*self._of) + self._log_scale()
        return value.expand(self._batch_shape) if tuple(value.shape) != self._batch_shape else value

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw so that the draw is a function of the parameters: the quantile at a level that is drawn.

        Its derivatives are exact, also those in shapes (of Gamma, Beta and StudentT), where they cost some hundred
        times what the draw does.
        """
        return self._placed(self._drawn(self._extended_shape(sample_shape)))

    def _drawn(self, shape: Any) -> Any:
        """Draws at location 0 and scale 1, inside the support: its ends have no density."""
        level = np.maximum(numpy_generator().random(tuple(shape)), 2.0**-54)
        shapes = [p.to(np.float64) for p in self._of]  # levels have 53 bits, which is what the tails rest on
        low, high = (-np.inf, np.inf) if self._law.support is None else self._law.support(*shapes)
        plain, single = [ndarray_of(p) for p in shapes], np.finfo(self._dtype)
        if low == 0.0:  # at the least number itself SciPy's quantiles are rounded to 0
            level = np.maximum(level, self._law.cdf(4 * float(single.tiny), *plain))
        if high == 1.0:
            level = np.minimum(level, self._law.cdf(1.0 - float(single.epsneg), *plain))
        return ops.as_tensor(self._law.ppf(level, *shapes)).to(self._dtype)


class Placed(OfALaw):
    """One that is moved by ``loc`` and stretched by ``scale``."""

    arg_constraints = {"loc": real, "scale": positive}  # noqa: RUF012
    support: Any = real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, loc=loc, scale=scale)

    def _standard(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _placed(self, y: Any) -> Any:
        return self.loc + self.scale * y

    def _log_scale(self) -> Any:
        return self.scale.log()

    loc: Tensor
    scale: Tensor
    mean = mode = property(lambda self: self.loc)


class Paced(OfALaw):
    """One that is compressed by ``rate``."""

    support = constraints.nonnegative
    rate: Tensor

    def _standard(self, x: Any) -> Any:
        return x * self.rate

    def _placed(self, y: Any) -> Any:
        return y / self.rate

    def _log_scale(self) -> Any:
        return -self.rate.log()


class Normal(Placed):
    """The normal distribution of mean ``loc`` and standard deviation ``scale``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Normal
    >>> Normal(0.0, 2.0).log_prob(sg.tensor([0.0, 1.0]))
    tensor([-1.6121, -1.7371])
    >>> x, mu, sigma = sg.symbols("x mu sigma")
    >>> f = sg.formula(lambda mu: Normal(mu, sigma).log_prob(x), mu)
    >>> f, f.grad("mu")
    (−(μ − x)²/(2σ²) − log(σ) − log(2π)/2, (x − μ)/σ²)
    """

    _law = CONTINUOUS_LAWS["norm"]
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def _drawn(self, shape: Any) -> Any:
        return ops.randn(shape, dtype=self._dtype)


class Laplace(Placed):
    """Laplace's distribution, exp(−|x − loc|/scale) / (2 scale).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Laplace
    >>> Laplace(0.0, 1.0).cdf(sg.tensor(0.0))
    tensor(0.5000)
    >>> x, b = sg.symbols("x b")
    >>> sg.formula(lambda b: Laplace(0.0, b).entropy(), b)
    (1 + log(2)) + log(b)
    """

    _law = CONTINUOUS_LAWS["laplace"]
    variance = property(lambda self: 2 * self.scale**2)
    stddev = property(lambda self: math.sqrt(2) * self.scale)


class StudentT(Placed):
    """Student's distribution of ``df`` degrees of freedom, moved and stretched.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import StudentT
    >>> StudentT(3.0, 0.0, 2.0).variance
    tensor(12.)
    >>> x, nu = sg.symbols("x nu")
    >>> sg.formula(lambda x: StudentT(nu).log_prob(x), x).grad("x")
    −x(1 + ν)/(x² + ν)
    """

    arg_constraints = {"df": positive, "loc": real, "scale": positive}  # noqa: RUF012
    _law, _shapes = CONTINUOUS_LAWS["t"], ("df",)

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self._settle(validate_args, df=df, loc=loc, scale=scale)

    @property
    def mean(self) -> Any:
        """The mean, which there is of more than one degree of freedom."""
        return ops.where(self.df > 1, self.loc, np.nan)

    @property
    def variance(self) -> Tensor:
        """The variance, infinite of up to two degrees of freedom; of up to one there is none."""
        return self.scale**2 * self._standard_variance

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, where there is one."""
        return self.scale * self._standard_variance.sqrt()

    @property
    def _standard_variance(self) -> Tensor:
        many = self.df > 2
        found = 1 + 2 / (ops.where(many, self.df, 3.0) - 2)
        return ops.where(self.df > 1, ops.where(many, found, np.inf), np.nan)


class Uniform(Placed):
    """The uniform distribution from ``low`` up to, not including, ``high``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Uniform
    >>> Uniform(0.0, 4.0).log_prob(sg.tensor(1.0)), Uniform(0.0, 4.0, validate_args=False).log_prob(sg.tensor(5.0))
    (tensor(-1.3863), tensor(-inf))
    """

    arg_constraints = {"low": constraints.dependent, "high": constraints.dependent}  # noqa: RUF012
    _law = CONTINUOUS_LAWS["uniform"]

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, low=low, high=high)
        if self._validate_args:
            self.arg_constraints = {
                "low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)
            }  # fmt: skip
            Distribution.__init__(self, self._batch_shape)

    @property
    def support(self) -> Any:
        """From ``low`` to ``high``, whose own density is 0 but which rounding can draw."""
        return constraints.interval(self.low, self.high)

    loc = property(lambda self: self.low)
    scale = property(lambda self: self.high - self.low)
    mean = property(lambda self: self.low / 2 + self.high / 2)
    mode = property(lambda self: self.high * np.nan)
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)
    stddev = property(lambda self: (self.high - self.low) / math.sqrt(12))

    def log_prob(self, value: Any) -> Tensor:
        """Return −log(high − low), and −inf outside, where one may ask with ``validate_args=False``."""
        value = self._known(value)
        inside = (value >= self.low) & (value < self.high)
        return ops.where(inside, self._law.log(self._standard(value)) - self._log_scale(), -np.inf)

    def cdf(self, value: Any) -> Tensor:
        """Return the probability of draws up to ``value``."""
        return super().cdf(value).clamp(0.0, 1.0)

    def _drawn(self, shape: Any) -> Any:
        return ops.rand(shape, dtype=self._dtype)


class Exponential(Paced):
    """The exponential distribution of mean 1/``rate``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Exponential
    >>> x, lam = sg.symbols("x lam")
    >>> f = sg.formula(lambda lam: Exponential(lam).log_prob(x), lam)
    >>> f, f.grad("lam")
    (log(λ) − λx, 1/λ − x)
    >>> Exponential(2.0).entropy()
    tensor(0.3069)
    """

    arg_constraints = {"rate": positive}  # noqa: RUF012
    _law = CONTINUOUS_LAWS["expon"]

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, rate=rate)

    mean = stddev = property(lambda self: 1 / self.rate)
    mode = property(lambda self: self.rate * 0)
    variance = property(lambda self: self.rate**-2)


class Gamma(Paced):
    """The gamma distribution of shape ``concentration`` and ``rate``.

    Draws are differentiable in both: of the shape α as −(∂P/∂α)(α, x)/f(x), P being the incomplete gamma function.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Gamma
    >>> x, a, b = sg.symbols("x alpha beta")
    >>> f = sg.formula(lambda a: Gamma(a, b).log_prob(x), a)
    >>> f, f.grad("alpha")
    ((α − 1) log(βx) + log(β) − βx − logΓ(α), log(βx) − ψ(α))
    >>> Gamma(2.0, 4.0).mean
    tensor(0.5000)
    """

    arg_constraints = {"concentration": positive, "rate": positive}  # noqa: RUF012
    _law, _shapes = CONTINUOUS_LAWS["gamma"], ("concentration",)

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, concentration=concentration, rate=rate)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0.0))
    variance = property(lambda self: self.concentration / self.rate / self.rate)
    stddev = property(lambda self: self.concentration.sqrt() / self.rate)


class Beta(OfALaw):
    """The beta distribution: ``concentration1`` stands above x, ``concentration0`` above 1 − x.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Beta
    >>> Beta(2.0, 3.0).mean
    tensor(0.4000)
    >>> x, a, b = sg.symbols("x alpha beta")
    >>> sg.formula(lambda a: Beta(a, b).log_prob(x), a).grad("alpha")
    ψ(α + β) + log(x) − ψ(α)
    """

    arg_constraints = {"concentration1": positive, "concentration0": positive}  # noqa: RUF012
    support = constraints.unit_interval
    _law, _shapes = CONTINUOUS_LAWS["beta"], ("concentration1", "concentration0")

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, concentration1=concentration1, concentration0=concentration0)

    @property
    def mean(self) -> Tensor:
        """The mean, α/(α + β)."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self) -> Tensor:
        """The variance, αβ/((α + β)²(α + β + 1))."""
        total = self.concentration1 + self.concentration0
        return (self.concentration1 / total) * (self.concentration0 / total) / (total + 1)

    @property
    def mode(self) -> Tensor:
        """Where the density is greatest: of two infinite ends the one that is more so (PyTorch has 1)."""
        both = ops.stack([self.concentration1, self.concentration0], -1)
        return mode_on_simplex(both)[..., 0]


def mode_on_simplex(concentration: Tensor) -> Tensor:
    """Where Dirichlet's density is greatest; the corner of the largest concentration where all are below 1."""
    above = (concentration - 1).clamp(min=0.0)
    corner = ops.arange(concentration.shape[-1]) == concentration.argmax(-1, keepdim=True)
    return ops.where(
        (concentration < 1).all(-1, keepdim=True), corner.to(above.dtype), above / above.sum(-1, keepdim=True)
    )

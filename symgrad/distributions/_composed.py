"""Distributions made of others: Independent, TransformedDistribution, LogNormal, MixtureSameFamily.

The idea to hold: a density of something transformed is the base's at the point before, less the logarithm of the slope;
of a mixture, the logsumexp of its parts. No density is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ops
from .._errors import ConstraintError, ShapeError
from ..core import Tensor
from ..scipy.stats._distributions import outside, with_ends
from . import constraints
from ._counts import Categorical
from ._distribution import Distribution, summed
from ._numbers import Normal
from .constraints import positive, real
from .transforms import ComposeTransform, ExpTransform, Transform, at_least


class Independent(Distribution):
    """Another distribution, of whose batch the last dimensions are taken for one event: their log-probabilities add up.

    Parameters
    ----------
    base_distribution : the other one
    reinterpreted_batch_ndims : how many of the last dimensions of its batch

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Independent, Normal
    >>> d = Independent(Normal(sg.zeros(2, 3), 1.0), 1)
    >>> d.batch_shape, d.event_shape, d.log_prob(sg.zeros(2, 3))
    (symgrad.Size([2]), symgrad.Size([3]), tensor([-2.7568, -2.7568]))
    """

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ShapeError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}",
                f"Its batch shape is {tuple(batch)}.", "Expand it, or take fewer dimensions.",
            )  # fmt: skip
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        at = len(batch) - reinterpreted_batch_ndims
        super().__init__(batch[:at], (*batch[at:], *event), validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    has_enumerate_support = property(
        lambda self: self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support
    )
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)
    _dtype = property(lambda self: self.base_dist._dtype)

    @property
    def support(self) -> Any:
        """That of the other one, of all entries of an event."""
        own = self.base_dist.support
        return constraints.independent(own, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else own

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the same distribution over a larger batch."""
        taken = self._event_shape[: self.reinterpreted_batch_ndims]
        base = self.base_dist.expand((*batch_shape, *taken))
        return Independent(base, self.reinterpreted_batch_ndims, validate_args=self._validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without a gradient."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw with the gradient that the other one's draw has."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Tensor:
        """Return the sum of the log-probabilities of an event's parts."""
        return summed(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the sum of the entropies of an event's parts."""
        return summed(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of the other one, where no dimension is taken for an event."""
        if not self.has_enumerate_support:
            raise self._lacks("enumerate_support")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What becomes of draws of another distribution by transforms, one after the other.

    Parameters
    ----------
    base_distribution : whose draws are transformed
    transforms : a `Transform`, or a list of them

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import TransformedDistribution, Uniform, transforms
    >>> logistic = TransformedDistribution(Uniform(0.0, 1.0), [transforms.SigmoidTransform().inv])
    >>> logistic.log_prob(sg.tensor(0.0)), logistic.cdf(sg.tensor(0.0))
    (tensor(-1.3863), tensor(0.5000))
    """

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        parts = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(part, Transform) for part in parts):
            raise TypeError(f"transforms must be a Transform or a list of them, not {transforms!r}")
        chain = ComposeTransform(parts)
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        if len(shape) < chain.domain.event_dim:
            raise ShapeError(
                f"base_distribution needs to have shape with size at least {chain.domain.event_dim}, but got {shape}",
                "So many dimensions the transform takes at once.", "Expand it.",
            )  # fmt: skip
        shape = chain.forward_shape(shape)
        batch = chain.inverse_shape(shape)[: len(shape) - len(base_distribution.event_shape)]
        if batch != base_distribution.batch_shape:  # a draw for each place of loc and scale
            base_distribution = base_distribution.expand(batch)
        more = chain.domain.event_dim - len(base_distribution.event_shape)
        if more > 0:
            base_distribution = Independent(base_distribution, more)
        self.base_dist, self.transforms, self._chain = base_distribution, parts, chain
        events = len(base_distribution.event_shape) + chain.codomain.event_dim - chain.domain.event_dim
        at = len(shape) - events
        super().__init__(shape[:at], shape[at:], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    _dtype = property(lambda self: self.base_dist._dtype)

    @property
    def support(self) -> Any:
        """Where the last transform arrives."""
        if not self.transforms:
            return self.base_dist.support
        return at_least(self.transforms[-1].codomain, len(self._event_shape))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the same distribution over a larger batch."""
        shape = self._chain.inverse_shape((*batch_shape, *self._event_shape))
        base = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        if type(self) is TransformedDistribution:
            return TransformedDistribution(base, self.transforms, validate_args=self._validate_args)
        new = super().expand(batch_shape, _instance)
        new.base_dist = base
        return new

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without a gradient."""
        return self._chain(self.base_dist.sample(sample_shape)).detach()

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw with the gradient that the base's draw has, through the transforms."""
        return self._chain(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        """Return the base's log-density at the point before, less the logarithms of the slopes of the transforms."""
        y = value = self._known(value)
        events = len(self._event_shape)
        found: Any = 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            events += transform.domain.event_dim - transform.codomain.event_dim
            found = found - summed(transform.log_abs_det_jacobian(x, y), events - transform.domain.event_dim)
            y = x
        found = found + summed(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))
        if not self._is_asked_anywhere(value):
            return found
        missing = summed(ops.where(value != value, 1.0, 0.0), len(self._event_shape)) > 0  # NaN is not outside
        return ops.where(self.support.check(value) | missing, found, -np.inf)

    def cdf(self, value: Any) -> Tensor:
        """Return the probability of draws up to ``value``; the transforms must be monotone.

        The end of an open support has one, too: 0 or 1.
        """
        y = self._floats(value)
        try:
            found = self._turned(self.base_dist.cdf(self._chain._inverse(y)))
        except ConstraintError:
            self._known(y)  # says the same of the value that was given
            raise
        if not self._is_asked_anywhere(y):
            return found
        low, high = (getattr(self.support, f"{end}_bound", at) for end, at in (("lower", -np.inf), ("upper", np.inf)))
        return with_ends("cdf", found, *outside(y, low, high))

    def icdf(self, value: Any) -> Tensor:
        """Return the quantile; the transforms must be monotone."""
        return self._chain(self.base_dist.icdf(self._turned(ops.as_tensor(value))))

    def _turned(self, probability: Any) -> Any:
        """What is below is above, where transforms fall: their signs multiply."""
        sign = self._chain.sign
        if isinstance(sign, int):
            return probability if sign == 1 else 1 - probability
        return sign * (probability - 0.5) + 0.5

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist!r}, {self.transforms!r})"


class LogNormal(TransformedDistribution):
    """What has a normal logarithm: of mean ``loc`` and standard deviation ``scale``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import LogNormal
    >>> LogNormal(0.0, 1.0).mean, LogNormal(0.0, 1.0).icdf(sg.tensor(0.5))
    (tensor(1.6487), tensor(1.))
    >>> x, mu, sigma = sg.symbols("x mu sigma")
    >>> sg.formula(lambda mu: LogNormal(mu, sigma).log_prob(x), mu).grad("mu")
    (log(x) − μ)/σ²
    """

    arg_constraints = {"loc": real, "scale": positive}  # noqa: RUF012
    support = positive
    base_dist: Normal

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args)

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: (self.loc + self.scale**2 / 2).exp())
    mode = property(lambda self: (self.loc - self.scale**2).exp())
    variance = property(lambda self: (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp())
    stddev = property(lambda self: (self.scale**2).expm1().sqrt() * (self.loc + self.scale**2 / 2).exp())

    def entropy(self) -> Tensor:
        """Return the differential entropy: that of the logarithm, and its mean."""
        return self.base_dist.entropy() + self.loc

    def __repr__(self) -> str:
        return f"LogNormal({', '.join(repr(self.base_dist).partition('(')[2].split(', '))}"


class MixtureSameFamily(Distribution):
    """A mixture: one of several distributions, which are the last dimension of a batch, drawn by a `Categorical`.

    Parameters
    ----------
    mixture_distribution : a `Categorical` of as many classes as there are components
    component_distribution : the components, along the last dimension of its batch

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Categorical, MixtureSameFamily, Normal
    >>> d = MixtureSameFamily(Categorical(sg.tensor([0.5, 0.5])), Normal(sg.tensor([-1.0, 1.0]), 1.0))
    >>> d.log_prob(sg.tensor(0.0)), d.mean, d.variance, d.cdf(sg.tensor(0.0))
    (tensor(-1.4189), tensor(0.), tensor(2.), tensor(0.5000))
    """

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an instance of symgrad.distributions.Categorical")
        batch = component_distribution.batch_shape
        if batch[-1:] != (mixture_distribution._classes,):
            raise ShapeError(
                f"`mixture_distribution` has {mixture_distribution._classes} classes, `component_distribution` the "
                f"batch shape {tuple(batch)}", "The components are its last dimension.", "Make them as many.",
            )  # fmt: skip
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        np.broadcast_shapes(tuple(mixture_distribution.batch_shape), tuple(batch[:-1]))
        super().__init__(batch[:-1], component_distribution.event_shape, validate_args)

    _dtype = property(lambda self: self.component_distribution._dtype)
    support = property(lambda self: self.component_distribution.support)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """Return the same distribution over a larger batch."""
        components = self.component_distribution.expand((*batch_shape, self.mixture_distribution._classes))
        mixture = self.mixture_distribution.expand(batch_shape)
        return MixtureSameFamily(mixture, components, validate_args=self._validate_args)

    def _validate_sample(self, value: Any) -> None:
        """Nothing: the components look at it."""

    def _apart(self, value: Any) -> Any:
        """A value with a dimension for the components."""
        value = self._known(value)
        return value.unsqueeze(value.ndim - len(self._event_shape) if self._event_shape else -1)

    def _mean_over_components(self, of_each: Any) -> Tensor:
        probs = self.mixture_distribution.probs
        shape = (*probs.shape, *(1 for _ in self._event_shape))
        return (probs.reshape(shape) * of_each).sum(-1 - len(self._event_shape))

    @property
    def mean(self) -> Tensor:
        """The mean of the components' means."""
        return self._mean_over_components(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the components' variances, and the variance of their means."""
        means = self.component_distribution.mean
        apart = means - self.mean.unsqueeze(-1 - len(self._event_shape))
        return self._mean_over_components(self.component_distribution.variance + apart**2)

    def log_prob(self, value: Any) -> Tensor:
        """Return log Σ πₖ fₖ(x)."""
        parts = self.component_distribution.log_prob(self._apart(value))
        return (parts + self.mixture_distribution.logits).logsumexp(-1)

    def cdf(self, value: Any) -> Tensor:
        """Return Σ πₖ Fₖ(x)."""
        return (self.component_distribution.cdf(self._apart(value)) * self.mixture_distribution.probs).sum(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw a component, and from it."""
        components = self.component_distribution.sample(sample_shape)
        lead = components.ndim - len(self._event_shape) - 1
        number = self.mixture_distribution.expand(self._batch_shape).sample(sample_shape)
        at = number.reshape((*number.shape, 1, *(1 for _ in self._event_shape)))
        at = at.expand((*number.shape, 1, *self._event_shape))
        return components.gather(lead, at).squeeze(lead)

    def __repr__(self) -> str:
        return f"MixtureSameFamily({self.mixture_distribution!r}, {self.component_distribution!r})"

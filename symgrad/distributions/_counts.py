"""Distributions of counts and classes: Bernoulli, Binomial, Poisson, Categorical, OneHotCategorical.

The idea to hold: each is given by probabilities or by logits, and a formula is in what was given: log p of one, a
linear function less a softplus or logsumexp of the other, which loses no digits. What was not given is worked out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from .. import ops
from ..core import Symbol, Tensor
from ..ops import ndarray_of
from ..ops.create import numpy_generator
from ..scipy.stats._standard_distributions import DISCRETE_LAWS, log_choose
from . import constraints
from ._distribution import Distribution, expanded, one_of_two, softplus
from .constraints import boolean, nonnegative, nonnegative_integer, real, simplex, unit_interval


class _ByProbability(Distribution):
    """One whose parameter is a probability, or its logit."""

    _given: str

    def _choose(self, validate_args: bool | None, probs: Any, logits: Any, **further: Any) -> None:
        self._given, value = one_of_two(type(self).__name__, probs=probs, logits=logits)
        self._settle(validate_args, **further, **{self._given: value})

    def _worked_out(self, name: str) -> Any:
        return ops.sigmoid(self.logits) if name == "probs" else ops.logit(self.probs)

    @property
    def _shares(self) -> tuple[Any, Any]:
        """The probabilities of a success and of a failure. Of logits both have all their digits, and so have their
        slopes: that of σ at 40 is σ(1 − σ), which is 0."""
        if self._given == "probs":
            return self.probs, 1 - self.probs
        if isinstance(self.logits, Symbol):
            return ops.sigmoid(self.logits), ops.sigmoid(-self.logits)
        return (-softplus(-self.logits)).exp(), (-softplus(self.logits)).exp()

    @property
    def _one_variance(self) -> Any:
        """Of a single trial."""
        success, failure = self._shares
        return success * failure

    def _log_of(self, successes: Any, failures: Any) -> Any:
        """The logarithm of the probability of so many, in one order: both parts are negative, and nothing cancels."""
        if self._given == "logits" and isinstance(self.logits, Symbol):  # as in a textbook
            return successes * self.logits - (successes + failures) * softplus(self.logits)
        if self._given == "logits":
            return -_times(successes, softplus(-self.logits)) - _times(failures, softplus(self.logits))
        return special.xlogy(successes, self.probs) + special.xlog1py(failures, -self.probs)

    @property
    def param_shape(self) -> Any:
        """The shape of the parameter that was given."""
        return getattr(self, self._given).shape


class Bernoulli(_ByProbability):
    """1 with the probability ``probs``, whose logarithm of odds is ``logits``, else 0.

    Notes
    -----
    What is impossible has the logarithm −inf, where PyTorch, which keeps ``probs`` 1e-7 away from 0 and 1, has −15.9.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Bernoulli
    >>> Bernoulli(0.25).log_prob(sg.tensor([1.0, 0.0]))
    tensor([-1.3863, -0.2877])
    >>> p, x, z = sg.symbols("p x z")
    >>> sg.formula(lambda p: Bernoulli(p).log_prob(x), p)
    (1 − x) log1p(−p) + x log(p)
    >>> sg.formula(lambda z: Bernoulli(logits=z).log_prob(x), z).grad("z")
    x − σ(z)
    """

    arg_constraints = {"probs": unit_interval, "logits": real}  # noqa: RUF012
    support = boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._choose(validate_args, probs, logits)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self._one_variance)

    @property
    def mode(self) -> Tensor:
        """1 or 0, whichever is likelier; NaN where they are alike."""
        p = self.probs
        return ops.where(p == 0.5, np.nan, (p >= 0.5).to(p.dtype))

    def log_prob(self, value: Any) -> Tensor:
        """Return log p of 1 and log(1 − p) of 0."""
        x = self._known(value)
        return self._log_of(x, 1 - x)

    def entropy(self) -> Tensor:
        """Return −p log p − (1 − p) log(1 − p)."""
        return 0.0 - self._log_of(*self._shares)  # 0, and not -0, where nothing is open

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw zeros and ones."""
        shape = self._extended_shape(sample_shape)
        return ops.as_tensor(numpy_generator().random(tuple(shape)) < ndarray_of(self.probs)).to(self._dtype)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 and 1 along a new first dimension."""
        return _repeated(ops.arange(2.0, dtype=self._dtype), self._batch_shape, expand)


class Binomial(_ByProbability):
    """How many of ``total_count`` trials succeed, each with the probability ``probs``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Binomial
    >>> Binomial(4, 0.5).log_prob(sg.tensor(2.0)).exp()
    tensor(0.3750)
    >>> k, n, p = sg.symbols("k n p")
    >>> sg.formula(lambda p: Binomial(n, p).log_prob(k), p).grad("p")
    (k/p − n)/(1 − p)
    """

    arg_constraints = {  # noqa: RUF012
        "total_count": nonnegative_integer, "probs": unit_interval, "logits": real
    }  # fmt: skip
    has_enumerate_support = True
    total_count: Tensor

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._choose(validate_args, probs, logits, total_count=total_count)

    @property
    def support(self) -> Any:
        """The counts from 0 to ``total_count``."""
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self._one_variance)

    @property
    def mode(self) -> Tensor:
        """The likeliest count (the larger of two)."""
        return ops.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    def log_prob(self, value: Any) -> Tensor:
        """Return log(n choose k) + k log p + (n − k) log(1 − p)."""
        k, n = self._known(value), self.total_count
        if self._given == "logits":
            return log_choose(n, k) + self._log_of(k, n - k)
        return DISCRETE_LAWS["binom"].log(k, n, self.probs)

    def entropy(self) -> Tensor:
        """Return the entropy, a sum over all counts."""
        return DISCRETE_LAWS["binom"].entropy(self.total_count, self.probs).to(self._dtype)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw counts."""
        trials, chances = ndarray_of(self.total_count).astype(np.int64), ndarray_of(self.probs).astype(np.float64)
        drawn = numpy_generator().binomial(trials, chances, tuple(self._extended_shape(sample_shape)))
        return ops.as_tensor(drawn).to(self._dtype)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0, 1, …, n along a new first dimension; n must be the same over the batch."""
        counts = ndarray_of(self.total_count)
        if counts.size and counts.min() != counts.max():
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return _repeated(ops.arange(float(counts.max(initial=0)) + 1, dtype=self._dtype), self._batch_shape, expand)


class Poisson(Distribution):
    """Poisson's distribution of mean ``rate``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Poisson
    >>> Poisson(4.0).log_prob(sg.tensor(3.0)).exp()
    tensor(0.1954)
    >>> k, lam = sg.symbols("k lam")
    >>> f = sg.formula(lambda lam: Poisson(lam).log_prob(k), lam)
    >>> f, f.grad("lam")
    (k log(λ) − logΓ(1 + k) − λ, k/λ − 1)
    """

    arg_constraints = {"rate": nonnegative}  # noqa: RUF012
    support = nonnegative_integer

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._settle(validate_args, rate=rate)

    rate: Tensor
    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def log_prob(self, value: Any) -> Tensor:
        """Return k log λ − λ − log k!."""
        return DISCRETE_LAWS["poisson"].log(self._known(value), self.rate)

    def entropy(self) -> Tensor:
        """Return the entropy, a series (PyTorch has none)."""
        return DISCRETE_LAWS["poisson"].entropy(self.rate)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw counts."""
        means = ndarray_of(self.rate).astype(np.float64)
        return ops.as_tensor(numpy_generator().poisson(means, tuple(self._extended_shape(sample_shape)))).to(
            self._dtype
        )


class Categorical(Distribution):
    """A class, from 0 on: ``probs`` or ``logits`` weigh the classes along their last axis.

    Both are normalised: ``probs`` add up to 1, of ``logits`` the logsumexp is taken away.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Categorical
    >>> d = Categorical(sg.tensor([1.0, 3.0]))
    >>> d.probs, d.log_prob(sg.tensor(1)), d.entropy()
    (tensor([0.2500, 0.7500]), tensor(-0.2877), tensor(0.5623))
    >>> z = sg.tensor([0.0, 0.0], requires_grad=True, name="z")
    >>> (g,) = sg.autograd.grad(Categorical(logits=z).log_prob(sg.tensor(1)), z)
    >>> g
    tensor([-0.5000,  0.5000])
    """

    arg_constraints = {"probs": simplex, "logits": constraints.real_vector}  # noqa: RUF012
    has_enumerate_support = True
    _given: str

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._given, value = one_of_two(type(self).__name__, probs=probs, logits=logits)
        self._settle(False, self._own_shape(value), **{self._given: value})
        value = getattr(self, self._given)
        self._validate_args = Distribution._validate_args if validate_args is None else validate_args
        if self._validate_args and self._given == "probs":
            self._require_parameter("probs", constraints.weights)
        if self._given == "probs":
            setattr(self, "probs", value / value.sum(-1, keepdim=True))  # noqa: B010  (it is a property of subclasses)
        else:
            setattr(self, "logits", value - value.logsumexp(-1, keepdim=True))  # noqa: B010
        Distribution.__init__(self, self._batch_shape, self._event_shape)

    def _own_shape(self, value: Any) -> tuple[int, ...]:
        return ()

    def _worked_out(self, name: str) -> Any:
        return ops.softmax(self.logits, -1) if name == "probs" else self.probs.log()

    @property
    def _classes(self) -> int:
        return int(getattr(self, self._given).shape[-1])

    @property
    def param_shape(self) -> Any:
        """The shape of the parameter that was given."""
        return getattr(self, self._given).shape

    @property
    def support(self) -> Any:
        """The numbers of the classes."""
        return constraints.integer_interval(0, self._classes - 1)

    @property
    def mean(self) -> Tensor:
        """NaN: numbers of classes have no mean."""
        return ops.full(self._batch_shape, np.nan, dtype=self._dtype)

    variance = mean

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        return getattr(self, self._given).argmax(-1)

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-probability of classes by their numbers, which broadcast with the batch."""
        return self._at(self._known(value).to(np.int64))

    def _at(self, numbers: Tensor) -> Tensor:
        """The log-probabilities of classes by their numbers, which broadcast with the batch."""
        if not numbers.ndim:
            return self.logits[..., int(ndarray_of(numbers))]
        shape = np.broadcast_shapes(tuple(numbers.shape), tuple(self._batch_shape))
        of_each = expanded(self.logits, shape, 1)
        return of_each.gather(-1, numbers.expand(shape).unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return −Σ p log p."""
        if self._given == "probs":
            return special.entr(self.probs).sum(-1)
        return -(self.probs * finite(self.logits)).sum(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw numbers of classes, as integers."""
        return ops.as_tensor(self._picked(sample_shape))

    def _picked(self, sample_shape: Any) -> np.ndarray:
        """Where a level that is drawn falls among the sums of probabilities up to each class."""
        sums = ndarray_of(self.probs).astype(np.float64).cumsum(-1)
        shape = (*self._extended_shape(sample_shape)[: self._draws_of(sample_shape)], *self._batch_shape)
        level = numpy_generator().random(shape)[..., None] * sums[..., -1:]
        return np.asarray((level >= sums).sum(-1), np.int64)

    def _draws_of(self, sample_shape: Any) -> int:
        return 1 if isinstance(sample_shape, int) else len(tuple(sample_shape))

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return the numbers of all classes along a new first dimension."""
        return _repeated(ops.arange(self._classes), self._batch_shape, expand)


class OneHotCategorical(Categorical):
    """The classes of `Categorical` as vectors of zeros and a one.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import OneHotCategorical
    >>> d = OneHotCategorical(logits=sg.zeros(4))
    >>> d.event_shape, d.log_prob(sg.tensor([0.0, 1.0, 0.0, 0.0])), d.sample().sum()
    (symgrad.Size([4]), tensor(-1.3863), tensor(1.))
    """

    support = constraints.one_hot

    def _own_shape(self, value: Any) -> tuple[int, ...]:
        return tuple(np.shape(value))[-1:]

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))
    mode = property(lambda self: self._hot(super().mode))

    def _hot(self, numbers: Any) -> Tensor:
        return (ops.arange(self._classes) == numbers.unsqueeze(-1)).to(self._dtype)

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-probability of vectors of zeros and a one."""
        return self._at(self._known(value).argmax(-1))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw vectors of zeros and a one."""
        return self._hot(ops.as_tensor(self._picked(sample_shape)))

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return the rows of the identity along a new first dimension."""
        rows = ops.eye(self._classes, dtype=self._dtype)
        rows = rows.reshape((self._classes, *(1 for _ in self._batch_shape), self._classes))
        return rows.expand((self._classes, *self._batch_shape, self._classes)) if expand else rows


def finite(logits: Tensor) -> Tensor:
    """Logits, 0 where they are −inf: there a probability is 0, and 0 log 0 is 0."""
    if isinstance(logits, Symbol) or not np.isneginf(ndarray_of(logits)).any():
        return logits
    return ops.where(logits == -np.inf, 0.0, logits)


def _times(count: Any, size: Any) -> Any:
    """A product that is 0 where the count is: of infinite logits, too."""
    if not np.isinf(ndarray_of(size)).any():
        return count * size
    return ops.where(count == 0, 0.0, count * size)


def _repeated(values: Tensor, batch: Any, expand: bool) -> Tensor:
    """Values along the first dimension, repeated over a batch."""
    column = values.reshape((-1, *(1 for _ in batch)))
    return column.expand((-1, *batch)) if expand else column

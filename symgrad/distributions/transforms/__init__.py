"""Invertible functions of draws, with the logarithms of their slopes: ``torch.distributions.transforms``.

The idea to hold: a transform is three formulas, there, back, and log|dy/dx| in a form that loses no digits; the
inverse of one, several in a row and one of vectors of independent entries are made of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import ops
from ...core import Tensor
from ...ops import is_recorded, ndarray_of
from ...ops import set_public_names as _settle
from .. import constraints
from .._distribution import softplus, summed
from ..constraints import Constraint, positive, real, unit_interval

__all__ = [
    "AffineTransform", "ComposeTransform", "ExpTransform", "IndependentTransform", "PowerTransform", "SigmoidTransform",
    "SoftplusTransform", "TanhTransform", "Transform", "identity_transform",
]  # fmt: skip


class Transform:
    """An invertible function, and what one of one's own derives from: it defines ``_call``, ``_inverse`` and
    ``log_abs_det_jacobian``, and sets ``domain``, ``codomain``, ``bijective`` and, if it is monotone, ``sign``.

    Parameters
    ----------
    cache_size : 1 keeps the last point and its image, so that ``inv`` of the image is the point, without rounding

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import constraints
    >>> from symgrad.distributions.transforms import ExpTransform, Transform
    >>> t = ExpTransform()
    >>> x = sg.tensor([0.0, 1.0])
    >>> t(x), t.inv(t(x)), t.log_abs_det_jacobian(x, t(x))
    (tensor([1.0000, 2.7183]), tensor([0., 1.]), tensor([0., 1.]))
    >>> class Cube(Transform):
    ...     domain = codomain = constraints.real
    ...     bijective, sign = True, 1
    ...     def _call(self, x):
    ...         return x**3
    ...     def _inverse(self, y):
    ...         return y.sign() * y.abs() ** (1 / 3)
    ...     def log_abs_det_jacobian(self, x, y):
    ...         return (3 * x**2).log()
    >>> Cube().inv(sg.tensor(8.0))
    tensor(2.)
    """

    domain: Any = real
    codomain: Any = real
    bijective: Any = False
    sign: Any = NotImplemented
    _cache_size: int = 0
    _pair: Any = (None, None)  # the last point and its image, where they are kept

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size

    @property
    def inv(self) -> Transform:
        """The inverse, as a transform."""
        return _Inverse(self)

    def __call__(self, x: Any) -> Any:
        known, image = self._pair
        if x is known and x is not None:
            return image
        y = self._call(x)
        if self._cache_size:
            self._pair = x, y
        return y

    def _back(self, y: Any) -> Any:
        point, known = self._pair
        if y is known and y is not None:
            return point
        x = self._inverse(y)
        if self._cache_size:
            self._pair = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _call")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _inverse")

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return log|dy/dx| at a point and its image, over the dimensions that the transform takes at once."""
        raise NotImplementedError(f"{type(self).__name__} has no log_abs_det_jacobian")

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the image of what has ``shape``."""
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what has an image of ``shape``."""
        return tuple(shape)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform itself, keeping (or not) its last point."""
        self._cache_size, self._pair = cache_size, (None, None)
        return self

    def __eq__(self, other: object) -> bool:
        hidden = ("_pair", "_cache_size")
        own, theirs = ({k: v for k, v in vars(t).items() if k not in hidden} for t in (self, other))
        return type(self) is type(other) and own.keys() == theirs.keys() and all(
            _alike(own[name], theirs[name]) for name in own
        )  # fmt: skip

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _alike(a: Any, b: Any) -> bool:
    """Whether two parameters are one; two that are differentiated are not, though they may have met."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        known = not (is_recorded(a) or is_recorded(b))
        return a is b or (known and np.array_equal(ndarray_of(a), ndarray_of(b)))
    return bool(a == b)


def _broadcast(shape: Sequence[int], *values: Any) -> tuple[int, ...]:
    """The shape that a point of ``shape`` broadcasts to with those of a transform's parameters that are tensors."""
    own = [tuple(v.shape) for v in values if isinstance(v, Tensor)]
    return tuple(ops.broadcast_shapes(tuple(shape), *own)) if own else tuple(shape)


class _Inverse(Transform):
    def __init__(self, of: Transform) -> None:
        super().__init__()
        self._of = of
        self.domain, self.codomain, self.bijective = of.codomain, of.domain, of.bijective

    sign = property(lambda self: self._of.sign)
    inv = property(lambda self: self._of)

    def __call__(self, x: Any) -> Any:
        return self._of._back(x)

    def _back(self, y: Any) -> Any:
        return self._of(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return less what that of the other one is, back there."""
        return -self._of.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the image."""
        return self._of.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what has such an image."""
        return self._of.forward_shape(shape)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._of!r})"


class ExpTransform(Transform):
    """y = exp(x).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import ExpTransform
    >>> ExpTransform().inv(sg.tensor(1.0))
    tensor(0.)
    """

    codomain: Any = positive
    bijective: Any = True
    sign: Any = 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return x."""
        return x


class SigmoidTransform(Transform):
    """y = 1/(1 + exp(−x)).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import SigmoidTransform
    >>> SigmoidTransform().inv(sg.tensor(0.5))
    tensor(0.)
    """

    codomain: Any = unit_interval
    bijective: Any = True
    sign: Any = 1

    def _call(self, x: Any) -> Any:
        return ops.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return ops.logit(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return −softplus(x) − softplus(−x)."""
        return -softplus(x) - softplus(-x)


class SoftplusTransform(Transform):
    """y = log(1 + exp(x)).

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import SoftplusTransform
    >>> SoftplusTransform()(sg.tensor(0.0))
    tensor(0.6931)
    """

    codomain: Any = positive
    bijective: Any = True
    sign: Any = 1

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return y + (-ops.expm1(-y)).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return −softplus(−x)."""
        return -softplus(-x)


class TanhTransform(Transform):
    """y = tanh(x); with ``cache_size=1`` also where y rounds to 1.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import TanhTransform
    >>> t = TanhTransform(cache_size=1)
    >>> t.inv(t(sg.tensor(40.0)))
    tensor(40.)
    """

    codomain: Any = constraints.interval(-1.0, 1.0)
    bijective: Any = True
    sign: Any = 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return 2(log 2 − x − softplus(−2x)), which is log(1 − y²)."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class PowerTransform(Transform):
    """y = x ** exponent, of positive x.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import PowerTransform
    >>> PowerTransform(2.0).inv(sg.tensor(9.0))
    tensor(3.)
    """

    domain: Any = positive
    codomain: Any = positive
    bijective: Any = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    @property
    def sign(self) -> Any:
        """The exponent's sign."""
        return _sign(self.exponent)

    def _call(self, x: Any) -> Any:
        return x**self.exponent

    def _inverse(self, y: Any) -> Any:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return log|exponent y/x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape that the point broadcasts to with the exponent."""
        return _broadcast(shape, self.exponent)

    inverse_shape = forward_shape


def _sign(value: Any) -> Any:
    return value.sign() if isinstance(value, Tensor) else (value > 0) - (value < 0)


class AffineTransform(Transform):
    """y = loc + scale x, of whose dimensions the last ``event_dim`` are taken at once.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import AffineTransform
    >>> t = AffineTransform(1.0, -2.0)
    >>> t(sg.tensor(3.0)), t.log_abs_det_jacobian(sg.tensor([0.0, 0.0]), None), t.sign
    (tensor(-5.), tensor([0.6931, 0.6931]), -1)
    """

    bijective: Any = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc: Any = loc
        self.scale: Any = scale
        self.event_dim: int = event_dim

    @property
    def domain(self) -> Constraint:
        """The real numbers."""
        return constraints.independent(real, self.event_dim) if self.event_dim else real

    codomain = domain

    @property
    def sign(self) -> Any:
        """The scale's sign."""
        return _sign(self.scale)

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return log|scale|, summed over an event."""
        size = self.scale.abs().log() if isinstance(self.scale, Tensor) else math.log(abs(self.scale))
        return summed(size + ops.zeros_like(x), self.event_dim)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape that the point broadcasts to with loc and scale."""
        return _broadcast(shape, self.loc, self.scale)

    inverse_shape = forward_shape


class ComposeTransform(Transform):
    """Several transforms, the first one first.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import AffineTransform, ComposeTransform, ExpTransform
    >>> t = ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])
    >>> t(sg.tensor(1.0)), t.inv(t(sg.tensor(1.0)))
    (tensor(7.3891), tensor(1.))
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts: list[Transform] = list(parts)

    @property
    def domain(self) -> Any:
        """Where the first one starts, with as many dimensions as any of them takes at once."""
        if not self.parts:
            return real
        events = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            events = max(events + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return at_least(self.parts[0].domain, events)

    @property
    def codomain(self) -> Any:
        """Where the last one arrives."""
        if not self.parts:
            return real
        events = self.parts[0].domain.event_dim
        for part in self.parts:
            events = max(events + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return at_least(self.parts[-1].codomain, events)

    @property
    def bijective(self) -> Any:
        """Whether all of them are."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        """The product of their signs."""
        return math.prod(part.sign for part in self.parts)

    def _call(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the sum of theirs, each along the way."""
        found, events = 0.0 * x if not self.parts else 0.0, self.domain.event_dim
        for part in self.parts:
            image = part(x)
            found = found + summed(part.log_abs_det_jacobian(x, image), events - part.domain.event_dim)
            events += part.codomain.event_dim - part.domain.event_dim
            x = image
        return found

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the image."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what has such an image."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)

    def __repr__(self) -> str:
        return f"ComposeTransform({self.parts!r})"


def at_least(constraint: Constraint, events: int) -> Constraint:
    """A constraint of events of so many dimensions, or more."""
    more = events - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


class IndependentTransform(Transform):
    """Another transform, of whose dimensions the last ones are taken at once: logarithms of its slopes add up.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions.transforms import ExpTransform, IndependentTransform
    >>> IndependentTransform(ExpTransform(), 1).log_abs_det_jacobian(sg.tensor([1.0, 2.0]), None)
    tensor(3.)
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform: Transform = base_transform
        self.reinterpreted_batch_ndims: int = reinterpreted_batch_ndims
        self.bijective: Any = base_transform.bijective

    @property
    def sign(self) -> Any:
        """The sign of the slope of the base transform."""
        return self.base_transform.sign

    @property
    def domain(self) -> Constraint:
        """The base's, of all entries of an event."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Constraint:
        """The base's, of all entries of an event."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    def _call(self, x: Any) -> Any:
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Return the sum of the base's."""
        return summed(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the base's image."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what has such an image by the base."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


identity_transform: Transform = ComposeTransform([])

_settle(__name__, globals(), __all__)

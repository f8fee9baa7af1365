"""What every distribution has: shapes, parameters that broadcast, constraints that are looked at, and what is refused.

The idea to hold: a class says its parameters, their constraints and its formulas; that parameters are tensors of one
dtype and one batch, that a value lies in the support, and what an error says, stands here.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from .. import ops
from .._config import default_dtype
from .._errors import ConstraintError, NotDifferentiableError, ShapeError, SymgradError
from .._typing import Size
from ..autograd import enable_grad, no_grad
from ..core import Symbol, Tensor, content
from ..ops import kind_of, ndarray_of
from .constraints import Constraint, is_dependent

Own = TypeVar("Own", bound="Distribution")


class Distribution:
    """What distributions have in common, and what a distribution of one's own derives from.

    Parameters
    ----------
    batch_shape : the shape over which parameters differ: so many distributions, independent of each other
    event_shape : the shape of one draw from one of them
    validate_args : whether parameters and values are looked at (default: `set_default_validate_args`)

    Raises
    ------
    ConstraintError : a parameter does not satisfy its constraint, or a value is outside the support; a ValueError

    Notes
    -----
    A draw has the shape ``sample_shape + batch_shape + event_shape``, its ``log_prob`` the first two of these.
    A class of one's own calls ``super().__init__(batch_shape, event_shape)``, sets ``arg_constraints`` (a dictionary)
    and ``support``, and defines ``log_prob`` and ``rsample`` (with ``has_rsample = True``) or ``sample``.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import Normal
    >>> d = Normal(sg.zeros(3), 2.0)
    >>> d.batch_shape, d.event_shape, d.sample((5,)).shape
    (symgrad.Size([3]), symgrad.Size([]), symgrad.Size([5, 3]))
    >>> try:
    ...     Normal(0.0, -1.0)
    ... except sg.ConstraintError as error:
    ...     print(str(error).partition(" to satisfy ")[2])
    the constraint GreaterThan(lower_bound=0.0)
    It is -1.
    exp and softplus make a number positive.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: Any = {}  # noqa: RUF012  (a class sets its own)
    support: Any = None
    _validate_args = __debug__
    _dims: dict[str, int] = {}  # noqa: RUF012  (an object sets its own)

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Look at parameters and values, or do not, where ``validate_args`` is not given."""
        if value not in (True, False):
            raise ValueError(f"validate_args is True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        for name, constraint in self.arg_constraints.items() if self._validate_args else ():
            if name in self.__dict__ and not is_dependent(constraint):
                self._require_parameter(name, constraint)

    def _require_parameter(self, name: str, constraint: Constraint) -> None:
        """Raise where a parameter does not satisfy a constraint."""
        value = self.__dict__[name]
        what = f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution {self!r}"
        _require(constraint, value, f"{what} to satisfy the constraint {constraint!r}")

    def _settle(self, validate_args: bool | None, event_shape: Sequence[int] = (), **parameters: Any) -> None:
        """Make parameters attributes: tensors of one dtype, of one batch. How many dimensions an event of one has, its
        constraint says."""
        self._dims = {name: self.arg_constraints[name].event_dim for name in parameters}
        parameters = in_one_dtype(parameters)
        batch = batch_of(type(self).__name__, parameters, self._dims)
        for name, value in parameters.items():
            setattr(self, name, expanded(value, batch, self._dims[name]))
        Distribution.__init__(self, batch, event_shape, validate_args)

    # ------------------------------------------------------------------------------------------------------ shapes

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters differ."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one draw."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of what ``sample(sample_shape)`` returns."""
        given = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return Size((*given, *self._batch_shape, *self._event_shape))

    def expand(self: Own, batch_shape: Sequence[int], _instance: Any = None) -> Own:
        """Return the same distribution with its parameters repeated over a larger batch.

        Raises
        ------
        ShapeError : the shape is not one that the batch broadcasts to

        Examples
        --------
        >>> from symgrad.distributions import Exponential
        >>> Exponential(2.0).expand((3,)).batch_shape
        symgrad.Size([3])
        """
        new: Own = copy.copy(self) if _instance is None else _instance
        for name in {*self.arg_constraints} - {*self._dims}:  # what was worked out has the smaller batch
            new.__dict__.pop(name, None)
        for name, dim in self._dims.items():
            setattr(new, name, expanded(getattr(self, name), tuple(batch_shape), dim))
        new._dims = self._dims
        new._batch_shape, new._event_shape = Size(batch_shape), self._event_shape
        new._validate_args = self._validate_args
        return new

    # ------------------------------------------------------------------------------------------------------ draws

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw without a gradient, from symgrad's generator (`symgrad.manual_seed`).

        Returns
        -------
        Tensor
            Of the shape ``sample_shape + batch_shape + event_shape``.
        """
        with no_grad():
            return self.rsample(sample_shape).detach()

    def sample_n(self, n: int) -> Tensor:
        """Draw ``n`` times: ``sample((n,))`` by its old name, which warns as PyTorch's does."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample((n,))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw so that the draw is a function of the parameters, which `backward` follows.

        Raises
        ------
        NotDifferentiableError : the distribution has no such draw: ``has_rsample`` is False
        """
        raise NotDifferentiableError(
            f"{type(self).__name__} has no rsample: its draws have no derivative in its parameters",
            "What is drawn is one of separate values, and stays it while a parameter moves a little."
            if self.support is None or self.support.is_discrete
            else "No way is known here in which a draw moves with the parameters.",
            "Draw with sample(), and differentiate reward * d.log_prob(draw): the mean of its gradient is the wanted "
            "one.",
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------ functions

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density (of the probability, where values are counts or classes) at ``value``.

        Parameters
        ----------
        value : a tensor of the shape of a draw, or one that broadcasts with it

        Raises
        ------
        ConstraintError : it lies outside the support (not with ``validate_args=False``)
        """
        raise self._lacks("log_prob")

    def cdf(self, value: Any) -> Tensor:
        """Return the probability of draws up to ``value``."""
        raise self._lacks("cdf")

    def icdf(self, value: Any) -> Tensor:
        """Return the quantile: the point up to which the probability is ``value``."""
        raise self._lacks("icdf")

    def entropy(self) -> Tensor:
        """Return the entropy, in nats (the differential one, of a density)."""
        raise self._lacks("entropy")

    def perplexity(self) -> Tensor:
        """Return exp of the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values that can be drawn, along a new first dimension; ``expand`` repeats them over the batch."""
        raise self._lacks("enumerate_support")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise self._lacks("mean")

    @property
    def mode(self) -> Tensor:
        """Where the density is greatest."""
        raise self._lacks("mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise self._lacks("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def _lacks(self, what: str) -> NotImplementedError:
        return _NotThere(
            f"{type(self).__name__} has no {what}", "There is no closed form of it, or none is written here.",
            "A mean over draws estimates it: f(d.sample((10000,))).mean(0).",
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------ values

    def _validate_sample(self, value: Any) -> None:
        """Raise where a value has not the shape of a draw, or is not in the support."""
        shape, own = tuple(np.shape(value)), (*self._batch_shape, *self._event_shape)
        events = len(self._event_shape)
        if events and shape[len(shape) - events :] != tuple(self._event_shape):
            raise ShapeError(
                f"The right-most size of value must match event_shape: {shape} vs {tuple(self._event_shape)}.",
                f"A draw of {type(self).__name__} has the event shape {tuple(self._event_shape)}.", "",
            )  # fmt: skip
        if any(1 != i != j != 1 for i, j in zip(reversed(shape), reversed(own), strict=False)):
            raise ShapeError(
                f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {own}.",
                "They are compared from the right; each pair must be equal, or one of it 1.",
                "Give the value a dimension of 1 where draws differ: x.unsqueeze(-1).",
            )
        support = self.support
        if support is not None:
            what = f"Expected value argument (Tensor of shape {shape}) to be within the support ({support!r})"
            _require(support, value, f"{what} of the distribution {self!r}")

    def _known(self, value: Any) -> Any:
        """A value as a tensor of floats that was looked at."""
        value = self._floats(value)
        if self._validate_args and not _is_symbolic(value, *self.__dict__.values()):
            self._validate_sample(value)
        return value

    def _is_asked_anywhere(self, value: Any) -> bool:
        """Whether numbers may lie outside the support: nobody looked."""
        return not self._validate_args and not _is_symbolic(value, *self.__dict__.values())

    def _floats(self, value: Any) -> Any:
        """A value as a tensor of floats."""
        value = content(value)
        if not isinstance(value, Tensor):
            value = ops.as_tensor(value)
        if kind_of(value) != "f":
            if kind_of(value) == "c":
                raise ConstraintError(
                    "a value has complex numbers", "Densities are functions of real ones.", "Take .real."
                )
            value = value.to(self._dtype)
        return value

    def _worked_out(self, name: str) -> Any:
        """What another parameter, that was not given, would be; AttributeError where there is none of the name."""
        raise AttributeError(name=name, obj=self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.arg_constraints:
            raise AttributeError(f"{type(self).__name__} has no {name!r}", name=name, obj=self)
        with enable_grad():  # it stays, and a draw, which asks for it first, is made without a graph
            found = self.__dict__[name] = self._worked_out(name)
        return found

    @property
    def _dtype(self) -> Any:
        return next((getattr(self, name).dtype for name in self._dims), default_dtype())

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        said = [(name, self.__dict__[name]) for name in names]
        inside = ", ".join(f"{n}: {v.detach() if v.numel() == 1 else v.shape}" for n, v in said)
        return f"{type(self).__name__}({inside})"


class _NotThere(SymgradError, NotImplementedError):
    """A distribution has not what was asked for."""


_NotThere.__name__ = "NotImplementedError"


def _is_symbolic(*values: Any) -> bool:
    """Whether there is a symbol among them, whose numbers only stand in for unknown ones."""
    return any(isinstance(value, Symbol) for value in values)


def _require(constraint: Constraint, value: Any, what: str) -> None:
    """Raise where numbers do not satisfy a constraint."""
    if _is_symbolic(value, *vars(constraint).values()):
        return
    holds = np.asarray(constraint._holds(ndarray_of(value)))
    if not holds.all():
        raise ConstraintError(what, _evidence(ndarray_of(value), holds, constraint.event_dim), constraint.advice)


def _evidence(value: np.ndarray, holds: np.ndarray, event_dim: int) -> str:
    """The first event that is not as it should be, and how many there are of such."""
    if holds.ndim == 0:
        return f"It is {_shown(value)}."
    first = tuple(int(i) for i in np.argwhere(~holds)[0])
    if value.shape[: value.ndim - event_dim] != holds.shape:  # its bounds have a batch that it has not
        return f"{int((~holds).sum())} of {holds.size} are not: the first at {list(first)}."
    return f"{int((~holds).sum())} of {holds.size} do not: the first, at {list(first)}, is {_shown(value[first])}."


def _shown(value: Any) -> str:
    return f"{value:.6g}" if value.ndim == 0 else np.array2string(value, precision=4, threshold=16)


# ------------------------------------------------------------------------------------------------ parameters


def in_one_dtype(parameters: dict[str, Any]) -> dict[str, Tensor]:
    """Parameters as tensors of one float dtype: that of the tensors among them, the default one of plain numbers."""
    found = {name: content(value) for name, value in parameters.items()}
    known = [v for v in found.values() if isinstance(v, (Tensor, np.ndarray))]
    for name, value in found.items():
        if isinstance(value, (Tensor, np.ndarray)) and kind_of(value) == "c":
            raise ConstraintError(
                f"parameter {name} has complex numbers", "It is one of real ones.", "Take .real or abs."
            )
    floats = [v.dtype for v in known if kind_of(v) == "f"]
    dtype = functools.reduce(np.promote_types, floats) if floats else np.dtype(default_dtype())
    out = {}
    for name, value in found.items():
        tensor = value if isinstance(value, Tensor) else ops.as_tensor(value, dtype=dtype)
        out[name] = tensor if tensor.dtype == dtype else tensor.to(dtype)
    return out


def batch_of(who: str, parameters: dict[str, Tensor], dims: dict[str, int]) -> tuple[int, ...]:
    """The batch that parameters broadcast to, beside the dimensions of an event of each."""
    for name, value in parameters.items():
        if value.ndim < dims[name]:
            least = {1: "one-dimensional", 2: "two-dimensional"}[dims[name]]
            raise ShapeError(
                f"`{name}` parameter must be at least {least}.", f"{who} was given the shape {tuple(value.shape)}.",
                "Put the entries of one event along the last dimensions.",
            )  # fmt: skip
    batches = {name: tuple(value.shape)[: value.ndim - dims[name]] for name, value in parameters.items()}
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        said = ", ".join(f"{name} {tuple(parameters[name].shape)}" for name in parameters)
        raise ShapeError(
            f"the parameters of {who} do not broadcast", f"Their shapes: {said}.",
            "Compared from the right, sizes must be equal or 1.",
        ) from None  # fmt: skip


def expanded(value: Tensor, batch: Sequence[int], dim: int) -> Tensor:
    """A parameter, of whose dimensions the last ``dim`` are an event's, over a batch."""
    shape = (*batch, *value.shape[value.ndim - dim :])
    return value if tuple(value.shape) == shape else value.expand(shape)


def one_of_two(who: str, **given: Any) -> tuple[str, Any]:
    """The one parameter that was given, of those that say the same thing in several ways."""
    there = [name for name, value in given.items() if value is not None]
    if len(there) != 1:
        names = [f"`{name}`" for name in given]
        what = f"Either {' or '.join(names)} must be specified, but not both."
        if len(names) > 2:
            what = f"Exactly one of {', '.join(names)} may be specified."
        raise ConstraintError(what, f"{who} was given {' and '.join(there) or 'none'}.", "Leave out the others.")
    return there[0], given[there[0]]


def summed(value: Tensor, dims: int) -> Tensor:
    """The sum over the last ``dims`` dimensions."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


def softplus(x: Any) -> Any:
    """log(1 + eˣ)."""
    return ops.logaddexp(x, ops.zeros_like(x))

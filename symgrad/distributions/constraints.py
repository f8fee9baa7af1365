"""What a parameter or a value must be: ``torch.distributions.constraints``, under its names.

The idea to hold: a constraint answers `check` for each event (an entry, a vector, a matrix), and says in `advice` how
one comes by such numbers, which is the last line of the error where it does not hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..core import Tensor
from ..ops import ndarray_of
from ..ops import set_public_names as _settle

__all__ = [
    "Constraint", "boolean", "dependent", "dependent_property", "greater_than", "greater_than_eq", "half_open_interval",
    "independent", "integer_interval", "interval", "is_dependent", "less_than", "lower_cholesky", "lower_triangular",
    "nonnegative", "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer",
    "positive_semidefinite", "real", "real_vector", "simplex", "square", "symmetric", "unit_interval",
]  # fmt: skip

ROUNDING = 1e-6
"""How far from symmetric a matrix, and from 1 the sum of a simplex, may be: PyTorch's figure."""


class Constraint:
    """What numbers must be; ``event_dim`` is how many of the last dimensions one answer is about.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import constraints
    >>> constraints.positive, constraints.positive.check(sg.tensor([1.0, 0.0]))
    (GreaterThan(lower_bound=0.0), tensor([ True, False]))
    >>> constraints.simplex.check(sg.tensor([[0.2, 0.8], [0.2, 0.9]]))
    tensor([ True, False])
    """

    is_discrete: bool = False
    event_dim: int = 0
    advice: str = ""

    def check(self, value: Any) -> Tensor:
        """Return for each event of a value whether it is so."""
        return ops.tensor(np.asarray(self._holds(ndarray_of(value)), bool))

    def _holds(self, x: np.ndarray) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={_shown(bound)}" for name, bound in vars(self).items())
        return f"{type(self).__name__.strip('_')}({bounds})"


def _shown(bound: Any) -> str:
    return f"{bound}" if not isinstance(bound, Tensor) or bound.numel() == 1 else f"{tuple(bound.shape)}"


def _value(bound: Any) -> Any:
    return ndarray_of(bound) if isinstance(bound, Tensor) else bound


class _Real(Constraint):
    """Numbers, infinite ones too, and no NaN."""

    advice = "NaN comes from an earlier step: sg.autograd.set_detect_anomaly(True) finds it."

    def _holds(self, x: np.ndarray) -> Any:
        return x == x


class _GreaterThan(Constraint):
    advice = "exp and softplus make a number positive."

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def _holds(self, x: np.ndarray) -> Any:
        return x > _value(self.lower_bound)


class _GreaterThanEq(_GreaterThan):
    def _holds(self, x: np.ndarray) -> Any:
        return x >= _value(self.lower_bound)


class _LessThan(Constraint):
    advice = "Exchange the two where they are swapped."

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def _holds(self, x: np.ndarray) -> Any:
        return x < _value(self.upper_bound)


class _Interval(Constraint):
    advice = "sigmoid makes a number of one between 0 and 1; validate_args=False leaves out the question."

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def _holds(self, x: np.ndarray) -> Any:
        return (x >= _value(self.lower_bound)) & (x <= _value(self.upper_bound))


class _HalfOpenInterval(_Interval):
    def _holds(self, x: np.ndarray) -> Any:
        return (x >= _value(self.lower_bound)) & (x < _value(self.upper_bound))


class _IntegerInterval(_Interval):
    is_discrete = True
    advice = "A count is a whole number from the lower bound to the upper one."

    def _holds(self, x: np.ndarray) -> Any:
        return (x % 1 == 0) & super()._holds(x)


class _IntegerGreaterThan(_GreaterThan):
    """Whole numbers from a bound on."""

    is_discrete = True
    advice = "A count is a whole number."

    def _holds(self, x: np.ndarray) -> Any:
        return (x % 1 == 0) & (x >= _value(self.lower_bound))


class _Boolean(Constraint):
    """Zeros and ones."""

    is_discrete = True
    advice = "Pass 0 or 1: (x > threshold).double()."

    def _holds(self, x: np.ndarray) -> Any:
        return (x == 0) | (x == 1)


class _OneHot(Constraint):
    """Vectors of zeros and a single one."""

    is_discrete, event_dim = True, 1
    advice = "nn.functional.one_hot(index, number of classes) makes them."

    def _holds(self, x: np.ndarray) -> Any:
        return ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of probabilities: none is negative, and their sum is 1."""

    event_dim = 1
    advice = "softmax makes probabilities of scores; scores themselves are logits=."

    def _holds(self, x: np.ndarray) -> Any:
        return (x >= 0).all(-1) & (np.abs(x.sum(-1) - 1) < ROUNDING)


class _Weights(_Simplex):
    """What becomes a simplex, divided by its sum."""

    def _holds(self, x: np.ndarray) -> Any:
        return (x >= 0).all(-1) & (x.sum(-1) > 0) & np.isfinite(x).all(-1)

    def __repr__(self) -> str:
        return "Simplex()"


class _Square(Constraint):
    """Matrices as high as they are wide."""

    event_dim = 2
    advice = "The last two dimensions are a matrix as high as it is wide."

    def _holds(self, x: np.ndarray) -> Any:
        return np.full(x.shape[:-2], x.shape[-2] == x.shape[-1])


class _Symmetric(_Square):
    """Symmetric matrices."""

    advice = "(A + A.mT) / 2 is symmetric."

    def _holds(self, x: np.ndarray) -> Any:
        if x.shape[-2] != x.shape[-1]:
            return super()._holds(x)
        return np.isclose(x, x.swapaxes(-1, -2), atol=ROUNDING).all((-1, -2))


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without a negative eigenvalue."""

    advice = "A @ A.mT is positive semidefinite; A @ A.mT + 1e-6 * I definite."

    def _holds(self, x: np.ndarray) -> Any:
        return self._of_eigenvalues(x, lambda least: least >= 0)

    def _of_eigenvalues(self, x: np.ndarray, question: Any) -> Any:
        """The answer to a question about the least eigenvalue of those that are symmetric and finite."""
        fine = super()._holds(x) & np.isfinite(x).all((-1, -2))
        if not np.any(fine) or not x.shape[-1]:
            return fine
        safe = np.where(np.asarray(fine)[..., None, None], x, np.eye(x.shape[-1]))
        return fine & question(np.linalg.eigvalsh(safe)[..., 0])


class _PositiveDefinite(_PositiveSemidefinite):
    """Symmetric matrices whose eigenvalues are positive."""

    def _holds(self, x: np.ndarray) -> Any:
        return self._of_eigenvalues(x, lambda least: least > 0)


class _LowerTriangular(Constraint):
    """Matrices of zeros above the diagonal."""

    event_dim = 2
    advice = "L.tril() leaves out what is above the diagonal."

    def _holds(self, x: np.ndarray) -> Any:
        return (x == np.tril(x)).all((-1, -2))


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal: Cholesky factors."""

    advice = "sg.linalg.cholesky(cov) is one; cov itself is covariance_matrix=."

    def _holds(self, x: np.ndarray) -> Any:
        return super()._holds(x) & (np.diagonal(x, axis1=-2, axis2=-1) > 0).all(-1)


class independent(Constraint):
    """A constraint of entries as one of vectors or arrays: of its last dimensions all entries must satisfy it.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.distributions import constraints
    >>> constraints.independent(constraints.positive, 1).check(sg.tensor([[1.0, 2.0], [1.0, 0.0]]))
    tensor([ True, False])
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint: Constraint = base_constraint
        self.reinterpreted_batch_ndims: int = reinterpreted_batch_ndims
        self.is_discrete: bool = base_constraint.is_discrete
        self.event_dim: int = base_constraint.event_dim + reinterpreted_batch_ndims
        self.advice: str = base_constraint.advice

    def _holds(self, x: np.ndarray) -> Any:
        found = np.asarray(self.base_constraint._holds(x))
        return found.all(tuple(range(found.ndim - self.reinterpreted_batch_ndims, found.ndim)))

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Dependent(Constraint):
    """What hangs on other parameters, and cannot be looked at alone."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete: bool = False, event_dim: int = 0) -> _Dependent:
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Any) -> Tensor:
        """Raise: there is nothing to look at."""
        raise ValueError("Cannot determine validity of dependent constraint")

    def __repr__(self) -> str:
        return "Dependent()"


class dependent_property(property):
    """A property of a distribution that is a constraint: of a class's own ``support``, which hangs on parameters.

    Examples
    --------
    >>> from symgrad.distributions import constraints
    >>> class Below:
    ...     @constraints.dependent_property(is_discrete=False, event_dim=0)
    ...     def support(self):
    ...         return constraints.less_than(3.0)
    >>> Below().support
    LessThan(upper_bound=3.0)
    """

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        super().__init__(fn)
        self.is_discrete: bool = is_discrete
        self.event_dim: int = event_dim

    def __call__(self, fn: Any) -> dependent_property:
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: Any) -> bool:
    """Return whether a constraint hangs on other parameters.

    Examples
    --------
    >>> from symgrad.distributions import constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, (_Dependent, dependent_property))


dependent: Constraint = _Dependent()
real: Constraint = _Real()
real_vector: Constraint = independent(real, 1)
greater_than: type[_GreaterThan] = _GreaterThan
greater_than_eq: type[_GreaterThanEq] = _GreaterThanEq
less_than: type[_LessThan] = _LessThan
interval: type[_Interval] = _Interval
half_open_interval: type[_HalfOpenInterval] = _HalfOpenInterval
integer_interval: type[_IntegerInterval] = _IntegerInterval
positive: Constraint = _GreaterThan(0.0)
nonnegative: Constraint = _GreaterThanEq(0.0)
unit_interval: Constraint = _Interval(0.0, 1.0)
nonnegative_integer: Constraint = _IntegerGreaterThan(0)
positive_integer: Constraint = _IntegerGreaterThan(1)
boolean: Constraint = _Boolean()
one_hot: Constraint = _OneHot()
simplex: Constraint = _Simplex()
weights: Constraint = _Weights()
square: Constraint = _Square()
symmetric: Constraint = _Symmetric()
positive_semidefinite: Constraint = _PositiveSemidefinite()
positive_definite: Constraint = _PositiveDefinite()
lower_triangular: Constraint = _LowerTriangular()
lower_cholesky: Constraint = _LowerCholesky()

_settle(__name__, globals(), __all__)

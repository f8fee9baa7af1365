"""A negative log-likelihood and its derivatives, as functions of one flat vector of the parameters.

The idea to hold: SciPy knows vectors, and people know containers with names. This is the one place where one becomes
the other; the derivatives are those of `sg.value_and_grad`, `sg.hessian` and `sg.jacobian`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import SymgradError
from ..autograd import no_grad
from ..core import Carrier, Symbol, Tensor, content, is_table, without_numbers, wrap
from ..transforms._arguments import Arguments
from ..transforms._derivative import Derivative
from ..transforms._hessian import Hessian
from ..transforms._labelled import labelled
from ..transforms._operator import HessianOperator
from ..transforms._run import variable
from ..transforms._tables import note_tables, without_tables
from ..transforms._tracing import require_callable
from ..transforms._tree import flatten_values, pieces, require_numbers, unflatten
from ..transforms._variables import all_plain, refuse_captured
from ._called_with import noted

OBJECTIVES = {"nll": 1.0, "loglik": -1.0}
UNBOUNDED = 1e30
"""No log-likelihood is so large: it has no maximum."""


class FitError(SymgradError, ValueError):
    """A function cannot be fitted, or its fit does not say what it is asked."""


def choice(what: str, given: Any, known: Any, instead: dict[str, str] | None = None) -> Any:
    """One of the words of an option, or an error that lists them, and says which is that of another package."""
    if not isinstance(given, str) or given not in known:
        evidence = (instead or {}).get(str(given).lower(), "")
        raise FitError(f"{what} is {given!r}", evidence, f"Choose one of {', '.join(map(repr, known))}.")
    return given


class Likelihood:
    """A function of parameters and data, minus the log-likelihood, with the parameters as one flat vector.

    Attributes
    ----------
    start : the parameters given, flat
    wants : what a minimiser will ask for at a point, together
    labels : a name for each entry of it
    skeleton : a matrix of zeros with the names of the parameters
    observations : how many contributions ``f`` returns; None where it returns their sum
    """

    wants = "fg"

    def __init__(self, what: str, f: Callable[..., Any], params: Any, data: tuple[Any, ...], objective: str) -> None:
        self.what, self.f, self.data = what, require_callable(f, what), without_tables(data)
        self.sign = OBJECTIVES[choice("objective", objective, OBJECTIVES)]
        try:
            self.call = Arguments(f, (params, *data), {}, 0)
        except TypeError as error:
            error.add_note(f"Data of f follow the parameters: {what}(f, params, X, y).")
            raise
        self.call.otherwise = "Give it at least one number to fit."
        leaves, self.spec = self.call.flat()
        require_numbers(what, self.call, leaves)
        self._require_plain(leaves)
        _require_one_order(self.call._given)
        arrays = [variable(leaf)._data for leaf in leaves]
        self.tensors = [isinstance(leaf, Tensor) for leaf in leaves]
        self.plain = all_plain(self.call.given())
        self.shapes = [a.shape for a in arrays]
        self.start = np.concatenate([a.reshape(-1) for a in arrays]).astype(np.float64)
        n = self.start.size
        if not n:
            raise FitError(f"{what} has nothing to fit", "The arrays have no entries.", self.call.otherwise)
        self.skeleton = labelled(self.call, self.spec, self.shapes, np.broadcast_to(0.0, (n, n)))
        self.labels: list[str] = self.skeleton.labels
        twice = sorted({label for label in self.labels if self.labels.count(label) > 1}) if n else []
        if twice:
            raise FitError(
                f"{what}: two parameters are called {twice[0]!r}", "", "Give every entry a label of its own."
            )
        self._last: Any = None
        self._last_scores: Any = None
        self.observations = self._first_run()

    def _require_plain(self, leaves: list[Any]) -> None:
        if any(type(content(leaf)) is Symbol for leaf in leaves):
            raise FitError(f"{self.what} takes numbers to start from", "There is a symbol among the parameters.",
                           "For formulas there are sg.formula, sg.grad and sg.hessian.")  # fmt: skip
        if any(isinstance(leaf, Carrier) for leaf in leaves):
            raise FitError(f"{self.what} is not differentiated through", "It was called inside another transform.",
                           "Call it outside; at its result the gradient is 0.")  # fmt: skip
        if any(np.iscomplexobj(leaf._data if isinstance(leaf, Tensor) else leaf) for leaf in leaves):
            raise FitError(f"{self.what} takes real parameters", "One of them is complex.",
                           "Give real and imaginary parts as parameters of their own.")  # fmt: skip

    # ------------------------------------------------------------------------------------------------- containers

    def params(self, flat: np.ndarray) -> Any:
        """The container that ``f`` takes."""
        parts = [np.array(part)[()] for part in pieces(flat, self.shapes)]
        return unflatten(self.spec, parts if self.plain else [wrap(np.asarray(part)) for part in parts])[0]

    def like_params(self, flat: np.ndarray) -> Any:
        """The same as the caller has it: with the labels of pandas' tables."""
        parts: list[Any] = [np.array(part)[()] for part in pieces(flat, self.shapes)]
        parts = [wrap(np.asarray(p)) if t else p for p, t in zip(parts, self.tensors, strict=True)]
        return self.call.labelled(unflatten(self.spec, parts)[0])

    # ------------------------------------------------------------------------------------------------- derivatives

    @functools.cached_property
    def total(self) -> Callable[..., Any]:
        """The function to minimise: one number."""
        f, sign, several = self.f, self.sign, self.observations is not None
        if sign == 1.0 and not several:
            return f

        @functools.wraps(f)
        def total(*args: Any, **kwargs: Any) -> Any:
            value = f(*args, **kwargs)
            return sign * (value.sum() if several else value)

        return total

    @functools.cached_property
    def _first(self) -> Derivative:
        return Derivative("value_and_grad", self.total, 0)

    @functools.cached_property
    def _second(self) -> Hessian:
        return Hessian(self.total)

    def __getstate__(self) -> dict[str, Any]:
        made = ("total", "_first", "_second")  # anew where it is unpickled
        return {name: value for name, value in vars(self).items() if name not in made}

    def value_and_gradient(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """The value and the gradient, flat; outside the domain of ``f`` the value is infinite, for the minimiser."""
        if self._last is None or not np.array_equal(self._last[0], flat):
            self._last = (flat.copy(), *self._value_and_gradient(flat))
        return self._last[1], self._last[2]

    def _value_and_gradient(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            with no_grad(), np.errstate(all="ignore"):
                value, gradient = self._first(self.params(flat), *self.data)
        except np.linalg.LinAlgError:  # a matrix on the way is singular there, or not positive definite
            return np.inf, np.full(flat.shape, np.nan)
        slope = self._flat(gradient, ())
        if not np.isfinite(slope).all():  # beyond the range of floats, though the value is not: the minimiser goes back
            return np.inf, slope
        return self._judged(value, flat), slope

    def value(self, flat: np.ndarray) -> float:
        """The value alone, for methods without derivatives."""
        try:
            with no_grad(), np.errstate(all="ignore"):
                return self._judged(self.total(self.params(flat), *self.data), flat)
        except np.linalg.LinAlgError:
            return np.inf

    def _judged(self, value: Any, flat: np.ndarray) -> float:
        """A value as the minimiser gets it."""
        number = float(_numbers(value))
        if number < -UNBOUNDED:
            raise FitError(
                f"{self.what}: f has no optimum: it is {self.sign * number:.3g} at {self._shown(flat)}", "",
                'A log-likelihood is fitted with objective="loglik"; else keep f finite with bounds=.',
            )  # fmt: skip
        return np.inf if np.isnan(number) else number

    def hessian(self, flat: np.ndarray) -> np.ndarray:
        """The matrix of second derivatives, of shape (N, N)."""
        with no_grad(), np.errstate(all="ignore"):
            found = self._second(self.params(flat), *self.data)
        matrix = _numbers(getattr(found, "matrix", found))
        return np.asarray(matrix, float).reshape(flat.size, flat.size)

    def curvature(self, flat: np.ndarray) -> np.ndarray:
        """The same for a minimiser, which may ask outside the domain of ``f`` for what it then throws away."""
        if not np.isfinite(self.value_and_gradient(flat)[0]):
            return np.eye(flat.size)
        matrix = self.hessian(flat)
        if not np.isfinite(matrix).all():
            raise FitError(f"{self.what}: the Hessian is not finite at {self._shown(flat)}", "f itself is.",
                           'Take a method that follows gradients: method="BFGS".')  # fmt: skip
        return matrix

    def operator(self, flat: np.ndarray) -> HessianOperator:
        """The same as products with vectors."""
        with no_grad(), np.errstate(all="ignore"):
            return HessianOperator(lambda p: self.total(p, *self.data), self.params(flat))

    def scores(self, flat: np.ndarray) -> np.ndarray:
        """The gradients of the contributions, a row for each observation."""
        if self.observations is None:
            raise FitError(
                "f returns one number, and this needs the contribution of every observation",
                "The outer product of gradients is a sum over observations.",
                "Let f return the vector of contributions: leave its .sum() out.",
            )
        with no_grad(), np.errstate(all="ignore"):
            found = Derivative("jacobian", self.f, 0)(self.params(flat), *self.data)
        return self._flat(found, (self.observations,))

    def factor(self, flat: np.ndarray, clusters: Any) -> np.ndarray:
        """A matrix whose product with itself, FᵀF, is the sum of the gradients' outer products, within clusters."""
        if self._last_scores is None or not np.array_equal(self._last_scores[0], flat):
            self._last_scores = flat.copy(), self.scores(flat)
        return summed(self._last_scores[1], clusters)

    def groups(self, clusters: Any) -> int:
        """How many clusters there are."""
        return len(set(np.asarray(clusters).tolist()))

    def _flat(self, tree: Any, front: tuple[int, ...]) -> np.ndarray:
        parts = [np.asarray(_numbers(leaf), float).reshape((*front, -1)) for leaf in flatten_values(tree)[0]]
        return np.concatenate(parts, -1)

    # ------------------------------------------------------------------------------------------------- the first run

    def _first_run(self) -> int | None:
        """How many contributions ``f`` returns; raises where it cannot be started from."""
        with np.errstate(all="ignore"), noted(f"{self.what} called f", self.call._given):
            found = content(self.call.run((self.params(self.start),)))
        if type(found) is Symbol:
            raise FitError(f"{self.what} takes functions of numbers", "f uses a symbol.", "Give it numbers.")
        refuse_captured(found, self.what)
        numbers = _numbers(found)
        array = np.asarray(numbers) if isinstance(numbers, (np.ndarray, np.generic, complex, float, int)) else None
        if array is None or array.dtype.kind not in "fiu":
            what = f"a {type(found).__name__}" if array is None else f"numbers of dtype {array.dtype}"
            tables = [without_numbers(name, t) for name, t in self.call._given.items() if is_table(t)]
            cause, step = next(filter(None, tables), ("", ""))
            raise FitError(
                f"{self.what} takes a function that returns real numbers", f"f returned {what}. {cause}".rstrip(),
                step or "Return the negative log-likelihood, or the vector of its contributions.",
            )  # fmt: skip
        if array.ndim > 1 or not array.size:
            raise FitError(
                f"{self.what} takes a function that returns one number, or a vector with one per observation",
                f"f returned an array of shape {array.shape}.",
                "Sum over what is not an observation: .sum(axis=1), say."
                + (" A column beside a row broadcasts to a matrix." if array.ndim == 2 else ""),
            )
        if not np.isfinite(array).all():
            raise self._not_finite(array)
        return len(array) if array.ndim else None

    def require_gradient(self) -> None:
        """Raise where ``f`` has no gradient at the start."""
        try:
            gradient = self.value_and_gradient(self.start)[1]
        except Exception as error:  # where NumPy has run f of objects, one by one
            note_tables(error, self.call._given)
            raise
        bad = [label for label, g in zip(self.labels, gradient, strict=True) if not np.isfinite(g)]
        if bad:
            raise FitError(f"{self.what} cannot start here: the gradient is not finite along {listed(bad)}",
                           "f itself is finite.", "Start elsewhere, away from the edge of its domain.")  # fmt: skip

    def _not_finite(self, array: np.ndarray) -> FitError:
        bad = np.flatnonzero(~np.isfinite(array))
        where = f" in observation{'s' * (len(bad) > 1)} {listed(bad.tolist())}" if array.ndim else ""
        missing = []
        for name, value in list(self.call.bound.arguments.items())[1:]:
            data = content(value)
            data = data._data if isinstance(data, Tensor) else data
            if isinstance(data, np.ndarray) and data.dtype.kind == "f" and np.isnan(data).any():
                missing.append(f"{name} is nan at {listed(np.argwhere(np.isnan(data)).tolist())}")
        return FitError(
            f"{self.what} cannot start here: f is {array.reshape(-1)[bad[0]]}{where}",
            "; ".join(missing) + "." if missing else f"The data hold no nan; the start is {self._shown(self.start)}.",
            "Leave these observations out." if missing else "Start where f is finite, and keep it there with bounds=.",
        )  # fmt: skip

    def _shown(self, flat: np.ndarray) -> str:
        return listed([f"{label} = {value:.4g}" for label, value in zip(self.labels, flat, strict=True)])


def summed(scores: np.ndarray, clusters: Any) -> np.ndarray:
    """The gradients, summed within clusters where there are any."""
    if clusters is None:
        if len(scores) < 2:
            raise FitError("f returns one contribution only", "The sum of all gradients is 0 at the minimum.",
                           "Let f return the contribution of every observation.")  # fmt: skip
        return scores
    groups = np.asarray(clusters._data if isinstance(clusters, Tensor) else clusters)
    if groups.shape != scores.shape[:1]:
        what = f"pandas' {type(clusters).__name__}" if is_table(clusters) else f"an array of shape {groups.shape}"
        raise FitError(f"clusters is {what}, {groups.size} in all, and there are {len(scores)} observations", "",
                       "Give one group for each observation.")  # fmt: skip
    if any(g is None or type(g).__name__ == "NAType" or g != g for g in groups.tolist()):
        raise FitError("clusters holds nan or None", "", "Give every observation a group.")
    names, numbers = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        raise FitError("clusters holds one group only", "The sum of all gradients is 0 at the minimum.",
                       "Covariances by clusters need many groups.")  # fmt: skip
    found = np.zeros((len(names), scores.shape[1]))
    np.add.at(found, numbers, scores)
    return found


def _require_one_order(given: dict[str, Any]) -> None:
    """Raise where pandas' tables have the same labels in another order: ``f`` sees arrays, and would mix them up."""
    axes = [
        (f"the {axis} of {name}", getattr(table, axis))
        for name, tree in given.items()
        for table in flatten_values(tree)[0]
        if is_table(table)
        for axis in ("index", "columns")
        if hasattr(table, axis)
    ]
    for (one, labels), (other, others) in itertools.combinations(axes, 2):
        if len(labels) == len(others) and not labels.equals(others) and set(labels) == set(others):
            raise FitError(f"{one} and {other} have the same labels in different orders",
                           f"{listed(list(labels))}; {listed(list(others))}.", "Put one in the order of the other: "
                           ".reindex(…).")  # fmt: skip


def _numbers(value: Any) -> Any:
    return value._data if isinstance(value, Tensor) else value


def listed(words: list[Any], most: int = 6) -> str:
    """The first of some words, and how many more there are."""
    return ", ".join(map(str, words[:most])) + (f" and {len(words) - most} more" if len(words) > most else "")


__all__ = ["FitError", "Likelihood", "choice", "listed", "summed"]

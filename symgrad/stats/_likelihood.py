"""A negative log-likelihood and its derivatives as functions of one flat vector; of rows on a cluster, too."""

from __future__ import annotations

import functools
import inspect
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import starmap
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import _limits
from .._errors import SymgradError, compose, listed, one_of
from ..autograd import detect_anomaly
from ..core import (
    Carrier,
    Symbol,
    Tensor,
    constants_of,
    content,
    is_category,
    is_table,
    params_of,
    shapes_of,
    unwrap,
    without_numbers,
    wrap,
)
from ..distributed._chunks import ChunkError
from ..distributed._jobs import HessianProduct, Parameters, quietly, returned, summed_within
from ..distributed._total import Ready, SumOver, SumSettings, matrix_of
from ..transforms import Derivative, Hessian, labelled
from ..transforms.calls import (
    Arguments,
    Run,
    Spec,
    all_plain,
    as_differentiable,
    cut_to_shapes,
    flatten,
    flatten_values,
    labels_of,
    names_read,
    refuse_captured,
    require_callable,
    require_numbers,
    require_same_of_tables,
    spelled_paths,
    standing_for,
    unflatten,
    without_tables,
)
from ..transforms.hessian_operator import HessianOperator
from ..transforms.matrix import HessianMatrix

# -------------------------------------------------------------------------------------------------------------------
# What the user's function was called with, for the error that it raised: shapes, labels that are lost, and text

# The idea to hold: the error is the user's own and stays so. What symgrad knows of the call is added to it as a note;
# only where the function runs once text is replaced by numbers is text the cause, and the error says that.


_LOOKUPS = (AttributeError, IndexError, KeyError)


@contextmanager
def noted(what: str, given: dict[str, Any]) -> Iterator[None]:
    """Add to an error of the function in the block what it was called with: arguments as the user has them, by name.

    Where it looked up a label in the array that a table has become, NumPy's words for that say nothing of either.
    """
    try:
        yield
    except SymgradError:
        raise
    except Exception as error:
        called = f"{what} with {', '.join(starmap(_described, given.items()))}."
        tables = [_without_labels(name, value) for name, value in given.items() if _has_labels(value)]
        if tables and isinstance(error, IndexError) and "valid indices" in str(error):  # NumPy's, of a text
            what = "an array is indexed by whole numbers, and has no labels"
            raise IndexError(compose(what, called, "\n".join(tables))) from error
        error.add_note("\n".join([called, *(tables if isinstance(error, _LOOKUPS) else [])]))
        raise


def _has_labels(value: Any) -> bool:
    """Whether a value is a table that one reads by names."""
    return is_table(value) and any(isinstance(label, str) for label in getattr(value, "columns", value.index))


def _described(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return f"{name} a dictionary of {', '.join(map(repr, value))}"
    leaves = flatten_values(value)[0]
    if len(leaves) == 1 and leaves[0] is value and hasattr(value, "shape"):
        shape = tuple(value.shape)
        return f"{name} of shape {shape}" if shape else f"{name} a number"
    return f"{name} a {type(value).__name__}"


def _without_labels(name: str, table: Any) -> str:
    """What became of a table: the function sees its values."""
    words = list(getattr(table, "columns", table.index))
    place, what = ("{}[:, {}]", "column") if table.ndim == 2 else ("{}[{}]", "entry")
    places = listed([f"{place.format(name, k)} is the {what} {str(word)!r}" for k, word in enumerate(words)])
    step = "start sg.minimize from a dictionary" if name == "fit.x" else f"pass a dictionary: dict({name})"
    return f"It gets the values of {name}, an array: {places}. For labels {step}."


def data_without_numbers(given: dict[str, Any]) -> dict[str, tuple[Any, tuple[str, str]]]:
    """The tables and arrays in the arguments that hold other things than numbers: by name, with what they hold."""
    found = {}
    for name, tree in given.items():
        leaves = flatten(tree)[0]
        if not any(is_table(leaf) or hasattr(leaf, "dtype") for leaf in leaves):
            continue  # a long list of numbers, say
        for spelled, leaf in zip(spelled_paths(tree, name), leaves, strict=True):
            wrong = without_numbers(spelled, leaf) if is_table(leaf) else _array_without_numbers(spelled, leaf)
            if wrong is not None:
                found[spelled] = leaf, wrong
    return found


def refuse_numbered_categories(found: dict[str, tuple[Any, tuple[str, str]]]) -> None:
    """Raise for categories that are numbers: a function would compute with them, and say nothing."""
    for name, (value, (what, step)) in found.items():
        table = value.ndim == 2 and is_table(value)
        columns = [value.iloc[:, k] for k in range(value.shape[1])] if table else [value]
        if any(is_category(c.dtype) and np.asarray(c).dtype.kind in "fiub" for c in columns):
            step += "" if table else f" Where it numbers groups: {_codes(name, value)}"
            raise FitError(what, "Categories are names, also those that are written as numbers.", step)


def _array_without_numbers(name: str, value: Any) -> tuple[str, str] | None:
    dtype = getattr(value, "dtype", None)
    if not is_category(dtype) and not (isinstance(value, np.ndarray) and value.dtype.kind in "OUST"):
        return None
    what = f"{name} holds other things than numbers: it is of dtype {dtype}."
    try:
        value.astype(float)
    except (TypeError, ValueError):
        return what, f"Leave it out, or code it as numbers: pd.get_dummies({name}, dtype=float)."
    return what, f"Make numbers of it: {name}.astype(float)."


def _codes(name: str, value: Any) -> str:
    """How names become the numbers of groups, in which order, and what those are that are missing."""
    of = f"{name}.astype('category')" if is_table(value) else f"pd.Categorical({name})"
    write = f"{name if is_category(value.dtype) else of}.{'cat.' * hasattr(value, 'iloc')}codes"
    missing = sum(v is None or type(v).__name__ == "NAType" or v != v for v in np.asarray(value, object).tolist())
    left = f"the {missing} that are missing −1: leave these out" if missing else "−1 where one is missing"
    return f"{write}, which numbers the categories in their order, from 0, and {left}."


def _step_after(error: Exception, name: str, value: Any, step: str) -> str:
    """The next step for text of which the function wanted numbers: places in an array, one number each, or columns."""
    if isinstance(error, IndexError):
        return f"Where it numbers groups: {_codes(name, value)}"
    kinds = list(dict.fromkeys(np.asarray(value).tolist())) if np.ndim(value) == 1 else []
    if len(kinds) == 2 and all(isinstance(kind, str) for kind in kinds):
        return f"Make numbers of it: ({name} == {max(kinds)!r}).astype(float)."
    return step


def _numbers_in_place(value: Any) -> np.ndarray:
    """Zeros where a table or an array holds no numbers, and its numbers where it does."""
    if not is_table(value) or value.ndim != 2:
        return np.zeros(np.shape(value), int)
    columns = [value.iloc[:, k] for k in range(value.shape[1])]
    return np.column_stack([np.zeros(len(c)) if without_numbers("", c) else np.asarray(c, float) for c in columns])


def read_from_outside(f: Any) -> dict[str, Any]:
    """What a function of Python's catches, by name: globals that its code reads, and its closure."""
    if not isinstance(f, FunctionType):
        return {}
    caught = {name: f.__globals__[name] for name in names_read(f.__code__).names if name in f.__globals__}
    return caught | {
        name: cell.cell_contents for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    }


def _note_caught_text(error: Exception, f: Any) -> None:
    """Add to an error which tables that the function catches hold other things than numbers."""
    if isinstance(error, (TypeError, ValueError)):
        for name, value in read_from_outside(f).items():
            wrong = without_numbers(name, value) if is_table(value) else None
            if wrong is not None:
                error.add_note(f"f reads {name}. {' '.join(wrong)}")


# ------------------- A negative log-likelihood and its derivatives, as functions of one flat vector of the parameters

# The idea to hold: SciPy knows vectors, and people know containers with names. This is the one place where one becomes
# the other; the derivatives are those of `sg.value_and_grad`, `sg.hessian` and `sg.jacobian`.


OBJECTIVES = {"nll": 1.0, "loglik": -1.0}
UNBOUNDED = 1e30
"""No log-likelihood is so large: it has no maximum."""


class FitError(SymgradError, ValueError):
    """A function cannot be fitted, or its fit does not say what it is asked."""


def choice(what: str, given: Any, known: Any, instead: dict[str, str] | None = None) -> Any:
    """One of the words of an option, or an error that lists them, and says which is that of another package."""
    return one_of(FitError, what, given, known, (instead or {}).get(str(given).lower(), ""))


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

    what: str
    f: Callable[..., Any]
    data: Any
    spec: Spec

    def __init__(self, what: str, f: Callable[..., Any], params: Any, data: tuple[Any, ...], objective: str) -> None:
        self.what, self.f, self.data = what, require_callable(f, what), without_tables(data)
        self.sign: float = OBJECTIVES[choice("objective", objective, OBJECTIVES)]
        try:
            self.call: Arguments = Arguments(f, (params, *data), {}, 0)
        except TypeError as error:
            error.add_note(f"Data of f follow the parameters: {what}(f, params, X, y).")
            raise
        self.call.otherwise = "Give it at least one number to fit."
        self._foreign = data_without_numbers(self.call._given)
        refuse_numbered_categories(self._foreign)
        leaves, self.spec = self.call.flat()
        require_numbers(what, self.call, leaves)
        self._require_plain(leaves)
        arrays = [as_differentiable(leaf)._data for leaf in leaves]
        self.tensors: list[bool] = [isinstance(leaf, Tensor) for leaf in leaves]
        self.plain: bool = all_plain(self.call.given())
        self._tables: list[Any] = self.call.tables()
        self.shapes: list[tuple[int, ...]] = [a.shape for a in arrays]
        self.start: np.ndarray = np.concatenate(arrays, None).astype(np.float64)
        n = self.start.size
        if not n:
            raise FitError(f"{what} has nothing to fit", "The arrays have no entries.", self.call.otherwise)
        self.skeleton: Any = labelled(self.call, self.spec, self.shapes, np.broadcast_to(0.0, (n, n)))
        self.labels: list[str] = self._labels()
        self.skeleton.labels = self.labels
        twice = sorted(label for label, times in Counter(self.labels).items() if times > 1)
        if twice:
            raise FitError(f"{what}: two parameters are called {twice[0]!r}", "",
                           "Give every entry a label of its own.")  # fmt: skip
        self._last: Any = None
        self._last_scores: Any = None
        self._last_leverages: dict[str, Any] = {}
        self.observations: int | None = self._first_run()
        self._refuse_codes_of_missing()

    def _require_plain(self, leaves: list[Any]) -> None:
        if any(type(content(leaf)) is Symbol for leaf in leaves):
            raise FitError(f"{self.what} takes numbers to start from", "There is a symbol among the parameters.",
                           "For formulas there are sg.formula, sg.grad and sg.hessian.")  # fmt: skip
        if any(isinstance(leaf, Carrier) for leaf in leaves):
            raise FitError(f"{self.what} is not differentiated through", "It was called inside another transform.",
                           "Call it outside; at its result the gradient is 0.")  # fmt: skip
        if any(np.iscomplexobj(unwrap(leaf)) for leaf in leaves):
            raise FitError(f"{self.what} takes real parameters", "One of them is complex.",
                           "Give real and imaginary parts as parameters of their own.")  # fmt: skip

    def _blame_text(self, error: Exception, run: Callable[[tuple[Any, ...]], Any]) -> None:
        """Raise an error that names the text in the data, if ``run`` succeeds with numbers in place of it."""
        if not self._foreign:
            return
        numbers = {id(value): _numbers_in_place(value) for value, _ in self._foreign.values()}
        given = {}
        for name, tree in self.call._given.items():
            leaves, spec = flatten(tree)
            given[name] = unflatten(spec, [numbers.get(id(leaf), leaf) for leaf in leaves])
        try:
            with np.errstate(all="ignore"):
                run(inspect.BoundArguments(self.call.bound.signature, OrderedDict(without_tables(given))).args[1:])
        except Exception:  # something else is wrong, alone or as well
            return
        name, (value, (what, step)) = next(iter(self._foreign.items()))
        evidence = f"f raised {type(error).__name__} on it: {error}"
        raise FitError(what, evidence, _step_after(error, name, value, step)) from error

    def _refuse_codes_of_missing(self) -> None:
        """Raise where groups are numbered −1 as well as by the last number, and an index reads both as the last one.

        Codes of categories are −1 where one is missing. Where −1 stands alone for the last entry it is Python's way to
        count from the end, and a function that looks for it computes something else of it.
        """
        leaves, spec = flatten(self.data)
        names = [path for name, tree in [*self.call._given.items()][1:] for path in spelled_paths(tree, name)]
        for k, (name, codes) in enumerate(zip(names, leaves, strict=False)):
            plain = isinstance(codes, np.ndarray) and codes.dtype.kind == "i" and codes.ndim == 1 and codes.size
            plain = plain and codes.min() == -1 < 0 < codes.max()
            if not plain or np.unique(codes, return_counts=True)[1][1:].max() < 2:  # which may be as large as numbers
                continue
            last, missing = int(codes.max()), np.flatnonzero(codes == -1)
            others = [[*leaves[:k], np.where(codes == -1, code, codes), *leaves[k + 1 :]] for code in (-1, last, 0)]
            try:
                as_given, as_last, as_first = [self._anywhere(unflatten(spec, data)) for data in others]
            except Exception:  # whatever a function does with other groups: it says nothing
                continue
            if np.array_equal(as_given, as_last) and not np.array_equal(as_given, as_first):
                raise FitError(
                    f"{name} numbers groups −1 and {last}, which f reads as one: the last",
                    f"Codes of categories are −1 where one is missing, as in {listed(missing.tolist())}, and an index "
                    "of −1 is the last.", f"Leave these observations out; where the last is meant, write {last}.",
                )  # fmt: skip

    def _anywhere(self, data: Any) -> np.ndarray:
        """The function of these data near the start."""
        with quietly():
            return np.asarray(unwrap(self.f(self._near_start(), *data)))

    def _near_start(self) -> Any:
        """A point near the start at which no two parameters are equal."""
        apart = np.random.default_rng(0).random(self.start.size)
        return self.params(self.start * (1 + 0.01 * apart) + 0.01 * apart)

    def _compare_with_tables(self, found: Any) -> None:
        """Raise where the function has another value of tables, at the start or near it: derivatives look as well, and
        not every method asks for them."""
        again = self.call.as_called()
        if again is not None:
            called, tables = again
            near = self._near_start()
            require_same_of_tables(functools.partial(called, (self.params(self.start),)), found, flatten(tables)[0])
            try:
                found = self._anywhere(self.data)
            except Exception:  # it need not be defined there
                return
            require_same_of_tables(functools.partial(called, (near,)), found, flatten(tables)[0])

    # ------------------------------------------------------------------------------------------------- containers

    def _labels(self) -> list[str]:
        """A name for each number; entries of tables beside others are called by the part: ``count: const``."""
        labels, tables, starts = list(self.skeleton.labels), self.call.tables(), self.skeleton._starts
        if len(tables) > 1:
            for k, (table, path) in enumerate(zip(tables, self.skeleton.names, strict=True)):
                if table is not None and hasattr(table, "index"):
                    part = ".".join(map(str, path))
                    labels[starts[k] : starts[k + 1]] = [f"{part}: {label}" for label in labels_of(table, "") or ()]
        return labels

    def params(self, flat: np.ndarray) -> Any:
        """The container that ``f`` takes."""
        parts = [
            np.array(part)[()] if table is None else standing_for(table, np.array(part))
            for part, table in zip(cut_to_shapes(flat, self.shapes), self._tables, strict=True)
        ]
        return unflatten(self.spec, parts if self.plain else [wrap(np.asarray(part)) for part in parts])[0]

    def like_params(self, flat: np.ndarray) -> Any:
        """The same as the caller has it: with the labels of pandas' tables."""
        parts: list[Any] = [np.array(part)[()] for part in cut_to_shapes(flat, self.shapes)]
        parts = [wrap(np.asarray(p)) if t else p for p, t in zip(parts, self.tensors, strict=True)]
        return self.call.labelled(unflatten(self.spec, parts)[0])

    def matrix(self, values: np.ndarray, word: str) -> HessianMatrix:
        """A matrix with the names of the parameters, which errors call by a word."""
        whole = self.skeleton
        found = HessianMatrix(values, whole.spec, whole.shapes, whole.names, whole.several)
        found.labels, found._word = list(self.labels), word
        return found

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
        """They are the function's own at every call: a program of it would have numbers where the function overflows or
        raises on the way, and what is a minimum would depend on when there is one."""
        try:
            with quietly():
                value, gradient = self._first.by_recording((self.params(flat), *self.data), {})
        except np.linalg.LinAlgError:  # a matrix on the way is singular there, or not positive definite
            return np.inf, np.full(flat.shape, np.nan)
        slope = self._flat(gradient, ())
        if not np.isfinite(slope).all():  # beyond the range of floats, though the value is not: the minimiser goes back
            return np.inf, slope
        return self._judged(value, flat), slope

    def value(self, flat: np.ndarray) -> float:
        """The value alone, for methods without derivatives."""
        try:
            with quietly():
                return self._judged(self.total(self.params(flat), *self.data), flat)
        except np.linalg.LinAlgError:
            return np.inf

    def _judged(self, value: Any, flat: np.ndarray) -> float:
        """A value as the minimiser gets it."""
        number = float(unwrap(value))
        if number < -UNBOUNDED:
            raise FitError(
                f"{self.what}: f has no optimum: it is {self.sign * number:.3g} at {self._shown(flat)}", "",
                'A log-likelihood is fitted with objective="loglik"; else keep f finite with bounds=.',
            )  # fmt: skip
        return np.inf if np.isnan(number) else number

    def hessian(self, flat: np.ndarray) -> np.ndarray:
        """The matrix of second derivatives, of shape (N, N)."""
        with quietly():
            found = self._second(self.params(flat), *self.data)
        return matrix_of(found, flat.size)

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
        with quietly():
            return HessianOperator(lambda p: self.total(p, *self.data), self.params(flat))

    def scores(self, flat: np.ndarray) -> np.ndarray:
        """The gradients of the contributions, a row for each observation."""
        count = self._contributions()
        with quietly():
            found = Derivative("jacobian", self.f, 0)(self.params(flat), *self.data)
        return self._flat(found, (count,))

    def _contributions(self) -> int:
        """How many contributions there are; an error where ``f`` returns their sum."""
        if self.observations is None:
            raise FitError(
                "f returns one number, and this needs the contribution of every observation",
                "The outer product of gradients is a sum over observations.",
                "Let f return the vector of contributions: leave its .sum() out.",
            )
        return self.observations

    def factor(self, flat: np.ndarray, clusters: Any) -> np.ndarray:
        """A matrix whose product with itself, FᵀF, is the sum of the gradients' outer products, within clusters."""
        if self._last_scores is None or not np.array_equal(self._last_scores[0], flat):
            self._last_scores = flat.copy(), self.scores(flat)
        return summed(self._last_scores[1], clusters)

    def groups(self, clusters: Any) -> int:
        """How many clusters there are."""
        return len(set(np.asarray(clusters).tolist()))

    def _flat(self, tree: Any, front: tuple[int, ...]) -> np.ndarray:
        parts = [np.asarray(unwrap(leaf), float).reshape((*front, -1)) for leaf in flatten_values(tree)[0]]
        return np.concatenate(parts, -1)

    # ------------------------------------------------------------------------------------------------- the first run

    def _first_run(self) -> int | None:
        """How many contributions ``f`` returns; raises where it cannot be started from."""
        start = self.params(self.start)
        with np.errstate(all="ignore"), noted(f"{self.what} called f", self.call._given):
            try:
                found = content(self.call.run((start,)))
            except Exception as error:
                self._blame_text(error, lambda data: self.f(start, *data))
                _note_caught_text(error, self.f)
                raise
        if type(found) is Symbol:
            raise FitError(f"{self.what} takes functions of numbers", "f uses a symbol.", "Give it numbers.")
        refuse_captured(found, self.what)
        numbers = unwrap(found)
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
        self._compare_with_tables(found)
        return len(array) if array.ndim else None

    def require_gradient(self) -> None:
        """Raise where ``f`` has no gradient at the start."""
        try:
            gradient = self.value_and_gradient(self.start)[1]
        except Exception as error:  # where NumPy has run f of objects, one by one
            self._blame_text(error, lambda data: self._first(self.params(self.start), *data))
            raise
        bad = [label for label, g in zip(self.labels, gradient, strict=True) if not np.isfinite(g)]
        if bad:
            raise FitError(
                f"{self.what} cannot start here: the gradient is not finite along {listed(bad)}",
                *self._why_no_gradient(),
            )

    def _why_no_gradient(self) -> tuple[str, str]:
        """Which operation of a finite function has made its gradient not finite at the start, and what to write."""
        from ..inspect import AnomalyError

        try:
            with detect_anomaly(inf=True), np.errstate(all="ignore"):
                Derivative("value_and_grad", self.total, 0)(self.params(self.start), *self.data)
        except AnomalyError as error:
            line = f", {error.where}:\n    {error.line}" if error.line else ""
            evidence = f"f itself is finite. To blame is {error.operation}{line}\nCause: {error.cause}."
            return evidence, error.rewrite
        except Exception:  # it cannot be looked at: the gradient was of another way
            pass
        return "f itself is finite.", "Start elsewhere, away from the edge of its domain."

    def _not_finite(self, array: np.ndarray) -> FitError:
        bad = np.flatnonzero(~np.isfinite(array))
        where = f" in observation{'s' * (len(bad) > 1)} {listed(bad.tolist())}" if array.ndim else ""
        missing = []
        for name, value in list(self.call.bound.arguments.items())[1:]:
            data = unwrap(content(value))
            if isinstance(data, np.ndarray) and data.dtype.kind == "f" and not np.isfinite(data).all():
                odd = np.isnan(data) if np.isnan(data).any() else np.isinf(data)
                missing.append(f"{name} is {data[odd][0]} at {listed(np.argwhere(odd).tolist())}")
        return FitError(
            f"{self.what} cannot start here: f is {array.reshape(-1)[bad[0]]}{where}",
            "; ".join(missing) + "." if missing else f"The data are finite; the start is {self._shown(self.start)}.",
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
    groups = np.asarray(unwrap(clusters))
    if groups.shape != scores.shape[:1]:
        what = f"pandas' {type(clusters).__name__}" if is_table(clusters) else f"an array of shape {groups.shape}"
        raise FitError(f"clusters is {what}, {groups.size} in all, and there are {len(scores)} observations", "",
                       "Give one group for each observation.")  # fmt: skip
    if any(g is None or type(g).__name__ == "NAType" or g != g for g in groups.tolist()):
        raise FitError("clusters holds nan or None", "", "Give every observation a group.")
    names, found = summed_within(groups, scores)
    if len(names) < 2:
        raise FitError("clusters holds one group only", "The sum of all gradients is 0 at the minimum.",
                       "Covariances by clusters need many groups.")  # fmt: skip
    return found


# -------------------------------------------------------------------------------------------------------------------
# A likelihood whose data lie in chunks, on a cluster: the same to a minimiser and to a fit as one of this machine

# The idea to hold: it is asked for the same vectors and matrices as a `Likelihood`, and makes each by one pass over the
# data. What a method asks for at one point (value, gradient, matrix) is one pass too.


class _SymmetricOperator(LinearOperator):
    """A matrix that is known by its products, as SciPy's minimisers multiply with it."""

    __array_function__ = HessianOperator.__array_function__

    def __init__(self, times: Callable[[np.ndarray], np.ndarray], n: int) -> None:
        super().__init__(np.dtype(np.float64), (n, n))
        self._times = times

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self._times(x)

    def _adjoint(self) -> _SymmetricOperator:
        return self


class LikelihoodOfRows(Likelihood):
    """Minus the log-likelihood of all rows.

    Attributes
    ----------
    wants : what a pass computes at a point that is new: 'fg', or 'fgh' for methods that ask for the matrix too
    """

    def __init__(
        self, what: str, f: Callable[..., Any], params: Any, data: tuple[Any, ...], objective: str, columns: Any = None,
        client: Any = None, progress: Any = None,
    ) -> None:  # fmt: skip
        sign = OBJECTIVES[choice("objective", objective, OBJECTIVES)]
        self.sums = SumOver(f, SumSettings(False, None, "rows", True, columns, "numpy", client, progress))
        self.sums._sign = sign
        self.all_data = data
        self._passed: Any = None
        first = self.sums._ready("fit", params, data, None)
        self._seen = first
        cut = first.sample.chunks[0].between(0, first.sample.chunks[0].rows)
        super().__init__(what, f, params, tuple(first.located.arguments(cut)), objective)
        self._first_pass()
        self.observations = self._seen.observations if first.rows.vector else None

    def _first_pass(self) -> None:
        """Look whether the search can start, by a pass whose results it asks for next."""
        if self.start.size <= _limits.FITTED_DENSE:
            found = self._pass(self.start, "fgh")
            if np.isfinite(found[0]) and np.isfinite(found[1]).all():
                self._passed = self.start.copy(), found[2]
                self._last = self.start.copy(), self._judged(found[0], self.start), found[1]
                return
        value = self._pass(self.start, "f", strict=True)[0]
        if not np.isfinite(value):
            raise FitError(f"{self.what} cannot start here: f is {float(value)}", "", "Start where f is finite.")

    def _ready(self, flat: np.ndarray) -> Ready:
        """A pass at these parameters, with what was looked at before."""
        seen = self._seen
        at = Parameters(self.what, self.f, self.params(flat), seen.at.call.given()[1:])
        return Ready(seen.title, at, seen.located, seen.sample, seen.rows)

    def _pass(self, flat: np.ndarray, outputs: str, strict: bool = False) -> list[np.ndarray]:
        """The sums; infinite values and no slope outside of the domain of ``f``."""
        ready = self._ready(flat)
        try:
            found = self.sums._sums(ready, outputs, strict)
        except ChunkError as error:
            raise FitError(f"{self.what} cannot start here", str(error), "Leave out what is missing.") from error
        self._seen.observations = ready.observations
        n = flat.size
        nothing = {"f": np.asarray(np.inf), "g": np.full(n, np.nan), "h": np.full((n, n), np.nan)}
        return found or [nothing[letter] for letter in outputs]

    def _value_and_gradient(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        found = self._pass(flat, self.wants)
        self._passed = (flat.copy(), found[2]) if len(found) > 2 else self._passed
        if not np.isfinite(found[1]).all():
            return np.inf, found[1]
        return self._judged(found[0], flat), found[1]

    def value(self, flat: np.ndarray) -> float:
        """The value alone."""
        return self._judged(self._pass(flat, "f")[0], flat)

    def hessian(self, flat: np.ndarray) -> np.ndarray:
        """The matrix of second derivatives, of shape (N, N)."""
        if self._passed is None or not np.array_equal(self._passed[0], flat):
            self._passed = flat.copy(), self._pass(flat, "h")[0]
        return self._passed[1]

    def operator(self, flat: np.ndarray) -> Any:
        """The same as products with vectors, a pass for each."""
        ready = self._ready(flat)

        def times(v: np.ndarray) -> np.ndarray:
            vector = ready.at.vector("hvp", self.params(np.asarray(v).reshape(-1)))
            return self.sums._run(ready, HessianProduct(ready.rows), (ready.at.value, vector)).sums[0]

        return _SymmetricOperator(times, flat.size)

    def scores(self, flat: np.ndarray) -> np.ndarray:
        raise FitError("the gradients of all rows are not fetched", "There are as many as rows.",
                       "sg.distributed.sum_over(f).scores(…) leaves them where they are.")  # fmt: skip

    def factor(self, flat: np.ndarray, clusters: Any) -> np.ndarray:
        """A square matrix whose product with itself is the sum of the gradients' outer products."""
        self._contributions()
        ready = self._ready(flat)
        if clusters is not None:
            try:
                ready = self.sums._ready("clusters", self.params(flat), self.all_data, None, clusters)
            except SymgradError as error:
                raise FitError("clusters do not fit the data", str(error), "Cut them as the data are.") from error
        weights, vectors = np.linalg.eigh(self.sums._outer(ready))
        return np.sqrt(np.maximum(weights, 0.0))[:, None] * vectors.T

    def groups(self, clusters: Any) -> int:
        """How many clusters the last factor was of."""
        return self.sums._groups


# -------------------------------------------------------------------------------------------------------------------
# Whether a likelihood averages over the rows of its data: then its standard errors are those of one observation

# The idea to hold: rows are repeated. A sum grows with them, a penalty beside it or not; an average is the same, and a
# sum that is divided by another power of the count grows as what is left. Of rows that the function catches, or cannot
# repeat, the record says how it ends: in a mean, or in a sum that is divided by its length or the root of that. Nothing
# is said where neither shows it.


_COPIES, _SAME, _LITTLE = (2, 4), 1e-11, 1e-6
_ROOT = 0.5
"""The one power of the count, besides the count, by which a sum that ends a record is seen to be divided."""
_NOT_THE_USERS = ("numpy", "scipy", "pandas", "symgrad")
_POINTS = (1.0, 0.9, 1.2)
"""Parts of the estimates at which an average is the same of repeated rows: a sum may be 0 at one."""


class RowDivision(NamedTuple):
    """By which power of their count a function divides the sum over its rows: 1 is an average."""

    rows: int
    power: float


@np.errstate(all="ignore")  # with other rows a function may take the log of 0, and be 0 itself
def averaged_rows(model: Likelihood, flat: np.ndarray) -> RowDivision | None:
    """What the function divides the sum over its rows by; None where it does not, or that cannot be seen."""
    if type(model) is not Likelihood:  # of chunks it has been looked at
        return None
    leaves, spec = flatten(model.data)
    lengths = Counter([len(a) for a in leaves if isinstance(a, np.ndarray) and a.ndim and len(a) > 1])
    found = [(n, power) for n in lengths if (power := _power(model, flat, leaves, spec, n)) is not None]
    return RowDivision(*found[0]) if len(found) == len(lengths) == 1 else _rows_at_the_end(model, flat)


def _rows_at_the_end(model: Likelihood, flat: np.ndarray) -> RowDivision | None:
    """Of how many terms the function returns the mean, beside sums of no more terms than there are parameters; or the
    sum by the root of their count, where that is no whole number, which could be another one."""
    try:
        run = Run("value_and_grad", Arguments(model.f, (model.params(flat), *model.data), {}, 0))
    except Exception:  # it returns contributions, say
        return None
    found, pending = set(), [(run.output._node, 1.0)]
    while pending:
        node, factor = pending.pop()
        name = getattr(getattr(node, "op", None), "name", None)
        if name in ("mean", "sum"):
            shape = shapes_of(node)[0]
            weight = abs(factor) * (1 if name == "mean" else math.prod(shape))
            if math.prod(shape) > flat.size:
                found.add(_divided(shape[0], weight) if len(shape) == 1 else None)
        elif name in ("add", "sub"):
            pending += [(p, factor) for p in node.parents if p is not None]
        elif name in ("neg", "mul", "div") and len(above := [p for p in node.parents if p is not None]) == 1:
            number = next((c for c in constants_of(node) if c is not None), 1.0)
            if np.ndim(number) or (name == "div" and node.parents[0] is None):
                return None
            pending.append((above[0], factor / number if name == "div" else factor * number))
        else:
            return None
    return found.pop() if len(found) == 1 else None


@np.errstate(all="ignore")
def returns_squares(model: Likelihood, flat: np.ndarray) -> bool:
    """Whether the function returns squares, or their sum, and nothing else: none of it says how large they are."""
    if type(model) is not Likelihood:
        return False
    try:
        node = Run("jacobian", Arguments(model.f, (model.params(flat), *model.data), {}, 0)).output._node
    except Exception:  # what cannot be looked at says nothing
        return False
    name = getattr(getattr(node, "op", None), "name", None)
    if name == "sum":
        node = node.parents[0]
        name = getattr(getattr(node, "op", None), "name", None)
    power = name == "square" or (name == "pow_scalar" and params_of(node) == (2,))
    return power or (name in ("mul", "dot") and node.parents[0] is node.parents[1])


SUM_OF_SQUARES = (
    "f is a sum of squares r², a likelihood of variance 1/2: for another s² return r²/(2s²) + log(s), or take "
    "symgrad.scipy.optimize.curve_fit"
)

_WEIGHTS = (0.5, 1.0, 2.0)
"""What the mean of terms is multiplied with in a likelihood, a sum of squares, a deviance."""


def _divided(rows: int, weight: float) -> RowDivision | None:
    """What a sum over rows is divided by, if its mean has this weight."""
    powers = (1.0, _ROOT) if math.isqrt(rows) ** 2 != rows else (1.0,)
    fitting = [p for p in powers if any(math.isclose(weight, w * rows ** (1 - p)) for w in _WEIGHTS)]
    return RowDivision(rows, fitting[0]) if fitting else None


def _power(model: Likelihood, flat: np.ndarray, leaves: list[Any], spec: Any, n: int) -> float | None:
    few = np.unique(np.linspace(0, n - 1, min(n, _limits.DISTRIBUTED_SAMPLE)).astype(int))
    half = (len(few) + 1) // 2
    parts = [few, *(np.tile(few, k) for k in _COPIES), few[:half], few[half:]]

    def at(rows: np.ndarray, theta: Any) -> float:
        cut = [isinstance(a, np.ndarray) and a.ndim > 0 and len(a) == n for a in leaves]
        given = [a[rows] if c else _count(a, n, len(rows)) for a, c in zip(leaves, cut, strict=True)]
        return float(returned(_with_count(model.f, n, len(rows)), theta, list(unflatten(spec, given))).sum())

    grown, varied, powers = [], [], []
    for part in _POINTS:
        theta = model.params(flat * part)
        try:
            values = np.array([at(rows, theta) for rows in parts])
        except Exception:  # whatever a function does with other rows: it says nothing
            return None
        if np.isfinite(values).all():
            size = max(abs(values[0]), np.finfo(float).tiny)
            grown.append(np.abs(values[1:3] - values[0]).max() / size)
            varied.append(abs(values[3] - values[0]) / size)
            powers.append(_left_of_a_sum(values, np.array([len(rows) for rows in parts])))
    if len(grown) < 2:
        return None
    if max(grown) <= _SAME:
        return 1.0 if max(grown) < _LITTLE * max(varied) else None
    power = powers[0]
    if power is None or any(p is None or abs(p - power) > _LITTLE for p in powers) or power < _LITTLE:
        return None
    return round(power, 6)


def _left_of_a_sum(values: np.ndarray, counts: np.ndarray) -> float | None:
    """The power of the count of rows that values on several rows were divided by, if that leaves a sum over these; of
    rows, their copies, and both halves of them."""
    if not (values[0] and (values[1:3] / values[0] > 0).all()):
        return None
    power = 1 - math.log2(values[1] / values[0])
    whole, _, fourfold, *halves = values * counts**power
    if abs(fourfold - 4 * whole) > _LITTLE**1.5 * abs(whole):
        return None
    return power if abs(sum(halves) - whole) <= _LITTLE**1.5 * np.abs([whole, *halves]).max() else None


def _count(value: Any, n: int, count: int) -> Any:
    """A number that is the count of rows, as that of others."""
    is_count = isinstance(value, int | float | np.number) and not isinstance(value, bool) and value == n
    return type(value)(count) if is_count else value


def _with_count(f: Any, n: int, count: int, depth: int = 3) -> Any:
    """The function, with another count of rows where it, or one that it calls, catches that; an error where they catch
    arrays."""
    if not isinstance(f, FunctionType) or (f.__module__ or "").partition(".")[0] in _NOT_THE_USERS:
        return f
    caught = read_from_outside(f)
    if not depth or any(_holds_rows(v) for v in (*caught.values(), *(f.__defaults__ or ()))):
        raise ValueError("what rows it has besides is not known")

    def other(value: Any) -> Any:
        return _with_count(value, n, count, depth - 1) if isinstance(value, FunctionType) else _count(value, n, count)

    free = f.__code__.co_freevars
    space = {**f.__globals__, **{name: other(v) for name, v in caught.items() if name not in free}}
    cells = tuple([CellType(other(caught[name])) for name in free])
    made = FunctionType(f.__code__, space, f.__name__, f.__defaults__, cells)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _holds_rows(value: Any) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray | Tensor) or is_table(value)

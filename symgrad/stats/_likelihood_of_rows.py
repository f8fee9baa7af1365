"""A likelihood whose data lie in chunks, on a cluster: the same to a minimiser and to a fit as one of this machine.

The idea to hold: it is asked for the same vectors and matrices as a `Likelihood`, and makes each by one pass over the
data. What a method asks for at one point (value, gradient, matrix) is one pass too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import _limits
from .._errors import SymgradError
from ..distributed._cluster_errors import ChunkError
from ..distributed._flat_parameters import Parameters
from ..distributed._jobs import Product
from ..distributed._total import Ready, Settings, SumOver
from ..transforms._operator import HessianOperator
from ._likelihood import OBJECTIVES, FitError, Likelihood, choice


class _Products(LinearOperator):
    """A matrix that is known by its products, as SciPy's minimisers multiply with it."""

    __array_function__ = HessianOperator.__array_function__

    def __init__(self, times: Callable[[np.ndarray], np.ndarray], n: int) -> None:
        super().__init__(np.dtype(np.float64), (n, n))
        self._times = times

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self._times(x)

    def _adjoint(self) -> _Products:
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
        self.sums = SumOver(f, Settings(False, None, "rows", True, columns, "numpy", client, progress))
        self.sums._sign = sign
        self.all_data, self.wants = data, "fg"
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
        matrix: np.ndarray = self._passed[1]
        return matrix

    def operator(self, flat: np.ndarray) -> Any:
        """The same as products with vectors, a pass for each."""
        ready = self._ready(flat)

        def times(v: np.ndarray) -> np.ndarray:
            vector = ready.at.vector("hvp", self.params(np.asarray(v).reshape(-1)))
            return self.sums._run(ready, Product(ready.rows), (ready.at.value, vector)).sums[0]

        return _Products(times, flat.size)

    def scores(self, flat: np.ndarray) -> np.ndarray:
        raise FitError("the gradients of all rows are not fetched", "There are as many as rows.",
                       "sg.distributed.sum_over(f).scores(…) leaves them where they are.")  # fmt: skip

    def factor(self, flat: np.ndarray, clusters: Any) -> np.ndarray:
        """A square matrix whose product with itself is the sum of the gradients' outer products."""
        if self.observations is None:
            raise FitError(
                "f returns one number, and this needs the contribution of every observation",
                "The outer product of gradients is a sum over observations.",
                "Let f return the vector of contributions: leave its .sum() out.",
            )
        ready = self._ready(flat)
        if clusters is not None:
            try:
                ready = self.sums._ready("clusters", self.params(flat), self.all_data, None, clusters)
            except SymgradError as error:
                raise FitError("clusters do not fit the data", str(error), "Cut them as the data are.") from error
        found = self.sums._outer(ready)
        self._clusters = self.sums._groups
        weights, vectors = np.linalg.eigh(found)
        return np.sqrt(np.maximum(weights, 0.0))[:, None] * vectors.T

    def groups(self, clusters: Any) -> int:
        """How many clusters the last factor was of."""
        return int(self._clusters)


__all__ = ["LikelihoodOfRows"]

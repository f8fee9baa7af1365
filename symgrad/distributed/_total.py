"""``sg.distributed.sum_over``: a function that is a sum over rows, its derivatives, and what statistics makes of them.

The idea to hold: each result is one pass over the data. A program is made here, runs where the rows are, and sums come
back; what is not a sum over rows (a penalty, a mean's denominator) is done here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._errors import listed, one_of
from ..core import unwrap
from ..transforms import Derivative, Hessian
from ..transforms.calls import require_callable, require_memory
from ..transforms.compiled import targets
from ..transforms.products import hvp
from ._chunks import ChunkError, Chunks, DistributedError, matching, require_dask
from ._jobs import GaussNewton, HessianProduct, Job, Parameters, RowFunction, Scores, flat
from ._orders import Located, Sample, is_vector, order_of, pickled, require_sum, sample_of, score_rows
from ._workers import Order, Partial, has_nan, total


class SumSettings(NamedTuple):
    """What `sum_over` was given beside the function."""

    mean: bool
    regulariser: Any
    over: str
    check: bool
    columns: Any
    target: str
    client: Any
    progress: Any


class SumOver:
    """A function that is summed over the rows of its data, chunk by chunk: what `sum_over` returns.

    Every method takes the parameters, then the data. ``weights`` multiply the contributions of the rows.

    Attributes
    ----------
    function : as it was given

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> nll = sg.distributed.sum_over(lambda rate, y: rate - y * np.log(rate))
    >>> y = [np.array([2.0, 3.0]), np.array([4.0])]
    >>> print(nll.hessian(3.0, y), nll.covariance(3.0, y).matrix)
    1.0 [[1.]]
    """

    function: Callable[..., Any]

    def __init__(self, f: Callable[..., Any], settings: SumSettings) -> None:
        self.function, self._settings = require_callable(f, "sg.distributed.sum_over"), settings
        self._sign, self._groups = 1.0, 0
        self.__name__: str = getattr(f, "__name__", type(f).__name__)
        self._last: tuple[list[Any], Located] | None = None

    def __repr__(self) -> str:
        return f"sum_over({self.__name__})"

    # -------------------------------------------------------------------------------------------------- derivatives

    def __call__(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the value; the same as `value`."""
        return self.value(theta, *data, weights=weights)

    def value(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the sum over all rows, one number."""
        return self._several("value", "f", theta, data, weights)[1][0][()]

    def value_and_grad(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the sum and its gradient, which has the structure of ``theta``."""
        at, (value, gradient) = self._several("gradient", "fg", theta, data, weights)
        return value[()], at.like(gradient)

    def grad(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the gradient of the sum."""
        at, (gradient,) = self._several("gradient", "g", theta, data, weights)
        return at.like(gradient)

    def hessian(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the matrix of second derivatives of the sum, in the form of `symgrad.hessian`."""
        at, (matrix,) = self._several("hessian", "h", theta, data, weights)
        return at.hessian(matrix)

    def value_grad_hessian(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return value, gradient and matrix by one pass."""
        at, (value, gradient, matrix) = self._several("hessian", "fgh", theta, data, weights)
        return value[()], at.like(gradient), at.hessian(matrix)

    def hvp(self, theta: Any, v: Any, *data: Any, weights: Any = None) -> Any:
        """Return the matrix of second derivatives times ``v``, which has the structure of ``theta``."""
        ready = self._ready("product", theta, data, weights)
        vector = ready.at.vector("hvp", v)
        return self._product(ready, HessianProduct(ready.rows), (ready.at.value, vector), vector)

    def _product(self, ready: Ready, job: Job, first: tuple[Any, ...], vector: Any) -> Any:
        found, g = self._run(ready, job, first).sums[0] * ready.scale, self._settings.regulariser
        return ready.at.like(found if g is None else found + flat(hvp(g, ready.at.value, vector)))

    def ggn_vp(
        self, theta: Any, v: Any, *data: Any, loss: Callable[..., Any] | None = None, weights: Any = None
    ) -> Any:
        """Return the Gauss–Newton matrix times ``v``.

        The function is then the model, which returns an array for the rows of a chunk; ``loss(z, *chunk)`` is the loss
        of what it returns, by default ½‖·‖². A regulariser counts with its second derivatives.
        """
        if weights is not None:
            raise DistributedError("ggn_vp takes no weights", "", "Let the loss weigh the rows.")
        ready = self._ready("Gauss-Newton product", theta, data, None, model=True)
        vector = ready.at.vector("ggn_vp", v)
        a = ready.at.vector("ggn_vp", ready.at.value)
        return self._product(ready, GaussNewton(ready.rows, loss), (a, ready.at.value, vector), vector)

    # --------------------------------------------------------------------------------------------------- statistics

    def fisher(self, theta: Any, *data: Any, kind: str = "observed", weights: Any = None) -> Any:
        """Return the Fisher information, with the names of the parameters.

        ``kind`` is 'observed', the matrix of second derivatives, or 'opg', the outer product of the contributions'
        gradients.
        """
        if one_of(DistributedError, "kind", kind, ("observed", "opg")) == "observed":
            at, (matrix,) = self._several("hessian", "h", theta, data, weights)
            return at.matrix(matrix)
        ready = self._ready("outer product", theta, data, weights, vector=True)
        return ready.at.matrix(self._outer(ready) * ready.scale)

    def scores(self, theta: Any, *data: Any, weights: Any = None) -> Any:
        """Return the gradients of the contributions, a row for each row of the data, as a Dask array."""
        ready = self._ready("scores", theta, data, weights, vector=True)
        return score_rows(self._order(ready, Scores(ready.rows), (ready.at.value,), "rows"), ready)

    def covariance(
        self, theta: Any, *data: Any, kind: str = "hessian", clusters: Any = None, weights: Any = None
    ) -> Any:
        """Return the covariance matrix of estimates at ``theta``, for a sum that is a negative log-likelihood.

        ``kind`` is 'hessian', 'opg', 'sandwich' or 'cluster', as in `symgrad.stats.Fit`; ``clusters`` has for each row
        the group that it belongs to, in chunks like the data.
        """
        one_of(DistributedError, "kind", kind, ("hessian", "opg", "sandwich", "cluster"))
        if (clusters is not None) != (kind == "cluster"):
            raise DistributedError(f"kind={kind!r} {'needs' if clusters is None else 'takes no'} clusters=", "",
                                   "Of each row the group.")  # fmt: skip
        inner = None
        if kind != "hessian":
            ready = self._ready("outer product", theta, data, weights, clusters, vector=True)
            inner = ready.at.matrix(self._outer(ready), "outer product of gradients")
        if kind == "opg":
            return inner.covariance()  # type: ignore[union-attr]
        ready = self._ready("hessian", theta, data, weights)
        matrix = self._sums(ready, "h")[0] / ready.scale
        bread = ready.at.matrix(matrix).covariance()
        if inner is not None:
            half = bread.matrix @ inner.matrix @ bread.matrix
            bread.matrix = 0.5 * (half + half.T)
        return bread

    # ------------------------------------------------------------------------------------------------------ passes

    def _several(self, what: str, outputs: str, theta: Any, data: tuple[Any, ...], weights: Any) -> Any:
        ready = self._ready(what, theta, data, weights)
        if "h" in outputs:  # each worker has one of a chunk, and here is the sum
            require_memory(ready.at.size, np.float64)
        return ready.at, self._sums(ready, outputs)

    def _sums(self, ready: Ready, outputs: str, strict: bool = True) -> list[np.ndarray]:
        """Some of value, gradient and matrix, of the mean and with the penalty where there are these.

        Where the sum is no number there is an error, or unless ``strict`` nothing.
        """
        found = self._run(ready, Job(ready.rows, outputs), (ready.at.value,), strict=strict)
        if found.bad_count or has_nan(found.sums):
            return []
        sums = [a * ready.scale for a in found.sums]
        g = self._settings.regulariser
        if g is None:
            return sums
        theta = ready.at.value
        own = {"f": lambda: np.asarray(unwrap(g(theta))), "g": lambda: flat(Derivative("grad", g, 0)(theta)),
               "h": lambda: matrix_of(Hessian(g)(theta), ready.at.size)}  # fmt: skip
        sums = [a + own[letter]() for a, letter in zip(sums, outputs, strict=True)]
        if not has_nan(sums):
            return sums
        if strict:
            raise DistributedError(f"{ready.title} is nan, for the regulariser is", "", "Start where it is finite.")
        return []

    def _outer(self, ready: Ready) -> np.ndarray:
        """The outer product of the contributions' gradients, or of their sums within groups."""
        after = "groups" if ready.located.grouped else "outer"
        found = self._run(ready, Scores(ready.rows), (ready.at.value,), after)
        if after == "outer":
            return found.sums[0]
        self._groups = len(found.sums[0])
        if self._groups < 2:
            raise DistributedError("clusters holds one group only", "The sum of all gradients is 0 at the minimum.",
                                   "Covariances by clusters need many groups.")  # fmt: skip
        return found.sums[0].T @ found.sums[0]

    def _ready(
        self, what: str, theta: Any, data: tuple[Any, ...], weights: Any, groups: Any = None, vector: bool = False,
        model: bool = False,
    ) -> Ready:  # fmt: skip
        """All that a pass needs but the job: looked at and checked."""
        title = f"{what} of {self.__name__}"
        require_dask("sg.distributed")
        located = self._located(data, weights, groups, title)
        if located.sample is None:
            located.sample = sample_of(located.data, self._settings.columns, self._settings.client, title)
        sample = located.sample
        cut = sample.chunks[0].between(0, sample.chunks[0].rows)
        args = located.arguments(cut)
        given = args[: len(data)]
        at = Parameters(title, self.function, theta, given)
        if model:
            return Ready(title, at, located, sample, RowFunction(self.function, False, False))
        contributes = is_vector(self.function, at.value, given, sample.chunks[0].rows)
        if not contributes and (vector or located.weighted):
            raise DistributedError(
                f"{title}: the function returns one number, and this needs the contribution of every row", "",
                "Let it return the vector of contributions: leave its .sum() out.",
            )  # fmt: skip
        rows = RowFunction(self.function, contributes, located.weighted, self._sign)
        if self._settings.check and self._settings.over == "rows" and not np.isnan(at.flat).any():
            key = at.structure
            if key not in located.seen:
                require_sum(
                    rows.contributions, [at.value, at.moved(0.1), at.moved(1.0)], sample, located.arguments, title
                )
                located.seen[key] = False
        return Ready(title, at, located, sample, rows)

    def _located(self, data: tuple[Any, ...], weights: Any, groups: Any, title: str) -> Located:
        """The chunks, as they were found for the same data."""
        marks = []
        for value in (*data, weights, groups):
            several = value.values if isinstance(value, Chunks) else value if isinstance(value, list) else ()
            if isinstance(value, str | Path):  # a pattern stands for the files that there are now
                several = matching("data", str(value))
            marks += [value, *several]
        last = self._last
        if last is None or len(last[0]) != len(marks) or not all(map(_is_same, last[0], marks)):
            self._last = last = (marks, Located(self.function, data, weights, groups, title))
        return last[1]

    def _order(self, ready: Ready, job: Job, first: tuple[Any, ...], after: str) -> Order:
        function = pickled(job, self.function, ready.title)
        order = order_of(ready.title, job, function, first, ready.located, ready.sample, self._settings, ready.at.size,
                         after)  # fmt: skip
        looked = ready.located.seen.get(ready.at.structure, True) or isinstance(job, GaussNewton)
        return order._replace(look=not looked)

    def _run(self, ready: Ready, job: Job, first: tuple[Any, ...], after: str = "sum", strict: bool = True) -> Partial:
        """One pass."""
        order = self._order(ready, job, first, after)
        label = f"{ready.title.partition(' of ')[0]}-{self.__name__}".replace(" ", "-").replace("<lambda>", "lambda")
        found = total(order, first, ready.located.data, self._settings.client, label, self._settings.progress)
        if not found.rows:
            raise DistributedError(f"{ready.title}: there are no rows", "Every chunk is empty.", "Look at the data.")
        if found.bad_count and strict:
            if np.isnan(ready.at.flat).any():
                raise DistributedError(f"{ready.title} is nan, for a parameter is", "", "Start where f is finite.")
            raise ChunkError(
                f"{ready.title} is nan in {found.bad_count} of {found.chunks} chunks", f"{listed(found.bad, 3)}.",
                "Leave out what is missing, or look at the function where its data hold no nan.",
            )  # fmt: skip
        if strict and has_nan(found.sums):
            raise ChunkError(
                f"{ready.title} is nan, though no chunk's is", "Chunks are infinite, with different signs.",
                "Look at the data for inf, and at the function for overflow.",
            )  # fmt: skip
        if order.look and not found.bad_count:
            ready.located.seen[ready.at.structure] = True
        ready.observations = found.rows
        if self._settings.mean and not found.weight:
            raise DistributedError(f"{ready.title}: the weights add up to 0", "There is no mean.", "Look at weights=.")
        ready.scale = 1.0 / found.weight if self._settings.mean else 1.0
        return found


class Ready:
    """A call that can start.

    Attributes
    ----------
    observations : how many rows there are, after a pass
    scale : what sums are multiplied with: 1, or one over the sum of the weights
    """

    def __init__(self, title: str, at: Parameters, located: Located, sample: Sample, rows: RowFunction) -> None:
        self.title, self.at, self.located, self.sample, self.rows = title, at, located, sample, rows
        self.scale, self.observations = 1.0, 0


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and isinstance(b, str) and a == b)


def matrix_of(matrix: Any, n: int) -> np.ndarray:
    """A Hessian of n numbers, in whichever form it was given, as an array."""
    return np.asarray(unwrap(getattr(matrix, "matrix", matrix)), float).reshape(n, n)


def sum_over(
    f: Callable[..., Any], *, mean: bool = False, regulariser: Callable[[Any], Any] | None = None, over: str = "rows",
    check: bool = True, columns: list[str] | None = None, target: str = "numpy", client: Any = None,
    progress: Any = None,
) -> SumOver:  # fmt: skip
    """Return a function that is summed over the rows of its data, wherever they are, with its derivatives.

    Parameters
    ----------
    f : function ``f(theta, *data)`` of parameters and of some rows of the data. It returns their sum, or the vector of
        their contributions, from which robust covariances and weights can be had
    mean : divide by the number of rows, or by the sum of the weights
    regulariser : function of the parameters that is added once
    over : 'rows', or 'chunks' where ``f`` is a sum over chunks only, which are not to be cut further (a series in each)
    check : try on a few rows, and on the first pass in each chunk, whether the function of all is the sum of that of
        parts
    columns : which columns of tables to read; all by default
    target : what the workers run, as in `symgrad.compile`
    client : a ``dask.distributed.Client``; by default the current one, and Dask's threads where there is none
    progress : whether a line on stderr says how far a long pass is; by default after two seconds, in a terminal or
        notebook; with a cluster True is its own bar, and a function is given the future

    Returns
    -------
    SumOver, which is called as ``f`` is, with data in chunks: Dask arrays and tables, Arrow datasets, lists of arrays
    or of names of files. Tables come to ``f`` as dictionaries of their columns. All other arguments are the same for
    every chunk.

    Raises
    ------
    DistributedError : ``f`` is no sum over rows, or does not pickle; there is no scheduler
    ChunkError : a chunk cannot be read, is not like the others, or fails; the error names it

    Notes
    -----
    Cost: one pass over the data for each result. The sum is the same to the last bit for the same chunks, whoever
    computes it; for other chunks the same within rounding.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> def squares(b, X, y):
    ...     return (X @ b - y) ** 2
    >>> X, y = [np.eye(2), np.ones((3, 2))], [np.zeros(2), np.ones(3)]
    >>> total = sg.distributed.sum_over(squares)
    >>> total.value_and_grad(np.array([1.0, 2.0]), X, y)
    (np.float64(17.0), array([14., 16.]))
    >>> total.hessian(np.zeros(2), X, y)
    array([[8., 6.],
           [6., 8.]])
    """
    one_of(DistributedError, "over", over, ("rows", "chunks"))
    one_of(DistributedError, "target", target, targets())
    if regulariser is not None:
        require_callable(regulariser, "sg.distributed.sum_over, as regulariser,")
    return SumOver(f, SumSettings(mean, regulariser, over, check, columns, target, client, progress))

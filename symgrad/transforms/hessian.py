"""``sg.hessian``: the matrix of second derivatives, as a function; by the workers of a cluster too."""

from __future__ import annotations

import hashlib
import pickle
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError
from .._progress import Task, wanted
from ..core import Symbol, Tensor, edge, reachable, wrap
from ..ops import FUNCTIONS, METHODS
from ..programs import why_zero
from .calls.call_arguments import Argnums, Arguments, any_symbol
from .calls.reads import path_name
from .calls.run import Run, require_memory
from .calls.symbolic_run import tracing
from .calls.tree import Spec, flatten, labels_of, tree_paths
from .calls.variables import grad_or_none, require_real, to_plain, zeros_for
from .cost import plan_text
from .derivative import Derivative, OneArgumentRun, run_in_one_argument
from .loops.recurrences import rolled
from .routes import Route, by_program, known_route, require_known, route_of, route_of_run, with_the_tape
from .sparse_hessian import by_colours, pattern_of
from .tape_route import by_tape, product_through_gradient

# ----------------------------------------------------- A matrix of second derivatives with the names of the arguments


def labelled(call: Arguments, spec: Spec, shapes: list[tuple[int, ...]], matrix: Any) -> Any:
    """The matrix with the names of the arguments."""
    from .matrix import HessianMatrix, spelled

    if call.several:
        found = HessianMatrix(matrix, spec, shapes, names_of(call.names, call.chosen()), True)
    else:
        (name,) = call.names
        (value,) = call.chosen()
        (spec,) = spec.parts
        names = [(name,)] if spec.kind is None else _paths(value)
        found = HessianMatrix(matrix, spec, shapes, names, False)
    tables = call.tables()
    if any(t is not None for t in tables):
        alone = len(tables) == 1 and not call.several
        words = [labels_of(t, "" if alone else spelled(n)) for t, n in zip(tables, found.names, strict=True)]
        ends = np.cumsum([int(np.prod(s)) for s in shapes]).tolist()
        own = zip(words, [0, *ends], ends, strict=False)
        found.labels = [label for mine, a, b in own for label in mine or found.labels[a:b]]
    return found


def names_of(names: tuple[str, ...], values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The names of arguments, each with the ways to the arrays in it."""
    return [(name, *path) for name, value in zip(names, values, strict=True) for path in _paths(value)]


def _paths(value: Any) -> list[tuple[Any, ...]]:
    """The ways to the arrays of a container: None is no array."""
    return [path for path, leaf in zip(tree_paths(value), flatten(value)[0], strict=True) if leaf is not None]


# --------------- A Hessian whose columns are worked out by the workers of a cluster: ``sg.hessian(f, client=client)``

# The idea to hold: every worker records the gradient of the function once, and answers for some of the columns, or of
# the colours of a sparse pattern. The function runs on each worker, the matrix is put together here.


_RECORDED: dict[str, tuple[Any, Any]] = {}
"""The gradient that this process has recorded last, by what it was asked with."""

_ONE = threading.Lock()
"""Threads of one worker share a recorded graph: one at a time walks it, or replaces it."""


def by_workers(hessian: Any, args: Any, kwargs: Any) -> Any:
    """The matrix in the form of the arguments, by products that workers compute."""
    if hessian.format == "structured":
        raise GradientError("sg.hessian(…, client=…) has no format 'structured'", "", "Choose 'dense' or 'csr'.")
    if hessian.has_aux or hessian.holomorphic:
        raise GradientError(
            "sg.hessian(…, client=…) takes no has_aux= or holomorphic=", "", "Leave them out, or the client."
        )
    _require_running(hessian.client)
    run = Run("hessian", Arguments(hessian.function, args, kwargs, hessian.argnums))
    tensors, output = run.variables.tensors, run.output
    n = sum(t._data.size for t in tensors)
    packed = _packed(hessian, args, kwargs)
    if hessian.format == "csr":
        matrix = _sparse_by_workers(hessian, run, packed)
    else:
        require_memory(n, output._data.dtype)
        rows = _products(hessian, packed, n, [("columns", k) for k in range(n)])
        matrix = np.asarray(0.5 * (rows + rows.T))
    return hessian._formed(run, matrix)


def _packed(hessian: Any, args: Any, kwargs: Any) -> bytes:
    """The function and its arguments, as they travel."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps((hessian.function, args, kwargs, hessian.argnums)))
    except Exception as error:
        raise GradientError(
            f"{hessian.__name__} cannot be sent to workers", f"{type(error).__name__}: {error}.",
            "Let the function close over arrays and numbers only: no open files, locks or connections.",
        ) from None  # fmt: skip


def _products(hessian: Any, packed: bytes, n: int, seeds: list[Any]) -> np.ndarray:
    """A product with the matrix for each seed, as rows, in order."""
    client, name = hessian.client, getattr(hessian.function, "__name__", "f").strip("<>")
    token = hashlib.sha256(packed).hexdigest()
    workers = max(len(client.scheduler_info().get("workers", ())), 1)
    at_once = hessian.chunk or max(1, -(-len(seeds) // (4 * workers)))
    parts = [seeds[k : k + at_once] for k in range(0, len(seeds), at_once)]
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):  # the function is to travel
        given = client.submit(bytes, packed, key=f"hessian-{name}-{uuid4().hex}")  # a task: who loses it gets it again
    futures = client.map(
        lambda part, given: _worked_out(token, given, part), parts, given=given, key=f"columns-of-hessian-{name}",
        pure=False,
    )  # fmt: skip
    try:
        with Task("second derivatives by workers", hessian.progress, len(futures), "chunks of columns") as task:
            for future in futures:
                future.add_done_callback(task.done)
            return np.concatenate(_gathered(client, futures)) if futures else np.zeros((0, n))
    except BaseException as error:
        with suppress(Exception):  # the client may be closed
            client.cancel(futures)
        if isinstance(error, Exception) and not isinstance(error, SymgradError):
            raise _told(error) from error
        raise


def _told(error: Exception) -> GradientError:
    """What went wrong, in words."""
    kind, said = type(error).__name__, f"{type(error).__name__}: {error}".strip(" :\n.")
    if kind == "KilledWorker":
        return GradientError(f"{_WHAT}: the workers that ran it died", f"{said}. The matrix was not finished.",
                             "Is it too large for a worker's memory? Give them more, or chunk=1.")  # fmt: skip
    if "Cancelled" in kind or "Closed" in kind:
        return GradientError(f"{_WHAT}: the run was cancelled", f"{said}. The matrix was not finished.",
                             "Run it again; if the client is closed, or the scheduler gone, connect anew.")  # fmt: skip
    return GradientError(f"{_WHAT}: it raised on a worker, and does not here", f"{said}.",
                         "Workers need the packages and files that the function uses.")  # fmt: skip


def _gathered(client: Any, futures: list[Any]) -> list[Any]:
    """The results; an error where nobody is left to compute them."""
    from distributed import wait

    alone: float | None = None
    while True:
        try:
            wait(futures, timeout=_LOOK)
            return list(client.gather(futures))
        except TimeoutError:
            _require_running(client)
            alone = None if client.scheduler_info().get("workers") else alone or time.monotonic()
            if alone is not None and time.monotonic() - alone > _limits.DISTRIBUTED_PATIENCE:
                raise GradientError(
                    f"{_WHAT}: there has been no worker for {_limits.DISTRIBUTED_PATIENCE} seconds",
                    "The matrix was not finished.", "Start workers: client.cluster.scale(2), say.",
                ) from None  # fmt: skip


_WHAT = "sg.hessian(…, client=…)"
_LOOK = 3
"""Seconds after which it is looked whether there are workers still."""


def _require_running(client: Any) -> None:
    """Raise where the client is none, or not connected."""
    if not hasattr(client, "scatter") or not hasattr(client, "scheduler_info"):
        raise GradientError(f"client is a {type(client).__name__}", "", "Pass a dask.distributed.Client.")
    if client.status not in ("running", "connecting"):
        raise GradientError(
            f"{_WHAT}: the client is {client.status}", "There is no matrix.", "Connect anew: Client(…)."
        )
    if client.asynchronous:
        raise GradientError(f"{_WHAT}: the client is asynchronous", "It cannot be waited for within its event loop.",
                            "Make one outside of it: Client(…), without asynchronous=True.")  # fmt: skip


def _worked_out(token: str, packed: bytes, seeds: list[Any]) -> np.ndarray:
    """Products on a worker: with unit vectors, or with vectors."""
    with _ONE:
        return _worked_out_alone(token, packed, seeds)


def _worked_out_alone(token: str, packed: bytes, seeds: list[Any]) -> np.ndarray:
    if token not in _RECORDED:
        f, args, kwargs, argnums = pickle.loads(packed)
        run = Run("hessian", Arguments(f, args, kwargs, argnums))
        output = rolled(run.output)
        tensors = run.variables.tensors
        first = grad_or_none([output], tensors, [None], True, True) if output._node is not None else []
        _RECORDED.clear()
        _RECORDED[token] = first, run
    first, run = _RECORDED[token]
    tensors = run.variables.tensors
    n = sum(t._data.size for t in tensors)
    if not first:
        return np.zeros((len(seeds), n))
    with np.errstate(all="ignore"):
        return np.stack([product_through_gradient(first, tensors, _vector(seed, n)) for seed in seeds])


def _vector(seed: Any, n: int) -> np.ndarray:
    kind, value = seed
    if kind == "vector":
        return value
    unit = np.zeros(n)
    unit[value] = 1.0
    return unit


def _sparse_by_workers(hessian: Any, run: Run, packed: bytes) -> Any:
    """The matrix in CSR: a product for each colour of its pattern."""
    from scipy.sparse import csr_array

    from ..programs.sparsity import Recovery, star_colours

    tensors, output = run.variables.tensors, run.output
    n = sum(t._data.size for t in tensors)
    if output._node is None:
        return csr_array((n, n))
    pattern = pattern_of(output, tensors, "")
    recovery = Recovery(pattern, star_colours(pattern))
    seeds = recovery.seeds()
    vectors = [("vector", np.asarray(seeds[:, k])) for k in range(seeds.shape[1])]
    return recovery.matrix(_products(hessian, packed, n, vectors).T.copy())


# ---------------------------------------------------- ``sg.hessian``: the matrix of second derivatives, as a function

# The idea to hold: the function is run, and recorded, at every call. If its structure has a derivative program (or one
# can be made), the program computes the matrix; if not, the tape does, by columns. Both ways give the same numbers, and
# `Hessian.plan` says which is taken and why (`routes.py`).


class StructurallyZeroWarning(UserWarning):
    """A matrix of second derivatives is zero wherever the function is smooth, by the way the function is made."""


class Hessian(Derivative):
    """A function's matrix of second derivatives, as a function of the same arguments."""

    format: str
    chunk: int | None
    progress: bool | None
    client: Any

    def __init__(
        self, f: Callable[..., Any], argnums: Argnums = 0, format: str = "dense", chunk: int | None = None,
        progress: bool | None = None, has_aux: bool = False, holomorphic: bool = False, client: Any = None,
    ) -> None:  # fmt: skip
        super().__init__("hessian", f, argnums, has_aux, holomorphic, format)
        require_known(format)
        if holomorphic and format != "dense":
            raise GradientError(
                f"sg.hessian with holomorphic=True has no format {format!r}", "The tape finds complex derivatives.",
                "Leave the format out.",
            )  # fmt: skip
        if chunk is not None and (not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1):
            raise GradientError(
                f"chunk must be a number of rows, got {chunk!r}", "", "Pass chunk=64, say, or leave it."
            )
        self.format, self.chunk, self.progress, self.client = format, chunk, progress, client
        self._last: Any = None  # the program of the last call

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_last": None, "client": None}  # a program is made anew where it is unpickled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the matrix at arrays (as arrays), at tensors (as tensors) or of symbols (as a formula)."""
        if self.progress is None and self.client is None:
            return super().__call__(*args, **kwargs)
        said = wanted.set(wanted.get() if self.progress is None else bool(self.progress))  # of all that this call does
        try:
            if self.client is None:
                return super().__call__(*args, **kwargs)
            return by_workers(self, args, kwargs)
        finally:
            wanted.reset(said)

    def by_recording(self, args: Any, kwargs: Any) -> Any:
        """The same by running the function."""
        if not (kwargs or self.has_aux or self.holomorphic):
            simple, known = self._run_in_one_argument(args)
            if simple is not None:
                matrix = self._matrix(simple.output, [simple.leaf], known)
                if self.format != "dense":
                    return matrix
                block = matrix.reshape(simple.leaf._data.shape * 2)
                return block if simple.plain else wrap(block)
        call = Arguments(self.function, args, kwargs, self.argnums)
        if any_symbol((args, kwargs)):
            return self._formulas(call)
        run = self._run(call)
        if type(run.output) is Symbol:
            return run.result() if tracing() else self._formulas(call)
        if self.holomorphic or run.variables.concerns_outside([run.output]):
            _tell_if_apart(run.output, run.variables.tensors, self.__name__, 6)
            found = _with_history(run)
        else:
            found = self._formed(run, self._matrix(run.output, run.variables.tensors))
        return (found, run.leave(run.aux, returned=True)) if self.has_aux else found

    def _run_in_one_argument(self, args: tuple[Any, ...]) -> tuple[OneArgumentRun | None, Route | None]:
        """The run at one array or tensor that nobody else differentiates, if the call is that, and by which way its
        matrix was found the last time, if the run has the same structure."""
        k = self.argnums
        if type(k) is not int or not 0 <= k < len(args) or not getattr(args[k], "ndim", 0):
            return None, None
        run = run_in_one_argument(self.function, k, args)
        if run is None or run.output._node is None:
            return run, None
        known = known_route(self._last, run.output, run.leaf)
        return (None if known is None and run.concerns_others() else run), known

    def _matrix(self, output: Tensor, tensors: list[Tensor], known: Route | None = None) -> Any:
        """The whole matrix of a recorded run, in the format asked for; ``known``: by this way."""
        total = sum(t._data.size for t in tensors)
        if output._node is None:
            _warn("the function does not depend on it", self.__name__)
            return _zeros(total, output._data.dtype, self.format)
        require_real(tensors)
        route = known or route_of(output, tensors, self.format, 1)
        dense = self.format == "dense"
        if self.format == "structured" and route.program is not None and route.program.module.structured is None:
            entries = route_of(output, tensors, "csr", 1)  # no structure but, perhaps, that most entries are zero
            route, dense = (entries, False) if entries.program is not None else (route, True)
        if dense and total > _limits.HESSIAN_DENSE:
            require_memory(total, output._data.dtype)
        matrix = self._of_recorded(route, output, tensors)
        program = route.program
        if program is not None and self._last is not program and len(tensors) == 1 and not route.survey.foreign:
            program.remember(route.survey)
            self._last = program
        return matrix

    def _of_recorded(self, route: Route, output: Tensor, tensors: list[Tensor]) -> Any:
        """The matrix of a recorded run: by its program, or by the tape."""
        found = by_program(route, output, tensors) if route.program is not None else None
        if route.program is not None and route.program.zero:
            _warn(route.program.zero, self.__name__, 7)
        if found is not None:
            return _sparse(found) if self.format == "structured" and hasattr(found, "indptr") else found
        apart = _tell_if_apart(output, tensors, self.__name__, 8)
        if self.format == "dense":
            found = with_the_tape(route, by_tape(output, tensors, self.chunk))
        else:
            found = by_colours(output, tensors, self.format, route.reason)
        if not apart and not (found if isinstance(found, np.ndarray) else found.tocsr().data).any():
            _tell_if_flat(output, tensors, self.__name__)
        return found

    def _formed(self, run: Run, matrix: Any) -> Any:
        """The matrix in the form of the arguments."""
        alone = run.spec.kind is tuple and len(run.spec.parts) == 1 and run.spec.parts[0].kind is None
        alone = alone and run.call.tables()[0] is None
        if isinstance(matrix, np.ndarray) and alone and not run.call.several:
            shape = run.inputs[0]._data.shape
            block = matrix.reshape(shape + shape)
            return block[()] if run.plain else wrap(block)
        if alone and not run.call.several:
            return matrix
        return _labelled(run, matrix if run.plain or not isinstance(matrix, np.ndarray) else wrap(matrix))

    # --------------------------------------------------------------------------------------- what it says of itself

    def _recorded(self, args: Any, kwargs: Any, runs: int | None = None) -> tuple[Run, Route]:
        run = Run("hessian", Arguments(self.function, args, kwargs, self.argnums), self.has_aux)
        return run, route_of_run(run, self.format, runs)

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Return the source of the program that computes the matrix at these arguments.

        Raises
        ------
        GradientError : there is no program, for the reason that `plan` gives
        """
        run, route = self._recorded(args, kwargs)
        if route.program is None:
            raise GradientError(f"{self.__name__} has no program here", f"{route.reason}.", "The tape computes it.")
        call = run.call
        words = [path_name(str(path[0]), path[1:]) for path in names_of(call.names, call.chosen())]
        known = {f"x{k}": word for k, word in enumerate(words)}
        return route.program.text(known if len(set(words)) == len(words) else None)

    def structure(self, *args: Any, **kwargs: Any) -> str:
        """Return in a few words what the matrix is made of: Gram matrices, diagonals, Kronecker products, bands."""
        _, route = self._recorded(args, kwargs)
        return "dense, as far as is known" if route.program is None else route.program.assembly.describe()

    def plan(self, *args: Any, **kwargs: Any) -> str:
        """Return what will run at these arguments, and why: a program or the tape, with its cost."""
        run, route = self._recorded(args, kwargs, 0)
        return plan_text(self, run, route)

    def report(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the matrix says of a point: minimum, saddle or flat, condition, weak directions by name.

        Returns
        -------
        Report, which prints as text
        """
        call = Arguments(self.function, args, kwargs, self.argnums)
        run = Run("hessian", call, self.has_aux)
        with Task("what the matrix says of the point", self.progress):
            return self._report(run)

    def _report(self, run: Run) -> Any:
        from .report import report

        matrix = self._matrix(run.output, run.variables.tensors)
        labelled = _labelled(run, matrix)
        found = run.variables.pull([run.output], [None], False, True)
        parts = [g._data.reshape(-1) for g in zeros_for(found, run.inputs)]
        return report(matrix, labelled.labels, np.concatenate(parts), float(run.output._data))


def _warn(reason: str, name: str, depth: int = 6) -> None:
    text = f"{name} is zero wherever the function is smooth: {reason}."
    warnings.warn(text, StructurallyZeroWarning, stacklevel=depth)


def _tell_if_apart(output: Tensor, tensors: list[Tensor], name: str, depth: int) -> bool:
    """Warn where what was recorded does not lead to any of the variables, and say whether it was so."""
    edges = reachable([output._node])[3] if output._node is not None else set()
    apart = output._node is not None and not any(edge(t) in edges for t in tensors)
    if apart:
        _warn("the function does not depend on it", name, depth)
    return apart


def _tell_if_flat(output: Tensor, tensors: list[Tensor], name: str) -> None:
    """Warn where the gradient does not depend on any of the variables: zeros that the tape found are no accident."""
    first = grad_or_none([output], tensors, [None], True, True)
    edges = reachable([g._node for g in first if g is not None and g._node is not None])[3]
    if not any(edge(t) in edges for t in tensors):
        operations = [node.op.name for node in reachable([output._node])[0] if node.op is not None]
        _warn(why_zero(operations), name, 8)


def _sparse(matrix: Any) -> Any:
    from ..programs.matrices import Sparse

    return Sparse(matrix, check=False)


def _zeros(n: int, dtype: Any, format: str) -> Any:
    if format == "dense":
        return np.zeros((n, n), dtype)
    from scipy.sparse import csr_array

    matrix = csr_array((n, n), dtype=dtype)
    return _sparse(matrix) if format == "structured" else matrix


def _labelled(run: Run, matrix: Any) -> Any:
    return labelled(run.call, run.spec, [t._data.shape for t in run.inputs], matrix)


def _with_history(run: Run) -> Any:
    """The result as tensors that somebody outside may differentiate again."""
    found = run._hessian()
    leaves = flatten(found)[0]
    single = len(run.inputs) == 1 and len(leaves) == 1 and not run.call.several
    if single and run.spec.parts[0].kind is None:
        return run.leave(found)
    n = len(run.inputs)
    sizes = [t._data.size for t in run.inputs]
    cat, reshape = FUNCTIONS["cat"], METHODS["reshape"]
    rows = [cat([reshape(leaves[a * n + b], (sizes[a], sizes[b])) for b in range(n)], 1) for a in range(n)]
    matrix = run.variables.release(cat(rows, 0))
    return _labelled(run, to_plain(matrix) if run.plain else matrix)


def hessian(
    f: Callable[..., Any], argnums: Argnums = 0, format: str = "dense", chunk: int | None = None,
    progress: bool | None = None, has_aux: bool = False, holomorphic: bool = False, client: Any = None,
) -> Hessian:  # fmt: skip
    """Return the matrix of second derivatives of a function that returns one number.

    Parameters
    ----------
    f : function of arrays that returns one number
    argnums : as in `grad`
    format : 'dense' for an array; 'csr' for a SciPy sparse matrix of the flattened argument, whose pattern is found
        from the structure of ``f``; 'structured' for a matrix that keeps diagonals, Gram matrices and Kronecker
        products apart
    chunk : how many columns the tape works out at a time, where there is no program (None: as many as keep the arrays
        on the way small)
    progress : whether a line on stderr says how far a long call is; by default after two seconds, in a terminal or
        notebook
    has_aux : ``f`` returns ``(output, aux)``, and the new function ``(matrix, aux)``
    holomorphic : ``f`` is a holomorphic function that returns one complex number; the matrix is that of its second
        complex derivatives
    client : a ``dask.distributed.Client``, whose workers work out columns (of a sparse matrix, colours): for one
        function that is large; for many rows of data there is `distributed.sum_over`

    Returns
    -------
    Hessian, a function of the same arguments. For an argument of shape (n,) the result has shape (n, n), for one of
    shape (m, n) it has shape (m, n, m, n); it is symmetric to the last bit. For several arguments, and for containers
    of arrays, it is a HessianMatrix: ``H.matrix`` is the whole symmetric matrix, ``H.labels`` names its rows, and
    ``H["a", "W"]`` is a block. Arrays, tensors and symbols as in `grad`. ``.formula(x)`` gives the formula,
    ``.code(x)`` the program's source, ``.plan(x)`` what will run and why, ``.report(x)`` what the matrix says of the
    point.

    Raises
    ------
    ShapeError : ``f`` returns more than one number
    TooLargeError : the dense matrix does not fit into memory

    Warns
    -----
    StructurallyZeroWarning : the matrix is zero by the way ``f`` is made (ReLU has no second derivative)

    Notes
    -----
    Cost: one run of ``f``, recorded, and one run of its derivative program, which is made at the first call. Where
    there can be no program, one gradient, recorded, and a tangent pushed through it per element of the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.hessian(lambda x: x.prod() ** 2)(np.array([1.0, 2.0]))
    array([[8., 8.],
           [8., 2.]])
    >>> H = sg.hessian(lambda p: (p["a"] * p["b"]).sum() ** 2)({"a": np.ones(2), "b": np.array([1.0, 2.0])})
    >>> H.labels
    ['a[0]', 'a[1]', 'b[0]', 'b[1]']
    >>> H["a", "b"]
    array([[ 8.,  2.],
           [ 4., 10.]])
    >>> x = sg.symbol("x", "n")
    >>> print(sg.hessian(lambda x: (x ** 3).sum() / 6)(x))
    diag(x)
    """
    return Hessian(f, argnums, format, chunk, progress, has_aux, holomorphic, client)

"""What is computed of a chunk: the user's function and its derivatives, as programs on their way to a worker."""

from __future__ import annotations

import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _limits
from .._errors import ShapeError
from ..autograd import no_grad
from ..core import Carrier, Symbol, Tensor, content, unwrap
from ..programs import function_of_module, widened
from ..transforms import Derivative, Hessian, labelled
from ..transforms.calls import (
    Arguments,
    as_differentiable,
    cut_to_shapes,
    flatten,
    flatten_like,
    flatten_values,
    require_numbers,
    unflatten,
)
from ..transforms.compiled import Compiled, ProgramWithLoops, compile, parts_of
from ..transforms.first_derivatives import jvp
from ..transforms.products import ggn_vp, hvp
from ._chunks import DistributedError, NoSumError

# -------------------------------------------------------------------------------------------------------------------
# What is computed of a chunk: functions of parameters and rows, made of the user's, and their derivatives

# The idea to hold: every result is some of value, gradient, matrix and Jacobian of one function in its first argument,
# so that one program of `sg.compile` computes it; and each knows how the tape does the same where there is no program.


def flat(tree: Any, dtype: Any = None) -> np.ndarray:
    """All numbers of a container, one array after the other."""
    parts = [np.asarray(unwrap(leaf), dtype).reshape(-1) for leaf in flatten_values(tree)[0]]
    return np.concatenate(parts) if parts else np.zeros(0)


def summed_within(groups: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The names of the groups, and the sums of the rows of each."""
    names, numbers = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(names), *rows.shape[1:]))
    np.add.at(sums, numbers.reshape(-1), rows)
    return names, sums


@contextmanager
def quietly() -> Iterator[None]:
    """Let a block compute numbers alone: nothing is recorded, and nothing is said of what is not finite."""
    with no_grad(), np.errstate(all="ignore"):
        yield


def returned(f: Any, theta: Any, args: list[Any]) -> np.ndarray:
    """What the function returns, as an array."""
    with quietly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rows are ours, not the user's
        found = unwrap(f(theta, *args))
    if type(found) is Symbol or not isinstance(found, np.ndarray | np.generic | float | int):
        raise DistributedError(
            f"the function returned a {type(found).__name__}", "",
            "Return one number, the sum over the rows, or the vector of their contributions.",
        )  # fmt: skip
    return np.asarray(found)


def cuts(rows: int, alone: int = 0) -> list[int]:
    """Where rows are cut: in pieces of one, four, sixteen, …, and the last ones one by one."""
    many = rows - alone
    return sorted({end for k in range(rows.bit_length()) if (end := (4**k - 1) // 3) and end < many}
                  | {*range(max(many, 1), rows)})  # fmt: skip


def are_equal(title: str, of: str, kinds: list[Any], whole: np.ndarray, apart: np.ndarray, count: int) -> bool:
    """Raise where a value, or contributions of rows, are not those of the parts; whether that could be seen."""
    if not np.isfinite(whole).all():
        return False
    size = np.abs(whole).sum(dtype=np.float64) + np.abs(apart).sum(dtype=np.float64)
    single = any(not np.can_cast(np.float64, d) for d in (whole.dtype, *kinds) if d.kind == "f")
    total, sums = whole.sum(dtype=np.float64), apart.sum(dtype=np.float64)
    one_by_one = np.abs(whole - apart).sum(dtype=np.float64) if whole.ndim else abs(total - sums)
    if np.isfinite(size) and one_by_one <= (_CLOSE_SINGLE if single else _CLOSE) * size:
        return True
    raise NoSumError(
        f"{title}: the function is not a sum over rows",
        f"Of {of} it is {total:.12g}, of {count} parts of them {sums:.12g} in all.",
        "A mean is mean=True, a penalty regulariser=. If it is a sum over chunks, which must not be cut: "
        'over="chunks". Where the difference is rounding: check=False.',
    )


_CLOSE, _CLOSE_SINGLE = 1e-10, 1e-6
"""Of the sum of absolute values what rounding may be, of double precision and of single."""


class RowFunction:
    """The user's function: one number, or with ``vector`` the contributions of the rows; the last argument may be
    their weights.

    Attributes
    ----------
    sign : −1 where the function is a log-likelihood, to be maximised
    """

    def __init__(self, f: Callable[..., Any], vector: bool, weighted: bool, sign: float = 1.0) -> None:
        self.f, self.vector, self.weighted, self.sign = f, vector, weighted, sign
        self.__name__ = getattr(f, "__name__", type(f).__name__)

    def contributions(self, theta: Any, *args: Any) -> Any:
        """What the function returns, weighed."""
        found = self.f(theta, *args[:-1]) * args[-1] if self.weighted else self.f(theta, *args)
        return found if self.sign == 1.0 else self.sign * found

    def __call__(self, theta: Any, *args: Any) -> Any:
        found = self.contributions(theta, *args)
        return found.sum() if self.vector else found


class Job:
    """Value, gradient and matrix of the total."""

    def __init__(self, rows: RowFunction, outputs: str) -> None:
        self.rows, self.outputs = rows, outputs
        self.__name__ = rows.__name__

    def __call__(self, *args: Any) -> Any:
        return self.rows(*args)

    def by_tape(self, *args: Any) -> list[np.ndarray]:
        """The results, flat, where there is no program."""
        found: list[np.ndarray] = []
        if set(self.outputs) & set("fg"):
            if "g" not in self.outputs:
                with no_grad():
                    value = self(*args)
            else:
                value, slope = Derivative("value_and_grad", self.__call__, 0)(*args)
            if "f" in self.outputs:
                found.append(_number(value))
            if "g" in self.outputs:
                found.append(flat(slope))
        if "h" in self.outputs:
            found.append(_flat_result("h", Hessian(self.__call__)(*args), [flat(args[0]).size]))
        return found


def _number(value: Any) -> np.ndarray:
    array = np.asarray(unwrap(value))
    if array.ndim:
        raise ShapeError(f"the function returned an array of shape {array.shape}", "It is to return one number.",
                         "Sum over what is not a row.")  # fmt: skip
    return array


class HessianProduct(Job):
    """The matrix of second derivatives times a vector, which is the second argument."""

    def __init__(self, rows: RowFunction) -> None:
        super().__init__(rows, "g")

    def __call__(self, *given: Any) -> Any:
        theta, v, *args = given
        return jvp(lambda t: self.rows(t, *args), (theta,), (v,))[1]

    def by_tape(self, *given: Any) -> list[np.ndarray]:
        theta, v, *args = given
        return [flat(hvp(lambda t: self.rows(t, *args), theta, v))]


class GaussNewton(Job):
    """The Gauss–Newton matrix times a vector: the gradient of ⟨J a, ∇²loss J v⟩ in the first argument, a."""

    def __init__(self, rows: RowFunction, loss: Callable[..., Any] | None) -> None:
        super().__init__(rows, "g")
        self.loss = loss

    def __call__(self, *given: Any) -> Any:
        a, theta, v, *args = given

        def model(t: Any) -> Any:
            return self.rows.f(t, *args)

        z, u = jvp(model, (theta,), (v,))
        if self.loss is not None:
            u = jvp(Derivative("grad", lambda z: self.loss(z, *args).sum(), 0), (z,), (u,))[1]  # type: ignore[misc]
        return (jvp(model, (theta,), (a,))[1] * u).sum()

    def by_tape(self, *given: Any) -> list[np.ndarray]:
        _, theta, v, *args = given
        loss = None if self.loss is None else lambda z: self.loss(z, *args).sum()  # type: ignore[misc]
        return [flat(ggn_vp(lambda t: self.rows.f(t, *args), theta, v, loss))]


class Scores(Job):
    """The gradients of the contributions, a row for each row of the data."""

    def __init__(self, rows: RowFunction) -> None:
        super().__init__(rows, "j")

    def __call__(self, *args: Any) -> Any:
        return self.rows.contributions(*args)

    def by_tape(self, *args: Any) -> list[np.ndarray]:
        return [_flat_result("j", Derivative("jacobian", self.__call__, 0)(*args), [])]


# -------------------- A derivative program on its way to a worker: its source, and what it takes beside the arguments

# The idea to hold: a program belongs to a number of rows. So the rows of a chunk are taken in blocks of some fixed
# sizes, each a quarter of the one before down to a single row, and a handful of programs, made once on the client,
# serves chunks of every length.


class Shipped:
    """The source of a program, and of what its arguments are made.

    Attributes
    ----------
    source, name : a function of NumPy's
    constants : arrays that the source mentions by name
    taken : per argument of it the number of the leaf among all arguments (None: a value that comes along), and the
        dtype that it gets
    """

    def __init__(self, module: Any, made: Any) -> None:
        self.source, self.name = module.inner, module.name
        self.constants = {name: np.asarray(value) for name, value in module.constants.items()}
        self.taken = [(k, kind, None if k is not None else value) for k, kind, value in made.taken]
        self.dtype, self.order = made.program.dtype, list(made.order)
        self.outputs = made.outputs
        self._function: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_function": None}

    def run(self, leaves: list[Any]) -> list[np.ndarray] | None:
        """The results, flat; None where a number on the way is not finite, which the tape is asked about."""
        if self._function is None:
            self._function = function_of_module(self.source, self.name, dict(self.constants))
        values = [
            widened(value if k is None else leaves[k] if kind is None else kind(leaves[k]), self.dtype)
            for k, kind, value in self.taken
        ]
        with np.errstate(all="ignore"):
            try:
                results, pieces = self._function(*values)
            except np.linalg.LinAlgError:
                return None
            for piece in pieces:
                if not math.isfinite(np.add.reduce(piece, axis=None) if getattr(piece, "ndim", 0) else piece):
                    return None
        found = []
        for letter, k in zip(self.outputs, self.order, strict=True):
            value = results[k]
            found.append(flat([np.asarray(p) for p in parts_of(value)]) if letter == "g" else np.asarray(value))
        return found


def shipped(job: Job, args: list[Any]) -> Shipped | None:
    """The program of a job at arguments like these, compared with the tape; None where there is none that travels."""
    compiled = Compiled(job, job.outputs, 0, "dense")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a program that the tape does not agree with: it does not travel
            compiled(*args)
        made, _ = compiled._find(tuple(args), {})
    except Exception:  # where symbols are what it does not take, an index of an array of numbers, the tape runs it
        return None
    if made is None or made.program.refused or not made.program.checked or isinstance(made.program, ProgramWithLoops):
        return None
    module = made.program.whole
    return Shipped(module, made) if module.standalone else None


def block_sizes(row_bytes: int) -> list[int]:
    """How many rows are taken at a time: the most, and each time a quarter of it."""
    most = _limits.DISTRIBUTED_ROWS
    while most > 1 and most * row_bytes > _limits.DISTRIBUTED_BLOCK:
        most //= 4
    sizes = []
    while most >= 1:
        sizes.append(most)
        most //= 4
    return sizes


def blocks(rows: int, sizes: list[int]) -> list[tuple[int, int]]:
    """Where the blocks of so many rows begin and end, the largest first."""
    found, start = [], 0
    for size in sizes:
        while rows - start >= size:
            found.append((start, start + size))
            start += size
    return found


class OnWorker:
    """A job by a program that the worker makes itself: of one length, with a loop in it, or in another library.

    It is kept from chunk to chunk, and makes a program for each length.
    """

    def __init__(self, job: Job, target: str) -> None:
        self.job, self.target = job, target
        self.compiled: Any = compile(job, job.outputs, 0, "dense", target)
        self.given_up = False
        self._alone = threading.Lock()  # programs remember the last call

    def run(self, args: list[Any]) -> list[np.ndarray]:
        """The results, flat."""
        if not self.given_up:
            try:
                with self._alone:
                    found = self._compiled(args)
            except DistributedError:
                raise
            except Exception:  # it branches, say: the tape runs what has no program, and says what is the matter
                self.given_up = True
            else:
                letters = self.job.outputs
                several = found if len(letters) > 1 else (found,)
                sizes = [np.size(a) for a in flatten_values(args[0])[0]]
                return [_flat_result(letter, value, sizes) for letter, value in zip(letters, several, strict=True)]
        return self.job.by_tape(*args)

    def _compiled(self, args: list[Any]) -> Any:
        if isinstance(self.compiled, Compiled):
            return self.compiled(*args)
        arrays = self.compiled.arrays
        _require_double(arrays)
        leaves, spec = flatten(tuple(args))
        given = [
            arrays.array(np.array(a), None, arrays.fastest()) if isinstance(a, np.ndarray | np.generic) else a
            for a in leaves
        ]
        return tree_of_numpy(self.compiled(*unflatten(spec, given)), arrays.shown)


def _require_double(arrays: Any) -> None:
    """Tell a library to keep 64 bits: sums of many rows in 32 are noise."""
    if arrays.exact(np.dtype(np.float64)) == np.float64:
        return
    dialect = arrays.dialect
    if not _is_worker():
        raise DistributedError(
            f'target="{dialect.name}": {dialect.flag} is off', "Sums of many rows in 32 bits are noise.",
            f"{dialect.set_flag}; worker processes are told so by themselves.",
        )  # fmt: skip
    arrays.keep_double()


def _is_worker() -> bool:
    """Whether a worker of a cluster runs this."""
    if "distributed" not in sys.modules:
        return False
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def tree_of_numpy(tree: Any, shown: Callable[[Any], Any]) -> Any:
    """Another library's arrays as NumPy's, each as ``shown``."""
    if isinstance(tree, tuple | list):
        return type(tree)([tree_of_numpy(t, shown) for t in tree])
    if isinstance(tree, dict):
        return {k: tree_of_numpy(t, shown) for k, t in tree.items()}
    return tree_of_numpy(tree.matrix, shown) if hasattr(tree, "matrix") else shown(tree)


def _matrix(value: Any, sizes: list[int]) -> np.ndarray:
    """The whole matrix: given as it is, or block by block."""
    n, blocks = sum(sizes), flatten_values(value)[0]
    if len(blocks) == 1:
        return np.asarray(blocks[0]).reshape(n, n)
    each = iter(blocks)
    return np.block([[np.asarray(next(each)).reshape(a, b) for b in sizes] for a in sizes])


def _flat_result(letter: str, value: Any, sizes: list[int]) -> np.ndarray:
    value = unwrap(value)
    if letter == "g":
        return flat(value)
    if letter == "h":
        return _matrix(unwrap(getattr(value, "matrix", value)), sizes)
    if letter == "j":
        parts = [np.asarray(unwrap(p)) for p in flatten_values(value)[0]]
        return np.concatenate([p.reshape(len(p), -1) for p in parts], 1)
    return np.asarray(value)


# ------------------------------------------------ Parameters of any structure as one flat vector, and back with names

# The idea to hold: a cluster adds up vectors and matrices, and people know containers. This is where one becomes the
# other, in the order and with the labels of `symgrad.hessian`.


class Parameters:
    """The parameters of one call.

    Attributes
    ----------
    value : as the function takes them: containers of arrays and of NumPy's numbers
    size : how many numbers they are
    """

    def __init__(self, what: str, f: Callable[..., Any], theta: Any, data: list[Any]) -> None:
        self.call = Arguments(f, (theta, *data), {}, 0)
        leaves, self.spec = self.call.flat()
        require_numbers(what, self.call, leaves)
        if any(type(content(leaf)) is Symbol or isinstance(leaf, Carrier | Tensor) for leaf in leaves):
            raise DistributedError(f"{what} takes arrays and numbers as parameters", "There is a tensor or a symbol.",
                                   "A cluster gives numbers: pass x.detach().numpy().")  # fmt: skip
        arrays = [as_differentiable(leaf)._data for leaf in leaves]
        if any(a.dtype.kind == "c" for a in arrays):
            raise DistributedError(f"{what} takes real parameters", "", "Give real and imaginary parts.")
        self.shapes = [a.shape for a in arrays]
        self.size = sum(a.size for a in arrays)
        self.value = unflatten(self.spec, [np.array(a)[()] for a in arrays])[0]
        self.arrays = arrays
        self.alone = self.spec.parts[0].kind is None and self.call.tables()[0] is None

    @property
    def structure(self) -> Any:
        """What tells them from others, whose programs may be others."""
        return repr(self.spec), tuple([(a.shape, a.dtype.str) for a in self.arrays])

    def moved(self, size: float) -> Any:
        """Other values, near."""
        rng = np.random.default_rng(0)
        moved = [a + size * (1 + np.abs(a)) * rng.uniform(0.2, 1.0, a.shape) for a in self.arrays]
        return unflatten(self.spec, [np.asarray(m, a.dtype)[()] for m, a in zip(moved, self.arrays, strict=True)])[0]

    def like(self, vector: np.ndarray) -> Any:
        """A vector in their structure, with their labels."""
        parts = [np.array(p)[()] for p in cut_to_shapes(vector, self.shapes)]
        return self.call.labelled(unflatten(self.spec, parts)[0])

    def vector(self, what: str, v: Any) -> Any:
        """A direction as the function would take it; an error where it is not like the parameters."""
        entries = flatten_like(self.spec.parts[0], v)
        if any(np.iscomplexobj(e) for e in entries or ()):
            raise DistributedError(f"{what}: v is complex", "Parameters are real.", "Give real and imaginary parts.")
        arrays = None if entries is None else [np.asarray(e, np.float64) for e in entries]
        if arrays is None or [a.shape for a in arrays] != self.shapes:
            raise DistributedError(f"{what}: v is not like the parameters", f"They have the shapes {self.shapes}.",
                                   "Give v their structure.")  # fmt: skip
        return unflatten(self.spec, [np.array(a)[()] for a in arrays])[0]

    def matrix(self, whole: np.ndarray, word: str | None = None) -> Any:
        """A matrix with their names."""
        found = labelled(self.call, self.spec, self.shapes, whole)
        if word is not None:
            found._word = word
        return found

    def hessian(self, whole: np.ndarray) -> Any:
        """Second derivatives in the form of `symgrad.hessian`."""
        if self.alone:
            return whole.reshape(self.shapes[0] * 2)[()]
        return self.matrix(whole)

    @property
    def flat(self) -> np.ndarray:
        """Their numbers."""
        return flat(unflatten(self.spec, self.arrays)[0], np.float64)

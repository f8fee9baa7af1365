"""``sg.vmap``: a function of one example, run on a batch of them, or once on symbols and replayed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .._array import as_argument, as_result
from .._errors import (
    GradientError,
    ShapeError,
    SymbolicBranchError,
    SymgradError,
    instead_of_keywords,
    refusal,
)
from .._tensor import VmapRuleError
from ..core import (
    TABLE,
    Facts,
    Notes,
    Symbol,
    Tensor,
    content,
    detached,
    has_history,
    is_leaf_node,
    make_symbol,
    modes,
    named_shape,
    next_seq,
    origin_of,
    plain_array,
    refuse_no_numbers,
    shape_of,
    storage,
    taking_notes,
    wrap,
)
from ..ops import FUNCTIONS, METHODS
from ..ops.create import Beginnings
from ..sweep.batch import Batched
from ..sweep.replay import Replay, Unbatchable
from .calls.reads import arrays_reached
from .calls.symbolic_run import Randomness
from .calls.tree import Spec, broadcast_prefix, flatten, leaves_of, tree_map, unflatten, without_tables
from .calls.variables import all_plain, are_nobodys, recording, to_plain

# -------------------------------------------------------------------------------------------------------------------
# The arguments and results of `vmap`: which dimension counts the examples, one example, and examples side by side

# The idea to hold: a batch is a flat list of leaves, each with the dimension that counts examples or None; every route
# of `vmap` (batched, in groups, in a loop) takes that list and gives back a container with the batch in its place.


FULL = slice(None)


def title(func: Any) -> str:
    """How messages call a function."""
    if isinstance(func, functools.partial):
        return f"functools.partial({title(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


class Mapped:
    """The arguments of one call, and which of their dimensions counts examples.

    Attributes
    ----------
    leaves, spec : the arguments, taken apart
    dims : per leaf the dimension that counts examples (not negative), or None
    size : how many examples there are
    plain : whether no tensor is among the arguments: then the function gets arrays, and arrays are returned
    lying : per leaf an example as it lies in the caller's memory: a function may ask for its strides; or None
    """

    leaves: list[Any]
    spec: Spec
    dims: list[Any]
    size: Any
    kwargs: dict[str, Any]
    plain: bool

    def __init__(
        self, leaves: list[Any], spec: Spec, dims: list[Any], size: Any, kwargs: dict[str, Any], plain: bool,
        lying: list[Any] | None = None,
    ) -> None:  # fmt: skip
        self.leaves, self.spec, self.dims, self.size = leaves, spec, dims, size
        self.kwargs, self.plain = kwargs, plain
        self.lying: list[Any] = lying or [
            None if d is None or not leaf._data.shape[d] else leaf._data[(FULL,) * d + (0,)]
            for leaf, d in zip(leaves, dims, strict=True)
        ]

    def columns(self) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """Number, leaf and dimension of each."""
        return enumerate(zip(self.leaves, self.dims, strict=True))

    def arguments(self, leaves: Sequence[Any]) -> Any:
        """The positional arguments made of these leaves."""
        return unflatten(self.spec, leaves)

    def call(self, func: Any, leaves: Sequence[Any]) -> Any:
        """The function of the arguments made of these leaves (arrays, if the caller gave arrays)."""
        args = self.arguments(leaves)
        result = func(*(tree_map(_plain, args) if self.plain else args), **self.kwargs)
        result = tree_map(_in_blocks, tree_map(as_result, result))
        return tree_map(_as_number, result) if self.plain else result

    def example(self, b: int) -> list[Any]:
        """Example ``b`` without history."""
        return [leaf if d is None else wrap(self.copied(i, b)) for i, (leaf, d) in self.columns()]

    def copied(self, i: int, b: int) -> np.ndarray:
        """A copy of example ``b`` of a leaf, lying as the caller's. What NumPy would not write to is not written to."""
        lying = self.lying[i]
        made = storage.memory_as(lying, lying.dtype)
        made[...] = self.leaves[i]._data[(FULL,) * self.dims[i] + (b,)]
        if storage.shares_entries(lying):
            made.flags.writeable = False
        return made

    def examples(self) -> list[list[Any]]:
        """All examples, each a list of leaves, with their history; one of zeros where there is none."""
        count = max(int(self.size), 1)
        columns = [[leaf] * count if d is None else self._examples(i, d) for i, (leaf, d) in self.columns()]
        return [list(row) for row in zip(*columns, strict=True)]

    def _examples(self, i: int, d: int) -> list[Tensor]:
        """The examples of a leaf. The function may write to arrays, and the caller's is never written to."""
        leaf = self.leaves[i]
        if not self.plain or type(leaf) is not Tensor or leaf._node is not None or not self.size:
            return _examples(leaf, d, self.size)
        if storage.shares_entries(leaf._data):
            return [wrap(self.copied(i, b)) for b in range(self.size)]
        own = storage.memory_as(leaf._data, leaf._data.dtype)
        own[...] = leaf._data
        return _examples(wrap(own), d, self.size)

    def front(self, i: int) -> Tensor:
        """A leaf with its examples along the first dimension."""
        leaf, d = self.leaves[i], self.dims[i]
        return METHODS["movedim"](leaf, d, 0) if d else leaf

    def some(self, pick: Any, fixed: frozenset[int] = frozenset(), size: int = 0) -> Mapped:
        """The examples that ``pick`` (a slice or an array) names; leaves in ``fixed`` are the same for all of them."""
        leaves, dims = list(self.leaves), list(self.dims)
        for i, (leaf, d) in self.columns():
            if d is None:
                continue
            if i in fixed:
                leaves[i], dims[i] = wrap(np.array(leaf._data[(FULL,) * d + (pick[0],)])), None
            else:
                leaves[i] = leaf[(FULL,) * d + (pick,)]
        return Mapped(leaves, self.spec, dims, size, self.kwargs, self.plain, self.lying)


def _in_blocks(value: Any) -> Any:
    """A Hessian of several parameters as nested containers of blocks, which can be stacked."""
    return value.blocks() if type(value).__name__ == "HessianMatrix" else value


def _plain(t: Any) -> Any:
    """A tensor as the array that the caller gave; of a symbol, which hides its values, and of one with a history."""
    return t._data[()] if isinstance(t, Tensor) and t._node is None and type(t) is not Symbol else as_argument(t)


def mapped(func: Any, in_dims: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapped:
    """The arguments of one call, checked."""
    name = title(func)
    head = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{head}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    args, kwargs = without_tables((args, kwargs))
    leaves, spec = flatten(args)
    plain = all_plain((args, kwargs))
    leaves = [wrap(x) if isinstance(x, np.ndarray) else content(x) for x in leaves]
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    sizes = [
        _size_along(head, leaf, d, dims, i) for i, (leaf, d) in enumerate(zip(leaves, dims, strict=True))
        if d is not None
    ]  # fmt: skip
    if not sizes:
        raise ShapeError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ShapeError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return Mapped(leaves, spec, dims, sizes[0], kwargs, plain)


def _size_along(head: str, leaf: Any, d: Any, dims: list[Any], i: int) -> Any:
    """The number of examples of one leaf; its dimension is made definite in ``dims``."""
    if not isinstance(d, int):
        raise ValueError(f"{head}Got in_dim={d} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise ShapeError(
            f"{head}Got in_dim={d} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    refuse_no_numbers(leaf._data)
    n = leaf._data.ndim
    if not -n <= d < n:
        raise ShapeError(
            f"{head}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {n} so expected "
            f"in_dim to satisfy -{n} <= in_dim < {n}."
        )
    dims[i] = d % n
    return (named_shape(leaf) if type(leaf) is Symbol else leaf._data.shape)[d]


def _examples(leaf: Tensor, dim: int, size: Any) -> list[Tensor]:
    if size == 0:  # one example of zeros shows which shapes come out
        shape = leaf._data.shape
        return [wrap(np.zeros(shape[:dim] + shape[dim + 1 :], leaf._data.dtype))]
    if type(leaf) is Symbol:
        return list(METHODS["movedim"](leaf, dim, 0))  # which raises where the size has a name
    if leaf._node is not None:  # one node for all examples: the gradient is put together once
        return list(METHODS["unbind"](leaf, dim))
    before = (FULL,) * dim
    return [leaf[(*before, b)] for b in range(size)]


# --------------------------------------------------------------------------------------------------------- results


def check_out_dims(name: str, out_dims: Any) -> None:
    """Raise unless every leaf of ``out_dims`` is a number or None."""
    for d in leaves_of(out_dims):
        if not (d is None or isinstance(d, int)):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
                "of ints representing where in the outputs the vmapped dimension should appear."
            )


def place_results(name: str, out_dims: Any, spec: Spec) -> list[Any]:
    """Per leaf of the results the dimension in which the batch goes."""
    if spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = broadcast_prefix(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return dims


def _as_number(value: Any) -> Any:
    """Python's numbers as NumPy's: a function of numbers may return one."""
    return np.asarray(value)[()] if type(value) in (int, float, complex, bool) else value


def result_tensor(name: str, value: Any) -> Tensor:
    """One result of the function as a tensor."""
    if isinstance(value, (np.ndarray, np.generic)):
        refuse_no_numbers(value)
        value = wrap(plain_array(value))
    if not isinstance(value, Tensor):
        raise ShapeError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    return value


def all_equal(name: str, values: Sequence[Any]) -> Any:
    """The one value that a result has in all examples (``out_dims=None`` says that there is one)."""
    first = values[0]
    if isinstance(first, Tensor) and not all(np.array_equal(first._data, v._data, equal_nan=True) for v in values):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return first


def stacked(name: str, values: Sequence[Any], dim: int | None, size: int) -> Any:
    """The results of all examples, side by side along ``dim``."""
    if dim is None:
        return all_equal(name, values)
    together = FUNCTIONS["stack"]([result_tensor(name, v) for v in values], dim)
    return together if size else METHODS["narrow"](together, dim, 0, 0)


def joined(name: str, parts: Sequence[Any], dim: int | None) -> Any:
    """The results of several batches, one after the other along ``dim``."""
    return all_equal(name, parts) if dim is None else FUNCTIONS["cat"](list(parts), dim)


# -------------------------------------------------------------------------------------------------------------------
# The batched route of `vmap`: run the function once on one example made of symbols, and replay what it recorded

# The idea to hold: symbols hide their values, so whatever a function's course could depend on raises, and the loop
# takes over; so it does for everything else whose way from the example the graph does not tell (writes in place,
# Functions of the user's, random draws). At last one or a few examples are run for themselves, and must agree.


class Branches(Unbatchable):
    """The function's course depends on the values of the example."""


@contextmanager
def _tracing(plain: bool) -> Iterator[tuple[list[Any], Notes]]:
    """Record everything; gives the list of what Python branches on, and the notes of what the graph does not tell.

    ``plain`` is whether the function is one of NumPy arrays.
    """
    outer = modes.tracing.get()
    branches = [] if outer is None else outer
    token = modes.tracing.set(branches)
    around = modes.running.get()
    inside = modes.running.set(modes.Running(plain, around=around, makers=set()))
    try:
        with recording(), taking_notes() as notes:
            yield branches, notes
    finally:
        modes.running.reset(inside)
        modes.tracing.reset(token)


class TracedExample:
    """One run of the function on an example of symbols, and its replay on the batch.

    Attributes
    ----------
    spec : the structure of the results
    values : per leaf of the results its value: `Batched`, a tensor that is the same for all, or no tensor at all
    begin : what is called before an example is run for itself
    """

    func: Any
    batch: Mapped
    results: list[Any]
    spec: Spec
    notes: Notes
    values: list[Any]

    def __init__(self, func: Any, batch: Mapped) -> None:
        self.func, self.batch = func, batch
        self.begin: Callable[[], None] = lambda: None
        self.born: int = next_seq()
        stand_ins = self._stand_ins()
        self.results, self.spec = flatten(self._run(stand_ins))

    def _stand_ins(self) -> list[Any]:
        """The first example, made of symbols."""
        self.leaves: dict[Any, Batched] = {}
        found = []
        code = getattr(self.func, "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code is not None else ()
        flat = len(names) >= len(self.batch.spec.parts) == len(self.batch.leaves)
        for i, (leaf, d) in self.batch.columns():
            if d is None:
                found.append(leaf)
                continue
            shape = tuple(named_shape(leaf) if type(leaf) is Symbol else leaf._data.shape)
            data = self.batch.copied(i, 0)
            symbol = make_symbol(names[i] if flat else f"x{i}", data, Facts(shape[:d] + shape[d + 1 :]))
            self.leaves[symbol._node] = Batched(self.batch.front(i))
            # whole numbers and truth values have no gradient: no sweep may ask for one
            found.append(symbol if data.dtype.kind in "fc" else detached(symbol))
        return found

    def turn_to(self, batch: Mapped) -> None:
        """Replay on other examples from now on, of the shapes of those that it was made for."""
        mapped = [i for i, d in enumerate(batch.dims) if d is not None]
        self.batch = batch
        self.leaves = {node: Batched(batch.front(i)) for node, i in zip(self.leaves, mapped, strict=True)}

    def _run(self, stand_ins: list[Any]) -> Any:
        with _tracing(self.batch.plain) as (branches, self.notes):
            start, refused = len(branches), refusal.get()
            try:
                result = self.batch.call(self.func, stand_ins)
            except SymbolicBranchError as error:
                refusal.set(refused)  # a way is taken on which nothing is refused
                if self.notes.reasons:
                    raise Unbatchable(self.notes.reasons[0]) from error
                raise Branches(f"it needs a value, {_where(error)}: {str(error).splitlines()[0]}") from error
            except VmapRuleError:
                raise
            except Exception as error:
                refusal.set(refused)
                words = (str(error).splitlines() or [""])[0]
                raise Branches(
                    f"it does not run on symbols, {_where(error)}: {type(error).__name__}: {words}"
                ) from error
        if self.notes.reasons:
            raise Unbatchable(self.notes.reasons[0])
        if refusal.get() is not refused:
            raise Unbatchable("it asks for a value, and goes on without")
        if storage.anything_written_since(self.born):
            raise Unbatchable("it writes in place")
        for t, _ in branches[start:]:
            origin = origin_of(t)
            inside = t._node is not None and not is_leaf_node(t._node) and t._node.seq > self.born
            if inside or (origin is not None and origin[3] > self.born):
                raise Unbatchable("it branches on a value")
        return result

    def replay(self, name: str, randomness: str) -> str:
        """Run the recorded graph on the batch; returns what ran, in words."""
        outer = _Outer(self.func, self.batch)
        run = Replay(self.leaves, self.batch.size, self.born, outer, outer.leaf, self.notes, randomness)
        self.values = [
            run.value(result_tensor(name, r)) if isinstance(r, (Tensor, np.ndarray, np.generic)) else r
            for r in self.results
        ]
        return run.text()

    def check(self) -> None:
        """Run a few examples for themselves: they must agree with the batch."""
        for b in self._tests():
            self.begin()
            try:
                results, spec = flatten(self.batch.call(self.func, self.batch.example(b)))
            except Exception as error:
                raise Unbatchable(f"example {b} raised {type(error).__name__} where the batch did not") from error
            same = spec == self.spec and all(map(_agree, self._at(b), results))
            if not same:
                raise Unbatchable(f"example {b} run for itself gives another result than in the batch")

    def _at(self, b: int) -> Iterator[Any]:
        for v in self.values:
            yield v.tensor._data[b] if type(v) is Batched else v

    def _tests(self) -> list[int]:
        """The last example, and others until each number that varies has differed from the traced one's."""
        if not self.leaves or int(self.batch.size) < 2:
            return []
        rows = [b.tensor._data.reshape(int(self.batch.size), -1) for b in self.leaves.values()]
        differs = np.concatenate([r != r[:1] for r in rows], 1)
        open_ = differs.any(0)
        chosen: list[int] = []
        while open_.any() and len(chosen) < 3:
            gains = differs[:, open_].sum(1)
            best = int(len(gains) - 1 - gains[::-1].argmax())
            chosen.append(best)
            open_ &= ~differs[best]
        if any(b.tensor._data.dtype.kind in "iub" for b in self.leaves.values()) and open_.any():
            raise Unbatchable("its whole numbers vary in too many places to be sure")
        return chosen or [int(self.batch.size) - 1]


def _agree(a: Any, b: Any) -> bool:
    """Whether two results of one example are the same, as far as rounding goes."""
    if not isinstance(a, (Tensor, np.ndarray, np.generic)) or not isinstance(b, (Tensor, np.ndarray, np.generic)):
        return type(a) is type(b) and (a is b or bool(a == b))
    x, y = (np.asarray(v._data if isinstance(v, Tensor) else v) for v in (a, b))
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype.kind not in "fc":
        return bool(np.array_equal(x, y))
    if not x.size:
        return True
    short = x.dtype.itemsize <= (4 if x.dtype.kind == "f" else 8)
    size = np.abs(y[np.isfinite(y)]).max(initial=0.0)
    tolerance = 1e-3 if short else 1e-7
    return bool(np.allclose(x, y, rtol=tolerance, atol=tolerance * float(size), equal_nan=True))


def _where(error: BaseException) -> str:
    """The line of the user's that led to an error: 'at file:line'."""
    found = "in symgrad"
    step = error.__traceback__
    while step is not None:
        frame = step.tb_frame
        if not str(frame.f_globals.get("__name__", "")).startswith("symgrad"):
            found = f"at {frame.f_code.co_filename.rsplit('/', 1)[-1]}:{step.tb_lineno}"
        step = step.tb_next
    return found


# ---------------------------------------------------------------------------------------------- what comes from outside


class _Outer(dict[Any, Tensor]):
    """The tensors with a history that a function gets as arguments or catches, by their node; found when asked for."""

    def __init__(self, func: Any, batch: Mapped) -> None:
        super().__init__()
        self.func, self.batch, self.whole = func, batch, False
        for leaf in [*batch.leaves, *flatten(batch.kwargs)[0]]:
            self._note(leaf)

    def _note(self, value: Any) -> None:
        if has_history(value):
            self.setdefault(value._node, value)

    def leaf(self, node: Any) -> Tensor:
        """The tensor of a leaf that is no example's: somebody's outside, or a transform's own, of data from outside."""
        if node.facts is not None:  # a declared symbol, or a named size
            return node.variable
        t = node.ref()
        if t is not None and not are_nobodys([node]) and type(t) is not Symbol:
            return t
        if not self._is_known(node.data):
            raise Unbatchable("it differentiates at a tensor that it made itself")
        return wrap(node.data)

    def _is_known(self, data: np.ndarray) -> bool:
        """Whether an array holds what comes from outside: arguments, what is caught, or a linear map's zeros."""
        if not data.any():
            return True
        values = [*self.batch.leaves, *flatten(self.batch.kwargs)[0]]
        if not data.ndim and any(np.ndim(v) == 0 and data == v for v in values if isinstance(v, (int, float, complex))):
            return True
        arrays = [v._data if isinstance(v, Tensor) else v for v in [*values, *arrays_reached(self.func)]]
        owners = {id(storage.owner(a)) for a in arrays if isinstance(a, np.ndarray)}
        return id(storage.owner(data)) in owners or (not data.ndim and any(_is_number(a, data) for a in arrays))

    def __contains__(self, node: object) -> bool:
        if super().__contains__(node):
            return True
        if not self.whole:
            self.whole = True
            for value in arrays_reached(self.func):
                self._note(value)
        return super().__contains__(node)


def _is_number(value: Any, data: np.ndarray) -> bool:
    """Whether an array without dimensions, which the function got as a number, has this value."""
    return isinstance(value, np.ndarray) and not value.ndim and bool(value == data)


# ----------------------------------------------------- ``sg.vmap``: a function of one example, run on a batch of them

# The idea to hold: there are three routes to one result. *Batched*: the function runs once, on symbols, and what it
# recorded is replayed on all examples at once. *In groups*: where the examples' whole numbers decide (a size, a
# branch), examples of equal numbers make a batch. *In a loop*, one by one: always right, and taken wherever the others
# are not sure.


Results = tuple[list[Any], Spec]  # the leaves with the batch in its place, and their structure


class VmapSettings(NamedTuple):
    """What `vmap` was asked for, beside the function."""

    in_dims: Any
    out_dims: Any
    randomness: str
    chunk_size: int | None


class MappedCall:
    """One call of a mapped function.

    Attributes
    ----------
    words : which route was taken, and why
    """

    func: Any
    settings: VmapSettings
    name: str

    def __init__(self, func: Any, settings: VmapSettings, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.func, self.settings, self.name = func, settings, title(func)
        check_out_dims(self.name, settings.out_dims)
        self.batch: Mapped = mapped(func, settings.in_dims, args, kwargs)
        self.random: Randomness = Randomness(settings.randomness)
        self.words: str = ""
        self._keeps = False
        self._traced: Any = None  # what `at_once` has recorded, if it is to be kept: others look whether it is held

    def result(self) -> Any:
        """The results, with the batch in its place."""
        batch, chunk = self.batch, self.settings.chunk_size
        if chunk is None or not isinstance(batch.size, int) or batch.size <= chunk:
            leaves, spec = self._route(batch)
        else:
            starts = range(0, batch.size, chunk)
            sizes = [min(chunk, batch.size - s) for s in starts]
            parts = []
            for s, n in zip(starts, sizes, strict=True):
                self.random.next()  # the same for all examples, in whichever chunk
                parts.append(self._route(batch.some(slice(s, s + n), size=n)))
            leaves, spec = self._joined(parts), parts[0][1]
            self.words = f"in {len(parts)} chunks, {self.words}"
        self.random.close()
        result = unflatten(spec, leaves)
        return to_plain(result) if batch.plain else result

    def at_once(self, keep: bool = False) -> Any:
        """The results of all examples at once, as tensors; raises `Unbatchable` where that is not sure to be right.
        ``keep``: `at_others` will be asked."""
        self._keeps = keep
        leaves, spec = self._batched(self.batch)
        self.random.close()
        return unflatten(spec, leaves)

    def at_others(self, args: tuple[Any, ...]) -> Any:
        """Those of other examples of the same shapes, by what `at_once` has recorded: the function is not run."""
        batch = mapped(self.func, self.settings.in_dims, args, {})
        self._traced.turn_to(batch)
        return unflatten(self._traced.spec, self._replayed(batch, self._traced))

    def _dims(self, spec: Spec) -> list[Any]:
        return place_results(self.name, self.settings.out_dims, spec)

    def _joined(self, parts: list[Results]) -> list[Any]:
        """The results of several batches, leaf by leaf one after the other."""
        dims = self._dims(parts[0][1])
        columns = zip(*[leaves for leaves, _ in parts], strict=True)
        return [joined(self.name, column, d) for column, d in zip(columns, dims, strict=True)]

    # -------------------------------------------------------------------------------------------------- routes

    def _route(self, batch: Mapped) -> Results:
        if batch.size == 0:
            return self._looped(batch, "there are no examples")
        if modes.dual_level.get() is not None:
            return self._looped(batch, "tangents are computed as the operations run")
        begun = Beginnings()
        try:
            return self._batched(batch)
        except Unbatchable as error:
            why, branches = str(error), isinstance(error, Branches)
        begun.put_back()  # an error of the loop is to have no history
        return (self._grouped(batch) if branches else None) or self._looped(batch, why)

    def _batched(self, batch: Mapped) -> Results:
        """All examples at once; raises `Unbatchable` where that is not sure to be right."""
        begun = Beginnings()
        traced = TracedExample(self.func, batch)
        drew = begun.have_moved()
        if drew:
            self.random.close()
            if self.settings.randomness == "different":
                raise Unbatchable("it draws random numbers, different ones for each example")
        if drew:
            traced.begin = begun.put_back
        leaves = self._replayed(batch, traced)
        traced.check()
        self._traced = traced if self._keeps else None
        return leaves, traced.spec

    def _replayed(self, batch: Mapped, traced: TracedExample) -> list[Any]:
        """The results of a batch, leaf by leaf, by what was recorded."""
        try:
            words = traced.replay(self.name, self.settings.randomness)
        except (Unbatchable, VmapRuleError):
            raise
        except Exception as error:
            first = (str(error).splitlines() or [""])[0]
            raise Unbatchable(f"the batch raised {type(error).__name__}: {first}") from error
        self.words = f"batched: {words}"
        dims, taken = self._dims(traced.spec), {id(leaf) for leaf in batch.leaves}
        return [self._finished(v, d, batch.size, taken) for v, d in zip(traced.values, dims, strict=True)]

    def _finished(self, value: Any, dim: int | None, size: Any, taken: set[int]) -> Any:
        """One leaf of the results, with the batch in its place and memory of its own."""
        if type(value) is not Batched:
            if dim is None:
                return value
            t = result_tensor(self.name, value)
            t = TABLE["expand"].apply(t, (size, *shape_of(t)))
        elif dim is None:
            return all_equal(self.name, [METHODS["select"](value.tensor, 0, b) for b in range(size)])
        else:
            t = value.tensor
        t = METHODS["movedim"](t, 0, dim) if dim else t
        if t._data.base is not None or id(t) in taken:
            t = TABLE["clone"].apply(t, "C")
        taken.add(id(t))
        return t

    def _grouped(self, batch: Mapped) -> Results | None:
        """A batch for each combination of the examples' whole numbers; None where there are too many of them."""
        whole = [
            i for i, (leaf, d) in batch.columns()
            if d is not None and leaf._data.dtype.kind in "iub"
        ]  # fmt: skip
        if not whole or type(batch.size) is not int:
            return None
        keys = np.concatenate([batch.front(i)._data.reshape(batch.size, -1).astype(np.int64) for i in whole], 1)
        _, group = np.unique(keys, axis=0, return_inverse=True)
        count = int(group.max()) + 1
        if 2 * count > batch.size:
            return None
        picks = [np.flatnonzero(group == k) for k in range(count)]
        try:
            parts = [self._batched(batch.some(p, frozenset(whole), len(p))) for p in picks]
        except Unbatchable:
            return None
        spec = parts[0][1]
        if any(other != spec for _, other in parts):
            return None
        back = np.argsort(np.concatenate(picks), kind="stable")
        leaves = [
            leaf if d is None else FUNCTIONS["index_select"](leaf, d, back)
            for leaf, d in zip(self._joined(parts), self._dims(spec), strict=True)
        ]
        self.words = f"in {count} groups of examples with equal whole numbers, {self.words}"
        return leaves, spec

    def _looped(self, batch: Mapped, why: str) -> Results:
        """One example after the other."""
        self.words = f"loop: {why}"
        columns, spec = [], None
        for example in batch.examples():
            self.random.next()
            result = batch.call(self.func, example)
            leaves, now = flatten(result)
            spec = now if spec is None else spec
            columns.append(leaves)
        assert spec is not None
        dims = self._dims(spec)
        pairs = zip(zip(*columns, strict=True), dims, strict=True)
        return [stacked(self.name, column, d, int(batch.size)) for column, d in pairs], spec


@instead_of_keywords({"in_axes": "It is in_dims=.", "out_axes": "It is out_dims=."})
def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Any:
    """Return the function that applies ``func`` to every example of a batch, to all of them at once where it can.

    Parameters
    ----------
    func : function of one example: tensors, arrays or containers of them in, tensors or containers of them out
    in_dims : per argument the dimension that counts the examples, None for one that all examples share; a number
        for all arguments, a tuple, or a tuple of containers like the arguments'
    out_dims : where that dimension goes in the results; a number, or a container like the result. None for a result
        that is the same for all examples
    randomness : what random numbers ``func`` may draw: 'different' ones for each example, the 'same', or 'error'
    chunk_size : run at most so many examples at once (less memory); None is all

    Returns
    -------
    A function of the same arguments, each with one more dimension where ``in_dims`` says so. NumPy arrays give arrays,
    tensors give tensors, which have a history where the arguments (or what ``func`` catches) have one.
    Its ``plan(*args)`` says in words which way the examples are run, and why.

    Raises
    ------
    ValueError : ``in_dims`` or ``out_dims`` do not fit, or the arguments have different numbers of examples

    Notes
    -----
    ``func`` is run once on an example made of symbols, and what it recorded is run on the whole batch: each operation
    once for all examples. Then one to three examples are run for themselves, and must agree. Wherever the course of
    ``func`` depends on values (branches, ``item()``, masks that pick), where it writes in place, applies an
    `autograd.Function` that says nothing of batches (``vmap``, ``generate_vmap_rule``) or draws different random
    numbers, examples run one by one, as a loop would; where whole numbers decide it (a size, a branch), examples with
    equal ones run together. As an index (``table[i]``, `gather`, `index_select`) a whole number decides nothing: each
    example picks its own. Side effects of ``func`` (printing, counting) therefore happen as often as it is run, which
    is not once per example.

    Cost: that of the operations on the batch, and of the few runs of ``func``.

    Examples
    --------
    >>> import symgrad as sg
    >>> rows = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> sg.vmap(lambda row: row @ row)(rows)
    tensor([ 5., 25.])

    Gradients per example:

    >>> loss = lambda w, row: (w * row).sum() ** 2
    >>> per_example = sg.vmap(sg.grad(loss), in_dims=(None, 0))
    >>> per_example(sg.tensor([1.0, 1.0]), rows)
    tensor([[ 6., 12.],
            [42., 56.]])

    What runs at once, and what does not:

    >>> sg.vmap(lambda row: sg.exp(row).sum()).plan(rows)
    'batched: 2 operations'
    >>> sg.vmap(lambda row: row if row[0] > 2 else -row)(rows)
    tensor([[-1., -2.],
            [ 3.,  4.]])

    A formula of a batch:

    >>> X = sg.symbol("X", (2, 3))
    >>> print(sg.vmap(lambda x: sg.exp(x).sum())(X).sum().formula())
    sum(exp(X))
    """
    if randomness not in ("error", "different", "same"):
        raise GradientError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")
    settings = VmapSettings(in_dims, out_dims, randomness, chunk_size)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return MappedCall(func, settings, args, kwargs).result()
        except SymgradError as error:
            if all_plain((args, kwargs)):
                error.say_to_arrays()
            raise

    def plan(*args: Any, **kwargs: Any) -> str:
        """Return in words how these arguments are run, and why (which runs them)."""
        call = MappedCall(func, settings, args, kwargs)
        call.result()
        return call.words

    wrapper.plan = plan  # type: ignore[attr-defined]
    return wrapper

"""The batched route of `vmap`: run the function once on one example made of symbols, and replay what it recorded.

The idea to hold: symbols hide their values, so whatever a function's course could depend on raises, and the loop takes
over; so it does for everything else whose way from the example the graph does not tell (writes in place, Functions of
the user's, random draws). At last one or a few examples are run for themselves, and must agree.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymbolicBranchError, refusal
from .._function_batch import VmapRuleError
from ..core import (
    Carrier,
    Facts,
    Notes,
    Symbol,
    Tensor,
    detached,
    is_leaf_node,
    make_symbol,
    modes,
    named_shape,
    next_seq,
    noting,
    storage,
    wrap,
)
from ..sweep.replay import Batched, Replay, Unbatchable
from ._tree import flatten
from ._variables import nobodys, recording
from ._vmap_arguments import Mapped, result_tensor


class Branches(Unbatchable):
    """The function's course depends on the values of the example."""


@contextmanager
def _tracing(plain: bool) -> Iterator[tuple[list[Any], Notes]]:
    """Record everything; gives the list of what Python branches on, and the notes of what the graph does not tell.

    ``plain`` is whether the function is one of NumPy arrays.
    """
    outer = modes.tracing.get()
    branches: list[Any] = [] if outer is None else outer
    token = modes.tracing.set(branches)
    around = modes.running.get()
    inside = modes.running.set((plain, (), around))
    try:
        with recording(), noting() as notes:
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

    def __init__(self, func: Any, batch: Mapped) -> None:
        self.func, self.batch = func, batch
        self.begin: Callable[[], None] = lambda: None
        self.born = next_seq()
        stand_ins = self._stand_ins()
        self.results, self.spec = flatten(self._run(stand_ins))

    def _stand_ins(self) -> list[Any]:
        """The first example, made of symbols."""
        self.leaves: dict[Any, Batched] = {}
        found: list[Any] = []
        code = getattr(self.func, "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code is not None else ()
        flat = len(names) >= len(self.batch.spec.parts) == len(self.batch.leaves)
        for i, (leaf, d) in enumerate(zip(self.batch.leaves, self.batch.dims, strict=True)):
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
            origin = None if t._extra is None else t._extra.origin
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
        if isinstance(value, Tensor) and value._node is not None:
            self.setdefault(value._node, value)

    def leaf(self, node: Any) -> Tensor:
        """The tensor of a leaf that is no example's: somebody's outside, or a transform's own, of data from outside."""
        if node.facts is not None:  # a declared symbol, or a named size
            return node.variable
        t = node.ref()
        if t is not None and node not in nobodys and type(t) is not Symbol:
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
        arrays = [v._data if isinstance(v, Tensor) else v for v in [*values, *caught(self.func)]]
        owners = {id(storage.owner(a)) for a in arrays if isinstance(a, np.ndarray)}
        return id(storage.owner(data)) in owners or (not data.ndim and any(_is_number(a, data) for a in arrays))

    def __contains__(self, node: object) -> bool:
        if super().__contains__(node):
            return True
        if not self.whole:
            self.whole = True
            for value in caught(self.func):
                self._note(value)
        return super().__contains__(node)


def _is_number(value: Any, data: np.ndarray) -> bool:
    """Whether an array without dimensions, which the function got as a number, has this value."""
    return isinstance(value, np.ndarray) and not value.ndim and bool(value == data)


def caught(func: Any) -> Iterator[Any]:
    """All that a function catches: from its closure, its defaults, the names it uses of its module, its object."""
    todo: list[Any] = [func]
    seen: set[int] = set()
    while todo and len(seen) < _limits.CAUGHT:
        value = todo.pop()
        if id(value) in seen or value is None or isinstance(value, (str, int, float, type, types.ModuleType)):
            continue
        seen.add(id(value))
        if isinstance(value, Carrier):
            yield value._t
            yield from [number._t for number in getattr(value, "_numbers", {}).values()]  # entries that it gives again
        elif isinstance(value, (Tensor, np.ndarray)):
            yield value
        elif isinstance(value, types.FunctionType):
            cells = [c.cell_contents for c in value.__closure__ or () if _is_filled(c)]
            used = [value.__globals__.get(n) for n in _names(value.__code__)]
            todo += [*cells, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *used]
        elif isinstance(value, types.MethodType):
            todo += [value.__func__, value.__self__]
        elif isinstance(value, functools.partial):
            todo += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, dict):
            todo += list(value.values())
        elif isinstance(value, (list, tuple, set)):
            todo += list(value)
        elif isinstance(getattr(value, "__dict__", None), dict):
            todo += list(vars(value).values())


def _names(code: types.CodeType) -> set[str]:
    """The names of a module that code, and the functions inside it, may use."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (asks whether there are any)
    except ValueError:
        return False
    return True


__all__ = ["Branches", "TracedExample", "caught"]

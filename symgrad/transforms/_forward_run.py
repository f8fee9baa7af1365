"""A function run once, ready to have tangents pushed through it: what forward mode and Taylor series begin with.

The idea to hold: the function runs at variables of the transform's own; tangents are arrays where nobody could
differentiate the result again, else tensors. Where tangents cannot be pushed (hooks change gradients), the reverse mode
is run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import DTypeError, FormulaError, GradientError, ShapeError
from ..core import Symbol, Tensor, table, wrap
from ..core._symbolic import sizes_of, symbolic
from ..sweep._dual import NoForwardRule, Push
from ..sweep._forward_many import many_tangents
from ._derivative import _variable, split
from ._jacobian import Linearized
from ._traced import tracing
from ._tree import difference, flatten, flatten_like, flatten_values, tree_map, unflatten
from ._variables import Variables, all_plain, as_variable, recording, to_plain


class Run:
    """A function run at variables of its own, ready to have tangents pushed through it.

    Parameters
    ----------
    what : who asks, for errors
    values : container of what to differentiate with respect to
    run : called with a container of variables in their place
    """

    def __init__(self, what: str, values: Any, run: Callable[[Any], Any], has_aux: bool = False) -> None:
        self.what = what
        leaves, self.spec = flatten_values(values)
        if not leaves:
            raise GradientError(
                f"{what} has nothing to differentiate with respect to", "The arguments hold no array.",
                "Pass an array.",
            )  # fmt: skip
        self.inputs = [_variable(leaf) for leaf in leaves]
        self.variables = Variables(self.inputs, all_plain(leaves))
        try:
            with recording():
                result = run(unflatten(self.spec, self.variables.tensors))
        finally:
            self.variables.close()
        self.aux: Any = None
        if has_aux:
            result, self.aux = split(what, result)
        found, self.output_spec = flatten(result)
        if not found:
            raise FormulaError(f"the function given to {what} returned an empty container", "", "Return an array.")
        self.outputs = [self._tensor(o) for o in found]
        self.pushes: Any = None

    def _tensor(self, value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value
        if isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            data = np.asarray(value)
            if data.dtype.kind in "fciub":
                return wrap(data)
        raise FormulaError(
            f"the function given to {self.what} returned {type(value).__name__!r}",
            "It must return tensors, arrays or numbers, or containers of them.",
            "Return one of these, or carry what else it returns along with has_aux=True.",
        )

    @property
    def of_symbols(self) -> bool:
        """Whether the function caught a symbol, so that a formula is asked for."""
        return not tracing() and any(type(o) is Symbol for o in self.outputs)

    def graph(self, tangents: Sequence[Tensor] = ()) -> bool:
        """Whether somebody could want to differentiate what comes out."""
        if any(type(o) is Symbol for o in (*self.outputs, *tangents)):
            return True
        return self.variables.concerns_outside([*self.outputs, *tangents])

    def _prepare(self) -> None:
        if self.pushes is None:
            edges = [x._node for x in self.variables.tensors]
            try:
                self.pushes = Push([o._node for o in self.outputs], edges)
            except NoForwardRule:
                self.pushes = self._transposed()

    def push(self, tangents: Sequence[Any], graph: bool) -> list[Any]:
        """Per output its tangent (None where it does not move); tensors if ``graph``, else arrays."""
        self._prepare()
        try:
            return self.pushes(tangents, graph)
        except NoForwardRule:
            self.pushes = self._transposed()
            return self.pushes(tangents, graph)

    def push_many(self, k: int, units: np.ndarray) -> list[Any]:
        """Per output its tangents as input ``k`` moves along each of ``units``, stacked in front; None if it stays."""
        self._prepare()
        none = [None] * len(self.inputs)
        if isinstance(self.pushes, Push):
            try:
                return self.pushes([*none[:k], units, *none[k + 1 :]], False, many_tangents)
            except NoForwardRule:
                self.pushes = self._transposed()
        rows = [self.push([*none[:k], unit, *none[k + 1 :]], False) for unit in units]
        return [None if any(t is None for t in column) else np.stack(column) for column in zip(*rows, strict=True)]

    def _transposed(self) -> Callable[[Sequence[Any], bool], list[Any]]:
        """Forward mode by reverse mode, twice: slower, and possible wherever that is."""
        linear, inputs = Linearized(self.outputs, self.variables.tensors), self.inputs

        def push(tangents: Sequence[Any], graph: bool) -> list[Any]:
            given = [
                wrap(np.zeros_like(x._data)) if t is None else t if isinstance(t, Tensor) else wrap(np.asarray(t))
                for t, x in zip(tangents, inputs, strict=True)
            ]
            with recording(graph):
                found = linear(given, graph)
            return found if graph else [None if t is None else t._data for t in found]

        return push

    def leave(self, tree: Any, plain: bool) -> Any:
        """Results as the caller gets them: without history nobody outside wants, as arrays if he gave arrays."""
        released = tree_map(self.variables.release, tree)
        return to_plain(released) if plain else released

    def output(self) -> Any:
        """What the function returned."""
        return unflatten(self.output_spec, self.outputs)

    def tangent(self, tangents: Sequence[Tensor]) -> Any:
        """The derivative along ``tangents``, in the containers of the output."""
        graph = self.graph(tangents)
        with recording(graph):
            given = [tangent_for(x, t, graph) for x, t in zip(self.inputs, tangents, strict=True)]
            found = self.push(given if graph else [t._data for t in given], graph)
        mine = {id(t._data) for t in given}
        results = []
        for t, o in zip(found, self.outputs, strict=True):
            if t is None:
                t = still(o, ())
            elif not graph:
                t = _own(np.asarray(t), mine, tangents)
            results.append(t)
        return unflatten(self.output_spec, results)


def _own(t: np.ndarray, seen: set[int], given: Sequence[Tensor]) -> Tensor:
    """A result in memory of its own: not that of the caller's tangents, nor of another result."""
    shared = id(t) in seen or t.base is not None or any(np.may_share_memory(t, v._data) for v in given)
    t = t.copy() if shared else t
    seen.add(id(t))
    return wrap(t)


def still(o: Tensor, lead: tuple[int, ...]) -> Tensor:
    """The derivative of an output that does not move."""
    dtype = o._data.dtype if o._data.dtype.kind in "fc" else np.dtype(np.float64)
    zero = wrap(np.zeros(o._data.shape + lead, dtype))
    return symbolic(zero, sizes_of(o)) if type(o) is Symbol else zero


def tangent_for(x: Tensor, t: Tensor, graph: bool) -> Tensor:
    """A tangent in the dtype of its input; a symbol's as a symbol, which makes symbols of all that follows."""
    if t._data.dtype != x._data.dtype:
        t = table("cast")(t, x._data.dtype) if graph else wrap(t._data.astype(x._data.dtype))
    if type(x) is Symbol and type(t) is Tensor:
        return symbolic(wrap(t._data, t._node), sizes_of(x))
    return t


def tangents_like(
    what: str, primals: Any, tangents: Any, inputs: Sequence[Tensor], name: str = "primals", other: str = "tangents"
) -> list[Tensor]:
    """The arrays of ``tangents`` in the order of those of ``primals``, as tensors; raises where they do not fit."""
    spec = flatten_values(primals)[1]
    leaves = flatten_like(spec, tangents)
    if leaves is None or any(np.shape(getattr(t, "_data", t)) != x._data.shape for t, x in zip(leaves, inputs)):
        raise ShapeError(
            f"{what} takes {other} like {name}",
            str(difference(primals, tangents, name, other)),
            "A tangent is a direction in which an argument moves: give it the argument's structure and shapes.",
        )
    found = []
    for t, x in zip(leaves, inputs, strict=True):
        try:
            v = as_variable(np.asarray(t, x._data.dtype) if isinstance(t, (bool, np.bool_)) else t)
        except ValueError:
            raise DTypeError(
                f"{what} takes numbers as tangents, got {type(t).__name__!r}", "", "Pass arrays like the primals.",
            ) from None  # fmt: skip
        if v._data.dtype.kind == "c" and x._data.dtype.kind != "c":
            raise DTypeError(
                f"{what}: a real argument moves in a real direction",
                f"The argument has dtype {x._data.dtype}, its tangent {v._data.dtype}.",
                "Take the tangent's real part, or make the argument complex.",
            )
        found.append(v)
    return found


__all__ = ["Run", "still", "tangent_for", "tangents_like"]

"""``sg.vmap``: a function of one example, run on a batch of them.

The idea to hold: there are three routes to one result. *Batched*: the function runs once, on symbols, and what it
recorded is replayed on all examples at once. *In groups*: where the examples' whole numbers decide (a size, a branch),
examples of equal numbers make a batch. *In a loop*, one by one: always right, and taken wherever the others
are not sure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._errors import GradientError
from .._function_batch import VmapRuleError
from ..core import TABLE, modes, shape_of
from ..ops._public import FUNCTIONS, METHODS
from ..ops.create._random import Beginnings
from ..sweep.replay import Batched, Unbatchable
from ._random_state import Randomness
from ._tree import Spec, flatten, unflatten
from ._variables import to_plain
from ._vmap_arguments import (
    Mapped,
    all_equal,
    check_out_dims,
    joined,
    mapped,
    place_results,
    result_tensor,
    stacked,
    title,
)
from ._vmap_trace import Branches, TracedExample

Results = tuple[list[Any], Spec]  # the leaves with the batch in its place, and their structure


class Settings(NamedTuple):
    """What `vmap` was asked for, beside the function."""

    in_dims: Any
    out_dims: Any
    randomness: str
    chunk_size: int | None


class Call:
    """One call of a mapped function.

    Attributes
    ----------
    words : which route was taken, and why
    """

    def __init__(self, func: Any, settings: Settings, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.func, self.settings, self.name = func, settings, title(func)
        check_out_dims(self.name, settings.out_dims)
        self.batch = mapped(func, settings.in_dims, args, kwargs)
        self.random = Randomness(settings.randomness)
        self.words = ""
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
            i for i, (leaf, d) in enumerate(zip(batch.leaves, batch.dims, strict=True))
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
    settings = Settings(in_dims, out_dims, randomness, chunk_size)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return Call(func, settings, args, kwargs).result()

    def plan(*args: Any, **kwargs: Any) -> str:
        """Return in words how these arguments are run, and why (which runs them)."""
        call = Call(func, settings, args, kwargs)
        call.result()
        return call.words

    wrapper.plan = plan  # type: ignore[attr-defined]
    return wrapper


__all__ = ["vmap"]

"""In-place writes: what may be written to, and the history of what was.

A write through a tensor or a view of it is recorded as a new value of the root (``CopySlices``), and every live view of
it gets a new node that takes the view of that new value: eagerly, so that reading a tensor's node never has to ask
whether it is still true.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, InplaceError, ShapeError, SymbolicBranchError
from .._limits import HELD
from .._typing import WORDS
from . import modes, storage
from .dispatch import run_on_carriers
from .dual import Dual
from .graph import (
    FLOATS,
    FORGOTTEN,
    Extra,
    Node,
    Overwritten,
    Symbol,
    Tensor,
    edge,
    extra,
    found_from_values,
    has_history,
    is_leaf_node,
    listening,
    meta,
    new_node,
    tensor_around,
    view_steps,
    wrap,
)
from .ownership import Gradients, add_to
from .pull import reduce_to
from .reading import keep_saved, recorded_since, saved_values
from .record import describe, make_node
from .symbols import make_symbolic, merged_sizes, sizes_of
from .table import row_function


def check_writable(t: Tensor, what: str, *operands: Any) -> None:
    """Raise where an in-place write of what is computed from ``operands`` to ``t`` is not allowed; changes nothing."""
    bag = t._extra
    if bag is not None:
        _raise_if_banned(t, bag, what)
    if modes.mode.get() > 0:
        if is_leaf_node(t._node):
            raise InplaceError(
                "a leaf Variable that requires grad is being used in an in-place operation.",
                f"{what} would overwrite {_title(t)}.",
                _argument_advice(t) or "Write under sg.no_grad(), or to a clone().",
            )
        if bag is not None and bag.view is not None:
            root, path = bag.view
            # a constant's view has a history of its own where it was taken of another view that was made a leaf
            if is_leaf_node(root._node) or (root._node is None and t._node is not None):
                raise InplaceError(
                    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                    f"{what} would overwrite part of {_title(root)}.",
                    _argument_advice(root) or "Write under sg.no_grad(), or to a view of a clone().",
                )
            if root._node is not None or t._node is not None or any(map(has_history, operands)):
                _check_path(t, path, what)
    if modes.running.get() is not None:
        _check_callers_memory(t, what)
    if bag is not None and bag.inference is True and modes.mode.get() != modes.INFERENCE:
        raise InplaceError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.",
            f"{what} on {_title(t)}.",
            "You can make a clone to get a normal tensor before doing inplace update.",
        )
    if _overlaps(t._data):
        raise InplaceError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
            f"{what} on {_title(t)}, an expanded view.",
            "Please clone() the tensor before performing the operation.",
        )
    keeper = modes.keeper.get()
    if keeper is not None:
        keeper.keep(t._data)
    if not t._data.flags.writeable:
        raise InplaceError(
            "the memory of this tensor is read-only: NumPy says so of the array it came from (or expand() made it).",
            f"{what} on {_title(t)}.",
            "clone() the tensor, or make the array writeable first.",
        )


def _raise_if_banned(t: Tensor, bag: Extra, what: str) -> None:
    ban = bag.write_ban if bag.view is None else bag.view[0]._extra.write_ban
    if ban is not None and (ban.always or modes.mode.get() > 0):
        raise InplaceError(ban.why, f"{what} on {_title(t)}.", ban.advice)


_INSTEAD = (
    "Leave the argument as it is: write x = x + 1 in place of x += 1, or write to a copy, x = np.copy(x) or x.clone()."
)


def _argument_advice(leaf: Tensor) -> str:
    """What to do in place of a write to an argument of the function that a transform runs; empty for other leaves."""
    around = modes.running.get()
    while around is not None:
        if any(leaf is v for v in around.variables):
            return _INSTEAD
        around = around.around
    return ""


def _check_callers_memory(t: Tensor, what: str) -> None:
    """Raise where a function that a transform runs at NumPy arrays writes to one of these, unseen by the graph."""
    around = modes.running.get()
    while around is not None and around.on_arrays:
        if any(storage.owner(t._data) is storage.owner(v._data) for v in around.variables):
            raise InplaceError(
                "a function that is differentiated would overwrite the array that it was called with.",
                f"{what} on {_title(t)}, under no_grad() or on a detached tensor: the derivative would not know of it.",
                _INSTEAD,
            )
        around = around.around


def _check_path(t: Tensor, path: Any, what: str) -> None:
    """Raise where no history can be put through one of the steps to a view."""
    while path is not None:
        _, _, _, path, mode, multi = path
        if multi:
            raise InplaceError(
                f"Output 0 of {multi} is a view and is being modified inplace. This view is the output of a function "
                "that returns multiple views. Such functions do not allow the output views to be modified inplace.",
                f"{what} on {_title(t)}.",
                "You should replace the inplace operation by an out-of-place one.",
            )
        if mode <= 0:
            made, now = "no_grad", "with grad mode enabled"
            if mode == modes.INFERENCE:
                made, now = "inference", "in normal mode"
            raise InplaceError(
                f"A view was created in {made} mode and is being modified inplace {now}.",
                f"{what} on {_title(t)}.",
                "Given that this use case is ambiguous and error-prone, it is forbidden: "
                "write in one mode, or clone().",
            )


def _overlaps(data: np.ndarray) -> bool:
    if 0 not in data.strides or data.size < 2:
        return False
    return any(s == 0 and n > 1 for s, n in zip(data.strides, data.shape, strict=True))


def _title(t: Tensor) -> str:
    name = t.name or "a tensor"
    return f"{name} of shape {tuple(t._data.shape)} and dtype {t._data.dtype}"


def keep_original(t: Tensor, result: Tensor, since: int) -> None:
    """Before ``t`` is overwritten by ``result``: what nodes recorded ``since`` saved of its memory becomes a copy."""
    notes = listening.get()
    if notes is not None and type(result) is Symbol and type(t) is not Symbol:
        notes.doubt("it writes in place")  # into something of the caller's, maybe, where a symbol must not stay
        raise SymbolicBranchError("a symbol cannot be written to a tensor here")
    node = result._node
    if node is None:
        return
    block, copies = storage.owner(t._data), dict[int, np.ndarray]()
    for n in recorded_since([node], since) if 0 < since < node.seq - 1 else [node]:
        values = saved_values(n)
        own = tuple([_kept(v, block, copies) for v in values])
        if any(a is not b for a, b in zip(own, values, strict=True)):
            keep_saved(n, own)


def _kept(value: Any, block: Any, copies: dict[int, np.ndarray]) -> Any:
    """What was saved, copied where it lies in a block of memory. (No closure that calls itself: a circle keeps it.)"""
    if type(value) is tuple:
        return tuple([_kept(v, block, copies) for v in value])
    if type(value) is not np.ndarray or storage.owner(value) is not block:
        return value
    if id(value) not in copies:
        copies[id(value)] = value.copy()
    return copies[id(value)]


def write_result(t: Tensor, result: Tensor, what: str, since: int = 0) -> Tensor:
    """Make ``result`` (computed out of place) the new value of ``t``, in its memory; returns ``t``.

    ``since``: the time at which its computation began, if it has several steps.

    Everything that can be wrong is checked before anything changes.
    """
    new = result._data
    if new.shape != t._data.shape:
        raise ShapeError(
            f"output with shape {list(t._data.shape)} doesn't match the broadcast shape {list(new.shape)}",
            f"{what} on {_title(t)}.",
            "Give out= the result's shape, or none: sg.empty(0)."
            if what.endswith("(out=)")
            else "Use the operation without the underscore, which returns a new tensor.",
        )
    if new.dtype != t._data.dtype and not castable(new.dtype, t._data.dtype):
        raise DTypeError(
            f"result type {short_dtype(new.dtype)} can't be cast to the desired output type "
            f"{short_dtype(t._data.dtype)}",
            f"{what} on {_title(t)}.",
            "Cast the operand, or use the operation without the underscore.",
        )
    node = result._node
    if node is not None and new.dtype != t._data.dtype:
        result = row_function("cast")(result, t._data.dtype)
    elif node is None and t._node is not None and modes.mode.get() > 0:
        result = row_function("copy_from")(t, result)  # a constant: what was there has a gradient, of zeros
    new, node = result._data, result._node
    keep_original(t, result, since)
    bag = t._extra
    np.copyto(t._data, new, casting="unsafe")
    storage.stamp(t._data, seen=bag is None or not bag.untracked)
    if found_from_values(t) or found_from_values(result):
        mark_overwritten(t)
    elif bag is not None:
        bag.origin = None
    rebase(t, edge(result) if node is not None else None)
    if type(t) is Dual or type(result) is Dual:
        Dual.written(t, result)
    if type(result) is Symbol:
        _hide(t, sizes_of(result))
    return t


def mark_overwritten(t: Tensor) -> None:
    """Let a constant that was overwritten, and what it is a view of, say that they hang on values."""
    extra(t).origin = FORGOTTEN
    if t._extra.view is not None:
        extra(t._extra.view[0]).origin = FORGOTTEN


def _hide(t: Tensor, sizes: dict[int, Any]) -> None:
    """Make a symbol of what a symbol was written to and of all that shares its memory: their values only stand in."""
    root = t if t._extra is None or t._extra.view is None else t._extra.view[0]
    views = [ref() for ref in root._extra.views or ()] if root._extra is not None else []
    for one in (root, t, *views):
        if type(one) is Tensor:
            make_symbolic(one, merged_sizes([sizes_of(one), sizes]))


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def castable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    return _RANK.get(source.kind, 4) <= _RANK.get(target.kind, 4)


def short_dtype(dtype: np.dtype[Any]) -> str:
    """PyTorch's word for a dtype; NumPy's where a function of arrays is running."""
    return dtype.name if modes.among_arrays() else WORDS.get(dtype.name, dtype.name)


def rebase(t: Tensor, node: Any) -> None:
    """Give ``t``, whose memory was just written, the history ``node``; its root and views follow."""
    if modes.mode.get() <= 0:
        return  # a write that is not recorded changes the values only
    bag = t._extra
    around = modes.running.get()
    if around is not None and node is not None:
        _note_written(t if bag is None or bag.view is None else bag.view[0], around)
    if bag is None or (bag.view is None and bag.views is None):
        set_node(t, node)
        return
    if bag.view is None:
        set_node(t, node)
        refresh_views(t)
        return
    root, path = bag.view
    before = edge(root)
    if node is None and before is None:
        if root._extra.lent:
            refresh_views(root)
        return
    op = row_function("copy_slices").op
    value = wrap(t._data, node)
    small = root._data.size <= HELD or modes.tracing.get() is not None
    # later writes change what a constant is around this one: formulas and programs read it as it is now
    way = view_steps(path)
    base = wrap(op.forward(root._data, 0, way) if before is None and small else root._data, before)
    set_node(root, make_node(op, root._data, (base, value), (way,), (before, node)))
    refresh_views(root)


def _note_written(root: Tensor, around: modes.Running | None) -> None:
    """Tell the transforms under way that ``root`` got a history in their functions: it may outlive them."""
    while around is not None:
        if around.written is not None:
            around.written[id(root)] = weakref.ref(root)
        around = around.around


def set_node(t: Tensor, node: Any) -> None:
    had = t._node
    t._node = node
    bag = t._extra
    if bag is not None and bag.retains and had is not node and node is not None:
        if isinstance(had, Node):  # hooks stay with the old value; a retained gradient is the newest one's
            meta(had).retained = None
        meta(node).retained = weakref.ref(t)


def refresh_views(root: Tensor, written: bool = True) -> None:
    """New nodes for every live view of ``root``: the view's operations on the root's new value.

    ``written``: it has a new value; else only a new history.
    """
    top = root._extra
    alive = []
    for ref in top.views or ():
        view = ref()
        if view is None:
            continue
        alive.append(ref)
        if view._extra.view is None:  # it has a rule of its own, which knows nothing of the new value
            if written and view._node is not None and type(view._node) is not Overwritten:
                set_node(view, new_node(Overwritten, (view._node,)))
                refresh_views(view)
            continue
        if is_leaf_node(view._node) and not is_leaf_node(edge(root)):
            continue  # made a leaf by its owner
        start = edge(root)
        set_node(view, None if start is None else _replay(root, start, view._extra.view[1]))
    top.views = alive


def _replay(root: Tensor, node: Any, path: Any) -> Any:
    chain = []
    while path is not None:
        chain.append(path)
        path = path[3]
    had = root._data.shape, root._data.dtype
    for op, params, has, *_ in reversed(chain):
        fit = None if had[1] in FLOATS and had[1] is has[1] else (had,)
        node, had = new_node(op.node, (node,), None, (None, params, (had[0],)), fit), has
    return node


class _Resized(Overwritten):
    """The history of a result whose ``.data`` have another shape since: what arrives is summed to the one it had."""

    __slots__ = ()

    def pull(self, g: Any, grads: Gradients) -> None:
        """Pass on what fits where the result was broadcast, as PyTorch does."""
        add_to(grads, self.parents[0], self._fitted(g, False))

    def pull_graph(self, g: Any, grads: Gradients) -> None:
        """The same of tensors."""
        add_to(grads, self.parents[0], self._fitted(g, True))

    def _fitted(self, g: Any, graph: bool) -> Any:
        shape, got = self.consts, None if g is None else tuple(g.shape)  # None: a formula is asked for
        lead = len(got or ()) - len(shape)
        if got is None or lead < 0 or any(a != b and b != 1 for a, b in zip(got[lead:], shape, strict=True)):
            raise ShapeError(
                f"invalid gradient - got {got and list(got)} but expected shape compatible with {list(shape)}",
                f"That is of what {self.name()} made, whose .data were replaced by some of another shape.",
                "Keep the shape when you set .data, or go on with a new tensor.",
            )
        return reduce_to(g, (shape, g.dtype), graph)


def resize(t: Tensor) -> None:
    """Before a result gets ``.data`` of another shape: let its gradient have the shape of now, and it be no view."""
    if t._extra is not None:
        t._extra.view = None
    set_node(t, new_node(_Resized, (t._node,), None, t._data.shape))


def fill(out: Any, op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Write an operation's result to the tensor ``out`` (its results to several)."""
    return fill_by(out, op.name, operands, lambda: run_on_carriers(op, operands, params))


def fill_by(out: Any, name: str, arguments: Iterable[Any], compute: Callable[[], Any]) -> Any:
    """Write what a function of this ``name`` computes to the tensor ``out`` (its results to several), which an empty
    one takes; returns it.

    As in PyTorch nothing is recorded, so nothing may require a gradient.
    """
    outs = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    for t in outs:
        if not isinstance(t, Tensor):
            raise DTypeError(
                f"{name}(): argument 'out' must be Tensor, not {type(t).__name__}",
                "",
                "Pass a tensor: sg.empty(0) takes any result.",
            )
    given = (*_within(arguments), *outs)
    if modes.mode.get() > 0 and any(map(has_history, given)):
        raise GradientError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad.",
            f"It got {describe(given)}.",
            "Leave out= away, or compute under sg.no_grad().",
        )
    found = compute()
    for t, new in zip(outs, found if isinstance(found, tuple) else (found,), strict=True):
        fill_with(t, new, f"{name}(out=)")
    return type(found)(*outs) if hasattr(found, "_fields") else out


def _within(values: Iterable[Any]) -> Iterator[Any]:
    """Values, or what stands in their lists."""
    for v in values:
        yield from _within(v) if isinstance(v, (tuple, list)) else (v,)


def fill_with(t: Tensor, new: Any, what: str) -> Tensor:
    """Make what ``new`` (a tensor or an array) is the value of ``t``, which takes its shape if it is empty."""
    new = tensor_around(new)
    if not t._data.size and new._data.shape != t._data.shape:
        t._data = np.empty(new._data.shape, t._data.dtype)
    check_writable(t, what)
    return write_result(t, new, what)

"""Views and in-place writes: how a functional graph follows memory that changes.

A view remembers the tensor at its root and the operations that lead there. A write through any of them is
recorded as a new value of the root (``CopySlices``), and every live view of it gets a new node that takes the
view of that new value: eagerly, so that reading a tensor's node never has to ask whether it is still true.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .._errors import DTypeError, InplaceError, ShapeError, SymbolicBranchError
from .._limits import HELD, PRUNED
from . import _modes, _storage
from ._graph import FLOATS, Extra, Node, Symbol, Tensor, edge, extra, is_leaf_node, meta, new_node, wrap
from ._guards import OWN_RULE, Guard, Overwritten
from ._notes import listening
from ._reading import keep_saved, saved_values
from ._symbolic import merged, sizes_of, symbolic

_ABSORBING = ("view", "reshape")


def register_view(t: Tensor, a: Tensor, op: Any, params: tuple[Any, ...], multi: str = "") -> Tensor:
    """Note that ``t = op(a, *params)`` shares memory with ``a``; returns ``t``.

    ``multi`` names the node of an operation that returned several views: those may not be written to.
    """
    data = t._data
    if data is a._data:  # the forward had nothing to do: a view all the same, and an array of its own
        data = t._data = data[...]
    if data.base is None:
        return t
    source = a._extra
    if source is not None and source.view is not None:
        root, path = source.view
        if path[0].name == op.name and op.name in _ABSORBING and not multi:
            path = path[3]  # a reshape of a reshape is a reshape: loops of them must not grow a path
    else:
        root, path = a, None
    bag = extra(t)
    bag.view = (root, (op, params, (data.shape, data.dtype), path, _modes.mode.get() > 0, multi))
    if source is not None and source.untracked:
        bag.untracked = True
    _follow(root, t)
    return t


def _follow(root: Tensor, t: Tensor) -> None:
    """Let ``t`` hear of writes to the memory of ``root``."""
    top = extra(root)
    views = top.views
    if views is None:
        views = top.views = []
    elif len(views) > PRUNED and len(views) & (len(views) - 1) == 0:  # at powers of two: prune the dead
        views[:] = [r for r in views if r() is not None]
    views.append(weakref.ref(t))


def guard_output(t: Tensor, base: Tensor, what: str) -> None:
    """Note that ``t``, made by a user-defined operation, shares memory with ``base``: no write can be put through."""
    bag = base._extra
    if bag is not None and bag.view is not None:
        base = bag.view[0]
    guard = None if base._extra is None else base._extra.guard
    if guard is not None and guard.base is not None:
        base = guard.base
    why = f"{what} is a view and is being modified inplace. {OWN_RULE}"
    extra(t).guard = Guard(why, "You can fix this by cloning the output of the custom Function.", base=base)
    _follow(base, t)
    base._extra.lent = True


def is_lent(t: Tensor) -> bool:
    """Whether an operation of the user's shares the memory of ``t``, so that a constant's writes are recorded too."""
    bag = t._extra
    return bag is not None and (bag if bag.view is None else bag.view[0]._extra).lent


def steps(path: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """The operations from the root to a view, in order."""
    rows = []
    while path is not None:
        op, params, _, path, *_ = path
        rows.append((op, params))
    return rows[::-1]


def check_writable(t: Tensor, what: str) -> None:
    """Raise where an in-place write to ``t`` is not allowed; changes nothing."""
    bag = t._extra
    if bag is not None:
        _check_guard(t, bag, what)
    if _modes.mode.get() > 0:
        if is_leaf_node(t._node):
            raise InplaceError(
                "a leaf Variable that requires grad is being used in an in-place operation.",
                f"{what} would overwrite {_title(t)}.",
                _argument_advice(t) or "Write under sg.no_grad(), or to a clone().",
            )
        if bag is not None and bag.view is not None:
            root, path = bag.view
            if is_leaf_node(root._node):
                raise InplaceError(
                    "a view of a leaf Variable that requires grad is being used in an in-place operation.",
                    f"{what} would overwrite part of {_title(root)}.",
                    _argument_advice(root) or "Write under sg.no_grad(), or to a view of a clone().",
                )
            _check_path(t, root, path, what)
    if _modes.running.get() is not None:
        _check_callers_memory(t, what)
    if bag is not None and bag.inference and _modes.mode.get() != _modes.INFERENCE:
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
    if not t._data.flags.writeable:
        raise InplaceError(
            "the memory of this tensor is read-only: NumPy says so of the array it came from (or expand() made it).",
            f"{what} on {_title(t)}.",
            "clone() the tensor, or make the array writeable first.",
        )


def _check_guard(t: Tensor, bag: Extra, what: str) -> None:
    guard = bag.guard if bag.view is None else bag.view[0]._extra.guard
    if guard is not None and (guard.always or _modes.mode.get() > 0):
        raise InplaceError(guard.why, f"{what} on {_title(t)}.", guard.advice)


_INSTEAD = (
    "Leave the argument as it is: write x = x + 1 in place of x += 1, or write to a copy, x = np.copy(x) or x.clone()."
)


def _argument_advice(leaf: Tensor) -> str:
    """What to do in place of a write to an argument of the function that a transform runs; empty for other leaves."""
    around = _modes.running.get()
    while around is not None:
        if any(leaf is v for v in around[1]):
            return _INSTEAD
        around = around[2]
    return ""


def _check_callers_memory(t: Tensor, what: str) -> None:
    """Raise where a function that a transform runs at NumPy arrays writes to one of these, unseen by the graph."""
    around = _modes.running.get()
    while around is not None and around[0]:
        if any(_storage.owner(t._data) is _storage.owner(v._data) for v in around[1]):
            raise InplaceError(
                "a function that is differentiated would overwrite the array that it was called with.",
                f"{what} on {_title(t)}, under no_grad() or on a detached tensor: the derivative would not know of it.",
                _INSTEAD,
            )
        around = around[2]


def _check_path(t: Tensor, root: Tensor, path: Any, what: str) -> None:
    while path is not None:
        _, _, _, path, tracked, multi = path
        if multi and (root._node is not None or t._node is not None):
            raise InplaceError(
                f"Output 0 of {multi} is a view and is being modified inplace. This view is the output of a function "
                "that returns multiple views. Such functions do not allow the output views to be modified inplace.",
                f"{what} on {_title(t)}.",
                "You should replace the inplace operation by an out-of-place one.",
            )
        if not tracked and root._node is not None:
            raise InplaceError(
                "A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
                f"{what} on {_title(t)}.",
                "Given that this use case is ambiguous and error-prone, it is forbidden: "
                "write in one mode, or clone().",
            )


def _overlaps(data: np.ndarray) -> bool:
    if 0 not in data.strides or data.size < 2:
        return False
    return any(s == 0 and n > 1 for s, n in zip(data.strides, data.shape, strict=True))


def _title(t: Tensor) -> str:
    name = t._extra.name if t._extra is not None and t._extra.name else "a tensor"
    return f"{name} of shape {tuple(t._data.shape)} and dtype {t._data.dtype}"


def keep_original(t: Tensor, result: Tensor) -> None:
    """Before ``t`` is overwritten by ``result``: what the new node saved of ``t`` becomes a copy of its own."""
    notes = listening.get()
    if notes is not None and type(result) is Symbol and type(t) is not Symbol:
        notes.doubt("it writes in place")  # into something of the caller's, maybe, where a symbol must not stay
        raise SymbolicBranchError("a symbol cannot be written to a tensor here")
    node = result._node
    if node is None or not any(v is t._data for v in saved_values(node)):
        return
    copy = t._data.copy()
    keep_saved(node, tuple(copy if v is t._data else v for v in saved_values(node)))


def write(t: Tensor, result: Tensor, what: str) -> Tensor:
    """Make ``result`` (computed out of place) the new value of ``t``, in its memory; returns ``t``.

    Everything that can be wrong is checked before anything changes.
    """
    new = result._data
    if new.shape != t._data.shape:
        raise ShapeError(
            f"output with shape {list(t._data.shape)} doesn't match the broadcast shape {list(new.shape)}",
            f"{what} on {_title(t)}.",
            "Use the operation without the underscore, which returns a new tensor.",
        )
    if new.dtype != t._data.dtype and not _castable(new.dtype, t._data.dtype):
        raise DTypeError(
            f"result type {_short(new.dtype)} can't be cast to the desired output type {_short(t._data.dtype)}",
            f"{what} on {_title(t)}.",
            "Cast the operand, or use the operation without the underscore.",
        )
    node = result._node
    if node is not None and new.dtype != t._data.dtype:
        from ._rules import table

        result = table("cast")(result, t._data.dtype)
        new, node = result._data, result._node
    keep_original(t, result)
    bag = t._extra
    np.copyto(t._data, new, casting="unsafe")
    _storage.stamp(t._data, seen=bag is None or not bag.untracked)
    if bag is not None:
        bag.origin = None
    rebase(t, edge(result) if node is not None else None)
    if type(result) is Symbol:
        _hide(t, sizes_of(result))
    return t


def _hide(t: Tensor, sizes: dict[int, Any]) -> None:
    """Make a symbol of what a symbol was written to and of all that shares its memory: their values only stand in."""
    root = t if t._extra is None or t._extra.view is None else t._extra.view[0]
    views = [ref() for ref in root._extra.views or ()] if root._extra is not None else []
    for one in (root, t, *views):
        if type(one) is Tensor:
            symbolic(one, merged([sizes_of(one), sizes]))


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _castable(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    return _RANK.get(source.kind, 4) <= _RANK.get(target.kind, 4)


def _short(dtype: np.dtype[Any]) -> str:
    names = {
        "float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "bool": "Bool",
        "complex64": "ComplexFloat", "complex128": "ComplexDouble",
    }  # fmt: skip
    return names.get(dtype.name, dtype.name)


def rebase(t: Tensor, node: Any) -> None:
    """Give ``t``, whose memory was just written, the history ``node``; its root and views follow."""
    if _modes.mode.get() <= 0:
        return  # a write that is not recorded changes the values only
    bag = t._extra
    around = _modes.running.get()
    if around is not None and node is not None:
        _note_written(t if bag is None or bag.view is None else bag.view[0], around)
    if bag is None or (bag.view is None and bag.views is None):
        _set_node(t, node)
        return
    if bag.view is None:
        _set_node(t, node)
        refresh(t)
        return
    root, path = bag.view
    before = edge(root)
    if node is None and before is None:
        if root._extra.lent:
            refresh(root)
        return
    from ._rules import table
    from ._run import make_node

    op = table("copy_slices").op
    value = wrap(t._data, node)
    small = root._data.size <= HELD or _modes.tracing.get() is not None
    # later writes change what a constant is around this one: formulas and programs read it as it is now
    way = steps(path)
    base = wrap(op.forward(root._data, 0, way) if before is None and small else root._data, before)
    _set_node(root, make_node(op, root._data, (base, value), (way,), (before, node)))
    refresh(root)


def _note_written(root: Tensor, around: Any) -> None:
    """Tell the transforms under way that ``root`` got a history in their functions: it may outlive them."""
    while around is not None:
        if len(around) > 3:
            around[3][id(root)] = weakref.ref(root)
        around = around[2]


def _set_node(t: Tensor, node: Any) -> None:
    had = t._node
    t._node = node
    bag = t._extra
    if bag is not None and bag.retains and had is not node and node is not None:
        if isinstance(had, Node):  # hooks stay with the old value; a retained gradient is the newest one's
            meta(had).retained = None
        meta(node).retained = weakref.ref(t)


def refresh(root: Tensor, written: bool = True) -> None:
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
                _set_node(view, new_node(Overwritten, (view._node,)))
                refresh(view)
            continue
        if is_leaf_node(view._node) and not is_leaf_node(edge(root)):
            continue  # made a leaf by its owner
        start = edge(root)
        _set_node(view, None if start is None else _replay(root, start, view._extra.view[1]))
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


def alias(t: Tensor, untracked: bool) -> Tensor:
    """A tensor of the same memory without history: ``detach`` (writes are seen) and ``.data`` (they are not)."""
    new = wrap(t._data[...])
    if untracked:
        bag = new._extra = Extra()
        bag.untracked = True
    return new

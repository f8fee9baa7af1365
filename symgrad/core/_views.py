"""Views: a view remembers the tensor at its root and the operations that lead there, and its root knows it.

So a write through any of them can be told to all (see ``_writes.py``).
"""

from __future__ import annotations

import weakref
from typing import Any

from .._limits import PRUNED
from . import modes
from ._graph import Extra, Tensor, extra, wrap
from ._guards import OWN_RULE, Guard

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
    bag.view = (root, (op, params, (data.shape, data.dtype), path, modes.mode.get(), multi))
    bag.inference = source is not None and source.inference
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


def alias(t: Tensor, untracked: bool) -> Tensor:
    """A tensor of the same memory without history: ``detach`` (writes are seen) and ``.data`` (they are not)."""
    new = wrap(t._data[...])
    inference = t._extra is not None and t._extra.inference and "detached"
    if untracked or inference:
        bag = new._extra = Extra()
        bag.untracked, bag.inference = untracked, inference
    return new

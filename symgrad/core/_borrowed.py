"""Large NumPy arrays that rules will read again, and whether they were written to in between.

The idea to hold: small ones are copied (`own`), large ones are borrowed. NumPy tells nobody of a write,
so the node that saved one keeps a sample of the entries, which is compared when a sweep comes to it, or when the
function that a transform runs has returned: a buffer filled anew does not go unnoticed, a write to few entries may.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from threading import RLock, get_ident
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._errors import InplaceError
from .._limits import COPIES, SAMPLED, WRAPPED
from . import storage
from ._graph import Node, Tensor
from ._reading import saved_arrays, saved_values

_lent: WeakKeyDictionary[Node, tuple[int, dict[int, bytes]]] = WeakKeyDictionary()
"""By node: the thread that made it, and a sample of each array that is somebody else's, by identity."""

_lending = RLock()


def _sample(array: np.ndarray) -> bytes:
    """Some entries, evenly spread."""
    step = 1 + array.size // SAMPLED
    if array.flags.forc:
        return array.ravel("K")[::step].tobytes()
    return np.asarray(array.flat[::step]).tobytes()


def lend(node: Node, arrays: Sequence[np.ndarray]) -> None:
    """Note arrays that a node saved and that others may write to."""
    with _lending:
        _lent[node] = get_ident(), {id(a): _sample(a) for a in arrays}


def require_unwritten(nodes: Iterable[Any], but: Container[Any] = ()) -> dict[int, np.ndarray]:
    """Raise if an array that one of these nodes borrowed has other values now; returns these arrays, by identity.

    ``but``: nodes whose rules are not run.
    """
    found: dict[int, np.ndarray] = {}
    if not _lent:
        return found
    for node in nodes:
        entry = _lent.get(node)
        if entry is None or node in but:
            continue
        for value in saved_arrays(saved_values(node)):
            before = entry[1].get(id(value))
            if before is None:
                continue
            found[id(value)] = value
            if _sample(value) != before:
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation, "
                    f"unseen: a NumPy array of shape {value.shape} and dtype {value.dtype}, which {node.name()} saved.",
                    "It was written to after it was used; of large arrays no copy is made."
                    + (f" Recorded at {node.meta.where}." if node.meta and node.meta.where else ""),
                    "Write a = a * 2 in place of a *= 2, make the buffer inside the loop, or compute with a.copy().",
                )
    return found


def lend_again(nodes: Iterable[Node], arrays: dict[int, np.ndarray]) -> None:
    """Note which of ``arrays`` the nodes of a derivative have saved in turn."""
    for node in nodes:
        kept = [v for v in saved_arrays(saved_values(node)) if id(v) in arrays]
        if kept:
            lend(node, kept)


def require_unwritten_since(mark: int) -> None:
    """The same of the nodes that this thread made after time ``mark`` and that are still there."""
    if _lent:
        mine = get_ident()
        with _lending:
            nodes = [node for node, (thread, _) in _lent.items() if thread == mine and node.seq > mark]
        require_unwritten(nodes)


__all__ = ["lend", "lend_again", "require_unwritten", "require_unwritten_since"]


def own(operand: Any) -> Any:
    """A small array as a graph may keep it: a copy, since whoever passed it may go on writing to it (a loop's buffer).

    As long as nobody does, it is one copy: programs know a constant by its identity. A large one would cost memory that
    a graph is not known to cost: it is `borrowed`.
    """
    if not isinstance(operand, np.ndarray) or operand.size > WRAPPED:
        return operand
    numbers, known = operand.tobytes(), _copies.get(id(operand))
    kind = operand.shape, operand.dtype, storage.layout(operand)
    if known is not None and known[0] == numbers and known[1] == kind:
        return known[2]
    if len(_copies) >= COPIES:
        _copies.clear()
    copy = operand.copy("K")
    _copies[id(operand)] = numbers, kind, copy
    return copy


_copies: dict[int, tuple[bytes, Any, np.ndarray]] = {}


def borrowed(t: Any, operands: tuple[Any, ...]) -> Any:
    """A result (or a node) whose node may have saved large arrays among the operands, which are noted; returns it."""
    node = t._node if isinstance(t, Tensor) else t
    if isinstance(node, Node) and node.saved is not None:
        large = [a for a in operands if isinstance(a, np.ndarray) and a.size > WRAPPED]
        if large:
            lend(node, large)
    return t

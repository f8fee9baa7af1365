"""Selections and other linear operations in a product: x[1:], X[:, 0], cumsum(Ax) and their transposes.

The idea to hold: the array of a linear operation never shows as such where it can be run. What is summed over the
inputs of one is its operand; what is summed over its outputs is the operand of its transpose. A selection along one
axis goes straight to the factor that has this axis: ``I[1:] A x`` is ``A[1:]x``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._functions import SELF_ADJOINT
from ._layout import Note, hadamard
from ._parameters import index_of


def selected(note: Note) -> Any:
    """What is taken of one axis, if a note is the array of such a selection; else None."""
    term = note.info
    if note.kind != "linear" or len(term.in_shape) != 1 or term.out_rank > 1:
        return None
    parts = [k for k in index_of(term.op, term.params, 1) or () if k is not Ellipsis]
    if len(parts) != 1 or parts[0] is None:
        return None
    part = parts[0]
    if isinstance(part, np.ndarray):
        return part.tolist() if part.ndim == 1 else int(part) if part.ndim == 0 and part.dtype.kind == "i" else None
    return int(part) if isinstance(part, (int, np.integer)) and not isinstance(part, bool) else part


def taken(note: Note, axis: int, index: Any, size: int | None) -> Note:
    """What an index takes of an array along one axis; ``size`` of them, None for a number, whose axis goes."""
    shape = note.shape[:axis] + (() if size is None else (size,)) + note.shape[axis + 1 :]
    if note.kind == "index" and (place := _open_axis(note, axis, index)) is not None:
        entries = (*note.info[:place], index, *note.info[place + 1 :])
        return Note("index", note.parts, entries, shape)
    entries = tuple([index if k == axis else slice(None) for k in range(note.rank)])
    return Note("index", (note,), entries, shape)


def _open_axis(note: Note, axis: int, index: Any) -> int | None:
    """The place of an axis in an index that takes all of it; None if one index cannot say both."""
    if any(isinstance(e, list) for e in (*note.info, index)):
        return None
    place = [k for k, e in enumerate(note.info) if isinstance(e, slice)][axis]
    return place if note.info[place] == slice(None) else None


def own_transpose(op: Any, params: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The parameters with which an operation is its own transpose; None if there are none."""
    if op.name == "roll":
        shifts, dims = params
        return (tuple([-s for s in shifts]) if isinstance(shifts, tuple) else -shifts), dims
    if op.params[-1:] == ("reverse",):  # what runs along an axis runs the other way
        return *params[:-1], not params[-1]
    return params if op.name in SELF_ADJOINT else None


def written(op: Any, params: tuple[Any, ...], adjoint: bool) -> tuple[str, tuple[Any, ...], bool]:
    """The name in LINEAR that an operation (its transpose, if ``adjoint``) is written by, its parameters, and whether
    it is still the transpose of that."""
    if adjoint and (own := own_transpose(op, params)) is not None:
        adjoint, params = False, own
    backwards = dict(op.named(params)).get("reverse", False)
    return f"{op.name} reverse" if backwards else op.name, params, adjoint


def _select(p: Any) -> bool:
    """A selection along an axis that one other factor has, or vectors alone."""
    for k, (note, s) in p.items.items():
        inside = s[-1]
        index = selected(note)
        if index is None or inside < p.rank or inside in s[:-1]:
            continue
        others = [m for m in p.at[inside] if m != k]
        arrays = [p.items[m] for m in others]
        if len(others) > 1 and all(len(r) == 1 for _, r in arrays):
            return p.replace(tuple(others), hadamard(*[n for n, _ in arrays]), (inside,))
        if len(others) != 1 or arrays[0][1].count(inside) > 1 or set(s[:-1]) & set(arrays[0][1]):
            continue
        array, labels = arrays[0]
        if array.kind == "linear" and selected(array) is not None and labels[-1] == inside:
            continue  # I[1:] I[2:]ᵀ, which the rules for matrices write
        axis = labels.index(inside)
        out = taken(array, axis, index, note.shape[0] if len(s) == 2 else None)
        return p.replace((k, others[0]), out, labels[:axis] + s[:-1] + labels[axis + 1 :])
    return False


SELECTIONS = (_select,)


def run_operations(p: Any) -> None:
    """Let every linear operation that is summed over its inputs, or over its outputs, be applied to its operand."""
    while any(_run(p, k) for k in p.items):
        pass


def _run(p: Any, k: int) -> bool:
    note, s = p.items[k]
    if note.kind != "linear":
        return False
    cut = note.info.out_rank
    return _apply(p, k, s[cut:], s[:cut], False) or _apply(p, k, s[:cut], s[cut:], True)


def _apply(p: Any, k: int, summed: tuple[int, ...], kept: tuple[int, ...], transposed: bool) -> bool:
    """Replace operation number ``k`` and all that its summed indices lead to by what it makes of that."""
    if not summed or len(set(summed)) < len(summed) or any(i < p.rank or i in kept for i in summed):
        return False
    reach, inside = set(summed), set[int]()
    grown = True
    while grown:
        grown = False
        for m, (_, s) in p.items.items():
            if m != k and m not in inside and not reach.isdisjoint(s):
                inside.add(m)
                reach.update(s)
                grown = True
    if any(i < p.rank for i in reach) or not reach.isdisjoint(kept):
        return False
    labels = {i: n for n, i in enumerate([*summed, *sorted(reach - set(summed))])}
    items = [(n, tuple([labels[i] for i in s])) for m, (n, s) in p.items.items() if m in inside]
    items += [(Note("ones", (), None, (p.dims[i],)), (labels[i],)) for i in summed]
    note = p.items[k][0]
    operand = type(p)(items, [p.dims[i] for i in labels], len(summed), p.operand).note(1)
    if operand.kind == "product" and operand.info[1]:
        p.coef = p.coef * operand.info[0]
        p.scalars += operand.parts[:-1]
        operand = operand.parts[-1]
    operand = p.operand(operand)
    shape = note.info.in_shape if transposed else note.info.out_shape
    return p.replace((k, *inside), Note("lin", (operand,), (note.info, transposed), shape), kept)

"""Linear operations in programs: run on stacks of arrays, forwards or transposed; and which of them only move entries.

The idea to hold: an operation that moves entries (a slice, a shift, a reshape, a gather) is a map from places of its
result to places of its operand, found by running it on the numbers of the places.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core._symbolic import plain
from ..expr._evaluate import _run_each
from ..show._functions import GETITEMS, RESHAPES
from ._survey import Unprogrammable
from ._text import align, atom, permuted, times


def sources(lin: Any) -> np.ndarray | None:
    """Per place of the result the place of the operand that it takes its entry from, -1 for zeros; None if it does
    more than move entries. Both are counted in flat order."""
    if "sources" not in lin.memo:
        lin.memo["sources"] = _sources(lin)
    found: np.ndarray | None = lin.memo["sources"]
    return found


def _sources(lin: Any) -> np.ndarray | None:
    inside = tuple(map(int, lin.in_shape))
    n = math.prod(inside)
    run = lin.op.forward
    params = plain(lin.params)
    with np.errstate(all="ignore"):
        numbers = np.asarray(run((np.arange(n, dtype=float) + 1).reshape(inside), *params)).reshape(-1)
        probe = (np.arange(n, dtype=float) * 0.618033988749895 % 1.0 + 0.5).reshape(inside)
        seen = np.asarray(run(probe.copy(), *params)).reshape(-1)
    places = numbers.astype(np.int64) - 1
    if n == 0 or bool((places != numbers - 1).any()) or bool(((places < -1) | (places >= n)).any()):
        return None
    expected = np.where(places >= 0, probe.reshape(-1)[places], 0.0)
    return places if np.array_equal(expected, seen) else None


def run_each(key: Any, array: np.ndarray, lead: int, forward: bool) -> np.ndarray:
    """A linear operation (or its transpose) on each of a stack of arrays."""
    return _run_each(key, np.asarray(array), lead, forward)


def applied(source: Any, term: Any, lins: Any, arrays: Any) -> str:
    """The source of one linear operation on one array."""
    if not arrays:
        return str(source.constant(term))
    used = [k for _, s in term.factors for k in s]
    if all(k < term.rank and used.count(k) == 1 for _, s in lins for k in s):  # patterns beside arrays
        names = [
            align(str(source.constant(f)) if f.kind == "lin" else source.name(f), s, term.rank)
            for f, s in (*lins, *arrays)
        ]
        return times(term.coef, " * ".join(names))
    if len(lins) != 1 or len(arrays) > 1:
        return _multiplied(source, term, lins, arrays)
    (lin, labels), rank = lins[0], term.rank
    array, s = arrays[0]
    out_side, in_side = labels[: lin.out_rank], labels[lin.out_rank :]
    forward = set(in_side) <= set(s) and not set(in_side) & set(range(rank))
    if not in_side:  # of one number: an operation on it, or the transpose on what has its result's indices
        forward = not set(out_side) & set(s)
    side, other = (in_side, out_side) if forward else (out_side, in_side)
    if not set(side) <= set(s) or any(k < rank for k in side) or len(set(s)) < len(s):
        return _multiplied(source, term, lins, arrays)
    lead = tuple([k for k in s if k not in side])
    text = permuted(
        source.name(array) if array.kind == "var" else f"({source.expression(array, '')})", s, (*lead, *side)
    )
    lead_shape = tuple([int(term.dims[k]) for k in lead])
    result = _run(source, lin, text, lead_shape, forward)
    covered = (*lead, *other)
    inside = tuple([k for k in range(rank) if k in covered])
    whole = times(term.coef, permuted(result, covered, inside))
    if len(inside) < rank:
        return f"np.broadcast_to({align(f'({whole})', inside, rank)}, {tuple(map(int, term.shape))})"
    return whole


SMALL = 1 << 16
"""How many entries the matrix of a linear operation may have to be multiplied with as such."""


def operation(lin: Any) -> str:
    """A linear operation as reasons call it."""
    return "an index x[…]" if lin.op.name in GETITEMS else f"'{lin.op.label}'"


def _multiplied(source: Any, term: Any, lins: Any, arrays: Any) -> str:
    """The product with small linear operations as arrays, where they are not simply run on one."""
    if any(math.prod(map(int, f.shape)) > SMALL for f, _ in lins):
        named = " and ".join(dict.fromkeys([operation(f) for f, _ in lins]))
        raise Unprogrammable(f"a product with {named} would need a matrix of more than {SMALL:,} entries")
    parts = [(str(source.constant(f)), s) for f, s in lins]
    parts += [(source.name(f) if f.kind == "var" else f"({source.expression(f, '')})", s) for f, s in arrays]
    labels = {k for _, s in parts for k in s}
    letters = {k: chr(97 + i) for i, k in enumerate(sorted(labels))}
    inside = [k for k in range(term.rank) if k in labels]
    spec = ",".join("".join(letters[k] for k in s) for _, s in parts)
    names = ", ".join(t for t, _ in parts)
    text = f"np.einsum('{spec}->{''.join(letters[k] for k in inside)}', {names}, optimize=True)"
    whole = times(term.coef, text)
    if len(inside) < term.rank:
        return f"np.broadcast_to({align(f'({whole})', inside, term.rank)}, {tuple(map(int, term.shape))})"
    return whole


def _run(source: Any, lin: Any, text: str, lead: tuple[int, ...], forward: bool) -> str:
    name = lin.op.name
    inside, out = tuple(map(int, lin.in_shape)), tuple(map(int, lin.out_shape))
    if name in RESHAPES or (
        name.startswith(("view", "reshape", "squeeze", "unsqueeze", "flatten")) and math.prod(inside) == math.prod(out)
    ):
        return f"{atom(text)}.reshape({(*lead, *(out if forward else inside))})"
    if name in GETITEMS:
        index = dict(zip(lin.op.params, plain(lin.params), strict=False))["index"]
        index = index if isinstance(index, tuple) else (index,)
        basic = all(i is None or i is Ellipsis or isinstance(i, int | slice) for i in index)
        if forward and (basic or not lead):
            entries = ", ".join([*[":" for _ in lead], *[_entry(source, i) for i in index]])
            return f"{atom(text)}[{entries}]"
        if not forward and (basic or not lead):
            target = f"t{len(source.lines)}"
            source.lines.append(f"{target} = np.zeros({(*lead, *inside)})")
            entries = ", ".join([*[":" for _ in lead], *[_entry(source, i) for i in index]])
            if basic:
                source.lines.append(f"{target}[{entries}] = {text}")
            elif sum(isinstance(i, np.ndarray) for i in index) == len(index) == 1 and index[0].dtype.kind in "iu":
                place = _entry(source, np.where(index[0] < 0, index[0] + inside[0], index[0]).reshape(-1))
                if len(inside) == 1:
                    return f"np.bincount({place}, ({text}).reshape(-1), {inside[0]})"
                source.lines.append(f"np.add.at({target}, ({entries},), {text})")
            else:
                source.lines.append(f"np.add.at({target}, np.s_[{entries}], {text})")
            return target
    if name in ALONG and not any(isinstance(p, np.ndarray) for p in lin.params):
        text = ALONG[name](
            atom(text), dict(zip(lin.op.params, plain(lin.params), strict=False)), lead, forward, len(inside)
        )
        if text:
            return text
    places = sources(lin)
    if places is not None and forward and bool((places >= 0).all()):
        index = _entry(source, places)
        return f"{atom(text)}.reshape({(*lead, math.prod(inside))})[..., {index}].reshape({(*lead, *out)})"
    if places is not None and not forward and len(places.reshape(-1)) == math.prod(inside):
        back = np.argsort(places, axis=None, kind="stable")
        if bool((places.reshape(-1)[back] == np.arange(len(back))).all()):  # entries that only change places
            index = _entry(source, back)
            return f"{atom(text)}.reshape({(*lead, len(back))})[..., {index}].reshape({(*lead, *inside)})"
    source.standalone = False
    key = f"lin{len(source.space)}"
    source.space[key], source.space["_run_each"] = lin, run_each
    return f"_run_each({key}, {text}, {len(lead)}, {forward})"


def _cumsum(text: str, params: Any, lead: Any, forward: bool, rank: int) -> str:
    axis = params["dim"] % rank + len(lead)
    if bool(params.get("reverse")) == forward:
        return f"np.flip(np.cumsum(np.flip({text}, {axis}), {axis}), {axis})"
    return f"np.cumsum({text}, {axis})"


def _tril(text: str, params: Any, lead: Any, forward: bool, rank: int) -> str:
    return f"np.tril({text}, {int(params.get('k', 0))})" if rank == 2 else ""


def _triu(text: str, params: Any, lead: Any, forward: bool, rank: int) -> str:
    return f"np.triu({text}, {int(params.get('k', 0))})" if rank == 2 else ""


def _flip(text: str, params: Any, lead: Any, forward: bool, rank: int) -> str:
    dims = params["dims"]
    axes = tuple([d % rank + len(lead) for d in (dims if isinstance(dims, tuple | list) else (dims,))])
    return f"np.flip({text}, {axes})"


ALONG: dict[str, Any] = {"cumsum": _cumsum, "tril": _tril, "triu": _triu, "flip": _flip}
"""Linear operations that NumPy runs on a stack of arrays by itself, forwards and transposed."""


def _entry(source: Any, i: Any) -> str:
    if i is None:
        return "None"
    if i is Ellipsis:
        return "..."
    if isinstance(i, slice):
        ends = ["" if e is None else str(int(e)) for e in (i.start, i.stop)]
        return ":".join(ends) + ("" if i.step is None else f":{int(i.step)}")
    if isinstance(i, np.ndarray):
        return str(source.parameter(i))
    return str(int(i))

"""Formulas with named sizes at other sizes than those they were made with."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from .._errors import ShapeError
from .._limits import bound
from .._trees import postorder
from ..core import Dim, computed
from .node import Call, Delta, Ein, Expr, Lin, One, Var

Sizes = dict[str, tuple[Any, int]]


def sizes_of(variables: dict[str, Var], arrays: dict[str, Any]) -> tuple[Sizes, dict[str, Any]]:
    """The sizes that given arrays have, by name, and the arrays in their symbols' shapes.

    Raises
    ------
    ShapeError : an array does not have its symbol's axes, or two disagree about a named size
    """
    sizes: Sizes = {}
    composed: list[tuple[str, Any, int]] = []
    for name, array in arrays.items():
        x = variables[name]
        if array.ndim != x.rank:
            if array.size == 1 and x.rank == 0:
                arrays[name] = array.reshape(())
                continue
            step = "Give an array of that shape."
            if array.ndim == x.rank + 1:
                step = f"At each of many values: sg.vmap(lambda {name}: f({name}={name}, …))({name})."
            raise ShapeError(f"{name!r} has shape {_text(x.shape)}, not {array.shape}", "", step)
        for d, n in zip(x.shape, array.shape, strict=True):
            label = getattr(d, "name", None)
            if label is None or not _is_plain(d):
                if int(d) != n and label is None:
                    raise ShapeError(
                        f"{name!r} has shape {_text(x.shape)}, not {array.shape}",
                        "The formula was made for these sizes.", "Formulas of any size come from sg.symbol.",
                    )  # fmt: skip
                composed += [(name, d, n)] if label is not None else []
                continue
            known = sizes.setdefault(label, (d, n))
            if known[1] != n:
                raise ShapeError(f"the size {label} is {known[1]} and {n}", f"{name!r} has shape {array.shape}.", "")
    for name, d, n in composed:
        _solve(name, d, n, sizes)
    return sizes, arrays


def _solve(name: str, d: Any, n: int, sizes: Sizes) -> None:
    """Add the size that an array of ``T + 1`` entries tells, T; one that is known must agree."""
    known = {atom: size for atom, (_, size) in sizes.items()}
    unknown = [atom for atom in d.atoms if atom not in known]
    at = [size_at(d, {**known, **dict.fromkeys(unknown, k)}) for k in range(4)]
    slope = at[1] - at[0]
    if len(unknown) > 1 or [at[k + 1] - at[k] for k in range(3)] != [slope] * 3:
        return  # of n·m entries nobody knows n
    rest = n - at[0]
    if (rest % slope or rest * slope < 0) if slope else rest:
        raise ShapeError(f"{name!r} has {n} entries along an axis, and its symbol {d.name}", "", "Give as many.")
    if slope:
        sizes[unknown[0]] = d.atoms[unknown[0]], rest // slope


def _is_plain(d: Any) -> bool:
    return str(getattr(d, "name", "")).isidentifier()


def _text(shape: Any) -> str:
    return (
        "("
        + ", ".join([str(getattr(d, "name", None) or int(d)) for d in shape])
        + ("," if len(shape) == 1 else "")
        + ")"
    )


def size_at(d: Any, sizes: dict[str, int]) -> int:
    """A size where named ones have these lengths."""
    terms = getattr(d, "terms", None)
    if terms is None:
        return int(d)
    total = 0
    for product, coefficient in terms:
        value = coefficient
        for name, standin in product:
            value *= sizes.get(name, int(standin))
        total += value
    return total


def shape_at(shape: Any, sizes: dict[str, int]) -> tuple[int, ...]:
    """A shape where named sizes have these lengths."""
    return tuple([size_at(d, sizes) for d in shape])


def _stand_in(shape: tuple[int, ...], places: bool) -> Any:
    """An array to run an operation on for the shape of its result: places are in every array, a matrix is regular."""
    if places:
        return np.zeros(shape, np.int64)
    return np.zeros(shape) + (np.eye(shape[-2], shape[-1]) if len(shape) > 1 else 1)


SHORTEST = bound(7)
"""The shortest length that stands in for a named size: shorter ones are taken for numbers."""


def shape_following(
    op: Any, params: tuple[Any, ...], inside: list[Any], shape: Any, out: int | None
) -> tuple[Any, ...]:
    """The shape of an operation's result, where a length follows the operands' named sizes by their names.

    ``x[1:]`` of n entries has n − 1: what the operation makes of some entries more tells. A length that follows them in
    a way that is not found is an unclear one. That a length is the one that stands in for a name says nothing.
    """
    names = {a: s for d in (*chain(*inside), *sizes_in(params)) if type(d) is Dim for a, s in d.atoms.items()}
    if not names:
        return tuple(map(int, shape))
    if not any(int(n) >= SHORTEST - 2 for n in shape):
        return tuple(shape)
    beyond = max(map(abs, sizes_in(params, int)), default=0)  # a slice that ends there shows that it does
    far = {a: s + s // 2 + beyond + k for k, (a, s) in enumerate(names.items())}
    try:
        if _result(op, params, inside, far, out) == shape_at(shape, far):
            return tuple(shape)
        steps: list[dict[str, int]] = [{a: s + k} for a, s in names.items() for k in (1, 2)]
        steps += [{a: s + 2 + k for k, (a, s) in enumerate(names.items())}, far]
        found = [(sizes, _result(op, params, inside, sizes, out)) for sizes in steps]
    except (ValueError, IndexError, TypeError):  # not every operation takes zeros, or other sizes
        return tuple(shape)
    if any(len(result) != len(shape) for _, result in found):
        return tuple(shape)
    return tuple([_length(op, int(n), names, [(s, r[k]) for s, r in found], inside) for k, n in enumerate(shape)])


def sizes_in(p: Any, kind: type = Dim) -> list[Any]:
    """The named sizes among parameters, or what else is of a kind: whole numbers."""
    if isinstance(p, (tuple, list)):
        return [d for q in p for d in sizes_in(q, kind)]
    if isinstance(p, slice):
        return sizes_in((p.start, p.stop, p.step), kind)
    return [p] if type(p) is kind else []


def _length(op: Any, n: int, names: dict[str, int], found: list[tuple[dict[str, int], int]], inside: list[Any]) -> Any:
    """The polynomial in named sizes that a length is: a sum of multiples, or a product of two."""
    if all(m == n for _, m in found):
        return n
    total: Any = n
    for name, standin in names.items():
        more = next(m for sizes, m in found if sizes == {name: standin + 1}) - n
        total = total + more * (Dim(name, standin) - standin)
    named = [*{d: 0 for operand in inside for d in operand if type(d) is Dim}]
    for guess in (total, *named, *[a * b for k, a in enumerate(named) for b in named[k:]]):
        if int(guess) == n and all(size_at(guess, sizes) == m for sizes, m in found):
            return guess
    return Dim(f"len({op.label})", n).unclear()


def _result(op: Any, params: tuple[Any, ...], inside: list[Any], sizes: dict[str, int], out: int | None) -> Any:
    with np.errstate(all="ignore"):
        arrays = [_stand_in(shape_at(s, sizes), k in op.places) for k, s in enumerate(inside)]
        found = computed(op, arrays, [parameter_at(p, sizes) for p in params])
    return np.shape(found if out is None else found[out])


def parameter_at(p: Any, sizes: dict[str, int]) -> Any:
    """A parameter where named sizes have these lengths."""
    if isinstance(p, tuple):
        return tuple([parameter_at(q, sizes) for q in p])
    if isinstance(p, slice):
        return slice(parameter_at(p.start, sizes), parameter_at(p.stop, sizes), parameter_at(p.step, sizes))
    return size_at(p, sizes) if getattr(p, "terms", None) is not None else p


def fixed_length(root: Expr) -> str:
    """What in a formula with named sizes has a length of its own that does not follow them; empty if nothing.

    Rules that compute lengths from arrays see the stand-ins. Such a formula holds for the sizes it was made with.
    """
    terms = list(postorder(root))
    if not any(type(n) is Dim for t in terms for n in t.shape):
        return ""
    fixed = {int(t.shape[0]) for t in terms if isinstance(t, (One, Delta)) and type(t.shape[0]) is not Dim}
    if any(isinstance(t, Ein) and _sums_strided(t) for t in terms):
        return "a slice with a step"
    for t in terms:
        if isinstance(t, Lin) and _strided(t) & fixed:
            return "a slice with a step"
        if isinstance(t, (Lin, Call)) and any(_is_long(p) for p in t.params):
            return str(t.op.label)
        if isinstance(t, Var) and is_unnamed(t.name) and _is_long(t.shape):
            return f"the data {t.name}"
        if isinstance(t, (One, Delta)) and type(t.shape[0]) is not Dim and _is_long(int(t.shape[0])):
            return "a matrix or vector of ones"
    return unclear_length(root)


def is_unnamed(name: str) -> bool:
    """Whether a name is one that data without a name are given."""
    return name[0] == "c" and name[1:].isdigit()


def unclear_length(root: Expr) -> str:
    """A length in a formula of which no more is known than that it follows the named sizes; empty if there is none."""
    return next((str(n) for t in postorder(root) for n in t.shape if type(n) is Dim and not n.exact), "")


def _sums_strided(t: Ein) -> bool:
    """Whether what a slice with a step has taken is summed alone: that many ones are written there."""
    labels = [k for _, s in t.factors for k in s]
    return any(
        isinstance(f, Lin) and _strided(f) and any(k >= t.rank and labels.count(k) == 1 for k in s[: f.out_rank])
        for f, s in t.factors
    )


def _strided(t: Lin) -> set[int]:
    """The lengths that slices with a step have of named sizes."""
    steps = [k.step for p in t.params for k in (p if isinstance(p, tuple) else (p,)) if isinstance(k, slice)]
    if all(step in (None, 1) for step in steps) or not any(type(n) is Dim for n in t.in_shape):
        return set()
    return {int(n) for n in t.out_shape if type(n) is not Dim}


def _is_long(p: Any) -> bool:
    """Whether a parameter holds a length as large as those that stand in for names."""
    if isinstance(p, (tuple, list)):
        return any(_is_long(q) for q in p)
    if isinstance(p, slice):
        return any(_is_long(q) for q in (p.start, p.stop, p.step))
    if isinstance(p, np.ndarray):
        return p.dtype.kind in "iub" and p.size >= SHORTEST
    return type(p) is int and abs(p) >= SHORTEST - 1

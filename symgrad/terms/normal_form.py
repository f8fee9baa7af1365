"""Terms in normal form: products, sums and element-wise operations are built here, each of the others.

The idea to hold: two terms that differ only in the order of factors or terms, in the names of summed indices, or in
when they were transposed, become the identical one. Products are flattened, without needless identities and ones, equal
factors are powers; names of indices are fixed by colour refinement: an index is what it is connected to. Like terms of
sums are collected, and products never distributed over them. Of element-wise operations numbers are folded, and powers
of powers and of products. What a term is made of fixes which way round it is: transposes are pushed inwards; as an
operand that is read entry by entry a composite has its axes ascending; as a factor it is the shorter of itself and its
transpose.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from .. import _limits
from ..core import TABLE, Dim
from .canonical import (
    SIGNS,
    Factor,
    Term,
    content,
    is_nonnegative,
    is_real,
    is_rounded,
    is_symmetric,
    sorted_product,
    unit_vectors,
    without_deltas,
)
from .measure import is_negative, is_rational
from .node import Add, Data, Delta, Ein, Expr, Indices, Map, Number, One, Var, exact, power, remembered, tidy_number

SUMS_TO_ONE = "sums to one along "
"""The property of a program's names of probabilities, followed by the number of the axis."""


def number(value: Number) -> Ein:
    """A number as a term."""
    return Ein(value if type(value) is float else tidy_number(value), (), (), 0)  # a float stays as it was written


def axis_size(n: Any) -> Expr:
    """The number of entries along an axis: a number, or the symbol of a named size."""
    terms = getattr(n, "terms", None)
    if terms is None or not n.exact:
        return number(int(n))
    parts = []
    for names, coefficient in terms:
        factors = [(Var(name, (), frozenset(["size"])), ()) for name, _ in names]
        parts.append((1, ein(coefficient, factors, ()), ()))
    return add(parts, ())


def zeros(shape: tuple[int, ...]) -> Expr:
    """An array of zeros."""
    return Ein(0, tuple([(One(n), (i,)) for i, n in enumerate(shape)]), shape, len(shape))


def is_zero(term: Expr) -> bool:
    """Whether a term is the number 0 or an array of zeros."""
    return bool(term.coef == 0)


def constant_of(term: Expr) -> Number | None:
    """The number that every entry of a term is, if it is plainly one."""
    if isinstance(term, Ein) and all(isinstance(f, One) for f, _ in term.factors):
        return term.coef
    return 1 if isinstance(term, One) else None


def transposed(term: Expr, order: Indices) -> Expr:
    """A term with its axes in another order."""
    return ein(1, [(term, term.axes)], order)


def scaled(c: Number, term: Expr) -> Expr:
    """A number times a term."""
    return ein(c, [(term, term.axes)], term.axes)


def dotted(one: Expr, two: Expr) -> Expr:
    """The sum of the entries of a product."""
    return ein(1, [(one, one.axes), (two, two.axes)], ())


def ein(coef: Number, factors: Any, out: Indices, dims: dict[int, int] | None = None, again: bool = True) -> Expr:
    """The product ``coef * sum(prod(factor[labels]))`` with the axes ``out``, over all other labels.

    Parameters
    ----------
    coef : a number
    factors : pairs of a term and its labels (any ints; a label may occur twice)
    out : the labels of the result's axes, all different
    dims : sizes of labels in ``out`` that no factor has (broadcasting)
    again : whether products that come up on the way are flattened too
    """
    flat: list[Factor] = list(factors)
    if len(flat) == 1 and flat[0][1] == out:
        term: Any = flat[0][0]
        if coef == 1:  # itself, as often asked
            return term
        if term.kind == "ein" and _is_in_order(term) and coef != 0:
            return Ein(tidy_number(coef * term.coef), term.factors, term.dims, len(term.shape))
    sizes = _sizes_of_labels(flat, dims)
    coef, flat, kinds = _collected(coef, flat, out, sizes)
    if coef == 0:
        return zeros(tuple([sizes[label] for label in out]))
    named = "var" in kinds and any(f.properties for f, _ in flat if f.kind == "var")  # type: ignore[attr-defined]
    if "delta" in kinds or "one" in kinds or "data" in kinds or named:
        coef, flat = _tidied(coef, flat, out, sizes)
        kinds = {f.kind for f, _ in flat}
        if again and "ein" in kinds:
            return ein(coef, flat, out, _sizes_at(sizes, out), again=False)
    if len(flat) > 1:
        powers = [f for f, _ in flat if f.base is not f]
        may_meet = len({f for f, _ in flat}) < len(flat) or any(map(_is_power_of_sum, powers))
        better = _equal_sums(flat, out) if may_meet else None
        if better is not None:
            return ein(coef, better, out, _sizes_at(sizes, out))
    if len(flat) == 1 and not kinds.isdisjoint(_COMPOSITE) and sorted(flat[0][1]) == sorted(out):
        coef, flat = _turned_round(coef, flat, out, sizes)
    else:
        flat = _shortened(flat, kinds, sizes)
    covered = {label for _, labels in flat for label in labels}
    for label in out:
        if label not in covered:
            flat.append((One(sizes[label]), (label,)))
    return sorted_product(tidy_number(coef), flat, out, sizes)


def _sizes_of_labels(flat: list[Factor], dims: dict[int, int] | None) -> dict[int, int]:
    """The size of each label, a named one where one of the factors has it so; ``dims`` for those of none."""
    sizes: dict[int, int] = {}
    for term, labels in flat:
        for label, n in zip(labels, term.shape, strict=True):
            if label not in sizes or type(n) is Dim:
                sizes[label] = n
    if dims:
        for label, n in dims.items():
            sizes.setdefault(label, n)
    return sizes


def _collected(
    coef: Number, flat: list[Factor], out: Indices, sizes: dict[int, int]
) -> tuple[Number, list[Factor], set[str]]:
    """The product without products in it, equal factors as powers; and the kinds of its factors.

    These are asked for often: most products have nothing that needs tidying.
    """
    kinds = {f.kind for f, _ in flat}
    while coef != 0:
        if "ein" in kinds:
            coef, flat = _flatten(coef, flat, sizes)
            kinds = {f.kind for f, _ in flat}
        if len(flat) < 2 or coef == 0:
            break
        if "lin" in kinds:
            folded = unit_vectors(flat, out)
            coef, flat = (0, flat) if folded is None else (coef, folded)
        before = flat
        coef, flat = _merge_powers(coef, flat)
        kinds = {f.kind for f, _ in flat}
        if flat is before or "ein" not in kinds:  # √u √u is u: a product again
            break
    return coef, flat, kinds


def _turned_round(coef: Number, flat: list[Factor], out: Indices, sizes: dict[int, int]) -> tuple[Number, list[Factor]]:
    """A factor that stands alone, with its axes in the order of the result where it can have them so."""
    f, labels = flat[0]
    turned = permuted(f, tuple([labels.index(label) for label in out])) if labels != out else f
    if turned is None:
        return coef, flat
    flat = [(turned, out)]
    return _flatten(coef, flat, sizes) if isinstance(turned, Ein) else (coef, flat)


def _shortened(flat: list[Factor], kinds: set[str], sizes: dict[int, int]) -> list[Factor]:
    """The factors, each in the shortest of its forms among others."""
    if not kinds.isdisjoint(_COMPOSITE):
        flat = [shorter(f, s) for f, s in flat]
    if "delta" in kinds or "one" in kinds:
        flat = [_of_named_size(f, s, sizes) if f.kind in ("delta", "one") else (f, s) for f, s in flat]
    return flat


_COMPOSITE = frozenset(["map", "add"])


def _is_in_order(whole: Any) -> bool:
    """Whether a product has several factors, which stay what they are when it is multiplied by a number."""
    kinds = [f.kind for f in whole.children]
    return 1 < len(kinds) <= _limits.PRODUCT_FACTORS and "data" not in kinds and whole.coef != 0


def _tidied(coef: Number, flat: list[Factor], out: Indices, sizes: dict[int, int]) -> tuple[Number, list[Factor]]:
    """Factors without the identities and ones that can go."""
    flat = without_deltas(flat, out, sizes)
    count = len(flat)
    coef, flat = _remove_ones(coef, flat, out, sizes)
    rest = _without_probabilities(flat, out)
    if rest is not flat:
        coef, flat = _remove_ones(coef, rest, out, sizes)
    if len(flat) > 1 and (len(flat) != count or any(isinstance(f, Var) and "size" in f.properties for f, _ in flat)):
        coef, flat = _merge_powers(coef, flat)  # a size may meet its own power
    return coef, flat


def shaped(shape: Any, coef: Number, factors: Any) -> Expr:
    """The product as an array of a shape, whose axes are the labels 0, 1, …; see `ein`."""
    return ein(coef, factors, tuple(range(len(shape))), dict(enumerate(shape)))


def _is_power_of_sum(f: Expr) -> bool:
    base, e = f.as_power
    return bool(e != 1) and len(base.dims) > base.rank


def _equal_sums(flat: list[Factor], out: Indices) -> list[Factor] | None:
    """Sums that occur twice, x[0]·x[0], or beside their own power, Bx/(Bx)², as powers; None if there are none."""
    fixed = {*out, *[k for f, s in flat if _is_power_of_sum(f) for k in s]}
    groups = connected(flat, fixed=fixed)
    parts = [(g, tuple(sorted({k for _, s in g for k in s if k in fixed}))) for g in groups]
    sums = [(g, at) for g, at in parts if len(at) < 2 and any(k not in fixed for _, s in g for k in s)]
    if not sums or len(groups) < 2:
        return None
    powers = {(base, s): (e, (f, s)) for f, s in flat for base, e in [f.as_power] if e != 1}
    found: dict[Any, list[Any]] = {}
    for g, at in sums:
        term = ein(1, g, at, again=False)
        found.setdefault((term, at), []).append(g)
    gone: list[Any] = []
    new: list[Factor] = []
    for (term, at), same in found.items():
        beside = powers.get((term, at))
        if beside is None and len(same) == 1:
            continue
        gone += [x for g in same for x in g]
        exponent: Any = len(same)
        if beside is not None:
            exponent += beside[0]
            gone.append(beside[1])
        new.append((pow_(term, exponent), at))
    if not new:
        return None
    left = [x for x in flat if not any(x[0] is f and x[1] == s for f, s in gone)]
    return [*left, *new]


def connected(factors: list[Factor], rank: int = 0, fixed: Collection[int] = ()) -> list[list[Factor]]:
    """Factors in groups that share labels from ``rank`` on, but for ``fixed`` ones: those that are summed together."""
    groups: list[tuple[set[int], list[Factor]]] = []
    for f, s in factors:
        labels = {k for k in s if k >= rank and k not in fixed}
        mine = [g for g in groups if g[0] & labels]
        groups = [g for g in groups if not g[0] & labels]
        groups.append((labels.union(*[g[0] for g in mine]), [x for g in mine for x in g[1]] + [(f, s)]))
    return [g[1] for g in groups]


def _of_named_size(f: Expr, labels: Indices, sizes: dict[int, int]) -> Factor:
    """An identity (a vector of ones) that was made for the length that stands in for a name, of that name."""
    n = sizes[labels[0]]
    return (_named(f, [n]) if type(n) is Dim else f), labels


def _sizes_at(sizes: dict[int, int], labels: Indices) -> dict[int, int]:
    return {label: sizes[label] for label in labels}


def _flatten(coef: Number, factors: list[Factor], sizes: dict[int, int]) -> tuple[Number, list[Factor]]:
    """Products among the factors become their factors, but for those that occur twice (they become powers)."""
    seen: dict[tuple[int, Indices], int] = {}
    for f, labels in factors:
        seen[id(f), labels] = seen.get((id(f), labels), 0) + 1
    total = sum([len(f.factors) if isinstance(f, Ein) else 1 for f, _ in factors])
    fresh = max(sizes, default=-1) + 1
    out: list[Factor] = []
    for f, labels in factors:
        if isinstance(f, Ein):
            coef_too = f.coef
            if not f.factors:
                coef = coef * coef_too
                continue
            once = seen[id(f), labels] == 1 or len(f.dims) == len(f.shape)
            if total <= _limits.PRODUCT_FACTORS and not _holds_extreme(f) and once:
                coef = coef * coef_too
                rank = len(f.shape)
                names = [*labels, *range(fresh, fresh + len(f.dims) - rank)]
                for i in range(rank, len(f.dims)):
                    sizes[names[i]] = f.dims[i]
                fresh += len(f.dims) - rank
                out += [(g, labels_at(names, s)) for g, s in f.factors]
                continue
            if coef_too != 1:
                coef = coef * coef_too
                f = Ein(1, f.factors, f.dims, len(f.shape))
        out.append((f, labels))
    return coef, out


def _holds_extreme(f: Ein) -> bool:
    """Whether a product has a number so large or small that it must be multiplied in the order written."""
    return any(g.kind == "data" and not s for g, s in f.factors)


def _merge_powers(coef: Number, factors: list[Factor]) -> tuple[Number, list[Factor]]:
    """Equal bases at equal labels become one power."""
    keys = {(id(f.base), s) for f, s in factors}
    if len(keys) == len(factors):
        return coef, factors
    bases: dict[tuple[int, Indices], list[Any]] = {}
    for f, labels in factors:
        base, exponent = (f, 1) if isinstance(f, (Delta, One)) else f.as_power
        entry = bases.get((id(base), labels))
        if entry is None:
            bases[id(base), labels] = [f, base, exponent, 1]
        elif not isinstance(f, (Delta, One)):
            entry[2] = tidy_number(entry[2] + exponent)
            entry[3] += 1
    out: list[Factor] = []
    for (_, labels), (f, base, exponent, count) in bases.items():
        if count == 1:
            out.append((f, labels))
            continue
        if exponent == 0:
            out += [(One(n), (label,)) for n, label in zip(base.shape, labels, strict=True)]
            continue
        p: Any = pow_(base, exponent)
        if isinstance(p, Ein) and (not p.factors or len(p.dims) == p.rank):  # split into a product again
            coef = coef * p.coef
            out += [(g, labels_at(labels, s)) for g, s in p.factors]
        else:
            out.append((p, labels))
    return coef, out


def _remove_ones(
    coef: Number, factors: list[Factor], out: Indices, sizes: dict[int, int]
) -> tuple[Number, list[Factor]]:
    """A one is dropped where its index occurs elsewhere; summed alone it is the size."""
    covered = {label for f, labels in factors if f.kind != "one" for label in labels}
    kept: list[Factor] = []
    for f, labels in factors:
        if f.kind != "one":
            kept.append((f, labels))
        elif labels[0] not in covered:
            covered.add(labels[0])
            if labels[0] in out:
                kept.append((f, labels))
            else:
                n = axis_size(sizes[labels[0]])
                if not n.factors:
                    coef = coef * n.coef
                else:
                    kept.append((n, ()))
    return coef, kept


def _without_probabilities(factors: list[Factor], out: Indices) -> list[Factor]:
    """Factors without probabilities that are summed along the axis along which they sum to one."""
    for place, (f, s) in enumerate(factors):
        for axis in _sums_to_one(f) if f.kind == "data" or (f.kind == "var" and f.properties) else ():  # type: ignore[attr-defined]
            k = s[axis]
            if k not in out and sum([label == k for _, u in factors for label in u]) == 1:
                ones = [(One(n), (i,)) for n, i in zip(f.shape, s, strict=True) if i != k]
                return _without_probabilities([*factors[:place], *ones, *factors[place + 1 :]], out)
    return factors


def _sums_to_one(f: Expr) -> list[int]:
    """The axes along which a name of probabilities, or an array with a 1 and else 0, sums to one."""
    if isinstance(f, Data):
        if "sums to one" not in f.memo:
            choice = f.value.dtype.kind == "f" and bool(((f.value == 0) | (f.value == 1)).all())
            f.memo["sums to one"] = [k for k in range(f.rank) if choice and bool((f.value.sum(k) == 1).all())]
        return f.memo["sums to one"]
    named = [p for p in f.properties if p.startswith(SUMS_TO_ONE)] if isinstance(f, Var) else []
    return [int(p[len(SUMS_TO_ONE) :]) for p in named]


def labels_at(labels: Any, axes: Iterable[int]) -> Indices:
    """Where an operand is read in something with labels whose ``axes`` it is read at."""
    return tuple([labels[k] for k in axes])


def all_but(parts: Sequence[Any], *places: int) -> list[Any]:
    """Factors, the terms of a sum, labels: those at other places than some."""
    return [x for i, x in enumerate(parts) if i not in places]


def labels_in(factors: Iterable[Factor]) -> Indices:
    """The labels at which factors are read, in order."""
    return tuple(sorted({k for _, s in factors for k in s}))


def row(name: str) -> Any:
    """A row of the table."""
    return TABLE[name]


# --------------------------------------------------------------------------------------------------------------- sums


UNIT = number(1)


def add(terms: Any, out: Indices, dims: dict[int, int] | None = None) -> Expr:
    """The sum of ``coef * term[labels]`` with the axes ``out``.

    Parameters
    ----------
    terms : triples of a number, a term and its labels (all different, all in ``out``)
    out : the labels of the result's axes
    dims : sizes of labels in ``out`` that no term has
    """
    sizes = _sizes_of_labels([(t, labels) for _, t, labels in terms], dims)
    names = {label: i for i, label in enumerate(out)}
    shape = tuple([sizes[label] for label in out])

    def plain(c: Number, t: Expr, labels: Indices) -> Term:
        if not isinstance(t, Var) and labels and type(sizes[labels[0]]) is Dim:
            t = _named(t, [sizes[label] for label in labels])
        return _plain(c, t, labels_at(names, labels))

    kept = _with_one_more(terms, out, shape, plain)
    if kept is None:
        collected: dict[tuple[int, Indices], list[Any]] = {}
        for c, t, s in [plain(*x) for x in _flat(terms)]:
            entry = collected.get((id(t), s))
            if entry is None and c != 0:
                collected[id(t), s] = [c, t, s]
            elif entry is not None:
                entry[0] = tidy_number(entry[0] + c)
        kept = [(c, t, s) for c, t, s in collected.values() if c != 0]
        if any(t.kind == "add" for _, t, _ in kept):
            opened = _with_like_terms(kept, collected)
            if opened is not None:
                return shaped_sum(shape, opened)
        kept.sort(key=_key)
    if not kept:
        return zeros(shape)
    if len(kept) == 1:
        c, t, s = kept[0]
        return with_number(c, t) if s == tuple(range(len(shape))) else shaped(shape, c, [(t, s)])
    c = content(kept)
    if c != 1:
        inverse = 1 / Fraction(c) if isinstance(c, Fraction) or abs(c) != 1 else c  # type: ignore[arg-type]
        inside = shaped_sum(shape, [(tidy_number(d * inverse), t, s) for d, t, s in kept])
        return scaled(c, inside)
    union = {i for _, _, s in kept for i in s}
    if len(union) < len(shape):  # no term has some axis: the sum is made without it, then broadcast
        inner = add([(c, t, s) for c, t, s in kept], tuple(sorted(union)))
        return shaped(shape, 1, [(inner, tuple(sorted(union)))])
    return Add(tuple(kept), shape)


def shaped_sum(shape: Any, terms: Any) -> Expr:
    """The sum as an array of a shape, whose axes are the labels 0, 1, …; see `add`."""
    return add(terms, tuple(range(len(shape))), dict(enumerate(shape)))


def _with_one_more(terms: Any, out: Indices, shape: Any, plain: Callable[..., Term]) -> list[Term] | None:
    """The terms of a sum and one more, in order, where that is what is added up: a sum that grows in a loop is looked
    at once, not at each of its steps. None where it is something else, or one of them is a sum that has the other.
    """
    if len(terms) != 2:
        return None
    (scale, total, labels), one = terms if terms[0][1].kind == "add" else reversed(terms)
    if total.kind != "add" or scale != 1 or labels != out or inner_sum(one[1])[0] is not None:
        return None
    if len(total.terms) > _limits.SUM_TERMS or not _same_sizes(total.shape, shape):
        return None
    c, t, s = plain(*one)
    if any(u.kind == "add" and t in u.children for u in total.children):
        return None
    kept = list(total.terms)
    place = bisect_left(kept, (t.digest, s), key=_key)
    while place < len(kept) and kept[place][1].digest == t.digest and kept[place][2] == s:
        if kept[place][1] is t:
            c = tidy_number(kept[place][0] + c)
            kept[place : place + 1] = [(c, t, s)] if c != 0 else []
            return kept
        place += 1
    if c != 0:
        kept.insert(place, (c, t, s))
    return kept


def _same_sizes(shape: Any, other: Any) -> bool:
    """Whether shapes are one, also in what their sizes are called: a named size equals the length behind it."""
    return [getattr(n, "terms", n) for n in shape] == [getattr(n, "terms", n) for n in other]


def _named(t: Expr, shape: list[int]) -> Expr:
    """A term whose identities and ones were made for the length that stands in for a name, of that name."""
    if isinstance(t, (Delta, One)):
        return t if type(t.shape[0]) is Dim else type(t)(shape[0])
    if not isinstance(t, Ein):
        return t
    unnamed = [f for f, _ in t.factors if f.kind in ("delta", "one")]
    if not unnamed or all(type(f.shape[0]) is Dim for f in unnamed):
        return t
    factors, changed = [], False
    for f, s in t.factors:
        if isinstance(f, (Delta, One)) and s[0] < len(shape) and type(f.shape[0]) is not Dim:
            f, changed = _named(f, [shape[s[0]]]), True
        factors.append((f, s))
    return ein(t.coef, factors, t.axes, dict(enumerate(shape))) if changed else t


def _key(term: Term) -> Any:
    return term[1].digest, term[2]


def _flat(terms: Any) -> list[Term]:
    """Sums among the terms become their terms."""
    if not any(isinstance(t, (Add, Ein)) for _, t, _ in terms):
        return list(terms)
    out: list[Term] = []
    for c, t, labels in terms:
        inner, sign, _ = inner_sum(t)
        if inner is not None and abs(c * sign) == 1 and len(out) + len(inner.terms) <= _limits.SUM_TERMS:
            out += summands(t, c, labels)
        else:
            out.append((c, t, labels))
    return out


def _with_like_terms(kept: list[Term], collected: Any) -> list[Term] | None:
    """Terms with the sums among them opened that hold one of the others: 2(a − b) + 4b; None if none does."""
    for c, t, s in kept:
        if isinstance(t, Add):
            inner = summands(t, c, s)
            if any((id(u), i) in collected for _, u, i in inner):
                return [x for x in kept if x[1] is not t or x[2] != s] + inner
    return None


def inner_sum(t: Expr) -> tuple[Add | None, Number, Indices]:
    """The sum that a term is but for a number and the order of axes: (sum, number, where each of its axes goes)."""
    if isinstance(t, Add):
        return t, 1, t.axes
    if isinstance(t, Ein):
        sums = [(f, s) for f, s in t.factors if f.kind != "one"] if len(t.dims) == len(t.shape) else []
        if len(sums) == 1 and isinstance(sums[0][0], Add) and len(set(sums[0][1])) == len(sums[0][1]):
            return sums[0][0], t.coef, sums[0][1]
    return None, 1, ()


def places_of_sums(term: Expr) -> list[int]:
    """The places of the sums among the factors of a product."""
    return [i for i, (f, _) in enumerate(term.factors) if isinstance(f, Add)]


def summands(t: Expr, c: Number, labels: Indices) -> list[Term]:
    """What ``c * t[labels]`` adds up, also where a number stands before the sum; itself where it is none."""
    inner, scale, order = inner_sum(t)
    if inner is None:
        return [(c, t, labels)]
    return [(tidy_number(c * scale * d), u, tuple([labels[order[k]] for k in s])) for d, u, s in inner.terms]


def _plain(c: Number, t: Expr, s: Indices) -> Term:
    """A term with its number in front, read as an operand is."""
    t, s = _argument(t, s)
    if isinstance(t, Ein) and t.coef != 1:
        c = tidy_number(c * t.coef)
        t, s = _argument(with_number(1, t) if t.coef != 0 else number(0), s)
    return c, t, s


def with_number(c: Number, t: Expr) -> Expr:
    """A number times a term without one, for a product in place of its own: its factors are in order already."""
    if len(t.factors) > 1:
        return Ein(tidy_number(c), t.factors, t.dims, len(t.shape))
    return shaped(t.shape, c, t.factors)


def _without_ones(t: Ein, s: Indices) -> tuple[Expr, Indices]:
    rank = len(t.shape)
    bare = [(f, i) for f, i in t.factors if f.kind != "one"]
    used = {label for _, i in bare for label in i}
    keep = tuple([i for i in range(rank) if i in used])
    return ein(t.coef, bare, keep), labels_at(s, keep)


# -------------------------------------------------------------------------------------------- element-wise operations


def map_(op: Any, args: Any, params: tuple[Any, ...], out: Indices) -> Expr:
    """The element-wise operation ``op`` on pairs of a term and its labels, with the axes ``out``."""
    if op.name == "pow_scalar":
        base, labels = args[0]
        exponent = exact(params[0])
        if exponent is not None:
            return ein(1, [(pow_(base, exponent), labels)], out)
    if op.name == "pow_tensor" and constant_of(args[1][0]) is not None:
        base, labels = args[0]
        return ein(1, [(pow_(base, constant_of(args[1][0])), labels)], out, _sizes_of_labels(args, None))  # type: ignore[arg-type]
    places = {label: i for i, label in enumerate(out)}
    args = [(a, labels_at(places, s)) for a, s in args]
    out = tuple(range(len(out)))
    sizes = _sizes_of_labels(args, None)
    args = [_argument(a, s) for a, s in args]
    labels = tuple(dict.fromkeys([label for _, s in args for label in s]))
    inside = tuple([label for label in out if label in labels])
    term = _fold(op, args, params) if not labels else None
    if term is None and op.truth and len(args) == 2:
        args = _compared(args)
    if term is None:
        term = _shorter(op, args, params, inside, sizes)
    if term is None:
        names = {label: i for i, label in enumerate(inside)}
        local = tuple([(a, labels_at(names, s)) for a, s in args])
        term = Map(op, local, params, tuple([sizes[label] for label in inside]))
    return term if inside == out else ein(1, [(term, inside)], out, sizes)


def _compared(args: Any) -> Any:
    """What is compared, an array read the way round in which it stands in the other: beside its transpose, or beside
    its largest entries. Turned round, a product may be rounded otherwise, and is equal to nothing there.
    """
    for (a, s), (b, _) in (args, args[::-1]):
        whole = b.args[0] if b.kind == "call" else b
        rounded = a.kind in _ROUNDED and 1 < a.rank < 4 and whole.rank == a.rank
        if rounded and whole is not a and (whole is not b or b.digest < a.digest):
            for order in permutations(a.axes):
                if transposed(whole, order) is a:
                    turned = whole, tuple([s[order.index(k)] for k in a.axes])
                    return [turned if x is a else (x, t) for x, t in args]
    return args


_ROUNDED = frozenset(["map", "add", "ein"])


def _argument(a: Expr, s: Indices) -> tuple[Expr, Indices]:
    """An operand without broadcasting of its own, its labels ascending where it has no order of its own."""
    if isinstance(a, One):
        return UNIT, ()
    if isinstance(a, Ein):
        rank = len(a.shape)
        if "one" in [f.kind for f in a.children]:  # broadcast here, not there
            return _argument(*_without_ones(a, s))
        f, labels = a.factors[0] if len(a.factors) == 1 and a.coef == 1 else (a, ())
        if len(set(labels)) == len(labels) == rank == len(a.dims) and f is not a:
            return _argument(f, labels_at(s, labels))  # a transposed array is read at other labels
        order = tuple(sorted(range(rank), key=s.__getitem__))
        if order != tuple(range(rank)):
            return ein(a.coef, a.factors, order), labels_at(s, order)
    if len(s) == 2 and s[0] > s[1] and is_symmetric(a):
        return a, (s[1], s[0])
    return ascending(a, s) if len(s) > 1 else (a, s)


def _fold(op: Any, args: Any, params: tuple[Any, ...]) -> Expr | None:
    """The number that an operation on numbers is, where it is exact or a plain float."""
    values = [constant_of(a) for a, _ in args]
    if any(v is None for v in values) or op.outputs:
        return None
    try:
        with np.errstate(all="ignore"):
            floats = [np.asarray(v if isinstance(v, complex) else float(v)) for v in values]  # type: ignore[arg-type]
            value = np.asarray(op.forward(*floats, *params))
    except Exception:  # an operation that cannot run on numbers stays as it is
        return None
    folded = exact(value[()]) if value.dtype.kind in "biufc" else None
    if folded is None:
        return Data(value)
    if isinstance(folded, float):  # sqrt(2), exp(1): the operation says more than its digits
        return None
    return number(folded)


def _shorter(op: Any, args: Any, params: tuple[Any, ...], out: Indices, sizes: dict[int, int]) -> Expr | None:
    if (
        op.name == "gt"
        and isinstance(args[0][0], Map)
        and args[0][0].operation == "relu"
        and constant_of(args[1][0]) == 0
    ):
        inner, t = args[0][0].args[0]  # relu(x) > 0 is x > 0
        return map_(op, [(inner, tuple([args[0][1][i] for i in t])), args[1]], params, out)
    if op.name == "where" and args[1][0] is args[2][0] and args[1][1] == args[2][1]:
        return ein(1, [args[1]], out, sizes)  # where(c, a, a) is a
    if op.name in _FLIPPED:
        return _comparison(op, args, out)
    if op.name in _LOWERED and any(map(_is_past, args[:-1], params)):
        return zeros(tuple([sizes[k] for k in out]))
    if len(args) != 1:
        return None
    a, s = args[0]
    if isinstance(a, Map) and op.undoes == a.operation and (is_real(a) or not op.domain):  # log(eᶻ) is z plus 2πi·k
        inner, t = a.args[0]
        return ein(1, [(inner, labels_at(s, t))], out)
    if op.odd or op.even:
        sign, positive = without_sign(a)
        if sign < 0:
            term = map_(op, [(positive, s)], params, out)
            return scaled(-1, term) if op.odd else term
    if op.keeps and SIGNS[op.keeps](a):
        return ein(1, [(a, s)], out)
    return None


_LOWERED = ("gamma_lower", "beta_lower")
"""Densities over 1/Γ of parameters that have been lowered."""


def _is_past(parameter: Any, k: int) -> bool:
    """Whether a parameter is a whole number that is lowered to 0 or further: there 1/Γ is 0."""
    known = constant_of(parameter[0])
    return isinstance(known, int) and 0 < known <= k


_FLIPPED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}


def _comparison(op: Any, args: Any, out: Indices) -> Expr | None:
    """A comparison with a number on the right, nothing but symbols on the left: 1 - x > 0 is x < 1."""
    (a, s), (b, t) = args
    left, right = constant_of(a), constant_of(b)
    if left is not None and right is None:
        return map_(row(_FLIPPED[op.name]), [(b, t), (a, s)], (), out)
    if right is None or isinstance(right, complex):
        return None
    if a.factors and a.coef not in (0, 1) and not isinstance(a.coef, complex):
        bare = with_number(1, a)
        bound = Fraction(right) / Fraction(a.coef) if is_rational(right) and is_rational(a.coef) else right / a.coef
        name = op.name if a.coef > 0 else _FLIPPED[op.name]
        return map_(row(name), [(bare, s), (number(bound), ())], (), out)
    if isinstance(a, Add):
        constants = [c for c, u, i in a.terms if u is UNIT]
        if constants and not isinstance(constants[0], complex):
            bare = shaped_sum(a.shape, [x for x in a.terms if x[1] is not UNIT])
            return map_(op, [(bare, s), (number(right - constants[0]), ())], (), out)
    return None


def without_sign(a: Expr) -> tuple[int, Expr]:
    """A term as a sign and a term that does not begin with a minus."""
    if is_negative(a.coef):
        return -1, scaled(-1, a)
    return 1, a


def pow_(base: Expr, exponent: Number) -> Expr:
    """``base**exponent``, entry by entry."""
    rank, every = base.rank, base.axes
    if type(exponent) is not float:  # a float is the number that was written: 2.0000000000000004 is not 2
        exponent = tidy_number(exponent)
    if exponent == 1:
        return base
    if exponent == 0:
        return shaped(base.shape, 1, [])
    if isinstance(base, One):
        return base
    if isinstance(base, Var) and "sign" in base.properties and isinstance(exponent, int):
        return pow_(base, 0) if exponent % 2 == 0 else base
    if isinstance(base, Var) and base.properties & {"onehot", "truth"} and isinstance(exponent, int) and exponent > 0:
        return base
    if isinstance(base, Ein):
        if base.coef == 0 and not isinstance(exponent, complex) and exponent > 0:
            return base
        bare, kept = _argument(base, every)
        if len(kept) < rank:  # broadcast afterwards
            return shaped(base.shape, 1, [(pow_(bare, exponent), kept)])
        split = _power_of_product(base, exponent)
        if split is not None:
            return split
    if isinstance(base, Map):
        if base.op.kind == "constant" and isinstance(exponent, int) and exponent > 0:  # 0 and 1 are their own squares
            return base
        name, (operand, s) = base.operation, base.args[0]
        inner = ein(1, [(operand, s)], every) if len(s) == rank and s != every else operand
        e = base.exponent
        if e != 1 and is_rational(e) and is_rational(exponent) and (isinstance(exponent, int) or is_nonnegative(inner)):
            return pow_(inner, e * exponent)
        if name == "abs" and isinstance(exponent, int) and exponent % 2 == 0 and is_real(inner):
            return pow_(inner, exponent)
        if name == "exp" and isinstance(exponent, int) and abs(exponent) < _limits.EXP_POWER:
            return map_(base.op, [(scaled(exponent, inner), every)], (), every)
    return Map(row("pow_scalar"), ((base, every),), (exponent,), base.shape)


def _power_of_product(base: Ein, exponent: Number) -> Expr | None:
    """A power of a number or of an element-wise product."""
    every = base.axes
    if not base.factors:
        value = power(base.coef, exponent)
        return None if value is None else number(value)
    coef = power(base.coef, exponent)
    whole = isinstance(exponent, int)
    if len(base.dims) > base.rank or not (whole or all(is_nonnegative(f) for f, _ in base.factors)):
        if coef is None or (not whole and base.coef < 0):  # type: ignore[operator]
            return None
        groups = [(g, all(k >= base.rank for _, s in g for k in s)) for g in connected(list(base.factors))]
        numbers = [ein(1, g, ()) for g, alone in groups if alone]  # sizes, ‖r‖² ‖s‖²
        free = [p for p in numbers if whole or is_nonnegative(p)] if len(groups) > 1 else []
        if coef == 1 and not free:
            return None
        rest = [x for g, alone in groups if not (alone and len(groups) > 1) for x in g]
        rest += [(p, ()) for p in numbers if len(groups) > 1 and p not in free]
        return ein(
            coef,
            [(pow_(shaped(base.shape, 1, rest), exponent), every), *[(pow_(p, exponent), ()) for p in free]],
            every,
        )
    if coef is None:
        return None
    factors = [(pow_(f, exponent), s) for f, s in base.factors]
    return shaped(base.shape, coef, factors)


# ---------------------------------------------------------------------------------------------------- which way round


@remembered  # a part that is read in many places is turned once
def permuted(term: Any, order: Indices) -> Expr | None:
    """A composite whose axis ``i`` is the given one's ``order[i]``; None for what has no inside."""
    if term.base is not term:
        inner = permuted(term.base, order)  # a power is read as its base is
        return None if inner is None else pow_(inner, term.exponent)
    if term.kind == "map":
        turned = map_(term.op, term.args, term.params, order)
        return None if turned is term and is_rounded(term) else turned
    if term.kind == "ein" and len(term.dims) > 0:
        return ein(term.coef, term.factors, order, {k: term.dims[k] for k in order})
    if term.kind == "add":
        return add(term.terms, order, {k: term.shape[k] for k in order})
    return None


def ascending(term: Expr, labels: Indices) -> tuple[Expr, Indices]:
    """An operand read at ascending labels, if it is a composite."""
    order = tuple(sorted(range(len(labels)), key=labels.__getitem__))
    if term.kind not in ("map", "add") or order == tuple(range(len(labels))):
        return term, labels
    turned = permuted(term, order)
    return (term, labels) if turned is None else (turned, labels_at(labels, order))


def shorter(term: Expr, labels: Indices) -> tuple[Expr, Indices]:
    """A factor the shorter way round (of equals, always the same one)."""
    if len(labels) != 2 or term.kind not in _COMPOSITE:
        return term, labels
    known = term.memo.get("shorter way round")
    if known is None:
        term.memo["shorter way round"] = True  # a sum may be minus its transpose, which asks for it again
        turned, known = permuted(term, (1, 0)), True
        if turned is not None and turned.kind == term.kind:
            known = turned if (turned.weight, turned.digest) < (term.weight, term.digest) else True
        term.memo["shorter way round"] = known
    return (term, labels) if not isinstance(known, Expr) else (known, labels[::-1])

"""Sums of products on the way: common factors in front, what is left of like terms added up under a name.

The idea to hold: adding two arrays up makes one out of two, as long as the sum is no larger than what it may be; but a
pattern (an identity, a shift) is worth more unmultiplied. So terms are grouped by their patterns, the factors that all
terms of a group share stay outside, and the rest of the group becomes one named array.
"""

from __future__ import annotations

from typing import Any

from .. import _limits
from ..terms import Ein, add, ein
from ._builder import Builder
from ._terms import PATTERNS, as_product, components, entries


def merged(builder: Builder, terms: list[Ein], rank: int, limit: int) -> list[Ein]:
    """The same sum in fewer terms."""
    terms = collected(terms)
    if len(terms) < 2:
        return terms
    bare = [t for t in terms if all(f.kind == "delta" for f, _ in t.factors)]
    if bare and entries(terms[0].shape) > _limits.LINE:  # an identity costs nothing where it meets a product
        rest = [t for t in terms if t not in bare]
        return [*bare, *(merged(builder, rest, rank, limit) if rest else [])]
    whole = _together(builder, terms, rank, limit, open_patterns=True)
    if whole is not None:
        return [whole]
    terms = _units_together(builder, terms, rank, limit > 0)
    if len(terms) < 2:
        return terms
    groups: dict[Any, list[Ein]] = {}
    for t in terms:
        groups.setdefault(_signature(t, rank), []).append(t)
    found = []
    for group in groups.values():
        one = _together(builder, group, rank, limit, open_patterns=False) if len(group) > 1 else None
        found += [one] if one is not None else group
    size = entries(found[0].shape)
    bands = [t for t in found if not any(f.kind == "lin" and f.rank == 1 for f, _ in t.factors)]  # no single rows
    if _is_cheaper_filled(found, rank, limit) or (
        len(bands) > _limits.BANDS and size <= limit and sum(map(_filled, bands)) > size // 4
    ):
        every = tuple(range(found[0].rank))
        value = builder.atom(add([(1, t, every) for t in found], every, dict(enumerate(found[0].shape))))
        return builder.structural(value)
    return found


def _is_cheaper_filled(terms: list[Ein], own: int, limit: int) -> bool:
    """Whether one array costs less than its terms do in the next product: in a loop each product has all of the last.

    It costs a line for every `LINE` of its entries, or less work than the terms where they are more than its columns.
    """
    count, size = len(terms), entries(terms[0].shape)
    if count <= _limits.BANDS or not limit:
        return False
    columns = entries(terms[0].shape[own:])
    return size <= min(limit, _limits.LINE * count) or (columns <= count and size <= _limits.MERGED)


def _filled(t: Ein) -> int:
    """About how many entries of a term are not zero: patterns have one in each of their rows."""
    size = entries(t.dims)
    for f, _ in t.factors:
        if f.kind == "delta":
            size //= max(int(f.shape[0]), 1)
        elif f.kind == "lin":
            size //= max(min(entries(f.in_shape), entries(f.out_shape)) if f.out_rank else entries(f.shape), 1)  # type: ignore[attr-defined]
    return size


def _units_together(builder: Builder, terms: list[Ein], own: int, dense: bool) -> list[Ein]:
    """Terms that differ in which single entry of a short variable they are about, as one array over all its entries."""
    rank = terms[0].rank
    if rank != own + 1 or entries(terms[0].shape) > _limits.STACKED:
        return terms
    full = _limits.UNITS_FULL * len(terms) if dense and len(terms) > _limits.UNITS_FEW else 0
    if terms[0].shape[own] > max(_limits.UNITS, full):
        return terms
    units = [t for t in terms if _is_unit(t, own)]
    others = [t for t in terms if all(f.kind not in PATTERNS for f, _ in t.factors)]
    if len(units) + len(others) < 2 or not units:
        return terms
    places = len({id(f) for t in units for f, _ in t.factors if f.kind in PATTERNS})
    if not others and (places < 2 or entries(terms[0].shape) > _limits.LINE * places):
        return terms
    every = tuple(range(rank))
    dims = dict(enumerate(terms[0].shape))
    value = builder.atom(add([(1, builder.stacked(t, own), every) for t in (*units, *others)], every, dims))
    rest = [t for t in terms if t not in units and t not in others]
    return [*builder.structural(value), *rest]


def _is_unit(t: Ein, own: int) -> bool:
    """Whether a term is arrays times a unit vector along the variable."""
    patterns = [(f, s) for f, s in t.factors if f.kind in PATTERNS]
    return (
        len(patterns) == 1 and patterns[0][1] == (own,) and patterns[0][0].kind == "lin"
        and all(own not in s for f, s in t.factors if f is not patterns[0][0])
    )  # fmt: skip


def collected(terms: list[Ein]) -> list[Ein]:
    """Terms that differ in their numbers only, as one."""
    first: dict[Any, Ein] = {}
    for t in terms:
        key = (tuple([(id(f), s) for f, s in t.factors]), t.shape)
        known = first.get(key)
        if known is None:
            first[key] = t
        else:
            every = tuple(range(t.rank))
            first[key] = as_product(ein(known.coef + t.coef, t.factors, every, dict(enumerate(t.shape))))
    return [t for t in first.values() if t.coef != 0]


def _signature(t: Ein, own: int) -> Any:
    """The patterns of a term with their indices (summed ones by place only), and whether it is separable."""
    rank = t.rank
    patterns = [(f.digest, tuple([k if k < rank else -1 for k in s])) for f, s in t.factors if f.kind in PATTERNS]
    return tuple(sorted(patterns)), _separable(t.factors, own, rank)


def _separable(factors: Any, own: int, rank: int) -> bool:
    """Whether a product is one of its own axes times one of the variable's: an outer product, worth keeping."""
    parts = components(factors)
    if len(parts) < 2:
        return False
    sides = [{k < own for _, s in part for k in s if k < rank} for part in parts]
    return all(len(side) <= 1 for side in sides) and {True} in sides and {False} in sides


def _together(builder: Builder, terms: list[Ein], own: int, limit: int, open_patterns: bool) -> Ein | None:
    """The terms as common factors times one named array; None where that would multiply out too much.

    ``own`` axes belong to the name whose derivative this is, the others to the variable.
    """
    rank = terms[0].rank
    common = _common(terms)
    rests = []
    for t in terms:
        left = list(common)
        rest = []
        for f, s in t.factors:
            if (f, s) in left:
                left.remove((f, s))
            else:
                rest.append((f, s))
        rests.append((t, rest))
    labels = tuple(sorted({k for _, rest in rests for _, s in rest for k in s if k < rank}))
    shape = tuple([terms[0].dims[k] for k in labels])
    plain = [not any(f.kind in PATTERNS for f, _ in rest) for _, rest in rests]
    if not (any(plain) if open_patterns else all(plain)):
        return None
    size = entries(shape)
    total = sum([entries(f.shape) for _, rest in rests for f, _ in rest if f.kind not in PATTERNS])
    dense = all(k in labels for k in range(own, rank)) and rank > own  # in all of the variable's axes
    if dense and len(rests) <= _limits.OUTER_TERMS and any(_separable(t.factors, own, rank) for t, _ in rests):
        return None
    if size > max(min(limit, _limits.MERGED), 2 * total):
        return None
    if len(rests) <= _limits.APART and size > 2 * total and all(len(rest) > 1 for _, rest in rests):
        return None
    parts = []
    for t, rest in rests:
        fresh = {k: i for i, k in enumerate(labels)}
        for _, s in rest:
            for k in s:
                fresh.setdefault(k, len(fresh))
        inside = [(f, tuple([fresh[k] for k in s])) for f, s in rest]
        used = {k for _, s in inside for k in s}
        own_labels = tuple([i for i in range(len(labels)) if i in used])
        parts.append((1, ein(t.coef, inside, own_labels), own_labels))
    every = tuple(range(len(labels)))
    value = builder.atom(add(parts, every, dict(enumerate(shape))))
    whole = ein(1, [*common, (value, labels)], tuple(range(rank)), dict(enumerate(terms[0].shape)))
    found = builder.structural(whole)
    return found[0] if len(found) == 1 else None


def _common(terms: list[Ein]) -> list[Any]:
    """The factors without summed indices that all terms have."""
    rank = terms[0].rank
    common = [(f, s) for f, s in terms[0].factors if all(k < rank for k in s) and f.kind != "one"]
    for t in terms[1:]:
        left = list(t.factors)
        kept = []
        for f, s in common:
            if (f, s) in left:
                left.remove((f, s))
                kept.append((f, s))
        common = kept
    return common


__all__ = ["collected", "merged"]

"""Products in normal form: flattened, without needless deltas and ones, equal factors as powers, sorted.

The idea to hold: two products that differ only in the order of factors and in the names of summed indices become the
identical term. The names are fixed by colour refinement: an index is what it is connected to.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .. import _limits
from ..core import TABLE, Dim
from ._canonical import sorted_product
from ._node import Delta, Ein, Expr, Indices, Number, One, Var
from ._number import tidy
from ._orient import permuted, shorter
from ._units import unit_vectors

Factor = tuple[Expr, Indices]
SUMS_TO_ONE = "sums to one along "
"""The property of a program's names of probabilities, followed by the number of the axis."""


def number(value: Number) -> Ein:
    """A number as a term."""
    return Ein(tidy(value), (), (), 0)


def size(n: Any) -> Expr:
    """The number of entries along an axis: a number, or the symbol of a named size."""
    terms = getattr(n, "terms", None)
    if terms is None or not n.exact:
        return number(int(n))
    from ._add import add

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
    return isinstance(term, Ein) and term.coef == 0


def constant_of(term: Expr) -> Number | None:
    """The number that every entry of a term is, if it is plainly one."""
    if isinstance(term, Ein) and all(isinstance(f, One) for f, _ in term.factors):
        return term.coef
    return 1 if isinstance(term, One) else None


def transposed(term: Expr, order: Indices) -> Expr:
    """A term with its axes in another order."""
    if order == tuple(range(len(order))):
        return term
    return ein(1, [(term, tuple(range(len(order))))], order)


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
    if len(flat) == 1 and coef == 1 and flat[0][1] == out:  # itself, as often asked
        return flat[0][0]
    if len(flat) == 1 and flat[0][1] == out and flat[0][0].kind == "ein" and _is_in_order(flat[0][0]) and coef != 0:
        whole: Any = flat[0][0]
        return Ein(tidy(coef * whole.coef), whole.factors, whole.dims, len(whole.shape))
    sizes: dict[int, int] = {}
    for term, labels in flat:
        for label, n in zip(labels, term.shape, strict=True):
            if label not in sizes or type(n) is Dim:
                sizes[label] = n
    if dims:
        for label, n in dims.items():
            sizes.setdefault(label, n)
    if coef == 0:
        return zeros(tuple([sizes[label] for label in out]))
    kinds = {f.kind for f, _ in flat}  # asked often: most products have nothing that needs tidying
    if "ein" in kinds:
        coef, flat = _flatten(coef, flat, sizes)
        kinds = {f.kind for f, _ in flat}
    if len(flat) > 1 and coef != 0:
        before = flat
        if "lin" in kinds:
            folded = unit_vectors(flat, out)
            coef, flat = (0, flat) if folded is None else (coef, folded)
        coef, flat = _merge_powers(coef, flat)
        if flat is not before:
            kinds = {f.kind for f, _ in flat}
    if coef == 0:
        return zeros(tuple([sizes[label] for label in out]))
    named = "var" in kinds and any(f.properties for f, _ in flat if f.kind == "var")  # type: ignore[attr-defined]
    if "delta" in kinds or "one" in kinds or named:
        coef, flat = _tidied(coef, flat, out, sizes)
        kinds = {f.kind for f, _ in flat}
        if again and "ein" in kinds:
            return ein(coef, flat, out, _some(sizes, out), again=False)
    if len(flat) > 1:
        powers = [f for f, _ in flat if f.kind == "map" and f.op.name == "pow_scalar"]  # type: ignore[attr-defined]
        may_meet = len({f for f, _ in flat}) < len(flat) or any(map(_is_power_of_sum, powers))
        better = _equal_sums(flat, out) if may_meet else None
        if better is not None:
            return ein(coef, better, out, _some(sizes, out))
    if len(flat) == 1 and not kinds.isdisjoint(_COMPOSITE) and sorted(flat[0][1]) == sorted(out):
        f, labels = flat[0]  # alone it is turned round
        turned = permuted(f, tuple([labels.index(label) for label in out])) if labels != out else f
        if turned is not None:
            flat = [(turned, out)]
            if isinstance(turned, Ein):
                coef, flat = _flatten(coef, flat, sizes)
    else:
        if not kinds.isdisjoint(_COMPOSITE):
            flat = [shorter(f, s) if f.kind in _COMPOSITE and len(s) == 2 else (f, s) for f, s in flat]
        if "delta" in kinds or "one" in kinds:
            flat = [_named(f, s, sizes) if f.kind in ("delta", "one") else (f, s) for f, s in flat]
    covered = {label for _, labels in flat for label in labels}
    for label in out:
        if label not in covered:
            flat.append((One(sizes[label]), (label,)))
    return sorted_product(tidy(coef), flat, out, sizes)


_COMPOSITE = frozenset(["map", "add"])


def _is_in_order(whole: Any) -> bool:
    """Whether a product has several factors, which stay what they are when it is multiplied by a number."""
    kinds = [f.kind for f in whole.children]
    return 1 < len(kinds) <= _limits.PRODUCT_FACTORS and "data" not in kinds and whole.coef != 0


def _tidied(coef: Number, flat: list[Factor], out: Indices, sizes: dict[int, int]) -> tuple[Number, list[Factor]]:
    """Factors without the identities and ones that can go."""
    flat = _without_probabilities(_remove_deltas(flat, out, sizes), out)
    count = len(flat)
    coef, flat = _remove_ones(coef, flat, out, sizes)
    if len(flat) > 1 and (len(flat) != count or any(isinstance(f, Var) and "size" in f.properties for f, _ in flat)):
        coef, flat = _merge_powers(coef, flat)  # a size may meet its own power
    return coef, flat


def shaped(shape: Any, coef: Number, factors: Any) -> Expr:
    """The product as an array of a shape, whose axes are the labels 0, 1, …; see `ein`."""
    return ein(coef, factors, tuple(range(len(shape))), dict(enumerate(shape)))


def _is_power_of_sum(f: Expr) -> bool:
    base, e = base_and_exponent(f)
    return e != 1 and isinstance(base, Ein) and len(base.dims) > base.rank


def _equal_sums(flat: list[Factor], out: Indices) -> list[Factor] | None:
    """Sums that occur twice, x[0]·x[0], or beside their own power, Bx/(Bx)², as powers; None if there are none."""
    groups = connected(flat, fixed=out)
    parts = [(g, tuple(sorted({k for _, s in g for k in s if k in out}))) for g in groups]
    sums = [(g, at) for g, at in parts if len(at) < 2 and any(k not in out for _, s in g for k in s)]
    if not sums or len(groups) < 2:
        return None
    powers = {(base, s): (e, (f, s)) for f, s in flat for base, e in [base_and_exponent(f)] if e != 1}
    found: dict[Any, list[Any]] = {}
    for g, at in sums:
        term = ein(1, g, at, again=False)
        found.setdefault((term, at), []).append(g)
    from ._map import pow_

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


def _named(f: Expr, labels: Indices, sizes: dict[int, int]) -> Factor:
    """An identity (a vector of ones) that was made for the length that stands in for a name, of that name."""
    n = sizes[labels[0]]
    return (type(f)(n) if type(n) is Dim and type(f.shape[0]) is not Dim else f), labels  # type: ignore[call-arg]


def _some(sizes: dict[int, int], labels: Indices) -> dict[int, int]:
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
                out += [(g, tuple([names[i] for i in s])) for g, s in f.factors]
                continue
            if coef_too != 1:
                coef = coef * coef_too
                f = Ein(1, f.factors, f.dims, len(f.shape))
        out.append((f, labels))
    return coef, out


def _holds_extreme(f: Ein) -> bool:
    """Whether a product has a number so large or small that it must be multiplied in the order written."""
    return any(g.kind == "data" and not s for g, s in f.factors)


def base_and_exponent(f: Expr) -> tuple[Expr, Any]:
    """A factor as a power (the base's labels are the factor's own)."""
    if f.kind == "map" and f.op.name == "pow_scalar":  # type: ignore[attr-defined]
        return f.args[0][0], f.params[0]  # type: ignore[attr-defined]
    return f, 1


def _merge_powers(coef: Number, factors: list[Factor]) -> tuple[Number, list[Factor]]:
    """Equal bases at equal labels become one power."""
    keys = {(id(f.args[0][0] if f.kind == "map" and f.op.name == "pow_scalar" else f), s) for f, s in factors}  # type: ignore[attr-defined]
    if len(keys) == len(factors):
        return coef, factors
    bases: dict[tuple[int, Indices], list[Any]] = {}
    for f, labels in factors:
        base, exponent = (f, 1) if isinstance(f, (Delta, One)) else base_and_exponent(f)
        entry = bases.get((id(base), labels))
        if entry is None:
            bases[id(base), labels] = [f, base, exponent, 1]
        elif not isinstance(f, (Delta, One)):
            entry[2] = entry[2] + exponent
            entry[3] += 1
    out: list[Factor] = []
    for (_, labels), (f, base, exponent, count) in bases.items():
        if count == 1:
            out.append((f, labels))
            continue
        if exponent == 0:
            out += [(One(n), (label,)) for n, label in zip(base.shape, labels, strict=True)]
            continue
        from ._map import pow_

        p = pow_(base, exponent)
        if isinstance(p, Ein) and (not p.factors or len(p.dims) == p.rank):  # split into a product again
            coef = coef * p.coef
            out += [(g, tuple([labels[i] for i in s])) for g, s in p.factors]
        else:
            out.append((p, labels))
    return coef, out


def _remove_deltas(factors: list[Factor], out: Indices, sizes: dict[int, int]) -> list[Factor]:
    """An identity with a summed index renames it."""
    while True:
        for place, (f, labels) in enumerate(factors):
            if f.kind != "delta":
                continue
            i, j = labels
            if i == j:
                factors = [*factors[:place], (One(sizes[i]), (i,)), *factors[place + 1 :]]
                break
            old, new = (i, j) if i not in out else (j, i)
            if old in out:
                continue
            if type(sizes[old]) is Dim:
                sizes[new] = sizes[old]
            rest = factors[:place] + factors[place + 1 :]
            factors = [(g, tuple([new if k == old else k for k in s])) for g, s in rest]
            if not any(new in s for _, s in factors):
                factors.append((One(sizes[new]), (new,)))
            break
        else:
            # identities between the same output axes: one is enough
            return _with_output_deltas(factors, out)


def _with_output_deltas(factors: list[Factor], out: Indices) -> list[Factor]:
    """Between output axes an identity stays, once; the other factors are read at the first of its two axes."""
    pairs = [labels for f, labels in factors if f.kind == "delta"]
    if not pairs:
        return factors
    first: dict[int, int] = {}
    kept: list[Factor] = []
    for i, j in pairs:
        a, b = sorted([_root(first, i), _root(first, j)], key=out.index)
        if a != b:
            first[b] = a
    if len(first) == len(pairs) and not any(k in first for f, s in factors if f.kind != "delta" for k in s):
        return factors
    size = {i: f.shape[0] for f, s in factors if f.kind == "delta" for i in s}
    kept = [(f, tuple([_root(first, k) for k in s])) for f, s in factors if f.kind != "delta"]
    return [*kept, *[(Delta(size[b]), (_root(first, b), b)) for b in first]]


def _root(first: dict[int, int], label: int) -> int:
    while label in first:
        label = first[label]
    return label


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
                n = size(sizes[labels[0]])
                if isinstance(n, Ein) and not n.factors:
                    coef = coef * n.coef
                else:
                    kept.append((n, ()))
    return coef, kept


def _without_probabilities(factors: list[Factor], out: Indices) -> list[Factor]:
    """Factors without names of probabilities that are summed along the axis along which they sum to one."""
    for place, (f, s) in enumerate(factors):
        for p in f.properties if isinstance(f, Var) else ():
            if p.startswith(SUMS_TO_ONE):
                k = s[int(p[len(SUMS_TO_ONE) :])]
                if k not in out and sum([label == k for _, u in factors for label in u]) == 1:
                    ones = [(One(n), (i,)) for n, i in zip(f.shape, s, strict=True) if i != k]
                    return _without_probabilities([*factors[:place], *ones, *factors[place + 1 :]], out)
    return factors


def row(name: str) -> Any:
    """A row of the table."""
    return TABLE[name]

"""Sums in normal form: flattened, like terms collected. Products are never distributed over them."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

from .. import _limits
from ..core import Dim
from ._canonical import is_symmetric
from ._ein import _some, ein, number, shaped, zeros
from ._node import Add, Delta, Ein, Expr, Indices, Number, One, Var
from ._number import tidy
from ._orient import ascending

Term = tuple[Number, Expr, Indices]

UNIT = number(1)


def add(terms: Any, out: Indices, dims: dict[int, int] | None = None) -> Expr:
    """The sum of ``coef * term[labels]`` with the axes ``out``.

    Parameters
    ----------
    terms : triples of a number, a term and its labels (all different, all in ``out``)
    out : the labels of the result's axes
    dims : sizes of labels in ``out`` that no term has
    """
    sizes: dict[int, int] = {}
    for _, t, labels in terms:
        for label, n in zip(labels, t.shape, strict=True):
            if label not in sizes or type(n) is Dim:
                sizes[label] = n
    if dims:
        for label, n in dims.items():
            sizes.setdefault(label, n)
    names = {label: i for i, label in enumerate(out)}
    shape = tuple([sizes[label] for label in out])
    collected: dict[tuple[int, Indices], list[Any]] = {}
    for c, t, labels in _flat(terms):
        if not isinstance(t, Var) and labels and type(sizes[labels[0]]) is Dim:
            t = _named(t, [sizes[label] for label in labels])
        c, t, s = _plain(c, t, tuple([names[label] for label in labels]))
        if c == 0:
            continue
        entry = collected.get((id(t), s))
        if entry is None:
            collected[id(t), s] = [c, t, s]
        else:
            entry[0] = tidy(entry[0] + c)
    kept = [(c, t, s) for c, t, s in collected.values() if c != 0]
    if not kept:
        return zeros(shape)
    if any(t.kind == "add" for _, t, _ in kept):
        opened = _with_like_terms(kept, collected)
        if opened is not None:
            return shaped_sum(shape, opened)
    if len(kept) == 1:
        c, t, s = kept[0]
        return numbered(c, t) if s == tuple(range(len(shape))) else shaped(shape, c, [(t, s)])
    kept.sort(key=_key)
    c = _content(kept)
    if c != 1:
        inverse = 1 / Fraction(c) if isinstance(c, Fraction) or abs(c) != 1 else c  # type: ignore[arg-type]
        inside = shaped_sum(shape, [(tidy(d * inverse), t, s) for d, t, s in kept])
        return ein(c, [(inside, tuple(range(len(out))))], tuple(range(len(out))))
    union = {i for _, _, s in kept for i in s}
    if len(union) < len(shape):  # no term has some axis: the sum is made without it, then broadcast
        inner = add([(c, t, s) for c, t, s in kept], tuple(sorted(union)))
        return shaped(shape, 1, [(inner, tuple(sorted(union)))])
    return Add(tuple(kept), shape)


def shaped_sum(shape: Any, terms: Any) -> Expr:
    """The sum as an array of a shape, whose axes are the labels 0, 1, …; see `add`."""
    return add(terms, tuple(range(len(shape))), dict(enumerate(shape)))


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
    return ein(t.coef, factors, tuple(range(t.rank)), dict(enumerate(shape))) if changed else t


def _key(term: Term) -> Any:
    return term[1].digest, term[2]


def _flat(terms: Any) -> list[Term]:
    """Sums among the terms become their terms."""
    if not any(isinstance(t, (Add, Ein)) for _, t, _ in terms):
        return list(terms)
    out: list[Term] = []
    for c, t, labels in terms:
        inner, sign, order = inner_sum(t)
        if inner is not None and abs(c * sign) == 1 and len(out) + len(inner.terms) <= _limits.SUM_TERMS:
            out += [(tidy(c * sign * d), u, tuple([labels[order[i]] for i in s])) for d, u, s in inner.terms]
        else:
            out.append((c, t, labels))
    return out


def _with_like_terms(kept: list[Term], collected: Any) -> list[Term] | None:
    """Terms with the sums among them opened that hold one of the others: 2(a − b) + 4b; None if none does."""
    for c, t, s in kept:
        if isinstance(t, Add):
            inner = [(tidy(c * d), u, tuple([s[k] for k in i])) for d, u, i in t.terms]
            if any((id(u), i) in collected for _, u, i in inner):
                return [x for x in kept if x[1] is not t or x[2] != s] + inner
    return None


def inner_sum(t: Expr) -> tuple[Add | None, Number, Indices]:
    """The sum that a term is but for a number and the order of axes: (sum, number, where each of its axes goes)."""
    if isinstance(t, Add):
        return t, 1, tuple(range(len(t.shape)))
    if isinstance(t, Ein):
        sums = [(f, s) for f, s in t.factors if f.kind != "one"] if len(t.dims) == len(t.shape) else []
        if len(sums) == 1 and isinstance(sums[0][0], Add) and len(set(sums[0][1])) == len(sums[0][1]):
            return sums[0][0], t.coef, sums[0][1]
    return None, 1, ()


def _plain(c: Number, t: Expr, s: Indices) -> Term:
    """A term with its number in front, its axes ascending where it has no order of its own."""
    if isinstance(t, Ein):
        if [i for f, i in t.factors if f.kind == "one" and i[0] < len(s)]:  # broadcast here, not there
            t, s = _without_ones(t, s)
        if isinstance(t, Ein) and t.coef != 1:
            c = tidy(c * t.coef)
            t = numbered(1, t) if t.coef != 0 else number(0)
        if isinstance(t, Ein) and len(t.factors) == 1 and t.coef == 1 and _is_permuted(t):
            f, labels = t.factors[0]  # a transposed array is read at other labels
            return _plain(c, f, tuple([s[k] for k in labels]))
        order = tuple(sorted(range(len(s)), key=s.__getitem__))
        if order != tuple(range(len(s))) and isinstance(t, Ein):
            t, s = ein(1, t.factors, order, _some(dict(enumerate(t.dims)), order)), tuple(sorted(s))
    elif isinstance(t, One):
        t, s = UNIT, ()
    if t.kind in ("map", "add") and len(s) > 1:
        t, s = ascending(t, s)
    if s == (1, 0) and is_symmetric(t):
        s = (0, 1)
    elif len(s) == 2 and s[0] > s[1] and is_symmetric(t):
        s = (s[1], s[0])
    return c, t, s


def numbered(c: Number, t: Expr) -> Expr:
    """A number times a term without one, for a product in place of its own: its factors are in order already."""
    if isinstance(t, Ein) and len(t.factors) > 1:
        return Ein(tidy(c), t.factors, t.dims, len(t.shape))
    return shaped(t.shape, c, t.factors if isinstance(t, Ein) else [(t, tuple(range(len(t.shape))))])


def _is_permuted(t: Ein) -> bool:
    _, labels = t.factors[0]
    return len(labels) == len(t.shape) == len(t.dims) and len(set(labels)) == len(labels)


def _without_ones(t: Ein, s: Indices) -> tuple[Expr, Indices]:
    rank = len(t.shape)
    bare = [(f, i) for f, i in t.factors if not (isinstance(f, One) and i[0] < rank)]
    used = {label for _, i in bare for label in i}
    keep = tuple([i for i in range(rank) if i in used])
    return ein(t.coef, bare, keep), tuple([s[i] for i in keep])


def _content(terms: list[Term]) -> Number:
    """The number that is put in front of a sum: its rational content, with the sign of most of its terms."""
    numbers = [c for c, _, _ in terms]
    if all(type(c) is int and (c == 1 or c == -1) for c in numbers):
        negative = numbers.count(-1)
        return -1 if 2 * negative > len(numbers) or (2 * negative == len(numbers) and _leading(terms) < 0) else 1  # type: ignore[operator]
    if any(isinstance(c, complex) for c in numbers):
        return 1
    negative = sum([c < 0 for c in numbers])  # type: ignore[operator]
    sign = -1 if 2 * negative > len(numbers) or (2 * negative == len(numbers) and _leading(terms) < 0) else 1  # type: ignore[operator]
    if not all(isinstance(c, (int, Fraction)) for c in numbers):
        return sign
    exact = [Fraction(c) for c in numbers]  # type: ignore[arg-type]
    common = Fraction(gcd(*[c.numerator for c in exact]), lcm(*[c.denominator for c in exact]))
    if common.denominator > _limits.DENOMINATOR:  # of decimals multiplied many times: it says nothing
        return sign
    return tidy(sign * common)


def _leading(terms: list[Term]) -> Number:
    """The coefficient that decides the sign where as many terms are negative as positive: a size's (n - 1), else a
    number's (1 - x), else the heaviest term's, else that of the first name."""

    def rank(term: Term) -> Any:
        t = term[1]
        is_size = isinstance(t, Var) and "size" in t.properties
        return not is_size, t is not UNIT, -t.weight, t.name if isinstance(t, Var) else "", t.digest, term[2]

    return min(terms, key=rank)[0]

"""The order of factors and the names of summed indices, from the structure alone; and which matrices are symmetric.

The names are fixed by colour refinement: an index is what it is connected to. Ties that stay are labels that play the
same part; they are told apart one at a time.
"""

from __future__ import annotations

from typing import Any

from ._node import Ein, Expr, Indices, Number

Factor = tuple[Expr, Indices]


def sorted_product(coef: Number, factors: list[Factor], out: Indices, sizes: dict[int, int]) -> Expr:
    """The term of normalised factors: sorted, summed indices numbered in a way that depends on the structure only."""
    rank = len(out)
    if len(factors) == 1:
        f, labels = factors[0]
        if coef == 1 and labels == out:
            return f
        if len(labels) == rank and coef == 1 and len(set(labels)) == rank and is_symmetric(f):
            return f
    names = {label: i for i, label in enumerate(out)}
    if {label for _, labels in factors for label in labels} <= names.keys():
        turned = [len(s) == 2 and names[s[0]] > names[s[1]] and is_symmetric(f) for f, s in factors]
    else:
        turned = [len(s) == 2 and is_symmetric(f) for f, s in factors]
    if True in turned or len({f.digest for f, _ in factors}) < len(factors):
        factors = _in_order(factors, out, turned)
    else:  # no two are alike, and each is read as it is
        factors = sorted(factors, key=_digest)
    dims = [sizes[label] for label in out]
    for _, labels in factors:
        for label in labels:
            if label not in names:
                names[label] = len(names)
                dims.append(sizes[label])
    pairs = tuple([(f, tuple([names[label] for label in labels])) for f, labels in factors])
    return Ein(coef, pairs, tuple(dims), rank)


def _digest(factor: Factor) -> int:
    return factor[0].digest


def _in_order(factors: list[Factor], out: Indices, symmetric: list[bool]) -> list[Factor]:
    """Factors of which some are alike or symmetric, sorted also by the colours of the labels that they are read at."""
    colours = {label: i + 1 for i, label in enumerate(out)}
    summed = sorted({label for _, labels in factors for label in labels if label not in colours})
    if summed:
        _refine(factors, colours, summed, symmetric)
    keyed = []
    for (f, labels), same in zip(factors, symmetric, strict=True):
        shades = [colours[label] for label in labels]
        if same and shades[0] > shades[1]:
            labels, shades = labels[::-1], shades[::-1]
        keyed.append((f.digest, shades, labels, f))
    keyed.sort(key=_key)
    return [(f, labels) for _, _, labels, f in keyed]


def _key(entry: Any) -> Any:
    return entry[0], entry[1]


_MASK = (1 << 61) - 1


def _refine(factors: list[Factor], colours: dict[int, int], summed: list[int], symmetric: list[bool]) -> None:
    """Give every summed label a colour by what it is connected to; break ties one at a time."""
    for label in summed:
        colours[label] = -1
    distinct = 0
    fixed = 0
    connected = [  # all others say nothing of them
        (f.digest, labels, same) for (f, labels), same in zip(factors, symmetric, strict=True)
        if -1 in [colours[label] for label in labels]
    ]  # fmt: skip
    while True:
        new = dict.fromkeys(summed, 0)
        for digest, labels, same in connected:
            shades = [colours[label] for label in labels]
            if same:
                shades.sort()
            colour = hash((digest, *shades))
            for place, label in enumerate(labels):
                if label in new:
                    new[label] = (new[label] + hash((colour, 0 if same else place))) & _MASK
        for label in summed:
            colours[label] = hash((colours[label], new[label]))
        count = len({colours[label] for label in summed})
        if count == len(summed):
            return
        if count == distinct:  # a tie that stays: labels that play the same part; tell one of them apart
            groups: dict[int, list[int]] = {}
            for label in summed:
                groups.setdefault(colours[label], []).append(label)
            colour = min([c for c, g in groups.items() if len(g) > 1])
            fixed += 1
            colours[groups[colour][0]] = hash((colour, fixed))
        distinct = count


def is_symmetric(term: Expr) -> bool:
    """Whether a matrix term is plainly symmetric."""
    if len(term.shape) != 2 or (term.kind == "var" and not term.properties):  # type: ignore[attr-defined]
        return False
    memo = term.memo
    if "symmetric" not in memo:
        memo["symmetric"] = term.shape[0] == term.shape[1] and _is_symmetric(term)
    return memo["symmetric"]


SYMMETRIC = frozenset(["symmetric", "diagonal", "psd", "pd"])


def _is_symmetric(term: Any) -> bool:
    if term.kind == "var":
        return bool(term.properties & SYMMETRIC)
    if term.kind == "delta":
        return True
    if term.kind == "call":
        return term.op.name in ("inv", "matrix_exp", "cofactor") and is_symmetric(term.args[0])
    if term.kind == "add":
        here = {(c, id(t), s) for c, t, s in term.terms}
        return here == {(c, id(t), _swapped(t, s)) for c, t, s in term.terms}
    if term.kind == "map":
        return all(s == () or (s == (0, 1) and is_symmetric(a)) for a, s in term.args)
    if term.kind == "ein":
        if any(f.kind == "delta" and set(s) == {0, 1} for f, s in term.factors):  # it is 0 off the diagonal
            return True
        sizes = dict(enumerate(term.dims))
        return sorted_product(term.coef, list(term.factors), (1, 0), sizes) is term
    return False


def _swapped(term: Expr, s: Indices) -> Indices:
    t = tuple([1 - i for i in s])
    return (0, 1) if t == (1, 0) and is_symmetric(term) else t

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
        signs = [symmetry(f) if len(s) == 2 and names[s[0]] > names[s[1]] else 0 for f, s in factors]
    else:
        signs = [symmetry(f) if len(s) == 2 else 0 for f, s in factors]
    if any(signs) or len({f.digest for f, _ in factors}) < len(factors):
        sign, factors = _in_order(factors, out, signs)
        coef = sign * coef
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


def _in_order(factors: list[Factor], out: Indices, signs: list[int]) -> tuple[int, list[Factor]]:
    """Factors of which some are alike, or their own transposes up to a sign, sorted also by the colours of the labels
    that they are read at; with the sign of all that were turned round."""
    colours = {label: i + 1 for i, label in enumerate(out)}
    summed = sorted({label for _, labels in factors for label in labels if label not in colours})
    if summed:
        _refine(factors, colours, summed, signs)
    keyed, turned = [], 1
    for (f, labels), sign in zip(factors, signs, strict=True):
        shades = [colours[label] for label in labels]
        if sign and shades[0] > shades[1]:
            labels, shades, turned = labels[::-1], shades[::-1], sign * turned
        keyed.append((f.digest, shades, labels, f))
    keyed.sort(key=_key)
    return turned, [(f, labels) for _, _, labels, f in keyed]


def _key(entry: Any) -> Any:
    return entry[0], entry[1]


_MASK = (1 << 61) - 1


def _refine(factors: list[Factor], colours: dict[int, int], summed: list[int], signs: list[int]) -> None:
    """Give every summed label a colour by what it is connected to; break ties one at a time."""
    for label in summed:
        colours[label] = -1
    distinct = 0
    fixed = 0
    connected = [  # all others say nothing of them
        (f.digest, labels, sign) for (f, labels), sign in zip(factors, signs, strict=True)
        if -1 in [colours[label] for label in labels]
    ]  # fmt: skip
    while True:
        new = dict.fromkeys(summed, 0)
        for digest, labels, sign in connected:
            shades = [colours[label] for label in labels]
            if sign:
                shades.sort()
            colour = hash((digest, *shades))
            for place, label in enumerate(labels):
                if label in new:
                    new[label] = (new[label] + hash((colour, 0 if sign else place))) & _MASK
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
    return symmetry(term) == 1


def symmetry(term: Expr) -> int:
    """1 of a matrix term that plainly is its own transpose, −1 of one that is minus its own: sin(xᵢ − xⱼ); else 0."""
    if len(term.shape) != 2 or (term.kind == "var" and not term.properties):  # type: ignore[attr-defined]
        return 0
    memo = term.memo
    if "symmetry" not in memo:
        memo["symmetry"] = _symmetry(term) if term.shape[0] == term.shape[1] else 0
    return memo["symmetry"]


SYMMETRIC = frozenset(["symmetric", "diagonal", "psd", "pd"])


def _symmetry(term: Any) -> int:
    if term.kind == "var":
        return int(bool(term.properties & SYMMETRIC))
    if term.kind == "delta":
        return 1
    if term.kind == "call":
        return int(term.op.name in ("inv", "matrix_exp", "cofactor") and is_symmetric(term.args[0]))
    if term.kind == "add":
        here = {(c, id(t), s) for c, t, s in term.terms}
        turned = [_turned(c, t, s) for c, t, s in term.terms]
        return int(here == set(turned)) or -int(here == {(-c, t, s) for c, t, s in turned})
    if term.kind == "map":
        return _symmetry_of_map(term)
    if term.kind == "ein":
        if any(f.kind == "delta" and set(s) == {0, 1} for f, s in term.factors):  # it is 0 off the diagonal
            return 1
        sizes = dict(enumerate(term.dims))
        same = [sorted_product(sign * term.coef, list(term.factors), (1, 0), sizes) is term for sign in (1, -1)]
        return 1 if same[0] else -int(same[1])
    return 0


def _turned(c: Number, term: Expr, s: Indices) -> tuple[Number, int, Indices]:
    """A term of a sum of two axes with these exchanged."""
    sign = symmetry(term) if len(s) == 2 else 0
    return (sign * c, id(term), (0, 1)) if sign else (c, id(term), tuple([1 - i for i in s]))


def _symmetry_of_map(term: Any) -> int:
    """Functions of symmetric matrices are symmetric; of those that are minus their transposes, even functions are."""
    if all(s == () or (s == (0, 1) and is_symmetric(a)) for a, s in term.args):
        return 1
    (a, s), *others = term.args
    if others or len(s) != 2 or symmetry(a) != -1:
        return 0
    exponent = term.params[0] if term.op.name == "pow_scalar" else None
    if exponent is not None:
        return (1, -1)[exponent % 2] if isinstance(exponent, int) else 0
    return 1 if term.op.even else -int(term.op.odd)

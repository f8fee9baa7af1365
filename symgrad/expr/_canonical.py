"""The order of factors and the names of summed indices, from the structure alone; and which matrices are symmetric.

The names are fixed by colour refinement: an index is what it is connected to. Ties that stay are labels that play the
same part; they are told apart one at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    swaps = [_exchange(f) if 1 < len(s) < 4 else None for f, s in factors]
    if any(swaps) and {label for _, labels in factors for label in labels} <= names.keys():
        turned = [swap and names[s[swap.first]] > names[s[swap.second]] for swap, (_, s) in zip(swaps, factors)]
        swaps = [swap if there else None for swap, there in zip(swaps, turned)]
    if any(swaps) or len({f.digest for f, _ in factors}) < len(factors):
        sign, factors = _in_order(factors, out, swaps)
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


def _in_order(factors: list[Factor], out: Indices, swaps: list[Exchange | None]) -> tuple[int, list[Factor]]:
    """Factors of which some are alike, or their own transposes up to a sign, sorted also by the colours of the labels
    that they are read at; with the sign of all that were turned round."""
    colours = {label: i + 1 for i, label in enumerate(out)}
    summed = sorted({label for _, labels in factors for label in labels if label not in colours})
    if summed:
        _refine(factors, colours, summed, swaps)
    keyed, turned = [], 1
    for (f, labels), swap in zip(factors, swaps, strict=True):
        shades = [colours[label] for label in labels]
        if swap and shades[swap.first] > shades[swap.second]:
            labels, turned = swap.of(labels), swap.sign * turned
            shades = [colours[label] for label in labels]
        keyed.append((f.digest, shades, labels, f))
    keyed.sort(key=_key)
    return turned, [(f, labels) for _, _, labels, f in keyed]


def _key(entry: Any) -> Any:
    return entry[0], entry[1]


_MASK = (1 << 61) - 1


def _refine(factors: list[Factor], colours: dict[int, int], summed: list[int], swaps: list[Exchange | None]) -> None:
    """Give every summed label a colour by what it is connected to; break ties one at a time."""
    for label in summed:
        colours[label] = -1
    distinct = 0
    fixed = 0
    connected = [  # all others say nothing of them
        (f.digest, labels, swap) for (f, labels), swap in zip(factors, swaps, strict=True)
        if -1 in [colours[label] for label in labels]
    ]  # fmt: skip
    while True:
        new = dict.fromkeys(summed, 0)
        for digest, labels, swap in connected:
            shades = [colours[label] for label in labels]
            if swap and shades[swap.first] > shades[swap.second]:
                shades[swap.first], shades[swap.second] = shades[swap.second], shades[swap.first]
            colour = hash((digest, *shades))
            for place, label in enumerate(labels):
                if label in new:
                    alike = swap.first if swap and place == swap.second else place
                    new[label] = (new[label] + hash((colour, alike))) & _MASK
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
    swap = _exchange(term) if len(term.shape) == 2 else None
    return swap.sign if swap else 0


class Exchange(NamedTuple):
    """Two axes of a term that may be exchanged, and the sign that it has then: the first two of X[i,l] − X[j,l]."""

    sign: int
    first: int
    second: int

    def of(self, labels: Indices) -> Indices:
        """Labels with those of the two axes exchanged."""
        turned = list(labels)
        turned[self.first], turned[self.second] = labels[self.second], labels[self.first]
        return tuple(turned)


SYMMETRIC = frozenset(["symmetric", "diagonal", "psd", "pd"])
_AXES = {2: ((0, 1),), 3: ((0, 1), (0, 2), (1, 2))}


def _exchange(term: Any) -> Exchange | None:
    """Two axes that a term of two or three plainly has the same values at when they are exchanged, up to a sign."""
    if term.kind == "var" and not term.properties:
        return None
    memo = term.memo
    if "exchange" not in memo:
        shape, memo["exchange"] = term.shape, None
        for i, j in _AXES.get(len(shape), ()):
            sign = _sign_of(term, Exchange(1, i, j)) if shape[i] == shape[j] else 0
            if sign:
                memo["exchange"] = Exchange(sign, i, j)
                break
    return memo["exchange"]


def _sign_of(term: Any, swap: Exchange) -> int:
    """The sign that a term has with two axes exchanged; 0 where it plainly has none."""
    if term.kind == "var":
        return int(term.rank == 2 and bool(term.properties & SYMMETRIC))
    if term.kind == "delta":
        return 1
    if term.kind == "call":
        return int(term.op.name in ("inv", "matrix_exp", "cofactor") and is_symmetric(term.args[0]))
    if term.kind == "add":
        here = {_read(c, t, s) for c, t, s in term.terms}
        turned = [_read(c, t, tuple([_other(swap, i) for i in s])) for c, t, s in term.terms]
        return int(here == set(turned)) or -int(here == {(-c, t, s) for c, t, s in turned})
    if term.kind == "map":
        return _sign_of_map(term, swap)
    if term.kind == "ein":
        pair = {swap.first, swap.second}
        if any(f.kind == "delta" and set(s) == pair for f, s in term.factors):  # it is 0 off the diagonal
            return 1
        sizes, out = dict(enumerate(term.dims)), swap.of(tuple(range(term.rank)))
        same = [sorted_product(sign * term.coef, list(term.factors), out, sizes) is term for sign in (1, -1)]
        return 1 if same[0] else -int(same[1])
    return 0


def _other(swap: Exchange, axis: int) -> int:
    return swap.second if axis == swap.first else swap.first if axis == swap.second else axis


def _read(c: Number, term: Expr, s: Indices) -> tuple[Number, int, Indices]:
    """A term of a sum, the one of two ways in which it can be read that has its axes in order."""
    swap = _exchange(term) if 1 < len(s) < 4 else None
    if swap and s[swap.first] > s[swap.second]:
        return swap.sign * c, id(term), swap.of(s)
    return c, id(term), s


def _sign_of_map(term: Any, swap: Exchange) -> int:
    """Functions of symmetric matrices are symmetric; of those that are minus their transposes, even functions are."""
    pair, every = {swap.first, swap.second}, tuple(range(term.rank))
    signs = [_sign_at(a, swap) if s == every else int(not pair & set(s)) for a, s in term.args]
    if set(signs) == {1}:
        return 1
    if signs != [-1]:
        return 0
    exponent = term.params[0] if term.op.name == "pow_scalar" else None
    if exponent is not None:
        return (1, -1)[exponent % 2] if isinstance(exponent, int) else 0
    return 1 if term.op.even else -int(term.op.odd)


def _sign_at(term: Any, swap: Exchange) -> int:
    found = _exchange(term)
    return found.sign if found and found[1:] == swap[1:] else 0

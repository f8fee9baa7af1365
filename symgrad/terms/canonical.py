"""What is decided from structure alone: the order of factors, the names of summed indices, symmetry, signs.

The names are fixed by colour refinement: an index is what it is connected to. Ties that stay are labels that play the
same part; they are told apart one at a time.

Identities in products rename indices. Unit vectors there: what an entry of an array meets of another entry, or of a
slice.

The idea to hold: a loop over entries is made of unit vectors, and most of their products are nothing. Found here, a
loop's derivatives stay as sparse as they are.

Whether a term's values are real, at least 0, or truths: what many rules rest on, √x² = |x| among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd, isfinite, lcm
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._limits import bound
from .._trees import postorder
from ..core import Dim
from .measure import is_rational
from .node import Add, Call, Data, Delta, Ein, Expr, Indices, Lin, Map, Number, One, Var, remembered, tidy_number

Factor = tuple[Expr, Indices]
"""A term, and the labels at which it is read."""
Term = tuple[Number, Expr, Indices]


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
        return int(term.operation in ("inv", "matrix_exp", "cofactor") and is_symmetric(term.args[0]))
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
        sizes, out = dict(enumerate(term.dims)), swap.of(term.axes)
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
    pair, every = {swap.first, swap.second}, term.axes
    if is_rounded(term):
        return 0
    signs = [_sign_at(a, swap) if s == every else int(not pair & set(s)) for a, s in term.args]
    if set(signs) == {1}:
        return 1
    if signs != [-1]:
        return 0
    exponent = term.exponent
    if exponent != 1:
        return (1, -1)[exponent % 2] if isinstance(exponent, int) else 0
    return 1 if term.op.even else -int(term.op.odd)


def is_rounded(term: Any) -> bool:
    """Whether a term compares sums of products, which are rounded otherwise at one of two places where they are one."""
    return term.op.truth and any(
        t.kind == "call" or (t.kind == "ein" and len(t.dims) > t.rank)
        for a, s in term.args if s == term.axes for t in postorder(a)
    )  # fmt: skip


def _sign_at(term: Any, swap: Exchange) -> int:
    found = _exchange(term)
    return found.sign if found and found[1:] == swap[1:] else 0


Expr.symmetric = property(is_symmetric)  # type: ignore[assignment]


# -------------------------------------------------------------------------------------------- the number before a sum


def content(terms: Sequence[Term]) -> Number:
    """The number that is put in front of a sum: its rational content, with the sign of most of its terms.

    Of floats, such as multiples of √2, it is what they are rational multiples of, where that is so to the last digit.
    """
    numbers = [c for c, _, _ in terms]
    if any(isinstance(c, complex) for c in numbers):
        return 1
    negative = sum([c < 0 for c in numbers])  # type: ignore[operator]
    sign = -1 if 2 * negative > len(numbers) or (2 * negative == len(numbers) and _leading(terms) < 0) else 1  # type: ignore[operator]
    if all(c == 1 or c == -1 for c in numbers) or (found := _in_units(numbers)) is None:
        return sign
    unit, exact = found
    common = Fraction(gcd(*[c.numerator for c in exact]), lcm(*[c.denominator for c in exact]))
    if common.denominator > _limits.DENOMINATOR:  # of decimals multiplied many times: it says nothing
        common = Fraction(1)
    return tidy_number(sign * (common if unit == 1 else unit * float(common)))


DIGITS = bound(1_000_000)
"""The largest denominator of what a float is of another one."""


def _in_units(numbers: Sequence[Any]) -> tuple[float, list[Fraction]] | None:
    """Numbers as rational multiples of one: of 1, or of the largest float; None where they are not."""
    if all(map(is_rational, numbers)):
        return 1, [Fraction(c) for c in numbers]
    if not all(isinstance(c, float) and isfinite(c) for c in numbers):
        return None
    unit = max(map(abs, numbers))
    exact = [Fraction(c / unit).limit_denominator(DIGITS) for c in numbers]
    return (unit, exact) if all(unit * float(ratio) == c for ratio, c in zip(exact, numbers, strict=True)) else None


def _leading(terms: Sequence[Term]) -> Number:
    """The coefficient that decides the sign where as many terms are negative as positive: a size's (n - 1), else a
    number's (1 - x), else the heaviest term's, else that of the first name."""

    def rank(term: Term) -> Any:
        t = term[1]
        is_size = isinstance(t, Var) and "size" in t.properties
        return (
            not is_size,
            bool(t.factors),
            -t.weight,
            t.name if isinstance(t, Var) else "",
            t.digest,
            term[2],
        )

    return min(terms, key=rank)[0]


# -------------------------------------------------------------------------------------------------------- identities


def without_deltas(factors: list[Factor], out: Indices, sizes: dict[int, int]) -> list[Factor]:
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


# ------------------------------------------------------------------------------------------------------------- units


def unit_vectors(factors: list[Factor], out: Indices) -> list[Factor] | None:
    """Unit vectors at one label: equal ones are one, different ones nothing (None), and one alone sums up to 1."""
    places: dict[int, Any] = {}
    kept: list[Factor] = []
    for f, s in factors:
        place = selection(f) if f.kind == "lin" and len(s) == 1 else None
        if type(place) is not int:
            kept.append((f, s))
            continue
        known = places.setdefault(s[0], place)
        if known == place and (f, s) in kept:
            continue
        if known != place and (known < 0) == (place < 0):  # a last entry may be a first one
            return None
        kept.append((f, s))
    if not places:
        return kept
    used = [label for _, s in kept for label in s]
    alone = {label for label in places if label not in out and used.count(label) == 1}
    kept = [(f, s) for f, s in kept if len(s) != 1 or s[0] not in alone]
    return _through_slices(kept, out, places, used)


def selection(f: Any) -> Any:
    """The one index of an entry or a slice that a pattern takes along one axis; None if it is something else."""
    index = f.params[0] if f.op.name == "getitem" else None
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index


def _through_slices(
    factors: list[Factor], out: Indices, places: dict[int, Any], used: list[int]
) -> list[Factor] | None:
    """A unit vector on either side of a slice is one on its other side, or nothing (None)."""
    for f, s in factors:
        if f.kind != "lin" or len(s) != 2 or not isinstance(part := selection(f), slice) or type(f.shape[1]) is Dim:
            continue
        taken = range(*part.indices(int(f.shape[1])))
        for near, far in (s, s[::-1]):
            if near not in places or near in out or used.count(near) != 2 or places[near] < 0:
                continue
            place = places[near]
            inside = place in taken if near == s[1] else place < len(taken)
            if not inside:
                return None
            moved = taken.index(place) if near == s[1] else taken[place]
            unit = Lin(f.op, ((moved,),), (), (f.shape[0] if near == s[1] else f.shape[1],))
            rest = [(g, t) for g, t in factors if near not in t]
            return unit_vectors([*rest, (unit, (far,))], out)
    return factors


# ------------------------------------------------------------------------------------------------------------- reals


REAL_OF_COMPLEX = frozenset([
    "abs", "abs_complex", "abs_power", "angle", "dist", "imag", "irfft", "real", "std", "var", "vector_norm",
    "view_as_real",
])  # fmt: skip
"""Rows whose results are real whatever their arguments are."""
COMPLEX_OF_REAL = frozenset(
    [
        "complex",
        "fft",
        "hankel_1",
        "hankel_2",
        "ifft",
        "lambertw",
        "polar",
        "rfft",
        "view_as_complex",
        "wofz",
        "wofz_slope",
    ]
)
"""Rows whose results are complex though their arguments are real."""
COMPLEX_BY_VALUES = frozenset({"eig", "roots"})
"""Rows whose results are real or complex as their values are."""


def is_real(term: Expr) -> bool:
    """Whether no complex number occurs in what gives the term its value, as far as is known."""
    known = term.memo.get("real")
    if known is None:
        for t in postorder(term):
            if "real" not in t.memo:
                t.memo["real"] = _is_real(t)
        known = term.memo["real"]
    return bool(known)


def _is_real(t: Any) -> bool:
    if isinstance(t, Var):
        return "complex" not in t.properties
    if isinstance(t, Data):
        return bool(t.value.dtype.kind != "c")
    numbers: Any = ()
    if isinstance(t, (Map, Call, Lin)):
        if t.op.name in REAL_OF_COMPLEX:
            return True
        if t.op.name in COMPLEX_OF_REAL or t.op.name in COMPLEX_BY_VALUES:
            return False
        if t.op.name == "cast" and np.dtype(t.params[0]).kind == "c":
            return False
        numbers = t.params
    elif isinstance(t, Ein):
        numbers = (t.coef,)
    elif isinstance(t, Add):
        numbers = [c for c, _, _ in t.terms]
    return not any(isinstance(c, complex) for c in numbers) and all(c.memo["real"] for c in t.children)


Expr.real = property(is_real)  # type: ignore[assignment]


@remembered  # in a loop each state has the one before in several places
def is_nonnegative(a: Expr) -> bool:
    """Whether every entry is plainly at least 0 (or not a number)."""
    if not is_real(a):  # eᶻ and √z have a sign for real numbers only
        return False
    if isinstance(a, Var):
        return bool(a.properties & {"positive", "size", "onehot"})
    if isinstance(a, Ein):
        return not isinstance(a.coef, complex) and a.coef >= 0 and all(is_nonnegative(f) for f, _ in a.factors)
    if isinstance(a, Add):
        return all(not isinstance(c, complex) and c >= 0 and is_nonnegative(t) for c, t, _ in a.terms)
    if isinstance(a, Map):
        e = a.exponent
        if e != 1:
            even = isinstance(e, int) and e % 2 == 0
            return even or (isinstance(e, Fraction) and e.denominator % 2 == 0) or is_nonnegative(a.base)
        return bool(a.op.sign) or has_sign_of_operands(a, is_nonnegative)
    if isinstance(a, Data):
        return a.value.dtype.kind in "biuf" and bool((a.value >= 0).all())
    return a.kind in ("one", "delta") or (isinstance(a, Call) and bool(a.op.sign))


def is_declared_positive(a: Expr) -> bool:
    return isinstance(a, Var) and bool(a.properties & {"size", "positive"})


def is_positive(a: Expr) -> bool:
    """Whether every entry is plainly above 0."""
    if isinstance(a, Add):
        return (is_nonnegative(a) and any(is_positive(t) for _, t, _ in a.terms)) or _least(a) > 0
    if isinstance(a, Ein):
        return is_nonnegative(a) and all(is_positive(f) for f, _ in a.factors) and a.coef != 0
    if a.exponent != 1:
        return not isinstance(a.exponent, complex) and is_positive(a.base)
    if isinstance(a, Map):
        return a.op.sign == ">" or has_sign_of_operands(a, is_positive)
    return is_declared_positive(a)


SIGNS: dict[str, Callable[[Expr], bool]] = {"": lambda a: False, "positive": is_positive, "nonnegative": is_nonnegative}
"""What shows a sign that a row may ask for."""


_WITHIN_ONE = frozenset({"sin", "cos", "tanh", "erf", "sign"})
"""Functions whose values are between −1 and 1."""


def _least(a: Add) -> float:
    """A number that a sum is plainly not below: 2 + cos(x) is not below 1."""
    least = 0.0
    for c, t, _ in a.terms:
        number = c * t.coef if isinstance(t, One) or (isinstance(t, Ein) and not t.factors) else None
        if isinstance(c, complex) or isinstance(number, complex) or not is_real(t):
            return -np.inf
        if number is not None:
            least += float(number)
        elif t.base.operation in _WITHIN_ONE and isinstance(t.exponent, int) and t.exponent > 0:
            least -= 0.0 if c > 0 and t.exponent % 2 == 0 else abs(float(c))
        elif not (c > 0 and is_nonnegative(t)):
            return -np.inf
    return least


def has_sign_of_operands(a: Map, has_sign: Callable[[Expr], bool]) -> bool:
    """Whether a choice between operands has a sign as these have it, or a power as its base."""
    if a.operation == "pow_tensor":
        return is_real(a) and has_sign(a.children[0])
    if a.operation == "maximum":
        return any(map(has_sign, a.children))
    return a.operation in ("minimum", "where") and all(map(has_sign, a.children[a.operation == "where" :]))


def is_condition(a: Expr) -> bool:
    """Whether a term is a truth value."""
    return isinstance(a, Map) and bool(a.op.truth)

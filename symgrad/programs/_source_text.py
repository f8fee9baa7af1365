"""Pieces of NumPy source: axes moved to their places, numbers, powers and sums.

The idea to hold: a text is put in parentheses by whoever puts it into another, and only where it must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from .._limits import POWER_PRODUCTS
from ._survey import Unprogrammable
from ._terms import sizes


def subscripts(operands: Sequence[Sequence[int]], out: Sequence[int]) -> str:
    """What an einsum does, in its letters: each index one, in the order of the result and then of appearance."""
    letters = {k: "ijklmnpqrstuvwxyzabcdefgh"[i] for i, k in enumerate(dict.fromkeys([*out, *chain(*operands)]))}
    terms = [*operands, out]
    *inputs, result = ["".join([letters[k] for k in s]) for s in terms]
    return f"{','.join(inputs)}->{result}"


def permuted(text: str, labels: Any, order: Any) -> str:
    """An array with its axes in another order."""
    if tuple(labels) == tuple(order):
        return text
    if len(labels) == 2:
        return f"{atom(text)}.T"
    return f"{atom(text)}.transpose({tuple([labels.index(k) for k in order])})"


def align(text: str, labels: Any, rank: int) -> str:
    """An array with its axes where its labels say among ``rank`` axes, of size 1 where it has none."""
    if not labels:
        return text
    order = tuple(sorted(labels))
    text = permuted(text, labels, order)
    if order == tuple(range(rank - len(order), rank)):
        return text
    where = ", ".join([":" if k in order else "None" for k in range(order[0], rank)])
    return f"{atom(text)}[{where}]"


def spread(text: str, labels: Sequence[int], term: Any) -> str:
    """An array with these of a term's axes, in the term's shape."""
    if len(labels) == term.rank:
        return text
    return f"np.broadcast_to({align(f'({text})', labels, term.rank)}, {sizes(term.shape)})"


def atom(text: str) -> str:
    """A text that can be indexed and called: in parentheses if it must be."""
    return (
        text
        if text.replace("_", "").replace(".", "").isalnum() or (text.endswith((")", "]")) and closed(text))
        else f"({text})"
    )


def closed(text: str) -> bool:
    """Whether a text that ends in a bracket is one call, index or pair of parentheses."""
    depth = 0
    for i, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if depth == 0 and c in " +-*/@<>=&|" and i < len(text) - 1:
            return False
    return True


def bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if i == len(text) - 1 > 0 else text
    return text


def number(value: Any) -> str:
    """A number as source."""
    if isinstance(value, Fraction):
        return repr(value.numerator / value.denominator) if value.denominator != 1 else str(value.numerator)
    if isinstance(value, complex):
        raise Unprogrammable("there are complex numbers")
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def power(text: str, exponent: Any) -> str:
    """A power as NumPy's quickest operation for it."""
    base = atom(text)
    if exponent == Fraction(1, 2):
        return f"np.sqrt({text})"
    if exponent == Fraction(-1, 2):
        return f"1 / np.sqrt({text})"
    if exponent == -1:
        return f"1 / {base}"
    if exponent == 2:
        return f"np.square({text})"
    if isinstance(exponent, int) and 3 <= exponent <= POWER_PRODUCTS and base.replace("_", "").isalnum():
        squares = {3: "{0} * {0} * {0}", 4: "np.square(np.square({0}))", 5: "np.square(np.square({0})) * {0}",
                   6: "np.square({0} * {0} * {0})", 7: "np.square({0} * {0} * {0}) * {0}",
                   8: "np.square(np.square(np.square({0})))"}  # fmt: skip
        return squares[exponent].format(base)
    if isinstance(exponent, int) and -POWER_PRODUCTS <= exponent <= -2 and base.replace("_", "").isalnum():
        return f"1 / ({power(text, -exponent)})"
    if exponent in (Fraction(3, 2), Fraction(-3, 2)) and base.replace("_", "").isalnum():
        return f"{base} * np.sqrt({base})" if exponent > 0 else f"1 / ({base} * np.sqrt({base}))"
    text = number(exponent)
    return f"{base} ** ({text})" if text.startswith("-") else f"{base} ** {text}"


def by_powers(base: str, exponent: Any, known: dict[Any, str]) -> str:
    """A power from others of the same array that are known by name, where that takes less; nothing where it does not.

    What is infinite or no number stays so: no power of the other sign is a factor, and of negative numbers no root.
    """
    whole = isinstance(exponent, int)
    names = {e: n for e, n in known.items() if (e > 0) == (exponent > 0) and (isinstance(e, int) or not whole)}
    names |= {1: base} if exponent > 0 else {}
    for e, name in names.items():
        if exponent - e in names:
            other = names[exponent - e]
            return f"np.square({name})" if name == other else f"{name} * {other}"
    if exponent < 0 and -exponent in known:
        return f"1 / {known[-exponent]}"
    if exponent < 0 and exponent + 1 in names:
        return f"{names[exponent + 1]} / {base}"
    return ""


def times(coef: Any, text: str) -> str:
    """A number times an array."""
    if coef == 1:
        return text
    safe = text if closed(text) and not text.startswith("-") else f"({text})"
    return f"-{safe}" if coef == -1 else f"{number(coef)} * {safe}"


def summed(text: str, coef: Any, piece: str) -> str:
    """A sum with one more term; the first term if there is none yet."""
    piece = piece if closed(piece) else f"({piece})"
    if not text:
        return piece if coef == 1 else f"-{piece}" if coef == -1 else f"{number(coef)} * {piece}"
    sign, size = ("-", -coef) if negative(coef) else ("+", coef)
    return f"{text} {sign} {piece if size == 1 else f'{number(size)} * {piece}'}"


def negative(coef: Any) -> bool:
    """Whether a number is written with a minus."""
    return not isinstance(coef, complex) and coef < 0

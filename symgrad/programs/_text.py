"""Pieces of NumPy source: axes moved to their places, products of two arrays, numbers and powers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ._survey import Unprogrammable


def product_of_two(a: str, la: Any, b: str, lb: Any, out: Any, dims: Any) -> str:
    """A product with summed indices as ``@``, or as a batched one where an index stays that both have."""
    summed = [k for k in la if k in lb and k not in out]
    batch = [k for k in out if k in la and k in lb]
    rows, columns = [k for k in out if k in la and k not in lb], [k for k in out if k in lb and k not in la]
    if columns and rows and out.index(columns[0]) < out.index(rows[0]):
        return product_of_two(b, lb, a, la, out, dims)
    if batch and not rows and not columns:
        letters = {k: chr(97 + i) for i, k in enumerate([*batch, *summed])}
        spec = ",".join("".join(letters[k] for k in s) for s in (la, lb))
        return f"np.einsum('{spec}->{''.join(letters[k] for k in out)}', {a}, {b})"
    if not batch and len(summed) == 1 and len(rows) <= 1 and len(columns) <= 1:
        return f"{permuted(a, la, (*rows, *summed))} @ {permuted(b, lb, (*summed, *columns))}"
    if not batch:
        la2, lb2 = [la.index(k) for k in summed], [lb.index(k) for k in summed]
        got = (*[k for k in la if k not in summed], *[k for k in lb if k not in summed])
        return permuted(f"np.tensordot({a}, {b}, ({la2}, {lb2}))", got, out)
    n, m, s = (int(np.prod([int(dims[k]) for k in g])) for g in (rows, columns, summed))
    left = permuted(a, la, (*batch, *rows, *summed))
    right = permuted(b, lb, (*batch, *summed, *columns))
    lead = tuple([int(dims[k]) for k in batch])
    if len(rows) != 1 or len(summed) != 1:
        left = f"{left}.reshape({(*lead, n, s)})"
    if len(columns) != 1 or len(summed) != 1:
        right = f"{right}.reshape({(*lead, s, m)})"
    text = f"np.matmul({left}, {right})"
    if len(rows) != 1 or len(columns) != 1:
        text = f"{text}.reshape({(*lead, *[int(dims[k]) for k in rows], *[int(dims[k]) for k in columns])})"
    return permuted(text, (*batch, *rows, *columns), out)


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


def atom(text: str) -> str:
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
    if isinstance(exponent, int) and 3 <= exponent <= 8 and base.replace("_", "").isalnum():
        squares = {3: "{0} * {0} * {0}", 4: "np.square(np.square({0}))", 5: "np.square(np.square({0})) * {0}",
                   6: "np.square({0} * {0} * {0})", 7: "np.square({0} * {0} * {0}) * {0}",
                   8: "np.square(np.square(np.square({0})))"}  # fmt: skip
        return squares[exponent].format(base)
    if isinstance(exponent, int) and -8 <= exponent <= -2 and base.replace("_", "").isalnum():
        return f"1 / ({power(text, -exponent)})"
    if exponent in (Fraction(3, 2), Fraction(-3, 2)) and base.replace("_", "").isalnum():
        return f"{base} * np.sqrt({base})" if exponent > 0 else f"1 / ({base} * np.sqrt({base}))"
    text = number(exponent)
    return f"{base} ** ({text})" if text.startswith("-") else f"{base} ** {text}"


def times(coef: Any, text: str) -> str:
    if coef == 1:
        return text
    safe = text if closed(text) and not text.startswith("-") else f"({text})"
    return f"-{safe}" if coef == -1 else f"{number(coef)} * {safe}"


def summed(text: str, coef: Any, piece: str) -> str:
    piece = piece if closed(piece) else f"({piece})"
    if not text:
        return piece if coef == 1 else f"-{piece}" if coef == -1 else f"{number(coef)} * {piece}"
    sign, size = ("-", -coef) if negative(coef) else ("+", coef)
    return f"{text} {sign} {piece if size == 1 else f'{number(size)} * {piece}'}"


def negative(coef: Any) -> bool:
    return not isinstance(coef, complex) and coef < 0

"""What a formula's parts stand for: arrays that know whether they lie, or whose axes have letters.

The idea to hold: two kinds of value never mix. A matrix value is a number, a vector (a column, or a row after ``ᵀ``) or
a matrix, and shapes must fit as in the book. A lettered value, `A[i,k]`, is a number for each choice of its letters,
and letters that one side lacks are spread.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


class NotReadable(ValueError):
    """A text that is not in the part of the notation that can be read back."""


class Misfit(ValueError):
    """Shapes that do not go together."""


@dataclass(frozen=True)
class Value:
    """An array; ``row`` marks a vector that lies, ``letters`` name the axes of a lettered value."""

    array: np.ndarray
    row: bool = False
    letters: str = ""

    @property
    def rank(self) -> int:
        return 0 if self.letters else self.array.ndim


def entrywise(function: Callable[..., np.ndarray], *values: Value) -> Value:
    """Apply a function entry by entry: shapes agree or are those of numbers."""
    if any(value.letters for value in values):
        return _lettered(function, *values)
    shapes = {(value.array.shape, value.row) for value in values if value.rank}
    if len(shapes) > 1:
        raise Misfit(f"shapes {sorted(map(str, shapes))} entry by entry")
    with np.errstate(all="ignore"):
        found = function(*(value.array for value in values))
    return Value(np.asarray(found, float), any(value.row for value in values))


def _lettered(function: Callable[..., np.ndarray], *values: Value) -> Value:
    if any(value.rank for value in values):
        raise Misfit("a lettered value beside an array without letters")
    letters = "".join(sorted({letter for value in values for letter in value.letters}))
    try:
        found = function(*(spread(value, letters) for value in values))
    except ValueError as error:
        raise Misfit(str(error)) from None
    return Value(np.asarray(found, float), letters=letters)


def spread(value: Value, letters: str) -> np.ndarray:
    """Return the array with the axes of ``letters`` in order, of size one where the value lacks one."""
    order = [value.letters.index(letter) for letter in letters if letter in value.letters]
    missing = [axis for axis, letter in enumerate(letters) if letter not in value.letters]
    return np.expand_dims(value.array.transpose(order), missing)


def lettered(value: Value, letters: str) -> Value:
    """Return `A[i,k]`, where a letter that is repeated means the diagonal."""
    if value.letters or value.array.ndim != len(letters):
        raise NotReadable(f"[{letters}] of an array of shape {value.array.shape}")
    output = "".join(dict.fromkeys(letters))
    try:
        return Value(np.einsum(f"{letters}->{output}", value.array), letters=output)
    except ValueError as error:
        raise Misfit(str(error)) from None


def summed(value: Value, letters: str) -> Value:
    """Return the sum over some letters."""
    if not set(letters) <= set(value.letters):
        raise NotReadable(f"a sum over {letters} of a value of {value.letters or 'no letters'}")
    kept = "".join(letter for letter in value.letters if letter not in letters)
    axes = tuple(axis for axis, letter in enumerate(value.letters) if letter in letters)
    return Value(value.array.sum(axes), letters=kept)


def product(left: Value, right: Value) -> Value:
    """Return the product of two values side by side."""
    if not left.rank or not right.rank:
        return entrywise(np.multiply, left, right)
    a, b = laid(left), laid(right)
    if a.shape[1] != b.shape[0]:
        raise Misfit(f"a product of {a.shape} and {b.shape}")
    found = a @ b
    if left.rank == right.rank == 2:
        return Value(found)
    if left.rank == right.rank == 1:
        return Value(found[0, 0]) if left.row and not right.row else Value(found)
    return Value(found.reshape(-1), row=left.rank == 1)


def laid(value: Value) -> np.ndarray:
    """Return a vector as the matrix that it is."""
    if value.rank == 1:
        return value.array[None, :] if value.row else value.array[:, None]
    return value.array


def raised(value: Value, superscript: str, each: bool = False) -> Value:
    """Return the transpose, the inverse or a power; that of a matrix is of ``each`` entry, if that is said."""
    if superscript.startswith((".", "ᵀ")):
        return Value(value.array, not value.row) if value.rank == 1 else Value(value.array.T)
    if superscript in ("⁻¹", "⁻ᵀ") and value.rank == 2:
        if value.array.shape[0] != value.array.shape[1]:
            raise Misfit("the inverse of a matrix that is not square")
        inverse = np.linalg.inv(value.array)
        return Value(inverse if superscript == "⁻¹" else inverse.T)
    exponent = int(superscript.strip("*^() ").translate(SUPERSCRIPTS))
    if value.rank == 2 and not each:
        if value.array.shape[0] != value.array.shape[1]:
            raise Misfit("the power of a matrix that is not square")
        return Value(np.linalg.matrix_power(value.array, exponent))
    if exponent < 0 and value.rank:
        raise NotReadable("a negative power of an array")
    return Value(np.asarray(value.array) ** float(exponent), value.row, value.letters)

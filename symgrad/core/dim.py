"""Named sizes: the ``n`` of a vector of n numbers, while its values are stand-ins of some length.

The idea to hold: a `Dim` is a polynomial in named sizes together with its *stand-in*, the length that the arrays behind
the symbols really have. Where a size is used as a size (an index, a shape, a comparison) it is its stand-in; where it
is used as a number among numbers (``1 / n``, ``n * x``) it is a symbol, so that a mean written by hand shows 1/n.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._errors import SymbolicBranchError
from . import modes

_OF_SIZES = (
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.remainder, np.floor_divide,
)  # fmt: skip
"""What index arithmetic does with a size: there it is its stand-in."""

_COMPARED: dict[Any, Callable[[Any, Any], bool]] = {
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip
Monomial = tuple[tuple[str, int], ...]  # (name, stand-in) of each factor, sorted

NUMBER: list[Callable[[str, int], Any]] = []
"""The function that makes the symbol of one named size: core/symbols.py puts it here (symbols are above sizes)."""

ASKED: ContextVar[Callable[[Any], None] | None] = ContextVar("ASKED", default=None)
"""Who is told that the length behind a named size is used: what comes of it may be another for other lengths."""

LIBRARIES = frozenset(["symgrad", "numpy", "scipy", "opt_einsum"])
"""Whose code is not the user's: their comparisons of sizes are no branches, since they are right for any length."""

_Base: Any = int if TYPE_CHECKING else object


class Facts(NamedTuple):
    """What was declared of a symbol: its shape in named sizes, and properties such as 'symmetric'."""

    shape: tuple[int, ...]
    properties: frozenset[str] = frozenset()


IMPLIED: dict[str, tuple[str, ...]] = {
    "pd": ("psd", "symmetric"), "psd": ("symmetric",), "diagonal": ("symmetric",), "sign": ("integer",),
    "onehot": ("integer",),
}  # fmt: skip
"""The properties that follow from another."""


class Dim(_Base):
    """A named size, or what was computed from named sizes: ``n``, ``n - 1``, ``2*n``, ``m*n``.

    Attributes
    ----------
    name : how it prints
    terms : its polynomial, as pairs of a product of named sizes and a coefficient
    exact : False if it was found by its stand-in (the length of a slice, say): then it is a size, but no number
    """

    # It passes for an int (`isinstance` asks __class__) and is none for the C code of float, which would otherwise
    # compute 0.5 * n with the stand-in before this class is asked.
    __slots__ = ("exact", "standin", "terms")
    standin: int
    terms: tuple[tuple[Monomial, int], ...]
    exact: bool

    def __new__(cls, name: str, standin: int) -> Dim:
        return _make({((name, standin),): 1}, standin, True)

    def __init__(self, name: str, standin: int) -> None:
        pass

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return int

    @property
    def name(self) -> str:
        """The size as it prints."""
        text = ""
        for monomial, c in self.terms:
            word = "*".join(f"{n}**{k}" if k > 1 else n for n, k in _powers(monomial)) or str(abs(c))
            if monomial and abs(c) != 1:
                word = f"{abs(c)}*{word}"
            sign = "-" if c < 0 else "+"
            text += f" {sign} {word}" if text else word if c > 0 else f"-{word}"
        return text

    @property
    def atoms(self) -> dict[str, int]:
        """The named sizes that it is computed from, with what stands in for each."""
        return {name: length for monomial, _ in self.terms for name, length in monomial}

    def unclear(self) -> Dim:
        """The same size as one found by its stand-in only."""
        return _make(dict(self.terms), self.standin, False)

    def number(self) -> Any:
        """The size as a symbol, for use in a formula."""
        if not self.exact:
            raise SymbolicBranchError(
                f"the size {self.name} has no name of its own, so that it cannot be used as a number",
                "It is the size of something computed, found by comparing lengths.",
                "Write it with the sizes of the symbols: x.shape[0] - 1 for the size of x[1:].",
            )
        total = None
        for monomial, c in self.terms:
            value = c if total is None else abs(c)
            for k, (name, standin) in enumerate(monomial):
                factor = NUMBER[0](name, standin)
                value = factor if k == 0 and value == 1 else value * factor
            total = value if total is None else total + value if c > 0 else total - value
        return total

    def __index__(self) -> int:
        return _length(self)

    __int__ = __index__

    def __float__(self) -> float:
        raise _refusal(self, "float")

    def __complex__(self) -> complex:
        raise _refusal(self, "complex")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise _refusal(self, "np.asarray")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        as_size = ufunc in _OF_SIZES and not any(hasattr(a, "backward") for a in inputs)
        if ufunc in _COMPARED and as_size and method == "__call__" and not kwargs and all(map(_is_real, inputs)):
            how, (left, right) = _COMPARED[ufunc], inputs
            if type(left) is Dim:
                return np.bool_(_compared(left, right, how))
            return np.bool_(_compared(right, left, lambda size, other: how(other, size)))
        values = [(int(a) if as_size else a.number()) if type(a) is Dim else a for a in inputs]
        return getattr(ufunc, method)(*values, **kwargs)

    def __bool__(self) -> bool:
        return _compared(self, 0, operator.ne)

    def __hash__(self) -> int:
        return hash(self.standin)

    def __eq__(self, other: object) -> Any:
        if type(other) is Dim and self.terms == other.terms:
            return True
        return _compared(self, other, operator.eq) if _is_real(other) else NotImplemented

    def __ne__(self, other: object) -> Any:
        if type(other) is Dim and self.terms == other.terms:
            return False
        return _compared(self, other, operator.ne) if _is_real(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return _compared(self, other, operator.lt) if _is_real(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return _compared(self, other, operator.le) if _is_real(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return _compared(self, other, operator.gt) if _is_real(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return _compared(self, other, operator.ge) if _is_real(other) else NotImplemented

    def __neg__(self) -> Any:
        return _scale(self, -1)

    def __pos__(self) -> Dim:
        return self

    def __abs__(self) -> Any:
        return self if self.standin >= 0 else -self

    def __add__(self, other: Any) -> Any:
        return _sum(self, other) if _is_int(other) else _as_number(self, other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return _sum(self, other) if _is_int(other) else _as_number(self, other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return _sum(self, -other) if _is_int(other) else _as_number(self, other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return _sum(-self, other) if _is_int(other) else _as_number(self, other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (tuple, list)):
            return NotImplemented
        return _product(self, other) if _is_int(other) else _as_number(self, other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return _product(self, other) if _is_int(other) else _as_number(self, other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return _as_number(self, other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return _as_number(self, other, lambda a, b: b / a)

    def __pow__(self, other: Any) -> Any:
        if type(other) is int and other >= 0:
            power = 1
            for _ in range(other):
                power = power * self
            return power
        return _as_number(self, other, operator.pow)

    def __rpow__(self, other: Any) -> Any:
        return _as_number(self, other, lambda a, b: b**a)

    def __floordiv__(self, other: Any) -> Any:
        return _quotient(self, other) if _is_int(other) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return other // _length(self) if _is_int(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return _length(self) % int(other) if _is_int(other) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return other % _length(self) if _is_int(other) else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.name, spec) if not spec or spec[-1] in "s<>^0123456789" else format(self.standin, spec)

    def __reduce__(self) -> Any:
        return _make, (dict(self.terms), self.standin, self.exact)


def _length(size: Dim) -> int:
    if (told := ASKED.get()) is not None:
        told(size)
    return size.standin


def _compared(size: Dim, other: Any, how: Callable[[Any, Any], bool]) -> bool:
    """How the lengths compare. A function that asks for it branches: its formula holds where the answer is the same."""
    named = type(other) is Dim and how in (operator.eq, operator.ne)  # equal by name, not by what stands in for it
    length = int(other) if type(other) is Dim else other
    outcome = (how is operator.ne) if named else bool(how(_length(size), length))
    taken = modes.tracing.get()
    if taken is not None and size.exact and (type(other) is not Dim or other.exact):
        module = str(sys._getframe(2).f_globals.get("__name__"))
        if module.partition(".")[0] not in LIBRARIES:
            taken.append((how(size.number(), other.number() if type(other) is Dim else other), outcome))
    return outcome


def _is_real(value: Any) -> bool:
    return _is_int(value) or isinstance(value, (float, np.integer, np.floating))


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _powers(monomial: Monomial) -> list[tuple[str, int]]:
    names = [name for name, _ in monomial]
    return [(name, names.count(name)) for name in dict.fromkeys(names)]


def _order(term: tuple[Monomial, int]) -> Any:
    return -len(term[0]), term[0]


def _make(terms: dict[Monomial, int], standin: int, exact: bool) -> Any:
    """The size of a polynomial; a plain int if no name is left."""
    kept = {m: c for m, c in terms.items() if c}
    if not any(kept):
        return standin
    self = object.__new__(Dim)
    self.terms, self.standin, self.exact = tuple(sorted(kept.items(), key=_order)), standin, exact
    return self


def _parts(value: Any) -> tuple[dict[Monomial, int], int, bool]:
    if type(value) is Dim:
        return dict(value.terms), value.standin, value.exact
    return {(): int(value)}, int(value), True


def _sum(a: Any, b: Any) -> Any:
    (left, m, sure), (right, n, certain) = _parts(a), _parts(b)
    for monomial, c in right.items():
        left[monomial] = left.get(monomial, 0) + c
    return _make(left, m + n, sure and certain)


def _scale(a: Any, c: int) -> Any:
    terms, n, exact = _parts(a)
    return _make({m: c * k for m, k in terms.items()}, c * n, exact)


def _product(a: Any, b: Any) -> Any:
    (left, m, sure), (right, n, certain) = _parts(a), _parts(b)
    terms: dict[Monomial, int] = {}
    for x, c in left.items():
        for y, d in right.items():
            key = tuple(sorted(x + y))
            terms[key] = terms.get(key, 0) + c * d
    return _make(terms, m * n, sure and certain)


def _quotient(a: Dim, b: Any) -> Any:
    """``a // b``: a size again if it is whole whatever the sizes are, else the stand-in's."""
    right, n, certain = _parts(b)
    if len(right) == 1:
        ((divisor, d),) = right.items()
        terms: dict[Monomial, int] = {}
        for monomial, c in a.terms:
            rest = list(monomial)
            if c % d or any(rest.count(f) < divisor.count(f) for f in divisor):
                break
            for factor in divisor:
                rest.remove(factor)
            terms[tuple(rest)] = c // d
        else:
            return _make(terms, a.standin // n, a.exact and certain)
    return Dim(f"{_factor(a)}//{_factor(b)}", a.standin // n).unclear()


def _factor(size: Any) -> str:
    text = str(size)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _as_number(a: Dim, b: Any, combine: Callable[[Any, Any], Any]) -> Any:
    if hasattr(b, "__array_ufunc__") or isinstance(b, (int, float, complex)):
        return combine(a.number(), b.number() if type(b) is Dim else b)
    return NotImplemented


def _refusal(size: Dim, what: str) -> SymbolicBranchError:
    return SymbolicBranchError(
        f"{what}() asked for the value of the size {size}",
        "A named size has none: it stands for any.",
        "Compute with it as it is (1 / n, sg.log(n), sg.arange(n), math.prod(x.shape)); int(n) is its stand-in.",
    )


def resized(size: Any, lengths: dict[str, int]) -> Any:
    """The same size with other lengths behind the names; a number stays."""
    if type(size) is not Dim:
        return size
    total = 0
    for monomial, c in size.terms:
        product = c
        for name, length in monomial:
            product = Dim(name, lengths.get(name, length)) * product
        total = total + product
    return total if size.exact or type(total) is not Dim else total.unclear()


def guess(length: int, sizes: dict[int, Any]) -> Any:
    """The size of something computed from arrays whose sizes are ``sizes`` (by stand-in; an int where unnamed).

    A length that only fits a sum or a difference of sizes is named so, and is not `exact`.
    """
    found = sizes.get(length)
    if found is not None:
        return found
    named = [d for d in sizes.values() if type(d) is Dim and d.exact and len(d.terms) == 1]
    products = [a * b for k, a in enumerate(named) for b in named[k:] if a.standin * b.standin == length]
    if len(products) == 1:
        return products[0]
    near = [d + k for d in named for k in (-1, 1) if d.standin + k == length]
    near += [a + b for k, a in enumerate(named) for b in named[k:] if a.standin + b.standin == length]
    if len(near) == 1:
        return near[0].unclear()
    return length

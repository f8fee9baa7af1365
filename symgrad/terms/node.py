"""The terms of formulas: immutable, interned, every product one operator.

The idea to hold: a term is an array seen through *indices*. Every composite term numbers its own output indices
``0 … rank-1`` and reads its operands at tuples of indices, so broadcasting is the omission of an index, a transpose is
an order of indices, a sum is an index that the output lacks, a diagonal is an index that occurs twice.

====== ==========================================================================================
Var    a symbol (or a named size)
Data   a small constant array that is written out
One    a vector of ones; Delta an identity matrix
Lin    the constant array of a linear operation, its output's axes first: ``x[1:]`` is ``Lin[i, j] x[j]``
Ein    ``coef * sum(factor[indices] * …)`` over the indices that the output lacks
Add    ``coef * term[indices] + …``
Map    an element-wise operation
Call   any other operation; Jac its Jacobian, where nothing better is known
====== ==========================================================================================

Equal means identical: constructors return the living term of the same make. The table of living terms is weak, and
what is memoised about a term lies on the term, so no cache outlives a formula. ``digest`` is a number that depends on
the structure alone (not on the process or the order of work): terms are sorted by it.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from threading import RLock
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from .. import _limits
from .._limits import bound
from ..core import TABLE, Tensor, modes
from .measure import Number, weigh

# ------------------- Numbers that depend on structure alone: the same in every process, so that the order of terms is


def text_digest(text: str) -> int:
    """A number for a string that is the same in every process."""
    raw = text.encode()
    return zlib.crc32(raw) << 32 | zlib.adler32(raw)


def number_digest(c: Any) -> int:
    """A number for a coefficient."""
    return hash(c) if c == c else 0


def shape_digest(shape: Any) -> int:
    """A number for a shape: of a named size its name, for its stand-in depends on the names that came before."""
    return hash(tuple([n if type(n) is int else text_digest(repr(n)) for n in shape]))


def freeze(value: Any) -> Any:
    """A hashable stand-in for a parameter: arrays by their bytes, slices and lists as tuples."""
    if isinstance(value, tuple):
        return tuple([freeze(v) for v in value]) if value else value
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, np.ndarray):
        return ("array", value.tobytes(), value.shape, value.dtype.str)
    if isinstance(value, slice):
        return ("slice", freeze(value.start), freeze(value.stop), freeze(value.step))
    if isinstance(value, (list, dict)):
        return (type(value).__name__, *map(freeze, value.items() if isinstance(value, dict) else value))
    return ("float", value.hex()) if type(value) is float else (type(value).__name__, value)


# ----------------------------------- How terms are pickled: by class and state, an operation of the table by its name


def kept(op: Any) -> Any:
    """What is pickled of an operation: its name, if it is a row of the table."""
    return op.name if TABLE.get(op.name) is op else op  # type: ignore[union-attr]


def rebuild(cls: Any, state: tuple[Any, ...]) -> Any:
    """The term of a class with a state; an operation is looked up by its name."""
    if cls.kind in ("call", "map", "lin"):
        op = TABLE[state[0]] if isinstance(state[0], str) else state[0]
        state = (op, *state[1:])
    return cls(*state)


# -------------------------------------------------------------------------------------------------------------- node


Indices = tuple[int, ...]

_living: WeakValueDictionary[Any, Any] = WeakValueDictionary()
_meeting = RLock()  # reentrant: the garbage collector may run somebody's code, and that make terms


HEAVIEST = bound(1 << 20)
"""Weights of formulas are compared up to here."""


class Expr:
    """A term. Compare with ``is``.

    Attributes
    ----------
    kind : the class in lower case
    operation : the name of the operation that a `Map` or `Call` applies; '' of other terms
    base, exponent, as_power : any term is the one to the power of the other: x³ is (x, 3), what is no power (itself,
        1); both have the same axes
    axes : the indices of its axes, 0, 1, …
    coef, factors, dims : any term is a product: what is none, of one factor, itself
    shape : its sizes, ints (a `Dim` where a size has a name)
    children : the terms it is made of
    digest : a number for its structure
    rank : how many axes it has
    memo : what has been worked out about it, by query
    """

    __slots__ = ("__weakref__", "_weight", "digest", "memo", "rank", "shape")
    kind: ClassVar[str] = ""
    operation: str = ""
    op: Any
    args: Any
    params: tuple[Any, ...]
    exponent: Any = 1
    coef: Any = 1
    shape: tuple[int, ...]
    digest: int
    rank: int
    memo: dict[Any, Any]
    children: tuple[Expr, ...] = ()
    symmetric: bool
    """Whether it is a matrix that is plainly symmetric; `canonical` adds it."""
    real: bool
    """Whether no complex number occurs in what gives it its value; `canonical` adds it."""
    spelled_out: Sequence[Expr] = ()
    """The same with small arrays that are made of entries written out, in other ways; `calculus` knows them."""
    let_forms: Sequence[tuple[Expr, list[tuple[Expr, Expr]]]] = ()
    """The same with symbols for what it repeats, in other ways, each with the symbols' definitions; as these."""

    @property
    def base(self) -> Any:
        """What is raised to `exponent`."""
        return self

    @property
    def axes(self) -> Indices:
        """The indices of its axes: 0, 1, …"""
        return tuple(range(self.rank))

    @property
    def factors(self) -> tuple[tuple[Any, Indices], ...]:
        """What is multiplied, each with its indices."""
        return ((self, self.axes),)

    @property
    def dims(self) -> tuple[int, ...]:
        """The size of every index of the factors, the output's first."""
        return self.shape

    @property
    def as_power(self) -> tuple[Any, Any]:
        """The base and the exponent."""
        return self.base, self.exponent

    @property
    def weight(self) -> int:
        """Twice the number of symbols and signs of its text, about; found when it is asked for, as it seldom is of
        terms of programs."""
        try:
            return self._weight
        except AttributeError:
            self._weight: int
            weigh(self, HEAVIEST)
            return self._weight

    def __repr__(self) -> str:
        from ..show import to_text
        from ..show.layout import LAST

        return to_text(self).replace(LAST, "")

    def __reduce__(self) -> Any:
        return rebuild, (type(self), self._state())

    def _state(self) -> tuple[Any, ...]:
        raise NotImplementedError


def _new(cls: Any, shape: Any, digest: int) -> Any:
    self = object.__new__(cls)
    self.shape, self.digest, self.rank, self.memo = shape, digest, len(shape), {}
    return self


def _shared(key: Any, made: Any) -> Any:
    """The living term of a key: what was just made, whole, unless another thread was quicker."""
    with _meeting:
        living = _living.get(key)
        if living is None:
            living = _living[key] = made
        return living


def living_terms() -> list[Expr]:
    """Every term that there is."""
    with _meeting:
        return list(_living.values())


_Of = TypeVar("_Of", bound=Callable[..., Any])


def remembered(of: _Of) -> _Of:
    """A function of a term, and of what else it takes, whose answers stay with the term."""

    @wraps(of)
    def answer(term: Expr, *others: Any) -> Any:
        key = (of, *others)
        if key not in term.memo:
            term.memo[key] = of(term, *others)
        return term.memo[key]

    return answer  # type: ignore[return-value]


def _sizes(shape: Any) -> Any:
    """A shape as a key: a named size is not the length that stands in for it, though it equals it."""
    for n in shape:
        if type(n) is not int:
            return shape, *[getattr(n, "terms", None) for n in shape]
    return shape


class Var(Expr):
    """A symbol: ``properties`` holds 'symmetric', 'positive', 'psd', 'size'… as declared."""

    __slots__ = ("name", "properties")
    kind = "var"
    name: str
    properties: frozenset[str]

    def __new__(cls, name: str, shape: tuple[int, ...] = (), properties: frozenset[str] = frozenset()) -> Var:
        key = (cls, name, _sizes(shape), properties)
        self = _living.get(key)
        if self is None:
            digest = hash((1, text_digest(name), shape_digest(shape), *sorted(map(text_digest, properties))))
            self = _new(cls, shape, digest)
            self.name, self.properties = name, properties
            self = _shared(key, self)
        return self

    def _state(self) -> tuple[Any, ...]:
        return self.name, self.shape, self.properties


class Data(Expr):
    """A constant array that is written out."""

    __slots__ = ("value",)
    kind = "data"
    value: np.ndarray

    def __new__(cls, value: Any) -> Data:
        value = np.asarray(value)
        raw = value.tobytes()
        key = (cls, raw, value.shape, value.dtype.str)
        self = _living.get(key)
        if self is None:
            self = _new(cls, value.shape, hash((2, zlib.crc32(raw), value.shape)))
            self.value = value.copy()
            self.value.flags.writeable = False
            self = _shared(key, self)
        return self

    def _state(self) -> tuple[Any, ...]:
        return (self.value,)


class _OfSize(Expr):
    """An array that is told by its size, the same along all axes."""

    __slots__ = ()
    axis_count: ClassVar[int]
    digest_seed: ClassVar[int]

    def __new__(cls, n: int) -> Self:
        key = (cls, n, getattr(n, "name", None))
        self = _living.get(key)
        if self is None:
            self = _shared(key, _new(cls, (n,) * cls.axis_count, hash((cls.digest_seed, shape_digest((n,))))))
        return self

    def _state(self) -> tuple[Any, ...]:
        return self.shape[:1]


class One(_OfSize):
    """A vector of ones."""

    __slots__ = ()
    kind = "one"
    axis_count: ClassVar[int] = 1
    digest_seed: ClassVar[int] = 3


class Delta(_OfSize):
    """An identity matrix."""

    __slots__ = ()
    kind = "delta"
    axis_count: ClassVar[int] = 2
    digest_seed: ClassVar[int] = 4


class Lin(Expr):
    """The array of a linear operation: ``op(x)[out] = sum(Lin[out, in] * x[in])``; its shape is both shapes."""

    __slots__ = ("op", "out_rank", "params")
    kind = "lin"
    op: Any
    params: tuple[Any, ...]
    out_rank: int

    def __new__(cls, op: Any, params: tuple[Any, ...], out_shape: Any, in_shape: Any) -> Lin:
        mark = freeze(params)
        key = (cls, op.name, mark, _sizes(out_shape), _sizes(in_shape))
        self = _living.get(key)
        if self is None:
            digest = hash(
                (5, text_digest(op.name), text_digest(repr(mark)), shape_digest(out_shape), shape_digest(in_shape))
            )
            self = _new(cls, (*out_shape, *in_shape), digest)
            self.op, self.params, self.out_rank = op, params, len(out_shape)
            self = _shared(key, self)
        return self

    @property
    def out_shape(self) -> tuple[int, ...]:
        """The shape of the operation's result."""
        return self.shape[: self.out_rank]

    @property
    def in_shape(self) -> tuple[int, ...]:
        """The shape of its operand."""
        return self.shape[self.out_rank :]

    def _state(self) -> tuple[Any, ...]:
        return self.op.name, self.params, self.out_shape, self.in_shape


class Ein(Expr):
    """A product: ``coef * sum(factor[indices] * …)`` over the indices from ``rank`` on.

    ``factors`` is a tuple of (term, indices); ``dims`` the size of every index, the output's first. Without factors
    it is a number. Build it with `ein`, which brings it into normal form.
    """

    __slots__ = ("children", "coef", "dims", "factors")
    kind = "ein"
    coef: Number
    factors: tuple[tuple[Any, Indices], ...]
    dims: tuple[int, ...]

    def __new__(cls, coef: Number, factors: Any, dims: tuple[int, ...], rank: int) -> Ein:
        key = (cls, coef, type(coef), tuple([(id(f), s) for f, s in factors]), rank)
        self = _living.get(key)
        if self is None:
            digest = hash((6, number_digest(coef), rank, *[x for f, s in factors for x in (f.digest, s)]))
            self = _new(cls, dims[:rank], digest)
            self.coef, self.factors, self.dims = coef, tuple(factors), dims
            self.children = tuple([f for f, _ in factors])
            self = _shared(key, self)
        return self

    @property
    def is_number(self) -> bool:
        """Whether it is just a number."""
        return not self.factors

    def _state(self) -> tuple[Any, ...]:
        return self.coef, self.factors, self.dims, len(self.shape)


class Add(Expr):
    """A sum: ``terms`` is a tuple of (coef, term, indices), the indices among the output's. Build it with `add`."""

    __slots__ = ("children", "terms")
    kind = "add"
    terms: tuple[tuple[Number, Expr, Indices], ...]

    def __new__(cls, terms: Any, shape: tuple[int, ...]) -> Add:
        key = (cls, tuple([(c, type(c), id(t), s) for c, t, s in terms]), _sizes(shape))
        self = _living.get(key)
        if self is None:
            digest = hash((7, *[x for c, t, s in terms for x in (number_digest(c), t.digest, s)], len(shape)))
            self = _new(cls, shape, digest)
            self.terms = tuple(terms)
            self.children = tuple([t for _, t, _ in terms])
            self = _shared(key, self)
        return self

    def _state(self) -> tuple[Any, ...]:
        return self.terms, self.shape


class Map(Expr):
    """An element-wise operation on operands read at indices of the output."""

    __slots__ = ("args", "children", "op", "operation", "params")
    kind = "map"
    args: tuple[tuple[Expr, Indices], ...]
    params: tuple[Any, ...]

    def __new__(cls, op: Any, args: Any, params: tuple[Any, ...], shape: tuple[int, ...]) -> Map:
        mark = freeze(params)
        key = (cls, op.name, tuple([(id(a), s) for a, s in args]), mark, _sizes(shape))
        self = _living.get(key)
        if self is None:
            name = text_digest(op.name)
            digest = hash((8, name, text_digest(repr(mark)), *[x for a, s in args for x in (a.digest, s)], len(shape)))
            self = _new(cls, shape, digest)
            self.op, self.args, self.params = op, tuple(args), params
            self.operation = op.name
            self.children = tuple([a for a, _ in args])
            self = _shared(key, self)
        return self

    @property
    def exponent(self) -> Any:
        """The power that it is of its `base`."""
        return self.params[0] if self.operation == "pow_scalar" else 1

    @property
    def base(self) -> Any:
        """What it is a power of, and itself where it is no power."""
        return self.args[0][0] if self.operation == "pow_scalar" else self

    def _state(self) -> tuple[Any, ...]:
        return self.op.name, self.args, self.params, self.shape


class Call(Expr):
    """Any other operation: ``out`` is the number of the output, None where there is but one."""

    __slots__ = ("args", "op", "operation", "out", "params")
    kind = "call"
    args: tuple[Expr, ...]
    params: tuple[Any, ...]
    out: int | None

    def __new__(
        cls, op: Any, args: tuple[Expr, ...], params: tuple[Any, ...], shape: Any, out: int | None = None
    ) -> Call:
        mark = freeze(params)
        key = (cls, op.name, tuple([id(a) for a in args]), mark, _sizes(shape), out)
        self = _living.get(key)
        if self is None:
            name, rest = text_digest(getattr(op, "known_as", op.name)), text_digest(repr(mark))
            digest = hash((9, name, rest, *[a.digest for a in args], shape_digest(shape), -1 if out is None else out))
            self = _new(cls, shape, digest)
            self.op, self.args, self.params, self.out = op, tuple(args), params, out
            self.operation = op.name
            self = _shared(key, self)
        return self

    @property
    def children(self) -> tuple[Expr, ...]:  # type: ignore[override]
        """The operands."""
        return self.args

    def _state(self) -> tuple[Any, ...]:
        return kept(self.op), self.args, self.params, self.shape, self.out


class Jac(Expr):
    """The Jacobian of a `Call` in its operand number ``wrt``: the call's axes, then the operand's."""

    __slots__ = ("call", "wrt")
    kind = "jac"
    call: Call
    wrt: int

    def __new__(cls, call: Call, wrt: int) -> Jac:
        key = (cls, id(call), wrt)
        self = _living.get(key)
        if self is None:
            self = _new(cls, (*call.shape, *call.args[wrt].shape), hash((10, call.digest, wrt)))
            self.call, self.wrt = call, wrt
            self = _shared(key, self)
        return self

    @property
    def children(self) -> tuple[Expr, ...]:  # type: ignore[override]
        """The call."""
        return (self.call,)

    def _state(self) -> tuple[Any, ...]:
        return self.call, self.wrt


# --------------------- Numbers in formulas: exact where they are exact (1/2 stays 1/2), floats as they come otherwise


_EXACT = 2**53
_LONGEST = 2**63


def exact(value: Any) -> Number | None:
    """A number in its exact form: 2.0 as 2, 0.5 as 1/2, 1/3 as 1/3; other floats as they are.

    None for what must not be folded into a coefficient: infinities, NaN, and magnitudes whose products overflow.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if isinstance(value, complex):
        if value.imag != 0 or not math.isfinite(value.real):
            return value if np.isfinite(value) else None
        return exact(value.real)
    if not math.isfinite(value) or (value != 0 and not 1e-100 < abs(value) < 1e100):
        return None
    if value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return _fraction(value)


DIVISORS = bound(2000)
"""Divisors up to which a float of many digits is looked at as a fraction that was written in Python: 2/3."""


def _fraction(value: float) -> Number:
    """The fraction that a float stands for, if it evidently stands for one."""
    scaled = value * 64
    if scaled.is_integer() and abs(scaled) < _EXACT:
        return Fraction(int(scaled), 64)
    if len(repr(value).lstrip("-0.").replace(".", "")) > 12:  # a short decimal was written as one
        near = Fraction(value).limit_denominator(DIVISORS)
        if near.numerator and near.numerator / near.denominator == value:
            return near
    return Fraction(repr(value)) if _stays(value) else value


def tidy_number(value: Number) -> Number:
    """A whole fraction as an int, a float without the last digits that adding short decimals leaves (1.2 - 0.9).

    Fractions that no double holds exactly become floats: long products of decimals would grow without bound.
    """
    if type(value) is Fraction:
        if value.denominator == 1:
            return tidy_number(value.numerator)
        is_short = abs(value.numerator) < _EXACT and value.denominator < _EXACT
        return value if is_short or _stays(value) else float(value)
    if type(value) is float and value and len(repr(value)) > 15:
        short = float(f"{value:.15g}")
        if len(repr(short)) < len(repr(value)) - 3 and abs(short - value) <= 4 * math.ulp(value):
            return exact(short) or short
    if type(value) is int and _LONGEST <= abs(value) < 1 << 1000 and not _stays(value):
        return float(value)
    return value


def _stays(value: int | float | Fraction) -> bool:
    """Whether a number of more digits than a double has stays as it is."""
    numerals = modes.numerals.get()
    if numerals is not None:
        numerals.seen.append(value)
    return numerals is not None and numerals.exactly


SIMPLE_FRACTION = bound(144)
"""Numerators and divisors up to which a float is looked at as a fraction, or the root of one, of a term brought to
lowest terms."""


def simple_fraction(value: float) -> Fraction | None:
    """The fraction of small numbers that a float is the nearest to, within the last digit."""
    near = Fraction(value).limit_denominator(SIMPLE_FRACTION) if math.isfinite(value) else Fraction(0)
    small = 0 < abs(near.numerator) <= SIMPLE_FRACTION
    return near if small and abs(float(near) - value) <= 2 * math.ulp(value) else None


def surd(value: float) -> tuple[Fraction, int] | None:
    """A float as a fraction times the root of a whole number without squares in it: √12 as (2, 3)."""
    near = Fraction(value * value).limit_denominator(SIMPLE_FRACTION) if abs(value) < 1e100 else Fraction(0)
    small = 0 < near.numerator <= SIMPLE_FRACTION
    if not small or abs(math.sqrt(near) - abs(value)) > 2 * math.ulp(value):
        return None
    kernel, square = near.numerator * near.denominator, 1
    for d in range(2, math.isqrt(kernel) + 1):
        while kernel % (d * d) == 0:
            kernel, square = kernel // (d * d), square * d
    return Fraction(square, near.denominator) * (1 if value > 0 else -1), kernel


def power(base: Number, exponent: Number) -> Number | None:
    """``base**exponent`` where the result is exact, else None."""
    if isinstance(base, complex) or isinstance(exponent, complex) or base == 0:
        return None
    if isinstance(exponent, int) and abs(exponent) <= _limits.POWER:
        if isinstance(base, float):
            near = exponent * math.log10(abs(base)) if math.isfinite(base) else math.inf
            return base**exponent if abs(near) < 100 else None
        return tidy_number(Fraction(base) ** exponent)
    if isinstance(base, float) or base < 0 or not isinstance(exponent, Fraction) or exponent.denominator != 2:
        return None
    fraction = Fraction(base)
    top, bottom = math.isqrt(fraction.numerator), math.isqrt(fraction.denominator)
    if top * top != fraction.numerator or bottom * bottom != fraction.denominator:
        return None
    return tidy_number(Fraction(top, bottom) ** exponent.numerator)

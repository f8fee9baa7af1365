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

import zlib
from fractions import Fraction
from threading import RLock
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from .._limits import HEAVIEST
from ._digest import freeze, number_digest, shape_digest, text_digest
from ._pickled import kept, rebuild
from ._weight import weigh

Number = int | float | complex | Fraction
Indices = tuple[int, ...]

_living: WeakValueDictionary[Any, Any] = WeakValueDictionary()
_meeting = RLock()  # reentrant: the garbage collector may run somebody's code, and that make terms


class Expr:
    """A term. Compare with ``is``.

    Attributes
    ----------
    kind : the class in lower case
    shape : its sizes, ints (a `Dim` where a size has a name)
    children : the terms it is made of
    digest : a number for its structure
    rank : how many axes it has
    memo : what has been worked out about it, by query
    """

    __slots__ = ("__weakref__", "_weight", "digest", "memo", "rank", "shape")
    kind: ClassVar[str] = ""
    shape: tuple[int, ...]
    digest: int
    rank: int
    memo: dict[Any, Any]
    children: tuple[Expr, ...] = ()

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

    @property
    def symmetric(self) -> bool:
        """Whether it is a matrix that is plainly symmetric."""
        from ._canonical import is_symmetric

        return is_symmetric(self)

    @property
    def spelled_out(self) -> list[Expr]:
        """The same with small arrays that are made of entries written out, in other ways."""
        from ._spelled_out import spelled_out

        return spelled_out(self)

    @property
    def let_forms(self) -> list[tuple[Expr, list[tuple[Expr, Expr]]]]:
        """The same with symbols for what it repeats, in other ways, each with the symbols' definitions."""
        from ._let_forms import let_forms

        return let_forms(self)

    def __repr__(self) -> str:
        from ..show import to_text

        return to_text(self)

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


def living() -> list[Expr]:
    """Every term that there is."""
    with _meeting:
        return list(_living.values())


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


class One(Expr):
    """A vector of ones."""

    __slots__ = ()
    kind = "one"

    def __new__(cls, n: int) -> One:
        key = (cls, n, getattr(n, "name", None))
        self = _living.get(key)
        return _shared(key, _new(cls, (n,), hash((3, shape_digest((n,)))))) if self is None else self

    def _state(self) -> tuple[Any, ...]:
        return self.shape


class Delta(Expr):
    """An identity matrix."""

    __slots__ = ()
    kind = "delta"

    def __new__(cls, n: int) -> Delta:
        key = (cls, n, getattr(n, "name", None))
        self = _living.get(key)
        return _shared(key, _new(cls, (n, n), hash((4, shape_digest((n,)))))) if self is None else self

    def _state(self) -> tuple[Any, ...]:
        return (self.shape[0],)


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
    factors: tuple[tuple[Expr, Indices], ...]
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

    __slots__ = ("args", "children", "op", "params")
    kind = "map"
    op: Any
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
            self.children = tuple([a for a, _ in args])
            self = _shared(key, self)
        return self

    def _state(self) -> tuple[Any, ...]:
        return self.op.name, self.args, self.params, self.shape


class Call(Expr):
    """Any other operation: ``out`` is the number of the output, None where there is but one."""

    __slots__ = ("args", "op", "out", "params")
    kind = "call"
    op: Any
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

"""Formulas are an algebra, and have other things put in the place of their symbols."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._errors import FormulaError, ShapeError
from .._trees import postorder
from ..calculus import (
    HOLDS,
    POSITIVE,
    SPECIAL,
    constant,
    domain_of,
    fill,
    holds_for,
    lift,
    matmul,
    require_declared,
    scalar,
)
from ..core import DRAW, IMPLIED, Facts, Tensor
from ..show.signs import called
from ..terms import (
    Expr,
    TooLarge,
    Var,
    collected,
    evaluate,
    expanded,
    is_positive,
    is_real,
    is_symmetric,
    number,
    row,
    substitute,
    symbols_in,
)
from .background import Background, Constant, array_of, key_of, merged, numbers_of, other_data, shown
from .check import UNDEFINED, agree, disagreement, require_value
from .equality import Comparison, compared


def replaced(f: Any, values: dict[str, Any]) -> Any:
    """A formula with symbols replaced, all at once; see `Formula.subs`."""
    b: Background = f._background
    values = {called(name, b.symbols): value for name, value in values.items()}
    keep = {k: v for k, v in b.symbols.items() if k not in values}
    given = {x: _replacement(x, values[x.name], keep) for x in map(f._variable, values)}
    for x, new in given.items():
        if key_of(new.shape) != key_of(x.shape):
            raise ShapeError(
                f"{x.name!r} has shape {shown(x.shape)}, its replacement {shown(new.shape)}", "",
                "Give one of that shape.",
            )  # fmt: skip
        if "complex" not in x.properties and _is_complex(new, values[x.name]):
            raise FormulaError(
                f"{x.name!r} stands for real numbers, and is replaced by complex ones",
                "The formula was simplified for real numbers: |x|² is x² there.",
                "Ask sg.formula(f, …) at complex arrays.",
            )  # fmt: skip
    others = [(new, values[x.name]._background) for x, new in given.items() if _is_formula(values[x.name])]
    background = merged([(f.term, _rest(b, keep, given, values)), *others], lambda *_: None).but(source=None)
    asked = _asked(b, given, values, background)
    background = background.substituted({**given})
    background = background.but(domains=background.domains + asked + _asked_by_powers(f, {**given}))
    out = _again(
        f, background, {**given}, lambda g: replaced(g, {k: v for k, v in values.items() if k in g._background.symbols})
    )
    for condition in out._conditions():
        if condition.decided is False:
            raise FormulaError(f"the formula holds where {condition.text}, which is not so", "", "Give other values.")
    if f.checked is True:
        at = {**b.point, **background.point, **{x.name: evaluate(t, background.point) for x, t in given.items()}}
        value, expected = evaluate(out.term, out.point), evaluate(f._expanded(), at)
        if not agree(value, expected, 1e-7):
            raise disagreement(out.term, value, expected)
    return out


def _rest(b: Background, keep: dict[str, Var], given: dict[Var, Expr], values: dict[str, Any]) -> Background:
    """What is known of the symbols that stay, and of those that only get another name."""
    tables = {
        t: {k: v for k, v in getattr(b, t).items() if k not in values} for t in ("point", "facts", "special", "assumed")
    }
    symbols = dict(keep)
    for x, new in given.items():
        if _is_formula(values[x.name]) or not isinstance(new, Var):
            continue
        symbols[new.name] = new
        if new.name not in keep:
            for table, entries in tables.items():
                entries.update({new.name: getattr(b, table)[x.name]} if x.name in getattr(b, table) else {})
        if not isinstance(values[x.name], str):  # an array that needs a name keeps the symbol's
            tables["point"][x.name] = numbers_of(values[x.name])
    there = b.elsewhere if b.takes_no_other_sizes else None
    return b.but(symbols=symbols, source=None, elsewhere=there, follows=False, given=(), **tables)


def _is_formula(value: Any) -> bool:
    return hasattr(value, "_background")


def _is_complex(term: Expr, value: Any) -> bool:
    """Whether the term that takes a symbol's place, or the array that it keeps a name for, has complex numbers."""
    named = isinstance(value, str) or _is_formula(value)
    return not is_real(term) or (not named and bool(np.iscomplex(array_of(value)).any()))


def _again(f: Any, background: Background, given: dict[Expr, Expr], change: Callable[[Any], Any]) -> Any:
    """A formula on other terms, those that it was made of changed with it: their conditions are its own."""
    out = type(f)(substitute(f._background.expanded(f._raw), given), background, f.checked, f._level)
    return _descended(out, f, tuple([change(g) for g in f._operands]))


def _descended(out: Any, f: Any, operands: tuple[Any, ...]) -> Any:
    """A formula made of another, which is the derivative, or the comparison, that this is."""
    out._operands, out._wrt, out._compares = operands, f._wrt, f._compares
    return out


def _replacement(x: Var, value: Any, known: dict[str, Var]) -> Expr:
    """The term that takes the place of a symbol; the symbol itself for an array that needs a name."""
    if "size" in x.properties:
        raise FormulaError(f"{x.name!r} is a size, and the shapes say it too", "", f"Give it in a call: f({x.name}=…).")
    if _is_formula(value):
        return value._expanded()
    if isinstance(value, str):
        if not value.isidentifier():
            raise FormulaError(f"{value!r} is no name of a symbol", "It takes the place of one.", 'Write subs(w="v").')
        return known.get(value) or Var(value, x.shape, x.properties)
    array = array_of(value)
    if array.dtype.kind not in "biufc":
        raise FormulaError(f"{x.name!r} cannot be replaced by {value!r}", "A symbol stands for numbers.", "")
    number = scalar(array[()]) if not array.ndim else None
    term = fill(number, x.shape) if number is not None else constant(array)
    return term if term is not None else Var(x.name, array.shape, x.properties)


def _asked(b: Background, given: dict[Var, Expr], values: dict[str, Any], new: Background) -> tuple[Any, ...]:
    """What was declared of symbols, as conditions on the formulas that took their places."""
    found = []
    for x, term in given.items():
        facts = b.declared_of(x)
        if not isinstance(values[x.name], str) and not _is_formula(values[x.name]):
            require_declared(x.name, array_of(values[x.name]), facts)
            continue
        for prop in sorted(facts - {p for f in facts for p in IMPLIED.get(f, ())}):
            known = isinstance(term, Var) and prop in new.declared_of(term)
            if known or (prop == "positive" and is_positive(term)) or (prop == "symmetric" and is_symmetric(term)):
                continue
            kind = POSITIVE if prop == "positive" else "{} is " + prop
            if not holds_for(kind, evaluate(term, new.point)):
                raise FormulaError(
                    f"{x.name!r} was declared {prop}, and what takes its place is not", "The formula may have used it.",
                    f"Make the formula of a symbol that is not declared {prop}.",
                )  # fmt: skip
            found.append((term, kind))
    return tuple(found)


def _asked_by_powers(f: Any, given: dict[Expr, Expr]) -> tuple[Any, ...]:
    """What powers ask of their bases whose exponents become numbers, in all that a formula was made of."""
    powers = [t for t in postorder(f._background.expanded(f._raw)) if t.operation == "pow_tensor"]
    own = [d for t in powers for d in domain_of(t.op, [substitute(a, given) for a in t.children], ())]
    return (*own, *[d for g in f._operands for d in _asked_by_powers(g, given)])


# ------------------------------ Formulas with other things in the place of their symbols, and with more said of these
#
# The idea to hold: what was declared of a symbol has been used already. What takes its place must have it, too: numbers
# are looked at, of a formula it becomes a condition. Rewrites are made anew, so that their conditions are about the
# new.

_SAID = re.compile(r"\s*(\w+)\s*(?:>\s*0|is\s+(\w+))\s*")


def assumptions(assume: Any) -> Iterable[tuple[str, frozenset[str]]]:
    """What is assumed of each symbol, by name."""
    if isinstance(assume, Mapping):
        yield from [(name, _known_facts(name, properties)) for name, properties in assume.items()]
        return
    texts = assume.split(",") if isinstance(assume, str) else assume if isinstance(assume, list | tuple) else [assume]
    for text in texts if assume is not None else ():
        found = _SAID.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise FormulaError(
                f"{text!r} is no assumption about a symbol", f"Known are {', '.join(HOLDS)}.",
                'Write "x > 0", "A is symmetric", or {"A": "symmetric"}.',
            )  # fmt: skip
        yield found[1], _known_facts(found[1], found[2] or "positive")


def _known_facts(name: str, properties: Any) -> frozenset[str]:
    """Properties with those that follow from them."""
    asked = {properties} if isinstance(properties, str) else set(properties)
    unknown = sorted(asked - set(HOLDS))
    if unknown:
        raise FormulaError(f"{name!r} is assumed {unknown[0]!r}", f"Known are {', '.join(HOLDS)}.", "Use one of these.")
    return frozenset(asked.union(*[IMPLIED.get(p, ()) for p in asked]))


def refuse_shape(x: Var, properties: frozenset[str]) -> None:
    """Raise if a symbol of that shape cannot have some property."""
    if "size" in x.properties:
        raise FormulaError(f"{x.name!r} is a size", "Sizes are whole numbers above 0 anyway.", "")
    square = x.rank > 1 and key_of(x.shape[-1:]) == key_of(x.shape[-2:-1])
    if not square and properties & {"symmetric", "psd", "pd", "diagonal", "orthogonal"}:
        raise ShapeError(f"{x.name!r} cannot be {min(properties)}", f"Its shape is {shown(x.shape)}: no square.", "")
    if not x.rank and "onehot" in properties:
        raise ShapeError(f"{x.name!r} cannot be onehot", "It is a number.", "")


def assumed(f: Any, facts: dict[str, frozenset[str]]) -> Any:
    """A formula, and those it was made of, with what is assumed of symbols."""
    b: Background = f._background
    point, symbols, thin = dict(b.point), dict(b.symbols), False
    special, known = dict(b.special), dict(b.assumed)
    given: dict[Expr, Expr] = {}
    for name, properties in facts.items():
        if name not in symbols:
            continue
        x, none = symbols[name], frozenset[str]()
        new = Var(name, x.shape, x.properties | (properties - SPECIAL))
        given[x], symbols[name] = new, new
        known[name] = known.get(name, none) | properties
        if properties & SPECIAL:
            special[name], thin = special.get(name, none) | properties, True
        if name in b.facts:  # it has no value: what stands in for one is drawn anew
            point[name] = DRAW[0](name, Facts(x.shape, b.declared_of(x) | properties))
        require_declared(name, np.asarray(point[name]), properties)
    background = b.but(
        point=point, symbols=symbols, special=special, assumed=known, source=None if thin else b.source,
        elsewhere=b.elsewhere if b.takes_no_other_sizes else None,
    ).substituted(given)  # fmt: skip
    out = _again(f, background, given, lambda g: assumed(g, facts))
    number = evaluate(f._full, point)
    require_value(out._full, point, number, background.tol, out.term)
    return out


# ---------------------------------- Formulas are an algebra: sums, products, powers, entries of formulas are formulas
#
# The idea to hold: what is made of formulas is made of their terms, and compared with the same operation on the numbers
# of each; their conditions, branches and definitions come along.


Shape = tuple[Any, ...]


def _both_ways(combined: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator as the methods of its left and of its right operand."""
    return lambda self, other: combined(self, other), lambda self, other: combined(other, self)


class Algebra:
    """What formulas can do with each other; `Formula` is one."""

    __array_ufunc__ = None  # so that an array leaves the operation to the formula beside it

    if TYPE_CHECKING:
        term: Expr
        _background: Background
        _variable: Callable[[Any], Var]

        @property
        def _full(self) -> Expr: ...
        @property
        def shape(self) -> tuple[int, ...]: ...

    __add__: Callable[[Any], Self]
    __radd__: Callable[[Any], Self]
    __sub__: Callable[[Any], Self]
    __rsub__: Callable[[Any], Self]
    __mul__: Callable[[Any], Self]
    __rmul__: Callable[[Any], Self]
    __truediv__: Callable[[Any], Self]
    __rtruediv__: Callable[[Any], Self]
    __pow__: Callable[[Any], Self]
    __rpow__: Callable[[Any], Self]
    __matmul__: Callable[[Any], Self]
    __rmatmul__: Callable[[Any], Self]

    __add__, __radd__ = _both_ways(lambda a, b: _entrywise("add", operator.add, a, b))
    __sub__, __rsub__ = _both_ways(lambda a, b: _entrywise("sub", operator.sub, a, b))
    __mul__, __rmul__ = _both_ways(lambda a, b: _entrywise("mul", operator.mul, a, b))
    __truediv__, __rtruediv__ = _both_ways(lambda a, b: _entrywise("div", operator.truediv, a, b))
    __pow__, __rpow__ = _both_ways(lambda a, b: _power(a, b))
    __matmul__, __rmatmul__ = _both_ways(lambda a, b: _matmul(a, b))

    def __neg__(self) -> Self:
        return _made(operator.neg, [self], lambda a: lift(row("neg"), [a], (), a.shape))

    def __pos__(self) -> Self:
        return self

    @property
    def T(self) -> Self:
        """The transpose of a matrix; a vector or a number is its own."""
        if self.term.rank > 2:
            raise ShapeError(
                f"the transpose of an array of {self.term.rank} axes may be read in two ways", "", "Transpose a matrix."
            )
        turn = (lambda a: lift(row("t"), [a], (), a.shape[::-1])) if self.term.rank == 2 else (lambda a: a)
        return _made(lambda a: a.T, [self], turn)

    def __getitem__(self, index: Any) -> Self:
        steps = index if isinstance(index, tuple) else (index,)
        known = (int, np.integer, slice, type(None), type(Ellipsis))
        if any(type(k) is bool or not isinstance(k, known) for k in steps):
            raise FormulaError(
                f"a formula is not indexed with {index!r}", "It takes whole numbers, slices, None and Ellipsis.",
                "Index the tensors, and ask for the formula of that.",
            )  # fmt: skip
        try:
            length = np.broadcast_to(0.0, tuple(map(int, self.term.shape)))[index].shape
        except IndexError as error:
            raise ShapeError(
                f"the formula has no entry {index!r}", f"Its shape is {shown(self.term.shape)}.", ""
            ) from error
        return _made(lambda a: a[index], [self], lambda a: lift(row("getitem"), [a], (steps,), length))

    def __iter__(self) -> Any:
        raise TypeError("a formula has no entries to go through: index it, f[0]")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algebra) and self._full is other._full and not other_data(self, other)

    def __hash__(self) -> int:
        return hash(self._full)

    @classmethod
    def _of(cls, value: Any) -> Any:  # `as_formula`
        if isinstance(value, Algebra):
            return value
        if isinstance(value, Tensor):
            return value.formula()
        array = np.asarray(float(value) if isinstance(value, Fraction) else value)
        term: Any = number(value) if isinstance(value, Fraction) else None
        term = term or constant(array) if array.dtype.kind in "iufc" else None
        if term is None:
            what = f"an array of shape {array.shape}" if array.ndim else repr(value)
            raise FormulaError(
                f"{what} is no formula", "Formulas combine with formulas, tensors, numbers and small arrays.",
                f"sg.parse reads a text: sg.parse({value!r})." if isinstance(value, str)
                else "Give it a name: sg.tensor(…, name=\"c\").",
            )  # fmt: skip
        make: Any = cls
        return make(term, Background({}, Constant(array), complex=array.dtype.kind == "c"))

    def equals(self, other: Any) -> Comparison:
        """Return whether two formulas are the same, by their form or else by value, and how that was found.

        The answer is true or false, and prints what it rests on: the same form, a proof that their difference is 0, or
        points at which both have values. Where one has none, it says nothing; `symgrad.verify` does.

        Examples
        --------
        >>> import symgrad as sg
        >>> f, g = sg.parse("(x + 1)**2", x=()), sg.parse("x**2 + 2*x + 1", x=())
        >>> f.equals(g), f.equals(f)
        (proved: multiplied out, same form)
        >>> bool(f.equals(g)), f == g, f.expand() == g
        (True, False, True)
        """
        return compared(*_pair(self, other))

    def simplify(self, assume: Any = None) -> Self:
        """Return the formula simplified, as all are, with what ``assume`` says of its symbols.

        Parameters
        ----------
        assume : ``"x > 0"``, ``"A is symmetric"``, a list of such texts, or a dict of names and properties: those that
            `symgrad.symbol` declares

        Raises
        ------
        FormulaError : there is no such symbol or property, or the value that the symbol has does not fit

        Examples
        --------
        >>> import symgrad as sg
        >>> f = sg.parse("sqrt(x**2)", x=())
        >>> f, f.simplify(assume="x > 0")
        (|x|, x)
        >>> f.simplify(assume="x > 0").conditions
        ['x is positive']
        """
        facts: dict[str, frozenset[str]] = {}
        for name, properties in assumptions(assume):
            refuse_shape(self._variable(name), properties)
            facts[name] = facts.get(name, frozenset()) | properties
        return assumed(self, facts)

    def subs(self, **values: Any) -> Self:
        """Return the formula with symbols replaced, all at once.

        Parameters
        ----------
        values : by symbol a number, an array, a tensor, another formula, or another name (a string)

        Raises
        ------
        FormulaError : there is no such symbol, or what takes its place has not what was declared of it
        ShapeError : its shape is another

        Examples
        --------
        >>> import symgrad as sg
        >>> f = sg.parse("x**2 + t", x=(), t=())
        >>> f.subs(x=3), f.subs(x=sg.parse("sin(u)", u=()), t="s")
        (9 + t, sin(u)² + s)
        """
        return replaced(self, values)

    def expand(self) -> Self:
        """Return the formula with products over sums, and whole powers of sums, multiplied out.

        Raises
        ------
        FormulaError : that makes too many terms

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.parse("2*(x + 1)**2", x=()).expand()
        2x² + 4x + 2
        >>> sg.parse("sum((X@w - y)**2)", X=("m", "n")).expand()
        ‖Xw‖² + ‖y‖² − 2yᵀXw
        """
        return _reformed(self, expanded(self._full))

    def collect(self, part: Any) -> Self:
        """Return the formula multiplied out, what stands before each power of a part of it put together.

        Parameters
        ----------
        part : the name of a symbol, or a formula that occurs in this one

        Raises
        ------
        FormulaError : that does not occur

        Examples
        --------
        >>> import symgrad as sg
        >>> f = sg.parse("(a*x + 1)**2 + b*x", x=(), a=(), b=())
        >>> f.collect("x")
        1 + x(2a + b) + a²x²
        """
        term = self._full
        if isinstance(part, Algebra):
            inside = part._full
            if inside not in postorder(term):
                raise FormulaError(
                    f"the formula has no part {part}", f"It is {self}.", "Name a symbol, or a part of it."
                )
        else:
            inside = self._variable(part)
            inside = next((t for t in symbols_in(term) if t.name == inside.name), inside)
        return _reformed(self, collected(term, inside))


# --------------------------------------------------------------------------------------------------- making formulas


def _pair(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands, one of them a formula, as formulas, whose symbols have one spelling."""
    kind = type(a) if isinstance(a, Algebra) else type(b)
    f = kind._of(a)
    return f, in_names_of(f, kind._of(b))


def in_names_of(f: Any, g: Any) -> Any:
    """The formula ``g`` with its symbols spelled as in ``f``, σ where that has σ and it has ``sigma``."""
    mine, others = f._background.symbols, g._background.symbols
    news = {name: called(name, mine) for name in others.keys() - mine.keys()}
    news = {name: new for name, new in news.items() if new != name and new not in others}
    return replaced(g, news) if news else g


def _made(values: Callable[..., Any], operands: list[Any], terms: Callable[..., Expr], *asked: Any) -> Any:
    """The formula of an operation on formulas, checked against the operation on their numbers."""
    background = merged([(f.term, f._background) for f in operands], values)
    inside = [f._expanded() for f in operands]
    domains = tuple([d for op, params in asked for d in domain_of(op, inside, params)])
    background = background.but(domains=background.domains + domains)
    out = type(operands[0])(terms(*inside), background, True, operands[0]._level)
    out._operands = tuple(operands)
    found = next((f.checked for f in operands if f.checked is not True), True)
    try:
        with np.errstate(all="ignore"):
            number = values(*[np.asarray(evaluate(f._full, out.point)) * 1.0 for f in operands])  # a condition is one
        agreed = require_value(out._full, out.point, number, background.tol, out.term)
        out.checked = UNDEFINED if found is True and agreed is not True else found
    except TooLarge:
        out.checked = "not checked: too large to evaluate"
    return out


def stacked(parts: list[Any], axis: int) -> Any:
    """The array of formulas of one shape, along a new axis."""
    inner = parts[0].shape
    shape = (*inner[:axis], len(parts), *inner[axis:])
    return _made(lambda *a: np.stack(a, axis), parts, lambda *a: lift(row("stack"), a, (axis,), shape))


def _entrywise(name: str, values: Callable[..., Any], a: Any, b: Any) -> Any:
    f, g = _pair(a, b)
    shape = _broadcast(name, f.shape, g.shape)
    return _made(values, [f, g], lambda x, y: lift(row(name), [x, y], (), shape), (row(name), ()))


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, (int, float)) and not isinstance(b, bool):
        op = row("pow_scalar")
        return _made(lambda x: x**b, [a], lambda x: lift(op, [x], (b,), x.shape), (op, (b,)))
    return _entrywise("pow_tensor", operator.pow, a, b)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow_tensor": "**", "matmul": "@"}


def _broadcast(name: str, a: Shape, b: Shape) -> Shape:
    """The shape of what is made entry by entry; a named size meets itself or 1 only."""
    out = []
    for n, m in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if key_of([n]) != key_of([m]) and 1 not in key_of([n, m]):
            raise ShapeError(
                f"'{_SIGNS[name]}' between a formula of shape {shown(a)} and one of {shown(b)}",
                f"The sizes {shown([n])} and {shown([m])} are not the same.", "Transpose, sum or index one of them.",
            )  # fmt: skip
        out.append(m if key_of([n]) == (1,) else n)
    return tuple(reversed(out))


def _matmul(a: Any, b: Any) -> Any:
    f, g = _pair(a, b)
    inner = g.shape[-2:-1] if len(g.shape) > 1 else g.shape
    if not f.shape or not g.shape or key_of(f.shape[-1:]) != key_of(inner):
        raise ShapeError(
            f"'@' between a formula of shape {shown(f.shape)} and one of {shown(g.shape)}",
            "The last axis of the first is multiplied with the last but one of the second.", "",
        )  # fmt: skip
    shape = (
        *_broadcast("matmul", f.shape[:-2], g.shape[:-2]), *f.shape[-2:-1], *(g.shape[-1:] if len(g.shape) > 1 else ())
    )  # fmt: skip
    return _made(operator.matmul, [f, g], lambda x, y: matmul([x, y], shape))


def _reformed(f: Any, form: Expr) -> Any:
    """A formula in another form, which must have its value."""
    require_value(form, f.point, evaluate(f._full, f.point), f._background.tol)
    return _descended(type(f)(f._raw, f._background.but(given=()), f.checked, f._level, form), f, f._operands)

"""Formulas are an algebra: sums, products, powers, entries of formulas are formulas.

The idea to hold: what is made of formulas is made of their terms, and compared with the same operation on the numbers
of each; their conditions, branches and definitions come along.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import FormulaError, ShapeError
from .._postorder import postorder
from ..core import Tensor
from ._background import Background
from ._check import UNDEFINED, disagreement, verdict
from ._combine import Constant, key_of, merged, shown
from ._conditions import domain_of
from ._ein import number, row
from ._equality import Comparison, compared, other_data
from ._evaluate import TooLarge, evaluate
from ._expand import collected, expanded
from ._lift import constant, lift
from ._lift_products import matmul
from ._node import Expr, Var
from ._replace import assumed, assumptions, refuse_shape, replaced

if TYPE_CHECKING:
    from ._formula import Formula

Shape = tuple[Any, ...]


def _both_ways(combined: Callable[[Any, Any], Formula]) -> tuple[Callable[..., Formula], Callable[..., Formula]]:
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

    __add__, __radd__ = _both_ways(lambda a, b: _entrywise("add", operator.add, a, b))
    __sub__, __rsub__ = _both_ways(lambda a, b: _entrywise("sub", operator.sub, a, b))
    __mul__, __rmul__ = _both_ways(lambda a, b: _entrywise("mul", operator.mul, a, b))
    __truediv__, __rtruediv__ = _both_ways(lambda a, b: _entrywise("div", operator.truediv, a, b))
    __pow__, __rpow__ = _both_ways(lambda a, b: _power(a, b))
    __matmul__, __rmatmul__ = _both_ways(lambda a, b: _matmul(a, b))

    def __neg__(self) -> Formula:
        return _made(operator.neg, [self], lambda a: lift(row("neg"), [a], (), a.shape))

    def __pos__(self) -> Formula:
        return self  # type: ignore[return-value]

    @property
    def T(self) -> Formula:
        """The transpose of a matrix; a vector or a number is its own."""
        if self.term.rank > 2:
            raise ShapeError(
                f"the transpose of an array of {self.term.rank} axes may be read in two ways", "", "Transpose a matrix."
            )
        turn = (lambda a: lift(row("t"), [a], (), a.shape[::-1])) if self.term.rank == 2 else (lambda a: a)
        return _made(lambda a: a.T, [self], turn)

    def __getitem__(self, index: Any) -> Formula:
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

    def equals(self, other: Any) -> Comparison:
        """Return whether two formulas are the same, by their form or else by value, and how that was found.

        The answer is true or false, and prints what it rests on. Only the same form is a proof.

        Examples
        --------
        >>> import symgrad as sg
        >>> f, g = sg.parse("(x + 1)**2", x=()), sg.parse("x**2 + 2*x + 1", x=())
        >>> f.equals(g), f.equals(f)
        (agree at 18 points to 1e-8, same form)
        >>> bool(f.equals(g)), f == g, f.expand() == g
        (True, False, True)
        """
        return compared(self, as_formula(other))

    def simplify(self, assume: Any = None) -> Formula:
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
        facts = dict(assumptions(assume))
        for name, properties in facts.items():
            refuse_shape(self._variable(name), properties)
        return assumed(self, facts)

    def subs(self, **values: Any) -> Formula:
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

    def expand(self) -> Formula:
        """Return the formula with products over sums, and whole powers of sums, multiplied out.

        Raises
        ------
        FormulaError : that makes too many terms

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.parse("2*(x + 1)**2", x=()).expand()
        2 + 2x² + 4x
        >>> sg.parse("sum((X@w - y)**2)", X=("m", "n")).expand()
        ‖Xw‖² + ‖y‖² − 2yᵀXw
        """
        return _reformed(self, expanded(self._full))

    def collect(self, part: Any) -> Formula:
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
            inside = next((t for t in postorder(term) if isinstance(t, Var) and t.name == inside.name), inside)
        return _reformed(self, collected(term, inside))


# --------------------------------------------------------------------------------------------------- making formulas


def as_formula(value: Any) -> Formula:
    """A formula as it is; that of a tensor, a number, a small array.

    Raises
    ------
    FormulaError : it is none of these
    """
    from ._formula import Formula

    if isinstance(value, Formula):
        return value
    if isinstance(value, Tensor):
        from ._of_tensor import tensor_formula

        return tensor_formula(value)
    array = np.asarray(float(value) if isinstance(value, Fraction) else value)
    term: Any = number(value) if isinstance(value, Fraction) else None
    term = term or constant(array) if array.dtype.kind in "iufc" else None
    if term is None:
        what = f"an array of shape {array.shape}" if array.ndim else repr(value)
        raise FormulaError(
            f"{what} is no formula", "Formulas combine with formulas, tensors, numbers and small arrays.",
            "Give it a name: sg.tensor(…, name=\"c\").",
        )  # fmt: skip
    return Formula(term, Background({}, Constant(array), complex=array.dtype.kind == "c"))


def _made(values: Callable[..., Any], operands: list[Any], terms: Callable[..., Expr], *asked: Any) -> Formula:
    """The formula of an operation on formulas, checked against the operation on their numbers."""
    background = merged([(f.term, f._background) for f in operands], values)
    inside = [f._expanded() for f in operands]
    domains = tuple([d for op, params in asked for d in domain_of(op, inside, params)])
    background = background.but(domains=background.domains + domains)
    out: Formula = type(operands[0])(terms(*inside), background, True, operands[0]._level)
    out._operands = tuple(operands)
    found: Any = next((f.checked for f in operands if f.checked is not True), True)
    try:
        with np.errstate(all="ignore"):
            number = values(*[np.asarray(evaluate(f._full, out.point)) for f in operands])
        agreed = verdict(partial(evaluate, out._full), out.point, number, background.tol)
        if agreed is None:
            raise disagreement(out.term, evaluate(out._full, out.point), number)
        out.checked = UNDEFINED if found is True and agreed is not True else found
    except TooLarge:
        out.checked = "not checked: too large to evaluate"
    return out


def _entrywise(name: str, values: Callable[..., Any], a: Any, b: Any) -> Formula:
    f, g = as_formula(a), as_formula(b)
    shape = _broadcast(name, f.shape, g.shape)
    return _made(values, [f, g], lambda x, y: lift(row(name), [x, y], (), shape), (row(name), ()))


def _power(a: Any, b: Any) -> Formula:
    if isinstance(b, (int, float)) and not isinstance(b, bool):
        op = row("pow_scalar")
        return _made(lambda x: x**b, [as_formula(a)], lambda x: lift(op, [x], (b,), x.shape), (op, (b,)))
    return _entrywise("pow_tensor", operator.pow, a, b)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow_tensor": "**"}


def _broadcast(name: str, a: Shape, b: Shape) -> Shape:
    """The shape of what is made entry by entry; a named size meets itself or 1 only."""
    out: list[Any] = []
    for n, m in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if key_of([n]) != key_of([m]) and 1 not in key_of([n, m]):
            raise ShapeError(
                f"'{_SIGNS[name]}' between a formula of shape {shown(a)} and one of {shown(b)}",
                f"The sizes {shown([n])} and {shown([m])} are not the same.", "Transpose, sum or index one of them.",
            )  # fmt: skip
        out.append(m if key_of([n]) == (1,) else n)
    return tuple(reversed(out))


def _matmul(a: Any, b: Any) -> Formula:
    f, g = as_formula(a), as_formula(b)
    inner = g.shape[-2:-1] if len(g.shape) > 1 else g.shape
    if not f.shape or not g.shape or key_of(f.shape[-1:]) != key_of(inner):
        raise ShapeError(
            f"'@' between a formula of shape {shown(f.shape)} and one of {shown(g.shape)}",
            "The last axis of the first is multiplied with the last but one of the second.", "",
        )  # fmt: skip
    shape = (
        *_broadcast("mul", f.shape[:-2], g.shape[:-2]), *f.shape[-2:-1], *(g.shape[-1:] if len(g.shape) > 1 else ())
    )  # fmt: skip
    return _made(operator.matmul, [f, g], lambda x, y: matmul([x, y], shape))


def _reformed(f: Any, form: Expr) -> Formula:
    """A formula in another form, which must have its value."""
    out: Formula = type(f)(f._raw, f._background.but(given=()), f.checked, f._level, form)
    out._operands, out._wrt = f._operands, f._wrt
    number = evaluate(f._full, f.point)
    if verdict(partial(evaluate, form), f.point, number, f._background.tol) is None:
        raise disagreement(form, evaluate(form, f.point), number)
    return out

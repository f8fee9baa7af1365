"""`from_sympy`: a formula from SymPy's expressions.

The idea to hold: an expression becomes a tree as that of a text, operands first; each of its classes is a node there
(`_sympy_classes`), or refused by name. Shapes, sums over indices and the formula are then what they are for texts.
SymPy is loaded by the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError
from .._symbol import dim, symbol
from ..syntax import Node, shortened
from ._build import build, work_out
from ._shapes import Reading, Shape
from ._sizes import Sizes
from ._sympy_classes import OPERAND, RULES, UNEVALUATED, WHOLE, joined, number, rewritten, twin_of
from ._words import is_name


def from_sympy(expr: Any, symbols: Any = None) -> Any:
    """Turn a SymPy expression into a formula that symgrad differentiates.

    Parameters
    ----------
    expr : a scalar expression; a Matrix, an array or a list of them; a matrix expression of MatrixSymbols (products,
        sums, transpose, inverse, trace, determinant, Hadamard and Kronecker products, functions applied to entries)
    symbols : the SymPy symbols that it may contain, as a list; or a dict from names to symbols, in which a list of
        symbols makes a vector, ``{"x": [x0, x1], "t": t}``, and a Matrix of symbols a matrix. All that occur, if None

    Returns
    -------
    A Formula in these names. Numbers stay exact. A column or a row of SymPy becomes a vector, a matrix of one entry a
    number. Symbols are real; those that SymPy knows as positive or integer are here too.

    Raises
    ------
    FormulaError : a function without a twin, by name; a complex number; a symbol that is not in ``symbols``

    Notes
    -----
    `Formula.sympy` is the way back.

    Examples
    --------
    >>> import sympy
    >>> from symgrad.notation import from_sympy
    >>> x, y = sympy.symbols("x y")
    >>> f = from_sympy(x**2 + sympy.exp(y)/3, [x, y])
    >>> f(x=2.0, y=0.0).round(4)
    np.float64(4.3333)
    >>> x0, x1 = sympy.symbols("x0 x1")
    >>> from_sympy(x0*x1, {"x": [x0, x1]})(x=[2.0, 3.0])
    array(6.)
    """
    import sympy
    from sympy.logic.boolalg import BooleanAtom

    try:
        expr = sympy.sympify(expr)
    except sympy.SympifyError:
        raise FormulaError(f"{type(expr).__name__} is nothing that SymPy knows") from None
    if isinstance(expr, (list, tuple, sympy.Tuple)):
        expr = sympy.Array(expr)
    if expr.has(*(getattr(sympy, name) for name in UNEVALUATED)):
        expr = expr.doit()
    if isinstance(expr, BooleanAtom):  # a condition is the number 1 where it holds
        expr = sympy.Integer(bool(expr))
    trees = _Trees(expr, symbols)
    try:
        root = trees.tree(expr)
        work_out(trees.reading, root)
        return build(trees.reading, root, trees.symbols)
    except (SymgradError, RecursionError):
        raise
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        raise FormulaError(f"SymPy's expression cannot be taken over: {error}") from error


# ---------------------------------------------------------------------- trees


class _Reading(Reading):
    """What is known of the trees of an expression, whose parts are quoted as SymPy writes them."""

    trees: dict[Any, Node]

    def source(self, node: Node, most: int = 40) -> str:
        return next((shortened(str(expr), most) for expr, known in self.trees.items() if known is node), "a part")


class _Trees:
    """One expression on its way to a formula: what each symbol stands for, and the trees of its parts."""

    def __init__(self, expr: Any, symbols: Any) -> None:
        self.symbols: dict[str, Any] = {}
        self.sizes: dict[Any, Any] = {}
        self.nodes: dict[Any, Node] = {}
        self.bound: Collection[Any] = ()  # the indices of the sums around what is looked at
        self.reading = _Reading("", True, {}, {}, {}, Sizes())
        self.reading.trees = self.nodes
        self._note_sizes(expr)
        self._declare(expr, symbols)

    # -------------------------------------------------------------- symbols

    def _note_sizes(self, expr: Any) -> None:
        """Names of sizes, as the n of MatrixSymbol('x', n, 1), are sizes wherever they stand."""
        import sympy

        for matrix in expr.atoms(sympy.MatrixSymbol) if hasattr(expr, "atoms") else ():
            for size in matrix.shape:
                for s in size.free_symbols:
                    self.sizes.setdefault(s, dim(_checked(s.name)))
                    self.reading.counts[s.name] = self.reading.sizes.called(s.name)
                    self.nodes[s] = joined("name", s.name)

    def _declare(self, expr: Any, symbols: Any) -> None:
        import sympy

        free = set(getattr(expr, "free_symbols", ())) - set(self.sizes)
        if symbols is None:
            symbols = sorted(free, key=lambda s: s.name)
        if not isinstance(symbols, dict):
            symbols = [symbols] if isinstance(symbols, (sympy.Symbol, sympy.MatrixSymbol)) else list(symbols)
            symbols = {_name_of(s): s for s in symbols}
        for name, what in symbols.items():
            self._declare_one(_checked(name), what)
        missing = sorted((s.name for s in free if s not in self.nodes), key=str)
        if missing:
            raise FormulaError(
                f"the expression contains {', '.join(missing)}, which symbols does not list",
                f"It lists {', '.join(symbols) or 'nothing'}.", "Add what is missing, or leave symbols out.",
            )  # fmt: skip

    def _declare_one(self, name: str, what: Any) -> None:
        import sympy

        if isinstance(what, sympy.Symbol):
            if what in self.sizes:
                return
            if what.is_real is False:
                raise FormulaError(f"the symbol {what} is not real", "", "Formulas are of real numbers.")
            self.nodes[what] = self._symbol(symbol(name, **_facts([what])))
        elif isinstance(what, sympy.MatrixSymbol):
            row = what.shape[0] == 1 and what.shape[1] != 1
            self.nodes[what] = self._symbol(symbol(name, self._sizes(what.shape)), row)
        else:
            entries = np.array(sympy.Array(what).tolist() if hasattr(what, "shape") else what, dtype=object)
            if hasattr(what, "shape") and entries.ndim == 2 and 1 in entries.shape:
                entries = entries.reshape(-1)
            if not all(isinstance(s, sympy.Symbol) for s in entries.reshape(-1)) or not entries.size:
                raise FormulaError(f"{name!r} is made of {what}", "A vector is a list of symbols.",
                                   'Write symbols={"x": [x0, x1]}.')  # fmt: skip
            array = self._symbol(symbol(name, entries.shape, **_facts(entries.reshape(-1))))
            for place, s in np.ndenumerate(entries):
                self.nodes[s] = joined("index", place, array)

    def _symbol(self, made: Any, row: bool = False) -> Node:
        """The node of a symbol of symgrad."""
        node = joined("name", made.name)
        self.symbols[made.name], self.reading.places[made.name] = made, node
        self.reading.symbols[made.name] = Shape(tuple(map(self.reading.sizes.of_symbol, made.shape)), row)
        return node

    def _sizes(self, shape: Any) -> tuple[Any, ...]:
        """The sizes of a matrix without those that are 1."""
        return tuple(s for s in map(self.size, shape) if s != 1)

    def size(self, size: Any) -> Any:
        """A size of a matrix symbol: a number, or computed from named sizes."""
        if size.is_Integer:
            return int(size)
        if size.is_Symbol:
            return self.sizes[size]
        parts = [self.size(a) for a in size.args]
        if size.is_Add or size.is_Mul:
            return reduce(lambda a, b: a + b if size.is_Add else a * b, parts)
        raise FormulaError(f"{size} is no size")

    # -------------------------------------------------------------- parts

    def tree(self, root: Any) -> Node:
        """The tree of an expression, operands first and each once."""
        stack = [(root, False)]
        while stack:
            expr, ready = stack.pop()
            if expr in self.nodes:
                continue
            parts = self.operands(expr)
            if ready or not parts:
                self.nodes[expr] = self._node(expr, [self.nodes[a] for a in parts])
            else:
                stack.append((expr, True))
                stack.extend((a, False) for a in reversed(parts))
        return self.nodes[root]

    def operands(self, expr: Any) -> tuple[Any, ...]:
        """The parts of an expression whose trees are made before its own."""
        import sympy

        name = type(expr).__name__
        if name in WHOLE or isinstance(expr, tuple(getattr(sympy, known) for known in UNEVALUATED)):
            return ()
        if isinstance(expr, sympy.MatrixBase):
            return tuple(expr.flat())
        if isinstance(expr, sympy.NDimArray):
            return tuple(sympy.Array(expr))
        return (expr.args[OPERAND[name]],) if name in OPERAND else getattr(expr, "args", ())

    def _node(self, expr: Any, parts: list[Node]) -> Node:
        from sympy.core.function import AppliedUndef

        name = type(expr).__name__
        if getattr(expr, "is_number", False) and expr.is_Atom:
            return number(_value(expr))
        if name in RULES:
            return RULES[name](self, expr, *parts)
        if (twin := twin_of(expr, parts)) is not None:
            return twin
        form = None
        if expr.is_Function and not isinstance(expr, AppliedUndef):
            form = rewritten(expr.func, tuple(bool(a.is_positive) for a in expr.args))
        step = "Rewrite it in functions that symgrad has: expr.rewrite(…)."
        if form is not None:
            try:
                return self.substituted(form, parts)
            except FormulaError:
                step = "It may have one for symbols that are declared positive: sympy.Symbol(…, positive=True)."
        where = f"It stands in {shortened(str(expr), _limits.TEXT_TERM)}."
        raise FormulaError(f"SymPy's {name} has no twin in symgrad", where, step)

    def substituted(self, form: Any, nodes: list[Node]) -> Node:
        """The tree of a SymPy Lambda at ``nodes``."""
        return self._inner(form.expr, dict(zip(form.variables, nodes, strict=True)), self.bound)

    def within(self, bound: Collection[Any], body: Any) -> Node:
        """The tree of the body of a sum over indices."""
        return self._inner(body, {}, bound)

    def _inner(self, expr: Any, nodes: dict[Any, Node], bound: Collection[Any]) -> Node:
        before = self.nodes, self.bound
        known = {s: n for s, n in self.nodes.items() if s.is_Atom or type(s).__name__ == "MatrixSymbol"}
        self.nodes, self.bound = {**known, **nodes}, bound
        try:
            return self.tree(expr)
        finally:
            self.nodes, self.bound = before

    def constant(self, make: Callable[..., Any], shape: Any) -> Node:
        """An array that is made of its sizes."""
        sizes = self._sizes(shape)
        value = make(*sizes) if sizes else make(1)[0]
        row = shape[0] == 1 and shape[1] != 1
        return joined("given", (Shape(tuple(map(self.reading.sizes.of_symbol, sizes)), row), value))


def _value(expr: Any) -> Any:
    """A SymPy number as an int, a Fraction or a float."""
    if expr.is_Integer:
        return int(expr)
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    if expr.is_extended_real and expr.is_number and expr.is_Atom:
        return float(expr)
    raise FormulaError(f"{expr} is no real number", "", "Formulas are of real numbers.")


def _name_of(s: Any) -> str:
    try:
        return s.name
    except AttributeError:
        raise FormulaError(
            f"{s!r} is no SymPy symbol", "", "Pass sympy.Symbol objects, or a dict from names."
        ) from None


def _checked(name: str) -> str:
    if not isinstance(name, str) or not is_name(name):
        raise FormulaError(
            f"{name!r} cannot be a name", "A name is an identifier that Python does not use.",
            'Give it another one: symbols={"lam": sympy.Symbol("lambda")}.',
        )  # fmt: skip
    return name


def _facts(entries: Iterable[Any]) -> dict[str, bool]:
    entries = list(entries)
    return {fact: True for fact in ("positive", "integer") if all(getattr(s, f"is_{fact}") for s in entries)}

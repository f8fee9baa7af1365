"""`from_sympy`: a formula from SymPy's expressions.

The idea to hold: an expression is walked operands first, and each of its classes is a function of symgrad
(`_sympy_scalars`, `_sympy_matrices`), or refused by name. SymPy is loaded by the first call.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError
from .._symbol import dim, symbol
from ..syntax import shortened
from ._build import formula_of
from ._default_names import is_name
from ._literals import as_tensor
from ._sympy_matrices import MATRIX_RULES, UNEVALUATED, operands
from ._sympy_scalars import RULES, number, rewritten, twins


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

    try:
        expr = sympy.sympify(expr)
    except sympy.SympifyError:
        raise FormulaError(f"{type(expr).__name__} is nothing that SymPy knows") from None
    if isinstance(expr, (list, tuple, sympy.Tuple)):
        expr = sympy.Array(expr)
    if expr.has(*(getattr(sympy, name) for name in UNEVALUATED)):
        expr = expr.doit()
    walk = _Walk(expr, symbols)
    try:
        value = walk.value(expr)
    except (SymgradError, RecursionError):
        raise
    except (ArithmeticError, ValueError, TypeError, IndexError) as error:
        raise FormulaError(f"SymPy's expression cannot be taken over: {error}") from error
    return formula_of(value)


# ---------------------------------------------------------------------- the walk


class _Walk:
    """One expression on its way to symgrad: what each symbol stands for, and what has been computed."""

    def __init__(self, expr: Any, symbols: Any) -> None:
        self.values: dict[Any, Any] = {}
        self.sizes: dict[str, Any] = {}
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
        missing = sorted((s.name for s in free if s not in self.values), key=str)
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
            self.values[what] = symbol(name, **_facts([what]))
        elif isinstance(what, sympy.MatrixSymbol):
            self.values[what] = symbol(name, tuple(s for s in map(self.size, what.shape) if s != 1))
        else:
            entries = np.array(sympy.Array(what).tolist() if hasattr(what, "shape") else what, dtype=object)
            if hasattr(what, "shape") and entries.ndim == 2 and 1 in entries.shape:
                entries = entries.reshape(-1)
            if not all(isinstance(s, sympy.Symbol) for s in entries.reshape(-1)) or not entries.size:
                raise FormulaError(f"{name!r} is made of {what}", "A vector is a list of symbols.",
                                   'Write symbols={"x": [x0, x1]}.')  # fmt: skip
            array = symbol(name, entries.shape, **_facts(entries.reshape(-1)))
            for place, s in np.ndenumerate(entries):
                self.values[s] = array[place]

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

    # -------------------------------------------------------------- evaluation

    def value(self, root: Any) -> Any:
        """The value of an expression, operands first and each once."""
        stack = [(root, False)]
        while stack:
            expr, ready = stack.pop()
            if expr in self.values:
                continue
            parts = operands(expr)
            if ready or not parts:
                self.values[expr] = self._apply(expr, [self.values[a] for a in parts])
            else:
                stack.append((expr, True))
                stack.extend((a, False) for a in reversed(parts))
        return self.values[root]

    def _apply(self, expr: Any, values: list[Any]) -> Any:
        from sympy.core.function import AppliedUndef

        name = type(expr).__name__
        if expr in self.sizes:
            return self.sizes[expr].number()
        if getattr(expr, "is_number", False) and expr.is_Atom:
            return number(expr)
        rule = MATRIX_RULES.get(name) or RULES.get(name)
        if rule is not None:
            return rule(self, expr, *values)
        twin = twins().get(name)
        if twin is not None:
            return reduce(twin, map(as_tensor, values)) if len(values) > 1 else twin(as_tensor(values[0]))
        form = None
        if expr.is_Function and not isinstance(expr, AppliedUndef):
            form = rewritten(expr.func, tuple(bool(a.is_positive) for a in expr.args))
        step = "Rewrite it in functions that symgrad has: expr.rewrite(…)."
        if form is not None:
            try:
                return self.substituted(form, values)
            except FormulaError:
                step = "It may have one for symbols that are declared positive: sympy.Symbol(…, positive=True)."
        where = f"It stands in {shortened(str(expr), _limits.TEXT_TERM)}."
        raise FormulaError(f"SymPy's {name} has no twin in symgrad", where, step)

    def substituted(self, form: Any, values: list[Any]) -> Any:
        """The value of a SymPy Lambda at ``values``."""
        inner = _Walk.__new__(_Walk)
        inner.sizes, inner.values = self.sizes, dict(zip(form.variables, values, strict=True))
        inner.values.update((s, v) for s, v in self.values.items() if s in form.expr.free_symbols)
        return inner.value(form.expr)


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

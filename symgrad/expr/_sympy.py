"""The only door to SymPy: formulas of scalars and small arrays as SymPy expressions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .._errors import FormulaError
from ..show._formula import postorder
from ._expr import Expr

_MOST = 400  # entries of an array that are still written out one by one


@cache
def twin(text: str, names: tuple[str, ...]) -> Any:
    """The SymPy function of a row: its ``sympy`` text with real symbols for its inputs."""
    import sympy

    symbols = {n: sympy.Symbol(n, real=True) for n in names}
    expression = sympy.sympify(text, locals={**symbols, "arg": sympy.arg})
    ordered = [symbols[n] for n in names]

    def substitute(*values: Any) -> Any:
        return expression.subs(dict(zip(ordered, values, strict=True)), simultaneous=True)

    return substitute


def _symbols(term: Expr) -> Any:
    import sympy

    if not term.shape:
        return np.array(sympy.Symbol(term.name, real=True), dtype=object)
    out = np.empty(term.shape, dtype=object)
    for place in np.ndindex(*term.shape):
        out[place] = sympy.Symbol(f"{term.name}_{'_'.join(map(str, place))}", real=True)
    return out


def _refuse_equal_names(root: Expr) -> None:
    """Raise if an entry of one array and another symbol would be written alike (x[0] of x, and x_0)."""
    symbols = [t for t in postorder([root]) if t.name]
    scalars = {t.name for t in symbols if not t.shape}
    for t in symbols:
        clash = scalars & {f"{t.name}_{'_'.join(map(str, place))}" for place in np.ndindex(*t.shape)} if t.shape else ()
        for name in clash:
            raise FormulaError(
                f"in SymPy an entry of {t.name!r} and the symbol {name!r} would have one name",
                "",
                "Give one of them another name.",
            )


def _number(value: Any) -> Any:
    import sympy

    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return sympy.Integer(int(value))
    return (
        sympy.nsimplify(value, rational=True) if isinstance(value, float) and _is_short(value) else sympy.sympify(value)
    )


def _is_short(value: float) -> bool:
    """Whether a float is a fraction of small powers of two (0.5, 0.75), which SymPy shows exactly."""
    return value * 64 == int(value * 64) if np.isfinite(value) else False


def to_sympy(root: Expr) -> Any:
    """The SymPy expression of a term; an array of expressions where it is no scalar.

    Raises
    ------
    FormulaError : an operation has no SymPy twin, or the arrays are too large to write out
    """
    import sympy

    results: dict[int, Any] = {}
    _refuse_equal_names(root)
    for term in postorder([root]):
        if int(np.prod(term.shape)) > _MOST:
            raise FormulaError(
                f"an array of shape {term.shape} is too large to write out in SymPy", f"The limit is {_MOST} entries.",
                "Use the array formula, .formula(), or a smaller example.",
            )  # fmt: skip
        if term.op is None:
            if term.name:
                results[id(term)] = _symbols(term)
            else:
                number = np.empty(term.shape, dtype=object)
                number[...] = np.vectorize(_number, otypes=[object])(term.value)
                results[id(term)] = number
        else:
            results[id(term)] = _apply(term, [results[id(a)] for a in term.args])
    out = results[id(root)]
    return out.item() if out.ndim == 0 else sympy.ImmutableDenseNDimArray(out.reshape(-1).tolist(), out.shape)


def _apply(term: Expr, args: list[Any]) -> Any:
    op = term.op
    if op.kind == "elementwise":
        if not isinstance(op.sympy, str):
            raise _no_twin(op)
        fn = twin(op.sympy, (*op.inputs, *op.params))
        numbers = [_number(p) for p in term.params]
        return np.asarray(np.frompyfunc(lambda *a: fn(*a, *numbers), len(args), 1)(*args), dtype=object)
    if op.kind in ("linear", "multilinear"):
        try:
            return np.asarray(
                op.forward(tuple(args), *term.params) if op.variadic else op.forward(*args, *term.params), dtype=object
            )
        except TypeError as error:
            raise _no_twin(op) from error
    if op.sympy is not None and callable(op.sympy):
        return np.asarray(op.sympy(*args, *term.params), dtype=object)
    raise _no_twin(op)


def _no_twin(op: Any) -> FormulaError:
    return FormulaError(f"operation '{op.name}' has no SymPy form", "", "Use the array formula, .formula().")


def tensor_sympy(t: Any) -> Any:
    """The SymPy expression of a tensor, checked against its number."""
    from ._formula import tensor_formula

    formula = tensor_formula(t)
    expression = to_sympy(formula.term)
    if formula.checked is True:
        _check(expression, formula.term, t)
    return expression


def _check(expression: Any, term: Expr, t: Any) -> None:
    values: dict[Any, Any] = {}
    for sub in postorder([term]):
        if sub.name:
            names = _symbols(sub)
            for place in np.ndindex(*sub.shape):
                values[names[place]] = sub.value[place].item()
    flat = list(expression) if t._data.ndim else [expression]
    for number, e in zip(t._data.reshape(-1), flat, strict=True):
        got = complex(e.subs(values).evalf())
        if np.isfinite(number) and not np.isclose(got, complex(number), rtol=1e-6, atol=1e-8):
            raise FormulaError(
                "the SymPy expression and the number disagree: please report this as a bug of symgrad",
                f"{e} gives {got}, the tensor holds {number}.", "Until it is mended, trust the number.",
            )  # fmt: skip


def partial_text(op: Any, i: int) -> str:
    """The partial derivative of an elementwise row in its input ``i``, as text; empty if it has no SymPy twin."""
    import sympy

    if not isinstance(op.sympy, str):
        return ""
    symbols = {n: sympy.Symbol(n, real=True) for n in (*op.inputs, *op.params)}
    return str(sympy.sympify(op.sympy, locals=symbols).diff(symbols[op.inputs[i]]))

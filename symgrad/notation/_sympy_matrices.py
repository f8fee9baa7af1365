"""SymPy's matrices: what each class of matrix expression is in symgrad.

The idea to hold: SymPy's columns and rows are vectors here, its 1×1 matrices numbers, so that ``x.T*A*x`` is a scalar;
what is a column and what a row is asked of SymPy's shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from .. import linalg
from .._errors import FormulaError
from ..core import Tensor
from ..ops import FUNCTIONS
from ._literals import as_tensor, identity, lift, ones, times
from ._sympy_scalars import added
from ._sympy_sums import summed

Rule = Callable[..., Any]

UNEVALUATED = ("Derivative", "Integral", "Sum", "Product", "Subs", "Limit")
"""Classes with bound symbols, which SymPy is asked to evaluate first."""


def operands(expr: Any) -> tuple[Any, ...]:
    """The parts of an expression that are computed before it."""
    import sympy
    from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction

    if isinstance(expr, (sympy.MatrixSymbol, sympy.Identity, sympy.ZeroMatrix, sympy.OneMatrix)):
        return ()
    if isinstance(expr, tuple(getattr(sympy, name) for name in UNEVALUATED)):
        return ()
    if isinstance(expr, (sympy.MatrixBase, sympy.NDimArray)):
        return tuple(sympy.Array(expr)) if isinstance(expr, sympy.NDimArray) else tuple(expr.flat())
    if isinstance(expr, ElementwiseApplyFunction):
        return (expr.expr,)
    if type(expr).__name__ == "MatrixElement":
        return (expr.args[0],)
    if isinstance(expr, sympy.MatPow):
        return (expr.base,)
    return expr.args if isinstance(expr, sympy.Basic) else ()


def _filled(walk: Any, expr: Any, *values: Any) -> Any:
    """An explicit matrix or array."""
    if any(getattr(entry, "is_Matrix", False) for entry in operands(expr)):
        raise FormulaError(f"matrices of matrices are not taken over: {expr}", "", "Call as_explicit() on them before.")
    shape = tuple(int(n) for n in expr.shape)
    if len(shape) == 2 and 1 in shape and hasattr(expr, "flat"):
        shape = tuple(n for n in shape if n != 1)
    if all(not isinstance(v, Tensor) for v in values):
        return FUNCTIONS["tensor"](np.array([float(v) for v in values]).reshape(shape))
    return FUNCTIONS["reshape"](FUNCTIONS["stack"]([as_tensor(v) for v in values]), shape)


def _product(walk: Any, expr: Any, *values: Any) -> Any:
    number: Any = 1
    left: Any = None
    shape: tuple[Any, Any] | None = None
    for factor, value in zip(expr.args, values, strict=True):
        if not getattr(factor, "is_Matrix", False):
            number = times(number, value)
        elif shape is None:
            left, shape = value, factor.shape
        else:
            left, shape = _two(left, shape, value, factor.shape), (shape[0], factor.shape[1])
    if left is None:
        return number
    return left if isinstance(number, int) and number == 1 else times(number, left)


def _two(a: Any, of_a: Any, b: Any, of_b: Any) -> Any:
    """The product of two matrices in SymPy's shapes."""
    if of_a == (1, 1) or of_b == (1, 1):
        return times(a, b)
    return FUNCTIONS["outer"](a, b) if of_a[1] == 1 else a @ b


def _transpose(walk: Any, expr: Any, value: Any) -> Any:
    return value.T if isinstance(value, Tensor) and value.ndim == 2 else value


def _inverse(walk: Any, expr: Any, value: Any, *_: Any) -> Any:
    return 1 / lift(value) if _is_number(value) else linalg.inv(value)


def _power(walk: Any, expr: Any, value: Any) -> Any:
    if not expr.exp.is_Integer:
        raise FormulaError(f"{expr}: a matrix is raised to integers only")
    n = int(expr.exp)
    if _is_number(value):
        return value**n
    return linalg.inv(value) if n == -1 else linalg.matrix_power(value, n)


def _is_number(value: Any) -> bool:
    return not isinstance(value, Tensor) or value.ndim == 0


def _of_matrix(fn: Rule) -> Rule:
    return lambda walk, expr, value: value if _is_number(value) else fn(value)


def _element(walk: Any, expr: Any, value: Any) -> Any:
    matrix, row, column = expr.args
    if not row.is_Integer or not column.is_Integer:
        raise FormulaError(f"{expr}: the indices of an entry must be numbers")
    places = zip((int(row), int(column)), matrix.shape, strict=True)
    return value[tuple(i for i, n in places if n != 1)] if not _is_number(value) else value


def _constant(make: Rule) -> Rule:
    def rule(walk: Any, expr: Any) -> Any:
        sizes = [n for n in map(walk.size, expr.shape) if n != 1]
        return make(*sizes) if sizes else make(1)[0]

    return rule


def _kron(walk: Any, expr: Any, *values: Any) -> Any:
    if any(_is_number(v) or v.ndim != 2 for v in values):
        raise FormulaError(f"{expr}: Kronecker products are taken over of matrices")
    return reduce(FUNCTIONS["kron"], values)


MATRIX_RULES: dict[str, Rule] = {
    **dict.fromkeys(
        ("MutableDenseMatrix", "ImmutableDenseMatrix", "MutableSparseMatrix", "ImmutableSparseMatrix",
         "ImmutableDenseNDimArray", "MutableDenseNDimArray", "ImmutableSparseNDimArray", "MutableSparseNDimArray"),
        _filled,
    ),
    "MatMul": _product, "MatAdd": added, "HadamardProduct": lambda walk, expr, *values: reduce(times, values),
    "HadamardPower": lambda walk, expr, value, exponent: lift(value) ** lift(exponent),
    "Transpose": _transpose, "Adjoint": _transpose, "Inverse": _inverse, "MatPow": _power,
    "Trace": _of_matrix(FUNCTIONS["trace"]), "Determinant": _of_matrix(linalg.det), "MatrixElement": _element,
    "ElementwiseApplyFunction": lambda walk, expr, value: walk.substituted(expr.function, [as_tensor(value)]),
    "Identity": lambda walk, expr: identity(walk.size(expr.shape[0])), "OneMatrix": _constant(ones),
    "ZeroMatrix": _constant(lambda *sizes: ones(*sizes) * 0), "DotProduct": lambda walk, expr, a, b: a @ b,
    "DiagMatrix": lambda walk, expr, value: FUNCTIONS["diag"](value), "KroneckerProduct": _kron, "Sum": summed,
}  # fmt: skip
"""Rules by the name of SymPy's class."""

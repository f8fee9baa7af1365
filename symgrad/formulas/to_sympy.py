"""The only door to SymPy: formulas of scalars and small arrays as SymPy expressions, entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from ..core import computed
from ..ops.entries.distributions import DOMAINS
from ..show.functions import COMPARE
from ..terms import Expr, Var, broadcast, exact, is_real, matrix_of_linear, symbols_in

_CHOICES = {
    "where": "Piecewise((a, Ne(condition, 0)), (b, True))",
    "logical_not": "Piecewise((0, Ne(x, 0)), (1, True))",
    **{name: f"Piecewise((1, Rel(a, b, '{sign}')), (0, True))" for name, sign in COMPARE.items()},
    **{f"in_{word}": "x" for word in DOMAINS},
}
"""What rows are whose twins are no functions: they choose, or look at what they give."""


@cache
def twin(op: Any, real: bool | None = True) -> Any:
    """The SymPy function that an entry-by-entry row is, a Lambda of its inputs and parameters; None if it is none.

    ``real`` says that it is of real numbers; of complex ones (None) SymPy must not take conj(z) for z.
    """
    import sympy

    text = op.sympy if isinstance(op.sympy, str) else _CHOICES.get(op.name)
    if text is None:
        return None
    names = {name: sympy.Symbol(name, real=real) for name in (*op.inputs, *op.params)}
    return sympy.Lambda(tuple(names.values()), sympy.sympify(text, locals={**names, "arg": sympy.arg}))


def _symbols(term: Var) -> np.ndarray:
    import sympy

    facts = {"positive": True} if term.properties & {"positive", "size"} else {"real": is_real(term) or None}
    out = np.empty(tuple(map(int, term.shape)), dtype=object)
    for place in np.ndindex(*out.shape):
        out[place] = sympy.Symbol("_".join([term.name, *map(str, place)]), **facts)
    return out


def _refuse_equal_names(entries: dict[str, Any]) -> None:
    """Raise if entries of two symbols would be written alike: x[0] of x, and x_0; x[0, 1], and x_0[1]."""
    owners: dict[str, str] = {}
    for name, symbols in entries.items():
        for s in symbols.flat:
            if owners.setdefault(s.name, name) != name:
                raise FormulaError(
                    f"in SymPy entries of {owners[s.name]!r} and of {name!r} would have one name, {s.name}", "",
                    "Give one of them another name.",
                )  # fmt: skip


def number(value: Any) -> Any:
    """A number as SymPy's: exact where it is."""
    import sympy

    value = value.item() if isinstance(value, np.generic) else value
    known = exact(value) if isinstance(value, (int, float, complex)) else None
    return sympy.sympify(value if known is None else known)


SYMPY_ENTRIES = bound(400)
"""Entries of an array that SymPy is still given one by one."""
SYMPY_PARTS = bound(50_000)
"""Parts of expressions in SymPy, each counted wherever it is: of a loop they double with each step, or worse."""


def to_sympy(root: Expr) -> Any:
    """The SymPy expression of a term; an array of expressions where it is no scalar.

    Raises
    ------
    FormulaError : an operation has no SymPy twin, or the arrays, or the expressions, are too large to write out
    """
    import sympy

    results: dict[int, Any] = {}
    known: dict[Any, int] = {}
    for term in postorder(root):
        if math.prod(map(int, term.shape)) > SYMPY_ENTRIES:
            raise FormulaError(
                f"an array of shape {tuple(map(int, term.shape))} is too large to write out in SymPy",
                f"The limit is {SYMPY_ENTRIES} entries.",
                "Use the array formula, .formula(), or a smaller example.",
            )  # fmt: skip
        try:
            results[id(term)] = np.asarray(_KINDS[term.kind](term, lambda t: results[id(t)]), dtype=object)
        except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
            name = getattr(getattr(term, "op", None), "label", term.kind)
            raise FormulaError(f"SymPy cannot take '{name}' over: {error}", "", "Use the array formula.") from error
        if sum([_parts(e, known) for e in results[id(term)].flat]) > SYMPY_PARTS:
            raise FormulaError(
                f"in SymPy the formula has more than {SYMPY_PARTS:,} parts", "There is no name for what is used again.",
                "Use the array formula, or .code('numpy'); of a loop, one of fewer steps.",
            )  # fmt: skip
    _refuse_equal_names({t.name: results[id(t)] for t in symbols_in(root)})
    out = results[id(root)]
    return out.item() if out.ndim == 0 else sympy.ImmutableDenseNDimArray(out.reshape(-1).tolist(), out.shape)


def _parts(expression: Any, known: dict[Any, int]) -> int:
    """How many parts an expression is made of, each counted wherever it is; of what is ``known`` looked up."""
    if not getattr(expression, "args", ()):
        return 1
    if expression not in known:
        known[expression] = 1 + sum([_parts(part, known) for part in expression.args])
    return known[expression]


Get = Callable[[Expr], Any]


def _ein(term: Any, get: Get) -> Any:
    if not term.factors:
        return number(term.coef)
    arrays = []
    for f, s in term.factors:
        arrays += [get(f), list(s)]
    return np.einsum(*arrays, list(range(term.rank))) * number(term.coef)


def _add(term: Any, get: Get) -> Any:
    return sum(number(c) * broadcast(get(t), s, term.rank) for c, t, s in term.terms)


def _map(term: Any, get: Get) -> Any:
    form = twin(term.op, all(map(is_real, term.children)) or None)
    if form is None:
        raise no_twin(term.op)
    args = [broadcast(get(a), s, term.rank) for a, s in term.args]
    numbers = [number(p) for p in term.params]
    return np.frompyfunc(lambda *a: form(*a, *numbers), len(args), 1)(*args)


_exact = np.frompyfunc(number, 1, 1)


def _call(term: Any, get: Get) -> Any:
    import sympy

    args = [get(a) for a in term.args]
    if (term.op.name, term.out) in _MATRIX and args[0].ndim == 2:
        return _MATRIX[term.op.name, term.out](sympy.Matrix(args[0]))
    if term.op.name in _ALONG and args[0].ndim == 1:
        return _ALONG[term.op.name](args[0])
    if (term.op.variadic and term.op.last is None) or term.op.kind == "multilinear":  # no function of matrices
        return computed(term.op, args, term.params)
    raise no_twin(term.op)


def _exps(x: Any) -> Any:
    import sympy

    return np.array([sympy.exp(v) for v in x], dtype=object)


def _log(x: Any) -> Any:
    import sympy

    return sympy.log(x)


def _sign(x: Any) -> Any:
    import sympy

    return sympy.sign(x)


_MATRIX: dict[tuple[str, int | None], Any] = {
    ("inv", None): lambda m: m.inv(),
    ("det", None): lambda m: m.det(),
    ("slogdet", 0): lambda m: _sign(m.det()),
    ("slogdet", 1): lambda m: _log(abs(m.det())),
    ("linalg_cholesky", None): lambda m: m.cholesky(hermitian=False),
}
_ALONG: dict[str, Any] = {
    "softmax": lambda x: _exps(x) / _exps(x).sum(),
    "logsumexp": lambda x: _log(_exps(x).sum()),
    "log_softmax": lambda x: x - _log(_exps(x).sum()),
}


def _jac(term: Any, get: Get) -> Any:
    raise no_twin(term.call.op)


_KINDS: dict[str, Any] = {
    "var": lambda t, get: _symbols(t), "ein": _ein, "add": _add, "map": _map, "call": _call, "jac": _jac,
    "lin": lambda t, get: _exact(matrix_of_linear(t)),
    "data": lambda t, get: _exact(t.value),
    "one": lambda t, get: _exact(np.ones(int(t.shape[0]))),
    "delta": lambda t, get: _exact(np.eye(int(t.shape[0]))),
}  # fmt: skip


def no_twin(op: Any) -> FormulaError:
    return FormulaError(f"operation {op.label!r} has no SymPy form", "", "Use the array formula, .formula().")


def check_sympy(expression: Any, formula: Any, t: Any) -> None:
    """Raise if the expression of a tensor's formula does not have the tensor's numbers."""
    values = {}
    for sub in postorder(formula.term):
        if isinstance(sub, Var):
            names = _symbols(sub)
            for place in np.ndindex(*names.shape):
                values[names[place]] = np.asarray(formula.point[sub.name])[place].item()
    flat = list(expression) if t._data.ndim else [expression]
    for value, e in zip(t._data.reshape(-1), flat, strict=True):
        got = complex(e.subs(values).evalf())
        if np.isfinite(value) and not np.isclose(got, complex(value), rtol=1e-6, atol=1e-8):
            raise FormulaError(
                "the SymPy expression and the number disagree: please report this as a bug of symgrad",
                f"{e} gives {got}, the tensor holds {value}.", "Until it is mended, trust the number.",
            )  # fmt: skip

"""SymPy's classes: which node of a tree, or which function of symgrad, each of them is.

The idea to hold: a class whose SymPy twin is in the table of operations is that operation (`twins`); one without is
what SymPy can rewrite it to (`rewritten`); only what is no function, sums, powers, conditions, matrices, stands here.
SymPy's columns and rows are vectors, its 1×1 matrices numbers, so that ``x.T*A*x`` is a scalar.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

from .._errors import FormulaError
from ..core import TABLE
from ..ops import FUNCTIONS
from ..syntax import Node
from ._literals import as_tensor, identity, ones
from ._text_calls import OF_COMPLEX

Rule = Callable[..., Node]
"""From what holds the trees (`_from_sympy`), an expression and the trees of its operands to its tree."""

UNEVALUATED = ("Derivative", "Integral", "Sum", "Product", "Subs", "Limit")
"""Classes with bound symbols, which SymPy is asked to evaluate first."""
WHOLE = frozenset({"MatrixSymbol", "Identity", "ZeroMatrix", "OneMatrix", "Piecewise"})
"""Classes whose rules look at their arguments themselves."""
OPERAND = {"ElementwiseApplyFunction": 1, "MatrixElement": 0, "MatPow": 0}
"""Where classes of matrices have their only operand."""

_REWRITTEN_IN = (
    "cos", "sin", "tan", "cosh", "sinh", "tanh", "acos", "asin", "atan", "acosh", "asinh", "atanh", "log", "exp", "erf",
    "gamma", "loggamma", "polygamma", "floor", "Heaviside", "Piecewise", "Abs", "Max",
)  # fmt: skip


@cache
def twins() -> dict[str, list[tuple[Any, tuple[Any, ...]]]]:
    """SymPy's function classes that are one operation of the table, by name: each with the arguments of the class.

    An argument is the name of an input or of a parameter, or a number, ``expint(1, x)``: those with numbers come first.
    """
    import sympy

    found: dict[str, list[tuple[Any, tuple[Any, ...]]]] = {}
    for op in TABLE.values():
        if op.kind != "elementwise" or not isinstance(op.sympy, str) or op.name in OF_COMPLEX:
            continue
        names = {name: sympy.Symbol(name, real=True) for name in (*op.inputs, *op.params)}
        twin = sympy.sympify(op.sympy, locals=names)
        plain = all(a in names.values() or a.is_Integer for a in twin.args)
        if (
            isinstance(twin, (sympy.Function, sympy.Max, sympy.Min))
            and plain
            and twin.free_symbols == {*names.values()}
        ):
            args = tuple([a.name if a.is_Symbol else int(a) for a in twin.args])
            if isinstance(twin, (sympy.Max, sympy.Min)):  # which have no order of their own
                args = (*[a for a in args if a not in op.inputs], *op.inputs)
            found.setdefault(type(twin).__name__, []).append((op, args))
    return {name: sorted(rows, key=lambda row: row[1] == row[0].inputs) for name, rows in found.items()}


def twin_of(expr: Any, nodes: list[Node]) -> Node | None:
    """What is one operation of the table, of the trees of its arguments; None if it is none."""
    if type(expr).__name__ not in twins():
        return None
    pairs = [*zip(expr.args, nodes, strict=True)]
    if type(expr).__name__ in ("Max", "Min"):
        pairs.sort(key=lambda pair: not pair[0].is_number)
    for op, args in twins()[type(expr).__name__]:
        if len(args) == 2 and args == op.inputs and len(nodes) > 2:  # the largest of several
            return reduce(lambda a, b, op=op: entrywise(op.apply, a, b), nodes)  # type: ignore[misc]
        if len(args) != len(nodes):
            continue
        given = dict(zip(args, pairs, strict=True))
        numbers = [given[name][0] for name in op.params]
        fits = all(value == name for name, (value, _) in given.items() if isinstance(name, int))
        if fits and all(n.is_Rational or n.is_Float for n in numbers):
            params = [int(n) if n.is_Integer else float(n) for n in numbers]
            return entrywise(
                lambda *values, op=op, params=params: op.apply(*values, *params), *[given[n][1] for n in op.inputs]
            )
    return None


@cache
def rewritten(cls: Any, positive: tuple[bool, ...]) -> Any:
    """A function in terms of functions that have twins, as a SymPy Lambda; None if SymPy knows no such form."""
    import sympy

    dummies = [sympy.Dummy(f"a{i}", real=True, positive=known or None) for i, known in enumerate(positive)]
    plain = cls(*dummies, evaluate=False)
    for name in _REWRITTEN_IN:
        form = plain.rewrite(getattr(sympy, name))
        known = all(type(f).__name__ in {**twins(), **RULES} for f in form.atoms(sympy.Function))
        if form != plain and not form.has(sympy.I, cls) and known:
            return sympy.Lambda(tuple(dummies), form)
    return None


# ---------------------------------------------------------------------- nodes


def joined(kind: str, value: Any, *nodes: Node) -> Node:
    """A node; its place is that of no text."""
    return Node(kind, value, nodes, 0, 0)


def chain(sign: str, nodes: Any) -> Node:
    """Nodes with a sign between them."""
    return reduce(lambda a, b: joined("binary", sign, a, b), nodes)


def entrywise(fn: Callable[..., Any], *nodes: Node) -> Node:
    """A function of symgrad that works entry by entry."""
    return joined("apply", lambda *values: fn(*map(as_tensor, values)), *nodes)


def called(name: str, *nodes: Node) -> Node:
    return joined("call", (name, ()), *nodes)


def number(value: Any) -> Node:
    return joined("number", value)


def _chained(sign: str) -> Rule:
    return lambda trees, expr, *nodes: chain(sign, nodes)


def _applied(fn: Callable[..., Any]) -> Rule:
    return lambda trees, expr, *nodes: entrywise(fn, *nodes)


def _is_number(expr: Any) -> bool:
    return getattr(expr, "shape", ()) in ((), (1, 1))


# ---------------------------------------------------------------------- numbers and conditions


def _multiplied(trees: Any, expr: Any, *nodes: Node) -> Node:
    above, below = [], []
    for factor, node in zip(expr.args, nodes, strict=True):
        if factor.is_Pow and factor.exp.is_Number and factor.exp.is_negative:
            below.append(_power(trees.tree(factor.base), -factor.exp, trees))
        else:
            above.append(node)
    top = chain("*", above) if above else number(1)
    return chain("/", [top, chain("*", below)]) if below else top


def _powered(trees: Any, expr: Any, base: Node, exponent: Node) -> Node:
    if expr.exp.is_Rational and expr.exp.is_negative and not expr.base.is_number:
        return chain("/", [number(1), _power(base, -expr.exp, trees)])
    return chain("**", [base, exponent])


def _power(base: Node, exponent: Any, trees: Any) -> Node:
    return base if exponent == 1 else chain("**", [base, trees.tree(exponent)])


def _piecewise(trees: Any, expr: Any, *_: Node) -> Node:
    result = number(math.nan)
    for value, condition in reversed(expr.args):
        if condition == True:  # noqa: E712  (SymPy's true, which `is` no bool)
            result = trees.tree(value)
        elif condition != False:  # noqa: E712
            result = called("where", trees.tree(condition), trees.tree(value), result)
    return result


def _connected(name: str) -> Rule:
    fn = FUNCTIONS[name]

    def rule(trees: Any, expr: Any, *nodes: Node) -> Node:
        if any(isinstance(node.value, bool) for node in nodes):
            raise FormulaError(f"the condition {expr} is decided and not simplified", "", "Call its simplify() before.")
        return reduce(lambda a, b: entrywise(fn, a, b), nodes)

    return rule


def _logarithm(trees: Any, expr: Any, node: Node, *base: Node) -> Node:
    """log|Γ(x)| is one operation: Γ itself overflows early."""
    import sympy

    inner = expr.args[0]
    if isinstance(inner, sympy.Abs) and isinstance(inner.args[0], sympy.gamma):
        return entrywise(FUNCTIONS["lgamma"], trees.tree(inner.args[0].args[0]))
    return entrywise(FUNCTIONS["log"], node)


def _polygamma(trees: Any, expr: Any, n: Node, x: Node) -> Node:
    if not isinstance(n.value, int):
        raise FormulaError(f"the order of {expr} is no number")
    order = n.value
    return entrywise(lambda v: FUNCTIONS["polygamma"](order, v) if order else FUNCTIONS["digamma"](v), x)


# ---------------------------------------------------------------------- matrices


def _filled(trees: Any, expr: Any, *nodes: Node) -> Node:
    """An explicit matrix or array."""
    if any(getattr(entry, "is_Matrix", False) for entry in trees.operands(expr)):
        raise FormulaError(f"matrices of matrices are not taken over: {expr}", "", "Call as_explicit() on them before.")
    sizes, row = [int(n) for n in expr.shape], False
    if len(sizes) == 2 and 1 in sizes and hasattr(expr, "flat"):
        sizes, row = [n for n in sizes if n != 1], sizes[1] != 1
    if not sizes:
        return nodes[0]
    array = joined("list", None, *nodes)
    array = array if len(sizes) == 1 else called("reshape", array, *map(number, sizes))
    return joined("unary", "T", array) if row else array


def _transpose(trees: Any, expr: Any, node: Node) -> Node:
    return joined("unary", "T", node)


def _inverse(trees: Any, expr: Any, node: Node, *_: Node) -> Node:
    return chain("/", [number(1), node]) if _is_number(expr) else called("inv", node)


def _matrix_power(trees: Any, expr: Any, node: Node) -> Node:
    if not expr.exp.is_Integer:
        raise FormulaError(f"{expr}: a matrix is raised to integers only")
    n = int(expr.exp)
    if _is_number(expr):
        return chain("**", [node, number(n)])
    return called("inv", node) if n == -1 else called("matrix_power", node, number(n))


def _of_matrix(name: str) -> Rule:
    return lambda trees, expr, node: node if _is_number(expr.arg) else called(name, node)


def _element(trees: Any, expr: Any, node: Node) -> Node:
    matrix, *places = expr.args
    if not all(p.is_Integer or p in trees.bound for p in places):
        raise FormulaError(f"{expr}: the indices of an entry must be numbers")
    items = [p.name if p in trees.bound else int(p) for p, n in zip(places, matrix.shape, strict=True) if n != 1]
    kind = "entry" if any(isinstance(i, str) for i in items) else "index"
    return joined(kind, tuple(items), node) if items else node


def _kron(trees: Any, expr: Any, *nodes: Node) -> Node:
    if any(1 in factor.shape for factor in expr.args):
        raise FormulaError(f"{expr}: Kronecker products are taken over of matrices")
    return reduce(lambda a, b: called("kron", a, b), nodes)


def _constant(make: Callable[..., Any]) -> Rule:
    return lambda trees, expr: trees.constant(make, expr.shape)


def _summed(trees: Any, expr: Any) -> Node:
    """``Sum(A[i, j]*v[j, 0], (i, 0, m - 1), (j, 0, n - 1))``: its indices must run over whole axes."""
    import sympy
    from sympy.matrices.expressions.matexpr import MatrixElement

    body, limits = expr.function, list(expr.limits)
    while isinstance(body, sympy.Sum):
        limits, body = [*limits, *body.limits], body.function
    sizes = {index: sympy.simplify(last + 1) for index, _, last in limits}
    entries = [e for e in body.atoms(MatrixElement) if e.free_symbols & set(sizes)]
    rest = body.xreplace({entry: sympy.Dummy() for entry in entries})
    fits = all(
        (place.is_Integer or sizes.get(place) == size) and not (place in sizes and size == 1)
        for entry in entries
        for place, size in zip(entry.args[1:], entry.args[0].shape, strict=True)
    )
    strays = rest.free_symbols & set(sizes) or any(e.args[0].has(*sizes) for e in entries)
    if not fits or strays or rest.has(sympy.MatrixExpr, sympy.Sum) or any(first != 0 for _, first, _ in limits) or (
        len(sizes) < len(limits)
    ):  # fmt: skip
        raise FormulaError(
            f"the sum is not over whole axes of matrices: {expr}",
            "An index may stand alone in an entry only, A[i, j].",
            "Write it with matrix expressions, or with numbers as its limits.",
        )
    used = [index for index in sizes if any(index in e.args for e in entries)]
    node = trees.within(sizes, body)
    node = joined("Σ", tuple(index.name for index in used), node) if used else node
    return chain("*", [node, *[trees.tree(sizes[index]) for index in sizes if index not in used]])


RULES: dict[str, Rule] = {
    "Add": _chained("+"), "Mul": _multiplied, "Pow": _powered, "Piecewise": _piecewise,
    "And": _connected("logical_and"), "Or": _connected("logical_or"), "Xor": _connected("logical_xor"),
    "Not": _applied(FUNCTIONS["logical_not"]), "ITE": lambda trees, expr, *nodes: called("where", *nodes),
    "BooleanTrue": lambda trees, expr: number(True), "BooleanFalse": lambda trees, expr: number(False),
    "StrictGreaterThan": _chained(">"), "StrictLessThan": _chained("<"), "GreaterThan": _chained(">="),
    "LessThan": _chained("<="), "Equality": _chained("=="), "Unequality": _chained("!="),
    "Heaviside": _applied(FUNCTIONS["heaviside"]),
    "Mod": lambda trees, expr, *nodes: called("remainder", *nodes),
    "sinc": _applied(lambda x: FUNCTIONS["sinc"](x / math.pi)), "polygamma": _polygamma,
    "factorial": _applied(lambda n: TABLE["gamma"].apply(n + 1)), "arg": _applied(FUNCTIONS["angle"]),
    "log": _logarithm,
    "re": lambda trees, expr, x: x, "im": lambda trees, expr, x: number(0), "conjugate": lambda trees, expr, x: x,
    **dict.fromkeys(
        ("MutableDenseMatrix", "ImmutableDenseMatrix", "MutableSparseMatrix", "ImmutableSparseMatrix",
         "ImmutableDenseNDimArray", "MutableDenseNDimArray", "ImmutableSparseNDimArray", "MutableSparseNDimArray"),
        _filled,
    ),
    "MatMul": _chained("juxt"), "MatAdd": _chained("+"), "HadamardProduct": _chained("⊙"),
    "HadamardPower": _chained(".^"), "Transpose": _transpose, "Adjoint": _transpose, "Inverse": _inverse,
    "MatPow": _matrix_power, "Trace": _of_matrix("trace"), "Determinant": _of_matrix("det"), "MatrixElement": _element,
    "ElementwiseApplyFunction": lambda trees, expr, node: trees.substituted(expr.function, [node]),
    "Identity": _constant(lambda n, _: identity(n)), "OneMatrix": _constant(ones),
    "ZeroMatrix": _constant(lambda *sizes: ones(*sizes) * 0), "KroneckerProduct": _kron, "Sum": _summed,
    "DotProduct": lambda trees, expr, *nodes: called("dot", *nodes),
    "DiagMatrix": lambda trees, expr, node: called("diag", node),
}  # fmt: skip
"""Rules by the name of SymPy's class."""

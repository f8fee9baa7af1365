"""`from_sympy`: a formula from SymPy's expressions, class by class."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np

from .._errors import FormulaError, SymgradError
from .._limits import bound
from .._tensor import dim, symbol
from ..core import TABLE
from ..formulas import twin
from ..ops import FUNCTIONS
from ..syntax import Node, shortened
from ._build import build, work_out
from ._shapes import Reading, Shape, Sizes, as_tensor, identity, ones
from ._text_calls import OF_COMPLEX
from ._words import is_name

# ------------------------------- SymPy's classes: which node of a tree, or which function of symgrad, each of them is

# The idea to hold: a class whose SymPy twin is in the table of operations is that operation (`twins`); one without is
# what SymPy can rewrite it to (`rewritten`); only what is no function, sums, powers, conditions, matrices, stands here.
# SymPy's columns and rows are vectors, its 1×1 matrices numbers, so that ``x.T*A*x`` is a scalar.


Rule = Callable[..., Node]
"""From what holds the trees (`_Trees`), an expression and the trees of its operands to its tree."""

UNEVALUATED = ("Derivative", "Integral", "Sum", "Product", "Subs", "Limit")
"""Classes with bound symbols, which SymPy is asked to evaluate first."""
WHOLE = frozenset({"MatrixSymbol", "Identity", "ZeroMatrix", "OneMatrix", "Piecewise"})
"""Classes whose rules look at their arguments themselves."""
OPERAND = {"ElementwiseApplyFunction": 1, "MatrixElement": 0, "MatPow": 0, "Inverse": 0}
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
        form = twin(op) if op.kind == "elementwise" and op.name not in OF_COMPLEX else None
        if form is None or not isinstance(form.expr, (sympy.Function, sympy.Max, sympy.Min)):
            continue
        parts = form.expr.args
        if form.expr.free_symbols == {*form.variables} and all(a.is_Symbol or a.is_Integer for a in parts):
            args = [a.name if a.is_Symbol else int(a) for a in parts]
            if isinstance(form.expr, (sympy.Max, sympy.Min)):  # which have no order of their own
                args = [*[a for a in args if a not in op.inputs], *op.inputs]
            found.setdefault(type(form.expr).__name__, []).append((op, tuple(args)))
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


def _calling(name: str) -> Rule:
    return lambda trees, expr, *nodes: called(name, *nodes)


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
    """A logarithm to a base is a quotient; log|Γ(x)| is one operation: Γ itself overflows early."""
    import sympy

    if base:
        return chain("/", [entrywise(FUNCTIONS["log"], one) for one in (node, *base)])
    inner = expr.args[0]
    if isinstance(inner, sympy.Abs) and isinstance(inner.args[0], sympy.gamma):
        return entrywise(FUNCTIONS["lgamma"], trees.tree(inner.args[0].args[0]))
    return entrywise(FUNCTIONS["log"], node)


def _polygamma(trees: Any, expr: Any, n: Node, x: Node) -> Node:
    if not isinstance(n.value, int):
        raise FormulaError(f"the order of {expr} is no number")
    return entrywise(lambda v: FUNCTIONS["polygamma"](n.value, v), x)


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
    "Not": _applied(FUNCTIONS["logical_not"]), "ITE": _calling("where"),
    "BooleanTrue": lambda trees, expr: number(True), "BooleanFalse": lambda trees, expr: number(False),
    **dict.fromkeys(
        ("StrictGreaterThan", "StrictLessThan", "GreaterThan", "LessThan", "Equality", "Unequality"),
        lambda trees, expr, *nodes: chain(expr.rel_op, nodes),
    ),
    "Heaviside": _applied(FUNCTIONS["heaviside"]),
    "Mod": _calling("remainder"),
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
    "HadamardPower": _chained(".^"), "Transpose": _transpose, "Adjoint": _transpose, "Inverse": _matrix_power,
    "MatPow": _matrix_power, "Trace": _of_matrix("trace"), "Determinant": _of_matrix("det"), "MatrixElement": _element,
    "ElementwiseApplyFunction": lambda trees, expr, node: trees.substituted(expr.function, [node]),
    "Identity": _constant(lambda n, _: identity(n)), "OneMatrix": _constant(ones),
    "ZeroMatrix": _constant(lambda *sizes: ones(*sizes) * 0), "KroneckerProduct": _kron, "Sum": _summed,
    "DotProduct": _calling("dot"), "DiagMatrix": _calling("diag"),
}  # fmt: skip
"""Rules by the name of SymPy's class."""


# ------------------------------------------------------------------- `from_sympy`: a formula from SymPy's expressions

# The idea to hold: an expression becomes a tree as that of a text, operands first; each of its classes is a node there
# (`RULES`), or refused by name. Shapes, sums over indices and the formula are then what they are for texts.
# SymPy is loaded by the first call.


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


class _SympyReading(Reading):
    """What is known of the trees of an expression, whose parts are quoted as SymPy writes them."""

    trees: dict[Any, Node]

    def source(self, node: Node, most: int = 40) -> str:
        return next((shortened(str(expr), most) for expr, known in self.trees.items() if known is node), "a part")


TEXT_TERM = bound(80)
"""Signs of a SymPy term that an error shows."""


class _Trees:
    """One expression on its way to a formula: what each symbol stands for, and the trees of its parts."""

    def __init__(self, expr: Any, symbols: Any) -> None:
        self.symbols: dict[str, Any] = {}
        self.sizes: dict[Any, Any] = {}
        self.nodes: dict[Any, Node] = {}
        self.bound: Collection[Any] = ()  # the indices of the sums around what is looked at
        self.reading = _SympyReading("", True, {}, {}, {}, Sizes())
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
        if size in self.sizes:
            return self.sizes[size]
        if size.is_Symbol:
            raise FormulaError(
                f"no array of the expression has the size {size}", "An identity alone does not say it.",
                f"Multiply it with a MatrixSymbol of {size} rows, or take a number for it.",
            )  # fmt: skip
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
            return tuple(np.asarray(expr.tolist(), object).flat)
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
        where = f"It stands in {shortened(str(expr), TEXT_TERM)}."
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
    if expr.is_extended_real:
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

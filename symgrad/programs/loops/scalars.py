"""The numbers of a program one by one: each an operation on others, written down as the program's lines run on them."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ... import _limits
from ..._limits import bound
from ..._trees import parsed
from ..helpers import WORD, helpers_of

# -------------------------------------------------------------------------------------------------------------------
# The numbers of a program one by one: each an operation on others, written down as the program's lines run on them

# The idea to hold: nothing is rewritten that would change a bit. A number that is added to 0, multiplied by a power of
# two or negated twice is known without computing; all else is computed in the order in which the lines do it.


class NotScalar(Exception):
    """A program has a step that is not known number by number, or too many steps."""


def _sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else x


def _larger(a: float, b: float) -> float:
    return a if a >= b or a != a else b


def _smaller(a: float, b: float) -> float:
    return a if a <= b or a != a else b


BINARY: dict[str, tuple[str, int, Callable[..., Any]]] = {
    "+": ("{0} + {1}", 2, lambda a, b: a + b),
    "-": ("{0} - {1}", 2, lambda a, b: a - b),
    "*": ("{0} * {1}", 3, lambda a, b: a * b),
    "/": ("{0} / {1}", 3, lambda a, b: a / b),
    "//": ("{0} // {1}", 3, lambda a, b: a // b),
    "%": ("{0} % {1}", 3, lambda a, b: a % b),
}
"""Operators by sign: text, how tight they bind, function."""

FUNCTIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    **{name: (f"math.{name}({{0}})", getattr(math, name)) for name in (
        "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin",
        "acos", "atan", "asinh", "acosh", "atanh",
    )},
    "pow": ("math.pow({0}, {1})", math.pow),
    "atan2": ("math.atan2({0}, {1})", math.atan2),
    "hypot": ("math.hypot({0}, {1})", math.hypot),
    "abs": ("abs({0})", abs),
    "sign": ("(1.0 if {0} > 0 else -1.0 if {0} < 0 else {0})", _sign),
    "maximum": ("({0} if {0} >= {1} or {0} != {0} else {1})", _larger),
    "minimum": ("({0} if {0} <= {1} or {0} != {0} else {1})", _smaller),
    "where": ("({1} if {0} else {2})", lambda c, a, b: a if c else b),
}  # fmt: skip
"""Functions of numbers: text, in Python's words and Numba's, and function. Python raises where NumPy has inf or NaN."""

TRUTHS: dict[str, tuple[str, Callable[..., Any]]] = {
    **{sign: (f"({{0}} {sign} {{1}})", function) for sign, function in (
        ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge), ("==", operator.eq),
        ("!=", operator.ne),
    )},
    "and": ("({0} and {1})", lambda a, b: a and b),
    "or": ("({0} or {1})", lambda a, b: a or b),
    "not": ("(not {0})", lambda a: not a),
}  # fmt: skip
"""The same of truth values."""


class Scalar:
    """One number: the operation (``number`` counts them) and what it is of; an input has a name."""

    __slots__ = ("args", "name", "number", "op", "steps")

    args: tuple[Any, ...]
    name: str
    op: str
    steps: Steps

    def __init__(self, steps: Steps, op: str, args: tuple[Any, ...], name: str = "") -> None:
        self.steps, self.op, self.args, self.name = steps, op, args, name
        self.number: int = len(steps.every)

    def __bool__(self) -> bool:
        raise NotScalar("a step depends on a value")

    __float__ = __bool__
    __int__ = __bool__
    __index__ = __bool__

    def __neg__(self) -> Any:
        return self.steps.negative(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.steps.of("abs", self)

    def conjugate(self) -> Any:
        return self


def _operator(name: str, sign: str) -> None:
    def forward(self: Scalar, other: Any) -> Any:
        return _each(self.steps.of, sign, self, other)

    def backward(self: Scalar, other: Any) -> Any:
        return _each(self.steps.of, sign, other, self)

    setattr(Scalar, f"__{name}__", forward)
    setattr(Scalar, f"__r{name}__", backward)


def _each(of: Any, sign: str, a: Any, b: Any) -> Any:
    """An operation of numbers, or of an array and a number."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.frompyfunc(lambda x, y: of(sign, x, y), 2, 1)(a, b)
    return of(sign, a, b)


for _name, _word in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%"),
                     ("pow", "pow"), ("and", "and"), ("or", "or")):  # fmt: skip
    _operator(_name, _word)


class Steps:
    """All numbers of a program, equal ones once; no more than ``most``.

    Attributes
    ----------
    every : the numbers, each after those that it is made of
    dropped : those that were multiplied by 0, or subtracted from themselves: where they are not finite, NumPy has NaN
    line : the number of the program's line that runs
    dropped_in : by such a number, those that were dropped there
    """

    line: int
    dropped_in: dict[int, dict[int, Scalar]]

    def __init__(self, most: int | None = None) -> None:
        self.most: int = _limits.SCALAR_STEPS if most is None else most
        self.every: list[Scalar] = []
        self.dropped: dict[int, Scalar] = {}
        self.line, self.dropped_in = 0, dict[int, dict[int, Scalar]]()
        self._known: dict[Any, Scalar] = {}

    def input(self, name: str) -> Scalar:
        """A number that is given."""
        return self._new("", (), name)

    def _new(self, op: str, args: tuple[Any, ...], name: str = "") -> Scalar:
        if len(self.every) > self.most:
            raise NotScalar("it has too many steps")
        made = Scalar(self, op, args, name)
        self.every.append(made)
        return made

    def of(self, op: str, *args: Any) -> Any:
        """An operation on numbers and constants."""
        args = tuple([a if isinstance(a, Scalar) else _constant(a) for a in args])
        if op in TRUTHS or op == "where":
            return self._choice(op, args)
        args = tuple([self._choice("where", (a, 1.0, 0.0)) if _is_truth(a) else a for a in args])
        if not any(isinstance(a, Scalar) for a in args):
            return _computed(op, args)
        short = _SHORT.get(op)
        found = None if short is None else short(self, *args)
        return self._plain(op, args) if found is None else found

    def _plain(self, op: str, args: tuple[Any, ...]) -> Scalar:
        """The operation, the same as an equal one."""
        marks = [(a.number,) if isinstance(a, Scalar) else (repr(a),) for a in args]
        key = (op, *(sorted(marks, key=repr) if op in ("+", "*") else marks))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._new(op, args)
        return known

    def _choice(self, op: str, args: tuple[Any, ...]) -> Any:
        if not any(isinstance(a, Scalar) for a in args):
            return _computed(op, args)
        if op == "where" and not isinstance(args[0], Scalar):
            return args[1] if args[0] else args[2]
        if op == "where" and not _is_truth(args[0]):
            args = (self._plain("!=", (args[0], 0.0)), *args[1:])
        return self._plain(op, args)

    def negative(self, a: Any) -> Any:
        """-a."""
        if not isinstance(a, Scalar):
            return -a
        if a.op == "neg":
            return a.args[0]
        if a.op == "*" and not isinstance(a.args[0], Scalar):
            return self.of("*", -a.args[0], a.args[1])
        if a.op == "-":
            return self.of("-", a.args[1], a.args[0])
        return self._plain("neg", (a,))

    def drop(self, a: Scalar) -> float:
        """0, if a is finite."""
        self.dropped[a.number] = self.dropped_in.setdefault(self.line, {})[a.number] = a
        return 0.0


def _is_truth(a: Any) -> bool:
    return a.op in TRUTHS if isinstance(a, Scalar) else isinstance(a, bool)


def _constant(a: Any) -> Any:
    """A number of the program's own as Python has it."""
    if isinstance(a, np.ndarray | np.generic):
        a = a.item()
    if isinstance(a, bool):
        return a
    if not isinstance(a, int | float):
        raise NotScalar(f"a number is a {type(a).__name__}")
    return float(a)


def _computed(op: str, args: tuple[Any, ...]) -> Any:
    """An operation on constants."""
    rows: Any = {**{k: v[2] for k, v in BINARY.items()}, **{k: v[1] for k, v in (*FUNCTIONS.items(), *TRUTHS.items())}}
    try:
        value = rows[op](*args)
    except (ArithmeticError, ValueError) as error:
        raise NotScalar("a constant is not finite") from error
    return value if isinstance(value, bool) else float(value)


def _added(steps: Steps, a: Any, b: Any) -> Any:
    if a == 0.0 if isinstance(a, float) else b == 0.0 if isinstance(b, float) else False:
        return b if isinstance(a, float) else a
    if a is b:
        return steps.of("*", 2.0, a)
    if isinstance(a, float):
        a, b = b, a
    if isinstance(b, float) and b < 0:
        return steps.of("-", a, -b)
    if _is_negative(b):
        return steps.of("-", a, steps.negative(b))
    return steps.of("-", b, steps.negative(a)) if _is_negative(a) else None


def _is_negative(a: Any) -> bool:
    """Whether it is written with a minus, so that what is added can be subtracted: one sum has one form."""
    return isinstance(a, Scalar) and (a.op == "neg" or (a.op == "*" and isinstance(a.args[0], float) and a.args[0] < 0))


def _subtracted(steps: Steps, a: Any, b: Any) -> Any:
    if isinstance(b, float) and b == 0.0:
        return a
    if isinstance(a, float) and a == 0.0:
        return steps.negative(b)
    if a is b:
        return steps.drop(a)
    return steps.of("+", a, steps.negative(b)) if _is_negative(b) else None


def _multiplied(steps: Steps, a: Any, b: Any) -> Any:
    if isinstance(b, float):
        a, b = b, a
    if not isinstance(a, float):
        if a.op == "neg":
            return steps.negative(steps.of("*", a.args[0], b))
        return steps.negative(steps.of("*", a, b.args[0])) if b.op == "neg" else None
    if a == 0.0:
        return steps.drop(b)
    if abs(a) == 1.0:
        return b if a > 0 else steps.negative(b)
    if b.op == "neg":
        return steps.of("*", -a, b.args[0])
    if b.op == "*" and isinstance(b.args[0], float) and 0.5 in (abs(math.frexp(c)[0]) for c in (a, b.args[0])):
        return steps.of("*", a * b.args[0], b.args[1])  # exact: one of the two is a power of two
    return steps._plain("*", (a, b))


def _divided(steps: Steps, a: Any, b: Any) -> Any:
    if isinstance(b, float) and abs(math.frexp(b)[0]) == 0.5:
        return steps.of("*", 1.0 / b, a)
    return steps.negative(steps.of("/", a.args[0], b)) if isinstance(a, Scalar) and a.op == "neg" else None


def _power(steps: Steps, a: Any, b: Any) -> Any:
    if not isinstance(b, float):
        return None
    if b == 2.0:
        return steps.of("*", a, a)
    if b == -1.0:
        return steps.of("/", 1.0, a)
    return a if b == 1.0 else steps.of("sqrt", a) if b == 0.5 else None


_SHORT: dict[str, Callable[..., Any]] = {
    "+": _added, "-": _subtracted, "*": _multiplied, "/": _divided, "pow": _power,
}  # fmt: skip


# ------------------------------------------ A program's own lines, run on its numbers one by one instead of on arrays

# The idea to hold: the lines are not written a second time. They run, once, on arrays of `Scalar`, with this module's
# functions in the place of NumPy's; what they compute on the way is a list of steps on single numbers. A function that
# is not here ends it, and the program stays one of arrays.


RENAMED = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
           "arccosh": "acosh", "arctanh": "atanh", "power": "pow", "add": "+", "subtract": "-", "multiply": "*",
           "divide": "/", "remainder": "%", "floor_divide": "//", "absolute": "abs", "less": "<", "greater": ">",
           "less_equal": "<=", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "logical_and": "and",
           "logical_or": "or", "logical_not": "not"}  # fmt: skip
"""NumPy's names of operations on numbers, where they are not those of `FUNCTIONS`."""

SAME = frozenset({
    "reshape", "transpose", "broadcast_to", "einsum", "tensordot", "matmul", "concatenate", "stack", "take",
    "take_along_axis", "diagonal", "flip", "roll", "cumsum", "squeeze", "expand_dims", "moveaxis", "swapaxes", "outer",
    "dot", "pi", "newaxis", "arange", "intp", "triu_indices", "ndim", "shape", "empty_like",
})  # fmt: skip
"""What NumPy does with arrays of any objects as with arrays of numbers."""

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class _Compared(ast.NodeTransformer):
    """Comparisons as calls: NumPy makes truth values of them, which are not known."""

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in COMPARISONS:
            return node
        sign = ast.Constant(COMPARISONS[type(node.ops[0])])
        function = ast.Name("_compare", ast.Load())
        return ast.Call(function, [sign, node.left, node.comparators[0]], [])


class _Numpy:
    """NumPy's functions for arrays of numbers that are not known."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.add = np.add  # its reductions add in the order of the entries
        self.multiply = np.multiply
        self.linalg = _LinearAlgebra(self)

    def __getattr__(self, name: str) -> Any:
        if name in SAME:
            return getattr(np, name)
        op = RENAMED.get(name, name)
        if op not in FUNCTIONS and name not in RENAMED:
            raise NotScalar(f"np.{name} is not known number by number")
        return self.each(op)

    def each(self, op: str) -> Callable[..., Any]:
        """A function of numbers, for arrays."""

        def apply(*args: Any) -> Any:
            if not any(isinstance(a, np.ndarray) and a.shape for a in args):
                return self.steps.of(op, *[a[()] if isinstance(a, np.ndarray) else a for a in args])
            return np.frompyfunc(lambda *numbers: self.steps.of(op, *numbers), len(args), 1)(*args)

        apply.reduce = partial(self._reduced, op)  # type: ignore[attr-defined]
        return apply

    def zeros(self, shape: Any, order: str = "C") -> Any:
        return self.full(shape, 0.0)

    empty = zeros

    def ones(self, shape: Any) -> Any:
        return self.full(shape, 1.0)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        return np.full(shape, value, dtype=object)

    def full_like(self, array: Any, value: Any) -> Any:
        return self.full(np.shape(array), value)

    def eye(self, n: int) -> Any:
        return as_objects(np.eye(n))

    def square(self, x: Any) -> Any:
        return x * x

    def negative(self, x: Any) -> Any:
        return -x

    def reciprocal(self, x: Any) -> Any:
        return 1.0 / x

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        return self.each("minimum")(self.each("maximum")(x, low), high)

    def logaddexp(self, a: Any, b: Any) -> Any:
        """The larger one, and log(1 + exp(-|a - b|))."""
        top = self.each("maximum")(a, b)
        return top + self.each("log1p")(self.each("exp")(-abs(a - b)))

    def bincount(self, places: Any, values: Any, n: int) -> Any:
        total = self.zeros(n)
        for place, value in zip(places, values, strict=True):
            total[place] = total[place] + value
        return total

    def _reduced(self, op: str, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = np.asarray(x, object)
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for k in sorted([k % x.ndim for k in axes], reverse=True):
            step = np.frompyfunc(lambda a, b: self.steps.of(op, a, b), 2, 1)
            x = step.reduce(x, axis=k, keepdims=True)
        return x if keepdims else np.squeeze(x, tuple(k % x.ndim for k in axes))[()]

    def max(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("maximum", x, axis, keepdims)

    def min(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("minimum", x, axis, keepdims)

    def prod(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self._reduced("*", x, axis, keepdims)

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        return self.each(sign)(a, b)


class _LinearAlgebra:
    """NumPy's, for small matrices: by cofactors, which need no pivots, so that no value decides what is computed."""

    def __init__(self, numpy: _Numpy) -> None:
        self.numpy = numpy

    def __getattr__(self, name: str) -> Any:
        raise NotScalar(f"np.linalg.{name} is not known number by number")

    def det(self, A: Any) -> Any:
        found = self._over_matrices(lambda a: np.asarray(self._regular(a), object), A)[()]
        self._finite(1.0 / found)
        return found

    def _regular(self, A: Any) -> Any:
        """The determinant of a matrix; 0 where too many of its digits are its terms' rounding, or it is too small for a
        float: there the tape is asked, which says that the matrix is singular, or has numbers by pivots."""
        det, terms = _expanded(A), _expanded(np.abs(A), sign=1)
        more = [self.numpy.compare(">", abs(det), least) for least in (CANCELLED[len(A)] * terms, LEAST)]
        return self.numpy.each("where")(self.numpy.each("and")(*more), det, 0.0)

    def inv(self, A: Any) -> Any:
        return self._over_matrices(lambda a: _cofactors(a).T / self._regular(a), A)

    def solve(self, A: Any, b: Any) -> Any:
        return self.inv(A) @ b

    def slogdet(self, A: Any) -> Any:
        det = self.det(A)
        size = abs(det)
        return det / size, self.numpy.each("log")(size)

    def cholesky(self, A: Any) -> Any:
        return self._over_matrices(self._factor, A, COLUMNS)

    def _factor(self, A: Any) -> Any:
        L = self.numpy.zeros(A.shape)
        for j in range(len(A)):
            L[j, j] = self.numpy.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
            self._finite(1.0 / L[j, j])  # also of the last, which nothing is divided by: NumPy raises
            for i in range(j + 1, len(A)):
                L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        return L

    def _finite(self, numbers: Any) -> None:
        """Ask the tape where one of these numbers is not finite, whether anybody reads them or not."""
        for number in np.asarray(numbers, object).reshape(-1):
            if isinstance(number, Scalar):
                self.numpy.steps.drop(number)

    def _over_matrices(self, f: Callable[[Any], Any], A: Any, most: int = 3) -> Any:
        """What a function makes of each matrix of a stack."""
        A = np.asarray(A, object)
        if A.shape[-1] > most:
            raise NotScalar(f"matrices of more than {most} columns are not known number by number")
        found = [f(a) for a in A.reshape(-1, *A.shape[-2:])]
        return np.stack(found).reshape(A.shape[:-2] + found[0].shape)


CANCELLED = {1: 0.0, 2: 2.0**-48, 3: 2.0**-20}
"""By columns, the share of its terms that a determinant is, or its digits are their rounding: of two columns pivots
lose as many, of three the square root of those at worst."""
LEAST = 1e-290
COLUMNS = bound(6)
"""Columns up to which a Cholesky factor is made number by number: there are as many steps as their cube over six."""


def _cofactors(A: Any) -> Any:
    """Of each entry the determinant of what is left without its row and column, signed."""
    n = len(A)
    found = np.empty((n, n), object)
    for i in range(n):
        for j in range(n):
            minor = _expanded(np.delete(np.delete(A, i, 0), j, 1))
            found[i, j] = minor if (i + j) % 2 == 0 else -minor
    return found


def _expanded(A: Any, sign: int = -1) -> Any:
    """A determinant, expanded along its first row; with the sign 1 the sum of its terms without their signs."""
    if not len(A):
        return 1.0
    total: Any = 0.0
    for j in range(len(A)):
        term = A[0, j] * _expanded(np.delete(A[1:], j, 1), sign)
        total = total + term if j % 2 == 0 or sign > 0 else total - term
    return total


def _gram(A: Any, d: Any = None) -> Any:
    """A.T @ diag(d) @ A, in the order of the helper for small arrays; each pair of entries is computed once."""
    if d is None:
        return A.T @ A
    if np.ndim(d) == 0:
        return d * (A.T @ A)
    G = A.T @ (A * d[:, None])
    lower = np.tril_indices(len(G))
    G.T[lower] = G[lower]
    return G


def _pairs(A: Any, N: Any, H: Any) -> None:
    """Set H[i, j, k, l] to the sum over s of A[s, i] * A[s, k] * N[s, j, l]."""
    N = 0.5 * (N + N.transpose(0, 2, 1))
    for i, k in zip(*np.triu_indices(A.shape[1]), strict=True):
        block = np.tensordot(A[:, i] * A[:, k], N, ((0,), (0,)))
        H[i, :, k] = block if i < k else 0.5 * (block + block.T)
        H[k, :, i] = H[i, :, k].T


def _logsumexp(numpy: _Numpy) -> Callable[..., Any]:
    def apply(x: Any, axis: Any, keepdims: bool) -> Any:
        top = numpy.max(x, axis, True)
        out = numpy.each("log")(np.add.reduce(numpy.each("exp")(x - top), axis=axis, keepdims=True)) + top
        return out if keepdims else np.squeeze(out, axis)[()]

    return apply


def as_objects(value: Any) -> Any:
    """A constant array of floats as one of objects, in which numbers that are not known can stand."""
    value = np.asarray(value)
    return value.astype(object) if value.dtype.kind == "f" else value


def run(lines: list[str], steps: Steps, space: dict[str, Any], wanted: list[str]) -> list[Any]:
    """What names are after the lines have been run, as arrays of numbers and constants.

    Raises
    ------
    NotScalar : a line has something that is not known number by number
    """
    numpy = _Numpy(steps)
    text = "\n".join(lines)
    own = {"_gram": _gram, "_pairs": _pairs, "_logsumexp": _logsumexp(numpy)}
    helpers = [h for h in helpers_of(text) if h[4 : h.index("(")] not in own]
    names: dict[str, Any] = {
        "__builtins__": {"float": float, "len": len, "range": range, "slice": slice, "abs": builtins.abs},
        **space, "np": numpy, "_compare": numpy.compare, **own,
    }  # fmt: skip
    try:
        for steps.line, line in enumerate(["\n".join(helpers), *lines], -1):
            tree = ast.fix_missing_locations(_Compared().visit(parsed(line)))
            exec(compile(tree, "<symgrad derivative program, number by number>", "exec"), names)  # our own source
        return [_whole(names[name]) for name in wanted]
    except NotScalar:
        raise
    except Exception as error:  # a function takes no objects, a name is an operation of the table
        raise NotScalar(f"{type(error).__name__}: {error}") from error


_VIEW = re.compile(r"(\w+) = (\w+)(?:\.T)*(?:(?:\.(?:reshape|transpose)\(|\[).*[)\]])?(?:\.T)*")


def lines_behind(name: str, lines: list[str]) -> list[int]:
    """The numbers of the lines that a name rests on after all have been run; rather some more than too few.

    A line that is no assignment to a name writes into what it mentions, and so into what that is a view of.
    """
    arrays: dict[str, str] = {}  # by name, what it is a view of
    made = [line.partition(" = ")[0] for line in lines]
    for line in lines:
        view = _VIEW.fullmatch(line)
        if view is not None:
            arrays[view[1]] = arrays.get(view[2], view[2])
    known = {arrays.get(word, word) for word in made if word.isidentifier()}
    wanted, found = {arrays.get(name, name)}, []
    for k in range(len(lines) - 1, -1, -1):
        into, _, _ = lines[k].partition("= ")
        changed = {arrays.get(word, word) for word in WORD.findall(into or lines[k])}
        if changed & wanted:
            wanted |= {arrays.get(word, word) for word in WORD.findall(lines[k])} & known
            found.append(k)
    return found


def _whole(value: Any) -> Any:
    value = np.asarray(value, object)
    for entry in value.reshape(-1):
        if not isinstance(entry, Scalar | float | int):
            raise NotScalar(f"a result is a {type(entry).__name__}")
    return value

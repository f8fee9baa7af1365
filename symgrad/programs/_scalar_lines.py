"""A program's own lines, run on its numbers one by one instead of on arrays.

The idea to hold: the lines are not written a second time. They run, once, on arrays of `Scalar`, with this module's
functions in the place of NumPy's; what they compute on the way is a list of steps on single numbers. A function that is
not here ends it, and the program stays one of arrays.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._python_source import parsed
from ._helpers import helpers_of
from ._scalars import FUNCTIONS, NotScalar, Scalar, Steps
from ._variable_names import WORD

RENAMED = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
           "arccosh": "acosh", "arctanh": "atanh", "power": "pow", "add": "+", "subtract": "-", "multiply": "*",
           "divide": "/", "remainder": "%", "floor_divide": "//", "absolute": "abs", "less": "<", "greater": ">",
           "less_equal": "<=", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "logical_and": "and",
           "logical_or": "or", "logical_not": "not"}  # fmt: skip
"""NumPy's names of operations on numbers, where they are not those of `_scalars`."""

SAME = frozenset({
    "reshape", "transpose", "broadcast_to", "einsum", "tensordot", "matmul", "concatenate", "stack", "take",
    "take_along_axis", "diagonal", "flip", "roll", "cumsum", "squeeze", "expand_dims", "moveaxis", "swapaxes", "outer",
    "dot", "pi", "newaxis", "arange", "intp", "triu_indices", "ndim", "shape", "empty_like",
})  # fmt: skip
"""What NumPy does with arrays of any objects as with arrays of numbers."""

_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class _Compared(ast.NodeTransformer):
    """Comparisons as calls: NumPy makes truth values of them, which are not known."""

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in _SIGNS:
            return node
        sign = ast.Constant(_SIGNS[type(node.ops[0])])
        function = ast.Name("_compare", ast.Load())
        return ast.Call(function, [sign, node.left, node.comparators[0]], [])


class _Numpy:
    """NumPy's functions for arrays of numbers that are not known."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.add = np.add  # its reductions add in the order of the entries
        self.multiply = np.multiply

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


_VIEW = re.compile(r"(\w+) = (\w+)(?:\.T|\.(?:reshape|transpose)\(.*\)|\[.*\])*")


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

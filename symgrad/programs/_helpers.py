"""The small functions that programs call, as source: what several lines of NumPy do well and one does not.

The idea to hold: a helper stands in the text of every program that needs it, so that the text runs without symgrad.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from .. import _limits
from ..ops.entries import _bessel
from ..ops.entries import _scaled_bessel as _s
from ..ops.entries._incomplete import rounded, spread
from . import _words_at_places as at_places
from ._gram_texts import GRAM_OF_NUMPY, PAIRS_OF_NUMPY
from ._loop_chain import FUNCTIONS
from ._variable_names import WORD


def sources(prefix: str, known: dict[str, Any], *functions: Any, called: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Functions of symgrad as source, by names with a prefix, without annotations, each written when it is asked for;
    ``known`` are the figures that they read, ``called`` other functions that have such names."""
    names = {f.__name__: f"{prefix}{f.__name__.lstrip('_')}" for f in (*called, *functions)}
    return {names[f.__name__]: partial(_source, f, names, known) for f in functions}


def _source(function: Any, names: dict[str, str], known: dict[str, Any]) -> str:
    class Renamed(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            text = "scipy.special" if node.id == "special" else names.get(node.id, node.id)
            return ast.Constant(known[node.id]) if isinstance(known.get(node.id), int | float) else ast.Name(text)

        def visit_arg(self, node: ast.arg) -> ast.AST:
            return ast.arg(node.arg)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            node.name, node.returns = names[node.name], None
            return self.generic_visit(node)

    tree = ast.parse(inspect.getsource(function))
    return ast.unparse(ast.fix_missing_locations(Renamed().visit(tree)))


_SCALED = (_s._neighbours, _s._series, _s._kummer, _s._integral, _s._summed, _s.slope, _s.derivative)
_TEXTS = {
    **sources("_bessel_", {**vars(_s), "ROOT_PI": _bessel.ROOT_PI}, spread, rounded, _s.short, *_SCALED,
               _bessel.spherical_in),
    **sources("_", {}, *FUNCTIONS),
    "_softmax": '''def _softmax(x, axis):
    """exp(x) over its sum, along an axis."""
    e = np.exp(x - np.maximum.reduce(x, axis=axis, keepdims=True))
    e /= np.add.reduce(e, axis=axis, keepdims=True)
    return e''',
    "_logsumexp": '''def _logsumexp(x, axis, keepdims):
    """log(sum(exp(x))) along an axis."""
    top = np.maximum.reduce(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    out = np.log(np.add.reduce(np.exp(x - top), axis=axis, keepdims=True)) + top
    return out if keepdims else np.squeeze(out, axis)''',
    "_hazard_excess": '''def _hazard_excess(x):
    """x plus the normal density over the normal distribution function: far to the left a continued fraction."""
    near = x + (2 / np.pi) ** 0.5 / scipy.special.erfcx(-(0.5**0.5) * x)
    if not np.any(x < -6):
        return near
    far = np.where(x < -6, x, -6.0)
    tail = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return np.where(x < -6, tail, near)''',
    "_polygamma": '''def _polygamma(n, x):
    """The n-th derivative of digamma; the first, of positive numbers, by recurrence up to 10 and Stirling's series."""
    if n > 1 or not np.all(x > 0):
        return scipy.special.polygamma(n, x)
    total = 1 / (x * x)
    for k in range(1, 10):
        total = total + 1 / np.square(x + k)
    z = 1 / np.square(x + 10)
    tail = 7 / 6
    for b in (-691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6):
        tail = tail * z + b
    return total + (1 + tail * z) / (x + 10) + 0.5 * z''',
    "_kummer": '''def _kummer(a, b, x):
    """scipy.special.hyp1f1, which does not return for x of 1e300, where all but polynomials are infinite."""
    polynomial = np.less_equal(a, 0) & np.equal(np.mod(a, 1), 0)
    return scipy.special.hyp1f1(a, b, np.where(np.greater(x, 1e6) & ~polynomial, 1e6, x))''',
    "_gauss": '''def _gauss(a, b, c, x):
    """scipy.special.hyp2f1, which crashes on some parameters beyond 1e6: NaN there."""
    beyond = (np.abs(a) > 1e6) | (np.abs(b) > 1e6) | (np.abs(c) > 1e6) | np.isinf(x)
    kept = [np.where(beyond, 0.5, v) for v in (a, b, c, x)]
    return np.where(beyond, np.nan, scipy.special.hyp2f1(*kept))''',
    "_even": '''def _even(H, width=EVENED):
    """Replace H by half the sum of itself and its transpose, block by block."""
    n = len(H)
    for i in range(0, n, width):
        for j in range(0, i + 1, width):
            block = 0.5 * (H[i : i + width, j : j + width] + H[j : j + width, i : i + width].T)
            H[i : i + width, j : j + width] = block
            H[j : j + width, i : i + width] = block.T''',
    "_by_columns": '''def _by_columns(A, B):
    """A * B, each of the few columns at once: NumPy begins anew for every row."""
    C = np.empty(np.broadcast_shapes(A.shape, B.shape), np.result_type(A, B))
    for k in range(C.shape[-1]):
        np.multiply(A[..., min(k, A.shape[-1] - 1)], B[..., min(k, B.shape[-1] - 1)], out=C[..., k])
    return C''',
    "_mirrored": '''def _mirrored(T):
    """T + T.T, block by block: columns of T are not read one after the other."""
    n, w, H = len(T), 64, np.empty_like(T)
    for i in range(0, n, w):
        for j in range(0, i, w):
            block = T[i : i + w, j : j + w] + T[j : j + w, i : i + w].T
            H[i : i + w, j : j + w] = block
            H[j : j + w, i : i + w] = block.T
        block = T[i : i + w, i : i + w]
        H[i : i + w, i : i + w] = block + block.T
    return H''',
    "_gram": GRAM_OF_NUMPY,
    "_pairs": PAIRS_OF_NUMPY,
    **at_places.NUMPY,
}  # fmt: skip
"""By name; one that calls another comes after it. A word in capitals is a limit."""

_FIGURE = re.compile(r"\bEVENED\b")


class Helpers(Mapping[str, str]):
    """Texts by name, with the limits' values; those of functions are written when they are asked for, and call
    ``module`` what NumPy's source calls ``np``."""

    def __init__(self, texts: dict[str, Any], module: str = "np") -> None:
        self._texts, self._module = texts, module

    def __getitem__(self, name: str) -> str:
        text = self._texts[name]
        if not isinstance(text, str):
            text = self._texts[name] = re.sub(r"\bnp\.", f"{self._module}.", text())
        return _FIGURE.sub(lambda m: f"{getattr(_limits, m[0]):_}", text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


HELPERS = Helpers(_TEXTS)


def helpers_of(text: str) -> list[str]:
    """The helpers that a text calls, and those that they call."""
    found: list[str] = []
    words = set(WORD.findall(text))
    for name in reversed(list(HELPERS)):
        if name in words:
            found.insert(0, HELPERS[name])
            words.update(WORD.findall(found[0]))
    return found

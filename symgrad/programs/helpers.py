"""The text of programs: the names in it, and the small functions that it calls, as source."""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import itertools
import keyword
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import _limits
from .._trees import parsed
from ..ops.entries import bessel, flat_operands, in_operands_dtype
from ..ops.linalg.special_systems import CARRIED, carried
from ..ops.reduce import upright

# -------------------------------------------------------------------------------------------------------------------
# Names in a program's source: those that the user knows take the place of the internal ones, and meet none of them

# The idea to hold: programs are made and run under internal names (x0, c1, v7), which nobody else gives. Only the text
# that somebody reads or saves has the user's names, put in word by word; what stood in their way moves. Names are moved
# in the program's function and at the level of the module; a helper function has names of its own, which meet nobody's.


NUMBERED = re.compile(r"[cv]\d+$")
WORD = re.compile(r"\b[a-zA-Z_]\w*\b", re.ASCII)  # to Python's re, the ² of x² is part of a word otherwise
FIXED = frozenset([*keyword.kwlist, *dir(builtins), "scipy", "math", "numba", "Path", "__file__", "__name__"])
"""Words that cannot move: a user's name that is one of them gets an underscore."""


def renamed(source: str, names: dict[str, str], kept: str = "") -> str:
    """The source with ``names`` (internal name: wanted name) put in, and c…, v… numbered as they come.

    ``kept`` is a name that stays, whoever wants it.
    """
    every = _words(source)
    words = _without_local(source, every, kept)
    everywhere = {text for _, text in every}
    used = dict.fromkeys(text for _, text in words)
    final = _wanted(names, used)
    taken = set(final.values())
    numbers = {letter: itertools.count() for letter in "cv"}
    for name in used:
        if name in final or name == kept or name in FIXED:
            continue
        if NUMBERED.match(name):
            final[name] = next(n for k in numbers[name[0]] if (n := f"{name[0]}{k}") not in taken)
            taken.add(final[name])
    for name in used:
        if name not in final and name in taken and name != kept and name not in FIXED:
            final[name] = name + "_"
            while final[name] in taken or final[name] in everywhere:
                final[name] += "_"
            taken.add(final[name])
    return _replaced(source, words, final)


def mentions(text: str, name: str) -> bool:
    """Whether a source has a word."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def array_text(value: Any, written: str = "np.array({0}, dtype={1!r})") -> str:
    """An array written out, as a dialect does it."""
    numbers = re.sub(r"\b(inf|nan)\b", r"np.\1", repr(value.tolist()))
    return written.format(numbers, value.dtype.name)


def _wanted(names: dict[str, str], used: dict[str, None]) -> dict[str, str]:
    """Each internal name's, free of words that cannot move and of one another."""
    final: dict[str, str] = {}
    taken: set[str] = set()
    for name, wanted in names.items():
        while wanted in taken or keyword.iskeyword(wanted) or (wanted in FIXED and wanted in used):
            wanted += "_"
        taken.add(wanted)
        final[name] = wanted
    return final


def _words(source: str) -> list[tuple[tuple[int, int], str]]:
    """The names in a source and where they stand: no attributes, no keywords of calls."""
    found = []
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type != tokenize.COMMENT]
    for before, t, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        attached = after.string == "=" and after.start == t.end and before.string in ("(", ",")
        if t.type == tokenize.NAME and before.string != "." and not attached:
            found.append((t.start, t.string))
    if tokens and tokens[0].type == tokenize.NAME:
        found.insert(0, (tokens[0].start, tokens[0].string))
    return found


def _without_local(
    source: str, words: list[tuple[tuple[int, int], str]], kept: str
) -> list[tuple[tuple[int, int], str]]:
    """The words without the parameters and variables of helper functions (all but the one called ``kept``)."""
    local: dict[int, set[str]] = {}
    for helper in parsed(source).body:
        if not isinstance(helper, ast.FunctionDef) or helper.name == kept:
            continue
        own = {t.arg for t in ast.walk(helper) if isinstance(t, ast.arg)}
        own |= {t.id for t in ast.walk(helper) if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)}
        local.update(dict.fromkeys(range(helper.lineno, (helper.end_lineno or helper.lineno) + 1), own))
    return [(place, name) for place, name in words if name not in local.get(place[0], ())]


def _replaced(source: str, words: list[tuple[tuple[int, int], str]], final: dict[str, str]) -> str:
    lines = source.split("\n")
    for (row, column), name in reversed(words):
        if name in final:
            line = lines[row - 1]
            lines[row - 1] = line[:column] + final[name] + line[column + len(name) :]
    swap = {name: word for name, word in final.items() if re.fullmatch(r"[a-z]\d+", name) or name != word}
    for k, line in enumerate(lines):
        code, sign, comment = line.partition("  # ")
        if sign:
            lines[k] = code + sign + WORD.sub(lambda m: swap.get(m.group(0), m.group(0)), comment)
    return "\n".join(lines)


# -------------------------------------------------------------------------------------------------------------------
# The helpers that multiply matrices with themselves, for every dialect: Gram matrices and sums over pairs of rows

# The idea to hold: a Gram matrix is one text, in which a dialect fills in what it does better; a sum over pairs is
# another text where arrays can be written into: no more than a part of it is held beside the matrix.


_GRAM = '''def _gram(A, d=None):
    """A.T @ diag(d) @ A, symmetric to the last bit{also}."""
{before}    if d is None:
        return A.T @ A
    if {rank} == 0:
        return d * (A.T @ A)
{large}    G = A.T @ (A * d[:, None])
    return 0.5 * (G + G.T)'''

MIRRORED = '''def _mirrored(T):
    """T + T.T"""
    return T + T.T'''

_SUM = "sum over s of A[s, i] * A[s, k] * N[s, j, l]"


GRAM = _GRAM.format(also="", before="", rank="d.ndim", large="")
"""The Gram matrix in a library that writes nothing in place."""


def pairs(grams: str, transpose: str) -> str:
    """The sum over pairs there: ``grams`` are the Gram matrices for each column of N, stacked."""
    return f'''def _pairs(A, N):
    """The {_SUM} as H[i, j, k, l]; each pair of indices is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    j, l = np.triu_indices(h)
    N = 0.5 * (N[:, j, l] + N[:, l, j])
    both = np.empty((h, h), np.int64)
    both[j, l] = both[l, j] = np.arange(len(j))
    if s * n * n > {_limits.PAIRS:_}:
        G = {grams}
        return G[both].{transpose}((2, 0, 3, 1))
    i, k = np.triu_indices(n)
    place = np.empty((n, n), np.int64)
    place[i, k] = place[k, i] = np.arange(len(i))
    G = (A[:, i] * A[:, k]).T @ N
    return G[place][:, :, both].{transpose}((0, 2, 1, 3))'''


GRAM_OF_NUMPY = _GRAM.format(
    also=": a triangular product for either sign of d, if A is large", rank="np.ndim(d)",
    before="    A = A if A.flags.c_contiguous or A.flags.f_contiguous else np.ascontiguousarray(A)\n",
    large=f"""\
    if d.min() >= 0:
        B = A * np.sqrt(d)[:, None]
        return B.T @ B
    if A.size > {_limits.GRAM:_}:
        up = d > 0
        B, C = A[up] * np.sqrt(d[up])[:, None], A[~up] * np.sqrt(-d[~up])[:, None]
        return B.T @ B - C.T @ C
""",
)  # fmt: skip

PAIRS_OF_NUMPY = f'''def _pairs(A, N, H):
    """Set H[i, j, k, l] to the {_SUM}; each pair i, k is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    N = (0.5 * (N + N.transpose(0, 2, 1))).reshape(s, h * h)
    A = np.ascontiguousarray(A.T)
    i, k = np.triu_indices(n)
    most = max(n, min({_limits.PAIRS_ROWS}, {_limits.PAIRS_ENTRIES:_} // s))
    room = np.empty((min(most, len(i)), h * h), np.result_type(A, N))
    first = start = 0
    while first < n:
        end, count = first + 1, n - first
        while end < n and count + n - end <= most:
            end, count = end + 1, count + n - end
        rows = slice(start, start + count)
        G = np.matmul(A[i[rows]] * A[k[rows]], N, out=room[:count]).reshape(count, h, h)
        for a in range(first, end):
            B, G = G[: n - a], G[n - a :]
            B[0] = 0.5 * (B[0] + B[0].T)
            H[a, :, a:] = B.transpose(1, 0, 2)
            H[a:, :, a] = B.transpose(0, 2, 1)
        first, start = end, start + count'''


# -------------------------------------------------------------------------------------------------------------------
# How programs find places in arrays, read and add up there, and what else takes a helper, in each library's words

# The idea to hold: the call is the same in every dialect, the helper that it calls is written for each. Which place is
# named where entries tie, and where NaN goes, is as the tape has it: orders are stable, NaN is the largest of all.


_ALONG = dict.fromkeys(
    ["pick", *[f"{name}_dim" for name in (
        "max", "min", "median", "nanmedian", "mode", "kthvalue", "topk", "sort", "cummax", "cummin",
    )]],
    "_read_along({0}, {1}, {dim}, {keepdim})",
)  # fmt: skip

CALLS = {
    **_ALONG,
    "gather": "_read_along({0}, {1}, {dim}, True)",
    "index": "_read_rows({0}, {1}, {dim})",
    "index_select": "_read_rows({0}, {1}, {dim})",
    "take": "_read_rows(({0}).reshape(-1), {1}, 0)",
    "unpick": "_added_along({0}, {1}, {dim}, {keepdim}, {to})",
    "index_accumulate": "_added_rows({0}, {1}, {dim}, {size})",
    "add_flat": "_added_flat({0}, {1}, {size})",
    "scatter_add": "{0} + _added_along({1}, {2}, {dim}, True, {own_shape})",
    "index_add": "{0} + {alpha} * _added_rows({1}, {2}, {dim}, {own_shape})",
    "argsort": "_order({0}, {dim}, {descending}, 0, None)",
    "argkth": "_order({0}, {dim}, False, {k} - 1, {k})",
    "argtop": "_order({0}, {dim}, {largest}, 0, {k})",
    "argmedian": "_middle({0}, {dim}, {skip_nan})",
    "median": "_read_along(({0}).reshape(-1), _middle(({0}).reshape(-1), 0, False), 0, False)",
    "nanmedian": "_read_along(({0}).reshape(-1), _middle(({0}).reshape(-1), 0, True), 0, False)",
    "scatter_extreme": "_extreme_along({0}, {1}, {2}, {dim}, {largest}, {include_self})",
    "scatter_share": "_shares({0}, {1}, {2}, {dim}, {largest}, {whole})[0]",
    "scatter_share_src": "_shares({0}, {1}, {2}, {dim}, {largest}, {whole})[1]",
    "argcummax": "_latest({0}, {dim}, True)",
    "argcummin": "_latest({0}, {dim}, False)",
}
"""By row, the call."""

AT_PLACES = {
    "_whole": '''def _whole(places):
    """Places that were computed with, as whole numbers."""
    return np.asarray(places).astype(np.int64)''',
    "_read_along": '''def _read_along(x, places, dim, kept):
    """The entries of x at places along an axis."""
    y = np.take_along_axis(x, places, dim)
    return y if kept else y.squeeze(dim)''',
    "_read_rows": '''def _read_rows(x, places, dim):
    """The slices of x at places of an axis."""
    return np.take(x, places, dim)''',
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    x = np.zeros(shape, y.dtype)
    np.add.at(x, tuple(at), y if kept else np.expand_dims(y, dim))
    return x''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    x = np.zeros(shape, y.dtype)
    np.add.at(x, (slice(None),) * dim + (places,), y)
    return x''',
    "_added_flat": '''def _added_flat(y, places, shape):
    """Zeros with the entries of y added up at places of the flat array."""
    return _added_rows(y.reshape(-1), places.reshape(-1), 0, (math.prod(shape),)).reshape(shape)''',
    "_order": '''def _order(x, dim, descending, first, stop):
    """The places that sort x along an axis, of those the ones from first to stop; what ties keeps its order."""
    if descending:
        found = x.shape[dim] - 1 - np.flip(np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)
    else:
        found = np.argsort(x, axis=dim, kind="stable")
    return found[(slice(None),) * dim + (slice(first, stop),)]''',
    "_middle": '''def _middle(x, dim, skip):
    """The place of the lower median along an axis: of the first NaN where there is one, or without them (skip)."""
    n, missing = x.shape[dim], np.isnan(x).sum(dim, keepdims=True)
    k = np.maximum(n - missing - 1, 0) // 2 if skip else np.where(missing > 0, n - missing, (n - 1) // 2)
    return np.take_along_axis(_order(x, dim, False, 0, None), k, dim)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = (np.maximum if largest else np.minimum).accumulate(x, axis=dim)
    places = np.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    return np.maximum.accumulate(np.where((x == best) | np.isnan(x), places, 0), axis=dim)''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = np.array(x)
    if not own:
        z[tuple(at)] = y
    (np.maximum if largest else np.minimum).at(z, tuple(at), y)
    return z''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    at = list(np.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z) * 1.0, (y == z[tuple(at)]) * 1.0
    if not own:
        mine[tuple(at)] = 0.0
    ties = np.array(mine)
    np.add.at(ties, tuple(at), sent)
    share = 1 / np.maximum(ties, 1)
    return mine * share, sent * share[tuple(at)]''',
}  # fmt: skip


BY_STEPS = {
    "_bincount": '''def _bincount(places, values, n):
    """Values added up by place."""
    return np.bincount(places, values, n)''',
    "_carried": '''def _carried(b, A, reverse):
    """The solution y of y[t] = b[t] + A[t-1] y[t-1] (A[t] y[t+1] if reverse); A are the matrices between the steps."""
    order = range(len(b))[::-1] if reverse else range(len(b))
    found = [b[order[0]]]
    for t in order[1:]:
        found.append(b[t] + A[t if reverse else t - 1] @ found[-1])
    return np.stack(found[::-1] if reverse else found)''',
    "_scan": '''def _scan(step, first, rows):
    """What all steps give, one after the other."""
    state, values = first, []
    for row in rows:
        state, value = step(state, row)
        values.append(value)
    return np.stack(values)''',
}
"""Sums by place, and loops in a library that has none of its own: they are Python's."""


def in_words_of(module: str, texts: dict[str, str]) -> dict[str, str]:
    """Helpers of NumPy's in a library that has its functions under another name."""
    return {name: re.sub(r"\bnp\.", f"{module}.", text) for name, text in texts.items()}


# ----------------------- The chain rule along a loop: what its steps' derivatives are made to, on arrays of all steps

# The idea to hold: J are the Jacobians of all steps, (steps, results, what a step gets), S their second derivatives,
# weighed, (steps, what a step gets, twice). A step gets k numbers of the state, then what comes from outside (with the
# state n numbers, the variables that all steps share), then its slice, of which ``places`` say which variables these
# are, (steps, numbers of a slice). Linear recurrences carry the rest. The functions stand in the source of every saved
# loop.


def rows_added(A: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A itself, with values added to its rows, more than once where a place comes more than once."""
    np.add.at(A, places, values)
    return A


def tangents(J: np.ndarray, k: int, n: int, places: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """How what each step gets moves in directions of the variables, (variables, m)."""
    steps, m = len(J), directions.shape[1]
    given = np.concatenate([np.broadcast_to(directions[k:n], (steps, n - k, m)), directions[places]], 1)
    added = np.concatenate([directions[None, :k], J[:-1, :k, k:] @ given[:-1]])
    return np.concatenate([carried(added, J[:-1, :k, :k], False), given], 1)


def adjoints(J: np.ndarray, k: int, arrived: np.ndarray) -> np.ndarray:
    """What arrives at the state after each step, (steps, k, m), carried back from later steps."""
    return carried(arrived, np.swapaxes(J[1:, :k, :k], 1, 2), True)


def weights(J: np.ndarray, k: int, g: np.ndarray) -> np.ndarray:
    """The gradients in what each step gives, of those in all values, (steps, results, m)."""
    after = np.concatenate([np.swapaxes(J[1:, k:, :k], 1, 2) @ g[1:, k:], np.zeros_like(g[:1, :k])])
    return np.concatenate([adjoints(J, k, g[:, :k] + after), g[:, k:]], 1)


def variables(each: np.ndarray, k: int, n: int, places: np.ndarray, size: int) -> np.ndarray:
    """The gradients in the variables, so many, of those in what each step gets, (steps, what a step gets, m)."""
    rest = np.zeros((size - n, each.shape[2]), dtype=each.dtype)
    found = np.concatenate([each[0, :k], each[:, k:n].sum(0), rest])
    return rows_added(found, places, each[:, n:]) if each.shape[1] > n else found


def vjp(J: np.ndarray, k: int, n: int, places: np.ndarray, size: int, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradient in the variables of all values times g, and the weights of what each step gives."""
    weighed = weights(J, k, g[:, :, None])
    return variables(np.swapaxes(J, 1, 2) @ weighed, k, n, places, size)[:, 0], weighed[:, :, 0]


def curvature(S: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """The second derivatives along directions, in which what each step gets is ``moved``."""
    m = moved.shape[2]
    return moved.reshape(-1, m).T @ (S @ moved).reshape(-1, m)


OF_ARRAYS = tangents, adjoints, weights, variables, vjp, curvature
"""Those that are the same in every library's words, each after those that it calls."""

FUNCTIONS = (*CARRIED, rows_added, *OF_ARRAYS)


# -------------------------------------------------------------------------------------------------------------------
# The small functions that programs call, as source: what several lines of NumPy do well and one does not

# The idea to hold: a helper stands in the text of every program that needs it, so that the text runs without symgrad.


def source_texts(prefix: str, known: dict[str, Any], *functions: Any, called: tuple[Any, ...] = ()) -> dict[str, Any]:
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


_BESSEL = [
    getattr(bessel, name)
    for name in [
        "short",
        "_neighbours",
        "_series",
        "_kummer",
        "_integral",
        "_summed",
        "slope",
        "derivative",
        "spherical_in",
    ]
]
_TEXTS = {
    **source_texts("_bessel_", {**vars(bessel), "ROOT_PI": bessel.ROOT_PI}, flat_operands, in_operands_dtype, *_BESSEL),
    **source_texts("_", {"BANDED": _limits.BANDED}, *FUNCTIONS),
    **source_texts("_", {n: getattr(_limits, n) for n in ("SHORT_ROW", "SHORT_ROWS")}, upright),
    "_softmax": '''def _softmax(x, axis):
    """exp(x) over its sum, along an axis."""
    y = _upright(x, axis)
    e = np.exp(y - np.maximum.reduce(y, axis=axis, keepdims=True))
    e /= np.add.reduce(e, axis=axis, keepdims=True)
    return e if y is x else np.ascontiguousarray(e)''',
    "_logsumexp": '''def _logsumexp(x, axis, keepdims):
    """log(sum(exp(x))) along an axis."""
    x = _upright(x, axis)
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
    **AT_PLACES,
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


def helpers_of(text: str, helpers: Mapping[str, str] = HELPERS) -> list[str]:
    """The helpers that a text calls, and those that they call."""
    names, todo = set[str](), [text]
    while todo:
        new = helpers.keys() & set(WORD.findall(todo.pop())) - names
        names |= new
        todo += [helpers[name] for name in new]
    return [helpers[name] for name in helpers if name in names]

"""``H.plot()``: a map of the Hessian's entries and its eigenvalues; and what plots share."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import DTypeError, MissingDependencyError, ShapeError
from .._limits import bound
from ..core import Symbol, Tensor, unwrap
from ..transforms.calls import entry_names, require_memory
from ..transforms.hessian_operator import HessianOperator
from ..transforms.matrix import HessianMatrix, spelled
from ..transforms.report import Report, dense_or_sparse, is_sparse, report, short
from .pages import in_blocks

# --------------- What plots share: matplotlib, loaded when something is drawn, and names of functions as its MathText

# The idea to hold: a formula stands in a legend where MathText can set it and it is short; else the name stands alone.


ABOVE, BELOW, NEITHER = "#b2182b", "#2166ac", "#8c8c8c"  # the sign of a number, as in maps of matrices
MAP = "RdBu_r"
_BARS = re.compile(r" ?\\[lr][vV]ert\b *")  # which MathText does not know
_CALLED = re.compile(r"(?<=[\w})|]) (?=\\(?:exp|log|sinh?|cosh?|tanh?|max|min|operatorname)\b)")  # it leaves no room


def pyplot() -> Any:
    """matplotlib.pyplot; an error that says how to install it where it is missing."""
    try:
        from matplotlib import pyplot as found
    except ImportError as error:
        raise MissingDependencyError(
            "a plot is drawn by matplotlib, which is not installed", "",
            'Run: pip install "symgrad[plot]"   (or: pip install matplotlib)',
        ) from error  # fmt: skip
    return found


def named(name: str) -> str:
    """A name as MathText: of one letter in italics, else upright."""
    if len(name) == 1 and name.isalnum():
        return name
    text = re.sub(r"([_$%{}])", r"\\\1", re.sub(r'[\\^~#"]', " ", name))  # the latter it cannot set
    return rf"\mathrm{{{text}}}"


def derivative_title(name: str, variable: str, order: int) -> str:
    """``f''(x)`` as MathText, without dollars."""
    mark = "'" * order if order < 4 else rf"^{{({order})}}"
    return f"{named(name)}{mark}({named(variable)})"


def as_label(title: str, formula: str | None) -> str:
    """The title, with its formula where that is short and can be set."""
    if formula is not None and len(formula) <= _limits.PLOT_LABEL:
        formula = _BARS.sub(lambda found: r"\Vert " if "V" in found[0] else "|", formula)
        formula = _CALLED.sub(r"\\, ", formula)
        if is_set(f"${formula}$"):
            return f"${title} = {formula}$"
    return f"${title}$"


def is_set(text: str) -> bool:
    """Whether MathText knows all signs of it."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True


# ---------------------------------------- ``H.plot()``: a map of the Hessian's entries, and beside it its eigenvalues

# The idea to hold: what is drawn is what `H.report` says. Entries and eigenvalues are coloured by sign, red above 0 and
# blue below, on a scale that is the same to both sides; where they are of many orders of magnitude the scale is
# logarithmic away from 0.


class MatrixAxes(NamedTuple):
    """What a matrix was drawn into: the axes of its map, and those of its spectrum; ``map.figure`` is the figure."""

    map: Any
    spectrum: Any


class _Named(NamedTuple):
    """A matrix with the names of its rows, and the names of its parameters with their first rows."""

    matrix: Any
    labels: list[str]
    parts: list[tuple[str, int]]
    word: str


def is_matrix(found: Any) -> bool:
    """Whether it is drawn as a matrix."""
    if isinstance(found, HessianMatrix | HessianOperator | np.ndarray):
        return True
    if isinstance(found, Tensor):
        return not isinstance(found, Symbol) and found._data.ndim > 1
    return hasattr(found, "shape") and (hasattr(found, "todense") or is_sparse(found))


PLOT_ROWS = bound(500)
"""Rows up to which the map of a matrix has a square for each entry; beyond, for blocks."""
PLOT_CELLS = bound(200)
"""Blocks along a side of such a map."""


def draw_matrix(found: Any, ax: Any = None) -> MatrixAxes:
    """Draw the map and the spectrum of a Hessian: what `symgrad.hessian` and its like return."""
    whole = _named(found)
    matrix = dense_or_sparse(whole.matrix)
    about = report(matrix, whole.labels)
    if about.kind != "not finite" and about.symmetry_error > 1e-4:
        raise ShapeError(
            "sg.plot draws matrices of second derivatives, which are symmetric; this one is not",
            f"Entries that should be equal differ by {about.symmetry_error:.2g} of the largest entry.",
            "Draw (A + A.T) / 2, or a Jacobian by plt.imshow(J).",
        )  # fmt: skip
    n = matrix.shape[0]
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(1, 2, figsize=(10.5, 4.6), layout="constrained", width_ratios=(1.15, 1))
    try:
        left, right = ax
    except (TypeError, ValueError):
        raise ShapeError(
            "a matrix is drawn into two axes", f"ax is {type(ax).__name__}.", "Pass plt.subplots(1, 2)[1], or no ax."
        ) from None
    blocks, each = in_blocks(matrix, PLOT_CELLS if n > PLOT_ROWS else n)
    _map(left, blocks, each, whole, n)
    _spectrum(right, about, n)
    return MatrixAxes(left, right)


def _named(found: Any) -> _Named:
    if isinstance(found, HessianMatrix):
        _require_room(found.matrix, found.shape[0], found.dtype)
        parts = list(zip(map(spelled, found.names), found._starts, strict=False))
        matrix = unwrap(found.matrix)
        whole = _Named(matrix, list(found.labels), parts if len(parts) > 1 else [], found._word)
    elif isinstance(found, HessianOperator):
        if found.shape[0] > PLOT_ROWS:
            raise ShapeError(
                f"a Hessian operator of {found.shape[0]:,} rows is not drawn: it has no entries before it is formed",
                f"Forming it takes {found.shape[0]:,} sweeps; up to {PLOT_ROWS} are done for a plot.",
                'Plot the sparse Hessian, sg.plot(sg.hessian(f, format="csr")(x)), or what H.to_dense() returns.',
            )  # fmt: skip
        whole = _Named(found.to_dense(), list(found.labels), [], "Hessian")
    else:
        matrix = unwrap(found)
        shape = tuple(matrix.shape)
        half = len(shape) // 2
        if len(shape) % 2 or not half or shape[:half] != shape[half:]:
            raise ShapeError(
                f"sg.plot draws square matrices, got an array of shape {shape}", "",
                "Pass what sg.hessian(f)(x) returns; a curve is drawn by sg.plot(f, low, high).",
            )  # fmt: skip
        n = int(np.prod(shape[:half]))
        _require_room(matrix, n, matrix.dtype)
        whole = _Named(matrix.reshape(n, n) if half > 1 else matrix, entry_names("x", shape[:half]), [], "Hessian")
    kind = np.dtype(getattr(whole.matrix, "dtype", float)).kind
    if kind not in "fiub":
        raise DTypeError(
            f"a matrix of {np.dtype(whole.matrix.dtype)} is not drawn: colours show the sign of real numbers", "",
            "Plot H.real or H.imag.",
        )  # fmt: skip
    if not whole.labels:
        raise ShapeError(f"there is nothing to draw: the {whole.word} has no rows", "There are no parameters.", "")
    return whole


def _require_room(matrix: Any, n: int, dtype: Any) -> None:
    """Raise where what is neither an array nor sparse would have to be formed and does not fit into memory."""
    if n < _limits.SPARSE_ROWS or isinstance(matrix, np.ndarray | Tensor) or is_sparse(matrix):
        return
    if not getattr(matrix, "_is_sparse", lambda: False)():
        require_memory(n, dtype)


def _map(ax: Any, blocks: np.ndarray, each: int, whole: _Named, n: int) -> None:
    from matplotlib.colors import Normalize, SymLogNorm

    size = np.abs(blocks[np.isfinite(blocks) & (blocks != 0)])
    top = float(size.max(initial=0)) or 1.0
    many = len(size) > 1 and top > _limits.REPORT_RANGE * float(np.median(size))
    least = max(float(size.min()), top * 1e-8) if many else top
    norm = SymLogNorm(least, vmin=-top, vmax=top) if many else Normalize(-top, top)
    count = len(blocks)
    shown = np.ma.masked_where(~np.isfinite(blocks), blocks)
    image = ax.imshow(shown, cmap=MAP, norm=norm, interpolation="nearest", extent=(0, count * each, count * each, 0))
    bad = np.argwhere(~np.isfinite(blocks))
    if len(bad):
        ax.plot((bad[:, 1] + 0.5) * each, (bad[:, 0] + 0.5) * each, "x", color="black", markersize=5,
                label="not finite")  # fmt: skip
        ax.legend(loc="upper right", framealpha=0.9, fontsize=8)
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    _ticks(ax, whole, n)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03)
    if many:
        bar.set_ticks(_powers(least, -top, top))
        bar.ax.minorticks_off()
    title = f"{whole.word}, {n:,} × {n:,}"
    ax.set_title(title + (f"\neach square the largest of {each} × {each} entries" if each > 1 else ""), fontsize=11)


PLOT_NAMES = bound(24)
"""Rows, or parameters, up to which they have their names beside the map."""
PLOT_FEW = bound(12)
"""Names beside the map that are large, and eigenvalues that have their number."""
PLOT_WIDTH = bound(32)
"""Signs of all names together up to which they stand upright below the map."""
PLOT_NAME = bound(18)
"""Signs of such a name."""


def _ticks(ax: Any, whole: _Named, n: int) -> None:
    """Names of rows where they are few, of parameters where these are; lines between parameters."""
    starts = [start for _, start in whole.parts]
    shown = 0 < len(starts) <= PLOT_NAMES
    for start in starts[1:] if shown else []:
        ax.axhline(start, color="black", linewidth=0.9)
        ax.axvline(start, color="black", linewidth=0.9)
    if n <= PLOT_NAMES:
        places, names = np.arange(n) + 0.5, whole.labels
    elif shown:
        ends = [*starts[1:], n]
        wide = [(name, a, b) for (name, a), b in zip(whole.parts, ends, strict=True) if b - a > 0.03 * n]
        places, names = np.array([(a + b) / 2 for _, a, b in wide]), [name for name, _, _ in wide]
    else:
        return
    names = [name if len(name) <= PLOT_NAME else name[: PLOT_NAME - 1] + "…" for name in names]
    small = 9 if len(names) <= PLOT_FEW else 7
    ax.set_yticks(places, names, fontsize=small)
    steep = max(map(len, names), default=0) * len(names) > PLOT_WIDTH
    ax.set_xticks(places, names, fontsize=small, rotation=90 if steep else 0)
    ax.tick_params(length=0)


def _spectrum(ax: Any, about: Report, n: int) -> None:
    values = np.sort(about.eigenvalues)
    if not len(values):
        ax.text(0.5, 0.5, "no eigenvalues:\nentries are not finite", ha="center", va="center", transform=ax.transAxes)
        ax.set_axis_off()
        return
    zero = np.abs(values) <= about.tolerance
    colours = np.where(zero, NEITHER, np.where(values > 0, ABOVE, BELOW))
    places = np.arange(1, len(values) + 1)
    ax.vlines(places, 0, values, colors=colours, linewidth=max(0.8, min(6.0, 120 / len(values))))
    ax.scatter(places, values, c=colours, s=max(6, min(24, 1400 / len(values))), zorder=3)
    size = np.abs(values[~zero])
    if len(size) and size.max() > _limits.REPORT_RANGE * size.min():
        _logarithmic(ax, float(size.min()), values)
    ax.axhline(0, color="0.3", linewidth=0.9)
    for sign, colour, word in ((values > 0, ABOVE, "positive"), (values < 0, BELOW, "negative")):
        count = int((sign & ~zero).sum())
        if count:
            ax.plot([], [], "o", color=colour, label=f"{count} {word}")
    if zero.any():
        ax.plot([], [], "o", color=NEITHER, label=f"{int(zero.sum())} within rounding of 0")
    ax.legend(loc="best", framealpha=0.9, fontsize=9)
    said = "" if np.isnan(about.condition) else f", condition {short(about.condition)}"
    ax.set_title(f"{about.kind}{said}", fontsize=11)
    ax.set_ylabel("eigenvalue")
    if about.complete:
        ax.set_xlabel("in ascending order")
        if len(values) <= PLOT_FEW:
            ax.set_xticks(places)
    else:
        ax.set_xlabel(f"{len(values)} of {n:,}, from both ends and nearest to 0")
        ax.set_xticks([])
    ax.margins(x=0.5 / len(values) + 0.02)
    ax.grid(True, axis="y", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def _logarithmic(ax: Any, least: float, values: np.ndarray) -> None:
    """A scale by orders of magnitude to both sides of 0."""
    ax.set_yscale("symlog", linthresh=least)
    ax.set_yticks(_powers(least, float(values[0]), float(values[-1])))
    ax.minorticks_off()


PLOT_TICKS = bound(10)
"""Ticks of a logarithmic scale of eigenvalues."""


def _powers(least: float, low: float, high: float) -> list[float]:
    """Powers of ten to both sides of 0, of which none is so small that its text meets that of 0."""
    first = int(np.floor(np.log10(least)))
    tops = [int(np.floor(np.log10(top))) - first if top > least else 0 for top in (high, -low)]
    step = max(1, -(-sum(tops) // PLOT_TICKS))
    parts = [[sign * 10.0 ** (first + k) for k in range(step, top + 1, step)] for sign, top in zip((1, -1), tops)]
    return sorted([0.0, *parts[0], *parts[1]])

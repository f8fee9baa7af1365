"""A matrix and its eigenvalues as SVG: a map of its entries, and a bar for each eigenvalue.

The idea to hold: colours say the sign and how strong they are says the size, as a square root, so that entries of a
hundredth of the largest are seen. A matrix of many rows is drawn in blocks, by the largest entry of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _limits
from ._graph_svg import escaped

_SIDE = 300.0


def matrix_map(matrix: np.ndarray, labels: Sequence[str]) -> str:
    """The entries of a square matrix: red above 0, blue below."""
    n = len(matrix)
    blocks, each = in_blocks(matrix, _limits.REPORT_CELLS)
    count = len(blocks)
    top = float(np.abs(blocks[np.isfinite(blocks)]).max(initial=0)) or 1.0
    room, told = _SIDE / count, n <= _limits.REPORT_TOLD
    cells = []
    for (i, j), value in np.ndenumerate(blocks):
        if not np.isfinite(value) or not value:
            continue
        title = f"<title>{escaped(f'{labels[i]}, {labels[j]}: {value:.4g}')}</title>" if told else ""
        cells.append(
            f'<rect class="{"p" if value > 0 else "n"}" x="{j * room:.2f}" y="{i * room:.2f}" width="{room:.2f}" '
            f'height="{room:.2f}" fill-opacity="{np.sqrt(abs(value) / top):.2f}">{title}</rect>'
        )
    size = f"{n} × {n}" + (f", each square the largest of {each} × {each} entries" if each > 1 else "")
    return (
        f'<svg width="{_SIDE + 2:.0f}" height="{_SIDE + 36:.0f}" viewBox="-1 -1 {_SIDE + 2:.0f} {_SIDE + 36:.0f}" '
        f'role="img" aria-label="map of the matrix, {escaped(size)}">{"".join(cells)}'
        f'<rect class="axis" x="0" y="0" width="{_SIDE:.0f}" height="{_SIDE:.0f}"/>'
        f'<text x="0" y="{_SIDE + 16:.0f}">{escaped(size)}</text>'
        f'<text x="0" y="{_SIDE + 31:.0f}">red above 0, blue below, up to {top:.3g}</text></svg>'
    )


def in_blocks(matrix: Any, most: int) -> tuple[np.ndarray, int]:
    """The matrix, or where it has more rows than ``most`` by blocks its entries of the largest size; and how many rows
    a block has. What is not finite is larger than any number. The matrix may be one of SciPy's sparse ones."""
    n = matrix.shape[0]
    each = max(-(-n // most), 1)
    count = -(-n // each)
    if isinstance(matrix, np.ndarray):
        if each == 1:
            return matrix, 1
        (rows, columns), values = np.indices(matrix.shape), matrix
    else:
        stored = matrix.tocoo()
        stored.sum_duplicates()
        rows, columns, values = stored.row, stored.col, stored.data
    order = np.argsort(np.where(np.isfinite(values), np.abs(values), np.inf), axis=None, kind="stable")
    where = (rows.reshape(-1) // each * count + columns.reshape(-1) // each)[order]
    blocks = np.zeros(count * count)
    blocks[where] = values.reshape(-1)[order]  # of several for one block the last stays, which is the largest
    return blocks.reshape(count, count), each


def spectrum(values: np.ndarray, tolerance: float) -> str:
    """A bar for each eigenvalue; by orders of magnitude where they are of many."""
    values = np.sort(np.where(np.abs(values) <= tolerance, 0.0, values))
    size = np.abs(values[values != 0])
    orders = len(size) > 1 and size.max() > _limits.REPORT_RANGE * size.min()
    heights = np.sign(values) * np.log1p(np.abs(values) / size.min()) if orders else values
    high, low = max(heights.max(initial=0), 0.0), min(heights.min(initial=0), 0.0)
    scale = 260.0 / ((high - low) or 1.0)
    zero, step = 20 + high * scale, _SIDE / max(len(values), 1)
    bars = []
    for k, (value, height) in enumerate(zip(values, heights, strict=True)):
        length = max(abs(height) * scale, 1.5)
        y = zero - length if height > 0 else zero
        title = f"<title>{value:.6g}</title>" if len(values) <= _limits.REPORT_CELLS else ""
        bars.append(
            f'<rect class="{"p" if value > 0 else "n"}" x="{k * step + 0.1 * step:.2f}" y="{y:.2f}" '
            f'width="{0.8 * step:.2f}" height="{length:.2f}">{title}</rect>'
        )
    scaled = "logarithmic" if orders else "linear"
    return (
        f'<svg width="{_SIDE + 2:.0f}" height="{_SIDE + 36:.0f}" viewBox="-1 -1 {_SIDE + 2:.0f} {_SIDE + 36:.0f}" '
        f'role="img" aria-label="eigenvalues from {values[0]:.4g} to {values[-1]:.4g}">{"".join(bars)}'
        f'<path class="axis" d="M0 {zero:.1f}H{_SIDE:.0f}"/><text x="0" y="12">eigenvalues, {scaled}</text>'
        f'<text x="0" y="{_SIDE + 31:.0f}">{values[0]:.4g}</text>'
        f'<text x="{_SIDE:.0f}" y="{_SIDE + 31:.0f}" text-anchor="end">{values[-1]:.4g}</text></svg>'
    )


__all__ = ["in_blocks", "matrix_map", "spectrum"]

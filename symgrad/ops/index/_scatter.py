"""Putting along one dimension by tensors of indices: gather's counterparts, scatter and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ...core import general
from .._dims import data, index_operand, sizes
from .._public import public
from ._along import (
    added,
    along_of,
    check_along,
    clear_along,
    gather_row,
    of_numbers_too,
    prepared,
    sample_scatter,
    stays_along,
)
from ._places import of_those_that_stay, replaced
from ._scatter_reduce import scatter_reduce


@public()
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Return, at each place, the element of ``input`` that ``index`` names along ``dim``.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> sg.gather(x, 1, sg.tensor([[1], [0]]))
    tensor([[2.],
            [3.]], grad_fn=<GatherBackward0>)
    """
    places = index_operand(index, "gather()")
    dim = check_along(input, dim, places, "input")
    shape = sizes(input)
    if not shape:
        input, shape = input.reshape((1,)), (1,)
    for d, n in enumerate(sizes(places)):
        if d != dim and n > shape[d]:
            raise ShapeError(
                f"Size does not match at dimension {d} expected index {list(sizes(places))} to be no larger than self "
                f"{list(shape)} "
                f"apart from dimension {dim}",
                "",
                "Shorten the index.",
            )
    return gather_row(input, places, dim)


_TWO: dict[str, Any] = {"domain": ("real", "real", "places"), "means": "axis", "sample": sample_scatter}

scatter_row = general(
    "scatter",
    lambda x, src, index, dim: replaced(x, src, along_of(x, index, dim)),
    lambda g, index, dim: clear_along(g, index, dim),
    lambda g, shape_x, index, dim: of_those_that_stay(gather_row(g, index, dim), stays_along(index, dim, shape_x)),
    0,
    text="scatter({0}, {3}, {2}, {1})",
    doc="x, with src put along dim at the places of index",
    **_TWO,
)
scatter_value_row = general(
    "scatter_value",
    lambda x, index, dim, value: replaced(x, value, along_of(x, index, dim)),
    lambda g, index, dim: clear_along(g, index, dim),
    0,
    domain=("real", "places"),
    means="axis option",
    sample=lambda rng: ([rng.normal(size=(3, 4)), np.array([[0], [3]])], (1, 2.0)),
    label="scatter",
    text="scatter({0}, {2}, {1}, {3})",
    doc="x, with a number at the places of index",
)
scatter_add_row = general(
    "scatter_add",
    lambda x, src, index, dim: added(x, src, along_of(x, index, dim)),
    lambda g: g,
    lambda g, index, dim: gather_row(g, index, dim),
    0,
    text="scatter_add({0}, {3}, {2}, {1})",
    doc="x, with src added along dim at the places of index",
    **_TWO,
)


@public(inplace=True)
@of_numbers_too
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """Return ``input`` with ``src`` (a tensor or a number) put along ``dim`` at the places of ``index``.

    ``reduce`` 'add' or 'multiply' combines instead. Where a place repeats, the last of its values stays, and it
    alone gets a gradient (with 'add' all count).
    """
    src = value if src is None else src
    if reduce == "add" or reduce == "multiply":
        return _scatter_combined(input, dim, index, src, reduce)
    if reduce is not None:
        raise ValueError(f"reduce argument must be either add or multiply, got {reduce!r}")
    if isinstance(src, (int, float, complex, np.generic)):
        places = index_operand(index, "scatter()")
        dim = check_along(input, dim, places, "self")
        return scatter_value_row(input, places, dim, src)
    dim, places, src = prepared(input, dim, index, src, "scatter()")
    return input.clone() if 0 in sizes(places) else scatter_row(input, src, places, dim)


def _scatter_combined(x: Any, dim: int, index: Any, src: Any, reduce: str) -> Any:
    if isinstance(src, (int, float, complex)):
        src = np.full(np.shape(data(index)), src, x.dtype)
    return scatter_add(x, dim, index, src) if reduce == "add" else scatter_reduce(x, dim, index, src, "prod")


@public(inplace=True)
@of_numbers_too
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Return ``input`` with ``src`` added along ``dim`` at the places of ``index``; places may repeat.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.zeros(3).scatter_add(0, sg.tensor([0, 2, 0]), sg.tensor([1.0, 10.0, 100.0]))
    tensor([101.,   0.,  10.])
    """
    if not hasattr(src, "shape"):
        raise DTypeError(
            f"scatter_add(): argument 'src' (position 4) must be Tensor, not {type(src).__name__}", "", "Wrap it."
        )
    dim, places, src = prepared(input, dim, index, src, "scatter_add()")
    return input.clone() if 0 in sizes(places) else scatter_add_row(input, src, places, dim)

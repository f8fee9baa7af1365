"""A matrix of second derivatives with the names of the arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arguments import Arguments
from ._tables import labels_of
from ._tree import Spec, flatten, tree_paths


def labelled(call: Arguments, spec: Spec, shapes: list[tuple[int, ...]], matrix: Any) -> Any:
    """The matrix with the names of the arguments."""
    from ._matrix import HessianMatrix, spelled

    if call.several:
        found = HessianMatrix(matrix, spec, shapes, names_of(call.names, call.chosen()), True)
    else:
        (name,) = call.names
        (value,) = call.chosen()
        (spec,) = spec.parts
        names = [(name,)] if spec.kind is None else _paths(value)
        found = HessianMatrix(matrix, spec, shapes, names, False)
    tables = call.tables()
    if any(t is not None for t in tables):
        alone = len(tables) == 1 and not call.several
        words = [labels_of(t, "" if alone else spelled(n)) for t, n in zip(tables, found.names, strict=True)]
        ends = np.cumsum([int(np.prod(s)) for s in shapes]).tolist()
        own = zip(words, [0, *ends], ends, strict=False)
        found.labels = [label for mine, a, b in own for label in mine or found.labels[a:b]]
    return found


def names_of(names: tuple[str, ...], values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The names of arguments, each with the ways to the arrays in it."""
    return [(name, *path) for name, value in zip(names, values, strict=True) for path in _paths(value)]


def _paths(value: Any) -> list[tuple[Any, ...]]:
    """The ways to the arrays of a container: None is no array."""
    return [path for path, leaf in zip(tree_paths(value), flatten(value)[0], strict=True) if leaf is not None]


__all__ = ["labelled", "names_of"]

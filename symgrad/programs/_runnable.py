"""What runs of a derivative program: its functions, and what they take from a recorded graph.

The idea to hold: to run a program nobody needs to know how it was made. So one that was made in another process
(`_kept_programs.py`) runs as one that was made here (`_program.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Freed, anything_written_since, saved_values
from ._recipe import Recipe


class Runnable:
    """A program that can be run.

    Attributes
    ----------
    outputs, format : what it computes; see `Program`
    baked : scalars that are part of the program, by number in the survey
    fixed : arrays that are part of the structure
    chosen : numbers of scalars that need not be finite
    guards : names that are infinite, or no numbers, where the tape has an edge that the term has no more
    zero : why there are no second derivatives, if there are none
    dtype, total : of its results, and the number of its variables' entries
    module, whole : the function that runs beside a tape, and the one that takes nothing from it
    checked, refused : whether it has been compared with the tape, and what came out if they disagreed
    """

    guards: list[str]
    zero: str
    dtype: Any
    total: int
    module: Any
    whole: Any

    def __init__(
        self, outputs: str, format: str, baked: dict[int, Any], fixed: list[np.ndarray], chosen: set[int]
    ) -> None:
        self.outputs, self.format, self.sparse = outputs, format, format == "csr"
        self.of_matrix = bool(set(outputs) & set("hj"))
        self.baked, self.fixed, self.chosen = baked, fixed, chosen
        self.checked, self.refused = False, ""
        self.recipe: Recipe | None = None

    def run(self, values: list[Any], module: Any = None, finite: bool = True) -> Any:
        """What it computes (a tuple of outputs) from its arguments; None where a number on the way is not finite."""
        module = module or self.whole
        with np.errstate(all="ignore"):
            results, pieces = module.function(*values)
            for piece in pieces if finite else ():
                total = np.add.reduce(piece, axis=None) if getattr(piece, "ndim", 0) else piece
                if not math.isfinite(total):
                    return None
        if module.pattern is not None:
            return (*results[:-1], module.pattern.matrix(results[-1]))
        if module.structured is not None:
            return (*results[:-1], module.structured.matrix(results[-1], self.dtype))
        return results

    def takes(self, scalars: list[Any]) -> bool:
        """Whether the numbers among its operands are such that it computes what the tape does."""
        return all(math.isfinite(s) or k in self.chosen for k, s in enumerate(scalars))

    def remember(self, survey: Any) -> None:
        """Keep what to recognise the structure by at once, the next time."""
        if self.recipe is None and self.checked and not self.refused and self.takes(survey.scalars):
            self.recipe = Recipe.of(survey, self.baked, self.chosen)

    def run_at(self, survey: Any, module: Any = None, finite: bool = True, vectors: Any = ()) -> Any:
        """The same, with the arguments from a survey of the same structure (and the vectors of a product)."""
        nodes = survey.nodes
        if module is None:
            module = self.whole if anything_written_since(nodes[0].seq) else self.module
        number = survey.arrays[0].dtype.type  # NumPy's numbers divide by zero as arrays do
        values = []
        for _, (kind, k) in module.arguments:
            if kind == "array":
                values.append(widened(survey.arrays[k], self.dtype))
            elif kind == "scalar":
                values.append(number(survey.scalars[k]))
            elif kind == "vector":
                values.append(vectors[k])
            else:
                node = nodes[k[0]]
                if type(node.saved) is Freed:  # by a sweep inside the function
                    return self.run_at(survey, self.whole, finite, vectors)
                values.append(saved_values(node)[k[1]])
        return self.run(values, module, finite)


def widened(array: Any, dtype: Any) -> Any:
    """A constant in no less than the program's precision: products of constants alone would stay in theirs."""
    if type(array) is not np.ndarray or array.dtype is dtype or array.dtype.kind != "f":
        return array
    return array if array.dtype.itemsize >= dtype.itemsize else array.astype(dtype)


__all__ = ["Runnable", "widened"]

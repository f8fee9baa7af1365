"""The quick way of a compiled function at small arguments: on single numbers, with the results as the caller gets them.

The idea to hold: it answers only where it knows the arguments and every number on the way was finite. Anything else it
leaves to the program of arrays, with which it is compared when that is compared with the tape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..programs._scalar_form import Input, ScalarForm, scalar_form

DOUBLE = np.dtype(np.float64)


class Quick:
    """A function on single numbers, and which of all leaves it takes.

    Attributes
    ----------
    form : the steps
    whole : whether it takes all that the user gives, and returns what the user gets
    """

    def __init__(self, form: ScalarForm, function: Any, places: list[int], order: list[int], whole: bool) -> None:
        self.form, self.function, self.places, self.order, self.whole = form, function, places, order, whole

    def __call__(self, leaves: list[Any]) -> Any:
        """The results by letter in their alphabetical order, as the program returns them; None where it has none."""
        found = self.function(*[leaves[k] for k in self.places])
        if found is None:
            return None
        found = found if len(self.order) > 1 else (found,)
        return tuple([found[self.order.index(k)] for k in range(len(self.order))])


def form_of(made: Any, leaves: list[Any], most: float = 1.0) -> tuple[ScalarForm, list[int]] | None:
    """The steps of a compiled structure on single numbers, and which leaves they take; None where there are none."""
    if made.of_value != DOUBLE or any(d != DOUBLE for d in made.dtypes):
        return None
    used = [name for name, _ in made.program.whole.arguments]
    constants = {n: np.array(v) for n, (k, _, v) in zip(used, made.taken, strict=True) if k is None}
    inputs = []
    for name, (k, kind) in made.numbers.items():
        leaf = leaves[k]
        if type(leaf) is float or (type(leaf) is np.ndarray and leaf.dtype == DOUBLE and kind is None):
            inputs.append((k, Input(name, np.shape(leaf), kind is None)))
        elif name in used:
            return None
    if not inputs:
        return None
    inputs.sort()
    shape = made.shapes[0] * 2 if made.simple else (made.program.total,) * 2
    form = scalar_form(made.program, [x for _, x in inputs], constants, shape, most)
    return None if form is None else (form, [k for k, _ in inputs])


def quick(made: Any, leaves: list[Any]) -> Quick | None:
    """The quick way of a compiled structure, where it is one."""
    found = form_of(made, leaves)
    if found is None:
        return None
    form, places = found
    whole = made.simple and places == list(range(len(leaves)))
    return Quick(form, form.function(made.outputs), places, made.order, whole)


__all__ = ["Quick", "form_of", "quick"]

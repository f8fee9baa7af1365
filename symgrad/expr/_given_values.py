"""The value of a formula at given arrays: what they are given for, what sizes they have, what was declared of them.

The idea to hold: a formula of arrays keeps the numbers it was made with; a symbol has none. What stands in for its
values is for checking, never for a result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._errors import FormulaError, GradientError, ShapeError
from .._postorder import postorder
from ..core import Dim, Symbol, Tensor, modes, refuse_foreign
from ._background import Background
from ._branches import require_taken
from ._conditions import Condition, holds_for
from ._declared import require
from ._evaluate import evaluate
from ._node import Expr, Var
from ._resize import Sizes, sizes_of


def refuse_caught(source: Any, names: set[str]) -> None:
    """Raise where a symbol that keeps its number is what a transform differentiates just now."""
    for name in names if modes.under_way and source is not None else ():
        if any(node in modes.under_way for node in source.nodes(name)):
            raise GradientError(
                f"a formula has numbers as values, and {name!r} in it is being differentiated around it",
                "No derivative would flow through that number.", f"Call the function, or give {name}=x.detach().",
            )  # fmt: skip


MODES = ("raise", "warn", "ignore")


@contextmanager
def _noted(mode: str) -> Iterator[None]:
    """What a condition that does not hold leads to: an error, a warning, nothing."""
    try:
        yield
    except FormulaError as error:
        if mode == "raise":
            raise
        if mode == "warn":
            warnings.warn(str(error), UserWarning, stacklevel=5)


def value_of(
    term: Expr,
    background: Background,
    values: dict[str, Any],
    conditions: Sequence[Condition] = (),
    mode: str = "raise",
) -> Any:
    """The value of a term with symbols and named sizes replaced; what is left out keeps the value it had.

    ``conditions`` are looked at there, and ``mode`` says what is done where one does not hold.

    Raises
    ------
    FormulaError : there is no such symbol, a symbol has no value, or the formula chose entries by the values it was
        made with, or what was declared of a symbol (what Python branched on) does not hold
    ShapeError : a value does not have its symbol's shape
    """
    known, lengths = background.symbols, _named_sizes(term, background)
    for name in values:
        if name not in known and name not in lengths:
            raise no_symbol(name, {v.name for v in background.symbols.values()})
    refuse_foreign(map(type, values.values()))
    for name, given in values.items():
        if isinstance(given, Symbol):  # what stands in for its values would be taken for them
            raise FormulaError(
                f"{name!r} is given a symbol", "A formula has numbers as values, and a symbol has none.",
                f'Write f.subs({name}="y") to call it y, or sg.formula(f, …) of the function at the symbol.',
            )  # fmt: skip
    arrays = {k: np.asarray(v._data if isinstance(v, Tensor) else v) for k, v in values.items() if k in known}
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":
            raise FormulaError(f"{name!r} is given {values[name]!r}", "A formula has numbers as values.", "")
        if array.dtype.kind == "c" and array.imag.any() and "complex" not in known[name].properties:
            with _noted(mode):
                raise FormulaError(
                    f"{name!r} stands for real numbers, and is given complex ones",
                    "The formula was simplified for real numbers: |x|² is x² there.",
                    'Ask sg.formula(f, …) at complex arrays; conditions="ignore" computes all the same.',
                )
        if name in known and "size" not in known[name].properties:
            with _noted(mode):
                require(name, array, background.declared_of(known[name]))
    for choice in background.choices if arrays else ():
        with _noted(mode):
            _refuse_chosen(choice)
    sizes, arrays = sizes_of(known, arrays)
    _count(sizes, {k: v for k, v in values.items() if k not in known or "size" in known[k].properties}, lengths)
    _refuse_standins(term, background, arrays, sizes)
    if any(int(new) != int(old) for old, new in sizes.values()):
        stiff = background.rigid(term)
        if stiff:
            raise ShapeError(
                "the formula holds for the sizes that it was made with only",
                f"'{stiff}' in it has a length that does not follow the named sizes.",
                "Ask sg.formula(f, …) with arrays of the size you need.",
            )
    point = {k: np.asarray(v) for k, v in background.point.items()}
    point.update({"#" + name: np.asarray(float(new)) for name, (_, new) in sizes.items()})
    point.update({"#" + k: v for k, v in arrays.items() if "size" in known[k].properties})
    point.update(arrays)
    for branch in background.branches if arrays or background.source is None else ():  # else it ran there
        with _noted(mode):
            require_taken([branch], point)
    unknown = {k for k in background.facts.keys() & known if k not in arrays and "size" not in known[k].properties}
    unknown |= lengths.keys() - sizes.keys()
    for condition in conditions:
        with _noted(mode):
            _require(condition, point, unknown)
    return evaluate(term, point)


def _require(condition: Condition, point: dict[str, Any], unknown: set[str]) -> None:
    """Raise if a condition does not hold at a point; of symbols that have no value there is none to look at."""
    from ..show import to_text

    if condition.term is None or any(isinstance(t, Var) and t.name in unknown for t in postorder(condition.term)):
        return
    value = evaluate(condition.term, point)
    if holds_for(condition.kind, value):
        return
    text = np.array2string(value * 1.0, formatter={"all": "{:.4g}".format}, threshold=6, edgeitems=2).replace("\n", "")
    raise FormulaError(
        f"the formula holds where {condition.text}, which is not so here",
        f"{to_text(condition.term)} is {text} here. What the formula was made of has no value there, or another one.",
        'Give other values; f(…, conditions="warn") computes all the same, "ignore" without a word.',
    )


def no_symbol(name: Any, names: set[str]) -> FormulaError:
    return FormulaError(f"the formula has no symbol {name!r}", f"Its symbols are {sorted(names)}.", "Use one of these.")


def _named_sizes(term: Expr, background: Background) -> dict[str, int]:
    """The named sizes of a term and of its symbols, with what stands in for them."""
    found: dict[str, int] = {}
    for t in (*postorder(term), *background.symbols.values()):
        for d in t.shape:
            found.update(d.atoms if type(d) is Dim and d.exact else ())
    return found


def _count(sizes: Sizes, given: dict[str, Any], lengths: dict[str, int]) -> None:
    """Add the sizes that are given by name to those that the arrays have."""
    for name, value in given.items():
        n = int(value)
        if n != value or n < 0:
            raise ShapeError(f"the size {name} is given as {value!r}", "A size is a whole number, at least 0.", "")
        if name in sizes and sizes[name][1] != n:  # (a size may stand as a number where no axis has it)
            raise ShapeError(f"the size {name} is {sizes[name][1]} and {n}", "An array given has the other.", "")
        sizes[name] = lengths.get(name, n), n


def _refuse_standins(term: Expr, background: Background, arrays: dict[str, Any], sizes: Sizes) -> None:
    """Raise if a symbol (a named size) of the term has no value."""
    needed: set[str] = set()
    for t in postorder(term):
        if isinstance(t, Var) and t.name in background.facts and t.name not in arrays and "size" not in t.properties:
            raise FormulaError(
                f"the symbol {t.name!r} has no value", "A symbol stands for any; those without values have no result.",
                f"Give it one: f({t.name}=…).",
            )  # fmt: skip
        needed.update([t.name] if isinstance(t, Var) and "size" in t.properties and t.name not in arrays else [])
        needed.update([name for d in t.shape if type(d) is Dim and d.exact for name in d.atoms])
    missing = sorted(needed - sizes.keys())
    if missing:
        raise FormulaError(
            f"the size {missing[0]} has no value", "No array that is given has it.", f"Give it one: f({missing[0]}=…)."
        )


def _refuse_chosen(choice: str) -> None:
    raise FormulaError(
        f"this formula cannot be evaluated at another point: {choice}",
        "That was found from the numbers that it was made with; whether it is so elsewhere is not known.",
        "Ask sg.formula(f, …) for the formula of the function, or compute the tensor at the new point and ask it.",
    )

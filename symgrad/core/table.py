"""The table: rows by their names, their facts, how parameters travel, and rules on other values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from itertools import repeat
from types import FunctionType
from typing import Any

import numpy as np

# -------------------------------- The table, and what it is to others before it is filled: a row is found by its name

# Rows refer to each other before both are declared, and what records operations speaks of a few rows (``clone``,
# ``cast``): below both stands the table.


class Table(MutableMapping[str, Any]):
    """Rows by name. What stands for a row that is not declared yet is the module that declares it, which is imported
    when somebody asks for the row: the order of the rows is the same, whatever was asked for before."""

    def __init__(self) -> None:
        self._rows: dict[str, Any] = {}

    def later(self, module: str, names: str) -> None:
        """Say which module will declare rows of these ``names``, in the order in which it does."""
        self._rows.update(dict.fromkeys(names.split(), module))

    def awaits(self, name: str) -> bool:
        """Whether some module will declare a row of this name."""
        return name in self._rows

    def __getitem__(self, name: str) -> Any:
        row = self._rows[name]
        if type(row) is str:
            import_module(row)
            row = self._rows[name]
            if type(row) is str:  # its module asks, which is just about to declare it
                raise KeyError(name)
        return row

    def __setitem__(self, name: str, row: Any) -> None:
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self._rows[self[name].name]  # what was not declared would come back

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class NumpyFunctions(MutableMapping[Any, Any]):
    """What NumPy's functions are on tensors. Most are declared by ``module``, imported when one is asked for."""

    module = ""

    def __init__(self) -> None:
        self._rows: dict[Any, Any] = {}

    def _all(self) -> dict[Any, Any]:
        if self.module:
            import_module(self.module)
        return self._rows

    def __getitem__(self, function: Any) -> Any:
        return self._all()[function]

    def __setitem__(self, function: Any, row: Any) -> None:
        self._rows[function] = row

    def __delitem__(self, function: Any) -> None:
        del self._all()[function]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class _Asked(dict[Any, Any]):
    """What was asked for of `NUMPY`, without its detours; None where there is nothing."""

    def __missing__(self, function: Any) -> Any:
        row = NUMPY.get(function)
        if row is not None:
            self[function] = row
        return row


TABLE = Table()
"""Every declared operation, an `Op`, by name."""

PUBLIC: set[str] = set()
"""The library's public functions, by name (filled when all are known): a formula's words, so no row of a user's."""

NUMPY = NumpyFunctions()
"""What each NumPy function is on tensors (filled by the table)."""

of_numpy: _Asked = _Asked()
"""The same, for those who ask at every call."""


def row_function(name: str) -> Any:
    """A row's function, by name."""
    return TABLE[name].apply


# -------------------------------- Rules on other values: the same function, with other meanings for the names it uses

# A rule is plain NumPy and the table's functions. Run on tensors its ``np`` means the table's functions, which
# record; run on arrays the table's functions mean their forwards. Both are what NumPy's protocols and the functions'
# own type checks would give, without asking at each call.


class _Recording:
    """Stands for ``np`` inside a rule that runs on tensors: each NumPy function is the table's own."""

    def __getattr__(self, name: str) -> Any:
        fn = getattr(np, name)
        value = (of_numpy[fn] or fn) if callable(fn) and not isinstance(fn, type) else fn
        setattr(self, name, value)
        return value


_recording = _Recording()


def itself(value: Any) -> Any:
    """The rule that is a value: ``"y"``."""
    return value


@cache
def rebind_to_arrays(rule: Any) -> Any:
    """The rule with every row's function meaning the row's forward: the same on arrays, without type checks."""
    if not isinstance(rule, FunctionType):
        return rule
    if hasattr(rule, "op"):
        return rule.op.forward
    rows = {}
    for name in rule.__code__.co_names:
        op = getattr(rule.__globals__.get(name), "op", None)
        if op is not None:
            rows[name] = op.forward
    if not rows:
        return rule
    return FunctionType(rule.__code__, {**rule.__globals__, **rows}, rule.__name__, rule.__defaults__, rule.__closure__)


@cache
def in_float64(rule: Any) -> Any:
    """The rule for float64 arrays: its numbers made arrays once, which saves NumPy 0.15 µs at each use.

    None if the rule has no such numbers. (In another dtype they would widen what they meet.)
    """
    if not isinstance(rule, FunctionType) or not any(type(c) is float for c in rule.__code__.co_consts):
        return None
    constants = tuple(np.asarray(c) if type(c) is float else c for c in rule.__code__.co_consts)
    for c in constants:
        if type(c) is np.ndarray:
            c.flags.writeable = False
    code = rule.__code__.replace(co_consts=constants)
    return FunctionType(code, rule.__globals__, rule.__name__, rule.__defaults__, rule.__closure__)


UFUNC_METHODS = frozenset(["accumulate", "at", "outer", "reduce", "reduceat"])
"""What NumPy's functions of entries have besides their call: `np.multiply.outer`."""


@cache
def rebind(rule: Any) -> Any:
    """The rule with ``np`` meaning the table's functions: the same as NumPy's protocols give, 1 µs sooner."""
    if not callable(rule) or hasattr(rule, "op"):
        return rule
    if not isinstance(rule, FunctionType) or rule.__globals__.get("np") is not np:
        return of_numpy[rule] or rule
    if not UFUNC_METHODS.isdisjoint(rule.__code__.co_names):  # the table's functions have none
        return rule
    names = {**rule.__globals__, "np": _recording}
    return FunctionType(rule.__code__, names, rule.__name__, rule.__defaults__, rule.__closure__)


# ---------------------------------- How parameters travel: what becomes of them when an example gets a batch in front

# The idea to hold: a row that says what its parameters mean runs on many examples (many tangents, many incoming
# gradients) by the same function: its values get one axis more in front, and its parameters say the same thing one axis
# behind. A meaning is declared, never guessed: a number may be an axis or an amount.


FULL = slice(None)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Those of an equation (`string`, which has them too, takes 1 ms to import)."""


class CannotTravel(Exception):
    """These values of parameters say something else with a batch in front."""


def batched_axes(dim: Any, rank: int) -> Any:
    """Axes of an example as axes of the batch: a number or several; None are all."""
    if dim is None:
        return tuple(range(1, rank + 1))
    if isinstance(dim, (tuple, list)):
        return tuple([batched_axes(d, rank) for d in dim])
    return dim + 1 if dim >= 0 else dim + rank + 1


def _axes(value: Any, rank: int, size: Any) -> Any:
    if rank == 0 and value is not None and value != ():  # a number's axis: all of PyTorch's functions allow it
        raise CannotTravel
    return batched_axes(value, rank)


def _axis(value: Any, rank: int, size: Any) -> Any:
    if value is None:  # all entries in a row: the examples would run into each other
        raise CannotTravel
    return _axes(value, rank, size)


def with_letter(equation: str, batched: Iterable[bool]) -> str:
    """An equation with a letter for the batch in front of the operands that have one, and of the result."""
    inputs, out = equation.split("->")
    letter = next((c for c in LETTERS if c not in equation), None)
    if letter is None or "." in equation:
        raise CannotTravel(f"the einsum {equation!r} leaves no letter for the batch")
    return f"{','.join([letter * b + term for term, b in zip(inputs.split(','), batched)])}->{letter}{out}"


def _amounts(neutral: Any) -> Callable[[Any, int, Any], Any]:
    return lambda value, rank, size: (neutral, *value)


Travel = Callable[[Any, int, Any], Any]
"""(value, number of axes of an example, size of the batch) -> the value with the batch in front."""


def _sized(value: Any, rank: int, size: Any) -> Any:
    return (size, *value)


_TABLE: dict[str, tuple[Travel, str]] = {
    "option": (lambda value, rank, size: value, "nothing to do with axes"),
    "axis": (
        _axis,
        "an axis (or several) along which it acts, the others apart; None: all entries in a row",
    ),
    "axes": (_axes, "the same; None for all axes"),
    "new": (lambda value, rank, size: batched_axes(value, rank + 1), "an axis of a result that has one axis more"),
    "order": (lambda value, rank, size: (0, *_axes(value, rank, size)), "all axes, in another order"),
    "shape": (_sized, "the shape of the result, which has the operand's entries in their order"),
    "size": (_sized, "the shape of the result"),
    "spread": (_sized, "the shape to which the operand is broadcast"),
    "within": (lambda value, rank, size: value if isinstance(value, int) else (size, *value), "a shape, or a length"),
    "place": (_axis, "an axis of the shape that another parameter is"),
    "repeats": (_amounts(1), "how often, along each axis of an operand that may have fewer"),
    "widths": (_amounts((0, 0)), "how much before and behind, along each axis"),
    "ranges": (_amounts(None), "what is read along each axis; None for all of it"),
    "equation": (lambda value, rank, size: with_letter(value, repeat(True)), "a sum of products as `einsum` writes it"),
    "places": (_amounts(FULL), "an index, of slices and numbers"),
}

MEANINGS: dict[str, Travel] = {name: travel for name, (travel, _) in _TABLE.items()}
"""What a parameter may mean for axes, and what becomes of it with a batch in front."""

SAID = {name: says for name, (_, says) in _TABLE.items()}
"""What each meaning says."""

WIDENS = ("spread", "repeats")
"""Meanings of parameters that have an entry per axis of the result, of which the operand may have fewer."""


def travels(op: Any) -> bool:
    """Whether a row says all of how its axes travel."""
    return op.meanings is not None and (op.last is not None or any(m != "option" for m in op.meanings))


def batched_params(op: Any, params: tuple[Any, ...], rank: int, size: Any) -> tuple[Any, ...]:
    """The parameters of a row that `travels` with a batch in front, for examples whose first operand has ``rank`` axes.

    Raises `CannotTravel` where there are none that say the same.
    """
    sizes = [len(p) for p, m in zip(params, op.meanings, strict=True) if m == "size"]
    return tuple([
        MEANINGS[m](p, sizes[0] if m == "place" else rank, size) for p, m in zip(params, op.meanings, strict=True)
    ])  # fmt: skip


def rank_needed(op: Any, params: tuple[Any, ...], rank: int) -> int:
    """How many axes an example's operand is to have: as many as a parameter has entries for."""
    return max([rank, *[len(p) for p, m in zip(params, op.meanings, strict=True) if m in WIDENS]])


# -------------------------------------------------------------------------------------------------------------------
# What may be said of an operation besides its functions: the facts of a row, each a field with its sentence


# ruff: noqa: RUF009  (a fact is a line; `_fact` makes a field)


def _fact(default: Any, says: str) -> Any:
    return field(default=default, metadata={"says": says})


@dataclass(init=False, frozen=True, repr=False, eq=False)
class RowFacts:
    """The facts of a row. `symgrad.extend` lists them with what each says."""

    # of the functions
    inputs: tuple[str, ...] | None = _fact(None, "names of the operands, where the forward function does not tell them")
    variadic: bool = _fact(False, "takes a list of operands, all under one rule")
    outputs: bool = _fact(False, "gives several results, as a tuple")
    view: bool = _fact(False, "its result shares memory with its operand")
    fails: bool = _fact(False, "a rule may raise half-way through a sweep (singular matrices)")
    new: Sequence[int] = _fact((), "operands whose rules return new arrays: never g, a saved value, or a view of one")
    keep: Sequence[str] = _fact((), "parameters (indices, masks) that count as saved values")
    # of axes
    means: str = _fact("", f"what each parameter means for axes, in order: {', '.join(MEANINGS)}")
    last: int | None = _fact(None, "how many last axes it works on; before them operands broadcast and axes are kept")
    reshapes: bool = _fact(False, "its result has its operand's entries, in the same order")
    equation: str = _fact("", "of a product: what it sums, as einsum writes it")
    # of values
    domain: Any = _fact(
        "real", "where tests sample each operand: 'real', 'positive', 'bool'…; 'places' are indices with the axes of "
        "what they pick from, an 'index' has its own",
    )  # fmt: skip
    defined: str | tuple[str, ...] = _fact(
        "", "where it is defined, of real numbers: what its first operand, or each of several, is to be: '> 0', "
        "'≥ 0', '≠ 0', '|{}| < 1', 'has an inverse'",
    )  # fmt: skip
    sample: Any = _fact(None, "sample parameters, or a function (rng) of sample operands and parameters")
    real_only: bool = _fact(False, "refuses complex numbers")
    holomorphic: bool = _fact(True, "False where the rule itself speaks PyTorch's complex convention")
    own_dtype: bool = _fact(False, "its result's dtype is its own, not that of its operands")
    masks: bool = _fact(False, "chooses among branches, of which one not taken has a derivative of exactly 0")
    pieces: bool = _fact(False, "is linear between its kinks: its second derivative is 0")
    truth: bool = _fact(False, "its values are truths, entry by entry")
    odd: bool = _fact(False, "f(-x) = -f(x)")
    even: bool = _fact(False, "f(-x) = f(x)")
    keeps: str = _fact("", "which real numbers it leaves as they are: 'positive' or 'nonnegative' ones")
    undoes: str = _fact("", "f(g(x)) = x for the row g of this name")
    sign: str = _fact("", "of all its values: '>' (than 0) or '>='")
    finite: bool = _fact(False, "finite wherever its operands are, but for overflow")
    refusal: Any = _fact(None, "(operands) -> the error of operands whose shapes do not fit")
    # of words
    doc: str = _fact("", "what it computes, in a sentence")
    kink: str = _fact("", "where it has no derivative, and what is given there")
    label: str = _fact("", "the public function that a formula shows; the row's name if not said")
    rowwise: bool = _fact(False, "is written of a matrix, as in papers, where it is that of each row")
    symbol: Any = _fact(None, "the operator that prints it")
    letter: str = _fact(
        "", "the sign that formulas call it by, 'Γ'; in 'J_' its first parameter stands below, in 'ψ^' all, "
        "in 'L_^' all others stand above, in parentheses",
    )  # fmt: skip
    latex: str = _fact("", "its text in LaTeX, <0>… the operands and parameters; its ``text`` else")
    explained: bool = _fact(False, "no function that readers know: its ``doc`` stands below a formula that has it")
    scipy: str = _fact("", "the call of scipy.special that it is, {0}… the operands: 'jv({order}, {0})'")
    short: Sequence[str] = _fact(
        (), "the functions of scipy.special that it is, of real numbers, where its parameter is the number 0, 1…"
    )
    text: str = _fact("", "its text in a formula, {0}… the operands and parameters")
    sympy: Any = _fact(None, "its SymPy twin: a text, or a function that builds it")


FACTS = {f.name: str(f.metadata["says"]) for f in fields(RowFacts)}
"""Each fact's name and what it says."""

"""What is verified and what is claimed of it, as one kind of thing."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError, SymbolicBranchError
from .._limits import bound
from .._tensor import symbol
from ..core import ASKED, Symbol, Tensor, edge, facts_of, modes, named_shape, reachable, wrap
from ..formulas import Formula, FormulaSide, Place, Point, Quantity, Raised, Undefined, array_of, as_formula
from ..notation import from_sympy, parse
from ..ops import FUNCTIONS
from ..transforms.calls import Traced, bind_arguments, leaf_shape, signature

# -------------------- What is verified and what is claimed of it: functions, formulas and arrays as one kind of thing

# The idea to hold: a side has values at points (always), and a formula in the variables of the call (if it can be had,
# else the reason why not).


_LIBRARIES = (str(Path(__file__).parents[1]), str(Path(np.__file__).parent))
_TYPES = {"isinstance", "issubclass", "type", "hasattr", "callable"}
_NOT_IN_ORDER = (
    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
)  # fmt: skip


class Variable(Quantity):
    """A name of the call."""

    @property
    def symbol(self) -> Symbol:
        return symbol(self.name, self.shape, **dict.fromkeys(self.properties, True))


VERIFIED_STEPS = bound(1000)
"""Operations that a function records beyond which no formula is read from them: the tape gives its derivatives."""


class Side(FormulaSide):
    """A function, a formula or an array.

    Attributes
    ----------
    title : what the user calls it
    formula : its formula; None if it has none
    why : why it has none
    branching : whether Python branches on values in it: then each point has a formula of its own
    single : whether it was seen to compute with less than double precision
    unsure : why its formula may not be what it computes for all sizes and numbers; empty if nothing says so
    make : makes its formula once more; None if there is one only
    read : how a name of it was read, if that was not plain
    """

    given: Any
    title: str
    formula: Any
    why: str
    read: str
    branching: bool
    single: bool

    def __init__(
        self, given: Any, title: str, formula: Formula | None = None, make: Callable[[], Formula] | None = None
    ) -> None:
        self.given, self.title, self.formula = given, title, formula
        self.why, self.read, self.branching, self.single = "", "", False, False
        self.make: Callable[[], Formula] | None = make
        self.unsure: str = _asks_for_types(given, title)
        self.parameters: list[str] = []
        self._tensors: bool | None = None  # whether the function takes tensors, not arrays

    # ------------------------------------------------------------------------------------------------------- formulas

    def traced(self, table: dict[str, Variable]) -> None:
        """Find the formula of a function, by running it on symbols."""
        try:
            with self._noting_lengths():
                self.make = partial(
                    self.formula_at, {n: v.symbol if v.value is None else v.value for n, v in table.items()}
                )
                found = self.make()
            self._refuse_other_data(found, table)
            self.formula = found
        except SymbolicBranchError as error:
            self.why, self.branching = f"{self.title} has no formula for all values: {str(error).splitlines()[0]}", True
        except Exception as error:  # the function is the user's: it may fail on symbols in any way
            self.why = f"{self.title} has no formula: {str(error).splitlines()[0] if str(error) else repr(error)}"

    @contextmanager
    def _noting_lengths(self) -> Iterator[None]:
        """Note if the user's code compares a named size: it may do something else for other lengths."""

        def note(size: Any) -> None:
            frame: Any = sys._getframe(1)
            while frame.f_globals.get("__name__") == type(size).__module__:  # the size's own methods
                frame = frame.f_back
            if not frame.f_code.co_filename.startswith(_LIBRARIES):
                line = f"line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"
                self.unsure = (
                    f"{self.title} asks in {line} how long {size} is, and may do something else where it is not"
                )

        token = ASKED.set(note)
        try:
            yield
        finally:
            ASKED.reset(token)

    def formula_at(self, values: dict[str, Any]) -> Formula:
        """The formula of the function at symbols or arrays."""
        traced = Traced(self.given, bind_arguments(self.given, tuple([values[n] for n in self.parameters]), {}))
        count = len(reachable([edge(traced.output)])[0])
        if count > VERIFIED_STEPS:
            raise FormulaError(f"its {count} steps are too many for a formula")
        return traced.formula()

    def _refuse_other_data(self, found: Formula, table: dict[str, Variable]) -> None:
        """A function may catch data whose name a variable of the call has."""
        for name in found.free_symbols & table.keys() - set(self.parameters):
            value: Any = found.point.get(name)
            if table[name].value is None or not np.array_equal(table[name].value, value):
                raise FormulaError(f"it catches data of the name {name!r}, which is a variable of the call")

    def made_again(self) -> Side:
        """The same, of a formula that is made anew: numbers may be read in another way."""
        again = copy(self)
        if self.make is not None and self.formula is not None:
            again.formula = self.make()
        return again

    # --------------------------------------------------------------------------------------------------------- values

    def value(self, point: Point, lengths: dict[str, int]) -> np.ndarray | None:
        """The value at a point; None where there is none (outside the domain).

        Raises
        ------
        Undefined : a matrix is singular there
        Raised : the function raised an error that no number can help
        """
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the points are ours, not the user's
            if callable(self.given):
                return self._called(point)
            if self.formula is not None:
                return super().value(point, lengths)
            return np.asarray(self.given, float)

    def has_value(self, place: Place) -> bool:
        """Whether what a formula was made of has a value at a place; the short form may have values elsewhere, too."""
        return self.formula is None or self.branching or super().has_value(place)

    def _called(self, point: Point) -> np.ndarray | None:
        ways = [False, True] if self._tensors is None else [self._tensors]
        errors: list[Exception] = []
        for tensors in ways:
            try:
                found = self.given(*self.arguments(point, tensors))
                array = as_array(found)
            except np.linalg.LinAlgError as error:
                raise Undefined from error
            except ArithmeticError:
                return None
            except Exception as error:  # whatever the user's code raises
                if isinstance(error, ValueError) and "math domain" in str(error):
                    return None
                errors.append(error)
                continue
            self._tensors = tensors
            self.single |= array.dtype != np.float64
            return array
        raise Raised(self.title, errors[0])

    def data_in(self, defaults: dict[str, Any], said: set[str], claimed: set[str]) -> dict[str, Any]:
        """The defaults that are data. One that is a truth value, a text, None, or a whole number, an axis, of which
        nothing is ``said`` or ``claimed``, is the function's own business; what follows it keeps its default, too,
        unless something of it was ``said``."""
        asked = [n in said | claimed for n in self.parameters]
        last = len(asked) - asked[::-1].index(True) if True in asked else 0
        kinds = {n: array_of(v).dtype.kind for n, v in defaults.items()}
        kept = {"f": {*defaults}, "i": {*self.parameters[:last]}, "u": {*self.parameters[:last]}}
        data = {n: v for n, v in defaults.items() if n in kept.get(kinds[n], ())}
        cut = next((k for k, n in enumerate(self.parameters) if n in defaults.keys() - data - said), None)
        if cut is not None and said.isdisjoint(self.parameters[cut:]):
            del self.parameters[cut:]
        return data

    def arguments(self, point: Point, tensors: bool | None = None) -> tuple[Any, ...]:
        """The arguments of the function at a point."""
        tensors = self._tensors if tensors is None else tensors
        values = [point[n].copy() for n in self.parameters]
        return tuple([wrap(v) if tensors else v[()] if not v.ndim else v for v in values])


def as_array(value: Any) -> np.ndarray:
    """A result as an array of numbers."""
    array = np.asarray([*map(array_of, value)]) if isinstance(value, (list, tuple)) else array_of(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"it returns {type(value).__name__}, which is no array of real numbers")
    return array if array.dtype.kind == "f" else array.astype(float)


# ------------------------------------------------------------------------------------------------------ what is given


def variable(name: str, given: Any) -> Variable:
    """What was declared of a name: a shape, a symbol, or data."""
    if isinstance(given, Symbol):
        facts = facts_of(given)
        properties = facts.properties if facts is not None else frozenset()
        return Variable(name, tuple(named_shape(given)), properties)
    if isinstance(given, (Tensor, np.ndarray, float, np.generic)) or is_numbers(given):
        value = array_of(given)
        return Variable(name, value.shape, value=value if value.dtype.kind == "f" else value.astype(float))
    if isinstance(given, str):
        given = tuple(given.replace(",", " ").split())
    try:
        return Variable(name, tuple(named_shape(symbol(name, given))))
    except (ShapeError, ValueError, TypeError):
        raise FormulaError(
            f"{name}={given!r} is no shape, symbol or array", "Names of the call say what the variables are.",
            f'Write {name}="n", {name}=("m", "n"), {name}=() for a number, a symbol, or an array.',
        ) from None  # fmt: skip


def is_numbers(given: Any) -> bool:
    """Whether a list holds numbers (and no sizes: those stand in a tuple)."""
    return (
        isinstance(given, list) and not any(isinstance(v, str) for v in given) and bool(leaf_shape(np.asarray(given)))
    )


def is_sympy(given: Any) -> bool:
    return type(given).__module__.split(".")[0] == "sympy"


def function_of(given: Callable[..., Any], title: str) -> tuple[Side, dict[str, Any]]:
    """A function as a side, with the defaults of its parameters; one of ``*args`` has no parameters yet.

    Those that are given by name alone keep their defaults.
    """
    known = signature(given)
    parameters = [p for p in known.parameters.values() if p.kind not in _NOT_IN_ORDER] if known is not None else []
    side = Side(given, title)
    side.parameters = [p.name for p in parameters]
    return side, {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def renamed(f: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """A function of the same arguments whose parameters have these names."""

    def named(*args: Any) -> Any:
        return f(*args)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    named.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    return named


def numbers_in(*functions: Any) -> list[float]:
    """The numbers that the code of functions, and of those they call, names, but for 0, 1, 2: they may branch there."""
    found = [float(abs(f)) for f in _code_of(*functions) if isinstance(f, (int, float)) and not isinstance(f, bool)]
    return [c for c in dict.fromkeys(found) if c not in (0, 1, 2) and np.isfinite(c)]


def _asks_for_types(given: Any, title: str) -> str:
    """Why a function may compute something else with numbers than with symbols: its code asks which it has."""
    for code in _code_of(given) if callable(given) else ():
        if isinstance(code, CodeType) and (asked := _TYPES.intersection(code.co_names)):
            return f"{title} asks for types ({min(asked)}), and may compute something else with numbers"
    return ""


def _code_of(*functions: Any) -> Iterator[Any]:
    """The functions, those they call, their code, and the constants and numbers that it names."""
    todo = [*functions]
    seen: set[int] = set()
    while todo:
        f = todo.pop()
        if id(f) in seen or len(seen) > _limits.CAUGHT:
            continue
        seen.add(id(f))
        yield f
        if isinstance(f, FunctionType):
            todo += [f.__code__, *[c.cell_contents for c in f.__closure__ or () if c != CellType()]]
            todo += [
                g for n in f.__code__.co_names if isinstance(g := f.__globals__.get(n), (FunctionType, int, float))
            ]
        elif isinstance(f, CodeType):
            todo += f.co_consts


def formula_from(given: Any, title: str, table: dict[str, Variable], shape: tuple[Any, ...] | None = None) -> Formula:
    """A text, a term of SymPy, a number or a formula, as a formula."""
    if isinstance(given, str):
        return _parsed(given, table, shape)
    if is_sympy(given) or (
        isinstance(given, (list, tuple)) and any(is_sympy(v) for v in np.ravel(np.asarray(given, object)))
    ):
        return from_sympy(given)
    if isinstance(given, Formula) and given._read is not None and modes.numerals.get() is not None:
        return given._read()  # while a claim is proved its numbers may be read in another way
    try:
        return as_formula(given)
    except FormulaError:
        array = np.asarray(given)
        if array.dtype.kind not in "iuf" or not array.ndim:
            raise
        return as_formula(FUNCTIONS["tensor"](array.astype(float), name="claimed"))  # no formula says so many numbers


def _parsed(text: str, table: dict[str, Variable], shape: tuple[Any, ...] | None) -> Formula:
    declared: dict[str, Any] = {n: v.symbol for n, v in table.items() if v.value is None}
    declared.update({n: v.value for n, v in table.items() if v.value is not None})
    try:
        found = parse(text, **declared)
    except FormulaError:
        if not shape:
            raise
        found = None
    if shape and (found is None or not found.shape):  # I, 𝟏 and one number for all entries are of that shape
        return parse(text, shape=shape, **declared)
    return found


def variables_of(formula: Formula) -> dict[str, Variable]:
    """The symbols of a formula, those with data with their values."""
    background = formula._background
    out = {}
    for name, x in background.symbols.items():
        if "size" not in x.properties:
            value = None if name in background.facts else np.asarray(background.point[name])
            out[name] = Variable(name, tuple(x.shape), background.declared_of(x), value)
    return out


def likely(names: Any) -> str:
    """The first name in small letters, if there is one: what derivatives are mostly taken in."""
    return str(min(names, key=str.swapcase))

"""What is verified and what is claimed of it, as one kind of thing; and the points to look at."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError, SymbolicBranchError, SymgradError
from .._limits import bound
from .._tensor import symbol
from .._trees import postorder
from ..calculus import holds_for, plus, require_taken, unstated_conditions
from ..core import ASKED, DRAW, Dim, Facts, Symbol, Tensor, edge, facts_of, named_shape, reachable, wrap
from ..formulas import Formula, as_formula, key_of, named_sizes, shown
from ..notation import from_sympy, parse
from ..terms import Add, Expr, Map, constant_of, evaluate, shape_at, shaped
from ..transforms.calls import Traced, bind_arguments, leaf_shape, signature

# -------------------- What is verified and what is claimed of it: functions, formulas and arrays as one kind of thing

# The idea to hold: a side has values at points (always), and a formula in the variables of the call (if it can be had,
# else the reason why not).


Point = dict[str, np.ndarray]
_LIBRARIES = (str(Path(__file__).parents[1]), str(Path(np.__file__).parent))
_TYPES = {"isinstance", "issubclass", "type", "hasattr", "callable"}
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Variable(NamedTuple):
    """A name of the call: its shape (sizes may be names), what was declared of it, and its value if it has one."""

    name: str
    shape: tuple[Any, ...] = ()
    properties: frozenset[str] = frozenset()
    value: Any = None

    @property
    def symbol(self) -> Symbol:
        return symbol(self.name, self.shape, **dict.fromkeys(self.properties, True))


class Raised(Exception):
    """A function of the user's raised an error: it is the cause."""

    def __init__(self, title: str, error: Exception) -> None:
        super().__init__(title)
        self.title, self.error = title, error


class Undefined(Exception):
    """What a side says does not speak of a point: a matrix has no inverse there, Python takes another branch."""


VERIFIED_STEPS = bound(1000)
"""Operations that a function records beyond which no formula is read from them: the tape gives its derivatives."""


class Side:
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
    """

    def __init__(
        self, given: Any, title: str, formula: Formula | None = None, make: Callable[[], Formula] | None = None
    ) -> None:
        self.given, self.title, self.formula = given, title, formula
        self.why, self.branching, self.single = "", False, False
        self.make = make
        self.unsure = _asks_for_types(given, title)
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
                try:
                    return value_of(self.formula, point, lengths)
                except np.linalg.LinAlgError as error:
                    raise Undefined from error
            return np.asarray(self.given, float)

    def has_value(self, point: Point, lengths: dict[str, int]) -> bool:
        """Whether what a formula was made of has a value at a point; the short form may have values elsewhere, too."""
        if callable(self.given) or self.formula is None:
            return True
        background = self.formula._background
        sizes = {k: np.asarray(float(n)) for k, n in lengths.items()}
        known = {**self.formula.point, **sizes, **{"#" + k: n for k, n in sizes.items()}, **point}
        domains = [(background.declared(term), kind) for term, kind in background.domains]
        with np.errstate(all="ignore"):
            asked = unstated_conditions(self.formula.term, domains)
            return all(holds_for(c.kind, evaluate(c.term, known)) for c in asked if c.term is not None)

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

    def arguments(self, point: Point, tensors: bool | None = None) -> tuple[Any, ...]:
        """The arguments of the function at a point."""
        tensors = self._tensors if tensors is None else tensors
        values = [point[n].copy() for n in self.parameters]
        return tuple([wrap(v) if tensors else v[()] if not v.ndim else v for v in values])


def value_of(formula: Formula, point: Point, lengths: dict[str, int]) -> np.ndarray:
    """The value of a formula at a point, its conditions aside, but for the branches that it was read from.

    Raises
    ------
    Undefined : Python takes another branch there
    """
    symbols = formula._background.symbols
    sizes = {*named_sizes(formula.term, formula._background), *symbols}
    own = {n: v for n, v in point.items() if n in symbols}
    own.update({n: np.asarray(lengths[n]) for n in sizes if n in lengths})
    try:
        require_taken(formula._background.branches, {**formula.point, **own})
    except FormulaError as error:
        raise Undefined from error
    return np.asarray(formula(conditions="ignore", **own)) * 1.0


def as_array(value: Any) -> np.ndarray:
    """A result as an array of numbers."""
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, (list, tuple)):
        value = [v._data if isinstance(v, Tensor) else v for v in value]
    array = np.asarray(value)
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
        value = np.asarray(given._data if isinstance(given, Tensor) else given)
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
    """A function as a side, with the defaults of its parameters; one of ``*args`` has no parameters yet."""
    known = signature(given)
    parameters = [p for p in known.parameters.values() if p.kind not in _MANY] if known is not None else []
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
    return as_formula(given)


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


def same_shape(a: Any, b: Any) -> bool:
    return key_of(a) == key_of(b)


def likely(names: Any) -> str:
    """The first name in small letters, if there is one: what derivatives are mostly taken in."""
    return str(min(names, key=str.swapcase))


def shape_text(shape: Any) -> str:
    return shown(shape) if len(shape) else "() (a number)"


# -------------------------------------------------------------------------------------------------------------------
# Points to look at: of either sign, small and large, at several sizes, and on both sides of where pieces meet

# The idea to hold: most mistakes are seen anywhere; one that is made in a region only is seen where a condition of
# either formula changes. Between two points where it comes out differently there is an edge, which is found by
# bisection.


_DISCRETE = frozenset({"sign", "onehot", "integer", "orthogonal"})


class Place(NamedTuple):
    """A point, the lengths of the named sizes there, and whether numbers are as usual: not far, not near edges."""

    point: Point
    lengths: dict[str, int]
    usual: bool = True


def _regular(rng: Any, shape: Any) -> np.ndarray:
    """Between 0.1 and 0.9; a square matrix has a positive determinant."""
    return DRAW[0](f"of {rng.integers(1 << 30)}", Facts(shape))


Manner = Callable[[Any, Any], np.ndarray]
_MANNERS: tuple[tuple[bool, Manner], ...] = (
    (True, lambda rng, s: np.round(rng.uniform(0.5, 2, s), 1) * rng.choice([-1.0, 1.0], s)),
    (True, _regular),
    (True, lambda rng, s: rng.normal(size=s)),
    (True, lambda rng, s: np.round(rng.uniform(0.5, 3, s), 1)),
    (True, lambda rng, s: -rng.uniform(0.2, 2, s)),
    (False, lambda rng, s: rng.integers(-3, 4, s) * 1.0),
    (False, lambda rng, s: 5 * rng.normal(size=s)),
    (False, lambda rng, s: 1e-3 * rng.normal(size=s)),
    (False, lambda rng, s: 100 * rng.normal(size=s)),
    (False, lambda rng, s: np.exp(rng.normal(size=s, scale=3))),
)  # fmt: skip
"""How numbers are drawn, and whether these are as numbers usually are."""


def size_names(table: dict[str, Variable]) -> dict[str, int]:
    """The named sizes of the variables, with what stands in for each."""
    dims = [d for v in table.values() for d in v.shape if type(d) is Dim]
    return {name: int(n) for d in dims for name, n in d.atoms.items()}


def size_choices(table: dict[str, Variable]) -> list[dict[str, int]]:
    """Lengths for the named sizes: what is long among the stand-ins is long (an m×n matrix is a tall one, say)."""
    standins = size_names(table)
    order = sorted(standins, key=lambda name: standins[name])
    choices = [dict(zip(order, range(first, 99, step), strict=False)) for first, step in ((2, 1), (3, 2), (4, 2))]
    return [*choices, standins] if standins else [{}]


def places(table: dict[str, Variable], wrt: str | None, rng: Any) -> Iterator[Place]:
    """Points without end, the plain ones first."""
    choices, turn = size_choices(table), 0
    while True:
        usual, manner = _MANNERS[turn % len(_MANNERS)]
        mixed = turn >= len(_MANNERS)
        for lengths in choices if turn < 2 else [choices[turn % len(choices)]]:
            each = {v.name: _MANNERS[rng.integers(5)][1] if mixed else manner for v in table.values()}
            point = {n: _drawn(v, lengths, each[n], rng, turn, n == wrt) for n, v in table.items()}
            yield Place(point, lengths, usual or mixed)
        turn += 1


VERIFIED_SIZE = bound(64)
"""Lengths up to which a named size takes those that stand in the code of a function."""


def other_sizes(table: dict[str, Variable], numbers: list[float], rng: Any) -> Iterator[Place]:
    """Points of many sizes, each length by itself: small ones, and those that the code of a function names."""
    names = size_names(table)
    named = [int(c) + d for c in numbers for d in (0, 1) if c == int(c) and c < VERIFIED_SIZE]
    for length in [*range(1, 8), *named] if names else []:
        lengths = {name: int(rng.integers(1, 8)) for name in names}
        lengths[list(names)[length % len(names)]] = length
        for each in (lengths, dict.fromkeys(names, length)):
            manner = _MANNERS[rng.integers(5)][1]
            yield Place({n: _drawn(v, each, manner, rng, 9, True) for n, v in table.items()}, each)


def around(numbers: list[float], known: list[Place], table: dict[str, Variable], rng: Any) -> Iterator[Place]:
    """Points near the numbers that the code of a function names, where it may branch unseen."""
    for k, c in enumerate(numbers[: _limits.VERIFIED_EDGES] if known else []):
        place = known[k % len(known)]
        for near in (1 - 1e-4, 1 + 1e-4, 1.5, -1 - 1e-4, -1 + 1e-4, -1.5):
            point = {n: np.full_like(x, c * near) if is_free(table[n]) else x for n, x in place.point.items()}
            yield Place(point, place.lengths, False)


def _drawn(v: Variable, lengths: dict[str, int], manner: Manner, rng: Any, turn: int, moved: bool) -> np.ndarray:
    if v.value is not None and (not moved or not turn):
        return v.value
    if v.value is not None and turn < 3:
        return np.asarray(v.value * rng.uniform(0.8, 1.25, v.value.shape))
    shape = shape_at(v.shape, lengths)
    if v.properties - {"positive"}:
        return DRAW[0](f"{v.name} {rng.integers(1 << 30)}", Facts(shape, v.properties))
    values = np.asarray(manner(rng, shape))
    return np.abs(values) + 1e-3 * (values == 0) if "positive" in v.properties else values


# ------------------------------------------------------------------------------------------------------------- edges


class Edge(NamedTuple):
    """Something that holds on one side: a condition, or that a term is above 0."""

    term: Expr
    known: Point

    def holds(self, place: Place) -> np.ndarray | None:
        """Where it does, entry by entry; None if that cannot be said."""
        sizes = {k: np.asarray(float(n)) for k, n in place.lengths.items()}
        try:
            value = evaluate(
                self.term, {**self.known, **sizes, **{"#" + k: n for k, n in sizes.items()}, **place.point}
            )
        except (SymgradError, KeyError, ValueError, np.linalg.LinAlgError):
            return None
        return np.asarray(value > 0)


def surfaces(t: Expr) -> list[Expr]:
    """What is 0 where a step has a kink or jumps: ``a - b`` of ``maximum(a, b)`` and of ``a > b``, ``u`` of ``|u|``."""
    if not isinstance(t, Map) or not (t.op.truth or t.op.kink):
        return []
    first, *others = [shaped(t.shape, 1, [pair]) for pair in t.args]
    return [plus(t.shape, (1, first), (-1, other)) for other in others] or [first]


def thresholds(formulas: list[Formula | None]) -> list[float]:
    """The numbers that formulas compare with."""
    found: dict[float, None] = {}
    for root in [f._full for f in filter(None, formulas)]:
        for t in postorder(root):
            for u in [u for s in surfaces(t) for u in postorder(s)]:
                parts = [(c, constant_of(part)) for c, part, _ in u.terms] if isinstance(u, Add) else []
                numbers = [constant_of(u), *[c * one for c, one in parts if one is not None]]
                found.update({abs(float(c)): None for c in numbers if isinstance(c, (int, float, Fraction))})
    return [c for c in found if c not in (0, 1) and np.isfinite(c)]


def exactly(numbers: list[float], known: list[Place], table: dict[str, Variable]) -> Iterator[Place]:
    """Points on edges, where all variables are one number."""
    for k, c in enumerate((0.0, *numbers)[: _limits.VERIFIED_EDGES] if known else []):
        place = known[k % len(known)]
        for value in (c, -c) if c else (c,):
            point = {n: np.full_like(x, value) if is_free(table[n]) else x for n, x in place.point.items()}
            yield Place(point, place.lengths, False)


def edges_of(formulas: list[Formula | None], conditions: list[tuple[Expr, Point]]) -> list[Edge]:
    """The conditions in formulas, and the operands of functions with kinks."""
    found = {term: Edge(term, known) for term, known in conditions}
    for root, known in [*[(f._full, f.point) for f in filter(None, formulas)], *conditions]:
        for t in postorder(root):
            changing = isinstance(t, Map) and t.op.truth and t.op.name not in ("eq", "ne")
            for term in [t] if changing else surfaces(t):
                found.setdefault(term, Edge(term, known))
    return [e for e, _ in zip(found.values(), range(_limits.VERIFIED_EDGES), strict=False)]


def beside(edge: Edge, known: list[Place], table: dict[str, Variable], rng: Any) -> list[Place]:
    """Points on both sides of an edge; none if it was not met."""
    for one in known[: _limits.VERIFIED_EDGES]:
        first = edge.holds(one)
        for other in [] if first is None else [*_elsewhere(one, table, rng), *known]:
            second = edge.holds(other) if other.lengths == one.lengths else None
            if second is None or first is None or second.shape != first.shape or not (first != second).any():
                continue
            there = tuple(np.argwhere(first != second)[0])
            t = _crossing(edge, one, other, there, table)
            steps = (-0.1, -1e-3, -1e-6, 1e-6, 1e-3, 0.1)
            return [_between(one, other, t + d, table) for d in steps] + [other._replace(usual=False)]
    return []


def _elsewhere(place: Place, table: dict[str, Variable], rng: Any) -> Iterator[Place]:
    """The same point, smaller, larger and turned round."""
    for scale in (-1.0, 0.1, -0.1, 10.0, -10.0, 100.0, -100.0, 1e-3, -1e-3, 1e5, -1e5, 1e9, -1e9):
        point = {n: x * scale if is_free(table[n]) else x for n, x in place.point.items()}
        yield Place(point, place.lengths, False)


def is_free(v: Variable) -> bool:
    return not v.properties and v.value is None


def moves(v: Variable) -> bool:
    """Whether any number near one of its entries could be it."""
    return not v.properties & _DISCRETE


def _between(one: Place, other: Place, t: float, table: dict[str, Variable]) -> Place:
    point = {n: x + t * (other.point[n] - x) if moves(table[n]) else x for n, x in one.point.items()}
    return Place(point, one.lengths, False)


def _crossing(edge: Edge, one: Place, other: Place, entry: Any, table: dict[str, Variable]) -> float:
    """How far from one point to the other an entry of a condition changes."""
    low, high = 0.0, 1.0
    before = edge.holds(one)
    for _ in range(50):
        middle = (low + high) / 2
        now = edge.holds(_between(one, other, middle, table))
        same = now is not None and before is not None and now[entry] == before[entry]
        low, high = (middle, high) if same else (low, middle)
    return low

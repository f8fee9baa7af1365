"""What a formula knows beside its term, and two together; its value at given arrays, and at other sizes.

A formula of named sizes at other sizes: what stands in for a size must not be seen in it.

The idea to hold: the lengths behind named sizes are arbitrary, so whatever the formula says must be true of others too.
The function is run once more with other lengths, and the formula evaluated there beside it; so is each derivative. A
number that came from a length that stood in differs there, however it came about.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .._errors import FormulaError, GradientError, ShapeError, SymgradError
from .._trees import postorder
from ..calculus import (
    Branch,
    Condition,
    Trace,
    holds_for,
    require_declared,
    require_taken,
    substituted_branches,
)
from ..core import TABLE, Dim, Symbol, Tensor, edge, modes, refuse_foreign, wrap
from ..core import sizes_of as sizes_of_tensor
from ..show import to_text
from ..sweep import grad as sweep_grad
from ..sweep.replay import CannotRunAgain, Elsewhere, names_in, other_lengths
from ..terms import Call, Expr, Sizes, Var, evaluate, fixed_length, is_unnamed, sizes_of, substitute, symbols_in
from .check import Source, verdict


def array_of(value: Any) -> np.ndarray:
    """The array of a tensor, or of what NumPy takes for one."""
    return np.asarray(value._data if isinstance(value, Tensor) else value)


def numbers_of(value: Any) -> np.ndarray:
    """The same, whole numbers as floats: products of uint8 go round at 256, those of int64 at 2⁶⁴."""
    array = array_of(value)
    return array.astype(float) if array.dtype.kind in "iu" else array


Again = Callable[[Elsewhere], Tensor]

_FAILS = (SymgradError, CannotRunAgain, ValueError, IndexError, TypeError, KeyError, ArithmeticError)
"""What code raises that does not take other sizes."""


class OtherSizes:
    """What a formula is compared with at other sizes.

    Attributes
    ----------
    lengths : what stands for each named size there
    form : the digest of the term there, which depends on the names of sizes and not on their lengths
    found : the tensor of the function (or of the recorded graph) there; None if it takes no other sizes
    """

    lengths: dict[str, int]
    found: Tensor | None
    form: int

    def __init__(self, lengths: dict[str, int], found: Tensor | None, trace: Trace) -> None:
        self.lengths, self.found, self.form = lengths, found, 0
        self.source: Source | None = None
        if found is None:
            return
        there = Trace()
        self.form = there.tensor(found).digest
        here = {name: leaf for name, leaf in trace.leaves.items() if name in there.leaves}
        self.source = Source(edge(found), {name: there.leaves[name] for name in here}) if edge(found) else None
        symbols = {k: v for k, v in there.point.items() if k in there.declared or k.startswith("#")}
        sizes = {"#" + k: np.asarray(float(n)) for k, n in lengths.items()}
        self.point: dict[str, np.ndarray] = {**trace.point, **symbols, **sizes}

    def derived(self, name: str) -> OtherSizes | None:
        """What the derivative in a variable is compared with."""
        if self.found is None:  # that there is nothing is true of the derivative, too
            return self
        source = None if self.source is None else self.source.derived(name)
        if source is None:
            return None
        new = copy(self)
        new.source, new.form = source, 0
        return new

    def follows(
        self, term: Expr, tol: float, form: Expr | None = None, symmetric: Callable[[], frozenset[str]] = frozenset
    ) -> Any:
        """Whether a term is the function (its derivative) there too, as `verdict` says; None if the two cannot be
        compared.

        ``form`` is the term as it was recorded. That recorded there is the same but for the lengths, even where the
        numbers are too near to tell: a loop over range(n) has other terms. ``symmetric`` is that of `Source.check`.
        """
        if self.found is None:
            return None
        if form is not None and form.digest != self.form and not _has_own_operations(form):
            return False
        try:
            if self.source is None or not self.source.path:
                recorded = None if form is None else partial(evaluate, form)
                return verdict(partial(evaluate, term), self.point, self.found._data, tol, recorded) or False
            return self._derivative_follows(self.source, term, tol, symmetric)
        except _FAILS:
            return None

    def _derivative_follows(self, source: Source, term: Expr, tol: float, symmetric: Any) -> Any:
        try:
            said = source.check(term, self.point, tol, symmetric)
        except FormulaError:
            return False
        return None if isinstance(said, str) and said.startswith("not checked") else said


def _has_own_operations(term: Expr) -> bool:
    """Whether a term has operations that the user defined: two runs make two of each."""
    return any(isinstance(t, Call) and TABLE.get(t.op.name) is not t.op for t in postorder(term))


def other_sizes(t: Tensor, trace: Trace, again: Again | None, turn: int = 0) -> OtherSizes | None:
    """What the formula of ``t`` is compared with at other sizes; None if it has no named ones, or none for a turn.

    ``again`` runs the function that made ``t`` elsewhere; without it the recorded graph is run again. The sizes are in
    the order of those that stand in, or after a ``turn`` in another one.
    """
    sizes = {**names_in(trace.sizes), **names_in(sizes_of_tensor(t))}
    if not sizes or modes.elsewhere.get() is not None:
        return None
    lengths = other_lengths(sizes, turn)
    if not lengths:
        return None
    for run in (again, lambda there: there.again(t)):
        try:
            if run is not None:
                return OtherSizes(lengths, run(Elsewhere(lengths)), trace)
        except _FAILS:
            continue
    return OtherSizes(lengths, None, trace)


def refusal(term: Expr, lengths: dict[str, int]) -> FormulaError:
    """The error that a number in a formula is a length that stood in for a size."""
    sizes = ", ".join([f"{name} = {n}" for name, n in sorted(lengths.items())])
    return FormulaError(
        "a number in the formula is a length that stood in for a named size",
        f"The formula is {to_text(term)[:500]}, and for {sizes} the function is another one.",
        "Compute with the sizes themselves (x.shape[0] / 2, sg.ones(n), sg.eye(n)) in place of int(n), range(n) or "
        "NumPy's np.ones(n); or give the function arrays. (Numbers that it draws or counts must be given, too.)",
    )


# ----------------- What a formula knows beside its term: where it was asked for, what it came from, what was declared


@dataclass(frozen=True)
class Background:
    """What a formula keeps through derivatives and substitutions.

    Attributes
    ----------
    point : the value of every symbol where the formula was asked for
    source : the recorded graph it is checked against; None if there is none
    given : names that stand for terms ("where r = …") and those terms
    special : what simplification may use beside the symbols' own properties, by name
    facts : what was declared of the symbols that have no values, by name
    symbols : the symbols it came from, also those that have dropped out of it
    domains : what the recorded operations asked of their operands
    choices : what holds at the point only: numbers that hang on comparisons
    branches : what Python branched on while the function ran
    detached : the symbols that also occur where no gradient flows, by .detach() or under no_grad
    complex : whether complex numbers occur (their derivatives are the tape's business)
    tol : how far numbers of these dtypes may be from a formula in float64
    elsewhere : what it is compared with at other sizes; None if there is nothing
    follows : whether the term was found to follow its named sizes: what the check says there, or False
    asked_aside : what the operations asked of their operands whose results were compared only
    assumed : what was assumed of symbols since, by name
    """

    point: dict[str, Any]
    source: Source | None = None
    given: tuple[tuple[str, Expr], ...] = ()
    special: dict[str, frozenset[str]] = field(default_factory=dict)
    facts: dict[str, frozenset[str]] = field(default_factory=dict)
    symbols: dict[str, Var] = field(default_factory=dict)
    domains: tuple[Any, ...] = ()
    choices: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    detached: frozenset[str] = frozenset()
    complex: bool = False
    tol: float = 1e-7
    elsewhere: OtherSizes | None = None
    follows: Any = False
    asked_aside: tuple[Any, ...] = ()
    assumed: dict[str, frozenset[str]] = field(default_factory=dict)

    def but(self, **changes: Any) -> Background:
        return replace(self, **changes)

    def compared(
        self,
        term: Expr,
        there: OtherSizes | None,
        form: Expr | None = None,
        symmetric: Callable[[], frozenset[str]] = frozenset,
    ) -> Background:
        """The same, with what a term (recorded as ``form``) was found to be at other sizes than those that stand in.

        Raises
        ------
        FormulaError : it is another number there, and nothing in it says that it would be
        """
        full = self.expanded(term)
        found = there.follows(full, 10 * self.tol, form, symmetric) if there is not None else None
        if there is not None and found is False and not fixed_length(term):
            raise refusal(full, there.lengths)
        return self.but(elsewhere=there, follows=found or False)

    @property
    def takes_no_other_sizes(self) -> bool:
        """Whether the function behind it ran at the sizes that stand in only."""
        return self.elsewhere is not None and self.elsewhere.found is None

    def declared_of(self, x: Var) -> frozenset[str]:
        """What is known of a symbol, by declaration or assumption."""
        none: frozenset[str] = frozenset()
        known = [table.get(x.name, none) for table in (self.facts, self.special, self.assumed)]
        return x.properties.union(*known) - {"complex"}

    def rigid(self, term: Expr) -> str:
        """What in a term does not follow its named sizes; empty if nothing."""
        if self.follows:
            return ""
        return fixed_length(term) or ("the function" if self.takes_no_other_sizes else "")

    def declared(self, term: Expr) -> Expr:
        """A term with what was declared of its symbols (symmetric, ±1…), which derivatives must not use."""
        if not self.special:
            return term
        given: dict[Expr, Expr] = {
            v: Var(v.name, v.shape, v.properties | self.special[v.name])
            for v in symbols_in(term)
            if v.name in self.special
        }
        return substitute(term, given) if given else term

    def substituted(self, given: dict[Expr, Expr]) -> Background:
        """The same with other terms in the place of symbols.

        Raises
        ------
        FormulaError : a condition, or a branch that was taken, does not hold any more
        """
        asked = {name: tuple([(substitute(t, given), kind) for t, kind in getattr(self, name)])
                 for name in ("domains", "asked_aside")}  # fmt: skip
        definitions = tuple([(name, substitute(t, given)) for name, t in self.given])
        return self.but(**asked, given=definitions, branches=substituted_branches(self.branches, given, self.point))

    def expanded(self, term: Expr) -> Expr:
        """A term with its definitions put back."""
        for name, definition in reversed(self.given):
            there: dict[Expr, Expr] = {v: definition for v in symbols_in(term) if v.name == name}
            term = substitute(term, there) if there else term
        return term


# ---------------------------------------------------------------------------- what two formulas know, put together
#
# That is one point, one set of symbols, one function to be checked against.
#
# The idea to hold: a name means one thing. Formulas whose symbols of one name differ (in shape, in value, in what was
# declared) are two functions of different things, and are not combined.


class Constant(Source):
    """A number or an array where a recorded function is asked for."""

    def __init__(self, value: Any) -> None:
        super().__init__(None, {})
        self.value = value

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        return wrap(np.asarray(self.value) * 1.0)


class Combined(Source):
    """The functions behind several formulas, and what was made of them: its derivatives are the tape's, too."""

    sources: Sequence[Source]
    made: Callable[..., Any]

    def __init__(self, sources: Sequence[Source], made: Callable[..., Any]) -> None:
        super().__init__(None, {name: node for s in reversed(sources) for name, node in s.leaves.items()})
        self.sources, self.made = sources, made

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        """The functions (their gradients) run again, and combined again."""
        return self.made(*[_derivative(s, fresh, moved) for s in self.sources])

    def nodes(self, name: str) -> list[Any]:
        """The leaves that a symbol is, one in each function."""
        return [node for s in self.sources for node in s.nodes(name)]


def _derivative(source: Source, fresh: dict[str, Tensor], moved: bool) -> Tensor:
    y = source.again(fresh, moved)
    for name in source.path:
        if y._data.ndim:
            raise CannotRunAgain("a Jacobian among what was combined takes more than one sweep")
        if "symmetric" in getattr(source.leaves[name].facts, "properties", ()):
            raise CannotRunAgain("of a gradient in a symmetric matrix there are several conventions")
        found = sweep_grad([y], [fresh[name]], None, create_graph=True, allow_unused=True) if y._node else (None,)
        y = found[0] if found[0] is not None else fresh[name].detach() * 0
    return y


def merged(parts: Sequence[tuple[Expr, Background]], made: Callable[..., Any]) -> Background:
    """The background of what was made of several formulas, each a term and its own.

    Raises
    ------
    FormulaError : they have different symbols of one name
    """
    known = [b for _, b in parts]
    for k, later in enumerate(known):
        for earlier in known[:k]:
            _refuse_namesakes(earlier, later)
    sources = [b.source for b in known]
    given = {name: term for b in known for name, term in b.given}
    return Background(
        _joined(b.point for b in known),
        Combined([s for s in sources if s], made) if all(sources) and any(s and s.leaves for s in sources) else None,
        tuple(given.items()), _joined(b.special for b in known), _joined(b.facts for b in known),
        _joined(b.symbols for b in known), sum([b.domains for b in known], ()),
        _distinct(b.choices for b in known), _distinct(b.branches for b in known),
        frozenset().union(*[b.detached for b in known]), any(b.complex for b in known), max(b.tol for b in known),
        next((b.elsewhere for b in known if b.takes_no_other_sizes), None),
        all(b.follows or not _has_names(t, b) for t, b in parts),
        sum([b.asked_aside for b in known], ()), _joined(b.assumed for b in known),
    )  # fmt: skip


def _joined(tables: Any) -> dict[str, Any]:
    return {name: known for table in tables for name, known in table.items()}


def _distinct(found: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys([x for each in found for x in each]))


def _has_names(term: Expr, background: Background) -> bool:
    return any(type(n) is Dim for t in (*postorder(term), *background.symbols.values()) for n in t.shape)


def key_of(shape: Any) -> tuple[Any, ...]:
    """A shape to compare by: a named size equals no other, whatever stands in for it."""
    return tuple([n.terms if type(n) is Dim else int(n) for n in shape])


def _refuse_namesakes(a: Background, b: Background) -> None:
    """Raise if a name means different things in two formulas."""
    for name in (set(a.symbols) | {k for k, _ in a.given}) & (set(b.symbols) | {k for k, _ in b.given}):
        why = difference(name, a, b)
        if why:
            raise FormulaError(
                f"{name!r} is not the same in both formulas: {why}", "One formula has one meaning for a name.",
                f'Give it another name in one of them: f.subs({name}="{name}_1").',
            )  # fmt: skip


def difference(name: str, a: Background, b: Background) -> str:
    """How the meanings of a name differ in two formulas; empty if they are one."""
    given = dict(a.given).get(name), dict(b.given).get(name)
    if given != (None, None):
        return "" if given[0] is given[1] else "it stands for another part in each"
    x, y = a.symbols[name], b.symbols[name]
    if key_of(x.shape) != key_of(y.shape):
        return f"its shape is {shown(x.shape)} and {shown(y.shape)}"
    if "size" in x.properties & y.properties:
        return ""
    if (name in a.facts) is not (name in b.facts):
        return "it has a value in one, in the other it is a symbol without"
    one, two = a.declared_of(x), b.declared_of(y)
    if one != two:
        return f"one is {', '.join(sorted(one ^ two))}, the other is not declared so"
    valued = name not in a.facts and name in a.point and name in b.point
    if valued and not np.array_equal(a.point[name], b.point[name], equal_nan=True):
        return "it has other values"
    nodes = [n for s in (a.source, b.source) if s is not None for n in s.nodes(name)]
    if any(node.label is None and node is not nodes[0] for node in nodes):
        return "it numbers another tensor without a name"
    return ""


def shown(shape: Any) -> str:
    return "×".join([str(n.name if type(n) is Dim else int(n)) for n in shape]) or "()"


def other_data(f: Any, g: Any) -> str:
    """A name that was made for data in two formulas, and stands for others in each; empty if there is none."""
    made = sorted(n for n in f.free_symbols & g.free_symbols if is_unnamed(n) and n not in f._background.facts)
    return next((n for n in made if difference(n, f._background, g._background)), "")


# ------------------------------------------------------------------------------------------------------- given values
#
# The value of a formula at given arrays: what they are given for, what sizes they have, what was declared of them.
#
# The idea to hold: a formula of arrays keeps the numbers it was made with; a symbol has none. What stands in for its
# values is for checking, never for a result.


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


def value_given(
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
    known, lengths = background.symbols, named_sizes(term, background)
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
    arrays = {k: numbers_of(v) for k, v in values.items() if k in known}
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":
            raise FormulaError(
                f"{name!r} is given a {type(values[name]).__name__}: {values[name]!r}",
                "A formula has numbers as values, and nothing is differentiated through it.",
                f'Its derivatives are formulas, too: f.grad("{name}").',
            )
        if array.dtype.kind == "c" and array.imag.any() and "complex" not in known[name].properties:
            with _noted(mode):
                raise FormulaError(
                    f"{name!r} stands for real numbers, and is given complex ones",
                    "The formula was simplified for real numbers: |x|² is x² there.",
                    'Ask sg.formula(f, …) at complex arrays; conditions="ignore" computes all the same.',
                )
        if "size" not in known[name].properties:
            with _noted(mode):
                require_declared(name, array, background.declared_of(known[name]))
    for choice in background.choices if arrays else ():
        with _noted(mode):
            _refuse_chosen(choice)
    sizes, arrays = sizes_of(known, arrays)
    _count(sizes, {k: v for k, v in values.items() if k not in known or "size" in known[k].properties}, lengths)
    _refuse_standins(term, background, arrays, sizes)
    refuse_rigid(term, background, sizes)
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


def refuse_rigid(term: Expr, background: Background, sizes: Sizes) -> None:
    """Raise if some sizes are others than those that stand in, and a term does not follow them."""
    others = any(int(new) != int(old) for old, new in sizes.values())
    if others and (stiff := background.rigid(term)):
        raise ShapeError(
            "the formula holds for the sizes that it was made with only",
            f"'{stiff}' in it has a length that does not follow the named sizes.",
            "Ask sg.formula(f, …) with arrays of the size you need.",
        )


def _require(condition: Condition, point: dict[str, Any], unknown: set[str]) -> None:
    """Raise if a condition does not hold at a point; of symbols that have no value there is none to look at."""
    if condition.term is None or any(t.name in unknown for t in symbols_in(condition.term)):
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


def named_sizes(term: Expr, background: Background) -> dict[str, int]:
    """The named sizes of a term and of its symbols, with what stands in for them."""
    found: dict[str, int] = {}
    for t in (*postorder(term), *background.symbols.values()):
        for d in t.shape:
            found.update(d.atoms if type(d) is Dim and d.exact else ())
    return found


def _count(sizes: Sizes, given: dict[str, Any], lengths: dict[str, int]) -> None:
    """Add the sizes that are given by name to those that the arrays have."""
    for name, value in given.items():
        if not float(value).is_integer() or value < 0:
            raise ShapeError(f"the size {name} is given as {value!r}", "A size is a whole number, at least 0.", "")
        n = int(value)
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

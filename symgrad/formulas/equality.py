"""Whether two formulas are the same, and how that was found; what two formulas know, put together.

What two formulas know, put together: one point, one set of symbols, one function to be checked against.

The idea to hold: a name means one thing. Formulas whose symbols of one name differ (in shape, in value, in what was
declared) are two functions of different things, and are not combined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from ..calculus import INVERTIBLE, holds_for, simplify
from ..core import DRAW, Dim, Facts, Tensor, wrap
from ..sweep import grad as sweep_grad
from ..sweep.replay import CannotRunAgain, other_lengths
from ..terms import Call, Expr, Map, Var, all_values, constant_of, evaluate, is_unnamed, shape_at
from .background import Background
from .check import Source, agree, spread


class Constant(Source):
    """A number or an array where a recorded function is asked for."""

    def __init__(self, value: Any) -> None:
        super().__init__(None, {})
        self.value = value

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        return wrap(np.asarray(self.value) * 1.0)


class Combined(Source):
    """The functions behind several formulas, and what was made of them: its derivatives are the tape's, too."""

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
        {k: v for b in known for k, v in b.point.items()},
        Combined([s for s in sources if s], made) if all(sources) and any(s and s.leaves for s in sources) else None,
        tuple(given.items()), _joined(b.special for b in known), _joined(b.facts for b in known),
        {k: v for b in known for k, v in b.symbols.items()}, sum([b.domains for b in known], ()),
        _distinct(b.choices for b in known), _distinct(b.branches for b in known),
        frozenset().union(*[b.detached for b in known]), any(b.complex for b in known), max(b.tol for b in known),
        next((b.elsewhere for b in known if b.takes_no_other_sizes), None),
        all(b.follows or not _has_names(t, b) for t, b in parts),
        sum([b.asked_aside for b in known], ()), _joined(b.assumed for b in known),
    )  # fmt: skip


def _joined(tables: Any) -> dict[str, frozenset[str]]:
    return {name: facts for table in tables for name, facts in table.items()}


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


# ----------- Whether two formulas are the same, and how that was found: by their form, else by value at random points
#
# The idea to hold: only the form proves it. Points tell two formulas apart, and make it likely that they are one; so
# there are some of either sign, some of whole numbers (where functions have corners), some of each magnitude, some on
# either side of what is compared with a number, some at other sizes; those where a formula has no value, and those
# where only rounding tells, do not count. Data without a name are numbers: they are the same, or another formula.


_TOL = 1e-8
_ROUNDING = 1e-10  # of the largest number on the way


class Comparison:
    """The answer to whether two formulas are the same: true or false, and ``how`` it was found.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.parse("t**2", t=()).equals(sg.parse("t", t=()))
    differ at t = 0.304: 0.0926 and 0.304
    """

    def __init__(self, equal: bool, how: str) -> None:
        self.equal, self.how = equal, how

    def __bool__(self) -> bool:
        return self.equal

    def __repr__(self) -> str:
        return self.how

    def __eq__(self, other: object) -> bool:
        return self.equal == bool(other) if isinstance(other, bool | Comparison) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.equal)


def compared(f: Any, g: Any) -> Comparison:
    pair = f._expanded(), g._expanded()
    special = {k: v for h in (g, f) for k, v in h._background.special.items()}
    declared = f._background.but(special=special).declared
    if f == g or (simplify(declared(pair[0])) is simplify(declared(pair[1])) and not other_data(f, g)):
        return Comparison(True, "same form")
    if tuple(map(int, f.shape)) != tuple(map(int, g.shape)):
        return Comparison(False, f"differ: their shapes are {shown(f.shape)} and {shown(g.shape)}")
    data = other_data(f, g)
    if data:
        return Comparison(False, f"differ: {data} in each is an array without a name, and not the same")
    known = [{v.name: v for v in postorder(t) if isinstance(v, Var)} for t in pair]
    for name in known[0].keys() & known[1].keys():
        x, y = (table[name] for table in known)
        if tuple(map(int, x.shape)) != tuple(map(int, y.shape)):
            return Comparison(False, f"differ: {name} has the shapes {shown(x.shape)} and {shown(y.shape)}")
    return _by_value(f, g, pair, {**known[1], **known[0]})


def other_data(f: Any, g: Any) -> str:
    """A name that was made for data in two formulas, and stands for others in each; empty if there is none."""
    made = sorted(n for n in f.free_symbols & g.free_symbols if is_unnamed(n) and n not in f._background.facts)
    return next((n for n in made if difference(n, f._background, g._background)), "")


def _by_value(f: Any, g: Any, pair: tuple[Expr, Expr], symbols: dict[str, Var]) -> Comparison:
    counted, alone, tried = 0, 0, 0
    for here in _points(pair, _Draws(f, g, symbols)):
        tried += 1
        if not _has_inverses(pair, here):  # at the lengths that stand in for sizes, say
            continue
        one, two = (evaluate(t, here) for t in pair)
        if not agree(one, two, _TOL):
            if not _is_decided(pair, here, one, two):
                continue
            return Comparison(False, _difference(one, two, here, symbols))
        finite = np.isfinite(one * 1.0), np.isfinite(two * 1.0)
        counted += bool((finite[0] & finite[1]).any()) or not one.size
        alone += bool((finite[0] != finite[1]).any())
    elsewhere = _at_other_sizes(f, g, pair, symbols)
    for difference_there in elsewhere:
        counted += 1
        if difference_there:
            return Comparison(False, difference_there)
    if not counted:
        return Comparison(False, f"not known: at none of {tried} points both have a value")
    beside = f"; at {alone} only one has all its values" if alone else ""
    return Comparison(True, f"agree at {counted} point{'s' * (counted > 1)} to 1e-8{beside}")


def _facts(x: Var, formulas: Any) -> Facts:
    return Facts(x.shape, frozenset().union(*[f._background.declared_of(x) for f in formulas]))


EQUAL_POINTS = bound(8)
"""Random points near where they were made at which two formulas are compared by value."""
EQUAL_DECADES = bound(2)
"""Powers of ten, up and down, at whose sizes they are compared, too."""
EQUAL_BESIDE = bound(8)
"""Numbers that something in them is compared with, on either side of which they are."""


def _points(pair: tuple[Expr, Expr], draws: _Draws) -> Iterator[dict[str, Any]]:
    """Where two terms are compared.

    First next to where they were made, then of either sign, then whole numbers; then at each power of ten, and on
    either side of each number that something is compared with, for what is chosen there.
    """
    for turn in range(EQUAL_POINTS):
        yield draws.near(turn)
    for power in range(-EQUAL_DECADES, EQUAL_DECADES + 1):
        yield from draws.around(0, 10.0**power)
    for c in _compared_with(pair)[:EQUAL_BESIDE]:
        yield from draws.around(c, 0.01 * (1 + abs(c)))


class _Draws:
    """Other values of the symbols of two formulas."""

    def __init__(self, f: Any, g: Any, symbols: dict[str, Var]) -> None:
        self.formulas, self.symbols = (f, g), symbols
        self.point = {**g.point, **f.point}
        self.rng = np.random.default_rng(0)

    def near(self, turn: int) -> dict[str, Any]:
        """Values next to their own in the first turns, of either sign in the others, at last whole."""

        def drawn(value: Any) -> Any:
            if turn >= EQUAL_POINTS - 2 and value.ndim < 2:  # (a matrix of these may be singular)
                return self.rng.integers(-2, 3, value.shape) * 1.0
            close = turn < 3
            return value * self.rng.uniform(0.8, 1.25, value.shape) if close else self.rng.normal(size=value.shape)

        return {k: self.moved(k, np.asarray(v), drawn, turn) for k, v in self.point.items()}

    def around(self, centre: float, size: float) -> list[dict[str, Any]]:
        """Values on one side of a number, of a size of their own, and as far on the other side."""
        changes = {
            k: size * self.rng.uniform(0.4, 1.6) * self.rng.uniform(0.5, 1.5, np.shape(v)) * self.signs(np.shape(v))
            for k, v in self.point.items()
        }

        def beside(name: str, value: Any, sign: int) -> Any:
            return self.moved(name, np.asarray(value), lambda _: centre + sign * changes[name])

        return [{k: beside(k, v, sign) for k, v in self.point.items()} for sign in (1, -1)]

    def signs(self, shape: Any) -> np.ndarray:
        """A sign for each entry."""
        return self.rng.choice([-1.0, 1.0], shape)

    def moved(self, name: str, value: np.ndarray, drawn: Any, turn: int | None = None) -> Any:
        """Another value of a symbol, as ``drawn`` gives it; one that has what was declared of it, if anything was."""
        x = self.symbols.get(name)
        if x is None or value.dtype.kind not in "fc" or "size" in x.properties:
            return value
        declared = any(name in f._background.facts for f in self.formulas)
        if is_unnamed(name) and not declared:
            return value
        facts = _facts(x, self.formulas)
        if not facts.properties:
            return drawn(value)
        if not declared:  # a symbol has others that are so; an array keeps its own
            return value
        if turn is None and facts.properties == {"positive"}:
            return np.abs(drawn(value))
        return DRAW[0](f"{name} {'' if turn is None else turn}", facts)


_CHOOSING = frozenset(["maximum", "minimum", "fmax", "fmin", "clamp"])


def _compared_with(pair: tuple[Expr, Expr]) -> list[float]:
    """The numbers that something is compared with in two terms."""
    found: dict[float, None] = {}
    for term in postorder(*pair):
        if isinstance(term, Map) and (term.op.truth or term.op.name in _CHOOSING):
            known = [constant_of(a) for a, _ in term.args]
            found.update(dict.fromkeys([float(c) for c in known if isinstance(c, int | float | Fraction)]))
    return [c for c in found if c and np.isfinite(c)]


def _is_decided(pair: tuple[Expr, Expr], here: dict[str, Any], one: Any, two: Any) -> bool:
    """Whether two values differ by more than rounding explains: next to the largest number on the way, and to what a
    hair's change of the point makes of each."""
    with np.errstate(all="ignore"):
        apart = np.abs(one * 1.0 - two)
        apart = float(np.nan_to_num(apart, posinf=0).max(initial=0))
        on_the_way = [np.abs(np.asarray(a) * 1.0) for key, a in all_values(pair, here).items() if key != "sizes"]
    largest = max([float(a[np.isfinite(a)].max(initial=0)) for a in on_the_way])
    return apart > _ROUNDING * largest and apart > 100 * max(spread(partial(evaluate, t), here) for t in pair)


def _has_inverses(pair: tuple[Expr, Expr], here: dict[str, Any]) -> bool:
    """Whether all that is inverted in two terms can be."""
    inverted = {t.args[0] for root in pair for t in postorder(root) if isinstance(t, Call) and t.op.name == "inv"}
    return all(holds_for(INVERTIBLE, evaluate(t, here)) for t in inverted)


def _at_other_sizes(f: Any, g: Any, pair: tuple[Expr, Expr], symbols: dict[str, Var]) -> Iterator[str]:
    """How two formulas differ where the named sizes are others; empty texts where they do not."""
    names = {a: n for t in pair for u in postorder(t) for d in u.shape if type(d) is Dim for a, n in d.atoms.items()}
    names |= {v.name: int(f.point.get("#" + v.name, 0)) for v in symbols.values() if "size" in v.properties}
    if not names or any(h._background.rigid(h._expanded()) for h in (f, g)):
        return
    others = other_lengths(names)
    for lengths in (others, dict(zip(others, [*others.values()][::-1]))):  # m > n, and m < n
        here: dict[str, Any] = {**g.point, **f.point, **{"#" + a: np.asarray(float(n)) for a, n in lengths.items()}}
        for name, x in symbols.items():
            if "size" not in x.properties and any(name in h._background.facts for h in (f, g)):
                here[name] = DRAW[0](name, _facts(x, (f, g))._replace(shape=shape_at(x.shape, lengths)))
        if _has_inverses(pair, here):
            one, two = (evaluate(t, here) for t in pair)
            if agree(one, two, _TOL):
                yield ""
            elif _is_decided(pair, here, one, two):
                yield _difference(one, two, here, symbols, lengths)


def _difference(one: Any, two: Any, point: dict[str, Any], symbols: dict[str, Var], lengths: Any = None) -> str:
    """Where two formulas differ, and how: the entry that differs most."""
    if one.shape != two.shape:
        return f"differ: their shapes are {one.shape} and {two.shape}"
    apart = np.nan_to_num(np.abs(one * 1.0 - two))
    at = np.unravel_index(int(apart.argmax()), apart.shape)
    where = [
        f"{k} = {_brief(point[k])}" for k, x in sorted(symbols.items()) if k in point and "size" not in x.properties
    ]
    where += [f"{k} = {n}" for k, n in sorted((lengths or {}).items())]
    entry = f", entry {', '.join(map(str, at))}" if at else ""
    return f"differ at {', '.join(where) or 'any point'}{entry}: {_brief(one[at])} and {_brief(two[at])}"


def _brief(value: Any) -> str:
    value = np.asarray(value)
    if value.size > 4:
        return f"{'×'.join(map(str, value.shape))} random numbers"
    return np.array2string(value, formatter={"all": lambda v: f"{v:.3g}"}, separator=", ").replace("\n", "")

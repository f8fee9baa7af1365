"""Whether two formulas are the same, and how that was found: by their form, by a proof, else by value at points.

The idea to hold: points tell two formulas apart, and make it likely that they are one; only rewriting proves it. Those
points do not count where a formula has no value, and where only rounding tells. Data without a name are numbers: they
are the same, or another formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import SymgradError
from .._trees import postorder
from ..calculus import simplify
from ..terms import Add, Ein, Map, is_unnamed, symbols_in
from .background import key_of, other_data, shown
from .points import Place, Quantity
from .pointwise import FormulaSide, Known, Pointwise, Reference, Undefined, brief, points_text, weight
from .proof import reduced


class Comparison:
    """The answer to whether two formulas are the same: true or false, and ``how`` it was found.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.parse("t**2", t=()).equals(sg.parse("t", t=()))
    differ at t = 1.5: 2.25 and 1.5
    """

    equal: bool
    how: str

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
    known = [{v.name: v for v in symbols_in(t)} for t in pair]
    for name in known[0].keys() & known[1].keys():
        x, y = (table[name] for table in known)
        if tuple(map(int, x.shape)) != tuple(map(int, y.shape)):
            return Comparison(False, f"differ: {name} has the shapes {shown(x.shape)} and {shown(y.shape)}")
    return _by_value(f, g)


def _proof(f: Any, g: Any) -> str:
    """How the difference of two formulas becomes 0; empty if it is not known, or rests on rounded numbers."""
    if any(map(is_rounded, postorder(f._expanded(), g._expanded()))):
        return ""
    zero = reduced(f, g, f, f.free_symbols | g.free_symbols, values=True, cheaply=True)
    return "" if zero.why else zero.lines[-1].reason


def is_rounded(t: Any) -> bool:
    """Whether a term has a float of its own, which may stand for another number near it."""
    numbers = [t.coef] if isinstance(t, Ein) else [c for c, *_ in t.terms] if isinstance(t, Add) else []
    return any(isinstance(c, float) for c in (*numbers, *(t.params if isinstance(t, Map) else ())))


class _Both(Reference):
    """The values of a formula where another one has some, too.

    ``alone`` is at how many places only one has all its values.
    """

    def __init__(self, f: FormulaSide, g: FormulaSide) -> None:
        super().__init__(f)
        self.sides, self.alone = (f, g), 0

    def at(self, place: Place, rng: Any) -> Known | None:
        one, two = [_value(side, place) for side in self.sides]
        if one is None or two is None:
            return None
        finite = np.isfinite(one), np.isfinite(two)
        self.alone += bool((finite[0] != finite[1]).any())
        both = finite[0] & finite[1]
        return Known(np.where(both, one, np.nan), 0.0, "the formula") if both.any() or not both.size else None

    def speaks_of(self, place: Place) -> bool:
        return all(side.has_value(place) for side in self.sides)


def _value(side: FormulaSide, place: Place) -> Any:
    try:
        return side.value(*place[:2])
    except (SymgradError, Undefined):
        return None


def _by_value(f: Any, g: Any) -> Comparison:
    one, two = FormulaSide(f, "f"), FormulaSide(g, "g")
    truth = _Both(one, two)
    seen = Pointwise(one, two, truth, _quantities(f, g))
    for look in (seen.look_anywhere, seen.look_further):
        look()
        if seen.found:
            seen.judge(every=False)
        if seen.refuted:
            return Comparison(False, _difference(min(seen.refuted, key=weight), f.free_symbols | g.free_symbols))
        if look == seen.look_anywhere and (reason := _proof(f, g)):
            return Comparison(True, f"proved: {reason}")
    if not seen.found:
        return Comparison(False, f"not known: at none of {seen.dropped} points both have a value")
    if not seen.agreed:
        return Comparison(False, f"not known: at {points_text(len(seen.found))} rounding decides")
    beside = f"; at {truth.alone} only one has all its values" if truth.alone else ""
    return Comparison(True, f"agree at {points_text(len(seen.agreed))} to 1e-8{beside}")


def _quantities(f: Any, g: Any) -> dict[str, Quantity]:
    """What is drawn: symbols, and arrays with a name of which nothing was declared; the others keep their values."""
    point = {**g.point, **f.point}
    mine, others = f._background.symbols, g._background.symbols
    fixed = any(h._background.rigid(h._expanded()) for h in (f, g)) or any(
        key_of(mine[name].shape) != key_of(others[name].shape) for name in mine.keys() & others.keys()
    )
    table: dict[str, Quantity] = {}
    for name, x in {**others, **mine}.items():
        if "size" in x.properties:
            table |= {} if fixed else {name: Quantity(name, (), x.properties, point["#" + name])}
            continue
        properties = frozenset().union(*[h._background.declared_of(x) for h in (f, g)])
        declared = any(name in h._background.facts for h in (f, g))
        value = np.asarray(point[name])
        moves = declared or (value.dtype.kind in "fc" and not properties and not is_unnamed(name))
        complex_ = frozenset(["complex"] if value.dtype.kind == "c" else [])
        shape = tuple(map(int, x.shape)) if fixed else tuple(x.shape)
        table[name] = Quantity(name, shape, properties | complex_, None if moves else value)
    return table


def _difference(one: Any, names: set[str]) -> str:
    """Where two formulas differ, and how: the entry that differs most."""
    point, lengths = one.place.point, one.place.lengths
    where = [f"{k} = {brief(point[k])}" for k in sorted(names & point.keys() - lengths.keys())]
    where += [f"{k} = {n}" for k, n in sorted(lengths.items())]
    entry = f", entry {', '.join(map(str, one.entry))}" if one.entry else ""
    values = f"{brief(one.right[one.entry])} and {brief(one.claimed[one.entry])}"
    return f"differ at {', '.join(where) or 'any point'}{entry}: {values}"

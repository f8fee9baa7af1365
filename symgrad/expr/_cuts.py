"""Where a long function is cut for its derivation: which parts get a name, which letter it is, which rule is meant.

The idea to hold: a part gets a name where the chain rule turns from one function to the next, or where it is used
again. What is smaller than its name's worth, or of no consequence for the derivative, stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from .. import _limits, show
from .._postorder import postorder
from ..show._layout import LAST
from ._add import inner_sum
from ._call_derivatives import jacobian
from ._derive import Values, depends, product
from ._ein import ein
from ._evaluate import evaluate
from ._lift import plus
from ._map import map_
from ._node import Add, Call, Ein, Expr, Indices, Map, Var
from ._partials import partial
from ._simplify import simplify
from ._substitute import substitute

_LETTERS = {0: "stqceh", 1: "uvwzrh", 2: "UVWZRH"}


class Part(NamedTuple):
    """A named part: its symbol, what it is in terms of the variable and of parts before, and the term itself."""

    name: Var
    definition: Expr
    term: Expr


class Letters:
    """The names of a derivation: each means one thing, and is none of the problem's.

    Attributes
    ----------
    taken : the names in use
    d : the sign before a name that makes its change
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken, self._known = set(taken), dict[Any, str]()
        self.d = next(d for d in "dδDΔ" if self.taken.isdisjoint([d + name for name in self.taken]))

    def spare(self, names: Iterable[str]) -> str:
        """The first name that nothing else has, nor its change, nor its gradient (r̄)."""
        name = next(n for n in names if self.taken.isdisjoint((n, f"d{n}", f"{n}_bar")))
        self.taken.update((name, f"d{name}", f"{name}_bar"))
        return name

    def of(self, what: Any, letters: str) -> str:
        """The letter of something: always the same."""
        if what not in self._known:
            self._known[what] = self.spare([*letters, *[f"{letters[0]}{k}" for k in range(1, 1000)]])
        return self._known[what]


def cut(root: Expr, x: Var, letters: Letters, given: dict[Expr, str]) -> tuple[list[Part], Expr]:
    """The named parts of a function of ``x``, inner ones first, and the function in terms of them.

    ``given`` has the names that parts were given.
    """
    parts: list[Part] = []
    for term in _worth(root, x, given):
        definition = in_names(term, parts)
        name = Var(given.get(term) or _spare_name(term, letters), term.shape)
        parts.append(Part(name, definition, term))
    short = in_names(root, parts)
    used = {t for t in postorder(short) if isinstance(t, Var)}
    kept = []
    for part in reversed(parts):  # a part that only stood in others which have been put together
        if part.name in used:
            used |= {t for t in postorder(part.definition) if isinstance(t, Var)}
            kept.append(part)
    return kept[::-1], short


def _worth(root: Expr, x: Var, given: dict[Expr, str]) -> list[Expr]:
    """The parts that get a name."""
    found: dict[Expr, int] = {}
    for t in postorder(root):
        if not depends(t, x):
            continue
        if isinstance(t, Call) and t is not root:
            found[t] = found.get(t, 0) + 2
        for child in _turning(t):
            found[child] = found.get(child, 0) + 2
        for child in t.children:
            found[child] = found.get(child, 0) + 1
    opposites = {_opposite(t) for t in given}  # a square may hold 1 − w where w − 1 has a name
    inside = [t for t in postorder(root) if t is not root and t.children and depends(t, x) and t not in opposites]
    inside += [t for t in given if t not in inside and depends(t, x)]
    order = [t for t in inside if t in given or (found.get(t, 0) > 1 and not _is_small(t))]
    most = sorted(order, key=lambda t: (t not in given, -found.get(t, 0), -t.weight))[: _limits.LET]
    return [t for t in order if t in most]


def _is_small(t: Expr) -> bool:
    product = isinstance(t, Ein) and len(t.factors) > 1 and len(t.dims) > t.rank
    return t.weight <= _limits.SMALL_PART and not product and not isinstance(t, Call)


def _turning(t: Expr) -> list[Expr]:
    """The operands at which the chain rule turns to another function."""
    if isinstance(t, Map):
        return [] if t.op.truth else [a for a, _ in (t.args[1:] if t.op.name == "where" else t.args)]
    if isinstance(t, Call):
        return list(t.args)
    return [f for f, _ in t.factors if isinstance(f, Add)] if isinstance(t, Ein) and len(t.factors) > 1 else []


def _spare_name(term: Expr, letters: Letters) -> str:
    """A letter for a part that nothing else has: r of a difference, p of probabilities."""
    others = _LETTERS.get(term.rank, "UVWZRH")
    first = ""
    if isinstance(term, Call) and term.op.name == "softmax":
        first = "p"
    elif isinstance(inner_sum(term)[0], Add):
        first = "r"
    first = first.upper() if term.rank > 1 else first
    return letters.spare([*first, *others, *[f"{others[0]}{k}" for k in range(1, 1000)]])


def in_names(term: Expr, parts: list[Part]) -> Expr:
    """A term with the names of parts in the place of what they are, the outer ones first."""
    term = substitute(term, {t: name for p in parts for t, name in _either(p.term, p.name)})
    for p in reversed(parts):
        term = substitute(term, dict(_either(p.definition, p.name)))
        if isinstance(p.definition, Ein):
            found = {t: _folded(t, p.definition, p.name) for t in postorder(term)}
            term = substitute(term, {t: new for t, new in found.items() if new is not None})
    return term


def _either(term: Expr, name: Var) -> list[tuple[Expr, Expr]]:
    """A part and its opposite, by its name."""
    return [(_opposite(term), plus(name.shape, (-1, name))), (term, name)]


def _opposite(term: Expr) -> Expr:
    return simplify(plus(term.shape, (-1, term)))


def _folded(t: Expr, part: Ein, name: Var) -> Expr | None:
    """A product with a product in it by its name: y ⊙ Xw as y ⊙ u; None if it is not in it."""
    if not isinstance(t, Ein) or len(t.factors) <= len(part.factors):
        return None
    found = _match(list(part.factors), list(t.factors), {})
    if found is None:
        return None
    rest, labels = found
    open_ = set(range(t.rank)).union(*[s for _, s in rest])
    inner = [labels[k] for k in range(part.rank, len(part.dims))]
    if len(set(labels.values())) < len(labels) or not open_.isdisjoint(inner):
        return None
    factors = [*rest, (name, tuple([labels[k] for k in range(part.rank)]))]
    return ein(t.coef * (Fraction(1) / part.coef), factors, tuple(range(t.rank)), dict(enumerate(t.dims)))


def _match(wanted: list[Any], there: list[Any], labels: dict[int, int]) -> Any:
    """The factors that are left when the wanted ones are taken out, and which label each of their labels is."""
    if not wanted:
        return there, labels
    (f, s), *others = wanted
    for place, (g, t) in enumerate(there):
        if g is f and all(labels.get(a, b) == b for a, b in zip(s, t, strict=True)):
            new = {**labels, **dict(zip(s, t, strict=True))}
            found = _match(others, [*there[:place], *there[place + 1 :]], new)
            if found is not None:
                return found
    return None


# --------------------------------------------------------------------------------------------------------- the rules


def rules_of(term: Expr, variables: list[Var], values: Values, letters: Letters) -> str:
    """Which rules the differential of a term takes, with those of the functions in it.

    They are said of what the functions are of, where that has a name; else of a letter that nothing else has.
    """
    moving = [t for t in postorder(term) if any(depends(t, v) for v in variables)]
    functions = [t for t in moving if isinstance(t, (Map, Call)) and not (isinstance(t, Map) and t.op.truth)]
    said = []
    if isinstance(inner_sum(term)[0], Add) and functions:
        said.append("sum rule")
    if any(isinstance(t, Ein) and sum([f in moving for f, _ in t.factors]) > 1 for t in moving):
        said.append("product rule")
    if not said and not functions:
        return "linear in " + " and ".join([v.name for v in variables]) if variables else "constant"
    own = term in functions and set(term.children) <= {*variables}
    rules = dict.fromkeys([rule for t in functions if (rule := _rule(t, values, letters))])
    if own:
        said.append("the derivative of " + show.to_text(term).partition("(")[0])
    elif rules:
        said.append("chain rule: " + "; ".join(rules))
    return ", ".join(said)


def _rule(t: Any, values: Values, letters: Letters) -> str:
    """What the differential of a function of one variable is: d exp(u) = exp(u) du."""
    if len(t.args) != 1 or (isinstance(t, Call) and t.out not in (None, 1)):
        return ""
    operand = t.args[0] if isinstance(t, Call) else t.args[0][0]
    signs = "UVWZ" if isinstance(t, Call) and operand.rank > 1 else "uvwz"
    letter = operand.name if isinstance(operand, Var) else letters.of(signs, signs)
    inside = t.args[0].shape if isinstance(t, Call) else ()
    u, du = Var(letter, inside), Var(f"{LAST}{letters.d}{letter}", inside)
    if isinstance(t, Map):
        function = map_(t.op, [(u, ())], t.params, ())
        if not isinstance(function, Map):
            return ""
        right = show.to_text(ein(1, [(partial(function, 0), ()), (du, ())], ()), taken=letters.taken)
        note = ""
    else:
        function = Call(t.op, (u,), t.params, t.shape, t.out)
        value = Var(letters.of(function, "PQ" if t.rank > 1 else "pq"), t.shape)
        change = _differential_of(function, u, du, {letter: evaluate(t.args[0], values)})
        short = substitute(change, {function: value})
        right = show.to_text(short, taken=letters.taken)
        note = f", {value.name} = {show.to_text(function, taken=letters.taken)}" if short is not change else ""
    left = show.to_text(function, taken=letters.taken)
    left = f"({left})" if "/" in left or left[0] == "−" else f" {left}"
    text = f"{letters.d}{left} = {right}{note}".replace(LAST, "")
    return "" if "\n" in text else text


def _differential_of(call: Call, u: Var, du: Var, values: Values) -> Expr:
    """The Jacobian of a call on a change of its operand."""
    j, n = jacobian(call, 0, values), call.rank
    inside: Indices = tuple(range(n, n + u.rank))
    return product(1, [(j, (*range(n), *inside)), (du, inside)], tuple(range(n)), dict(enumerate(call.shape)))

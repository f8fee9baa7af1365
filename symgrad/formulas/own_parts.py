"""A derivative in the function's own parts: 2(aPᵀr − r) where r = aPx + v − av − x, as the function was written.

The idea to hold: what a function uses more than once, or puts into something that is not linear, comes back in its
derivatives, but normal form multiplies it out. Here such a part is a symbol all along: the function is differentiated
as one of its variables and its parts, and the chain rule goes through the parts' definitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import islice, starmap
from typing import Any, NamedTuple

import numpy as np

from .._errors import SymgradError
from .._limits import bound
from .._trees import postorder
from ..calculus import (
    POWERS,
    Condition,
    Let,
    Step,
    depends,
    derivative,
    divisors,
    gradient,
    gradients,
    inlined,
    of_rewrite,
    plus,
    ratios,
    roots,
    simplify,
    split_products,
    split_quotients,
    symbol_of,
    unstated_conditions,
)
from ..terms import (
    Add,
    Call,
    Ein,
    Expr,
    Map,
    Var,
    dotted,
    ein,
    evaluate,
    is_zero,
    map_bottom_up,
    number,
    pow_,
    scaled,
    substitute,
    symbols_in,
    with_number,
    zeros,
)
from .check import agree
from .points import minus

Form = tuple[Expr, list[Let]]
_NEAR = 1e-6
"""How near a form's value must be to that of the formula."""


PART = bound(6)
"""Weight of a part of a function from which its derivatives are tried in it."""


def parts(term: Expr) -> list[Expr]:
    """What a function of arrays is made of and uses again: sums and products, the innermost first."""
    uses: Counter[Expr] = Counter()
    for t in postorder(term):
        if t.kind in ("map", "call"):  # its derivative has the operands, too
            uses.update([a for a in t.children for _ in range(2)])
        else:
            uses.update(t.children)
    found: list[Any] = [t for t in postorder(term) if uses[t] > 1 and t is not term and isinstance(t, (Add, Ein, Map))]
    found = [t for t in found if t.rank < 3 and t.weight >= PART and not (t.kind == "map" and t.op.truth)]
    found = [t for t in found if not is_zero(t)]  # what zero_() writes is 0 times any other part
    return list({_up_to_scale(t): t for t in reversed(found)}.values())[::-1]


class OwnForm(NamedTuple):
    """A form, and whether it has the value of the `Formula` where that was asked for, and holds wherever that does.

    To see that takes longer than to lay it out, so it is asked only of a form that is shorter.
    """

    term: Expr
    lets: list[Let]
    holds: Callable[[], bool]


OWN_WEIGHT = bound(2)
"""How many times the weight of a derivative what is to become a shorter form of it may weigh."""
OWN_PARTS = bound(3)
"""Parts of a function in which its derivatives are tried."""


def own_forms(formula: Any) -> list[OwnForm]:
    """A derivative with symbols for the parts of the function, in some ways, each with their definitions."""
    background = formula._background
    function, variables = _differentiated(formula)
    if function is None or background.given:
        return []
    found = [t for t in parts(function) if all(depends(t, x) for x in variables)]
    lost = (t for t in found if _is_lost(background.declared(t), formula.term))
    found = [*islice(lost, OWN_PARTS)]
    if not found:
        return []
    forms = []
    try:
        attempts = [_Attempt(function, [t], background.point) for t in found]
        attempts += [_Attempt(function, found, background.point)] if len(found) > 1 else []
        attempts += [_OfWhole(function, [t], background.point) for t in found if _below(t, variables)]
        for attempt in attempts:
            form = attempt.derivative(variables, OWN_WEIGHT * formula.term.weight)
            if form is None:
                continue
            form = attempt.declared(form, background)
            forms += [OwnForm(*trial, cache(partial(_holds, formula, attempt, trial))) for trial in _with_more(form)]
    except SymgradError:  # an operation without a derivative
        pass
    return forms


def _holds(formula: Any, attempt: _Attempt, form: Form) -> bool:
    """Whether a form has the value of a formula at its point, under no condition that the formula has not."""
    background, same = formula._background, without_symbols(form)
    asked = {c.text for c in [*unstated_conditions(formula.term, background.domains), *formula._used()]}
    said = {c.text for c in [*unstated_conditions(same, background.domains), *attempt.conditions()]}
    if not said <= asked:
        return False
    try:
        value, number = evaluate(same, background.point), evaluate(formula.term, background.point)
        return agree(value, number, _NEAR) and not _is_lost_at(value, number) and not _is_lost_at_0(same, formula)
    except SymgradError:  # an array that is too large to form
        return False


def _is_lost_at(value: Any, number: Any) -> bool:
    """Whether a form is no number where the formula is one: a choice that guarded it is gone."""
    return bool((np.isfinite(number) & ~np.isfinite(value)).any())


def _is_lost_at_0(same: Expr, formula: Any) -> bool:
    """The same where all variables are 0, as most that is guarded is."""
    zero = {name: value * 0 for name, value in formula._background.point.items()}
    try:
        return _is_lost_at(evaluate(same, zero), evaluate(formula.term, zero))
    except (SymgradError, ArithmeticError, ValueError):  # a singular matrix: there neither is a number
        return False


def _with_more(form: Form) -> list[Form]:
    """A form, and with names for quotients and roots besides, and with its terms apart, in either way."""
    term, lets = form
    taken_apart = [other for other in (split_quotients(term), split_products(term)) if other is not None]
    more = [(each, [*lets, *new]) for each, new in (*ratios(term), *roots(term), *divisors(term))]
    return [form, *[(other, lets) for other in taken_apart], *starmap(inlined, more)]


def _up_to_scale(t: Expr) -> Hashable:
    """The same for terms that differ by a number as factor."""
    if isinstance(t, Ein):  # the rational content of a sum stands in front of it
        scaled = len(t.factors) == 1 and t.factors[0][1] == t.axes
        return _up_to_scale(t.factors[0][0]) if scaled else (t.factors, t.rank)
    if isinstance(t, Add):
        one = min(t.terms, key=lambda term: term[1].digest)[0]
        return frozenset([(complex(c / one), u, s) for c, u, s in t.terms])
    return t


def _is_lost(part: Expr, root: Expr) -> bool:
    """Whether a part may have been multiplied out: it is not found whole, or what it is made of is found beside it.

    A part whose functions are not found at all was rewritten, as 1 + exp(u) in the derivative σ(u) of its logarithm.
    """
    key, found = _up_to_scale(part), False
    beside: set[Expr] = set()
    todo, seen = [root], {root}
    while todo:
        term = todo.pop()
        if _up_to_scale(term) == key:
            found = True
            continue
        beside.add(term)
        todo += [c for c in term.children if c not in seen]
        seen.update(term.children)
    inner = [*postorder(part)]
    if not found:
        return not _is_function(part) and {t for t in inner if _is_function(t)} <= {*postorder(root)}
    if _is_function(part):
        return sum([part in t.children for t in beside if isinstance(t, Ein)]) > 1
    if isinstance(part, Ein):
        return any(_bases(part) <= _bases(t) for t in beside if isinstance(t, (Ein, Map)))
    return all(t in beside for t in inner if isinstance(t, Var))


def _is_function(t: Any) -> bool:
    return t.kind == "call" or (t.kind == "map" and t.operation not in POWERS)


def _bases(t: Any) -> set[Expr]:
    """What a product multiplies, without powers."""
    if isinstance(t, Ein):
        return {b for f, _ in t.factors for b in _bases(f)}
    return _bases(t.children[0]) if t.operation in POWERS else {t}


def _differentiated(formula: Any) -> tuple[Expr | None, list[Var]]:
    """The function that a formula is the derivative of, and what it was differentiated in."""
    names: list[str] = []
    while formula._wrt is not None and len(formula._operands) == 1:
        names.insert(0, formula._wrt)
        (formula,) = formula._operands
    symbols = {v.name: v for v in symbols_in(formula._raw)}
    if formula._background.given or not all(name in symbols for name in names):
        return None, []
    return formula._raw, [symbols[name] for name in names]


def without_symbols(form: Form) -> Expr:
    """A form without its symbols."""
    term, lets = form
    for symbol, definition in reversed(lets):
        term = substitute(term, {symbol: definition})
    return term


def _occurs(symbol: Expr, term: Expr, lets: list[Let]) -> bool:
    """Whether a symbol is needed for a term, itself or for a definition that is."""
    needed = [d for k, (s, d) in enumerate(lets) if _occurs(s, term, lets[k + 1 :])]
    return any(depends(t, symbol) for t in (term, *needed))  # type: ignore[arg-type]


class _Attempt:
    """A function with symbols for some of its parts, and its derivatives.

    Attributes
    ----------
    term : the function
    lets : the symbols and what they stand for, in order: a definition may have the symbols before it
    values : of all symbols
    steps : the rewrites on the way
    """

    def __init__(self, function: Expr, chosen: list[Expr], point: dict[str, Any]) -> None:
        self.lets: list[Let] = []
        self.values = dict(point)
        self.steps: list[Step] = []
        symbols: dict[Expr, Expr] = {}
        for t in chosen:
            definition = map_bottom_up(t, lambda u: symbols.get(u, u))
            symbols[t] = symbol = symbol_of(len(self.lets), t)
            if isinstance(t.coef, (int, Fraction)) and t.coef != 1:  # a sum has t without it
                symbols[with_number(1, t)] = scaled(1 / Fraction(t.coef), symbol)
            self.lets.append((symbol, definition))
            self.values[symbol.name] = evaluate(t, point)
        self.term = map_bottom_up(function, lambda u: symbols.get(u, u))

    def derivative(self, variables: list[Var], most: int) -> Form | None:
        """The derivative; None where it weighs too much to become what is wanted."""
        term = self.term
        for x in variables:
            term = (self._rate_of if term.rank else self._gradient)(term, x)
            if term.weight > most:
                return None
            term = simplify(term, self.steps)
        again = {definition: symbol for symbol, definition in self.lets}
        return map_bottom_up(term, lambda u: again.get(u, u)), self.lets

    def declared(self, form: Form, background: Any) -> Form:
        """A form with what was declared of its symbols, as it is shown."""
        term, lets = form
        shown: list[Let] = []
        symbols: dict[Expr, Expr] = {}
        for symbol, definition in lets:
            definition = simplify(background.declared(substitute(definition, symbols)), self.steps)
            symbols[symbol] = symbol_of(len(shown), definition)
            shown.append((symbols[symbol], definition))
        term = simplify(background.declared(substitute(term, symbols)), self.steps)
        return term, [let for k, let in enumerate(shown) if _occurs(let[0], term, shown[k + 1 :])]

    def conditions(self) -> list[Condition]:
        """Where the rewrites on the way hold."""
        return of_rewrite(
            [(without_symbols((base, self.lets)), kind) for s in self.steps for base, kind in s.conditions]
        )

    def _gradient(self, term: Expr, x: Var) -> Expr:
        """The gradient of a number, through the definitions: from the last one back."""
        wrt: list[Any] = [*[symbol for symbol, _ in self.lets], x]
        adjoint = dict(zip(wrt, map(self._simplified, gradients(term, wrt, self.values)), strict=True))
        for symbol, definition in reversed(self.lets):
            weight = Var("\N{WHITE SQUARE}", definition.shape)
            inner = dotted(weight, definition)
            inside = [s for s in wrt if depends(definition, s)]
            for s, slope in zip(inside, self._slopes(symbol, definition, inner, inside), strict=True):
                change = substitute(self._simplified(slope), {weight: adjoint[symbol]})
                adjoint[s] = plus(s.shape, (1, adjoint[s]), (1, change))
        return adjoint[x]

    def _slopes(self, symbol: Expr, definition: Expr, inner: Expr, wrt: list[Var]) -> list[Expr]:
        return gradients(inner, wrt, self.values)

    def _rate_of(self, term: Expr, x: Var) -> Expr:
        """The derivative of an array, through the definitions: from the first one on."""
        rates: dict[Any, Expr] = {}
        for symbol, definition in self.lets:
            rates[symbol] = self._rate(definition, rates, x)
        return self._rate(term, rates, x)

    def _rate(self, term: Expr, rates: dict[Any, Expr], x: Var) -> Expr:
        n, shape = term.rank, (*term.shape, *x.shape)
        terms = [derivative(term, x, self.values)]
        for s, rate in rates.items():
            if depends(term, s):
                between = tuple(range(n + x.rank, n + x.rank + s.rank))
                slope = self._simplified(derivative(term, s, self.values))
                left, right = (slope, (*range(n), *between)), (rate, (*between, *range(n, n + x.rank)))
                terms.append(ein(1, [left, right], tuple(range(n + x.rank)), dict(enumerate(shape))))
        return plus(shape, *[(1, self._simplified(t)) for t in terms])

    def _simplified(self, term: Expr) -> Expr:
        """An array simplified; quotients of numbers are left for the end, where all of them meet."""
        return simplify(term, self.steps) if term.rank else term


class _OfWhole(_Attempt):
    """The same, with the slope of a power of the variable in a quotient by the whole: −d/s for d = u/s, not −u/s²."""

    def _slopes(self, symbol: Expr, definition: Expr, inner: Expr, wrt: list[Var]) -> list[Expr]:
        return [self._slope(symbol, definition, inner, s) for s in wrt]

    def _slope(self, symbol: Expr, definition: Expr, inner: Expr, s: Var) -> Expr:
        below = _below(definition, [s])
        if below is None:
            return gradient(inner, s, self.values)
        held = Var("\N{WHITE SQUARE}held", ())
        (weight, _), *_ = [x for x in inner.factors if x[0].kind == "var" and x[0].name == "\N{WHITE SQUARE}"]
        fixed = gradient(substitute(inner, {below: held}), s, {**self.values, held.name: evaluate(below, self.values)})
        whole = ein(below.exponent, [(weight, ()), (symbol, ()), (pow_(s, -1), ())], ())
        return plus((), (1, substitute(fixed, {held: below})), (1, whole))


def _below(part: Expr, variables: list[Var]) -> Expr | None:
    """The power of the only variable, a number, that a number is divided by."""
    if part.rank or not isinstance(part, Ein) or len(set(variables)) != 1 or variables[0].rank:
        return None
    powers = [(f, *f.as_power) for f, _ in part.factors]
    return next((f for f, b, e in powers if b is variables[0] and isinstance(e, (int, Fraction)) and e < 0), None)


# ------------------------------------------------------------------------------------- definitions that were asked for
#
# A definition that is linear in something, d = (log(S/K) + …)/(σ√T) in log(S/K), is solved for it; put in, what was
# multiplied out and has other words beside it becomes short again.

Given = Sequence[tuple[str, Expr]]

PUT_IN = bound(400)
"""Parts of a formula up to which a definition is looked for in what was multiplied out; in longer ones as it is."""


def in_definitions(term: Expr, given: Given, point: Mapping[str, Any]) -> tuple[Expr, tuple[tuple[str, Expr], ...]]:
    """A term in the names of definitions where that is shorter, and the definitions that it needs."""
    for name, definition in given:
        symbol = Var(name, definition.shape)
        opposite = scaled(-1, symbol)
        alone = {symbol, opposite}
        whole = [(definition, symbol), (simplify(scaled(-1, definition)), opposite)]
        solutions = _solutions(symbol, definition, point) if len(postorder(term)) <= PUT_IN else ()
        for atom, solved in (*whole, *solutions):
            shorter = _put_in(term, atom, solved)
            if shorter.weight < term.weight and shorter not in alone:
                term = shorter
    kept: list[tuple[str, Expr]] = []
    for name, definition in reversed(given):
        if any(v.name == name for v in symbols_in(term, *[t for _, t in kept])):
            kept.insert(0, (name, definition))
    return term, tuple(kept)


def _put_in(term: Expr, atom: Expr, solved: Expr) -> Expr:
    """A term with another in the place of an atom, wherever what it is in becomes shorter."""

    holding: set[Expr] = set()

    def shorter(t: Expr) -> Expr:
        if t is not atom and holding.isdisjoint(t.children):
            return t
        other = simplify(substitute(t, {atom: solved}))
        if other.weight < t.weight:
            return other
        holding.add(t)
        return t

    return simplify(map_bottom_up(term, shorter))


def _solutions(symbol: Var, definition: Expr, point: Mapping[str, Any]) -> Iterator[tuple[Expr, Expr]]:
    """What a definition is linear in, and what that is by the definition; what weighs most comes first."""
    every = definition.axes
    parts = {t for t in postorder(definition) if t.shape == definition.shape and isinstance(t, (Var, Map, Call))}
    for atom in sorted(parts - {definition}, key=lambda t: (-t.weight, t.digest)):
        held = Var("\N{WHITE SQUARE}held", atom.shape)
        around = substitute(definition, {atom: held})
        slope = _slope_in(around, held, {**point, held.name: evaluate(atom, dict(point))})
        if slope is not None:
            rest = minus(symbol, substitute(around, {held: zeros(held.shape)}))
            yield atom, simplify(ein(1, [(rest, every), (pow_(slope, -1), ())], every))


def _slope_in(term: Expr, x: Var, values: dict[str, Any]) -> Expr | None:
    """What a variable is multiplied by in a term that is linear in it; None where it is not, or may be 0."""
    if not x.rank:
        slope = simplify(derivative(term, x, values))
        return slope if not depends(slope, x) and _is_never_zero(slope) else None
    terms = term.terms if isinstance(term, Add) else ()
    found = [number(c) for c, t, labels in terms if t is x and labels == x.axes]
    others = [t for _, t, _ in terms if t is not x and depends(t, x)]
    return found[0] if len(found) == 1 and not others else None


def _is_never_zero(term: Expr) -> bool:
    """Whether it is plainly no 0 wherever it has a value: a product of numbers, reciprocals, positive ones."""
    if isinstance(term, Ein):
        return term.coef != 0 and all(map(_is_never_zero, term.children))
    if isinstance(term, Var):
        return "positive" in term.properties
    _, power = term.as_power
    return term.operation == "exp" if power == 1 else isinstance(power, (int, Fraction)) and power < 0

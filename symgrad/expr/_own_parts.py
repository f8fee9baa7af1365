"""A derivative in the function's own parts: 2(aPᵀr − r) where r = aPx + v − av − x, as the function was written.

The idea to hold: what a function uses more than once, or puts into something that is not linear, comes back in its
derivatives, but normal form multiplies it out. Here such a part is a symbol all along: the function is differentiated
as one of its variables and its parts, and the chain rule goes through the parts' definitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from .. import _limits
from .._errors import SymgradError
from .._postorder import postorder
from ._add import shaped_sum
from ._check import agree
from ._conditions import unsaid
from ._derive import depends, derivative, gradient
from ._ein import ein, zeros
from ._evaluate import evaluate
from ._let_forms import Let
from ._node import Add, Call, Ein, Expr, Map, Var
from ._reals import is_real
from ._simplify import simplify
from ._substitute import changed, substitute

Form = tuple[Expr, list[Let]]


def parts(term: Expr) -> list[Expr]:
    """What a function of arrays is made of and uses again: sums, functions and products, the innermost first."""
    uses: Counter[Expr] = Counter()
    for t in postorder(term):
        if isinstance(t, (Map, Call)):  # its derivative has the operands, too
            uses.update([a for a in t.children for _ in range(2)])
        else:
            uses.update([f for f, _ in t.factors] if isinstance(t, Ein) else t.children)
    found = [t for t in postorder(term) if uses[t] > 1 and t is not term and isinstance(t, (Add, Ein, Map, Call))]
    return [t for t in found if t.rank < 3 and t.weight >= _limits.PART and not _is_condition(t)]


def _is_condition(t: Any) -> bool:
    return t.kind == "map" and bool(t.op.truth)


def own_forms(formula: Any, known: Collection[int]) -> list[Form]:
    """A derivative with symbols for the parts of the function, in some ways, each with their definitions.

    Each has the value of the formula where that was asked for, and says as much about where it holds.

    Parameters
    ----------
    formula : what is printed, a `Formula`
    known : ids of the terms that have names already
    """
    background = formula._background
    function, variables = _differentiated(formula)
    if function is None or background.given:
        return []
    found = [t for t in parts(function) if id(t) not in known and all(depends(t, x) for x in variables)]
    found = found[: _limits.OWN_PARTS]
    if not found:
        return []
    forms = []
    try:
        right = evaluate(formula.term, background.point)
        asked = {c.text for c in unsaid(formula.term, background.domains)}
        for chosen in [[t] for t in found] + ([found] if len(found) > 1 else []):
            form = _declared(_derived(function, variables, chosen, dict(background.point)), background)
            same = expanded(form)
            said = {c.text for c in unsaid(same, background.domains)}
            if said <= asked and agree(evaluate(same, background.point), right, 1e-6):
                forms.append(form)
    except SymgradError:  # an operation without a derivative, an array that is too large to form
        pass
    return forms


def _differentiated(formula: Any) -> tuple[Expr | None, list[Var]]:
    """The function that a formula is the derivative of, and what it was differentiated in."""
    names: list[str] = []
    while formula._wrt is not None and len(formula._operands) == 1:
        names.insert(0, formula._wrt)
        (formula,) = formula._operands
    symbols = {v.name: v for v in postorder(formula._raw) if isinstance(v, Var)}
    if formula._background.given or not all(name in symbols for name in names):
        return None, []
    return formula._raw, [symbols[name] for name in names]


def _declared(form: Form, background: Any) -> Form:
    """A form with what was declared of its symbols, as it is shown."""
    term, lets = form
    shown: list[Let] = []
    symbols: dict[Expr, Expr] = {}
    for symbol, definition in lets:
        definition = simplify(background.declared(substitute(definition, symbols)))
        new = _symbol(len(shown), definition)
        symbols[symbol] = new
        shown.append((new, definition))
    return simplify(background.declared(substitute(term, symbols))), shown


def expanded(form: Form) -> Expr:
    """A form without its symbols."""
    term, lets = form
    for symbol, definition in reversed(lets):
        term = substitute(term, {symbol: definition})
    return term


def _derived(function: Expr, variables: list[Var], chosen: list[Expr], values: dict[str, Any]) -> Form:
    lets: list[Let] = []
    symbols: dict[Expr, Expr] = {}
    for t in chosen:
        inside = changed(t, lambda u: symbols.get(u, u))
        symbols[t] = _symbol(len(lets), t)
        lets.append((symbols[t], inside))
        values[symbols[t].name] = evaluate(t, values)  # type: ignore[attr-defined]
    term = changed(function, lambda u: symbols.get(u, u))
    for x in variables:
        term = (_total_derivative if term.rank else _total_gradient)(term, lets, x, values)
    again = {definition: symbol for symbol, definition in lets}
    return changed(term, lambda u: again.get(u, u)), lets


def _symbol(k: int, t: Expr) -> Var:
    properties = (["symmetric"] if t.symmetric else []) + ([] if is_real(t) else ["complex"])
    return Var(f"\N{WHITE SQUARE}{k}", t.shape, frozenset(properties))


def _total_gradient(term: Expr, lets: list[Let], x: Var, values: dict[str, Any]) -> Expr:
    """The gradient in a variable, through the definitions: from the last one back."""
    symbols: list[Any] = [symbol for symbol, _ in lets]
    adjoint = {s: simplify(gradient(term, s, values)) for s in (*symbols, x)}
    for symbol, definition in reversed(lets):
        weight, every = Var("\N{WHITE SQUARE}", definition.shape), tuple(range(definition.rank))
        inner = ein(1, [(weight, every), (definition, every)], ())
        for s in (*symbols, x):
            if depends(definition, s):
                more = substitute(simplify(gradient(inner, s, values)), {weight: adjoint[symbol]})
                adjoint[s] = _sum(s.shape, [adjoint[s], more])
    return simplify(adjoint[x])


def _total_derivative(term: Expr, lets: list[Let], x: Var, values: dict[str, Any]) -> Expr:
    """The derivative of an array in a variable, through the definitions: from the first one on."""
    rates: dict[Any, Expr] = {}
    for symbol, definition in lets:
        rates[symbol] = _rate(definition, rates, x, values)
    return simplify(_rate(term, rates, x, values))


def _rate(term: Expr, rates: dict[Any, Expr], x: Var, values: dict[str, Any]) -> Expr:
    n, shape = term.rank, (*term.shape, *x.shape)
    terms = [derivative(term, x, values)]
    for s, rate in rates.items():
        if depends(term, s):
            between = tuple(range(n + x.rank, n + x.rank + s.rank))
            slope = simplify(derivative(term, s, values))
            left, right = (slope, (*range(n), *between)), (rate, (*between, *range(n, n + x.rank)))
            terms.append(ein(1, [left, right], tuple(range(n + x.rank)), dict(enumerate(shape))))
    return _sum(shape, [simplify(t) for t in terms])


def _sum(shape: Any, terms: list[Expr]) -> Expr:
    return shaped_sum(shape, [(1, t, tuple(range(len(shape)))) for t in terms]) if terms else zeros(shape)

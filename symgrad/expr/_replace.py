"""Formulas with other things in the place of their symbols, and with more said of these.

The idea to hold: what was declared of a symbol has been used already. What takes its place must have it, too: numbers
are looked at, of a formula it becomes a condition. Rewrites are made anew, so that their conditions are about the new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .._errors import FormulaError, ShapeError
from ..core import DRAW, IMPLIED, Facts, Tensor
from ._background import Background
from ._canonical import is_symmetric
from ._check import agree, disagreement, verdict
from ._combine import key_of, merged, shown
from ._conditions import POSITIVE, holds_for, is_positive
from ._declared import HOLDS, require
from ._evaluate import evaluate
from ._lift import constant, fill, scalar
from ._node import Expr, Var
from ._substitute import substitute
from ._trace import SPECIAL


def replaced(f: Any, values: dict[str, Any]) -> Any:
    """A formula with symbols replaced, all at once; see `Formula.subs`."""
    b: Background = f._background
    keep = {k: v for k, v in b.symbols.items() if k not in values}
    given = {x: _replacement(x, values[x.name], keep) for x in map(f._variable, values)}
    for x, new in given.items():
        if key_of(new.shape) != key_of(x.shape):
            raise ShapeError(
                f"{x.name!r} has shape {shown(x.shape)}, its replacement {shown(new.shape)}", "",
                "Give one of that shape.",
            )  # fmt: skip
    others = [(new, values[x.name]._background) for x, new in given.items() if _is_formula(values[x.name])]
    background = merged([(f.term, _rest(b, keep, given, values)), *others], lambda *_: None).but(source=None)
    asked = _asked(b, given, values, background)
    background = background.substituted({**given})
    background = background.but(domains=background.domains + asked)
    out = _again(
        f, background, {**given}, lambda g: replaced(g, {k: v for k, v in values.items() if k in g._background.symbols})
    )
    for condition in out._conditions():
        if condition.decided is False:
            raise FormulaError(f"the formula holds where {condition.text}, which is not so", "", "Give other values.")
    if f.checked is True:
        at = {**b.point, **background.point, **{x.name: evaluate(t, background.point) for x, t in given.items()}}
        value, expected = evaluate(out.term, out.point), evaluate(f._expanded(), at)
        if not agree(value, expected, 1e-7):
            raise disagreement(out.term, value, expected)
    return out


def _rest(b: Background, keep: dict[str, Var], given: dict[Var, Expr], values: dict[str, Any]) -> Background:
    """What is known of the symbols that stay, and of those that only get another name."""
    tables = {
        t: {k: v for k, v in getattr(b, t).items() if k not in values} for t in ("point", "facts", "special", "assumed")
    }
    symbols = dict(keep)
    for x, new in given.items():
        if _is_formula(values[x.name]) or not isinstance(new, Var):
            continue
        symbols[new.name] = new
        if new.name not in keep:
            for table, entries in tables.items():
                entries.update({new.name: getattr(b, table)[x.name]} if x.name in getattr(b, table) else {})
        if not isinstance(values[x.name], str):  # an array that needs a name keeps the symbol's
            tables["point"][x.name] = _array(values[x.name])
    there = b.elsewhere if b.takes_no_other_sizes else None
    return b.but(symbols=symbols, source=None, elsewhere=there, follows=False, given=(), **tables)


def _is_formula(value: Any) -> bool:
    return hasattr(value, "_background")


def _again(f: Any, background: Background, given: dict[Expr, Expr], change: Callable[[Any], Any]) -> Any:
    """A formula on other terms, those that it was made of changed with it: their conditions are its own."""
    out = type(f)(substitute(f._background.expanded(f._raw), given), background, f.checked, f._level)
    out._operands, out._wrt = tuple([change(g) for g in f._operands]), f._wrt
    return out


def _array(value: Any) -> np.ndarray:
    return np.asarray(value._data if isinstance(value, Tensor) else value)


def _replacement(x: Var, value: Any, known: dict[str, Var]) -> Expr:
    """The term that takes the place of a symbol; the symbol itself for an array that needs a name."""
    if "size" in x.properties:
        raise FormulaError(f"{x.name!r} is a size, and the shapes say it too", "", f"Give it in a call: f({x.name}=…).")
    if _is_formula(value):
        return value._expanded()
    if isinstance(value, str):
        if not value.isidentifier():
            raise FormulaError(f"{value!r} is no name of a symbol", "It takes the place of one.", 'Write subs(w="v").')
        return known.get(value) or Var(value, x.shape, x.properties)
    array = _array(value)
    if array.dtype.kind not in "biufc":
        raise FormulaError(f"{x.name!r} cannot be replaced by {value!r}", "A symbol stands for numbers.", "")
    number = scalar(array[()]) if not array.ndim else None
    term = fill(number, x.shape) if number is not None else constant(array)
    return term if term is not None else Var(x.name, array.shape, x.properties)


def _asked(b: Background, given: dict[Var, Expr], values: dict[str, Any], new: Background) -> tuple[Any, ...]:
    """What was declared of symbols, as conditions on the formulas that took their places."""
    found = []
    for x, term in given.items():
        facts = b.declared_of(x)
        if not isinstance(values[x.name], str) and not _is_formula(values[x.name]):
            require(x.name, _array(values[x.name]), facts)
            continue
        for prop in sorted(facts - {p for f in facts for p in IMPLIED.get(f, ())}):
            known = isinstance(term, Var) and prop in new.declared_of(term)
            if known or (prop == "positive" and is_positive(term)) or (prop == "symmetric" and is_symmetric(term)):
                continue
            kind = POSITIVE if prop == "positive" else "{} is " + prop
            if not holds_for(kind, evaluate(term, new.point)):
                raise FormulaError(
                    f"{x.name!r} was declared {prop}, and what takes its place is not", "The formula may have used it.",
                    f"Make the formula of a symbol that is not declared {prop}.",
                )  # fmt: skip
            found.append((term, kind))
    return tuple(found)


# ------------------------------------------------------------------------------------------------------- assumptions

_SAID = re.compile(r"\s*(\w+)\s*(?:>\s*0|is\s+(\w+))\s*")


def assumptions(assume: Any) -> Iterable[tuple[str, frozenset[str]]]:
    """What is assumed of each symbol, by name."""
    if isinstance(assume, Mapping):
        yield from [(name, _known_facts(name, properties)) for name, properties in assume.items()]
        return
    texts = assume.split(",") if isinstance(assume, str) else assume if isinstance(assume, list | tuple) else [assume]
    for text in texts if assume is not None else ():
        found = _SAID.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise FormulaError(
                f"{text!r} is no assumption about a symbol", f"Known are {', '.join(HOLDS)}.",
                'Write "x > 0", "A is symmetric", or {"A": "symmetric"}.',
            )  # fmt: skip
        yield found[1], _known_facts(found[1], found[2] or "positive")


def _known_facts(name: str, properties: Any) -> frozenset[str]:
    """Properties with those that follow from them."""
    asked = {properties} if isinstance(properties, str) else set(properties)
    unknown = sorted(asked - set(HOLDS))
    if unknown:
        raise FormulaError(f"{name!r} is assumed {unknown[0]!r}", f"Known are {', '.join(HOLDS)}.", "Use one of these.")
    return frozenset(asked.union(*[IMPLIED.get(p, ()) for p in asked]))


def refuse_shape(x: Var, properties: frozenset[str]) -> None:
    """Raise if a symbol of that shape cannot have some property."""
    if "size" in x.properties:
        raise FormulaError(f"{x.name!r} is a size", "Sizes are whole numbers above 0 anyway.", "")
    square = x.rank > 1 and key_of(x.shape[-1:]) == key_of(x.shape[-2:-1])
    if not square and properties & {"symmetric", "psd", "pd", "diagonal", "orthogonal"}:
        raise ShapeError(f"{x.name!r} cannot be {min(properties)}", f"Its shape is {shown(x.shape)}: no square.", "")
    if not x.rank and "onehot" in properties:
        raise ShapeError(f"{x.name!r} cannot be onehot", "It is a number.", "")


def assumed(f: Any, facts: dict[str, frozenset[str]]) -> Any:
    """A formula, and those it was made of, with what is assumed of symbols."""
    b: Background = f._background
    point, symbols, thin = dict(b.point), dict(b.symbols), False
    special, known = dict(b.special), dict(b.assumed)
    given: dict[Expr, Expr] = {}
    for name, properties in facts.items():
        if name not in symbols:
            continue
        x, none = symbols[name], frozenset[str]()
        new = Var(name, x.shape, x.properties | (properties - SPECIAL))
        given[x], symbols[name] = new, new
        known[name] = known.get(name, none) | properties
        if properties & SPECIAL:
            special[name], thin = special.get(name, none) | properties, True
        if name in b.facts:  # it has no value: what stands in for one is drawn anew
            point[name] = DRAW[0](name, Facts(x.shape, b.declared_of(x) | properties))
        require(name, np.asarray(point[name]), properties)
    background = b.but(
        point=point, symbols=symbols, special=special, assumed=known, source=None if thin else b.source,
        elsewhere=b.elsewhere if b.takes_no_other_sizes else None,
    ).substituted(given)  # fmt: skip
    out = _again(f, background, given, lambda g: assumed(g, facts))
    number = evaluate(f._full, point)
    if verdict(partial(evaluate, out._full), point, number, background.tol) is None:
        raise disagreement(out.term, evaluate(out._full, point), number)
    return out

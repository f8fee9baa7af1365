"""Rules tried at random values: a rule that is not true is refused, and told where.

Both sides are computed by NumPy from the text, not by the terms that rules are used on: names without indices as
numbers and as vectors, positive and negative; arrays as matrices; exponents as small whole numbers and halves. Random
numbers are never 0, never equal, and small: what names stand for entry by entry is also tried at 0, at small numbers
and at those that the rule names, where pieces of functions meet.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count, product
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError
from ..core import computed
from ..terms import Expr, Var, labels_in, number, stretched
from .matching import (
    COMPARISONS,
    OF_ARRAYS,
    OUT,
    ArrayPattern,
    Bound,
    Entrywise,
    Hole,
    Num,
    ProductPattern,
    Same,
    SumPattern,
    Whole,
    build,
    labels_of,
    params_of,
    parts_of,
    read,
    row_of,
)
from .rewriting import SYMMETRIC, WHEN, Step, compiled, conditions_of, forget, simplify
from .rules import RULES, Rule

_NUMBERS = (1, 2, 3, -1, -2, Fraction(1, 2), Fraction(-3, 2))
_SIZE, _OTHERS, _CORNERS, _DRAWS = 3, 2, 16, 32
_ONE_OVER = "is 1 over the size"
_RANKS = {"scalar": 0, "vector": 1, "matrix": 2}
_DECLARED = {"orthogonal": "orthogonal", "one-hot": "onehot"}


def names_in(pattern: Any) -> tuple[dict[str, Any], list[str]]:
    """The operands of a pattern with the indices they are read at (None: entry by entry), and its other indices."""
    operands: dict[str, Any] = {}
    indices: list[str] = []

    def walk(p: Any, whole: Any = None) -> None:
        if isinstance(p, Hole):
            if operands.get(p.name) in (None, *_RANKS):
                operands[p.name] = p.at if p.at is not None else whole or operands.get(p.name)
            indices.extend(p.at or ())
        elif isinstance(p, (Whole, Same)):
            indices.extend(p.at)
        elif isinstance(p, ProductPattern):
            indices.extend(p.summed)
        elif isinstance(p, Entrywise):
            operands.update({k: "number" for k in p.params if type(k) is str})
        inside = whole
        if isinstance(p, (Whole, ArrayPattern)):
            inside = (
                "scalar"
                if isinstance(p, ArrayPattern)
                else "vector"
                if p.name == "kron" and len(p.at) == 1
                else "matrix"
            )
        for part in parts_of(p):
            walk(part, inside)
        if isinstance(p, Whole) and p.array:
            operands[p.array] = ("…", p.along)

    walk(pattern)
    return operands, list(dict.fromkeys(indices))


def check_rule(rule: Rule) -> None:
    """Refuse a rule that is not true.

    Raises
    ------
    FormulaError : a side cannot be read, the replacement has a name that the pattern lacks, a function does not exist,
        or the two sides differ at a point, which is told
    """
    sides = [read(rule.pattern), read(rule.replacement)]
    operands, indices = names_in(sides[0])
    for text, side in zip((rule.pattern, rule.replacement), sides, strict=True):
        _refuse_unknown(text, side, operands, indices)
    try:
        with np.errstate(all="ignore"):
            tried = _tried(rule, sides, operands, indices)
    except FormulaError:
        raise
    except Exception as error:  # a function of arrays without its indices, or its axis: whatever its code says then
        step = "A function of arrays is read at indices, and along one: det(A), inv(A)[i,j], softmax(u, k)[…,k]."
        said = "Its functions do not take such operands."
        raise FormulaError(f"the rule '{rule.pattern}' cannot be computed", said, step) from error
    if not tried:
        raise FormulaError(f"the rule '{rule.pattern}' could not be tried", f"when: {rule.when}", "Check its 'when'.")


def instance(rule: Rule) -> Expr:
    """A term that a rule is for."""
    pattern = read(rule.pattern)
    operands, indices = names_in(pattern)
    bound, _ = _drawn(rule, operands, indices, False, np.random.default_rng(0))
    bound.update({k + "^": 2 for k, at in operands.items() if at == "number"})
    return build(pattern, bound)[0]


def _tried(rule: Rule, sides: Any, operands: Any, indices: list[str]) -> int:
    tried = 0
    corners = _corners(sides)
    for seed, vector in product(range(6), (False, True)):
        rng = np.random.default_rng(seed)
        numbers = [k for k, at in operands.items() if at == "number"]
        for chosen in product(_NUMBERS, repeat=len(numbers)):
            for _ in range(_DRAWS):
                bound, values = _drawn(rule, operands, indices, vector, rng)
                bound.update({k + "^": n for k, n in zip(numbers, chosen, strict=True)})
                if _holds(rule.where, bound, values):
                    break
            asked = WHEN.get(rule.when, WHEN[""])
            if not asked(bound) or not _holds(rule.where, bound, values):
                continue
            tried += 1
            _compare(rule, [value(side, bound, values) for side in sides], values)
            entrywise = [k for k, at in operands.items() if at is None and _ONE_OVER not in rule.when]
            for _ in range(_CORNERS if entrywise else 0):
                there = values | {k: rng.choice(corners, values[k].shape) for k in entrywise}
                if _holds(rule.where, bound, there):
                    _compare(rule, [value(side, bound, there) for side in sides], there, where_both=True)
    return tried


def _corners(sides: Any) -> np.ndarray:
    """0, 1, 2, the numbers that a rule names, their inverses and what is next to them, of both signs."""
    named = {1.0, 2.0, *[abs(float(c)) for side in sides for c in _constants(side)]}
    some = {x for c in named if c and np.isfinite(c) for x in (c, 1 / c, c + 1)}
    return np.array([0.0, *some, *[-x for x in some]])


def _constants(p: Any) -> list[Any]:
    own = [p.value] if isinstance(p, Num) else [p.coef] if isinstance(p, ProductPattern) else []
    own += [c for c, _ in p.terms] if isinstance(p, SumPattern) else []
    own += [c for c in p.params if type(c) is not str] if isinstance(p, Entrywise) else []
    return [*own, *[c for part in parts_of(p) for c in _constants(part)]]


def _holds(where: str, bound: Bound, values: dict[str, Any]) -> bool:
    """Whether the comparisons among a rule's conditions hold."""
    signs = [(p, row_of(COMPARISONS[words[0]])) for p, words in conditions_of(where) if words[0] in COMPARISONS]

    def found(p: Any) -> Any:
        return values[p.name] if isinstance(p, Hole) and p.name in values else value(p, bound, values)[0]

    return all(np.all(row.forward(found(p), 0.0)) for p, row in signs)


def _refuse_unknown(text: str, side: Any, operands: dict[str, Any], indices: list[str]) -> None:
    own, at = names_in(side)
    functions = [p.name for p in _within(side) if isinstance(p, (Entrywise, Whole)) and row_of(p.name) is None]
    functions = [name for name in functions if name not in OF_ARRAYS]
    if functions:
        step = "Declare the row first: symgrad.extend.elementwise(…)."
        raise FormulaError(f"a rule speaks of '{functions[0]}', which is no function", text, step)
    for p in _within(side):
        if isinstance(p, Entrywise):
            _refuse_misfit(text, p)
    summed = {
        i
        for p in _within(side)
        if isinstance(p, (ProductPattern, ArrayPattern))
        for i in (p.summed if isinstance(p, ProductPattern) else p.axes)
    }
    extra = [n for n in own if n not in operands] + [i for i in at if i not in indices and i not in summed]
    if extra:
        step = "Every name and index of the replacement stands in the pattern."
        raise FormulaError(f"a rule's replacement has '{extra[0]}', and its pattern has not", text, step)


def _refuse_misfit(text: str, p: Entrywise) -> None:
    """Refuse a function that is none of each entry, or of another number of operands."""
    row, what = row_of(p.name), f"the rule '{text}' cannot be computed"
    if row.kind not in ("elementwise", "constant") or (row.params and not p.params):
        said = "has parameters" if row.kind == "elementwise" else "is a function of arrays"
        step = f"Write it with functions of each entry alone, or with {', '.join(sorted(OF_ARRAYS))}."
        raise FormulaError(what, f"'{p.name}' {said}, and rules do not speak of it.", step)
    if len(p.args) != len(row.inputs):
        operands = f"{len(row.inputs)} operand{'s' * (len(row.inputs) != 1)}"
        step = f"Write {p.name}({', '.join(row.inputs)})."
        raise FormulaError(what, f"'{p.name}' takes {operands}, and the rule gives it {len(p.args)}.", step)


def _within(p: Any) -> list[Any]:
    return [p, *[q for part in parts_of(p) for q in _within(part)]]


def _drawn(rule: Rule, operands: Any, indices: list[str], vector: bool, rng: Any) -> tuple[Bound, dict[str, Any]]:
    """What the names stand for, and values."""
    positive = {c[0].name for c in conditions_of(rule.where) if c[1] == "> 0" and isinstance(c[0], Hole)}
    symmetric = {c[0].name for c in conditions_of(rule.where) if c[1] == SYMMETRIC}
    properties = frozenset(fact for word, fact in _DECLARED.items() if word in rule.when)
    labels, lengths = _labels(read(rule.pattern), indices)
    bound: Bound = {i + "]": at for i, at in labels.items()}
    bound["sizes"] = {k: n for i, at in labels.items() for k, n in zip(at, lengths[i], strict=True)}
    bound[","] = (1,)
    values: dict[str, Any] = {}
    for name, at in operands.items():
        if at == "number":
            continue
        if at in (None, "scalar"):
            there = vector and at is None
            values[name] = rng.normal(size=_SIZE if there else ())
            bound[name] = Var(name, values[name].shape), (0,) * there
        else:
            rank = _RANKS.get(at, len(at))
            own = lengths.get(name + "[", _SIZE)
            shape = (own,) * rank if at in _RANKS else sum([lengths.get(i, (_SIZE,)) for i in at], ())
            values[name] = _array(shape, name in symmetric, "det" in rule.where, properties, rng)
            bound[name + "["] = Var(name, shape, properties if rank else frozenset())
            if "…" in at:
                bound[name + ","] = tuple([n for n, i in enumerate(at) if i != "…"])
        if _ONE_OVER in rule.when:
            values[name] = np.asarray(1 / _SIZE)
            bound[name] = number(Fraction(1, _SIZE)), ()
        if name in positive:
            values[name] = np.abs(values[name]) + 0.1
    return bound, values


def _labels(pattern: Any, indices: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The labels of indices and their sizes, and the sizes of matrices: those of a Kronecker product differ.

    Where a factor says that an index is another one, that is two, laid out as the first: single ones would say nothing.
    """
    lengths: dict[str, Any] = {i: (_OTHERS if i == "…" else _SIZE,) for i in indices}

    for p in _within(pattern):
        if isinstance(p, Whole) and p.name == "kron":
            lengths.update(dict.fromkeys(p.at, (_SIZE * _OTHERS,)))
            lengths.update({a.name + "[": n for a, n in zip(p.args, (_SIZE, _OTHERS)) if isinstance(a, Hole)})
    for p in pattern.factors if isinstance(pattern, ProductPattern) else ():
        if isinstance(p, Same):
            pairs = [(_SIZE,), (_OTHERS,)] if len(p.at) > 2 else [(_SIZE, _OTHERS)]
            n = len(p.at) // (1 + len(pairs))
            lengths.update(zip(p.at, [(_SIZE * _OTHERS,)] * n + pairs * n, strict=True))
    fresh = count(1)
    return {i: tuple([next(fresh) for _ in lengths[i]]) for i in indices}, lengths


def _array(shape: Any, symmetric: bool, upright: bool, properties: frozenset[str], rng: Any) -> Any:
    if "onehot" in properties:
        return np.eye(shape[-1])[rng.integers(shape[-1], size=shape[:-1])]
    a = rng.normal(size=shape)
    if len(shape) < 2 or shape[0] != shape[1]:
        return a
    if "orthogonal" in properties:
        return np.linalg.qr(a)[0]
    return a @ a.T + np.eye(len(a)) if symmetric else a + 4 * upright * np.eye(len(a))


def value(pattern: Any, bound: Bound, values: dict[str, Any]) -> tuple[Any, Any]:
    """The value of a pattern, and the labels of its axes."""
    if isinstance(pattern, Hole):
        if pattern.at is None:
            return (
                (values[pattern.name], bound[pattern.name][1])
                if pattern.name in bound
                else (float(bound[pattern.name + "^"]), ())
            )
        return _summed(1, [(values[pattern.name], labels_of(pattern.at, bound, pattern.name))], set())
    if isinstance(pattern, Num):
        return float(pattern.value), ()
    if isinstance(pattern, Same):
        at = labels_of(pattern.at, bound, "")
        sizes = [bound["sizes"][k] for k in at]
        return np.eye(math.isqrt(math.prod(sizes))).reshape(sizes), at
    if isinstance(pattern, ProductPattern):
        over = {k for i in pattern.summed for k in bound.setdefault(i + "]", (len(bound) + 10,))}
        for f in pattern.factors:
            if isinstance(f, Hole) and f.at is not None:
                bound["sizes"].update(zip(labels_of(f.at, bound, f.name), values[f.name].shape, strict=True))
        return _summed(float(pattern.coef), [value(f, bound, values) for f in pattern.factors], over)
    if isinstance(pattern, SumPattern):
        parts, union = _together([value(t, bound, values) for _, t in pattern.terms])
        return sum(float(c) * x for (c, _), x in zip(pattern.terms, parts, strict=True)), union
    if isinstance(pattern, Entrywise):
        parts, union = _together([value(a, bound, values) for a in pattern.args])
        params = [bound[p + "^"] if type(p) is str else p for p in pattern.params]
        return row_of(pattern.name).forward(*parts, *map(float, params)), union
    if pattern.name == "size":
        return float(len(values[pattern.args[0].name])), ()
    return _summed(1, [(_called(pattern, bound, values), labels_of(pattern.at, bound, pattern.array))], set())


def _argument(pattern: Any, bound: Bound, values: dict[str, Any]) -> Any:
    """An array, a function of arrays, or a number times one."""
    if isinstance(pattern, Hole):
        return values[pattern.name]
    if isinstance(pattern, ArrayPattern):
        own = {name: known for name, known in bound.items() if name[-1] != "]" or name == "…]"}
        # beyond all others; NumPy's labels end at 52
        named = {i: 40 + n for n, i in enumerate(pattern.axes) if i != "…"}
        own.update({i + "]": (k,) for i, k in named.items()})
        own["sizes"] = bound["sizes"] | {k: bound["sizes"][bound[i + "]"][0]] for i, k in named.items()}
        x, at = value(pattern.entry, own, values)
        return np.transpose(x, [at.index(k) for k in labels_of(pattern.axes, own, "")])
    if isinstance(pattern, ProductPattern):
        return pattern.coef * _argument(pattern.factors[0], bound, values)
    return _called(pattern, bound, values)


def _called(pattern: Whole, bound: Bound, values: dict[str, Any]) -> Any:
    args = [_argument(a, bound, values) for a in pattern.args]
    result = computed(row_of(pattern.name), args, params_of(pattern, bound))
    return result[OUT[pattern.name]] if isinstance(result, tuple) else result


def _together(parts: Any) -> tuple[list[Any], Any]:
    """Values with axes for all labels that any of them has."""
    union = labels_in(parts)
    return [stretched(np.asarray(x), s, union) for x, s in parts], union


def _summed(coef: Any, parts: Any, over: set[int]) -> tuple[Any, Any]:
    """A product of values over some labels."""
    out = tuple(sorted({k for _, s in parts for k in s} - over))
    operands: list[Any] = [x for v, s in parts for x in (1.0 * np.asarray(v), list(s))]
    return coef * np.einsum(*operands, list(out)), out


def _compare(rule: Rule, sides: list[Any], values: dict[str, Any], where_both: bool = False) -> None:
    ours, theirs = np.broadcast_arrays(*_together(sides)[0])
    if where_both:  # at a gap of one side its limit is on the other: x/x is 1
        ours, theirs = (np.where(np.isfinite(ours * theirs), x, 0) for x in (ours, theirs))
    if not np.allclose(ours, theirs, rtol=1e-8, atol=1e-10, equal_nan=True):
        at = ", ".join([f"{k} = {np.array2string(np.asarray(v), precision=3)}" for k, v in values.items()])
        raise FormulaError(
            f"the rule '{rule.pattern} → {rule.replacement}' is not true", f"At {at} it says {ours} is {theirs}.",
            'State where it holds (where="a > 0"), or mend it.',
        )  # fmt: skip


def declare(rule: Rule) -> None:
    """Use a rule from now on, before all others.

    Raises
    ------
    FormulaError : it is no rule (see `check_rule`), or another rule undoes it
    """
    check_rule(rule)
    RULES.insert(0, rule)
    forget()
    steps: list[Step] = []
    text = compiled(rule).text
    try:
        simplify(instance(rule), steps)
        endless = len(steps) >= _limits.REWRITES
    except RecursionError:  # what it leads to is read as what it replaces, one level further in
        endless = True
    if endless:
        withdraw(rule)
        other = next((s.rule for s in steps if s.rule != text), text)
        raise FormulaError(f"the rule '{text}' is undone", f"'{other}' leads back.", "Turn it round, or leave it out.")


def withdraw(rule: Rule) -> None:
    """Use a rule no longer.

    Parameters
    ----------
    rule : what `rule` gave, one of `RULES`

    Raises
    ------
    FormulaError : it is none of them, withdrawn before, say
    """
    if rule not in RULES:
        raise FormulaError(f"the rule '{compiled(rule).text}' is not in use", "", "See symgrad.extend.RULES.")
    RULES.remove(rule)
    forget()

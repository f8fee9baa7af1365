"""Derivatives of terms: forward (any term, the variable's axes last), and reverse for scalars.

Forward: a product is differentiated factor by factor, an element-wise operation through its partials, any other
operation through its Jacobian. Reverse: one adjoint per shared term, which is what makes gradients read as in a
textbook. The Hessian is the forward derivative of the reverse one. Each answer is kept on the term it is about.
Operations that are not element-wise have a textbook form, a record (`JACOBIANS` in `rules`), or the table's own
rule; their Jacobians have the call's axes, then the operand's.

The idea to hold: a row's rule is run once on placeholder tensors, and the tape it leaves is lifted like any other.
So the rules of formulas are the rules of numbers. Guards against singular points (``where(b == 0, 0, …)``) are left
out: away from those points they change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError, refusal
from .._limits import bound
from .._trees import postorder
from ..core import TABLE, Dim, Tensor, applied, edge, extra, rebind, recorded, setting, tracing, wrap
from ..sweep import grad as sweep_grad
from ..terms import (
    Add,
    Call,
    Delta,
    Ein,
    Expr,
    Factor,
    Indices,
    Jac,
    Lin,
    Map,
    One,
    Var,
    add,
    all_values,
    distributed,
    ein,
    evaluate,
    freeze,
    inner_sum,
    is_real,
    is_zero,
    labels_in,
    map_,
    map_bottom_up,
    number,
    placeholder,
    pow_,
    remembered,
    row,
    shaped,
    shaped_sum,
    substitute,
    terms_and_factors,
    tidy_number,
    value_in,
    with_places,
    zeros,
)
from .lifting import is_safe, negated, plus
from .matching import Bound, Misfit, build, entrywise, matches, read, row_of
from .rules import JACOBIANS
from .tracing import Trace, hide, is_users, looks


def stand_in(name: str, value: Any) -> Tensor:
    """A named tensor that stands for an operand of a rule: a leaf, but for truth values."""
    if not isinstance(value, bool):
        return placeholder(name, value)
    t = wrap(np.asarray(value))
    extra(t).name = name
    return t


class NoRule(FormulaError):
    """An operation without a derivative."""


@remembered
def partial(term: Map, i: int) -> Expr:
    """The partial derivative of an element-wise term in its operand ``i``, an array on the term's axes."""
    every = term.axes
    op = term.op
    if op.kind == "constant":
        return zeros(term.shape)
    if op.name == "pow_scalar":
        e = term.params[0]
        base, s = term.args[0]
        return ein(e, [(pow_(base, tidy_number(e - 1)), s)], every)
    record = next((j for j in JACOBIANS if j.of == f"{op.name}({j.wrt})"), None)
    if record is not None:
        t, labels = build(read(record.slope), {record.wrt: term.args[0]})
        return shaped(term.shape, 1, [(t, labels)])
    if op.name == "where":
        if i == 0:
            return zeros(term.shape)
        condition, s = term.args[0]
        chosen = negated(condition) if i == 2 else condition
        return shaped(term.shape, 1, [(chosen, s)])
    root = _template(op, i, ParameterKey(term.params))
    names = dict(zip(op.inputs, term.args, strict=False))
    names["y"] = (term, every)
    t, labels = instantiate(root, names, {})
    return shaped(term.shape, 1, [(t, labels)])


class ParameterKey:
    """Parameters of an operation as a key: arrays among them by what they hold."""

    params: tuple[Any, ...]
    key: Any

    def __init__(self, params: tuple[Any, ...]) -> None:
        self.params, self.key = params, freeze(params)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParameterKey) and self.key == other.key


_SAMPLES = {"bool": True, "above_one": 1.5, "complex": 0.5 + 0.5j}


@lru_cache(maxsize=_limits.TEMPLATES)
@recorded
def _template(op: Any, i: int, params: ParameterKey) -> Expr:
    """The rule of input ``i`` on placeholders named as the row names its inputs, and ``y``."""
    rule = op.rules[i]
    if rule is None:
        raise NoRule(
            f"the derivative of '{op.label}' with respect to its input {i} is not known", "",
            "detach() that input if its gradient is not wanted.",
        )  # fmt: skip
    if isinstance(rule, (int, float)):
        return number(rule)
    domains = op.domain if isinstance(op.domain, tuple) else (op.domain,) * len(op.inputs)
    samples = [_SAMPLES.get(d, 0.5) for d in domains]
    known: dict[str, Any] = {n: stand_in(n, v) for n, v in zip(op.inputs, samples, strict=False)}
    with np.errstate(all="ignore"):
        known["y"] = placeholder("y", op.forward(*map(np.asarray, samples), *params.params))
    known["g"] = wrap(np.asarray(1.0))
    known.update(zip(op.params, params.params, strict=False))
    known.update({name: () for name in op.rule_args[i] if name.startswith("shape")})
    trace = Trace()
    result = rebind(rule)(*[known[name] for name in op.rule_args[i]])
    term = trace.tensor(result) if isinstance(result, Tensor) else trace.literal(result)
    return map_bottom_up(term, _without_guard)


def _without_guard(t: Expr) -> Expr:
    """A term without the choice that only keeps a singular point apart.

    ``u`` for ``u where b != 0, else 0``, and ``s`` for ``s where s != 0, else 1``.
    """
    if isinstance(t, Ein) and any(_is_guard(f) for f, _ in t.factors):
        return ein(t.coef, [(f, s) for f, s in t.factors if not _is_guard(f)], (), {})
    if t.operation == "where":
        condition, first, second = [a for a, _ in t.args]
        if _is_guard(condition) and is_zero(second):
            return first
        if condition.operation == "eq" and condition.children[0] is second:
            return second
    return t


def _is_guard(c: Expr) -> bool:
    if not isinstance(c, Map):
        return False
    if c.operation == "ne":
        return isinstance(c.args[1][0], Ein)
    if c.operation == "logical_not":
        return _holds_equality(c.children[0])
    return False


def _holds_equality(c: Expr) -> bool:
    if c.operation in ("logical_and", "bitwise_and"):
        return any(_holds_equality(a) for a, _ in c.args)
    return c.operation == "eq" and isinstance(c.args[1][0], Ein)


def instantiate(root: Expr, names: dict[str, Factor], done: dict[int, Factor]) -> Factor:
    """A scalar template with operands in the place of its symbols, entry by entry."""
    known = done.get(id(root))
    if known is not None:
        return known
    result: Factor
    if isinstance(root, Var):
        result = names[root.name]
    elif isinstance(root, Ein):
        parts = [instantiate(f, names, done) for f, _ in root.factors]
        labels = labels_in(parts)
        result = ein(root.coef, parts, labels), labels
    elif root.kind == "add":
        sums = [(c, *instantiate(t, names, done)) for c, t, _ in root.terms]  # type: ignore[attr-defined]
        labels = labels_in([(t, s) for _, t, s in sums])
        result = add(sums, labels), labels
    elif isinstance(root, Map):
        parts = [instantiate(a, names, done) for a, _ in root.args]
        labels = labels_in(parts)
        term = entrywise(root.op, parts, root.params, labels)
        result = term, labels
    else:
        result = root, ()
    done[id(root)] = result
    return result


# ------------------------------------------------------------------------------------------------ other operations


def _hidden(op: Any, out: Any, leaves: list[Any]) -> bool:
    """Hide the operands of a user's Function from its backward; False if its forward told of their values already."""
    edges = [edge(y) for y in (out if isinstance(out, tuple) else (out,)) if edge(y) is not None]
    if edges and looks(op, edges[0].parents[0], leaves):
        return False
    if edges:
        hide(edges[0].parents[0], leaves)
    return True


@recorded
def vjp(term: Call, i: int, g: Var, values: dict[str, Any]) -> Expr | None:
    """The gradient of operand ``i`` of a call under the incoming gradient ``g``, as a term; None if it has no rule.

    The rule runs on tensors, so it needs operands for which it is defined: their values at the point.
    """
    op = term.op
    there = all_values(term.args, values)
    numbers = with_places(term, [value_in(a, there) for a in term.args])
    leaves = [  # no gradient flows to a number, and the rule for it may not take what stands in its place
        wrap(np.asarray(n)) if k in op.places or (k != i and isinstance(a, Ein) and a.is_number)
        else placeholder(f"a{k}", n)
        for k, (a, n) in enumerate(zip(term.args, numbers, strict=True))
    ]  # fmt: skip
    branches: list[Any] = []
    refused = refusal.get()
    token = tracing.set(branches)  # constants do not forget what they were computed from
    try:
        out = applied(op, leaves, term.params)
        before = len(branches)
        if is_users(op) and not _hidden(op, out, leaves):
            return None
        y = out if term.out is None else out[term.out]
        root = edge(y)
        cotangent = placeholder(g.name, np.ones(y._data.shape))
        if root is None:
            return zeros(term.args[i].shape)
        (result,) = sweep_grad([y], [leaves[i]], [cotangent], create_graph=True, allow_unused=True)
    except SymgradError:
        refusal.set(refused)
        return None
    finally:
        tracing.reset(token)
    if result is None:
        return zeros(term.args[i].shape)
    if any(t._node is not None or (t._extra is not None and t._extra.origin) for t, _ in branches[before:]):
        return None  # a user's backward that asked for a value of the operands: at others it may do something else
    known: dict[Any, Expr] = {edge(t): a for t, a in zip(leaves, term.args, strict=True) if edge(t) is not None}
    known[edge(cotangent)] = g
    known[root] = term
    trace = Trace(known)
    trace.inside, trace.sizes = True, {int(n): n for a in term.args for n in a.shape if type(n) is Dim}
    trace.values[root] = y._data
    trace.symbols.update({id(leaves[k]): term.args[k] for k in op.places})
    lifted = trace.tensor(result)
    return None if trace.point or trace.choices else lifted


# ------------------------------------------------------------------------------------------------------------ derive


Values = dict[str, Any]


def depends(root: Expr, x: Var) -> bool:
    """Whether ``x`` occurs in a term. (Leaves remember nothing: some of them outlive every formula.)"""
    if not root.children:
        return root is x
    key = ("depends", x)
    known = root.memo.get(key)
    if known is None:
        for term in postorder(root):
            if term.children and key not in term.memo:
                term.memo[key] = any(c.memo[key] if c.children else c is x for c in term.children)
        known = root.memo[key]
    return bool(known)


def derivative(root: Expr, x: Var, values: Values) -> Expr:
    """The derivative of any term: its shape, then the shape of ``x``."""
    if not depends(root, x):
        return zeros((*root.shape, *x.shape))
    key = ("derivative", x)
    for term in postorder(root):
        if depends(term, x) and key not in term.memo:
            shape = (*term.shape, *x.shape)
            parts = _FORWARD[term.kind](term, x, _Axes(term, x), values)
            term.memo[key] = plus(shape, *[(1, part) for part in parts])
    return root.memo[key]


class _Axes:
    """The labels of a derivative's axes: ``out``, those of the term, then the ``new`` ones of the variable."""

    def __init__(self, term: Expr, x: Var) -> None:
        first = len(term.dims)
        self.new: Indices = tuple(range(first, first + x.rank))
        self.out: Indices = (*term.axes, *self.new)
        self.dims: dict[int, int] = {**dict(enumerate(term.shape)), **dict(zip(self.new, x.shape, strict=True))}


def _rates(operands: Sequence[Expr], x: Var) -> list[tuple[int, Expr]]:
    """The operands that move with the variable: the place of each, and its derivative, worked out before."""
    known = [(i, f.memo.get(("derivative", x))) for i, f in enumerate(operands)]
    return [(i, rate) for i, rate in known if rate is not None and not is_zero(rate)]


def _forward_var(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    return [ein(1, [(Delta(d), (i, x.rank + i)) for i, d in enumerate(x.shape)], at.out)]


def _forward_ein(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    found = []
    for k, rate in _rates(term.children, x):
        factors = [*term.factors[:k], (rate, (*term.factors[k][1], *at.new)), *term.factors[k + 1 :]]
        found.append(distributed_product(term.coef, factors, at.out, at.dims))
    return found


def distributed_product(coef: Any, factors: list[Any], out: Indices, dims: dict[int, int]) -> Expr:
    """The product, distributed over a sum with identities among its terms: there it makes terms vanish or shrink."""
    every = tuple(range(len(out)))
    for place, (f, _) in enumerate(factors):
        inner = inner_sum(f)[0] if f.kind in ("add", "ein") else None
        if inner is not None and _has_identity(inner) and len(inner.terms) * len(factors) < _limits.DISTRIBUTED:
            parts = distributed(factors, place)
            terms = [(c, distributed_product(coef, part, out, dims), every) for c, part in parts]
            return add(terms, every, {k: dims[label] for k, label in enumerate(out) if label in dims})
    return ein(coef, factors, out, dims)


@remembered
def _has_identity(f: Add) -> bool:
    return any(isinstance(g, Delta) for g in terms_and_factors(f))


def _forward_add(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    rates = [(term.terms[k], rate) for k, rate in _rates(term.children, x)]
    return [ein(c, [(rate, (*s, *at.new))], at.out, at.dims) for (c, _, s), rate in rates]


def _forward_map(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    slopes = [(partial(term, i), term.args[i][1], rate) for i, rate in _rates(term.children, x)]
    return [
        chain(slope, term.axes, rate, (*s, *at.new), at.out, at.dims, term)
        for slope, s, rate in slopes if not is_zero(slope)
    ]  # fmt: skip


def chain(slope: Expr, s: Indices, rate: Expr, t: Indices, out: Indices, dims: dict[int, int], term: Any) -> Expr:
    """``slope * rate``; behind a choice only where it was chosen, so that what was not taken cannot spoil it."""
    if term.operation == "where" and not is_safe(rate):
        labels = tuple([k for k in out if k in s or k in t])
        chosen = map_(row("where"), [(slope, s), (rate, t), (number(0), ())], (), labels)
        return ein(1, [(chosen, labels)], out, dims)
    return distributed_product(1, [(slope, s), (rate, t)], out, dims)


def _forward_call(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    found: list[Expr] = []
    first = term.rank + x.rank
    for i, rate in _rates(term.args, x):
        if term.operation in ("matrix_exp", "matrix_exp_rate") and not x.rank:  # along the rates of its operands
            args = (*term.args, rate) if i == 0 else (*term.args[:i], rate, *term.args[i + 1 :])
            found.append(Call(row("matrix_exp_rate"), args, (), term.shape))
            continue
        inside = tuple(range(first, first + term.args[i].rank))
        factors = [(jacobian(term, i, values), (*term.axes, *inside)), (rate, (*inside, *at.new))]
        found.append(distributed_product(1, factors, at.out, at.dims))
    return found


def _forward_jac(term: Any, x: Var, at: _Axes, values: Values) -> list[Expr]:
    raise _numbers_only(term)


def _numbers_only(term: Any) -> FormulaError:
    return FormulaError(
        f"the second derivative of '{term.call.op.label}' has no formula", "Its Jacobian is known as numbers only.",
        "Use the tape: a gradient made with create_graph=True can be differentiated again.",
    )  # fmt: skip


_FORWARD: dict[str, Any] = {
    "var": _forward_var, "ein": _forward_ein, "add": _forward_add, "map": _forward_map, "call": _forward_call,
    "jac": _forward_jac,
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- reverse


def gradient(root: Expr, x: Var, values: Values) -> Expr:
    """The gradient of a scalar term, of the shape of ``x``."""
    (found,) = gradients(root, [x], values)
    return found


def gradients(root: Expr, wrt: Sequence[Var], values: Values) -> list[Expr]:
    """The gradients of a scalar term in some variables: what lies between them and the term is gone through once."""
    if root.rank:
        return [derivative(root, x, values) for x in wrt]
    if not root.children:
        return [number(1) if root is x else zeros(x.shape) for x in wrt]
    known = root.memo
    if new := [x for x in wrt if ("gradient", x) not in known]:
        found = _swept(root, new, values)
        known.update({("gradient", x): found[x] if x in found else zeros(x.shape) for x in new})
    return [known["gradient", x] for x in wrt]


def _swept(root: Expr, wrt: list[Var], values: Values) -> dict[Expr, Expr]:
    """The adjoints of the variables that anything arrives at."""
    order, needed, found = [], set[Expr](wrt), dict[Expr, Expr]()
    for term in postorder(root):
        if term in needed or not needed.isdisjoint(term.children):
            needed.add(term)
            order.append(term)
    parts: dict[int, list[Any]] = {id(root): [(1, number(1), ())]}
    for term in reversed(order):
        incoming = parts.pop(id(term), None)
        if incoming is None:
            continue
        adjoint = shaped_sum(term.shape, incoming)
        if not term.children:
            found[term] = adjoint
        elif not is_zero(adjoint):
            _REVERSE[term.kind](term, adjoint, needed, values, parts)
    return found


def _give(parts: dict[int, list[Any]], to: Expr, value: Expr) -> None:
    parts.setdefault(id(to), []).append((1, value, to.axes))


def adjoint_onto(coef: Any, factors: list[Any], target: Indices, shape: tuple[int, ...]) -> Expr:
    """The product as the adjoint of an operand read at ``target``: a label that occurs twice there is a diagonal."""
    out: list[int] = []
    extra: list[Any] = []
    fresh = 1 + max([k for _, s in factors for k in s] + list(target), default=-1)
    for label, n in zip(target, shape, strict=True):
        if label in out:
            out.append(fresh)
            extra.append((Delta(n), (label, fresh)))
            fresh += 1
        else:
            out.append(label)
    return distributed_product(coef, [*factors, *extra], tuple(out), dict(zip(out, shape, strict=True)))


def _reverse_ein(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    for place, (f, s) in enumerate(term.factors):
        if f not in needed:
            continue
        rest = [(g, term.axes), *term.factors[:place], *term.factors[place + 1 :]]
        covered = {k for _, t in rest for k in t}
        loose = [(One(term.dims[k]), (k,)) for k in dict.fromkeys(s) if k not in covered]
        _give(parts, f, adjoint_onto(term.coef, [*rest, *loose], s, f.shape))


def _reverse_add(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    for c, t, s in term.terms:
        if t in needed:
            _give(parts, t, adjoint_onto(c, [(g, term.axes)], s, t.shape))


def _reverse_map(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    every = term.axes
    for i, (a, s) in enumerate(term.args):
        if a not in needed:
            continue
        slope = partial(term, i)
        if is_zero(slope):
            continue
        whole = chain(slope, every, g, every, every, dict(enumerate(term.shape)), term)
        _give(parts, a, adjoint_onto(1, [(whole, every)], s, a.shape))


def _reverse_call(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    for i, a in enumerate(term.args):
        if a in needed:
            _give(parts, a, pullback(term, i, g, values))


def _reverse_jac(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    raise _numbers_only(term)


_REVERSE: dict[str, Any] = {
    "ein": _reverse_ein, "add": _reverse_add, "map": _reverse_map, "call": _reverse_call, "jac": _reverse_jac,
}  # fmt: skip


# ------------------------------------------------------------ calls: from the table, or as textbooks have them


def jacobian(term: Call, i: int, values: Values) -> Expr:
    """The Jacobian of a call in its operand ``i``."""
    key = ("jacobian", i)
    known = term.memo.get(key)
    if known is None:
        known = textbook(term, i)
        if known is None:
            known = _from_table(term, i, values)
        term.memo[key] = known
    return known


def pullback(term: Call, i: int, g: Expr, values: Values) -> Expr:
    """The gradient of operand ``i`` under the incoming gradient ``g``."""
    j = textbook(term, i)
    n = term.rank
    inside = tuple(range(n, n + term.args[i].rank))
    if j is None and term.operation == "matrix_exp" and _is_multiple_of_identity(g):
        return ein(1, [(term, (1, 2)), (g, (0, 2))], (0, 1))  # what commutes with X may be moved out of the integral
    if j is None:
        name = Var(_fresh(term), term.shape)
        rows = _vjp(term, i, name, values)
        if rows is not None:
            return substitute(rows, {name: g})
        j = jacobian(term, i, values)
    dims = dict(zip(inside, term.args[i].shape, strict=True))
    return distributed_product(1, [(j, (*range(n), *inside)), (g, tuple(range(n)))], inside, dims)


def _is_multiple_of_identity(g: Expr) -> bool:
    return g.rank == 2 and all(isinstance(f, Delta) or not s for f, s in g.factors)


def _fresh(term: Call) -> str:
    return f"cotangent of {term.operation}"  # no name of a user's has a blank


def _vjp(term: Call, i: int, g: Var, values: Values) -> Expr | None:
    key = ("vjp", i)
    if key not in term.memo:
        term.memo[key] = None  # a rule that asks for itself gets none
        with suppress(ValueError):  # the rule computes lengths from arrays, and these are stand-ins
            term.memo[key] = vjp(term, i, g, values)
    return term.memo[key]


_depth: ContextVar[int] = ContextVar("depth of rules that ask for rules", default=0)


RULE_DEPTH = bound(3)
"""Rules that ask for each other's derivatives; beyond, a Jacobian is left in the formula."""


def _from_table(term: Call, i: int, values: Values) -> Expr:
    """The Jacobian as the derivative of the rule in the incoming gradient, in which it is linear."""
    if _depth.get() >= RULE_DEPTH:  # rules may ask for each other without end
        return Jac(term, i)
    with setting(_depth, _depth.get() + 1):
        return _derived_rule(term, i, values)


def _derived_rule(term: Call, i: int, values: Values) -> Expr:
    g = Var(_fresh(term), term.shape)
    rows = _vjp(term, i, g, values)
    if rows is None:
        return Jac(term, i)
    ones = evaluate(term, values) * 0 + 1.0  # first: a program's values are worked out when they are asked for
    j = derivative(rows, g, {**values, g.name: ones})
    if depends(j, g) or any(isinstance(t, Jac) for t in postorder(j)):  # not plainly linear in it
        return Jac(term, i)
    n = term.args[i].rank
    return ein(1, [(j, j.axes)], (*range(n, j.rank), *range(n)))


# ------------------------------------------------------------------------------------------------- textbook forms


@cache
def _written(name: str, i: int) -> list[tuple[Any, Any, Any]]:
    """The records of the derivatives of an operation in its operand ``i``, as patterns."""
    found = [(read(j.of), read(j.wrt), read(j.slope)) for j in JACOBIANS]
    return [r for r in found if row_of(r[0].name).name == name and r[1].name in [p.name for p in r[0].args[i : i + 1]]]


def textbook(term: Call, i: int) -> Expr | None:
    """The Jacobian of a call in its operand ``i`` as the record of its operation has it; None if it has none."""
    if term.operation in ("cat", "stack"):
        return _place(term, i)
    if not (term.op.holomorphic or is_real(term.args[i])):
        return None
    for pattern, wrt, slope in _written(term.operation, i):
        names = next(matches(pattern, (term, term.axes), {"sizes": {}}), None)
        if names is not None:
            with suppress(Misfit):
                return _of_record(term, term.args[i], wrt, slope, names)
    return None


def _of_record(term: Call, x: Expr, wrt: Any, slope: Any, names: Bound) -> Expr:
    n = term.rank
    own = names.get(wrt.name + ",", () if "…" in wrt.at else range(x.rank))
    if "…" in wrt.at and len(wrt.at) == 1:
        own, names["…]"] = range(x.rank), tuple(range(n, n + x.rank))
    named = [k for k in wrt.at if k != "…"]
    inside = [n + k for k in own]
    names.update({k + "]": tuple(inside) if "…" in wrt.at else (label,) for k, label in zip(named, inside)})
    dims = {**dict(enumerate(term.shape)), **{n + k: d for k, d in enumerate(x.shape)}}
    result = build(slope, {**names, "sizes": dims})
    others = [k for k in range(x.rank) if k not in own]
    deltas = [(Delta(x.shape[k]), (label, n + k)) for label, k in zip(names.get("…]", ()), others)]
    return distributed_product(1, [result, *deltas], tuple(range(n + x.rank)), dims)


def _place(term: Call, i: int) -> Expr | None:
    """The identity between an operand and its place in the result."""
    n, d = term.rank, int(term.params[0])
    if term.operation == "stack":
        rest = [k for k in range(n) if k != d % n]
        place = Lin(TABLE["getitem"], ((i,),), (), (term.shape[d],))
        others = [(Delta(term.shape[k]), (k, n + j)) for j, k in enumerate(rest)]
        return ein(1, [(place, (d % n,)), *others], tuple(range(2 * n - 1)))
    if not n or term.args[i].rank != n:
        return None
    d = d % n
    start: Any = 0
    for a in term.args[:i]:
        start = start + a.shape[d]
    part = slice(start, start + term.args[i].shape[d])
    place = Lin(TABLE["getitem"], ((part,),), (term.args[i].shape[d],), (term.shape[d],))
    rest = [k for k in range(n) if k != d]
    others = [(Delta(term.shape[k]), (k, n + k)) for k in rest]
    return ein(1, [(place, (n + d, d)), *others], tuple(range(2 * n)))

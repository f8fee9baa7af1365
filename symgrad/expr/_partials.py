"""What differentiation asks of the table: partials of element-wise rows, Jacobians of the others, as terms.

The idea to hold: a row's rule is run once on placeholder tensors, and the tape it leaves is lifted like any other.
So the rules of formulas are the rules of numbers. Guards against singular points (``where(b == 0, 0, …)``) are left
out: away from those points they change nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError, refusal
from ..core import Dim, Tensor, applied, edge, extra, make_leaf, rebind, recorded, tracing, wrap
from ._add import add
from ._digest import freeze
from ._ein import ein, is_zero, number, shaped, zeros
from ._identities import JACOBIANS
from ._index_notation import read
from ._lift import negated
from ._map import pow_
from ._matching import build, entrywise
from ._node import Call, Ein, Expr, Indices, Map, Var
from ._substitute import changed
from ._user import hide, is_users, looks

Operand = tuple[Expr, Indices]


def placeholder(name: str, value: Any) -> Tensor:
    """A leaf tensor that stands for an operand."""
    array = np.asarray(value)
    t = wrap(array if array.dtype.kind in "fc" else array.astype(float))
    extra(t).name = name
    return make_leaf(t)


def stand_in(name: str, value: Any) -> Tensor:
    """A named tensor that stands for an operand of a rule: a leaf, but for truth values."""
    if not isinstance(value, bool):
        return placeholder(name, value)
    t = wrap(np.asarray(value))
    extra(t).name = name
    return t


class NoRule(FormulaError):
    """An operation without a derivative."""


def partial(term: Map, i: int) -> Expr:
    """The partial derivative of an element-wise term in its operand ``i``, an array on the term's axes."""
    key = ("partial", i)
    known = term.memo.get(key)
    if known is None:
        term.memo[key] = known = _partial(term, i)
    return known


def _partial(term: Map, i: int) -> Expr:
    every = tuple(range(term.rank))
    op = term.op
    if op.kind == "constant":
        return zeros(term.shape)
    if op.name == "pow_scalar":
        e = term.params[0]
        base, s = term.args[0]
        return ein(e, [(pow_(base, e - 1), s)], every)
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
    root = _template(op, i, Frozen(term.params))
    names = dict(zip(op.inputs, term.args, strict=False))
    names["y"] = (term, every)
    t, labels = instantiate(root, names, {})
    return shaped(term.shape, 1, [(t, labels)])


class Frozen:
    def __init__(self, params: tuple[Any, ...]) -> None:
        self.params, self.key = params, freeze(params)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and self.key == other.key


_SAMPLES = {"bool": True, "above_one": 1.5, "complex": 0.5 + 0.5j}


@lru_cache(maxsize=_limits.TEMPLATES)
@recorded
def _template(op: Any, i: int, params: Frozen) -> Expr:
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
    from ._trace import Trace

    trace = Trace()
    result = rebind(rule)(*[known[name] for name in op.rule_args[i]])
    return without_guards(trace.tensor(result) if isinstance(result, Tensor) else trace.literal(result))


def without_guards(root: Expr) -> Expr:
    """A term without the choices that only keep singular points apart.

    ``u`` for ``u where b != 0, else 0``, and ``s`` for ``s where s != 0, else 1``.
    """
    return changed(root, _without_guard)


def _without_guard(t: Expr) -> Expr:
    if isinstance(t, Ein) and any(_is_guard(f) for f, _ in t.factors):
        return ein(t.coef, [(f, s) for f, s in t.factors if not _is_guard(f)], (), {})
    if isinstance(t, Map) and t.op.name == "where":
        condition, first, second = [a for a, _ in t.args]
        if _is_guard(condition) and is_zero(second):
            return first
        if isinstance(condition, Map) and condition.op.name == "eq" and condition.args[0][0] is second:
            return second
    return t


def _is_guard(c: Expr) -> bool:
    if not isinstance(c, Map):
        return False
    if c.op.name == "ne":
        return isinstance(c.args[1][0], Ein)
    if c.op.name == "logical_not":
        return _holds_equality(c.args[0][0])
    return False


def _holds_equality(c: Expr) -> bool:
    if isinstance(c, Map) and c.op.name in ("logical_and", "bitwise_and"):
        return any(_holds_equality(a) for a, _ in c.args)
    return isinstance(c, Map) and c.op.name == "eq" and isinstance(c.args[1][0], Ein)


def instantiate(root: Expr, names: dict[str, Operand], done: dict[int, Operand]) -> Operand:
    """A scalar template with operands in the place of its symbols, entry by entry."""
    known = done.get(id(root))
    if known is not None:
        return known
    result: Operand
    if isinstance(root, Var):
        result = names[root.name]
    elif isinstance(root, Ein):
        parts = [instantiate(f, names, done) for f, _ in root.factors]
        labels = _labels(parts)
        result = ein(root.coef, parts, labels), labels
    elif root.kind == "add":
        sums = [(c, *instantiate(t, names, done)) for c, t, _ in root.terms]  # type: ignore[attr-defined]
        labels = _labels([(t, s) for _, t, s in sums])
        result = add(sums, labels), labels
    elif isinstance(root, Map):
        parts = [instantiate(a, names, done) for a, _ in root.args]
        labels = _labels(parts)
        term = entrywise(root.op, parts, root.params, labels)
        result = term, labels
    else:
        result = root, ()
    done[id(root)] = result
    return result


def _labels(parts: list[Operand]) -> Indices:
    return tuple(sorted({label for _, s in parts for label in s}))


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
    from ..sweep import grad as sweep_grad
    from ._evaluate import evaluate, with_places
    from ._trace import Trace

    op = term.op
    numbers = with_places(term, [evaluate(a, values) for a in term.args])
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

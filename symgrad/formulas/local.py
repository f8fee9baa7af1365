"""The rule of one node: what it passes on of an incoming gradient ``g``, as a formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import show
from .._errors import FormulaError, SymgradError
from ..calculus import Trace, UserOperation, gradient, lift, run_forward, simplify
from ..core import AccumulateGrad, Dim, Node, Tensor, applied, is_leaf_node, operands_of, params_of, recorded, wrap
from ..sweep import grad as sweep_grad
from ..terms import Call, Expr, Var, dotted, evaluate, placeholder
from .background import Background
from .check import agree, disagreement
from .formula import Formula
from .of_tensor import tensor_formula


def local_rule(node: Any) -> Any:
    """The formulas of a node's rule, one for each input (None where no gradient flows); alone if it has one input."""
    if is_leaf_node(node):
        raise FormulaError(
            "a leaf has no rule", "Gradients end there.", "Ask the grad_fn of what was computed from it."
        )
    trace = Trace()
    trace.term(node)
    op, operands, params = _operands(node, trace)
    names = op.inputs if len(op.inputs) == len(operands) else [f"x{k}" for k in range(len(operands))]
    named = [None if p is None else n for n, p in zip(names, node.parents, strict=True)]
    results = [rule_of(op, operands, params, n, named, trace) if n is not None else None for n in named]
    if op.variadic or len(results) > 1:
        return tuple(results)
    return results[0]


def _operands(node: Any, trace: Trace) -> tuple[Any, list[Any], Any]:
    """The operation, its operands (values; tensors without gradient as they are), its parameters."""
    op = UserOperation.of(node) if node.op is None else node.op
    operands = [
        a if not isinstance(a, Node) else a.data if isinstance(a, AccumulateGrad) else trace.values[a]
        for a in operands_of(node)
    ]
    return op, operands, params_of(node)


@recorded
def rule_of(
    op: Any, operands: list[Any], params: Any, wrt: str, names: list[str | None], trace: Trace, cotangent: str = "g"
) -> Formula:
    """What an operation passes on to its operand ``wrt`` of a gradient in its (first) result, checked by the sweep.

    ``names``: what the operands (their values) are called, equal names for equal operands; None for constants, which
    appear as they are.
    """
    point: dict[str, Any] = {}
    leaves: dict[str, Tensor] = {}
    terms: list[Expr] = []
    for name, value in zip(names, operands, strict=True):
        terms.append(_term(name, value, trace))
        if name is not None:
            point[name] = array = np.asarray(value)
            leaves.setdefault(name, placeholder(name, array) if array.dtype.kind in "fc" else wrap(array))
    out = applied(op, [v if n is None else leaves[n] for n, v in zip(names, operands, strict=True)], params)
    y = out[0] if isinstance(out, tuple) else out
    which = 0 if isinstance(out, tuple) else None
    if any(d.kind == "c" for d in [*trace.dtypes, y._data.dtype]):  # the tape's business, as are its conventions
        seed = placeholder(cotangent, np.random.default_rng(0).uniform(0.5, 1.5, y._data.shape).astype(y._data.dtype))
        (found,) = sweep_grad([y], [leaves[wrt]], [seed], create_graph=True, allow_unused=True)
        return tensor_formula(found if found is not None else wrap(np.zeros(point[wrt].shape)))
    shape = trace.named(y._data.shape)
    users = isinstance(op, UserOperation)
    term = Call(op, tuple(terms), (), shape, which) if users else lift(op, terms, params, shape, which)
    rng = np.random.default_rng(0)
    g = Var(cotangent, shape)
    point = {**trace.point, **point, cotangent: rng.uniform(0.5, 1.5, y._data.shape)}
    x = Var(wrt, trace.named(point[wrt].shape))
    raw = gradient(simplify(dotted(g, term)), x, point)
    (number,) = sweep_grad([y], [leaves[wrt]], [placeholder(cotangent, point[cotangent]).detach()], allow_unused=True)
    expected = np.zeros(point[wrt].shape) if number is None else number._data
    value = evaluate(simplify(raw), point)
    if not agree(value, expected, 1e-6):
        raise disagreement(raw, value, expected)
    return Formula(raw, Background(point))


def _term(name: str | None, value: Any, trace: Trace) -> Expr:
    """An operand by its name, or as it is."""
    if name is not None:
        return Var(name, trace.named(np.shape(value)))
    return trace.constant(value) if isinstance(value, Tensor) else trace.literal(value)


def rule_texts(
    op: Any, operands: list[Any], params: Any, names: list[str | None], wrt: list[str], sizes: dict[int, Any], g: str
) -> tuple[str, list[tuple[str, str]]]:
    """An operation as it reads, and what it passes on to each operand of ``wrt``; "" for what has no formula.

    Parameters as of `rule_of`; ``sizes``: the named sizes by what stands in for them.
    """
    trace = _trace_of(sizes)
    operands = [wrap(o._data) if isinstance(o, Tensor) else o for o in operands]  # a number, however it came about
    operands = [o.astype(float) if isinstance(o, np.ndarray) and o.dtype == np.float32 else o for o in operands]
    try:
        value = run_forward(op, [getattr(o, "_data", o) for o in operands], params)
        terms = [_term(n, o, trace) for n, o in zip(names, operands, strict=True)]
        term = lift(op, terms, params, trace.named(np.shape(value)))
        point = trace.point | {n: np.asarray(o) for n, o in zip(names, operands, strict=True) if n is not None}
        text = show.to_text(term) if agree(evaluate(term, point), np.asarray(value), 1e-6) else ""
    except (SymgradError, ValueError, TypeError):  # of what stands in for a value that is gone
        text = ""
    return _line(text), [(name, _rule_text(op, operands, params, name, names, sizes, g)) for name in wrt]


def constant_text(t: Tensor) -> tuple[str, list[Any]]:
    """How a constant was computed from what has a name, and that (leaves' nodes and tensors); "" if from nothing."""
    trace = Trace()
    if t._extra is None or t._extra.origin is None:
        return "", []
    try:
        text = show.to_text(simplify(trace.constant(t)))
    except (SymgradError, ValueError, TypeError):
        return "", []
    if any(trace.counts.values()) or "\n" in text:
        return "", []
    return text, [a for a in trace.keep if isinstance(a, AccumulateGrad) or (isinstance(a, Tensor) and a.name)]


def _trace_of(sizes: dict[int, Any]) -> Trace:
    trace = Trace()
    trace.sizes.update(sizes)
    for size in sizes.values():
        if type(size) is Dim:
            trace.point.update({f"#{label}": np.asarray(float(n)) for label, n in size.atoms.items()})
    return trace


def _rule_text(op: Any, operands: list[Any], params: Any, wrt: str, names: list[str | None], sizes: Any, g: str) -> str:
    try:
        return _line(str(rule_of(op, operands, params, wrt, names, _trace_of(sizes), g)))
    except (SymgradError, ValueError, TypeError):
        return ""


def _line(text: str) -> str:
    return ", ".join(line.strip() for line in text.split("\n"))

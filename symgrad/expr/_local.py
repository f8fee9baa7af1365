"""The rule of one node: what it passes on of an incoming gradient ``g``, as a formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import FormulaError
from ..core import AccumulateGrad, Node, Tensor, applied, is_leaf_node, operands_of, params_of, recorded, wrap
from ..sweep import grad as sweep_grad
from ._background import Background
from ._check import agree, disagreement
from ._derive import gradient
from ._ein import ein
from ._evaluate import evaluate
from ._formula import Formula
from ._lift import lift
from ._node import Call, Expr, Var
from ._of_tensor import tensor_formula
from ._partials import placeholder
from ._simplify import simplify
from ._trace import Trace, UserOperation


def local_rule(node: Any) -> Any:
    """The formulas of a node's rule, one for each input (None where no gradient flows); alone if it has one input."""
    if is_leaf_node(node):
        raise FormulaError(
            "a leaf has no rule", "Gradients end there.", "Ask the grad_fn of what was computed from it."
        )
    trace = Trace()
    trace.term(node)
    op, operands, params = _operands(node, trace)
    results = [_rule(op, operands, params, i, trace) if p is not None else None for i, p in enumerate(node.parents)]
    if op.variadic or len(results) > 1:
        return tuple(results)
    return results[0]


def _operands(node: Any, trace: Trace) -> tuple[Any, list[Any], Any]:
    """The operation, its operands (values; tensors without gradient as they are), its parameters."""
    op: Any = UserOperation.of(node) if node.op is None else node.op
    operands = [
        a if not isinstance(a, Node) else a.data if isinstance(a, AccumulateGrad) else trace.values[a]
        for a in operands_of(node)
    ]
    return op, operands, params_of(node)


@recorded
def _rule(op: Any, operands: list[Any], params: Any, i: int, trace: Trace) -> Formula:
    names = op.inputs if len(op.inputs) == len(operands) else [f"x{k}" for k in range(len(operands))]
    terms: list[Expr] = []
    point: dict[str, Any] = {}
    leaves = []
    for k, value in enumerate(operands):
        constant = isinstance(value, Tensor) or not isinstance(value, np.ndarray)
        array = value._data if isinstance(value, Tensor) else np.asarray(value)
        if constant:
            terms.append(trace.constant(value) if isinstance(value, Tensor) else trace.literal(value))
        else:
            terms.append(Var(names[k], array.shape))
            point[names[k]] = array
        leaves.append(value if constant else placeholder(names[k], array))
    out = applied(op, leaves, params)
    y = out[0] if isinstance(out, tuple) else out
    which = 0 if isinstance(out, tuple) else None
    if any(d.kind == "c" for d in trace.dtypes):  # the convention of complex gradients is the tape's business
        cotangent = placeholder("g", np.random.default_rng(0).uniform(0.5, 1.5, y._data.shape).astype(y._data.dtype))
        (found,) = sweep_grad([y], [leaves[i]], [cotangent], create_graph=True, allow_unused=True)
        return tensor_formula(found if found is not None else wrap(np.zeros(operands[i].shape)))
    term = (
        Call(op, tuple(terms), (), y._data.shape)
        if isinstance(op, UserOperation)
        else lift(op, terms, params, y._data.shape, *(() if which is None else (which,)))
    )
    rng = np.random.default_rng(0)
    g = Var("g", y._data.shape)
    point = {**trace.point, **point, "g": rng.uniform(0.5, 1.5, y._data.shape)}
    labels = tuple(range(term.rank))
    x = terms[i]
    assert isinstance(x, Var)
    raw = gradient(simplify(ein(1, [(g, labels), (term, labels)], ())), x, point)
    (number,) = sweep_grad([y], [leaves[i]], [placeholder("g", point["g"]).detach()], allow_unused=True)
    expected = np.zeros(x.shape) if number is None else number._data
    value = evaluate(simplify(raw), point)
    if not agree(value, expected, 1e-6):
        raise disagreement(raw, value, expected)
    return Formula(raw, Background(point))

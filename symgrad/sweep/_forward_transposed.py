"""The tangent of a node whose row declares no more than a vector-Jacobian product.

The idea to hold: g ↦ vjp(g) is linear, so recorded once (at g = 0) and swept again it gives its transpose, t ↦ J t.
What was recorded before stays out of it: the second sweep stops at the age of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import GradientError, NotDifferentiableError, ShapeError
from ..core import (
    OutputNode,
    Symbol,
    Tensor,
    copy_of,
    edge,
    gradients,
    input_gradient,
    merged,
    modes,
    next_seq,
    params_of,
    recorded_since,
    saved_value,
    sizes_of,
    symbolic,
    wrap,
)
from ..ops._dims import array
from ..ops.linalg._decompose import defective, of_defective
from ..ops.linalg._gaps import expect_no_zero, over_gaps, values_kept_apart
from ..ops.linalg._linalg import adjoint, hermitian
from ._forward_rules import forward, fresh, saved, stand_in


def transposed(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> Any:
    """The tangent of the output (outputs: a list) of a node of any row."""
    live = tuple(i for i, t in enumerate(ts) if t is not None)
    key = (n, live, graph)
    map_ = memo.get(key)
    if map_ is None:
        map_ = memo[key] = _Recorded(n, live, ts, graph)
    out = map_([ts[i] for i in live], graph)
    return out if n.op is None or n.op.outputs else out[0]


class _Recorded:
    """g ↦ vjp(g) of one node, recorded, to be transposed for any number of tangents."""

    def __init__(self, n: Any, live: tuple[int, ...], ts: Sequence[Any], graph: bool) -> None:
        self.mark = next_seq()
        symbols = [t for t in ts if type(t) is Symbol]
        sizes = merged([sizes_of(t) for t in symbols]) if symbols else None
        self.fits = _outputs(n, ts)
        self.seeds = [_seed(shape, dtype, sizes) for shape, dtype in self.fits]
        local = n if graph or n.op is None else _alone(n)
        previous = modes.mode.set(modes.on_value())
        try:
            self.gradients = self._gradients(local, live)
        finally:
            modes.mode.reset(previous)
        self.steps = _steps([d for d in self.gradients if isinstance(d, Tensor)], self.seeds, self.mark)

    def _gradients(self, n: Any, live: tuple[int, ...]) -> list[Any]:
        if n.op is None:
            every = n.input_gradients(list(self.seeds), True)
            self._require_history(n, [i for i in live if isinstance(every[i], Tensor) and every[i]._node is None])
            return [every[i] for i in live]
        g = list(self.seeds) if n.op.outputs else self.seeds[0]
        return [input_gradient(n, i, g, True) for i in live]

    def _require_history(self, n: Any, constant: list[int]) -> None:
        """Raise if gradients that know nothing of the incoming one change with it: they were computed on arrays."""
        ones = n.input_gradients([wrap(np.ones(*fit)) for fit in self.fits], False) if constant else ()
        if any(ones[i] is not None and np.any(ones[i]) for i in constant):
            raise NotDifferentiableError("Its backward computes on arrays, of which the graph knows nothing.")

    def __call__(self, ts: Sequence[Any], graph: bool) -> list[Any]:
        found = gradients()
        for d, t in zip(self.gradients, ts, strict=True):
            if isinstance(d, Tensor) and d._node is not None:
                old = found.get(d._node)
                found[d._node] = t if old is None else old + t
        for node, live in self.steps:
            g = found.pop(node, None)
            if g is not None:
                _pull(node, live, g, found, graph)
        return [found.get(edge(s)) for s in self.seeds]


def svd_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The tangents of singular vectors and values; the vectors' raise, if asked for, where values coincide."""
    moved, y = transposed(n, ts, graph, memo), [array(part) for part in saved_value(n, "y")]
    k = y[1].shape[-1]
    u, s, vh = y[0][..., :k], y[1], y[2][..., :k, :]

    def turns() -> Any:
        expect_no_zero(array(ts[0]), s, u, vh, "linalg.svd")
        scaled = adjoint(u) @ array(ts[0]) @ adjoint(vh) * s[..., None, :]
        return scaled + adjoint(scaled)

    values = values_kept_apart(moved[1], ts[0], s, u, vh, "linalg.svd", squared=True) if graph else moved[1]
    return [_asked(moved[0], turns, s * s, "linalg.svd"), values, _asked(moved[2], turns, s * s, "linalg.svd")]


def eig_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The same of eigenvalues and vectors of any matrix."""
    w, v = (array(part) for part in saved_value(n, "y"))
    which = defective(v)
    if which.any():
        raise GradientError(*of_defective(which, w, v))
    moved = transposed(n, ts, graph, memo)
    inverse = np.linalg.pinv(v)
    values = moved[0]
    if graph:
        values = values_kept_apart(values, ts[0], w, adjoint(inverse), adjoint(v), "linalg.eig")
    return [values, _asked(moved[1], lambda: inverse @ array(ts[0]) @ v, w, "linalg.eig")]


def pair_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The same of eigenvalues and vectors of a pair of matrices."""
    moved, (w, v) = transposed(n, ts, graph, memo), [array(part) for part in saved_value(n, "y")]
    values = moved[0]
    for t in ts if graph else ():
        values = values if t is None else values_kept_apart(values, t, w, v, adjoint(v), "eigh")

    def turns() -> Any:
        first, second = (0 if t is None else adjoint(v) @ hermitian(array(t)) @ v for t in ts)
        return first - second * w[..., None, :]

    return [values, _asked(moved[1], turns, w, "eigh")]


def _asked(moved: Any, turns: Callable[[], Any], values: Any, what: str) -> Callable[[], Any]:
    """Vectors' tangents for who asks for them: an error where they turn in the plane of values that coincide."""

    def checked() -> Any:
        over_gaps(turns(), values, what)
        return moved

    return checked


def _outputs(n: Any, ts: Sequence[Any]) -> Sequence[tuple[Any, Any]]:
    """Shape and dtype of each output of a node."""
    op = n.op
    if op is None or op.outputs:
        return n.fit
    if "y" in op.saved:
        y = saved_value(n, "y")
        if y is not None:
            return [(y.shape, y.dtype)]
    operands = [_known(n, i, t) for i, t in enumerate(ts)]
    if any(t is not None and t.dtype.kind == "c" for t in ts):  # constants of which shapes are left stand as reals
        operands = [np.add(o, 0j) if t is None and np.asarray(o).dtype.kind == "f" else o for o, t in zip(operands, ts)]
    out = forward(op, operands, params_of(n), False)
    return [(out.shape, out.dtype)]


def _known(n: Any, i: int, t: Any) -> Any:
    """Operand ``i`` if its values are saved (a row may fail at others), else what has its shape and dtype."""
    op = n.op
    if op.variadic or op.inputs[i] not in op.saved:
        return stand_in(n, i, t)
    value = saved(n, op.inputs[i], False)
    return stand_in(n, i, t) if value is None else value


def _seed(shape: Any, dtype: Any, sizes: Any) -> Tensor:
    zero = wrap(np.zeros(shape, dtype))
    return fresh(zero if sizes is None else symbolic(zero, dict(sizes)))


def _alone(n: Any) -> Any:
    """The node without its history: rules run on its saved values as on constants."""
    return copy_of(n, (None,) * len(n.parents), n.saved)


def _steps(gradients: Sequence[Tensor], seeds: Sequence[Tensor], mark: int) -> list[tuple[Any, tuple[int, ...]]]:
    """The nodes recorded since ``mark`` that lead to the seeds, newest first, and which of their parents do."""
    leads: set[Any] = {edge(s) for s in seeds}
    steps = []
    for node in recorded_since([d._node for d in gradients], mark):
        live = tuple(i for i, p in enumerate(node.parents) if p in leads)
        if live:
            leads.add(node)
            steps.append((node, live))
    return steps[::-1]


def _pull(node: Any, live: tuple[int, ...], g: Any, found: dict[Any, Any], graph: bool) -> None:
    op = node.op
    if op is None or op.outputs or type(node) is OutputNode or len(node.parents) == 1:
        (node.pull_graph if graph else node.pull)(g, found)
        return
    for i in live:  # only along the way to the seeds: what lies beside it has no part in the linear map
        d = input_gradient(node, i, g, graph)
        p = node.parents[i]
        old = found.get(p)
        found[p] = d if old is None else old + d


# ------------------------------------------------------------------------------------- user-defined operations


def function_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> Any:
    """The tangents of the outputs of a user-defined Function: by its jvp if it has one, else from its backward."""
    if not hasattr(n, "_function"):
        n.pull(None, gradients())  # a node that stands for a derivative that does not exist says so
    if getattr(n._function.jvp, "__module__", "") != "symgrad._function":
        return _own_tangents(n, ts, graph)
    try:
        return transposed(n, ts, graph, memo)
    except NotDifferentiableError as error:
        raise NotDifferentiableError(
            f"{n._function.__name__} has no forward derivative: it has no jvp, and its backward cannot be transposed",
            str(error).splitlines()[0],
            "Give it a static method jvp(ctx, *tangents), or write its backward in tensor operations.",
        ) from error


def _own_tangents(n: Any, ts: Sequence[Any], graph: bool) -> list[Any]:
    given = [
        None if fit is None else wrap(np.zeros(*fit)) if t is None and n._materialize else t
        for t, fit in zip(ts, n._fits, strict=True)
    ]  # fmt: skip
    given = [t if t is None or isinstance(t, Tensor) else wrap(np.asarray(t)) for t in given]
    results = n.push(given)
    return [_checked(n, r, fit, graph) for r, fit in zip(results, n.fit, strict=True)]


def _checked(n: Any, r: Any, fit: Any, graph: bool) -> Any:
    if r is None:
        return None
    if not isinstance(r, Tensor) or r._data.shape != fit[0]:
        got = f"one of shape {tuple(r._data.shape)}" if isinstance(r, Tensor) else f"{type(r).__name__!r}"
        raise ShapeError(
            f"{n._function.__name__}.jvp returned {got} as the tangent of an output of shape {tuple(fit[0])}",
            "A tangent is a tensor of the output's shape.",
            "Return the derivative of the output along the inputs' tangents.",
        )
    return r if graph else r._data

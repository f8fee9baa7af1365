"""The tangent of one node, by the kind of its row: forward mode without rules of its own.

The idea to hold: what a row declares for the way back serves the way forward. An entry-by-entry rule multiplies by the
partial derivative, which is its own transpose; a linear row is its own derivative; a product is linear in each operand;
and of a general row the map g ↦ vjp(g) is recorded and transposed (`transposed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import starmap
from typing import Any

import numpy as np

from .. import _config
from .._errors import NotDifferentiableError, ShapeError
from .._limits import HELD, bound
from ..core import (
    FLOATS,
    Node,
    OutputNode,
    Packed,
    Symbol,
    Tensor,
    add_to,
    applied,
    computed,
    constants_of,
    copy_of,
    edge,
    function_of_source,
    gradient_source,
    has_history,
    held_operand,
    in_float64,
    input_gradient,
    is_leaf_node,
    keep_zeros,
    make_symbolic,
    merged_sizes,
    modes,
    new_node,
    next_seq,
    no_cotangents,
    params_of,
    rebind,
    rebind_to_arrays,
    recorded_since,
    row_function,
    rule_of,
    rule_values,
    saved_as_tensor,
    saved_source,
    saved_value,
    setting,
    shapes_of,
    sizes_of,
    tensor_around,
    unpacked,
    unwrap,
    wrap,
)
from ..ops import ndarray_of
from ..ops.linalg import (
    adjoint,
    diagonal_entries,
    expect_diagonalizable,
    expect_no_zero,
    hermitian,
    mark_degenerate_tangents,
    over_gaps,
)


class NoForwardRule(Exception):
    """A graph that tangents cannot be pushed through; reverse mode can serve. ``advice``: evidence and a next step."""

    def __init__(self, what: str, *advice: str) -> None:
        super().__init__(what)
        self.advice = advice


# ------------------------------------------------------------------------------------------------ carriers


def forward(op: Any, operands: Sequence[Any], params: Any, graph: bool) -> Any:
    """A row on tensors, recording, or on arrays."""
    if graph:
        return applied(op, operands, params)
    out = computed(op, [np.asarray(a) if isinstance(a, np.generic) else a for a in operands], params)
    return [np.asarray(o) for o in out] if op.outputs else np.asarray(out)


def zeros(shape: Any, dtype: Any, graph: bool) -> Any:
    """Zeros on either carrier."""
    z = np.zeros(shape, dtype)
    return wrap(z) if graph else z


@contextmanager
def with_symbols(n: Any, ts: Sequence[Any]) -> Iterator[Any]:
    """A copy of a node whose saved operands are symbols while its rules run: their shapes have names then."""
    op = n.op
    sizes = merged_sizes([sizes_of(t) for t in ts if type(t) is Symbol])

    def named(i: int, value: Any) -> Any:
        p = n.parents[i]
        if p is None or type(value) is not np.ndarray:
            return value
        leaf = p.ref() if is_leaf_node(p) else None
        return leaf if leaf is not None and leaf._data is value else make_symbolic(wrap(value, p), dict(sizes))

    names = op.inputs * len(n.parents) if op.variadic else op.inputs
    values = {name: saved(n, name, False) for name in op.saved}
    for name, value in values.items():
        if op.variadic and name in op.inputs:
            values[name] = tuple(starmap(named, enumerate(value)))
        elif name in op.inputs:
            values[name] = named(op.inputs.index(name), value)
    kept = None if n.saved is None else values[op.saved[0]] if op.bare else tuple(values.values())
    parents = tuple([None if name in op.saved else p for name, p in zip(names, n.parents, strict=True)])
    copy = copy_of(n, parents, kept)
    try:
        yield copy
    finally:  # what the rules made of its output goes on through it
        copy.parents, copy.saved = n.parents, n.saved


def total(terms: Sequence[Any]) -> Any:
    """The sum of terms, None for none."""
    terms = [t for t in terms if t is not None]
    if not terms:
        return None
    out = terms[0]
    for t in terms[1:]:
        out = out + t
    return out


def saved(n: Any, name: str, graph: bool) -> Any:
    """What a node saved under a name: an array, or a tensor with its history."""
    v = saved_value(n, name)
    if graph:
        return saved_as_tensor(n, name, v)
    return tuple(map(unwrap, v)) if type(v) is tuple else unwrap(v)  # a tensor in `with_symbols`


@cache
def _end() -> type[Node]:
    """The node of a clone of a constant: what a sweep brings there goes nowhere."""
    node: type[Node] = row_function("clone").op.node
    nothing = {"__slots__": (), "pull": lambda node, g, grads: None, "pull_graph": lambda node, g, grads: None}
    return type(node.__name__, (node,), nothing)


def fresh(value: Any) -> Tensor:
    """A tensor with an edge of its own, which leads on to the history of ``value`` if that has one."""
    t = tensor_around(value)
    consts = (None if t._node is not None else (t,), ("K",), ())
    fit = None if t._data.dtype in FLOATS else ((t._data.shape, t._data.dtype),)
    kind = _end() if t._node is None else row_function("clone").op.node
    new = wrap(t._data, new_node(kind, (t._node,), None, consts, fit))
    return make_symbolic(new, sizes_of(t)) if type(t) is Symbol else new


# ------------------------------------------------------------------------------------------- entry by entry


def elementwise(n: Any, ts: Sequence[Any], graph: bool, exact: bool) -> Any:
    d = sum_of_partials(n, ts, graph, exact)
    return None if d is None else fitted(n, d, ts, graph)


def sum_of_partials(n: Any, ts: Sequence[Any], graph: bool, exact: bool) -> Any:
    """The partial derivatives, each times its tangent, in whatever shape they have together; None for none."""
    exact = exact and n.op.steep
    terms = []
    for i, t in enumerate(ts):
        d = None if t is None else partial_times(n, i, t, graph)
        terms.append(keep_zeros(t, d, graph) if exact and d is not None else d)
    return total(terms)


def partial_times(n: Any, i: int, t: Any, graph: bool) -> Any:
    """The partial derivative by input ``i``, times ``t``; None where it is declared zero."""
    op = n.op
    rule = rule_of(n, i)
    if not callable(rule):
        return None if rule == 0 else t if rule == 1 else -t if rule == -1 else t * rule
    fn = (rebind if graph else rebind_to_arrays)(rule)
    values = rule_values(n, i, t, graph)
    if "g" in op.rule_args[i]:
        return fn(*values)
    partial = fn(*values)
    return None if type(partial) is int and partial == 0 else t * partial


def fitted(n: Any, d: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A tangent of an entry-by-entry node in the shape and dtype of its output."""
    if n.fit is None:
        return d
    shape, dtype = frame(n, ts)
    if d.shape != shape:
        d = row_function("expand")(d, shape) if graph else np.broadcast_to(d, shape).copy()
    if d.dtype != dtype:
        d = row_function("cast")(d, dtype) if graph else d.astype(dtype)
    return d


def frame(n: Any, ts: Sequence[Any]) -> tuple[tuple[int, ...], Any]:
    """Shape and dtype of the output of an entry-by-entry node, from its operands'."""
    fit, moving = n.fit, next(t for t in ts if t is not None)
    if fit is None:
        return moving.shape, moving.dtype
    if type(fit) is list and None not in fit:
        return np.broadcast_shapes(*fit), moving.dtype
    operands = [stand_in(n, i, t) for i, t in enumerate(ts)]
    shape = np.broadcast_shapes(*(np.shape(a) for a in operands))
    return shape, moving.dtype if type(fit) is list else _promoted(n, operands)  # a list: the dtypes agree


def _promoted(n: Any, operands: Sequence[Any]) -> Any:
    op = n.op
    result = saved_value(n, "y") if "y" in op.saved else None
    if result is not None:
        return result.dtype
    if op.name in ("copy_from", "masked_fill"):  # they write into something like the first
        return operands[0].dtype
    dtype = np.result_type(*(a.dtype for a in operands if isinstance(a, np.ndarray) and a.dtype.kind in "fc"))
    numbers = (*operands, *params_of(n), *map(held_operand, constants_of(n)))
    if dtype.kind == "f" and (op.name in ("complex", "polar") or any(isinstance(a, complex) for a in numbers)):
        return _config.complex_of(dtype)
    return dtype


def stand_in(n: Any, i: int, t: Any, depth: int = 0) -> Any:
    """Something of the shape and dtype of operand ``i``, whose tangent is ``t``: itself where known, else zeros."""
    op, p = n.op, n.parents[i]
    if t is not None:
        return np.zeros(t.shape, t.dtype)
    name = op.inputs[i] if not op.variadic else ""
    value = _at_hand(n, name) if name in op.saved else None
    if value is not None:
        return value
    fit = None if op.outputs or n.fit is None else n.fit[i]
    if p is not None and fit is not None:
        shape, dtype = fit if type(n.fit) is tuple else (fit, np.dtype(np.float64))
        return np.zeros(shape, dtype)
    if shapes_of(n):
        return np.zeros(tuple(map(int, shapes_of(n)[i])), np.int64 if i in op.places else np.float64)
    a = held_operand(constants_of(n)[i])
    if a is None and p is not None:
        a = _at_edge(p, depth)
    if a is None:
        raise NoForwardRule(
            f"the shape of an operand of {n.name()} is not known any more",
            f"A graph keeps constant tensors of more than {HELD} elements only while somebody else does.",
            "Keep a reference to such constants, or let the function use NumPy arrays.",
        )
    return a._data if isinstance(a, Tensor) else a


def _at_hand(n: Any, name: str) -> Any:
    """What a node saved under a name; None where only a hook of the user's could bring it back."""
    value = saved(n, name, False)
    return None if type(value) is Packed else value


def stand_in_of(p: Any) -> Any:
    """Something of the shape and dtype of the tensor at an edge; of a number, if that cannot be told any more."""
    found = _at_edge(p, 0)
    return np.zeros(()) if found is None else found._data if isinstance(found, Tensor) else found


FAR = bound(40)
"""Nodes back that the shape of an operand without tangent is looked for."""


def _at_edge(p: Any, depth: int) -> Any:
    """Something of the shape and dtype of the tensor at an edge: what its node makes of such operands."""
    if is_leaf_node(p):
        return p.data
    if type(p) is OutputNode:
        return np.zeros(*p.parents[0].fit[p.index])
    op = p.op
    if op is None or depth > FAR:
        return None
    value = _at_hand(p, "y") if "y" in op.saved and not op.outputs else None
    if value is not None:
        return value
    try:
        operands = [stand_in(p, i, None, depth + 1) for i in range(len(p.parents))]
        return forward(op, operands, params_of(p), False)
    except (NoForwardRule, ArithmeticError, ValueError):  # not every operation takes zeros
        return None


# ------------------------------------------------------------------------------------------------ products


def multilinear(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    op = n.op
    values = saved(n, "tensors", graph) if op.variadic else [saved(n, name, graph) for name in op.inputs]
    terms = []
    for i, t in enumerate(ts):
        if t is not None:
            terms.append(forward(op, [*values[:i], t, *values[i + 1 :]], params_of(n), graph))
    return total(terms)


# -------------------------------------------------------------------------------- rows that move entries about


def _like(ts: Sequence[Any], shape: Any, graph: bool) -> Any:
    """Zeros of the tangents' dtype: the tangent of an operand that does not move."""
    dtype = np.result_type(*(t.dtype for t in ts if t is not None))
    return zeros(tuple(map(int, shape)), dtype, graph)


def _joined(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    shapes = shapes_of(n) or [next(t.shape for t in ts if t is not None)] * len(ts)
    parts = [_like(ts, shape, graph) if t is None else t for t, shape in zip(ts, shapes, strict=True)]
    d = forward(n.op, parts, params_of(n), graph)
    dtype = np.result_type(d.dtype, *(fit[1] for fit in n.fit or () if fit is not None))
    constants = [held_operand(c) for c in constants_of(n)]
    dtype = np.result_type(dtype, *(c.dtype for c in constants if isinstance(c, (Tensor, np.ndarray))))
    if d.dtype == dtype or dtype.kind not in "fc":
        return d
    return row_function("cast")(d, dtype) if graph else d.astype(dtype)


def _replaced(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A base of which a part was overwritten, by a value or by zeros."""
    base, value = ts
    if base is None:
        base = _like(ts, stand_in(n, 0, None).shape, graph)
    return forward(n.op, (base, 0 if value is None else value), params_of(n), graph)


def _same(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    return forward(n.op, ts, params_of(n), graph)


# -------------------------------------------------------------------------------------- eigenvalues and vectors


def _eigh(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """The values' tangents, and the vectors': these turn by angles divided by gaps, and raise where a gap is zero."""
    (t,), (w, v) = ts, saved(n, "y", graph)
    inner = adjoint(v) @ ((t + adjoint(t)) * 0.5) @ v
    values = diagonal_entries(inner)
    if values.dtype.kind == "c":
        values = row_function("real")(values) if graph else values.real
    if graph:
        values = mark_degenerate_tangents(values, t, w, v, adjoint(v), "linalg.eigh")
    return [values, lambda: v @ over_gaps(inner, w, "linalg.eigh")]  # asked for only if the vectors are used


def _logsumexp(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """The tangents' mean under the softmax. What does not move adds 0, where all is masked (-inf) as well."""
    (t,), (dim, keepdim), x = ts, params_of(n), saved(n, "x", graph)
    y = forward(n.op, (x,), (dim, True), graph)
    moved = keep_zeros(t, t * (row_function("exp")(x - y) if graph else np.exp(x - y)), graph)
    return forward(row_function("sum_dim").op, (moved,), (dim, keepdim), graph)


RULES: dict[str, Callable[..., Any]] = {
    "conj": _same, "cat": _joined, "stack": _joined, "block_diag": _joined, "copy_slices": _replaced, "split": _same,
    "unbind": _same, "einsum": multilinear, "eigh": _eigh, "logsumexp": _logsumexp,
}  # fmt: skip
"""Rows whose tangent is plain to see."""


# ------------------------------------ The tangent of a node whose row declares no more than a vector-Jacobian product
#
# The idea to hold: g ↦ vjp(g) is linear, so recorded once (at g = 0) and swept again it gives its transpose, t ↦ J t.
# What was recorded before stays out of it: the second sweep stops at the age of the first.


def transposed(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> Any:
    """The tangent of the output (outputs: a list) of a node of any row."""
    live = tuple(i for i, t in enumerate(ts) if t is not None)
    key = (n, live, graph)
    map_ = memo.get(key)
    if map_ is None:
        map_ = memo[key] = _RecordedVjp(n, live, ts, graph)
    out = map_([ts[i] for i in live], graph)
    return out if n.op is None or n.op.outputs else out[0]


class _RecordedVjp:
    """g ↦ vjp(g) of one node, recorded, to be transposed for any number of tangents."""

    def __init__(self, n: Any, live: tuple[int, ...], ts: Sequence[Any], graph: bool) -> None:
        self.mark = next_seq()
        symbols = [t for t in ts if type(t) is Symbol]
        sizes = merged_sizes([sizes_of(t) for t in symbols]) if symbols else None
        self.fits = _outputs(n, ts)
        self.seeds = [_seed(shape, dtype, sizes) for shape, dtype in self.fits]
        local = n if graph or n.op is None else _alone(n)
        with setting(modes.mode, modes.on_value()):
            self.gradients = self._gradients(local, live)
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
        found = no_cotangents()
        for d, t in zip(self.gradients, ts, strict=True):
            if has_history(d):
                add_to(found, d._node, t)
        for node, live in self.steps:
            g = found.pop(node, None)
            if g is not None:
                _pull(node, live, g, found, graph)
        return [found.get(edge(s)) for s in self.seeds]


def svd_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The tangents of singular vectors and values; the vectors' raise, if asked for, where values coincide."""
    moved, y = transposed(n, ts, graph, memo), [ndarray_of(part) for part in saved_value(n, "y")]
    k = y[1].shape[-1]
    u, s, vh = y[0][..., :k], y[1], y[2][..., :k, :]

    def turns() -> Any:
        expect_no_zero(ndarray_of(ts[0]), s, u, vh)
        scaled = adjoint(u) @ ndarray_of(ts[0]) @ adjoint(vh) * s[..., None, :]
        return scaled + adjoint(scaled)

    values = mark_degenerate_tangents(moved[1], ts[0], s, u, vh, "linalg.svd", squared=True) if graph else moved[1]
    return [_asked(moved[0], turns, s * s, "linalg.svd"), values, _asked(moved[2], turns, s * s, "linalg.svd")]


def eig_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The same of eigenvalues and vectors of any matrix."""
    w, v = (ndarray_of(part) for part in saved_value(n, "y"))
    expect_diagonalizable(w, v)
    moved = transposed(n, ts, graph, memo)
    inverse = np.linalg.pinv(v)
    values = moved[0]
    if graph:
        values = mark_degenerate_tangents(values, ts[0], w, adjoint(inverse), adjoint(v), "linalg.eig")
    return [values, _asked(moved[1], lambda: inverse @ ndarray_of(ts[0]) @ v, w, "linalg.eig")]


def pair_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> list[Any]:
    """The same of eigenvalues and vectors of a pair of matrices."""
    moved, (w, v) = transposed(n, ts, graph, memo), [ndarray_of(part) for part in saved_value(n, "y")]
    values = moved[0]
    for t in ts if graph else ():
        values = values if t is None else mark_degenerate_tangents(values, t, w, v, adjoint(v), "eigh")

    def turns() -> Any:
        first, second = (0 if t is None else adjoint(v) @ hermitian(ndarray_of(t)) @ v for t in ts)
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
    return fresh(zero if sizes is None else make_symbolic(zero, dict(sizes)))


def _alone(n: Any) -> Any:
    """The node without its history: rules run on its saved values as on constants."""
    return copy_of(n, (None,) * len(n.parents), n.saved)


def _steps(gradients: Sequence[Tensor], seeds: Sequence[Tensor], mark: int) -> list[tuple[Any, tuple[int, ...]]]:
    """The nodes recorded since ``mark`` that lead to the seeds, newest first, and which of their parents do."""
    leads = {edge(s) for s in seeds}
    steps = []
    for node in recorded_since([d._node for d in gradients], mark):
        live = tuple(i for i, p in enumerate(node.parents) if p in leads)
        if live:
            leads.add(node)
            steps.append((node, live))
    return steps[::-1]


def with_saved_values(node: Any) -> Any:
    """The node itself, or a copy with what the user's hooks of saved tensors have packed; a user-defined Function's
    node unpacks its own."""
    packed = node.op is not None and node.meta is not None and node.meta.packed
    return copy_of(node, node.parents, unpacked(node.saved)) if packed else node


def _pull(node: Any, live: tuple[int, ...], g: Any, found: dict[Any, Any], graph: bool) -> None:
    node = with_saved_values(node)
    op = node.op
    if op is None or op.outputs or type(node) is OutputNode or len(node.parents) == 1:
        (node.pull_graph if graph else node.pull)(g, found)
        return
    for i in live:  # only along the way to the seeds: what lies beside it has no part in the linear map
        add_to(found, node.parents[i], input_gradient(node, i, g, graph))


# ------------------------------------------------------------------------------------- user-defined operations


def has_own_jvp(n: Any) -> bool:
    """Whether the Function of a node says what its tangents are; else its backward is transposed, an order more."""
    return getattr(n._function.jvp, "__module__", "") != "symgrad._function"


def function_tangents(n: Any, ts: Sequence[Any], graph: bool, memo: dict[Any, Any]) -> Any:
    """The tangents of the outputs of a user-defined Function: by its jvp if it has one, else from its backward."""
    if not hasattr(n, "_function"):
        n.pull(None, no_cotangents())  # a node that stands for a derivative that does not exist says so
    if has_own_jvp(n):
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


# ---------- Straight-line code for the tangent of an entry-by-entry node on arrays: `elementwise`, without looking up
#
# The idea to hold: as for the way back (`core.op`), the decisions (how many inputs, which values are saved, is the
# partial a number) are taken once per row, when its first tangent is asked for. What is rare is left to the general
# way.


@cache
def quick_tangent(op: Any) -> Any:
    """``(node, tangents by edge) -> tangent`` for nodes of a row whose operands fit; None for other rows."""
    if op.kind != "elementwise" or not (op.holomorphic or op.real_only) or op.name in RULES or None in op.rules:
        return None
    names: dict[str, Any] = {"multiply": np.multiply, "negative": np.negative}
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = rebind_to_arrays(rule)
        names[f"q{i}"] = in_float64(names[f"r{i}"])
    return function_of_source(f"{op.node.__name__}.push", _source(op), **names)


def _source(op: Any) -> str:
    lines = ["def push(n, found):", f"    {', '.join(f'p{i}' for i in range(len(op.inputs)))}, = n.parents"]
    lines += saved_source(op)
    if not {a for args in op.rule_args for a in args}.isdisjoint(op.params):
        lines.append(f"    _, ({''.join(f'v_{p}, ' for p in op.params)}), _ = n.consts")
    lines.append("    d = None")
    for i, rule in enumerate(op.rules):
        if not callable(rule) and rule == 0:
            continue
        lines += [
            f"    g = found.get(p{i})",
            "    if g is not None:",
            f"        e = {gradient_source(op, i, rule, False)}",
            "        d = e if d is None else d + e",
        ]
    return "\n".join([*lines, "    return d"])

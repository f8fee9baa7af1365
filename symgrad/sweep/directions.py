"""Forward mode: tangents pushed through a graph, one, many at once, or with each operation as it runs.

The idea to hold: a node's tangent follows from what its row declares already (see `forward`), and a node is
younger than its parents, so in the order of birth every tangent is complete when its node's turn comes. On arrays the
walk gives numbers; on tensors the same rules record, and give a graph of the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._errors import GradientError, refusal
from ..core import (
    FAILS,
    FREED,
    MASKS,
    CannotTravel,
    Dual,
    Node,
    OutputNode,
    Symbol,
    Tangent,
    Tensor,
    add_to,
    batched_params,
    constants_of,
    copy_of,
    depending_on,
    edge,
    has_history,
    held_operand,
    input_gradient,
    make_dual,
    make_node,
    modes,
    no_cotangents,
    params_of,
    rank_needed,
    reachable,
    reduce_to,
    row_function,
    run,
    saved_arrays,
    saved_values,
    setting,
    shapes_of,
    storage,
    tangent_of,
    travels,
    unpacked,
    view_steps,
    wrap,
)
from ..ops.linalg import contract_many, in_letters
from .bookkeeping import Undecided, check_saved
from .forward import (
    RULES,
    NoForwardRule,
    eig_tangents,
    elementwise,
    forward,
    frame,
    function_tangents,
    has_own_jvp,
    multilinear,
    pair_tangents,
    quick_tangent,
    saved,
    stand_in,
    sum_of_partials,
    svd_tangents,
    total,
    transposed,
    with_saved_values,
    with_symbols,
)


def node_tangent(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """The tangent of a node's output for the tangents of its inputs, None where these do not move.

    Several outputs give a list, in which a function stands for what is computed for those who ask for it only.
    ``exact``: what does not move gives 0, however steep the operation is there (in graphs that choose among branches).
    """
    if graph and n.op is not None and any(type(t) is Symbol for t in ts):
        with with_symbols(n, ts) as copy:
            return plain_tangent(copy, ts, True, exact, {})
    return plain_tangent(n, ts, graph, exact, memo)


def plain_tangent(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """As `node_tangent`, for a node whose saved values are as its rules want them."""
    op = n.op
    if op is None:
        return function_tangents(n, ts, graph, memo)
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(n, ts, graph)
    if op.kind == "elementwise" and (op.holomorphic or op.real_only):
        return elementwise(n, ts, graph, exact)
    if op.kind == "linear":
        return forward(op, (ts[0], *[saved(n, name, graph) for name in op.inputs[1:]]), params_of(n), graph)
    if op.kind == "multilinear":
        return multilinear(n, ts, graph)
    return _OF_VECTORS.get(op.name, transposed)(n, ts, graph, memo)


_OF_VECTORS = {"svd": svd_tangents, "eig": eig_tangents, "eigen_pair": pair_tangents}


class Push:
    """The map t ↦ J t of recorded outputs, for any number of tangents.

    Parameters
    ----------
    outputs : edges of the outputs; None for an output without history
    inputs : edges of the inputs

    Raises
    ------
    NoForwardRule : a hook of the user's changes gradients on the way, or a constant that is needed is gone
    """

    outputs: list[Any]
    inputs: list[Any]

    def __init__(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        self.outputs, self.inputs = list(outputs), list(inputs)
        nodes, _, traits, _ = reachable([o for o in outputs if o is not None])
        self.exact: bool = bool(traits & MASKS)
        self.nodes: list[Node] = depending_on(self.inputs, nodes)
        self.memo: dict[Any, Any] = {}  # what rules keep between tangents
        self._spent: list[list[Any]] | None = None
        if traits & FAILS:
            refuse_hooks([*self.nodes, *(edge for edge in self.inputs if edge is not None)])
        if traits & FREED or (self.nodes and storage.written_since(self.nodes[0].seq)):
            check_saved(self.nodes)

    def __call__(self, tangents: Sequence[Any], graph: bool, rule: Any = node_tangent) -> list[Any]:
        """Per output its tangent (None where it does not move), of the carrier of the inputs' ``tangents``.

        ``graph``: the tangents are tensors, and the result can be differentiated again; else arrays. ``rule`` is
        `many_tangents` for arrays with several directions along their first axis.
        """
        found: dict[Any, Any] = {}
        for e, t in zip(self.inputs, tangents, strict=True):
            if e is not None and t is not None:
                add_to(found, e, t)
        previous = modes.mode.set(modes.on_value() if graph else modes.OFF)
        try:
            with np.errstate(all="ignore"):  # infinities in a derivative are a result, not a surprise
                if graph or self.exact or rule is not node_tangent:
                    for node, spent in zip(self.nodes, self._last_uses(), strict=True):
                        self._visit(node, found, graph, rule)
                        for other in spent:
                            found.pop(other, None)
                else:
                    self._walk(found)
        finally:
            modes.mode.reset(previous)
        return [None if o is None else found.get(o) for o in self.outputs]

    @property
    def largest(self) -> int:
        """The entries of the largest array that an operation saved, about those of the largest tangent."""
        sizes = [a.size for node in self.nodes for a in saved_arrays(saved_values(node))]
        return max(sizes, default=1)

    @property
    def transposes(self) -> bool:
        """Whether the backward of a user-defined Function is transposed on the way."""
        return any(hasattr(node, "_function") and not has_own_jvp(node) for node in self.nodes)

    def _last_uses(self) -> list[list[Any]]:
        """Per node what no later one needs: its tangents are let go, so that the next are where they were, in cache."""
        if self._spent is None:
            last = {p: k for k, node in enumerate(self.nodes) for p in node.parents}
            self._spent = [[] for _ in self.nodes]
            kept = set(self.outputs)
            for p, k in last.items():
                if p not in kept:
                    self._spent[k].append(p)
        return self._spent

    def _walk(self, found: dict[Any, Any]) -> None:
        """As `_visit` for each node, on arrays; written out for the common case, where a decision would show."""
        for node in self.nodes:
            op = node.op
            if op is not None and node.fit is None and node.meta is None:
                quick = quick_tangent(op)
                if quick is not None:
                    t = quick(node, found)
                    if t is not None:
                        found[node] = t
                    continue
            self._visit(node, found, False, node_tangent)

    def _visit(self, node: Node, found: dict[Any, Any], graph: bool, rule: Any) -> None:
        if type(node) is OutputNode:
            several = found.get(node.parents[0]) or [None] * (node.index + 1)
            t = several[node.index]
            if callable(t):  # computed for those who use it: it may have no derivative
                t = several[node.index] = t()
        else:
            ts = [found.get(p) for p in node.parents]  # the parent None is nobody's
            if all(t is None for t in ts):
                return
            saved = node.saved
            packed = node.op is not None and node.meta is not None and node.meta.packed  # a Function unpacks its own
            if packed:
                node.saved = unpacked(saved)
            try:
                t = rule(node, ts, graph, self.exact, self.memo)
            finally:
                if packed:
                    node.saved = saved
        if t is not None:
            found[node] = t


def refuse_hooks(nodes: Sequence[Any]) -> None:
    """Raise where hooks of the user's change gradients on their way."""
    for node in nodes:
        bag = node.meta
        if bag is not None and (bag.tensor_hooks or bag.pre_hooks or bag.hooks):
            raise NoForwardRule(
                f"{node.name()} has hooks, which change gradients",
                "What they do to derivatives of higher order is not defined.",
                "Remove them, or nest sg.grad.",
            )


def push(outputs: Sequence[Tensor], inputs: Sequence[Tensor], tangents: Sequence[Tensor], graph: bool) -> list[Any]:
    """Per output its tangent as a tensor, None where it does not move; inputs and tangents as tensors."""
    run = Push([o._node for o in outputs], [x._node for x in inputs])
    given = list(tangents) if graph else [t._data for t in tangents]
    return [t if t is None or isinstance(t, Tensor) else wrap(np.asarray(t)) for t in run(given, graph)]


# -------------- Many tangents, or many incoming gradients, at once: arrays with the directions along a new first axis
#
# The idea to hold: an entry-by-entry rule multiplies all directions in one NumPy call, since broadcasting aligns shapes
# on the right; a product says by its letters where the directions go in; and a row that says how its axes travel runs
# its rules as they are, on what it saved (repeated, without copies) with its parameters one axis behind. Every other
# row takes the directions one by one.


def many_tangents(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """As `node_tangent`, where each tangent has one axis more, in front (``graph`` is False: arrays only)."""
    op = n.op
    if op is not None and op.kind == "elementwise" and (op.holomorphic or op.real_only) and op.name not in RULES:
        return _entrywise(n, ts, exact)
    rule = getattr(getattr(n, "_function", None), "jvps", None)
    if rule is not None:
        found = rule(n, *ts)
        return _one_by_one(n, ts, exact, memo) if found is None else [found]
    count = len(next(t for t in ts if t is not None))
    letters = _letters(n, [None if t is None else t.shape[1:] for t in ts])
    if letters is not None:
        return _product(n, ts, *letters)
    still = tuple([t is None for t in ts])  # a memo lasts for all variables, of which some move what others leave
    copy = memo.get((n, count, still))
    if copy is None:
        copy = memo[n, count, still] = _repeated(n, count, [None if t is None else t[0] for t in ts])
    if copy is n:
        return _one_by_one(n, ts, exact, memo)
    if len(ts) == 1:  # its operand may have fewer axes than it is spread over
        missing = rank_needed(op, params_of(n), ts[0].ndim - 1) - ts[0].ndim + 1
        ts = [ts[0].reshape((count, *(1,) * missing, *ts[0].shape[1:]))] if missing else ts
    return node_tangent(copy, ts, False, exact, memo)


def _entrywise(n: Any, ts: Sequence[Any], exact: bool) -> Any:
    shape, dtype = frame(n, [None if t is None else t[0] for t in ts])
    wide = [None if t is None else t.reshape((len(t), *(1,) * (len(shape) + 1 - t.ndim), *t.shape[1:])) for t in ts]
    d = sum_of_partials(n, wide, False, exact)
    if d is None:
        return None
    whole = (len(next(t for t in ts if t is not None)), *shape)
    if d.shape != whole:
        d = np.broadcast_to(d, whole).copy()
    return d if d.dtype == dtype else d.astype(dtype)


def _one_by_one(n: Any, ts: Sequence[Any], exact: bool, memo: dict[Any, Any]) -> Any:
    count = len(next(t for t in ts if t is not None))
    rows = [
        node_tangent(n, [None if t is None else t[k] for t in ts], False, exact, memo) for k in range(count)
    ]  # fmt: skip
    if isinstance(rows[0], list):
        return [_together(column) for column in zip(*rows, strict=True)]
    return None if rows[0] is None else np.stack(rows)


def _together(column: Sequence[Any]) -> Any:
    if callable(column[0]):
        return lambda: np.stack([t() for t in column])
    return None if column[0] is None else np.stack(column)


# ------------------------------------------------------------------------------------------------------- products


def _letters(n: Any, shapes: Sequence[Any]) -> Any:
    """A product's operands (by name) and the letters of their axes and of its result's; None for what is no product of
    arrays that fit each other exactly. ``shapes``: of the operands, None where they are saved."""
    op = n.op
    if op is None or op.kind != "multilinear" or not (op.equation or "equation" in (op.meanings or ())):
        return None
    values = [saved(n, name, False) if name in op.saved else None for name in op.inputs]
    if any(v is not None and v.dtype.kind == "c" for v in values):
        return None
    shapes = [s if v is None else v.shape for s, v in zip(shapes, values, strict=True)]
    if None in shapes:
        return None
    terms, result = op.labels([len(s) for s in shapes], params_of(n))
    found = in_letters(terms, result, shapes)
    return None if found is None else (values, *found)


def _product(n: Any, ts: Sequence[Any], values: list[Any], terms: list[str], result: str) -> Any:
    parts = []
    for i, t in enumerate(ts):
        if t is not None:
            inputs = ",".join("z" + term if j == i else term for j, term in enumerate(terms))
            operands = [t if j == i else v for j, v in enumerate(values)]
            parts.append(contract_many(operands, f"{inputs}->z{result}"))
    return total(parts)


# ------------------------------------------------------------------------------------------------ repeated values


def _repeated(n: Any, count: int, ts: Sequence[Any] = ()) -> Any:
    """A copy of a node as it would be on ``count`` equal examples; the node itself where its row does not say how.

    ``ts``: something of the shape of each operand, where that is known.
    """
    op = n.op
    if op is None or not travels(op):
        return n
    if any(t is None for t in ts) and not shapes_of(n):  # the zeros of an operand that stays have to be as many
        return n
    try:
        params = batched_params(op, params_of(n), _rank(n, ts), count)
        ranks = {_rank(n, ts, i) for i in range(len(n.parents))} if op.last is not None and len(n.parents) > 1 else {0}
    except (CannotTravel, NoForwardRule):
        return n
    if op.variadic:
        ranks = {len(s) for s in shapes_of(n)}
    if len(ranks) > 1:  # operands broadcast (an empty vector joins anything): new axes would have to stand between
        return n

    def more(v: Any) -> Any:
        if type(v) is tuple:
            return tuple(map(more, v))
        v = v._data if isinstance(v, Tensor) else v
        return np.broadcast_to(v, (count, *v.shape)) if isinstance(v, np.ndarray) else v

    names = dict(zip(op.params, params, strict=True))
    one = {op.inputs[k] for k in op.shared}
    values = tuple(
        names[s] if s in names else v if s in one else more(v) for s, v in zip(op.saved, saved_values(n), strict=False)
    )
    copy = copy_of(n, n.parents, None if n.saved is None else values[0] if op.bare else values)
    constants = tuple(
        held_operand(c) if k in op.shared else more(held_operand(c)) for k, c in enumerate(constants_of(n))
    )
    rank = rank_needed(op, params_of(n), 0) if len(n.parents) == 1 else 0

    def wide(shape: Any) -> Any:
        return (count, *(1,) * (rank - len(shape)), *shape)

    shapes = zip(shapes_of(n), n.parents, strict=False)  # a number that is broadcast stays one
    copy.consts = (
        constants, params, tuple(s if p is None and not s and not op.variadic else wide(s) for s, p in shapes),
    )  # fmt: skip
    # of the shapes above
    copy.fit = None if n.fit is None else tuple(None if f is None else (wide(f[0]), f[1]) for f in n.fit)
    return copy


def _rank(n: Any, ts: Sequence[Any], i: int = 0) -> int:
    if shapes_of(n):
        return len(shapes_of(n)[i])
    return int(np.ndim(stand_in(n, i, ts[i] if ts else None)))


# ----------------------------------------------------------------------------------------- many incoming gradients


class PullMany:
    """The map g ↦ gᵀJ of recorded outputs on arrays, for many incoming gradients at once.

    Parameters
    ----------
    outputs : edges of the outputs
    inputs : edges of the inputs

    Raises
    ------
    NoForwardRule : hooks of the user's change gradients on the way: they want to see each
    """

    outputs: Sequence[Any]
    inputs: Sequence[Any]

    def __init__(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        self.outputs, self.inputs = outputs, inputs
        nodes, leaves, traits, _ = reachable(list(outputs))
        self.exact: bool = bool(traits & MASKS)
        self.wanted: set[Any] = {*inputs} - {None}
        for node in reversed(nodes):
            if any(p in self.wanted for p in node.parents):
                self.wanted.add(node)
        self.nodes: list[Node] = [node for node in nodes if any(p in self.wanted for p in node.parents)]
        if modes.anomaly.get() is not None:
            raise NoForwardRule("anomaly mode watches each sweep")
        if traits & FAILS or any(leaf.meta is not None for leaf in leaves):
            refuse_hooks([*self.nodes, *leaves, *inputs])
        if traits & FREED or (self.nodes and storage.written_since(self.nodes[-1].seq)):
            check_saved(self.nodes)

    def __call__(self, seeds: Sequence[np.ndarray]) -> list[Any]:
        """Per input its gradients, for ``seeds`` (per output, stacked in front); None where it does not take part.

        The arrays may be those of ``seeds``, or each other's.
        """
        count = len(seeds[0])
        found: dict[Any, Any] = {}
        for p, seed in zip(self.outputs, seeds, strict=True):
            add_to(found, p, seed)
        try:
            # infinities in a derivative are a result, not a surprise
            with setting(modes.mode, modes.OFF), np.errstate(all="ignore"):
                for node in self.nodes:
                    g = found.get(node)
                    if g is not None:
                        self._visit(node, g, count, found)
        except Undecided:
            raise NoForwardRule("a sweep of its own finds out whether vectors of equal values move") from None
        return [found.get(p) for p in self.inputs]

    def _visit(self, node: Any, g: Any, count: int, found: dict[Any, Any]) -> None:
        if type(node) is OutputNode:
            row = found.setdefault(node.parents[0], [None] * len(node.parents[0].fit))
            row[node.index] = g if row[node.index] is None else row[node.index] + g
            return
        node = with_saved_values(node)
        rule = self._rule(node, g, count)
        if rule is None:
            for p, d in _each(node, g, count).items():
                add_to(found, p, d)
            return
        for i, p in enumerate(node.parents):
            if p in self.wanted:
                add_to(found, p, rule(i))

    def _rule(self, n: Any, g: Any, count: int) -> Any:
        """(number of an operand) -> its gradients; None where they are to be found one by one."""
        op = n.op
        if op is None:
            return None
        if op.outputs:
            g = [np.zeros((count, *f[0]), f[1]) if gi is None else gi for gi, f in zip(g, n.fit, strict=True)]
        if op.kind == "elementwise":
            return lambda i: self._entrywise(n, i, g)
        letters = None if op.outputs or g.dtype.kind == "c" else _letters(n, shapes_of(n) or [None] * len(n.parents))
        if letters is not None:
            values, terms, result = letters
            needed = [set(term) <= {*result}.union(*terms[:i], *terms[i + 1 :]) for i, term in enumerate(terms)]
            if all(needed) and all(len(set(term)) == len(term) for term in terms):
                return lambda i: _factor(values, terms, result, i, g)
        copy = _repeated(n, count)
        if copy is n:
            return None
        shapes = shapes_of(n) if len(n.parents) == 1 else ()

        def gradient(i: int) -> Any:
            d = input_gradient(copy, i, g, False)
            return d.reshape((count, *shapes[0])) if shapes else d

        return gradient

    def _entrywise(self, n: Any, i: int, g: Any) -> Any:
        free = copy_of(n, n.parents, n.saved)
        free.fit = None
        d = np.asarray(input_gradient(free, i, g, False, self.exact and n.op.steep))
        fit = n.fit
        if fit is None:
            return d
        shape, dtype = (fit[i], g.dtype) if type(fit) is list else fit[i]
        lead = d.ndim - 1 - len(shape)
        if lead > 0:
            d = d.sum(tuple(range(1, lead + 1)), dtype=None if d.size == 0 else np.result_type(d.dtype))
        return reduce_to(d, ((len(g), *shape), dtype), False)


def _factor(values: list[Any], terms: list[str], result: str, i: int, g: np.ndarray) -> Any:
    others = [j for j in range(len(terms)) if j != i]
    inputs = ",".join(["z" + result, *[terms[j] for j in others]])
    return contract_many([g, *[values[j] for j in others]], f"{inputs}->z{terms[i]}")


def _each(n: Any, g: Any, count: int) -> dict[Any, Any]:
    """The gradients of a node's operands, by edge, found one incoming gradient at a time."""
    columns: dict[Any, list[Any]] = {}
    for k in range(count):
        local = no_cotangents()
        n.pull([None if gi is None else gi[k, ...] for gi in g] if isinstance(g, list) else g[k, ...], local)
        for p in dict.fromkeys(n.parents):  # an operand that occurs twice has its gradients added up already
            if p is not None:
                columns.setdefault(p, []).append(local.get(p))
    stacked = {}
    for p, column in columns.items():
        whole = next((d for d in column if d is not None), None)
        if isinstance(whole, list):  # an edge to the outputs of another node
            raise NoForwardRule("a rule passes a gradient on to a node of several outputs")
        if whole is not None:
            stacked[p] = np.stack([np.zeros_like(whole) if d is None else d for d in column])
    return stacked


def _moves_with(t: Any, where: np.ndarray | None, others: Sequence[Any]) -> bool:
    """Whether ``t`` has a derivative in any of ``others`` where ``where`` is true; yes, if that is not known. If it is
    None, whether it depends on them at all, with a derivative that is zero here, too."""
    if where is None:
        return not reachable([edge(t)])[3].isdisjoint([edge(other) for other in others if isinstance(other, Tensor)])
    weights = np.random.default_rng(0).uniform(1, 2, (1, *where.shape)) * where  # by which nothing cancels
    inputs = [edge(other) for other in others if isinstance(other, Tensor)]
    found = _pulled(t, weights, inputs)
    return found is None or any(d is not None and bool(np.any(d)) for d in found)


def _pulled(t: Any, weights: np.ndarray, inputs: Sequence[Any]) -> list[Any] | None:
    """The gradients for many weights of ``t``; None if that is not known."""
    refused = refusal.get()
    try:
        return PullMany([edge(t)], inputs)([weights.astype(t._data.dtype)])
    except (NoForwardRule, GradientError):  # a hook, or an equal pair on the way
        refusal.set(refused)
        return None


modes.moves_with = _moves_with


def _moves_apart(g: Any, pairs: np.ndarray, outputs: Sequence[Any]) -> bool:
    """Whether entries of ``g`` (…, n) move apart with the leaves behind ``outputs``, in the ``pairs`` (…, n, n): an
    entry and itself if it moves. Not only with the outputs: the same matrix may come on two ways. Yes, if unknown.
    """
    weights = np.random.default_rng(0).uniform(1, 2, pairs.shape) * pairs  # by which nothing cancels
    own = np.diagonal(weights, axis1=-2, axis2=-1)
    apart, size = weights.sum(-1) - weights.sum(-2) + own, weights.sum(-1) + weights.sum(-2)
    leaves = reachable([edge(y) for y in outputs if has_history(y)])[1]
    with setting(modes.decided, True):
        found = _pulled(g, np.stack([apart, size]), leaves)
    return found is None or any(
        d is not None and np.abs(d[0]).max(initial=0) > 1e-9 * np.abs(d[1]).max(initial=0) for d in found
    )


modes.moves_apart = _moves_apart


# ----------------- Operations on dual tensors: as each one runs, its tangent is computed by the rules of forward mode
#
# The idea to hold: nothing is recorded for it beyond what the reverse mode wants. A node of the operation is made for
# the moment, with all its operands, and `node_tangent` does what it does for `jvp`. While it does, no tensor is a dual:
# the tangent is one of values. It is a tensor with a history where an operand or a tangent has one.


@contextmanager
def _still(record: bool) -> Iterator[None]:
    """Inside no dual moves; recording as told."""
    mode = modes.on_value() if record else modes.OFF
    with setting(modes.dual_level, None), setting(modes.mode, mode), np.errstate(all="ignore"):
        yield


def _records(values: Sequence[Any]) -> bool:
    return modes.grad_enabled() and any(map(has_history, values))


def run_dual(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands among which there are duals: the results are duals."""
    out = run(op, operands, params)
    cells = [tangent_of(a) for a in operands]
    if op.kind == "constant" or not any(cells):
        return out
    results = out if type(out) is tuple else (out,)
    ts = [None if c is None else c.get() for c in cells]
    graph = _records((*operands, *ts))
    with _still(graph):
        node = _node(op, results, operands, params, ts, graph)
        exact = op.masks or any(c is not None and c.exact for c in cells)
        found = plain_tangent(node, ts if graph else [None if t is None else t._data for t in ts], graph, exact, {})
    for r, t in zip(results, found if op.outputs else [found], strict=True):
        set_tangent(r, _later(t, r, ts) if callable(t) else _own(t, r, ts), exact)
    return out


def _node(op: Any, results: Sequence[Tensor], operands: Any, params: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A node as if all that moves required grad; it keeps the other operands too."""
    outs = tuple([r._data for r in results])
    edges = tuple([None if not isinstance(a, Tensor) else a._node for a in operands])
    live = tuple([e if t is None else True for e, t in zip(edges, ts, strict=True)])
    node = make_node(op, outs if op.outputs else outs[0], operands, params, live)
    node.parents = edges if graph else (None,) * len(operands)
    kept = tuple([a if graph or not isinstance(a, Tensor) else wrap(a._data) for a in operands])
    node.consts = (kept, *node.consts[1:]) if op.packs else kept
    return node


def _own(t: Any, r: Tensor, ts: Sequence[Any]) -> Tensor:
    """A tangent as a tensor in memory of its own, of the form of the result; zeros where it does not move."""
    if t is None:
        return wrap(np.zeros_like(r._data))
    if has_history(t):
        return row_function("clone")(t, "K") if any(t is s for s in ts) else t
    data = np.asarray(t._data if isinstance(t, Tensor) else t)
    shared = data.base is not None or any(s is not None and data is s._data for s in ts)
    return wrap(data.copy() if shared else data)


def _later(t: Callable[[], Any], r: Tensor, ts: Sequence[Any]) -> Callable[[], Tensor]:
    def compute() -> Tensor:
        with _still(modes.grad_enabled()):
            return _own(t(), r, ts)

    return compute


def set_tangent(r: Tensor, t: Any, exact: bool = False) -> Tensor:
    """Let ``r`` move along ``t`` in the level that is open, if it is smooth; returns it."""
    if r._data.dtype.kind not in "fc":
        return r
    if isinstance(t, Tensor) and t._data.dtype != r._data.dtype:
        t = row_function("cast")(t, r._data.dtype)
    return make_dual(r, Tangent(modes.dual_level.get(), t, exact))


def written(t: Tensor, result: Tensor) -> None:
    """``result`` was written to the memory of ``t``: so are its tangent's values to the tangent's, root and views."""
    bag = t._extra
    root, path = (t, None) if bag is None or bag.view is None else bag.view
    cell, before = tangent_of(result), tangent_of(root)
    if cell is None and before is None:
        return
    new = wrap(np.zeros_like(t._data)) if cell is None else cell.get()
    old = wrap(np.zeros_like(root._data)) if before is None else before.get()
    exact = any(c is not None and c.exact for c in (cell, before))
    with _still(modes.grad_enabled()):
        whole = new if path is None else row_function("copy_slices")(old, new, view_steps(path))
    set_tangent(root, whole, exact)
    for ref in root._extra.views or ():
        view = ref()
        if view is not None and view._extra.view is not None and type(view) is not Symbol:
            with _still(modes.grad_enabled()):
                part = whole
                for op, params in view_steps(view._extra.view[1]):
                    part = op.apply(part, *params)
            set_tangent(view, part, exact)


def applied(ctx: Any, args: Sequence[Any], outputs: Sequence[Any]) -> None:
    """The tangents of what a user-defined operation returned: by its jvp, else from its backward."""
    ts = [None if (c := tangent_of(a)) is None else c.get() for a in args]
    graph = _records((*args, *ts))
    parents = ctx.parents
    ctx.parents = tuple([True if p is None and t is not None else p for p, t in zip(parents, ts, strict=True)])
    try:
        with _still(graph):
            found = function_tangents(ctx, ts if graph else [None if t is None else t._data for t in ts], graph, {})
    finally:
        ctx.parents = parents
    for k, (r, t) in enumerate(zip([o for o in outputs if isinstance(o, Tensor)], found, strict=True)):
        if k in ctx._still:
            continue
        if any(r is a for a in args):
            written(r, set_tangent(wrap(r._data), _own(t, r, ts)))
        else:
            set_tangent(r, _own(t, r, ts))


Dual.run, Dual.written, Dual.applied = run_dual, written, applied

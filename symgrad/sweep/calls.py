"""``backward`` and ``grad``: from tensors and seeds to a sweep, with everything checked first; and parts of graphs.

Derivatives through a part of a graph: what was recorded since a time, up to the edges of what is older.

The idea to hold: they are partial. An older value is a variable of its own here, whatever it was computed from, so a
sweep ends at it and does not go on to what it shares with others.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, ShapeError
from ..core import (
    LEAF,
    MASKS,
    Node,
    Symbol,
    Tensor,
    edge,
    extra,
    is_leaf_node,
    make_symbolic,
    meta,
    modes,
    no_cotangents,
    plain_array,
    row_function,
    sizes_of,
    storage,
    wrap,
)
from .bookkeeping import check_saved
from .directions import NoForwardRule, PullMany, Push, refuse_hooks
from .reverse import Sweep


def _sequence(value: Any) -> list[Any]:
    if isinstance(value, (Tensor, np.ndarray)) or hasattr(value, "ownership_token"):
        value = [value]
    return [getattr(v, "ownership_token", v) for v in value]  # a GradientEdge stands for its tensor


def _title(t: Tensor) -> str:
    name = t.name or "the tensor"
    return f"{name} of shape {tuple(t._data.shape)}"


def _seeds(outputs: list[Any], given: Any, what: str, advice: str) -> list[Any]:
    """Per output what is given as its seed, or None; all outputs have a graph."""
    seeds = [None] * len(outputs) if given is None else _sequence(given)
    if len(seeds) != len(outputs):
        raise GradientError(f"got {len(outputs)} tensors and {len(seeds)} gradients", "", advice)
    for i, t in enumerate(outputs):
        _require_graph(t, what, i)
    return seeds


def _require_graph(t: Tensor, what: str, i: int) -> None:
    if not isinstance(t, Tensor):
        raise DTypeError(f"{what} expects tensors, got {type(t).__name__!r}", "", "Pass the tensor itself.")
    if t._node is None:
        raise GradientError(
            f"element {i} of tensors does not require grad and does not have a grad_fn",
            f"{_title(t)} was not computed from anything that requires grad (or under no_grad).",
            "Create its inputs with requires_grad=True.",
        )


def _nan_allowed() -> bool:
    """Whether anomaly mode was asked to look on: ``detect_anomaly(check_nan=False)``."""
    state = modes.anomaly.get()
    return state is not None and not state.check_nan


def make_seed(t: Tensor, seed: Any, graph: bool) -> Any:
    """The gradient to start from at ``t``: checked, and as the sweep wants it (array or tensor)."""
    data = t._data
    if seed is None:
        if data.size != 1:
            raise GradientError(
                "grad can be implicitly created only for scalar outputs",
                f"{_title(t)} has {data.size} elements.",
                "Reduce it to one number (.sum()), or pass gradient=… of its shape.",
            )
        if data.dtype.kind == "c":
            raise GradientError(
                f"grad can be implicitly created only for real scalar outputs but got {data.dtype}",
                "",
                "Pass gradient=…, or differentiate .real or .abs().",
            )
        ones = np.ones(data.shape, data.dtype)
        return _like(t, wrap(ones)) if graph else ones
    if not isinstance(seed, Tensor):
        if not isinstance(seed, (np.ndarray, np.generic)):
            raise DTypeError(
                f"gradients can be either Tensors or None, but got {type(seed).__name__}",
                "",
                "Wrap it: sg.tensor(…).",
            )
        seed = wrap(seed if type(seed) is np.ndarray else plain_array(seed))
    if seed._data.shape != data.shape:
        raise ShapeError(
            f"Mismatch in shape: grad_output[0] has a shape of {list(seed._data.shape)} and output[0] has a shape of "
            f"{list(data.shape)}.",
            "A seed weights each element of the output.",
            "Give it the output's shape.",
        )
    if seed._data.dtype.kind == "c" and data.dtype.kind != "c":
        raise DTypeError(
            f"For complex Tensors, both grad_output and output are required to have the same dtype: {seed._data.dtype} "
            f"against {data.dtype}.",
            "",
            "Take its real part.",
        )
    if not np.isfinite(seed._data).all() and not _nan_allowed():
        raise GradientError(
            "the gradient passed to backward holds values that are not finite",
            f"{int((~np.isfinite(seed._data)).sum())} of {seed._data.size} are NaN or infinite: gradients would be.",
            "Mend the seed; if it is meant (to trace what depends on what), allow it with "
            "sg.autograd.detect_anomaly(check_nan=False).",
        )
    if seed._data.dtype != data.dtype:
        seed = row_function("cast")(seed, data.dtype)
    return _like(t, seed) if graph else seed._data


def _like(t: Tensor, seed: Tensor) -> Tensor:
    """The seed of a symbol as a symbol, which makes symbols of all gradients that follow from it."""
    return (
        make_symbolic(wrap(seed._data, seed._node), sizes_of(t)) if type(t) is Symbol and type(seed) is Tensor else seed
    )


def _records(tensors: list[Any], create_graph: bool) -> bool:
    """Whether the sweep records: always for symbols, whose gradients would be nothing but stand-in values else."""
    return create_graph or any(type(t) is Symbol for t in tensors)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Compute the gradients of ``tensors`` and add them to the ``.grad`` of the leaves.

    Parameters
    ----------
    tensors : tensor or sequence of tensors to differentiate
    grad_tensors : per tensor the weight of each element, of its shape; None for scalars
    retain_graph : keep the saved values for another walk; default: the value of ``create_graph``
    create_graph : record the derivative, so that it can be differentiated and shown as a formula
    inputs : accumulate into these tensors only

    Raises
    ------
    GradientError : nothing requires grad, or a tensor of several elements has no seed
    GraphFreedError : the graph was walked before and not retained
    InplaceError : a saved value was overwritten since

    Notes
    -----
    Cost: each recorded operation once, about twice the time of the forward pass.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(3.0, requires_grad=True, name="x")
    >>> sg.autograd.backward(x ** 2)
    >>> x.grad
    tensor(6.)
    >>> x.grad = None
    >>> sg.autograd.backward(x ** 2, create_graph=True)
    >>> print(x.grad.formula())
    2x
    """
    roots = _sequence(tensors)
    seeds = _seeds(roots, grad_tensors, "backward", "Pass one gradient (or None) per tensor.")
    create_graph = _records([*roots, *seeds], create_graph)
    on_tensors = create_graph or modes.dual_level.get() is not None  # a gradient of duals has a tangent
    ready = [make_seed(t, seed, on_tensors) for t, seed in zip(roots, seeds, strict=True)]
    if not on_tensors:  # a seed may be a leaf's .grad, which is added to before the sweep is done
        ready = [g if seed is None else np.array(g) for g, seed in zip(ready, seeds, strict=True)]
    targets = None
    if inputs is not None:
        wanted = _sequence(inputs)
        if not wanted:
            raise GradientError(
                "`inputs` argument to `backward` cannot be empty.", "", "Leave it out to reach every leaf."
            )
        targets = [_target(t, i) for i, t in enumerate(wanted)]
        for t in wanted:
            retain(t)  # a non-leaf that is named keeps its gradient, now and later
    keep = create_graph if retain_graph is None else bool(retain_graph)
    Sweep(on_tensors, keep, targets, records=create_graph).run([edge(t) for t in roots], ready)


def retain(t: Tensor) -> None:
    """Let a non-leaf keep its gradient in ``.grad``; a leaf does so anyway."""
    if t._node is None or is_leaf_node(t._node):
        return
    bag = extra(t)
    if not bag.retains:
        bag.retains = True
        meta(t._node).retained = weakref.ref(t)


def _target(t: Any, i: int) -> Any:
    if not isinstance(t, Tensor):
        raise DTypeError(f"inputs must be tensors, got {type(t).__name__!r}", "", "Pass the tensors themselves.")
    e = edge(t)
    if e is None:
        raise GradientError(
            "One of the differentiated Tensors does not require grad",
            f"That is input {i}, {_title(t)}.",
            "Set requires_grad=True before computing with it.",
        )
    return e


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients of ``outputs`` with respect to ``inputs``; no ``.grad`` is touched.

    Parameters
    ----------
    outputs, inputs : tensor or sequence of tensors; inputs may be leaves or not
    grad_outputs : per output the weight of each element; None for scalars
    retain_graph, create_graph : as in `backward`
    allow_unused : give None for an input that the outputs do not depend on (default: raise)
    is_grads_batched : grad_outputs (not the None among them) have a leading batch dimension, and so do the results
    materialize_grads : give zeros for unused inputs

    Returns
    -------
    tuple of tensors, one per input, of the inputs' shapes

    Raises
    ------
    GradientError : an output or input does not require grad; an input is unused

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(2.0, requires_grad=True, name="x")
    >>> g, = sg.autograd.grad(x ** 3, x, create_graph=True)
    >>> g
    tensor(12., grad_fn=<MulBackward0>)
    >>> print(g.formula())
    3x²
    >>> sg.autograd.grad(g, x)
    (tensor(12.),)
    """
    outs, wanted = _sequence(outputs), _sequence(inputs)
    if not wanted:
        raise GradientError("`inputs` argument to `grad()` cannot be empty.", "", "Name what to differentiate by.")
    if not only_inputs:
        raise GradientError(
            "only_inputs=False is not supported", "", "Use autograd.backward to accumulate into leaves."
        )
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if is_grads_batched:
        return _batched(outs, wanted, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    allow_unused = bool(materialize_grads) if allow_unused is None else allow_unused
    seeds = _seeds(outs, grad_outputs, "grad", "Pass one seed (or None) per output.")
    targets = [_target(t, i) for i, t in enumerate(wanted)]
    create_graph = _records([*outs, *seeds], create_graph)
    on_tensors = create_graph or modes.dual_level.get() is not None  # a gradient of duals has a tangent
    ready = [make_seed(t, seed, on_tensors) for t, seed in zip(outs, seeds, strict=True)]
    keep = create_graph if retain_graph is None else bool(retain_graph)
    unused = None if allow_unused else lambda found: _require_used(found, targets, wanted)  # before anything happens
    sweep = Sweep(on_tensors, keep, targets, False, unused, create_graph).run([edge(t) for t in outs], ready)
    found = [sweep.result(e) for e in targets]
    if not allow_unused:  # a backward of the user's may have given None
        _require_used({e for e, g in zip(targets, found, strict=True) if g is not None}, targets, wanted)
    results = []
    for g, t in zip(found, wanted, strict=True):
        if g is None:
            zeros = wrap(np.zeros_like(t._data), LEAF if create_graph else None) if materialize_grads else None
            g = zeros if zeros is None else _like(t, zeros)
        elif create_graph:
            g = _like(t, g)  # a constant that a rule made is a symbol too
        results.append(g)
    return tuple(results)


def _require_used(found: set[Any], targets: list[Any], wanted: list[Tensor]) -> None:
    for i, (e, t) in enumerate(zip(targets, wanted, strict=True)):
        if e not in found:
            raise GradientError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.",
                f"That is {_title(t)}.",
                "materialize_grads=True gives zeros for it.",
            )


def _batched(
    outs: Any, wanted: Any, grad_outputs: Any, retain_graph: Any, create_graph: Any, allow_unused: Any, zeros: Any
) -> Any:
    seeds = [None] * len(outs) if grad_outputs is None else _sequence(grad_outputs)
    seeds = [wrap(plain_array(s)) if isinstance(s, np.ndarray) else s for s in seeds]
    count = _examples(outs, seeds)

    def seed(b: int, t: Tensor, s: Any) -> Any:
        return None if s is None else row_function("getitem")(s, (b,)) if count else wrap(np.zeros_like(t._data))

    def one(b: int) -> Any:
        return grad(
            outs, wanted, [seed(b, t, s) for t, s in zip(outs, seeds, strict=True)],
            True if b < count - 1 else retain_graph, create_graph, allow_unused=allow_unused, materialize_grads=zeros,
        )  # fmt: skip

    first = one(0)  # says what there is to say against the call; the last frees the graph
    between = None if create_graph or count < 4 else _at_once(outs, wanted, seeds, count)
    rows = [one(b) for b in range(1, count) if between is None or b == count - 1]
    stacked: list[Any] = []
    for k, g in enumerate(first):
        column = [g, *[row[k] for row in rows]]
        if g is None:
            stacked.append(None)
        elif between is None:
            stacked.append(row_function("stack")(column, 0))
        else:
            many = np.zeros((count - 2, *g.shape), g._data.dtype) if between[k] is None else between[k]
            stacked.append(wrap(np.concatenate([g._data[None], many, rows[-1][k]._data[None]])))
    return tuple(g if g is None or count else g[:0] for g in stacked)


def _at_once(outs: Any, wanted: Any, seeds: Any, count: int) -> Any:
    """The gradients of all examples but the first and the last as arrays; None if they are to be found one by one."""
    parts = [
        np.ones((count - 2, *t._data.shape), t._data.dtype) if s is None else s._data[1:-1].astype(t._data.dtype)
        for t, s in zip(outs, seeds, strict=True)
    ]
    if not all(np.isfinite(part).all() for part in parts) or any(type(t) is Symbol for t in (*outs, *wanted, *seeds)):
        return None
    try:
        return PullMany([edge(t) for t in outs], [edge(t) for t in wanted])(parts)
    except NoForwardRule:
        return None


def _examples(outs: Any, seeds: Any) -> int:
    """How many examples batched seeds have; raises where they do not fit the outputs, or each other."""
    batched = [s for s in seeds if isinstance(s, Tensor)]
    if len(seeds) != len(outs) or not batched or not batched[0]._data.ndim:
        raise GradientError(
            "is_grads_batched=True takes one gradient (or None) per output, with examples along a first dimension: got "
            f"{len(batched)} for {len(outs)}", "There must be one at least.", "Pass grad_outputs=…",
        )  # fmt: skip
    for i, (t, s) in enumerate(zip(outs, seeds, strict=True)):
        if isinstance(s, Tensor) and s._data.shape != (*batched[0]._data.shape[:1], *t._data.shape):
            raise ShapeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                f"dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {list(s._data.shape)} and "
                f"output[{i}] has a shape of {list(t._data.shape)}.",
                f"grad_output[{seeds.index(batched[0])}] has {batched[0]._data.shape[:1]} examples.",
                "Give each the examples' number in front of its output's shape.",
            )
    return int(batched[0]._data.shape[0])


# -------------------------------------------------------------------------------------------------------------- part


class Subgraph:
    """What leads from older edges to a tensor.

    Attributes
    ----------
    nodes : recorded since ``born``, the youngest first
    edges : the older ones that they rest on

    Raises
    ------
    NoForwardRule : hooks of the user's change gradients on the way
    """

    def __init__(self, output: Any, born: int) -> None:
        self.output: Any = edge(output)
        self.nodes: list[Node] = []
        found: dict[Any, None] = {}
        stack, seen = [self.output], {self.output}
        while stack:
            node = stack.pop()
            if is_leaf_node(node) or node.seq <= born:
                found[node] = None
                continue
            self.nodes.append(node)
            for p in node.parents:
                if p is not None and p not in seen:
                    seen.add(p)
                    stack.append(p)
        self.nodes.sort(key=lambda node: -node.seq)
        self.edges: list[Any] = list(found)
        self._saved = [node.saved for node in self.nodes]
        self.exact: bool = any(node.traits & MASKS for node in self.nodes)
        refuse_hooks(self.nodes)

    def pull(self, g: Any, edges: Sequence[Any], graph: bool) -> list[Any]:
        """Per edge the partial gradient for the incoming ``g``, of its carrier; None where nothing arrives."""
        sweep = Sweep(graph, True)
        sweep.grads = no_cotangents() | {self.output: g}
        with self._whole():
            for node in self.nodes:
                arrived = sweep.grads.pop(node, None)
                if arrived is not None:
                    if self.exact:
                        sweep.pull_exact(node, arrived)
                    else:
                        (node.pull_graph if graph else node.pull)(arrived, sweep.grads)  # type: ignore[attr-defined]
        return [sweep.grads.get(e) for e in edges]

    def push(self, edges: Sequence[Any], tangents: Sequence[Any], graph: bool) -> Any:
        """The output's tangent for those of edges (None where they stay), of their carrier; None if it stays."""
        with self._whole():
            run = Push([self.output], edges)
            own = set(self.nodes)
            run.nodes = [node for node in run.nodes if node in own]
            return run(tangents, graph)[0]

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """With what the nodes saved, which a sweep that shares them may have let go."""
        before = [node.saved for node in self.nodes]
        for node, saved in zip(self.nodes, self._saved, strict=True):
            node.saved = saved
        try:
            if self.nodes and storage.written_since(self.nodes[-1].seq):
                check_saved(self.nodes)
            yield
        finally:
            for node, saved in zip(self.nodes, before, strict=True):
                node.saved = saved

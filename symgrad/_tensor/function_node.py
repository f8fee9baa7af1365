"""The node of a user-defined operation, the ``ctx`` of its ``forward`` and ``backward``; such ones under `vmap`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._errors import DTypeError, GradientError, NotDifferentiableError, ShapeError
from ..core import (
    Dual,
    Freed,
    Meta,
    Node,
    Notes,
    Packed,
    Symbol,
    Tensor,
    add_to,
    as_it_moved,
    check_writable,
    constant_from,
    edge,
    gradient_for_others,
    hold_weakly,
    is_leaf_node,
    listening,
    make_symbolic,
    merged_sizes,
    meta,
    modes,
    next_seq,
    output_node,
    reduce_to,
    refuse_inference,
    row_function,
    setting,
    sizes_of,
    storage,
    wrap,
)
from ..ops import FUNCTIONS, METHODS
from ..sweep import check_unspoilt, run_users_code

# -------------------------------------------------------------------------------------------------------------------
# User-defined operations under `vmap`: recorded on one example made of symbols, and run on all examples at once

# The idea to hold: forward runs on the values of the example that the symbols stand for, and its results are symbols
# again, so that the graph goes on. What the batch then gets comes of the operation's own ``vmap``; with
# ``generate_vmap_rule`` of its forward, once per example.


class VmapInfo(NamedTuple):
    """What a ``vmap`` of a user-defined operation is told: the number of examples, and what they may draw."""

    batch_size: int
    randomness: str


class VmapRuleError(GradientError):
    """A user-defined operation has no ``vmap`` that could be used."""


# ----------------------------------------------------------------------------------------------- one example


def traced(ctx: Any, forward: Callable[[Any], Any], args: tuple[Any, ...], notes: Notes) -> Any:
    """Record an operation on symbols; ``forward`` computes it on tensors and lets ``ctx`` save what it wants."""
    plain = [wrap(a._data) if type(a) is Symbol else a for a in args]
    with setting(modes.mode, modes.OFF), setting(listening, None):
        output = forward(plain)
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if ctx._dirty:
        notes.doubt(f"{ctx.name()} writes in place")
    if any(o is not None and not isinstance(o, Tensor) for o in outputs):
        notes.doubt(f"{ctx.name()} returns what is no tensor")
    ctx.parents = tuple([edge(a) if isinstance(a, Tensor) else None for a in args])
    ctx.consts = tuple([None if e is not None else hold_weakly(a) for a, e in zip(args, ctx.parents, strict=True)])
    ctx.describe(args, outputs)
    ctx.seq = next_seq()
    sizes = merged_sizes([sizes_of(a) for a in args if type(a) is Symbol])
    tensors = [o for o in outputs if isinstance(o, Tensor)]
    if ctx._to_save:
        ctx.saved, ctx._links = _kept(ctx, ctx._to_save, plain, args, tensors, sizes)
    if ctx._to_forward is not None:
        ctx._forward = _kept(ctx, ctx._to_forward, plain, args, tensors, sizes)
    results = tuple([o if k is None else _symbol(ctx, o, k, sizes) for o, k in zip(outputs, ctx._places, strict=True)])
    if any(isinstance(v, (Tensor, np.ndarray)) for name, v in vars(ctx).items() if not name.startswith("_")):
        ctx._hides = "keeps an array of the example as an attribute of ctx"
    ctx.settle()
    return results[0] if single else results


def _symbol(ctx: Any, o: Tensor, k: int, sizes: dict[int, Any]) -> Any:
    """An output as a symbol: with history, or a constant that says which output it is."""
    t = make_symbolic(wrap(o._data), dict(sizes))
    at = output_node(ctx, k)
    flows = modes.mode.get() > 0 and o._data.dtype.kind in "fc" and id(o) not in ctx._nondiff
    if not flows or all(p is None for p in ctx.parents):
        return constant_from(row_function("clone").op, t, (wrap(o._data, at),), ("K",))
    t._node = at
    if sizes:
        meta(at).sizes = sizes
    return t


def _kept(ctx: Any, saved: Any, plain: Any, args: Any, tensors: Any, sizes: Any) -> tuple[Any, Any]:
    """As `FunctionNode.keep`: everything that is an example's is a symbol again."""
    links: list[Any] = []
    for t in saved:
        given = next((a for a, p in zip(args, plain, strict=True) if p is t), None)
        k = next((k for k, o in enumerate(tensors) if o is t), None)
        if t is None:
            links.append((None, None))
        elif given is not None:
            at = given._node if given._node is not None else given if type(given) is Symbol else None
            links.append((at, sizes_of(given) if type(given) is Symbol else None))
        elif k is not None:
            links.append((k, dict(sizes)))
        else:
            ctx._hides = "saves what is neither input nor output"
            links.append((edge(t), None))
    return tuple([None if t is None else t._data for t in saved]), tuple(links)


# ---------------------------------------------------------------------------------------------- all examples


def batched(node: Any, args: Sequence[Any], size: Any, randomness: str) -> tuple[list[Any], bool]:
    """The outputs (those that are tensors) for arguments of which some carry the batch in front; whether that took a
    loop."""
    from ..sweep.batch import Batched  # loaded by those who batch

    cls = node._function
    if not any(type(a) is Batched for a in args):
        return _tensors(cls.apply(*args)), False
    if not cls._has_vmap():
        columns = [METHODS["unbind"](a.tensor, 0) if type(a) is Batched else None for a in args]
        rows = [
            _tensors(cls.apply(*[a if c is None else c[b] for a, c in zip(args, columns, strict=True)]))
            for b in range(int(size))
        ]
        return [Batched(FUNCTIONS["stack"](list(column))) for column in zip(*rows, strict=True)], True
    in_dims = tuple([0 if type(a) is Batched else None for a in args])
    given = [a.tensor if type(a) is Batched else a for a in args]
    result = cls.vmap(VmapInfo(size, randomness), in_dims, *given)
    pairs = _pairs(node, result, size)
    return [o if d is None else Batched(METHODS["movedim"](o, d, 0) if d else o) for o, d in pairs], False


def _tensors(output: Any) -> list[Any]:
    return [o for o in (output if isinstance(output, tuple) else (output,)) if isinstance(o, Tensor)]


def _pairs(node: Any, result: Any, size: Any) -> list[tuple[Tensor, int | None]]:
    """What an operation's ``vmap`` returned, checked: each tensor with the dimension that counts the examples."""
    name, count = node._function.__name__, len(node.fit)
    if not isinstance(result, tuple) or len(result) != 2:
        raise VmapRuleError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(result)} instead",
            f"{name}.vmap returned it.",
            "Return (output, out_dims).",
        )
    output, dims = result
    outputs = output if isinstance(output, tuple) else (output,)
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,) * len(outputs)
    tensors = [(o, d) for o, d in zip(outputs, dims, strict=False) if isinstance(o, Tensor)]
    if len(dims) != len(outputs) or len(tensors) != count:
        raise VmapRuleError(
            f"{name}.vmap returned {len(outputs)} outputs and {len(dims)} out_dims, its forward {count} tensors",
            "out_dims has one entry per output: the dimension that counts the examples, or None.",
            "Return (output, out_dims) of one structure.",
        )
    for o, d in tensors:
        if d is not None and (not -o._data.ndim <= d < o._data.ndim or o._data.shape[d] != int(size)):
            raise VmapRuleError(
                f"{name}.vmap returned an output of shape {tuple(o._data.shape)} and out_dim {d} for {size} examples",
                "That dimension counts the examples.",
                "Return where it is.",
            )
    return tensors


def hidden(ctx: Any) -> None:
    """Tell whoever traces that a rule of this node is to run that may see values of one example."""
    notes = listening.get() if ctx._hides else None
    if notes is not None:
        notes.doubt(f"{ctx.name()} {ctx._hides}")


# --------------------- The node of a user-defined operation, which is the ``ctx`` of its ``forward`` and ``backward``

# The idea to hold: what the user's code is given is its own. A gradient, which others may hold too, is copied first, so
# that writing to it, keeping it or returning it twice changes nothing elsewhere.


_READERS = frozenset(["item", "tolist", "float", "complex"])
"""By these names code turns a tensor into numbers, which have no history."""


def _within(value: Any) -> Iterator[Any]:
    """A value, or what lists, tuples and dictionaries hold."""
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _within(part)
    else:
        yield value


class FunctionNode(Node):
    """The node of a user-defined operation; it is the ``ctx`` that forward and backward share."""

    # a dictionary, since users keep attributes of their own on ctx
    _function: Any = None

    parents: tuple[Any, ...]
    saved: Any
    consts: Any
    fit: Any
    meta: Meta | None

    def _setup(self) -> None:
        self.parents, self.saved, self.consts, self.fit, self.meta = (), None, None, None, None
        self.seq = 0
        self._live = False
        self._to_save: tuple[Any, ...] = ()
        self._to_forward: tuple[Any, ...] | None = None
        self._nondiff: set[int] = set()
        self._still: tuple[int, ...] = ()  # the numbers of the outputs that are marked so
        self._dirty: tuple[Any, ...] = ()
        self._materialize = True
        self._links: tuple[Any, ...] = ()
        self._forward: Any = None  # what jvp finds saved, if it is not what backward does
        self._pushing = False
        self._hides = ""  # what a rule may see of one example, if this one is traced for a batch
        self._computed: list[str] = []  # what forward kept of what it computed, whose history nobody knows
        self._fits: tuple[Any, ...] = ()  # per argument its shape and dtype, None for what is no tensor
        self._places: tuple[Any, ...] = ()  # per output which tensor it is, None for what is no tensor
        self.needs_input_grad: tuple[bool, ...] = ()

    def describe(self, args: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Note the forms of arguments and outputs."""
        tensors = [o for o in outputs if isinstance(o, Tensor)]
        self._fits = tuple([(a._data.shape, a._data.dtype) if isinstance(a, Tensor) else None for a in args])
        self.fit = tuple([(o._data.shape, o._data.dtype) for o in tensors])
        self._still = tuple([k for k, o in enumerate(tensors) if id(o) in self._nondiff]) if self._nondiff else ()
        count = iter(range(len(tensors)))
        self._places = tuple([next(count) if isinstance(o, Tensor) else None for o in outputs])

    def note_computed(self, args: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Note what forward kept that is neither argument nor output, and was not said to be a constant."""
        known = {*map(id, args), *map(id, outputs), *self._nondiff}
        kept = [("saved", t) for t in self._to_save]
        kept += [(f"kept as ctx.{name}", v) for name, v in vars(self).items() if not name.startswith("_")]
        for how, t in kept:
            for value in _within(t):
                data = value._data if isinstance(value, Tensor) and value._node is None else value
                if type(value) is Symbol or id(value) in known:
                    continue
                if isinstance(data, (np.ndarray, np.inexact)) and data.dtype.kind in "fc":
                    self._computed.append(f"a tensor of shape {data.shape}, {how}")
                elif type(data) in (float, complex) and self._was_read(data, args):
                    self._computed.append(f"the number {data:.6g}, {how}")

    def _was_read(self, number: Any, args: Sequence[Any]) -> bool:
        """Whether a number may be one that forward read off a tensor: no argument, and not written in its code."""
        codes = [f.__code__ for f in (self._function.forward, self._function.setup_context) if hasattr(f, "__code__")]
        known = [*args, *(number for code in codes for number in code.co_consts)]
        return any(not _READERS.isdisjoint(code.co_names) for code in codes) and not any(
            type(v) is type(number) and v == number for v in known
        )

    def settle(self) -> None:
        """Let go of what was only needed while recording."""
        self._to_save, self._to_forward, self._nondiff, self._dirty, self._live = (), None, set(), (), False

    # ------------------------------------------------------------------------------------------ what forward says

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (inputs or outputs, or constants) for backward, with the version check."""
        _require_tensors("save_for_backward can only save variables", tensors, none=True)
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for jvp, which finds them in ``saved_tensors``."""
        _require_tensors("save_for_forward can only save variables", tensors, none=True)
        self._to_forward = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark outputs that carry no gradient, and constants that are saved."""
        _require_tensors("mark_non_differentiable only accepts variable arguments", tensors)
        self._nondiff = {id(t) for t in tensors}

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark inputs that forward writes to in place; said before it does, what must not be written is left alone."""
        _require_tensors("mark_dirty can only accept variables", tensors)
        if self._live:
            with setting(modes.mode, modes.ON):
                for t in tensors:
                    check_writable(t, self.name())
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs without gradient."""
        self._materialize = value

    # ----------------------------------------------------------------------------------------------- saved values

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, with its history; in a jvp what `save_for_forward` kept."""
        if self._pushing and self._forward is not None:
            return self._restored(*self._forward)
        saved = self.saved
        if type(saved) is Freed:
            raise saved.error(self)
        return tuple(self._to_save) if saved is None else self._restored(saved, self._links)

    def keep(self, tensors: Sequence[Any], args: Sequence[Any], outputs: Sequence[Any]) -> tuple[Any, Any]:
        """The arrays of ``tensors``, and per array where its history is: an edge, or the number of an output.

        A symbol that is neither input nor output says itself what it was computed from.
        """
        dirty = {id(t) for t in self._dirty}
        links: list[Any] = []
        for t in tensors:
            if t is None:
                links.append((None, None))
                continue
            link: Any = next((k for k, o in enumerate(outputs) if o is t), None)
            place = next((i for i, a in enumerate(args) if a is t), None)
            if place is not None and (link is None or id(t) not in dirty):
                link = t if type(t) is Dual and self.parents[place] is None else self.parents[place]
            elif link is None:
                link = t if type(t) is Symbol else edge(t)
            links.append((link, sizes_of(t) if type(t) is Symbol else None))
        values = tuple(None if t is None else t._data for t in tensors)
        refuse_inference(self.name(), tensors, values)
        return values, tuple(links)

    def _restored(self, values: Sequence[Any], links: Sequence[Any]) -> tuple[Any, ...]:
        out: list[Any] = []
        for value, (link, sizes) in zip(values, links, strict=True):
            if value is None:
                out.append(None)
                continue
            if isinstance(value, Packed):
                value = value.get()  # a hook may have written it anew: its versions are its own
            elif storage.version_conflict(value, self.seq) is not None:
                check_unspoilt(self, (value,))
            leaf = link.ref() if is_leaf_node(link) else None
            if leaf is not None and leaf._data is value:
                out.append(leaf)
            elif isinstance(link, Tensor):
                out.append(link)
            else:
                t = wrap(value, output_node(self, link) if isinstance(link, int) else link)
                out.append(as_it_moved(t) if sizes is None else make_symbolic(t, dict(sizes)))
        return tuple(out)

    # --------------------------------------------------------------------------------------------------- backward

    def _of_tensors(self, values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([v for v, fit in zip(values, self._fits, strict=True) if fit is not None])

    def name(self) -> str:
        """The class's name with ``Backward``."""
        return type(self).__name__

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Numbers: run the user's backward without recording."""
        self._pull(g, grads, False)

    def pull_graph(self, g: Any, grads: dict[Any, Any]) -> None:
        """Graph: run the user's backward, recording."""
        self._pull(g, grads, True)

    def _pull(self, g: Any, grads: dict[Any, Any], graph: bool) -> None:
        for p, d in zip(self.parents, self.input_gradients(g, graph), strict=True):
            if p is not None and d is not None:
                add_to(grads, p, d)

    def input_gradients(self, g: Any, graph: bool) -> list[Any]:
        """The user's backward, its result checked: one gradient (or None) per input."""
        hidden(self)
        if graph and self._computed and not hasattr(self._function._rule(), "is_differentiable_once"):
            self._warn_of_computed()
        seeds = [
            gradient_for_others(gi) if gi is not None else wrap(np.zeros(*fit)) if self._materialize else None
            for gi, fit in zip(g, self.fit, strict=True)
        ]  # fmt: skip
        results = run_users_code(self._function._rule(), self, *[None if k is None else seeds[k] for k in self._places])
        results = list(results) if isinstance(results, tuple) else [results]
        count = len(self.parents)
        while len(results) > count and results[-1] is None:
            results.pop()
        if len(results) != count:
            raise GradientError(
                f"function {self.name()} returned an incorrect number of gradients "
                f"(expected {count}, got {len(results)})",
                "backward must return one value per argument of forward (None where there is none).",
                "Return as many values as forward takes arguments, ctx not counted.",
            )
        return [self._checked(i, r, graph) for i, r in enumerate(results)]

    def _warn_of_computed(self) -> None:
        name = self._function.__name__
        numbers = "; ".join(self._computed)
        step = (
            "Return it as an output, or compute it in backward from inputs that are saved; if it is a constant, say "
            "so: ctx.mark_non_differentiable(t)."
        )
        if modes.tracing.get() is not None:  # a formula holds at other inputs, too
            raise NotDifferentiableError(
                f"{name} has no formula of its derivative",
                f"{name}.backward uses numbers that {name}.forward computed: {numbers}.", step,
            )  # fmt: skip
        warnings.warn(
            f"{name}.backward is recorded, to be differentiated again, and uses numbers that {name}.forward computed: "
            f"{numbers}. What it owes to the inputs has no derivative.\n{step}",
            UserWarning, stacklevel=2,
        )  # fmt: skip

    def _checked(self, i: int, r: Any, graph: bool) -> Any:
        if r is None:
            return None
        if self._fits[i] is None:
            raise GradientError(
                f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                "corresponding forward input was not a Variable",
                f"It returned {type(r).__name__}.",
                "Return None for what is no tensor.",
            )
        if not isinstance(r, Tensor):
            raise DTypeError(
                f"expected Variable or None (got {type(r).__name__}): {self.name()} returned it for input {i}",
                "",
                "Return a tensor.",
            )
        if self.parents[i] is None:
            return None
        shape, dtype = self._fits[i]
        if r._data.shape != shape:
            try:
                fits = np.broadcast_shapes(r._data.shape, shape) == r._data.shape
            except ValueError:
                fits = False
            if not fits:
                raise ShapeError(
                    f"Function {self.name()} returned an invalid gradient at index {i} - got {list(r._data.shape)} but "
                    f"expected shape compatible with {list(shape)}",
                    "The gradient of an input has the input's shape.", "Sum or reshape it in backward.",
                )  # fmt: skip
        if r._data.dtype.kind == "c" and dtype.kind != "c":
            raise DTypeError(
                f"Function {self.name()} returned an invalid gradient at index {i} - expected type {dtype} but got "
                f"{r._data.dtype}",
                "The gradient of a real input is real.",
                "Take its real part in backward.",
            )
        r = reduce_to(r, (shape, dtype), True)
        return r if graph else r._data

    # ------------------------------------------------------------------------------------------------ forward mode

    def batched(self, args: Sequence[Any], size: Any, randomness: str) -> tuple[list[Any], bool]:
        """The outputs for a batch of arguments, see `batched`."""
        return batched(self, args, size, randomness)

    @property
    def batches(self) -> bool:
        """Whether it can run on a batch."""
        return bool(self._function._batches())

    def push(self, tangents: Sequence[Any]) -> tuple[Any, ...]:
        """The user's jvp, called with a tensor (or None) per argument; one tangent (or None) per tensor returned."""
        hidden(self)
        own = [gradient_for_others(t) if isinstance(t, Tensor) else t for t in tangents]
        self._pushing = True
        try:
            results = self._function.jvp(self, *own)
        finally:
            self._pushing = False
        results = results if isinstance(results, tuple) else (results,)
        if len(results) != len(self._places):
            raise GradientError(
                f"{self._function.__name__}.jvp returned {len(results)} tangents, and its forward {len(self._places)} "
                "outputs",
                "jvp returns one tangent per output (None where there is none).",
                "Return as many as forward does.",
            )
        return tuple([r for r, k in zip(results, self._places, strict=True) if k is not None])


def _require_tensors(what: str, values: Sequence[Any], none: bool = False) -> None:
    for t in values:
        if not isinstance(t, Tensor) and not (none and t is None):
            raise DTypeError(
                f"{what}, but argument is of type {type(t).__name__}", "", "Keep other values as attributes of ctx."
            )

"""User-defined operations: ``autograd.Function``, differentiable again because its backward runs on tensors."""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import Any

import numpy as np

from ._errors import GradientError, InplaceError, NotDifferentiableError
from ._tensor import FunctionNode, VmapRuleError, traced
from .core import (
    Carrier,
    Dual,
    Node,
    Symbol,
    Tensor,
    any_moves,
    ban_writes,
    check_writable,
    edge,
    has_history,
    hold_weakly,
    is_leaf_node,
    listening,
    make_symbolic,
    modes,
    new_node,
    next_seq,
    output_node,
    rebase,
    sizes_of,
    storage,
    taking_carriers,
    watch,
    wrap,
)
from .ops import METHODS

_new = object.__new__


class _FunctionMeta(type):
    """Gives each Function class its node class, named after it."""

    def __init__(cls, name: str, bases: Any, attrs: Any) -> None:
        super().__init__(name, bases, attrs)
        cls._node_class = type(name + "Backward", (FunctionNode,), {"_function": cls, "__module__": "symgrad.autograd"})


class Function(metaclass=_FunctionMeta):
    """An operation with a rule of your own: subclass with static methods ``forward`` and ``backward``.

    ``forward(ctx, *args)`` computes (nothing in it is recorded); or ``forward(*args)`` together with
    ``setup_context(ctx, inputs, output)``. ``backward(ctx, *grads)`` returns one gradient per argument. Written in
    tensor operations it can be differentiated again; decorated with `once_differentiable` it raises instead.

    Examples
    --------
    >>> import symgrad as sg
    >>> class Cube(sg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return 3 * x ** 2 * g
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> g, = sg.autograd.grad(Cube.apply(x), x, create_graph=True)
    >>> g, sg.autograd.grad(g, x)[0]
    (tensor(12., grad_fn=<MulBackward0>), tensor(12.))
    """

    _node_class: Any
    generate_vmap_rule = False
    _found = False
    """Whether the result was found before, at these operands: run at others, forward gives it all the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise GradientError(
            f"{type(self).__name__} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself.",
            "Instantiating an autograd function is not allowed.", "Call its apply.",
        )  # fmt: skip

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs (define it in the subclass)."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, if ``forward`` takes no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradients of the inputs (define it in the subclass, or `vjp` instead)."""
        raise NotDifferentiableError(
            "You must implement either the backward or vjp method for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    vjp = backward

    @classmethod
    def _rule(cls) -> Any:
        """The subclass's `backward`, by either name."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise GradientError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them.",
                f"{cls.__name__} has both.",
                "They mean the same: drop one.",
            )
        return cls.vjp

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangents of the outputs (without it, they come of the backward, transposed)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """Return ``(output, out_dims)`` for a batch of arguments (without it, `vmap` runs examples one by one)."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def _parameters(cls) -> inspect.Signature:
        """What `apply` takes: the parameters of `forward`, ctx not among them."""
        known = _signature(cls.forward)
        if cls.setup_context is not Function.setup_context:
            return known
        return known.replace(parameters=tuple(known.parameters.values())[1:])

    @classmethod
    def _has_vmap(cls) -> bool:
        return cls.vmap is not Function.vmap

    @classmethod
    def _batches(cls) -> bool:
        """Whether it says how to run on a batch."""
        if cls._has_vmap() and cls.generate_vmap_rule:
            raise VmapRuleError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden "
                "vmap staticmethod.",
                "",
                "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity.",
            )
        return cls.generate_vmap_rule or cls._has_vmap()

    @classmethod
    def _forward(cls, ctx: Any, separate: bool, args: Any) -> Any:
        if not separate:
            return cls.forward(ctx, *args)
        output = cls.forward(*args)
        cls.setup_context(ctx, tuple(args), output)
        return output

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the operation on ``args`` and record it."""
        for a in args:
            if isinstance(a, Carrier):
                return taking_carriers(cls.apply)(*args, **kwargs)
        separate = cls.setup_context is not Function.setup_context
        if kwargs or separate:
            args = _bound(cls.forward, separate, args, kwargs)
        ctx: Any = _new(cls._node_class)
        ctx._setup()
        notes = listening.get()
        if notes is not None and not cls._batches():  # what forward does with the values it gets is not recorded
            notes.doubt(f"it applies {cls.__name__}, an autograd.Function without a vmap")
        elif notes is not None and any(type(a) is Symbol for a in args):
            return traced(ctx, functools.partial(cls._forward, ctx, separate), args, notes)
        edges = tuple([edge(a) if isinstance(a, Tensor) else None for a in args])
        mode = modes.mode.get()
        live = ctx._live = mode > 0 and any(e is not None for e in edges)
        ctx.needs_input_grad = tuple([e is not None for e in edges])
        moves = any_moves(args)
        token = modes.mode.set(modes.OFF if mode != modes.INFERENCE else mode)
        level = modes.dual_level.set(None) if moves else None
        try:
            output = cls._forward(ctx, separate, args)
        finally:
            modes.mode.reset(token)
            if level is not None:
                modes.dual_level.reset(level)
        single = not isinstance(output, tuple)
        outputs = (output,) if single else output
        if ctx._dirty:
            _check_dirty(ctx, args, outputs)
        if live:
            outputs = _record(ctx, args, edges, outputs)
            if moves:
                Dual.applied(ctx, args, outputs)
            ctx.settle()
            if mode == modes.WATCH:
                watch(ctx, outputs)
        else:
            if moves:
                _describe(ctx, args, edges, outputs)
            dirty = {id(t) for t in ctx._dirty}
            for t in ctx._dirty:
                storage.stamp(t._data)
            # an input returned as it is becomes a tensor of its own
            outputs = tuple([_alias(o) if id(o) not in dirty and _is_among(o, args) else o for o in outputs])
            if moves:
                Dual.applied(ctx, args, outputs)
        return outputs[0] if single else outputs


@functools.lru_cache(maxsize=512)
def _signature(forward: Any) -> inspect.Signature:
    return inspect.signature(forward)


def _bound(forward: Any, separate: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments in the order of ``forward``'s; with its defaults where `setup_context` gets them."""
    bound = _signature(forward).bind(*(args if separate else (None, *args)), **kwargs)
    for name in bound.kwargs:
        raise TypeError(f"forward() got an unexpected keyword argument {name!r}: apply passes arguments by position")
    if separate:
        bound.apply_defaults()
    return bound.args if separate else bound.args[1:]


def _is_among(value: Any, args: tuple[Any, ...]) -> bool:
    return isinstance(value, Tensor) and any(value is a for a in args)


def _alias(t: Tensor) -> Any:
    return METHODS["view_as"](t, t)


def _check_dirty(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Raise unless what is marked as written was returned; what was no input needs no mark."""
    for t in ctx._dirty:
        if not _is_among(t, outputs):
            raise InplaceError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function.",
                f"{type(ctx)._function.__name__}.forward wrote to one of shape {tuple(t._data.shape)}.",
                "Return it too.",
            )
        if not _is_among(t, args):
            warnings.warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty().",
                UserWarning, stacklevel=3,
            )  # fmt: skip
    ctx._dirty = tuple([t for t in ctx._dirty if _is_among(t, args)])


def _record(ctx: Any, args: Any, edges: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Link ctx into the graph and give each output its edge."""
    for o in ctx._dirty:
        check_writable(o, ctx.name())
        storage.stamp(o._data)  # before the node is born: what it saves is what forward wrote
    _describe(ctx, args, edges, outputs)
    return _results(ctx, args, outputs)


def _describe(ctx: Any, args: Any, edges: Any, outputs: tuple[Any, ...]) -> None:
    """Let ctx know what it was applied to and what came of it, and keep what is to be saved."""
    tensors = [o for o in outputs if isinstance(o, Tensor)]
    ctx.parents = edges
    ctx.seq = next_seq()
    ctx.consts = tuple([None if e is not None else hold_weakly(a) for a, e in zip(args, edges, strict=True)])
    ctx.describe(args, outputs)
    ctx.note_computed(args, outputs)
    if ctx._to_save:
        ctx.saved, ctx._links = ctx.keep(ctx._to_save, args, tensors)
    if ctx._to_forward is not None:
        ctx._forward = ctx.keep(ctx._to_forward, args, tensors)


def _results(ctx: Any, args: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs with their edges. One that shares memory with an input or with another output is a tensor of its own,
    which must not be written to."""
    dirty = {id(t) for t in ctx._dirty}
    known = {id(storage.owner(a._data)): a for a in args if isinstance(a, Tensor)}
    results = []
    for o, index in zip(outputs, ctx._places, strict=True):
        if index is None:
            results.append(o)
            continue
        given, bag = _is_among(o, args), o._extra
        if id(o) in dirty:
            rebase(o, None if id(o) in ctx._nondiff else output_node(ctx, index))
            results.append(o)
            continue
        if id(o) in ctx._nondiff or o._data.dtype.kind not in "fc":
            results.append(wrap(o._data[...]) if given or o._node is not None else o)
            continue
        base = _shares_with(o, known)
        anew = (
            given or o._node is not None or (bag is not None and (bag.view or bag.write_ban or bag.name or bag.origin))
        )
        out = _like(o) if anew or base is not None else o
        out._node = output_node(ctx, index)
        if base is not None:
            ban_writes(out, base, f"Output {index} of {type(ctx)._function.__name__}")
        known[id(o)] = known.setdefault(id(storage.owner(o._data)), out)
        results.append(out)
    return tuple(results)


def _shares_with(o: Tensor, known: dict[int, Tensor]) -> Tensor | None:
    """The tensor with which an output shares memory; ``known``: inputs and earlier outputs, by identity of the memory
    (or of what forward returned)."""
    bag = o._extra
    if bag is not None and (bag.view is not None or bag.write_ban is not None):
        root = o if bag.view is None else bag.view[0]
        return known.get(id(root), root)
    base = known.get(id(storage.owner(o._data)))
    if base is not None:
        return base if np.may_share_memory(o._data, base._data) else None
    return o if is_leaf_node(o._node) else None


def _like(o: Tensor) -> Tensor:
    """Another tensor of the same memory."""
    out = wrap(o._data[...])
    return make_symbolic(out, dict(sizes_of(o))) if type(o) is Symbol else out


class _OnceDifferentiable(Node):
    """What the gradients of a once-differentiable backward remember: that they cannot be differentiated."""

    __slots__ = ()

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        raise NotDifferentiableError(
            "trying to differentiate twice a function that was marked with @once_differentiable",
            "Its backward computed numbers, not operations.",
            "Write the backward in tensor operations and drop the decorator.",
        )  # fmt: skip

    pull_graph = pull


def once_differentiable(fn: Any) -> Any:
    """Mark a Function's backward as computing plain numbers: differentiating it again raises instead of being wrong.

    Examples
    --------
    >>> import symgrad as sg
    >>> class Double(sg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @sg.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = sg.tensor(1.0, requires_grad=True)
    >>> sg.autograd.grad(Double.apply(x), x)
    (tensor(2.),)
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        recording = modes.mode.get() > 0
        token = modes.mode.set(modes.OFF)
        try:
            outputs = fn(ctx, *args)
        finally:
            modes.mode.reset(token)
        if not recording:
            return outputs
        # with nothing to differentiate in the incoming gradient the saved inputs may still matter
        sources = list(filter(has_history, (*args, *_saved(ctx))))
        if not sources:
            return outputs
        single = not isinstance(outputs, tuple)
        results = []
        for o in (outputs,) if single else outputs:
            if isinstance(o, Tensor):
                o = wrap(o._data, new_node(_OnceDifferentiable, tuple(edge(a) for a in sources)))
            results.append(o)
        return results[0] if single else tuple(results)

    wrapper.is_differentiable_once = True  # type: ignore[attr-defined]
    return wrapper


def _saved(ctx: Any) -> tuple[Any, ...]:
    return ctx.saved_tensors if ctx.saved is not None else ()

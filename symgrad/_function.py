"""User-defined operations: ``autograd.Function``, differentiable again because its backward runs on tensors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ._errors import DTypeError, GradientError, NotDifferentiableError, ShapeError
from .core import Freed, Node, Tensor, _modes, _storage, edge, is_leaf_node, new_node, wrap
from .core._graph import hold, next_seq
from .core._notes import listening
from .core._pull import reduce_to
from .core._run import output_node
from .core._views import check_writable, rebase
from .core._watch import Packed, watch

_new = object.__new__


class FunctionNode(Node):
    """The node of a user-defined operation; it is the ``ctx`` that forward and backward share."""

    # a dictionary, since users keep attributes of their own on ctx
    _function: Any = None

    def _setup(self) -> None:
        self.parents, self.saved, self.consts, self.fit, self.meta = (), None, None, None, None
        self.seq = 0
        self._to_save: tuple[Any, ...] = ()
        self._nondiff: set[int] = set()
        self._dirty: tuple[Any, ...] = ()
        self._materialize = True
        self._links: tuple[Any, ...] = ()
        self._fits: tuple[Any, ...] = ()  # per argument its shape and dtype, None for what is no tensor
        self.needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (inputs or outputs, or any other) for backward, with the version check."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise DTypeError(
                    f"save_for_backward can only save variables, but argument is of type {type(t).__name__}",
                    "", "Keep other values as attributes of ctx.",
                )  # fmt: skip
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Accepted, and nothing is kept: a jvp that asks for it gives way to the backward, transposed."""

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark outputs that carry no gradient."""
        self._nondiff = {id(t) for t in tensors}

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark inputs that forward wrote to in place."""
        self._dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs without gradient."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept, with its history."""
        saved = self.saved
        if type(saved) is Freed:
            raise saved.error(self)
        if saved is None:
            return tuple(self._to_save)
        out: list[Any] = []
        for value, link in zip(saved, self._links, strict=True):
            if value is None:
                out.append(None)
                continue
            if isinstance(value, Packed):
                value = value.get()
            versions = _storage.spoilt(value, self.seq)
            if versions is not None:
                from .sweep._reverse import check_unspoilt

                check_unspoilt(self, (value,))
            leaf = link.ref() if is_leaf_node(link) else None
            if leaf is not None and leaf._data is value:
                out.append(leaf)
            else:
                out.append(wrap(value, output_node(self, link) if isinstance(link, int) else link))
        return tuple(out)

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
            if p is None or d is None:
                continue
            old = grads.get(p)
            grads[p] = d if old is None else old + d

    def input_gradients(self, g: Any, graph: bool) -> list[Any]:
        """The user's backward, its result checked: one gradient (or None) per input."""
        seeds = [
            (gi if isinstance(gi, Tensor) else wrap(np.asarray(gi))) if gi is not None
            else wrap(np.zeros(*fit)) if self._materialize else None
            for gi, fit in zip(g, self.fit, strict=True)
        ]  # fmt: skip
        results = self._function.backward(self, *seeds)
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
        return [
            None if p is None or r is None else self._checked(i, r, graph)
            for i, (p, r) in enumerate(zip(self.parents, results, strict=True))
        ]

    def _checked(self, i: int, r: Any, graph: bool) -> Any:
        if not isinstance(r, Tensor):
            raise DTypeError(
                f"expected Variable or None (got {type(r).__name__}): {self.name()} returned it for input {i}",
                "",
                "Return a tensor.",
            )
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
        """Return the gradients of the inputs (define it in the subclass)."""
        raise NotDifferentiableError(
            "You must implement either the backward or vjp method for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangents of the outputs (without it, they come of the backward, transposed)."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run the operation on ``args`` and record it."""
        ctx: Any = _new(cls._node_class)
        ctx._setup()
        notes = listening.get()
        if notes is not None:  # what forward does with the values it gets is not recorded
            notes.doubt(f"it applies {cls.__name__}, an autograd.Function")
        edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in args)
        mode = _modes.mode.get()
        live = mode > 0 and any(e is not None for e in edges)
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a._node is not None for a in args)
        token = _modes.mode.set(_modes.OFF if mode != _modes.INFERENCE else mode)
        try:
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args)
            else:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
        finally:
            _modes.mode.reset(token)
        single = not isinstance(output, tuple)
        outputs = (output,) if single else output
        if live:
            outputs = _record(ctx, args, edges, outputs)
            if mode == _modes.WATCH:
                watch(ctx)
        else:
            for t in ctx._dirty:
                _storage.stamp(t._data)
        return outputs[0] if single else outputs


def _record(ctx: Any, args: Any, edges: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Link ctx into the graph and give each output its edge."""
    ctx.parents = edges
    ctx.seq = next_seq()
    ctx._fits = tuple((a._data.shape, a._data.dtype) if isinstance(a, Tensor) else None for a in args)
    ctx.consts = tuple(None if e is not None else hold(a) for a, e in zip(args, edges, strict=True))
    tensors = [o for o in outputs if isinstance(o, Tensor)]
    ctx.fit = tuple((o._data.shape, o._data.dtype) for o in tensors)
    dirty = {id(t) for t in ctx._dirty}
    links: list[Any] = []
    for t in ctx._to_save:
        position = next((k for k, o in enumerate(tensors) if o is t), None) if t is not None else None
        is_input = next((i for i, a in enumerate(args) if a is t), None) if t is not None else None
        if position is not None and (is_input is None or id(t) in dirty):
            links.append(position)
        else:
            links.append(edges[is_input] if is_input is not None else None if t is None else edge(t))
    if ctx._to_save:
        ctx.saved = tuple(None if t is None else t._data for t in ctx._to_save)
    ctx._links = tuple(links)
    ctx._to_save = ()
    results: list[Any] = []
    index = 0
    for o in outputs:
        if not isinstance(o, Tensor):
            results.append(o)
            continue
        if id(o) in ctx._nondiff or o._data.dtype.kind not in "fc":
            results.append(o)
        elif id(o) in dirty:
            check_writable(o, ctx.name())
            _storage.stamp(o._data)
            rebase(o, output_node(ctx, index))
            results.append(o)
        else:
            # an input returned as it is, too, becomes a tensor of its own
            shared = any(o is a for a in args) or o._node is not None or o._extra is not None
            out = wrap(o._data) if shared else o
            out._node = output_node(ctx, index)
            results.append(out)
        index += 1
    ctx._nondiff = set()
    ctx._dirty = ()
    return tuple(results)


class _Once(Node):
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
        recording = _modes.mode.get() > 0
        token = _modes.mode.set(_modes.OFF)
        try:
            outputs = fn(ctx, *args)
        finally:
            _modes.mode.reset(token)
        if not recording:
            return outputs
        # with nothing to differentiate in the incoming gradient the saved inputs may still matter
        sources = [a for a in (*args, *_saved(ctx)) if isinstance(a, Tensor) and a._node is not None]
        if not sources:
            return outputs
        single = not isinstance(outputs, tuple)
        results = []
        for o in (outputs,) if single else outputs:
            if isinstance(o, Tensor):
                o = wrap(o._data, new_node(_Once, tuple(edge(a) for a in sources)))
            results.append(o)
        return results[0] if single else tuple(results)

    return wrapper


def _saved(ctx: Any) -> tuple[Any, ...]:
    return ctx.saved_tensors if ctx.saved is not None else ()


__all__ = ["Function", "FunctionNode", "once_differentiable"]

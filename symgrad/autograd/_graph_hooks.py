"""What one may do with the graph itself: hooks on saved values and several gradients, edges, the running sweep."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from .._errors import DTypeError, GradientError
from ..core import (
    Node,
    Tensor,
    edge,
    is_leaf_node,
    keep_saved,
    modes,
    output_node,
    public_node,
    saved_arrays,
    saved_values,
    setting,
    storage,
    wrap,
)
from ..sweep import Sweep, calling_frame, stand_in_of

# -------------------------------- The sweep that is running: what a hook may ask about the backward it is called from


class RunningSweep:
    """A running sweep: the `Sweep`, and the edges that it visits."""

    def __init__(self, sweep: Any, nodes: Any, leaves: Any) -> None:
        self.sweep = sweep
        self.edges = {id(e) for e in (*nodes, *leaves)}

    def visits(self, edge: Any) -> bool:
        """Whether the gradient of what the edge stands for is computed."""
        return id(edge) in self.edges


def running() -> RunningSweep | None:
    """The innermost sweep on the stack, None outside any.

    Its frame is on the stack of every hook and rule (continued, deep down, in another thread): that costs a sweep
    nothing, where a context variable would have to be set for each.
    """
    code = Sweep.run.__code__
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code is code:
            names = frame.f_locals
            return RunningSweep(names["self"], names.get("nodes", ()), names.get("leaves", ()))
        frame = calling_frame(frame)
    return None


# -------------------- What one may do with the graph itself: hooks on saved values, hooks on several gradients, edges


_disabled: ContextVar[str | None] = ContextVar("symgrad_saved_tensors_hooks_disabled", default=None)


def _set_hooks(hooks: tuple[Any, ...]) -> None:
    modes.saved_hooks.set(hooks)
    if modes.mode.get() > 0:  # recording goes the watched way as long as there are hooks
        modes.mode.set(modes.on_value())


class saved_tensors_hooks:
    """Store what operations save for backward in a form of your own.

    Parameters
    ----------
    pack_hook : called with each tensor that an operation saves; returns anything
    unpack_hook : called with that when a backward needs it; returns the tensor

    Where several are active, the innermost is used. Inside ``pack_hook`` nothing is recorded.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> files = []
    >>> def pack(tensor):
    ...     files.append(tensor.numpy().tobytes())
    ...     return len(files) - 1
    >>> def unpack(k):
    ...     return sg.from_numpy(np.frombuffer(files[k]))
    >>> import numpy as np
    >>> with sg.autograd.graph.saved_tensors_hooks(pack, unpack):
    ...     y = (x ** 2).sum()
    >>> y.backward()
    >>> len(files), x.grad
    (1, tensor([2., 4.]))
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        message = _disabled.get()
        if message is not None:
            raise GradientError(message)
        _set_hooks((*modes.saved_hooks.get(), (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc: object) -> None:
        _set_hooks(modes.saved_hooks.get()[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors on the CPU, where all of them are anyway: accepted, so that scripts run.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> with sg.autograd.graph.save_on_cpu():
    ...     y = x ** 3
    >>> y.backward()
    >>> x.grad
    tensor(12.)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t, lambda t: t)


class _Keeper:
    """The nodes that were recorded in a block, by the memory of what they saved."""

    def __init__(self) -> None:
        self.nodes: dict[int, weakref.WeakSet[Node]] = {}

    def note(self, node: Node) -> None:
        """A node was recorded."""
        for v in saved_arrays(saved_values(node)):
            self.nodes.setdefault(id(storage.owner(v)), weakref.WeakSet()).add(node)

    def keep(self, array: np.ndarray) -> None:
        """The memory of an array is about to be written to: what is saved of it becomes a copy."""
        block = storage.owner(array)
        copies: dict[int, np.ndarray] = {}

        def kept(v: Any) -> Any:
            if type(v) is tuple:
                return tuple(map(kept, v))
            if type(v) is not np.ndarray or storage.owner(v) is not block:
                return v
            return copies.setdefault(id(v), v.copy("K"))

        for node in self.nodes.pop(id(block), ()):
            keep_saved(node, kept(saved_values(node)))

    def clear(self) -> None:
        """Forget the nodes: what is written to from here on spoils what they saved."""
        self.nodes.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Keeper]:
    """Let tensors be written to in place although a backward needs their values: these are copied first.

    What is recorded in the block is protected from what is written in it; its backward may run inside or later.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> with sg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     a = x.clone()
    ...     y = (a ** 2).sum()
    ...     a.mul_(100.0)
    tensor([100., 200.], grad_fn=<MulBackward0>)
    >>> sg.autograd.grad(y, x)
    (tensor([2., 4.]),)
    """
    if modes.keeper.get() is not None:
        raise GradientError("allow_mutation_on_saved_tensors contexts cannot be nested")
    keeper = _Keeper()
    mode = modes.mode.get()
    with setting(modes.keeper, keeper), setting(modes.mode, modes.on_value() if mode > 0 else mode):
        yield keeper


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Raise ``RuntimeError(error_message)`` where `saved_tensors_hooks` are used inside the block.

    Examples
    --------
    >>> import symgrad as sg
    >>> with sg.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
    ...     with sg.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
      ...
    symgrad.GradientError: no hooks here
    """
    if modes.saved_hooks.get():
        raise GradientError(error_message)
    with setting(_disabled, error_message):
        yield


class _Edge(NamedTuple):
    node: Any
    output_nr: int
    ownership_token: Any = None


class GradientEdge(_Edge):
    """A place in the graph where a gradient arrives: a node and the number of its output.

    ``ownership_token`` stands for the tensor (its shape and dtype, not its values) where one is expected.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> y = x * 3
    >>> sg.autograd.grad(y ** 2, sg.autograd.graph.GradientEdge(y.grad_fn, 0))
    (tensor(12.),)
    """

    __slots__ = ()

    def __new__(cls, node: Any, output_nr: int, ownership_token: Any = None) -> Any:
        """An edge made by hand gets its token here."""
        if not isinstance(node, Node):
            raise DTypeError(
                f"GradientEdge expects a node of a graph, got {type(node).__name__!r}", "", "Pass tensor.grad_fn."
            )
        return super().__new__(
            cls, node, output_nr, _token(node, output_nr) if ownership_token is None else ownership_token
        )


def _token(node: Any, output_nr: int) -> Tensor:
    """A tensor of the shape and dtype of a node's output, with its edge."""
    if is_leaf_node(node):
        return node.variable
    several = node.fit if node.op is None or node.op.outputs else None
    if several is None:
        count, at = 1, node
    else:
        count, at = len(several), output_node(node, output_nr) if output_nr < len(several) else None
    if not 0 <= output_nr < count:
        raise GradientError(f"{node.name()} has {count} output(s), and no number {output_nr}")
    like = stand_in_of(at)
    return wrap(np.broadcast_to(np.zeros((), like.dtype), like.shape), at)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return where the gradient of a tensor arrives.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> sg.autograd.graph.get_gradient_edge(x * 3).node.name()
    'MulBackward0'
    """
    if tensor._node is None:
        raise GradientError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor._node if is_leaf_node(tensor._node) else public_node(tensor)
    data = np.broadcast_to(np.zeros((), tensor._data.dtype), tensor._data.shape)
    token = tensor if is_leaf_node(tensor._node) else wrap(data, edge(tensor))
    return GradientEdge(node, getattr(tensor._node, "index", 0), token)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Note a write to the memory of a tensor (or of each of several) that went around the in-place methods.

    A backward that needs the old values then raises instead of using the new ones.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.ones(2)
    >>> x.numpy()[0] = 5.0
    >>> sg.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        storage.stamp(t._data)


class _Handles:
    """Several hooks, removed together."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self.handles: tuple[Any, ...] = tuple(handles)

    def remove(self) -> None:
        """Remove all of them."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., None], *, mode: str = "all") -> _Handles:
    """Call ``fn`` once per backward when the gradients of several tensors are there.

    Parameters
    ----------
    tensors : tensors that require grad
    fn : with mode 'all', gets a list with one gradient per tensor, None for those that this backward does not
        compute; with mode 'any', gets the first gradient that is computed
    mode : 'all' or 'any'

    Returns
    -------
    A handle; ``remove()`` removes the hook.

    Examples
    --------
    >>> import symgrad as sg
    >>> a, b = sg.tensor(2.0, requires_grad=True), sg.tensor(3.0, requires_grad=True)
    >>> handle = sg.autograd.graph.register_multi_grad_hook((a, b), print)
    >>> (a * b).backward()
    [tensor(3.), tensor(2.)]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    hooks = _All(tensors, fn) if mode == "all" else _Any(fn)
    live = [(i, t) for i, t in enumerate(tensors) if mode == "all" or t._node is not None]
    return _Handles([t.register_hook(hooks.hook(i)) for i, t in live])


def _running_backward() -> Any:
    now = running()
    if now is None:
        raise GradientError("expected this hook to be called inside a backward call")
    return now


class _All:
    """Collects the gradients of each sweep until the last that it will compute."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., None]) -> None:
        # weak: the hook hangs on the node or leaf itself, and a graph holds no reference cycles
        self.edges = [weakref.ref(edge(t)) if t._node is not None else None for t in tensors]
        self.fn = fn
        self.found: weakref.WeakKeyDictionary[Any, dict[int, Tensor]] = weakref.WeakKeyDictionary()

    def hook(self, i: int) -> Callable[[Tensor], None]:
        """The hook of tensor number ``i``."""

        def hook(g: Tensor) -> None:
            now = _running_backward()
            found = self.found.setdefault(now.sweep, {})
            found[i] = g
            awaited = [k for k, e in enumerate(self.edges) if e is not None and now.visits(e())]
            if all(k in found for k in awaited):
                del self.found[now.sweep]
                self.fn([found.get(k) for k in range(len(self.edges))])

        return hook


class _Any:
    """Lets the first gradient of each sweep through."""

    def __init__(self, fn: Callable[..., None]) -> None:
        self.fn = fn
        self.done: weakref.WeakSet[Any] = weakref.WeakSet()

    def hook(self, _: int) -> Callable[[Tensor], None]:
        """The hook of any of the tensors."""

        def hook(g: Tensor) -> None:
            now = _running_backward()
            if now.sweep not in self.done:
                self.done.add(now.sweep)
                self.fn(g)

        return hook

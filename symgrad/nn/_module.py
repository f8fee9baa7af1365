"""`Module`: a function with parameters, found by name; its hooks, its text, its conversion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import dropwhile
from typing import Any, Self

import numpy as np

from .. import ops
from .._errors import DTypeError
from .._typing import Device
from ..autograd import Function, is_grad_enabled, no_grad
from ..core import RemovableHandle, Tensor, modes, taking_carriers
from ._parameter import Buffer, ModuleState, Parameter

# ---------------------------------------------------------------------------------- How modules are named and printed


def join(prefix: str, name: str) -> str:
    """Put two parts of a dotted name together."""
    return f"{prefix}.{name}" if prefix else name


def indent(text: str) -> str:
    """Move all lines but the first two columns in."""
    return text.replace("\n", "\n  ")


def layout(title: str, own: str, children: list[str]) -> str:
    """Write a module: its own settings, and each child on lines of its own."""
    if not children:
        return f"{title}({own})" if "\n" not in own else f"{title}(\n  {indent(own)}\n)"
    lines = ([indent(own)] if own else []) + children
    return f"{title}(\n  " + "\n  ".join(lines) + "\n)"


def unusual(module: Any, **usual: Any) -> str:
    """Write the settings that are not what they usually are, each with a comma before it."""
    now = {name: getattr(module, name) for name in usual}
    return "".join(f", {name}={value}" for name, value in now.items() if value != usual[name])


# -------------------------------------------------------------------------- Watching the gradients that pass a module

# The idea to hold: all tensors that enter a module pass one identity operation, all that leave it another. In backward,
# the second one learns the gradients of the outputs; the first one has those of the inputs, all at once, and lets the
# hooks see and replace them.


Parts = tuple[Any, ...]
"""What enters a module, or leaves it, or the gradients of that: tensors, and anything in the places of others."""


class ModuleGate(Function):
    """The identity; in backward, a handler sees all gradients together."""

    @staticmethod
    def forward(ctx: Any, handler: Any, zeros: bool, *tensors: Tensor) -> tuple[Tensor, ...]:
        """Pass the tensors on."""
        ctx.handler = handler
        ctx.set_materialize_grads(zeros)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Parts:
        """Let the handler see, and perhaps replace, the gradients."""
        return (None, None, *ctx.handler(grads))


class BackwardWatch:
    """One call of a module whose gradients are watched.

    It holds no tensor of the graph until backward runs, so it keeps nothing alive.
    """

    def __init__(
        self, module: Any, hooks: dict[int, Callable[..., Any]], pre_hooks: dict[int, Callable[..., Any]]
    ) -> None:
        self.module, self.hooks, self.pre_hooks = module, list(hooks.values()), list(pre_hooks.values())
        self.inputs: _Pack | None = None
        self.outputs: _Pack | None = None
        self.count = 0
        self.grad_output: Parts | None = None

    def enter(self, args: Parts) -> Parts:
        """Send the arguments through the first gate."""
        self.count = len(args)
        if is_grad_enabled() and any(isinstance(a, Tensor) and a.requires_grad for a in args):
            self.inputs = _Pack(args)
            return self.inputs.through(self._inputs_ready, True, args)
        return args

    def leave(self, output: Any) -> Any:
        """Send the output, a tensor or a tuple or list, through the second gate."""
        values = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        if not any(isinstance(v, Tensor) and v.requires_grad for v in values):
            return output
        self.outputs = _Pack(values)
        passed = self.outputs.through(self._outputs_ready, False, values)
        return type(output)(passed) if isinstance(output, (tuple, list)) else passed[0]

    def _outputs_ready(self, grads: Parts) -> Parts:
        assert self.outputs is not None
        self.grad_output = self.outputs.pack(grads)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_output)
            self.grad_output = _replaced(self.grad_output, changed, "Backward pre hook", "grad_output")
        grads = self.outputs.unpack(self.grad_output)
        if self.inputs is None:
            self._run((None,) * self.count)
        return grads

    def _inputs_ready(self, grads: Parts) -> Parts:
        assert self.inputs is not None
        if self.grad_output is None:
            return grads  # they came past the outputs, as those of a second derivative do
        return self.inputs.unpack(self._run(self.inputs.pack(grads)))

    def _run(self, grad_input: Parts) -> Parts:
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            grad_input = _replaced(grad_input, changed, "Backward hook", "grad_input")
        self.grad_output = None
        return grad_input


def _replaced(grads: Parts, changed: Any, hook: str, what: str) -> Parts:
    """The gradients after a hook, which may have returned others in their place."""
    if changed is None:
        return grads
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(grads):
        raise RuntimeError(
            f"{hook} returned an invalid number of {what}, got {len(changed)}, but expected {len(grads)}"
        )
    return changed


class _Pack:
    """Which of several values are tensors; the others' gradients are None."""

    def __init__(self, values: Parts) -> None:
        self.where = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        self.count = len(values)

    def through(self, handler: Any, zeros: bool, values: Parts) -> Parts:
        passed = list(values)
        results = ModuleGate.apply(handler, zeros, *(values[i] for i in self.where))
        for i, value in zip(self.where, results, strict=True):
            if values[i].requires_grad:  # the others stay what they were: no gradient flows to them
                passed[i] = value
        return tuple(passed)

    def pack(self, grads: Parts) -> Parts:
        packed = [None] * self.count
        for i, grad in zip(self.where, grads, strict=True):
            packed[i] = grad
        return tuple(packed)

    def unpack(self, packed: Parts) -> Parts:
        return tuple(packed[i] for i in self.where)


# ----------------------------------------- Calling a module: ``forward`` between the hooks that were registered on it


class ModuleHooks:
    """The part of `Module` that calls it and keeps its hooks."""

    forward: Callable[..., Any]
    _forward_pre_hooks: dict[int, Any]
    _forward_hooks: dict[int, Any]
    _backward_hooks: dict[int, Any]
    _backward_pre_hooks: dict[int, Any]
    _state_dict_pre_hooks: dict[int, Any]
    _state_dict_hooks: dict[int, Any]
    _load_state_dict_pre_hooks: dict[int, Any]
    _load_state_dict_post_hooks: dict[int, Any]

    def __init__(self) -> None:
        self.__dict__.update({name: {} for name in ModuleHooks.__annotations__ if name.endswith("_hooks")})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self._forward_pre_hooks or self._forward_hooks or self._backward_hooks or self._backward_pre_hooks):
            forward = taking_carriers(self.forward) if modes.among_arrays() else self.forward
            return forward(*args, **kwargs)
        left = list(self._forward_hooks.values())
        try:
            if modes.among_arrays():
                return taking_carriers(self._call_between_hooks)(args, kwargs, left)
            return self._call_between_hooks(args, kwargs, left)
        except Exception:
            for hook, with_kwargs, always_call in left:
                if always_call:
                    _ = hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            raise

    def _call_between_hooks(self, args: Any, kwargs: Any, left: list[Any]) -> Any:
        """Call ``forward`` and the hooks around it; those in `left` that ran are taken out."""
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            if with_kwargs:
                changed = hook(self, args, kwargs)
                args, kwargs = (args, kwargs) if changed is None else changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        watch = None
        if self._backward_hooks or self._backward_pre_hooks:
            watch = BackwardWatch(self, self._backward_hooks, self._backward_pre_hooks)
            args = watch.enter(args)
        output = self.forward(*args, **kwargs)
        while left:
            hook, with_kwargs, _ = left.pop(0)
            changed = hook(self, args, kwargs, output) if with_kwargs else hook(self, args, output)
            if changed is not None:
                output = changed
        return output if watch is None else watch.leave(output)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before each ``forward``; a result replaces the arguments.

        Parameters
        ----------
        hook : callable
            With `with_kwargs` it is called as ``hook(module, args, kwargs)`` and may return a pair.
        prepend : bool
            Whether it comes before the hooks that are there.
        with_kwargs : bool
            Whether the hook sees keyword arguments.

        Returns
        -------
        A handle whose ``remove()`` takes the hook away.
        """
        return RemovableHandle(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each ``forward``; a result replaces the output.

        Parameters
        ----------
        hook : callable
            With `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        prepend : bool
            Whether it comes before the hooks that are there.
        with_kwargs : bool
            Whether the hook sees keyword arguments.
        always_call : bool
            Whether it is called, with None, where ``forward`` or a hook raises.

        Examples
        --------
        >>> import symgrad as sg
        >>> layer = sg.nn.Tanh()
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output))
        >>> _ = layer(sg.zeros(2))
        tensor([0., 0.])
        >>> handle.remove()
        >>> _ = layer(sg.zeros(2))
        """
        return RemovableHandle(self._forward_hooks, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are known.

        Both are tuples, with None for arguments that are not tensors and for outputs that were not used; a result
        replaces `grad_input`.
        Inputs and outputs pass a ``view`` on the way, so they must not be changed in place.

        Examples
        --------
        >>> import symgrad as sg
        >>> layer = sg.nn.Tanh()
        >>> handle = layer.register_full_backward_hook(lambda module, g_in, g_out: print(g_in, g_out))
        >>> layer(sg.zeros(1, requires_grad=True)).sum().backward()
        (tensor([1.]),) (tensor([1.]),)
        """
        return RemovableHandle(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are known; a result replaces them.

        Examples
        --------
        >>> import symgrad as sg
        >>> layer = sg.nn.Tanh()
        >>> handle = layer.register_full_backward_pre_hook(lambda module, g_out: (g_out[0] * 10,))
        >>> x = sg.zeros(1, requires_grad=True)
        >>> layer(x).sum().backward()
        >>> x.grad
        tensor([10.])
        """
        return RemovableHandle(self._backward_pre_hooks, hook, prepend)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the module's state is collected."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` when it has been; it may change `state_dict`."""
        return RemovableHandle(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook` before the module's own state is loaded, with the module and all that `_load_from_state_dict`
        is given: ``(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``.
        """
        return RemovableHandle(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, result)`` when it has been loaded; the hook may change the lists of `result`."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


# ------------------------------------------------ Converting a module: its tensors in another dtype, or in new memory


class ModuleConversion:
    """The part of `Module` that converts its tensors."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[[], Iterator[Any]]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of each parameter and buffer, here and below; gradients likewise."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        # `data` is replaced, not the parameter: optimizers that hold it keep working.
        with no_grad():
            for tensor in (*self._parameters.values(), *self._buffers.values()):
                if tensor is None:
                    continue
                gradient = tensor.grad if tensor.is_leaf else None
                tensor.data = fn(tensor.detach())
                if gradient is not None:
                    tensor.grad = fn(gradient.detach())
        return self

    def _to_float(self, dtype: Any) -> Self:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the floating parameters and buffers, in place, as `Tensor.to` would.

        Accepts a dtype, a device (only ``'cpu'`` exists), or a tensor to be like.
        """
        # Where tensors of two dtypes come out alike, the arguments named a dtype and not only a device.
        single, double = (ops.zeros(0, dtype=d).to(*args, **kwargs).dtype for d in (np.float32, np.float64))
        if single != double:
            return self
        if not (double.is_floating_point or double.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={double}.\n"
                f"Call type() to convert all parameters and buffers."
            )
        return self._apply(lambda t: t.to(double) if t.is_floating_point() or t.is_complex() else t)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers, in place, to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert the floating parameters and buffers to float32."""
        return self._to_float(np.float32)

    def half(self) -> Self:
        """Convert the floating parameters and buffers to float16."""
        return self._to_float(np.float16)

    def double(self) -> Self:
        """Convert the floating parameters and buffers to float64."""
        return self._to_float(np.float64)

    def bfloat16(self) -> Self:
        """Raise: NumPy has no bfloat16."""
        raise DTypeError("There is no bfloat16: NumPy has none.", next_step="Call half() for 16 bits, or float().")

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Self:
        """Give the parameters and buffers new memory, whose values are to be set."""
        Device("cpu" if device is None else device)
        return self._apply(ops.empty_like, recurse)

    def share_memory(self) -> Self:
        """Return the module itself (for scripts that call it)."""
        return self

    def cpu(self) -> Self:
        """Return the module: all of it is on the CPU already."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        ops.zeros(0).to("cuda")
        return self

    def xpu(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("xpu")
        return self

    def ipu(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("ipu")
        return self

    def mtia(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("mtia")
        return self


# ---------------------------------------------------------------- `Module`: a function with parameters, found by name

# The idea to hold: assigning a `Parameter`, a `Module` or (by `Module.register_buffer`) a tensor to an attribute files
# it in one of three dictionaries; everything a module offers is a walk over these dictionaries of it and its children.


class Module(ModuleHooks, ModuleState, ModuleConversion):
    """Base of all network parts: subclass it, create parts in ``__init__`` and compute in ``forward``.

    Examples
    --------
    >>> import symgrad as sg
    >>> class Scale(sg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = sg.nn.Parameter(sg.tensor(3.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> scale(sg.tensor([1.0, 2.0]))
    tensor([3., 6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in scale.named_parameters()]
    ['factor']
    """

    training: bool

    def __init__(self) -> None:
        # Straight into __dict__: __setattr__ below needs these dictionaries to exist.
        self.__dict__.update(training=True, _parameters={}, _buffers={}, _transient=set(), _modules={})
        super().__init__()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; a subclass says how."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # Attributes ------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        kind = "_modules" if isinstance(value, Module) else "_parameters" if isinstance(value, Parameter) else None
        filed = self._filed(name)
        if kind is not None:
            if "_parameters" not in self.__dict__:
                what = "parameters" if kind == "_parameters" else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            self._file(kind, name, value)
        elif isinstance(value, Buffer) and filed in (None, "_buffers"):
            if "_buffers" not in self.__dict__:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            self.register_buffer(name, value, value.persistent)  # type: ignore[attr-defined]
        elif filed is None:
            object.__setattr__(self, name, value)
        elif value is None or (filed == "_buffers" and isinstance(value, Tensor)):
            self.__dict__[filed][name] = value
        else:
            what, expected = {
                "_parameters": ("parameter", "nn.Parameter or None"),
                "_modules": ("child module", "nn.Module or None"),
                "_buffers": ("buffer", "Tensor or None"),
            }[filed]
            raise TypeError(f"cannot assign '{type(value).__name__}' object to {what} '{name}' ({expected} required)")

    def __getattr__(self, name: str) -> Any:
        # Reached only when the ordinary search found nothing.
        filed = self._filed(name)
        if filed is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return self.__dict__[filed][name]

    def __delattr__(self, name: str) -> None:
        if self._filed(name) is None:
            object.__delattr__(self, name)
        else:
            self._forget(name)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # what a module of one's own calls from its own

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def _filed(self, name: str) -> str | None:
        """Say which dictionary holds `name`, if one does."""
        for registry in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(registry, ()):
                return registry
        return None

    def _file(self, kind: str, name: str, value: Any) -> None:
        """Put a part into its dictionary, at its old place if it was there, and take it out of the others."""
        self._forget(name, keep=kind)
        self.__dict__[kind][name] = value

    def _forget(self, name: str, keep: str = "") -> None:
        self.__dict__.pop(name, None)
        self._transient.discard(name)
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry != keep:
                self.__dict__[registry].pop(name, None)

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a part should be a string, got {type(name).__name__}")
        if "." in name or not name:
            raise KeyError(f'the name of a part can\'t be empty or contain ".", got: {name!r}')
        if hasattr(self, name) and self._filed(name) is None:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Any) -> None:
        """File a parameter (or None, as a place to be filled) under `name`."""
        self._check_name(name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' (nn.Parameter or None required)"
            )
        self._file("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """File a tensor that belongs to the state but is not trained.

        Parameters
        ----------
        name : str
            The attribute under which it is found.
        tensor : Tensor or None
            The values.
        persistent : bool
            Whether it belongs to `state_dict`.
        """
        self._check_name(name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (Tensor or None required)"
            )
        self._file("_buffers", name, tensor)
        if not persistent:
            self._transient.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """File a child module under `name`."""
        self._check_name(name)
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._file("_modules", name, module)

    add_module = register_module

    # Walks -----------------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Walk over this module and all below it, parents first, each once, with dotted names."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, join(prefix, name), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Walk over this module and all below it, each once unless told otherwise."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Walk over the direct children with their names, each once."""
        seen: set[int] = set()
        for name, child in self._modules.items():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                yield name, child

    def children(self) -> Iterator[Module]:
        """Walk over the direct children."""
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Walk over the parameters with their dotted names; a shared one appears once.

        Examples
        --------
        >>> import symgrad as sg
        >>> net = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh())
        >>> [(name, tuple(p.shape)) for name, p in net.named_parameters()]
        [('0.weight', (3, 2)), ('0.bias', (3,))]
        """
        return self._named_tensors("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """Walk over the parameters, what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Walk over the buffers with their dotted names."""
        return self._named_tensors("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Walk over the buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named_tensors(
        self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        owners = self.named_modules(None, prefix, remove_duplicate) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for owner_name, owner in owners:
            for name, tensor in owner.__dict__[registry].items():
                if tensor is None or id(tensor) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(tensor))
                yield join(owner_name, name), tensor

    def get_submodule(self, target: str) -> Module:
        """Return the module with this dotted name; an empty name is this module."""
        module = self
        for name in target.split(".") if target else ():
            if module._modules.get(name) is None:
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = module._modules[name]
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at this dotted name; with `strict` only where there is one."""
        owner, _, name = target.rpartition(".")
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if strict:
            self.get_submodule(target)
        self.get_submodule(owner).register_module(name, module)

    def get_parameter(self, target: str) -> Any:
        """Return the parameter with this dotted name."""
        owner, _, name = target.rpartition(".")
        parameter = self.get_submodule(owner)._parameters.get(name)
        if parameter is None:
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with this dotted name."""
        owner, _, name = target.rpartition(".")
        buffer = self.get_submodule(owner)._buffers.get(name)
        if buffer is None:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    # Settings --------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below to training (dropout drops, batch norm uses the batch) or back."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():  # which may have a `train` of its own
            child.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Let all parameters take part in gradients, or freeze them."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the parameters' gradients, to None or to zeros."""
        reset_gradients(self.parameters(), set_to_none)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call `fn` on each module below, then on this one: how weights are initialised by hand."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing (for scripts that call it): it asks for speed; `symgrad.compile` makes programs of functions."""

    # Text ------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Say what stands between the brackets when the module is printed; a subclass may."""
        return ""

    def __repr__(self) -> str:
        own = self.extra_repr()
        children = [f"({name}): " + indent(repr(child)) for name, child in self._modules.items()]
        return layout(self._get_name(), own, children)


def reset_gradients(parameters: Any, set_to_none: bool) -> None:
    """Forget gradients, or overwrite them with zeros that no graph leads to."""
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            if parameter.grad.grad_fn is not None:
                parameter.grad = parameter.grad.detach()
            parameter.grad.requires_grad_(False)
            parameter.grad.zero_()


# -------------------------------------- `Applied`: a module that is a function of `functional` with its options fixed

# The idea to hold: most layers without parameters, and the losses, are nothing more. A subclass names its function, as
# ``class ELU(Applied, of=F.elu)``, and its arguments are the function's: those behind the tensors.


class Applied(Module):
    """Apply a function whose options are attributes."""

    _function: Callable[..., Any]
    _options: tuple[str, ...]
    _takes = ""
    """The arguments, where they are not all that the function has behind its tensors."""
    _shown: str | None = None
    """What is printed of the options, where it is not each with its name."""

    def __init_subclass__(cls, of: Callable[..., Any] | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if of is None:
            return
        known = inspect.signature(of).parameters
        names = cls._takes.split() or [*dropwhile(lambda name: known[name].annotation == "Tensor", known)]
        cls._function = staticmethod(of)
        cls._options = tuple(name for name in names if name not in ("size_average", "reduce"))  # a reduction, by now
        if "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls, [known[name] for name in names])  # type: ignore[method-assign]

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, value in options.items():
            setattr(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the function of the same name."""
        return type(self)._function(*args, **kwargs, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        if self._shown is not None:
            return self._shown.format_map(self.__dict__)
        shown = {name: getattr(self, name) for name in self._options}
        return ", ".join(f"{name}={value!r}" for name, value in shown.items() if name != "inplace" or value)


def _constructor(cls: type[Applied], parameters: list[inspect.Parameter]) -> Any:
    """``__init__`` as one would write it: with these parameters, which go on to the base class by name."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([own, *parameters], return_annotation="None")
    passed = ", ".join(f"{p.name}={p.name}" for p in parameters)
    source = f"def __init__{signature}: super(cls, self).__init__({passed})"
    space: dict[str, Any] = {"__name__": __name__, "cls": cls}
    exec(compile(source, f"<symgrad {cls.__name__}>", "exec", dont_inherit=True), space)  # our own source
    space["__init__"].__qualname__ = f"{cls.__name__}.__init__"
    return space["__init__"]

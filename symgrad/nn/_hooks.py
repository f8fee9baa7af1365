"""Calling a module: ``forward`` between the hooks that were registered on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import RemovableHandle
from ._backward_hooks import BackwardWatch

__all__ = ["ModuleHooks"]


class ModuleHooks:
    """The part of `Module` that calls it and keeps its hooks."""

    forward: Callable[..., Any]
    _forward_pre_hooks: dict[int, Any]
    _forward_hooks: dict[int, Any]
    _backward_hooks: dict[int, Any]
    _backward_pre_hooks: dict[int, Any]

    def __init__(self) -> None:
        self.__dict__.update(_forward_pre_hooks={}, _forward_hooks={}, _backward_hooks={}, _backward_pre_hooks={})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        watched = self._backward_hooks or self._backward_pre_hooks
        if not (self._forward_pre_hooks or self._forward_hooks or watched):
            return self.forward(*args, **kwargs)
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            if with_kwargs:
                changed = hook(self, args, kwargs)
                args, kwargs = (args, kwargs) if changed is None else changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        watch = BackwardWatch(self, self._backward_hooks, self._backward_pre_hooks) if watched else None
        if watch is not None:
            args = watch.enter(args)
        output = self.forward(*args, **kwargs)
        for hook, with_kwargs in list(self._forward_hooks.values()):
            changed = hook(self, args, kwargs, output) if with_kwargs else hook(self, args, output)
            if changed is not None:
                output = changed
        return output if watch is None else watch.leave(output)

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args)`` before each ``forward``; a result replaces the arguments.

        Parameters
        ----------
        hook : callable
            With `with_kwargs` it is called as ``hook(module, args, kwargs)`` and may return a pair.
        with_kwargs : bool
            Whether the hook sees keyword arguments.

        Returns
        -------
        A handle whose ``remove()`` takes the hook away.
        """
        return RemovableHandle(self._forward_pre_hooks, (hook, with_kwargs))

    def register_forward_hook(self, hook: Callable[..., Any], *, with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each ``forward``; a result replaces the output.

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
        return RemovableHandle(self._forward_hooks, (hook, with_kwargs))

    def register_full_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
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
        return RemovableHandle(self._backward_hooks, hook)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
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
        return RemovableHandle(self._backward_pre_hooks, hook)

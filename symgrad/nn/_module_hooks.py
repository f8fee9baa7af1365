"""Calling a module: ``forward`` between the hooks that were registered on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import RemovableHandle, modes, opened
from ._backward_hooks import BackwardWatch

__all__ = ["ModuleHooks"]


def _of_arrays() -> bool:
    """Whether a function of arrays may be calling: a module is a program of tensors, whoever calls it."""
    running = modes.running.get()
    return running is not None and running[0]


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
            return opened(self.forward)(*args, **kwargs) if _of_arrays() else self.forward(*args, **kwargs)
        left = list(self._forward_hooks.values())
        try:
            if _of_arrays():
                return opened(self._call_between_hooks)(args, kwargs, left)
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

"""Watching the gradients that pass a module.

The idea to hold: all tensors that enter a module pass one identity operation, all that leave it another. In backward,
the second one learns the gradients of the outputs; the first one has those of the inputs, all at once, and lets the
hooks see and replace them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import Function, is_grad_enabled
from ..core import Tensor

__all__ = ["BackwardWatch"]


class ModuleGate(Function):
    """The identity; in backward, a handler sees all gradients together."""

    @staticmethod
    def forward(ctx: Any, handler: Any, zeros: bool, *tensors: Tensor) -> tuple[Tensor, ...]:
        """Pass the tensors on."""
        ctx.handler = handler
        ctx.set_materialize_grads(zeros)
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
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
        self.grad_output: tuple[Any, ...] | None = None

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
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

    def _outputs_ready(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self.outputs is not None
        self.grad_output = self.outputs.pack(grads)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_output)
            if changed is None:
                continue
            changed = changed if isinstance(changed, tuple) else (changed,)
            if len(changed) != len(self.grad_output):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(changed)}, but expected "
                    f"{len(self.grad_output)}"
                )
            self.grad_output = changed
        grads = self.outputs.unpack(self.grad_output)
        if self.inputs is None:
            self._run((None,) * self.count)
        return grads

    def _inputs_ready(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self.inputs is not None
        if self.grad_output is None:
            return grads  # they came past the outputs, as those of a second derivative do
        return self.inputs.unpack(self._run(self.inputs.pack(grads)))

    def _run(self, grad_input: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.hooks:
            changed = hook(self.module, grad_input, self.grad_output)
            if changed is None:
                continue
            changed = changed if isinstance(changed, tuple) else (changed,)
            if len(changed) != len(grad_input):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(changed)}, but expected "
                    f"{len(grad_input)}"
                )
            grad_input = changed
        self.grad_output = None
        return grad_input


class _Pack:
    """Which of several values are tensors; the others' gradients are None."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.where = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        self.count = len(values)

    def through(self, handler: Any, zeros: bool, values: tuple[Any, ...]) -> tuple[Any, ...]:
        passed = list(values)
        results = ModuleGate.apply(handler, zeros, *(values[i] for i in self.where))
        for i, value in zip(self.where, results, strict=True):
            if values[i].requires_grad:  # the others stay what they were: no gradient flows to them
                passed[i] = value
        return tuple(passed)

    def pack(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        packed = [None] * self.count
        for i, grad in zip(self.where, grads, strict=True):
            packed[i] = grad
        return tuple(packed)

    def unpack(self, packed: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(packed[i] for i in self.where)

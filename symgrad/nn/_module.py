"""`Module`: a function with parameters, found by name.

The idea to hold: assigning a `Parameter`, a `Module` or (by `Module.register_buffer`) a tensor to an attribute files it
in one of three dictionaries; everything a module offers is a walk over these dictionaries of it and its children.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from ..core import Tensor
from ._conversion import ModuleConversion
from ._module_hooks import ModuleHooks
from ._module_text import indent, join, layout
from ._parameter import Buffer, Parameter
from ._state import ModuleState

__all__ = ["Module"]


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
        kind, filed = _registry_of(value), self._filed(name)
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


def _registry_of(value: Any) -> str | None:
    if isinstance(value, Module):
        return "_modules"
    return "_parameters" if isinstance(value, Parameter) else None

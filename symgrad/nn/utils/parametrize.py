"""Parameters that are functions of others: PyTorch's ``nn.utils.parametrize``.

The idea to hold: a module gets a class of its own, in which the name of the parameter is a property. Reading it calls
the `ParametrizationList` in ``module.parametrizations[name]``, writing to it that list's `right_inverse`; what is
trained, saved and listed are the originals in the list.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ...autograd import no_grad
from ...core import Tensor
from ...ops import set_public_names as _settle
from .._containers import ModuleDict, ModuleList
from .._module import Module
from .._parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

_cache: dict[tuple[Module, str], Tensor] = {}  # by the module itself, which lives as long
_caching = 0


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once, at its first use within the block, as a recurrent network wants it.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(3, 2))
    >>> with sg.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cache.clear()


class ParametrizationList(ModuleList):
    """The functions of one tensor and the originals they are applied to; `register_parametrization` makes it.

    The original is called ``original``; if the first function's `right_inverse` returns several tensors they are
    ``original0``, ``original1``, …

    Parameters
    ----------
    modules : sequence of Module
        The functions, in the order in which they are applied.
    original : Tensor
        What is parametrized.
    unsafe : bool
        Whether dtype and shape may change.
    """

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not len(modules):
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):  # else, and where it raises this, it is taken for the identity
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        self.is_tensor: bool = isinstance(new, Tensor)
        self.ntensors: int = 1 if self.is_tensor else len(_tensors(new))
        if self.is_tensor:
            _expect(new, dtype, None, "`right_inverse`, which returns one tensor,")
            _overwrite(original, new)  # the same object, which an optimizer may know
            _register(self, "original", original)
        else:
            for i, part in enumerate(new):
                trained = isinstance(original, Parameter)
                _register(self, f"original{i}", Parameter(part, original.requires_grad) if trained else part)
        if not unsafe:
            _expect(self(), dtype, shape)

    def right_inverse(self, value: Any) -> None:
        """Set the originals such that the functions give `value`, by their `right_inverse` in reverse order."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
        values = [value] if self.is_tensor else _tensors(value)
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                f"Got a sequence of length {len(values)}."
            )
        for original, new in zip(self.originals(), values, strict=True):
            _expect(new, original.dtype, None, "`right_inverse`")
            _overwrite(original, new)

    def originals(self) -> list[Tensor]:
        """The tensors that the first function takes."""
        return [getattr(self, name) for name in self.names()]

    def names(self) -> list[str]:
        """The names of the originals."""
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def forward(self) -> Tensor:
        """Compute the tensor."""
        first, *others = self
        x = first(*self.originals())
        for module in others:
            x = module(x)
        return x


def _tensors(made: Any) -> Sequence[Tensor]:
    if not isinstance(made, Sequence) or not all(isinstance(part, Tensor) for part in made):
        raise ValueError(
            "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
            f"Got {type(made).__name__}."
        )
    return made


def _expect(made: Any, dtype: Any, shape: Any, who: str = "Registering a parametrization") -> None:
    """Raise unless a function gives a tensor of this dtype, and of this shape if one is given."""
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what, new, old in (("dtype", made.dtype, dtype), ("shape", made.shape, shape)):
        if old is not None and new != old:
            raise ValueError(
                f"{who} may not change the {what} of the tensor. It is {old}, and would be {new}. Pass unsafe=True if "
                "that is meant."
            )


def _overwrite(original: Tensor, new: Tensor) -> None:
    if new is not original:
        original.data = new.detach()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    (module.register_parameter if isinstance(tensor, Parameter) else module.register_buffer)(name, tensor)


# The class of a parametrized module ----------------------------------------------------------------------------------


def _computed(name: str) -> property:
    def get(module: Any) -> Tensor:
        if not _caching:
            return module.parametrizations[name]()
        key = module, name
        if key not in _cache:
            _cache[key] = module.parametrizations[name]()
        return _cache[key]

    return property(get, lambda module, value: module.parametrizations[name].right_inverse(value))


def _set(module: Any, name: str, value: Any) -> None:
    if isinstance(value, Parameter) and is_parametrized(module, name):
        raise KeyError(f"attribute '{name}' already exists")
    Module.__setattr__(module, name, value)


def _copied(module: Any, memo: dict[int, Any]) -> Any:
    twin = memo[id(module)] = object.__new__(type(module))
    twin.__dict__.update(copy.deepcopy(module.__dict__, memo))
    return twin


def _not_pickled(module: Any) -> Any:
    raise RuntimeError("Serialization of parametrized modules is only supported through state_dict().")


def _fit_class(module: Module) -> None:
    """Give the module the class in which what is parametrized is a property; its old one if nothing is."""
    base, names = type_before_parametrizations(module), list(module.__dict__["_modules"].get("parametrizations", ()))
    own = {"__setattr__": _set, "__deepcopy__": _copied, "__getstate__": _not_pickled, "__module__": base.__module__}
    made = type(f"Parametrized{base.__name__}", (base,), {**own, **{name: _computed(name) for name in names}})
    module.__class__ = made if names else base


def type_before_parametrizations(module: Module) -> type:
    """Return the class that `module` had before anything of it was parametrized."""
    return type(module).__bases__[0] if type(module).__dict__.get("__deepcopy__") is _copied else type(module)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Say whether the tensor `tensor_name` of `module`, or any if none is named, is parametrized."""
    found = module._modules.get("parametrizations")
    return isinstance(found, ModuleDict) and (len(found) > 0 if tensor_name is None else tensor_name in found)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer of a module be what a function gives of an original; returns the module.

    Parameters
    ----------
    module : Module
        Whose tensor is replaced. Its ``parametrizations[tensor_name]`` has the original.
    tensor_name : str
        The parameter or buffer. If it is parametrized already, the function is applied to what it is so far.
    parametrization : Module
        Its `forward` takes the original. If it has a method ``right_inverse``, that says of which original the present
        value, or one that is assigned, comes; it may return several tensors, which `forward` takes then.
    unsafe : bool
        Whether the function may change dtype and shape; nothing is checked then.

    Examples
    --------
    >>> import symgrad as sg
    >>> class Symmetric(sg.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = sg.nn.Linear(3, 3)
    >>> _ = sg.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.T).all()), [name for name, _ in layer.named_parameters()]
    (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found = module.parametrizations[tensor_name]
        if not unsafe:
            now = getattr(module, tensor_name)
            new = parametrization(now)
            _expect(new, now.dtype, now.shape)
            if hasattr(parametrization, "right_inverse"):
                with suppress(NotImplementedError):
                    _expect(parametrization.right_inverse(new), now.dtype, now.shape, "`right_inverse`")
        found.append(parametrization)
        found.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.parametrizations = ModuleDict()
        module.parametrizations[tensor_name] = made
        _fit_class(module)
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor an ordinary one again; returns the module.

    Parameters
    ----------
    module : Module
        Whose tensor it is.
    tensor_name : str
        The tensor.
    leave_parametrized : bool
        Whether it keeps the value that the functions give, rather than that of its original.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(3, 2))
    >>> sg.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    if not found.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    if leave_parametrized:
        value = getattr(module, tensor_name)
    if not found.is_tensor:
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        original = found.original
        if leave_parametrized:
            _overwrite(original, value)
    del module.parametrizations[tensor_name]
    _fit_class(module)
    if not is_parametrized(module):
        del module.parametrizations
    _register(module, tensor_name, original)
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrize tensors of another module as those of a module are, by the same functions and originals.

    Parameters
    ----------
    from_module, to_module : Module
        Whose tensors are parametrized, and whose are to be. What the second lacks is made.
    tensor_name : str, optional
        Which tensor; all if left out.

    Returns
    -------
    Module
        `to_module`.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        source = from_module.parametrizations[name]
        for function in source:
            register_parametrization(to_module, name, function)
        for part in source.names():
            setattr(to_module.parametrizations[name], part, getattr(source, part))
    return to_module


_settle(__name__, globals(), __all__)

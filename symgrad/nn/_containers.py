"""Modules that hold other modules, or parameters, in order or by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import index as as_index
from typing import Any, Self

from ..core import Tensor
from ._module import Module, indent, layout
from ._parameter import Parameter


def _position(length: int, index: Any) -> int:
    """Turn an index, perhaps negative, into a position in a container of this length."""
    position = as_index(index)
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of range for a container of {length}")
    return position % length


class _ModuleRow(Module):
    """Modules named ``'0'``, ``'1'``, ... in order."""

    def _rebuild(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(list(self._modules.values()))

    def __getitem__(self, index: Any) -> Any:
        modules = list(self)
        if isinstance(index, slice):
            part = type(self)()
            part._rebuild(modules[index])
            return part
        return modules[_position(len(modules), index)]

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, list(self._modules)[_position(len(self), index)], module)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index if isinstance(index, slice) else _position(len(modules), index)]
        self._rebuild(modules)

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    __iadd__ = extend

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        modules = list(self)
        modules.insert(index, module)
        self._rebuild(modules)

    def pop(self, index: int = -1) -> Module:
        """Take a module out and return it."""
        module = self[index]
        del self[index]
        return module


class Sequential(_ModuleRow):
    """Apply modules one after another.

    Parameters
    ----------
    *modules : Module, or one dict of name to Module
        In the order of application.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Sequential(sg.nn.Linear(2, 8), sg.nn.Tanh(), sg.nn.Linear(8, 1))
    Sequential(
      (0): Linear(in_features=2, out_features=8, bias=True)
      (1): Tanh()
      (2): Linear(in_features=8, out_features=1, bias=True)
    )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], Mapping) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def __add__(self, other: Sequential) -> Self:
        return type(self)(*self, *other)

    def __mul__(self, times: int) -> Self:  # the same modules again, as PyTorch's: their parameters are shared
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self).__name__}")
        return type(self)(*list(self) * times)

    __rmul__ = __mul__

    def forward(self, input: Any) -> Any:
        """Feed each module's output to the next."""
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_ModuleRow):
    """A list whose modules are registered.

    Examples
    --------
    >>> import symgrad as sg
    >>> layers = sg.nn.ModuleList([sg.nn.Linear(3, 3) for _ in range(4)])
    >>> layers
    ModuleList(
      (0-3): 4 x Linear(in_features=3, out_features=3, bias=True)
    )
    >>> len(list(layers.parameters()))
    8
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def __add__(self, modules: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *modules])

    def __repr__(self) -> str:
        # Neighbours that print alike share a line: deep stacks stay readable.
        children, start = [], 0
        for text, same in groupby(map(repr, self)):
            count = len(list(same))
            label = f"({start})" if count == 1 else f"({start}-{start + count - 1})"
            children.append(f"{label}: " + ("" if count == 1 else f"{count} x ") + indent(text))
            start += count
        return layout(type(self).__name__, "", children)


class _ByName(Module):
    """What the containers by name share; `_registry` says where their parts are filed."""

    _registry: str

    @property
    def _parts(self) -> dict[str, Any]:
        return self.__dict__[self._registry]

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __delitem__(self, name: str) -> None:
        del self._parts[name]

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._parts.keys()

    def values(self) -> Iterable[Any]:
        """What is filed."""
        return self._parts.values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of a name and what is filed under it."""
        return self._parts.items()

    def pop(self, name: str) -> Any:
        """Take out what is filed under a name, and return it."""
        return self._parts.pop(name)

    def clear(self) -> None:
        """Remove everything."""
        self._parts.clear()


class ModuleDict(_ByName):
    """A dictionary whose modules are registered.

    Examples
    --------
    >>> import symgrad as sg
    >>> parts = sg.nn.ModuleDict({"relu": sg.nn.ReLU(), "tanh": sg.nn.Tanh()})
    >>> parts["tanh"](sg.zeros(1))
    tensor([0.])
    """

    _registry = "_modules"

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] = ()) -> None:
        super().__init__()
        self.update(modules)

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """File several modules."""
        for name, module in modules.items() if isinstance(modules, Mapping | ModuleDict) else modules:
            self[name] = module

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)


def _as_parameter(value: Any) -> Any:
    """Make a parameter of a tensor; leave what is one already."""
    return value if isinstance(value, Parameter) or not isinstance(value, Tensor) else Parameter(value)


class _Parameters(Module):
    """What the two containers of parameters share: storage, and how it is printed."""

    def __len__(self) -> int:
        return len(self._parameters)

    def forward(self, *args: Any) -> Any:
        """Raise: this module holds parameters and computes nothing."""
        raise RuntimeError(f"{type(self).__name__} should not be called.")

    def __repr__(self) -> str:
        children = []
        for name, parameter in self._parameters.items():
            size = "x".join(map(str, parameter.shape))
            children.append(f"  ({name}): Parameter containing: [{parameter.dtype} of size {size}]")
        return layout(type(self).__name__, "", children)


class ParameterList(_Parameters):
    """A list of parameters; tensors put into it become parameters.

    Examples
    --------
    >>> import symgrad as sg
    >>> coefficients = sg.nn.ParameterList([sg.ones(2), sg.zeros(3)])
    >>> [tuple(p.shape) for p in coefficients]
    [(2,), (3,)]
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__()
        self.extend(values)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def __getitem__(self, index: Any) -> Any:
        values = list(self)
        return ParameterList(values[index]) if isinstance(index, slice) else values[_position(len(values), index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.register_parameter(str(_position(len(self), index)), _as_parameter(value))

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several parameters at the end."""
        for value in list(values):
            self.append(value)
        return self

    __iadd__ = extend


class ParameterDict(_ByName, _Parameters):
    """A dictionary of parameters; tensors put into it become parameters."""

    _registry = "_parameters"

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        super().__init__()
        self.update(parameters)

    def update(self, values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """File several parameters."""
        for name, value in values.items() if isinstance(values, Mapping | ParameterDict) else values:
            self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        self.register_parameter(name, _as_parameter(value))

    def get(self, name: str, default: Any = None) -> Any:
        """Return the parameter of this name, or what stands for none."""
        return self._parameters.get(name, default)

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the parameter of this name, which is made of `default` if there is none."""
        if name not in self:
            self[name] = default
        return self[name]

    def copy(self) -> ParameterDict:
        """Return a dictionary of the same parameters."""
        return ParameterDict(self.items())

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a dictionary that has the same parameter under all names."""
        return ParameterDict(dict.fromkeys(keys, default))

    def popitem(self) -> tuple[str, Any]:
        """Take the last parameter out and return it with its name."""
        return self._parameters.popitem()

"""Weights that are computed from others before each call: `weight_norm` and `spectral_norm`.

The idea to hold: the parameter is taken out of the module and others are put in its place; a hook before each call
computes it from them and leaves it as an ordinary attribute, so that gradients flow through it to what is trained.
"""

from __future__ import annotations

from typing import Any

from ... import ops
from ...autograd import no_grad
from ...core import Tensor
from .._linear_functions import normalize
from .._module import Module
from .._parameter import Parameter
from .._sliding import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d


class _Computed:
    """The hook that computes ``module.name``; a subclass says of what."""

    function: str
    """What registers it."""
    name: str

    def __init__(self, module: Module, name: str) -> None:
        if any(type(hook) is type(self) and hook.name == name for hook in _hooks_of(module)):
            raise RuntimeError(f"Cannot register two {self.function} hooks on the same parameter {name}")
        self.name = name

    def install(self, module: Module) -> None:
        """Compute before each call from now on."""
        self.handle = module.register_forward_pre_hook(self)
        self(module, ())

    def weight(self, module: Module) -> Tensor:
        """Compute the weight."""
        raise NotImplementedError

    def __call__(self, module: Module, args: Any) -> None:
        setattr(module, self.name, self.weight(module))

    def remove(self, module: Module, *parts: str) -> None:
        """Make what is computed now an ordinary parameter again."""
        with no_grad():
            weight = self.weight(module)
        self.handle.remove()
        for part in (self.name, *parts):
            delattr(module, part)
        module.register_parameter(self.name, Parameter(weight.detach()))


def _hooks_of(module: Module) -> list[Any]:
    return [hook for hook, _ in module._forward_pre_hooks.values() if isinstance(hook, _Computed)]


def _found(module: Module, kind: type[_Computed], name: str) -> Any:
    for hook in _hooks_of(module):
        if isinstance(hook, kind) and hook.name == name:
            return hook
    raise ValueError(f"{kind.function} of '{name}' not found in {module}")


class _WeightNormHook(_Computed):
    function = "weight_norm"
    dim: int | None

    def weight(self, module: Module) -> Tensor:
        return of_length(getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v"), self.dim)


def of_length(length: Tensor, direction: Tensor, dim: int | None) -> Tensor:
    """The weight of `weight_norm`."""
    return direction * (length / norm_except(direction, dim))


def norm_except(x: Tensor, dim: int | None) -> Tensor:
    """The norm over all dimensions but one, which stay as ones; over all if there is none to except."""
    return ops.norm(x) if dim is None else ops.norm(x, 2, [d for d in range(x.ndim) if d != dim % x.ndim], True)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train length and direction of a weight apart: ``g v / ‖v‖`` (Salimans and Kingma, 2016); returns the module.

    Parameters
    ----------
    module : Module
        Whose parameter is replaced by two, ``name_g`` and ``name_v``.
    name : str
        The parameter.
    dim : int, optional
        The dimension along which each slice has a length of its own; None for one length of all.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.weight_norm(sg.nn.Linear(3, 2))
    >>> [(n, tuple(p.shape)) for n, p in layer.named_parameters()]
    [('bias', (2,)), ('weight_g', (2, 1)), ('weight_v', (2, 3))]
    """
    hook = _WeightNormHook(module, name)
    hook.dim = None if dim == -1 else dim
    weight = module._parameters.pop(name)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    hook.install(module)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Undo `weight_norm`: the weight is a parameter again."""
    _found(module, _WeightNormHook, name).remove(module, f"{name}_g", f"{name}_v")
    return module


class _SpectralNormHook(_Computed):
    function = "spectral_norm"
    dim: int
    steps: int
    eps: float

    def weight(self, module: Module) -> Tensor:
        whole = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        return whole / ops.dot(u.clone(), matrix_along(whole, self.dim) @ v.clone())

    def __call__(self, module: Module, args: Any) -> None:
        if module.training:
            matrix = matrix_along(getattr(module, f"{self.name}_orig"), self.dim)
            u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
            iterate(matrix.t(), matrix, v, u, self.steps, self.eps)
        super().__call__(module, args)


def matrix_along(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix whose rows are its slices along a dimension."""
    return weight.movedim(dim, 0).flatten(1)


def check_iterations(n_power_iterations: int) -> None:
    """Refuse a count of power iterations that is not positive."""
    if n_power_iterations <= 0:
        raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")


def first_vectors(matrix: Tensor, eps: float) -> list[Tensor]:
    """Random vectors of length one, of as many numbers as the matrix has rows and columns."""
    return [normalize(ops.randn(size, dtype=matrix.dtype), dim=0, eps=eps) for size in matrix.shape]


@no_grad()
def iterate(onto: Tensor, back: Tensor, first: Tensor, second: Tensor, times: int, eps: float) -> None:
    """Write the next singular vectors over these: ``first`` is of the direction ``onto @ second``, then back."""
    for _ in range(times):
        first.copy_(normalize(onto @ second, dim=0, eps=eps))
        second.copy_(normalize(back @ first, dim=0, eps=eps))


def outputs_of(module: Module) -> int:
    """The dimension of a module's weight that counts its outputs."""
    return int(isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value, followed by power iteration (Miyato et al., 2018).

    Parameters
    ----------
    module : Module
        Whose parameter is replaced by ``name_orig``; the singular vectors are the buffers ``name_u`` and ``name_v``.
    name : str
        The parameter.
    n_power_iterations : int
        How many steps each call in training takes.
    eps : float
        The least norm to divide by.
    dim : int, optional
        The dimension of the outputs: 0, of transposed convolutions 1, if left out.

    Returns
    -------
    Module
        The module.
    """
    hook = _SpectralNormHook(module, name)
    hook.dim, hook.steps, hook.eps = (outputs_of(module) if dim is None else dim), n_power_iterations, eps
    check_iterations(n_power_iterations)
    weight = module._parameters.pop(name)
    module.register_parameter(f"{name}_orig", weight)
    for part, start in zip("uv", first_vectors(matrix_along(weight, hook.dim), eps), strict=True):
        module.register_buffer(f"{name}_{part}", start)
    hook.install(module)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Undo `spectral_norm`: the weight, as it is now, is a parameter again."""
    _found(module, _SpectralNormHook, name).remove(module, *(f"{name}_{p}" for p in ("orig", "u", "v")))
    return module

"""Weights of a given norm or kind, as functions of others: PyTorch's ``nn.utils.parametrizations``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...autograd import no_grad
from ...core import Tensor
from ...linalg import householder_product, matrix_exp, solve
from ...ops import set_public_names as _settle
from .._linear_functions import normalize
from .._module import Module
from ._normed import check_iterations, first_vectors, iterate, matrix_along, norm_except, of_length, outputs_of
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _tensor_of(module: Module, name: str) -> Tensor:
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


class _WeightNorm(Module):
    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = None if dim == -1 else dim

    def forward(self, length: Tensor, direction: Tensor) -> Tensor:
        return of_length(length, direction, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train length and direction of a weight apart: ``g v / ‖v‖`` (Salimans and Kingma, 2016); returns the module.

    Parameters
    ----------
    module : Module
        Whose parameter is replaced by two, ``original0`` (the lengths) and ``original1`` (the directions).
    name : str
        The parameter.
    dim : int, optional
        The dimension along which each slice has a length of its own; None for one length of all.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(3, 2, bias=False))
    >>> [(n, tuple(p.shape)) for n, p in layer.named_parameters()]
    [('parametrizations.weight.original0', (2, 1)), ('parametrizations.weight.original1', (2, 3))]
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older(module: Module, state: dict[str, Any], prefix: str, *_: Any) -> None:
        older = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state for key in older):
            for i, key in enumerate(older):
                state[f"{prefix}parametrizations.{name}.original{i}"] = state.pop(key)

    module.register_load_state_dict_pre_hook(read_older)  # of `nn.utils.weight_norm`
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.dim, self.eps, self.n_power_iterations = dim % weight.ndim, eps, n_power_iterations
        if weight.ndim > 1:
            matrix = matrix_along(weight.detach(), self.dim)
            for part, start in zip(("_u", "_v"), first_vectors(matrix, eps), strict=True):
                self.register_buffer(part, start)
            iterate(matrix, matrix.mH, self._u, self._v, 15, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = matrix_along(weight, self.dim)
        if self.training:
            iterate(matrix, matrix.mH, self._u, self._v, self.n_power_iterations, self.eps)
        return weight / ops.vdot(self._u.clone(), matrix @ self._v.clone())  # later calls write to the vectors

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value, followed by power iteration (Miyato et al., 2018).

    Parameters
    ----------
    module : Module
        Whose parameter is replaced by ``original``; the singular vectors are buffers beside it.
    name : str
        The parameter.
    n_power_iterations : int
        How many steps each use of the weight in training takes.
    eps : float
        The least norm to divide by.
    dim : int, optional
        The dimension of the outputs: 0, of transposed convolutions 1, if left out.

    Returns
    -------
    Module
        The module.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.parametrizations.spectral_norm(sg.nn.Linear(3, 2), n_power_iterations=30)
    >>> sg.linalg.matrix_norm(layer.weight, 2).round(decimals=6).item()
    1.0
    """
    weight = _tensor_of(module, name)
    along = outputs_of(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, along, eps))


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, kind: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and kind == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, kind
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.shape[-2] < x.shape[-1]
        x = x.mT if wide else x
        n, k = x.shape[-2:]
        if self.orthogonal_map == "householder":
            vectors = x.tril(-1)
            q = householder_product(vectors, 2.0 / (1.0 + (vectors * vectors).sum(-2)))
            q = q * x.detach().diagonal(dim1=-2, dim2=-1).trunc().unsqueeze(-2)  # ones, and minus ones
        else:
            x = ops.pad(x.tril(), (0, n - k))
            skew = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                q = matrix_exp(skew)
            else:
                one = ops.eye(n, dtype=skew.dtype)
                q = solve(one - 0.5 * skew, one + 0.5 * skew)
            q = q[..., :k]
        q = self.base @ q if hasattr(self, "base") else q
        return q.mT if wide else q

    @no_grad()
    def right_inverse(self, matrix: Tensor) -> Tensor:
        if matrix.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {matrix.shape}."
            )
        wide = matrix.shape[-2] < matrix.shape[-1]
        q = (matrix.mT if wide else matrix).detach()
        n, k = q.shape[-2:]
        if hasattr(self, "base"):
            more = ops.randn((*q.shape[:-2], n, n - k), dtype=q.dtype)
            self.base = q.clone() if n == k and _is_orthogonal(q) else _made_orthogonal(ops.cat([q, more], -1))
            start = ops.zeros_like(matrix)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)  # of which every map makes the identity
            return start
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        packed, tau = ops.geqrf(q)
        signs = packed.diagonal(dim1=-2, dim2=-1)
        signs.copy_(signs.sign() * ops.where(tau == 0.0, -1.0, 1.0))  # LAPACK leaves out what need not be reflected
        return packed.mT if wide else packed


def _is_orthogonal(q: Tensor) -> bool:
    one = ops.eye(q.shape[-1], dtype=q.dtype)
    return bool(ops.allclose(q.mH @ q, one.expand_as(q), atol=10.0 * q.shape[-2] * float(np.finfo(q.dtype).eps)))


def _made_orthogonal(matrix: Tensor) -> Tensor:
    packed, tau = ops.geqrf(matrix)
    return householder_product(packed, tau) * packed.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix, or each of a batch, orthogonal (or unitary); of a rectangular one the shorter vectors.

    Parameters
    ----------
    module : Module
        Whose parameter is replaced by ``original``.
    name : str
        The parameter.
    orthogonal_map : {"matrix_exp", "cayley", "householder"}, optional
        How a matrix is made of the original; by default the exponential of square ones, else reflections.
    use_trivialization : bool
        Whether what is computed is multiplied by the buffer ``base``, so that a matrix can be assigned.

    Returns
    -------
    Module
        The module.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.utils.parametrizations.orthogonal(sg.nn.Linear(3, 2))
    >>> bool(sg.allclose(layer.weight @ layer.weight.T, sg.eye(2)))
    True
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
    kind = orthogonal_map or ("matrix_exp" if square else "householder")
    if kind not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    return register_parametrization(module, name, _Orthogonal(weight, kind, use_trivialization), unsafe=True)


_settle(__name__, globals(), __all__)

"""Treating a model's parameters as one vector, bounding their gradients, and sequences: ``symgrad.nn.utils``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ... import ops
from ...autograd import no_grad
from ...core import Tensor
from ...ops import set_public_names as _settle
from . import parametrizations, parametrize, rnn
from ._normed import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Join all parameters, flattened, in one vector (differentiably).

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.Linear(2, 3)
    >>> sg.nn.utils.parameters_to_vector(layer.parameters()).shape[0]
    9
    """
    return ops.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Cut a vector into pieces and let each parameter's data be its piece."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected a Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec.detach()[start:stop].reshape(parameter.shape)
        start = stop


def _with_gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter for parameter in listed if parameter.grad is not None]


def get_total_norm(tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Tensor:
    """Compute the norm of several tensors taken as one vector."""
    order = float(norm_type)
    tensors = list(tensors)
    if not tensors:
        return ops.tensor(0.0)
    norms = ops.stack([ops.norm(tensor, order) for tensor in tensors])
    total = ops.norm(norms, order)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scale all gradients down together, so that their joint norm is at most `max_norm`.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Whose gradients are changed, in place.
    max_norm : float
        The bound.
    norm_type : float
        The order of the norm; ``float('inf')`` for the largest element.
    error_if_nonfinite : bool
        Whether a norm of inf or NaN is an error.

    Returns
    -------
    Tensor
        The norm before.
    """
    chosen = _with_gradients(parameters)
    with no_grad():
        total = get_total_norm([p.grad for p in chosen], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(chosen, max_norm, total)
    return total


def clip_grads_with_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor) -> None:
    """Scale all gradients down together, in place, as `clip_grad_norm_` does where their norm is `total_norm`."""
    with no_grad():
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for parameter in _with_gradients(parameters):
            parameter.grad.mul_(factor.to(parameter.grad.dtype))


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: Any) -> None:
    """Bound each element of the gradients to ``[-clip_value, clip_value]``, in place."""
    bound = float(clip_value)
    with no_grad():
        for parameter in _with_gradients(parameters):
            parameter.grad.clamp_(-bound, bound)


_settle(__name__, globals(), __all__)

"""The pooling functions of ``nn.functional``, by the number of dimensions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core import Tensor
from . import _pooling
from ._calls import by_dimensions

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices",
    "max_unpool1d", "max_unpool2d", "max_unpool3d",
]  # fmt: skip


def _max_pool(ndim: int) -> Callable[..., Any]:
    def max_poolnd(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """Take the largest value in each window; the first of equal ones receives the gradient.

        Parameters
        ----------
        input : Tensor, shape (batch, channels, length...) or (channels, length...)
            For instance images, of two lengths.
        kernel_size, stride, padding, dilation : int or one per dimension
            The window, its steps (those of its size if left out), the border, and the steps between its places.
        ceil_mode : bool
            Whether a last window may reach beyond the border.
        return_indices : bool
            Whether the places of the largest values, row by row, are returned as well.

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True)
        (tensor([[3., 2.]]), tensor([[1, 2]]))
        """
        return _pooling.max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, ndim)

    return max_poolnd


def _avg_pool(ndim: int) -> Callable[..., Any]:
    def avg_poolnd(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """Take the mean of each window.

        Parameters
        ----------
        input : Tensor, shape (batch, channels, length...) or (channels, length...)
            For instance images, of two lengths.
        kernel_size, stride, padding : int or one per dimension
            The window, its steps (those of its size if left out), and the zeros around the input.
        ceil_mode : bool
            Whether a last window may reach beyond the border; what is there does not count.
        count_include_pad : bool
            Whether the zeros of the border count in the mean.
        divisor_override : int, optional
            Divide by this instead of the number of elements.
        """
        return _pooling.avg_pool(
            input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, ndim
        )

    return avg_poolnd


def _lp_pool(ndim: int) -> Callable[..., Any]:
    def lp_poolnd(
        input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Tensor:
        """Sum each window's elements to the power `norm_type`, and take the root of that order."""
        return _pooling.lp_pool(input, norm_type, kernel_size, stride, ceil_mode, ndim)

    return lp_poolnd


def _adaptive_avg_pool(ndim: int) -> Callable[..., Any]:
    def adaptive_avg_poolnd(input: Tensor, output_size: Any) -> Tensor:
        """Take means of windows that cover each dimension in as many parts as `output_size` says (None: all).

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.nn.functional.adaptive_avg_pool1d(sg.arange(5.0).reshape(1, 5), 2)
        tensor([[1., 3.]])
        """
        return _pooling.adaptive_avg_pool(input, output_size, ndim)

    return adaptive_avg_poolnd


def _adaptive_max_pool(ndim: int) -> Callable[..., Any]:
    def adaptive_max_poolnd(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """Take the largest values of windows that cover each dimension in as many parts as `output_size` says."""
        return _pooling.adaptive_max_pool(input, output_size, return_indices, ndim)

    return adaptive_max_poolnd


def _max_unpool(ndim: int) -> Callable[..., Any]:
    def max_unpoolnd(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:
        """Put the largest values back to the places that pooling with ``return_indices`` said, among zeros."""
        return _pooling.max_unpool(input, indices, kernel_size, stride, padding, output_size, ndim)

    return max_unpoolnd


def _fractional_max_pool(ndim: int) -> Callable[..., Any]:
    def fractional_max_poolnd(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        """Take the largest values of windows at random distances (Graham, 2014).

        Parameters
        ----------
        input : Tensor, shape (batch, channels, length...) or (channels, length...)
            For instance images, of two lengths.
        kernel_size : int or one per dimension
            The window.
        output_size : int or one per dimension, optional
            The lengths of the output,
        output_ratio : float or one per dimension, optional
            or their ratios to those of the input.
        return_indices : bool
            Whether the places of the largest values are returned as well.
        """
        return _pooling.fractional_max_pool(
            input, kernel_size, output_size, output_ratio, return_indices, _random_samples, ndim
        )

    return fractional_max_poolnd


def _with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**kwargs, "return_indices": True})

    call.__name__ = call.__qualname__ = f"{function.__name__}_with_indices"
    call.__doc__ = f"Compute `{function.__name__}` with the places of the largest values."
    return call


max_pool1d, max_pool2d, max_pool3d = by_dimensions(_max_pool)
avg_pool1d, avg_pool2d, avg_pool3d = by_dimensions(_avg_pool)
lp_pool1d, lp_pool2d, lp_pool3d = by_dimensions(_lp_pool)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = by_dimensions(_adaptive_avg_pool)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = by_dimensions(_adaptive_max_pool)
max_unpool1d, max_unpool2d, max_unpool3d = by_dimensions(_max_unpool)
fractional_max_pool2d, fractional_max_pool3d = by_dimensions(_fractional_max_pool, 2, 3)

max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d)
)
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)
)
fractional_max_pool2d_with_indices, fractional_max_pool3d_with_indices = map(
    _with_indices, (fractional_max_pool2d, fractional_max_pool3d)
)

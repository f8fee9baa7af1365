"""The activations of ``nn.functional``; how its functions are called: with arrays for tensors, in place."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError, warn_caller
from ..core import Tensor, kept_copy, wrap
from ..ops import axis_of, in_place, named

# --------------------- How the functions of ``nn.functional`` are called: with NumPy arrays for tensors, and in place

# The idea to hold: the functions are written for tensors. `takes_arrays` makes tensors of the arrays among the
# arguments and, where there was no tensor among them, arrays of the results, as the operations themselves do;
# `may_write` lets ``inplace=True`` write the result to the input's memory, as the method ``name_`` of an operation
# does.


def takes_arrays(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    """Return the function of the module `home` that also takes NumPy arrays; of arrays alone its results are arrays.

    Arrays become tensors of their own, since whoever passed them may go on writing to them, and a graph keeps them: but
    for those that the function itself writes to.
    """
    names = inspect.unwrap(function).__code__.co_varnames

    def tensor(name: str, value: Any, inplace: bool) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        if name.startswith("running_") or (inplace and name == names[0]):
            return wrap(value)
        copy = kept_copy(value)
        return wrap(value.copy() if copy is value else copy)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not any(isinstance(value, np.ndarray) for value in given):
            return function(*args, **kwargs)
        named = [*zip(names, args, strict=False), *kwargs.items()]
        inplace = function.__name__.endswith("_") or any(name == "inplace" and value for name, value in named)
        parts = [tensor(name, value, inplace) for name, value in named]
        made = function(*parts[: len(args)], **dict(zip(kwargs, parts[len(args) :], strict=True)))
        return made if any(isinstance(value, Tensor) for value in given) else _arrays(made)

    call.__module__ = home  # where pickle finds it
    return call


def _arrays(made: Any) -> Any:
    if isinstance(made, tuple):
        return tuple(map(_arrays, made))
    return made.detach().numpy()[()] if isinstance(made, Tensor) else made


def may_write(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``inplace=True``, the last argument of `function`, write the result to the memory of the first."""
    positions = function.__code__.co_argcount

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("inplace", False) or (len(args) == positions and args[-1]):
            return in_place(function, f"{function.__name__}_")(*args[: positions - 1], **kwargs)
        return function(*args, **kwargs)

    return call


def underscored(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function ``name_`` of one that `may_write`: it always does."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs, inplace=True)

    return named(call, f"{function.__name__}_", f"Compute `{function.__name__}` in place.")


def in_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function compute in float32 what it is given in float16, as PyTorch does: its squares and sums soon leave
    the range of the short one."""

    @functools.wraps(function)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if input._data.dtype != np.float16:
            return function(input, *args, **kwargs)
        return function(input.float(), *args, **kwargs).half()

    return call


# ----------------------------------- The activations of ``nn.functional``: element by element, or along one dimension

# Most are operations of the table under PyTorch's signature; the others are composed of these, so that their values,
# kinks and second derivatives follow from theirs.


@may_write
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Keep what is positive; the slope at 0 is 0.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    inplace : bool
        Whether the result is written to the memory of `input`, which is then returned.
    """
    return ops.relu(input)


@may_write
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Keep what is positive, flatten what is not."""
    return ops.leaky_relu(input, negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Keep what is positive, multiply what is not by `weight`: one number, or one per channel (dimension 1).

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.prelu(sg.tensor([[-1.0, -1.0, 2.0]]), sg.tensor([0.1, 0.2, 0.3]))
    tensor([[-0.1000, -0.2000,  2.0000]])
    """
    if weight.ndim > 1:
        raise ShapeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if input.ndim == 0:
            raise ShapeError("Not allow zero-dim input tensor.", f"The weight has shape {tuple(weight.shape)}.")
        if weight.numel() != channels:
            raise ShapeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} "
                f"and channel size = {channels}.",
                f"The input has shape {tuple(input.shape)}.", "Use one weight, or one for each channel.",
            )  # fmt: skip
        weight = weight.reshape(-1, *(1,) * (input.ndim - 2))
    return ops.where(input > 0, input, weight.reshape(()) * input if weight.numel() == 1 else weight * input)


@may_write
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Keep what is positive, flatten what is not by random slopes; in evaluation by the middle one."""
    if not training:
        return ops.leaky_relu(input, (lower + upper) / 2)
    slopes = ops.rand(tuple(input.shape), dtype=input.dtype) * (upper - lower) + lower
    return ops.where(input > 0, input, slopes * input)


@may_write
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Keep what is positive; below, ``alpha (exp(x) - 1)``."""
    return ops.elu(input, alpha)


@may_write
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Keep what is positive; below, ``alpha (exp(x / alpha) - 1)``, whose slope at 0 is 1."""
    if alpha == 0:
        raise ShapeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return ops.where(input >= 0, input, alpha * ops.expm1(input / alpha))


@may_write
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the scaled ELU; see `symgrad.selu`."""
    return ops.selu(input)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Multiply by the normal distribution function: ``x Phi(x)``.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    approximate : {"none", "tanh"}
        Whether Phi is replaced by its approximation with tanh.
    """
    return ops.gelu(input, approximate=approximate)


@may_write
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply by the logistic function: ``x sigmoid(x)``."""
    return ops.silu(input)


@may_write
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply by the hyperbolic tangent of the softplus: ``x tanh(log(1 + exp(x)))``."""
    return input * ops.tanh(ops.softplus(input))


@may_write
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Return ``input`` held between the bounds; see `symgrad.hardtanh`."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    return ops.hardtanh(input, *_of_its_kind(input, min_val, max_val))


def _of_its_kind(input: Tensor, *bounds: float) -> tuple[float, ...]:
    """Bounds as an input has them: whole beside whole numbers, which stay such."""
    return bounds if input.is_floating_point() else tuple(map(int, bounds))


@may_write
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return ``input`` held between 0 and 6; see `symgrad.relu6`."""
    return ops.hardtanh(input, *_of_its_kind(input, 0.0, 6.0))


@may_write
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Approximate the logistic function by three straight lines: ``relu6(x + 3) / 6``."""
    return ops.relu6(input + 3) / 6


@may_write
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply by `hardsigmoid`: ``x relu6(x + 3) / 6``."""
    return input * ops.relu6(input + 3) / 6


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Replace what is at most `lambd` in size by 0."""
    return ops.where((input >= -lambd) & (input <= lambd), 0.0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Bring each element nearer to 0 by `lambd`, and to 0 what is nearer already."""
    if lambd < 0:
        raise ShapeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    inside = (input >= -lambd) & (input <= lambd)
    return ops.where(inside, 0.0, ops.where(input > 0, input - lambd, input + lambd))


def tanhshrink(input: Tensor) -> Tensor:
    """Subtract the hyperbolic tangent: ``x - tanh(x)``."""
    return input - ops.tanh(input)


@may_write
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Replace what is at most `threshold` by `value`."""
    threshold, value = _of_its_kind(input, threshold, value)
    return ops.where(input <= threshold, value, input)


def sigmoid(input: Tensor) -> Tensor:
    """Compute the logistic function."""
    return ops.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Compute the hyperbolic tangent."""
    return ops.tanh(input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Compute ``log(1 + exp(beta x)) / beta``.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    beta : float
        How sharply it bends.
    threshold : float
        Where ``beta x`` exceeds it, x itself is returned. The default means no bound: the exact value does not
        overflow.
    """
    return ops.softplus(input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """Compute ``x / (1 + |x|)``.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.softsign(sg.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    return ops.softsign(input)


def logsigmoid(input: Tensor) -> Tensor:
    """Compute the logarithm of the logistic function, without overflow."""
    return ops.logsigmoid(input)


# Along one dimension ---------------------------------------------------------------------------------------------


def _dim(name: str, dim: int | None, input: Tensor) -> int:
    """The dimension of the classes; where it is not said, PyTorch's choice, with its warning."""
    if dim is not None:
        return dim
    warn_caller(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
    )
    return 0 if input.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Turn logits into probabilities along `dim`."""
    return ops.softmax(input, _dim("softmax", dim, input), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Return ``softmax(-input, dim)``."""
    return ops.softmax(-input, _dim("softmin", dim, input), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Turn logits into log-probabilities along `dim`."""
    return ops.log_softmax(input, _dim("log_softmax", dim, input), dtype=dtype)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Halve the input along `dim` and let the logistic function of the second half gate the first.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.glu(sg.tensor([3.0, 5.0, 0.0, 100.0]))
    tensor([1.5000, 5.0000])
    """
    if input.ndim == 0:
        raise ShapeError("glu does not support 0-dimensional tensors")
    dim = axis_of(dim, input.ndim)
    if input.shape[dim] % 2:
        raise ShapeError(
            f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}",
            f"The input has shape {tuple(input.shape)}.",
        )
    values, gates = ops.chunk(input, 2, dim)
    return values * ops.sigmoid(gates)


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Draw from the Gumbel-softmax distribution: differentiable draws of a class along `dim`.

    Parameters
    ----------
    logits : Tensor
        Unnormalised log-probabilities.
    tau : float
        The temperature: the lower, the nearer to a row with a single 1.
    hard : bool
        Whether the value is a row with a single 1, whose gradient is that of the soft draw.
    eps : float
        Accepted as in PyTorch, and not used.
    dim : int
        Along which the classes lie.
    """
    uniform = ops.rand_like(logits.detach())
    soft = ops.softmax((logits - ops.log(-ops.log1p(-uniform))) / tau, dim)
    if not hard:
        return soft
    return ops.zeros_like(soft).scatter(dim, soft.argmax(dim, keepdim=True), 1.0) - soft.detach() + soft

"""``jacrev``, ``jacfwd``, ``hessian``: all derivatives of all outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._errors import DTypeError
from ..core import Tensor
from ..transforms._jacobian import columns, rows
from ..transforms._tree import flatten, unflatten
from ..transforms._variables import zeros_for
from ._call import Call


def _real(name: str, tensors: list[Any], what: str) -> None:
    for k, t in enumerate(tensors):
        if isinstance(t, Tensor) and t._data.dtype.kind == "c":
            raise DTypeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {k}"
            )


def _jacobian(name: str, blocks_of: Any, func: Any, argnums: Any, has_aux: bool) -> Callable[..., Any]:
    """`jacrev` and `jacfwd` differ in how the blocks are computed only."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _real(name, flatten(args)[0], "inputs")
        inner = "vjp(f, *primals)" if name == "jacrev" else "jvp(f, primals, tangents)"
        call = Call(inner, func, args, kwargs, argnums, has_aux)
        call.check_outputs(inner)
        if name == "jacrev":
            call.check_smooth()
        _real(name, call.outputs, "outputs")
        graph = call.variables.concerns_outside(call.outputs)
        blocks = blocks_of(call.outputs, call.variables.tensors, graph)
        per_output = []
        for o, found in zip(call.outputs, blocks, strict=True):
            per_output.append(unflatten(call.spec, zeros_for(found, call.inputs, o._data.shape)))
        jacobian = call.release(unflatten(call.output_spec, per_output))
        return call.with_aux(jacobian, has_aux=has_aux)

    return wrapper


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Return the function that computes the Jacobian of ``func``, one reverse sweep per element of the output.

    Parameters
    ----------
    func : function of tensors that returns tensors, or containers of them
    argnums : which argument, or which several, to differentiate with respect to
    has_aux : ``func`` returns ``(output, aux)``, and the Jacobian function ``(jacobian, aux)``
    chunk_size : accepted; rows are computed one at a time

    Returns
    -------
    A function of the same arguments. For an output of shape (m, n) and an input of shape (k,) the result has shape
    (m, n, k); containers of outputs give containers, with one entry per argument inside if ``argnums`` is a tuple.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.func import jacrev
    >>> x = sg.tensor([1.0, 2.0])
    >>> jacrev(lambda x: x ** 2)(x)
    tensor([[2., 0.],
            [0., 4.]])
    >>> jacrev(jacrev(lambda x: x.prod() ** 2))(x)
    tensor([[8., 8.],
            [8., 2.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return _jacobian("jacrev", rows, func, argnums, has_aux)


def jacfwd(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """Return the function that computes the Jacobian of ``func``, one walk forwards per element of the input.

    The better choice where there are fewer inputs than outputs. Parameters and result as in `jacrev`;
    ``randomness`` is accepted (``func`` runs once, so that every column sees the same random numbers).

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.func.jacfwd(lambda t: sg.stack([t, t ** 2, t ** 3]))(sg.tensor(2.0))
    tensor([ 1.,  4., 12.])
    """
    return _jacobian("jacfwd", columns, func, argnums, has_aux)


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """Return the function that computes the matrix of second derivatives of ``func``.

    Parameters and result as for ``jacrev(jacrev(func))``: for an input of shape (n,) and a scalar output (n, n). The
    second order is graph-free: cost is that of one gradient, recorded, and one sweep per element of the input.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.func.hessian(lambda x: x.prod() ** 2)(sg.tensor([1.0, 2.0]))
    tensor([[8., 8.],
            [8., 2.]])
    """
    return jacrev(jacrev(func, argnums), argnums)

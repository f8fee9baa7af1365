"""``grad``, ``vjp``, ``jvp``, ``linearize``: one sweep per call, backwards or forwards."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._errors import DTypeError, GradientError, ShapeError
from ..core import Tensor, modes
from ..transforms._push import Pushforward
from ..transforms._tree import Spec, flatten, flatten_like, unflatten
from ..transforms._variables import as_variable, zeros_for
from ._call import Call


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes the gradient of ``func``.

    Parameters
    ----------
    func : function that returns a tensor of no dimensions
    argnums : which argument, or which several, to differentiate with respect to; each may be a container of tensors
    has_aux : ``func`` returns ``(output, aux)``, and the gradient function ``(gradient, aux)``

    Returns
    -------
    A function of the same arguments. The gradient has the structure and shapes of the argument; what the output does
    not depend on has the gradient zero. NumPy arrays and numbers as arguments give arrays.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.func import grad
    >>> grad(sg.sin)(sg.tensor(0.0))
    tensor(1.)
    >>> grad(grad(lambda x: x ** 3))(sg.tensor(2.0))
    tensor(12.)
    >>> x = sg.tensor(2.0, requires_grad=True, name="x")
    >>> print(grad(lambda x: x ** 3)(x).formula())
    3x²
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes ``(gradient, value)``, or ``(gradient, (value, aux))`` with ``has_aux``.

    Parameters as in `grad`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.func.grad_and_value(lambda x: (x ** 2).sum())(sg.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    name = "grad_and_value(f)(*args)"

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = Call(name, func, args, kwargs, argnums, has_aux)
        y = call.output
        if not isinstance(y, Tensor):
            raise DTypeError(f"{name}: Expected f(*args) to return a Tensor, got {type(y)}")
        if y._data.ndim:
            raise ShapeError(
                f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with {y._data.ndim} dims. Maybe you "
                "wanted to use the vjp or jacrev APIs instead?"
            )
        variables = call.variables
        graph = variables.concerns_outside([y])
        found = variables.pull([y], [None], graph, graph)
        gradient = call.release(unflatten(call.spec, zeros_for(found, call.inputs)))
        value = call.release(y)
        return gradient, (value, call.release(call.aux)) if has_aux else value

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return ``func(*primals)`` and the function that multiplies a vector by the Jacobian from the left.

    Parameters
    ----------
    func : function of tensors (or containers of tensors) that returns tensors, or containers of them
    primals : its arguments
    has_aux : ``func`` returns ``(output, aux)``; then aux is returned third

    Returns
    -------
    output, pull : ``pull(cotangents)`` takes what has the structure of the output and returns a tuple with one entry
        per argument. It may be called any number of times; each call costs one sweep.

    Examples
    --------
    >>> import symgrad as sg
    >>> output, pull = sg.func.vjp(lambda x: x ** 2, sg.tensor([1.0, 2.0]))
    >>> output, pull(sg.tensor([1.0, 10.0]))
    (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    name = "vjp(f, *primals)"
    call = Call(name, func, primals, {}, None, has_aux)
    call.check_outputs(name)
    call.check_smooth()
    variables = call.variables

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        leaves = flatten_like(call.output_spec, cotangents)
        if leaves is None:
            raise ShapeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {flatten(cotangents)[1]}, primal output: {call.output_spec}"
            )
        seeds = [as_variable(c) for c in leaves]
        if create_graph is None:
            create_graph = modes.grad_enabled() and (
                variables.concerns_outside(call.outputs) or any(s._node is not None for s in seeds)
            )
        found = variables.pull(call.outputs, seeds, create_graph, retain_graph or create_graph)
        return call.release(unflatten(call.spec, zeros_for(found, call.inputs)))

    return call.with_aux(call.release(call.output), pull, has_aux=has_aux)


def _structures(primals: Any, tangents: Any) -> tuple[list[Tensor], Spec]:
    name = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise DTypeError(f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    inputs, spec = flatten(primals)
    leaves = flatten_like(spec, tangents)
    if leaves is None:
        raise ShapeError(
            f"{name}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with "
            f"structure {flatten(tangents)[1]}"
        )
    if not inputs:
        raise GradientError(f"{name}: Expected primals to contain at least one Tensor.")
    vectors = [as_variable(t) for t in leaves]
    _check_tangents(vectors, [as_variable(x) for x in inputs])
    return vectors, spec


def _check_tangents(tangents: list[Tensor], inputs: list[Tensor]) -> None:
    for k, (t, x) in enumerate(zip(tangents, inputs, strict=True)):
        if t._data.shape != x._data.shape:
            raise ShapeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(x._data.shape)} while the given forward gradient is of size "
                f"{list(t._data.shape)}.",
                f"That is tangent {k}.",
                "A tangent is a direction in which the input moves: give it the input's shape.",
            )


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """Return ``func(*primals)`` and its derivative in the direction ``tangents``: the Jacobian times a vector.

    Parameters
    ----------
    func : function of tensors (or containers of tensors)
    primals : tuple of its arguments
    tangents : tuple of the same structure and shapes: the direction
    strict : raise where an output does not depend on the inputs
    has_aux : ``func`` returns ``(output, aux)``; then aux is returned third

    Notes
    -----
    Cost: one walk over what ``func`` recorded, forwards; see `symgrad.jvp`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.func.jvp(lambda x: x ** 2, (sg.tensor([1.0, 2.0]),), (sg.tensor([1.0, 10.0]),))
    (tensor([1., 4.]), tensor([ 2., 40.]))

    Over a gradient it is the Hessian times a vector:

    >>> sg.func.jvp(sg.func.grad(lambda x: (x ** 3).sum()), (sg.tensor([1.0, 2.0]),), (sg.tensor([1.0, 10.0]),))[1]
    tensor([  6., 120.])
    """
    vectors, _ = _structures(primals, tangents)
    output, push, *aux = _linearized("jvp(f, primals, tangents)", func, primals, has_aux, strict)
    return (output, push(vectors), *aux)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return ``func(*primals)`` and the function that multiplies the Jacobian there by a vector.

    Parameters
    ----------
    func : function of tensors (or containers of tensors)
    primals : its arguments

    Returns
    -------
    output, push : ``push(*tangents)``, one tangent per argument; what can be computed beforehand is computed once.

    Examples
    --------
    >>> import symgrad as sg
    >>> output, push = sg.func.linearize(sg.sin, sg.zeros(2))
    >>> push(sg.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    output, push = _linearized("linearize(f, *primals)", func, primals, False, False)
    inputs, spec = flatten(primals)

    def pushed(*tangents: Any) -> Any:
        leaves = flatten_like(spec, tangents)
        if leaves is None:
            given = flatten(tangents)[1]
            raise ShapeError(f"Expected the tangents {given} to have the same argspec as the primals {spec}")
        vectors = [as_variable(t) for t in leaves]
        for k, (t, x) in enumerate(zip(vectors, map(as_variable, inputs), strict=True)):
            if t._data.shape != x._data.shape:
                raise ShapeError(
                    f"tangent:{k} with shape {tuple(t._data.shape)} in flattened pytree doesn't match the shape "
                    f"{tuple(x._data.shape)} of the corresponding primal."
                )
        return push(vectors)

    return output, pushed


def _linearized(name: str, func: Any, primals: tuple[Any, ...], has_aux: bool, strict: bool) -> Any:
    """Output, the map t ↦ J t on flat lists of tangents, and aux if there is one."""
    call = Call(name, func, primals, {}, None, has_aux)
    call.check_outputs(name)
    linear = Pushforward(call.outputs, call.variables.tensors, call.inputs)

    def push(tangents: list[Tensor]) -> Any:
        graph = modes.grad_enabled() and (
            call.variables.concerns_outside(call.outputs) or any(t._node is not None for t in tangents)
        )
        found = linear.along(tangents, graph)
        if strict and any(t is None for t in found):
            raise GradientError(
                f"{name[:-1]}, strict=True): The output of f is independent of the inputs. This is not allowed with "
                "strict=True."
            )
        return call.release(unflatten(call.output_spec, zeros_for(found, call.outputs)))

    return (call.release(call.output), push, *([call.release(call.aux)] if has_aux else []))

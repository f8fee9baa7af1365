"""``grad``, ``vjp``, ``jvp``, ``jacrev``, ``hessian`` and kin: one sweep per call, with respect to ``argnums``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, ShapeError
from ..core import Tensor, modes
from ..transforms.calls import (
    Pushforward,
    Variables,
    all_plain,
    as_variable,
    flatten,
    flatten_like,
    jacobian_columns,
    jacobian_rows,
    tree_map,
    unflatten,
    zeros_for,
)

# ---------------------------- ``argnums``: which of a function's arguments a transform differentiates with respect to


def _position(argnum: Any, count: int) -> int:
    if not isinstance(argnum, int):
        raise GradientError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise GradientError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def _positions(argnums: Any, count: int) -> tuple[int, ...]:
    if isinstance(argnums, int):
        return (_position(argnums, count),)
    if not isinstance(argnums, tuple):
        raise GradientError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    positions = tuple(_position(a, count) for a in argnums)
    if not positions:
        raise GradientError("argnums must be non-empty")
    if len(set(positions)) != len(positions):
        raise GradientError(f"argnums elements must be unique, got {argnums}")
    return positions


def pick(args: tuple[Any, ...], argnums: Any) -> Any:
    """The chosen arguments: one where ``argnums`` is a number, else a tuple."""
    positions = _positions(argnums, len(args))
    return args[positions[0]] if isinstance(argnums, int) else tuple(args[i] for i in positions)


def replace(args: tuple[Any, ...], argnums: Any, chosen: Any) -> tuple[Any, ...]:
    """The arguments with ``chosen`` in the places of ``argnums``."""
    result = list(args)
    values = (chosen,) if isinstance(argnums, int) else chosen
    for i, value in zip(_positions(argnums, len(args)), values, strict=True):
        result[i] = value
    return tuple(result)


def _constant(value: Any) -> Any:
    """An array of NumPy's that comes out where arrays go in as a tensor: it hangs on nothing."""
    return as_variable(value) if isinstance(value, (np.ndarray, np.generic)) else value


# -------------------------------------------------------------------------------------------------------------------
# One call of a function at a transform's own variables: what all transforms of `symgrad.func` begin with


class Call:
    """One call of a function at variables of its own: what it returned, and how results leave the transform.

    ``argnums`` None means all arguments.
    """

    def __init__(
        self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Any, has_aux: bool
    ) -> None:
        chosen = args if argnums is None else pick(args, argnums)
        leaves, self.spec = flatten(chosen)
        self.inputs = [as_variable(leaf) for leaf in leaves]
        plain = all_plain((args, kwargs))
        self.variables = Variables(self.inputs, plain)
        result = self.variables.run(
            lambda chosen: func(*(chosen if argnums is None else replace(args, argnums, chosen)), **kwargs), self.spec
        )
        self.aux: Any = None
        if has_aux:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise GradientError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
            result, self.aux = result
        self.output = tree_map(_constant, result) if plain else result
        self.outputs, self.output_spec = flatten(self.output)

    def release(self, tree: Any) -> Any:
        """Results for the caller: without history nobody outside could want, as arrays if he gave arrays."""
        return self.variables.leave(tree)

    def check_outputs(self, name: str) -> None:
        """Raise unless there are outputs and all are tensors."""
        if not self.outputs or (len(self.outputs) == 1 and self.outputs[0] is None):
            raise GradientError(
                f"{name}: Expected f to be a function that has non-empty output (got output = {self.outputs})"
            )
        for o in self.outputs:
            if not isinstance(o, Tensor):
                raise DTypeError(f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(o)}")

    def check_smooth(self) -> None:
        """Raise where an output is not of a dtype that has derivatives."""
        for o in self.outputs:
            if o._data.dtype.kind not in "fc":
                raise DTypeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{o._data.dtype}"
                )

    def follows(self, vectors: list[Tensor]) -> bool:
        """Whether what multiplies these vectors by the Jacobian is to be recorded."""
        return modes.grad_enabled() and (
            self.variables.concerns_outside(self.outputs) or any(v._node is not None for v in vectors)
        )

    def with_aux(self, *results: Any, has_aux: bool) -> Any:
        """The results, and what the function returned beside its output."""
        if has_aux:
            results = (*results, self.release(self.aux))
        return results if len(results) > 1 else results[0]


# ------------------------------- ``grad``, ``vjp``, ``jvp``, ``linearize``: one sweep per call, backwards or forwards


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
            create_graph = call.follows(seeds)
        found = variables.pull(call.outputs, seeds, create_graph, retain_graph or create_graph)
        return call.release(unflatten(call.spec, zeros_for(found, call.inputs)))

    return call.with_aux(call.release(call.output), pull, has_aux=has_aux)


def _tangents(primals: Any, tangents: Any) -> list[Tensor]:
    """The tangents in a row, of the structure and the shapes of the primals."""
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
    return vectors


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
    vectors = _tangents(primals, tangents)
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
        found = linear.along(tangents, call.follows(tangents))
        if strict and any(t is None for t in found):
            raise GradientError(
                f"{name[:-1]}, strict=True): The output of f is independent of the inputs. This is not allowed with "
                "strict=True."
            )
        return call.release(unflatten(call.output_spec, zeros_for(found, call.outputs)))

    return call.with_aux(call.release(call.output), push, has_aux=has_aux)


# ------------------------------------------------ ``jacrev``, ``jacfwd``, ``hessian``: all derivatives of all outputs


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
    return _jacobian("jacrev", jacobian_rows, func, argnums, has_aux)


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
    return _jacobian("jacfwd", jacobian_columns, func, argnums, has_aux)


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

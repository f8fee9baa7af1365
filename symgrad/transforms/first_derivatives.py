"""``sg.vjp``, ``sg.jvp``, ``sg.value_and_grad``, ``sg.jacrev``, ``sg.jacfwd``, ``sg.linearize``: one sweep or push.

And ``sg.stop_gradient``, by which a function says what none of them differentiates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._array import ARRAYS, array_of, has_pieces, tensor_of
from .._errors import DTypeError, GradientError, ShapeError, refusal
from ..core import Tensor, modes
from .calls.call_arguments import Argnums, Positional, any_symbol
from .calls.run import Pushforward, Run, still, tangents_like
from .calls.symbolic_run import require_callable
from .calls.tree import difference, flatten_like, leaf_shape, tree_map, unflatten, with_tables, without_tables
from .calls.variables import all_plain, as_variable, grad_or_none, zeros_for
from .derivative import Derivative
from .fix import formulas_at, written_out

# ------------------------------------ ``sg.value_and_grad``, ``sg.jacrev``, ``sg.vjp``: derivatives by reverse sweeps

# The idea to hold: a function is run once at variables of the transform's own and swept as often as it takes.


def value_and_grad(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False
) -> Derivative:
    """Return the value and the gradient of a function that returns one number, for one run of it.

    Parameters
    ----------
    f : function of arrays that returns one number
    argnums, holomorphic : as in `grad`
    has_aux : ``f`` returns ``(output, aux)``, and the new function ``((value, gradient), aux)``

    Returns
    -------
    A function of the same arguments that returns ``(value, gradient)``, the gradient as `grad` gives it. Arrays give
    arrays, tensors tensors, symbols a pair of formulas.

    Raises
    ------
    ShapeError : ``f`` returns more than one number

    Notes
    -----
    Cost: that of the gradient.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> both = sg.value_and_grad(lambda x: (x ** 2).sum())
    >>> print(*both(np.array([1.0, 2.0])))
    5.0 [2. 4.]
    >>> print(*both(sg.symbol("x", "n")), sep="   ")
    ‖x‖²   2x
    """
    return Derivative("value_and_grad", f, argnums, has_aux, holomorphic)


def jacrev(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    format: str = "dense",
) -> Derivative:  # fmt: skip
    """Return the Jacobian of a function, computed row by row.

    Parameters and results as in `jacobian`, which takes the cheaper of rows and columns.

    Notes
    -----
    Cost: one run of ``f``, recorded, and one sweep per element of the outputs; with ``format="csr"`` one per colour of
    the rows.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.jacrev(lambda x: {"square": x ** 2, "sum": x.sum()})(np.array([1.0, 2.0]))
    {'square': array([[2., 0.],
           [0., 4.]]), 'sum': array([1., 1.])}
    >>> print(sg.jacrev(sg.sin)(sg.symbol("x", "n")))
    diag(cos(x))
    """
    return Derivative("jacrev", f, argnums, has_aux, holomorphic, format)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return ``f(*primals)`` and the function that multiplies Jacobians by a vector from the left.

    Parameters
    ----------
    f : function of arrays, or containers of them, that returns arrays, or containers of them
    primals : its arguments
    has_aux : ``f`` returns ``(output, aux)``; aux is returned third

    Returns
    -------
    output, pull : ``pull(g)`` takes one array ``g`` of the output's shape (a container like the output's, where that is
        one) and returns a tuple: per argument Jᵀg, of the argument's structure and shapes. It may be called any number
        of times. Arrays give arrays, tensors tensors; where there are symbols, in the arguments or in ``g``, formulas.

    Raises
    ------
    ShapeError : ``g`` is not like the output; the error names the entry that differs

    Notes
    -----
    Cost: one run of ``f``, recorded, whose values stay as long as ``pull`` does; a sweep per call of it.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> output, pull = sg.vjp(lambda x: x ** 2, np.array([1.0, 2.0]))
    >>> output, pull(np.array([1.0, 10.0]))
    (array([1., 4.]), (array([ 2., 40.]),))
    >>> A = sg.symbol("A", ("m", "n"))
    >>> output, pull = sg.vjp(lambda x: A @ x, sg.symbol("x", "n"))
    >>> print(output, *pull(sg.symbol("g", "m")), sep="   ")
    Ax   Aᵀg
    """
    require_callable(f, "sg.vjp")
    if any_symbol(primals):
        return _vjp_of_symbols(f, primals, has_aux)
    run = Run("vjp", Positional(f, primals), has_aux)
    if run.of_symbols:
        return _vjp_of_symbols(f, primals, has_aux)
    output = run.returned()

    def pull_back(g: Any) -> Any:
        g = without_tables(g)
        if any_symbol(g):
            return _pulled_formulas(f, primals, g, has_aux)
        leaves = flatten_like(run.output_spec, g)
        if leaves is None or list(map(leaf_shape, leaves)) != list(map(leaf_shape, run.outputs)):
            raise ShapeError(
                "the function that sg.vjp returned takes what is like the output",
                str(difference(output, g, "output", "g")), "Give g the output's structure and shapes.",
            )  # fmt: skip
        seeds = [as_variable(s) for s in leaves]
        graph = run.variables.concerns_outside([*run.outputs, *seeds])
        found = sweep_from(run.outputs, run.variables.tensors, seeds, graph, True)
        pulled = run.leave(run.form(zeros_for(found, run.inputs)), all_plain(leaves))
        return with_tables(primals, pulled)

    results = run.leave(output, returned=True), pull_back
    return (*results, run.leave(run.aux, returned=True)) if has_aux else results


def _vjp_of_symbols(f: Any, primals: tuple[Any, ...], has_aux: bool) -> Any:
    f = written_out(f)

    def both(*args: Any) -> Any:
        return f(*args)

    found = formulas_at("sg.vjp", f, both, primals, {}, has_aux)
    output, *aux = found if has_aux else (found,)
    return (output, lambda g: _pulled_formulas(f, primals, g, has_aux), *aux)


def _pulled_formulas(f: Any, primals: tuple[Any, ...], g: Any, has_aux: bool) -> Any:
    f = written_out(f)

    def product(*args: Any) -> Any:
        return vjp(f, *args[:-1], has_aux=has_aux)[1](args[-1])

    return formulas_at("sg.vjp", f, product, primals, {"g": g})


def sweep_from(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], seeds: Sequence[Tensor], graph: bool, retain: bool
) -> list[Any]:
    """`grad_or_none`, where NaN and infinities in the seeds are the caller's: they give NaN where they take part."""
    refused = refusal.get()
    try:
        return grad_or_none(outputs, inputs, seeds, graph, retain)
    except GradientError:  # before anything happened
        refusal.set(refused)
        if all(np.isfinite(s._data).all() for s in seeds):
            raise
        with _anything_goes():
            return grad_or_none(outputs, inputs, seeds, graph, retain)


@contextmanager
def _anything_goes() -> Iterator[None]:
    token = modes.anomaly.set(modes.anomaly.get() or modes.Anomaly(check_nan=False))
    try:
        yield
    finally:
        modes.anomaly.reset(token)


# ------------------------------------------ ``sg.jvp``, ``sg.linearize``, ``sg.jacfwd``: derivatives along directions

# The idea to hold: a function is run once at variables of the transform's own, and tangents are pushed through what it
# recorded (`sweep.Push`), one walk per direction. Tangents are arrays where nobody could differentiate the result
# again, else tensors; symbols give formulas.


def _as_tuple(what: str, values: Any, name: str) -> tuple[Any, ...]:
    if isinstance(values, (tuple, list)) and not hasattr(values, "_fields"):
        return tuple(values)
    raise DTypeError(
        f"{what} takes {name} as a tuple, one entry per argument, got {type(values).__name__!r}",
        "f is called with f(*primals).",
        f"For one argument write {what}(f, (x,), (t,)).",
    )


def jvp(f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Return ``f(*primals)`` and its derivative along ``tangents``: the Jacobian times a vector.

    Parameters
    ----------
    f : function of arrays, or containers of them, that returns arrays, or containers of them
    primals : tuple of its arguments
    tangents : tuple of the same structure and shapes: the direction in which they move
    has_aux : ``f`` returns ``(output, aux)``; aux is returned third

    Returns
    -------
    output, tangent : both of the output's structure and shapes. Arrays give arrays, tensors tensors (with history where
        somebody outside could want it), symbols formulas.

    Raises
    ------
    ShapeError : the tangents are not like the primals; the error names the entry that differs
    DTypeError : primals that are no floating-point numbers; a complex tangent of a real argument

    Notes
    -----
    Cost: one run of ``f``, recorded, and one walk over what it recorded, forwards: about three times that of
    ``f``, whatever the number of arguments. A function defined with `autograd.Function` uses its ``jvp``, else its
    ``backward``, transposed; where hooks change gradients, the reverse mode is run twice.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.jvp(lambda x: x ** 2, (np.array([1.0, 2.0]),), (np.array([1.0, 10.0]),))
    (array([1., 4.]), array([ 2., 40.]))
    >>> A, x, t = sg.symbol("A", ("m", "n")), sg.symbol("x", "n"), sg.symbol("t", "n")
    >>> print(*sg.jvp(lambda x: sg.sin(A @ x), (x,), (t,)), sep="   ")
    sin(Ax)   At ⊙ cos(Ax)

    Over a gradient it is the Hessian times a vector:

    >>> sg.jvp(sg.grad(lambda x: (x ** 3).sum()), (np.array([1.0, 2.0]),), (np.array([1.0, 10.0]),))[1]
    array([  6., 120.])
    """
    require_callable(f, "sg.jvp")
    primals, tangents = _as_tuple("sg.jvp", primals, "primals"), _as_tuple("sg.jvp", tangents, "tangents")
    primals, tangents = without_tables((primals, tangents))
    if any_symbol((primals, tangents)):
        return _jvp_formulas(f, primals, tangents, has_aux)
    run = Run("jvp", Positional(f, primals), has_aux)
    if run.of_symbols:
        return _jvp_formulas(f, primals, tangents, has_aux)
    vectors = tangents_like("sg.jvp", primals, tangents, run.inputs)
    push, plain = Pushforward(run.outputs, run.variables.tensors, run.inputs), all_plain(tangents)
    results = run.leave((run.returned(), _tangent(run, push, vectors)), plain, returned=True)
    return (*results, run.leave(run.aux, plain, returned=True)) if has_aux else results


def _tangent(run: Run, push: Pushforward, tangents: Sequence[Tensor]) -> Any:
    """The derivative along ``tangents``, in the containers of the output."""
    found = push.along(tangents, run.graph(tangents))
    return unflatten(run.output_spec, [still(o, ()) if t is None else t for t, o in zip(found, run.outputs)])


def _jvp_formulas(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], has_aux: bool) -> Any:
    f, count = written_out(f), len(primals)

    def both(*args: Any) -> Any:
        output, tangent, *aux = jvp(f, args[:count], args[count:], has_aux)
        return ((output, tangent), aux[0]) if has_aux else (output, tangent)

    names = ["t"] if len(tangents) == 1 else [f"t{k}" for k in range(len(tangents))]
    found = formulas_at("sg.jvp", f, both, primals, dict(zip(names, tangents, strict=True)), has_aux)
    return (*found[0], found[1]) if has_aux else found


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return ``f(*primals)`` and the function that multiplies the Jacobian there by a vector.

    Parameters
    ----------
    f : function of arrays, or containers of them, that returns arrays, or containers of them
    primals : its arguments

    Returns
    -------
    output, push : ``push(*tangents)``, one tangent per argument, gives the derivative along them, of the output's
        structure and shapes. It may be called any number of times. Arrays give arrays, tensors tensors, symbols
        formulas.

    Raises
    ------
    ShapeError : the tangents are not like the primals

    Notes
    -----
    Cost: one run of ``f``, recorded, whose values stay as long as ``push`` does; one walk over them per call.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> output, push = sg.linearize(sg.sin, np.zeros(2))
    >>> push(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> output, push = sg.linearize(sg.sin, sg.symbol("x", "n"))
    >>> print(output, push(sg.symbol("t", "n")), sep="   ")
    sin(x)   t ⊙ cos(x)
    """
    require_callable(f, "sg.linearize")
    primals = without_tables(primals)
    symbols = any_symbol(primals)
    if not symbols:
        run = Run("linearize", Positional(f, primals))
        symbols = run.of_symbols
    if symbols:
        whole = written_out(f)

        def value(*args: Any) -> Any:
            return whole(*args)

        output = formulas_at("sg.linearize", whole, value, primals, {})
        return output, lambda *tangents: _pushed_formula(f, primals, tangents)

    linear = Pushforward(run.outputs, run.variables.tensors, run.inputs)

    def push(*tangents: Any) -> Any:
        tangents = without_tables(tangents)
        if any_symbol(tangents):
            return _pushed_formula(f, primals, tangents)
        vectors = tangents_like("the function that sg.linearize returned", primals, tangents, run.inputs)
        return run.leave(_tangent(run, linear, vectors), all_plain(tangents), returned=True)

    return run.leave(run.returned(), returned=True), push


def _pushed_formula(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    return _jvp_formulas(f, primals, _as_tuple("sg.jvp", tangents, "tangents"), False)[1]


def jacfwd(
    f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    format: str = "dense",
) -> Derivative:  # fmt: skip
    """Return the Jacobian of a function, computed column by column.

    Parameters
    ----------
    f : function of arrays that returns one array or number, or a container of them
    argnums : with respect to which argument: its position or name, or a tuple of these. It may be a container
    has_aux : ``f`` returns ``(output, aux)``, and the new function ``(jacobian, aux)``
    holomorphic, format : as in `jacobian`

    Returns
    -------
    A function of the same arguments. For an output of shape (m,) and an argument of shape (n,) the result has shape
    (m, n), in general the output's shape followed by the argument's; containers of outputs give containers, with the
    argument's container inside. Arrays give arrays, tensors tensors, symbols a formula.

    Raises
    ------
    DTypeError : an argument that is no floating-point number, or complex, but with ``holomorphic``
    TooLargeError : the Jacobian does not fit into memory

    Notes
    -----
    Cost: one run of ``f``, recorded, and one walk over it per element of the arguments: the better choice where these
    are fewer than the outputs' (`jacrev` takes one per element of the outputs, `jacobian` the cheaper of both). With
    ``format="csr"`` one walk per colour of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.jacfwd(lambda t: sg.stack([t, t ** 2, t ** 3]))(2.0)
    array([ 1.,  4., 12.])
    >>> A, x = sg.symbol("A", ("m", "n")), sg.symbol("x", "n")
    >>> print(sg.jacfwd(lambda x: A @ x)(x))
    A
    """
    return Derivative("jacfwd", f, argnums, has_aux, holomorphic, format)


# ------------------------------------------------------------ ``sg.stop_gradient``: what a function holds for constant


def stop_gradient(x: Any) -> Any:
    """Return ``x`` as a constant: the same values, through which no derivative flows.

    In a function of arrays it is what ``x.detach()`` is in one of tensors. What nothing differentiates is handed back
    as it is, so that the function also runs by itself.

    Parameters
    ----------
    x : array, number or tensor of any shape, or a container of them (tuple, list, dict)

    Returns
    -------
    array, number, tensor or container
        of the same shapes and dtypes. A write to an array does not reach ``x``; a tensor shares its memory, as that of
        `Tensor.detach` does.

    Raises
    ------
    DTypeError : in ``x`` is something else, which may hide what is differentiated

    Notes
    -----
    Cost: none that depends on the size.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda x: np.sum(sg.stop_gradient(x) * x**2)
    >>> sg.grad(f)(np.array([1.0, 3.0]))
    array([ 2., 18.])
    >>> sg.grad(lambda x: sg.stop_gradient(np.exp(x)) * x**2).formula(0.0)
    2x
    """
    return tree_map(_constant, x)


def _constant(value: Any) -> Any:
    found = array_of(tensor_of(value)) if type(value) is np.ndarray and has_pieces(value) else value
    if isinstance(found, (Tensor, *ARRAYS)):
        return found.detach()  # type: ignore[attr-defined]
    if value is None or isinstance(value, (np.ndarray, np.generic, bool, int, float, complex, str)):
        return value
    raise DTypeError(
        f"stop_gradient takes tensors, arrays and numbers, and got a {type(value).__name__}",
        "What is differentiated may be in it, unseen.", "Call it with the arrays that are in it.",
    )  # fmt: skip

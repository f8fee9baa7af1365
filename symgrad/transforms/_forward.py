"""``sg.jvp``, ``sg.linearize``, ``sg.jacfwd``: derivatives along directions.

The idea to hold: a function is run once at variables of the transform's own, and tangents are pushed through what it
recorded (`sweep._dual`), one walk per direction. Tangents are arrays where nobody could differentiate the result again,
else tensors; symbols give formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import DTypeError
from ..core import Tensor, table, wrap
from ..ops._public import METHODS
from ._derivative import Argnums, Derivative, _Arguments
from ._fix import written_out
from ._forward_run import Run, still, tangent_for, tangents_like
from ._jacobian import basis, require_numbered, require_room
from ._reverse import any_symbol, formulas_at
from ._traced import require_callable
from ._tree import unflatten
from ._variables import all_plain, recording

_NUMBERS_AT_ONCE = 1 << 20
"""How many numbers the tangents of an argument or output may hold together when many columns are pushed at once."""


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
    if any_symbol((primals, tangents)):
        return _jvp_formulas(f, primals, tangents, has_aux)
    run = Run("sg.jvp", primals, lambda values: f(*values), has_aux)
    if run.of_symbols:
        return _jvp_formulas(f, primals, tangents, has_aux)
    vectors = tangents_like("sg.jvp", primals, tangents, run.inputs)
    plain = all_plain((primals, tangents))
    results = run.leave((run.output(), run.tangent(vectors)), plain)
    return (*results, run.leave(run.aux, plain)) if has_aux else results


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
    symbols = any_symbol(primals)
    if not symbols:
        run = Run("sg.linearize", primals, lambda values: f(*values))
        symbols = run.of_symbols
    if symbols:
        whole = written_out(f)

        def value(*args: Any) -> Any:
            return whole(*args)

        output = formulas_at("sg.linearize", whole, value, primals, {})
        return output, lambda *tangents: _pushed_formula(f, primals, tangents)

    def push(*tangents: Any) -> Any:
        if any_symbol(tangents):
            return _pushed_formula(f, primals, tangents)
        vectors = tangents_like("the function that sg.linearize returned", primals, tangents, run.inputs)
        return run.leave(run.tangent(vectors), all_plain((primals, tangents)))

    return run.leave(run.output(), all_plain(primals)), push


def _pushed_formula(f: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    return _jvp_formulas(f, primals, _as_tuple("sg.jvp", tangents, "tangents"), False)[1]


class _Forward(Derivative):
    """The Jacobian of a function, as a function of the same arguments, by columns."""

    def __init__(self, f: Callable[..., Any], argnums: Argnums, has_aux: bool) -> None:
        super().__init__("jacobian", require_callable(f, "sg.jacfwd"), argnums, has_aux)
        self.__name__ = f"jacfwd({getattr(f, '__name__', type(f).__name__)})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = _Arguments(self.function, args, kwargs, self.argnums)
        if any_symbol((args, kwargs)):
            return self._formulas(call)
        run = Run("sg.jacfwd", call.chosen(), call.run, self.has_aux)
        _require_real(run)
        if run.of_symbols:
            return self._formulas(call)
        require_numbered([*run.outputs, *run.inputs])
        require_room(run.outputs, run.inputs)
        blocks = _columns(run, run.graph())
        plain = all_plain(call.given())
        result = unflatten(run.output_spec, [call.pack(unflatten(run.spec, row)) for row in blocks])
        result = run.leave(result, plain)
        return (result, run.leave(run.aux, plain)) if self.has_aux else result


def _require_real(run: Run) -> None:
    for x in run.inputs:
        if x._data.dtype.kind == "c":
            raise DTypeError(
                "sg.jacfwd differentiates with respect to real arguments",
                f"One has dtype {x._data.dtype}: there is a derivative along 1 and one along i.",
                "sg.jvp(f, (z,), (t,)) gives the derivative along any complex t.",
            )


def _columns(run: Run, graph: bool) -> list[list[Tensor]]:
    """Per output and input the Jacobian's block, of the output's shape followed by the input's."""
    blocks: list[list[Tensor]] = [[] for _ in run.outputs]
    for k, x in enumerate(run.inputs):
        found = _recorded_columns(run, k) if graph else _array_columns(run, k)
        for row, block, o in zip(blocks, found, run.outputs, strict=True):
            row.append(still(o, x._data.shape) if block is None else block)
    return blocks


def _recorded_columns(run: Run, k: int) -> list[Any]:
    """The blocks of input ``k`` with history, a walk per column; None where an output does not move."""
    x = run.inputs[k]
    columns: list[list[Any]] = [[] for _ in run.outputs]
    with recording():
        for unit in basis(x._data):
            tangents: list[Any] = [None] * len(run.inputs)
            tangents[k] = tangent_for(x, unit, True)
            for column, t in zip(columns, run.push(tangents, True), strict=True):
                column.append(t)
        blocks: list[Any] = []
        for column, o in zip(columns, run.outputs, strict=True):
            if all(t is None for t in column):
                blocks.append(None)
                continue
            filled = [still(o, ()) if t is None else t for t in column]
            block = table("stack")(filled, o._data.ndim)
            blocks.append(METHODS["reshape"](block, o._data.shape + x._data.shape))
    return blocks


def _array_columns(run: Run, k: int) -> list[Any]:
    """The blocks of input ``k`` as tensors without history, many columns per walk; None where an output stays."""
    x = run.inputs[k]._data
    largest = max([x.size, *(o._data.size for o in run.outputs)])
    count = max(1, min(x.size, _NUMBERS_AT_ONCE // max(largest, 1)))
    blocks: list[Any] = [None] * len(run.outputs)
    for start in range(0, x.size, count):
        units = np.eye(min(count, x.size - start), x.size, start, x.dtype).reshape((-1, *x.shape))
        for j, (t, o) in enumerate(zip(run.push_many(k, units), run.outputs, strict=True)):
            if t is not None:
                if blocks[j] is None:
                    blocks[j] = np.zeros((*o._data.shape, x.size), t.dtype)
                blocks[j][..., start : start + len(units)] = np.moveaxis(t, 0, -1)
    return [b if b is None else wrap(b.reshape((*b.shape[:-1], *x.shape))) for b in blocks]


def jacfwd(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Derivative:
    """Return the Jacobian of a function, computed column by column.

    Parameters
    ----------
    f : function of arrays that returns one array or number, or a container of them
    argnums : with respect to which argument: its position or name, or a tuple of these. It may be a container
    has_aux : ``f`` returns ``(output, aux)``, and the new function ``(jacobian, aux)``

    Returns
    -------
    A function of the same arguments. For an output of shape (m,) and an argument of shape (n,) the result has shape
    (m, n), in general the output's shape followed by the argument's; containers of outputs give containers, with the
    argument's container inside. Arrays give arrays, tensors tensors, symbols a formula.

    Raises
    ------
    DTypeError : an argument that is no floating-point number, or complex
    TooLargeError : the Jacobian does not fit into memory

    Notes
    -----
    Cost: one run of ``f``, recorded, and one walk over it per element of the arguments: the better choice where these
    are fewer than the outputs' (`jacrev` takes one per element of the outputs, `jacobian` the cheaper of both).

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
    return _Forward(f, argnums, has_aux)


__all__ = ["jacfwd", "jvp", "linearize"]

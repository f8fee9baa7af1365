"""``sg.value_and_grad``, ``sg.jacrev``, ``sg.vjp``: derivatives by reverse sweeps.

The idea to hold: a function is run once at variables of the transform's own and swept as often as it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._errors import GradientError, ShapeError, refusal
from ..core import Tensor, modes
from ._arguments import Argnums, Positional, any_symbol
from ._derivative import Derivative
from ._fix import written_out
from ._returned import formulas_at
from ._run import Run
from ._tables import with_tables, without_tables
from ._tracing import require_callable
from ._tree import difference, flatten_like, leaf_shape
from ._variables import all_plain, as_variable, pull, zeros_for


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
    """`pull`, where NaN and infinities in the seeds are the caller's business: they give NaN where they take part."""
    refused = refusal.get()
    try:
        return pull(outputs, inputs, seeds, graph, retain)
    except GradientError:  # before anything happened
        refusal.set(refused)
        if all(np.isfinite(s._data).all() for s in seeds):
            raise
        with _anything_goes():
            return pull(outputs, inputs, seeds, graph, retain)


@contextmanager
def _anything_goes() -> Iterator[None]:
    token = modes.anomaly.set(modes.anomaly.get() or modes.Anomaly(check_nan=False))
    try:
        yield
    finally:
        modes.anomaly.reset(token)


__all__ = ["jacrev", "sweep_from", "value_and_grad", "vjp"]

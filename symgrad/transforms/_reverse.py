"""``sg.value_and_grad``, ``sg.jacrev``, ``sg.vjp``; and the formulas of functions that return several arrays.

The idea to hold: a function is run once at variables of the transform's own and swept as often as it takes. Where
symbols are among the arguments the same is done while the function is traced, once per array that comes out, and the
graph of that array is its formula.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._errors import GradientError, ShapeError
from ..core import Symbol, Tensor, _modes
from ._derivative import Argnums, Derivative, _Numbers, none_returned, split
from ._fix import written_out
from ._traced import Traced, require_callable, signature, tracing
from ._tree import LEAF as ONE
from ._tree import Spec, difference, flatten, flatten_like, flatten_values, tree_map, unflatten
from ._variables import all_plain, as_variable, pull, to_plain


def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Derivative:
    """Return the value and the gradient of a function that returns one number, for one run of it.

    Parameters
    ----------
    f : function of arrays that returns one number
    argnums : as in `grad`
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
    return Derivative("value_and_grad", f, argnums, has_aux)


def jacrev(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Derivative:
    """Return the Jacobian of a function, computed row by row.

    Parameters and results as in `jacobian`, which takes the cheaper of rows and columns.

    Notes
    -----
    Cost: one run of ``f``, recorded, and one sweep per element of the outputs.

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
    return Derivative("jacrev", f, argnums, has_aux)


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
    numbers = _Numbers("vjp", Positional(f, primals), has_aux)
    if not tracing() and any(type(o) is Symbol for o in numbers.outputs):
        return _vjp_of_symbols(f, primals, has_aux)
    output = unflatten(numbers.output_spec, numbers.outputs)

    def pull_back(g: Any) -> Any:
        if any_symbol(g):
            return _pulled_formulas(f, primals, g, has_aux)
        leaves = flatten_like(numbers.output_spec, g)
        if leaves is None or list(map(_shape, leaves)) != list(map(_shape, numbers.outputs)):
            raise ShapeError(
                "the function that sg.vjp returned takes what is like the output",
                str(difference(output, g, "output", "g")), "Give g the output's structure and shapes.",
            )  # fmt: skip
        seeds = [as_variable(s) for s in leaves]
        graph = numbers.variables.concerns_outside([*numbers.outputs, *seeds])
        found = sweep_from(numbers.outputs, numbers.variables.tensors, seeds, graph, True)
        result = tree_map(numbers.variables.release, numbers._form(numbers._zeros(found, ())))
        return to_plain(result) if numbers.plain and all_plain(leaves) else result

    results = numbers.leave(output), pull_back
    return (*results, numbers.leave(numbers.aux)) if has_aux else results


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
    try:
        return pull(outputs, inputs, seeds, graph, retain)
    except GradientError:  # before anything happened
        if all(np.isfinite(s._data).all() for s in seeds):
            raise
        with _anything_goes():
            return pull(outputs, inputs, seeds, graph, retain)


@contextmanager
def _anything_goes() -> Iterator[None]:
    token = _modes.anomaly.set(_modes.anomaly.get() or (True, False, False))
    try:
        yield
    finally:
        _modes.anomaly.reset(token)


class Positional:
    """A call with positional arguments, all of which are differentiated: what `_Arguments` is, without names."""

    def __init__(self, f: Any, args: tuple[Any, ...]) -> None:
        self.f, self.args = f, args
        self.names = tuple(f"primals[{k}]" for k in range(len(args)))

    def given(self) -> list[Any]:
        """The values of all arguments."""
        return list(self.args)

    def chosen(self) -> tuple[Any, ...]:
        """The values to differentiate at."""
        return self.args

    def flat(self) -> tuple[list[Any], Spec]:
        """Those values, array by array, and their structure."""
        return flatten_values(self.args)

    def run(self, values: tuple[Any, ...]) -> Any:
        """The function at ``values``."""
        return self.f(*values)

    def pack(self, results: Sequence[Any]) -> Any:
        """One result per argument."""
        return tuple(results)


class OneArgument(Positional):
    """A call of a function of one argument, taken apart once.

    Attributes
    ----------
    leaves, spec : the argument, array by array, and its structure
    """

    def __init__(self, what: str, f: Any, x: Any) -> None:
        super().__init__(require_callable(f, f"sg.{what}"), (x,))
        self.what, self.names = what, ("x",)
        self.leaves, self.spec = flatten_values(self.args)
        if any(map(_is_complex, self.leaves)):
            raise GradientError(
                f"sg.{what} takes real arguments: second derivatives in complex ones are no one matrix",
                "One of its arrays is complex.", "Give real and imaginary parts as arrays of their own.",
            )  # fmt: skip

    def given(self) -> list[Any]:
        """The arrays of the argument."""
        return self.leaves

    def flat(self) -> tuple[list[Any], Spec]:
        """The argument, array by array, and its structure."""
        return self.leaves, self.spec

    def pack(self, results: Sequence[Any]) -> Any:
        """The only result."""
        return results[0]

    def like(self, v: Any) -> list[Any]:
        """The arrays of a vector in the order of the argument's."""
        leaves = flatten_like(self.spec, (v,))
        formulas = leaves is not None and symbols_among(self.leaves + leaves)  # sizes are found while tracing
        if leaves is None or not (formulas or list(map(_shape, leaves)) == list(map(_shape, self.leaves))):
            raise ShapeError(
                f"sg.{self.what}(f, x, v) takes a vector v that is like x", str(difference(self.args[0], v, "x", "v")),
                "Give v the structure and the shapes of x.",
            )  # fmt: skip
        return leaves


def _is_complex(leaf: Any) -> bool:
    data = leaf._data if isinstance(leaf, Tensor) else leaf
    return data.dtype.kind == "c" if isinstance(data, np.ndarray) else isinstance(data, (complex, np.complexfloating))


def _shape(leaf: Any) -> tuple[int, ...]:
    return np.shape(leaf._data if isinstance(leaf, Tensor) else leaf)


def symbols_among(leaves: list[Any]) -> bool:
    """Whether formulas are asked for: there is a symbol, and nobody above is tracing already."""
    return Symbol in set(map(type, leaves)) and not tracing()


def any_symbol(tree: Any) -> bool:
    """`symbols_among` the arrays of a container."""
    return symbols_among(flatten(tree)[0])


# ------------------------------------------------------------------------------------------------------------ formulas


class Returned:
    """What a function returns while it is traced: a formula is that of one array, so it is run once per output.

    Parameters
    ----------
    what : who asks, for errors
    has_aux : the function returns ``(output, aux)``

    Attributes
    ----------
    spec, count : the structure of the output of the last run, and of how many arrays it consists
    """

    def __init__(self, what: str, has_aux: bool = False) -> None:
        self.what, self.has_aux = what, has_aux
        self.spec, self.count, self.aux = ONE, 1, None

    def entry(self, f: Any, k: int) -> Callable[..., Any]:
        """``f`` with its ``k``-th array as the only output; those of aux count on behind those of the output."""

        def one(*args: Any, **kwargs: Any) -> Any:
            result = f(*args, **kwargs)
            if self.has_aux:
                result, self.aux = split(self.what, result)
            leaves, self.spec = flatten_values(result)
            self.count = len(leaves)
            leaves = leaves or none_returned(self.what)
            return [*leaves, *filter(_is_array, flatten(self.aux)[0])][k]

        return as_if_written_beside(f, one)

    def aux_formulas(self, f: Any, arguments: inspect.BoundArguments, chosen: tuple[str, ...] = ()) -> Any:
        """What is returned beside the output, with formulas for its arrays."""
        leaves, spec = flatten(self.aux)
        places = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]
        for k, i in enumerate(places):
            leaves[i] = Traced(self.entry(f, self.count + k), arguments, chosen).formula()
        return unflatten(spec, leaves)


def as_if_written_beside(f: Any, g: Any) -> Callable[..., Any]:
    """``g``, a function around ``f``, named and placed as ``f`` is, so that the data ``f`` catches keep their names."""
    g.__name__ = getattr(f, "__name__", g.__name__)
    g.__module__ = getattr(f, "__module__", None) or g.__module__
    return g


def _is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def formulas_at(what: str, f: Any, g: Any, values: tuple[Any, ...], more: dict[str, Any], has_aux: bool = False) -> Any:
    """The formulas of all that ``g(*values, *more)`` returns, in the same containers.

    ``g`` is a function around ``f``, after whose parameters the values are named.
    """
    g, names = as_if_written_beside(f, g), _names(f, len(values))
    names += [name if name not in names else f"{name}_1" for name in more]
    kind = inspect.Parameter.POSITIONAL_ONLY
    known = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    arguments = known.bind(*values, *more.values())
    seen = Returned(what, has_aux)
    several = [Traced(seen.entry(g, 0), arguments).formula()]
    several += [Traced(seen.entry(g, k), arguments).formula() for k in range(1, seen.count)]
    result = unflatten(seen.spec, several)
    return (result, seen.aux_formulas(g, arguments)) if has_aux else result


def _names(f: Any, count: int) -> list[str]:
    """What the first positional arguments of a function are called."""
    known = signature(f)
    names: list[str] = []
    for p in known.parameters.values() if known is not None else ():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}_{k}" for k in range(count - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    names = names[:count]
    letters = list("xyzuvw") if count <= 6 else [f"x{k}" for k in range(count)]
    return names + letters[len(names) : count]


__all__ = [
    "OneArgument", "Positional", "Returned", "any_symbol", "formulas_at", "jacrev", "sweep_from", "symbols_among",
    "value_and_grad", "vjp",
]  # fmt: skip

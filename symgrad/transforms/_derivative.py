"""``sg.grad``, ``sg.jacobian`` (and what the other transforms build on): the derivative of a function, as a function.

The idea to hold: what goes in says what comes out. Arrays give arrays, tensors give tensors (which can be
differentiated again), symbols give formulas. Numbers come from reverse sweeps; formulas come from the formula of the
function itself, which is differentiated as a formula.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _config
from .._errors import FormulaError, GradientError, ShapeError
from ..core import Symbol, Tensor, wrap
from ..core._symbolic import named_shape, sizes_of, symbolic
from ._jacobian import columns, rows
from ._traced import Traced, bound, require_callable, signature, tracing, unwrapped
from ._tree import LEAF as ONE
from ._tree import Spec, flatten, flatten_values, require_numbers, tree_map, unflatten
from ._variables import Variables, all_plain, as_variable, recording, zeros_for

Argnums = int | str | tuple[int | str, ...]


class Derivative:
    """A function's gradient, Jacobian or Hessian, as a function of the same arguments.

    Attributes
    ----------
    kind : 'grad', 'value_and_grad', 'jacobian', 'jacrev' or 'hessian'
    function : what is differentiated
    argnums : with respect to which arguments, by position or name
    has_aux : whether the function returns ``(output, aux)``, of which only ``output`` is differentiated
    """

    def __init__(self, kind: str, f: Callable[..., Any], argnums: Argnums, has_aux: bool = False) -> None:
        self.kind, self.function, self.argnums = kind, require_callable(f, f"sg.{kind}"), argnums
        self.has_aux = has_aux
        known = signature(f)
        if known is not None:
            self.__signature__ = known
        self.__name__ = f"{kind}({getattr(f, '__name__', type(f).__name__)})"
        self.__doc__ = f"{_WORDS[kind]} of {getattr(f, '__name__', 'a function')}."

    def __repr__(self) -> str:
        return f"{self.__name__[:-1]}, argnums={self.argnums!r})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at arrays (as arrays), at tensors (as tensors) or of symbols (as a formula)."""
        call = _Arguments(self.function, args, kwargs, self.argnums)
        if any(type(leaf) is Symbol for leaf in flatten((args, kwargs))[0]) and not tracing():
            return self._formulas(call)
        numbers = _Numbers(self.kind, call, self.has_aux)
        if not tracing() and any(type(o) is Symbol for o in numbers.outputs):  # a symbol that the function catches
            return self._formulas(call)
        return numbers.result()

    def formula(self, *args: Any, **kwargs: Any) -> Any:
        """Return the formula of the derivative; arguments as for `symgrad.formula`."""
        return self._formulas(_Arguments(self.function, args, kwargs, self.argnums))

    def _formulas(self, call: _Arguments) -> Any:
        from ._reverse import Returned  # formulas on first use; it needs this module

        arrays = self.kind in _OF_ARRAYS
        seen = Returned(f"sg.{self.kind}", self.has_aux)
        first = Traced(seen.entry(call.f, 0) if arrays or self.has_aux else call.f, call.bound, call.names)
        if not arrays:
            _require_number(self.kind, first.output)
        several = [self._of_one(call, first)]
        for k in range(1, seen.count if arrays else 1):
            several.append(self._of_one(call, Traced(seen.entry(call.f, k), call.bound, call.names)))
        result = unflatten(seen.spec, several) if arrays else several[0]
        return (result, seen.aux_formulas(call.f, call.bound, call.names)) if self.has_aux else result

    def _of_one(self, call: _Arguments, traced: Traced) -> Any:
        """The derivatives of one output."""
        whole = traced.formula()
        entries = [(spec, names) for spec, names in (traced.names[p] for p in call.names)]
        result = []
        for spec, names in entries:
            if self.kind != "hessian":
                parts = [self._part(traced, whole, (name,)) for name in names]
            else:
                parts = [call.pack([unflatten(s, [self._part(traced, whole, (name, other)) for other in others])
                                    for s, others in entries]) for name in names]  # fmt: skip
            result.append(unflatten(spec, parts))
        packed = call.pack(result)
        return (whole, packed) if self.kind == "value_and_grad" else packed

    def _part(self, traced: Traced, whole: Any, names: tuple[str, ...]) -> Any:
        """The formula of one block: with respect to one variable, or for Hessians to two."""
        if not set(names) <= set(whole.free_symbols):
            return traced.zeros(names, "jacobian" if self.kind in _OF_ARRAYS else self.kind).formula()
        if self.kind == "hessian":
            same = names[0] == names[1]
            found = whole.hessian(names[0]) if same else whole.grad(names[0]).jacobian(names[1])
        else:
            found = whole.jacobian(names[0]) if self.kind in _OF_ARRAYS else whole.grad(names[0])
        there = {k: v.formula() for k, v in traced.values.items() if k in found.free_symbols}
        return found.subs(**there) if there else found


def split(what: str, result: Any) -> tuple[Any, Any]:
    """What a function with has_aux returned: the output and what comes along."""
    if not (isinstance(result, tuple) and len(result) == 2):
        size = f" of {len(result)}" if isinstance(result, tuple) else ""
        raise GradientError(
            f"{what}: with has_aux=True the function returns (output, aux)",
            f"It returned {type(result).__name__!r}{size}.", "Return a pair, or leave has_aux out.",
        )  # fmt: skip
    return result


def none_returned(what: str) -> Any:
    raise FormulaError(f"the function given to {what} returned no array", "", "Return a tensor, an array or a number.")


_OF_ARRAYS = ("jacobian", "jacrev", "vjp", "ggn_vp")
"""The transforms of functions that return arrays, or containers of them; the others are of one number."""
_WORDS = {
    "grad": "The gradient", "value_and_grad": "The value and the gradient", "jacobian": "The Jacobian",
    "jacrev": "The Jacobian", "hessian": "The matrix of second derivatives",
}  # fmt: skip


def _require_number(kind: str, output: Tensor) -> None:
    if output._data.ndim:
        shape = "×".join(map(str, named_shape(output)))
        raise ShapeError(
            f"sg.{kind} differentiates functions that return one number; this one returned an array of shape {shape}",
            "grad can be implicitly created only for scalar outputs.",
            "Reduce it to one number (.sum(), or [0] of a single element), or use sg.jacobian.",
        )
    if output._data.dtype.kind == "c":
        raise GradientError(
            f"sg.{kind} differentiates functions that return a real number, and this one returned a complex one",
            f"Its dtype is {output._data.dtype}.",
            "Differentiate .real, .imag or .abs() of it.",
        )


class _Arguments:
    """The arguments of one call, and which of them to differentiate with respect to."""

    def __init__(self, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums) -> None:
        f, args, kwargs, front = unwrapped(f, args, kwargs)
        self.f, self.several = f, isinstance(argnums, tuple)
        self.bound = bound(f, args, kwargs)
        wanted: tuple[Any, ...] = argnums if isinstance(argnums, tuple) else (argnums,)
        if not wanted:
            raise GradientError("argnums must be non-empty", "", "Name at least one argument.")
        self.names = tuple(self._name(a, front, len(args)) for a in wanted)
        if len(set(self.names)) != len(self.names):
            raise GradientError(f"argnums elements must be unique, got {argnums}", "", "Name each argument once.")

    def _name(self, argnum: Any, front: int, count: int) -> str:
        parameters = self.bound.signature.parameters
        if isinstance(argnum, str):
            if argnum not in parameters:
                raise GradientError(
                    f"the function has no parameter {argnum!r}", f"Its parameters are {list(parameters)}.",
                    "Give argnums one of these, or a position.",
                )  # fmt: skip
            return argnum
        if not isinstance(argnum, int) or isinstance(argnum, bool):
            raise GradientError(
                f"argnums must be an int, a name, or a tuple of these, got {argnum!r}", "", "argnums=0 is the first.",
            )  # fmt: skip
        names = list(parameters)
        place = argnum + front if argnum >= 0 else argnum + max(count, len(names))
        if not 0 <= place < max(count, len(names)):
            raise GradientError(
                f"Got argnums={argnum}, but the function takes {len(names) - front} arguments",
                f"They are {names[front:]}.", "Positions count from 0.",
            )  # fmt: skip
        at = min(place, len(names) - 1)
        if parameters[names[at]].kind is inspect.Parameter.VAR_POSITIONAL or place >= len(names):
            raise GradientError(
                f"argument {argnum} is one of *{names[at]}, which are differentiated together or not at all",
                "argnums counts parameters.", f'Say argnums="{names[at]}", or give the function named parameters.',
            )  # fmt: skip
        return names[at]

    def pack(self, results: Sequence[Any]) -> Any:
        """One result for one argument, a tuple for a tuple of them."""
        return tuple(results) if self.several else results[0]

    def given(self) -> list[Any]:
        """The values of all arguments."""
        return list(self.bound.arguments.values())

    def chosen(self) -> tuple[Any, ...]:
        """The values of the arguments to differentiate with respect to."""
        return tuple(self.bound.arguments[name] for name in self.names)

    def flat(self) -> tuple[list[Any], Spec]:
        """Those values, array by array, and their structure."""
        return flatten_values(self.chosen())

    def run(self, values: tuple[Any, ...]) -> Any:
        """The function with ``values`` in their place."""
        filled = {**self.bound.arguments, **dict(zip(self.names, values, strict=True))}
        complete = inspect.BoundArguments(self.bound.signature, filled)
        return self.f(*complete.args, **complete.kwargs)


class _Numbers:
    """A function run at variables of its own, and its derivative by sweeps."""

    def __init__(self, kind: str, call: Any, has_aux: bool = False) -> None:
        self.kind, self.call, self.has_aux, self.aux = kind, call, has_aux, None
        self.plain = all_plain(call.given())
        leaves, self.spec = call.flat()
        require_numbers(f"sg.{kind}", call, leaves)
        self.inputs = [_variable(leaf) for leaf in leaves]
        self.variables = Variables(self.inputs, self.plain)
        try:
            with recording():
                result = call.run(unflatten(self.spec, self.variables.tensors))
        finally:
            self.variables.close()
        if has_aux:
            result, self.aux = split(f"sg.{kind}", result)
        self.output_spec: Spec = ONE
        if kind in _OF_ARRAYS:
            found, self.output_spec = flatten_values(result)
            self.outputs = [_one_tensor(kind, o) for o in found or none_returned(f"sg.{kind}")]
        else:
            self.outputs = [_one_tensor(kind, result)]
            _require_number(kind, self.outputs[0])
        self.output = self.outputs[0]

    def result(self) -> Any:
        """The derivative, in the form of the arguments."""
        found = getattr(self, f"_{self.kind}")()
        return self.leave((found, self.aux) if self.has_aux else found)

    def leave(self, tree: Any) -> Any:
        """Results as the caller gets them: without history nobody outside wants, as arrays if he gave arrays."""
        return tree_map(self._outgoing, tree)

    def _outgoing(self, t: Any) -> Any:
        t = self.variables.release(t)
        return t._data[()] if self.plain and isinstance(t, Tensor) and t._node is None else t

    def _form(self, flat: Sequence[Any]) -> Any:
        """One result per variable, as containers like the arguments'."""
        return self.call.pack(unflatten(self.spec, flat))

    def _grad(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        found = self.variables.pull([self.output], [None], graph, graph)
        return self._form(self._zeros(found, ()))

    def _value_and_grad(self) -> Any:
        return self.output, self._grad()

    def _jacobian(self) -> Any:
        return self._by_output(by_rows=False)

    def _jacrev(self) -> Any:
        return self._by_output(by_rows=True)

    def _by_output(self, by_rows: bool) -> Any:
        graph = self.variables.concerns_outside(self.outputs)
        blocks = self._all_blocks(self.outputs, graph, by_rows)
        return unflatten(self.output_spec, [self._form(b) for b in blocks])

    def _hessian(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        first = self.variables.pull([self.output], [None], True, True)
        gradients = zeros_for(first, self.inputs)
        return self._form([self._form(self._blocks(g, graph)) for g in gradients])

    def _blocks(self, output: Tensor, graph: bool) -> list[Tensor]:
        return self._all_blocks([output], graph)[0]

    def _all_blocks(self, outputs: list[Tensor], graph: bool, by_rows: bool = False) -> list[list[Tensor]]:
        """Per output its blocks, by sweeps from the outputs or through the inputs, whichever are fewer."""
        tensors = self.variables.tensors
        few = sum(x._data.size for x in tensors) < sum(o._data.size for o in outputs) and not (graph or by_rows)
        with recording():
            found = (columns if few else rows)(outputs, tensors, graph)
        return [self._zeros(b, o._data.shape) for b, o in zip(found, outputs, strict=True)]

    def _zeros(self, found: Sequence[Any], shape: tuple[int, ...]) -> list[Tensor]:
        """The blocks, with zeros for what the output does not depend on."""
        return [_zeros_like(x, shape) if block is None else block for block, x in zip(found, self.inputs, strict=True)]


def _variable(value: Any) -> Tensor:
    t = as_variable(value)
    if t._data.dtype.kind in "iub" and not isinstance(value, Tensor):
        return wrap(t._data.astype(_config.default_dtype()))
    return t


def _zeros_like(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    zeros = wrap(np.zeros(shape + x._data.shape, x._data.dtype))
    return symbolic(zeros, sizes_of(x)) if type(x) is Symbol else zeros


def _one_tensor(kind: str, result: Any) -> Tensor:
    if isinstance(result, Tensor):
        return result
    if isinstance(result, (np.ndarray, np.generic, int, float, complex)):
        return wrap(np.asarray(result))
    raise FormulaError(
        f"the function given to sg.{kind} returned {type(result).__name__!r}",
        "It must return a tensor, an array or a number.",
        "Carry what else it returns along with has_aux=True; sg.jacobian differentiates containers of outputs."
        if kind in ("grad", "value_and_grad") else "Return one of these.",
    )  # fmt: skip


def grad(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Derivative:
    """Return the gradient of a function that returns one number.

    Parameters
    ----------
    f : function of arrays, written with NumPy, with operators or with symgrad's functions
    argnums : with respect to which argument: its position or name, or a tuple of these. It may be a container (a
        dictionary or a dataclass of arrays, say; None in it stays None)
    has_aux : ``f`` returns ``(output, aux)``, and the gradient function ``(gradient, aux)``

    Returns
    -------
    A function of the same arguments. Arrays give arrays and tensors give tensors, of the argument's structure and
    shapes, with zeros for what ``f`` does not depend on. Symbols give a Formula. ``.formula(*args)`` gives the formula
    at arrays too, in the names of the parameters. A tuple as argnums gives a tuple.

    Raises
    ------
    ShapeError : ``f`` returns more than one number
    DTypeError : a tensor of whole numbers (NumPy's arrays of whole numbers are taken as floats)

    Notes
    -----
    Cost: one run of ``f``, recorded, and one sweep: about three times that of ``f``. NaN in the data is no error: it
    gives NaN where it takes part.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda x: sg.exp(x).sum()
    >>> sg.grad(f)(np.zeros(2))
    array([1., 1.])
    >>> print(sg.grad(f)(sg.symbol("x", "n")))
    exp(x)
    """
    return Derivative("grad", f, argnums, has_aux)


def jacobian(f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Derivative:
    """Return the Jacobian of a function: all derivatives of all outputs.

    Parameters
    ----------
    f : function of arrays that returns a tensor, array or number, or a container of these
    argnums, has_aux : as in `grad`

    Returns
    -------
    A function of the same arguments: for an output of shape (m,) and an argument of shape (n,) the result has shape
    (m, n), in general the output's shape followed by the argument's. Containers as outputs give containers, of such
    results. Arrays, tensors and symbols as in `grad`.

    Raises
    ------
    TooLargeError : the Jacobian does not fit into memory

    Notes
    -----
    Cost: one sweep per element of the output, or of the arguments if these are fewer.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> A, x = sg.symbol("A", ("m", "n")), sg.symbol("x", "n")
    >>> print(sg.jacobian(lambda x: A @ x)(x))
    A
    """
    return Derivative("jacobian", f, argnums, has_aux)


__all__ = ["Derivative", "grad", "jacobian"]

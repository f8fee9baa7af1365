"""A function run at variables of a transform's own: what `sg.grad` and all its kind begin with.

The idea to hold: a call (`_arguments.py`) says which arguments are differentiated; they are replaced by variables, the
function runs once, recorded, and what it returned is a list of tensors. Derivatives are sweeps over that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _config
from .._errors import DTypeError, FormulaError, GradientError, ShapeError
from ..core import Symbol, Tensor, named_shape, plain_array, wrap
from ._jacobian import columns, goes_forwards, rows
from ._tracing import tracing
from ._tree import LEAF as ONE
from ._tree import Spec, flatten_values, require_numbers, unflatten
from ._variables import Variables, all_plain, as_variable, recording, zeros_for

OF_ARRAYS = ("jacobian", "jacrev", "jacfwd", "vjp", "jvp", "linearize", "taylor", "ggn_vp", "sparsity")
"""The transforms of functions that return arrays, or containers of them; the others are of one number."""

_HOLOMORPHIC = ("grad", "value_and_grad", "hessian")


_KEEP_RECORDS = ("vjp", "linearize", "hessian_operator")
"""Those whose result reads the record later: they record copies of NumPy's arrays, which are written to meanwhile."""


class Run:
    """A function run at variables of its own, and its derivative by sweeps.

    Parameters
    ----------
    kind : the transform that asks
    call : the function and its arguments, one of those of `_arguments.py`
    has_aux : the function returns ``(output, aux)``
    listed : as in `run_at`

    Attributes
    ----------
    inputs, spec : what to differentiate with respect to, array by array, and its structure
    variables : the tensors that stand for it
    outputs, output_spec, output : what the function returned, likewise, and the first of it
    """

    number_may_be_complex = False

    def __init__(self, kind: str, call: Any, has_aux: bool = False, listed: bool = False) -> None:
        self.kind, self.call, self.has_aux, self.aux = kind, call, has_aux, None
        self.plain = all_plain(call.given())
        leaves, self.spec = call.flat()
        require_numbers(f"sg.{kind}", call, leaves)
        if kind in _KEEP_RECORDS:
            leaves = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        self.inputs = [variable(leaf) for leaf in leaves]
        self.variables = Variables(self.inputs, self.plain)
        result = self.variables.run(call.run, self.spec, listed)
        if has_aux:
            result, self.aux = split(f"sg.{kind}", result)
        self.output_spec: Spec = ONE
        if kind in OF_ARRAYS:
            found, self.output_spec = flatten_values(result)
            self.outputs = [one_tensor(kind, o) for o in found or none_returned(f"sg.{kind}")]
        else:
            self.outputs = [one_tensor(kind, result)]
            require_number(kind, self.outputs[0], self.number_may_be_complex)
        self.output = self.outputs[0]

    @property
    def of_symbols(self) -> bool:
        """Whether the function caught a symbol, so that a formula is asked for."""
        return not tracing() and any(type(o) is Symbol for o in self.outputs)

    def graph(self, beside: Sequence[Tensor] = ()) -> bool:
        """Whether somebody could want to differentiate what is made of the outputs and of what is given beside."""
        every = [*self.outputs, *beside]
        return any(type(t) is Symbol for t in every) or self.variables.concerns_outside(every)

    def returned(self) -> Any:
        """What the function returned."""
        return unflatten(self.output_spec, self.outputs)

    def result(self) -> Any:
        """The derivative, in the form of the arguments."""
        found = self.leave(getattr(self, f"_{self.kind}")())
        return (found, self.leave(self.aux, returned=True)) if self.has_aux else found

    def leave(self, tree: Any, plain: bool = True, returned: bool = False) -> Any:
        """Results as the caller gets them, see `Variables.leave`."""
        return self.variables.leave(tree, plain, returned)

    def form(self, flat: Sequence[Any]) -> Any:
        """One result per variable, as containers like the arguments'."""
        return self.call.pack(unflatten(self.spec, flat))

    def _grad(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        found = self.variables.pull([self.output], [None], graph, graph)
        return self.form(zeros_for(found, self.inputs))

    def _value_and_grad(self) -> Any:
        return self.output, self._grad()

    def _jacobian(self) -> Any:
        return self._by_output()

    def _jacrev(self) -> Any:
        return self._by_output(rows)

    def _jacfwd(self) -> Any:
        if any(map(_is_complex, self.inputs)):
            raise complex_arguments(self.kind, self.inputs)
        return self._by_output(columns)

    def _by_output(self, way: Callable[..., Any] | None = None) -> Any:
        graph = self.variables.concerns_outside(self.outputs)
        blocks = self._all_blocks(self.outputs, graph, way)
        return unflatten(self.output_spec, [self.form(b) for b in blocks])

    def _hessian(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        first = self.variables.pull([self.output], [None], True, True)
        gradients = zeros_for(first, self.inputs)
        return self.form([self.form(self._all_blocks([g], graph)[0]) for g in gradients])

    def _all_blocks(self, outputs: list[Tensor], graph: bool, way: Any = None) -> list[list[Tensor]]:
        """Per output its blocks, by sweeps from the outputs or through the inputs: unless told, whichever are fewer."""
        tensors = self.variables.tensors
        if any(map(_is_complex, tensors)) and any(_is_complex(o) and o._node is not None for o in outputs):
            raise complex_arguments(self.kind, tensors)
        few = sum(x._data.size for x in tensors) < sum(o._data.size for o in outputs)
        forwards = few and not graph and not any(map(_is_complex, tensors)) and goes_forwards(outputs)
        way = way or (columns if forwards else rows)
        with recording():
            found = way(outputs, tensors, graph)
            if way is rows and any(map(_is_complex, outputs)):
                self._turn(found, outputs, graph)
        return [zeros_for(b, self.inputs, o._data.shape) for b, o in zip(found, outputs, strict=True)]

    def _turn(self, found: list[list[Any]], outputs: list[Tensor], graph: bool) -> None:
        """Put in the derivatives of complex outputs in real inputs: the gradient in a real input is real, so a sweep
        does not see the imaginary part."""
        real = [k for k, x in enumerate(self.inputs) if not _is_complex(x)]
        turned = [j for j, o in enumerate(outputs) if _is_complex(o)]
        blocks = columns([outputs[j] for j in turned], [self.variables.tensors[k] for k in real], graph)
        for j, row in zip(turned, blocks, strict=True):
            for k, block in zip(real, row, strict=True):
                found[j][k] = block


def _is_complex(t: Tensor) -> bool:
    return t._data.dtype.kind == "c"


def variable(value: Any) -> Tensor:
    """A value to differentiate at, as a tensor: NumPy's whole numbers are taken as floats."""
    t = as_variable(value)
    if t._data.dtype.kind in "iub" and not isinstance(value, Tensor):
        return wrap(t._data.astype(_config.default_dtype()))
    return t


def one_tensor(kind: str, result: Any) -> Tensor:
    """One of the outputs as a tensor; raises for what has no derivative."""
    if isinstance(result, Tensor):
        require_continuous(kind, result._data.dtype)
        return result
    if isinstance(result, (np.ndarray, np.generic, int, float, complex)):
        data = plain_array(result)
        if data.dtype.kind in "fciub":
            if type(result) is not int:  # as good a constant as 3.0
                require_continuous(kind, data.dtype)
            return wrap(data)
    raise FormulaError(
        f"the function given to sg.{kind} returned {type(result).__name__!r}",
        "It must return tensors, arrays or numbers, or containers of them." if kind in OF_ARRAYS
        else "It must return a tensor, an array or a number.",
        "Carry what else it returns along with has_aux=True; sg.jacobian differentiates containers of outputs."
        if kind in ("grad", "value_and_grad") else "Return one of these.",
    )  # fmt: skip


def require_continuous(kind: str, dtype: np.dtype[Any]) -> None:
    """Raise for truths and whole numbers: they jump or stay, and zeros would hide that the function is a test."""
    if dtype.kind not in "biu":
        return
    truth = dtype.kind == "b"
    raise DTypeError(
        f"sg.{kind} differentiates functions that return real or complex numbers; this one returned "
        + ("a truth value" if truth else "whole numbers"),
        f"The dtype is {dtype}: it has no derivative where it changes, and none but 0 elsewhere.",
        ("Return the numbers that are compared, np.max(np.abs(a - b)) in place of np.allclose(a, b), say"
         if truth else "Return the values that are counted or found (x.max() in place of x.argmax(), say)")
        + "; has_aux=True carries along what is not differentiated.",
    )  # fmt: skip


def require_traced(kind: str, output: Tensor) -> None:
    """As `require_continuous`, for what a function returned at symbols; whole numbers without any are constants."""
    if type(output) is Symbol or output._data.dtype.kind == "b":
        require_continuous(kind, output._data.dtype)


def complex_arguments(kind: str, inputs: Sequence[Tensor]) -> DTypeError:
    """The error where complex numbers are asked for their derivatives in complex numbers."""
    dtype = next(x._data.dtype for x in inputs if _is_complex(x))
    return DTypeError(
        f"sg.{kind} differentiates with respect to real arguments",
        f"One has dtype {dtype}: there is a derivative along 1 and one along i.",
        f"Of a holomorphic function they are one: sg.{kind}(f, holomorphic=True). Of any other, sg.jvp(f, (z,), (t,)) "
        "gives the derivative along any complex t, and sg.vjp the products from the left.",
    )


def require_number(kind: str, output: Tensor, may_be_complex: bool = False) -> None:
    """Raise unless the output is one real number (or complex, where that may be)."""
    if output._data.ndim:
        shape = "×".join(map(str, named_shape(output)))
        raise ShapeError(
            f"sg.{kind} differentiates functions that return one number; this one returned an array of shape {shape}",
            "grad can be implicitly created only for scalar outputs.",
            "Reduce it to one number (.sum(), or [0] of a single element), or use sg.jacobian.",
        )
    if _is_complex(output) and not may_be_complex:
        raise GradientError(
            f"sg.{kind} differentiates functions that return a real number, and this one returned a complex one",
            f"Its dtype is {output._data.dtype}.",
            "Differentiate .real, .imag or .abs() of it."
            + (f" Of a holomorphic one, sg.{kind}(f, holomorphic=True)." if kind in _HOLOMORPHIC else ""),
        )


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
    """Raise: there is nothing to differentiate."""
    raise FormulaError(f"the function given to {what} returned no array", "", "Return a tensor, an array or a number.")


__all__ = ["OF_ARRAYS", "Run", "none_returned", "require_number", "require_traced", "split", "variable"]

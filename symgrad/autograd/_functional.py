"""Derivatives of functions of several tensors: PyTorch's ``autograd.functional``, and what it checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import GradientError, ShapeError
from ..core import LEAF, Symbol, Tensor, modes, wrap
from ..ops import METHODS
from ..transforms.calls import grad_or_none, jacobian_columns, jacobian_rows, recording, zeros_for

# -------------------------------------------------------------------------------------------------------------------
# What ``autograd.functional`` checks: sizes of vectors, and in strict mode that nothing is independent


def same_shapes(v: Sequence[Any], like: Sequence[Any], many: bool) -> None:
    """Raise unless ``v`` has the number and the shapes of the tensors ``like``."""
    if len(v) != len(like):
        if many:
            raise ShapeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
        raise ShapeError("The given v should contain a single Tensor.")
    for i, (a, b) in enumerate(zip(v, like, strict=True)):
        if a._data.shape != b._data.shape:
            entry = f"Entry {i} in " if many else ""
            raise ShapeError(f"{entry}v has invalid size: should be {b.shape} but got {a.shape}.")


_INDEPENDENT = {
    "outputs": (
        "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "grad_inputs": (
        "The gradient with respect to input {i} is independent of the inputs of the user-provided function. This is "
        "not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} "
        "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
        "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
        "function for example)."
    ),
}


def some_gradient(tensors: Sequence[Any], kind: str) -> None:
    """Strict mode: raise where an intermediate result does not depend on anything differentiable."""
    for i, t in enumerate(tensors):
        if t is None:
            raise GradientError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode."
            )
        if t._node is None:
            raise GradientError(_INDEPENDENT[kind].format(i=i))


_UNUSED = {
    "back": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "back_trick": (
        "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients. This is not allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
    "jacobian": (
        "Output {o} of the user-provided function is independent of input {i}. This is not allowed in strict mode."
    ),
}


def all_used(found: Sequence[Any], create_graph: bool, stage: str, output: int = 0) -> None:
    """Strict mode: raise where a result is zero because nothing leads there."""
    for i, g in enumerate(found):
        if g is None:
            raise GradientError(_UNUSED[stage].format(i=i, o=output))
        if create_graph and g._node is None:
            what = "hessian" if stage.startswith("double") else "jacobian"
            raise GradientError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )


# ------------------------------------- Derivatives of functions of several tensors: PyTorch's ``autograd.functional``

# The one idea: the function is called at fresh copies of the inputs (views of them, with ``create_graph=True``), and
# `autograd.grad` does the rest. One input or output is given back as a tensor, a tuple of them as a tuple.


_OUTPUTS = "outputs of the user-provided function"


def _tensors(value: Any, what: str, name: str) -> tuple[bool, tuple[Any, ...]]:
    """Whether ``value`` is a tuple, and the tuple of tensors that it is or stands for."""
    many = isinstance(value, tuple)
    values = value if many else (value,)
    for i, v in enumerate(values):
        if not isinstance(v, Tensor):
            which = f"value at index {i} has" if many else f"given {what} has"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} type "
                f"{type(v)}."
            )
    return many, values


def _copies(tensors: tuple[Any, ...], create_graph: bool, requires_grad: bool) -> tuple[Any, ...]:
    """New tensors for the inputs: told apart from the same tensors captured by the function."""
    return tuple(
        METHODS["view_as"](t, t) if create_graph and t._node is not None
        else t.detach().requires_grad_(requires_grad)
        for t in tensors
    )  # fmt: skip


def _shape(values: Any, many: bool, create_graph: bool) -> Any:
    """The results as the caller gave the inputs; without history unless he asked for it."""
    values = tuple(v if create_graph or v._node is None or type(v) is Symbol else wrap(v._data) for v in values)
    return values if many else values[0]


def _from(outputs: Any, inputs: Any, seeds: Any, create_graph: bool) -> list[Any]:
    """A sweep from those of the outputs that depend on something."""
    pairs = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o is not None]
    return grad_or_none([o for o, _ in pairs], inputs, [s for _, s in pairs], create_graph, create_graph)


class _Problem:
    """A function at copies of its inputs: what the functions below begin with."""

    def __init__(self, name: str, func: Any, inputs: Any, v: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.many_inputs, tensors = _tensors(inputs, "inputs", name)
        self.inputs = _copies(tensors, create_graph, True)
        self.v = None if v is None else _copies(_tensors(v, "v", name)[1], create_graph, False)
        self.many_outputs, self.outputs = _tensors(func(*self.inputs), _OUTPUTS, name)
        if strict:
            some_gradient(self.outputs, "outputs")

    def vector_of_inputs(self) -> None:
        """Check ``v`` against the inputs; leaving it out stands for 1 where there is one number."""
        self._vector(self.inputs, self.many_inputs, "input to the user-provided function is")

    def vector_of_outputs(self) -> None:
        """Check ``v`` against the outputs."""
        self._vector(self.outputs, self.many_outputs, "user-provided function returns")

    def _vector(self, like: tuple[Any, ...], many: bool, which: str) -> None:
        if self.v is not None:
            same_shapes(self.v, like, many)
        elif len(like) != 1 or like[0]._data.size != 1:
            raise GradientError(f"The vector v can only be None if the {which} a single Tensor with a single element.")

    def gradient(self) -> list[Any]:
        """The gradient of the one number that the function returns, to be differentiated."""
        if self.many_outputs:
            raise GradientError(f"The function given to {self.name} should return a single Tensor")
        if self.outputs[0]._data.size != 1:
            what = f"The Tensor returned by the function given to {self.name}"
            raise ShapeError(f"{what} should contain a single element")
        grads = grad_or_none(self.outputs, self.inputs, [None], True, True)
        if self.strict:
            some_gradient(grads, "jacobian")
        return grads

    def pull(self, outputs: Any, inputs: Any, seeds: Any, like: Any, stage: str) -> tuple[Any, ...]:
        """The last sweep, with zeros for what is independent (an error in strict mode)."""
        with recording() if self.create_graph else recording(modes.grad_enabled()):
            found = _from(outputs, inputs, seeds, self.create_graph)
        if self.strict:
            all_used(found, self.create_graph, stage)
        return tuple(zeros_for(found, like))

    def result(self, product: tuple[Any, ...], many: bool) -> tuple[Any, Any]:
        """The pair (outputs, product), each in the form that the caller knows."""
        return _shape(self.outputs, self.many_outputs, self.create_graph), _shape(product, many, self.create_graph)


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product vᵀJ of a vector and the Jacobian.

    Parameters
    ----------
    func : function of tensors that returns a tensor or a tuple of tensors
    inputs : tensor or tuple of tensors
    v : of the shapes of the outputs; may be left out where there is one number
    create_graph : let the results be differentiated
    strict : raise where an output does not depend on an input, instead of giving zeros

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.functional.vjp(lambda x: x ** 2, sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with recording():
        problem = _Problem("vjp", func, inputs, v, create_graph, strict)
        problem.vector_of_outputs()
    seeds = problem.v or [None]
    product = problem.pull(problem.outputs, problem.inputs, seeds, problem.inputs, "back")
    return problem.result(product, problem.many_inputs)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``func(*inputs)`` and the product Jv of the Jacobian and a vector.

    Parameters as in `vjp`, ``v`` of the shapes of the inputs. It is computed as the reverse of v ↦ vᵀJ, which is
    linear: two sweeps.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.functional.jvp(lambda x: x ** 2, sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with recording():
        problem = _Problem("jvp", func, inputs, v, create_graph, strict)
        problem.vector_of_inputs()
        seeds = [wrap(np.zeros_like(o._data), LEAF) for o in problem.outputs]
        grads = grad_or_none(problem.outputs, problem.inputs, seeds, True, True)
        if strict:
            some_gradient(grads, "grad_inputs")
    product = problem.pull(grads, seeds, problem.v or [None], problem.outputs, "back_trick")
    return problem.result(product, problem.many_outputs)


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``func(*inputs)``, one number, and the product vᵀH of a vector and the Hessian.

    Parameters as in `vjp`, ``v`` of the shapes of the inputs. Cost: two sweeps; cheaper than `hvp`, and the same
    where second derivatives are continuous.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.functional.vhp(lambda x: (x ** 3).sum(), sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    (tensor(9.), tensor([  6., 120.]))
    """
    with recording():
        problem = _Problem("vhp", func, inputs, v, create_graph, strict)
        problem.vector_of_inputs()
        grads = problem.gradient()
    product = problem.pull(grads, problem.inputs, problem.v or [None], problem.inputs, "double_back")
    return problem.result(product, problem.many_inputs)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return ``func(*inputs)``, one number, and the product Hv of the Hessian and a vector.

    Parameters as in `vhp`. Cost: three sweeps.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.functional.hvp(lambda x: (x ** 3).sum(), sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    (tensor(9.), tensor([  6., 120.]))
    """
    with recording():
        problem = _Problem("hvp", func, inputs, v, create_graph, strict)
        problem.vector_of_inputs()
        grads = problem.gradient()
        seeds = [wrap(np.zeros_like(x._data), LEAF) for x in problem.inputs]
        double = _from(grads, problem.inputs, seeds, True)
    product = problem.pull(double, seeds, problem.v or [None], problem.inputs, "double_back_trick")
    return problem.result(product, problem.many_inputs)


_STRATEGIES = ("forward-mode", "reverse-mode")


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian of a function of tensors.

    Parameters
    ----------
    func : function of tensors that returns a tensor or a tuple of tensors
    inputs : tensor or tuple of tensors
    create_graph : let the Jacobian be differentiated
    strict : raise where an output does not depend on an input, instead of giving zeros
    vectorize : accepted; values are the same
    strategy : 'reverse-mode' (a sweep per element of the outputs) or 'forward-mode' (a sweep per element of the inputs)

    Returns
    -------
    For one input and one output a tensor of shape ``output.shape + input.shape``. For several inputs a tuple, for
    several outputs a tuple; for both ``result[i][j]`` is output i by input j.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.autograd.functional import jacobian
    >>> jacobian(lambda x: x ** 2, sg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    >>> x = sg.tensor(2.0, requires_grad=True, name="x")
    >>> print(jacobian(lambda x: x ** 3, x, create_graph=True).formula())
    3x²
    """
    if strategy not in _STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    forward = strategy == "forward-mode"
    _refuse(create_graph, strict, vectorize, forward)
    with recording():
        problem = _Problem("jacobian", func, inputs, None, create_graph, strict)
        blocks = (jacobian_columns if forward else jacobian_rows)(problem.outputs, problem.inputs, create_graph)
    result = []
    for i, (out, row) in enumerate(zip(problem.outputs, blocks, strict=True)):
        if strict:
            all_used(row, create_graph, "jacobian", i)
        filled = zeros_for(row, problem.inputs, out._data.shape)
        result.append(_shape(filled, problem.many_inputs, create_graph))
    return tuple(result) if problem.many_outputs else result[0]


def _refuse(create_graph: bool, strict: bool, vectorize: bool, forward: bool) -> None:
    """Combinations that PyTorch does not have."""
    name = "torch.autograd.functional.jacobian"
    if forward and create_graph:
        raise NotImplementedError(
            f'{name}: `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please '
            'either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if forward and strict:
        raise GradientError(
            f'{name}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
            '`strict=False` or `strategy="reverse-mode"`.'
        )
    if forward and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
            "`vectorize=True`."
        )
    if vectorize and strict:
        raise GradientError(
            f"{name}: `strict=True` and `vectorized=True` are not supported together. Please either set "
            "`strict=False` or `vectorize=False`."
        )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a function that returns one number.

    Parameters as in `jacobian`; ``outer_jacobian_strategy`` is that of the second derivative.

    Returns
    -------
    For one input a tensor of shape ``input.shape + input.shape``; for a tuple of inputs a tuple of tuples of blocks.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.autograd.functional.hessian(lambda x: x.prod() ** 2, sg.tensor([1.0, 2.0]))
    tensor([[8., 8.],
            [8., 2.]])
    """
    many, _ = _tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in _STRATEGIES:
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def one_number(*args: Any) -> Any:
        out = func(*args)
        many_outputs, tensors = _tensors(out, _OUTPUTS, "hessian")
        if strict:
            some_gradient(tensors, "outputs")
        if many_outputs:
            raise GradientError("The function given to hessian should return a single Tensor")
        if out._data.size != 1:
            raise ShapeError("The Tensor returned by the function given to hessian should contain a single element")
        return METHODS["reshape"](out, ())

    def gradient(*args: Any) -> Any:
        result = jacobian(one_number, args if many else args[0], create_graph=True)
        if strict:
            some_gradient(result if many else (result,), "jacobian")
        return result

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)

"""What ``autograd.functional`` checks: sizes of vectors, and in strict mode that nothing is independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import GradientError, ShapeError


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

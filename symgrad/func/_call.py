"""One call of a function at a transform's own variables: what all transforms of `symgrad.func` begin with."""

from __future__ import annotations

from typing import Any

from .._errors import DTypeError, GradientError
from ..core import Tensor
from ..transforms._tree import flatten
from ..transforms._variables import Variables, all_plain, as_variable
from ._argnums import pick, replace


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
        self.variables = Variables(self.inputs, all_plain((args, kwargs)))
        result = self.variables.run(
            lambda chosen: func(*(chosen if argnums is None else replace(args, argnums, chosen)), **kwargs), self.spec
        )
        self.aux: Any = None
        if has_aux:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise GradientError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
            result, self.aux = result
        self.output = result
        self.outputs, self.output_spec = flatten(result)

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

    def with_aux(self, *results: Any, has_aux: bool) -> Any:
        """The results, and what the function returned beside its output."""
        if has_aux:
            results = (*results, self.release(self.aux))
        return results if len(results) > 1 else results[0]

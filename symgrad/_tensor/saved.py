"""What a node saved, under PyTorch's names: ``y.grad_fn._saved_self``, and hooks for one saved value.

The idea to hold: a row's ``saved`` and its parameters say what there is; PyTorch's name for it is ``self`` for the
first operand, ``other`` for the second and ``result`` for the output, unless the row is among `_NAMES`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import (
    Freed,
    Node,
    Packed,
    Tensor,
    keep_saved,
    meta,
    modes,
    packed,
    params_of,
    saved_as_tensor,
    saved_values,
    setting,
    shapes_of,
    unpacked,
    wrap,
)
from ..sweep import check_unspoilt
from .function_node import FunctionNode

_USUAL = {"x": "self", "a": "self", "b": "other", "y": "result", "low": "min", "high": "max", "base": "self"}
_NAMES: dict[str, dict[str, str]] = {
    "mm": {"b": "mat2"}, "bmm": {"b": "mat2"}, "mv": {"b": "vec"}, "dot": {"b": "tensor"},
    "addmm": {"a": "mat1", "b": "mat2"}, "addmv": {"a": "mat", "b": "vec"}, "addr": {"a": "vec1", "b": "vec2"},
    "baddbmm": {"a": "batch1", "b": "batch2"}, "addbmm": {"a": "batch1", "b": "batch2"},
    "addcmul_value": {"b": "tensor1", "c": "tensor2"}, "addcdiv_value": {"b": "tensor1", "c": "tensor2"},
    "lerp": {"b": "end", "c": "weight"}, "lerp_number": {"b": "end"}, "pow_tensor": {"b": "exponent"},
    "pow_reflected": {"b": "exponent"}, "vector_norm": {"p": "ord"}, "inv": {"y": "inverse"},
    "linalg_cholesky": {"y": "L"}, "tril": {"k": "diagonal"}, "triu": {"k": "diagonal"},
    "leaky_relu_slope": {"slope": "negative_slope"}, "solve": {"a": "A", "b": "B"},
    "solve_vector": {"a": "A", "b": "B"},
}  # fmt: skip
for _row in ("max", "min", "sort", "stable_sort", "topk", "median", "nanmedian", "mode", "kthvalue", "cummax"):
    _NAMES[f"{_row}_dim"] = {"index": "indices"}
_NAMES["cummin_dim"] = _NAMES["index"] = _NAMES["index_put"] = {"index": "indices"}
_ALPHA: dict[str, Any] = {"alpha": lambda node: 1}
_NUMEL: dict[str, Any] = {"self_sym_numel": lambda node: math.prod(shapes_of(node)[0])}
_COMPUTED = {"add": _ALPHA, "sub": _ALPHA, "mean": _NUMEL, "mean_dim": _NUMEL}


def _of_index(node: Any) -> dict[str, Any]:
    """What PyTorch keeps of the last step of basic indexing: the dimension, of what the steps before leave, and what is
    taken there."""
    (index,) = params_of(node)
    parts = index if isinstance(index, tuple) else (index,)
    if Ellipsis in parts:
        k, rest = parts.index(Ellipsis), len(shapes_of(node)[0]) - len(parts) + 1
        parts = (*parts[:k], *[slice(None)] * rest, *parts[k + 1 :])
    chosen = [(k, p) for k, p in enumerate(parts) if p != slice(None)]
    if None in parts or not chosen:
        return {}
    k, last = chosen[-1]
    dim = k - sum(not isinstance(p, slice) for p in parts[:k])
    if not isinstance(last, slice):
        return {"dim": dim, "index": last}
    start, end = last.start or 0, sys.maxsize if last.stop is None else last.stop
    return {"dim": dim, "start": start, "end": end, "step": last.step or 1}


_OF_INDEX = ("dim", "index", "start", "end", "step")
_OUTPUTS = {"eigh": ("eigenvalues", "eigenvectors"), "svd": ("U", "S", "Vh"), "qr": ("Q", "R")}


@cache
def _names(op: Any) -> dict[str, Any]:
    """PyTorch's names of what a node of ``op`` has, and ours: an operand, a parameter, or the number of an output."""
    theirs = {**_USUAL, **_NAMES.get(op.name, {})}
    ours = dict.fromkeys((*op.saved, *op.params))
    names: dict[str, Any] = {theirs.get(n, n): n for n in ours if not (n == "y" and op.outputs)}
    if "y" in op.saved:
        names |= {name: k for k, name in enumerate(_OUTPUTS.get(op.name, ()))}
    names |= _COMPUTED.get(op.name, {})
    return names | ({"self_sym_sizes": ()} if op.sized and not op.variadic else {})


def _names_of(node: Any) -> dict[str, Any]:
    names = _names(node.op)
    if node.op.name != "getitem" or not (found := _of_index(node)):
        return names
    return {n: ours for n, ours in names.items() if n != "index"} | {n: lambda _, v=v: v for n, v in found.items()}


def _require_kept(node: Node) -> None:
    if type(node.saved) is Freed:
        raise node.saved.error(node)
    check_unspoilt(node, saved_values(node))


def _saved(node: Any, name: Any) -> Any:
    """What a node has under one of our names."""
    op = node.op
    if callable(name):
        return name(node)
    if name == ():
        return shapes_of(node)[0]
    if name in op.params:
        value = params_of(node)[op.params.index(name)]
        return wrap(value) if type(value) is np.ndarray else value
    _require_kept(node)
    if node.saved is None:
        return None
    key = "y" if isinstance(name, int) else name
    value = unpacked(saved_values(node)[op.saved.index(key)])
    if isinstance(name, int):
        return saved_as_tensor(node, "y", value)[name]
    value = value if value is None else saved_as_tensor(node, name, value)
    return value if value is None or isinstance(value, (Tensor, tuple)) else wrap(np.asarray(value))


class SavedTensor:
    """The place of one value that a node saved, for hooks of its own."""

    def __init__(self, node: Node, index: int) -> None:
        self._node, self._index = node, index

    def register_hooks(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        """Keep what ``pack_hook`` makes of the value, now; ``unpack_hook`` makes the value again when it is needed.

        Examples
        --------
        >>> import symgrad as sg
        >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
        >>> y = x ** 2
        >>> y.grad_fn._raw_saved_self.register_hooks(lambda t: t.numpy().tolist(), sg.tensor)
        >>> y.grad_fn._saved_self
        tensor([1., 2.], requires_grad=True)
        """
        node, what = self._node, "Calling register_hooks on a saved tensor"
        if type(node.saved) is Freed:
            raise GradientError(
                f"{what} after it has been freed.", "The first backward used it up.", "Specify retain_graph=True there."
            )
        values = list(saved_values(node))
        if not values or values[self._index] is None:
            raise GradientError(f"{what} with value None is forbidden")
        if type(values[self._index]) is Packed:
            raise GradientError(
                f"{what} whose hooks have already been set. Hint: only one pair of hooks is allowed at a time."
            )
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError("register_hooks(): pack_hook and unpack_hook must be functions")
        with setting(modes.mode, modes.OFF):
            values[self._index] = packed(values[self._index], pack_hook, unpack_hook)
        keep_saved(node, tuple(values))
        meta(node).packed = True


def _attribute(name: str, raw: bool) -> property:
    """``_saved_…`` or ``_raw_saved_…`` of the nodes that have it."""

    def get(node: Any) -> Any:
        ours = _names_of(node).get(name)
        if ours is not None and not raw:
            return _saved(node, ours)
        if ours is not None and _is_raw(node.op, ours):
            return SavedTensor(node, node.op.saved.index(ours))
        raise AttributeError(f"{type(node).__name__!r} object has no attribute '{'_raw' if raw else ''}_saved_{name}'")

    return property(get)


def _is_raw(op: Any, ours: Any) -> bool:
    return ours in op.saved and ours not in op.params


def _attributes(self: Any) -> list[str]:
    saved = _names_of(self) if self.op is not None else {}
    raw = [n for n, ours in saved.items() if _is_raw(self.op, ours)]
    others = [n for n in object.__dir__(self) if not n.startswith(("_saved_", "_raw_saved_"))]
    return [*others, *(f"_saved_{n}" for n in saved), *(f"_raw_saved_{n}" for n in raw)]


def _raw_saved_tensors(self: Any) -> tuple[SavedTensor, ...]:
    """The places of what a user-defined operation saved."""
    _require_kept(self)
    return tuple([SavedTensor(self, i) for i in range(len(saved_values(self)))])


def _name_saved(node_class: Any) -> None:
    """Give the nodes of a row properties for what they save: a `__getattr__` would make every access to a node's parts
    slower."""
    op = vars(node_class).get("op")
    for name in () if op is None else {*_names(op), *(_OF_INDEX if op.name == "getitem" else ())}:
        setattr(node_class, f"_saved_{name}", _attribute(name, False))
        setattr(node_class, f"_raw_saved_{name}", _attribute(name, True))


Node.__init_subclass__ = classmethod(_name_saved)  # type: ignore[assignment]
Node.__dir__ = _attributes  # type: ignore[method-assign]
FunctionNode._raw_saved_tensors = property(_raw_saved_tensors)  # type: ignore[attr-defined]

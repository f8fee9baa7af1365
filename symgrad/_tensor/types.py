"""PyTorch's oldest names, of a tensor and its dtype in one: ``sg.LongTensor([1, 2])``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import TENSOR_TYPES, Size, dtype
from ..core import Tensor, plain_array, wrap
from .describe import make_member


class TensorType:
    """Tensors of one dtype: call it to make one, of data or of sizes; ask `isinstance`; pass it for the dtype.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.LongTensor([1, 2])
    >>> x.dtype, isinstance(x, sg.LongTensor), x.type(sg.FloatTensor).dtype
    (symgrad.int64, True, symgrad.float32)
    """

    __name__: str

    def __init__(self, name: str) -> None:
        self.__name__, self.__module__ = name, "symgrad"
        self.dtype: Any = dtype(TENSOR_TYPES[name])

    def __call__(self, *args: Any) -> Tensor:
        return make_typed(args, self.dtype.dtype)

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype is self.dtype

    def __reduce__(self) -> str:
        return self.__name__  # there is one of each: pickle and copy look it up

    def __repr__(self) -> str:
        return f"<class 'symgrad.{self.__name__}'>"


def make_typed(args: tuple[Any, ...], own: np.dtype[Any]) -> Tensor:
    """The tensor of ``(data,)``, or an uninitialised one of these sizes."""
    if len(args) == 1 and isinstance(args[0], Size):
        args = args[0]
    elif len(args) == 1 and not isinstance(args[0], int):
        data = args[0]._data if isinstance(args[0], Tensor) else args[0]
        return wrap(np.array(plain_array(data) if isinstance(data, np.ndarray) else data, dtype=own))
    return wrap(np.empty(args or (0,), dtype=own))


@make_member
def new(self: Tensor, *args: Any) -> Tensor:
    """Return a tensor of this one's dtype: of data, or of sizes, with no values yet; PyTorch's oldest `new_tensor`.

    Parameters
    ----------
    args : data, or sizes

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.ones(2, dtype=sg.float32)
    >>> x.new([1, 2]), x.new(2, 3).shape, x.new(x.size()).shape
    (tensor([1., 2.], dtype=symgrad.float32), symgrad.Size([2, 3]), symgrad.Size([2]))
    """
    return make_typed(args, self._data.dtype)


DoubleTensor: TensorType = TensorType("DoubleTensor")
FloatTensor: TensorType = TensorType("FloatTensor")
HalfTensor: TensorType = TensorType("HalfTensor")
LongTensor: TensorType = TensorType("LongTensor")
IntTensor: TensorType = TensorType("IntTensor")
ShortTensor: TensorType = TensorType("ShortTensor")
CharTensor: TensorType = TensorType("CharTensor")
ByteTensor: TensorType = TensorType("ByteTensor")
BoolTensor: TensorType = TensorType("BoolTensor")

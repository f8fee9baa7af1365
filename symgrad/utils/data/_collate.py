"""Making a batch of examples: of tensors a tensor with one more dimension, of containers a container of batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ... import ops
from ...core import Tensor

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Sequence[Any]) -> Any:
    """Make one batch of examples of the same kind.

    Parameters
    ----------
    batch : sequence
        Tensors, arrays or numbers (which are stacked), strings (which are listed), or mappings and sequences of these.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.utils.data.default_collate([(sg.ones(2), 0), (sg.zeros(2), 1)])
    [tensor([[1., 1.],
            [0., 0.]]), tensor([0, 1])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return ops.stack(list(batch))
    if isinstance(first, bool | int | float | complex) or _is_numeric(first):
        return ops.as_tensor(np.stack(batch))
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, Mapping):
        return _as_kind(type(first), {key: default_collate([example[key] for example in batch]) for key in first})
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first)}\nPass a collate_fn of your own to DataLoader."
    )


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "SUO"


def _as_kind(kind: Callable[..., Any], made: dict[Any, Any]) -> Any:
    """Return a mapping of the kind that was given, where that can be made of a dictionary."""
    try:
        return kind(made)
    except TypeError:
        return made


def default_convert(data: Any) -> Any:
    """Make tensors of the arrays in an example; what is nothing that can hold arrays stays as it is."""
    if _is_numeric(data):
        return ops.as_tensor(data)
    if isinstance(data, Mapping):
        return _as_kind(type(data), {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        parts = [default_convert(part) for part in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    return data

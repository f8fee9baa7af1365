"""Sequences of unequal lengths in one batch: PyTorch's ``nn.utils.rnn``.

The idea to hold: a `PackedSequence` lists the elements of all sequences time by time, the longest sequence first, so
that at each time those that go on stand at the beginning. Its places in a padded batch are plain arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import ops
from ..._errors import ShapeError
from ...core import Tensor, wrap
from ...ops import set_public_names as _settle

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


def _converted(name: str, *dtype: Any) -> Any:
    def method(self: PackedSequence, *args: Any, **kwargs: Any) -> PackedSequence:
        return self._replace(data=self.data.to(*dtype, *args, **kwargs))

    method.__name__, method.__doc__ = name, "Convert the elements, as `Tensor.to` would."
    return method


class PackedSequence(_Packed):
    """The elements of several sequences, time by time, without padding; made by `pack_padded_sequence`."""

    __slots__ = ()
    is_cuda = False

    to: Callable[..., PackedSequence]
    double: Callable[..., PackedSequence]
    float: Callable[..., PackedSequence]
    half: Callable[..., PackedSequence]
    long: Callable[..., PackedSequence]
    int: Callable[..., PackedSequence]
    short: Callable[..., PackedSequence]
    char: Callable[..., PackedSequence]
    byte: Callable[..., PackedSequence]
    to = _converted("to")
    double, float = _converted("double", np.float64), _converted("float", np.float32)
    half, long = _converted("half", np.float16), _converted("long", np.int64)
    int, short = _converted("int", np.int32), _converted("short", np.int16)
    char, byte = _converted("char", np.int8), _converted("byte", np.uint8)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return the sequences: they are on the CPU already."""
        return self.to(*args, **kwargs) if args or kwargs else self

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Raise: symgrad runs on the CPU."""
        return self._replace(data=self.data.cuda())

    def pin_memory(self) -> PackedSequence:
        """Return the sequences themselves (for scripts that call it)."""
        return self

    def is_pinned(self) -> bool:
        """Return False."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes one."""
    return None if permutation is None else wrap(np.argsort(permutation.numpy()))


def mask_of(packed: PackedSequence) -> np.ndarray:
    """Say at which times which sequences (longest first) go on: (time, batch)."""
    sizes = packed.batch_sizes.numpy()
    return np.arange(sizes[0]) < sizes[:, None]


def padded(packed: PackedSequence, value: float = 0.0, length: int | None = None) -> Tensor:
    """Return the batch (time, batch, ...) with the longest sequence first, `value` where a sequence has ended."""
    going = mask_of(packed)
    going = going if length is None else np.pad(going, ((0, length - len(going)), (0, 0)))
    batch = ops.full((going.size, *packed.data.shape[1:]), value, dtype=packed.data.dtype)
    batch = ops.index_put(batch, (wrap(np.flatnonzero(going)),), packed.data)
    return batch.reshape(*going.shape, *packed.data.shape[1:])


def packed_again(batch: Tensor, like: PackedSequence) -> PackedSequence:
    """Take from a batch (time, batch, ...) what is not padding."""
    places = np.flatnonzero(mask_of(like))
    return like._replace(data=batch.flatten(0, 1).index_select(0, wrap(places)))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch.

    Parameters
    ----------
    input : Tensor, shape (time, batch, ...), with `batch_first` (batch, time, ...)
        The batch.
    lengths : Tensor or sequence of int
        The length of each sequence.
    batch_first : bool
        Whether the batch is the first dimension.
    enforce_sorted : bool
        Whether the sequences must come longest first; without, they are sorted, and sorted back where they end.
    """
    counts = np.array([int(n) for n in lengths])
    batch = input.transpose(0, 1) if batch_first else input
    if len(counts) != batch.shape[1]:
        raise ShapeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={batch.shape[1]})"
        )
    if counts.min(initial=1) <= 0:
        raise ShapeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if counts.max(initial=0) > batch.shape[0]:
        raise ShapeError(f"Expected lengths of at most {batch.shape[0]}, the time of the batch; got {counts.max()}")
    order = None
    if not enforce_sorted:
        order = wrap(np.argsort(-counts, kind="stable"))
        batch, counts = batch.index_select(1, order), counts[order.numpy()]
    elif (np.diff(counts) > 0).any():
        raise ShapeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True.",
            f"They are {counts.tolist()}.", "Pass enforce_sorted=False.",
        )  # fmt: skip
    sizes = (counts > np.arange(counts.max())[:, None]).sum(1)
    like = PackedSequence(batch, wrap(sizes), order, invert_permutation(order))
    return packed_again(batch[: len(sizes)], like)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the padded batch of a packed one, and the lengths.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.nn.utils import rnn
    >>> packed = rnn.pack_sequence([sg.tensor([1.0, 2.0]), sg.tensor([3.0])])
    >>> packed.data, packed.batch_sizes
    (tensor([1., 3., 2.]), tensor([2, 1]))
    >>> rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1., 2.],
            [3., 0.]]), tensor([2, 1]))
    """
    longest = sequence.batch_sizes.shape[0]
    if total_length is not None and total_length < longest:
        raise ValueError(
            f"Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    batch, lengths = padded(sequence, padding_value, total_length), wrap(mask_of(sequence).sum(0))
    if sequence.unsorted_indices is not None:
        batch = batch.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return batch.transpose(0, 1) if batch_first else batch, lengths


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack sequences of unequal lengths, filled up to the longest.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.utils.rnn.pad_sequence([sg.ones(2), sg.ones(3)], batch_first=True)
    tensor([[1., 1., 0.],
            [1., 1., 1.]])
    """
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side must be 'left' or 'right', got {padding_side!r}")
    parts = list(sequences)
    longest = max(part.shape[0] for part in parts)

    def filled(part: Tensor) -> Tensor:
        more = longest - part.shape[0]
        sides = (more, 0) if padding_side == "left" else (0, more)
        return ops.pad(part, (*(0, 0) * (part.ndim - 1), *sides), value=padding_value)

    return ops.stack([filled(part) for part in parts], 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """Cut a padded batch into its sequences."""
    batch = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(n)] for row, n in zip(batch, lengths, strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of unequal lengths."""
    return pack_padded_sequence(
        pad_sequence(sequences), [part.shape[0] for part in sequences], enforce_sorted=enforce_sorted
    )


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed batch."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))


_settle(__name__, globals(), __all__)

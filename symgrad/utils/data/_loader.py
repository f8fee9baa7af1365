"""`DataLoader`: batches of a dataset, made of examples, one after another, in this process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ... import ops
from ..._errors import compose
from ...core import Tensor
from ._datasets import BatchSampler, IterableDataset, RandomSampler, SequentialSampler

# -------------------------------------------------------------------------------------------------------------------
# Making a batch of examples: of tensors a tensor with one more dimension, of containers a container of batches


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


# --------------------------------------------- `DataLoader`: batches of a dataset, one after another, in this process


class DataLoader:
    """Iterate over batches of a dataset.

    Parameters
    ----------
    dataset : Dataset
        What has ``__getitem__`` and ``__len__``, or an `IterableDataset`.
    batch_size : int, optional
        How many examples a batch has; None gives single examples.
    shuffle : bool, optional
        Whether the order is random, and another one in each round.
    sampler, batch_sampler : iterable of int, of list of int, optional
        The order, instead of `shuffle`; and that with the batches made.
    num_workers : int
        There are no other processes: with more than 0 a warning says that batches are made in this one.
    collate_fn : callable, optional
        What makes a batch of a list of examples; `default_collate` if left out.
    drop_last : bool
        Whether a last batch that is shorter is left out.
    generator : Generator, optional
        What the order is drawn from.
    pin_memory, timeout, worker_init_fn, multiprocessing_context, pin_memory_device, in_order
        Accepted as in PyTorch; they are about other devices and processes.
    prefetch_factor, persistent_workers
        Refused as PyTorch refuses them without workers.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.utils.data import DataLoader, TensorDataset
    >>> data = TensorDataset(sg.arange(5.0), sg.arange(5))
    >>> for x, y in DataLoader(data, batch_size=2):
    ...     print(x, y)
    tensor([0., 1.]) tensor([0, 1])
    tensor([2., 3.]) tensor([2, 3])
    tensor([4.]) tensor([4])
    """

    dataset: Any
    batch_size: int | None
    drop_last: bool
    num_workers: int
    pin_memory: bool
    generator: Any

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Any = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _expect_one_process(num_workers, prefetch_factor, persistent_workers)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.pin_memory, self.generator = num_workers, pin_memory, generator
        self._by_number = not isinstance(dataset, IterableDataset)
        if not self._by_number and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                "DataLoader with IterableDataset: expected unspecified shuffle, sampler and batch_sampler options: "
                "the dataset itself says in which order it is read"
            )
        if sampler is None and self._by_number:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(() if sampler is None else sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        batches = batch_sampler is not None
        self.collate_fn: Callable[[Any], Any] = collate_fn or (default_collate if batches else default_convert)

    def __iter__(self) -> Iterator[Any]:
        if not self._by_number:
            yield from map(self.collate_fn, self._examples())
        elif self.batch_sampler is None:
            for i in self.sampler:  # type: ignore[union-attr]
                yield self.collate_fn(self.dataset[i])
        else:
            several = getattr(self.dataset, "__getitems__", lambda numbers: [self.dataset[i] for i in numbers])
            for numbers in self.batch_sampler:
                yield self.collate_fn(several(numbers))

    def __len__(self) -> int:
        if self._by_number:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        return len(self._examples())

    def _examples(self) -> Any:
        """The examples of a dataset without numbers, or lists of them."""
        return self.dataset if self.batch_size is None else BatchSampler(self.dataset, self.batch_size, self.drop_last)


def _expect_one_process(num_workers: int, prefetch_factor: int | None, persistent_workers: bool) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if num_workers:
        said = f"DataLoader(num_workers={num_workers}): there are no worker processes"
        warnings.warn(compose(said, "", "Batches are made in this process; num_workers=0 says so."), stacklevel=3)
        return
    if prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing; there are no workers")
    if persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0; there are no workers")


def get_worker_info() -> None:
    """Return None, as in PyTorch outside of a worker process."""
    return None

"""Samplers: in which order the examples of a dataset are read."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

from ... import ops

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip


class Sampler:
    """Base of samplers: a subclass has ``__iter__``, which gives numbers of examples (or lists of them)."""

    def __class_getitem__(cls, kind: Any) -> Any:  # `Sampler[...]` says what it gives
        return cls

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__: a subclass of Sampler says what it is")


class SequentialSampler(Sampler):
    """All examples in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _positive(count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={count}")
    return count


class RandomSampler(Sampler):
    """Examples in random order.

    Parameters
    ----------
    data_source : Dataset
        With a length.
    replacement : bool
        Whether each draw is from all examples, so that one may come twice.
    num_samples : int, optional
        How many are drawn; as many as there are if left out. Without replacement more of them are several rounds.
    generator : Generator, optional
        What is drawn from.
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.replacement, self._num_samples = data_source, replacement, num_samples
        self.generator = generator
        _positive(self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, left = len(self.data_source), self.num_samples
        while left > 0:
            if self.replacement:
                order = ops.randint(count, (min(left, 1024),), generator=self.generator).tolist()
            else:
                order = ops.randperm(count, generator=self.generator).tolist()
            yield from order[:left]
            left -= len(order)

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given numbers in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in ops.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers drawn with probabilities in proportion to weights.

    Parameters
    ----------
    weights : sequence of float
        One per example.
    num_samples : int
        How many are drawn.
    replacement : bool
        Whether an example may come twice.
    generator : Generator, optional
        What is drawn from.
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        self.weights = ops.as_tensor(weights).double()
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples, self.replacement, self.generator = _positive(num_samples), replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = ops.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` numbers of another sampler; a shorter last one is dropped if `drop_last`.

    Examples
    --------
    >>> import symgrad as sg
    >>> data = sg.utils.data
    >>> list(data.BatchSampler(data.SequentialSampler(range(5)), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(count // -self.batch_size)

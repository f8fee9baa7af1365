"""Datasets, and in which order their examples are read."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

from ... import ops
from ..._errors import ShapeError

# -------------------------------------------------------- Datasets: what has examples by number, or one after another


class Dataset:
    """Base of datasets with examples by number: a subclass has ``__getitem__``, and as a rule ``__len__``."""

    def __class_getitem__(cls, kind: Any) -> Any:  # `Dataset[...]` says what an example is
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__: a subclass of Dataset says what it is")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Base of datasets that are read one example after another: a subclass has ``__iter__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__: a subclass says what it is")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of tensors of equal length.

    Examples
    --------
    >>> import symgrad as sg
    >>> data = sg.utils.data.TensorDataset(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([0, 1]))
    >>> data[1]
    (tensor([3., 4.]), tensor(1))
    """

    def __init__(self, *tensors: Any) -> None:
        lengths = [tensor.shape[0] for tensor in tensors]
        if len(set(lengths)) > 1:
            raise AssertionError(f"Size mismatch between tensors\nTheir lengths are {lengths}.")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]


class StackDataset(Dataset):
    """The examples of several datasets of equal length side by side: a tuple, or a dictionary for those with names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset takes datasets all with names, or all without")
        self.datasets: Any = kwargs or args
        lengths = [len(dataset) for dataset in self._listed()]
        if len(set(lengths)) > 1:
            raise ValueError(f"Size mismatch between datasets: their lengths are {lengths}")

    def _listed(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return len(self._listed()[0])


class Subset(Dataset):
    """The examples of a dataset with the given numbers."""

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Datasets one behind the other.

    Examples
    --------
    >>> import symgrad as sg
    >>> both = sg.utils.data.ConcatDataset([[1, 2], [3, 4, 5]])
    >>> len(both), both[2], both[-1]
    (5, 3, 5)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset\nUse ChainDataset.")
        self.cumulative_sizes: list[int] = list(itertools.accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} examples")
        index %= len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset):
    """Datasets that are read one example after another, one behind the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.datasets)

    def __len__(self) -> int:
        return sum(map(len, self.datasets))


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Deal the examples of a dataset out at random.

    Parameters
    ----------
    dataset : Dataset
        With a length.
    lengths : sequence of int, or of float
        How many examples each part gets, or which fraction; what rounding leaves is dealt out one by one.
    generator : Generator, optional
        What is drawn from.

    Examples
    --------
    >>> import symgrad as sg
    >>> train, test = sg.utils.data.random_split(range(10), [0.7, 0.3])
    >>> len(train), len(test), sorted([*train, *test]) == list(range(10))
    (7, 3, True)
    """
    counts = list(lengths)
    if math.isclose(sum(counts), 1) and sum(counts) <= 1:
        wrong = [f for f in counts if not 0 <= f <= 1]
        if wrong:
            raise ValueError(f"Fraction {wrong[0]} is not between 0 and 1")
        counts = [math.floor(len(dataset) * f) for f in counts]
        for i in range(len(dataset) - int(sum(counts))):
            counts[i % len(counts)] += 1
        for i, count in enumerate(counts):
            if not count:
                words = f"Length of split at index {i} is 0. This might result in an empty dataset."
                warnings.warn(words, stacklevel=2)
    if sum(counts) != len(dataset):
        raise ShapeError(
            "Sum of input lengths does not equal the length of the input dataset!",
            f"{counts} sum to {sum(counts)}, and there are {len(dataset)} examples.",
        )
    order = ops.randperm(len(dataset), generator=generator).tolist()
    ends = list(itertools.accumulate(map(int, counts)))
    return [Subset(dataset, order[end - int(count) : end]) for end, count in zip(ends, counts, strict=True)]


# -------------------------------------------------------- Samplers: in which order the examples of a dataset are read


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


def _positive(name: str, count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={count}")
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

    data_source: Sized
    replacement: bool

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.replacement, self._num_samples = data_source, replacement, num_samples
        self.generator = generator
        _positive("num_samples", self.num_samples)

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

    indices: Sequence[int]
    generator: Any

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

    num_samples: int
    replacement: bool
    generator: Any

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        self.weights: Any = ops.as_tensor(weights).double()
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples = _positive("num_samples", num_samples)
        self.replacement, self.generator = replacement, generator

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

    sampler: Iterable[int]
    batch_size: int
    drop_last: bool

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
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

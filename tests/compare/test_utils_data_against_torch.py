"""`utils.data` reads and refuses what PyTorch reads and refuses."""

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare


def plain(value):
    """Tensors as their dtype and numbers, bytes as text that says so; containers of them."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return "bytes", value.decode()
    return (str(value.dtype).rpartition(".")[2], value.tolist()) if hasattr(value, "dtype") else value


def of(lib):
    return __import__(f"{lib.__name__}.utils.data", fromlist=["data"])


RUNS = {
    "batches": lambda lib, d: list(d.DataLoader(range(5), 2)),
    "without the last": lambda lib, d: list(d.DataLoader(range(5), 2, drop_last=True)),
    "one by one": lambda lib, d: list(d.DataLoader([np.ones(2), np.zeros(2)], batch_size=None)),
    "single batches": lambda lib, d: list(d.DataLoader(range(2))),
    "rows": lambda lib, d: list(d.DataLoader(d.TensorDataset(lib.ones(3, 2), lib.arange(3)), 2)),
    "mappings": lambda lib, d: list(d.DataLoader([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], 2)),
    "pairs": lambda lib, d: d.default_collate([(1, 2.5), (3, 4.0)]),
    "lists": lambda lib, d: d.default_collate([[1, "a"], [3, "b"]]),
    "booleans": lambda lib, d: d.default_collate([True, False]),
    "arrays": lambda lib, d: d.default_collate([np.arange(2.0), np.arange(2.0)]),
    "scalars of arrays": lambda lib, d: d.default_collate([np.float32(1), np.float32(2)]),
    "text": lambda lib, d: d.default_collate(["a", b"b"]),
    "converted": lambda lib, d: d.default_convert([np.arange(3), ("a", np.float64(2.0))]),
    "batch sampler": lambda lib, d: list(d.BatchSampler(range(7), 3, True)) + list(d.BatchSampler(range(7), 3, False)),
    "joined": lambda lib, d: [d.ConcatDataset([range(2), range(5, 8)])[i] for i in (0, 2, 4, -1, -5)],
    "subset": lambda lib, d: list(d.DataLoader(d.Subset(range(5, 9), [3, 1]), 2)),
    "lengths": lambda lib, d: [len(p) for p in d.random_split(range(11), [0.5, 0.3, 0.2])],
    "own collate": lambda lib, d: list(d.DataLoader(range(3), 2, collate_fn=sum)),
    "stacked": lambda lib, d: list(d.DataLoader(d.StackDataset(a=range(2), b=range(2)), 2)),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_same_is_read(name):
    ours, theirs = both(lambda lib: plain(RUNS[name](lib, of(lib))))
    assert ours == theirs


ERRORS = {
    "batch size": lambda lib, d: d.DataLoader(range(2), batch_size=0),
    "two orders": lambda lib, d: d.DataLoader(range(2), shuffle=True, sampler=[0]),
    "batches twice": lambda lib, d: d.DataLoader(range(2), batch_sampler=[[0]], batch_size=2),
    "no batches": lambda lib, d: d.DataLoader(range(2), batch_size=None, drop_last=True),
    "shuffled nothing": lambda lib, d: d.DataLoader([], shuffle=True),
    "lengths": lambda lib, d: d.TensorDataset(lib.ones(2), lib.ones(3)),
    "sum of lengths": lambda lib, d: d.random_split(range(3), [1, 1]),
    "fractions": lambda lib, d: d.random_split(range(3), [0.5, 0.6]),
    "fraction": lambda lib, d: d.random_split(range(3), [1.5, -0.5]),
    "objects": lambda lib, d: d.default_collate([object()]),
    "unlike lists": lambda lib, d: d.default_collate([[1, 2], [1]]),
    "unlike tensors": lambda lib, d: d.default_collate([lib.ones(2), lib.ones(3)]),
    "no samples": lambda lib, d: d.RandomSampler(range(2), num_samples=0),
    "no weights": lambda lib, d: d.WeightedRandomSampler([1.0], 0),
    "no datasets": lambda lib, d: d.ConcatDataset([]),
    "negative workers": lambda lib, d: d.DataLoader(range(2), num_workers=-1),
    "prefetch": lambda lib, d: d.DataLoader(range(2), prefetch_factor=2),
    "persistent": lambda lib, d: d.DataLoader(range(2), persistent_workers=True),
    "unread dataset": lambda lib, d: d.Dataset()[0],
    "stacked": lambda lib, d: d.StackDataset(range(2), range(3)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_same_is_refused(name):
    with pytest.raises(Exception) as theirs:
        answer("torch", lambda torch: ERRORS[name](torch, of(torch)))
    with pytest.raises(theirs.type):
        ERRORS[name](sg, of(sg))

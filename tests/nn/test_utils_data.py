"""Datasets are read in the order that samplers say, in batches that a loader makes."""

from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pytest

import symgrad as sg
from symgrad.utils import data

Point = namedtuple("Point", "x y")


class Squares(data.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"i": i, "square": float(i * i), "name": str(i)}


class Stream(data.IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))


def numbers(loader):
    return [b.tolist() for b in loader]


def joined(loader):
    return [i for batch in numbers(loader) for i in batch]


def test_batches_come_in_order_and_the_last_is_shorter():
    assert numbers(data.DataLoader(range(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert numbers(data.DataLoader(range(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert numbers(data.DataLoader(range(3))) == [[0], [1], [2]]
    assert len(data.DataLoader(range(5), 2)) == 3 and len(data.DataLoader(range(5), 2, drop_last=True)) == 2
    assert list(data.DataLoader(range(3), batch_size=None)) == [0, 1, 2]


def test_a_loader_is_read_again_from_the_start_in_another_order():
    loader = data.DataLoader(range(50), batch_size=7, shuffle=True, generator=sg.Generator().manual_seed(1))
    first, second = (joined(loader) for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second) == list(range(50))
    again = data.DataLoader(range(50), batch_size=7, shuffle=True, generator=sg.Generator().manual_seed(1))
    assert joined(again) == first


def test_the_process_seed_repeats_a_shuffle():
    orders = []
    for _ in range(2):
        sg.manual_seed(3)
        orders.append(joined(data.DataLoader(range(20), 4, shuffle=True)))
    assert orders[0] == orders[1] != list(range(20))


def test_samplers_of_a_loader():
    assert numbers(data.DataLoader(range(9), 2, sampler=[5, 3, 1])) == [[5, 3], [1]]
    assert numbers(data.DataLoader(range(9), batch_sampler=[[1, 2, 3], [0]])) == [[1, 2, 3], [0]]
    assert list(data.DataLoader(range(9), 2, sampler=[5, 3, 1], collate_fn=tuple)) == [(5, 3), (1,)]


def test_streams_are_cut_into_batches():
    assert numbers(data.DataLoader(Stream(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert numbers(data.DataLoader(Stream(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(data.DataLoader(Stream(2) + Stream(2), batch_size=None)) == [0, 1, 0, 1]
    with pytest.raises(TypeError):
        len(data.DataLoader(Stream(2)))


def test_examples_of_every_kind_are_collated():
    batch = next(iter(data.DataLoader(Squares(3), batch_size=3)))
    assert batch["i"].tolist() == [0, 1, 2] and batch["i"].dtype == sg.int64
    assert batch["square"].tolist() == [0.0, 1.0, 4.0] and batch["square"].dtype == sg.float64
    assert batch["name"] == ["0", "1", "2"]
    collate = data.default_collate
    assert collate([Point(sg.ones(2), np.zeros(1)), Point(sg.ones(2), np.ones(1))]).y.tolist() == [[0.0], [1.0]]
    assert type(collate([OrderedDict(a=1), OrderedDict(a=2)])) is OrderedDict
    assert collate([(1, (2.0, "a")), (3, (4.0, "b"))])[1][1] == ["a", "b"]
    assert collate([np.float32(1), np.float32(2)]).dtype == sg.float32
    assert collate([True, False]).dtype == sg.bool
    assert data.default_convert({"a": [np.ones(2), "s", 3]})["a"][1:] == ["s", 3]
    assert isinstance(data.default_convert(Point(np.ones(2), 1)).x, sg.Tensor)


def test_gradients_flow_through_batches():
    w = sg.ones(4, requires_grad=True)
    rows = data.TensorDataset(w * 2, sg.arange(4.0))
    total = sum((x * y).sum() for x, y in data.DataLoader(rows, batch_size=3))
    total.backward()
    assert w.grad.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_datasets_made_of_datasets():
    both = data.ConcatDataset([range(3), [10, 11]])
    assert [both[i] for i in range(-5, 5)] == [0, 1, 2, 10, 11] * 2
    with pytest.raises(IndexError, match="5 examples"):
        both[5]
    assert list(data.Subset(both, [4, 0])) == [11, 0]
    assert (data.Subset(range(3), [0]) + data.Subset(range(3), [2]))[1] == 2
    stacked = data.StackDataset(a=range(3), b=range(3, 6))
    assert stacked[1] == {"a": 1, "b": 4} and len(stacked) == 3
    assert data.StackDataset(range(3), range(3, 6))[2] == (2, 5)
    assert numbers(data.DataLoader(data.ChainDataset([Stream(2), Stream(1)]), 2)) == [[0, 1], [0]]


@pytest.mark.parametrize(("lengths", "counts"), [
    ([3, 7], [3, 7]), ([0.3, 0.7], [3, 7]), ([0.5, 0.25, 0.25], [6, 2, 2]), ([10], [10]), ([1.0], [10]),
])  # fmt: skip
def test_splits_deal_every_example_once(lengths, counts):
    parts = data.random_split(range(10), lengths, generator=sg.Generator().manual_seed(0))
    assert list(map(len, parts)) == counts
    assert sorted(i for part in parts for i in part) == list(range(10))
    again = data.random_split(range(10), lengths, generator=sg.Generator().manual_seed(0))
    assert [list(p) for p in parts] == [list(p) for p in again]


def test_random_samplers_draw_what_they_say():
    sg.manual_seed(0)
    assert sorted(data.RandomSampler(range(6))) == list(range(6))
    assert Counter(Counter(data.RandomSampler(range(3), num_samples=7)).values()) == {2: 2, 3: 1}
    drawn = list(data.RandomSampler(range(3), replacement=True, num_samples=3000))
    assert len(drawn) == 3000 and all(900 < n < 1100 for n in Counter(drawn).values())
    assert sorted(data.SubsetRandomSampler([5, 8, 2])) == [2, 5, 8]
    shares = Counter(data.WeightedRandomSampler([1.0, 0.0, 3.0], 4000))
    assert shares[1] == 0 and abs(shares[2] - 3000) < 150
    assert sorted(data.WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]


def test_training_over_a_loader():
    sg.manual_seed(0)
    x = sg.randn(64, 2)
    rows = data.TensorDataset(x, x @ sg.tensor([[2.0], [-1.0]]) + 0.5)
    model = sg.nn.Linear(2, 1)
    optimizer = sg.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        for inputs, targets in data.DataLoader(rows, batch_size=16, shuffle=True):
            optimizer.zero_grad()
            sg.nn.functional.mse_loss(model(inputs), targets).backward()
            optimizer.step()
    np.testing.assert_allclose(model.weight.detach().numpy(), [[2.0, -1.0]], atol=1e-3)


def test_there_are_no_other_processes_and_a_warning_says_so():
    said = r"num_workers=4\): there are no worker processes\nBatches are made in this process"
    with pytest.warns(UserWarning, match=said):
        loader = data.DataLoader(range(3), batch_size=2, num_workers=4, persistent_workers=True, prefetch_factor=2)
    assert [b.tolist() for b in loader] == [[0, 1], [2]]
    assert data.get_worker_info() is None
    assert numbers(data.DataLoader(range(2), 2, pin_memory=True, timeout=1.0, worker_init_fn=print)) == [[0, 1]]

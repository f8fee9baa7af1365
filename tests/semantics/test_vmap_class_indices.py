"""`vmap` of losses and one-hot rows whose classes are each example's own: at once, and with the errors of a loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, vmap
from symgrad.transforms.vmap import TracedExample

F = sg.nn.functional
rng = np.random.default_rng(0)
LOGITS, CLASSES = sg.tensor(rng.normal(size=(40, 20))), sg.tensor(rng.integers(0, 20, size=40))
WEIGHTS = sg.tensor(rng.uniform(0.5, 2.0, size=20))

LOSSES = {
    "cross entropy": lambda x, k: F.cross_entropy(x[None], k[None]),
    "cross entropy of one row": lambda x, k: F.cross_entropy(x, k),
    "its gradient": grad(lambda x, k: F.cross_entropy(x, k)),
    "weighted": lambda x, k: F.cross_entropy(x[None], k[None], weight=WEIGHTS),
    "smoothed": lambda x, k: F.cross_entropy(x[None], k[None], label_smoothing=0.1, reduction="none"),
    "with classes that do not count": lambda x, k: F.cross_entropy(
        x.reshape(2, 10), sg.stack([k % 10, k % 3]), ignore_index=1, reduction="sum"
    ),
    "nll": lambda x, k: F.nll_loss(x, k),
    "gradient of a weighted nll": grad(lambda x, k: F.nll_loss(sg.log_softmax(x[None], 1), k[None], WEIGHTS)),
    "one hot": lambda x, k: F.one_hot(k, 20) * x,
}


@pytest.mark.parametrize("name", LOSSES)
def test_classes_are_each_examples_own(name, monkeypatch):
    f = LOSSES[name]
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    assert vmap(f).plan(LOGITS, CLASSES).startswith("batched: ")
    got = vmap(f)(LOGITS, CLASSES)
    want = sg.stack([f(x, k) for x, k in zip(LOGITS, CLASSES, strict=True)])
    assert got.shape == want.shape and got.dtype == want.dtype
    assert_allclose(got.tolist(), want.tolist(), rtol=1e-10)


@pytest.mark.parametrize("wrong", [20, -1])
def test_a_class_that_is_none_raises_in_a_batch_as_in_a_loop(wrong):
    classes = sg.tensor([0, 1, wrong])
    with pytest.raises(RuntimeError, match="Class values"):
        vmap(lambda k: F.one_hot(k, 20))(classes)
    with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds"):
        vmap(lambda k: F.nll_loss(LOGITS[0], k))(classes)


def test_as_many_classes_as_the_largest_number_needs_is_found_one_by_one():
    assert vmap(lambda k: F.one_hot(k))(sg.tensor([[1, 0], [1, 1]])).tolist() == [[[0, 1], [1, 0]], [[0, 1], [0, 1]]]

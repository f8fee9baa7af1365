"""The function of PyTorch's that a row's docstring names exists, and takes the same values to the same values."""

import inspect
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.extend import TABLE

torch = pytest.importorskip("torch", reason="pip install torch==2.13.0 to compare with PyTorch")
pytestmark = pytest.mark.compare

NAMED = {
    fn: re.search(r"- In PyTorch: ``torch\.([\w.]+)``", fn.__doc__ or "")
    for module in (sg, sg.special) for fn in (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    if getattr(fn, "op", None) in TABLE.values() and inspect.unwrap(fn) is fn.op.apply
}  # fmt: skip


@pytest.mark.parametrize("fn", NAMED, ids=lambda fn: fn.__name__)
def test_the_function_of_pytorch_is_the_one_that_is_named(fn):
    named = NAMED[fn]
    if named is None:  # torch.kl_div is the loss
        assert not hasattr(torch.special, fn.__name__) and (fn.__name__ == "kl_div" or not hasattr(torch, fn.__name__))
        return
    other = torch
    for part in named[1].split("."):
        other = getattr(other, part)
    operands = [sg.tensor(eval(text)) for text in re.findall(r"sg\.tensor\((\[[^]]*\])", fn.__doc__)]
    theirs = other(*(torch.from_numpy(x.numpy()) for x in operands))
    assert np.allclose(fn(*operands).numpy(), theirs.numpy(), rtol=1e-12)

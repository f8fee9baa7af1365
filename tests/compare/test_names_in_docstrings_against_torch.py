"""The function of PyTorch's that a row's docstring names exists, and takes the same values to the same values."""

import inspect
import operator
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.extend import TABLE

from ._answers import answer

pytestmark = pytest.mark.compare

NAMED = {
    fn: re.search(r"- In PyTorch: ``torch\.([\w.]+)``", fn.__doc__ or "")
    for module in (sg, sg.special) for fn in (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    if getattr(fn, "op", None) in TABLE.values() and inspect.unwrap(fn) is fn.op.apply
}  # fmt: skip


@pytest.mark.parametrize("fn", NAMED, ids=lambda fn: fn.__name__)
def test_the_function_of_pytorch_is_the_one_that_is_named(fn):
    named, name = NAMED[fn], fn.__name__
    if named is None:  # torch.kl_div is the loss
        among = answer("torch", lambda torch: (hasattr(torch.special, name), name != "kl_div" and hasattr(torch, name)))
        assert among == (False, False)
        return
    operands = [sg.tensor(eval(text)) for text in re.findall(r"sg\.tensor\((\[[^]]*\])", fn.__doc__)]
    arrays = [x.numpy() for x in operands]
    other, theirs = answer(
        "torch", lambda torch: (named[1], operator.attrgetter(named[1])(torch)(*map(torch.from_numpy, arrays)))
    )
    assert other == named[1] and np.allclose(fn(*operands).numpy(), theirs, rtol=1e-12)

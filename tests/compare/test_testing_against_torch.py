"""`testing.assert_close` takes for close what PyTorch takes for it."""

import numpy as np
import pytest

import symgrad as sg

from ..inspect.test_testing import CLOSE, FAR
from ._answers import answer

pytestmark = pytest.mark.compare


def as_pytorchs(x, torch):
    if isinstance(x, dict):
        return {key: as_pytorchs(entry, torch) for key, entry in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(as_pytorchs(entry, torch) for entry in x)
    return torch.tensor(np.asarray(x.detach() if isinstance(x, sg.Tensor) else x)) if hasattr(x, "shape") else x


TENSORS_AMONG_NUMBERS = {"rounding", "no broadcasting", "complex"}  # PyTorch compares like with like only


@pytest.mark.parametrize("name", sorted({*CLOSE, *FAR} - TENSORS_AMONG_NUMBERS))
def test_the_same_is_close(name):
    actual, expected, *_ = (CLOSE | FAR)[name]

    def is_close(assert_close, actual, expected):
        try:
            assert_close(actual, expected)
        except AssertionError:
            return False
        return True

    def run(torch):
        return is_close(torch.testing.assert_close, as_pytorchs(actual, torch), as_pytorchs(expected, torch))

    assert is_close(sg.testing.assert_close, actual, expected) == answer("torch", run) == (name in CLOSE)

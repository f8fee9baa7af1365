"""Dtypes say of themselves what PyTorch's say, and their limits are the same numbers."""

import pytest

import symgrad as sg
from symgrad._typing import NAMES, TYPE_NAMES

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.compare

NO_COMPLEX_PARTNER = {"float16", "half"}  # NumPy has no complex dtype of two halves


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_says_of_itself_what_pytorchs_says(name):
    mine, theirs = getattr(sg, name), getattr(torch, name)
    assert str(mine) == str(theirs).replace("torch", "symgrad")
    for question in ("is_floating_point", "is_complex", "is_signed", "itemsize"):
        assert getattr(mine, question) == getattr(theirs, question)
    assert mine.to_real().name == str(theirs.to_real())[6:]
    if name not in NO_COMPLEX_PARTNER:
        assert outcome(lambda: mine.to_complex().name) == outcome(lambda: str(theirs.to_complex())[6:])


def outcome(call):
    try:
        return call()
    except RuntimeError:
        return "refused"


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_pytorchs(name):
    mine, theirs = getattr(sg, name), getattr(torch, name)
    for kind, parts in (
        ("finfo", ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")),
        ("iinfo", ("bits", "max", "min", "dtype")),
    ):
        try:
            limits = getattr(torch, kind)(theirs)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(sg, kind)(mine)
            continue
        for part in parts:
            found, expected = getattr(getattr(sg, kind)(mine), part), getattr(limits, part)
            assert found == (expected if part == "dtype" else pytest.approx(expected, rel=1e-15)), part


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_the_oldest_names_mean_the_same(name):
    mine, theirs = getattr(sg, name), getattr(torch, name)
    assert mine([1, 0]).tolist() == theirs([1, 0]).tolist() and mine(2, 3).shape == theirs(2, 3).shape
    assert mine([1, 0]).type() == theirs([1, 0]).type().replace("torch", "symgrad")
    assert mine.dtype.name == str(theirs.dtype)[6:]


def test_there_is_no_device_as_in_a_pytorch_without_cuda():
    if torch.cuda.is_available():
        pytest.skip("this machine has one")
    for name in ("is_available", "device_count", "is_initialized", "empty_cache", "memory_allocated"):
        assert getattr(sg.cuda, name)() == getattr(torch.cuda, name)()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        sg.cuda.current_device()
    assert sg.ones(1).get_device() == torch.ones(1).get_device()

"""Dtypes say of themselves what PyTorch's say, and their limits are the same numbers."""

import pytest

import symgrad as sg
from symgrad._typing import NAMES, TYPE_NAMES

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare

NO_COMPLEX_PARTNER = {"float16", "half"}  # NumPy has no complex dtype of two halves
QUESTIONS = ("is_floating_point", "is_complex", "is_signed", "itemsize")
LIMITS = {
    "finfo": ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"),
    "iinfo": ("bits", "max", "min", "dtype"),
}


def named(dtype):
    """The name of a dtype without its library."""
    return str(dtype).partition(".")[2]


def complex_partner(dtype):
    try:
        return named(dtype.to_complex())
    except RuntimeError:
        return "refused"


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_says_of_itself_what_pytorchs_says(name):
    def run(lib):
        dtype = getattr(lib, name)
        said = {question: getattr(dtype, question) for question in QUESTIONS}
        return str(dtype), said, named(dtype.to_real()), complex_partner(dtype)

    (text, said, real, partner), (their_text, their_said, their_real, their_partner) = both(run)
    assert text == their_text.replace("torch", "symgrad")
    assert said == their_said
    assert real == their_real == getattr(sg, name).to_real().name
    if name not in NO_COMPLEX_PARTNER:
        assert partner == their_partner


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", LIMITS)
def test_limits_are_pytorchs(name, kind):
    def run(lib):
        limits = getattr(lib, kind)(getattr(lib, name))
        return {part: getattr(limits, part) for part in LIMITS[kind]}

    try:
        expected = answer("torch", run)
    except TypeError:
        with pytest.raises(TypeError):
            run(sg)
        return
    for part, found in run(sg).items():
        assert found == (expected[part] if part == "dtype" else pytest.approx(expected[part], rel=1e-15)), part


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_the_oldest_names_mean_the_same(name):
    def run(lib):
        kind = getattr(lib, name)
        return kind([1, 0]).tolist(), tuple(kind(2, 3).shape), kind([1, 0]).type(), named(kind.dtype)

    (values, shape, text, dtype), (their_values, their_shape, their_text, their_dtype) = both(run)
    assert values == their_values and shape == their_shape
    assert text == their_text.replace("torch", "symgrad")
    assert dtype == their_dtype == getattr(sg, name).dtype.name


def test_there_is_no_device_as_in_a_pytorch_without_cuda():
    def run(lib):
        if lib.cuda.is_available():
            pytest.skip("this machine has one")
        calls = ("is_available", "device_count", "is_initialized", "empty_cache", "memory_allocated")
        return [getattr(lib.cuda, name)() for name in calls], lib.ones(1).get_device()

    ours, theirs = both(run)
    assert ours == theirs
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        sg.cuda.current_device()

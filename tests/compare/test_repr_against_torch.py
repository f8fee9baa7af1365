"""Printed tensors equal PyTorch's, character by character, over many random arrays of every kind."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from symgrad._config import set_spoken_name
from symgrad._tensor.repr import format_tensor, printoptions

from ..helpers.examples import examples
from ._answers import answer

pytestmark = pytest.mark.compare

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
PARTS_PER_TEST = 1500


LONGEST = 400
"""Characters of a text that is stored as it is."""


@pytest.fixture(autouse=True, scope="module")
def _same_spelling():
    # The module's name has its own length, which moves line breaks: compare with torch's name in place.
    set_spoken_name("torch")
    yield
    set_spoken_name("symgrad")


def torch_text(torch, data, requires_grad=False, **options):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    try:
        return repr(torch.from_numpy(np.array(data)).requires_grad_(requires_grad))
    finally:
        torch.set_printoptions(profile="default")


def our_text(data, requires_grad=False, default="float64", **options):
    with printoptions(profile="default"), printoptions(**options):
        return format_tensor(data, requires_grad=requires_grad, default_float=default)


def brief(text):
    """A text, or the length and the checksum of a long one: stored, they are as good, and small."""
    return text if len(text) <= LONGEST else f"{len(text)} characters, CRC {zlib.crc32(text.encode()):08x}"


def assert_same_texts(cases, default="float64"):
    """Compare how arrays print, each given with requires_grad and options."""

    def run(torch):
        torch.set_default_dtype(getattr(torch, default))
        return [brief(torch_text(torch, data, grad, **options)) for data, grad, options in cases]

    for (data, grad, options), theirs in zip(cases, answer("torch", run), strict=True):
        assert brief(our_text(data, grad, default, **options)) == theirs, (data.dtype, data.shape, options)


def random_values(rng, shape):
    """Draw floats of one of the kinds that choose different styles."""
    kind = rng.integers(9)
    if kind == 0:
        return rng.normal(size=shape)
    if kind == 1:
        return rng.integers(-9, 10, size=shape).astype(float)
    if kind == 2:
        return rng.normal(size=shape) * 10.0 ** rng.integers(-12, 12)
    if kind == 3:
        return rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, size=shape)
    if kind == 4:
        return np.round(rng.normal(size=shape) * 10.0 ** rng.integers(0, 10))
    if kind == 5:
        return rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf], size=shape)
    if kind == 6:
        return rng.choice(
            [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -3.0, 0.5, 1e8, 1e-4, 1000.0, 999.99995], size=shape
        )
    if kind == 7:
        return rng.choice([1e-320, 1e308, 1.0, 5e-324], size=shape)
    return rng.choice([1e-4, 0.1, 1e8, 100000001.0, 1e5, 0.99995, 9.99995, 1e4], size=shape)


def random_shape(rng):
    if rng.random() < 0.1:
        return tuple(rng.integers(0, 3, size=rng.integers(1, 4)).tolist())
    if rng.random() < 0.1:  # summarised
        return [(1001,), (5000,), (40, 40), (3, 400), (1200, 1), (2, 7, 80), (8, 9, 3, 7), (7, 6, 5, 6)][
            rng.integers(8)
        ]
    return tuple(rng.integers(1, [60, 8, 5, 4][ndim - 1], size=ndim).tolist()) if (ndim := rng.integers(0, 5)) else ()


def random_array(rng):
    shape, dtype = random_shape(rng), np.dtype(DTYPES[rng.integers(len(DTYPES))])
    values = random_values(rng, shape)
    with np.errstate(all="ignore"):
        if dtype.kind == "c":
            other = random_values(rng, shape)
            out = np.empty(shape, dtype)
            out.real, out.imag = values, other
            return out
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            span = 10 ** rng.integers(1, 19)
            return rng.integers(max(info.min, -span), min(info.max, span), size=shape, dtype=dtype, endpoint=True)
        return np.asarray(values).astype(dtype)


def random_options(rng):
    options = {}
    if rng.random() < 0.5:
        options["precision"] = int(rng.integers(0, 9))
    if rng.random() < 0.5:
        options["threshold"] = int(rng.choice([0, 1, 5, 20, 100, 1000]))
    if rng.random() < 0.5:
        options["edgeitems"] = int(rng.integers(0, 5))
    if rng.random() < 0.5:
        options["linewidth"] = int(rng.choice([1, 10, 20, 40, 79, 80, 81, 120, 200]))
    if rng.random() < 0.3:
        options["sci_mode"] = bool(rng.integers(2))
    if rng.random() < 0.3:
        options["profile"] = str(rng.choice(["default", "short", "full"]))
    return options


def random_cases(seed, with_options):
    rng, cases = np.random.default_rng(seed), []
    for _ in range(PARTS_PER_TEST):
        data, options = random_array(rng), random_options(rng) if with_options else {}
        cases.append((data, data.dtype.kind in "fc" and bool(rng.random() < 0.5), options))
    return cases


@pytest.mark.parametrize("default", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(3))
def test_random_tensors_print_as_in_torch(seed, default):
    assert_same_texts(random_cases(seed, with_options=False), default)


@pytest.mark.parametrize("seed", range(2))
def test_random_print_options_mean_what_they_mean_in_torch(seed):
    assert_same_texts(random_cases(100 + seed, with_options=True))


KINDS = ["float16", "float32", "float64", "int64", "complex128"]
EXTREMES = [0.0, -0.0, 1.0, -1.0, 1.5, 1 / 3, 1.1, 1e-5, 2.0**-24, 65504.0, 2.0**24 + 1, 2.0**53, 1e16, 5e-324,
            2.2250738585072014e-308, 1.7976931348623157e308, np.inf, -np.inf, np.nan]  # fmt: skip


def test_tensors_of_any_bits_and_of_extremes_print_as_in_torch():
    rng, cases = np.random.default_rng(0), []
    for k in range(400):
        shape, dtype = tuple(rng.integers(1, 7, size=rng.integers(4)).tolist()), np.dtype(KINDS[k % len(KINDS)])
        count = int(np.prod(shape))
        if dtype.kind == "i" or rng.random() < 0.5:
            data = np.frombuffer(rng.bytes(count * dtype.itemsize), dtype)
        else:
            with np.errstate(all="ignore"):
                data = rng.choice(EXTREMES, size=(count, 2)).astype(dtype.char.lower()).view(dtype)[:, 0]
        cases.append((data.reshape(shape), False, {}))
    assert_same_texts(cases)


@examples(80)
@given(data=hnp.arrays(st.sampled_from(KINDS), hnp.array_shapes(min_dims=0, max_dims=3, max_side=6)))
def test_hypothesis_finds_no_tensor_that_prints_differently(torch, data):
    assert our_text(data) == torch_text(torch, data)


@pytest.mark.parametrize("columns", range(1, 40))
def test_grad_fn_breaks_the_line_where_torch_breaks_it(columns):
    values = np.linspace(0.5, 9.5, columns)

    def run(torch):
        made = [torch.from_numpy(values.astype(dtype)).requires_grad_() * 2 for dtype in ("float64", "float32")]
        return [repr(tensor) for tensor in made]

    double, single = answer("torch", run)
    assert format_tensor(values * 2, requires_grad=True, grad_fn_name="MulBackward0") == double
    assert format_tensor((values * 2).astype("float32"), grad_fn_name="MulBackward0") == single


def test_strided_and_transposed_tensors_print_by_index_not_by_memory():
    data = (np.arange(24.0).reshape(4, 6) / 7).T[::2, ::-1]
    assert format_tensor(data) == answer("torch", lambda torch: repr(torch.from_numpy(data.copy())))

"""Dtypes are objects of PyTorch's kind that NumPy takes for its own; and what scripts ask before they make a tensor."""

import copy
import pickle
import threading

import numpy as np
import pytest
from scipy import sparse

import symgrad as sg
from symgrad._typing import DTYPES, NAMES, TYPE_NAMES

NUMPYS = {
    "equal": lambda d: np.dtype("float32") == d and d == np.dtype("float32") and d == np.float32 and np.float32 == d,
    "equal to a name": lambda d: d == "float32",
    "unequal": lambda d: d != np.float64 and np.dtype("float64") != d and d != sg.float64 and d != None,  # noqa: E711
    "a key": lambda d: {np.dtype("float32"): True}.get(d) and d in {np.dtype("float32")},
    "in a tuple": lambda d: d in (np.float32, np.float64) and d not in (np.float64, int),
    "np.dtype": lambda d: np.dtype(d) is np.dtype("float32"),
    "np.zeros": lambda d: np.zeros(2, d).dtype == "float32",
    "np.asarray": lambda d: np.asarray([1], dtype=d).dtype == "float32",
    "astype": lambda d: np.ones(2).astype(d).dtype == "float32",
    "view": lambda d: np.zeros(2).view(d).shape == (4,),
    "ufunc": lambda d: np.add(1, 2, dtype=d).dtype == "float32",
    "sum": lambda d: np.ones(2).sum(dtype=d).dtype == "float32",
    "promotion": lambda d: np.result_type(d, np.float64) == np.promote_types(d, "f8") == "float64",
    "can_cast": lambda d: np.can_cast(d, np.float64) and not np.can_cast(np.float64, d),
    "issubdtype": lambda d: np.issubdtype(d, np.floating) and np.isdtype(d, "real floating"),
    "isinstance": lambda d: isinstance(d, np.dtype) and isinstance(d, sg.dtype),
    "finfo": lambda d: np.finfo(d).bits == 32,
    "attributes": lambda d: (d.kind, d.name, d.itemsize, d.type, d.char) == ("f", "float32", 4, np.float32, "f"),
    "Generator": lambda d: np.random.default_rng(0).random(2, dtype=d).dtype == "float32",
    "SciPy": lambda d: sparse.eye_array(2, dtype=d).dtype == "float32",
}


@pytest.mark.parametrize("use", NUMPYS)
def test_numpy_takes_a_dtype_for_its_own(use):
    assert NUMPYS[use](sg.float32)
    assert NUMPYS[use](sg.ones(2, dtype=np.float32).dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_each_dtype_is_one_object_which_prints_as_itself(name):
    named = getattr(sg, name)
    assert sg.zeros(2, dtype=named).dtype is sg.zeros(2, dtype=np.dtype(NAMES[name])).dtype is named
    assert repr(named) == str(named) == f"symgrad.{NAMES[name]}" == f"{named}"
    assert pickle.loads(pickle.dumps(named)) is copy.deepcopy(named) is copy.copy(named) is named
    assert sg.dtype(name) is sg.dtype(str(named)) is sg.dtype(np.zeros(1, named).dtype) is named
    assert sg.zeros(1, dtype=name).dtype is sg.zeros(1).to(named).dtype is sg.zeros(1).type(named).dtype is named


def test_a_dtype_that_has_no_name_in_symgrad_is_one_object_too():
    x = sg.from_numpy(np.zeros(2, np.longdouble))
    assert x.dtype is (x + x).dtype is sg.dtype(np.longdouble) and x.dtype.is_floating_point


def test_what_answers_with_a_dtype_answers_with_symgrads():
    assert sg.result_type(sg.ones(1), 1j) is sg.complex128 and sg.promote_types(sg.int8, np.float32) is sg.float32
    assert sg.get_default_dtype() is sg.float64
    assert sg.symbol("x", "n").dtype is sg.float64
    assert sg.tensor([1.0], requires_grad=True).sum().dtype is sg.float64


def test_code_that_is_generic_over_arrays_and_tensors_gets_gradients():
    def f(x):
        eps = np.finfo(x.dtype).eps
        weights = np.ones(x.shape, dtype=x.dtype) * (2 if x.dtype == np.float32 else 3)
        return (x.astype(x.dtype) * weights / (1 + eps)).sum()

    np.testing.assert_allclose(sg.grad(f)(np.ones(2)), [3.0, 3.0])
    np.testing.assert_allclose(sg.grad(f)(np.ones(2, np.float32)), [2.0, 2.0], rtol=1e-6)


def test_a_cast_to_another_tensors_dtype_reads_as_one():
    x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    y = sg.tensor([1.0], dtype=sg.float32)
    assert (x.to(y.dtype).to(x.dtype) ** 2).sum().formula().grad("x").code("numpy").split("return ")[1] == "2*x\n"


def test_complex_dtypes_know_their_parts():
    assert sg.complex64.to_real() is sg.float32 and sg.float32.to_complex() is sg.complex64
    assert sg.int64.to_real() is sg.int64 and sg.float64.to_complex().to_complex() is sg.complex128
    wide = sg.dtype(np.longdouble)
    assert wide.to_complex().to_real() is wide
    assert sg.float16.to_complex() is sg.complex64, "NumPy has no smaller one"
    with pytest.raises(sg.DTypeError, match="int64"):
        sg.int64.to_complex()


def test_limits_are_numbers():
    limits = sg.finfo(sg.float32)
    assert (limits.bits, limits.dtype, limits.eps, limits.max) == (32, "float32", 2.0**-23, 2.0**128 - 2.0**104)
    assert type(limits.eps) is type(limits.tiny) is type(limits.resolution) is float
    assert sg.finfo().eps == sg.finfo(sg.complex128).eps == np.finfo(float).eps and sg.finfo(sg.half).bits == 16
    assert sg.iinfo(sg.uint8).max == 255 and sg.iinfo(np.int64).min == -(2**63)
    for call in (lambda: sg.finfo(sg.int32), lambda: sg.iinfo(sg.float32), lambda: sg.iinfo(sg.bool)):
        with pytest.raises(TypeError, match="requires"):
            call()


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_the_oldest_names_make_tensors_of_their_dtype(name):
    kind = getattr(sg, name)
    x = kind([1, 0])
    assert x.dtype is kind.dtype and x.tolist() == [1, 0] and kind(2, 3).shape == (2, 3) and kind().shape == (0,)
    assert isinstance(x, kind) and not isinstance(x.numpy(), kind) and x.type() == f"symgrad.{name}"
    others = [getattr(sg, other) for other in TYPE_NAMES if other != name]
    assert not isinstance(x, tuple(others))
    for said in (kind, name, f"torch.{name}", x.type()):
        assert sg.zeros(1).type(said).dtype is sg.zeros(1, dtype=said).dtype is kind.dtype


def test_the_default_dtype_is_one_for_all_threads():
    found = []
    try:
        sg.set_default_tensor_type(sg.FloatTensor)
        thread = threading.Thread(target=lambda: found.append(sg.tensor(1.0).dtype))
        thread.start()
        thread.join()
    finally:
        sg.set_default_dtype(sg.float64)
    assert found == [sg.float32] and sg.Tensor([1]).dtype is sg.float64


def test_scripts_that_look_for_a_device_find_the_cpu():
    assert sg.device("cuda" if sg.cuda.is_available() else "mps" if sg.backends.mps.is_available() else "cpu") == "cpu"
    assert (sg.cuda.device_count(), sg.cuda.memory_allocated(), sg.accelerator.current_accelerator()) == (0, 0, None)
    sg.cuda.manual_seed_all(0)
    sg.cuda.empty_cache()
    sg.backends.cudnn.benchmark = False
    with sg.device("cpu:0") as device:
        assert device.index == 0 and sg.ones(1).device == device == sg.get_default_device()
    sg.set_default_device("cpu")
    x = sg.ones(1)
    assert x.is_cpu and not (x.is_cuda or x.is_mps or x.is_sparse) and x.get_device() == -1 and x.pin_memory() is x
    for call in (sg.cuda.current_device, sg.cuda.synchronize, lambda: sg.set_default_device("cuda")):
        with pytest.raises(sg.DeviceError, match="CUDA"):
            call()


def half(*shape):
    return np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(np.float16)


PLACES = {
    "subscript": lambda x, k: x[k], "gather": lambda x, k: x.gather(0, k[:, None]),
    "index_select": lambda x, k: x.index_select(0, k), "index_add": lambda x, k: x.index_add(0, k, x),
    "scatter": lambda x, k: x.scatter(0, k[:, None], x), "take": lambda x, k: x.take(k),
    "embedding": lambda x, k: sg.nn.functional.embedding(k, x, max_norm=1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_half_precision_is_read_at_places(name):
    made = [PLACES[name](sg.tensor(half(2, 3).astype(d)), sg.tensor([1, 0])) for d in (np.float16, np.float64)]
    assert made[0].dtype == sg.float16
    np.testing.assert_allclose(made[0].numpy(), made[1].numpy(), rtol=2e-3)


VIEWS = {
    "subscript": lambda x: x[0], "slice": lambda x: x[:, 1:], "t": lambda x: x.t(), "detach": lambda x: x.detach(),
    "reshape": lambda x: x.reshape(3, 2), "select": lambda x: x.select(0, 1), "unsqueeze": lambda x: x.unsqueeze(0),
    "expand": lambda x: x.expand(2, 3), "diagonal": lambda x: x.diagonal(),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_half_precision_are_views(name):
    x = sg.tensor(half(2, 3))
    VIEWS[name](x).mul_(2.0)
    wanted = sg.tensor(half(2, 3).astype(float))
    VIEWS[name](wanted).mul_(2.0)
    assert (x.numpy() == wanted.numpy()).all() and (x.numpy() != half(2, 3)).any()

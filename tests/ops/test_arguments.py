"""Arguments as PyTorch takes them, and as it refuses them: older ones, those left out, and numbers without room."""

import copy
import inspect
import pickle
import re
import warnings

import numpy as np
import pytest

import symgrad as sg

F = sg.nn.functional

# Losses --------------------------------------------------------------------------------------------------------------

REDUCTIONS = [
    (None, False, "none"),
    (False, None, "sum"),
    (True, None, "mean"),
    (False, True, "sum"),
    (True, True, "mean"),
]


@pytest.mark.parametrize(("size_average", "reduce", "reduction"), REDUCTIONS)
def test_older_arguments_of_losses_name_a_reduction_and_warn(size_average, reduce, reduction):
    x, y = sg.tensor([[0.2, 0.7]]), sg.tensor([[1.0, 0.0]])
    for function, module in ((F.binary_cross_entropy, sg.nn.BCELoss), (F.kl_div, sg.nn.KLDivLoss)):
        want = function(x, y, reduction=reduction)
        with pytest.warns(UserWarning, match=f"reduction='{reduction}'") as seen:
            found = function(x, y, size_average=size_average, reduce=reduce)
            layer = module(size_average=size_average, reduce=reduce)
        assert found.tolist() == layer(x, y).tolist() == want.tolist() and layer.reduction == reduction
        assert {w.filename for w in seen} == {__file__}


def test_a_reduction_in_the_place_of_an_older_argument_is_refused():
    with pytest.raises(TypeError, match="reduction='sum'"):
        sg.nn.MSELoss("sum")
    with pytest.raises(TypeError, match="must be bool, not 'none'"):
        F.l1_loss(sg.ones(2), sg.ones(2), None, "none")


@pytest.mark.parametrize("ndim", range(5))
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin"])
def test_softmax_without_a_dimension_chooses_as_pytorch_did_and_warns(name, ndim):
    x = sg.arange(2.0**ndim).reshape((2,) * ndim)
    with pytest.warns(UserWarning, match=f"Implicit dimension choice for {name}") as seen:
        found = getattr(F, name)(x)
    assert seen[0].filename == __file__
    assert found.tolist() == getattr(F, name)(x, 0 if ndim in (0, 1, 3) else 1).tolist()


# Edges of functions --------------------------------------------------------------------------------------------------


def test_repeat_interleave_of_counts_alone_gives_places():
    assert sg.repeat_interleave(sg.tensor([2, 0, 1])).tolist() == [0, 0, 2]
    assert sg.repeat_interleave(repeats=sg.tensor([0, 3])).tolist() == [1, 1, 1]
    for wrong in (sg.tensor([2.0]), sg.tensor([[1]]), sg.tensor(1)):
        with pytest.raises(sg.ShapeError, match="only accept 1D vector"):
            sg.repeat_interleave(wrong)


def test_nothing_of_something_is_empty():
    assert sg.combinations(sg.arange(3), 0).shape == (0,) and sg.combinations(sg.arange(3), 0).dtype is sg.int64
    assert sg.block_diag().shape == (1, 0) and sg.split(sg.arange(0), []) == ()


def test_what_is_no_whole_number_is_refused_where_one_is_meant():
    for call in (lambda: sg.split(sg.arange(5), 2.0), lambda: sg.polygamma(1.5, sg.ones(2))):
        with pytest.raises(TypeError, match="float"):
            call()
    with pytest.raises(sg.DTypeError, match="does not support negative n"):
        sg.ones(2).polygamma(-1)


def test_signs_of_truth_values_are_themselves_and_covariances_of_whole_numbers_have_the_default_dtype():
    b = sg.tensor([True, False])
    assert sg.sign(b).tolist() == sg.sgn(b).tolist() == b.tolist() and sg.sign(b).dtype is sg.bool
    sg.set_default_dtype(sg.float32)
    try:
        assert sg.cov(sg.tensor([[1, 2, 4]])).dtype is sg.float32
    finally:
        sg.set_default_dtype(sg.float64)


@pytest.mark.parametrize("rcond", [None, 0.5])
def test_least_squares_drop_small_singular_values_in_the_solution_too(rcond):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    for driver in (None, "gels", "gelsy", "gelsd", "gelss"):
        found = sg.linalg.lstsq(sg.tensor(a), sg.tensor(b), rcond, driver=driver)
        x, rest, rank, values = np.linalg.lstsq(a, b, rcond)
        for ours, theirs in zip(found, (x, rest, rank, values), strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-12)
    with pytest.raises(ValueError, match="should be one of"):
        sg.linalg.lstsq(sg.tensor(a), sg.tensor(b), driver="gesv")
    A = sg.tensor(a, requires_grad=True)
    assert sg.autograd.gradcheck(lambda A: sg.linalg.lstsq(A, sg.tensor(b), rcond).solution, (A,))


# Dtypes --------------------------------------------------------------------------------------------------------------

MAKERS = {
    "zeros": lambda d: sg.zeros(2, dtype=d), "arange": lambda d: sg.arange(3, dtype=d),
    "zeros_like": lambda d: sg.zeros_like(sg.ones(2), dtype=d), "sum": lambda d: sg.ones(2).sum(dtype=d),
    "type": lambda d: sg.ones(2).type(d), "dtype": sg.dtype, "promote_types": lambda d: sg.promote_types(d, sg.int8),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["U3", "S2", "M8[s]", "V3", object, str, np.dtype("U3")], ids=str)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_dtype_that_holds_no_numbers_is_refused_by_name(maker, dtype):
    with pytest.raises(sg.DTypeError, match=re.escape(f"dtype {np.dtype(dtype)} is not one of numbers")) as error:
        MAKERS[maker](dtype)
    assert "float64" in str(error.value) and isinstance(error.value, TypeError)


NAMES = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905
COMBINING = {
    "add": lambda a, b: a + b, "mul": lambda a, b: b * a, "where": lambda a, b: sg.where(sg.tensor([True]), a, b),
    "cat": lambda a, b: sg.cat([sg.atleast_1d(sg.as_tensor(x)) for x in (a, b)]),
    "stack": lambda a, b: sg.stack(sg.broadcast_tensors(a, b)),
}  # fmt: skip


@pytest.mark.parametrize("default", [sg.float64, sg.float32], ids=str)
@pytest.mark.parametrize("one", NAMES)
def test_promoted_dtypes_are_those_of_results(one, default):
    sg.set_default_dtype(default)
    wrong = []
    try:
        for other, shape, name in ((o, s, n) for o in NAMES for s in ((), (2,)) for n in COMBINING):
            a, b = sg.ones(2, dtype=one), sg.ones(shape, dtype=other)
            found = COMBINING[name](a, b).dtype
            if not found is sg.result_type(a, b) is sg.promote_types(one, other) is sg.result_type(b, a):
                wrong.append((name, other, shape, found))
        for number in (True, 1, 1.5, 1j, np.float64(1.5), np.int64(1)):
            for shape in ((), (2,)):
                a = sg.ones(shape, dtype=one)
                found = {COMBINING[name](a, number).dtype for name in ("add", "mul", "where")}
                wrong += [] if found == {sg.result_type(a, number)} else [(repr(number), shape, found)]
        quotients = {other: (sg.ones(2, dtype=one) / sg.ones(2, dtype=other)).dtype for other in NAMES}
        for other, found in quotients.items():
            want = sg.promote_types(one, other)
            wrong += [] if found is (want if want.kind in "fc" else default) else [("div", other, found)]
    finally:
        sg.set_default_dtype(sg.float64)
    assert not wrong


# Numbers that a dtype has no room for --------------------------------------------------------------------------------


def i8():
    return sg.tensor([1, 2], dtype=sg.int8)


def put(x, index, value):
    x[index] = value


TOO_LARGE = {
    "add": lambda n: i8() + n, "radd": lambda n: n + i8(), "sub": lambda n: i8() - n, "mul": lambda n: i8() * n,
    "floordiv": lambda n: i8() // n, "mod": lambda n: i8() % n, "pow": lambda n: i8() ** n, "and": lambda n: i8() & n,
    "sg.add": lambda n: sg.add(i8(), n), "alpha": lambda n: sg.add(i8(), 1, alpha=n), "add_": lambda n: i8().add_(n),
    "where": lambda n: sg.where(i8() > 1, i8(), n), "rwhere": lambda n: sg.where(i8() > 1, n, i8()),
    "clamp": lambda n: i8().clamp(max=n), "masked_fill": lambda n: i8().masked_fill(i8() > 1, n),
    "masked_fill_": lambda n: i8().masked_fill_(i8() > 1, n), "fill_": lambda n: i8().fill_(n),
    "index_fill": lambda n: i8().index_fill(0, sg.tensor([0]), n), "full_like": lambda n: sg.full_like(i8(), n),
    "full": lambda n: sg.full((2,), n, dtype=sg.int8), "new_full": lambda n: i8().new_full((2,), n),
    "tensor": lambda n: sg.tensor(n, dtype=sg.int8), "list": lambda n: sg.tensor([1, n], dtype=sg.int8),
    "nested": lambda n: sg.tensor([[1], [n]], dtype=sg.int8), "new_tensor": lambda n: i8().new_tensor([n]),
    "x[0]": lambda n: put(i8(), 0, n), "x[:]": lambda n: put(i8(), slice(None), n),
    "x[...]": lambda n: put(i8(), ..., n),
    "x[mask]": lambda n: put(i8(), i8() > 1, n), "x[[0]]": lambda n: put(i8(), [0], n),
    "pad": lambda n: F.pad(i8(), (1, 1), value=n),
}  # fmt: skip


@pytest.mark.parametrize("number", [300, -129, 2**70], ids=str)
@pytest.mark.parametrize("way", TOO_LARGE)
def test_a_number_that_a_dtype_has_no_room_for_is_refused_by_name(way, number):
    number = abs(number) if way == "pow" else number
    with pytest.raises(sg.RangeError) as error, warnings.catch_warnings():
        warnings.simplefilter("error")
        TOO_LARGE[way](number)
    what, *_, step = str(error.value).splitlines()
    assert re.match(r"[a-z_]+: ", what) and "int8" in str(error.value) and "dtype" in step
    assert str(number) in str(error.value)
    assert isinstance(error.value, OverflowError) and isinstance(error.value, RuntimeError)


@pytest.mark.parametrize("number", [300.5, float("nan"), float("inf")], ids=str)
@pytest.mark.parametrize("way", ["full", "full_like", "new_full", "fill_", "tensor", "x[0]", "x[:]", "masked_fill"])
def test_a_float_that_whole_numbers_have_no_room_for_is_refused(way, number):
    with pytest.raises(sg.RangeError, match="int8"):
        TOO_LARGE[way](number)


def test_large_numbers_are_compared_exactly():
    for number in (300, 2**70):
        assert (i8() < number).tolist() == (i8() != number).tolist() == [True, True]
        assert (i8() == number).tolist() == (i8() >= number).tolist() == [False, False]
    assert (sg.tensor([1], dtype=sg.uint8) > -1).tolist() == [True]


def test_numbers_within_the_range_are_taken_as_before():
    x = i8()
    x[0], x[1:] = 100, -1.5
    assert x.tolist() == [100, -1] and x.fill_(-128).tolist() == [-128, -128]
    assert sg.tensor([2**70], dtype=sg.float64).tolist() == [2.0**70]
    assert sg.full((1,), 2**63, dtype=sg.uint64).tolist() == [2**63]
    for wrong in (2**70, 10**400):
        with pytest.raises(sg.RangeError):
            sg.tensor(wrong)
        with pytest.raises(sg.RangeError):
            sg.tensor([wrong])
    with pytest.raises(sg.RangeError, match="too large to convert to float"):
        sg.ones(2) * 10**400


# out= ----------------------------------------------------------------------------------------------------------------


def test_out_takes_the_shape_of_the_result_only_if_it_is_empty():
    out = sg.empty(0)
    assert sg.add(sg.ones(2), 1, out=out) is out and out.tolist() == [2.0, 2.0]
    for size in (3, (2, 2)):
        with pytest.raises(sg.ShapeError, match=r"sg.empty\(0\)"):
            sg.add(sg.ones(2), 1, out=sg.empty(size))


def test_out_takes_whole_numbers_into_floats_and_what_it_overlaps():
    out = sg.empty(2)
    assert sg.argmax(sg.eye(2), 0, out=out).tolist() == [0.0, 1.0]
    x = sg.ones(3)
    assert sg.add(x[:2], 1, out=x[1:]).tolist() == [2.0, 2.0]
    with pytest.raises(sg.DTypeError, match="can't be cast"):
        sg.add(sg.ones(2), 1, out=sg.empty(2, dtype=sg.int64))


@pytest.mark.parametrize("fn", [sg.max, sg.zeros, sg.linalg.inv, sg.special.erf, F.normalize, sg.sin, sg.cat])
def test_signatures_show_out(fn):
    found = inspect.signature(fn)
    assert found.parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY and "out" in str(found)
    assert found == inspect.signature(fn) and pickle.loads(pickle.dumps(found)) == found.replace()
    assert re.search(r"^out : Tensor", fn.__doc__, re.M)


# Copies of names, and names that are not there -----------------------------------------------------------------------


@pytest.mark.parametrize("thing", [sg.FloatTensor, sg.LongTensor, sg.float32, sg.ones(1).dtype, sg.dtype], ids=repr)
def test_types_and_dtypes_pickle_and_copy_as_themselves(thing):
    assert copy.copy(thing) is copy.deepcopy(thing) is thing
    assert all(pickle.loads(pickle.dumps(thing, protocol)) is thing for protocol in range(pickle.HIGHEST_PROTOCOL + 1))


def test_devices_pickle():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(sg.device("cpu:0"), protocol)).index == 0


@pytest.mark.parametrize(
    ("home", "name", "words"),
    [
        (sg, "stft", "window"), (sg, "istft", "sg.fft.fft"), (sg, "conv2d", "Use sg.nn.functional.conv2d"),
        (sg, "gru", "sg.nn.functional"), (sg, "lstsq", "Use sg.linalg.lstsq"), (sg, "bfloat16", "NumPy lacks"),
        (sg.linalg, "ldl_factor", "LAPACK"), (sg.nn, "LazyLinear", "sizes"), (F, "scaled_mm", "8 bits"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)  # fmt: skip
def test_an_absent_name_of_pytorchs_says_why_and_what_to_do(home, name, words):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'\nLeft out: ") as error:
        getattr(home, name)
    assert words in str(error.value) and str(error.value).count("\n") == 2


@pytest.mark.parametrize("home", [sg, sg.nn, F, sg.linalg, sg.optim], ids=lambda m: m.__name__)
def test_a_name_of_nobodys_is_refused_in_one_line(home):
    with pytest.raises(AttributeError) as error:
        _ = home.tensr
    assert str(error.value) == f"module '{home.__name__}' has no attribute 'tensr'" and error.value.name == "tensr"

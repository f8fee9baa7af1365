"""How operations are called: under PyTorch's names, with its arguments, and as it refuses them."""

import copy
import inspect
import pickle
import re
import traceback
import warnings

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad.core import TABLE, elementwise

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


# Functions that are written from rows ---------------------------------------------------------------------------------


@pytest.fixture
def new_row():
    yield elementwise("scaled_for_this_test", lambda x, k=2.0: x * k, lambda k: k)
    del TABLE["scaled_for_this_test"]


@pytest.mark.parametrize("call", [
    lambda f, x: f(x), lambda f, x: f(input=x), lambda f, x: f(x, k=2.0), lambda f, x: f(x, 2.0),
    lambda f, x: f(k=2.0, input=x), lambda f, x: f(x, out=sg.empty(0)),
])  # fmt: skip
def test_the_first_call_may_be_any_call_and_changes_nothing(new_row, call):
    x = sg.tensor([1.0, 3.0])
    assert str(inspect.signature(new_row)) == "(input, k=2.0, *, out=None)"
    for _ in range(2):
        assert call(new_row, x).tolist() == [2.0, 6.0]
        assert str(inspect.signature(new_row)) == "(input, k=2.0, *, out=None)"


@pytest.mark.parametrize("call", [
    lambda a, b: sg.maximum(a, other=b), lambda a, b: sg.maximum(input=a, other=b), lambda a, b: a.maximum(other=b),
    lambda a, b: sg.maximum(other=b, input=a),
])  # fmt: skip
def test_operands_have_pytorchs_names(call):
    assert call(sg.tensor([1.0, 5.0]), sg.tensor([2.0, 3.0])).tolist() == [2.0, 5.0]


def test_a_traceback_shows_the_text_of_generated_code():
    sg.ones(1).add(sg.ones(1))
    with pytest.raises(sg.ShapeError) as caught:
        sg.add(sg.ones(2), sg.ones(3))
    text = "".join(traceback.format_exception(caught.value))
    assert "<symgrad apply" in text and "try: _out = _alone(_forward, _x0, _x1)" in text


def test_out_takes_the_result_and_records_nothing():
    x = sg.tensor([1.0, 4.0])
    into, view = sg.zeros(2), sg.zeros(4)
    assert sg.sqrt(x, out=into) is into and into.tolist() == [1.0, 2.0] and into.grad_fn is None
    sg.sqrt(x, out=view[1:3])
    assert view.tolist() == [0.0, 1.0, 2.0, 0.0]
    empty = sg.empty(0)
    assert sg.maximum(x, into, out=empty) is empty and empty.tolist() == [1.0, 4.0]
    assert sg.maximum(x, other=into, out=x) is x and x.tolist() == [1.0, 4.0]
    half = sg.zeros(2, dtype=sg.float32)
    assert sg.sqrt(x, out=half).dtype == sg.float32


def test_out_of_a_tensor_that_was_saved_spoils_it():
    x, y = sg.ones(2, requires_grad=True), sg.ones(2)
    z = x * y
    sg.sqrt(sg.ones(2), out=y)
    with pytest.raises(sg.InplaceError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda x, w: sg.sin(w, out=x), sg.GradientError, "don't support automatic differentiation"),
    (lambda x, w: sg.sin(x, out=w), sg.GradientError, "don't support automatic differentiation"),
    (lambda x, w: sg.sin(x, out=np.zeros(2)), sg.DTypeError, "argument 'out' must be Tensor, not ndarray"),
    (lambda x, w: sg.sin(x, out=sg.zeros(3)), sg.ShapeError, "doesn't match the broadcast shape"),
    (lambda x, w: sg.sin(x, out=sg.zeros(2, dtype=sg.int64)), sg.DTypeError, "can't be cast to the desired output"),
    (lambda x, w: sg.sin(x, out=sg.zeros(1).expand(2)), sg.InplaceError, "more than one element"),
])  # fmt: skip
def test_out_is_refused_as_pytorch_refuses_it(call, error, message):
    x = sg.tensor([1.0, 4.0])
    with pytest.raises(error, match=message):
        call(x, sg.ones(2, requires_grad=True))
    assert x.tolist() == [1.0, 4.0]


def test_out_works_under_no_grad_whatever_requires_a_gradient():
    w = sg.ones(2, requires_grad=True)
    with sg.no_grad():
        assert sg.square(w, out=sg.empty(0)).tolist() == [1.0, 1.0]
        sg.exp2(w, out=w)
    assert w.tolist() == [2.0, 2.0] and w.requires_grad


# PyTorch's names, and NumPy's ``axis`` --------------------------------------------------------------------------------


BOTH = """
add sub mul div neg remainder fmod pow abs sign reciprocal sqrt rsqrt square exp exp2 expm1 log log2 log10 log1p sin cos
tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sigmoid softplus relu leaky_relu elu gelu silu logsigmoid erf
erfc erfinv lgamma digamma polygamma floor ceil round trunc frac clamp clamp_min clamp_max minimum maximum where lerp
hypot logaddexp xlogy nan_to_num heaviside eq ne lt le gt ge sum mean prod var std amax amin max min argmax argmin
median logsumexp cumsum cumprod cummax norm any all count_nonzero softmax log_softmax reshape flatten unflatten squeeze
unsqueeze transpose permute movedim swapaxes broadcast_to tile repeat_interleave flip roll rot90 split chunk unbind tril
triu diag diagonal diag_embed trace gather scatter scatter_add index_select index_add masked_fill masked_select take
sort topk matmul mm mv bmm dot outer inner kron cross baddbmm addmm clone det slogdet cholesky inverse logdet
softsign
""".split()  # noqa: SIM905
FUNCTIONS = """
cat stack hstack vstack pad meshgrid einsum tensordot tensor as_tensor from_numpy zeros ones full empty eye arange
linspace logspace zeros_like ones_like full_like empty_like rand rand_like randn randn_like randint normal bernoulli
randperm manual_seed
""".split()  # noqa: SIM905
METHODS = """
view expand repeat item tolist numpy to double float int long bool type add_ sub_ mul_ div_ pow_ exp_ zero_ fill_ copy_
detach detach_ requires_grad_ retain_grad register_hook backward formula sympy __getitem__ __setitem__ __add__ __radd__
__sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __mod__ __rmod__ __matmul__ __rmatmul__
__floordiv__ __rfloordiv__ __neg__ __abs__ __iadd__ __isub__ __imul__ __itruediv__ __ipow__
""".split()  # noqa: SIM905
ALONG_A_DIMENSION = """
sum mean prod var std amax amin max min argmax argmin median logsumexp cumsum cumprod cummax norm any all count_nonzero
softmax log_softmax sort topk squeeze unsqueeze flip split chunk unbind roll repeat_interleave
""".split()  # noqa: SIM905
ARGUMENTS = {"topk": (1,), "split": (1,), "chunk": (1,), "roll": (1,), "repeat_interleave": (2,)}


@pytest.mark.parametrize("name", BOTH)
def test_operation_is_a_function_and_a_method(name):
    assert callable(getattr(sg, name))
    assert callable(getattr(sg.Tensor, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operation_is_a_function(name):
    assert callable(getattr(sg, name))


@pytest.mark.parametrize("name", METHODS)
def test_operation_is_a_method(name):
    assert callable(getattr(sg.Tensor, name))


@pytest.mark.parametrize("name", ["T", "mT", "H", "mH", "real", "imag", "shape", "dtype", "grad", "grad_fn", "is_leaf"])
def test_member_is_a_property(name):
    assert isinstance(getattr(sg.Tensor, name), property)


@pytest.mark.parametrize("name", ALONG_A_DIMENSION)
def test_dim_and_axis_mean_the_same(name):
    x = sg.tensor(np.random.default_rng(0).normal(size=(3, 1, 4) if name == "squeeze" else (3, 2, 4)))
    arguments = ARGUMENTS.get(name, ())

    def values(result):
        parts = result if isinstance(result, (tuple, list)) else (result,)
        return [p.tolist() for p in parts]

    if name in ("flip", "roll"):
        by_dim = getattr(x, name)(*arguments, 1)
    else:
        by_dim = getattr(x, name)(*arguments, dim=1)
    assert values(getattr(x, name)(*arguments, axis=1)) == values(by_dim)
    assert values(getattr(sg, name)(x, *arguments, axis=1)) == values(by_dim)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "var", "std", "logsumexp", "any", "all", "norm"])
def test_keepdim_and_keepdims_mean_the_same(name):
    x = sg.ones(2, 3)
    assert getattr(x, name)(axis=1, keepdims=True).shape == (2, 1) == getattr(x, name)(dim=1, keepdim=True).shape


def test_logsumexp_without_dim_is_over_all_as_scipys():
    x = sg.tensor([[0.5, 1.0, -2.0], [3.0, 0.1, 0.2]], requires_grad=True)
    expected = scipy.special.logsumexp(x.detach().numpy())
    assert x.logsumexp().item() == pytest.approx(expected, rel=1e-15) and sg.logsumexp(x, keepdim=True).shape == (1, 1)
    (g,) = sg.autograd.grad(sg.logsumexp(x), x)
    np.testing.assert_allclose(g.numpy(), scipy.special.softmax(x.detach().numpy()), rtol=1e-14)


def test_a_diagonal_needs_two_different_dimensions():
    A = sg.ones(3, 3)
    again = lambda: sg.diagonal_scatter(A, A[0], 0, 0, 0)
    for refused in (lambda: A.diagonal(0, 1, -1), lambda: sg.diag_embed(A, 0, 1, 1), again):
        with pytest.raises(sg.ShapeError, match="diagonal dimensions cannot be identical"):
            refused()


def test_differences_of_order_0_are_the_input_without_what_is_put_at_its_ends():
    x = sg.tensor([1.0, 4.0, 9.0], requires_grad=True)
    for ends in ({}, {"prepend": sg.zeros(2)}, {"append": x}, {"prepend": 5.0, "append": sg.ones(1)}):
        y = sg.diff(x, 0, **ends)
        assert y.tolist() == x.tolist() and y is not x
        assert np.diff(x, 0, **ends).tolist() == x.tolist()
        (g,) = sg.autograd.grad((y * y).sum(), x)
        assert g.tolist() == [2.0, 8.0, 18.0]
    with pytest.raises(ValueError, match="order must be non-negative but got -1"):
        sg.diff(x, -1)


def test_a_number_at_the_end_of_differences_stands_for_as_many_as_it_takes():
    x = sg.ones(2, 3)
    assert sg.diff(x, prepend=5.0).tolist() == np.diff(x.numpy(), prepend=5.0).tolist()
    assert sg.diff(x, dim=0, append=2.0).tolist() == np.diff(x.numpy(), axis=0, append=2.0).tolist()


@pytest.mark.parametrize(("xp", "fp"), [
    ([0.0, 1.0], [0.0, 1.0, 2.0]), ([0.0, 1.0, 2.0], [0.0, 1.0]), ([], []), (np.eye(2), np.eye(2)),
    ([[0.0, 1.0]], [0.0, 1.0]),
])  # fmt: skip
def test_values_without_places_are_not_interpolated(xp, fp):
    with pytest.raises(ValueError):
        np.interp(0.5, xp, fp)
    for f in (lambda x: np.interp(x[0], xp, fp), lambda x: np.interp(0.5, xp, fp * x[0] if len(fp) else x[:0])):
        with pytest.raises(ValueError, match=r"np\.interp.*\n.*xp has shape .*, fp "):
            sg.grad(f)(np.array([0.5, 1.0]))


def test_the_last_of_several_values_at_the_last_place_counts_as_in_numpy():
    for xp, fp, slope in (([0, 1, 1], [0.0, 5.0, 7.0], 5), ([0, 0, 1], [0.0, 5.0, 7.0], 2), ([1, 1], [3.0, 4.0], 0)):
        x = sg.tensor([-1.0, 0.0, 0.5, 1.0, 2.0], requires_grad=True)
        y = np.interp(x, xp, fp)
        np.testing.assert_array_equal(y.detach(), np.interp(x.detach().numpy(), xp, fp))
        (y + 0 * x)[sg.tensor([0, 2, 4])].sum().backward()
        assert x.grad.tolist() == [0, 0, slope, 0, 0]


def test_places_are_unravelled_in_the_order_asked_for():
    for order in "CF":
        found = np.unravel_index(sg.tensor([1, 4]), (2, 3), order=order)
        np.testing.assert_array_equal(found, np.unravel_index([1, 4], (2, 3), order=order))


def test_rounded_to_powers_of_ten_numbers_are_numpys():
    x = np.arange(-3000, 3000) * 5e4
    for decimals in (-7, -5, -2):
        np.testing.assert_array_equal(sg.round(sg.tensor(x), decimals=decimals), np.round(x, decimals))


@pytest.mark.parametrize("n", [0.5, 2.0, -1.5, np.float64(2)])
def test_a_power_of_a_matrix_is_a_whole_one(n):
    M = np.array([[2.0, 1.0], [1.0, 3.0]])
    with pytest.raises(TypeError):
        np.linalg.matrix_power(M, n)
    with pytest.raises(TypeError, match="the exponent must be an integer"):
        sg.grad(lambda x: np.linalg.matrix_power(M * x, n).sum())(np.ones(2))
    with pytest.raises(TypeError, match="the exponent must be an integer"):
        sg.linalg.matrix_power(sg.tensor(M), n)


@pytest.mark.parametrize("size", [(0,), (3,), (0, 5)])
@pytest.mark.parametrize("name", ["scatter", "scatter_add", "sum", "prod", "mean", "amax"])
@pytest.mark.parametrize("places", [(0, 2), (0, 5)])
def test_a_source_of_which_nothing_is_put_has_a_gradient_of_zeros(name, places, size):
    x, s = sg.ones(3, 2, requires_grad=True), sg.ones(size, requires_grad=True)
    index = sg.zeros(places, dtype=sg.int64)
    for suffix in ("", "_"):
        if name.startswith("scatter"):
            y = getattr(x * 2, name + suffix)(0, index, s)
        else:
            y = getattr(x * 2, "scatter_reduce" + suffix)(0, index, s, name, include_self=False)
        assert y.tolist() == [[2.0, 2.0]] * 3
        gx, gs = sg.autograd.grad(y.sum(), (x, s))
        assert gx.tolist() == [[2.0, 2.0]] * 3 and gs.shape == s.shape and not gs.any()


def test_squeeze_takes_several_dimensions_one_by_one():
    assert sg.ones(1, 1, 2, 1).squeeze(0, 1).shape == (2, 1)
    x = sg.ones(1, 1, 2)
    assert x.squeeze_(0, 1) is x and x.shape == (2,)

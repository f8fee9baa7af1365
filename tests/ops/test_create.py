"""Making tensors: dtypes as objects, sizes, sharing of memory, random streams and draws, and what is refused."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse, special, stats

import symgrad as sg
from symgrad._typing import DTYPES, NAMES, TYPE_NAMES


@pytest.fixture
def single_precision():
    sg.set_default_dtype(sg.float32)
    yield
    sg.set_default_dtype(sg.float64)


DATA = [
    (1.5, "float64", ()), (2, "int64", ()), (True, "bool", ()), (1j, "complex128", ()), ([1.0, 2], "float64", (2,)),
    ([1, 2], "int64", (2,)), ([True, False], "bool", (2,)), ([True, 2], "int64", (2,)), ([1, 2j], "complex128", (2,)),
    ([], "float64", (0,)), ([[], []], "float64", (2, 0)), (((1, 2), (3, 4)), "int64", (2, 2)),
    (np.float32(1), "float32", ()), (np.ones(2, "float32"), "float32", (2,)),
    ([np.ones(2, "float32")], "float32", (1, 2)),
    (np.ones((2, 2), "int8"), "int8", (2, 2)), (range(3), "int64", (3,)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "dtype", "shape"), DATA, ids=repr)
def test_tensor_infers_dtype_and_shape(data, dtype, shape):
    t = sg.tensor(data)
    assert (t.dtype, tuple(t.shape)) == (dtype, shape)
    np.testing.assert_array_equal(t.numpy(), np.array(data))


@pytest.mark.usefixtures("single_precision")
def test_python_floats_take_the_default_dtype_and_arrays_keep_theirs():
    assert sg.tensor(1.5).dtype == "float32"
    assert sg.tensor([1.5]).dtype == "float32"
    assert sg.tensor(1j).dtype == "complex64"
    assert sg.tensor([np.float64(1.5)]).dtype == "float64"
    assert sg.tensor(np.ones(2)).dtype == "float64"
    assert sg.tensor([sg.tensor(1.5, dtype=sg.float64)]).dtype == "float64"
    for t in (
        sg.zeros(2),
        sg.arange(2.0),
        sg.linspace(0, 1, 2),
        sg.eye(2),
        sg.rand(2),
        sg.full((2,), 1.5),
        sg.scalar_tensor(1),
    ):
        assert t.dtype == "float32"
    assert sg.arange(2).dtype == sg.full((2,), 1).dtype == "int64"


def test_tensor_of_tensors_stacks_them():
    t = sg.tensor([sg.tensor([1.0, 2.0]), [sg.tensor(3.0), 4]])
    np.testing.assert_array_equal(t.numpy(), [[1, 2], [3, 4]])


def test_tensor_copies_and_warns_when_given_a_tensor():
    a = np.ones(2)
    t = sg.tensor(a)
    a[0] = 5
    assert t.tolist() == [1, 1]
    with pytest.warns(UserWarning, match=r"it is recommended to use sourceTensor\.detach\(\)\.clone\(\)"):
        u = sg.tensor(t)
    assert u.data_ptr() != t.data_ptr()


def test_a_tensor_that_requires_grad_is_a_leaf_with_its_name():
    t = sg.tensor([1.0], requires_grad=True, name="w")
    assert t.is_leaf and t.requires_grad and t.grad_fn is None and t.name == "w"
    with pytest.raises(ValueError, match="identifier"):
        sg.tensor(1.0, name="not a name")


MAKERS = {
    "tensor": lambda **k: sg.tensor([1.0], **k), "zeros": lambda **k: sg.zeros(2, **k),
    "ones": lambda **k: sg.ones((2,), **k),
    "empty": lambda **k: sg.empty([2], **k), "full": lambda **k: sg.full((2,), 3, **k),
    "eye": lambda **k: sg.eye(2, **k),
    "arange": lambda **k: sg.arange(3, **k), "linspace": lambda **k: sg.linspace(0, 1, 3, **k),
    "logspace": lambda **k: sg.logspace(0, 1, 3, **k), "rand": lambda **k: sg.rand(2, **k),
    "randn": lambda **k: sg.randn(2, **k),
    "randint": lambda **k: sg.randint(3, (2,), **k), "zeros_like": lambda **k: sg.zeros_like(sg.ones(2), **k),
    "full_like": lambda **k: sg.full_like(sg.ones(2), 3, **k), "randn_like": lambda **k: sg.randn_like(sg.ones(2), **k),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_every_maker_takes_dtype_requires_grad_device_and_name(name):
    t = MAKERS[name](dtype=sg.float32, requires_grad=True, device="cpu", name="w")
    assert (t.dtype, t.requires_grad, t.is_leaf, t.name) == ("float32", True, True, "w")
    with pytest.raises(RuntimeError, match="no device 'cuda'"):
        MAKERS[name](device="cuda")


def test_sizes_may_be_numbers_a_tuple_a_list_a_size_or_a_keyword():
    for t in (
        sg.zeros(2, 3),
        sg.zeros((2, 3)),
        sg.zeros([2, 3]),
        sg.zeros(sg.ones(2, 3).shape),
        sg.zeros(size=(2, 3)),
        sg.rand(size=(2, 3)),
    ):
        assert tuple(t.shape) == (2, 3)
    assert tuple(sg.ones(sg.tensor(3)).shape) == (3,)
    assert tuple(sg.zeros(()).shape) == ()


def test_like_and_new_follow_a_tensor():
    x = sg.ones(2, 3, dtype=sg.float32, requires_grad=True)
    for t in (
        sg.zeros_like(x),
        sg.ones_like(x),
        sg.empty_like(x),
        sg.full_like(x, 3),
        sg.rand_like(x),
        sg.randn_like(x),
        sg.randint_like(x, 3),
    ):
        assert (tuple(t.shape), t.dtype, t.requires_grad) == ((2, 3), "float32", False)
    for t in (
        x.new_zeros(4),
        x.new_ones((4,)),
        x.new_empty([4]),
        x.new_full((4,), 2),
        x.new_tensor([1, 2, 3, 4]),
        x.new_zeros(size=(4,)),
    ):
        assert (tuple(t.shape), t.dtype, t.requires_grad) == ((4,), "float32", False)
    assert sg.zeros_like(x, dtype=sg.int64).dtype == "int64"


def test_numpys_makers_on_tensors():
    x = sg.ones(2, 3, requires_grad=True)
    for t, value in ((np.zeros_like(x), 0), (np.ones_like(x), 1), (np.full_like(x, 7), 7)):
        assert isinstance(t, sg.Tensor) and not t.requires_grad
        np.testing.assert_array_equal(t.numpy(), np.full((2, 3), value))
    assert tuple(np.zeros_like(x, shape=(4,)).shape) == (4,)
    assert isinstance(sg.zeros_like(np.ones(2)), np.ndarray)


RANGES = [(5,), (2.0,), (1, 5), (0, 1, 0.1), (5, 0, -2), (0, 3, 0.7), (3, 3), (0.5, 2), (0, 0.3, 0.1)]


@pytest.mark.parametrize("arguments", RANGES)
def test_arange(arguments):
    t = sg.arange(*arguments)
    np.testing.assert_allclose(t.numpy(), np.arange(*arguments))
    assert t.dtype == np.arange(*arguments).dtype


def test_linspace_logspace_eye_and_indices():
    assert sg.linspace(0, 10, 5, dtype=sg.int64).tolist() == [0, 2, 5, 7, 10]
    assert sg.linspace(3, 5, 1).tolist() == [3]
    assert sg.logspace(0, 3, 4, base=2).tolist() == [1, 2, 4, 8]
    assert sg.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert sg.tril_indices(2, 3).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert sg.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]


def test_as_tensor_and_from_numpy_share_memory():
    a = np.zeros(2)
    shared = [sg.as_tensor(a), sg.from_numpy(a), sg.asarray(a)]
    a[0] = 1
    assert all(t[0].item() == 1 for t in shared)
    x = sg.ones(2, requires_grad=True)
    assert sg.as_tensor(x) is x
    assert sg.as_tensor(x, dtype=sg.float32).requires_grad
    assert sg.asarray(a, copy=True).data_ptr() != sg.asarray(a).data_ptr()
    assert sg.as_tensor([1, 2.0]).dtype == "float64"
    with pytest.raises(TypeError, match="expected np.ndarray"):
        sg.from_numpy([1])


REFUSED = [
    (
        lambda: sg.tensor([1], requires_grad=True), RuntimeError,
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    (lambda: sg.zeros(2, dtype=sg.bool, requires_grad=True), RuntimeError, "Only Tensors of floating point"),
    (lambda: sg.tensor([[1, 2], [3]]), ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
    (lambda: sg.tensor([1, [2]]), TypeError, "not a sequence of numbers"),
    (lambda: sg.tensor("a"), TypeError, "invalid data type 'str'"),
    (lambda: sg.tensor(["a"]), TypeError, "invalid data type 'str'"),
    (lambda: sg.tensor(None), RuntimeError, "Could not infer dtype of NoneType"),
    (lambda: sg.tensor({}), RuntimeError, "dict"),
    (lambda: sg.tensor(1.0, dtype="no"), TypeError, "dtype must be a dtype"),
    (lambda: sg.zeros(), TypeError, "missing 1 required positional"),
    (lambda: sg.zeros(2.0), TypeError, "must be tuple of ints"),
    (lambda: sg.zeros(-1), RuntimeError, "Dimension size must be non-negative"),
    (lambda: sg.eye(-1), RuntimeError, "n must be greater or equal to 0, got -1"),
    (lambda: sg.arange(5, 1), RuntimeError, "upper bound and lower bound inconsistent with step sign"),
    (lambda: sg.arange(1, 2, 0), RuntimeError, "step must be nonzero"),
    (lambda: sg.linspace(0, 1, -1), RuntimeError, "number of steps must be non-negative"),
    (lambda: sg.randint(3, 3, (2,)), RuntimeError, "expects 'from' to be less than 'to', but got from=3 >= to=3"),
    (lambda: sg.normal(0.0, -1.0, (2,)), RuntimeError, "normal expects std >= 0.0, but found std -1"),
    (lambda: sg.rand(2, dtype=sg.int64), RuntimeError, "not implemented for 'Long'"),
    (lambda: sg.multinomial(sg.ones(4), 7), RuntimeError, "without replacement"),
    (lambda: sg.multinomial(-sg.ones(4), 2), RuntimeError, "element < 0"),
    (lambda: sg.bernoulli(sg.ones(2) * 2), RuntimeError, "Expected p_in >= 0 && p_in <= 1"),
    (lambda: sg.ones(2).uniform_(2, 1), RuntimeError, "found from=2 > to=1"),
    (lambda: sg.ones(2, dtype=sg.int64).normal_(), RuntimeError, "not implemented for 'Long'"),
    (lambda: sg.ones(2, requires_grad=True).normal_(), RuntimeError, "a leaf Variable that requires grad"),
    (
        lambda: sg.complex(sg.ones(2, dtype=sg.int64), sg.ones(2)), RuntimeError,
        "Expected both inputs to be real float tensors",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "words"), REFUSED)
def test_what_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


# ------------------------------------------------------------------------------------------------------- random


def test_a_seed_repeats_the_stream_and_a_state_continues_it():
    assert sg.manual_seed(3).initial_seed() == sg.initial_seed() == 3
    first = sg.rand(3)
    sg.manual_seed(3)
    np.testing.assert_array_equal(sg.rand(3).numpy(), first.numpy())
    state = sg.get_rng_state()
    assert state.dtype == "uint8"
    after = sg.randn(3)
    sg.set_rng_state(state)
    np.testing.assert_array_equal(sg.randn(3).numpy(), after.numpy())
    sg.manual_seed(-1)
    assert sg.initial_seed() == 2**64 - 1
    assert sg.seed() == sg.initial_seed()


def test_a_generator_is_a_stream_of_its_own():
    g = sg.Generator().manual_seed(0)
    a = sg.randn(2, generator=g)
    sg.rand(5)
    b = sg.randn(2, generator=g)
    g.manual_seed(0)
    both = [sg.randn(2, generator=g), sg.randn(2, generator=g)]
    np.testing.assert_array_equal(np.stack([a.numpy(), b.numpy()]), np.stack([t.numpy() for t in both]))
    copy = sg.Generator().set_state(g.get_state())
    np.testing.assert_array_equal(sg.rand(2, generator=g).numpy(), sg.rand(2, generator=copy).numpy())


def test_draws_have_the_moments_they_promise():
    sg.manual_seed(0)
    n = 20_000
    for draws, mean, std in (
        (sg.rand(n), 0.5, 12**-0.5), (sg.randn(n), 0, 1), (sg.normal(2.0, 3.0, (n,)), 2, 3),
        (sg.normal(sg.full((n,), 2.0), 3.0), 2, 3),
        (sg.randint(5, (n,)), 2, 2**0.5), (sg.bernoulli(sg.full((n,), 0.3)), 0.3, 0.21**0.5),
        (sg.empty(n).normal_(1, 2), 1, 2),
        (sg.empty(n).uniform_(-1, 1), 0, 3**-0.5), (sg.empty(n).exponential_(2.0), 0.5, 0.5),
        (sg.empty(n).bernoulli_(0.3), 0.3, 0.21**0.5),
        (sg.multinomial(sg.tensor([1.0, 3.0]), n, replacement=True), 0.75, 0.1875**0.5),
        (sg.empty(n).random_(5), 2, 2**0.5),
        (sg.empty(n).geometric_(0.5), 2, 2**0.5), (sg.randint(1, 6, (n,)), 3, 2**0.5),
        (sg.empty(n).uniform_(to=2), 1, 3**-0.5),
    ):  # fmt: skip
        values = draws.numpy()
        assert abs(values.mean() - mean) < 5 * std / n**0.5
        assert abs(values.std() - std) < 0.05 * max(std, 1)
    z = sg.randn(n, dtype=sg.complex128).numpy()
    assert abs((np.abs(z) ** 2).mean() - 1) < 0.05


def test_permutations_and_draws_without_replacement_repeat_nothing():
    assert sorted(sg.randperm(6).tolist()) == list(range(6))
    drawn = sg.multinomial(sg.tensor([[1.0, 0.0, 2.0], [1.0, 1.0, 1.0]]), 2)
    assert sorted(drawn[0].tolist()) == [0, 2]
    assert len(set(drawn[1].tolist())) == 2


@pytest.mark.parametrize(
    "name",
    ["normal_", "uniform_", "bernoulli_", "random_", "exponential_", "log_normal_", "cauchy_"],
)
def test_filling_a_tensor_cuts_its_gradient_to_zero(name):
    x = sg.ones(3, requires_grad=True)
    y = x * 2
    z = getattr(y, name)()
    assert z is y
    (g,) = sg.autograd.grad((z * 3).sum(), x)
    assert g.tolist() == [0, 0, 0]


def test_the_parameters_of_a_draw_get_zero_gradient():
    mean, std = sg.ones(3, requires_grad=True), sg.ones(3, requires_grad=True)
    for g in sg.autograd.grad(sg.normal(mean, std).sum(), [mean, std]):
        assert g.tolist() == [0, 0, 0]
    (g,) = sg.autograd.grad(sg.bernoulli(mean * 0.5).sum(), mean)
    assert g.tolist() == [0, 0, 0]


# ------------------------------------------------------------------------------------------------------ complex


def test_complex_numbers_of_parts_and_back():
    a, b = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor([0.5, -1.0], requires_grad=True)
    z = sg.complex(a, b)
    assert z.dtype == "complex128"
    parts = sg.view_as_real(z)
    np.testing.assert_array_equal(parts.detach().numpy(), [[1, 0.5], [2, -1]])
    ga, gb = sg.autograd.grad((parts * sg.tensor([[1.0, 2.0], [3.0, 4.0]])).sum(), [a, b])
    assert (ga.tolist(), gb.tolist()) == ([1, 3], [2, 4])
    np.testing.assert_array_equal(sg.view_as_complex(parts).detach().numpy(), z.detach().numpy())
    assert sg.complex(sg.ones(1, dtype=sg.float32), sg.ones(1, dtype=sg.float32)).dtype == "complex64"
    w = sg.polar(a, b).detach().numpy()
    np.testing.assert_allclose(w, a.detach().numpy() * np.exp(1j * b.detach().numpy()))


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.tensor([1.0, 2.0]), sg.rand(2), sg.as_tensor(sg.ones(2))


# Draws from binomial and gamma distributions --------------------------------------------------------------------------


SHAPES = [0.01, 0.1, 0.5, 1.0, 3.0, 50.0, 1e4]


@pytest.mark.parametrize("shape", SHAPES)
def test_gamma_draws_are_of_the_gamma_distribution(shape):
    sg.manual_seed(7)
    draws = sg._standard_gamma(sg.full((4000,), shape)).numpy()
    assert (draws > 0).all() and stats.kstest(np.log(draws), stats.loggamma(shape).cdf).pvalue > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_a_gamma_draw_moves_with_its_shape_as_the_quantile_does(shape):
    """Against differences of SciPy's quantile function at the level that was drawn, at first and second order."""
    sg.manual_seed(3)
    a = sg.full((30,), shape, requires_grad=True)
    x = sg._standard_gamma(a)
    (slope,) = sg.autograd.grad(x.sum(), a, create_graph=True)
    (bend,) = sg.autograd.grad(slope.sum(), a)
    level, h = special.gammainc(shape, x.detach().numpy()), 1e-3 * shape * min(1, 10 * shape)
    inside = (level > 1e-3) & (level < 0.999) & (x.detach().numpy() > 1e-250)  # where digits are left to compare
    at = lambda k: special.gammaincinv(shape + k * h, level)
    first = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    second = (16 * (at(1) + at(-1)) - (at(2) + at(-2)) - 30 * at(0)) / (12 * h**2)
    scale = np.abs(at(0)) / shape
    np.testing.assert_allclose((slope.detach().numpy() / scale)[inside], (first / scale)[inside], rtol=1e-6, atol=1e-6)
    scale = scale / shape * max(1, 1 / shape)
    np.testing.assert_allclose((bend.numpy() / scale)[inside], (second / scale)[inside], rtol=1e-4, atol=1e-4)


def test_the_smallest_gamma_draws_have_derivatives():
    a = sg.full((200,), 1e-3, requires_grad=True)
    x = sg._standard_gamma(a)
    x.sum().backward()
    assert (x > 0).all() and x.min() < 1e-300 and np.isfinite(a.grad.numpy()).all()


def test_binomial_draws_are_of_the_binomial_distribution():
    sg.manual_seed(5)
    draws = sg.binomial(sg.full((4000, 1), 12.0), sg.tensor([0.0, 0.3, 1.0])).numpy()
    assert (draws[:, 0] == 0).all() and (draws[:, 2] == 12).all()
    counts = np.bincount(draws[:, 1].astype(int), minlength=13)
    expected = 4000 * stats.binom(12, 0.3).pmf(np.arange(13))
    kept = expected > 5
    assert stats.chisquare(counts[kept], expected[kept] * counts[kept].sum() / expected[kept].sum()).pvalue > 1e-3


def test_draws_repeat_with_their_generator():
    def draws():
        generator = sg.Generator().manual_seed(4)
        n, p = sg.full((3,), 9.0), sg.full((3,), 0.5)
        return sg.binomial(n, p, generator).tolist(), sg._standard_gamma(n, generator).tolist()

    assert draws() == draws()


def test_what_is_no_parameter_is_said():
    p = sg.tensor([0.5], requires_grad=True)
    with pytest.raises(sg.NotDifferentiableError, match="'binomial'"):
        sg.binomial(sg.tensor([10.0]), p)
    with sg.no_grad():
        assert 0 <= sg.binomial(sg.tensor([10.0]), p) <= 10
    for count, prob in ((10.0, 1.5), (10.0, np.nan), (np.inf, 0.5)):
        with pytest.raises(ValueError, match="finite counts, and probabilities"):
            sg.binomial(sg.tensor([count]), sg.tensor([prob]))
    for shape in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="positive shape"):
            sg._standard_gamma(sg.tensor([shape]))
    with pytest.raises(TypeError, match="floating-point dtypes for count"):
        sg.binomial(sg.tensor([10]), sg.tensor([0.5]))


# Dtypes, and what scripts ask before they make a tensor ---------------------------------------------------------------


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

"""Dtypes, and operands of unlike dtypes and shapes: limits, values, dtypes and gradients are PyTorch's.

Whole numbers beside floats, vectors beside matrices, masks that leave nothing, scales that round to a length: each was
another number in silence once.
"""

import itertools
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad import SymgradError
from symgrad._typing import NAMES, TYPE_NAMES

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare

BINARY = """
mul div pow add sub xlogy atan2 true_divide fmod remainder copysign hypot maximum minimum logaddexp fmax fmin outer
addcmul addcdiv lerp where ldexp
""".split()  # noqa: SIM905
DTYPES = ("float32", "float64", "float16", "int64", "int8", "bool", "complex64")


def told(lib, value):
    """A tensor's dtype and numbers."""
    value = value.detach()
    return str(value.dtype).rpartition(".")[2], (value if lib is sg else value.resolve_conj()).numpy()


def called(lib, name, a, b):
    if name in ("addcmul", "addcdiv"):
        return getattr(lib, name)(a, b, b)
    if name == "lerp":
        return lib.lerp(a, b, 0.5)
    return lib.where(b > 1, a, b) if name == "where" else getattr(lib, name)(a, b)


def outcome(lib, name, one, two, swapped):
    """Value, dtype and gradient of an operation on two dtypes; the word where it is refused."""
    a = lib.tensor([1.0, 2.0]).to(getattr(lib, one))
    b = lib.tensor([2.0, 1.0]).to(getattr(lib, two))
    a = a.requires_grad_() if one.startswith(("float", "complex")) else a
    try:
        y = called(lib, name, *((b, a) if swapped else (a, b)))
        if not y.requires_grad:
            return [told(lib, y)]
        (g,) = lib.autograd.grad(y.abs().sum(), a)
    except (RuntimeError, NotImplementedError, TypeError):
        return "refused"
    return [told(lib, y), told(lib, g)]


def same(ours, theirs, near):
    for (dtype, value), (wanted, right) in zip(ours, theirs, strict=True):
        assert dtype == wanted
        np.testing.assert_allclose(np.asarray(value), np.asarray(right), rtol=near, atol=near)


@pytest.mark.parametrize("name", BINARY)
def test_unlike_dtypes(name):
    for one, two in itertools.product(("float32", "float64"), DTYPES):
        for swapped in (False, True):

            def run(lib, one=one, two=two, swapped=swapped):
                return outcome(lib, name, one, two, swapped)

            ours, theirs = run(sg), answer("torch", run)
            if "refused" not in (ours, theirs):
                same(ours, theirs, 2e-3 if "float16" in (one, two) else 1e-5)


def reached(lib, x, y):
    y.sum().backward()
    return told(lib, y)[1], told(lib, x.grad)[1]


def attended(lib, padding):
    layer = lib.nn.MultiheadAttention(4, 2, batch_first=True)
    with lib.no_grad():
        for p in layer.parameters():
            p.copy_(lib.linspace(-1.0, 1.0, p.numel()).reshape(p.shape))
    x = lib.linspace(0.0, 1.0, 12).reshape(1, 3, 4).requires_grad_()
    masks = {"attn_mask": lib.tensor([[True] * 3, [False, True, True], [False, False, True]])}
    masks = {"key_padding_mask": lib.tensor([[True] * 3])} if padding else masks
    return reached(lib, x, layer(x, x, x, need_weights=False, **masks)[0])


def similar(lib, shape, dim):
    x = lib.arange(1.0, 13.0).reshape(3, 4).requires_grad_()
    other = lib.arange(2.0, 2.0 + 2 * int(np.prod(shape)), 2.0).reshape(*shape)
    return reached(lib, x, lib.nn.functional.cosine_similarity(x, other, dim=dim))


def resized(lib, mode, shape, factor, **options):
    x = (lib.arange(float(np.prod(shape))) ** 1.3).reshape(1, 1, *shape).requires_grad_()
    y = lib.nn.functional.interpolate(x, scale_factor=factor, mode=mode, **options)
    if options or mode == "bicubic":  # where PyTorch's backward is not that of its forward
        return told(lib, y)[1]
    return reached(lib, x, y)


def slid(lib, padding, mode):
    layer = lib.nn.Conv2d(1, 1, 2, padding=padding, padding_mode=mode)
    with lib.no_grad():
        for p in layer.parameters():
            p.fill_(0.5)
    x = lib.arange(9.0).reshape(1, 1, 3, 3).requires_grad_()
    return reached(lib, x, layer(x))


def powered(lib):
    z = lib.tensor([1 + 2j, 0.5 - 1j], dtype=lib.complex128).requires_grad_()
    y = lib.tensor([-2, 3]) ** z
    y.abs().sum().backward()
    return told(lib, y)[1], told(lib, z.grad)[1]


def listed(lib):
    """How many operands the nodes of choices tell of."""
    x, places = lib.arange(6.0).reshape(2, 3).requires_grad_(), lib.tensor([[0, 1, 0]])
    made = {
        "max": x.max(1)[0], "sort": x.sort(1)[0], "median": x.median(1)[0], "gather": lib.gather(x, 0, places),
        "where": lib.where(x > 1, x, x * 2), "index": x[lib.tensor([0])], "cummax": x.cummax(1)[0],
        "scatter": lib.scatter(x, 0, places, x), "masked_select": lib.masked_select(x, x > 1), "mul": x * x,
    }  # fmt: skip
    return {name: len(y.grad_fn.next_functions) for name, y in made.items()}


OPTIONS = {
    **{f"attention, {'padding' if p else 'mask'}": lambda lib, p=p: attended(lib, p) for p in (True, False)},
    **{f"cosine {s} {d}": lambda lib, s=s, d=d: similar(lib, s, d)
       for s, d in (((1, 4), 0), ((4,), 1), ((3, 1), 0), ((3, 4), 1))},
    **{f"resized {m} {f}": lambda lib, m=m, f=f, s=s: resized(lib, m, s, f) for m, s in
       (("linear", (6,)), ("bilinear", (5, 7)), ("nearest", (5,)), ("nearest", (5, 6)), ("nearest-exact", (6, 5)),
        ("bicubic", (5, 6)), ("trilinear", (5, 4, 6))) for f in (1.05, 1.19, 0.9)},
    **{f"smooth {m}": lambda lib, m=m: resized(lib, m, (5, 6), 1.1, antialias=True) for m in ("bilinear", "bicubic")},
    **{f"slid {p} {m}": lambda lib, p=p, m=m: slid(lib, p, m)
       for p in ("valid", "same", 1) for m in ("reflect", "circular", "replicate")},
    "whole numbers to a complex power": powered, "nodes": listed,
    "rounded": lambda lib: told(lib, lib.round(lib.tensor([2**60 + 1, -3])))[1],
    "angles": lambda lib: told(lib, lib.angle(lib.tensor([-0.0, 0.0, -2.0, 3.0])))[1],
    "steps": lambda lib: told(lib, lib.heaviside(lib.tensor([1, 0, -2]), lib.tensor([5, 7, 9])))[1],
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_meet(name):
    ours, theirs = OPTIONS[name](sg), answer("torch", OPTIONS[name])
    if isinstance(ours, dict):
        assert ours == theirs
    else:
        for one, two in zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]:
            np.testing.assert_allclose(one, two, rtol=2e-5, atol=1e-5)


CALLS = """
sum(T([100, 200], dtype=uint8), dtype=uint8)
sum(T([1.7, 1.7]), dtype=int32)
sum(T([[1.7, -1.7]]), 1, dtype=bool)
nansum(T([1.7, 1.7]), dtype=int32)
prod(T([100, 200], dtype=uint8), dtype=uint8)
prod(T([[1.7, 1.7]]), 1, dtype=bool)
cumsum(T([100, 200], dtype=uint8), 0, dtype=uint8)
cumprod(T([1.7, 1.7]), 0, dtype=int32)
trace(T([[200, 1], [1, 200]], dtype=uint8))
all(T([[1, 0]], dtype=uint8), 1)
any(T([1, 0], dtype=uint8))
square(T([True, False]))
pow(T([True, False]), 2)
div(T([2**60 + 1]), T(1), rounding_mode="trunc")
div(T([200, 7], dtype=uint8), T([3, 2], dtype=uint8), rounding_mode="trunc")
div(T([20, -7], dtype=int8), 3, rounding_mode="trunc")
div(T([20, -7], dtype=int8), T([3]), rounding_mode="trunc")
div(T([True, False]), 2, rounding_mode="trunc")
addcmul(T([1], dtype=int8), T([True]), T([True]), value=2)
addcmul(T([1]), T([2]), T([3]), value=2.5)
addmm(T([[1, 2]]), T([[1, 2]]), T([[1, 2], [3, 4]]), beta=2.5, alpha=1.5)
addmv(T([1, 2]), T([[1, 2], [3, 4]]), T([1, 2]), beta=2.5, alpha=1.5)
addbmm(T([[1, 2]]), T([[[1, 2]]]), T([[[1, 2], [3, 4]]]), beta=2.5, alpha=1.5)
baddbmm(T([[[1, 2]]]), T([[[1, 2]]]), T([[[1, 2], [3, 4]]]), beta=2.5, alpha=1.5)
addr(T([[False, True]]), T([True]), T([True, True]), beta=3, alpha=0)
ldexp(T([1 + 2j], dtype=complex64), T([2], dtype=int8))
lu_unpack(T([[1 + 1j, 2], [3, 4]]), T([2, 2], dtype=int32))
cov(T([[1, 2, 5], [3, 4, 9]]), aweights=T([1.0, 2.0, 3.0], dtype=float32))
vander(T([20], dtype=uint8), 4)
linalg.vander(T([2000], dtype=int32), N=4)
linalg.vander(T(2.0), N=2)
special.shifted_chebyshev_polynomial_t(T([200], dtype=uint8), T([2], dtype=uint8))
special.shifted_chebyshev_polynomial_w(T([200], dtype=uint8), T([2], dtype=uint8))
special.zeta(T([2, 3]), 1.5)
special.zeta(T([0.5], dtype=float32), T([7], dtype=uint8))
special.hermite_polynomial_h(T([1.5], dtype=float32), T([2.0], dtype=float64))
special.legendre_polynomial_p(T([3]), T([2.0], dtype=float32))
special.legendre_polynomial_p(T([2], dtype=uint8), T([-1]))
trapz(T([200, 200, 1], dtype=uint8))
where(T(2.0))
slice_scatter(T([1.0, 2.0], dtype=float16), T([0.5]), 0, 1)
select_scatter(T([1, 2]), T(0.5), 0, 1)
diagonal_scatter(zeros(2, 2, dtype=float32), T([0.5, 1.0]))
zeros(2, dtype=uint8).scatter_reduce(0, T([0, 0]), T([4, 7], dtype=uint8), "mean")
zeros(2, dtype=int32).index_reduce(0, T([0, 0]), T([4, -8], dtype=int32), "mean", include_self=False)
bincount(T([1, 1], dtype=uint8), weights=T([3, 200], dtype=uint8))
unravel_index(T([1, 2, 255], dtype=uint8), (4, 1073741824))
max(T([[3, 1], [2, 0]]), T(1))
T([[3, 1], [2, 0]]).min(T(1))
linspace(-2, -3, 5, dtype=int64)
linspace(-10.5, 10.7, 8, dtype=int32)
logspace(4.3, 4, 2, base=5.0, dtype=int64)
logspace(0.5, 4.7, 5, base=2.5, dtype=int32)
logspace(1.5, 4, 1, base=5.0, dtype=int64)
arange(0.1, -7.9, -4.0, dtype=int64)
arange(0.0, -8.000001, -4.0, dtype=int64)
arange(0.5, 7.9, 1.7, dtype=int64)
arange(0, 10, 2.5, dtype=int32)
linalg.matrix_rank(diag(T([1.0, 0.1, 0.01])).expand(3, 3, 3), rtol=T([0.5, 0.05, 0.001]))
linalg.matrix_rank(diag(T([1.0, 0.1, 0.01])).expand(3, 3, 3), atol=T([0.5, 0.05, 0.0]))
linalg.matrix_rank(diag(T([1.0, 0.1, 0.1, 0.01, 0.01])).expand(2, 5, 5), rtol=T([0.5, 0.05]), hermitian=True)
linalg.matrix_rank(diag(T([1.0, 0.1, 0.01])), rtol=T([0.5, 0.05, 0.001]))
linalg.pinv(diag(T([1.0, 0.1, 0.01])).expand(3, 3, 3), atol=T([0.5, 0.05, 0.001]))
linalg.householder_product(zeros(2, 1), zeros(0))
searchsorted(zeros(0, 0), zeros(0, 0), sorter=zeros(0, 0, dtype=int64))
unique_consecutive(zeros(5, 0, 5), dim=1, return_inverse=True, return_counts=True)
gradient(T([1.0, 2.0, 4.0]), spacing=None)
F.interpolate(T([[[[10, 200], [30, 250]]]], dtype=uint8), size=(3, 3), mode="bilinear")
F.interpolate(T([[[[10, 200], [30, 250]]]], dtype=uint8), size=(3, 5), mode="bicubic")
F.interpolate(T([[[[10, 200, 7], [30, 250, 9]]]], dtype=uint8), size=(3, 2), mode="bilinear", antialias=True)
F.interpolate(T([[[[10, 200, 7], [30, 250, 9]]]], dtype=uint8), size=(3, 2), mode="bicubic", antialias=True)
F.upsample_bilinear(T([[[[10, 200], [30, 250]]]], dtype=uint8), size=(3, 3))
F.rms_norm(T([[300.0, 400.0]], dtype=float16), [2])
F.rms_norm(T([[0.001, 0.0002]], dtype=float16), [2])
F.layer_norm(T([[300.0, 1400.0]], dtype=float16), [2], T([2.0, 1.0], dtype=float32))
F.group_norm(T([[[300.0, 1400.0]]], dtype=float16), 1)
F.instance_norm(T([[[300.0, 1400.0]]], dtype=float16))
F.batch_norm(T([[300.0], [1400.0]], dtype=float16), None, None, training=True)
F.batch_norm(T([[6e4]], dtype=float16), T([-6e4], dtype=float16), T([6e4], dtype=float16))
F.normalize(T([[300.0, 1400.0]], dtype=float16))
F.scaled_dot_product_attention(*[T([[300.0, 1400.0], [1.0, 2.0]], dtype=float16)] * 3)
F.avg_pool1d(T([[6e4, 6e4]], dtype=float16), 2)
F.adaptive_avg_pool1d(T([[6e4, 6e4, 6e4]], dtype=float16), 2)
var_mean(T([3.0, 14.0], dtype=float16))
std_mean(T([300.0, 1400.0], dtype=float16))
aminmax(T([300.0, 1400.0], dtype=float16))
std(T([300.0, 1400.0], dtype=float16, requires_grad=True))
F.rrelu(T(-1.0), 0.5, 0.5, training=True)
F.multilabel_margin_loss(T(-1.0), T(0))
F.multi_margin_loss(T(-1.0), T(0), reduction="none")
slope(lambda u: F.gelu((u * 40).half(), approximate="tanh"))
slope(lambda u: dist(u, T([1, 2], dtype=int32)))
slope(lambda u: dist(T([1, 2]), u))
slope(lambda u: special.zeta(T([2, 3]), u))
""".strip().splitlines()
"""Where the dtype of a result is not that of NumPy's, or a short one would overflow on the way; numbers for tensors."""


def called_as(lib, call):
    """The dtypes and values that a call has, its names those of a library."""

    def slope(of):
        u = lib.tensor([1.5, 1.7], dtype=lib.float32, requires_grad=True)
        return lib.autograd.grad(of(u).sum(), u)

    names = {name: getattr(lib, name) for name in set(re.findall(r"[a-z_]\w+", call)) if hasattr(lib, name)}
    found = eval(call, {**names, "T": lib.tensor, "F": lib.nn.functional, "slope": slope})
    return [told(lib, value) for value in (found if isinstance(found, (tuple, list)) else (found,))]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_results_are_of_pytorchs_dtype_and_in_its_range(call):
    ours, theirs = called_as(sg, call), answer("torch", lambda lib: called_as(lib, call))
    assert [np.shape(value) for _, value in ours] == [np.shape(value) for _, value in theirs]
    same(ours, theirs, 1e-3 if "float16" in call else 1e-6)


@pytest.mark.parametrize("call", [
    "F.interpolate(T([[[10, 200]]], dtype=uint8), size=3, mode='linear')",
    "F.interpolate(T([[[[10, 200]]]], dtype=int32), size=3, mode='bilinear')",
    "addr(T([[1, 2]]), T([1]), T([1, 2]), beta=2.5)",
    "arange(0, 5, 0.5, dtype=int64)",
    "linalg.vander(T([2.0]), N=1)",
    "linalg.solve(eye(2), T(1.0))",
    "scalar_tensor(300, dtype=uint8)",
])  # fmt: skip
def test_what_pytorch_refuses_is_refused_in_words(call):
    with pytest.raises(SymgradError):
        called_as(sg, call)
    with pytest.raises((RuntimeError, NotImplementedError, ValueError)):
        answer("torch", lambda lib: called_as(lib, call))


# Dtypes ---------------------------------------------------------------------------------------------------------------


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

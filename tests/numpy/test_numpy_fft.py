"""Fourier transforms: NumPy's values and arguments, PyTorch's names, and exact derivatives of every order."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import gradient
from .test_numpy_idioms import POINT, assert_derivatives, assert_recorded, parts

CASES = """
fft(v) | fft(A) | fft(A, axis=0) | fft(v, 3) | fft(v, n=7) | fft(v, norm="ortho") | fft(v, norm="forward") | fft(v[::-1])
fft(A, 5, 0, "ortho") | fft(C) | fft(C, 3) | fft(C, n=6, axis=0, norm="forward") | fft(v[:1]) | fft(np.stack([s, s, v[0]]))
ifft(v) | ifft(C) | ifft(C, 6) | ifft(A, 2, axis=0) | ifft(C, norm="ortho") | ifft(C, norm="forward") | ifft(v[:3])
rfft(v) | rfft(v[:3]) | rfft(A, axis=0) | rfft(v, 3) | rfft(v, n=7) | rfft(v, 6, norm="ortho") | rfft(v[:1])
rfft(A, None, 0, "forward") | rfft(A.T, axis=-2) | rfft(v, 2) | rfft(v[:2]) | rfft(v, norm="backward")
irfft(v) | irfft(C) | irfft(C, 7) | irfft(C, 6, axis=0) | irfft(C, n=5, norm="ortho") | irfft(C, norm="forward")
irfft(C, 3) | irfft(C, 2) | irfft(C, 1) | irfft(v[:2]) | irfft(C, axis=0) | irfft(rfft(v) ** 2) | irfft(rfft(v[:3]), 3)
hfft(v) | hfft(C) | hfft(C, 7) | hfft(C, n=5, axis=0, norm="ortho") | hfft(C, norm="forward")
ihfft(v) | ihfft(v, 3) | ihfft(A, n=5, axis=0, norm="ortho") | ihfft(v, norm="forward") | hfft(ihfft(v) ** 2)
fft2(A) | fft2(C, (2, 5)) | fft2(B, axes=(0, 2)) | fft2(B, s=(3, 2), axes=(2, 1), norm="ortho") | fft2(A, s=(-1, 3))
ifft2(A) | ifft2(C, (2, 5)) | ifft2(B, axes=(0, 1), norm="forward") | rfft2(A) | rfft2(A, (4, 3)) | rfft2(B, axes=(0, 2))
rfft2(A, s=(2, 5), norm="ortho") | irfft2(C) | irfft2(C, (3, 5)) | irfft2(C, s=(2, 6), axes=(1, 0)) | irfft2(rfft2(A) ** 2)
fftn(A) | fftn(B) | fftn(B, axes=(1,)) | fftn(A, axes=(0, 0)) | fftn(A, (2, 3), axes=(1, 0)) | fftn(A, (2, 3), (0, 1))
ifftn(C) | ifftn(B, axes=(2, 0), norm="ortho") | rfftn(B) | rfftn(A, (2, 5), axes=(0, 1)) | rfftn(B, axes=(2, 1))
rfftn(A, axes=(0, 0)) | rfftn(A, axes=(1, 0, 1)) | rfft2(B, axes=(1, 1)) | rfftn(A, (5, 3), axes=(1, 1)) | irfftn(C, axes=(1, 1))
irfftn(C) | irfftn(C, axes=(0,)) | irfftn(C, (3, 5), axes=(0, 1), norm="forward") | irfftn(C, s=(-1, -1), axes=(0, 1))
irfftn(rfftn(B) ** 2) | fftn(B, axes=()) | fftshift(v) | fftshift(v[:3]) | fftshift(A) | fftshift(A, 0) | fftshift(C, axes=(1,))
ifftshift(v[:3]) | ifftshift(A, axes=(0, 1)) | fftfreq(4, s) * v | rfftfreq(5, d=s)
fft(v) * fft(v[::-1]) | abs(fft(v)) ** 2 | ifft(fft(v) * fft([1.0, 2.0, 0.5, 0.0])).real | np.angle(fft(v)[1])
"""  # noqa: E501
NAMES = [c.strip() for line in CASES.strip().splitlines() for c in line.split(" | ")]
NUMPYS = {name: getattr(np.fft, name) for name in dir(np.fft) if "fft" in name and not name.startswith("_")}


def evaluate(case, z):
    rows = parts(z)
    return eval(case, {**NUMPYS, "np": np, "C": rows["A"] + 1j * rows["A"][::-1, ::-1] ** 2, **rows})


def total(case, z):
    """A real number made of a case's result, curved in each entry."""
    y = evaluate(case, z)
    u, v = y.real, y.imag if np.iscomplexobj(y) else 0.0
    return (u**3 + u * v + v**2 * 0.5 - v).sum()


@one_in(6)
@pytest.mark.parametrize("case", NAMES)
def test_a_transform_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    want = evaluate(case, POINT)
    assert_recorded(evaluate(case, sg.tensor(POINT, requires_grad=True)), want)
    assert_derivatives(lambda z: total(case, z))


@pytest.mark.parametrize("name", NUMPYS)
def test_torchs_names_take_dim_and_numpys_axis(name):
    ours = getattr(sg.fft, name)
    if name.endswith("freq"):
        np.testing.assert_array_equal(ours(5, 0.5).numpy(), NUMPYS[name](5, 0.5))
        return
    x = sg.tensor(POINT.reshape(3, 4), requires_grad=True)
    along = {"fft": "n", "2": "s"}.get(name[-3:] if name.endswith("fft") else name[-1])
    dim = (0, 1) if along == "s" or name.endswith("n") else 0
    axes = {"axis" if along == "n" else "axes": dim}
    want = NUMPYS[name](POINT.reshape(3, 4), **axes)
    for found in (ours(x, dim=dim), ours(x, axis=dim), ours(input=x, dim=dim)):
        assert_recorded(found, want)


def test_hermitian_transforms_along_several_dimensions_are_real_ones_the_other_way_round():
    x, z = POINT.reshape(3, 4), POINT.reshape(3, 4) * (1 + 0.5j)
    for n, dims in (("2", (0, 1)), ("n", (1, 0))):
        forth = np.fft.irfftn(z.conj(), axes=dims, norm="forward")
        np.testing.assert_allclose(getattr(sg.fft, f"hfft{n}")(z, dim=dims), forth)
        np.testing.assert_allclose(getattr(sg.fft, f"ihfft{n}")(x, dim=dims), np.fft.rfftn(x, axes=dims).conj() / 12)


@pytest.mark.parametrize(
    "case", ["fft(z)", "ifft(z, 5)", "irfft(z)", "irfft(z, 5)", "hfft(z, 4)", "fft2(z.reshape(2, 2))"]
)
def test_the_gradient_by_a_complex_signal_is_pytorchs(case):
    def loss(z):
        y = eval(case, NUMPYS, {"z": z})
        return (abs(y) ** 2 * np.arange(1.0, np.size(y) + 1).reshape(y.shape)).sum()

    z = np.array([0.5 + 1j, -0.3, 0.2 - 0.7j, 1.1j])
    np.testing.assert_allclose(sg.grad(loss)(z), gradient(loss, z), rtol=1e-8, atol=1e-8)  # d/dRe + i d/dIm


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "irfft2", "rfftn"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int64])
def test_dtypes_are_numpys_and_gradients_have_the_signals(name, dtype):
    a = np.arange(12.0).reshape(3, 4).astype(dtype)
    if dtype is np.complex64 and name in ("rfft", "ihfft", "rfftn"):
        with pytest.raises(sg.DTypeError, match="expects a real input tensor, but got ComplexFloat"):
            NUMPYS[name](sg.tensor(a))
        return
    x = sg.tensor(a, requires_grad=dtype is not np.int64)
    y = NUMPYS[name](x)
    np.testing.assert_allclose(y.detach().numpy(), NUMPYS[name](a), rtol=1e-5, atol=1e-5)
    assert y.dtype == NUMPYS[name](a).dtype
    if dtype is not np.int64:
        y.abs().sum().backward()
        assert x.grad.dtype == x.dtype


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_run_on_a_batch_at_once_and_in_forward_mode(name, dim):
    rng = np.random.default_rng(0)
    xs, v = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 4, 5))[0]
    f = lambda x: getattr(sg.fft, name)(x, dim=dim)
    mapped = sg.vmap(f)
    np.testing.assert_allclose(mapped(xs), np.stack([f(x) for x in xs]), atol=1e-15)
    assert "one by one" not in mapped.plan(xs)
    y, dy = sg.jvp(f, (xs[0],), (v,))
    np.testing.assert_allclose(y, f(xs[0]), atol=1e-15)
    np.testing.assert_allclose(dy, f(v), atol=1e-15)


def test_a_jacobian_is_the_matrix_of_the_transform():
    F = np.fft.fft(np.eye(5))
    np.testing.assert_allclose(sg.jacobian(lambda x: np.fft.fft(x).real)(np.ones(5)), F.real, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(lambda x: np.fft.rfft(x).imag)(np.ones(5)), F.imag[:3], atol=1e-12)


def test_the_hessian_of_a_spectrums_energy_is_parsevals():
    x, energy, fourth = POINT[:5], *(lambda x, p=p: (abs(np.fft.fft(x)) ** p).sum() for p in (2, 4))
    np.testing.assert_allclose(sg.hessian(energy)(x), 10 * np.eye(5), atol=1e-12)
    np.testing.assert_allclose(sg.hvp(fourth, x, x), 3 * sg.grad(fourth)(x))  # Euler's theorem


def test_formulas_name_transforms_and_their_gradients():
    x = sg.tensor(POINT[:4], requires_grad=True, name="x")
    assert str(sg.fft.rfft(x).formula()) == "rfft(x, norm='backward')"
    y = (abs(sg.fft.rfft(x)) ** 2).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    np.testing.assert_allclose(g.formula()(), g.detach().numpy())
    assert "fft(x" in str(sg.formula(lambda x: abs(sg.fft.fft(x)), sg.symbol("x", "n")))


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda x: np.fft.fft(x, 0), ValueError, "Invalid number of data points (0) specified"),
        (lambda x: np.fft.irfft(x[:1]), ValueError, "irfft: Invalid number of data points (0)"),
        (lambda x: np.fft.fft(x[:0]), ValueError, "fft: Invalid number of data points (0)"),
        (lambda x: np.fft.fft(x, norm="no"), ValueError, "fft: the norm is 'backward', 'ortho' or 'forward', not 'no'"),
        (lambda x: np.fft.fft(x, axis=1), IndexError, "Dimension out of range"),
        (lambda x: np.fft.fft(x.sum()), sg.ShapeError, "fft is along a dimension, and a number has none"),
        (lambda x: np.fft.fft2(x), IndexError, "Dimension out of range"),
        (lambda x: np.fft.fftn(x, s=(2, 3), axes=(0,)), ValueError, "fftn: Shape and axes have different lengths."),
        (lambda x: np.fft.rfftn(x, axes=()), ValueError, "rfftn: at least 1 axis must be transformed"),
        (lambda x: np.fft.fft(x, out=np.zeros(4, complex)), TypeError, "np.fft.fft on tensors does not take out="),
    ],
)  # fmt: skip
def test_what_cannot_be_transformed_is_refused_in_words(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True))
    assert words in str(caught.value)


def test_transforms_of_torchs_write_to_out():
    out = sg.zeros(4, dtype=sg.complex128)
    assert sg.fft.fft(sg.arange(4.0), out=out) is out
    np.testing.assert_array_equal(out.numpy(), np.fft.fft(np.arange(4.0)))


def test_memory_layout_and_large_arrays_do_not_matter():
    a = np.random.default_rng(0).normal(size=(300, 400))
    for view in (a[::-1, ::2], a.T, a[:, ::-3]):
        assert_recorded(np.fft.fft2(sg.asarray(view, requires_grad=True)), np.fft.fft2(view))

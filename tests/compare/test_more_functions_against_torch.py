"""Functions of torch, torch.linalg and torch.special, each beside PyTorch's: values, dtypes, shapes, first and second
derivatives."""

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(5)
V, W = RNG.normal(size=7), RNG.normal(size=7)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
T = RNG.normal(size=(2, 3, 4))
S = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)
POSITIVE, UNIT = RNG.uniform(0.3, 3.0, (3, 4)), RNG.uniform(0.1, 0.9, (3, 4))
GAPS = np.where(RNG.random((3, 4)) < 0.3, np.nan, A)
NUMBERS, FEWER = RNG.integers(1, 30, (3, 4)), RNG.integers(1, 6, (3, 4))
PLACES = np.cumsum(RNG.uniform(0.2, 1.0, 4))
COMPLEX = S + 1j * RNG.normal(size=(2, 3, 3))


def _distances(L, a, p):
    if L is sg:
        return L.pdist(a, p)
    assert L.equal(L.pdist(a.detach(), p), L.pdist(a, p))
    return L.stack([L.linalg.vector_norm(a[i] - a[j], p) for i in range(3) for j in range(i + 1, 3)])  # twice, too


CASES = {
    "as_strided": (lambda L, a: a.as_strided((3, 2), (2, 1), 1), A),
    "as_strided overlapping": (lambda L, a: a.as_strided((4, 3), (1, 1)), V),
    "as_strided of a transpose": (lambda L, a: a.t().as_strided((2, 3), (3, 2), 2), A),
    "as_strided of a part": (lambda L, a: a[1:, ::2].as_strided((2, 2), (1, 4)), A),
    "as_strided beyond a part": (lambda L, a: a[1:].as_strided((3, 2), (2, 1), 0), A),
    "as_strided of an expanded tensor": (lambda L, a: a[:1].expand(3, 4).as_strided((3, 2), (0, 2)).sum(0), A),
    "unsafe_split": (lambda L, a: L.unsafe_split(a, 2, 1), A),
    "unsafe_chunk": (lambda L, a: L.unsafe_chunk(a, 3, 1), A),
    "unsafe_split_with_sizes": (lambda L, a: L.unsafe_split_with_sizes(a, [1, 3], 1), A),
    "split_with_sizes": (lambda L, a: L.split_with_sizes(a, [1, 3], 1), A),
    "narrow_copy": (lambda L, a: a.narrow_copy(1, 1, 2), A),
    "cov": (lambda L, a: L.cov(a), A),
    "cov weighed": (lambda L, a, n, w: L.cov(a, correction=0, fweights=n[0], aweights=w[0].detach()), A, FEWER, UNIT),
    "cov of a vector": (lambda L, v: v.cov(), V),
    "corrcoef": (lambda L, a: a.corrcoef(), A),
    "trapezoid": (lambda L, a, x: L.trapezoid(a, x), A, PLACES),
    "trapezoid dx": (lambda L, a: L.trapz(a, dx=0.5, dim=0), A),
    "cumulative_trapezoid": (lambda L, a, x: L.cumulative_trapezoid(a, x), A, PLACES),
    "gradient": (lambda L, a: L.gradient(a, spacing=0.5), A),
    "gradient of places": (lambda L, a, x: L.gradient(a, spacing=(x.detach(),), dim=1, edge_order=2), A, PLACES),
    "gradient, parabolas": (lambda L, a: L.gradient(a, spacing=[1.0, 2.0], edge_order=2), A),
    "renorm": (lambda L, a: L.renorm(a, 2, 0, 1.5), A),
    "renorm of slices": (lambda L, a: a.renorm(3.0, 1, 1.0), T),
    "pdist": (lambda L, a: _distances(L, a, 2.0), A),
    "pdist, p=3": (lambda L, a: _distances(L, a, 3.0), A),
    "combinations": (lambda L, v: L.combinations(v, 3), V),
    "combinations with replacement": (lambda L, v: L.combinations(v, 2, True), V),
    "index_reduce prod": (lambda L, a, b: a.index_reduce(1, L.tensor([0, 2, 0, 1]), b, "prod"), A, B),
    "index_reduce mean": (lambda L, a, b: a.index_reduce(0, L.tensor([2, 0, 2]), b, "mean", include_self=False), A, B),
    "index_reduce amax": (lambda L, a, b: a.index_reduce(0, L.tensor([2, 0, 2]), b, "amax"), A, B),
    "ldexp": (lambda L, a, b: L.ldexp(a, b), A, B),
    "frexp": (lambda L, a: L.frexp(a), A * 10),
    "float_power": (lambda L, a, b: L.float_power(a, b), POSITIVE, A),
    "float_power of whole numbers": (lambda L, n: n.float_power(2), NUMBERS),
    "deg2rad": (lambda L, a: L.deg2rad(a), A),
    "rad2deg": (lambda L, a: L.rad2deg(a), A),
    "logit": (lambda L, a: L.logit(a), UNIT),
    "logit eps": (lambda L, a: L.logit(a, 0.3), UNIT),
    "mvlgamma": (lambda L, a: L.mvlgamma(a, 3), POSITIVE + 1.1),
    "lu": (lambda L, a: L.linalg.lu(a), S),
    "lu of a wide matrix": (lambda L, a: L.linalg.lu(a), A),
    "lu of a tall matrix": (lambda L, a: L.linalg.lu(a.mT), A),
    "lu of complex matrices": (lambda L, a: L.linalg.lu(a), COMPLEX),
    "lu_factor": (lambda L, a: L.linalg.lu_factor(a), S),
    "lu_unpack": (lambda L, a: L.lu_unpack(*L.linalg.lu_factor(a)), A),
    "lu_solve": (lambda L, a, b: L.linalg.lu_solve(*L.linalg.lu_factor(a), b), S, S[..., :2]),
    "lu_solve adjoint": (lambda L, a, b: L.linalg.lu_solve(*L.linalg.lu_factor(a), b, adjoint=True), COMPLEX, COMPLEX),
    "lu_solve right": (lambda L, a, b: L.linalg.lu_solve(*L.linalg.lu_factor(a), b.mT, left=False), S, S[..., :2]),
    "Tensor.lu": (lambda L, a: L.lu(a), S),
    "Tensor.lu_solve": (lambda L, a, b: b.lu_solve(*L.linalg.lu_factor(a)), S, S[..., :2]),
    "eigvals": (lambda L, a: L.linalg.eigvals(a), S),
    "eig": (lambda L, a: (L.linalg.eig(a)[0], L.linalg.eig(a)[1].abs()), S + np.diag([0.0, 5.0, 9.0])),
    "eig of complex matrices": (lambda L, a: (L.linalg.eig(a)[0], L.linalg.eig(a)[1].abs()), COMPLEX),
    "householder_product": (lambda L, a, t: L.linalg.householder_product(a.mT, t), A, V[:2]),
    "ormqr": (lambda L, a, t, b: L.ormqr(a.mT.detach(), t.detach(), b.mT.detach(), True, True), A, V[:3], B),
    "geqrf": (lambda L, a: L.geqrf(a.detach()), A),
    "vecdot": (lambda L, a, b: L.linalg.vecdot(a, b, dim=0), A, B),
    "vecdot of complex vectors": (lambda L, a: L.linalg.vecdot(a, a[:1]), COMPLEX),
    "linalg.diagonal": (lambda L, a: L.linalg.diagonal(a, offset=1), S),
    "tensorinv": (lambda L, a: L.linalg.tensorinv(a.reshape(2, 3, 6), 2),
                  RNG.normal(size=(6, 6))),
    "tensorsolve": (lambda L, a, b: L.linalg.tensorsolve(a.reshape(2, 3, 6), b.reshape(2, 3)), RNG.normal(size=(6, 6)),
                    RNG.normal(size=6)),
    "tensorsolve dims": (lambda L, a, b: L.linalg.tensorsolve(a.reshape(6, 2, 3), b, (0,)), RNG.normal(size=(6, 6)),
                         RNG.normal(size=(2, 3))),
    "inv_ex": (lambda L, a: L.linalg.inv_ex(a), S),
    "solve_ex": (lambda L, a, b: L.linalg.solve_ex(a, b), S, S[..., :2]),
    "cholesky_ex": (lambda L, a: L.linalg.cholesky_ex(a @ a.mT), S),
    "i0": (lambda L, a: a.i0(), A),
    "i0e": (lambda L, a: L.special.i0e(a), A),
    "i1": (lambda L, a: L.special.i1(a), A),
    "i1e": (lambda L, a: L.special.i1e(a), A),
    "erfcx": (lambda L, a: L.special.erfcx(a), A),
    "zeta": (lambda L, a, b: L.special.zeta(a.detach(), b), POSITIVE + 1, UNIT),
    "igamma": (lambda L, a, b: L.igamma(a.detach(), b), POSITIVE, UNIT),
    "gammaincc": (lambda L, a, b: L.special.gammaincc(a.detach(), b), POSITIVE, UNIT),
    "multigammaln": (lambda L, a: L.special.multigammaln(a, 2), POSITIVE + 1),
}  # fmt: skip

for _name in ("quantile", "nanquantile"):
    for _way in ("linear", "lower", "higher", "midpoint", "nearest"):
        CASES[f"{_name} {_way}"] = (
            lambda L, a, n=_name, w=_way: (
                getattr(L, n)(a, 0.3, interpolation=w),
                getattr(a, n)(L.tensor([0.0, 0.45, 1.0]), 1, True, interpolation=w),
            ), A,
        )  # fmt: skip
CASES["nanquantile of gaps"] = (lambda L, a: L.nanquantile(a.detach(), L.tensor([0.2, 0.6]), dim=0), GAPS)
CASES["quantile of gaps"] = (lambda L, a: L.quantile(a.detach(), L.tensor([0.2, 0.6]), dim=0), GAPS)

WITHOUT_GRADIENT = {
    "gcd": (lambda L, n, m: (L.gcd(n, m), n.lcm(m)), NUMBERS, FEWER),
    "shifts": (lambda L, n, m: (n.bitwise_left_shift(m), L.bitwise_right_shift(n, m), n << 2, n >> m), NUMBERS, FEWER),
    "isin": (lambda L, n: (L.isin(n, L.tensor([3, 4, 9])), L.isin(n, L.tensor([3, 4, 9]), invert=True)), NUMBERS),
    "unravel_index": (lambda L, n: L.unravel_index(n, (5, 2, 4)), NUMBERS),
    "nonzero_static": (lambda L, n: L.nonzero_static(n > 15, size=4), NUMBERS),
    "nonzero_static, filled": (lambda L, n: (n > 28).nonzero_static(size=5, fill_value=7), NUMBERS),
    "is infinite": (lambda L, a: (L.isposinf(a), L.isneginf(a), L.isreal(a)), np.array([np.inf, -np.inf, 2.0, np.nan])),
    "isreal": (lambda L, a: L.isreal(a), np.array([1 + 0j, 2j])),
    "nextafter": (lambda L, a, b: L.nextafter(a, b), A, B),
    "histogram": (lambda L, a: (*L.histogram(a, 4), *L.histogram(a, L.tensor([-1.0, 0.0, 3.0]), density=True)), A),
    "histogram weighed": (lambda L, a, w: L.histogram(a, 3, range=(-1.0, 1.0), weight=w), A, POSITIVE),
    "histogramdd": (lambda L, a: (lambda h: (h[0], *h[1]))(L.histogramdd(a, [2, 3, 2, 2])), A),
    "queries": (lambda L, n: L.tensor([L.is_signed(n), L.is_same_size(n, n[0]), L.is_neg(n), n.is_signed()]), NUMBERS),
    "windows": (lambda L, a: [f(n, p) for f in (L.bartlett_window, L.hann_window, L.hamming_window, L.blackman_window,
                              L.kaiser_window) for n in (0, 1, 2, 5, 6) for p in (True, False)], A),
    "empty_strided": (lambda L, a: L.tensor(L.empty_strided((2, 3), (1, 4)).stride()), A),
    "empty_permuted": (lambda L, a: L.tensor(L.empty_permuted((2, 3, 4), (1, 0, 2)).stride()), A),
}  # fmt: skip


def parts(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def plain(t):
    return t.detach().resolve_conj().numpy()


def run(L, f, arrays, differentiate):
    """The results, and the first and second derivatives of a number that depends on all of them."""
    leaves = [L.tensor(a, requires_grad=differentiate and a.dtype.kind in "fc") for a in arrays]
    results = parts(f(L, *leaves))
    found = [plain(r) for r in results]
    live = [r for r in results if r.requires_grad]
    if not live:
        return found
    weights = np.random.default_rng(1)
    total = sum((r * L.tensor(weights.normal(size=tuple(r.shape)))).sum() for r in live)
    total = total.real if total.is_complex() else total
    wanted = [t for t in leaves if t.requires_grad]
    first = L.autograd.grad(total, wanted, create_graph=True, allow_unused=True)
    found += [plain(g) for g in first if g is not None]
    curved = [g for g in first if g is not None and g.requires_grad]
    if curved:
        square = sum((g * g.conj()).real.sum() if g.is_complex() else (g * g).sum() for g in curved)
        if square.requires_grad:
            second = L.autograd.grad(square, wanted, allow_unused=True)
            found += [np.zeros(t.shape) if h is None else plain(h) for h, t in zip(second, wanted, strict=True)]
    return found


def check(f, arrays, differentiate=True):
    ours = run(sg, f, arrays, differentiate)
    theirs = answer("torch", lambda torch: run(torch, f, arrays, differentiate), bits=40)
    for a, b in zip(ours, theirs, strict=False):
        assert a.shape == b.shape and a.dtype.kind == b.dtype.kind
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
    short, long = sorted((ours, theirs), key=len)  # where one has a graph of zeros and the other none
    assert all(not h.any() for h in long[len(short) :])


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_pytorchs(name):
    f, *arrays = CASES[name]
    check(f, arrays)


@pytest.mark.parametrize("name", WITHOUT_GRADIENT)
def test_values_are_pytorchs(name):
    f, *arrays = WITHOUT_GRADIENT[name]
    check(f, arrays, differentiate=False)


@pytest.mark.parametrize("name", CASES)
def test_short_floats_stay_as_short_as_pytorchs(name):
    f, *arrays = CASES[name]
    short = {"f": np.float32, "c": np.complex64}

    def kinds(L):
        before = L.get_default_dtype()
        L.set_default_dtype(L.float32)
        try:
            results = f(L, *[L.tensor(a.astype(short.get(a.dtype.kind, a.dtype))) for a in arrays])
            return [str(plain(r).dtype) for r in parts(results)]
        finally:
            L.set_default_dtype(before)

    ours, theirs = both(kinds)
    assert ours == theirs


def names_of_special(torch):
    return dir(torch.special)


SPECIAL = answer("torch", names_of_special, name="special")
POLYNOMIALS = [n for n in SPECIAL if "polynomial" in n]
BESSEL = [n for n in SPECIAL if "bessel" in n]


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_values_of_polynomials_are_pytorchs(name):
    f = lambda L, x, n: getattr(L.special, name)(x, n if n.ndim else int(n))
    for degree in (0, 1, 2, 7, -1, [0, 1, 2, 3, 5, 8, -1]):
        check(f, [V, np.array(degree)], differentiate=False)


@pytest.mark.parametrize("name", BESSEL)
def test_values_of_bessel_functions_are_pytorchs(name):
    x = POSITIVE if "_y" in name or "_k" in name else A
    check(lambda L, x: getattr(L.special, name)(x), [x], differentiate=False)


@pytest.mark.parametrize("name", ["complex", "polar"])
def test_complex_numbers_of_two_parts(name):
    def run(L):
        parts = [L.tensor(np.array(x), requires_grad=True) for x in ([1.0, 2.0], [0.5, -1.0])]
        y = getattr(L, name)(*parts)
        first = L.autograd.grad(y, parts, L.tensor(np.array([1 + 2j, 3 - 1j])), create_graph=True)
        live = [g for g in first if g.requires_grad]
        second = L.autograd.grad(sum((g**2).sum() for g in live), parts) if live else []
        return y.grad_fn.name(), [plain(t) for t in (y, *first, *second)]

    (node, ours), (their_node, theirs) = both(run)
    assert node == their_node == f"{name.capitalize()}Backward0"
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


SMALL = {
    "flip": lambda L, x: L.flip(x, (0,)),
    "flip along nothing": lambda L, x: x.flip(()),
    "take": lambda L, x: L.take(x, L.tensor([[0], [-1]])),
    "take one": lambda L, x: x.take(L.tensor(0)),
    "put": lambda L, x: (x * 2).put(L.tensor([0]), x.reshape(1)),
    "put without dimensions": lambda L, x: (x * 2).put(L.tensor(0), x),
    "put twice and add": lambda L, x: x.put(L.tensor([0, 0]), L.stack([x, x]), True),
    "quantile": lambda L, x: L.quantile(x, 0.5, 0, True),
    "roll": lambda L, x: L.roll(x, 1),
    "repeat_interleave": lambda L, x: L.repeat_interleave(x, 2),
}  # fmt: skip
EMPTY = {
    "flip": lambda L, x: L.flip(x, (0, 1)),
    "diff": lambda L, x: (L.diff(x), L.diff(x, dim=0), L.diff(x[0], 3)),
    "take": lambda L, x: L.take(x, L.tensor([], dtype=L.int64)),
    "put": lambda L, x: x.put(L.tensor([], dtype=L.int64), x[0, :0]),
    "trapezoid": lambda L, x: (L.trapezoid(x), L.trapezoid(x, dim=0), L.cumulative_trapezoid(x, dim=0)),
    "pdist": lambda L, x: (L.pdist(x), L.pdist(x[:1])),
    "combinations": lambda L, x: L.combinations(x[0]),
    "renorm": lambda L, x: L.renorm(x, 2, 0, 1.0),
    "linalg": lambda L, x: (*L.linalg.lu(x), *L.linalg.lu(x[:0]), L.linalg.vecdot(x, x), L.linalg.eigvals(x[:0])),
    "as_strided": lambda L, x: x.as_strided((0, 2), (1, 1)),
    "isin": lambda L, x: L.isin(x, x),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_a_number_without_dimensions_is_what_pytorch_takes_it_for(name):
    check(SMALL[name], [np.array(3.0)])


@pytest.mark.parametrize("name", EMPTY)
def test_what_has_no_elements_gives_what_pytorch_gives(name):
    check(EMPTY[name], [np.empty((2, 0))], differentiate=False)


REFUSED = {
    "as_strided beyond its memory": lambda L: L.ones(4).as_strided((3,), (2,)),
    "as_strided, negative stride": lambda L: L.ones(4).as_strided((3,), (-1,)),
    "as_strided, sizes without strides": lambda L: L.ones(4).as_strided((3, 1), (1,)),
    "quantile beyond 1": lambda L: L.quantile(L.ones(3), 1.5),
    "quantile of whole numbers": lambda L: L.quantile(L.tensor([1, 2]), 0.5),
    "quantile of nothing": lambda L: L.quantile(L.ones(0), 0.5),
    "quantile, unknown way": lambda L: L.quantile(L.ones(3), 0.5, interpolation="best"),
    "gcd of floats": lambda L: L.gcd(L.ones(2), L.ones(2)),
    "renorm of a vector": lambda L: L.renorm(L.ones(2), 2, 0, 1.0),
    "pdist of a batch": lambda L: L.pdist(L.ones(2, 2, 2)),
    "combinations of a matrix": lambda L: L.combinations(L.ones(2, 2)),
    "mvlgamma of dimension 0": lambda L: L.mvlgamma(L.ones(2), 0),
    "lu_factor of a singular matrix": lambda L: L.linalg.lu_factor(L.zeros(2, 2)),
    "lu without pivots": lambda L: L.linalg.lu(L.ones(2, 2), pivot=False),
    "tensorinv of what is not square": lambda L: L.linalg.tensorinv(L.ones(2, 3, 5)),
    "svd with a driver": lambda L: L.linalg.svd(L.ones(2, 2), driver="gesvd"),
    "index_reduce by sum": lambda L: L.ones(2).index_reduce(0, L.tensor([0]), L.ones(1), "sum"),
    "trapezoid of a number": lambda L: L.trapezoid(L.tensor(1.0), dx=1, dim=3),
    "gradient of one element": lambda L: L.gradient(L.ones(1)),
    "out= of what requires grad": lambda L: L.mm(L.ones(2, 2, requires_grad=True), L.ones(2, 2), out=L.empty(2, 2)),
    "nonzero_static of negative size": lambda L: L.nonzero_static(L.ones(2), size=-1),
    "hann_window of negative length": lambda L: L.hann_window(-1),
    "cov of a tensor of three dimensions": lambda L: L.cov(L.ones(2, 2, 2)),
    "both names": lambda L: L.hsplit(L.ones(2, 2), 2, sections=2),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses_is_refused_by_an_error_of_its_kind(name):
    with pytest.raises(Exception) as theirs:
        answer("torch", REFUSED[name])
    with pytest.raises((RuntimeError, ValueError, IndexError, TypeError)) as ours:
        REFUSED[name](sg)
    assert isinstance(ours.value, theirs.type) or theirs.type is NotImplementedError


OUT = {
    "mm": lambda L, x, out: L.mm(x, x, out=out), "sum": lambda L, x, out: L.sum(x, 1, out=out),
    "cat": lambda L, x, out: L.cat([x, x], 1, out=out), "clip": lambda L, x, out: L.clip(x, 0.0, out=out),
    "arange": lambda L, x, out: L.arange(3, out=out), "inv": lambda L, x, out: L.linalg.inv(x, out=out),
    "i0e": lambda L, x, out: L.special.i0e(x, out=out), "matmul": lambda L, x, out: L.matmul(x, x, out=out),
}  # fmt: skip


@pytest.mark.parametrize("name", OUT)
@pytest.mark.parametrize("empty", [True, False])
def test_out_takes_the_result(name, empty):
    def call(L):
        x = L.tensor(S[0], dtype=L.float64)
        out = L.empty(0, dtype=L.float64) if empty else OUT[name](L, x, None).to(L.float64).clone().zero_()
        returned = OUT[name](L, x, out)
        return returned is out, out.numpy()

    (same, ours), (_, theirs) = both(call)
    assert same
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_out_takes_several_results():
    values, indices = sg.empty(0), sg.empty(0, dtype=sg.int64)
    found = sg.max(sg.tensor(A), 1, out=(values, indices))
    assert found.values is values and found.indices is indices
    assert values.tolist() == A.max(1).tolist() and indices.tolist() == A.argmax(1).tolist()


def test_as_strided_writes_through_its_view():
    def run(L):
        a = L.tensor(A, requires_grad=True)
        b = a * 1
        b.as_strided((2, 2), (5, 1), 1).mul_(3)
        c = b.as_strided((3, 2), (1, 2))
        b.add_(1)
        (g,) = L.autograd.grad((b**2).sum() + (c**3).sum(), a)
        d = a * 1
        d.as_strided_((2, 3), (4, 1), 1)
        return [plain(t) for t in (b, c, g, d, *L.autograd.grad((d**2).sum(), a))]

    for ours, theirs in zip(*both(run), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_unsafe_pieces_may_be_written_to():
    x = sg.tensor(A, requires_grad=True)
    y = x * 1
    sg.unsafe_chunk(y, 2, 1)[1].mul_(2)
    (g,) = sg.autograd.grad(y.sum(), x)
    assert g[:, :2].tolist() == [[1.0] * 2] * 3 and g[:, 2:].tolist() == [[2.0] * 2] * 3


def test_the_largest_singular_values_are_those_of_the_whole_factorisation():
    x = sg.tensor(RNG.normal(size=(6, 5)))
    U, S_, V_ = sg.svd_lowrank(x, 2)
    assert U.shape == (6, 2) and V_.shape == (5, 2)
    np.testing.assert_allclose(S_.numpy(), np.linalg.svd(x.numpy(), compute_uv=False)[:2])
    apart = x.numpy() - x.numpy().mean(0)
    np.testing.assert_allclose(sg.pca_lowrank(x, 3)[1].numpy(), np.linalg.svd(apart, compute_uv=False)[:3])

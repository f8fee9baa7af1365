"""Arrays inside functions of arrays: methods, what is a view and what a copy, writes, numbers followed by a list.

Each function runs as plain NumPy; its gradient and second derivatives are those of central differences. The gradient
follows single numbers by a list (`symgrad/_array/number_steps.py`), the Hessian and the Jacobian by operations.
"""

import copy
import gc
import itertools
import math
import warnings
from contextlib import suppress

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad._array import Array
from symgrad.scipy import integrate, optimize

from ..helpers.cases import one_in

X = np.array([0.3, 1.2, 2.0])


def difference(f, x, h=1e-6):
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)])


def entries_and_rows(x):
    A = np.zeros_like(x, shape=(3, 3))
    for i in range(3):
        for j in range(3):
            A[i, j] = x[i] * x[j] + i * j
    A[1] = A[0] * 2
    A[:, 2] += A[:, 0]
    A[[0, 1], [1, 2]] = x[:2]
    A[A > 3] *= 0.5
    A[0, :, None][1] = 7 * x[2]
    for row in A:
        row /= row.sum()
    return (A * np.arange(9.0).reshape(3, 3)).sum()


def mixed_indices(x):
    T = np.arange(24.0).reshape(2, 3, 4) * x[0] + x[1]
    Y = T.copy()
    Y[0, :, [0, 1, 2]] = x
    T[1:, [0, 2], 1] *= x[1]
    weights = np.arange(9).reshape(3, 3)
    picked = (T[0, :, [0, 1, 2]] * weights).sum() + (Y[0, :, [0, 1, 2]] ** 2 * weights).sum()
    return picked + T[np.ix_([0, 1], [0, 2])].sum() + T[..., 1].std() + (T**2).sum()


def copies(x):
    y, z, w, c = x.flatten(), +x, np.positive(x), np.conj(x)
    y[0], z[1], w[2], c[0] = 9, 7, 5, 3
    return (x * y * z * w * c).sum() + np.flip(x)[0]


def views(x):
    a = x.copy()
    np.flip(a)[0] = 5 * x[0]
    np.split(a, [1])[1][:] = x[0] ** 2
    a.reshape(3, 1)[2, 0] = 3 * x[1]
    a.flat[0] = x[2] ** 3
    B = np.outer(x, x)
    B.T[0] = x
    B.reshape(-1)[3:5] *= 2
    B.ravel()[8] += x[0]
    np.einsum("ii->i", B)[1:] += x[:2]
    B.diagonal()
    np.rot90(B)[0] *= 3
    a.shape = (1, 3)
    a[0, 1] *= 2
    return (a**2).sum() + (B * np.arange(9.0).reshape(3, 3)).sum()


def out_and_at(x):
    o = np.empty_like(x)
    np.multiply(x, x, out=o)
    np.add(o, 1, out=o, where=x > 1)
    np.cumsum(o, out=o)
    np.add.at(o, [0, 0, 2], x)
    np.multiply.at(o, [0, 0, 1], x)
    np.maximum.at(o, [2, 2], np.array([5.0, 7.0]))
    np.negative.at(o, [1])
    return (o**2).sum()


def placed(x):
    a = x.copy()
    a[0], a[2] = a[2], a[0]
    a[[0, 1]] = a[[1, 0]]
    np.put(a, [0], x[0] ** 2)
    M = np.outer(x, a)
    np.fill_diagonal(M, x)
    np.copyto(a, x * 2, where=[True, False, True])
    np.putmask(a, a > 3, x * 5)
    a.sort()
    return (M**2).sum() + (a * np.arange(3.0)).sum()


def complex_parts(x):
    z = x + 1j * x[::-1]
    z.real[1] = x[0]
    z.imag *= 2
    z[2] = z[0] * z[1]
    return (z * np.conj(z)).real.sum() + np.abs(z).sum()


def numbers(x):
    total = 0.0
    for v in x:
        total += np.exp(v) * 2.0 / (1 + v) - np.hypot(v, x[0] + 1) + np.float64(3.0) * v + abs(v) + (-v) ** 3 + 2.0**v
        total = total - 1 / v + np.arctan2(v, 2.0) * np.arctan2(0.5, v) if v > 0.5 else total * v
    return total


def numbers_and_arrays(x):
    h = np.zeros_like(x, shape=6)
    h[0] = x[0]
    for t in range(1, 6):
        h[t] = x[1] * h[t - 1] + np.sin(h[:t]).sum() * x[2] - h[t - 2] * 0.1
    return (h * x[0]).sum() + h.max() * h[-1] + np.where(h > 0, np.sqrt(np.abs(h)), h)[2]


def pieces(x):
    c, s = np.cos(x[0]), np.sin(x[0])
    turned = np.array([[c, -s], [s, c]]) @ x[1:]
    means = np.mean([x[0], x[1] * x[2]]) + np.std([x[0], x[1] ** 2, x[2]]) + np.var(np.array([x[0], x[1] ** 2]))
    return turned[0] * means + np.r_[1.0, x].sum() * np.full(3, x[0]).sum() + np.hstack([x, [1.0, 2.0]]).prod()


def pieces_at(x):
    h, t = np.array([v * v for v in x]), np.array([[v * v, v] for v in x])
    np.add.at(h, [0, 0], x[0])
    np.multiply.at(h, np.array([True, False, True]), x[1:])
    np.subtract.at(h, np.argsort(x)[:2], 2 * x[:2])
    np.divide.at(t, (slice(None), 1), x)
    np.add.at(t.T, 0, x)
    return (h**2).sum() + (t**2).sum() * x[0]


def python(x):
    spread = max(x) * min(x) + sum(x) * sorted(x)[1]
    return spread + (copy.copy(x) ** 2).sum() + (copy.deepcopy(x) ** 3).sum() + divmod(x, 0.7)[1].sum()


def shuffled(x):
    y = x * np.arange(1, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of anything but its own arrays
        np.random.default_rng(0).shuffle(y)
    return (y * np.array([1.0, 10.0, 100.0])).sum() ** 2


def argument(x):
    x -= x.mean()
    x[0] = x[1] * 3
    return (x**3).sum()


PROGRAMS = [
    entries_and_rows, mixed_indices, copies, views, out_and_at, placed, complex_parts, numbers, numbers_and_arrays,
    pieces, pieces_at, python, shuffled, argument,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # NumPy 2.5's, of its own arrays
@pytest.mark.parametrize("f", PROGRAMS)
def test_a_program_has_numpys_value_and_the_derivatives_of_differences(f):
    x = X.copy()
    value, gradient = sg.value_and_grad(f)(x)
    assert (x == X).all()
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(gradient, difference(lambda x: f(x.copy()), X), rtol=1e-6, atol=1e-7)
    rows = sg.jacobian(f)(x)  # by operations
    np.testing.assert_allclose(rows, gradient, rtol=1e-10, atol=1e-12)
    second = difference(lambda x: np.asarray(sg.jacobian(f)(x)), X)
    np.testing.assert_allclose(sg.jacobian(sg.grad(f))(x), second, rtol=1e-5, atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.StructurallyZeroWarning)
        np.testing.assert_allclose(sg.hessian(f)(x), second, rtol=1e-5, atol=1e-6)
    assert (x == X).all()


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in (numbers, placed, shuffled, python)])
def test_examples_of_a_batch_are_programs_too(f):
    rows = np.stack([X, X + 0.1])
    np.testing.assert_allclose(sg.vmap(sg.grad(f))(rows), [sg.grad(f)(row) for row in rows], rtol=1e-9)


def test_what_was_computed_keeps_what_it_saw():
    def f(x):
        y = x * 1
        z = np.exp(y)
        y[0] = 5.0
        z *= y
        return (z * y).sum()

    np.testing.assert_allclose(sg.grad(f)(X), difference(f, X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("transform", [sg.grad, sg.jacobian])
def test_a_loop_of_writes_puts_them_in_once(transform, monkeypatch):
    put_in, filled = [], Array._filled
    count = staticmethod(lambda t, waiting: put_in.append(len(waiting)) or filled(t, waiting))
    monkeypatch.setattr(Array, "_filled", count)

    def f(x):
        h = np.zeros_like(x, shape=50)
        for t in range(50):
            h[t] = 0.5 * h[t - 1] + x[t % 3]
        return h.sum()

    transform(f)(X)
    assert put_in == [50]


def test_a_gradient_inside_a_gradient_of_numbers():
    def f(x):
        total = 0.0
        for v in x:
            total += sg.grad(lambda y, v=v: y**3 * v + y)(v * 2.0)  # 12 v³ + 1
        return total

    np.testing.assert_allclose(sg.grad(f)(X), 36 * X**2)


def test_the_list_of_numbers_can_be_differentiated_by_hand():
    def f(x):
        y = x[0] * x[1] + np.sin(x[2]) / x[0] - 2.0
        (g,) = sg.autograd.grad(y * y, x, create_graph=True)
        return (g**2).sum()

    want = difference(lambda x: f_of_tensors(x), X)
    np.testing.assert_allclose(sg.grad(f)(X), want, rtol=1e-5)


def f_of_tensors(x):
    t = sg.tensor(x, requires_grad=True)
    y = t[0] * t[1] + sg.sin(t[2]) / t[0] - 2.0
    (g,) = sg.autograd.grad(y * y, t)
    return float((g**2).sum())


def test_edges_of_numbers_are_those_of_operations():
    with np.errstate(all="ignore"):
        for f in (
            lambda x: x[0] / x[1], lambda x: x[1] ** 0.5 + x[0], lambda x: np.log(x[1]) * x[0],
            lambda x: np.where(x[1] > 0, np.sqrt(x[1]), 0.0) * x[0], lambda x: np.exp(800 * x[0]) * x[1],
            lambda x: (x[1] * np.inf) * x[0], lambda x: np.maximum(x[0], x[0]) * 2, lambda x: abs(x[1]) + x[0],
        ):  # fmt: skip
            point = np.array([1.0, 0.0])
            np.testing.assert_array_equal(sg.grad(f)(point), sg.jacobian(f)(point))


UFUNCS = [u for u in vars(np).values() if isinstance(u, np.ufunc) and u.nin <= 2 and u.nout == 1 and not u.signature]
VALUES = (0.4, -0.4, 2.0, -2.0, 0.0, 1.0, 800.0)


@one_in(8)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_functions_of_numbers_are_those_of_arrays(ufunc):
    """In the list and by operations: values, derivatives, and those of the list differentiated by hand."""

    def agree(f, x):
        def by_hand(x):
            (g,) = sg.autograd.grad(f(x), x, create_graph=True)
            return (g * np.array([0.5, 2.0])).sum()

        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value, gradient = sg.value_and_grad(f)(x)
            except (TypeError, sg.GradientError) as error:
                with pytest.raises(type(error)):
                    sg.jacobian(f)(x)
                return
            np.testing.assert_allclose(value, f(x), rtol=1e-15)
            np.testing.assert_allclose(gradient, sg.jacobian(f)(x), rtol=1e-14)
            if np.isfinite(gradient).all():
                np.testing.assert_allclose(sg.grad(by_hand)(x), sg.jacobian(by_hand)(x), rtol=1e-13)

    for a in VALUES:
        if ufunc.nin == 1:
            agree(lambda x: ufunc(x[0]) * x[1], np.array([a, 3.0]))
            continue
        agree(lambda x, a=a: ufunc(x[0], a) * x[1], np.array([0.4, 3.0]))
        agree(lambda x, a=a: ufunc(a, x[0]) * x[1], np.array([0.4, 3.0]))
        for b in VALUES:
            agree(lambda x: ufunc(x[0], x[1]) + x[1], np.array([a, b]))


@pytest.mark.parametrize("n", [0.5, 2, 3, -1, 1.5, -2.0])
def test_powers_of_numbers(n):
    for x in VALUES:
        with np.errstate(all="ignore"):
            for f in (lambda x: abs(x[0] ** n) + x[0], lambda x: x[0] ** x[1], lambda x: n ** x[0] * x[1]):
                point = np.array([x, n])
                value, gradient = sg.value_and_grad(f)(point)
                np.testing.assert_allclose(value, f(point), rtol=1e-15)
                np.testing.assert_allclose(gradient, sg.jacobian(f)(point), rtol=1e-14)


def test_a_branch_that_is_not_taken_lets_nothing_through():
    for choose, taken in ((np.maximum, 0.5), (np.minimum, 1.5)):
        f = lambda x, choose=choose: (choose(x[0], 1.0) - x[1]) * 1e200 * 1e200  # what comes in is infinite
        at = np.array([taken, 1.0])
        np.testing.assert_array_equal(sg.grad(f)(at), [0, -np.inf])
        np.testing.assert_array_equal(sg.jacobian(f)(at), [0, -np.inf])


IMAGE = np.arange(36.0).reshape(6, 6) ** 1.3


def sampled(x):
    row, column = x[:2] + 1.0
    i, j = int(np.floor(row)), math.floor(column)
    down, right = row - i, column - j
    above = (1 - right) * IMAGE[i, j] + right * IMAGE[i, j + 1]
    return (1 - down) * above + down * ((1 - right) * IMAGE[i + 1, j] + right * IMAGE[i + 1, j + 1]) + x[2]


@pytest.mark.parametrize(
    "f",
    [
        sampled, lambda x: round(x[0] * 10) * x[1], lambda x: int(x[1] // 1) * x[0], lambda x: math.ceil(x[2]) * x[1],
        lambda x: float(np.sign(x[0])) * x[0], lambda x: int((np.floor(x) + 1).sum()) * x[1],
        lambda x: math.trunc(x[1]) * x[2], lambda x: np.floor(x * 10).tolist()[1] * x[0],
    ],
)  # fmt: skip
def test_what_is_flat_is_a_number_like_any_other(f):
    at = X + 0.04  # between the steps
    want = difference(f, at)
    np.testing.assert_allclose(sg.grad(f)(at), want, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.jacobian(f)(at), want, rtol=1e-6, atol=1e-8)
    for p in (at, at + 1.23):  # the Hessian's program is made anew where the numbers are others
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.StructurallyZeroWarning)
            second = difference(lambda x: np.asarray(sg.jacobian(f)(x)), p)
            np.testing.assert_allclose(sg.hessian(f)(p), second, atol=1e-5)
    found = sg.formula(f, at)
    np.testing.assert_allclose(found(x=at), f(at))
    assert found.conditions  # the step that was taken


PICKED = {
    "min": lambda p, k: p.min(axis=0), "max": lambda p, k: (-p).max(), "np.min": lambda p, k: np.min(p, axis=-1),
    "sort": lambda p, k: np.sort(p)[0], "partition": lambda p, k: np.partition(p, 1)[0],
    "reduce": lambda p, k: np.minimum.reduce(p), "accumulate": lambda p, k: np.minimum.accumulate(p)[1],
    "nanmin": lambda p, k: np.nanmin(p), "an entry": lambda p, k: p[k], "a column": lambda p, k: np.stack([p, p])[0, k],
}  # fmt: skip


@pytest.mark.parametrize("member", ["sum()", "mean()", "shape", "T", "reshape(1)", "astype(float)", "item()"])
@pytest.mark.parametrize("way", PICKED)
def test_a_number_that_is_picked_from_pieces_and_has_no_members_is_explained(way, member):
    used = eval(f"lambda v: v.{member}")
    for known in (0.0, 0):
        f = lambda x, known=known: (used(PICKED[way](np.array([x[0], known]), 1)), x[1] * 1.0)[1]
        if way == "max":
            f = lambda x, known=known: (used(np.array([x[0], 9 - known]).max()), x[1] * 1.0)[1]
        for derivative in (sg.grad, sg.value_and_grad, sg.jacobian, sg.hessian):
            with pytest.raises(sg.DTypeError, match=r"array of objects[\s\S]*np.stack"):
                derivative(f)(np.array([1.5, 2.5]))
        apart = lambda x, known=known: (used(PICKED[way](np.stack([x[0], 0 * x[0] + known]), 1)), x[1] * 1.0)[1]
        if member not in ("item()", "astype(float)"):
            np.testing.assert_array_equal(sg.grad(apart)(np.array([1.5, 2.5])), [0.0, 1.0])
    with pytest.raises(AttributeError, match="'float' object has no attribute 'sum'"):
        sg.grad(lambda x: x[0] * (0.5).sum())(np.array([1.5, 2.5]))  # the function's own mistake


def test_arrays_of_objects_that_numpy_cannot_compute_with_are_explained():
    for f in (
        lambda x: np.log(np.array([x[0], 1.0])).sum(), lambda x: np.linalg.det(np.array([[x[0], 1.0], [1.0, x[1]]])),
        lambda x: np.fft.fft(np.array([x[0], 1.0])).real.sum(),
    ):  # fmt: skip
        for transform in (sg.grad, sg.jacobian, sg.hessian, sg.formula):
            with pytest.raises(TypeError, match=r"array of objects(.|\n)*np\.stack(.|\n)*block(.|\n)*symgrad\.numpy"):
                transform(f, X) if transform is sg.formula else transform(f)(X)
    assert sg.grad(lambda r: np.linalg.cholesky(np.block([[1.0, r], [r, 1.0]]))[1, 1])(0.6) == pytest.approx(-0.75)


def test_what_the_namespace_makes_of_constants_can_be_filled():
    def f(x, xp):
        a, b, c = xp.linspace(0, 1, 3), xp.tile(xp.ones(2), 3), xp.copy(IMAGE)
        a[0], b[1], c[0, 1:4] = x[0] ** 2, x[1] ** 3, x * x[::-1]
        return a.sum() + (b**2).sum() + (c**2).sum()

    np.testing.assert_allclose(sg.grad(lambda x: f(x, snp))(X), difference(lambda x: f(x, np), X), rtol=1e-6)

    def through_a_view(x):
        snp.reshape(IMAGE, 36)[0] = x[0]  # the caller's own array

    with pytest.raises(sg.GradientError, match="array of plain numbers"):
        sg.grad(through_a_view)(X)


def test_fromiter_takes_as_many_as_it_is_told_and_no_fewer():
    assert snp.fromiter(itertools.count(), float, 3).tolist() == [0.0, 1.0, 2.0]
    powers = sg.grad(lambda x: snp.fromiter((x[0] ** k for k in itertools.count()), float, 3).sum())
    assert powers(np.array([0.5, 3.0])).tolist() == [2.0, 0.0]
    for f in (lambda x: snp.fromiter(x, float, 3), lambda x: snp.fromiter([1, 2], float, 3) * x):
        with pytest.raises(ValueError, match="iterator too short"):
            sg.grad(lambda x, f=f: f(x).sum())(np.array([0.4, 3.0]))


def test_arrays_are_filled_in_functions_for_solvers_too():
    def rate(t, y, k):
        d = snp.zeros(2)
        d[0], d[1] = y[1], -k * y[0]
        return d

    def residual(x, a):
        r = snp.empty(2)
        r[0], r[1] = x[0] ** 2 + x[1] - a, x[0] - x[1]
        return r

    def height(x, a):
        v = snp.zeros(2)
        v[0], v[1] = snp.sin(a * x), a * x
        return v.sum()

    def swing(k):
        return integrate.solve_ivp(rate, (0, 1), np.array([1.0, 0.0]), args=(k,), rtol=1e-9, atol=1e-11).y[0, -1]

    assert sg.grad(swing)(2.0) == pytest.approx(-np.sin(np.sqrt(2)) / np.sqrt(8), rel=1e-7)
    for solve in (
        lambda a: optimize.root(residual, np.ones(2), (a,)).x,
        lambda a: optimize.fsolve(residual, [1, 1], (a,)),
    ):
        assert sg.jacobian(solve)(2.0)[0] == pytest.approx(1 / 3, rel=1e-9)
    area = sg.grad(lambda a: integrate.quad(height, 0, 1, args=(a,))[0])(2.0)
    assert area == pytest.approx((2 * np.sin(2) + np.cos(2) - 1) / 4 + 0.5, rel=1e-9)


def test_a_write_to_an_array_of_numbers_warns_as_pytorch_does():
    x, a = sg.tensor(2.0, requires_grad=True), np.zeros(2)
    with pytest.warns(UserWarning, match=r"tensor with requires_grad=True to a scalar[\s\S]*sg\.zeros\(n\)"):
        a[0] = x * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a[0], a[1] = x.item(), float(x)
        with sg.no_grad():
            a[1] = x
    assert a.tolist() == [2.0, 2.0]


def test_what_nothing_records_has_no_history():
    def f(x):
        h = np.zeros_like(x)
        with sg.no_grad():
            h[0] = x[0] * 2
            h[1] = x[1]
        h[2] = x[2]
        return (h * x).sum()

    np.testing.assert_allclose(sg.grad(f)(X), [0.6, 1.2, 4.0])


def test_the_graph_of_numbers_dies_with_the_call():
    sg.grad(numbers_and_arrays)(X)  # what is loaded at first use stays
    gc.collect()
    gc.disable()
    try:
        left = []
        for _ in range(3):  # one of them may make a program, after so much time
            before = len(gc.get_objects())
            for _ in range(5):
                sg.grad(numbers_and_arrays)(X)
            left.append(len(gc.get_objects()) - before)
        assert min(left) < 200
    finally:
        gc.enable()


def test_results_are_numpys_types():
    value, gradient = sg.value_and_grad(lambda x: x[0] * 2)(X)
    assert type(value) is np.float64 and type(gradient) is np.ndarray
    assert type(sg.jacobian(lambda x: np.array([x[0], x[1] * x[0]]))(X)) is np.ndarray
    seen = []
    sg.grad(lambda x: seen.extend([x.shape, x.size, x.dtype, x.ndim, x.T.shape, len(x), x.nbytes]) or x.sum())(X)
    assert seen == [(3,), 3, np.dtype(float), 1, (3,), 3, 24]
    assert isinstance(np.zeros(2), snp.ndarray) and type(snp.zeros(2)) is np.ndarray


OF_PIECES = """
np.maximum(a, 0).sum() | np.maximum(0, a).sum() | np.minimum(a[0], a[1]) | np.max(a) | a.max() | np.min(a) | a.min() |
np.maximum.reduce(a) | np.maximum.accumulate(a)[1] | np.linalg.norm(a) | np.std(a) | a.std() | np.fmax(a, 0).sum() |
np.clip(a, 0, 1).sum() | np.ptp(a) | np.sort(a)[0] | np.abs(a).sum() | np.median(a) | np.var(a) | np.cov(a) |
max(a) * 1.0 | np.corrcoef(a, a * a)[0, 1] | np.angle(a).sum() | np.prod(a) | np.where(a > 0, a, 0).sum() |
a[np.argmax(a)] * 1.0 | a[0] * 2 if a[0] >= a[1] else a[1] * 1.0 | sorted(a)[0] * 1.0 |
np.heaviside(a, 0.5).sum() + a.sum() | np.logaddexp(a[0], a[1])
"""
OF_PIECES = [eval(f"lambda a: {text.strip()}", {"np": np}) for text in OF_PIECES.replace("\n", " ").split("|")]
DERIVATIVES = {
    "numbers that are followed": lambda f, x: sg.grad(f)(x),
    "operations": lambda f, x: sg.jacobian(f)(x),
    "single precision": lambda f, x: sg.grad(f)(x.astype(np.float32)),
    "forward": lambda f, x: sg.jvp(f, (x,), (np.array([1.0, 0.0]),))[1],
    "twice": lambda f, x: sg.hvp(f, x, np.array([1.0, 2.0])),
    "by example": lambda f, x: sg.vmap(sg.grad(f))(x[None])[0],
}


@pytest.mark.parametrize("way", DERIVATIVES)
@pytest.mark.parametrize("f", OF_PIECES)
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
def test_pieces_have_the_derivatives_of_a_stack_or_none(way, f):
    """NumPy chooses among equal objects, and takes roots of 0, by itself: then there is an error."""
    for x in np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 2.0]]):
        try:
            found = DERIVATIVES[way](lambda x: f(np.array([x[0], x[1]])), x)
        except (sg.NotDifferentiableError, sg.DTypeError) as error:
            assert "np.stack" in str(error)
            continue
        np.testing.assert_allclose(found, DERIVATIVES[way](lambda x: f(np.stack([x[0], x[1]])), x), atol=1e-6)


OF_MORE = """
np.ptp(a) | np.ptp(a, axis=0) | np.ptp(m, axis=1).sum() | np.linalg.norm(m, axis=0).sum() | np.linalg.norm(m) |
np.linalg.norm(m, axis=1).sum() | np.std(m, axis=0).sum() | np.std(m, 1).sum() | np.linalg.norm(a, 3) | np.std(m) |
np.linalg.norm(m, 3, axis=0).sum() | np.linalg.norm(m, 1.5, 1).sum() | np.linalg.norm(m, np.inf, 0).sum() |
np.nanmax(a) | np.linalg.norm(m, axis=(0, 1)) | np.std(a, ddof=1) | np.nanstd(a) | np.nanmin(m, 0).sum() |
np.max(m, axis=1).sum() | m.max(0).sum() | m.std(0).sum() | np.nanstd(m, 0).sum() | np.linalg.norm(m, 2, 0, True).sum()
"""
OF_MORE = [eval(f"lambda a, m: {text.strip()}", {"np": np}) for text in OF_MORE.replace("\n", " ").split("|")]


@pytest.mark.parametrize("way", ["numbers that are followed", "operations", "single precision", "by example"])
@pytest.mark.parametrize("f", OF_MORE)
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
def test_spreads_and_norms_of_pieces_along_an_axis_have_the_derivatives_of_a_stack_or_none(way, f):
    for x in np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0], [1.0, 2.0, 4.0]]):
        stack = lambda x: (np.stack([x[0], x[1], x[2]]), np.stack([x, 2 * x[::-1]]))
        expected = DERIVATIVES[way](lambda x, stack=stack: f(*stack(x)), x)
        pieces = lambda x: (np.array([x[0], x[1], x[2]]), np.array([[*x], [2 * x[2], 2 * x[1], 2 * x[0]]]))
        try:
            found = DERIVATIVES[way](lambda x, pieces=pieces: f(*pieces(x)), x)
        except (sg.NotDifferentiableError, sg.GradientError) as error:
            assert "np.stack" in str(error)
            continue
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_choice_that_is_pythons_own_is_left_alone_among_calls_of_numpy():
    def hinge(x):
        return max(0.0, x[0]) + np.maximum(np.stack([x[1], x[0]]), 0).sum()

    assert sg.grad(hinge)(np.array([0.0, 1.0])).tolist() == [0.5, 1.0]


def test_a_comparison_of_the_function_is_no_choice_of_numpys_where_its_source_is_not_known():
    unknown = eval("lambda x: np.maximum(x[0] if x[0] > x[1] else 3 * x[1], 1)", {"np": np})
    assert sg.grad(unknown)(np.array([2.0, 2.0])).tolist() == [0.0, 3.0]


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_left_of_pieces_may_be_numbers_alone(axis):
    def f(x):
        return np.min(np.array([[x[0], 0.0], [x[1], 5.0]]), axis=axis)

    x = np.array([3.0, 7.0])
    assert (sg.jacobian(f)(x) == difference(f, x).T.round(6)).all()
    assert (
        sg.grad(lambda x: (f(x) * x).sum())(x).tolist() == difference(lambda x: (f(x) * x).sum(), x).round(6).tolist()
    )


def _complex(x):
    return np.array([x[0], x[1]]) * 1j


OF_PARTS = {
    "by name": lambda x: (lambda a: (a + 1j * a).imag.sum())(np.array([x[0], x[1]])),
    "by a call": lambda x: _complex(x).imag.sum(),
    "real part": lambda x: np.exp(1j * np.array([x[0], x[1]])).real.sum(),
    "another order": lambda x: np.sqrt(np.require(x, requirements="F") + 0j).imag.sum(),
    "of complex numbers": lambda x: np.array([x[0] * 1j, x[1]]).imag.sum(),
    "of a complex array": lambda x: np.asarray(x * 1j).imag.sum(),
    "with an array": lambda x: (lambda a: (a * np.array([1j, 2.0])).imag.sum())(np.array([x[0], x[1]])),
}


@pytest.mark.parametrize("name", OF_PARTS)
def test_the_parts_of_complex_pieces_are_theirs_or_there_are_none(name):
    """Before NumPy 2.5 the imaginary part of an array of objects is 0."""
    try:
        found = sg.grad(OF_PARTS[name])(X)
    except sg.NotDifferentiableError as error:
        assert "imaginary part" in str(error) and not np.array([1j], object).imag[0]
    else:
        np.testing.assert_allclose(found, difference(OF_PARTS[name], X), atol=1e-6)


OF_LISTS_OR_ARRAYS = {
    "sum": lambda z: (np.sin(z) * z).sum(),
    "prod": lambda z: np.prod(z),
    "einsum": lambda z: np.einsum("i,i->", z, z),
}


@pytest.mark.parametrize("name", OF_LISTS_OR_ARRAYS)
def test_a_list_teaches_nothing_about_later_arrays(name):
    """Of a list the code makes an array of objects; of an array it makes none, whatever it was called with before."""
    h, z = OF_LISTS_OR_ARRAYS[name], np.array([1 + 1j, 2j])
    ways = [
        lambda: sg.grad(h, holomorphic=True)(z),
        lambda: sg.grad(lambda z: h(z).real)(z),
        lambda: sg.vmap(h)(np.array([z, 2 * z])),
        lambda: sg.vmap(sg.grad(h, holomorphic=True))(np.array([z, 2 * z])),
    ]
    before = [way() for way in ways]
    assert np.allclose(sg.grad(h)([1.0, 2.0]), sg.grad(h)(np.array([1.0, 2.0])))
    for expected, way in zip(before, ways, strict=True):
        np.testing.assert_array_equal(way(), expected)


def test_complex_numbers_beside_pieces_are_left_alone():
    def f(x):
        a = np.array([x[0], x[1]])
        z = a[0] + 1j * x[2]
        return (z * z).imag + abs(z) + np.abs(np.stack([x[0] * 1j, x[1]])).sum() + a.sum()

    np.testing.assert_allclose(sg.grad(f)(X), difference(f, X), atol=1e-6)


def test_what_numpy_does_not_find_in_pieces_is_told_as_that():
    for f in (
        lambda x: np.hypot(np.array([x[0], 1.0]), 2.0).sum(),
        lambda x: np.hypot(2.0, np.array([x[0], 1.0])).sum(),
    ):
        with pytest.raises(sg.DTypeError, match=r"array of objects[\s\S]*np.stack"):
            sg.grad(f)(X)


def test_an_index_that_depends_on_the_values_has_no_program():
    def f(x):
        h = np.full_like(np.r_[x[1:], x[0]], 0.5)
        h[np.argmax(x)] = x[1]
        return (h * x).sum()

    np.testing.assert_allclose(sg.grad(f)(X), difference(f, X), atol=1e-6)
    with pytest.raises(sg.SymbolicBranchError, match="index.*not known|depends on the values"):
        sg.compile(f, "g")(X)


# Methods: each does what NumPy's does, unless a word of PyTorch's asks for its ----------------------------------------


METHODS = [n for n in dir(np.ndarray) if not n.startswith("_") and callable(getattr(np.ndarray, n))]
NOT_HERE = {"byteswap", "dump", "dumps", "getfield", "setfield", "setflags", "tobytes", "tofile", "tolist"}
SHARED = [n for n in METHODS if n not in NOT_HERE]
SHAPES = [(4,), (3, 4), (2, 3, 2), (3, 3), (1, 4)]
BY_POSITION = [
    (), (0,), (1,), (-1,), (2,), (0, 1), (1, 0), (-2, -1), ((0, 1),), (None,), (0, float), (0, None, None, True),
    ("F",), ([0, 1],), ([0, 1], 0), ([0, 1], 1), ([0, 1], [5.0, 6.0]), (0.0, 0.5), (0, "stable"), (float,), (0, 0, 1),
    (1, 0, 1), (0, 1, 0), (0, 1, 2), (2, 2), (2, -1), (12,), (4, 1), (1, 2), (np.array([0, 1]),),
    (np.array([0, 1]), 0), (np.array([0, 1]), np.array([5.0, 6.0])),
]  # fmt: skip
BY_NAME = [
    {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"keepdims": True}, {"axis": 0, "keepdims": True}, {"ddof": 1},
    {"axis": 0, "ddof": 1}, {"dtype": float}, {"order": "F"},
]  # fmt: skip
CALLS = [(a, {}) for a in BY_POSITION] + [((), k) for k in BY_NAME]


UNUSUAL = [BY_POSITION[k] for k in (9, 11, 17)]
REFUSED = {
    "item": "a number that is taken has no derivative",
    "view": "bytes that are read as other numbers have none",
    "std": "of one number with ddof=1: a warning",
    "var": "the same",
}


def plain_numbers(result):
    if isinstance(result, tuple):
        return tuple(map(plain_numbers, result))
    return np.asarray(result.detach()) if hasattr(result, "detach") else result


def same(got, want):
    if isinstance(got, tuple) or isinstance(want, tuple):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    if got is None or want is None:
        return got is want
    return np.shape(got) == np.shape(want) and np.allclose(got, want)


def in_a_transform(name, x, args, kwargs):
    """(the method's result, what became of the tensor) where a transform runs it on an array; None where it says so."""
    found = []

    def f(t):
        t = np.copy(t)
        found.append((plain_numbers(getattr(t, name)(*args, **kwargs)), plain_numbers(t)))
        return t.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(Exception):  # or a warning
            sg.grad(f)(x)
    return found[0] if found else None


@pytest.mark.parametrize("name", SHARED)
def test_a_method_of_an_array_is_numpys(name):
    for shape, (args, kwargs) in itertools.product(SHAPES, CALLS):
        x = np.sin(np.arange(1.0, np.prod(shape) + 1) * 1.7).reshape(shape)
        after = x.copy()
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = getattr(after, name)(*args, **kwargs)
        except Exception:
            continue
        got = in_a_transform(name, x, args, kwargs)
        if got is None:
            assert name in REFUSED or any(args is odd for odd in UNUSUAL), (shape, args, kwargs)
        else:
            assert same(got[0], want) and same(got[1], after), (shape, args, kwargs)


FRACTIONS = np.array([0.2, 0.9, 0.7])
A = np.arange(6.0).reshape(2, 3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("f", "x", "shape"),
    [
        (lambda A: A.max(dim=1)[0], A, (2,)),
        (lambda A: A.transpose(dim0=0, dim1=1), A, (3, 2)),
        (lambda A: A.sum(dim=0, keepdim=True), A, (1, 3)),
        (lambda x: x.std(correction=1), FRACTIONS, ()),
        (lambda x: x.unsqueeze(0), FRACTIONS, (1, 3)),
    ],
)
def test_a_word_of_pytorchs_asks_for_its_method(f, x, shape):
    assert sg.jacobian(f)(x).shape == shape + x.shape


@pytest.mark.filterwarnings("error")
def test_functions_of_tensors_keep_pytorchs_meaning_without_a_word():
    t = sg.tensor(A)
    assert sg.func.grad(lambda A: (A.transpose(0, 1)[0] * sg.tensor([1.0, 2.0])).sum())(t).tolist() == [
        [1, 0, 0], [2, 0, 0]]  # fmt: skip
    assert sg.func.grad(lambda A: A.max(1)[0].sum())(t).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert t.transpose(0, 1).shape == (3, 2) and t.sort()[0].shape == (2, 3) and t.nonzero().shape == (5, 2)


def test_vmap_of_arrays_has_numpys_meaning():
    rows = np.stack([A, -A])
    np.testing.assert_array_equal(sg.vmap(lambda A: A.transpose(0, 1))(rows), rows)
    np.testing.assert_array_equal(sg.vmap(lambda A: A.max(axis=1))(rows), rows.max(axis=2))


def test_the_largest_keeps_dimensions_when_asked():
    t = sg.tensor(A, requires_grad=True)
    assert t.max(keepdims=True).shape == (1, 1) == t.min(keepdims=True).shape
    (g,) = sg.autograd.grad(t.max(keepdims=True).sum(), t)
    assert g.tolist() == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.sum(0, float), lambda t: t.mean(0, np.float64), lambda t: t.prod(0, float),
        lambda t: t.std(0, float), lambda t: t.var(0, np.dtype(float)), lambda t: t.argsort(0, "stable"),
        lambda t: t.sort(0, "stable"),
    ],
)  # fmt: skip
def test_a_dtype_or_kind_where_pytorch_has_a_choice_raises(use):
    with pytest.raises(TypeError, match="go by name"):
        use(sg.tensor(A))


# Single numbers, which nobody is to notice that a list follows --------------------------------------------------------


@pytest.mark.parametrize("used", [lambda b: b * b, lambda b: b * np.arange(3.0), lambda b: np.stack([b, b * 3])])
@pytest.mark.parametrize("made", [lambda x: x[0], lambda x: x[0] * 2, lambda x: np.sin(x[0]) + x[1]])
def test_a_number_that_is_first_used_where_nothing_is_recorded_keeps_its_history(made, used):
    def f(x, quietly):
        b = made(x)
        if quietly:
            with sg.no_grad():
                used(b)
        return b**3

    x = np.array([0.7, 1.3])
    expected = sg.grad(lambda x: f(x, False))(x)
    assert expected.any()
    np.testing.assert_array_equal(sg.grad(lambda x: f(x, True))(x), expected)

"""How arrays lie in memory, which a program can tell by writing: layouts, orders, views, copies, live reads.

Each function runs as plain NumPy; symgrad's value is NumPy's, and its gradient that of central differences: with
single numbers followed by a list (`sg.grad`), by operations (`sg.jacobian`), and on an example of symbols (`sg.vmap`).
"""

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad.core import reading

from ..helpers.cases import one_in

X = np.arange(1.0, 7.0).reshape(2, 3) / 3
K = np.arange(6.0)


def written_through_a_transpose(x):
    a = np.zeros_like(x)
    b = a.T
    b[...] = 0.5
    v = a.reshape(-1)
    v[0] = x[0, 1]
    return (a * x).sum()


def filled_through_a_transpose(x):
    a = x.T
    a[:] = 0.5
    v = x.ravel()
    x *= 2
    return (v * K).sum() + x.sum()


def copy_of_a_transpose(x):
    y = x.T.copy()
    y.reshape(-1)[0] = 5.0
    return (y**2).sum()


def copy_of_a_part(x):
    y, z = x[:, :2].copy(), x[:, :2].astype(float)
    y.reshape(-1)[0] = 5.0
    z.reshape(-1)[1] *= x[1, 1]
    return (y**2).sum() + (z**3).sum()


def copies_by_columns(x):
    y, z = x.copy("F"), np.copy(x, order="F")
    y.T.reshape(-1)[0] = 9.0
    z.reshape(-1)[0] = 9.0
    return (y**2).sum() + (z**2).sum()


def like_a_transpose(x):
    a = np.ones_like(x.T)
    a.reshape(-1)[:] = 0
    return (a * x.T).sum()


def lines_of_flips(x):
    a, b, c = x * 1.0, x * 1.0, x[::-1] * 1.0
    v = np.flip(a).ravel()
    v[0] = 9.0
    w = np.fliplr(b).ravel()
    w *= 2
    c[::-1].ravel()[1] = 7.0
    return (a * x).sum() + (b * x).sum() + (c * x).sum()


def lines_in_orders_of_memory(x):
    a, b, c = x * 1.0, x * 1.0, x * 1.0
    v = np.ravel(a.T, order="A")
    v *= K
    w = np.reshape(b.T, -1, order="A")
    w[1] = x[0, 0] ** 2
    u = c.T.ravel(order="K")
    u[:2] += 1
    return (a * x).sum() + (b * x).sum() + (c * x).sum()


def live_iteration(x):
    a = x[0].copy()
    for i, v in enumerate(a):
        if i + 1 < len(a):
            a[i + 1] += v
    total, b = 0.0, x[1] * 1.0
    for v in b:
        total = total + v
        b *= 0.5
    c = x[0] * 1.0
    for v in c.flat:
        total = total + v * x[1, 1]
        c += 1
    it = iter(c)
    c[0] = 5.0
    return (a**2).sum() + total + next(it) * x[0, 0]


def numbers_that_do_not_change(x):
    s = x[0, 0].copy()
    t = s
    s += 1
    u = x.flat[1]
    v = u
    u *= 3
    a = x[0, 1].astype(float)
    b = a
    a *= 2
    c = x.sum()
    d = c.squeeze()
    d *= 2
    try:
        x[0, 2][()] = 5.0
    except TypeError:
        s = s * 10
    return s * t + u * v + a * b + c


def parts_of_complex_numbers(x):
    z = x * (1 + 2j)
    v = np.real(z)
    v += 1
    np.imag(z)[0, 0] = 5.0
    n = x[0, 0] * 1j
    return (abs(z) ** 2).sum() + np.imag(n) + np.real(x[0, 0]) + x[0, 1].imag


def reductions_into_arrays(x):
    o, p = np.zeros_like(x[0]), np.ones_like(x[0]) * 5
    np.add.reduce(x, axis=0, where=np.array([True, False])[:, None], out=o)
    np.maximum.reduce(x, axis=0, where=x > 0.8, initial=0.0, out=p)
    return (o * o).sum() + (p * p).sum()


def places_without_dimensions(x):
    y = np.stack([x, x * 2])
    copied = y[np.array(1)]
    copied[:] = 0
    y[:, np.array(0)][:] = 7
    y[0, np.array(1)] *= 2
    y.flat = x[:0]
    return (y[np.array(1), :, [0, 1]] * K[:4].reshape(2, 2)).sum() + x[0, np.array(1)] ** 2


def views_written_by_places(x):
    a = np.stack([x[0], x[1], x[0] * x[1]])
    a[np.array([0, 1])] = a[1:3]
    a[np.array([0, 2])] = a[::-2]
    b = x[0] * 1.0
    b[b > 0.5] = b[1:]
    return (a * np.arange(9.0).reshape(3, 3)).sum() + (b * K[:3]).sum()


def results_into_larger_arrays(x):
    o = np.zeros_like(x)
    np.multiply(x[0], 2.0, out=o)
    p = np.empty_like(x[0])
    np.add(x[0, 0], 1.0, out=p)
    return (o * o).sum() + (p * p).sum()


def functions_that_hand_back_the_array(x):
    w = x[0] * 1.0
    w.conj()[0] = 5.0
    w.conjugate()[1] = 4.0
    np.real_if_close(w)[2] *= x[0, 0]
    z = x[1] * 1.0
    z[1] = np.nan
    np.nan_to_num(z, copy=False, nan=2.0)
    y = x[1] * 1.0
    y[0] = 0.0
    np.trim_zeros(y)[0] = 7.0
    return (w**2).sum() + (z**2).sum() + (y**2).sum()


def points_that_are_filled(x):
    h = np.zeros_like(x[0, 0])
    h[...] = x[0, 1] ** 2
    h += 1
    return h * x[0, 0]


PROGRAMS = [
    written_through_a_transpose, filled_through_a_transpose, copy_of_a_transpose, copy_of_a_part, copies_by_columns,
    lines_of_flips, lines_in_orders_of_memory, live_iteration, numbers_that_do_not_change, parts_of_complex_numbers,
    reductions_into_arrays, places_without_dimensions, views_written_by_places, results_into_larger_arrays,
    functions_that_hand_back_the_array, points_that_are_filled,
]  # fmt: skip


def difference(f, x, h=1e-6):
    ways = np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in ways]).reshape(x.shape)


@pytest.mark.parametrize("f", [*PROGRAMS, like_a_transpose])
def test_a_program_that_writes_has_numpys_value_and_the_derivatives_of_differences(f):
    value, gradient = sg.value_and_grad(f)(X.copy())
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-13)
    np.testing.assert_allclose(gradient, difference(f, X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(sg.jacobian(f)(X), gradient, rtol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_same_of_the_examples_of_a_batch(f):
    rows = np.stack([X, X + 0.1])
    np.testing.assert_allclose(sg.vmap(f)(rows), [f(row.copy()) for row in rows], rtol=1e-13)


def test_contiguous_arrays_are_copies_where_numpys_are():
    def f(x, xp):
        a, b, c, d = x * 1.0, x * 1.0, x * 1.0, x * 1.0
        for v in (xp.asfortranarray(a), xp.ascontiguousarray(b.T), xp.ascontiguousarray(c[:, ::2])):
            v *= 2
        w = xp.ascontiguousarray(d)
        w *= 3
        return (a * x).sum() + (b * x).sum() + (c * x).sum() + (d * x).sum() + xp.ascontiguousarray(x[0, 0]).sum()

    np.testing.assert_allclose(sg.value_and_grad(lambda x: f(x, snp))(X)[0], f(X, np))
    np.testing.assert_allclose(sg.grad(lambda x: f(x, snp))(X), difference(lambda x: f(x, np), X), rtol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, np.ascontiguousarray, np.asanyarray])
def test_an_array_that_could_not_share_memory_is_not_written_to(make):
    def f(x):
        h = x * 1.0
        make(h)[0] = 9.0
        return (h * h).sum()

    with pytest.raises(ValueError, match="read-only") as caught:
        sg.grad(f)(X)
    assert "symgrad.numpy" in caught.value.__notes__[0] and "Write np.array(a)" in str(caught.value)
    np.testing.assert_allclose(sg.grad(lambda x: make(x).sum() + np.array(x)[0, 0])(X), [[2, 1, 1], [1, 1, 1]])


@pytest.mark.parametrize("make", [np.asarray, np.ascontiguousarray, np.asanyarray, np.require])
@pytest.mark.parametrize("write", ["x[0] = 5.0", "x += 1", "x[0, 0] = 2 * x[0, 1]", "x[1:].fill(0)", "x.sort()"])
@pytest.mark.parametrize("of", ["x", "x[:1]", "x.T"])
def test_an_array_that_numpy_has_another_of_is_not_written_to(make, write, of):
    space = {"make": make}
    exec(f"def f(x, known):\n    x = known if known is not None else x\n    y = make({of})\n    {write}\n"
         "    return (y * y).sum()", space)  # fmt: skip
    for known in (False, True):

        def f(x, known=known):
            return space["f"](x, np.zeros_like(x) if known else None) + x.sum()

        expected = f(X.copy())
        try:
            found = sg.value_and_grad(f)(X)[0]
        except sg.InplaceError as error:
            assert "asarray" in str(error)
        else:  # to NumPy it is a copy
            assert found == pytest.approx(expected)


@pytest.mark.parametrize("write", ["x[0] = 5.0", "y[0] = 5.0 * x[1]", "z[...] *= 2", "w[0] = 2.0"])
@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (3,), (1, 1)])
@pytest.mark.parametrize("broadcast", ["np.broadcast_arrays(x, w)", "np.broadcast_arrays(w, x)[::-1]"])
def test_broadcast_arrays_gives_views_or_the_arrays_themselves(write, shape, broadcast):
    space = {"np": np}
    exec(f"def f(x, w):\n    y, z = {broadcast}\n    {write}\n    return (y * z * x * x).sum()", space)
    f = space["f"]
    try:
        expected = f(X.copy(), np.ones(shape))
    except (FutureWarning, DeprecationWarning):  # "will be an error": of z always, of y in NumPy 2.0
        assert write[0] in "yz"
    else:
        assert sg.value_and_grad(lambda x: f(x, np.ones(shape)))(X)[0] == pytest.approx(expected)


def test_an_array_of_which_numpy_has_none_any_more_is_written_to():
    def f(x):
        np.asarray(x).sum()
        a, b = np.array(x), np.asarray(2 * x)
        x[0] = 5.0
        return (x * x + a + b).sum()

    assert sg.value_and_grad(f)(X)[0] == f(X.copy())


def test_views_whose_entries_overlap_are_not_written_to():
    for f in (
        lambda x: np.broadcast_to(x[0], (3, 3)).__setitem__(0, 1.0),
        lambda x: np.lib.stride_tricks.sliding_window_view(x[0], 2).__setitem__(0, 1.0),
    ):
        with pytest.raises(ValueError, match="read-only"):
            sg.grad(f)(X)


PARTS = {
    "row": lambda x: x[1], "step": lambda x: x[0, ::2], "column": lambda x: x[:, 1], "transpose": lambda x: x.T,
    "whole": lambda x: x, "new": lambda x: 2 * x, "column of a new one": lambda x: (2 * x)[:, 1],
    "of no interest": lambda x: x * 0 + 1,
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("part", PARTS)
def test_numpys_as_strided_is_refused_by_name(part, dtype):
    """It would walk with the strides of numbers through a copy, which has others: wrong values, and beyond its end."""
    a = np.arange(12.0).reshape(3, 4).astype(dtype)

    def f(x):
        y = PARTS[part](x)
        return np.lib.stride_tricks.as_strided(y, (2,), (y.strides[-1],)).sum().real

    for transform in (sg.grad, sg.hessian, sg.jacfwd):
        with pytest.raises(sg.NotDifferentiableError, match="as_strided reads memory"):
            transform(f)(a)


strided = np.lib.stride_tricks.as_strided
STRIDED = {
    "contiguous": lambda x: strided(np.ascontiguousarray(x), (5, 2), (x.itemsize, x.itemsize)),
    "reshaped": lambda x: strided(np.asarray(x).reshape(-1), (2,), (x.itemsize,)),
    "strides": lambda x: strided(np.asarray(x), (2,), x.strides),
    "pieces": lambda x: strided(np.array([x[0], x[1], x[2]]), (2,), (x.itemsize,)),
    "by name": lambda x: np.lib.stride_tricks.as_strided(np.array(x), (2,), (x.dtype.alignment,)),
    "of symgrad": lambda x: snp.lib.stride_tricks.as_strided(np.array(x), (2,), (x.dtype.alignment,)),
    "of symgrad under another name": lambda x, st=snp.lib.stride_tricks.as_strided: st(np.array(x), (2,), (8,)),
}  # fmt: skip
BYTES = {
    "ndarray": lambda x: np.ndarray(buffer=np.asarray(x), shape=(3,), strides=(8,), dtype=object),
    "numbers": lambda x: np.ndarray((3,), x.dtype, buffer=np.array(x)),
    "frombuffer": lambda x: np.frombuffer(np.array(x), x.dtype), "text": lambda x: np.array(x).tobytes()[0] * x,
    "view": lambda x: np.asarray(memoryview(np.array(x)))[0],
}  # fmt: skip


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("read", [*STRIDED, *BYTES])
def test_the_memory_of_an_array_of_objects_is_not_read_as_numbers(read, dtype):
    """What lies there are addresses: read as numbers these are 1e-310, read between two of them the process ends."""
    x, f = np.arange(1.0, 7).astype(dtype), {**STRIDED, **BYTES}[read]
    if dtype is float and read in STRIDED:  # an address is as large as such a number
        assert sg.value_and_grad(lambda x: f(x).sum())(x)[0] == f(x).sum()
        return
    with pytest.raises(sg.NotDifferentiableError, match="array of objects|the memory of an array"):
        sg.grad(lambda x: f(x).sum().real)(x)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("steps", [(1, 1), (4, 1), (2, 3)])
def test_strides_of_an_example_are_those_in_its_batch(dim, steps):
    batch = np.arange(24.0).reshape(2, 3, 4)
    rows = np.moveaxis(batch, dim, 0)
    wanted = [np.lib.stride_tricks.as_strided(r, (2, 2), [8 * s for s in steps]) for r in rows]  # as PyTorch reads it
    found = sg.vmap(lambda a: sg.as_strided(a, (2, 2), steps), in_dims=dim)(sg.tensor(batch))
    assert found.tolist() == np.array(wanted).tolist()
    said = sg.vmap(lambda a: a * (2.0 if a.is_contiguous() else 3.0) + a.stride()[0], in_dims=dim)(sg.tensor(batch))
    times = 2.0 if rows[0].flags.c_contiguous else 3.0
    assert said.tolist() == (rows * times + rows[0].strides[0] // 8).tolist()


def test_strides_of_an_example_of_an_expanded_batch():
    rows = sg.arange(12.0).reshape(1, 3, 4).expand(2, 3, 4)
    found = sg.vmap(lambda a: sg.as_strided(a, (2, 2), (1, 1)), in_dims=1)(rows)
    assert found.tolist() == [[[r, r + 1], [r + 1, r + 2]] for r in (0.0, 4.0, 8.0)]
    said = sg.vmap(lambda a: a * 0 + a.stride()[0] + 2 * a.is_contiguous(), in_dims=1)(rows)
    assert (said == 0).all()  # PyTorch: strides (0, 1), not contiguous


# ------------------------------------------------------------------------------------------------ as_strided by name

WINDOWS = {
    "all": lambda x, strided: strided(x, x.shape, x.strides),
    "the diagonal": lambda x, strided: strided(x, (2,), (x.strides[0] + x.strides[1],)),
    "windows": lambda x, strided: strided(x, (2, x.shape[1] - 1, 2), (*x.strides, x.strides[1])),
    "a line again and again": lambda x, strided: strided(x, (3, x.shape[1]), (0, x.strides[1])),
    "turned": lambda x, strided: strided(x, x.shape[::-1], x.strides[::-1]),
    "of its own": lambda x, strided: strided(x)[1:],
}
LIES = {
    "C": lambda a: a, "F": np.asfortranarray, "turned": lambda a: a.T, "rows": lambda a: np.repeat(a, 2, 0)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1], "columns": lambda a: np.repeat(a, 2, 1)[:, ::2],
}  # fmt: skip


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("lies", LIES)
@pytest.mark.parametrize("window", WINDOWS)
def test_as_strided_of_symgrads_namespace_is_numpys_or_refused_by_name(window, lies, dtype):
    take, x = WINDOWS[window], LIES[lies](X.astype(dtype))
    weights = lambda y: (abs(y) ** 2 * np.arange(1.0, y.size + 1).reshape(y.shape)).sum()
    ours = lambda x: weights(take(x * 1, snp.lib.stride_tricks.as_strided))
    numpys = lambda x: weights(take(x * 1, np.lib.stride_tricks.as_strided))
    value, gradient = sg.value_and_grad(ours)(x)
    assert value == pytest.approx(numpys(x), rel=1e-5)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-3
        slope = (numpys(x + step) - numpys(x - step)) / 2e-3
        np.testing.assert_allclose(gradient[place].real, slope, rtol=2e-2, atol=1e-2)
    if dtype is float:
        np.testing.assert_allclose(sg.compile(ours, "f")(x), value, rtol=1e-14)


@pytest.mark.parametrize("flip", ["np.flip(x, 0)", "np.flip(x, 1)", "np.flip(x)", "np.flipud(x)", "np.fliplr(x)",
                                  "np.rot90(x)", "np.rot90(x, 2)", "np.rot90(x, 3)", "x[::-1]"])  # fmt: skip
@pytest.mark.parametrize("lies", LIES)
def test_strides_of_what_is_flipped_lead_where_numpys_do(flip, lies):
    turned = eval(f"lambda x: {flip}", {"np": np})

    def f(x, strided):
        y = turned(x)
        z = strided(y, (2,), (y.strides[1],))
        return z[0] + 10 * z[1] + y.strides[0] * x[0, 0]

    x = LIES[lies](X)
    ours, numpys = snp.lib.stride_tricks.as_strided, np.lib.stride_tricks.as_strided
    assert sg.value_and_grad(f)(x, ours)[0] == f(x, numpys)
    with pytest.raises(sg.DimensionError):
        sg.grad(lambda x: np.flip(x, 2).sum())(x)
    for wrong in (lambda x: np.rot90(x, 1, (0, 2)), lambda x: np.rot90(x, 1, (1, 1)), lambda x: np.fliplr(x[0])):
        with pytest.raises((ValueError, IndexError)):
            sg.grad(lambda x, wrong=wrong: wrong(x).sum())(x)


def test_what_as_strided_would_read_beyond_an_array_is_refused():
    strided = snp.lib.stride_tricks.as_strided
    for take in (lambda x: strided(x[:, ::2], (2, 3), (24, 8)), lambda x: strided(x, (4, 3), (24, 8)),
                 lambda x: strided(x, (2, 3), (24, 4))):  # fmt: skip
        with pytest.raises(sg.SymgradError, match="as_strided"):
            sg.grad(lambda x, take=take: take(x).sum())(X)


def test_a_view_by_strides_is_written_to_or_refused():
    def f(x):
        y = x * 1
        snp.lib.stride_tricks.as_strided(y, (2,), (y.strides[0] + y.strides[1],))[:] = 5.0 * x[0, 0]
        return (y**2 * K.reshape(2, 3)).sum()

    assert sg.grad(f)(X)[0, 0] == pytest.approx(2 * 25 * X[0, 0] * (K[0] + K[4]))

    def overlapping(x):
        snp.lib.stride_tricks.as_strided(x * 1, (2, 3), (0, 8))[0, 0] = 5.0

    with pytest.raises(ValueError, match="share memory"):
        sg.grad(overlapping)(X)
    plain = snp.lib.stride_tricks.as_strided(X, (2, 2), (24, 8))
    assert type(plain) is np.ndarray and plain.base is not None
    t = sg.tensor(X, requires_grad=True)
    snp.lib.stride_tricks.as_strided(t, (2, 2), (24, 8)).sum().backward()
    np.testing.assert_array_equal(t.grad.numpy(), [[1, 1, 0], [1, 1, 0]])
    assert snp.lib.NumpyVersion is np.lib.NumpyVersion


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("of", [
    lambda C: C[::-1], lambda C: C[:, ::-1], lambda C: np.repeat(C, 2, 1)[:, ::2], lambda C: C.T,
])  # fmt: skip
def test_a_program_of_an_array_with_gaps_is_compared_at_arrays_that_lie_so(of):
    def f(x):
        x[0] = 2.0
        x.ravel()[-1] = 50.0
        return (x * x).sum()

    x = of(np.arange(1.0, 7).reshape(2, 3))
    compiled = sg.compile(f, "g")
    assert np.allclose(compiled(x), sg.grad(f)(x)) and compiled._programs[0].program.checked


# Orders that ask how entries lie: NumPy's answer, or a refusal by name, never another ---------------------------------


RNG = np.random.default_rng(0)
MATRIX, BLOCK = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3, 4))
LAYOUTS = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "gaps": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "backwards by columns": lambda a: np.asfortranarray(a[::-1, ::-1])[::-1, ::-1],
    "last backwards": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    "every other row by columns": lambda a: np.asfortranarray(np.repeat(a, 2, 0))[::2],
    "second first": lambda a: np.ascontiguousarray(a.swapaxes(0, 1)).swapaxes(0, 1),
}
MADE = """
x * 2 | x + x | x + np.ones(x.shape) | x + np.asfortranarray(np.ones(x.shape)) | np.sin(x) | np.where(x > 0, x, 2 * x) |
np.clip(x, -1, 1) | np.maximum(x, 0.1) | abs(x) | x**2 | np.hypot(x, 1.0) | np.nan_to_num(x) | np.zeros_like(x) + x |
np.real(x * 1j + x) | x.copy() | x.copy("K") | np.copy(x) | x.astype(float) | np.array(x) | np.asfortranarray(x) |
np.ascontiguousarray(x) | x.T | np.swapaxes(x, 0, 1) * 1 | np.moveaxis(x, 0, -1) * 1 | x[None] * 1 | x[..., None] * 1 |
x[:, ::-1] * 1 | x[::-1] * 1 | x[:, 1:] | x[..., None] * np.ones(2) | x.reshape(-1, 2) | x.reshape(-1, 2, order="F") |
np.broadcast_to(x, (2, *x.shape)) * 1 | x.ravel("F").reshape(x.shape) | x[:, [0, 2, 1]] | x[[1, 0]] |
x[[1, 0, 1]][:, [2, 1]] |
x[np.ix_([1, 0], [2, 0])] | x[:, [True, False, True]] | x[x > 0] | np.take(x, [2, 0], 1) | np.take(x, [1, 0], 0) |
np.sort(x, 0) | np.sort(x, 1) | np.cumsum(x, 0) | np.cumprod(x, 1) | np.flip(x, 0) | np.flip(x) | np.rot90(x) |
np.roll(x, 1, 0) | np.tile(x, (1, 2)) | np.repeat(x, 2, 1) | np.concatenate([x, x]) | np.concatenate([x, x], 1) |
np.stack([x, x], 1) | np.dstack([x, x]) | np.block([[x, x], [x, x]]) | np.pad(x, 1) | np.insert(x, 1, 0.0, 1) |
np.delete(x, 1, 1) | np.partition(x, 1, 1) | np.gradient(x, axis=0) | np.diff(x, axis=1) | x.sum(0) | x - x.mean(0) |
x.sum(0, keepdims=True) * x | x @ np.ones((x.shape[-1], 3)) | np.multiply.outer(x, np.ones(2)) |
np.take_along_axis(x, np.argsort(x, 0), 0) | np.triu(x) | np.split(x, 2)[0] * 1 | np.trapezoid(x, axis=0) |
np.linalg.inv(x @ np.swapaxes(x, -1, -2)) | np.fft.fft(x, axis=0).real | np.choose(0, [x, x]) |
np.interp(x, [-9, 9], [0, 1]) | np.select([x > 0], [x], -x) | np.sin(x, order="F") | np.add(x, 1, order="C") |
np.multiply(x, x, order="A") | np.positive(x) | np.conj(x) | np.maximum.accumulate(x, 1) |
np.piecewise(x, [x < 0], [1]) |
np.add.reduce(x, 1, keepdims=True) + x | np.unwrap(x) | x[:, None, [0, 1]] | x[..., [1, 0]] |
np.linalg.norm(x, axis=0) + x | np.dot(np.swapaxes(x, 0, -1), np.ones((x.shape[0], 2))) | np.inner(x, x) |
np.ptp(x, 0, keepdims=True) | np.median(x, 0, keepdims=True) | np.tensordot(x, np.ones((x.shape[-1], 2)), 1) |
np.asarray(x) | np.asarray(x).T | np.asanyarray(x) * 1 | np.array(x, copy=None) | np.array(x, copy=True, order="A") |
np.array(x, order="K") | np.array(x, order="F") | np.require(x) | np.apply_over_axes(np.sum, x, [1]) |
np.apply_over_axes(np.sum, x, [1]) + x | np.apply_over_axes(np.max, x, [0, 1]) |
np.apply_over_axes(lambda a, k: np.cumsum(a, k), x, [1]) | np.ptp(x, axis=1) | np.ptp(x, axis=1, keepdims=True) |
np.std(x, 1) | np.var(x, axis=1, keepdims=True) | np.average(x, 1) | np.median(x, 1) | np.quantile(x, 0.3, 1) |
np.nanmean(x, 1) | np.cov(x.reshape(x.shape[0], -1)) | np.average(x, 1, weights=abs(x)) | np.nansum(x, 1) |
np.cross(x[..., :3], x[..., :3] * 2) | np.array([x, x]) | np.asarray(x)[..., ::-1] |
np.asarray(np.moveaxis(x[..., :1], 0, -1)) | np.quantile(x, [0.2, 0.7], 1) | np.percentile(x, [20, 70], 0) |
np.flip(x, 1) * 1 | np.flipud(x) | np.fliplr(x) * 1 | np.rot90(x) * 1 | np.rot90(x, 2) | np.rot90(x, 3) + 1 |
np.flip(x, ()) | np.imag(x) + 1 | np.broadcast_arrays(x, np.ones(x.shape))[0] | np.broadcast_arrays(x[:1], x)[0] * 1 |
x + np.broadcast_to(2.0, x.shape) | np.broadcast_to(np.float32(2), x.shape) * x | np.fft.fft(x, axis=0).imag |
x * np.broadcast_to(np.arange(1.0, x.shape[-1] + 1), x.shape) |
np.linalg.vecdot(x[None], x) + 1 | np.apply_along_axis(np.sort, 0, x)
"""
CASES = [
    text.strip() for text in MADE.replace("\n", " ").split(" | ")
    if ("trapezoid" not in text and "vecdot" not in text) or hasattr(np, "trapezoid")
]  # fmt: skip


@one_in(4)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("order", ["K", "A"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_order_of_memory_is_numpys_or_refused(layout, order, case):
    for array in (MATRIX, BLOCK):
        a, made = LAYOUTS[layout](array), eval(f"lambda x: {case}", {"np": np})
        expected = np.ravel(made(a), order)
        weights = np.arange(1.0, expected.size + 1)
        try:
            found = sg.value_and_grad(lambda x, w=weights, made=made: (np.ravel(made(x), order) * w).sum())(a)[0]
        except sg.ShapeError as error:
            assert f"order='{order}'" in str(error) and "Use 'C' or 'F'." in str(error)
        else:
            np.testing.assert_allclose(found, (expected * weights).sum())


@one_in(4)
@pytest.mark.parametrize("case", CASES)
def test_strides_and_flags_are_numpys(case):
    made = eval(f"lambda x: {case}", {"np": np})

    def lies(y):
        steps = [s for s, n in zip(y.strides, y.shape, strict=True) if n > 1]
        return steps, y.flags.c_contiguous, y.flags["F_CONTIGUOUS"], y.flags.forc

    for layout in LAYOUTS.values():
        for array in (MATRIX, BLOCK):
            expected, found = made(layout(array)), []

            def f(x, found=found):
                found.append(made(x))
                return x.sum()

            try:
                sg.grad(f)(layout(array))
            except sg.ShapeError as error:
                assert "Use 'C' or 'F'." in str(error)
                continue
            if type(found[0]) is not np.ndarray and expected.size:  # which of objects has longer steps
                assert lies(found[0]) == lies(expected)


WRITTEN = {
    "ravel": lambda b: b.ravel(), "reshape": lambda b: b.reshape(-1), "of the transpose": lambda b: b.T.ravel(),
    "rows": lambda b: b.reshape(b.shape[0], -1)[0], "columns": lambda b: b.reshape(-1, order="F"),
    "K": lambda b: np.array(b).ravel("K"),
}  # fmt: skip


@one_in(4)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("part", WRITTEN)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_a_view_and_what_a_copy_is_as_in_numpy(layout, part, case):
    made = eval(f"lambda x: {case}", {"np": np})

    def f(x):
        b = 1 * x if case == "x.T" or "broadcast_to" in case else x
        b = made(b)
        taken = WRITTEN[part](b)
        if part == "K":
            return (taken * np.arange(1.0, taken.size + 1)).sum()
        taken[0] = 5.0
        return (b * np.arange(1.0, b.size + 1).reshape(b.shape)).sum() + taken[-1] ** 2

    for array in (MATRIX, BLOCK):
        a = LAYOUTS[layout](array)
        expected = f(LAYOUTS[layout](array.copy()))
        try:
            found = sg.value_and_grad(f)(a)[0]
        except (sg.SymgradError, ValueError) as error:
            assert isinstance(error, sg.SymgradError) or "read-only" in str(error)
        else:
            np.testing.assert_allclose(found, expected)


def test_a_copy_is_in_the_order_that_a_call_in_known_lines_asks_for():
    for copy in (
        lambda x: np.array(x, order="A"),
        lambda x: np.array(x, copy=True, order="K"),
        lambda x: np.array(x),
        lambda x: np.array(x, order="F"),
    ):
        for layout in LAYOUTS.values():
            f = lambda x, copy=copy: (np.array(copy(x)).ravel("K") * np.arange(24.0)).sum()
            x = layout(BLOCK)
            np.testing.assert_allclose(sg.value_and_grad(f)(x)[0], f(x))


BATCHES = {
    **{name: lambda a, lay=lay: lay(np.stack([a, 2 * a])) for name, lay in LAYOUTS.items()},
    "examples": lambda a: np.stack([a, 2 * a])[:, ::-1],
    "examples with gaps": lambda a: np.repeat(np.stack([a, 2 * a]), 2, -1)[..., ::2],
    "of a table": lambda a: np.moveaxis(np.stack([a, 2 * a], -1), -1, 0),
    "one again and again": lambda a: np.broadcast_to(np.asfortranarray(a), (2, *a.shape)),
    "rows again and again": lambda a: np.broadcast_to(np.stack([a, 2 * a])[:, :1], (2, *a.shape)),
}
ASKED = {
    "strides": lambda x: x * x.strides[0] + x.strides[-1], "flags": lambda x: x * (1 + x.flags.c_contiguous),
    "A": lambda x: x.ravel("A"), "A of the transpose": lambda x: x.T.ravel("A"),
    "K": lambda x: x.ravel("K"), "K backwards": lambda x: x[::-1].ravel("K"), "k": lambda x: x.ravel("k"),
    "copy": lambda x: x.copy("K").ravel("A"), "sum": lambda x: (x + 1).ravel("A"),
    "strided": lambda x: WINDOW[isinstance(x, np.ndarray)](x, (2,), (x.strides[1],)),
}  # fmt: skip
WINDOW = snp.lib.stride_tricks.as_strided, np.lib.stride_tricks.as_strided


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("asked", ASKED)
def test_examples_of_a_batch_lie_as_in_the_batch(asked, batch):
    def f(x):
        y = ASKED[asked](x)
        return (y * np.arange(1.0, y.size + 1).reshape(y.shape)).sum()

    for dim in (0, 1):
        rows = BATCHES[batch](MATRIX)
        expected = [f(row) for row in rows]
        rows = np.moveaxis(rows, 0, dim)
        np.testing.assert_allclose(sg.vmap(f, in_dims=dim)(rows), expected)
        np.testing.assert_allclose(sg.vmap(f, in_dims=dim, chunk_size=1)(rows), expected)
        try:
            np.testing.assert_allclose(sg.vmap(sg.value_and_grad(f), in_dims=dim)(rows)[0], expected)
        except sg.ShapeError as error:
            assert asked in ("K", "K backwards", "k", "copy") and "order=" in str(error)


def test_examples_that_are_grouped_or_written_to_lie_as_in_the_batch():
    def f(x, n):
        x[0] = 2.0
        x.ravel()[-1] = 50.0 * n
        return (x * x).sum()

    rows, counts = np.repeat(np.stack([MATRIX] * 4), 2, -1)[..., ::2], np.array([1, 2, 1, 2])
    expected = [f(np.repeat(MATRIX, 2, -1)[..., ::2], n) for n in counts]
    np.testing.assert_allclose(sg.vmap(f)(rows, counts), expected)
    picked = lambda x, n: x.strides[-1] * x[: int(n)].sum()
    np.testing.assert_allclose(sg.vmap(picked)(rows, counts), [picked(r, n) for r, n in zip(rows, counts, strict=True)])
    once = np.broadcast_to(MATRIX[:1], (2, *MATRIX.shape))  # to NumPy it is read-only
    with pytest.raises(ValueError, match="read-only"):
        sg.vmap(f)(once, counts[:2])


def test_plain_uses_of_an_order_are_not_refused():
    for made in (lambda x: x, lambda x: 2 * x, lambda x: x.T, lambda x: np.sin(x).copy("K"), lambda x: x[:, 1:] * 1):
        for order in "KA":
            assert sg.grad(lambda x, made=made, order=order: np.ravel(made(x), order).sum())(MATRIX).shape == (2, 3)


def test_a_constant_at_the_address_of_another_that_lay_otherwise_is_another():
    """A small constant is copied once, as long as it is the same; an address is used again when an array is gone."""
    rows, columns = np.ones((2, 3)), np.ones((2, 3), order="F")
    first = reading.kept_copy(rows)
    assert reading.kept_copy(rows) is first
    reading._copies[id(columns)] = reading._copies[id(rows)]
    assert reading.kept_copy(columns).flags.fnc
    gaps = np.ones((4, 3), order="F")[::2]
    assert reading.kept_copy(gaps) is reading.kept_copy(gaps)


MOVES = """
np.moveaxis(x, 0, -1) | np.moveaxis(x, -1, 0) | np.transpose(x, (1, 2, 0)) | np.rollaxis(x, 2) | np.rot90(x) | x.T |
np.swapaxes(x, 0, 1) | np.flip(x, 1) | np.squeeze(x)[None] | x[::-1] | np.transpose(x, (2, 0, 1))[..., None]
""".replace("\n", " ").split(" | ")


@pytest.mark.parametrize("shape", [(2, 3, 1), (1, 3, 2), (2, 1, 3), (2, 3, 2), (2, 2, 2)])
@pytest.mark.parametrize("case", MOVES)
def test_a_view_of_a_moved_view_is_written_back_to_its_places(case, shape):
    made = eval(f"lambda x: {case.strip()}", {"np": np})

    def f(x):
        a = x * 1
        for part in (made(a), made(a).T):
            line = part.reshape(-1)
            line[0] = 5 * line[1]
            part[-1] *= 2
        return (a * np.arange(1.0, a.size + 1).reshape(shape)).sum()

    x = np.random.default_rng(0).normal(size=shape)
    value, slope = sg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(np.vdot(slope, x), f(x))  # it is linear


@one_in(3)
@pytest.mark.parametrize("write", ["a[0] *= 2", "a[0, 0] = a[-1, -1]", "a += 1", "a[...] = a * a",
                                   "a[:, [1, 0]] = a[:, :2]",
                                   "a[a > 0] = 1", "np.clip(a, -1, 1, out=a)", "a.sort(0)", "np.add.at(a, 0, 1.0)",
                                   "a[...] = np.asfortranarray(a)", "np.put(a, [0], 2.0)", "a.fill(2.0)",
                                   "np.copyto(a, 2 * a)", "np.place(a, a > 0, [2.0])", "np.putmask(a, a > 0, a * a)",
                                   "np.fill_diagonal(a[:2, :2], 3.0) if a.ndim < 3 else 0", "a.flat = 2 * a.ravel()",
                                   "a.partition(1)", "np.cumsum(a, 0, out=a)", "a.T[:] = 2 * a.T",
                                   "a[0, 0] = 4.0"])  # fmt: skip
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("of", ["a copy", "a copy by rows", "the argument"])
def test_an_array_that_is_written_to_lies_as_before(write, layout, of):
    space = {"np": np}
    exec(f"def change(a):\n    {write}\n    return a", space)

    def f(x, part):
        a = space["change"](x if of == "the argument" else x.copy("C" if of == "a copy by rows" else "K"))
        line = part(a)
        line[1] = 7.0
        return (a * np.arange(1.0, a.size + 1).reshape(a.shape)).sum() + (
            np.array(a).ravel("K") * np.arange(a.size)
        ).sum()

    for array in (MATRIX, BLOCK):
        for part in (lambda a: a.T.reshape(-1), lambda a: a.ravel(), lambda a: a.reshape(-1)):
            a, expected = LAYOUTS[layout](array), f(LAYOUTS[layout](array.copy()), part)
            np.testing.assert_allclose(sg.value_and_grad(f)(a, part)[0], expected)
            np.testing.assert_allclose(sg.jvp(lambda x, part=part: f(x, part), (a,), (a,))[0], expected)


def test_what_shares_entries_is_not_written_to():
    """To NumPy a write changes several entries, or is an error; here each would change alone."""
    for x in (np.broadcast_to(np.arange(3.0), (2, 3)), np.lib.stride_tricks.as_strided(np.arange(4.0), (3, 2), (8, 8))):
        with pytest.raises(sg.InplaceError, match="share memory"):
            sg.grad(lambda x: x.__setitem__(0, 2.0) or x.sum())(x)

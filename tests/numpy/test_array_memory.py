"""How arrays lie in memory, which a program can tell by writing: layouts, views and copies, reads that are live.

Each function runs as plain NumPy; symgrad's value is NumPy's, and its gradient that of central differences: with
single numbers followed by a list (`sg.grad`), by operations (`sg.jacobian`), and on an example of symbols (`sg.vmap`).
"""

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp

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
    assert "symgrad.numpy" in caught.value.__notes__[0]
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

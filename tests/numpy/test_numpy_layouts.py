"""Orders that ask how entries lie in memory ("K" and "A"): NumPy's answer, or a refusal by name, never another."""

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad.core import reading

from ..helpers.cases import one_in

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

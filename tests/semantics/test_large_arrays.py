"""Arrays above the size that is worked on in blocks give what small ones give, whatever their layout and company."""

import numpy as np
import pytest

import symgrad as sg

SMALL, LARGE = 6, 140_002

LAYOUTS = {
    "contiguous": lambda a: a.reshape(2, -1),
    "transposed": lambda a: a.reshape(2, -1).t(),
    "permuted": lambda a: a.reshape(2, 1, -1).permute(2, 0, 1),
    "computed from transposed": lambda a: a.reshape(2, -1).t() * 1.0,
    "flipped": lambda a: a.reshape(2, -1).flip(1),
}
PROGRAMS = {
    "mul_ of a copy": lambda x: (x * 1).mul_(x),
    "add_ and mul_": lambda x: (x * 1).add_(x).mul_(x),
    "product and sum": lambda x: x * x + x,
    "shared": lambda x: (lambda y: y * y + y)(sg.tanh(x) * x),
    "divided": lambda x: x / (x * x + 1),
    "exp of neg": lambda x: sg.exp(-x) * x,
}


def sums(program, layout, n):
    """Sums of value, gradient and second derivative, per element, of a constant input: the same for every n."""
    a = sg.full((n,), 0.5, requires_grad=True)
    y = program(layout(a))
    (g,) = sg.autograd.grad((y * y).sum(), a, create_graph=True)
    (h,) = sg.autograd.grad((g * g).sum(), a)
    return [float(v.detach().numpy().sum()) / n for v in (y, g, h)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_large_is_as_small(program, layout):
    args = PROGRAMS[program], LAYOUTS[layout]
    np.testing.assert_allclose(sums(*args, LARGE), sums(*args, SMALL), rtol=1e-10)


@pytest.mark.parametrize("shape", [(1,), ()])
@pytest.mark.parametrize("n", [100, LARGE])
def test_division_by_one_number_at_every_size(shape, n):
    x = sg.ones(n, requires_grad=True)
    w = sg.full(shape, 2.0, requires_grad=True)
    y = (x / w) * 2
    gx, gw = sg.autograd.grad((y * y).sum(), [x, w], create_graph=True)
    np.testing.assert_allclose(gw.detach().numpy(), -n, rtol=1e-12)
    hx, hw = sg.autograd.grad((gx * gx).sum() + (gw * gw).sum(), [x, w])
    # y² = 4x²/w²: gx = 8x/w² = 2, gw = -8 Σx²/w³ = -n
    np.testing.assert_allclose(hx.numpy(), 2 * 2 * 2 + 2 * (-n) * (-16 / 8), rtol=1e-12)
    np.testing.assert_allclose(hw.numpy(), n * 2 * 2 * (-16 / 8) + 2 * (-n) * (24 * n / 16), rtol=1e-12)


@pytest.mark.parametrize("number", [True, 2, 0.5, 1j, np.float32(2), np.bool_(True)], ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_beside_a_large_array_are_those_beside_a_small_one(number, dtype):
    for run in (lambda x: x * number, lambda x: number + x, lambda x: sg.maximum(x, 0) ** 2 - number):
        small, large = (run(sg.full((n,), 0.5, dtype=dtype)) for n in (SMALL, LARGE))
        assert small.dtype == large.dtype
        np.testing.assert_array_equal(large.numpy()[:SMALL], small.numpy())


def test_floating_point_notices_are_held_back_in_blocks_of_other_threads_too():
    with np.errstate(all="raise"):
        assert (sg.log(sg.zeros(LARGE)) == -np.inf).all()

"""Derivatives where there is none, or more than one: kinks, ties, bounds, zeros and infinities.

Each row: what is differentiated (the sum of its result), at which point, and the gradient there.
"""

import math

import pytest
from numpy.testing import assert_allclose

import symgrad as sg

F = sg.nn.functional
INF, NAN = float("inf"), float("nan")
LN2 = math.log(2)


def gradients(function, *points):
    inputs = [sg.tensor(point, requires_grad=True) for point in points]
    function(*inputs).sum().backward()
    return [x.grad.tolist() for x in inputs]


def second(function, point):
    x = sg.tensor(point, requires_grad=True)
    (g,) = sg.autograd.grad(function(x).sum(), x, create_graph=True)
    return (sg.autograd.grad(g.sum(), x)[0] + 0).tolist()


KINKS = {
    "relu": (sg.relu, [-1.0, 0.0, -0.0, 1.0], [0.0, 0.0, 0.0, 1.0]),
    "abs": (sg.abs, [-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.1), [-1.0, 0.0, 1.0], [0.1, 0.1, 1.0]),
    "elu": (F.elu, [-1.0, 0.0, 1.0], [math.exp(-1), 1.0, 1.0]),
    "elu with alpha 2": (lambda x: F.elu(x, alpha=2.0), [-1.0, 0.0, 1.0], [2 * math.exp(-1), 2.0, 1.0]),
    "softplus": (F.softplus, [0.0, 100.0], [0.5, 1.0]),
    "silu": (F.silu, [0.0], [0.5]),
    "gelu": (F.gelu, [0.0], [0.5]),
    "logsigmoid": (F.logsigmoid, [0.0], [0.5]),
    "softsign": (F.softsign, [-1.0, 0.0, 1.0], [0.25, 1.0, 0.25]),
    "hardtanh": (F.hardtanh, [-1.0, 0.5, 1.0], [0.0, 1.0, 0.0]),
    "relu6": (F.relu6, [0.0, 3.0, 6.0], [0.0, 1.0, 0.0]),
    "clamp": (lambda x: sg.clamp(x, 0.0, 1.0), [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 1.0, 1.0, 0.0]),
    "clamp_min": (lambda x: sg.clamp_min(x, 0.0), [-1.0, 0.0, 1.0], [0.0, 1.0, 1.0]),
    "clamp_max": (lambda x: sg.clamp_max(x, 0.0), [-1.0, 0.0, 1.0], [1.0, 1.0, 0.0]),
    "where": (lambda x: sg.where(x > 0, x, 2 * x), [-1.0, 0.0, 1.0], [2.0, 2.0, 1.0]),
    "l1_loss": (lambda x: F.l1_loss(x, sg.zeros(3), reduction="sum"), [-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]),
    "huber_loss": (lambda x: F.huber_loss(x, sg.zeros(3), reduction="sum"), [-2.0, 0.5, 1.0], [-1.0, 0.5, 1.0]),
}

STEPS = {
    "sign": (sg.sign, [-2.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    "floor": (sg.floor, [-1.5, 0.0, 1.5], [0.0, 0.0, 0.0]),
    "ceil": (sg.ceil, [-1.5, 0.0, 1.5], [0.0, 0.0, 0.0]),
    "round": (sg.round, [0.5, 1.5, 2.5], [0.0, 0.0, 0.0]),
    "trunc": (sg.trunc, [-1.5, 0.0, 1.5], [0.0, 0.0, 0.0]),
    "frac": (sg.frac, [-1.5, 0.0, 1.5], [1.0, 1.0, 1.0]),
    "fmod by a number": (lambda x: sg.fmod(x, 2.0), [-3.5, 2.0, 3.5], [1.0, 1.0, 1.0]),
    "remainder by a number": (lambda x: sg.remainder(x, 2.0), [-3.5, 2.0, 3.5], [1.0, 1.0, 1.0]),
}

TIES = {
    "amax": (sg.amax, [1.0, 3.0, 3.0, 2.0], [0.0, 0.5, 0.5, 0.0]),
    "amin": (sg.amin, [1.0, 1.0, 3.0, 1.0], [1 / 3, 1 / 3, 0.0, 1 / 3]),
    "amax along": (lambda x: sg.amax(x, 1), [[1.0, 1.0], [1.0, 2.0]], [[0.5, 0.5], [0.0, 1.0]]),
    "max": (sg.max, [1.0, 3.0, 3.0, 2.0], [0.0, 0.5, 0.5, 0.0]),
    "min": (sg.min, [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]),
    "max along": (lambda x: sg.max(x, 0)[0], [1.0, 3.0, 3.0, 2.0], [0.0, 1.0, 0.0, 0.0]),
    "min along": (lambda x: sg.min(x, 0)[0], [1.0, 1.0, 3.0], [1.0, 0.0, 0.0]),
    "median": (sg.median, [1.0, 2.0, 2.0, 3.0], [0.0, 0.5, 0.5, 0.0]),
    "median of an even number": (sg.median, [1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 0.0]),
    "aminmax": (lambda x: sum(sg.aminmax(x)), [1.0, 1.0, 2.0], [0.5, 0.5, 1.0]),
    "cummax": (lambda x: sg.cummax(x, 0)[0], [1.0, 3.0, 3.0, 2.0], [1.0, 1.0, 2.0, 0.0]),
    "cummin": (lambda x: sg.cummin(x, 0)[0], [3.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 0.0]),
    "sort": (
        lambda x: x.sort(stable=True)[0] * sg.tensor([1.0, 2.0, 3.0, 4.0]),
        [2.0, 1.0, 2.0, 1.0],
        [3.0, 1.0, 4.0, 2.0],
    ),
    "sort descending": (
        lambda x: x.sort(descending=True, stable=True)[0] * sg.tensor([1.0, 2.0, 3.0, 4.0]),
        [2.0, 1.0, 2.0, 1.0],
        [1.0, 3.0, 2.0, 4.0],
    ),
    "max_pool1d": (lambda x: F.max_pool1d(x.view(1, 1, 4), 2), [1.0, 1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 1.0]),
    "max of abs": (lambda x: x.abs().max(), [-1.0, 1.0], [-0.5, 0.5]),
}

POWERS = {
    "x**0": (lambda x: x**0, [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]),
    "x**0.0": (lambda x: x**0.0, [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]),
    "x**1": (lambda x: x**1, [0.0, 1.0, 2.0], [1.0, 1.0, 1.0]),
    "x**2": (lambda x: x**2, [-1.0, 0.0, 2.0], [-2.0, 0.0, 4.0]),
    "x**0.5": (lambda x: x**0.5, [0.0, 1.0, 4.0], [INF, 0.5, 0.25]),
    "x**-1": (lambda x: x**-1, [0.0, 1.0, 4.0], [-INF, -1.0, -0.0625]),
    "x**3 of a negative": (lambda x: x**3, [-2.0], [12.0]),
    "0**y": (lambda y: 0.0**y, [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]),
    "2**y": (lambda y: 2.0**y, [0.0, 1.0], [LN2, 2 * LN2]),
}

PRODUCTS = {
    "prod": (sg.prod, [2.0, 3.0, 4.0], [12.0, 8.0, 6.0]),
    "prod with a zero": (sg.prod, [2.0, 0.0, 4.0], [0.0, 8.0, 0.0]),
    "prod with two zeros": (sg.prod, [0.0, 0.0, 4.0], [0.0, 0.0, 0.0]),
    "prod along": (
        lambda x: x.prod(1),
        [[2.0, 0.0, 4.0], [0.0, 0.0, 4.0]],
        [[0.0, 8.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    "cumprod with a zero": (lambda x: x.cumprod(0), [2.0, 0.0, 4.0], [1.0, 10.0, 0.0]),
    "cumprod with two zeros": (lambda x: x.cumprod(0), [0.0, 2.0, 0.0, 4.0], [3.0, 0.0, 0.0, 0.0]),
}

EDGES = {
    "sqrt": (sg.sqrt, [0.0, 1.0], [INF, 0.5]),
    "rsqrt": (sg.rsqrt, [0.0, 1.0], [-INF, -0.5]),
    "log": (sg.log, [0.0, 1.0], [INF, 1.0]),
    "reciprocal": (sg.reciprocal, [0.0, 1.0], [-INF, -1.0]),
    "asin": (sg.asin, [1.0, 0.0], [INF, 1.0]),
    "norm": (sg.norm, [0.0, 0.0], [0.0, 0.0]),
    "norm along": (lambda x: x.norm(dim=1), [[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0], [0.6, 0.8]]),
    "norm of order 1": (lambda x: x.norm(1), [0.0, -2.0], [0.0, -1.0]),
    "norm of order 3": (lambda x: sg.linalg.vector_norm(x, 3), [0.0, 0.0], [0.0, 0.0]),
    "norm of order inf": (lambda x: sg.linalg.vector_norm(x, INF), [1.0, -3.0, 3.0], [0.0, -0.5, 0.5]),
    "std of a constant": (sg.std, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
    "var of a constant": (sg.var, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
    "logsumexp with one -inf": (lambda x: sg.logsumexp(x, 0), [-INF, 0.0], [0.0, 1.0]),
    "logsumexp of -inf only": (lambda x: sg.logsumexp(x, 0), [-INF, -INF], [NAN, NAN]),
    "softmax with one -inf": (lambda x: sg.softmax(x, 0)[0], [-INF, 0.0], [0.0, 0.0]),
    "nan_to_num": (sg.nan_to_num, [NAN, INF, 1.0], [0.0, 0.0, 1.0]),
    "nansum": (sg.nansum, [NAN, 2.0], [0.0, 1.0]),
    "sinc": (sg.sinc, [0.0, 1.0], [0.0, -1.0]),
    "sum of nothing": (sg.sum, [], []),
}


@pytest.mark.parametrize("name", KINKS)
def test_gradient_at_a_kink(name):
    function, point, expected = KINKS[name]
    assert_allclose(gradients(function, point)[0], expected)


@pytest.mark.parametrize("name", STEPS)
def test_gradient_of_a_step_function(name):
    function, point, expected = STEPS[name]
    assert gradients(function, point)[0] == expected


@pytest.mark.parametrize("name", TIES)
def test_gradient_among_ties(name):
    function, point, expected = TIES[name]
    assert_allclose(gradients(function, point)[0], expected)


@pytest.mark.parametrize("name", POWERS)
def test_gradient_of_powers(name):
    function, point, expected = POWERS[name]
    assert_allclose(gradients(function, point)[0], expected)


@pytest.mark.parametrize("name", PRODUCTS)
def test_gradient_of_a_product_with_zeros(name):
    function, point, expected = PRODUCTS[name]
    assert_allclose(gradients(function, point)[0], expected)


@pytest.mark.parametrize("name", EDGES)
def test_gradient_at_the_edge_of_the_domain(name):
    function, point, expected = EDGES[name]
    assert_allclose(gradients(function, point)[0], expected, atol=1e-15)


TWO = {
    "minimum": (sg.minimum, [1.0, 2.0, 3.0], [2.0] * 3, [1.0, 0.5, 0.0], [0.0, 0.5, 1.0]),
    "maximum": (sg.maximum, [1.0, 2.0, 3.0], [2.0] * 3, [0.0, 0.5, 1.0], [1.0, 0.5, 0.0]),
    "max of two": (sg.max, [1.0, 2.0], [2.0, 2.0], [0.0, 0.5], [1.0, 0.5]),
    "fmin": (sg.fmin, [1.0, 2.0, 3.0], [2.0] * 3, [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
    "fmax": (sg.fmax, [1.0, 2.0, NAN], [2.0] * 3, [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]),
    "pow": (sg.pow, [0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 12.0], [0.0, 0.0, 0.0, 8 * LN2]),
    "pow of a negative": (sg.pow, [-2.0], [2.0], [-4.0], [NAN]),
    "hypot": (sg.hypot, [0.0, 3.0], [0.0, 4.0], [NAN, 0.6], [NAN, 0.8]),
    "atan2": (sg.atan2, [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]),
    "xlogy": (sg.xlogy, [0.0, 2.0], [1.0, 1.0], [0.0, 0.0], [0.0, 2.0]),
    "fmod": (sg.fmod, [-3.5, 2.0, 3.5], [2.0, 2.0, -2.0], [1.0] * 3, [1.0, -1.0, 1.0]),
    "remainder": (sg.remainder, [-3.5, 2.0, 3.5], [2.0, 2.0, -2.0], [1.0] * 3, [2.0, -1.0, 2.0]),
    "clamp_min": (sg.clamp_min, [-1.0, 0.0, 1.0], [0.0] * 3, [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
    "logaddexp": (sg.logaddexp, [0.0, -INF], [0.0, 0.0], [0.5, 0.0], [0.5, 1.0]),
    "where": (lambda x, y: sg.where(x > y, x, y), [1.0, 2.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]),
}


@pytest.mark.parametrize("name", TWO)
def test_gradients_of_two_inputs_at_kinks_and_ties(name):
    function, a, b, expected_a, expected_b = TWO[name]
    found_a, found_b = gradients(function, a, b)
    assert_allclose(found_a, expected_a)
    assert_allclose(found_b, expected_b)


SECOND = {
    "relu": (sg.relu, [-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]),
    "relu**2": (lambda x: sg.relu(x) ** 2, [-1.0, 0.0, 1.0], [0.0, 0.0, 2.0]),
    "abs": (sg.abs, [-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]),
    "x*|x|": (lambda x: x * sg.abs(x), [-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]),
    "elu": (F.elu, [-1.0, 0.0, 1.0], [math.exp(-1), 0.0, 0.0]),
    "elu with alpha 2": (lambda x: F.elu(x, alpha=2.0), [-1.0, 0.0], [2 * math.exp(-1), 0.0]),
    "softplus": (F.softplus, [0.0, 100.0], [0.25, 0.0]),
    "silu": (F.silu, [0.0], [0.5]),
    "logsigmoid": (F.logsigmoid, [0.0], [-0.25]),
    "softsign": (F.softsign, [-1.0, 0.0, 1.0], [0.25, 0.0, -0.25]),
    "gelu": (F.gelu, [0.0], [math.sqrt(2 / math.pi)]),
    "clamp(x)**2": (lambda x: x.clamp(0.0, 1.0) ** 2, [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 2.0, 2.0, 2.0, 0.0]),
    "max(x)**2": (lambda x: x.max() ** 2, [1.0, 3.0, 3.0], [0.0, 1.0, 1.0]),
    "x**2": (lambda x: x**2, [0.0, 1.0], [2.0, 2.0]),
    "x**1": (lambda x: x**1, [0.0, 1.0], [0.0, 0.0]),
    "x**-1": (lambda x: x**-1, [1.0, 2.0], [2.0, 0.25]),
    "prod": (sg.prod, [2.0, 3.0, 4.0], [7.0, 6.0, 5.0]),
    "prod with a zero": (sg.prod, [2.0, 0.0, 4.0], [4.0, 6.0, 2.0]),
    "prod with two zeros": (sg.prod, [0.0, 0.0, 4.0], [4.0, 4.0, 0.0]),
    "prod of zeros": (sg.prod, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "prod along": (lambda x: x.prod(1), [[2.0, 0.0, 4.0], [0.0, 0.0, 4.0]], [[4.0, 6.0, 2.0], [4.0, 4.0, 0.0]]),
    "cumprod with a zero": (lambda x: x.cumprod(0), [2.0, 0.0, 4.0], [5.0, 7.0, 2.0]),
    "cumprod with two zeros": (lambda x: x.cumprod(0), [0.0, 2.0, 0.0, 4.0], [11.0, 1.0, 10.0, 0.0]),
    "logsumexp with one -inf": (lambda x: sg.logsumexp(x, 0), [-INF, 0.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivative_at_kinks_ties_and_zeros(name):
    function, point, expected = SECOND[name]
    assert_allclose(second(function, point), expected, atol=1e-15)


INDICES = {
    "max": (lambda t: sg.max(t, 0)[1], [1.0, 3.0, 3.0, 2.0], 1),
    "min": (lambda t: sg.min(t, 0)[1], [1.0, 0.0, 0.0, 2.0], 1),
    "argmax": (sg.argmax, [1.0, 3.0, 3.0, 2.0], 1),
    "argmin": (sg.argmin, [1.0, 0.0, 0.0, 2.0], 1),
    "sort": (lambda t: t.sort(stable=True)[1], [2.0, 1.0, 2.0, 1.0], [1, 3, 0, 2]),
    "sort descending": (lambda t: t.sort(descending=True, stable=True)[1], [2.0, 1.0, 2.0, 1.0], [0, 2, 1, 3]),
    "argsort": (lambda t: sg.argsort(t, stable=True), [2.0, 1.0, 2.0, 1.0], [1, 3, 0, 2]),
    "cummax": (lambda t: sg.cummax(t, 0)[1], [1.0, 3.0, 3.0, 2.0], [0, 1, 2, 2]),
    "cummin": (lambda t: sg.cummin(t, 0)[1], [3.0, 1.0, 1.0, 2.0], [0, 1, 2, 2]),
    "nan is the largest": (sg.argmax, [1.0, NAN, 3.0], 1),
}


@pytest.mark.parametrize("name", INDICES)
def test_which_of_several_equal_elements_is_picked(name):
    function, point, expected = INDICES[name]
    assert function(sg.tensor(point)).tolist() == expected


def test_max_along_names_its_results():
    result = sg.max(sg.tensor([[1.0, 3.0], [4.0, 4.0]]), 1)
    assert result.values.tolist() == [3.0, 4.0]
    assert result.indices.tolist() == [1, 0]


def test_rounding_goes_to_even():
    assert sg.round(sg.tensor([0.5, 1.5, 2.5, -0.5])).tolist() == [0.0, 2.0, 2.0, 0.0]


def test_remainder_takes_the_sign_of_the_divisor_and_fmod_that_of_the_dividend():
    a, b = sg.tensor([-3.5, 3.5]), sg.tensor([2.0, -2.0])
    assert sg.remainder(a, b).tolist() == [0.5, -0.5]
    assert sg.fmod(a, b).tolist() == [-1.5, 1.5]
    assert (a % b).tolist() == [0.5, -0.5]


@pytest.mark.parametrize("masked", [[True, True, True], [True, False, True], [False] * 3])
@pytest.mark.parametrize("function", [
    lambda x: sg.logsumexp(x, -1), lambda x: sg.logsumexp(x, -1, True), lambda x: sg.hypot(x, sg.zeros(3)).exp(),
])  # fmt: skip
def test_what_is_masked_moves_nothing_in_either_mode(function, masked):
    """Both modes give 0 where all is masked, though the softmax of nothing but -inf is NaN."""
    mask, fill = sg.tensor(masked), 0.0 if function(sg.zeros(3)).shape == (3,) else -INF

    def run(x):
        return function(x.masked_fill(mask, fill))

    x = [0.5, -1.0, 2.0]
    (back,) = gradients(run, x)
    forward = [sg.jvp(run, (sg.tensor(x),), (sg.eye(3)[i],))[1].sum().item() for i in range(3)]
    assert forward == pytest.approx(back) and sg.jacfwd(run)(sg.tensor(x)).reshape(-1, 3).sum(0).tolist() == forward
    assert all(g == 0 for g, m in zip(back, masked) if m)


@pytest.mark.parametrize("f", [sg.xlogy, lambda a, b: sg.special.xlog1py(a, b - 1)])
def test_the_logarithm_of_a_negative_entry_that_is_not_used_moves_nothing(f):
    x = sg.tensor([1.0, -1.0], requires_grad=True)
    f(x, x.detach())[0].backward()
    assert x.grad.tolist() == [0.0, 0.0]

"""Where one part meets another: memory order and views, what a value saved, tapes and formulas and programs."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.user_defined import SquareOnArrays


def differences(f, x, h=1e-6):
    """The gradient of ``f`` by central differences."""
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([float(f(x + e) - f(x - e)) / (2 * h) for e in steps]).reshape(x.shape)


FLAT_VIEWS = {
    "reshape": lambda v: v.reshape(-1).__setitem__(slice(None, None, 2), 0.0),
    "view": lambda v: v.view(-1)[1:3].mul_(0),
    "ravel": lambda v: v.ravel()[0].zero_(),
    "flatten": lambda v: v.flatten()[::2].fill_(0.0),
    "another shape": lambda v: v.view(2, 3)[0].zero_(),
}


@pytest.mark.parametrize("way", FLAT_VIEWS)
@pytest.mark.parametrize("read", [lambda v: v.mT, lambda v: v.reshape(2, 3)], ids=["transposed", "as it is"])
def test_a_write_through_a_flat_view_overwrites_whatever_the_order_of_memory(way, read):
    x, c = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.arange(1.0, 7).reshape(2, 3)

    def f(x):
        v = sg.as_tensor(x).clone()
        FLAT_VIEWS[way](v)
        return (read(v) * c).sum() ** 2

    np.testing.assert_allclose(sg.grad(f)(x), differences(f, x), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(sg.formula(f, sg.symbol("x", (3, 2))).grad("x")(x=x), sg.grad(f)(x))
    np.testing.assert_allclose(sg.hessian(f)(x), sg.jacfwd(sg.grad(f))(x))


def test_a_write_through_a_flat_view_of_columns_overwrites_them():
    x, c = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.arange(1.0, 7).reshape(2, 3)

    def f(x):
        v = sg.as_tensor(x).mT.clone()
        v.mT.reshape(-1)[::2] = 0.0
        return (v * c).sum()

    np.testing.assert_allclose(sg.grad(f)(x), differences(f, x), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("name", ["cholesky_solve", "cholesky_inverse"])
def test_only_the_triangle_that_is_read_has_a_part_in_the_gradient(name, upper):
    rng = np.random.default_rng(0)
    b, x = rng.normal(size=(3, 2)), rng.normal(size=(3, 3)) + 3 * np.eye(3)

    def f(x):
        y = sg.cholesky_inverse(x, upper) if name == "cholesky_inverse" else sg.cholesky_solve(b, x, upper)
        return (y**2).sum()

    np.testing.assert_allclose(sg.grad(f)(x), differences(f, x), rtol=1e-5, atol=1e-7)


def test_what_equals_both_bounds_of_a_clamp_has_the_gradient_once():
    x = sg.tensor([-1.25], requires_grad=True)
    (g,) = sg.autograd.grad(sg.clamp(x, x.mean(), x.max()).sum(), x)
    assert g.tolist() == [1.0]
    three = [sg.tensor([v], requires_grad=True) for v in (-1.25, -1.25, -1.25)]
    assert [g.item() for g in sg.autograd.grad(sg.clamp(*three).sum(), three)] == [1.0, 0.0, 0.0]


def test_a_mask_computed_from_what_it_masks_has_no_derivative():
    x = np.array([0.5, 0.02, -1.0])

    def f(x):
        return sg.masked_fill(1 / x, x < 0.1, 0.0).sum()

    np.testing.assert_allclose(sg.formula(f, sg.symbol("x", 3)).grad("x")(x=x), [-4.0, 0.0, 0.0])
    np.testing.assert_allclose(sg.compile(f)(x)[2], np.diag([16.0, 0.0, 0.0]))


@pytest.mark.parametrize("name", ["std_mean", "var_mean"])
def test_the_mean_beside_a_deviation_may_be_written_to(name):
    x = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    mean = getattr(sg, name)(x)[1]
    mean.mul_(2)
    np.testing.assert_allclose(sg.autograd.grad(mean, x)[0].numpy(), np.full(3, 2 / 3))


@pytest.mark.parametrize("places", [[0, 1], np.array([True, True])], ids=["places", "mask"])
def test_a_list_of_tensors_assigned_to_places_keeps_its_gradients(places):
    x, q = sg.tensor([1.0, 2.0], requires_grad=True), sg.zeros(2)
    q[places] = [x[1] * 3, x[0]]
    (g,) = sg.autograd.grad((q * sg.tensor([1.0, 10.0])).sum(), x)
    assert g.tolist() == [10.0, 3.0]


def written(x):
    v = sg.tensor([1.0, 2.0]) * 1
    v[0] = x.mean()
    return (v.sin().detach() * x).sum()


def written_and_read_unrecorded(x):
    v = sg.tensor([1.0, 2.0]) * 1
    v[0] = x.mean()
    with sg.no_grad():
        u = v.sin()
    return u.sum() + x.sum()


@pytest.mark.parametrize("f", [written, written_and_read_unrecorded])
def test_data_that_a_symbol_was_written_to_stand_in_for_unknown_values_too(f):
    formula = sg.formula(f, sg.symbol("x", 2))
    for x in ([0.3, 0.7], [5.0, 7.0]):
        np.testing.assert_allclose(formula(x=np.array(x)), f(sg.tensor(x)).item())


def test_what_a_symbol_was_written_to_shows_no_values():
    x, v = sg.symbol("x", 3), sg.zeros(3)
    part = v[1:]
    v[0] = x.sum()
    assert type(v) is sg.Symbol and type(part) is sg.Symbol
    with pytest.raises(sg.SymbolicBranchError, match="asked for the value"):
        v.tolist()
    with sg.no_grad(), pytest.raises(sg.SymbolicBranchError, match="written in place where nothing is recorded"):
        sg.zeros(3)[0] = x.sum()


def test_a_program_reads_a_diagonal_between_two_reshapes():
    def f(x):
        return sg.sin(sg.einsum("iij->ij", sg.sin(x.reshape(2, 2, 3))).reshape(-1)).sum()

    x, H = np.arange(12.0), sg.hessian(f)
    np.testing.assert_allclose(H(x), sg.func.hessian(f)(sg.tensor(x)).numpy(), atol=1e-12)
    assert "a program runs" in H.plan(x)


def test_a_compiled_function_of_short_floats_is_compared_as_exactly_as_they_are():
    c = np.array([-0.375, 0.25, -0.75], np.float32)

    def f(x):
        return sg.atan2(x, 2 + sg.sin(sg.as_tensor(c))).sum()

    x = np.array([0.9, 1.2, 0.4])
    np.testing.assert_allclose(sg.compile(f)(x)[1], sg.grad(f)(x), rtol=1e-6)  # no warning: the program is used


def test_a_function_with_complex_numbers_inside_is_not_compiled():
    def f(x):
        return sg.sin(sg.abs(sg.complex(sg.tanh(x), np.full(2, 0.5)))).sum()

    with pytest.raises(sg.GradientError, match="has no program\nThere are complex numbers in it"):
        sg.compile(f)(np.ones(2))


def test_a_formula_of_complex_numbers_tells_real_arrays_from_complex_ones():
    x = sg.tensor(np.arange(1.0, 7).reshape(3, 2), requires_grad=True, name="x")
    (g,) = sg.autograd.grad((sg.real(sg.view_as_complex(x)) ** 2).sum(), x, create_graph=True)
    np.testing.assert_allclose(g.formula()(), g.detach().numpy())


def test_a_formula_has_second_derivatives_beside_a_number_that_is_put():
    def f(x):
        return (sg.put(sg.ones(2, 3) * x, np.array([4, 1]), np.repeat(x.reshape(-1), 2)) ** 3).sum()

    x = np.array([[1.004]])
    formula = f(sg.tensor(x, requires_grad=True, name="x")).formula()
    np.testing.assert_allclose(formula.hessian("x")(), sg.hessian(f)(x))


def test_a_quotient_in_a_formula_is_rounded_as_a_quotient():
    a, b, x = sg.symbol("a", 3), sg.symbol("b", 3), np.array([49.0, 98.0, 103.0])
    assert float(sg.formula(lambda a, b: sg.floor(a / b).sum(), a, b)(a=x, b=x)) == 3.0
    gradient = sg.formula(lambda a, b: sg.remainder(a, b).sum(), a, b).grad("b")
    np.testing.assert_array_equal(gradient(a=x, b=x), [-1.0, -1.0, -1.0])


FORWARDS = {"jvp": lambda f: sg.jvp(f, (2.0,), (1.0,)), "taylor": lambda f: sg.taylor(f, 2.0, 1)}


@pytest.mark.parametrize("way", FORWARDS)
def test_forward_mode_refuses_a_backward_that_computes_on_arrays(way):
    with pytest.raises(sg.NotDifferentiableError, match="computes on arrays"):
        FORWARDS[way](lambda x: SquareOnArrays.apply(x))


def test_numbers_are_tensors_among_those_that_broadcast():
    a, b = sg.broadcast_tensors(sg.ones(2), 2.0)
    assert a.tolist() == [1.0, 1.0] and b.tolist() == [2.0, 2.0]


WINDOWS = {
    "unfold": lambda v: v.unfold(0, 1, 1),
    "sliding_window_view": lambda v: np.lib.stride_tricks.sliding_window_view(v, 1),
    "slice": lambda v: v[:],
}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_write_through_a_window_spoils_what_was_saved(name):
    x = sg.tensor([0.5, 1.0], requires_grad=True)
    v = sg.exp(x)
    WINDOWS[name](v).mul_(2)
    with pytest.raises(sg.InplaceError, match="modified by an inplace operation"):
        v.sum().backward()


WRITES_TO_PARTS = {
    "imag": lambda z, x: z.imag.mul_(3 * x),
    "real": lambda z, x: z.real.__setitem__(0, x[0] * x[1]),
    "a part of a part": lambda z, x: z.imag[1].mul_(x[1]),
    "pairs": lambda z, x: sg.view_as_real(z).mul_(x[:, None]),
    "an entry of pairs": lambda z, x: sg.view_as_real(z)[0, 1].mul_(x[1]),
    "the other part": lambda z, x: z.real.__setitem__(..., z.imag + x),
}


@pytest.mark.parametrize("way", WRITES_TO_PARTS)
def test_a_write_to_a_part_of_complex_numbers_has_its_gradient(way):
    def f(x):
        x = sg.as_tensor(x)
        z = sg.complex(x, sg.sin(x)) * 1
        WRITES_TO_PARTS[way](z, x)
        return (z * z * (1 + 2j)).imag.sum()

    x = np.array([1.257, -0.686])
    np.testing.assert_allclose(sg.grad(f)(x), differences(f, x), rtol=1e-6)
    np.testing.assert_allclose(sg.hessian(f)(x), sg.jacfwd(sg.grad(f))(x), rtol=1e-12)


def test_asarray_leaves_a_tensor_in_its_graph():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    v = x * 1
    assert sg.asarray(v) is v
    assert sg.asarray(v, requires_grad=False).grad_fn is None


@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 3)])
@pytest.mark.parametrize("part", [sg.tril, sg.triu])
def test_programs_take_triangles_of_matrices_and_of_batches(shape, part):
    def f(x):
        return sg.sin(part(x.reshape(shape))).sum()

    x = np.arange(float(np.prod(shape)))
    np.testing.assert_allclose(sg.hessian(f)(x), sg.func.hessian(f)(sg.tensor(x)).numpy(), atol=1e-12)


def test_what_is_scattered_back_by_places_has_a_program():
    places = np.array([[[0, 2, 2]], [[0, 0, 1]]])

    def f(x):
        return x.scatter_reduce(-1, places, x, "prod").sum()

    x, H = np.array([[[1.31, -0.868, -1.335]], [[-0.726, -1.218, 0.553]]]), sg.hessian(f)
    np.testing.assert_allclose(H(x), sg.func.hessian(f)(sg.tensor(x)).numpy(), atol=1e-12)
    assert "a program runs" in H.plan(x)


def test_patterns_of_patterns_come_to_an_end():
    def f(x):
        v = sg.tile(x.reshape(-1), (3,)).reshape((2, 2, 3))[:, [1, 0], None, :2]
        return (sg.split(sg.tile(v.reshape(-1), (2,))[:10].reshape((2, 5)), [2, 2, 1], 1)[2] ** 2).mean()

    x = np.array([[-0.5, -1.0], [-1.0, 0.0]])
    np.testing.assert_allclose(sg.compile(f)(x)[2], sg.func.hessian(f)(sg.tensor(x)).numpy())


@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_who_is_the_largest_does_not_depend_on_how_a_program_rounds(reduce):
    rng = np.random.default_rng(0)
    c, d = rng.normal(size=(2, 60))
    places = rng.integers(0, 60, 60)

    def f(x):
        return (sg.scatter_reduce(c + 0.05 * sg.cos(x), 0, places, d + 0.05 * sg.sin(x), reduce) ** 2).sum()

    H = sg.hessian(f)
    for x in rng.normal(size=(4, 60)):
        np.testing.assert_allclose(H(x), sg.jacfwd(sg.grad(f))(x), rtol=1e-10, atol=1e-12)
    assert "a program runs" in str(H.plan(x))


def test_two_quotients_along_one_index_are_evaluated():
    def f(x):
        y = x / (x * x + 1)
        return sg.addmv(sg.tile(y, (3,)), sg.tile(x, (6,)).reshape(3, 2), sg.tile(y, (6,)).reshape(2, 3)[:, 1]).sum()

    x = sg.tensor([-1.079], requires_grad=True, name="x")
    (g,) = sg.autograd.grad(f(x), x, create_graph=True)
    np.testing.assert_allclose(g.formula()(x=x.detach().numpy()), g.detach().numpy())


def test_parts_of_a_product_that_have_one_name_become_its_power():
    def f(x, y):
        a = sg.tile(x.reshape(-1), (12,)).reshape(2, 2, 3)
        return sg.sin(sg.einsum("iij,jk->k", a, sg.tile(y, (2,))[:6].reshape(3, 2))).sum()

    x, y = np.array([[-0.353]]), np.array([0.635, -0.909, 0.836, 1.133])
    found = sg.compile(f, "h", argnums=(0, 1))(x, y)
    np.testing.assert_allclose(found.matrix, sg.hessian(f, (0, 1))(x, y).matrix, rtol=1e-12)
    H = sg.jacfwd(sg.grad(lambda v: f(v[:1].reshape(1, 1), v[1:])))(np.concatenate([x[0], y]))
    np.testing.assert_allclose(found.matrix, H, rtol=1e-12)


COPIES = {
    "flatten": lambda c: c.mT.flatten(),
    "reversed": lambda c: c[..., ::-1].reshape(-1),
    "reshape": lambda c: c.mT.reshape(-1),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("shape", [(2, 3), ("m", "n")])
def test_what_is_a_copy_of_numbers_is_a_copy_of_symbols(way, shape):
    def f(x):
        c = x.clone()
        v = COPIES[way](c)
        v.mul_(2)
        return (c**2).sum() + (v**3).sum()

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(sg.formula(f, sg.symbol("x", shape)).grad("x")(x=x), 2 * x + 24 * x**2)
    np.testing.assert_allclose(sg.compile(f, "g")(x), 2 * x + 24 * x**2)


COMPLEX_NUMBERS = {
    "power": lambda x: (x ** (2 + 1j)).imag.sum() + (x ** (1 - 2j)).abs().sum() ** 2,
    "quotient": lambda x: ((1 + 2j) / x).imag.sum() ** 2,
    "add": lambda x: (sg.add(x, x * x, alpha=2j).imag ** 2).sum(),
    "addcmul": lambda x: (sg.addcmul(x, x * x, x, value=2j).abs() ** 2).sum(),
    "lerp": lambda x: (sg.lerp(x, x * x, 1 + 2j).imag ** 2).sum(),
    "NumPy's power": lambda x: np.power(x, 1 + 2j).imag.sum(),
}


@pytest.mark.parametrize("name", COMPLEX_NUMBERS)
def test_a_complex_number_beside_real_arrays_keeps_its_imaginary_part_forwards(name):
    f = COMPLEX_NUMBERS[name]
    x = np.array([1.3, 0.8])
    H = np.array([differences(lambda v, i=i: sg.grad(f)(v)[i], x) for i in range(2)])
    np.testing.assert_allclose(sg.jacfwd(f)(x), sg.grad(f)(x), rtol=1e-12)
    np.testing.assert_allclose(sg.hessian(f)(x), H, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sg.jacfwd(sg.grad(f))(x), H, rtol=1e-5, atol=1e-6)


def test_acosh_has_its_derivative_in_the_left_half_of_the_plane():
    z = sg.tensor([-1.5 + 0.4j, -0.3 - 2j, 1.5 + 0.4j], requires_grad=True)
    (g,) = sg.autograd.grad(sg.acosh(z).real.sum(), z)
    h = 1e-6
    steps = (np.arccosh(z.detach().numpy() + h) - np.arccosh(z.detach().numpy() - h)) / (2 * h)
    np.testing.assert_allclose(g.numpy(), steps.conj(), rtol=1e-8)


def test_a_negative_number_to_a_complex_power_has_its_gradient():
    a, y = sg.tensor([-1.5, 2.0]), sg.tensor([0.7 + 0.4j, 0.7 + 0.4j], requires_grad=True)
    (g,) = sg.autograd.grad((a**y).real.sum(), y)
    expected = (np.array([-1.5, 2.0 + 0j]) ** (0.7 + 0.4j) * np.log(np.array([-1.5, 2.0 + 0j]))).conj()
    np.testing.assert_allclose(g.numpy(), expected, rtol=1e-12)


def test_complex_numbers_read_in_part_of_a_tensor_share_its_memory():
    x = sg.tensor(np.arange(8.0).reshape(2, 2, 2), requires_grad=True)
    v = x * 1
    z = sg.view_as_complex(v[:, 1:])
    v.zero_()
    assert z.real.sum().item() == 0 and not sg.autograd.grad(z.real.sum(), x)[0].numpy().any()
    w = x * 1
    with pytest.raises(sg.ShapeError, match="stride 1"):  # read with steps it would be a copy: writes would be lost
        sg.view_as_complex(w.transpose(0, 2))
    sg.view_as_complex(w.transpose(0, 2).contiguous()).mul_(2j)
    np.testing.assert_array_equal(w.detach().numpy(), x.detach().numpy())


CHOSEN = {
    "sort": lambda x: (sg.sort(x)[0] ** 2 * np.arange(1.0, 7.0)).sum(),
    "median": lambda x: sg.median(x, 0)[0] ** 2,
    "topk": lambda x: (sg.topk(x, 2)[0] ** 2).sum(),
    "cummax": lambda x: (sg.cummax(x, 0)[0] ** 2).sum(),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_derivatives_are_evaluated_where_other_entries_are_chosen(name):
    f = CHOSEN[name]
    F = sg.formula(f, sg.symbol("x", 6))
    for x in (np.array([0.3, -0.8, 0.25, 1.4, -0.4, 0.9]), np.array([1.3, 0.8, 0.25, -1.4, 0.4, -0.9])):
        np.testing.assert_allclose(F(x=x), f(x))
        np.testing.assert_allclose(F.grad("x")(x=x), sg.grad(f)(x), atol=1e-12)
        np.testing.assert_allclose(F.hessian("x")(x=x), sg.jacrev(sg.grad(f))(x), atol=1e-12)
        there = sg.tensor(x, requires_grad=True, name="x")  # made from numbers: it follows them all the same
        G = f(there).formula()
        for y in (x, -x, x[::-1]):
            np.testing.assert_allclose(G(x=y), f(y))
            np.testing.assert_allclose(G.grad("x")(x=y), sg.grad(f)(y), atol=1e-12)

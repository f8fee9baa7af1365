"""Formulas read from graphs: approved strings, names, conditions, and the check against the numbers."""

import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.formulas.of_tensor import tensor_formula


@pytest.fixture
def x():
    return sg.tensor([0.5, 2.0, 3.0], requires_grad=True, name="x")


@pytest.fixture
def a():
    return sg.tensor([1.5, -1.0, 2.5], requires_grad=True, name="a")


@pytest.fixture
def A():
    return sg.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, -1.0]], name="A")


APPROVED = {
    "a + x": lambda x, a: x + a,
    "2x − a": lambda x, a: x - (a - x),
    "x²/a": lambda x, a: x / (a / x),
    "a": lambda x, a: x * a / x,
    "(a + x)²": lambda x, a: (x + a) ** 2,
    "−x³": lambda x, a: (-x) ** 3,
    "−x⁴": lambda x, a: -(x**4),
    "1/x^(3/2)": lambda x, a: x**-1.5,
    "2^x": lambda x, a: 2**x,
    "1/x": lambda x, a: 1 / x,
    "3 − x": lambda x, a: 3 - x,
    "aᵀx": lambda x, a: x @ a,
    "aᵀx x": lambda x, a: (x @ a) * x,
    "aᵀx²": lambda x, a: x @ (x * a),
    "exp(x)ᵀ sin(a)": lambda x, a: (sg.exp(x) * sg.sin(a)).sum(),
    "where(x > a, x, 2a)": lambda x, a: sg.where(x > a, x, a * 2),
    "a ⊙ 1[x > 1]": lambda x, a: (x > 1) * a,
    "softplus(−a ⊙ x)": lambda x, a: sg.log1p(sg.exp(-(x * a))),
    "a₀ + x₀": lambda x, a: (x + a)[0],
    "a ⊙ (2a + x)": lambda x, a: a * sg.add(x, a, alpha=2),
    "−a − x": lambda x, a: a - sg.add(x, a, alpha=2),
    "(2a + x)²": lambda x, a: sg.add(x, a, alpha=2) ** 2,
    "2a − x": lambda x, a: sg.add(x, a - x, alpha=2),
    "a ⊙ ⌊x/a⌋": lambda x, a: (x // a) * a,
    "−x[1:]": lambda x, a: (-x)[1:],
    "x₀²": lambda x, a: (x**2)[0],
    "where((x < a) = (a < 1), x, a)": lambda x, a: sg.where((x < a) == (a < 1), x, a),
    "tanh(x)": lambda x, a: sg.sinh(x) / sg.cosh(x),
    "|x|": lambda x, a: sg.sqrt(x * x),
    "‖x‖": lambda x, a: x.norm(),
    "xxᵀ": lambda x, a: sg.outer(x, x),
    "xaᵀ": lambda x, a: sg.outer(x, a),
    "(sum(x) − a)/3": lambda x, a: x.mean() - a / 3,
}


@pytest.mark.parametrize("text", APPROVED)
def test_formula_of_a_tensor(text, x, a):
    formula = APPROVED[text](x, a).formula()
    assert str(formula) == text
    assert formula.checked is True


GRADIENTS = {
    "2x": lambda x, a: x**2,
    "3x²": lambda x, a: x**3,
    "cos(x)": lambda x, a: sg.sin(x),
    "a": lambda x, a: x * a,
    "exp(x)": lambda x, a: sg.exp(x),
    "1 − tanh(x)²": lambda x, a: sg.tanh(x),
    "1/x": lambda x, a: sg.log(x),
    "−sin(x)": lambda x, a: sg.cos(x),
    "1[x > a]": lambda x, a: sg.where(x > a, x, a),
}


@pytest.mark.parametrize("text", GRADIENTS)
def test_formula_of_a_gradient(text, x, a):
    GRADIENTS[text](x, a).sum().backward(create_graph=True)
    assert str(x.grad.formula()) == text


def test_formula_of_a_second_derivative(x):
    (g,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x, create_graph=True)
    assert str(h.formula()) == "6x"


def test_least_squares_reads_as_in_a_textbook(A):
    w = sg.tensor([1.0, -2.0, 0.5], requires_grad=True, name="w")
    b = sg.tensor([1.0, 2.0], name="b")
    r = A @ w - b
    (r @ r).backward(create_graph=True)
    assert str(w.grad.formula()) == "2Aᵀ(Aw − b)"


def test_unnamed_leaves_are_numbered_in_order_of_use():
    u, v = sg.ones(2, requires_grad=True), sg.rand(2, requires_grad=True)
    assert str((v * u).formula()) == "x0 ⊙ x1"


def test_two_leaves_of_one_name_are_told_apart():
    u = sg.tensor([1.0], requires_grad=True, name="u")
    v = sg.tensor([2.0], requires_grad=True, name="u")
    assert str((u * v).formula()) == "u ⊙ u_1"


def test_constants_are_names_numbers_small_arrays_or_numbered(x):
    assert str((x * sg.tensor([1.0, 2.0, 3.0], name="d")).formula()) == "d ⊙ x"
    assert str((x * sg.full((3,), 0.5)).formula()) == "x/2"
    assert str((x * sg.tensor([1.0, 2.0, 3.0])).formula()) == "x ⊙ [1, 2, 3]"
    big = sg.ones(10, requires_grad=True)
    assert str((big * sg.arange(10.0) ** 2).formula()) == "c0 ⊙ x0"
    assert str((big * sg.arange(1.0, 11.0)).formula()) == "x0 ⊙ t\nwhere t = (1, …, 10)"


def test_constants_computed_from_named_ones_keep_their_formula(x):
    d = sg.tensor([1.0, 2.0, 3.0], name="d")
    assert str((x * (1 - d)).formula()) == "x ⊙ (1 − d)"


def test_a_constant_overwritten_since_is_shown_as_data(x):
    d = sg.tensor([1.0, 2.0, 3.0], name="d")
    e = -d
    d.mul_(2)
    assert str((x * e).formula()) == "x ⊙ [−1, −2, −3]"


def test_a_shared_part_is_written_once(x):
    y = sg.tanh(sg.sin(x) + 1)
    text = str((y * y / (1 + y)).formula())
    assert text == "h²/(1 + h)\nwhere h = tanh(1 + sin(x))"


def test_text_of_doubling_a_thousand_times_stays_short(x):
    y = sg.sin(x)
    for _ in range(1000):
        y = y * y + x
    assert len(str(y.formula())) < 20_000


def test_formula_of_a_long_chain(x):
    y = x
    for _ in range(5000):
        y = sg.sin(y)
    assert str(y.formula()) == "h₄₉₉₉\nwhere h₀ = sin(x)\n      hₜ = sin(hₜ₋₁) for t = 1 … 4999"


def test_formula_works_after_the_graph_was_freed(x, a):
    loss = (x * a).sum()
    loss.backward()
    assert str(loss.formula()) == "aᵀx"


def test_formula_of_a_leaf_that_is_gone():
    def loss():
        u = sg.tensor([1.0, 2.0], requires_grad=True, name="u")
        return (u * u).sum()

    assert str(loss().formula()) == "‖u‖²"


def test_formula_says_when_it_could_not_be_checked(x):
    y = x * 3
    with sg.no_grad():
        x.add_(1)
    formula = y.formula()
    assert str(formula) == "3x"
    assert "in place" in formula.checked


def test_formula_is_a_function_of_its_symbols(x, a):
    formula = (x * a + 1).formula()
    assert formula.free_symbols == {"x", "a"}
    np.testing.assert_array_equal(formula(x=[1.0, 1.0, 1.0], a=[2.0, 3.0, 4.0]), [3.0, 4.0, 5.0])
    with pytest.raises(sg.FormulaError, match="no symbol 'b'"):
        formula(b=1.0)


class Secret(sg.autograd.Function):
    """Twice its operand plus a shift, known only as code."""

    @staticmethod
    def forward(ctx, x, shift):
        return x * 2 + shift

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


def test_a_function_known_only_as_code_appears_by_its_name(x):
    formula = (Secret.apply(x, 3.0) * x).sum().formula()
    assert str(formula) == "xᵀ Secret(x)"
    assert formula.checked is True
    np.testing.assert_allclose(formula(x=[1.0, 2.0, 3.0]), 2 * 14 + 3 * 6)
    gradient = formula.grad("x")
    assert gradient.checked is True
    assert str(gradient) == "2x + Secret(x)"


class Factor:
    """An object whose text does not say what is in it, as SciPy's sparse arrays have one."""

    def __init__(self, k):
        self.k = k

    def __repr__(self):
        return "Factor"


class Scaled(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor.k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor.k, None


def test_arguments_with_the_same_text_are_two(x):
    def f(k):
        return sg.formula(lambda x: Scaled.apply(x, Factor(k)).sum(), x)

    two, three = f(2.0), f(3.0)
    assert float(two()) == 11.0 and float(three()) == 16.5
    assert not two.equals(three) and str(two.equals(f(2.0))) == "same form"
    both = sg.formula(lambda x: (Scaled.apply(x, Factor(2.0)) - Scaled.apply(x, Factor(3.0))).sum(), x)
    assert float(both()) == -5.5 and both.grad("x")().tolist() == [-1.0, -1.0, -1.0]


class Affine(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, shift=None):
        ctx.factor = factor
        return x * factor if shift is None else x * factor + shift

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None, None


def test_none_is_an_argument_like_any_other(x):
    f = Affine.apply(x, 3.0, None).sum().formula()
    assert str(f) == "sum(Affine(x))" and f.checked is True
    assert float(f(x=[1.0, 2.0, 3.0])) == 18.0 and f.grad("x")().tolist() == [3.0, 3.0, 3.0]
    assert "Affine" in str(Affine.apply(x, 3.0, None).sum().explain())


def looks_item(ctx, g):
    return g * ctx.saved_tensors[0].max().item(), None


def looks_branch(ctx, g):
    (x,) = ctx.saved_tensors
    return (g * x if x.sum() > 0 else g), None


def looks_attribute(ctx, g):
    return g * ctx.largest, None


@pytest.mark.parametrize("backward", [looks_item, looks_branch, looks_attribute])
def test_a_backward_that_looks_at_values_has_no_formula(backward):
    class Looks(Secret):
        @staticmethod
        def forward(ctx, x, shift):
            ctx.save_for_backward(x)
            if backward is looks_attribute:
                ctx.largest = float(x.detach().max().item())
            return Secret.forward(ctx, x, shift)

    Looks.backward = staticmethod(backward)
    gradient = sg.formula(lambda x: Looks.apply(x, 3.0).sum(), np.array([1.0, 2.0])).grad("x")
    assert str(gradient) == "(∂Looks(x)/∂x)ᵀ𝟏"


def test_a_backward_that_uses_constants_has_a_formula():
    class Power(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.k, ctx.shape, ctx.x = k, x.shape, x
            return x**k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k * ctx.x ** (ctx.k - 1), None

    assert str(sg.grad(lambda x: Power.apply(x, 3).sum())(sg.symbol("x", "n"))) == "3x²"


def test_a_function_that_returns_more_than_tensors_has_a_formula():
    class Both(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", x * 3

        @staticmethod
        def backward(ctx, g, none, h):
            return g * 2 + h * 3

    def f(x):
        a, _, b = Both.apply(x)
        return (a * b).sum()

    assert str(sg.grad(f)(sg.symbol("x", "n"))) == "2 Both(x)[1] + 3 Both(x)[0]"


def test_a_result_whose_base_was_written_has_no_formula(x):
    class Itself(Secret):
        @staticmethod
        def forward(ctx, x, shift):
            return x

    a = x * 1
    y = Itself.apply(a, 0)
    a.mul_(2)
    with pytest.raises(sg.InplaceError, match="its base or another view of its base has been modified"):
        y.sum().formula()


WRITES = {
    "add_": lambda t: t.add_(1), "fill_": lambda t: t.fill_(0.0), "zero_": lambda t: t.zero_(),
    "copy_": lambda t: t.copy_(sg.ones(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_a_number_written_behind_the_graphs_back_has_no_formula(x, name):
    y = x * 2
    WRITES[name](y.data)  # behind the graph's back
    with pytest.raises(sg.FormulaError, match="no formula describes"):
        tensor_formula(y)


def test_a_formula_that_disagrees_with_the_number_raises_and_asks_for_a_report(x, monkeypatch):
    y = sg.sin(x)
    monkeypatch.setattr(type(y.grad_fn).op, "forward", lambda v: v + 1)
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        tensor_formula(y)


def test_sympy_of_a_scalar_graph():
    import sympy

    x = sg.tensor(0.5, requires_grad=True, name="x")
    s = sympy.Symbol("x", real=True)
    y = sg.sin(x) * x + sg.exp(-x)
    assert sympy.simplify(y.sympy() - (sympy.sin(s) * s + sympy.exp(-s))) == 0
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    assert sympy.simplify(g.sympy() - y.sympy().diff(s)) == 0
    (h,) = sg.autograd.grad(g, x, create_graph=True)
    assert sympy.simplify(h.sympy() - y.sympy().diff(s, 2)) == 0


def test_sympy_of_a_small_array_graph(A):
    import sympy

    w = sg.tensor([1.0, -2.0, 0.5], requires_grad=True, name="w")
    loss = ((A @ w) ** 2).sum()
    (g,) = sg.autograd.grad(loss, w, create_graph=True)
    symbols = sympy.symbols("w_0:3", real=True)
    for entry, s in zip(g.sympy(), symbols, strict=True):
        assert sympy.expand(entry - loss.sympy().diff(s)) == 0


def test_sympy_of_a_large_array_is_refused_with_the_limit():
    x = sg.ones(1000, requires_grad=True)
    with pytest.raises(sg.FormulaError, match="too large"):
        x.sum().sympy()


def test_sympy_of_a_loop_that_doubles_with_each_step_is_refused():
    def steps(r, x):
        for _ in range(30):
            x = r * x * (1 - x)
        return x

    f = sg.formula(steps, sg.symbol("r"), sg.symbol("x"))
    with pytest.raises(sg.FormulaError, match="more than 50,000 parts"):
        f.grad("r").code("sympy")


def test_sympy_of_an_operation_without_a_twin_is_refused_by_name():
    x = sg.tensor(0.5, requires_grad=True)
    with pytest.raises(sg.FormulaError, match="trunc"):
        (x * sg.trunc(x)).sympy()


def test_signs_keep_the_shape_of_constants(A):
    r = sg.tensor([[1.0, 2.0]], requires_grad=True, name="r")
    formula = (-(sg.ones(3, 2) * r)).formula()
    assert formula.checked is True
    assert formula().shape == (3, 2)


def test_formula_of_the_second_derivative_of_a_deviation():
    x = sg.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, 9.0]], requires_grad=True, name="x")
    (g,) = sg.autograd.grad(x.std(0).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g[0, 0], x, create_graph=True)
    np.testing.assert_allclose(h.formula()(), h.detach().numpy())


def test_a_formula_called_with_whole_numbers_computes_in_floats(x):
    np.testing.assert_allclose(sg.reciprocal(x).formula()(x=[1, 2, 4]), [1.0, 0.5, 0.25])


def test_the_largest_entry_is_looked_for_anew_at_another_point(x):
    formula = x.max(0)[0].formula()
    assert str(formula) == "max(x)"
    assert formula() == 3.0
    assert formula(x=[5.0, 1.0, 0.0]) == 5.0


def test_a_formula_that_chose_elements_chooses_anew_elsewhere(x):
    formula = x.median(0)[0].formula()
    assert formula() == 2.0
    assert formula(x=[5.0, 1.0, 0.0]) == 1.0


def test_names_of_shared_parts_and_of_unnamed_leaves_avoid_the_users_names():
    r0, x0 = sg.tensor(2.0, requires_grad=True, name="r0"), sg.tensor(3.0, requires_grad=True, name="x0")
    q = sg.sin(r0 * x0 + r0)
    text = str((q * q + q + r0).formula())
    assert text == "s² + r0 + s\nwhere s = sin(r0 x0 + r0)"
    assert (sg.tensor(2.0, requires_grad=True) * x0).formula().free_symbols == {"x0", "x1"}


def test_a_keyword_is_no_name():
    with pytest.raises(ValueError, match="identifier"):
        sg.tensor(1.0, name="lambda")


def test_sympy_refuses_two_symbols_of_one_name():
    x = sg.tensor([3.0, 2.0], requires_grad=True, name="x")
    s = sg.tensor(3.0, requires_grad=True, name="x_0")
    with pytest.raises(sg.FormulaError, match="one name"):
        (x * s).sum().sympy()
    X, v = sg.symbol("x", (2, 2)), sg.symbol("x_0", 2)  # x[0, 1] and x_0[1]
    with pytest.raises(sg.FormulaError, match="would have one name, x_0_0"):
        sg.formula(lambda X, v: X.sum() + 3 * v.sum(), X, v).sympy()


def test_constants_that_would_underflow_are_not_folded():
    x = sg.tensor(1e300, requires_grad=True, name="x")
    y = 1e-200 * (1e-200 * x)
    assert y.formula()() == y.item() == 1e-100


def test_formula_of_mixed_precisions(x):
    y = sg.tensor(np.array([1.1], np.float32), requires_grad=True, name="y") * sg.tensor([0.1])
    assert y.formula().checked is True


def test_formulas_of_truth_values_in_float_functions(x):
    c = sg.tensor([True, False, True], name="c")
    assert str((x * sg.exp(c)).formula()) == "x ⊙ exp(c)"
    assert str(sg.add(c, c).formula()) == "1[c ∨ c]"


def test_the_bits_of_whole_numbers_are_no_truths(x):
    i, j = sg.tensor([4, 6, 3], name="i"), sg.tensor([6, 9, 5], name="j")
    assert str((x * (i & j)).formula()) == "x ⊙ bitwise_and(i, j)"
    assert str((x * ((i > 3) & (j > 3))).formula()) == "x ⊙ 1[(i > 3) ∧ (j > 3)]"
    for bits in (i & j, ~i, (i | 2 * j) ^ j, (i > 3) & j):
        f = (x * bits**2).formula()  # of truths the square is the same
        np.testing.assert_allclose(f(x=np.ones(3)), bits.numpy() ** 2)
        scope = {}
        exec(f.code(), scope)
        np.testing.assert_allclose(scope["f"](**{k: f.point[k] for k in f.free_symbols}), f())


def test_a_condition_whose_operand_hangs_on_nothing_else_keeps_its_formula(x):
    huber = sg.where(x.abs() < 1, x**2 / 2, x.abs() - 0.5)
    assert str(huber.formula()) == "where(|x| < 1, x²/2, |x| − 1/2)"
    (g,) = sg.autograd.grad(huber.sum(), x, create_graph=True)
    assert str(g.formula()) == "where(|x| < 1, x, sign(x))"
    assert str(((x * 2 > 1).double() * x).formula()) == "x ⊙ 1[x > 1/2]"


def test_truth_values_that_are_gathered_at_one_place_add_up():
    x = sg.tensor([-0.35, 0.2], requires_grad=True, name="x")
    formula = (x[0] * x[[0, 0]]).max().formula()  # x₀², by two equal entries
    hessian = formula.grad("x").jacobian("x")
    assert hessian.checked is True
    np.testing.assert_allclose(hessian(x=[3.0, 1.0]), [[2, 0], [0, 0]])
    scope = {}
    exec(hessian.code(), scope)
    np.testing.assert_allclose(scope["f"](np.array([3.0, 1.0])), [[2, 0], [0, 0]])


def test_equal_sums_in_a_product_are_a_power(x):
    assert str((x[0] * (x[0] * x)).sum().formula().grad("x")) == "2x₀ sum(x) I[0] + x₀²"
    assert str(((x @ x) * ((x @ x) * x)).sum().formula()) == "sum(x) ‖x‖⁴"


def test_roots_that_meet_are_the_product_under_them():
    def f(x):
        v = np.sqrt((x**2).sum(-1) / 27)
        return (v @ v) ** 2

    found = sg.formula(f, np.arange(6.0).reshape(2, 3))
    assert (str(found), str(found.grad("x"))) == ("‖x‖⁴/729", "4‖x‖²x/729")


def test_a_copy_of_named_data_that_was_written_in_part_is_no_longer_called_by_their_name(a):
    x = sg.tensor([0.5, 2.0, 3.0], name="x")
    v = x.clone()
    v[0] = 5.0
    formula = (v * a).sum().formula()
    assert formula.checked is True
    assert str(formula) == "aᵀ·[5, 2, 3]"
    assert str((x.clone() * a).sum().formula()) == "aᵀx"


@pytest.mark.parametrize(
    "f", [lambda x, m: (x[m] ** 2).sum() + x.sum() ** 2, lambda x, m: x.masked_scatter(m, x).sum()]
)
def test_derivatives_go_through_empty_arrays(f):
    x = sg.tensor([0.7, 0.1], requires_grad=True, name="x")
    formula = f(x, np.array([False, False])).formula()
    (g,) = sg.autograd.grad(f(x, np.array([False, False])), x)
    np.testing.assert_allclose(formula.grad("x")(), g.numpy())
    assert formula.hessian("x")().shape == (2, 2)


def test_a_mask_that_picks_nothing_beside_one_that_is_computed():
    x = sg.tensor([[0.7, 0.1], [0.3, 0.4]], requires_grad=True, name="x")
    v = x.masked_scatter(np.zeros((2, 2), bool), x)
    y = ((sg.roll(v, (1,), (0,)) * v) ** 2).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    assert g.formula().checked is True


def test_rounding_decides_the_side_of_a_cut():
    x = sg.tensor(np.random.default_rng(3).uniform(0.1, 2, 7), requires_grad=True, name="x")
    y = sg.atan2(sg.log(sg.exp(x)) - x, -1 - x * x).sum()  # each ±π
    assert "rounding decides" in y.formula().checked


def test_what_is_0_but_for_rounding_in_a_formula_is_no_disagreement():
    x = sg.tensor(-0.872, requires_grad=True, name="x")
    columns, weight = sg.tile(x.reshape(-1), (12,)).reshape((3, 4)), sg.tile(x.reshape(-1), (4,))
    v = sg.nn.functional.batch_norm(
        columns, None, None, weight, training=True
    )  # of equal entries: 1/√1e-5 is the slope
    w = sg.linalg.solve(v @ v.T + 2 * sg.eye(3), sg.tensor([1.215, -1.198, -0.762]))
    y = sg.sin(v).sum() + (w * np.array([1.221, 0.616, -0.795])).sum()
    assert "rounding decides" in y.formula().grad("x").checked


def test_where_a_hair_changes_nothing_the_numbers_on_the_way_say_what_rounding_is():
    x = sg.tensor([1.203], requires_grad=True, name="x")
    near, far = sg.tile(x, (6,)).reshape((2, 3)), sg.tile(x, (6,)).reshape((3, 2)).mT + 5
    d = sg.cdist(near, far)  # in which x is not: of 0 the formula has the last digits of thousands
    scaled = d.mT.contiguous().mT
    scaled.unsqueeze(0).mul_(sg.sin(d[0]))
    f = ((scaled * d) ** 2).mean().formula()
    assert "rounding decides" in f.grad("x").checked and abs(f.grad("x")()).max() < 1e-11


def test_what_is_sorted_out_for_not_being_a_number_does_not_spoil_the_formula():
    x = sg.tensor([1.0, np.nan, 2.0], requires_grad=True, name="x")
    formula = sg.where(sg.isnan(x), 0, x * x).sum().formula()
    assert float(formula()) == 5.0
    np.testing.assert_array_equal(formula.grad("x")(), [2.0, 0.0, 4.0])
    np.testing.assert_array_equal(formula.hessian("x")(), np.diag([2.0, 0.0, 2.0]))


ORDERED = {
    "an order": lambda x: x[x.argsort()], "gather": lambda x: sg.gather(x, 0, x.argsort()),
    "rows": lambda x: x.index_select(0, x.argsort()), "take": lambda x: x.take(x.argsort()),
    "along an axis": lambda x: (x * x[:, None])[:, x.argsort()],
    "of two axes": lambda x: (x * x[:, None])[x.argsort(), [0, 2, 1]],
    "put": lambda x: (2 * x).index_put((x.argsort(),), x * sg.arange(3.0)),
    "added": lambda x: (2 * x).index_add(0, x.argsort(), x * sg.arange(3.0)),
    "copied": lambda x: (2 * x).index_copy(0, x.argsort(), x * sg.arange(3.0)),
    "scattered": lambda x: (2 * x).scatter(0, x.argsort(), x * sg.arange(3.0)),
    "put where it is put again": lambda x: (2 * x).scatter(0, x.argsort() // 2, x * sg.arange(3.0)),
    "added up": lambda x: (2 * x).scatter_add(0, x.argsort(), x * sg.arange(3.0)),
    "the mean": lambda x: (2 * x).scatter_reduce(0, x.argsort() // 2, x * sg.arange(3.0), "mean"),
    "the largest": lambda x: (2 * x).scatter_reduce(0, x.argsort() // 2, x * sg.arange(3.0), "amax"),
    "put at flat places": lambda x: (2 * x).put(x.argsort(), x * sg.arange(3.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERED)
def test_places_that_were_found_from_values_are_found_anew_at_another_point(name):
    f = ORDERED[name]
    x = sg.tensor([3.0, 1.0, 2.0], requires_grad=True, name="x")
    y = f(x)
    w = sg.tensor(np.random.default_rng(0).normal(size=tuple(y.shape)))
    (g,) = sg.autograd.grad((w * y * y).sum(), x, create_graph=True)
    of_function = sg.formula(lambda x: f(sg.as_tensor(x)), np.array([3.0, 1.0, 2.0]))
    for there in ([1.0, 5.0, 0.5], [0.3, 0.2, 0.1], [3.0, 1.0, 2.0]):
        at = sg.tensor(there, requires_grad=True)
        z = f(at)
        (want,) = sg.autograd.grad((w * z * z).sum(), at)
        for formula in (y.formula(), of_function):
            assert formula.conditions == []
            np.testing.assert_allclose(formula(x=there), z.tolist(), atol=1e-14)
        np.testing.assert_allclose(g.formula()(x=there), want.tolist(), atol=1e-12)


def _with_one_written(x):
    places = x.argsort()
    places[0] = 2
    return x[places]


def _halved_in_place(x):
    places = x.argsort()
    places //= 2
    return x[places]


def _copied_into(x):
    places = sg.zeros(3).long()
    places[:] = x.argsort()
    return x[places]


def _where_nothing_records(x):
    with sg.no_grad():
        places = x.argsort()
    return x[places]


COMPUTED = {
    "truths as numbers": lambda x: x[sg.where(x > 1.5, 1, 0)] ** 2, "a truth times one": lambda x: x[(x > 1.5) * 1],
    "halves": lambda x: x[x.argsort() // 2] ** 2, "rests": lambda x: x[(x.argsort() + 1) % 3] * x,
    "a cast": lambda x: x[(x.abs() / 6).long()] * x, "a shape": lambda x: x[x.argmax().reshape(1)] * x,
    "a list": lambda x: x[[x.argmax(), x.argmin()]], "a running sum": lambda x: x[(x > 0).long().cumsum(0) - 1],
    "gathered halves": lambda x: sg.gather(x, 0, x.argsort() // 2) ** 2,
    "classes": lambda x: sg.nn.functional.one_hot(x.argsort(), 3).to(x.dtype) @ x,
    "one written": _with_one_written, "halved in place": _halved_in_place, "copied": _copied_into,
    "not recorded": _where_nothing_records, "split": lambda x: x[x.argsort().split(2)[0]],
    "one of an order": lambda x: sg.stack([x[i] for i in x.argsort()]), "a bound": lambda x: x[: x.argmax() + 1],
    "narrow": lambda x: x.narrow(0, x.argmax(), 1), "select": lambda x: x.select(0, x.argmin()) * x,
}  # fmt: skip


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_places_are_followed_or_the_other_point_is_refused(name):
    f, x = COMPUTED[name], np.array([3.0, 1.0, 2.0])
    formula = sg.formula(f, x)
    total = sg.formula(lambda x: (f(x) ** 2).sum(), x)
    for there in ([1.0, 5.0, 0.5], [0.3, 0.2, 4.0], [3.0, 1.0, 2.0]):
        at = sg.tensor(there, requires_grad=True)
        (want,) = sg.autograd.grad((f(at) ** 2).sum(), at, allow_unused=True, materialize_grads=True)
        if formula.conditions:
            with pytest.raises(sg.FormulaError, match="another point"):
                formula(x=there)
            continue
        np.testing.assert_allclose(formula(x=there), f(sg.tensor(there)).tolist())
        np.testing.assert_allclose(total.grad("x")(x=there), want.tolist(), atol=1e-14)
    np.testing.assert_allclose(
        total.hessian("x")(), sg.func.hessian(lambda x: (f(x) ** 2).sum())(sg.tensor(x)).tolist()
    )


def test_a_whole_number_that_is_asked_for_is_a_branch():
    formula = sg.formula(lambda x: x[int(x.argmax())] * x, np.array([3.0, 1.0]))
    assert formula.conditions == ["argmax(x) = 0"]


def test_a_named_index_takes_whole_numbers_only():
    x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True, name="x")
    i = sg.tensor([2, 0], name="i")
    formula = x[(i + 1) % 3].formula()
    assert formula(i=[1, 1]).tolist() == [3.0, 3.0]
    assert formula.jacobian("x")(i=[1, 1]).tolist() == [[0, 0, 1], [0, 0, 1]]
    with pytest.raises(sg.FormulaError, match="no whole number"):
        x[i].formula()(i=[0.7, 1.9])


def test_a_formula_of_a_written_part_is_pickled():
    def f(x):
        y = x**2
        y[1] = 0.0
        return y

    formula = sg.formula(f, np.arange(3.0))
    assert pickle.loads(pickle.dumps(formula))(x=[1.0, 2.0, 3.0]).tolist() == [1.0, 0.0, 9.0]


def test_a_formula_of_a_function_follows_fewer_places_than_there_are_values_too():
    f = lambda x: x[x.argsort()[1:]].sum() * x.index_fill(0, x.argsort()[:1], 0.5)
    formula = sg.formula(f, np.array([3.0, 1.0, 2.0]))
    assert formula.conditions == []
    for there in ([1.0, 5.0, 0.5], [0.3, 0.2, 0.1]):
        np.testing.assert_allclose(formula(x=there), f(sg.tensor(there)).tolist())


TAKEN = {
    "a mask": lambda x: x[x > 1.5], "masked_select": lambda x: x.masked_select(x > 1.5),
    "places of a mask": lambda x: x[sg.nonzero(x > 1.5)[:, 0]], "one place": lambda x: x[x.argmax()] * x,
    "a smaller result": lambda x: x[x.argsort()[:2]] if x.requires_grad else x,
    "what repeats": lambda x: x.repeat_interleave((x > 1.5).long()),
    "np.put": lambda x: _put(x, (x > 1.5).long()), "np.extract": lambda x: np.extract(x > 1.5, x),
    "a shift": lambda x: sg.roll(x, x.argmax() + 1) * x, "a shift of NumPy's": lambda x: np.roll(x, x.argmin()) * x,
    "turns": lambda x: sg.rot90(x * x[:, None], x.argmin()) * x, "copies": lambda x: sg.tile(x, (x.argmax() + 1,)),
    "the k-th": lambda x: sg.kthvalue(x, x.argmin()).values * x, "the k largest": lambda x: sg.topk(x, x.argmin())[0],
    "a mantissa": lambda x: sg.frexp(x).mantissa * x, "an exponent": lambda x: np.frexp(x)[1] * x,
    "np.interp": lambda x: np.interp(x, [0.0, 1.5, 2.5, 4.0], [1.0, 2.0, 0.0, 0.5]),
    "np.ldexp": lambda x: np.ldexp(x, x.argsort()), "a multiple": lambda x: sg.add(x, x, alpha=x.argmin() + 1) * x,
    "parts": lambda x: np.split(x, [x.argmax() + 1])[0],
    "so many parts": lambda x: sg.tensor_split(x, x.argmin() + 1)[0],
    "singular values": lambda x: sg.linalg.lstsq(x * x[:, None] + sg.eye(3), x).singular_values * x,
    "as many edges as fit": lambda x: np.histogram_bin_edges(x, "auto") * x.sum(),
    "an order of rows": lambda x: sg.linalg.lu(x * x[:, None] + sg.eye(3)).P @ x,
    "exchanges of rows": lambda x: sg.linalg.lu_factor(x * x[:, None] + sg.eye(3)).pivots * x,
    "solved by factors": lambda x: sg.lu_solve(x[:, None], *sg.linalg.lu_factor(x * x[:, None] + sg.eye(3))),
}  # fmt: skip


def _put(x, places):
    out = x * 1.0
    np.put(out, places, x)
    return out


@pytest.mark.parametrize("name", TAKEN)
def test_a_formula_with_places_that_hold_at_its_point_only_says_so(name):
    x = sg.tensor([3.0, 1.0, 2.0], requires_grad=True, name="x")
    y = TAKEN[name](x)
    (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    for formula in [y.formula(), *([g.formula()] if g.requires_grad else [])]:
        assert any("at the point" in c for c in formula.conditions)
        with pytest.raises(sg.FormulaError, match="another point"):
            formula(x=[1.0, 5.0, 0.0])
    assert y.formula()().tolist() == y.tolist()


def test_places_that_the_user_gives_hold_everywhere():
    x = sg.tensor([3.0, 1.0, 2.0], requires_grad=True, name="x")
    formula = x[sg.tensor([2, 0])].formula()
    assert formula.conditions == [] and formula(x=[1.0, 5.0, 0.0]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "equation",
    [
        "ijk->kij",
        "ijk->jki",
        "ijk->kji",
        "ijk->j",
        "ijk->ki",
        "iij->ji",
        "iij->i",
        "iji->j",
        "iii->i",
        "iij->j",
        "iii->",
    ],
)
def test_the_gradient_of_an_einsum_of_one_array_is_what_its_formula_says(equation):
    """Its rule is the transpose of what the equation says: a permutation is not its own."""
    rng = np.random.default_rng(0)
    kept = equation.split("->")[1]
    D, K = sg.symbol("D", (3, 3, 3)), sg.symbol("K", (3,) * len(kept))
    f = sg.formula(lambda D, K: sg.grad(lambda D: (K * sg.einsum(equation, D) ** 2).sum())(D), D, K)
    assert f.checked is True and "einsum" not in str(f)
    d, k = rng.normal(size=(3, 3, 3)), rng.normal(size=(3,) * len(kept))
    slope = 2 * k * np.einsum(equation, d)
    right = np.zeros((3, 3, 3))
    for at in np.ndindex(3, 3, 3):
        step = np.zeros((3, 3, 3))
        step[at] = 1
        right[at] = (slope * np.einsum(equation, step)).sum()
    np.testing.assert_allclose(f(D=d, K=k), right, rtol=1e-12)


# --------------------------------------------------------------------------------- definitions that were asked for


def test_the_greeks_are_written_in_the_definitions_that_were_asked_for():
    S, K, T, sigma = (sg.symbol(name, positive=True) for name in ("S", "K", "T", "sigma"))
    r = sg.symbol("r")
    d = (sg.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * sg.sqrt(T))
    e = d - sigma * sg.sqrt(T)
    d.name, e.name = "d", "e"
    price = (S * sg.special.ndtr(d) - K * sg.exp(-r * T) * sg.special.ndtr(e)).formula(stop_at=[d, e])
    texts = {
        "": "S Φ(d) − K Φ(e) exp(−Tr)", "S": "Φ(d)", "K": "−Φ(e) exp(−Tr)", "r": "KT Φ(e) exp(−Tr)",
        "S S": "φ(d)/(Sσ√T)", "sigma": "S√T φ(d)", "T": "Kr Φ(e) exp(−Tr) + Sσ φ(d)/(2√T)",
        "S sigma": "−e φ(d)/σ", "sigma sigma": "Sde√T φ(d)/σ", "S S sigma": "φ(d)(de − 1)/(Sσ²√T)",
    }  # fmt: skip
    for names, text in texts.items():
        greek = price
        for name in names.split():
            greek = greek.grad(name)
        first, *where = str(greek).splitlines()
        assert first == text
        assert len(where) == ("e" in text.replace("exp", "")) + (" d" in str(greek))
        other = dict(S=90.0, K=100.0, T=0.7, r=0.02, sigma=0.3)
        whole = (sg.special.ndtr(d) * S - K * sg.exp(-r * T) * sg.special.ndtr(e)).formula()
        for name in names.split():
            whole = whole.grad(name)
        np.testing.assert_allclose(greek(**other), whole(**other), rtol=1e-9)


def test_residuals_are_written_in_what_was_multiplied_out():
    x, b, A = sg.symbol("x", "m"), sg.symbol("b", "n"), sg.symbol("A", ("n", "m"))
    r = A @ x - b
    r.name = "r"
    assert str((r @ r + sg.exp(x).sum()).formula(stop_at=[r]).grad("x")).splitlines()[0] == "2Aᵀr + exp(x)"
    apart = ((A @ x) @ (A @ x) - 2 * (b @ (A @ x)) + b @ b + r[0] * 0).formula(stop_at=[r])
    given = dict(x=np.arange(2.0), b=np.arange(3.0), A=np.arange(6.0).reshape(3, 2) ** 2)
    np.testing.assert_allclose(
        apart.grad("x")(**given), 2 * given["A"].T @ (given["A"] @ given["x"] - given["b"])
    )  # fmt: skip


def test_a_definition_is_not_solved_by_what_may_be_zero():
    a, t = sg.symbol("a"), sg.symbol("t")
    d = a * t + 1
    d.name = "d"
    f = (sg.exp(d) * a).formula(stop_at=[d])
    text = str(f.grad("t"))
    assert text.splitlines()[0] == "a² exp(d)"  # no (d − 1)/t
    assert f.grad("t")(a=2.0, t=0.0) == pytest.approx(4 * np.e)


def test_a_name_that_a_derivative_lost_comes_back_in_the_next():
    t = sg.symbol("t")
    u = sg.sin(t) + 3 * t**2
    u.name = "u"
    f = (u**2 / 2 + t).formula(stop_at=[u])
    assert "where" not in str((u + t).formula(stop_at=[u]).grad("t"))
    assert str(f.grad("t")).splitlines()[0] == "1 + u cos(t) + 6tu"


@pytest.mark.parametrize(
    "mask", [[[0, 1], [0, 1]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [0, 0]], [[1, 1], [1, 1]]]
)
def test_a_mask_is_not_read_as_the_numbers_of_rows_and_columns(mask):
    mask, x = np.array(mask, bool), sg.tensor([[0.3, -0.7], [1.1, 0.4]], requires_grad=True)
    for found in ((x[mask] ** 3).sum(), x[mask].prod() * x.sum()):
        np.testing.assert_allclose(found.formula()(), found.item(), rtol=1e-12)

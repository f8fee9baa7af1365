"""NumPy's arrays that come and go: whose each is, what later writes to it change, and which subclasses are refused."""

import itertools
import pathlib
import re

import numpy as np
import pytest
import scipy.sparse

import symgrad as sg

from ..helpers.user_defined import Identity

N = 70_001  # above the size that is worked on in blocks
SIZES = {"large": N, "middling": 5_000, "small": 6}

PASSING_ON = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "reshape": lambda a, b: a.reshape(1, -1) + b.reshape(1, -1),
    "views": lambda a, b: a[None].squeeze(0) + b.view(-1),
    "expand": lambda a, b: a.expand(3, -1) + b.expand(3, -1),
    "cat": lambda a, b: sg.cat([a, b, a]),
    "stack": lambda a, b: sg.stack([a, b]),
    "clone": lambda a, b: a.clone() + b.clone(),
    "an identity": lambda a, b: Identity.apply(a) + Identity.apply(b),
    "transposed": lambda a, b: a.reshape(1, -1).t() + b.reshape(-1, 1),
    "flipped": lambda a, b: a.flip(0) + b,
    "one alone": lambda a, b: a + b.detach() + 0 * b,
}


def leaves(n):
    x = np.linspace(0.1, 1.0, n)
    return sg.tensor(x, requires_grad=True), sg.tensor(x[::-1].copy(), requires_grad=True)


def none_share(arrays):
    arrays = [a.detach().numpy() if isinstance(a, sg.Tensor) else a for a in arrays]
    return not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))


@pytest.mark.parametrize("size", SIZES)
def test_a_gradient_that_two_parents_share_is_not_written_twice(size):
    a, b = leaves(SIZES[size])
    ((a**2).sum() + ((a + b) ** 2).sum()).backward()
    x, y = a.detach().numpy(), b.detach().numpy()
    np.testing.assert_allclose(a.grad.numpy(), 2 * x + 2 * (x + y), rtol=1e-14)
    np.testing.assert_allclose(b.grad.numpy(), 2 * (x + y), rtol=1e-14)


@pytest.mark.parametrize("size", SIZES)
def test_gradients_of_shared_terms_of_a_function(size):
    x = np.linspace(0.1, 1.0, SIZES[size])
    s, c, e = np.sin(x), np.cos(x), np.exp(x)
    g = sg.grad(lambda x: (np.sin(x) ** 2).sum() + ((np.sin(x) + np.exp(x)) ** 2).sum())(x)
    np.testing.assert_allclose(g, 2 * s * c + 2 * (s + e) * (c + e), rtol=1e-13)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("program", PASSING_ON)
def test_grads_share_no_memory_with_each_other_or_the_seed(program, size, create_graph):
    a, b = leaves(SIZES[size])
    y = PASSING_ON[program](a, b)
    seed = sg.full(y.shape, 2.0, requires_grad=create_graph)
    y.retain_grad()
    y.backward(seed, create_graph=create_graph)
    assert none_share([a.grad, b.grad, y.grad, seed, a, b])
    expected = [a.grad.detach().numpy().copy(), b.grad.detach().numpy().copy()]
    found = sg.autograd.grad(PASSING_ON[program](a, b), [a, b], seed, create_graph=create_graph)
    assert none_share([*found, seed, a, b])
    for g, e in zip(found, expected):
        np.testing.assert_array_equal(g.detach().numpy(), e)
        assert g.requires_grad == create_graph
    assert (seed.detach().numpy() == 2).all()


@pytest.mark.parametrize("size", SIZES)
def test_results_for_an_input_named_twice_and_for_what_is_on_the_way_are_apart(size):
    a, b = leaves(SIZES[size])
    y = a * b
    z = y + a
    seed = sg.ones(SIZES[size])
    found = sg.autograd.grad(z, [a, a, y, z, b], seed)
    assert none_share([*found, seed, a, b])
    np.testing.assert_array_equal(found[0].numpy(), (b + 1).detach().numpy())
    np.testing.assert_array_equal(found[0].numpy(), found[1].numpy())
    assert (found[2].numpy() == 1).all() and (found[3].numpy() == 1).all()


@pytest.mark.parametrize("size", SIZES)
def test_what_was_given_may_be_written_to(size):
    a, b = leaves(SIZES[size])
    y = sg.exp(a) + a + b
    loss = (y * y).sum()

    def gradients():
        return [g.numpy() for g in sg.autograd.grad(loss, [a, b, y], retain_graph=True)]

    first = gradients()
    expected = [g.copy() for g in first]
    for g in first:
        g[...] = np.nan
    for g, e in zip(gradients(), expected):
        np.testing.assert_array_equal(g, e)


def test_a_seed_that_is_a_leafs_gradient_is_what_it_was():
    x, y = sg.ones(3, requires_grad=True), sg.ones(3, requires_grad=True)
    v = x + y
    v.sum().backward(retain_graph=True)
    v.backward(x.grad)
    assert x.grad.tolist() == [2.0, 2.0, 2.0] and y.grad.tolist() == [2.0, 2.0, 2.0]


# Hooks ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_a_hook_may_keep_and_overwrite_what_it_is_shown(size):
    n = SIZES[size]
    a, b = leaves(n)
    kept = []

    def doubled(g):
        kept.append(g)
        return g.mul_(2)

    y = a + b  # passes the same gradient to both
    a.register_hook(doubled)
    y.sum().backward()
    assert (a.grad.numpy() == 2).all() and (b.grad.numpy() == 1).all()
    assert none_share([a.grad, b.grad, *kept])
    kept[0].fill_(7)
    assert (a.grad.numpy() == 2).all()


@pytest.mark.parametrize("size", SIZES)
def test_a_hook_that_writes_and_returns_nothing_changes_the_gradient_of_its_tensor_alone(size):
    a, b = leaves(SIZES[size])

    def hook(g):
        g.zero_()

    a.register_hook(hook)
    (a + b).sum().backward()
    assert (a.grad.numpy() == 0).all() and (b.grad.numpy() == 1).all()


@pytest.mark.parametrize("size", SIZES)
def test_hooks_may_return_one_buffer_again_and_again(size):
    n = SIZES[size]
    a, b = leaves(n)
    buffer = sg.zeros(n)

    def through(factor):
        def hook(g):
            with sg.no_grad():
                buffer.copy_(g)
                buffer.mul_(factor)
            return buffer

        return hook

    a.register_hook(through(2.0))
    b.register_hook(through(3.0))
    (a + b).sum().backward()
    assert (a.grad.numpy() == 2).all() and (b.grad.numpy() == 3).all()
    assert none_share([a.grad, b.grad, buffer])


@pytest.mark.parametrize("size", SIZES)
def test_hooks_of_nodes_see_copies(size):
    a, b = leaves(SIZES[size])
    kept = []

    def hook(inputs, outputs):
        kept.extend([*inputs, *outputs])
        for g in (*inputs, *outputs):
            g.mul_(0)
        return tuple(sg.full_like(g, 5.0) for g in inputs)

    y = a + b
    z = y * 1.0
    y.grad_fn.register_hook(hook)
    z.grad_fn.register_prehook(lambda gs: kept.extend(gs))
    (z + y).sum().backward()
    assert (a.grad.numpy() == 5).all() and (b.grad.numpy() == 5).all()
    assert none_share([a.grad, b.grad, *kept])


@pytest.mark.parametrize("size", SIZES)
def test_hooks_under_create_graph_write_to_tensors_of_their_own(size):
    a, b = leaves(SIZES[size])
    y = a * a
    z = y + b * 1.0
    y.register_hook(lambda g: g.mul_(3.0))
    ga, gb = sg.autograd.grad((z**2).sum(), [a, b], create_graph=True)
    x, w = a.detach().numpy(), b.detach().numpy()
    np.testing.assert_allclose(ga.detach().numpy(), 3 * 2 * (x * x + w) * 2 * x, rtol=1e-13)
    np.testing.assert_allclose(gb.detach().numpy(), 2 * (x * x + w), rtol=1e-13)
    (h,) = sg.autograd.grad(ga.sum(), a)
    # 12x(x² + w), and the hook again on the way through y
    np.testing.assert_allclose(h.numpy(), 12 * (x * x + w) + 3 * 24 * x * x, rtol=1e-13)


def test_a_retained_gradient_and_what_follows_are_apart():
    a, b = leaves(N)
    y = a + b
    y.retain_grad()
    y.sum().backward()
    y.grad.fill_(9.0)
    assert (a.grad.numpy() == 1).all() and (b.grad.numpy() == 1).all()


def test_no_decision_rests_on_counted_references():
    """Later Pythons, and those without the lock, do not count every holder."""
    package = pathlib.Path(sg.__file__).parent
    assert not [p for p in package.rglob("*.py") if "getrefcount" in p.read_text()]


# Arrays that are written to after they were used: what is recorded of small ones is a copy ----------------------------


FEW = 9
X = np.linspace(1, 2, FEW)
ONES = np.ones(FEW)


def _buffer_of_factors(x):
    a, total = np.zeros(FEW), 0.0
    for k in range(3):
        a[:] = k + 1
        total = total + (x**2 * a).sum()
    return total


def _scaled_in_place(x):
    a, total = np.ones(FEW), 0.0
    for _ in range(3):
        total = total + (np.sin(x) * a).sum() + (a / x).sum()
        a *= 2
    return total


def _rolled_index(x):
    i, total = np.arange(FEW), 0.0
    for k in range(3):
        total = total + (k + 1) * (x[i] ** 2 * np.arange(FEW)).sum()
        i[:] = np.roll(i, 1)
    return total


def _mask_filled_anew(x):
    m, total = np.zeros(FEW, bool), 0.0
    for k in range(2):
        m[: 4 * k + 2] = True
        total = total + np.where(m, x**2, 3 * x).sum() + (x[m] ** 3).sum()
        m[:] = False
    return total


def _exponents(x):
    a, total = np.ones(FEW), 0.0
    for _ in range(3):
        a += 1
        total = total + (x**a).sum() + np.maximum(x, a - 1.37).sum()
    return total


def _matrix(x):
    A, total = np.eye(FEW), 0.0
    for k in range(3):
        A[0, :] = k
        total = total + ((A @ x) ** 2).sum() + np.einsum("ij,i,j->", A, x, x) + np.dot(x, A[0]) ** 2
    return total


def _view_of_a_buffer(x):
    A, total = np.zeros((2, FEW)), 0.0
    row = A[0]
    for k in range(3):
        A[:] = k + 1
        total = total + (x**2 * row).sum()
    return total


def _singles_beside_doubles(x):
    a, total = np.zeros(FEW, np.float32), 0.0
    for k in range(3):
        a[:] = k + 1
        total = total + (x**2 * a).sum() + np.concatenate([x**2, a]).sum()
    return total


LOOPS = [_buffer_of_factors, _scaled_in_place, _rolled_index, _mask_filled_anew, _exponents, _matrix, _view_of_a_buffer,
         _singles_beside_doubles]  # fmt: skip
DERIVATIVES = {
    "grad": lambda f: sg.grad(f)(X), "value_and_grad": lambda f: sg.value_and_grad(f)(X)[1],
    "vjp": lambda f: sg.vjp(f, X)[1](np.array(1.0))[0], "jacrev": lambda f: sg.jacrev(f)(X),
    "jacfwd": lambda f: sg.jacfwd(f)(X), "vmap": lambda f: sg.vmap(sg.grad(f))(np.stack([X, X]))[1],
    "func": lambda f: sg.func.grad(f)(sg.tensor(X)).numpy(), "compile": lambda f: sg.compile(f, "g")(X),
}  # fmt: skip
SECOND = {
    "hessian": lambda f: sg.hessian(f)(X) @ ONES, "operator": lambda f: sg.hessian_operator(f, X) @ ONES,
    "hvp": lambda f: sg.hvp(f, X, ONES), "jvp of grad": lambda f: sg.jvp(sg.grad(f), (X,), (ONES,))[1],
    "func": lambda f: (sg.func.hessian(f)(sg.tensor(X)) @ sg.tensor(ONES)).numpy(),
}  # fmt: skip


def _central(f, x, v, order):
    h = 1e-4
    values = [float(f(x + k * h * v)) for k in (-1, 0, 1)]
    return (values[2] - values[0]) / (2 * h) if order == 1 else (values[2] - 2 * values[1] + values[0]) / h**2


@pytest.mark.parametrize("f", LOOPS)
@pytest.mark.parametrize("way", DERIVATIVES)
def test_a_buffer_that_a_loop_fills_anew_is_right_in_a_gradient(way, f):
    g = DERIVATIVES[way](f)
    np.testing.assert_allclose(g, [_central(f, X, row, 1) for row in np.eye(FEW)], rtol=1e-5)


@pytest.mark.parametrize("f", LOOPS)
@pytest.mark.parametrize("way", SECOND)
def test_a_buffer_that_a_loop_fills_anew_is_right_in_a_second_derivative(way, f):
    v = SECOND[way](f)
    np.testing.assert_allclose(v.sum(), _central(f, X, ONES, 2), rtol=1e-4)


def test_a_write_between_forward_and_backward_is_not_seen_in_small_operands():
    for use in (lambda x, a: x * a, lambda x, a: a / x, lambda x, a: np.sin(x) * a, lambda x, a: x**a, np.dot):
        a, x = X.copy(), sg.tensor(X, requires_grad=True)
        (expected,) = sg.autograd.grad(use(x, a).sum(), x)
        y = use(x, a).sum()
        a[:] = 7.0
        y.backward()
        np.testing.assert_array_equal(x.grad.numpy(), expected.numpy())


def test_what_keeps_its_record_keeps_the_point():
    for size in (FEW, 70001):
        x, v = np.linspace(1, 2, size), np.ones(size)
        kept = x.copy()
        pull, push = sg.vjp(lambda x: x**2, x)[1], sg.linearize(lambda x: x**2, x)[1]
        H = sg.hessian_operator(lambda x: (x**3).sum(), x)
        x[:] = 9.0
        np.testing.assert_allclose(pull(v)[0], 2 * kept)
        np.testing.assert_allclose(push(v), 2 * kept)
        np.testing.assert_allclose(H @ v, 6 * kept)


def test_an_operand_of_what_needs_no_gradient_is_not_copied():
    a = X.copy()
    x = sg.tensor(X)
    with sg.no_grad():
        assert (x * a).tolist() == (X * X).tolist()
    assert sg.as_tensor(a).data_ptr() == sg.as_tensor(a).data_ptr()  # shared, as in PyTorch


LARGE = np.linspace(1, 2, 70001)
UNSEEN = r"modified by an inplace operation, unseen: a NumPy array of shape \([0-9, ]+\) and dtype \w+, which \w+ saved"


def _large_buffer(x):
    a, total = np.zeros(x.shape[0]), 0.0
    for k in range(3):
        a[:] = k + 1
        total = total + (x**2 * a).sum()
    return total


def _large_matrix(x):
    A, total = np.zeros((1000, 70)), 0.0
    for k in range(3):
        A[:, :] = k + 1
        total = total + ((A @ x[:70]) ** 2).sum()
    return total


def _large_mask(x):
    m, total = np.zeros(x.shape[0], bool), 0.0
    for k in range(2):
        m[:] = k
        total = total + np.where(m, x**2, x).sum()
    return total


def _one_row_of_a_large_buffer(x):
    A, total = np.ones((50, x.shape[0])), 0.0
    for k in range(3):
        A[k] = 0.0
        total = total + (x**2 * A).sum()
    return total


@pytest.mark.parametrize("f", [_large_buffer, _large_matrix, _large_mask, _one_row_of_a_large_buffer])
@pytest.mark.parametrize("transform", [
    lambda f: sg.grad(f)(LARGE), lambda f: sg.value_and_grad(f)(LARGE), lambda f: sg.hvp(f, LARGE, LARGE),
    lambda f: sg.vjp(f, LARGE), lambda f: sg.jvp(f, (LARGE,), (LARGE,)), lambda f: sg.grad(f)(sg.tensor(LARGE)),
    lambda f: sg.hvp(lambda x: x[0] * f(x), LARGE, LARGE), lambda f: sg.func.grad(f)(sg.tensor(LARGE)),
    lambda f: sg.jvp(sg.grad(f), (LARGE,), (LARGE,)),
], ids=["grad", "value_and_grad", "hvp", "vjp", "jvp", "of a tensor", "times", "func", "nested"])  # fmt: skip
def test_a_large_buffer_that_is_filled_anew_in_a_transform_is_an_error(transform, f):
    with pytest.raises(sg.InplaceError, match=UNSEEN) as caught:
        transform(f)
    assert "make the buffer inside the loop" in str(caught.value) and "of large arrays no copy" in str(caught.value)


def test_a_large_array_that_no_rule_reads_may_be_written_to():
    def f(x):
        a, total = np.zeros(70001), 0.0
        for k in range(3):
            a[:] = k
            total = total + (x + a).sum() + (x - a).sum()
        return total + (x**2 * LARGE).sum()

    np.testing.assert_allclose(sg.grad(f)(LARGE), 6 + 2 * LARGE * LARGE)


def test_a_write_in_the_outer_function_after_an_inner_transform_computed():
    def factor(x):
        a = np.ones(70001)
        inner = sg.grad(lambda u: (u**3 * a).sum())(x)
        a[:] = 5.0
        return (inner * x).sum()

    np.testing.assert_allclose(sg.grad(factor)(LARGE), 9 * LARGE**2)  # the factor has been used up


USES = {
    "factor": lambda x, a: (x**2 * a).sum(), "divided": lambda x, a: (a / x).sum(), "power": lambda x, a: (x**a).sum(),
    "matrix": lambda x, a: ((a[:70000].reshape(1000, 70) @ x[:70]) ** 2).sum(),
    "vector": lambda x, a: np.sin(x) @ a,
    "beside": lambda x, a: (np.exp(x) * (x * a)).sum(),  # the derivative's own nodes read it again
}  # fmt: skip


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("use", USES)
def test_a_large_array_filled_anew_between_forward_and_backward_is_an_error_that_names_it(use, create_graph):
    a, x = LARGE.copy(), sg.tensor(LARGE, requires_grad=True)
    loss = USES[use](x, a)
    a[:] = 7.0
    with pytest.raises(sg.InplaceError, match=UNSEEN):
        loss.backward(create_graph=create_graph)
    assert x.grad is None


@pytest.mark.parametrize("use", USES)
def test_a_large_array_filled_anew_before_the_second_derivative_is_right_or_an_error(use):
    a, x, v = LARGE.copy(), sg.tensor(LARGE, requires_grad=True), sg.ones(70001)

    def second(spoil):
        (g,) = sg.autograd.grad(USES[use](x, a), x, create_graph=True)
        a[:] = 7.0 if spoil else a
        return sg.autograd.grad((g * v).sum(), x)[0].numpy()

    expected = second(False)
    try:
        found = second(True)
    except sg.InplaceError as error:
        assert re.search(UNSEEN, str(error))
    else:
        np.testing.assert_allclose(found, expected)


def test_a_large_array_may_be_filled_anew_once_its_derivative_is_taken():
    a, x = np.empty(70001), sg.tensor(LARGE, requires_grad=True)
    for k in range(3):
        a[:] = k
        x.grad = None
        (x**2 * a).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * k * LARGE)


def test_a_large_array_may_be_filled_anew_where_the_sweep_ends_before_it():
    a, x = LARGE.copy(), sg.tensor(LARGE, requires_grad=True)
    y = x * a
    loss = (y**2).sum()
    a[:] = 7.0
    (g,) = sg.autograd.grad(loss, y, retain_graph=True)
    np.testing.assert_allclose(g.numpy(), 2 * LARGE**2)
    with pytest.raises(sg.InplaceError, match=UNSEEN):
        sg.autograd.grad(loss, x)


# Subclasses: those that mean something else by their operators are refused, others are arrays -------------------------


THREE = np.array([1.0, 2.0, 3.0])
A = np.arange(9.0).reshape(3, 3) + np.eye(3)


class Unit(np.ndarray):
    """An array with operators of its own."""

    def __mul__(self, other):
        return np.asarray(self) * other * 1000.0


FOREIGN = {
    "matrix": np.matrix(A), "masked": np.ma.array(A, mask=A > 5), "masked at no place": np.ma.array(A),
    "unit": A.view(Unit),
}  # fmt: skip
IN_A_FUNCTION = {
    "x * K": lambda x, K: x * K, "x - K": lambda x, K: x - K, "x ** K": lambda x, K: x**K, "x @ K": lambda x, K: x @ K,
    "K * x": lambda x, K: K * x, "K + x": lambda x, K: K + x, "K - x": lambda x, K: K - x, "K / x": lambda x, K: K / x,
    "K ** x": lambda x, K: K**x, "K @ x": lambda x, K: K @ x, "K > x": lambda x, K: np.where(K > x, x, 2 * x),  # noqa: SIM300
    "np.multiply(K, x)": lambda x, K: np.multiply(K, x), "np.multiply(x, K)": lambda x, K: np.multiply(x, K),
    "np.logaddexp": lambda x, K: np.logaddexp(K, x), "np.dot": lambda x, K: np.dot(K, x),
    "np.einsum": lambda x, K: np.einsum("ij,j->", K, x), "np.stack": lambda x, K: np.stack([K, x * A]),
    "np.concatenate": lambda x, K: np.concatenate([x[None], K]), "np.where": lambda x, K: np.where(K > 0, x, 2 * x),
    "where=": lambda x, K: np.sum(x * A, where=K > 0), "np.outer": lambda x, K: np.outer(K, x),
    "np.clip": lambda x, K: np.clip(x, K, 2.0), "np.linalg.solve": lambda x, K: np.linalg.solve(K, x),
    "np.average": lambda x, K: np.average(x * A, weights=K), "an index": lambda x, K: x[K[0].astype(int) % 3],
    "a mask": lambda x, K: (x * A)[K > 3], "x[...] = K": lambda x, K: written(x * A, K),
    "x += K": lambda x, K: added_to(x * A, K), "sg.mul": lambda x, K: sg.mul(x, K), "x.mul": lambda x, K: x.mul(K),
    "sg.where": lambda x, K: sg.where(K == K, x, K), "sg.addcmul": lambda x, K: sg.addcmul(x * A, K, x),
    "sg.cat": lambda x, K: sg.cat([x * A, K]), "sg.tensor": lambda x, K: sg.tensor(K) * x,
    "sg.as_tensor": lambda x, K: sg.as_tensor(K) * x, "sg.from_numpy": lambda x, K: sg.from_numpy(K) * x,
    "sg.asarray": lambda x, K: sg.asarray(K) * x, "a list": lambda x, K: sg.tensor([K, K]) * x,
    "returned": lambda x, K: K,
}  # fmt: skip


def written(y, K):
    y[...] = K
    return y * y


def added_to(y, K):
    y += K
    return y * y


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", IN_A_FUNCTION)
@pytest.mark.parametrize("transform", [sg.grad, sg.hessian])
def test_an_array_with_operators_of_its_own_is_refused_by_name(transform, name, kind):
    K, f = FOREIGN[kind], IN_A_FUNCTION[name]
    if kind == "unit" and name == "K * x":  # its own product is asked first, and computes with tensors
        assert sg.grad(lambda x: f(x, K).sum())(THREE).tolist() == (A.sum(0) * 1000).tolist()
        return
    if kind == "matrix" and name == "K ** x":
        with pytest.raises(TypeError, match="exponent must be an integer"):  # NumPy's, of matrices alone
            f(sg.tensor(THREE), K)
        return
    with pytest.raises(sg.DTypeError, match=rf"do not compute with .*\.{type(K).__name__}\n"):
        transform(lambda x: f(x, K) if name == "returned" else f(x, K).sum())(THREE)


ARGUMENTS = {
    "grad": lambda K: sg.grad(lambda x: (x * x).sum())(K), "hessian": lambda K: sg.hessian(lambda x: (x * x).sum())(K),
    "jacobian": lambda K: sg.jacobian(lambda x: x * x)(K), "vjp": lambda K: sg.vjp(lambda x: x * x, K),
    "jvp": lambda K: sg.jvp(lambda x: x * x, (K,), (A,)), "tangent": lambda K: sg.jvp(lambda x: x * x, (A,), (K,)),
    "hvp": lambda K: sg.hvp(lambda x: (x**3).sum(), A, K), "vmap": lambda K: sg.vmap(lambda x: x * x)(K),
    "compile": lambda K: sg.compile(lambda x: (x * x).sum())(K), "formula": lambda K: sg.formula(lambda x: x * x, K),
    "beside": lambda K: sg.grad(lambda x, k: (x * k).sum())(THREE, K), "Parameter": lambda K: sg.nn.Parameter(K),
    "Function": lambda K: sg.sin(K) * sg.tensor(A), "Tensor": lambda K: sg.Tensor(K),
    "a formula": lambda K: sg.formula(lambda x: x * x, A)(x=K),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_with_operators_of_its_own_is_refused_by_name(name, kind):
    with pytest.raises(sg.DTypeError, match="do not compute with"):
        ARGUMENTS[name](FOREIGN[kind])


def test_the_error_says_what_to_write():
    for K, words in ((FOREIGN["matrix"], "np.asarray(K)"), (FOREIGN["masked"], "K.filled(0.0)")):
        with pytest.raises(sg.DTypeError) as caught:
            sg.tensor(THREE) * K
        assert words in str(caught.value)


def kept(tmp_path, values):
    mapped = np.memmap(tmp_path / "values", dtype=float, mode="w+", shape=values.shape)
    mapped[...] = values
    return mapped


@pytest.mark.parametrize("name", [n for n in IN_A_FUNCTION if n not in ("a list", "returned")])
def test_a_memory_map_and_a_record_array_are_arrays(tmp_path, name):
    f = IN_A_FUNCTION[name]
    expected = sg.grad(lambda x: f(x, A).sum())(THREE)
    for K in (kept(tmp_path, A), A.view(np.recarray)):
        np.testing.assert_array_equal(sg.grad(lambda x, K=K: f(x, K).sum())(THREE), expected)


def test_a_memory_map_is_an_argument(tmp_path):
    K = kept(tmp_path, THREE)
    np.testing.assert_array_equal(sg.grad(lambda x: (x**2).sum())(K), 2 * THREE)
    np.testing.assert_array_equal(sg.hessian(lambda x: (x**3).sum())(K), np.diag(6 * THREE))


SPARSE = {
    "A * x": lambda x, A: A * x, "x * A": lambda x, A: x * A,
    "A + x": lambda x, A: A + x, "np.dot": lambda x, A: np.dot(A, x), "np.multiply": lambda x, A: np.multiply(A, x),
    "A.multiply": lambda x, A: A.multiply(x), "np.matmul": lambda x, A: np.matmul(A, x),
    "sg.as_tensor": lambda x, A: sg.as_tensor(A) * x, "np.outer": lambda x, A: np.outer(A, x),
    "np.einsum": lambda x, A: np.einsum("ij,j->i", A, x), "np.tensordot": lambda x, A: np.tensordot(A, x, 1),
}  # fmt: skip


COMPUTED = {"csr_matrix": {"A * x", "x * A", "A + x"}, "csr_array": {"x * A", "A + x"}}
"""What is read as SciPy reads it; in the others SciPy or NumPy has the first word, and asks for plain numbers."""


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_a_sparse_matrix_beside_a_tensor_is_what_it_is_in_scipy_or_an_error(kind, name):
    def f(x):
        return SPARSE[name](x, kind(A)).sum()

    if name not in COMPUTED[kind.__name__]:
        with pytest.raises((sg.DTypeError, sg.GradientError)):
            sg.grad(f)(THREE)
        return
    value, gradient = sg.value_and_grad(f)(THREE)
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(value, f(THREE))
    np.testing.assert_allclose(gradient, [(f(THREE + h) - f(THREE - h)) / 2e-6 for h in steps], rtol=1e-6)


RETURNED = {
    "jacobian": sg.jacobian, "jacfwd": sg.jacfwd, "vjp": lambda f: lambda x: sg.vjp(f, x), "vmap": sg.vmap,
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (x,)), "linearize": lambda f: lambda x: sg.linearize(f, x),
    "formula": lambda f: lambda x: sg.formula(f, x), "a container": lambda f: sg.jacobian(lambda x: [x * 2, f(x)]),
    "taylor": lambda f: lambda x: sg.taylor(f, x, 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", RETURNED)
def test_a_result_with_operators_of_its_own_is_refused_by_name(name, kind):
    with pytest.raises(sg.DTypeError, match="do not compute with"):
        RETURNED[name](lambda x: FOREIGN[kind])(A)


def test_a_batch_of_plain_arrays_computes_with_numpys_own():
    K = np.ma.array(THREE, mask=[False, True, False])
    assert sg.vmap(lambda x: np.sum(K * x))(A).tolist() == [(K * row).sum() for row in A]


NO_NUMBERS = {
    "objects": np.array([1.0, 2.0, 3.0], object), "text": np.array(["1", "2", "3"]),
    "points in time": THREE.astype("M8[s]"), "spans of time": THREE.astype("m8[s]"),
    "records": np.rec.fromarrays([THREE, THREE], names="a,b"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize(
    "name",
    ["x * K", "K * x", "x - K", "K / x", "x ** K", "K @ x", "x @ K", "np.multiply(K, x)", "np.dot", "np.concatenate",
     "sg.mul", "x.mul", "sg.where", "np.outer", "np.clip", "x[...] = K", "x += K", "sg.as_tensor"],
)  # fmt: skip
def test_an_array_of_no_numbers_is_refused_beside_a_tensor(name, kind):
    f, K = IN_A_FUNCTION[name], NO_NUMBERS[kind]
    f = {"x[...] = K": lambda x, K: written(x * 1, K), "x += K": lambda x, K: added_to(x * 1, K)}.get(name, f)
    if name == "np.concatenate":
        f = lambda x, K: np.concatenate([x, K])
    with pytest.raises((sg.DTypeError, TypeError)):
        sg.grad(lambda x: f(x, K).sum())(THREE)


def test_arrays_of_objects_are_refused_with_what_to_write():
    with pytest.raises(sg.DTypeError, match=r"arrays of objects \(dtype object\)(.|\n)*K.astype\(float\)"):
        sg.grad(lambda x: (x * NO_NUMBERS["objects"]).sum())(THREE)


@pytest.mark.parametrize("seed", [np.matrix([[1.0, 2.0]]), np.ma.array([[1.0, 2.0]], mask=[[True, False]])])
def test_seeds_are_refused_by_name(seed):
    x = sg.ones(1, 2, requires_grad=True)
    with pytest.raises(sg.DTypeError, match=r"np\.(matrix|ma\.MaskedArray)"):
        (x * 2).backward(seed)
    assert x.grad is None

"""A NumPy array that is written to after it was used: what is recorded of small ones is a copy."""

import re

import numpy as np
import pytest

import symgrad as sg

N = 9
X = np.linspace(1, 2, N)
ONES = np.ones(N)


def _buffer_of_factors(x):
    a, total = np.zeros(N), 0.0
    for k in range(3):
        a[:] = k + 1
        total = total + (x**2 * a).sum()
    return total


def _scaled_in_place(x):
    a, total = np.ones(N), 0.0
    for _ in range(3):
        total = total + (np.sin(x) * a).sum() + (a / x).sum()
        a *= 2
    return total


def _rolled_index(x):
    i, total = np.arange(N), 0.0
    for k in range(3):
        total = total + (k + 1) * (x[i] ** 2 * np.arange(N)).sum()
        i[:] = np.roll(i, 1)
    return total


def _mask_filled_anew(x):
    m, total = np.zeros(N, bool), 0.0
    for k in range(2):
        m[: 4 * k + 2] = True
        total = total + np.where(m, x**2, 3 * x).sum() + (x[m] ** 3).sum()
        m[:] = False
    return total


def _exponents(x):
    a, total = np.ones(N), 0.0
    for _ in range(3):
        a += 1
        total = total + (x**a).sum() + np.maximum(x, a - 1.37).sum()
    return total


def _matrix(x):
    A, total = np.eye(N), 0.0
    for k in range(3):
        A[0, :] = k
        total = total + ((A @ x) ** 2).sum() + np.einsum("ij,i,j->", A, x, x) + np.dot(x, A[0]) ** 2
    return total


def _view_of_a_buffer(x):
    A, total = np.zeros((2, N)), 0.0
    row = A[0]
    for k in range(3):
        A[:] = k + 1
        total = total + (x**2 * row).sum()
    return total


def _singles_beside_doubles(x):
    a, total = np.zeros(N, np.float32), 0.0
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
    np.testing.assert_allclose(g, [_central(f, X, row, 1) for row in np.eye(N)], rtol=1e-5)


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
    for size in (N, 70001):
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

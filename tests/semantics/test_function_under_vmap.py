"""A user's own operation under `vmap`: its ``vmap`` static method, `generate_vmap_rule`, and without either a loop."""

from typing import ClassVar

import numpy as np
import pytest

import symgrad as sg
from symgrad.autograd import Function


class Weighted(Function):
    "k · sum(x) · y"

    calls: ClassVar[list[tuple]] = []

    @staticmethod
    def forward(x, y, k):
        return x.sum() * y * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y, ctx.k = inputs
        ctx.save_for_backward(x, y)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return (g * y).sum() * ctx.k * sg.ones_like(x), g * x.sum() * ctx.k, None

    @staticmethod
    def jvp(ctx, tx, ty, none):
        x, y = ctx.saved_tensors
        return (tx.sum() * y + x.sum() * ty) * ctx.k


class Generated(Weighted):
    generate_vmap_rule = True


class Batched(Weighted):
    @staticmethod
    def vmap(info, in_dims, x, y, k):
        Batched.calls.append((info.batch_size, info.randomness, in_dims, x.shape, y.shape))
        x = x.sum(1)[:, None] if in_dims[0] == 0 else x.sum()
        return x * y * k, 0 if in_dims != (None, None, None) else None


CLASSES = [Weighted, Generated, Batched]


@pytest.fixture(autouse=True)
def no_calls():
    Batched.calls.clear()


X, Y = sg.tensor([[1.0, 2.0], [3.0, 4.0], [0.5, 0.5]]), sg.tensor([[5.0, 6.0], [7.0, 8.0], [1.0, -1.0]])
KINDS = pytest.mark.parametrize("cls", CLASSES, ids=["neither", "generated", "own"])


def values(cls):
    return lambda x, y: cls.apply(x, y, 2)


def slopes(cls):
    return sg.grad(lambda x, y: (cls.apply(x, y, 2) ** 2).sum())


def curvatures(cls):
    return sg.hessian(lambda x, y: (cls.apply(x, y, 2) ** 2).sum())


def pushed(cls):
    return lambda x, y: sg.jvp(lambda x: cls.apply(x, y, 2), (x,), (y,))[1]


@KINDS
@pytest.mark.parametrize("what", [values, slopes, curvatures, pushed])
def test_equals_a_loop(cls, what):
    f = what(cls)
    assert sg.allclose(sg.vmap(f)(X, Y), sg.stack([f(x, y) for x, y in zip(X, Y, strict=True)]))
    assert sg.allclose(sg.vmap(f, (0, None))(X, Y[0]), sg.stack([f(x, Y[0]) for x in X]))
    assert sg.allclose(sg.vmap(f, (1, None), -1)(X.T, Y[0]), sg.stack([f(x, Y[0]) for x in X], -1))


@KINDS
def test_is_differentiated_through(cls):
    x, y = X.clone().requires_grad_(), Y.clone().requires_grad_()
    both = sg.stack([x * 1, y * 1])

    def loss(each):
        return (each(x, y) ** 2).sum()

    looped = loss(lambda x, y: sg.stack([cls.apply(a, b, 2) for a, b in zip(x, y, strict=True)]))
    for found, expected in zip(
        sg.autograd.grad(loss(sg.vmap(values(cls))), (x, y)), sg.autograd.grad(looped, (x, y)), strict=True
    ):
        assert sg.allclose(found, expected)
    assert both.requires_grad


def test_own_vmap_gets_batch_size_randomness_and_dims():
    sg.vmap(values(Batched), randomness="same")(X, Y)
    sg.vmap(values(Batched), (None, 0))(X[0], Y)
    assert Batched.calls == [
        (3, "same", (0, 0, None), (3, 2), (3, 2)),
        (3, "error", (None, 0, None), (2,), (3, 2)),
    ]


def test_plans_say_what_runs_at_once():
    assert sg.vmap(values(Batched)).plan(X, Y) == "batched: 1 operation"
    assert "1 in a loop: GeneratedBackward" in sg.vmap(values(Generated)).plan(X, Y)
    assert sg.vmap(values(Weighted)).plan(X, Y) == "loop: it applies Weighted, an autograd.Function without a vmap"
    assert sg.vmap(slopes(Batched)).plan(X, Y).startswith("batched")


def test_own_vmap_is_called_in_a_batch_of_batches():
    xs, ys = sg.stack([X, 2 * X]), sg.stack([Y, Y + 1])
    found = sg.vmap(sg.vmap(values(Batched)))(xs, ys)
    assert sg.allclose(found, sg.stack([sg.vmap(values(Weighted))(x, y) for x, y in zip(xs, ys, strict=True)]))
    assert Batched.calls


class Sort(Function):
    "The documented example: NumPy inside, whole numbers among the results."

    calls: ClassVar[list[int]] = []

    @staticmethod
    def forward(x, dim):
        index = np.argsort(x.numpy(), dim)
        return sg.from_numpy(np.take_along_axis(x.numpy(), index, dim)), sg.from_numpy(index)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])
        ctx.dim = inputs[1]

    @staticmethod
    def backward(ctx, g, _):
        (index,) = ctx.saved_tensors
        return sg.zeros_like(g).scatter(ctx.dim, index, g), None

    @staticmethod
    def vmap(info, in_dims, x, dim):
        Sort.calls.append(info.batch_size)
        return Sort.apply(x.movedim(in_dims[0], 0), dim if dim < 0 else dim + 1), (0, 0)


def test_an_operation_of_numpy_with_a_vmap_runs_at_once():
    x = sg.tensor([[3.0, 1.0, 2.0], [5.0, 9.0, 4.0]], requires_grad=True)
    w = sg.tensor([1.0, 10.0, 100.0])
    ordered, index = sg.vmap(lambda row: Sort.apply(row, 0))(x)
    assert ordered.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]] and index.tolist() == [[1, 2, 0], [2, 0, 1]]
    (ordered * w).sum().backward()
    assert x.grad.tolist() == [[100.0, 1.0, 10.0], [10.0, 100.0, 1.0]]
    per_row = sg.vmap(sg.grad(lambda row: (Sort.apply(row, 0)[0] * w).sum()))(x.detach())
    assert per_row.tolist() == x.grad.tolist()
    assert Sort.calls and set(Sort.calls) == {2}


def hiding(setup, backward):
    class Hiding(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return (x**2).sum()

    Hiding.setup_context, Hiding.backward = staticmethod(setup), staticmethod(backward)
    return Hiding.apply


def keep_float(ctx, inputs, output):
    ctx.first = inputs[0][0].item()
    ctx.save_for_backward(*inputs)


def keep_array(ctx, inputs, output):
    ctx.first = inputs[0].detach().numpy()[0:1]
    ctx.save_for_backward(*inputs)


def save_between(ctx, inputs, output):
    ctx.first = None
    ctx.save_for_backward(2 * inputs[0])


@pytest.mark.parametrize("setup", [keep_float, keep_array, save_between])
def test_what_a_context_keeps_of_one_example_is_not_taken_for_all(setup):
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if ctx.first is None:
            return g * x
        return g * 2 * x + (x[0] - (ctx.first if isinstance(ctx.first, float) else sg.from_numpy(ctx.first)))

    square = hiding(setup, backward)
    assert sg.vmap(sg.grad(square))(X).tolist() == (2 * X).tolist()
    assert sg.vmap(square)(X).tolist() == (X**2).sum(1).tolist()


def with_vmap(vmap, **attributes):
    class Bad(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    Bad.vmap = staticmethod(vmap)
    for name, value in attributes.items():
        setattr(Bad, name, value)
    return sg.vmap(Bad.apply)


@pytest.mark.parametrize(
    ("vmap", "words"),
    [
        (lambda info, in_dims, x: x * 2, "Expected the vmap staticmethod to have two returns"),
        (lambda info, in_dims, x: (x * 2, 1), "out_dim 1 for 3 examples"),
        (lambda info, in_dims, x: (x * 2, 5), "out_dim 5 for 3 examples"),
        (lambda info, in_dims, x: ((x, x), (0, 0)), "returned 2 outputs"),
        (lambda info, in_dims, x: (x, (0, 0)), "2 out_dims"),
    ],
)
def test_a_vmap_that_returns_something_else_is_told(vmap, words):
    with pytest.raises(RuntimeError, match=words):
        with_vmap(vmap)(X)


def test_both_ways_at_once_are_refused():
    with pytest.raises(RuntimeError, match="both generate_vmap_rule=True and an overridden vmap"):
        with_vmap(lambda info, in_dims, x: (x * 2, 0), generate_vmap_rule=True)(X)


def test_a_wrong_vmap_is_not_believed():
    assert with_vmap(lambda info, in_dims, x: (x * 3, 0))(X).tolist() == (2 * X).tolist()

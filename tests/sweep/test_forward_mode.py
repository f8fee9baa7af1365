"""Forward mode: every row's tangents against its gradients and against numbers; programs; what a user sees."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import Tensor, keep_zeros, wrap
from symgrad.sweep.directions import NoForwardRule, PullMany, Push, many_tangents, push

from ..helpers.cases import one_in
from ..helpers.examples import seeds
from ..helpers.numeric import assert_close, slope
from ..helpers.rows import (
    DEAR,
    ONCE,
    PAIRS,
    RECORDED,
    arrays_of,
    call,
    is_draw,
    restrict,
    rows,
    run,
    sample,
    wanted,
    weights,
)
from ..helpers.user_defined import Cube
from ..ops.test_table_derivatives import COMPLEX, _turned
from ..properties._programs import differentiated, program_of

SMOOTH = [op for op in RECORDED if not is_draw(op)]


class Directions:
    """A row at a point, directions in which its operands move, and cotangents for what it returns."""

    def __init__(self, op, operands, params, leaves=None):
        self.op, self.operands, self.params = op, list(operands), params
        self.leaves = wanted(op, operands) if leaves is None else leaves
        points = [operands[i] for i in self.leaves]
        self.t = [restrict(op, i, w) for i, w in zip(self.leaves, weights(points, seed=7), strict=True)]
        self.u = [restrict(op, i, w) for i, w in zip(self.leaves, weights(points, seed=8), strict=True)]

    def run(self, operands=None):
        """The leaves and the outputs."""
        ts, outs = run(self.op, self.operands if operands is None else operands, self.params, self.leaves)
        return [ts[i] for i in self.leaves], outs

    def moved(self, t, step):
        """The operands, a step along t."""
        operands = list(self.operands)
        for i, v in zip(self.leaves, t, strict=True):
            operands[i] = np.asarray(operands[i] + step * v)
        return operands

    def tangents(self, operands=None):
        """J t as arrays, zeros where an output does not move."""
        xs, outs = self.run(operands)
        found = push(outs, xs, [wrap(v) for v in self.t], False)
        return [np.zeros_like(o._data) if t is None else t.numpy() for t, o in zip(found, outs, strict=True)], outs

    def cotangents(self, outs):
        return weights(arrays_of(outs), seed=9)


def inner(a, b):
    return sum(float(np.real(np.vdot(x, y))) for x, y in zip(a, b, strict=True))


def check_adjoint(case):
    """⟨w, J t⟩ = ⟨Jᵀ w, t⟩, and shapes and dtypes are the outputs'."""
    found, outs = case.tangents()
    for t, o in zip(found, outs, strict=True):
        assert (t.shape, t.dtype) == (tuple(o.shape), o.dtype)
    xs, outs = case.run()
    ws = case.cotangents(outs)
    gs = sg.autograd.grad(outs, xs, grad_outputs=[sg.tensor(w) for w in ws])
    gs = [restrict(case.op, i, g.numpy()) for i, g in zip(case.leaves, gs, strict=True)]
    scale = 1e-4 if any(t.dtype in (np.float32, np.complex64) for t in found) else 1e-9
    np.testing.assert_allclose(inner(ws, found), inner(gs, case.t), rtol=scale, atol=scale)


# Every row ------------------------------------------------------------------------------------------------------------


@rows(RECORDED)
def test_forward_mode_is_the_transpose_of_reverse_mode(op):
    check_adjoint(Directions(op, *sample(op)))


@rows(SMOOTH)
def test_a_tangent_is_the_slope_along_the_direction(op):
    case = Directions(op, *sample(op))
    found, outs = case.tangents()
    ws = case.cotangents(outs)

    def along(step):
        values = [o for o in call(op, case.moved(case.t, step / 3), case.params) if np.asarray(o).dtype.kind in "fc"]
        return inner(ws, values[: len(ws)])

    assert_close(inner(ws, found), slope(along) * 3, rtol=1e-6)


@rows([op for op in SMOOTH if op.name not in ONCE], slow=DEAR)
def test_reverse_over_forward_is_the_derivative_of_the_tangent(op):
    case = Directions(op, *sample(op))
    xs, outs = case.run()
    moving = [sg.tensor(v, requires_grad=True) for v in case.t]
    found = push(outs, xs, moving, True)
    ws = case.cotangents(outs)
    pairs = [(t, w) for t, w in zip(found, ws, strict=True) if t is not None and t.requires_grad]
    zero = [np.zeros_like(t) for t in case.t]
    ds = [None] * len(xs)
    for t, number in zip(found, case.tangents()[0], strict=True):
        if t is not None:
            assert_close(t.detach().numpy(), number)
    if pairs:
        ts, seeds = zip(*pairs, strict=True)
        ds = sg.autograd.grad(ts, xs, [sg.tensor(w) for w in seeds], allow_unused=True)
    ds = [z if d is None else restrict(op, i, d.numpy()) for d, z, i in zip(ds, zero, case.leaves, strict=True)]

    def along(step):
        return inner(ws, case.tangents(case.moved(case.u, step / 3))[0])

    assert_close(inner(ds, case.u), slope(along) * 3, rtol=1e-5, atol=1e-6)


@rows([op for op in SMOOTH if op.name not in ONCE], slow=DEAR)
def test_forward_over_reverse_is_the_derivative_of_the_gradient(op):
    case = Directions(op, *sample(op))
    xs, outs = case.run()
    ws = [sg.tensor(w) for w in case.cotangents(outs)]
    gs = sg.autograd.grad(outs, xs, ws, create_graph=True)
    found = push(gs, xs, [wrap(v) for v in case.u], False)
    found = [np.zeros_like(x._data) if d is None else d.numpy() for d, x in zip(found, xs, strict=True)]
    found = [restrict(op, i, d) for i, d in zip(case.leaves, found, strict=True)]

    def along(step):
        xs, outs = case.run(case.moved(case.u, step / 3))
        gs = sg.autograd.grad(outs, xs, ws)
        return inner(case.t, [restrict(op, i, g.numpy()) for i, g in zip(case.leaves, gs, strict=True)])

    assert_close(inner(case.t, found), slope(along) * 3, rtol=1e-5, atol=1e-6)


@rows(COMPLEX)
def test_tangents_of_complex_numbers_follow_pytorchs_convention(op):
    check_adjoint(Directions(op, *_turned(op)))


@one_in(8)
@rows([op for op in SMOOTH if len(wanted(op, sample(op)[0])) > 1])
def test_one_operand_may_move_alone(op):
    operands, params = sample(op)
    for i in wanted(op, operands):
        check_adjoint(Directions(op, operands, params, [i]))


@one_in(8)
@rows([op for op in PAIRS if len(op.inputs) == 2])
def test_operands_of_other_shapes_are_broadcast(op):
    for shapes in (((3,), (2, 3)), ((2, 1), (3,)), ((), (2, 3)), ((2, 3), ())):
        operands, params = sample(op, shapes)
        every = wanted(op, operands)
        for leaves in ([every[0]], [every[-1]], every):
            outs = run(op, operands, params, leaves)[1]
            if outs:
                check_adjoint(Directions(op, operands, params, leaves))


@rows(SMOOTH)
def test_several_directions_at_once_are_as_one_by_one(op):
    case = Directions(op, *sample(op))
    xs, outs = case.run()
    map_ = Push([o._node for o in outs], [x._node for x in xs])
    together = map_([np.stack([t, u]) for t, u in zip(case.t, case.u, strict=True)], False, many_tangents)
    for k, direction in enumerate((case.t, case.u)):
        for found, one in zip(together, map_(direction, False), strict=True):
            assert (found is None) == (one is None)
            if found is not None:
                assert found.shape == (2, *one.shape)
                assert found.dtype == one.dtype
                np.testing.assert_allclose(found[k], one, rtol=1e-6 if one.dtype.itemsize == 4 else 1e-12, atol=1e-12)


@one_in(6)
@pytest.mark.parametrize("case", [0, 1, 2])
@rows(SMOOTH)
def test_several_incoming_gradients_at_once_are_as_one_by_one(op, case):
    operands, params = sample(op)
    every = wanted(op, operands)
    leaves = ([every[0]], [every[-1]], every)[case]
    xs, outs = run(op, operands, params, leaves)
    xs = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
    if not outs:
        return
    draws = [np.random.default_rng(k) for k in (1, 2)]
    seeds = [[rng.normal(size=o.shape).astype(o._data.dtype) for rng in draws] for o in outs]
    together = PullMany([o._node for o in outs], [x._node for x in xs])([np.stack(s) for s in seeds])
    for k in (0, 1):
        ones = sg.autograd.grad(outs, xs, [wrap(s[k]) for s in seeds], retain_graph=True, allow_unused=True)
        for found, one in zip(together, ones, strict=True):
            assert (found is None) == (one is None)
            if found is not None:
                assert found.shape == (2, *one.shape)
                assert found.dtype == one._data.dtype
                tolerance = 1e-6 if found.dtype.itemsize == 4 else 1e-12
                np.testing.assert_allclose(found[k], one.detach().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(-1), lambda x: x.mean((0, -1)), lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 1, 0),
        lambda x: x[0], lambda x: x[..., 1:], lambda x: x[:, None, 0], lambda x: x.unsqueeze(-1), lambda x: x.mT,
        lambda x: x.expand(5, 2, 3, 4), lambda x: x.reshape(-1, 2), lambda x: x[0].t(), lambda x: x[:, [0, 1]],
        lambda x: x.sum(0, keepdim=True), lambda x: x.cumsum(0), lambda x: x[0, 0].outer(x[0, 1]), lambda x: x @ x.mT,
        lambda x: x[0] @ x[1].T, lambda x: x[0] @ x[0, 0], lambda x: x[0, 0] @ x[0].T, lambda x: x[0, 0] @ x[0, 1],
        lambda x: sg.cat([x, x * x], 1), lambda x: sg.softmax(x, -1), lambda x: sg.linalg.eigh(x[0, :, :3])[1],
        lambda x: x[1, 1] + x * 2.0, lambda x: sg.stack(x.split(1, 0)).sum(), lambda x: (x, x[0] * x[0]),
    ],
)  # fmt: skip
def test_columns_are_the_rows_of_reverse_mode(f):
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for by_columns, by_rows in zip(*map(_leaves, (sg.jacfwd(f)(x), sg.func.jacrev(f)(x))), strict=True):
        np.testing.assert_allclose(by_columns, by_rows, rtol=1e-10, atol=1e-12)


def _leaves(value):
    return value if isinstance(value, tuple) else (value,)


# Programs -------------------------------------------------------------------------------------------------------------


def check_program(program):
    leaves = [sg.tensor(a, requires_grad=True) for a in program.leaves]
    found = differentiated(program, leaves, create_graph=True)
    if found is None:
        return
    loss, gs = found
    if not all(np.isfinite(g.numpy()).all() and np.abs(g.numpy()).max() < 1e4 for g in map(Tensor.detach, gs)):
        return
    t, u = weights(program.leaves, seed=1), weights(program.leaves, seed=2)
    (d,) = push([loss], leaves, [wrap(v) for v in t], False)
    expected = inner([g.detach().numpy() for g in gs], t)
    assert_close(0.0 if d is None else d.item(), expected, rtol=1e-9, what=repr(program))
    forward_over_reverse = push(gs, leaves, [wrap(v) for v in t], False)
    a = sum(inner([h.numpy()], [v]) for h, v in zip(forward_over_reverse, u, strict=True) if h is not None)
    (d,) = push([loss], leaves, [wrap(v) for v in t], True)
    hs = [None] * len(leaves)
    if d is not None and d.requires_grad:
        hs = sg.autograd.grad(d, leaves, allow_unused=True)
    b = sum(inner([h.numpy()], [v]) for h, v in zip(hs, u, strict=True) if h is not None)
    assert_close(a, b, rtol=1e-8, what=repr(program))


@seeds(30)
def test_tangents_of_programs_agree_with_gradients_to_second_order(seed):
    check_program(program_of(seed, smooth=True))


@seeds(20)
def test_tangents_of_programs_that_write_in_place_agree_with_gradients(seed):
    check_program(program_of(seed, smooth=False, inplace=True))


# What a user sees -----------------------------------------------------------------------------------------------------


def test_arrays_give_arrays_and_tensors_tensors():
    value, t = sg.jvp(sg.sin, (np.zeros(2),), (np.ones(2),))
    assert type(value) is type(t) is np.ndarray
    value, t = sg.jvp(sg.sin, (sg.zeros(2),), (sg.ones(2),))
    assert isinstance(value, sg.Tensor)
    assert isinstance(t, sg.Tensor)
    assert t.grad_fn is None


def test_containers_of_arguments_and_outputs_keep_their_form():
    def f(p, y):
        return {"product": p["w"] * y, "rest": (y, 2.0)}

    value, t = sg.jvp(f, ({"w": np.array([1.0, 2.0])}, 3.0), ({"w": np.array([1.0, 1.0])}, 10.0))
    np.testing.assert_allclose(value["product"], [3, 6])
    np.testing.assert_allclose(t["product"], [13, 23])
    assert t["rest"] == (10.0, 0.0)
    jacobian = sg.jacfwd(lambda p: {"a": p["w"] * p["b"], "s": p["w"].sum()})({"w": np.array([1.0, 2.0]), "b": 3.0})
    np.testing.assert_allclose(jacobian["a"]["w"], [[3, 0], [0, 3]])
    np.testing.assert_allclose(jacobian["a"]["b"], [1, 2])
    np.testing.assert_allclose(jacobian["s"]["w"], [1, 1])
    assert jacobian["s"]["b"] == 0.0


def test_aux_comes_along():
    value, t, aux = sg.jvp(lambda x: (x * x, {"twice": 2 * x}), (3.0,), (1.0,), has_aux=True)
    assert (value, t, aux["twice"]) == (9.0, 6.0, 6.0)
    jacobian, aux = sg.jacfwd(lambda a, b: (a * b, a), argnums=1, has_aux=True)(np.array([1.0, 2.0]), np.ones(2))
    np.testing.assert_allclose(jacobian, [[1, 0], [0, 2]])
    np.testing.assert_allclose(aux, [1, 2])


def test_several_arguments_of_jacfwd_give_a_tuple():
    a, b = sg.jacfwd(lambda a, b: a * b, argnums=(0, 1))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.testing.assert_allclose(a, [[3, 0], [0, 4]])
    np.testing.assert_allclose(b, [[1, 0], [0, 2]])


def test_linearize_serves_any_number_of_directions():
    x = np.array([0.3, 0.4])
    value, push_ = sg.linearize(lambda x: sg.sin(x) * x.sum(), x)
    for t in np.eye(2):
        np.testing.assert_allclose(push_(t), sg.jvp(lambda x: sg.sin(x) * x.sum(), (x,), (t,))[1])
    np.testing.assert_allclose(value, np.sin(x) * x.sum())


def test_a_hessian_is_the_same_in_all_four_orders():
    def f(x):
        return (x**3).sum() * sg.exp(x[0]) + sg.logsumexp(x, 0)

    x, v = np.array([0.2, -0.4, 1.0]), np.array([1.0, 2.0, -1.0])
    expected = sg.hessian(f)(x)
    for h in (sg.jacfwd(sg.jacfwd(f)), sg.jacfwd(sg.grad(f)), sg.jacobian(sg.jacfwd(f))):
        np.testing.assert_allclose(h(x), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.jvp(sg.grad(f), (x,), (v,))[1], expected @ v)
    np.testing.assert_allclose(sg.grad(lambda x: sg.jvp(f, (x,), (v,))[1])(x), expected @ v)


def test_nested_directions_are_not_confused():
    def inner_derivative(x):
        return sg.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert sg.jvp(lambda x: x * inner_derivative(x), (2.0,), (1.0,))[1] == 1.0


def test_tangents_keep_a_history_that_somebody_could_want():
    v = sg.tensor([1.0, 2.0], requires_grad=True)
    value, t = sg.jvp(lambda x: (x**3).sum(), (np.array([1.0, 2.0]),), (v,))
    t.backward()
    np.testing.assert_allclose(v.grad.numpy(), [3, 12])
    assert value.grad_fn is None
    a = sg.tensor(2.0, requires_grad=True)
    jacobian = sg.jacfwd(lambda x: a * x * x)(np.array([1.0, 3.0]))
    jacobian.sum().backward()
    assert a.grad.item() == 8.0
    with sg.no_grad():
        assert type(sg.jvp(lambda x: (a * x).detach(), (1.0,), (1.0,))[1]) is not sg.Tensor
        assert sg.jvp(lambda x: a * x, (sg.tensor(1.0),), (sg.tensor(1.0),))[1].grad_fn is None


def test_results_share_no_memory_with_what_was_given():
    v = np.ones(3)

    def f(x):
        y = x * 2
        return x, x[1:], y, y, y[1:]

    every = [v, *sg.jvp(f, (np.zeros(3),), (v,))[1]]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(every) for b in every[:i])


def test_branches_not_taken_are_exactly_zero():
    def root(x):
        return sg.where(x > 0, sg.sqrt(x), 0.0)

    def root_of_choice(x):
        return sg.sqrt(sg.where(x > 0, x, 0.0))

    x = np.array([0.0, -1.0, 4.0])
    for f in (root, root_of_choice):
        for t in (np.ones(3), np.array([0.0, 0.0, 1.0])):
            np.testing.assert_array_equal(sg.jvp(f, (x,), (t,))[1], [0, 0, 0.25])
        np.testing.assert_array_equal(sg.jacfwd(f)(x), np.diag([0, 0, 0.25]))
        np.testing.assert_array_equal(sg.jacfwd(sg.jacfwd(f))(x).sum((0, 1)), [0, 0, -1 / 32])


def test_what_is_steep_and_moves_is_infinite_and_nan_is_passed_through():
    assert sg.jvp(sg.sqrt, (0.0,), (1.0,))[1] == np.inf
    assert np.isnan(sg.jvp(lambda x: x * 2, (1.0,), (np.nan,))[1])
    assert np.isnan(sg.jvp(sg.exp, (np.nan,), (1.0,))[1])


def test_writes_in_place_move_tangents_too():
    def f(x):
        y = x * 1.0
        y[0] = y[1] * 3
        y[1:].mul_(x[:2])
        return y

    x, t = np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0])
    np.testing.assert_allclose(sg.jvp(f, (x,), (t,))[1], sg.jacobian(f)(x) @ t)
    np.testing.assert_allclose(sg.jacfwd(f)(x), sg.jacobian(f)(x))


def test_float32_stays_float32():
    x = np.ones(3, np.float32)
    value, t = sg.jvp(lambda x: sg.log(2 * x) * 0.5 + x.mean(), (x,), (x,))
    assert value.dtype == t.dtype == np.float32
    assert sg.jacfwd(lambda x: sg.tanh(x) / 3)(x).dtype == np.float32


def test_operands_of_mixed_dtypes_give_the_outputs_dtype():
    x, c = np.ones(2, np.float32), sg.tensor(np.array([1.0, 2.0]))
    for f in (lambda x: x + c, lambda x: c * x, lambda x: sg.cat([x, c]), lambda x: sg.where(x > 0, x, c)):
        value, t = sg.jvp(f, (x,), (x,))
        assert value.dtype == t.dtype
        assert sg.jacfwd(f)(x).dtype == value.dtype
    value, t = sg.jvp(lambda x: x + 1j, (1.0,), (1.0,))
    assert (value.dtype, t) == (np.complex128, 1 + 0j)


def test_large_constants_that_are_gone_do_not_matter():
    def f(x):
        return (x.reshape(1) + (sg.ones(20_000) * 2)).sum() + sg.addcmul(x, sg.ones(20_000), sg.ones(20_000)).sum()

    assert sg.jvp(f, (1.0,), (1.0,))[1] == 40_000.0
    np.testing.assert_allclose(sg.jacfwd(f)(1.0), 40_000.0)
    np.testing.assert_allclose(sg.jacfwd(lambda x: f(x) * x)(1.0), 40_000.0 + f(sg.tensor(1.0)).item())


def test_a_chain_of_20_000_operations_is_pushed_through():
    def f(x):
        for _ in range(20_000):
            x = x * 0.9999
        return x

    assert sg.jvp(f, (1.0,), (1.0,))[1] == pytest.approx(0.9999**20_000)


def test_hooks_change_tangents_as_they_change_gradients():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: 10 * g)
        return sg.sin(y)

    x = np.array([0.3, 0.4])
    expected = np.diag(20 * np.cos(2 * x))
    np.testing.assert_allclose(sg.jacobian(f)(x), expected)
    np.testing.assert_allclose(sg.jacfwd(f)(x), expected)
    np.testing.assert_allclose(sg.jvp(f, (x,), (np.array([1.0, 0.0]),))[1], expected[:, 0])


def test_saved_values_that_hooks_packed_are_unpacked():
    def f(x):
        with sg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), sg.tensor):
            return sg.exp(x) * x

    assert sg.jvp(f, (0.5,), (2.0,))[1] == pytest.approx(2 * 1.5 * np.exp(0.5))


def test_vectors_of_equal_eigenvalues_raise_and_the_values_do_not():
    a, e = np.diag([1.0, 1.0, 2.0]), np.zeros((3, 3))
    e[0, 1] = e[1, 0] = 1.0
    np.testing.assert_allclose(sg.jvp(sg.linalg.eigvalsh, (a,), (e,))[1], 0, atol=1e-12)
    with pytest.raises(sg.GradientError, match="the vectors have no derivative where values coincide"):
        sg.jvp(lambda a: sg.linalg.eigh(a)[1], (a,), (e,))
    with pytest.raises(sg.GradientError, match=r"linalg\.svd: the vectors have no derivative"):
        sg.jvp(lambda a: sg.linalg.svd(a)[0], (a,), (e @ np.diag([1.0, 2.0, 3.0]),))


def test_nothing_is_left_behind_without_the_garbage_collector(leaves_nothing_behind):
    def f(x):
        return sg.sin(sg.exp(x)) * sg.tanh(x) + sg.softmax(x, 0) + sg.where(x > 0, sg.sqrt(x), 0.0)

    def hooked(x):
        y = x * 2
        y.register_hook(lambda g: 10 * g)
        return y

    def once():
        x = np.array([0.3, 0.4])
        sg.jvp(f, (x,), (x,))
        sg.jacfwd(f)(x)
        sg.linearize(f, x)[1](x)
        sg.jacfwd(sg.jacfwd(f))(x)
        sg.jvp(hooked, (x,), (x,))

    assert leaves_nothing_behind(once)


# User-defined operations ----------------------------------------------------------------------------------------------


class Scaled(sg.autograd.Function):
    """a·x, with a jvp of its own that leaves a trace."""

    seen: list = []  # noqa: RUF012

    @staticmethod
    def forward(ctx, x, a):
        ctx.a = a
        return x * a

    @staticmethod
    def backward(ctx, g):
        return g * ctx.a, None

    @staticmethod
    def jvp(ctx, t, _):
        Scaled.seen.append(tuple(t.shape))
        return t * ctx.a


class Pair(sg.autograd.Function):
    """(x·y, x + y), without a jvp."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h


def test_a_functions_own_jvp_is_called():
    Scaled.seen.clear()
    assert sg.jvp(lambda x: sg.sin(Scaled.apply(x, 3.0)), (0.1,), (2.0,))[1] == pytest.approx(6 * np.cos(0.3))
    assert Scaled.seen == [()]
    np.testing.assert_allclose(sg.jacfwd(lambda x: Scaled.apply(x, 3.0))(np.ones(2)), 3 * np.eye(2))


def test_a_function_without_jvp_is_transposed():
    assert sg.jvp(Cube.apply, (2.0,), (10.0,))[1] == 120.0
    np.testing.assert_allclose(sg.jacfwd(sg.jacfwd(lambda x: Cube.apply(x)))(2.0), 12.0)
    assert sg.jvp(Pair.apply, (2.0, 3.0), (1.0, 10.0))[1] == (23.0, 11.0)
    assert sg.jvp(lambda y: Pair.apply(2.0 * y / y, y)[0], (3.0,), (1.0,))[1] == pytest.approx(2.0)


def test_a_jvp_that_needs_what_only_forward_saved_gives_way_to_the_backward():
    class Square(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x)
            ctx.x = x.detach()
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.x * g

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return 2 * x * t

    assert sg.jvp(Square.apply, (3.0,), (1.0,))[1] == 6.0


def test_a_backward_of_numbers_has_no_forward_derivative_and_says_so():
    class Once(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @sg.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2

    with pytest.raises(sg.NotDifferentiableError, match="Once has no forward derivative"):
        sg.jvp(Once.apply, (1.0,), (1.0,))


def test_a_jvp_of_the_wrong_shape_or_number_is_refused():
    class Wrong(Cube):
        @staticmethod
        def jvp(ctx, t):
            return t.reshape(1, 2)

    class Many(Cube):
        @staticmethod
        def jvp(ctx, t):
            return t, t

    with pytest.raises(sg.ShapeError, match=r"Wrong\.jvp returned one of shape \(1, 2\)"):
        sg.jvp(Wrong.apply, (np.ones(2),), (np.ones(2),))
    with pytest.raises(sg.GradientError, match=r"Many\.jvp returned 2 tangents"):
        sg.jvp(Many.apply, (np.ones(2),), (np.ones(2),))


# Symbols --------------------------------------------------------------------------------------------------------------


def test_symbols_give_formulas():
    x, t, A = sg.symbol("x", "n"), sg.symbol("t", "n"), sg.symbol("A", ("m", "n"))
    assert [str(e) for e in sg.jvp(lambda x: sg.softmax(x, 0), (x,), (t,))] == [
        "softmax(x)", "softmax(x) ⊙ (t − tᵀ softmax(x))",
    ]  # fmt: skip
    value, push_ = sg.linearize(lambda x: sg.sin(A @ x), x)
    assert (str(value), str(push_(t))) == ("sin(Ax)", "At ⊙ cos(Ax)")
    assert str(sg.jacfwd(lambda x: A @ x)(x)) == "A"
    B, E = sg.symbol("B", ("n", "n")), sg.symbol("E", ("n", "n"))
    assert [str(e) for e in sg.jvp(sg.linalg.inv, (B,), (E,))] == ["B⁻¹", "−B⁻¹EB⁻¹"]


def test_a_symbol_as_direction_or_in_the_closure_gives_formulas_too():
    t, a = sg.symbol("t", 2), sg.symbol("a")
    assert str(sg.jvp(lambda x: x**2, (np.array([1.0, 2.0]),), (t,))[1]) == "2t ⊙ x"
    assert str(sg.jvp(lambda x: a * x**2, (np.array([1.0, 2.0]),), (np.ones(2),))[1]) == "2at ⊙ x"


def test_caught_arrays_keep_their_names_in_formulas():
    A = np.arange(6.0).reshape(3, 2)
    x, t = sg.symbol("x", "n"), sg.symbol("t", "n")
    assert str(sg.jvp(lambda x: sg.exp(A @ x).sum(), (x,), (t,))[1]) == "exp(Ax)ᵀ At"


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sg.log1p(x * x).sum() * sg.tanh(x), lambda x: sg.var(sg.exp(x)), lambda x: sg.logsumexp(2 * x, 0),
        lambda x: sg.std(x * x) * x, lambda x: x / x.mean(), lambda x: sg.linalg.norm(sg.sin(x)),
        lambda x: sg.cumprod(x, 0), lambda x: sg.softmax(sg.sqrt(x), 0), lambda x: x + x.sum().reshape(1),
    ],
)  # fmt: skip
def test_formulas_of_tangents_evaluate_to_the_numbers_at_any_size(f):
    formula = sg.jvp(f, (sg.symbol("x", "n"),), (sg.symbol("t", "n"),))[1]
    for x, t in (([0.3, 0.2], [1.0, 2.0]), ([0.3, 0.7, 0.2, 0.4, 0.5], [1.0, 0.0, 2.0, -1.0, 3.0])):
        x, t = np.array(x), np.array(t)
        given = {name: a for name, a in (("x", x), ("t", t)) if name in formula.free_symbols}
        np.testing.assert_allclose(formula(**given), sg.jvp(f, (x,), (t,))[1], rtol=1e-10, atol=1e-12)


# Errors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "words"),
    [
        (np.ones(2), np.ones(2), sg.DTypeError, "primals as a tuple"),
        ((np.ones(2),), np.ones(2), sg.DTypeError, "tangents as a tuple"),
        ((np.ones(2),), (np.ones(3),), sg.ShapeError, r"primals\[0\] is of shape \(2,\), tangents\[0\] is of shape"),
        (({"a": 1.0},), ({"b": 1.0},), sg.ShapeError, r"primals\[0\]\['a'\] has no counterpart"),
        ((1.0,), (1.0, 2.0), sg.ShapeError, "primals has 1 entries, tangents has 2"),
        ((1.0,), (1j,), sg.DTypeError, "a real argument moves in a real direction"),
        ((1.0,), ("x",), sg.DTypeError, "takes numbers as tangents, got 'str'"),
        ((sg.tensor([1, 2]),), (np.ones(2),), sg.DTypeError, "floating point"),
        ((), (), sg.GradientError, "nothing to differentiate with respect to"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(primals, tangents, error, words):
    with pytest.raises(error, match=words):
        sg.jvp(lambda *x: x[0] * 2 if not isinstance(x[0], dict) else x[0]["a"], primals, tangents)


def test_columns_by_complex_arguments_are_refused():
    with pytest.raises(sg.DTypeError, match="with respect to real arguments"):
        sg.jacfwd(sg.exp)(np.array([1j]))
    np.testing.assert_allclose(sg.jacfwd(lambda x: sg.exp(1j * x))(0.3), 1j * np.exp(0.3j))


def test_functions_that_return_something_else_are_refused():
    for transform in (lambda f: sg.jvp(f, (1.0,), (1.0,)), lambda f: sg.linearize(f, 1.0), lambda f: sg.jacfwd(f)(1.0)):
        with pytest.raises(sg.FormulaError, match="returned 'str'"):
            transform(lambda x: "x")
        with pytest.raises(sg.FormulaError, match="returned no array"):
            transform(lambda x: ())
    with pytest.raises(sg.FormulaError, match=r"sg\.jvp takes a function"):
        sg.jvp(1.0, (1.0,), (1.0,))


def test_none_among_the_outputs_stays_none():
    f = lambda x: {"square": x**2, "nothing": None}
    output, tangent = sg.jvp(f, (3.0,), (1.0,))
    assert output == {"square": 9.0, "nothing": None} and tangent == {"square": 6.0, "nothing": None}
    assert sg.linearize(f, 3.0)[1](1.0) == tangent == sg.jacfwd(f)(3.0) == sg.jacobian(f)(3.0)


def test_arguments_that_are_no_numbers_are_named():
    for transform in (lambda f: sg.jvp(f, (1.0, "a"), (1.0, 1.0)), lambda f: sg.linearize(f, 1.0, "a")):
        with pytest.raises(sg.DTypeError, match=r"primals\[1\]\nIt is the str 'a'"):
            transform(lambda x, y: x)
    with pytest.raises(sg.DTypeError, match=r"sg\.taylor cannot differentiate with respect to x\['b'\]"):
        sg.taylor(lambda p: p["a"], {"a": 1.0, "b": "c"}, 2)
    with pytest.raises(sg.GradientError, match="nothing to differentiate(.|\n)*Pass an array"):
        sg.jvp(lambda: 1.0, (), ())


def test_a_graph_that_was_freed_is_refused():
    x = sg.tensor(0.5, requires_grad=True)
    y = sg.exp(x)
    y.backward()
    with pytest.raises(sg.GraphFreedError):
        push([y], [x], [sg.tensor(1.0)], False)


def test_a_value_that_was_overwritten_is_refused():
    x = sg.tensor([0.5], requires_grad=True)
    y = x * 1.0
    z = sg.exp(y) * y
    y.mul_(2.0)
    with pytest.raises(sg.InplaceError, match="modified by an inplace operation"):
        push([z], [x], [sg.tensor([1.0])], False)


def test_a_push_says_when_it_has_no_rule():
    x = sg.tensor(0.5, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g)
    with pytest.raises(NoForwardRule, match="hooks"):
        Push([sg.sin(y)._node], [x._node])


def test_the_columns_of_one_number_are_not_stacked():
    y = sg.tensor(2.0, requires_grad=True, name="y")
    for transform in (sg.jacfwd, sg.func.jacfwd):
        assert str(transform(lambda z: sg.stack([z**3, z]))(y).formula()) == "[3y², 1]"


MANY = {
    "rolled in a row": lambda x: sg.roll(x, 1), "rolled": lambda x: sg.roll(x, 1, 1),
    "kron of itself": lambda x: sg.kron(x, x), "addmm of itself": lambda x: sg.addmm(x, x, x),
    "scatter of itself": lambda x: x.scatter_add(0, sg.zeros(3, 3).long(), x),
    "diagonal replaced": lambda x: sg.diagonal_scatter(x, sg.sin(sg.diagonal(x, 0, 0, 1)), 0, 0, 1).cos(),
    "row replaced": lambda x: sg.select_scatter(x * x, sg.ones(3), 0, 1),
    "row put": lambda x: sg.select_scatter(sg.ones(3, 3), x[0], 0, 1),
    "slice replaced": lambda x: sg.slice_scatter(x, x[:1] ** 2, 0, 1, 2),
    "joined to nothing": lambda x: sg.cat([x, sg.zeros(0)], 0),
    "stacked beside a number": lambda x: sg.stack([x.sum(), sg.tensor(2.0), x[0, 0] ** 2]),
    "picked by two arrays": lambda x: x[[0, 2, 2], [1, 0, 0]] ** 2, "picked by two arrays apart": lambda x: sg.outer(
        x[0], x[1]).reshape(3, 1, 3)[[0, 2], :, [1, 1]], "picked by a mask": lambda x: x[:, [True, False, True]] ** 3,
    "put": lambda x: sg.index_put(x * x, (sg.tensor([0, 0]), sg.tensor([1, 1])), x[0, :2]),
    "rows copied twice": lambda x: sg.index_copy(x * x, 0, sg.tensor([1, 1]), x[:2]),
    "scattered twice": lambda x: sg.scatter(x * x, 1, sg.tensor([[0, 0], [2, 1], [1, 1]]), x[:, 1:] ** 3),
    "the largest of what meets": lambda x: sg.scatter_reduce(x * x, 1, sg.tensor([[0, 0], [2, 1], [1, 1]]), x, "amax"),
    "a Function of one tensor twice": lambda x: Product.apply(x, x),
}  # fmt: skip


class Product(sg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


@pytest.mark.parametrize("name", MANY)
def test_jacobians_both_ways_are_those_of_single_sweeps(name):
    f, x = MANY[name], np.random.default_rng(0).normal(size=(3, 3))
    t = sg.tensor(x, requires_grad=True)
    y = f(t)
    rows = [
        sg.autograd.grad(y, t, sg.tensor(u), retain_graph=True)[0].numpy()
        for u in np.eye(y.numel()).reshape(-1, *y.shape)
    ]
    expected = np.reshape(rows, (*y.shape, 3, 3))
    for jacobian in (sg.jacrev, sg.jacfwd):
        np.testing.assert_allclose(jacobian(f)(x), expected, rtol=1e-13, atol=1e-14)
        short = jacobian(f)(x.astype(np.float32))
        np.testing.assert_allclose(short, expected, rtol=1e-4, atol=1e-5)
    slope = sg.grad(lambda x: (f(x) ** 2).sum())
    np.testing.assert_allclose(sg.jacfwd(slope)(x), sg.jacrev(slope)(x), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("graph", [False, True])
def test_zeros_are_kept_where_a_slope_is_not_finite_and_nothing_else_is_changed(graph):
    """Asked of the sum first: one that is too large for a float is asked entry by entry."""
    ends = np.array([0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1.5e308])
    rng = np.random.default_rng(3)
    for size in (0, 1, 5, 40):
        for choice in (ends, ends[:3], ends[-1:], ends[[0, 3, 4]]):
            d, g = rng.choice(choice, size), rng.choice([0.0, 2.0, np.nan], size)
            given = (wrap(g), wrap(d)) if graph else (g, d)
            with np.errstate(all="ignore"):
                found = keep_zeros(*given, graph)
            np.testing.assert_array_equal(found._data if graph else found, np.where(~np.isfinite(d) & (g == 0), 0, d))

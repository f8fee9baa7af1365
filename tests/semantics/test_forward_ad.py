"""``autograd.forward_ad``: tangents that are computed as operations run, over and under the reverse mode."""

import functools
import threading

import numpy as np
import pytest

import symgrad as sg
import symgrad.autograd.forward_ad as fwAD
from symgrad.core import modes
from symgrad.sweep.directions import push

from ..helpers.cases import one_in
from ..helpers.rows import ONCE, SAMPLED, TWICE, arrays_of, call, is_draw, rows, sample, wanted, weights
from ..helpers.user_defined import Cube
from ..properties._programs import differentiated, program_of

X, T, V = (sg.tensor(a) for a in ([0.3, -0.7, 1.1], [1.0, -2.0, 0.5], [0.2, 0.4, -1.0]))
SMOOTH = [op for op in SAMPLED if op.kind != "constant" and wanted(op, sample(op)[0]) and not is_draw(op)]


@pytest.fixture
def level():
    with fwAD.dual_level():
        yield


def in_a_level(test):
    """The test with the fixture's level for each of its cases."""

    @functools.wraps(test)
    def run(**case):
        with fwAD.dual_level():
            test(**case)

    return run


def tangent(t):
    return fwAD.unpack_dual(t).tangent


def same(a, b, tolerance=1e-12):
    np.testing.assert_allclose(np.asarray(a.detach()), np.asarray(b.detach()), rtol=tolerance, atol=tolerance)


def both_ways(op, requires_grad, mode=sg.enable_grad):
    """The row at operands that require grad (and their tangents), and at duals of tensors that do or do not."""
    operands, params = sample(op)
    leaves = wanted(op, operands)
    ts = [sg.tensor(t) for t in weights([operands[i] for i in leaves], seed=7)]
    xs = [sg.tensor(a, requires_grad=i in leaves) if isinstance(a, np.ndarray) else a for i, a in enumerate(operands)]
    outs = [o for o in call(op, xs, params) if o.requires_grad]
    own, duals = [sg.tensor(operands[i], requires_grad=requires_grad) for i in leaves], list(operands)
    with mode():
        for i, x, t in zip(leaves, own, ts, strict=True):
            duals[i] = fwAD.make_dual(x, t)
        moved = [o for o in call(op, duals, params) if o.dtype.kind in "fc"]
    return [xs[i] for i in leaves], outs, ts, own, [duals[i] for i in leaves], moved[: len(outs)]


def like(found, outs):
    return [sg.zeros_like(o) if t is None else t for t, o in zip(found, outs, strict=True)]


@one_in(6)
@rows(SMOOTH)
@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
@in_a_level
def test_the_tangent_of_every_row_is_that_of_jvp_in_every_mode(op, mode):
    xs, outs, ts, _, _, moved = both_ways(op, False, mode)
    for o, w in zip(moved, like(push(outs, xs, ts, False), outs), strict=True):
        t = tangent(o)
        assert (tuple(t.shape), t.dtype, t.requires_grad) == (tuple(o.shape), o.dtype, False)
        same(t, w)


@one_in(12)
@rows([op for op in SMOOTH if op.name not in ONCE])
@in_a_level
def test_a_gradient_of_duals_has_the_tangent_of_the_gradient(op):
    xs, outs, ts, _, duals, moved = both_ways(op, True)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs), seed=9)]
    want = push(gs := sg.autograd.grad(outs, xs, ws, create_graph=True), xs, ts, False)
    for g, d in zip(sg.autograd.grad(moved, duals, ws), like(want, gs), strict=True):
        assert not g.requires_grad
        found = tangent(g)
        same(sg.zeros_like(d) if found is None else found, d, 1e-10)


@one_in(8)
@rows([op for op in SMOOTH if op.name not in ONCE | TWICE])
@in_a_level
def test_a_tangent_can_be_differentiated(op):
    xs, outs, ts, own, _, moved = both_ways(op, True)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs), seed=9)]

    def gradients(tangents, inputs):
        live = [(t, w) for t, w in zip(tangents, ws, strict=True) if t is not None and t.requires_grad]
        if not live:
            return [sg.zeros_like(x) for x in inputs]
        found = sg.autograd.grad([t for t, _ in live], inputs, [w for _, w in live], allow_unused=True)
        return like(found, inputs)

    want = gradients(push(outs, xs, ts, True), xs)
    for g, w in zip(gradients([tangent(o) for o in moved], own), want, strict=True):
        same(g, w, 1e-10)


# What a level is ------------------------------------------------------------------------------------------------------


def test_there_is_one_level_at_a_time(level):
    for enter in (fwAD.enter_dual_level, fwAD.dual_level().__enter__):
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
            enter()
    with pytest.raises(RuntimeError, match="was not the last one that was created"):
        fwAD.exit_dual_level(level=1)


def test_outside_a_level_nothing_moves():
    with pytest.raises(RuntimeError, match="make sure to enter_dual_level"):
        fwAD.make_dual(X, T)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fwAD.exit_dual_level()
    assert fwAD.unpack_dual(X).tangent is None
    with fwAD.dual_level():
        x = fwAD.make_dual(X, T)
        y = x * 2
        seen = fwAD.unpack_dual(y).tangent
    assert tangent(x) is None and tangent(y) is None and tangent(x * y) is None
    same(seen, 2 * T)
    with fwAD.dual_level():
        assert tangent(y) is None and tangent(y + x) is None
        fwAD.make_dual(y, T)  # it can be given one anew


def test_a_level_is_its_threads_own(level):
    x, seen = fwAD.make_dual(X, T), []
    thread = threading.Thread(target=lambda: seen.append(tangent(x * 2)))
    thread.start()
    thread.join()
    assert seen == [None]


def test_a_decorated_function_has_a_level_of_its_own():
    @fwAD.dual_level()
    def along(x, t):
        return tangent(fwAD.make_dual(x, t) ** 2)

    same(along(X, T), 2 * X * T)


@pytest.mark.parametrize(
    ("primal", "direction", "error", "words"),
    [
        (X, sg.ones(2), sg.ShapeError, "different size than that of the original Tensor"),
        (sg.tensor([1, 2]), sg.ones(2), ValueError, "Expected primal to be floating point or complex, but got: int64"),
        (X, sg.tensor([1, 2, 3]), ValueError, "Expected tangent to be floating point or complex, but got: int64"),
        (X, 1.0, sg.DTypeError, "got 'float' as tangent"),
        (X, T + 1j, sg.DTypeError, "a real tensor moves in a real direction"),
        (sg.symbol("x", 3), T, sg.DTypeError, "got a symbol"),
    ],
)
def test_a_tangent_that_does_not_fit_is_refused(primal, direction, error, words, level):
    with pytest.raises(error, match=words):
        fwAD.make_dual(primal, direction)


def test_a_dual_is_not_made_twice(level):
    with pytest.raises(RuntimeError, match="already has a forward gradient at the same level 0"):
        fwAD.make_dual(fwAD.make_dual(X, T), T)


def test_the_tangent_has_the_tensors_dtype(level):
    assert tangent(fwAD.make_dual(X.float(), T)).dtype == sg.float32
    assert tangent(fwAD.make_dual(X + 0j, T)).dtype == sg.complex128
    assert tangent(fwAD.make_dual(X, T).float()).dtype == sg.float32


def test_nothing_requires_grad_for_a_tangent(level):
    x = fwAD.make_dual(X, T)
    y = (x.sin() * 2).sum()
    assert not x.requires_grad and not y.requires_grad and y.grad_fn is None
    assert y.numpy() == (sg.sin(X) * 2).sum().numpy()
    assert tangent(x > 0) is None and tangent(x.detach()) is None and tangent(sg.zeros_like(x)) is None
    same(tangent(x.floor()), sg.zeros(3))
    with sg.inference_mode():
        assert tangent(x * 2) is None


# Views and writes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
def test_a_write_of_a_dual_moves_the_base_and_its_views(mode, level):
    with mode():
        base = sg.zeros(5)
        view = base[1:4]
        base[:3] = fwAD.make_dual(X, T)
        assert tangent(base).tolist() == [1.0, -2.0, 0.5, 0.0, 0.0]
        assert tangent(view).tolist() == [-2.0, 0.5, 0.0]
        view.mul_(10.0)
        assert tangent(base).tolist() == [1.0, -20.0, 5.0, 0.0, 0.0]
        view[0] = 3.0
        assert tangent(base).tolist() == [1.0, 0.0, 5.0, 0.0, 0.0]
        base[sg.tensor([0, 2])] = 1.0
        assert tangent(base).tolist() == [0.0] * 5


IN_PLACE = {
    "mul_": (lambda x: x.mul_(3.0), 3 * T),
    "add_ itself": (lambda x: x.add_(x), 2 * T),
    "copy_": (lambda x: x.copy_(V), 0 * T),
    "zero_": (lambda x: x.zero_(), 0 * T),
    "fill_": (lambda x: x.fill_(2.0), 0 * T),
    "setitem": (lambda x: x.__setitem__(0, 2.0), T * sg.tensor([0.0, 1.0, 1.0])),
    "unsqueeze_": (lambda x: x.unsqueeze_(0), T[None]),
    "copy_ of whole numbers": (lambda x: x.copy_(sg.tensor([1, 2, 3])), 0 * T),
    "masked_fill_": (lambda x: x.masked_fill_(x > 0, 1.0), T * sg.tensor([0.0, 1.0, 0.0])),
    "clamp_": (lambda x: x.clamp_(-0.5, 2.0), T * sg.tensor([1.0, 0.0, 1.0])),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
def test_the_tangent_follows_a_write_in_every_mode(name, mode, level):
    write, want = IN_PLACE[name]
    with mode():
        x = fwAD.make_dual(X, T).clone()
        write(x)
        same(tangent(x), want)
        same(tangent(x * x), 2 * x * want)


def test_detach_in_place_stops_a_dual_and_not_the_views_of_it(level):
    x = fwAD.make_dual(X, T).clone()
    part = x[:2].clone()
    assert x.detach_() is x and tangent(x) is None and tangent(x * 2) is None
    same(tangent(part), T[:2])


def test_a_loop_that_records_nothing_keeps_no_tangents(level):
    y = fwAD.make_dual(X, T)
    for _ in range(200):
        y = y.sin()
    assert len(modes.dual_level.get().cells) < 5


RANDOM = [{}, {"smooth": True}, {"inplace": True}, {"smooth": True, "inplace": True}]


@pytest.mark.parametrize("options", RANDOM, ids=str)
@pytest.mark.parametrize("seed", range(60, 90))
def test_random_programs_move_as_their_gradients_say(seed, options):
    program = program_of(seed, **options)
    ts = weights(program.leaves, seed=1)
    leaves = [sg.tensor(a, requires_grad=True) for a in program.leaves]
    found = differentiated(program, leaves, create_graph=True)
    if found is None:
        return
    _, gs = found
    hs = like(push(gs, leaves, [sg.tensor(t) for t in ts], False), gs)
    for requires_grad, mode in ((False, sg.enable_grad), (False, sg.no_grad), (True, sg.enable_grad)):
        with fwAD.dual_level(), mode():
            duals = [
                fwAD.make_dual(sg.tensor(a, requires_grad=requires_grad), sg.tensor(t))
                for a, t in zip(program.leaves, ts, strict=True)
            ]
            moved = program.loss(sg, duals)
            same(*like([tangent(moved)], [moved]), sum((g * t).sum() for g, t in zip(gs, ts, strict=True)), 1e-8)
            if requires_grad:
                found = sg.autograd.grad(moved, duals, materialize_grads=True)
                for g, h in zip(like(map(tangent, found), found), hs, strict=True):
                    same(g, h, 1e-7)


def test_a_constant_written_over_by_a_dual_moves(level):
    buffer = sg.ones(3)
    buffer.mul_(fwAD.make_dual(X, T))
    same(tangent(buffer), T)
    primal = X.clone()
    fwAD.make_dual(primal, T).mul_(2.0)
    assert tangent(primal) is None and primal.tolist() == (2 * X).tolist()


# Beside the reverse mode ----------------------------------------------------------------------------------------------


def test_a_backward_inside_a_level_records_nothing_and_frees_the_graph(level):
    w = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = (fwAD.make_dual(X, T) * w).pow(3).sum()
    loss.backward()
    assert not w.grad.requires_grad
    same(w.grad, 3 * X**3 * w**2)
    same(tangent(w.grad), 9 * X**2 * w**2 * T)
    same(tangent(loss), (3 * X**2 * w**3 * T).sum())
    with pytest.raises(sg.GraphFreedError):
        loss.backward()


def test_what_a_rule_saved_moves_though_nothing_else_keeps_it(level):
    w = sg.tensor(2.0, requires_grad=True)
    data = sg.linspace(0.0, 1.0, 5000)  # large: a graph holds such constants weakly
    loss = (sg.exp(fwAD.make_dual(data, sg.ones(5000)) * w)).sum()
    (g,) = sg.autograd.grad(loss, w)
    same(tangent(g), ((1 + w * data) * sg.exp(w * data)).sum(), 1e-10)


def test_one_of_several_outputs_that_is_dropped_still_moves(level):
    rng = np.random.default_rng(0)
    a, t = (sg.tensor(m + m.T) for m in rng.normal(size=(2, 4, 4)))
    x = sg.tensor(a.numpy(), requires_grad=True)
    w, _ = sg.linalg.eigh(fwAD.make_dual(x, t))
    (g,) = sg.autograd.grad((w**3).sum(), x)
    same(tangent(g), 3 * (t @ a + a @ t), 1e-9)  # the trace of a³


def test_packed_values_move(level):
    x = sg.tensor([0.3, 0.5], requires_grad=True)
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), sg.from_numpy):
        y = fwAD.make_dual(x, sg.ones(2)).exp().sin().sum()
    (g,) = sg.autograd.grad(y, x)
    same(tangent(g), sg.exp(x) * sg.cos(sg.exp(x)) - sg.exp(2 * x) * sg.sin(sg.exp(x)))


def test_a_choice_among_branches_keeps_zeros_zero(level):
    x = fwAD.make_dual(sg.tensor([0.0, 4.0]), sg.tensor([1.0, 1.0]))
    y = sg.where(x > 0, x, 0.0)
    assert tangent(sg.sqrt(y)).tolist() == [0.0, 0.25]


def test_equal_eigenvalues_have_slopes_while_their_vectors_have_not(level):
    w, v = sg.linalg.eigh(fwAD.make_dual(sg.eye(2), sg.ones(2, 2)))
    assert tangent(w).tolist() == [1.0, 1.0]
    with pytest.raises(sg.GradientError, match="where values coincide"):
        tangent(v)


def test_a_module_with_duals_for_parameters_gives_a_product_with_its_jacobian(level):
    net = sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.Tanh(), sg.nn.Linear(4, 2))
    data = sg.ones(5, 3)
    params = {name: p.detach() for name, p in net.named_parameters()}
    tangents = {name: sg.ones_like(p) for name, p in params.items()}
    duals = {name: fwAD.make_dual(p, tangents[name]) for name, p in params.items()}
    found = tangent(sg.func.functional_call(net, duals, (data,)))
    fwAD.exit_dual_level()
    want = sg.func.jvp(lambda p: sg.func.functional_call(net, p, (data,)), (params,), (tangents,))[1]
    fwAD.enter_dual_level()
    same(found, want)


# User-defined operations ----------------------------------------------------------------------------------------------


class Scaled(sg.autograd.Function):
    """x² y, with a jvp, and an output that is not smooth."""

    @staticmethod
    def forward(x, y):
        return x**2 * y, x > 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        x, y = ctx.saved_tensors
        return 2 * x * y * g, x**2 * g

    @staticmethod
    def jvp(ctx, tx, ty):
        x, y = ctx.saved_tensors
        return 2 * x * y * tx + x**2 * ty, None


@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_functions_jvp_gives_the_tangent_and_its_backward_moves(requires_grad, level):
    x = sg.tensor(X.numpy(), requires_grad=requires_grad)
    y = sg.tensor(V.numpy(), requires_grad=True)
    dual = fwAD.make_dual(x, T)
    out, positive = Scaled.apply(dual, y)
    assert tangent(positive) is None
    same(tangent(out), 2 * X * V * T)
    (g,) = sg.autograd.grad(out.sum(), y)
    same(tangent(g), 2 * X * T)
    (g,) = sg.autograd.grad(tangent(out).sum(), y)
    same(g, 2 * X * T)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_marked_result_does_not_move(requires_grad, level):
    class Marks(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 3
            ctx.mark_non_differentiable(y)
            return x * 2, y, x

        @staticmethod
        def jvp(ctx, t):
            return 2 * t, None, None

    x = sg.tensor(X.numpy(), requires_grad=requires_grad)
    moved, marked, still = map(tangent, Marks.apply(fwAD.make_dual(x, T)))
    assert marked is None and not still.any()  # None of what is not marked is zero
    same(moved, 2 * T)


@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
def test_a_function_without_jvp_has_its_backward_transposed(mode, level):
    with mode():
        y = Cube.apply(fwAD.make_dual(X, T))
        assert not y.requires_grad
        same(tangent(y), 3 * X**2 * T)
        same(tangent(Cube.apply(y)), 9 * X**8 * T)


def test_what_forward_does_with_duals_is_not_tracked(level):
    seen = []

    class Looks(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(tangent(x * 2))
            return x * 2

        @staticmethod
        def jvp(ctx, t):
            return t * 7

    same(tangent(Looks.apply(fwAD.make_dual(X, T))), 7 * T)
    assert seen == [None]


def test_a_write_of_a_function_moves_what_it_wrote_to(level):
    class Doubled(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, t):
            return 2 * t

    base = fwAD.make_dual(X, T).clone()
    Doubled.apply(base[1:])
    same(tangent(base), T * sg.tensor([1.0, 2.0, 2.0]))


# Transforms inside a level --------------------------------------------------------------------------------------------


def cubic(x):
    return (x.sin() * x**3).sum() + x.prod()


def curve(x):
    return x.sin() * x.sum()


TRANSFORMS = {
    "grad": lambda x: sg.grad(cubic)(x),
    "grad at an array": lambda x: sg.grad(lambda a: (a**3 * x).sum())(V.numpy()),
    "value_and_grad": lambda x: sg.value_and_grad(cubic)(x)[0],
    "jacrev": lambda x: sg.jacrev(curve)(x),
    "jacfwd": lambda x: sg.jacfwd(curve)(x),
    "hessian": lambda x: sg.hessian(cubic)(x),
    "hessian of a closure": lambda x: sg.hessian(lambda a: (a**3 * x).sum())(V),
    "hvp": lambda x: sg.hvp(cubic, x, V),
    "laplacian": lambda x: sg.laplacian(cubic, x),
    "diag_hessian": lambda x: sg.diag_hessian(cubic, x),
    "jvp": lambda x: sg.jvp(curve, (x,), (V,))[1],
    "vjp": lambda x: sg.vjp(curve, x)[1](V)[0],
    "linearize": lambda x: sg.linearize(curve, x)[1](V),
    "taylor": lambda x: sg.taylor(cubic, x, 2),
    "compile": lambda x: sg.compile(cubic)(x)[1],
    "func.grad": lambda x: sg.func.grad(cubic)(x),
    "func.jacrev": lambda x: sg.func.jacrev(curve)(x),
    "func.hessian": lambda x: sg.func.hessian(cubic)(x),
    "func.vjp": lambda x: sg.func.vjp(curve, x)[1](V)[0],
    "vmap": lambda x: sg.vmap(lambda a: a.sin() * V.sum())(x),
    "vmap of a gradient of a closure": lambda x: sg.vmap(sg.grad(lambda a: (a**3 * x).sum()))(V),
    "checkpoint": lambda x: sg.utils.checkpoint.checkpoint(curve, x, use_reentrant=False),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_inside_a_level_moves_with_its_arguments(name):
    f, step = TRANSFORMS[name], 1e-5
    with fwAD.dual_level():
        found = f(fwAD.make_dual(X, T))
        assert not found.requires_grad and not tangent(found).requires_grad
        found = tangent(found)
    ahead, behind = (np.asarray(f(X + h * T).detach() if isinstance(f(X), sg.Tensor) else f(X + h * T))
                     for h in (step, -step))  # fmt: skip
    np.testing.assert_allclose(found.numpy(), (ahead - behind) / (2 * step), rtol=1e-7, atol=1e-8)

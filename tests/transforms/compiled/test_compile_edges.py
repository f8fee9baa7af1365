"""Programs at edges: zeros, ties, infinities. One that was made elsewhere gives there what the tape gives."""

import itertools
import pickle
from importlib.util import find_spec

import mpmath
import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy.linalg as sg_linalg
from symgrad.autograd import forward_ad
from symgrad.transforms.tape_route import by_tape

from ...helpers.cases import one_in
from ...helpers.rows import ENTRYWISE, ONCE, RECORDED, STRUCTURED, call, is_draw, rows, sample, wanted, weights

AWAY = np.array([0.7, 1.9])
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf)
ALONE = ("complex", "polar", "damped")  # the last stands beside a factor that is 0, and formulas leave it out
ENDING = ONCE | {"lambertw"}  # programs take second derivatives of real numbers

REAL = [op for op in ENTRYWISE if all(map(np.isrealobj, sample(op)[0])) and op.name not in ALONE]
REAL = [op for op in REAL if op.name not in ENDING]
POWERS = (0, 1, 2, 3, -1, -2, 0.5, 1.5, 2.5, -0.5, 1 / 3)


pytestmark = pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")


@pytest.fixture(autouse=True, scope="module")
def _quietly():
    with np.errstate(all="ignore"):
        yield


def of_operands(n, function):
    """A function of ``n`` operands with a parameter for each."""
    return {1: lambda a: function(a), 2: lambda a, b: function(a, b), 3: lambda a, b, c: function(a, b, c)}[n]


def tape(function, arrays):
    """Value, gradients and symmetric matrix of second derivatives by the tape."""
    leaves = [sg.tensor(a, requires_grad=True) for a in arrays]
    out = function(*leaves)
    gradients = sg.autograd.grad(out, leaves, allow_unused=True, materialize_grads=True, retain_graph=True)
    return out.detach().numpy(), [g.numpy() for g in gradients], by_tape(out, leaves)


def matrix(found, n):
    """Blocks (of numbers) as a matrix."""
    return np.array([[found[i][j] if n > 1 else found for j in range(n)] for i in range(n)], float).reshape(n, n)


def in_one_number(op, params):
    """A row on numbers as a function of its operands that move, and where it is sampled."""
    operands = [np.ravel(a)[0] for a in sample(op)[0]]
    live = wanted(op, sample(op)[0])

    def function(*moving):
        full = [np.asarray(a) for a in operands]
        for i, x in zip(live, moving, strict=True):
            full[i] = x
        return op.apply(*full, *params) * 1.5

    return of_operands(len(live), function), [np.asarray(operands[i]) for i in live]


def with_powers(ops):
    return [(op, p) for op in ops for p in ([(e,) for e in POWERS] if op.name == "pow_scalar" else [sample(op)[1]])]


@one_in(32)
@pytest.mark.parametrize(("op", "params"), with_powers(REAL), ids=lambda v: getattr(v, "name", str(v)))
def test_a_program_of_a_row_gives_the_tapes_value_and_gradient_at_edges(op, params):
    function, away = in_one_number(op, params)
    n = len(away)
    compiled = sg.compile(function, "fg", argnums=tuple(range(n)))
    compiled(*away)
    for point in itertools.product(EDGES if n < 3 else (0.0, 1.0, -np.inf), repeat=n):
        value, gradients, _ = tape(function, point)
        found = compiled(*map(np.asarray, point))
        np.testing.assert_allclose(found[0], value, rtol=1e-9, err_msg=f"{point}")
        np.testing.assert_allclose(found[1], gradients, rtol=1e-9, atol=1e-15, err_msg=f"{point}")


OUTSIDE = {"xlogy"}
"""Where a is 0 and b is negative, its first derivatives are no numbers, and the tape declares the mixed one."""


@one_in(24)
@pytest.mark.parametrize(("op", "params"), with_powers(REAL), ids=lambda v: getattr(v, "name", str(v)))
def test_second_derivatives_of_a_row_at_edges_are_the_tapes_where_those_are_finite(op, params):
    function, away = in_one_number(op, params)
    n = len(away)
    argnums = tuple(range(n))
    hessian, compiled = sg.hessian(function, argnums), sg.compile(function, "h", argnums)
    hessian(*away), compiled(*away)
    finite = [e for e in EDGES if np.isfinite(e) and not (op.name in OUTSIDE and e < 0)]
    for point in itertools.product(finite if n < 3 else (0.0, 1.0), repeat=n):
        value, _, truth = tape(function, point)
        known = np.isfinite(truth) & np.isfinite(value)
        for way in (hessian, compiled):
            found = matrix(way(*map(np.asarray, point)), n)
            np.testing.assert_allclose(found[known], truth[known], rtol=1e-9, atol=1e-12, err_msg=f"{point}")


@one_in(40)
@rows(REAL)
def test_a_formula_of_a_row_has_the_tapes_slopes_at_edges_or_none(op):
    function, away = in_one_number(op, sample(op)[1])
    names = "abc"[: len(away)]
    slopes = [sg.formula(function, *map(sg.symbol, names)).grad(name) for name in names]
    for point in itertools.product((0.0, 1.0, -1.0, 2.0), repeat=len(away)):
        at = dict(zip(names, point, strict=True))
        found = np.array(
            [float(slope(**{n: at[n] for n in slope.free_symbols}, conditions="ignore")) for slope in slopes]
        )
        truth = np.array(tape(function, point)[1])
        known = np.isfinite(found) & np.isfinite(truth)  # where it divides by zero, it says that it has none
        np.testing.assert_allclose(found[known], truth[known], rtol=1e-9, atol=1e-12, err_msg=f"{point}")


@one_in(32)
@rows(REAL)
def test_double_backward_and_forward_over_reverse_agree_at_edges(op):
    function, away = in_one_number(op, sample(op)[1])
    n = len(away)
    for point in itertools.product((0.0, 1.0, -1.0, 2.0), repeat=n):
        leaves = [sg.tensor(e, requires_grad=True) for e in point]
        out = function(*leaves)
        slopes = sg.autograd.grad(out, leaves, create_graph=True, allow_unused=True, materialize_grads=True)
        if not np.isfinite([slope.item() for slope in slopes]).all():  # and zero times infinity is no number
            continue
        for i, slope in enumerate(slopes):
            back = [0.0] * n
            if slope.requires_grad:
                options = {"allow_unused": True, "materialize_grads": True, "retain_graph": True}
                back = [t.item() for t in sg.autograd.grad(slope, leaves, **options)]
            first = sg.func.grad(function, argnums=i)
            units = [tuple(map(sg.tensor, row)) for row in np.eye(n)]
            ahead = [sg.func.jvp(first, tuple(map(sg.tensor, point)), unit)[1].item() for unit in units]
            with np.errstate(invalid="ignore"):  # what does not move times an infinite slope is no number
                beside = [sum(0.0 * b for k, b in enumerate(back) if k != j and not np.isfinite(b)) for j in range(n)]
            ahead = [a for a, rest in zip(ahead, beside, strict=True) if rest == 0]
            back = [b for b, rest in zip(back, beside, strict=True) if rest == 0]
            np.testing.assert_allclose(ahead, back, rtol=1e-9, atol=1e-12, err_msg=f"{point}")


def test_the_second_derivative_of_logit_is_infinite_at_its_bounds_in_every_way():
    x = sg.tensor([0.0, 1.0], requires_grad=True)
    (slope,) = sg.autograd.grad(sg.logit(x).sum(), x, create_graph=True)
    assert sg.autograd.grad(slope.sum(), x)[0].tolist() == [-np.inf, np.inf]
    ones = sg.ones(2)
    ahead = sg.func.jvp(sg.func.grad(lambda x: sg.logit(x).sum()), (sg.tensor([0.0, 1.0]),), (ones,))[1]
    assert ahead.tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("name", ["remainder", "fmod"])
@pytest.mark.parametrize("divisor", [0.0, 2.0, -np.inf])
def test_the_whole_quotient_in_the_gradient_of_a_remainder_has_a_derivative_of_zero(name, divisor):
    a, b = sg.tensor(3.0, requires_grad=True), sg.tensor(divisor, requires_grad=True)
    (slope,) = sg.autograd.grad(getattr(sg, name)(a, b), b, create_graph=True)
    assert [g.item() for g in sg.autograd.grad(slope, (a, b))] == [0.0, 0.0]


def test_the_slope_of_a_remainder_is_the_quotient_that_it_is_made_of():
    b = sg.tensor([0.1, -np.inf], requires_grad=True)
    a = np.array([1.0, 3.0])  # 1/0.1 is 10, and yet 1 holds nine times what 0.1 is, and a rest
    (slope,) = sg.autograd.grad(sg.remainder(sg.tensor(a), b).sum(), b)
    assert slope.tolist() == (-np.floor_divide(a, b.detach().numpy())).tolist() == [-9.0, 1.0]


COMPOSED = {
    "x sin(x)/x": lambda x: (x * np.sin(x) / x).sum(),
    "x³/x²": lambda x: (x**3 / x**2).sum(),
    "1/(1/x)": lambda x: (1 / (1 / x)).sum(),
    "|x||x|": lambda x: (abs(x) * abs(x)).sum(),
    "|x|²": lambda x: (abs(x) ** 2).sum(),
    "|x²|": lambda x: abs(x**2).sum(),
    "|x| sign(x) x²": lambda x: (abs(x) * np.sign(x) * x**2).sum(),
    "x²/|x|": lambda x: (x * x / abs(x)).sum(),
    "(√x)²": lambda x: (np.sqrt(x) ** 2).sum(),
    "√x √x x": lambda x: (np.sqrt(x) * np.sqrt(x) * x).sum(),
    "√(x²)": lambda x: np.sqrt(x**2).sum(),
    "√(x⁴)": lambda x: np.sqrt(x**4).sum(),
    "exp(log(x))": lambda x: np.exp(np.log(x)).sum(),
    "cbrt(x)³": lambda x: (np.cbrt(x) ** 3).sum(),
    "‖x‖²": lambda x: np.linalg.norm(x) ** 2,
    "hypot²": lambda x: (np.hypot(x, x[::-1]) ** 2).sum(),
    "x/‖x‖": lambda x: (x / np.sqrt((x * x).sum()))[0] ** 2,
    "where √": lambda x: np.where(x > 0, np.sqrt(x), 0.0).sum(),
    "x log(x)": lambda x: (x * np.log(x)).sum(),
    "sinc²": lambda x: (np.sinc(x) ** 2).sum(),
    "x^y": lambda x: (x ** x[::-1]).sum(),
    "prod": lambda x: x.prod(),
    "max²": lambda x: x.max() ** 2,
    "relu²": lambda x: (np.maximum(x, 0) ** 2 * x).sum(),
    "Huber": lambda x: np.where(abs(x) < 1, x**2 / 2, abs(x) - 0.5).sum(),
    "x/0": lambda x: (x / np.array(0.0)).sum(),
    "x/-0": lambda x: (x / np.array(-0.0)).sum(),
    "x²/0": lambda x: (x**2 / 0.0).sum(),
    "x/zeros": lambda x: (x / np.zeros(2)).sum(),
}
POINTS = [[0.0, 0.0], [0.0, 1.0], [-0.0, 2.0], [-1.0, 2.0], [1.0, 1.0], [0.5, 2.0]]


@pytest.mark.parametrize("name", COMPOSED)
def test_what_a_program_has_simplified_away_is_there_at_edges(name):
    function = COMPOSED[name]
    ways = {outputs: sg.compile(function, outputs) for outputs in ("fgh", "g", "h")}
    ways["hessian"] = sg.hessian(function)
    for way in ways.values():
        way(AWAY)
    for point in map(np.array, POINTS):
        value, (gradient,), second = tape(function, [point])
        known = np.isfinite(second)  # where the tape has none, a program may know that an entry is 0
        f, g, h = ways["fgh"](point)
        np.testing.assert_allclose(f, value, rtol=1e-9)
        for found in (g, ways["g"](point)):
            np.testing.assert_allclose(found, gradient, rtol=1e-9, atol=1e-12)
        for found in (h, ways["h"](point), ways["hessian"](point)):
            np.testing.assert_allclose(found[known], second[known], rtol=1e-9, atol=1e-12)


def test_a_constant_with_edges_does_not_send_a_program_to_the_tape():
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    compiled = sg.compile(lambda w, X: ((np.sqrt(X) ** 2 @ w) ** 2).sum())
    compiled._eagerly = None  # the tape is not asked
    np.testing.assert_allclose(compiled(np.ones(2), X)[1], [20.0, 32.0])


def test_what_only_looks_out_for_edges_is_no_line_of_the_text():
    compiled = sg.compile(lambda x: (abs(x) ** 2).sum(), "g")
    assert "/" not in compiled.code(AWAY)
    assert compiled(np.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("shift", [0.0, 1e-12, 1e-3])
def test_near_singular_matrices_spoil_no_program_of_a_determinant(shift):
    def f(x):
        return sg.linalg.det(sg.outer(x[:2], x[:2]) + x[2] * sg.eye(2))

    regular, near = np.array([-1.234, -0.628, 2.0]), np.array([-1.234, -0.628, shift])
    true = sg.func.hessian(f)(sg.tensor(near)).numpy()
    for hessian in (sg.hessian(f), sg.compile(f, outputs="h"), lambda x: sg.hvp(f, x, np.ones(3))):
        hessian(regular)  # the program is made, and compared with the tape, where the matrix is regular
        found = hessian(near)
        np.testing.assert_allclose(found, true if found.ndim == 2 else true.sum(1), rtol=0, atol=1e-8)


@pytest.mark.parametrize("point", [np.ones((2, 2)), np.zeros((2, 2))], ids=["singular", "zero"])
def test_a_program_of_a_determinant_asks_the_tape_at_a_singular_matrix(point):
    compiled = sg.compile(np.linalg.det, "fg")
    compiled(np.eye(2) + 0.1)
    value, (gradient,), _ = tape(np.linalg.det, [point])
    np.testing.assert_allclose(compiled(point)[0], value)
    np.testing.assert_allclose(compiled(point)[1], gradient, atol=1e-15)


# ------------------------------------------------------------------------------------------ rows that move entries


def is_real(op):
    operands, params = sample(op)
    outs = call(op, [sg.as_tensor(a) if isinstance(a, np.ndarray) else a for a in operands], params)
    return all(map(np.isrealobj, operands)) and not any(o.is_complex() for o in outs)


MANY = [
    op for op in RECORDED
    if op.kind != "elementwise" and not is_draw(op) and op.name not in STRUCTURED and is_real(op)
]  # fmt: skip
CHANGED = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "ties": lambda a: np.random.default_rng(0).choice([-1.0, 0.0, 2.0], a.shape),
    "a zero": lambda a: np.where(np.arange(a.size).reshape(a.shape) == 0, 0.0, a),
}


@one_in(24)
@pytest.mark.parametrize("edge", CHANGED)
@rows(MANY)
def test_every_way_to_a_gradient_agrees_at_zeros_and_ties(op, edge):
    operands, params = sample(op)
    live = wanted(op, operands)
    changed = [np.asarray(CHANGED[edge](a)) if i in live else a for i, a in enumerate(operands)]

    def outputs(*moving):
        full = [sg.as_tensor(a) if isinstance(a, np.ndarray) else a for a in changed]
        for i, x in zip(live, moving, strict=True):
            full[i] = x
        return [o for o in call(op, full, params) if o.is_floating_point()]

    def function(*moving):
        return sum((o * w).sum() for o, w in zip(outputs(*moving), cotangents, strict=True))

    arrays = [changed[i] for i in live]
    leaves = [sg.tensor(a, requires_grad=True) for a in arrays]
    try:
        cotangents = [sg.tensor(w) for w in weights([o.numpy() for o in outputs(*map(sg.tensor, arrays))])]
        out = function(*leaves)
        if not isinstance(out, sg.Tensor):  # it has complex results only
            return
        options = {"allow_unused": True, "materialize_grads": True}
        recorded = sg.autograd.grad(out, leaves, create_graph=True, **options)
        gradients = [g.numpy() for g in sg.autograd.grad(out, leaves, **options)]
    except (np.linalg.LinAlgError, sg.GradientError):  # a singular matrix has no inverse, equal values no vectors
        return
    if not all((np.abs(g) < 1e12).all() for g in gradients):  # a decomposition of equal values has no derivative
        return
    for r, g in zip(recorded, gradients, strict=True):
        np.testing.assert_allclose(r.detach().numpy(), g, rtol=1e-9, atol=1e-12)
    for k, a in enumerate(arrays):
        v = np.random.default_rng(k).normal(size=a.shape)
        along = np.sum(gradients[k] * v)
        tangents = [sg.tensor(v if j == k else np.zeros_like(b)) for j, b in enumerate(arrays)]
        moved = sg.func.jvp(function, tuple(map(sg.tensor, arrays)), tuple(tangents))[1]
        np.testing.assert_allclose(moved.numpy(), along, rtol=1e-6, atol=1e-9)
        with forward_ad.dual_level():
            duals = [sg.tensor(b) if j != k else forward_ad.make_dual(sg.tensor(b), sg.tensor(v))
                     for j, b in enumerate(arrays)]  # fmt: skip
            tangent = forward_ad.unpack_dual(function(*duals)).tangent
        np.testing.assert_allclose(0.0 if tangent is None else tangent.numpy(), along, rtol=1e-6, atol=1e-9)
    if len(arrays) > 3:
        return
    try:
        compiled = sg.compile(of_operands(len(arrays), function), "g", argnums=tuple(range(len(arrays))))
        compiled(*[operands[i] for i in live])
    except sg.SymgradError:  # it has no program
        return
    for found, g in zip(compiled(*arrays), gradients, strict=True):
        np.testing.assert_allclose(found, g, rtol=1e-6, atol=1e-9)


INF = np.inf
MASKED = {
    "logsumexp": lambda x: sg.logsumexp(x, 0),
    "softmax": lambda x: (sg.softmax(x, 0) * sg.tensor([1.0, 2.0, 4.0])).sum(),
    "amax": lambda x: sg.amax(x, 0),
    "max": lambda x: x.max(),
    "sort": lambda x: sg.sort(x)[0][1:].sum(),
    "topk": lambda x: (sg.topk(x, 2)[0] ** 2).sum(),
    "logaddexp": lambda x: sg.logaddexp(x[0], x[1]) * x[2],
}


@pytest.mark.parametrize("name", MASKED)
def test_what_is_masked_to_minus_infinity_moves_nothing_in_any_way(name):
    function, point = MASKED[name], np.array([-INF, 1.0, 2.0])
    _, (gradient,), second = tape(function, [point])
    assert gradient[0] == 0
    assert np.isfinite(gradient).all()
    x = sg.tensor(point, requires_grad=True)
    (recorded,) = sg.autograd.grad(function(x), x, create_graph=True)
    np.testing.assert_allclose(recorded.detach().numpy(), gradient)
    columns = [sg.func.jvp(function, (sg.tensor(point),), (sg.tensor(e),))[1].item() for e in np.eye(3)]
    np.testing.assert_allclose(columns, gradient)
    np.testing.assert_allclose(sg.hessian(function)(point), second)
    try:
        compiled = sg.compile(function)
        compiled(np.array([0.5, 1.0, 2.0]))
    except sg.SymgradError:  # which entries it takes depends on values
        return
    np.testing.assert_allclose(compiled(point)[1], gradient)
    np.testing.assert_allclose(compiled(point)[2], second)


EMPTY = {
    "sum": lambda x: x.sum(),
    "prod": lambda x: x.prod(),
    "cumsum": lambda x: x.cumsum(0).sum(),
    "sort": lambda x: sg.sort(x, 1)[0].sum(),
    "softmax": lambda x: sg.softmax(x, 1).sum(),
    "logsumexp": lambda x: sg.logsumexp(x, 1).sum(),
    "product": lambda x: (x @ np.ones(3)).sum(),
    "norm": lambda x: x.norm(),
    "Gram matrix": lambda x: (x.T @ x).sum(),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_operand_has_an_empty_gradient_in_every_way(name):
    function, point = EMPTY[name], np.zeros((0, 3))
    value, (gradient,), _ = tape(function, [point])
    assert gradient.shape == (0, 3)
    moved = sg.func.jvp(function, (sg.tensor(point),), (sg.tensor(point),))
    assert (moved[0].item(), moved[1].item()) == (value.item(), 0.0)
    assert sg.hessian(function)(point).shape == (0, 3, 0, 3)
    assert sg.grad(function)(point).shape == (0, 3)


def test_a_logarithm_of_a_difference_is_no_edge_for_its_program():
    """What stays in the term keeps its edges: the tape is asked about none of them."""
    A, b = np.random.default_rng(0).uniform(-1, 1, (5, 3)), np.full(5, 4.0)
    f = sg.compile(lambda x: -np.log(b - A @ x).sum())
    x = np.array([0.1, -0.2, 0.3])
    _, gradient, hessian = f(x)
    made, leaves = f._known((x,), {})
    assert made.program.checked and made.program.run(made.values(leaves)) is not None
    np.testing.assert_allclose(gradient, A.T @ (1 / (b - A @ x)))
    np.testing.assert_allclose(hessian, A.T @ np.diag((b - A @ x) ** -2.0) @ A)


def _total(x):
    return (x**2 * np.sin(x)).sum()


@pytest.mark.parametrize("target", ["numpy", "numba", "jax", "torch"])
def test_a_compiled_function_that_was_called_can_be_pickled(target):
    if target != "numpy":
        pytest.importorskip(target)
    point = np.ones(2)
    given = point.astype(np.float32) if target == "jax" else point  # what JAX takes without a flag
    if target == "torch":
        given = pytest.importorskip("torch").as_tensor(point)
    compiled = sg.compile(_total, target=target)
    compiled(given)
    again = pickle.loads(pickle.dumps(compiled))
    truth = sg.compile(_total)(point)
    for mine, known in zip(again(given), truth, strict=True):
        np.testing.assert_allclose(np.asarray(mine), known, rtol=1e-6)


def test_a_call_with_other_arguments_names_the_function():
    with pytest.raises(TypeError, match=r"^_total\(x\) is called with other arguments: too many positional arguments"):
        sg.compile(_total)(np.ones(2), 3)


@pytest.mark.parametrize("outputs", ["g", "h"])
@pytest.mark.parametrize("f", [
    lambda x, k: (np.take_along_axis(x, k, 0) ** 3).sum(), lambda x, k: (x[k[:, None]] * x[k[None, :]]).sum(),
    lambda x, k: sum([x[j] ** 3 for j in k]), lambda x, k: (np.take(x, k) ** 3).sum(),
])  # fmt: skip
def test_indices_that_are_arguments_may_be_any(f, outputs):
    x, first = np.array([1.0, 2.0, -0.5, 4.0, 0.3]), np.array([0, 1, 2])
    compiled = sg.compile(f, outputs)
    compiled(x, first)
    for k in (first + 2, np.array([-1, 0, -5]), np.array([3, 3, 3])):
        truth = (sg.grad if outputs == "g" else sg.hessian)(f)(x, k)
        np.testing.assert_allclose(compiled(x, k), truth, rtol=1e-12)
    for beyond in (5, -6):
        with pytest.raises(IndexError):
            compiled(x, np.array([beyond, 0, 0]))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64, bool])
def test_arithmetic_of_whole_numbers_that_may_wrap_around_is_refused(dtype):
    k = np.array([1, 0, 1], dtype)
    with pytest.raises(sg.SymbolicBranchError, match="wrap around"):
        sg.compile(lambda x, k: (x * (k * k)).sum())(np.ones(3), k)
    value, gradient, _ = sg.compile(lambda x, k: (x**2 * k).sum())(np.ones(3), k)
    assert value == 2 and (gradient == [2, 0, 2]).all()


def test_the_slope_of_sinc_near_zero():
    """(cos(πx) − sinc(x))/x has no digits there, a program takes the power series; limits by mpmath."""
    x = np.array([0.0, 1e-12, -1e-8, 1e-4, 0.2999, 0.3001, -2.3])
    f = lambda x: np.sinc(x).sum()
    slope = lambda t, k: float(mpmath.diff(lambda s: mpmath.sinc(mpmath.pi * s), mpmath.mpf(float(t)), k))
    with mpmath.workdps(40):
        first, second = ([slope(t, k) for t in x] for k in (1, 2))
    gradient, matrix = sg.compile(f, "gh")(x)
    np.testing.assert_allclose(gradient, first, rtol=1e-14, atol=1e-30)
    np.testing.assert_allclose(np.diag(matrix), second, rtol=1e-13)


@pytest.mark.parametrize(
    ("transform", "letter"), [(sg.hessian, "h"), (sg.grad, "g"), (sg.value_and_grad, "fg"), (sg.jacobian, "j")]
)
def test_a_derivative_that_is_an_array_is_refused_before_it_is_traced(transform, letter):
    def f(x):
        raise AssertionError("it was traced")

    with pytest.raises(sg.ShapeError, match=rf'Compile the function itself, sg.compile\(f, "{letter}"\)'):
        sg.compile(transform(f))(np.ones(3))


def test_a_derivative_that_is_a_number_is_differentiated():
    of_number = sg.compile(sg.hessian(lambda t: t**4))(2.0)
    np.testing.assert_allclose(of_number, (48.0, 48.0, 24.0))
    np.testing.assert_allclose(sg.compile(sg.grad(lambda a, x: (a * a * x).sum()))(2.0, np.ones(3)), (12.0, 6.0, 0.0))


def test_another_program_of_a_function_knows_the_values_that_its_rules_ask_for():
    def f(q):
        logarithm = sg_linalg.logm(q.reshape(2, 2) + 2 * np.eye(2))
        return logarithm[0, 1] * logarithm[1, 0]

    q = np.array([1.3, 0.4, 0.3, 0.8])
    first = sg.compile(f, "fg")
    np.testing.assert_allclose(first(q)[1], sg.grad(f)(q))
    with pytest.raises(sg.GradientError, match="has no formula"):  # and no v1 without a value
        sg.compile(f, "fgh")(q)


@pytest.mark.parametrize(
    ("outputs", "said"), [("f", "Use the function itself"), ("fg", "Use sg.grad"), ("h", "Hessian")]
)
def test_of_complex_numbers_the_error_speaks_of_what_was_asked_for(outputs, said):
    with pytest.raises(sg.SymgradError, match=said):
        sg.compile(lambda z: (abs(z) ** 2).sum(), outputs)(np.array([1 + 2j]))


def test_a_product_with_a_sum_of_no_entries_has_an_order():
    x, w = np.ones((2, 2)), np.arange(4.0).reshape(2, 2)
    found = sg.compile(lambda x: (((v := x[::-1] * x)[np.zeros(0, int)].sum() + v) * w).sum(), "fg")(x)
    assert found[0] == 6 and found[1].tolist() == [[2, 4], [2, 4]]


def test_data_that_tie_refuse_nothing():
    """They have names in the first run only, and are the numbers that they are in the one that counts."""
    data = np.array([1.0, 1.0, 0.0])
    compiled = sg.compile(lambda x: (x**2).sum() * np.array(data).max(), "fg")
    np.testing.assert_array_equal(compiled(np.ones(3))[1], 2 * np.ones(3))


def test_a_number_and_arrays_have_programs_of_their_own():
    """An array in the place of a number that was differentiated is no number: each shape and dtype has another."""
    fg = sg.compile(lambda x, k: np.mean(k * x**3), "fg")
    for x in (2.0, np.ones(2), np.arange(3.0), np.arange(3.0, dtype=np.float32), 3.0):
        value, slope = fg(x, 1.5)
        np.testing.assert_allclose(value, 1.5 * np.mean(x**3))
        np.testing.assert_allclose(slope, 4.5 * np.square(x) / np.size(x))
        assert slope.dtype == np.asarray(x).dtype


def test_arrays_of_a_class_or_of_swapped_bytes_have_no_program_of_others():
    """A mask is not lost where a program is there, also of a call with a number or by keyword."""
    x = np.array([1.0, 2.0])
    masked, swapped = np.ma.array(x, mask=[True, False]), x.astype(">f8")
    g = sg.compile(lambda x, k: (k * x**2).sum(), "g")
    for args, kwargs in (((), {"k": 1.5}), ((1.5,), {}), ((np.array(1.5),), {})):
        for given in (x, swapped, x):
            found = g(given, *args, **kwargs)
            assert found.dtype.str == given.dtype.str
            np.testing.assert_allclose(found, 3 * x)
        with pytest.raises(sg.DTypeError, match="MaskedArray"):
            g(masked, *args, **kwargs)


@pytest.mark.parametrize("target", ["numpy", "numba"] if find_spec("numba") else ["numpy"])
@pytest.mark.parametrize(("f", "x", "slope"), [
    (lambda x: np.hypot(x, 2.0).sum(), [1e160], [1.0]),
    (lambda x: np.hypot(x, 1 + x**2).sum(), [1e80, 1.0, 2.0], [2e80, 5**0.5, 22 / 29**0.5]),
    (lambda x: np.hypot(x[0], x[1]), [3e-162, 4e-162], [0.6, 0.8]),
    (lambda x: np.hypot(x[0], x[1]), [3e200, -4e200], [0.6, -0.8]),
])  # fmt: skip
def test_the_slope_of_hypot_keeps_its_digits_where_squares_overflow_or_underflow(f, x, slope, target):
    compiled = sg.compile(f, "g", target=target)
    for at in (np.ones(len(x)), np.array(x)):  # made at one point, asked for at the other
        got = compiled(at)
    np.testing.assert_allclose(got, slope, rtol=1e-12)


def test_hypot_squared_has_no_slope_at_the_origin_as_on_the_tape():
    f = lambda x: np.hypot(x[0], x[1]) ** 2
    assert np.isnan(sg.compile(f, "g")(np.zeros(2))).all() and np.isnan(sg.grad(f)(np.zeros(2))).all()

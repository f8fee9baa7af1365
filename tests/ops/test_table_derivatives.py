"""Every row's first and second derivatives, against SymPy and against numbers."""

import functools

import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg
from symgrad.core import TABLE, Tensor

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close, assert_gradient
from ..helpers.rows import (
    DEAR,
    EDGES,
    ENTRYWISE,
    INTO_FIRST,
    ONCE,
    RECORDED,
    arrays_of,
    call,
    is_draw,
    is_float,
    project,
    restrict,
    rows,
    sample,
    tensors,
    wanted,
    weights,
)

SMOOTH = [op for op in RECORDED if not is_draw(op)]
STEPS = [op for op in ENTRYWISE if set(op.rules) == {0}]
REAL_TWINS = [
    op
    for op in ENTRYWISE
    if isinstance(op.sympy, str)
    and op not in STEPS
    and all(np.isrealobj(a) for a in (*sample(op)[0], *call(op, *sample(op))))
]


class Case:
    """A row at a point: its gradients by symgrad, for any cotangent, at any other point too."""

    def __init__(self, op, operands, params):
        self.op, self.operands, self.params = op, list(operands), params
        self.leaves = wanted(op, operands)
        self.cotangents = weights([o for o in call(op, operands, params) if np.asarray(o).dtype.kind in "fc"])

    def put(self, i, x):
        """The operands with ``x`` in place ``i``."""
        return [*self.operands[:i], restrict(self.op, i, x), *self.operands[i + 1 :]]

    def loss(self, operands):
        """A random projection of the outputs, on arrays."""
        outs = [o for o in call(self.op, operands, self.params) if np.asarray(o).dtype.kind in "fc"]
        return project(outs, self.cotangents)

    def gradients(self, operands=None, cotangents=None, graph=False):
        """The gradients of `loss` by symgrad; with ``graph`` also the tensors they were taken at."""
        ts = tensors(self.operands if operands is None else operands, self.leaves)
        outs = [o for o in call(self.op, ts, self.params) if o.requires_grad]
        ws = [sg.tensor(w, requires_grad=graph) for w in (self.cotangents if cotangents is None else cotangents)]
        xs = [ts[i] for i in self.leaves]
        first = sg.autograd.grad(outs, xs, grad_outputs=ws, create_graph=graph)
        if graph:
            return first, xs, ws
        return [restrict(self.op, i, g) for i, g in zip(self.leaves, arrays_of(first), strict=True)]

    def second(self, u):
        """The gradients of Σ Re⟨u, gradients⟩ with respect to the operands and to the cotangents."""
        first, xs, ws = self.gradients(graph=True)
        u = [restrict(self.op, i, v) for i, v in zip(self.leaves, u, strict=True)]
        pairs = [(g, v) for g, v in zip(first, u, strict=True) if g.requires_grad]
        if not pairs:
            return [np.zeros(t.shape, t.dtype) for t in (*xs, *ws)]
        gs, vs = zip(*pairs, strict=True)
        found = sg.autograd.grad(gs, (*xs, *ws), grad_outputs=[sg.tensor(v) for v in vs], allow_unused=True)
        return [np.zeros(t.shape, t.dtype) if d is None else d.numpy() for d, t in zip(found, (*xs, *ws), strict=True)]

    def check_first(self):
        for i, g in zip(self.leaves, self.gradients(), strict=True):
            loss = lambda x, i=i: self.loss(self.put(i, x))
            assert_gradient(g, loss, self.operands[i], analytic=True, what=f"gradient of operand {i}")

    def check_second(self):
        u = weights([self.operands[i] for i in self.leaves], seed=2)
        found = self.second(u)
        by_x, by_w = found[: len(self.leaves)], found[len(self.leaves) :]
        for i, d in zip(self.leaves, by_x, strict=True):
            slope = lambda x, i=i: project(self.gradients(self.put(i, x)), u)
            what = f"second derivative by operand {i}"
            assert_gradient(restrict(self.op, i, d), slope, self.operands[i], rtol=1e-6, what=what)
        for k, d in enumerate(by_w):

            def of_cotangent(w, k=k):
                return project(self.gradients(cotangents=[*self.cotangents[:k], w, *self.cotangents[k + 1 :]]), u)

            assert_gradient(d, of_cotangent, self.cotangents[k], rtol=1e-6, what="derivative by the cotangent")


# Real numbers --------------------------------------------------------------------------------------------------------


@rows(SMOOTH)
def test_gradient_is_the_derivative_of_the_forward(op):
    Case(op, *sample(op)).check_first()


@one_in(4)
@rows([op for op in SMOOTH if op.name not in ONCE], slow=DEAR)
def test_second_derivative_is_the_derivative_of_the_gradient(op):
    Case(op, *sample(op)).check_second()


@rows([op for op in SMOOTH if op.name in ONCE])
def test_a_second_derivative_that_there_is_not_raises_by_name(op):
    with pytest.raises(sg.NotDifferentiableError, match=f"the derivative of '{op.name}.*' with respect to its input"):
        Case(op, *sample(op)).check_second()


@one_in(6)
@rows(REAL_TWINS)
def test_partials_are_the_sympy_twins_derivatives(op):
    import sympy

    names = (*op.inputs, *op.params)
    symbols = [sympy.Symbol(n, real=True) for n in names]
    expression = sympy.sympify(op.sympy, locals=dict(zip(names, symbols, strict=True)))
    operands, params = sample(op)
    ts = tensors(operands, wanted(op, operands))
    found = sg.autograd.grad(call(op, ts, params)[0].sum(), [ts[i] for i in wanted(op, operands)])
    for i, g in zip(wanted(op, operands), found, strict=True):
        partial = sympy.diff(expression, symbols[i])
        for entry, actual in zip(zip(*(a.ravel() for a in operands), strict=True), g.numpy().ravel(), strict=True):
            expected = partial.subs(dict(zip(symbols, (*entry, *params), strict=True))).evalf(20)
            assert_close(
                actual, float(expected), rtol=1e-11, atol=1e-12, what=f"d {op.sympy} / d {names[i]} at {entry}"
            )


# Linear and multilinear rows -----------------------------------------------------------------------------------------


def _inner(a, b):
    return float(np.real(np.vdot(a, b)))


def _combined(op, operands, params, i, rng):
    """f(…, 2x - 3z, …) and 2 f(…, x, …) - 3 f(…, z, …), for operand ``i``."""
    x = operands[i]
    z = weights([x], seed=5)[0]

    def f(v):
        return np.asarray(call(op, [*operands[:i], v, *operands[i + 1 :]], params)[0])

    return f(2 * x - 3 * z), 2 * f(x) - 3 * f(z)


@rows([op for op in SMOOTH if op.kind in ("linear", "multilinear")])
def test_forward_is_linear_in_each_operand(op):
    operands, params = sample(op)
    for i in wanted(op, operands):
        together, apart = _combined(op, operands, params, i, np.random.default_rng(0))
        assert_close(together, apart, rtol=_rtol(together), atol=_rtol(together))


def _rtol(a):
    return 1e-12 if a.dtype.name in ("float64", "complex128") else 1e-5


@rows([op for op in SMOOTH if op.kind == "linear"])
def test_transpose_is_the_transpose(op):
    operands, params = sample(op)
    case = Case(op, operands, params)
    y = np.asarray(call(op, operands, params)[0])
    (d,) = case.gradients()
    np.testing.assert_allclose(_inner(y, case.cotangents[0]), _inner(operands[0], d), rtol=_rtol(y))


@rows([op for op in SMOOTH if op.kind in ("linear", "multilinear")])
def test_second_derivative_in_the_same_operand_is_zero(op):
    operands, params = sample(op)
    for i in wanted(op, operands):
        ts = tensors(operands, [i])
        outs = call(op, ts, params)
        ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
        (g,) = sg.autograd.grad(outs, ts[i], grad_outputs=ws, create_graph=True)
        if g.requires_grad:
            (h,) = sg.autograd.grad(
                g, ts[i], grad_outputs=sg.tensor(weights([g.detach().numpy()])[0]), allow_unused=True
            )
            assert h is None or not h.numpy().any()


# Complex numbers -----------------------------------------------------------------------------------------------------


def _turned(op):
    """The row's sample with complex operands, or None where it refuses them (a row that takes them differentiates)."""
    operands, params = sample(op)
    rng = np.random.default_rng(3)
    if any(is_float(a) and a.dtype.kind == "c" for a in operands):
        return None  # tested above
    operands = [
        a + 0.2j * rng.uniform(0.6, 2, a.shape) * rng.choice([-1, 1], a.shape) if is_float(a) else a for a in operands
    ]
    operands = [restrict(op, i, a) if is_float(a) else a for i, a in enumerate(operands)]
    try:
        outs = call(op, operands, params)
        sg_outs = call(op, tensors(operands, ()), params)
    except Exception:
        return None
    try:
        Case(op, operands, params).gradients()
    except sg.GradientError:  # the projection depends on the vectors' phases
        return None
    except Exception:  # for the tests to report
        return operands, params
    ok = all(np.isfinite(o).all() for o in map(np.asarray, outs)) and all(isinstance(o, Tensor) for o in sg_outs)
    return (operands, params) if ok else None


COMPLEX = [op for op in SMOOTH if _turned(op)]


@one_in(4)
@rows(COMPLEX)
def test_complex_gradients_follow_pytorchs_convention(op):
    Case(op, *_turned(op)).check_first()  # df/dRe + i df/dIm, of the real number Re⟨w, f⟩


@rows(COMPLEX, slow=DEAR)
def test_complex_second_derivatives_follow_it_too(op):
    Case(op, *_turned(op)).check_second()


@one_in(6)
@rows([op for op in COMPLEX if sum(map(is_float, sample(op)[0])) > 1])
def test_a_real_operand_beside_complex_ones_gets_a_real_gradient(op):
    turned, params = _turned(op)
    real = sample(op)[0]
    for i in wanted(op, real):
        operands = [*turned[:i], real[i], *turned[i + 1 :]]
        try:
            case = Case(op, operands, params)
        except Exception:
            continue  # refused, or the imaginary part would be lost
        case.check_first()
        assert case.gradients()[case.leaves.index(i)].dtype == np.float64


# Near the edges and far out -------------------------------------------------------------------------------------------

FAR = [1e-100, 1e-20, 1e-8, 1e-3, 0.3, 0.9, 1.5, 5.0, 7.3, 20.0, 37.0, 100.0, 700.0, 1e4]
NEAR = [1 - 2.0**-k for k in (10, 30, 53)]
PLACES = {
    "real": [s * v for v in FAR for s in (1, -1)],
    "nonzero": [s * v for v in FAR[:12] for s in (1, -1)],  # sinc: from there on π x decides how exact it can be
    "positive": [*FAR, *NEAR],
    "unit": [s * v for v in [*FAR[:6], *NEAR] for s in (1, -1)],
    "probability": [*FAR[:6], *NEAR],
    "above_one": [*[2 - v for v in NEAR[:-1]], *FAR[6:]],
}
for name in ("normal_hazard", "normal_hazard_excess", "log_ndtr"):  # below, 400 digits of their twins cancel
    PLACES[name] = [p for p in PLACES["real"] if p > -40]
PLACES["bessel_ie_order"] = [p for p in PLACES["real"] if abs(p) > 1e-50]  # nearer, mpmath's series do not converge
TWINS_IN_MPMATH = {"lgamma": "loggamma(x)"}  # SymPy has no derivative of log(abs(gamma(x)))
FROM_THE_RESULT = {"tanh", "sigmoid", "expm1"}
"""Slopes that are computed from a result that saturates, so that the operand may be written over, as in PyTorch: they
are exact to a rounding of 1."""


CHECKED_ELSEWHERE = {"bessel_ke", "airy_ai", "airy_bi", "gegenbauer", "chebyshev_t"}
"""Rows whose twins SymPy and mpmath do not follow so far out."""


def twin_in_mpmath(op):
    """By order, the derivative of a row's twin by its first operand, as a function of mpmath's numbers."""
    import mpmath
    import sympy

    names = (*op.inputs, *op.params)
    symbols = [sympy.Symbol(n, real=True) for n in names]
    twin = sympy.sympify(TWINS_IN_MPMATH.get(op.name, op.sympy), locals=dict(zip(names, symbols, strict=True)))
    unknown = {"DiracDelta": lambda *x: 0, "assoc_laguerre": mpmath.laguerre}  # to SymPy's printer for mpmath
    return functools.cache(
        lambda order: sympy.lambdify(symbols, twin.diff(symbols[0], order).doit(), [unknown, "mpmath"])
    )


@one_in(6)
@rows([op for op in REAL_TWINS if len(op.inputs) == 1 and op.holomorphic and op.name not in CHECKED_ELSEWHERE])
def test_partials_are_as_exact_near_the_edges_and_far_out_as_their_operand_is(op):
    import mpmath

    points, params = np.array(PLACES.get(op.name) or PLACES[op.domain]), sample(op)[1]
    derivative = twin_in_mpmath(op)

    def exactly(order, at, digits):
        try:
            with mpmath.workdps(digits):
                return mpmath.re(derivative(order)(mpmath.mpf(at), *params))
        except ZeroDivisionError:  # so few digits that nothing is left of a denominator
            return mpmath.nan

    x = sg.tensor(points, requires_grad=True)
    (found,) = sg.autograd.grad(op.apply(x, *params).sum(), x)
    for p, ours in zip(points.tolist(), found.numpy().tolist(), strict=True):
        if any(abs(ours - d) <= 1e-12 * abs(d) + 1e-300 for d in (exactly(1, p, n) for n in (40, 400, 1600))):
            continue
        d, bend = exactly(1, p, 1600), exactly(2, p, 1600)  # what a rounding of the operand makes of it, no more
        allowed = 1e-15 * abs(p * bend) + 4e-16 * (op.name in FROM_THE_RESULT)
        assert abs(d) > 1e300 or abs(ours - d) <= allowed, f"{op.name}'({p}) = {ours}, not {mpmath.nstr(d, 17)}"


@rows([op for op in ENTRYWISE if op.name not in INTO_FIRST and all(map(np.isrealobj, sample(op)[0]))], slow=DEAR)
def test_forward_mode_and_reverse_mode_agree_at_edges(op):
    operands, params = sample(op)
    live = wanted(op, operands)
    places = np.meshgrid(*[EDGES] * len(live), indexing="ij")
    if len(live) > 2:  # of four operands 4,096 places: each pair of edges is met by two hundred of them, too
        chosen = np.random.default_rng(0).choice(places[0].size, 200, replace=False)
        places = [a.ravel()[chosen] for a in places]
    points = [places[live.index(i)] if i in live else np.asarray(a).flat[0] for i, a in enumerate(operands)]
    for i in live:
        x = sg.tensor(points[i], requires_grad=True)
        call_at = lambda t, i=i: call(op, [t if j == i else sg.as_tensor(p) for j, p in enumerate(points)], params)[0]
        y = call_at(x)
        if not y.requires_grad or y.is_complex():
            continue
        ones = np.ones(points[i].shape)
        (back,) = sg.autograd.grad(y, x, sg.tensor(ones), retain_graph=True)
        (recorded,) = sg.autograd.grad(y, x, sg.tensor(ones), create_graph=True)
        forward = sg.jvp(call_at, (points[i],), (ones,))[1]
        np.testing.assert_allclose(recorded.detach().numpy(), back.numpy(), rtol=1e-12)
        np.testing.assert_allclose(forward, back.numpy(), rtol=1e-12)


FLAT_FAR_OUT = {
    "erf": (1, -1),
    "erfc": (1, -1),
    "ndtr": (1, -1),
    "normal_pdf": (1, -1),
    "bell": (1, -1),
    "log_ndtr": (1,),
}


@pytest.mark.parametrize("far", [np.inf, 1e200, 1e20, 50.0])
@pytest.mark.parametrize("name", FLAT_FAR_OUT)
def test_what_falls_off_as_a_normal_density_has_derivatives_of_zero_far_out(name, far):
    for sign in FLAT_FAR_OUT[name]:
        x = y = sg.tensor(sign * far, requires_grad=True)
        y = TABLE[name].apply(x)
        for _ in range(5):
            (y,) = sg.autograd.grad(y, x, create_graph=True)
            assert y.item() == 0
        slopes = sg.jacfwd(sg.jacfwd(sg.jacrev(TABLE[name].apply)))(np.array(sign * far))
        assert slopes == 0


def test_the_slope_of_gelu_far_out_is_that_of_its_branch():
    assert sg.grad(lambda x: sg.nn.functional.gelu(x).sum())(np.array([np.inf, -np.inf, 1e300])).tolist() == [1, 0, 1]
    assert sg.hessian(lambda x: sg.nn.functional.gelu(x))(np.array(np.inf)) == 0


def test_an_ordered_probit_with_infinite_cut_points_has_the_hessian_of_large_ones():
    features = np.array([[0.3, -0.4], [-0.2, 0.7], [0.5, 0.1]])

    def loss(end):
        cuts = np.array([-end, -0.5, 0.3, end])
        f = lambda b: -np.log(sc.ndtr(cuts[1:] - features @ b) - sc.ndtr(cuts[:-1] - features @ b)).sum()
        b = np.array([0.7, -0.3])
        return f(b), sg.grad(f)(b), sg.hessian(f)(b), sg.jacfwd(sg.grad(f))(b), sg.hvp(f, b, b)

    for found, expected in zip(loss(np.inf), loss(30.0), strict=True):
        assert_close(found, expected, rtol=1e-13)


def test_formulas_say_nothing_of_what_keeps_infinities_apart():
    x = sg.symbol("x", "n")
    assert str(sg.formula(lambda x: sc.ndtr(x).sum(), x).grad("x").grad("x")) == "−diag(x ⊙ φ(x))"
    t = sg.tensor([0.5, np.inf], requires_grad=True, name="t")
    (g,) = sg.autograd.grad(sc.erf(t).sum(), t, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), t, create_graph=True)
    assert h.tolist()[1] == 0 and "damped" not in str(h.formula())


@pytest.mark.parametrize(("name", "of_a", "of_b"), [  # as PyTorch 2.13 has them
    ("maximum", [1, 1, 1, 0.5, 1], [1, 1, 1, 0.5, 0]), ("minimum", [1, 1, 1, 0.5, 0], [1, 1, 1, 0.5, 1]),
    ("fmax", [0, 1, 1, 1, 1], [1, 0, 0, 0, 0]), ("fmin", [0, 1, 1, 1, 0], [1, 0, 0, 0, 1]),
])  # fmt: skip
def test_a_choice_by_size_hides_no_nan_from_its_gradient(name, of_a, of_b):
    a = sg.tensor([np.nan, 1, np.nan, 2, 3], requires_grad=True)
    b = sg.tensor([1, np.nan, np.nan, 2, 1], requires_grad=True)
    getattr(sg, name)(a, b).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == (of_a, of_b)


@pytest.mark.parametrize("choose", [np.maximum, np.minimum])
def test_what_is_computed_of_such_a_choice_is_nan(choose):
    f = lambda s: (choose(s - np.array([80.0, 100.0, 120.0]), 0) ** 2).sum()
    for found in (sg.grad(f)(np.nan), sg.jvp(f, (np.nan,), (1.0,))[1], *sg.compile(f, "fg")(np.nan)):
        assert np.isnan(found)
    larger = ">" if choose is np.maximum else "<"
    assert str(sg.formula(lambda x: choose(x, 2.0), sg.symbol("x")).grad("x")) == f"where(x = 2, 1/2, 1[x {larger} 2])"

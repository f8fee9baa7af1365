"""Constraints and their errors, transforms, what is printed, one's own classes, and symgrad's functions of all this."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.stats as st

import symgrad as sg
from symgrad import distributions as D
from symgrad.distributions import constraints, transforms

from ._families import CASES, IDS

# Errors --------------------------------------------------------------------------------------------------------------

NAN = float("nan")
WRONG = [
    (lambda: D.Normal(0.0, -1.0), r"parameter scale .*Normal\(loc: 0.0, scale: -1.0\).*GreaterThan.*\nIt is -1\.\nexp"),
    (lambda: D.Normal(sg.zeros(3), sg.tensor([1.0, 0.0, -2.0])), r"\n2 of 3 do not: the first, at \[1\], is 0\."),
    (lambda: D.Normal(NAN, 1.0), r"loc .*Real\(\)\nIt is nan"),
    (lambda: D.Normal(0.0, 1.0).log_prob(sg.tensor(NAN)), r"value argument .*support \(Real\(\)\).*\nIt is nan"),
    (lambda: D.Bernoulli(1.5), r"probs.*Interval\(lower_bound=0.0, upper_bound=1.0\)\nIt is 1.5\.\nsigmoid"),
    (lambda: D.Bernoulli(0.5).log_prob(sg.tensor(0.3)), r"Boolean\(\).*\nIt is 0.3\.\nPass 0 or 1"),
    (lambda: D.Bernoulli(), r"Either `probs` or `logits`.*\nBernoulli was given none"),
    (lambda: D.Bernoulli(probs=0.5, logits=0.0), r"Either `probs` or `logits`.*\nBernoulli was given probs and logits"),
    (lambda: D.Poisson(1.0).log_prob(sg.tensor(0.5)), r"IntegerGreaterThan\(lower_bound=0\).*\nIt is 0.5"),
    (lambda: D.Binomial(1.5, 0.5), r"total_count.*\nIt is 1.5\.\nA count"),
    (lambda: D.Binomial(3, 0.5).log_prob(sg.tensor(4.0)), r"IntegerInterval\(lower_bound=0, upper_bound=3.0\)"),
    (lambda: D.Categorical(sg.tensor([0.5, -0.5])), r"probs .*Simplex\(\)\nIt is \[ 0.5 -0.5\]\.\nsoftmax"),
    (lambda: D.Categorical(sg.zeros(3)), r"Simplex\(\)"),
    (lambda: D.Categorical(sg.ones(3)).log_prob(sg.tensor([0, 3])), r"\n1 of 2 do not: the first, at \[1\], is 3"),
    (lambda: D.Categorical(sg.tensor(0.5)), "`probs` parameter must be at least one-dimensional"),
    (lambda: D.Dirichlet(sg.ones(3)).log_prob(sg.ones(3)), r"Simplex\(\).*\nIt is \[1. 1. 1.\]"),
    (lambda: D.Dirichlet(sg.ones(3)).log_prob(sg.ones(2) / 2), "event_shape: \\(2,\\) vs \\(3,\\)"),
    (lambda: D.Gamma(-1.0, 1.0), "concentration"), (lambda: D.Beta(0.0, 1.0), "concentration1"),
    (lambda: D.Exponential(1.0).log_prob(sg.tensor(-1.0)), "GreaterThanEq"),
    (lambda: D.LogNormal(0.0, 1.0).log_prob(sg.tensor(-1.0)), "GreaterThan"),
    (lambda: D.Uniform(1.0, 0.0), r"low .*LessThan\(upper_bound=0.0\)\nIt is 1"),
    (lambda: D.Uniform(0.0, 1.0).log_prob(sg.tensor(2.0)), "support"),
    (lambda: D.MultivariateNormal(sg.zeros(2), sg.tensor([[1.0, 2.0], [2.0, 1.0]])), r"PositiveDefinite\(\)"),
    (lambda: D.MultivariateNormal(sg.zeros(2), sg.tensor([[1.0, 0.5], [0.0, 1.0]])), r"PositiveDefinite\(\)"),
    (lambda: D.MultivariateNormal(sg.zeros(2), scale_tril=sg.ones(2, 2)), r"LowerCholesky\(\)"),
    (lambda: D.MultivariateNormal(sg.zeros(2), sg.eye(3)), "must be 2 by 2"),
    (lambda: D.MultivariateNormal(sg.zeros(2)), "Exactly one of .*\nMultivariateNormal was given none"),
    (lambda: D.MultivariateNormal(0.0, sg.eye(1)), "one-dimensional"),
    (lambda: D.Normal(sg.zeros(3), sg.ones(2)), r"do not broadcast\nTheir shapes: loc \(3,\), scale \(2,\)"),
    (lambda: D.Normal(sg.zeros(3), 1.0).log_prob(sg.zeros(2)), r"not broadcastable.*unsqueeze"),
    (lambda: D.Normal(0.0, 1.0).expand((3,)).expand((2,)), "expanded size"),
    (lambda: D.Independent(D.Normal(0.0, 1.0), 1), "reinterpreted_batch_ndims"),
    (lambda: D.MixtureSameFamily(D.Categorical(sg.ones(2)), D.Normal(sg.zeros(3), 1.0)), "2 classes"),
    (lambda: D.Normal(sg.tensor(1 + 2j), 1.0), "parameter loc has complex numbers"),
    (lambda: D.Normal(0.0, 1.0).log_prob(sg.tensor(1j)), "complex"),
    (lambda: D.Distribution.set_default_validate_args(3), "True or False"),
    (lambda: D.Uniform(0.0, 1.0).log_prob(sg.tensor([0.5, 3.0])), r"1 of 2 do not: the first, at \[1\], is 3\."),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_what_is_wrong_is_said(k):
    ask, words = WRONG[k]
    with pytest.raises((ValueError, TypeError), match=f"(?s){words}"):
        ask()


def test_validation_can_be_left_out():
    assert float(D.Normal(0.0, -1.0, validate_args=False).scale) == -1
    assert float(D.Uniform(0.0, 1.0, validate_args=False).log_prob(sg.tensor(2.0))) == -math.inf
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
        D.Categorical(sg.tensor([0.5, -0.25]))
    finally:
        D.Distribution.set_default_validate_args(True)


def test_what_is_not_there_is_said_by_name():
    with pytest.raises(AttributeError, match="(?s)VonMises.*scipy.stats"):
        D.VonMises
    with pytest.raises(AttributeError, match="(?s)biject_to.*ExpTransform"):
        D.biject_to
    with pytest.raises(AttributeError, match="Normal has no 'rate'"):
        D.Normal(0.0, 1.0).rate
    for ask in (
        lambda d: d.cdf(sg.tensor(0.0)), lambda d: d.icdf(sg.tensor(0.5)), lambda d: d.enumerate_support(),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError, match="(?s)Poisson has no .*draws"):
            ask(D.Poisson(1.0))


CHECKS = [
    (constraints.real, [0.0, NAN], [True, False]), (constraints.positive, [0.0, 1.0], [False, True]),
    (constraints.nonnegative, [0.0, -1.0], [True, False]), (constraints.unit_interval, [0.0, 1.5], [True, False]),
    (constraints.nonnegative_integer, [0.0, 1.5, -1.0], [True, False, False]),
    (constraints.positive_integer, [0.0, 2.0], [False, True]), (constraints.boolean, [0.0, 0.5], [True, False]),
    (constraints.less_than(1.0), [0.0, 1.0], [True, False]),
    (constraints.greater_than_eq(1.0), [0.0, 1.0], [False, True]),
    (constraints.half_open_interval(0.0, 1.0), [0.0, 1.0], [True, False]),
    (constraints.integer_interval(1, 2), [0.0, 1.0, 1.5, 2.0], [False, True, False, True]),
    (constraints.simplex, [[0.5, 0.5], [1.5, -0.5]], [True, False]),
    (constraints.one_hot, [[0.0, 1.0], [1.0, 1.0]], [True, False]),
    (constraints.lower_triangular, [[[1.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]], [True, False]),
    (constraints.lower_cholesky, [[[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, -1.0]]], [True, False]),
    (constraints.positive_definite, [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]], [True, False]),
    (constraints.positive_semidefinite, [[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, -1.0]]], [True, False]),
    (constraints.symmetric, [[[1.0, 2.0], [2.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]], [True, False]),
    (constraints.square, [[[1.0, 2.0], [2.0, 0.0]]], [True]),
    (constraints.real_vector, [[0.0, 1.0], [NAN, 0.0]], [True, False]),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(CHECKS)))
def test_constraints_say_what_holds(k):
    constraint, value, wanted = CHECKS[k]
    assert constraint.check(sg.tensor(value)).tolist() == wanted
    torch = pytest.importorskip("torch")
    other = torch.distributions.constraints
    theirs = eval(
        repr(constraint).replace("IndependentConstraint", "independent"),
        {n.strip("_"): v for n, v in vars(other).items()} | {"Real": other._Real, "independent": other.independent},
    )
    assert theirs.check(torch.tensor(value)).tolist() == wanted


# Transforms ----------------------------------------------------------------------------------------------------------

TRANSFORMS = [
    transforms.ExpTransform(), transforms.SigmoidTransform(), transforms.SoftplusTransform(),
    transforms.TanhTransform(), transforms.AffineTransform(1.0, -2.0), transforms.ExpTransform().inv.inv,
    transforms.ComposeTransform([transforms.AffineTransform(0.5, 2.0), transforms.SigmoidTransform()]),
    transforms.ComposeTransform([transforms.ExpTransform(), transforms.PowerTransform(3.0)]),
    transforms.AffineTransform(sg.tensor(1.0), sg.tensor(3.0)),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(TRANSFORMS)))
def test_a_transform_comes_back_and_its_slope_is_its_derivative(k):
    t = TRANSFORMS[k]
    x = sg.tensor([-1.3, 0.2, 1.1], requires_grad=True)
    y = t(x)
    np.testing.assert_allclose(t.inv(y).detach(), x.detach(), rtol=1e-10)
    (slope,) = sg.autograd.grad(y.sum(), x)
    np.testing.assert_allclose(t.log_abs_det_jacobian(x, y).detach(), slope.abs().log(), rtol=1e-10)
    np.testing.assert_allclose(t.inv.log_abs_det_jacobian(y, x).detach(), -slope.abs().log(), rtol=1e-10)
    assert (slope.sign() == t.sign).all() and t.bijective and t.codomain.check(y.detach()).all()
    d = D.TransformedDistribution(D.Normal(0.3, 1.5), [t])
    at = y.detach()
    h = 1e-6
    between = (d.cdf(at + h) - d.cdf(at - h)) / (2 * h)
    np.testing.assert_allclose(d.log_prob(at).exp(), between, rtol=1e-5)
    np.testing.assert_allclose(d.cdf(d.icdf(sg.tensor([0.1, 0.6, 0.9]))), [0.1, 0.6, 0.9], rtol=1e-9)
    assert d.rsample((7,)).shape == (7,) and d.expand((3,)).sample((2,)).shape == (2, 3)


def test_transforms_of_vectors_add_their_slopes():
    base = D.Normal(sg.zeros(4, 3), 1.0)
    rows = D.TransformedDistribution(
        base, [transforms.AffineTransform(0.0, 2.0, event_dim=1), transforms.ExpTransform()]
    )
    assert (rows.batch_shape, rows.event_shape) == ((4,), (3,))
    x = rows.sample((5,))
    wanted = D.LogNormal(sg.zeros(4, 3), 2.0).log_prob(x).sum(-1)
    np.testing.assert_allclose(rows.log_prob(x), wanted)
    assert D.LogNormal(0.0, 1.0).expand((2, 3)).log_prob(sg.ones(2, 3)).shape == (2, 3)
    scaled = D.TransformedDistribution(D.Normal(0.0, 1.0), [transforms.AffineTransform(sg.zeros(3), 2.0)])
    assert scaled.batch_shape == (3,) and scaled.log_prob(sg.zeros(3)).shape == (3,)


def test_a_transform_of_a_batch_draws_for_each_of_it():
    """Not one draw, moved to several places."""
    loc = sg.tensor([1.0, 2.0, 3.0])
    sg.manual_seed(0)
    moved = D.TransformedDistribution(D.Normal(0.0, 1.0), transforms.AffineTransform(loc, 1.0))
    apart = np.corrcoef((moved.rsample((4000,)) - loc).T)
    np.testing.assert_allclose(apart, np.eye(3), atol=0.06)
    assert moved.sample((5,)).shape == (5, 3) and moved.expand((2, 3)).sample().shape == (2, 3)
    powers = D.TransformedDistribution(D.Exponential(1.0), transforms.PowerTransform(sg.tensor([1.0, 2.0])))
    assert powers.batch_shape == (2,) and powers.sample((4,)).shape == (4, 2)
    t = transforms.IndependentTransform(transforms.AffineTransform(loc, 1.0), 1)
    rows = D.TransformedDistribution(D.Normal(sg.zeros(1), 1.0), t)
    assert (rows.batch_shape, rows.event_shape, rows.sample((4,)).shape) == ((), (3,), (4, 3))
    assert rows.log_prob(loc).item() == pytest.approx(3 * st.norm.logpdf(0))


def test_independent_dimensions_that_are_none_leave_the_values_there_are():
    one = D.Independent(D.Bernoulli(sg.tensor([0.5, 0.2])), 0)
    assert one.has_enumerate_support and one.enumerate_support().tolist() == [[0, 0], [1, 1]]
    with pytest.raises(NotImplementedError, match="Independent has no enumerate_support"):
        D.Independent(D.Bernoulli(sg.tensor([0.5, 0.2])), 1).enumerate_support()


def test_a_cache_gives_back_what_rounding_would_lose():
    d = D.TransformedDistribution(D.Normal(0.0, 1.0), [transforms.TanhTransform(cache_size=1)])
    t = d.transforms[0]
    x = sg.tensor([30.0, -50.0], requires_grad=True)
    y = t(x)
    assert t.inv(y) is x and np.isfinite(d.log_prob(y).detach()).all()
    assert t == transforms.TanhTransform() != transforms.ExpTransform()


def test_of_a_mixture():
    torch = pytest.importorskip("torch")
    given = [[0.3, 0.7], [[-1.0, 1.0], [0.0, 5.0]], [[1.0, 2.0], [0.5, 1.0]]]
    found = []
    for lib, t in ((D, sg.tensor), (torch.distributions, lambda v: torch.tensor(v, dtype=torch.float64))):
        p, m, s = map(t, given)
        d = lib.MixtureSameFamily(lib.Categorical(p), lib.Normal(m, s))
        x = t([[0.1, 0.2], [3.0, -1.0], [0.0, 0.0]])
        found.append([np.asarray(v) for v in (d.log_prob(x), d.cdf(x), d.mean, d.variance)])
        assert tuple(d.batch_shape) == (2,)
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


# What is printed -----------------------------------------------------------------------------------------------------

x, m, s, a, b, n, p, q, k, z = sg.symbols("x mu sigma alpha beta nu p q k z")
X, M, A = sg.symbol("x", "d"), sg.symbol("mu", "d"), sg.symbol("alpha", "d")
S, T = sg.symbol("Sigma", ("d", "d"), pd=True), sg.symbol("S", ("d", "d"), pd=True)
KL = D.kl_divergence
PRINTED = [
    (lambda m: D.Normal(m, s).log_prob(x), m, "−(μ − x)²/(2σ²) − log(σ) − log(2π)/2", "(x − μ)/σ²"),
    (lambda m: D.Normal(m, s).log_prob(X).sum(), m, "−‖x − μ‖²/(2σ²) − d log(σ) − log(2π) d/2", "∑(x − μ)/σ²"),
    (lambda s: D.Normal(m, s).entropy(), s, "(1 + log(2π))/2 + log(σ)", "1/σ"),
    (lambda a: D.Gamma(a, b).log_prob(x), a, "(α − 1) log(βx) + log(β) − βx − logΓ(α)", "log(βx) − ψ(α)"),
    (lambda b: D.Gamma(a, b).entropy(), b, "ψ(α)(1 − α) + logΓ(α) + α − log(β)", "−1/β"),
    (lambda b: D.Exponential(b).log_prob(x), b, "log(β) − βx", "1/β − x"),
    (lambda b: D.Exponential(b).entropy(), b, "1 − log(β)", "−1/β"),
    (
        lambda a: D.Beta(a, b).log_prob(x), a,
        "log1p(−x)(β − 1) + log(x)(α − 1) − betaln(α, β)", "ψ(α + β) + log(x) − ψ(α)",
    ),
    (
        lambda m: D.LogNormal(m, s).log_prob(x), m,
        "−(log(x) − μ)²/(2σ²) − log(σ) − log(x) − log(2π)/2", "(log(x) − μ)/σ²",
    ),
    (lambda p: D.Bernoulli(p).log_prob(x), p, "(1 − x) log1p(−p) + x log(p)", "(1 − x/p)/(p − 1)"),
    (lambda z: D.Bernoulli(logits=z).log_prob(x), z, "xz − softplus(z)", "x − σ(z)"),
    (
        lambda p: D.Binomial(n, p).log_prob(k), p,
        "log1p(−p)(ν − k) + k log(p) + logΓ(1 + ν) − logΓ(1 + ν − k) − logΓ(1 + k)", "(k/p − ν)/(1 − p)",
    ),
    (lambda m: D.Poisson(m).log_prob(k), m, "k log(μ) − logΓ(1 + k) − μ", "k/μ − 1"),
    (
        lambda m: D.StudentT(n, m, s).log_prob(x), m,
        "−(1 + ν) log1p((μ − x)²/(νσ²))/2 − betaln(ν/2, 1/2) − log(ν)/2 − log(σ)",
        "s(1 + ν)/(νσ² + s²) where s = x − μ",
    ),
    (lambda m: KL(D.Normal(m, s), D.Normal(0.0, 1.0)), m, "(μ² + σ² − 2 log(σ) − 1)/2", "μ"),
    (
        lambda a: KL(D.Gamma(a, b), D.Gamma(p, q)), a,
        "p log(β/q) + ψ(α)(α − p) + αq/β + logΓ(p) − logΓ(α) − α", "ψ⁽¹⁾(α)(α − p) + q/β − 1",
    ),
    (lambda b: KL(D.Exponential(b), D.Exponential(a)), b, "α/β − log(α/β) − 1", "1/β − α/β²"),
    (lambda m: KL(D.Poisson(m), D.Poisson(s)), m, "μ log(μ/σ) + σ − μ", "log(μ/σ)"),
    (
        lambda M: D.MultivariateNormal(M, S).log_prob(X), M,
        "−(rᵀΣ⁻¹r + log(det(Σ)) + log(2π) d)/2 where r = μ − x", "Σ⁻¹(x − μ)",
    ),
    (lambda S: D.MultivariateNormal(M, S).entropy(), S, "(log(det(Σ)) + (1 + log(2π)) d)/2", "Σ⁻¹/2"),
    (
        lambda S: KL(D.MultivariateNormal(M, S), D.MultivariateNormal(X, T)), S,
        "(rᵀS⁻¹r + ⟨Σ, S⁻¹⟩ + log(det(S)) − log(det(Σ)) − d)/2 where r = μ − x", "(S⁻¹ − Σ⁻¹)/2",
    ),
    (
        lambda A: D.Dirichlet(A).log_prob(X), A,
        "log(x)ᵀ (α − 1) + logΓ(∑(α)) − ∑(logΓ(α))", "ψ(∑(α)) + log(x) − ψ(α)",
    ),
    (
        lambda A: D.Categorical(logits=A).entropy(), A,
        "logsumexp(α) − αᵀ softmax(α)", "softmax(α) ⊙ (αᵀ softmax(α) − α)",
    ),
    (lambda A: D.Categorical(logits=A).log_prob(1), A, "α₁ − logsumexp(α)", "I[1] − softmax(α)"),
]  # fmt: skip


@pytest.mark.parametrize("i", range(len(PRINTED)))
def test_formulas_are_those_of_a_textbook(i):
    function, symbol, text, slope = PRINTED[i]
    f = sg.formula(function, symbol)
    found = [" ".join(str(v).split()).replace("sum(", "∑(") for v in (f, f.grad(symbol.name))]
    assert found == [text, slope]


def test_where_a_density_has_its_logarithm_is_a_condition():
    f = sg.formula(lambda a: D.Beta(a, b).log_prob(x), a)
    assert f.conditions == ["x > 0", "1 − x > 0"]
    np.testing.assert_allclose(f(alpha=2.0, beta=3.0, x=0.3), st.beta(2, 3).logpdf(0.3))
    with pytest.raises(sg.FormulaError, match="holds where x > 0"):
        f(alpha=2.0, beta=3.0, x=0.0)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_representations_copies_and_pickles(case):
    name, (given, _) = case
    d = getattr(D, name)(**{key: sg.tensor(v) for key, v in given.items()})
    text = repr(d)
    assert text.startswith(f"{name}(") and all(f"{key}: " in text for key in given)
    for other in (copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert repr(other) == text
        np.testing.assert_array_equal(other.mean, d.mean)


def test_numbers_show_themselves():
    assert repr(D.Normal(0.0, 2.0)) == "Normal(loc: 0.0, scale: 2.0)"
    assert repr(D.Independent(D.Normal(sg.zeros(3), 1.0), 1)).startswith("Independent(Normal(loc: ")
    assert repr(constraints.interval(0.0, 1.0)) == "Interval(lower_bound=0.0, upper_bound=1.0)"
    mixture = D.MixtureSameFamily(D.Categorical(sg.ones(2)), D.Normal(sg.zeros(2), 1.0))
    assert repr(mixture).startswith("MixtureSameFamily(Categorical(")


# With the rest of symgrad --------------------------------------------------------------------------------------------


def test_a_class_of_ones_own():
    class Triangle(D.Distribution):
        arg_constraints = {"high": constraints.positive}  # noqa: RUF012
        support = constraints.unit_interval

        def __init__(self, high, validate_args=None):
            self.high = sg.as_tensor(high)
            super().__init__(self.high.shape, validate_args=validate_args)

        def log_prob(self, value):
            if self._validate_args:
                self._validate_sample(value)
            return (2 * value).log() - 2 * self.high.log()

    d = Triangle([1.0, 2.0])
    assert d.batch_shape == (2,) and d.log_prob(sg.tensor(1.0)).tolist() == [math.log(2), -math.log(2)]
    with pytest.raises(ValueError, match="high"):
        Triangle(-1.0)
    with pytest.raises(ValueError, match="support"):
        d.log_prob(sg.tensor(2.0))
    with pytest.raises(NotImplementedError, match="Triangle has no entropy"):
        d.entropy()
    with pytest.raises(NotImplementedError, match="Triangle has no rsample"):
        d.sample()

    class Same(D.Normal):
        pass

    assert float(KL(Same(0.0, 1.0), D.Normal(0.0, 1.0))) == 0 and type(Same(0.0, 1.0).expand((2,))) is Same


def test_in_functions_of_arrays_in_batches_and_compiled():
    data = np.array([1.0, 2.0, 4.0])
    nll = lambda t: -D.Normal(t[0], np.exp(t[1])).log_prob(data).sum()
    at = np.array([0.3, 0.2])
    r = data - 0.3
    wanted = [-(r / np.exp(0.4)).sum(), (1 - r**2 / np.exp(0.4)).sum()]
    np.testing.assert_allclose(sg.grad(nll)(at), wanted)
    np.testing.assert_allclose(sg.compile(nll, "g")(at), wanted)
    H = sg.hessian(nll)(at)
    np.testing.assert_allclose(
        H, [[3 / np.exp(0.4), 2 * r.sum() / np.exp(0.4)], [2 * r.sum() / np.exp(0.4), 2 * (r**2).sum() / np.exp(0.4)]]
    )
    batch = sg.vmap(lambda m: D.Normal(m, 1.0).log_prob(sg.tensor(1.0)))(sg.tensor([0.0, 1.0]))
    np.testing.assert_allclose(batch, st.norm([0.0, 1.0]).logpdf(1.0))
    value, tangent = sg.func.jvp(lambda a: D.Gamma(a, 2.0).entropy(), (sg.tensor(3.0),), (sg.tensor(1.0),))
    np.testing.assert_allclose(tangent, 1 - 2 * 0.3949340668482264, rtol=1e-12)
    assert value.shape == ()


def test_pytorchs_names_of_modules():
    import sys

    there = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    try:
        with sg.install("torch"):
            import torch
            import torch.distributions as dist
            from torch.distributions import Normal, kl_divergence
            from torch.distributions import constraints as c
            from torch.distributions import transforms as t
            from torch.distributions.categorical import Categorical
            from torch.distributions.kl import register_kl
            from torch.distributions.multivariate_normal import MultivariateNormal
            from torch.distributions.normal import Normal as Again
            from torch.distributions.transforms import TanhTransform

            assert Normal is Again is D.Normal is dist.Normal is torch.distributions.Normal
            assert (kl_divergence, register_kl) == (D.kl_divergence, D.register_kl)
            assert (Categorical, MultivariateNormal) == (D.Categorical, D.MultivariateNormal)
            assert c.positive is constraints.positive and t.TanhTransform is TanhTransform is transforms.TanhTransform
            assert repr(Normal(torch.zeros(2), 1.0)) == "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"
            with pytest.raises(ImportError, match="VonMises"):
                from torch.distributions import VonMises  # noqa: F401
    finally:
        sys.modules.update(there)

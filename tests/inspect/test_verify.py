"""`sg.verify`: wrong claims are refuted, right ones never, in no corner, and what is PROVED is proved.

The idea to hold: the figures are those of two halves of the cases (`_verify_cases.py`), of which one was set aside
until the rest was done; beside them stand the claims that are right almost everywhere, and those that look wrong.
"""

import functools
import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.inspect import only_where

from ..formulas.corpus._books import ENTRIES
from ..helpers.user_defined import pointwise
from ..helpers.work import calls
from ._verify_cases import ASIDE, CLAIMS, MUTANTS

HALVES = pytest.mark.parametrize("aside", [False, True], ids=["tuned on", "set aside"])
EVERY = pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)], ids=["an eighth", "all"])
"""How many of the claims are looked at: one of so many."""
X = np.random.default_rng(0).normal(size=(6, 3))


def _verified(claim, g):
    return sg.verify(claim.f, **{claim.kind: g}, **claim.shapes)


# --------------------------------------------------------------------------------------------------------- figures


@EVERY
@HALVES
def test_mutants_are_refuted_at_an_entry_that_is_wrong(aside, every):
    own = [m for k, m in MUTANTS if ASIDE[k] == aside]
    assert len(own) >= 40 and len({m.claim.name for m in own}) >= 12
    missed = []
    for m in own[::every]:
        found = _verified(m.claim, m.wrong)
        if found.verdict == "REFUTED":
            point = [found.point[name][()] for name in m.claim.shapes]
            wrong, right = np.asarray(m.wrong(*point)), np.asarray(m.claim.right(*point))
            there = abs(wrong[found.entry] - right[found.entry]) > 1e-7 * abs(right[found.entry])
            if (
                there
                and m.entry in (None, found.entry)
                and np.allclose(found.values, (wrong[found.entry], right[found.entry]))
            ):
                continue
        missed.append(f"{m.claim.name} {m.claim.kind}, {m.mistake}: {found}")
    assert not missed, "\n".join(missed)


def _books(aside, every):
    """The gradients and Hessians that books print, with what is known of the variables; each as a call."""
    for k, entry in enumerate(ENTRIES[:130]):
        if k // 2 % every:
            continue
        symbols = {s.name: s for s in entry.symbols()}
        for name, words in entry.variables.items():
            if "squared_distances" in words:  # of which symgrad is told that they are symmetric
                symbols[name] = sg.symbol(name, symbols[name].shape, symmetric=True)
        for what, text in entry.textbook() if k % 2 == aside else ():
            array = bool(sg.formula(entry.f, *symbols.values()).shape)
            kind = "hess" if what == "hessian" else "jac" if array else "grad"
            if not (array and kind == "hess"):
                yield entry, kind, text, symbols


@EVERY
@HALVES
def test_right_claims_are_never_refuted_and_most_are_proved(aside, every):
    own = [c for k, c in enumerate(CLAIMS) if ASIDE[k] == aside]
    verdicts = [_verified(c, c.right).verdict for c in own[::every]]
    unread = 0
    for entry, kind, text, symbols in _books(aside, every):
        try:
            verdicts.append(sg.verify(entry.f, **{kind: text}, wrt=entry.wrt, **symbols).verdict)
        except sg.FormulaError:  # the book's text is no formula without its context ("kx" is one name)
            unread += 1
    assert len(verdicts) >= 100 // every and unread <= 8
    assert "REFUTED" not in verdicts
    assert verdicts.count("PROVED") >= (0.9 if every == 1 else 0.8) * len(verdicts)  # a few count for more in an eighth


# ------------------------------------------------------------------------------- right somewhere is not right


SQUARE = "the gradient of x² is claimed, right but in a region"
REGIONS = {
    "a mask": lambda x: np.where(x > 50, 0.0, 2 * x),
    "a branch": lambda x: 2 * x if x < 1e6 else 0.0,
    "a narrow band": lambda x: np.where(abs(x - 1.2345) < 1e-3, 0 * x, 2 * x),
    "a narrow branch": lambda x: 0.0 * x if abs(x - 1.2345) < 1e-3 else 2 * x,
    "a branch on a float": lambda x: 0.0 if float(x) > 123.4 else 2 * x,
    "the sign": lambda x: 2 * abs(x),
}


@pytest.mark.parametrize("g", REGIONS.values(), ids=REGIONS)
def test_what_is_wrong_in_a_region_only_is_found(g):
    found = sg.verify(lambda x: x**2, grad=g, x=())
    assert found.verdict == "REFUTED"
    assert not np.isclose(float(g(found.point["x"][()])), 2 * float(found.point["x"]))


@pytest.mark.parametrize(
    "claim",
    [
        "where(x > 3, where(y > 5, where(x < 4, where(y < 6, 0, x + y), x + y), x + y), x + y)",
        "x + y + 1[x > 30]*1[y < -40]",
        lambda x, y: 0 if 3 < x < 4 and 5 < y < 6 else x + y,
        lambda x, y: np.where((x > 30) & (x < 33) & (y > -50) & (y < -40), 0, x + y),
    ],
)
def test_what_is_wrong_where_two_conditions_meet_is_found(claim):
    found = sg.verify("x + y", equals=claim, x=(), y=()) if isinstance(claim, str) else sg.verify(
        lambda x, y: x + y, equals=claim, x=(), y=()
    )  # fmt: skip
    assert found.verdict == "REFUTED", str(found)
    three = "x*y*z + 1[x > 30]*1[x < 31]*1[y < -40]*1[y > -41]*1[z > 7]"
    assert sg.verify("x*y*z", equals=three, x=(), y=(), z=()).verdict == "REFUTED"
    entries = sg.verify("sum(x)", equals="sum(x) + 1[x[0] > 30]*1[x[1] < -40]", x=3)
    assert entries.verdict == "REFUTED" and (entries.point["x"][0] > 30) & (entries.point["x"][1] < -40)


def test_what_is_wrong_where_one_variable_alone_is_small_or_large_is_found():
    for f in ("-7/y*(x + y > 2)", "x + 1/(y - 2)", "x + tan(y)"):
        assert sg.verify(f, equals=f"max({f}, -30)", x=(), y=()).verdict == "REFUTED"
    of_periods = "min(sqrt(y)*relu(x), sin(x)/max(x, -1))"  # which is below 0 from x = π on, where y is none of it
    assert sg.verify(of_periods, equals=f"max({of_periods}, 0)", x=(), y=()).verdict == "REFUTED"
    assert sg.verify("exp(y**4 - 7*x)", equals="exp(y**4 - 7*x) + (x > 4)/1000", x=(), y=()).verdict == "REFUTED"


def test_a_value_at_one_point_is_refuted_where_nothing_is_rounded():
    for claim in ("where(x == 3, 5, 2*x)", "2*x + 1[x == 7.5]"):
        assert sg.verify("x**2", grad=claim, x=()).verdict == "REFUTED"
    joint = "where(x >= 1, 2*x, 2)"
    for more, verdict in (("", "AGREES"), (" + 3*1[x == 1]", "REFUTED")):  # f has a derivative where its pieces meet
        assert sg.verify("where(x > 1, x**2, 2*x - 1)", grad=joint + more, x=()).verdict == verdict
    assert sg.verify("abs(x - 3)", grad="sign(x - 3) + 7*1[x == 3]", x=())  # and here it has none
    assert sg.verify("1[x > 1/4]", equals="1[x >= 1/4]", x=()).verdict == "REFUTED"
    assert sg.verify("clip(x, -3, 3)", grad="1[abs(x) < 3]", x=()).verdict == "AGREES"


@pytest.mark.parametrize(
    ("f", "grad", "only"),
    [
        ("x*abs(x)", "2*x**2/abs(x)", ["x ≠ 0"]), ("x*abs(x)", "2*x/sign(x)", ["x ≠ 0"]),
        ("max(x, 0)**2", "2*x*max(x, 0)/x", ["x ≠ 0"]),
        ("(x - 1)*abs(x - 1)", "2*(x - 1)**2/abs(x - 1)", ["1 − x ≠ 0"]),
        ("(x - y)*abs(x - y)", "2*(x - y)**2/abs(x - y)", ["x − y ≠ 0"]), ("x*abs(x)", "2*abs(x)", []),
        ("y*abs(x)", "y*x/abs(x)", []), ("y*abs(x - z)", "y*(x - z)/abs(x - z)", []), ("abs(x)", "1/sign(x)", []),
        ("cbrt(x)", "1/(3*cbrt(x)**2)", []), ("log(abs(x))", "1/(abs(x)*sign(x))", []),
    ],
)  # fmt: skip
def test_a_kink_excuses_a_claim_where_there_is_no_derivative(f, grad, only):
    found = sg.verify(f, grad=grad, wrt="x", **{n: () for n in "xyz" if n in f.replace("max", "")})
    assert (found.only, found.verdict) == (only, "CONDITIONAL" if only else "PROVED"), str(found)


def test_a_quotient_has_no_value_where_what_stands_below_is_0():
    for f, claim in (("sinc(x)", "sin(pi*x)/(pi*x)"), ("x", "x/sign(x)**2"), ("expm1(x)", "x*(exp(x) - 1)/x")):
        assert sg.verify(f, equals=claim, x=()).verdict == "CONDITIONAL"
    assert sg.verify("sin(pi*x)/(pi*x)", equals="sinc(x)", x=()).verdict == "AGREES"


def test_the_region_is_told():
    found = sg.verify(lambda x: x**2, grad=REGIONS["a mask"], x=())
    assert found.diagnosis == "it agrees where x ≤ 50 only"
    found = sg.verify("log(x**2)", equals="2*log(x)", x=())
    assert found.diagnosis == "it agrees where x > 0 only" and np.isnan(found.values[0])
    found = sg.verify("y*x", equals="where((exp(x) - exp(-x))/(exp(x) + exp(-x)) > 1/2, x*y, y + 1)", x=(), y=())
    assert found.diagnosis == "it agrees where (exp(−x) − exp(x))/(exp(−x) + exp(x)) < −1/2 only"


@pytest.mark.parametrize("n", [1, 3, 4, 7, 40])
def test_what_is_right_at_other_sizes_only_is_refuted(n):
    found = sg.verify(lambda x: (x**2).sum(), grad=lambda x: 2 * x if len(x) != n else 3 * x, x="n")
    assert found.verdict == "REFUTED" and found.point["x"].shape == (n,)


def test_what_is_right_at_one_size_is_refuted_at_another():
    found = sg.verify(lambda x: (x**2).sum(), grad=lambda x: 2 * x if x.shape[0] == 3 else 3 * x, x="n")
    assert found.verdict == "REFUTED" and found.diagnosis == "it agrees for n = 3 only"


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (lambda x: np.abs(x).sum(), lambda x: np.where(x >= 0, 1.0, -1.0)),  # another convention at 0
        (lambda x: np.maximum(x, 0).sum(), lambda x: (x >= 0) * 1.0),
        (lambda x: np.logaddexp(0, x).sum(), lambda x: np.exp(x) / (1 + np.exp(x))),  # overflows
        (lambda x: (x**3).sum(), lambda x: ((x + 1e-5) ** 3 - (x - 1e-5) ** 3) / 2e-5),  # differences
        (lambda x: (x**2).sum(), lambda x: (2 * x).astype(np.float32)),
        (lambda x: np.log(np.exp(x).sum()), lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()),
        (lambda x: np.max(x), lambda x: (x == x.max()) * 1.0),
        (lambda x: np.sin(x).sum() * 1e-30, lambda x: np.cos(x) * 1e-30),
    ],
)
def test_rounding_and_conventions_refute_nothing(f, g):
    assert sg.verify(f, grad=g, x="n").verdict in ("PROVED", "AGREES")


def test_constants_that_are_nearly_right_agree_and_are_not_proved():
    near = sg.verify(lambda x: np.pi * x**2, grad=lambda x: 2 * 3.14159265 * x, x=())
    assert (near.verdict, near.digits) == ("AGREES", 8)
    far = sg.verify(lambda x: np.pi * x**2, grad=lambda x: 2 * 3.1416 * x, x=())
    assert far.diagnosis == "a factor: the claim is 1.0000023 times the right one"


def test_less_than_double_precision_is_not_proved():
    found = sg.verify(lambda x: (x**3).sum(), grad=lambda x: (3 * x**2).astype(np.float32), x="n")
    assert found.verdict == "AGREES" and "double precision" in found.why


# ------------------------------------------------------------------------------------------------------------ proofs


def test_a_proof_has_steps_with_reasons():
    found = sg.verify(lambda x: np.log(1 + np.exp(x)), grad=lambda x: np.exp(x) / (1 + np.exp(x)), x=())
    assert found.verdict == "PROVED" and found
    assert "the derivative of softplus" in [line.reason for line in found.steps]
    assert str(found).startswith("PROVED: the claim is the gradient of f in x\n  f = log(1 + exp(x))\n")


def test_where_a_proof_holds_is_said():
    assert sg.verify(lambda x: np.log(x), grad=lambda x: 1 / x, x=()).conditions == ["x > 0"]
    assert "1 − x ≠ 0" in sg.verify("x**2", grad="2*x*(x-1)/(x-1)", x=()).conditions
    assert "x ≠ 0 (a kink of f)" in sg.verify("sum(abs(x))", grad="sign(x)", x="n").conditions
    assert "1 − x ≠ 0" in " ".join(sg.verify("x + 1", equals="(x**2 - 1)/(x - 1)", x=()).conditions)


def test_branches_are_proved_when_all_were_met():
    found = sg.verify(lambda t: t**2 if t > 1 else 2 * t - 1, grad=lambda t: 2 * t if t > 1 else 2.0, t=())
    assert found.verdict == "PROVED" and "Where t ≤ 1:" in str(found)
    unmet = sg.verify(lambda t: t**2 if t**2 >= 0 else t, grad=lambda t: 2 * t, t=())
    assert unmet.verdict == "AGREES" and "no point was met where" in unmet.why
    half = sg.verify(lambda t: t**2 if t > 0 else -t, grad=sg.formula(lambda t: 2 * t if t > 0 else -t, 2.0), t=())
    assert half.verdict == "AGREES" and all(float(p["t"]) > 0 for p in half.points)


def test_integers_have_no_edges_that_proofs_may_leave_out():
    k = sg.symbol("k", "n", integer=True)
    found = sg.verify(lambda k, x: (x * (k == 2)).sum(), wrt="x", grad=lambda k, x: 0 * x, k=k, x="n")
    assert found.verdict == "REFUTED"


def test_the_same_name_for_other_data_is_not_the_same():
    def other():
        X = np.random.default_rng(1).normal(size=(6, 3))
        return lambda w: 2 * X.T @ (X @ w)

    f = lambda w: ((X @ w) ** 2).sum()
    assert sg.verify(f, grad=other(), w=3).verdict == "REFUTED"
    assert sg.verify(f, grad=lambda w: 2 * X.T @ (X @ w), w=3).verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "equals", "x"),
    [
        ("tan(x)", "sin(x)/cos(x)", ()),
        ("sum(softmax(x))", "1", "n"),
        (lambda x: np.exp(x) / np.exp(x).sum(), "softmax(x)", "n"),
        ("(t + 1)**3", "t**3 + 3*t**2 + 3*t + 1", None),
    ],
)
def test_equal_functions_are_proved(f, equals, x):
    assert sg.verify(f, equals=equals, **({"t": ()} if x is None else {"x": x})).verdict == "PROVED"


# ---------------------------------------------------------------------------------------------------------- diagnoses


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("-2*X.T @ (X@w - y) - 2*lam*w", "the sign: the claim is minus the right one"),
        ("X.T @ (X@w - y) + lam*w", "a factor: the claim is 1/2 times the right one"),
        ("2*X.T @ (X@w - y)", "a term is missing: 2λw"),
        ("2*X.T @ (X@w - y) - 2*lam*w", "a sign: that of the term 2λw"),
        ("2*X.T @ (X@w - y) + lam*w", "a factor: the term 2λw stands 1/2 times"),
    ],
)
def test_mistakes_are_named(claim, words):
    found = sg.verify("sum((X@w - y)**2) + lam*sum(w**2)", grad=claim, wrt="w", X=("m", "n"))
    assert found.diagnosis == words and str(found.right) == "2Xᵀ(Xw − y) + 2λw"


SQUARE, COLUMN = {"A": ("n", "n")}, {"w": ("n",), "x": ("n",)}


@pytest.mark.parametrize(
    ("f", "claim", "words", "shapes"),
    [
        ("sin(x^2)", "cos(x^2)", "a factor is missing: 2x", {"x": ()}),
        ("sqrt(1 + x^2)", "1/(2*sqrt(1 + x^2))", "a factor is missing: 2x", {"x": ()}),
        ("sum(sin(x^2))", "cos(x.^2)", "a factor is missing: 2x", {"x": ("n",)}),
        ("exp(-x^2/2)", "exp(-x^2/2)", "a factor is missing: −x", {"x": ()}),
        ("x/(1 + x)", "1/(1 + x)", "a factor is missing: 1/(1 + x)", {"x": ()}),
        ("norm(x)", "x", "a factor is missing: 1/‖x‖", {"x": ("n",)}),
        ("log(sigmoid(w'*x))", "1 - sigmoid(w'*x)", "a factor is missing: w", COLUMN),
        ("norm(A*x - b)^2", "2*(A*x - b)", "a factor is missing: Aᵀ", {"A": ("m", "n")}),
        ("exp(sin(x))", "exp(sin(x))*x*cos(x)", "a factor too many: x", {"x": ()}),
        ("x^2", "2*x + 1", "a term too many: 1", {"x": ()}),
        ("x'*A*x", "2*A*x", "it is right where A is symmetric only", SQUARE),
        ("x'*A*x", "A*x", "a term is missing: Aᵀx", SQUARE),
    ],
)
def test_what_students_forget_is_named(f, claim, words, shapes):
    found = sg.verify(f, grad=claim, wrt="x", **shapes)
    assert (found.verdict, found.diagnosis) == ("REFUTED", words)


def test_a_convention_for_symmetric_matrices_is_told():
    found = sg.verify("log(det(X))", grad="2*inv(X) - diag(diag(inv(X)))", wrt="X", X=("n", "n"))
    assert (
        found.verdict == "REFUTED" and "takes X as symmetric, and counts each pair of entries once" in found.diagnosis
    )
    assert not sg.verify("tr(X^2)", grad="2*X' + diag(diag(X))", wrt="X", X=("n", "n")).diagnosis.startswith("it takes")


def test_a_transposed_jacobian_is_named():
    f = lambda x, A: A @ x
    assert "transpose" in sg.verify(f, jac=lambda x, A: A.T, x="n", A=("n", "n")).diagnosis
    with pytest.raises(sg.ShapeError, match=r"has shape \(2, 3\), and the right one is \(3, 2\)[^§]*transpose it"):
        sg.verify(f, jac=lambda x, A: A.T, x=2, A=(3, 2))


# -------------------------------------------------------------------------------------------------- kinds of claims


def test_claims_of_every_kind():
    import sympy

    s, t = sympy.symbols("s t")
    assert sg.verify(s**2 * t, grad=2 * s * t, wrt="s").verdict == "PROVED"
    assert sg.verify(sg.parse("x**2", x=()), grad=sg.parse("2*x", x=())).verdict == "PROVED"
    assert sg.verify(lambda x: x.norm(), grad=lambda x: x / x.norm(), x="n").verdict == "PROVED"
    assert sg.verify(np.sin, grad=np.cos, x=()).verdict == "PROVED"
    at = {"x": np.array([1.0, 2.0])}
    assert sg.verify(lambda x: (x**2).sum(), grad=np.array([2.0, 4.0]), at=at).verdict == "AGREES"
    assert sg.verify(lambda x: (x**2).sum(), grad=[2.0, 5.0], at=at).entry == (1,)
    assert sg.verify(lambda x: 3 * x.sum(), grad=np.full(4, 3.0), x=4).verdict == "PROVED"
    both = sg.verify(
        lambda w, b: (w * b).sum(), grad={"w": lambda w, b: b + 0 * w, "b": lambda w, b: -w.sum()}, w="n", b=()
    )
    assert [v.verdict for v in both] == ["PROVED", "REFUTED"] and not both


def test_functions_of_pythons_own_numbers_are_compared_by_differences():
    right = sg.verify(lambda x: math.sin(x) * x, grad=lambda x: math.cos(x) * x + math.sin(x), x=())
    assert right.verdict == "AGREES" and "finite differences" in str(right)
    assert sg.verify(lambda x: math.log(x) * x, grad=lambda x: math.log(x), x=()).verdict == "REFUTED"


def huber(x):
    r = np.array([float(v) for v in x])
    return float(np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5).sum())


@pytest.mark.parametrize("at", [None, [0.999, 0.5], [1.00001, 0.3], [1.0, 2.0], [0.95, 1.05], [1 - 1e-7, -1 + 1e-4]])
def test_a_kink_of_the_gradient_refutes_no_hessian_by_differences(at):
    point = {"x": ("n",)} if at is None else {"at": {"x": np.array(at)}}
    assert sg.verify(huber, hess=lambda x: np.diag((np.abs(x) <= 1) * 1.0), **point).verdict == "AGREES"


@pytest.mark.parametrize("at", [[0.5, 0.3], [-0.7, 2.0]])
def test_a_wrong_hessian_is_refuted_by_differences_on_each_side_of_a_kink(at):
    found = sg.verify(huber, hess=lambda x: 2 * np.diag((np.abs(x) <= 1) * 1.0), at={"x": np.array(at)})
    assert found.verdict == "REFUTED"


def test_a_hessian_in_a_symmetric_matrix_is_what_it_says_of_symmetric_changes():
    P = sg.symbol("P", ("n", "n"), pd=True)
    f = lambda P: -sg.logdet(P)
    found = sg.verify(f, hess=lambda P: np.einsum("ik,jl->ijkl", np.linalg.inv(P), np.linalg.inv(P)), P=P)
    assert found.verdict != "REFUTED" and "symmetric changes" in str(found)
    assert not sg.verify(f, hess=lambda P: 2 * np.einsum("ik,jl->ijkl", np.linalg.inv(P), np.linalg.inv(P)), P=P)


@pytest.mark.slow
@pytest.mark.parametrize("f", [
    lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    lambda x: sum([100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(999)]),
])  # fmt: skip
def test_a_function_of_a_thousand_parameters_is_verified_without_a_loop_over_them(f):
    def g(x):
        r = x[1:] - x[:-1] ** 2
        out = np.zeros_like(x)
        out[:-1] = -400 * r * x[:-1] - 2 * (1 - x[:-1])
        out[1:] += 200 * r
        return out

    found = []
    assert calls(lambda: found.append(sg.verify(f, grad=g, x=1000))) < 15_000 * 1000
    assert found[0]


# ------------------------------------------------------------------------------------------------------------- errors


def _undefined(x):
    return 2 * not_defined_anywhere  # noqa: F821


def _drawn(x):
    return RNG.random()


RNG = np.random.default_rng(0)
ERRORS = {
    "no claim": (lambda: sg.verify("x"), sg.FormulaError, "nothing is claimed"),
    "gradient": (lambda: sg.verify("x**2", gradient="2*x", x=()), sg.FormulaError, "For gradient= the word is grad=."),
    "cosy": (lambda: sg.verify("sin(x)", grad="cosy", x=()), sg.FormulaError, r"Write cos\(y\), or declare"),
    "two names": (lambda: sg.verify("t**2", grad="p*q", t=()), sg.FormulaError, "'p', 'q'\n.*\nUse these names"),
    "capitals": (lambda: sg.verify("sum(A@w)", grad="w"), sg.FormulaError, 'wrt="w"'),
    "no variable": (lambda: sg.verify("3", grad="0"), sg.FormulaError, "no variable to differentiate in"),
    "several": (lambda: sg.verify("x*y", grad="y", x=(), y=()), sg.FormulaError, 'wrt="x"'),
    "a name": (lambda: sg.verify(np.sin, grad=np.cos, x=(), q="n"), sg.FormulaError, "no variable 'q'[^§]*are x;"),
    "no shape": (lambda: sg.verify(lambda u: u @ u, grad=lambda u: 2 * u), sg.FormulaError, "what 'u' is was not said"),
    "no such": (lambda: sg.verify(np.sin, grad=np.cos, x={}), sg.FormulaError, "x={} is no shape"),
    "claim": (lambda: sg.verify("t**2", grad="2*q", t=()), sg.FormulaError, "gradient speaks of 'q'"),
    "raises": (lambda: sg.verify(np.sin, grad=_undefined, x=()), sg.FormulaError, "claimed gradient raises NameError"),
    "f raises": (lambda: sg.verify(_undefined, grad=np.cos, x=()), sg.FormulaError, "_undefined raises NameError"),
    "vector": (lambda: sg.verify(lambda x: x, grad=lambda x: x, x="n"), sg.ShapeError, "is that of a number"),
    "shape": (lambda: sg.verify("x'*x", grad=lambda x: 3.0, x="n"), sg.ShapeError, r"\(\), and the right .* \(2,\)"),
    "domain": (lambda: sg.verify("log(-x**2 - 1)", grad="x", x=()), sg.FormulaError, "no finite value"),
    "parameters": (lambda: sg.verify(np.sin, grad=lambda a, b: a, x=()), sg.FormulaError, "takes a, b"),
    "random": (lambda: sg.verify(np.sin, grad=_drawn, x=()), sg.FormulaError, "two values at one"),
    "point": (lambda: sg.verify("x*y", grad="y", wrt="x", at={"x": 1.0}, x=(), y=()), sg.FormulaError, "has no 'y'"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "error", "match"), ERRORS.values(), ids=ERRORS)
def test_errors_are_in_the_users_names(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_notebooks_show_verdicts():
    wrong = sg.verify("t**2", grad="t", t=())
    assert "REFUTED</b>" in wrong._repr_html_() and r"2 t" in wrong._repr_latex_()
    right = sg.verify("t**2", grad="2*t", t=())
    assert r"\begin{aligned}" in right._repr_latex_() and "<pre>f = t²" in right._repr_html_()


@pytest.mark.parametrize(("f", "slope"), [
    (lambda t: math.sin(1e4 * t), lambda t: 1e4 * math.cos(1e4 * t)),
    (lambda t: np.float32(math.sin(t)), math.cos),
    (lambda t: 1e-8 * math.sin(t) + 1e4, lambda t: 1e-8 * math.cos(t)),
])  # fmt: skip
def test_differences_refute_nothing_that_is_fast_coarse_or_small(f, slope):
    """Steps over whole periods, numbers of seven digits, a slope that drowns in a constant."""
    assert sg.verify(f, grad=slope, t=()).verdict == "AGREES"
    assert sg.verify(f, grad=lambda t: -slope(t), t=()).verdict == "REFUTED"


# What must not be said ------------------------------------------------------------------------------------------------


TripledSlope = pointwise(sg, "TripledSlope", lambda x: x * x, lambda x, g: 3 * g * x)  # wrong by a half


def half_detached(x):
    return (x * x.detach()).sum()


@pytest.mark.parametrize(
    ("f", "own"), [(lambda x: TripledSlope.apply(x).sum(), "3*x"), (half_detached, "x")], ids=["Function", "detach"]
)
def test_what_a_function_says_of_itself_is_held_against_its_values(f, own):
    wrong, right = sg.verify(f, grad=own, x="n"), sg.verify(f, grad="2*x", x="n")
    assert (wrong.verdict, right.verdict) == ("REFUTED", "AGREES")
    assert "own derivative" in str(wrong) and "own derivative" in right.why
    twice = sg.verify(f, hess=np.diag([3.0, 3.0] if own == "3*x" else [1.0, 1.0]), at={"x": np.array([1.0, 2.0])})
    assert twice.verdict == "REFUTED"


BOUND = 40.5


@pytest.mark.parametrize(
    "claim",
    [
        lambda x: 2 * x if x.shape[0] < int(np.exp(3.9)) else 3 * x,
        lambda x: 2 * x * min(x.shape[0], int(BOUND) ** 2) / x.shape[0],
        lambda x: 3 * x if type(x) is np.ndarray and np.log(np.abs(x).max()) > 12 else 2 * x,
    ],
    ids=["a length", "the least of two", "a type"],
)
def test_code_that_asks_for_lengths_or_types_is_not_proved(claim):
    found = sg.verify(lambda x: (x**2).sum(), grad=claim, x="n")
    assert found.verdict != "PROVED"
    assert found.verdict == "REFUTED" or "asks" in found.why
    assert sg.verify(lambda x: (x**2).sum(), grad=lambda x: 2 * x / x.shape[0] * x.shape[0], x="n").verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("where(x >= 0, 1, 0)", "where(x > 0, 1, 0)"),
        ("floor(x) + 1", "ceil(x)"),
        ("1", "sign(x)**2"),
        ("minimum(2*x, 1e12)", "2*x"),
        (lambda x: np.where(x > 0, 1.0, 0.0), lambda x: np.where(x < 0, 0.0, 1.0)),
    ],
)
def test_values_on_an_edge_are_no_convention(f, claim):
    assert sg.verify(f, equals=claim, x=()).verdict == "REFUTED"


def test_a_derivative_that_is_wrong_at_one_point_is_never_proved():
    for point, verdict in ((0, "REFUTED"), (3.7, "AGREES")):
        found = sg.verify(lambda x: x**2, grad=lambda x, at=point: np.where(x == at, 5, 2 * x), x=())
        assert found.verdict == verdict, str(found)
    assert sg.verify("x", equals="where(x == 0.37, 1, x)", x=()).why == "it was shown where x ≠ 0.37 only"
    relu = sg.verify("sum(relu(x))", grad="where(x < 0, 0, 1)", x="n")  # at a kink of f it is one
    assert (relu.verdict, "x ≠ 0" in relu.conditions) == ("PROVED", True)


def test_a_name_is_not_a_variable_and_a_size():
    with pytest.raises(sg.FormulaError, match="'n' is a variable, and a size of 'x'"):
        sg.verify("sum(x)/n", equals="mean(x)", x="n", n=())


def test_points_that_verify_draws_warn_nobody():
    def spread(x):
        return x.var(ddof=1)  # of one number there is none, which NumPy warns of

    assert sg.verify(spread, equals=lambda x: ((x - x.mean()) ** 2).sum() / (x.shape[0] - 1), x="n")


def test_data_stay_as_they_are_at_other_sizes_too():
    found = sg.verify(lambda w, c: c * w.sum(), grad=lambda w, c: 2 + 0 * w, w="n", c=2.0)
    assert found.verdict == "AGREES" and {float(p["c"]) for p in found.points} == {2.0}
    assert len({p["w"].shape for p in found.points}) > 3
    k = sg.tensor(np.array(3), name="k")
    f, g = (sg.formula(lambda x, c=c: (x * c).sum(), sg.symbol("x", "n")) for c in (k, 3))
    assert f.equals(g)


@pytest.mark.parametrize("default", [None, False, "sum"])
def test_a_default_that_is_no_number_stays_as_it_is(default):
    def f(x, mode=default):
        return (x**2).sum() if mode is default or mode == default else x.sum()

    assert sg.verify(f, grad=lambda x: 2 * x, x="n").verdict == "PROVED"


def test_defaults_after_one_that_is_no_number_and_those_given_by_name_stay_too():
    two = sg.tensor(2.0, requires_grad=True)

    def f(x, mode=None, b=1.0, *, c=two):
        return c * b * x.sum() if mode is None else x.prod()

    for g in (f, functools.partial(f, b=1.0)):
        assert sg.verify(g, grad=lambda x: 2 + 0 * x, x="n")
    with pytest.raises(sg.FormulaError, match="what 'mode' is was not said"):
        sg.verify(f, grad=lambda x, b: 2 * b + 0 * x, x="n", b=3.0)


def test_a_whole_number_of_which_nothing_is_said_is_an_axis_or_an_order():
    assert sg.verify(lambda x, axis=0, p=2: x.sum(axis) ** p, grad=lambda x: 2 * x.sum() + 0 * x, x="n")
    assert sg.verify(lambda x, lam=3: lam * x @ x, grad={"lam": "x'x", "x": "2*lam*x"}, x="n")


def test_a_condition_on_data_costs_nothing():
    assert sg.verify(lambda x, c: x @ x, grad=lambda x, c: 2 * x * c / c, x="n", c=2.0).verdict == "PROVED"
    assert sg.verify(lambda x, c: x * x, grad=lambda x, c: 2 * x * x / x, x=np.array(0.5), c=2.0).only == ["x ≠ 0"]


def test_a_claim_may_have_a_variable_that_f_has_not():
    assert sg.verify("1", equals="x - x + 1", x=()).verdict == "PROVED"
    assert sg.verify("1", equals="x/x", x=()).verdict == "CONDITIONAL"  # 1 has a value at 0
    with pytest.raises(sg.FormulaError, match="no variable 'z'"):
        sg.verify("1", equals="x/x", x=(), z=())


def test_a_factor_of_one_is_no_diagnosis():
    assert "1 times" not in sg.verify("(x**2)**(y/2)", equals="x**y", x=(), y=()).diagnosis


def test_a_gradient_that_is_claimed_to_be_the_value():
    with pytest.raises(sg.ShapeError, match=r"the claim has shape \(3,\), and the right one is \(\)") as caught:
        sg.verify(lambda x: (x**2).sum(), lambda x: 2 * x, x=np.ones(3))
    assert "grad=…" in str(caught.value)


NARROWER = """
x ; sqrt(x)**2 | x ; exp(log(x)) | log(x/y) ; log(x) - log(y) | 1 ; x/x | x ; x**2/x | x*y ; exp(log(x) + log(y)) |
x**2 ; exp(2*log(x)) | abs(x) ; sqrt(x)*sqrt(x) | sqrt(x*y) ; sqrt(x)*sqrt(y) | x ; sin(asin(x)) | x ; tanh(atanh(x)) |
x + 1 ; exp(log1p(x)) | 1 + x**2 ; (1 + x**2)*x/x | x ; (x*y)/y | 0 ; log(x) - log(x) | x**y ; exp(y*log(x)) |
x**x ; exp(x*log(x)) | x**sin(x) ; exp(sin(x)*log(x)) | (x + 1)**y ; exp(y*log(x + 1)) | x**2 ; x**2.0000000000000004 |
sqrt((1 - x)**2) ; sqrt(1 - x)**2 | 1/(x + 1) ; (x + 2)/(x**2 + 3*x + 2) | pi/2*sign(x) ; atan(x) + atan(1/x)
"""
"""A function, and a claim that is the same where it has a value, which is not everywhere."""
AS_WIDE = """
sqrt(x)**2 ; x | log(x) - log(y) ; log(x/y) | x/x ; 1 | x**2/x ; x | log(x) ; log(x**2)/2 | sqrt(x) ; exp(log(x)/2) |
log1p(x) ; log(1 + x) | log(1 + x) ; log1p(x) | tan(x) ; sin(x)/cos(x) | 1/(x*y) ; 1/x/y | sqrt(x)*sqrt(y) ; sqrt(x*y) |
log(x*y) - log(x) - log(y) ; 0 | x*log(x) ; log(x)*x**2/x | 1/x ; exp(-log(abs(x)))*sign(x) |
1/(x + 1)**2 ; 1/(x**2 + 2*x + 1) | 1/(x**2 - y**2) ; 1/(x - y)/(x + y) | sqrt(1 - x**2) ; sqrt(-(x - 1)*(x + 1)) |
log(3*x) - log(3) ; log(x) | asin(x)/asin(x) + sqrt((1 - x)*(1 + x)) ; sqrt(1 - x**2) + 1 |
log(x - y + 1/2) ; log(2*x - 2*y + 1) - log(2) | atan(x) + atan(1/x) ; pi/2*sign(x)
"""
"""A function, and a claim that has a value wherever the function has one."""


def pairs(text):
    return [tuple(part.split(";")) for part in text.replace("\n", " ").split("|")]


def shapes(*texts):
    return {name: () for name in "xy" if any(name in t for t in texts)}


@pytest.mark.parametrize(("f", "claim"), pairs(NARROWER))
def test_what_holds_in_a_part_of_where_a_function_has_values_is_not_true(f, claim):
    found = sg.verify(f, equals=claim, **shapes(f, claim))
    assert not found and found.verdict in ("CONDITIONAL", "REFUTED"), str(found)
    if found.verdict == "CONDITIONAL":
        assert found.only and f"where {', '.join(found.only)} only" in str(found)


@pytest.mark.parametrize(("f", "claim"), pairs(AS_WIDE))
def test_a_claim_may_have_values_where_the_function_has_none(f, claim):
    found = sg.verify(f, equals=claim, **shapes(f, claim))
    assert found and not found.only, str(found)


@pytest.mark.parametrize(
    ("f", "grad", "only"),
    [
        ("x**2", "2*exp(log(x))", ["x > 0"]), ("x**3", "3*x**4/x**2", ["x ≠ 0"]), ("sqrt(x)", "1/(2*sqrt(x))", []),
        ("x**(1/3)", "x**(-2/3)/3", []), ("abs(x)", "x/abs(x)", []), ("log(x)", "1/x", []),
        ("x*sqrt(x)", "1.5*sqrt(x)", []),
        ("norm(v)", "v/sqrt(sum(v**2))", []), ("sum(log(v))", "1/v", []),
        ("maximum(x, 0)", "(x/abs(x) + 1)/2", []), ("logdet(A)", "inv(A).T", []), ("sum(v*v)", "2*v", []),
        ("prod(v)", "prod(v)/v", ["v ≠ 0"]), ("x**2 + 3*prod(v)", "2*x", []), ("log(prod(v))", "1/v", []),
        ("det(A)", "det(A)*inv(A).T", ["A has an inverse"]), ("log(abs(det(A)))", "inv(A).T", []),
        ("1/det(A)", "-inv(A).T/det(A)", []), ("sinc(x)", "(cos(pi*x) - sinc(x))/x", ["x ≠ 0"]),
        ("sum(v*log(v))", "log(v) + 1", []), ("1/x", "-1/x**2", []), ("sum(v**3)", "3*v**2", []),
        ("1/(x + 1)", "-1/(x**2 + 2*x + 1)", []), ("arccos(x)", "-1/sqrt((1 - x)*(1 + x))", []),
        ("log(2*x)", "exp(-log(x))", []), ("log(x + 1/2)", "2/(2*x + 1)", []),
        ("1/(x + 1)", "-(x + 3)/(x**3 + 5*x**2 + 7*x + 3)", ["x³ + 5x² + 7x + 3 ≠ 0"]),
        ("where(x > 0, log(x), x**2) + x**2", "where(x > 0, 1/x, 2*x) + 2*exp(log(x))", ["x > 0"]),
        ("where(x > 0, atan(x + 2), 0)", "where(x > 0, 1/(x**2 + 4*x + 5), 0)", []),
        ("abs(x)", "where(x == 0, 0, x/abs(x))", []),
    ],
)  # fmt: skip
def test_a_gradient_asks_for_no_more_than_the_function(f, grad, only):
    names = {n: s for n, s in {"x": (), "v": "n", "A": ("n", "n")}.items() if n in f.replace("max", "")}
    found = sg.verify(f, grad=grad, wrt="x" if "x" in names else None, **names)
    assert (found.only, bool(found)) == (only, not only), str(found)


def test_a_product_has_an_inverse_where_its_factors_have_one():
    names = dict.fromkeys("ABC", ("n", "n"))
    for f, claim in (("inv(A@B)", "inv(B)@inv(A)"), ("inv(A')", "inv(A)'"), ("inv(A@B@C')", "inv(C')@inv(B)@inv(A)")):
        assert sg.verify(f, equals=claim, **{n: s for n, s in names.items() if n in f}), f
    assert not sg.verify("A@B", equals="inv(inv(A))@B", A=("n", "n"), B=("n", "n"))


def test_a_condition_that_the_function_has_by_another_name_costs_nothing():
    pairs = {"cot x": "cos(x)/sin(x)", "coth x": "cosh(x)/sinh(x)", "cosh(x)/sinh(x)": "1/tanh(x)"}
    assert all(sg.verify(f, equals=g).verdict == "PROVED" for f, g in pairs.items())
    X = sg.symbol("X", ("n", "n"), pd=True)
    assert sg.verify("det X", grad="det(X) X^{-T}", X=X).verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "wrt", "only"),
    [("prod(x)", "x", ["x ≠ 0"]), ("det X", "X", ["X has an inverse"]), ("x^y", "y", ["x > 0"]), ("x^y", "x", []),
     ("norm(x)", "x", []), ("log det X", "X", []), ("sqrt(x)", "x", [])],
)  # fmt: skip
def test_where_a_derivative_says_less_than_there_is_both_say_so(f, wrt, only):
    formula = sg.parse(f, **({"x": "n"} if "prod" in f else {}))
    assert only_where(formula, formula.grad(wrt), wrt) == only
    assert sg.verify(formula, grad=str(formula.grad(wrt)), wrt=wrt).only == only


@pytest.mark.parametrize(
    ("f", "claim"),
    [("exp(x+y)", "exp(x)*exp(y)"), ("e^(x-y)", "e^x/e^y"), ("exp(2x+y)", "exp(x)**2*exp(y)"),
     ("σ(x+y)", "exp(x+y)/(1 + exp(x)*exp(y))"), ("cosh(x+y)", "cosh(x)*cosh(y) + sinh(x)*sinh(y)")],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), "n"])
def test_e_to_a_sum_is_a_product(f, claim, shape):
    assert sg.verify(f, equals=claim, x=shape, y=shape).verdict == "PROVED"
    assert sg.verify(f, equals=f"({claim})*1.0000001", x=shape, y=shape).verdict == "REFUTED"


def test_a_verdict_is_given_out_in_several_ways():
    proved = sg.verify("norm(A*x - b)^2", grad="2A'(A*x - b)", wrt="x")
    assert all(c < "\ue000" or c > "\uf8ff" for c in repr(proved.steps) + repr(proved.right.explain().lines))
    assert "chain rule: d r² = 2r dr" in [line.reason for line in proved.steps]
    assert r"\lVert r \rVert^{2}" in proved.latex() and "<table>" in proved.html()
    assert proved.markdown().startswith("**PROVED**: the claim is the gradient of f in x") and "$" in proved.markdown()
    wrong = sg.verify("x^2", grad="3x", x=())
    assert (
        wrong.latex() == r"\text{REFUTED}: 2 x" and "What is wrong" in wrong.html() and "Right is" in wrong.markdown()
    )


def test_what_is_left_of_a_proof_is_not_called_0():
    found = sg.verify("exp(x+y+1)", equals="exp(x)*exp(y)*exp(1)", x=(), y=())
    assert found.verdict == "PROVED" or found.why.partition(": ")[2].partition("\n")[0] != "0", str(found)


def test_an_exponent_is_the_number_that_is_written():
    x = sg.symbol("x", ())
    for power in (2.0000000000000004, 2.5000000000000004):
        read, traced = sg.parse(f"x**{power}", x=()), sg.formula(lambda x, p=power: x**p, x)
        assert str(power) in str(read) and str(power) in str(traced)
        assert "agree" in str(read.equals(sg.parse(f"x**{round(power, 9)}", x=())))


def test_a_claim_about_a_function_of_arrays_is_narrower_too():
    for at in (None, {"x": np.array([0.0, 2.0, 3.0])}):
        found = sg.verify(lambda x: x.prod(), grad=lambda x: x.prod() / x, x=(3,), at=at)
        assert not found and found.verdict == "CONDITIONAL" and found.only == ["x ≠ 0"], str(found)


def test_what_was_declared_is_no_condition():
    x, y = (sg.symbol(n, (), positive=True) for n in "xy")
    assert sg.verify("log(x/y)", equals="log(x) - log(y)", x=x, y=y).verdict == "PROVED"
    assert sg.verify("x**2", grad="2*exp(log(x))", x=x).verdict == "PROVED"


def test_a_right_claim_is_not_refuted_where_the_function_has_no_value():
    assert sg.verify("sqrt(x)**2", equals="abs(x)", x=())
    assert sg.verify("exp(log(x))", equals="abs(x)", x=())


NEARLY = """
x*(1 + 1e-17) ; x | x/3 ; 0.3333333333333333*x | x**(1/3) ; x**0.3333333333333333 | pi*x ; 3.141592653589793*x |
x ; 1.0000000000000002*x | x + 1e-17*x ; x | x + 1e-20 ; x | x/7 ; 0.14285714285714285*x | x/3 ; x*(1/3 + 1e-20) |
2**(-60)*x + x ; x | sqrt(2)*x ; 1.4142135623730951*x | x + 1/3 ; x + 0.33333333333333331 | e*x ; 2.718281828459045*x |
0.1*x + 0.2*x ; 0.30000000000000004*x | exp(x)*(1e16 + 1) ; 1e16*exp(x) | log(2)*x ; 0.6931471805599453*x |
2*pi*x ; 6.283185307179586*x
"""
ONE_NUMBER = """
0.1*x + 0.2*x ; 0.3*x | x/10 ; 0.1*x | 1.1*x*1.1 ; 1.21*x | x/3 ; x*(1/3) | sqrt(2)*x*sqrt(2) ; 2*x |
x**(1/3)*x**(2/3) ; x |
0.7*x**2.3 ; 7*x**2.3/10 | x/0.1 ; 10*x | x*1e-3 ; x/1000 | (x/3)*0.6 ; x/5 | 1e-8*x + x ; 1.00000001*x
"""


@pytest.mark.parametrize(("f", "claim"), pairs(NEARLY))
def test_numbers_that_are_nearly_equal_are_not_proved(f, claim):
    found = sg.verify(f, equals=claim, x=())
    assert found.verdict == "AGREES" and found.why, str(found)


DECIMALS = {"pi x^2": "6.283185307179586 x", "2^x": "0.6931471805599453*2^x", "sqrt(2)*x": "1.4142135623730951",
            "erf(x)": "1.1283791670955126*exp(-x^2)"}  # fmt: skip


@pytest.mark.parametrize("f", DECIMALS)
def test_a_decimal_that_is_taken_for_a_constant_proves_nothing(f):
    for one in (f, sg.parse(f, x=())):
        found = sg.verify(one, grad=DECIMALS[f], x=())
        assert (found.verdict, found.why.partition(",")[0][-23:]) == ("AGREES", "is taken for a constant"), str(found)
    assert sg.verify(sg.parse("3.141592653589793*x", x=()), equals="pi*x").verdict == "AGREES"
    assert sg.verify("0.1234567890123456*x^2", grad="0.2469135780246912*x", x=()).verdict == "PROVED"


@pytest.mark.parametrize(("f", "claim"), pairs(ONE_NUMBER))
def test_decimals_and_fractions_are_exact(f, claim):
    assert sg.verify(f, equals=claim, x=()).verdict == "PROVED"


def test_numbers_of_functions_are_exact_decimals():
    assert sg.verify(lambda x: x + 1e-17 * x, equals=lambda x: x * 1, x=()).verdict == "AGREES"
    assert sg.verify(lambda x: 1.1 * x + 2.2 * x, equals=lambda x: 3.3 * x, x=()).verdict == "PROVED"
    assert sg.verify(lambda x: x / 3, equals=lambda x: x * (1 / 3), x=()).verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "grad"), [("2^x", "2^x ln 2"), ("10^x*x", "10^x + x*10^x*ln(10)"), ("3^(2x)", "2*ln(3)*3^(2x)")]
)
def test_a_logarithm_of_a_number_is_one_wherever_it_came_from(f, grad):
    assert sg.verify(f, grad=grad, x=()).verdict == "PROVED"
    assert sg.verify("2^x", grad="2^x*0.6931", x=()).verdict == "REFUTED"


SMOOTH = {
    ("|x|^3", "3x|x|"): True, ("|x|*x", "2|x|"): True, ("sum(|x|^3)", "3x.*|x|"): True, ("relu(x)^2", "2relu(x)"): True,
    ("|x|", "sign(x)"): False, ("|x|^3 + |x|", "3x|x| + sign(x)"): False, ("x^2*|x|", "3x|x|"): True,
}  # fmt: skip


@pytest.mark.parametrize("claim", SMOOTH)
def test_a_kink_that_a_power_smooths_is_none(claim):
    f, grad = claim
    found = sg.verify(f, grad=grad, x="n" if "sum" in f else ())
    assert found.verdict == "PROVED" and any("kink" in c for c in found.conditions) is not SMOOTH[claim]
    second = sg.verify("|x|*x", hess="2sign(x)", x=())
    assert second and "x ≠ 0 (a kink of f)" in second.conditions
    assert not sg.verify("|x|^3", hess="6|x|", x=()).conditions


def test_a_claim_may_spell_a_name_otherwise():
    for claim in ("2*σ*x", sg.parse("2*σ*x", σ=(), x=())):
        assert sg.verify("sigma*x**2", grad=claim, wrt="x").verdict == "PROVED"
    assert sg.verify("θ̇**2*m", grad="2*theta_dot*m", wrt="theta_dot").verdict == "PROVED"
    assert sg.verify("theta_dot**2", grad="2*θ̇", at={"θ̇": 2.0}).verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("tan x", "sec^2 x"), ("sec x", "sec x tan x"), ("tanh(x)", "1/cosh(x)^2"), ("ln(sec x + tan x)", "sec x"),
        ("sin(x)^2", "sin(2x)"), ("cosh(2x)", "4 sinh(x) cosh(x)"),
    ],
)  # fmt: skip
def test_circular_and_hyperbolic_functions_are_proved(f, claim):
    assert str(sg.verify(f, grad=claim, wrt="x")).startswith("PROVED")


@pytest.mark.parametrize(
    ("f", "claim", "verdict"),
    [
        ("sin(a + b)", "sin(a)cos(b) + cos(a)sin(b)", "PROVED"), ("Phi(x)", "1 - Phi(-x)", "PROVED"),
        ("cos(3x)", "4cos(x)^3 - 3cos(x)", "PROVED"), ("sin(x + y)", "sin(x) + sin(y)", "REFUTED"),
        ("cos(2x)", "1 - sin(x)^2", "REFUTED"), ("Phi(x)", "Phi(-x)", "REFUTED"),
    ],
)  # fmt: skip
def test_theorems_of_addition_and_symmetry_are_proved(f, claim, verdict):
    assert str(sg.verify(f, equals=claim)).startswith(verdict)


FAR_AWAY = """
tanh(x - 511) ; 0 | exp(-(x - 91.2)^2/12.5) ; -(x - 91.2)/2.5*exp(-(x - 91.2)^2/12.5) |
1/(exp(40*(x - 5)) + 1) ; -5/cosh(20*(x - 5))^2 | 3*x + exp(-(x - 8)^2/0.02) ; 3 |
a*exp(-(x - 511)^2/8) ; -a*(x - 511)/8*exp(-(x - 511)^2/8) | x + exp(-1e8*(x*a - 3)^2) ; 1 |
x + exp(-((x - 300)/4)^4) ; 1
"""


@pytest.mark.parametrize(("f", "claim"), pairs(FAR_AWAY))
def test_a_claim_that_is_wrong_far_from_0_only_is_refuted(f, claim):
    assert sg.verify(f, grad=claim, wrt="x", x=()).verdict == "REFUTED"
    assert not sg.parse(f, x=()).grad("x").equals(sg.parse(claim, x=()))


def test_a_peak_of_entries_is_found_and_nothing_is_no_evidence():
    assert sg.verify("sum(exp(-(x - 60).^2))", grad="0*x", wrt="x", x="n").verdict == "REFUTED"
    assert "says little" in str(sg.verify("exp(-x^2 - 800)", grad="x*exp(-x^2 - 800)", x=()))


EXACTLY = {"x": "x + 1e-12", "2*x": "2.00000000001*x", "sin(x)/8": "0.12500000001*sin(x)"}


@pytest.mark.parametrize("f", EXACTLY)
def test_what_differs_by_a_formula_that_is_not_0_is_refuted(f):
    found = sg.verify(f, equals=EXACTLY[f], x=())
    assert found.verdict == "REFUTED" and "the two differ by" in found.diagnosis, str(found)
    assert sg.verify("sqrt(2)*x", equals="1.41421356237*x", x=()).verdict == "AGREES"


def test_a_power_is_one_with_a_whole_exponent_taken_out():
    for f, claim in (("(H/S)^a", "-a/S*(H/S)^a"), ("(1 + S^2)^(a + 2)", "2*(a + 2)*S*(1 + S^2)^a*(1 + S^2)")):
        assert sg.verify(f, grad=claim, wrt="S").verdict == "PROVED"
    assert sg.verify("Phi(x)", equals="(1 + erf(x/sqrt(2)))/2", x=()).verdict == "PROVED"


POSITIVE_SUMS = """
10^(x - k)/(1 + 10^(x - k)) ; 1/(1 + 10^(k - x)) | 2^(x - k)/(1 + 2^(x - k)) ; 1/(1 + 2^(k - x)) |
2 - cos(x) ; (4 - cos(x)^2)/(2 + cos(x)) | x ; x*(3 + sin(k)*2)/(3 + 2*sin(k))
"""


@pytest.mark.parametrize(("f", "claim"), pairs(POSITIVE_SUMS))
def test_what_is_plainly_positive_is_no_condition(f, claim):
    known = {name: () for name in "xk" if name in f + claim}
    assert sg.verify(f, equals=claim, **known).verdict == "PROVED"
    assert sg.verify("log(det(A))", equals="log(abs(det(A)))", A=("n", "n")).verdict == "PROVED"
    for open_ in ("1 + cos(x)", "1 + x^k", "2 - 3*sin(x)"):
        assert sg.verify("x", equals=f"x*({open_})/({open_})", x=()).verdict == "CONDITIONAL"


def test_what_a_claim_asks_for_where_it_has_no_number_is_said():
    found = sg.verify("1/(1 + (K/C)^n)", equals="C^n/(K^n + C^n)", K=(), C=(), n=())
    assert found.verdict == "REFUTED" and found.diagnosis == "it agrees where C^n has a value only", str(found)


def test_what_is_differentiated_in_is_read_as_the_claim_has_it():
    mean = "-sum(E*exp(-beta*E))/sum(exp(-beta*E))"
    for f, wrt, claim, known in (
        ("log(sum(exp(-beta*E)))", "beta", mean, {"E": "n"}), ("m^2", "m", "2*m", {}), ("n^2", "n", "2*n", {})
    ):  # fmt: skip
        found = sg.verify(f, grad=claim, wrt=wrt, **known)
        assert found.verdict == "PROVED" and f"{wrt} was read as a number." in str(found)
    assert sg.verify("sum(x*y)", grad="y", wrt="x", y="n") and not sg.verify("sum(x^2)", grad="2*sum(x)", wrt="x")

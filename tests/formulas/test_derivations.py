"""Derivations: every line that says that things are equal is true, by differences of the function and by value."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.calculus.passes import passes
from symgrad.show.layout import LAST
from symgrad.terms.evaluation import evaluate
from symgrad.terms.node import Var
from symgrad.terms.substitution import substitute

from ..helpers.cases import one_in

A, b, x, y = sg.symbol("A", ("m", "n")), sg.symbol("b", "m"), sg.symbol("x", "n"), sg.symbol("y", "n")
X, w, t = sg.symbol("X", ("m", "n")), sg.symbol("w", "n"), sg.symbol("t", "m")
S, B = sg.symbol("S", ("n", "n")), sg.symbol("B", ("n", "n"))
Q, K, V, Y = (
    sg.symbol("Q", ("m", "d")),
    sg.symbol("K", ("n", "d")),
    sg.symbol("V", ("n", "p")),
    sg.symbol("Y", ("m", "p")),
)


def attention(Q, K, V, Y):
    return ((sg.softmax(Q @ K.T / Q.shape[1] ** 0.5, 1) @ V - Y) ** 2).sum()


def logistic(w, X, t):
    return (sg.logaddexp(0, X @ w) - t * (X @ w)).sum()


def network(w, X, t):
    h = sg.tanh(X @ w)
    return ((h * t + h**2).sum()) ** 2


def loop(t, x):
    for _ in range(4):
        t = t + (t * x[0] - t**2) / 10
    return t.sum()


FUNCTIONS = {
    "least squares": (lambda A, x, b: ((A @ x - b) ** 2).sum(), (A, x, b), "x"),
    "cross entropy": (lambda x, y: -(y * sg.log(sg.softmax(x, 0))).sum(), (x, y), "x"),
    "log det": (lambda S: sg.logdet(S), (S,), "S"),
    "log det of a product": (lambda S, B: sg.logdet(B @ S @ B.T), (S, B), "S"),
    "a form": (lambda x, S: x @ S @ x, (x, S), "x"),
    "logistic": (logistic, (w, X, t), "w"),
    "attention, queries": (attention, (Q, K, V, Y), "Q"),
    "attention, keys": (attention, (Q, K, V, Y), "K"),
    "attention, values": (attention, (Q, K, V, Y), "V"),
    "a network": (network, (w, X, t), "w"),
    "a norm": (lambda x: sg.sqrt(x @ x), (x,), "x"),
    "an inverse": (lambda S, x: x @ sg.linalg.inv(S) @ x, (S, x), "S"),
    "a choice": (lambda x: sg.where(x > 0.5, sg.sin(x), x**2).sum(), (x,), "x"),
    "a loop": (loop, (t, x), "t"),
    "a quotient": (lambda x, y: (sg.exp(x) / (1 + y**2)).sum() * x.sum(), (x, y), "x"),
    "an array": (lambda A, x: sg.exp(A @ x), (A, x), "x"),
    "a matrix": (lambda X, w: sg.tanh(X * w), (X, w), "w"),
    "a variance": (lambda x: x.var(), (x,), "x"),
    "what cancels": (lambda x, S: x @ (S - S.T) @ x, (x, S), "x"),
    "the largest": (lambda X: X.max(), (X,), "X"),
    "a part": (lambda x: (x[1:] * x[:-1]).sum() ** 2, (x,), "x"),
    "fixed sizes": (lambda u: (sg.sin(u) ** 2).sum(), (np.array([0.3, -1.0]),), "u"),
}  # fmt: skip


class Proof:
    """The values of a derivation's names, found without its differentials: by differences of the function."""

    def __init__(self, f, wrt):
        self.root, self.lines = f._expanded(), f.grad(wrt).explain().lines
        self.point = {k: np.asarray(v, float) for k, v in f.point.items()}
        self.x = f._variable(wrt)
        self.parts = {}  # name -> its term in the symbols alone
        for line in self.lines:
            if line.kind == "let":
                given = {
                    v: self.parts[v.name]
                    for v in postorder(line.terms[1])
                    if isinstance(v, Var) and v.name in self.parts
                }
                self.parts[line.terms[0].name] = substitute(line.terms[1], given)
        self.parts["f"] = self.root
        self.dx = np.random.default_rng(1).normal(size=tuple(map(int, self.x.shape)))

    def along(self, term):
        """The change of a term along dx, by central differences."""
        h = 1e-5
        ends = [evaluate(term, {**self.point, self.x.name: self.point[self.x.name] + s * h * self.dx}) for s in (1, -1)]
        return (ends[0] - ends[1]) / (2 * h)

    def gradient_in(self, name):
        """The gradient of the function in one of its parts, the others following from it or staying."""
        term = self.parts[name]
        free = Var("free part", term.shape)
        root = substitute(self.root, {term: free})
        for other, definition in reversed(self.parts.items()):  # a product may hold the part without being made of it
            if other not in (name, "f"):
                root = substitute(root, {substitute(definition, {term: free}): substitute(definition, {term: free})})
        value = evaluate(term, self.point)
        if any(t is self.x for t in postorder(root)):
            return None  # the function hangs on the variable beside the part, or holds the part in another form
        out = np.zeros(value.shape)
        for at in np.ndindex(value.shape):
            step = np.zeros(value.shape)
            step[at] = 1e-5
            ends = [evaluate(root, {**self.point, free.name: value + s * step}) for s in (1, -1)]
            out[at] = (ends[0] - ends[1]) / 2e-5
        return out

    def values(self):
        found = {**self.point, **{k: evaluate(v, self.point) for k, v in self.parts.items()}}
        found.update({f"{LAST}d{k}": self.along(v) for k, v in self.parts.items()})
        found[f"{LAST}d{self.x.name}"] = self.dx
        return found


@one_in(4)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_line_is_true(name):
    function, arguments, wrt = FUNCTIONS[name]
    proof = Proof(sg.formula(function, *arguments), wrt)
    values, equalities = proof.values(), 0
    for line in proof.lines:
        left = line.terms[0] if line.terms else None
        if line.kind == "gradient":  # r̄
            part = left.name.replace("\u0304", "")
            independent = proof.gradient_in(part)
            values[left.name] = evaluate(line.terms[1], values)
            if independent is not None:
                np.testing.assert_allclose(values[left.name], independent, rtol=1e-4, atol=1e-6)
                equalities += 1
        known = [u for u in line.terms if not (isinstance(u, Var) and u.name not in values)]
        found = [evaluate(u, values) for u in known]
        for one in found[1:]:
            np.testing.assert_allclose(one * 1.0, found[0] * 1.0, rtol=1e-5, atol=1e-7, err_msg=str(line))
            equalities += 1
        if line.kind == "derivative":
            inside = evaluate(line.terms[-1], values).reshape((*np.shape(values["f"]), -1)) @ proof.dx.reshape(-1)
            np.testing.assert_allclose(inside, values[f"{LAST}df"], rtol=1e-5, atol=1e-7)
            values.setdefault(left.name, found[-1])
            equalities += 1
    assert equalities >= 2


def test_derivations_read_as_on_a_board():
    f = sg.formula(*FUNCTIONS["least squares"][:1], A, x, b)
    assert str(f.grad("x").explain()).splitlines() == [
        "f = ‖Ax − b‖²",
        "let r = Ax − b",
        "f = ‖r‖²",
        "df = 2rᵀ dr        chain rule: d r² = 2r dr",
        "dr = A dx          linear in x",
        "Back from f to x, r̄ being the gradient of f in r:",
        "r̄ = 2r",
        "g = ∂f/∂x = Aᵀr̄    the chain rule through r",
        "g = 2Aᵀr           r̄ put in",
        "g = 2Aᵀ(Ax − b)    r put in",
    ]
    text = str(sg.formula(attention, Q, K, V, Y).grad("Q").explain())
    for line in ("let P = softmax(U)", "dR = dP V", "the derivative of softmax", "R̄ = 2R", "P̄ = R̄Vᵀ", "P̄ = 2RVᵀ"):
        assert line in text
    assert "d softplus(u) = σ(u) du" in str(sg.formula(logistic, w, X, t).grad("w").explain())
    assert "df = tr(X⁻¹ dX)" in str(sg.parse("logdet(X)", X=("n", "n")).grad("X").explain())


def test_names_stay_from_one_derivative_to_the_next():
    text = str(sg.formula(logistic, w, X, t).hessian("w").explain())
    assert text.count("let u = Xw") == 1 and "let r = σ(u) − t" in text
    assert "h = ∂g/∂w" in text and "since dg = h dw" in text


def test_a_gradient_back_has_the_letter_of_its_part_in_every_derivative():
    s = sg.symbol("s")
    text = str(sg.formula(lambda s: sg.abs(sg.log1p(s)), s).hessian("s").explain())
    first, second = text.split("Back from g to s")
    assert "t̄ = sign(t)" in first and "t̄ = 0" in second and "h = ∂g/∂s" in second


def test_names_that_were_given_are_kept():
    a = sg.tensor(np.eye(2), name="a")
    v = sg.tensor([1.0, 2.0], requires_grad=True, name="v")
    r = a @ v - 1
    r.name = "r"
    text = str((r**2).sum().formula(stop_at=[r]).grad("v").explain())
    assert text.count("let ") == 1 and "let r = av − 1     a name that was given" in text and "r̄ = 2r" in text


def test_names_of_parts_are_nobodys():
    f = sg.parse("sum((r@u - f)**2)", r=("m", "n"), u="n", f="m")
    text = str(f.grad("u").explain())
    assert text.startswith("g = ‖ru − f‖²") and "let v = ru − f" in text


PROBLEMS = {
    "exp(-x@x)*sum(x)": dict(x="n"), "sum(exp(-x@x)*sin(x@x))*exp(-x@x)": dict(x="n"),
    "exp(-x@x)*(x@y) + x@x": dict(x="n", y="n"), "exp(-(x@x)*s)/s": dict(x="n", s=()),
    "sum(log(1 + exp(-y*(X@w))))": dict(X=("m", "n"), y="m", w="n"), "sum(softmax(A@x)*y)": dict(A=("m", "n"), y="m"),
    "log(sum(exp(A@x)))*sum(A@x)": dict(A=("m", "n"), x="n"), "sum((r@u - f)**2)": dict(r=("m", "n"), u="n", f="m"),
    "sum(tanh(x*dx)**2)*exp(x@dx)": dict(x="n", dx="n"), "exp(-s_bar@x)*(s_bar@x)": dict(x="n", s_bar="n"),
    "sum(exp(-x)/(1 + exp(-x))**2)": dict(x="s"), "sqrt(x@x)*exp(-sqrt(x@x))": dict(x="n"),
    "sum(softplus(x)*tanh(x)**2)": dict(x="n"), "sum(exp(-(x - t)**2)*(x - t))": dict(x="n", t=()),
    "exp(-x**2)*log(1 + x**2)": dict(x=()), "sin(x**2)/(1 + cos(x**2)) + exp(u*x)": dict(x=(), u=()),
    "sum((x@S)*exp(-(x@S)))": dict(x="n", S=("n", "n")), "log(1 + exp(x - y)) + (x - y)**3": dict(x=(), y=()),
}  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("text", PROBLEMS)
def test_a_letter_means_one_thing_and_is_no_name_of_the_problem(text, order):
    shapes = PROBLEMS[text]
    f = sg.parse(text, **shapes)
    wrt = "u" if "r@u" in text else "w" if "w" in shapes else "x"
    found = f.grad(wrt) if order == 1 else f.hessian(wrt)
    steps = found.explain()
    meanings = {}
    for line in str(steps).splitlines():
        words = line.split("    ")[0] if line.startswith("let") else line.strip()
        after_where = words.removeprefix("let ").removeprefix("where ")
        if words.startswith(("let ", "where ")) or (line.startswith("        ") and " = " in line):
            letter, _, meaning = after_where.partition(" = ")
            meanings.setdefault(letter, set()).add(meaning)
        for note in re.findall(r", (\w+ = \w+\(\w+\))$", line):  # p = softmax(u)
            meanings.setdefault(note.partition(" = ")[0], set()).add(note.partition(" = ")[2])
    named = {v.name for line in steps.lines if line.kind in ("function", "derivative") for v in line.terms[:1]}
    problem = {*f.free_symbols, *map(str, {n for s in shapes.values() for n in s}), *named}
    assert all(len(m) == 1 for m in meanings.values()), meanings
    assert problem.isdisjoint(meanings) and problem.isdisjoint(f"d{n}" for n in (*meanings, *named))
    assert ("dx" in shapes) == ("δx" in str(steps))
    assert not {f"{v.terms[0].name}_bar" for v in steps.lines if v.kind == "let"} & problem


def _instances(text):
    """The patterns of a reason ``a → b``, as the rules in use have them."""
    return [r for r in sg.extend.RULES if text == f"{r.pattern} → {r.replacement}"]


@pytest.mark.parametrize("text", PROBLEMS)
def test_a_reason_with_an_arrow_is_the_rule_that_was_used(text):
    from symgrad.calculus.rewriting import compiled

    shapes = PROBLEMS[text]
    wrt = "u" if "r@u" in text else "w" if "w" in shapes else "x"
    f = sg.parse(text, **shapes).hessian(wrt)
    used = {
        step.reason: step for step in (*f._steps(), *f._operands[0]._steps(), *f._operands[0]._operands[0]._steps())
    }
    for line in f.explain().lines:
        if "→" not in line.reason:
            continue
        (rule,) = _instances(line.reason.partition(": ")[0])
        before, after = used[line.reason].before, used[line.reason].after
        assert compiled(rule).apply(before)[0] is after


def test_what_an_algorithm_did_is_said_in_words():
    assert all("→" not in p.reason and p.reason == p.why for p in passes())
    assert "a polynomial factored" in str(sg.parse("exp(-x@x)*sum(x)", x="n").grad("x").explain())


def test_what_is_combined_is_explained_with_its_rewrites():
    made = sg.parse("log(1 + exp(t))", t=()) + sg.parse("t**2", t=())
    text = str(made.grad("t").explain())
    assert "log(1 + exp(t)) = softplus(t)" in text and "f = softplus(t) + t²" in text.replace(
        "t² + softplus(t)", "softplus(t) + t²"
    )
    assert "multiplied out" in str((made**2).expand().explain())


def test_what_does_not_hang_on_the_variable_is_constant():
    lines = str(sg.parse("c", c=()).grad("c").grad("c").explain()).splitlines()
    assert lines[3].split() == ["dg", "=", "0", "constant"] and lines[4].startswith("h = ∂g/∂c = 0")


def test_markdown_and_latex_say_the_same():
    steps = sg.formula(logistic, w, X, t).grad("w").explain()
    markdown, latex = steps.markdown(), steps.latex()
    assert steps._repr_markdown_() == markdown and LAST not in str(steps) + markdown + latex
    assert r"$\mathrm{d}u = X \, \mathrm{d}w$  *(linear in $w$)*" in markdown
    assert latex.startswith(r"\begin{aligned}") and r"\bar{u} &= \sigma(u) - t" in latex
    assert r"\frac{\partial f}{\partial w} = X^{\top} \bar{u}" in latex and "\u0304" not in latex


def test_a_wrong_line_is_found_and_asks_for_a_report(monkeypatch):
    from symgrad.formulas import derivation

    right = derivation.gradient
    monkeypatch.setattr(derivation, "gradient", lambda *args: _twice(right(*args)))
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        sg.formula(*FUNCTIONS["least squares"][:1], A, x, b).grad("x").explain()


def _twice(term):
    from symgrad.terms.normal_form import shaped

    return shaped(term.shape, 2, [(term, tuple(range(term.rank)))])


def test_long_derivations_are_folded():
    def euler(y, a):
        for _ in range(40):
            y = y + 0.1 * (a * y - y**2)
        return y

    text = str(sg.formula(euler, sg.symbol("y"), sg.symbol("a")).grad("y").explain())
    assert "are left out: it has" in text and "rewrites are left out" in text
    assert len(text) < 60_000


@pytest.mark.parametrize("f", [sg.sigmoid, sg.tanh, lambda x: sg.sigmoid(x) ** 2, lambda x: 1 / (1 + x**2)])
def test_a_reason_says_what_became_of_a_polynomial(f):
    formula = sg.formula(lambda x: f(x).sum(), sg.symbol("x", (3,))).hessian("x")
    for step in formula._steps():
        assert step.reason != "a polynomial factored" or step.after.kind != "add"
        assert step.reason != "a polynomial multiplied out" or step.after.kind == "add"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("tan(x)", ["f = tan(x)", "df = (1 + tan(x)²) dx", "g = ∂f/∂x = 1 + tan(x)²"]),
        ("x*exp(-x^2)", [
            "f = x exp(−x²)", "df = s dx − 2sx² dx", "  where s = exp(−x²)", "g = ∂f/∂x = s − 2sx²",
            "  where s = exp(−x²)", "g = exp(−x²)(1 − 2x²)",
        ]),
        ("x^2/(1+x)", [
            "f = x²/(1 + x)", "df = (2x + x²) dx/(1 + x)²", "g = ∂f/∂x = (2x + x²)/(1 + x)²", "g = 1 − 1/(1 + x)²",
        ]),
    ],
)  # fmt: skip
def test_a_line_speaks_of_what_a_line_before_it_shows(text, lines):
    """The negative of what is shown, and forms that are shorter only inside, are what an algorithm met: no lines."""
    steps = str(sg.parse(text, x=()).grad("x").explain()).splitlines()
    assert [re.split(r" {4,}", line)[0] for line in steps] == lines
    assert steps[-1].partition("    ")[2] or text == "tan(x)"  # what was done has its reason

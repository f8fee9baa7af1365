"""A recorded graph explained: each operation and each gradient as a formula, and the number that it gives.

The idea to hold: a line says that a formula has a value. The value is the tape's own (`autograd.grad` has it too), and
the formula is one that reads back to it.
"""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.rows import DEAR, RECORDED, rows, run, sample, weights
from ..helpers.user_defined import Cube


def leaf(values, name=None, **options):
    return sg.tensor(values, requires_grad=True, name=name, **options)


def text(t, **options):
    return str(t.explain(**options)).splitlines()


def test_the_chain_rule_line_by_line():
    A, x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], name="A"), leaf([1.0, 2.0], "x")
    assert text(((A @ x - 1) ** 2).sum()) == [
        "let v1 = Ax          [5, 11]",
        "let v2 = v1 − 1      [4, 10]",
        "let v3 = v2²         [16, 100]",
        "f = sum(v3)          116",
        "Back from f to x, v̄3 being the gradient of f in v3:",
        "v̄3 = 𝟏               [1, 1]",
        "v̄2 = 2 v2 ⊙ v̄3       [8, 20]",
        "v̄1 = v̄2              [8, 20]",
        "x̄ = ∂f/∂x = Aᵀ v̄1    [68, 96]",
    ]


def test_a_node_that_is_used_twice_gathers_both():
    w = leaf([1.0, 2.0], "w")
    assert text((sg.tanh(w) * w).sum())[-1].startswith("w̄ = ∂f/∂w = v̄1 ⊙ (1 − v1²) + v1 ⊙ v̄2 ")


@one_in(3)
@rows(RECORDED, slow=DEAR)
def test_every_row_is_explained_or_says_that_it_is_not(op):
    operands, params = sample(op)
    _, outs = run(op, operands, params)
    parts = [y * sg.tensor(w) for y, w in zip(outs, weights([y.detach().numpy() for y in outs]), strict=True)]
    loss = sum((p.real + p.imag if p.dtype.kind == "c" else p).sum() for p in parts)
    lines = loss.explain().lines
    made = [line for line in lines if line.kind == "gradient"]
    is_complex = any(np.iscomplexobj(a) for a in [*operands, *(y.detach().numpy() for y in outs)])
    assert made or is_complex, "no gradient has a formula"


def test_numbers_are_those_of_backward():
    x = leaf(np.linspace(-1, 1, 12).reshape(3, 4), "x")
    loss = sg.logsumexp(sg.sin(x) @ sg.ones(4), 0)
    (g,) = sg.autograd.grad(loss, x, retain_graph=True)
    norm = f"norm {np.linalg.norm(g.numpy()):.5g}"
    assert f"3×4 entries from {g.min().item():.5g} to {g.max().item():.5g}, {norm}" in text(loss)[-1]


def test_what_is_wanted_only():
    x, b = leaf([1.0, 2.0], "x"), leaf(3.0, "b")
    r = x * b
    loss = (r**2).sum()
    assert [line[0] for line in text(loss, wrt=b)[4:]] == ["v", "v", "b"]
    assert text(loss, wrt=[r])[-1].startswith("v̄1 = ∂f/∂v1 = 2 v1 ⊙ v̄2")


def test_names_do_not_meet_those_of_the_user():
    v1, f = leaf(1.0, "v1"), leaf(2.0, "f")
    lines = text(sg.sin(v1 * f))
    assert lines[0].startswith("let u1 = f v1")
    assert lines[1].startswith("g = sin(u1)")
    y = v1 * f
    y.name = "loss"
    assert text(y)[0].startswith("loss = f v1")


def test_names_do_not_run_out():
    first, *others = [leaf(k + 1.0, name) for k, name in enumerate("vuwzhfgk")]
    product = first
    for other in others:
        product = product * other
    lines = text(product)
    assert lines[0].startswith("let vv1 = ") and any(line.startswith("ff = ") for line in lines)


def test_of_a_long_graph_the_first_and_the_last():
    x = leaf([0.5, 1.0], "x")
    y = x
    for _ in range(3000):
        y = sg.sin(y)
    lines = text(y.sum())
    assert len(lines) < 130
    assert "(2941 operations are left out)" in lines
    assert "(2941 gradients are left out)" in lines
    assert lines[-1].startswith("x̄ = ∂f/∂x = v̄1 ⊙ cos(x)")


def test_nothing_is_left_behind():
    x = leaf([1.0, 2.0], "x")
    seen = []
    x.register_hook(seen.append)
    h = sg.exp(x)
    h.retain_grad()
    loss = h.sum()
    loss.explain()
    assert (x.grad, h.grad, seen) == (None, None, [])
    loss.backward()
    assert x.grad.tolist() == pytest.approx([np.e, np.e**2])
    with pytest.raises(sg.GraphFreedError, match="second time"):
        loss.explain()


def test_functions_of_the_users():
    lines = text(Cube.apply(leaf([1.0, 2.0], "x")).sum())
    assert lines[0].startswith("let v1 = Cube(x) ")
    assert lines[-1].startswith("x̄ = ∂f/∂x = 3 v̄1 ⊙ x² ")


def test_a_wrong_backward_has_no_formula_that_is_its_number():
    class Wrong(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**3

        @staticmethod
        def backward(ctx, g):
            return g * float(np.random.default_rng().random())

    with pytest.raises(sg.FormulaError, match="disagree"):
        Wrong.apply(leaf([1.0, 2.0], "x")).sum().explain()


def test_where_a_number_is_a_convention():
    last = text(leaf([0.0, 0.0], "x").norm())[-1]
    assert last == "x̄ = ∂f/∂x = x/‖x‖    [0, 0] (a convention: the formula is not defined there)"


def test_several_results_and_writes():
    x, b = leaf([1.0, 2.0], "x"), leaf(3.0, "b")
    assert text(sg.unbind(sg.exp(x))[1])[-1].startswith("x̄ = ∂f/∂x = v1 ⊙ v̄1")
    y = x * 1
    y[0] = b
    assert text((y * y).sum())[-1].split() == ["b̄", "=", "∂f/∂b", "=", "v̄3", "6"]


def test_forms():
    made = sg.exp(leaf([1.0, 2.0], "x")).sum().explain()
    assert made.text() == str(made) == repr(made)
    assert r"$\bar{x} = \frac{\partial f}{\partial x} = v_{1} \odot \bar{v_{1}}$" in made.markdown()
    assert (
        r"\bar{x} &= \frac{\partial f}{\partial x} = v_{1} \odot \bar{v_{1}} && \text{[2.7183, 7.3891]}" in made.latex()
    )
    assert "<tr><td>x̄ = ∂f/∂x = v1 ⊙ v̄1</td><td>[2.7183, 7.3891]</td></tr>" in made.html()
    assert made._repr_markdown_() == made.markdown()


def test_of_a_formula_too():
    made = sg.parse("x<y", x=(), y=()).explain()
    assert "<td>f = 1[x &lt; y]</td>" in made.html()


@pytest.mark.parametrize(
    ("ask", "kind", "words"),
    [
        (lambda: leaf(1.0).explain(), sg.GradientError, "no recorded operation"),
        (lambda: sg.tensor(1.0).explain(), sg.GradientError, "no recorded operation"),
        (lambda: (leaf([1.0, 2.0]) * 2).explain(), sg.GradientError, "only for scalar outputs"),
        (lambda: leaf([1.0]).sum().explain(wrt=leaf(1.0)), sg.GradientError, "not in the graph"),
        (lambda: leaf([1.0]).sum().explain(wrt=3), sg.GradientError, "wrt takes tensors"),
        (lambda: sg.symbol("t").sin().explain(), sg.FormulaError, "a symbol has no values"),
    ],
)
def test_what_cannot_be_explained(ask, kind, words):
    with pytest.raises(kind, match=words):
        ask()

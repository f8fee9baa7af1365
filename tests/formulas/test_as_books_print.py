"""Formulas as a book prints them: no open letters, decompositions by name, dots, shorthands, LaTeX that compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.show.latex_notes import in_words
from symgrad.show.layout_terms import look

from ..helpers import rows
from ..helpers.cases import one_in

# ------------------------------------------------------------- No letter of a bound variable is left open in a formula


def _open_letters(text: str, known: set[str]) -> set[str]:
    """What something is differentiated by in a text, ∂f(S)/∂S, that is neither a symbol nor defined."""
    defined = {
        d.strip() for d in re.findall(r"(?:where |\n {6})([^=]*?)(?:\[[^\]]*\])? = ", text) for d in d.split(",")
    }
    parts = {p for d in re.findall(r"= (\S.*)ᵀ$", text, re.MULTILINE) for p in re.findall(r"[A-Z]\d*", d)}
    by = re.findall(r"∂[a-z_]{2,}[^∂]*?\)(?:\[\d\])?/∂(\([^)]*\)|[^\s)\[·]+)", text)
    return {x for x in by if x not in known | defined | parts}


ROWS_OF_ARRAYS = [op for op in rows.RECORDED if op.kind != "elementwise" and not rows.is_draw(op)]
"""Rows whose derivatives are more than entries times entries."""
DEEP = {op.name for op in ROWS_OF_ARRAYS} & {
    "solve_continuous_are", "solve_discrete_are", "schur", "schur_turns", "matrix_log", "matrix_sqrt", "lu",
    "ldl",
}  # fmt: skip


@one_in(3)
@rows.rows(ROWS_OF_ARRAYS, slow=DEEP | rows.DEAR)
def test_no_derivative_of_an_operation_shows_a_letter_that_is_nothing(op) -> None:
    operands, params = rows.sample(op)
    if any(np.iscomplexobj(a) for a in operands):
        pytest.skip("formulas of complex numbers are not differentiated")
    leaves = rows.wanted(op, operands)
    tensors = rows.tensors(operands, leaves)
    found = [o for o in rows.call(op, tensors, params) if o.requires_grad and rows.is_float(o.numpy(force=True))]
    names = {t.name for t in tensors if isinstance(t, sg.Tensor)}
    f = sum((o**2).sum() for o in found).formula()
    for name in {tensors[i].name for i in leaves}:
        for derivative in (f.grad, f.hessian):
            try:
                made = derivative(name)
            except sg.FormulaError:  # said in words, by the operation's name
                continue
            assert not _open_letters(str(made), names), str(made)


@pytest.mark.parametrize(
    ("text", "shapes", "wrt", "expected"),
    [
        ("tr(kron(A, X))", dict(A=("n", "n"), X=("k", "k")), "X", "tr(A) I"),
        ("tr(kron(A, X))", dict(A=("n", "n"), X=("k", "k")), "A", "tr(X) I"),
        ("sum(kron(a, x))", dict(a="n", x="k"), "x", "sum(a) 𝟏"),
        ("kron(A, B)", {}, "A", "kron(I[p]I[r]ᵀ, B)[i,j]"),
        ("kron(A, B)", {}, "B", "kron(A, I[p]I[r]ᵀ)[i,j]"),
        ("cumsum(X, 1)", {}, "X", "I ⊗ cumsum(I, dim=0)"),
        ("tril(A)", dict(A=("n", "n")), "A", "diag(vec(tril(𝟏𝟏ᵀ)))"),
        ("norm(X, 'nuc')", {}, "X", "UVᵀ\nwhere X = UΣVᵀ"),
        ("norm(A@X, 'nuc')", {}, "X", "AᵀUVᵀ\nwhere AX = UΣVᵀ"),
        ("norm(X, 'nuc') + tr(Sigma@X)", {}, "X", "UVᵀ + Σᵀ\nwhere X = U diag(s) Vᵀ"),
        ("log(det(diag(x)))", {}, "x", "1/x"),
        ("det(diag(x))", {}, "x", "prod(x)/x"),
        ("det([[a, b], [c, d]])", {}, "a", "d"),
        ("det([[x, 1], [1, x]])", {}, "x", "2x"),
        ("det([[exp(x), x], [2, sin(x)]])", {}, "x", "exp(x)(sin(x) + cos(x)) − 2"),
        ("log(det([[a, b], [b, d]]))", {}, "a", "d/(ad − b²)"),
        ("det([[a, b, c], [d, f, g], [h, k, m]])", {}, "a", "fm − gk"),
        (
            "det([[a - x, b, c], [d, f, g], [h, k, m]])",
            {},
            "m",
            "det(S)(S⁻¹)[2, 2]\nwhere S = [[a − x, b, c], [d, f, g], [h, k, m]]",
        ),
    ],
)
def test_derivatives_that_books_print_in_a_line(text: str, shapes: dict, wrt: str, expected: str) -> None:
    f = sg.parse(text, **shapes)
    made = f.jacobian(wrt) if f.shape else f.grad(wrt)
    assert str(made) == expected


def test_an_identity_between_places_is_not_read_along_a_diagonal() -> None:
    A, B = sg.symbol("A", (4, 4)), sg.symbol("B", (3, 3))
    f = sg.formula(lambda A, B: sg.trace(sg.kron(A, sg.eye(3)) + sg.kron(sg.eye(4), B)), A, B)
    assert str(f.grad("A")) == "3I" and str(f.grad("B")) == "4I"


@pytest.mark.parametrize(
    ("names", "text", "latex"),
    [
        (("theta", "theta_dot"), "θ + θ̇", r"\theta + \dot{\theta}"),
        (("q_dot_1", "q_dot_2"), "q̇₁ + q̇₂", r"\dot{q}_{1} + \dot{q}_{2}"),
        (("x", "x_dot", "x_ddot"), "x + ẋ + ẍ", r"x + \dot{x} + \ddot{x}"),
        (("theta_ddot",), "θ̈", r"\ddot{\theta}"),
        (("ẋ",), "ẋ", r"\dot{x}"),
        (("x1", "x_1"), "x1 + x₁", r"\mathrm{x1} + \mathrm{x\_1}"),
    ],
)
def test_derivatives_in_time_have_their_dots(names: tuple[str, ...], text: str, latex: str) -> None:
    def dotted(name: str) -> str:
        return unicodedata.normalize("NFC", name)

    f = sg.formula(lambda *a: sum(a[1:], a[0]), *[sg.symbol(n) for n in names])
    assert sorted(str(f).split(" + ")) == sorted(map(dotted, text.split(" + ")))
    assert sorted(f.latex().split(" + ")) == sorted(latex.split(" + "))
    assert sg.parse(str(f), **dict.fromkeys(names, ())).equals(f)


@pytest.mark.parametrize("text", [r"\ell^2 m + l", "ell^2*m + l", "mℓ² + l"])
def test_the_letter_ell_is_none_of_the_letter_l(text: str) -> None:
    f = sg.parse(text)
    again = sg.parse(str(f))
    assert {str(f), str(again)} <= {"mℓ² + l", "ℓ²m + l"} and r"\ell^{2}" in f.latex()
    assert str(f.grad("l")) == "1" and again.grad("ℓ")(**dict.fromkeys(again.free_symbols, 2.0)) == 8
    assert "ell**2" in f.code() and "ℓ" not in f.code()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("where(x > 0, x^2, -x)", r"\begin{cases} x^{2} & \text{if } x > 0 \\ -x & \text{otherwise} \end{cases}"),
        (
            "where(x > 2, x, where(x > 1, where(y > 0, 1, 2), 3))/y",
            r"\frac{\begin{cases} x & \text{if } x > 2 \\ \left(\begin{cases} 1 & \text{if } y > 0 \\ "
            r"2 & \text{otherwise} \end{cases}\right) & \text{if } x > 1 \\ 3 & \text{otherwise} \end{cases}}{y}",
        ),
    ],
)
def test_choices_are_cases_in_latex(text: str, latex: str) -> None:
    f = sg.parse(text)
    assert f.latex() == latex
    assert sg.parse(latex).equals(f)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (
            r"A + \mathbf{1} \left(\begin{cases} x & \text{if } x > y \\ y & \text{else} \end{cases}\right)^{\top}",
            "A + 𝟏 where(x > y, x, y)ᵀ",
        ),
        (r"A + \mathbf{1} (y \odot \mathbf{1}[x > 0])^{\top}", "A + 𝟏(y ⊙ 1[x > 0])ᵀ"),
        (r"x \odot \mathbf{1}[\operatorname{isnan}(y)]", "where(isnan(y), x, 0)"),
        (r"x \mathbf{1}((s > 0) \land (s < 1))", "1[(s > 0) ∧ (s < 1)]x"),
    ],
)
def test_ones_before_a_choice_are_no_indicator(latex: str, text: str) -> None:
    shapes = {"A": ("m", "n"), "x": "n", "y": "n", "s": ()}
    f = sg.parse(latex, **{name: shape for name, shape in shapes.items() if name in text})
    assert str(f) == text


@pytest.mark.parametrize(
    ("text", "wrt", "shapes"),
    [
        ("sqrt(norm(S@x - b)**2 + R)", "x", dict(R=())),
        ("exp(-norm(S@x - u)**2)*R*nu", "x", dict(R=(), nu=())),
        ("norm(r_1*x - y)**3", "x", dict(r_1=(), x="n", y="n")),
        ("sum((V@x - v)**2)**2 + nu", "x", dict(nu=())),
        ("norm(X, 'nuc')*U", "X", dict(U=())),
        ("sum(tanh(W@x + b)**2) + H", "W", dict(H=())),
    ],
)
def test_a_shorthand_looks_like_no_name_of_the_problem(text: str, wrt: str, shapes: dict) -> None:
    f = sg.parse(text, **shapes)
    made = f.grad(wrt)
    own = {look(name) for name in f.free_symbols}
    shown = re.findall(r"(?:where |\n {6})(\w+)", str(made))
    given = [name for name in shown if name not in f.free_symbols]
    assert all(look(name) not in own and name not in "eid" for name in given), str(made)


# -------------------------------------------------------------- LaTeX of derivations: what plain LaTeX and amsmath know

COMMANDS = """
aligned cases text where mathrm mathbf operatorname frac tfrac sqrt left right lVert rVert lvert rvert lfloor rfloor
langle rangle begin end pmatrix odot otimes oplus circ cdot quad ldots top bar hat tilde dot ddot partial sum
prod infty phantom le ge ne to land lor lnot ell pi surd Vert times in nabla emptyset Rightarrow textbackslash
mid vert ast exp log sin cos tan sinh cosh tanh det max min alpha beta gamma delta epsilon zeta eta theta iota
kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi
Psi Omega varphi
"""
"""Commands and environments of LaTeX with amsmath and amssymb that a derivation may have."""
BOARD = {
    "norm(A@x - b)**2": "x", "log(sum(exp(A@x + b)))": "x", "x@A@x/(x@x)": "x", "norm(X, 'nuc')": "X",
    "log(det(X))": "X", "log(det(S))/2 + (x - mu)@inv(S)@(x - mu)/2": "S", "m*l**2*theta_dot**2/2": "theta_dot",
    "sum(log(1 + exp(-y*(X@w))))": "w", "sum(relu(W@x + b))": "W", "softmax(z)@y": "z", "sum(cumsum(x)**2)": "x",
    "exp(-x@x)*sum(x)": "x", "a**x*a**2": "x", "sqrt(norm(x - y)**2 + c)": "x", "lgamma(a)*sin(x_hat)**2": "a",
    "sum(cos(x)**2 + sin(x)**2*t)": "x", "prod(x)": "x", "x_ddot*theta_ddot**2": "theta_ddot", "max(x)*norm(x, 1)": "x",
}  # fmt: skip


def boards() -> list[str]:
    """The derivations of gradients and of second derivatives, in LaTeX."""
    shapes = {"c": (), "t": (), "a": (), "x": "n", "y": "n"}
    found = []
    for text, wrt in BOARD.items():
        plain = {n: s for n, s in shapes.items() if re.search(rf"\b{n}\b", text) and "@" not in text and "norm" in text}
        f = sg.parse(text, **plain)
        found += [d.explain().latex() for d in (f.grad(wrt), f.hessian(wrt))]
    return found


def commands(latex: str) -> set[str]:
    """The commands and environments in it that are none of `COMMANDS`."""
    used = re.findall(r"\\([A-Za-z]+)", latex) + re.findall(r"\\(?:begin|end)\{(\w+)\}", latex)
    return set(used).difference(COMMANDS.split())


@pytest.fixture(scope="module")
def derivations() -> list[str]:
    return boards()


def test_derivations_have_nothing_that_plain_latex_does_not_know(derivations: list[str]) -> None:
    for latex in derivations:
        assert latex.isascii() and not commands(latex), (latex, commands(latex))
        assert not re.search(r"[A-Za-z}] \\mathrm\{d\}", re.sub(r"\\[A-Za-z]+ ", "+ ", latex)), latex


def test_reasons_of_rules_are_plain_latex() -> None:
    for rule in sg.extend.RULES:
        latex = in_words(f"{rule.pattern} → {rule.replacement}: {rule.why}")
        assert latex.isascii() and not commands(latex), (latex, commands(latex))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_derivations_compile(derivations: list[str], tmp_path: Path) -> None:
    reasons = [in_words(f"{r.pattern} → {r.replacement}: {r.why}") for r in sg.extend.RULES]
    displays = [rf"\[ {latex} \]" for latex in derivations]
    head = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}"
    (tmp_path / "board.tex").write_text("\n\n".join([head, *displays, *reasons, r"\end{document}"]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "board.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]


def test_a_line_of_a_derivation_changes_one_thing_and_says_why() -> None:
    for text, wrt in BOARD.items():
        steps = str(sg.parse(text).grad(wrt).explain()) if "@" in text else ""
        for line in steps.splitlines():
            formula = line.split("    ")[0]
            assert formula.count(" = ") <= 1 + ("∂" in formula) + ("where" in formula), line
        assert "overflow" not in steps

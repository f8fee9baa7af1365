"""How terms are printed: the notation of the textbook, from terms built by hand."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symgrad as sg
from symgrad import FormulaError
from symgrad.core import TABLE
from symgrad.notation import ParseError, parse
from symgrad.show import to_code, to_latex, to_text
from symgrad.terms.node import Add, Call, Data, Delta, Ein, Expr, Jac, Lin, Map, One, Var

from ..helpers.cases import one_in
from ..helpers.work import calls
from .corpus._reader import read
from .corpus._values import NotReadable
from .test_printed_code import check, run_ascii, sample, value

ONE = Ein(1, (), (), 0)
LETTERS = "ijklmn"


def ein(spec: str, *factors: Expr, coef: Any = 1) -> Ein:
    """A product, as `numpy.einsum` writes it."""
    inputs, out = spec.split("->")
    parts = inputs.split(",")
    sizes = {c: n for s, f in zip(parts, factors) for c, n in zip(s, f.shape)}
    labels = [*out, *sorted(set(sizes) - set(out))]
    place = {c: i for i, c in enumerate(labels)}
    items = [(f, tuple(place[c] for c in s)) for s, f in zip(parts, factors)]
    return Ein(coef, items, tuple(sizes[c] for c in labels), len(out))


def add(shape: tuple[int, ...], *terms: tuple[Any, Expr, str]) -> Add:
    return Add([(c, t, tuple(map(LETTERS.index, s))) for c, t, s in terms], shape)


def apply(name: str, *args: Expr, params: tuple = ()) -> Map:
    shape = max((a.shape for a in args), key=len)
    return Map(TABLE[name], [(a, tuple(range(len(a.shape)))) for a in args], params, shape)


def power(x: Expr, exponent: Any) -> Map:
    return apply("pow_scalar", x, params=(exponent,))


def call(name: str, *args: Expr, params: tuple = (), shape: tuple = (), out: int | None = None) -> Call:
    return Call(TABLE[name], args, params, shape, out)


A, B, X = Var("A", (3, 4)), Var("B", (4, 4)), Var("X", (4, 4))
S = Var("S", (4, 4), frozenset({"symmetric"}))
x, y, z, b, t = Var("x", (4,)), Var("y", (4,)), Var("z", (4,)), Var("b", (3,)), Var("t")
beta, W1 = Var("beta", (4,)), Var("W1", (3, 4))
T = Var("T", (4, 3, 5))
Id = Delta(4)
Ax = ein("ij,j->i", A, x)
r = add((3,), (1, b, "i"), (-1, Ax, "i"))
p = call("softmax", x, params=(0,), shape=(4,))
inverse = call("inv", B, shape=(4, 4))
positive = Map(TABLE["gt"], [(x, (0,)), (Ein(0, (), (), 0), ())], (), (4,))
one_plus = add((4,), (1, ONE, ""), (1, x, "i"))
squares = ein("i->", power(r, 2))

UNIT = "(A.T @ r)/norm(r)\nwhere r = b - A @ x"
PRINTED = [
    (Ax, "Ax", "A @ x"),
    (ein("ji,j->i", A, r, coef=-2), "2Aᵀ(Ax − b)", "2*A.T @ (A @ x - b)"),
    (ein("ki,kj->ij", A, A, coef=2), "2AᵀA", "2*A.T @ A"),
    (ein("ij->ji", A), "Aᵀ", "A.T"),
    (ein("i,ij,j->", x, B, x), "xᵀBx", "x @ (B @ x)"),
    (ein("i,ji,j->", x, B, x), "xᵀBx", "x @ (B @ x)"),
    (ein("ji,j->i", S, x), "Sx", "S @ x"),
    (add((4,), (1, ein("ij,j->i", B, x), "i"), (1, ein("ji,j->i", B, x), "i")), "Bx + Bᵀx", "B @ x + B.T @ x"),
    (ein("ki,k,kj->ij", A, apply("cos", Ax), A, coef=-1), "−Aᵀ diag(cos(Ax)) A", "-(A.T*cos(A @ x)) @ A"),
    (ein("i,i->", x, y), "xᵀy", "x @ y"),
    (ein("i,i,i->", x, y, z), "xᵀ(y ⊙ z)", "x @ (y*z)"),
    (ein("i,i->", x, power(y, 2)), "xᵀy²", "x @ y**2"),
    (ein("i,i->", x, power(y, -1)), "sum(x/y)", "sum(x/y)"),
    (ein("i,i,i->", x, y, power(z, -1)), "xᵀ(y/z)", "x @ (y/z)"),
    (ein("i,i->i", y, x), "x ⊙ y", "x*y"),
    (ein("i,i,->i", y, x, t, coef=2), "2tx ⊙ y", "2*t*x*y"),
    (ein("i,j->ij", p, x), "softmax(x) xᵀ", "outer(softmax(x), x)"),
    (ein("i->", x), "sum(x)", "sum(x)"),
    (ein("ij->", A), "sum(A)", "sum(A)"),
    (ein("ij->i", A), "A𝟏", "A.sum(axis=1)"),
    (ein("ij->j", A), "Aᵀ𝟏", "A.sum(axis=0)"),
    (squares, "‖b − Ax‖²", "sum((b - A @ x)**2)"),
    (power(squares, Fraction(1, 2)), "‖b − Ax‖", "norm(b - A @ x)"),
    (ein("ij,i,->j", A, r, power(squares, Fraction(-1, 2))), "Aᵀr/‖r‖\nwhere r = b − Ax", UNIT),
    (ein("ij->", power(A, 2)), "‖A‖²", "sum(A**2)"),
    (ein("ij,jk,ik->", A, B, A), "tr(ABAᵀ)", "trace(A @ B @ A.T)"),
    (ein("ij,ij->", B, X), "⟨B, X⟩", "sum(B*X)"),
    (ein("ij,ji->", B, X), "tr(BX)", "trace(B @ X)"),
    (ein("ii->", B), "tr(B)", "trace(B)"),
    (ein("ii->i", B), "diag(B)", "diag(B)"),
    (ein("i,ij->ij", x, Id), "diag(x)", "diag(x)"),
    (ein("i,ij->ij", x, B), "diag(x) B", "x[:, None]*B"),
    (ein("ij,ij->ij", B, X), "B ⊙ X", "B*X"),
    (ein("ij,ji->ij", B, X), "B ⊙ Xᵀ", "B*X.T"),
    (ein("i,i->i", x, power(one_plus, -1)), "x/(1 + x)", "x/(1 + x)"),
    (ein("i,i,->i", x, power(one_plus, -1), t, coef=Fraction(2, 3)), "2tx/(3(1 + x))", "2*t*x/(3*(1 + x))"),
    (power(x, -1), "1/x", "1/x"),
    (power(x, Fraction(3, 2)), "x^(3/2)", "x**(3/2)"),
    (power(x, Fraction(-1, 2)), "1/√x", "1/sqrt(x)"),
    (power(r, 2), "(b − Ax)²", "(b - A @ x)**2"),
    (ein("ij,j->i", inverse, x), "B⁻¹x", "solve(B, x)"),
    (ein("ji,j->i", inverse, x), "B⁻ᵀx", "solve(B.T, x)"),
    (call("slogdet", B, out=1), "log(|det(B)|)", "slogdet(B)[1]"),
    (ein("i,i->i", x, positive), "x ⊙ 1[x > 0]", "x*where(x > 0, 1.0, 0.0)"),
    (apply("where", positive, x, Ein(0, (), (), 0)), "where(x > 0, x, 0)", "where(x > 0, x, 0)"),
    (apply("abs", x), "|x|", "abs(x)"),
    (apply("pow_tensor", Ein(2, (), (), 0), x), "2^x", "2**x"),
    (ein("ij,j->i", W1, beta), "W1 β", "W1 @ beta"),
    (add((3, 4), (1, A, "ij"), (1, x, "j")), "A + 𝟏xᵀ", "A + x"),
    (add((3, 4), (1, A, "ij"), (-1, b, "i")), "A − b𝟏ᵀ", "A - b[:, None]"),
    (add((4,), (-1, x, "i"), (2, y, "i")), "2y − x", "2*y - x"),
    (ein("ik,mj,ml->ijkl", Id, B, B, coef=2), "2I ⊗ BᵀB", "2*einsum('ac,bd->abcd', eye(4), B.T @ B)"),
    (ein("ik,j,l->ijkl", Id, x, x), "I ⊗ xxᵀ", "einsum('ac,bd->abcd', eye(4), outer(x, x))"),
    (ein("il,jk->ijkl", B, X), "(B ⊗ X)K\nwhere K exchanges the last two axes", "einsum('ad,bc->abcd', B, X)"),
    (ein("kij,k,ik->ij", T, x, Var("C", (3, 4))), "Σₖ C[i,k]·x[k]·T[k,i,j]", "einsum('ik,k,kij->ij', C, x, T)"),
    (Data(np.array([1.0, -2.5])), "[1, −2.5]", "array([1.0, -2.5])"),
    (ein("i->i", One(3), coef=2), "2𝟏", "2*ones(3)"),
]  # fmt: skip


def number(c: Any) -> Ein:
    return Ein(c, (), (), 0)


def plus(shape: tuple[int, ...], *terms: tuple[Any, Expr]) -> Add:
    return add(shape, *[(c, t, LETTERS[: len(t.shape)]) for c, t in terms])


w, lam = Var("w", (4,)), Var("λ")
residual = plus((3,), (1, ein("ij,j->i", A, w)), (-1, b))
ridge = plus((4,), (1, ein("ji,j->i", A, residual)), (1, ein(",i->i", lam, w)))
three = plus((4,), (1, x), (1, y), (1, z))
u_, v_ = Var("u"), Var("v")
MULTIPLIED_OUT = [
    (ein("i->i", ridge, coef=2), "2Aᵀ(Aw − b) + 2λw"),
    (ein("->", plus((), (3, power(u_, 2)), (-1, ONE)), coef=4), "12u² − 4"),
    (ein("->", plus((), (5, u_), (4, v_), (-17, ONE)), coef=2), "10u + 8v − 34"),
    (ein("i->i", plus((4,), (2, apply("abs", x)), (-1, ONE)), coef=Fraction(1, 2)), "|x| − 1/2"),
    (ein("i->i", plus((4,), (1, x), (1, y)), coef=-1), "−x − y"),
    (ein("i->i", three, coef=2), "2(x + y + z)"),
    (plus((4,), (1, x), (-1, plus((4,), (1, z), (2, y)))), "x − 2y − z"),
    (plus((4,), (1, x), (-3, plus((4,), (1, z), (-2, y)))), "6y + x − 3z"),
    (ein("ij,j->i", B, plus((4,), (1, x), (-1, y)), coef=-2), "2B(y − x)"),
    (ein("ij,j->i", B, plus((4,), (1, x), (1, y)), coef=-2), "−2B(x + y)"),
    (plus((4, 4), (6, ein("i,ij->ij", power(x, 2), Id)), (-16, Id)), "diag(6x² − 16)"),
    (ein("i,ij->ij", plus((4,), (3, power(x, 2)), (-8, ONE)), Id, coef=2), "diag(6x² − 16)"),
    (plus((4, 4), (1, S), (1, Id)), "I + S"),
    (plus((4, 4), (5, Id), (-1, ONE)), "5I − 𝟏𝟏ᵀ"),
    (ein("ij->ij", plus((4, 4), (5, Id), (-1, ONE)), coef=Fraction(1, 10)), "I/2 − 𝟏𝟏ᵀ/10"),
    (Add([(1, ONE, ()), (-1, u_, ())], (4,)), "(1 − u)𝟏"),
    (Add([(1, ONE, ()), (-1, x, (1,))], (4, 4)), "𝟏(1 − x)ᵀ"),
]


@pytest.mark.parametrize(("term", "text"), MULTIPLIED_OUT, ids=[t for _, t in MULTIPLIED_OUT])
def test_a_number_stands_before_a_sum_or_in_it_as_is_shorter(term: Expr, text: str) -> None:
    assert to_text(term) == text


C4, D4 = Var("C", (4, 4)), Var("D", (4, 4))
CA, pq = ein("ij,jk->ik", C4, B), ein("i,j->ij", x, y)
KRONECKER = [
    (ein("ik,jl->ijkl", CA, D4), "CB ⊗ D"),
    (ein("ik,lj->ijkl", CA, D4), "CB ⊗ Dᵀ"),
    (ein("ik,jl->ijkl", ein("ki,kj->ij", B, B), Id, coef=2), "2BᵀB ⊗ I"),
    (ein("ik,jl->ijkl", plus((4, 4), (1, B), (1, C4)), Id), "(B + C) ⊗ I"),
    (ein("ik,ik,jl->ijkl", B, C4, Id), "(B ⊙ C) ⊗ I"),
    (ein("ik,jl,->ijkl", B, C4, power(t, -1), coef=Fraction(-3, 2)), "−3B ⊗ C/(2t)"),
    (ein("ij,k->ijk", Id, x), "I ⊗ xᵀ"),
    (ein("ik,j->ijk", Id, x, coef=2), "2I ⊗ x"),
    (ein("i,kj->ijk", x, B), "x ⊗ Bᵀ"),
]


@pytest.mark.parametrize(("term", "text"), KRONECKER, ids=[t for _, t in KRONECKER])
def test_kronecker_products_bind_looser_than_products(term: Expr, text: str) -> None:
    assert to_text(term) == text


def test_the_matrix_that_exchanges_axes_has_a_name_of_its_own() -> None:
    K = Var("K", (4, 4))
    assert to_text(ein("il,jk->ijkl", K, X)) == "(K ⊗ X)Π\nwhere Π exchanges the last two axes"
    latex = to_latex(ein("il,jk->ijkl", B, X))
    assert latex.endswith(r"\text{where}\quad K \text{ exchanges the last two axes} \end{aligned}")


def test_softmax_is_that_of_each_row() -> None:
    rows, columns = call("softmax", A, params=(1,), shape=(3, 4)), call("softmax", A, params=(0,), shape=(3, 4))
    assert to_text(rows) == "softmax(A)"
    assert to_text(columns) == "softmax(A, dim=0)"
    assert to_text(rows, "ascii") == "softmax(A, dim=1)"
    assert to_latex(call("log_softmax", A, params=(-1,), shape=(3, 4))) == r"\operatorname{log\_softmax}(A)"
    # a sum over rows is not a sum over all
    assert to_text(call("logsumexp", A, params=((1,), False), shape=(3,))) == "logsumexp(A, dim=1)"


def test_truths_are_numbers_where_numbers_are_expected() -> None:
    greater = apply("gt", x, y)
    assert to_text(greater) == "1[x > y]"
    assert to_latex(greater) == r"\mathbf{1}[x > y]"
    assert to_text(greater, "ascii") == "x > y"
    assert to_text(plus((4,), (1, greater), (-2, x))) == "1[x > y] − 2x"
    assert to_text(apply("where", greater, greater, x)) == "where(x > y, 1[x > y], x)"
    assert to_text(apply("exp", greater)) == "exp(1[x > y])"
    assert to_text(apply("eq", greater, apply("lt", x, z))) == "1[(x > y) = (x < z)]"


def test_scalar_products_before_vectors() -> None:
    Bx, Cx = ein("ij,j->i", B, x), ein("ij,j->i", C4, x)
    assert to_text(ein(",i,i->", t, x, y)) == "txᵀy"
    quotient = ein(",i,->i", ein("i,i->", x, Bx), Cx, power(ein("i,i->", x, Cx), -2))
    assert to_text(quotient) == "xᵀBx Cx/(xᵀCx)²"
    assert to_text(ein("i,->i", x, power(ein("i,i->", x, y), -1))) == "x/(xᵀy)"


def test_roots_and_powers_do_not_run_into_what_follows() -> None:
    root = power(u_, Fraction(1, 2))
    assert to_text(ein(",,i->i", root, v_, x)) == "v√u x"
    assert to_text(ein("i,i->i", apply("pow_tensor", x, t), y)) == "y ⊙ x^t"
    assert to_text(ein(",->", apply("pow_tensor", u_, t), v_)) == "vu^t"
    assert to_text(ein(",->", apply("pow_tensor", u_, t), apply("pow_tensor", v_, t))) == "u^t v^t"


def test_functions_have_their_letters_unless_these_are_symbols() -> None:
    named = {"sigmoid": "σ", "ndtr": "Φ", "normal_pdf": "φ", "digamma": "ψ", "lgamma": "logΓ"}
    for function, letter in named.items():
        assert to_text(apply(function, x)) == f"{letter}(x)"
        assert to_text(apply(function, x), "ascii") == f"{function}(x)"
    assert to_text(apply("ndtr", Var("Φ", (4,)))) == "ndtr(Φ)"
    assert to_latex(apply("normal_pdf", x)) == r"\varphi(x)"
    assert to_latex(apply("sigmoid", Var("sigma", (4,)))) == r"\operatorname{sigmoid}(\sigma)"


def test_identities_and_constants_are_not_taken_for_symbols_of_their_name() -> None:
    x, square = sg.symbol("x", "n"), sg.symbol("I", ("n", "n"))
    hessian = (x @ square @ x + (x**2).sum()).formula().hessian("x")
    assert str(hessian) == "2 eye(n) + I + Iᵀ"
    assert hessian.latex() == r"2 \operatorname{eye}(n) + I + I^{\top}"
    assert str(parse(str(hessian), I=("n", "n"))) == str(hessian)
    slopes = (sg.symbol("δ", "n") * x**2).sum().formula().hessian("x")
    assert to_text(slopes.term, level="element") == "2I[i,j]·δ[i]"
    assert str((np.pi * sg.symbol("π", ())).formula()) == "3.141592653589793π"
    assert (np.pi * sg.symbol("pi", ())).formula().latex() == r"3.141592653589793 \pi"
    assert str((np.pi * sg.symbol("pi", ())).formula()) == "π pi"


def test_a_number_added_to_each_entry_of_a_matrix_is_no_multiple_of_the_identity() -> None:
    square, x = sg.symbol("A", ("n", "n")), sg.symbol("x", "n")
    for tensor, text in (
        ((square + 1) @ x, "Ax + sum(x)"),
        ((square + 1).T @ x, "Aᵀx + sum(x)"),
        (sg.linalg.inv(square + 1), "(𝟏𝟏ᵀ + A)⁻¹"),
        (sg.linalg.inv(square + 1).T @ x, "(𝟏𝟏ᵀ + A)⁻ᵀx"),
        (sg.linalg.solve(2 - square, x), "(2𝟏𝟏ᵀ − A)⁻¹x"),
        (sg.linalg.det(square + 1), "det(𝟏𝟏ᵀ + A)"),
        (sg.linalg.matrix_exp(square + 1), "matrix_exp(𝟏𝟏ᵀ + A)"),
        (sg.exp(square + 1), "exp(1 + A)"),
    ):
        formula = tensor.formula()
        assert str(formula) == text
        shapes = {name: ("n", "n") if name == "A" else "n" for name in formula.free_symbols}
        assert str(parse(text, dialect="matrix", shape=formula.shape, **shapes)) == text


def test_names_of_symbols_stay_apart_in_latex() -> None:
    both = sum(sg.symbol(name, ()) for name in ("x1", "x_1", "α", "alpha"))
    assert both.formula().latex() == r"\mathrm{alpha} + \mathrm{x1} + \mathrm{x\_1} + \alpha"
    assert sg.symbol("x_1", ()).formula().latex() == "x_{1}"
    assert sg.symbol("_x", ()).formula().latex() == r"\mathrm{\_x}"
    assert sg.symbol("_", ()).formula().latex() == r"\mathrm{\_}"


def test_quotients_rounded_down() -> None:
    assert to_text(apply("div_floor", x, y)) == "⌊x/y⌋"
    assert to_latex(apply("div_floor", x, y)) == r"\left\lfloor \frac{x}{y} \right\rfloor"


def selection(index: Any, n: int, size: int | None) -> Lin:
    return Lin(TABLE["getitem"], ((index,),), () if size is None else (size,), (n,))


tail, first, third = selection(slice(1, None), 4, 3), selection(1, 4, None), selection(2, 3, None)
SELECTED = [
    (ein("ij,j->i", tail, x), "x[1:]", "x[1:]"),
    (ein("ij,jk->ik", tail, B), "B[1:]", "B[1:]"),
    (ein("ij,kj->ki", tail, B), "B[:, 1:]", "B[:, 1:]"),
    (ein("i,ki->k", first, B), "B[:, 1]", "B[:, 1]"),
    (ein("i,ij->j", first, B), "B[1]", "B[1]"),
    (ein("i,j,ij->", third, first, A), "A₂₁", "A[2, 1]"),
    (ein("i,i->", first, x), "x₁", "x[1]"),
    (ein("ai,ij,bj->ab", tail, B, tail), "B[1:, 1:]", "B[1:, 1:]"),
    (ein("ai,ij,j->a", tail, B, x), "B[1:] x", "B[1:] @ x"),
    (ein("ai,i,i->a", tail, x, y), "(x ⊙ y)[1:]", "(x*y)[1:]"),
    (ein("i,kji->kj", first, Var("T", (3, 5, 4))), "T[:, :, 1]", "T[:, :, 1]"),
    (ein("ij,i->j", tail, b), "I[1:]ᵀ b", "eye(4)[1:].T @ b"),
    (ein("ij,ik->jk", tail, A), "I[1:]ᵀ A", "eye(4)[1:].T @ A"),
    (ein("ij,i->j", tail, r), "I[1:]ᵀ (b − Ax)", "eye(4)[1:].T @ (b - A @ x)"),
    (ein("ij,i->j", tail, ein("i,i->i", b, r)), "I[1:]ᵀ (b ⊙ (b − Ax))", "eye(4)[1:].T @ (b*(b - A @ x))"),
    (
        ein("ji,jk,k->i", tail, A, add((4,), (1, x, "i"), (2, y, "i"))),
        "I[1:]ᵀ A(2y + x)",
        "eye(4)[1:].T @ (A @ (2*y + x))",
    ),
    (first, "I[1]", "eye(4)[1]"),
    (tail, "I[1:]", "eye(4)[1:]"),
    (ein("i,j->ij", first, first), "I[1] I[1]ᵀ", "outer(eye(4)[1], eye(4)[1])"),
    (ein("i,->i", first, ein("i,i->", first, x)), "x₁I[1]", "x[1]*eye(4)[1]"),
]


@pytest.mark.parametrize(("term", "unicode", "ascii_"), SELECTED, ids=[u for _, u, _ in SELECTED])
def test_selections(term: Expr, unicode: str, ascii_: str) -> None:
    assert to_text(term) == unicode
    assert to_text(term, "ascii") == ascii_
    np.testing.assert_allclose(run_ascii(term), value(term, sample(term)), rtol=1e-12)


@pytest.mark.parametrize(("term", "unicode", "ascii_"), PRINTED, ids=[u for _, u, _ in PRINTED])
def test_notation(term: Expr, unicode: str, ascii_: str) -> None:
    assert to_text(term) == unicode
    assert to_text(term, "ascii") == ascii_


@pytest.mark.parametrize(
    ("text", "wrt", "printed"),
    [
        ("sum_{t=0}^T b^t c_t", "b", "cᵀ(t ⊙ b^(t − 1))\nwhere t = (0, …, T)"),
        ("sum_{t=1}^n b^(t-1) c_t", "c", "b^t\nwhere t = (0, …, n − 1)"),
        ("sum_{t=1}^{n-1} b^(t-1) c_t", "c", "b^t\nwhere t = (0, …, n − 2)"),
        ("sum_{t=1}^n c_t/(1 + y)^t + 3/(1 + y)^n", "", "cᵀs^(−t) + 3/s^n\nwhere t = (1, …, n)\n      s = 1 + y"),
    ],
)
def test_places_begin_where_that_is_shortest_and_t_is_kept_for_them(text: str, wrt: str, printed: str):
    f = sg.parse(text)
    shown = f.grad(wrt) if wrt else f
    assert str(shown) == printed
    again = sg.parse(str(shown), **{name: () for name in ("b", "y") if name in shown.free_symbols})
    point = {"b": 0.9, "y": 0.04, "c": np.array([5.0, 5.0, 105.0]), "n": 3}
    at = {name: point[name] for name in (shown.free_symbols if "c" in shown.free_symbols else ("b", "n"))}
    np.testing.assert_allclose(again(**at), shown(**at), rtol=1e-12)


def test_the_places_of_a_column_are_written_as_books_list_them():
    places = sg.parse("sum_{t=0}^n t c_t").grad("c")
    assert str(places) == "(0, …, n)" and sg.parse(str(places)).equals(places)
    price = sg.parse("sum_{t=1}^n c_t/(1 + y)^t")
    slope = price.grad("y")
    assert str(slope) == "−cᵀ(t/(1 + y)^(1 + t))\nwhere t = (1, …, n)"
    assert str(price.grad("c")) == "(1 + y)^(−t)\nwhere t = (1, …, n)"
    assert str(sg.parse("sum_{t=1}^n t c_t").grad("c")) == "(1, …, n)"
    assert str(sg.parse("t sum_{k=1}^n k c_k")) == "tcᵀk\nwhere k = (1, …, n)"  # t is taken
    at = {"c": np.array([5.0, 5.0, 105.0]), "y": 0.04}
    expected = -sum(k * c / 1.04 ** (k + 1) for k, c in enumerate(at["c"], 1))
    for text in (str(slope), slope.latex()):
        np.testing.assert_allclose(sg.parse(text)(**at), expected)


def test_names_for_what_is_repeated() -> None:
    hessian = add((4, 4), (1, ein("i,ij->ij", p, Id), "ij"), (-1, ein("i,j->ij", p, p), "ij"))
    assert to_text(hessian) == "diag(p) − ppᵀ\nwhere p = softmax(x)"
    σ = apply("sigmoid", Ax)
    logistic = ein("ki,k,k,kj->ij", A, σ, add((3,), (1, ONE, ""), (-1, σ, "i")), A)
    assert to_text(logistic) == "Aᵀ diag(p ⊙ (1 − p)) A\nwhere p = σ(Ax)"


def test_a_name_is_given_exactly_when_that_is_shorter() -> None:
    h = apply("tanh", ein("ij,j->i", W1, x))
    assert to_text(ein("i,j->ij", h, h)) == "hhᵀ\nwhere h = tanh(W1 x)"
    assert to_text(ein("i,j->ij", p, p)) == "softmax(x) softmax(x)ᵀ"  # 9 signs either way
    inv = ein("ij,jk,kl->il", inverse, X, inverse)
    assert to_text(inv) == "B⁻¹XB⁻¹"
    inner = call("inv", plus((4, 4), (1, B), (1, X)), shape=(4, 4))
    assert to_text(ein("ij,jk,kl->il", inner, C4, inner)) == "SCS\nwhere S = (B + X)⁻¹"
    squared = ein("i,->i", r, power(ein("i->", power(r, 2)), Fraction(-1, 2)))
    assert to_text(squared) == "r/‖r‖\nwhere r = b − Ax"


def test_a_difference_is_written_with_one_sign() -> None:
    difference = plus((4,), (1, x), (-1, y))
    norm = power(ein("i->", power(difference, 2)), Fraction(1, 2))
    weighted = ein("ij,j,->i", B, difference, norm, coef=-1)
    assert to_text(weighted) == "‖r‖Br\nwhere r = y − x"
    assert to_text(ein("i,->i", ein("ij,j->i", B, difference), norm)) == "‖r‖Br\nwhere r = x − y"


def test_names_are_never_symbols_of_the_formula() -> None:
    p_ = Var("p", (4,))
    soft = call("softmax", p_, params=(0,), shape=(4,))
    text = to_text(add((4, 4), (1, ein("i,ij->ij", soft, Id), "ij"), (-1, ein("i,j->ij", soft, soft), "ij")))
    assert text == "diag(q) − qqᵀ\nwhere q = softmax(p)"


def test_given_definitions_are_printed_too() -> None:
    residual = Var("r", (3,))
    assert to_text(ein("ji,j->i", A, residual), given=[("r", r)]) == "Aᵀr\nwhere r = b − Ax"
    code = to_code(ein("ji,j->i", A, residual), given=[("r", r)])
    assert code == "def f(A, b, x):\n    r = b - A @ x\n    return A.T @ r\n"


def test_parts_without_matrix_notation_are_named_with_their_indices() -> None:
    assert to_text(apply("exp", ein("kij,k->ij", T, x))) == "exp(S)\nwhere S[i,j] = Σₖ x[k]·T[k,i,j]"


def test_entries_on_request() -> None:
    assert to_text(Ax, level="element") == "Σⱼ A[i,j]·x[j]"
    assert to_text(squares, level="element") == "Σᵢ (b[i] − Σⱼ A[i,j]·x[j])²"
    assert to_text(ein("i,ij->ij", x, Id), level="element") == "x[i]·δ[i,j]"
    assert to_text(ein("ij,j->i", A, x, coef=2), "ascii", level="element") == "2*sum_{j} A[i,j]*x[j]"


def test_index_letters_are_not_symbols() -> None:
    i, k = Var("i", (4,)), Var("k", (4, 4))
    assert to_text(ein("ij,j->i", k, i), level="element") == "Σₗ k[j,l]·i[l]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 / math.sqrt(math.pi), "2x/√π"), (math.sqrt(2 / math.pi), "√(2/π) x"),
        (1 / math.sqrt(2 * math.pi), "x/√(2π)"),
        (math.sqrt(2), "√2 x"), (1 / math.sqrt(2), "x/√2"), (math.log(2), "log(2) x"), (math.pi, "π x"),
        (math.pi / 2, "π x/2"), (-1 / math.log(10), "−x/log(10)"), (0.1, "0.1x"), (2.0, "2x"), (1e-3, "0.001x"),
        (0.123456789012345, "0.123456789012345x"), (Fraction(-3, 4), "−3x/4"), (1 / 8.314, "x/8.314"),
        (-math.pi / 9.81, "−π x/9.81"), (2 / 0.7, "x/0.35"),
    ],
)  # fmt: skip
def test_numbers_that_have_a_name(value: Any, text: str) -> None:
    assert to_text(ein("i->i", x, coef=value)) == text


@pytest.mark.parametrize(
    ("text", "printed", "latex"),
    [
        ("exp(2) x", "exp(2) x", r"\exp(2) x"), ("e^2 x", "exp(2) x", r"\exp(2) x"),
        ("3 exp(-1/2) x", "3x/exp(1/2)", r"\frac{3 x}{\exp(1/2)}"), ("2^(1/3) x", "2^(1/3) x", "2^{1/3} x"),
        ("8^(1/3) x", "2x", "2 x"), ("16^(1/3) x", "2·2^(1/3) x", None),
        ("sqrt(2) sqrt(3) x", "√6 x", r"\sqrt{6} x"), ("x/log(3)", "x/log(3)", None),
        ("log(2) + log(3) + x", "log(6) + x", r"\log(6) + x"), ("sqrt(2/pi) x", "√(2/π) x", r"\sqrt{2/\pi} x"),
        ("x^pi", "x^π", r"x^{\pi}"), ("1.6094379 x", "1.6094379x", "1.6094379 x"),
    ],
)  # fmt: skip
def test_functions_of_small_numbers_stay_exact_and_are_read_back(text: str, printed: str, latex: str | None) -> None:
    f = sg.parse(text, x=())
    assert str(f) == printed and f.latex() == (latex or f.latex())
    for form in (str(f), f.latex(), format(f, "ascii")):
        assert float(sg.parse(form, x=())(x=1.3)) == pytest.approx(float(f(x=1.3)), rel=1e-15)


def test_the_derivative_of_a_normalised_layer_has_no_sum_of_deviations():
    shapes = {"w": "n", "g": "n", "x": "n", "eps": ()}
    layer = sg.parse("sum(w*g*(x - mean(x))/sqrt(mean((x - mean(x))^2) + eps))", **shapes)
    book = "(g ⊙ w − gᵀ(r ⊙ w) r/(ns) − gᵀw/n)/√s\nwhere r = x − mean(x)\n      s = ‖r‖²/n + ε"
    assert str(layer.grad("x")) == book


@pytest.mark.parametrize(
    ("text", "derivative"),
    [
        ("(sin(x) + cos(2x))/log(2)", "(cos(x) − 2 sin(2x))/log(2)"),
        ("log2(x^2 + 3x)", "(1/(3 + x) + 1/x)/log(2)"),
        ("0.9x + 0.05x^2", "0.9 + 0.1x"),
        ("0.05x^2", "x/10"),
        ("tanh(x + 2x^3)", "(1 + 6x²)(1 − tanh(2x³ + x)²)"),
        ("tanh(x/10 + x^3/3)", "(1 + 10x²)(1 − tanh(x³/3 + x/10)²)/10"),
        ("tanh(sqrt(2/pi)*(x + 0.044715*x^3))", "√(2/π)(1 + 0.134145x²)(1 − tanh(√(2/π)(0.044715x³ + x))²)"),
    ],
)
def test_numbers_stand_in_front_of_what_they_are_common_to_and_look_alike(text: str, derivative: str) -> None:
    assert str(sg.parse(text).grad("x")) == derivative


def test_latex() -> None:
    assert to_latex(ein("ji,j->i", A, r, coef=-2)) == r"2 A^{\top} (A x - b)"
    assert to_latex(ein("i,i->i", x, power(one_plus, -1))) == r"\frac{x}{1 + x}"
    assert to_latex(ein("i,i->i", x, y)) == r"x \odot y"
    assert to_latex(ein("ik,jl->ijkl", Id, B)) == r"I \otimes B"
    assert to_latex(power(squares, Fraction(1, 2))) == r"\lVert b - A x \rVert"
    assert to_latex(ein("ij,j->i", W1, beta)) == r"W_{1} \, \beta"
    assert to_latex(p) == r"\operatorname{softmax}(x)"
    assert to_latex(apply("sigmoid", x)) == r"\sigma(x)"
    assert to_latex(Ax, level="element") == r"\sum_{j} {A}_{i,j} \, {x}_{j}"
    hessian = add((4, 4), (1, ein("i,ij->ij", p, Id), "ij"), (-1, ein("i,j->ij", p, p), "ij"))
    assert to_latex(hessian).startswith(r"\begin{aligned}")
    assert r"\text{where}\quad p = \operatorname{softmax}(x)" in to_latex(hessian)


def test_linear_operations() -> None:
    tail = Lin(TABLE["getitem"], ((slice(1, None),),), (3,), (4,))
    assert to_text(ein("ij,j->i", tail, x)) == "x[1:]"
    assert to_text(ein("ij,i->j", tail, b)) == "I[1:]ᵀ b"
    assert to_text(tail) == "I[1:]"
    sums = Lin(TABLE["cumsum"], (0, False), (4,), (4,))
    assert to_text(ein("ij,j->i", sums, x)) == "cumsum(x)"


def test_jacobians_that_are_not_known() -> None:
    jacobian = Jac(call("logcumsumexp", x, params=(0,), shape=(4,)), 0)
    assert to_text(jacobian) == "∂logcumsumexp(x)/∂x"
    with pytest.raises(FormulaError, match="no counterpart of 'logcumsumexp'"):
        to_code(jacobian, "jax")
    assert "jax.jacobian(lambda _: jnp.cumprod(_, axis=0))(x)" in to_code(
        Jac(call("cumprod", x, params=(0,), shape=(4,)), 0), "jax"
    )


def deep(n: int) -> Expr:
    term: Expr = x
    for k in range(n):
        term = apply("sin", term) if k % 2 else add((4,), (1, ONE, ""), (1, term, "i"))
    return term


@pytest.mark.parametrize("n", [500, pytest.param(5000, marks=pytest.mark.slow)])
def test_deep_terms_are_printed_in_pieces(n: int) -> None:
    term = deep(n)
    texts = []
    assert calls(lambda: texts.append(to_text(term))) < 1_500 * n  # 757 for each step, however many there are
    last = str(n // 2 - 1)
    name = "h" + last.translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    assert texts == [f"{name}\nwhere h₀ = sin(1 + x)\n      hₜ = sin(1 + hₜ₋₁) for t = 1 … {last}"]
    assert len(to_latex(term)) < 25_000
    names: dict[str, Any] = {}
    exec(to_code(term), names)
    value = np.full(4, 0.5)
    expected = value
    for k in range(n):
        expected = np.sin(expected) if k % 2 else 1 + expected
    np.testing.assert_allclose(names["f"](value), expected)


def test_wide_and_shared_terms_stay_short() -> None:
    term: Expr = x
    for _ in range(200):  # 2²⁰⁰ symbols if written out
        term = add((4,), (1, apply("sin", term), "i"), (1, apply("cos", term), "i"))
    assert len(to_text(term)) < 25_000
    wide = add((4,), *[(1, apply("sin", Var(f"v{k}", (4,))), "i") for k in range(5000)])
    assert len(to_text(wide)) < 25_000
    assert to_text(wide, limit=0)


def test_the_number_of_definitions_left_out_is_stated() -> None:
    term: Expr = x
    for k in range(2000):  # no loop
        term = apply(("sin", "cos", "tanh")[k * k % 1009 % 3], term)
    text = to_text(term, limit=5)
    assert text.count(" = ") == 5
    assert "… and" in text
    assert len(to_text(term)) < 25_000


def test_printing_a_gradient_is_little_work() -> None:
    term = ein("ji,j->i", A, r, coef=-2)
    assert calls(lambda: to_text(term)) < 5_000


def of(function: Any, **shapes: Any) -> Any:
    """The formula of a function of symbols."""
    return sg.formula(function, *[sg.symbol(name, shape) for name, shape in shapes.items()])


def test_the_axis_of_a_stack_is_said_where_the_result_has_two() -> None:
    columns = of(lambda x: sg.stack([x, 2 * x], 1), x=3)
    assert (str(columns), f"{columns:ascii}") == ("stack([x, 2x], dim=1)", "stack([x, 2*x], dim=1)")
    assert columns.latex() == r"\operatorname{stack}([x, 2 x], \mathrm{dim}=1)"
    assert str(of(lambda x: sg.stack([x, 2 * x], 0), x=3)) == "stack([x, 2x])"
    assert f"{of(lambda x: sg.stack([x[0], x[1]], 0), x=3):ascii}" == "array([x[0], x[1]])"


def test_what_is_the_same_everywhere_is_an_array_under_functions_of_arrays() -> None:
    nothing = ein("i->i", x, coef=0)
    assert to_text(call("logsumexp", nothing, params=((0,), False))) == "logsumexp(0·𝟏)"
    assert to_text(call("logsumexp", nothing, params=((0,), False)), "ascii") == "logsumexp(zeros((4,)))"
    assert to_text(call("logsumexp", ein("ij->ij", B, coef=0), params=((0, 1), False))) == "logsumexp(0·𝟏𝟏ᵀ)"
    assert to_text(call("logsumexp", ein("i->i", One(4), coef=3), params=((0,), False))) == "logsumexp(3𝟏)"
    cube = ein("kij->kij", T, coef=0)
    assert to_text(call("softmax", cube, params=(2,), shape=cube.shape)) == "softmax(full((4, 3, 5), 0))"
    sums = Lin(TABLE["cumsum"], (0, False), (4,), (4,))
    assert to_text(apply("exp", ein("ij,j->i", sums, add((4,), (2, u_, ""))))) == "exp(cumsum(2u𝟏))"


def linear(name: str, params: tuple, shape: tuple[int, ...]) -> Lin:
    return Lin(TABLE[name], params, np.shape(TABLE[name].forward(np.zeros(shape), *params)), shape)


TAKEN = np.array([0, 0, 2])
OF_OPERATIONS = [
    (linear("take", (TAKEN,), (4,)), "I[[0, 0, 2]]", "eye(4)[[0, 0, 2]]"),
    (linear("gather", (TAKEN, 0), (4,)), "I[[0, 0, 2]]", "eye(4)[[0, 0, 2]]"),
    (linear("index_select", (TAKEN, 0), (4,)), "I[[0, 0, 2]]", "eye(4)[[0, 0, 2]]"),
    (linear("take", (TAKEN,), (3, 4)), "take((I[j]I[k]ᵀ), [0, 0, 2])[i]", None),
    (linear("index_select", (TAKEN, 1), (3, 4)), "index_select((I[k]I[l]ᵀ), 1, [0, 0, 2])[i,j]", None),
    (linear("repeat", ((2,),), (4,)), "tile(I[j], (2,))[i]", None),
    (linear("unsqueeze", (1,), (4,)), "unsqueeze(I[k], dim=1)[i,j]", None),
    (linear("cumsum", (0, False), (4,)), "cumsum(I, dim=0)", None),
    (linear("cumsum", (0, True), (4,)), "cumsum(I, dim=0)ᵀ", None),
    (linear("flip", ((0,),), (4,)), "flip(I, dims=0)", None),
]


@pytest.mark.parametrize(("lin", "text", "ascii_"), OF_OPERATIONS, ids=[t for _, t, _ in OF_OPERATIONS])
def test_the_array_of_an_operation_is_not_the_operation_of_a_matrix(lin: Lin, text: str, ascii_: str | None) -> None:
    assert to_text(lin) == text
    assert ascii_ is None or to_text(lin, "ascii") == ascii_
    check(ein("abcd"[: len(lin.shape)] + "->" + "abcd"[: len(lin.shape)], lin))
    assert to_latex(lin)


def test_what_an_operation_makes_of_unit_vectors_is_defined_where_it_is_no_whole_formula() -> None:
    taken = linear("repeat", ((2,),), (4,))
    assert to_text(ein("ij,j,jk->ik", taken, x, Id)) == "S diag(x)\nwhere S[i,j] = tile(I[j], (2,))[i]"


def test_powers_of_ten() -> None:
    small = ein("i,i->", One(4), x, coef=6.3e-6)
    assert to_text(small) == "6.3·10⁻⁶ sum(x)"
    assert to_text(small, "ascii") == "6.3e-06*sum(x)"
    assert to_latex(small) == r"6.3 \cdot 10^{-6} \, \operatorname{sum}(x)"
    assert to_text(ein("i->i", x, coef=-1e-7)) == "−10⁻⁷ x"
    assert to_text(ein("i->i", power(x, 2), coef=1.5e20)) == "1.5·10²⁰ x²"
    assert to_text(Data(np.array([1e-7, -2.5e-8]))) == "[10⁻⁷, −2.5·10⁻⁸]"
    assert to_text(power(x, 1e-7)) == "x^(10⁻⁷)"
    assert to_text(apply("leaky_relu_slope", x, params=(1e-5,))) == "leaky_relu(x, negative_slope=10⁻⁵)"
    assert to_text(ein("ij,j->i", A, x, coef=1e-7), "ascii", level="element") == "1e-07*sum_{j} A[i,j]*x[j]"


def test_a_definition_is_no_comparison() -> None:
    equal = apply("eq", ein("ij,j->i", B, x), ein("ij,j->i", C4, y))
    text = to_text(ein("i,i,j->ij", equal, x, equal))
    assert text == "(s ⊙ x)sᵀ\nwhere s = 1[Bx = Cy]"
    chosen = apply("where", equal, x, ein("i,i->i", equal, y))
    assert to_text(chosen) == "where(s, x, s ⊙ y)\nwhere s = 1[Bx = Cy]"
    assert to_text(chosen, "ascii") == "where(B @ x == C @ y, x, y*where(B @ x == C @ y, 1.0, 0.0))"
    assert to_text(Var("g"), given=[("g", apply("gt", u_, v_))]) == "g\nwhere g = 1[u > v]"


def test_a_quotient_does_not_end_before_a_sum() -> None:
    sum_ = ein("kij,ki,j->", T, Var("C", (4, 3)), Var("q", (5,)))
    form = "Σᵢⱼₖ T[k,i,j]·C[k,i]·q[j]"
    assert to_text(sum_, level="element") == form
    assert to_text(ein("->", sum_, coef=Fraction(1, 2)), level="element") == f"({form})/2"
    assert to_text(ein(",,->", sum_, u_, power(v_, -1)), level="element").startswith(f"u({form})/v")
    assert to_text(ein("->", sum_, coef=-3), level="element") == f"−3 {form}"
    latex = to_latex(ein("->", sum_, coef=Fraction(1, 2)), level="element")
    assert latex == r"\frac{1}{2} \sum_{i,j,k} {T}_{k,i,j} \, {C}_{k,i} \, {q}_{j}"


def test_arrays_that_are_written_out_stand_apart() -> None:
    half = Data(np.array([[0.3, 0.4], [0.5, 0.6]]))
    u2, s2 = Var("u", (2,)), Var("s")
    assert to_text(ein(",ij->ij", s2, half)) == "s·[[0.3, 0.4], [0.5, 0.6]]"
    assert to_text(ein("i,ij->j", u2, half)) == "[[0.3, 0.4], [0.5, 0.6]]ᵀu"
    assert to_text(ein("i,ij,j->", u2, half, u2)) == "uᵀ·[[0.3, 0.4], [0.5, 0.6]]u"
    assert to_latex(ein(",ij->ij", s2, half)) == r"s \cdot [[0.3, 0.4], [0.5, 0.6]]"
    power_of_two = apply("pow_tensor", number(2), v_)
    assert to_text(ein(",->", u_, power_of_two)) == "u·2^v"
    assert to_latex(ein(",->", u_, power_of_two)) == r"u \cdot 2^{v}"
    truths = Data(np.array([True, False]))
    assert to_text(ein("i,i->i", truths, u2)) == "u ⊙ [1, 0]"
    assert to_text(apply("where", truths, u2, u2)) == "where([True, False], u, u)"


def test_parameters_are_called_as_the_public_function_calls_them() -> None:
    index = np.array([0, 2])
    texts = [
        (apply("leaky_relu_slope", x, params=(0.2,)), "leaky_relu(x, negative_slope=0.2)"),
        (apply("leaky_relu_slope", x, params=(0.01,)), "leaky_relu(x)"),
        (apply("elu_alpha", x, params=(1, 1)), "elu(x)"),
        (apply("elu_alpha", x, params=(0.5, 2)), "2*elu(x, alpha=0.5)"),
        (power(apply("elu_alpha", x, params=(0.5, 2)), 3), "(2*elu(x, alpha=0.5))**3"),
        (apply("elu_alpha", x, params=(1.6732632423543772, 1.0507009873554805)), "selu(x)"),
        (ein("ij,j->i", linear("repeat", ((2,),), (4,)), x), "tile(x, (2,))"),
        (call("index_add", x, z, Data(np.arange(4)), params=(0, 1), shape=(4,)),
         "index_add(x, dim=0, index=array([0, 1, 2, 3]), source=z)"),
        (call("scatter_add", x, z, Data(np.arange(4)), params=(0,), shape=(4,)),
         "scatter_add(x, dim=0, index=array([0, 1, 2, 3]), src=z)"),
        (call("index_fill", x, Data(index), params=(0, 2.0), shape=(4,)),
         "index_fill(x, dim=0, index=array([0, 2]), value=2)"),
    ]  # fmt: skip
    for term, text in texts:
        assert to_text(term, "ascii") == text
        check(term)
    assert to_latex(apply("leaky_relu_slope", x, params=(0.2,))) == (
        r"\operatorname{leaky\_relu}(x, \mathrm{negative\_slope}=0.2)"
    )


def test_conditions_are_bare_and_extremes_have_their_short_names() -> None:
    both = apply("eq", apply("lt", x, y), apply("lt", y, ein("->", ONE)))
    assert to_text(apply("where", both, x, y)) == "where((x < y) = (y < 1), x, y)"
    for name, short in (("amax", "max"), ("amin", "min")):
        term = call(name, x, params=((0,), False))
        assert (to_text(term), to_text(term, "ascii"), to_latex(term)) == (f"{short}(x)", f"{name}(x)", rf"\{short}(x)")


def test_printing_the_gradient_of_a_deep_network_is_little_work() -> None:
    def network(X: Any, *weights: Any) -> Any:
        for W in weights:
            X = sg.tanh(X @ W)
        return (X**2).sum()

    shapes = {"X": ("b", "n"), **{f"W{k}": ("n", "n") for k in range(1, 9)}}
    gradient = of(network, **shapes).grad("W1").term
    assert calls(lambda: to_text(gradient)) < 35_000


class RandomTerm:
    """Random terms of vectors and matrices of one size: sums, products, functions, powers, with signs everywhere."""

    coefs = (1, -1, 2, -2, Fraction(1, 2), Fraction(-3, 2), 5)

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def coef(self) -> Any:
        return self.draw.choice(self.coefs)

    def scalar(self, d: int) -> Expr:
        if d <= 0:
            return self.draw.choice((Var("a"), Var("c")))
        makers = [
            lambda: ein("i,i->", self.vector(d - 1), self.vector(d - 1)), lambda: ein("i->", self.vector(d - 1)),
            lambda: self.sum((), d), lambda: apply("exp", self.scalar(d - 1)), lambda: self.scalar(0),
            lambda: ein(",->", self.scalar(d - 1), self.scalar(d - 1), coef=self.coef()),
        ]  # fmt: skip
        return self.draw.choice(makers)()

    def vector(self, d: int) -> Expr:
        if d <= 0:
            return self.draw.choice((x, y, z))
        part = self.vector
        makers = [
            lambda: ein("ij,j->i", self.matrix(d - 1), part(d - 1), coef=self.coef()), lambda: part(0),
            lambda: ein("i,i->i", part(d - 1), part(d - 1), coef=self.coef()), lambda: self.sum((4,), d),
            lambda: apply(self.draw.choice(("exp", "sin", "sigmoid")), part(d - 1)),
            lambda: ein("i,->i", part(d - 1), self.scalar(d - 1), coef=self.coef()),
            lambda: power(part(d - 1), self.draw.choice((2, 3, -1))),
            lambda: ein("i,i->i", part(d - 1), power(part(d - 1), -1), coef=self.coef()),
        ]  # fmt: skip
        return self.draw.choice(makers)()

    def matrix(self, d: int) -> Expr:
        if d <= 0:
            return self.draw.choice((B, C4, X))
        makers = [
            lambda: ein("ij,jk->ik", self.matrix(d - 1), self.matrix(d - 1)), lambda: self.matrix(0),
            lambda: ein("ij->ji", self.matrix(d - 1)), lambda: self.sum((4, 4), d),
            lambda: ein("i,j->ij", self.vector(d - 1), self.vector(d - 1), coef=self.coef()),
            lambda: ein("i,ij->ij", self.vector(d - 1), self.draw.choice((Id, B))),
        ]  # fmt: skip
        return self.draw.choice(makers)()

    def sum(self, shape: tuple[int, ...], d: int) -> Add:
        whole = LETTERS[: len(shape)]
        terms = []
        for _ in range(self.draw.randint(2, 3)):
            kind = self.draw.random()
            if kind < 0.2:
                term, at = ONE, ""
            elif kind < 0.35 and shape:
                term, at = self.scalar(d - 1), ""
            elif kind < 0.5 and len(shape) == 2:
                term, at = self.vector(d - 1), self.draw.choice(whole)
            else:
                term = (self.scalar, self.vector, self.matrix)[len(shape)](d - 1)
                at = whole[:: self.draw.choice((1, -1))]
            terms.append((self.coef(), term, at))
        return add(shape, *terms)


def by_the_reader_of_the_corpus(text: str, at: dict[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return read(text, at, math.prod(shape), {"n": 4}).reshape(shape)


def by_parse(text: str, at: dict[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    formula = parse(text, dialect="matrix", **{name: a.shape for name, a in at.items()})
    return np.broadcast_to(formula(**at), shape)


@one_in(10)
@pytest.mark.parametrize("reader", [by_the_reader_of_the_corpus, by_parse])
@pytest.mark.parametrize("seed", range(60))
def test_texts_of_random_sums_are_read_back(seed: int, reader: Any) -> None:
    terms = RandomTerm(seed)
    for k in range(6):
        term = (terms.scalar, terms.vector, terms.matrix)[k % 3](3)
        at, text = sample(term), to_text(term)
        with np.errstate(all="ignore"):
            expected = value(term, at)
        try:
            found = reader(text, at, term.shape)
        except (NotReadable, ParseError):  # no size of 𝟏, or what may be read in two ways
            continue
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, err_msg=text)


@pytest.mark.parametrize(("function", "text", "latex"), [
    (lambda x: sg.kthvalue(x, 2)[0], "kthvalue(x, 2)", "x_{(2)}"),
    (lambda x: sg.kthvalue(2 * x, 2)[0], "kthvalue(2x, 2)", "(2 x)_{(2)}"),
    (lambda x: sg.topk(x, 2)[0], "topk(x, 2)", r"\operatorname{topk}(x, 2)"),
    (lambda x: sg.topk(x, 2, largest=False)[0], "topk(x, 2, largest=False)", None),
    (lambda x: sg.sort(x)[0], "sort(x)", r"\operatorname{sort}(x)"),
    (lambda x: sg.sort(x, descending=True)[0], "sort(x, descending=True)", None),
    (lambda x: sg.median(x, 0)[0], "median(x)", r"\operatorname{median}(x)"),
    (lambda x: sg.mode(x)[0], "mode(x)", r"\operatorname{mode}(x)"),
])  # fmt: skip
def test_orders_are_shown_by_the_functions_that_find_and_take(function, text, latex):
    formula = sg.formula(function, sg.symbol("x", "n"))
    assert str(formula) == text
    assert latex is None or formula.latex() == latex
    t = sg.tensor([3.0, 1.0, 2.0, 1.0], requires_grad=True, name="x")
    recorded, other = function(t).formula(), np.array([0.0, 5.0, 4.0, 1.0])
    assert str(recorded) == text
    np.testing.assert_array_equal(recorded(x=other), np.asarray(function(sg.tensor(other))))


def test_orders_along_an_axis_of_a_matrix_name_it():
    A = sg.symbol("A", ("m", "n"))
    texts = [str(sg.formula(f, A)) for f in (
        lambda a: sg.kthvalue(a, 2, 1)[0], lambda a: sg.topk(a, 2, 0)[0], lambda a: sg.median(a, 1)[0],
    )]  # fmt: skip
    assert texts == ["kthvalue(A, 2, dim=1)", "topk(A, 2, dim=0)", "median(A, dim=1)"]


@pytest.mark.parametrize(("function", "text"), [
    (lambda s: sg.cumsum(s, 0), "s"), (lambda s: 3 * sg.cumsum(s * s, 0), "3s²"),
    (lambda s: sg.cumsum(sg.sin(s), 0) * s, "s sin(s)"),
])  # fmt: skip
def test_a_cumulative_sum_of_a_number_is_that_number(function, text):
    formula = sg.formula(function, sg.symbol("s"))
    assert str(formula) == text


def test_what_stands_before_an_entry_of_a_function_stands_apart():
    Z, k = sg.symbol("Z", ("m", "n")), sg.symbol("k")
    jacobian = sg.formula(lambda Z: (k * sg.softmax(Z, 1)).sum(0), Z).jacobian("Z")
    assert jacobian.text(level="element") == "k softmax(Z)[j,i]·(δ[i,l] − softmax(Z)[j,l])"


def test_a_quotient_of_letters_in_every_style():
    hazard = sg.formula(lambda x: sg.special.log_ndtr(x).sum(), sg.symbol("x", "n")).grad("x")
    assert str(hazard) == "φ(x)/Φ(x)"
    assert hazard.latex() == r"\varphi(x)/\Phi(x)"
    assert hazard.text("ascii") == "normal_hazard(x)"


def test_a_symbol_is_not_named_as_a_size_beside_it():
    x, n = sg.symbol("x", "n"), sg.symbol("n")
    for f in (lambda x, n: n * x.sum() / x.shape[0], lambda x, n: n * x.mean()):
        with pytest.raises(sg.FormulaError, match="'n' names a size and a symbol"):
            sg.formula(f, x, n)
    formula = sg.formula(lambda x, n: x.sum() * n, x, n)
    assert formula(x=[1.0, 2.0], n=5.0) == 15
    assert sg.formula(lambda x, n_1: n_1 * x.mean(), x, sg.symbol("n_1"))(x=[1.0, 2.0], n_1=5.0) == 7.5


@pytest.mark.parametrize(
    ("names", "printed"),
    [
        (("a", "b", "ab"), "ab + a b"),
        (("a", "b", "c"), "c + ab"),
        (("β", "x", "xβ"), "xβ + x β"),
        (("a", "b", "c_b"), "c_b + ab"),
    ],
)
def test_symbols_side_by_side_spell_no_other_symbol(names: tuple[str, ...], printed: str) -> None:
    a, b, ab = (sg.symbol(name) for name in names)
    f = sg.formula(lambda a, b, ab: ab + a * b, a, b, ab)
    assert sorted(str(f).split(" + ")) == sorted(printed.split(" + "))
    assert str(parse(str(f), dialect="matrix", **dict.fromkeys(names, ()))) == str(f)


def test_matrices_side_by_side_spell_no_other_symbol() -> None:
    symbols = [sg.symbol(name, ("n", "n")) for name in ("A", "B", "AB")]
    assert str(sg.formula(lambda A, B, AB: A @ B + A @ AB, *symbols)) == "A AB + A B"
    assert str(sg.formula(lambda A, B: A @ B, *symbols[:2])) == "AB"


@pytest.mark.parametrize("word", ["abs", "cos", "det", "exp", "abst", "mv", "acos"])
def test_letters_side_by_side_spell_no_function(word: str) -> None:
    letters = dict.fromkeys([*word, "x"], ())
    for after in ("", "*(1 - x)", "*log(x)", "*(1 - x)/a"):
        f = parse("*".join(word) + after, **letters, **({} if "a" in letters else {"a": ()}))
        again = parse(str(f), dialect="matrix", **letters, **({} if "a" in letters else {"a": ()}))
        at = {name: 0.3 + 0.1 * k for k, name in enumerate(sorted({*letters, "a"}))}
        np.testing.assert_allclose(
            again(**{n: at[n] for n in again.free_symbols}), f(**{n: at[n] for n in f.free_symbols}), err_msg=str(f)
        )
    assert str(parse("a*b*s*(1 - s)", a=(), b=(), s=())) == "ab s(1 − s)"
    assert str(parse("m*v*(1 - m)", m=(), v=())) == "mv·(1 − m)"


SQUARES: dict[str, Any] = {"p": (), "A": ("n", "n"), "B": ("n", "n"), "x": "n", "y": "n"}


@pytest.mark.parametrize(("text", "printed"), [
    ("sum(A.T @ B.T @ A.T)", "sum(ABA)"), ("x @ A.T @ B.T @ y", "yᵀBAx"), ("sum(A @ x)", "sum(Ax)"),
    ("trace(A @ A)", "tr(A²)"), ("A @ A @ A @ x", "A³x"), ("inv(A) @ inv(A)", "A⁻²"), ("A.T @ A.T", "AᵀAᵀ"),
    ("A.T @ A.T @ A.T", "(Aᵀ)³"), ("A**2", "A^∘2"), ("tanh(A)**2 @ x", "tanh(A)^∘2 x"), ("1/A**2", "1/A^∘2"),
    ("sin(A)**p", "sin(A)^∘p"), ("x**2", "x²"), ("mean(x)", "mean(x)"), ("mean(A)", "mean(A)"),
    ("sum(x)/n**2", "mean(x)/n"), ("sum(x)/3", "sum(x)/3"), ("x - mean(x)", "x − mean(x)"),
    ("sum((x - mean(x))**2)/n", "‖x − mean(x)‖²/n"), ("std(x)", "‖x − mean(x)‖/√(n − 1)"),
])  # fmt: skip
def test_products_powers_and_means_are_written_as_in_a_book(text: str, printed: str) -> None:
    known = {name: shape for name, shape in SQUARES.items() if re.search(rf"\b{name}\b", text)}
    f = parse(text, **known)
    assert str(f) == printed
    assert parse(printed, dialect="matrix", **known).equals(f)


def test_signs_go_into_differences() -> None:
    f = parse("-(1 - a)*log(x) - b*x", a=(), b=(), x=())
    assert str(f) == "log(x)(a − 1) − bx"
    assert str(f.grad("x")) == "(a − 1)/x − b"
    assert str(parse("var(x)", x="n").grad("x")) == "2(x − mean(x))/(n − 1)"
    assert "where r = x − mean(x)" in str(parse("std(x)", x="n").grad("x")).replace("\n", " ")


def test_powers_in_latex() -> None:
    N = ("n", "n")
    assert parse("A @ A", A=N).latex() == "A^{2}"
    assert parse("A**p", A=N, p=()).latex() == r"A^{\circ p}"
    assert parse("A**(p - 1)", A=N, p=()).latex() == r"A^{\circ (p - 1)}"


def test_the_determinant_of_a_definite_matrix_needs_no_bars() -> None:
    S = sg.symbol("S", ("n", "n"), pd=True)
    logdet = sg.formula(lambda S: sg.logdet(S), S)
    assert str(logdet) == "log(det(S))" and "slogdet" in logdet.code("numpy")
    assert str(sg.formula(lambda S: sg.logdet(S), sg.symbol("S", ("n", "n"), symmetric=True))) == "log(|det(S)|)"


@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_the_repr_of_a_large_formula_is_quick_and_says_how_it_is_written(count):
    y = z = sg.symbol("y")
    for k in range(count):
        z = sg.sin(z * (k + 1)) * y + z if count < 1000 else sg.sin(z * (k + 1)) + sg.cos(z)
    f = z.formula()
    texts = []
    assert calls(lambda: texts.extend([repr(f), f._repr_latex_()])) < 600_000
    text, latex = texts
    assert re.fullmatch(r"<formula of [\d,]+ terms in y: str\(\) writes it, in its time>", text)
    assert latex is None


def test_the_repr_of_another_formula_is_its_text():
    f = sg.formula(lambda y: sg.exp(sum(sg.sin(y * k) for k in range(60))), sg.symbol("y")).grad("y").grad("y")
    assert repr(f) == str(f)

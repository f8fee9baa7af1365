"""Formulas entry by entry, what is read in two ways, and texts that symgrad prints, read back."""

import random
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.notation import ParseError, parse
from symgrad.show import to_text

from ..helpers.cases import one_in
from ..helpers.work import calls
from ._derived import FEW, derivative, few
from .corpus._books import ENTRIES, FIRST, UNSEEN
from .test_printing import RandomTerm, sample, value

rng = np.random.default_rng(1)
M = dict(A=("m", "n"), B=("n", "k"), S=("n", "n"), X=("n", "n"), T=("m", "n", "n"), b="m", x="n", y="n", p="n", a=())
VALUES = {name: rng.uniform(0.5, 1.5, [{"m": 2, "n": 3, "k": 4}[s] for s in shape]) for name, shape in M.items()}


def softmax(x):
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


# text -> the same in NumPy
MEANINGS = {
    "Σᵢ (Σⱼ A[i,j]·x[j] − b[i])²": lambda A, x, b: ((A @ x - b) ** 2).sum(),
    "−2 Σⱼ A[j,i]·b[j]": lambda A, b: -2 * A.T @ b,
    "δ[i,j]·p[i] − p[i]·p[j]": lambda p: np.diag(p) - np.outer(p, p),
    "δ[i,j]·q[i] − q[i]·q[j] where q = softmax(x)": lambda x: np.diag(softmax(x)) - np.outer(softmax(x), softmax(x)),
    "(X⁻¹)[i,k]·(X⁻¹)[l,j]": lambda X: np.einsum("ik,lj->ijkl", np.linalg.inv(X), np.linalg.inv(X)),
    "1[x[i] > 1] − 1[x[i] ≤ y[j]]": lambda x, y: (x > 1)[:, None] - 1.0 * (x[:, None] <= y),
    "n·y[i] + a": lambda y, a: 3 * y + a,
    "exp(x[i])·log(y[j])": lambda x, y: np.outer(np.exp(x), np.log(y)),
    "softmax(A)[j,i] − a tanh(x)[i]/2": lambda A, a, x: softmax(A).T - a * np.tanh(x)[:, None] / 2,
    "Σ_k A[i,k] B[k,j]": lambda A, B: A @ B,
    "sum_k A[i,k]*B[k,j]": lambda A, B: A @ B,
    "∑_k B[k,j]*A[i,k]": lambda A, B: A @ B,
    "sum_{i,j} x[i]*S[i,j]*y[j]": lambda x, S, y: x @ S @ y,
    "Σᵢⱼ x[i]·S[i,j]·y[j]": lambda x, S, y: x @ S @ y,
    "Σᵢ Σⱼ x[i]·S[i,j]·y[j]": lambda x, S, y: x @ S @ y,
    "x[i]/y[j]": lambda x, y: np.outer(x, 1 / y),
    "S[j,i]": lambda S: S.T,
    "S[i,i] − Σⱼ S[j,j]/n": lambda S: np.diag(S) - np.trace(S) / 3,
    "A[0,i]·x[i] − A[-1,i]": lambda A, x: A[0] * x - A[-1],
    "S[i,j] + x[j]": lambda S, x: S + x,
    "x[j] − S[i,j]": lambda S, x: x - S,
    "Σₖ T[i,j,k]·x[k]·y[j]": lambda T, x, y: T @ x * y,
    "T[k,i,i]": lambda T: np.einsum("kii->ik", T),
    "det([Σₖ A[i,k]·A[j,k]])": lambda A: np.linalg.det(A @ A.T),
    "([S[j,i]]x)[k]·y[k]": lambda S, x, y: S.T @ x * y,
    "R[j,i] where R[i,j] = Σₖ A[i,k]·S[k,j]": lambda A, S: (A @ S).T,
    "Σⱼ R[i,j]·x[j] where R[i,j] = b[i]": lambda b, x: b * x.sum(),
    "f[j,i] = A[i,j]": lambda A: A.T,
    "|x[i] − y[i]|^3": lambda x, y: abs(x - y) ** 3,
    "where(x[i] > y[i], x[i], 0)": lambda x, y: np.where(x > y, x, 0),
    "maximum(x[i], y[j])": lambda x, y: np.maximum(x[:, None], y),
    "√x[i] ⌊3y[i]⌋": lambda x, y: np.sqrt(x) * np.floor(3 * y),
    "Σᵢ −x[i]·y[i]/(1 + y[i])": lambda x, y: -(x * y / (1 + y)).sum(),
    "Σᵢ x[i]/Σⱼ y[j]": lambda x, y: x.sum() / y.sum(),
    "2a Σᵢ x[i]/(2a)": lambda x, a: x.sum(),
    "Σᵢ x[i]·tr(S)·xᵀy": lambda x, y, S: x.sum() * np.trace(S) * (x @ y),
    "eye[i,j]*x[i] + eye(3)[j,i]": lambda x: np.diag(x) + np.eye(3),
    "2ax[i]": lambda a, x: 2 * a * x,
    "S[i,j] − aδ[i,j]": lambda a, S: S - a * np.eye(3),
    "1/6 + x[i]": lambda x: 1 / 6 + x,
}  # fmt: skip


@pytest.mark.parametrize("text", MEANINGS)
def test_entries_mean_what_they_mean_on_paper(text):
    expected = MEANINGS[text]
    names = expected.__code__.co_varnames
    used = {name: VALUES[name] for name in names}
    declared = {name: M[name] for name in names}
    found = np.asarray(parse(text, **declared)(**used))
    expected = np.asarray(expected(**used))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_undeclared_names_have_as_many_axes_as_indices():
    f = parse("Σⱼₖ t[i,j,k]·u[j]·V[k]")
    t, u, V = rng.normal(size=(2, 3, 4)), rng.normal(size=3), rng.normal(size=4)
    np.testing.assert_allclose(f(t=t, u=u, V=V), t @ V @ u)


def test_derivatives_of_entries_are_those_of_matrices():
    assert str(parse("Σᵢ (Σⱼ A[i,j]·x[j] − b[i])²").grad("x")) == "2Aᵀ(Ax − b)"
    assert str(parse("sum_{i,j} x[i]*B[i,j]*x[j]").hessian("x")) == "B + Bᵀ"


def test_the_shape_of_the_result_tells_what_the_text_does_not():
    assert parse("2I ⊗ xxᵀ", x="n", shape=("m", "n", "m", "n")).equals(
        parse("2δ[i,k]·x[j]·x[l]", x="n", shape=("m", "n", "m", "n"))
    )
    np.testing.assert_array_equal(parse("1/n", shape="n")(n=4), np.full(4, 0.25))
    with pytest.raises(ParseError, match="another shape was asked for"):
        parse("x[i]·y[j]", x="n", y="m", shape=("m", "n"))
    np.testing.assert_array_equal(parse("x[j]", x=2, shape=(3, 2))(x=[1, 2]), [[1, 2]] * 3)
    for text, names in (("x[k]", {}), ("x[j]", {"i": ()})):
        with pytest.raises(ParseError, match="another shape was asked for"):
            parse(text, x="n", shape=("m", "n"), **names)


@pytest.mark.parametrize(("text", "said"), [
    ("Σᵢ 1 − x[i]", "stands nowhere in what is summed"), ("Σᵢ x[i] − y[i]", "summed over in one place and stands free"),
    ("x[i] Σᵢ y[i]", "summed over in one place"), ("x[i]·sum([y[i]])", "summed over in one place"),
    ("Σᵢ (x[i] Σᵢ y[i])", "summed over in one place"), ("Σᵢᵢ S[i,i]", "each once"), ("Σᵢ x", "stands nowhere"),
    ("x[i] + y", "beside entries"), ("x[i]'", "takes an array"), ("A[i,k]@B[k,j]", "takes an array"),
    ("norm(x[i])", "takes an array"), ("A[i,:]", "letters and slices"), ("x[i][j]", "is an entry, and 1 index"),
    ("S[i]", "1 index is given"), ("x[i,j]", "2 indices are given"), ("A[j,i]·A[i,j]", "runs over"),
    ("x[b]", "'b' is a symbol"), ("n·x[n]", "'n' is an index"), ("i·x[i]", "'i' is an index"),
    ("e·x[e]", "'e' is an index"),
    ("r·x[i] where r = y[i]", "'r' is defined by entries"), ("r[i] where r[i] = y[j]", "'j' is no index"),
    ("a/x[i]·y[i]", "may be (a/b)c"), ("1/Σᵢ x[i]·y[i]", "may be (a/b)c"), ("x[i-1]", "where nothing sums over i"),
    ("x[5,i]", "2 indices are given"), ("2ᵢ", "a subscript stands behind a name"), ("Σᵢ", "ends where an operand"),
    ("x[o]·y[a]", "which of a, o is the first axis"), ("Σ_i x[i]·A[i,j]", "runs over"), ("[x[i], 1]", "takes an array"),
])  # fmt: skip
def test_what_entries_cannot_mean_is_refused(text, said):
    declared = {name: shape for name, shape in M.items() if name not in ("a", "p")}
    with pytest.raises(ParseError, match=re.escape(said)):
        parse(text, **declared)


@pytest.mark.parametrize(("text", "size"), [
    ("sum(x) + x[n]", "n"), ("x[n]·y[n]", "n"), (r"\sum_{i=1}^{n} x_i - x_n", "n"), (r"\sum_{i=1}^{n} x_i - x_n", 4),
])  # fmt: skip
def test_an_index_that_says_how_many_there_are_is_refused(text, size):
    with pytest.raises(ParseError, match="may be the last entry, or all: n is how many"):
        parse(text, x=size, y=size)


def test_such_an_index_that_is_summed_over_or_an_axis_runs():
    assert str(parse(r"\sum_n x_n", x="n")) == "sum(x)"
    assert str(parse("sum(y) where y[n] = x[n]^2", x="n")) == "‖x‖²"


class RandomEntries:
    """Random texts of entries, each with a function of the letters that computes it number by number."""

    def __init__(self, seed, ascii):
        self.draw, self.ascii = random.Random(seed), ascii
        self.fresh = iter("klmnprst")

    def entry(self, letters):
        name = self.draw.choice("xySX")
        at = [self.draw.choice([*letters, "0"] if k else letters) for k in range(len(M[name]))]
        return f"{name}[{','.join(at)}]", lambda env: VALUES[name][tuple(env.get(i, 0) for i in at)]

    def term(self, letters, depth):
        kind = self.draw.randrange(8) if depth else 0
        (a, f), (b, g) = (self.term(letters, depth - 1) if depth else self.entry(letters) for _ in range(2))
        times, minus, power = ("*", "-", "**") if self.ascii else ("·", "−", "^")
        if kind in (1, 2):
            return f"({a} {'+' if kind == 1 else minus} {b})", lambda env: f(env) + (g(env) if kind == 1 else -g(env))
        if kind == 3:
            return f"{a}{times}{b}", lambda env: f(env) * g(env)
        if kind == 4:
            return f"({a}/(1 + ({b}){power}2))", lambda env: f(env) / (1 + g(env) ** 2)
        if kind == 5:
            return f"({minus}exp({a}/4)){power}2", lambda env: np.exp(f(env) / 4) ** 2
        if kind == 6:
            i, j = self.draw.choice(letters), self.draw.choice(letters)
            delta = "eye" if self.ascii else "δ"
            return f"{delta}[{i},{j}]{times}({a})", lambda env: (env[i] == env[j]) * f(env)
        return self.sum(letters, depth) if kind == 7 else self.entry(letters)

    def sum(self, letters, depth):
        k = next(self.fresh, None)
        if k is None:
            return self.entry(letters)
        (a, f), (b, g) = self.entry([k]), self.term([*letters, k], depth - 1)
        sign, times = (f"sum_{k} ", "*") if self.ascii else (f"Σ_{k} ", "·")
        return f"({sign}{a}{times}{b})", lambda env: sum(f({**env, k: n}) * g({**env, k: n}) for n in range(3))


@one_in(20)
@pytest.mark.parametrize("ascii", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_random_entries_are_what_a_loop_computes(seed, ascii):
    text, f = RandomEntries(seed, ascii).term(["i", "j"], 4)
    found = parse(f"{text} + x[i] - x[j]", **{name: M[name] for name in "xySX"})
    expected = [[f({"i": i, "j": j}) + VALUES["x"][i] - VALUES["x"][j] for j in range(3)] for i in range(3)]
    values = {name: VALUES[name] for name in found.free_symbols if name in VALUES}
    np.testing.assert_allclose(found(**values), expected, rtol=1e-9, atol=1e-12, err_msg=text)


# ------------------------------------------------------------------------------------------------------- dialects

TWO_WAYS = [
    "tr(A*X*B)",
    "norm(A*x - b)",
    "norm(A*x - b)**2",
    "A*B",
    "x.T*A*x",
    "2*A*x",
    "t^-1*A*B",
]


@pytest.mark.parametrize("text", TWO_WAYS)
def test_a_star_that_may_be_either_product_is_refused(text):
    with pytest.raises(ParseError, match="the matrix product, and the product entry by entry") as raised:
        parse(text, **{"t": ()} if "t^" in text else {})
    said = str(raised.value)
    assert 'dialect="matrix" or dialect="numpy"' in said and " @ " in said and " .* " in said


@pytest.mark.parametrize(("text", "shapes", "meaning"), [
    ("sum(x*y)", {}, "xᵀy"), ("x'*A*x", {}, "xᵀAx"), ("A^T*x", {}, "Aᵀx"), ("A^-1*x", {}, "A⁻¹x"),
    ("A*B .* C", dict(A=(2, 3), B=(3, 4), C=(2, 4)), "C ⊙ AB"),
    ("y*(X@w)", {}, "y ⊙ Xw"), ("2*x", {}, "2x"), ("lam*x*mu", {}, "lam mu x"), ("x*y**2", {}, "x y²"),
    ("norm(A*x - b)^2", {}, "‖Ax − b‖²"), ("‖A*x‖", {}, "‖Ax‖"),
    ("A*B*x - b", dict(A=("m", "n"), B=("n", "k"), x="k", b="m"), "ABx − b"),
    ("A*B", dict(A=(1, 1), B=(1, 1)), "A ⊙ B"),
    ("A*x - b", dict(A=("m", "m"), x="n", b="m"), None),
])  # fmt: skip
def test_one_reading_that_is_left_is_taken(text, shapes, meaning):
    if meaning is None:
        with pytest.raises(ParseError, match="has m columns, x has n|has m"):
            parse(text, **shapes)
    else:
        assert parse(text, **shapes).equals(parse(meaning, dialect="matrix", **shapes))


def test_a_dialect_says_what_a_star_is():
    values = dict(A=VALUES["S"], x=VALUES["x"], b=VALUES["y"])
    A, x, b = values.values()
    for text in ("norm(A*x - b)", "sqrt(sum((A*x - b)**2))"):
        np.testing.assert_allclose(parse(text, dialect="numpy")(**values), np.linalg.norm(A * x - b))
    np.testing.assert_allclose(parse("norm(A*x - b)", dialect="matrix")(**values), np.linalg.norm(A @ x - b))
    with pytest.raises(sg.FormulaError, match="'matlab' is no dialect"):
        parse("x", dialect="matlab")


# ------------------------------------------------------------------------------------------------ print and read back

STYLES = {
    "unicode": (lambda f: str(f), "matrix"),
    "ascii": (lambda f: format(f, "ascii"), "numpy"),
    "entries": (lambda f: f.text(level="element"), "matrix"),
    "entries in ascii": (lambda f: f.text("ascii", level="element"), "numpy"),
}
REFUSED = {
    "a share": {"unicode": 0, "ascii": 0, "entries": 0, "entries in ascii": 2},
    "others": {"unicode": 0, "ascii": 0, "entries": 0, "entries in ascii": 5},
    "first": {"unicode": 0, "ascii": 0, "entries": 0, "entries in ascii": 5},
    "unseen": {"unicode": 2, "ascii": 1, "entries": 3, "entries in ascii": 8},
}
"""How many printed derivatives of a part of the corpus may be refused: these numbers may only fall."""


def part_of_the_corpus(part, style):
    """Entries: the styles share out those that every run meets, and have the others, with as many again, beside."""
    share = few(ENTRIES)[list(STYLES).index(style) :: len(STYLES)]
    others = [entry for entry in ENTRIES[:: FEW // 2] if entry not in share]
    return {"a share": share, "others": others, "first": FIRST, "unseen": UNSEEN}[part]


@pytest.mark.parametrize(
    "part", ["a share", *(pytest.param(part, marks=pytest.mark.slow) for part in ("others", "first", "unseen"))]
)
@pytest.mark.parametrize("style", STYLES)
def test_printed_derivatives_of_the_corpus_are_read_back(style, part):
    write, dialect = STYLES[style]
    refused, different = [], []
    found = [(e, what) for e in part_of_the_corpus(part, style) for what, _ in e.textbook()]
    for name, formula, symbols in [(f"{e.name}, {what}", derivative(e, what), e.symbols()) for e, what in found]:
        text = write(formula)
        try:
            found = parse(text, dialect=dialect, shape=formula.shape, **{s.name: s for s in symbols})
        except ParseError as error:
            refused.append(f"{name}: {error}")
            continue
        if found.shape != formula.shape or not found.equals(formula):
            different.append(f"{name}: {text} was read as {found}")
    assert not different, "\n".join(different)
    assert len(refused) <= REFUSED[part][style], "\n".join(refused)


@one_in(4)
@pytest.mark.parametrize("seed", range(40))
def test_entries_of_random_terms_are_read_back(seed):
    terms = RandomTerm(seed)
    read = 0
    for k in range(6):
        term = (terms.scalar, terms.vector, terms.matrix)[k % 3](3)
        at = sample(term)
        with np.errstate(all="ignore"):
            expected = value(term, at)
        for style, dialect in (("unicode", "matrix"), ("ascii", "numpy")):
            text = to_text(term, style, level="element")
            try:
                found = parse(text, dialect=dialect, shape=term.shape, **{n: a.shape for n, a in at.items()})
            except ParseError:  # a sum over a letter that its terms lack
                continue
            read += 1
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(
                    found(**{n: at[n] for n in found.free_symbols}), expected, rtol=1e-7, atol=1e-9
                )
    assert read >= 8


# ------------------------------------------------------------------------------------------------------ bounded work

LARGE = {
    "too long": "x + " * 25_000 + "x",
    "nested": "(" * 10_000 + "x" + ")" * 10_000,
    "nested, shorter": "(" * 9_000 + "x" + ")" * 9_000,
    "sums": "Σᵢ " * 5_000 + "x[i]",
    "lists": "[" * 9_000 + "x[i]" + "]" * 9_000,
    "powers": "x[i]^" * 3_000 + "2",
    "axes": "·".join(f"x{k}[{c}]" for k, c in enumerate("ijklmnprstuv")),
    "entries": "·".join(f"X[{a},{b}]" for a in "ijkl" for b in "mnprst"),
    "brackets": "x[i,x[" * 3_000,
    "letters": "Σ_{" + ",".join(f"i{k}" for k in range(4_000)) + "} x[i1]",
}


@one_in(2)
@pytest.mark.parametrize("name", LARGE)
def test_large_texts_are_refused_in_bounded_time(name):
    def read():
        with pytest.raises(ParseError) as raised:
            parse(LARGE[name])
        assert len(str(raised.value)) < 1000

    assert calls(read) < 1_000 * len(LARGE[name])


def test_many_factors_of_a_sum_are_one_product():
    assert str(parse("Σᵢ " + "·".join(["x[i]"] * 2000))) == "sum(x²⁰⁰⁰)"


@pytest.mark.parametrize("n", [300, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_long_text_is_read_in_two_ways_in_bounded_time(n):
    def work(factors):
        found = []
        count = calls(lambda: found.append(parse("(A*x)*" * factors + "x")))  # a column times a column is no product
        assert found[0].free_symbols == {"A", "x"}
        return count / factors

    parse("(A*x)*x")  # what is compiled and looked up once
    assert work(n) < 1.1 * work(n // 3)


def test_a_long_sum_and_many_empty_lines_are_read_in_bounded_time():
    parse("|x| + |x|", x=())
    few, many = (calls(lambda: parse(" + ".join(["|x|"] * n), x=())) / n for n in (100, 400))  # noqa: B023
    assert many < 1.2 * few
    assert str(parse("x^2" + "\n" * 4900, x=())) == "x²"  # blanks were parted in as many ways as there are pairs


@pytest.mark.parametrize("tail", [
    " where " + " and ".join(["x_low_abc"] * 30) + "!", " where " + ", ".join(["x_low_abc"] * 30) + " ∈ R^!",
    " where x is the " + "unquestionably" * 4 + "'", " + s" + "tanhslnss" * 40,
])  # fmt: skip
def test_words_that_can_be_parted_in_many_ways_are_read_in_bounded_time(tail):
    with pytest.raises(ParseError):  # some took minutes, or would have taken years: each word twice as long
        parse("x^2" + tail)


# --------------------------------------------------------------------------------- texts that once said something else


@pytest.mark.parametrize(("names", "printed"), [
    ("mu", "m u"), ("nu", "n u"), ("eps", "ep s"), ("Nu", "N u"), ("et", "et"), ("inv", "in v"), ("det", "de t"),
])  # fmt: skip
def test_names_that_spell_a_letter_or_a_function_stand_apart(names, printed):
    symbols = [sg.symbol(c) for c in names]
    f = sg.formula(lambda *a: np.prod(np.array(a, dtype=object)), *symbols)
    assert str(f) == printed
    for text, dialect in ((printed, "matrix"), (f.latex(), "latex")):
        assert parse(text, dialect=dialect, **dict.fromkeys(names, ())).equals(f)


def test_a_matrix_beside_a_vector_spells_no_letter():
    X, i = sg.symbol("X", ("n", "n")), sg.symbol("i", "n")
    f = sg.formula(lambda X, i: X @ i, X, i)
    assert str(f) == "X i" and parse(str(f), X=X, i=i).equals(f)


def test_functions_of_texts_are_not_spelled_by_letters():
    from symgrad.notation._known_functions import known
    from symgrad.show.functions import SPELLED

    names = {name for name in known(True) if name.isalpha() and name.isascii() and name.islower() and len(name) > 1}
    assert names - set(SPELLED) == {"mm", "mv"}  # before a bracket these stand apart, too


@pytest.mark.parametrize("f", [
    lambda x, y: x.norm() * y.norm(), lambda x, y: x.norm() * y.norm() - (x + y).norm() * x.norm(),
    lambda x, y: x.norm() * y.norm() * (x @ y) * (x - y).norm() + abs(x.sum()) * abs(y.sum()),
    lambda x, y: x.norm() ** 2 * y.norm() - y.norm() * x.norm() / (x + y).norm(),
])  # fmt: skip
def test_norms_side_by_side_are_read_back(f):
    x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
    for formula in (sg.formula(f, x, y), sg.formula(f, x, y).grad("x")):
        assert parse(str(formula), x=x, y=y).equals(formula), formula
        assert parse(formula.latex(), x=x, y=y).equals(formula), formula


def test_a_transpose_with_axes_is_read():
    P = rng.normal(size=(2, 3, 4))
    found = parse("transpose(P, (1, 0, 2))", P=(2, 3, 4))
    np.testing.assert_array_equal(found(P=P), P.transpose(1, 0, 2))
    np.testing.assert_array_equal(parse("transpose(A,(1,0))", A=("m", "n"))(A=VALUES["A"]), VALUES["A"].T)
    with pytest.raises(ParseError, match="the axes are 0, …, 2 in some order"):
        parse("transpose(P, (1, 0))", P=(2, 3, 4))


def test_reciprocals_of_a_diagonal_are_read_back():
    X = sg.symbol("X", ("n", "n"))
    f = sg.formula(lambda X: X.diagonal().log().sum(), X).grad("X")
    assert str(f) == "diag(1/diag(X))"
    for text in (str(f), f.latex(), format(f, "ascii")):
        assert parse(text, X=X).equals(f)


@pytest.mark.parametrize("f", [lambda X: (X * X).sum() ** 2, lambda X: (X * X).sum().exp()])
def test_products_of_vec_beside_kronecker_products_are_read_back(f):
    X = sg.symbol("X", ("m", "n"))
    hessian = sg.formula(f, X).hessian("X")
    assert "vec(X) vec(X)ᵀ" in str(hessian)
    for text in (str(hessian), hessian.latex(), format(hessian, "ascii")):
        assert parse(text, X=X, shape=hessian.shape).equals(hessian)
    assert parse(str(hessian)).shape == hessian.shape
    assert parse("vec(X) vec(X)ᵀ", X=(2, 3)).shape == (6, 6)  # alone it is a matrix


WRITTEN = [
    # a text that is refused, what of it, and what its message says to write instead
    ("tr(exp(-β H))", "exp(-β H)", ["np.exp(-β H)", "matrix_exp(-β H)"]),
    (r"\mathrm{tr}(\exp(-\beta H))", r"\exp(-\beta H)", [r"np.exp(-\beta H)", r"\operatorname{matrix\_exp}(-\beta H)"]),
    ("xᵀ exp(A) x", "exp(A)", ["np.exp(A)", "matrix_exp(A)"]),
    ("tr(e^X)", "e^X", ["np.exp(X)", "matrix_exp(X)"]),
    ("inner(A, B)", "inner(A, B)", ["vdot(A, B)", "A @ B.T"]),
    (r"\max_i x", r"\max_i x", [r"\max(x)"]),
    (r"\max_i x_i", r"\max_i x_i", [r"\max(x)"]),
    (r"J_{-1}(x)", r"J_{-1}(x)", [r"\operatorname{bessel\_j}(-1, x)"]),
    ("max(A.*B)", "max(A.*B)", ['max(A.*B, "all")', "max(A.*B, axis=0)"]),
    (r"\phi(y - \mu)", r"\phi(y - \mu)", [r"\operatorname{normal\_pdf}(…)", r"\phi*(…)"]),
    (r"\beta + T_0(1 - x)", "T_0(1 - x)", [r"\operatorname{chebyshev\_t}(…, degree=0)", "T_0*(…)"]),
]


@pytest.mark.parametrize(("text", "part", "instead"), WRITTEN)
def test_what_a_message_says_to_write_is_read(text, part, instead):
    with pytest.raises(ParseError) as raised:
        parse(text)
    for said in instead:
        assert said in str(raised.value)
        assert parse(text.replace(part, said.replace("…", part.partition("(")[2][:-1])))


def test_what_is_said_to_write_for_stacked_columns_is_read():
    with pytest.raises(ParseError, match=r"Write ravel\(X.T\) for the former, ravel\(X\) for the latter"):
        parse("vec(X)ᵀ (A ⊗ B) vec(X)")
    X, A, B = (rng.normal(size=shape) for shape in ((2, 3), (3, 3), (2, 2)))
    columns, rows = X.ravel("F"), X.ravel()
    f = parse("ravel(X.T)ᵀ (A ⊗ B) ravel(X.T)")
    np.testing.assert_allclose(f(X=X, A=A, B=B), columns @ np.kron(A, B) @ columns)
    f = parse("ravel(X)ᵀ (A ⊗ B) ravel(X)")
    np.testing.assert_allclose(f(X=X, A=B, B=A), rows @ np.kron(B, A) @ rows)


@pytest.mark.parametrize(("f", "printed"), [
    (lambda x: x * float("nan"), "nan x"), (lambda x: x + float("nan"), "nan + x"),
    (lambda x: x / float("nan"), "x/nan"),
    (lambda x: float("nan") * (x * x).sum(), "nan ‖x‖²"), (lambda x: x * float("inf"), "inf x"),
])  # fmt: skip
def test_nan_does_not_run_into_its_neighbours(f, printed):
    x = sg.symbol("x", "n")
    formula = sg.formula(f, x)
    assert str(formula) == printed
    for text in (printed, formula.latex(), format(formula, "ascii")):
        assert str(parse(text, x=x)) == printed

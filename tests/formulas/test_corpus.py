"""Textbook derivatives: right by number, as approved in print, and no longer than those of books, tables and papers."""

import functools

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close
from ._derived import cases, derivative, few, lines, rest
from ._tokens import count_tokens
from .corpus._books import AFTER, APPLIED, CURVED, ENTRIES, FIRST, FRESH, LATER, MIXED, PAIRS, TABLES, UNSEEN, WIDER
from .corpus._entry import approved_text
from .corpus._listing import share, summary
from .corpus._values import NotReadable
from .corpus.held_out._held import FIELDS

EACH = pytest.mark.parametrize(
    ("entry", "what"), cases(ENTRIES, lambda entry: [(entry, what) for what, _ in entry.textbook()])
)
SHARE = {FIRST: 0.989, UNSEEN: 0.983, LATER: 0.959, FRESH: 0.972, CURVED: 0.962, APPLIED: 0.904, WIDER: 0.961,
         MIXED: 0.956, AFTER: 0.968, PAIRS: 0.954, TABLES: 0.923}  # fmt: skip
"""How many of the lines must be no longer than the book's: of the entries that rules were made for, of later ones."""


@functools.cache
def both(entry, what):
    """Return a point and the derivative there by differences."""
    point = entry.sample()
    return point, entry.numbers(what, point)


def assert_same(entry, what, found, truth):
    """Assert equality up to the accuracy of differences and what a symmetric variable leaves open."""
    found = np.asarray(found, float).reshape(truth.shape)
    assert_close(entry.comparable(what, found), entry.comparable(what, truth), rtol=1e-6, atol=1e-7, what=entry.name)


@EACH
def test_the_book_is_right(entry, what):
    point, truth = both(entry, what)
    assert_same(entry, what, entry.read(dict(entry.textbook())[what], point, truth.size), truth)


@EACH
def test_the_formula_is_right(entry, what):
    point, truth = both(entry, what)
    value = np.asarray(derivative(entry, what)(**point))
    assert value.shape == truth.shape
    assert_same(entry, what, value, truth)
    assert_same(entry, what, value, entry.read(dict(entry.textbook())[what], point, truth.size).reshape(truth.shape))


@EACH
def test_the_printed_text_says_the_same_number(entry, what):
    point, truth = both(entry, what)
    text = str(derivative(entry, what))
    try:
        found = entry.read(text, point, truth.size)
    except NotReadable as error:
        pytest.skip(f"not in matrix notation: {error}")
    assert_same(entry, what, found, truth)


@EACH
def test_the_printed_text_is_as_approved(entry, what):
    approved = approved_text(entry, what)
    assert str(derivative(entry, what)) == approved, "if it is better: python -m tests.formulas.corpus --approve"


@pytest.mark.slow
def test_formulas_are_no_longer_than_the_books(record_property):
    found = lines(ENTRIES)
    for line in found:
        record_property(line.name, f"{line.textbook_tokens} {line.error or line.tokens}")
    for line in found:
        if line.is_longer:
            print(f"{line.name}: {line.textbook_tokens} {line.textbook!r}")
            print(f"    {line.tokens} {line.error or line.printed!r}")
    print(summary(found))
    for entries, least in SHARE.items():
        some = [line for line in found if line.entry in entries]
        assert share(some) >= least, summary(some)


def test_names_are_unique():
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names) > 700


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("xᵀBx", 4),
        ("2Aᵀ(Ax − b)", 9),
        ("2 A^2", 3),
        ("X⁻ᵀ", 2),
        ("X beta − y", 4),
        ("‖x‖²", 4),
        ("diag(p) − ppᵀ where p = softmax(x)", 14),
        ("diag(p) − ppᵀ\nwhere p = softmax(x)", 14),
        ("where(x > 0, x, 1)", 8),
        ("Σₖ A[i,k]·B[k,j]", 13),
        ("x**2 - y", 4),
    ],
)
def test_tokens_are_counted_as_a_reader_counts(text, count):
    assert count_tokens(text, {"beta"}) == count


@pytest.mark.parametrize(("unicode", "ascii"), [("x² − y", "x**2 - y"), ("x ⊙ y", "x*y"), ("Aᵀ", "A.T")])
def test_ascii_and_unicode_count_the_same(unicode, ascii):
    assert count_tokens(unicode) == count_tokens(ascii)


# Those kept for measuring: each has a formula, and it is right; their lengths are only counted ------------------------


def assert_right(entry, what):
    point = entry.sample()
    truth = entry.numbers(what, point)
    book = entry.read(dict(entry.textbook())[what], point, truth.size, each=True).reshape(truth.shape)
    value = np.asarray(derivative(entry, what)(**point))
    assert value.shape == truth.shape
    for found in (book, value):
        assert_close(
            entry.comparable(what, found), entry.comparable(what, truth), rtol=1e-6, atol=1e-7, what=entry.name
        )


@pytest.mark.parametrize("entries", [few, pytest.param(rest, marks=pytest.mark.slow)], ids=["few", "rest"])
@pytest.mark.parametrize("field", FIELDS)
def test_every_formula_of_a_field_is_right(field, entries):
    wrong = {}
    for entry in entries(FIELDS[field]):
        for what, _ in entry.textbook():
            try:
                assert_right(entry, what)
            except Exception as error:  # all of them are told at once
                wrong[f"{entry.name}, {what}"] = f"{type(error).__name__}: {error}"
    assert not wrong


@pytest.mark.slow
def test_the_share_of_short_formulas_is_counted(record_property):
    found = [line for entries in FIELDS.values() for line in lines(entries)]
    record_property("held out", summary(found))
    print(summary(found))
    assert share(found) > 0.915  # it may only rise


# Forms of tables of derivatives, and of papers on layouts of points ---------------------------------------------------

# The idea to hold: a function is differentiated on symbols and on the tape at one point.


def squared_distances(X):
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(2)


POSITIVE = {"a", "b", "c", "e", "t", "n"}
"""The numbers that are declared positive."""

FIRST_FORMS = {
    "stress of points": (lambda X, W: ((squared_distances(X) - W) ** 2).sum() / 8, "X",
                         "diag(R𝟏) X − RX\nwhere R[i,j] = Σₖ (X[i,k] − X[j,k])² − W[i,j]"),
    "bells between points": (lambda X, W: (W * sg.exp(-squared_distances(X) / 2)).sum() / 2, "X", None),
    "springs between points": (lambda X, W, a: (W * sg.sqrt(a + squared_distances(X))).sum() / 2, "X",
                               "diag((W/√R)𝟏) X − (W/√R)X\nwhere R[i,j] = Σₖ (X[i,k] − X[j,k])² + a"),
    "an odd function of points": (lambda X, W: (sg.tanh(X[:, None, :] - X[None, :, :]).sum(2) * W).sum() + X.sum(),
                                  "X", None),
    "a name with a number": (lambda x, a, b, c: a * sg.exp(-b * sg.exp(-c * x)), "x",
                             "abcs exp(−bs)\nwhere s = exp(−cx)"),
    "an inverse squared": (lambda t, M, u: u @ sg.linalg.solve(M + t * sg.eye(3), u), "t", "−uᵀ(tI + M)⁻²u"),
    "a residual beside its multiple": (lambda v, W: (v @ W @ v) / 2 - sg.log(v @ v), "v", "Wv − 2v/‖v‖²"),
    "a minus in front of a diagonal": (lambda u, M, b: u @ M @ u - b * (u**3).sum(), "u", None),
    "a minus into a product": (lambda x, u, a: -(u @ (1 - 2 * sg.sigmoid(x * u))) * a, "x", None),
    "squares of a symbol": (lambda X, a: (X - X**3 / 3 + a * X).sum(), "X", None),
    "a circle": (lambda x, a: x * sg.sqrt(4 * a**2 - x**2) / 2 + 2 * a**2 * sg.arcsin(x / (2 * a)), "x", "√(4a² − x²)"),
    "a quotient of roots": (lambda a, b, x: 2 * sg.sqrt(a * b) * sg.cos(x), "a", None),
}  # fmt: skip
SECOND = {
    "exponentials in one another": (lambda x, a, b, c: a * sg.exp(-b * sg.exp(-c * x)), "x",
                                    "abc²s exp(−bs)(bs − 1)\nwhere s = exp(−cx)"),
    "a root over another": (lambda a, b, x: 2 * sg.sqrt(a * b) * sg.cos(x), "a", "−cos(x) √(b/a)/(2a)"),
    "signs turned in a bracket": (lambda x, a, b: sg.exp(-a * x) * sg.sin(b * x), "x",
                                  "exp(−ax)(sin(bx)(a² − b²) − 2ab cos(bx))"),
    "a partial likelihood": (lambda u, Z, R, d: d @ sg.log(R @ sg.exp(Z @ u)), "u",
                             "Zᵀ(diag(Rᵀ(d/v)) − diag(s) Rᵀ diag(d/v²) R) diag(s) Z\nwhere s = exp(Zu)\n      v = Rs"),
    "an array beside itself": (lambda u, v, w: sg.softplus(-(u * v * w).sum()), "u",
                               "p(1 − p)ssᵀ\nwhere s = v ⊙ w\n      p = σ(sᵀu)"),
    "couplings that saturate": (lambda u, W: (W * sg.log(sg.cosh(u[:, None] - u[None, :]))).sum() / 2, "u", None),
    "a fourth power of differences": (lambda u, W: (W * (u[:, None] - u[None, :]) ** 4).sum() / 4, "u",
                                      "6 diag(S𝟏) − 6S\nwhere S = W ⊙ (u𝟏ᵀ − 𝟏uᵀ)^∘2"),
    "curvature of bells": (lambda X, W: (W * sg.exp(-squared_distances(X) / 2)).sum() / 2, "X", None),
}  # fmt: skip
SHAPES = {"X": (3, 2), "Z": (4, 3), "R": (4, 4), "d": (4,), "u": (3,), "v": (3,), "w": (3,), "W": (3, 3), "M": (3, 3)}


def compared(f, wrt, text, derivative, truth):
    rng = np.random.default_rng(3)
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    point = {name: rng.uniform(0.3, 1.1, SHAPES.get(name, ())) for name in names}
    symbols = []
    for name in names:
        symmetric = name in "WM"
        point[name] = point[name] @ point[name].T + np.eye(3) if symmetric else point[name]
        positive = {"positive": True} if name in POSITIVE else {}
        symbols.append(sg.symbol(name, SHAPES.get(name, ()), **({"symmetric": True} if symmetric else positive)))
    found = derivative(sg.formula(f, *symbols))
    assert text is None or str(found) == text
    true = truth(lambda x: f(**{**point, wrt: x}))(sg.tensor(point[wrt]))
    value = np.broadcast_to(found(**point), np.shape(true))
    np.testing.assert_allclose(value, np.asarray(true), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", FIRST_FORMS)
def test_a_gradient_has_the_form_and_the_value(case):
    f, wrt, text = FIRST_FORMS[case]
    compared(f, wrt, text, lambda formula: formula.grad(wrt), sg.func.grad)


@pytest.mark.parametrize("case", SECOND)
def test_a_second_derivative_has_the_form_and_the_value(case):
    f, wrt, text = SECOND[case]
    compared(f, wrt, text, lambda formula: formula.hessian(wrt), sg.hessian)


def test_what_was_multiplied_out_stays_so():
    square = sg.parse("(x + y)²", x=(), y=())
    assert str(square) == "(x + y)²" and str(square.expand()) == "2xy + x² + y²"


def test_a_norm_keeps_its_form_unless_an_inverse_is_in_it():
    S, b = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("b", "n")
    assert str(sg.formula(lambda S, b: ((S @ b) ** 2).sum(), S, b)) == "‖Sb‖²"
    f = sg.formula(lambda S, b: b @ sg.linalg.inv(S) @ sg.linalg.inv(S) @ b, S, b)
    assert str(f) == "bᵀS⁻²b"


# Softmax and log Σ exp as they are written by hand are the functions --------------------------------------------------


RNG = np.random.default_rng(3)
Z = RNG.standard_normal((4, 3))
W = RNG.standard_normal((4, 3))


def by_rows(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def whole(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def log_total(z):
    m = z.max(axis=1, keepdims=True)
    return np.log(np.exp(z - m).sum(axis=1)) + m[:, 0]


FUNCTIONS = {
    "rows": (lambda z: (by_rows(z) * W).sum(), lambda z: (sg.softmax(z, 1) * W).sum()),
    "squares": (lambda z: (by_rows(z) ** 2).sum(), lambda z: (sg.softmax(z, 1) ** 2).sum()),
    "cubes, weighted": (lambda z: (by_rows(z) ** 3 * W).sum(), lambda z: (sg.softmax(z, 1) ** 3 * W).sum()),
    "all entries": (lambda z: (whole(z) ** 2 * W).sum(), lambda z: ((np.exp(z) / np.exp(z).sum()) ** 2 * W).sum()),
    "log of the sum": (lambda z: (log_total(z) ** 2).sum(), lambda z: (sg.logsumexp(z, 1) ** 2).sum()),
    "cross entropy": (lambda z: -(np.log(by_rows(z)) * W).sum(), lambda z: -(sg.log_softmax(z, 1) * W).sum()),
    "products": (
        lambda z: (by_rows(z)[:, :, None] * by_rows(z)[:, None, :]).sum(0)[0, 1],
        lambda z: (sg.softmax(z, 1)[:, :, None] * sg.softmax(z, 1)[:, None, :]).sum(0)[0, 1],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_formulas_are_those_of_the_function(name):
    by_hand, known = FUNCTIONS[name]
    for transform in (sg.grad, sg.hessian):
        mine, truth = transform(by_hand), transform(known)
        assert str(mine.formula(Z)) == str(truth.formula(Z))
        np.testing.assert_allclose(mine(Z), truth(Z), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_have_no_trace_of_the_maximum(name):
    by_hand, known = FUNCTIONS[name]
    compiled = sg.compile(by_hand, "gh")
    assert "np.max" not in compiled.code(Z).split("\ndef ")[-1]
    tied = np.round(Z)  # two entries of a row are its maximum
    for at in (Z, tied, 20 * Z):
        for mine, truth in zip(compiled(at), (sg.grad(known)(at), sg.hessian(known)(at)), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-8, atol=1e-10)


def test_masked_entries_have_no_weight():
    z = np.array([[0.5, -np.inf, 0.2]])
    f = sg.compile(lambda z: (by_rows(z) * np.arange(3.0)).sum(), "g")
    np.testing.assert_allclose(f(z), sg.grad(lambda z: (sg.softmax(z, 1) * np.arange(3.0)).sum())(z), atol=1e-15)


def test_what_is_the_same_along_the_axis_is_taken_off():
    z, Y, v, s = sg.symbol("z", "n"), sg.symbol("Y", ("n", "m")), sg.symbol("v", "n"), sg.symbol("s")
    assert str(sg.formula(lambda Y, v: sg.softmax(Y + v[:, None], 1), Y, v)) == "softmax(Y)"
    assert str(sg.formula(lambda Y, v: sg.softmax(Y + v[:, None], 0), Y, v)) == "softmax(Y + v𝟏ᵀ, dim=0)"
    assert str(sg.formula(lambda Y, v: sg.logsumexp(2 * Y - 3 * v[:, None], 1), Y, v)) == "logsumexp(2Y, dim=1) − 3v"
    assert str(sg.formula(lambda z, s: sg.logsumexp(z - s, 0), z, s)) == "logsumexp(z) − s"
    found = sg.formula(lambda z, s: sg.softmax(z + sg.log(s), 0), z, s)
    assert str(found) == "softmax(z)" and found.conditions == ["s > 0"]


def test_powers_that_are_not_those_of_one_softmax_stay():
    z, Y = sg.symbol("z", "n"), sg.symbol("Y", ("n", "n"))
    for f, at in (
        (lambda z: np.exp(2 * z) / np.exp(z).sum() ** 3, z),
        (lambda z: np.exp(3 * z) / np.exp(z).sum() ** 2, z),
        (lambda z: np.exp(3 * z) / np.exp(2 * z).sum() ** 2, z),
        (lambda z: (np.exp(z) / np.exp(z.T).sum(1, keepdims=True)) ** 2, Y),
    ):
        found = sg.formula(f, at)
        assert "softmax" not in str(found)
        point = RNG.standard_normal([3] * at.ndim)
        np.testing.assert_allclose(found(**{at.name: point}), f(point))
    pairs = sg.formula(lambda z: np.exp(z)[:, None] * np.exp(z) / np.exp(z).sum() ** 2, z)
    assert str(pairs) == "softmax(z) softmax(z)ᵀ"


# Kronecker products, of whose layouts none stays ----------------------------------------------------------------------


KRONECKER_SHAPES = {
    "A": ("k", "m"),
    "X": ("p", "n"),
    "B": ("k", "k"),
    "Y": ("n", "n"),
    "V": ("m", "n"),
    "W": ("k", "p"),
}
SIZES = {"k": 2, "m": 4, "p": 3, "n": 2}
CASES = {
    "square": (lambda A, X: (sg.kron(A, X) ** 2).sum(), "X", "2‖A‖²X", "2‖A‖²I ⊗ I"),
    "square of the other": (lambda A, X: (sg.kron(X, A) ** 2).sum(), "X", "2‖A‖²X", "2‖A‖²I ⊗ I"),
    "log-determinant": (lambda B, Y: sg.logdet(sg.kron(Y, B)), "Y", "kY⁻ᵀ", None),
    "trace of a square": (lambda B, Y: sg.trace(sg.kron(Y, B) @ sg.kron(Y, B)), "Y", "2 tr(B²) Yᵀ", None),
    "trace of an inverse": (lambda B, Y: sg.trace(sg.linalg.inv(sg.kron(B, Y))), "Y", "−tr(B⁻¹) Y⁻ᵀY⁻ᵀ", None),
    "of a vector": (
        lambda A, X, V: ((sg.kron(A, X) @ V.reshape(-1)) ** 2).sum(), "X", "2XVᵀAᵀAV", "2I ⊗ VᵀAᵀAV",
    ),
    "in the vector": (
        lambda A, X, V: ((sg.kron(A, X) @ V.reshape(-1)) ** 2).sum(), "V", "2AᵀAVXᵀX", "2AᵀA ⊗ XᵀX",
    ),
    "two sides": (lambda A, X, V, W: W.reshape(-1) @ sg.kron(A, X) @ V.reshape(-1), "X", "WᵀAV", "zeros(p, n, p, n)"),
    "transposed": (
        lambda A, X, V, W: V.reshape(-1) @ sg.kron(A, X).T @ W.reshape(-1), "A", "WXVᵀ", "zeros(k, m, k, m)",
    ),
    "left side": (lambda A, X, W: ((W.reshape(-1) @ sg.kron(A, X)) ** 2).sum(), "X", "2WᵀAAᵀWX", "2WᵀAAᵀW ⊗ I"),
    "entries": (lambda A, X: sg.exp(sg.kron(A, X)).sum(), "X", None, None),
    "products of two": (
        lambda A, X, B, Y: sg.trace(sg.kron(B, X @ X.T) @ sg.kron(A @ A.T, X @ Y @ X.T)), "Y", None,
        "zeros(n, n, n, n)",
    ),
    "sizes that do not fit": (lambda B, Y: (sg.kron(Y, B) * sg.kron(B, Y)).sum(), "Y", None, None),
}  # fmt: skip


def array(name, rng):
    shape = [SIZES[n] for n in KRONECKER_SHAPES[name]]
    return rng.normal(size=shape) + 3 * np.eye(*shape) * (shape[0] == shape[1])


def differences(f, at, name):
    """The derivative of an array-valued function by central differences."""
    columns = []
    for k in np.ndindex(at[name].shape):
        step = np.zeros_like(at[name])
        step[k] = 1e-6
        above, below = f(**{**at, name: at[name] + step}), f(**{**at, name: at[name] - step})
        columns.append((np.asarray(above) - np.asarray(below)) / 2e-6)
    return np.stack(columns, -1).reshape(np.shape(columns[0]) + at[name].shape)


@one_in(16)
@pytest.mark.parametrize("named", [True, False], ids=["named sizes", "fixed sizes"])
@pytest.mark.parametrize("case", CASES)
def test_functions_of_kronecker_products(case, named):
    f, wrt, gradient, hessian = CASES[case]
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    symbols = [sg.symbol(n, KRONECKER_SHAPES[n] if named else [SIZES[s] for s in KRONECKER_SHAPES[n]]) for n in names]
    first = sg.formula(f, *symbols).grad(wrt)
    second = first.jacobian(wrt)
    if named:
        assert gradient is None or str(first) == gradient
        assert hessian is None or str(second) == hessian
        assert gradient is None or "reshape" not in str(second)
    rng = np.random.default_rng(0)
    at = {n: array(n, rng) for n in names}
    numbers = lambda **a: f(**{n: sg.tensor(x) for n, x in a.items()}).item()
    np.testing.assert_allclose(first(**at), differences(numbers, at, wrt), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second(**at), differences(lambda **a: first(**a), at, wrt), rtol=1e-5, atol=1e-5)

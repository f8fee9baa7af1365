"""SymPy's expressions as formulas, with its numbers; and where its array derivatives are wrong, ours are right."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.core import TABLE
from symgrad.formulas import twin
from symgrad.notation import from_sympy
from symgrad.notation._from_sympy import twins

from ..helpers import rows as _rows
from ..helpers.numeric import gradient

x, y, t = sp.symbols("x y t")
p, q = sp.symbols("p q", positive=True)
rng = np.random.default_rng(0)

SCALARS = [
    x, sp.Integer(3), x**2 + sp.exp(y) / 3, -x / 2 - sp.Rational(3, 7), sp.sqrt(p) + p ** sp.Rational(1, 3), p**y,
    2**x, 1 / (1 + sp.exp(-x)), (x + y) ** -2, x / (y * p), sp.pi * sp.E * x, sp.GoldenRatio + x, sp.Float("0.1") * x,
    sp.sin(x) / x, sp.cos(x), sp.tan(x), sp.asin(x / 2), sp.acos(x / 2), sp.atan(x), sp.atan2(x, y), sp.sinh(x),
    sp.cosh(x), sp.tanh(x), sp.asinh(x), sp.acosh(p + 1), sp.atanh(x / 2), sp.sec(x), sp.csc(x), sp.cot(x),
    sp.sech(x), sp.csch(x), sp.log(p, 3, evaluate=False),
    sp.coth(x), sp.acot(x), sp.asec(p + 1), sp.log(p), sp.log(p, 2), sp.log(p) / p, sp.Abs(x - y), sp.sign(x - y),
    sp.Max(x, y, 0), sp.Min(x, y), sp.floor(3 * x), sp.ceiling(3 * x), sp.frac(p), sp.Mod(p, 1), sp.Heaviside(x - y),
    sp.erf(x), sp.erfc(x), sp.erfinv(x / 2), sp.loggamma(p), sp.gamma(p), sp.factorial(p), sp.digamma(p),
    sp.polygamma(2, p), sp.beta(p, q), sp.sinc(x), sp.re(x) + sp.conjugate(y),
    sp.Piecewise((x**2, x > 1), (x, x > 0), (0, True)), sp.Piecewise((x, (x > y) & (x < 1) | sp.Ne(y, y)), (y, True)),
    sp.Piecewise((x, ~((x < 0) | (y >= 2))), (1, True)), sp.Derivative(x**3 * y, x), sp.Integral(x * t, (x, 0, y)),
    sp.Sum(x**t, (t, 0, 3)), sp.Product(x + t, (t, 1, 3)), sp.Heaviside(x) * x, sp.exp(sp.sin(sp.exp(-(x**2)))),
]  # fmt: skip


@pytest.mark.parametrize("expr", SCALARS, ids=str)
def test_a_scalar_has_the_value_that_sympy_finds(expr):
    formula = from_sympy(expr)
    free = sorted(expr.free_symbols, key=str)
    assert formula.free_symbols <= {s.name for s in free}
    for _ in range(3):
        values = {s: sp.Rational(int(v), 1000) for s, v in zip(free, rng.integers(100, 1900, len(free)), strict=True)}
        expected = complex(expr.doit().subs(values).evalf(30))
        got = formula(**{s.name: float(v) for s, v in values.items() if s.name in formula.free_symbols})
        np.testing.assert_allclose(got, expected.real, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    "expr",
    [x**3 * sp.exp(-x * y), sp.log(1 + sp.exp(x)), sp.tanh(x) * y, sp.gamma(p), sp.sinc(x), sp.sec(x), p**x],
    ids=str,
)
def test_derivatives_are_those_of_sympy(expr):
    formula = from_sympy(expr)
    for s in expr.free_symbols:
        values = dict.fromkeys(expr.free_symbols, 0.7)
        expected = float(expr.diff(s).evalf(30, subs=values))
        got = formula.grad(s.name)
        got = got(**{v.name: 0.7 for v in expr.free_symbols if v.name in got.free_symbols})
        np.testing.assert_allclose(got, expected, rtol=1e-10)


n, m = sp.symbols("n m")
A, B = sp.MatrixSymbol("A", m, n), sp.MatrixSymbol("B", n, n)
v, w = sp.MatrixSymbol("v", n, 1), sp.MatrixSymbol("w", m, 1)
N, M = 3, 4
ARRAYS = {
    "A": rng.uniform(0.5, 1.5, (M, N)), "B": rng.normal(size=(N, N)) + 3 * np.eye(N),
    "v": rng.uniform(0.5, 1.5, N), "w": rng.uniform(0.5, 1.5, M),
}  # fmt: skip
i, j = sp.symbols("i j", integer=True)

MATRICES = [
    (v.T * B * v, lambda A, B, v, w: v @ B @ v),
    (A * v - w, lambda A, B, v, w: A @ v - w),
    (2 * A.T * (A * v - w), lambda A, B, v, w: 2 * A.T @ (A @ v - w)),
    (sp.Trace(B * B.T) / 2, lambda A, B, v, w: np.trace(B @ B.T) / 2),
    (sp.log(sp.Determinant(B) ** 2), lambda A, B, v, w: 2 * np.log(abs(np.linalg.det(B)))),
    (sp.Inverse(B) * v, lambda A, B, v, w: np.linalg.solve(B, v)),
    (B**3, lambda A, B, v, w: B @ B @ B),
    (v * w.T, lambda A, B, v, w: np.outer(v, w)),
    (w.T * A, lambda A, B, v, w: w @ A),
    (sp.HadamardProduct(v, v), lambda A, B, v, w: v * v),
    (sp.HadamardPower(v, 3), lambda A, B, v, w: v**3),
    (v.applyfunc(sp.exp), lambda A, B, v, w: np.exp(v)),
    (v.applyfunc(lambda z: z**2 / (1 + z)), lambda A, B, v, w: v**2 / (1 + v)),
    (B[0, 1] * v[2, 0], lambda A, B, v, w: B[0, 1] * v[2]),
    (sp.DiagMatrix(v) * B, lambda A, B, v, w: np.diag(v) @ B),
    (sp.KroneckerProduct(A, B), lambda A, B, v, w: np.kron(A, B)),
    ((v.T * v)[0, 0] * B, lambda A, B, v, w: v @ v * B),
    (B + B.T, lambda A, B, v, w: B + B.T),
    (sp.Sum(A[i, j] * v[j, 0] ** 2, (i, 0, m - 1), (j, 0, n - 1)), lambda A, B, v, w: (A @ v**2).sum()),
    (sp.Sum(B[i, i] + B[j, i], (i, 0, n - 1), (j, 0, n - 1)), lambda A, B, v, w: 3 * np.trace(B) + B.sum()),
    (sp.Sum(sp.Sum(A[j, i] * w[j, 0], (j, 0, m - 1)), (i, 0, n - 1)), lambda A, B, v, w: (w @ A).sum()),
    (sp.Sum(B[0, i], (i, 0, n - 1)), lambda A, B, v, w: B[0].sum()),
    (v.T * B * v * v.T, lambda A, B, v, w: v @ B @ v * v),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "expected"), MATRICES, ids=lambda e: str(e) if isinstance(e, sp.Basic) else "")
def test_matrix_expressions_are_array_formulas(expr, expected):
    formula = from_sympy(expr)
    got = formula(**{name: a for name, a in ARRAYS.items() if name in formula.free_symbols})
    np.testing.assert_allclose(got, expected(**ARRAYS), rtol=1e-11)


def test_matrix_expressions_have_gradients_that_sympy_cannot_find():
    assert str(from_sympy(sp.log(sp.Determinant(B))).grad("B")) == "B⁻ᵀ"
    assert str(from_sympy(v.T * B * v).grad("v")) == "Bv + Bᵀv"


def test_identity_has_the_size_of_its_neighbours():
    formula = from_sympy(sp.Trace(sp.Identity(3) + sp.MatrixSymbol("B", 3, 3)))
    assert formula(B=np.ones((3, 3))) == 6.0


def test_columns_and_rows_are_vectors_and_other_matrices_matrices():
    assert from_sympy(sp.Matrix([x, y]))(x=1.0, y=2.0).tolist() == [1.0, 2.0]
    assert from_sympy(sp.Matrix([[x, y]]))(x=1.0, y=2.0).tolist() == [1.0, 2.0]
    assert from_sympy(sp.Matrix([[x, y], [1, x * y]]))(x=1.0, y=2.0).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert from_sympy(sp.Array([[x, y]]))(x=1.0, y=2.0).tolist() == [[1.0, 2.0]]
    assert from_sympy([x, 2])(x=1.0).tolist() == [1.0, 2.0]
    assert from_sympy(sp.Matrix([1, 2]))().tolist() == [1.0, 2.0]


def test_a_list_of_symbols_is_a_vector():
    x0, x1 = sp.symbols("x0 x1")
    rosenbrock = 100 * (x1 - x0**2) ** 2 + (1 - x0) ** 2
    formula = from_sympy(rosenbrock, {"x": [x0, x1]})
    at = {x0: 0.3, x1: -0.2}
    assert formula.free_symbols == {"x"}
    np.testing.assert_allclose(formula.grad("x")(x=[0.3, -0.2]), [float(rosenbrock.diff(s).subs(at)) for s in (x0, x1)])
    hessian = np.array(sp.hessian(rosenbrock, (x0, x1)).subs(at), dtype=float)
    np.testing.assert_allclose(formula.hessian("x")(x=[0.3, -0.2]), hessian)


@pytest.mark.parametrize("kind", [sp.ImmutableDenseNDimArray, sp.MutableSparseNDimArray, sp.ImmutableSparseNDimArray])
def test_an_array_of_any_number_of_axes_has_its_entries(kind):
    x, y = sp.symbols("x y")
    found = from_sympy(kind([[x, 0], [0, x * y]]))
    np.testing.assert_array_equal(found(x=2.0, y=3.0), [[2, 0], [0, 6]])
    assert str(from_sympy(kind([x, 0]))) == "[x, 0]"


def test_a_matrix_of_symbols_is_a_matrix():
    a, b, c, d = sp.symbols("a b c d")
    formula = from_sympy(sp.Matrix([[a, b], [c, d]]).det(), {"M": sp.Matrix([[a, b], [c, d]])})
    assert formula(M=[[1.0, 2.0], [3.0, 4.0]]) == -2.0
    formula = from_sympy(a + 2 * b, {"r": sp.Matrix([a, b])})
    assert formula(r=[1.0, 2.0]) == 5.0


def test_names_may_be_given():
    formula = from_sympy(sp.Symbol("lambda") * x, {"lam": sp.Symbol("lambda"), "x": x})
    assert formula.free_symbols == {"lam", "x"}


def test_a_condition_is_one_where_it_holds():
    assert from_sympy(x > 1)(x=2.0) == 1.0 and from_sympy(sp.true)() == 1.0 and from_sympy(sp.false)() == 0.0


def test_numbers_stay_exact():
    assert str(from_sympy(x / 3)) == "x/3"
    assert str(from_sympy(sp.sqrt(x))) == "√x"


def test_there_and_back():
    expr = sp.exp(-(sp.Symbol("x", real=True) ** 2) / 2) * sp.Symbol("x", real=True)
    assert sp.simplify(from_sympy(expr).sympy() - expr) == 0


def test_the_sign_of_a_determinant_is_not_its_logarithm():
    f = sg.formula(lambda A: sg.linalg.slogdet(A)[0], sg.symbol("A", (2, 2)))
    entries = {sp.Symbol(f"A_{i}_{j}", real=True): int(i != j) for i in (0, 1) for j in (0, 1)}
    assert f.sympy().subs(entries) == -1


def test_the_symbols_of_complex_arrays_are_not_real():
    z = sg.tensor(1 + 2j, requires_grad=True, name="z")
    square = (z * sg.conj(z)).formula().sympy()
    assert square.subs(sp.Symbol("z"), 1 + 2 * sp.I).expand() == 5


MESSAGES = [
    (lambda: from_sympy(sp.Function("f")(x)), "SymPy's f has no twin in symgrad\nIt stands in f(x).\nRewrite"),
    (lambda: from_sympy(1 + sp.mathieuc(0, 1, x)),
     "SymPy's mathieuc has no twin in symgrad\nIt stands in mathieuc(0, 1, x)."),
    (lambda: from_sympy(sp.DiracDelta(x)), "SymPy's DiracDelta has no twin"),
    (lambda: from_sympy(sp.I * x), "I is no real number"),
    (lambda: from_sympy(sp.nan), "nan is no real number"),
    (lambda: from_sympy(sp.zoo * x), "zoo is no real number"),
    (lambda: from_sympy(x * y, [x]), "the expression contains y, which symbols does not list\nIt lists x.\n"),
    (lambda: from_sympy(sp.Symbol("lambda") * x), "'lambda' cannot be a name\n"),
    (lambda: from_sympy(sp.Symbol("x_{1}")), "'x_{1}' cannot be a name\n"),
    (lambda: from_sympy(x, {"x": ["a", x + 1]}), "'x' is made of"),
    (lambda: from_sympy(sp.Symbol("z", imaginary=True)), "the symbol z is not real"),
    (lambda: from_sympy(x, [3]), "3 is no SymPy symbol"),
    (lambda: from_sympy(object()), "object is nothing that SymPy knows"),
    (lambda: from_sympy(sp.Integral(sp.exp(x**2) / sp.log(x), (x, 1, y))), "Integral has no twin"),
    (lambda: from_sympy(B[i, 0], [B, i]), "the indices of an entry must be numbers"),
    (lambda: from_sympy(sp.Sum(v[i + 1, 0], (i, 0, n - 2))), "the sum is not over whole axes of matrices: Sum(v["),
    (lambda: from_sympy(sp.Sum(i * v[i, 0], (i, 0, n - 1))), "the sum is not over whole axes of matrices"),
    (lambda: from_sympy(B ** sp.Rational(1, 2)), "a matrix is raised to integers only"),
    (lambda: from_sympy(sp.Identity(sp.Symbol("k"))), "no array of the expression has the size k"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "said"), MESSAGES, ids=lambda a: a[:40] if isinstance(a, str) else "")
def test_what_cannot_be_taken_over_is_refused_by_name(call, said):
    with pytest.raises(sg.FormulaError) as raised:
        call()
    assert said in str(raised.value)


def test_sympy_is_not_loaded_before_it_is_needed():
    code = "import sys, symgrad.notation; symgrad.notation.parse('x**2'); print('sympy' in sys.modules)"
    root = Path(sg.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "False"


# ------------------------------------------------------------------------------------------------ over the whole table

OF_ENTRIES = [op for op in TABLE.values() if twin(op) is not None]
OF_ARRAYS = [op for op in TABLE.values() if op.kind != "elementwise" and not op.truth]
SAME_NUMBERS = {"conj", "fmax", "fmin", "clamp_min_tensor", "clamp_max_tensor"}
"""Rows of which real numbers know no more than of another row: the identity, max and min."""


@pytest.mark.parametrize("op", OF_ENTRIES, ids=lambda op: op.name)
def test_every_row_with_a_twin_goes_to_sympy_and_back(op):
    operands, params = _rows.sample(op)

    def row(*args):
        conditions = [a > 0.5 if b.dtype == bool else a for a, b in zip(args, operands, strict=True)]
        return op.apply(*conditions, *params)

    there = sg.formula(row, *[sg.symbol(name) for name in op.inputs])
    back = from_sympy(there.sympy())
    known = {row.name for rows in twins().values() for row, _ in rows}
    whole = op.name in known and not (params and not there.sympy().has(sp.Function))  # of polynomials it writes out
    assert not whole or op.name in SAME_NUMBERS or back.term is there.term
    entries = [np.real(a).reshape(-1) for a in operands]
    for k in range(min(map(len, entries))):
        point = {name: float(a[k]) for name, a in zip(op.inputs, entries, strict=True)}
        expected, at = there(**point), {name: v for name, v in point.items() if name in back.free_symbols}
        np.testing.assert_allclose(back(**at), expected, rtol=1e-9, atol=1e-12, err_msg=f"{there} and {back}")


@pytest.mark.parametrize("op", OF_ARRAYS, ids=lambda op: op.name)
def test_every_row_of_arrays_goes_to_sympy_and_back_or_is_refused_by_its_name(op):
    operands, params = _rows.sample(op)
    reals = {f"a{k}": a for k, a in enumerate(operands) if isinstance(a, np.ndarray) and a.dtype.kind == "f"}

    def row(*symbols):
        given = dict(zip(reals, symbols, strict=True))
        return _rows.call(op, [given.get(f"a{k}", a) for k, a in enumerate(operands)], params)[-1]

    try:
        there = sg.formula(row, *[sg.symbol(name, a.shape) for name, a in reals.items()])
        expr = there.sympy()
    except (sg.FormulaError, np.linalg.LinAlgError) as refused:
        assert op.label in str(refused) or "too large to write out in SymPy" in str(refused)
        return
    if expr.has(sp.I):
        return
    symbols = {name: np.empty(a.shape, object) for name, a in reals.items()}
    for name, array in symbols.items():
        for place in np.ndindex(array.shape):
            array[place] = sp.Symbol("_".join([name, *map(str, place)]), real=True)
    back = from_sympy(expr, {name: array.tolist() for name, array in symbols.items()})
    got, expected = (f(**{name: reals[name] for name in f.free_symbols}) for f in (back, there))
    np.testing.assert_allclose(np.reshape(got, np.shape(expected)), expected, rtol=1e-9, atol=1e-12)


def test_functions_with_an_order_are_rows_with_a_parameter():
    assert str(from_sympy(sp.besseli(0, x) / sp.besseli(1, x))) == "I₀(x)/I₁(x)"
    assert str(from_sympy(sp.gamma(x)).grad("x")) == "ψ(x) Γ(x)" and str(from_sympy(sp.expint(1, x))) == "E₁(x)"
    assert float(from_sympy(sp.log(sp.Abs(sp.gamma(x))))(x=300.0)) == pytest.approx(math.lgamma(300), rel=1e-12)
    with pytest.raises(sg.FormulaError, match="besselj has no twin"):
        from_sympy(sp.besselj(y, x))


# Where SymPy's array derivatives are wrong without a word -------------------------------------------------------------

# SymPy serves symgrad for scalars, series and LaTeX, never for derivatives by arrays: this is why. Each test also holds
# that SymPy is still wrong, so that it speaks up when a release of SymPy mends it.


SIZE = 3
rng_of_arrays = np.random.default_rng(0)
X = sp.MatrixSymbol("X", SIZE, SIZE)
column = sp.MatrixSymbol("x", SIZE, 1)
ones = sp.OneMatrix(SIZE, 1)
exps = column.applyfunc(sp.exp)
total = (ones.T * exps)[0, 0]

DEFINITE = rng_of_arrays.normal(size=(SIZE, SIZE)) * 0.3 + 2 * np.eye(SIZE)
VECTOR = rng_of_arrays.normal(size=SIZE)

CASES = {
    "log det X": (
        sp.log(sp.Determinant(X)), X, DEFINITE,
        lambda X: np.linalg.slogdet(X)[1], lambda X: sg.logdet(X), "X⁻ᵀ",
    ),
    "tr(X) + 1": (
        sp.Trace(X) + 1, X, DEFINITE,
        lambda X: np.trace(X) + 1, lambda X: sg.trace(X) + 1, "I",
    ),
    "logsumexp(x)": (
        sp.log(total), column, VECTOR,
        lambda x: np.log(np.exp(x).sum()), lambda x: sg.log(sg.exp(x).sum()), "softmax(x)",
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", CASES)


def numbers(expression, symbol, at):
    """What a matrix expression of SymPy is at a point."""
    explicit = expression.subs(symbol, sp.Matrix(at.reshape(symbol.shape))).doit()
    return np.array(sp.Matrix(explicit).tolist(), float)


@EACH
def test_sympy_returns_zero(name):
    expression, symbol, at, truth, *_ = CASES[name]
    found = expression.diff(symbol)
    assert isinstance(found, sp.ZeroMatrix), f"SymPy {sp.__version__} now says {found}: is it right?"
    assert not np.allclose(numbers(found, symbol, at).reshape(at.shape), gradient(truth, at))


@EACH
def test_symgrad_is_right(name):
    _, symbol, at, truth, function, text = CASES[name]
    found = sg.formula(function, at).grad(str(symbol))
    assert found.checked is True
    assert str(found) == text
    np.testing.assert_allclose(found(), gradient(truth, at), rtol=1e-8, atol=1e-10)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def jacobian_of_softmax(x):
    return np.array([gradient(lambda y, i=i: softmax(y)[i], x) for i in range(x.size)])


def test_sympy_loses_the_rank_one_term_of_the_softmax():
    found = numbers((exps * total**-1).diff(column), column, VECTOR)
    truth = jacobian_of_softmax(VECTOR)
    p = softmax(VECTOR)
    np.testing.assert_allclose(truth, np.diag(p) - np.outer(p, p), atol=1e-9)
    np.testing.assert_allclose(found, np.diag(p), atol=1e-12)  # the rest is lost
    assert not np.allclose(found, truth)


def test_symgrad_keeps_the_rank_one_term_of_the_softmax():
    for function in (lambda x: sg.exp(x) / sg.exp(x).sum(), lambda x: sg.softmax(x, 0)):
        found = sg.formula(function, VECTOR).jacobian("x")
        assert found.checked is True
        assert str(found) == "diag(p) − ppᵀ\nwhere p = softmax(x)"
        np.testing.assert_allclose(found(), jacobian_of_softmax(VECTOR), rtol=1e-8, atol=1e-10)


def test_second_derivatives_of_what_sympy_calls_constant():
    """From a gradient of zero no Hessian can come."""
    found = sg.formula(lambda x: sg.log(sg.exp(x).sum()), VECTOR).hessian("x")
    np.testing.assert_allclose(found(), jacobian_of_softmax(VECTOR), rtol=1e-8, atol=1e-10)
    found = sg.formula(lambda X: sg.logdet(X), DEFINITE).hessian("X")
    inverse = np.linalg.inv(DEFINITE)
    np.testing.assert_allclose(found(), -np.einsum("li,jk->ijkl", inverse, inverse), rtol=1e-8, atol=1e-12)


def test_sympy_serves_for_scalars():
    """What symgrad uses it for, entry by entry, is right."""
    found = sg.formula(lambda x: sg.log(sg.exp(x).sum()), VECTOR)
    symbols = sp.symbols(f"x_0:{SIZE}", real=True)
    expression = found.sympy()
    at = dict(zip(symbols, VECTOR, strict=True))
    entries = [float(expression.diff(s).subs(at)) for s in symbols]
    np.testing.assert_allclose(entries, softmax(VECTOR), rtol=1e-10)

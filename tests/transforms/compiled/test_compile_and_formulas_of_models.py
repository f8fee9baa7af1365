"""What models of statistics brought up: names of arguments, masks made inside, special functions, held arguments."""

import ast
import inspect
import itertools
import re
import runpy

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad._limits import HELD
from symgrad.calculus.lifting import lift
from symgrad.core import TABLE
from symgrad.programs.helpers import HELPERS
from symgrad.show import to_code
from symgrad.terms.node import Var

from ...helpers import rows as _rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Z = RNG.normal(size=20)
LONG = RNG.normal(size=140)


# Names in programs ----------------------------------------------------------------------------------------------------

MODELS = {
    "_gram": ("(np.exp(X @ {0}) - {1} * (X @ {0})).sum()", np.zeros(3), Z),
    "_pairs": ("(np.tanh(X @ {0}) @ np.ones(2) * {1}).sum() + (sg.logsumexp(X @ {0}, 1) * {1}).sum()", X[:3, :2], Z),
    "_even": ("np.exp(-(({0}[1:, None] - {0}[:-1]) ** 2)).sum() + ({0} @ {1}) ** 3", LONG, LONG[::-1].copy()),
    "_softmax": ("(sg.softmax({0}, 0) ** 2 * {1}[:3]).sum()", X[0], Z),
    "_logsumexp": ("sg.logsumexp((X @ {0}) * {1}, 0) ** 2 - sg.log_softmax(X @ {0}, 0)[2] * {1}[0]", X[0], Z),
    "_hazard_excess": ("sg.special.log_ndtr(4 * (X @ {0}) * {1}).sum()", X[0], Z),
}
"""Per helper function a model of two arguments whose program calls it."""

OTHERS = """np scipy float sum range len zip print math inf derivatives compile _data _file _name _given _shape
_text _test _results _at_z _found _truth x0 x1 c0 v1 flat data β λ_1 _"""


def words_of(sources):
    """The names in some Python sources."""
    trees = [ast.parse(source) for source in sources]
    found = {n.id for t in trees for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found | {n.arg for t in trees for n in ast.walk(t) if isinstance(n, ast.arg)} | set(HELPERS)


LETTERS = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c != "X"]
NAMES = sorted({*LETTERS, *words_of(HELPERS.values()), *OTHERS.split(), "both", "place", "block"} - {"None"})


def model(body, name, other):
    return eval(f"lambda {name}, {other}: {body.format(name, other)}", {"sg": sg, "np_": np, "X": X})


def _all(helper):
    """Every name is in one of the pairs."""
    return list(zip(NAMES, NAMES[len(NAMES) // 2 :]))


def _share(helper):
    """One pair of four, which the helpers share out."""
    return _all(helper)[list(MODELS).index(helper) :: 4 * len(MODELS)]


@pytest.mark.parametrize("pairs", [_share, pytest.param(_all, marks=pytest.mark.slow)], ids=["a share", "all"])
@pytest.mark.parametrize("helper", MODELS)
def test_programs_with_helper_functions_run_whatever_the_arguments_are_called(helper, pairs, tmp_path):
    body, x, z = MODELS[helper]
    body = body.replace("np.", "np_.")
    truth = sg.compile(model(body, "first", "second"))(x, z)
    for names in pairs(helper):
        compiled = sg.compile(model(body, *names))
        code = compiled.code(x, z)
        assert f"def {helper}" in code
        space = {}
        exec(code, space)
        caught = [X] * (len(inspect.signature(space["derivatives"]).parameters) - 2)
        compiled.save(tmp_path / "program.py", x, z)
        saved = runpy.run_path(str(tmp_path / "program.py"), run_name="__main__")["derivatives"]
        assert [p.rstrip("_") for p in inspect.signature(saved).parameters] == [n.rstrip("_") for n in names]
        for found in (space["derivatives"](x, z, *caught), saved(x, z)):
            for a, b in zip(found, truth, strict=True):
                np.testing.assert_allclose(np.reshape(a, -1), np.reshape(b, -1), rtol=1e-9, atol=1e-12)


def test_the_source_of_a_helper_function_stays_what_it_is():
    body, x, z = MODELS["_pairs"]
    code = sg.compile(model(body.replace("np.", "np_."), "A", "d")).code(x, z)
    for helper in ("_softmax", "_pairs"):
        assert HELPERS[helper] in code


SHORT = {
    "double constants": lambda x: (np.sin(Z.reshape(5, 4) @ x) ** 2).sum(), "numbers": lambda x: np.exp(x).sum() * 2.5,
    "powers": lambda x: (x**3).sum() / 7, "a norm": lambda x: np.log(1 + x @ x), "entries": lambda x: x[0] * x[1] ** 2,
}  # fmt: skip


@pytest.mark.parametrize("outputs", ["f", "g", "h", "gf", "fgh", "j"])
@pytest.mark.parametrize("target", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
def test_a_saved_program_of_short_floats_returns_what_the_compiled_one_does(target, outputs, tmp_path):
    x = np.linspace(0.1, 0.5, 4, dtype=np.float32)
    y = x.astype(np.float64)
    for name, f in SHORT.items():
        for arguments in ((x,), (x, y), (x, x[:2])):
            whole = lambda x, *other, f=f: (f(x) + sum(v.sum() ** 2 for v in other)) * (x if outputs == "j" else 1)
            argnums = tuple(range(len(arguments))) if outputs in ("f", "g", "gf") else 0  # a matrix is one block there
            compiled = sg.compile(whole, outputs=outputs, argnums=argnums, format="dense", target=target)
            compiled.save(tmp_path / "p.py", *arguments)
            space = runpy.run_path(str(tmp_path / "p.py"), run_name="__main__")
            names = ("derivatives", "value", "gradient", "hessian", "jacobian")
            saved = next(space[name] for name in names if name in space)
            for found, known in zip(leaves(saved(*arguments)), leaves(compiled(*arguments)), strict=True):
                assert found.dtype == known.dtype, name
                np.testing.assert_allclose(found.ravel(), known.ravel(), rtol=1e-4, atol=1e-4)


def leaves(results):
    return [a for r in results for a in leaves(r)] if isinstance(results, tuple) else [results]


def test_a_saved_program_refuses_other_shapes_by_the_names_of_its_arguments(tmp_path):
    sg.compile(lambda _name, d: (np.exp(X @ _name) * d).sum()).save(tmp_path / "p.py", np.zeros(3), Z)
    saved = runpy.run_path(str(tmp_path / "p.py"))["derivatives"]
    with pytest.raises(ValueError, match=r"d has shape \(3,\); this was written for \(20,\)"):
        saved(np.zeros(3), Z[:3])


# Large constants made inside a function -------------------------------------------------------------------------------

N = 100
T = RNG.exponential(size=N)
WIDE = RNG.normal(size=(N, 3)) / 3
assert N * N > HELD

INSIDE = {
    "mm": lambda b, X, t: np.log((t[None, :] >= t[:, None]) @ np.exp(X @ b)[:, None]).sum(),
    "mv": lambda b, X, t: np.log((t[None, :] >= t[:, None]) @ np.exp(X @ b)).sum(),
    "vm": lambda b, X, t: np.log(np.exp(X @ b) @ (t[None, :] <= t[:, None])).sum(),
    "where": lambda b, X, t: np.where(t[None, :] >= t[:, None], np.exp(X @ b)[None, :], 0.0).sum(),
    "both of where": lambda b, X, t: np.where(t > 0.3, np.exp(X @ b) * np.outer(t, t), t[None, :] + t[:, None]).sum(),
    "mul": lambda b, X, t: ((t[None, :] - t[:, None]) ** 2 * np.exp(X @ b)).sum(),
    "div": lambda b, X, t: (np.exp(X @ b) / (1 + (t[None, :] - t[:, None]) ** 2)).sum(),
    "pow": lambda b, X, t: (np.exp(X @ b) ** (1 + (t[None, :] - t[:, None]) ** 2)).sum(),
    "add": lambda b, X, t: np.exp((X @ b) + np.outer(t, t)).sum(),
    "einsum": lambda b, X, t: (np.einsum("ij,j->i", np.exp(-np.outer(t, t)), np.exp(X @ b)) ** 2).sum(),
    "cat": lambda b, X, t: np.exp(np.concatenate([np.outer(t, t), (X @ b)[None, :]])).sum(),
    "maximum": lambda b, X, t: np.maximum(np.outer(t, t), np.exp(X @ b)).sum(),
    "solve": lambda b, X, t: (np.linalg.solve(np.eye(len(t)) + np.exp(-np.outer(t, t)), np.exp(X @ b)) ** 2).sum(),
    "xlogy": lambda b, X, t: sg.xlogy(np.outer(t, t), 1 + np.exp(X @ b)).sum(),
}
"""Functions that make an array of more entries than a node holds by itself, per operation that takes it."""


@pytest.mark.parametrize("operation", INSIDE)
def test_a_large_constant_made_inside_a_function_is_remembered(operation):
    f, b = INSIDE[operation], np.full(3, 0.1)
    hessian = sg.hessian(f)(b, WIDE, T)
    np.testing.assert_allclose(sg.compile(f)(b, WIDE, T)[2], hessian, rtol=1e-8, atol=1e-10)
    truth = sg.grad(f)(b, WIDE, T)
    formula = sg.grad(f).formula(b, WIDE, T)
    np.testing.assert_allclose(formula(), truth, rtol=1e-8)
    assert {"X", "b", "t"} >= formula.free_symbols >= {"t"}  # by what it was computed from
    np.testing.assert_allclose(sg.hessian(f).formula(b, WIDE, T)(), hessian, rtol=1e-7, atol=1e-10)
    assert float(sg.formula(f, b, WIDE, T)()) == pytest.approx(float(f(b, WIDE, T)))


def test_choosing_by_a_large_mask_made_inside_has_a_formula():
    def f(b, X, t):
        return np.exp((X @ b)[:, None] + (X @ b)[None, :])[t[None, :] >= t[:, None]].sum()

    b = np.full(3, 0.1)
    assert float(sg.formula(f, b, WIDE, T)()) == pytest.approx(float(f(b, WIDE, T)))
    assert "exp" in str(sg.grad(f).formula(b, WIDE, T))


def test_numbers_keep_large_constants_weakly():
    b = sg.tensor(np.full(3, 0.1), requires_grad=True)
    noise = sg.tensor(np.ones((N, N)))
    total = (noise + b.sum()).sum()
    del noise
    with pytest.raises(sg.FormulaError, match=r"a large constant operand of AddBackward0 is gone[\s\S]*sg\.formula\(f"):
        total.formula()


def test_what_rules_saved_of_a_large_constant_stands_in_formulas_of_tensors():
    b = sg.tensor(np.full(3, 0.1), requires_grad=True, name="b")
    total = INSIDE["mv"](b, sg.tensor(WIDE, name="X"), sg.tensor(T))
    formula = total.formula()
    assert float(formula()) == pytest.approx(float(total))
    assert "exp(Xb)" in str(formula)


def test_one_array_in_two_places_of_a_formula_has_one_name():
    b = sg.tensor(np.full(N * N, 0.1), requires_grad=True, name="b")
    data = sg.tensor(RNG.normal(size=N * N))
    total = (sg.exp(data * b) + sg.sin(data * b)).sum()
    del data
    assert total.formula().free_symbols == {"b", "c0"}


# Special functions ----------------------------------------------------------------------------------------------------

TWO = {name: getattr(scipy.special, name) for name in ("beta", "betaln", "kl_div", "rel_entr")}
ONE = {name: getattr(scipy.special, name) for name in ("gamma", "log_ndtr")}
SCALED = {name: getattr(scipy.special, name) for name in ("i0e", "i1e", "k0e", "k1e")} | {
    "ive": lambda x: scipy.special.ive(3, x), "kve": lambda x: scipy.special.kve(2.5, x),
}  # fmt: skip
POSITIVE = RNG.uniform(0.5, 2, size=(7, 2))


@pytest.mark.parametrize("name", [*TWO, *ONE, "nan_to_num", "div_trunc", "remainder"])
def test_programs_with_functions_of_scipy_are_saved(name, tmp_path):
    def f(b, A):
        u = A @ b
        if name == "nan_to_num":
            return sg.nan_to_num(u**3).sum()
        if name == "div_trunc":
            return (u**2 * sg.div(u, b[0], rounding_mode="trunc")).sum()
        if name == "remainder":
            return ((u % 0.3) ** 3).sum()
        return (TWO[name](u, 1 + b[0] * u) if name in TWO else ONE[name](u - 8 * A[:, 0])).sum()

    b = np.array([0.6, 0.9])
    sg.compile(f).save(tmp_path / "p.py", b, POSITIVE)
    saved = runpy.run_path(str(tmp_path / "p.py"), run_name="__main__")["derivatives"]
    assert "symgrad" not in (tmp_path / "p.py").read_text().split('"""', 2)[2]
    np.testing.assert_allclose(saved(b, POSITIVE)[2], sg.hessian(f)(b, POSITIVE), rtol=1e-9)


@pytest.mark.parametrize("name", [*SCALED, "spherical_in", "i0e of i0e's slope"])
def test_programs_of_bessel_functions_are_saved_and_exact_far_out(name, tmp_path):
    def slope(x):
        x = sg.as_tensor(x)
        return sg.autograd.grad(scipy.special.i0e(x).sum(), x, create_graph=True)[0]

    g = SCALED.get(name, slope if "slope" in name else lambda x: sg.special.spherical_in(2, x))
    far = {"spherical_in": [], "ive": [700.0, 1e9], "kve": [700.0, 1e9]}.get(name, [700.0, 1e9, 1e15])
    x, f = np.array([1e-3, 0.3, 2.0, 19.0, 30.0, *far]), lambda x: (x * g(x)).sum()
    sg.compile(f).save(tmp_path / "p.py", x)
    saved = runpy.run_path(str(tmp_path / "p.py"), run_name="__main__")["derivatives"]
    assert "symgrad" not in (tmp_path / "p.py").read_text().split('"""', 2)[2]
    _, gradient, matrix = saved(x)
    np.testing.assert_allclose(gradient, sg.grad(f)(x), rtol=1e-12)
    np.testing.assert_allclose(matrix, sg.hessian(f)(x), rtol=1e-11)


def test_a_program_that_cannot_be_saved_names_the_operation(tmp_path):
    program = sg.compile(lambda b: sg.logcumsumexp(b, 0).sum(), "f")
    with pytest.raises(sg.GradientError, match=r"operations that only symgrad has: logcumsumexp"):
        program.save(tmp_path / "p.py", np.ones(3))


def test_only_a_few_elementwise_rows_have_no_text_in_numpy():
    missing = set()
    for op in TABLE.values():
        if op.kind == "elementwise":
            operands, params = _rows.sample(op)
            symbols = [Var(f"x{k}", np.shape(a)) for k, a in enumerate(operands)]
            term = lift(op, symbols, tuple(params), np.shape(op.forward(*operands, *params)))
            missing |= {op.name} if "TABLE" in to_code(term) else set()
    draws = {op.name for op in TABLE.values() if op.kind == "elementwise" and _rows.is_draw(op)}
    polynomials = {"gegenbauer", "chebyshev_t", "hermite_h", "hermite_he", "laguerre", "legendre", "jacobi"}
    slopes = {name for name in missing if re.search("_by_|_(slope|order|bend|density|over)$", name)}
    own = {
        "carlson", "elliptic_moment", "log1prel", "normal_hazard_excess", "gamma_lower", "beta_lower",
    }  # fmt: skip  # slopes of SciPy's functions, as these are
    counts = {name for name in missing if name.endswith("_quantile")}  # searches, and sums of terms of one sign
    sums = {
        "skew_normal", "spherical_theta", "vonmises_mass", "bivariate_normal", "poisson_entropy", "nbinom_terms",
        "skew_normal_entropy", "hazard_mean",
    }  # fmt: skip
    # SciPy's have the wrong infinity at 0, are 0 beside it, or lose their digits at many degrees of freedom
    repaired = {"stdtrit", "airye_rate", "spherical_i", "student_log"}
    # SciPy has no polynomials of a degree below 0
    assert missing - draws - slopes == {"complex", "polar", *own, *polynomials, *counts, *sums, *repaired}


EDGES = np.array([0.5, 1.0, 2.5, 0.0, 0.0, -1.5, 2.0, -2.3]), np.array([1.0, 0.3, 2.0, 1.0, 2.0, 2.2, -1.7, -0.4])
ROUGH = RNG.normal(size=(2, 200))


@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("name", [*TWO, *ONE])
def test_code_for_other_libraries_computes_what_scipy_does(name, target):
    library = pytest.importorskip(target, reason=f"pip install {target}")
    fn = {**TWO, **ONE}[name]
    points = [np.concatenate(p) for p in zip(EDGES, ROUGH, strict=True)][: 2 if name in TWO else 1]
    source = sg.formula(fn, *[np.ones(2)] * len(points)).code(target)
    space = {}
    exec(source, space)
    if target == "jax":
        with library.enable_x64():
            found = space["f"](*map(library.numpy.asarray, points))
            found = np.asarray(found)
    else:
        found = np.asarray(space["f"](*[library.tensor(p) if target == "torch" else p for p in points]))
    truth = fn(*points)
    tolerance = 1e-9 if target != "jax" else 1e-5  # its own beta function is no better
    np.testing.assert_allclose(found, truth, rtol=tolerance, atol=1e-12)


def test_the_reason_for_having_no_program_names_the_operation():
    def f(x):
        p = np.pad(x, 1, mode="edge")
        return (np.hypot(p[2:, 1:-1] - p[:-2, 1:-1], p[1:-1, 2:] - p[1:-1, :-2] + 2) ** 3).sum()

    x = np.random.default_rng(0).random((9, 11))
    assert "an index x[…] would be applied to another array for each entry of its result" in sg.hessian(f).plan(x)


# Arguments to be held -------------------------------------------------------------------------------------------------


UNIT = np.ones(2)


def of_two(x, y):
    return (x**2 * y).sum()


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("hvp", (UNIT, UNIT)), ("vhp", (UNIT, UNIT)), ("ggn_vp", (UNIT, UNIT, None)), ("diag_hessian", (UNIT,)),
        ("laplacian", (UNIT,)), ("hessian_operator", (UNIT,)), ("taylor", (UNIT, 2, UNIT)),
    ],
)  # fmt: skip
def test_arguments_too_many_are_to_be_held(name, args):
    transform = getattr(sg, name)
    y = np.array([1.0, 2.0])
    with pytest.raises(TypeError, match=rf"Hold the other arguments: sg\.{name}\(sg\.fix\(of_two, y=…\), x"):
        transform(of_two, *args, y)
    with pytest.raises(TypeError, match=r"got y[\s\S]*sg\.fix\(of_two, y=…\)"):
        transform(of_two, *args, y=y)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        transform(of_two, *args, nonsense=1)
    parameters = inspect.signature(transform).parameters.values()
    assert [p.name for p in parameters][:2] == ["f", "x"]
    assert not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
    transform(sg.fix(of_two, y=y), *args)


# Formulas -------------------------------------------------------------------------------------------------------------


def shown(f, *symbols):
    return str(sg.formula(f, *symbols))


a, x, c = sg.symbol("a", "n"), sg.symbol("x", "n"), sg.symbol("c")


def test_exponentials_whose_exponents_meet_are_one():
    assert shown(lambda a: sg.exp(a) * sg.exp(-2 * a), a) == "exp(−a)"
    assert shown(lambda a: (sg.exp(a) * sg.exp(-2 * a)).sum(), a) == "sum(exp(−a))"
    assert shown(lambda a, x: sg.exp(a) * sg.exp(x - a), a, x) == "exp(x)"
    assert shown(lambda a, c: sg.exp(2 * (a - c)) * sg.exp(2 * c), a, c) == "exp(2a)"
    assert shown(lambda a, x: sg.exp(a)[:, None] * sg.exp(x)[None, :] * sg.exp(-a)[:, None], a, x) == "𝟏 exp(x)ᵀ"
    assert shown(lambda a, x: sg.exp(a) * sg.exp(x), a, x) == "exp(a) ⊙ exp(x)"  # nothing meets


def test_products_of_exponentials_keep_their_value():
    points = {"a": RNG.normal(size=4), "x": RNG.normal(size=4), "c": 0.7}
    exponents = ["a", "-2*a", "x - a", "c - a", "-c", "2*(a + x)", "x*c", "-x*c"]
    for u, v, w in itertools.combinations(exponents, 3):
        f = eval(f"lambda a, x, c: (sg.exp({u}) * sg.exp({v}) * sg.exp({w}) * x).sum()", {"sg": sg})
        formula = sg.formula(f, a, x, c)
        found = formula(**{k: points[k] for k in formula.free_symbols & set(points)})
        assert float(found) == pytest.approx(float(f(**points)))


def test_a_choice_between_equals_is_no_choice():
    assert shown(lambda a: sg.where(a > 0, 1.0, 1.0), a) == "𝟏"
    assert shown(lambda a, x: sg.where(a > 0, 1.0, 1.0) * x, a, x) == "x"
    assert shown(lambda a, c: sg.where(a > 0, c, c), a, c) == "c𝟏"
    assert shown(lambda a, x: sg.where(a > 0, x, 1.0), a, x) == "where(a > 0, x, 1)"

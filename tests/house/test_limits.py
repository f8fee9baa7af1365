"""Every figure at which symgrad goes another way stands in one table, and has a low value that tests can ask for.

What only bounds work stands beside its use, as a `bound`.

The idea to hold: a comparison with a number above `SMALL`, or a name in capitals that is one, is a threshold unless a
line of `NO_LIMITS` says what else it is; thresholds are read from `symgrad._limits`.
"""

import ast
import functools
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad._limits import LIMITS
from symgrad.programs import program

from ..helpers.cases import one_in
from ..helpers.sources import PACKAGE, SOURCES, facts, facts_of

ROOT = Path(__file__).resolve().parents[2]
SMALL = 4
READ = [path for path in SOURCES if path.name != "_limits.py"]
GROUPS = ("ways", "forms", "caps", "bounds")

# "file: the comparison or assignment" -> why it is no threshold.
NO_LIMITS = {
    "transforms/calls/tree.py: _IN_PYTHON = 1 << 9": "a flag of Python's classes",
    "_serialize.py: _LEGACY = 119547037146038801333356": "with what files of another format begin",
    "terms/canonical.py: _MASK = (1 << 61) - 1": "the bits of a hash",
    "formulas/check.py: np.abs(value * 1.0 - number) > 100 * noise + 1e-12": "a tolerance",
    "formulas/check.py: np.abs(np.asarray(value) * 1.0 - number) <= 100 * noise": "a tolerance",
    "formulas/pointwise.py: _TINY, _SMALL, _BITS = (1e-12, 1e-07, 8)": "a tolerance",
    "inspect/truth.py: off <= 0.001 * np.abs(parts).sum() + 10 * found[1]": "a tolerance",
    "inspect/truth.py: abs(here[0] - best[0]) > 10 * (here[1] + best[1])": "a tolerance",
    "terms/node.py: abs(near) < 100": "the range of floats, with room",
    "views/reports.py: apart > 100 * found[1] + 1e-06 * (scale + 1e-06)": "a tolerance",
    "scipy/integrate/_courses.py: PLACES = 7": "a rule of quadrature",
    "ops/entries/bessel.py: STEP, NODES = (0.12, 55)": "a rule of quadrature",
    "serve/_questions.py: ord(c) < 32": "the characters that control",
    "scipy/linalg/_matrix_equations.py: np.linalg.norm(plain - np.swapaxes(plain, -1, -2).conj(), 1) > "
    "np.spacing(np.linalg.norm(plain, 1)) * 100": "a tolerance, SciPy's",
    "notation/_readings.py: _MISFIT, _CONSTANT, _ARRAY, _CAPITAL, _DOT, _ODD, _AMPLITUDE, _COUNT, _LETTER = "
    "(200, 100, 22, 21, 15, 10, 10, 5, 2)": "an order",
    "terms/node.py: _EXACT = 2 ** 53": "the whole numbers that a double holds",
    "programs/translate.py: abs(node.value) >= 2 ** 31": "the whole numbers of 32 bits",
    "terms/node.py: _LONGEST = 2 ** 63": "the whole numbers that an int64 holds",
    "terms/node.py: len(repr(value).lstrip('-0.').replace('.', '')) > 12": "the digits of a double",
    "terms/node.py: len(repr(value)) > 15": "the digits of a double",
    "terms/node.py: _LONGEST <= abs(value) < 1 << 1000": "what a double can be",
    "programs/program.py: _LOST = 2 ** 8": "a tolerance",
    "notation/_operators.py: _LARGEST_POWER = 2 ** 1024": "what a double can be",
    "syntax/lexer.py: COMPARE, SUM, PREFIX, JUXT, POWER, POSTFIX = (4, 12, 25, 30, 40, 50)": "how signs bind",
    "distributed/_workers.py: _MAPPED = 1 << 17": "what glibc begins with, and is told again",
    "calculus/rule_checks.py: _SIZE, _OTHERS, _CORNERS, _DRAWS = (3, 2, 16, 32)": "the sizes of samples",
    "ops/linalg/contract.py: 0 <= s < 52": "the letters of an equation",
    "ops/entries/elementwise.py: x < -6": "a value, left of which a function is computed otherwise",
    "ops/entries/integrals.py: np.log(np.where(valid, top, 1)) - np.log(np.where(valid, low, 1)) < 710": "a value",
    "ops/entries/integrals.py: np.abs(z) > 8": "a value, beyond which a function is computed otherwise",
    "ops/entries/integrals.py: np.abs(x) < 7": "a value, beyond which a function is computed otherwise",
    "ops/entries/integrals.py: x < 6": "a value, beyond which a function is computed otherwise",
    "ops/entries/integrals.py: x > 710": "what a double can be",
    "ops/entries/gammas.py: n < 200 + 12 * MOST ** 0.5": "the terms that the largest parameter needs",
    "ops/create/draws.py: -2 ** 63 <= seed < 2 ** 64": "the whole numbers of 64 bits",
    "programs/linear.py: max(m, n, len(order)) < 2 ** 31": "the whole numbers of 32 bits",
    "programs/loops/scalar_form.py: _ATOM, _SIGNED, MULTIPLIED = (9, 2, 3)": "how tight a text is",
    "programs/matrices/symmetric.py: largest(s).max(initial=0) < 100": "a value: how far from 1 a scaled matrix may be",
    "show/layout.py: len(repr(value)) < 12": "the digits of a double",
    "show/signs.py: COMPARED, ADD, LARGE, MUL, CHAIN, POW, ATOM = (-1, 0, 1, 2, 4, 6, 8)": "how tight a text is",
    "transforms/calls/run.py: n < 1000": "units: 1000 bytes are a kB",
    "transforms/report.py: found.condition >= 100": "a value that a text calls small",
}


def value_of(node):
    """The whole number that an expression is, or None."""
    if any(isinstance(n, ast.Name | ast.Call | ast.Attribute | ast.Subscript) for n in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "", "eval"))
    except (TypeError, ValueError, SyntaxError, ArithmeticError):
        return None
    return value if type(value) is int else None


def large(node):
    """Whether an expression is a number above SMALL, or is one but for what it is multiplied with or added to."""
    value = value_of(node)
    if value is not None:
        return abs(value) > SMALL
    return isinstance(node, ast.BinOp) and (large(node.left) or large(node.right))


def thresholds(figures):
    """Yield (line, text) of all that looks like one, among what compares by size and assigns."""
    for node in figures:
        if isinstance(node, ast.Compare):
            if any(large(side) for side in (node.left, *node.comparators)):
                yield node.lineno, ast.unparse(node)
        elif node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs = zip(target.elts, node.value.elts, strict=True) if several else [(target, node.value)]
                if any(isinstance(t, ast.Name) and t.id.isupper() and large(v) for t, v in pairs):
                    yield node.lineno, ast.unparse(node)


def test_every_threshold_stands_in_the_table():
    found, unused = [], set(NO_LIMITS)
    for path in READ:
        for line, text in thresholds(facts(path).figures):
            key = f"{path.relative_to(PACKAGE).as_posix()}: {text}"
            unused.discard(key)
            if key not in NO_LIMITS:
                found.append(f"{path.relative_to(ROOT)}:{line}: {text}")
    assert not found, "give each a row of symgrad/_limits.py, or say in NO_LIMITS why it is none:\n" + "\n".join(found)
    assert not unused, f"reasons nobody needs any more: {sorted(unused)}"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("if x.size > 4096: pass", 1), ("MOST = 1 << 16", 1), ("A, B = 64, 2", 1), ("if n < 3 * 100: pass", 1),
        ("if n <= 8 * m + 1: pass", 1), ("if x.ndim > 2: pass", 0), ("MOST = limit", 0), ("if n == 52: pass", 0),
        ("if n > _limits.BIG: pass", 0), ("x = 4096", 0), ("if -6 > x: pass", 1),
    ],
)  # fmt: skip
def test_a_threshold_is_found(source, count):
    assert len(list(thresholds(facts_of(ast.parse(source)).figures))) == count


def test_bounds_beside_their_use_say_what_they_bound():
    found = 0
    for path in READ:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node, below in itertools.pairwise([*body, None]):
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("bound("):
                found += 1
                said = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and below.value.value
                assert said and said.endswith("."), f"{path.relative_to(ROOT)}:{node.lineno}"
    assert found > 100


def test_every_limit_is_read_somewhere():
    words = set().union(*(facts(path).words for path in READ))
    words |= {"EVENED", "GRAM", "PAIRS"}  # in the text of helpers
    assert set(LIMITS) <= words, f"read nowhere: {sorted(set(LIMITS) - words)}"


@functools.cache
def names_of_tests(path):
    """The names of the tests in a file."""
    return {n.name for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)}


@pytest.mark.parametrize("name", LIMITS)
def test_a_row_says_what_it_decides_and_which_test_crosses_it(name):
    row = LIMITS[name]
    assert row.words.endswith((".", "...")) and row.group in GROUPS
    assert (row.low is None) == (row.group == "bounds")
    if row.group == "bounds":
        return
    assert row.low != row.value
    file, _, test = row.test.partition("::")
    path = ROOT / "tests" / file
    assert path.is_file() and test in names_of_tests(path), f"no such test: {row.test}"


def values_under(setting):
    code = "import runpy, sys; found = runpy.run_path(sys.argv[1]); print({n: found[n] for n in found['LIMITS']})"
    environment = {**os.environ, "SYMGRAD_LOW_LIMITS": setting}
    done = subprocess.run(
        [sys.executable, "-c", code, _limits.__file__], capture_output=True, text=True, check=True, env=environment
    )
    return ast.literal_eval(done.stdout)


@pytest.mark.parametrize(
    ("setting", "groups"), [("", ()), ("1", ("ways",)), ("ways,forms", ("ways", "forms")), ("caps", ("caps",))]
)
def test_the_setting_decides_which_groups_are_low(setting, groups):
    expected = {name: row.low if row.group in groups else row.value for name, row in LIMITS.items()}
    assert values_under(setting) == expected


def test_a_setting_without_meaning_is_refused():
    with pytest.raises(subprocess.CalledProcessError) as caught:
        values_under("way")
    assert "SYMGRAD_LOW_LIMITS" in caught.value.stderr


def test_values_are_the_tables():
    for name, row in LIMITS.items():
        assert getattr(_limits, name) == (row.low if row.group in _limits.LOW else row.value)


# ------------------------------------------------------------------------------------- one limit alone at its low value

RNG = np.random.default_rng(0)
N = 12
X = RNG.normal(size=N)
DATA, MIX, OTHER = RNG.normal(size=(7, N)), RNG.normal(size=(4, 3)), RNG.normal(size=N)
EDGES = np.array([[0, 3, 5, 7, 11, 2], [1, 4, 4, 0, 10, 2]])

FUNCTIONS = {
    "logistic loss": lambda x: sg.nn.functional.softplus(DATA @ x).sum() + (x * x).sum(),
    "residuals of either sign": lambda x: (sg.sin(DATA @ x) ** 2).sum() * (x[0] + 2),
    "chain": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "edges": lambda x: (sg.sin(x[EDGES[0]] * x[EDGES[1]]) * OTHER[:6]).sum(),
    "entries": lambda x: x[0] ** 3 * x[1] + sg.exp(x[2] * x[-1]) + x[3] * x[4:8].sum() + (x**6 * OTHER).sum(),
    "running sum": lambda x: (sg.cumsum(x, 0) ** 3 * OTHER).sum() + (x.flip(0)[::2] ** 3).sum(),
}  # fmt: skip


def whole(matrix):
    return matrix.todense() if hasattr(matrix, "todense") else matrix


def second_derivatives(f):
    """The matrix by all the ways there are to it."""
    program.clear()
    v = np.cos(np.arange(N))
    return {
        "dense": sg.hessian(f)(X),
        "csr": sg.hessian(f, format="csr")(X).toarray(),
        "structured": whole(sg.hessian(f, format="structured")(X)),
        "product": np.asarray(sg.hvp(f, X, v)),
        "diagonal": np.asarray(sg.diag_hessian(f, X)),
        "trace": np.asarray(sg.laplacian(f, X)),
    }


@functools.cache
def truth(name):
    """The same by central differences of the gradient, to eight digits or so."""
    f, step = FUNCTIONS[name], 1e-5
    moved = [sg.grad(f)(X + s * step * row) for row in np.eye(N) for s in (1, -1)]
    matrix = np.stack([(a - b) / (2 * step) for a, b in zip(moved[::2], moved[1::2], strict=True)])
    v = np.cos(np.arange(N))
    one = {"product": matrix @ v, "diagonal": np.diag(matrix), "trace": np.trace(matrix)}
    return {way: one.get(way, matrix) for way in second_derivatives(f)}


@one_in(24)
@pytest.mark.parametrize("name", [n for n, row in LIMITS.items() if row.group == "caps"])
def test_beyond_one_cap_alone_the_numbers_are_the_same(name, monkeypatch):
    monkeypatch.setattr(_limits, name, LIMITS[name].low)
    for function, f in FUNCTIONS.items():
        for way, found in second_derivatives(f).items():
            expected = truth(function)[way]
            size = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, atol=1e-6 * size, err_msg=f"{way} of {function}")

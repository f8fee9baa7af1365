"""Plots: what is drawn is what the library computes, and what is marked is so.

The idea to hold: a picture is read back. The data of lines, images and arrows are held against values that mpmath or
NumPy give; how it looks is for people.
"""

import subprocess
import sys

import mpmath
import numpy as np
import pytest

import symgrad as sg
from symgrad.views import plot_matrix, plots
from symgrad.views.pages import in_blocks
from symgrad.views.plot_matrix import is_set, named

from ..helpers.cases import one_in

matplotlib = pytest.importorskip("matplotlib", reason='python -m pip install -e ".[test]"')
matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def no_figure_is_left():
    plt.close("all")
    yield
    plt.close("all")


def legend(ax):
    return ax.get_legend_handles_labels()[1]


def curve(ax, k):
    """The points of a line, without what breaks it at jumps."""
    x, y = ax.get_legend_handles_labels()[0][k].get_data()
    return np.asarray(x), np.asarray(y)


def breaks(ax, k=0):
    """Where a line is broken."""
    x, y = curve(ax, k)
    return x[np.isnan(y)]


def logistic(t):
    return 1 / (1 + np.exp(-t))


# ------------------------------------------------------------------------------------------------------------- curves

SMOOTH = {
    "wave": (lambda x: np.sin(x) * np.exp(-x / 4), lambda x: mpmath.sin(x) * mpmath.exp(-x / 4), 0.0, 6.0),
    "logistic": (logistic, lambda x: 1 / (1 + mpmath.exp(-x)), -4.0, 4.0),
    "root": (lambda x: np.sqrt(x) * x**2, lambda x: mpmath.sqrt(x) * x**2, 0.5, 3.0),
    "branches": (
        lambda x: x**3 if x > 1.234 else 1 / x, lambda x: x**3 if x > 1.234 else 1 / x, 0.5, 2.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SMOOTH)
def test_curves_are_the_derivatives(name):
    f, truth, low, high = SMOOTH[name]
    ax = sg.plot(f, low, high, orders=3, points=23)
    for k in range(4):
        x, y = curve(ax, k)
        x, y = x[~np.isnan(y)], y[~np.isnan(y)]
        assert len(x) == 23 and (x[0], x[-1]) == (low, high)
        with mpmath.workdps(40):
            expected = [float(mpmath.diff(truth, mpmath.mpf(v), k, h=mpmath.mpf(10) ** -10)) for v in x.tolist()]
        np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-9)


def test_taylor_polynomials_have_the_coefficients_of_mpmath():
    ax = sg.plot(logistic, -2, 2, orders=0, taylor=(1, 3, 8), at=0.5, points=17)
    with mpmath.workdps(40):
        terms = [float(c) for c in mpmath.taylor(lambda t: 1 / (1 + mpmath.exp(-t)), 0.5, 8)]
    for k, order in enumerate((1, 3, 8)):
        x, y = curve(ax, 1 + k)
        np.testing.assert_allclose(y, np.polynomial.Polynomial(terms[: order + 1])(x - 0.5), rtol=1e-12)
    assert legend(ax)[1:] == [rf"$T_{{{k}}}(t)$, Taylor about 0.5" for k in (1, 3, 8)]


def test_a_formula_is_drawn_as_its_function_is():
    f = lambda t: np.exp(-(t**2)) * np.sin(t)
    of_function = sg.plot(f, -2, 2, taylor=4, at=0.25, points=31)
    of_formula = sg.plot(sg.parse("exp(-t^2)*sin(t)", t=()), -2, 2, taylor=4, at=0.25, points=31)
    for k in range(4):
        np.testing.assert_allclose(curve(of_formula, k)[1], curve(of_function, k)[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("orders", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_labels_are_formulas_that_mathtext_can_set(orders):
    ax = sg.plot(lambda x: np.abs(x), -1, 1)
    assert legend(ax) == ["$f(x) = |x|$", r"$f'(x) = \operatorname{sign}(x)$", "$f''(x) = 0$"]
    for f in (logistic, np.tan, lambda x: np.log(x) / x, lambda long_name: np.sqrt(long_name), lambda x: x**x):
        for label in legend(sg.plot(f, 0.5, 1.5, orders=orders)):
            assert is_set(label), label


@pytest.mark.slow
def test_a_derivative_that_is_too_long_for_a_label_has_its_name():
    assert legend(sg.plot(logistic, 0, 1, orders=5))[5].startswith(r"$\mathrm{logistic}^{(5)}(t)")


def test_names_of_functions_stand_apart():
    labels = legend(sg.plot(lambda t: np.exp(-(t**2) / 2), -1, 1, orders=1))
    assert labels[1] == r"$f'(t) = -t\, \exp\left(-\frac{t^{2}}{2}\right)$"


def test_a_formula_that_does_not_hold_everywhere_is_no_label():
    held, other = [legend(sg.plot(lambda x: np.log(x), low, 2, orders=1)) for low in (1, 0)]
    assert held == other == [r"$f(x) = \log(x)$", r"$f'(x) = \frac{1}{x}$"]  # at 0 there is no curve
    assert legend(sg.plot(sg.parse("t*sin(t)/t", t=()), 1, 2, orders=0)) == [r"$f(t) = \sin(t)$"]

    def branching(x):
        return x * 2 if x > 0 else x

    assert legend(sg.plot(branching, -1, 1)) == [
        r"$\mathrm{branching}(x)$", r"$\mathrm{branching}'(x)$", r"$\mathrm{branching}''(x)$"
    ]  # fmt: skip
    c = sg.tensor([1.0, 2.0])
    assert legend(sg.plot(lambda x: (c * x).sum(), -1, 1, orders=0)) == ["$f(x)$"]  # c is not said


def test_a_formula_that_is_not_what_is_drawn_is_no_label():
    assert legend(sg.plot(lambda x: x * np.random.default_rng().random(), 0, 1)) == [
        "$f(x)$",
        "$f'(x)$",
        "$f''(x) = 0$",
    ]


def test_where_there_is_no_value_there_is_no_derivative():
    ax = sg.plot(lambda x: np.log(x), -1, 1, points=21)
    for k in range(3):
        x, y = curve(ax, k)
        assert np.isnan(y[x < 0]).all() and np.isfinite(y[x > 1e-9]).all()
    x, y = curve(sg.plot(sg.parse("t*sin(t)/t", t=()), -1, 1, orders=0, points=5), 0)
    assert np.isnan(y).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("f", "order", "places"),
    [
        (lambda x: np.floor(2 * x), 0, [-0.5, 0, 0.5, 1]),
        (lambda x: np.where(x > 0.3, x, -1.0), 0, [0.3]),
        (lambda x: 1 / x, 0, [0]),
        (lambda x: 1 / (x - 0.1) ** 3, 0, [0.1]),
        (lambda x: np.tanh(1e6 * x), 0, []),
        (lambda x: abs(x - 0.1), 0, []),
        (lambda x: abs(x - 0.1), 1, [0.1]),
        (lambda x: np.sin(20 * x), 2, []),
        (lambda x: x if x < 0.2 else x + 1, 0, [0.2]),
    ],
)
def test_a_line_is_broken_where_the_function_jumps_and_nowhere_else(f, order, places):
    found = breaks(sg.plot(f, -1, 1.03, orders=order, points=200), order)
    assert len(found) == len(places)
    np.testing.assert_allclose(found, places, atol=2.03 / 199)


def test_poles_and_polynomials_leave_the_rest_of_the_picture_legible():
    ax = sg.plot(lambda x: np.tan(x), -4, 4, orders=0)
    assert -15 < ax.get_ylim()[0] < -2 and 2 < ax.get_ylim()[1] < 15
    low, high = sg.plot(np.cos, -6, 6, orders=0, taylor=8, at=0).get_ylim()
    assert low > -1.5 and high < 1.5
    assert sg.plot(lambda x: x**2, -1, 1, orders=0).get_ylim()[1] >= 1  # all of it


def test_nothing_is_shown_and_axes_can_be_given(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("it shows"))
    figure, ax = plt.subplots()
    assert sg.plot(np.sin, 0, 1, ax=ax) is ax and plt.get_fignums() == [figure.number]
    assert sg.plot(np.sin, sg.tensor(0.0), 1).get_xlim() == (0, 1)


# -------------------------------------------------------------------------------------------------------------- planes


def marks(ax):
    """(kind, x, y) of the critical points, sorted."""
    kinds = {"o": "minimum", "^": "maximum", "X": "saddle", "D": "flat"}
    found = [(kinds[line.get_marker()], *np.ravel(line.get_xydata()).tolist()) for line in ax.lines
             if line.get_marker() in kinds]  # fmt: skip
    return sorted(found)


def strokes(ax):
    return [line.get_xydata() for line in ax.lines if line.get_marker() not in "o^XD"]


PLANES = {
    "bowl": (lambda x, y: x**2 + x * y + 2 * y**2, -1, 1, [("minimum", 0, 0)]),
    "dome": (lambda p: -((p**2).sum()) + p[0], (-1, -1), (1, 1), [("maximum", 0.5, 0)]),
    "two": (lambda x, y: x**3 - 3 * x + y**2, -2, 2, [("minimum", 1, 0), ("saddle", -1, 0)]),
    "rosenbrock": (lambda x, y: (1 - x) ** 2 + 100 * (y - x**2) ** 2, (-2, -1), (2, 3), [("minimum", 1, 1)]),
    "himmelblau": (
        lambda x, y: (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2,
        -5,
        5,
        [
            ("maximum", -0.2708446, -0.9230386),
            ("minimum", -3.7793103, -3.2831860),
            ("minimum", -2.8051181, 3.1313125),
            ("minimum", 3, 2),
            ("minimum", 3.5844283, -1.8481265),
            ("saddle", -3.0730258, -0.0813530),
            ("saddle", -0.1279613, -1.9537150),
            ("saddle", 0.0866775, 2.8842547),
            ("saddle", 3.3851542, 0.0738519),
        ],
    ),
    "quartic": (lambda x, y: x**4 + y**4, -1, 1, [("flat", 0, 0)]),
    "slope": (lambda x, y: x + 2 * y, -1, 1, []),
    "trough": (lambda x, y: np.log(x * y), -1, 1, []),
    "kink": (lambda p: abs(p).sum(), (-1, -1), (1, 1), []),
    "cone": (lambda p: np.linalg.norm(p), (-1, -1), (1, 1), []),
    "outside": (lambda x, y: (x - 3) ** 2 + y**2, -1, 1, []),
}


@one_in(6)
@pytest.mark.parametrize("name", PLANES)
def test_critical_points_are_where_they_are(name):
    f, low, high, expected = PLANES[name]
    found = marks(sg.plot(f, low, high))
    assert [k for k, *_ in found] == [k for k, *_ in expected]
    tolerance = 1e-3 if "flat" in str(expected) else 1e-6
    np.testing.assert_allclose([p for _, *p in found], [p for _, *p in expected], atol=tolerance)


def test_what_is_marked_beside_a_plateau_lies_on_it():
    found = marks(sg.plot(lambda x, y: np.maximum(x, 0) ** 2 + np.maximum(y, 0) ** 2, -1, 1))
    assert found and all(kind == "flat" and x <= 1e-9 and y <= 1e-9 for kind, x, y in found)


def test_all_of_several_are_found():
    found = marks(sg.plot(lambda x, y: np.sin(x) * np.cos(y), -4, 4))
    for kind, x, y in found:
        values = np.linalg.eigvalsh([[-np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)],
                                     [-np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y)]])  # fmt: skip
        assert kind == ("minimum" if values[0] > 0 else "maximum" if values[1] < 0 else "saddle")
        assert abs(np.cos(x) * np.cos(y)) + abs(np.sin(x) * np.sin(y)) < 1e-9
    assert len(found) == 12


def test_ellipses_are_level_lines_of_the_second_order():
    ax = sg.plot(lambda x, y: x**2 + x * y + 2 * y**2, -1, 1)
    (ellipse,) = strokes(ax)
    x, y = ellipse.T
    levels = x**2 + x * y + 2 * y**2
    np.testing.assert_allclose(levels, levels[0], rtol=1e-9)
    ax = sg.plot(lambda x, y: x**2 + x * y - y**2, -1, 1)
    for a, b in strokes(ax):
        x, y = b - a
        assert abs(x**2 + x * y - y**2) < 1e-12 and np.hypot(x, y) > 0.05


def test_arrows_are_along_the_gradient_of_what_is_drawn():
    ax = sg.plot(lambda x, y: x**2 + 3 * x * y, (0, 0), (1, 4))
    (arrows,) = [c for c in ax.collections if type(c).__name__ == "Quiver"]
    x, y = arrows.get_offsets().T if np.ndim(arrows.X) == 0 else (arrows.X, arrows.Y)
    across, up = (2 * x + 3 * y) * 1, (3 * x) * 4  # in units of the two sides
    np.testing.assert_allclose(across * (arrows.V / 4) - up * (arrows.U / 1), 0, atol=1e-9)
    assert (across * arrows.U > 0).all() and len(x) == plots.PLOT_ARROWS**2


@pytest.mark.parametrize(
    "f", [sg.parse("a^2 + a*b + 2*b^2", a=(), b=()), sg.parse("w'*w + w[0]*w[1] + w[1]^2", w=("n",))]
)
def test_formulas_of_two_numbers_are_drawn(f):
    ax = sg.plot(f, (-1, -1), (1, 1), points=15)
    assert [k for k, *_ in marks(ax)] == ["minimum"]
    (ellipse,) = strokes(ax)
    x, y = ellipse.T
    np.testing.assert_allclose(np.ptp(x**2 + x * y + 2 * y**2), 0, atol=1e-12)


def test_the_numbers_of_a_formula_go_by_the_alphabet():
    ax = sg.plot(sg.parse("f(x,y) = x^3 - 3x + y^2"), (-3, 0), (3, 1), points=15)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$x$", "$y$") or (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    assert ax.get_xlim() == (-3, 3) and ax.get_ylim() == (0, 1)


def test_a_constant_plane_says_so():
    assert sg.plot(lambda x, y: 0 * x + 3.0, -1, 1).get_title() == "constant: 3"


# ------------------------------------------------------------------------------------------------------------ matrices

PARAMS = {"W": np.array([[0.1, 0.2], [0.3, 0.0]]), "b": np.array([0.5, 0.0]), "s": 2.0}


def network(p):
    return (np.tanh(p["W"] @ np.array([1.0, -1.0]) + p["b"]) ** 2).sum() + p["s"] ** 2 * p["b"][0]


def heights(ax):
    """The eigenvalues that are drawn, from left to right."""
    (dots,) = [c for c in ax.collections if len(c.get_offsets()) > 1 or type(c).__name__ == "PathCollection"]
    return np.asarray(dots.get_offsets())[:, 1]


def image(ax):
    return ax.images[0].get_array()


def test_a_hessian_is_drawn_with_its_names_blocks_and_eigenvalues():
    H = sg.hessian(network)(PARAMS)
    left, right = H.plot()
    np.testing.assert_array_equal(image(left), np.asarray(H))
    assert [t.get_text() for t in left.get_yticklabels()] == H.labels
    assert sorted({line.get_ydata()[0] for line in left.lines if np.ptp(line.get_ydata()) == 0}) == [4, 6]
    low, high = left.images[0].get_clim()
    assert -low == high == np.abs(np.asarray(H)).max()
    np.testing.assert_allclose(heights(right), np.linalg.eigvalsh(np.asarray(H)), atol=1e-12)
    about = H.report()
    assert right.get_title().startswith(f"{about.kind}, condition") and left.get_title() == "Hessian, 7 × 7"
    counts = [int((about.eigenvalues > about.tolerance).sum()), int((about.eigenvalues < -about.tolerance).sum())]
    assert legend(right)[:2] == [f"{counts[0]} positive", f"{counts[1]} negative"]


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([3.0, -1.0]),
        sg.tensor([[3.0, 0.0], [0.0, -1.0]]),
        sg.hessian(lambda x: 1.5 * x[0] ** 2 - 0.5 * x[1] ** 2, format="csr")(np.zeros(2)),
        sg.hessian(lambda x: (np.array([1.5, -0.5]) * x**2).sum(), format="structured")(np.zeros(2)),
        sg.hessian_operator(lambda x: 1.5 * x[0] ** 2 - 0.5 * x[1] ** 2, np.zeros(2)),
        sg.hessian(lambda M: 1.5 * M[0, 0] ** 2 - 0.5 * M[1, 0] ** 2)(np.zeros((2, 1))),
    ],
    ids=["array", "tensor", "sparse", "structured", "operator", "four dimensions"],
)
def test_hessians_of_all_kinds_are_drawn(matrix):
    left, right = sg.plot(matrix)
    np.testing.assert_allclose(image(left), np.diag([3.0, -1.0]))
    np.testing.assert_allclose(heights(right), [-1, 3])


def test_a_hessian_with_a_history_and_one_of_whole_numbers_are_drawn():
    H = sg.hessian(lambda x: (x**4).sum())(sg.tensor([1.0, 2.0], requires_grad=True))
    np.testing.assert_array_equal(image(sg.plot(H).map), np.diag([12.0, 48.0]))
    np.testing.assert_allclose(heights(sg.plot(np.array([[2, 1], [1, 2]])).spectrum), [1, 3])


@pytest.mark.parametrize("name", ["β", "θ_1", "a%b", "x^2", "a$", "{}", r"\alpha", "layers.0.W", "&#~"])
def test_names_of_any_kind_are_set(name):
    assert is_set(f"${named(name)}$")


def test_what_is_called_otherwise_is_titled_so():
    C = sg.hessian(lambda p: p["a"] ** 2 + p["b"] ** 2)({"a": 1.0, "b": 2.0}).covariance()
    assert C.plot().map.get_title() == "covariance, 2 × 2"


def test_many_orders_of_magnitude_are_drawn_by_them():
    left, right = sg.plot(np.diag([1e-6, 1.0, 1e6, -1e3]))
    assert right.get_yscale() == "symlog" and type(left.images[0].norm).__name__ == "SymLogNorm"
    ticks = right.get_yticks()
    assert (np.diff(ticks) > 0).all() and len(ticks) <= plot_matrix.PLOT_TICKS + 3 and 0 in ticks
    even = sg.plot(np.diag([1.0, 2.0]))
    assert even.spectrum.get_yscale() == "linear" and type(even.map.images[0].norm).__name__ == "Normalize"


def test_what_counts_as_zero_is_neither_positive_nor_negative():
    _, right = sg.plot(np.array([[1.0, 1.0], [1.0, 1.0]]))
    assert legend(right) == ["1 positive", "1 within rounding of 0"]


def test_entries_that_are_not_finite_are_marked():
    left, right = sg.plot(np.array([[1.0, np.nan], [np.nan, np.inf]]))
    (crosses,) = left.lines
    assert sorted(map(tuple, np.asarray(crosses.get_xydata()).tolist())) == [(0.5, 1.5), (1.5, 0.5), (1.5, 1.5)]
    assert image(left).mask.tolist() == [[False, True], [True, True]]
    assert "not finite" in right.texts[0].get_text()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n", "most"), [(7, 3), (9, 3), (5, 5), (6, 100), (1, 1)])
def test_blocks_keep_their_largest_entry(n, most, sparse):
    from scipy.sparse import csr_array

    rng = np.random.default_rng(n)
    matrix = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5)
    matrix[0, 0], matrix[-1, 0] = -np.inf, np.nan
    blocks, each = in_blocks(csr_array(matrix) if sparse else matrix, most)
    assert len(blocks) <= most and len(blocks) * each >= n
    for (i, j), value in np.ndenumerate(blocks):
        part = matrix[i * each : (i + 1) * each, j * each : (j + 1) * each]
        if np.isfinite(part).all():
            assert abs(value) == np.abs(part).max(initial=0) and (value == 0 or value in part)
        else:
            assert not np.isfinite(value)


@pytest.mark.slow
def test_a_large_sparse_hessian_is_drawn_in_blocks():
    n = 2500
    f = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    H = sg.hessian(f, format="csr")(np.linspace(0, 1, n))
    left, right = sg.plot(H)
    shown = image(left)
    assert len(shown) <= plot_matrix.PLOT_CELLS and np.abs(shown).max() == np.abs(H.data).max()
    dense = np.linalg.eigvalsh(H.toarray())
    for value in heights(right):
        assert np.abs(dense - value).min() < 1e-4 * np.abs(dense).max()
    np.testing.assert_allclose(heights(right)[-1], dense[-1], rtol=1e-4)
    assert "of 2,500" in right.get_xlabel()


# -------------------------------------------------------------------------------------------------------------- errors

X = sg.tensor(1.0, requires_grad=True)
BAD = {
    "a number": (lambda: sg.plot(3, 0, 1), TypeError, "got 'int'"),
    "a text": (lambda: sg.plot("sin(x)", 0, 1), TypeError, "got 'str'"),
    "a tensor": (lambda: sg.plot(X * 2, 0, 1), TypeError, "sg.graph(t)"),
    "no limits": (lambda: sg.plot(np.sin), ValueError, "between two limits"),
    "an empty interval": (lambda: sg.plot(np.sin, 1, 1), ValueError, "empty"),
    "turned round": (lambda: sg.plot(np.sin, 2, 1), ValueError, "low is 2, high is 1"),
    "empty in one": (lambda: sg.plot(lambda x, y: x, (0, 1), (1, 1)), ValueError, "empty"),
    "NaN": (lambda: sg.plot(np.sin, 0, np.nan), ValueError, "high= is not finite"),
    "infinity": (lambda: sg.plot(np.sin, -np.inf, 0), ValueError, "low= is not finite"),
    "a complex limit": (lambda: sg.plot(np.sin, 0, 1j), ValueError, "high= is a number"),
    "order": (lambda: sg.plot(np.sin, 0, 1, orders=-1), ValueError, "orders takes whole numbers from 0, got -1"),
    "half an order": (lambda: sg.plot(np.sin, 0, 1, orders=0.5), ValueError, "orders"),
    "taylor alone": (lambda: sg.plot(np.sin, 0, 1, taylor=2), ValueError, "come together"),
    "at alone": (lambda: sg.plot(np.sin, 0, 1, at=2), ValueError, "come together"),
    "taylor order": (lambda: sg.plot(np.sin, 0, 1, taylor=-2, at=0), ValueError, "taylor takes whole numbers"),
    "taylor of two": (lambda: sg.plot(lambda x, y: x, 0, 1, taylor=2, at=0), ValueError, "one number"),
    "no polynomial": (lambda: sg.plot(np.sqrt, 0, 1, taylor=1, at=0), RuntimeError, "order 1 there is inf"),
    "one point": (lambda: sg.plot(np.sin, 0, 1, points=1), ValueError, "points takes whole numbers from 2"),
    "complex": (lambda: sg.plot(lambda x: 1j * x, 0, 1), TypeError, "f returns complex numbers"),
    "an array": (lambda: sg.plot(lambda x: x * np.ones(2), 0, 1), ValueError, "array of shape (2,)"),
    "a dictionary": (lambda: sg.plot(lambda x: {"a": x}, 0, 1), TypeError, "returns dict"),
    "three numbers": (lambda: sg.plot(lambda x, y, z: x, 0, 1), ValueError, "It takes x, y, z."),
    "no number": (lambda: sg.plot(lambda: 1.0, 0, 1), ValueError, "takes none"),
    "nothing there": (lambda: sg.plot(np.log, -2, -1), ValueError, "no finite value between -2 and -1"),
    "nothing in a plane": (lambda: sg.plot(lambda x, y: np.log(x + y), -2, -1), ValueError, "no finite value"),
    "a formula of three": (lambda: sg.plot(sg.parse("a*b*c", a=(), b=(), c=()), 0, 1), RuntimeError, "a, b, c"),
    "a formula of an array": (lambda: sg.plot(sg.parse("2*w", w=("n",)), 0, 1), ValueError, "shape"),
    "0 × 0": (lambda: sg.plot(np.zeros((0, 0))), ValueError, "has no rows"),
    "not square": (lambda: sg.plot(np.zeros((2, 3))), ValueError, "got an array of shape (2, 3)"),
    "not symmetric": (lambda: sg.plot(np.triu(np.ones((2, 2)))), ValueError, "differ by 1 of the largest"),
    "a complex matrix": (lambda: sg.plot(np.eye(2) * 1j), TypeError, "complex128"),
    "limits of a matrix": (lambda: sg.plot(np.eye(2), 0, 1), ValueError, "no limits"),
    "one axes": (lambda: sg.plot(np.eye(2), ax=plt.figure().gca()), ValueError, "two axes"),
    "no axes": (lambda: sg.plot(np.sin, 0, 1, ax=3), ValueError, "ax is int"),
    "a large operator": (
        lambda: sg.plot(sg.hessian_operator(lambda x: (x**2).sum(), np.zeros(501))), ValueError, "501 sweeps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_drawn_says_why_and_leaves_no_figure(name):
    call, kind, text = BAD[name]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)
    assert plt.get_fignums() == ([1] if name == "one axes" else [])


def test_without_matplotlib_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: sg.plot(np.sin, 0, 1), lambda: sg.hessian(network)(PARAMS).plot()):
        with pytest.raises(sg.MissingDependencyError, match=r'pip install "symgrad\[plot\]"'):
            call()


def test_matplotlib_is_loaded_by_the_first_plot_only():
    code = "import sys, symgrad as sg; sg.plot; sg.hessian; sg.report; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_peak_in_a_flat_picture_is_marked_and_a_plateau_is_not():
    from symgrad.views import plots

    found = []
    original = plots.critical_points
    try:
        plots.critical_points = lambda *args: found.append(original(*args)) or found[-1]
        for width in (2, 50):
            sg.plot(lambda x, y, k=width: np.exp(-k * (x * x + y * y)), (-3, -3), (3, 3))
    finally:
        plots.critical_points = original
    ((peak,), narrow) = found
    assert peak.kind == "maximum" and np.abs(peak.point).max() < 1e-9
    assert all(c.kind == "maximum" for c in narrow)  # not the corners, where the gradient underflows

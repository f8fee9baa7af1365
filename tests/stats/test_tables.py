"""Tables of estimates and of fits side by side: one notation in a column, in text, HTML and LaTeX.

The idea to hold: what is written is read back: numbers of a column have one form, and are the fit's to its digits.
"""

import re
import shutil
import subprocess

import numpy as np
import pytest

import symgrad as sg
from symgrad.stats import FitError
from symgrad.stats._summary import NumberNotation

from ._likelihoods import DAMAGE, T, fit_normal, logit

pd = pytest.importorskip("pandas")

WARM = (T - 70) / 10


def logit_of(names, kind=lambda z: z):
    def f(b, y):
        z = sum(b[name] * WARM**k for k, name in enumerate(names))
        return np.logaddexp(0, z) - y * z

    return sg.minimize(f, dict.fromkeys(names, 0.0), DAMAGE)


SMALL, LARGE = logit_of(["const"]), logit_of(["const", "warm"])
SCALES = [1e-9, 1e-6, 1e-5, 1e-3, 1e-2, 0.5, 1.0, 1e3, 1e6, 1e9, 1e13]


# --------------------------------------------------------------------------------------------------- notation


@pytest.mark.parametrize("least", SCALES)
@pytest.mark.parametrize("most", SCALES)
def test_a_column_has_one_form_and_enough_digits(least, most):
    values, errors = np.array([most, -3 * most, 0.0, 1e-17]), np.array([least, 7 * least, np.nan, 2 * least])
    write = NumberNotation.of(values, errors).write
    texts = [write(v) for v in (*values, *errors[np.isfinite(errors)])]
    forms = {re.sub(r"\d+", "0" if "e" in text else "", text.lstrip("-").partition(".")[0]) for text in texts}
    decimals = {len(re.match(r"-?\d+\.(\d+)", text)[1]) for text in texts}
    powers = {"e" in text for text in texts}
    assert len(decimals) == 1 and len(powers) == 1 and len(forms) <= 2
    for value, text in zip(values, texts, strict=False):
        assert float(text) == pytest.approx(value, rel=1e-2, abs=least / 100)
    assert float(write(least)) == pytest.approx(least, rel=1e-2)
    assert not any(re.fullmatch(r"-0\.0+", text) for text in texts)


def test_a_column_of_ordinary_errors_has_four_decimals():
    assert NumberNotation.of([12.0, 0.001], [0.05, 3.0]) == NumberNotation(4)
    assert NumberNotation.of([12.0], [0.004]) == NumberNotation(5)
    assert NumberNotation.of([0.25, 3.0], [np.nan, np.nan]) == NumberNotation(4)
    assert NumberNotation.of([], []) == NumberNotation(4) and NumberNotation.of([0.0], [0.0]) == NumberNotation(4)


def test_a_summary_does_not_mix_powers_of_ten_and_decimals():
    f = lambda p: (((p["a"] - 2e-5) * 1e5) ** 2 + (p["b"] - 0.1234) ** 2 * 1e4 + p["c"] ** 2) / 2
    summary = sg.minimize(f, {"a": 0.0, "b": 0.0, "c": 1.0}).summary()
    for name, *cells in summary._cells():
        numbers = [cells[k] for k in (0, 1, 4, 5)]
        assert all(re.fullmatch(r"-?\d+\.\d{7}", number) for number in numbers), (name, numbers)
    assert "e-" not in str(summary)


# --------------------------------------------------------------------------------------------------- side by side


def test_the_text_of_two_fits():
    estimates, errors = [[*f.x.values(), *f.standard_errors().values()] for f in (SMALL, LARGE)]
    text = str(sg.stats.table(SMALL, LARGE))
    found = [float(n) for n in re.findall(r"-?\d+\.\d{4}", text)]
    assert found == pytest.approx([estimates[0], errors[0], estimates[1], errors[2], errors[1], errors[3]], abs=6e-5)
    lines = text.splitlines()
    assert lines[0].split() == ["(1)", "(2)"] and lines[6].split() == ["observations", "23", "23"]
    for line, word in zip(lines[7:10], ("loglik", "aic", "bic"), strict=True):
        assert [float(n) for n in line.split()[1:]] == pytest.approx(
            [getattr(f, word) for f in (SMALL, LARGE)], abs=6e-3
        )
    points = [[m.start() for m in re.finditer(r"\.\d{4}", line)] for line in lines[1:5]]
    assert points[0] == points[1] and points[2] == points[3] == points[0][1:]  # digits below digits


def test_stars_are_of_p_values():
    table = sg.stats.table(LARGE)
    for name, cell in table.cells[0].items():
        assert cell.p == pytest.approx(LARGE.pvalues()[name])
        first = next(line for line in str(table).splitlines() if line.startswith(name))
        assert first.count("*") == sum(cell.p < level for level in (0.1, 0.05, 0.01))
    assert "*" not in str(sg.stats.table(LARGE, stars=()))
    assert "*** p < 0.001" in str(sg.stats.table(LARGE, stars=(0.05, 0.01, 0.001)))


def test_columns_have_titles_kinds_clusters_and_rows_of_their_own():
    groups = np.arange(23) % 8
    table = sg.stats.table(LARGE, LARGE, titles=["plain", "by town"], kind=["hessian", "cluster"], clusters=groups,
                           rows=["warm"])  # fmt: skip
    assert table.rows == ["warm"] and table.titles == ["plain", "by town"]
    assert table.cells[1]["warm"].error == pytest.approx(LARGE.standard_errors("cluster", groups)["warm"])
    assert "plain inverse Hessian; by town sandwich" in table.notes[0]
    as_lists = sg.stats.table(LARGE, LARGE, kind="cluster", clusters=[groups, list(groups)])
    assert as_lists.cells[0] == as_lists.cells[1]
    assert sg.stats.table(LARGE, kind="cluster", clusters=list(groups)).cells[0] == as_lists.cells[0]


def test_parts_bounds_sums_and_averages():
    start = {"count": pd.Series([0.1, 0.1], ["const", "age"]), "zero": pd.Series([0.1], ["const"]), "alpha": 1.0}
    g = lambda p: ((p["count"] - 1) ** 2).sum() + (p["zero"][0] - 2) ** 2 + p["alpha"] ** 2
    parts = sg.minimize(lambda p: g(p) / 2, start, bounds={"alpha": (1.0, None)})
    mean = sg.minimize(lambda p, y: (0.5 * (y - p["m"]) ** 2).mean(), {"m": 0.0}, np.arange(9.0))
    text = str(sg.stats.table(parts, mean))
    assert [line.split("  ")[0] for line in text.splitlines()[1:9:2]] == [
        "count: const",
        "count: age",
        "zero: const",
        "alpha",
    ]
    assert "held" in text and "(2): f averages over its 9 rows" in text
    assert re.search(r"observations\n", text)  # a sum does not say how many


def test_html_and_latex():
    table = sg.stats.table(SMALL, LARGE, titles=["a & b", "<2>"])
    page = table._repr_html_()
    assert "<th>a &amp; b</th><th>&lt;2&gt;</th>" in page and page.count("<tr>") == 9
    text = table.latex({"warm": r"$\beta_1$"}, caption="Rings", label="tab:rings")
    assert text.startswith(
        "\\begin{table}\n\\centering\n\\caption{Rings}\n\\label{tab:rings}\n\\begin{tabular}{lr@{}lr@{}l}\n\\hline"
    )
    assert r"a \& b" in text and r"$\beta_1$ & " in text and "rule" not in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert all(line.count("&") == 4 for line in rows)
    with pytest.raises(FitError, match="no parameter 'b' to name"):
        table.latex({"b": "x"})


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no LaTeX here")
def test_latex_compiles_without_packages(tmp_path):
    odd = sg.minimize(lambda p: (p["β_1"] - 1) ** 2 + (p["a%{}~^"] - 2) ** 2, {"β_1": 0.0, "a%{}~^": 0.0})
    average = sg.minimize(lambda m, y: ((y - m) ** 2).mean(), 0.0, np.arange(9.0))
    both = sg.stats.table(odd, average, LARGE, kind=["hessian", "hessian", "HC3"], titles=["x_1", "50 %", "#"])
    text = both.latex(caption="A", label="b") + "\n\n" + both.latex()
    (tmp_path / "t.tex").write_text(
        rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}", encoding="utf-8"
    )
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


BAD = {
    "no fits": (lambda: sg.stats.table(), "takes fits, got none"),
    "no fit": (lambda: sg.stats.table(LARGE, {}), "takes fits, got a dict"),
    "a number": (lambda: sg.stats.table(3), "takes fits, got an int"),
    "titles": (lambda: sg.stats.table(LARGE, titles=["a", "b"]), "titles has 2 entries, and there are 1 fits"),
    "rows": (lambda: sg.stats.table(LARGE, rows=["cold"]), "no fit has a parameter 'cold'"),
    "names of rows": (lambda: sg.stats.table(LARGE, rows={"cold": "Cold"}), "no fit has a parameter 'cold'"),
    "one name for two": (lambda: sg.stats.table(LARGE, rows=dict.fromkeys(LARGE.labels, "x")), "two parameters one"),
    "stars": (lambda: sg.stats.table(LARGE, stars=0.05), "stars is 0.05"),
    "a kind": (lambda: sg.stats.table(LARGE, kind="white"), "'sandwich' is that"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_is_refused(name):
    call, words = BAD[name]
    with pytest.raises(FitError, match=words):
        call()


def test_a_parameter_has_the_row_of_its_name_whether_it_is_in_a_group_or_not():
    pd = pytest.importorskip("pandas")
    y = np.array([1.0, 2.0, 0.0, 3.0, 6.0])

    def rate(p, y):
        z = p[0] + p[1] * np.arange(5)
        return np.exp(z) - y * z

    start = pd.Series([0.0, 0.0], ["const", "trend"])
    plain = sg.minimize(rate, start, y)

    def grouped(group, more):
        def f(p, y):
            return rate(p[group], y) + (p[more] - 2) ** 2

        return sg.minimize(f, {group: start, more: 0.0}, y)

    inside = grouped("mean", "scale")
    assert inside.labels == ["mean: const", "mean: trend", "scale"]
    assert sg.stats.table(plain, inside).rows == ["const", "trend", "scale"]
    assert sg.stats.table(inside, inside).rows == ["mean: const", "mean: trend", "scale"]
    assert sg.stats.table(plain, inside, grouped("other", "scale")).rows == [
        "const", "trend", "mean: const", "mean: trend", "scale", "other: const", "other: trend",
    ]  # fmt: skip
    assert sg.stats.table(plain, grouped("mean", "const")).rows == ["const", "trend", "mean: const"]


def test_rows_may_be_called_otherwise_and_tables_have_html():
    table = sg.stats.table(SMALL, LARGE, rows={"warm": "per degree"})
    assert table.rows == ["per degree"] and str(table).count("per degree") == 1 and "const" not in str(table)
    assert "Degrees & " in table.latex({"per degree": "Degrees"})
    summary = LARGE.summary()
    for one in (table, summary):
        assert one.html() == one._repr_html_() and one.html().startswith("<table>")
    long = summary.__class__(summary.rows * 2000, 0.95, [], {})
    assert long.html().count("<tr>") == 1 + len(long.rows) > long._repr_html_().count("<tr>")


def test_a_fit_without_errors_is_told_by_its_column():
    with pytest.raises(FitError, match="has not converged") as caught:
        sg.stats.table(LARGE, fit_normal(options={"maxiter": 1}))
    assert "This is the column '(2)' of the table." in caught.value.__notes__
    start = {"intercept": 0.0, "slope": 0.0}
    assert sg.stats.table(sg.minimize(logit, start, T, DAMAGE)).rows == list(start)

"""What a notebook shows: scripts of cells run as notebooks, every form is well formed, and what is long is cut.

The idea to hold: IPython's own formatter is asked what it would put on the page, as a kernel asks it.
"""

import importlib.util
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.inspect.verification import Verifications
from symgrad.show.latex_notes import shortened_in_notebooks

from ..helpers.cases import one_in
from ._percent import cells_of

HTMLParser = pytest.importorskip("html5lib", reason='python -m pip install -e ".[test]"').HTMLParser
ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples" / "notebooks").glob("*.py"))

needs_a_kernel = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("nbclient", "nbformat", "ipykernel")),
    reason="NO KERNEL: that notebooks run is not tested here; install nbclient, nbformat and ipykernel",
)

# ---------------------------------------------------------------------------------------------------- scripts of cells

PROMISED = {
    "first_steps": [
        "text/plain", "image/svg+xml", "text/plain", "text/latex", "text/latex", "text/latex", "text/markdown",
        "image/png", "image/png",
    ],
    "statistical_model": ["text/html", "text/html", "text/latex", "image/png", "image/png", "image/png"],
    "looking_inside": [
        "text/plain", "text/plain", "image/svg+xml", "text/markdown", "text/html", "text/html", "text/html",
    ],
}  # fmt: skip
"""By notebook, what is promised of the cells that show something, in order; text/plain is promised of none."""


def executed(path):
    """The notebook of a script, run by a kernel."""
    import nbformat
    from nbclient import NotebookClient

    made = nbformat.v4.new_notebook()
    for cell in cells_of(path):
        new = nbformat.v4.new_code_cell if cell.kind == "code" else nbformat.v4.new_markdown_cell
        made.cells.append(new(cell.source))
    nbformat.validate(made)
    NotebookClient(
        made, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    return made


@pytest.mark.slow
@needs_a_kernel
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_as_a_notebook_and_shows_what_it_promises(path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own shows figures
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the client's own event loop
        made = executed(path)
    shown = []
    for cell in made.cells:
        outputs = cell.get("outputs", [])
        assert all(o.output_type != "error" for o in outputs), outputs
        assert not [o.text for o in outputs if o.get("name") == "stderr"]
        kinds = {kind for o in outputs for kind in o.get("data", {"text/plain": ""})}
        if kinds:
            shown.append(kinds)
    promised = [kind for kind in PROMISED[path.stem] if kind != "text/plain"]
    rich = [kinds for kinds in shown if kinds != {"text/plain"}]
    assert len(rich) == len(promised)
    assert [kind in kinds for kinds, kind in zip(rich, promised, strict=True)] == [True] * len(promised), rich


def test_every_script_has_its_promise_and_begins_with_a_title():
    assert sorted(PROMISED) == [path.stem for path in SCRIPTS]
    for path in SCRIPTS:
        first, *rest = cells_of(path)
        assert first.kind == "markdown" and first.source.startswith("# ")
        assert [cell.line for cell in rest if not cell.source] == []
        for cell in rest:
            if cell.kind == "code":
                compile(cell.source, path.name, "exec")


def test_cells_are_read(tmp_path):
    script = tmp_path / "a.py"
    script.write_text("before\n# %% [markdown]\n# # Title\n#\n# text\n\n# %%\nx = 1\n\n\n# %%\n# a comment\nx\n")
    assert [(c.kind, c.source, c.line) for c in cells_of(script)] == [
        ("markdown", "# Title\n\ntext", 2), ("code", "x = 1", 7), ("code", "# a comment\nx", 11),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------- what objects show as

x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
P = {"a<b": np.array([1.0, 2.0]), "c": 3.0}


def poisson(p, y):
    return p["rate"] - y * np.log(p["rate"])


def fitted():
    return sg.minimize(poisson, {"rate": 1.0}, np.array([2.0, 3.0, 4.0]))


def wrong():
    return sg.verify("sum((X@w - y)**2)", grad="X'(X@w - y)", wrt="w", X=("m", "n"))


def proved():
    return sg.verify("sum(x**2)", grad="2*x", wrt="x", x=("n",))


OBJECTS = {
    "tensor": (lambda: (x**2).sum(), {"image/svg+xml"}),
    "leaf": (lambda: sg.tensor([1.0]), set()),
    "symbol": (lambda: sg.exp(sg.symbol("s", "n")), {"image/svg+xml"}),
    "formula": (lambda: (x.norm() ** 2 / 3).formula(), {"text/latex"}),
    "formula of lines": (lambda: sg.formula(lambda x: sg.softmax(x, 0), sg.symbol("x", "n")).grad("x"), {"text/latex"}),
    "derivation": (lambda: sg.parse("x'*A*x", A=("n", "n")).grad("x").explain(), {"text/markdown", "text/latex"}),
    "tape": (lambda: sg.exp(x).sum().explain(), {"text/markdown", "text/latex"}),
    "graph": (lambda: sg.graph(sg.exp(x).sum()), {"image/svg+xml"}),
    "hessian": (lambda: sg.hessian(lambda p: (p["a<b"] ** 2).sum() * p["c"])(P), {"text/html"}),
    "refuted": (wrong, {"text/html", "text/latex"}),
    "proved": (proved, {"text/html", "text/latex"}),
    "fit": (fitted, {"text/html"}),
    "summary": (lambda: fitted().summary(), {"text/html"}),
    "delta": (lambda: sg.stats.delta(lambda p: np.exp(-p["rate"]), fitted()), {"text/html"}),
    "report": (lambda: sg.report(lambda x: (x**2).sum(), np.ones(2)), {"text/html"}),
    "what H says": (lambda: sg.hessian(lambda x: (x**2).sum()).report(np.ones(2)), set()),
}


@pytest.fixture(scope="module")
def page():
    """What IPython would send to the page, by kind."""
    core = pytest.importorskip(
        "IPython.core.formatters", reason="NO IPYTHON: what is shown is not tested; install ipykernel"
    )
    return lambda shown: core.DisplayFormatter().format(shown)[0]


def balanced(latex):
    depth, k = 0, 0
    while k < len(latex):
        if latex[k] == "\\":
            k += 1
        elif latex[k] in "{}":
            depth += 1 if latex[k] == "{" else -1
            assert depth >= 0
        k += 1
    pairs = [(r"\left", r"\right"), (r"\begin{", r"\end{")]
    words = latex.replace(r"\leftarrow", "").replace(r"\rightarrow", "")
    return depth == 0 and all(words.count(a) == words.count(b) for a, b in pairs)


def well_formed(kind, text):
    if kind == "image/svg+xml":
        return ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    if kind == "text/html":
        parser = HTMLParser()
        parser.parseFragment(text, container="div")
        return not parser.errors
    if kind == "text/latex":
        return text.startswith("$") and text.endswith("$") and balanced(text)
    return True if kind != "text/markdown" else text.count("$") % 2 == 0


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_shown_is_well_formed(name, page):
    make, kinds = OBJECTS[name]
    value = make()
    shown = page(value)
    assert set(shown) == {"text/plain", *kinds}
    for kind, text in shown.items():
        assert well_formed(kind, text), (kind, text)
    plain = str(value) if name == "graph" else repr(value)
    assert shown["text/plain"] == plain


def test_names_within_words_are_mathematics():
    h = x
    for _ in range(6):
        h = sg.sin(h) * 1.5
    found = h.sum().explain()
    assert r"Back from $f$ to x, $\bar{v_{12}}$ being the gradient of $f$ in $v_{12}$:" in found.markdown()
    assert r"\text{Back from $f$ to x, $\bar{v_{12}}$ being" in found.latex() and r", $-4.4387e-05$]" in found.latex()


def test_texts_of_others_are_escaped(page):
    shown = page(OBJECTS["hessian"][0]())["text/html"]
    assert "a&lt;b[0]" in shown and "a<b" not in shown


# -------------------------------------------------------------------------------------------------------- what is long


def long_formula():
    x = [sg.symbol(f"x{k}") for k in range(700)]
    return sum(a.sin() * b.exp() for a, b in zip(x, reversed(x), strict=True)).formula()


def long_graph():
    h, W = sg.tensor(np.ones(2), requires_grad=True), sg.tensor(np.eye(2), requires_grad=True)
    for k in range(600):
        h = sg.tanh(W @ h + k)
    return sg.graph(h.sum(), fold=False)


def many_estimates(n=150):
    y = np.linspace(1, 2, n)
    return sg.minimize(lambda m, y: (m - y) ** 2 / 2, np.zeros(n), y)


def long_tensor():
    h = sg.tensor(np.ones(2), requires_grad=True)
    for _ in range(100):
        h = sg.tanh(h)
    return h


LONG = {
    "tensor of 10,000": lambda: sg.tensor(np.random.default_rng(0).normal(size=(100, 100))),
    "tensor of a long graph": long_tensor,
    "graph of 1,800 steps": long_graph,
    "hessian of 300 names": lambda: sg.hessian(lambda p: sum((v**2).sum() for v in p.values()))(
        {f"p{k}": np.ones(2) for k in range(300)}
    ),
    "summary of 150 rows": lambda: many_estimates().summary(),
    "fit of 150": many_estimates,
    "fit of 450": lambda: many_estimates(450),
    "delta of 150": lambda: sg.stats.delta(lambda m: m**2, many_estimates()),
    "500 verdicts": lambda: Verifications([proved()] * 500),
}


@one_in(9)
@pytest.mark.parametrize("name", LONG)
def test_what_is_long_does_not_flood_the_page(name, page):
    value = LONG[name]()
    shown = page(value)
    for kind, text in shown.items():
        assert len(text) < 30_000 and well_formed(kind, text), (kind, len(text))
    if len(repr(value)) > _limits.NOTEBOOK_TEXT:
        assert "cut here" in shown["text/plain"]


def test_a_long_formula_is_shown_as_the_beginning_of_its_text(page, monkeypatch):
    short = sg.parse("sum(exp(A@x))")
    assert set(page(short)) == {"text/plain", "text/latex"}
    value = long_formula()
    shown = page(value)
    assert set(shown) == {"text/plain"} and len(shown["text/plain"]) < 2 * _limits.NOTEBOOK_TEXT
    assert f"{len(str(value)):,} characters" in shown["text/plain"] and len(str(value)) > 1.5 * _limits.NOTEBOOK_TEXT
    monkeypatch.setattr(_limits, "NOTEBOOK_LATEX", 10)
    assert set(page(short)) == {"text/plain"} == set(page(short.grad("x").explain()))
    monkeypatch.setattr("symgrad.views.reports.NOTEBOOK_PAGE", 10)
    report = page(sg.report(sg.parse("sum(exp(x))"), wrt="x"))["text/html"]
    assert "too large for a notebook" in report and well_formed("text/html", report)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("short", "short"),
        ("a\n" * 5 + "b", "a\n" * 5 + "b"),
        ("y" * 21, "y" * 20 + "…\n… cut here: the text has 21 characters, which print shows"),
        ("y" * 20 + "\nz", "y" * 20 + "\n… cut here: the text has 22 characters, which print shows"),
        ("a\n" * 7, "\n".join("a" * 6) + "\n… cut here: the text has 14 characters, which print shows"),
    ],
)
def test_texts_are_cut_by_signs_and_by_lines(text, expected, monkeypatch):
    monkeypatch.setattr(_limits, "NOTEBOOK_TEXT", 20)
    monkeypatch.setattr(_limits, "NOTEBOOK_LINES", 6)
    assert shortened_in_notebooks(text) == expected

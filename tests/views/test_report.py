"""``sg.report``: one page that holds what it says, and needs nothing else."""

import re
import sys
import xml.etree.ElementTree as ET
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

import symgrad as sg
from symgrad.views import pages as _page_math
from symgrad.views.pages import matrix_map, spectrum

from ..helpers.work import calls
from ._browser import browser, needs_a_browser, tab_stops  # noqa: F401

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = np.sign(X[:, 0] + 0.3)


def loss(w, X, y):
    """A logistic regression with a kink: <script>alert(1)</script> & co."""
    return np.log1p(np.exp(-y * (X @ w))).sum() + 0.1 * np.abs(w).sum()


@pytest.fixture(scope="module")
def logistic():
    return sg.report(loss, np.array([0.1, 0.2, 0.3]), X, Y)


VOID = {"meta", "link", "input", "br"}


class Well(HTMLParser):
    """Opens and closes tags, and notes what should not be."""

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.wrong = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [name for name, _ in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def sections(page):
    return re.findall(r'<section id="(\w+)">', page)


def test_a_report_has_every_part(logistic):
    assert logistic.title == "loss"
    parts = ["function", "formulas", "steps", "graph", "matrix", "cost", "kinks", "check"]
    assert sections(logistic.html) == parts
    text = unescape(logistic.html)
    for said in (
        "def loss(w, X, y)",
        "sign(w)/10 − Xᵀ(y ⊙ σ(−y ⊙ Xw))",
        "∂²f/∂w²",
        "chain rule",
        "0 at 0",
        "Hessian  ",
    ):
        assert said in text, said
    assert text.count("✓ agrees with differences") == 2
    assert logistic.html.count('class="problem"') == 0


def test_what_is_copied_is_the_formula(logistic):
    copied = [unescape(t) for t in re.findall(r'data-copy="([^"]*)"', logistic.html)]
    f = sg.formula(loss, np.array([0.1, 0.2, 0.3]), X, Y)
    for g in (f, f.grad("w"), f.hessian("w")):
        assert {g.latex(), g.code("numpy"), g.code("torch"), g.code("jax")} <= set(copied)
    assert f.code("sympy") in copied


@pytest.mark.parametrize("text", ["log det X", "tr(inv(X))", "y' X^{-1} y"])
def test_what_has_named_sizes_or_large_determinants_has_no_sympy_code(text):
    for size in ("n", 9):
        page = sg.report(sg.parse(text, X=(size, size), **({"y": size} if "y" in text else {})), wrt="X").html
        assert "torch" in page and "SymPy</button>" not in page and 'class="problem"' not in page
    assert "SymPy</button>" in sg.report(sg.parse("log det X", X=(3, 3))).html


def test_a_page_is_well_formed_and_has_no_code_in_attributes(logistic):
    seen = Well()
    seen.feed(logistic.html)
    assert not seen.wrong and not seen.open
    assert not {a for a in seen.attributes if a.startswith("on") or a == "style"}
    assert logistic.html.count("<script") == 2


def test_a_page_needs_nothing_else(logistic):
    page = re.sub(r"http://www\.w3\.org/2000/svg", "", logistic.html)
    assert not re.search(r"https?:|src=|url\(|@import|fetch\(|XMLHttp", page)
    assert set(re.findall(r'href="([^"#])', page)) == {"d"}  # data:, an empty icon


NASTY = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(1)>"


def test_what_is_somebodys_text_is_text():
    page = sg.report(lambda p: (p[NASTY] ** 2).sum(), {NASTY: np.ones(2)}, title=NASTY).html
    seen = Well()
    seen.feed(page)
    assert not seen.wrong and "<img" not in page and "<script>alert" not in page


def test_a_wrong_derivative_is_called_wrong():
    bad = sg.extend.elementwise("bad_square", lambda x: x * x, lambda x: 3 * x)
    try:
        page = unescape(sg.report(lambda x: bad(x).sum(), np.array([1.0, 2.0])).html)
    finally:
        del sg.extend.TABLE["bad_square"]
    assert re.search(r"✗ WRONG: entry \[\d\] is [36] by the formula and [24](\.0*)? by differences", page)


def test_a_report_of_symbols_has_formulas_and_no_numbers():
    r = sg.report(lambda w, X: sg.exp(X @ w).sum(), sg.symbol("w", "n"), sg.symbol("X", ("m", "n")), title="a & b")
    assert sections(r.html) == ["function", "formulas", "steps", "graph", "kinks", "check"]
    assert "<h1>a &amp; b</h1>" in r.html and "Xᵀ exp(Xw)" in r.html and "✓ agrees" in r.html


def test_reasons_of_steps_are_words():
    x = sg.symbol("x")
    assert not set("\ue001\ue002\ue003") & set(sg.report(lambda x: x**2 * sg.sin(3 * x), x).html)


def test_a_report_of_several_arrays_has_each():
    p = {"W": RNG.normal(size=(3, 1)), "b": np.zeros(1)}
    text = unescape(sg.report(lambda p: (np.tanh(X @ p["W"] + p["b"]) ** 2).mean(), p).html)
    assert "∂f/∂W" in text and "∂f/∂b" in text and text.count("✓ agrees with differences") == 4
    assert "4 × 4" in text


def test_a_vector_has_a_jacobian_and_no_hessian():
    text = unescape(sg.report(lambda x: np.sin(x), np.ones(2)).html)
    assert "∂f/∂x" in text and "∂²f" not in text and "✓ agrees" in text


def test_a_report_says_what_it_cannot():
    f = sg.parse("sum(A@x)")
    with pytest.raises(sg.FormulaError, match=r'variables A, x\nSay which: wrt="x"'):
        sg.report(f)
    with pytest.raises(sg.FormulaError, match='Say which: wrt="w"'):
        sg.report(sg.parse("sum(A@w)"))
    with pytest.raises(sg.DTypeError, match=r"sg\.report\(t\.formula\(\)\)"):
        sg.report(sg.ones(2))
    with pytest.raises(sg.FormulaError, match="no argument 'z'"):
        sg.report(loss, np.ones(3), X, Y, wrt="z")
    with pytest.raises(sg.DTypeError, match="a function or a formula, got 'int'"):
        sg.report(3)


def test_the_argument_is_chosen_by_name():
    text = unescape(sg.report(loss, np.ones(3), X, Y, wrt="y").html)
    assert "∂f/∂y" in text and "∂f/∂w" not in text


def test_files(tmp_path, logistic):
    r = sg.report(lambda t: t * t, 2.0, path=tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == r.html
    with pytest.raises(ValueError, match=r"suffix is '.pdf'"):
        r.save(tmp_path / "r.pdf")
    with pytest.raises(FileNotFoundError, match="Choose a folder"):
        r.save(tmp_path / "nowhere" / "r.html")
    shown = r._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE') and 'sandbox="allow-scripts"' in shown


@pytest.mark.parametrize("count", [55, pytest.param(125, marks=pytest.mark.slow)])
def test_five_hundred_steps_make_a_page_of_its_size(count):
    def chain(x):
        for k in range(count):
            x = np.sin(x + 0.1 * k) + x / 2
        return x.sum()

    pages = []
    work = calls(lambda: pages.append(sg.report(chain, np.array([0.1, 0.2, 0.3])).html))
    page = pages[0]
    assert len(page) < 2e6 and work < 150_000 * count  # 70,000 for each step of the function, however many
    assert "the formula is long" in page and "the function records" in page and "<svg" in page


def test_the_map_and_the_spectrum_show_signs():
    matrix = np.diag([3.0, -1.0]) + 0
    svg = ET.fromstring(matrix_map(matrix, ["<a>", "b"]))
    cells = [r for r in svg.iter("rect") if r.get("class") != "axis"]
    assert [(r.get("class"), r.get("fill-opacity")) for r in cells] == [("p", "1.00"), ("n", "0.58")]
    bars = [r.get("class") for r in ET.fromstring(spectrum(np.array([-1.0, 3.0]), 1e-9)).iter("rect")]
    assert bars == ["n", "p"]


def test_a_large_matrix_is_drawn_in_blocks(monkeypatch):
    monkeypatch.setattr("symgrad.views.pages.REPORT_CELLS", 4)
    matrix = np.zeros((10, 10))
    matrix[9, 0] = -7.0
    cells = [r for r in ET.fromstring(matrix_map(matrix, ["x"] * 10)).iter("rect") if r.get("class") == "n"]
    assert len(cells) == 1 and (cells[0].get("x"), cells[0].get("y")) == ("0.00", "225.00")


# --------------------------------------------------------------------------------------------------------- MathML

needs_mathml = pytest.mark.skipif(not _page_math.is_there(), reason="MathML needs latex2mathml: symgrad[report]")


def signs(text):
    return [c for c in unescape(text) if c.isalnum()]


TEXTS = [
    "norm(A@x - b)", "logdet(X)", "sum(log(1 + exp(-y*(X@w))))", "softmax(x)@x", "sum(where(x <= c, x**2/2, 3*x))",
]  # fmt: skip


@needs_mathml
@pytest.mark.parametrize("text", TEXTS)
def test_mathml_has_every_letter_and_number_of_the_formula_in_order(text):
    f = sg.parse(text)
    for name in sorted(f.free_symbols)[:2]:
        latex = f.grad(name).latex()
        words = re.sub(r"\\(operatorname|text|mathbf|mathrm)\b", " ", latex)
        words = re.sub(r"\\begin\{(?:aligned|cases)\}|\\end\{(?:aligned|cases)\}", " ", words)
        words = re.sub(r"\\(log|exp|det|min|max)\b", r"\1", words)
        words = re.sub(r"\\sigma", "σ", words)
        found = re.sub(r"<[^>]*>", "", _page_math.mathml(latex))
        assert signs(found) == signs(re.sub(r"\\[A-Za-z]+", " ", words)), latex


@needs_mathml
def test_mathml_is_of_known_tags_and_rows():
    math = ET.fromstring(_page_math.mathml(sg.parse("norm(A@x - b)").hessian("x").latex()))
    assert len(list(math.iter("mtr"))) == 2 and {"mfrac", "msup"} <= {e.tag for e in math.iter()}
    assert _page_math.mathml(r"\unknowncommand{x}") is None
    assert _page_math.parted(r"\begin{aligned} & a \\ & \text{where}\quad b = c \end{aligned}")[0].strip() == "a"


def test_without_latex2mathml_formulas_are_text_and_the_page_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml", None)
    monkeypatch.setattr(_page_math, "find_spec", lambda name: None)
    _page_math.mathml.cache_clear()
    page = sg.report(sg.parse("sum(exp(A@x))"), wrt="x").html
    _page_math.mathml.cache_clear()
    assert "<math" not in page and "pip install symgrad[report]" in page and "<pre>Aᵀ exp(Ax)</pre>" in page


# ------------------------------------------------------------------------------------------------------ in a browser


@pytest.mark.slow
@needs_a_browser
def test_in_a_browser(tmp_path, logistic, browser):  # noqa: F811
    logistic.save(tmp_path / "page.html")
    browser.wide(1100)
    browser.dark(False)
    url = (tmp_path / "page.html").as_uri()
    assert browser.open(url) < 5
    count = browser.run("document.querySelectorAll('[data-copy]').length")
    assert count > 10
    browser.run("window.copied = []; document.addEventListener('copy', () => copied.push(String(getSelection())))")
    for k in range(count):
        browser.run(f"document.querySelectorAll('[data-copy]')[{k}].click()")
        said = browser.run(
            "new Promise(r => setTimeout(() => r(document.getElementById('said').textContent), 30))"
        )  # fmt: skip
        assert said == "Copied"
    stops = tab_stops(browser)
    assert len(stops) > count and all(seen for _, seen, _ in stops), [s for s in stops if not s[1]]
    assert not browser.problems and set(browser.requests) <= {url, "data:,"}


@pytest.mark.slow
@needs_a_browser
def test_a_graph_is_followed_by_pointer_and_keys(tmp_path, logistic, browser):  # noqa: F811
    logistic.save(tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    hot = "document.querySelectorAll('.sg .node.hot').length"
    browser.run("document.querySelector('.sg .node.step').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    clicked = browser.run(hot)
    assert clicked > 1
    browser.run("document.querySelector('.sg').focus()")
    browser.press("Escape")
    assert browser.run(hot) == 0
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.press(key)
    assert browser.run(hot) > 0 and browser.run("document.getElementById('about').textContent").count("\n") > 1
    before = browser.run("document.querySelector('.picture svg').getBoundingClientRect().width")
    browser.run("document.querySelector('[data-zoom=\"1.25\"]').click()")
    after = browser.run("document.querySelector('.picture svg').getBoundingClientRect().width")
    assert after == pytest.approx(1.25 * before, rel=0.01)


@needs_a_browser
def test_a_page_fits_a_phone_and_the_dark(tmp_path, logistic, browser):  # noqa: F811
    logistic.save(tmp_path / "page.html")
    browser.wide(390)
    browser.dark(True)
    browser.open((tmp_path / "page.html").as_uri())
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    browser.dark(False)
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"

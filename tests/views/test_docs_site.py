"""The site: it is built without a warning, loads nothing from elsewhere, and its search and reference lead somewhere.

What needs the site is skipped where the `docs` extra is missing.
"""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from ._browser import Browser, needs_a_browser

sys.path.append(str(Path(__file__).parents[2] / "docs"))

from _reference import GROUPS, pages, public

ROOT = Path(__file__).resolve().parents[2]

MISSING = [name for name in ("sphinx", "myst_parser", "furo", "sphinx_copybutton") if find_spec(name) is None]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    if MISSING:
        pytest.skip(
            f"NO SITE: it is not built or looked at here; install the docs extra ({', '.join(MISSING)} missing)"
        )
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(ROOT / "docs"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def index(site):
    """The index of the search."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


QUOTED = {
    "## Hessians": {
        "logistic regression 4000×500": ("12.5", "11.6", "43.8", "313"),
        "GARCH(1, 1), loop of 50 steps": ("0.34", "0.0532", "0.532", "0.173", "198"),
    },
    "## Values with gradients": {"logistic regression 4000×500": ("0.872", "1.53", "1.51")},
    "## Formulas": {"Σ log(1 + exp(−y ⊙ Xw)) in w, y = ±1": ("1.47", "96")},
    "## Sparse Hessians": {"Rosenbrock | 10,000": ("0.12", "0.15")},
    "## The tape": {"chain of 100 operations on 8 float64: forward + backward": ("0.237", "0.0669", "0.546", "1.05")},
}
"""Figures of the README, by the section and the row of docs/benchmarks.md that they are taken from."""


def test_figures_of_the_readme_are_those_of_the_benchmarks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("| milliseconds |") :].partition("\n\n## ")[0]
    pages = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    quoted = {figure for rows in QUOTED.values() for figures in rows.values() for figure in figures}
    sizes = {"4000×500", "4×3", "10,000", "50", "100", "8"}
    assert set(re.findall(r"\d+(?:[.,×]\d+)?", table)) - sizes == quoted
    for section, rows in QUOTED.items():
        lines = pages[pages.index(f"\n{section}") + 1 :].partition("\n## ")[0].splitlines()
        for name, figures in rows.items():
            (row, *_) = [row for row in lines if row.startswith(f"| {name} |")]
            assert all(re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", row) for figure in figures), name


class Loads(HTMLParser):
    """What a page loads by itself: scripts, styles, pictures, frames; not links that a reader may click."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source", "video", "object"):
            self.found.append(given.get("src") or given.get("data") or "")
        if tag == "link" and given.get("rel") not in ("search", "next", "prev", "canonical", "index"):
            self.found.append(given.get("href") or "")


@pytest.mark.slow  # it takes half a minute of computing to write the site
def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loads = Loads()
        loads.feed(page.read_text(encoding="utf-8"))
        assert not [link for link in loads.found if re.match(r"(\w+:)?//", link)], page
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
def test_every_public_name_has_its_entry(site):
    missing = []
    for page in GROUPS:
        text = (site / "reference" / f"{page}.html").read_text(encoding="utf-8")
        anchors = set(re.findall(r'id="([^"]+)"', text))
        names = [name for name, where in pages().items() if where == page]
        missing += [n for n in names if not {f"symgrad.{n}", f"module-symgrad.{n}"} & anchors]
    assert len(pages()) > 1000
    assert not missing


@pytest.mark.slow
def test_names_that_are_not_in_the_reference_are_listed_on_a_page(site):
    text = (site / "numpy.html").read_text(encoding="utf-8")
    elsewhere = [name for name in public() if name not in pages() and name != "numpy"]
    assert elsewhere and all(name.startswith("numpy.") for name in elsewhere)
    assert ">einsum<" in text and ">cumsum<" in text


@pytest.mark.slow
def test_the_search_knows_the_entry_and_not_the_benchmarks(index):
    found = {row[-1]: index["docnames"][row[0]] for row in index["objects"]["symgrad"]}
    assert found["hessian_operator"] == "reference/transforms"
    terms = index["terms"]
    entries = next(pages for word, pages in terms.items() if word.startswith("hessian_op"))
    names = [index["docnames"][k] for k in (entries if isinstance(entries, list) else [entries])]
    assert "reference/transforms" in names and not [n for n in names if n.startswith(("benchmarks", "decisions"))]
    words = {index["docnames"][k] for v in terms.values() for k in (v if isinstance(v, list) else [v])}
    assert not {n for n in words if n.startswith(("benchmarks", "decisions"))}


@pytest.mark.slow
def test_formulas_are_mathematics(site):
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    assert gallery.count("<math") > 80 and "\\nabla f = 2 A^{\\top} (A x - b)" in gallery
    for page in ("index", "quickstart", "formulas", "tutorials/physics", "tutorials/econometrics"):
        assert '<div class="math"><math' in (site / f"{page}.html").read_text(encoding="utf-8"), page
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "typeset:" not in text and "{{ " not in text, page
        assert "$$" not in re.sub(r"<pre>.*?</pre>|alttext=\"[^\"]*\"", "", text, flags=re.S), page


@pytest.fixture(scope="module")
def browser():
    found = Browser()
    yield found
    found.close()


@pytest.mark.slow
@needs_a_browser
def test_pages_fit_a_phone(site, browser):
    browser.wide(390)
    for page in ("index", "gallery", "reference/transforms", "reference/tensors", "tutorials/physics", "hessians"):
        browser.open(f"file://{site}/{page}.html")
        assert browser.run("document.documentElement.scrollWidth") <= 390, page
        assert not browser.problems
        assert not [url for url in browser.requests if not url.startswith(("file:", "data:"))]


@pytest.mark.slow
@needs_a_browser
def test_the_search_finds_the_entry_first(site, browser):
    browser.open(f"file://{site}/search.html?q=hessian_operator")
    wait = "new Promise(done => setTimeout(() => done(document.querySelector('ul.search li a')?.href), 2000))"
    assert browser.run(wait).endswith("reference/transforms.html#symgrad.hessian_operator")


COPIED = """new Promise(done => {
    document.addEventListener('copy', () => done(document.activeElement.value));
    document.querySelector('button.copybtn').click();
    setTimeout(() => done('nothing was copied'), 2000);
})"""


@pytest.mark.slow
@needs_a_browser
def test_examples_are_copied_without_prompts_and_results(site, browser):
    browser.open(f"file://{site}/quickstart.html")
    copied = browser.run(COPIED)
    assert copied.startswith("import symgrad as sg\n") and ">>>" not in copied and "grad_fn" not in copied
    compile(copied, "copied", "exec")

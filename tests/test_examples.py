"""Every example is a plain script that runs from anywhere and ends without an error or a warning."""

import importlib.util
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_example_runs(script, tmp_path):
    draws = f"{script.name} path.svg" in script.read_text(encoding="utf-8")
    picture = [str(tmp_path / "picture.svg")] if draws else []
    run = [sys.executable, "-W", "error", str(script), *picture]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example shows something"
    for path in picture:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(Path(path).read_text(encoding="utf-8")) > 1000, "something is drawn"


def test_readme_lists_every_example():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in SCRIPTS if path.name not in listed] == []


def example(name):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compare
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_cox_model_of_the_example_is_that_of_statsmodels(ties):
    phreg = pytest.importorskip("statsmodels.duration.api", reason="pip install statsmodels to compare with it").PHReg
    cox, (weeks, ill, placebo) = example("survival").cox, example("survival").load()
    fit = sg.minimize(lambda beta: cox(beta, weeks, ill, placebo, ties), 0.0)
    theirs = phreg(weeks, placebo[:, None], status=ill, ties=ties).fit(disp=False)
    np.testing.assert_allclose([fit.x, fit.standard_errors()], [theirs.params[0], theirs.bse[0]], rtol=1e-5)


@pytest.mark.compare
@pytest.mark.parametrize("name", ["probit", "logit"])
def test_ordered_model_of_the_example_is_that_of_statsmodels(name):
    models = pytest.importorskip("statsmodels.miscmodels.ordinal_model", reason="pip install statsmodels")
    wine = example("ordered_probit")
    start = {"warm": 0.0, "contact": 0.0, "first": -1.0, "log_steps": np.zeros(3)}
    law = {"probit": sp.stats.norm, "logit": sp.stats.logistic}[name]
    fit = sg.minimize(lambda p: wine.negative_log_likelihood(p, law), start)
    tasted = np.repeat(np.stack([wine.WARM, wine.CONTACT], -1), wine.COUNTS.sum(1), axis=0)
    classes = np.concatenate([np.repeat(np.arange(5), row) for row in wine.COUNTS])
    theirs = models.OrderedModel(classes, tasted, distr=name).fit(method="newton", disp=False)
    ours = [*list(fit.x.values())[:3], *fit.x["log_steps"]]
    np.testing.assert_allclose(ours, theirs.params, atol=1e-5)
    errors = fit.standard_errors()
    np.testing.assert_allclose([errors["warm"], errors["contact"]], theirs.bse[:2], rtol=1e-4)

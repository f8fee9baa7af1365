"""A model as a page: its formulas, graph, Hessian and checks in one file of HTML that can be sent to somebody.

`python report_of_a_model.py path.html` leaves the page there.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symgrad as sg

rng = np.random.default_rng(0)
X = np.column_stack([np.ones(40), rng.normal(size=40)])
counts = rng.poisson(np.exp(X @ [0.5, 0.8])).astype(float)


def poisson(w, X, y):
    """The negative log-likelihood of a Poisson regression, but for a constant."""
    return (np.exp(X @ w) - y * (X @ w)).sum()


with tempfile.TemporaryDirectory() as folder:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "poisson.html")
    report = sg.report(poisson, np.zeros(2), X, counts, path=path, title="Poisson regression")
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")

print("gradient:", sg.formula(poisson, np.zeros(2), X, counts).grad("w"))
for part in ("Formulas", "Steps", "Graph", "Cost", "Check"):
    assert f">{part}</h2>" in report.html
print("checked against differences:", report.html.count("agrees with differences"), "derivatives")

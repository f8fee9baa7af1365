"""A logistic regression whose rows lie in files, fitted by processes that read them, with the truth it was made from.

Two processes of this machine read four files; a cluster of many machines would by the same lines. `sg.minimize` makes a
pass over all rows for each of Newton's steps. Estimates and robust errors are those of the rows in one piece.
"""

import tempfile
from pathlib import Path

import numpy as np

import symgrad as sg

TRUTH = {"constant": -1.0, "income": 0.8, "age": -0.3}


def logit(p, rows):
    z = p["constant"] + p["income"] * rows["income"] + p["age"] * rows["age"]
    return np.logaddexp(0, z) - rows["works"] * z


def drawn(count, seed):
    rng = np.random.default_rng(seed)
    income, age = rng.normal(size=(2, count))
    z = TRUTH["constant"] + TRUTH["income"] * income + TRUTH["age"] * age
    return {"income": income, "age": age, "works": (z + rng.logistic(size=count) > 0).astype(float)}


def main():
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"people{k}.npz" for k in range(4)]
        parts = [drawn(20_000 + 1_000 * k, k) for k in range(4)]
        for file, part in zip(files, parts, strict=True):
            np.savez(file, **part)
        start = dict.fromkeys(TRUTH, 0.0)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
            fit = sg.minimize(logit, start, sg.distributed.chunks(files), method="newton")
            print(fit.summary("sandwich"))
            errors = fit.standard_errors("sandwich")
        together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    alone = sg.minimize(logit, start, together)
    for name, truth in TRUTH.items():
        assert np.isclose(fit.x[name], alone.x[name], rtol=1e-8), "the same as of all rows in one piece"
        assert np.isclose(errors[name], alone.standard_errors("sandwich")[name], rtol=1e-6)
        distance = (fit.x[name] - truth) / errors[name]
        print(f"{name}: {distance:+.2f} standard errors from the truth")
        assert abs(distance) < 4


if __name__ == "__main__":
    main()

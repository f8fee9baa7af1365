"""Sparse Jacobians, `sg.jacobian(f, format="csr")` and compiled, beside dense ones and SciPy's differences by groups.

    python tests/benchmarks/jacobians_sparse.py [states ...]

The idea to hold: SciPy gets the pattern from `sg.sparsity`, and takes one run of the function for each group of
columns; we record one run, and take one sweep for each, all of them at once.
"""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from _timing import Race, machine
from scipy.integrate import solve_ivp
from scipy.optimize._numdiff import approx_derivative, group_columns

import symgrad as sg

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.helpers.vector_problems import brusselator, brusselator_start, collocation, collocation_point

DENSE_LIMIT = 4_000
SECONDS = 0.5


def as_vector(n):
    """The constraints of collocation as a function of one vector, and a point."""
    point = collocation_point(n)
    start = np.concatenate([point["angle"], point["speed"], point["torque"], [point["end"]]])

    def constraints(x):
        return collocation({"angle": x[:n], "speed": x[n : 2 * n], "torque": x[2 * n : 3 * n], "end": x[3 * n]})

    return constraints, start


def problems(states):
    half, third = states // 2, (states - 1) // 3
    return {
        f"Brusselator, 2 × {half}": (brusselator, brusselator_start(half)),
        f"collocation, 3 × {third} + 1": as_vector(third),
    }


def first_call(f, x):
    start = perf_counter()
    sg.jacobian(f, format="csr")(x)
    return 1000 * (perf_counter() - start)


def measure(title, f, x):
    """Print a row: how large, how many sweeps, milliseconds, and how far finite differences are off."""
    J = sg.jacobian(f, format="csr")
    matrix, pattern = J(x), sg.sparsity(f, x)
    groups = group_columns(pattern.toarray() if x.size <= DENSE_LIMIT else pattern)
    differences = lambda: approx_derivative(f, x, sparsity=(pattern, groups))
    compiled = sg.compile(f, "j", format="csr")
    if not np.allclose(compiled(x).toarray() if x.size <= DENSE_LIMIT else compiled(x) @ x, matrix.toarray() if x.size
                       <= DENSE_LIMIT else matrix @ x, rtol=1e-12, atol=1e-9):  # fmt: skip
        sys.exit(f"{title}: the compiled Jacobian is another one")
    calls = {"csr": lambda: J(x), "compiled": lambda: compiled(x), "differences": differences}
    if x.size <= DENSE_LIMIT:
        calls["dense"] = lambda: sg.jacobian(f)(x)
        if not np.allclose(calls["dense"](), matrix.toarray(), rtol=1e-12, atol=1e-12):
            sys.exit(f"{title}: the sparse Jacobian is not the dense one")
    race = Race(calls)
    start = perf_counter()
    while perf_counter() - start < SECONDS:
        race.run(1)
    error = abs(differences() - matrix).max() / abs(matrix).max()
    dense = f"{race.best['dense']:10.2f}" if "dense" in calls else "         –"
    print(
        f"{title:28} {matrix.nnz:9,} {J._known.groups.count:7} {groups.max() + 1:7} {first_call(f, x):8.2f} "
        f"{race.best['csr']:8.2f} {race.best['compiled']:13.3f} {dense} {race.best['differences']:12.2f} {error:9.0e}"
    )


def integrate(states):
    """Print what an implicit solver takes with each."""
    z = brusselator_start(states // 2)
    J, D = sg.jacobian(brusselator, format="csr"), sg.jacobian(brusselator)
    ways = {"csr": {"jac": lambda t, z: J(z)}, "differences": {"jac_sparsity": sg.sparsity(brusselator, z)}}
    if z.size <= DENSE_LIMIT // 2:
        ways["dense"] = {"jac": lambda t, z: D(z)}
    for name, way in ways.items():
        start = perf_counter()
        found = solve_ivp(lambda t, z: brusselator(z), (0, 5), z, method="BDF", rtol=1e-6, atol=1e-8, **way)
        took = perf_counter() - start
        print(f"  {name:12} {took:7.3f} s, {found.nfev} runs of f, {found.njev} Jacobians, {found.t.size} steps")


def main():
    sizes = [int(a) for a in sys.argv[1:]] or [400, 2_000, 20_000]
    print(machine())
    print(f"{'':28} {'non-zeros':>9} {'sweeps':>7} {'groups':>7} {'first, ms':>8} {'csr, ms':>8} {'compiled, ms':>13} "
          f"{'dense, ms':>10} {'differences':>12} {'their error':>9}")  # fmt: skip
    for states in sizes:
        for title, (f, x) in problems(states).items():
            measure(title, f, x)
    for states in sizes:
        print(f"BDF, Brusselator of {states:,} states:")
        integrate(states)


if __name__ == "__main__":
    main()

"""Time Hessians of loops as people write them, a plain ``for``, beside jitted JAX with `jax.lax.scan`, in turns.

    python tests/benchmarks/loops_as_written.py [--targets numpy,numba] [--rounds 6]

Per problem milliseconds, minima of the runs: the first and second call of `sg.hessian`, what it takes after some calls,
and `sg.compile`. JAX's first call, which compiles, is not in its minimum. Results are compared before they are timed.
"""

import argparse
from time import perf_counter

import numpy as np

import symgrad as sg

RNG = np.random.default_rng(0)
RETURNS = RNG.normal(size=600) * 0.01
INPUTS = RNG.normal(size=(200, 3))
OBSERVED = RNG.integers(0, 4, size=200)
SHOCKS = RNG.normal(size=60)


def likelihood(p):
    h, total = np.var(RETURNS), 0.0
    for r in RETURNS:
        total = total + np.log(h) + r * r / h
        h = p[0] + p[1] * r * r * (1 + p[3] * (r < 0)) + p[2] * h
    return 0.5 * total


def hidden_markov(p):
    A, B = np.exp(p[:9].reshape(3, 3)), np.exp(p[9:].reshape(3, 4))
    A, B = A / A.sum(1, keepdims=True), B / B.sum(1, keepdims=True)
    a, total = np.ones(3) / 3, 0.0
    for o in OBSERVED:
        a = (a @ A) * B[:, o]
        c = a.sum()
        total, a = total + np.log(c), a / c
    return total


def difference_equation(p):
    x, y, total = p[0], p[1], 0.0
    for e in SHOCKS:
        x, y = x + 0.1 * (p[2] * x - x * y), y + 0.1 * (x * y - p[3] * y)
        total = total + (x - e) ** 2
    return total


def gated_cell(p):
    U, V, h, total = p[12:21].reshape(3, 3), p[21:30].reshape(3, 3), np.zeros(3), 0.0
    for u in INPUTS:
        z = 1 / (1 + np.exp(-(U @ h + p[0:3] * u)))
        h = (1 - z) * h + z * np.tanh(V @ h + u)
        total = total + (h * h).sum()
    return total


def of_jax():
    """The same functions with `jax.lax.scan`."""
    import jax
    from jax import lax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    def likelihood(p):
        def step(c, r):
            h, total = c
            total = total + jnp.log(h) + r * r / h
            return (p[0] + p[1] * r * r * (1 + p[3] * (r < 0)) + p[2] * h, total), None

        return 0.5 * lax.scan(step, (jnp.var(RETURNS), 0.0), RETURNS)[0][1]

    def hidden_markov(p):
        A, B = jnp.exp(p[:9].reshape(3, 3)), jnp.exp(p[9:].reshape(3, 4))
        A, B = A / A.sum(1, keepdims=True), B / B.sum(1, keepdims=True)

        def step(c, o):
            a = (c[0] @ A) * B[:, o]
            return (a / a.sum(), c[1] + jnp.log(a.sum())), None

        return lax.scan(step, (jnp.ones(3) / 3, 0.0), OBSERVED)[0][1]

    def difference_equation(p):
        def step(c, e):
            x, y, total = c
            x, y = x + 0.1 * (p[2] * x - x * y), y + 0.1 * (x * y - p[3] * y)
            return (x, y, total + (x - e) ** 2), None

        return lax.scan(step, (p[0], p[1], 0.0), SHOCKS)[0][2]

    def gated_cell(p):
        U, V = p[12:21].reshape(3, 3), p[21:30].reshape(3, 3)

        def step(c, u):
            z = 1 / (1 + jnp.exp(-(U @ c[0] + p[0:3] * u)))
            h = (1 - z) * c[0] + z * jnp.tanh(V @ c[0] + u)
            return (h, c[1] + (h * h).sum()), None

        return lax.scan(step, (jnp.zeros(3), 0.0), INPUTS)[0][1]

    def hessian(f):
        run = jax.jit(jax.hessian(f))
        return lambda x: np.asarray(run(x))

    return [hessian(f) for f in (likelihood, hidden_markov, difference_equation, gated_cell)]


PROBLEMS = {
    "likelihood of 600 steps": (likelihood, np.array([1e-5, 0.05, 0.9, 0.1])),
    "hidden Markov model of 200": (hidden_markov, RNG.normal(size=21) * 0.3),
    "difference equation of 60": (difference_equation, np.array([0.9, 0.8, 1.1, 0.7])),
    "gated cell of 200": (gated_cell, RNG.normal(size=30) * 0.3),
}


def timed(f):
    start = perf_counter()
    f()
    return 1e3 * (perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", default="numpy")
    parser.add_argument("--rounds", type=int, default=6)
    args = parser.parse_args()
    targets = args.targets.split(",")
    compiled = [f"compiled, {t} (first)" for t in targets]
    heads = ["loop", "first", "second", "later", *compiled, "JAX", "JAX / later, compiled"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for (name, (f, x)), peer in zip(PROBLEMS.items(), of_jax(), strict=True):
        H = sg.hessian(f)
        calls = [timed(lambda H=H, x=x: H(x)) for _ in range(16)]
        ways, firsts = [lambda H=H, x=x: H(x)], []
        for target in targets:
            compiled = sg.compile(f, "h", target=target)
            firsts.append(timed(lambda c=compiled, x=x: np.asarray(c(x))))
            compiled(x)
            ways.append(lambda c=compiled, x=x: np.asarray(c(x)))
        ways.append(lambda p=peer, x=x: p(x))
        right = ways[-1]()
        for way in ways:
            np.testing.assert_allclose(way(), right, rtol=1e-6, atol=1e-8 * np.abs(right).max())
        best = [np.inf] * len(ways)
        for _ in range(args.rounds):  # in turns
            for k, way in enumerate(ways):
                best[k] = min(best[k], *[timed(way) for _ in range(7)])
        compiled = [f"{t:.3g} ({1e-3 * first:.2g} s)" for t, first in zip(best[1:-1], firsts, strict=True)]
        cells = [f"{calls[0]:.0f}", f"{calls[1]:.0f}", f"{best[0]:.3g}", *compiled, f"{best[-1]:.3g}"]
        print(f"| {name} | {' | '.join(cells)} | {', '.join(f'{best[-1] / t:.2f}' for t in best[:-1])} |", flush=True)


if __name__ == "__main__":
    main()

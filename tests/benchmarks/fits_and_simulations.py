"""Fits of differential equations beside SciPy's differences, and a Monte-Carlo price beside PyTorch.

    python tests/benchmarks/fits_and_simulations.py [--repeat 5] [--paths 20000] [--only fits|price]

The idea to hold: what a user does without symgrad is to solve again at moved parameters: n + 1 times for a gradient by
forward differences, (n + 1)(n + 2) / 2 for a Hessian. All sides of a row take turns in one process; times are the
processor's, least of all repeats.
"""

import argparse
from time import process_time

import numpy as np
import scipy.integrate

import symgrad as sg
import symgrad.scipy as sp


def sir(t, y, p):
    """Susceptible, infected and recovered; contacts saturate."""
    caught = p[0] * y[0] * y[1] / (1 + p[2] * y[1])
    return np.stack([-caught, caught - p[1] * y[1], p[1] * y[1]])


def lotka_volterra(t, y, p):
    return np.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


FITS = {
    "SIR, 3 parameters": (sir, [0.99, 0.01, 0.0], [0.5, 0.1, 0.3], [0.45, 0.12, 0.2]),
    "Lotka-Volterra, 4 parameters": (lotka_volterra, [1.0, 1.0], [0.6, 0.5, 0.3, 0.4], [0.62, 0.47, 0.31, 0.38]),
}


def loss_of(solve, rhs, start, truth, method, tolerance):
    """The sum of squares of a fit to 30 times."""
    times, start = np.linspace(0, 60, 30), np.array(start)
    data = scipy.integrate.solve_ivp(rhs, (0, 60), start, t_eval=times, args=(truth,), rtol=1e-10, atol=1e-12).y

    def loss(p):
        given = {"t_eval": times, "args": (p,), "method": method, "rtol": tolerance, "atol": tolerance}
        return ((solve(rhs, (0, 60), start, **given).y - data) ** 2).sum()

    return loss


def difference_gradient(f, p, step=1e-6):
    value = f(p)
    return np.array([(f(p + e) - value) / step for e in step * np.eye(len(p))])


def difference_hessian(f, p, step=1e-4):
    units, value = step * np.eye(len(p)), f(p)
    single = [f(p + e) for e in units]
    H = np.zeros((len(p), len(p)))
    for i, a in enumerate(units):
        for j, b in enumerate(units[: i + 1]):
            H[i, j] = H[j, i] = (f(p + a + b) - single[i] - single[j] + value) / step**2
    return H


def best(calls, repeat):
    """{name: least milliseconds} of calls that take turns."""
    found = dict.fromkeys(calls, np.inf)
    for call in calls.values():
        call()
    for _ in range(repeat):
        for name, call in calls.items():
            start = process_time()
            call()
            found[name] = min(found[name], 1e3 * (process_time() - start))
    return found


HOMES = sp.integrate, scipy.integrate


def calls_of(mine, theirs, p):
    slope, bent = sg.grad(mine), sg.hessian(mine)
    return {
        "f": lambda: theirs(p), "g": lambda: slope(p), "dg": lambda: difference_gradient(theirs, p),
        "h": lambda: bent(p), "dh": lambda: difference_hessian(theirs, p),
    }  # fmt: skip


def fits(repeat):
    print("| fit | method | tolerance | solution | gradient | differences | ratio | Hessian | differences | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for title, (rhs, start, truth, p) in FITS.items():
        for method in ("RK45", "DOP853", "LSODA", "Radau", "BDF"):
            for tolerance in (1e-6, 1e-9):
                given = rhs, start, np.array(truth), method, tolerance
                ms = best(calls_of(*(loss_of(home.solve_ivp, *given) for home in HOMES), np.array(p)), repeat)
                ratios = ms["g"] / ms["dg"], ms["h"] / ms["dh"]
                print(f"| {title} | {method} | {tolerance:g} | {ms['f']:.1f} | {ms['g']:.1f} | {ms['dg']:.1f} | "
                      f"{ratios[0]:.2f} | {ms['h']:.1f} | {ms['dh']:.1f} | {ratios[1]:.2f} |", flush=True)  # fmt: skip


def heston(noise, home=np):
    """The price of a call by paths of Heston's model, in v₀, κ, θ, ξ, ρ; ``noise`` are (2, steps, paths) draws."""
    steps = len(noise[0])
    dt = 1.0 / steps

    def price(p):
        one = home.ones_like(noise[0][0])
        S, v = 100.0 * one, p[0] * one
        for first, second in zip(*noise, strict=True):
            up = home.where(v > 1e-8, v, 1e-8 * one)
            root = home.sqrt(up) * dt**0.5
            S = S * home.exp((0.02 - 0.5 * up) * dt + root * first)
            v = v + p[1] * (p[2] - up) * dt + p[3] * root * (p[4] * first + home.sqrt(1 - p[4] ** 2) * second)
        return np.exp(-0.02) * home.where(S > 100.0, S - 100.0, 0.0 * one).mean()

    return price


def prices(paths, repeat):
    import torch
    from torch.func import hessian, jacrev

    torch.set_num_threads(1)
    noise = np.random.default_rng(0).standard_normal((2, 50, paths))
    p = np.array([0.04, 1.5, 0.04, 0.3, -0.6])
    mine, theirs, at = heston(noise), heston(torch.tensor(noise), torch), torch.tensor(p)
    slope, bent, by_rows = sg.grad(mine), sg.hessian(mine), sg.jacrev(sg.grad(mine))
    calls = {
        "f": lambda: mine(p), "sg.grad": lambda: slope(p), "sg.hessian": lambda: bent(p),
        "sg.jacrev(sg.grad)": lambda: by_rows(p), "torch.func.hessian": lambda: hessian(theirs)(at),
        "torch jacrev(jacrev)": lambda: jacrev(jacrev(theirs))(at),
    }  # fmt: skip
    apart = np.abs(bent(p) - hessian(theirs)(at).numpy()).max()
    ms = best(calls, repeat)
    print("| way | ms |\n|---|---|")
    for name, took in ms.items():
        print(f"| {name} | {took:.0f} |")
    print(f"largest difference from torch.func.hessian: {apart:.1e}\n{bent.plan(p)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--only", choices=("fits", "price"))
    args = parser.parse_args()
    if args.only != "price":
        fits(args.repeat)
    if args.only != "fits":
        prices(args.paths, args.repeat)

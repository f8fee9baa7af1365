"""What a mirrored function is held against: SciPy's values, and derivatives by numbers alone.

A case is an expression in SciPy's modules, by their short names (`MODULES`), and in arrays made of one vector.
"""

import re
from importlib import import_module

import numpy as np
from scipy.sparse.linalg import spsolve

import symgrad as sg

from ..helpers.numeric import slope

MODULES = {
    "L": "linalg", "st": "stats", "F": "fft", "sc": "special", "sig": "signal", "nd": "ndimage", "ip": "interpolate",
    "ig": "integrate", "spa": "sparse", "spl": "sparse.linalg",
}  # fmt: skip
POINT = np.random.default_rng(176).normal(size=24)
DIRECTION = np.linspace(0.5, -0.8, POINT.size)


def cases_of(text):
    """The expressions of a text, which are divided by bars."""
    return [c.strip() for line in text.strip().splitlines() for c in line.split(" | ") if c.strip()]


def called(case):
    """The function that a case begins with: of each, one case at least runs always."""
    return case.partition("(")[0]


def parts(z, case):
    """The arrays (or tensors) that a case names, by their letters: all of them are made of one vector."""
    found = {"z": z}

    def of(name):
        if name not in found:
            found[name] = ARRAYS[name](z, of)
        return found[name]

    for name in ARRAYS.keys() & set(re.findall(r"\b[A-Za-z]\w*", case)):  # most name two, and all of them take longer
        of(name)
    return found


def _hermitian(K):
    return K @ np.conj(K).T


def _symmetric(A):
    return A @ np.swapaxes(A, -1, -2)


ARRAYS = {
    "A": lambda z, _: z[:12].reshape(3, 4), "T": lambda z, of: of("A").T, "N": lambda z, _: z[:9].reshape(3, 3),
    "S": lambda z, of: of("N") + 3 * np.eye(3), "Q": lambda z, _: z[:18].reshape(2, 3, 3) + 3 * np.eye(3),
    "G": lambda z, _: z[9:18].reshape(3, 3), "R": lambda z, _: z[12:21].reshape(3, 3),
    "P": lambda z, of: _symmetric(of("S")), "H": lambda z, of: of("N") + of("N").T,
    "B": lambda z, _: z.reshape(2, 3, 4), "M": lambda z, of: _symmetric(of("G")) + np.eye(3),
    "W": lambda z, _: z[:16].reshape(4, 4), "C": lambda z, of: of("A") + 1j * z[12:].reshape(3, 4),
    "K": lambda z, of: of("S") + 1j * of("R"), "J": lambda z, of: _hermitian(of("K")),
    "QP": lambda z, of: _symmetric(of("Q")), "v": lambda z, _: z[:4], "w": lambda z, _: z[4:8], "u": lambda z, _: z[:3],
    "y": lambda z, _: z[3:6], "s": lambda z, _: z[5], "p": lambda z, _: np.exp(0.4 * z[8:12]) + 0.2,
    "q": lambda z, _: np.exp(0.3 * z[12:16]) + 0.3, "b3": lambda z, of: of("N") + np.array([[0.0], [4.0], [0.0]]),
    "b4": lambda z, of: of("W") + 5 * np.eye(4)[:, [1]], "k": lambda z, _: np.cumsum(np.exp(0.3 * z[:6])),
    "f": lambda z, _: z[6:12], "Y": lambda z, _: z[6:18].reshape(6, 2),
    "e": lambda z, _: 1.5 + 3 / (1 + np.exp(-z[16:20])), "tk": lambda z, of: of("k")[[0, 0, 0, 0, 2, 3, 5, 5, 5, 5]],
    "C2": lambda z, of: of("Y") * (1 + 0.5j), "K9": lambda z, of: _within(z, of("k")),
    "T9": lambda z, of: of("k")[[0, 0, 0, 2, 3, 5, 5, 5]], "sos": lambda z, _: _sections(z), "x": lambda z, _: z[16:20],
    "t": lambda z, _: 1 / (1 + np.exp(-z[16:20])), "d": lambda z, _: np.exp(z[20:24]),
}  # fmt: skip
"""The arrays by their letters, made of the vector and of each other."""


def _within(z, k):
    """Nine increasing points between the first and the last of ``k``."""
    share = np.cumsum(np.exp(0.3 * z[6:16]))
    return k[0] + (k[5] - k[0]) * share[:9] / share[9]


def _sections(z):
    """Two stable second-order sections."""
    rows = [np.concatenate([z[6 * k : 6 * k + 3], [1.0], 0.2 * z[6 * k + 4 : 6 * k + 6]]) for k in range(2)]
    return np.stack(rows)


def run(case, z, home="scipy"):
    """The value of a case, by SciPy or by its mirror, or by what a function makes of a module's name."""
    names = {k: home(m) if callable(home) else import_module(f"{home}.{m}") for k, m in MODULES.items()}
    return eval(case, {"np": np, "inf": np.inf, "spsolve": spsolve, **names, **parts(z, case)})


def leaves(result):
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves(part)]
    return [] if isinstance(result, bool) else [result]


def total(case, z, home):
    """A real number made of a case's results, curved in each entry."""
    found = 0.0
    for p in leaves(run(case, z, home)):
        p = np.asarray(p) if type(p) is float else p
        kind = getattr(p, "dtype", np.dtype(int)).kind
        if kind == "c":
            found = found + (p.real**3 + p.real * p.imag + p.imag**2).sum()
        elif kind == "f":
            found = found + (p**3 + p).sum()
    return found


MIRROR = "symgrad.scipy"


def assert_scipys(case, tolerance=1e-6):
    """SciPy's values, shapes and dtypes; first and second derivatives of finite differences."""
    want, got = run(case, POINT), run(case, sg.tensor(POINT, requires_grad=True), MIRROR)
    assert len(leaves(got)) == len(leaves(want)), f"{len(leaves(got))} results, SciPy has {len(leaves(want))}"
    for ours, theirs in zip(leaves(got), map(np.asarray, leaves(want)), strict=True):
        assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
        assert ours.dtype == theirs.dtype or theirs.dtype.kind == "i", (ours.dtype, theirs.dtype)
        ours = ours.detach().numpy() if isinstance(ours, sg.Tensor) else np.asarray(ours)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)
    plain = run(case, POINT, MIRROR)
    for ours, theirs in zip(leaves(plain), leaves(want), strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours, theirs)
    g = sg.grad(lambda z: total(case, z, MIRROR))
    assert_each_entry(case, tolerance)
    curvature = slope(lambda t: g(POINT + t * DIRECTION))
    second = sg.grad(lambda z: g(z) @ DIRECTION)(POINT)
    np.testing.assert_allclose(second, curvature, rtol=1e-5, atol=10 * tolerance * (1 + np.abs(curvature).max()))


def flat(case, z, home):
    """All results of a case as one vector of real numbers; whole numbers and truths are left out."""
    found = []
    for p in leaves(run(case, z, home)):
        p = np.asarray(p) if type(p) is float else p
        kind = getattr(p, "dtype", np.dtype(int)).kind
        found += [p.real.reshape(-1), p.imag.reshape(-1)] if kind == "c" else [p.reshape(-1)] if kind == "f" else []
    return np.concatenate(found)


def moving(case):
    """The places of the vector that a case takes: the others move nothing, and need no differences."""
    taken = [eval(f"np.arange(POINT.size){part}") for part in re.findall(r"\bz\b(\[[\d:]+\])?", case)]
    found = set(np.concatenate([np.ravel(a) for a in taken]).tolist()) if taken else set()
    here = parts(POINT, case)
    named = [name for name in here if name != "z" and re.search(rf"\b{name}\b", case)]
    nearby = [parts(POINT + 1e-3 * u, case) for u in np.eye(POINT.size)]
    return found | {k for k, there in enumerate(nearby) if any(np.any(there[n] != here[n]) for n in named)}


def assert_each_entry(case, tolerance):
    """Every entry of the Jacobian. (Those of Hessians: test_mirror_every_argument.py and _second_derivatives.py.)"""
    J = sg.jacobian(lambda z: flat(case, z, MIRROR))(POINT)
    still, moved = np.zeros_like(flat(case, POINT, "scipy")), moving(case)
    expected = [
        slope(lambda t, u=u: flat(case, POINT + t * u, "scipy")) if k in moved else still
        for k, u in enumerate(np.eye(POINT.size))
    ]
    expected = np.stack(expected, -1)
    np.testing.assert_allclose(J, expected, rtol=tolerance, atol=tolerance * (1 + np.abs(expected).max()))
    assert J.any(), "nothing moves the results"

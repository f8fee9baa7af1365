"""Random functions of arrays, as people write them in NumPy: every way to a derivative, beside differences.

In them meet what has been found wrong where two mechanisms meet: writes in place and views of views, orders of memory,
pieces, branch cuts, equal and defective values of matrices, loops, and what a function reads that changes.

The idea to hold: a seed is a text, the text is a plain NumPy function ``f(x, M)``, and differences of that function
are the truth where it is smooth. What cannot be differentiated raises by name.

python -m tests.properties._numpy_programs START COUNT
"""

import random
import re
import sys
import types
import warnings

import numpy as np

import symgrad as sg

N = 4
UNARY = """
np.sin({v}) | np.tanh({v}) | np.exp(-{v} * {v}) | np.arctan({v}) | np.sqrt({v} ** 2 + 1) | np.log1p({v} ** 2) |
np.abs({v}) | np.maximum({v}, 0) | np.where({v} > 0, {v}, 0.1 * {v}) | {v} * {w} | {v} + {w} | {v} - 0.5 * {w} |
{v} / (1 + {w} ** 2) | np.minimum({v}, {w}) | np.clip({v}, -1, 1) | np.hypot({v}, {w}) | np.logaddexp({v}, {w}) |
{s} * {v} | {v} ** 3 | np.cbrt({v}) | np.arctan2({v}, {w}) | np.sinc({v}) | np.sign({v}) * {w} |
np.copysign(1 + {v} ** 2, {w}) | {v} % 0.7 | np.heaviside({v}, 0.5) * {w}
"""
MOVED = """
{v}[::-1] | {v}[[1, 0, 3, 2]] | np.roll({v}, 1) | np.sort({v}) | np.cumsum({v}) | np.flip({v}) | {v}[{v} > -9] |
np.diff({v}, prepend=0.0) | np.concatenate([{v}[:2], {w}[2:]]) | np.array([{v}[0], {v}[2], {w}[1], 0.5]) |
np.stack([{v}[3], {w}[0], {v}[0], {s}]) | np.take({v}, [3, 0, 0, 1]) | np.pad({v}[1:-1], 1) |
np.convolve({v}, [0.5, 0.25], 'same') | np.repeat({v}[::2], 2) | np.r_[{v}[1:], {s}] |
np.interp({v}, [-3.0, 0.0, 3.0], [0.0, 1.0, 3.0]) | np.cumprod({v}) | np.maximum.accumulate({v}) |
{v}[np.argsort({w})] | np.gradient({v}) | np.einsum('i,i->i', {v}, {w}) | np.outer({v}, {w})[:, 1] |
np.vander({v}[:2], 2).ravel()
"""
ORDERED = """
{m}.ravel('K')[:4] | {m}.T.ravel('A')[2:6] | {m}[:, [0, 2, 1]].ravel('K')[1:5] | {m}.reshape(-1, order='F')[3:7] |
{m}.flatten('A')[5:9] | np.sort({m}, 0).ravel('K')[:4] | ({m} + {m}.T).ravel('K')[:4] |
np.asfortranarray({m}).ravel('A')[1:5] | {m}[::-1].ravel('K')[2:6] | np.cumsum({m}, 1).T.ravel('A')[:4] |
np.where({m} > 0, {m}, -{m}).ravel('K')[4:8] | {m}.copy('K').T.ravel('K')[:4] |
np.require({m}, requirements='F').ravel('A')[:4] | {m}.T.copy().ravel('K')[2:6]
"""
NUMBERS = """
(np.linalg.eigvals({m}) ** 2).sum().real | np.prod(np.linalg.eigvals({m} @ {m}.T)).real |
{v}.sum() | {v} @ {w} | np.prod({v}) | np.linalg.norm({v}) | np.max({v}) | np.min({v}) | np.var({v}) | np.std({v}) |
np.median({v}) | np.linalg.det({m}) | np.trace({m} @ {m}) | np.linalg.norm({m}) | np.log(np.exp({v}).sum()) |
{v}[0] * {w}[-1] | {s} * {s} + 1 | np.ptp({v}) | np.percentile({v}, 30) |
np.linalg.slogdet({m} @ {m}.T + np.eye(3))[1] | {m}[1, 2] * {s} | (lambda a: a * a)({s}) | max({v}[0], {s}) |
np.trapezoid({v}) | np.mean({v} ** 2) | np.linalg.norm({m}, 'nuc') | np.linalg.norm({m}, 2) |
np.cross({v}[:3], {w}[1:]) @ {m}[0]
"""
VALUES = """
np.linalg.eigvalsh({m} + {m}.T) | np.linalg.svd({m}, compute_uv=False) | np.linalg.eigvalsh({m} @ {m}.T)
"""
OF_VALUES = """
(w ** 2).sum() | w.sum() | np.prod(w) | ((w - 1) ** 2).sum() | w[0] | np.exp(w).sum() | w @ w | w[0] * w[1] + w[2] |
np.max(w)
"""
MATRICES = """
{m} @ {m} | {m}.T * 0.5 | np.linalg.inv({m} @ {m}.T + np.eye(3)) | np.outer({v}[:3], {w}[1:]) | {m} + {v}[:3] |
{m} * {m}[:, :1] | np.linalg.solve({m} @ {m}.T + np.eye(3), {m}) | np.tanh({m}) | np.tril({m}) |
np.roll({m}, 1, 0) | {m}[[2, 0, 1]] | np.kron({m}[:1, :1], {m}) | np.linalg.cholesky({m} @ {m}.T + np.eye(3)) |
np.cumsum({m}, 0) | np.where(np.eye(3) > 0, {m}, {s}) | np.linalg.matrix_power({m}, 3) |
np.linalg.pinv({m} + 3 * np.eye(3)) | np.diag({v}[:3]) + {m} | np.einsum('ij,kj->ik', {m}, {m}) |
{m} / (1 + np.abs({m}).sum(1, keepdims=True))
"""
COMPLEX = """
np.sqrt({v} + 0j).imag | np.log({v} + 0.5j * {w}).imag | np.emath.arcsin({v}).imag | np.emath.sqrt({v}).real |
np.abs({v} + 1j * {w}) | (({v} + 1j * {w}) ** 2).real | np.fft.fft({v}).imag |
np.fft.ifft(np.fft.fft({v}) * np.fft.fft({w})).real | np.angle({v} + 1j) | np.exp(1j * {v}).real |
np.arccosh({v} + 0j).real | np.arctan({v} + 1j * {w}).imag | np.conj({v} + 2j * {w}).imag |
np.fft.irfft(np.fft.rfft({v})) | (1 / ({v} + 1j)).imag | np.sinh({v} * 1j).imag | np.power({v} + 0j, 0.3).real
"""
WRITES = """
h = np.zeros_like({v}); h[1:] = {v}[:-1]; h[0] = {s} | h = {v}.copy(); h += {w}; h[::2] *= 0.5 |
h = {v} * 1; w = h[1:3]; w *= {s} | h = np.empty(4); h[:] = {v}; h[{v} > 0] = 0.25 * {w}[{v} > 0] |
h = {v}.copy(); h[[0, 2]] += {w}[:2] | h = np.zeros_like({v}); np.add.at(h, [0, 1, 1, 3], {v}) |
g = {m}.copy(); g[0] = {v}[:3]; g.T[1] += {w}[:3]; h = g.ravel()[:4] | h = {v} + 0; np.multiply(h, {w}, out=h) |
h = np.zeros_like({v}); h[:] = {v}; h[-1] = h[0] * h[1]; h[1:] += h[:-1] |
g = np.zeros_like({m}); g[:, 0] = {v}[1:]; g[1] *= 2; g[2, 2] = {s}; h = g.T.ravel()[:4] |
h = {v}.copy(); h[1], h[2] = h[2], h[1] * {s} | h = {v}.copy(); h.sort() |
h = {v}.copy(); np.clip(h, -0.5, 0.5, out=h) | h = {v}.copy(); h[...] = h[::-1] * 2 |
g = np.array([{v}, {w}]); g[0, 1:] -= g[1, :-1]; h = g[0] | h = {v}.copy(); h.flat[2] = {s} |
h = np.full_like({v}, 0.5); h[np.argmax({w})] = {s} | h = {v}.copy(); h[h < 0] *= -1 |
h = {v}.copy(); np.maximum(h, {w}, out=h)
"""
LOOPS = """
h = np.zeros(4); a = {s}; k = 0
for t in range(4):
    a = 0.5 * a + np.tanh({v}[t]); h[t] = a
|
a = {s}; b = 0.3
for t in range(12):
    a, b = 0.9 * a + 0.1 * np.sin(b), b + 0.05 * a
h = {v} * a + b
|
rows = []
for t in range(4):
    rows.append({v}[t] * {s})
h = np.array(rows)
|
a = {v}
for t in range(3):
    a = np.tanh(a + 0.1 * np.roll(a, 1))
h = a
|
k = 0; a = {s}
while a * a < 4 and k < 6:
    a = a * 1.3 + 0.2; k += 1
h = {v} + a
|
if {s} > 0.3:
    h = {v} * 2
else:
    h = {w} - 1
|
h = np.zeros(4)
for t in range(1, 4):
    h[t] = 0.7 * h[t - 1] + {v}[t] * {v}[t - 1]
|
h = sum(([{v}, {w}, {v} * {w}][j] * (j + 1) for j in range(3)), 0 * {v})
|
a = {m}
for t in range(3):
    a = a @ {m} * 0.3 + np.eye(3)
h = a[0, 0] * {v}
|
try:
    k = cfg.gain
except AttributeError:
    k = 0.5
h = {v} * k
|
h = {v} * SCALE + cfg.table[1] * {w}
"""


def _parts(text):
    return [part.strip() for part in re.split(r" \|\s|\n\|\n", text)]


KINDS = {
    "v": _parts(UNARY) + _parts(MOVED), "k": _parts(ORDERED), "s": _parts(NUMBERS), "m": _parts(MATRICES),
    "c": _parts(COMPLEX), "h": _parts(WRITES), "l": _parts(LOOPS), "e": _parts(VALUES),
}  # fmt: skip
OFTEN = "vvvvkssmchhle"


class Program:
    """A text with what it reads (``cfg``, ``SCALE``), which may be changed, and a point."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed = seed
        self.lines, names, self.rng = [], {"v": ["x"], "m": ["M"], "s": ["x[1]"]}, rng
        for i in range(rng.randint(2, 6)):
            self._line(rng.choice(OFTEN), names, i)
        ends = [f"({v} * {1 + j}).sum()" for j, v in enumerate(names["v"][-2:])] + [
            names["s"][-1],
            f"np.sin({names['m'][-1]}).sum()",
        ]
        self.source = "\n".join(["def f(x, M):", *self.lines, f"    return {' + '.join(ends)}"])
        numbers = np.random.default_rng(seed)
        self.tied = rng.random() < 0.3
        self.points = [self._point(numbers) for _ in range(2)]
        self.cfg = types.SimpleNamespace(table=[0.5, 1.5])
        self.scope = {"np": np, "cfg": self.cfg, "SCALE": 1.25}
        exec(self.source, self.scope)
        self.f = self.scope["f"]

    def _line(self, kind, names, i):
        filled = {k: self.rng.choice(names[k][-3:]) for k in "vsm"} | {"w": self.rng.choice(names["v"])}
        text = self.rng.choice(KINDS[kind]).format(**filled)
        if kind in "hl":
            made = f"v{i}"
            self.lines += ["    " + line for line in text.replace("; ", "\n").split("\n")] if kind == "h" else [
                "    " + line for line in text.split("\n")
            ]  # fmt: skip
            self.lines.append(f"    {made} = h")
            names["v"].append(made)
        elif kind == "e":
            self.lines += [f"    w = {text}", f"    s{i} = {self.rng.choice(_parts(OF_VALUES))}"]
            names["s"].append(f"s{i}")
        else:
            into = "v" if kind in "kc" else kind
            self.lines.append(f"    {into}{i} = {text}")
            names[into].append(f"{into}{i}")

    def _point(self, numbers):
        if not self.tied:
            return numbers.normal(size=N), numbers.normal(size=(3, 3))
        x = numbers.integers(-2, 3, N) * 0.5
        M = self.rng.choice(
            [
                np.eye(3),
                np.zeros((3, 3)),
                np.diag([1.0, 1.0, 2.0]),
                np.eye(3, k=1),
                numbers.integers(-1, 2, (3, 3)) * 1.0,
            ]
        )
        return x, M + 0.0

    def change(self):
        """Let what it reads be something else."""
        self.cfg.gain, self.cfg.table, self.scope["SCALE"] = 2.0, [0.5, -1.0], 0.75

    def __repr__(self):
        return f"seed {self.seed}\n{self.source}\nat {self.points}"


def laid(x, M):
    """The same numbers in another order of memory."""
    return np.repeat(x, 2)[::2], np.asfortranarray(M)


def slope(f, point, along, lay):
    """The derivative along a direction by differences; None where both sides or two steps say otherwise."""

    def at(t):
        return float(f(*lay(*[p + t * d for p, d in zip(point, along, strict=True)])))

    try:
        middle = at(0.0)
        found = [(at(h), at(-h)) for h in (1e-4, 1e-5)]
    except (np.linalg.LinAlgError, ValueError, ArithmeticError, FloatingPointError):
        return None
    sides = [((a - middle) / h, (middle - b) / h) for h, (a, b) in zip((1e-4, 1e-5), found, strict=True)]
    size = 1 + abs(middle) + abs(sides[0][0])
    if not np.isfinite(size) or size > 1e6:
        return None
    wide, narrow = (abs(a - b) for a, b in sides)
    if narrow > 1e-4 * size or narrow > 0.3 * wide + 1e-5 * size:  # a kink, or it bends within the step
        return None
    slopes = [(a + b) / 2 for a, b in sides]
    return slopes[0] if abs(slopes[0] - slopes[1]) < 1e-4 * size else None


def even_slope(f, point, along, lay):
    """The same, None where it is not the sum of those along parts of the direction: where several values are equal a
    kink may not show along one line."""
    whole = slope(f, point, along, lay)
    if whole is None:
        return None
    for seed in range(3):
        masks = [np.random.default_rng([seed, k]).integers(0, 2, a.shape) for k, a in enumerate(along)]
        some = [a * m for a, m in zip(along, masks, strict=True)]
        parts = [slope(f, point, d, lay) for d in (some, [a - d for a, d in zip(along, some, strict=True)])]
        if None in parts or abs(sum(parts) - whole) > 1e-4 * (1 + abs(whole) + abs(parts[0])):
            return None
    return whole


def bend(f, point, along):
    """The second derivative along a direction by differences; None where two steps say otherwise."""

    def at(t):
        return float(f(*[p + t * d for p, d in zip(point, along, strict=True)]))

    try:
        found = [(at(h) - 2 * at(0.0) + at(-h)) / h**2 for h in (2e-3, 1e-3, 5e-4)]
    except (np.linalg.LinAlgError, ValueError, ArithmeticError):
        return None
    if slope(f, point, along, lambda *p: p) is None or not np.isfinite(found).all():
        return None
    size = 1 + abs(at(0.0)) + abs(found[0])
    return found[1] if max(found) - min(found) < 1e-3 * size else None


def ways(program):
    """Ways to the derivative along a direction at the first point, each a function of point and direction."""
    f = program.f
    gradient = sg.grad(f, (0, 1))

    def by(g):
        return lambda point, along: sum(float(np.vdot(a, d)) for a, d in zip(g(*point), along, strict=True))

    def value(point, along):
        return float(sg.value_and_grad(f, (0, 1))(*point)[0])

    def repeated(point, along):
        numbers = np.random.default_rng(1)
        g = sg.grad(f, (0, 1))
        for _ in range(120):
            g(numbers.normal(size=N), numbers.normal(size=(3, 3)))
        program.change()
        return by(g)(point, along)

    return {
        "grad": by(gradient), "jvp": lambda point, along: float(sg.jvp(f, point, along)[1]),
        "jacobian": by(sg.jacobian(f, (0, 1))), "turned": lambda p, d: by(gradient)(laid(*p), d), "repeated": repeated,
        "compiled": lambda p, d: by(sg.compile(f, "g", (0, 1)))(p, d), "value": value,
        "twice": lambda p, d: by(sg.grad(lambda *q: sum((g * e).sum() for g, e in zip(gradient(*q), d)), (0, 1)))(p, d),
    }  # fmt: skip


BY_NAME = (sg.SymgradError, np.linalg.LinAlgError)


def complaints(program, chosen=None):
    """What is wrong with the derivatives of a program: texts; and how many numbers were compared."""
    said, compared = [], 0
    point = program.points[0]
    numbers = np.random.default_rng(program.seed)
    along = tuple(numbers.normal(size=p.shape) for p in point)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            program.f(*point)
        except Exception:  # what NumPy refuses is nobody's question
            return [], 0
        found = {}
        for name, way in ways(program).items():
            if chosen is not None and name not in chosen:
                continue
            try:
                found[name] = way(point, along)
            except BY_NAME:
                continue
            except Exception as error:
                said.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
                continue
            if name == "value":
                truth = float(program.f(*point))
            elif name == "twice":  # where kinks meet, a second derivative is a convention
                truth = None if program.tied else bend(program.f, point, along)
            else:
                by = even_slope if program.tied else slope
                truth = by(program.f, point, along, laid if name == "turned" else lambda *p: p)
            if truth is not None and not np.isnan(found[name]):  # which says that there is no number
                compared += 1
                near = {"value": 1e-9, "twice": 5e-3}.get(name, 2e-4)
                apart = 0.0 if found[name] == truth else abs(found[name] - truth)  # they may both be infinite
                if not apart < near * (1 + abs(truth) + abs(program.f(*point))):
                    said.append(f"{name}: {found[name]:.9g}, by differences {truth:.9g}")
    return said, compared


def main(start, count):
    total, wrong = 0, 0
    for seed in range(start, start + count):
        program = Program(seed)
        said, compared = complaints(program)
        total += compared
        if said:
            wrong += 1
            print(program, *said, sep="\n", end="\n\n", flush=True)
    print(f"{count} programs, {total} numbers compared with differences, {wrong} programs with complaints")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

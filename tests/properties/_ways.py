"""The derivatives of a random program in several ways, and what the ways say of each other.

The ways: the tape (`tape`), formulas of the tape (`formula`), the formula of the function (`function's formula`), the
Hessian's program (`program`), the compiled function (`compiled`), differences of the tape's numbers (`differences`),
and whatever a caller adds. Each gives the value, the gradient and the second derivatives times one vector, or some.
"""

import contextlib
import re
import traceback
import warnings

import numpy as np

import symgrad as sg

from ._seams import compiled

SMALL = 6
"""Entries of the arguments up to which the formula of the whole second derivative is asked for."""
LARGEST = 1e8
"""Programs with larger numbers say more about rounding than about derivatives."""
NAMES = ("value", "gradient", "second derivative")

GIVEN_UP = {
    "formula": sg.FormulaError,
    "function's formula": (sg.FormulaError, sg.SymbolicBranchError),
    "compiled": (sg.GradientError, sg.SymbolicBranchError),
}
"""What says that there is no formula, or no program: that is no trouble, and counted."""


class Stops(Exception):
    """A way has nothing to say about a program."""


class Question:
    """A program at a point, with one direction; results of ways are cached by nobody, they are asked once."""

    def __init__(self, program, point):
        self.program, self.point = program, point
        self.f = compiled(program)
        rng = np.random.default_rng(5)
        self.direction = [rng.normal(size=point[k].shape) for k in program.wrt]

    @property
    def size(self):
        return sum(self.point[k].size for k in self.program.wrt)

    def at(self, t):
        """The point, moved along the direction."""
        moved = list(self.point)
        for k, v in zip(self.program.wrt, self.direction, strict=True):
            moved[k] = moved[k] + t * v
        return moved

    def arrays(self):
        """The point as arrays that may be written to: a program may write to what wants no gradient."""
        return [a.copy() for a in self.point]

    def leaves(self, point=None):
        return [
            sg.tensor(a, requires_grad=k in self.program.wrt, name=f"x{k}")
            for k, a in enumerate(self.point if point is None else point)
        ]


def flat(parts):
    return np.concatenate([np.asarray(p, float).reshape(-1) for p in parts]) if len(parts) else np.zeros(0)


def numbers(tensors):
    return flat([t.detach().numpy() for t in tensors])


# Ways ----------------------------------------------------------------------------------------------------------------


def tape(q, point=None):
    """Two sweeps; the first one on arrays too, which takes other code."""
    leaves = q.leaves(point)
    wanted = [leaves[k] for k in q.program.wrt]
    y = q.f(*leaves)
    value = y.detach().numpy()
    if value.dtype.kind in "iub":
        raise Stops("it returns whole numbers, of which no transform has a derivative")
    if not y.requires_grad:
        return value, np.zeros(q.size), np.zeros(q.size)
    options = dict(materialize_grads=True)
    plain = numbers(sg.autograd.grad(y, wanted, retain_graph=True, **options))
    g = sg.autograd.grad(y, wanted, create_graph=True, **options)
    if differ(plain, numbers(g), 1e-13):
        raise AssertionError(f"create_graph changes the gradient: {plain} and {numbers(g)}")
    live = [(a, v) for a, v in zip(g, q.direction, strict=True) if a.requires_grad]
    if not live:
        return value, plain, np.zeros(q.size)
    second = sg.autograd.grad([a for a, _ in live], wanted, [sg.tensor(v) for _, v in live], **options)
    return value, plain, numbers(second)


def formula(q):
    """The formulas of value and gradient, of their graphs; the Hessian's where it is small."""
    leaves = q.leaves()
    wanted = [leaves[k] for k in q.program.wrt]
    y = q.f(*leaves)
    value = y.formula()
    _require_checked(value)
    if not y.requires_grad:
        return value(), None, None
    gradients = [g.formula() for g in sg.autograd.grad(y, wanted, create_graph=True, materialize_grads=True)]
    for g in gradients:
        _require_checked(g)
    second = None
    if q.size <= SMALL and len(wanted) == 1 and wanted[0].name in value.point:
        matrix = np.asarray(value.hessian(wanted[0].name)())
        second = matrix.reshape(q.size, q.size) @ flat(q.direction)
    return value(), flat([g() for g in gradients]), second


def functions_formula(q):
    """``sg.formula`` of symbols, evaluated at the point."""
    symbols = [sg.symbol(f"x{k}", a.shape) for k, a in enumerate(q.point)]
    found = sg.formula(q.f, *symbols)
    _require_checked(found)
    at = {f"x{k}": a for k, a in enumerate(q.point)}

    def evaluate(e):
        return e(**{n: at[n] for n in e.free_symbols if n in at})

    names = [f"x{k}" for k in q.program.wrt]
    parts = [
        evaluate(found.grad(n)) if n in found.free_symbols else np.zeros(a.shape)
        for n, a in [(n, at[n]) for n in names]
    ]
    second = None
    if q.size <= SMALL and len(names) == 1 and names[0] in found.free_symbols:
        second = np.asarray(evaluate(found.hessian(names[0]))).reshape(q.size, q.size) @ flat(q.direction)
    return evaluate(found), flat(parts), second


def _require_checked(found):
    if found.checked is not True:
        raise Stops(f"unchecked: {found.checked}")


def program_(q, hessian=None):
    """The Hessian as one matrix."""
    k = q.program.wrt[0] if len(q.program.wrt) == 1 else q.program.wrt
    found = (hessian or sg.hessian(q.f, k))(*q.arrays())
    matrix = np.asarray(getattr(found, "matrix", found)).reshape(q.size, q.size)
    if not (q.program.tied or q.program.single):
        plan = (hessian or sg.hessian(q.f, k)).plan(*q.arrays())
        if "disagree" in plan:
            raise AssertionError(plan)
    return None, None, matrix @ flat(q.direction)


def compiled_(q, made=None):
    """Value, gradient and matrix of the compiled function."""
    k = q.program.wrt[0] if len(q.program.wrt) == 1 else q.program.wrt
    try:
        value, gradient, matrix = (made or sg.compile(q.f, "fgh", argnums=k))(*q.arrays())
    except sg.InplaceError as error:
        if len(q.program.wrt) < len(q.point):  # a constant of the tape, which may be written to, has a name there
            raise Stops("it writes to an argument") from error
        raise
    matrix = np.asarray(getattr(matrix, "matrix", matrix)).reshape(q.size, q.size)
    gradient = gradient if isinstance(gradient, tuple) else (gradient,)
    return value, flat(gradient), matrix @ flat(q.direction)


STEP = 2e-3
CUTS = r"detach|no_grad|\.data\b"
"""What differences do not see."""


def differences(q):
    """Slopes along the direction: of the value, and of the gradient; None where steps of three sizes disagree."""

    def at(t):
        leaves = q.leaves(q.at(t))
        y = q.f(*leaves)
        if not y.requires_grad:
            return y.detach().numpy().reshape(1), np.zeros(q.size)
        g = sg.autograd.grad(y, [leaves[k] for k in q.program.wrt], materialize_grads=True)
        return y.detach().numpy().reshape(1), numbers(g)

    found = []
    points = {t: at(t) for s in (STEP, STEP / 2, STEP / 4) for t in (s, -s)}
    for which in (0, 1):
        wide, half, quarter = ((points[s][which] - points[-s][which]) / (2 * s) for s in (STEP, STEP / 2, STEP / 4))
        first, second = (4 * half - wide) / 3, (4 * quarter - half) / 3
        best = (16 * second - first) / 15
        scale = 1 + np.abs(best).max(initial=0)
        smooth = np.isfinite(best).all() and np.abs(second - first).max(initial=0) <= 1e-5 * scale
        found.append(best if smooth else None)
    return None, found[0], found[1]


# Comparison ----------------------------------------------------------------------------------------------------------


def differ(a, b, tolerance, noise=0.0):
    """Say how two arrays differ (None if they do not), where both are finite."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        return f"shapes {a.shape} and {b.shape}"
    finite = np.isfinite(a) & np.isfinite(b)
    scale = max(1.0, np.abs(b[finite]).max(initial=0))
    if np.abs(a - b)[finite].max(initial=0) <= tolerance * scale + noise:
        return None
    return f"{a.tolist()} and {b.tolist()}"


class Report:
    """What was found out about one program: what each way gave, and complaints ``(kind, text)``."""

    def __init__(self):
        self.gave = {}
        self.without = {}
        self.complaints = []

    def say(self, kind, text):
        self.complaints.append((kind, text))

    @property
    def compared(self):
        """The ways that gave a number."""
        return {name.partition(",")[0] for name, got in self.gave.items() if any(g is not None for g in got)}


def _place(error):
    """Where in symgrad an error was raised; empty if it was not there."""
    lines = traceback.extract_tb(error.__traceback__)
    inside = [f"{t.filename.rpartition('symgrad/')[2]}:{t.lineno}" for t in lines if "symgrad/" in t.filename]
    return inside[-1] if inside else ""


def ask(report, name, way, *args):
    """What a way gives, or None; what it raises is a complaint unless it says that it has nothing to say."""
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            got = way(*args)
    except Stops as error:
        report.without[name] = str(error)
        return None
    except GIVEN_UP.get(name, ()) as error:
        if "please report" in str(error) and not args[0].program.single:
            report.say(f"disagreement in {name}", str(error)[:600])
        report.without[name] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return None
    except Exception as error:
        place = _place(error)
        if not place:
            return None  # the program is none
        kind = "error" if isinstance(error, sg.SymgradError) else "crash"
        report.say(f"{kind} in {name}: {type(error).__name__}", f"{str(error)[:400]} ({place})")
        return None
    for warning in heard:
        ours = not issubclass(warning.category, sg.StructurallyZeroWarning)
        if ours and "To copy construct" not in str(warning.message):
            text = str(warning.message)
            report.say(f"warning in {name}: {warning.category.__name__} {text[:30]}", text[:300])
    report.gave[name] = got
    return got


ALL = ("formula", "function's formula", "program", "compiled")


def study(program, others=(), chosen=ALL, second_point=True):
    """Compute everything in every way and compare with the tape; returns the `Report`.

    ``chosen`` are the costly ways to take.

    ``others`` are pairs of a name and a way, ``question -> (value, gradient, second)``, exact like the tape.
    """
    report = Report()
    with np.errstate(all="ignore"):
        q = Question(program, program.leaves)
        ask(report, "tape", tape, q)
        for name, way in others:
            ask(report, name, way, q)
        if "tape" not in report.gave:
            if not report.gave:  # PyTorch refuses too, or is not there
                report.complaints = [c for c in report.complaints if c[0].startswith("crash")]
            return report
        if not _moderate(report.gave["tape"]):
            report.gave.clear()
            return report
        if not program.tied and not re.search(CUTS, program.source):
            ask(report, "differences", differences, q)
        for name, way in (("formula", formula), ("function's formula", functions_formula)):
            if name in chosen:
                ask(report, name, way, q)
        k = program.wrt[0] if len(program.wrt) == 1 else program.wrt
        made = []
        if "program" in chosen:
            made.append(("program", program_, sg.hessian(q.f, k)))
        if "compiled" in chosen and not program.single:  # it would compare its program with the tape, and warn
            made.append(("compiled", compiled_, sg.compile(q.f, "fgh", argnums=k)))
        for name, way, function in made:
            ask(report, name, way, q, function)
        _compare(report, q, report.gave)
        if second_point and made:
            _elsewhere(report, program, made)
    return report


def _moderate(got):
    return all(np.isfinite(g).any() and np.abs(np.nan_to_num(g)).max(initial=0) < LARGEST for g in got if g is not None)


def _elsewhere(report, program, made):
    """The same functions at another point: same structure, other numbers, so other branches and other maxima."""
    rng = np.random.default_rng(3)
    point = [rng.permutation(a.reshape(-1)[::-1]).reshape(a.shape) for a in program.leaves]
    if not program.tied:
        point = [a + rng.normal(size=a.shape) for a in point]
    q = Question(program, point)
    seen = Report()
    ask(seen, "tape", tape, q)
    if "tape" not in seen.gave or not _moderate(seen.gave["tape"]):
        return
    for name, way, function in made:
        ask(seen, name, way, q, function)
    _compare(seen, q, seen.gave)
    report.complaints += [(f"{kind}, elsewhere", text) for kind, text in seen.complaints]


def _compare(report, q, gave):
    truth = gave["tape"]
    near = None
    for name, got in gave.items():
        if name == "tape":
            continue
        for which, mine, number in zip(NAMES, truth, got, strict=True):
            if number is None or mine is None:
                continue
            tolerance = 1e-8
            if name == "differences":
                tolerance = 1e-5  # what three steps leave of the error, see `differences`
                mine = mine if which == "second derivative" else np.atleast_1d(flat(q.direction) @ mine)
                if which == "second derivative" and np.shape(number) != np.shape(mine):
                    continue
            if q.program.single:
                tolerance = max(tolerance, 1e-4)  # it rounds on the way
            if differ(mine, number, tolerance) is None:
                continue
            if near is None:
                near = _noise(q, truth)
            k = NAMES.index(which)
            said = differ(mine, number, tolerance, near[k])
            if said and not (k and _excused(q, name, k, truth[k], number)):
                report.say(f"{which}: tape and {name}", said)


def _excused(q, name, k, mine, number):
    """Whether a derivative may differ from the tape's: another library is wrong (at 0 ** 0, in polar(-1, x)), or there
    is a kink, where the tape makes PyTorch's choice and a formula, of the simplified function, may not."""
    if name == "differences" or re.search(CUTS, q.program.source):
        return False
    slope = None
    with contextlib.suppress(Exception):
        slope = differences(q)[k]
    if name in ALL:
        return q.program.tied and (slope is None or _is_slope(q, k, number, slope))
    return slope is not None and _is_slope(q, k, mine, slope)


def _is_slope(q, k, found, slope):
    found = np.atleast_1d(flat(q.direction) @ found) if k == 1 else found
    return differ(found, slope, 1e-5) is None  # as exact as what holds for smooth there


def _noise(q, truth):
    """How far rounding of the arguments carries the tape's numbers: a thousand times what one unit does."""
    with contextlib.suppress(Exception):
        rng = np.random.default_rng(0)
        noise = [0.0, 0.0, 0.0]
        for _ in range(3):
            near = tape(q, [a * (1 + 3e-16 * rng.choice([-1, 1], a.shape)) for a in q.point])
            for k in range(3):
                noise[k] = max(noise[k], 1e3 * np.abs(np.nan_to_num(near[k] - truth[k])).max(initial=0))
        return noise
    return [0.0, 0.0, 0.0]

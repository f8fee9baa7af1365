"""Runs random programs on large arrays (`_large_programs.py`), compares the numbers and looks at whose the memory is.

Three things must hold: the numbers are those of a judge (PyTorch, or symgrad by a plainer route); nothing that the user
holds changes, and no two results share memory; and whatever a program was given can be written over, all of it, and the
next sweep gives the same numbers.
"""

import re
import warnings

import numpy as np

import symgrad as sg
from symgrad import _limits

from ._large_programs import CHOICES

# Libraries -----------------------------------------------------------------------------------------------------------


def functions(lib):
    """Operations of a user's own, which hand on the gradient that they are given, or one that they hold."""

    class Same(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g

    class Both(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, g

    class Given(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, c):
            ctx.c = c
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return ctx.c, None

    return {"Same": Same, "Both": Both, "Given": Given}


def kept(name, *values):
    """What a program that runs as a script does with a result: prints it."""
    print(name, *values)


seen = shown = held = kept


def keeping(name, value):
    """Prints, and returns."""
    print(name, value)
    return value


def own(g):
    """The gradient itself (for PyTorch: a copy, since it shows others' memory)."""
    return g


Same, Both, Given = functions(sg).values()


class Symgrad:
    """The names that programs call."""

    names = {  # noqa: RUF012
        "L": sg, "F": sg.nn.functional, "T": sg, "np": np, "G": False, "own": own,
        "Same": Same, "Both": Both, "Given": Given,
    }  # fmt: skip

    tensor = staticmethod(sg.from_numpy)

    @staticmethod
    def given(arrays):
        return arrays

    @staticmethod
    def array(t):
        """The memory of a result."""
        for name in ("todense", "toarray"):
            if hasattr(t, name):
                return getattr(t, name)()
        return t.detach().numpy() if isinstance(t, sg.Tensor) else np.asarray(t)


class Plainly(Symgrad):
    """symgrad by another route: no blocks, gradients recorded, nothing written in place."""

    names = {**Symgrad.names, "G": True, "own": lambda g: g.clone()}  # noqa: RUF012


# Running -------------------------------------------------------------------------------------------------------------


def done(*_):
    """Nothing, for a hook that returns nothing."""


class Run:
    """One run of a program: what it handed to the test, as arrays and as copies made at that time."""

    def __init__(self, program, library):
        self.program, self.library = program, library
        self.given = library.given(program.made())
        self.before = {k: a.copy() for k, a in self.given.items()}
        self.forget()
        self.scope = {
            **library.names, "done": done, "kept": self.kept, "shown": self.shown, "held": self.held,
            "seen": self.seen, "keeping": self.keeping,
            **{k: library.tensor(a) if k.startswith("c") else a for k, a in self.given.items()},
        }  # fmt: skip
        self.recorded, self.sweeps = (compile(text, "<program>", "exec") for text in program.source)

    def forget(self):
        self.live, self.numbers, self.shared = {}, {}, {}

    def seen(self, name, *values, keep=None):
        if len(values) > 20:
            raise ValueError("a tensor was unpacked")  # what is left of a line while a program shrinks
        for k, value in enumerate(values):
            place = f"{name} {k}" if len(values) > 1 else name
            while place in self.numbers:
                place += ", again"
            a = None if value is None else self.library.array(value)
            self.numbers[place] = None if a is None else np.array(a)
            if a is not None and keep is not None:
                self.live[place] = a
                if keep:
                    self.shared[place] = keep

    def held(self, name, *values):
        self.seen(name, *values, keep="")

    def shown(self, name, *values):
        self.seen(name, *values, keep="shown")

    def kept(self, name, *values):
        self.seen(name, *values, keep="kept")

    def keeping(self, name, value):
        self.shown(name, value)
        return value

    def tensors(self):
        """The leaves, and what retains its gradient, each under its first name."""
        named = {}
        for name, t in self.scope.items():
            if re.fullmatch(r"[xv]\d+", name) and (t.is_leaf or t.retains_grad):
                named.setdefault(id(t), (name, t))
        return named.values()

    def sweep(self):
        exec(self.sweeps, self.scope)
        if not self.program.is_function:
            for name, t in self.tensors():
                recorded = self.program.recorded and not t.is_leaf  # it is part of a graph
                (self.held if recorded else self.kept)(f"{name}.grad", t.grad)

    def start(self):
        exec(self.recorded, self.scope)
        self.sweep()
        return self.numbers

    # What must hold

    def complaints(self):
        """Yield (kind, text) for what changed behind the user's back, and for memory that is not a result's alone."""
        for k, a in self.given.items():
            if not np.array_equal(a, self.before[k]):
                yield "changed: given", f"{k}, an argument or a constant, was changed"
        for k, a in self.live.items():
            if not np.array_equal(a, self.numbers[k], equal_nan=True):
                yield f"changed: {self.shared.get(k, 'held')}", f"{k} changed after it was handed out"
        alone = [k for k, kind in self.shared.items() if kind == "kept"]
        watched = [k for k, kind in self.shared.items() if kind == "shown"]
        for i, k in enumerate(alone):
            for j in (*alone[:i], *watched):
                if _meet(self.live[k], self.live[j]):
                    yield f"shared: kept and {self.shared[j]}", f"{k} and {j} share memory"
            if not self.live[k].flags.writeable:
                yield "read-only", f"{k} cannot be written to"
            for j, b in self.given.items():  # (a hook may look at a seed itself)
                if _meet(self.live[k], b):
                    yield "shared: kept and given", f"{k} and {j} share memory"

    def repeated(self):
        """Write over everything that was handed out, run again; yield complaints about numbers that differ."""
        first = self.numbers
        for name in self.shared:
            a = self.live[name]
            if a.flags.writeable and not any(_meet(a, b) for b in self.given.values()):  # (that was said)
                a.fill(np.nan)
        self.forget()
        if not self.program.again:
            exec(self.recorded, self.scope)
        elif not self.program.is_function:
            for _, t in self.tensors():
                t.grad = None
        self.sweep()
        for name, text in differences(first, self.numbers, 1e-12 if self.program.tolerance < 1e-6 else 1e-5):
            yield "written to what was given", f"{name} is another number after results were written to: {text}"


def _meet(a, b):
    """Whether two arrays share memory, or it would take long to find out."""
    try:
        return np.shares_memory(a, b, max_work=10_000)
    except np.exceptions.TooHardError:
        return True


def differences(a, b, tolerance):
    """Yield where two runs differ in numbers, relative to the largest; nothing is a zero."""
    for name in {**a, **b}:
        x, y = a.get(name), b.get(name)
        if x is None or y is None:
            unasked = name.startswith("node")  # whether a node works out what nobody wants
            if np.any(y if x is None else x) and not unasked:
                yield name, f"{_described(x)} and {_described(y)}"
            continue
        scale = max(1.0, np.abs(y).max(initial=0))
        if x.shape != y.shape or not np.abs(x - y).max(initial=0) <= tolerance * scale:  # not: NaN is a difference
            yield name, f"{_described(x)} and {_described(y)}, {_apart(x, y)}"


def _described(a):
    if a is None:
        return "None"
    return f"{a.shape}: {a}" if a.size < 4 else f"{a.shape}: [{', '.join(f'{n:.6g}' for n in a.flat[:3])} …]"


def _apart(x, y):
    if x.shape != y.shape:
        return "of other shapes"
    d = np.abs(x - y)
    with np.errstate(all="ignore"):
        wrong = ~(d <= 1e-9 * max(1.0, np.abs(y).max(initial=0)))
    return f"off by {d.max():.3g}, {wrong.mean():.0%} of the entries"


# Judging -------------------------------------------------------------------------------------------------------------


def run(program, library):
    """The numbers of a program by a library, or what it raised."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            r = Run(program, library)
            return r, r.start()
        except Exception as error:
            return None, error


def plainly(program):
    """The numbers by another route of symgrad's own: no array is large, and the sweep records."""
    before, _limits.BIG = _limits.BIG, 1 << 60
    try:
        return run(program, Plainly)[1]
    finally:
        _limits.BIG = before


def study(program, judge=plainly, repeat=True, compare=differences):
    """What is wrong with symgrad's derivatives of a program: pairs (kind, text).

    ``compare`` says where numbers are unlike those that the judge gives.
    """
    found, ours = run(program, Symgrad)
    theirs = judge(program)
    raised = {who: _short(e) for who, e in (("symgrad", ours), ("the judge", theirs)) if isinstance(e, Exception)}
    if raised:
        return [("both raise", str(raised)) if len(raised) == 2 else (f"raises: {': '.join(*raised.items())}", "")]
    complaints = [("number", f"{name}: {text}") for name, text in compare(ours, theirs, program.tolerance)]
    if complaints and judge is not plainly:
        other = plainly(program)
        alike = not isinstance(other, Exception) and not list(compare(other, theirs, program.tolerance))
        if not alike:
            text = "\n".join(program.source)
            chosen = re.search(CHOICES, text) or "norm" in text  # numbers that rounding makes equal; NaN at 0
            kind = "another choice" if chosen else "number, without blocks too"
            complaints = [(kind, text) for _, text in complaints]
    complaints += found.complaints()
    if repeat:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                complaints += found.repeated()
            except Exception as error:
                complaints.append((f"raises again: {_short(error)}", ""))
    return complaints


REFUSED = "more than one element of the written-to tensor"
"""A hook may not write to a gradient that repeats one number: PyTorch refuses too, where it does not get a copy."""


def serious(complaints):
    """What `study` found, without what both libraries refuse, and where they choose otherwise at a tie."""
    spared = ("both raise", "another choice")
    return [(kind, text) for kind, text in complaints if kind not in spared and REFUSED not in kind]


def _short(error):
    return re.sub(r"\d+", "N", f"{type(error).__name__}: {str(error).splitlines()[0][:110]}")


__all__ = ["Run", "Symgrad", "differences", "functions", "plainly", "run", "serious", "study"]

"""How random programs on large arrays (`_large_programs.py`) are differentiated, and what must hold of the results.

A way writes lines into the program. What the lines call to hand something to the test: `kept` (a result, which shares
memory with nothing), `shown` (what a hook saw), `held` (what must not change), `seen` (a number to compare). What they
call to say what PyTorch says otherwise: `own` (a hook may write to it).
"""

import re
import warnings

import numpy as np

import symgrad as sg
from symgrad.core import _blocks

from ._large_programs import SWEEPS

# Ways ----------------------------------------------------------------------------------------------------------------


def _some(w, names, most=3):
    names = list(names)
    return w.r.sample(names, min(len(names), w.r.randrange(1, most + 1)))


def _live(w):
    return [n for n in w.known if n.startswith("v")]


HOOKS = [
    "lambda g: shown('{n}', g)", "lambda g: shown('{n}', g)", "lambda g: 2 * g", "lambda g: own(g).mul_(2)",
    "lambda g: own(g).mul_(2)", "lambda g: done(g.clone().mul_(3))", "lambda g: {c}", "lambda g: g",
    "lambda g: shown('{n}', g) or g - 1", "lambda g: keeping('{n}', 0.5 * g)",
]  # fmt: skip

NODE_HOOKS = [
    "register_hook(lambda gi, go: shown('{n}', *gi) or shown('{n} of outputs', *go))",
    "register_hook(lambda gi, go: tuple(None if g is None else 2 * g for g in gi))",
    "register_hook(lambda gi, go: tuple(None if g is None else own(g).mul_(2) for g in gi))",
    "register_prehook(lambda go: shown('{n}', *go))",
    "register_prehook(lambda go: tuple(None if g is None else 2 * g for g in go))",
    "register_prehook(lambda go: tuple(None if g is None else own(g).mul_(2) for g in go))",
]

POST_HOOKS = ["seen('{n}', t.grad)", "done(t.grad.mul_(0.5))", "shown('{n}', t.grad.clone())"]


def _watched(w, graph=False):
    """Lines that watch the sweeps, or take part in them."""
    lines, made = [], _live(w)
    if w.r.random() < 0.35:
        lines += [f"{v}.retain_grad()" for v in _some(w, made)]
    if w.r.random() < 0.35:
        for k, v in enumerate(_some(w, w.known, 2)):
            hook = w.r.choice([h for h in HOOKS if not (graph and "own" in h)])
            if "{c}" in hook:
                hook = hook.replace("{c}", w.constant(w.array(w.known[v])))
            lines.append(f"{v}.register_hook({hook.replace('{n}', f'hook {k}')})")
    made = [line.partition(" = ")[0] for line in w.p.lines if re.match(r"v\d+ = ", line) and "where" not in line]
    if w.r.random() < 0.12 and made:  # (PyTorch's where has no place for the condition)
        hook = w.r.choice([h for h in NODE_HOOKS if not (graph and "own" in h)])
        lines.append(f"{w.r.choice(made)}.grad_fn.{hook.replace('{n}', 'node')}")
    if w.r.random() < 0.12 and not graph:
        hook = w.r.choice(POST_HOOKS).replace("{n}", "after")
        lines.append(f"{w.r.choice(list(w.p.leaves))}.register_post_accumulate_grad_hook(lambda t: {hook})")
    return lines


def _losses(w):
    w.p.lines += [f"loss0 = {w.number(w.outputs(w.r.choice([1, 2, 3, 4])))}", f"loss1 = {w.number(w.outputs(2))}"]


def _seeded(w):
    """Outputs, and a seed of each; outputs of one shape may have the same."""
    outputs = list(dict.fromkeys(w.outputs(w.r.choice([1, 2, 2, 3]))))
    seeds = {}
    for v in outputs:
        shape = w.known[v]
        if shape not in seeds or w.r.random() < 0.3:
            leaves = [x for x in w.p.leaves if w.known[x] == shape]
            mine = f"{w.r.choice(leaves)}.detach()" if leaves and w.r.random() < 0.15 else None  # memory that is in use
            seeds[shape] = mine or w.constant(w.laid_out(shape))
        yield v, seeds[shape]


def _sweep(w, k):
    """One sweep, as lines without the brackets' end."""
    kind = w.r.choice(["backward", "backward", "seeds", "grad", "grad", "grad of seeds", "inputs"])
    if kind == "backward":
        return [f"loss{w.r.randrange(2)}.backward("]
    inputs = _some(w, [*w.p.leaves, *w.p.leaves, *w.known], 4)
    twice = kind.startswith("grad") and w.r.random() < 0.15  # the same input, for two results
    wanted = f"[{', '.join([*dict.fromkeys(inputs), *inputs[:twice]])}]"
    if kind == "inputs":
        return [f"loss0.backward(inputs={wanted}, "]
    if kind == "grad":
        return [f"g{k} = L.autograd.grad(loss{w.r.randrange(2)}, {wanted}, allow_unused=True, ", f"kept('g{k}', *g{k})"]
    outputs, seeds = (", ".join(part) for part in zip(*_seeded(w), strict=True))
    if "," not in outputs:  # PyTorch visits a single output whether anybody asks for it or not
        wanted = f"[{', '.join(dict.fromkeys([*inputs, outputs]))}]"
    if kind == "seeds":
        first = outputs.split(", ")[0]
        leaf = w.r.choice(list(w.p.leaves))
        if w.known[leaf] == w.known[first] and w.r.random() < 0.3:  # what is added to meanwhile
            return [f"if {leaf}.grad is not None: {first}.backward(own({leaf}.grad), "]
        return [f"L.autograd.backward([{outputs}], [{seeds}], "]
    return [f"g{k} = L.autograd.grad([{outputs}], {wanted}, [{seeds}], allow_unused=True, ", f"kept('g{k}', *g{k})"]


def tape(w):
    """Sweeps over recorded operations, one after the other."""
    _losses(w)
    lines = _watched(w)
    w.p.again = w.r.random() < 0.6
    count = w.r.choice([1, 1, 2, 3])
    sweeps = []
    for k in range(count):
        first, *rest = sweeps[-1] if sweeps and w.r.random() < 0.3 else _sweep(w, k)
        sweeps.append([first, *rest])
    captured = " ".join(first.partition("[")[2] for first, *_ in sweeps if "grad(" in first or "inputs" in first)
    retained = re.findall(r"\bv\d+\b", " ".join(first for first, *_ in sweeps if "inputs" in first))
    w.p.lines += [f"{v}.retain_grad()" for v in dict.fromkeys(retained)]  # they would from that sweep on
    w.p.lines += [line for line in lines if not _changes_captured(line, captured)] + [SWEEPS]
    for k, (first, *rest) in enumerate(sweeps):
        keep = w.p.again or k < count - 1
        w.p.lines += [f"{first}retain_graph={keep}, create_graph=G)", *rest]


def _changes_captured(line, captured):
    """Whether a hook may change a captured gradient of a non-leaf: PyTorch's depends on what else is captured."""
    name, _, rest = line.partition(".")
    changes = rest.startswith("register_hook") and "shown" not in rest and "done" not in rest
    return name.startswith("v") and (changes or "shown" in rest and " or " in rest) and re.search(rf"\b{name}\b", captured)


def twice(w):
    """The derivative of a derivative, in random directions."""
    _losses(w)
    w.p.again = w.r.random() < 0.5
    leaves = ", ".join(w.p.leaves)
    w.p.recorded = True
    weights = ", ".join(w.constant(w.array(w.known[x])) for x in w.p.leaves)
    w.p.lines += [
        *_watched(w, graph=True),
        SWEEPS,
        f"g = L.autograd.grad(loss0, [{leaves}], create_graph=True, allow_unused=True)",
        "held('g', *g)",
        f"live = [(a, c) for a, c in zip(g, [{weights}]) if a is not None and a.requires_grad]",
        w.r.choice([
            "e = sum((a * c).sum() for a, c in live)", "e = sum((a * a * c).sum() for a, c in live)",
            "e = sum((a * a).sum() for a, c in live) + loss1",
        ]),
    ]  # fmt: skip
    keep = f"retain_graph={w.p.again}"
    w.p.lines.append(
        w.r.choice([
            f"if live: kept('h', *L.autograd.grad(e, [{leaves}], allow_unused=True, {keep}))",
            f"if live: e.backward({keep})",
            f"if live: kept('h', *L.autograd.grad([a for a, c in live], [{leaves}], [c for a, c in live],"
            f" allow_unused=True, {keep}))",
            f"if live: L.autograd.backward([a for a, c in live], [c for a, c in live], {keep})",
        ])
    )  # fmt: skip


def _function(w, result, *calls):
    w.p.again = True
    w.p.lines += [f"return {result}", SWEEPS, *calls]


def gradient(w):
    """`grad` and `value_and_grad` of a function of arrays, by all of them or by the first."""
    many = tuple(range(len(w.p.leaves)))
    f, wrt, args, star = "f", many, ", ".join(w.p.arguments.values()), "*"
    if w.r.random() < 0.5:
        f, wrt, star = f"lambda x: f(x{_fixed(w)})", 0, ""
        args = w.p.arguments["x0"]
    calls = [f"kept('gradient', {star}T.grad({f}, {wrt})({args}))"]
    if w.r.random() < 0.5:
        calls = [f"value, g = T.value_and_grad({f}, {wrt})({args})", "seen('value', value)", f"kept('gradient', {star}g)"]
    _function(w, w.number(w.outputs(w.r.choice([1, 2, 3, 4]))), *calls)


def _fixed(w):
    """Constants for the arguments but the first."""
    return "".join(f", {w.constant(w.array(w.known[x]))}" for x in list(w.p.leaves)[1:])


def vjp(w):
    outputs = list(dict.fromkeys(w.outputs(w.r.choice([1, 2]))))
    seeds = [w.constant(w.array(w.known[v]), "s") for v in outputs]
    if len(outputs) == 2 and w.known[outputs[0]] == w.known[outputs[1]]:
        seeds = w.r.choice([seeds, seeds[:1] * 2])
    seed = f"({', '.join(seeds)})" if len(seeds) > 1 else seeds[0]
    calls = [f"kept('vjp {k}', *pull({seed}))" for k in range(w.r.choice([1, 2]))]
    result = ", ".join(outputs)
    _function(w, result, f"out, pull = T.vjp(f, {', '.join(w.p.arguments.values())})", *calls)


def jvp(w):
    if any("Given" in line for line in w.p.lines):  # its backward is not linear
        return vjp(w)
    outputs = list(dict.fromkeys(w.outputs(w.r.choice([1, 2]))))
    tangents = "".join(f"{w.constant(w.array(w.known[x]), 's')}, " for x in w.p.leaves)
    arguments = "".join(f"{a}, " for a in w.p.arguments.values())
    star = "*" if len(outputs) > 1 else ""
    _function(w, ", ".join(outputs), f"out, t = T.jvp(f, ({arguments}), ({tangents}))", f"kept('jvp', {star}t)")


def hvp(w):
    direction = w.constant(w.array(w.known["x0"]), "s")
    call = f"T.hvp(lambda x: f(x{_fixed(w)}), {w.p.arguments['x0']}, {direction})"
    _function(w, w.number(w.outputs(w.r.choice([1, 2, 2]))), f"kept('hvp', {call})")


MODELS = """
    L.exp(0.3 * @).sum() | F.softplus(@).sum() | (@ ** 2).sum() | (L.sin(@) * #).sum() | ((@ - #) ** 2).mean() |
    L.log(1 + @ * @).sum() | L.logsumexp(@, 0) | (L.tanh(@) * L.sigmoid(@)).sum() | (@ * @ + #).sum() |
    (F.softplus(@) - # * @).sum() | ((@ - #).abs() ** 3).sum() | L.hypot(@, 1 + # * #).sum() | L.var(@) |
    (L.exp(0.2 * @) * @).mean() | (@.cumsum(0) * 1e-3).sin().sum()
"""


def hessian(w):
    """The Hessian of a function of few parameters and many rows of data, in every format."""
    rows, k = math_rows(w.shape), w.r.choice([1, 2, 3])
    w.p.arrays, w.p.leaves, w.p.arguments, w.p.lines = {"a0": w.array((k,))}, {"x0": ""}, {"x0": "a0"}, []
    data, side = w.constant(w.array((rows, k))), w.constant(w.array((rows,)))
    columns = " + ".join(f"x0[{i}] * {data}[:, {i}]" for i in range(k))
    w.p.lines.append(f"v0 = {w.r.choice([f'{data} @ x0', columns, f'L.sin({data} @ x0)', f'{data} @ x0 + {side}'])}")
    models = [m.strip() for m in MODELS.replace("\n", "|").split("|") if m.strip()]
    terms = [w.r.choice(models).replace("@", "v0").replace("#", side) for _ in range(w.r.choice([1, 2, 2]))]
    way = w.r.choice(["dense", "csr", "structured"])
    _function(w, " + ".join(terms), f"kept('hessian', T.hessian(f, format={way!r})(a0))")


def math_rows(shape):
    return int(np.prod(shape))


WAYS = [(tape, 50), (twice, 14), (gradient, 14), (vjp, 8), (jvp, 4), (hvp, 7), (hessian, 4)]
"""Ways, and how often they are taken."""


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

    names = {
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

    names = {**Symgrad.names, "G": True, "own": lambda g: g.clone()}


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
    before, _blocks.BIG = _blocks.BIG, 1 << 60
    try:
        return run(program, Plainly)[1]
    finally:
        _blocks.BIG = before


def study(program, judge=plainly, repeat=True):
    """What is wrong with symgrad's derivatives of a program: pairs (kind, text)."""
    found, ours = run(program, Symgrad)
    theirs = judge(program)
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        if isinstance(ours, Exception) and isinstance(theirs, Exception):
            return [("both raise", _short(theirs))]
        return [(f"raises: symgrad: {_short(ours)}" if isinstance(ours, Exception) else f"raises: the judge: {_short(theirs)}",
                 "")]  # fmt: skip
    complaints = [("number", f"{name}: {text}") for name, text in differences(ours, theirs, program.tolerance)]
    if complaints and judge is not plainly:
        other = plainly(program)
        alike = not isinstance(other, Exception) and not list(differences(other, theirs, program.tolerance))
        if not alike:
            complaints = [("number, without blocks too", text) for _, text in complaints]
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
    """What `study` found, without what both libraries refuse."""
    return [(kind, text) for kind, text in complaints if kind != "both raise" and REFUSED not in kind]


def _short(error):
    return re.sub(r"\d+", "N", f"{type(error).__name__}: {str(error).splitlines()[0][:110]}")


__all__ = ["WAYS", "Run", "Symgrad", "differences", "functions", "plainly", "run", "serious", "study"]

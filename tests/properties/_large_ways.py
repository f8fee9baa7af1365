"""How random programs on large arrays (`_large_programs.py`) are differentiated: sweeps, hooks, functions of functions.

A way writes lines into the program. The lines hand to the test, by functions of `_large_runs.py`, what they get: `kept`
(a result, which shares memory with nothing), `shown` (what a hook saw), `held` (what must not change), `seen` (a number
to compare). `own` is the gradient that a hook writes to.
"""

import math
import random
import re

from ._large_programs import LARGE, SWEEPS, LargeWriter

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
            # memory that is in use (PyTorch may take it for .grad)
            mine = f"own({w.r.choice(leaves)}.detach())" if leaves and w.r.random() < 0.15 else None
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
        if w.known[leaf] == w.known[first] and w.r.random() < 0.3:  # a copy: PyTorch too adds to .grad while it travels
            return [f"if {leaf}.grad is not None: {first}.backward({leaf}.grad.clone(), "]
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
    """Whether a hook may change a captured gradient of a non-leaf, or is one of a node that is captured and not run:
    what PyTorch does depends on what else is captured."""
    name, _, rest = line.partition(".")
    looks = re.search(r"lambda g: (shown\('[^']*', g\)|done\(.*\))\)$", rest)
    changes = name.startswith("v") and re.match(r"register_hook|grad_fn\.register_prehook", rest) and not looks
    return changes and re.search(rf"\b{name}\b", captured)


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
        calls = [f"value, g = T.value_and_grad({f}, {wrt})({args})", "seen('value', value)"]
        calls.append(f"kept('gradient', {star}g)")
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
    rows, k = math.prod(w.shape), w.r.choice([1, 2, 3])
    w.p.arrays, w.p.leaves, w.p.arguments, w.p.lines = {"a0": w.array((k,))}, {"x0": ""}, {"x0": "a0"}, []
    data, side = w.constant(w.array((rows, k))), w.constant(w.array((rows,)))
    columns = " + ".join(f"x0[{i}] * {data}[:, {i}]" for i in range(k))
    w.p.lines.append(f"v0 = {w.r.choice([f'{data} @ x0', columns, f'L.sin({data} @ x0)', f'{data} @ x0 + {side}'])}")
    models = [m.strip() for m in MODELS.replace("\n", "|").split("|") if m.strip()]
    terms = [w.r.choice(models).replace("@", "v0").replace("#", side) for _ in range(w.r.choice([1, 2, 2]))]
    way = w.r.choice(["dense", "csr", "structured"])
    _function(w, " + ".join(terms), f"kept('hessian', T.hessian(f, format={way!r})(a0))")


WAYS = [(tape, 50), (twice, 14), (gradient, 14), (vjp, 8), (jvp, 4), (hvp, 7), (hessian, 4)]
"""Ways, and how often they are taken."""


def program_of(seed, most=8, sizes=LARGE):
    """The program of a number."""
    r = random.Random(seed)
    w = LargeWriter(r, sizes, single=r.random() < 0.06)
    w.operations(r.randrange(2, most + 1))
    ways, weights = zip(*WAYS, strict=True)
    r.choices(ways, weights)[0](w)
    w.p.lines.append("pass")
    return w.p


__all__ = ["WAYS", "program_of"]

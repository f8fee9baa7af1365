"""Random programs on large arrays: what the reverse sweep computes in blocks, and adds up in memory of its own.

A program is a script that PyTorch runs too: operations on leaves ``x0, …`` (made of arrays ``a0, …`` of many layouts)
and constants ``c0, …``, then how they are differentiated (`_large_ways.py`). Many operations hand the gradient on as it
is and variables are used several times, so one array is the gradient of many: adding to it must not be seen elsewhere.
Which sizes count as large is a parameter.
"""

import math
import re

import numpy as np

from ._operations import UNARY, _along, _binary, _each, _kept, _unary, _whole, at
from ._programs import Writer
from ._shape_operations import _expand, _join, _repeat, _reshape, _squeeze, _transpose

LARGE = [(65_537,), (70_001,), (300, 300), (5, 20_000)]
LOW = [(5,), (7,), (3, 3), (2, 4)]
"""Shapes that play the part of large ones where the thresholds are lowered to 2 entries."""

SWEEPS = "# sweeps"
"""The line after which a program differentiates; what stands before it is not run again."""


class LargeProgram:
    """Lines of code, and the text of the arrays that they start from."""

    def __init__(self):
        self.arrays, self.leaves, self.arguments, self.lines, self.shapes = {}, {}, {}, [], {}
        self.again = False
        """Whether what follows `SWEEPS` may run twice."""

        self.recorded = False
        """Whether its sweeps record, so that gradients are part of a graph."""

    tolerance = 1e-9

    def made(self):
        """The arrays that the lines mention, new; ``c…`` become tensors, ``a…`` and ``s…`` stay arrays."""
        scope = {"np": np}
        return {k: eval(self.arrays[k], scope) for k in self.mentioned()}

    def mentioned(self):
        """The arrays that the lines mention."""
        text = "\n".join(self.source)
        return [k for k in self.arrays if re.search(rf"\b{k}\b", text)]

    @property
    def is_function(self):
        return any(line.startswith("return ") for line in self.lines)

    @property
    def source(self):
        """Two texts: what is recorded (or the function), and the sweeps (or calls)."""
        cut = self.lines.index(SWEEPS)
        head, sweeps = self.lines[:cut], self.lines[cut + 1 :]
        if self.is_function:
            head = [*[f"{x} = L.as_tensor({x})" for x in self.leaves], *head]  # its lines are PyTorch's
            head = [f"def f({', '.join(self.leaves)}):", *[f"    {line}" for line in head]]
        else:
            text = "\n".join(self.lines)
            head = [f"{k} = {made}" for k, made in self.leaves.items() if re.search(rf"\b{k}\b", text)] + head
        return "\n".join(head), "\n".join(sweeps)

    def __repr__(self):
        text = "\n".join(self.source).replace(", create_graph=G", "").removesuffix("\npass")
        lines = ["import numpy as np", "import symgrad as sg"]
        used = [n for n in HELPERS if re.search(rf"\b{n}\b", text)]
        if used:
            lines.append(f"from tests.properties._large_runs import {', '.join(used)}")
        lines += ["", "L, F, T = sg, sg.nn.functional, sg"]
        for k in self.mentioned():
            lines.append(f"{k} = L.from_numpy({self.arrays[k]})" if k.startswith("c") else f"{k} = {self.arrays[k]}")
        return "\n".join([*lines, text])


HELPERS = ("Same", "Both", "Given", "own", "done", "seen", "shown", "keeping", "held", "kept")
"""What programs call beside the library: see `_large_runs.py`."""


# Operations ----------------------------------------------------------------------------------------------------------

PASSING = _each(
    _unary,
    """
    @.clone() | -@ | @ + 1.5 | 2 - @ | @.reshape(@.shape) | @[...] | Same.apply(@) | @ - 0.5 | L.neg(@) | @[None][0] |
    @.unsqueeze(0).squeeze(0) | @.expand(@.shape) | @.flatten().reshape(@.shape) | +@ | @.view_as(@) |
    L.sub(1, @) | @.expand(1, *@.shape)[0] | @ * 1 | @ / 1 | L.atleast_1d(@).reshape(@.shape)
    """,
)

PASSING_PAIRS = _each(
    _binary,
    """
    @ + # | @ + # | @ - # | # - @ | L.add(@, #, alpha=0.5) | L.sub(@, #) | L.add(@, #) | @ + # + @ | (@ + #) - # |
    L.add(@, #, alpha=-1) | L.where(@ > #, @, #) | L.maximum(@, #)
    """,
)

COMPUTED = [
    *_each(
        _unary,
        """
    L.sin(@) | L.exp(L.tanh(@)) | L.tanh(@) | @ * @ | @ ** 2 | L.sigmoid(@) | 1 / (2 + L.sin(@)) | L.relu(@) |
    L.where(@ > 0, @, 0.5 * @) | L.clamp(@, -0.7, 0.9) | L.log(1 + @ * @) | L.sqrt(1 + @ * @) | 0.5 * @ | @ / 4 |
    @.abs() | L.exp(-@ * @) | L.cos(@) | @ ** 3 | F.softplus(@) | L.square(@) | @ * 2 | L.clamp(@, min=-0.3)
        """,
    ),
    lambda w: w.r.choice(UNARY)(w) if w.r.random() < 0.3 else None,
]

COMPUTED_PAIRS = _each(
    _binary,
    """
    @ * # | @ * # | @ / (2 + L.sin(#)) | @ * # + @ | L.where(@ > 0, @, #) | L.lerp(@, #, 0.3) |
    L.atan2(@, 2 + L.sin(#)) | L.addcmul(@, @, #) | L.minimum(@, #) | L.hypot(@, 1 + # * #) | (@ - #) ** 2 |
    (@ - #) * (@ + #)
    """,
)

WHOLE = _each(_whole, "@.sum() | @.mean() | L.sum(@ * @) | L.logsumexp(@.flatten(), 0) | L.var(@, correction=0)")

ALONG = [
    *_each(
        _along,
        """
    @.sum({d}, keepdim={k}) | @.mean({d}, keepdim={k}) | @.sum({d}, keepdim={k}) | L.logsumexp(@, {d}, keepdim={k}) |
    L.amax(@, {d}, keepdim={k}) | L.linalg.vector_norm(1.5 + L.sin(@), dim={d}, keepdim={k})
        """,
    ),
    *_each(
        _kept,
        """
    L.softmax(@, {d}) | L.cumsum(@, {d}) | L.sort(@, dim={d}, stable=True)[0] | L.flip(@, [{d}]) | L.roll(@, 1, {d}) |
    @ - @.mean({d}, keepdim=True) | L.log_softmax(@, {d}) | L.cat(L.chunk(@, 2, {d}), {d}) | @.cumsum({d}).flip({d}) |
    L.cat(L.chunk(@, 2, {d})[::-1], {d}) | L.stack([@, @], {d}).sum({d}) | sum(L.unbind(L.stack([@, -@, @], 0))) |
    L.stack([@, @.sin()], {d}).mean({d})
        """,
    ),
]


def _parts(w):
    """A part of an array, along one dimension."""
    v = w.pick(lambda s: any(n > 2 for n in s))
    if v is None:
        return None
    shape = w.known[v]
    d = w.r.choice([k for k, n in enumerate(shape) if n > 2])
    n, k = shape[d], w.r.randrange(2)
    half, skip = (n + 1) // 2, ", ".join([":"] * d + [""])
    return w.r.choice([
        (f"L.split({v}, {n - 1}, {d})[{k}]", at(shape, d, 1 if k else n - 1)),
        (f"L.chunk({v}, 2, {d})[{k}]", at(shape, d, n - half if k else half)),
        (f"L.narrow({v}, {d}, 1, {n - 1})", at(shape, d, n - 1)), (f"L.select({v}, {d}, {k})", at(shape, d, None)),
        (f"{v}[{skip}1:]", at(shape, d, n - 1)), (f"{v}[{skip}:-1]", at(shape, d, n - 1)),
        (f"{v}[{skip}::2]", at(shape, d, half)), (f"{v}[{skip}-1]", at(shape, d, None)),
        (f"{v}[{skip}1::2]", at(shape, d, n // 2)), (f"L.unbind({v}[{skip}:3], {d})[1]", at(shape, d, None)),
    ])  # fmt: skip


def _chosen(w):
    """Entries chosen by indices or masks."""
    v = w.pick(lambda s: s)
    if v is None:
        return None
    shape, d = w.known[v], w.dim(v)
    other = w.r.choice([n for n, s in w.known.items() if s == shape])
    draw = f"np.random.default_rng({w.r.randrange(99)})"
    kind = w.r.choice(["mask", "full", "line", "put"])
    if kind == "mask":
        c = w.constant(f"{draw}.random({shape}) < 0.5")
        return w.r.choice([f"L.where({c}, {v}, {other})", f"{v}.masked_fill({c}, 0.5)",
                           f"L.where({c}, {v}, 0.0) + {other}"]), shape  # fmt: skip
    if kind == "full":
        c = w.constant(f"{draw}.integers(0, {shape[d]}, {shape})")
        return w.r.choice([f"L.gather({v}, {d}, {c})", f"L.scatter_add({v}, {d}, {c}, {other})"]), shape
    c = w.constant(f"{draw}.permutation({shape[d]})")
    if kind == "put":
        return f"L.index_add({v}, {d}, {c}, {other})", shape
    return f"L.index_select({v}, {d}, {c})", shape


def _matrix(w):
    v = w.pick(lambda s: len(s) == 2 and s[0] == s[1])
    if v is None:
        return None
    other = w.r.choice([n for n, s in w.known.items() if s == w.known[v]])
    return w.r.choice([
        f"0.05 * ({v} @ {other})", f"{v}.T", f"0.05 * L.mm({v}, {other}.T)", f"L.tril({v})", f"{v} + {other}.mT",
        f"0.05 * L.einsum('ij,kj->ik', {v}, {other})", f"L.outer({v}[0], {other}[1])", f"({v} @ {other}[0]) * {v}",
        f"L.addmm({v}, {v}, {other}, alpha=0.05)",
    ]), w.known[v]  # fmt: skip


def _product(w):
    """Products that sum over what two arrays share."""
    v = w.pick(lambda s: s)
    if v is None:
        return None
    shape = w.known[v]
    other = w.r.choice([n for n, s in w.known.items() if s == shape])
    return w.r.choice([
        (f"L.dot({v}.flatten(), {other}.flatten())", ()), (f"L.tensordot({v}, {other}, {len(shape)})", ()),
        (f"L.einsum('...i,...i->...', {v}, {other})", shape[:-1]), (f"L.dist({v}, {other} + 3)", ()),
        (f"L.norm({v})", ()), (f"L.vdot({v}.reshape(-1), {other}.reshape(-1)) * {v}", shape),
    ])  # fmt: skip


def _both(w):
    v = w.pick()
    other = w.r.choice([n for n, s in w.known.items() if s == w.known[v]])
    if w.r.random() < 0.2:
        return f"Given.apply({v}, {w.constant(w.array(w.known[v]))})", w.known[v]
    return f"Both.apply({v}, {other})", w.known[v]


def _written(w):
    """A write to the newest variable, which nothing has looked at yet."""
    v = w.fresh
    if v is None:
        return None
    shape = w.known[v]
    other = w.pick(lambda s: s == shape)
    texts = [f"{v}.mul_(2)", f"{v} += 1", f"{v}.neg_()", f"{v}[...] = 0.5 * {v}.detach()", f"{v}.sin_()"]
    if other != v:
        texts += [f"{v} += {other}", f"{v}.mul_({other})", f"{v}.sub_({other})", f"{v}[...] = {other}"]
        if shape and shape[0] > 1:
            texts += [f"{v}[1:] += {other}[1:]", f"{v}[::2] = {other}[::2]", f"{v}[:1].mul_({other}[:1])",
                      f"{v}.narrow(0, 0, {shape[0] - 1}).copy_({other}[1:])"]  # fmt: skip
    return w.r.choice(texts)


SHAPES = [_reshape, _transpose, _transpose, _squeeze, _expand, _join, _join, _repeat, _parts, _parts, _parts]

GROUPS = [
    (PASSING, 3), (PASSING_PAIRS, 8), (COMPUTED, 6), (COMPUTED_PAIRS, 5), (WHOLE, 0.3), (ALONG, 1.2), (SHAPES, 2),
    ([_chosen], 0.8), ([_matrix], 1), ([_product], 0.5), ([_both], 1), ([_written], 1.2),
]  # fmt: skip
"""Makers, and how often they are asked."""


CHOICES = r"sort|>|clamp|relu|max|min|abs"
"""What depends on which of two numbers is larger: in single precision two libraries may not agree."""

# Programs ------------------------------------------------------------------------------------------------------------


class LargeWriter(Writer):
    """Writes one program; arrays are texts."""

    def __init__(self, r, sizes=LARGE, single=False):
        self.r, self.smooth, self.inplace, self.single = r, False, False, single
        self.p = LargeProgram()
        if single:
            self.p.tolerance = 1e-3
        self.known, self.fresh, self.favourite = self.p.shapes, None, None
        self.shape = r.choice(sizes)
        self.most = 4 * math.prod(self.shape)
        for _ in range(r.choice([1, 2, 2, 3])):
            small = self.p.leaves and r.random() < 0.25
            self.leaf(self.beside() if small else self.shape)

    def leaf(self, shape):
        """A leaf, and the array that it is made of, perhaps that of another leaf."""
        x, a = f"x{len(self.p.leaves)}", f"a{len(self.p.leaves)}"
        same = [b for k, b in self.p.arguments.items() if self.known[k] == shape]
        if same and self.r.random() < 0.15:
            a = self.r.choice(same)
        else:
            self.p.arrays[a] = self.laid_out(shape)
        way = self.r.choice(["L.from_numpy({}).requires_grad_()", "L.tensor({}, requires_grad=True)"])
        self.p.leaves[x], self.p.arguments[x], self.known[x] = way.format(a), a, shape

    def beside(self):
        """A small shape that broadcasts with the large one."""
        return self.r.choice([(), self.shape[-1:], (*self.shape[:-1], 1), (1,) * len(self.shape)])

    def array(self, shape):
        draw = f"np.random.default_rng({self.r.randrange(99)}).uniform(-1.3, 1.3, {tuple(shape)})"
        return draw + (".astype(np.float32)" if self.single else "")

    def laid_out(self, shape):
        """An array of this shape, not always row by row without gaps."""
        if not shape or self.r.random() < 0.75:
            return self.array(shape)
        layout = self.r.choice(["transposed", "strided", "reversed", "Fortran", "expanded"])
        if layout == "strided":
            return f"{self.array((2 * shape[0], *shape[1:]))}[::2]"
        if layout == "expanded":
            return f"np.broadcast_to({self.array((*shape[:-1], 1))}, {shape})"
        form = {"transposed": "{}.T", "reversed": "{}[::-1]", "Fortran": "np.asfortranarray({})"}[layout]
        return form.format(self.array(shape[::-1] if layout == "transposed" else shape))

    def constant(self, text, kind="c"):
        """The name of an array that wants no gradient: a tensor, or an array as it is (``s``)."""
        name = f"{kind}{len(self.p.arrays)}"
        self.p.arrays[name] = text
        return name

    def pick(self, accept=lambda s: True):
        """A variable whose shape fits; often the favourite one, so that it is used many times."""
        names = [n for n, s in self.known.items() if accept(s) and math.prod(s)]
        if not names:
            return None
        if self.favourite in names and self.r.random() < 0.35:
            return self.favourite
        large = [n for n in names if self.known[n] == self.shape]
        names = large if large and self.r.random() < 0.6 else names
        return self.r.choice(names[-3:] if self.r.random() < 0.5 else names)

    def partner(self, v):
        """Another variable, where there is one."""
        w, shape = super().partner(v)
        return super().partner(v) if w == v else (w, shape)

    def accept(self, made):
        super().accept(made)
        if not isinstance(made, str):
            name = f"v{len(self.p.lines) - 1}"
            alone = re.match(r"^(L\.(sin|tanh|exp|sigmoid|cos)\(|-|.*clone\(\)$|[vxc]\d+ [+*-] [vxc]\d+$)", made[0])
            self.fresh = name if alone else None
            if self.known[name] == self.shape and self.r.random() < 0.3:
                self.favourite = name

    def operations(self, count):
        """Write the operations."""
        self.favourite = self.pick(lambda s: s == self.shape)
        groups, weights = zip(*GROUPS, strict=True)
        late = [6 if g is PASSING_PAIRS else 1 if g in (PASSING, SHAPES) else 0.3 for g in groups]
        late = [a * b for a, b in zip(late, weights, strict=True)]
        while count:  # what computes is pulled last, when gradients that were handed on are there to be added to
            made = self.r.choice(self.r.choices(groups, weights if count > 2 else late)[0])(self)
            text = made if made is None or isinstance(made, str) else made[0]
            if text is None or (self.single and re.search(CHOICES, text)):
                continue
            self.accept(made)
            count -= 1

    def outputs(self, count):
        """Variables to differentiate: mostly those that nothing else uses."""
        text = " ".join(line.partition(" = ")[2] for line in self.p.lines)
        made = [n for n in self.known if n.startswith("v")]
        ends = [n for n in made if not re.search(rf"\b{n}\b", text)] or made or ["x0"]
        found = self.r.sample(ends, min(len(ends), count))  # (of all others nothing would be differentiated)
        return [*found, self.r.choice(made)] if made and self.r.random() < 0.3 else found

    def number(self, names):
        """The text of a loss of some variables; most hand the same number to all entries."""
        texts = ["@.sum()", "@.mean()", "(@ ** 2).sum()", "(@ * @).sum()", "(@ * #).sum()", "(@ * #).sum()"]
        terms = [(self.r.choice(texts).replace("@", n), self.known[n]) for n in dict.fromkeys(names)]
        return " + ".join(t.replace("#", self.constant(self.array(s))) if "#" in t else t for t, s in terms)


__all__ = ["LARGE", "LOW", "SWEEPS", "LargeProgram", "LargeWriter"]

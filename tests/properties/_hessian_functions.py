"""Random scalar functions for Hessians: programs as in `_programs`, with more operations and constants that change.

A function's text is compiled once; its constants (arrays, numbers, indices, masks) are names of its module, so that a
test can change them between two calls, or change a number in the text, and ask for the Hessian again.
"""

import random
import re

import numpy as np

import symgrad as sg

from ._operations import INPLACE, KINKED, PRODUCT, REDUCE, UNARY, _along, _binary, _each, _kept, _unary, _whole
from ._programs import Writer
from ._shape_operations import INDEX, SHAPE

SHAPES = [(1,), (2,), (3,), (4,), (5,), (7,), (2, 2), (3, 3), (2, 3), (4, 2), (1, 3), (3, 1)]


class Function:
    """The text of a function of arrays, the constants that it mentions and the point to start from."""

    def __init__(self, leaves):
        self.leaves, self.constants, self.lines = leaves, {}, []
        self.shapes = {f"x{i}": a.shape for i, a in enumerate(leaves)}

    @property
    def source(self):
        # its lines are PyTorch's, whatever it is run at
        names = [f"x{i}" for i in range(len(self.leaves))]
        body = "\n    ".join([*[f"{x} = L.as_tensor({x})" for x in names], *self.lines])
        return f"def f({', '.join(f'x{i}' for i in range(len(self.leaves)))}):\n    {body}\n    return loss\n"

    def compiled(self, source=None):
        """The function; its constants are looked up in its module, ``f.__globals__``."""
        scope = {"L": sg, "F": sg.nn.functional, "np": np, "sg": sg, **self.constants}
        exec(source or self.source, scope)
        return scope["f"]

    def __repr__(self):
        lines = ["import numpy as np", "import symgrad as sg", "", "L, F = sg, sg.nn.functional"]
        lines += [f"{k} = {written(v)}" for k, v in self.constants.items() if re.search(rf"\b{k}\b", self.source)]
        lines += ["", "", self.source, ""]
        lines += [f"x{i} = {written(a)}" for i, a in enumerate(self.leaves)]
        return "\n".join(lines)


def written(value):
    """A constant as source."""
    if isinstance(value, sg.Tensor):
        return f"sg.tensor({value.tolist()!r})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, np.{value.dtype.name}).reshape({value.shape})"
    return repr(value)


# Operations ----------------------------------------------------------------------------------------------------------


def _numbered(template):
    """An entry-wise operation with a number that can change."""

    def make(w):
        v = w.pick()
        return template.replace("@", v).replace("#", w.number()), w.known[v]

    return make


NUMBERED = _each(
    _numbered,
    """
    @ * # | # - @ | @ + # | @ / # | # / (2.5 + L.sin(@)) | (1.5 + @ * @) ** # | # ** L.sin(@) | L.clamp(@, max=#) |
    L.where(@ > #, @, 2 * @) | np.multiply(#, @) | F.softplus(# * @) | L.maximum(@, #) | L.log1p(# * L.exp(@)) |
    @ % # | L.where(@ > 0.2, #, @) | L.lerp(@, @ * @, #) | L.add(@, @, alpha=#) | L.addcmul(@, @, @, value=#) |
    F.leaky_relu(@, #) | F.softplus(@, beta=#) | L.xlogy(#, 1 + @ * @) | L.clamp(@, -0.4 * #, 0.9)
    """,
)

WRITTEN = _each(
    _unary,
    """
    np.exp(-@ * @) | np.sin(@) | np.log1p(@ ** 2) | np.where(@ > 0, @, @ ** 3) | np.abs(@) | np.tanh(@) |
    np.sqrt(@ ** 2 + 1) | np.maximum(@, 0) | np.square(@) * 3 | np.logaddexp(0, @) | L.relu(@) ** 3 | @ * L.relu(@) |
    1 / (1 + np.exp(-@)) | L.log(1 + L.exp(@)) | L.log(L.exp(@) + L.exp(-@)) | L.polygamma(1, 2 + @ * @) |
    (1 + @ * @) ** -1.5 | (2 + L.sin(@)) ** -3 | L.erf(@) * @ | L.lgamma(1 + @ * @) | @ * @.detach() |
    (@ * @).sum() - @ | @ + sg.grad(lambda t: (t ** 3 + t.sum() ** 2).sum())(@) |
    L.where(@ > 0, L.log(@.abs() + 0.1), @ * 0.5) | @ ** 4 | @ ** 5 | @ ** 3 - @ | L.sign(@) * @ ** 2 |
    @.tanh() ** 2 | @.sigmoid().log() | L.erfc(@) | F.gelu(@, approximate='tanh') | L.special.ndtr(@) |
    F.huber_loss(@, 0.3 * @, reduction='none') | L.exp(@ - @.max()) | @ / (1 + @.abs()) | @.abs() ** 1.5 |
    L.hypot(@, 2.0)
    """,
)

LOSSES = _each(
    _whole,
    """
    L.log(L.sum(L.exp(@))) | L.sum(@ ** 2) ** 2 | L.sqrt(1 + L.sum(@ * @)) | L.prod(@) | @.norm() |
    L.std(1.5 * L.flatten(@).repeat([2])) | L.max(@) ** 2 | L.min(@) * 3 | @.var(correction=0) ** 2 | L.sum(@) ** 3 |
    np.sum(@) * np.mean(@ * @) | @.logsumexp(0).sum() | np.linalg.norm(@ + 2) | L.linalg.norm(L.flatten(@) + 1, 3) |
    L.amax(@) - L.amin(@) | @.mean() ** 2 | L.median(@)
    """,
)

AXES = [
    *_each(
        _along,
        """
    L.amax(@, {d}, keepdim={k}) | L.amin(@, {d}, keepdim={k}) | L.max(@, {d}, keepdim={k})[0] |
    L.std(@, {d}, correction=0, keepdim={k}) | np.sum(@, axis={d}, keepdims={k}) |
    np.mean(@, axis={d}, keepdims={k}) | L.norm(@, dim={d}, keepdim={k}) | L.median(@, {d}, keepdim={k})[0] |
    np.max(@, axis={d}, keepdims={k}) | L.logsumexp(@, {d}, keepdim={k})
        """,
    ),
    *_each(
        _kept,
        """
    L.softmax(@, {d}) | L.log_softmax(@, {d}) | L.cumsum(@, {d}) | L.cumprod(@, {d}) | L.sort(@, {d})[0] |
    L.cummax(@, {d})[0] | L.roll(@, -2, {d}) | L.flip(@, [{d}]) | np.cumsum(@, axis={d}) | np.roll(@, 1, axis={d}) |
    np.flip(@, {d}) | @ / @.norm(dim={d}, keepdim=True) | F.softmin(@, dim={d}) |
    @ - L.logsumexp(@, {d}, keepdim=True)
        """,
    ),
]


def _sliced(w):
    """Slices as NumPy has them, steps and all, and products of neighbours."""
    v = w.pick(lambda s: s and s[0] > 1)
    if v is None:
        return None
    n, rest = w.known[v][0], w.known[v][1:]
    return w.r.choice([
        (f"{v}[1:] - {v}[:-1]", (n - 1, *rest)), (f"{v}[1:] * {v}[:-1]", (n - 1, *rest)),
        (f"L.diff({v}, dim=0)", (n - 1, *rest)), (f"{v}[::2]", ((n + 1) // 2, *rest)), (f"{v}[-2:]", (2, *rest)),
        (f"{v}[1:] - {v}[:-1] ** 2", (n - 1, *rest)), (f"{v}[-1] * {v}", (n, *rest)), (f"{v}[0] + {v}", (n, *rest)),
        (f"{v}[1::2]", (n // 2, *rest)), (f"({v}[:, None] - {v}[None]) ** 2", (n, n, *rest)),
        (f"sum([{v}[k] * {v}[k - 1] for k in range({n})])", rest),
        (f"L.stack([{v}[k] for k in range({n})][::-1])", (n, *rest)),
        (f"L.cat([{v}[-1:], {v}[:-1]])", (n, *rest)), (f"F.pad({v}, {(0, 0) * len(rest) + (1, 2)})", (n + 3, *rest)),
        (f"L.exp(-({v}[:, None] - {v}[None]) ** 2)", (n, n, *rest)), (f"L.flip({v}, [0])[::2]", ((n + 1) // 2, *rest)),
    ])  # fmt: skip


def _gathered(w):
    """Integer arrays and masks that can change."""
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    shape = w.known[v]
    k = w.r.randrange(1, 5)
    rows = w.constant(w.numbers.integers(-shape[0], shape[0], k))
    other = w.constant(w.numbers.integers(0, shape[-1], k))
    mask = w.constant(w.numbers.random(shape) < 0.6)
    found = [
        (f"{v}[{rows}]", (k, *shape[1:])), (f"L.where({mask}, {v}, 0.3)", shape), (f"{v} * {mask}", shape),
        (f"{v}[..., {other}]", (*shape[:-1], k)), (f"np.where({mask}, {v}, {v} ** 2)", shape),
        (f"np.take({v}, {other}, axis=-1)", (*shape[:-1], k)), (f"{v}[{mask}].sum() * {v}", shape),
    ]  # fmt: skip
    if len(shape) == 2:
        found += [(f"{v}[{rows}, {other}]", (k,)), (f"{v}[:, {other}]", (shape[0], k))]
        found += [(f"{v}[{rows}][:, {other}]", (k, k))]
    return w.r.choice(found)


def _model(w):
    """A data matrix times a vector, and what one does with it."""
    v = w.pick(lambda s: len(s) == 1)
    if v is None:
        return None
    n, m = w.known[v][0], w.r.randrange(1, 7)
    a, y = w.constant(w.array((m, n))), w.constant(w.array((m,)))
    signs = w.constant(np.sign(w.array((m,))))
    return w.r.choice([
        (f"{a} @ {v}", (m,)), (f"{a} @ {v} - {y}", (m,)), (f"(({a} @ {v} - {y}) ** 2).sum()", ()),
        (f"L.log1p(L.exp(-{signs} * ({a} @ {v})))", (m,)), (f"F.softplus({a} @ {v}) - {y} * ({a} @ {v})", (m,)),
        (f"L.exp({a} @ {v}) - {y} * ({a} @ {v})", (m,)), (f"np.dot({a}, {v})", (m,)), (f"np.tanh({a} @ {v})", (m,)),
        (f"{v} @ {a}.T", (m,)), (f"({a} * {v}).sum(-1)", (m,)), (f"np.einsum('ij,j->i', {a}, {v})", (m,)),
        (f"{v} @ ({a}.T @ {a}) @ {v}", ()), (f"np.logaddexp(0, {a} @ {v})", (m,)), (f"L.relu({a} @ {v}) * {y}", (m,)),
        (f"L.outer({y}, {v})", (m, n)), (f"{a} + {v}", (m, n)), (f"np.outer({v}, {v})", (n, n)),
        (f"L.log({a} ** 2 @ {v} ** 2 + 1)", (m,)), (f"L.softmax({a} @ {v}, 0)", (m,)), (f"{a} * L.exp({v})", (m, n)),
    ])  # fmt: skip


def _square(w):
    """Linear algebra of well-conditioned matrices."""
    v = w.pick(lambda s: len(s) in (1, 2) and s[-1] <= 4 and s[0] <= 4)
    if v is None:
        return None
    n = w.known[v][0]
    base = f"({v} @ {v}.T" if len(w.known[v]) == 2 else f"(L.outer({v}, {v})"
    K = f"{base} + 2 * L.eye({n}))"
    b = w.constant(w.array((n,)))
    B = w.constant(w.array((n, 2)))
    return w.r.choice([
        (f"L.linalg.inv{K}", (n, n)), (f"L.linalg.det{K}", ()), (f"L.linalg.slogdet{K}[1]", ()), (f"L.logdet{K}", ()),
        (f"L.linalg.cholesky{K}", (n, n)), (f"L.linalg.solve({K}, L.tensor({b}))", (n,)),
        (f"np.linalg.solve({K}, {b})", (n,)),
        (f"L.linalg.matrix_power({K}, 2)", (n, n)), (f"L.linalg.eigvalsh{K}.sum()", ()), (f"np.linalg.inv{K}", (n, n)),
        (f"L.trace(L.linalg.inv{K} @ {K})", ()), (f"L.log(L.diagonal(L.linalg.cholesky{K})).sum()", ()),
        (f"{b} @ L.linalg.solve({K}, L.tensor({b}))", ()), (f"np.linalg.det{K}", ()), (f"L.tril{K}", (n, n)),
        (f"L.linalg.solve({K}, L.tensor({B}))", (n, 2)), (f"{K} @ {K}", (n, n)), (f"L.linalg.eigvalsh{K}[-1]", ()),
        (f"L.linalg.matrix_power({K}, -1)", (n, n)), (f"L.matrix_exp(0.1 * {K})", (n, n)),
        (f"L.trace{K} * {v}", w.known[v]),
        (f"L.diag(L.diagonal{K})", (n, n)), (f"L.diag_embed(L.diagonal{K})", (n, n)),
        (f"L.kron(L.eye(2), {K}).sum(0)", (2 * n,)),
    ])  # fmt: skip


def _assigned(w):
    """Write to a part of a copy."""
    v = w.pick(lambda s: s and s[0] > 1)
    if v is None:
        return None
    n, rest = w.known[v][0], w.known[v][1:]
    name = f"v{len(w.p.lines)}"
    w.p.lines.append(f"{name} = {v}.clone()")
    w.known[name] = (n, *rest)
    w.p.lines.append(w.r.choice([
        f"{name}[0] = {name}[1] * 2", f"{name}[1:] += {v}[:-1]", f"{name}[0] = 1.5", f"{name}[1:] *= {v}[:-1]",
        f"{name}[::2] = 0.0",
        f"{name}[-1] -= {v}[0] ** 2", f"{name}[0] = L.sin({v}[-1])", f"{name}[1:] = {v}[:-1] * {v}[1:]",
        f"{name} += {v}",
    ]))  # fmt: skip
    return f"{name} * 1", (n, *rest)


MORE_BINARY = _each(
    _binary,
    """
    @ + # | @ - # | @ * # | @ * # | @ / (1.2 + L.sin(#)) | np.add(@, #) | np.multiply(@, #) | np.subtract(@, #) |
    L.maximum(@, #) | L.where(@ > #, @, # * #) | (@ - #) ** 2 | L.exp(-(@ - #) ** 2) | np.hypot(1 + @ ** 2, #) |
    L.logaddexp(@, #) | @ * L.sigmoid(#) | np.arctan2(@, 2 + L.sin(#)) | (1.5 + L.sin(@)) ** # | L.minimum(@, #) |
    @ * @ * # | L.xlogy(1 + @ * @, 2 + #*#) | np.divide(@, 1 + #*#)
    """,
)


class HessianWriter(Writer):
    """Writes one function; constants are arrays of NumPy's, sometimes tensors."""

    def __init__(self, r, kinks):
        self.r, self.kinks, self.inplace, self.smooth = r, kinks, False, not kinks
        self.numbers = np.random.default_rng(r.randrange(2**16))
        shapes = [r.choice(SHAPES) for _ in range(r.choice([1, 1, 1, 1, 2, 3]))]
        self.p = Function([self.array(s) for s in shapes])
        self.known = self.p.shapes

    def constant(self, array):
        array = np.asarray(array)
        tensor = array.dtype.kind == "f" and self.r.random() < 0.2
        return super().constant(sg.tensor(array) if tensor else array)

    def number(self):
        name = f"c{len(self.p.constants)}"
        self.p.constants[name] = self.r.choice([0.5, 1.5, 2, 3, 0.3, 1.0, 2.0, 1, 0.7])
        return name

    def write(self, count):
        groups = [
            (UNARY, 2), (WRITTEN, 3), (MORE_BINARY, 5), (SHAPE, 3), (REDUCE, 2), (AXES, 2), (LOSSES, 1), (INDEX, 2),
            (PRODUCT, 2), ([_sliced], 3), ([_gathered], 2), ([_model], 4), ([_square], 2), ([_assigned], 1),
            (NUMBERED, 3), (INPLACE, 1), (KINKED, 2 if self.kinks else 0),
        ]  # fmt: skip
        makers, weights = zip(*groups, strict=True)
        while count:
            try:
                made = self.r.choice(self.r.choices(makers, weights)[0])(self)
            except (KeyError, TypeError):  # no operand fits
                continue
            if made is None or ".detach()." in made:  # a write through detach() changes the arguments
                continue
            self.accept(made)
            count -= 1
        ends = self.ends()[: self.r.choice([1, 2, 2])]
        self.p.lines.append("loss = " + " + ".join([self._reduced(n) for n in ends]))
        return self.p

    def _reduced(self, name):
        ways = ["(@ * #).sum()", "(@ ** 2).sum()", "@.sum()", "L.sum(@)", "(@ * @).mean()", "L.sin(@).sum()"]
        text = self.r.choice(ways).replace("@", name)
        return text.replace("#", self.constant(self.array(self.known[name]))) if "#" in text else text


def function_of(seed, most=12, kinks=True):
    """The function of a number."""
    r = random.Random(seed)
    return HessianWriter(r, kinks).write(r.randrange(1, most + 1))


__all__ = ["Function", "HessianWriter", "function_of", "written"]

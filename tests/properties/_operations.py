"""The operations of random programs.

A maker takes the `Writer` and returns ``(expression, shape)``, or a statement, or None where no operand fits. In
templates ``@`` and ``#`` stand for operands.
"""

import math

import numpy as np

MOST = 36
"""Entries of any array of a small program."""


def broadcast(a, b, most=MOST):
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return None
    return shape if math.prod(shape) <= most else None


def at(shape, dim, size):
    """``shape`` with ``size`` along ``dim`` (dropped if None)."""
    out = list(shape)
    if size is None:
        del out[dim]
    else:
        out[dim] = size
    return tuple(out)


def basic_indices(shape, n):
    """Indices of a shape, as text, and the shapes that they leave."""
    found = [
        ("0", shape[1:]),
        ("-1", shape[1:]),
        ("None", (1, *shape)),
        ("..., 0", shape[:-1]),
        ("...", shape),
        ("::2", ((n + 1) // 2, *shape[1:])),
        (":", shape),
        ("..., None", (*shape, 1)),
        ("..., :1", (*shape[:-1], 1)),
    ]
    if n > 1:
        found += [("1:", (n - 1, *shape[1:])), ("[0, 0, 1]", (3, *shape[1:])), ("L.tensor([1, 0])", (2, *shape[1:]))]
    if len(shape) > 1:
        found += [
            ("[0, 0], [0, 0]", (2, *shape[2:])),
            (":, [0]", (n, 1, *shape[2:])),
            ("0, ..., None", (*shape[1:], 1)),
            ("None, :, 0", (1, n, *shape[2:])),
            ("L.tensor([[0], [0]]), L.tensor([0, 0])", (2, 2, *shape[2:])),
        ]
    return [(t, s) for t, s in found if math.prod(s) <= MOST and len(s) < 5]


def _each(maker, templates):
    """A maker for each template."""
    return [maker(t.strip()) for t in templates.replace("\n", "|").split("|") if t.strip()]


# Entry by entry ------------------------------------------------------------------------------------------------------


def _unary(template):
    def make(w):
        v = w.pick()
        return template.replace("@", v), w.known[v]

    return make


UNARY = _each(
    _unary,
    """
    L.sin(@) | L.cos(@) | L.tanh(@) | L.sigmoid(@) | L.atan(@) | L.erf(@) | L.exp(-@ * @) | L.exp(@.tanh()) |
    L.log(1 + @ ** 2) | L.sqrt(1 + @ * @) | L.log1p(@ * @) | L.expm1(L.tanh(@)) | L.reciprocal(2 + L.sin(@)) |
    L.rsqrt(1 + @ * @) | L.square(@) | @ ** 3 | @ ** 2.0 | -@ | L.asinh(@) | L.sinh(L.tanh(@)) | L.cosh(L.sin(@)) |
    L.lgamma(2 + L.sin(@)) | L.digamma(2 + L.cos(@)) | F.softplus(@) | F.silu(@) | F.gelu(@) | 1 / (2 + L.cos(@)) |
    2 - @ | 0.5 * @ | @ / 4 | @ + 1 | L.exp2(L.sin(@)) | 2.0 ** L.sin(@) | (1.5 + L.sin(@)) ** 1.5 |
    L.asin(0.9 * L.sin(@)) | L.atanh(0.7 * L.sin(@)) | L.acosh(1.5 + @ ** 2) | @.clone() | @.sin().cos() |
    L.erfinv(0.6 * L.cos(@)) | L.tan(0.7 * L.tanh(@)) | @.neg().exp().log1p() | L.log2(2 + @ * @) |
    L.log10(2 + @ * @) | L.acos(0.8 * L.cos(@)) | F.logsigmoid(@) | L.sinc(0.3 * @ + 2) | @ ** 0 | @ ** 1 |
    F.elu(@ * @ + 0.1) | L.positive(@) | L.zeros_like(@) + @
    """,
)


def _binary(template):
    def make(w):
        v = w.pick()
        b, shape = w.partner(v)
        first, second = (v, b) if w.r.random() < 0.5 else (b, v)
        return template.replace("@", first).replace("#", second), shape

    return make


def _lerp(w):
    v = w.pick()
    b, shape = w.partner(v)
    c = w.pick(lambda s: broadcast(s, shape) == shape)
    return (f"L.lerp({v}, {b}, {c})", shape) if c else None


def _addcmul(w):
    v = w.pick()
    b, shape = w.partner(v)
    c = w.pick(lambda s: broadcast(s, shape) == shape)
    name = w.r.choice(["L.addcmul({}, {}, {}, value=0.5)", "L.addcdiv({}, {}, 2 + {} ** 2)"])
    return (name.format(v, b, c), shape) if c else None


def _where_constant(w):
    v = w.pick()
    b, shape = w.partner(v)
    mask = w.constant(np.asarray(w.numbers.random(shape) < 0.5))
    return f"L.where({mask}, {v}, {b})", shape


BINARY = [
    *_each(
        _binary,
        """
    @ + # | @ - # | @ * # | @ * # | @ / (2 + L.sin(#)) | L.atan2(@, 2 + L.sin(#)) | L.hypot(@, 1 + # * #) |
    L.logaddexp(@, #) | L.lerp(@, #, 0.3) | L.add(@, #, alpha=0.5) | L.sub(@, #, alpha=2) |
    L.xlogy(1 + @ * @, 1 + # * #) | (1.5 + L.sin(@)) ** L.cos(#) | L.mul(@, #) | L.div(@, 1.5 + L.cos(#)) |
    L.true_divide(@, # * # + 1)
        """,
    ),
    _lerp,
    _addcmul,
    _where_constant,
]

KINKED = [
    *_each(
        _unary,
        """
    L.relu(@) | L.abs(@) | L.clamp(@, -0.5, 0.5) | L.clamp(@, min=0.1) | F.leaky_relu(@) | L.sign(@) | L.floor(@) |
    L.round(@) | L.frac(@) | @ % 0.7 | L.fmod(@, 0.7) | L.where(@ > 0, @, -@) | L.clamp(@, max=0.3) |
    L.sort(@.flatten())[0].sum() + @ | @.max() * @ | @.min() + @ | L.where(@ > 0.5, L.sqrt(L.relu(@) + 0.1), 1.0) |
    F.elu(@) | L.trunc(@) | L.sgn(@) | L.nan_to_num(@) | L.amax(@) - @ | L.median(@) * @ | @.abs().sqrt() |
    L.dist(@, 0.5 * @) + @ | L.norm(@) + @ | L.linalg.vector_norm(@, 1) * @ | L.linalg.norm(@) - @ | @.prod() + @
        """,
    ),
    *_each(
        _binary,
        """
    L.maximum(@, #) | L.minimum(@, #) | L.where(@ > #, @, #) | L.where(@ == #, @, -#) | L.copysign(@, #) |
    L.clamp(@, # - 0.2, # + 0.2) | L.remainder(@, 1.1 + L.sin(#)) | L.fmax(@, #) | L.floor(@ / (2 + L.sin(#))) * #
        """,
    ),
]

# Reductions ----------------------------------------------------------------------------------------------------------


def _along(template):
    """A reduction over dimension ``{d}``."""

    def make(w):
        v = w.pick(lambda s: len(s) > 0)
        if v is None:
            return None
        d, keep = w.dim(v), w.r.random() < 0.4
        text = template.replace("@", v).replace("{d}", str(d)).replace("{k}", str(keep))
        return text, at(w.known[v], d, 1 if keep else None)

    return make


def _kept(template):
    """A function along dimension ``{d}`` that keeps the shape."""

    def make(w):
        v = w.pick(lambda s: len(s) > 0)
        return None if v is None else (template.replace("@", v).replace("{d}", str(w.dim(v))), w.known[v])

    return make


def _whole(template):
    def make(w):
        return template.replace("@", w.pick()), ()

    return make


def _sum_dims(w):
    v = w.pick(lambda s: len(s) > 1)
    if v is None:
        return None
    shape = w.known[v]
    dims = tuple(sorted(w.r.sample(range(len(shape)), 2)))
    name = w.r.choice(["sum", "mean"])
    return f"L.{name}({v}, dim={dims})", tuple(n for k, n in enumerate(shape) if k not in dims)


REDUCE = [
    *_each(
        _whole,
        """
    @.sum() | @.mean() | L.logsumexp(@.flatten(), 0) | L.var(@, correction=0) | @.numel() * @.mean() | L.sum(@ * @) |
    L.norm(1.5 + L.sin(@)) | L.prod(1.5 + L.sin(@))
        """,
    ),
    *_each(
        _along,
        """
    @.sum({d}, keepdim={k}) | @.mean({d}, keepdim={k}) | L.logsumexp(@, {d}, keepdim={k}) |
    L.var(@, {d}, correction=0, keepdim={k}) | L.sum(@, dim={d}, keepdim={k}) | L.prod(@, {d}, keepdim={k}) |
    L.linalg.vector_norm(1.5 + L.sin(@), dim={d}, keepdim={k}) | L.mean(@, dim=({d},), keepdim={k})
        """,
    ),
    *_each(
        _kept,
        """
    L.cumsum(@, {d}) | L.cumprod(@, {d}) | L.softmax(@, {d}) | L.log_softmax(@, dim={d}) | F.softmax(@, dim={d}) |
    L.logcumsumexp(@, {d}) | L.flip(@, [{d}]) | L.roll(@, 1, {d}) | @ - @.mean({d}, keepdim=True) |
    F.normalize(@ + 3, dim={d})
        """,
    ),
    _sum_dims,
]

# Products ------------------------------------------------------------------------------------------------------------


def _matmul(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None:
        return None
    a = w.known[v]
    mates = [n for n, s in w.known.items() if s and s[-2 if len(s) > 1 else 0] == a[-1]]
    if not mates:
        return None
    b = w.r.choice(mates)
    try:
        shape = np.matmul(np.ones(a), np.ones(w.known[b])).shape
    except ValueError:
        return None
    if math.prod(shape) > MOST:
        return None
    return w.r.choice([f"{v} @ {b}", f"L.matmul({v}, {b})"]), shape


def _gram(w):
    v = w.pick(lambda s: len(s) >= 2)
    if v is None:
        return None
    *batch, n, m = w.known[v]
    if n * n * math.prod(batch) > MOST:
        return None
    square = (*batch, n, n)
    choices = [
        (f"{v} @ {v}.mT", square),
        (f"L.einsum('...ij,...kj->...ik', {v}, {v})", square),
        (f"L.einsum('...ij->...', {v})", batch),
    ]
    if not batch:
        choices += [
            (f"L.einsum('ij,ij->j', {v}, {v})", (m,)),
            (f"L.linalg.det({v} @ {v}.mT + 2 * L.eye({n}))", ()),
            (f"L.linalg.solve({v} @ {v}.mT + 2 * L.eye({n}), {v})", (n, m)),
            (f"L.mm({v}, {v}.T)", (n, n)),
            (f"L.linalg.inv({v} @ {v}.mT + 2 * L.eye({n}))", (n, n)),
            (f"L.tensordot({v}, {v}, 2)", ()),
            (f"L.addmm(L.eye({n}), {v}, {v}.T, beta=0.5, alpha=2)", (n, n)),
        ]
    return w.r.choice(choices)


def _vectors(w):
    v = w.pick(lambda s: len(s) == 1)
    if v is None:
        return None
    n = w.known[v][0]
    mates = [m for m, s in w.known.items() if len(s) == 1 and s[0] * n <= MOST]
    if not mates:
        return None
    b = w.r.choice(mates)
    size = w.known[b][0]
    return w.r.choice(
        [
            (f"L.outer({v}, {b})", (n, size)),
            (f"L.dot({v}, {v})", ()),
            (f"L.einsum('i,j->ij', {v}, {b})", (n, size)),
            (f"L.kron({v}, {b})", (n * size,)),
            (f"L.inner({v}, {v})", ()),
        ]
    )


PRODUCT = [_matmul, _matmul, _gram, _vectors]

# In-place ------------------------------------------------------------------------------------------------------------


def _inplace(template):
    """A statement that writes to a variable (rarely to a leaf, which is refused)."""

    def make(w):
        v = w.pick()
        if v.startswith("x") and w.r.random() < 0.95:
            return None
        text = template.replace("@", v)
        if "#" in text:
            b = w.pick(lambda s: broadcast(s, w.known[v]) == w.known[v])
            if b == v:  # PyTorch refuses what overlaps
                return None
            text = text.replace("#", b)
        return text

    return make


def _write_part(w):
    v = w.pick(lambda s: len(s) > 0)
    if v is None or (v.startswith("x") and w.r.random() < 0.95):
        return None
    index, shape = w.r.choice(basic_indices(w.known[v], w.known[v][0])[:10])
    b = w.pick(lambda s: broadcast(s, shape) == tuple(shape))
    if b is None:
        return None
    return w.r.choice(
        [
            f"{v}[{index}] = {b}",
            f"{v}[{index}] += {b}",
            f"{v}[{index}] *= 0.5",
            f"{v}[{index}].add_({b})",
            f"{v}[{index}].mul_({b})",
            f"{v}[{index}] = 0.25",
            f"{v}[{index}].zero_()",
            f"{v}[{index}].sin_()",
        ]
    )


INPLACE = [
    *_each(
        _inplace,
        """
    @.sin_() | @.tanh_() | @.mul_(0.5) | @.add_(1) | @ *= 2 | @ += 0.5 | @.neg_() | @.zero_() | @.fill_(0.3) |
    @.exp_() | @.sigmoid_() | @.square_() | @.detach().mul_(2) | @.clamp_(-2, 2) | @.pow_(2) | @.cos_() |
    @.detach_() | @.unsqueeze(0).mul_(2)
        """,
    ),
    *_each(
        _inplace,
        """
    @.add_(#) | @.mul_(#) | @.sub_(#) | @ += # | @ -= # | @ *= # | @.copy_(#) | @.add_(#, alpha=2) |
    @.div_(2 + # ** 2) | @.addcmul_(#, #) | @.lerp_(#, 0.5)
        """,
    ),
    *[_write_part] * 4,
]

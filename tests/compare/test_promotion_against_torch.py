"""Operands of unlike dtypes and shapes, and options that meet: values, dtypes and gradients are PyTorch's.

Whole numbers beside floats, vectors beside matrices, masks that leave nothing, scales that round to a length: each was
another number in silence once.
"""

import itertools

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer

pytestmark = pytest.mark.compare

BINARY = """
mul div pow add sub xlogy atan2 true_divide fmod remainder copysign hypot maximum minimum logaddexp fmax fmin outer
addcmul addcdiv lerp where ldexp
""".split()  # noqa: SIM905
DTYPES = ("float32", "float64", "float16", "int64", "int8", "bool", "complex64")


def told(lib, value):
    """A tensor's dtype and numbers."""
    value = value.detach()
    return str(value.dtype).rpartition(".")[2], (value if lib is sg else value.resolve_conj()).numpy()


def called(lib, name, a, b):
    if name in ("addcmul", "addcdiv"):
        return getattr(lib, name)(a, b, b)
    if name == "lerp":
        return lib.lerp(a, b, 0.5)
    return lib.where(b > 1, a, b) if name == "where" else getattr(lib, name)(a, b)


def outcome(lib, name, one, two, swapped):
    """Value, dtype and gradient of an operation on two dtypes; the word where it is refused."""
    a = lib.tensor([1.0, 2.0]).to(getattr(lib, one))
    b = lib.tensor([2.0, 1.0]).to(getattr(lib, two))
    a = a.requires_grad_() if one.startswith(("float", "complex")) else a
    try:
        y = called(lib, name, *((b, a) if swapped else (a, b)))
        if not y.requires_grad:
            return [told(lib, y)]
        (g,) = lib.autograd.grad(y.abs().sum(), a)
    except (RuntimeError, NotImplementedError, TypeError):
        return "refused"
    return [told(lib, y), told(lib, g)]


def same(ours, theirs, near):
    for (dtype, value), (wanted, right) in zip(ours, theirs, strict=True):
        assert dtype == wanted
        np.testing.assert_allclose(np.asarray(value), np.asarray(right), rtol=near, atol=near)


@pytest.mark.parametrize("name", BINARY)
def test_unlike_dtypes(name):
    for one, two in itertools.product(("float32", "float64"), DTYPES):
        for swapped in (False, True):

            def run(lib, one=one, two=two, swapped=swapped):
                return outcome(lib, name, one, two, swapped)

            ours, theirs = run(sg), answer("torch", run)
            if "refused" not in (ours, theirs):
                same(ours, theirs, 2e-3 if "float16" in (one, two) else 1e-5)


def reached(lib, x, y):
    y.sum().backward()
    return told(lib, y)[1], told(lib, x.grad)[1]


def attended(lib, padding):
    layer = lib.nn.MultiheadAttention(4, 2, batch_first=True)
    with lib.no_grad():
        for p in layer.parameters():
            p.copy_(lib.linspace(-1.0, 1.0, p.numel()).reshape(p.shape))
    x = lib.linspace(0.0, 1.0, 12).reshape(1, 3, 4).requires_grad_()
    masks = {"attn_mask": lib.tensor([[True] * 3, [False, True, True], [False, False, True]])}
    masks = {"key_padding_mask": lib.tensor([[True] * 3])} if padding else masks
    return reached(lib, x, layer(x, x, x, need_weights=False, **masks)[0])


def similar(lib, shape, dim):
    x = lib.arange(1.0, 13.0).reshape(3, 4).requires_grad_()
    other = lib.arange(2.0, 2.0 + 2 * int(np.prod(shape)), 2.0).reshape(*shape)
    return reached(lib, x, lib.nn.functional.cosine_similarity(x, other, dim=dim))


def resized(lib, mode, shape, factor, **options):
    x = (lib.arange(float(np.prod(shape))) ** 1.3).reshape(1, 1, *shape).requires_grad_()
    y = lib.nn.functional.interpolate(x, scale_factor=factor, mode=mode, **options)
    if options or mode == "bicubic":  # where PyTorch's backward is not that of its forward
        return told(lib, y)[1]
    return reached(lib, x, y)


def slid(lib, padding, mode):
    layer = lib.nn.Conv2d(1, 1, 2, padding=padding, padding_mode=mode)
    with lib.no_grad():
        for p in layer.parameters():
            p.fill_(0.5)
    x = lib.arange(9.0).reshape(1, 1, 3, 3).requires_grad_()
    return reached(lib, x, layer(x))


def powered(lib):
    z = lib.tensor([1 + 2j, 0.5 - 1j], dtype=lib.complex128).requires_grad_()
    y = lib.tensor([-2, 3]) ** z
    y.abs().sum().backward()
    return told(lib, y)[1], told(lib, z.grad)[1]


def listed(lib):
    """How many operands the nodes of choices tell of."""
    x, places = lib.arange(6.0).reshape(2, 3).requires_grad_(), lib.tensor([[0, 1, 0]])
    made = {
        "max": x.max(1)[0], "sort": x.sort(1)[0], "median": x.median(1)[0], "gather": lib.gather(x, 0, places),
        "where": lib.where(x > 1, x, x * 2), "index": x[lib.tensor([0])], "cummax": x.cummax(1)[0],
        "scatter": lib.scatter(x, 0, places, x), "masked_select": lib.masked_select(x, x > 1), "mul": x * x,
    }  # fmt: skip
    return {name: len(y.grad_fn.next_functions) for name, y in made.items()}


OPTIONS = {
    **{f"attention, {'padding' if p else 'mask'}": lambda lib, p=p: attended(lib, p) for p in (True, False)},
    **{f"cosine {s} {d}": lambda lib, s=s, d=d: similar(lib, s, d)
       for s, d in (((1, 4), 0), ((4,), 1), ((3, 1), 0), ((3, 4), 1))},
    **{f"resized {m} {f}": lambda lib, m=m, f=f, s=s: resized(lib, m, s, f) for m, s in
       (("linear", (6,)), ("bilinear", (5, 7)), ("nearest", (5,)), ("nearest", (5, 6)), ("nearest-exact", (6, 5)),
        ("bicubic", (5, 6)), ("trilinear", (5, 4, 6))) for f in (1.05, 1.19, 0.9)},
    **{f"smooth {m}": lambda lib, m=m: resized(lib, m, (5, 6), 1.1, antialias=True) for m in ("bilinear", "bicubic")},
    **{f"slid {p} {m}": lambda lib, p=p, m=m: slid(lib, p, m)
       for p in ("valid", "same", 1) for m in ("reflect", "circular", "replicate")},
    "whole numbers to a complex power": powered, "nodes": listed,
    "rounded": lambda lib: told(lib, lib.round(lib.tensor([2**60 + 1, -3])))[1],
    "steps": lambda lib: told(lib, lib.heaviside(lib.tensor([1, 0, -2]), lib.tensor([5, 7, 9])))[1],
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_meet(name):
    ours, theirs = OPTIONS[name](sg), answer("torch", OPTIONS[name])
    if isinstance(ours, dict):
        assert ours == theirs
    else:
        for one, two in zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]:
            np.testing.assert_allclose(one, two, rtol=2e-5, atol=1e-5)

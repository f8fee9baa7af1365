"""``autograd.forward_ad`` beside PyTorch's: the same code gives the same numbers and the same words."""

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

pytestmark = [
    pytest.mark.compare,
    # PyTorch's forward mode compiles formulas of its own with what it deprecates itself
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
]

POINTS = np.random.default_rng(3).normal(size=(3, 4, 4))


def described(value):
    """What is compared of a result: numbers, dtype, whether it requires grad; of containers those of their entries."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (tuple, list)):
        return [described(v) for v in value]
    return (
        np.asarray(value.detach().resolve_conj() if hasattr(value, "resolve_conj") else value.detach()),
        str(value.dtype).rpartition(".")[2],
        value.requires_grad,
    )


def agree(mine, other):
    if isinstance(mine, list):
        assert len(mine) == len(other)
        for a, b in zip(mine, other, strict=True):
            agree(a, b)
    elif isinstance(mine, tuple):
        np.testing.assert_allclose(mine[0], other[0], rtol=1e-9, atol=1e-10)
        assert mine[1:] == other[1:]
    else:
        assert mine == other


def assert_same(run):
    """Compare what symgrad does with what PyTorch does."""

    def seen(lib):
        return described(run(lib, lib.autograd.forward_ad))

    agree(seen(sg), answer("torch", seen, bits=40))


FUNCTIONS = {
    "elementwise": lambda lib, x: lib.sin(x) * lib.exp(-x * x) + lib.sigmoid(x),
    "mixed scalars": lambda lib, x: 2.0 / (x * x + 1) - 3 * x,
    "matmul": lambda lib, x: x @ x.T + x.sum(0),
    "softmax": lambda lib, x: lib.softmax(x * 3, -1),
    "reductions": lambda lib, x: lib.stack([x.mean(), x.var(), x.std(), x.prod(), x.norm(), lib.logsumexp(x, (0, 1))]),
    "sorted": lambda lib, x: lib.sort(x**3, 1)[0].cumsum(1),
    "choice": lambda lib, x: lib.where(x > 0, x**3, lib.cos(x)),
    "joined": lambda lib, x: lib.cat([x**2, lib.ones(1, 4), x[:2] ** 3]),
    "indexed": lambda lib, x: (x**2)[[0, 2]][:, 1:].gather(1, lib.tensor([[0, 1], [2, 0]])),
    "einsum": lambda lib, x: lib.einsum("ij,jk,kl->il", x, x, x),
    "inverse": lambda lib, x: lib.linalg.inv(x + 4 * lib.eye(4)),
    "solve": lambda lib, x: lib.linalg.solve(x + 4 * lib.eye(4), x),
    "slogdet": lambda lib, x: lib.linalg.slogdet(x + 4 * lib.eye(4))[1],
    "cholesky": lambda lib, x: lib.linalg.cholesky(x @ x.T + lib.eye(4)),
    "eigvalsh": lambda lib, x: lib.linalg.eigvalsh(x + x.T),
    "svdvals": lambda lib, x: lib.linalg.svdvals(x),
    "modulus": lambda lib, x: lib.abs(lib.complex(x, x.T.contiguous())),
    "complex": lambda lib, x: (lib.complex(x, x.T.contiguous()) ** 2).conj() * 1j,
    "layers": lambda lib, x: lib.nn.functional.layer_norm(lib.nn.functional.gelu(x), (4,)),
    "loss": lambda lib, x: lib.nn.functional.cross_entropy(x, lib.tensor([0, 3, 1, 2])),
}  # fmt: skip

WAYS = ("values", "no_grad", "over reverse", "under reverse", "both")
OVER, UNDER = {"over reverse"}, {"under reverse", "both"}
NOT_PYTORCHS = {
    # the factors that its reverse mode saves have no tangent: its numbers are not those of its own func.jvp
    "solve": OVER | UNDER, "slogdet": OVER | UNDER,
    # it writes to a value that the tangent's backward needs, and raises; its layer_norm forgets the history
    "softmax": UNDER, "reductions": UNDER, "loss": UNDER, "layers": UNDER,
}  # fmt: skip


def way(lib, ad, f, how):
    x, t = (lib.tensor(p) for p in POINTS[:2])
    if how != "values" and how != "no_grad":
        x.requires_grad_()
    if how == "both":
        t.requires_grad_()
    with ad.dual_level():
        dual = ad.make_dual(x, t)
        if how == "no_grad":
            with lib.no_grad():
                return ad.unpack_dual(f(lib, dual)), dual.requires_grad
        y = f(lib, dual)
        if how == "over reverse":
            real = y if not y.is_complex() else lib.view_as_real(y)
            (g,) = lib.autograd.grad((real * real).sum(), dual)
            return ad.unpack_dual(g), g.requires_grad
        tangent = ad.unpack_dual(y).tangent
        if how == "values":
            return tangent
        real = tangent if not tangent.is_complex() else lib.view_as_real(tangent)
        return tangent, lib.autograd.grad((real**2).sum(), [x, t] if how == "both" else [x])


@pytest.mark.parametrize(
    ("name", "how"), [(name, how) for name in FUNCTIONS for how in WAYS if how not in NOT_PYTORCHS.get(name, ())]
)
def test_tangents_and_their_gradients_are_pytorchs(name, how):
    assert_same(lambda lib, ad: way(lib, ad, FUNCTIONS[name], how))


def written(lib, ad):
    """Tangents of what was written in place, through views, in both modes."""
    x, t, v = (lib.tensor(p[0]) for p in POINTS)
    with ad.dual_level():
        base = lib.zeros(6)
        view = base[1:5]
        base[:4] = ad.make_dual(x, t)
        view.mul_(lib.tensor([1.0, 2.0, 3.0, 4.0]))
        out = [ad.unpack_dual(base.clone()), ad.unpack_dual(view.clone())]
        with lib.no_grad():
            view[1:3] = v[:2]
            base.add_(base)
        return [*out, ad.unpack_dual(base), ad.unpack_dual(view)]


def leaves(lib, ad):
    """What is a leaf, what requires grad, what moves."""
    x, t, v = (lib.tensor(p[0]) for p in POINTS)
    with ad.dual_level():
        dual = ad.make_dual(x, t)
        own = ad.make_dual(v, t).requires_grad_()
        (own**3).sum().backward()
        with lib.inference_mode():
            still = ad.unpack_dual(dual * 2).tangent
        return [dual.requires_grad, dual.is_leaf, own.is_leaf, own.grad, still, ad.unpack_dual(dual.detach()).tangent,
                ad.unpack_dual(lib.zeros_like(dual)).tangent, ad.unpack_dual(dual.floor()).tangent,
                ad.unpack_dual(dual > 0).tangent, ad.unpack_dual(dual.float()).tangent,
                ad.unpack_dual(dual.clone()).tangent]  # fmt: skip


def functions(lib, ad):
    """A Function with jvp, of two outputs, over, under and beside the reverse mode."""

    class Pair(lib.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * x * y, y.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs, output[1])
            ctx.save_for_forward(*inputs, output[1])

        @staticmethod
        def backward(ctx, g, h):
            x, y, e = ctx.saved_tensors
            return 2 * x * y * g, x * x * g + h * e

        @staticmethod
        def jvp(ctx, tx, ty):
            x, y, e = ctx.saved_tensors
            return 2 * x * y * tx + x * x * ty, ty * e

    x, t, v = (lib.tensor(p[0]) for p in POINTS)
    w = lib.tensor(POINTS[2, 1], requires_grad=True)
    with ad.dual_level():
        one = [ad.unpack_dual(o).tangent for o in Pair.apply(ad.make_dual(x, t), ad.make_dual(v, t))]
        a, b = Pair.apply(ad.make_dual(x, t), w)
        (g,) = lib.autograd.grad((a * b).sum(), w, retain_graph=True)
        ta, tb = ad.unpack_dual(a).tangent, ad.unpack_dual(b).tangent
        (h,) = lib.autograd.grad((ta * ta + tb).sum(), w)
        return [*one, ad.unpack_dual(g), ta, tb, h]


@pytest.mark.parametrize("scene", [written, leaves, functions])
def test_a_scene_ends_as_in_pytorch(scene):
    assert_same(scene)


REFUSED = {
    "make outside": lambda lib, ad: ad.make_dual(lib.ones(2), lib.ones(2)),
    "exit outside": lambda lib, ad: ad.exit_dual_level(),
    "nested": lambda lib, ad: ad.dual_level().__enter__() or ad.enter_dual_level(),
    "shapes": lambda lib, ad: ad.dual_level().__enter__() or ad.make_dual(lib.ones(3), lib.ones(2)),
    "twice": lambda lib, ad: (
        ad.dual_level().__enter__() or ad.make_dual(ad.make_dual(lib.ones(3), lib.ones(3)), lib.ones(3))
    ),
    "another level": lambda lib, ad: ad.dual_level().__enter__() or ad.exit_dual_level(level=1),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_errors_begin_with_pytorchs_words(name):
    def run(lib):
        ad = lib.autograd.forward_ad
        try:
            REFUSED[name](lib, ad)
        finally:
            if "outside" not in name:
                ad.exit_dual_level()

    with pytest.raises(RuntimeError) as ours:
        run(sg)
    with pytest.raises(RuntimeError) as theirs:
        answer("torch", run)
    assert str(ours.value).startswith(str(theirs.value).splitlines()[0].rstrip())


def test_a_dual_is_printed_as_in_pytorch():
    def run(lib):
        ad = lib.autograd.forward_ad
        with ad.dual_level():
            primals = [lib.tensor([1.0, -2.5]), lib.tensor([1.0], requires_grad=True), lib.ones(40, 30)]
            return [repr(ad.make_dual(x, lib.ones_like(x))) for x in primals]

    ours, theirs = both(run)
    assert ours == theirs

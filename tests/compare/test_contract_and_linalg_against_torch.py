"""Products and linear algebra agree with PyTorch: values, node names, first and second derivatives, errors.

The idea to hold: every case is one function of a module and arrays, run once with `symgrad` and once with `torch`.
"""

import itertools

import numpy as np
import pytest

import symgrad as sg
from symgrad.ops.linalg import fused

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare


def array(t):
    return t.detach().numpy() if isinstance(t, sg.Tensor) else t.numpy(force=True)


def as_list(y):
    return list(y) if isinstance(y, (tuple, list)) else [y]


def same(a, b, what, tolerance=1e-9):
    assert a.shape == b.shape, f"{what}: {a.shape} {b.shape}"
    assert a.dtype == b.dtype, f"{what}: {a.dtype} {b.dtype}"
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=what)


def run(module, fn, arrays, seeds, order):
    """Outputs, the names of their nodes, gradients and gradients of (a weighting of) the gradients."""
    xs = [module.tensor(a, requires_grad=a.dtype.kind in "fc") for a in arrays]
    outs = as_list(fn(module, *xs))
    wanted = [x for x in xs if x.requires_grad]
    live = [y for y in outs if y.requires_grad]
    first = second = []
    if order >= 1 and live:
        us = [module.tensor(u.astype(array(y).dtype)) for y, u in zip(live, seeds(live))]
        first = module.autograd.grad(live, wanted, us, create_graph=order > 1, allow_unused=True)
        chosen = [g for g in first if g is not None and g.requires_grad]
        if order > 1 and chosen:
            vs = [module.tensor(u.astype(array(g).dtype)) for g, u in zip(chosen, seeds(chosen))]
            second = module.autograd.grad(chosen, wanted, vs, allow_unused=True, materialize_grads=False)
    names = [t.grad_fn.name() if t.grad_fn is not None else None for t in outs]
    outs, first, second = ([None if t is None else array(t) for t in found] for found in (outs, first, second))
    return outs, names, first, second


def seeds_of(rng_seed):
    def seeds(tensors):
        rng = np.random.default_rng(rng_seed)
        made = []
        for t in tensors:
            u = rng.normal(size=tuple(t.shape))
            if array(t).dtype.kind == "c":
                u = u + 1j * rng.normal(size=u.shape)
            made.append(np.asarray(u))
        return made

    return seeds


def compare(fn, arrays, order=2, names=True, tolerance=1e-9):
    def peer(torch):
        torch.set_default_dtype(torch.float32)  # as it begins: with 64 bits, det has no derivative of single precision
        return run(torch, fn, arrays, seeds_of(1), order)

    mine, theirs = run(sg, fn, arrays, seeds_of(1), order), answer("torch", peer, bits=40)
    for k, (y, z) in enumerate(zip(mine[0], theirs[0], strict=True)):
        same(y, z, f"output {k}", tolerance)
    if names:
        assert mine[1] == theirs[1]
    for title, ours, others in (("gradient", mine[2], theirs[2]), ("second derivative", mine[3], theirs[3])):
        for k, (g, h) in enumerate(itertools.zip_longest(ours, others)):
            if g is None or h is None:  # one is None, the other zeros: no matter
                assert all(t is None or not np.any(t) for t in (g, h)), f"{title} {k}"
                continue
            same(g, h, f"{title} {k}", tolerance)


def inputs(*shapes, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for shape in shapes:
        a = rng.normal(size=shape)
        if dtype.startswith("complex"):
            a = a + 1j * rng.normal(size=shape)
        made.append(np.asarray(a).astype(dtype))
    return made


MATMUL = [
    ((3,), (3,)), ((2, 3), (3, 4)), ((2, 3), (3,)), ((3,), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((6, 5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)), ((6, 5, 2, 3), (3,)), ((6, 5, 2, 3), (3, 4)), ((2, 3), (6, 5, 3, 4)), ((1, 3), (3, 1)),
    ((0, 3), (3, 4)), ((5, 2, 0), (0, 4)), ((2, 0), (0,)), ((0,), (0,)), ((1, 5, 2, 3), (6, 1, 3, 4)),
    ((0, 2, 3), (3, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), MATMUL)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_matmul(a, b, dtype):
    compare(lambda T, x, y: x @ y, inputs(a, b, dtype=dtype))


@pytest.mark.parametrize(("a", "b"), MATMUL[:8])
def test_matmul_in_single_precision(a, b):
    compare(lambda T, x, y: T.matmul(x, y), inputs(a, b, dtype="float32"), tolerance=1e-4)


PRODUCTS = {
    "mm": (lambda T, a, b: T.mm(a, b), (2, 3), (3, 4)),
    "mm method": (lambda T, a, b: a.mm(b), (2, 3), (3, 4)),
    "mm of one": (lambda T, a: a @ a, (3, 3)),
    "mv": (lambda T, a, b: T.mv(a, b), (2, 3), (3,)),
    "bmm": (lambda T, a, b: T.bmm(a, b), (5, 2, 3), (5, 3, 4)),
    "dot": (lambda T, a, b: T.dot(a, b), (3,), (3,)),
    "vdot": (lambda T, a, b: T.vdot(a, b), (3,), (3,)),
    "outer": (lambda T, a, b: T.outer(a, b), (3,), (4,)),
    "ger": (lambda T, a, b: a.ger(b), (3,), (4,)),
    "inner 1d": (lambda T, a, b: T.inner(a, b), (3,), (3,)),
    "inner": (lambda T, a, b: T.inner(a, b), (2, 3), (4, 3)),
    "inner 3d": (lambda T, a, b: a.inner(b), (5, 2, 3), (4, 3)),
    "inner 0d": (lambda T, a, b: T.inner(a, b), (2, 3), ()),
    "tensordot": (lambda T, a, b: T.tensordot(a, b), (2, 3, 4), (3, 4, 5)),
    "tensordot lists": (lambda T, a, b: T.tensordot(a, b, dims=([1, 2], [1, 0])), (2, 3, 4), (4, 3, 5)),
    "tensordot negative": (lambda T, a, b: T.tensordot(a, b, dims=((-1,), (0,))), (2, 3), (3, 5)),
    "tensordot all": (lambda T, a, b: T.tensordot(a, b, 2), (2, 3), (2, 3)),
    "tensordot none": (lambda T, a, b: T.tensordot(a, b, 0), (2,), (3,)),
    "kron": (lambda T, a, b: T.kron(a, b), (2, 3), (4, 2)),
    "kron 1d": (lambda T, a, b: T.kron(a, b), (3,), (2, 2)),
    "kron 0d": (lambda T, a, b: a.kron(b), (), (2, 2)),
    "cross": (lambda T, a, b: T.cross(a, b, dim=1), (2, 3), (2, 3)),
    "cross first": (lambda T, a, b: T.cross(a, b, dim=0), (3, 3), (3, 3)),
    "linalg.cross": (lambda T, a, b: T.linalg.cross(a, b), (1, 3), (2, 3)),
    "addmm": (lambda T, c, a, b: T.addmm(c, a, b, beta=0.5, alpha=2), (2, 4), (2, 3), (3, 4)),
    "addmm bias": (lambda T, c, a, b: c.addmm(a, b), (4,), (2, 3), (3, 4)),
    "addmm number": (lambda T, c, a, b: T.addmm(c, a, b), (), (2, 3), (3, 4)),
    "addmv": (lambda T, c, a, b: T.addmv(c, a, b, alpha=3), (2,), (2, 3), (3,)),
    "addr": (lambda T, c, a, b: T.addr(c, a, b, beta=2), (2, 3), (2,), (3,)),
    "baddbmm": (lambda T, c, a, b: T.baddbmm(c, a, b, beta=2, alpha=3), (1, 2, 4), (5, 2, 3), (5, 3, 4)),
    "addbmm": (lambda T, c, a, b: T.addbmm(c, a, b), (2, 4), (5, 2, 3), (5, 3, 4)),
    "imatmul": (lambda T, a, b: a.__matmul__(b), (2, 3), (3, 3)),
    "in-place addmm": (lambda T, c, a, b: (c * 1).addmm_(a, b), (2, 4), (2, 3), (3, 4)),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_products(name, dtype):
    fn, *shapes = PRODUCTS[name]
    compare(fn, inputs(*shapes, dtype=dtype))


UNNAMED = {  # PyTorch composes these of other operations
    "multi_dot": (lambda T, *t: T.linalg.multi_dot(t), (2, 3), (3, 4), (4, 5)),
    "multi_dot vectors": (lambda T, *t: T.linalg.multi_dot(t), (3,), (3, 4), (4, 2), (2,)),
    "multi_dot long": (lambda T, *t: T.linalg.multi_dot(t), (2, 6), (6, 1), (1, 5), (5, 3)),
    # PyTorch's own vander raises in backward ("modified by an inplace operation"); linalg.vander does not
    "vander": (lambda T, x: T.vander(x) if T is sg else T.linalg.vander(x).flip(1), (3,)),
    "vander increasing": (lambda T, x: T.vander(x, 4, increasing=True) if T is sg else T.linalg.vander(x, N=4), (3,)),
    "linalg.vander": (lambda T, x: T.linalg.vander(x), (2, 3)),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_composed_products(name):
    fn, *shapes = UNNAMED[name]
    compare(fn, inputs(*shapes), names=False)


EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)),
    ("ij->", (2, 3)), ("ij->i", (2, 3)), ("ij", (2, 3)), ("ba", (2, 3)), ("i,j->ij", (2,), (3,)), ("i,i->", (2,), (2,)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("...ij,...jk->...ik", (5, 2, 3), (5, 3, 4)),
    ("...ij,...jk->...ik", (6, 5, 2, 3), (5, 3, 4)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("i,ij,j->", (2,), (2, 3), (3,)), ("i,i->i", (2,), (2,)), ("a,b,c->abc", (2,), (2,), (3,)),
    ("ij,jk->", (2, 3), (3, 4)),
    ("ij,kj->ki", (2, 3), (4, 3)), ("ij,k->i", (2, 3), (4,)), ("ij,kl->kjli", (2, 3), (4, 2)),
    ("ii,j->j", (2, 2), (4,)),
    ("...->...", (2, 3)), ("i...->...", (2, 3)), ("ii->", (3, 3)), ("ij,ij->ij", (2, 3), (2, 1)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("iij->j", (2, 2, 3)), ("iij->ji", (2, 2, 3)), ("...ij,j", (4, 2, 3), (3,)), ("b...,b...->b", (2, 3), (2, 3)),
    ("...,...", (2, 3), (3,)), ("...i,...i->i", (2, 3), (2, 3)), (",->", (), ()), ("i,->i", (3,), ()),
    ("bi,oij,bj->bo", (2, 3), (4, 3, 2), (2, 2)), ("i j , j k -> i k", (2, 3), (3, 4)), ("...ij->ij", (4, 2, 3)),
    ("iij,jkk->ik", (2, 2, 3), (3, 4, 4)), ("ij,ik,il->jkl", (2, 3), (2, 4), (2, 2)), ("iii->", (2, 2, 2)),
    ("ij,jk->ik", (0, 3), (3, 2)),
    ("ij,jk->ik", (2, 0), (0, 3)), ("aB,Bc", (2, 3), (3, 4)), ("i,i,i->", (3,), (3,), (3,)),
    ("ijkl,klij->", (2, 3, 2, 2), (2, 2, 2, 3)),
    ("ij,jk,k->i", (20, 30), (30, 10), (10,)), ("bij,kj->bki", (5, 20, 30), (10, 30)),
    ("aij,jik->ka", (9, 8, 7), (7, 8, 6)),
]  # fmt: skip


@pytest.mark.parametrize("case", EINSUM, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_einsum(case, dtype):
    equation, *shapes = case
    compare(lambda T, *t: T.einsum(equation, *t), inputs(*shapes, dtype=dtype))


@pytest.mark.parametrize("out", [[0, 2], [2, 0], None])
def test_einsum_with_lists_of_numbers(out):
    tail = [] if out is None else [out]
    compare(lambda T, a, b: T.einsum(a, [0, 1], b, [1, 2], *tail), inputs((2, 3), (3, 4)))


def test_einsum_with_an_ellipsis_in_a_list():
    compare(lambda T, a, b: T.einsum(a, [..., 1], b, [1, 2]), inputs((2, 3), (3, 4)))


AFFINE = [
    ((2, 3), (4, 3), (4,)), ((2, 3), (4, 3)), ((3,), (4, 3), (4,)), ((3,), (4, 3)), ((5, 2, 3), (4, 3), (4,)),
    ((5, 2, 3), (4, 3)),
    ((2, 3), (3,)), ((0, 3), (4, 3), (4,)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", AFFINE)
def test_affine(shapes):
    def fn(T, *t):
        return (fused.affine if T is sg else T.nn.functional.linear)(*t)

    compare(fn, inputs(*shapes))


@pytest.mark.parametrize("batch", [(), (6,), (6, 2)])
@pytest.mark.parametrize("bias", [True, False])
def test_bilinear(batch, bias):
    def fn(T, *t):
        return (fused.bilinear if T is sg else T.nn.functional.bilinear)(*t)

    compare(fn, inputs((*batch, 3), (*batch, 4), (5, 3, 4), *([(5,)] if bias else [])))


def errors(fn):
    with pytest.raises(Exception) as ours:
        fn(sg)
    with pytest.raises(Exception) as theirs:
        answer("torch", fn)
    return ours.value, theirs.value


PRODUCT_ERRORS = {
    **{
        f"{a} @ {b}": (lambda T, a=a, b=b: T.ones(a, requires_grad=True) @ T.ones(b, requires_grad=True))
        for a, b in [
            ((2, 3), (4, 5)),
            ((2, 4), (3,)),
            ((3,), (4, 2)),
            ((3,), (4,)),
            ((2, 2, 3), (3, 3, 4)),
            ((2, 2, 3), (2, 4, 3)),
            ((), (3,)),
            ((2,), ()),
            ((5, 2, 3), (4,)),
            ((3,), (5, 4, 3)),
            ((5, 2, 3), (4, 3)),
            ((2, 3), (5, 4, 3)),
            ((), ()),
        ]
    },
    **{
        f"bilinear {a}, {b}": (lambda T, a=a, b=b: T.nn.functional.bilinear(T.ones(a), T.ones(b), T.ones(5, 3, 4)))
        for a, b in [((2, 3), (2, 5)), ((2, 3), (3, 4)), ((2, 2), (2, 4))]
    },
    "mm 1": lambda T: T.mm(T.ones(3), T.ones(3, 4)),
    "mm 2": lambda T: T.mm(T.ones(3, 3), T.ones(4)),
    "mm 3": lambda T: T.mm(T.ones(2, 3), T.ones(4, 5)),
    "mv 1": lambda T: T.mv(T.ones(3), T.ones(3)),
    "mv 2": lambda T: T.mv(T.ones(2, 4), T.ones(3)),
    "mv 3": lambda T: T.mv(T.ones(2, 4), T.ones(4, 1)),
    "bmm 1": lambda T: T.bmm(T.ones(3, 3), T.ones(3, 3, 3)),
    "bmm 2": lambda T: T.bmm(T.ones(3, 3, 3), T.ones(3, 3)),
    "bmm 3": lambda T: T.bmm(T.ones(3, 2, 4), T.ones(3, 5, 2)),
    "bmm 4": lambda T: T.bmm(T.ones(3, 2, 4), T.ones(2, 4, 2)),
    "dot 1": lambda T: T.dot(T.ones(3), T.ones(3, 3)),
    "dot 2": lambda T: T.dot(T.ones(3), T.ones(4)),
    "vdot": lambda T: T.vdot(T.ones(3), T.ones(3, 3)),
    "outer": lambda T: T.outer(T.ones(3, 2), T.ones(2)),
    "inner": lambda T: T.inner(T.ones(2, 3), T.ones(4, 2)),
    "tensordot 1": lambda T: T.tensordot(T.ones(2, 3), T.ones(3, 4), dims=([1], [0, 1])),
    "tensordot 2": lambda T: T.tensordot(T.ones(2, 3), T.ones(3, 4), dims=3),
    "tensordot 3": lambda T: T.tensordot(T.ones(2, 3), T.ones(3, 4), dims=-1),
    "tensordot 4": lambda T: T.tensordot(T.ones(2, 3), T.ones(3, 4), dims=([2], [0])),
    "cross 1": lambda T: T.linalg.cross(T.ones(2, 4), T.ones(2, 4)),
    "cross 2": lambda T: T.linalg.cross(T.ones(3), T.ones(2, 3)),
    "cross 3": lambda T: T.linalg.cross(T.ones(2, 3), T.ones(3, 2)),
    "multi_dot 1": lambda T: T.linalg.multi_dot([T.ones(2, 3)]),
    "multi_dot 2": lambda T: T.linalg.multi_dot([T.ones(2, 3), T.ones(4, 5)]),
    "multi_dot 3": lambda T: T.linalg.multi_dot([T.ones(2, 3), T.ones(3, 2, 1), T.ones(2)]),
    "addmm 1": lambda T: T.addmm(T.ones(5), T.ones(2, 3), T.ones(3, 4)),
    "addmm 2": lambda T: T.addmm(T.ones(4), T.ones(2, 3), T.ones(4, 4)),
    "addmm 3": lambda T: T.addmm(T.ones(4), T.ones(2), T.ones(4, 4)),
    "addmv": lambda T: T.addmv(T.ones(4), T.ones(2, 3), T.ones(3)),
    "addr 1": lambda T: T.addr(T.ones(2, 3), T.ones(2), T.ones(4)),
    "addr 2": lambda T: T.addr(T.ones(2, 3), T.ones(2, 1), T.ones(3)),
    "baddbmm": lambda T: T.baddbmm(T.ones(5, 2, 7), T.ones(5, 2, 3), T.ones(5, 3, 4)),
    "einsum 1": lambda T: T.einsum("ij,jk", T.ones(2, 3)),
    "einsum 2": lambda T: T.einsum("ijk", T.ones(2, 3)),
    "einsum 3": lambda T: T.einsum("ij->ijk", T.ones(2, 3)),
    "einsum 4": lambda T: T.einsum("ij->iij", T.ones(2, 3)),
    "einsum 5": lambda T: T.einsum("i1->i", T.ones(2, 3)),
    "einsum 6": lambda T: T.einsum("ii", T.ones(2, 3)),
    "einsum 7": lambda T: T.einsum("ij"),
    "einsum 8": lambda T: T.einsum("ij", T.ones(2, 3), T.ones(2, 3)),
    "einsum 9": lambda T: T.einsum("ij->i->j", T.ones(2, 3)),
    "einsum 10": lambda T: T.einsum("i.j->ij", T.ones(2, 3)),
    "einsum 11": lambda T: T.einsum("ijkl...", T.ones(2, 3)),
    "einsum 12": lambda T: T.einsum(T.ones(2, 3), [0, 60]),
    "einsum 13": lambda T: T.einsum("i...j...", T.ones(2, 3)),
}


@pytest.mark.parametrize("name", PRODUCT_ERRORS)
def test_products_refuse_in_pytorchs_words(name):
    mine, theirs = errors(PRODUCT_ERRORS[name])
    assert isinstance(mine, type(theirs))
    assert str(mine).splitlines()[0] == str(theirs).splitlines()[0]


def test_einsum_names_the_sizes_that_disagree():
    with pytest.raises(
        sg.ShapeError,
        match=r"subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
    ):
        sg.einsum("ij,jk", sg.ones(2, 3), sg.ones(4, 5))


def test_unlike_floats_promote():
    a, b = sg.ones(2, 3, dtype=sg.float32, requires_grad=True), sg.ones(3, 2, requires_grad=True)
    y = a @ b
    y.sum().backward()
    assert (y.dtype, a.grad.dtype, b.grad.dtype) == ("float64", "float32", "float64")


def test_products_of_arrays_are_arrays():
    a, b = inputs((2, 3), (3, 4))
    for y in (sg.matmul(a, b), sg.einsum("ij,jk", a, b), sg.mm(a, b), sg.tensordot(a, b, 1)):
        np.testing.assert_allclose(y, a @ b)
        assert isinstance(y, np.ndarray)


def test_numpys_functions_on_tensors():
    x, y = (sg.tensor(a, requires_grad=True) for a in inputs((3, 3), (3, 3)))
    a, b = x.detach().numpy(), y.detach().numpy()
    for ours, numpys in (
        (np.matmul(x, y), a @ b), (np.dot(x, y), a @ b), (np.outer(x[0], y[0]), np.outer(a[0], b[0])), (a @ y, a @ b),
        (np.einsum("ij,kj->k", x, y), np.einsum("ij,kj->k", a, b)), (np.tensordot(x, y, axes=1), a @ b),
        (np.kron(x, y), np.kron(a, b)),
        (np.inner(x, y), a @ b.T),
    ):  # fmt: skip
        assert ours.requires_grad
        np.testing.assert_allclose(ours.detach().numpy(), numpys)


def test_a_product_saves_only_what_its_gradients_need():
    X, w = sg.ones(4, 3), sg.ones(3, 2, requires_grad=True)
    saved = (X @ w).grad_fn.saved
    assert [v is None for v in saved] == [False, True]


# ---------------------------------------------------------------------------------------------- linear algebra


def spd(m):
    """A positive definite matrix made of any."""
    return m @ m.mH + 1.5 * (m * 0 + 1).diagonal(dim1=-2, dim2=-1).diag_embed()


def hermitian(m):
    return m + m.mH


M = (3, 3)
B = (2, 3, 3)
LINALG = {
    "inv": (lambda T, a: T.linalg.inv(a), M),
    "inv batch": (lambda T, a: T.inverse(a), B),
    "inv method": (lambda T, a: a.inverse(), M),
    "det": (lambda T, a: T.linalg.det(a), M),
    "det batch": (lambda T, a: a.det(), B),
    "det of 2": (lambda T, a: T.det(a), (2, 2)),
    "det of 1": (lambda T, a: T.det(a), (1, 1)),
    "slogdet": (lambda T, a: T.linalg.slogdet(a), M),
    "slogdet batch": (lambda T, a: T.slogdet(a), B),
    "logabsdet": (lambda T, a: a.slogdet().logabsdet, M),
    "logdet": (lambda T, a: T.logdet(spd(a)), M),
    "solve": (lambda T, a, b: T.linalg.solve(a, b), M, (3, 2)),
    "solve vector": (lambda T, a, b: T.linalg.solve(a, b), M, (3,)),
    "solve batch": (lambda T, a, b: T.linalg.solve(a, b), B, (2, 3, 2)),
    "solve batch of vectors": (lambda T, a, b: T.linalg.solve(a, b), B, (2, 3)),
    "solve broadcast": (lambda T, a, b: T.linalg.solve(a, b), B, (3, 2)),
    "solve broadcast matrix": (lambda T, a, b: T.linalg.solve(a, b), M, (4, 3, 2)),
    "cholesky": (lambda T, a: T.linalg.cholesky(spd(a)), M),
    "cholesky upper": (lambda T, a: T.linalg.cholesky(spd(a), upper=True), B),
    "old cholesky": (lambda T, a: T.cholesky(spd(a)), M),
    "cholesky_solve": (lambda T, b, a: T.cholesky_solve(b, T.linalg.cholesky(spd(a))), (3, 2), M),
    "cholesky_solve upper": (
        lambda T, b, a: T.cholesky_solve(b, T.linalg.cholesky(spd(a), upper=True), upper=True), (3, 2), M,
    ),
    "cholesky_inverse": (lambda T, a: T.cholesky_inverse(T.linalg.cholesky(spd(a))), M),
    "cholesky_inverse upper": (lambda T, a: T.cholesky_inverse(T.linalg.cholesky(spd(a), upper=True), True), M),
    "solve_triangular": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=False), M, (3, 2)),
    "solve_triangular upper": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=True), B, (2, 3, 2)),
    "solve_triangular right": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=True, left=False), M, (2, 3)),
    "solve_triangular unit": (
        lambda T, a, b: T.linalg.solve_triangular(a, b, upper=False, unitriangular=True), M, (3, 2),
    ),
    "solve_triangular broadcast": (lambda T, a, b: T.linalg.solve_triangular(a, b, upper=False), M, (4, 3, 2)),
    "triangular_solve": (lambda T, b, a: T.triangular_solve(b, a)[0], (3, 2), M),
    "triangular_solve transposed": (
        lambda T, b, a: T.triangular_solve(b, a, upper=False, transpose=True)[0], (3, 2), M,
    ),
    "power 2": (lambda T, a: T.linalg.matrix_power(a, 2), M),
    "power 3": (lambda T, a: T.matrix_power(a, 3), B),
    "power 1": (lambda T, a: a.matrix_power(1), M),
    "power 5": (lambda T, a: a.matrix_power(5), M),
    "power -2": (lambda T, a: a.matrix_power(-2), M),
    "pinv tall": (lambda T, a: T.linalg.pinv(a), (4, 2)),
    "pinv wide": (lambda T, a: T.linalg.pinv(a), (2, 4)),
    "pinv hermitian": (lambda T, a: T.linalg.pinv(spd(a), hermitian=True), M),
    "lstsq": (lambda T, a, b: T.linalg.lstsq(a, b).solution, (4, 2), (4, 3)),
    "matrix_exp": (lambda T, a: T.linalg.matrix_exp(a), M),
    "svdvals": (lambda T, a: T.linalg.svdvals(a), (4, 3)),
    "eigvalsh": (lambda T, a: T.linalg.eigvalsh(hermitian(a)), M),
    "eigvalsh batch": (lambda T, a: T.linalg.eigvalsh(hermitian(a)), B),
    "qr": (lambda T, a: T.linalg.qr(a), (4, 3)),
    "qr square": (lambda T, a: T.linalg.qr(a), M),
    "qr wide": (lambda T, a: T.linalg.qr(a), (2, 4)),
    "old qr": (lambda T, a: T.qr(a), (4, 3)),
}  # fmt: skip
WITHOUT_COMPLEX = {"logdet"}  # PyTorch's node is another there


@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("name", LINALG)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_linear_algebra(name, dtype):
    fn, *shapes = LINALG[name]
    compare(
        fn,
        inputs(*shapes, dtype=dtype, seed=3),
        names=dtype == "float64" or name not in WITHOUT_COMPLEX,
        tolerance=1e-7,
    )


@pytest.mark.parametrize(
    "name",
    ["inv", "det", "solve", "cholesky", "slogdet", "svdvals", "eigvalsh", "qr", "pinv tall"],
)
def test_linear_algebra_in_single_precision(name):
    fn, *shapes = LINALG[name]
    compare(fn, inputs(*shapes, dtype="float32", seed=3), order=1, tolerance=1e-3)


# The vectors are known up to a sign (a phase), so they are compared through what does not depend on it.
GAUGED = {
    "eigh": (lambda T, a: (lambda w, v: (v * w.exp()[..., None, :]) @ v.mH)(*T.linalg.eigh(hermitian(a))), M),
    "eigh batch": (lambda T, a: (lambda w, v: (v * w[..., None, :] ** 2) @ v.mH)(*T.linalg.eigh(hermitian(a))), B),
    "eigh of one triangle": (lambda T, a: T.linalg.eigh(a)[1].abs() ** 2, M),
    "eigh of the other": (lambda T, a: T.linalg.eigvalsh(a, UPLO="U"), M),
    "eigh vectors": (lambda T, a: T.linalg.eigh(hermitian(a))[1].abs() ** 2, M),
    "svd": (lambda T, a: (lambda u, s, vh: (u * s.exp()[..., None, :]) @ vh)(*T.linalg.svd(a, full_matrices=False)), M),
    "svd tall": (
        lambda T, a: (lambda u, s, vh: (u * s[..., None, :] ** 2) @ vh)(*T.linalg.svd(a, full_matrices=False)), (4, 2),
    ),
    "svd wide": (
        lambda T, a: (lambda u, s, vh: (u * s[..., None, :] ** 2) @ vh)(*T.linalg.svd(a, full_matrices=False)),
        (2, 2, 4),
    ),
    "svd vectors": (lambda T, a: T.linalg.svd(a, full_matrices=False)[0].abs() ** 2, (4, 3)),
    "old svd": (lambda T, a: (lambda u, s, v: (u * s[..., None, :] ** 2) @ v.mH)(*T.svd(a)), (4, 2)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("name", GAUGED)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_eigenvectors_and_singular_vectors(name, dtype):
    fn, *shapes = GAUGED[name]
    compare(fn, inputs(*shapes, dtype=dtype, seed=3), names=False, tolerance=1e-6)


NORMS = [None, "fro", "nuc", 1, 2, -1, -2, float("inf"), -float("inf")]


@pytest.mark.parametrize("ord", NORMS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_matrix_norms(ord, dtype):
    names = dtype == "float64"
    compare(lambda T, a: T.linalg.norm(a, ord), inputs((3, 2), dtype=dtype), names=names, tolerance=1e-7)
    if ord is not None:
        compare(lambda T, a: T.linalg.matrix_norm(a, ord), inputs((2, 3, 2), dtype=dtype), names=names, tolerance=1e-7)
        compare(
            lambda T, a: T.linalg.matrix_norm(a, ord, dim=(0, 2), keepdim=True),
            inputs((2, 3, 4), dtype=dtype),
            names=False,
        )
        compare(
            lambda T, a: T.linalg.matrix_norm(a, ord, dim=(2, -3)),
            inputs((2, 3, 4), dtype=dtype),
            names=False,
            tolerance=1e-7,
        )


@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, float("inf"), -float("inf")])
def test_vector_norms(ord):
    compare(lambda T, a: T.linalg.vector_norm(a, ord, dim=1), inputs((3, 2)))
    compare(lambda T, a: T.linalg.norm(a, ord), inputs((3,)))


@pytest.mark.parametrize("p", [None, 1, 2, -2, "fro", float("inf")])
def test_condition_number(p):
    def written_out(T, a):
        return T.linalg.norm(a, p or 2) * T.linalg.norm(T.linalg.inv(a), p or 2)

    # PyTorch's own raises in backward for some p ("modified by an inplace operation")
    compare(lambda T, a: T.linalg.cond(a, p) if T is sg else written_out(T, a), inputs(M), names=False, tolerance=1e-7)


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_derivatives_of_det_at_singular_matrices(rank, dtype):
    """Against the determinant written out as a polynomial (PyTorch's own is inexact there)."""
    left, right = inputs((3, rank), (rank, 3), dtype=dtype)
    a = left @ right

    def polynomial(T, m):
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    ours, _, *derivatives = run(sg, lambda T, m: T.linalg.det(m), [a], seeds_of(1), 2)
    exact, _, *others = run(sg, polynomial, [a], seeds_of(1), 2)
    for (y, *_), (z, *_) in zip((ours, *derivatives), (exact, *others)):
        np.testing.assert_allclose(y, z, atol=1e-12)


def test_the_third_derivative_of_det():
    x = sg.tensor(inputs(M)[0], requires_grad=True)
    u, v = (sg.tensor(a) for a in inputs(M, M, seed=5))

    def third(f):
        (g,) = sg.autograd.grad(f(x), x, create_graph=True)
        (h,) = sg.autograd.grad((g * u).sum(), x, create_graph=True)
        return sg.autograd.grad((h * v).sum(), x)[0].numpy()

    ours = third(sg.det)
    written_out = third(
        lambda m: (
            m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
            - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
            + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        )
    )
    np.testing.assert_allclose(ours, written_out, atol=1e-12)


def test_eigenvalues_have_a_gradient_where_they_coincide_and_vectors_say_why_not():
    x = sg.eye(3, requires_grad=True)
    values, vectors = sg.linalg.eigh(x * 2)
    (g,) = sg.autograd.grad((values**2).sum(), x, retain_graph=True)
    np.testing.assert_allclose(g.numpy(), 8 * np.eye(3))
    with pytest.raises(RuntimeError, match="the gap between the values 0 and 1 is 0.0e"):
        sg.autograd.grad((vectors * sg.tensor(inputs(M)[0])).sum(), x)


def matrix(T, rows):
    return T.tensor(rows, dtype=T.float64)


LINALG_ERRORS = {
    "inv singular": lambda T: T.linalg.inv(matrix(T, [[1, 2], [2, 4]])),
    "inv zero": lambda T: T.linalg.inv(T.zeros(2, 2)),
    "inv batch": lambda T: T.linalg.inv(T.stack([T.eye(2), T.zeros(2, 2)])),
    "solve singular": lambda T: T.linalg.solve(T.zeros(2, 2), T.ones(2)),
    "solve batch": lambda T: T.linalg.solve(T.stack([T.eye(2), T.zeros(2, 2)]), T.ones(2, 2, 1)),
    "cholesky": lambda T: T.linalg.cholesky(matrix(T, [[1, 0], [0, -1]])),
    "cholesky batch": lambda T: T.linalg.cholesky(T.stack([T.eye(2), -T.eye(2)])),
    "inv not square": lambda T: T.linalg.inv(T.ones(2, 3)),
    "inv of a vector": lambda T: T.linalg.inv(T.ones(2)),
    "inv of integers": lambda T: T.linalg.inv(T.ones(2, 2, dtype=T.int64)),
    "det not square": lambda T: T.linalg.det(T.ones(2, 3)),
    "slogdet not square": lambda T: T.linalg.slogdet(T.ones(2, 3)),
    "logdet not square": lambda T: T.logdet(T.ones(2, 3)),
    "solve shapes": lambda T: T.linalg.solve(T.eye(2), T.ones(3)),
    "solve shapes 2": lambda T: T.linalg.solve(T.eye(2), T.ones(3, 2)),
    "cholesky not square": lambda T: T.linalg.cholesky(T.ones(2, 3)),
    "triangular not square": lambda T: T.linalg.solve_triangular(T.ones(2, 3), T.ones(3, 2), upper=True),
    "triangular vector": lambda T: T.linalg.solve_triangular(T.eye(3), T.ones(3), upper=True),
    "eigh not square": lambda T: T.linalg.eigh(T.ones(2, 3)),
    "matrix norm order": lambda T: T.linalg.matrix_norm(T.ones(2, 3), 3),
    "matrix norm of a vector": lambda T: T.linalg.matrix_norm(T.ones(3)),
    "norm of 3 dimensions": lambda T: T.linalg.norm(T.ones(2, 3, 4), 2),
    "matrix_power not square": lambda T: T.linalg.matrix_power(T.ones(2, 3), 2),
}


@pytest.mark.parametrize("name", LINALG_ERRORS)
def test_linear_algebra_refuses_in_pytorchs_words(name):
    mine, theirs = errors(LINALG_ERRORS[name])
    assert isinstance(mine, RuntimeError)
    assert isinstance(mine, np.linalg.LinAlgError) == (type(theirs).__name__ == "_LinAlgError")
    words = str(theirs).splitlines()[0].partition(" (the leading minor")[0].rstrip(".")  # whose number is LAPACK's
    assert str(mine).splitlines()[0].rstrip(".") == words


def test_a_singular_triangle_gives_infinities():
    for finite in both(
        lambda T: T.isfinite(T.linalg.solve_triangular(T.zeros(2, 2), T.ones(2, 1), upper=True)).numpy()
    ):
        assert not finite.any()


def test_numpys_linear_algebra_on_tensors():
    x = sg.tensor(inputs(M)[0], requires_grad=True)
    a = x.detach().numpy()
    for fn in (np.linalg.inv, np.linalg.det, np.linalg.pinv, np.linalg.norm):
        y = fn(x)
        assert y.requires_grad
        np.testing.assert_allclose(y.detach().numpy(), fn(a))
    for fn in (np.linalg.slogdet, np.linalg.svd, np.linalg.qr):
        for ours, numpys in zip(fn(x), fn(a)):
            np.testing.assert_allclose(ours.detach().numpy(), numpys)
    np.testing.assert_allclose(np.linalg.solve(x, a[0]).detach().numpy(), np.linalg.solve(a, a[0]))


def test_linear_algebra_of_arrays_gives_arrays():
    a = inputs(M)[0]
    assert isinstance(sg.linalg.inv(a), np.ndarray)
    np.testing.assert_allclose(sg.linalg.solve(a, a), np.eye(3), atol=1e-12)
    assert isinstance(sg.linalg.det(a), np.floating)

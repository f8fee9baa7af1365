"""Reductions, scans and order against PyTorch: values, first and second derivatives, node names, dtypes, errors.

Each case is an expression in ``t`` (the library) and tensors, evaluated by both.
"""

# ruff: noqa: E501, SIM905  (tables of expressions)

import contextlib
import warnings

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare

INF, NAN = float("inf"), float("nan")
NAMES = {"INF": INF, "NAN": NAN}


def rng():
    return np.random.default_rng(7)


POINTS = {
    "x": lambda: rng().normal(size=5),
    "A": lambda: rng().normal(size=(3, 4)),
    "B": lambda: rng().normal(size=(2, 3, 4)),
    "s": lambda: np.array(0.7),
    "ties": lambda: np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 2.0, 2.0], [-1.0, 0.0, 0.0, -1.0]]),
    "zero": lambda: np.array([[2.0, 0.0, 4.0], [0.0, 0.0, 4.0], [0.0, 0.0, 0.0]]),
    "nans": lambda: np.array([[1.0, NAN, 3.0], [NAN, NAN, NAN], [2.0, 5.0, 4.0]]),
    "empty": lambda: np.zeros((0, 3)),
    "one": lambda: np.array([[3.0]]),
}


def tensors(library, dtype):
    return {
        name: library.tensor(point(), dtype=getattr(library, dtype), requires_grad=True)
        for name, point in POINTS.items()
    }


def first(result):
    return result[0] if isinstance(result, (tuple, list)) and not hasattr(result, "grad_fn") else result


def derivatives(library, expression, dtype="float64", order=2):
    """[value, gradient, second derivative in a direction] and the node's name."""
    names = tensors(library, dtype)
    result = first(eval(expression, {"t": library, **NAMES, **names}))
    name = result.grad_fn.name() if callable(getattr(result.grad_fn, "name", None)) else None
    leaves = [names[n] for n in POINTS if n in expression.replace("t.", "").replace("INF", "").replace("NAN", "")]
    leaves = [x for x in leaves if used(library, result, x)]
    found = [result]
    for k in range(order):
        weights = np.cos(np.arange(1, result.numel() + 1) + k).reshape(tuple(result.shape))
        seed = library.tensor(weights, dtype=getattr(library, dtype))
        if k < order - 1:
            grads = library.autograd.grad(result, leaves, seed, create_graph=True, allow_unused=True)
        else:
            grads = library.autograd.grad(result, leaves, seed, allow_unused=True) if result.requires_grad else [None]
        found += [grads[0]]
        if grads[0] is None:
            break
        result = grads[0]
    return [None if v is None else np.array(v.detach().numpy(force=True)) for v in found], name


def used(library, result, x):
    return library.autograd.grad(result.sum(), x, retain_graph=True, allow_unused=True)[0] is not None


def agree(ours, theirs, rtol=1e-9, atol=1e-11):
    for k, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if b is None:
            assert a is None or not np.any(a)
            continue
        a = np.zeros_like(b) if a is None else a
        assert a.shape == b.shape, f"order {k}: {a.shape} against {b.shape}"
        assert a.dtype == b.dtype, f"order {k}: {a.dtype} against {b.dtype}"
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=f"order {k}")


REDUCTIONS = [
    f"{operand}.{call}"
    for operand, calls in {
        "A": """sum() sum(0) sum(-1,keepdim=True) sum((0,1)) sum(dim=(-1,),keepdim=True) sum(axis=0) mean() mean(1)
             mean((0,1),True) mean(dim=-2,keepdim=True) prod() prod(0) prod(-1,keepdim=True) var() var(0)
             var(1,unbiased=False) var(False) var((0,1),keepdim=True) var(dim=1,correction=0,keepdim=True)
             var(dim=0,correction=2) std() std(0) std(1,keepdim=True) std(correction=0) std((0,1)) amax() amax(1)
             amax((0,1)) amin(0,True) amin() max() min() max(0) max(1,keepdim=True) min(-1) median() median(0)
             median(1,keepdim=True) nanmedian() nanmedian(1) mode() logsumexp(0) logsumexp((0,1)) logsumexp(-1,keepdim=True)
             norm() norm(1) norm(2,1) norm(3,0) norm(INF) norm(-INF,1) norm(0.5,1) norm(1.5) norm(p=2,dim=0,keepdim=True)
             norm('fro') norm('fro',dim=(0,1)) norm(-1,0) nansum() nansum(1) nanmean(0) cumsum(0) cumsum(-1)
             cumprod(0) cumprod(1) cummax(0) cummin(1) logcumsumexp(1) softmax(0) softmax(-1) log_softmax(1)
             sort() sort(0) sort(descending=True) topk(2) topk(2,0) topk(1,largest=False) kthvalue(2) kthvalue(1,0,True)
             msort() diff() diff(2,0) diff(n=3) sum_to_size(1,4) sum_to_size((3,1)) argsort() aminmax() aminmax(dim=1)""".split(),
        "B": """sum((0,2)) sum((-1,0),keepdim=True) mean((0,2)) var((0,2)) std(1) prod(1) amax((0,2)) amin((1,2),True)
             logsumexp((0,1)) logsumexp(1,True) max(1) median(1) norm(3,(0,2)) norm(2,(1,2),True) norm(INF,(0,1)) cumsum(1)
             cumprod(1) softmax(1) log_softmax(0) sort(1) cummax(1) kthvalue(2,1) topk(2,1) nansum((0,2),True) diff(dim=1)
             logcumsumexp(0) aminmax(dim=0,keepdim=True)""".split(),
        "s": """sum() sum(0) sum(-1,True) mean() mean(0) prod() prod(0) var(correction=0) amax() amax(0) max() max(0) min(0)
             median() median(0) logsumexp(0) norm() norm(3) norm(2,0) cumsum(0) cumprod(0) softmax(0) log_softmax(0) sort()
             topk(1) kthvalue(1) cummax(0) logcumsumexp(0) nansum() std(correction=0)""".split(),
        "ties": """amax() amax(1) amin(0) max() min() max(1) min(1) median() median(1) nanmedian(1) mode() norm(INF) norm(INF,1)
             norm(-INF,1) aminmax() aminmax(dim=1) cummax(1) cummin(1) sort(dim=1,stable=True)
             sort(dim=1,descending=True,stable=True) cummax(0)""".split(),
        "zero": """prod() prod(0) prod(1) cumprod(0) cumprod(1) norm(1,1) norm(3,1)""".split(),
        "empty": """sum() sum(0) mean() prod() prod(0) logsumexp(0) nansum() norm() norm(1,0) cumsum(0) cumprod(0) softmax(1)
             log_softmax(0) sort() diff(dim=1) amax(1) max(1) var(0) std(1)""".split(),
        "one": "sum() mean() prod() amax() max(0) logsumexp(0) softmax(0) cumprod(0) sort() std(correction=0)".split(),
    }.items()
    for call in calls
] + [
    "t.dist(A, A[0], 2)", "t.dist(A, B, 3)", "t.dist(x, 2*x, 1)", "t.dist(x, x.detach()*2+1, INF)", "t.maximum(A, ties)",
    "t.max(A, ties)", "t.min(A, ties[0])", "t.var_mean(A, 1)", "t.var_mean(A, 1)[1]", "t.std_mean(A)", "t.std_mean(B, (0, 2))[1]",
    "t.softmax(A, dim=1)", "t.log_softmax(A, 0)", "t.prod(A, 1)", "t.cumsum(x, dim=0)", "t.logsumexp(x, 0)", "t.norm(x, 3)",
    "t.sort(x)[0]", "t.topk(x, 2)[0]", "t.median(x)", "t.diff(x, prepend=x[:2], append=x[:1])", "t.diff(A, dim=0, prepend=A[:1])",
    "t.sum(A, 0)", "t.mean(A, dim=1)", "t.cummax(x, 0)[0]", "t.amax(B, dim=(0, 1))", "t.std(A, dim=1)", "t.aminmax(A)[1]",
    "sum(t.aminmax(ties, dim=1))", "t.msort(A)", "t.var(A, 0, False)", "t.std(A, 1, True, True)", "t.sum(A * A.softmax(1))",
    "(A.std(0) + A.var(0)).prod()", "A.cumprod(1).cumsum(0).logsumexp(1)", "(A * A.max(1, keepdim=True)[0]).sum(0)",
    "A.norm(dim=1).prod() * A.mean()", "zero.cumprod(1).prod(0)", "(B.logsumexp(0) - B.logcumsumexp(0)[1]).sum()",
]  # fmt: skip


@pytest.mark.parametrize("expression", REDUCTIONS)
def test_values_derivatives_and_names(expression):
    def run(library):
        if "argsort" in expression:
            return [eval(expression, tensors(library, "float64")).numpy()], None
        return derivatives(library, expression)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no degrees of freedom
        (ours, own), (theirs, name) = run(sg), answer("torch", run, bits=40)
    agree(ours, theirs)
    assert own == name


@pytest.mark.parametrize("expression", [e for e in REDUCTIONS if e.startswith(("A.", "s."))])
def test_single_precision_stays_single(expression):
    if "argsort" in expression:
        return
    ours, theirs = both(lambda library: derivatives(library, expression, "float32")[0])
    agree(ours, theirs, 1e-3, 1e-3)


KINKS = [
    "ties.std(1)", "ties.var(1)", "zero.norm(dim=1)", "zero.norm(0.5, 1)", "zero.norm(1.5, 1)", "zero.norm(-1, 1)", "zero.norm(INF, 1)",
    "t.dist(x, x.detach())", "nans.sum()", "nans.nansum()", "nans.nansum(1)", "nans.nanmean(0)", "nans.nanmean()", "nans.median(1)",
    "nans.nanmedian(1)", "nans.nanmedian()", "nans.sort(1)", "nans.max(1)", "nans.min(0)", "nans.cummax(1)", "nans.cummin(0)",
    "nans.topk(2)", "nans.amax(1)", "nans.max()", "nans.median()", "nans.cumsum(0)", "one.var()",
    "t.logsumexp(t.tensor([-INF, 0.0]).to(x.dtype) + x[:2], 0)", "t.softmax(t.tensor([-INF, 0.0]).to(x.dtype) + x[:2], 0)",
    "t.logsumexp(t.tensor([-INF, -INF]).to(x.dtype) + x[:2], 0)", "t.softmax(t.tensor([-INF, -INF]).to(x.dtype) + x[:2], 0)",
    "t.log_softmax(t.tensor([-INF, 0.0]).to(x.dtype) + x[:2], 0)", "t.logsumexp(t.tensor([INF, 0.0]).to(x.dtype) + x[:2], 0)",
    "t.logcumsumexp(t.tensor([0.0, -INF, 1.0]).to(x.dtype) + x[:3], 0)",
]  # fmt: skip


@pytest.mark.parametrize("expression", KINKS)
def test_first_derivative_at_kinks_and_nan(expression):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        agree(*both(lambda library: derivatives(library, expression, order=1)[0]))


@pytest.mark.parametrize(
    "expression",
    [
        "zero.norm(dim=1)",
        "zero.norm(2.5, 1)",
        "zero.norm(1.5, 1)",
        "zero.norm(0, 1)",
        "ties.std(1)",
        "t.dist(x, x.detach())",
    ],
)
def test_second_derivative_at_kinks_is_not_nan(expression):
    assert all(np.isfinite(v).all() for v in derivatives(sg, expression)[0])


RESULTS = [
    "i.sum()", "i.sum(0)", "b.sum()", "b.sum(0)", "u.sum()", "u.sum(0)", "i.prod()", "u.prod(0)", "b.prod()", "i.cumsum(0)",
    "b.cumsum(0)", "u.cumsum(0)", "u.cumprod(0)", "b.cumprod(0)", "i.sum(dtype=t.float64)", "i.mean(dtype=t.float64)",
    "f.sum(dtype=t.float64)", "f.prod(0, dtype=t.float64)", "f.cumsum(0, dtype=t.float64)", "f.softmax(0, dtype=t.float64)",
    "f.norm(dtype=t.float64)", "i.max()", "i.max(0)", "i.max(0)[1]", "b.max()", "b.amax(0)", "i.amin(0)", "i.argmax()", "i.argmin(0)",
    "i.argmax(0, True)", "f.argmax(keepdim=True)", "b.any()", "b.any(0)", "b.all(1, keepdim=True)", "i.all()", "f.any((0, 1))",
    "i.count_nonzero()", "f.count_nonzero(0)", "b.count_nonzero((0, 1))", "i.median()", "i.median(0)", "i.median(1)[1]", "i.mode(0)",
    "i.mode(1)[1]", "i.sort(1)", "i.sort(dim=1, descending=True, stable=True)[1]", "b.sort(1)", "u.sort(dim=1, descending=True, stable=True)",
    "i.argsort(0)", "i.argsort(dim=1, descending=True, stable=True)", "i.topk(1)", "i.kthvalue(1)", "i.cummax(1)", "i.cummax(1)[1]",
    "i.cummin(0)[1]", "f.cummax(1)[1]", "i.diff()", "b.diff()", "i.nansum()", "b.nansum()", "f.nanmean()", "f.std()", "f.var(0)",
    "t.var_mean(f, 0)[1]", "t.aminmax(i)[1]", "t.aminmax(i, dim=0)[0]", "t.unique(i)", "t.unique(i, return_inverse=True)[1]",
    "t.unique(i, return_counts=True)[1]", "t.unique(i, dim=0)", "t.unique(f, return_inverse=True, return_counts=True)[2]",
    "t.unique(i, dim=1, return_inverse=True)[1]", "t.unique_consecutive(i)", "t.unique_consecutive(i, return_inverse=True)[1]",
    "t.unique_consecutive(i, return_counts=True)[1]", "t.unique_consecutive(i, dim=0)", "t.bincount(i[0])",
    "t.bincount(i[0], minlength=9)", "t.bincount(i[0], f[0])", "t.bincount(i[0], f[0].double())", "t.histc(f, 4)",
    "t.histc(f, 3, 0, 2)", "t.histc(f[0], bins=5, min=-1, max=1)", "t.searchsorted(f[2], f[0])", "t.searchsorted(f[2], 0.5)",
    "t.searchsorted(f[2], f)", "t.searchsorted(f.sort(1)[0], f)", "t.searchsorted(f.sort(1)[0], f, right=True)",
    "t.searchsorted(f[2], f[2], side='right')", "t.searchsorted(f[0], f, sorter=f[0].argsort())", "t.bucketize(f, f[2])",
    "t.bucketize(f, f[2], right=True)", "t.bucketize(f, f[2], out_int32=True)", "t.bucketize(1.5, f[2])", "f.norm(0, 1)",
    "z.sum()", "z.mean(0)", "z.prod()", "z.cumsum(0)", "z.norm()", "z.norm(1)", "z.norm(3)", "z.var()", "z.std()", "z.cumprod(0)",
    "z.any()", "z.count_nonzero()", "t.cdist(f, f[:2])", "t.cdist(f, f[:2], p=1.0)", "t.cdist(f, f[:2] + 1, INF)",
]  # fmt: skip


def samples(library):
    return {
        "t": library,
        **NAMES,
        "i": library.tensor([[3, 1, 2, 1], [0, 5, 5, 2]]),
        "u": library.tensor([[3, 1, 2, 1], [0, 5, 5, 2]], dtype=library.uint8),
        "b": library.tensor([[True, False, True], [True, True, True]]),
        "f": library.tensor(
            [[1.0, -2.0, 0.5, 1.0], [0.0, 1.0, 1.0, 3.0], [-1.0, 0.0, 1.0, 2.0]], dtype=library.float32
        ),
        "z": library.tensor([1 + 2j, 3 - 1j, 0.5j], dtype=library.complex128),
    }


@pytest.mark.parametrize("expression", RESULTS)
def test_values_and_dtypes_without_gradient(expression):
    def run(library):
        result = first(eval(expression, samples(library)))
        return str(result.dtype).partition(".")[2], result.numpy()

    (dtype, ours), (their_dtype, theirs) = both(run)
    assert dtype == their_dtype
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize("expression", ["z.sum()", "z.prod()", "z.mean()", "z.norm()", "z.norm(1)", "z.norm(3)", "z.var()", "z.std()",
                                        "z.cumsum(0).abs()", "z.cumprod(0)", "t.dist(z, 2*z)", "z.logsumexp(0)"])  # fmt: skip
def test_gradients_of_complex_inputs(expression):
    def run(library):
        names = samples(library)
        z = names["z"].requires_grad_()
        y = eval(expression, names)
        y = y if y.ndim == 0 else y.sum()
        (g,) = library.autograd.grad(y if not y.is_complex() else y.real + 2 * y.imag, z, create_graph=True)
        s = (g.real * 2 + g.imag).sum()
        (h,) = library.autograd.grad(s, z, allow_unused=True) if s.requires_grad else (None,)
        return g.detach().numpy(), np.zeros(3) if h is None else h.numpy()

    for ours, theirs in zip(*both(run), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


ERRORS = [
    "i.mean()", "b.mean(0)", "i.std()", "i.var(0)", "t.var_mean(i)", "i.norm()", "i.softmax(0)", "i.log_softmax(0)", "f.sum(2)",
    "f.sum((0, 0))", "f.sum((0, -2))", "f.mean(-3)", "f.max(2)", "f.cumsum(5)", "f.sort(3)", "f.argmax(2)", "f.kthvalue(9)",
    "f.kthvalue(0)", "f.topk(9)", "f[:0].amax(0)", "f[:0].max()", "f[:0].max(0)", "f[:0].argmax()", "f[:0].argmin(0)", "f[:0].min()",
    "f[:0].median(0)", "f[:0].norm(INF)", "t.bincount(-i[0])", "t.bincount(i)", "f[0, 0].sum(1)", "f[0, 0].diff()", "z.max()", "z.amax()",
    "f[0, 0].cumsum(1)", "f.norm('x')", "i.nanmean()", "t.bincount(f[0])", "f.sum_to_size(2, 4)", "f.softmax(2)", "f.logsumexp(2)",
    "f.amax((0, 0))", "f.std(4)", "f.prod(7)", "t.aminmax(f[:0])", "f.mode(3)", "f.logcumsumexp(2)", "i.logcumsumexp(0)",
    "f.norm(2, 5)", "t.max(f, f[:, :3])",
]  # fmt: skip


@pytest.mark.parametrize("expression", ERRORS)
def test_errors_have_pytorchs_class_and_words(expression):
    with pytest.raises(Exception) as theirs:
        answer("torch", lambda torch: eval(expression, samples(torch)))
    kind = RuntimeError if theirs.type is NotImplementedError else theirs.type  # a dtype that a kernel lacks
    with pytest.raises(kind) as ours:
        eval(expression, samples(sg))
    words = str(theirs.value).split("\n")[0].split(". ")[0]
    words = words[max(words.find(" not implemented for "), 0) :]  # before it stands what PyTorch calls its kernel
    assert words[:60] in str(ours.value)


NUMPY = [
    "np.sum(x)", "np.sum(A, 0)", "np.sum(A, axis=1, keepdims=True)", "np.mean(A, axis=0)", "np.mean(A)", "np.prod(A, 1)", "np.var(A, axis=0)",
    "np.var(A, ddof=1)", "np.std(A, 1, ddof=1)", "np.std(A)", "np.max(A, 0)", "np.amin(A, axis=1)", "np.min(A)", "np.cumsum(A)",
    "np.cumsum(A, 0)", "np.cumprod(A, axis=1)", "np.sort(A)", "np.sort(A, axis=0)", "np.sort(A, axis=None)", "np.diff(A)", "np.diff(A, axis=0)",
    "np.median(A)", "np.median(A, axis=1)", "np.median(x)", "np.linalg.norm(x)", "np.linalg.norm(A, axis=1)", "np.linalg.norm(x, 3)",
    "np.linalg.norm(A)", "np.ptp(A, 1)", "np.nansum(A, 0)", "np.nanmean(A)", "np.broadcast_to(x, (2, 5))", "np.argmax(A)",
    "np.argmin(A, axis=1)", "np.argsort(A, axis=0)", "np.any(A, axis=0)", "np.all(A)", "np.count_nonzero(A)", "np.add.reduce(A, 1)",
]  # fmt: skip


@pytest.mark.parametrize("expression", NUMPY)
def test_numpy_functions_on_tensors(expression):
    names = tensors(sg, "float64")
    ours = eval(expression, {"np": np, **names})
    theirs = eval(expression, {"np": np, **{n: p() for n, p in POINTS.items()}})
    np.testing.assert_allclose(ours.detach().numpy(), theirs)
    assert ours.requires_grad == (np.asarray(theirs).dtype == np.float64)


def test_index_of_equal_elements_is_pytorchs():
    def run(library):
        generator, found = rng(), []
        for _ in range(60):
            x = library.tensor(generator.integers(0, 3, size=(4, generator.integers(1, 12))).astype(float))
            said = {"array": x.numpy(), "topk(1)": x.topk(1)[0].numpy()}
            for call in (
                "max(1)",
                "min(1)",
                "median(1)",
                "mode(1)",
                "cummax(1)",
                "cummin(1)",
                "sort(1)",
                "sort(1, True)",
            ):
                result = eval(f"x.{call}", {"x": x})
                said[call] = result.values.numpy(), result.indices.numpy()
            found.append(said)
        return found

    for ours, theirs in zip(*both(run), strict=True):
        for call, found in ours.items():
            np.testing.assert_equal(found, theirs[call], err_msg=f"{call}: {theirs['array']}")


def test_named_results_print_like_pytorchs():
    def run(library):
        calls = ("max(1)", "sort()", "median(0)", "topk(1)", "cummax(1)", "aminmax()")
        x = library.tensor([[1.0, 3.0], [4.0, 2.0]])
        return [repr(eval(f"x.{call}", {"x": x})) for call in calls]

    ours, theirs = both(run)
    assert ours == [text.replace("torch", "symgrad") for text in theirs]


def test_long_recurrences_agree():
    v = rng().normal(size=500) * 0.1 + 1

    def run(library):
        x = library.tensor(v, requires_grad=True)
        (g,) = library.autograd.grad(x.cumprod(0).sum(), x, create_graph=True)
        (h,) = library.autograd.grad(g.sum(), x)
        (p,) = library.autograd.grad(x.logcumsumexp(0).sum(), x)
        return g.detach().numpy(), h.numpy(), p.numpy()

    agree(run(sg), answer("torch", run, bits=40), 1e-7)


@pytest.mark.parametrize(("call", "again"), [("sum()", True), ("sum(0)", True), ("mean()", True), ("cumsum(0)", True), ("prod()", False),
                                             ("max()", False), ("max(0)[0]", False), ("sort(0)[0]", False), ("var()", False),
                                             ("softmax(0)", False), ("norm()", False), ("logsumexp(0)", False)])  # fmt: skip
def test_what_can_be_walked_twice(call, again):
    def run(library):
        x = library.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = eval(f"x.{call}", {"x": x}).sum()
        y.backward()
        y.backward()

    for walk in (lambda: run(sg), lambda: answer("torch", run)):
        with contextlib.nullcontext() if again else pytest.raises(RuntimeError, match="second time"):
            walk()

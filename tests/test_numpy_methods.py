"""Methods that NumPy and PyTorch both have: in a function of arrays they agree, or raise, or warn."""

import itertools
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad._errors import PyTorchMeaningWarning

METHODS = [n for n in dir(np.ndarray) if not n.startswith("_") and callable(getattr(np.ndarray, n))]
SHARED = [n for n in METHODS if hasattr(sg.Tensor, n)]
SHAPES = [(4,), (3, 4), (2, 3, 2), (3, 3), (1, 4)]
BY_POSITION = [
    (), (0,), (1,), (-1,), (2,), (0, 1), (1, 0), (-2, -1), ((0, 1),), (None,), (0, float), (0, None, None, True),
    ("F",), ([0, 1],), ([0, 1], 0), ([0, 1], 1), ([0, 1], [5.0, 6.0]), (0.0, 0.5), (0, "stable"), (float,), (0, 0, 1),
    (1, 0, 1), (0, 1, 0), (0, 1, 2), (2, 2), (2, -1), (12,), (4, 1), (1, 2), (np.array([0, 1]),),
    (np.array([0, 1]), 0), (np.array([0, 1]), np.array([5.0, 6.0])),
]  # fmt: skip
BY_NAME = [
    {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"keepdims": True}, {"axis": 0, "keepdims": True}, {"ddof": 1},
    {"axis": 0, "ddof": 1}, {"dtype": float}, {"order": "F"},
]  # fmt: skip
CALLS = [(a, {}) for a in BY_POSITION] + [((), k) for k in BY_NAME]


def numbers(result):
    if isinstance(result, tuple):
        return tuple(map(numbers, result))
    return result.detach().numpy() if isinstance(result, sg.Tensor) else result


def same(got, want):
    if isinstance(got, tuple) or isinstance(want, tuple):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    if got is None or want is None:
        return got is want
    return np.shape(got) == np.shape(want) and np.allclose(got, want)


def in_a_transform(name, x, args, kwargs):
    """(the method's result, what became of the tensor) where a transform runs it on an array; None where it says so."""
    found = []

    def f(t):
        t = np.copy(t)
        try:
            found.append((numbers(getattr(t, name)(*args, **kwargs)), numbers(t)))
        except Exception:  # or a warning
            return t.sum()
        return t.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.grad(f)(x)
    return found[0] if found else None


@pytest.mark.parametrize("name", SHARED)
def test_a_method_of_an_array_means_numpys_or_says_that_it_does_not(name):
    for shape, (args, kwargs) in itertools.product(SHAPES, CALLS):
        x = np.sin(np.arange(1.0, np.prod(shape) + 1) * 1.7).reshape(shape)
        after = x.copy()
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = getattr(after, name)(*args, **kwargs)
        except Exception:
            continue
        got = in_a_transform(name, x, args, kwargs)
        assert got is None or (same(got[0], want) and same(got[1], after)), (shape, args, kwargs)


X = np.array([0.2, 0.9, 0.7])
A = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("f", "x", "words"),
    [
        (lambda A: A.transpose(0, 1).sum(), A, "np.transpose(x, (0, 1))"),
        (lambda A: A.transpose(-2, -1).sum(), A, "leaves them as they are"),
        (lambda A: A.max(axis=1)[0].sum(), A, "np.max(x, axis)"),
        (lambda A: A.min(0)[0].sum(), A, "x.min(dim=axis)"),
        (lambda x: x[(x > 0.5).nonzero()].sum(), X, "np.nonzero(x)"),
        (lambda x: x.sort()[0].sum(), X, "x = np.sort(x)"),
        (lambda x: x.sort(axis=0)[0].sum(), X, "sorts x in place"),
        (lambda x: x.put(np.array([0]), sg.tensor([1.0])).sum(), X, "np.put(x, places, values)"),
    ],
)
def test_a_method_that_means_another_thing_warns(f, x, words):
    with pytest.warns(PyTorchMeaningWarning) as seen:
        sg.grad(f)(x)
    assert words in str(seen[0].message) and seen[0].filename == __file__


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda A: A.transpose(1, 0).sum(), A),
        (lambda A: A.transpose((0, 1)).sum(), A),
        (lambda A: A.transpose(dim0=0, dim1=1).sum(), A),
        (lambda A: A[None].transpose(0, 1).sum(), A),
        (lambda A: A.max(dim=1)[0].sum(), A),
        (lambda A: A.max() + A.min(), A),
        (lambda x: x[(x > 0.5).nonzero(as_tuple=True)].sum(), X),
        (lambda x: x.sort(dim=0)[0].sum(), X),
        (lambda x: x.sort(descending=True)[0].sum(), X),
    ],
)
def test_what_only_pytorch_takes_and_what_agrees_does_not_warn(f, x):
    sg.grad(f)(x)


@pytest.mark.filterwarnings("error")
def test_functions_of_tensors_keep_pytorchs_meaning_without_a_word():
    t = sg.tensor(A)
    assert sg.func.grad(lambda A: (A.transpose(0, 1)[0] * sg.tensor([1.0, 2.0])).sum())(t).tolist() == [
        [1, 0, 0], [2, 0, 0]]  # fmt: skip
    assert sg.func.grad(lambda A: A.max(1)[0].sum())(t).tolist() == [[0, 0, 1], [0, 0, 1]]
    assert t.transpose(0, 1).shape == (3, 2) and t.sort()[0].shape == (2, 3) and t.nonzero().shape == (5, 2)


def test_vmap_of_arrays_has_numpys_meaning():
    rows = np.stack([A, -A])
    np.testing.assert_array_equal(sg.vmap(lambda A: A.transpose(0, 1))(rows), rows)
    np.testing.assert_array_equal(sg.vmap(lambda A: A.max(axis=1))(rows), rows.max(axis=2))


def test_the_largest_keeps_dimensions_when_asked():
    t = sg.tensor(A, requires_grad=True)
    assert t.max(keepdims=True).shape == (1, 1) == t.min(keepdims=True).shape
    (g,) = sg.autograd.grad(t.max(keepdims=True).sum(), t)
    assert g.tolist() == [[0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.sum(0, float), lambda t: t.mean(0, np.float64), lambda t: t.prod(0, float),
        lambda t: t.std(0, float), lambda t: t.var(0, np.dtype(float)), lambda t: t.argsort(0, "stable"),
        lambda t: t.sort(0, "stable"),
    ],
)  # fmt: skip
def test_a_dtype_or_kind_where_pytorch_has_a_choice_raises(use):
    with pytest.raises(TypeError, match="go by name"):
        use(sg.tensor(A))

"""Methods of arrays in a function of arrays: each does what NumPy's does, unless a word of PyTorch's asks for its."""

import itertools
import warnings
from contextlib import suppress

import numpy as np
import pytest

import symgrad as sg

METHODS = [n for n in dir(np.ndarray) if not n.startswith("_") and callable(getattr(np.ndarray, n))]
NOT_HERE = {"byteswap", "dump", "dumps", "getfield", "setfield", "setflags", "tobytes", "tofile", "tolist"}
SHARED = [n for n in METHODS if n not in NOT_HERE]
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


UNUSUAL = [BY_POSITION[k] for k in (9, 11, 17)]
REFUSED = {
    "item": "a number that is taken has no derivative",
    "view": "bytes that are read as other numbers have none",
    "std": "of one number with ddof=1: a warning",
    "var": "the same",
}


def numbers(result):
    if isinstance(result, tuple):
        return tuple(map(numbers, result))
    return np.asarray(result.detach()) if hasattr(result, "detach") else result


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
        found.append((numbers(getattr(t, name)(*args, **kwargs)), numbers(t)))
        return t.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(Exception):  # or a warning
            sg.grad(f)(x)
    return found[0] if found else None


@pytest.mark.parametrize("name", SHARED)
def test_a_method_of_an_array_is_numpys(name):
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
        if got is None:
            assert name in REFUSED or any(args is odd for odd in UNUSUAL), (shape, args, kwargs)
        else:
            assert same(got[0], want) and same(got[1], after), (shape, args, kwargs)


X = np.array([0.2, 0.9, 0.7])
A = np.arange(6.0).reshape(2, 3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("f", "x", "shape"),
    [
        (lambda A: A.max(dim=1)[0], A, (2,)),
        (lambda A: A.transpose(dim0=0, dim1=1), A, (3, 2)),
        (lambda A: A.sum(dim=0, keepdim=True), A, (1, 3)),
        (lambda x: x.std(correction=1), X, ()),
        (lambda x: x.unsqueeze(0), X, (1, 3)),
    ],
)
def test_a_word_of_pytorchs_asks_for_its_method(f, x, shape):
    assert sg.jacobian(f)(x).shape == shape + x.shape


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

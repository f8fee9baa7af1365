"""Signatures of losses, arguments of old, implicit dimensions and promotion: PyTorch's."""

import inspect
import operator
import warnings

import numpy as np
import pytest

import symgrad as sg

from ._answers import answer
from ._same import assert_same, both, normal

pytestmark = pytest.mark.compare

HOMES = {home: operator.attrgetter(home) for home in ("nn", "nn.functional")}
NAMES = answer("torch", lambda torch: {home: dir(of(torch)) for home, of in HOMES.items()}, name="names")
LOSSES = [
    (home, name) for home, of in HOMES.items() for name in dir(of(sg))
    if ("oss" in name or "entropy" in name or name == "kl_div") and "Adaptive" not in name and name in NAMES[home]
]  # fmt: skip
BUILT_IN = {"NLLLoss2d"}
"""Takes ``*args`` in PyTorch, as a class that only warns."""


def parameters(call):
    """Names, kinds and values that stand for what is not given, () where something has to be."""
    found = inspect.signature(call).parameters.values()
    return [(p.name, p.kind.name, () if p.default is p.empty else p.default) for p in found]


@pytest.mark.parametrize(("home", "name"), [loss for loss in LOSSES if loss[1] not in BUILT_IN])
def test_losses_take_their_arguments_in_pytorchs_places(home, name):
    ours, theirs = both(lambda lib: parameters(getattr(HOMES[home](lib), name)))
    assert ours == theirs
    assert len(LOSSES) > 40


# name: the inputs' shapes (or values), targets
OLD = {
    "mse_loss": (normal(3, 2), normal(3, 2, seed=1)), "l1_loss": (normal(3, 2), normal(3, 2, seed=1)),
    "smooth_l1_loss": (normal(3, 2), normal(3, 2, seed=1)), "kl_div": (normal(3, 2), abs(normal(3, 2, seed=1))),
    "binary_cross_entropy": (np.array([0.2, 0.7]), np.array([1.0, 0.0])),
    "binary_cross_entropy_with_logits": (normal(3), np.array([1.0, 0.0, 1.0])),
    "cross_entropy": (normal(3, 2), np.array([0, 1, 1])), "nll_loss": (normal(3, 2), np.array([0, 1, 1])),
    "poisson_nll_loss": (normal(3), np.array([1.0, 2.0, 0.0])), "soft_margin_loss": (normal(2), np.array([1, -1])),
    "hinge_embedding_loss": (normal(2), np.array([1.0, -1.0])),
    "margin_ranking_loss": (normal(2), normal(2, seed=1), np.array([1.0, -1.0])),
    "cosine_embedding_loss": (normal(2, 3), normal(2, 3, seed=1), np.array([1.0, -1.0])),
    "multi_margin_loss": (normal(2, 3), np.array([0, 2])),
    "multilabel_margin_loss": (normal(2, 3), np.array([[0, 2, -1], [1, -1, 0]])),
    "multilabel_soft_margin_loss": (normal(2, 3), np.array([[0.0, 1, 1], [1, 0, 0]])),
    "triplet_margin_loss": (normal(2, 3), normal(2, 3, seed=1), normal(2, 3, seed=2)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:size_average and reduce")
@pytest.mark.parametrize("name", OLD)
def test_older_arguments_of_losses_mean_what_they_do_in_pytorch(name):
    for options in ({"size_average": False}, {"reduce": False}, {"size_average": True, "reduce": True}):
        assert_same(lambda lib, *x, o=options: getattr(lib.nn.functional, name)(*x, **o), *OLD[name], second=False)
    layers = {n.lower(): n for n in NAMES["nn"] if n.endswith("Loss")}
    short = {"binary_cross_entropy": "bceloss", "binary_cross_entropy_with_logits": "bcewithlogitsloss",
             "kl_div": "kldivloss", "cross_entropy": "crossentropyloss"}  # fmt: skip
    layer = layers[short.get(name, name.replace("_", ""))]
    assert_same(lambda lib, *x: getattr(lib.nn, layer)(size_average=False)(*x), *OLD[name], second=False)


@pytest.mark.parametrize("ndim", range(5))
@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax", "Softmin"])
def test_implicit_dimensions_of_softmax(name, ndim):
    def run(lib):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            values = getattr(lib.nn, name)()(lib.tensor(normal(*(2,) * ndim))).numpy()
        return values, [str(w.message) for w in seen]

    (values, said), (their_values, their_words) = both(run)
    np.testing.assert_allclose(values, their_values, rtol=1e-12)
    assert said == their_words != []


EDGES = [
    "L.repeat_interleave(L.tensor([2, 0, 1]))", "L.split(L.arange(0), [])", "L.split(L.arange(5), [2, 3, 0])",
    "L.combinations(L.arange(3), 0)", "L.combinations(L.arange(3.0), 0, True)", "L.block_diag()",
    "L.sign(L.tensor([True, False]))", "L.sgn(L.tensor([True, False]))", "L.cov(L.tensor([[1, 3], [2, 6]]))",
    "L.cov(L.tensor([1, 3], dtype=L.int8))", "L.polygamma(-1, L.ones(2))", "L.split(L.arange(5), 2.0)",
    "L.repeat_interleave(L.tensor([[1]]))", "L.full((2,), 300, dtype=L.int8)", "L.full((2,), 300.5, dtype=L.int8)",
    "L.tensor([300, 1], dtype=L.int8)", "L.tensor(2**70)", "L.tensor([1, 2], dtype=L.int8).clamp(max=300)",
    "L.where(L.tensor([True]), L.tensor([1], dtype=L.int8), 300)", "L.tensor([1], dtype=L.int8).fill_(300)",
    "L.tensor([1]) + 2**70", "L.tensor([1, 2], dtype=L.int8) == 300", "L.tensor([1], dtype=L.int8) / 300",
    "L.cat([L.ones(1, dtype=L.bool), L.ones(1, dtype=L.float16)])", "L.pi", "L.newaxis",
    "L.stack([L.ones(1, dtype=L.int64), L.ones(1, dtype=L.float16)])", "L.zeros(2, dtype='U3')",
]  # fmt: skip


def outcome(text, lib):
    before = lib.get_default_dtype()
    lib.set_default_dtype(lib.float32)
    try:
        found = eval(text, {"L": lib})
    except Exception:
        return "refused"
    finally:
        lib.set_default_dtype(before)
    several = found if isinstance(found, tuple) else (found,)
    return [(str(t.dtype).partition(".")[2], t.tolist()) if isinstance(t, lib.Tensor) else t for t in several]


@pytest.mark.parametrize("text", EDGES)
def test_edges_of_functions(text):
    ours, theirs = both(lambda lib: outcome(text, lib))
    assert ours == theirs


DTYPES = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905


@pytest.mark.parametrize("one", DTYPES)
def test_dtypes_promote_as_pytorchs_do(one):
    """A tensor without dimensions counts like any other here: so those are compared with one another."""

    def run(lib):
        lib.set_default_dtype(lib.float32)
        found = {}
        for other in DTYPES:
            kinds = [lib.promote_types(getattr(lib, one), getattr(lib, other))]
            for shape in ((), (2,)):
                kinds.append(lib.result_type(*(lib.ones(shape, dtype=getattr(lib, n)) for n in (one, other))))
            found[other] = [str(kind).partition(".")[2] for kind in kinds]
        for number in (True, 2, 1.5, 1j):
            kind = str(lib.result_type(lib.ones(2, dtype=getattr(lib, one)), number)).partition(".")[2]
            found[number] = [kind]
        return found

    try:
        ours, theirs = both(run)
    finally:
        sg.set_default_dtype(sg.float64)
    wrong = [(k, ours[k], found) for k, found in theirs.items() if found not in (ours[k], ["complex32"])]
    assert list(ours) == list(theirs) and not wrong


@pytest.mark.parametrize("driver", ["gelsd", "gelss"])
@pytest.mark.parametrize("rcond", [None, 0.5])
@pytest.mark.parametrize("shapes", [((5, 3), (5, 2)), ((2, 5, 3), (2, 5)), ((3, 5), (3, 1)), ((3, 3), (3, 2))], ids=str)
def test_least_squares_have_every_field(shapes, rcond, driver):
    a, b = normal(*shapes[0]), normal(*shapes[1], seed=1)

    def run(lib):
        found = lib.linalg.lstsq(lib.tensor(a), lib.tensor(b), rcond, driver=driver)
        return [getattr(found, field).numpy() for field in ("solution", "residuals", "rank", "singular_values")]

    for mine, other in zip(*both(run), strict=True):
        assert mine.shape == other.shape and mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)

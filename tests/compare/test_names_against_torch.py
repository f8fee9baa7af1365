"""Every name of PyTorch's is there, with the names and meanings of its arguments, or the docs say why not."""

import importlib
import inspect
import operator
import re
import sys
import warnings
from fnmatch import fnmatchcase
from types import ModuleType

import numpy as np
import pytest

import symgrad as sg
from symgrad._errors import OPERATIONS
from symgrad.extend import TABLE
from symgrad.interop._as_torch import FILES

from ..nn.test_as_torch import without_pytorch
from ._answers import answer
from ._same import assert_same, both, normal

pytestmark = pytest.mark.compare

PLACES = {
    "": (lambda lib: lib, ""), "linalg.": (lambda lib: lib.linalg, "linalg_"),
    "special.": (lambda lib: lib.special, "special_"), "fft.": (lambda lib: lib.fft, "fft_"),
    "Tensor.": (lambda lib: lib.Tensor, ""),
}  # fmt: skip


# Names ---------------------------------------------------------------------------------------------------------------


def names(place):
    return {n for n in dir(place) if not n.startswith("_")}


LISTED = ("dtype", "layout", "memory_format", "qscheme", "tensortype")
"""Kinds of values that a script passes."""


def kind_of(torch, place, name, value):
    """What a name of PyTorch's stands for: an operation; what else of it is public; or nothing to be had here."""
    if place == "Tensor." or (callable(value) and not isinstance(value, type)):
        return "operation"
    own = isinstance(value, ModuleType) and value.__name__ == f"torch.{name}"
    kind = type(value).__name__
    listed = (name in torch.__all__ and kind != "pybind11_type") or kind in LISTED
    return "public" if place == "" and (own or listed) else "other"


def names_of_torch(torch):
    """In each place, by name: the kind, and of functions the names of the arguments."""
    found = {}
    for place, (of, _) in PLACES.items():
        lazy = {"onnx"} if place == "" else set()  # a module that its first use loads
        values = {name: getattr(of(torch), name) for name in sorted(names(of(torch)) | lazy)}
        found[place] = {n: (kind_of(torch, place, n, v), arguments(torch, place, n, v)) for n, v in values.items()}
    return found


def absent():
    """What PyTorch has in public and symgrad lacks: functions, attributes, modules, dtypes, the classes it lists."""
    for place, theirs in THEIRS.items():
        ours = PLACES[place][0](sg)
        for name in sorted(theirs.keys() - names(ours)):
            kind, _ = theirs[name]
            if kind == "operation" or (kind == "public" and not hasattr(ours, name)):
                yield name


def patterns():
    return [p for _, _, names in OPERATIONS for p in names.split()]


def test_what_symgrad_lacks_of_pytorch_has_a_reason():
    known = patterns()
    missing = [n for n in absent() if not any(fnmatchcase(n, p) or p == f"{n}.*" for p in known)]
    assert not missing, f"write these, or say in symgrad/_absent.py why not: {missing}"


def test_what_is_said_to_be_lacking_is():
    lacking = set(absent())
    stale = [p for p in patterns() if not any(fnmatchcase(n, p) for n in lacking)]
    assert not stale, f"symgrad/_absent.py says that these are not there: {stale}"


# Names of arguments --------------------------------------------------------------------------------------------------


def documented(fn):
    """Whether ``out=`` is part of the function as PyTorch documents it (its code has more)."""
    first = (fn.__doc__ or "").strip().partition("\n\n")[0]
    return re.search(r"\bout=", first) is not None


def _parameters(fn):
    try:
        return inspect.signature(fn).parameters if fn is not None else {}
    except (ValueError, TypeError):
        return {}


def arguments(torch, place, name, fn):
    """The names by which PyTorch's function takes arguments, as it documents them; None for what is no function."""
    if not callable(fn) or isinstance(fn, type):
        return None
    return sorted(keywords(torch, place, name, fn) - (set() if documented(fn) else {"out"}))


def keywords(torch, place, name, fn):
    """The names by which PyTorch's function takes arguments: of its signature, or of the schemas of its overloads."""
    signature = _parameters(fn)
    if signature:
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {p.name for p in signature.values() if p.kind in kinds} - {"self"}
    found = set()
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{PLACES[place][1]}{name}"):
        arguments = [(a.name, str(a.type), a.is_out) for a in schema.arguments]
        if any("Dimname" in kind or a == "dimname" for a, kind, _ in arguments):
            continue
        if not any("Tensor" in str(a.type) for a in (*schema.arguments, *schema.returns)):
            continue  # of numbers and lists, in TorchScript
        own = [("out" if out else a) for a, _, out in arguments]
        if place == "Tensor.":
            if "self" in own and "out" not in own:
                found |= set(own) - {"self"}
        else:
            found |= {"input" if a == "self" else a for a in own}
    first = (fn.__doc__ or "").strip().partition("\n")[0]  # what has a default there is a name that works
    return found | set(re.findall(r"\b(\w+)=", first.removeprefix("torch.").removeprefix(name)))


def accepts(fn, keyword):
    keyword = "dim" if keyword == "axis" else keyword
    parameter = _parameters(fn).get(keyword)
    named = parameter is not None and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    return named or keyword in getattr(fn, "also", ()) or (keyword == "out" and hasattr(fn, "op"))


THEIRS = answer("torch", names_of_torch, name="names")

ANOTHER = {
    "compile": "symgrad's own: a function as a program", "fix": "symgrad's own: arguments held fast",
    "save": "pickles a list of arrays, nothing else", "load": "reads what save wrote, nothing else",
    "cuda": "an error, whatever its arguments", "histogramdd": "the out= of its documentation is not in its code",
    "vmap": "symgrad's own, with a plan",
    "normal": "its schemas are of PyTorch's inside", "result_type": "NumPy's: of any number of operands",
}  # fmt: skip
"""Functions that share a name with PyTorch's, and not all arguments."""
WITHOUT = {
    "out_dtype": "a product's dtype, for GPUs alone", "implicit": "inside PyTorch",
    **dict.fromkeys(("a", "b", "idx", "list", "reverse", "t"), "in TorchScript"),
}  # fmt: skip
"""Arguments of PyTorch's that no function takes here, and why."""
BY_KEYWORDS = {
    "Tensor.uniform_": {"from": 0.0, "to": 1.0}, "Tensor.random_": {"from": 0, "to": 5},
    "Tensor.normal_": {"mean": 0.0, "std": 1.0}, "Tensor.log_normal_": {"mean": 0.0, "std": 1.0},
    "Tensor.bernoulli_": {"p": 0.5}, "Tensor.geometric_": {"p": 0.5}, "Tensor.exponential_": {"lambd": 1.0},
    "Tensor.cauchy_": {"median": 0.0, "sigma": 1.0},
    "Tensor.to": {"dtype": sg.float32, "device": "cpu", "non_blocking": True, "copy": True},
    "Tensor.copy_": {"src": sg.ones(2), "non_blocking": False},
}  # fmt: skip
"""Methods whose arguments have no fixed places: they are called."""


@pytest.mark.parametrize("method", BY_KEYWORDS)
def test_methods_without_fixed_places_take_their_arguments_by_name(method):
    assert getattr(sg.ones(2), method.removeprefix("Tensor."))(**BY_KEYWORDS[method]).shape == (2,)


@pytest.mark.parametrize("place", PLACES)
def test_arguments_have_pytorchs_names(place):
    theirs, ours = THEIRS[place], PLACES[place][0](sg)
    refused = {}
    for name in sorted((theirs.keys() & names(ours)) - ANOTHER.keys()):
        _, wanted = theirs[name]
        if wanted is None or place + name in BY_KEYWORDS:
            continue
        lacks = {k for k in wanted if k not in WITHOUT and not accepts(getattr(ours, name), k)}
        if lacks:
            refused[place + name] = sorted(lacks)
    assert not refused


SAME = {
    "reshape": lambda x: (x.reshape(shape=(3, 2)), sg.reshape(x, shape=(3, 2)), x.reshape(3, 2)),
    "view": lambda x: (x.view(size=(3, 2)), x.view(3, 2)),
    "permute": lambda x: (x.permute(dims=(1, 0)), sg.permute(x, dims=(1, 0)), x.permute(1, 0)),
    "flip": lambda x: (x.flip(dims=(0,)), sg.flip(x, dims=[0]), x.flip(0)),
    "tile": lambda x: (x.tile(dims=(2, 1)), x.tile(2, 1)),
    "repeat": lambda x: (x.repeat(repeats=(2, 1)), x.repeat(2, 1)),
    "expand": lambda x: (x[:1].expand(size=(4, 3)), x[:1].expand(4, 3)),
    "hsplit": lambda x: (x.hsplit(sections=3)[1], sg.hsplit(input=x, indices=(1, 2))[1], x.hsplit(3)[1]),
    "unflatten": lambda x: (x.unflatten(1, sizes=(3, 1)), x.unflatten(1, (3, 1))),
    "swapdims": lambda x: (x.swapdims(dim0=0, dim1=1), sg.swapdims(input=x, dim0=0, dim1=1), x.swapaxes(0, 1)),
    "heaviside": lambda x: (x.heaviside(values=sg.tensor(1.0)), sg.heaviside(x, sg.tensor(1.0))),
    "det": lambda x: (sg.det(input=x @ x.T), sg.det(A=x @ x.T)),
    "norm": lambda x: (sg.linalg.norm(input=x), sg.linalg.norm(A=x)),
    "matrix_rank": lambda x: (sg.linalg.matrix_rank(input=x, tol=1e9), sg.tensor(0)),
    "svd": lambda x: (sg.linalg.svd(A=x, driver=None).S, sg.linalg.svdvals(x)),
    "arange": lambda x: (sg.arange(3, layout=None, pin_memory=False), sg.arange(3)),
    "clip_": lambda x: (x.clone().clip_(min=1.0, max=2.0), x.clip(1.0, 2.0)),
    "scatter_": lambda x: (
        x.clone().scatter_(dim=0, index=sg.tensor([[1]]), src=sg.tensor([[9.0]])),
        x.scatter(0, sg.tensor([[1]]), sg.tensor([[9.0]])),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_an_argument_by_name_is_the_argument_by_place(name):
    first, *others = SAME[name](sg.arange(6.0).reshape(2, 3))
    assert all(sg.equal(first, other) for other in others)


def test_an_argument_under_both_its_names_is_refused():
    with pytest.raises(TypeError, match="got both 'input' and 'A'"):
        sg.det(A=sg.eye(2), input=sg.eye(2))


# Modules and functions, where a file has the name of a function in it -------------------------------------------------


PATHS = [f"{above}.{name}".lstrip(".") for above, names in FILES.items() for name in names.split()]
PATHS += ["autograd.function", "autograd.functional", "autograd.graph", "nn.functional", "nn.init", "nn.utils.rnn"]
PATHS += ["optim.lr_scheduler", "utils.checkpoint", "utils.data", "linalg", "special", "fft", "func", "testing"]


def run(L):
    """By path, whether the name is something to be called once the module of that name was imported."""
    kinds = {}
    for path in PATHS:
        try:
            importlib.import_module(f"torch.{path}")
        except ImportError:
            continue
        above, _, last = f"torch.{path}".rpartition(".")
        kinds[path] = callable(getattr(sys.modules[above], last, None))
    return kinds


def test_importing_a_module_covers_no_function_of_its_name():
    theirs = answer("torch", run)
    assert {path for path, function in theirs.items() if function} >= {"autograd.gradcheck", "nn.utils.weight_norm"}
    with without_pytorch(), sg.install("torch"):
        ours = run(sys.modules["torch"])
        assert {path: ours[path] for path in theirs} == theirs
        import torch
        import torch.nn.utils.spectral_norm as spectral
        from torch.autograd.gradcheck import gradcheck

        assert torch.autograd.gradcheck is gradcheck is sg.autograd.gradcheck
        assert spectral is torch.nn.utils.spectral_norm is sg.nn.utils.spectral_norm
        with pytest.raises(RuntimeError, match=r"use torch.tensor\(...\) instead"):
            torch.autograd.variable(1.0)
        torch.autograd.gradcheck = None  # a script's own is set
        assert torch.autograd.gradcheck is None


# The function of PyTorch's that a row's docstring names ---------------------------------------------------------------


NAMED = {
    fn: re.search(r"- In PyTorch: ``torch\.([\w.]+)``", fn.__doc__ or "")
    for module in (sg, sg.special) for fn in (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    if getattr(fn, "op", None) in TABLE.values() and inspect.unwrap(fn) is fn.op.apply
}  # fmt: skip


@pytest.mark.parametrize("fn", NAMED, ids=lambda fn: fn.__name__)
def test_the_function_of_pytorch_is_the_one_that_is_named(fn):
    named, name = NAMED[fn], fn.__name__
    if named is None:  # torch.kl_div is the loss
        among = answer("torch", lambda torch: (hasattr(torch.special, name), name != "kl_div" and hasattr(torch, name)))
        assert among == (False, False)
        return
    operands = [sg.tensor(eval(text)) for text in re.findall(r"sg\.tensor\((\[[^]]*\])", fn.__doc__)]
    arrays = [x.numpy() for x in operands]
    other, theirs = answer(
        "torch", lambda torch: (named[1], operator.attrgetter(named[1])(torch)(*map(torch.from_numpy, arrays)))
    )
    assert other == named[1] and np.allclose(fn(*operands).numpy(), theirs, rtol=1e-12)


# Signatures of losses, arguments of old, implicit dimensions and promotion --------------------------------------------


HOMES = {home: operator.attrgetter(home) for home in ("nn", "nn.functional")}
NAMES = answer("torch", lambda torch: {home: dir(of(torch)) for home, of in HOMES.items()}, name="names of arguments")
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

"""Every name of PyTorch's tensors and functions is there, with the names of its arguments, or the docs say why not."""

import inspect
import re
from fnmatch import fnmatchcase
from types import ModuleType

import pytest

import symgrad as sg
from symgrad._errors import OPERATIONS

from ._answers import answer

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

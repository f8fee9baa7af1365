"""The API reference, read from the code: ``python docs/_reference.py transforms`` prints a page of it as Markdown.

`GROUPS` says which public name stands on which page. `conf.py` puts the entries in the place of the note marked
``made: reference`` of docs/reference/<page>.md; how a docstring becomes Markdown is `_entries.py`'s business.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from _entries import entry, link, same, summary, table
from _operations import _home, _home_of, _plain_function

import symgrad as sg
from symgrad.ops import FUNCTIONS

GROUPS: dict[str, dict[str, str]] = {
    "tensors": {
        "Tensors": "Tensor Size device is_tensor save load",
        "Questions": "@queries",
        "Types of numbers": """
            @dtypes dtype finfo iinfo get_default_dtype set_default_dtype set_default_tensor_type BoolTensor ByteTensor
            CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor
        """,
        "Printing": "set_printoptions",
        "Constants": "e inf nan newaxis pi contiguous_format preserve_format strided",
        "Devices": "cuda.* backends.* accelerator mps xpu",
    },
    "autograd": {
        "What is recorded": """
            no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled is_inference_mode_enabled
        """,
        "Gradients of a graph": "autograd.*",
        "Hooks and saved tensors": "autograd.graph.*",
        "Operations of your own": "autograd.function.*",
        "Forward mode": "autograd.forward_ad.*",
        "Functions of tensors, as in PyTorch": "autograd.functional.*",
    },
    "creation": {"": "@create complex"},
    "entries": {"": "@entries", "In place": "@in_place"},
    "shapes": {"": "@shape @index"},
    "reductions": {"": "@reduce @statistics @arrange"},
    "linear-algebra": {"": "@linalg", "symgrad.linalg": "linalg.*"},
    "special": {"Fourier transforms": "fft.*", "Special functions": "special.*"},
    "formulas": {
        "Formulas": "formula Formula parse from_sympy",
        "Symbols": "symbol symbols Symbol",
        "Notation": "notation.*",
    },
    "transforms": {
        "First derivatives": "grad value_and_grad jacobian jacfwd jacrev vjp jvp linearize stop_gradient",
        "Second derivatives": "hessian hessian_operator hvp vhp diag_hessian laplacian ggn_vp sparsity",
        "Higher derivatives": "taylor",
        "Rows in chunks, on a cluster": "distributed.* map",
        "Programs": "compile cost",
        "Batches, loops and fixed arguments": "vmap scan fix",
        "As in torch.func": "func.*",
    },
    "inspect": {
        "Is it right?": "verify",
        "Pictures and pages": "graph Graph plot report Report",
        "Where a NaN came from": "detect_anomaly is_anomaly_enabled is_anomaly_check_nan_enabled",
        "For tests": "testing.*",
    },
    "scipy": {
        "SciPy's namespaces": "scipy",
        "Linear algebra": "scipy.linalg.*",
        "Statistics": "scipy.stats.*",
        "Fourier transforms": "scipy.fft.*",
        "Interpolation": "scipy.interpolate.*",
        "Integrals and differential equations": "scipy.integrate.*",
        "Special functions": "scipy.special.*",
        "Signals": "scipy.signal.*",
        "Images": "scipy.ndimage.*",
        "Roots, minima and fits": "scipy.optimize.*",
        "Distances": "scipy.spatial.* scipy.spatial.distance.*",
        "Sparse arrays": "scipy.sparse.*",
        "Sparse systems": "scipy.sparse.linalg.*",
    },
    "distributions": {
        "Distributions": "distributions.*",
        "Divergences": "distributions.kl.*",
        "Transforms": "distributions.transforms.*",
        "Constraints": "distributions.constraints.*",
    },
    "statistics": {"Fitting": "minimize", "Solutions of equations": "implicit", "Inference": "stats.*"},
    "nn": {
        "Modules": "nn.*",
        "Initial values": "nn.init.*",
        "Tools for parameters": "nn.utils.*",
        "Parameters that are functions of others": "nn.utils.parametrize.*",
        "Orthogonal and normalised weights": "nn.utils.parametrizations.*",
        "Sequences of different lengths": "nn.utils.rnn.*",
    },
    "nn-functional": {"Functions": "nn.functional.*"},
    "optim": {
        "Optimizers": "optim.*",
        "Schedules": "optim.lr_scheduler.*",
        "Averages of weights": "optim.swa_utils.*",
    },
    "utils": {"Tools": "utils.*", "Data": "utils.data.*", "Checkpoints": "utils.checkpoint.*"},
    "extend": {"Rows and rules": "extend.*"},
    "interop": {"PyTorch's name": "install", "Named results": "return_types.*", "The command": "cli.*"},
    "errors": {
        "Errors": """
            SymgradError AnomalyError ConstraintError DTypeError DeviceError DimensionError FormulaError GradientError
            GraphFreedError InplaceError LoadError MissingDependencyError NotDifferentiableError ParseError RangeError
            ShapeError SymbolicBranchError TooLargeError UnknownParameterError
        """,
        "Warnings": "StructurallyZeroWarning",
    },
}
"""Page, section, names: ``nn.*`` is a module with all its names, ``@shape`` the functions of symgrad.ops.shape,
``@dtypes`` the dtypes."""

RESULTS = {
    "transforms": """
        transforms.derivative.Derivative transforms.hessian.Hessian transforms.matrix.HessianMatrix
        transforms.hessian_operator.HessianOperator transforms.compiled.compile.Compiled transforms.report.Report
        transforms.cost.Cost
    """,
    "inspect": "inspect.verification.Verification",
    "formulas": "formulas.derivation.Derivation formulas.equality.Comparison",
}
"""Classes of what functions return, which nobody imports by name but whose methods are for everybody."""

ELSEWHERE = {"numpy", "numpy.linalg", "numpy.fft", "numpy.lib", "numpy.lib.stride_tricks", "numpy.special"}
"""Modules whose names the page on NumPy lists."""

CONSTANTS = {
    "e": "Euler's number, a float.",
    "pi": "The circle's number, a float.",
    "inf": "Infinity, a float.",
    "nan": "Not a number, a float.",
    "newaxis": "None: an index that adds an axis of length 1.",
    "contiguous_format": "A memory format, taken for PyTorch's sake: every result is laid out so.",
    "preserve_format": "A memory format, taken for PyTorch's sake: it asks for nothing.",
    "strided": "A layout, taken for PyTorch's sake: it is the only one.",
    "accelerator": "What scripts ask of an accelerator: there is none.",
    "mps": "What scripts ask of Apple's processors: symgrad uses none.",
    "xpu": "What scripts ask of Intel's processors: symgrad uses none.",
    "extend.FACTS": "The facts that a row may say of itself, by name: see [extending](../extending.md).",
    "extend.RULES": "The rules by which formulas are simplified: see [the rules](../rules.md).",
    "extend.TABLE": "The table of operations, by name: see [operations](../operations.md).",
    "backends.accelerator": "What scripts ask of an accelerator: there is none.",
    "backends.cuda": "What scripts ask of CUDA: there is none.",
    "backends.cudnn": "What scripts ask of cuDNN: there is none.",
    "backends.mps": "What scripts ask of Apple's processors: symgrad uses none.",
    "backends.xpu": "What scripts ask of Intel's processors: symgrad uses none.",
}
"""What is said of values, which have no docstring of their own."""


@cache
def public() -> dict[str, Any]:
    """Everything public, by its name after ``symgrad.``, modules included.

    >>> {"grad", "nn", "nn.Linear", "optim.lr_scheduler.StepLR"} <= set(public())
    True
    """
    return dict(_within(sg, ""))


def _within(module: ModuleType, prefix: str) -> Iterator[tuple[str, Any]]:
    names = dir(module) if module is sg else getattr(module, "__all__", ())
    for short in names:
        value = getattr(module, short)
        if not short.startswith("_"):
            yield prefix + short, value
            if isinstance(value, ModuleType) and value.__name__ == f"symgrad.{prefix}{short}":
                yield from _within(value, f"{prefix}{short}.")


def names(text: str) -> list[str]:
    """The public names that an entry of `GROUPS` stands for.

    >>> names("stats.*")[:3]
    ['stats', 'stats.Delta', 'stats.delta']
    """
    found = list[str]()
    for word in text.split():
        if word == "@dtypes":
            found += [n for n, v in public().items() if "." not in n and isinstance(v, sg.dtype)]
        elif word.startswith("@"):
            found += _operations().get(word[1:], [])
        elif word.endswith(".*"):
            found += _of_module(word.removesuffix(".*"))
        else:
            found.append(word)
    return found


def _of_module(module: str) -> list[str]:
    """A module and its names, without the modules in it that have a place of their own."""
    starred = {w[:-2] for sections in GROUPS.values() for t in sections.values() for w in t.split() if w[-2:] == ".*"}
    inside = [n for n in public() if n.rpartition(".")[0] == module and n not in {*starred, *ELSEWHERE}]
    return [module, *sorted(inside, key=str.lower)]


@cache
def _operations() -> dict[str, list[str]]:
    """The functions of the table by the package of symgrad.ops that they are written in."""
    modules = [m for name, m in sys.modules.items() if name.startswith("symgrad.ops.") and not hasattr(m, "__path__")]
    found: dict[str, list[str]] = {}
    for name in sorted(n for n in FUNCTIONS if n in public() and n != "fix"):
        fn = _plain_function(FUNCTIONS[name])
        home = _home(fn.op, modules) if hasattr(fn, "op") else _home_of(fn, modules)
        found.setdefault("in_place" if name.endswith("_") else home.split(".")[2], []).append(name)
    return found


@cache
def pages() -> dict[str, str]:
    """The page of every public name.

    Each stands in one group, and no group has a name that is not there:

    >>> listed = [n for sections in GROUPS.values() for text in sections.values() for n in names(text)]
    >>> sorted({n for n in listed if listed.count(n) > 1})
    []
    >>> listed += [n for n in public() if n in ELSEWHERE or n.rpartition(".")[0] in ELSEWHERE]
    >>> sorted(set(public()) ^ set(listed))
    []
    """
    return {n: page for page, sections in GROUPS.items() for text in sections.values() for n in names(text)}


def markdown(page: str) -> str:
    """Return the entries of a page: per section a table of what there is, then every name in full.

    >>> text = markdown("transforms")
    >>> "{py:function} symgrad.hessian_operator(f, x)" in text and "## Second derivatives" in text
    True

    Every entry has a summary:

    >>> [n for page in GROUPS for text in GROUPS[page].values() for n in names(text) if not said(n)]
    []
    """
    sections = [_section(title, names(text)) for title, text in GROUPS[page].items()]
    return "\n\n".join([*sections, *_results(page)])


def index() -> str:
    """Return every public name with what it is for, page by page as docs/reference/index.md lists them.

    >>> "[Transforms of functions](transforms.md)" in index() and "{py:obj}`hvp <symgrad.hvp>`" in index()
    True
    """
    folder = Path(__file__).parent / "reference"
    listed = re.findall(r"^[\w-]+$", (folder / "index.md").read_text("utf-8"), re.M)
    titles = {page: (folder / f"{page}.md").read_text("utf-8").partition("\n")[0][2:] for page in listed}
    return "\n\n".join(f"## [{titles[page]}]({page}.md)\n\n{_summaries(_values_of(page))}" for page in listed)


def _values_of(page: str) -> list[str]:
    return [n for text in GROUPS[page].values() for n in names(text) if not isinstance(public()[n], ModuleType)]


def _summaries(listed: list[str]) -> str:
    """A table of names and what they are for."""
    first: dict[int, str] = {}
    known = {name: _known(name, first) for name in listed}
    return table([(link(n), f"The same as `{known[n]}`." if known[n] else said(n)) for n in listed])


def _results(page: str) -> Iterator[str]:
    """The section of the classes of `RESULTS`."""
    found = [p.rpartition(".") for p in RESULTS.get(page, "").split()]
    if found:
        values = {name: getattr(import_module(f"symgrad.{home}"), name) for home, _, name in found}
        yield "## What comes back\n\nThese classes are made by symgrad; they have no public name."
        yield table([(f"{{py:class}}`{name}`", summary(value)) for name, value in values.items()])
        yield from (entry(name, value, None, public(), "") for name, value in values.items())


def said(name: str) -> str:
    """The summary of a name, as Markdown."""
    return CONSTANTS.get(name) or summary(public()[name])


def _section(title: str, listed: list[str]) -> str:
    lines = [f"## {title}"] if title else []
    lines += [_module(n) for n in listed if isinstance(public()[n], ModuleType)]
    values = [n for n in listed if not isinstance(public()[n], ModuleType)]
    first: dict[int, str] = {}
    known = {name: _known(name, first) for name in values}
    lines.append(_summaries(values))
    for name in values:
        value, other = public()[name], known[name]
        lines.append(same(name, value, other) if other else entry(name, value, CONSTANTS.get(name), public()))
    return "\n\n".join(line for line in lines if line)


def _module(name: str) -> str:
    """The mark of a module; names below it are written in full, so it is not the current one."""
    return f"```{{py:module}} symgrad.{name}\n```\n\n```{{py:currentmodule}} None\n```\n\n{said(name)}"


def _known(name: str, first: dict[int, str]) -> str | None:
    """The other name that an object is described under: the shortest on any page, or the first of this section."""
    value = public()[name]
    if not callable(value) or isinstance(value, ModuleType):
        return None
    at_top = _shortest().get(id(_plain_function(value)), name)
    known = first.setdefault(id(_plain_function(value)), at_top)
    return None if known == name else known


@cache
def _shortest() -> dict[int, str]:
    """By object, the name that it is described under: the one it has itself, where that is public, or the shortest."""
    found: dict[int, str] = {}
    order = sorted(pages(), key=lambda n: (n.count("."), n != getattr(public()[n], "__name__", n), len(n), n))
    for name in order:
        if callable(public()[name]):
            found.setdefault(id(_plain_function(public()[name])), name)
    return found


if __name__ == "__main__":
    print(markdown(sys.argv[1]))

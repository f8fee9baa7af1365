"""The docstrings that are written for public functions; `_stubs.py` keeps them in ``symgrad/data/docstrings.txt``.

A row says what it computes (``doc``), its rules, its kinks and its SymPy twin. From these follow its derivative, as a
formula, and an example. A function written in operations has a docstring; where that has no section on parameters,
there follows one from its signature and `_parameters.py`. All this costs seconds to work out: so it is kept as text,
and read at import.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

if __name__ == "__main__":
    from _bare import import_symgrad

    import_symgrad()

from _parameters import entries

import symgrad as sg
from symgrad.cli._operations_table import KINDS, partial, sample
from symgrad.core import NUMPY, Op
from symgrad.ops.entries.all_special import SCIPY_NAMES
from symgrad.ops.numpy.entry_points import public_name
from symgrad.show import in_one_line

_POINTS = np.array([-2, -1, -0.5, 0, 0.5, 1, 2])
_DOMAINS = {
    "1111111": "", "1110111": "x ≠ 0", "0001111": "x ≥ 0", "0000111": "x > 0", "0011111": "x > −1",
    "0111110": "|x| ≤ 1", "0011100": "|x| < 1", "0000011": "x ≥ 1", "0000100": "0 < x < 1",
    "1111100": "x < 1", "1111110": "x ≤ 1", "0000110": "0 < x < 2", "1110000": "x < 0",
    "0010111": "every x but 0, −1, −2, …",
}  # fmt: skip
"""Where a function is finite, by which of the points it is finite at."""

_EXAMPLES = {
    "real": "[-1.5, 0.5]", "nonzero": "[-1.5, 0.5]", "positive": "[0.5, 2.0]", "unit": "[-0.5, 0.5]",
    "above_one": "[1.5, 2.0]", "probability": "[0.25, 0.5]", "bool": "[True, False]", "complex": "[1j, 1 + 1j]",
    "negative": "[-1.5, -0.5]", "matrix": "[[2.0, 0.5], [0.5, 1.0]]",
}  # fmt: skip
_SECOND = {**_EXAMPLES, "real": "[2.0, 0.5]", "nonzero": "[2.0, 0.5]", "positive": "[1.0, 3.0]", "bool": "[True, True]"}

_RESULT = "Tensor\n    An array or a number where no operand is a tensor.\n"

_MEANINGS = entries()
_PARAMETERS = "Parameters\n----------\n"

_OF_BOTH = ("erfcx", "gammainc", "gammaincc")
"""SciPy's names that PyTorch has too."""

_IN_PYTORCH = {
    **dict.fromkeys(("beta", "betaln", "gamma", "kl_div", "normal_pdf", "rel_entr"), ""),
    **{name: f"nn.functional.{name}" for name in ("logsigmoid", "silu", "softsign")},
    **{fn.op.name: "" for name, fn in SCIPY_NAMES.items() if hasattr(fn, "op") and name not in _OF_BOTH},
}
"""Where PyTorch has another place for a row's function than symgrad, or none: those have SciPy's or NumPy's name."""


def public(module: ModuleType = sg) -> Iterator[tuple[str, Any]]:
    """Yield every public function and class with the name that it goes by, ``symgrad.linalg.inv``, and methods.

    >>> dict(public())["symgrad.linalg.pinv"] is sg.linalg.pinv
    True
    """
    names = dir(module) if module is sg else getattr(module, "__all__", ())
    for value in (getattr(module, name) for name in names if not name.startswith("_")):
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{module.__name__}."):
            yield from public(value)
        elif isinstance(value, FunctionType | type) and value.__module__ == module.__name__:
            yield f"{value.__module__}.{value.__qualname__}", value
    if module is sg:
        own = (fn for fn in vars(sg.Tensor).values() if isinstance(fn, FunctionType))
        yield from ((f"symgrad.{fn.__qualname__}", fn) for fn in own if re.match("Tensor[.][a-z]", fn.__qualname__))


def docstrings() -> dict[str, str]:
    """Return the docstrings that differ from those in the source, by the names of their functions and classes.

    symgrad has those of the source where `_bare.py` imported it.
    """
    known = {name: (value, inspect.getdoc(value) or "") for name, value in public()}
    written, silent = {}, []
    for name, (value, doc) in known.items():
        try:
            written[name] = documented(name, value, doc)
        except LookupError as error:
            silent.append(str(error))
    if silent:
        raise LookupError("\n".join(silent))
    return {name: doc for name, doc in written.items() if doc != known[name][1]}


def documented(name: str, value: Any, doc: str) -> str:
    """Return the docstring of a public function or class, whose source has ``doc``."""
    op = getattr(value, "op", None)
    if op is not None and op.apply is inspect.unwrap(value):
        return docstring(name.replace("symgrad", "sg"), op)
    if not doc or re.search("^Attributes\n---|Parameters (as|are those)", doc, re.M):
        return doc  # objects of classes with attributes are made by symgrad; and others' parameters are said there
    if isinstance(value, type) and issubclass(value, Exception | tuple):
        return doc  # symgrad raises errors, and makes sizes
    if name.endswith("_") and ".Tensor." in name:
        return doc  # it takes what its function takes
    section = re.search("^Parameters\n-+\n((?!\n).*\n?)*", doc, re.M)
    said = section.group() if section else ""
    missing = [(i, p) for i, p in enumerate(inspect.signature(value).parameters.values()) if _counts(p, said)]
    first = "".join(_entry(name, p, doc) for i, p in missing if i == 0 or not section)
    rest = "".join(_entry(name, p, doc) for i, p in missing if i and section)
    if section:
        entries = said.removeprefix(_PARAMETERS).rstrip("\n")
        return f"{doc[: section.start()]}{_PARAMETERS}{first}{entries}\n{rest}{doc[section.end() :]}".rstrip()
    place = re.search("^[A-Z][A-Za-z ]+\n---+$", doc, re.M)
    if not first:
        return doc
    start = place.start() if place else len(doc)
    return f"{doc[:start].rstrip()}\n\n{_PARAMETERS}{first}\n{doc[start:]}".rstrip()


def _counts(p: inspect.Parameter, said: str) -> bool:
    """Whether a parameter is to be documented, and is not yet."""
    if p.kind is p.VAR_KEYWORD or p.name in ("self", "args") or p.name.startswith("_"):
        return False
    return not re.search(rf"^[^ \n].*\b{p.name.strip('_')}\b.* :|^[*]*{p.name.strip('_')}\b", said, re.M)


def _entry(name: str, p: inspect.Parameter, doc: str) -> str:
    """The entry of a parameter: its type, and what it means unless the text of the docstring speaks of it."""
    spoken_of = re.search(rf"`[^`\n]*\b{p.name}\b[^`\n]*`", doc)
    known = _known(name, p.name)
    if not spoken_of and known is None:
        raise LookupError(f"{name}: its docstring does not say what {p.name!r} is, nor does docs/_parameters.py")
    kind, meaning = known or ("", "")
    said = p.annotation if isinstance(p.annotation, str) else ""
    said = said.removesuffix(" | None")
    if said and "Any" not in said:
        kind = said
    default = "" if p.default is p.empty else ", optional" if p.default is None else f", default {p.default!r}"
    star = "*" * (p.kind is p.VAR_POSITIONAL)
    head = f"{star}{p.name.rstrip('_')} : {kind}{default}".replace(" : , ", " : ").removesuffix(" : ")
    return f"{head}\n" if spoken_of else f"{head}\n    {meaning}\n"


def _known(name: str, parameter: str) -> tuple[str, str] | None:
    """Type and meaning of a parameter of a function: said of this one, of those of its module, or of all."""
    places = (f"{name}.{parameter}", f"{name.rpartition('.')[0]}.{parameter}", parameter)
    return next((_MEANINGS[place] for place in places if place in _MEANINGS), None)


def known_kind(name: str, parameter: str) -> str:
    """Return the type of a parameter of a function, as docs/_parameters.py says it; nothing if it does not.

    >>> known_kind("symgrad.movedim", "source"), known_kind("symgrad.index_copy", "source")
    ('int or tuple of ints', 'tensor or number')
    """
    return (_known(name, parameter) or ("", ""))[0]


def docstring(name: str, op: Op) -> str:
    """Return the docstring of a row.

    >>> print(docstring("sg.log", sg.extend.TABLE["log"]).partition("Notes")[2].partition("Examples")[0])
    <BLANKLINE>
    -----
    - Derivative: 1/x
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``log(x)``
    - In NumPy: ``np.log``
    - In PyTorch: ``torch.log``
    <BLANKLINE>
    <BLANKLINE>
    """
    signature = inspect.signature(op.apply).parameters
    parameters = "".join(
        f"{parameter} : tensor, array or number\n    Called {operand} below.\n"
        for parameter, operand in zip(signature, op.inputs, strict=False)
    ) + "".join(_entry(name, signature[p], "") for p in op.params)
    notes = "".join(f"- {title}: {text}\n" for title, text in _notes(name, op) if text)
    return (
        f"Return {op.doc}.\n\nParameters\n----------\n{parameters}out : Tensor, optional\n"
        f"    Where the result is written.\n\nReturns\n-------\n{_RESULT}\nNotes\n-----\n{notes}\n"
        f"Examples\n--------\n{_example(name, op)}"
    )


def _notes(name: str, op: Op) -> Iterator[tuple[str, str]]:
    if op.kind == "constant":
        yield "Derivative", "none, the result carries no gradient"
    elif op.kind != "elementwise":
        yield "Derivative", KINDS[op.kind]
    else:
        inputs = [(i, "" if len(op.inputs) == 1 else f" in {x}") for i, x in enumerate(op.inputs)]
        yield "Derivative", "; ".join(in_one_line(_derivative(op, i), after) for i, after in inputs)
        yield "At kinks", op.kink
        if len(op.inputs) == 1 and op.domain != "complex":
            yield "Finite for", _finite(op)
        yield "Complex numbers", "no" if op.real_only else "yes" if op.holomorphic else "yes, with PyTorch's gradient"
    yield "SymPy", f"``{op.sympy}``" if isinstance(op.sympy, str) else ""
    yield (
        "In NumPy",
        ", ".join(f"``{public_name(f)}``" for f in _in_numpy().get(op.apply, ())),
    )
    twin = _IN_PYTORCH.get(op.name, name.removeprefix("sg."))
    yield "In PyTorch", twin and f"``torch.{twin}``"


@cache
def _in_numpy() -> dict[Any, list[Any]]:
    """The functions of NumPy and SciPy that a row is the derivative of, by the row's function."""
    found: dict[Any, list[Any]] = {}
    for f, fn in list(NUMPY.items()):
        found.setdefault(inspect.unwrap(fn), []).append(f)
    return found


def _finite(op: Op) -> str:
    with np.errstate(all="ignore"):
        found = "".join(str(int(f)) for f in np.isfinite(op.forward(_POINTS, *sample(op))))
    if found not in _DOMAINS:
        raise LookupError(f"{op.name} is finite at {_POINTS[[f == '1' for f in found]]}: say that in _DOMAINS")
    return _DOMAINS[found]


def _derivative(op: Op, i: int) -> str:
    """The partial as the row's rule gives it; of a rule that takes care of edges or of rounding, the SymPy twin's."""
    text = partial(op, i)
    if "\n" not in text or not isinstance(op.sympy, str):
        return text
    import sympy

    return str(sg.from_sympy(sympy.simplify(sympy.diff(sympy.sympify(op.sympy), op.inputs[i]))))


def _example(name: str, op: Op) -> str:
    """An example that runs: values, and for what has a derivative the gradients and their formulas."""
    domains = op.domain if isinstance(op.domain, tuple) else (op.domain,) * len(op.inputs)
    if op.kind not in ("elementwise", "constant"):
        domains = ("matrix",) * len(op.inputs)
    sources = [_EXAMPLES[domains[0]], *(_SECOND[d] for d in domains[1:])]
    varied = [x for x, d in zip(op.inputs, domains, strict=True) if d != "bool" and op.kind != "constant"]
    lines = [
        f'{x} = sg.tensor({at}{", requires_grad=True" * (x in varied)}, name="{x}")'
        for x, at in zip(op.inputs, sources, strict=True)
    ]
    call = f"{name}({', '.join([*op.inputs, *map(repr, sample(op))])})"
    if not varied:
        return _run([*lines, call])
    grads = [f"g_{x}" for x in varied] if len(varied) > 1 else ["g"]
    left = ", ".join(grads) if len(grads) > 1 else "(g,)"
    right = f"({', '.join(varied)})" if len(grads) > 1 else varied[0]
    y = "y.real" if op.own_dtype and op.kind == "elementwise" else "y"  # of real numbers a complex one
    lines += [f"y = {call}", "y", f"{left} = sg.autograd.grad({y}.sum(), {right}, create_graph=True)", ", ".join(grads)]
    known = op.kind == "elementwise" and domains[0] != "complex" and y == "y"
    if known and not any("\n" in partial(op, i) for i in range(len(domains))):
        lines.append(", ".join(f"{g}.formula()" for g in grads))
    return _run(lines)


def _run(lines: list[str]) -> str:
    """The lines as a doctest, with what they print."""
    space: dict[str, Any] = {"sg": sg}
    text = [">>> import symgrad as sg"]
    for line in lines:
        text.append(f">>> {line}")
        if " = " in line:
            exec(line, space)
        else:
            text.append(repr(eval(line, space)))
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    for name, text in docstrings().items():
        print(f"{name}\n\n{text}\n")

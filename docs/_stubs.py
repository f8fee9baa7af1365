"""What editors and type checkers read, written from the table: ``python docs/_stubs.py`` writes it anew.

What the table publishes has no text of its own: functions and methods are made while symgrad is imported. Their stubs
are read off the objects themselves, by `inspect.signature`, and the rest of the package is imported as it is written.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    from _bare import import_symgrad

    import_symgrad()

from _docstrings import docstrings, known_kind, public

import symgrad as sg
from symgrad.ops import FUNCTIONS, PROPERTIES
from symgrad.ops.results import RESULTS

PACKAGE = Path(sg.__file__).parent

_BUILTINS = ("bool", "complex", "float", "int", "object", "str", "type")
_BY_OTHER_NAMES = "\n".join(f"from builtins import {name} as _{name}" for name in _BUILTINS)  # sg.int is a dtype
_HEAD = f'''"""{{title}} Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
{_BY_OTHER_NAMES}
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

'''

RETURNS = {
    "Any": "explain grad grad_fn item name sympy tolist _base polygamma "
    "__array_namespace__ __array_function__ __array_ufunc__ __reduce_ex__",
    "_DType": "dtype get_default_dtype promote_types result_type",
    "tuple[Tensor, ...]": "lu pca_lowrank svd_lowrank",
    "tuple[Tensor, Tensor]": "std_mean var_mean indices",
    "_int": "__int__", "_float": "__float__", "_complex": "__complex__",
    "Formula": "formula", "Graph": "plot",
}  # fmt: skip
"""What the functions return whose source says no more than ``Any``; those that are not here return a tensor."""

_KEEP = "keepdim: _bool = False"
_ONE = "return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None"
OVERLOADS: dict[str, tuple[tuple[str, str], ...]] = {
    **{n: (("", "Tensor"), (f"dim: _int, {_KEEP}", f"return_types.{n}")) for n in ("median", "nanmedian")},
    **{n: (("", "Tensor"), (f"dim: _int, {_KEEP}", f"return_types.{n}"), ("dim: Tensor", "Tensor"),
           ("*, other: Tensor", "Tensor")) for n in ("max", "min")},
    **{f"atleast_{n}d": (("", "Tensor"),) for n in (1, 2, 3)},
    "nonzero": (
        ("*, as_tuple: Literal[False] = False", "Tensor"), ("*, as_tuple: Literal[True]", "tuple[Tensor, ...]"),
    ),
    "unique": ((f"sorted: _bool = True, {_ONE}", "Tensor"),), "unique_consecutive": ((_ONE, "Tensor"),),
    "where": (("input: Operand, other: Operand", "Tensor"), ("", "tuple[Tensor, ...]")),
    "size": (("", "Size"), ("dim: _int", "_int")), "stride": (("", "tuple[_int, ...]"), ("dim: _int", "_int")),
    "type": (("", "_str"), ("dtype: Any, non_blocking: _bool = False", "Tensor")),
}  # fmt: skip
"""What is returned of which arguments after a tensor; of others, such as arrays, ``Any``."""

_RETURN = {name: kind for kind, names in RETURNS.items() for name in names.split()}

_ALONG = "_int | Sequence[_int] | None"
KINDS = {
    **dict.fromkeys(
        ("tensor, array or number", "tensor or array", "tensor or array of bool", "tensor or number", "tensor"),
        "Operand",
    ),
    "Tensor": "Tensor", "dtype": "DTypeLike", "bool": "_bool",
}  # fmt: skip
"""What a parameter is of which the source says no more than ``Any``, by the type that docs/_parameters.py says."""

_BINARY = re.compile(
    "__[ir]?(add|sub|mul|truediv|floordiv|mod|pow|matmul|and|or|xor|lshift|rshift)__|__(lt|le|gt|ge|eq|ne)__"
)


def texts() -> dict[Path, str]:
    """Return the text of every stub, by its file, and first that of the docstrings of rows."""
    documented = docstrings()
    for name, value in public():
        value.__doc__ = documented.get(name, value.__doc__)
    docs = "\f\n".join(f"{name}\n{doc}" for name, doc in documented.items())
    return {PACKAGE / "data" / "docstrings.txt": docs, **{PACKAGE / file: text() for file, text in STUBS.items()}}


def _root() -> str:
    others = {
        "from ._typing import Device",
        "from ._typing import dtype as _DType",
        "from .ops.create.draws import Generator as Generator",
    }
    imports = "".join(f"{line}\n" for line in sorted({*_imported(), *_lazy(), *others}))
    modules = "".join(f"from . import {name} as {name}\n" for name in sorted(sg._SUBMODULES))
    own = [n for n in dir(sg) if not n.startswith("_") and getattr(getattr(sg, n), "__globals__", None) is vars(sg)]
    functions = {n: fn for n, fn in FUNCTIONS.items() if getattr(sg, n) is fn and not isinstance(fn, type)}
    functions |= {name: getattr(sg, name) for name in own}
    constants = "".join(f"{name}: _float\n" for name in sg.__all__ if isinstance(getattr(sg, name), float))
    constants += "".join(f"{name}: _str\n" for name in sg.__all__ if isinstance(getattr(sg, name), str))
    constants += "newaxis: None\n"
    dtypes = "".join(f"{name}: {_dtype(value)}\n" for name, value in sg._DTYPES.items())
    return (
        _HEAD.format(title="symgrad, as type checkers see it.") + imports + modules
        + "\n__version__: _str\n\n" + constants + dtypes + "\n" + _functions(functions) + _all(sg.__all__)
    )  # fmt: skip


def _dtype(value: Any) -> str:
    return f"np.dtype[np.{value.type.__name__}]" if issubclass(type(value), np.dtype) else type(value).__name__


def _all(names: Iterable[str]) -> str:
    text = textwrap.fill(", ".join(f'"{name}"' for name in names), 116)
    return f"\n__all__ = [\n{textwrap.indent(text, '    ')},\n]\n"


def _imported(package: str = "") -> Iterator[str]:
    """The public names that a package's own module imports from its others, each as it is imported there."""
    for statement in ast.parse((PACKAGE / package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            for alias in statement.names:
                name = alias.asname or alias.name
                if not name.startswith("_"):
                    yield f"from .{statement.module or ''} import {alias.name} as {name}"


def _lazy() -> Iterator[str]:
    for name, module in sg._ON_FIRST_USE.items():
        yield f"from .{module} import {name} as {name}"


def _submodule(module: Any, prefix: str) -> str:
    functions = {name: getattr(module, name) for name in module.__all__ if not isinstance(getattr(module, name), type)}
    classes = "".join(
        f"from ..ops.linalg.linear_systems import {n} as {n}\n" for n in module.__all__ if n not in functions
    )
    return (
        _HEAD.format(title=(module.__doc__ or "").partition("\n")[0])
        + f"from .. import return_types\nfrom ..core import Tensor\n{classes}\n"
        + _functions(functions, prefix) + _all(module.__all__)
    )  # fmt: skip


def _networks() -> str:
    """What `symgrad.nn` has: what it imports, and its list."""
    title = (sg.nn.__doc__ or "").partition("\n")[0]
    return _HEAD.format(title=title) + "\n".join(_imported("nn")) + "\n" + _all(sg.nn.__all__)


def _modules() -> str:
    """Modules that are functions with their options fixed: the classes, with the constructors made for them."""
    home = sys.modules["symgrad.nn._applied_modules"]
    text = _HEAD.format(title=(home.__doc__ or "").partition("\n")[0])
    text += "from ..core import Tensor\nfrom ._module import Applied, Module\n"
    for statement in ast.parse(inspect.getsource(home)).body:
        if isinstance(statement, ast.ClassDef):
            cls = vars(home)[statement.name]
            text += f"\n\nclass {cls.__name__}({ast.unparse(statement.bases[0])}):{_doc(cls)}"
            if cls.__name__ == "_Loss":  # whose subclasses are called with whatever their functions take
                text += "    def __call__(self, *args: Any, **kwargs: Any) -> Tensor: ...\n"
            for name, fn in vars(cls).items():
                if name == "__init__":
                    taken = _parameters(fn, inspect.signature(fn).parameters.values(), "self")
                    text += f"    def __init__({taken}) -> None: ...\n"
                elif inspect.isfunction(fn):
                    text += textwrap.indent(_method(name, fn), "    ")
    return text


def _results() -> str:
    classes = (
        f"class {name}(NamedTuple):\n" + "".join(f"    {field}: Tensor\n" for field in cls._fields)
        for name, cls in sorted(RESULTS.items())
    )
    return (
        _HEAD.format(title="Named results.")
        + "from .core import Tensor\n\n"
        + "\n".join(classes)
        + _all(sorted(RESULTS))
    )


def _mirror(name: str) -> str:
    """A package that mirrors one of SciPy's: what it imports, what it fills up with, and SciPy's own names behind."""
    package = importlib.import_module(f"symgrad.scipy.{name}")
    imported = list(_imported(f"scipy/{name}"))
    known = {line.rpartition(" ")[2] for line in imported}
    others = {n: getattr(package, n) for n in package.__all__ if n not in known}
    made = {type(v) for v in others.values() if type(v).__module__.startswith("symgrad")}
    imported += sorted(f"from {cls.__module__} import {cls.__name__}" for cls in made)
    kinds = {np.ufunc: "np.ufunc", **{cls: cls.__name__ for cls in made}}
    values = "".join(f"{n}: {kinds.get(type(v), 'Callable[..., Any]')}\n" for n, v in sorted(others.items()))
    return (
        _HEAD.format(title=(package.__doc__ or "").partition("\n")[0]) + "\n".join(imported) + "\n\n" + values
        + "\ndef __getattr__(name: _str) -> Any: ...\n" + _all(package.__all__)
    )  # fmt: skip


def _functions(functions: dict[str, Callable[..., Any]], prefix: str = "") -> str:
    first: dict[int, str] = {}
    return "".join(
        f"{name} = {first[id(fn)]}\n" if first.setdefault(id(fn), name) != name else "".join(function(name, fn, prefix))
        for name, fn in sorted(functions.items(), key=lambda item: (item[0] != item[1].__name__, item[0]))
    )


def function(name: str, fn: Callable[..., Any], prefix: str = "") -> Iterator[str]:
    """The stub of a function: of tensors a tensor; and where the source says no more, of arrays what they give."""
    signature = inspect.signature(fn)
    result = returned(name, signature, prefix)
    parameters = list(signature.parameters.values())
    text = _parameters(fn, parameters)
    if name in OVERLOADS and not prefix:
        yield from overloads(name, f"{parameters[0].name}: Tensor, ", text, _doc(fn))
        return
    if result != "Tensor" or str(signature.return_annotation) == "Tensor" or not parameters:
        yield f"def {name}({text}) -> {result}:{_doc(fn)}"
        return
    several = parameters[0].name == "tensors" and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL
    kind = "Sequence[Tensor]" if several else "Tensor"
    first = parameters[0].replace(annotation=kind, default=inspect.Parameter.empty)
    rest = [p.replace(annotation="Literal[False]") if p.name == "return_indices" else p for p in parameters[1:]]
    yield f"@overload\ndef {name}({_parameters(fn, [first, *rest])}) -> Tensor:{_doc(fn)}"
    yield f"@overload\ndef {name}({text}) -> Any: ...\n"


def overloads(name: str, first: str, parameters: str, doc: str) -> Iterator[str]:
    """The stubs of a function or method by what it is called with; the last one is for everything else."""
    for i, (rest, result) in enumerate(OVERLOADS[name]):
        yield f"@overload\ndef {name}({f'{first}{rest}'.removesuffix(', ')}) -> {result}:{doc if i == 0 else _DOTS}"
    yield f"@overload\ndef {name}({parameters}) -> Any: ...\n"


def _members() -> str:
    lines: list[str] = []
    for name, value in sorted(vars(sg.Tensor).items()):
        if isinstance(value, property):
            lines += _property(name, value)
        elif isinstance(value, (bool, int)):
            lines.append(f"{name}: _{type(value).__name__}\n")
        elif callable(value) and name not in ("__new__", "__hash__") and not isinstance(value, type):
            lines.append(_method(name, value))
    return (
        _HEAD.format(title="What every tensor has: its methods, operators and properties.")
        + "from .. import return_types\nfrom .._typing import Device, Size\nfrom .._typing import dtype as _DType\n"
        + "from ..formulas import Formula\nfrom ..views import Graph\n"
        + "from ..ops.create.draws import Generator\nfrom .graph import RemovableHandle, Tensor\n\n\n"
        + "class Members:\n    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...\n    __hash__: Any\n"
        + textwrap.indent("".join(lines), "    ")
    )  # fmt: skip


def _property(name: str, value: property) -> Iterator[str]:
    result = returned(name, inspect.signature(value.fget)) if value.fget else "Any"
    result = "Any" if result == "Tensor" and name not in PROPERTIES and name != "data" else result
    yield f"@property\ndef {name}(self) -> {result}:{_doc(value, short=True)}"
    if value.fset:
        yield f"@{name}.setter\ndef {name}(self, value: Any) -> None: ...\n"


def _method(name: str, fn: Callable[..., Any]) -> str:
    signature = inspect.signature(fn)
    parameters = list(signature.parameters.values())
    bound = parameters[0].name
    text = _parameters(fn, parameters, bound)
    if _BINARY.fullmatch(name):
        if name in ("__eq__", "__ne__"):
            return f"def {name}(self, other: Any) -> Tensor: ...  # type: ignore[override]\n"
        return f"def {name}(self, other: Operand) -> Tensor: ...\n"
    if name in OVERLOADS and name != "where":
        return "".join(overloads(name, f"{bound}, ", text, _doc(fn, short=True)))
    return f"def {name}({text}) -> {returned(name, signature)}:{_doc(fn, short=True)}"


def returned(name: str, signature: inspect.Signature, prefix: str = "") -> str:
    """What a function returns, as its source or `RETURNS` says it."""
    said = signature.return_annotation
    if said not in ("Any", "_Any", inspect.Signature.empty):
        return "tuple[Tensor, ...]" if said == "tuple[Any, ...]" else _annotation(said)
    known = _RETURN.get(prefix + name) or _RETURN.get(name.partition("_with_")[2] or name)
    row = prefix.replace(".", "_") + name
    return known or (f"return_types.{row}" if row in RESULTS else "Tensor")


def _parameters(fn: Any, parameters: Iterable[inspect.Parameter], bound: str = "") -> str:
    """The parameters as a stub writes them: defaults as they are where a literal says them, else dots.

    What the source calls ``Any`` is what docs/_parameters.py says of it, and an operand of a row is an operand.
    Nothing is said of the parameter that a method is ``bound`` by.
    """
    written, operands, name = [], _operands(fn), f"{fn.__module__}.{fn.__name__}"
    for i, p in enumerate(parameters):
        default = p.default if p.default is p.empty or (_literal(p.default) and p.name != bound) else _Text("...")
        said = _annotation(p.annotation)
        if said == "Any" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            said = "Operand" if i < operands else _kind(name, p)
        annotation = p.empty if p.name == bound and p.default is p.empty else _Text(said)
        written.append(p.replace(annotation=annotation, default=default))
    return str(inspect.Signature(written, __validate_parameters__=False))[1:-1]


def _kind(name: str, p: inspect.Parameter) -> str:
    """What a parameter is of which the source does not say it, as `KINDS` says it."""
    if p.name in ("dim", "dims", "axis", "axes"):
        return _ALONG
    kind = KINDS.get(known_kind(name, p.name), "Any")
    return kind if kind == "Any" or p.default is not None else f"{kind} | None"


def _operands(fn: Any) -> int:
    """How many of a function's first parameters are the operands of its row."""
    op = getattr(fn, "op", None)
    return 0 if op is None or op.variadic or op.apply is not inspect.unwrap(fn) else len(op.inputs)


_DOTS = " ...\n"


class _Text(str):
    """Text that a signature shows as it stands."""

    def __repr__(self) -> str:
        return str(self)


def _literal(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str) or value == ()


def _annotation(said: Any) -> str:
    if said is inspect.Parameter.empty:
        return "Any"
    text = (
        said.replace("_Any", "Any") if isinstance(said, str) else said.__name__ if isinstance(said, type) else str(said)
    )
    return re.sub(rf"(?<![\w.])({'|'.join(_BUILTINS)})(?![\w\[])", r"_\1", text)


def _doc(fn: Any, short: bool = False) -> str:
    """The docstring of a stub, or dots; of a member the first paragraph, as the function has the rest."""
    doc = inspect.getdoc(fn) or ""
    if short:
        doc = doc.partition("\n\n")[0]
    if not doc:
        return _DOTS
    quoted = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = "\n" if "\n" in doc or quoted.endswith('"') else ""
    return "\n" + textwrap.indent(f'"""{quoted}{end}"""\n', "    ")


STUBS: dict[str, Callable[[], str]] = {
    "__init__.pyi": _root,
    "core/_members.pyi": _members,
    "fft/__init__.pyi": lambda: _submodule(sg.fft, "fft."),
    "linalg/__init__.pyi": lambda: _submodule(sg.linalg, "linalg."),
    "nn/__init__.pyi": _networks,
    "nn/_applied_modules.pyi": _modules,
    "nn/functional.pyi": lambda: _submodule(sg.nn.functional, ""),
    "scipy/special/__init__.pyi": lambda: _mirror("special"),
    "scipy/stats/__init__.pyi": lambda: _mirror("stats"),
    "special/__init__.pyi": lambda: _submodule(sg.special, "special."),
    "return_types.pyi": _results,
}
"""What the text of each stub is made by, by its file in the package."""


def stale() -> list[Path]:
    """Return the files whose text is no longer what it would be written as."""
    return [path for path, text in texts().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(f"{path} is stale; write it anew: python docs/_stubs.py" for path in stale()) or None)
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")

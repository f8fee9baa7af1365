"""The reference of operations, read from the table: ``python docs/_operations.py`` prints it as Markdown.

`conf.py` puts it in the place of the note marked ``made: operations`` of operations.md, so nothing is written twice.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import symgrad as sg
from symgrad._errors import INSTEAD
from symgrad.cli._operations_table import KINDS, partial, sample
from symgrad.core import SAID
from symgrad.extend import FACTS, TABLE, Op
from symgrad.ops import FUNCTIONS, METHODS
from symgrad.ops.numpy.entry_points import names_of_functions


def markdown(derivatives: bool = True) -> str:
    """Return the reference: a section per module, with its functions and its rows; the derivatives take seconds.

    Every row and every public function is in it:

    >>> text = markdown(derivatives=False)
    >>> [op.name for op in TABLE.values() if f"**`{op.label}`**" not in text]
    []
    >>> [op.name for op in TABLE.values() if op.kind != "constant" and op.node.__name__ not in text]
    []
    >>> names = {name.removesuffix("_") for name in FUNCTIONS}  # in place, a function is listed under its plain name
    >>> [name for name in names if f"`{name}`" not in text and f"`{name}(" not in text]
    []

    So is every function of NumPy's that has a row:

    >>> [name for name in names_of_functions() if f"`{name.rpartition('.')[2]}`" not in text]
    []
    """
    modules = [m for name, m in sys.modules.items() if name.startswith("symgrad.ops.") and not hasattr(m, "__path__")]
    rows, functions = _rows(modules), _functions(modules)
    sections = [_section(m, functions.get(m.__name__, {}), rows.get(m.__name__, []), derivatives) for m in modules]
    sections.append(_section(sg.nn.functional, _own(sg.nn.functional, "nn.functional."), []))
    sections.append(numpy_names())
    return "\n".join(section for section in sections if section)


def numpy_names() -> str:
    """Return the functions of NumPy and SciPy that tensors go through, with the prefix said once.

    >>> "`cbrt`" in numpy_names() and "`log_ndtr`" in numpy_names()
    True
    """
    lines: dict[str, list[str]] = {}
    for name in names_of_functions():
        home, _, short = name.rpartition(".")
        lines.setdefault(home, []).append(code(short))
    entries = [(code(home), ", ".join(names)) for home, names in lines.items()]
    return "## NumPy's and SciPy's functions on tensors\n\n" + table(("from", "function"), entries)


def facts() -> str:
    """Return the facts that a row may say of itself, for extending.md.

    >>> "`kink`" in facts()
    True
    """
    return table(("fact", "says"), [(code(name), _plain(says)) for name, says in FACTS.items()])


def absent(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return what PyTorch has and symgrad has not, for coming-from-pytorch.md.

    >>> absent([("gone", "Use another.", "lstsq old_*")]).splitlines()[-1]
    '| gone | `lstsq` (`sg.linalg.lstsq`), `old_*` |'
    """
    entries = [(why, ", ".join(map(_with_twin, names.split()))) for why, _, names in rows]
    return table(("why", "functions, methods and attributes"), entries)


def _with_twin(name: str) -> str:
    return f"{code(name)} ({code(INSTEAD[name])})" if name in INSTEAD else code(name)


def meanings() -> str:
    """Return what a parameter may mean for axes, for extending.md.

    >>> "`axis`" in meanings()
    True
    """
    return table(("meaning", "says"), [(code(name), says) for name, says in SAID.items()])


def _rows(modules: list[ModuleType]) -> dict[str, list[Op]]:
    """The rows by the module that declares them."""
    found: dict[str, list[Op]] = {}
    for op in TABLE.values():
        found.setdefault(_home(op, modules), []).append(op)
    return found


def _home(op: Op, modules: list[ModuleType]) -> str:
    """The module whose functions make the row; where they are NumPy's and numbers, the first that names the row."""
    for f in (op.forward, *op.rules):
        module = getattr(f, "__module__", None) or ""
        if module.startswith("symgrad.ops."):
            return module
    return next(m.__name__ for m in modules if any(getattr(v, "op", None) is op for v in vars(m).values()))


def _names() -> dict[str, Any]:
    """Every public name of a function, method or class that the table and its modules publish."""
    linalg = {f"linalg.{n}": getattr(sg.linalg, n) for n in sg.linalg.__all__}
    special = {f"special.{n}": getattr(sg.special, n) for n in sg.special.__all__}
    fft = {f"fft.{n}": getattr(sg.fft, n) for n in sg.fft.__all__}
    functions = {n: _plain_function(fn) for n, fn in {**FUNCTIONS, **linalg, **special, **fft}.items()}
    methods = {n: _plain_function(fn) for n, fn in METHODS.items()}
    return {**functions, **{f"Tensor.{n}": fn for n, fn in methods.items() if functions.get(n) is not fn}}


def _plain_function(fn: Any) -> Any:
    """A function without the further names of arguments (and ``out=``) that it takes in public."""
    return fn.__wrapped__ if hasattr(fn, "also") else fn


def _functions(modules: list[ModuleType]) -> dict[str, dict[Callable[..., Any], list[str]]]:
    """The public functions that are not rows, by module, each with all its names."""
    found: dict[str, dict[Callable[..., Any], list[str]]] = {}
    known = {m.__name__ for m in modules} - {"symgrad.ops.public"}  # which makes the in-place methods of functions
    for name, fn in _names().items():
        home = _home_of(fn, modules)
        if not hasattr(fn, "op") and home in known:
            found.setdefault(home, {}).setdefault(fn, []).append(name)
    return found


def _home_of(fn: Callable[..., Any], modules: list[ModuleType]) -> str:
    """The module that a public function or class is written in (it says where users find it); of in-place methods that
    are made of functions, the one that makes them."""
    if isinstance(fn, type):
        return next(m.__name__ for m in modules if vars(m).get(fn.__name__) is fn)
    made = fn.__name__.endswith("_")
    return (fn if made else inspect.unwrap(fn)).__globals__["__name__"]  # type: ignore[attr-defined]


def _own(module: ModuleType, prefix: str) -> dict[Callable[..., Any], list[str]]:
    """The functions of a module that are not those of the table under another name."""
    table = {id(fn) for fn in FUNCTIONS.values()}
    names = {n: getattr(module, n) for n in module.__all__}
    return {fn: [prefix + n] for n, fn in names.items() if id(fn) not in table}


def _section(
    module: ModuleType, functions: dict[Callable[..., Any], list[str]], rows: list[Op], derivatives: bool = True
) -> str:
    if not functions and not rows:
        return ""
    title = (module.__doc__ or "").partition("\n")[0].rstrip(".")
    lines = [f"## {title}\n"]
    if functions:
        entries = [(_signature(names, fn), _plain(_first_paragraph(fn))) for fn, names in functions.items()]
        lines.append(table(("function", "what it does"), entries))
    if rows:
        lines.append(table(("operation", "result", "derivative", "saves"), _entries(rows, derivatives)))
    return "\n".join(lines)


def _signature(names: list[str], fn: Callable[..., Any]) -> str:
    """The call as one would write it, and the other names."""
    parameters = [p.replace(annotation=p.empty) for p in inspect.signature(fn).parameters.values()]
    call = code(f"{names[0]}{inspect.Signature(parameters)}")
    return call + (f"<br>also {', '.join(map(code, names[1:]))}" if names[1:] else "")


def _first_paragraph(fn: Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(fn) or "").partition("\n\n")[0].split())


def _entries(rows: list[Op], derivatives: bool) -> Iterable[tuple[str, ...]]:
    """One line per row; overloads that differ in the name of their node only share one."""
    lines: dict[tuple[str, ...], list[str]] = {}
    aliases: dict[int, list[str]] = {}
    for name, fn in _names().items():
        aliases.setdefault(id(getattr(fn, "op", None)), []).append(name)
    for op in rows:
        names = [code(n) for n in aliases.get(id(op), []) if n.rpartition(".")[2] != op.label]
        saved = ", ".join(map(code, op.saved)) or ("" if op.kind == "constant" else "nothing")
        kink = f"<br>*at kinks:* {_plain(op.kink)}" if op.kink else ""
        name = f"**{code(op.label)}**" + (f"<br>also {', '.join(names)}" if names else "")
        derivative = _derivative(op) if derivatives else ""
        line = (name, _plain(op.doc), (derivative + kink).removeprefix("<br>"), saved)
        lines.setdefault(line, []).extend([] if op.kind == "constant" else [op.node.__name__])
    for (name, *rest), nodes in lines.items():
        yield ("<br>".join([name, *dict.fromkeys(nodes)]), *rest)


def _derivative(op: Op) -> str:
    """The partial derivatives of an elementwise row, as its own rules give them.

    >>> _derivative(TABLE["div"])
    'in `a`: `1/b`<br>in `b`: `−a/b²`'
    """
    if op.kind != "elementwise":
        return KINDS[op.kind]
    partials = {name: partial(op, i) for i, name in enumerate(op.inputs)}
    known = {name: text for name, text in partials.items() if text}
    if not known:
        return KINDS["general"]
    if len(op.inputs) == 1:
        text = "".join(map(code, known.values()))
    else:
        text = "<br>".join(f"in {code(name)}: {code(text)}" for name, text in known.items())
    params = ", ".join(f"{p} = {v}" for p, v in zip(op.params, sample(op), strict=False) if v is not None)
    return f"{text}<br>for {_plain(params)}" if params else text


def table(titles: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    """Return a table of Markdown; a bar that is none of the table's has a backslash."""
    head = [titles, ("---",) * len(titles)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [*head, *lines]) + "\n"


def code(text: str) -> str:
    """Return a text as code in a cell of such a table, each of its lines by itself."""
    return "<br>".join(f"`{line.strip()}`" for line in text.replace("|", "\\|").split("\n"))


def _plain(text: str) -> str:
    """Text in which only what stands between backticks is markup."""
    parts = re.split(r"(`+[^`]*`+)", text)
    return "".join(p.replace("|", "\\|") if p.startswith("`") else re.sub(r"([*_|<])", r"\\\1", p) for p in parts)


if __name__ == "__main__":
    print(markdown())

"""An entry of the API reference: a docstring, with its sections, as Markdown for MyST.

Sphinx's own reader of docstrings takes what stands after the colon for a type, and breaks a sentence that goes on in
the next line. The idea to hold: docstrings say ``name : what it is``, then indented lines that either go on or say
more; both read well as one text. Names between single backticks become links where they are public.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from types import FunctionType
from typing import Any

FENCE = "``````"  # longer than the fences of examples inside
WIDTH = 108  # a line of a docstring this long, or longer, goes on in the next one
LISTS = ("Parameters", "Attributes", "Methods", "Raises", "Warns")
_AS_WRITTEN = re.compile(r"(``.+?``|`[^`]+`)")


def summary(value: Any) -> str:
    """The first sentence or paragraph of a docstring, as Markdown.

    >>> import symgrad as sg
    >>> summary(sg.hvp)
    'Return the Hessian of a function at ``x``, times the vector ``v``.'
    """
    return _text((inspect.getdoc(value) or "").partition("\n\n")[0])


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are for."""
    lines = [f"| {name} | {says.replace('|', chr(92) + '|')} |" for name, says in rows]
    return "\n".join(["| | |", "|---|---|", *lines]) if lines else ""


def link(name: str) -> str:
    """A link to the entry of a name.

    >>> link("nn.Linear")
    '{py:obj}`nn.Linear <symgrad.nn.Linear>`'
    """
    return f"{{py:obj}}`{name} <symgrad.{name}>`"


def same(name: str, value: Any, other: str) -> str:
    """The entry of a further name of what is described elsewhere."""
    kind = "class" if isinstance(value, type) else "function"
    return f"{FENCE}{{py:{kind}}} symgrad.{name}\nThe same as {{py:obj}}`symgrad.{other}`.\n{FENCE}"


def entry(name: str, value: Any, constant: str | None, public: dict[str, Any], prefix: str = "symgrad.") -> str:
    """The whole entry of a name.

    >>> print(entry("pi", 3.14, "A number.", {}))
    ``````{py:data} symgrad.pi
    A number.
    ``````
    >>> import symgrad as sg
    >>> print(entry("ShapeError", sg.ShapeError, None, {}).splitlines()[0])
    ```````{py:exception} symgrad.ShapeError
    """
    if constant or not callable(value):
        says = constant or _of_value(value)
        return f"{FENCE}{{py:data}} {prefix}{name}\n{says}\n{FENCE}"
    if not isinstance(value, type):
        return f"{FENCE}{{py:function}} {prefix}{name}{signature(value)}\n{_body(value, public)}\n{FENCE}"
    kind = "exception" if issubclass(value, Exception) else "class"
    made = "" if kind == "exception" or not prefix else signature(value)
    members = "\n\n".join(_members(name, value, public))
    return f"{FENCE}`{{py:{kind}}} {prefix}{name}{made}\n{_body(value, public)}\n\n{members}\n{FENCE}`"


def _of_value(value: Any) -> str:
    """What is said of a dtype."""
    return f"NumPy's `{value.name}`, {8 * value.itemsize} bits." if hasattr(value, "itemsize") else summary(value)


def signature(value: Any) -> str:
    """The parameters as one would write them; what they are stands in the docstring.

    >>> import symgrad as sg
    >>> signature(sg.hvp)
    '(f, x, v)'
    """
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # made by SciPy or in C
        return "()"
    plain = [p.replace(annotation=p.empty, default=_default(p.default)) for p in parameters]
    return str(inspect.Signature(plain))


class _Said:
    """A default that is printed by its name: a class, a function."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _default(value: Any) -> Any:
    if value is not inspect.Parameter.empty and isinstance(value, type | FunctionType):
        return _Said(value.__name__)
    odd = value is not inspect.Parameter.empty and (" at 0x" in repr(value) or repr(value).startswith("<"))
    return _Said("...") if odd else value


def _members(name: str, cls: type, public: dict[str, Any]) -> Iterable[str]:
    """The methods and properties that a class adds, or a private one that it derives from: not those that every module
    of `symgrad.nn` has, nor methods of tensors that are functions too.

    >>> import symgrad as sg
    >>> any("append(module)" in text for text in _members("nn.Sequential", sg.nn.Sequential, {}))
    True
    """
    is_tensor = name == "Tensor"
    functions = {id(inspect.unwrap(v)) for v in public.values() if isinstance(v, FunctionType)} if is_tensor else ()
    own = [base for base in reversed(cls.__mro__) if base is cls or base.__name__.startswith("_")]
    for short, member in sorted({k: v for base in own for k, v in vars(base).items()}.items()):
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if short.startswith("_") or not isinstance(plain, FunctionType | property | cached_property):
            continue
        made = is_tensor and (id(inspect.unwrap(plain)) in functions or short.endswith("_") or short in public)
        if made or not inspect.getdoc(plain) or (short in ("forward", "extra_repr", "change") and "." in name):
            continue
        kind, says = ("method", signature(plain)) if isinstance(plain, FunctionType) else ("property", "")
        said = says if isinstance(member, staticmethod) else re.sub(r"^\((self|cls)(, )?", "(", says)
        yield f"{FENCE}{{py:{kind}}} {short}{said}\n{_body(plain, public)}\n{FENCE}"


def _body(value: Any, public: dict[str, Any]) -> str:
    """A docstring as Markdown."""
    lines = (inspect.getdoc(value) or "").splitlines()
    starts = [i for i in range(len(lines) - 1) if re.fullmatch("-{3,}", lines[i + 1]) and lines[i].strip()]
    bounds = [*starts, len(lines)]
    parts = [_blocks(lines[: bounds[0]])]
    for begin, end in pairwise(bounds):
        title, inside = lines[begin], lines[begin + 2 : end]
        says = _listed(inside) if title in LISTS else _blocks(inside)
        parts.append(f":::{{rubric}} {title}\n:::\n\n{says}")
    return _linked("\n\n".join(part for part in parts if part), public)


def _blocks(lines: list[str]) -> str:
    """Paragraphs, lists and examples; the indented lines below an unindented one say more of it."""
    found, k = list[str](), 0
    while k < len(lines):
        end = next((i for i in range(k, len(lines)) if not lines[i].strip()), len(lines))
        block = lines[k:end]
        if block and block[0].lstrip().startswith(">>>"):
            found.append("```python\n" + "\n".join(inspect.cleandoc("\n".join(block)).splitlines()) + "\n```")
        elif block and block[0].startswith(("- ", "* ")):
            found.append("\n".join(_items(block)))
        elif block:
            found.append(_text(_joined(block)))
        k = end + 1
    return "\n\n".join(found)


def _items(block: list[str]) -> list[str]:
    items = list[str]()
    for line in block:
        if line.startswith(("- ", "* ")):
            items.append("- " + _text(line[2:]))
        else:
            items[-1] += " " + _text(line.strip())
    return items


def _listed(lines: list[str]) -> str:
    """``name : what it is`` as a list of definitions."""
    entries = list[list[str]]()
    for line in lines:
        if line.strip() and not line.startswith(" "):
            entries.append([line])
        elif line.strip() and entries:
            entries[-1].append(line)
    return "\n\n".join(_definition(block) for block in entries)


def _definition(block: list[str]) -> str:
    name, colon, _ = block[0].partition(" :")
    says = _joined([block[0].partition(" :")[2].strip() or "", *block[1:]], len(name) + 3) if colon else ""
    mark = "`" if name.strip()[:1].isupper() else "``"  # an error is a link, a parameter is not
    term = ", ".join(f"{mark}{n.strip()}{mark}" for n in name.split(","))
    return f"{term}\n: {_text(says) or '…'}" if colon else f"{_text(_joined(block))}\n: …"


def _joined(block: list[str], before: int = 0) -> str:
    """One text of a line and what follows: a new sentence where the line ended early and the next is indented."""
    said = block[0]
    for last, line in pairwise(block):
        new = line.startswith(" ") and not last.startswith(" ") and len(last) + before < WIDTH
        stop = ". " if new and not said.endswith((".", ":", ",")) and said else " "
        said += stop + line.strip()
        before = 0
    return said.strip()


def _text(text: str) -> str:
    """Text in which only what stands between backticks is markup; code with single ones."""
    parts = _AS_WRITTEN.split(" ".join(text.split()))
    return "".join(p if p.startswith("`") else re.sub(r"([*_|<$\[\]{}~])", r"\\\1", p) for p in parts)


def _linked(text: str, public: dict[str, Any]) -> str:
    """Names between single backticks as links, double ones as code; examples stay as they are."""
    parts = re.split(r"(```python\n.*?\n```)", text, flags=re.S)
    return "".join(p if p.startswith("```python") else _AS_WRITTEN.sub(lambda m: _code(m[1], public), p) for p in parts)


def _code(said: str, public: dict[str, Any]) -> str:
    if said.startswith("``"):
        inside = said[2:-2]
        return said if "`" in inside else f"`{inside}`"
    name = said[1:-1].removeprefix("symgrad.").removeprefix("sg.")
    full = next((n for n in (name, f"nn.{name}") if n in public), None)
    return link(full) if full else said

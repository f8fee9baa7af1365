"""Terms as text: infix operators with as few parentheses as Python needs, shared parts named once.

Whatever is used twice and is longer than a name is written once, in a line ``where r0 = …``; so the text of a
graph is never longer than the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

# how tightly Python binds each operator; '@', '//' and '%' count as looser than '*', so that their order is never
# left to the reader
_INFIX = {
    "|": 6, "^": 7, "&": 8, "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5,
    "+": 10, "-": 10, "@": 19, "//": 19, "%": 19, "*": 20, "/": 20, "**": 40,
}  # fmt: skip
_APART = ("@", "//", "%")
_UNARY = 30
_COMPARES = 5  # Python chains comparisons: a < b == c means a < b and b == c
_ATOM = 100
_INLINE = 12  # a shared term of at most this many characters is repeated rather than named
_LONG = 600  # a term longer than this gets a name even if used once, so that text stays linear in the graph
_MOST = 200  # definitions printed; the number of the others is stated


def postorder(roots: list[Any]) -> Iterator[Any]:
    """Every term below ``roots`` once, operands first, without recursion."""
    seen: set[int] = set()
    stack: list[tuple[Any, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif id(term) not in seen:
            seen.add(id(term))
            stack.append((term, True))
            stack.extend((a, False) for a in reversed(term.args) if id(a) not in seen)


def number(value: Any) -> str:
    """A number as short as it is exact: 2.0 as 2, 0.5 as 0.5."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(value.item() if isinstance(value, np.generic) else value)


def to_text(root: Any) -> str:
    """The text of a term, definitions of shared parts after it."""
    order = list(postorder([root]))
    uses = Counter(id(a) for t in order for a in t.args)
    texts: dict[int, tuple[str, int]] = {}
    definitions: list[str] = []
    taken = {t.name for t in order if t.name}
    names = (n for n in (f"r{i}" for i in count()) if n not in taken)
    for term in order:
        text, level = _write(term, [texts[id(a)] for a in term.args])
        shared = uses[id(term)] > 1 and len(text) > _INLINE
        if term is not root and term.op is not None and (shared or len(text) > _LONG):
            name = next(names)
            definitions.append(f"{name} = {text}")
            text, level = name, _ATOM
        texts[id(term)] = (text, level)
    body = texts[id(root)][0]
    if not definitions:
        return body
    shown = definitions if len(definitions) <= _MOST else definitions[-_MOST:]
    lines = [f"{body}", "where " + "\n      ".join(shown)]
    if len(shown) < len(definitions):
        lines.append(f"      … and {len(definitions) - len(shown)} more definitions")
    return "\n".join(lines)


def _write(term: Any, args: list[tuple[str, int]]) -> tuple[str, int]:
    if term.op is None:
        return _leaf(term)
    op = term.op
    if op.symbol is not None and len(args) == 2:
        return _infix(op.symbol, args[0], args[1])
    if op.symbol == "**":
        exponent = number(term.params[0])
        return _infix("**", args[0], (exponent, _ATOM if not exponent.startswith("-") else _UNARY))
    if op.symbol is not None and len(args) == 1:
        return f"{op.symbol}{_paren(args[0], _UNARY)}", _UNARY
    if op.text:
        level = _level(op.text)
        inside = 0 if level == _ATOM else _UNARY if "*" in op.text else level + 1
        tight = _ATOM if op.text.startswith("{0}[") else inside
        parts = [_paren(a, tight) for a in args]
        return op.text.format(*parts, *(_value(n, p) for n, p in zip(op.params, term.params, strict=False))), level
    inner = [a[0] for a in args]
    if op.variadic:
        inner = ["[" + ", ".join(inner) + "]"]
    params = zip(op.params, term.params, strict=False)
    inner += [_param(name, value) for name, value in params if not _is_default(op, name, value)]
    return f"{op.label}({', '.join(inner)})", _ATOM


def _level(text: str) -> int:
    """How tightly a row's own text binds: by the operator it shows."""
    if text.endswith((")", "]")):
        return _ATOM
    return min((_INFIX[s] for s in ("+", "-", "*", "/", "@") if s in text), default=_ATOM)


def _leaf(term: Any) -> tuple[str, int]:
    if term.name:
        return term.name, _ATOM
    if isinstance(term.value, np.ndarray):
        return _list(term.value.tolist()), _ATOM
    text = number(term.value)
    if term.shape:
        return (f"ones({term.shape})" if term.value == 1 else f"full({term.shape}, {text})"), _ATOM
    return text, _UNARY if text.startswith("-") else _ATOM


def _list(value: Any) -> str:
    return "[" + ", ".join(map(_list, value)) + "]" if isinstance(value, list) else number(value)


def _infix(symbol: str, a: tuple[str, int], b: tuple[str, int]) -> tuple[str, int]:
    level = _INFIX[symbol]
    # '-', '/' and '%' are not associative, '**' binds from the right; a product on the right stays as it is
    left = level + 1 if symbol in ("**", *_APART) or level == _COMPARES else level
    right = level if symbol == "+" or symbol == "**" else 21 if symbol in _APART else level + 1
    space = "" if symbol in ("*", "/", "**", "//") else " "
    return f"{_paren(a, left)}{space}{symbol}{space}{_paren(b, right)}", level


def _paren(part: tuple[str, int], level: int) -> str:
    return part[0] if part[1] >= level else f"({part[0]})"


def _is_default(op: Any, name: str, value: Any) -> bool:
    return (name == "keepdim" and value is False) or (name in op.defaults and op.defaults[name] is value)


def _param(name: str, value: Any) -> str:
    return f"{name}={_value(name, value)}"


def _value(name: str, value: Any) -> str:
    """A parameter as one would write it."""
    if name == "index" and isinstance(value, tuple):
        parts = value[:-1] if value and value[-1] is Ellipsis and len(value) > 1 else value
        return ", ".join(_index(k) for k in parts) or "..."
    if name == "dim" and isinstance(value, tuple) and len(value) == 1:
        return repr(value[0])
    if isinstance(value, np.ndarray):
        return np.array2string(value, separator=", ", threshold=6).replace("\n", "")
    if isinstance(value, np.dtype):
        return value.name
    return number(value) if isinstance(value, (int, float)) else repr(value)


def _index(k: Any) -> str:
    if isinstance(k, slice):
        ends = ["" if e is None else str(e) for e in (k.start, k.stop)]
        return ":".join(ends) + ("" if k.step is None else f":{k.step}")
    if isinstance(k, np.ndarray):
        return _list(k.tolist()) if k.size <= 12 else np.array2string(k, separator=", ", threshold=6).replace("\n", "")
    return "..." if k is Ellipsis else repr(k)

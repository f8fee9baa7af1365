"""``symgrad ops``: the table of operations, each with its derivative."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from ..autograd import grad
from ..core import TABLE, Op
from ..ops import FUNCTIONS, METHODS
from ..show import in_one_line
from ._answer import Answer, UsageError, with_json

# where a row is looked at, to write its derivative, if 0.5 is not in its domain; any value in it gives the same formula
_INSIDE = {"negative": -0.5, "above_one": 1.5, "bool": True}
KINDS = {"linear": "linear", "multilinear": "linear in each", "general": "by rule", "constant": "no gradient"}


def declare(commands: Any, common: Any) -> None:
    """Declare the command."""
    ops = commands.add_parser("ops", parents=[common], help="the operations and their derivatives: symgrad ops tanh")
    ops.add_argument("name", nargs="?", help="of one operation: all that is known of it")
    with_json(ops)
    ops.set_defaults(run=_run)


def _run(options: Any) -> Answer:
    if options.name is None:
        rows = {op.label: derivative(op) for op in sorted(TABLE.values(), key=lambda op: op.label)}
        width = max(map(len, rows))
        lines = [f"{name:{width}}  {text}" for name, text in rows.items()]
        return Answer("\n".join([*lines, "More of one: symgrad ops NAME"]), {"operations": rows})
    named = operations()
    found = named.get(options.name) or next((f for n, f in named.items() if n.endswith(f".{options.name}")), None)
    if found is None:
        near = get_close_matches(options.name, [n for n in named if n[-1] != "_"], 5)
        raise UsageError(f"there is no operation {options.name!r}", f"Near it: {', '.join(near)}." if near else "")
    row = TABLE.get(options.name.rpartition(".")[2], getattr(found, "op", None))
    said, text = derivative(row) if row else "", (found.__doc__ or "").strip()
    same = [n for n, fn in named.items() if fn is found and n != options.name]
    title = options.name + (f" (also {', '.join(same)})" if same else "") + (f", derivative: {said}" if said else "")
    return Answer(f"{title}\n{text}", {"name": options.name, "also": same, "derivative": said or None, "text": text})


def operations() -> dict[str, Any]:
    """Return what there is to be asked for, by name: methods, functions, and those of the groups."""
    named: dict[str, Any] = {**METHODS, **FUNCTIONS}
    for path in ("special", "linalg", "fft"):
        module = import_module(f"..{path}", __package__)
        named |= {f"{path}.{n}": getattr(module, n) for n in module.__all__ if n not in FUNCTIONS}
    return named


def derivative(op: Op) -> str:
    """Return the partial derivatives of a row that acts entry by entry, as its own rules give them; of others, a word.

    >>> derivative(TABLE["div"]), derivative(TABLE["sum"])
    ('1/b in a; −a/b² in b', 'linear')
    """
    partials = {x: partial(op, i) for i, x in enumerate(op.inputs)} if op.kind == "elementwise" else {}
    known = {x: text for x, text in partials.items() if text}
    if not known:
        return KINDS.get(op.kind, KINDS["general"])
    text = "; ".join([in_one_line(text, "" if len(op.inputs) == 1 else f" in {x}") for x, text in known.items()])
    params = ", ".join(f"{p} = {v}" for p, v in zip(op.params, sample(op), strict=False) if v is not None)
    return f"{text}  (for {params})" if params else text


def sample(op: Op) -> tuple[Any, ...]:
    """Return values for the parameters of a row."""
    return op.sample if isinstance(op.sample, tuple) else ()


@cache  # the table, the reference and the docstrings ask for each
def partial(op: Op, i: int) -> str:
    """Return the partial derivative in input ``i``: the row is run on numbers, its gradient asked for its formula."""
    tensor = FUNCTIONS["tensor"]
    domains = op.domain if isinstance(op.domain, tuple) else (op.domain,) * len(op.inputs)
    if op.rules[i] is None or not (op.holomorphic or op.real_only) or domains[i] in ("bool", "complex"):
        return ""
    inputs = [tensor(_INSIDE.get(d, 0.5), name=n) for d, n in zip(domains, op.inputs, strict=True)]
    inputs[i].requires_grad_()
    y = op.apply(*inputs, *sample(op))
    if y.is_complex():
        return ""
    (g,) = grad(y, inputs[i], create_graph=True)
    return str(g.formula())

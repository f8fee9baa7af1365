"""The answer to a question, as parts of a page: what was read, its derivatives, how they came about, a check.

It runs in a process of its own (`_worker`): whatever a text does here, the server goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from textwrap import dedent
from typing import Any, NamedTuple

from .._errors import FormulaError, SymgradError
from ..formulas import Formula
from ..inspect import verify
from ..inspect._graph_svg import escaped
from ..inspect._page import Section, copy_button, formula_block, problem
from ..inspect._report_check import checked
from ..inspect._report_sections import (
    TOO_LONG,
    derivations,
    derivative_name,
    is_long,
    kinks_and_conditions,
    picture,
    targets_of,
    told,
    verdicts,
)
from ..inspect._sides import variables_of
from ..notation._declarations import all_declared
from ..notation._parse import read
from ..syntax import ParseError
from ._python_text import is_python, read_function
from ._question import Question

_CODE = ("numpy", "torch", "jax")
_LIKELY = ("x", "w", "X", "W", "theta", "t")
_CONSTANTS = frozenset({"e", "pi", "π", "inf", "I", "m", "n", "N"})


class Read(NamedTuple):
    """A formula, what it was read from, what was assumed, and the variable."""

    formula: Formula
    text: str
    assumed: list[str]
    wrt: str
    others: list[str]


@lru_cache(8)
def _read(f: str, wrt: str, shapes: str, dialect: str) -> Read:
    declared = all_declared(shapes)
    text, parameters = f, list[str]()
    if is_python(f):
        text, parameters = read_function(f)
        dialect = "numpy"
        unsaid = sorted(_CONSTANTS.intersection(parameters) - declared.keys())
        if unsaid:
            raise FormulaError(
                f"the parameter {unsaid[0]!r} has the name of a constant or a size", "",
                f"Say what it is under shapes: {unsaid[0]}=() for a number, {unsaid[0]}=k for a vector.",
            )  # fmt: skip
    found = read(text, dialect or None, None, declared)
    known = sorted(variables_of(found.formula))
    if not wrt:
        wrt = next((n for n in (*parameters[:1], *_LIKELY, *known) if n in known), "")
    elif wrt not in known:
        raise FormulaError(f"there is no variable {wrt!r}", f"The variables are {', '.join(known) or '(none)'}.", "")
    return Read(found.formula, text, found.assumed(), wrt, [n for n in known if n != wrt])


def answer(question: Question) -> dict[str, Any]:
    """The sections of a page, and the script of a graph in it: texts, to be sent as JSON."""
    try:
        found = _read(question.f, question.wrt, question.shapes, question.dialect)
        sections, script = _VIEWS[question.view](question, found)
        sections = [Section("read", "Read as", _read_as(question, found)), *sections]
    except RecursionError:
        error = ParseError("the formula is nested too deeply", "", next_step="Name parts of it: … where r = ….")
        return {"sections": [["problem", "Not read", problem(error)]], "script": "", "ok": False}
    except (SymgradError, ValueError, ArithmeticError) as error:
        return {"sections": [["problem", "Not read", problem(error)]], "script": "", "ok": False}
    return {"sections": [list(s) for s in sections if s.body], "script": script, "ok": True}


def _read_as(question: Question, found: Read) -> str:
    said = f'<p class="note">With {escaped(", ".join(found.assumed))}.</p>' if found.assumed else ""
    if found.text != question.f:
        said += f"<p>The function says</p><pre>{escaped(found.text)}</pre>"
    others = ", ".join(
        f'<a href="/?{escaped(question.query(wrt=name, claim=""))}">{escaped(name)}</a>' for name in found.others
    )  # fmt: skip
    ways = f" (others: {others})" if others else ""
    differentiated = f"<p>Differentiated in <b>{escaped(found.wrt)}</b>{ways}.</p>" if found.wrt else ""
    return told(lambda: formula_block("f", found.formula, "", _CODE)) + said + differentiated


def _derivatives(found: Read) -> list[tuple[str, Formula]]:
    f = found.formula
    if not found.wrt:
        return []
    first = f.grad(found.wrt)
    out = [(derivative_name("f", found.wrt, 1), first)]
    if not f.shape and not is_long(first):
        out.append((derivative_name("f", found.wrt, 2), first.jacobian(found.wrt)))
    return out


def _answer(question: Question, found: Read) -> tuple[list[Section], str]:
    made = _derivatives(found)
    titles = ["Jacobian"] if found.formula.shape else ["Gradient", "Hessian"]
    sections = [
        Section(title.lower(), title, told(lambda n=name, d=d: formula_block(n, d, "", _CODE)))  # type: ignore[misc]
        for title, (name, d) in zip(titles, made, strict=False)
    ]
    if made and len(made) < len(titles):
        sections.append(Section("hessian", "Hessian", TOO_LONG))
    about = kinks_and_conditions(found.formula, [("f", found.formula), *made])
    return [*sections, Section("kinks", "Kinks and conditions", about)], ""


def _steps(question: Question, found: Read) -> tuple[list[Section], str]:
    return [Section("steps", "Steps", derivations(_derivatives(found)[-1:]))], ""


def _check(question: Question, found: Read) -> tuple[list[Section], str]:
    f, made = found.formula, _derivatives(found)
    kinds = ("grad", "hess")
    rows: list[tuple[str, Callable[[], Any]]] = [
        (name, lambda d=d, kind=kind: checked(f, d, kind, found.wrt))  # type: ignore[misc]
        for kind, (name, d) in zip(kinds, made, strict=False)
    ]
    note = '<p class="note">At points that are drawn: gradients against differences of f, Hessians of the gradient.</p>'
    sections = [Section("check", "Check against differences", verdicts(rows) + note if rows else "")]
    if question.claim and found.wrt:
        kind = "jac" if f.shape else "grad"
        said = told(lambda: _verdict(verify(f, wrt=found.wrt, **{kind: question.claim})))
        sections.append(Section("claim", "The gradient that you derived", said))
    return sections, ""


def _verdict(found: Any) -> str:
    """A verdict; its lines wrap but where they are a derivation, which has columns."""
    word, _, rest = str(found).partition("\n")
    mood, shape = "good" if found else "bad", "" if found.steps else ' class="words"'
    return f'<p><b class="{mood}">{escaped(word)}</b></p><pre{shape}>{escaped(dedent(rest))}</pre>'


def _graph(question: Question, found: Read) -> tuple[list[Section], str]:
    made = _derivatives(found)
    body, script = picture(made[0][1] if made else found.formula)
    name = f" of {made[0][0]}" if made else ""
    return [Section("graph", f"Graph{name}", body)], script


def _sympy(question: Question, found: Read) -> tuple[list[Section], str]:
    def one(f: Formula) -> str:
        if "sympy" not in targets_of(f):
            return '<p class="note">Left out: it has many entries. Give sizes, as A=2,3, to have it.</p>'
        code = f.code("sympy")
        return f'<pre>{escaped(code)}</pre><div class="copy">{copy_button("SymPy", code)}</div>'

    made = [("f", found.formula), *_derivatives(found)[:1]]
    parts = [f"<h3>{escaped(n)}</h3>{told(lambda d=d: one(d))}" for n, d in made]  # type: ignore[misc]
    note = '<p class="note">Entry by entry, at the small sizes that stand in for named ones.</p>'
    return [Section("sympy", "SymPy", "".join(parts) + note)], ""


_VIEWS = {"answer": _answer, "steps": _steps, "check": _check, "graph": _graph, "sympy": _sympy}

__all__ = ["answer"]

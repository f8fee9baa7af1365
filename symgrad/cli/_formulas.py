"""``symgrad diff``, ``explain``, ``verify``: derivatives of what was typed; ``graph``, ``report``, ``serve``: pages."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from typing import Any

from ..core import Dim
from ..formulas import CODE
from ..inspect import only_where, variables_of, verify
from ..notation import CONSTANT_LETTERS, parse, sides_of
from ..syntax import is_latex
from ..views import graph, report
from ._answer import (
    Answer,
    UsageError,
    function_of_file,
    has_signs,
    is_function,
    of_a_file,
    read_text,
    typed,
    variables_asked,
    with_json,
    with_text,
)

WRITTEN = ("unicode", "ascii", "latex")
CLAIMS = {"grad": "its gradient", "hess": "its Hessian", "jac": "its Jacobian", "equals": "the same as it"}


def declare(commands: Any, common: Any) -> None:
    """Declare the commands."""
    diff = commands.add_parser("diff", parents=[common], help='differentiate a formula: symgrad diff "x\'*A*x"')
    _with_variable(diff)
    diff.add_argument("--order", type=_order, default=1, help="of the derivative (default 1; 0 is the formula)")
    diff.add_argument(
        "--format", choices=(*WRITTEN, *CODE), help="default: unicode, or ascii where the terminal lacks the signs"
    )
    with_json(diff)
    diff.set_defaults(run=_diff)

    explain = commands.add_parser("explain", parents=[common], help="how a gradient is derived, line by line")
    _with_variable(explain)
    explain.add_argument("--format", default="text", choices=("text", "markdown", "latex", "html"))
    with_json(explain)
    explain.set_defaults(run=_explain)

    claim = commands.add_parser(
        "verify", parents=[common], help="say whether a claimed derivative, or an equation, is right"
    )
    _with_variable(claim)
    for kind, what in CLAIMS.items():
        claim.add_argument(f"--{kind}", metavar="EXPR", help=f"what is claimed to be {what}")
    with_json(claim)
    claim.set_defaults(run=_verify)
    _declare_pages(commands, common)


def _with_variable(command: Any) -> None:
    """Declare a formula, and what it is differentiated in."""
    with_text(command)
    command.add_argument("--wrt", help="the symbol to differentiate in, if there are several; or numbers: x,y")


def _order(text: str) -> int:
    if text not in set("0123456789"):
        raise ArgumentTypeError(f"{text!r} is no whole number from 0 to 9")
    return int(text)


def _derivative(formula: Any, wrt: str | list[str], order: int) -> tuple[Any, list[str]]:
    """The derivative, and where alone it says something; of a number with each order an axis more, of an array its
    Jacobian first."""
    only = dict[str, None]()
    if formula.shape and order:
        print("The formula is an array: this is its Jacobian.", file=sys.stderr)
    for k in range(order):
        before, formula = formula, formula.grad(wrt) if k == 0 and not formula.shape else formula.jacobian(wrt)
        only.update(dict.fromkeys(only_where(before, formula, wrt if isinstance(wrt, str) else tuple(wrt))))
    if only:
        words = ", ".join(only)
        print(f"It holds where {words}; elsewhere there is a derivative, too, which it does not say.", file=sys.stderr)
    return formula, [*only]


def _is_constant(formula: Any, wrt: str) -> bool:
    """Whether a number has no symbol but the letters of constants, and not the one to differentiate in, which is said;
    of any other symbol, ``y^2`` in x, the one that was asked for may be misspelt, or y a function of it."""
    others = {name.partition("_")[0].rstrip("0123456789") for name in formula.free_symbols}
    found = not formula.shape and wrt.isidentifier() and wrt not in formula.free_symbols and others <= CONSTANT_LETTERS
    if found:
        print(f"Without {wrt} it is a constant.", file=sys.stderr)
    return found


def _diff(options: Any) -> Answer:
    found = read_text(options)
    wrt = variables_asked(found.formula, options.wrt) if options.order else None
    constant = isinstance(wrt, str) and _is_constant(found.formula, wrt)
    formula, only = (parse("0") if constant else found.formula), list[str]()
    if wrt and not constant:
        formula, only = _derivative(found.formula, wrt, options.order)
    if options.format == "sympy":
        _require_numbers(formula)
    style = options.format or ("unicode" if options.json or has_signs(str(formula)) else "ascii")
    text = format(formula, style) if style in WRITTEN else formula.code(style).rstrip()
    data = {"formula": str(found.formula), "wrt": wrt, "order": options.order, "format": style, "result": text}
    return Answer(text, data | {"conditions": formula.conditions, "only": only, "assumed": found.assumed()})


def _require_numbers(formula: Any) -> None:
    """SymPy's arrays are written entry by entry: a size that is a name would be the number that stands in for it."""
    for name, x in variables_of(formula).items():
        if any(isinstance(size, Dim) for size in x.shape):
            what = f"SymPy writes {name!r} entry by entry, and a size of it is a name"
            raise UsageError(what, "", f"Say numbers: --shape {name}={','.join('3' * len(x.shape))}")


def _explain(options: Any) -> Answer:
    found = read_text(options)
    wrt = variables_asked(found.formula, options.wrt)
    derivation = found.formula.grad(wrt).explain()
    text = getattr(derivation, options.format)()
    data = {"formula": str(found.formula), "wrt": wrt, "format": options.format, "result": text}
    return Answer(text, data | {"conditions": list(derivation.conditions), "assumed": found.assumed()})


def _verify(options: Any) -> Answer:
    claims: dict[str, Any] = {kind: text.strip() for kind in CLAIMS if (text := getattr(options, kind)) is not None}
    if not claims and (sides := sides_of(typed(options))):
        options.dialect = options.dialect or ("latex" if is_latex(options.text) else None)
        options.text, claims["equals"] = sides
    if not claims:
        raise UsageError("nothing is claimed", "", "Write --grad EXPR, --hess EXPR, --jac EXPR or --equals EXPR.")
    found = read_text(options)
    if options.dialect:
        symbols = {name: x.symbol for name, x in variables_of(found.formula).items()}
        claims = {kind: parse(text, dialect=options.dialect, **symbols) for kind, text in claims.items()}
    if found.formula.shape and claims.keys() & {"grad", "hess"}:
        name = variables_asked(found.formula, options.wrt)
        what = f"{found.formula} is an array, which has a Jacobian, and no gradient or Hessian"
        number = f", or say --shape {name}= for a number" if isinstance(name, str) else ""
        raise UsageError(what, "", f"Sum it, claim --jac{number}.")
    wrt = options.wrt if set(claims) == {"equals"} else variables_asked(found.formula, options.wrt)
    result = verify(found.formula, wrt=wrt, **claims)
    verdicts = result if isinstance(result, tuple) else (result,)
    return Answer(str(result), {
        "formula": str(found.formula), "assumed": found.assumed(),
        "claims": [
            {
                "claim": str(claim), "kind": kind, "verdict": v.verdict, "diagnosis": v.diagnosis, "why": v.why,
                "right": None if v.right is None else str(v.right), "conditions": v.conditions, "digits": v.digits,
                "only": v.only,
            }
            for (kind, claim), v in zip(claims.items(), verdicts, strict=True)
        ],
    }, 0 if result else 1)  # fmt: skip


# ------------------------------------------------------------------------------------- what is drawn, or shown as pages


def _declare_pages(commands: Any, common: Any) -> None:
    """Declare the commands that draw."""
    drawn = commands.add_parser("graph", parents=[common], help="draw a formula, or a function: model.py:loss")
    with_text(drawn, "FILE.py:FUNCTION, or a formula")
    drawn.add_argument("-o", "--output", metavar="FILE", help=".svg, .html, .dot, .mmd, .txt, .png or .pdf; else text")
    with_json(drawn)
    drawn.set_defaults(run=_graph)

    page = commands.add_parser("report", parents=[common], help="a page about a formula, or a function: model.py:loss")
    with_text(page, "FILE.py:FUNCTION, or a formula")
    page.add_argument(
        "--wrt", help="what to differentiate in (numbers: x,y); a function's first parameter need not be said"
    )
    page.add_argument("-o", "--output", metavar="FILE", default="report.html", help="(report.html)")
    with_json(page)
    page.set_defaults(run=_report)

    serve = commands.add_parser("serve", parents=[common], help="pages in a browser of this machine")
    serve.add_argument("--port", type=int, default=8765, help="(8765); 0 takes a free one")
    serve.set_defaults(run=_serve)


def _graph(options: Any) -> Answer:
    if is_function(options.text):
        f, args = function_of_file(options)
        with of_a_file(options):
            picture = graph(f, *args)
    else:
        picture = graph(read_text(options).formula)
    if options.output is None:
        return Answer(picture.text(), {"text": picture.text(), "mermaid": picture.mermaid()})
    picture.save(options.output)
    return Answer(f"Written to {options.output}.", {"output": options.output})


def _report(options: Any) -> Answer:
    if is_function(options.text):
        f, args = function_of_file(options)
        with of_a_file(options):
            page = report(f, *args, wrt=options.wrt)
    else:
        formula = read_text(options).formula
        page = report(formula, wrt=variables_asked(formula, options.wrt))
    page.save(options.output)
    return Answer(f"Written to {options.output}.", {"output": options.output, "title": page.title})


def _serve(options: Any) -> int:
    from ..serve import serve

    return serve(options.port, options.debug)

"""``symgrad graph``, ``report`` and ``serve``: what is drawn, or shown as pages."""

from __future__ import annotations

from typing import Any

from ..views import graph, report
from ._answer import Answer, function_of_file, is_function, of_a_file, read_text, variables_asked, with_json, with_text


def declare(commands: Any, common: Any) -> None:
    """Declare the commands."""
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

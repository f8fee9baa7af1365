"""``symgrad graph``, ``report`` and ``serve``: what is drawn, or shown as pages."""

from __future__ import annotations

from typing import Any

from ..inspect import graph, report
from ._answer import Answer, UsageError, with_json
from ._files import function_of_file, is_function, of_a_file
from ._typed import read_text, with_shapes, with_text


def declare(commands: Any, common: Any) -> None:
    """Declare the commands."""
    drawn = commands.add_parser("graph", parents=[common], help="draw a formula, or a function: model.py:loss")
    with_text(drawn, "FILE.py:FUNCTION, or a formula")
    drawn.add_argument("-o", "--output", metavar="FILE", help=".svg, .html, .dot, .mmd, .txt, .png or .pdf; else text")
    with_json(drawn)
    drawn.set_defaults(run=_graph)

    page = commands.add_parser("report", parents=[common], help="a page about a function: model.py:loss")
    page.add_argument("text", metavar="FILE.py:FUNCTION")
    page.add_argument("-o", "--output", metavar="FILE", default="report.html", help="(report.html)")
    with_shapes(page)
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
    if not is_function(options.text):
        raise UsageError(f"a report is about a function in a file, got {options.text!r}", "", "Write model.py:loss.")
    f, args = function_of_file(options)
    with of_a_file(options):
        page = report(f, *args)
    page.save(options.output)
    return Answer(f"Written to {options.output}.", {"output": options.output})


def _serve(options: Any) -> int:
    from ..serve import serve

    return serve(options.port, options.debug)

"""The page of the server: a form, examples, and the answer below."""

from __future__ import annotations

from typing import Any

from ..inspect._graph_svg import escaped
from ..inspect._page import Section, copy_button, page
from ._question import DIALECTS, VIEWS, Question

_EXAMPLES = (
    ("least squares", Question("sum((A@x - b)**2)", "x")),
    ("logistic regression, y = ±1", Question("sum(log(1 + exp(-y*(X@w))))", "w", "y=m sign")),
    ("softmax cross entropy", Question("logsumexp(x) - y@x", "x")),
    ("multivariate normal", Question("(u - x)@inv(S)@(u - x)/2", "u", "S=n,n pd")),
    ("log-determinant", Question("logdet(X)", "X")),
    ("quadratic form, as on paper", Question("x'*A*x + b'*x", "x")),
    ("norm of a residual", Question("norm(A@x - b)", "x")),
    ("entry by entry", Question("Σᵢ (Σⱼ A[i,j]·x[j] − b[i])²", "x")),
    ("LaTeX", Question(r"\frac{1}{2} \lVert Ax - b \rVert^2 + \lambda \lVert x \rVert_1", "x")),
    ("a function", Question("def loss(w, X, y):\n    h = np.tanh(X @ w)\n    return ((h - y)**2).sum() / 2")),
)


def whole_page(question: Question, found: dict[str, Any] | None, address: str, nonce: str) -> str:
    """The page of a question and its answer, ``found``; without one the page has examples."""
    head = f"<h1>Derivatives as formulas</h1>{_form(question)}"
    if found is None:
        rows = "".join(
            f'<tr><td>{escaped(title)}</td><td><a href="/?{escaped(q.query())}"><code>{escaped(q.f.split(chr(10))[0])}'
            "</code></a></td></tr>"
            for title, q in _EXAMPLES
        )
        note = (
            '<p class="note">It runs on this machine alone: what you type is parsed, never run, and goes nowhere.</p>'
        )
        return page("symgrad", head + note, [Section("examples", "Examples", f'<table class="gallery">{rows}</table>')],
                    nonce=nonce)  # fmt: skip
    if found.get("problem"):
        return problem_page(str(found["problem"]), nonce, head)
    sections = [Section(*parts) for parts in found["sections"]]
    if found["ok"]:
        link = f"{address}/?{question.query()}"
        again = f'<p><a href="/?{escaped(question.query())}">{escaped(link)}</a></p>'
        sections.append(Section("link", "Link", again + f'<div class="copy">{copy_button("Copy", link)}</div>'))
        head += _views(question)
    return page(f"{question.f[:60]} – symgrad", head, sections, found["script"], nonce)


def problem_page(what: str, nonce: str, head: str = "<h1>symgrad</h1>") -> str:
    """A page that says why there is no answer."""
    body = f'<div class="problem" role="alert"><b>{escaped(what)}</b></div><p><a href="/">Begin anew</a></p>'
    return page("symgrad", head, [Section("problem", "No answer", body)], nonce=nonce)


def _form(question: Question) -> str:
    choices = "".join(
        f'<option value="{key}"{" selected" if key == question.dialect else ""}>{escaped(words)}</option>'
        for key, words in DIALECTS.items()
    )
    lines = max(2, min(question.f.count("\n") + 1, 16))

    def field(name: str, title: str, value: str, hint: str) -> str:
        return (
            f'<div><label for="{name}">{title}</label><input type="text" id="{name}" name="{name}" autocomplete="off" '
            f'autocapitalize="off" spellcheck="false" value="{escaped(value)}" placeholder="{escaped(hint)}"></div>'
        )

    return (
        '<form action="/" method="get"><label for="f">A formula, or a Python function</label>'
        f'<textarea id="f" name="f" rows="{lines}" required spellcheck="false" autocapitalize="off" '
        f'placeholder="sum((A@x - b)**2)">{chr(10)}{escaped(question.f)}</textarea><div class="fields">'
        + field("wrt", "Differentiate in", question.wrt, "x")
        + field("shapes", "Shapes", question.shapes, "A=m,n; t=(); S=n,n pd")
        + f'<div><label for="dialect">Read as</label><select id="dialect" name="dialect">{choices}</select></div>'
        + field("claim", "Your gradient, to be checked", question.claim, "2*A.T@(A@x - b)")
        + f'</div><input type="hidden" name="view" value="{"check" if question.claim else "answer"}">'
        '<p><button class="primary">Differentiate</button></p></form>'
    )


def _views(question: Question) -> str:
    ways = "".join(
        f'<li><a href="/?{escaped(question.query(view=view))}"{" aria-current=page" if view == question.view else ""}>'
        f"{title}</a></li>"
        for view, title in VIEWS.items()
    )
    return f'<nav aria-label="what is shown"><ul class="views">{ways}</ul></nav>'


__all__ = ["problem_page", "whole_page"]

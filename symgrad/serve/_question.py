"""What is asked: the fields of the form, which are the query of the address."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from .. import _limits

VIEWS = {"answer": "Derivatives", "steps": "Steps", "check": "Check", "graph": "Graph", "sympy": "SymPy"}
DIALECTS = {"": "as the signs say", "numpy": "NumPy", "matrix": "matrices", "latex": "LaTeX"}


class Refused(ValueError):
    """A query that is not read, with the status that says so."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status = status


class Question(NamedTuple):
    """A text, the variable, what names are, the dialect, a claimed gradient, and what is wanted."""

    f: str = ""
    wrt: str = ""
    shapes: str = ""
    dialect: str = ""
    claim: str = ""
    view: str = "answer"

    def query(self, **changed: str) -> str:
        """The address's query that asks this again."""
        new, plain = self._replace(**changed), Question()
        return urlencode([(k, v) for k, v, d in zip(self._fields, new, plain, strict=True) if v != d])


def read_query(query: str) -> Question:
    """The question of a query.

    Raises
    ------
    Refused : it is too long, says a field twice, or has a field or a choice that there is not
    """
    if len(query) > _limits.SERVE_QUERY:
        raise Refused(414, "the question is too long")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=len(Question._fields))
    except ValueError as error:
        raise Refused(400, "the question is not written as an address is") from error
    fields = dict(pairs)
    unknown = [name for name in fields if name not in Question._fields]
    if unknown or len(fields) != len(pairs):
        raise Refused(400, "the question has a field twice, or one that there is not")
    for name, value in fields.items():
        most = _limits.SERVE_TEXT if name == "f" else _limits.SERVE_FIELD
        if len(value) > most:
            raise Refused(413, f"the field {name} has {len(value):,} signs, more than the {most:,} that are read")
        if any(ord(c) < 32 and c not in "\t\r\n" for c in value):
            raise Refused(400, f"the field {name} has a sign that cannot be typed")
    found = Question(**{k: v.replace("\r\n", "\n").strip() for k, v in fields.items()})
    if found.view not in VIEWS or found.dialect not in DIALECTS:
        raise Refused(400, "there is no such view, or no such dialect")
    return found


__all__ = ["DIALECTS", "VIEWS", "Question", "Refused", "read_query"]

r"""Environments of LaTeX: cases, matrices that are written out, and lines one below the other."""

from __future__ import annotations

from ._latex_scan import closing_brace
from ._latex_source import RELATIONS, LatexSource
from ._lexer import Token, ends_operand

_LINES = frozenset({
    "aligned", "align", "align*", "split", "gathered", "gather", "gather*", "equation", "equation*", "multline",
    "multline*", "alignedat", "eqnarray", "eqnarray*", "displaymath", "math",
})  # fmt: skip
_MATRICES = frozenset({"pmatrix", "bmatrix", "matrix", "smallmatrix", "Bmatrix", "psmallmatrix", "bsmallmatrix"})
_CONDITIONS = frozenset({"if", "for", "when", "where"})
_OTHERWISE = (["otherwise"], ["else"], ["if", "otherwise"])
_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "=": "!="}
Cells = list[list[Token]]


class Environments(LatexSource):
    """The part of the reader that reads environments."""

    def with_scripts(self, at: int, kind: str, forced: bool = False) -> bool:
        raise NotImplementedError

    def environment(self, token: Token) -> bool:
        name = self._environment_name(token)
        start, depth = self.i, 1
        while depth:
            if self.now.kind == "end":
                raise self.problem(rf"'\begin{{{name}}}' is never closed", token, rf"Add \end{{{name}}}.")
            here = self.take()
            if here.kind == "command" and here.text in ("begin", "end"):
                depth += 1 if here.text == "begin" else -1
        parts = self.raw[start : self.i - 1]
        ending = self.raw[self.i - 1]
        if self._environment_name(ending) != name:
            raise self.problem(rf"'\begin{{{name}}}' is closed by another", ending, rf"Write \end{{{name}}}.")
        end = self.raw[self.i - 1].end
        if name in _LINES:
            outer, self.aligned = self.aligned, True
            self.out += self.translated(parts, token)
            self.aligned = outer
            return True
        if name == "cases":
            return self._cases(parts, token, end)
        if name in _MATRICES:
            return self._matrix(parts, token, end)
        step = r"Write pmatrix for a matrix, cases for branches, \det{…} for a determinant."
        raise self.problem(f"the environment '{name}' is not read", token, step, self.raw[self.i - 1])

    def stray_end(self, token: Token) -> bool:
        raise self.problem(r"'\end' closes nothing", token, r"Open it by \begin{…}.")

    def _environment_name(self, token: Token) -> str:
        if self.now.text != "{":
            raise self.problem(f"'\\{token.text}' stands without a name", token, r"Write \begin{cases}.")
        end = closing_brace(self.raw, self.i, self.text)
        name = self.text[self.now.end : self.raw[end].start].strip()
        self.i = end + 1
        return name

    def line_of(self, token: Token) -> bool:
        """Read what parts the lines of an aligned formula: nothing, if the formula goes on."""
        if not self.aligned:
            step = r"Write one formula at a time, or \begin{aligned} … \end{aligned}."
            raise self.problem(f"'{self.source(token)}' parts no lines here", token, step)
        while self.now.kind in ("cell", "row"):
            token = self.take()
        if token.kind != "row" and self.raw[self.i - 1].kind != "row" and not any(
            t.kind == "row" for t in self.raw[max(self.i - 2, 0) : self.i]
        ):  # fmt: skip
            return False
        goes_on = not self.out or not ends_operand(self.out[-1]) or self.now.kind in ("op", "end")
        if not goes_on and not self._defines():
            step = "Write one formula at a time; definitions follow 'where'."
            raise self.problem("two lines that are not one formula", token, step)
        return False

    def _defines(self) -> bool:
        """Whether a line says words, or defines a name."""
        for t in self.raw[self.i :]:
            if t.kind in ("row", "end"):
                return False
            if (t.kind == "op" and t.text == "=") or (t.kind == "command" and t.text == "text"):
                return True
        return False

    # ------------------------------------------------------------------ cells

    def _cells(self, parts: list[Token], token: Token) -> list[Cells]:
        """The tokens of every cell, row by row."""
        rows: list[list[list[Token]]] = [[[]]]
        depth = 0
        for part in parts:
            if part.kind == "group" or (part.kind == "command" and part.text in ("begin", "end")):
                depth += 1 if part.text in ("{", "begin") else -1
            if part.kind == "row" and not depth:
                rows.append([[]])
            elif part.kind == "cell" and not depth:
                rows[-1].append([])
            else:
                rows[-1][-1].append(part)
        if len(rows) > 1 and rows[-1] == [[]]:
            rows.pop()
        outer, self.aligned = self.aligned, False
        found = [[self.translated(cell, token) for cell in row] for row in rows]
        self.aligned = outer
        if any(not cell for row in found for cell in row):
            raise self.problem("an empty cell", token, "Write 0 for zero.")
        return found

    def _matrix(self, parts: list[Token], token: Token, end: int) -> bool:
        """Write a matrix as a list; one column is a vector, one row a vector that lies down."""
        rows = self._cells(parts, token)
        if len({len(row) for row in rows}) > 1:
            raise self.problem("rows of different lengths", token, "Write as many cells in every row.")
        at, start = len(self.out), token.start
        lists: list[list[Token]] = []
        vector = len(rows[0]) == 1 or len(rows) == 1
        for row in [[cell for cells in rows for cell in cells]] if vector else rows:
            cells = [t for k, cell in enumerate(row) for t in [*[Token("op", ",", start, start)][: k > 0], *cell]]
            lists.append(self._wrapped(cells, cells[0].start, cells[-1].end, "["))
        joined = [t for k, one in enumerate(lists) for t in [*[Token("op", ",", start, start)][: k > 0], *one]]
        self.wrap(joined if vector else self._wrapped(joined, start, end, "["), start, end)
        self.tables.add(start)
        if len(rows) == 1 and len(rows[0]) > 1:
            self.emit("sup", "T", end, end)
        return self.with_scripts(at, "bracket")

    def _cases(self, parts: list[Token], token: Token, end: int) -> bool:
        rows = self._cells(parts, token)
        if len(rows) < 2 or any(len(row) != 2 for row in rows):
            step = r"Write a & \text{if } x > 0 \\ b & \text{otherwise}."
            raise self.problem("cases have a value and a condition in each row", token, step)
        values = [_trimmed(value) for value, _ in rows]
        conditions = [_trimmed(c) for _, c in rows]
        conditions = [c[1:] if len(c) > 1 and c[0].text in _CONDITIONS else c for c in conditions]
        last = [t.text for t in rows[-1][1] if t.text not in (",", ".")]
        if last not in _OTHERWISE and not (len(rows) == 2 and _is_negation(*conditions)):
            step = r"Write \text{otherwise} in the last row."
            raise self.problem("the cases do not say what holds otherwise", token, step)
        start = token.start
        comma = Token("op", ",", start, start)
        inner = values[-1]
        for value, condition in reversed(list(zip(values, conditions, strict=True))[:-1]):
            compared = [t._replace(text="==") if t.text == "=" and t.kind == "op" else t for t in condition]
            args = [*compared, comma, *value, comma, *inner]
            inner = [Token("name", "where", start, start + 6), *self._wrapped(args, start + 6, end)]
        self.out += inner
        return True

    def _wrapped(self, inner: list[Token], start: int, end: int, opening: str = "(") -> list[Token]:
        return self.captured(lambda: self.wrap(inner, start, end, opening))


def _trimmed(cell: list[Token]) -> list[Token]:
    """A cell without the comma at its end."""
    while len(cell) > 1 and cell[-1].kind == "op" and cell[-1].text in (",", ".", ";"):
        cell = cell[:-1]
    return cell


def _is_negation(one: list[Token], two: list[Token]) -> bool:
    """Whether one comparison holds just where the other does not."""
    signs = [[k for k, t in enumerate(c) if t.kind == "op" and t.text in RELATIONS | {"="}] for c in (one, two)]
    if len(one) != len(two) or list(map(len, signs)) != [1, 1] or signs[0] != signs[1]:
        return False
    at = signs[0][0]
    same = all(a.text == b.text for k, (a, b) in enumerate(zip(one, two, strict=True)) if k != at)
    opposite = _NEGATED[one[at].text]
    return same and opposite == two[at].text

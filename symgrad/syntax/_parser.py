"""From tokens to a tree, by binding powers: the higher the power, the tighter a sign binds its operands.

The stack of open brackets is the parser's only memory beside its place; nesting is bounded, chains are loops.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection

from .. import _limits
from ._cursor import Cursor
from ._lexer import BIG, Token, is_where, value_of
from ._problem import ParseError, close_to, shortened
from ._sign_table import BRACKETS, COMPARE, JUXT, POSTFIX, POWER, PREFIX, SIGNS, SUM
from ._syntax_tree import Node

_OPENS = frozenset({"(", "⟨", "⌊", "√", "¬"})
_CALLS = {"‖": "‖‖", "|": "||", "⌊": "floor"}  # what brackets with one operand are
_POWERS = frozenset({"^", ".^", "^∘"})  # those of paper, where a power of a power may be read in two ways
_MODULES = frozenset(
    {"np", "numpy", "sg", "symgrad", "torch", "jnp", "scipy", "math", "linalg", "special", "F", "nn", "functional"}
)  # fmt: skip
_OF_LISTS = frozenset({"cat", "concatenate", "hstack", "stack"})


class Parser(Cursor):
    """Reads one expression.

    Parameters
    ----------
    tokens, text : what to read
    matrix : whether it is matrix notation, where things side by side are multiplied
    functions : the names of functions; any name before a bracket is one if None
    names : declared and defined names, which are no functions
    swaps : symbols that exchange the last two axes of what they stand behind
    """

    def __init__(
        self, tokens: list[Token], text: str, matrix: bool = False, functions: Collection[str] | None = None,
        names: Collection[str] = (), swaps: Collection[str] = (),
    ) -> None:  # fmt: skip
        super().__init__(tokens, text, names)
        self.matrix, self.functions, self.swaps = matrix, functions, swaps
        self.depth = 0

    def parse(self) -> Node:
        if self.now.kind == "end":
            raise self.problem("the formula is empty", self.now, "Write one, as in sum((X@w - y)**2).")
        node = self.expression(0)
        if self.now.kind != "end":
            raise self.stray(self.now)
        return node

    # ------------------------------------------------------------------ expressions

    def expression(self, power: int) -> Node:
        """Read on while signs bind tighter than ``power``."""
        self.depth += 1
        if self.depth > _limits.TEXT_DEPTH:
            what = f"nested too deeply: it is nested more than {_limits.TEXT_DEPTH} deep"
            raise self.problem(what, self.now, "Name the inner parts: … where r = ….")
        node = self._operand()
        while True:
            token = self.now
            binding = self._binding(token)
            if binding <= power:
                break
            node = self._joined(node, token, binding)
        self.depth -= 1
        return node

    def _binding(self, token: Token) -> int:
        """How tightly the next token binds what stands to its left; 0 if it ends the expression."""
        if token.kind == "sup":
            return POSTFIX
        if token.kind in ("name", "number"):
            return JUXT if self._may_stand_beside(token) else 0
        if token.kind in ("open", *BIG):
            return JUXT if self.matrix else 0
        if token.kind != "op" or (self.open and self.at_end_of(self.open[-1])):
            return 0
        if token.text in (".", "[", "'"):
            return POSTFIX
        if token.text in _OPENS and self.matrix:
            return JUXT
        if token.text == "=" and self.open:
            return COMPARE
        return SIGNS[token.text].binds

    def _may_stand_beside(self, token: Token) -> bool:
        if not self.matrix:
            return False
        if token.kind == "number":
            return self._is_indicator(token)
        return token.text != "and" and not is_where(self.tokens, self.i)

    def _is_indicator(self, token: Token) -> bool:
        """Whether ``1[`` opens an indicator, ``1[x > 0]``."""
        after = self.tokens[self.i + 1] if self.tokens[self.i] is token else self.now
        return token.text == "1" and after.text == "[" and after.start == token.end

    def _joined(self, left: Node, token: Token, binding: int) -> Node:
        """``left`` with the sign that follows it, and its right operand."""
        if binding == POSTFIX:
            return self._postfix(left)
        if binding == JUXT and token.text in self.swaps:
            return Node("unary", "K", (left,), left.start, self.take().end, token.start)
        if binding == JUXT:
            self._refuse_half_a_product(left, token)
            right = self.expression(JUXT)
            return Node("binary", "juxt", (left, right), left.start, right.end, right.start)
        self.take()
        if binding == POWER and self.matrix and self.now.text == "T" and token.text == "^" and "T" not in self.names:
            end = self.take().end
            return Node("unary", "T", (left,), left.start, end, token.start)
        right = self._exponent() if binding == POWER else self.expression(binding)
        product = right.children[0] if right.kind in BIG.values() else right
        if token.text in ("/", "./") and product.value in ("juxt", "·", "*") and not right.bracketed:
            raise self.problem(
                f"'{shortened(self.text[left.start : right.end])}' may be (a/b)c or a/(bc)", token, "Write brackets."
            )
        if binding == COMPARE and _is_comparison(left) and not left.bracketed:
            raise self.problem("comparisons in a chain", token, "Write (a < b) & (b < c).")
        is_power = left.kind == "binary" and left.value in _POWERS and not left.bracketed
        if binding == POWER and self.matrix and is_power:
            raise self.problem("a power of a power may be read in two ways", token, "Write brackets.")
        sign = "==" if token.text == "=" else token.text
        return Node("binary", sign, (left, right), left.start, right.end, token.start)

    def _exponent(self) -> Node:
        """What is behind the sign of a power: a minus there belongs to the exponent alone, x^-1 y."""
        self.depth += 1
        if not self.at("-", "+") or self.depth > _limits.TEXT_DEPTH:
            self.depth -= 1
            return self.expression(POWER - (not self.matrix))
        sign = self.take()
        operand = self._exponent()
        self.depth -= 1
        return Node("unary", sign.text, (operand,), sign.start, operand.end)

    def _refuse_half_a_product(self, left: Node, token: Token) -> None:
        """Refuse ``2^xy`` and ``√2x``, where it is not seen how much the exponent, or the root, takes."""
        last = left
        while last.value == "juxt" and not last.bracketed:
            last = last.children[1]
        if last.bracketed or last.end != token.start or token.kind not in ("name", "number"):
            return
        if last.kind == "binary" and last.value in _POWERS:
            inner, said = last.children[1], "(a^b)c or a^(bc)"
        elif last.kind == "unary" and last.value == "√":
            inner, said = last.children[0], "(√a)b or √(ab)"
        else:
            return
        if not inner.bracketed and inner.kind in ("name", "number"):
            source = shortened(self.text[last.start : token.end])
            raise self.problem(f"'{source}' may be {said}", token, "Write brackets.")

    def _operand(self) -> Node:
        """Read what may start an expression: a number, a name, a bracket, a sign before its operand."""
        token = self.take()
        if token.kind == "number":
            if self._is_indicator(token):
                return self._indicator(token)
            return Node("number", value_of(token, self.text), (), token.start, token.end)
        if token.kind == "name":
            return self._named(token)
        if token.kind == "string":
            return Node("string", token.text, (), token.start, token.end)
        if token.kind in BIG:  # as far as the next plus or minus
            body = self.expression(SUM)
            return Node(BIG[token.kind], tuple(token.text.split()), (body,), token.start, body.end)
        if token.kind == "open":
            return self._bracket(token)
        if token.kind == "op":
            if token.text in ("-", "+", "~", "√", "¬"):
                operand = self.expression(POSTFIX - 1 if token.text == "√" else PREFIX)
                sign = "~" if token.text == "¬" else token.text
                return Node("unary", sign, (operand,), token.start, operand.end)
            if token.text in BRACKETS:
                return self._bracket(token)
        self.i -= 1
        raise self.missing(token)

    # ------------------------------------------------------------------ brackets

    def _list(self, opening: Token) -> tuple[tuple[Node, ...], Token]:
        items, closing = self.listed(opening, lambda: self.expression(0))
        return tuple(items), closing

    def _bracket(self, opening: Token) -> Node:
        if opening.text == "[":
            return self._rows(opening)
        items, closing = self._list(opening)
        start, end = opening.start, closing.end
        if opening.text == "⟨":
            if len(items) != 2:
                raise self.problem("⟨ ⟩ takes two operands", opening, "Write ⟨A, B⟩.")
            return Node("call", ("⟨⟩", ()), items, start, end)
        if not items:
            raise self.problem("nothing between the brackets", opening)
        if opening.text == "(":
            if len(items) > 1 or self.tokens[self.i - 2].text == ",":
                return Node("tuple", None, items, start, end)
            inner = items[0]
            inner.bracketed, inner.start, inner.end = True, start, end
            return inner
        if len(items) > 1:
            raise self.problem("a comma between bars", opening)
        if self.now.kind == "sub":  # ‖x‖₁
            token = self.take()
            order = Node("number", float(token.text), (), token.start, token.end)
            return Node("call", (_CALLS[opening.text], ("ord",)), (*items, order), start, token.end)
        return Node("call", (_CALLS[opening.text], ()), items, start, end)

    def _rows(self, opening: Token) -> Node:
        """Read ``[1, 2]``, ``[[1, 2], [3, 4]]`` or ``[1, 2; 3, 4]``."""
        self.open.append(opening)
        rows: list[list[Node]] = [[]]
        while not self.at("]"):
            rows[-1].append(self.expression(0))
            if self.at(";"):
                rows.append([])
            elif not self.at(","):
                break
            self.take()
        end = self.close(opening).end
        if not all(rows):
            raise self.problem("an empty list", opening)
        lists = [Node("list", None, tuple(row), row[0].start, row[-1].end) for row in rows]
        return Node("list", None, tuple(lists) if len(rows) > 1 else tuple(rows[0]), opening.start, end)

    def _indicator(self, one: Token) -> Node:
        items, closing = self._list(self.take())
        if len(items) != 1:
            raise self.problem("an indicator has one condition", one, "Write 1[x > 0].")
        return Node("call", ("1[]", ()), items, one.start, closing.end)

    # ------------------------------------------------------------------ names and calls

    def _named(self, token: Token) -> Node:
        start = token.start
        while token.text in _MODULES and token.text not in self.names and self.at("."):
            self.take()
            if self.now.kind != "name":
                raise self.missing(self.now)
            token = self.take()
        name = token.text
        if name in ("True", "False", "None"):
            return Node("number", {"True": True, "False": False, "None": None}[name], (), start, token.end)
        if keyword.iskeyword(name):
            hint = "Write lam or λ." if name == "lambda" else "Choose another name."
            raise self.problem(f"'{name}' is a word of Python and cannot be a name", token, hint)
        if self.at("(") and name not in self.names:
            if self.is_function(name):
                return self._call(name, (), start)
            if not (self.matrix and len(name) == 1) or name == "Γ":
                raise self._unknown(token)
        return Node("name", name, (), start, token.end)

    def is_function(self, name: str) -> bool:
        return self.functions is None or name in self.functions

    def _unknown(self, token: Token) -> ParseError:
        close = close_to(token.text, self.functions or ())
        step = f"Did you mean {' or '.join(close)}?" if close else "symgrad.notation.functions() lists what is."
        if token.text == "Γ":
            step = "Write exp(logΓ(x))."
        elif len(token.text) == 1:
            step = f"Write {token.text}*(…) for a product."
        return self.problem(f"'{token.text}' is no function that is known here", token, step)

    def _call(self, name: str, first: tuple[Node, ...], start: int) -> Node:
        """Read the arguments of a call; ``first`` are those before the brackets, in ``x.sum()``."""
        keywords: list[str] = []

        def argument() -> Node:
            after = self.tokens[min(self.i + 1, len(self.tokens) - 1)]
            if self.now.kind == "name" and after.kind == "op" and after.text == "=" and name != "where":
                word = self.take()
                if word.text in keywords:
                    raise self.problem(f"the argument '{word.text}' is given twice", word)
                keywords.append(word.text)
                self.take()
            elif keywords:
                raise self.problem("a positional argument after a named one", self.now)
            return self.expression(0)

        rest, closing = self.listed(self.take(), argument)
        items = [*first, *rest]
        if name in _OF_LISTS and items and items[0].kind == "list":
            items[0] = Node("items", None, items[0].children, items[0].start, items[0].end)
        return Node("call", (name, tuple(keywords)), tuple(items), start, closing.end)

    # ------------------------------------------------------------------ what follows an operand

    def _postfix(self, left: Node) -> Node:
        token = self.take()
        if token.kind == "sup":
            if token.text in ("T", "-T") and left.kind == "number" and not left.bracketed:
                raise self.problem("a number has no transpose", token, "Write 𝟏ᵀx, or sum(x), for a sum.")
            if token.text in ("T", "-T"):
                return Node("unary", token.text, (left,), left.start, token.end, token.start)
            power = Node("number", int(token.text), (), token.start, token.end)
            return Node("binary", "sup", (left, power), left.start, token.end, token.start)
        if token.text == "'":
            return Node("unary", "T", (left,), left.start, token.end, token.start)
        if token.text == "[":
            return self.index(left, token)
        return self._attribute(left, token)

    def _attribute(self, left: Node, point: Token) -> Node:
        if self.now.kind != "name":
            raise self.problem("a point without a name after it", point, "Write x.T or x.sum(), or 0.5 for a number.")
        token = self.take()
        if token.text in ("T", "mT"):
            return Node("unary", "T", (left,), left.start, token.end, token.start)
        if token.text == "shape":
            return Node("method", "shape", (left,), left.start, token.end, token.start)
        if not self.at("(") or not self.is_function(token.text):
            close = close_to(token.text, self.functions or ())
            step = f"Did you mean {' or '.join(close)}?" if close else "Known are .T, .shape, functions as in x.sum()."
            if self.is_function(token.text):
                step = f"Write .{token.text}()."
            raise self.problem(f"'.{token.text}' is unknown here", token, step)
        return self._call(token.text, (left,), left.start)


def _is_comparison(node: Node) -> bool:
    return node.kind == "binary" and node.value in SIGNS and SIGNS[node.value].binds == COMPARE

"""Which bars open and which close: ``0.5|x| + |y|``, ``‖x‖‖y‖``, and ``(x > 0) | (y > 0)``, where ``|`` means or.

The idea to hold: a bar looks the same at either end, so a text is taken only if there is one way to pair its bars. What
stands beside a bar says what it may be; of the ways that remain, blanks choose (``|a| |b|``), and if they do not, the
text is refused: ``|a|b|c|`` is |a|·b·|c| as much as |a·|b|·c|.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from .. import _limits
from ._lexer import Token, enclosing, ends_operand, is_where, starts_operand
from ._problem import ParseError

BARS = frozenset({"|", "‖"})
_OPEN, _CLOSE = "(", ")"
_BREAKS = frozenset({",", ";", "="})
_TRUTHS = frozenset({"<", ">", "<=", ">=", "==", "!=", "=", "∧", "∨", "¬", "~", "&"})


class _Bar(NamedTuple):
    at: int  # its place among the tokens
    sign: str
    roles: str  # what its neighbours let it be
    spaced: str  # what the blanks around it say besides
    meets: bool  # whether the token before is a bar too


def with_roles(tokens: list[Token], text: str) -> list[Token]:
    """The tokens with every bar told apart: of kind 'open', 'close', or still 'op' where it means or.

    Raises
    ------
    ParseError : the bars may be paired in two ways
    """
    if not any(_is_bar(t) for t in tokens):
        return tokens
    within = enclosing(tokens)
    truths = {within[i] for i, token in enumerate(tokens) if token.kind == "op" and token.text in _TRUTHS}
    truths -= {within[i] for i, t in enumerate(tokens) if t.kind == "op" and t.text == ","}  # of where(c, a, b)
    truths = {i for i, t in enumerate(tokens) if t.text in ("(", ")") and (i if t.text == "(" else within[i]) in truths}
    segments: dict[tuple[int, int], list[int]] = {}  # by their bracket and how many parts of it are before
    parts: Counter[int] = Counter()
    for i, bracket in enumerate(within):
        parts[bracket] += _breaks(tokens, i)
        if _is_bar(tokens[i]):
            segments.setdefault((bracket, parts[bracket]), []).append(i)
    roles: dict[int, str] = {}
    for segment in segments.values():
        _decide(segment, tokens, text, truths, roles)
    kinds = {_OPEN: "open", _CLOSE: "close"}
    return [t._replace(kind=kinds.get(roles[i], "op")) if i in roles else t for i, t in enumerate(tokens)]


def _is_bar(token: Token) -> bool:
    return token.kind == "op" and token.text in BARS


def _breaks(tokens: list[Token], i: int) -> bool:
    """Whether a token separates parts of a text: bars do not reach beyond."""
    token = tokens[i]
    if token.kind == "name":
        return is_where(tokens, i) or (token.text == "and" and tokens[i + 1].text != "(")
    return token.kind == "op" and token.text in _BREAKS


def _decide(segment: list[int], tokens: list[Token], text: str, truths: set[int], roles: dict[int, str]) -> None:
    """Pair the bars of one part of the text."""
    bars: list[_Bar] = []
    for i in segment:
        if _means_or(tokens, i, text, truths):
            roles[i] = "or"
        else:
            bars.append(_bar(tokens, i, text))
    if not bars:
        return
    first, last = tokens[bars[0].at], tokens[bars[-1].at]

    def problem(what: str, next_step: str) -> ParseError:
        return ParseError(what, text, first.start, last.end, next_step)

    ways, found = _pairings(bars, [b.roles for b in bars])
    if ways > 1:
        ways, found = _pairings(bars, [b.spaced for b in bars])
        if ways != 1:
            step = "Write abs(x) and norm(x), or brackets between the factors."
            raise problem("the bars may be paired in two ways", step)
    if ways == 1:
        roles.update(zip((b.at for b in bars), found, strict=True))
        return
    if any(b.meets for b in bars):
        raise problem("these bars do not pair", "Write ‖x‖ or norm(x) for a norm, | for or.")
    for b in bars:  # the parser says what is missing
        roles[b.at] = b.roles[0] if b.roles else "or"


def _means_or(tokens: list[Token], i: int, text: str, truths: set[int]) -> bool:
    """Whether a bar stands between conditions, or apart from both its neighbours like a sign between operands."""
    token, before, after = tokens[i], tokens[i - 1], tokens[i + 1]
    if token.text != "|" or i == 0 or not ends_operand(before):
        return False
    between = (before.text == ")" and i - 1 in truths) or (after.text == "(" and i + 1 in truths)
    if between or (after.kind == "op" and after.text in "~¬"):
        return True
    apart = before.end < token.start and token.end < after.start
    return apart and _starts(after) and after.text not in ("-", "+")


def _bar(tokens: list[Token], i: int, text: str) -> _Bar:
    token, before, after = tokens[i], tokens[i - 1] if i else None, tokens[i + 1]
    meets = before is not None and _is_bar(before)
    opens = _starts(after) or _is_bar(after)
    closes = before is not None and (ends_operand(before) or meets)
    roles = _OPEN * opens + _CLOSE * closes
    blank_before = before is None or before.end < token.start
    blank_after = token.end < after.start or after.kind == "end"
    spaced = roles
    if blank_before != blank_after and len(roles) > 1:
        spaced = _OPEN if blank_before else _CLOSE
    return _Bar(i, token.text, roles, spaced, meets)


def _starts(token: Token) -> bool:
    return starts_operand(token) or (token.kind == "op" and token.text == "+")


def _pairings(bars: list[_Bar], allowed: list[str]) -> tuple[int, str]:
    """In how many ways the bars pair (2 for more than one), and the roles of one of them."""
    slack = _slack(allowed)
    states: dict[tuple[str, str], tuple[int, str]] = {("", ""): (1, "")}  # open bars, last role -> ways, roles
    for k, (bar, roles) in enumerate(zip(bars, allowed, strict=True)):
        following: dict[tuple[str, str], tuple[int, str]] = {}
        for (stack, last), (ways, said) in states.items():
            for role in roles:
                after = _after(stack, last if bar.meets else "", bar.sign, role)
                if after is None or len(after[0]) > slack[k + 1]:
                    continue
                before, _ = following.get(after, (0, ""))
                following[after] = (min(before + ways, 2), said + role)
        if len(following) > _limits.TEXT_BARS:
            return 2, ""
        states = following
    ends = [found for (stack, _), found in states.items() if not stack]
    return min(sum(ways for ways, _ in ends), 2), ends[0][1] if ends else ""


def _after(stack: str, last: str, sign: str, role: str) -> tuple[str, str] | None:
    """The open bars and the role after one more bar, ``last`` the role of one that it touches; None if it cannot be.

    A bar opened right behind an open one is a capital: ``||x||`` is not one absolute value inside another.
    """
    small, capital = ("a", "A") if sign == "|" else ("n", "N")
    if role == _OPEN:
        return stack + (capital if last == _OPEN and stack[-1].lower() == small else small), role
    if stack[-1:].lower() != small or last in (_OPEN, capital):
        return None
    return stack[:-1], capital if stack[-1] == capital else role


def _slack(allowed: list[str]) -> list[int]:
    """How many bars may be open before each place so that those behind it can still close them."""
    slack = [0]
    for roles in reversed(allowed):
        slack.append(max(0, slack[-1] + (1 if _CLOSE in roles else -1)))
    return slack[::-1]

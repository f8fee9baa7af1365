r"""Sums and products of LaTeX: over which letters, from where to where, in which sets and under which conditions.

The idea to hold: a sum over a set, ``\sum_{i \in S}``, or under a condition, ``\sum_{j : t_j \ge t_i}``, is the sum
over all of its letters of what is multiplied by 1 there and by 0 elsewhere. The name of a set stands for the array of
these numbers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from .. import _limits
from .._limits import bound
from .latex_scan import FONTS, INDICES, LETTERS, MATCHING, MEMBERSHIP, Scripts, parts_of, spelled
from .lexer import LETTER, RELATIONS, ParseError, SumRange, Token, end_of_bracket, implied_index, tokens_at

_LAST = re.compile(r"([^\W\d]\w*)(?: ([+-]) ([0-9]+))?|([0-9]+)")
_UP_TO = re.compile(r"\{ 1 , (?:\\?[lc]?dots|…) , ([A-Za-z]|[0-9]+) \}|\[ (?:1 , (?:\\?[lc]?dots|…) , )?([A-Za-z]) \]")
"""``\\{1, \\dots, n\\}`` and ``[n]``."""
_SUCH_THAT = frozenset({":", "mid", "colon"})
_MEMBERSHIP = frozenset(MEMBERSHIP.values())
_PAIR = ("<", ">", "!=")
COUNTED = ("k97", "k98", "k99")
"""Letters that run over a set whose members are counted, and that nobody has."""
_OF_PRODUCTS = r"Write the sum of the logarithms, or 1[…] as an exponent."
_OF_SETS = r"Write \sum_{(i,j) \in E} for a set of pairs, \sum_{i \in S, j \in S} for one of letters."


def range_of(letter: str, first: str, last: str) -> SumRange | None:
    """From which number a sum runs, and how many steps it has: from 1 to n, from 0 to n − 1, from 2 to 5."""
    found = _LAST.fullmatch(last)
    if not first.isdigit() or found is None or max(len(first), len(last)) > _limits.TEXT_INDEX:
        return None
    more = int(found[4] or found[3] or 0) * (-1 if found[2] == "-" else 1)
    return SumRange(letter, int(first), found[1] or "", more + 1 - int(first))


class _Set(NamedTuple):
    """``R(t) = \\{j : t_j \\ge t\\}``: the letter that it hangs on, that of its members, and its condition."""

    argument: str
    letter: str
    condition: list[Token]


_MEMBERS = re.compile(
    r"(?P<name>\\?[A-Za-z]+|\\math[a-z]+ ?\{?[A-Z]\}?) ?(?:\( ?(?P<of>[a-z]) ?\)|_ ?\{?(?P<below>[a-z])\}?)? ?= ?"
    r"\\?\{ ?(?P<letter>[a-z]) ?(?::|\\mid(?![a-z])|\|)"
    r"(?P<condition>(?:[^{}\\]|\\[A-Za-z]++|\\[,;: ]|\{[^{}]*\})++)\\?\}"
)
_BEFORE = re.compile(r"(?:[,;.\s]|\\q?quad(?![a-z])|\\text *\{[^{}]*\}|\\[,;:! ]|\bwhere\b|\bwith\b|\band\b)*\Z")
_BEHIND = re.compile(r"(?:[,;\s]|\band\b)*")
_NEAR = bound(40)
"""Characters before the definition of a set in which the words that lead to it stand."""


def without_sets(text: str) -> tuple[str, dict[str, _Set]]:
    """A text of as many characters without the definitions of sets in it, and these by their names."""
    found, start = dict[str, _Set](), 0
    while said := _MEMBERS.search(text, start):
        start = said.end()
        name = re.sub(r"\\math[a-z]+|[\\{} ]", "", said["name"])
        if not re.search(rf"(?:\\in|\\notin|[∈∉]| in) ?(?:\\math[a-z]+)?[\\{{ ]*{name}(?![A-Za-z])", text):
            continue
        begin, end = said.span()
        if text[end:].strip(" .$"):
            end += len(_BEHIND.match(text, end)[0])  # type: ignore[index]
        else:
            begin -= len(_BEFORE.search(text[max(begin - _NEAR, 0) : begin])[0])  # type: ignore[index]
        first = said.start("condition")
        condition = parts_of(" " * first + text[first : said.end("condition")])[:-1]
        found[LETTERS.get(name, name)] = _Set(said["of"] or said["below"] or "", said["letter"], condition)
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text, found


class _Below(NamedTuple):
    """What stands below a sum: its letters, where they begin if that is said, and the last ones' name; the conditions,
    as tokens of numbers that are 1 where they hold."""

    letters: list[str]
    first: str
    size: str
    masks: list[list[Token]]


class Sums(Scripts):
    """The part of the reader that reads sums and products over letters."""

    out: list[Token]
    ranges: dict[int, SumRange]
    active: list[str]
    used: list[str]
    i: int
    defined: dict[str, _Set]  # sets by their names
    members: dict[str, int]  # of the sets that sums run over, how many letters a member has
    partial: set[str]  # sets that do not have all
    of_sets: set[str]  # letters of members

    def refuse_members(self) -> None:
        r"""Refuse ``\sum_{x \in S} x``, in which a member is no index."""
        depth = 0
        for token in self.out:
            depth += token.is_sign("[") - token.is_sign("]")
            if not depth and token.kind == "name" and token.text in self.of_sets:
                what = f"'{token.text}' runs over a set, and stands for a member itself"
                raise self.problem(what, token, rf"Write \sum_i {token.text}_i, or \sum_{{i \in S}} {token.text}_i.")

    def big(self, token: Token) -> bool:
        r"""Read ``\sum_{i}``, ``\sum_{i,j}``, ``\sum_{i=1}^{n}``, ``\sum_{i<j}``, ``\sum_{i \in S}``; what is summed
        follows."""
        below, above, _ = self.scripts()
        last = self.last
        implied = implied_index(self.text, token.start) if below is above is None else ""
        said = _Below([implied], "", "", []) if implied else self._said_below(token, below or [], spelled(above or []))
        letters = said.letters
        if not letters:
            raise self._refused(token, last, "does not name the letters it runs over")
        if said.masks and token.text == "prod":
            raise self._refused(token, last, "a product under a condition is not read", _OF_PRODUCTS)
        if len(set(letters)) < len(letters):
            raise self._refused(token, last, "a sum names the letters it runs over, each once")
        sums = [" ".join(letters)]
        if said.first or said.size or above is not None:
            found = range_of(letters[0], said.first or "1", said.size or spelled(above or []))
            if found is not None and found.size in ("infty", "inf", "∞"):
                raise self._refused(token, last, "a sum without an end")
            if found is None or found.size in self.bound:
                how = "ends at the letter of another sum" if found else "does not run from a number to a size"
                raise self._refused(token, last, how)
            sums = letters  # \sum_{i,j=1}^n is a sum in a sum
            self.ranges |= {token.start + k: found._replace(letter=letter) for k, letter in enumerate(sums)}
        for k, letter in enumerate(sums):
            self.emit(token.text, letter, token.start + k, last.end)
        for mask in said.masks:
            self.out += [*mask, Token("op", "·", last.end, last.end)]
        self.active += letters
        return True

    def _refused(self, token: Token, last: Token, what: str, step: str = "") -> ParseError:
        sign = "\\" + token.text
        if "⟨" in (below := self.text[token.end : last.end]) or "langle" in below:
            step = r"Write \sum_{(i,j) \in E}, E being 1 for neighbours and 0 for others."
        what = what if what.startswith("a ") else f"'{self.source(token, last)}' {what}"
        return self.problem(what, token, step or f"Write {sign}_{{i}} x_i or {sign}_{{i=1}}^{{n}} x_i.", last)

    # ------------------------------------------------------------------ what stands below

    def _said_below(self, token: Token, below: list[Token], above: str) -> _Below:
        last = self.last
        letters, masks = list[str](), list[list[Token]]()
        first, size, conditions = "", "", list[list[Token]]()
        for item in _parted(below):
            said = [t for t in item if t.kind != "group"]
            if not said or said[-1].text in ("=", *_MEMBERSHIP):
                raise self._refused(token, last, "ends before its condition does")
            at = _first(said, "=", *_MEMBERSHIP)
            named = _letters_of(said[:at] if at else said)
            new = {*named}.isdisjoint([*letters, *self.active]) and bool(named)
            pair = conditions_in(said, above, self.active, letters)
            if not at and named:
                letters += named
            elif at and said[at].text == "=" and new and not first:
                letters, first = letters + named, spelled(said[at + 1 :])
            elif at and said[at].text in _MEMBERSHIP and named:
                within = spelled(said[at + 1 :])
                found = _UP_TO.fullmatch(within)
                owner = within.removeprefix("mathcal ")
                whole = found or (owner == named[0].upper() and owner not in self.partial)  # x \in X, all of them
                if letters and not (whole or first or masks or conditions):
                    raise self._refused(token, last, "may say what pairs a set has, and what letters", _OF_SETS)
                letters += [x for x in named if x not in letters and (len(named) == 1 or x not in self.active)]
                size = (found[1] or found[2]) if found else size
                self.of_sets |= set() if whole else {*named}
                conditions += [] if whole else [[*said[: at + 1], *item[item.index(said[at]) + 1 :]]]
            elif pair is not None:
                letters, size = letters + pair.over, pair.size or size
                masks.append(_mask_of_pair(pair, last.end))
            else:
                conditions.append(item)
        outer, self.active = self.active, self.active + letters
        masks += [self._condition(token, item, last) for item in conditions]
        self.active = outer
        self.used += letters if masks else []
        return _Below(letters, first, size, masks)

    def _condition(self, token: Token, item: list[Token], last: Token) -> list[Token]:
        """The number that is 1 where a condition holds: ``S[i]`` for ``i \\in S``, else ``1[…]``."""
        at, end = _first(item, *_MEMBERSHIP), last.end
        if at:
            owner, *inner = self.translated(item[at + 1 :], token) or [last]
            places = _letters_of(item[:at])
            known = {*self.active, *self.bound, *INDICES} - {*places}
            within = [t.text for t in inner if t.kind == "name" and t.text in known]
            bracket = not inner or (inner[0].text in ("(", "[") and end_of_bracket(inner, 0) == len(inner) - 1)
            if owner.kind != "name" or not bracket or len(within) != bool(inner) or not places:
                raise self._refused(token, last, "names no set")
            if (told := self.defined.get(owner.text)) and len(places) == 1:
                parts = [*_parted(self._of_members(token, told, places[0], item[at + 1 :]))]
                masks = [self._condition(token, part, last) for part in parts]
                together = [t for mask in masks for t in (Token("op", "·", end, end), *mask)][1:]
                return _told(together, item[at], end)
            self.sets[owner.text] = len(within + places)
            listed = tokens_at(end, f"[{', '.join(within + places)}]")
            return _told([owner._replace(start=end, end=end), *listed], item[at], end)
        if not any(t.is_sign(*RELATIONS, "=") for t in item):
            raise self._refused(token, last, "does not name the letters it runs over")
        inner = [t._replace(text="==") if t.text == "=" else t for t in self.translated(item, token)]
        return [*tokens_at(end, "1["), *inner, *tokens_at(end, "]")]

    def _of_members(self, sign: Token, told: _Set, place: str, argument: list[Token]) -> list[Token]:
        """The condition of a set for the member ``place``, and for what the set is called with."""
        said = [t for t in argument if t.kind != "group"]
        opens = _first(said, "(", "_") or len(said)
        argument = said[opens + 1 : len(said) - (said[-1].text == ")")]
        out, names = list[Token](), {t.text for t in told.condition if t.kind == "name"}
        if place != told.letter and place in names - {told.argument}:
            raise self._refused(sign, self.last, f"runs over {place}, which stands in the condition of the set, too")
        for token, after in itertools.zip_longest(told.condition, told.condition[1:]):
            own = token.kind == "name" and token.text == told.argument
            if own and not (after is not None and after.kind == "script"):
                out += argument
            else:
                out.append(token._replace(text=place) if token.text == told.letter else token)
        return out

    # ------------------------------------------------------------------ how many a set has

    def size_of_set(self, bar: Token) -> bool:
        r"""Read ``|S|`` and ``|C_k|`` of sets that sums run over: how many indices are in them."""
        closes = _first(self.raw[self.i : self.i + 12], "|")
        item = self.raw[self.i : self.i + closes]
        name, said = _named_in(item)
        arity = self.members.get(name, 0)
        if not arity or item[0].text not in (said, *FONTS):
            return False
        self.i += closes + 1
        letters, end = [*COUNTED[:arity]], self.last.end
        pair = tokens_at(end, f"({' '.join(letters)})")
        outer, self.active = self.active, self.active + letters
        mask = self._condition(bar, [*pair, Token("command", "in", end, end), *item], self.last)
        self.active = outer
        self.wrap([Token("sum", " ".join(letters), bar.start, end), *mask], bar.start, end)
        return self.with_scripts(len(self.out) - len(mask) - 3, "bracket")


def sets_in(raw: list[Token]) -> tuple[dict[str, int], set[str]]:
    r"""The sets that sums run over, with the letters of a member, and those of them that do not have all:
    of which something is left out or counted, ``\notin S``, ``|S|``."""
    found, partial = dict[str, int](), set[str]()
    for k, sign in enumerate(raw[:-1]):
        if sign.kind not in ("command", "name") or sign.text not in _MEMBERSHIP or not k:
            continue
        name, _ = _named_in(raw[k + 1 : k + 4])
        if not name:
            continue
        opens = next((i for i in reversed(range(k)) if raw[i].text == "("), k)
        found[name] = len(_letters_of(raw[opens:k])) if raw[k - 1].text == ")" else 1
        partial |= {name} if sign.text == "notin" or raw[k - 1].text == "not" else set()
    bars = [k for k, t in enumerate(raw) if t.text == "|"]
    for one, two in itertools.pairwise(bars):
        partial |= {LETTERS.get(t.text, t.text) for t in raw[one + 1 : two]} & found.keys()
    return found, partial


def _first(tokens: list[Token], *signs: str) -> int:
    """Where the first of some signs stands behind the first token; 0 if none does."""
    return next((k for k, t in enumerate(tokens) if t.text in signs), 0)


def _named_in(tokens: list[Token]) -> tuple[str, str]:
    r"""The name of the set that some tokens begin with, in whatever font, and how it is said, ``\Omega``."""
    said = next((t.text for t in tokens if t.kind in ("name", "command") and t.text not in FONTS), "")
    return LETTERS.get(said, said), said


def _told(member: list[Token], sign: Token, end: int) -> list[Token]:
    """The number that is 1 for a member, or for ``\\notin`` 0."""
    if sign.text == "in":
        return member
    return [*tokens_at(end, "(1 -"), *member, *tokens_at(end, ")")]


def _parted(below: list[Token]) -> Iterator[list[Token]]:
    r"""The parts of what stands below, between commas, lines of a ``\substack``, and behind ``:`` or a bar."""
    if below and below[0].text == "substack":
        below = below[2:-1]
    bars = [t.text for t in below].count("|") % 2  # of which one is no absolute value
    depth, item, ends = 0, list[Token](), False
    for token in below:
        such = item and (token.text in _SUCH_THAT or (token.text == "|" and bars))
        ends = bool(token.kind == "row" or token.is_sign(",") or such)
        bars -= token.text == "|" and bars
        depth += (token.text in MATCHING) - (token.text in MATCHING.values())
        if ends and not depth:
            yield item
            item = []
        elif token.text == "in" and item and item[-1].text == "not":
            item[-1] = token._replace(text="notin")
        else:
            item.append(token)
    if item or ends:
        yield item


def _letters_of(said: list[Token]) -> list[str]:
    """The letters that some signs name, ``i``, ``ij``, ``(i, j)``; none if they say something else."""
    if len(said) > 2 and said[0].text == "(" and said[-1].text == ")":
        said = said[1:-1]
    names = [t for t in said if t.text != ","]
    letters = [x for t in names for x in LETTER.findall(t.text)]
    plain = all(t.kind == "name" for t in names) and "".join(letters) == "".join(t.text for t in names)
    return letters if plain else []


class _Pair(NamedTuple):
    """``i < j``: two letters, the sign between them, over which a sum runs, and up to where if that is said."""

    one: str
    sign: str
    two: str
    over: list[str]
    size: str


def conditions_in(said: list[Token], size: str, active: Collection[str], letters: Collection[str]) -> _Pair | None:
    r"""The letters of ``i < j``, ``1 \le i < j \le n``, ``j \neq i`` and the sign between them, over which of them a
    sum runs, and to where if that is said: over those that no sum outside runs over, and over the first alone where it
    stands against the alphabet. None where something else is said."""
    texts = [t.text for t in said]
    between = len(texts) == 7 and texts[::5] == ["1", "<="] and texts[1] == "<="
    if between:
        texts, size = texts[2:5], texts[6]
    one, sign, two = texts if len(texts) == 3 else ("", "", "")
    if sign not in _PAIR or one == two or not all(LETTER.fullmatch(x) for x in (one, two)):
        return None
    over = [x for x in (one, two) if x not in active][: 1 if one > two and not between else 2]
    return _Pair(one, sign, two, [] if letters else over, "" if letters else size)


def _mask_of_pair(pair: _Pair, end: int) -> list[Token]:
    one, sign, two = pair[:3]
    return tokens_at(end, f"(1 - δ[{one}, {two}])" if sign == "!=" else f"1[{one} {sign} {two}]")

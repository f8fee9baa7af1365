"""What a text says before and behind its formula: what it calls it, what its letters are, and what it defines."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .._limits import bound
from .._tensor import symbol
from ..syntax import (
    LARGE_SIGNS,
    RELATIONS,
    SPELLED_LETTERS,
    ParseError,
    SumRange,
    Token,
    enclosing,
    end_of_bracket,
    end_of_letters,
    is_latex,
    is_negation,
    is_where,
    outside_brackets,
    tokens_of,
)
from ._known_functions import known
from ._letters import MEANT, with_functions_apart
from ._text_calls import applied_in_two_ways, ends_argument, is_function, parted
from ._words import COUNTS, arguments_of, is_greek_word, letters_of, with_coefficients

# -------------------------------------------------------------------------------------------------------------------
# The parts of a text: the formula, the definitions after 'where', and what is said of a symbol in words

# The idea to hold: a definition is a name, perhaps with letters of indices, before ``=`` outside all brackets.


_STOPS = frozenset({",", ";"})
_PARTING = _STOPS | {"and"}
"""What stands between two definitions."""
_SAID = ["exchanges", "the", "last", "two", "axes"]


class Clause(NamedTuple):
    """The tokens of a right-hand side, the letters on its left, i and j in ``S[i,j] = …``, and what stands there."""

    tokens: list[Token]
    letters: tuple[str, ...]
    left: tuple[Token, ...] = ()


def clauses_of(tokens: list[Token], text: str) -> tuple[dict[str, Clause], set[str]]:
    """The definitions by name, the formula itself as ''; and the symbols that exchange two axes."""
    tokens, swaps = _without_remarks(tokens)
    tokens = _with_bare_heads(tokens)
    end = len(tokens) - 1
    where, starts = _places(tokens)
    begin, letters = 0, tuple[str, ...]()
    if 0 in starts and where > 1 and tokens[1].text == "[":  # f[i,j] = …
        begin = starts.pop(0)
        letters = _letters(tokens[:begin])
    starts = _with_products({s: e for s, e in starts.items() if s > where}, tokens, where)
    if where < end and where + 1 not in starts and not (swaps and where + 1 == end):
        step = "Write where r = X@w - y; the function is where(condition, a, b)."
        raise ParseError.at("after 'where' a definition follows", text, tokens[where], step)
    formula = tokens[begin:where]
    formula = formula[: len(formula) - (where < end and bool(formula) and formula[-1].text in _STOPS)]
    parts = {"": Clause(_ended(formula, tokens[end]), letters)}
    for (start, begin), stop in zip(starts.items(), [*starts, end][1:], strict=bool(starts)):
        part = tokens[begin:stop]
        while part and (part[-1].text in {*_PARTING, "where", "with"}):
            part = part[:-1]
        left = tuple(tokens[start : begin - 1])
        if _is_square(left):  # σ² = …, of what is not negative
            part = [Token("op", "√", part[0].start, part[0].start), *_in_brackets(part)] if part else part
            left = left[:1]
        product = len(left) > 1 and left[1].text != "["
        name = "".join([t.text for t in left]) if product else tokens[start].text
        if name in parts or not part:
            what = "is defined twice" if name in parts else "is defined as nothing"
            raise ParseError.at(f"'{name}' {what}", text, tokens[start])
        below = () if product else _letters(tokens[start:begin])
        parts[name] = Clause(_ended(part, tokens[end]), below, left)
    return parts, swaps


def _with_products(starts: dict[int, int], tokens: list[Token], where: int) -> dict[int, int]:
    """The definitions with the first at its beginning, where that is a product: ``A X = UΣVᵀ``."""
    first = min(starts, default=where + 1)
    product = all(t.kind in ("name", "sup") for t in tokens[where + 1 : first])
    return {where + 1 if s == first and product else s: e for s, e in starts.items()}


class Decomposition(NamedTuple):
    """``X = UΣVᵀ`` behind 'where', which says what U, Σ and V are: the names, and the place of what is decomposed."""

    left: tuple[Token, ...]
    first: str
    middle: str
    last: str
    is_diag: bool  # whether the middle one stands as diag(s), the vector of singular values


def decompositions(parts: dict[str, Clause], declared: Collection[str], text: str) -> dict[str, Decomposition]:
    """The definitions of what occurs nowhere else by three names of which nothing else is said, ``X = UΣVᵀ``,
    ``S = U diag(λ) Uᵀ``: there it is the names that are defined. They are taken out of the parts.

    Raises
    ------
    ParseError : a product is defined otherwise
    """
    found, known = dict[str, Decomposition](), {*declared, *parts}
    counted = Counter(t.text for part in parts.values() for t in part.tokens if t.kind == "name")
    used = {x for text in counted for x in (text, *letters_of(text))}
    for name in [*parts][1:]:
        tokens = parts[name].tokens[:-1]
        turned = 1 < len(tokens) < _LONGEST and tokens[-1].text in ("T", "'")
        inner = tokens[: -1 - (tokens[-2].text == "^")] if turned else []
        factors = [t for t in inner if t.text not in ("*", "(", ")", "·")]
        letters = [x for t in factors if t.text != "diag" for x in letters_of(t.text)]
        plain = all(t.kind == "name" for t in factors) and len(letters) == 3 and known.isdisjoint(letters)
        plain = plain and name not in used and letters[1] not in (letters[0], letters[2])
        if plain and _are_used(letters, factors, counted):
            first, middle, last = letters
            is_diag = any(t.text == "diag" for t in factors)
            found[name] = Decomposition(parts[name].left, first, middle, last, is_diag)
        elif len(parts[name].left) > 1 and not parts[name].letters:
            step = "Write where r = X@w - y; the function is where(condition, a, b)."
            raise ParseError.at(f"'{name}' is no name that can be defined", text, parts[name].left[0], step)
    for name in found:
        del parts[name]
    return found


_LONGEST = bound(12)
"""The right-hand side of a decomposition has fewer tokens: ``U * diag(s) * V^T`` of LaTeX has ten."""


def _are_used(letters: list[str], factors: list[Token], counted: Counter[str]) -> bool:
    """Whether a name of a decomposition stands elsewhere, too."""
    own = Counter(t.text for t in factors)
    others = [text for text, n in counted.items() if n > own[text]]
    return not {x for text in others for x in (text, *letters_of(text))}.isdisjoint(letters)


def _ended(part: list[Token], end: Token) -> list[Token]:
    at = part[-1].end if part else end.start
    return [*part, Token("end", "", at, at)]


def _places(tokens: list[Token]) -> tuple[int, dict[int, int]]:
    """Where 'where' is (or the end), and of every definition where it begins and where its right-hand side does."""
    starts: dict[int, int] = {}
    last = where = len(tokens) - 1
    for i, bracket in enumerate(enclosing(tokens)[:-1]):
        if is_where(tokens, i) and where == last:
            where = i
        elif bracket < 0 and tokens[i].kind == "name":
            after = i + 1
            if tokens[after].text == "[" and (closing := end_of_letters(tokens, after)):
                after = closing + 1
            first = i == where + 1 or tokens[i - 1].text in _PARTING
            after += len(_square_at(tokens, after)) if first else 0  # not the last of x² + y² = 1
            if tokens[after].is_sign("="):
                starts[i] = after + 1
    commas = [s - 1 for s in starts if s > 1 and tokens[s - 1].text in _STOPS]
    return min([where, *commas]), starts  # Σ pᵢ, pᵢ = …


def _square_at(tokens: Sequence[Token], i: int) -> Sequence[Token]:
    """The exponent 2 that begins there, if any."""
    end = i + 1 + (tokens[i].text == "^")
    return tokens[i:end] if tokens[i].text in ("^", "2") and tokens[end - 1].text == "2" else ()


def _is_square(left: Sequence[Token]) -> bool:
    return len(left) > 1 and len(_square_at([*left, left[0]], 1)) == len(left) - 1


def _with_bare_heads(tokens: list[Token]) -> list[Token]:
    """The tokens with ``K[i,j] =`` for ``(K)[i,j] =``, as entries of a matrix are defined."""
    out: list[Token] = []
    for token in tokens:
        start = next((k for k in range(len(out) - 1, 2, -1) if out[k].text == "["), 0) if token.is_sign("=") else 0
        opening, name, closing = out[start - 3 : start] if start and out[-1].text == "]" else (token,) * 3
        if (opening.text, name.kind, closing.text) == ("(", "name", ")"):
            out[start - 3 : start] = [name]
        out.append(token)
    return out


def _letters(left: list[Token]) -> tuple[str, ...]:
    return tuple(t.text for t in left[1:] if t.kind == "name")


def _without_remarks(tokens: list[Token]) -> tuple[list[Token], set[str]]:
    """The tokens without 'K exchanges the last two axes', and what does so."""
    out: list[Token] = []
    swaps: set[str] = set()
    skip = 0
    for i, token in enumerate(tokens):
        if token.kind == "name" and [t.text for t in tokens[i + 1 : i + 6]] == _SAID:
            swaps.add(token.text)
            skip = 6
        if not skip:
            out.append(token)
        skip = max(0, skip - 1)
    return out, swaps


# -------------------------------------------- What a text calls its formula: ``L(w) =``


_FONTS = r"math(?:rm|cal|bf|it|sf|scr)|boldsymbol|bm|text|operatorname|hat|bar|tilde|d?dot|vec"
_ORDER = r"\s*(?:\^\s*\{?[2-9]\}?|[²³])"
_UNWRAPPED = (
    (re.compile(r"\\(?:left|right|[Bb]igg?[lr]?|[,;:!]|quad)(?![A-Za-z])|&"), ""),
    (re.compile(rf"\\(?:{_FONTS})\s*(?=\{{)"), ""),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(rf"(?<=[d∂]){_ORDER}|(?<=/)(\s*(?:d|∂|\\partial)\s*\\?\w+){_ORDER}"), r"\1"),
    (re.compile(r"_\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w+|\\[A-Za-z]+)|\^\s*\{?(?:\*|\([a-z0-9]\))\}?"), ""),
    (re.compile(r"\\(?:mid|parallel|[Vv]ert|\|)(?![A-Za-z])|[∣‖∥]"), "|"),
    (re.compile(r"\\Delta *(?=[A-Za-z])"), "Δ"),
    (re.compile(r"\\(?:partial|nabla|([a-zA-Z]+))"), lambda found: found[1] or "∂"),
    (re.compile(r"\{(\w*)\}"), r"\1"),
    (re.compile(r"(?<=[(,])\s*\[(\w+)\]\s*(?=[),])"), r"\1"),  # of a concentration
    (re.compile(r"([,;|(]\s*\w+?)(?:²|\^\s*2)(?=\s*[,;|)])"), r"\1"),
    (re.compile(r"\s*([/|,;:()\[\]])\s*"), r"\1"),
    (re.compile(r"(?<=[(|,;])(\w+)\(\w*\)"), r"\1"),
)
"""What the form of a head does not hang on: fonts, sizes, what stands below a name, the order of a derivative, of what
the functions in its brackets are: ``KL(q(z) ‖ p(z))``."""
_NAME = r"[^\W\d_][\w⁺*\u0300-\u036f]*['′]*"
_HEAD = re.compile(
    rf"[-−]?(?:(?:log(?:₁₀|₂)?|ln|(?P<angle>cos|sin|tan))\s*)?(?:[∂∇]\s*)?(?P<name>{_NAME})(?P<args>[(\[{{](?!.*(?<![\w=])[0-9])[^()\[\]{{}}+\-−*/<>^²]*[)\]}}])?['′]*"
    r"|[d∂]\s*\w*/[d∂]\s*\w+"
)
_IN_SIGNS = re.compile(r"(?:\||⟨|langle )([^|⟨⟩=]+)(?:\||⟩|rangle)(?P<squared>²|\^2)?")
"""``|H(ω)| =``, ``⟨E⟩ =``."""
_SIGN_OF_EQUALITY = re.compile(r"(?<![<>=!])=(?!=)|≔|≜")


_TITLE = re.compile(
    r"\s*(?!(?:lambda|if|else|for|while|def)\b)(?=[^:=]{0,200}[A-Za-z]{3})"
    r"[^\W_][\w’'\-]*(?:,? \(?[\w’'\-]+\)?){0,30}\s*:(?=\s+\S)"
)
_LED_IN = re.compile(r"\s*((?:[A-Za-z][a-z’'\-]*,? +){1,20})(?=[^\W\d_]\w*(?:\([^()=]*\))?\s*=(?!=))")
_TASK = re.compile(r"\s*[Mm](?:in|ax)imi[sz]e +(?![\w(]*\s*=|[*/^+)-])(?=\S)")
_LEADING = frozenset({"let", "define", "consider", "suppose", "minimize", "minimise", "maximize", "maximise", "take"})


def title_of(text: str) -> int:
    """Where a text begins behind words that lead to its formula, ``Hill equation: Y = …``, ``The rate is v = …``."""
    title = _TITLE.match(text) or _TASK.match(text)
    begin = title.end() if title else 0
    led = _LED_IN.match(text, begin)
    words = re.findall(r"[a-z’'\-]+", led[1].lower()) if led else []
    if led is None or not (words[0] in _LEADING or (len(words) > 1 and max(map(len, words)) > 3)):
        return begin
    short = any(len(w) == 1 and w != "a" for w in words)
    return begin if short or any(is_greek_word(w) or w in known(True) for w in words) else led.end()


def _outside_brackets(text: str, sign: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Where a sign stands in no bracket of a text."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and (found := sign.match(text, k)) is not None:
            yield found


def head_of(text: str) -> int:
    """Where the formula begins behind what its text says it is: ``f(x) =``, ``ln p(x | θ) =``, ``KL(q ‖ p) =``,
    ``dS/dt =``; not ``f[i] = …``, whose letters are axes, nor ``Ax = b``, an equation."""
    sign = next(_outside_brackets(text, _SIGN_OF_EQUALITY), None)
    if sign is None:
        return 0
    head = text[: sign.start()].strip().strip("$").removesuffix(":" if is_latex(text) else "")  # := is Python's
    for pattern, by in _UNWRAPPED:
        head = pattern.sub(by, head)
    in_signs = _IN_SIGNS.fullmatch(head.strip())
    of_function = in_signs and (not in_signs["squared"] or ")|" in text)  # |H(ω)|² = …, and not |x|² = 1
    head = in_signs[1] if in_signs and of_function else head
    found = None if re.match(r"\s*[Σ∑Π∏]\s*_", text) else _HEAD.fullmatch(head.strip())
    if found is None or not text[sign.end() :].strip(" $") or re.fullmatch(r"\w+\[[a-z](?:,[a-z])*\]", head):
        return 0 if head else sign.end()  # as a cell of a table is typed
    name, below = found["name"] or "", re.findall(r"_\s*\{?([a-z]{2,3})\}?\s*$", text[: sign.start()].strip())
    equation: Any = re.fullmatch(r"[A-Z][b-dp-z]|(?:sum|prod|min|max|arg|lim|sup|inf)\w*", name)  # A x = b
    of_own = re.findall(r"[^\W\d_]+", text[sign.end() :])  # softmax(x) = exp(x)/sum(exp(x)), and not det(A) = 1
    own = arguments_of(head) <= {c for word in of_own for c in (word, *word)} and name not in of_own
    equation = equation or (found["args"] and name in known(True) and name not in MEANT and not own)  # det(A) = 1
    equation = equation or (name[-1:] == "²" and re.search(rf"(?<!\w){name[:-1]}(?!\w)", text[sign.end() :]))  # P² = P
    equation = equation or (head.lstrip()[:1] in "-−" and not (found["args"] or "lo" in head or "ln" in head))  # −x = y
    equation = equation or (found["angle"] and re.search(rf"(?<!\w){name}(?!\w)", text[sign.end() :]))  # cos x = x
    turned = below and below[0] != "".join(sorted(below[0])) and set(below[0]) <= set("ijklmn")  # A_{ji} = …
    if equation or turned:
        return 0
    again = _HEAD_AGAIN.match(text, sign.end())  # dN/dt = f(N) = …
    return again.end() if again and again[1] not in known(True) else sign.end()


_EQUALITY = re.compile("(?<![<>=!:])==?(?!=)")
_OF_A_FUNCTION = re.compile(r"\\?([A-Za-z]+) *(?:\^ *\w+ *)?[({\\]|[|√]")


def sides_of(text: str) -> list[str]:
    """Both sides of an equation that says of no name what it is, ``x^2 - 1 = (x-1)(x+1)``, ``tan(x) = sin(x)/cos(x)``;
    nothing of another text."""
    inner = text.strip().strip("$")
    signs = [*_outside_brackets(inner, _EQUALITY)]
    called = _OF_A_FUNCTION.match(inner)
    equation = not head_of(text) or (called and (called[1] is None or called[1] in known(True)))
    sides = [inner[: signs[0].start()], inner[signs[0].end() :]] if len(signs) == 1 and equation else []
    return [side.replace("&", "").strip() for side in sides]


_HEAD_AGAIN = re.compile(r"\s*([^\W\d_])\s*\(\s*[^\W\d_]\w*\s*\)\s*=(?!=)")


# ------------------------------------- Functions that a text defines, ``where s(u, v) = uᵀv/‖u‖``, are written out


def with_own_functions(
    tokens: list[Token], text: str, declared: Collection[str], ranges: dict[int, SumRange], latex: bool
) -> list[Token]:
    """The tokens with what is defined behind 'where', or behind a comma, as a function in the place of its calls.

    Raises
    ------
    ParseError : it is called with another number of arguments, or stands without them; an argument cannot be told from
        a part of a name in its definition
    """
    defined = set[str]()
    while found := last_of_own(tokens):
        k, closes, end = found
        name, names, begin = tokens[k], [t.text for t in tokens[k + 2 : closes : 2]], k - 1
        body = with_else([*tokens[closes + 2 : end], tokens[-1]])
        if not latex:  # whose letters are apart
            head = f"({','.join(names)})"
            body = with_coefficients(with_functions_apart(body, text, declared, head), text, {*declared}, head)
        said = {r.size for at, r in ranges.items() if name.start < at < tokens[end].start}
        _refuse_lost(body, names, {*said, *declared}, said, text)
        begin -= tokens[begin - 1].text in _STOPS  # , where
        rest = [*tokens[:begin], tokens[end]] if tokens[end].kind == "end" else [*tokens[:k], *tokens[end + 1 :]]
        if not any(t.text == name.text for t in rest):
            step = "Leave its definition out, or write the name as it is defined."
            raise ParseError.at(f"'{name.text}' is defined but does not occur", text, name, step)
        defined_by = by_arguments(rest, names)
        if lost := next((t for t in body if t.kind == "name" and t.text in defined_by), None):
            what = f"'{lost.text}' is defined by an argument of '{name.text}'"
            raise ParseError.at(what, text, lost, f"Write {lost.text} as a function, too, or its value in its place.")
        signs = _COMMA.union([t.text for t in tokens[k + 3 : closes : 2]])
        tokens = written_out(rest, name.text, names, body, text, signs)
        defined.add(name.text)
    if bare := next((t for t in tokens if t.kind == "name" and t.text in defined), None):
        what = f"'{bare.text}' is defined as a function, and stands without its arguments"
        raise ParseError.at(what, text, bare, f"Write {bare.text}(…), or give one of the two another name.")
    return tokens


_COMMA = frozenset({","})


_TURN = str(2 * math.pi)  # not π, which may be a name: of the weights of a mixture
_DENSITIES = {
    (False, False): f"exp(-(x - m)^2/(2·s))/√({_TURN}·s)",
    (False, True): f"-(x - m)^2/(2·s) - log({_TURN}·s)/2",
    (True, False): f"exp(-(x - m)ᵀ·inv(s)·(x - m)/2)/√(det({_TURN}·s))",
    (True, True): f"-(x - m)ᵀ·inv(s)·(x - m)/2 - logdet({_TURN}·s)/2",
}
"""Of a normal distribution of mean m and variance s, by whether that is a matrix, and whether the logarithm is asked
for, which is finite where the density is 0 to rounding."""


def with_normal_densities(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with what ``N(x | μ, σ²)``, ``log N(x; μ, Σ)`` are in their place.

    Raises
    ------
    ParseError : it is not said whether the last argument is the variance
    """
    for _ in range(DENSITIES):
        k = next((k for k, t in enumerate(tokens) if t.text in ("N", "𝒩") and _is_density(tokens, k)), -1)
        if k < 0 or tokens[k].text in declared:
            break
        closes, name = end_of_bracket(tokens, k + 1), tokens[k]
        last = max(i for i in range(k, closes) if tokens[i].text == ",")
        of_matrix = _is_covariance(tokens[last + 1 : closes], text, declared)
        bracket = tokens[k - 1].text == "(" and tokens[closes + 1].text == ")"
        begin, end = k - bracket, closes + bracket
        of_log = begin > 0 and tokens[begin - 1].text in ("log", "ln")
        if of_log and not bracket and not ends_argument(tokens, end + 1, ()):
            raise applied_in_two_ways(tokens[begin - 1], text)
        begin, end = (begin - 1, end) if of_log else (k, closes)
        begin -= 2 * (of_log and tokens[begin - 1].text == "." and tokens[begin - 2].kind == "name")  # np.log
        form = tokens_of(_DENSITIES[of_matrix, of_log])
        body = [t._replace(start=name.start, end=name.start) for t in form]
        call = [name._replace(text=_DENSITY), *tokens[k + 1 : closes + 1]]
        whole = [*tokens[:begin], *call, *tokens[end + 1 :]]
        tokens = written_out(whole, _DENSITY, ["x", "m", "s"], body, text, frozenset(",;|"))
    return tokens


_DENSITY = "𝒩()"  # no name of a text's
DENSITIES = bound(50)
"""Normal densities of a text that are read."""


def _is_covariance(spread: list[Token], text: str, declared: Any) -> bool:
    """Whether what follows a mean is a matrix; else it is a variance.

    Raises
    ------
    ParseError : it may be either, or a standard deviation
    """
    names = [t.text for t in spread if t.kind == "name"]
    if [t.text for t in spread[-3:]] == [")", "^", "2"]:  # of a deviation
        return False
    if any(name in declared for name in names):
        return any(len(declared[name]) == 2 for name in names if name in declared)
    capitals = [name for name in names if name[:1].isupper() and name not in COUNTS]
    greek = any(not c.isascii() or c in ("Sigma", "Lambda", "Omega") for c in capitals)
    if greek or {"I", "diag", "eye"} & {*names} or (capitals and len(spread) == 1):
        return True
    if capitals:
        what, step = "may be the variance of a number and a matrix", "Declare its letters, D=() or D=('n', 'n')."
        raise ParseError.at(f"'{text[spread[0].start : spread[-1].end]}' {what}", text, spread[0], step)
    if len(spread) == 1 and spread[0].text not in ("1", "v"):
        what = f"'{spread[0].text}' may be the variance and the standard deviation"
        raise ParseError.at(what, text, spread[0], f"Write {spread[0].text}^2 for the latter, (…) for the former.")
    return False


def _is_density(tokens: list[Token], k: int) -> bool:
    """Whether a letter is followed by ``(x | a, b)``."""
    closes = end_of_bracket(tokens, k + 1) if tokens[k + 1].text == "(" else 0
    signs = [t.text for t in outside_brackets(tokens[k + 2 : closes]) if t.text in (",", ";", "|")]
    return signs in (["|", ","], [";", ","]) and tokens[closes - 1].text != ","


def _refuse_lost(body: list[Token], names: list[str], own: Collection[str], sizes: set[str], text: str) -> None:
    """Refuse arguments that are a part of a word, ``kT`` of f(T), an index, or the end of a sum."""
    for token in body:
        stem, below = stem_and_subscript(token)
        if token.kind in LARGE_SIGNS and not sizes.isdisjoint(names):
            name = next(iter({*sizes} & {*names}))
            raise ParseError.at(
                f"'{name}' is an argument, and how far a sum runs", text, token, "Write the sum itself."
            )
        own_name = not known(True).isdisjoint((stem, token.text)) or token.text in {*own, *names}
        short = token.kind == "name" and len(stem) < 4 and not own_name
        lost = [x for x in names if x == below[1:] or (len(x) == 1 and x in stem and x != stem)] if short else []
        if lost:
            what = f"'{token.text}' may be one name, and one in which {lost[0]} is the argument"
            raise ParseError.at(what, text, token, "Write a product with a sign, and an entry in brackets, a[k].")


def last_of_own(tokens: list[Token]) -> tuple[int, int, int] | None:
    """Where the last definition of a function begins, where its bracket closes, and where it ends."""
    within = enclosing(tokens)
    for k in range(len(tokens) - 2, 0, -1):
        begins = is_where(tokens, k - 1) or tokens[k - 1].text in _PARTING
        opens = tokens[k].kind == "name" and tokens[k + 1].text == "(" and begins and within[k] < 0
        closes = end_of_bracket(tokens, k + 1) if opens else 0
        if not closes or not tokens[closes + 1].is_sign("="):
            continue
        signs, end, cases = {t.text for t in tokens[k + 3 : closes : 2]}, closes + 2, False
        if {t.kind for t in tokens[k + 2 : closes : 2]} != {"name"} or signs - {",", ";", "|"}:
            continue
        while tokens[end].kind != "end" and not (within[end] < 0 and tokens[end].text in _PARTING and not cases):
            cases = tokens[end].text == "if" or (cases and tokens[end].text not in ("else", "otherwise"))
            end += 1
        return k, closes, end
    return None


def with_else(body: list[Token]) -> list[Token]:
    """The tokens with ``a if c, b otherwise`` as ``a if c else b``: in brackets a comma parts arguments; so where the
    second case is said by the negation of the first."""
    body = _with_otherwise(body)
    if not any(t.text == "otherwise" for t in body):
        return body
    within, out = enclosing(body), list[Token]()
    signs = [k for k, t in enumerate(body) if t.text in {*_PARTING, *RELATIONS} and within[k] < 0]
    for k, (token, bracket) in enumerate(zip(body[:-1], within, strict=False)):
        if token.text == "and" and k and body[k - 1].text in _STOPS:
            continue
        parts = bracket < 0 and (token.text in _STOPS or (token.text == "and" and k == signs[-1]))
        out += [token._replace(kind="name", text="else") if parts else token] * (token.text != "otherwise")
    return [*out, body[-1]]


def _with_otherwise(body: list[Token]) -> list[Token]:
    """The tokens with ``a if c, b if d`` as ``a if c, b otherwise`` where d is what c is not."""
    if [t.text for t in body].count("if") < 2:
        return body
    within = enclosing(body)
    words = [k for k, t in enumerate(body) if t.text == "if" and within[k] < 0]
    commas = [k for k, t in enumerate(body) if t.text in _STOPS and within[k] < 0]
    if len(words) != 2 or len(commas) != 1 or not words[0] < commas[0] < words[1]:
        return body
    if not is_negation(body[words[0] + 1 : commas[0]], body[words[1] + 1 : -1]):
        return body
    return [*body[: words[1]], body[words[1]]._replace(text="otherwise", kind="name"), body[-1]]


def written_out(
    tokens: list[Token], name: str, names: list[str], body: list[Token], text: str, parting: frozenset[str] = _COMMA
) -> list[Token]:
    """The tokens with the body in the place of a function's calls, its names being what they are called with; signs
    part these, a semicolon in ``f(x; a)``."""
    out, i = list[Token](), 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind != "name" or token.text != name or tokens[i + 1].text != "(":
            out.append(token)
            i += 1
            continue
        closes = end_of_bracket(tokens, i + 1)
        parts = parted(tokens[i + 2 : closes], parting)
        if len(parts) != len(names):
            what = f"'{name}' is defined with {len(names)} arguments, and has {len(parts)} here"
            raise ParseError.at(what, text, token, "Write as many as in its definition.")
        inner = [written_out(part, name, names, body, text, parting) for part in parts]
        given, value = dict(zip(names, inner, strict=True)), list[Token]()
        for k, b in enumerate(body[:-1]):
            stem, below = stem_and_subscript(b)
            if b.text in given and not (body[k + 1].text == "[" and len(given[b.text]) == 1):
                _append(value, given[b.text], body, k + 1, text)
            elif b.kind == "name" and stem in given:  # u_i is x_i, and uᵢ is xᵢ
                value.append(b._replace(text=_name_of(given[stem], b, text) + below))
            else:
                value.append(b)
        i = closes + 1
        _append(out, value, tokens, i, text)
    return out


def by_arguments(tokens: list[Token], names: list[str]) -> set[str]:
    """The names that are defined by some arguments, ``s = 1 − t`` beside f(t) = s²."""
    ends = [
        k for k, w in enumerate(enclosing(tokens))
        if w < 0 and (tokens[k].text in _PARTING or is_where(tokens, k))
    ]  # fmt: skip
    said, found = dict[str, set[str]](), {*names}
    for k, stop in itertools.pairwise([*ends, len(tokens)]):
        if tokens[k + 1].kind == "name" and tokens[k + 2].is_sign("="):
            said[tokens[k + 1].text] = {t.text for t in tokens[k + 3 : stop]}
    for _ in said:
        found |= {name for name, used in said.items() if not used.isdisjoint(found)}
    return found.difference(names)


def stem_and_subscript(token: Token) -> tuple[str, str]:
    """A name, and what stands below it."""
    stem = re.split("_|[₀-₉]", token.text, maxsplit=1)[0]
    return stem, token.text[len(stem) :]


def _name_of(argument: list[Token], entry: Token, text: str) -> str:
    """The name that stands for an argument whose entries are taken.

    Raises
    ------
    ParseError : it is no name, or one with something below it
    """
    if len(argument) == 1 and argument[0].kind == "name" and not stem_and_subscript(argument[0])[1]:
        return argument[0].text
    what = f"'{entry.text}' is an entry of what the function is called with, which is no name"
    raise ParseError.at(what, text, entry, "Name it: f(r) where r = x - y.")


_FACTOR = re.compile(r"(?!E$|[ΣΠ])[^\W\d_][0-9₀-₉]*(?:_\w+)?")


def _append(out: list[Token], inner: list[Token], tokens: list[Token], i: int, text: str) -> None:
    """Append an operand in brackets behind which a place of tokens is next; a letter before it is a factor, and a quote
    transposes.

    Raises
    ------
    ParseError : it is not clear what a function before it is applied to
    """
    k = len(out) - 1
    last = out[k] if out else None
    if last is not None and last.kind == "name" and (_FACTOR.fullmatch(last.text) or last.text in SPELLED_LETTERS):
        if k > 0 and is_function(out[k - 1], ()):
            raise applied_in_two_ways(out[k - 1], text)
        out[k:] = _in_brackets([last])
    elif last is not None and last.text == "'":
        out[k] = last._replace(kind="sup", text="T")
    while k > 0 and (out[k].kind in ("sup", "number") or out[k].is_sign("^")):
        k -= 1
    if out and is_function(out[k], ()) and i < len(tokens) and not ends_argument(tokens, i, ()):
        raise applied_in_two_ways(out[k], text)
    out += _in_brackets(inner)


def _in_brackets(tokens: list[Token]) -> list[Token]:
    start, end = (tokens[0].start, tokens[-1].end) if tokens else (0, 0)
    return [Token("op", "(", start, start), *tokens, Token("op", ")", end, end)]


# -------------------------------------- What a text says of its names in words: ``where P and R are symmetric``

# The idea to hold: such a sentence describes names and has no part in the formula, whatever it says, as long as it has
# no sign or letter of its own, and its names are no functions there. What is known of it is taken: sizes, properties,
# and which function a letter is.

_ONE = (
    r"(?!and\b)\$?(?:\\(?:math\w+|boldsymbol|bm|hat|bar|vec)\s*\{)?\\?[^\W\d_][^\W_]{0,11}[\u0300-\u036f]?\}?"
    r"(?:_\{?\w+\}?)?\$?"
)
_MORE = rf"(?:{_ONE}|\.\.\.|…|\\[lc]?dots)"
_SEVERAL = rf"{_ONE}(?: ?, ?(?:and )?{_MORE}| and {_ONE})*"
_LEAD = re.compile(r"\b(?:where|with|here|and)\b|[,;]")
_BEHIND_LEAD = re.compile(r"(?:[\s}]|\\[,;:!\s]|\\q?quad(?![a-z]))*")
_BEFORE_LEAD = re.compile(r"(?:[\s,;.]|\\q?quad|\\text\s*\{)+\Z")
_NAMES_BEFORE = re.compile(rf"\b(?:where|with|here) {_SEVERAL} ?,? ?\Z")  # the names of one sentence
_WORDS = r"(?:[a-z][a-z\-]{2,} )+"
_END = r"[.; ]*"
_SIZE = r"(?:\d+|[^\W\d_](?:_?\w)?)(?!\w)"
_DESCRIBED = re.compile(
    rf"(?P<names>{_SEVERAL}) (?:is|are|denotes?|(?:being )?(?=(?:the|an?|its|their) )) ?(?P<said>[^=<>≤≥∈]+?){_END}"
)
_APPOSITION = re.compile(
    rf"(?:\\text ?\{{)?(?P<said>{_WORDS}{_ONE}(?:(?: ?, ?| ?,? and ){_WORDS}{_ONE})*){_END}"
)  # anchor a, positive p
_IN_REALS = r"(?:\\in\b|∈) ?(?:\\mathbb ?\{? ?R ?\}?|ℝ)"
_OF_SIZES = re.compile(
    rf"(?P<names>{_SEVERAL}) ?{_IN_REALS}"
    rf" ?(?:\^ ?\{{?(?P<sizes>{_SIZE}(?: ?(?:\\times|×|x|,) ?{_SIZE})?)\}}?)?[. ]*"
)
_SIZES_ABOVE = re.compile("(?<=ℝ)[ᵃ-ᵿⁿˣ⁰¹²³⁴-⁹×]+")
_OF_ANY = re.compile(r"(?<=\w)\((?:[·⋅.]|\\cdot)\)")  # N(·)
_TRANSPOSED = r"(?:\^ ?\{?(?:\\top|\\intercal|\\mathsf ?\{? ?T ?\}?|T|')\}?|[ᵀ'])"
_SQUARE = rf"(?: ?{_IN_REALS}(?: ?\^ ?\{{?{_SIZE} ?(?:\\times|×|x|,) ?{_SIZE}\}}?)?)"
_SYMMETRIC = re.compile(rf"(?P<names>{_ONE}) ?= ?(?P=names) ?{_TRANSPOSED}(?P<pd> ?(?:≻|\\succ) ?0)?{_SQUARE}?[. ]*")
_OF_KIND = r"(?:symmetric|positive[- ](?:semi-?)?definite|diagonal|orthogonal|invertible)"
_KINDS = re.compile(rf"(?P<names>{_SEVERAL}),? (?:both |all )?(?P<said>{_OF_KIND}(?:(?:,| and)? {_OF_KIND})*){_END}")
_BY = re.compile(rf"(?<!\w)\$?({_SIZE}) ?(?:×|\\times|\bby\b|(?<= )x(?= )) ?({_SIZE})\$?|(?<!\w)(\d+)x(\d+)(?!\w)")
_FUNCTIONS_IN_WORDS = (
    (re.compile(r"(?:the |an? )?standard normal (?:cdf|(?:cumulative )?distribution(?: function)?)"), "ndtr"),
    (re.compile(r"(?:the |an? )?standard normal (?:pdf|density)(?: function)?"), "normal_pdf"),
    (re.compile(r"(?:the |an? )?(?:logistic(?: sigmoid)?|sigmoid)(?: function)?"), "sigmoid"),
)
_COUNTING = re.compile("number|size|dimension|count|length|sample|observation|integer|order|degree|rank")
_OF_NUMBERS = re.compile(r"\b(?:mass|margin|slope|rate|constant|scalar|price|coefficient|parameter|concentration)\b")
_IN_WORDS = {
    "symmetric": "symmetric", "positive definite": "pd", "positive semidefinite": "psd", "diagonal": "diagonal",
    "orthogonal": "orthogonal",
}  # fmt: skip
_OF_PROPERTIES = re.compile("symmetr|definite|diagonal|orthog|orthon")
_BESIDE_PROPERTIES = {
    "a", "an", "the", "and", "both", "all", "real", "square", "matrix", "matrices", "given", "known", "fixed",
    "constant", "invertible", "covariance", "precision", "weight", "weighting", "kernel", "hessian", "metric",
    "cost", "penalty", "data"
}  # fmt: skip
_VALUES = re.compile(
    r"(?<![\w])(?:not|no|non|is|are|identity|zeros?|all-ones|ones?|two|three|four|five|six|seven|eight|nine|ten|hundred"
    r"|half|third|quarter|twice|thrice|double|triple|minus|plus|times|percent|infinity|equals?|same|respectively"
    r"|transpos\w+|unit(?=$|[ -](?:vector|norm|length|matri))|pi|softmax"
    r"|(?:inverse|reciprocal|negative|opposite|complement|square|cube|root|derivative|gradient) of)(?![\w-])"
)
"""What gives a name a value, or says more than its kind."""
_SHORT = {"a", "an", "as", "at", "be", "by", "if", "in", "it", "of", "on", "or", "to", "up", "we", "cdf", "pdf"}
SENTENCES = bound(8)
"""Sentences behind a formula that are understood."""
_LONGEST_SENTENCE, _LEADS = bound(400), bound(12)
"""Characters of a sentence, and places where one may begin: what is tried at each is quadratic in its length."""


def without_sentences(text: str, declared: Collection[str]) -> tuple[str, dict[str, Any]]:
    """A text without what it says of its names in words, and what names are by these words."""
    said: dict[str, Any] = {}
    for _ in range(SENTENCES):
        shorter, facts = _without_last(text)
        if shorter == text or not said.keys().isdisjoint(facts):  # one fact would be lost
            break
        text, said = shorter, {**facts, **said}
    return text, {name: fact for name, fact in said.items() if name not in declared}


def _in_braces(found: re.Match[str]) -> str:
    return f"^{{{unicodedata.normalize('NFKC', found[0].replace('ˣ', '×'))}}}"


def _without_last(text: str) -> tuple[str, dict[str, Any]]:
    """A text without its last sentence, and what that says; the text as it is, where there is none."""
    leads = [lead for lead in _LEAD.finditer(text) if len(text) - lead.end() <= _LONGEST_SENTENCE][-_LEADS:]
    for lead in reversed(leads):
        begin = _BEHIND_LEAD.match(text, lead.end())
        sentence = " ".join(text[begin.end() if begin else lead.end() :].split())
        sentence = _OF_ANY.sub("", _SIZES_ABOVE.sub(_in_braces, sentence))
        before = text[: lead.start()]
        if (
            not before.strip()
            or before.rstrip().endswith(("...", "…", "dots"))
            or _NAMES_BEFORE.search(" ".join(before[-100:].split()) + " ")
        ):
            continue
        for kind in (_DESCRIBED, _OF_SIZES, _SYMMETRIC, *[_KINDS, _APPOSITION] * (lead[0] in ("where", "with"))):
            found = kind.fullmatch(sentence)
            after, facts = (found and _understood(found.groupdict(), before)) or (None, {})
            if after is not None:
                ends = _BEFORE_LEAD.search(before, max(0, len(before.rstrip()) - 20))
                return before[: ends.start() if ends else None] + after, facts
    return text, {}


def _understood(parts: dict[str, Any], before: str) -> tuple[str, dict[str, Any]] | None:
    """What stands in a sentence's place, and what it says; None where it says something that is not understood."""
    names = [_bare(one) for one in re.findall(_ONE, re.sub(r"\band\b", ",", parts.get("names") or ""))]
    body = before[head_of(before) :]
    if "pd" in parts:
        return "", dict.fromkeys(names, MappingProxyType({"pd" if parts["pd"] else "symmetric": True}))
    if "sizes" in parts:
        shape = _shape(re.findall(r"\w+", re.sub(r"\\times|\bx\b", " ", parts["sizes"] or "")))
        return None if any(_is_called(n, body) for n in names) else ("", dict.fromkeys(names, shape))
    said = re.sub(r"\\text\s*\{|[{}$]", "", parts["said"]).strip()
    function = next((name for words, name in _FUNCTIONS_IN_WORDS if words.fullmatch(said.lower())), None)
    if function is not None or any(_is_called(n, body) for n in names):
        return _function(names, function, body)
    if "T" in names and re.search(r"\^\s*\{?T(?!\w)", before):
        return ("", {}) if names == ["T"] and re.fullmatch(r"(?:the )?transpos\w+", said) else None
    by = _BY.search(said)
    rest = _BY.sub("", said).strip() if by else said
    if "names" not in parts:
        parted = [words.split() for words in re.split(r",|\band\b", said) if words.strip()]
        names = [_bare(words[-1]) for words in parted]
        rest = " ".join(word for words in parted for word in words[:-1])
        if not all(len(n) == 1 or re.search(rf"(?<!\w){re.escape(n)}(?!\w)", body) for n in names):
            return None  # with slope two
    facts = _facts(names, rest.lower(), by) if _describes(rest.lower(), names, before) else None
    return None if facts is None else ("", facts)


def _is_called(name: str, body: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}\(", body) is not None


def _function(names: list[str], function: str | None, body: str) -> tuple[str, dict[str, Any]] | None:
    """The definition of a name as a function that is known, where it is called; nothing where it is called so."""
    stands = len(re.findall(rf"(?<![^\W_]){re.escape(names[0])}(?!\w)", body)) if len(names) == 1 else 0
    if function is None or not stands or stands != len(re.findall(rf"(?<!\w){re.escape(names[0])}\(", body)):
        return None
    own = {"ndtr": ("Φ", "Phi"), "normal_pdf": ("φ", "phi"), "sigmoid": ("σ", "sigma")}.get(function, ())
    if names[0] in own:
        return "", {}
    return None if is_latex(body) and "\\" + names[0] in body else (f" where {names[0]}(z) = {function}(z)", {})


def _describes(said: str, names: list[str], before: str) -> bool:
    """Whether words say what kind of thing a name is, and not what it is made of."""
    formula = re.split(r"\b(?:where|with|here|is|are)\b", before)[0]
    used = {*re.findall(r"[^\W\d_]{3,}", formula)} - {*names} - known(True)
    words = re.findall(r"[a-z]+", said)
    return (
        all(re.fullmatch(r"[a-z]+(?:[\-'’][a-z]+)*", word) for word in said.split())
        and not _VALUES.search(said)
        and not any(is_greek_word(w) or w in used for w in words)
        and all(w in _SHORT or (len(w) > 2 and re.search("[aeiou]", w)) for w in words)
    )


def _facts(names: list[str], said: str, by: re.Match[str] | None) -> dict[str, Any] | None:
    """What words say of names, their sizes and properties; None where a word beside a property may turn it."""
    words = re.sub(r"semi[- ]definite", "semidefinite", said).replace("positive-", "positive ")
    properties = {own: True for word, own in _IN_WORDS.items() if re.search(rf"(?<![\w-]){word}(?![\w-])", words)}
    if _OF_PROPERTIES.search(words):
        rest = re.sub("|".join(_IN_WORDS), " ", words).split()
        if not _BESIDE_PROPERTIES.issuperset(rest) or not all(n[:1].isupper() for n in names):
            return None
    shape = _shape(filter(None, by.groups())) if by else ()
    if properties and by and shape[0] != shape[1]:
        return None
    counts = frozenset() if by or _COUNTING.search(said) else COUNTS.intersection(names)
    if counts and not (len(names) == 1 and _OF_NUMBERS.search(said)):
        return None  # a negative n may be a vector
    facts: dict[str, Any] = dict.fromkeys(counts, ())
    for name in names if by else ():
        own = shape[: 1 + (shape[1] != 1 or name[:1].isupper())]
        facts[name] = symbol(name, own, **properties) if properties else own
    return facts if by or not properties else dict.fromkeys(names, MappingProxyType(properties))


def _bare(name: str) -> str:
    """A name without its fonts and dollars."""
    return re.sub(r"\\(?:math\w+|boldsymbol|bm|hat|bar|vec)\s*|[\\{}$]", "", name)


# ---------------------------------------------------- What names are, as one types it: ``X=m,n; w=n; t=(); S=n,n pd``


PROPERTIES = tuple(symbol.__kwdefaults__ or ())
"""What may be known of a symbol, as `symbol` takes it."""


def _shape(words: Iterable[str]) -> tuple[Any, ...]:
    return tuple([int(word) if word.isdecimal() and word.isascii() else word for word in words])


def declared(text: str) -> tuple[str, Any]:
    """A name, and its shape or a symbol with properties: ``NAME=SIZES PROPERTY…``.

    Raises
    ------
    ValueError : it is written otherwise
    """
    name, equals, rest = text.partition("=")
    name = name.strip()
    sizes, *words = rest.replace("(", " ").replace(")", " ").replace(", ", ",").split() or [""]
    if sizes in PROPERTIES:
        sizes, words = "", [sizes, *words]
    if not equals or not name or not set(words) <= set(PROPERTIES):
        raise ValueError(f"a shape is written NAME=SIZES, as X=m,n or t=() or S=n,n pd; got {text.strip()!r}")
    shape = _shape(s.strip() for s in sizes.split(",") if s.strip())
    return name, symbol(name, shape, **dict.fromkeys(words, True)) if words else shape


def all_declared(text: str) -> dict[str, Any]:
    """Several of them, between semicolons or on lines.

    Raises
    ------
    ValueError : one is written otherwise, or declared twice
    """
    found: dict[str, Any] = {}
    for part in text.replace("\n", ";").split(";"):
        if not part.strip():
            continue
        name, shape = declared(part)
        if name in found:
            raise ValueError(f"it says twice what {name} is; leave out {part.strip()!r} or the one before")
        found[name] = shape
    return found

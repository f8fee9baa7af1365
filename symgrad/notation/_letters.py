"""Functions by their letters, as formulas print them, ``Γ(x)``, ``J₁(x)``; which letters before a bracket are none."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from typing import Any

from ..core import TABLE
from ..show.functions import LETTER_OF
from ..show.signs import in_unicode
from ..syntax import (
    APPLIED,
    GREEK,
    INDICES,
    INVERTED,
    LARGE_SIGNS,
    LETTER,
    MODULES,
    RATE,
    RELATIONS,
    SPELLED_LETTERS,
    ParseError,
    Token,
    big_sum,
    enclosing,
    end_of_bracket,
    ends_operand,
    in_bracket,
    is_unseen,
    outside_brackets,
    places_of_letters,
    starts_operand,
    summed_in,
    tokens_of,
)
from ._known_functions import known
from ._shapes import call_in
from ._words import DIGITS, OPERATORS, RUNS, arguments_of, as_names, begins_with_1, digits_apart

# ---------------------------------------------------- Letters below: ``sum_k`` of what it sums, ``x_i`` as an entry


_SUM = re.compile("(?:sum|Σ|prod|Π)_([a-z][a-z0-9]*)")


def with_sums(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``sum_k`` before what it sums as one sign."""
    below = Counter(t.text.rpartition("_")[2] for t in tokens if t.kind == "name" and t.text not in declared)
    letters = {tokens[i].text for i in places_of_letters(tokens)} | {*below}
    out = list(tokens)
    for i, token in enumerate(tokens[:-1]):
        found = _SUM.fullmatch(token.text) if token.kind == "name" and token.text not in declared else None
        if found is None or not (letters.issuperset(LETTER.findall(found[1])) or INDICES.issuperset(found[1])):
            continue
        opens = tokens[i + 1].is_sign("|", "‖") and sum(t.is_sign("|", "‖") for t in tokens[:i]) % 2 == 0  # Σ_i ‖x_i‖²
        if starts_operand(tokens[i + 1]) or opens:
            out[i] = big_sum(found[1], text, token.start, token.end)
        elif tokens[i + 1].is_sign("^") and below[found[1]] > 1:  # sum_i^n x_i
            step = f"Write sum_{{{found[1]}=1}}^n, or declare the name: {token.text}=()."
            raise ParseError.at(f"'{token.text}^' may be a sum to a bound, and a power", text, token, step)
    for i in [i for i, token in enumerate(out) if token.kind in LARGE_SIGNS]:  # Σᵢ [ … ] holds together
        closes = end_of_bracket(out, i + 1) if out[i + 1].is_sign("[") else 0
        if closes and not any(t.is_sign(",", ";") for t in out[i + 1 : closes]):
            out[i + 1], out[closes] = out[i + 1]._replace(text="("), out[closes]._replace(text=")")
    return _with_letters_below(out, text, declared)


def _with_letters_below(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``x_i`` as an entry where something sums over i; of ``A_ij`` there nobody knows."""
    letters = summed_in(tokens)
    if not letters:
        return tokens
    parts = [t.text.rpartition("_") if t.kind == "name" else ("", "", "") for t in tokens]
    arrays = {name for name, _, below in parts if name and below in letters}
    out: list[Token] = []
    for token, (name, _, below) in zip(tokens, parts, strict=True):
        beside = below in INDICES and name in arrays  # x_i beside a sum over x_j
        if name and (below in letters or beside) and token.text not in declared:
            end = token.start + len(name)
            out += [token._replace(text=name, end=end), Token("op", "[", end, end + 1)]
            out += [Token("name", below, end + 1, token.end), Token("op", "]", token.end, token.end)]
        elif name and letters & {*below} and (letters | INDICES).issuperset(below) and token.text not in declared:
            step = f"Write {name}_{{{','.join(below)}}} for the entry, or declare the name: {token.text}=()."
            raise ParseError.at(f"'{token.text}' may be an entry and a name", text, token, step)
        else:
            out.append(token)
    return out


# ---------------- Functions by their letters, as formulas print them: ``Γ(x)``, ``J₁(x)``, ``Ai(x)``, ``C₄^(1.5)(x)``

# The idea to hold: a letter is that of a row of the table unless it is the name of something; what stands below and
# above it are the row's parameters. One capital alone is read as no function: P(x), E(x) mean too many things.


_REMARK = re.compile(r"\n[ \t]*+(?:where )?[ \t]*+\w++\([\w, ]*+\) is [^\n]*")
_LATEX_REMARK = re.compile(
    r"\\\\ & (?:\\text\{where\}|\\phantom\{\\text\{where\}\})\\quad "
    r"\\operatorname\{[\w\\]+\}\([\w, ]*\) \\text\{ is [^{}]*\}"
)
_WITH_BELOW = re.compile(r"([^\W\d_₀₁₂₃₄₅₆₇₈₉]+)(?:_?([0-9]+)|([₀₁₂₃₄₅₆₇₈₉]+))")


_BESSEL = frozenset({"j0", "j1", "y0", "y1", "i0", "i1", "k0", "k1"})
"""SciPy's and NumPy's names, whose letters printed small are the spherical functions."""


@cache
def _rows() -> dict[str, Any]:
    """The rows that have a letter, by it; those with parameters by the letter and their places, ``J_``."""
    found: dict[str, Any] = {}
    shared = Counter([op.letter for op in TABLE.values()])  # Hₙ(x) is Hermite's polynomial, and Struve's function
    for op in TABLE.values():
        if op.kind != "elementwise":
            continue
        if op.label in GREEK.values():
            found[op.label] = op
        bare = op.letter.rstrip("_^")
        clear = len(bare) > 1 or not bare.isascii() or bare != op.letter
        if bare and clear and shared[op.letter] == 1 and bare not in LETTER_OF.values():
            found.setdefault(op.letter.replace("′", "'"), op)
    return found


def bare_letters() -> frozenset[str]:
    """The letters of functions, without what stands below and above them, and as they are spelled: Φ, Phi."""
    letters = frozenset([letter.rstrip("_^'") for letter in _rows()])
    return letters | {word for word, letter in SPELLED_LETTERS.items() if letter in letters | known(True)}


def without_remarks(text: str, latex: bool = False) -> str:
    """A printed text without what it says of functions that have no public name, ``stdtr_by_n(n, t) is …``."""
    return (_LATEX_REMARK if latex else _REMARK).sub(lambda found: " " * len(found[0]), text)


_OF_BLACK = re.compile(r"\s*+[-−]?\s*+d_?\{?[12₁₂]\}?\s*(?:\\right)?\)")


def with_functions(tokens: list[Token], names: Collection[str], text: str) -> list[Token]:
    """The tokens with the functions of letters that are no ``names`` by the names of their rows.

    Raises
    ------
    ParseError : ``I_{2}(x)`` of LaTeX and ``K(x)``, which may be a function and a product; an order above anything
        else
    """
    out = [_of_base(t, names, text) for t in tokens]
    written = {t.text for t in out}
    out = _of_distributions(out) if "norm" in written and "." in written else out
    sized = [k for k, t in enumerate(out) if t.text == "eye" and text[t.start : t.start + 1] == "I"]
    for k in reversed(sized):
        a, number, b = out[k], out[k + 2], out[k + 4]
        if number.kind == "number" and b.text == "(" and number.text in "01":  # no identity before a bracket
            out[k : k + 4] = [a._replace(text=f"I_{number.text}", end=out[k + 3].end)]
        elif number.kind == "number" and b.text == "(":
            what = f"I_{number.text}(…) may be Bessel's function, and the identity times a bracket"
            step = f"Write {call_in(text, 'bessel_i', f'{number.text}, …')}, or eye({number.text}) and a sign after it."
            raise ParseError.at(what, text, out[k], step)
    alone = {
        a.text
        for a, b, c in zip(out, out[1:], [*out[2:], out[-1]], strict=False)
        if a.kind == "name" and b.text not in ("(", "^", "'") and b.kind != "order"
        and not (b.kind == "sup" and b.text not in ("T", "-T") and c.text == "(" and not is_unseen(c, text))
    }  # fmt: skip
    given, names = names, {*names, *alone}
    for k, (a, b) in enumerate(itertools.pairwise(out)):  # sigma(x), as σ(x)
        letter = SPELLED_LETTERS.get(a.text) if a.kind == "name" and b.text == "(" and a.end == b.start else None
        own = letter is not None and (letter in LETTER_OF.values() or letter in _rows())
        if letter and own and names.isdisjoint((a.text, letter)) and a.text not in known(True):
            out[k] = a._replace(text=letter)
        apart = b.text == "(" and a.end < b.start and text.startswith(a.text, a.start)
        if apart and a.text in SPELLED_LETTERS and a.text in known(True) | _rows().keys() and a.text not in names:
            what = f"{a.text} (…) may be the function, and the product with {SPELLED_LETTERS[a.text]}"
            raise ParseError.at(what, text, a, f"Write {a.text}(…) for the former, {a.text}*(…) for the latter.")
    for k, (a, b) in enumerate(itertools.pairwise(out)):  # B(α, β), as it is printed
        if a.text == "B" and b.text == "(" and "B" not in names and _has_two(in_bracket(out, k + 1)):
            out[k] = a._replace(text="beta")
        elif a.text == "N" and b.text == "(" and "N" not in names and _OF_BLACK.match(text, b.end):
            out[k] = a._replace(text="Φ")  # N(d₁) and N(−d₂) of Black and Scholes
    out = _with_inverses(out, names, given) if not written.isdisjoint(("Φ", *INVERTED)) else out
    _refuse_letters(out, names, given, text)
    i = 0
    while i < len(out):
        if out[i].kind == "name" and out[i].text not in names:
            found = _function(out, i, names)
            if found is not None and not is_unseen(out[found[2]], text):
                op, params, opens = found
                more = [
                    t for name, value in zip(op.params, params, strict=True) for t in _given(name, value, out[opens])
                ]
                end = end_of_bracket(out, opens)
                if end:
                    word = f"{op.label}_function" if op.label in GREEK.values() else op.label
                    head = Token("name", word, out[i].start, out[opens].start)
                    out[i:] = [head, *out[opens:end], *more, *out[end:]]
        i += 1
    for k, (before, sign) in enumerate(itertools.pairwise(out)):
        called = before.kind == "name" and before.text not in names and sign.text == "(" and sign.start == before.end
        if called and (before.text in ("K", "E") or not begins_with_1(out, k + 1)):  # D (1 − x)
            _refuse_capital(before, text)
        if sign.kind == "order":
            what = f"a superscript of '{text[before.start : before.end]}' may be read in two ways"
            step = "Write ^ for the power; an order stands above a function of the table, before its bracket."
            raise ParseError.at(what, text, sign, step)
    return out


def _has_two(inside: list[Token]) -> bool:
    """Whether what stands in brackets are two arguments."""
    return [t.text for t in outside_brackets(inside)].count(",") == 1


_OF_NORMAL = {"cdf": "ndtr", "pdf": "normal_pdf", "ppf": "ndtri", "logcdf": "log_ndtr"}


def _of_distributions(tokens: list[Token]) -> list[Token]:
    """The tokens with SciPy's ``norm.cdf(x)`` as the function of the table."""
    out = list[Token]()
    for token in tokens:
        if token.text in _OF_NORMAL and [t.text for t in out[-2:]] == ["norm", "."]:
            out[-2:] = [token._replace(text=_OF_NORMAL[token.text], start=out[-2].start)]
        else:
            out.append(token)
    return out


# What a letter before a bracket is, where papers use it for a function of the table, for one of their own, and for a
# number: its argument and its neighbours tell, or it is asked.


MEANT = {
    "σ": "the sigmoid", "φ": "the density of the normal distribution", "Φ": "the normal distribution",
    "ψ": "the digamma function",
}  # fmt: skip
"""What the Greek letters of functions are taken for; see `LETTER_OF`."""
_ITS_NAME = {letter: name for name, letter in LETTER_OF.items()}
_SPHERICAL, _INDICES = frozenset("ijky"), frozenset("ijklmn")
_GAMMAS = frozenset({"Γ", "logΓ", "lgamma", "gammaln", "loggamma", "gamma", "digamma", "polygamma"})


def _refuse_letters(tokens: list[Token], names: Collection[str], given: Collection[str], text: str) -> None:
    """Refuse ``φ(y − μ)``, ``ρσ(t)``, ``T_0(1 − x)`` and ``f'(x)``, which may be a function that is not meant, or none.

    Who says (``given``) what the names in a bracket are, and not what the letter before it is, means the function.

    Raises
    ------
    ParseError : there is one
    """
    for k, (token, after) in enumerate(itertools.pairwise(tokens)):
        if token.kind != "name" or token.text in names or (k and tokens[k - 1].text == "."):
            continue
        _refuse_derived(tokens, k, text)
        if after.text != "(" or is_unseen(after, text):
            continue
        inner = in_bracket(tokens, k + 1)
        inside = {t.text for t in inner if t.kind == "name" and (t.text in given or t.text not in known(True))}
        if any(name in given for name in inside) and all(name in given or name in _INDICES for name in inside):
            continue
        written = text[token.start : token.end]
        numbered = _WITH_BELOW.fullmatch(token.text) if "_" in written else None
        if token.text in MEANT and written != token.text and _is_open(tokens, k, inner):
            called = call_in(text, _ITS_NAME[token.text], "…")
            what = f"{written}(…) may be {MEANT[token.text]}, a function of your own, and the product with {written}"
            raise ParseError.at(what, text, token, f"Write {called} for the first, {written}*(…) for the product.")
        order = re.fullmatch("([A-Z])_([a-z]|nu)", token.text)
        if order and f"{order[1]}_" in _rows() and after.start == token.end:
            what = f"{written}(…) may be the function {_rows()[f'{order[1]}_'].label} of an order, and the product"
            raise ParseError.at(what, text, token, f"Write a number as its order, {written}*(…) for the product.")
        if numbered and after.start == token.end and f"{numbered[1]}_" in _rows():
            sums = numbered[1] in {*_SPHERICAL, "L"} or any(t.is_sign("+", "-") for t in outside_brackets(inner)[1:])
            row, below = _rows()[f"{numbered[1]}_"], (numbered[2] or numbered[3]).translate(DIGITS)
            if sums:
                other = "Laguerre's polynomial" if numbered[1] == "L" else f"the product with {written}"
                what = f"{written}(…) may be the function {row.label}, and {other}"
                called = call_in(text, row.label, f"…, {row.params[0]}={below}")
                step = f"Write {called} for it, {written}*(…) for the product."
                raise ParseError.at(what, text, token, step)


def functions_seen(tokens: list[Token], text: str) -> set[str]:
    """What letters before brackets are taken for: ``σ(…) as the sigmoid``, ``P_2(…) as legendre``."""
    found = set[str]()
    for token, after in itertools.pairwise(tokens):
        written = text[token.start : token.end]
        if token.text.startswith("arc") and not {"^", "⁻"}.isdisjoint(written):
            found.add(f"{written} as {token.text}")
        elif (
            token.kind == "name" and after.text == "(" and written not in known(True) - MEANT.keys()
            and not is_unseen(after, text)
        ):  # fmt: skip
            meant = "the normal distribution's quantiles" if token.text == "ndtri" else MEANT.get(token.text, "")
            numbered = "_" in written and token.text in {op.label for op in _rows().values()}
            meant = meant or (token.text if numbered else "")
            found |= {f"{written}(…) as {meant}"} if meant else set()
    return found


def _is_open(tokens: list[Token], k: int, inner: list[Token]) -> bool:
    """Whether nothing shows that a Greek letter before a bracket is the function that it may be."""
    letter, before = tokens[k].text, tokens[k - 1] if k else None
    beside = any(a.kind == "name" and b.kind in ("name", "open") for a, b in itertools.pairwise(inner))
    arrays = beside or any(t.text in ("T", "'", "@", "%*%", "*", "·") for t in inner)
    if [t.text for t in inner] == ["t"] or any(t.is_sign(",") for t in outside_brackets(inner)):
        return True
    if letter == "σ":
        return not arrays and before is not None and before.kind == "name" and before.text in GREEK
    called = {a.text for a, b in itertools.pairwise(tokens) if b.text == "(" or b.kind in ("sup", "order")}
    if letter == "φ":
        return "Φ" not in called and not any(t.is_sign("/") for t in inner)
    return letter == "ψ" and called.isdisjoint(_GAMMAS)


def _refuse_derived(tokens: list[Token], k: int, text: str) -> None:
    """Refuse ``f'(x)``, ``f^{-1}(x)`` and ``σ²(t)``: a bracket around one name is that of a function."""
    token, mark = tokens[k], tokens[k + 1]
    primed = mark.text == "'" or (mark.kind == "sup" and "prime" in text[mark.start : mark.end])
    inverse = _inverse(tokens, k + 1)
    squared = (mark.kind == "sup" and mark.text.isdigit()) or 2 * (mark.text == "^" and tokens[k + 2].text.isdigit())
    raised = int(inverse or primed or squared)
    if inverse and token.text in known(True) and token.text not in MEANT and len(token.text) > 1:
        written = text[token.start : tokens[k + inverse].end]
        step = f"Write arc{token.text}(…) for the former, 1/{token.text}(…) for the latter."
        step = step if f"arc{token.text}" in known(True) else f"Write 1/{token.text}(…) for the latter."
        raise ParseError(f"{written} may be the inverse function and the reciprocal", text, token.start,
                         tokens[k + inverse].end, step)  # fmt: skip
    opens = min(k + 1 + raised, len(tokens) - 1)
    known_function = (token.text in known(True) and token.text not in MEANT) or f"{token.text}'" in _rows()
    if not raised or known_function or tokens[opens].text != "(" or is_unseen(tokens[opens], text):
        return
    inner = in_bracket(tokens, opens)
    one = len(inner) == 1 and inner[0].kind in ("name", "number")
    if one or (not squared and token.text in MEANT) or any(t.is_sign(",") for t in outside_brackets(inner)):
        written = text[token.start : tokens[opens - 1].end]
        if primed:
            what = f"{written}(…) may be a derivative of {token.text}, and the transpose times what is in the bracket"
            step = (
                "Write the derivative out (f.grad(name) of the function finds it), or declare the name for the latter."
            )
        elif inverse:
            what = f"{written}(…) may be the inverse function of {token.text}, and a reciprocal times the bracket"
            step = "Write the inverse function out, or * before the bracket for the product."
        else:
            what = f"{written}(…) may be a power of a function {token.text}, and the product with the bracket"
            inside = text[inner[0].start : inner[-1].end]
            step = f"Write {token.text} alone where {inside} is no variable, * before the bracket for the product."
        raise ParseError(what, text, token.start, tokens[opens - 1].end, step)


def _inverse(tokens: list[Token], k: int) -> int:
    """How many tokens at a place say ``⁻¹``; 0 if they say something else."""
    if tokens[k].kind == "sup":
        return int(tokens[k].text == "-1")
    said = "".join([t.text for t in tokens[k : k + 5]])
    return 3 if said.startswith("^-1") else 5 if said == "^(-1)" else 0


def _with_inverses(tokens: list[Token], names: Collection[str], given: Collection[str]) -> list[Token]:
    """The tokens with ``Φ⁻¹(p)`` of a number as the quantile function of the normal distribution, and ``sin⁻¹ x`` as
    the inverse function, as which every book has it: the reciprocal is 1/sin x."""
    out = list[Token]()
    k = 0
    while k < len(tokens):
        word = tokens[k].text
        meant = (word == "Φ" and word not in names) or (word in INVERTED and word not in given)
        inverse = _inverse(tokens, k + 1) if meant else 0
        opens = k + 1 + inverse
        if inverse and word != "Φ":
            out.append(tokens[k]._replace(text=f"arc{word}", end=tokens[opens - 1].end))
            k = opens
            continue
        if inverse and tokens[opens].text == "(":
            inner = in_bracket(tokens, opens)
            if not any(t.text in ("T", "'", "@", ",") for t in inner):
                out.append(tokens[k]._replace(text="ndtri", end=tokens[opens - 1].end))
                k = opens
                continue
        out.append(tokens[k])
        k += 1
    return out


_LOGARITHMS = {"2": "log2", "10": "log10", "e": "log"}
_LOGARITHM = re.compile(r"log(?:_([0-9]+|[a-z])|([₀-₉]+))")


def _of_base(token: Token, names: Collection[str], text: str) -> Token:
    """``log_2``, ``log₁₀`` as the function."""
    found = _LOGARITHM.fullmatch(token.text) if token.kind == "name" and token.text not in names else None
    if found is None:
        return token
    base = found[1] or found[2].translate(DIGITS)
    if base not in _LOGARITHMS:
        raise ParseError.at(f"a logarithm to the base {base}", text, token, f"Write log(x)/log({base}).")
    return token._replace(text=_LOGARITHMS[base])


@cache
def _capitals() -> dict[str, str]:
    """The functions of one operand that are printed as one capital alone, as matrices are."""
    rows = [op for op in TABLE.values() if op.kind == "elementwise" and len(op.inputs) == 1 and not op.params]
    return {op.letter: op.label for op in rows if len(op.letter) == 1 and op.letter.isascii() and op.letter.isupper()}


def _refuse_capital(name: Token, text: str) -> None:
    if name.text in _capitals():
        what = f"{name.text}(…) may be the function {_capitals()[name.text]}, and the product with a matrix {name.text}"
        step = f"Write {_capitals()[name.text]}(…), or declare the name: {name.text}=(…)."
        raise ParseError.at(what, text, name, step)


def _function(tokens: list[Token], i: int, names: Collection[str]) -> tuple[Any, list[str], int] | None:
    """The row that a name with what follows is the letter of, its parameters, and the place of its bracket."""
    text, at, params, rows = tokens[i].text, i + 1, list[str](), _rows()
    if i > 1 and tokens[i - 1].text == "." and tokens[i - 2].text not in MODULES:
        return None
    text = text.upper() if text in _BESSEL else text
    if tokens[at].text == "'" and tokens[at + 1].text == "(" and text + "'" in rows:
        return rows[text + "'"], [], at + 1
    places = ""
    if text not in rows and (below := _WITH_BELOW.fullmatch(text)) is not None:
        text, places = below[1], "_"
        params.append((below[2] or below[3]).translate(DIGITS))
        if not {text, text + params[0], f"{text}_{params[0]}"}.isdisjoint(names):
            return None
    if tokens[at].text == "^" and tokens[at + 1].text == "(" and text + places + "^" in rows:
        end = end_of_bracket(tokens, at + 1)
        inner = tokens[at + 2 : end]
        if not end or any(t.kind != "number" for t in inner[::2]) or any(t.text != "," for t in inner[1::2]):
            return None
        params += [t.text for t in inner[::2]]
        places, at = places + "^", end + 1
    if tokens[at].kind == "order" and text + places + "^" in rows:
        params.append(tokens[at].text)
        places, at = places + "^", at + 1
    op = rows.get(text + places)
    if params and tokens[at].start > tokens[at - 1].end and at == i + 1:  # E_0 (1 − x), a factor
        return None
    fits = op is not None and len(op.params) == len(params) and tokens[at].text == "("
    return (op, params, at) if fits else None


def _given(name: str, value: str, near: Token) -> list[Token]:
    """The tokens of ``, name=value``."""
    signs = (("op", ","), ("name", name), ("op", "="), ("number", value))
    return [Token(kind, text, near.start, near.end) for kind, text in signs]


# ---------------- Words of plain text that are no names: ``k[S]``, ``cosθ``, ``A kron B``; ``sinx``, which is asked


_ELSEWHERE = {"total": "sum", "average": "mean"}


def with_calls(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``SQRT(x)`` of tables and ``Exp[x]`` of Mathematica, whose ``Pi`` and ``E`` are the numbers, as
    calls of the functions.

    Raises
    ------
    ParseError : ``Asin(ωt)``, which has an amplitude, or is the inverse function
    """
    out, square = list(tokens), False
    for k, (token, after) in enumerate(itertools.pairwise(tokens)):
        if token.kind != "name" or after.text not in ("(", "["):
            continue
        word = _ELSEWHERE.get(token.text.lower(), token.text.lower())
        meant = (len(word) > 2 or word in ("ln", "tr")) and word != token.text and word in known(True)
        own = token.text in declared or token.text in known(True) or token.text.lower() in SPELLED_LETTERS
        if re.fullmatch("A(?:sin|cos|tan)h?", token.text) and not own and meant:
            what = f"'{token.text}' may be {token.text[0]} {token.text[1:]}(…) and the inverse function"
            raise ParseError.at(what, text, token, f"Write A*{token.text[1:]}(…) or arc{token.text[1:]}(…).")
        closes = end_of_bracket(tokens, k + 1) if meant and after.start == token.end else 0
        if closes and not own and token.text not in OPERATORS:
            out[k] = token._replace(text=word)
            out[k + 1], out[closes] = after._replace(text="("), tokens[closes]._replace(text=")")
            square = square or after.text == "["
    numbers = {name: meant for name, meant in (("Pi", "pi"), ("E", "e")) if name not in declared} if square else {}
    return [t._replace(text=numbers[t.text]) if t.text in numbers and t.kind == "name" else t for t in out]


def plain_tokens(body: str, declared: Collection[str]) -> list[Token]:
    """The tokens of a text that is no LaTeX, without printed remarks, and with ``x_iy_i`` as two names."""
    tokens = with_calls(tokens_of(without_remarks(body)), body, declared)
    tokens = _with_transposes(tokens, body, declared) if re.search(r"\^ *-?[Tt]\w", body) else tokens
    own = [c for c in "ΣΠ" if c in set(map(in_unicode, declared))]
    if own:
        tokens = [
            t._replace(kind="name", text=body[t.start : t.end]) if body[t.start : t.end] in own else t for t in tokens
        ]
    if "[" in body:
        _refuse_imaginary(tokens, body, declared)
        tokens = _with_square_brackets(tokens)
    if "_" not in body or not any(_ENTRIES.fullmatch(t.text) and t.text not in declared for t in tokens):
        return tokens
    out = list[Token]()
    for token in tokens:
        together = token.kind == "name" and token.text not in declared and _ENTRIES.fullmatch(token.text)
        parts = re.findall("[^_0-9](?:_(?:[0-9]+|[^_]))?", token.text) if together else []
        out += as_names(token, parts) or [token]
    return out


def _with_transposes(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with the T of ``x^TAx`` apart from what it stands before: nobody has a name TAx, and ``x'Ax`` is read.

    Raises
    ------
    ParseError : ``x^Tmax``, which may be a power
    """
    names = {*declared, *[a.text for a, b in itertools.pairwise(tokens) if b.is_sign("=")]}
    out = tokens[:2]
    for k, token in enumerate(tokens[2:], 2):
        sign = k - 1 - (tokens[k - 1].is_sign("-") and tokens[k - 1].end == token.start)
        base, rest = tokens[sign - 1], token.text[1:]
        raised = token.kind == "name" and tokens[sign].is_sign("^") and base.kind != "number" and base.text != "e"
        turns = re.match(r"T[^\W\d_]|t[A-Z]", token.text) and names.isdisjoint((token.text[0], token.text))
        if not (raised and turns):
            out.append(token)
            continue
        called = rest in known(True) and tokens[k + 1].text == "("
        if re.fullmatch("[a-z]{3,}", rest) and not (called or rest in names or rest in SPELLED_LETTERS):
            step = f"Write x^T*{rest} for the product, x^({token.text}) for the power."
            raise ParseError.at(f"'^{token.text}' may be a power and a transpose", text, token, step)
        middle = token.start + 1
        out += [token._replace(text=token.text[0], end=middle), token._replace(text=rest, start=middle)]
    return out


def _with_square_brackets(tokens: list[Token]) -> list[Token]:
    """The tokens with round brackets where square ones hold something together, as in ``4ε [(σ/r)^12 - (σ/r)^6]`` and
    ``a + [b - c]/2``; a list of one is written ``[b - c,]`` there."""
    out = list(tokens)
    is_numpys = any(t.is_sign("@", "**") for t in tokens)
    parted = {place for t, place in zip(tokens, enclosing(tokens), strict=True) if t.is_sign(",", ";")}
    for k in reversed([k for k, token in enumerate(tokens) if token.text == "["]):
        end = end_of_bracket(tokens, k)
        if not end:
            continue
        behind, inside = k > 0 and ends_operand(tokens[k - 1]), out[k + 1 : end]
        touches, positive = behind and tokens[k - 1].end == tokens[k].start, tokens[end + 1].text == "₊"
        if (
            (positive and not touches and k not in parted)  # λ [x]₊
            or (_is_no_place(tokens[k - 1], tokens[k], inside) if behind else not is_numpys and _is_held(out, k, end))
        ):
            out[k], out[end] = tokens[k]._replace(text="("), tokens[end]._replace(text=")")
    return out


def _is_no_place(before: Token, opening: Token, inside: list[Token]) -> bool:
    """Whether square brackets behind an operand are no index: those have neither brackets nor powers nor quotients, nor
    a difference of letters; and numbers have none."""
    signs = {t.text if t.kind == "op" else t.kind for t in inside}
    if inside and _summed_by(inside[0]):  # W [Σᵢ zᵢ rᵢ]
        return not _has_free_letter(inside)
    if not signs.isdisjoint((",", ":", ";", "[", *RELATIONS)):
        return False
    differs = any(t.is_sign("+", "-") and after.kind == "name" for t, after in itertools.pairwise(inside[1:]))
    apart = before.kind != "name" or before.end < opening.start
    return bool(signs & {"^", "/", "(", "sup"}) or (apart and differs) or (before.kind == "number" and len(inside) > 1)


def _parts_elements(one: Token, two: Token, three: Token) -> bool:
    """Whether a blank behind the first may part elements, as in MATLAB's ``[1 -1]`` and ``[a b]``."""
    if one.end == two.start or one.kind == "op":
        return False
    return two.kind != "op" or (two.is_sign("+", "-") and two.end == three.start)


_ENTRY = re.compile("_[a-z]$")


def _summed_by(token: Token) -> list[str]:
    """The letters that a sign sums over, or multiplies over: ``Σᵢ``, ``sum_i``, which is still a name."""
    found = re.fullmatch("(?:[ΣΠ∑∏]|sum|prod)_([a-z])", token.text) if token.kind == "name" else None
    return token.text.split() if token.kind in LARGE_SIGNS else [found[1]] if found else []


def _has_free_letter(inside: list[Token]) -> bool:
    """Whether there are entries whose letters nothing in the brackets sums over."""
    summed = {letter for t in inside for letter in _summed_by(t)}
    below = {t.text[-1] for t in inside if t.kind == "name" and _ENTRY.search(t.text)}
    depths = itertools.accumulate([t.is_sign("[") - t.is_sign("]") for t in inside])
    places = {t.text for t, depth in zip(inside, depths, strict=True) if depth and t.kind == "name"}
    return not (below | places) <= summed


def _is_held(tokens: list[Token], k: int, end: int) -> bool:
    """Whether square brackets that are no index hold a sum or product together, which is an operand of others."""
    inside = tokens[k + 1 : end]
    if (inside and inside[0].is_sign("[")) or _has_free_letter(inside):
        return False  # the array of these entries
    if len(inside) < 2 or any(t.is_sign(",", ";", ":") for t in outside_brackets(inside)):
        return False
    parted = any(map(_parts_elements, inside, inside[1:], tokens[k + 3 : end + 1])) and not _summed_by(inside[0])
    if parted or (len(inside) == 2 and inside[0].is_sign("-")):
        return False
    before, after = tokens[k - 1] if k else None, tokens[end + 1] if end + 1 < len(tokens) else None
    signs = ("+", "-", "*", "/", "^")
    return (before is not None and before.is_sign(*signs)) or (
        after is not None and (after.is_sign(*signs, "'") or after.kind == "sup" or starts_operand(after))
    )


def _refuse_imaginary(tokens: list[Token], text: str, declared: Collection[str]) -> None:
    """Refuse the I of ``Exp[-I x]``, which is another in Mathematica."""
    square = any(text.startswith("[", t.start) and t.text == "(" for t in tokens)
    if unit := next((t for t in tokens if square and t.kind == "name" and t.text == "I" and "I" not in declared), None):
        what = "'I' beside square brackets of functions may be the imaginary unit, and the identity"
        raise ParseError.at(what, text, unit, "Write eye(n) for the latter, cos and sin for the former.")


_ENTRIES = re.compile("(?:[A-Za-zα-ωΑ-Ω]_(?:[ijklt]|[0-9]+)){2,}|[A-Za-zα-ωΑ-Ω]_[0-9]+e")
"""Entries side by side, ``x_iy_i``, ``N_0e^(-t)``: an underscore lowers one letter, or digits."""


_CONCENTRATION = re.compile(r"\[\s*([A-Z][A-Za-z]{0,5})\s*\](_\w+)?")


def with_concentrations(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``[S]``, a name that begins with a capital, as the number that chemists mean."""
    found = [m for m in _CONCENTRATION.finditer(text) if m[1] not in declared]
    sums = re.search(r"\b(?:E|Var|Cov|P|Pr|H|W)\s*\[", text)
    if not found or sums or any(t.is_sign("@", "**") for t in tokens):
        return tokens
    out = list(tokens)
    for m in found:
        k = next((k for k, t in enumerate(out) if t.start == m.start() and t.text == "["), None)
        before = out[k - 1] if k else None
        named = before is not None and before.kind == "name" and not RATE.fullmatch(text[before.start : before.end])
        if k is not None and not named:
            last = k + 2 + bool(m[2])
            out[k : last + 1] = [Token("name", m[1] + (m[2] or ""), *m.span())]
    return out


_INFIX = {"kron": "⊗", "otimes": "⊗", "odot": "⊙"}
"""Words that stand between two operands as a sign, in letters and on boards."""


def with_functions_apart(tokens: list[Token], text: str, declared: Collection[str], head: str) -> list[Token]:
    """The tokens with ``cosθ``, ``αln`` and ``xsin(x)`` as a function and a letter, and ``xsinx`` where the ``head`` of
    the text has x as an argument, ``f(x)``.

    Raises
    ------
    ParseError : ``sinx`` and ``xlnx`` of an x that nobody declared, as likely functions without a blank as names
    """
    if not any(len(t.text) > 1 and t.kind == "name" for t in tokens):
        return tokens
    out = list[Token]()
    for token, after in itertools.zip_longest(tokens, tokens[1:]):
        parts = _parts(token, after, declared) if token.kind == "name" and len(token.text) > 1 else []
        short = parts or token.kind != "name" or len(token.text) < 3
        together = [] if short else _called_together(token, text, {*declared, *arguments_of(head)}, declared)
        if together and (after.is_sign("^") or after.kind == "sup"):  # sinx^2 is asked as sin x^2 is
            together = [t for t in together if t.kind != "op"]
        out += as_names(token, parts) + together or [token]
    return out


_ONE_APPLIED = [[name] for name in APPLIED]
_ALSO = ("sqrt", "sec", "csc", "cot", "sech", "csch", "coth", "arcsin", "arccos", "arctan")
_NAMED = "|".join(sorted({*APPLIED, *_ALSO}, key=len, reverse=True))
_TOGETHER = re.compile(f"(?:[a-z]?(?:{_NAMED})[0-9]*[a-z]){{1,6}}")  # bounded: there are many ways to part a word
_PART = re.compile(f"(?:({_NAMED})([0-9]*))?([a-z])")
_BEHIND_A_LETTER = re.compile(f"([A-Za-z])({_NAMED})")


def _called_together(token: Token, text: str, letters: Collection[str], declared: Collection[str]) -> list[Token]:
    """The tokens of a word like ``xsinx``, ``sin2x``, ``sinxcosx``, made of some letters; none if it is none."""
    word = token.text
    if word in known(True) or word in declared or _TOGETHER.fullmatch(word) is None:
        return []
    if not {part[3] for part in _PART.finditer(word) if part[1]} <= {*letters, *"tuvwxyz"}:  # logp, sine
        return []
    out, written = list[Token](), list[str]()
    for part in _PART.finditer(word):
        start, middle, last, end = (token.start + k for k in (part.start(), part.end() - 1, part.start(3), part.end()))
        if part[1]:
            out += [Token("name", part[1], start, start + len(part[1])), Token("op", "(", middle, middle)]
            out += [Token("number", part[2], middle - len(part[2]), middle)] * bool(part[2])
        out.append(Token("name", part[3], last, end))
        out += [Token("op", ")", end, end)] * bool(part[1])
        written.append(f"{part[1]}({part[2]}{part[3]})" if part[1] else part[3])
    odd = word[:1] == "a" and word[1:4] in ("sin", "cos", "tan")
    based = re.search("log[0-9]|exp[0-9]", word) is not None
    if odd or based or not set(re.sub(f"{_NAMED}|[0-9]", "", word)) <= set(letters):
        product = " ".join(written)
        other = f"arc{word[1:]}" if odd else "a function to that base" if based else "a name"
        raise ParseError.at(
            f"'{word}' may be {product} and {other}", text, token, f"Write {product}, or declare the name."
        )
    return out


def _parts(token: Token, after: Token, declared: Collection[str]) -> list[str]:
    """The function and the letters that a word is made of, none if it is not."""
    word = token.text
    if word in declared or len(word) != token.end - token.start:
        return []
    if word.isascii():
        called = after.text in ("(", "^") or after.kind == "sup"
        is_known = word in known(True) or word in OPERATORS  # acot
        found = called and not is_known and _BEHIND_A_LETTER.fullmatch(word)
        return [*found.groups()] if found else []
    stem, below = digits_apart(word)
    if found := re.fullmatch("([A-Za-z])(log)", stem):  # xlog₂
        return [found[1], found[2] + below]
    runs = RUNS.findall(stem)
    if [run for run in runs if len(run) > 1] not in _ONE_APPLIED or (below and len(runs[-1]) > 1):  # log₂
        return []
    return [*runs[:-1], runs[-1] + below]


def with_words_between(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``A kron B`` as ``A ⊗ B``.

    Raises
    ------
    ParseError : ``mod`` stands so, which is no factor; or a letter before a bracket is that of a probability
    """
    _refuse_probabilities(tokens, text, declared)
    tokens = _with_indicators(tokens, declared)
    words = (*_INFIX, "mod")
    places = [k for k, t in enumerate(tokens) if t.text in words and t.text not in declared and 0 < k < len(tokens) - 1]
    out = list(tokens) if places else tokens
    for k in places:
        before, token, after = tokens[k - 1 : k + 2]
        apart = before.end < token.start and token.end < after.start
        if apart and ends_operand(before) and starts_operand(after):
            if token.text == "mod":
                what = "'mod' between two operands is no sign here"
                raise ParseError.at(
                    what, text, token, "Write remainder(a, b), or declare a symbol of the name: mod=()."
                )
            out[k] = token._replace(kind="op", text=_INFIX[token.text])
    return out


_EXPECTED = frozenset({"E", "Var", "Cov", "Pr", "P", "V", "𝔼"})


def _refuse_probabilities(tokens: list[Token], text: str, declared: Collection[str]) -> None:
    """Refuse ``N(x | μ, σ²)``, ``p(y|x)``, ``KL(p‖q)`` and ``N(x; 0, 1)``, a bar or a semicolon between what a function
    takes; and ``E[X²]``, which is no entry."""
    for k, (token, after) in enumerate(itertools.pairwise(tokens)):
        if token.kind != "name" or token.text in declared or after.text not in ("(", "["):
            continue
        inner = in_bracket(tokens, k + 1)
        top = outside_brackets(inner)
        parting = [t for t in top if t.text in ("|", "‖", ";")]
        unknown = len(token.text) == 1 or token.text not in known(True)
        if after.text == "(" and unknown and len(parting) == 1 and top[0] is not parting[0]:
            what = f"{token.text}(…{parting[0].text}…) is a probability, a density or a divergence"
            step = "Write the expression that it is, normal_pdf((x - mu)/sigma)/sigma of a normal distribution."
            raise ParseError.at(what, text, token, step)
        places = all(t.kind == "number" or t.is_sign(",", ":", "-", "+") or t.text.islower() for t in inner)
        if text[after.start : after.start + 1] == "[" and token.text in _EXPECTED and not places:
            step = f"Write the sum or mean that it is, or declare {token.text} if it is an array."
            raise ParseError.at(f"{token.text}[…] may be an expectation, and an entry", text, token, step)


_OVER = frozenset({"prod", "mean", "max", "min", "median", "std", "var", "logsumexp", "softmax", "lim", "sup", "inf"})
"""What is taken over an index elsewhere: ``prod_i x_i``."""


def refuse_operators(tokens: list[Token], text: str, names: Collection[str], latex: bool) -> None:
    """Refuse ``lim x``, ``Re z`` and ``n choose k``, which are no products; of LaTeX small words, as an upright Re is a
    number of Reynolds there.

    Raises
    ------
    ParseError : such a word, which nobody declared, stands before an operand
    """
    for token, after, sign, _, above in zip(tokens, *[tokens[k:] for k in range(1, 5)], strict=False):
        touches = latex and (token.text, after.text, token.end) == ("R", "e", after.start) and "e" not in names
        if touches and sign.text == "^" and above.kind == "number":
            raise ParseError.at("'Re' may be one name and R·e", text, token, r"Write R e, or \mathrm{Re} for a name.")
    for token, after in itertools.pairwise(tokens):
        word = token.text
        if word[:3] == "int" and word not in names and word.partition("_")[0] in ("int", "integral"):
            step = "Write the function itself; symgrad.scipy.integrate.quad integrates it."
            raise ParseError.at("an integral is no part of a formula", text, token, step)
        if word in names or not starts_operand(after):
            continue
        function, _, below = word.rpartition("_")
        if function in _OVER and not below.isdigit():
            step = f"Write {function}(…) of the whole array, or declare the name: {word}=(…)."
            raise ParseError.at(f"'{word}' is no sign here: of indices there are sums only", text, token, step)
        named = word not in OPERATORS or set(word) <= set(names)  # P r sin(x) of numbers P and r, as it is printed
        if not named and (after.text != "(" or word == "acot") and (word.islower() or not latex):
            product = f"Write {word}*{after.text} for a product, or declare the name: {word}=(…)."
            step = "Write atan(1/x), or pi/2 - atan(x)." if "cot" in word else product
            raise ParseError.at(f"'{word}' before an operand is no function that is known here", text, token, step)


def _with_indicators(tokens: list[Token], declared: Collection[str]) -> list[Token]:
    """The tokens with ``I(x > 0)``, ``1(x > 0)`` and ``1{x > 0}`` as ``1[x > 0]``: what is compared in brackets is no
    factor of the identity."""
    out = list(tokens)
    for k, (token, after) in enumerate(itertools.pairwise(tokens)):
        unit = (token.text == "I" and "I" not in declared) or (token.kind == "number" and token.text == "1")
        if not unit or after.text not in ("(", "[") or token.end < after.start:
            continue
        closes = end_of_bracket(tokens, k + 1)
        if closes < len(tokens) and any(t.is_sign(*RELATIONS, "=") for t in outside_brackets(tokens[k + 2 : closes])):
            out[k] = Token("number", "1", token.start, token.end)
            out[k + 1], out[closes] = after._replace(text="["), tokens[closes]._replace(text="]")
    return out

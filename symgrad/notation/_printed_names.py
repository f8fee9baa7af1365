"""Names as symgrad prints them: β for ``beta``, β₀ for ``beta_0``, x₀ for the entry ``x[0]``."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..show._shown_names import in_unicode
from ..syntax import Token
from ._default_names import rank_by_letter

_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def as_declared(tokens: list[Token], declared: Mapping[str, Collection[object]]) -> list[Token]:
    """The tokens with names as they were declared; digits below a name that has as many axes are an index."""
    spelled = {in_unicode(name): name for name in declared}
    out: list[Token] = []
    for token in tokens:
        if token.kind != "name" or token.text in declared:
            out.append(token)
            continue
        name = token.text.rstrip("₀₁₂₃₄₅₆₇₈₉")
        below = token.text[len(name) :].translate(_DIGITS)
        name = name if name in declared else spelled.get(name, name)
        axes = len(declared[name]) if name in declared else rank_by_letter(name)
        if not below:
            out.append(token._replace(text=name))
        elif token.text in spelled or (len(below) != axes and axes != 1):
            out.append(token._replace(text=spelled.get(token.text, f"{name}_{below}")))
        else:
            place = [
                Token("op" if c == "," else "number", c, token.end - 1, token.end)
                for c in ([below] if axes == 1 else ",".join(below))
            ]
            brackets = [token._replace(kind="op", text=c, start=token.end - 1) for c in "[]"]
            out += [token._replace(text=name), brackets[0], *place, brackets[1]]
    return out

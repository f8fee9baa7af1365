"""Which parts of a formula may get a name of their own: ``where r = Ax − b``.

The idea to hold: a name pays if n occurrences of t signs are longer than n names and the definition, which takes
t + 2. Here it is reckoned on the terms, about; `_layout_choice` tries the names of short formulas in earnest. A part
that is too long or too deep to be read in one piece gets a name whether it pays or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from .. import _limits

POWER = "pow_scalar"  # the one operation that is a power: what else is one, is written with it
_ACTIVATIONS = frozenset({"tanh", "relu", "softplus_unit", "gelu_erf", "silu", "elu_alpha", "leaky_relu_slope"})
_PLAIN = frozenset({"var", "one", "delta", "data", "lin"})


def lengths(terms: list[Any], named: Set[int]) -> dict[int, int]:
    """How many signs each term would take, about, where those named take one."""
    found: dict[int, int] = {}
    most = _limits.COUNTED_SIGNS
    for t in terms:
        if "signs" not in t.memo:
            is_one = t.kind == "ein" and not t.shape and is_entry(t)
            t.memo["signs"] = (1, ()) if is_one else (_own(t), t.children)
        signs, parts = t.memo["signs"]
        for c in parts:
            signs += 1 if id(c) in named else found[id(c)]
        found[id(t)] = signs if signs < most else most
    return found


def _own(term: Any) -> int:
    """The length of a term's own text without its operands', about."""
    if term.kind in ("map", "call"):
        return 1 if term.op.name in (POWER, "inv") else 3
    if term.kind == "add":
        return len(term.terms) - 1 + sum([abs(c) != 1 for c, _, _ in term.terms])
    if term.kind == "data":
        return 2 * min(term.value.size, 100)
    if term.kind == "ein":
        by_entries = any(len(s) > 2 for _, s in term.factors)  # T[i,j,l] takes five signs where T takes one
        letters = sum([len(s) + 2 for _, s in term.factors]) if by_entries else 0
        return letters + int(term.coef != 1) if term.factors else 1
    return 4 if term.kind == "lin" else 1


def saved(uses: int, size: int) -> int:
    """How many signs a name saves for what is written so often with so many signs."""
    return uses * size - (uses + size + 2)


def worth(terms: list[Any], sizes: dict[int, int], roots: set[int], slack: int = 0) -> list[Any]:
    """Terms whose names pay, reckoning each occurrence ``slack`` signs too long: those that save most first.

    With slack the names are looked at one by one; without, those that a name hides in another one are no longer
    counted.
    """
    uses = dict.fromkeys(sizes, 0)
    found: list[tuple[int, int, Any]] = []
    for k, t in enumerate(reversed(terms)):
        key = id(t)
        n, size = uses[key], sizes[key] + slack
        pays = key not in roots and saved(n, size) > 0 and not is_plain(t) and (slack or not _is_dressed(t))
        if pays:
            found.append((-(n - 1) * (size - 1), k, t))
        once = 1 if key in roots or (pays and not slack) else n
        for c in t.children:
            uses[id(c)] += min(once, 1000)
    return [t for _, _, t in sorted(found, key=lambda f: f[:2])]


def occurrences(terms: list[Any], once: set[int]) -> dict[int, int]:
    """How often each term is written where those of ``once`` are written once, about."""
    found = dict.fromkeys(map(id, terms), 0)
    for t in reversed(terms):
        n = 1 if id(t) in once else found[id(t)]
        for c in t.children:
            found[id(c)] += min(n, 1000)
    return found


def shared(terms: list[Any], sizes: dict[int, int], roots: set[int]) -> list[Any]:
    """Terms used more than once that are no symbols: a program computes them once."""
    uses: dict[int, int] = {}
    for t in terms:
        for c in t.children:
            uses[id(c)] = uses.get(id(c), 0) + 1
    return [
        t for t in terms
        if id(t) not in roots and uses.get(id(t), 0) > 1 and sizes[id(t)] > 2 and not (is_plain(t) or _is_dressed(t))
    ]  # fmt: skip


def unreadable(terms: list[Any], roots: set[int], named: set[int]) -> set[int]:
    """Terms that need a name because they are too long or too deep where those in ``named`` have one."""
    needed: set[int] = set()
    roots = roots | {id(t.children[0]) for t in terms if id(t) in roots and t.kind == "ein" and len(t.children) == 1}
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    for t in terms:
        key = id(t)
        sizes[key] = _own(t) + sum([sizes[id(c)] for c in t.children])
        depths[key] = 1 + max([depths[id(c)] for c in t.children], default=0)
        if key in roots or not t.children:
            continue
        if key not in named and (sizes[key] > _limits.LONG_TERM or depths[key] > _limits.DEEP_TERM):
            needed.add(key)
        if key in named or key in needed:
            sizes[key], depths[key] = 1, 0
    return needed


def _is_dressed(term: Any) -> bool:
    """Whether it is a power, whose base may have a name, or ‖r‖²."""
    if term.kind == "map" and term.op.name == POWER:
        return True
    if term.kind == "ein" and not term.shape and len(term.factors) == 1:
        factor = term.factors[0][0]
        return factor.kind == "map" and factor.op.name == POWER and factor.params == (2,)
    return False


def is_whole_power(term: Any) -> bool:
    """Whether it is a whole power of something that may have a name itself: (Xw − y)²."""
    if term.kind != "map" or term.op.name != POWER or not isinstance(term.params[0], int):
        return False
    return not is_plain(term.args[0][0])


def is_entry(term: Any) -> bool:
    """Whether it is a number read from a symbol: ``x[0]``."""
    if term.kind != "ein" or term.shape or term.coef != 1:
        return False
    units = [c for c in term.children if c.kind == "lin" and not c.out_rank]
    symbols = [c for c in term.children if c.kind == "var"]
    return len(symbols) == 1 and len(units) == len(term.children) - 1 == len(symbols[0].shape)


def is_plain(term: Any) -> bool:
    """Whether it is a symbol but for a transpose, a power or a number, and so not worth a name."""
    while True:
        if term.kind in _PLAIN or is_entry(term) or (term.kind == "ein" and not term.factors):
            return True
        if term.kind == "ein" and len(term.factors) == 1:
            term = term.factors[0][0]
        elif term.kind == "map" and term.op.name == POWER:
            term = term.args[0][0]
        else:
            return False


def letters(term: Any) -> str:
    """Letters for the name of a term, by what it is; in capitals those of matrices."""
    rank = len(term.shape)
    op = term.op.name if term.kind in ("map", "call") else ""
    if op in ("softmax", "sigmoid"):
        return "PQSUVW" if rank > 1 else "pqsuvw"
    if op in _ACTIVATIONS:
        return "HUVWSQ" if rank > 1 else "huvwsq"
    if rank > 1:
        return "RSTUVWMNQ" if term.kind == "add" else "STUVWMNQR"
    if rank == 1:
        return "rsuvwzabcgh" if term.kind == "add" else "suvwzabcghr"
    return "stuvwzabcgr"


def fresh(letters: str, taken: set[str]) -> str:
    """A name that is not in use; now it is."""

    def candidates() -> Iterator[str]:
        yield from letters
        k = 0
        while True:
            k += 1
            yield f"{letters[0]}{k}"

    label = next(c for c in candidates() if c not in taken)
    taken.add(label)
    return label

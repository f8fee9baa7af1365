"""Which of several readings of a text is meant: what undeclared letters are, which product ``*`` is, what bars are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any

from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from ..syntax import INDICES, MATRIX_PRODUCTS, PRODUCTS, SPELLED_LETTERS, Node, ParseError
from ._known_functions import acts_on_entries
from ._operators import OF_SQUARES, SQUARE
from ._shapes import CONSTANTS, SIGMA, Reading, Shape, begins_with_number, call_in, names_in
from ._text_calls import refuse_applied
from ._words import COUNTS, SCALAR_LETTERS, differences, rank_by_letter

# -------------------------------------------------------------------------------------------------------------------
# What a letter is that nobody declared: what makes the formula one number whose parts fit one another

# The idea to hold: a letter is first what letters like it mostly are. Where that leaves an array, as a column c does in
# ``xᵀAx + bᵀx + c``, or adds a number to a vector, as a number μ in ``(x − μ)ᵀΣ⁻¹(x − μ)``, others are tried. What
# costs least is meant; two that cost the same are two readings, and the text is refused.


_MISFIT, _CONSTANT, _ARRAY, _CAPITAL, _DOT, _ODD, _AMPLITUDE, _COUNT, _LETTER = 200, 100, 22, 21, 15, 10, 10, 5, 2
"""What a reading costs.

_MISFIT : a number added to a vector where vectors are multiplied, or a factor of ⊙
_CONSTANT : e or pi as an array
_ARRAY : a result that is an array
_CAPITAL : a capital as a number; `_AMPLITUDE` less if it stands before a function of numbers: ``C e^{−kt}``
_DOT : ``u·v`` of letters that nothing shows to be vectors
_ODD : an entry-wise function of a matrix, an array as an exponent or a divisor
_COUNT : m, n, N and letters of numbers as arrays
_LETTER : any other letter that is not what it mostly is
"""

READINGS = bound(6)
"""Undeclared letters of which all ways to read them are tried; of more, those that change one."""
READING_PARTS = bound(400)
"""Parts of a text up to which other readings are tried."""

_OF_NUMBERS = frozenset({"||", "1[]", "where", "δ[]", "eye", "identity", "ones", "zeros", "full", "floor"})
"""Functions that are not entry by entry and take numbers."""
_LINEAR = frozenset({"‖‖", "norm", "⟨⟩", "dot", "inner", "inv", "det", "logdet", "trace", "tr", "outer", "solve"})
"""Functions in whose argument sums are those of vectors and matrices."""


def chosen(make: Callable[..., Any]) -> Any:
    """The reading of a text that is meant; ``make(ranks, flipped)`` reads it with other ranks of letters, and with the
    other product for ``*``.

    Raises
    ------
    ParseError : there is no reading, or there are two
    """
    first = make({}, False)
    short = len(first.nodes()) <= READING_PARTS
    letters = _names_of_numbers(first) if short and not _shows_arrays(first) else set()
    letters -= {n.value for n in _lengths_apart(first.nodes()).values() if n.kind == "name"} if letters else set()
    if letters and (of_numbers := _of_numbers(make, letters)):
        return _settled(of_numbers[0], make)
    found, failure = _inferred(first, make)
    if found and short and (curve := _as_a_curve(found, make)):
        found = curve
        if all(rank_by_letter(n) < 2 for n in curve.reading.symbols):
            return _settled(curve, make)
    least = _cost(found, make) if found else float("inf")
    readings = [found] if found else []
    if least and hasattr(first, "reading") and short:
        amplitudes = _amplitudes(first)
        for ranks, price in _other_ranks(first.open_names(), bool(amplitudes)):
            numbers = {name for name, rank in ranks.items() if rank == 0 and rank_by_letter(name) == 2}
            price -= _AMPLITUDE * (not numbers.isdisjoint(amplitudes))
            if price > least + _AMPLITUDE * bool(amplitudes):
                break
            if price > least:
                continue
            other, _ = _inferred(make(ranks, False), make)
            if other and other.misfit() >= _MISFIT and not other.reading.bars:  # which may be determinants
                continue
            fits = other and (numbers <= amplitudes or not other.misfit())
            matrix = other and other.reading.shapes[id(other.root)].rank == 2 and other.wanted is None
            if other and numbers and (matrix or not (fits and _must_be_numbers(other, numbers))):
                continue
            cost = price + _cost(other, make) if other else float("inf")
            if cost < least:
                least, readings = cost, [other]
            elif other and cost == least:
                readings.append(other)
    if len(readings) > 1:
        readings = _of_numbers(make, first.open_names()) or readings
    if len(readings) > 1:
        readings = _with_usual_unknowns(readings)
    if len(readings) > 1:
        raise _two_readings(*readings[:2])
    if not readings and failure is not None:
        raise failure
    return _settled((short and _as_a_curve(readings[0], make)) or readings[0], make)


_POWERS = frozenset({"^", "**", "sup"})
CONSTANT_LETTERS, _UNKNOWN = frozenset("abcdk"), frozenset("tuvwxyz")
"""The first letters of the alphabet are what stays the same, the last ones what varies, since Descartes."""


def _with_usual_unknowns(readings: list[Any]) -> list[Any]:
    """Of equal readings those in which no letter that stays the same is a column beside a number that varies: the t of
    ``Σ (y − a e^{−bt})²`` has as many entries as y, and b has not; all, if all are so."""

    def is_odd(found: Any) -> bool:
        ranks = {name.partition("_")[0]: len(shape.dims) for name, shape in found.reading.symbols.items()}
        return any(ranks.get(c) for c in CONSTANT_LETTERS) and any(ranks.get(c) == 0 for c in _UNKNOWN)

    return [found for found in readings if not is_odd(found)] or readings


def _as_a_curve(found: Any, make: Callable[..., Any]) -> Any:
    """The reading with the letters of a curve as numbers, None if there is no curve, or it fits less well."""
    ranks = _of_a_curve(found)
    other = _inferred(make(ranks, False), make)[0] if ranks else None
    return other if other and _cost(other, make) <= _cost(found, make) else None


def _of_a_curve(reader: Any) -> dict[str, int]:
    """The ranks of the letters of a curve that is fitted, ``Σ (y − a x − b)²``: where the product with a column is
    added to others, and two vary, nobody has as many parameters as data. A t that is no column beside y is one."""
    ranks = {n: len(shape.dims) for n, shape in reader.reading.symbols.items()}
    columns = {n for n, rank in ranks.items() if rank == 1}
    varying = {n for n, rank in ranks.items() if (rank == 1 and n in _UNKNOWN) or (rank < 2 and _OF_DATA.fullmatch(n))}
    if len(varying) < 2 or varying.isdisjoint(columns):
        return {}
    found, nodes = set[str](), reader.nodes()
    slopes = {n for n, rank in ranks.items() if rank == 0 and (n[0] in CONSTANT_LETTERS or n == "w")}
    slopes |= {n.value for n in nodes if n.kind == "name" and n.value == "m"}
    lengths = {id(n) for part in nodes if part.is_call(*_LINEAR) for n in postorder(part)}
    for node in nodes:
        sums = node.is_binary("+", "-") and id(node) not in lengths
        for product in _products_in(node.children) if sums else ():
            factors = _factors_of_quotient(product)
            alone = {f.value for f in factors if f.kind == "name"} & (columns - varying | {"w"} & varying | slopes)
            others = {*names_in(*factors)} & varying - {"w"}
            found |= alone if others else set()
    stems = {n.rstrip(_DIGITS) for n in found if n[-1].isdigit()}
    alike = {n for n in columns if n[0] in CONSTANT_LETTERS or n in ("phi", "φ") or re.fullmatch("[t-z]_?0", n)}
    alike |= {n for n in columns if n[-1].isdigit() and n.rstrip(_DIGITS) in stems}
    if not found or len(varying - found) < 2:
        return {}
    meant = dict.fromkeys(varying - found, 1) | dict.fromkeys((found | alike) & ranks.keys(), 0)
    return {name: rank for name, rank in meant.items() if name not in reader.declared}


_DIGITS, _OF_DATA = "0123456789", re.compile("[txyz]_?[1-9]?")


def _products_in(parts: Iterable[Node]) -> Iterator[Node]:
    """The products and quotients that summands are, and those in functions of entries, ``y − exp(−b t)``."""
    for part in parts:
        inner = part.children[0] if part.is_unary("-") else part
        yield inner
        raised = inner.is_binary("^", "**") and inner.children[0].value == "e"
        if raised or acts_on_entries(inner):
            yield from _products_in(inner.children)
        for factor in _factors_of_quotient(inner) if inner.kind == "binary" else ():
            yield from _products_in([factor]) if factor is not inner and factor.kind == "call" else ()


def _factors_of_quotient(node: Node) -> list[Node]:
    """The factors above and below the line."""
    if node.is_unary("-"):
        return _factors_of_quotient(node.children[0])
    if node.is_binary("/", "./", *PRODUCTS):
        return [f for side in node.children for f in _factors_of_quotient(side)]
    return [node]


def _settled(found: Any, make: Callable[..., Any]) -> Any:
    """A reading that was chosen, worked out."""
    symbols = found.reading.symbols.values()
    if found.reading.counts and symbols and not any(s.dims for s in symbols):
        found = make(dict.fromkeys([*found.reading.symbols, *found.reading.counts], 0), found.is_flipped)  # m, a mass
        found.infer()
    nodes = found.nodes()
    for refuse in _REFUSALS:
        refuse(found, nodes)
    _say_of_entries(found.reading, nodes)
    return _worked_out(found, make)


def _cost(reader: Any, make: Callable[..., Any]) -> int:
    """How badly the parts of a reading fit, its bars being what fits better: determinants, if they may be."""
    bars = [node.start for node, shape in reader.reading.bars if reader.may_be_square(shape)]
    cost: int = reader.misfit()
    if cost and bars:
        with suppress(FormulaError):
            other = make(reader.chosen, reader.is_flipped, frozenset(bars))
            other.infer()
            cost = min(cost, other.misfit())
    return cost


def _inferred(reader: Any, make: Callable[..., Any]) -> tuple[Any, ParseError | None]:
    """The reading whose parts fit best, of those with either product for ``*``; or why there is none."""
    try:
        reader.infer()
    except ParseError as error:
        if reader.notation.settled:
            return None, error
        other = make(reader.chosen, True)
        try:
            other.infer()
        except FormulaError:
            return None, error
        return (other, None) if other.reading.stars else (None, error)
    if not reader.notation.settled and reader.reading.stars and reader.misfit():
        other = make(reader.chosen, True)
        with suppress(FormulaError):
            other.infer()
            if other.misfit() < reader.misfit():
                return other, None
    return reader, None


def _other_ranks(names: dict[str, tuple[int, int]], scaled: bool) -> Iterator[tuple[dict[str, int], int]]:
    """The ranks that names may have beside their usual ones, and what that costs, the cheapest first; ``names`` with
    the usual one and the other one; whether a capital is ``scaled`` by a number."""
    small = {name: other for name, (usual, other) in names.items() if (usual, other) != (2, 1)}
    few = len(small) if len(small) <= READINGS else 1
    vectors = [name for name, ranks in names.items() if ranks == (1, 0)]
    capitals = [name for name, ranks in names.items() if ranks == (2, 1) and rank_by_letter(name) == 2]
    some = [c for size in range(1, few + 1) for c in itertools.combinations(small, size)]
    found = [({name: small[name] for name in c}, sum(map(_price, c))) for c in some]
    if len(vectors) > few:
        found.append((dict.fromkeys(vectors, 0), _LETTER * len(vectors)))
    if capitals and sum(other < 2 for _, other in names.values()) > (not scaled):
        sizes = range(1, len(capitals) + 1) if len(capitals) < READINGS else (1, len(capitals))
        for c in itertools.chain(*[itertools.combinations(capitals, size) for size in sizes]):
            found.append((dict.fromkeys(c, 0), _CAPITAL + _LETTER * (len(c) - 1)))
        if vectors:
            price = _LETTER * (len(vectors) + len(capitals) - 1) + _CAPITAL
            found.append((dict.fromkeys(capitals + vectors, 0), price))
        price = _CAPITAL + _LETTER * (len(capitals) - 1)
        found += [(dict.fromkeys(capitals, 0) | ranks, price + more) for ranks, more in found[: len(some)]]  # C Σ hinge
    once = {frozenset(ranks.items()): (ranks, price) for ranks, price in sorted(found, key=lambda one: -one[1])}
    yield from sorted(once.values(), key=lambda one: one[1])


def _price(name: str) -> int:
    """What it costs that a letter is an array, or a number, though it mostly is none."""
    if name in CONSTANTS:
        return _CONSTANT
    return _LETTER if rank_by_letter(name) else _COUNT


def _must_be_numbers(reader: Any, names: set[str]) -> bool:
    """Whether something shows that capitals are numbers: they divide, are divided by such, stand in an exponent, in a
    function or before one, or are added to a number; one of them, and all that are raised to a power, which matrices
    are too, but for ``L^{1−α}``. Of ``log|X|`` the bars are a determinant."""
    reading, shown, divided, raised, powers = reader.reading, set[str](), set[str](), set[str](), False
    nodes = reader.nodes()
    if any(name.endswith(f"_{time}") for name in names for time in (reader.latex.times if reader.latex else ())):
        return False  # K_k beside x_{k|k-1}
    if not _shows_arrays(reader):  # T_s, V_0, and I as a factor of S
        shown |= {name for name in names if "_" in name or differences(names) > 1}
        beside = [_factors(node) for node in nodes if node.is_binary("juxt", "*")]
        products = [{n.value for p in factors for n in (p, *p.children) if n.kind == "name"} for factors in beside]
        shown |= {p.value for factors in beside if any(map(_is_number, factors)) for p in factors if p.value in names}
        shown |= {"I"} & names if any("I" in some and len(some & names) > 1 for some in products) else set()
        powers = _has_small(reader) or "I" in shown or _HALF.search(reading.text) is not None  # σ T^4, ½CV², I R^2
    logarithms = [node for node in nodes if node.is_call("log", "ln")]
    bars = [node.children[0] for node in logarithms if node.children[0].value == ("||", ())]
    barred = {id(n) for n in postorder(*bars)}
    shown |= _amplitudes(reader) & names

    def within(node: Node) -> set[str]:
        return {n.value for n in postorder(node) if n.kind == "name" and id(n) not in barred} & names

    for node in nodes:
        of_entries = acts_on_entries(node) or node.is_call(*_OF_NUMBERS)
        if of_entries or node.is_unary("√"):
            shown |= within(node)
        if node.kind != "binary":
            continue
        left, right = node.children
        if node.value in _POWERS:
            raised |= within(left)
            shown |= within(right) | ({"I"} & names if left.value == "I" else set())
            shown |= within(left) if right.kind == "number" and right.value != int(right.value) else set()
            above = names_in(right)
            if left.kind == "name" and any(rank_by_letter(n) == 0 and n not in CONSTANTS for n in above):
                shown |= within(left)
        elif node.value in MATRIX_PRODUCTS and right.is_binary("/"):
            divided |= within(left) if names_in(right.children[1]) else set()
        elif node.value in ("/", "./"):
            divided |= within(left) if names_in(right) else set()
            shown |= within(node) if within(right) else set()
        elif node.value in ("+", "-"):
            for one, two in ((left, right), (right, left)):
                while one.is_unary("-"):
                    one = one.children[0]
                number = reading.shapes[id(two)]
                several, literal = _factors(one), number.is_number
                if len(several) > 1 and all(p.kind in ("name", "number") for p in several):  # 1 + αT
                    scalars = {p.value for p in several} & SCALAR_LETTERS
                    several = [p for p in several if p.kind == "name" and p.value not in scalars]
                    one, literal = (several[0], literal and not scalars) if len(several) == 1 else (one, literal)
                elif not any(reading.shapes[id(p)].dims for p in several):  # C*sum(…)
                    one = next((p for p in _factors_of_quotient(one) if p.kind == "name" and p.value in names), one)
                if one.kind == "name" and not (number.dims or literal or within(two)):
                    shown |= within(one)
    shown |= raised if powers else set()
    return bool(shown | divided) and raised <= shown


def _is_number(part: Node) -> bool:
    """Whether a factor is what a number is: a power of small letters, ``v²``, or a function of a number, ``ln 2``."""
    names = names_in(part)
    power = part.value in ("^", "sup") and part.children[1].kind == "number"
    function = acts_on_entries(part) and not names
    return (power or function) and not _has_capital(names)


def _has_capital(names: Iterable[str]) -> bool:
    return any(rank_by_letter(name) == 2 for name in names)


_OF_ANGLES, _GREEK = frozenset({"sin", "cos", "tan"}), frozenset(SPELLED_LETTERS) | frozenset(SPELLED_LETTERS.values())


def _factors(node: Node) -> list[Node]:
    """The factors of a product of numbers and letters, in order."""
    if node.is_binary(*MATRIX_PRODUCTS) and not node.bracketed:
        return [*_factors(node.children[0]), node.children[1]]
    return [node]


_OF_ALL = frozenset({"sum", "mean", "‖‖", "norm"})
"""Functions of all entries of a column."""


def _amplitudes(reader: Any) -> set[str]:
    """The capitals before a function of what only numbers are, ``C e^{−kt}``, ``V sin(ωt + φ)``, ``F d cos θ``, before
    a sum or a length, ``C Σ x_i``, and those of a quotient in one, ``√(L/g)``; of ``A exp(x)`` and ``A tanh(Bx)`` they
    are arrays."""

    def is_of_numbers(part: Node, angle: bool = False) -> bool:
        names = names_in(part)
        products = any(n.is_binary("juxt", "*") for n in postorder(part))
        greek = any(n in _GREEK if angle else rank_by_letter(n) == 0 and n not in CONSTANTS for n in names)
        return bool(names) and not _has_capital(names) and (products or greek)

    def is_function(part: Node) -> bool:
        if part.kind == "name" and part.children:  # a definition
            return any(map(is_function, _factors(part.children[0])))
        if part.bracketed and begins_with_number(part):  # D (1 − x)
            names = names_in(part)
            return bool(names) and not _has_capital(names)
        if part.kind in ("Σ", "Π") or part.is_call(*_OF_ALL):  # C Σ max(0, 1 − y_i wᵀx_i)
            return True
        if part.kind == "call":
            whole = [p for p in part.children if p.kind == "Σ" or p.is_call(*_OF_ALL)]
            if acts_on_entries(part) and whole:  # A log Σ exp(x_i)
                return True
            return acts_on_entries(part) and all(is_of_numbers(p, part.value[0] in _OF_ANGLES) for p in part.children)
        if not part.is_binary(*_POWERS):
            return False
        base, above = part.children
        if (base.bracketed or base.is_call(*_OF_ALL)) and is_function(base):
            return True
        if base.bracketed:  # (1 + r)^t
            below, raised = names_in(base), names_in(above)
            return bool(below and raised) and not _has_capital(below + raised)
        return base.value == "e" and is_of_numbers(above)

    found: set[str] = set()
    for node in reader.nodes():
        factors = _factors(node)
        behind = [k for k, part in enumerate(factors) if is_function(part)]
        if len(factors) > 1 and behind:
            halves = [p.children[0] if p.is_binary("/") else p for p in factors[: behind[-1]]]  # C/2
            found |= {part.value for part in halves if part.kind == "name"}
        if node.is_unary("√") or acts_on_entries(node):
            quotients = [p for p in node.children if p.is_binary("/")]
            found |= {p.value for q in quotients for p in q.children if p.kind == "name"}
    return {name for name in found if rank_by_letter(name) == 2 and name not in reader.declared}


def _of_numbers(make: Callable[..., Any], names: Collection[str]) -> list[Any]:
    """The reading in which all letters are numbers, if something shows that capitals are; as a list of one, or none."""
    capitals = {name for name in names if rank_by_letter(name) == 2}
    other, _ = _inferred(make(dict.fromkeys(names, 0), False), make) if capitals else (None, None)
    fits = other and not other.misfit() and _must_be_numbers(other, capitals)
    return [other] if fits else []


_OF_ARRAYS = frozenset({"@", "⊙", "⊗", ".*", "./", ".^", "⟨⟩", "T", "-T"})
_OF_VECTORS = frozenset("xyzwuvb")


def _shows_arrays(reader: Any) -> bool:
    """Whether something in a text is of vectors or matrices alone: a transpose, a trace, an entry, a capital before x,
    an inverse in superscript, ``A⁻¹`` and LaTeX's ``A^{-1}``; ``A^-1`` is as often typed of a number."""
    if reader.wanted or reader.vectors or reader.members or any(reader.declared.values()):
        return True
    inner = set(_lengths_apart(nodes := reader.nodes()))
    for node in [n for n in nodes if id(n) not in inner] if inner else nodes:
        if node.kind == "call":
            of_arrays = not acts_on_entries(node) and node.value[0] not in _OF_NUMBERS
        elif node.kind in ("unary", "binary"):
            inverse = node.value == "sup" and node.children[1].value == -1
            before = node.children[0] if node.value in ("juxt", "*") else node
            inverse = inverse or (node.is_binary("+", "-") and _adds_identity(*node.children))
            of_vector = before is not node and _last_name(before) and node.children[1].value in _OF_VECTORS
            of_arrays = node.value in _OF_ARRAYS or inverse or of_vector
        else:
            of_arrays = node.kind not in ("name", "number")
        if of_arrays:
            return True
    return False


def _lengths_apart(nodes: list[Node]) -> dict[int, Node]:
    """The parts in norms, ``G m/‖r − s‖``, whose letters stand nowhere else; none where one does."""
    within = {id(p): p for n in nodes if n.is_call("‖‖", "norm") for p in postorder(n)}
    around = [n.value for n in nodes if n.kind == "name" and id(n) not in within] if within else []
    return within if {n.value for n in within.values() if n.kind == "name"}.isdisjoint(around) else {}


def _adds_identity(one: Node, two: Node) -> bool:
    """Whether it is ``A + I``, ``A + λI``."""
    last = [_factors(part)[-1] for part in (one, two)]
    capitals = [part.value for part in last if part.kind == "name" and rank_by_letter(part.value) == 2]
    return len(capitals) == 2 and len({"I", *capitals}) == 2 and capitals[0] != capitals[1]


def _names_of_numbers(reader: Any) -> set[str]:
    """All letters of a text in which a small one stands beside capitals, or a capital divides: there all may be
    numbers; ``exp(X)`` and ``X/n`` are of an array, and Σ is none."""
    nodes, names = reader.nodes(), _letters(reader)
    if any(name.startswith(SIGMA) for name in names):
        return set()
    below = [n for node in nodes if node.is_binary("/") for n in postorder(node.children[1])]
    small = _has_small(reader) or "I" in names or _HALF.search(reader.text) or differences(names) > 1
    return names if small or any(n.kind == "name" and rank_by_letter(n.value) == 2 for n in below) else set()


_HALF = re.compile(r"½|/\s*2(?![0-9.])")


def _has_small(reader: Any) -> bool:
    """Whether a letter of a text is no capital, and counts nothing."""
    return any(rank_by_letter(n) < 2 and n not in COUNTS for n in _letters(reader))


def _letters(reader: Any) -> set[str]:
    """The names of a text but for constants and what it defines."""
    nodes = reader.nodes()
    return {n.value for n in nodes if n.kind == "name" and n.value not in {*CONSTANTS, *reader.definitions}}


def _last_name(node: Node) -> bool:
    """Whether a product ends with a capital."""
    last = _factors(node)[-1]
    raised = last.is_binary(*_POWERS)  # A² x, (A + B)² x
    names = [n for n in postorder(last.children[0]) if n.kind == "name"] if raised else [last]
    return any(n.kind == "name" and rank_by_letter(n.value) == 2 for n in names)


def _two_readings(one: Any, two: Any) -> ParseError:
    a, b = one.reading, two.reading
    name = next(n for n, s in a.symbols.items() if n in b.symbols and s.rank != b.symbols[n].rank)
    said = " or ".join([r.described(r.symbols[name]) for r in (a, b)])
    whole = [", ".join(r.assumed()) for r in (one, two)]
    step = f'Declare it, {name}=() for a number and {name}="n" for a vector: with {whole[0]}; or with {whole[1]}.'
    return a.problem(a.places[name], f"'{name}' may be {said}", step)


# ---------------------------------------------------------------------- how well a reading fits


def misfit(reading: Reading, root: Node, numbers: bool) -> int:
    """What a reading costs; ``numbers`` if the result may be a number."""
    array = root.kind != "axes" and reading.shapes[id(root)].dims  # free letters say that it is one
    cost = _ARRAY if numbers and array else 0
    stack, seen = [(root, False)], set[tuple[int, bool]]()
    while stack:
        node, linear = stack.pop()
        if (id(node), linear) in seen:  # a definition that is used again
            continue
        seen.add((id(node), linear))
        price, inner = _misfit_at(reading, node, linear)
        cost += price
        stack += [(child, inner) for child in node.children]
    return cost


def _misfit_at(reading: Reading, node: Node, linear: bool) -> tuple[int, bool]:
    """What an operator or a function costs, and whether its operands are added as vectors are; ``linear`` says whether
    its result is."""
    shapes = [reading.shapes[id(child)] for child in node.children]
    entries = any(s.at for s in shapes) and not any(s.at and s.dims for s in shapes)
    if entries or any(s.parts for s in shapes):
        return 0, False
    constants = [s.is_number and child.kind == "name" for s, child in zip(shapes, node.children, strict=True)]
    numbers = [not s.dims and (c or not s.is_number) for s, c in zip(shapes, constants, strict=True)]
    if node.kind == "unary":
        return _MISFIT * (node.value in ("T", "-T") and numbers[0]), linear or node.value in ("T", "-T")
    if node.kind == "call":
        name = node.value[0]
        entrywise = acts_on_entries(node) or name in _OF_NUMBERS
        if not entrywise:
            return _MISFIT * bool(numbers and numbers[0]), name in _LINEAR
        unsaid = reading.matrix or not reading.is_settled
        return _ODD * (unsaid and name not in _OF_NUMBERS and any(s.rank == 2 for s in shapes)), False
    if node.kind != "binary":
        return 0, linear
    if node.value in ("+", "-"):
        linear = linear or any(_is_of_vectors(reading, child) for child in node.children)
        rank = shapes[numbers.index(False)].rank if sorted(numbers) == [False, True] else 0
        apart = (linear and rank > 0) or (rank == 2 and (reading.paper or reading.matrix))
        script = reading.marks.matlab or reading.marks.julia  # where 1 - p is of each entry
        literal = reading.paper and not script and any(s.is_number for s in shapes) and any(s.dims for s in shapes)
        return _MISFIT * apart + _ODD * literal + _spread(reading, shapes), linear
    if node.value in (".*", "./", "⊙"):  # of both sides of ⊙ entries are taken, and 2 .* x is MATLAB's
        return _MISFIT * (any(numbers) if node.value == "⊙" else all(numbers)), False
    if reading.matrix and node.value in ("*", "@", "juxt", "·"):
        left = node.children[0]
        between = shapes[1].dims and left.kind == "binary" and left.value == node.value and not left.bracketed
        if between:  # xᵀ N u: numbers stand before arrays, too
            inner = [reading.shapes[id(child)] for child in left.children]
            count = left.children[1].value if left.children[1].kind == "name" else ""
            between = inner[0].dims and count in reading.counts and count.isupper()
        dot = node.value == "·" and all(s.rank == 1 and not s.row for s in shapes)
        behind = constants[1] and bool(shapes[0].dims)  # A e: numbers stand before arrays
        return _DOT * dot + _MISFIT * behind + _ODD * bool(between), linear or all(s.dims for s in shapes)
    if node.value == "@":
        return 0, all(s.dims for s in shapes)
    over = reading.paper and node.value in ("/", "^", "sup") and shapes[1].dims  # arrays neither divide nor are above
    below = node.children[1]
    letter = below.children[0] if below.kind == "call" and below.children else below  # Q Kᵀ/sqrt(d)
    rows = node.value == "/" and letter.kind == "name" and [s.rank for s in shapes] == [2, 1]
    return _ODD * bool(over or rows) + _spread(reading, shapes), False


def _side_by_side(nodes: list[Node]) -> Iterator[tuple[Node, Node]]:
    """What is written without a sign between: the last factor before, and what is behind."""
    for node in nodes:
        if node.is_binary("juxt"):
            before, behind = node.children
            while before.is_binary("juxt") and not before.bracketed:
                before = before.children[1]
            yield before, behind


def _refuse_called(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``N(d)``, which may be a function, where a capital is read as a number."""
    reading = reader.reading
    for name, bracket in _side_by_side(nodes):
        capital = name.kind == "name" and len(name.value) == 1 and name.value.isupper()
        if not capital:
            continue
        number = name.value in reading.counts or not reading.symbols.get(name.value, Shape((1,))).dims
        called = bracket.bracketed and name.end == bracket.start and not begins_with_number(bracket)
        if number and name.value not in reader.declared and called:
            what = f"{name.value}(…) may be a function, and the product with {name.value}"
            raise reading.problem(
                name, what, f"Write {name.value}*(…) for the product, Phi(…) for the normal distribution."
            )


def _refuse_transposed(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``t(1 + x)``, as R writes a transpose, of what is no matrix nor stands before a factor."""
    reading = reader.reading
    before = {id(n.children[0]) for n in nodes if n.is_binary(*PRODUCTS)}
    for node in nodes:
        called = node.is_call("t") and "%*%" not in reading.text
        called = called and reader.declared.keys().isdisjoint(names_in(node))
        if called and reading.shapes[id(node)].rank < 2 and id(node) not in before:
            what = "t(…) may be the product with t, and R's transpose"
            raise reading.problem(node, what, "Write t*(…) for the product, or declare what is transposed.")


_OF_MATRICES = frozenset({"exp", "log", "sqrt"})
"""Functions that a matrix has, too, and of each entry."""


_ALSO_OF_MATRICES = _OF_MATRICES | {"√", "ln", "sin", "cos", "sinh", "cosh"}


def _say_of_entries(reading: Reading, nodes: list[Node]) -> None:
    """Say of ``exp(t A)`` that it is of each entry, which NumPy's is for everybody."""
    applied = [n for n in nodes if n.kind in ("call", "unary") and not (reading.is_numpy or n.owner)]
    names = {n.value[0] if n.kind == "call" else n.value for n in applied if reading.shapes[id(n)].rank == 2}
    reading.taken |= {f"{name} of each entry" for name in names & _ALSO_OF_MATRICES}


def _refuse_of_matrices(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``tr(exp(A))``, and ``exp(A) x`` where nobody declared A, which may be functions of the matrix."""
    reading = reader.reading

    def function(part: Node) -> str:
        return "sqrt" if part.value == "√" else str(part.value[0]) if part.kind == "call" else ""

    def is_open(part: Node) -> bool:
        return function(part) in _OF_MATRICES and reading.shapes[id(part)].rank == 2 and not part.owner

    for node in nodes:
        multiplied = node.is_binary("juxt", "@", "*") and reading.matrix
        multiplied = multiplied and all(reading.shapes[id(child)].dims for child in node.children)
        of_square = node.is_call(*OF_SQUARES)
        for part in filter(is_open, node.children if multiplied or of_square else ()):
            if multiplied and not reader.declared.keys().isdisjoint(names_in(part)):
                continue
            name, inner = function(part), reading.argument(part.children[0])
            of_matrix = f", {call_in(reading.text, 'matrix_exp', inner)} for the latter" * (name == "exp")
            what = f"{name} of a matrix may be that of each entry, and of the matrix"
            raise reading.problem(part, what, f"Write np.{name}({inner}) for the former{of_matrix}.")


def _refuse_squares_of_columns(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``A x^2`` of a column that nobody declared: papers have no power of a column."""
    reading = reader.reading
    for node in nodes:
        if not node.is_binary("juxt", "*") or not reading.matrix:
            continue
        left, right = node.children
        typed = right.kind == "binary" and reading.text[right.at : right.at + 2] in ("^2", "^3")
        if not typed or right.children[0].kind != "name" or right.children[0].value in reader.declared:
            continue
        if reading.shapes[id(left)].rank == 2 and reading.shapes[id(right)].rank == 1:
            source, inner = reading.source(node), reading.source(node.children[1].children[0])
            what = f"{source} may be the matrix times the squares of the entries, and the squares of a product"
            step = f"Write {inner}.^2 for the former, brackets for the latter."
            raise reading.problem(right, what, step)


def _refuse_vec(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``vec(X)ᵀ (A ⊗ B) vec(X)``: books stack columns, and vec goes row by row here."""
    shapes = reader.reading.shapes
    products = [n for n in nodes if n.value == "⊗" or n.is_call("kron")]
    products = [n for n in products if shapes[id(n)].rank == 2]
    stacked = next((n for n in nodes if n.is_call("vec")), None)
    if products and stacked is not None:
        what = "vec beside a Kronecker product stacks columns in books, and goes row by row here"
        raise reader.reading.problem(stacked, what, "Write ravel(X.T) for the former, ravel(X) for the latter.")


_PRIMES = ("'", ".'", r"^\prime", r"^{\prime}")


def _refuse_primed(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``ω − ω'``: a number has no transpose; ``x' − y``, where nothing else lies; and ``A^2'``, in MATLAB the
    transpose of the power."""
    reading = reader.reading
    turned = set[int]()  # where a transpose is below
    for node in nodes:
        if node.value == "T" or any(id(c) in turned for c in node.children):
            turned.add(id(node))
    sums = [node.children for node in nodes if node.is_binary("+", "-")]
    columns = {id(one) for pair in sums for one, two in (pair, pair[::-1]) if id(two) not in turned}
    for node in nodes:
        if not node.is_unary("T") or not reading.text.startswith(_PRIMES, node.at):
            continue
        (inner,) = node.children
        if inner.kind == "number" and not inner.bracketed:
            what = f"{reading.source(node)} transposes a number, and in MATLAB the power that it ends"
            raise reading.problem(node, what, "Write brackets around the power, (A^2)'.")
        alone = id(node) in columns and inner.value not in reader.declared and reading.shapes[id(inner)].rank == 1
        if inner.kind == "name" and (alone or not reading.shapes[id(inner)].dims):
            what = f"{reading.source(node)} may be another name than {inner.value}, or its derivative"
            raise reading.problem(node, what, f"Write {inner.value}_1, say, for another name.")


def _refuse_places(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``x(1)^2`` of an array: nobody puts one number in brackets to multiply by it."""
    reading = reader.reading
    for name, bracket in _side_by_side(nodes):
        while bracket.children and not bracket.bracketed:
            bracket = bracket.children[0]
        called = bracket.kind == "number" and bracket.bracketed and name.end == bracket.start
        if called and name.kind == "name" and reading.shapes[id(name)].dims:
            inside = reading.argument(bracket)
            what = f"{name.value}({inside}) may be an entry as MATLAB counts, and the product"
            step = f"Write {name.value}[0] for the first entry, {name.value}*{inside} for the product."
            raise reading.problem(name, what, step)


def _refuse_imaginary(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``e^{i k x}`` and ``2 + 3i``, where i, or an engineer's j, may be the imaginary unit: there is none."""
    reading = reader.reading
    open_names = reading.symbols.keys() - reader.declared.keys()
    units = {name for name in open_names if re.fullmatch("[ij][kqtxωθφ]{0,2}|[ij]w[tx]?", name)}  # ikx
    for node in nodes if units else ():
        inside: tuple[Node, ...] = ()
        if node.is_call("exp"):
            inside = node.children
        elif node.is_binary("^", "**") and node.children[0].value == "e":
            inside = node.children[1:]
        elif node.is_binary("juxt") and node.children[0].kind == "number":  # 3i, and not 3 i
            inside = node.children[1:] if node.children[0].end == node.children[1].start else ()
            inside = tuple(n for n in inside if n.kind == "name")
        for part in postorder(*inside):
            if part.kind == "name" and part.value in units:
                unit = f"{part.value[0]}' of '" * (len(part.value) > 1)
                what = f"'{unit}{part.value}' may be the imaginary unit, which formulas do not have, and a number"
                step = f"Write cos and sin for the former, declare the latter: {part.value}=()."
                raise reading.problem(part, what, step)


def _refuse_counted_from_1(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``x[1]`` beside signs of R, MATLAB or Julia, and ``x[1]^2 + x[2]^2``: they count from 1, and brackets are
    read from 0."""
    marks = reader.marks
    indexed = [
        n for n in nodes
        if n.kind == "index" and (marks.r or any(type(i) is int for i in n.value)) and not _is_pair(reader, n)
    ]  # fmt: skip
    places = {i for n in indexed for i in n.value if type(i) is int}
    names = {n.children[0].value for n in indexed if n.children[0].kind == "name"}
    typed = not (reader.is_numpy or reader.printed) and names.isdisjoint(reader.declared)
    from_1 = bool(places) and min(places) > 0
    if not (indexed and (marks.r or (from_1 and (any(marks) or (typed and {1, 2} <= places))))):
        return
    beside = " beside %*%" if marks.r else ""
    source = reader.reading.source(indexed[0])
    what = f"{source}{beside}: R counts from 1, as MATLAB and Julia do, and brackets are read from 0"
    step = "Write @ for the product, and x[0] for the first entry." if marks.r else "Write x[0] for the first entry."
    raise reader.reading.problem(indexed[0], what, step)


def _is_pair(reader: Any, node: Node) -> bool:
    """Whether a place is one of the results of ``slogdet(A)[1]``, in Python."""
    return bool(reader.reading.shapes[id(node.children[0])].parts)


def _refuse_last_entries(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``x_N`` beside the entries of x that are summed up to N, or N − 1: the last of them, no other name."""
    reading = reader.reading
    ends = {said.size for said in reading.ranges.values()} - {""}
    for node in nodes if ends else ():
        stem, _, below = node.value.partition("_") if node.kind == "name" else ("", "", "")
        if below in ends and stem in reading.symbols and not {stem, node.value} & reader.declared.keys():
            what = f"'{node.value}' may be the last of the entries of {stem} and another name"
            raise reading.problem(node, what, f"Give it another letter, or declare it: {node.value}=…")


def _refuse_lengths(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``a + |w|`` of a number and a column that nobody declared: a norm, but which one?"""
    reading = reader.reading
    sums = [node for node in nodes if node.is_binary("+", "-") and reading.matrix]
    for one, two in [pair for node in sums for pair in (node.children, node.children[::-1])]:
        last = _factors(one)[-1]
        names = set(names_in(last))
        number = reading.shapes[id(two)]
        if last.kind != "call" or last.value != ("||", ()) or number.dims or number.is_number:
            continue
        if reading.shapes[id(one)].rank == reading.shapes[id(last)].rank == 1 and names.isdisjoint(reader.declared):
            inner = reading.argument(last.children[0])
            what = f"{reading.source(last)} of a column may be the sum of the entries' absolute values, and its length"
            raise reading.problem(
                last, what, f"Write ‖{inner}‖₁ or norm1({inner}) for the former, ‖{inner}‖ for the latter."
            )


def _refuse_sums(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``Σ p log p`` and ``Σ (x_i − m)²``, where nobody takes Σ for a matrix, and ``sum (x_i - m)^2``."""
    reading = reader.reading

    def is_labelled(node: Node) -> bool:
        names = [n for n in names_in(node) if n not in reader.declared]
        return any(n.kind == "entry" for n in postorder(node)) or any(
            below == "n" or (below and INDICES.issuperset(below)) for _, _, below in (n.rpartition("_") for n in names)
        )

    def is_of_entries(node: Node) -> bool:  # (y − ŷ)², |x − m|
        return _factors(node)[0].value in ("^", "sup", ("||", ())) and reading.shapes[id(node)].rank == 1

    for node in [n for n in nodes if n.kind == "binary"] if reader.latex is None else ():
        left, right = node.children
        sign = _factors(left)[-1].value if node.value in ("juxt", "-", "+") else ""
        beside = sign in ("Σ", "Π") and sign not in reader.declared
        if (
            beside
            and (len(_factors(left)) == 1 or not any(n.kind == "entry" for n in postorder(left)))  # xᵢᵀ Σ xᵢ
            and (node.value == "juxt" or is_labelled(right))
            and (is_labelled(right) or not reading.shapes[id(right)].dims or is_of_entries(right))
        ):
            what = f"'{sign}' may be the {'sum' if sign == 'Σ' else 'product'} of what follows, and a matrix"
            step = f"Write {sign}ᵢ and names with index i for the former, {sign}*{reading.source(right)} for the other."
            raise reading.problem(_factors(left)[-1], what, step)
        if node.value in ("^", "sup") and reading.text.startswith("sum", node.start) and is_labelled(left):
            what = f"{reading.source(node)} may be the sum of the powers, and the power of the sum"
            raise reading.problem(node, what, "Write sum_i … for the former, brackets around the sum for the latter.")


def _refuse_labels(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``-z[y] + log(sum(exp(z)))``, where y may be the number of a class: letters of places are i, j, k, t."""
    entries = [node for node in nodes if node.kind == "entry"]
    summed = {letter for node in nodes if node.kind in ("Σ", "Π") for letter in node.value}
    for node in entries if reader.latex is None else ():
        labels = [x for x in node.value if isinstance(x, str) and x[0] in "abcdvwxyz"] if node.value else []
        if labels and not summed:  # else letters are those of axes
            what = f"'{labels[0]}' may be one place, and the index of all entries"
            source = reader.reading.source(node.children[0])
            step = f"Write {source}[i] for all entries; for one, {source}[0], or c'*{source} with c of 0 and 1."
            raise reader.reading.problem(node, what, step)


_REFUSALS = (
    refuse_applied, _refuse_called, _refuse_of_matrices, _refuse_squares_of_columns, _refuse_primed, _refuse_places,
    _refuse_vec, _refuse_imaginary, _refuse_counted_from_1, _refuse_last_entries, _refuse_lengths, _refuse_sums,
    _refuse_labels, _refuse_transposed,
)  # fmt: skip


def _spread(reading: Reading, shapes: list[Shape]) -> int:
    """What it costs that the rows of a matrix meet a vector, as in NumPy: nothing where the text is NumPy's."""
    meets = not reading.is_settled and sorted(s.rank for s in shapes) == [1, 2]
    return (_MISFIT if reading.paper else _ODD) * meets


def _is_of_vectors(reading: Reading, node: Node) -> bool:
    """Whether a summand is a product of vectors or matrices."""
    while node.kind == "unary" or node.is_binary("*", "juxt", "·", "/"):
        shapes = [reading.shapes[id(child)] for child in node.children]
        if node.kind == "binary" and reading.matrix and node.value != "/" and all(s.dims for s in shapes):
            return True
        node = next((child for child, s in zip(node.children, shapes, strict=True) if s.dims), node.children[0])
    return False


# ---------------------------------------------------------------------- which product ``*`` is


def _worked_out(found: Any, make: Callable[..., Any]) -> Any:
    """A reading with its formula; where the other product for ``*`` fits as well, both must be the same.

    Raises
    ------
    ParseError : they are not
    """
    failure: ParseError | None = None
    try:
        found.work()
    except ParseError as error:
        failure = error
    if found.notation.settled or (failure is None and (not found.reading.stars or found.reading.inverts)):
        if failure is not None:
            raise failure
        return found
    other = make(found.chosen, not found.is_flipped)
    try:
        other.work()
    except FormulaError:
        if failure is not None:
            raise failure from None
        return found
    if failure is not None:
        if other.reading.stars:
            return other
        raise failure
    if found.misfit() + _MISFIT <= other.misfit() or found.formula.equals(other.formula):
        return found
    first = other if found.is_flipped else found
    star = first.reading.stars[0]
    a, b = map(first.reading.operand, star.children)
    step = f'Write {a} @ {b} or {a} .* {b}, or say how it is meant: dialect="matrix" or dialect="numpy".'
    raise first.reading.problem(star, "'*' may be the matrix product, and the product entry by entry", step)


# ---------------------------------------------------------------------- what bars are


def with_determinants(found: Any, another: Callable[[frozenset[int]], Any]) -> Any:
    """The reading in which ``|X|`` of a matrix that may be square is a determinant, where the formula fits together so
    only.

    Raises
    ------
    ParseError : some of the bars may be determinants
    """
    bars = [node for node, shape in found.reading.bars if found.may_be_square(shape)]
    for some in [*({node.start} for node in bars), {node.start for node in bars}] if bars else []:
        try:
            if len(bars) < 3:  # else there are more ways to choose among them than are tried
                other = another(frozenset(some))
                other.infer()
        except FormulaError:
            continue
        if len(bars) < 3 and other.misfit() + _ARRAY < found.misfit():  # alone it may be |X| entry by entry
            other.work()
            return other
        source = found.reading.argument(bars[0].children[0])
        what = f"|{source}| of {SQUARE} may be read in two ways"
        raise found.reading.problem(bars[0], what, f"Write abs({source}), or det({source}).")
    return found

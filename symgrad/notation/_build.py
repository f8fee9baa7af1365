"""From a tree to a formula: shapes and steps first, then the steps are run; index notation."""

from __future__ import annotations

import contextlib
import itertools
import string
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _limits, linalg
from .._errors import FormulaError, SymgradError
from .._limits import bound
from .._tensor import symbol, with_sizes
from .._trees import postorder
from ..core import TABLE, Dim, Tensor, constant_from, modes, unwrap
from ..ops import FUNCTIONS
from ..show.signs import INDEX_LETTERS
from ..syntax import INFIX, LARGE_SIGNS, PRODUCTS, Node, ParseError
from . import _operators
from ._known_functions import acts_on_entries
from ._shapes import (
    At,
    Evaluate,
    NodeStep,
    Reading,
    Shape,
    UnknownSize,
    WorkedOut,
    as_numbers,
    as_tensor,
    exact_product,
    is_covariance,
    is_no_number,
    lift,
    names_in,
    ones,
)
from ._text_calls import call

# --------------------------------- Index notation: ``A[i,k]``, sums over letters, and how entries become arrays again

# The idea to hold: an entry is a number that knows its letters (`Shape.at`), and its value has one axis for each of
# them. What is between entries is what is between numbers, their axes laid on one another letter by letter; a sum is
# one einsum of its factors. A letter lives within what sums over it, or makes it an axis, and means nothing elsewhere.
# Parts of arrays, ``x[1:]``, have numbers in their brackets and no letters.


Rule = Callable[..., WorkedOut]
_BETWEEN = frozenset(INFIX) - {"@", "⊗", "\\"}
_BEFORE = frozenset({"-", "+", "~", "√"})
_CALLS = frozenset({"1[]", "||", "masked_fill"})


# ---------------------------------------------------------------------- letters are made


_SUMS = frozenset(LARGE_SIGNS.values())
"""What stands before all that is added, or multiplied, over a letter."""


def entry(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``A[i,k]``, ``A[i,0]``, ``A[i,i]``: the value has an axis for each letter, in their order, and then those of the
    vector that each is, of a family of vectors."""
    items, owner = node.value, node.children[0]
    family = owner.kind == "name" and owner.value in reading.families
    if family and not (len(items) == len(set(items)) and all(isinstance(item, str) for item in items)):
        raise reading.problem(node, f"{reading.source(node)} is one vector of several", "Write a letter for which.")
    if a.at or len(items) + family != a.rank:
        has = f"{reading.source(owner)} is {'an entry' if a.at else reading.described(a)}"
        raise reading.conflict(node, f"{has}, and {len(items)} ind{'ex is' if len(items) == 1 else 'ices are'} given")
    at: dict[str, int | UnknownSize] = {}
    key: tuple[Any, ...] = ()
    for item, shift, dim in zip(items, node.shifts, a.dims, strict=False):
        if isinstance(item, int):
            reading.require_place(node, dim, item)
            key += (item,)
            continue
        least, most = node.spans.get(item, (0, 0))  # x[i+1] beside x[i] are x[1:] and x[:-1]
        key += (slice(shift - least, (shift - most) or None),)
        length = reading.sizes.plus(dim, least - most)
        if isinstance(length, int) and length < 1:
            raise reading.problem(node, f"{reading.source(owner)} has {reading.entries(dim)}, too few for that")
        _agree(reading, node, item, at.setdefault(item, length), length)
    whole = all(part == slice(0, None) for part in key)
    if family:
        members = Shape(a.dims[len(items) :], at=tuple(at.items()), bound=a.bound)
        return members, lambda value: value if whole else value[key]
    letters = [item for item in items if isinstance(item, str)]

    def run(value: Any) -> Any:
        value = value if whole else value[key]
        return value if len(at) == len(letters) else _einsum([(value, letters)], list(at))

    return Shape(at=tuple(at.items()), bound=a.bound), run


def _agree(reading: Reading, node: Node, letter: str, one: int | UnknownSize, two: int | UnknownSize) -> None:
    if not reading.sizes.same(one, two):
        said = f"'{letter}' runs over {reading.entries(one)} and over {reading.entries(two)}"
        raise reading.conflict(node, said)


# ---------------------------------------------------------------------- what is between entries


def lettered(rule: Rule, reading: Reading, node: Node, operands: list[Shape]) -> WorkedOut:
    """What a rule for numbers says of entries."""
    at, bound = _joined(reading, node, operands)
    if not at:
        shape, run = rule(reading, node, *[replace(o, bound=frozenset()) for o in operands])
        return replace(shape, bound=bound), run
    if reading.families and any(o.dims for o in operands):
        return of_families(rule, reading, node, operands, at, bound)
    _check_each(reading, node, operands)
    shape, run = rule(reading, node, *[replace(o, at=(), bound=frozenset()) for o in operands])
    letters = [letter for letter, _ in at]

    def aligned(*values: Any) -> Any:
        reading.refuse_large(node, [reading.length(node, dim) for _, dim in at])
        return run(*[spread(v, [x for x, _ in o.at], letters) for v, o in zip(values, operands, strict=True)])

    return Shape(at=at, bound=bound), aligned


def _joined(reading: Reading, node: Node, operands: list[Shape]) -> tuple[At, frozenset[str]]:
    """The letters of all operands, which must not be used up in any of them."""
    at: dict[str, int | UnknownSize] = {}
    bound = frozenset().union(*[o.bound for o in operands])
    for operand in operands:
        for letter, dim in operand.at:
            if letter in bound and letter not in reading.around.get(id(node), ()):  # Σᵢ xᵢ Σᵢ yᵢ is a product of sums
                raise reading.problem(
                    node, f"'{letter}' is summed over in one place and stands free in another",
                    "Write brackets around all that is summed, Σᵢ (…), or choose another letter.",
                )  # fmt: skip
            _agree(reading, node, letter, at.setdefault(letter, dim), dim)
    return tuple(at.items()), bound


def _check_each(reading: Reading, node: Node, operands: list[Shape]) -> None:
    """Refuse what does not act on each entry alone, and arrays beside entries."""
    for child, operand in zip(node.children, operands, strict=True):
        if operand.dims or operand.parts:
            step = f"Write its entries, {reading.operand(child)}[{','.join(INDEX_LETTERS[: operand.rank])}]."
            raise reading.problem(node, f"{reading.source(child)} is {reading.described(operand)} beside entries", step)
    letter = next(letter for o in operands for letter, _ in o.at)
    if node.kind == "apply" or node.is_call(*_CALLS) or acts_on_entries(node):
        return
    if node.is_binary(*_BETWEEN) or node.is_unary(*_BEFORE):
        return
    name = node.value[0] if node.kind == "call" else node.value if node.kind == "binary" else reading.source(node)
    raise reading.problem(
        node, f"'{name}' takes an array, and the entries at {letter} are numbers",
        f"Write Σ_{letter} for a sum, [x[{letter}]] for the array of entries.",
    )  # fmt: skip


# ---------------------------------------------------------------------- families of vectors, ``x_i``

# The idea to hold: the value of a family has the axes of its letters, then those of one of its members. What is between
# members is the rule's for vectors and matrices; what is computed is the same at all letters at once.


def of_families(
    rule: Rule, reading: Reading, node: Node, operands: list[Shape], at: At, bound: frozenset[str]
) -> WorkedOut:
    """What a rule for vectors says of the members of families."""
    members = [replace(o, at=(), bound=frozenset()) for o in operands]
    shape, single = rule(reading, node, *members)
    letters = [letter for letter, _ in at]
    have = [[letter for letter, _ in o.at] for o in operands]
    most = max(m.rank for m in members)

    def side_by_side(*values: Any) -> Any:
        return single(*[spread(v, h, letters, m.rank, most) for v, h, m in zip(values, have, members, strict=True)])

    def multiplied_out(*values: Any) -> Any:
        one, two, out = _axes_of_product(members, shape)
        factors = [(v, [*h, *x]) for v, h, x in zip(values, have, (one, two), strict=True)]
        return _einsum(factors, [*letters, *out])

    of_vector = members[0].rank == 1
    run: Evaluate | None = None
    if node.is_unary("T", "-", "+") and of_vector:
        run = single
    elif node.kind == "call" and node.value in (("‖‖", ()), ("norm", ()), ("||", ())) and of_vector:
        run = _norms
    elif node.is_binary("+", "-") or (node.is_binary("/") and not members[1].dims):
        run = side_by_side
    elif node.is_binary(*PRODUCTS) and reading.matrix:
        run = multiplied_out
    if run is None:
        raise reading.problem(
            node, f"{reading.source(node)} is not read where {letters[0]} is an index",
            "Write it by matrices, as sum((X @ w - y)**2), or by entries, Σᵢ (Σⱼ X[i,j]·w[j] − y[i])².",
        )  # fmt: skip
    return replace(shape, at=at, bound=bound), run


def _norms(x: Any) -> Any:
    return linalg.norm(x, dim=-1)


def _axes_of_product(members: list[Shape], result: Shape) -> tuple[list[int], list[int], list[int]]:
    """The axes of the factors and of their product, by numbers: the same where they are summed over."""
    one = list(range(members[0].rank))
    summed = members[0].dims and members[1].dims and result.rank < members[0].rank + members[1].rank
    first = one[-1] if summed else len(one)
    two = list(range(first, first + members[1].rank))
    return one, two, [x for x in (*one, *two) if not (summed and x == first)]


def spread(value: Any, have: list[Any], want: list[Any], rank: int = 0, most: int = 0) -> Any:
    """A value with its axes in the order of ``want``, of length one where it lacks a letter; a member of a family has
    axes of its own behind these, beside others that have more."""
    if not isinstance(value, Tensor) or not have:
        return value
    order = sorted(range(len(have)), key=lambda k: want.index(have[k]))
    if order != list(range(len(have))):
        value = FUNCTIONS["permute"](value, (*order, *range(len(have), len(have) + rank)))
    key = [slice(None) if letter in have else None for letter in want]
    key += [*[None] * (most - rank), *[slice(None)] * rank]
    return value[tuple(key)] if None in key else value


def _einsum(factors: list[tuple[Any, list[Any]]], out: list[Any]) -> Any:
    names = {x: string.ascii_letters[k] for k, x in enumerate(dict.fromkeys(x for _, at in factors for x in at))}
    inputs = ",".join("".join(names[x] for x in at) for _, at in factors)
    return FUNCTIONS["einsum"](f"{inputs}->{''.join(names[x] for x in out)}", *[as_numbers(v) for v, _ in factors])


# ---------------------------------------------------------------------- letters are used up


def span_letters(reading: Reading, nodes: list[Node]) -> None:
    """Note, at the entries below sums, the least and the most that is added to their letters.

    Raises
    ------
    ParseError : something is added to a letter over which nothing sums
    """
    for node in nodes:
        if node.kind not in _SUMS:
            continue
        entries = [e for e in postorder(node.children[0]) if e.kind == "entry"]
        for letter in node.value:
            there = [(e, by) for e in entries for x, by in zip(e.value, e.shifts, strict=True) if x == letter]
            span = (min([by for _, by in there], default=0), max([by for _, by in there], default=0))
            for e, _ in there:
                e.spans.setdefault(letter, span)
    for node in nodes:
        for letter, by in zip(node.value, node.shifts, strict=True) if node.kind == "entry" else ():
            if by and letter not in node.spans:
                step = f"Write a sum over {letter}, or slices, x[1:]."
                raise reading.problem(node, f"{reading.source(node)} where nothing sums over {letter}", step)


def refuse_last(reading: Reading, nodes: list[Node], free: Collection[str]) -> None:
    """Refuse ``sum(x) + x[n]`` of n entries, in which nothing runs over n.

    Raises
    ------
    ParseError : there is such an entry, with one of the ``free`` letters
    """
    ends = {said.size for said in reading.ranges.values()}
    for node in nodes:
        for letter, dim in reading.shapes[id(node)].at if node.kind == "entry" else ():
            size = reading.sizes.root(dim)
            counts = letter in ends or (isinstance(size, UnknownSize) and size.unknown.name == letter)
            if letter in free and counts:
                what = f"{reading.source(node)} may be the last entry, or all: {letter} is how many there are"
                step = f"Write the index -1 for the former, another letter than {letter} for the latter."
                raise reading.problem(node, what, step)


def _products_of(node: Node) -> Iterator[Node]:
    """The products and quotients that a sum adds, as far as brackets: where the writer sees no nesting."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node.is_binary("/", *PRODUCTS) and not node.bracketed:
            yield node
            stack += node.children


def note_places(reading: Reading, nodes: list[Node], declared: Collection[str]) -> None:
    r"""Let the letters of sums that stand as numbers, ``\sum_{t=1}^n \beta^t c_t``, be places: those from which the sum
    counts, from 1 if it does not say. What else a sum runs over may be summed over inside again, ``Σᵢ xᵢ Σᵢ yᵢ``.

    Raises
    ------
    ParseError : it does not say, and entries are in brackets, which count from 0
    """
    for node in nodes:
        for letter in node.value if node.kind in _SUMS else ():
            inner = [
                n for n in postorder(node.children[0])
                if n.value == letter or (n.kind == "entry" and letter in n.value)
            ]  # fmt: skip
            said = reading.ranges.get(node.at)
            for part in inner:
                if part.kind != "name" or letter in declared:
                    continue
                if said is None and any(n.kind == "entry" and reading.text[n.at] == "[" for n in inner):
                    what = f"'{letter}' counts the places in brackets from 0, and stands here as a number"
                    raise reading.problem(
                        part, what, f"Write \\sum_{{{letter}=1}}^{{n}} and x_{letter} for counting from 1."
                    )
                part.kind, part.value = "place", (letter, 1 if said is None else said.first)
                reading.taken.update([f"{letter} counted from 1"] if said is None else [])
            if node.kind == "Σ" and not any(n.kind == "place" for n in inner):
                for part in _products_of(node.children[0]):
                    reading.around.setdefault(id(part), set()).add(letter)


def _check_pair(reading: Reading, node: Node, a: Shape, condition: Node, pair: tuple[str, str]) -> None:
    """Refuse ``Σ_{i≠j} xᵢ``, which is for each j, or over both; the letters run over the same places."""
    within = set(map(id, postorder(condition)))
    used = {x for n in postorder(node.children[0]) if n.kind == "entry" and id(n) not in within for x in n.value}
    for letter in pair:
        if letter in node.value and letter not in used:
            what = (
                f"'{letter}' stands in the condition of the sum only: the sum may run over it, too, or be one for each"
            )
            raise reading.problem(
                node, what, f"Write a sum in a sum for the former, {letter} below a name for the latter."
            )
    if set(pair) <= dict(a.at).keys():
        _agree(reading, node, pair[0], *[dict(a.at)[letter] for letter in pair])


def apart(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """An entry with one added where two of its letters are equal."""
    one, two = node.value
    have = [letter for letter, _ in a.at]
    at = a.at if one in have else (*a.at, (one, dict(a.at)[two]))
    _agree(reading, node, one, dict(at)[one], dict(at)[two])
    want = [letter for letter, _ in at]

    def run(value: Any) -> Any:
        unit = FUNCTIONS["eye"](reading.length(node, dict(at)[two]))
        return spread(value, have, want, a.rank, a.rank) + spread(unit, [one, two], want, 0, a.rank)

    return replace(a, at=at), run


def place(reading: Reading, node: Node) -> WorkedOut:
    """The letter of a sum as a number: 1, 2, … for the terms one after the other."""
    letter, first = node.value
    size = reading.sizes.fresh()

    def run() -> Any:
        length = reading.length(node, size)
        counted = FUNCTIONS["cumsum"](every := ones(length), 0)
        if isinstance(length, int) and length > _limits.DATA:  # else it would get a name, and 1/k another
            counted = constant_from(TABLE["cumsum"], counted, (every,), (0, False), False)
        return counted if first == 1 else counted + (first - 1)

    return Shape(at=((letter, size),)), run


def refuse_unsummed(reading: Reading, roots: list[Node], declared: Collection[str], free: tuple[str, ...]) -> None:
    """Refuse ``a_i b_i`` over which nothing sums: physicists mean the sum, others the product for each i. In brackets,
    ``a[i]*b[i]``, of names that were all declared, and with the letter on the left, it is the latter.

    Raises
    ------
    ParseError : a letter below stands in two factors
    """
    stack = [(root, frozenset(free)) for root in roots]
    done = set[tuple[int, frozenset[str]]]()  # a definition may be used again
    while stack:
        node, bound = stack.pop()
        if (id(node), bound) in done:
            continue
        done.add((id(node), bound))
        if node.kind in _SUMS or node.kind == "axes":
            bound = bound.union(node.value)
        parts = list(node.children)
        if node.is_binary(*PRODUCTS):
            parts = _operators.factors_seen(node)
            below = [(factor, _letters_below(reading, factor, declared) - bound) for factor in parts]
            counted = Counter(letter for _, letters in below for letter in letters)
            if twice := sorted(letter for letter, n in counted.items() if n > 1):
                _raise_unsummed(reading, node, twice[0])
        stack += [(part, bound) for part in parts]


def _raise_unsummed(reading: Reading, node: Node, letter: str) -> None:
    named = reading.source(node)
    sign = rf"\sum_{letter}" if "\\" in reading.text else f"sum_{letter}"
    what = f"'{letter}' stands in two factors of {named}: their sum over {letter}, or each product"
    raise reading.problem(node, what, f"Write {sign} {named} for the sum, brackets, a[{letter}], for each.")


def _letters_below(reading: Reading, factor: Node, declared: Collection[str]) -> set[str]:
    """The letters that stand below a factor, i and j of ``A_{ij}``; not of ``{A}_{i,j}``, as entries are printed."""
    names = names_in(factor)
    if factor.kind not in ("entry", "name") or (names and all(name in declared for name in names)):
        return set()
    if factor.kind == "entry" and reading.text[factor.at] not in ("[", "}"):
        return {letter for letter in factor.value if isinstance(letter, str)}
    below = factor.value.rpartition("_")[2] if factor.kind == "name" and "_" in factor.value else ""
    return {below} if below in frozenset("ijkl") else set()


def _check_summed(reading: Reading, node: Node, a: Shape) -> None:
    there = dict(a.at)
    for letter in node.value:
        if letter not in there:
            used = "is summed over inside already" if letter in a.bound else "stands nowhere in what is summed"
            raise reading.problem(node, f"'{letter}' {used}", f"Write it as an index, Σ_{letter} x[{letter}].")
    if a.dims and not (node.kind == "Σ" and reading.families):
        raise reading.problem(node, f"{reading.source(node.children[0])} is {reading.described(a)}, and no number")
    for letter in node.value:
        _check_range(reading, node, letter, there[letter])


def _check_range(reading: Reading, node: Node, letter: str, dim: int | UnknownSize) -> None:
    """Refuse a sum that does not run over all places at which there is what it adds."""
    said = reading.ranges.get(node.at)
    if said is None:
        return
    steps = reading.sizes.plus(reading.sizes.called(said.size), said.more) if said.size else said.more
    entries = [e for e in postorder(node) if e.kind == "entry" and letter in e.spans]
    least = min([e.spans[letter][0] for e in entries], default=0)
    if (entries and said.first + least not in (0, 1)) or not reading.sizes.same(dim, steps):
        has = f"what is summed has {reading.entries(dim)}"
        raise reading.conflict(
            node, f"'{letter}' runs from {said.first} over {reading.sizes.text(steps)} places, and {has}",
            node.children[0],
        )  # fmt: skip


def multiplied(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``Πₖ x[k]``: the product along the axes of its letters."""
    _check_summed(reading, node, a)
    factors = _operators.factors_seen(node.children[0])
    constant = [f for f in factors if not {x for x, _ in reading.shapes[id(f)].at}.issuperset(node.value)]
    last = max([f.start for f in factors if f not in constant], default=0)
    for factor in constant:
        if factor.start > last:  # not of ∏ᵢ λ exp(−λ xᵢ), where it stands between the sign and what is multiplied
            what = f"{reading.source(factor)} may be multiplied once, and once for each {', '.join(node.value)}"
            raise reading.problem(
                factor, what, "Write it before the product, or brackets around all that is multiplied."
            )
    letters = [letter for letter, _ in a.at]

    def run(value: Any) -> Any:
        if set(letters) == set(node.value):  # whose derivative is the product over each factor
            return FUNCTIONS["prod"](value)
        for axis in sorted((letters.index(letter) for letter in node.value), reverse=True):
            value = FUNCTIONS["prod"](value, axis)
        return value

    return _without_letters(node, a), run


def _without_letters(node: Node, a: Shape) -> Shape:
    """What is left of entries when a sum, or a product, has used its letters up."""
    left = tuple((letter, dim) for letter, dim in a.at if letter not in node.value)
    return replace(a, at=left, bound=a.bound.union(node.value))


def summed(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``Σₖ A[i,k]·x[k]``: the factors of its body, contracted at once."""
    _check_summed(reading, node, a)
    for factor in _operators.factors_seen(node.children[0]):
        if pair := _operators.unequal(factor):
            _check_pair(reading, node, a, factor, pair)
    if a.dims:
        return _sum_of_members(node, a)
    factors, sign = _factors(reading, node.children[0])
    shapes = [reading.shapes[id(f)] for f, _ in factors]
    left = _without_letters(node, a)

    def run(*values: Any) -> Any:
        reading.refuse_large(node, [reading.length(node, dim) for _, dim in left.at])
        parts, numbers = [], []
        for value, shape, (_, below) in zip(values, shapes, factors, strict=True):
            if shape.at:
                parts.append((1 / lift(value) if below else value, [letter for letter, _ in shape.at]))
            else:
                numbers.append((value, below))
        total = sign * _einsum(parts, [letter for letter, _ in left.at])
        for value, below in numbers:
            total = total / lift(value) if below else exact_product(value, total)
        return total

    reading.steps[id(node)] = NodeStep(node, run, tuple(f for f, _ in factors))
    return left, run


def _sum_of_members(node: Node, a: Shape) -> WorkedOut:
    """``Σᵢ a[i] x[i]`` of vectors: the sum along the axes of its letters."""
    letters = [letter for letter, _ in a.at]
    along = tuple(letters.index(letter) for letter in node.value)
    return _without_letters(node, a), lambda value: FUNCTIONS["sum"](value, along)


def _factors(reading: Reading, node: Node) -> tuple[list[tuple[Node, bool]], int]:
    """The factors of a product, whether each is divided by, and the sign. The products' own steps go."""
    found: list[tuple[Node, bool]] = []
    sign = 1
    stack = [(node, False)]
    while stack:
        part, below = stack.pop()
        has_letters = part is node or bool(reading.shapes[id(part)].at)
        has_letters = has_letters and not any(reading.shapes[id(child)].dims for child in part.children)  # of families
        if has_letters and part.is_binary("/", "./", *PRODUCTS):
            left, right = part.children
            stack += [(right, below != (part.value not in PRODUCTS)), (left, below)]
        elif has_letters and part.is_unary("-"):
            sign = -sign
            stack.append((part.children[0], below))
        else:
            found.append((part, below))
            continue
        reading.steps.pop(id(part))
    return found, sign


def axes(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """The array of entries, its axes as the letters of ``node`` say; it is constant along those that it lacks."""
    there = dict(a.at)
    strange = [letter for letter in there if letter not in node.value]
    if strange:
        step = f"Sum over it, Σ_{strange[0]}, or write it on the left."
        raise reading.problem(node, f"'{strange[0]}' is no index of what is defined", step)
    if a.dims:
        raise reading.problem(node, f"{reading.source(node)} is {reading.described(a)}, and its entries are asked for")
    dims = tuple(there.get(letter) or reading.sizes.fresh() for letter in node.value)
    used = next((letter for letter in node.value if letter in a.bound), None)
    if used is not None:
        raise reading.problem(node, f"'{used}' is summed over and an axis of the result", "Choose another letter.")

    def run(value: Any) -> Any:
        lengths = [reading.length(node, dim) for dim in dims]
        reading.refuse_large(node, lengths)
        value = spread(value, list(there), list(node.value))
        return value if len(there) == len(node.value) else lift(value) * ones(*lengths)

    return Shape(dims), run


def in_brackets(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``[A[i,k]·x[k]]``: the array of entries, which uses its letters up."""
    order = in_order(reading, node, a)
    shape, run = axes(reading, Node("axes", order, node.children, node.start, node.end), a)
    return replace(shape, bound=a.bound.union(order)), run


def in_order(reading: Reading, node: Node, a: Shape) -> tuple[str, ...]:
    """The letters of an array of entries in the order of its axes: alphabetical, as printed."""
    letters = sorted(letter for letter, _ in a.at)
    printed = [x for x in letters if x[0] in INDEX_LETTERS]
    if printed != sorted(printed, key=lambda x: (len(x), INDEX_LETTERS.index(x[0]))):
        step = f"Say it on the left: S[{','.join(letters)}] = …."
        raise reading.problem(node, f"which of {', '.join(letters)} is the first axis is not said", step)
    return tuple(letters)


# ---------------------------------------------------------------------- parts of arrays


def index(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``x[0]``, ``x[1:]``, ``A[:, 0]``, and one of a pair."""
    items = node.value
    owner = node.children[0]
    if a.parts:
        if len(items) != 1 or not isinstance(items[0], int) or not -len(a.parts) <= items[0] < len(a.parts):
            raise reading.problem(node, f"{reading.source(owner)} has {len(a.parts)} parts, from 0 on")
        return a.parts[items[0]], lambda value: value[items[0]]
    if len(items) - items.count(None) > a.rank:
        described = reading.described(a)
        raise reading.conflict(node, f"{reading.source(owner)} is {described}, and {len(items)} indices are given")
    if sum(isinstance(item, list) for item in items) > 1:
        raise reading.problem(node, "several lists of indices pick entries one by one", "Write one of them at a time.")
    dims: list[int | UnknownSize] = []
    left = iter(a.dims)
    for item in items:
        dim = 1 if item is None else next(left)
        if item is None:
            dims.append(1)
        elif isinstance(item, slice):
            dims.append(_sliced(reading, node, dim, item))
        elif isinstance(item, list):
            for place in item:
                reading.require_place(node, dim, place)
            dims.append(len(item))
        else:
            reading.require_place(node, dim, item)
    dims += left
    key: Any = tuple(np.array(i) if isinstance(i, list) else i for i in items)
    key = key if len(key) > 1 else key[0]
    return Shape(tuple(dims), a.row and len(dims) == 1), lambda value: value[key]


def _sliced(reading: Reading, node: Node, dim: int | UnknownSize, part: slice) -> int | UnknownSize:
    """How many entries a slice has, where that follows."""
    dim = reading.sizes.root(dim)
    if isinstance(dim, int):
        return len(range(dim)[part])
    if part == slice(None, None, -1):  # all of them, backwards
        return dim
    start, stop = part.start or 0, part.stop
    unknown = reading.conflict(node, "how many entries that are depends on the size", node.children[0])
    if part.step not in (None, 1) or (start < 0 and stop is not None and stop >= 0):
        raise unknown
    if start < 0:
        return max(0, (stop or 0) - start)
    if stop is None or stop < 0:
        return reading.sizes.plus(dim, (stop or 0) - start)
    return max(0, stop - start)


def method(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """``X.shape``: its sizes, as numbers."""
    dims = a.dims
    if not dims:
        raise reading.problem(node, f"{reading.source(node.children[0])} is a number")
    return Shape(parts=tuple(_count(reading, d) for d in dims)), lambda value: [reading.count(node, d) for d in dims]


def _count(reading: Reading, dim: int | UnknownSize) -> Shape:
    root = reading.sizes.root(dim)
    return Shape(number=root if isinstance(root, int) else None)


# -------------------------------------------------------------------------------------------------------------------
# From a tree to a formula: shapes and steps first, then the steps are run on symbols, and the result says its formula

# The idea to hold: `work_out` computes nothing; it checks what an operator or a function demands of the shapes of its
# operands (`_shapes`), and leaves a function for every part, which `build` runs once it is known what the names are.


_RULES: dict[str, Rule] = {
    "number": _operators.number, "string": _operators.number, "name": _operators.name, "list": _operators.listed,
    "tuple": _operators.tupled, "items": _operators.joined, "binary": _operators.binary, "unary": _operators.unary,
    "index": index, "method": method, "call": call,
    "apply": _operators.applied, "given": _operators.given, "entry": entry, "place": place,
    "pairs": _operators.paired, "apart": apart, "Σ": summed, "Π": multiplied, "axes": axes,
}  # fmt: skip
_KRONECKER_CALLS = _operators.OF_SQUARES | {"||", "‖‖", "norm"}
"""Calls that make ``A ⊗ B`` Kronecker's product."""
_OF_LETTERS = frozenset({"entry", "apart", "place", "Σ", "Π", "axes", "name"})
"""What makes letters of indices or uses them up."""


def work_out(reading: Reading, root: Node) -> Shape:
    """The shape of ``root``; the steps that compute it are left in ``reading.steps``."""
    for node in postorder(root):
        if id(node) in reading.shapes:
            continue
        operands = [reading.shapes[id(child)] for child in node.children]
        for child, operand in zip(node.children, operands, strict=True):
            if node.kind != "index" and not (node.kind == "call" and child.kind in ("tuple", "items")):
                _check_single(reading, child, operand)
        if node.is_call(*_KRONECKER_CALLS):
            operands = [
                _operators.as_kronecker(reading, c, o) for c, o in zip(node.children, operands, strict=True)
            ]  # fmt: skip
        rule = _RULES[node.kind]
        if node.kind == "list" and len(operands) == 1 and operands[0].at:
            shape, run = in_brackets(reading, node, *operands)
        elif node.kind in _OF_LETTERS or not any(o.at or o.bound for o in operands):
            shape, run = rule(reading, node, *operands)
        else:
            shape, run = lettered(rule, reading, node, operands)
        reading.shapes[id(node)] = shape
        reading.steps.setdefault(id(node), NodeStep(node, run, node.children))
    shape = reading.shapes[id(root)]
    _check_single(reading, root, shape)
    if is_no_number(root, shape):
        raise reading.problem(root, f"{reading.source(root)} is no formula")
    return shape


def _check_single(reading: Reading, node: Node, shape: Shape) -> None:
    if shape.parts and node.kind in ("tuple", "items"):
        raise reading.problem(node, "a tuple in brackets is only an argument, as in ones((m, n))", "Write [a, b].")
    if shape.parts:
        raise reading.problem(node, f"{reading.source(node)} has several parts", "Take one of them, …[0] or …[1].")


# ---------------------------------------------------------------------- from steps to a formula


class NeedsOtherNumbers(ParseError):
    """A matrix has no inverse, or no factor, at the numbers that stand for the names of a text."""


_FAILURES = (SymgradError, ArithmeticError, ValueError, TypeError, LookupError, np.linalg.LinAlgError, UserWarning)


LENGTHS_TRIED = bound(24)
"""Orders of the lengths that stand for sizes in which a text is computed whose inverses need some."""


def build(reading: Reading, root: Any, declared: dict[str, Any]) -> Any:
    """The formula of ``root``; where a matrix has no inverse at the lengths that stand for sizes, at others.

    Raises
    ------
    ParseError : it has none at any that were tried
    """
    try:
        return _built(reading, root, declared)
    except NeedsOtherNumbers:
        shapes = [size for t in declared.values() for size in t.shape if type(size) is Dim]
        own = reading.lengths | {name: n for size in shapes for name, n in size.atoms.items()}
        for order in itertools.islice(itertools.permutations(own.values()), 1, LENGTHS_TRIED):
            lengths = dict(zip(own, order, strict=True))
            reading.sizes.given |= {name: Dim(name, n) for name, n in lengths.items()}
            with contextlib.suppress(FormulaError):
                return _built(reading, root, {name: with_sizes(t, lengths) for name, t in declared.items()})
        reading.sizes.given |= {name: Dim(name, n) for name, n in own.items()}
        return _built(reading, root, declared, strict=False)


def _built(reading: Reading, root: Any, declared: dict[str, Any], strict: bool = True) -> Any:
    """The formula of ``root``; ``declared`` holds the symbols that came with the call. ``strict``: not of matrices that
    are nearly singular at the numbers that stand for their names."""
    for name, shape in reading.symbols.items():
        reading.values[name] = declared[name] if name in declared else _symbol(reading, name, shape)
    for name, dim in reading.counts.items():
        reading.values[name] = reading.count(root, dim)
    value = _run(reading, root, strict)
    try:
        formula = formula_of(value)
    except _FAILURES as error:
        raise _explained(reading, root, error) from error
    for name in formula.free_symbols - {*reading.symbols, *reading.counts}:
        stem = name.rpartition("_")[0]
        if stem in reading.symbols:  # c0 means the numbers of a list there, and c0_1 the symbol
            what = f"'{stem}' is the name of a list of numbers of the text, too"
            raise reading.problem(reading.places[stem], what, "Choose another name for the symbol.")
    return formula


def formula_of(value: Any) -> Any:
    """The formula of a number or a tensor; a condition is the number 1 where it holds, 0 elsewhere."""
    value = as_tensor(value)
    return (value * 1.0 if value.dtype == bool else value).formula()


def _symbol(reading: Reading, name: str, shape: Shape) -> Any:
    dims = tuple(reading.length(reading.places[name], dim) for dim in shape.dims)
    own = reading.properties.get(name) or {"symmetric": is_covariance(reading, name, shape)}
    return symbol(name, dims, **own)


def _run(reading: Reading, root: Any, strict: bool) -> Any:
    token = modes.tracing.set([])  # so that conditions keep what they compare, however small the result
    try:
        return _computed(reading, root, strict)
    finally:
        modes.tracing.reset(token)


_OF_REGULAR = frozenset({"inv", "inverse", "det", "logdet", "solve"})


def _computed(reading: Reading, root: Any, strict: bool) -> Any:
    values: dict[int, Any] = {}
    free = strict and reading.undeclared == reading.symbols.keys()  # a size that was declared stands for its own length
    budget = max(_limits.TEXT_WORK, _limits.TEXT_TIMES * sum(_size(v) for v in reading.values.values()))
    for step in reading.steps.values():
        operands = [values[id(child)] for child in step.operands]
        if free and step.node.is_call(*_OF_REGULAR) and _is_singular(operands[0]):
            raise NeedsOtherNumbers.at("a matrix that is singular", reading.text, step.node)
        try:
            value = step.run(*operands)
        except ParseError:
            raise
        except _FAILURES as error:
            raise _explained(reading, step.node, error) from error
        budget -= _size(value)
        if budget < 0:
            raise reading.problem(step.node, "the intermediate results are too large", "Take smaller arrays.")
        values[id(step.node)] = value
    return values[id(root)]


def _is_singular(value: Any) -> bool:
    """Whether the numbers that stand for a square matrix have no inverse: of A X Aᵀ with more rows than columns."""
    a: Any = unwrap(value) if isinstance(value, Tensor) else np.zeros(())
    return a.ndim == 2 and a.shape[0] == a.shape[1] and bool(np.linalg.matrix_rank(a) < len(a))


def _size(value: Any) -> int:
    return value._data.size if isinstance(value, Tensor) else 1


def _explained(reading: Reading, node: Any, error: Exception) -> ParseError:
    """What symgrad's function said, at its place in the text."""
    source, said = reading.source(node), str(error).partition("\n")[0] or type(error).__name__
    if isinstance(error, LookupError) and node.kind == "index":
        return reading.problem(
            node, f"{source}: a size without a number has not that many entries",
            f"Declare how many there are: {reading.source(node.children[0], 12)}=100.",
        )  # fmt: skip
    if "is singular" in said:
        return NeedsOtherNumbers.at(
            f"{source} is the inverse of a matrix that is singular at the numbers that stand for its names",
            reading.text,
            node,
            "Write pinv(…) for what can be inverted, or declare the shapes of the names: parse(text, x=…).",
        )  # fmt: skip
    if "positive-definite" in said:
        return NeedsOtherNumbers.at(
            f"{source} needs a positive definite matrix", reading.text, node,
            'Declare it: parse(text, A=sg.symbol("A", ("n", "n"), pd=True)), or write A @ A.T + eye(n).',
        )  # fmt: skip
    return reading.problem(node, f"{source}: {said}", reading.declare(node))

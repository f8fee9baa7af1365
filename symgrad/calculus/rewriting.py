"""Which rules can fit a term, what is asked of the operations in a choice, and simplification by rules and passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from .. import _limits, show
from .._errors import FormulaError
from .._trees import postorder
from ..core import reachable
from ..terms import (
    Add,
    Ein,
    Expr,
    Map,
    Var,
    add,
    axis_size,
    constant_of,
    is_negative,
    is_real,
    living_terms,
    map_,
    number,
    pow_,
    rebuilt,
    remembered,
    row,
    scaled,
    with_number,
)
from .lifting import negated, operand, plus
from .matching import (
    ROWS,
    Bound,
    Entrywise,
    Hole,
    ProductPattern,
    SumPattern,
    Whole,
    build,
    found,
    in_search_order,
    indices_of,
    parts_of,
    read,
    row_of,
)
from .rules import RULES, Rule

# --------------------------------------- Which rules can fit a term: what must occur in it, and what it must sum over
#
# The idea to hold: a match is looked for only where it is possible. What a pattern needs is worked out when the rule is
# made ready, what a term has stays with the term, and both are compared as sets of names, without any matching.


TWICE = " twice"
"""Follows the name of an operation that two operands have."""


def _loose(p: Any) -> bool:
    """Whether a pattern also fits what has another name."""
    return isinstance(p, Entrywise) and (p.name in ("gt", "ge") or (p.params != () and type(p.params[0]) is str))


def needs_of(pattern: Any) -> frozenset[str]:
    """What a pattern's matches are made of, at their surface."""
    names: set[str] = set()
    tops = [pattern, *(parts_of(pattern) if isinstance(pattern, (ProductPattern, SumPattern)) else ())]
    below = [
        a for t in tops if isinstance(t, Entrywise) for a in t.args if not isinstance(a, Whole)
    ]  # a diagonal hides it
    for p in (*tops, *below):
        if isinstance(p, SumPattern) and p in tops:
            names.add("+")
        elif isinstance(p, (Entrywise, Whole)) and row_of(p.name) is not None and not _loose(p):
            names.add(ROWS.get(p.name, p.name))
    heads = [ROWS.get(p.name, p.name) for p in tops[1:] if isinstance(p, Entrywise) and not _loose(p)]
    names.update([name + TWICE for name in heads if heads.count(name) > 1])
    return frozenset(names)


@remembered
def signature(term: Expr) -> frozenset[str]:
    """What a term is made of at its surface: names of operations, "+" for sums, "?" for conditions, what was declared.

    An element-wise operation that two operands have stands there a second time, "exp twice".
    """
    names: set[str] = set()
    there = {term, *term.children}
    for t in term.children:
        if t.kind == "map" or (t.kind == "ein" and term.kind == "add"):
            there.update(t.children)
    for t in there:
        _note(t, names)
    heads = [t.operation for t in term.children if t.kind == "map"]
    names.update([name + TWICE for name in heads if heads.count(name) > 1])
    return frozenset(names)


def _note(t: Any, names: set[str]) -> None:
    if t.kind == "add":
        names.add("+")
    elif t.kind == "var":
        if t.properties:
            names.update(["declared " + p for p in t.properties])
    elif t.kind in ("map", "call", "lin"):
        names.add(t.op.name)
        if t.op.kind == "constant":
            names.add("?")


def readers_of(pattern: Any) -> list[int]:
    """How many factors of a product are read at each of its summed indices, at least."""
    if not isinstance(pattern, ProductPattern):
        return []
    read_at = [indices_of(f) for f in pattern.factors]
    return [sum([k in there for there in read_at]) for k in pattern.summed]


def sums_like(term: Ein, readers: list[int], most: int) -> bool:
    """Whether for each summed index of a pattern of ``most`` factors a label is summed that enough of them may have."""
    if len(term.dims) == len(term.shape):
        return False
    counts = [0] * len(term.dims)
    for _, s in term.factors:
        for k in {*s}:
            counts[k] += 1
    summed = counts[len(term.shape) :]
    return all(any(least <= n <= most for n in summed) for least in readers)


# ------------------------------ What the operations inside a choice ask for: no more than where their branch is taken
#
# The idea to hold: ``where(c, a, b)`` has values wherever a has, of c, and b elsewhere. So what a asks of x it asks of
# ``where(c, x, k)``, k being a number that asks for nothing: that is a condition like any other, and is looked at like
# any other. What c itself says is asked no more.


Choices = frozenset[tuple[Expr, bool]]
"""Conditions, each with how it came out where a branch is taken."""

_SIGNS = {"gt": (1, "> 0"), "lt": (-1, "> 0"), "ge": (1, "≥ 0"), "le": (-1, "≥ 0"), "ne": (1, "≠ 0")}
_IMPLIED = {"> 0": ("> 0", "≥ 0", "≠ 0"), "≥ 0": ("≥ 0",), "≠ 0": ("≠ 0",)}


def choices_of(root: Any, conditions: dict[Any, Expr], shapes: Any) -> dict[Any, Choices]:
    """Per node below a root, under which choices alone its value is used.

    Parameters
    ----------
    conditions : the condition of each node that chooses, ``where(c, a, b)``
    shapes : a function that gives the shape of a node's value

    An operation by entries asks for an entry of its operand where that entry is used; any other one for all of it, so
    that below it a condition counts which is one number.
    """

    def uses(node: Any) -> Iterator[Use]:
        by_entries = getattr(getattr(node, "op", None), "kind", "") == "elementwise"
        for place, parent in enumerate(node.parents):
            if parent is not None:
                condition = conditions.get(node) if place else None
                yield parent, condition, place == 1, by_entries and shapes(parent) == shapes(node)

    return _choices(root, reachable([root])[0], uses)  # newest first: all that uses a node came before


def choices_in(root: Expr) -> dict[Expr, Choices]:
    """The same for the terms that one is made of."""

    def uses(term: Expr) -> Iterator[Use]:
        operands: list[Any] = [(c, None) for c in term.children]
        if isinstance(term, Map):
            operands = list(term.args)
        elif isinstance(term, Add):
            operands = [(t, s) for _, t, s in term.terms]
        elif isinstance(term, Ein) and len(term.dims) == term.rank:
            operands = list(term.factors)
        chosen = term.operation == "where" and operands[0][1] in ((), term.axes)
        for place, (part, s) in enumerate(operands):
            yield part, operands[0][0] if chosen and place else None, place == 1, s == term.axes

    return _choices(root, reversed([*postorder(root)]), uses)


Use = tuple[Any, Expr | None, bool, bool]
"""What something is made of: a part, the condition that chooses it, how that came out, whether by entries."""


def _choices(root: Any, order: Iterable[Any], uses: Callable[[Any], Iterable[Use]]) -> dict[Any, Choices]:
    """The same for what is in an order, each after all that uses it."""
    found: dict[Any, Choices] = {root: frozenset()}
    for whole in order:
        for part, condition, came, by_entries in uses(whole):
            here = found.get(whole, frozenset()) | (set() if condition is None else {(condition, came)})
            here = here if by_entries else _of_numbers(here)
            found[part] = here if part not in found else found[part] & here
    return found


def _of_numbers(choices: Choices) -> Choices:
    return frozenset([choice for choice in choices if not choice[0].rank])


def only_where(choices: Choices, base: Expr, kind: str) -> Expr | None:
    """What is asked of a term where choices came out as they did; None if that says it."""
    if not choices or kind.endswith(("inverse", "symmetric")):
        return base
    choices = frozenset([(c, came) for c, came in choices if not c.rank or c.shape == base.shape])
    taken = sorted([c if came else negated(c) for c, came in choices], key=lambda c: c.digest)
    # what is compared may be no number for want of what is asked: where(y > √x, y, (√x)²) asks for x ≥ 0
    taken = [c for c in taken if c.operation != "logical_not" or base not in postorder(c)]
    if any(_implies(known, sign, base, kind) for c in taken for known, sign in signs_in(c)):
        return None
    for c in taken:
        every = base.axes
        args = [operand(c, base.shape), (base, every), (number(_harmless(kind)), ())]
        base = map_(row("where"), args, (), every)
    return base


def _harmless(kind: str) -> Any:
    """A number of which a condition of a kind holds."""
    return 2 if kind == "{} ≥ 1" else Fraction(1, 2) if "{}" in kind else 1


def signs_in(c: Expr) -> Iterable[tuple[Expr, str]]:
    """What a condition says of signs."""
    if c.operation == "logical_and":
        for part, _ in c.args:
            yield from signs_in(part) if part.shape == c.shape else ()
    elif c.operation in _SIGNS and not c.params:
        (a, s), (b, t) = c.args
        turn, sign = _SIGNS[c.operation]
        if {len(s), len(t)} <= {0, c.rank}:
            yield plus(c.shape, (turn, a), (-turn, b)), sign


def _implies(known: Expr, sign: str, base: Expr, kind: str) -> bool:
    """Whether the sign of one term says that of another, from which it differs by a number."""
    if known.shape != base.shape:
        return False
    for turn in (1, -1) if kind == "≠ 0" else (1,):
        more = constant_of(plus(base.shape, (1, base), (-turn, known)))
        if more is not None and not isinstance(more, complex):
            if more == 0:
                return kind in _IMPLIED[sign]
            if more * turn > 0 and sign != "≠ 0" and kind in _IMPLIED["> 0"]:
                return True
    return False


def apart(base: Expr) -> tuple[Expr, list[Expr]]:
    """What a condition is about, and where alone it is asked."""
    conditions = []
    while base.operation == "where" and constant_of(base.args[2][0]) is not None:
        conditions.append(base.children[0])
        base = base.args[1][0]
    return base, conditions


def words(base: Expr, kind: str) -> str:
    """A condition in words."""
    inner, conditions = apart(base)
    text = show.in_one_piece(inner)
    said = kind.format(text) if "{}" in kind else f"{text} {kind}"
    where = [show.in_one_piece(c).removeprefix("1[").removesuffix("]") for c in conditions]
    return f"{said} (if {' and '.join(where)})" if where else said


# ----------------------------------------------------------------------- The rules of the calculus made ready for use


Domain = tuple[Expr, str]
"""What must hold: a term, and "> 0", "≠ 0" or "is symmetric"."""


def _even(bound: Bound) -> bool:
    k = bound["k^"]
    return isinstance(k, int) and k > 0 and k % 2 == 0


def _positive(bound: Bound) -> bool:
    return not isinstance(bound["k^"], complex) and bound["k^"] > 0


def _square(bound: Bound) -> bool:
    return all(bound[k + "["].rank == 2 and len(set(bound[k + "["].shape)) == 1 for k in "AB")


def _no_whole_number(bound: Bound) -> bool:
    k, n = bound["k^"], bound["n^"]
    return isinstance(k, int) and k % 2 == 0 and isinstance(n, Fraction)


def _orthogonal(bound: Bound) -> bool:
    q = bound["Q["]
    return isinstance(q, Var) and "orthogonal" in q.properties and bound["i]"] != bound["j]"]


def _onehot(bound: Bound) -> bool:
    p = bound["p["]
    return isinstance(p, Var) and "onehot" in p.properties and bound["p,"] == (p.rank - 1,)


WHEN: dict[str, Callable[[Bound], bool]] = {
    "": lambda bound: True,
    "k is even and positive": _even,
    "k is positive": _positive,
    "k is at least 1": lambda bound: _positive(bound) and bound["k^"] >= 1,
    "k is negative": lambda bound: is_negative(bound["k^"]),
    "k is not 1": lambda bound: bound["k^"] != 1 and not isinstance(bound["k^"], complex),
    "k is even and n no whole number": _no_whole_number,
    "n is −k": lambda bound: bound["n^"] == -bound["k^"],
    "n is k": lambda bound: bound["n^"] == bound["k^"],
    "A and B are square": _square,
    "Q was declared orthogonal": _orthogonal,
    "p was declared one-hot": _onehot,
    "x is 1 over the size of k": lambda bound: bound["x"][0] is pow_(axis_size(bound["sizes"][bound["k]"][0]]), -1),
    "x is a number": lambda bound: not bound["x"][0].rank,
}
"""What must be so of a rule's names for it to hold."""


DECLARED = {"Q was declared orthogonal": "declared orthogonal", "p was declared one-hot": "declared onehot"}
"""What a term is made of (see `signature`) where a rule asks for what was declared of a symbol."""


def _shorter_than_opposite(bound: Bound, name: str) -> bool:
    x, _ = bound[name]
    return x.weight < scaled(-1, x).weight


def _meet(a: Any, b: Any) -> bool:
    """Whether terms of two operands meet when they are added: those of x and −2x do."""
    labels = tuple(sorted({*a[1], *b[1]}))
    if len(labels) > max(len(a[1]), len(b[1])):  # an outer product is no shorter as one array
        return False
    if not _terms(*a) & _terms(*b):  # seen at once: of a product of many exponentials each pair is asked of
        return False
    return _count(add([(1, *a), (1, *b)], labels)) < _count(a[0]) + _count(b[0])


def _terms(u: Expr, s: Any) -> set[tuple[Expr, Any]]:
    """The terms of a sum without their numbers, with the labels that they are read at."""
    if len(u.factors) == 1 and isinstance(u.factors[0][0], Add):  # perhaps with a number before it
        total, at = u.factors[0]
        return {(t, tuple([s[at[k]] for k in labels])) for _, t, labels in total.terms}
    return {(with_number(1, u), tuple(s))}


def _count(u: Expr) -> int:
    """The number of terms of a sum."""
    if len(u.factors) == 1 and isinstance(u.factors[0][0], Add):  # perhaps with a number before it
        return len(u.factors[0][0].terms)
    return 0 if constant_of(u) == 0 else 1


def _as_many(bound: Bound, before: Any) -> bool:
    """Whether a product has as many exponentials as the sum of them has powers below, or one for one."""
    u, n = bound["u["], bound["n^"]
    bare = with_number(1, u)
    inside = [f.children[0] for f in before.children if f.operation == "exp"]
    times = [v.coef / Fraction(u.coef) for v in inside if with_number(1, v) is bare]
    return not isinstance(n, complex) and all(k > 0 for k in times) and (sum(times) == -n or bound["k^"] == -n == 1)


WANTED: dict[str, Callable[[Bound, Expr], bool]] = {
    "x is shorter than −x": lambda bound, before: _shorter_than_opposite(bound, "x"),
    "x is shorter than −x and something else is added": lambda bound, before: (
        _shorter_than_opposite(bound, "x") and len(before.children) > 2
    ),
    "x and y are shorter than −x and −y": lambda bound, before: all(_shorter_than_opposite(bound, n) for n in "xy"),
    "there is a minus": lambda bound, before: is_negative(before.coef),
    "nothing else is multiplied": lambda bound, before: len(before.children) == 2,
    "there are as many as powers of the sum": _as_many,
    "terms of x and y meet": lambda bound, before: _meet(bound["x"], bound["y"]),
}
"""What decides whether a rule that holds is wanted: it looks at its names and at the term."""


class Rewrite(NamedTuple):
    """A rule as it is used: ``apply`` gives the replacement and its conditions, or None.

    ``kind`` is that of the terms it is for; ``needs`` what they are made of (see `signature`), so that most rules need
    not be tried.
    """

    text: str
    why: str
    kind: str
    apply: Callable[[Any], tuple[Expr, tuple[Domain, ...]] | None]
    needs: frozenset[str] = frozenset()
    tags: str = "short"
    is_example: bool = False  # the text shows what an algorithm does, of which a term is another example

    @property
    def reason(self) -> str:
        """What is said of a term that was rewritten."""
        return self.why if self.is_example else f"{self.text}: {self.why}" if self.why else self.text


def compiled(rule: Rule, tag: str = "short") -> Rewrite:
    """A rule, ready for use."""
    pattern, replacement = in_search_order(read(rule.pattern)), read(rule.replacement)
    readers = readers_of(pattern)
    conditions = [c for c in conditions_of(rule.where) if c[1] != INVERTIBLE]  # asked where the inverse was recorded
    fits, wanted = WHEN.get(rule.when, WHEN[""]), WANTED.get(rule.when) if tag != "reading" else None

    def apply(term: Any) -> tuple[Expr, tuple[Domain, ...]] | None:
        if readers and not sums_like(term, readers, len(pattern.factors)):
            return None
        for after, bound in found(pattern, replacement, term, lambda b: fits(b) and (not wanted or wanted(b, term))):
            if after is not term:
                asked = [(simplify(build_whole(base, bound)), kind) for base, kind in conditions]
                return after, tuple([(t, kind) for t, kind in asked if not (kind == SYMMETRIC and t.symmetric)])
        return None

    kind = {ProductPattern: "ein", SumPattern: "add", Whole: "call"}.get(type(pattern), "map")
    needs = needs_of(pattern) | ({DECLARED[rule.when]} if rule.when in DECLARED else set())
    return Rewrite(f"{rule.pattern} → {rule.replacement}", rule.why, kind, apply, needs, rule.tags)


SYMMETRIC, INVERTIBLE = "is symmetric", "has an inverse"


def conditions_of(where: str) -> list[tuple[Any, str]]:
    """What a rule's ``where`` asks: what each condition is about, and what it says of it."""
    return [_condition(part.strip()) for part in where.split(" and ") if part]


def _condition(text: str) -> tuple[Any, str]:
    for said_of_it in (SYMMETRIC, INVERTIBLE):
        if text.endswith(said_of_it):
            return read(text[: -len(said_of_it)]), said_of_it
    for sign in ">≥≠":
        if text.endswith(f" {sign} 0"):
            return read(text[:-4]), f"{sign} 0"
    raise FormulaError(
        f"a rule's condition {text!r} is not understood",
        "",
        "Write 'a > 0', 'a ≥ 0', 'det(A) ≠ 0' or 'K is symmetric'.",
    )


def build_whole(pattern: Any, bound: Bound) -> Expr:
    """What a condition is about: an operand, an array."""
    if isinstance(pattern, Hole):
        return bound[pattern.name][0] if pattern.name in bound else bound[pattern.name + "["]
    return build(pattern, bound)[0]


def said(conditions: tuple[Domain, ...]) -> str:
    """Conditions in words."""
    return ", ".join(dict.fromkeys([words(t, kind) for t, kind in conditions]))


# ---------- Simplification: every rewrite of the table, bottom up, until none applies; then common factors pulled out
#
# The builders keep terms in normal form all the time; this is for what costs more and is wanted once. Values stay what
# they are (but for the conditions that some rewrites state, which `steps` collects). The result simplified again is
# itself, and does not depend on the order in which operands were written.


class Step(NamedTuple):
    """One rewrite as it was applied, why it holds, and where."""

    rule: str
    before: Expr
    after: Expr
    conditions: tuple[Domain, ...]
    why: str
    reason: str

    def only_where(self, choices: Choices) -> Step:
        """The same step inside a choice."""
        found = [(only_where(choices, base, kind), kind) for base, kind in self.conditions]
        return self._replace(conditions=tuple([(base, kind) for base, kind in found if base is not None]))

    @property
    def condition(self) -> str:
        """Where it holds, in words."""
        return said(self.conditions)


_passes: list[Rewrite] = []


def use(passes: Iterable[Rewrite]) -> None:
    """Try these after the rules from now on."""
    _passes.extend(passes)
    rules.cache_clear()


@cache
def rules(tag: str) -> dict[str, list[Rewrite]]:
    """The rules with a tag, by the kind of terms they are for."""
    table: dict[str, list[Rewrite]] = {}
    for rule in [*[compiled(rule, tag) for rule in RULES], *_passes]:
        if tag in rule.tags.split():
            table.setdefault(rule.kind, []).append(rule)
    return table


def forget() -> None:
    """Ask all rules again, of every term."""
    rules.cache_clear()
    for term in living_terms():
        term.memo.pop("simple", None)


def simplify(root: Expr, steps: list[Step] | None = None) -> Expr:
    """The simplified term; ``steps``, a list, is given every rewrite in order.

    Then of what is remembered only that a term is simple is used, which takes no rewrite.
    """
    done: dict[int, Expr] = {}
    keep = []  # what the ids belong to
    origins = dict[Expr, tuple[int, int]]()  # which of the steps are those of a term of the root
    for term in postorder(root):
        before = len(steps or ())
        known = term.memo.get("simple")
        if known is None or (steps is not None and known is not True):
            short = rebuilt(term, done)
            if short.kind != term.kind and short.children:  # a sum may come back as a number times a sum
                short = _with_simple_operands(short, steps)
            known = _rewritten(short, steps)
            term.memo["simple"] = True if known is term else known
            if known is not term:
                known.memo["simple"] = True
        keep.append(known)
        done[id(term)] = term if known is True else known
        if steps and any(s.conditions for s in steps[before:]):
            origins[term] = before, len(steps)
    if steps and origins:
        choices = choices_in(root)
        for term, (first, last) in origins.items():
            steps[first:last] = [s.only_where(choices[term]) for s in steps[first:last]]
    return done[id(root)]


def _with_simple_operands(term: Expr, steps: Any) -> Expr:
    for _ in range(3):
        simple = {id(c): simplify(c, steps) for c in term.children}
        before, term = term.kind, rebuilt(term, simple)
        if term.kind == before:
            return term
    return term


def _rewritten(term: Expr, steps: Any) -> Expr:
    for _ in range(_limits.REWRITES):
        for rule, after, conditions in fitting_rules(term, "short"):
            if steps is not None:
                steps.append(Step(rule.text, term, after, conditions, rule.why, rule.reason))
            term = _with_simple_operands(after, steps)
            break
        else:
            return term
    return term


def fitting_rules(term: Expr, tag: str) -> Iterator[tuple[Rewrite, Expr, tuple[Domain, ...]]]:
    """The rules with a tag that fit a term, each with what it gives and where that holds."""
    there = signature(term)
    for rule in rules(tag).get(term.kind, ()):
        if rule.needs <= there:
            result = rule.apply(term)
            if result is not None and result[0] is not term and ("real" not in rule.tags or is_real(term)):
                yield rule, *result

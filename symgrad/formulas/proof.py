"""The proof that two formulas are one: they have one form, or their difference is rewritten to 0.

The idea to hold: points prove nothing. A proof is a chain of rewrites, each with its reason and its conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError
from .._limits import bound
from .._trees import postorder
from ..calculus import (
    Condition,
    Entries,
    Step,
    apply,
    functions_of,
    lift,
    of_rewrite,
    places_in,
    plus,
    simplify,
    times,
    unstated_conditions,
)
from ..core import Dim
from ..show import to_text
from ..terms import (
    Add,
    Ein,
    Expansion,
    Expr,
    Lin,
    Map,
    Var,
    constant_of,
    evaluate,
    expanded,
    labels_at,
    map_bottom_up,
    number,
    pow_,
    row,
    selection,
    shaped,
    zeros,
)
from .background import difference, key_of, other_data, shown
from .derivation import Line
from .points import minus, moves, surfaces

# ---------------------------------------------------------- Whether the difference of two terms is 0, by rewriting it

# The idea to hold: what is 0 in one form is 0. Forms are tried from the cheapest on: as it stands, multiplied out, with
# the functions of exponentials by exponentials, away from edges, and, of a small array, entry by entry.


_PRODUCTS = bound(10_000)
"""Terms that are made by multiplying out in one search, some seconds' worth: what needs more is not proved so."""


class Zero:
    """The search for 0.

    Attributes
    ----------
    lines : what led to it
    asked : the conditions of the rewrites
    edges : what is 0 where it may not hold, by the condition that says so
    why : why it is not known to be 0; empty if it is
    """

    pair: tuple[Expr, Expr]
    why: str

    def __init__(self, right: Expr, claimed: Expr, why: str = "") -> None:
        self.pair, self.why = (right, claimed), why
        self.lines: list[Line] = []
        self.asked: list[Any] = []
        self.edges: dict[str, Expr] = {}
        self.expanded = Expansion(_PRODUCTS)

    def found(self, cheaply: bool = False, values: bool = False) -> bool:
        """Whether some form of the difference is 0; ``cheaply`` without rules, as brackets are multiplied out."""
        if self.pair[0] is self.pair[1]:
            self.lines = [Line("", (), "The claim is that form.")]
            return True
        if cheaply:
            return self._is_zero(list(self.pair), "", _CHEAP)
        for change, why in _FORMS:
            if change is _by_half_angles and not _is_smooth(self.pair):
                continue
            if change is _by_whole_powers and values:  # 0^a has one where 0·0^(a − 1) has none
                continue
            edges: dict[str, Expr] = {}
            pair = list(self.pair)
            for _ in range(2):  # what a change makes may be changed again
                pair = [map_bottom_up(t, partial(change, edges)) if change else t for t in pair]
            if change and all(a is b for a, b in zip(pair, self.pair, strict=True)):
                continue
            if self._is_zero(pair, why):
                self.edges = edges
                return True
        return self._by_entries()

    def _is_zero(self, pair: list[Expr], why: str, all_ways: Sequence[Sequence[_Way]] | None = None) -> bool:
        for ways in all_ways or _WAYS:
            apart = minus(*pair)
            lines = [Line("", (), f"{why}:")] if why else []
            asked = []
            for reason, way in ways:
                steps: list[Step] = []
                try:
                    after = way(apart, steps, self.expanded)
                except FormulaError:  # too many terms
                    break
                asked += [c for s in steps for c in s.conditions]
                zero = is_zero(after)
                lines += step_lines(steps)
                if zero or after is not apart:
                    lines.append(Line("rewrite", (apart, number(0) if zero else after), reason))
                if zero and why in (_WHOLE_POWERS, _EXPONENTIALS, _HALF_ANGLES):  # whose symbols are nobody's
                    lines = [Line("", (), f"{why} the difference is 0: {reason}.")]
                if zero:
                    self.lines, self.asked = lines, asked
                    return True
                apart = after
        return False

    def _by_entries(self) -> bool:
        """The same, entry by entry of a small array of fixed sizes."""
        apart = minus(*self.pair)
        terms = list(postorder(apart))
        if any(type(n) is Dim for t in terms for n in t.shape) or len(terms) > _limits.SPELLED_TERMS:
            return False
        if not apart.shape or np.prod(apart.shape) > _limits.VERIFIED_ENTRIES:
            return False
        entries = Entries({id(t) for t in terms})
        steps: list[Step] = []
        for at in places_in(apart):
            one = entries.entry(apart, at)
            short = simplify(one, steps)
            try:
                if not is_zero(short) and not is_zero(simplify(self.expanded(short), steps)):
                    return False
            except FormulaError:  # too many terms
                return False
        self.lines = [Line("", (), "Entry by entry the difference is 0.")]
        self.asked = [c for s in steps for c in s.conditions]
        return True


def is_zero(term: Expr) -> bool:
    """Whether a term is 0, or an array of zeros: then it has no symbols."""
    if constant_of(term) == 0:
        return True
    terms = list(postorder(term))
    if any(isinstance(t, Var) or any(type(n) is Dim for n in t.shape) for t in terms) or term.kind != "call":
        return False
    return all(c == 0 for t in terms if (c := constant_of(t)) is not None) and not evaluate(term, {}).any()


def step_lines(steps: list[Step]) -> list[Line]:
    return [Line("rewrite", (s.before, s.after), s.reason, s.condition) for s in steps]


def _rational(term: Expr, steps: list[Step], expand: Expansion) -> Expr:
    """A term whose sums are 0 where they are as quotients of polynomials in what they are made of."""

    def reduced(t: Expr) -> Expr:
        if not isinstance(t, Add) or t.weight > _limits.RATIONAL_WEIGHT:
            return t
        return zeros(t.shape) if any(map(is_zero, functions_of(t))) else t

    return map_bottom_up(term, reduced)


def _opened(term: Expr, steps: list[Step], expand: Expansion) -> Expr:
    return simplify(expand(term), steps)


_Way = tuple[str, Callable[[Expr, list[Step], Expansion], Expr]]
_SHORT: _Way = ("simplified", lambda term, steps, expand: simplify(term, steps))
_AGAIN: _Way = ("multiplied out, like terms meet", _opened)
_WAYS: tuple[tuple[_Way, ...], ...] = (
    (("like terms meet", lambda term, steps, expand: term), _SHORT, _AGAIN, ("multiplied out again", _opened)),
    (("multiplied out", lambda term, steps, expand: expand(term)), _SHORT, _AGAIN),
    (("over one denominator", _rational),),
)  # fmt: skip
"""What is done to the difference, one after the other: rules first, or brackets first, or as a quotient."""
_CHEAP = ((_WAYS[0][0], _WAYS[1][0]),)


# ------------------------------------------------------------------------------------------------------------- forms


def _by_exponentials(edges: dict[str, Expr], term: Any) -> Expr:
    """softmax, log softmax and log Σ exp by exponentials; σ too."""
    if isinstance(term, Map) and term.op.name in ("sigmoid", "exp"):
        e = _exponential(term.children[0])
        if term.op.name == "exp":
            return e
        return times(e.shape, e, pow_(plus(e.shape, (1, number(1)), (1, e)), -1))
    name = term.op.name if term.kind == "call" else ""
    if name not in ("softmax", "log_softmax", "logsumexp") or not term.params:
        return term
    z, axis = term.args[0], term.params[0]
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    if type(axis) is not int or not z.rank or (name == "logsumexp" and term.rank != z.rank - 1):
        return term
    every = z.axes
    kept = tuple([k for k in every if k != axis % z.rank])
    places = {k: i for i, k in enumerate([*kept, axis % z.rank])}
    e = _exponential(z)
    total = shaped(tuple([z.shape[k] for k in kept]), 1, [(e, labels_at(places, every))])
    if name == "softmax":
        return shaped(z.shape, 1, [(e, every), (pow_(total, -1), kept)])
    log = apply("log", total.shape, total)
    if name == "logsumexp":
        return log
    return minus(z, shaped(z.shape, 1, [(log, kept)]))


def _exponential(u: Any) -> Expr:
    """e to a term, as a whole power of a symbol: what is 0 for any such symbol is 0 for e to the term. e to a sum is
    the product of those of its terms."""
    if u.kind == "add" and len(u.terms) <= ANGLES:
        return shaped(u.shape, 1, [(_exponential(shaped(t.shape, c, [(t, t.axes)])), s) for c, t, s in u.terms])
    c = u.coef if u.kind == "ein" else u.terms[0][0] if u.kind == "add" else 1
    if u.kind != "ein" or not isinstance(c, int) or not c:
        c = -1 if isinstance(c, (int, float, Fraction)) and c < 0 else 1
    base = plus(u.shape, (Fraction(1, c), u))
    return pow_(Var(f"exp[{base.digest}]", u.shape, frozenset(["positive"])), c)


def _by_half_angles(edges: dict[str, Expr], term: Any) -> Expr:
    """sin, cos and tan by the tangent of half the angle, those of sums by their parts; sinh, cosh and tanh by
    exponentials, Φ by erf, which is odd. What is 0 for any such symbol is 0 wherever it is continuous."""
    if not isinstance(term, Map) or len(term.args) != 1:
        return term
    name, u, shape = term.op.name, term.children[0], term.shape
    if name == "ndtr":
        erf = apply("erf", shape, times(shape, u, shaped(shape, 1, [(pow_(number(2), Fraction(-1, 2)), ())])))
        return plus(shape, (Fraction(1, 2), number(1)), (Fraction(1, 2), erf))
    if name in ("sin", "cos", "tan"):
        sine, cosine = _circular(u)
    elif name in ("sinh", "cosh", "tanh"):
        e = _exponential(u)
        sine, cosine = [plus(shape, (Fraction(1, 2), e), (Fraction(k, 2), pow_(e, -1))) for k in (-1, 1)]
    else:
        return term
    if name[:3] == "tan":
        return times(shape, sine, pow_(cosine, -1))
    return sine if name[:3] == "sin" else cosine


ANGLES = bound(4)
"""Parts of an angle, and times that one stands in it, up to which its sine is written by theirs."""


def _circular(u: Any) -> tuple[Expr, Expr]:
    """The sine and the cosine of an angle, by those of its parts."""
    shape = u.shape
    if u.kind == "add" and len(u.terms) <= ANGLES:
        parts = [shaped(shape, c, [(t, s)]) for c, t, s in u.terms]
    elif u.kind == "ein" and isinstance(u.coef, int) and u.coef != 1 and abs(u.coef) <= ANGLES:
        parts = [plus(shape, (Fraction(1, abs(u.coef)), u))] * abs(u.coef)
    else:
        parts = []
    if len(parts) > 1:
        (sine, cosine), *others = map(_circular, parts)
        for s, c in others:
            sine, cosine = (
                plus(shape, (1, times(shape, sine, c)), (1, times(shape, cosine, s))),
                plus(shape, (1, times(shape, cosine, c)), (-1, times(shape, sine, s))),
            )
        return sine, cosine
    sign = -1 if u.kind == "ein" and u.coef == -1 else 1
    base = plus(shape, (sign, u))
    t = Var(f"tan[{base.digest}/2]", shape)
    square = times(shape, t, t)
    under = pow_(plus(shape, (1, number(1)), (1, square)), -1)
    sine = times(shape, t, under)
    return plus(shape, (2 * sign, sine)), times(shape, plus(shape, (1, number(1)), (-1, square)), under)


def _by_whole_powers(edges: dict[str, Expr], term: Any) -> Expr:
    """A power whose exponent has a whole number as a term, as one without it: u^(a − 1) is u^a/u where u is not 0."""
    if not isinstance(term, Map) or term.operation != "pow_tensor":
        return term
    exponent, labels = expanded(term.args[1][0]), term.args[1][1]
    shift = sum([c for c, u, _ in exponent.terms if constant_of(u) == 1]) if isinstance(exponent, Add) else 0
    if not isinstance(shift, int) or not shift:
        return term
    base = shaped(term.shape, 1, [term.args[0]])
    rest = plus(exponent.shape, (1, exponent), (-shift, shaped(exponent.shape, 1, [])))
    power = apply("pow_tensor", term.shape, base, shaped(term.shape, 1, [(rest, labels)]))
    edges[f"{to_text(base)} ≠ 0"] = base
    return times(term.shape, power, pow_(base, shift))


def _is_smooth(terms: Iterable[Expr]) -> bool:
    """Whether no function in terms has steps or kinks."""
    return not any(map(_has_edges, postorder(*terms)))


def _has_edges(t: Expr) -> bool:
    return isinstance(t, Map) and bool(t.op.truth or t.op.kink or t.op.pieces or t.op.masks)


def _by_slices(edges: dict[str, Expr], term: Any) -> Expr:
    """What is joined of parts, or has a part replaced, as a sum; slices are counted from the front."""
    k = selection(term) if term.kind == "lin" and len(term.in_shape) == 1 else None
    if isinstance(k, slice) and type(term.in_shape[0]) is not Dim:
        return Lin(term.op, ((slice(*k.indices(int(term.in_shape[0]))),),), term.out_shape, term.in_shape)
    if term.kind == "call" and term.op.name == "cat" and all(a.rank == term.rank for a in term.args):
        return _parts(term)
    if term.kind == "call" and term.op.name in ("slice_scatter", "select_scatter") and len(term.args) == 2:
        (whole, part), index = term.args, term.params[0]
        taken = lift(row("getitem"), [whole], (index,), part.shape)
        put = [lift(row("embed"), [x], (term.shape, index), term.shape) for x in (taken, part)]
        return plus(term.shape, (1, whole), (-1, put[0]), (1, put[1]))
    return term


def _parts(term: Any) -> Expr:
    axis, start, total = int(term.params[0]) % term.rank, 0, term.shape[int(term.params[0]) % term.rank]
    labels = term.axes
    found = []
    for part in term.args:
        n = part.shape[axis]
        rest = total - start - n
        stop = None if type(rest) is not Dim and rest == 0 else start + n
        k = slice(start or None, stop) if type(start + n) is not Dim or stop is None else slice(start or None, -rest)
        if type(start) is Dim and type(total - start) is not Dim:
            k = slice(-(total - start), k.stop)
        k = slice(*k.indices(int(total))) if type(total) is not Dim else k
        lin = Lin(row("getitem"), ((k,),), (n,), (total,))
        inside = tuple([term.rank if d == axis else d for d in labels])
        found.append((1, shaped(term.shape, 1, [(part, inside), (lin, (term.rank, axis))])))
        start = start + n
    return plus(term.shape, *found)


def _off_edges(edges: dict[str, Expr], term: Any) -> Expr:
    """What is so away from edges: two moving terms are not equal, |u| is u sign(u), sign(u) is 1 or −1."""
    if not isinstance(term, Map) or not term.args:
        return term
    name, shape = term.op.name, term.shape
    if name in ("abs", "sign") and is_generic(term.children[0]):
        u = term.children[0]
        edges[f"{to_text(u)} ≠ 0"] = u
        sign = plus(shape, (2, _above(u, number(0), shape)), (-1, number(1)))
        return sign if name == "sign" else times(shape, u, sign)
    if name == "where":
        c, a, b = [shaped(shape, 1, [pair]) for pair in term.args]  # c a + (1 − c) b
        return plus(shape, (1, times(shape, c, a)), (1, b), (-1, times(shape, c, b)))
    if name not in ("eq", "ne", "ge", "le", "gt", "lt"):
        return term
    a, b = [shaped(shape, 1, [pair]) for pair in term.args]
    apart = minus(a, b)
    if not is_generic(apart):
        return term
    edge = f"{to_text(term.children[0])} ≠ {to_text(term.args[1][0])}"
    if name in ("eq", "ne"):
        edges[edge] = apart
        return shaped(shape, 0 if name == "eq" else 1, [])
    first, second = (a, b) if name in ("gt", "ge") else (b, a)
    kept = not shape or first.digest <= second.digest
    if name in ("ge", "le") or not kept or _above(first, second, shape).kind != "map":
        edges[edge] = apart
    if kept:
        return _above(first, second, shape)
    return minus(shaped(shape, 1, []), _above(second, first, shape))


def _above(a: Expr, b: Expr, shape: Any) -> Expr:
    """1 where a > b; the opposite of which stands for a < b."""
    if constant_of(a) == 0 and constant_of(b) != 0:
        return minus(shaped(shape, 1, []), apply("gt", shape, b, a))
    return apply("gt", shape, a, b)


def is_generic(term: Expr) -> bool:
    """Whether a term is 0 on a thin set only: it is analytic, and not constant."""
    moving = False
    for t in postorder(term):
        if isinstance(t, Var):
            if not moves(t):
                return False
            moving = True
        elif t.kind not in ("ein", "add", "one", "delta", "data", "map") or _has_edges(t):
            return False
    return moving and constant_of(term) is None and not is_zero(simplify(expanded(term)))


_HALF_ANGLES = "With sines and cosines by the tangent of half the angle, sinh and cosh by exponentials and Φ by erf"
_WHOLE_POWERS = "With whole numbers apart from other exponents"
_EXPONENTIALS = "With softmax, σ and exp as powers of exponentials"
_FORMS: tuple[tuple[Callable[[dict[str, Expr], Any], Expr] | None, str], ...] = (
    (None, ""), (_by_slices, "Parts put together"),
    (_by_whole_powers, _WHOLE_POWERS), (_by_exponentials, _EXPONENTIALS), (_by_half_angles, _HALF_ANGLES),
    (_off_edges, "Away from the edges"),
)  # fmt: skip


# -------------------------------------------------------- Two formulas are one form, or their difference comes to be 0


class Proof:
    """A chain of lines, and where it holds; without ``lines`` there is none, and ``why`` says what was missing.

    ``asked`` are the conditions that come of the claim and of how it was shown, not of the function.
    """

    lines: tuple[Line, ...]
    why: str

    def __init__(self, lines: Iterable[Line] = (), conditions: Iterable[str] = (), why: str = "") -> None:
        self.lines, self.why = tuple(lines), why
        self.asked: list[Condition] = []
        known = dict.fromkeys(conditions)
        self.conditions: tuple[str, ...] = tuple(
            [c for c in known if c.partition(" (")[0] == c or c.partition(" (")[0] not in known]
        )
        self.written: dict[str, str] = {}

    def __bool__(self) -> bool:
        return not self.why


def equal(right: Any, claimed: Any, function: Any, variables: set[str], values: bool = False) -> Proof:
    """The proof that two formulas are the same, as it is written on a board; see `reduced`."""
    zero = reduced(right, claimed, function, variables, values)
    if zero.why:
        return Proof(why=zero.why + (f": {_difference_text(*zero.pair)}" if zero.why == _NOT_REDUCED else ""))
    try:
        derivation = right.explain()
        lines, written = list(derivation._lines), derivation._names
    except (SymgradError, RecursionError):  # what is not written on a board is proved all the same
        lines, written = [], {}
    lines += _claim_lines(claimed) + zero.lines
    asked = [(claimed._background.declared(t), kind) for t, kind in claimed._background.domains]
    said = [c for c in (*unstated_conditions(zero.pair[0], asked), *of_rewrite(zero.asked)) if c.decided is not True]
    texts = [c.text for c in said]
    kinks = _kinks(function, _order(right))
    found = Proof(lines, [*right.conditions, *claimed.conditions, *texts, *zero.edges, *kinks])
    found.written, found.asked = written, said
    return found


_NOT_REDUCED = "the difference was not reduced to 0"


def reduced(
    right: Any, claimed: Any, function: Any, variables: set[str], values: bool = False, cheaply: bool = False
) -> Zero:
    """How the difference of two formulas becomes 0, or why that is not known.

    ``variables`` are names that mean the same in both. ``values`` says that they are no derivatives: then nothing is
    left open at kinks of the function.
    """
    background = claimed._background.but(special={**claimed._background.special, **right._background.special})
    one, two = [simplify(map_bottom_up(background.declared(f._expanded()), _in_figures)) for f in (right, claimed)]
    zero = Zero(one, two, _not_comparable(right, claimed, variables))
    if not zero.why and not zero.found(cheaply, values):
        zero.why = _NOT_REDUCED
    elif any(c.decided is False for c in of_rewrite(zero.asked)):
        zero.why = "a condition of a rewrite never holds"
    elif edge := _open_edge(zero, function, values):
        zero.why = f"it was shown where {edge} only"
    return zero


def _in_figures(term: Expr) -> Expr:
    """A function of a number as the float that a text's is: the log(2) of a derivative of 2^x."""
    if isinstance(term, Map) and not term.shape and term.children and term.operation != "pow_scalar":
        numbers = [constant_of(c) for c in term.children]
        value = evaluate(term, {}) if None not in numbers else None
        return number(float(value)) if value is not None and np.isfinite(value) else term
    return term


def shape_text(shape: Any) -> str:
    """A shape in words."""
    return shown(shape) if len(shape) else "() (a number)"


def _not_comparable(right: Any, claimed: Any, variables: set[str]) -> str:
    """Why the form of two formulas says nothing: a name means two things, or something holds at one point only."""
    if key_of(right.shape) != key_of(claimed.shape):
        return f"the shapes are {shape_text(right.shape)} and {shape_text(claimed.shape)}"
    one, two = right._background, claimed._background
    for name in sorted((one.symbols.keys() & two.symbols.keys()) - variables):
        if why := difference(name, one, two):
            return f"{name!r} is not the same in both: {why}"
    if data := other_data(right, claimed):
        return f"{data} in each is an array without a name, and not the same"
    for f in (right, claimed):
        if f._background.choices:
            return f"it holds at one point only: {f._background.choices[0]}"
        if stiff := f._background.rigid(f.term):
            return f"'{stiff}' does not follow the named sizes"
        if any(c.decided is False for c in f._conditions()):
            return "a condition of it never holds"
    return ""


def _open_edge(zero: Zero, function: Any, values: bool) -> str:
    """An edge on which the two may differ, and where that is no convention: it is none of the function's own."""
    if not any(
        isinstance(t, Map) and (t.op.truth or t.op.name == "sign") for root in zero.pair for t in postorder(root)
    ):
        return ""  # what has no jumps and agrees on both sides agrees between
    own = [s for t in postorder(function._full) for s in surfaces(t)] if function is not None and not values else []
    for text, edge in zero.edges.items():
        same = (
            plus(edge.shape, (1, edge), (c, s)) for s in own if key_of(s.shape) == key_of(edge.shape) for c in (1, -1)
        )
        if not any(is_zero(simplify(apart)) for apart in same):
            return text
    return ""


def _difference_text(right: Expr, claimed: Expr) -> str:
    text = to_text(simplify(minus(right, claimed)))
    if text.partition("\n")[0] == "0":  # for reading alone it is
        text = f"{to_text(right)} − ({to_text(claimed)})"
    return text if len(text) < _limits.VERIFIED_TEXT else text[: _limits.VERIFIED_TEXT] + "…"


def _claim_lines(claimed: Any) -> list[Line]:
    """How the claim is brought into its short form."""
    name = Var("claim", claimed.term.shape)
    return [Line("claim", (name, claimed._raw)), *step_lines(claimed._steps())] + (
        [Line("claim", (name, claimed.term), "simplified")] if claimed.term is not claimed._raw else []
    )


def _order(derivative: Any) -> int:
    """How often a formula was differentiated."""
    return (derivative._wrt is not None) + max(map(_order, derivative._operands), default=0)


def _kinks(function: Any, order: int) -> list[str]:
    """Where a function may have no derivative of that order: there a claim is a convention, and is not looked at."""
    if function is None:
        return []
    found = []
    smooth = _smoothed(function._full, max(order, 1))
    for t in postorder(function._full):
        if not isinstance(t, Map) or not (t.op.kink or t.op.truth) or t in smooth:
            continue
        texts = [to_text(a) for a, _ in t.args]
        if t.op.truth and len(texts) == 2:
            found.append(f"{texts[0]} ≠ {texts[1]} (an edge of f)")
        elif len(texts) == 1 and not t.params:
            found.append(f"{texts[0]} ≠ 0 (a kink of f)" if t.op.kink.endswith("at 0") else f"{to_text(t)} has no kink")
        else:
            found.append(f"{to_text(t)} has no kink")
    return found


_NOTHING_AT_ITS_KINK = frozenset({"abs", "relu"})


def _smoothed(root: Expr, order: int) -> set[Expr]:
    """What has a kink at 0 and is 0 there, and stands only where it is raised, or multiplied by its operand, so often
    that the derivative of that order is continuous: ``|u|³``, ``u|u|`` for the first."""
    raised, bare = set[Expr](), {root}
    for t in postorder(root):
        for u in t.children:
            if not isinstance(u, Map) or u.operation not in _NOTHING_AT_ITS_KINK:
                continue
            power = t.exponent
            if isinstance(t, Ein):
                at = next(index for f, index in t.factors if f is u)
                power = sum(f.exponent for f, index in t.factors if index == at and f.base in (u, u.children[0]))
            (raised if isinstance(power, (int, float, Fraction)) and power > order else bare).add(u)
    return raised - bare

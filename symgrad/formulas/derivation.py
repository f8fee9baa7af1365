"""Derivations as they are written on a board: lines of equal terms with reasons.

From a formula to its derivation: the function, its derivatives in the order they were taken, the rewrites.

The idea to hold: a long function is cut at parts that get names; between the cuts differentiation is run as ever, with
the name of what comes in (``dr``, ``r̄``) in the place of its term. So every line is what the rules gave, and each is
compared by value before it is shown.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np

from .. import _limits, show
from .._limits import bound
from .._trees import postorder
from ..calculus import Values, depends, derivative, distributed_product, gradient, jacobian, partial, plus, simplify
from ..core import Dim
from ..show.latex_notes import cut_in_ipython, in_dollars, in_mathematics, in_words, plain, quoted
from ..show.layout import LAST
from ..terms import (
    Add,
    Call,
    Ein,
    Expr,
    Map,
    TooLarge,
    Var,
    dotted,
    ein,
    evaluate,
    inner_sum,
    map_,
    scaled,
    shaped,
    shaped_sum,
    substitute,
    symbols_in,
    zeros,
)
from .check import disagreement, require_value, verdict


class Line(NamedTuple):
    """One line: terms that are equal, the first most often a name; why; and where.

    ``kind`` is 'function', 'let', 'differential', 'gradient', 'derivative', 'rewrite', 'result' or, of a proof,
    'claim'; a line of text alone has none, and no terms.
    """

    kind: str
    terms: tuple[Expr, ...]
    reason: str = ""
    condition: str = ""


def in_text(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines whose reasons are text: mathematics in them is kept as text and as LaTeX, for who writes them."""
    return tuple([line._replace(reason=plain(line.reason), condition=plain(line.condition)) for line in lines])


REASONS = bound(40)
"""Signs of a line of a derivation up to which reasons stand in one column behind it."""
NOTES = bound(12)
"""Definitions below one line of a derivation; how many are left out is stated."""


class Derivation:
    """The derivation of a formula: ``text()`` (or ``str``), ``markdown()``, ``latex()``, ``html()``.

    Attributes
    ----------
    lines : the lines in order
    conditions : where the result holds

    Examples
    --------
    >>> import symgrad as sg
    >>> f = sg.parse("sum((A@x - b)**2)", A=("m", "n"))
    >>> f.grad("x").explain()
    f = ‖Ax − b‖²
    let r = Ax − b
    f = ‖r‖²
    df = 2rᵀ dr        chain rule: d r² = 2r dr
    dr = A dx          linear in x
    Back from f to x, r̄ being the gradient of f in r:
    r̄ = 2r
    g = ∂f/∂x = Aᵀr̄    the chain rule through r
    g = 2Aᵀr           r̄ put in
    g = 2Aᵀ(Ax − b)    r put in
    """

    conditions: tuple[str, ...]

    def __init__(
        self, lines: Sequence[Line], conditions: Sequence[str], names: dict[str, str], taken: Collection[str] = ()
    ) -> None:
        self._lines, self.conditions, self._names, self._taken = tuple(lines), tuple(conditions), names, taken

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines in order, their reasons as text."""
        return in_text(self._lines)

    @cached_property
    def _laid(self) -> dict[Expr, Any]:
        """The notation of each term: a letter means one thing on all lines, and is no name of the problem."""
        terms = list(dict.fromkeys([t for line in self._lines for t in line.terms]))
        taken, meanings = {v.name for v in symbols_in(*terms)} | set(self._taken), dict[str, Any]()
        return {t: show.lay(t, taken, meanings) for t in terms}

    def __str__(self) -> str:
        lines = self._written(self._text, plain, "{}", "  ")
        width = max([_width(text) for text, reason, _ in lines if reason and _width(text) <= REASONS], default=0)
        out = [
            (f"{text}{' ' * (width - _width(text))}    {reason}" if reason else text) + notes
            for text, reason, notes in lines
        ]
        return "\n".join([*out, *map(plain, self._end())])

    text = __str__
    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def html(self) -> str:
        """Return a table: what is equal, and why."""
        rows = [
            f"<tr><td>{escape(text + notes)}</td><td>{escape(reason)}</td></tr>"
            for text, reason, notes in self._written(self._text, plain, "{}", "  ")
        ]
        rows += [f'<tr><td colspan="2">{escape(text)}</td></tr>' for text in map(plain, self._end())]
        return "<table>\n" + "\n".join(rows) + "\n</table>"

    def markdown(self) -> str:
        """Return Markdown, the mathematics between dollars."""
        lines = self._written(self._tex, in_words, "${}$", "")
        ends = [in_words(text) for text in self._end()]
        return "\n\n".join([text + f"  *({reason})*" * bool(reason) for text, reason, _ in lines] + ends)

    def _repr_markdown_(self) -> str | None:
        text = self.markdown()
        return text if len(text) <= _limits.NOTEBOOK_LATEX else None

    def _repr_latex_(self) -> str | None:
        return in_dollars(self.latex())

    def latex(self) -> str:
        """Return LaTeX: a display of aligned lines, the reasons as text."""
        rows, said_last = [], ("", "")
        for line in self._lines:
            said = rf"\text{{{in_words(_said(line))}}}"
            if not line.terms:
                rows.append(rf"&{said}")
                continue
            first, *rest = bodies = [*dict.fromkeys([self._tex(t) for t in line.terms])]
            if (not rest and len(line.terms) > 1) or (first, bodies[-1]) == said_last:
                continue
            said_last = first, bodies[-1]
            first = r"\text{let } " * (line.kind == "let") + first
            rows.append(" ".join([first, *[f"&= {t}" if k == 0 else f"= {t}" for k, t in enumerate(rest)]]))
            if _said(line):
                rows[-1] += rf" && {said}"
        rows += [rf"&\text{{{in_words(text)}}}" for text in self._end()]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def _text(self, term: Expr) -> str:
        return show.to_text(term, limit=NOTES, laid=self._laid[term]).replace(LAST, "")

    def _tex(self, term: Expr) -> str:
        text = show.to_latex(term, laid=self._laid[term])
        for name, written in self._names.items():
            text = text.replace(show.to_latex(Var(name)), written)
        return text

    def _end(self) -> list[str]:
        return ["Holds where " + ", ".join(map(_conditioned, self.conditions)) + "."] if self.conditions else []

    def _written(self, write: Any, words: Any, frame: str, indent: str) -> list[tuple[str, str, str]]:
        """The lines as text, reason, and what letters in it stand for."""
        out: list[tuple[str, str, str]] = []
        said_last = "", ""
        for line in self._lines:
            bodies: dict[str, None] = {}
            notes: dict[str, None] = {}
            for term in line.terms:
                body, *where = write(term).split("\nwhere ", 1)
                bodies[body] = None
                notes.update(dict.fromkeys([n.strip() for block in where for n in block.split("\n")]))
            text = "let " * (line.kind == "let") + frame.format(" = ".join(bodies)) if bodies else words(line.reason)
            where = f"\n{indent}where " + f"\n{indent}      ".join(notes) if notes else ""
            ends = next(iter(bodies), ""), next(reversed(bodies), "")
            if not bodies or (len(bodies) > 1 and ends != said_last):
                said_last = ends
                out.append((text, words(_said(line)) if bodies else "", where))
        return out


def _width(text: str) -> int:
    """How many places a text takes: the bar of r̄ takes none."""
    return sum([not unicodedata.combining(c) for c in text])


def _said(line: Line) -> str:
    return line.reason + (f" (if {_conditioned(line.condition)})" if line.condition else "")


_COMPARED = re.compile("[<>=≠≤≥]")


def _conditioned(condition: str) -> str:
    """A condition in a sentence: a comparison is mathematics, of words only the symbol that they are about."""
    first, blank, rest = condition.partition(" ")
    if _COMPARED.search(condition) or not blank:
        return quoted(condition, in_mathematics(condition))
    return quoted(first, in_mathematics(first)) + blank + rest if first.isidentifier() else condition


# --------------------------------------------------------------------------------------------------------------- cuts
#
# Where a long function is cut for its derivation: which parts get a name, which letter it is, which rule is meant.
#
# The idea to hold: a part gets a name where the chain rule turns from one function to the next, or where it is used
# again. What is smaller than its name's worth, or of no consequence for the derivative, stays where it is.


_LETTERS = {0: "stqceh", 1: "uvwzrh", 2: "UVWZRH"}


class Part(NamedTuple):
    """A named part: its symbol, what it is in terms of the variable and of parts before, and the term itself."""

    name: Var
    definition: Expr
    term: Expr


class Letters:
    """The names of a derivation: each means one thing, and is none of the problem's.

    Attributes
    ----------
    taken : the names in use
    d : the sign before a name that makes its change
    """

    taken: set[str]

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken, self._known = set(taken), dict[Any, str]()
        self.d: str = next(d for d in "dδDΔ" if self.taken.isdisjoint([d + name for name in self.taken]))

    def spare(self, letters: str, first: str = "") -> str:
        """The first letter that nothing else has, nor its change, nor its gradient (r̄); numbered, if all have."""
        names = itertools.chain(first, letters, (f"{letters[0]}{k}" for k in itertools.count(1)))
        name = next(n for n in names if self.taken.isdisjoint((n, f"d{n}", f"{n}_bar")))
        self.taken.update((name, f"d{name}", f"{name}_bar"))
        return name

    def of(self, what: Any, letters: str) -> str:
        """The letter of something: always the same."""
        if what not in self._known:
            self._known[what] = self.spare(letters)
        return self._known[what]


def cut(root: Expr, x: Var, letters: Letters, given: dict[Expr, str]) -> tuple[list[Part], Expr]:
    """The named parts of a function of ``x``, inner ones first, and the function in terms of them.

    ``given`` has the names that parts were given.
    """
    parts: list[Part] = []
    for term in _worth(root, x, given):
        definition = in_names(term, parts)
        name = Var(given.get(term) or _spare_name(term, letters), term.shape)
        parts.append(Part(name, definition, term))
    short = in_names(root, parts)
    used = set(symbols_in(short))
    kept = []
    for part in reversed(parts):  # a part that only stood in others which have been put together
        if part.name in used:
            used |= set(symbols_in(part.definition))
            kept.append(part)
    return kept[::-1], short


LET = bound(16)
"""Parts that a derivation gives a name to; it is not read if there are more."""


def _worth(root: Expr, x: Var, given: dict[Expr, str]) -> list[Expr]:
    """The parts that get a name."""
    found: dict[Expr, int] = {}
    for t in postorder(root):
        if not depends(t, x):
            continue
        if isinstance(t, Call) and t is not root:
            found[t] = found.get(t, 0) + 2
        for child in _turning(t):
            found[child] = found.get(child, 0) + 2
        for child in t.children:
            found[child] = found.get(child, 0) + 1
    opposites = {_opposite(t) for t in given}  # a square may hold 1 − w where w − 1 has a name
    inside = [t for t in postorder(root) if t is not root and t.children and depends(t, x) and t not in opposites]
    inside += [t for t in given if t not in inside and depends(t, x)]
    order = [t for t in inside if t in given or (found.get(t, 0) > 1 and not _is_small(t) and not _is_factor(t))]
    most = sorted(order, key=lambda t: (t not in given, -found.get(t, 0), -t.weight))[:LET]
    return [t for t in order if t in most]


SMALL_PART = bound(6)
"""Weight of a part that is read at a glance (2x, -y): derivations give it no name."""


def _is_small(t: Expr) -> bool:
    product = len(t.factors) > 1 and len(t.dims) > t.rank
    return t.weight <= SMALL_PART and not product and not isinstance(t, Call)


def _is_factor(t: Expr) -> bool:
    """Whether it is a factor of a decomposition, which has its name already: U of X = UΣVᵀ."""
    return t.operation in ("svd", "eigh")


def _turning(t: Expr) -> list[Expr]:
    """The operands at which the chain rule turns to another function."""
    if isinstance(t, Map):
        return [] if t.op.truth else [a for a, _ in (t.args[1:] if t.op.name == "where" else t.args)]
    if isinstance(t, Call):
        return list(t.args)
    return [f for f, _ in t.factors if isinstance(f, Add)] if len(t.factors) > 1 else []


def _spare_name(term: Expr, letters: Letters) -> str:
    """A letter for a part that nothing else has: r of a difference, p of probabilities."""
    others = _LETTERS.get(term.rank, "UVWZRH")
    first = ""
    if isinstance(term, Call) and term.op.name == "softmax":
        first = "p"
    elif isinstance(inner_sum(term)[0], Add):
        first = "r"
    return letters.spare(others, first.upper() if term.rank > 1 else first)


def in_names(term: Expr, parts: list[Part]) -> Expr:
    """A term with the names of parts in the place of what they are, the outer ones first."""
    term = substitute(term, {t: name for p in parts for t, name in _either(p.term, p.name)})
    for p in reversed(parts):
        term = substitute(term, dict(_either(p.definition, p.name)))
        if isinstance(p.definition, Ein):
            found = {t: _folded(t, p.definition, p.name) for t in postorder(term)}
            term = substitute(term, {t: new for t, new in found.items() if new is not None})
    return term


def _either(term: Expr, name: Var) -> list[tuple[Expr, Expr]]:
    """A part and its opposite, by its name."""
    return [(_opposite(term), scaled(-1, name)), (term, name)]


def _opposite(term: Expr) -> Expr:
    return simplify(scaled(-1, term))


def _folded(t: Expr, part: Ein, name: Var) -> Expr | None:
    """A product with a product in it by its name: y ⊙ Xw as y ⊙ u; None if it is not in it."""
    if len(t.factors) <= len(part.factors):
        return None
    found = _match(list(part.factors), list(t.factors), {})
    if found is None:
        return None
    rest, labels = found
    open_ = set(range(t.rank)).union(*[s for _, s in rest])
    inner = [labels[k] for k in range(part.rank, len(part.dims))]
    if len(set(labels.values())) < len(labels) or not open_.isdisjoint(inner):
        return None
    factors = [*rest, (name, tuple([labels[k] for k in range(part.rank)]))]
    return ein(t.coef * (Fraction(1) / part.coef), factors, t.axes, dict(enumerate(t.dims)))


def _match(wanted: list[Any], there: list[Any], labels: dict[int, int]) -> Any:
    """The factors that are left when the wanted ones are taken out, and which label each of their labels is."""
    if not wanted:
        return there, labels
    (f, s), *others = wanted
    for place, (g, t) in enumerate(there):
        if g is f and all(labels.get(a, b) == b for a, b in zip(s, t, strict=True)):
            new = {**labels, **dict(zip(s, t, strict=True))}
            found = _match(others, [*there[:place], *there[place + 1 :]], new)
            if found is not None:
                return found
    return None


# --------------------------------------------------------------------------------------------------------- the rules


def rules_of(term: Expr, variables: list[Var], values: Values, letters: Letters) -> str:
    """Which rules the differential of a term takes, with those of the functions in it.

    They are said of what the functions are of, where that has a name; else of a letter that nothing else has.
    """
    moving = [t for t in postorder(term) if any(depends(t, v) for v in variables)]
    functions = [t for t in moving if isinstance(t, (Map, Call)) and not (isinstance(t, Map) and t.op.truth)]
    said = []
    if isinstance(inner_sum(term)[0], Add) and functions:
        said.append("sum rule")
    if any(sum([f in moving for f, _ in t.factors]) > 1 for t in moving):
        said.append("product rule")
    if not said and not functions:
        return "linear in " + " and ".join(map(_quoted, variables)) if variables else "constant"
    own = term in functions and set(term.children) <= {*variables}
    rules = dict.fromkeys([rule for t in functions if (rule := _rule(t, values, letters))])
    if own:
        said.append("the derivative of " + show.to_text(term).partition("(")[0])
    elif rules:
        said.append("chain rule: " + "; ".join(rules))
    return ", ".join(said)


def _rule(t: Any, values: Values, letters: Letters) -> str:
    """What the differential of a function of one variable is: d exp(u) = exp(u) du."""
    if len(t.args) != 1 or (isinstance(t, Call) and t.out not in (None, 1)):
        return ""
    operand = t.args[0] if isinstance(t, Call) else t.children[0]
    signs = "UVWZ" if isinstance(t, Call) and operand.rank > 1 else "uvwz"
    letter = operand.name if isinstance(operand, Var) else letters.of(signs, signs)
    inside = t.args[0].shape if isinstance(t, Call) else ()
    u, du = Var(letter, inside), Var(f"{LAST}{letters.d}{letter}", inside)
    if isinstance(t, Map):
        function = map_(t.op, [(u, ())], t.params, ())
        if not isinstance(function, Map):
            return ""
        change, note = ein(1, [(partial(function, 0), ()), (du, ())], ()), None
    else:
        function = Call(t.op, (u,), t.params, t.shape, t.out)
        value = Var(letters.of(function, "PQ" if t.rank > 1 else "pq"), t.shape)
        rate = _on_change(jacobian(function, 0, {letter: evaluate(t.args[0], values)}), du)
        change = substitute(rate, {function: value})
        note = value if change is not rate else None
    d = Var(LAST + letters.d, ())
    text, latex = [_differential_rule(write, d, function, change, note, letters.taken) for write in (_text, _latex)]
    return "" if "\n" in text else quoted(text, latex)


def _differential_rule(
    write: Any, d: Var, function: Expr, change: Expr, value: Var | None, taken: Collection[str]
) -> str:
    """d exp(u) = exp(u) du, as text or LaTeX; with the name that the value of the function has there."""
    left = write(function, taken)
    before = r" \, " if write is _latex else " "
    left = f"({left})" if "/" in left or left[0] in "−-" or r"\frac" in left else before + left
    note = f", {write(value, taken)} = {write(function, taken)}" if value is not None else ""
    return f"{write(d, taken)}{left} = {write(change, taken)}{note}"


def _text(term: Expr, taken: Collection[str] = ()) -> str:
    return show.to_text(term, taken=taken).replace(LAST, "")


def _latex(term: Expr, taken: Collection[str] = ()) -> str:
    return show.to_latex(term, taken=taken)


def _on_change(rate: Expr, change: Expr) -> Expr:
    """A derivative on a change of what it was taken in, whose axes it has last."""
    n, axes = rate.rank - change.rank, rate.axes
    return distributed_product(1, [(rate, axes), (change, axes[n:])], axes[:n], dict(enumerate(rate.shape[:n])))


# ----------- A derivation as it is written on a board: names, differentials, gradients back to the variable, rewrites
#
# The idea to hold: a derivation is lines of equal terms, with reasons. They are made here; `Derivation` writes them.


def derivation(f: Any) -> Derivation:
    """The derivation of a formula; see `Formula.explain`."""
    board = _Board(f)
    board.write(f)
    return Derivation(board.lines, f.conditions, board.written, board.letters.taken)


DERIVED = bound(100)
"""Terms of a function up to which its differentials are written down."""
REWRITES_SHOWN = bound(40)
"""Rewrites of one form that a derivation shows; how many are left out is stated."""


class Marks:
    """Names with a mark: r̄, the gradient in r; ∂f/∂x. What LaTeX writes for them is ``written``."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}

    def marked(self, name: str, written: str, shape: Any) -> Var:
        self.written[name] = written
        return Var(name, shape)

    def bar(self, of: Var) -> Var:
        return self.marked(of.name[0] + "\u0304" + of.name[1:], rf"\bar{{{_latex(of)}}}", of.shape)

    def rate(self, of: Var, x: Var, shape: Any) -> Var:
        name = rf"\frac{{\partial {_latex(of)}}}{{\partial {_latex(x)}}}"
        return self.marked(f"∂{show.to_text(of)}/∂{show.to_text(x)}", name, shape)

    def turn(self, of: Var, ends: str, first: Var) -> Line:
        """The line from which on gradients are taken."""
        bar = self.bar(first)
        shown = quoted(show.to_text(bar), self.written[bar.name])
        some = f"{shown} being the gradient of {_quoted(of)} in {_quoted(first)}"
        return Line("", (), f"Back from {_quoted(of)} to {ends}, {some}:")


def _is_derived(f: Any) -> bool:
    """Whether a formula is a derivative, or made of some."""
    return f._wrt is not None or any(map(_is_derived, f._operands))


class _Board(Marks):
    """The lines so far, the names that are taken, and the value of each."""

    def __init__(self, f: Any) -> None:
        self.lines: list[Line] = []
        self.given: dict[Expr, str] = {}
        self.functions: dict[int, Var] = {}  # what was differentiated, by identity, and its letter
        variables = {v.name: v for v in symbols_in(f._full)} | f._background.symbols
        sizes = {name for v in variables.values() for n in v.shape if type(n) is Dim for name in n.atoms}
        super().__init__()
        self.letters = Letters((*f.point, *variables, *sizes))
        self.values: dict[str, Any] = dict(f.point)
        self.tol = max(1e-6, 10 * f._background.tol)
        self.rng = np.random.default_rng(0)

    def write(self, f: Any) -> Var:
        """Write down how a formula came about, after what it was made of; returns its letter."""
        if f._wrt is not None:
            of = self.functions.get(id(f._operands[0])) or self.write(f._operands[0])
            self.functions[id(f._operands[0])] = of
            return self._derivative(f, of)
        for g in f._operands:
            self.write(g) if _is_derived(g) else self._rewrites(g)
        return self._function(f)

    def _say(self, kind: str, *terms: Expr, reason: str = "", condition: str = "") -> None:
        """One line, its terms compared; what is written the same is written once."""
        kept = [t for k, t in enumerate(terms) if t is not terms[k - 1] or not k]
        try:
            known = [(t, evaluate(t, self.values)) for t in kept if not isinstance(t, Var) or t.name in self.values]
        except TooLarge:
            known = []
        for k, (_, value) in enumerate(known[1:], 1):
            if all(self._differs(t, value) for t, _ in known[:k]):
                raise disagreement(kept[-1], value, known[0][1])
        if isinstance(kept[0], Var) and known:
            self.values.setdefault(kept[0].name, known[0][1])
        self.lines.append(Line(kind, tuple(kept), reason, condition))

    def _differs(self, term: Expr, value: Any) -> bool:
        """Whether a term's value is another by more than rounding (of what sums to 0 that is all there is)."""
        return verdict(lambda point: evaluate(term, point), self.values, value, self.tol) is None

    def _letter(self, shape: Any) -> Var:
        return Var(self.letters.spare("fghk"), shape)

    def _differential(self, of: Var) -> Var:
        return Var(LAST + self.letters.d + of.name, of.shape)

    # ------------------------------------------------------------------------------------------------- the function

    def _function(self, f: Any) -> Var:
        name = self._letter(f.shape)
        self._say("function", name, f._raw)
        for given, term in f._background.given:
            self._say("let", Var(given, term.shape), term, reason="a name that was given")
            self.given[simplify(f._background.expanded(term))] = given
        self._rewrites(f, name)
        return name

    def _rewrites(self, f: Any, name: Var | None = None) -> None:
        """The rewrites that led from what was recorded (or differentiated) to the form that is shown.

        What is no part of a line that is shown, as the negative of one, has a reason in the last line and none itself.
        """
        whole, steps = f._raw, f._steps()
        shown = REWRITES_SHOWN if len(postorder(whole)) <= DERIVED else 0
        parts, apart = set(postorder(whole)), []
        for step in steps[:shown]:
            times = _times(whole, step.before)
            if name is not None and times is not None:
                before, whole = whole, scaled(times, step.after)
                if show.to_text(whole) != show.to_text(before) or step.condition:
                    self._say("result", name, whole, reason=step.reason, condition=step.condition)
            elif name is not None and step.before not in parts:
                apart.append(step)
                continue
            else:
                self._say("rewrite", step.before, step.after, reason=step.reason, condition=step.condition)
            parts.update(postorder(step.after))
        if len(steps) > shown:
            self.lines.append(Line("", (), f"({len(steps) - shown} rewrites are left out)"))
        if name is not None and f._full is not f._background.expanded(whole):
            declared = f.term is not f._free and f._form is None
            reason = "multiplied out" if f._form is not None else "with what was declared" if declared else ""
            reasons, conditions = [[getattr(s, word) for s in apart] for word in ("reason", "condition")]
            said, held = [", ".join(dict.fromkeys(filter(None, words))) for words in ([*reasons, reason], conditions)]
            self._say("result", name, f.term, reason=said, condition=held)

    # ---------------------------------------------------------------------------------------------- the derivative

    def _derivative(self, f: Any, of: Var) -> Var:
        """The differentials of a function's parts, and its derivative from them."""
        parent = f._operands[0]
        x = parent._variable(f._wrt)
        root = parent._expanded()
        before, terms = None, len(postorder(root))
        if terms <= DERIVED:
            before = self._parts(of, root, x)
        else:
            text = f"(The differentials of {of.name} are left out: it has {terms} terms. They are taken as ever.)"
            self.lines.append(Line("", (), text))
        name = self._letter(f.shape)
        rate = self.rate(of, x, f.shape)
        if before:
            whole, inside = before
            self._say("derivative", name, rate, whole, reason=self._through(whole))
            if show.to_text(inside) == show.to_text(f.term):  # what is done already is not undone to be done again
                self._in_turn("derivative", name, [whole, inside])
                return name
            self._in_turn("derivative", name, [whole, inside, f._raw])
        else:
            reason = self._read_off(name, of, x, f._raw) if before == () else ""
            self._say("derivative", name, rate, f._raw, reason=reason)
        self._rewrites(f, name)
        return name

    def _in_turn(self, kind: str, name: Var, terms: list[Expr]) -> None:
        """One line for each of equal terms but the first: what of the one before was put in."""
        for before, after in itertools.pairwise(terms):
            gone = {*symbols_in(before)}.difference(symbols_in(after))
            if after is not before and show.to_text(after) != show.to_text(before):
                put = [v for v in dict.fromkeys(postorder(before)) if v in gone]
                reason = " and ".join(map(_quoted, put)) + " put in" if put else "simplified"
                self._say(kind, name, after, reason=reason)

    def _through(self, whole: Expr) -> str:
        """The parts through which a gradient comes."""
        there = symbols_in(whole)
        found = [p.name for p in self.parts if self.bar(p.name) in there]
        return "the chain rule through " + " and ".join(map(_quoted, found)) if found else ""

    def _parts(self, of: Var, root: Expr, x: Var) -> tuple[Expr, ...]:
        """Names for the parts of a function, their differentials, and its gradient back to the variable."""
        self.parts, short = cut(root, x, self.letters, self.given)
        for part in self.parts:
            if self.given.get(part.term) != part.name.name:
                self._say("let", part.name, part.definition)
                self.given[part.term] = part.name.name
        if self.parts:
            self._say("function", of, short)
        self._differentials(of, short, x)
        return () if root.rank else self._back(of, short, x)

    def _read_off(self, name: Var, of: Var, x: Var, found: Expr) -> str:
        """What says that a term is the derivative: the differential is the term on the change of the variable."""
        d, dx = self._differential(of), self._differential(x)
        require_value(_on_change(found, dx), self.values, self.values[d.name], self.tol)
        change = _on_change(name, dx)
        return "since " + quoted(*[f"{write(d)} = {write(change)}" for write in (_text, _latex)])

    def _differentials(self, of: Var, short: Expr, x: Var) -> None:
        """The differential of each part, the function first."""
        dx = self._differential(x)
        self.values.setdefault(dx.name, self.rng.normal(size=tuple(map(int, x.shape))))
        lines, variables = [], [x]
        for name, term in [*[(p.name, p.definition) for p in self.parts], (of, short)]:
            moving = [v for v in variables if depends(term, v)]
            whole, d = in_names(self._change(term, moving), self.parts), self._differential(name)
            self.values[d.name] = evaluate(whole, self.values)
            reason = rules_of(term, moving, self.values, self.letters)
            lines.append((d, whole, in_names(simplify(whole), self.parts), reason))
            variables.append(name)
        for d, whole, short, reason in reversed(lines):
            self._say("differential", d, whole, reason=reason)
            if self.parts and len(show.to_text(short)) < len(show.to_text(whole)):  # else rates are read off it at once
                self._in_turn("differential", d, [whole, short])

    def _change(self, root: Expr, moving: list[Var]) -> Expr:
        """The differential of a term: of a product factor by factor, of anything else by its derivative."""
        known: dict[Expr, Expr] = {v: self._differential(v) for v in moving}
        for term in postorder(root):
            inner = [v for v in moving if depends(term, v)]
            if inner and term not in known:
                known[term] = self._change_of(term, inner, known)
        return known.get(root, zeros(root.shape))

    def _change_of(self, term: Any, inner: list[Var], known: dict[Expr, Expr]) -> Expr:
        """The same of one term, those of its operands being known."""
        every = term.axes
        found = []
        if isinstance(term, Add):
            found = [(c, known[t], s) for c, t, s in term.terms if t in known]
        elif isinstance(term, Ein):
            for place, (f, s) in enumerate(term.factors):
                if f in known:
                    factors = [*term.factors[:place], (known[f], s), *term.factors[place + 1 :]]
                    found.append((1, shaped(term.shape, term.coef, factors), every))
        else:
            found = [(1, _on_change(derivative(term, v, self.values), known[v]), every) for v in inner]
        return shaped_sum(term.shape, found)

    def _back(self, of: Var, short: Expr, x: Var) -> tuple[Expr, ...]:
        """The gradient in each part, from the function back to the variable; returns that in the variable."""
        parts = self.parts
        if not parts:
            return ()
        self.lines.append(self.turn(of, _quoted(x), parts[-1].name))
        known: dict[Expr, Expr] = {}  # what each bar is, in names
        seeds: list[Expr] = [short]
        for v in [*[p.name for p in reversed(parts)], x]:
            found = [(1, gradient(t, v, self.values)) for t in seeds if depends(t, v)]
            whole = in_names(plus(v.shape, *found), parts)
            inside = in_names(simplify(substitute(whole, known)), parts)
            if v is x:
                return whole, inside
            bar = self.bar(v)
            self.values.pop(bar.name, None)  # the same letter, in the derivation of another function
            self._say("gradient", bar, whole, reason=self._through(whole))
            self._in_turn("gradient", bar, [whole, inside])
            known[bar] = inside
            definition = next(p.definition for p in parts if p.name is v)
            seeds.append(dotted(bar, definition))
        return ()


def _times(term: Any, of: Any) -> Any:
    """The number by which another term is multiplied in one, −1 in its negative; None if it is no multiple of it."""
    if term is of:
        return 1
    if not isinstance(term, Ein) or term.rank != of.rank:
        return None
    if term.factors == ((of, of.axes),):
        return term.coef
    same = isinstance(of, Ein) and (term.factors, term.dims) == (of.factors, of.dims)
    return term.coef * (Fraction(1) / of.coef) if same else None


def _quoted(term: Expr, taken: Collection[str] = ()) -> str:
    """A term in a sentence."""
    return quoted(_text(term, taken), _latex(term, taken))

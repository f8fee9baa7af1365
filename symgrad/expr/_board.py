"""From a formula to its derivation: the function, its derivatives in the order they were taken, the rewrites.

The idea to hold: a long function is cut at parts that get names; between the cuts differentiation is run as ever, with
the name of what comes in (``dr``, ``r̄``) in the place of its term. So every line is what the rules gave, and each is
compared by value before it is shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits, show
from .._postorder import postorder
from ..core import Dim
from ..show._layout import LAST
from ..syntax import GREEK
from ._add import shaped_sum
from ._check import disagreement, verdict
from ._cuts import Letters, cut, in_names, rules_of
from ._derivation import Derivation, Line
from ._derive import depends, derivative, gradient, product
from ._ein import ein, zeros
from ._evaluate import TooLarge, evaluate
from ._node import Add, Ein, Expr, Var
from ._simplify import simplify
from ._substitute import substitute


def derivation(f: Any) -> Derivation:
    """The derivation of a formula; see `Formula.explain`."""
    board = _Board(f)
    board.write(f)
    return Derivation(board.lines, f.conditions, board.written, board.letters.taken)


class _Board:
    """The lines so far, the names that are taken, and the value of each."""

    def __init__(self, f: Any) -> None:
        self.lines: list[Line] = []
        self.given: dict[Expr, str] = {}
        variables = {v.name: v for v in postorder(f._full) if isinstance(v, Var)} | f._background.symbols
        sizes = {name for v in variables.values() for n in v.shape if type(n) is Dim for name in n.atoms}
        self.letters = Letters((*f.point, *variables, *sizes))
        self.written: dict[str, str] = {}  # what LaTeX writes for the names made here
        self.values: dict[str, Any] = dict(f.point)
        self.tol = max(1e-6, 10 * f._background.tol)
        self.rng = np.random.default_rng(0)

    def write(self, f: Any) -> Var:
        """Write down how a formula came about, after what it was made of; returns its letter."""
        if f._wrt is not None:
            return self._derivative(f, self.write(f._operands[0]))
        for g in f._operands:
            self._rewrites(g)
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
        return Var(self.letters.spare([*"fghk", *[f"f{k}" for k in range(1, 99)]]), shape)

    def _helper(self, name: str, written: str, shape: Any) -> Var:
        self.written[name] = written
        return Var(name, shape)

    def _differential(self, of: Var) -> Var:
        d = self.letters.d
        d_tex = rf"\mathrm{{{d}}}" if d.isascii() else rf"\{GREEK[d]} "
        return self._helper(LAST + d + of.name, d_tex + _tex(of), of.shape)

    def _bar(self, of: Var) -> Var:
        return self._helper(of.name[0] + "\u0304" + of.name[1:], rf"\bar{{{_tex(of)}}}", of.shape)

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
        """The rewrites that led from what was recorded (or differentiated) to the form that is shown."""
        whole, steps = f._raw, f._steps()
        shown = _limits.REWRITES_SHOWN if _count(whole) <= _limits.DERIVED else 0
        for step in steps[:shown]:
            if name is not None and step.before is whole:
                whole = step.after
                self._say("result", name, whole, reason=step.reason, condition=step.condition)
            else:
                self._say("rewrite", step.before, step.after, reason=step.reason, condition=step.condition)
        if len(steps) > shown:
            self.lines.append(Line("", (), f"({len(steps) - shown} rewrites are left out)"))
        if name is not None and f._full is not f._background.expanded(whole):
            declared = f.term is not f._free and f._form is None
            reason = "multiplied out" if f._form is not None else "with what was declared" if declared else ""
            self._say("result", name, f.term, reason=reason)

    # ---------------------------------------------------------------------------------------------- the derivative

    def _derivative(self, f: Any, of: Var) -> Var:
        """The differentials of a function's parts, and its derivative from them."""
        parent = f._operands[0]
        x = parent._variable(f._wrt)
        root = parent._expanded()
        before, terms = None, _count(root)
        if terms <= _limits.DERIVED:
            before = self._parts(of, root, x)
        else:
            text = f"(The differentials of {of.name} are left out: it has {terms} terms. They are taken as ever.)"
            self.lines.append(Line("", (), text))
        name = self._letter(f.shape)
        label = self._helper(f"∂{of.name}/∂{x.name}", rf"\frac{{\partial {_tex(of)}}}{{\partial {_tex(x)}}}", f.shape)
        reason = self._read_off(name, of, x, f._raw) if before == () else ""
        self._say("derivative", name, label, *(before or ()), f._raw, reason=reason)
        self._rewrites(f, name)
        return name

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
        every, inside = tuple(range(of.rank)), tuple(range(of.rank, of.rank + x.rank))
        d, dx = self._differential(of), self._differential(x)
        change = ein(1, [(found, (*every, *inside)), (dx, inside)], every, dict(enumerate(of.shape)))
        if self._differs(change, self.values[d.name]):
            raise disagreement(change, evaluate(change, self.values), self.values[d.name])
        written = ein(1, [(name, (*every, *inside)), (dx, inside)], every, dict(enumerate(of.shape)))
        return f"since {show.to_text(d)} = {show.to_text(written)}".replace(LAST, "")

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
        for d, *terms, reason in reversed(lines):
            self._say("differential", d, *terms, reason=reason)

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
        every = tuple(range(term.rank))
        found: list[Any] = []
        if isinstance(term, Add):
            found = [(c, known[t], s) for c, t, s in term.terms if t in known]
        elif isinstance(term, Ein):
            for place, (f, s) in enumerate(term.factors):
                if f in known:
                    factors = [*term.factors[:place], (known[f], s), *term.factors[place + 1 :]]
                    found.append((1, ein(term.coef, factors, every, dict(enumerate(term.shape))), every))
        else:
            for v in inner:
                inside = tuple(range(term.rank, term.rank + v.rank))
                rate = derivative(term, v, self.values), (*every, *inside)
                factors = [rate, (known[v], inside)]
                found.append((1, product(1, factors, every, dict(enumerate(term.shape))), every))
        return shaped_sum(term.shape, found)

    def _back(self, of: Var, short: Expr, x: Var) -> tuple[Expr, ...]:
        """The gradient in each part, from the function back to the variable; returns that in the variable."""
        parts = self.parts
        if not parts:
            return ()
        last = parts[-1].name
        some = self._bar(last).name
        text = f"Back from {of.name} to {x.name}, {some} being the gradient of {of.name} in {last.name}:"
        self.lines.append(Line("", (), text))
        known: dict[Expr, Expr] = {}  # what each bar is, in names
        seeds: list[Expr] = [short]
        for v in [*[p.name for p in reversed(parts)], x]:
            found = [(1, gradient(t, v, self.values), tuple(range(v.rank))) for t in seeds if depends(t, v)]
            whole = in_names(shaped_sum(v.shape, found), parts)
            inside = in_names(simplify(substitute(whole, known)), parts)
            if v is x:
                return whole, inside
            bar = self._bar(v)
            self.values.pop(bar.name, None)  # the same letter, in the derivation of another function
            self._say("gradient", bar, whole, inside)
            known[bar] = inside
            definition = next(p.definition for p in parts if p.name is v)
            every = tuple(range(v.rank))
            seeds.append(ein(1, [(bar, every), (definition, every)], ()))
        return ()


def _count(root: Expr) -> int:
    return sum(1 for _ in postorder(root))


def _tex(v: Var) -> str:
    return show.to_latex(v)

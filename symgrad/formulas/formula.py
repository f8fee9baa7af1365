"""Formulas for users: readable, evaluable, differentiable, and checked against the numbers they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import show
from .._errors import FormulaError, ShapeError
from .._limits import bound
from .._progress import Task
from .._trees import postorder
from ..calculus import (
    SPECIAL,
    Condition,
    Step,
    derivative,
    gradient,
    of_rewrite,
    simplify,
    symmetric_symbols,
    unstated_conditions,
)
from ..core import IMPLIED
from ..show.latex_notes import cut_in_ipython, in_dollars
from ..show.signs import called
from ..terms import Expr, Var, is_real, symbols_in, unclear_length
from .algebra import Algebra, stacked
from .background import MODES, Background, no_symbol, refuse_caught, shown, value_given
from .derivation import Derivation, derivation
from .own_parts import in_definitions, own_forms
from .to_sympy import to_sympy

CODE = {**{library.name: library.title for library in show.LIBRARIES.values()}, "sympy": "SymPy"}
"""What `Formula.code` writes for, and what that is called."""

WRITTEN_AT_ONCE = bound(8_000)
"""Operands of a formula's terms up to which its repr is its text."""


class Formula(Algebra):
    """A formula: readable, evaluable, differentiable, checked against the number it stands for.

    ``str(f)`` is textbook notation, ``format(f, "ascii")`` a Python expression with the same value. Derivatives have
    the variable's axes last (``∂f/∂x[i]`` at ``[i]``, Hessians at ``[i, j]``); fourth-order ones are written as
    Kronecker products of row-major vectors where they are that.

    Attributes
    ----------
    term : the root term
    checked : True if it was evaluated where it was asked for and agreed with the tape; else why it could not be

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    >>> f = sg.exp(2 * x).sum().formula()
    >>> print(f)
    ‖exp(x)‖²
    >>> float(f(x=[0.0, 0.0]))
    2.0
    >>> print(f.grad("x"), f.hessian("x"), sep=" and ")
    2 exp(2x) and 4 diag(exp(2x))
    """

    def __init__(
        self, raw: Expr, background: Background, checked: Any = True, level: str = "array", form: Expr | None = None
    ) -> None:
        self._raw = raw
        self._stops = background.given  # those that it needs no more are needed by its derivatives again
        with Task("simplifying a formula"):
            self._free = simplify(raw)  # as derivatives take it
            if background.given:
                self._free, kept = in_definitions(self._free, background.given, background.point)
                background = background.but(given=kept)
            self.term: Expr = form or (simplify(background.declared(self._free)) if background.special else self._free)
        self._form = form  # multiplied out, say, for reading
        self.checked = checked
        self._level = level
        self._text: str | None = None
        self._forms: list[Any] | None = None
        self._rewrites: list[Step] | None = None
        self._wrt: str | None = None  # the symbol that it is a derivative in
        self._read: Callable[[], Formula] | None = None  # reads the text that it is of once more
        self._operands: tuple[Formula, ...] = ()  # what it is made of: that of which it is the derivative, say
        self._compares = False  # whether it was typed as a comparison
        seen = {v.name: v for v in self._variables(background)}
        self._background = background.but(symbols={**seen, **background.symbols})

    # ------------------------------------------------------------------------------------------------------- reading

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value; a size may be a name."""
        return self.term.shape

    @property
    def point(self) -> dict[str, Any]:
        """The value of every symbol where the formula was asked for."""
        return self._background.point

    @property
    def free_symbols(self) -> set[str]:
        """The names of the symbols that occur."""
        return {v.name for v in self._variables(self._background)}

    def _variables(self, background: Background) -> list[Var]:
        terms = [t for _, t in background.given]
        names = {name for name, _ in background.given}
        return [t for t in symbols_in(self._free, *terms) if t.name not in names]

    @property
    def conditions(self) -> list[str]:
        """Where the formula holds, beyond where its text is defined: what was divided out, which positivity was used,
        what was chosen at the point, what was declared.

        Of a function (``sg.formula(f, …)``) also the branches that Python took; a graph alone does not know them.
        """
        return list(dict.fromkeys([c.text for c in self._conditions()]))

    def _conditions(self) -> list[Condition]:
        background = self._background
        found = unstated_conditions(self.term, *[
            [(background.declared(base), kind) for base, kind in asked]
            for asked in (background.domains, background.asked_aside)
        ])  # fmt: skip
        found += self._used()
        positive = {c.term for c in found if c.kind == "> 0" and c.term is not None}
        found = [c for c in found if not (c.kind == "≠ 0" and c.term in positive)]
        found += [Condition(b.text) for b in background.branches] + [Condition(text) for text in background.choices]
        stiff = background.rigid(self.term)
        found += [Condition(f"sizes are those of the stand-ins ('{stiff}' does not follow them)")] if stiff else []
        names = sorted({*background.facts, *background.special, *background.assumed})
        declared = {k: background.declared_of(background.symbols[k]) for k in names if k in background.symbols}
        own = [Condition(text) for name in declared for text in _declaration(name, declared[name])]
        known = {f"{name} is {fact}" for name, facts in declared.items() for fact in facts if fact in SPECIAL}
        return [c for c in found if c.text not in known and c.decided is not True] + own

    def _used(self) -> list[Condition]:
        """The conditions of the rewrites that led here, those of what was combined or differentiated first."""
        before = [c for f in self._operands for c in f._used()]
        return before + of_rewrite([c for s in self._steps() for c in s.conditions])

    @property
    def layout(self) -> str:
        """How the axes of a derivative are ordered."""
        source = self._background.source
        path = source.path if source is not None else ()
        text = "the axes of the function" + "".join([f", then those of {name}" for name in path])
        thin = [n for n in dict.fromkeys(path) if n in self._background.special]
        if thin:
            text += f"; derivatives take the entries of {', '.join(thin)} as independent"
        return text + ("; fourth order as Kronecker products of row-major vectors" if len(self.shape) > 3 else "")

    def __str__(self) -> str:
        if self._text is None:
            self._text = self.text(level=self._level)
        return self._text

    def __repr__(self) -> str:
        if self._text is None and self._is_large():
            names = ", ".join(sorted(self.free_symbols))
            return f"<formula of {len(postorder(self.term)):,} terms in {names}: str() writes it, in its time>"
        return str(self)

    def _is_large(self) -> bool:
        """Whether it takes long to write it."""
        return sum([len(t.children) for t in postorder(self.term)]) > WRITTEN_AT_ONCE

    _repr_pretty_ = cut_in_ipython

    def __format__(self, spec: str) -> str:
        if spec in ("", "unicode"):
            return str(self)
        if spec == "latex":
            return self.latex()
        if spec != "ascii":
            raise ValueError(f"a formula has no format {spec!r}: choose unicode, ascii or latex")
        return self.text("ascii")

    def text(self, style: str = "unicode", level: str = "array", limit: int = 200) -> str:
        """Return the text.

        Parameters
        ----------
        style : 'unicode' for textbook notation, 'ascii' for a Python expression
        level : 'array' for matrix notation, 'element' for sums over indices
        limit : how many definitions of shared parts are shown; the number of the others is stated

        Raises
        ------
        ValueError : there is no such style or level
        """
        for given, choices in ((style, ("unicode", "ascii")), (level, ("array", "element"))):
            if given not in choices:
                raise ValueError(f"a formula has no text {given!r}: choose {' or '.join(choices)}")
        with Task("writing a formula"):
            return show.to_text(
                self.term, style=style, level=level, given=self._given, limit=limit, taken=self._background.symbols,
                forms=self._own_forms,
            )  # fmt: skip

    @property
    def _given(self) -> list[tuple[str, Expr]]:
        """The definitions that it was stopped at, as they are shown."""
        return [(name, simplify(self._background.declared(t))) for name, t in self._background.given]

    def _own_forms(self) -> list[Any]:
        """The same in the parts of the function that it is a derivative of; see `own_forms`."""
        if self._forms is None:
            self._forms = own_forms(self) if self._form is None else []
        return self._forms

    def latex(self) -> str:
        """Return LaTeX (without dollars).

        Examples
        --------
        >>> import symgrad as sg
        >>> x = sg.symbol("x", "n")
        >>> print(sg.formula(lambda x: x.norm(), x).grad("x").latex())
        \\frac{x}{\\lVert x \\rVert}
        """
        with Task("writing a formula"):
            return show.to_latex(self.term, given=self._given, taken=self._background.symbols, forms=self._own_forms)

    def _repr_latex_(self) -> str | None:
        return None if self._is_large() else in_dollars(self.latex())

    def code(self, target: str = "numpy", name: str = "f") -> str:
        """Return the source of a function, its arguments the symbols in order.

        Parameters
        ----------
        target : 'numpy', 'torch', 'jax' or 'sympy' (an expression)
        name : the function's name

        Raises
        ------
        FormulaError : an operation has no counterpart there
        """
        if target not in CODE:
            raise FormulaError(f"there is no code for {target!r}", "", f"Choose one of {', '.join(map(repr, CODE))}.")
        if target == "sympy":
            return repr(self.sympy())
        stiff = self._background.rigid(self.term) or unclear_length(self.term)
        if stiff:
            raise FormulaError(
                "the code would hold for the sizes that stand in for the named ones only",
                f"'{stiff}' in it has a length that does not follow them.",
                "Ask sg.formula(f, …) with arrays of the size you need.",
            )
        given = self._background.given
        real = all(map(is_real, postorder(self.term, *(t for _, t in given))))
        with Task("writing a formula"):
            return show.to_code(self.term, target=target, name=name, given=given, real=real)

    def sympy(self) -> Any:
        """Return the SymPy expression (an array of them), entry by entry, in real symbols like ``x_0``."""
        with Task("writing a formula"):
            return to_sympy(self._full if self._form else self._expanded())

    def _steps(self) -> list[Step]:
        """The rewrites that lead from the recorded term to this form, in order."""
        if self._rewrites is None:
            self._rewrites = []
            free = simplify(self._raw, self._rewrites)
            if self._background.special:
                simplify(self._background.declared(free), self._rewrites)
        return self._rewrites

    def explain(self) -> Derivation:
        """Return how the formula came about, line by line: the function, its derivatives, the rewrites, where it holds.

        Parts that occur again, or between which the chain rule turns, get names. What is printed is text; it has
        ``markdown()`` and ``latex()``, too.

        Raises
        ------
        FormulaError : two sides of a line are not equal in value, which is a bug

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.parse("x'*A*x", A=("n", "n")).grad("x").explain()
        f = xᵀAx
        df = xᵀA dx + dxᵀ Ax    product rule
        g = ∂f/∂x = Ax + Aᵀx    since df = gᵀ dx
        >>> print(sg.parse("exp(t)", t=()).grad("t").explain().latex())
        \\begin{aligned}
        f &= \\exp(t) \\\\
        \\mathrm{d}f &= \\exp(t) \\, \\mathrm{d}t && \\text{the derivative of exp} \\\\
        g &= \\frac{\\partial f}{\\partial t} = \\exp(t) && \\text{since $\\mathrm{d}f = g \\, \\mathrm{d}t$}
        \\end{aligned}
        """
        with Task("a derivation"):
            return derivation(self)

    # ------------------------------------------------------------------------------------------------------- values

    def __call__(self, /, *, conditions: str = "raise", **values: Any) -> Any:
        """Return the value, with the symbols (and named sizes) in ``values`` replaced; the others keep what they had.

        Parameters
        ----------
        conditions : what is done where a condition of the formula does not hold: ``"raise"``, ``"warn"`` or
            ``"ignore"``. One that is known as a text only cannot be looked at, and counts as not holding; one of a
            symbol that is gone from the formula, and is given no value, is not looked at
        values : arrays and sizes, by name

        Raises
        ------
        FormulaError : there is no such symbol, one has no value, or a condition does not hold: what was divided by is
            0, what was declared of a symbol is not so, Python would take another branch…
        ShapeError : a value does not have its symbol's shape

        Examples
        --------
        >>> import symgrad as sg
        >>> f = sg.parse("t*sin(t)/t", t=())
        >>> f.conditions, float(f(t=0, conditions="ignore"))
        (['t ≠ 0'], 0.0)
        """
        if "conditions" in self._background.symbols:
            raise FormulaError(
                "a symbol is named 'conditions', which is an argument of the call", "The two cannot be told apart.",
                'Give it another name: f.subs(conditions="c")(c=…).',
            )  # fmt: skip
        if conditions not in MODES:
            raise FormulaError(f"conditions={conditions!r}", "", f"Choose one of {', '.join(MODES)}.")
        values = {called(name, self._background.symbols): value for name, value in values.items()}
        refuse_caught(self._background.source, self.free_symbols - set(values))
        known = self._conditions() if conditions != "ignore" else []
        return value_given(self._expanded(), self._background, values, known, conditions)

    # -------------------------------------------------------------------------------------------------- derivatives

    def _variable(self, wrt: Any) -> Var:
        if isinstance(wrt, Var):  # of our own making
            return wrt
        if wrt is None:
            names = sorted(self.free_symbols)
            if len(names) != 1:
                step = f'Say which: "{min(names, key=str.swapcase)}", say.' if names else ""
                raise FormulaError(f"the formula has the variables {', '.join(names) or '(none)'}", "", step)
            wrt = names[0]
        name = wrt if isinstance(wrt, str) else getattr(wrt, "name", None)
        if not name:
            raise FormulaError(f"a symbol is given by its name, not as {type(wrt).__name__}", "", 'Write f.grad("x").')
        variables = symbols_in(self._expanded())
        name = called(name, {*self._background.symbols, *[v.name for v in variables]})
        found = [v for v in variables if v.name == name]
        if found or name in self._background.symbols:  # one that has dropped out has a derivative of zero
            return found[0] if found else self._background.symbols[name]
        raise no_symbol(name, self.free_symbols)

    def _expanded(self) -> Expr:
        """The term with the definitions it was stopped at put back, as derivatives take it."""
        return simplify(self._background.expanded(self._free)) if self._background.given else self._free

    @property
    def _full(self) -> Expr:
        """The term as it is shown, with the definitions it was stopped at put back."""
        return self._background.expanded(self.term)

    def _derived(self, derive: Callable[..., Expr], x: Var) -> Formula:
        self._refuse_undifferentiable(x)
        with Task(f"the derivative in {x.name}"):
            return self._derived_in(derive, x)

    def _derived_in(self, derive: Callable[..., Expr], x: Var) -> Formula:
        raw = derive(self._expanded(), x, self.point)
        source = self._background.source
        source = source.derived(x.name) if source is not None else None
        there = self._background.elsewhere
        there = there.derived(x.name) if there is not None else None
        background = self._background.but(source=source, elsewhere=None, follows=False, given=self._stops)
        out = Formula(raw, background, self.checked, self._level)
        out._operands, out._wrt = (self,), x.name
        full = out._background.expanded(out.term)

        def symmetric() -> frozenset[str]:
            return symmetric_symbols(out._used())

        out._background = out._background.compared(out.term, there, None, symmetric)
        if source is None:
            out.checked = "not checked: the formula did not come from a recorded graph"
        elif self.checked is True:
            tol = 10 * max(self._background.tol, 1e-6)
            out.checked = out._background.follows or source.check(full, self.point, tol, symmetric)
        return out

    def _refuse_undifferentiable(self, x: Var) -> None:
        if self._compares:
            raise FormulaError(
                "a comparison has no derivative", f"{self} says whether both sides are as it claims.",
                "Differentiate the difference of both sides, F; where it is 0, y' = -F_x/F_y.",
            )  # fmt: skip
        if x.name in self._background.detached:
            raise FormulaError(
                f"{x.name!r} also occurs detached, and the formula does not tell the two apart",
                "Its derivative would flow through .detach() (or no_grad), where the tape's stops.",
                f"Give the function an array for {x.name!r} (sg.grad(f).formula(array)), or a second symbol.",
            )
        if self._background.complex:
            raise FormulaError(
                "formulas with complex numbers are not differentiated here", "Their gradients follow a convention.",
                "Take the gradient on tensors, with create_graph=True, and ask it for its formula.",
            )  # fmt: skip

    def _in_each(self, derive: Callable[..., Formula], names: Any, axis: int) -> Formula:
        """The derivatives in numbers, one beside the other, along a new axis."""
        variables = [self._variable(name) for name in names]
        array = next((x for x in variables if x.rank), None)
        if array is not None or not variables:
            what = f"{array.name!r} has the shape {shown(array.shape)}" if array is not None else "no symbol is given"
            raise ShapeError(
                f"derivatives in several symbols are those in numbers, and {what}", "They stand in one array.",
                'Write one for each, f.grad("x").',
            )  # fmt: skip
        return stacked([derive(x) for x in variables], axis)

    def grad(self, wrt: Any = None) -> Formula:
        """Return the gradient in a symbol (given by name, or a named tensor); of an array, its Jacobian.

        The only symbol of a formula need not be said. Of several symbols that are numbers it is the vector of the
        derivatives in each.

        Raises
        ------
        FormulaError : there is no such symbol, or no derivative
        ShapeError : one of several symbols is an array

        Examples
        --------
        >>> import symgrad as sg
        >>> f = sg.parse("x^2*y + y^3")
        >>> f.grad("x"), f.grad(("x", "y"))
        (2xy, [2xy, 3y² + x²])
        >>> f.grad(("x", "y"))(x=1.0, y=2.0)
        array([ 4., 13.])
        """
        if isinstance(wrt, tuple | list):
            return self._in_each(self.grad, wrt, len(self.shape))
        return self._derived(gradient, self._variable(wrt))

    def jacobian(self, wrt: Any = None) -> Formula:
        """Return the derivative in a symbol: the formula's axes, then the symbol's; or of several numbers, one each.

        The only symbol of a formula need not be said.
        """
        if isinstance(wrt, tuple | list):
            return self._in_each(self.jacobian, wrt, len(self.shape))
        return self._derived(derivative, self._variable(wrt))

    def hessian(self, wrt: Any = None) -> Formula:
        """Return the second derivative of a scalar formula in a symbol: the symbol's axes twice; in several numbers, a
        matrix of these.

        The only symbol of a formula need not be said.

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.parse("x^2*y + y^3").hessian(("x", "y"))
        [[2y, 2x], [2x, 6y]]
        """
        if self.shape:
            raise ShapeError(
                "a Hessian is that of a scalar", f"The formula's shape is {self.shape}.", "Sum it, or use .jacobian()."
            )
        if isinstance(wrt, tuple | list):
            return self._in_each(lambda x: self.grad(x).grad(wrt), wrt, 0)
        wrt = self._variable(wrt)
        return self.grad(wrt).jacobian(wrt)

    def __reduce__(self) -> Any:
        background = self._background.but(source=None, elsewhere=None, given=self._stops)
        state = {name: getattr(self, name) for name in ("_operands", "_wrt", "_compares")}
        return Formula, (self._raw, background, self.checked, self._level, self._form), state


def _declaration(name: str, facts: frozenset[str]) -> list[str]:
    """What was declared of a symbol in words: a psd matrix is symmetric, that needs no word."""
    said = sorted(facts - {"size"} - {p for f in facts for p in IMPLIED.get(f, ())})
    return [f"{name} is {', '.join(said)}"] if said else []


def as_formula(value: Any) -> Formula:
    """A formula as it is; that of a tensor, a number, a small array.

    Raises
    ------
    FormulaError : it is none of these
    """
    return Formula._of(value)

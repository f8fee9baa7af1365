"""`verify`: whether what somebody says about a function is so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError
from .._progress import Task
from ..core import Symbol
from ..formulas import Formula
from ..notation._known_functions import run_together
from ..terms import is_unnamed
from ._compare import Comparison
from ._points import size_names
from ._sides import (
    Side,
    Variable,
    formula_from,
    function_of,
    is_sympy,
    likely,
    renamed,
    shape_text,
    variable,
    variables_of,
)
from ._truth import Truth
from ._verdict import Verification, Verifications, title_of

_WORDS = {"grad": "gradient", "hess": "Hessian", "jac": "Jacobian", "equals": "equal"}
_MEANT = {"gradient": "grad", "derivative": "grad", "hessian": "hess", "jacobian": "jac", "equal": "equals"}


def verify(
    f: Any, equals: Any = None, *, grad: Any = None, hess: Any = None, jac: Any = None, wrt: Any = None, at: Any = None,
    **names: Any,
) -> Any:  # fmt: skip
    r"""Say whether a gradient, a Hessian, a Jacobian or an equation is right: proved, agrees, or refuted and where.

    Parameters
    ----------
    f : the function: a function of arrays or tensors, a text for `symgrad.parse`, a Formula, an expression of SymPy
    equals : what ``f`` is claimed to be, likewise
    grad, hess, jac : what is claimed to be its gradient, Hessian or Jacobian in ``wrt``, of shape ``x.shape``,
        ``x.shape * 2`` and ``f.shape + x.shape``: likewise, or an array. A dictionary has a claim for each variable. A
        function takes what ``f`` takes, by the same names or in the same order, or the variable alone
    wrt : the variable differentiated in, by name; the first of a function, the only one of a formula
    at : a dictionary of arrays by name: a point to look at, too; an array as a claim is looked at there alone
    names : what the variables are: ``w="n"``, ``X=("m", "n")``, ``t=()``, a symbol with its properties, or data,
        an array or number, which stay as they are

    Returns
    -------
    A result that prints as a text, true if the claim is right wherever ``f`` has values, as far as is known. Its
    ``verdict`` is ``'PROVED'`` (both formulas are one, by a chain of rules: ``steps``, where the ``conditions`` hold),
    ``'AGREES'`` (at ``points``, to ``digits`` digits; ``why`` says what was not proved), ``'CONDITIONAL'`` (either of
    them, but where ``only`` these conditions hold, for which ``f`` does not ask) or ``'REFUTED'`` (at ``entry``, with
    both ``values``, the relative ``error``, the ``right`` formula and a ``diagnosis``). Several claims give a tuple.

    Raises
    ------
    FormulaError : there is no variable to differentiate in, a name is not known or has no shape, ``f`` has no value at
        any point, or a claim raises an error
    ShapeError : a claim has another shape than the derivative

    Notes
    -----
    A claim is compared at points of either sign, small and large, at several lengths of named sizes, and on both sides
    of the conditions in both formulas. A wrong value counts only if differences of ``f`` confirm it. Where ``f`` has
    a kink, what a claim says is a convention, and is not refuted.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda x, A: x @ A @ x
    >>> wrong = sg.verify(f, grad=lambda x, A: 2 * A @ x, x="n", A=("n", "n"))
    >>> wrong.verdict, bool(wrong), print(wrong.right)
    Ax + Aᵀx
    ('REFUTED', False, None)
    >>> sg.verify(np.sin, grad=lambda x: np.cos(x), x=np.array(0.5)).verdict
    'PROVED'
    >>> print(sg.verify("t**2 - 1", equals="(t + 1)*(t - 1)", t=()))
    PROVED: the claim is f
      f = t² − 1
      claim = (1 + t)(t − 1)
      (1 + t)(1 − t) + t² − 1 = 0    multiplied out, like terms meet
      Compared as well: 13 points, to 14 digits.
    >>> sg.verify(r"\lVert Ax-b \rVert^2", grad=r"2A^{\top}(Ax-b)", wrt="x").verdict
    'PROVED'
    """
    claims = {"equals": equals, "grad": grad, "hess": hess, "jac": jac}
    claims = {kind: claim for kind, claim in claims.items() if claim is not None}
    if not claims:
        meant = next((f"For {name}= the word is {_MEANT[name]}=." for name in names if name in _MEANT), "")
        raise FormulaError("nothing is claimed", meant, "Write sg.verify(f, grad=g), hess=…, jac=… or equals=….")
    side, table = _subject(f, names, at, claims)
    _require_own_names(table)
    results = []
    for kind, claim in claims.items():
        pairs = claim.items() if isinstance(claim, Mapping) and kind != "equals" else [(wrt, claim)]
        for variable_name, one in pairs:
            name = _variable(variable_name, side, table) if kind != "equals" else None
            with Task("sg.verify"):
                results.append(_verified(side, kind, name, one, table, _point(at, side, table)))
    return results[0] if len(results) == 1 else Verifications(results)


def _verified(f: Side, kind: str, wrt: str | None, given: Any, table: dict[str, Variable], at: Any) -> Verification:
    truth = Truth(f, kind, wrt, wrt is not None and "symmetric" in table[wrt].properties)
    if f.formula is not None and f.formula.shape and kind in ("grad", "hess"):
        raise ShapeError(
            f"a {_WORDS[kind]} is that of a number, and {f.title} has shape {shape_text(f.formula.shape)}", "",
            "Sum it, or claim jac=….",
        )  # fmt: skip
    claim = _claim(given, f"the claimed {_WORDS[kind]}" if kind != "equals" else "the claim", f, wrt, table, truth)
    return Verification(Comparison(f, claim, truth, table, at), title_of(kind, f.title, wrt))


def _subject(f: Any, names: dict[str, Any], at: Any, claims: dict[str, Any]) -> tuple[Side, dict[str, Variable]]:
    """The function, and the variables of the call."""
    declared = {name: variable(name, given) for name, given in names.items()}
    if not callable(f) or isinstance(f, Formula) or is_sympy(f):
        make = partial(formula_from, f, "f", declared)
        formula = make()
        known = variables_of(formula)
        others = {n for c in claims.values() for n in _names(c)}
        if extra := sorted(declared.keys() - known.keys() - others):
            raise _unknown(extra[0], sorted(known))
        known.update({n: v if v.value is not None else known.get(n, v) for n, v in declared.items()})
        return Side(None, "f", formula, make), known
    side, defaults = function_of(f, _title(f))
    if not side.parameters:
        raise FormulaError(f"the parameters of {side.title} have no names", "", "Wrap it: lambda x, y: …")
    points = _as_dict(at, side.parameters)
    for name in declared:
        if name not in side.parameters:
            raise _unknown(name, side.parameters)
    table = {}
    for name in side.parameters:
        given = declared.get(name)
        if given is None and name in points:
            given = variable(name, np.asarray(points[name]))
        if given is None and name in defaults:
            given = variable(name, np.asarray(defaults[name], float))
        if given is None:
            raise FormulaError(
                f"what {name!r} is was not said", f"{side.title} takes {', '.join(side.parameters)}.",
                f'Write verify(…, {name}="n"), {name}=("m", "n"), {name}=() for a number, or give an array.',
            )  # fmt: skip
        table[name] = given
    side.traced(table)
    return side, table


def _require_own_names(table: dict[str, Variable]) -> None:
    """Raise if a name is a variable and a size: which of the two a formula means could not be told."""
    for name in table.keys() & size_names(table).keys():
        of = next(v.name for v in table.values() if name in size_names({v.name: v}))
        raise FormulaError(
            f"{name!r} is a variable, and a size of {of!r}", "", f'Give the size another name: {of}="{name}{name}".'
        )


def _names(claim: Any) -> Iterable[str]:
    """The names that a claim may speak of."""
    if isinstance(claim, str):
        return re.findall(r"\w+", claim)
    if isinstance(claim, Mapping):
        return [n for one in claim.values() for n in _names(one)]
    if isinstance(claim, Formula):
        return claim.free_symbols
    return function_of(claim, "the claim")[0].parameters if callable(claim) and not is_sympy(claim) else ()


def _unknown(name: str, known: Any) -> FormulaError:
    return FormulaError(
        f"there is no variable {name!r}",
        f"The variables are {', '.join(known) or 'none'}; claims are grad, hess, jac and equals.",
        "Use one of these names.",
    )  # fmt: skip


def _title(f: Any) -> str:
    name = getattr(f, "__name__", "f")
    return "f" if name == "<lambda>" else name


def _variable(wrt: Any, f: Side, table: dict[str, Variable]) -> str:
    """The variable that is differentiated in."""
    name = wrt.name if isinstance(wrt, Symbol) else wrt
    if name is None:
        if f.parameters:
            return f.parameters[0]
        if len(table) == 1:
            return next(iter(table))
        if not table:
            raise FormulaError(f"{f.title} has no variable to differentiate in", f"It is {f.formula}.", "")
        raise FormulaError(
            f"{f.title} has the variables {', '.join(sorted(table))}", "", f'Say which: wrt="{likely(table)}".'
        )
    if name not in table:
        raise _unknown(str(name), sorted(table))
    return str(name)


def _claim(given: Any, title: str, f: Side, wrt: str | None, table: dict[str, Variable], truth: Truth) -> Side:
    """A claim as a side of the comparison."""
    if callable(given) and not isinstance(given, Formula) and not is_sympy(given):
        side, defaults = function_of(given, title)
        own = [n for n in side.parameters if n not in defaults or n in table]
        if own and set(own) <= table.keys():
            side.parameters = own
        elif len(own) in (0, len(f.parameters)) and f.parameters:  # by position
            side.given, side.parameters = renamed(given, f.parameters), list(f.parameters)
        elif len(own) == 1 and wrt is not None:
            side.given, side.parameters = renamed(given, [wrt]), [wrt]
        else:
            raise FormulaError(
                f"{title} takes {', '.join(side.parameters) or 'no named parameters'}",
                f"{f.title} takes {', '.join(table)}.", "Give both the same parameters.",
            )  # fmt: skip
        side.traced(table)
        return side
    if isinstance(given, (str, Formula)) or is_sympy(given):
        return _formula_claim(given, title, f, table, truth)
    array = np.asarray(given._data if hasattr(given, "_data") else given)
    if array.dtype.kind not in "biuf":
        return _formula_claim(given, title, f, table, truth)
    side = Side(array, title)
    side.formula = formula_from(array * 1.0, title, table) if not array.size > _limits.VERIFIED_ENTRIES else None
    side.why = "" if side.formula is not None else f"{title} is an array of numbers"
    return side


def _formula_claim(given: Any, title: str, f: Side, table: dict[str, Variable], truth: Truth) -> Side:
    shape = truth.formula.shape if truth.formula is not None else None
    make = partial(formula_from, given, title, table, shape)
    formula = make()
    known = table.keys() | size_names(table).keys()
    own = {n: v.value for n, v in variables_of(formula).items() if v.value is not None and n in table}
    own = {n: value for n, value in own.items() if table[n].value is not None}
    for name in (n for n, value in own.items() if not np.array_equal(value, table[n].value)):
        raise FormulaError(
            f"{name!r} has other values in {title} than in {f.title}", "", f'Give it another name: f.subs({name}="…").'
        )
    unknown = sorted(n for n in formula.free_symbols - known if not is_unnamed(n))
    if unknown:
        call = run_together(unknown[0], known)
        raise FormulaError(
            f"{title} speaks of {', '.join(map(repr, unknown))}", f"The variables are {', '.join(sorted(table))}.",
            f"Write {call}." if call else "Use these names.",
        )  # fmt: skip
    return Side(None, title, formula, make)


def _as_dict(at: Any, parameters: list[str]) -> dict[str, Any]:
    if at is None:
        return {}
    if isinstance(at, Mapping):
        return dict(at)
    values = at if isinstance(at, tuple) else (at,)
    return dict(zip(parameters, values, strict=False))


def _point(at: Any, f: Side, table: dict[str, Variable]) -> dict[str, np.ndarray] | None:
    """The point that was given, complete; None if there is none."""
    given = _as_dict(at, f.parameters or list(table))
    if not given:
        return None
    point = {}
    for name, v in table.items():
        value = given.get(name, v.value)
        if value is None:
            raise FormulaError(
                f"the point has no {name!r}", f"It has {', '.join(given)}.", f"Write at={{…, {name!r}: …}}."
            )
        point[name] = np.asarray(value._data if hasattr(value, "_data") else value, float)
        if point[name].ndim != len(v.shape):
            raise ShapeError(f"{name} has shape {shape_text(v.shape)}, and at that point {point[name].shape}", "", "")
    for name in given:
        if name not in table:
            raise _unknown(name, sorted(table))
    return point

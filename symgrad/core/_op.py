"""The operation: one row of the table, declared once.

`Op` is what a row declares; the four kinds below say how a gradient follows from it. From the row follow the
function (``op.apply``), the node class (``SinBackward0``) and both backward passes (on arrays, and on tensors
when the derivative is to be differentiated again). The code of the hot ones is written by ``_emit.py``.

How a rule says what it needs: by its parameters' names. ``x`` (or ``a``, ``b``, or the forward function's own
name for it) is an input and ``y`` the output: those are saved. ``g`` is the incoming gradient, ``shape`` (or
``shape_a``…) an input's shape, any other name a parameter of the operation; those cost nothing. A rule that is such a
name is that value; the name of a row, or a function of NumPy's, is that function of the inputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any, Literal

import numpy as np

from . import _emit
from ._facts import FACTS, Facts
from ._graph import FAILS, MASKS, Node
from ._meanings import MEANINGS
from ._node_names import has_overloads, node_name, rename
from ._rules import itself
from ._symbols import plain
from ._table import PUBLIC, TABLE

Rule = Callable[..., Any] | str | int | float | None


class Op(Facts):
    """One operation: name, forward function, one rule per input, and the facts that tests, printers and docs read.

    Attributes
    ----------
    name : the public name
    kind : 'elementwise', 'linear', 'multilinear', 'general' or 'constant' (no derivative: its output is not smooth)
    forward : the function on arrays
    inputs, params : names of the differentiable inputs and of the other parameters
    arguments : what users call the inputs
    rules : per input a function, a number (a constant partial) or None (raises when differentiated)
    meanings : per parameter what it means for axes; None where the row does not say
    saved : names of what a backward needs, in the order of ``node.saved``
    affine : no rule asks for a value of what moves: the derivative is the same everywhere
    places : the numbers of the operands that hold places (indices)
    unmoved : the numbers of the operands that are indices or conditions, which have no derivative
    moving : those of the others, where there are any such; else empty
    shared : those of them whose axes are no operand's: an index of a batch is the same for all examples
    makes : per input whether its gradient is an array made for it; where not, it may be the incoming gradient, say

    and the facts of a row: see `Facts`.
    """

    inputs: tuple[str, ...]

    def __init__(self, name: str, kind: str, forward: Callable[..., Any], rules: Sequence[Rule], **facts: Any) -> None:
        if name in TABLE:
            raise ValueError(f"there is a row {name!r} already: take another name, or del TABLE[{name!r}] first")
        _refuse_row(name, kind, forward, rules, facts)
        unknown = sorted(facts.keys() - FACTS.keys())
        if unknown:
            raise TypeError(f"row {name!r}: unknown facts {unknown}\nThere are {', '.join(FACTS)}.")
        inputs, params, defaults = _names(forward, len(rules), facts.get("inputs"))
        # the other facts are those of the class; a frozen one's `__init__` takes its time, and there are 500 rows
        vars(self).update({"label": name, **facts}, name=name, kind=kind, forward=forward, given=rules)
        vars(self).update(inputs=inputs, params=params, defaults=defaults, arguments=_arguments_of(inputs))
        if PUBLIC:  # a row of a user's: what is wrong with it is said where it is declared
            self._read_rules()
        vars(self).update(apply=_emit.make_apply(self))
        TABLE[name] = self

    def __getattr__(self, name: str) -> Any:
        own = vars(self)
        if "node" not in own and not name.startswith("__"):
            self._read_rules()
        if name not in own:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return own[name]

    def _read_rules(self) -> None:
        """Find out what follows from the rules: when it is first asked for, since most rows are never called.

        Threads that ask at once find the same; of their node classes one is taken.
        """
        rules, kind = self.given, self.kind
        self.meanings = self._meanings()
        self.packs = kind != "elementwise" or bool(self.params)  # whether node.consts holds parameters and shapes
        read = [self._read(rule) for rule in rules]
        self.rules, self.rule_args = tuple(r for r, _ in read), tuple(args for _, args in read)
        self._refuse_names()
        asked = {a for args in self.rule_args for a in args}
        self.makes = tuple(
            i in self.new or _makes(kind, rule, args) for i, (rule, args) in enumerate(zip(self.rules, self.rule_args))
        )
        self.sized = any(a in ("shape", "shapes") or a.startswith("shape_") for a in asked)  # a rule asks for shapes
        self.saved = tuple(
            s for s in (*self.inputs, "y", *self.params) if (s in asked and s not in self.params) or s in self.keep
        )
        moving = {x for x, rule in zip(self.inputs, self.rules) if callable(rule) or rule != 0}
        self.affine = kind != "elementwise" and None not in self.rules and asked.isdisjoint({*moving, "y"})
        domains = self.domain if type(self.domain) is tuple else ()
        self.places = tuple(k for k, d in enumerate(domains) if d in ("places", "index"))
        apart = [k for k, d in enumerate(domains) if d in ("places", "index", "bool") and self.rules[k] == 0]
        self.unmoved = tuple(apart)
        self.moving = tuple(k for k in range(len(domains)) if k not in apart) if apart else ()
        self.shared = tuple(k for k, d in enumerate(domains) if d == "index")
        # acts along axes of its one operand, and leaves the others as they are
        self.along = (
            not self.variadic
            and len(self.inputs) == 1
            and self.last is None
            and {*(self.meanings or ())} in ({"axis"}, {"axes"}, {"axis", "option"}, {"axes", "option"})
        )
        # one saved value is kept as it is, several as a tuple: a tuple less to build, and for the collector to follow
        self.bare = len(self.saved) == 1 and not (self.outputs or self.variadic)
        # its slope may be infinite: see sweep on exact zeros
        self.steep = kind == "elementwise" and not self.masks and bool(self.saved)
        vars(self).setdefault("node", self._node_class())

    def _meanings(self) -> tuple[str, ...] | None:
        if not self.means and (self.last is None or self.params):
            return None
        meanings = tuple(self.means.split())
        if len(meanings) != len(self.params) or not set(meanings) <= MEANINGS.keys():
            raise TypeError(
                f"row {self.name!r}: means={self.means!r} does not say what {', '.join(self.params) or 'nothing'} "
                f"mean{'' if len(self.params) > 1 else 's'}\nThere are {', '.join(MEANINGS)}.\n"
                "Say one for each parameter, in order; leave means= out where a batch is to be a loop."
            )
        return meanings

    def _read(self, rule: Rule) -> tuple[Any, tuple[str, ...]]:
        """A rule as a function or a number, and the names of what it asks for."""
        if isinstance(rule, str):
            if rule in (*_MEANINGS, *self.inputs, *self.params) or rule not in TABLE:
                return itself, (rule,)
            rule = TABLE[rule].apply
        if not callable(rule):
            return rule, ()
        if inspect.isfunction(rule) and not hasattr(rule, "op"):
            return rule, _parameters(rule)
        return rule, self.inputs  # a row, one of NumPy's functions

    def _refuse_names(self) -> None:
        """Raise for a name that would mean two things, or nothing: a rule would get another value than it asks for."""
        declared = (*self.inputs, *self.params)
        meanings = {**_MEANINGS, **({"i": "the number of the operand"} if self.variadic else {})}
        shapes = {f"shape_{x}": f"the shape of {x}" for x in self.inputs}
        if any(map(callable, self.rules)):
            _refuse(self.name, declared, meanings | shapes, "in a rule that is {}")
        own = {p: "a name of the code that is written for a row" for p in declared if p.startswith("_")}
        taken = {n: "what users call an operand" for n in self.arguments if n not in self.inputs}
        _refuse(self.name, self.params, taken | own | {"out": "where users want the result"}, "it is {}")
        _refuse(self.name, self.inputs, own, "it is {}")
        known = {*declared, *meanings, *shapes}
        for asks in self.rule_args:
            unknown = [a for a in asks if a not in known]
            if unknown:
                raise TypeError(
                    f"row {self.name!r}: a rule asks for {unknown[0]!r}, which there is not\n"
                    f"A rule may ask for {', '.join(sorted(known))}.\n"
                    "Name its parameters after these; the forward function's parameters are the operands' names."
                )

    def _node_class(self) -> type[Node]:
        body = {
            "__slots__": (),
            "op": self,
            "own_name": (lambda node: rename(node, self.name, self.label)) if has_overloads(self.name) else None,
            "traits": (FAILS if self.fails or None in self.rules else 0) | (MASKS if self.masks else 0),
            "pull": _emit.lazy_pull(self, graph=False),
            "pull_graph": _emit.lazy_pull(self, graph=True),
            "__doc__": f"The backward of {self.name}.",
            "__module__": "symgrad.autograd",
        }
        return type(node_name(self.name, self.label), (Node,), body)

    def named(self, params: Sequence[Any]) -> list[tuple[str, Any]]:
        """Parameters with their names; before them may stand the places at which a linear operation is taken."""
        names = (*self.inputs, *self.params)
        return list(zip(names[len(names) - len(params) :], params, strict=True))

    def labels(self, ranks: Sequence[int], params: Sequence[Any] = ()) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
        """The labels of the axes of a product's operands, of so many dimensions, and of its result.

        They are the letters of its equation (of a parameter that is one); what ``...`` stands for has negative numbers,
        counted from its end.
        """
        equation = self.equation or params[(self.meanings or ()).index("equation")]
        inputs, out = equation.split("->")
        before = [r - len(term) + 3 if "..." in term else 0 for r, term in zip(ranks, inputs.split(","), strict=True)]
        terms = [(*range(-n, 0), *term.replace("...", "")) for n, term in zip(before, inputs.split(","), strict=True)]
        return terms, (*range(-max(before), 0), *out.replace("...", ""))

    def __call__(self, *args: Any) -> Any:
        return self.apply(*args)

    def __reduce__(self) -> Any:
        return _row, (self.name,)

    def __repr__(self) -> str:
        return f"<{self.kind} operation {self.name}({', '.join((*self.inputs, *self.params))})>"


_MEANINGS = {
    "g": "the incoming gradient", "y": "the result", "shape": "the shape of the operand",
    "shapes": "the shapes of all operands",
}  # fmt: skip
"""What the parameters of rules mean that are no operand's and no parameter's name."""


_PUBLIC_NAMES = {"x": "input", "a": "input", "b": "other"}


def _arguments_of(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """What users call the operands: PyTorch's ``input`` and ``other``, unless the rules' own names say more."""
    names = tuple(_PUBLIC_NAMES.get(x, x) for x in inputs)
    return names if len(set(names)) == len(names) else inputs


def _refuse_row(name: Any, kind: str, forward: Any, rules: Sequence[Rule], facts: Any) -> None:
    """Raise for what cannot be a row, or would be another than was meant."""
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise ValueError(
            f"row {name!r}: its name is not the name of a function\n"
            f"It is {'a keyword of Python' if iskeyword(name) else 'no identifier'}; formulas call a row by it.\n"
            "Take letters, digits and underscores; label= is what a formula shows."
        )
    if name in PUBLIC:
        raise ValueError(
            f"row {name!r}: symgrad has a function of this name\n"
            f"A formula that shows {name}(…) would be read as symgrad's.\nTake another name."
        )
    if not rules and kind != "constant":
        raise TypeError(
            f"row {name!r}: there is no rule to differentiate it by\n"
            f"{kind}(name, forward, …) got none: each operand has one, and that tells operands from parameters.\n"
            "Give the rules; None for one that raises. What has no derivative is declared by `constant`."
        )
    if isinstance(forward, np.ufunc) and not facts.get("variadic") and forward.nin != len(rules):
        raise TypeError(
            f"row {name!r}: np.{forward.__name__} takes {forward.nin} operands, and there are {len(rules)} rules\n"
            "A rule for each operand says how the gradient reaches it.\nGive as many; None for one that raises."
        )


def _refuse(row: str, declared: Sequence[str], taken: dict[str, str], why: str) -> None:
    for name in declared:
        if name in taken:
            raise TypeError(
                f"row {row!r}: the parameter {name!r} of its forward function needs another name\n"
                f"{why.format(taken[name]).capitalize()}. Taken are {', '.join(sorted(taken))}"
                f"{' and what begins with an underscore' if name.startswith('_') else ''}.\n"
                "Rename it in the forward function and in the rules."
            )


def _makes(kind: str, rule: Rule, args: tuple[str, ...]) -> bool:
    """Whether the kind multiplies: g times a partial is a new array, g times 1 is g."""
    return "g" not in args and kind == "elementwise" if callable(rule) else rule not in (1, None)


def _names(forward: Any, count: int, inputs: Any) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]]:
    if isinstance(forward, np.ufunc) or not inspect.isfunction(forward):
        names = inputs or (("x",) if count <= 1 else ("a", "b", "c")[:count])
        return tuple(names), (), {}
    every = _parameters(forward)
    given = getattr(inspect.unwrap(forward), "__defaults__", None) or ()
    defaults = dict(zip(every[len(every) - len(given) :], given, strict=True))
    return every[:count], every[count:], defaults


def _parameters(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters (`inspect.signature` takes ten times as long, and there are a thousand)."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None or code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return tuple(inspect.signature(fn).parameters)
    return tuple(code.co_varnames[: code.co_argcount])


def _row(name: str) -> Op:
    """The row of a name: pickle knows rows by theirs."""
    return TABLE[name]


def elementwise(name: str, forward: Callable[..., Any], *partials: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare an operation that acts entry by entry: ``forward`` and one partial derivative per input.

    Broadcasting, the chain rule and the complex convention are the kind's business; a partial is the formula
    on paper, ``lambda y: 1 - y * y``, or a number.
    """
    return Op(name, "elementwise", forward, partials, **facts).apply


def linear(
    name: str, forward: Callable[..., Any], transpose: Rule, *others: Literal[0], **facts: Any
) -> Callable[..., Any]:
    """Declare an operation that is linear in its first input: ``forward`` and its transpose ``(g, …)``.

    ``others``: a 0 for each further input, which says where (indices) and has no derivative.
    """
    return Op(name, "linear", forward, (transpose, *others), **facts).apply


def multilinear(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare a product, linear in each input: rules ``(g, other inputs, …)``.

    Its ``equation``, as `einsum` writes it ("...i,...j,oij->...o"), says what it is in a formula, on a batch and in the
    pattern of a sparse Hessian. Without it a formula shows the product by its name.
    """
    return Op(name, "multilinear", forward, rules, **facts).apply


def general(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare an operation by its vector-Jacobian products ``(g, …)``, written in operations."""
    return Op(name, "general", forward, rules, **facts).apply


def fallible(name: str, forward: Callable[..., Any], *rules: Rule, **facts: Any) -> Callable[..., Any]:
    """Declare a `general` operation whose rules may raise (at singular matrices, equal eigenvalues): a sweep through
    it keeps what it needs to put everything back."""
    return Op(name, "general", forward, rules, fails=True, **facts).apply


def applied(op: Any, operands: Sequence[Any], params: Sequence[Any] = ()) -> Any:
    """A row (or a user-defined operation) on tensors, recording."""
    return op.apply(tuple(operands), *params) if op.variadic else op.apply(*operands, *params)


def computed(op: Any, values: Sequence[Any], params: Sequence[Any] = ()) -> Any:
    """A row's forward function on arrays; named sizes among the parameters count as their stand-ins."""
    params = plain(tuple(params))
    return op.forward(tuple(values), *params) if op.variadic else op.forward(*values, *params)


def predicate(name: str, forward: Callable[..., Any], inputs: int = 1, **facts: Any) -> Callable[..., Any]:
    """Declare a comparison or connective: truths, entry by entry, which carry no gradient."""
    return Op(name, "constant", forward, (0,) * inputs, truth=True, finite=True, **facts).apply


def constant(name: str, forward: Callable[..., Any], inputs: int = 1, **facts: Any) -> Callable[..., Any]:
    """Declare an operation whose output carries no gradient: comparisons, argmax, counting."""
    return Op(name, "constant", forward, (0,) * inputs, **facts).apply

"""``sg.compile``: value, gradient and second derivatives of a function as one program that runs without tracing.

The idea to hold: the function is run once per structure of arguments (shapes, dtypes, numbers), on symbols, so that
nothing can depend on a value unseen: ``if x > 0`` raises. From then on only the program runs. What the function catches
from its surroundings is part of the program, as it was at that run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._config import default_dtype
from .._errors import GradientError, SymbolicBranchError
from ..core import Symbol, Tensor
from ..core._dim import Facts
from ..core._symbolic import make_symbol
from ..expr._node import Call, Expr, Var
from ..expr._trace import Trace
from ..programs._lift import CHOSEN_BY_VALUE
from ..programs._program import Program
from ..programs._save import written
from ..programs._survey import Unprogrammable
from ._derivative import Argnums, _Arguments, _require_number, grad
from ._hessian import Hessian
from ._traced import Traced, require_callable, signature
from ._tree import flatten, tree_paths, unflatten

OUTPUTS = "fgh"


class _Tracing(Trace):
    """A trace whose terms do not depend on which entries are equal at the point."""

    def _store(self, node: Any, op: Any, args: list[Expr], values: list[Any], params: Any) -> None:
        super()._store(node, op, args, values, params)
        if op.name in CHOSEN_BY_VALUE:
            self.terms[node] = Call(op, tuple(args), params, np.shape(self.values[node]))


class _Source:
    """Where a compiled function's term comes from: what `programs` asks of a lifted graph."""

    def __init__(self, trace: Trace, variables: list[str]) -> None:
        self.point = {k: np.asarray(v) for k, v in trace.point.items()}
        self.inputs = {name: ("array", name) for name in self.point}
        self.variables = [Var(n, self.point[n].shape, _properties(trace, n)) for n in variables]
        self.baked: dict[int, Any] = {}
        self.fixed: list[Any] = []
        self.saved: list[Any] = []


def _properties(trace: Trace, name: str) -> frozenset[str]:
    for term in trace.symbols.values():
        if isinstance(term, Var) and term.name == name:
            return term.properties
    return frozenset()


class Compiled:
    """A function's value, gradient and matrix of second derivatives, computed by one program.

    Attributes
    ----------
    function, outputs, argnums, format : as they were given
    """

    def __init__(self, f: Callable[..., Any], outputs: str, argnums: Argnums, format: str) -> None:
        self.function = require_callable(f, "sg.compile")
        if (
            not isinstance(outputs, str)
            or not outputs
            or set(outputs) - set(OUTPUTS)
            or len(set(outputs)) < len(outputs)
        ):
            raise GradientError(
                f"sg.compile computes 'f' (value), 'g' (gradient) and 'h' (second derivatives); outputs={outputs!r}",
                "", "Pass outputs='fgh', or some of these letters, each once.",
            )  # fmt: skip
        if format not in ("dense", "csr"):
            raise GradientError(f"sg.compile has no format {format!r}", "", "Choose 'dense' or 'csr'.")
        self.outputs, self.argnums, self.format = outputs, argnums, format
        self.__name__ = f"compile({getattr(f, '__name__', type(f).__name__)})"
        known = signature(f)
        if known is not None:
            self.__signature__ = known
        self._made: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"{self.__name__[:-1]}, outputs={self.outputs!r}, programs={len(self._made)})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what was asked for, in the order of ``outputs``: arrays of the arguments' shapes."""
        made, leaves = self._find(args, kwargs)
        data = made.data
        values = [leaves[data[name]] if name in data else value for name, value in made.arguments]
        results = made.program.run(values)
        if results is None:
            return self._eagerly(args, kwargs)
        return made.form(results)

    def _find(self, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
        if not kwargs and all(type(a) is np.ndarray for a in args):
            leaves = list(args)
            key: Any = tuple([(a.shape, a.dtype.char) for a in args])
        else:
            leaves, spec = flatten((args, tuple(sorted(kwargs.items()))))
            leaves = [a._data if isinstance(a, Tensor) else a for a in leaves]
            key = (spec, tuple([_mark(a) for a in leaves]))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = _Maker(self, args, kwargs).made()
        return made, leaves

    def _eagerly(self, args: Any, kwargs: Any) -> Any:
        """The same by the tape, where a number on the way of the program is not finite."""
        found = []
        for letter in self.outputs:
            if letter == "f":
                value = self.function(*args, **kwargs)
                found.append(np.asarray(value._data if isinstance(value, Tensor) else value)[()])
            elif letter == "g":
                found.append(grad(self.function, self.argnums)(*args, **kwargs))
            else:
                found.append(Hessian(self.function, self.argnums, self.format)(*args, **kwargs))
        return tuple(found) if len(found) > 1 else found[0]

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Return the program's source at arguments of these shapes."""
        source: str = self._find(args, kwargs)[0].program.source
        return source

    def save(self, path: Any, *args: Any, **kwargs: Any) -> None:
        """Write a Python file that computes the same without symgrad, and tests itself when it is run.

        Parameters
        ----------
        path : the file to write; large arrays that the function catches go beside it, into a ``.npz`` of the same name
        args, kwargs : arguments that show the shapes; the file's test is at this point

        Raises
        ------
        GradientError : the program needs an operation that NumPy and SciPy do not have
        """
        made, leaves = self._find(args, kwargs)
        values = {name: leaves[made.data[name]] if name in made.data else value for name, value in made.arguments}
        used = {name for name, _ in made.arguments}
        given = [name for name in made.data if name in used]  # in the order of the function's parameters
        try:
            written(path, made.program, values, given, self.__name__, made.order)
        except Unprogrammable as error:
            raise GradientError(
                f"{self.__name__} cannot be written to a file of its own", f"{error}.", "Keep it as it is.",
            ) from None  # fmt: skip


class _Maker:
    """Makes the program of one structure of arguments."""

    def __init__(self, owner: Compiled, args: Any, kwargs: Any) -> None:
        self.owner, self.args, self.kwargs = owner, args, kwargs

    def made(self) -> Any:
        owner = self.owner
        call = _Arguments(owner.function, self.args, self.kwargs, owner.argnums)
        chosen = list(call.chosen())
        names: dict[str, int] = {}
        self._name_symbols(call, names)
        try:
            traced = Traced(call.f, call.bound, ())
        except SymbolicBranchError as error:
            raise SymbolicBranchError(
                f"{owner.__name__} cannot be one program: {str(error).splitlines()[0]}",
                "A program is made once, for all values of its arguments.",
                "Use sg.where(condition, a, b), take what decides from outside (a closure is part of the program), or "
                "use sg.hessian and sg.value_and_grad, which run the function at every call.",
            ) from None
        if traced.branches:
            raise SymbolicBranchError(
                f"{owner.__name__} branches on a value", "A program is made once, for all values.",
                "Use sg.where(condition, a, b), or sg.hessian, which runs the function at every call.",
            )  # fmt: skip
        _require_number("compile", traced.output)
        trace = _Tracing()
        term = trace.tensor(traced.output)
        variables = [n for part in self.of_chosen for n in part]
        missing = [n for n in variables if n not in trace.point]
        for n in missing:
            trace.point[n] = self.values[n]
        source = _Source(trace, variables)
        try:
            program = Program(source, term, "".join(sorted(owner.outputs)), owner.format)
        except Unprogrammable as error:
            raise GradientError(
                f"{owner.__name__} has no program", f"{error}.", "Use sg.hessian, which has the tape.",
            ) from None  # fmt: skip
        return _Finished(owner, program, names, source, call, chosen)

    def _name_symbols(self, call: _Arguments, names: dict[str, int]) -> None:
        """Put symbols in the place of the arrays among the arguments; note where each comes from."""
        self.values: dict[str, Any] = {}
        self.of_chosen: list[list[str]] = []
        filled = {}
        places = self._places()
        for parameter, value in call.bound.arguments.items():
            leaves, spec = flatten(value)
            paths = [_identifier(parameter, path) for path in tree_paths(value)]
            new, mine = [], []
            for leaf, name, place in zip(leaves, paths, flatten(places[parameter])[0], strict=True):
                data = _data(leaf, parameter in call.names)
                if data is None:
                    new.append(leaf)
                    continue
                self.values[name] = data
                if isinstance(place, _Place):
                    names[name] = place.number
                mine.append(name)
                new.append(make_symbol(name, data, Facts(data.shape)))
            filled[parameter] = unflatten(spec, new)
            if parameter in call.names:
                self.of_chosen.append(mine)
        call.bound.arguments.update(filled)

    def _places(self) -> Any:
        """Per parameter where its arrays stand among all arguments: two that are one array now need not be later."""
        leaves, spec = flatten((self.args, tuple(sorted(self.kwargs.items()))))
        args, items = unflatten(spec, [_Place(k) if _data(a, True) is not None else a for k, a in enumerate(leaves)])
        return _Arguments(self.owner.function, args, dict(items), self.owner.argnums).bound.arguments


class _Place:
    """Where an argument stands."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Finished:
    """A program and the form of its results."""

    def __init__(
        self, owner: Compiled, program: Program, names: dict[str, int], source: _Source, call: Any, chosen: Any
    ) -> None:
        self.program, self.outputs = program, owner.outputs
        self.data = names
        self.arguments = [(name, source.point[name]) for name, _ in program.whole.arguments]
        self.given = [name for name, _ in self.arguments if name in names]
        self.shapes = program.shapes
        self.dtype = np.result_type(*[source.point[x.name].dtype for x in source.variables])
        self.order = ["".join(sorted(owner.outputs)).index(letter) for letter in owner.outputs]
        self.call, self.chosen = call, chosen
        self.simple = len(self.shapes) == 1 and not call.several and flatten(chosen[0])[1].kind is None

    def form(self, results: Any) -> Any:
        """The results as the caller gets them."""
        found = [self._one(self.outputs[k], results[place]) for k, place in enumerate(self.order)]
        return found[0] if len(found) == 1 else tuple(found)

    def _one(self, letter: str, value: Any) -> Any:
        if letter == "f":
            return np.asarray(value, self.dtype)[()]
        if letter == "g":
            return value if self.simple else self._packed(value if isinstance(value, tuple) else (value,))
        if self.simple:
            return value.reshape(self.shapes[0] * 2) if isinstance(value, np.ndarray) else value
        from ._matrix import HessianMatrix

        names = [
            ((name, *path) if self.call.several or not path else path)
            for name, value in zip(self.call.names, self.chosen, strict=True) for path in tree_paths(value)
        ]  # fmt: skip
        spec = flatten(tuple(self.chosen) if self.call.several else self.chosen[0])[1]
        return HessianMatrix(value, spec, self.shapes, names, self.call.several)

    def _packed(self, parts: Any) -> Any:
        rest = iter(parts)
        found = []
        for value in self.chosen:
            leaves, spec = flatten(value)
            found.append(unflatten(spec, [next(rest) for _ in leaves]))
        return self.call.pack(found)


def _identifier(parameter: str, path: tuple[Any, ...]) -> str:
    words = [parameter, *map(str, path)]
    return "_".join("".join(c if c.isalnum() or c == "_" else "_" for c in word) for word in words)


def _data(leaf: Any, chosen: bool) -> np.ndarray | None:
    """The array that a symbol stands for; None for what is part of the program."""
    if type(leaf) is Symbol:
        raise GradientError(
            "sg.compile makes programs for arrays, and got a symbol", "", "Ask sg.formula for a formula."
        )
    if isinstance(leaf, Tensor):
        leaf = leaf._data
    if isinstance(leaf, np.ndarray):
        return leaf.astype(default_dtype()) if chosen and leaf.dtype.kind in "iub" else leaf
    if isinstance(leaf, (int, float, np.generic)) and not isinstance(leaf, bool) and chosen:
        return np.asarray(leaf, default_dtype())
    return None


def _mark(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return leaf.shape, leaf.dtype.char
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf


def compile(f: Callable[..., Any], outputs: str = "fgh", argnums: Argnums = 0, format: str = "dense") -> Compiled:
    """Return a function that computes value, gradient and second derivatives of ``f`` by one program.

    Parameters
    ----------
    f : function of arrays that returns one number
    outputs : what to compute, and in which order: 'f' the value, 'g' the gradient, 'h' the second derivatives
    argnums : as in `grad`
    format : 'dense', or 'csr' for a SciPy sparse matrix

    Returns
    -------
    Compiled, a function of the same arguments, which returns a tuple (one result for one letter). ``.code(*args)`` is
    its source, ``.save(path, *args)`` writes it to a file that runs without symgrad.

    Raises
    ------
    SymbolicBranchError : ``f`` asks for a value (``if x > 0``, ``float(x)``): a program is made once, for all values
    GradientError : an operation of ``f`` has no program

    Notes
    -----
    Cost: ``f`` is run once per structure of arguments (shapes, dtypes, numbers that are not arrays); every other call
    only runs the program, in which value, gradient and second derivatives share their terms. Arrays that ``f``
    catches from its surroundings are taken as they are at that run: compile again when they have changed.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> rosenbrock = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    >>> fgh = sg.compile(rosenbrock)
    >>> value, gradient, hessian = fgh(np.array([1.0, 2.0]))
    >>> value, gradient
    (np.float64(100.0), array([-400.,  200.]))
    >>> hessian
    array([[ 402., -400.],
           [-400.,  200.]])
    >>> print(sg.compile(lambda x: (x ** 3).sum(), "g").code(np.ones(2)))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def gradient(x):
        v0 = np.square(x)  # x²
        g0 = 3 * v0
        return g0
    <BLANKLINE>
    """
    return Compiled(f, outputs, argnums, format)


__all__ = ["Compiled", "compile"]

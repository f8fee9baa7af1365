"""``sg.fix``: a function of fewer arguments, the others held constant; formulas of functions of several results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from .._array import as_result
from .._errors import GradientError
from .._limits import bound
from ..core import Tensor
from ..ops import FUNCTIONS
from .calls.call_arguments import signature
from .calls.reads import is_foreign, path_name
from .calls.run import none_returned, split
from .calls.symbolic_run import Traced, is_partial, require_callable, unwrapped
from .calls.tree import LEAF as ONE
from .calls.tree import Spec, flatten, flatten_values, tree_map, unflatten

# --------------------------------------------------------------- The formulas of functions that return several arrays

# The idea to hold: a formula is that of one array. So the function is traced once per array that comes out, each time
# with that one as its only output, and the formulas are put into the containers that it returned.


class Returned:
    """What a function returns while it is traced: a formula is that of one array, so it is run once per output.

    Parameters
    ----------
    what : who asks, for errors
    has_aux : the function returns ``(output, aux)``

    Attributes
    ----------
    spec, count : the structure of the output of the last run, and of how many arrays it consists
    """

    what: str
    has_aux: bool
    spec: Spec
    count: int
    aux: Any

    def __init__(self, what: str, has_aux: bool = False) -> None:
        self.what, self.has_aux = what, has_aux
        self.spec, self.count, self.aux = ONE, 1, None

    def entry(self, f: Any, k: int) -> Callable[..., Any]:
        """``f`` with its ``k``-th array as the only output; those of aux count on behind those of the output."""

        def one(*args: Any, **kwargs: Any) -> Any:
            result = tree_map(as_result, f(*args, **kwargs))
            if self.has_aux:
                result, self.aux = split(self.what, result)
            leaves, self.spec = flatten_values(result)
            self.count = len(leaves)
            leaves = leaves or none_returned(self.what)
            return [*leaves, *filter(_is_array, flatten(self.aux)[0])][k]

        return as_if_written_beside(f, one)

    def aux_formulas(self, f: Any, arguments: inspect.BoundArguments, chosen: tuple[str, ...] = ()) -> Any:
        """What is returned beside the output, with formulas for its arrays."""
        leaves, spec = flatten(self.aux)
        places = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]
        for k, i in enumerate(places):
            leaves[i] = Traced(self.entry(f, self.count + k), arguments, chosen).formula()
        return unflatten(spec, leaves)


def as_if_written_beside(f: Any, g: Any) -> Callable[..., Any]:
    """``g``, a function around ``f``, named and placed as ``f`` is, so that the data ``f`` catches keep their names."""
    g.__name__ = getattr(f, "__name__", g.__name__)
    g.__module__ = getattr(f, "__module__", None) or g.__module__
    return g


def _is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def formulas_at(what: str, f: Any, g: Any, values: tuple[Any, ...], more: dict[str, Any], has_aux: bool = False) -> Any:
    """The formulas of all that ``g(*values, *more)`` returns, in the same containers.

    ``g`` is a function around ``f``, after whose parameters the values are named.
    """
    g, names = as_if_written_beside(f, g), _names(f, len(values))
    names += [name if name not in names else f"{name}_1" for name in more]
    kind = inspect.Parameter.POSITIONAL_ONLY
    known = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    arguments = known.bind(*values, *more.values())
    seen = Returned(what, has_aux)
    several = [Traced(seen.entry(g, 0), arguments).formula()]
    several += [Traced(seen.entry(g, k), arguments).formula() for k in range(1, seen.count)]
    result = unflatten(seen.spec, several)
    return (result, seen.aux_formulas(g, arguments)) if has_aux else result


LETTERS = bound(6)
"""Variables up to which they are called x, y, z, u, v, w; more are numbered."""


def _names(f: Any, count: int) -> list[str]:
    """What the first positional arguments of a function are called."""
    known = signature(f)
    names: list[str] = []
    for p in known.parameters.values() if known is not None else ():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}_{k}" for k in range(count - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    names = names[:count]
    letters = list("xyzuvw") if count <= LETTERS else [f"x{k}" for k in range(count)]
    return names + letters[len(names) : count]


# ------------------------------------------------ ``sg.fix``: a function of fewer arguments, the others held constant

# The idea to hold: the result is an ordinary Python function, written out with the remaining parameters, in whose
# closure the constants stand under the names of the parameters they fill. So it has the right signature, every
# transform (and every other library) takes it, and formulas name the constants as they name all data a function
# catches.


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def fix(f: Any, at: Mapping[Any, Any] | None = None, /, **values: Any) -> Callable[..., Any]:
    """Return the function of the remaining arguments, with others held constant.

    Parameters
    ----------
    f : function whose parameters are known to Python
    at : what to hold, by position (``{0: X}``; it may be one of ``*args``), by name, or by the way into a dictionary
        that is an argument: ``{("params", "b"): b}`` holds the entry 'b' of ``params``, which is then given without it
    values : what to hold, by name

    Returns
    -------
    A Python function of the remaining parameters, in their order and with their defaults: argnums=0 is the first that
    remains. Transforms do not differentiate with respect to what is held (a tensor keeps its history, for those outside
    that look on). Formulas show held arrays by the names of their parameters; numbers stay numbers.

    Raises
    ------
    GradientError : ``f`` has no such parameter, or one is held twice; when called: an argument brings an entry that is
        held

    Notes
    -----
    Cost: nothing to speak of; ``f`` is called with the values in their places. NumPy and PyTorch have another function
    of this name, which rounds toward zero; of an array or a tensor this one is that.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> from symgrad.transforms.fix import fix
    >>> f = lambda w, X, y: ((X @ w - y) ** 2).sum()
    >>> X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 0.0])
    >>> loss = fix(f, X=X, y=y)
    >>> sg.grad(loss)(np.zeros(2))
    array([-2., -4.])
    >>> print(sg.grad(loss)(sg.symbol("w", 2)))
    2Xᵀ(Xw − y)

    For a profile likelihood, one entry of a dictionary is held:

    >>> g = fix(lambda p: (p["a"] - p["b"]) ** 2, {("p", "b"): 3.0})
    >>> print(sg.grad(g)({"a": 1.0})["a"])
    -4.0
    """
    if isinstance(f, (Tensor, np.ndarray, np.generic)):
        return FUNCTIONS["fix"](f, **values)
    require_callable(f, "sg.fix")
    held = {**(at or {}), **values}
    if not held and isinstance(f, FunctionType):
        return f  # whose defaults are its own when it is called
    function = _Written(f)
    for key, value in held.items():
        function.hold(key, value)
    return function.build()


def written_out(f: Any) -> Any:
    """A `functools.partial` as a function with its arguments in its closure, where formulas find them by name."""
    return _Written(f).build() if is_partial(f) and signature(f) is not None else f


class _Written:
    """A function with some parameters held, on its way to being written out."""

    def __init__(self, f: Any) -> None:
        self.title = getattr(f, "__name__", None) or repr(f)
        inner, args, keywords, _ = unwrapped(f, (), {})
        known, whole = _parameters(f), _parameters(inner)
        if known is None or whole is None:
            raise GradientError(
                f"sg.fix does not know the parameters of {self.title}", "Python has no signature for it.",
                "Write them out: sg.fix(lambda x, y: f(x, y), …).",
            )  # fmt: skip
        self.f, self.whole = inner, whole
        self.remaining = {name: p for name, p in known.items() if p.kind not in _MANY or name in whole}
        places = [p.name for p in whole.values() if p.kind in _BY_PLACE]
        self.rest = args[len(places) :]  # what a partial gives to *args
        self.values: dict[str, Any] = dict(zip(places, args, strict=False))
        self.loose = {k: v for k, v in keywords.items() if k not in whole}  # what it gives to **kwargs
        self.named: dict[str, Any] = {}  # what is held of **kwargs
        self.placed: dict[int, Any] = {}  # and of *args
        self.entries: dict[str, dict[tuple[Any, ...], Any]] = {}

    def hold(self, key: Any, value: Any) -> None:
        """Hold an argument (by name or position) or an entry of one (a tuple: parameter, keys)."""
        path = key if isinstance(key, tuple) and key else (key,)
        if len(path) == 1 and self._hold_among_many(key, value):
            return
        name = self._name(path[0])
        if len(path) == 1:
            if name in self.entries:
                raise GradientError(f"{name} is held as a whole and in part", "", "Hold it once.")
            del self.remaining[name]
            self.values[name] = value
            return
        self.entries.setdefault(name, {})[path[1:]] = value

    def _hold_among_many(self, key: Any, value: Any) -> bool:
        """Hold one of ``*args``, by its position, or of ``**kwargs``, by its name; whether it is one."""
        kinds = {p.kind for p in self.whole.values()}
        if isinstance(key, str):
            free = key.isidentifier() and key not in {*self.whole, *self.loose, *self.named}
            if free and inspect.Parameter.VAR_KEYWORD in kinds:
                self.named[key] = value
                return True
            return False
        place = key - sum(p.kind in _BY_PLACE for p in self.whole.values()) if type(key) is int else -1
        if place < len(self.rest) or inspect.Parameter.VAR_POSITIONAL not in kinds:
            return False
        self.placed[place - len(self.rest)] = value
        return True

    def _name(self, key: Any) -> str:
        names = [name for name, p in self.remaining.items() if p.kind not in _MANY]
        places = [p.name for p in self.whole.values() if p.kind in _BY_PLACE]
        if isinstance(key, int) and not isinstance(key, bool) and -len(places) <= key < len(places):
            key = places[key]
        if key not in names:
            raise GradientError(
                f"sg.fix cannot hold {key!r}: {self.title} has no such parameter" if key not in self.values
                else f"{key!r} is held twice",
                f"Those to hold are {names}.",
                "Name one of these, or give its position; an entry of a dictionary is held by "
                "{(parameter, key): value}.",
            )  # fmt: skip
        return str(key)

    def build(self) -> Any:
        """The function. It is compiled from a text of parameter names, which are identifiers."""
        taken = {*self.whole, *self.remaining, *self.named}
        words = ("f", "filled", "entries", "rest", "loose", "inserted")
        call, fill, more, star, starred, among = (_fresh(w, taken) for w in words)
        cells: dict[str, Any] = {call: self.f, **self.values}
        arguments = []
        for name, p in self.whole.items():
            value = name
            if name in self.entries:
                cells[fill] = filled
                held = {_fresh(path_name(name, path), taken): (path, v) for path, v in self.entries[name].items()}
                cells.update({cell: v for cell, (_, v) in held.items()})
                ways = _fresh(f"{more}_{name}", taken)
                cells[ways] = _Ways(name, [path for path, _ in held.values()])
                value = f"{fill}({name}, {ways}, {', '.join(held)})"
            if p.kind is inspect.Parameter.VAR_POSITIONAL:
                cells[star] = self.rest
                given = name
                if self.placed:
                    at, cells[among], ways = sorted(self.placed), inserted, _fresh(f"{more}_{name}", taken)
                    own = {_fresh(f"{name}_{k + len(self.rest)}", taken): self.placed[k] for k in at}
                    cells.update({ways: at, **own})
                    given = f"{among}({name}, {ways}, {', '.join(own)})"
                arguments.append(f"*{star}, *{given}")
            elif p.kind is inspect.Parameter.VAR_KEYWORD:
                cells.update({starred: self.loose, **self.named})
                arguments += [*(f"{k}={k}" for k in self.named), f"**{{**{starred}, **{name}}}"]
            else:
                arguments.append(value if p.kind in _BY_PLACE else f"{name}={value}")
        return self._compiled(cells, f"{call}({', '.join(arguments)})")

    def _compiled(self, cells: dict[str, Any], body: str) -> Any:
        parameters = [p.replace(annotation=inspect.Parameter.empty) for p in self.remaining.values()]
        blank = [p if p.default is p.empty else p.replace(default=_Blank()) for p in parameters]
        head = str(inspect.Signature(blank))
        text = f"def outer({', '.join(cells)}):\n    def inner{head}:\n        return {body}\n    return inner\n"
        module = getattr(self.f, "__module__", None) or "fixed"
        scope: dict[str, Any] = {"__name__": "fixed" if is_foreign(module) else module}  # its data are the user's
        exec(compile(text, f"<sg.fix({self.title})>", "exec"), scope)
        made = scope["outer"](**cells)
        made.__defaults__ = tuple(p.default for p in parameters if p.kind in _BY_PLACE and p.default is not p.empty)
        made.__kwdefaults__ = {p.name: p.default for p in parameters
                               if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}  # fmt: skip
        held = [*self.values, *self.named, *map(str, self.placed), *("".join([name, *(f"[{k!r}]" for k in path)])
                                for name, paths in self.entries.items() for path in paths)]  # fmt: skip
        made.__name__ = made.__qualname__ = self.title if self.title.isidentifier() else "fixed"
        made.__doc__ = f"{self.title} with {', '.join(held)} held." if held else getattr(self.f, "__doc__", None)
        return made


class _Blank:
    """Stands where a default is, in the text of a signature."""

    def __repr__(self) -> str:
        return "None"


class _Ways:
    """Which entries of a dictionary are held."""

    name: str
    paths: list[tuple[Any, ...]]

    def __init__(self, name: str, paths: list[tuple[Any, ...]]) -> None:
        self.name, self.paths = name, paths


def inserted(given: tuple[Any, ...], places: list[int], *values: Any) -> list[Any]:
    """Positional arguments with those that are held put in at their places, in order."""
    every = list(given)
    for place, value in zip(places, values, strict=True):
        if place > len(every):
            raise GradientError(
                f"sg.fix holds the argument at place {place} of *args, and only {len(every)} come before it",
                f"{len(given)} were given.", "Give all that come before it.",
            )  # fmt: skip
        every.insert(place, value)
    return every


def filled(tree: Any, ways: _Ways, *values: Any) -> Any:
    """The dictionary that was given, with the entries that are held."""
    for path, value in zip(ways.paths, values, strict=True):
        tree = _with_entry(tree, path, value, ways.name)
    return tree


def _with_entry(tree: Any, path: tuple[Any, ...], value: Any, name: str) -> Any:
    if not isinstance(tree, dict):
        raise GradientError(
            f"{name} has no entries to be held: it is of type {type(tree).__name__!r}",
            f"sg.fix was to hold {name}[{path[0]!r}].", "Only entries of dictionaries are held; hold the whole.",
        )  # fmt: skip
    spelled = f"{name}[{path[0]!r}]"
    if len(path) > 1:
        return {**tree, path[0]: _with_entry(tree.get(path[0], {}), path[1:], value, spelled)}
    if path[0] in tree:
        raise GradientError(
            f"{spelled} is held by sg.fix, and was given too", f"The argument has the keys {list(tree)}.",
            "Leave it out.",
        )  # fmt: skip
    return {**tree, path[0]: value}


def _fresh(word: str, taken: set[str]) -> str:
    while word in taken:
        word += "_"
    taken.add(word)
    return word


def _parameters(f: Any) -> dict[str, inspect.Parameter] | None:
    known = signature(f)
    return None if known is None else dict(known.parameters)

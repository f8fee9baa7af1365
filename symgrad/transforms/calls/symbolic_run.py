"""One run of a function on named variables, random numbers put back: what a formula of a function is read from."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np

from ..._array import as_argument, as_result
from ..._config import default_dtype
from ..._errors import FormulaError, SymgradError, refusal, require_not_refused
from ..._limits import bound
from ..._tensor import with_sizes
from ...core import LEAF, Dim, Symbol, Tensor, facts_of, modes, named_shape, plain_array, refuse_no_numbers, wrap
from ...formulas import Formula
from ...ops import FUNCTIONS
from ...ops.create import Beginnings, drawn
from .reads import path_name, paths, with_named_data
from .tree import Spec, flatten, flatten_values, tables_again, tree_map, unflatten
from .variables import raise_cause, recording, run_on_variables

# ------------------------ The state of the random numbers: put back, so that a function run again draws the same ones


def rng_state() -> Any:
    """The state of the generator behind ``sg.rand`` and its like."""
    return FUNCTIONS["get_rng_state"]()


@contextmanager
def at_state(state: Any) -> Iterator[None]:
    """Draw from ``state`` on inside the block, and as if nothing had been drawn after it. None: leave it alone."""
    if state is None:
        yield
        return
    before = rng_state()
    FUNCTIONS["set_rng_state"](state)
    try:
        yield
    finally:
        FUNCTIONS["set_rng_state"](before)


class Randomness:
    """What a function run once per example may draw.

    ``kind`` is 'different', 'same' (each begins where the first began) or 'error'.
    """

    kind: str
    start: int

    def __init__(self, kind: str) -> None:
        self.kind, self.start = kind, drawn[0]
        self.begun: Beginnings | None = Beginnings() if kind == "same" else None

    def next(self) -> None:
        """Before each example."""
        if self.begun is not None:
            self.begun.put_back()

    def close(self) -> None:
        """Raise if random numbers were drawn and may not be."""
        if self.kind == "error" and drawn[0] != self.start:
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )


# -------------------------------- One run of a function on named variables: what a formula of a function is read from

# The idea to hold: arguments become leaves named after the parameters, data that the function catches become leaves
# named after their variables (`reads.py`), and the result's graph is the formula. Where the data do not have the
# lengths that stand in for named sizes (``w`` of size n against a 100×3 array), the sizes take lengths from the data.


def tracing() -> bool:
    """Whether a function is being run for its formula: derivatives inside it are tensors then, not formulas."""
    return modes.tracing.get() is not None


SIZE_TRIALS = bound(256)
"""Ways to give named sizes the lengths of the data at hand that are tried."""
SIZES_EXCHANGED = bound(4)
"""Named sizes up to which all ways to exchange their lengths are tried."""


class Traced:
    """A function run once on named variables.

    Parameters
    ----------
    f : the function
    arguments : as `bind_arguments` gives them
    differentiated : the parameters to differentiate with respect to; their numbers become variables too
    arrays : whether the function is one of arrays: if not said, it is unless a tensor is among the arguments

    Attributes
    ----------
    for_program : whether a program is made of it, in which data are the numbers that they are: names are not needed,
        and Python may branch on them
    decides : whether Python may branch on symbols too
    output : the tensor it returned
    names, variables : per differentiated parameter the structure and the names of its variables; these by name
    of_data : whether what stands for the named sizes was taken from the data
    values : the arguments that variables stand for, where those are symbols (not the variables themselves)
    exchange : for a run at other sizes, what a symbol is there
    """

    f: Any
    arguments: inspect.BoundArguments
    differentiated: tuple[str, ...]

    def __init__(
        self,
        f: Any,
        arguments: inspect.BoundArguments,
        differentiated: tuple[str, ...] = (),
        arrays: bool | None = None,
        for_program: bool = False,
        decides: bool = False,
    ) -> None:
        self.decides = decides
        self.f, self.arguments, self.differentiated = f, arguments, differentiated
        self.leaves: list[Any] = flatten([*arguments.arguments.values()])[0]
        self.arrays: bool = not any(map(_is_tensor, self.leaves)) if arrays is None else arrays
        self.for_program = for_program
        self.names: dict[str, tuple[Spec, list[str]]] = {}
        self.variables: dict[str, Tensor] = {}
        self.values: dict[str, Symbol] = {}
        self.branches: list[tuple[Tensor, bool]] = []
        self.of_data: bool = False
        self.exchange: Callable[[Symbol], Symbol] | None = None
        self._random = rng_state() if self._symbols() else None
        self._tables: list[Any] = []
        self.output: Tensor = self._run()
        self._compare_with_tables()

    def _run(self) -> Tensor:
        before = refusal.get()
        try:
            return self._attempt({})
        except (SymgradError, ValueError, TypeError, AttributeError, IndexError, SystemError) as error:
            if not isinstance(error, ValueError):
                if isinstance(error, (TypeError, AttributeError, IndexError, SystemError)):
                    raise_cause(error, before)
                raise
            raise_cause(error, before)
            singular = isinstance(error, np.linalg.LinAlgError)  # tall where it should be wide, perhaps
            turned = [(False, k) for k in self._turned()] if singular else []
            refused = refusal.get()
            for of_data, lengths in [*[(True, k) for k in self._lengths()], *turned]:
                self.of_data = of_data
                refusal.set(refused)
                try:
                    return self._attempt(lengths)
                except (SymgradError, ValueError):
                    continue
            raise

    def _compare_with_tables(self) -> None:
        """Raise where the formula would be one of the arrays of tables, and the function means something else of these:
        it is run on numbers, if there are any."""
        own = dict(self.arguments.arguments)
        tables = tables_again(own, own)
        if (tables is None and not self._tables) or self.for_program or self._symbols():
            return
        leaves, spec = flatten(own)
        places = [k for k, leaf in enumerate(leaves) if getattr(leaf, "dtype", np.dtype(type(leaf))).kind == "f"]

        def at(given: tuple[Any, ...], of_tables: bool) -> Any:
            new = dict(zip(places, given))
            values = unflatten(spec, [new.get(k, leaf) for k, leaf in enumerate(leaves)])
            complete = inspect.BoundArguments(
                self.arguments.signature, tables_again(own, values) if of_tables else values
            )
            return self.f(*complete.args, **complete.kwargs)

        tensors = [wrap(np.array(leaves[k]), LEAF) for k in places]
        called = None if tables is None else ((lambda *given: at(given, True)), tables)
        run_on_variables(lambda *given: at(given, False), tensors, self.arrays, called=called)

    def _lengths(self) -> Iterator[dict[str, int]]:
        """Ways to take the named sizes' lengths from the data at hand."""
        arrays = []

        def note(value: Any, name: str) -> Any:
            arrays.append(value)
            return value

        with_named_data(self.f, note)
        arrays += [a for a in self.leaves if isinstance(a, (np.ndarray, Tensor)) and type(a) is not Symbol]
        found = sorted({n for a in arrays for n in np.shape(a._data if isinstance(a, Tensor) else a)})
        names = sorted(self._sizes())
        if names and found and len(found) ** len(names) <= SIZE_TRIALS:
            for choice in itertools.product(found, repeat=len(names)):
                yield dict(zip(names, choice, strict=True))

    def _symbols(self) -> list[Symbol]:
        return [leaf for leaf in self.leaves if type(leaf) is Symbol]

    def _sizes(self) -> dict[str, int]:
        """The named sizes of the symbols among the arguments, and what stands in for them."""
        dims = [d for s in self._symbols() if facts_of(s) is not None for d in named_shape(s) if type(d) is Dim]
        return {name: length for d in dims for name, length in d.atoms.items()}

    def _turned(self) -> Iterator[dict[str, int]]:
        """Ways to exchange the lengths that stand in for the named sizes."""
        sizes = self._sizes()
        if len(sizes) <= SIZES_EXCHANGED:
            for lengths in itertools.permutations(sizes.values()):
                yield dict(zip(sizes, lengths, strict=True))

    def _attempt(self, lengths: dict[str, int]) -> Tensor:
        self.used: set[str] = set()
        args, kwargs = self._variables(lengths)
        named = with_named_data(self.f, self._caught)
        if named is self.f:
            with self._trace() as self.branches:
                return self._tensor(self.f(*args, **kwargs))
        refused = refusal.get()
        try:
            with self._trace() as self.branches:
                output = self._tensor(named(*args, **kwargs))
        except Exception:  # code for arrays need not run on tensors: then the data stay without names
            output = None
            refusal.set(refused)
        if self.for_program and output is not None and not self.branches:
            return output  # a program is compared with the function, at numbers
        with self._trace() as branches:
            plain = self._tensor(self.f(*args, **kwargs))
        if output is not None and not (self.for_program and not branches) and _agree(output, plain):
            return output
        self.branches = branches
        return plain

    @contextmanager
    def _trace(self) -> Iterator[list[tuple[Tensor, bool]]]:
        """Run the function for its formula; gives the list of what Python branches on."""
        branches: list[tuple[Tensor, bool]] = modes.Decisions(self.decides) if self.for_program else []
        token = modes.tracing.set(branches)
        inside = modes.running.set(
            modes.Running(self.arrays, around=modes.running.get(), tables=self._tables, makers=set())
        )
        refused = refusal.get()
        try:
            with recording():
                yield branches
            require_not_refused(refused)
        finally:
            modes.running.reset(inside)
            modes.tracing.reset(token)

    def formula(self) -> Any:
        """The formula of the output, with the branches that Python took as its conditions."""
        from ...formulas import tensor_formula

        return tensor_formula(self.output, branches=self.branches, again=self._elsewhere, any_size=not self.of_data)

    def _elsewhere(self, there: Any) -> Tensor:
        """The function's output at other sizes, as if nothing had been run."""
        again = copy(self)
        again.names, again.variables, again.values = {}, {}, {}
        again.exchange = there.of  # what the function caught of a symbol is of the same one
        with there.computing(), at_state(self._random):
            return again._attempt(there.lengths)

    def _tensor(self, result: Any) -> Tensor:
        result = as_result(result)
        if isinstance(result, Tensor):
            return result
        if isinstance(result, (np.ndarray, np.generic, int, float, complex)):
            return wrap(plain_array(result))
        raise FormulaError(
            f"{_title(self.f)} returned {type(result).__name__!r}, which has no formula",
            "A formula is that of one tensor, array or number.",
            "Return one of them (for several outputs, write a function for each).",
        )

    def absent(self, name: str) -> Any:
        """The symbol of a variable that the formula does not have: a derivative in it is zeros."""
        from ...terms import Var

        return Var(name, named_shape(self.variables[name]))

    # ------------------------------------------------------------------------------------------ variables

    def _variables(self, lengths: dict[str, int]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        call = self.arguments
        self._taken_by_symbols()
        numbers = self._numbers()
        filled = dict(call.arguments)
        leaf_names = self._leaf_names()
        for parameter, value in call.arguments.items():
            names = leaf_names[parameter]
            leaves, spec = flatten_values(value)  # None stays None
            chosen = parameter in self.differentiated
            new = [self._leaf(v, n, lengths, chosen, numbers) for v, n in zip(leaves, names, strict=True)]
            filled[parameter] = unflatten(spec, new)
            if chosen:
                self.names[parameter] = spec, [t.name for t in new]
                self.variables.update({t.name: t for t in new})
        filled = {name: tree_map(self._in, value) for name, value in filled.items()}
        complete = inspect.BoundArguments(call.signature, filled)
        return complete.args, complete.kwargs

    def _leaf_names(self) -> dict[str, list[str]]:
        """What the leaves of each argument are called: by their key alone where nothing else is called so."""
        given = self.arguments.arguments
        ways = {
            parameter: [path for path, leaf in zip(paths(value), flatten(value)[0], strict=True) if leaf is not None]
            for parameter, value in given.items()
        }
        by_key = Counter([path_name(path[0], path[1:]) for own in ways.values() for path in own if _has_key(path)])
        taken = self.used.union(given)
        return {
            parameter: [
                short
                if _has_key(path) and by_key[short := path_name(path[0], path[1:])] == 1 and short not in taken
                else path_name(parameter, path)
                for path in own
            ]
            for parameter, own in ways.items()
        }  # fmt: skip

    def _taken_by_symbols(self) -> None:
        for leaf in self._symbols():
            if leaf.name is not None:
                self.used.add(leaf.name)
            self.used.update(name for d in named_shape(leaf) if type(d) is Dim for name in d.atoms)

    def _numbers(self) -> tuple[type, ...]:
        """The types of numbers that are variables: none beside arrays, tensors and symbols."""
        if self.differentiated or any(isinstance(v, (np.ndarray, Tensor)) for v in self.leaves):
            return ()
        return (float,) if any(isinstance(v, float) for v in self.leaves) else (int,)

    def _leaf(self, value: Any, name: str, lengths: dict[str, int], chosen: bool, numbers: tuple[type, ...]) -> Any:
        if type(value) is Symbol:
            return self._symbol(value, name, lengths, chosen)
        if isinstance(value, Tensor):
            value = value._data
        elif isinstance(value, np.generic) and chosen:
            value = np.asarray(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind not in "fciub":
            if value.dtype.kind == "O":
                refuse_no_numbers(value)
            return value  # text beside the numbers
        elif not isinstance(value, np.ndarray):
            is_number = isinstance(value, (int, float, complex)) and not isinstance(value, bool)
            if not (is_number and (chosen or isinstance(value, numbers))):
                if chosen:
                    raise FormulaError(
                        f"{name} is of type {type(value).__name__!r}, which cannot be differentiated with respect to",
                        "It was asked for by argnums.", "Pass an array, a tensor, a symbol or a number.",
                    )  # fmt: skip
                return value
            value = np.asarray(value, default_dtype() if not isinstance(value, complex) else None)
        return self._named(value.astype(default_dtype()) if chosen and value.dtype.kind in "iub" else value, name)

    def _symbol(self, value: Symbol, name: str, lengths: dict[str, int], chosen: bool) -> Symbol:
        facts = facts_of(value)
        if facts is not None and lengths:
            value = with_sizes(value, lengths) if self.exchange is None else self.exchange(value)
        if not chosen:
            return value
        if facts is not None and sum(v is value or v.name == value.name for v in self._symbols()) <= 1:
            return value
        stand_in = self._named(value._data, name)
        variable = with_sizes(stand_in, {}, named_shape(value))
        self.values[variable.name] = value
        return variable

    def _caught(self, value: Any, name: str) -> Any:
        if isinstance(value, Tensor):
            return self._named(value._data, name)
        return self._in(self._named(value, name))

    def _in(self, t: Any) -> Any:
        return as_argument(t) if self.arrays else t

    def _named(self, data: np.ndarray, name: str) -> Tensor:
        k, base = 1, name
        while name in self.used:
            name, k = f"{base}_{k}", k + 1
        self.used.add(name)
        data = data.copy()  # the formula keeps the numbers it was made with
        t = wrap(data, LEAF if data.dtype.kind in "fc" else None)
        t.name = name
        return t


def _has_key(path: tuple[Any, ...]) -> bool:
    return bool(path) and isinstance(path[0], str) and path[0].isidentifier()


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and type(leaf) is not Symbol


def _agree(a: Tensor, b: Tensor) -> bool:
    """Whether the function did the same on named data: NumPy's methods and tensors' do not always mean the same."""
    return a._data.shape == b._data.shape and bool(np.allclose(a._data, b._data, rtol=1e-6, atol=1e-9, equal_nan=True))


def _title(f: Any) -> str:
    return getattr(f, "__name__", None) or repr(f)


def is_partial(f: Any) -> bool:
    """Whether calling it is calling its function, which a class of the user's may do otherwise."""
    return isinstance(f, functools.partial) and type(f).__call__ is functools.partial.__call__


def unwrapped(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A `functools.partial` as the function it is made of, with all arguments and the number of those in front."""
    front = 0
    while is_partial(f):
        args, kwargs, front = (*f.args, *args), {**f.keywords, **kwargs}, front + len(f.args)
        f = f.func
    return f, args, kwargs, front


def of_text(text: str) -> str:
    """The next step of who gave a text in place of a function."""
    return f"A text is read by sg.parse: sg.parse({text[:40]!r})."


def require_callable(f: Any, what: str) -> Callable[..., Any]:
    """Raise unless ``f`` is a function; a formula has its derivatives itself."""
    if isinstance(f, Formula):
        raise FormulaError(
            f"{what} takes a function, got a formula", "A formula is called with names, and nothing is recorded.",
            "Its derivatives are f.grad(…) and f.hessian(…); what is called is a function: lambda x: ….",
        )  # fmt: skip
    if not callable(f):
        evidence, step = "", "Pass a function of arrays: lambda x: sg.sin(x).sum()."
        if isinstance(f, Tensor):
            evidence, step = "A tensor has its formula itself.", "Write t.formula()."
        elif isinstance(f, str):
            step = f"A derivative is sg.parse({f[:40]!r}).grad(…); what is called is a function: lambda x: …."
        raise FormulaError(f"{what} takes a function, got {type(f).__name__!r}", evidence, step)
    return f

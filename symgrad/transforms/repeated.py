"""Derivatives that are asked for again and again: of a function that is known through and through, a compiled one."""

from __future__ import annotations

import math
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from time import perf_counter
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._config import default_dtype
from .._errors import refusal
from .._limits import bound
from ..core import Tensor, edge, listening, modes, reachable, wrap
from ..core.storage import layout
from .calls.call_arguments import Arguments
from .calls.reads import NOTHING, KnownFunction, NoKey
from .calls.run import Run
from .calls.tree import Spec, flatten, tree_map
from .compiled.quick import compiler
from .loops.recurrences import AS_FOR_PROGRAMS, rolled

Afterwards = partial
"""What is to be done when the function has run, of the seconds that it took."""

_PLAIN = frozenset([None, tuple, list, dict, OrderedDict])
_DOUBLE, _SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_BYTES_A_SECOND = 5e9  # no memory is read faster
_SHARE = 0.25  # of a call, which comparing what it reads may take


class _Ready(NamedTuple):
    """A compiled derivative, for which arguments it is, what its function read, and whether Python decides in it."""

    key: Any
    known: KnownFunction
    way: Any
    dtype: Any
    branches: bool
    held: _Held

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the compiled derivative takes."""
        return (*self.held.without(args), *self.known.inputs)


class _Held(NamedTuple):
    """Arguments that are a part of a program, by place: numbers that count or choose, which a program has written out;
    at other ones it is another program."""

    values: dict[int, Any]

    @classmethod
    def of(cls, args: tuple[Any, ...], chosen: tuple[int, ...]) -> _Held:
        return cls({k: _own(a) for k, a in enumerate(args) if k not in chosen and _counts(a)})

    def without(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The other arguments."""
        return tuple([a for k, a in enumerate(args) if k not in self.values]) if self.values else args

    def argnums(self, argnums: Any) -> Any:
        """The numbers of arguments among the others."""
        if type(argnums) is tuple:
            return tuple(map(self.argnums, argnums))
        return argnums - len([k for k in self.values if k < argnums])

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of the other arguments."""
        if not self.values:
            return function

        def held(*others: Any) -> Any:
            rest, values = iter(others), self.values
            count = len(others) + len(values)
            return function(*[values[k] if k in values else next(rest) for k in range(count)])

        return held


class _CheckedRun:
    """A program that asks for memory at each call, or is given a number."""

    def __init__(self, compiled: Any, made: Any) -> None:
        self.compiled, self.made = compiled, made

    def function(self, *args: Any) -> Any:
        """The results as the caller gets them; None where the program has none."""
        results = self.compiled._run(self.made, args)
        return None if results is None else self.made.form(results)


class _ByPrograms:
    """A program of containers, or of tensors; or the programs of a function through which Python takes several ways."""

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.function = compiled, compiled.by_programs


REPEATED_RUNS = bound(10)
"""Runs of the function that making it takes beside, to trace it and to compare: it is awaited that a quarter of
all that was spent on calls."""
REPEATED_DENSE = bound(3000)
"""Rows of a dense matrix up to which it has a compiled program by itself."""
REPEATED_STEPS = bound(1000)
"""Recorded steps up to which it is made: a program takes about a millisecond for each."""
REPEATED_READ = bound(1 << 18)
"""Bytes of the arrays that it reads and that are compared at each call; more where comparing them takes less than
a quarter of a call."""
REPEATED_KEPT = bound(1 << 26)
"""Bytes that programs keep of what their functions read, together, where only the function is the caller's."""


class Repeated:
    """The compiled derivative of one function at arguments of the shapes that it has just now.

    Parameters
    ----------
    function, argnums, format : as of the transform
    outputs : as of `sg.compile`
    """

    outputs: str
    argnums: Any
    format: str

    def __init__(self, function: Callable[..., Any], outputs: str, argnums: Any, format: str = "dense") -> None:
        self._hold(function)
        self.outputs, self.argnums, self.format = outputs, argnums, format
        self._ready: _Ready | None = None
        self._watched: KnownFunction | None = None  # what the function read when half of the calls were made
        self._key: Any = None
        self._calls, self._spent, self._started = 0, 0.0, math.inf
        by_number = type(argnums) is int or (type(argnums) is tuple and all(type(k) is int for k in argnums))
        self._wait = float(_limits.REPEATED) if by_number else math.inf  # calls, or ...
        self._seconds = _limits.REPEATED_MS / 1000  # ... seconds of a few

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_function": self.function, "_ready": None, "_watched": None, "_key": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._hold(state["_function"])

    def _hold(self, function: Callable[..., Any]) -> None:
        self._function: Any = weakref.ref(function) if type(function) is FunctionType else lambda: function

    @property
    def function(self) -> Any:
        """What is differentiated; a function of the user's is its transform's, and lives as long as that."""
        return self._function()

    def __call__(self, owner: Any, args: tuple[Any, ...]) -> Any:
        """The derivative, as the transform returns it; where the function is to be run None, or what then is to do."""
        ready = self._ready
        if ready is None:
            self._calls += 1
            self._started = math.inf
            if not self._is_due(0.5):  # nothing else is asked of the first half of the calls
                self._started = perf_counter()
                return None
        if not _undisturbed():
            return None
        if owner.function is not self.function or owner.argnums != self.argnums or owner.format != self.format:
            self._hold(owner.function)
            self.argnums, self.format = owner.argnums, owner.format
            self._begin(None)
            return None
        key = self._key_of(args)
        if ready is None or ready.key != key:
            return self._made_when_due(key, args)
        if not ready.known.unchanged() or default_dtype() is not ready.dtype:
            self._begin(None, 4)
            return None
        if not self._is_finite(args):
            return None
        found = ready.way.function(*ready.inputs(args))
        if found is None and ready.branches:
            self._started = perf_counter()
            return Afterwards(self._learn, ready, args, _numbers(ready.known, args))
        return found

    def _learn(self, ready: _Ready, args: tuple[Any, ...], before: Any, seconds: float) -> None:
        """Make a program of the way through the function that it took: it had none."""
        if not _left_nothing(ready.known, args, before):
            self._begin(None, 4)
            return
        refused = refusal.get()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                inputs = tuple(map(_unwritable, ready.known.inputs))
                others = tree_map(_own, ready.held.without(args))
                is_of_use = ready.way.compiled.learn((*others, *inputs), seconds)
        except Exception:  # as where the first program is made
            refusal.set(refused)
            is_of_use = False
        if not is_of_use:
            self._begin(None)
            self._wait = math.inf

    def _is_finite(self, args: tuple[Any, ...]) -> bool:
        """Whether all numbers are that are differentiated."""
        x = _data(args[self.argnums]) if type(self.argnums) is int else None
        if type(x) is np.ndarray or type(x) is float:
            return math.isfinite(np.vdot(x, x))
        chosen = flatten(tuple([args[k] for k in self._chosen]))[0]
        return all(math.isfinite(np.vdot(a, a)) for a in map(_data, chosen))

    @property
    def kept(self) -> int:
        """Bytes of what the function read, which its program holds."""
        known = self._watched
        return 0 if known is None else known.bytes + sum([a.nbytes for a in known.inputs])

    @property
    def _chosen(self) -> tuple[int, ...]:
        return (self.argnums,) if type(self.argnums) is int else self.argnums

    def ran(self, after: Any) -> None:
        """Note that the function was run since the last call, and do what was to do after it."""
        seconds = max(0.0, perf_counter() - self._started)
        self._spent += seconds
        self._started = math.inf
        if after is not None:
            after(seconds)

    @property
    def _each(self) -> float:
        """Seconds that a call took."""
        return self._spent / max(self._calls, 1)

    def _is_due(self, share: float) -> bool:
        """Whether a share of the calls, or of the time, is over after which a program is made."""
        return self._calls >= share * self._wait or (
            self._spent >= share * self._seconds and self._calls >= _limits.REPEATED_CALLS * share
            and self._wait < math.inf
        )  # fmt: skip

    def _key_of(self, args: tuple[Any, ...]) -> Any:
        """What tells calls apart that have programs of their own; None for a call that has none."""
        key: list[Any] = []
        for k, a in enumerate(args):
            if type(a) is np.ndarray or (type(a) is Tensor and a._node is None):
                mark = _mark(_data(a))
                if mark is None and k not in self._chosen:
                    mark = _content(a)
                if mark is None:
                    return None
                key.append((type(a), mark))
            elif (type(a) is float or type(a) is np.float64) and k == self.argnums:
                key.append(float)
            elif k not in self._chosen and _counts(a):
                key.append((type(a), a))
            else:
                return self._key_of_trees(args)
        return key

    def _key_of_trees(self, args: tuple[Any, ...]) -> Any:
        """The same of containers, and of tensors that nobody else differentiates."""
        held = {k: a for k, a in enumerate(args) if k not in self._chosen and _counts(a)}
        leaves, spec = flatten(tuple([a for k, a in enumerate(args) if k not in held]))
        if not _is_plain(spec):
            return None
        key: list[Any] = [spec]
        for k, a in held.items():
            mark = (a,) if type(a) in _COUNTS else _content(a)
            if mark is None:
                return None
            key.append((k, type(a), mark))
        for leaf in leaves:
            kind, is_own = type(leaf), type(leaf) is Tensor and leaf._node is None
            mark = _mark(leaf._data if is_own else leaf) if is_own or kind is np.ndarray else None
            if mark is None:
                return None
            key.append((kind, mark))
        return key

    def _begin(self, key: Any, longer: int = 1) -> None:
        """Count from here on: something has changed, and it is awaited whether it stays as it is."""
        self._ready = self._watched = None
        self._key, self._calls, self._wait = key, 0, longer * self._wait
        self._spent, self._seconds = 0.0, longer * self._seconds

    def _made_when_due(self, key: Any, args: tuple[Any, ...]) -> Any:
        """None; but where a program is to be made, what makes it when the function has run.

        What the function reads is looked at after half of the calls, before the last of them and after it: what a run
        leaves behind shows.
        """
        self._started = perf_counter()
        if key is None or not all(0 <= k < len(args) for k in self._chosen):
            return None
        if self._key is None:
            self._key = key
        if key != self._key:
            self._begin(key)
        watched = self._watched
        if watched is None and self._is_due(0.5):
            self._watched = watched = self._known()
            _expect_room(self)
        if watched is None or not self._is_due(1.0):
            return None
        began = perf_counter()
        if not watched.unchanged():
            self._begin(key, 4)
            return None
        if watched.bytes > REPEATED_READ and perf_counter() - began > _SHARE * self._each:
            self._wait = math.inf  # comparing what it reads would take much of what it saves
            return None
        before, self._started = _numbers(watched, args), perf_counter()
        return Afterwards(self._make, key, watched, args, before)

    def _make(self, key: Any, watched: KnownFunction, args: tuple[Any, ...], before: Any, seconds: float) -> None:
        """Make the program, if the function left nothing behind, neither in what it reads nor in its arguments."""
        if not _left_nothing(watched, args, before):
            self._begin(key, 4)
            return
        held = _Held.of(args, self._chosen)
        function, inputs = held.function(watched.at_inputs(len(args))), tuple(map(_unwritable, watched.inputs))
        given = held.without(args), inputs
        needed = self._seconds_to_make(function, given, held.argnums(self.argnums))
        if self._calls < self._wait and self._spent < needed / 4 < math.inf:
            self._seconds = needed / 4
            return
        ready = self._made(key, watched, function, given, held) if needed < math.inf else None
        self._ready = ready
        if ready is None:
            self._wait = math.inf

    def _known(self) -> KnownFunction | None:
        """The function, as it is now; None if it is not known through and through."""
        readable = _BYTES_A_SECOND * self._each
        # of what is compared a program has computed beforehand what it can
        large = 0.01 * _limits.REPEATED_CONSTANT * readable
        try:
            known = KnownFunction(self.function, max(REPEATED_READ, readable), large)
        except (NoKey, RecursionError):
            self._wait = math.inf
            return None
        return known

    def _made(
        self, key: Any, known: KnownFunction, function: Callable[..., Any], given: tuple[Any, ...], held: _Held
    ) -> _Ready | None:
        """The compiled derivative, if it does what the tape does."""
        refused = refusal.get()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # whatever it is, the tape says it
                args = (*tree_map(_own, given[0]), *given[1])
                compiled = compiler.compiled(function, self.outputs, held.argnums(self.argnums), self.format)
                compiled.most_recorded = REPEATED_STEPS  # where a loop that was to be one has too long a step
                for _ in range(2):  # the first is compared with the tape, the second finds the way for calls like it
                    compiled(*args)
                made = compiled._find(args, {})[0]
            if made is None or made.program.refused or not made.program.checked or not known.unchanged():
                return None
            zero = getattr(made.program, "zero", "")  # of which each call warns
            branches = made.decided is not None  # each way has a program
            whole = _ByPrograms(compiled) if branches or type(key[0]) is Spec else _CheckedRun(compiled, made)
            way = whole if branches else compiled._last or whole
            return None if zero else _Ready(key, known, way, default_dtype(), branches, held)
        except Exception:  # whatever is the matter with the function, the tape runs it, and says what
            refusal.set(refused)
            return None

    def _seconds_to_make(self, function: Callable[..., Any], given: tuple[Any, ...], argnums: Any) -> float:
        """About how long a program is made; infinite where it is too long, or a dense matrix is most of the work and of
        the memory: comparing takes two more."""
        args, inputs = given
        chosen = argnums if type(argnums) is tuple else (argnums,)
        total = sum([np.size(_data(a)) for a in flatten(tuple([args[k] for k in chosen]))[0]])
        if self.outputs == "h" and self.format == "dense" and total > REPEATED_DENSE:
            return math.inf
        kind, own = "jacobian" if self.outputs == "j" else "hessian", tree_map(_own, args)
        try:
            output = Run(kind, Arguments(function, (*own, *inputs), {}, argnums)).output
        except Exception:  # the run says what is the matter
            return math.inf
        if any(_bytes(a) != _bytes(b) for a, b in zip(flatten(args)[0], flatten(own)[0], strict=True)):
            return math.inf  # whoever writes to arguments has no program
        count = 0 if output._node is None else len(reachable([edge(output)])[0])
        if count > REPEATED_STEPS and self.outputs != "j":
            output = rolled(output, AS_FOR_PROGRAMS)
            count = len(reachable([edge(output)])[0])
        if not 0 < count <= REPEATED_STEPS:
            return math.inf
        return 1e-3 * count + REPEATED_RUNS * self._each


# ------------------------------------- ``sg.grad(f)(x)``, written where it is called: the function's, not a transform's

# The idea to hold: a loop that says ``sg.grad(loss)(w)`` makes a new transform at each round, of one function. Its
# calls are counted, and its program kept, for that function, as long as it lives. A program holds what its function
# read, and so the function; where all of them would keep too much, the last is left to its transform.


_FUNCTIONS = bound(32)
"""Functions whose programs are kept where no transform of theirs is."""
_of_functions: dict[Any, Repeated | None] = {}  # without a lock: each step of it is one of a dictionary's own
"""The oldest first; None where what one read was too much to be kept: each transform has its own."""


def repeated_of(function: Callable[..., Any], outputs: str, argnums: Any, format: str) -> Repeated:
    """The one of all transforms that compute the same of a function of the user's; of other callables a new one."""
    new = Repeated(function, outputs, argnums, format)
    if type(function) is not FunctionType or not (type(argnums) is int or argnums is None):
        return new
    key = (id(function), outputs, argnums, format)
    found: Any = _of_functions.get(key, NOTHING)
    if found is NOTHING:
        weakref.finalize(function, _of_functions.pop, key, None).atexit = False
        for oldest in list(_of_functions)[: max(0, len(_of_functions) + 1 - _FUNCTIONS)]:
            _of_functions.pop(oldest, None)
    elif found is None:
        return new
    elif found.function is function and (found.argnums, found.format) == (argnums, format):
        return found  # nobody gave its transform another function
    _of_functions[key] = new
    return new


def _expect_room(repeated: Repeated) -> None:
    """Leave a program to its transform where all that are kept for functions would keep too much."""
    there = list(_of_functions.items())  # other threads add to it meanwhile
    key = next((key for key, known in there if known is repeated), None)
    if key is not None and sum([known.kept for _, known in there if known]) > REPEATED_KEPT:
        _of_functions[key] = None


def _is_plain(spec: Spec) -> bool:
    """Whether containers are Python's own: others read what they like, in methods by whatever name and in operators."""
    return spec.kind in _PLAIN and {str, int}.issuperset(map(type, spec.names)) and all(map(_is_plain, spec.parts))


def _data(value: Any) -> Any:
    return value._data if type(value) is Tensor else value


def _mark(a: np.ndarray) -> Any:
    """What tells arrays apart that have programs of their own; None for one that has none."""
    if a.dtype is not _DOUBLE and not (a.dtype == _SINGLE and a.dtype.isnative):
        return None
    order = layout(a)
    if order is not None and not a.flags.f_contiguous:  # a copy has another one
        return None
    return a.shape, a.dtype, order


_COUNTS = frozenset([int, bool, np.int64, np.bool_])


def _counts(a: Any) -> bool:
    """Whether an argument counts or chooses."""
    return type(a) in _COUNTS or (type(a) is np.ndarray and a.dtype.kind in "iub")


def _content(a: Any) -> Any:
    """What tells arrays of these apart; None for others, and for a large one."""
    return (a.shape, a.dtype, a.tobytes()) if _counts(a) and a.nbytes <= REPEATED_READ else None


def _bytes(value: Any) -> Any:
    value = _data(value)
    return value.tobytes() if type(value) is np.ndarray else value


def _numbers(known: KnownFunction, args: tuple[Any, ...]) -> list[Any]:
    """The numbers of the arguments and of what is not compared at each call."""
    return list(map(_bytes, (*flatten(args)[0], *known.inputs)))


def _left_nothing(known: KnownFunction, args: tuple[Any, ...], before: list[Any]) -> bool:
    """Whether what a function reads, and what it was given, is as it was before it ran."""
    return known.unchanged() and before == _numbers(known, args)


def _own(value: Any) -> Any:
    """A copy of an array that nobody can write to: a function that does has no program."""
    if type(value) is Tensor:
        return wrap(_own(value._data))
    return _unwritable(value.copy(order="K")) if type(value) is np.ndarray else value


def _unwritable(a: np.ndarray) -> np.ndarray:
    a = a.view()
    a.flags.writeable = False
    return a


def _undisturbed() -> bool:
    """Whether nobody is to see what a function does while it runs: no other transform, no anomaly mode."""
    return (
        modes.mode.get() in (modes.ON, modes.OFF)
        and modes.running.get() is None
        and modes.tracing.get() is None
        and modes.dual_level.get() is None
        and modes.on_value() == modes.ON
        and listening.get() is None
    )

"""``sg.compile``: value and derivatives of a function as one program that runs without tracing, on each of its ways."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from ... import _limits
from ..._errors import GradientError, ShapeError, SymbolicBranchError, SymgradError, refusal
from ..._limits import bound
from ..._progress import Task, rare_collections
from ...core import Carrier, Tensor, unwrap, wrap
from ...core.storage import layout
from ...programs import DIALECTS, Unprogrammable, require_numba, write_module
from ..calls.call_arguments import Argnums, Arguments, signature
from ..calls.run import Run, require_entries, require_memory
from ..calls.symbolic_run import require_callable
from ..calls.tree import flatten, flatten_call, require_one_order, unflatten, without_tables
from ..calls.variables import grad_or_none
from ..derivative import Derivative
from ..hessian import Hessian
from ..tape_route import agreement, jacobian_agrees, noise
from .quick import agree, compiler, parts_of, straight
from .structure import ArgumentSlot, Maker, argument_mark, is_array, places_of
from .targets import CompiledFor, ShownProgram

# --------------------- The programs of a function through which Python takes more than one way: it branches on values

# The idea to hold: a program knows what Python decided when it was traced, and has no numbers where Python would decide
# otherwise. Then another one is asked, or made; the tape goes every way.


WAYS_MISSED = bound(16)
"""Calls in a row that went a way without a program, after which the tape is asked at once."""


FLOATS_SEEN = bound(3)
"""Programs of other floats after which a float is an input."""


class WaysThrough:
    """The programs for one structure of arguments, the one that held last first.

    Parameters
    ----------
    make : makes the program of the way that is taken at some arguments
    args, kwargs : the first of these
    """

    def __init__(self, make: Callable[[Any, Any], Any], args: Any, kwargs: Any) -> None:
        self._make = make
        began = perf_counter()
        self.programs: list[Any] = [make(args, kwargs)]
        self._cost = perf_counter() - began
        self._spent = 0.0  # by the tape, where no program held
        self._missed = self._in_vain = 0

    @property
    def first(self) -> Any:
        return self.programs[0]

    def found(self, run: Callable[[Any], Any]) -> Any:
        """The results by another program than the first, which comes first from now on; None if there is none."""
        for k, made in enumerate(self.programs[1:], 1):
            results = None if made.program.refused else run(made)
            if results is not None:
                self.programs.insert(0, self.programs.pop(k))
                self._missed = 0
                return results
        return None

    def another(self, run: Callable[[Any], Any], args: Any, kwargs: Any) -> Any:
        """The results by a new program, for a way that has none; None if it is not made, or not yet.

        It is when the tape has taken a quarter of the time that this needs; at once where it is short.
        """
        self._missed += 1
        if self._missed > WAYS_MISSED:
            self.first.program.refused = "Python goes another way through the function at nearly every call"
            return None
        awaited = self._cost - _limits.WAY_MS / 1000
        if 4 * self._spent < awaited or len(self.programs) + self._in_vain >= _limits.WAYS:
            return None
        return self._new(run, args, kwargs)

    def _new(self, run: Callable[[Any], Any], args: Any, kwargs: Any) -> Any:
        """The results by the program of the way that Python takes here."""
        refused = refusal.get()
        try:
            made = self._make(args, kwargs)
        except SymgradError:  # this way has no program
            refusal.set(refused)
            self._in_vain += 1
            return None
        if any(made.decided == other.decided for other in self.programs):  # a tie, or a number that is not finite
            self._in_vain += 1
            return None
        self.programs.insert(0, made)
        self._spent = 0.0
        return run(made)

    def by_tape(self, run: Callable[[], Any]) -> Any:
        """What the tape computes, its time noted."""
        began = perf_counter()
        found = run()
        self.note(perf_counter() - began)
        return found

    def note(self, seconds: float) -> None:
        """Note what the tape took where no program held."""
        self._spent += seconds


# ----------------------- ``sg.compile``: value and derivatives of a function as one program that runs without tracing

# The idea to hold: the function is run once per structure of arguments (shapes, dtypes, numbers), on symbols, so that
# nothing can depend on a value unseen: ``if x > 0`` raises. From then on only the program runs. What the function
# catches from its surroundings is part of the program, as it was at that run.


OUTPUTS = "fgh", "fj"
"""Of a function that returns one number, and of one that returns an array."""


class Compiled(ShownProgram):
    """A function's value and derivatives, computed by one program.

    Attributes
    ----------
    function, outputs, argnums, format, target : as they were given
    """

    outputs: str
    argnums: Argnums
    target: str

    def __init__(
        self, f: Callable[..., Any], outputs: str, argnums: Argnums, format: str, target: str = "numpy",
        is_alone: bool = True, short_loops: bool = False,
    ) -> None:  # fmt: skip
        self.function: Callable[..., Any] = require_callable(f, "sg.compile")
        if (
            not isinstance(outputs, str)
            or not outputs
            or not any(set(outputs) <= set(letters) for letters in OUTPUTS)
            or len(set(outputs)) < len(outputs)
        ):
            raise GradientError(
                "sg.compile computes 'f' (value), 'g' (gradient) and 'h' (second derivatives) of a number, 'f' and 'j' "
                f"(Jacobian) of an array; outputs={outputs!r}",
                "", "Pass outputs='fgh' or 'fj', or some of these letters, each once.",
            )  # fmt: skip
        if format not in ("dense", "csr"):
            raise GradientError(f"sg.compile has no format {format!r}", "", "Choose 'dense' or 'csr'.")
        if target == "numba":
            require_numba()
        self.outputs, self.argnums, self.format, self.target = outputs, argnums, format, target
        self.of_array: bool = "j" in outputs or outputs == "f"  # whether the function may return an array
        self.__name__: str = f"compile({getattr(f, '__name__', type(f).__name__)})"
        known = signature(f)
        if known is not None:
            self.__signature__ = known
        self.is_alone = is_alone  # else its program is a part of another's: it has one way, and runs as the other does
        self.short_loops = short_loops  # whether lines cost more than with NumPy, so that even short loops are loops
        self.most_recorded: float = math.inf  # operations, a loop being one, beyond which making it takes too long
        self._made: dict[Any, WaysThrough] = {}
        self._last: Any = None  # the quick way of the last call
        self._free: dict[Any, frozenset[int]] = {}
        self._seen: dict[Any, list[list[Any]] | None] = {}  # the floats of which there are programs; None: part of them

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}, "_last": None, "_free": {}, "_seen": {}}  # a program is made anew there

    def __repr__(self) -> str:
        target = f", target={self.target!r}" if self.target != "numpy" else ""
        return f"{self.__name__[:-1]}, outputs={self.outputs!r}{target}, programs={len(self._programs)})"

    @property
    def _programs(self) -> list[Any]:
        """All programs: for each structure of arguments one, or one for each way through the function."""
        return [made for ways in self._made.values() for made in ways.programs]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what was asked for, in the order of ``outputs``: arrays of the arguments' shapes."""
        last = self._last
        if last is not None and not kwargs and len(args) == len(last.places):
            found = last.function(*args)
            if found is not None:
                return found
        plain = not kwargs and all(type(a) is np.ndarray for a in args)
        if not plain:
            require_one_order({**{f"argument {k}": a for k, a in enumerate(args)}, **kwargs})
            args, kwargs = without_tables((args, kwargs))
        ways, leaves = self._ways(args, kwargs)
        if ways is None or ways.first.program.refused:
            return self._eagerly(args, kwargs)
        results = self._results(ways.first, leaves)
        if results is None and ways.first.decided is not None:
            results = self._another_way(ways, leaves, args, kwargs)
            if results is None:
                return ways.by_tape(lambda: self._eagerly(args, kwargs))
        made = ways.first
        if results is not None and not made.program.checked:
            with Task(f"{self.__name__}: comparing its program with the tape"):
                self._check(made, leaves, args, kwargs)
        if results is None or made.program.refused:
            return self._eagerly(args, kwargs)
        self._last = None if kwargs else straight(made, args)
        return made.form(results)

    def by_programs(self, *args: Any) -> Any:
        """The same by a program that there is and that was compared, the function is not run; None if there is none."""
        last = self._last
        found = last.function(*args) if last is not None and len(args) == len(last.places) else None
        if found is not None:
            return found
        key, leaves = self._key(args, {})
        ways = self._made.get(key)
        if ways is None or ways.first.program.refused:
            return None
        results = self._results(ways.first, leaves)
        if results is None and ways.first.decided is not None:
            results = ways.found(partial(self._results, leaves=leaves))
        if results is None or not ways.first.program.checked:
            return None
        self._last = straight(ways.first, args)
        return ways.first.form(results)

    def learn(self, args: tuple[Any, ...], seconds: float) -> bool:
        """Make a program of the way that Python takes here, if that is worth it, where the tape took so many seconds;
        whether there is any use in asking for programs."""
        ways, leaves = self._ways(args, {})
        if ways is None:
            return False
        ways.note(seconds)
        results = self._another_way(ways, leaves, args, {})
        if results is not None and not ways.first.program.checked:
            self._check(ways.first, leaves, args, {})
        return not ways.first.program.refused

    def _another_way(self, ways: WaysThrough, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        """The results by a program of the way that Python takes here: one that there is, or a new one."""
        run = partial(self._results, leaves=leaves)
        results = ways.found(run)
        return ways.another(run, args, kwargs) if results is None else results

    def _results(self, made: Any, leaves: list[Any]) -> Any:
        """What a program computes, the quickest way; None where it has no finite numbers."""
        checked = made.program.checked
        results = made.quick(leaves) if checked and made.quick is not None else None
        return self._run(made, leaves, made.fused if checked else None) if results is None else results

    def _run(self, made: Any, leaves: list[Any], module: Any = None) -> Any:
        n = made.program.total
        if n > _limits.COMPILED_DENSE and made.program.of_matrix and self.format == "dense":
            if "j" in self.outputs:
                require_entries(made.program.assembly.height, n, made.dtype)
            else:
                require_memory(n, made.dtype)
        try:
            return made.program.run(made.values(leaves), module)
        except np.linalg.LinAlgError:  # a singular matrix: the tape says so in the user's words, or has a derivative
            return None

    def _find(self, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
        """The program for these arguments; None if others want to differentiate what comes out."""
        ways, leaves = self._ways(args, kwargs)
        return None if ways is None else ways.first, leaves

    def _ways(self, args: Any, kwargs: Any) -> tuple[WaysThrough | None, list[Any]]:
        """The same with those for other ways through the function, and all arrays and numbers among the arguments."""
        key, leaves = self._key(args, kwargs)
        if key is None:
            return None, leaves
        ways = self._made.get(key)
        if ways is None and self._let_vary(leaves, args, kwargs):
            key = self._key(args, kwargs)[0]
            ways = self._made.get(key)
        if ways is None:
            ways = self._made[key] = WaysThrough(self._made_at, args, kwargs)
        return ways, leaves

    def _let_vary(self, leaves: list[Any], args: Any, kwargs: Any) -> bool:
        """Whether plain floats become inputs, of which there are others at every call: the third time that a program
        would be made for them, if one can be that does not hang on what they are."""
        kinds = self._kinds(args, kwargs)[1]
        before, seen = self._free.get(kinds), self._seen.setdefault(kinds, [])
        single = any(a.dtype.kind == "f" and a.dtype != np.float64 for a in leaves if is_array(a))  # floats beside too
        if not self.is_alone or before is None or seen is None or single:
            return False
        floats = [a if isinstance(a, float) and k not in before else None for k, a in enumerate(leaves)]
        if floats in seen:
            return False
        seen.append(floats)
        varied = [k for k, column in enumerate(zip(*seen)) if len(set(column)) > 1]
        if len(seen) < FLOATS_SEEN or not varied:
            return False
        refused, self._free[kinds] = refusal.get(), before.union(varied)
        try:
            ways = WaysThrough(self._made_at, args, kwargs)
            key, leaves = self._key(args, kwargs)
            results = self._results(ways.first, leaves)
            others = [w.first for w in self._made.values()]
            branches = ways.first.decided is not None and any(other.decided is None for other in others)
            is_other = branches or all(other.of_value != ways.first.of_value for other in others)
            if is_other or results is None or self._agrees(ways.first, leaves, args, kwargs) is not True:
                raise GradientError("it decides, has another dtype, or its program and the tape disagree")
        except Exception:  # it hangs on what they are: they stay part of a program
            refusal.set(refused)
            self._free[kinds], self._seen[kinds] = before, None
            return False
        self._made[key], self._seen[kinds] = ways, []
        return True

    def _key(self, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
        """What tells arguments apart that have programs of their own, None for those that others differentiate; and all
        arrays and numbers among them."""
        if not kwargs and all(type(a) is np.ndarray for a in args):
            return tuple([(a.shape, a.dtype.str, layout(a)) for a in args]), list(map(unwrap, args))
        if any(isinstance(a, Carrier) for a in flatten((args, tuple(kwargs.values())))[0]):
            return None, []  # a function of arrays that is differentiated calls it
        (leaves, spec), kinds = self._kinds(args, kwargs)
        if any(isinstance(a, Tensor) and (type(a) is not Tensor or a._node is not None) for a in leaves):
            return None, leaves
        free = self._free.get(kinds)
        if free is None:
            free = self._free[kinds] = self._numbers_of(args, kwargs)
        key = (spec, tuple([type(a) if k in free else argument_mark(a) for k, a in enumerate(leaves)]))
        return key, list(map(unwrap, leaves))

    def _kinds(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """All leaves of the arguments and their structure; and that with which of them are arrays, and which floats,
        which may come to be inputs."""
        leaves, spec = flatten_call(args, kwargs)
        return (leaves, spec), (spec, tuple([is_array(a) or (isinstance(a, float) and "float") for a in leaves]))

    def varying(self, args: Any, kwargs: Any) -> frozenset[int]:
        """Which of all leaves are plain numbers that may change."""
        return self._free.get(self._kinds(args, kwargs)[1], frozenset())

    @rare_collections()
    def _made_at(self, args: Any, kwargs: Any) -> Any:
        if not self.of_array and isinstance(self.function, Derivative):
            self._require_number_of(self.function, args, kwargs)
        with Task(f"{self.__name__}: making its program"):
            return Maker(self, args, kwargs).made()

    def _require_number_of(self, derivative: Derivative, args: Any, kwargs: Any) -> None:
        """Raise if what is to be differentiated is a derivative that is an array: seen before it is traced."""
        call = Arguments(derivative.function, args, kwargs, derivative.argnums)
        if any(np.ndim(a) for name in call.names for a in flatten(call.bound.arguments[name])[0]):
            letter = {"hessian": "h", "jacobian": "j", "value_and_grad": "fg"}.get(derivative.kind, "g")
            raise ShapeError(
                f"sg.compile differentiates functions that return one number; this one, sg.{derivative.kind}, returns "
                f"an array", f"It was asked for {self.outputs!r} of it.",
                f'Compile the function itself, sg.compile(f, "{letter}"), or that alone, '
                f'sg.compile(sg.{derivative.kind}(f), "f").',
            )  # fmt: skip

    def _numbers_of(self, args: Any, kwargs: Any) -> frozenset[int]:
        """Which of all leaves are plain numbers to differentiate with respect to: they may change."""
        call, places = places_of(self, args, kwargs)
        chosen = [p for name in call.names for p in flatten(places[name])[0]]
        leaves = flatten_call(args, kwargs)[0]
        return frozenset([p.number for p in chosen if isinstance(p, ArgumentSlot) and not is_array(leaves[p.number])])

    @rare_collections()
    def _check(self, made: Any, leaves: list[Any], args: Any, kwargs: Any) -> None:
        """Compare a new program with the tape, once; where they disagree, the tape is asked from now on.

        Another point shows whether anything of the first is frozen in; two decide where the first is at a kink: there
        the program and the tape may differ, and both be right.
        """
        agrees = self._agrees(made, leaves, args, kwargs)
        elsewhere: list[bool | None] = []
        while len(elsewhere) < (1 if agrees and True in elsewhere else 2):
            elsewhere.append(self._agrees_at(made, made.moved(leaves, len(elsewhere) + 1), args, kwargs))
        if False in elsewhere:
            agrees = False
        elif agrees is False and None not in elsewhere:
            agrees = True
        if agrees is False:
            made.program.refused = "its program and the tape disagree"
            warnings.warn(
                f"{self.__name__}: its program and the tape disagree at this point, so the tape is asked from now on",
                RuntimeWarning, stacklevel=3,
            )  # fmt: skip
        made.program.checked = bool(agrees)
        if agrees and not agree(made, lambda point, module: self._run(made, point, module), leaves):
            way = "compiled by Numba" if self.target == "numba" else "its steps on single numbers"
            warnings.warn(
                f"{self.__name__}: {way} and its program of arrays disagree, so NumPy's arrays are taken",
                RuntimeWarning, stacklevel=3,
            )  # fmt: skip
            made.quick = made.fused = None

    def _agrees_at(self, made: Any, leaves: list[Any], args: Any, kwargs: Any) -> bool | None:
        """The same at another point, which the function need not be defined for."""
        given, spec = flatten_call(args, kwargs)
        there = [wrap(a) if type(mine) is Tensor else a for a, mine in zip(leaves, given, strict=True)]
        args, items = unflatten(spec, there)
        try:
            with np.errstate(all="ignore"):
                return self._agrees(made, leaves, args, dict(items))
        except Exception:
            return None

    def _agrees(self, made: Any, leaves: list[Any], args: Any, kwargs: Any) -> bool | None:
        """Whether the program's results are the tape's; None if there is nothing to compare."""
        results = self._run(made, leaves)
        if results is None:  # Python may go another way here, which need not end
            return None
        call = Arguments(self.function, args, kwargs, self.argnums)
        run = Run("jacobian" if self.of_array else "hessian", call)
        output, tensors = run.output, run.variables.tensors
        found = dict(zip(sorted(self.outputs), results, strict=True))
        pairs = [(found["f"], output._data)] if "f" in found else []
        if "g" in found:
            first = (
                [None] * len(tensors) if output._node is None else grad_or_none([output], tensors, [None], False, True)
            )
            pairs += list(zip(parts_of(found["g"]), [0.0 if g is None else g._data for g in first], strict=True))  # type: ignore[misc]
        verdicts: list[bool | None] = [_close(mine, truth, output, made.coarsest) for mine, truth in pairs]
        if "f" in found:  # where nothing is defined, a program must not be cleverer
            verdicts.append(bool(np.isnan(output._data).any() == np.isnan(found["f"]).any()))
        if "h" in found and output._node is not None:
            verdicts.append(agreement(found["h"], output, tensors, made.coarsest))
        if "j" in found:
            verdicts.append(jacobian_agrees(found["j"], output, tensors, made.coarsest))
        return False if False in verdicts else None if None in verdicts else True

    def _eagerly(self, args: Any, kwargs: Any) -> Any:
        """The same by the tape: where a number on the way of the program is not finite, or others differentiate it."""
        found = {}
        if self.of_array:
            run = Run("jacobian", Arguments(self.function, args, kwargs, self.argnums))
            found["f"] = run.leave(run.returned())
        if "j" in self.outputs:
            found["j"] = Derivative("jacobian", self.function, self.argnums, format=self.format).by_recording(
                args, kwargs
            )
        elif not self.of_array and set(self.outputs) != {"h"}:
            call = Arguments(self.function, args, kwargs, self.argnums)
            found["f"], found["g"] = Run("value_and_grad", call, listed=True).result()
        if "h" in self.outputs:
            found["h"] = Hessian(self.function, self.argnums, self.format).by_recording(args, kwargs)
        wanted = tuple([found[letter] for letter in self.outputs])
        return wanted if len(wanted) > 1 else wanted[0]

    def _text(self, args: Any, kwargs: Any) -> str:
        made = self._known(args, kwargs)[0]
        return made.program.shown().text(made.words, made.compiled)

    def _write(self, path: Any, args: Any, kwargs: Any) -> None:
        made, leaves = self._known(args, kwargs)
        if not made.program.checked:
            self._check(made, leaves, args, kwargs)
        if made.program.refused:
            raise Unprogrammable(made.program.refused)
        if made.decided is not None:
            raise SymbolicBranchError(
                f"{self.__name__} branches on a value, and a file is the program of one way through it", "",
                "Use sg.where(condition, a, b).",
            )  # fmt: skip
        values, whole = made.named(leaves), made.program.shown()
        given = {name: made.words[name] for name in made.given}
        results = made.program.run([values[name] for name, _ in made.program.whole.arguments])
        values |= whole.caught
        dtypes = [made.dtypes_of(letter) for letter in self.outputs]
        write_module(path, whole, values, given, self.__name__, made.order, results, made.compiled, dtypes)

    def _known(self, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
        made, leaves = self._find(args, kwargs)
        if made is None:
            raise GradientError(
                f"{self.__name__} makes programs for arrays", "An argument has a history, or is a symbol.",
                "Pass arrays; sg.formula gives formulas.",
            )  # fmt: skip
        return made, leaves


compiler.compiled = Compiled


def _close(mine: Any, truth: Any, output: Tensor, dtype: Any) -> bool | None:
    """Whether two results are the same but for rounding, where they are finite; None if nowhere."""
    mine, truth = np.broadcast_arrays(mine, truth)
    finite = np.isfinite(truth) & np.isfinite(mine)
    if not finite.any() and finite.size:
        return None
    value = float(np.abs(output._data).max(initial=0, where=np.isfinite(output._data)))
    size = np.abs(truth).max(initial=0, where=finite) + (1e-3 * value if np.isfinite(value) else 0.0)
    tolerance = np.sqrt(np.finfo(dtype).eps) * size + noise(value, dtype)
    return bool((np.abs(mine - truth)[finite] <= tolerance).all())


def targets() -> tuple[str, ...]:
    """What programs can be written in."""
    return "numpy", "numba", *DIALECTS


def compile(
    f: Callable[..., Any], outputs: str = "fgh", argnums: Argnums = 0, format: str = "dense", target: str = "numpy"
) -> Compiled | CompiledFor:
    """Return a function that computes value and derivatives of ``f`` by one program.

    Parameters
    ----------
    f : function of arrays that returns one number; for a Jacobian one that returns an array
    outputs : what to compute, and in which order: 'f' the value, 'g' the gradient, 'h' the second derivatives; of an
        array 'f' and 'j', the Jacobian, in the forms of `jacobian`. 'f' alone compiles any function, derivatives and
        products with them among these: ``lambda x, v: sg.hvp(f, x, v)``, ``sg.hessian(f)``
    argnums : as in `grad`
    format : 'dense', or 'csr' for a SciPy sparse matrix
    target : what the program is written in: 'numpy'; 'numba' for one whose loops Numba compiles; 'jax' or 'torch' for a
        function of that library's arrays, to be traced, mapped and differentiated there

    Returns
    -------
    Compiled, a function of the same arguments, which returns a tuple (one result for one letter). ``.code(*args)`` is
    its source, ``.save(path, *args)`` writes it to a file that runs without symgrad.

    Raises
    ------
    SymbolicBranchError : what ``f`` does hangs on a number (``float(x)``, ``x[x > 0]``), on chance or on ``detach``: a
        program is made once, for all values; for JAX and PyTorch on a condition (``if x > 0``) too
    GradientError : an operation of ``f`` has no program
    MissingDependencyError : the target is not installed

    Notes
    -----
    Cost: ``f`` is run once per structure of arguments (shapes, dtypes, numbers that are not arrays: floats up to three
    times, then they are inputs too, unless a branch, a size or a count hangs on them); every other call only runs the
    program, in which value, gradient and second derivatives share their terms. Arrays that ``f`` catches from its
    surroundings are taken as they are at that run: compile again when they have changed.

    A loop stays a loop: its step has a program, and what is around it another; with Numba the steps run compiled, with
    JAX they are ``lax.scan``. One that has no program of its step is written out, up to 256 steps.

    Where Python branches on a value (``if``, ``while``, ``break``), a program is that of one way through ``f``. It
    computes what was compared, and where Python would decide otherwise another is asked, or made: up to eight, each
    when the tape has taken a quarter of the time that this needs.

    A new program is compared with the tape, once. The tape takes over where a number on the way is not finite, where
    the function has an edge that its simplified form has not (``abs(x)**2`` at 0), and where the arguments have a
    history (other transforms around the compiled function). For JAX and PyTorch nothing takes over: there a new program
    is compared with NumPy's, and its results are NaN where the tape would be asked about an edge.

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
    >>> sg.compile(lambda x: np.stack([x[0] ** 2, x[0] * x[1]]), "fj")(np.array([1.0, 2.0]))
    (array([1., 2.]), array([[2., 0.],
           [2., 1.]]))
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
    if target not in targets():
        raise GradientError(
            f"sg.compile has no target {target!r}", "", f"Choose one of {', '.join(map(repr, targets()))}."
        )
    if target in DIALECTS:
        numpys = Compiled(f, outputs, argnums, format, is_alone=False, short_loops=DIALECTS[target].compiles)
        return CompiledFor(numpys, target)
    return Compiled(f, outputs, argnums, format, target)

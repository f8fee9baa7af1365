"""``sg.compile`` for other libraries: the same program as a function of their arrays."""

from __future__ import annotations

import contextvars
import threading
import warnings
from collections.abc import Callable, Iterator
from itertools import starmap
from typing import Any

import numpy as np

from ..._errors import GradientError
from ...core import Tensor, refuse_foreign
from ...programs import DIALECTS, NUMPY, Arrays, Unprogrammable, write_module
from ..calls.tree import flatten_call, unflatten
from .quick import parts_of
from .structure import argument_mark

# ----------------------------------------------------- What every compiled function has: its source, and a file of it

# The idea to hold: a program belongs to shapes, so that both are asked for with arguments that show them.


class ShownProgram:
    """A compiled function that shows its program: `_text` and `_write` are of its target."""

    __name__: str

    def code(self, *args: Any, **kwargs: Any) -> str:
        """Return the program's source at arguments of these shapes."""
        return self._text(args, kwargs)

    def save(self, path: Any, *args: Any, **kwargs: Any) -> None:
        """Write a Python file that computes the same without symgrad, and tests itself when it is run.

        Second derivatives are a matrix there, whose rows and columns are the entries of all variables in their order.

        Parameters
        ----------
        path : the file to write; large arrays that the function catches go beside it, into a ``.npz`` of the same name
        args, kwargs : arguments that show the shapes; the file's test is at this point

        Raises
        ------
        GradientError : the program needs an operation that only symgrad has, the arguments have no numbers (while JAX
            or PyTorch is tracing), or the results are not finite there
        """
        try:
            self._write(path, args, kwargs)
        except Unprogrammable as error:
            raise GradientError(
                f"{self.__name__} cannot be written to a file of its own", f"{error}.", "Keep it as it is.",
            ) from None  # fmt: skip

    def _text(self, args: Any, kwargs: Any) -> str:
        raise NotImplementedError

    def _write(self, path: Any, args: Any, kwargs: Any) -> None:
        raise NotImplementedError


# -------------------------------------------------------------------------------------------------------------------
# ``sg.compile`` for other libraries: the same derivative program as a function of JAX's arrays or PyTorch's tensors

# The idea to hold: a program is made from shapes and dtypes alone, so that it can be made while JAX or PyTorch are
# tracing. Where the arguments have no numbers to show, points are drawn to make it at; in any case it is compared with
# NumPy's program, which is compared with the tape, before it is used.


class CompiledFor(ShownProgram):
    """A function's value, gradient and second derivatives by one program, as a function of another library's arrays.

    Attributes
    ----------
    function, outputs, argnums, format, target : as they were given
    arrays : the library's
    """

    target: str
    function: Any
    outputs: Any
    argnums: Any
    format: str

    def __init__(self, compiled: Any, target: str) -> None:
        if compiled.format != "dense":
            raise GradientError(
                f"sg.compile(…, target={target!r}) has no format {compiled.format!r}",
                "Sparse matrices are SciPy's, of NumPy's arrays.", "Leave the format out, or the target.",
            )  # fmt: skip
        self._compiled, self.target = compiled, target
        self.function, self.outputs = compiled.function, compiled.outputs
        self.argnums, self.format = compiled.argnums, compiled.format
        self.__name__: str = f"{compiled.__name__[:-1]}, target={target!r})"
        if hasattr(compiled, "__signature__"):
            self.__signature__: Any = compiled.__signature__
        self.arrays: Arrays = DIALECTS[target].imported()
        self._made: dict[Any, ForStructure] = {}
        self._warned = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": {}, "arrays": None}  # as of a compiled function of arrays

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, arrays=DIALECTS[state["target"]].imported())

    def __repr__(self) -> str:
        return f"{self.__name__[:-1]}, outputs={self.outputs!r}, programs={len(self._made)})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what was asked for, in the order of ``outputs``: the library's arrays, of the arguments' shapes."""
        made, leaves = self._find(args, kwargs)
        return made(leaves)

    def _text(self, args: Any, kwargs: Any) -> str:
        return self._find(args, kwargs)[0].text()

    def _write(self, path: Any, args: Any, kwargs: Any) -> None:
        made, leaves = self._find(args, kwargs)
        shown = [self._numbers(leaf) for leaf in leaves]
        if any(self._is_array(leaf) and mine is None for leaf, mine in zip(leaves, shown, strict=True)):
            raise GradientError(
                f"{self.__name__} is saved with a test at its arguments, which have no numbers here", "",
                "Call save outside of jit, vmap and grad.",
            )  # fmt: skip
        made.save(path, [leaf if mine is None else mine for leaf, mine in zip(leaves, shown, strict=True)])

    # -------------------------------------------------------------------------------------------------- programs

    def _find(self, args: Any, kwargs: Any) -> tuple[ForStructure, list[Any]]:
        """The program for these arguments, and all their leaves."""
        leaves, spec = flatten_call(args, kwargs)
        if any(isinstance(leaf, Tensor) for leaf in leaves):
            raise GradientError(
                f"{self.__name__} is a function of {self.arrays.dialect.array_type}s",
                "An argument is a symgrad tensor.",
                "Pass its numbers (x.detach().numpy()), or leave the target out.",
            )  # fmt: skip
        refuse_foreign(map(type, leaves))
        key = spec, self.arrays.setting(), tuple([self._mark(leaf) for leaf in leaves])
        made = self._made.get(key)
        if made is None:
            self._say_dtype(leaves)
            made = self._made[key] = _apart(self._make, leaves, spec)
        elif not made.checked:
            _apart(made.check, *[p for p in [self._point(leaves)] if p is not None])
        return made, leaves

    def _mark(self, leaf: Any) -> Any:
        """What tells an argument from another, whose program may be another."""
        if self.arrays.owns(leaf):
            return tuple(leaf.shape), str(leaf.dtype)
        return argument_mark(leaf)

    def _is_array(self, leaf: Any) -> bool:
        return self.arrays.owns(leaf) or isinstance(leaf, np.ndarray | np.generic)

    def _numbers(self, leaf: Any) -> Any:
        """A leaf as NumPy has it; None for an array that has no numbers to show."""
        if not self._is_array(leaf):
            return leaf
        found = self.arrays.shown(leaf)
        return None if found is None else found.astype(_dtype(found.dtype))

    def _point(self, leaves: list[Any]) -> list[Any] | None:
        """All leaves as numbers, if they are."""
        found = [self._numbers(leaf) for leaf in leaves]
        hidden = any(mine is None and leaf is not None for leaf, mine in zip(leaves, found, strict=True))
        return None if hidden else found

    def _say_dtype(self, leaves: list[Any]) -> None:
        given = [leaf.dtype for leaf in leaves if isinstance(leaf, np.ndarray | np.generic)]
        if not self._warned and any(d == np.float64 and self.arrays.exact(d) != d for d in given):
            self._warned, dialect = True, self.arrays.dialect
            warnings.warn(
                f"{self.__name__}: {dialect.flag} is off, so that float64 arguments become float32. "
                f"{dialect.set_flag} keeps them, float32 arguments say that it is meant",
                UserWarning, stacklevel=4,
            )  # fmt: skip

    def _make(self, leaves: list[Any], spec: Any) -> ForStructure:
        point, failure = self._point(leaves), None
        drawn = [point] if point is not None else []
        for candidate in [*drawn, *self._drawn(leaves)]:
            args, items = unflatten(spec, candidate)
            try:
                finished = self._compiled._known(args, dict(items))[0]
            except (np.linalg.LinAlgError, ArithmeticError) as error:  # the function is not defined there
                failure = failure or error
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._compiled(*args, **dict(items))  # is compared with the tape
            if finished.program.refused:
                raise GradientError(
                    f"{self.__name__} has no program", f"{finished.program.refused}.", "Use sg.hessian of arrays."
                )
            made = self._translated(finished, leaves)
            made.check(*drawn, *self._drawn(leaves))
            return made
        raise GradientError(
            f"{self.__name__}: the function raises at every point that was drawn to run it at", f"{failure}",
            "Call it once with arrays that have numbers, outside of jit, vmap and grad.",
        ) from failure  # fmt: skip

    def _translated(self, finished: Any, leaves: list[Any]) -> ForStructure:
        try:
            return ForStructure(self, finished, leaves)
        except Unprogrammable as error:
            raise GradientError(
                f"{self.__name__} has no program", f"{error}.", f"Leave target={self.target!r} out: NumPy has it."
            ) from None

    def _drawn(self, leaves: list[Any]) -> Iterator[list[Any]]:
        """Points of the arguments' shapes: of either sign, positive, between 0 and 1; square matrices definite."""
        rng = np.random.default_rng(len(leaves))
        for low, high in ((-1, 1), (0.5, 1.5), (0.1, 0.9), (2, 4)):
            for definite in (False, True):
                yield [self._draw(leaf, rng, low, high, definite) for leaf in leaves]

    def _draw(self, leaf: Any, rng: Any, low: float, high: float, definite: bool) -> Any:
        if not self._is_array(leaf):
            return leaf
        shape, dtype = tuple(leaf.shape), _dtype(self.arrays.dtype_of(leaf))
        if dtype.kind != "f":
            return rng.integers(0, 2, shape).astype(dtype)
        value = rng.uniform(low, high, shape)
        if definite and len(shape) > 1 and shape[-1] == shape[-2]:
            value = value @ np.swapaxes(value, -1, -2) / shape[-1] + np.eye(shape[-1])
        return np.asarray(value, dtype)


class ForStructure:
    """One program: what it takes, how it is checked, and the form of its results."""

    owner: CompiledFor
    finished: Any
    library: Arrays
    program: Any
    checked: bool
    names: list[Any]

    def __init__(self, owner: CompiledFor, finished: Any, leaves: list[Any]) -> None:
        self.owner, self.finished, self.library = owner, finished, owner.arrays
        self.program, self.checked = finished.program, False
        self.module: Any = self.program.translated(self.library.dialect, finished.numbers)
        whole = [name for name, _ in self.program.whole.arguments]
        self.caught: Any = {name: value for name, (k, _, value) in zip(whole, finished.taken, strict=True) if k is None}
        self.caught |= self.module.caught
        self.names, numbers = [name for name, _ in self.module.arguments], finished.numbers
        # where among the leaves
        self.given: dict[Any, Any] = {name: numbers[name][0] for name in self.names if name in numbers}
        arrays = [*self.caught.values(), *self.module.constants.values()]
        arrays += [np.zeros((), _dtype(self.library.dtype_of(a))) for a in leaves if owner._is_array(a)]
        floats = [a.dtype for a in map(np.asarray, arrays) if a.dtype.kind == "f"]
        self.dtype: np.dtype[Any] = self.library.exact(np.result_type(self.program.dtype, *floats))
        self.own: list[Any] = self._own_dtypes(leaves)
        self.ends: Any = np.cumsum([int(np.prod(shape)) for shape in finished.shapes]).tolist()
        self._runs: dict[Any, tuple[Any, list[Any]]] = {}

    def _own_dtypes(self, leaves: list[Any]) -> list[Any]:
        """The dtypes of the results: of the value, the gradient's parts (the variables' own) and the matrix."""
        form, exact = self.finished, self.library.exact
        parts = []
        for name, dtype in zip(form.variables, form.dtypes, strict=True):
            leaf = leaves[form.numbers[name][0]]
            own = self.library.owns(leaf) and _dtype(self.library.dtype_of(leaf)).kind == "f"
            parts.append(leaf.dtype if own else exact(dtype))
        return [exact(form.of_value), *parts, parts[0] if len(parts) == 1 else exact(form.dtype)]

    def __call__(self, leaves: list[Any]) -> Any:
        place = self.library.place(leaves)
        key = place, self.dtype, str(self.own)
        if key not in self._runs:
            self._runs[key] = _apart(self._run, place, self.dtype, self.own)
        return self._packed(self._results(leaves, place, self.dtype, self._runs[key]))

    def text(self) -> str:
        return self.module.text(self.finished.words)

    def _results(self, leaves: list[Any], place: Any, dtype: Any, ready: Any) -> list[Any]:
        """Value, parts of the gradient and blocks of the matrix, as far as they are asked for."""
        run, caught = ready
        given = [leaves[k] for k in self.given.values()]
        given = given if self.library.dialect.compiles else self._arrays(given, dtype, place)
        return run(*given, *caught)

    def _arrays(self, given: list[Any], dtype: Any, place: Any) -> list[Any]:
        """Arguments as arrays of the program's dtype; truth values and indices stay what they are."""
        truths = self.program.truths
        return [
            self.library.array(value, None if name in truths else dtype, place)
            for name, value in zip(self.given, given, strict=True)
        ]

    def _run(self, place: Any, dtype: Any, own: list[Any]) -> tuple[Any, list[Any]]:
        """The function of the arguments and what `function` catches, and the latter where the arguments are."""

        def put(value: Any) -> Any:
            return self.library.constant(np.asarray(value), dtype, place)

        program = self.module.load({name: put(value) for name, value in self.module.constants.items()})
        count, caught = len(self.given), [name for name in self.names if name not in self.given]

        def run(*values: Any) -> list[Any]:
            arrays = self._arrays(list(values[:count]), dtype, place)
            by_name = dict(zip([*self.given, *caught], [*arrays, *values[count:]], strict=True))
            return self._cut(program(*[by_name[name] for name in self.names]), own)

        return self.library.runnable(run), [put(self.caught[name]) for name in caught]

    def _cut(self, results: Any, own: list[Any], library: Any = None) -> list[Any]:
        """The program's results in the arguments' shapes, the matrix cut into blocks."""
        shapes, cast = self.finished.shapes, (library or self.library).cast
        found = []
        for letter, value in zip(sorted(self.owner.outputs), results, strict=True):
            if letter == "f":
                found.append(cast(value, own[0], self.program.rows))
            elif letter == "g":
                found += starmap(cast, zip(parts_of(value), own[1:-1], shapes, strict=True))
            else:
                matrix = cast(value, own[-1], (self.program.assembly.height, self.ends[-1]))
                spans = [slice(end - int(np.prod(s)), end) for end, s in zip(self.ends, shapes, strict=True)]
                every = list(zip(spans, shapes, strict=True))
                rows = every if letter == "h" else [(slice(None), self.program.rows)]
                found += [matrix[i, j].reshape(s + t) for i, s in rows for j, t in every]
        return found

    def _packed(self, found: list[Any]) -> Any:
        """The results in the containers of the arguments, in the order of ``outputs``."""
        n, by_letter = len(self.finished.shapes), {}
        for letter in sorted(self.owner.outputs):
            count = self._count(letter)
            parts, found = found[:count], found[count:]
            if letter == "h":
                parts = [self._held(parts[k * n : (k + 1) * n]) for k in range(n)]
            by_letter[letter] = parts[0] if letter == "f" else self._held(parts)
        results = [by_letter[letter] for letter in self.owner.outputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _held(self, parts: list[Any]) -> Any:
        return parts[0] if self.finished.simple else self.finished.call.pack(unflatten(self.finished.spec, parts))

    # ----------------------------------------------------------------------------------------------------- checks

    def check(self, *points: list[Any]) -> None:
        """Compare the results with those of NumPy's program at two of the points that it is defined at."""
        agreed, double = 0, np.dtype(np.float64)
        with self.library.double():
            place = self.library.place([])
            own = [double] * len(self.own)
            ready = self._run(place, double, own)
            self._runs[place, double, str(own)] = ready
            for point in points:
                truth, nearby = self._truth(point, 0.0), self._truth(point, 1e-15)
                if truth is None or nearby is None:
                    continue
                try:
                    mine = [self.library.shown(a) for a in self._results(_widened(point), place, double, ready)]
                except Exception as error:
                    raise GradientError(
                        f"{self.owner.__name__}: its program does not run", f"{type(error).__name__}: {error}",
                        f"Leave target={self.owner.target!r} out, and report this, please.",
                    ) from error  # fmt: skip
                self._compare(mine, truth, nearby)
                agreed += 1
                if agreed == _CHECKS:
                    break
        if points and not agreed and not self.checked:
            warnings.warn(
                f"{self.owner.__name__}: at no point that was drawn is the function finite, so that its program has "
                "not been compared with NumPy's yet; it will be when it is called with numbers",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
        self.checked = self.checked or agreed > 0

    def _truth(self, point: list[Any], step: float) -> list[np.ndarray] | None:
        """What NumPy's program computes, from the point or a place as near as rounding."""
        values = self._numbers(point)
        moved = [
            v * (1 + step) if np.asarray(v).dtype.kind == "f" and name not in self.caught else v
            for name, v in values.items()
        ]
        try:
            results = self.program.run(moved)
        except np.linalg.LinAlgError:
            return None
        own = [np.dtype(np.float64)] * len(self.own)
        return None if results is None else self._cut(results, own, NUMPY.imported())

    def _numbers(self, point: list[Any]) -> dict[str, Any]:
        """What NumPy's program takes, by name."""
        found = {}
        for (name, _), (k, kind, value) in zip(self.program.whole.arguments, self.finished.taken, strict=True):
            given = value if k is None else point[k] if kind is None else kind(point[k])
            given = np.asarray(given)
            found[name] = given.astype(np.float64) if given.dtype.kind == "f" else given
        return found

    def _compare(self, mine: list[Any], truth: list[np.ndarray], nearby: list[np.ndarray]) -> None:
        for letter, found, known, near in zip(self._letters(), mine, truth, nearby, strict=True):
            size = np.abs(known).max(initial=0)
            tolerance = np.sqrt(np.finfo(float).eps) * (size + 1e-6) + 1e3 * np.abs(near - known).max(initial=0)
            apart = np.abs(found - known).max(initial=0) if found.shape == known.shape else np.inf
            if not apart <= tolerance:
                raise GradientError(
                    f"{self.owner.__name__}: its program and NumPy's disagree in {letter!r}",
                    f"They differ by {apart:.2g} at a point where the largest entry is {size:.2g}.",
                    f"Leave target={self.owner.target!r} out, and report this, please.",
                )  # fmt: skip

    def _letters(self) -> Iterator[str]:
        for letter in sorted(self.owner.outputs):
            yield from [letter] * self._count(letter)

    def _count(self, letter: str) -> int:
        """How many arrays a result has: one per variable, or two."""
        return len(self.finished.shapes) ** {"f": 0, "g": 1, "h": 2, "j": 1}[letter]

    def save(self, path: Any, leaves: list[Any]) -> None:
        values = {**{n: np.asarray(leaves[k]) for n, (k, _) in self.finished.numbers.items()}, **self.caught}
        values = {n: v.astype(_dtype(v.dtype)) if v.dtype.kind == "f" else v for n, v in values.items()}
        given = {name: self.finished.words[name] for name in self.finished.given}
        results = self.program.run(list(self._numbers(leaves).values()))
        write_module(path, self.module, values, given, self.owner.__name__, self.finished.order, results)


_CHECKS = 2


def _dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that NumPy's program has for one: floats of 16 bits are computed with in 32."""
    dtype = np.dtype(dtype)
    short = dtype.kind == "V" or dtype == np.float16 or dtype.name == "bfloat16"
    return np.dtype(np.float32) if short else dtype


def _widened(point: list[Any]) -> list[Any]:
    return [a.astype(np.float64) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a for a in point]


def _apart(f: Callable[..., Any], *args: Any) -> Any:
    """Run a function outside of whatever the caller's thread is tracing."""
    found: dict[str, Any] = {}

    def run() -> None:
        try:
            found["result"] = context.run(f, *args)
        except BaseException as error:  # is raised where it is waited for
            found["error"] = error

    context = contextvars.copy_context()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in found:
        raise found["error"]
    return found["result"]

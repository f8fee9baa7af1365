"""A derivative program: made once for a structure, run for every point, and kept, between processes too."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from itertools import starmap
from time import perf_counter
from typing import Any

import numpy as np

from .. import _limits
from .._config import default_dtype
from .._errors import SymgradError
from .._limits import bound
from .._progress import Task
from .._trees import postorder
from ..calculus import COMPUTED, lost_conditions, product
from ..core import Op, recorded
from ..terms import Expr, Var, add, ein, inverse, is_real, number, pow_
from . import files
from .assemble import Assembly, diagonal, work_of
from .builder import Builder, too_long
from .definitions import OWN_ROWS, in_reals, rules_are_own
from .dialects import Dialect
from .graph_terms import Lifted, entries_of, named, sizes
from .linear import Pattern
from .source_module import Module, function_of_module
from .survey import Runnable, Survey, Unprogrammable, same_number
from .sweeps import FINITE, StableForms, Tangents, VariablePart, gradients, gradients_behind, parts_of, reaching

# ----------------------------------------------- A derivative program: made once for a structure, run for every point

# The idea to hold: the program's source is all there is to it; what it needs beside the arguments, arrays that depend
# on the structure alone and functions of the table, are names of its module.


_LOST = 2**8
"""A determinant is differentiated by the inverse where its matrix has a squared condition of 1/(256 eps) at most."""


class Program(Runnable):
    """Value, gradient and second derivatives of one structure, as compiled source.

    Parameters
    ----------
    lifted : where the function's term comes from: ``variables``, ``point``, ``inputs``, ``baked``
    term : the function's term
    outputs : what to compute: any of 'f', 'g', 'h'; or 'f', 'j' of a function that returns an array
    format : 'dense', 'csr' for a sparse matrix, 'structured', 'diagonal' or 'trace' for these only, 'product' for the
        matrix times a vector, which is given at every run
    most : the steps that making it may take (`Builder.require_worth`)

    Attributes
    ----------
    variables : the names of what it differentiates with respect to

    and those of a `Runnable`
    """

    def __init__(
        self, lifted: Any, term: Expr, outputs: str = "h", format: str = "dense", most: float = math.inf
    ) -> None:
        super().__init__(outputs, format, lifted.baked, lifted.fixed, lifted.chosen)
        builder = Builder(lifted.point, most)
        stable = StableForms()
        for name, long in lifted.cuts:
            builder.stand_for(name, builder.atom(stable.of(long)))
        short = stable.of(term)
        root = builder.atom(short)
        xs = lifted.variables
        self.variables: list[Any] = [x.name for x in xs]
        self.dtype: Any = np.result_type(*[np.asarray(lifted.point[x.name]).dtype for x in xs])
        self.must_be_finite: list[str] = _must_be_finite(builder, short, lifted, stable, self.dtype)
        self.shapes: list[tuple[int, ...]] = [sizes(x.shape) for x in xs]
        self.total: int = sum(map(entries_of, self.shapes))
        self.steps: list[int] = [len(builder.names)]
        split = "h" in outputs and format == "dense"
        parts = parts_of(builder, root, xs) if split else [VariablePart(x, k, 0) for k, x in enumerate(xs)]
        found = gradients(builder, root, [p.var for p in parts]) if set(outputs) - set("fj") else []
        self.gradients: list[Expr] = found
        if "g" in outputs and len(parts) > len(xs):
            self.gradients = gradients_behind(builder, [p.var for p in parts], found, xs)
        self.steps.append(len(builder.names))
        self.rows: tuple[int, ...] = sizes(root.shape)
        self.assembly: Assembly = Assembly(builder, self.shapes, self.sparse, self.rows if "j" in outputs else None)
        self.assembly.rows_apart = format == "dense"
        self.terms: list[tuple[int, int, Any]] = []
        self.parts: list[Expr] = []
        self.vectors: dict[str, tuple[str, int]] = {}
        if format == "product":
            self.parts = self._product(builder, found, xs)
        elif format in ("diagonal", "trace"):
            for k, x in enumerate(xs):
                terms = Tangents(builder, x, max(self.total**2, _limits.MULTIPLIED_OUT)).of(found[k])
                self.parts.append(diagonal(builder, terms, self.shapes[k], format == "trace"))
        elif "j" in outputs:
            most = max(entries_of(self.rows) * self.total, _limits.MULTIPLIED_OUT) if not self.sparse else 0
            for k, x in enumerate(xs):
                self.assembly.block(0, k + 1, Tangents(builder, x, most).of(root))
        elif "h" in outputs:
            self._blocks(builder, parts, found)
        self.builder = builder
        is_zero = "h" in outputs and self.terms and not any(t for *_, t in self.terms)
        self.zero: str = why_zero([t.operation for t in builder.terms.values()]) if is_zero else ""
        self.root = root
        self.inputs: dict[Any, Any] = {**lifted.inputs, **self.vectors}
        self.truths: set[Any] = {name for name, value in lifted.point.items() if np.asarray(value).dtype.kind in "biu"}
        self._whole: Module | None = None
        given = _given(builder, lifted, stable.found)
        self.quick: Module | None = Module(self, given) if given else None
        self.live: Any = self.module.live
        builder.values.clear()  # the data belong to the caller

    def _blocks(self, builder: Builder, parts: list[VariablePart], found: list[Expr]) -> None:
        """Plan the matrix, a block for each two parts of variables."""
        rates = sum([len(reaching(builder, [p.var])) for p in parts])  # each name that depends on x has one
        if rates > _limits.NAMES:
            raise too_long()
        most = 0 if self.sparse else max(self.total**2, _limits.MULTIPLIED_OUT)
        rows = [self.assembly.part(p.variable, p.start, sizes(p.var.shape)) for p in parts]
        order = sorted(range(len(parts)), key=rows.__getitem__)
        for count, b in enumerate(order, 1):
            tangents = Tangents(builder, parts[b].var, most, parts[b].others)
            for a in order[:count]:
                terms = tangents.of(found[a])
                self.terms.append((rows[a], rows[b], terms))
                self.assembly.block(rows[a], rows[b], terms)
            _give_up_early(len(builder.names), self.steps[1], count / len(parts))

    def _product(self, builder: Builder, found: list[Expr], xs: list[Var]) -> list[Expr]:
        """The gradient of the gradient's slope along a vector, which is the matrix times it."""
        terms = []
        for k, (g, shape) in enumerate(zip(found, self.shapes, strict=True)):
            v = Var(f"p{k}", shape)
            self.vectors[v.name] = ("vector", k)
            builder.values[v.name] = np.ones(shape, self.dtype)
            every = tuple(range(len(shape)))
            terms.append((1, ein(1, [(g, every), (v, every)], ()), ()))
        return gradients(builder, builder.atom(add(terms, ())), xs)

    @property
    def source(self) -> str:
        """The text of a module with one function, which computes everything from its arguments."""
        return self.text()

    def text(self, names: dict[str, str] | None = None, compiled: Any = None) -> str:
        """The same, with other names for arguments; or that of which Numba compiles a part."""
        return self.whole.text(names, compiled)

    @property
    def module(self) -> Module:
        """What runs beside a tape: it takes what the tape has saved, if there is anything."""
        return self.quick or self.whole

    def shown(self) -> Module:
        """What shows it: the module that takes nothing from a tape."""
        return self.whole

    def translated(self, dialect: Dialect, given: Iterable[str]) -> Module:
        """It in a dialect; ``given`` are names of what comes with every call."""
        from .translate import TranslatedModule

        return TranslatedModule(self, dialect, given)

    @property
    def whole(self) -> Module:
        """The program that takes nothing from the tape."""
        if self._whole is None:
            self._whole = Module(self, {})
        return self._whole


BENT = {
    "relu": "relu", "abs": "abs", "maximum": "maximum", "minimum": "minimum", "where": "where", "sign": "sign",
    "leaky_relu_slope": "leaky_relu", "max_dim": "max", "min_dim": "min", "amax": "amax", "amin": "amin",
    "floor": "floor", "ceil": "ceil", "hardtanh_bounds": "hardtanh",
}  # fmt: skip
"""Functions that are straight on either side of a kink, by row."""


def _given(builder: Builder, lifted: Any, stable: dict[int, Expr]) -> dict[str, tuple[int, int]]:
    """Names whose values the tape has saved: by name the operation's number and the place among what it saved."""
    found: dict[str, tuple[int, int]] = {}
    for term, place, shape in lifted.saved:
        atom = builder.known(stable.get(id(term), term))
        if isinstance(atom, Var) and atom.name in builder.terms and atom.shape == shape:
            found.setdefault(atom.name, place)
    return found


def _must_be_finite(builder: Builder, term: Expr, lifted: Any, stable: StableForms, dtype: Any) -> list[str]:
    """Names of what is not finite where the tape has an edge that the term has no more."""
    moving = {x.name for x in (*lifted.variables, *[name for name, _ in lifted.cuts])}
    asked = [(stable.of(base), kind) for base, kind in lifted.edges]
    found = lost_conditions(
        term, asked, lambda base: any(isinstance(t, Var) and t.name in moving for t in postorder(base))
    )
    roots = [term, *[stable.of(long) for _, long in lifted.cuts]]
    kept = set(postorder(*roots))
    computed = [b for b, kind in dict.fromkeys(asked) if kind == FINITE or (kind == COMPUTED and b not in kept)]
    found += [ein(1, [(base, base.axes)], ()) for base in computed]
    most = int(1 / (_LOST * np.finfo(np.result_type(dtype, np.float32)).eps))
    found += [_digits_left(a, most) for a in _in_determinants(roots, moving)]
    return [name for g in found for name in named(builder.whole(stable.of(g))) if name in builder.terms]


def _in_determinants(roots: Iterable[Expr], moving: set[str]) -> Iterable[Expr]:
    """The matrices whose determinants move."""
    calls = [t for root in roots for t in postorder(root) if t.operation == "det"]
    for a in dict.fromkeys(t.args[0] for t in calls):
        if a.rank == 2 and is_real(a) and any(isinstance(t, Var) and t.name in moving for t in postorder(a)):
            yield a


def _digits_left(a: Expr, most: int) -> Expr:
    """No number where a matrix is near singular: det(A) A⁻¹ is all rounding there, and the tape's cofactors are not."""
    squared = product("ij,ij,kl,kl->", [a, a, inverse(a), inverse(a)], ())
    return pow_(add([(most, number(1), ()), (-1, squared, ())], ()), Fraction(1, 2))


def _give_up_early(lines: int, before: int, done: float) -> None:
    """Raise if a program will be much too long, seen from what a part of it takes."""
    if before + (lines - before) / done > 1.5 * _limits.NAMES:
        raise too_long()


def why_zero(operations: Iterable[str]) -> str:
    """Why a function of these operations has no second derivatives."""
    bent = [BENT[name] for name in operations if name in BENT]
    if not bent:
        return "it is linear"
    words = " and ".join(dict.fromkeys(bent))
    return f"{words} {'has' if len(set(bent)) == 1 else 'have'} no second derivative, only kinks"


# ------------------------------------------------ Programs that took long to make, kept in files for the next process

# The idea to hold: a file is named by a hash of the structure that its program is for, and says with what it was made:
# symgrad's own files, its figures, and the versions beside it; where any differs, it is made anew. It holds numbers and
# the program's source, and is believed only with the right code of authentication (`files.py`). A program that
# is read is compared with the tape like one that was made.


_MAKERS = ("calculus", "core", "ops", "programs", "show", "sweep", "syntax", "terms")
"""The folders of symgrad that making a program depends on: `programs` and what it imports."""

_WORDS = frozenset([int, bool, str, float])


class _Unnamed(Exception):
    """Part of a structure that has no name in another process."""


class KeptModule:
    """A function of a program that was read, with what a `Module` says of its own."""

    structured = None

    def __init__(self, form: dict[str, Any], constants: dict[str, np.ndarray], pattern: Pattern | None) -> None:
        self.arguments: list[tuple[str, tuple[str, Any]]] = [
            (name, (kind, tuple(k) if type(k) is list else k)) for name, kind, k in form["arguments"]
        ]
        self.pattern = pattern
        space = {f"op_{name}": in_reals(OWN_ROWS[name].forward) for name in form["operations"]}
        self.function: Any = function_of_module(form["source"], form["name"], {**space, **constants})


class LoadedProgram(Runnable):
    """A program that was made in another process."""

    must_be_finite: list[str]
    zero: str
    dtype: Any
    total: int

    def __init__(self, form: dict[str, Any], arrays: list[np.ndarray], fixed: list[np.ndarray]) -> None:
        super().__init__("h", form["format"], dict(form["baked"]), [a.copy() for a in fixed], set(form["chosen"]))
        self.must_be_finite, self.zero = form["must_be_finite"], form["zero"]
        self.dtype, self.total = np.dtype(form["dtype"]), form["total"]
        pattern = Pattern.of(tuple(form["shape"]), *arrays[:3]) if self.sparse else None
        given = [{name: arrays[k] for name, k in module["constants"]} for module in form["modules"]]
        self._parts = [(*pair, pattern) for pair in zip(form["modules"], given, strict=True)]

    @cached_property
    def module(self) -> KeptModule:
        """What runs beside a tape."""
        return KeptModule(*self._parts[0])

    @cached_property
    def whole(self) -> KeptModule:
        """The program that takes nothing from the tape."""
        return KeptModule(*self._parts[1]) if len(self._parts) > 1 else self.module


# -------------------------------------------------------------------------------------------------- names of structures


def name_of(survey: Any, format: str, varying: set[int]) -> str | None:
    """The name of a structure's file; None where a part of it means something in this process alone."""
    if not rules_are_own():  # a user's may enter programs
        return None
    try:
        text = _words((survey.key, format, tuple(sorted(varying))))
    except _Unnamed:
        return None
    found = hashlib.sha256(text.encode())
    for array in survey.fixed:
        if not _plain(array):
            return None
        found.update(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    return f"program_{found.hexdigest()[:40]}"


def _words(value: Any) -> str:
    """Part of a structure as a text that no other has."""
    kind = type(value)
    if isinstance(value, tuple):
        return f"({','.join([_words(v) for v in value])})"
    if isinstance(value, Op):
        name = value.name
        if OWN_ROWS.get(name) is not value:
            raise _Unnamed  # a user's row has the user's rules
        return f"<{name}>"
    if value is None or kind in _WORDS:
        return repr(value)
    if isinstance(value, np.dtype) or value is Ellipsis:
        return f"<{value!r}>"
    raise _Unnamed


@cache
def _own_files() -> str:
    """The files that make programs, as they are: versions in between have no number of their own."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    found: list[tuple[str, int, int]] = []
    places = [os.path.join(package, name) for name in _MAKERS]
    for place in places:
        for entry in sorted(os.scandir(place), key=lambda entry: entry.path):
            if entry.name.endswith(".py"):
                stat = entry.stat()
                found.append((entry.path, stat.st_size, stat.st_mtime_ns))
            elif "." not in entry.name and entry.name != "__pycache__":
                places.append(entry.path)
    return repr(found)


@cache
def _versions() -> list[str]:
    """Python's, NumPy's, and those of what is imported where a program needs it."""
    found = [sys.version, sys.byteorder, np.__version__]
    for name, file in (("scipy", "version.py"), ("opt_einsum", "_version.py")):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            found.append(f"no {name}")
            continue
        with open(os.path.join(os.path.dirname(spec.origin), file), encoding="utf-8") as text:
            found.append(text.read())
    return found


def _made_with() -> str:
    """Everything that programs depend on beside the structure, as a hash."""
    figures = {name: getattr(_limits, name) for name in _limits.LIMITS}
    text = repr([_versions(), _own_files(), figures, default_dtype()])
    return hashlib.sha256(text.encode()).hexdigest()


# ----------------------------------------------------------------------------------------------------- reading, writing


def load_program(survey: Any, format: str, varying: set[int]) -> LoadedProgram | None:
    """The program of a structure from a file, if there is one."""
    name = None if files.folder() is None else name_of(survey, format, varying)
    data = None if name is None else files.load(name)
    if data is None:
        return None
    import json

    end = 8 + int.from_bytes(data[:8], "little")
    form = json.loads(data[8:end])
    if form["made with"] != _made_with():
        return None
    return LoadedProgram(form, _arrays(form["arrays"], data, end), survey.fixed)


def store(program: Any, survey: Any, varying: set[int]) -> None:
    """Write a program to its file, if another process could read it."""
    import json

    if files.folder() is None or program.format == "structured":
        return
    name = name_of(survey, program.format, varying)
    modules: list[Module] = [program.module, *([program.whole] if program.module is not program.whole else [])]
    pattern = program.module.pattern
    arrays = [] if pattern is None else [pattern.indices, pattern.gather, pattern.indptr]
    values = {id(value): value for module in modules for value in module.constants.values()}  # they share them
    number = {key: len(arrays) + k for k, key in enumerate(values)}
    arrays += values.values()
    operations = [_operations(module) for module in modules]
    if name is None or None in operations or not all(map(_plain, arrays)):
        return
    if sum([a.nbytes for a in arrays]) > _limits.CACHED_BYTES // 2:
        return
    form = {
        "made with": _made_with(), "format": program.format, "baked": list(program.baked.items()),
        "chosen": sorted(program.chosen), "must_be_finite": program.must_be_finite, "zero": program.zero,
        "dtype": program.dtype.str, "total": program.total, "shape": None if pattern is None else pattern.shape,
        "arrays": [(a.dtype.str, a.shape) for a in arrays],
        "modules": [
            {"source": module.inner, "name": module.name, "operations": rows,
             "constants": [(constant, number[id(value)]) for constant, value in module.constants.items()],
             "arguments": [(argument, kind, k) for argument, (kind, k) in module.arguments]}
            for module, rows in zip(modules, operations, strict=True)
        ],
    }  # fmt: skip
    text = json.dumps(form).encode()
    raw = [np.ascontiguousarray(a).tobytes() for a in arrays]
    files.store(name, b"".join([len(text).to_bytes(8, "little"), text, *raw]))


def _operations(module: Module) -> list[str] | None:
    """The rows that a module's source calls; None where it mentions what cannot be said in a file."""
    names = [name.removeprefix("op_") for name in module.source.space]
    space = module.source.space
    own = all(name in OWN_ROWS and space[f"op_{name}"] is in_reals(OWN_ROWS[name].forward) for name in names)
    return names if own else None


def _plain(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "biuf"


def _arrays(forms: list[Any], data: bytes, start: int) -> list[np.ndarray]:
    found = []
    for dtype, shape in forms:
        kind, count = np.dtype(dtype), math.prod(shape)
        found.append(np.frombuffer(data, kind, count, start).reshape(shape).copy())
        start += count * kind.itemsize
    return found


# --------------------------------------------------------------- Programs by structure, kept as long as they are used

# The idea to hold: the key of a program is what a survey says of the graph; index arrays and numbers that the program
# has taken as given are compared, entry by entry, each time. A number that has changed once is an input from then on.


STRICT = False
"""Whether a mistake in making a program is raised (in tests); else the tape takes over, and the plan says why."""


class _Entry:
    """The programs of one key: they differ in what they have taken as given."""

    def __init__(self) -> None:
        self.programs: list[Runnable] = []
        self.made = 0
        self.looked = 0  # how often a file was looked for
        self.waited = 0  # runs that were left to the tape
        self.refused: str | None = None
        self.varying: set[int] = set()
        self.seen: list[Any] | None = None


_entries: OrderedDict[Any, _Entry] = OrderedDict()
_lock = threading.Lock()


def clear() -> None:
    """Forget all programs."""
    with _lock:
        _entries.clear()


CACHED_FROM = bound(30)
"""Milliseconds that making a program took from which it is kept in a file for other processes: reading takes one
or two."""


@recorded
def find(
    survey: Survey, edge: Any, variables: list[Any], format: str = "dense", runs: int | None = None,
    shown: bool = False,
) -> tuple[Any, str]:  # fmt: skip
    """The program of a structure, made if there is none; or None and why there is none.

    ``runs`` says how many matrices are wanted now: the program of a loop over few numbers is made once the tape has run
    so often that it would have been worth making. None asks for the program whatever it takes. ``shown`` asks for one
    that can be shown: of one that another process has made, only the functions are kept.
    """
    key = (survey.key, format)
    with _lock:
        entry = _entries.get(key)
        if entry is None:
            entry = _entries[key] = _Entry()
            if len(_entries) > _limits.STRUCTURES:
                _entries.popitem(last=False)
        else:
            _entries.move_to_end(key)
    if entry.refused is not None:
        return None, entry.refused
    for program in entry.programs:
        if _fits(program, survey) and (type(program) is Program or not shown):
            return program, ""
    loaded = None if shown else _loaded(entry, survey, format)
    if loaded is not None:
        return loaded, ""
    if entry.made >= _limits.MADE_PROGRAMS:
        return None, "its indices change from call to call, and with them the program"
    entry.refused = _too_long(survey, variables, format)
    if entry.refused is not None:
        return None, entry.refused
    if runs is not None and entry.waited < _limits.WAITED and _waits(survey, variables, format):
        entry.waited += runs
        return None, (
            f"its graph has {len(survey.nodes):,} operations on few numbers: a program is made when the tape has run "
            f"{_limits.WAITED} times, or by .code(…)"
        )
    entry.made += 1
    scalars = survey.scalars
    if entry.seen is not None:
        entry.varying |= {k for k, (a, b) in enumerate(zip(entry.seen, scalars, strict=True)) if not same_number(a, b)}
    entry.seen = list(scalars)
    start = perf_counter()
    try:
        with Task("making a program of second derivatives"):
            lifted = Lifted(survey, variables, frozenset(entry.varying))
            program = Program(lifted, lifted.root(edge), "h", format, _worth(survey, variables))
    except Unprogrammable as error:
        entry.refused = str(error)
        return None, entry.refused
    except Exception as error:  # the tape computes the same, slower: no reason to fail
        if STRICT and not isinstance(error, (SymgradError, MemoryError, np.linalg.LinAlgError)):
            raise
        entry.refused = f"{type(error).__name__}: {error}"
        return None, entry.refused
    entry.refused = _too_much(program, format)
    if entry.refused is not None:
        return None, entry.refused
    took = perf_counter() - start
    if took * 1e3 >= CACHED_FROM:
        with suppress(OSError):  # there may be no files to ask for versions
            store(program, survey, entry.varying)
    _remember(entry, program)
    return program, ""


def _remember(entry: _Entry, program: Runnable) -> None:
    entry.programs.insert(0, program)
    del entry.programs[_limits.KEPT_PROGRAMS :]


def _loaded(entry: _Entry, survey: Survey, format: str) -> Runnable | None:
    """A program that another process has made; where a number was another one there, one with that as an input."""
    while entry.looked < _limits.MADE_PROGRAMS:
        entry.looked += 1
        program = None
        with suppress(OSError):
            program = load_program(survey, format, entry.varying)
        if program is None:
            return None
        changed = {k for k, value in program.baked.items() if not same_number(survey.scalars[k], value)}
        if not changed:
            _remember(entry, program)
            return program
        entry.varying |= changed
    return None


def _too_long(survey: Survey, variables: list[Any], format: str) -> str | None:
    """Why making a program would take longer than it could save, seen from the length of the graph."""
    nodes = len(survey.nodes)
    most = _limits.PRODUCT_NODES if format == "product" else _limits.NODES
    if nodes > most:
        return f"its graph has more than {most:,} operations"
    if nodes > _limits.LONG_GRAPH and _entries_pushed(survey, variables) < _limits.WORTHWHILE:
        return f"its graph has {nodes:,} operations on few numbers: the tape is done before a program is made"
    return None


def _waits(survey: Survey, variables: list[Any], format: str) -> bool:
    """Whether making a program takes as long as dozens of matrices by the tape: then there are to be dozens."""
    long = len(survey.nodes) > _limits.WAITED_GRAPH and format in ("dense", "csr", "structured")
    return long and _entries_pushed(survey, variables) < _limits.WORTHWHILE


def _entries_pushed(survey: Survey, variables: list[Any]) -> int:
    """The numbers that the tape pushes through the largest operation for a whole matrix, about."""
    return int(sum([v.data.size for v in variables]) * max([a.size for a in survey.arrays]))


def _worth(survey: Survey, variables: list[Any]) -> int:
    """The steps that making a program may take: some tens of matrices by the tape, or a second whatever they take."""
    each = _limits.STEPS_EACH + _entries_pushed(survey, variables) // _limits.STEPS_PUSHED
    return max(_limits.STEPS, len(survey.nodes) * each)


def _too_much(program: Program, format: str) -> str | None:
    """Why the tape should run although there is a program: it computes much less."""
    if format in ("product", "diagonal", "trace"):
        return None
    w = work_of(program)
    mine, tape = w.value + w.gradient + w.hessian, 4 * w.value * (program.total + 1)
    much = mine > max(_limits.FLOP, _limits.TIMES_TAPE * tape)
    return f"its program takes {mine:.2g} flop, the tape about {tape:.2g}" if much else None


def _fits(program: Runnable, survey: Survey) -> bool:
    """Whether what a program has taken as given is so."""
    scalars = survey.scalars
    for k, value in program.baked.items():
        if not same_number(scalars[k], value):
            return False
    return all(starmap(np.array_equal, zip(program.fixed, survey.fixed, strict=True)))

"""A program as loops that Numba compiles, and lines of NumPy where those are faster.

The idea to hold: a line of NumPy takes a microsecond before it begins, and goes once through memory. So as much as can
be is loops: all of a program of little work, the matrix included; of one of more, what has one number per entry.
Products, sums along axes, and functions like ``exp`` of long arrays stay NumPy's, as does what has no loops (a
factorisation, a slice). Everything is computed as early as it can be: so the loops are few functions, each of which
reads what lines before it have made.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..._trees import parsed
from ...terms import Call, Ein, Expr, Map, Var, evaluate
from ..definitions import Source
from ..files import loaded
from ..graph_terms import entries_of, every_name, sizes
from ..helpers import WORD
from ..source_module import function, function_of_module, own_array
from .nests import LinesBesideNests, NestedFilling, Nests, NotNested, apart, steps
from .scalar_form import IMPORTS, NUMBA

_DEFINED = re.compile(r"([a-zA-Z_]\w*) = ")


class _Plain(Source):
    """Lines of NumPy."""

    written_in: dict[str, Expr]
    read_once: set[str]

    def __init__(self, module: Any, known: Callable[[np.ndarray], str]) -> None:
        super().__init__(module.source.builder, module.program.truths)
        self.written_in, self.read_once = module.source.written_in, module.source.read_once
        self._known = known

    def parameter(self, value: Any) -> str:
        return self._known(value) if isinstance(value, np.ndarray) else super().parameter(value)


class _Stage:
    """Lines of NumPy, and after them nests, which are one function."""

    def __init__(self, nests: Nests) -> None:
        self.lines: list[str] = []
        self.nests = nests


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in WORD.findall(line)}


class _Function(NamedTuple):
    """The loops of a stage: the arrays that they write, by name how each begins; all that is read later; and the names
    that loops of few steps define."""

    arrays: dict[str, str]
    loops: list[str]
    results: list[str]
    few: set[str]


class Nested:
    """A program's function as nests and lines: it runs as `Module` does.

    What takes loops more than ``most`` steps and NumPy fewer is NumPy's, as are the names ``by_numpy``.

    Attributes
    ----------
    work : about how many steps the nests take, the ``further`` ones of products and of the matrix included
    constants : arrays that the source mentions, by name
    """

    whole: Any
    pattern: Any
    structured: Any
    program: Any
    builder: Any
    most: float
    by_numpy: frozenset[str]
    loops: str
    function: Any

    def __init__(
        self, program: Any, values: list[Any], most: float = math.inf, by_numpy: frozenset[str] = frozenset()
    ) -> None:
        whole = self.whole = program.whole
        self.pattern, self.structured = whole.pattern, whole.structured
        self.program, self.builder, self.most, self.by_numpy = program, program.builder, most, by_numpy
        self.constants: dict[Any, Any] = dict(whole.constants)
        self.plain: _Plain = _Plain(whole, self._constant)
        self.stages: list[_Stage] = []
        self._at: dict[str, tuple[int, bool]] = {}  # by name its stage, and whether nests define it
        self._arrays: dict[str, str] = {}  # by text the arrays that NumPy computes for nests
        self._numbers = {n for (n, _), v in zip(whole.arguments, values, strict=True) if np.ndim(v) == 0}
        given = {**dict(zip([n for n, _ in whole.arguments], values, strict=True)), **whole.constants}
        self._whole = {n for n, v in given.items() if np.asarray(v).dtype.kind in "iub"}  # numbers that may be places
        self._again: dict[str, tuple[Expr, list[str], int]] = {}
        self.further: float = 0.0
        for var in program.builder.names:
            if var.name in whole.live and var.name not in self.plain.written_in:
                self.define(var.name, program.builder.terms[var.name])
        self._results()

    @property
    def work(self) -> float:
        return self.further + sum([stage.nests.work for stage in self.stages])

    def by_nests(self, names: Iterable[str]) -> bool:
        """Whether nests define one of these names."""
        return any(self._at.get(n, (0, False))[1] for n in names)

    def _constant(self, value: np.ndarray) -> str:
        """The name of a constant."""
        for name, known in self.constants.items():
            if known.dtype == value.dtype and known.shape == value.shape and np.array_equal(known, value):
                return str(name)
        name = Source.parameter(self.plain, value)
        self.constants[name] = value
        return name

    # --------------------------------------------------------------------------------------------------- stages

    def _stage(self, names: Iterable[str], are_lines: bool = False) -> int:
        """The first stage in which nests, or lines, may read all these names."""
        places = [self._at[n] for n in names if n in self._at]
        return max([k + (by_nests and are_lines) for k, by_nests in places], default=0)

    def _nests_at(self, k: int) -> Nests:
        while len(self.stages) <= k:
            nests = Nests(self.plain, lambda a: self._constant(evaluate(a, {})), self.most, self._again)
            self.stages.append(_Stage(nests))
        return self.stages[k].nests

    @property
    def nests(self) -> Nests:
        """Those that may read everything that there is by now."""
        return self._nests_at(max(len(self.stages) - 1, 0))

    def _lines(self, start: int) -> None:
        """The lines of NumPy since this one are computed as soon as all is there that they read."""
        lines = self.plain.lines[start:]
        k = self._stage([word for line in lines for word in WORD.findall(line)], True)
        self._nests_at(k)
        self.stages[k].lines += lines
        self._at |= {found[1]: (k, False) for line in lines if (found := _DEFINED.match(line))}

    # ---------------------------------------------------------------------------------------------- definitions

    def define(self, name: str, term: Expr) -> None:
        """Define a name, by a nest or by NumPy: whole numbers stay whole."""
        names = every_name(term)
        if names and not term.rank:
            self._numbers.add(name)  # np.where of numbers is an array, for NumPy's lines
        is_whole = (names and self._whole.issuperset(names)) or (isinstance(term, Call) and term.op.kind == "constant")
        if is_whole:
            self._whole.add(name)
        if is_whole or name in self.by_numpy or self._is_short(term):
            self._by_numpy(name, term)
            return
        try:
            reads, given = self._reads(term)
            k = self._stage(reads)
            self._nests_at(k).nest(name, term, reads, given)
        except NotNested:
            self._by_numpy(name, term)
            return
        self._at[name] = k, True
        base, exponent = term.as_power
        if isinstance(base, Var) and exponent != 1:
            self.plain.powers.setdefault(base.name, {})[exponent] = name

    def _is_short(self, term: Expr) -> bool:
        """Whether a line is shorter than a call of loops: of numbers, and of identities that are arrays."""
        if self.most == math.inf:
            return False
        if isinstance(term, Ein):
            return any(f.kind == "delta" for f, _ in term.factors) or (not term.rank and not term.dims)
        return not term.rank and not isinstance(term, Call)

    def _reads(self, term: Expr) -> tuple[list[str], list[str]]:
        """The names that the nest of a definition reads, and of those the arrays that NumPy computes for it."""
        if not isinstance(term, Map):
            summed = [self.plain.written_in[n] for n in every_name(term) if n in self.plain.written_in]
            return [name for t in (term, *summed) for name in every_name(t)], []
        start = len(self.plain.lines)
        tree = parsed(self.plain.function(term), "eval").body
        places = apart(tree, self._nests_at(0).is_long(term.shape))
        whole = tuple(range(term.rank))
        every = {n for a, s in term.args if s == whole for n in every_name(a)}
        texts = [ast.unparse(node) for node in places]
        if tree in places or not all(every.intersection(WORD.findall(text)) for text in texts):
            del self.plain.lines[start:]
            raise NotNested("a function that is the whole definition, or is not of its shape")
        for text in texts:
            if text not in self._arrays:
                self._arrays[text] = self.plain.fresh()
                self.plain.lines.append(f"{self._arrays[text]} = {text}")
        self._lines(start)
        given = [self._arrays[text] for text in texts]
        return [*WORD.findall(ast.unparse(tree)), *given], given

    def product(self, name: str, coef: Any, factors: Any, out: Any, dims: Any) -> None:
        """Define a name by a sum of products."""
        self.further += len(factors) * entries_of(dims.values())
        k = self._stage([n for f, _ in factors for n in every_name(f)])
        self._nests_at(k).product_of(name, coef, factors, out, dims)
        self._at[name] = k, True

    def entrywise(
        self, name: str, shape: tuple[int, ...], text: Callable[[Nests], str], reads: tuple[str, ...]
    ) -> None:
        """Define a name by the text of its entry in nests."""
        k = self._stage(reads)
        nests = self._nests_at(k)
        nests.entrywise(name, shape, lambda: text(nests), reads)
        self._at[name] = k, True

    def begin(self, name: str, text: str) -> None:
        """Begin an array, to which nests add from now on."""
        self.nests.begin((), joins=False).made[name] = text
        self.nests.place[name] = len(self.nests.nests) - 1
        self._at[name] = len(self.stages) - 1, True

    def _by_numpy(self, name: str, term: Expr) -> None:
        start = len(self.plain.lines)
        self.plain.define(name, term)
        self._lines(start)

    def _results(self) -> None:
        program = self.program
        if "f" in program.outputs:
            self._array("F", program.root, program.rows)
        if "g" in program.outputs:
            for k, (atom, shape) in enumerate(zip(program.gradients, program.shapes, strict=True)):
                self._array(f"g{k}", atom, shape)
        if program.of_matrix and self.most == math.inf:
            NestedFilling(program.assembly, self).matrix()
        elif program.of_matrix:
            start, filling = len(self.plain.lines), LinesBesideNests(program.assembly, self)
            filling.entries() if program.sparse else filling.matrix()
            self._lines(start)

    def _array(self, name: str, atom: Expr, shape: tuple[int, ...]) -> None:
        """A result, which is nobody else's array."""
        every = tuple(range(len(shape)))
        if name not in self.by_numpy and (shape or self.most == math.inf):
            try:
                self.entrywise(name, sizes(shape), lambda nests: nests.entry(atom, every), every_name(atom))
            except NotNested:
                pass
            else:
                return
        start = len(self.plain.lines)
        text = own_array(self.plain, atom, name.upper(), shape)
        self.plain.lines.append(f"{name} = {text}" if shape or name == "F" else f"{name} = {text} * 1.0")
        self._lines(start)

    # ------------------------------------------------------------------------------------------------- the text

    def functions(self) -> dict[int, _Function]:
        """By stage the function of its loops, as far as somebody reads what they define. What a later one computes
        again is written by that one."""
        read = _words((*self.whole.results, *self.whole.pieces))
        found = {}
        for k, stage in reversed([*enumerate(self.stages)]):
            nests = stage.nests.nests
            again = {n: None for nest in nests for n in nest.again}
            before = self.stages[: k + 1]  # where they are read as arrays they stay those of an earlier function
            kept = again.keys() & _words([line for one in before for line in (*one.lines, *one.nests.lines_inside)])
            made = _Function({}, [], [n for n in (*stage.nests.place, *again) if n in read - kept], set())
            wanted = read - kept
            for place, nest in reversed([*enumerate(nests)]):
                begins, lines = nest.source(wanted)
                given = [n for n, text in begins.items() if n in made.results and text.startswith("np.")]
                made.arrays.update({n: begins[n] for n in given})
                made.loops[:0] = [*[f"{n} = {text}" for n, text in begins.items() if n not in made.arrays], *lines]
                wanted = (wanted - nest.again.keys()) | (_words(lines) - again.keys())
                if steps(lines) < _limits.NESTED_LEAST:
                    own = [n for n, at in stage.nests.place.items() if at == place]
                    made.few.update([n for n in own if not _words(lines).isdisjoint((n, f"x_{n}"))])
            if made.results:
                found[k] = made
                read = (read | _words(made.loops)) - set(made.results)
            read |= _words(stage.lines)
        return found

    def few(self) -> set[str]:
        """The names that loops of few steps define: lines of NumPy take no longer."""
        return {n for made in self.functions().values() for n in made.few}

    def write(self) -> Nested:
        """Make the function; returns itself."""
        whole, functions = self.whole, self.functions()
        self.lines: list[str] = []
        texts: list[str] = []
        for k, stage in enumerate(self.stages):
            self.lines += stage.lines
            if k in functions:
                texts.append(self._written(f"_loops{len(texts)}", stage.nests, functions[k]))
        self.loops = "\n\n\n".join(texts)
        names = loaded("\n".join([*IMPORTS, "", "", self.loops, ""]))
        result = f"({', '.join(whole.results)},), ({''.join(p + ', ' for p in whole.pieces)})"
        text = function(whole.name, [name for name, _ in whole.arguments], self.lines, result)
        loops = {k: v for k, v in names.items() if k.startswith("_loops")}
        space = {**whole.function.__globals__, **self.plain.space, **self.constants, **loops}
        self.function = function_of_module(text, whole.name, space)
        return self

    def _written(self, name: str, nests: Nests, made: _Function) -> str:
        """The source of a function; the lines that call it are added to the lines."""
        outside = {a for a, _ in self.whole.arguments} | self.constants.keys() | self._at.keys()
        outside -= nests.place.keys() - made.arrays.keys()
        given = [w for w in dict.fromkeys(WORD.findall("\n".join(made.loops))) if w in outside]
        numbers = self._numbers | {n for n, v in self.constants.items() if isinstance(v, np.ndarray) and not v.ndim}
        called = f"{name}({', '.join([f'{w}[()]' if w in numbers else w for w in given])})"
        single = [n for n in made.results if n not in made.arrays]
        returned = ", ".join(single)
        self.lines += [f"{v} = {text}" for v, text in made.arrays.items()]
        self.lines.append(f"{returned} = {called}" if returned else called)
        self.lines += [f"{n} = np.{'bool_' if n in nests.truths else 'float64'}({n})" for n in single]
        last = [f"return {returned}"] if returned else []
        return "\n    ".join([f"{NUMBA}\ndef {name}({', '.join(given)}):", *made.loops, *last])

    def shown(self, name: str, arguments: list[str], results: list[str], check: list[str]) -> str:
        """The source of the loops, and of a function of the arguments, which a file's checks first."""
        main = function(name, arguments, [*check, *self.lines], ", ".join(results))
        return f"{self.loops}\n\n\n{main}"


def as_loops(program: Any, values: list[Any]) -> Nested | None:
    """The program as loops, where its lines take longer to begin than to run."""
    count = len(program.whole.source.lines)
    if program.sparse or count > _limits.NESTED_LINES:
        return None
    try:
        found = Nested(program, values)
    except NotNested:  # a part of the matrix
        return None
    return found.write() if found.work <= _limits.NESTED_WORK * count and found.functions() else None


def beside_numpy(program: Any, values: list[Any]) -> Nested | None:
    """The program with loops where they take less time than lines, if there are any."""
    found, few = Nested(program, values, _limits.NESTED_WORK), set()
    while more := found.few():
        few |= more
        found = Nested(program, values, _limits.NESTED_WORK, frozenset(few))
    return found.write() if found.functions() else None

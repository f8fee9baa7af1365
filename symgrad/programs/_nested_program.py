"""A program of little work as one function of loops, which Numba compiles: the matrix included.

The idea to hold: a line of NumPy takes a microsecond before it begins. Where lines take longer to begin than to run,
all of them are loops in one function; what has no loops (a factorisation, a slice) stays NumPy's, between two functions
or before them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from ..expr._evaluate import evaluate
from ..expr._node import Call, Expr
from ._definitions import Source
from ._nested_fill import NestedFilling
from ._nests import Nests, NotNested
from ._numba_files import loaded
from ._scalar_form import IMPORTS, NUMBA
from ._source_module import function
from ._terms import entries, every_name, sizes
from ._variable_names import WORD


class _Plain(Source):
    """Lines of NumPy."""

    def __init__(self, builder: Any, truths: set[str], known: Any) -> None:
        super().__init__(builder, truths)
        self._known = known

    def parameter(self, value: Any) -> str:
        return self._known(value) if isinstance(value, np.ndarray) else super().parameter(value)


class Nested:
    """A program's function as nests: it runs as `Module` does."""

    def __init__(self, program: Any, values: list[Any]) -> None:
        whole = self.whole = program.whole
        if program.format != "dense" or not whole.standalone or program.parts:
            raise NotNested("another format")
        self.pattern, self.structured = whole.pattern, whole.structured
        self.program, self.builder = program, program.builder
        self.plain = _Plain(program.builder, program.truths, self._constant)
        self.nests = Nests(program.builder, program.truths, lambda a: self._constant(evaluate(a, {})))
        self.items: list[str | Nests] = []
        self._numbers = {n for (n, _), v in zip(whole.arguments, values, strict=True) if np.ndim(v) == 0}
        given = {**dict(zip([n for n, _ in whole.arguments], values, strict=True)), **whole.constants}
        self._whole = {n for n, v in given.items() if np.asarray(v).dtype.kind in "iub"}  # numbers that may be places
        self.work, self.blocks = 0.0, 0
        for var in program.builder.names:
            if var.name in whole.live:
                self.define(var.name, program.builder.terms[var.name])
        self._results()
        self._close()
        self._write()

    def _constant(self, value: np.ndarray) -> str:
        """The name of a constant of the program."""
        for name, known in self.whole.constants.items():
            if known.dtype == value.dtype and known.shape == value.shape and np.array_equal(known, value):
                return str(name)
        raise NotNested("a constant that the program lacks")

    # ---------------------------------------------------------------------------------------------- definitions

    def define(self, name: str, term: Expr) -> None:
        """Define a name, by a nest or by NumPy: whole numbers stay whole."""
        names = every_name(term)
        if (names and self._whole.issuperset(names)) or (isinstance(term, Call) and term.op.kind == "constant"):
            self._whole.add(name)
            self._by_numpy(name, term)
            return
        try:
            self.nests.nest(name, term)
        except NotNested:
            self._by_numpy(name, term)

    def product(self, name: str, coef: Any, factors: Any, out: Any, dims: Any) -> None:
        """Define a name by a sum of products."""
        self.work += len(factors) * entries(dims.values())
        self.nests.product_of(name, coef, factors, out, dims)

    def _by_numpy(self, name: str, term: Expr) -> None:
        if any(word in self.nests.place for word in every_name(term)):
            self._close()
        start = len(self.plain.lines)
        self.plain.define(name, term)
        self.items += self.plain.lines[start:]
        self.nests.truths |= self.plain.truths

    def _close(self) -> None:
        """What is computed from now on reads arrays."""
        if self.nests.nests:
            self.items.append(self.nests)
            self.work += self.nests.work
        fresh = Nests(self.builder, self.nests.truths | self.plain.truths, self.nests._known)
        fresh._temporary = self.nests._temporary
        self.plain.truths |= self.nests.truths
        self.nests = fresh

    def _results(self) -> None:
        program = self.program
        if "f" in program.outputs:
            self._array("F", program.root, program.rows)
        if "g" in program.outputs:
            for k, (atom, shape) in enumerate(zip(program.gradients, program.shapes, strict=True)):
                self._array(f"g{k}", atom, shape)
        if program.of_matrix:
            NestedFilling(program.assembly, self).matrix()

    def _array(self, name: str, atom: Expr, shape: tuple[int, ...]) -> None:
        """A result, which is nobody else's array."""
        every = tuple(range(len(shape)))
        self.nests.entrywise(name, sizes(shape), lambda: self.nests.entry(atom, every), every_name(atom))

    # ------------------------------------------------------------------------------------------------- the text

    def _write(self) -> None:
        whole, H = self.whole, self.program.assembly.letter
        ends = {word for text in (*whole.results, *whole.pieces) for word in WORD.findall(text)}
        self.lines: list[str] = []
        texts: list[str] = []
        for n, item in enumerate(self.items):
            if isinstance(item, str):
                self.lines.append(item)
                continue
            later = ends.union(*[
                set(other.readers) if isinstance(other, Nests) else WORD.findall(other) for other in self.items[n + 1 :]
            ])  # fmt: skip
            own = {*item.place, *([H] if any(H + " = " in line for nest in item.nests for line in nest.before) else [])}
            texts.append(self._function(item, own, [name for name in (*item.place, H) if name in later & own]))
        self.loops = "\n\n\n".join(texts)
        names = loaded("\n".join([*IMPORTS, "", "", self.loops, ""]))
        result = f"({', '.join(whole.results)},), ({''.join(p + ', ' for p in whole.pieces)})"
        text = function(whole.name, [name for name, _ in whole.arguments], self.lines, result)
        space = {**whole.function.__globals__, **{k: v for k, v in names.items() if k.startswith("_loops")}}
        exec(compile(text, "<symgrad derivative program>", "exec"), space)  # our own source
        self.function = space[whole.name]

    def _function(self, nests: Nests, own: set[str], results: list[str]) -> str:
        """The source of some nests as a function; the line that calls it is added to the lines."""
        lines = []
        for k, nest in enumerate(nests.nests):
            wanted = {n for n in nest.defined if n in results or nests.readers.get(n, {k}) - {k}}
            lines += nest.source(wanted)
        given = [w for w in dict.fromkeys(WORD.findall("\n".join(lines))) if w in self._outside(own)]
        name = f"_loops{self.blocks}"
        self.blocks += 1
        called = ", ".join([f"{w}[()]" if w in self._numbers else w for w in given])
        if results:
            self.lines.append(f"{', '.join(results)} = {name}({called})")
        numbers = [n for n in results if n in nests.place and self._is_number(n)]
        self.lines += [f"{n} = np.{'bool_' if n in nests.truths else 'float64'}({n})" for n in numbers]
        text = "\n    ".join([f"{NUMBA}\ndef {name}({', '.join(given)}):", *lines, f"return {', '.join(results)}"])
        return text

    def shown(self, name: str, arguments: list[str], results: list[str], check: list[str]) -> str:
        """The source of the loops, and of a function of the arguments, which a file's checks first."""
        main = function(name, arguments, [*check, *self.lines], ", ".join(results))
        return f"{self.loops}\n\n\n{main}"

    def _is_number(self, name: str) -> bool:
        term = self.builder.terms.get(name)
        return (term is None and name == "F" and not self.program.rows) or (term is not None and not term.rank)

    def _outside(self, own: set[str]) -> set[str]:
        """The names that a function of nests may be given."""
        names = {name for name, _ in self.whole.arguments} | set(self.whole.constants)
        for item in self.items:
            names |= {item.split(" = ")[0]} if isinstance(item, str) else set(item.place)
        return names - own - {"np", "math"}


def nested(program: Any, values: list[Any]) -> Nested | None:
    """The program as nests, where its lines take longer to begin than to run."""
    count = len(program.whole.source.lines)
    if count > _limits.NESTED_LINES:
        return None
    try:
        found = Nested(program, values)
    except NotNested:
        return None
    return found if found.blocks and found.work <= _limits.NESTED_WORK * count else None


__all__ = ["Nested", "nested"]

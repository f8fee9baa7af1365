"""The module that a program is: its lines written, compiled, and what it takes and returns.

The idea to hold: one program can be written twice. As it runs, it takes from the tape what the tape has computed
already; as it reads, and where memory has been written since, it computes everything from its arguments.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from ..terms import Expr, Var, base_and_exponent
from ._definitions import Source
from ._dialects import NUMPY, Dialect
from ._fill import Filling
from ._helpers import helpers_of
from ._lower import Pattern
from ._parts import Parts
from ._terms import named
from ._variable_names import WORD, array_text, mentions, renamed

NAMES = {"f": "value", "g": "gradient", "h": "hessian", "j": "jacobian"}


class Module:
    """A program in one of its two forms.

    Attributes
    ----------
    function : takes the arguments, returns the outputs and the pieces (what must be finite: else the tape is asked)
    arguments : per argument its name and where it comes from
    reciprocals : by name of one over a power, the power: where it underflows, no later number shows it
    inner : the source that runs
    standalone : whether the source needs nothing of symgrad
    before_test : lines that a saved program's test begins with
    """

    before_test = ""

    def __init__(self, program: Any, given: dict[str, tuple[int, int]], dialect: Dialect = NUMPY) -> None:
        self.program = program
        builder, assembly = program.builder, program.assembly
        wanted = ([program.root] if "f" in program.outputs else []) + program.parts
        wanted += program.gradients if "g" in program.outputs else []
        needed = [name for atom in wanted for name in named(atom)] + assembly.names()
        shown = builder.behind(needed, given)
        live = self.live = shown | builder.behind(program.guards, given)
        self.reciprocals = {n: e for n in builder.terms if n in shown and (e := _power_below(builder.terms[n])) > 1}
        source = self.source = Source(builder, program.truths, dialect)
        inner = live - {*needed, *program.guards, *given}
        source.written_in, source.read_once = builder.only_summed(inner, live), builder.read_once(inner, live)
        for var in builder.names:
            if var.name in live and var.name not in given and var.name not in source.written_in:
                source.define(var.name, builder.terms[var.name], var.name in shown)
        self.structured: Parts | None = None
        self.filled_from = len(source.lines)  # the first line of the matrix
        self.results = self._results(source)
        self.standalone = source.standalone
        words = set(WORD.findall("\n".join([*source.lines, *self.results])))
        self.constants = {name: value for name, value in builder.constants.items() if name in words}
        places = {**program.inputs, **{name: ("saved", place) for name, place in given.items()}}
        self.arguments = [(name, place) for name, place in places.items() if name in words]
        self.pieces = self._pieces()
        self.name = NAMES[program.outputs] if len(program.outputs) == 1 else "derivatives"
        self.pattern: Any = Pattern(assembly.lower) if program.sparse and program.of_matrix else None
        self._compile()

    @property
    def caught(self) -> dict[str, Any]:
        """Arguments that the module has found itself, with their values."""
        return {}

    def _compile(self) -> None:
        """Make the function."""
        source = self.source
        result = f"({', '.join(self.results)},), ({''.join(p + ', ' for p in self.pieces)})"
        self.inner = inner = function(self.name, [name for name, _ in self.arguments], source.lines, result)
        self.function = loaded(inner, self.name, {**source.space, **self.constants})

    def _results(self, source: Source) -> list[str]:
        program = self.program
        results = []
        if "f" in program.outputs:
            source.lines.append(f"F = {own_array(source, program.root, 'F', program.rows)}")
            results.append("F")
        if "g" in program.outputs:
            results.append(self._several(source, program.gradients, "g", False))
        if program.parts:
            results.append(self._several(source, program.parts, "d", program.format == "trace"))
        elif program.of_matrix:
            self.filled_from = len(source.lines)
            results.append(self._matrix(source))
        return results

    def _pieces(self) -> list[str]:
        program = self.program
        pieces = [*program.guards, *[_looked_at(n, e, program.builder.terms[n]) for n, e in self.reciprocals.items()]]
        if program.parts:
            return [*pieces, *[f"d{k}" for k in range(len(program.parts))]]
        first = ["F"] if "f" in program.outputs else []
        if "g" in program.outputs:  # squares do not cancel, and are summed up fast
            first += [f"np.vdot(g{k}, g{k})" if shape else f"g{k} * g{k}" for k, shape in enumerate(program.shapes)]
        pieces += [" + ".join(first)] if first else []
        if not program.of_matrix:
            return pieces
        second = [p for p in program.assembly.pieces() if p in program.builder.terms]
        small = program.total <= _limits.FINITE_ROWS and program.format == "dense"
        return [*pieces, *([program.assembly.letter] if small and second else second)]

    def text(self, names: dict[str, str] | None = None, compiled: Any = None) -> str:
        """The source, each line with the formula that it computes; or that of which Numba compiles a part.

        ``names`` gives other names to arguments; the names on the way are numbered as they come.
        """
        arguments = [name for name, _ in self.arguments]
        plain = self.plain() if compiled is None else compiled.shown(self.name, arguments, self.results, [])
        constants = self.constants if compiled is None else {**self.constants, **compiled.constants}
        given = [_written_out(k, v) for k, v in constants.items() if mentions(plain, k)]
        text = "\n".join([*self.imports(plain), *(["", *given] if given else []), "", "", plain])
        return renamed(text, names or {}, self.name)

    def plain(self) -> str:
        """The source as it is: the helpers and the function."""
        return self.written([name for name, _ in self.arguments], [], self.results)

    def length(self) -> int:
        """How many lines the function's body has in the text."""
        return self.source.length() + 1  # and what it returns

    def written(self, arguments: list[str], first: list[str], results: list[str]) -> str:
        """The same: of these arguments, with lines before its own, and what it returns."""
        return function(self.name, arguments, [*first, *self.source.commented()], ", ".join(results))

    def beginning(self, given: list[str], constants: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """The first lines of a function that is saved, and the arrays that its file holds."""
        return [], constants

    def imports(self, source: str) -> list[str]:
        """The lines that import what a source needs."""
        others = [f"import scipy.{m}" for m in ("linalg", "special") if f"scipy.{m}." in source]
        first = ["import math", ""] if re.search(r"\bmath\.", source) else []
        return [*first, *(["import numba"] if "numba." in source else []), "import numpy as np", *others]

    def _matrix(self, source: Source) -> str:
        """The lines of the matrix of second derivatives, and what it is called."""
        if self.program.format == "structured":
            parts = Parts(self.program.assembly, source)
            kept = len(source.lines)
            if parts.write():
                self.structured = parts
                return f"({''.join(t + ', ' for t in parts.texts)})"
            del source.lines[kept:]
        filling = Filling(self.program.assembly, source)
        return filling.entries() if self.program.sparse else filling.matrix()

    def _several(self, source: Source, atoms: list[Expr], letter: str, numbers: bool) -> str:
        """One array (or number) per variable."""
        parts = []
        for k, (atom, shape) in enumerate(zip(atoms, self.program.shapes, strict=True)):
            if numbers or not shape:
                whole = f"{source.expression(atom, f'{letter.upper()}{k}')} * 1.0"
            else:
                whole = own_array(source, atom, f"{letter.upper()}{k}", shape)
            source.lines.append(f"{letter}{k} = {whole}")
            parts.append(f"{letter}{k}")
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def own_array(source: Source, atom: Expr, word: str, shape: tuple[int, ...]) -> str:
    """The text of an array that is nobody else's, of all its entries; of a number as it is."""
    text = source.expression(atom, word)
    covered = isinstance(atom, Var) or all(f.kind != "one" for f, _ in getattr(atom, "factors", ()))
    if not shape:
        return text
    if covered and atom.children:
        return f"{text} * 1.0" if text.isidentifier() else text
    return f"+{text}" if isinstance(atom, Var) else f"np.broadcast_to({text}, {shape}) * 1.0"


def _power_below(term: Expr) -> Any:
    """The power whose reciprocal a definition is; 0 of another one."""
    _, exponent = base_and_exponent(term)
    return -exponent if isinstance(exponent, int | float | Fraction) and exponent < 0 else 0


def _looked_at(name: str, exponent: Any, term: Expr) -> str:
    """What is infinite where an entry of such a reciprocal is 0, or has lost its digits."""
    if not term.rank:
        return f"1 / {name}"
    return f"1 / np.minimum.reduce({f'np.abs({name})' if exponent % 2 == 1 else name}, axis=None)"


def loaded(source: str, name: str, space: dict[str, Any]) -> Any:
    """The function of a source, whose other names are these."""
    space = {"np": np, "math": math, **space}
    if "scipy." in source:
        import scipy.linalg
        import scipy.special

        space["scipy"] = scipy
    exec(compile(source, "<symgrad derivative program>", "exec"), space)  # our own source
    return space[name]


def function(name: str, arguments: list[str], lines: list[str], result: str) -> str:
    """The source of a function, the helpers that it calls before it."""
    head = f"def {name}({', '.join(arguments)}):"
    body = "\n".join([head, *[f"    {line}" for line in lines], f"    return {result}"]) + "\n"
    return "\n\n\n".join([*helpers_of(body), body])


def _written_out(name: str, value: Any) -> str:
    """A constant's line in the text."""
    value = np.asarray(value)
    if value.size > _limits.WRITTEN_OUT:
        return f"{name} = ...  # not written out: {value.dtype} of shape {value.shape}"
    return f"{name} = {array_text(value)}"

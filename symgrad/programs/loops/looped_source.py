"""The source of a function with loops in it, in the words of NumPy, JAX or PyTorch: the loops stay loops.

The idea to hold: in NumPy a loop's values are found from step to step, in one small loop; the Jacobians of all steps at
once, on arrays. What carries derivatives from step to step is a linear recurrence, the second small loop. In JAX each
is one scan. For Numba each derivative is a loop, which finds what it needs of a step on its way. Everything else is the
chain rule, in a few products of matrices. The source that is shown and saved is also what runs (`ProgramWithLoops`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..dialects import NUMPY, Dialect
from ..helpers import WORD, helpers_of, mentions, renamed
from ..source_module import NAMES, Module
from ..translate import TranslatedModule
from .steps import ArrayStepSource, NumbaStepSource


def _beside(arrays: list[str]) -> str:
    """Arrays of as many rows, side by side."""
    return f"np.concatenate([{', '.join(arrays)}], 1)" if len(arrays) > 1 else arrays[0]


class ModuleWithLoops(Module):
    """A function with loops as a module.

    Parameters
    ----------
    program : what it is the source of (a `ProgramWithLoops`)
    given : names of what comes with every call
    dialect : whose words
    is_single : whether what is float32 in the user's loops is so here, as where the arguments are

    Attributes
    ----------
    arguments : names of what it takes, the user's first; ``caught`` has the values of the others
    constants : arrays that its source mentions by name
    """

    standalone: bool = True

    program: Any
    dialect: Dialect

    def __init__(self, program: Any, given: Iterable[str], dialect: Dialect = NUMPY, is_single: bool = False) -> None:
        self.program, self.dialect, self._given, self._is_single = program, dialect, list(given), is_single
        self.name: str = NAMES[program.outputs] if len(program.outputs) == 1 else "derivatives"
        self.constants: dict[str, np.ndarray] = {}
        self._caught: dict[str, Any] = {}
        self._own = {program.words[name]: name for name in self._given}  # the names here of the user's arguments
        self._parts: dict[str, tuple[Any, dict[str, str]]] = {}
        self.space: dict[str, Any] = {}
        self.source: Any = SimpleNamespace(space=self.space)  # of operations that only symgrad has
        self._around = self._part("around", program.outer)
        self._used = [self._part(f"used_by_{loop.name}", loop.part) for loop in program.inner]
        self._still = {v.name: self._part(f"data_of_{v.name}", v.still) for v in program.inner if v.still is not None}
        self._glue = self._body()
        self.results: list[Any] = [letter.upper() for letter in program.outputs]
        words = set(WORD.findall("\n".join(self._glue)))
        self.arguments: list[tuple[str, Any]] = [(n, None) for n in self._given] + [
            (n, None) for n in self._caught if n in words
        ]

    # ------------------------------------------------------------------------------------------ the small functions

    def _part(self, name: str, part: Any) -> str:
        """A call of the function of one of the programs around the loops."""
        module = self._translated(part.program)
        if not module.standalone:
            self.standalone = False
            self.space.update(module.source.space)
        names, handed = {}, []
        for own, _ in module.arguments:
            word, value = part.place(own)
            is_name = word is not None and word.isidentifier()
            names[own] = word if is_name else "weights" if word is not None else f"given_{own}"
            handed.append("{0}" if word is not None and not is_name else self._named(word, value))
        for value in module.constants.values():  # they are handed on: a dialect makes them arrays of its own
            handed.append(f"c{len(self._caught) + len(self.constants)}")
            self.constants[handed[-1]] = value
        self._parts[name] = module, names
        return f"{name}({', '.join(handed)})"

    def _named(self, word: str | None, value: Any) -> str:
        """The name of an argument or of a loop's values, or of an array that the function catches."""
        if word is not None:
            return self._own.get(word, word)
        name = f"c{len(self._caught) + len(self.constants)}"
        self._caught[name] = value
        return name

    def _functions(self) -> list[str]:
        """The sources of the functions that its own calls."""
        found = []
        for name, (module, names) in self._parts.items():
            arguments = ", ".join([*[own for own, _ in module.arguments], *module.constants])
            results = ", ".join(module.results) + ("," if len(module.results) == 1 else "")
            body = "\n    ".join([f"def {name}({arguments}):", *module.lines, f"return {results}"])
            found.append(renamed(f"{body}\n", names, name).rstrip("\n"))
        glue = "\n".join(self._glue)
        for loop in self.program.inner:
            steps = self._steps(loop).items()
            found += [self._in_words(text) for name, text in steps if mentions(glue, name)]
        return found

    def _steps(self, loop: Any) -> dict[str, str]:
        """The functions of one loop's steps."""
        name = loop.name
        if loop.is_compiled:
            return NumbaStepSource(loop.program, loop.directions, loop.size).functions(name)
        source = ArrayStepSource(loop.program, self.dialect)
        of_all = {f"jacobians_of_{name}": "jacobian", f"second_of_{name}": "second"}
        return {f"run_{name}": source.run(f"run_{name}")} | {n: source.at_once(n, which) for n, which in of_all.items()}

    # -------------------------------------------------------------------------------------------------- the chain rule

    def _body(self) -> list[str]:
        """The lines of the function itself."""
        program, lines = self.program, []
        for loop, call in zip(program.inner, self._used, strict=True):
            lines += self._loop(loop, call)
        found = [f"{letter}_" for letter in program.outer.program.outputs]
        lines.append(f"{', '.join(found)}{',' if len(found) == 1 else ''} = {self._around}")
        if "f_" in found:
            lines.append("F = f_")
        if "g_" in found:
            lines += self._arrived()
        if "g" in program.outputs:
            lines += self._gradient()
        if "j" in program.outputs:
            lines += self._jacobian()
        return [*lines, *(self._second("h_" in found) if "h" in program.outputs else [])]

    def _loop(self, loop: Any, call: str) -> list[str]:
        """Lines that run a loop, and find what its derivatives are made of."""
        name, size = loop.name, loop.size
        rows = [self._as_double(self._named(word, x), x) for word, x in loop.xs]
        flat = [f"np.reshape({x}, ({loop.length}, -1))" for x in rows]
        parts = [f"np.flip({_beside(flat)}, (0,))" if loop.reverse else _beside(flat)] if flat else []
        lines = [f"data_{name}, = {self._still[name]}"] if name in self._still else []
        if lines:
            parts.insert(0, f"data_{name}[{self._named(None, loop.places_of_still)}]")
        if loop.moving:
            parts.insert(0, f"used_{name}[places_{name}]")
        whole = _beside(parts or [f"np.zeros(({loop.length}, 0))"])
        k, outer = loop.state, f"used_{name}[{loop.state}:{loop.outer}]"
        lines += [
            f"places_{name} = {self._named(None, loop.places)}",
            f"g_, h_ = {call.format(f'np.ones({size})')}",
            f"used_{name}, moves_{name} = {self._in_single(loop, 'g_[0]')}, {self._moves(loop)}",
            f"rows_{name} = {self._in_single(loop, whole)}",
        ]
        if loop.is_compiled:
            given = f"used_{name}[:{k}], {outer}, np.ascontiguousarray(rows_{name}), places_{name}"
            return [*lines, f"given_{name} = {given}", f"{name} = run_{name}(*given_{name})"]
        run = f"run_{name}(used_{name}[:{k}], {outer}, rows_{name})"
        before = f"np.concatenate([used_{name}[None, :{k}], {name}[:-1, :{k}]])"
        return [
            *lines, f"{name} = {self._in_single(loop, run)}", f"given_{name} = {before}, {outer}, rows_{name}",
            f"J_{name} = jacobians_of_{name}(*given_{name})",
        ]  # fmt: skip

    def _as_double(self, name: str, value: np.ndarray) -> str:
        """What is run along, in the precision of steps: a dialect has its own."""
        return name if self.dialect is not NUMPY or value.dtype == np.float64 else f"np.asarray({name}, float)"

    def _in_single(self, loop: Any, text: str) -> str:
        """Numbers that are float32 where all is: what is too large for it is so here too."""
        return f"np.asarray({text}, np.float32)" if loop.is_single and self._is_single else text

    def _moves(self, loop: Any) -> str:
        """How what a loop uses moves with the arguments: an array, where it is the same everywhere."""
        constant = loop.moves is not None
        return self._named(None, loop.moves) if constant else f"h_[:{loop.size}, {loop.size}:]"

    def _arrived(self) -> list[str]:
        """Lines that pull the gradients in the loops' values through the loops."""
        lines, inner = [], list(enumerate(self.program.inner, len(self.program.shapes)))
        arriving = {loop.name: f"np.reshape(g_[{i}], {loop.shape})" for i, loop in inner}
        for _, loop in inner[::-1]:  # the last of them is fed by the others
            name = loop.name
            lines.append(f"row_{name}, weights_{name} = {self._pulled(loop, arriving[name])}")
            for other, columns in self._fed(loop).items():
                shape = next(v.shape for _, v in inner if v.name == other)
                before, arriving[other] = arriving[other], f"arrived_{other}"
                lines.append(
                    f"arrived_{other} = {before} + np.reshape(row_{name} @ moves_{name}[:, {columns}], {shape})"
                )
        return lines

    def _fed(self, loop: Any) -> dict[str, str]:
        """The loops whose values one uses, and the columns of these among all that it depends on."""
        sizes = {v.name: int(np.prod(v.shape)) for v in self.program.inner}
        found, at = {}, self.program.total
        for name in loop.fed:
            found[name] = f"{at}:{at + sizes[name]}"
            at += sizes[name]
        return found

    def _pulled(self, loop: Any, arriving: str) -> str:
        """The gradient in what a loop uses, and the weights of what each step gives."""
        name = loop.name
        if loop.is_compiled:
            return f"gradient_of_{name}({self._given_to(loop)}, {arriving})"
        return f"_vjp(J_{name}, {self._sizes(loop)}, {loop.size}, {arriving})"

    def _gradient(self) -> list[str]:
        shapes = self.program.shapes
        flat = [f"np.reshape(g_[{i}], (-1,))" for i in range(len(shapes))]
        row = f"np.concatenate([{', '.join(flat)}])" if len(flat) > 1 else flat[0]
        rates = [f"row_{v.name} @ moves_{v.name}{self._own_columns(v)}" for v in self.program.inner]
        lines, at, parts = [f"row = {' + '.join([row, *rates])}"], 0, []
        for shape in shapes:
            size = int(np.prod(shape))
            parts.append(f"np.reshape(row[{at}:{at + size}], {shape})")
            at += size
        every = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
        return [*lines, f"G = {every}"]

    def _second(self, second_order: bool) -> list[str]:
        """Lines of the second derivatives: of what is around the loops, of the loops, and of what they use."""
        program, terms = self.program, []
        lines = self._walked(second_order)
        if second_order:
            i, j, source = self._places()
            lines.append(f"rates = {self._together([v.name for v in program.inner], 'h_')}")
            terms.append(f"rates[{i}].T @ (h_[{source}][:, None] * rates[{j}])")
        for loop, call in zip(program.inner, self._used, strict=True):
            name = loop.name
            lines.append(f"curvature_{name} = {self._curvature(loop)}")
            rest = self._rest(loop)
            terms.append(f"moves_{name}.T @ curvature_{name}{rest}" if rest else f"curvature_{name}")
            if not loop.is_linear:
                lines.append(f"g_, h_{name} = {call.format(f'row_{name}')}")
                second = f"h_{name}[{loop.size}:, {loop.size}:]"
                if loop.fed:
                    lines.append(f"moved_{name} = {self._together(loop.fed, f'h_{name}')}")
                    second = f"moved_{name}.T @ {second} @ moved_{name}"
                terms.append(second)
        return [*lines, f"H = {' + '.join(terms)}", f"H = {self._in_form('0.5 * (H + H.T)')}"]

    def _jacobian(self) -> list[str]:
        """Lines of the Jacobian: what is around the loops moves with the arguments and with the loops' values."""
        i, j, source = self._places()
        size = f"({self.program.assembly.height}, {self.program.total})"
        whole = f"_rows_added(np.zeros({size}, dtype=j_.dtype), {i}, j_[{source}][:, None] * rates[{j}])"
        rates = self._together([v.name for v in self.program.inner], "j_")
        return [*self._walked(True), f"rates = {rates}", f"J = {self._in_form(whole)}"]

    def _places(self) -> list[str]:
        """The names of where derivatives of what is around the loops are, and in which order they are computed."""
        places = self.program.outer.program.whole.pattern
        return [self._named(None, a) for a in (places.rows, places.columns, places.gather)]

    def _in_form(self, matrix: str) -> str:
        return f"scipy.sparse.csr_array({matrix})" if self.program.sparse else matrix

    def _walked(self, is_read: bool) -> list[str]:
        """Lines that find how the loops move with the arguments: all of their values, where these are read."""
        program, lines = self.program, list[str]()
        feeding = {name for loop in program.inner for name in loop.fed}
        for loop in program.inner:
            if loop.fed:
                fed = [f"moves_{loop.name}[:, {columns}] @ values_{v}" for v, columns in self._fed(loop).items()]
                own = f"moves_{loop.name}{self._own_columns(loop)}"
                lines.append(f"moves_{loop.name} = {' + '.join([own, *fed])}")
            lines += self._pushed(loop, is_read or loop.name in feeding)
            if is_read or loop.name in feeding:
                flat = f"np.reshape(moved_{loop.name}, (-1, {self._size(loop)}))"
                lines.append(f"values_{loop.name} = {flat}{self._rest(loop)}")
        return lines

    def _own_columns(self, loop: Any) -> str:
        return f"[:, :{self.program.total}]" if loop.fed else ""

    def _together(self, loops: list[str], like: str) -> str:
        """How the arguments and the values of loops move with the arguments."""
        eye = f"np.eye({self.program.total}, dtype={like}.dtype)"
        return f"np.concatenate([{', '.join([eye, *[f'values_{name}' for name in loops]])}])"

    def _pushed(self, loop: Any, is_read: bool) -> list[str]:
        """Lines that find how a loop moves: all of its values where these are read."""
        name = loop.name
        if not loop.is_compiled:
            directions = f"np.eye({loop.size}, dtype=J_{name}.dtype)" if self._rest(loop) else f"moves_{name}"
            lines = [f"along_{name} = _tangents(J_{name}, {self._sizes(loop)}, {directions})"]
            return [*lines, f"moved_{name} = J_{name} @ along_{name}"] if is_read else lines
        directions = f"np.eye({loop.size})" if self._rest(loop) else f"np.ascontiguousarray(moves_{name})"
        lines = [f"along_{name} = {directions}"] if loop.moving else []
        moved = f"moved_{name} = tangents_of_{name}({self._given_to(loop)}{self._along(loop)})"
        return [*lines, moved] if is_read else lines

    def _given_to(self, loop: Any) -> str:
        """What the functions that Numba compiles take of a loop that has run."""
        return f"*given_{loop.name}, {loop.name}"

    def _along(self, loop: Any) -> str:
        """The directions that they take, where they are not the variables themselves."""
        return f", along_{loop.name}" if loop.moving else ""

    def _sizes(self, loop: Any) -> str:
        return f"{loop.state}, {loop.outer}, places_{loop.name}"

    def _rest(self, loop: Any) -> str:
        """A factor: how the directions in which tangents are carried move with the arguments, if they are others."""
        is_rest = loop.size <= self.program.total or (loop.is_compiled and not loop.moving)
        return f" @ moves_{loop.name}" if is_rest else ""

    def _size(self, loop: Any) -> int:
        """In how many directions they are."""
        return int(loop.size if self._rest(loop) else self.program.total)

    def _curvature(self, loop: Any) -> str:
        """The second derivatives of a loop's values, weighed."""
        name = loop.name
        if loop.is_compiled:
            return f"curvature_of_{name}({self._given_to(loop)}, weights_{name}{self._along(loop)})"
        return f"_curvature(second_of_{name}(*given_{name}, weights_{name}), along_{name})"

    # ---------------------------------------------------------------------------------------------------------- text

    @property
    def caught(self) -> dict[str, Any]:
        return self._caught

    def _translated(self, program: Any) -> Any:
        return program.whole

    def text(self, names: dict[str, str] | None = None, compiled: Any = None) -> str:
        """The source; ``names`` gives other names to arguments."""
        return super().text({own: word for own, word in (names or {}).items() if own in self._given}, compiled)

    def own(self, arguments: list[str], first: list[str], results: list[str]) -> str:
        """The source of its own function: of these arguments, with lines before its own, and what it returns."""
        body = [*first, *map(self._in_words, self._glue), f"return {', '.join(results)}"]
        return "\n    ".join([f"def {self.name}({', '.join(arguments)}):", *body]) + "\n"

    def written(self, arguments: list[str], first: list[str], results: list[str]) -> str:
        """The same with all functions that it calls."""
        text = "\n\n\n".join([*self._functions(), self.own(arguments, first, results)])
        return "\n\n\n".join([*self._helpers(text), text])

    def _in_words(self, text: str) -> str:
        return text

    def _helpers(self, text: str) -> list[str]:
        return helpers_of(text, self.dialect.helpers)


class TranslatedModuleWithLoops(ModuleWithLoops, TranslatedModule):
    """The same in a dialect that is not NumPy's."""

    def _translated(self, program: Any) -> Any:
        return TranslatedModule(program, self.dialect, program.variables)

    def _in_words(self, text: str) -> str:
        """New arrays have the dtype of the variables, and are where they are."""
        like = self._own[self.program.words[self.program.variables[0]]]
        text = re.sub(r"\bnp\.(ones|zeros)\((\d+|\(\d+, 0\))\)", rf"np.\1(\2, dtype={like}.dtype)", text)
        return self._beside(re.sub(r"\bnp\.", f"{self.dialect.library.module}.", text))

    def _helpers(self, text: str) -> list[str]:
        return list(map(self._beside, super()._helpers(text)))

    def _beside(self, text: str) -> str:
        """New arrays where that is whose dtype they have."""
        new = rf"\b({self.dialect.library.module}\.\w+\(.*?, dtype=(\w+)\.dtype)\)"
        return re.sub(new, lambda m: f"{m[1]}{self.dialect.beside.format(m[2])})", text)

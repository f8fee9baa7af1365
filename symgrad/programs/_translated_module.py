"""A program as a function of another library's arrays.

The idea to hold: it is the program's own text, line by line in the dialect's words, so that whoever knows the NumPy
program reads this one. Nothing in it looks at a value: what NumPy's program asks the tape about is NaN here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _limits
from ..terms import Map
from ._dialects import TORCH, Dialect
from ._source_module import Module
from ._terms import entries
from ._translate import Translation, masks
from ._variable_names import WORD, renamed


class TranslatedModule(Module):
    """A program in a dialect.

    Attributes
    ----------
    given : names of what comes with every call
    arguments : the variables, and what else it takes, by name
    constants : NumPy arrays that its source mentions by name
    """

    def __init__(self, program: Any, dialect: Dialect, given: Iterable[str]) -> None:
        self.given = set(given)
        self.dialect, self.before_test = dialect, dialect.before_test
        super().__init__(program, {}, dialect)

    def _compile(self) -> None:
        source, program, dialect = self.source, self.program, self.dialect
        words = {name for name, _ in self.arguments}
        self.arguments = [(n, place) for n, place in program.inputs.items() if n in words or n in program.variables]
        shown = masks(source.lines)
        self.constants = {
            name: value * 1.0 if value.dtype.kind == "b" and name not in shown else value
            for name, value in self.constants.items()
        }
        translation = Translation(dialect, program.variables[0], source.truths, source.lines)
        lines: list[str] = []
        for number, (line, note) in enumerate(source.lines_and_notes()):
            if number == self.filled_from:
                lines += [f"{name} = _once({name})" for name in self._spread()]
            found = translation.line(line)
            if found and note:
                found[-1] += f"  # {note}"
            lines += found
        self.results = [translation.expression(text) for text in self.results]
        lines += self._sound(program.guards)
        if translation.asked and dialect.like:
            floats = [name for name, _ in self.arguments if name in self.given - program.truths]
            lines.insert(0, f"{dialect.like} = {' + '.join([f'{name}.new_zeros(())' for name in floats])}")
        self.lines = lines

    def _spread(self) -> list[str]:
        """Arrays that each entry of the matrix would compute again: smaller than it by much, with functions in them."""
        if not self.dialect.fuses:
            return []
        program, terms = self.program, self.program.builder.terms
        read = dict.fromkeys(WORD.findall("\n".join(self.source.lines[self.filled_from :])))
        most = program.assembly.height * program.assembly.width / _limits.COMPUTED_AGAIN
        small = [name for name in read if name in terms and 1 < entries(terms[name].shape) <= most]
        return [name for name in small if any(map(_takes_long, map(terms.get, program.builder.behind([name], {}))))]

    def _sound(self, guards: list[str]) -> list[str]:
        """Lines that make every result NaN where the function has an edge that its program has not."""
        if not guards:
            return []
        xp = self.dialect.module
        finite = " & ".join([f"{xp}.all({xp}.isfinite({name}))" for name in guards])
        lines = [f"sound = {xp}.where({finite}, 1.0, float('nan'))"]
        names = dict.fromkeys(name for text in self.results for name in WORD.findall(text))
        return lines + [f"{name} = {name} * sound" for name in names]

    def written(self, arguments: list[str], first: list[str], results: list[str]) -> str:
        body = [*first, *self.lines, f"return {', '.join(results)}"]
        text = "\n".join([f"def {self.name}({', '.join(arguments)}):", *[f"    {line}" for line in body]]) + "\n"
        return "\n\n\n".join([*self._helpers(text), text])

    def beginning(self, given: list[str], constants: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Arguments become the library's arrays, and constants too, where they are: a file holds NumPy's."""
        array, first = self.dialect.array, self.program.variables[0]
        device = f", device={first}.device" if self.dialect is TORCH else ""
        lines = [f"{name} = {array}({name})" for name in given]
        for name, value in constants.items():
            dtype = f", dtype={first}.dtype" if value.dtype.kind == "f" else ""
            lines.append(f"{name} = {array}(_{name}{dtype}{device})")
        return lines, {f"_{name}": value for name, value in constants.items()}

    def _helpers(self, text: str) -> list[str]:
        found: list[str] = []
        words = set(WORD.findall(text))
        for name in reversed(list(self.dialect.helpers)):
            if name in words:
                found.insert(0, self.dialect.helpers[name])
                words.update(WORD.findall(found[0]))
        return found

    def imports(self, source: str) -> list[str]:
        modules = self.dialect.modules.items()
        return [line for word, line in modules if re.search(rf"(?<![\w.]){re.escape(word)}\.", source)]

    def text(self, names: dict[str, str] | None = None, compiled: Any = None) -> str:
        plain = self.plain()
        given = [f"{name} = {self.constant_text(value)}" for name, value in self.constants.items()]
        text = "\n".join([*self.imports("\n".join([*given, plain])), *(["", *given] if given else []), "", "", plain])
        return renamed(text, names or {}, self.name)

    def constant_text(self, value: Any) -> str:
        """A constant written out, or what it is if it is large."""
        value = np.asarray(value)
        if value.size > _limits.WRITTEN_OUT:
            return f"...  # not written out: {value.dtype} of shape {value.shape}"
        return array_of(self.dialect, value)

    def load(self, constants: dict[str, Any]) -> Any:
        """The function, with its constants as they are to be; it returns a tuple."""
        plain = self.plain()
        space: dict[str, Any] = dict(constants)
        exec("\n".join(self.imports(plain)), space)
        exec(compile(plain, f"<symgrad derivative program for {self.dialect.name}>", "exec"), space)  # our own source
        function = space[self.name]
        return function if len(self.results) > 1 else lambda *args: (function(*args),)


def _takes_long(term: Any) -> bool:
    """Whether a definition is a function that is not a few products."""
    if not isinstance(term, Map) or term.op.kind == "constant":
        return False
    return term.op.name != "pow_scalar" or term.params[0] not in (2, 3, 4)


def array_of(dialect: Dialect, value: np.ndarray) -> str:
    """An array as the dialect writes it."""
    numbers = re.sub(r"\b(inf|nan)\b", r"math.\1", repr(value.tolist()))
    if dialect is TORCH:
        return f"torch.tensor({numbers}, dtype=torch.{value.dtype.name})"
    return f"np.array({numbers}, dtype={value.dtype.name!r})"

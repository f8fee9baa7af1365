"""The module that a program is: its lines written, compiled, and saved as a file that tests itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from .. import _limits
from ..terms import Expr, Var
from .definitions import Source, is_rearranged
from .dialects import NUMPY, Dialect
from .fill import Filling, StructuredParts
from .graph_terms import named
from .helpers import HELPERS, WORD, array_text, helpers_of, mentions, renamed
from .linear import Pattern
from .survey import Unprogrammable

# --------------------------- The module that a program is: its lines written, compiled, and what it takes and returns

# The idea to hold: one program can be written twice. As it runs, it takes from the tape what the tape has computed
# already; as it reads, and where memory has been written since, it computes everything from its arguments.


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
    """

    program: Any
    dialect: Dialect
    live: Any
    source: Source
    inner: str
    function: Any

    def __init__(self, program: Any, given: dict[str, tuple[int, int]], dialect: Dialect = NUMPY) -> None:
        self.program, self.dialect = program, dialect
        builder, assembly = program.builder, program.assembly
        wanted = ([program.root] if "f" in program.outputs else []) + program.parts
        wanted += program.gradients if "g" in program.outputs else []
        needed = [name for atom in wanted for name in named(atom)] + assembly.names()
        shown = builder.behind(needed, given)
        live = self.live = shown | builder.behind(program.must_be_finite, given)
        self.reciprocals: dict[Any, Any] = {
            n: e for n in builder.terms if n in shown and (e := _power_below(builder.terms[n])) > 1
        }
        source = self.source = Source(builder, program.truths, dialect)
        inner = live - {*needed, *program.must_be_finite, *given}
        source.written_in, source.read_once = builder.only_summed(inner, live), builder.read_once(inner, live)
        for var in builder.names:
            if var.name in live and var.name not in given and var.name not in source.written_in:
                source.define(var.name, builder.terms[var.name], var.name in shown)
        self.structured: StructuredParts | None = None
        self.filled_from: int = len(source.lines)  # the first line of the matrix
        self.results: list[str] = self._results(source)
        self.standalone: bool = source.standalone
        words = set(WORD.findall("\n".join([*source.lines, *self.results])))
        self.constants: dict[Any, Any] = {name: value for name, value in builder.constants.items() if name in words}
        places = {**program.inputs, **{name: ("saved", place) for name, place in given.items()}}
        self.arguments: list[tuple[Any, Any]] = [(name, place) for name, place in places.items() if name in words]
        self.pieces: list[str] = self._pieces()
        self.name: str = NAMES[program.outputs] if len(program.outputs) == 1 else "derivatives"
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
        self.function = function_of_module(inner, self.name, {**source.space, **self.constants})

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
        pieces = [
            *program.must_be_finite,
            *[_looked_at(n, e, program.builder.terms[n]) for n, e in self.reciprocals.items()],
        ]
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
        given = [self._written_out(k, v) for k, v in constants.items() if mentions(plain, k)]
        text = "\n".join([*self.imports("\n".join([*given, plain])), *(["", *given] if given else []), "", "", plain])
        return renamed(text.lstrip("\n"), names or {}, self.name)

    @property
    def lines(self) -> list[str]:
        """The lines of the function's body, with the formulas that they compute."""
        return self.source.commented()

    def plain(self) -> str:
        """The source as it is: the helpers and the function."""
        return self.written([name for name, _ in self.arguments], [], self.results)

    def length(self) -> int:
        """How many lines the function's body has in the text."""
        return self.source.length() + 1  # and what it returns

    def written(self, arguments: list[str], first: list[str], results: list[str]) -> str:
        """The same: of these arguments, with lines before its own, and what it returns."""
        return function(self.name, arguments, [*first, *self.lines], ", ".join(results), self.dialect.helpers)

    def beginning(self, given: list[str], constants: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """The first lines of a function that is saved, and the arrays that its file holds."""
        return [], constants

    def imports(self, source: str) -> list[str]:
        """The lines that import what a source needs."""
        lines = self.dialect.library.imports_of(source)
        return [lines[0], "", *lines[1:]] if "import math" in lines else lines

    def _written_out(self, name: str, value: Any) -> str:
        """A constant's line in the text."""
        value = np.asarray(value)
        if value.size > _limits.WRITTEN_OUT:
            return f"{name} = ...  # not written out: {value.dtype} of shape {value.shape}"
        return f"{name} = {array_text(value, self.dialect.written)}"

    def _matrix(self, source: Source) -> str:
        """The lines of the matrix of second derivatives, and what it is called."""
        if self.program.format == "structured":
            parts = StructuredParts(self.program.assembly, source)
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
        return f"{text} * 1.0" if text.isidentifier() or is_rearranged(atom) else text
    return f"+{text}" if isinstance(atom, Var) else f"np.broadcast_to({text}, {shape}) * 1.0"


def _power_below(term: Expr) -> Any:
    """The power whose reciprocal a definition is; 0 of another one."""
    _, exponent = term.as_power
    return -exponent if isinstance(exponent, int | float | Fraction) and exponent < 0 else 0


def _looked_at(name: str, exponent: Any, term: Expr) -> str:
    """What is infinite where an entry of such a reciprocal is 0, or has lost its digits."""
    if not term.rank:
        return f"1 / {name}"
    return f"1 / np.minimum.reduce({f'np.abs({name})' if exponent % 2 == 1 else name}, axis=None)"


def function_of_module(source: str, name: str, space: dict[str, Any]) -> Any:
    """The function of a source, whose other names are these."""
    space = {"np": np, "math": math, **space}
    if "scipy." in source:
        import scipy.linalg
        import scipy.special

        space["scipy"] = scipy
    exec(compile(source, "<symgrad derivative program>", "exec"), space)  # our own source
    return space[name]


def function(
    name: str, arguments: list[str], lines: list[str], result: str, helpers: Mapping[str, str] = HELPERS
) -> str:
    """The source of a function, the helpers that it calls before it."""
    head = f"def {name}({', '.join(arguments)}):"
    body = "\n".join([head, *[f"    {line}" for line in lines], f"    return {result}"]) + "\n"
    return "\n\n\n".join([*helpers_of(body, helpers), body])


# -------------------------------------------------------------------------------------------------------------------
# A program as a file: Python source that needs NumPy (and SciPy where its functions do), and tests itself

# The idea to hold: the file holds the program's own text, the arrays that the program takes as given, and one point
# with its results, so that whoever runs it sees at once whether it still computes what it did.


_TEST = '''

def _test():
    """Compare the results at one point with those of the day this was written."""
{before}    for _found, _truth in zip({call}, _results()):
        for _a, _b in zip(_found, _truth) if isinstance(_truth, tuple) else [(_found, _truth)]:
            np.testing.assert_allclose({shown}, _b, rtol={rtol}, atol={rtol} * np.max(np.abs(_b), initial=0))
    print("{name}: as it should be")


if __name__ == "__main__":
    _test()
'''

_CHECK = """\
for _name, _given, _shape in ({checked}):
    if np.shape(_given) != _shape:
        _text = "%s has shape %s; this was written for %s: save it anew"
        raise ValueError(_text % (_name, np.shape(_given), _shape))"""


def write_module(
    path: Any, module: Module, values: dict[str, Any], given: dict[str, str], title: str, order: list[int],
    results: Any, compiled: Any = None, dtypes: list[list[np.dtype[Any]]] | None = None,
) -> None:  # fmt: skip
    """Write a program to ``path``; ``given`` are the arguments of its function and their names in the file, all else
    becomes part of it.

    ``order`` says which of its results (those of NumPy's program) comes where, ``dtypes`` what each part of these is
    returned in, ``compiled`` what Numba compiles (a `ScalarForm`, a `Nested`).
    """
    if not module.standalone:
        own = sorted([name.removeprefix("op_") for name in module.source.space])
        raise Unprogrammable("it calls operations that only symgrad has: " + ", ".join(own))
    if module.program.sparse:
        raise Unprogrammable("its matrix is sparse")
    if results is None:
        raise Unprogrammable("its results at this point are not finite")
    checked = "".join([f"({word!r}, {k}, {np.shape(values[k])}), " for k, word in given.items()]).rstrip()
    check, constants = _CHECK.format(checked=checked).splitlines(), {**values, **module.constants}
    constants |= {} if compiled is None else compiled.constants
    constants = {k: np.asarray(v) for k, v in constants.items() if k not in given}
    results, texts = tuple([results[k] for k in order]), [module.results[k] for k in order]
    if dtypes is not None:
        texts = list(starmap(_brought, zip(texts, results, dtypes, strict=True)))
        results = tuple(starmap(_with_dtypes, zip(results, dtypes, strict=True)))
    if compiled is None:
        mentioned = module.written(list(given), [], texts)
        constants = {k: v for k, v in constants.items() if mentions(mentioned, k)}
        lines, arrays = module.beginning(list(given), constants)
        body = module.written(list(given), [*check, *lines], texts)
    else:
        body = compiled.shown(module.name, list(given), texts, check)
        arrays = {k: v for k, v in constants.items() if mentions(body, k)}
    arrays |= {f"_at_{name}": values[name] for name in given}
    arrays = {name: np.asarray(value) for name, value in arrays.items()}
    large: dict[str, np.ndarray] = {}
    imports = module.imports(f"{body}\nnp.testing\n{module.dialect.before_test}")
    head = [f'"""{title}: written by symgrad; run it to test it."""', "", *imports]
    if any(v.size > _limits.SAVED_ENTRIES for v in (*arrays.values(), *_flat(results))):
        head += ["from pathlib import Path"]
        head += ["", 'with np.load(Path(__file__).with_suffix(".npz")) as _file:', "    _data = dict(_file)"]
    defined = [f"{name} = {_array(name, value, large)}" for name, value in arrays.items()]
    test = _test(module, list(given), results, large)
    text = "\n".join([*head, "", *defined, "", "", body, *test])
    text = renamed(text, {**given, **{f"_at_{n}": f"_at_{word}" for n, word in given.items()}}, module.name)
    path = Path(path)
    if large:
        np.savez(path.with_suffix(".npz"), **large)  # type: ignore[arg-type]
    path.write_text(text, encoding="utf-8")


def _brought(text: str, result: Any, dtypes: list[np.dtype[Any]]) -> str:
    """The text of a result in the dtypes of its parts: a constant beside short floats makes others of them."""
    several = isinstance(result, tuple)
    parts, texts = (result, text[1:-1].split(", ")) if several else ((result,), [text])
    found = [
        t if np.asarray(p).dtype == d else f"np.asarray({t}, {d.name!r})[()]"
        for t, p, d in zip(texts, parts, dtypes, strict=True)
    ]
    return f"({', '.join(found)})" if several else found[0]


def _with_dtypes(result: Any, dtypes: list[np.dtype[Any]]) -> Any:
    if isinstance(result, tuple):
        return tuple(starmap(np.asarray, zip(result, dtypes, strict=True)))
    return np.asarray(result, dtypes[0])


def _test(module: Module, given: list[str], results: Any, large: dict[str, np.ndarray]) -> list[str]:
    """The functions that compare the results at one point with those of today."""
    texts = []
    for k, value in enumerate(results):
        parts = value if isinstance(value, tuple) else (value,)
        inner = [_array(f"_result_{k}_{i}", np.asarray(p), large) for i, p in enumerate(parts)]
        texts.append(f"({', '.join(inner)},)" if isinstance(value, tuple) else inner[0])
    call = f"{module.name}({', '.join(f'_at_{n}' for n in given)})"
    short = any(np.finfo(v.dtype).eps > 1e-10 for v in _flat(results) if v.dtype.kind == "f")
    call, rtol = call if len(results) > 1 else f"[{call}]", 1e-4 if short else 1e-9
    test = _TEST.format(name=module.name, call=call, rtol=rtol, before=module.dialect.before_test,
                        shown=module.dialect.shown.format("_a"))  # fmt: skip
    doc = '    """What came out at the point of the test."""'
    return ["", "def _results():", doc, f"    return ({', '.join(texts)},)", test]


def _flat(results: Any) -> list[np.ndarray]:
    return [np.asarray(p) for value in results for p in (value if isinstance(value, tuple) else (value,))]


def _array(name: str, value: np.ndarray, large: dict[str, np.ndarray]) -> str:
    """An array as source: written out if it is small, else by its name in the file beside."""
    if value.size > _limits.SAVED_ENTRIES:
        large[name] = value
        return f"_data[{name!r}]"
    return array_text(value)

"""A program of few numbers, as steps on single numbers instead of calls of NumPy; and its lines."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..files import loaded
from ..graph_terms import entries_of
from .scalars import BINARY, FUNCTIONS, TRUTHS, NotScalar, Scalar, Steps, as_objects, lines_behind, run

# ---------------------------------- The steps of a program on single numbers, as lines of Python that Numba reads too

# The idea to hold: a number that is used once stands in the line that uses it; one that is used again has a name.
# Brackets keep the order of what rounds.


_ATOM, _SIGNED, MULTIPLIED = 9, 2, 3  # how tight they bind


class ScalarText:
    """Lines that compute some numbers.

    Parameters
    ----------
    steps, wanted, must_be_finite : all numbers, those to compute, and those that must be finite beside them
    dropped : those that were multiplied by 0, which must be finite too (default: all of the steps')

    Attributes
    ----------
    lines : the lines, in order
    checked : the numbers that are looked at: where they are finite, all are that must be, and the lines may be trusted
    """

    def __init__(self, steps: Steps, wanted: list[Any], must_be_finite: list[Any], dropped: Any = None) -> None:
        self.lines: list[str] = []
        results = _distinct([*wanted, *must_be_finite])
        dropped = list(steps.dropped.values() if dropped is None else dropped)
        self.live: list[Scalar] = sorted(_behind([*results, *dropped]), key=lambda a: a.number)
        self.checked: list[Scalar] = _telling(self.live, {a.number for a in (*results, *dropped)})
        self._uses = dict.fromkeys([a.number for a in self.live], 0)
        for a in (*self.checked, *results):  # they are returned, and looked at
            self._uses[a.number] += 1
        for a in self.live:
            for b in a.args:
                if isinstance(b, Scalar):
                    self._uses[b.number] += 1 if a.op in BINARY or a.op == "neg" else 2  # once in a text of one name
        for a in results:
            self._uses[a.number] += 1
        self._texts: dict[int, tuple[str, int]] = {}
        named = 0
        for a in self.live:
            text, tight = self._written(a)
            if a.op and (self._uses[a.number] > 1 or len(text) > _limits.SCALAR_LINE):
                self.lines.append(f"v{named} = {text}")
                text, tight = f"v{named}", _ATOM
                named += 1
            self._texts[a.number] = text, tight

    @property
    def cost(self) -> int:
        """The steps, a function as some."""
        return sum([1 if a.op in BINARY or a.op in ("neg", "") else 3 for a in self.live])

    def text(self, a: Any, least: int = 0) -> str:
        """A number as an expression; in brackets if it binds less tightly."""
        if not isinstance(a, Scalar):
            if isinstance(a, bool):
                return repr(a)
            written = repr(float(a)) if math.isfinite(a) else f"float('{a}')"
            return f"({written})" if written.startswith("-") and least > _SIGNED else written
        text, tight = self._texts[a.number]
        return text if tight >= least else f"({text})"

    def _written(self, a: Scalar) -> tuple[str, int]:
        if not a.op:
            return a.name, _ATOM
        if a.op == "neg":
            return f"-{self.text(a.args[0], 4)}", _SIGNED
        if a.op in BINARY:
            form, tight, _ = BINARY[a.op]
            first, second = a.args
            left = self.text(first, tight if isinstance(first, Scalar) else 0)
            right = self.text(second, tight + 1)
            if a.op in "+-" and right.startswith("-"):
                form, right = BINARY["-" if a.op == "+" else "+"][0], right[1:]  # a + -2 * b is a - 2 * b
            return form.format(left, right), tight
        form = self.form_of(a.op)
        least = 0 if form.startswith(("math.", "np.")) else _ATOM
        return form.format(*[self.text(b, least) for b in a.args]), _ATOM

    def form_of(self, op: str) -> str:
        """A function's text, with places for what it is of."""
        return (FUNCTIONS.get(op) or TRUTHS[op])[0]

    def finite(self) -> list[str]:
        """Lines after which ``finite`` is finite if all numbers that must be are: a sum of them."""
        texts = [self.text(a, 2) for a in self.checked] or ["0.0"]
        width = _limits.SCALAR_SUM
        lines = ["finite = " + " + ".join(texts[:width])]
        return lines + [f"finite += {' + '.join(texts[k : k + width])}" for k in range(width, len(texts), width)]


def without(numbers: Iterable[Scalar], names: Iterable[str]) -> list[Scalar]:
    """Those of the numbers that do not rest on inputs of these names."""
    names = set(names)
    return [a for a in numbers if not any(not b.op and b.name in names for b in _behind([a]))]


def _distinct(numbers: list[Any]) -> list[Scalar]:
    return list({a.number: a for a in numbers if isinstance(a, Scalar)}.values())


def _behind(numbers: Iterable[Scalar]) -> set[Scalar]:
    """These numbers and all that they are made of."""
    todo, seen = list(numbers), set()
    while todo:
        a = todo.pop()
        if a not in seen:
            seen.add(a)
            todo += [b for b in a.args if isinstance(b, Scalar)]
    return seen


_PASSING_ON = frozenset({
    "+", "-", "neg", "*", "abs", "hypot", "sqrt", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh",
    "asin", "acos", "asinh", "acosh", "atanh",
})  # fmt: skip
"""Operations that have no finite result where an operand is not finite; of a quotient, this is the numerator."""


def _telling(live: list[Scalar], needed: set[int]) -> list[Scalar]:
    """Of the numbers that must be finite those that are not seen to be where others are, which rest on them."""
    found, seen = [], set()
    for a in reversed(live):
        if a.number in needed and a.number not in seen:
            found.append(a)
            seen.add(a.number)
        if a.number in seen:
            passing = a.args if a.op in _PASSING_ON else a.args[:1] if a.op == "/" else ()
            seen |= {b.number for b in passing if isinstance(b, Scalar)}
    return found[::-1]


def entry_names(name: str, shape: tuple[int, ...]) -> Any:
    """The names of an array's entries, in its shape."""
    names = [name if not shape else "_".join([name, *map(str, place)]) for place in np.ndindex(*shape)]
    return np.array(names, dtype=object).reshape(shape)


# ------------------------------------- A program of few numbers, as steps on single numbers instead of calls of NumPy

# The idea to hold: a call of NumPy takes as long as some twenty of Python's own operations. Where a program has fewer
# of those, they are quicker, and give the same but for the last bit of ``exp`` and its like, which are the C library's.
# Where Python raises (1/0, exp(1000)) or a number is not finite, the program of arrays decides.


NUMBA = '@numba.njit(error_model="numpy")'
MATRICES = ("H", "J")
IMPORTS = ["import math", "", "import numba", "import numpy as np"]


class Input(NamedTuple):
    """An argument: its name, its shape, and whether it is an array (or one of Python's numbers)."""

    name: str
    shape: tuple[int, ...]
    is_array: bool


class Output(NamedTuple):
    """A result: its name, and its numbers in the shape in which it comes out."""

    name: str
    numbers: np.ndarray


class ScalarForm:
    """The steps of a program, and its results.

    Attributes
    ----------
    inputs : what its function takes, in order
    outputs : by letter, what it returns
    steps, must_be_finite : all numbers, and those that are infinite, or none, where the tape has an edge
    text : the steps as lines
    lines : how many lines the program has as one of arrays
    constants : arrays that the text mentions by name: it mentions none
    """

    constants: Mapping[str, np.ndarray] = MappingProxyType({})

    shape: tuple[int, ...]
    matrix: tuple[Any, Any]
    steps: Steps
    must_be_finite: list[Any]
    lines: int

    def __init__(
        self, program: Any, inputs: list[Input], constants: dict[str, Any], shape: tuple[int, ...],
        most: int | None = None,
    ) -> None:  # fmt: skip
        module = program.whole
        steps = Steps(most)
        self.inputs = inputs
        space = {name: as_objects(value) for name, value in {**module.constants, **constants}.items()}
        self.names: dict[str, np.ndarray] = {}
        for x in inputs:
            names = self.names[x.name] = entry_names(x.name, x.shape)
            given = [steps.input(name) for name in names.reshape(-1)]
            space[x.name] = np.array([*given, None], dtype=object)[:-1].reshape(x.shape)
        wanted = [name for text in module.results for name in text.strip("()").split(", ")]
        found = run(module.source.lines, steps, space, [*wanted, *program.must_be_finite, *module.reciprocals])
        self.outputs: dict[str, list[Output]] = {letter: [] for letter in program.outputs}
        for name, value in zip(wanted, found, strict=False):
            self.outputs[name[0].lower()].append(Output(name, value.reshape(shape) if name in MATRICES else value))
        self.several: bool = len(program.shapes) > 1
        self.shape, self.matrix = shape, (program.assembly.height, program.assembly.width)
        results = [number for parts in self.outputs.values() for _, value in parts for number in value.reshape(-1)]
        end = len(wanted) + len(program.must_be_finite)
        must_be_finite = [number for value in found[len(wanted) : end] for number in value.reshape(-1)]
        must_be_finite += [steps.of("/", 1.0, number) for value in found[end:] for number in value.reshape(-1)]
        if not all(isinstance(number, Scalar) or math.isfinite(number) for number in (*results, *must_be_finite)):
            raise NotScalar("a result is not finite, whatever the arguments")
        self.steps, self.must_be_finite = steps, must_be_finite
        self.text: ScalarText = ScalarText(steps, results, must_be_finite)
        self.lines, self._source = _lines(program), module.source.lines

    def dropped_for(self, output: Output) -> list[Scalar]:
        """The numbers that were dropped in the lines that a result rests on."""
        found: dict[int, Scalar] = {}
        for k in lines_behind(output.name, self._source):
            found |= self.steps.dropped_in.get(k, {})
        return list(found.values())

    @property
    def for_python(self) -> bool:
        """Whether Python takes the steps in less time than NumPy the program's lines."""
        return self.cost <= _limits.SCALAR_GAIN * self.lines

    @property
    def for_numba(self) -> bool:
        """Whether Numba compiles the steps in a time that is worth it."""
        return self.cost <= _limits.SCALAR_COMPILED

    @property
    def cost(self) -> int:
        """About how many of Python's operations it takes: an entry of an array takes half of one."""
        return self.text.cost + sum([v.numbers.size for parts in self.outputs.values() for v in parts]) // 2

    def head(self) -> list[str]:
        """Lines that see whether the arguments are those it is made for, and take them apart."""
        tests = []
        for a, shape, is_array in self.inputs:
            if is_array:
                order = f" or not {a}.flags.c_contiguous" if len(shape) > 1 else ""  # others have programs of their own
                tests.append(f"type({a}) is not ndarray or {a}.dtype is not double or {a}.shape != {shape}{order}")
            else:
                tests.append(f"not isinstance({a}, float)")
        return [*([f"if {' or '.join(tests)}:", "    return None"] if tests else []), *self.apart()]

    def apart(self) -> list[str]:
        """Lines that take the arguments apart."""
        lines = []
        for a, shape, _ in self.inputs:
            names = ", ".join(self.names[a].reshape(-1))
            if not shape:
                lines.append(f"{a} = float({a})")  # a NumPy number does not raise where Python's does
            elif names:
                flat = a if len(shape) == 1 else f"{a}.reshape(-1)"
                lines.append(f"{names}{',' if ',' not in names else ''} = {flat}.tolist()")
        return lines

    def function(self, order: str) -> Callable[..., Any]:
        """A function of the arguments that returns its results, in this order, or None where it has none."""
        space: dict[str, Any] = {"pack": struct.pack}
        body = [*self.text.lines, *self.text.finite()]
        inner = ["try:", *[f"    {line}" for line in body], "except (ArithmeticError, ValueError):", "    return None"]
        inner += ["if not isfinite(finite):", "    return None"]
        texts: dict[str, list[str]] = {letter: [] for letter in order}
        for letter, parts in self.outputs.items():
            texts[letter] = [self._array(value.numbers, space) for value in parts]
        return self._made([*inner, self.returned(texts, order)], space)

    def returned(self, texts: dict[str, list[str]], order: str) -> str:
        """The line that returns results, given as texts by letter."""
        found = [
            f"({', '.join(texts[letter])},)" if letter == "g" and self.several else texts[letter][0] for letter in order
        ]
        return f"return {found[0] if len(found) == 1 else ', '.join(found)}"

    def _made(self, lines: list[str], space: dict[str, Any]) -> Callable[..., Any]:
        names = ", ".join([x.name for x in self.inputs])
        text = "\n    ".join([f"def derivatives({names}):", *self.head(), *lines])
        space |= {"math": math, "isfinite": math.isfinite, "ndarray": np.ndarray, "array": np.array}
        space |= {"float64": np.float64, "double": np.dtype(np.float64)}
        exec(compile(text, "<symgrad derivative program, number by number>", "exec"), space)  # our own source
        function: Callable[..., Any] = space["derivatives"]
        return function

    def kernel(self) -> str:
        """A function that Numba compiles: it takes numbers one by one, writes arrays, and returns single numbers."""
        every = [out for parts in self.outputs.values() for out in parts]
        given = [name for x in self.inputs for name in self.names[x.name].reshape(-1)]
        lines = [*self.text.lines]
        for name, numbers in every:
            for place in np.ndindex(*numbers.shape) if numbers.shape else ():
                if isinstance(numbers[place], Scalar) or numbers[place]:
                    lines.append(f"{name}[{', '.join(map(str, place))}] = {self.text.text(numbers[place])}")
        single = [self.text.text(value.item()) for _, value in every if not value.shape]
        arguments = ", ".join([*given, *[name for name, value in every if value.shape]])
        result = f"return {', '.join([*single, 'finite'])}"
        return "\n    ".join([f"{NUMBA}\ndef _steps({arguments}):", *lines, *self.text.finite(), result]) + "\n"

    def called(self) -> list[str]:
        """The lines that call it."""
        every = [out for parts in self.outputs.values() for out in parts]
        arrays = [(name, value) for name, value in every if value.shape]
        given = [name for x in self.inputs for name in self.names[x.name].reshape(-1)]
        results = [name for name, value in every if not value.shape]
        return [
            *[f"{name} = np.zeros({value.shape})" for name, value in arrays],
            f"{', '.join([*results, 'finite'])} = _steps({', '.join([*given, *[name for name, _ in arrays]])})",
        ]

    def _named(self) -> dict[str, list[str]]:
        """Results by letter, by their names."""
        return {letter: [v.name if v.numbers.shape else f"np.float64({v.name})" for v in parts]
                for letter, parts in self.outputs.items()}  # fmt: skip

    def compiled(self, order: str) -> Callable[..., Any]:
        """The same function as `function` makes, its steps compiled by Numba."""
        steps = loaded("\n".join([*IMPORTS, "", "", self.kernel()]))["_steps"]
        lines = [*self.called(), "if not isfinite(finite):", "    return None", self.returned(self._named(), order)]
        return self._made(lines, {"_steps": steps, "np": np})

    def shown(self, name: str, arguments: list[str], results: list[str], check: list[str]) -> str:
        """The source of the steps, and of a function of the arguments, which a file's checks first."""
        texts = [
            f"np.reshape({t}, {self.matrix})" if t in MATRICES and self.shape != self.matrix else t for t in results
        ]
        inputs = {x.name for x in self.inputs}
        lines = [*check, *self.apart(), *self.called(), f"return {', '.join(texts)}"]
        head = f"def {name}({', '.join([a for a in arguments if a in inputs or check])}):"
        text = "\n    ".join([head, *lines])
        return f"{self.kernel()}\n\n{text}\n"

    def _array(self, numbers: np.ndarray, space: dict[str, Any]) -> str:
        """An array of numbers as an expression: bytes that are packed are quicker than a list but for the shortest."""
        texts = [self.text.text(a) for a in numbers.reshape(-1)]
        if numbers.shape and not any(isinstance(a, Scalar) for a in numbers.reshape(-1)):  # the same in each call
            constant = f"constant{len(space)}"
            space[constant] = numbers.astype(np.float64)
            return f"{constant}.copy()"
        if not numbers.shape:
            return f"float64({texts[0]})"
        if numbers.shape in ((1,), (2,)):
            return f"array([{', '.join(texts)}])"
        packing = f"pack{numbers.size}"
        space[packing] = struct.Struct(f"{numbers.size}d").pack
        return f"ndarray({numbers.shape}, double, bytearray({packing}({', '.join(texts)})))"


def scalar_form(
    program: Any, inputs: list[Input], constants: dict[str, Any], shape: tuple[int, ...]
) -> ScalarForm | None:
    """The steps of a program, where they are worth it: where Python's are fewer, or Numba's not too many to compile."""
    if program.sparse or sum([entries_of(x.shape) for x in inputs]) > _limits.SCALAR_INPUTS:
        return None
    arrays = [entries_of(term.shape) for name, term in program.builder.terms.items() if name in program.whole.live]
    given = sum([np.size(value) for value in (*constants.values(), *program.whole.constants.values())])
    if max([_lines(program), given, *arrays]) > _limits.SCALAR_STEPS:
        return None
    try:
        form = ScalarForm(program, inputs, constants, shape)
    except NotScalar:
        return None
    return form if form.for_python or form.for_numba else None


def _lines(program: Any) -> int:
    """How many lines of NumPy a program has."""
    inner: str = program.whole.inner
    return inner.count("\n") - inner.count('"""')

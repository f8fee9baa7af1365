"""What `sg.compile` keeps of one structure of arguments, and what Python decides by values meanwhile."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _limits
from ..._config import default_dtype
from ..._errors import GradientError, SymbolicBranchError, refusal, require_not_refused
from ..._trees import postorder
from ...core import (
    Facts,
    Symbol,
    Tensor,
    edge,
    found_from_values,
    make_symbol,
    modes,
    no_numbers,
    origin_of,
    reachable,
    unwrap,
    wrap,
)
from ...core.storage import layout, memory_as
from ...ops import FUNCTIONS, METHODS
from ...ops.create import default_generator
from ...programs import FINITE, Program, Unprogrammable, as_program_term, entries_of, refuse_written, widened
from ...terms import Expr, Var, rebuilt
from ..calls.call_arguments import Arguments
from ..calls.reads import path_name
from ..calls.run import as_differentiable, require_no_hooks, require_number, require_traced
from ..calls.symbolic_run import Traced, tracing
from ..calls.tree import flatten, flatten_call, require_numbers, tree_map, tree_paths, unflatten
from ..calls.variables import NodeValues, all_plain, is_edge, recording, refuse_captured, require_real, require_smooth
from ..hessian import labelled
from ..loops.recurrences import Loops, NotRepeated, Ways, WrittenOut, rolled
from ..loops.scan import Loop
from ..loops.scan_course import TRACED
from ..tape_route import size_of
from .quick import Tracing, parts_of, ways
from .with_loops import NotLooped, ProgramWithLoops, looped

# -------------------------------------------------------------------------------------------------------------------
# What Python decides by values while `sg.compile` runs a function on symbols: which way it goes through the function

# The idea to hold: a decision has a margin, a number that is positive as long as Python would decide the same: a − b
# where a > b. The program of one way computes the margins too, and where one is not positive it is not the program.
# What has no margin is refused; a tie is left to the tape.


_COMPARED = {"gt": (0, 1), "ge": (0, 1), "lt": (1, 0), "le": (1, 0)}
"""Which operand is the greater one where the condition holds."""

_BOTH = frozenset(["logical_and", "bitwise_and"])
_EITHER = frozenset(["logical_or", "bitwise_or"])
_NOT = frozenset(["logical_not", "bitwise_not"])


def margins(decided: Sequence[tuple[Tensor, bool]]) -> Tensor | None:
    """The margins of all decisions that hang on something with a history, in a row; None if there are none.

    Comparisons of numbers are subtracted at once: those of a loop are a stack of what the rounds gave.

    Raises
    ------
    SymbolicBranchError : a decision has no margin
    """
    values, rows = NodeValues(), list[Tensor]()
    compared: list[tuple[Any, Any, float]] = []
    with recording(), np.errstate(all="ignore"):
        for t, held in decided:
            if t is None:
                raise SymbolicBranchError(
                    "an operation raised here, or has no derivative, and elsewhere need not", "", ""
                )
            sign, (op, operands) = 1.0 if held else -1.0, _origin(t)
            if not _moves(t):
                continue
            if op in _COMPARED and t._data.ndim == 0:
                more, less = [operands[k] for k in _COMPARED[op]]
                compared.append((more, less, sign))
            else:
                rows.append(METHODS["reshape"](_margin(t, values) * sign, (-1,)))
        if compared:
            more, less, signs = zip(*compared, strict=True)
            rows.append((_together(more, values) - _together(less, values)) * wrap(np.array(signs)))
        if any(row._node is None or row._data.dtype.kind != "f" for row in rows):
            raise SymbolicBranchError("what it does hangs on whole numbers that are arguments", "", "")
        return FUNCTIONS["cat"](rows, 0) if rows else None


def together(output: Tensor, margin: Tensor) -> Tensor:
    """A function's output and its margins as one, so that both are one graph, with the same loops in it."""
    with recording():
        return FUNCTIONS["cat"]([METHODS["reshape"](output, (-1,)), margin], 0)


def apart(joined: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The two again, of which the output has this shape."""
    values = NodeValues()
    row, margin = [values.tensor(a) for a in values.of(joined._node)]
    with recording():
        return METHODS["reshape"](row, shape), margin


def _origin(t: Tensor) -> tuple[str, Sequence[Any]]:
    """The name of the operation that found a condition, and its operands."""
    origin = origin_of(t)
    return ("", ()) if origin is None or origin[0] is None else (origin[0].name, origin[1])


def _margin(t: Any, values: NodeValues) -> Any:
    """What is positive where a condition holds, and negative where it does not."""
    if is_edge(t) or t._data.dtype.kind != "b":
        return METHODS["abs"](values.tensor(t))  # a number is true if it is not 0
    op, operands = _origin(t)
    if op in _COMPARED:
        more, less = [_number(operands[k], values) for k in _COMPARED[op]]
        return more - less
    if op in ("eq", "ne"):
        if all(not is_edge(a) and np.asarray(unwrap(a)).dtype.kind == "b" for a in operands):  # of two conditions
            alike = _of_condition(operands[0], values) * _of_condition(operands[1], values)
            return alike if op == "eq" else -alike
        apart = METHODS["abs"](_number(operands[0], values) - _number(operands[1], values))
        return apart if op == "ne" else -apart
    if op == "isfinite":
        return METHODS["abs"](values.tensor(operands[0])) + 1.0
    if op in _NOT:
        return -_margin(operands[0], values)
    if op in ("all", "any") and t._data.size == 1:
        each = METHODS["reshape"](_margin(operands[0], values), (-1,))
        return METHODS["amin" if op == "all" else "amax"](each, 0)
    if op in _BOTH | _EITHER:
        parts = [_of_condition(a, values) for a in operands]
        return FUNCTIONS["minimum" if op in _BOTH else "maximum"](*parts)
    raise SymbolicBranchError(f"it branches on what '{op}' found" if op else "it branches on a value", "", "")


def _of_condition(a: Any, values: NodeValues) -> Any:
    """The margin of a condition, which may be one that never changes."""
    return _margin(a, values) if _moves(a) else wrap(np.where(unwrap(a), 1.0, -1.0))


def _number(a: Any, values: NodeValues) -> Tensor:
    """An operand of a comparison; truth values are 0 and 1."""
    t = values.tensor(a)
    return wrap(t._data.astype(np.float64)) if t._data.dtype.kind == "b" and not _moves(a) else t


def _moves(a: Any) -> bool:
    """Whether something may be other at another point."""
    return is_edge(a) or (isinstance(a, Tensor) and (type(a) is Symbol or a._node is not None or found_from_values(a)))


def _together(column: Sequence[Any], values: NodeValues) -> Tensor:
    """Numbers in a row; one that all of them are, as it is."""
    if all(a is column[0] for a in column):
        return _number(column[0], values)
    if not any(map(is_edge, column)):
        return wrap(np.array([float(values.number_of(a)) for a in column]))
    return FUNCTIONS["stack"]([_number(a, values) for a in column], 0)


# -------------------------------------------------------------------------------------------------------------------
# What `sg.compile` keeps of one structure of arguments: the program, what it takes, and the form of its results


class _Source:
    """Where a compiled function's term comes from: what `programs` asks of a lifted graph.

    The symbols have names of its own here, x… for the arguments (in the order of their names, which orders products)
    and c… for the rest; ``words`` are those of the user.
    """

    def __init__(self, trace: Tracing, arguments: dict[str, Symbol], variables: list[str]) -> None:
        owners = {id(t._node): name for name, t in arguments.items()}
        traced = {owners[id(node)]: name for name, node in trace.leaves.items() if id(node) in owners}
        self.order: list[str] = list(arguments)
        width = len(str(len(arguments)))
        places = {name: f"x{k:0{width}d}" for k, name in enumerate(sorted(arguments))}
        self.internal: dict[str, str] = {traced.get(name, name): own for name, own in places.items()}
        self.words: dict[str, str] = {own: name for name, own in places.items()}
        self.point: dict[str, np.ndarray] = {own: arguments[name]._data for name, own in places.items()}
        for name, value in trace.point.items():
            if name not in self.internal:
                self.internal[name] = own = f"c{len(self.point)}"
                self.point[own] = np.asarray(value)
        order = [places[name] for name in self.order]  # the program's function takes them like the user's
        self.inputs: dict[str, tuple[str, str]] = {
            name: ("array", name) for name in dict.fromkeys([*order, *self.point])
        }
        known = {t.name: t for t in trace.symbols.values() if isinstance(t, Var)}
        self.variables: list[Var] = [
            Var(places[n], arguments[n]._data.shape, known[traced[n]].properties if n in traced else frozenset())
            for n in variables
        ]
        self._dtype = np.result_type(*[self.point[v.name].dtype for v in self.variables])
        self.baked: dict[int, Any] = {}
        self.fixed: list[Any] = []
        self.saved: list[Any] = []
        self.chosen: set[int] = set()
        self.cuts: list[Any] = []
        terms = self._terms([base for base, _ in trace.edges])
        self.edges: list[tuple[Expr, Any]] = [(term, kind) for term, (_, kind) in zip(terms, trace.edges, strict=True)]

    def term(self, root: Expr) -> Expr:
        """A term of the trace under the names of here."""
        return self._terms([root])[0]

    def _terms(self, roots: list[Expr]) -> list[Expr]:
        """The same of several, what they share once: a loop that is written out has an edge in every step."""
        made: dict[int, Expr] = {}
        for t in postorder(*roots):
            if isinstance(t, Var):
                made[id(t)] = Var(self.internal[t.name], t.shape, t.properties)
            else:
                made[id(t)] = as_program_term(rebuilt(t, made), self._dtype)
        return [made[id(root)] for root in roots]


_WITH_TAPE = {"j": "sg.jacobian", "h": "sg.hessian", "g": "sg.grad", "f": "the function itself"}
"""What gives a part of a compiled function's result without a program: of several parts the first of these."""


class Maker:
    """Makes the program of one structure of arguments."""

    owner: Any
    args: Any
    kwargs: Any
    trace: Tracing
    loops: Loops

    def __init__(self, owner: Any, args: Any, kwargs: Any) -> None:
        self.owner, self.args, self.kwargs = owner, args, kwargs
        self.instead: str = next(way for letter, way in _WITH_TAPE.items() if letter in owner.outputs)
        first = owner.target == "numpy" and owner.is_alone and set(owner.outputs) <= {"f", "g"}
        self.ways: Ways = Ways(self._scan, is_short=owner.short_loops, is_long=first, of_kinds=True)

    def _scan(self, loop: Loop) -> Any:
        """The results of a loop that was found in what was recorded."""
        try:
            return self.loops.taken(loop)
        except WrittenOut as error:
            raise NotRepeated from error

    def _refuse_long(self, output: Any) -> None:
        """Raise at once where a program would be too long, which is seen only after a minute of making it.

        A recorded operation is half a line of a value at least, one of a gradient, two of second derivatives.
        """
        nodes, outputs = len(reachable([edge(output)])[0]), self.owner.outputs
        each = 2.0 if "h" in outputs else 1.0 if "g" in outputs else 0.5
        if nodes * each > _limits.NAMES or nodes > self.owner.most_recorded:
            raise GradientError(
                f"{self.owner.__name__} has no program",
                f"Its {nodes:,} operations would be more than {_limits.NAMES:,} lines.",
                f"Write the loop as sg.scan(step, carry, xs), of which one round is compiled, or use {self.instead}, "
                "which has the tape.",
            )

    def made(self) -> Any:
        """The program, with what it takes and returns; with loops as loops, or written out."""
        try:
            return self._made(True)
        except NotLooped:
            return self._made(False)

    def _made(self, loops: bool) -> Any:
        owner = self.owner
        call = Arguments(owner.function, self.args, self.kwargs, owner.argnums)
        leaves = call.flat()[0]
        require_numbers("sg.compile", call, leaves)
        variables = [as_differentiable(leaf) for leaf in leaves]
        if "h" in owner.outputs:
            require_real(variables)
        for x in variables:
            require_smooth(x)
        self._name_symbols(call)
        self.trace = Tracing(self.symbols)
        names = [n for name in call.names for n in self.of_parameter[name]]
        self.loops = Loops(self.symbols, set(names), loops, self.ways.steps)
        traced, term, joined, decided = self._traced(call)
        if traced.branches and not owner.is_alone:
            raise SymbolicBranchError(
                f"{owner.__name__} branches on a value", "A program is made once, for all values.",
                f"Use sg.where(condition, a, b), or {self.instead}, which runs the function at every call.",
            )  # fmt: skip
        dtypes, of_value = {*self.trace.dtypes, *[x._data.dtype for x in variables]}, traced.output._data.dtype
        if any(d.kind == "c" for d in dtypes):
            raise GradientError(
                f"{owner.__name__} has no program", "There are complex numbers in it.",
                f"Use {self.instead}, which has the tape.",
            )  # fmt: skip
        program, source = self._program(term, names, self.loops.within(joined))
        numbers = {own: self.numbers[word] for own, word in source.words.items() if word in self.numbers}
        floats = [d for d in (*dtypes, of_value) if d.kind == "f"]
        coarsest = max(floats, key=lambda d: np.finfo(d).eps, default=np.dtype(np.float64))
        made = Finished(owner, program, numbers, source, call, of_value, coarsest)
        made.decided, made.tensors = decided, not all_plain((self.args, self.kwargs))
        return self._with_ways(made)

    def _term(self, output: Tensor) -> Expr:
        """The term of what was traced.

        Raises
        ------
        SymbolicBranchError : a symbol of others is in it, such as what `vmap` runs its function on, of which the number
            that stands for it would be part of the program; also by way of a comparison, which has no history
        """
        term = self.trace.of(output)
        for name, node in self.trace.leaves.items() if tracing() else ():  # else the others are states of its loops
            if node.facts is not None and name not in self.symbols:
                raise SymbolicBranchError(f"it uses {name!r}, a symbol that is none of its arguments", "", "")
        return term

    def _traced(self, call: Arguments) -> tuple[Traced, Expr, Tensor, Any]:
        """The function run on symbols: the term of its output, the graph of that, and what Python decided, whose
        margins are in that graph and among the trace's edges; None where nothing moves a decision."""
        owner, dice = self.owner, _dice()
        plain = all_plain((self.args, self.kwargs))
        inside = modes.running.set(modes.Running(plain, around=modes.running.get(), makers=set()))
        refused = refusal.get()
        token = TRACED.set(self.loops)
        try:
            traced = Traced(call.f, call.bound, (), plain, for_program=True, decides=owner.is_alone)
            require_not_refused(refused)
            refuse_captured(traced.output, owner.__name__)
            if _dice() != dice:
                raise SymbolicBranchError("it draws random numbers", "", "")
            require_traced("compile", traced.output)
            if not owner.of_array:
                require_number("compile", traced.output)
            if owner.outputs != "f":
                require_no_hooks(
                    f"{owner.__name__} has no program", traced.output, f"Use {self.instead}, which has the tape."
                )
            margin = margins(traced.branches) if owner.is_alone else None
            joined = traced.output if margin is None else together(traced.output, margin)
            self._refuse_written(joined)
            if self.loops.are_kept:
                joined = rolled(joined, self.ways._replace(is_found=self.loops.is_found))
            self._refuse_long(joined)
            if margin is None:
                return traced, self._term(joined), joined, None
            output, margin = apart(joined, traced.output._data.shape)
            with recording():
                margin = METHODS["log"](margin)
            term = self._term(output)
            self.trace.edges.append((self.trace.of(margin), FINITE))
            return traced, term, joined, tuple([held for _, held in traced.branches])
        except SymbolicBranchError as error:
            raise SymbolicBranchError(
                f"{owner.__name__} cannot be one program: {str(error).splitlines()[0]}",
                "A program is made once, for all values of its arguments.",
                error.of_a_write
                or "Use sg.where(condition, a, b), take what decides from outside (a closure is part of the program), "
                f"or use {self.instead}, which runs the function at every call.",
            ) from None
        finally:
            TRACED.reset(token)
            modes.running.reset(inside)

    def _program(self, term: Expr, names: list[str], within: list[Any]) -> tuple[Any, _Source]:
        """The program of a term in the arguments, and in the values of loops, if there are any ``within``."""
        if within:
            return looped(self, term, within, names, _Source)
        source = _Source(self.trace, self.symbols, names)
        try:
            return Program(source, source.term(term), "".join(sorted(self.owner.outputs)), self.owner.format), source
        except Unprogrammable as error:
            raise GradientError(
                f"{self.owner.__name__} has no program", f"{error}.", f"Use {self.instead}, which has the tape.",
            ) from None  # fmt: skip

    def _with_ways(self, made: Any) -> Finished:
        """The same with its quicker ways to run."""
        if isinstance(made.program, ProgramWithLoops) or not self.owner.is_alone:
            return made
        given = list(map(unwrap, flatten((self.args, tuple(sorted(self.kwargs.items()))))[0]))
        made.quick, made.fused = ways(made, given, self.owner.target)
        return made

    def _refuse_written(self, output: Tensor) -> None:
        """Constants are read when the function has run: they must be what they were."""
        if output._node is None:
            return
        nodes = reachable([edge(output)])[0]
        try:
            refuse_written(sorted(nodes, key=lambda node: node.seq))
        except Unprogrammable as error:
            raise GradientError(
                f"{self.owner.__name__} has no program: it writes into an array that it has used", f"{error}.",
                "Begin with what is computed (z = x * x), put parts together with np.concatenate or np.stack, or use "
                f"{self.instead}, which has the tape.",
            ) from None  # fmt: skip

    def _name_symbols(self, call: Arguments) -> None:
        """Put symbols in the place of the arrays among the arguments; note where each comes from."""
        self.symbols: dict[str, Symbol] = {}
        self.numbers: dict[str, tuple[int, Any]] = {}
        self.of_parameter: dict[str, list[str]] = {}
        filled = {}
        places = places_of(self.owner, self.args, self.kwargs)[1]
        free = self.owner.varying(self.args, self.kwargs)
        for parameter, value in call.bound.arguments.items():
            leaves, spec = flatten(value)
            paths = [path_name(parameter, path) for path in tree_paths(value)]
            new, mine = [], []
            for leaf, name, place in zip(leaves, paths, flatten(places[parameter])[0], strict=True):
                chosen = parameter in call.names or (isinstance(place, ArgumentSlot) and place.number in free)
                data = _data_of_leaf(leaf, chosen)
                if data is None:
                    new.append(leaf)
                    continue
                while name in self.symbols:
                    name += "_"
                self.symbols[name] = make_symbol(name, data, Facts(data.shape))
                if isinstance(place, ArgumentSlot):
                    same = isinstance(leaf, np.ndarray | Tensor) and data.dtype == leaf.dtype
                    self.numbers[name] = place.number, None if same else data.dtype.type
                mine.append(name)
                new.append(self.symbols[name])
            self.of_parameter[parameter] = mine
            filled[parameter] = unflatten(spec, new)
        call.bound.arguments.update(filled)


def _dice() -> str:
    """The state of the generators that a function may draw from."""
    return f"{default_generator.numpy.bit_generator.state}{np.random.get_state()}"  # noqa: NPY002


def places_of(owner: Any, args: Any, kwargs: Any) -> tuple[Arguments, Any]:
    """Per parameter where its arrays stand among all arguments: two that are one array now need not be later."""
    leaves, spec = flatten_call(args, kwargs)
    marked, items = unflatten(
        spec, [ArgumentSlot(k) if _data_of_leaf(a, True) is not None else a for k, a in enumerate(leaves)]
    )
    call = Arguments(owner.function, marked, dict(items), owner.argnums)
    return call, call.bound.arguments


class ArgumentSlot:
    """Where an argument stands."""

    def __init__(self, number: int) -> None:
        self.number = number


class Finished:
    """A program and the form of its results."""

    program: Any  # a Program, or one with loops
    outputs: Any
    words: dict[str, str]
    shapes: list[tuple[int, ...]]
    variables: list[str]
    call: Any
    spec: Any

    def __init__(
        self, owner: Any, program: Any, numbers: dict[str, tuple[int, Any]], source: _Source, call: Any,
        of_value: Any, coarsest: Any,
    ) -> None:  # fmt: skip
        self.program, self.outputs, self.words = program, owner.outputs, source.words
        self.of_value = of_value
        self.coarsest = coarsest  # the shortest float of the function: the tape's numbers are no more exact
        names = [name for name, _ in program.whole.arguments]
        self.taken: list[tuple[Any, Any, np.ndarray]] = [
            (*numbers.get(name, (None, None)), source.point[name]) for name in names
        ]
        self.numbers = numbers
        self.given: list[str] = sorted(numbers, key=lambda name: source.order.index(source.words[name]))
        self.shapes, self.variables = program.shapes, [x.name for x in source.variables]
        self.dtypes: list[np.dtype[Any]] = [source.point[x.name].dtype for x in source.variables]
        self.dtype: np.dtype[Any] = np.result_type(*self.dtypes)
        self.order: list[int] = ["".join(sorted(owner.outputs)).index(letter) for letter in owner.outputs]
        self.call, self.spec = call, call.flat()[1]
        self.quick: Any = None  # the way on single numbers
        self.fused: Any = None  # the program of arrays with compiled loops
        self.tensors = False  # whether there are tensors among the arguments
        self.decided: tuple[bool, ...] | None = None  # what Python decided by values on the way, if anything
        self.simple: bool = not call.several and self.spec.parts[0].kind is None

    @property
    def compiled(self) -> Any:
        """What Numba compiles of it."""
        return self.fused or (self.quick and self.quick.compiled)

    def values(self, leaves: list[Any]) -> list[Any]:
        """What the program's function takes, from all leaves of the arguments."""
        dtype = self.program.dtype
        return [
            widened(value if k is None else unwrap(leaves[k]) if kind is None else kind(unwrap(leaves[k])), dtype)
            for k, kind, value in self.taken
        ]

    def named(self, leaves: list[Any]) -> dict[str, Any]:
        """The same by name, and what the program does not use."""
        every = {
            name: unwrap(leaves[k]) if kind is None else kind(unwrap(leaves[k]))
            for name, (k, kind) in self.numbers.items()
        }
        used = zip([name for name, _ in self.program.whole.arguments], self.values(leaves), strict=True)
        return {**every, **dict(used)}

    def moved(self, leaves: list[Any], seed: int) -> list[Any]:
        """All leaves, with other values for the variables."""
        rng = np.random.default_rng(seed)
        moved = list(leaves)
        for x in self.variables:
            if x in self.numbers:
                k, kind = self.numbers[x]
                data = np.asarray(leaves[k])
                data = data if kind is None else data.astype(kind)
                moved[k] = memory_as(data, data.dtype)  # a function may see how the array lies
                with np.errstate(invalid="ignore"):
                    moved[k][...] = data + 0.3 * size_of(data) * rng.standard_normal(data.shape)
        return moved

    def form(self, results: Any) -> Any:
        """The results as the caller gets them: arrays, or tensors."""
        found = [self._one(self.outputs[k], results[place]) for k, place in enumerate(self.order)]
        if self.tensors:
            found = [tree_map(lambda a: wrap(np.asarray(a)), v) if _dense(v) else v for v in found]
        return found[0] if len(found) == 1 else tuple(found)

    def dtypes_of(self, letter: str) -> list[np.dtype[Any]]:
        """The dtypes of a result's parts, as the caller gets them."""
        return {"f": [self.of_value], "g": self.dtypes}.get(letter, [self.dtype])

    def _one(self, letter: str, value: Any) -> Any:
        dtypes = self.dtypes_of(letter)
        if letter == "f":
            return np.asarray(value, dtypes[0])[()]
        if letter == "g":
            parts = [np.asarray(p, d)[()] for p, d in zip(parts_of(value), dtypes, strict=True)]
            return parts[0] if self.simple else self.call.pack(unflatten(self.spec, parts))
        value = value if value.dtype == dtypes[0] else value.astype(dtypes[0])
        if letter == "j":
            return self._jacobian(value)
        if self.simple:
            return value.reshape(self.shapes[0] * 2)[()] if isinstance(value, np.ndarray) else value
        as_tensor = self.tensors and isinstance(value, np.ndarray)
        return labelled(self.call, self.spec, self.shapes, wrap(value) if as_tensor else value)

    def _jacobian(self, value: Any) -> Any:
        """A matrix whose columns are those of all variables, as `jacobian` returns it."""
        blocks, start = [], 0
        for shape in self.shapes:
            stop = start + entries_of(shape)
            block = value if len(self.shapes) == 1 else value[:, start:stop]
            blocks.append(block.reshape(self.program.rows + shape)[()] if isinstance(value, np.ndarray) else block)
            start = stop
        return blocks[0] if self.simple else self.call.pack(unflatten(self.spec, blocks))


def _dense(value: Any) -> bool:
    """Whether a result is an array, or containers of arrays."""
    return isinstance(value, np.ndarray | np.generic | tuple | list | dict) or flatten(value)[1].kind is not None


def is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | Tensor)


def _data_of_leaf(leaf: Any, chosen: bool) -> np.ndarray | None:
    """The array that a symbol stands for; None for what is part of the program."""
    if type(leaf) is Symbol:
        raise GradientError(
            "sg.compile makes programs for arrays, and got a symbol", "", "Ask sg.formula for a formula."
        )
    if isinstance(leaf, Tensor):
        leaf = leaf._data
    if isinstance(leaf, np.ndarray):
        return leaf.astype(default_dtype()) if chosen and leaf.dtype.kind in "iub" else leaf
    if isinstance(leaf, np.floating) and chosen:
        return np.asarray(leaf)
    number = isinstance(leaf, (int, float)) or (isinstance(leaf, np.generic) and no_numbers(leaf.dtype) is None)
    if number and not isinstance(leaf, bool) and chosen:
        return np.asarray(leaf, default_dtype())
    return None


def argument_mark(leaf: Any) -> Any:
    """What tells an argument from another, whose program may be another."""
    if isinstance(leaf, np.ndarray | Tensor):
        return type(leaf), tuple(leaf.shape), unwrap(leaf).dtype.str, layout(unwrap(leaf))
    if isinstance(leaf, float | complex | np.inexact):
        return type(leaf), repr(leaf)  # as numbers NaN is no NaN, and -0.0 is 0.0
    if leaf is None or isinstance(leaf, str | int | bytes | np.generic) or callable(leaf):
        return type(leaf), leaf
    try:
        return type(leaf), pickle.dumps(leaf)  # it may change: what it holds counts, not which object it is
    except Exception:
        raise GradientError(
            f"sg.compile cannot tell one {type(leaf).__name__} from another", "It is an argument of the function.",
            "Close over it, or pass arrays and numbers.",
        ) from None  # fmt: skip

"""What a recorded graph is made of: its structure as a key, recognised at one look; inputs; what runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import (
    Dim,
    Freed,
    Node,
    OutputNode,
    Symbol,
    Tensor,
    anything_written_since,
    constants_of,
    held_operand,
    reachable,
    saved_operand,
    saved_values,
    version_conflict,
)

# ------------------------- What a recorded graph is made of: its structure as a key, its arrays and numbers as inputs

# The idea to hold: two runs of a function have the same key exactly if the same operations with the same parameters
# were recorded between arrays of the same shapes and dtypes. Whatever else may change from run to run, data, numbers,
# index arrays, is collected in the order of the walk, and compared or handed over by who uses the key.


class Unprogrammable(Exception):
    """The graph holds something that only the tape can differentiate; the message says what."""


class Survey:
    """A walk of the graph behind ``root``, or behind each of a list.

    Attributes
    ----------
    key : the structure, hashable
    arrays : the inputs: the variables first, then constants in order of use
    scalars : the numbers that operations were given as operands
    fixed : arrays among the parameters (indices, masks), which are part of the structure but not of the key
    nodes : the operations, oldest first
    foreign : whether there are leaves that are no variables
    """

    __slots__ = ("_seen", "arrays", "fixed", "foreign", "key", "nodes", "scalars")

    def __init__(self, root: Any, variables: list[Any]) -> None:
        roots = root if type(root) is list else [root]
        nodes, leaves, _, _ = reachable(roots)
        nodes.reverse()
        self.nodes: list[Node] = nodes
        self.arrays: list[np.ndarray] = [v.data for v in variables]
        self.scalars: list[Any] = []
        self.fixed: list[np.ndarray] = []
        self._seen: dict[Any, int] = {}
        number: dict[Any, int] = {}
        for v in variables:
            number[v] = -1 - len(number)
            if v.meta is not None:
                _refuse_hooks(v)
        self.foreign: bool = False
        for leaf in leaves:
            if leaf not in number:
                number[leaf] = -1 - len(number)
                self.arrays.append(leaf.data)
                self.foreign = True
        key = [tuple([(a.shape, a.dtype.char) for a in self.arrays]), len(variables)]
        self._walk(nodes, number, key)
        if roots is root:
            key.append(tuple([None if r is None else number[r] for r in roots]))
        self.key: tuple[Any, ...] = tuple(key)

    def _walk(self, nodes: list[Any], number: dict[Any, int], key: list[Any]) -> None:
        """The key, in one list: per operation the row, its parameters, and what each operand is."""
        append, scalars = key.append, self.scalars
        for k, node in enumerate(nodes):
            number[node] = k
            if node.meta is not None:
                _refuse_hooks(node)
            op = node.op
            append(op)
            if op is None:
                append(self._special(node, number))
                continue
            if op.packs:
                constants, params, _ = node.consts
                if params:
                    append(self._mark(params))
            else:
                constants = node.consts
            parents = node.parents
            if op.variadic:
                append(len(parents))
            for i, p in enumerate(parents):
                if p is not None:
                    append(number[p])
                    continue
                constant = constants[i]
                if i in op.places:
                    value = np.asarray(self._value(node, i, constant))
                    self.fixed.append(value)
                    append(("fixed", value.shape, value.dtype.char))
                    continue
                kind = type(constant)
                if kind is float or kind is int:
                    scalars.append(constant)
                    append("s")
                else:
                    append(self._constant(node, i, constant))

    def place(self, node: Any, i: int) -> Any:
        """The places that an operand holds."""
        return self._value(node, i, constants_of(node)[i])

    def refuse_written(self) -> None:
        """Raise if memory of a constant operand was written after it was used: its numbers are gone."""
        refuse_written(self.nodes)

    def describe(self) -> dict[Any, tuple[str, int]]:
        """Per operand without gradient, by (operation, position), what stands there: ('array', k) or ('turned', k) or
        ('scalar', k). (Only who makes a program asks for it.)"""
        places: dict[Any, tuple[str, int]] = {}
        scalars = 0
        for node in self.nodes:
            op = node.op
            if op is None:
                continue
            constants = constants_of(node)
            for i, p in enumerate(node.parents):
                if p is not None or i in op.places:
                    continue
                value = self._value(node, i, constants[i])
                if isinstance(value, np.ndarray):
                    turned = self._turned(value)
                    places[node, i] = ("array", self._number(value)) if turned is None else ("turned", turned)
                else:
                    places[node, i] = "scalar", scalars
                    scalars += 1
        return places

    def _special(self, node: Any, number: dict[Any, int]) -> Any:
        if type(node) is OutputNode:
            return "output", node.index, number[node.parents[0]]
        raise Unprogrammable(f"{node.name()} is a user-defined function")

    def _constant(self, node: Any, i: int, constant: Any) -> Any:
        """The mark of an operand without gradient; what it is worth goes among the inputs."""
        value = self._value(node, i, constant)
        if not isinstance(value, np.ndarray):
            self.scalars.append(value)
            return "s"
        turned = self._turned(value)
        if turned is not None:
            return "t", turned
        return "a", self._number(value), value.shape, value.dtype.char

    def _value(self, node: Any, i: int, constant: Any) -> Any:
        """An operand without gradient: an array of at least one axis, or a Python number."""
        value = held_operand(constant)
        if isinstance(value, Tensor):
            if type(value) is Symbol:
                raise Unprogrammable(f"an operand of {node.name()} is a symbol")
            value = value._data
        elif value is None and constant is not None:
            value = saved_operand(node, i)
            if value is None:
                raise Unprogrammable(f"a large constant operand of {node.name()} is gone")
        if type(value) in (float, int, bool):
            return value
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
            return value if value.ndim else value.item()
        kind = getattr(getattr(value, "dtype", None), "name", type(value).__name__)
        raise Unprogrammable(f"an operand of {node.name()} is of type {kind}")

    def _turned(self, value: np.ndarray) -> int | None:
        """The number of the array of which this is the transpose; None if it is its own."""
        base: Any = value.base
        return self._number(base) if is_transposed(value) and _place(value) not in self._seen else None

    def _number(self, value: np.ndarray) -> int:
        place = _place(value)
        k = self._seen.get(place)
        if k is None:
            k = self._seen[place] = len(self.arrays)
            self.arrays.append(value)
        return k

    def _mark(self, value: Any) -> Any:
        """A parameter as part of the key."""
        kind = type(value)
        if kind is int or kind is bool or kind is str or value is None:
            return value
        if kind is tuple or kind is list:
            return tuple([self._mark(v) for v in value])
        if kind is slice:
            return "slice", value.start, value.stop, value.step
        if isinstance(value, np.ndarray):
            self.fixed.append(value)
            return "fixed", value.shape, value.dtype.char
        if kind is Dim:
            raise Unprogrammable("there are named sizes")
        if isinstance(value, Tensor):
            self.fixed.append(value._data)
            return "fixed", value._data.shape, value._data.dtype.char
        try:
            hash(value)
        except TypeError:
            raise Unprogrammable(f"an operation has a parameter of type {kind.__name__}") from None
        return (kind.__name__, value) if kind is float and value != value else value


def refuse_written(nodes: list[Any]) -> None:
    """Raise if memory of a constant operand was written after it was used: its numbers are gone."""
    if not nodes or not anything_written_since(nodes[0].seq):
        return
    for node in nodes:
        op = node.op
        if op is None or op.name == "copy_from":  # of what is written over nothing is read
            continue
        constants = constants_of(node)
        for i, p in enumerate(node.parents):
            value = None if p is not None else held_operand(constants[i])
            array = value._data if isinstance(value, Tensor) else value
            if array is not None and version_conflict(array, node.seq) is not None:
                raise Unprogrammable(f"an operand of {node.name()} was written after it was used")


def _refuse_hooks(node: Any) -> None:
    """Hooks see and change gradients: only a sweep runs them."""
    if node.meta.has_hooks or node.meta.packed:
        raise Unprogrammable(f"there are hooks on {node.name()}")


def is_transposed(value: np.ndarray) -> bool:
    """Whether an array is the whole of its base, read the other way round."""
    base = value.base
    if value.ndim != 2 or not isinstance(base, np.ndarray) or base.dtype != value.dtype:
        return False
    same = base.shape == value.shape[::-1] and base.strides == value.strides[::-1]
    return same and base.ctypes.data == value.ctypes.data


def _place(value: np.ndarray) -> Any:
    """What tells one array in memory from another."""
    where = id(value) if value.flags.owndata else value.ctypes.data
    return where, value.shape, value.strides, value.dtype.char


# -------------------- The structure that a program was made for, to be recognised at once: one look at each operation

# The idea to hold: a survey finds out what a graph is; a recipe knows, and only checks. It may say no to a graph that
# it fits (then a survey is made), but never yes to one that it does not.


NODE, LEAF, ARRAY, TURNED, SCALAR, PLACES = range(6)


class Recognised:
    """What is asked of a survey, of a graph that a recipe has recognised."""

    __slots__ = ("arrays", "nodes", "scalars")
    foreign = False

    arrays: list[Any]
    nodes: list[Any]
    scalars: list[Any]

    def __init__(self, nodes: list[Any], arrays: list[Any], scalars: list[Any]) -> None:
        self.nodes, self.arrays, self.scalars = nodes, arrays, scalars


class _HeldParams:
    """Parameters with arrays among them, as they were: not equal to others before every entry is."""

    __slots__ = ("params",)

    def __init__(self, params: Any) -> None:
        self.params = _copied(params)

    def __eq__(self, given: object) -> bool:
        return _same(given, self.params)

    __hash__ = None  # type: ignore[assignment]


def _has_arrays(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_has_arrays, value))
    return isinstance(value, np.ndarray | Tensor)


def _copied(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_copied, value))
    return np.array(value._data if isinstance(value, Tensor) else value) if _has_arrays(value) else value


def _same(given: Any, known: Any) -> bool:
    if isinstance(known, tuple):
        return isinstance(given, tuple | list) and len(given) == len(known) and all(map(_same, given, known))
    if isinstance(known, np.ndarray):
        given = given._data if isinstance(given, Tensor) else given
        return isinstance(given, np.ndarray) and given.dtype == known.dtype and np.array_equal(given, known)
    return type(given) is type(known) and bool(given == known)


def _number(constant: Any) -> Any:
    """An operand of no axes as a Python number, as a survey reads it; None if it is something else."""
    value = constant if isinstance(constant, np.ndarray | np.generic) else held_operand(constant)
    if isinstance(value, Tensor) and type(value) is not Symbol:
        value = value._data
    known = isinstance(value, np.ndarray | np.generic) and not value.ndim and value.dtype.kind in "fiub"
    return value.item() if known else None


class Recipe:
    """The structure of a graph of one variable.

    Attributes
    ----------
    steps : newest first, per operation its number, the row (None for one of several outputs, with its place and the
        number of the operation), its parameters (None if it has none), and per operand
        (NODE, number, None), (LEAF, 0, None), (ARRAY, slot, None), (TURNED, slot, None) for the transpose of an array,
        (SCALAR, place, the number if it is part of the program), or (PLACES, 0, the places)
    """

    __slots__ = ("arrays", "chosen", "scalars", "steps")

    def __init__(self, survey: Survey, baked: dict[int, Any], chosen: set[int]) -> None:
        self.chosen: set[int] = chosen
        self.arrays: list[tuple[tuple[int, ...], np.dtype[Any]]] = [(a.shape, a.dtype) for a in survey.arrays]
        self.scalars: int = len(survey.scalars)
        number = {node: k for k, node in enumerate(survey.nodes)}
        places = survey.describe()
        self.steps: list[Any] = []
        count = 0
        for k, node in enumerate(survey.nodes):
            op = node.op
            if isinstance(node, OutputNode):
                self.steps.append((k, None, node.index, number[node.parents[0]]))
                continue
            operands = []
            for i, p in enumerate(node.parents):
                if p is not None:
                    operands.append((NODE, number[p], None) if p in number else (LEAF, 0, None))
                elif i in op.places:
                    operands.append((PLACES, 0, _copied(np.asarray(survey.place(node, i)))))
                elif places[node, i][0] != "scalar":
                    kind, slot = places[node, i]
                    operands.append((ARRAY if kind == "array" else TURNED, slot, None))
                else:
                    operands.append((SCALAR, count, baked.get(count)))
                    count += 1
            params = node.consts[1] if op.packs else None
            self.steps.append((k, op, _HeldParams(params) if _has_arrays(params) else params, tuple(operands)))
        self.steps.reverse()

    @staticmethod
    def of(survey: Survey, baked: dict[int, Any], chosen: set[int]) -> Recipe | None:
        """The recipe of a graph; None if it has what only a survey looks at."""
        unknown = survey.foreign or any(n.op is None and type(n) is not OutputNode for n in survey.nodes)
        return None if unknown else Recipe(survey, baked, chosen)

    def match(self, root: Any, leaf: Any) -> Recognised | None:
        """The graph behind ``root`` if it has this structure, with these numbers where they are part of the program."""
        nodes: list[Any] = [None] * len(self.steps)
        arrays: list[Any] = [None] * len(self.arrays)
        scalars: list[Any] = [None] * self.scalars
        first = leaf.data
        if (first.shape, first.dtype) != self.arrays[0] or leaf.meta is not None:
            return None
        arrays[0] = first
        nodes[-1] = root
        seq: Any = math.inf
        for k, op, params, operands in self.steps:
            node = nodes[k]
            if node is None or node.op is not op or node.meta is not None or node.seq >= seq:
                return None
            seq = node.seq
            if op is None:
                if type(node) is not OutputNode or node.index != params:
                    return None
                origin = node.parents[0]
                if nodes[operands] is not None and nodes[operands] is not origin:
                    return None
                nodes[operands] = origin
                continue
            constants = node.consts
            if params is not None:
                constants, given, _ = constants
                try:
                    if given is not params and given != params:
                        return None
                except ValueError:  # an array where there was none
                    return None
            parents = node.parents
            if len(parents) != len(operands):
                return None
            for i, (kind, j, value) in enumerate(operands):
                p = parents[i]
                if kind == NODE:
                    known = nodes[j]
                    if known is None:
                        if p is None:
                            return None
                        nodes[j] = p
                    elif known is not p:
                        return None
                elif kind == LEAF:
                    if p is not leaf:
                        return None
                elif p is not None or not self._constant(node, i, kind, j, value, constants[i], arrays, scalars):
                    return None
        return None if anything_written_since(seq) else Recognised(nodes, arrays, scalars)

    def _constant(
        self, node: Any, i: int, kind: int, j: int, value: Any, constant: Any, arrays: list[Any], scalars: list[Any]
    ) -> bool:
        if kind == SCALAR:
            if type(constant) is not float and type(constant) is not int:
                constant = _number(constant)
                if constant is None:
                    return False
            if value is not None and not same_number(constant, value):
                return False
            scalars[j] = constant
            return math.isfinite(constant) or j in self.chosen
        if type(constant) is not np.ndarray:
            constant = held_operand(constant)
            if constant is None:  # a large array is held by what the rule saved
                constant = saved_operand(node, i)
            if isinstance(constant, Tensor) and type(constant) is not Symbol:
                constant = constant._data
            if type(constant) is not np.ndarray:
                return False
        if kind == PLACES:
            return _same(constant, value)
        if kind == TURNED:
            if not is_transposed(constant):
                return False
            constant = constant.base
        known = arrays[j]
        if known is None:
            if (constant.shape, constant.dtype) != self.arrays[j] or not constant.ndim:
                return False
            arrays[j] = constant
            return True
        return known is constant


def same_number(a: Any, b: Any) -> bool:
    """Whether two numbers are the same for every operation: 0.0 is not -0.0."""
    return type(a) is type(b) and a == b and (a != 0 or str(a) == str(b))


# ------------------------- What runs of a derivative program: its functions, and what they take from a recorded graph

# The idea to hold: to run a program nobody needs to know how it was made. So one that was made in another process runs
# as one that was made here (`program.py`).


class Runnable:
    """A program that can be run.

    Attributes
    ----------
    outputs, format : what it computes; see `Program`
    baked : scalars that are part of the program, by number in the survey
    fixed : arrays that are part of the structure
    chosen : numbers of scalars that need not be finite
    must_be_finite : names that are infinite, or no numbers, where the tape has an edge that the term has no more
    zero : why there are no second derivatives, if there are none
    dtype, total : of its results, and the number of its variables' entries
    module, whole : the function that runs beside a tape, and the one that takes nothing from it
    checked, refused : whether it has been compared with the tape, and what came out if they disagreed
    """

    must_be_finite: list[str]
    zero: str
    dtype: Any
    total: int
    module: Any
    whole: Any
    outputs: str
    format: str
    sparse: bool
    baked: dict[int, Any]
    fixed: list[np.ndarray]
    chosen: set[int]
    checked: bool
    refused: str

    def __init__(
        self, outputs: str, format: str, baked: dict[int, Any], fixed: list[np.ndarray], chosen: set[int]
    ) -> None:
        self.outputs, self.format, self.sparse = outputs, format, format == "csr"
        self.of_matrix: bool = bool(set(outputs) & set("hj"))
        self.baked, self.fixed, self.chosen = baked, fixed, chosen
        self.checked, self.refused = False, ""
        self.recipe: Recipe | None = None

    def run(self, values: list[Any], module: Any = None, finite: bool = True) -> Any:
        """What it computes (a tuple of outputs) from its arguments; None where a number on the way is not finite."""
        module = module or self.whole
        with np.errstate(all="ignore"):
            results, pieces = module.function(*values)
            for piece in pieces if finite else ():
                total = np.add.reduce(piece, axis=None) if getattr(piece, "ndim", 0) else piece
                if not math.isfinite(total):
                    return None
        if module.pattern is not None:
            return (*results[:-1], module.pattern.matrix(results[-1]))
        if module.structured is not None:
            return (*results[:-1], module.structured.matrix(results[-1], self.dtype))
        return results

    def takes(self, scalars: list[Any]) -> bool:
        """Whether the numbers among its operands are such that it computes what the tape does."""
        return all(math.isfinite(s) or k in self.chosen for k, s in enumerate(scalars))

    def remember(self, survey: Any) -> None:
        """Keep what to recognise the structure by at once, the next time."""
        if self.recipe is None and self.checked and not self.refused and self.takes(survey.scalars):
            self.recipe = Recipe.of(survey, self.baked, self.chosen)

    def run_at(self, survey: Any, module: Any = None, finite: bool = True, vectors: Any = ()) -> Any:
        """The same, with the arguments from a survey of the same structure (and the vectors of a product)."""
        nodes = survey.nodes
        if module is None:
            module = self.whole if anything_written_since(nodes[0].seq) else self.module
        number = survey.arrays[0].dtype.type  # NumPy's numbers divide by zero as arrays do
        values = []
        for _, (kind, k) in module.arguments:
            if kind == "array":
                values.append(widened(survey.arrays[k], self.dtype))
            elif kind == "scalar":
                values.append(number(survey.scalars[k]))
            elif kind == "vector":
                values.append(vectors[k])
            else:
                node = nodes[k[0]]
                if type(node.saved) is Freed:  # by a sweep inside the function
                    return self.run_at(survey, self.whole, finite, vectors)
                values.append(saved_values(node)[k[1]])
        return self.run(values, module, finite)


def widened(array: Any, dtype: Any) -> Any:
    """A constant in no less than the program's precision: products of constants alone would stay in theirs."""
    if type(array) is not np.ndarray or array.dtype is dtype or array.dtype.kind != "f":
        return array
    return array if array.dtype.itemsize >= dtype.itemsize else array.astype(dtype)

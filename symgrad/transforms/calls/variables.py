"""The variables of one transform, which results still belong to somebody outside it, and the numbers of nodes."""

from __future__ import annotations

import functools
import re
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ... import _config
from ..._array import ARRAYS, Recorder, as_argument, as_here, as_result, expect_hook, has_made
from ..._errors import (
    DTypeError,
    GradientError,
    SymbolicBranchError,
    SymgradError,
    compose,
    refusal,
    require_not_refused,
)
from ..._tensor import FunctionNode, refused_by_scipy
from ...core import (
    LEAF,
    Carrier,
    Notes,
    OutputNode,
    Symbol,
    Tensor,
    computed,
    detached,
    edge,
    has_history,
    is_leaf_node,
    listening,
    make_leaf,
    make_symbolic,
    modes,
    next_seq,
    params_of,
    plain_array,
    reachable,
    refresh_views,
    require_unwritten_since,
    sizes_of,
    tangent_of,
    tensor_around,
    with_tangent_of,
    wrap,
)
from ...ops import METHODS
from ...sweep import depth_of_rules, grad
from ...sweep.replay import all_operands
from .tree import Spec, leaves_of, require_one_order, require_same_of_tables, tree_map, unflatten

# -------------------------------------------------------------------------------------------------------------------
# The numbers of a recorded graph's nodes: a graph keeps operations, and what they need to be differentiated


class NoValue(Exception):
    """A node does not say what it computed."""


class NodeValues:
    """What the nodes of a graph computed, found again where it is asked for."""

    def __init__(self) -> None:
        self.operands: dict[Any, list[Any]] = {}
        self.values: dict[Any, Any] = {}

    def of(self, node: Any) -> list[Any]:
        known = self.operands.get(node)
        if known is None:
            known = self.operands[node] = all_operands(node)
        return known

    def value(self, node: Any) -> Any:
        """The numbers of a node, computed again, with all that they rest on."""
        stack = [node]
        while stack:
            node = stack[-1]
            if node in self.values:
                stack.pop()
                continue
            needed = node.parents if node.op is None else [a for a in self.of(node) if is_edge(a)]
            missing = [a for a in needed if not is_leaf_node(a) and a not in self.values]
            stack += missing
            if not missing:
                self.values[stack.pop()] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Any) -> Any:
        if type(node) is OutputNode:
            return self.values[node.parents[0]][node.index]
        if node.op is None:
            if not isinstance(node, FunctionNode) or not hasattr(node, "values"):
                raise NoValue
            return node.values
        return computed(node.op, [self.number_of(a) for a in self.of(node)], params_of(node))

    def number_of(self, a: Any) -> Any:
        if is_edge(a):
            return a.data if is_leaf_node(a) else self.value(a)
        return a._data if isinstance(a, Tensor) else a

    def tensor(self, a: Any) -> Tensor:
        """A value from outside, with its history."""
        if not is_edge(a):
            return tensor_around(a)
        value = a.data if is_leaf_node(a) else self.value(a)
        leaf = a.ref() if is_leaf_node(a) else None
        return leaf if leaf is not None and leaf._data is value else wrap(value, a)


def is_edge(a: Any) -> bool:
    return hasattr(a, "parents")


# ------------------------------ The variables of one transform, and which results still belong to somebody outside it

# The one idea: a transform differentiates with respect to **new** tensors that stand for its inputs. Where an input
# has a history that somebody outside may want (an outer transform, a later ``backward``), the new tensor is a view of
# it and the history goes on; otherwise it is a leaf of the transform's own. Derivatives are then taken along paths
# from these tensors only, so transforms nest in any order and cannot be confused with each other.


@contextmanager
def recording(on: bool = True) -> Iterator[None]:
    """Record (or not) inside, whatever the mode outside."""
    token = modes.mode.set(modes.on_value() if on else modes.OFF)
    try:
        yield
    finally:
        modes.mode.reset(token)


def as_variable(value: Any) -> Tensor:
    """A value to differentiate at, as a tensor: tensors, NumPy arrays and Python numbers are."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Carrier):
        return value._t
    if isinstance(value, (np.ndarray, np.generic)):
        try:
            return wrap(plain_array(value))
        except SymgradError as error:
            error.say_to_arrays()
            raise
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return wrap(np.asarray(value, dtype=_config.default_dtype()))
    if isinstance(value, complex):
        return wrap(np.asarray(value, dtype=_config.complex_of(_config.default_dtype())))
    raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")


def all_plain(tree: Any) -> bool:
    """Whether no tensor is among the leaves: then the results are given as arrays too."""
    return not any(isinstance(leaf, Tensor) for leaf in leaves_of(tree))


def to_plain(tree: Any) -> Any:
    """The container with arrays (NumPy scalars where 0-d) for the tensors that have no history."""
    return tree_map(_plain, tree)


def _plain(t: Any) -> Any:
    return t._data[()] if _is_constant(t) else as_here(t)


def _plain_copy(t: Any) -> Any:
    return t._data.copy()[()] if _is_constant(t) else as_here(t)


def _is_constant(t: Any) -> bool:
    """Whether a tensor is its numbers and no more; a symbol, though it may have no gradient, stands for others too."""
    return isinstance(t, Tensor) and type(t) is not Symbol and t._node is None and tangent_of(t) is None


nobodys: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
"""Nodes of leaves that transforms made for themselves and that no function under way can differentiate at any more,
each with the `depth_of_rules` at which it was left: a rule deeper than that may be run by the transform's own sweep."""


def leave_to_nobody(leaves: Sequence[Any]) -> None:
    """Note that a transform has run its function: these leaves are known to it alone."""
    nobodys.update(dict.fromkeys(leaves, depth_of_rules()))


def are_nobodys(leaves: Sequence[Any]) -> bool:
    """Whether nobody could want to differentiate at one of these leaves, here."""
    depth = depth_of_rules()
    return all(nobodys.get(leaf, -1) >= depth for leaf in leaves)


def own_copy(written: dict[int, Any], t: Any) -> Any:
    """A result that the function wrote to in place as another tensor of that value and history."""
    if not isinstance(t, Tensor):
        return t
    root = t if t._extra is None or t._extra.view is None else t._extra.view[0]
    if id(root) not in written:
        return t
    new = wrap(t._data, t._node)
    return make_symbolic(new, sizes_of(t)) if type(t) is Symbol else with_tangent_of(new, t)


def raise_cause(error: Exception, refused: Any) -> None:
    """Raise what an error of NumPy's hides: a tensor that was to give its number ("setting an array element with a
    sequence"), or an array of objects that are differentiated, for which NumPy has no such function. Python's own
    SystemError says that a library's code in C went on after an error of ours, as SciPy's brentq does; with an error
    under way Python finds no attributes, and numbers are -1. ``refused`` is what `refusal` held before."""
    expect_hook()
    if isinstance(error.__cause__, SymgradError):
        raise error.__cause__ from None
    if not isinstance(error, (SymgradError, np.linalg.LinAlgError)):  # after the last, shapes are turned and tried
        require_not_refused(refused)
    if isinstance(error, ValueError) and str(error).endswith("is read-only"):
        error.args = (
            compose(
                str(error), "np.asarray(a) and np.ascontiguousarray(a) of what is being differentiated are arrays of "
                "NumPy's that do not share memory with a: a write to one would not be seen in the other.",
                "Write np.array(a), a copy to write to; or leave it out where a is an array already.",
            ),
        )  # fmt: skip
        error.add_note("With import symgrad.numpy as np, np.asarray(a) is a itself, and may be written to.")
    if isinstance(error, IndexError) and "are valid indices" in str(error) and modes.tracing.get() is not None:
        raise SymbolicBranchError(
            "an array of NumPy's is indexed by what depends on the values", f"NumPy says: {error}.",
            "Use sg.where(condition, a, b), or arrays that are differentiated: np.stack([…]) of pieces.",
        ) from error  # fmt: skip
    if isinstance(error, (TypeError, AttributeError)) and not isinstance(error, SymgradError) and _of_objects(error):
        by_scipy = refused_by_scipy([*traceback.walk_tb(error.__traceback__)][-1][0])
        if by_scipy is not None:
            raise by_scipy from error
        raise DTypeError(
            f"NumPy cannot compute this of an array of objects: {error}",
            "np.array([…]) of numbers that are being differentiated is one.",
            "Put them together with np.stack([…]), of a matrix np.block([[…], […]]), which make arrays that are "
            "differentiated, or write import symgrad.numpy as np, whose np.array does.",
        ) from error  # fmt: skip


def _of_objects(error: Exception) -> bool:
    """Whether NumPy met objects where it looked for numbers: its words, or its own code that misses their members; or
    the function's, of a number that NumPy picked from such an array, where an array would have given one with members.
    """
    if isinstance(error, TypeError):
        return _OF_OBJECTS.search(str(error)) is not None
    found = re.fullmatch(r"'(?:float|int|complex)' object has no attribute '(\w+)'", str(error))
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    in_numpy = frame.f_code.co_filename.startswith(str(np.__path__[0]))
    if found is None:
        return False
    picked = has_made() and hasattr(np.ndarray, found[1])
    return in_numpy or picked or isinstance(getattr(np, found[1], None), np.ufunc)


_OF_OBJECTS = re.compile(
    r"which has no callable \w+ method|from dtype\('O'\)|array type dtype\('O'\)|array type object is unsupported|"
    r"^ufunc '\w+' not supported for the input types|dtype object is unsupported|object arrays are not supported"
)


def let_go(written: dict[int, Any]) -> None:
    """Make plain values of the tensors that a transform's function wrote to and that outlive it, caught by it from
    outside: what they were computed from is nobody's any more."""
    for ref in written.values():
        t = ref()
        if t is None or t._node is None or is_leaf_node(t._node):
            continue
        if are_nobodys(reachable([t._node])[1]):
            t._node = None
            if t._extra is not None and t._extra.views:
                refresh_views(t, False)


def refuse_captured(output: Any, what: str) -> None:
    """Raise if a result depends on what a transform around this one differentiates, and would be a constant here."""
    if modes.under_way and has_history(output):
        nodes, leaves = reachable([edge(output)])[:2]
        if not (modes.under_way.isdisjoint(nodes) and modes.under_way.isdisjoint(leaves)):
            raise GradientError(
                f"{what} makes numbers, and its function uses a value that is being differentiated around it",
                "No derivative would flow through that value.",
                "Use sg.grad, sg.hessian or sg.hvp, through which derivatives flow, or x.detach() for a constant.",
            )


def require_smooth(x: Tensor) -> None:
    """Raise for a tensor that nobody can differentiate with respect to."""
    if x._data.dtype.kind not in "fc":
        raise DTypeError(
            "only Tensors of floating point dtype can require gradients",
            f"A transform was asked to differentiate at a tensor of dtype {x._data.dtype}.",
            "Cast it first: x.double().",
        )  # fmt: skip


def require_real(tensors: list[Tensor]) -> None:
    """Raise for complex variables."""
    for t in tensors:
        if t._data.dtype.kind == "c":
            raise DTypeError(
                "second derivatives in complex variables are not what a Hessian is",
                f"A variable has dtype {t._data.dtype}.",
                "Differentiate in the real and the imaginary part; of a holomorphic function there is "
                "sg.hessian(f, holomorphic=True).",
            )  # fmt: skip


def run_on_variables(
    f: Callable[..., Any], tensors: Sequence[Tensor], plain: bool, listed: bool = False, called: Any = None
) -> Any:
    """What ``f`` returns at ``tensors`` (``plain``: at arrays around them), recorded.

    As long as it runs they count as somebody's for the transforms inside it; then only the transform itself knows its
    leaves. ``listed``: nobody will ask for a second derivative, so that numbers are steps of a list. ``called``:
    ``f`` of the tables that the user gave, and these by name, if there are any.
    """
    tables: list[Any] = []
    result = _recorded(f, tensors, plain, listed, tables)
    if tables or called is not None:
        _compare_with_tables(f, tensors, plain, result, tables, called)
    return result


def _compare_with_tables(
    f: Callable[..., Any], tensors: Sequence[Tensor], plain: bool, result: Any, read: list[Any], called: Any
) -> None:
    """Raise where the function means something else of pandas' tables than of the arrays that it was run on. At 0 much
    is equal that is not elsewhere: variables that are 0 are moved as well."""
    function, given = (f, dict[str, Any]()) if called is None else called
    for table in {id(t): t for t in read}.values():
        require_one_order({**given, "a table that the function reads": table})
    if modes.tracing.get() is not None or any(type(t) is not Tensor for t in tensors):
        return
    points = [[t._data for t in tensors]]
    if not all(a.any() for a in points[0]):
        points.append([a if a.any() else np.arange(1, a.size + 1, dtype=a.dtype).reshape(a.shape) for a in points[0]])
    tables = [*read, *leaves_of(given)]
    for k, point in enumerate(points):
        if k:
            try:
                result = _recorded(f, [wrap(a, LEAF) for a in point], plain, False, [])
            except Exception:  # it need not be defined there
                return
        numbers = [a.copy()[()] if plain else wrap(a.copy()) for a in point]
        require_same_of_tables(functools.partial(function, *numbers), result, tables)


def _recorded(f: Callable[..., Any], tensors: Sequence[Tensor], plain: bool, listed: bool, tables: list[Any]) -> Any:
    around, refused, mark = modes.running.get(), refusal.get(), next_seq()
    written: dict[int, Any] = {}
    recorder = Recorder() if listed and plain and around is None and modes.on_value() == modes.ON else None
    inside = modes.running.set(modes.Running(plain, tensors, around, written, recorder, tables, set()))
    token = modes.mode.set(modes.on_value())
    edges = [edge(t) for t in tensors]
    if refused is not None:
        expect_hook()
    modes.under_way.update(edges)
    try:
        result = f(*map(as_argument, tensors)) if plain else f(*tensors)
        if type(result) in ARRAYS:
            result = result._t
        elif type(result) is not Tensor:
            result = tree_map(as_result, result)
        if written:
            result = tree_map(functools.partial(own_copy, written), result)
    except (ValueError, TypeError, AttributeError, SystemError) as error:
        raise_cause(error, refused)
        raise
    finally:
        modes.mode.reset(token)
        modes.running.reset(inside)
        modes.under_way.difference_update(edges)
        leave_to_nobody([e for e in edges if is_leaf_node(e)])
        if recorder is not None:
            recorder.close()
        if written:
            let_go(written)
    require_unwritten_since(mark)
    require_not_refused(refused)
    return result


class Variables:
    """New tensors that stand for the inputs of one transform.

    Parameters
    ----------
    inputs : what the variables stand for
    plain : whether the transform was given NumPy arrays and no tensors, so that its function is one of arrays

    Attributes
    ----------
    tensors : the variables, in the order of the inputs
    outside : whether operations outside the transform record
    """

    outside: bool
    plain: bool

    def __init__(self, inputs: Sequence[Tensor], plain: bool = False) -> None:
        self.outside, self.plain = modes.grad_enabled(), plain
        self.tensors: list[Tensor] = [self._variable(x) for x in inputs]

    def _variable(self, x: Tensor) -> Tensor:
        require_smooth(x)
        notes = listening.get()
        if notes is not None and type(x) is Symbol:
            x = self._noted(notes, x)
        if self.outside and x._node is not None:
            with recording():
                return METHODS["view_as"](x, x)
        t = with_tangent_of(wrap(x._data, LEAF), x)
        if x._extra is not None and x._extra.name is not None:
            t.name = x._extra.name
        return t

    def _noted(self, notes: Notes, x: Symbol) -> Tensor:
        """An input as somebody who listens wants it: a leaf would not say what it stands for."""
        if not self.outside:
            notes.doubt("it differentiates under no_grad")
        elif x._node is None:
            before = detached(x)
            x = make_leaf(detached(x))  # type: ignore[assignment]
            notes.detached(x, before)
        return x

    def run(self, f: Callable[[Any], Any], spec: Spec, listed: bool = False, called: Any = None) -> Any:
        """What ``f`` returns at a container of the variables, recorded; the rest is as in `run_on_variables`."""
        if called is not None:
            function, tables = called
            called = (lambda *given: function(unflatten(spec, given))), tables
        return run_on_variables(lambda *given: f(unflatten(spec, given)), self.tensors, self.plain, listed, called)

    def concerns_outside(self, tensors: Sequence[Tensor]) -> bool:
        """Whether somebody outside could want to differentiate ``tensors``, or what is made of them has tangents."""
        return modes.dual_level.get() is not None or self._belongs_outside(tensors)

    def _belongs_outside(self, tensors: Sequence[Tensor]) -> bool:
        if not self.outside:
            return False
        roots = [edge(t) for t in tensors if t._node is not None]
        return bool(roots) and not are_nobodys(reachable(roots)[1])

    def release(self, t: Any) -> Any:
        """A result as it leaves the transform: with history only if somebody outside could want it."""
        cell = tangent_of(t)
        if cell is not None:
            cell.value = self.release(cell.get())
        if not isinstance(t, Tensor) or t._node is None or self._belongs_outside([t]):
            return t
        return detached(t) if type(t) is Symbol else with_tangent_of(wrap(t._data), t)

    def leave(self, tree: Any, plain: bool = True, returned: bool = False) -> Any:
        """Results as the caller gets them: without history nobody outside wants, as arrays if all he gave are.

        ``plain`` is whether what he gave beside the inputs are arrays too. What the function ``returned`` may be its
        argument, a constant of its own, or saved for a later sweep: arrays are then copies.
        """
        if not (self.plain and plain):
            return tree_map(self.release, tree)
        form = _plain_copy if returned else _plain
        return tree_map(lambda t: form(self.release(t)), tree)

    def pull(self, outputs: Sequence[Tensor], seeds: Sequence[Any], graph: bool, retain: bool) -> list[Any]:
        """Gradients with respect to the variables; None for those that the outputs do not depend on."""
        return grad_or_none(outputs, self.tensors, seeds, graph, retain)


def grad_or_none(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], seeds: Sequence[Any], graph: bool, retain: bool
) -> list[Any]:
    """``autograd.grad`` that gives None for everything wherever no output requires grad."""
    live = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o._node is not None]
    if not live:
        return [None] * len(inputs)
    roots, weights = [o for o, _ in live], [s for _, s in live]
    return list(grad(roots, list(inputs), weights, retain_graph=retain, create_graph=graph, allow_unused=True))


def zeros_like(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The derivatives in ``x`` of an output of this shape that does not depend on it."""
    zeros = wrap(np.zeros(shape + x._data.shape, x._data.dtype))
    return make_symbolic(zeros, sizes_of(x)) if type(x) is Symbol else zeros


def zeros_for(found: Sequence[Any], inputs: Sequence[Tensor], shape: tuple[int, ...] = ()) -> list[Tensor]:
    """Derivatives of an output of this shape in the inputs, with zeros for what it does not depend on."""
    return [zeros_like(x, shape) if d is None else d for d, x in zip(found, inputs, strict=True)]

"""What a symbol says of itself: named sizes, indices and its formula, and never a value."""

from __future__ import annotations

from typing import Any

from .._errors import SymbolicBranchError, SymgradError
from .._limits import bound
from .._typing import Size
from ..core import (
    Dim,
    Symbol,
    Tensor,
    detached,
    facts_of,
    is_leaf_node,
    listening,
    make_leaf,
    make_symbol,
    modes,
    named_shape,
    public_node,
)
from ..ops import METHODS
from . import describe, history
from .describe import SizeMethod
from .history import copied_inside
from .values import asked_by, step_of_a_write

# ----------------------- Indices of symbols: ``x[1:]`` has n - 1 elements whatever n is, and ``x[n - 1]`` is the last

# The idea to hold: an index that names sizes is rewritten so that it does not (``n - 1`` on an axis of n is ``-1``),
# and the length of a slice is worked out in named sizes, because the length of the stand-in would not say where it is
# from.


def named_index(shape: tuple[Any, ...], index: Any) -> tuple[Any, dict[int, Any]]:
    """The index without named sizes, where it can do without, and the sizes of its slices by stand-in."""
    parts = index if type(index) is tuple else (index,)
    used = sum(k is not None and k is not ... and not isinstance(k, bool) for k in parts)
    new = []
    sizes: dict[int, Any] = {}
    axis = 0
    for k in parts:
        if k is ...:
            axis += max(len(shape) - used, 0)
            new.append(k)
            continue
        if k is not None and axis < len(shape):
            k = _slice(shape[axis], k, sizes) if type(k) is slice else _relative(shape[axis], k)
            axis += 1
        new.append(k)
    return (tuple(new) if type(index) is tuple else new[0]), sizes


def _relative(size: Any, place: Any) -> Any:
    """A place on an axis, counted from the end where it is named from there."""
    if type(place) is not Dim:
        return place
    behind = place - size
    return behind if type(behind) is int and behind < 0 else int(place)


def _bound(size: Any, place: Any) -> Any:
    behind = place - size if type(place) is Dim else 1
    if behind == 0:
        return None
    return behind if type(behind) is int and behind < 0 else place


def _slice(size: Any, part: slice, sizes: dict[int, Any]) -> slice:
    if type(size) is not Dim and not any(type(v) is Dim for v in (part.start, part.stop)):
        return part
    start, stop = _bound(size, part.start), _bound(size, part.stop)
    part = slice(start, stop, part.step)
    length = len(range(*slice(*(v if v is None else int(v) for v in (start, stop, part.step))).indices(int(size))))
    exact = None
    if part.step in (None, 1) and all(v is None or isinstance(v, int) for v in (start, stop)):
        low = 0 if start is None else start if start >= 0 else size + start
        high = size if stop is None else stop if stop >= 0 else size + stop
        exact = high - low
    elif part.step == -1 and start is None and stop is None:
        exact = size
    if exact is None or exact != length:
        exact = Dim(f"len({size}[{_text(part)}])", length).unclear()
    sizes[length] = exact
    return part


def _text(part: slice) -> str:
    words = ["" if v is None else str(v) for v in (part.start, part.stop)]
    return ":".join(words) + ("" if part.step is None else f":{part.step}")


# --------------------------------------- What a symbol says of itself: named sizes and its formula, and never a value

# The idea to hold: every way to see a tensor's numbers is listed here, and raises. Code that branches on a value, or
# carries it off to NumPy, would otherwise give the formula of one arbitrary point.


def title(x: Symbol) -> str:
    """The symbol in words, for messages: its name or the operation that made it, and its shape."""
    node = public_node(x)
    made = x.name or ("a symbol" if node is None else f"the result of {node.name()}")
    return f"{made} ({shape_text(x)})"


def shape_text(x: Tensor) -> str:
    """The shape as it prints in prose: ``m×n``, ``n``; a number has none."""
    return "×".join(map(str, named_shape(x))) or "a number"


def _hidden(what: str, next_step: str) -> Any:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Any:
        written = step_of_a_write()
        raise SymbolicBranchError(
            f"{what} asked for the value of {title(self)}, which is not known",
            "It is a symbol, or was computed from one: it stands for any value.",
            written or next_step, written,
        )  # fmt: skip

    method.__doc__ = "Raise `SymbolicBranchError`: the value of a symbol is not known."
    return method


_BRANCH = "Use sg.where(condition, a, b) in place of a branch, or call the function with arrays."
_ARRAYS = "Use symgrad's operations (sg.exp, x.sum()), which take symbols, or call the function with arrays."


def _array(self: Symbol, *args: Any, **kwargs: Any) -> Any:
    return _hidden(asked_by(), _ARRAYS)(self)


_condition = _hidden("a condition (if, while, and, or, not, max, in)", _BRANCH)


def _bool(self: Symbol) -> bool:
    branches = modes.tracing.get()
    decides = type(branches) is modes.Decisions and branches.of_symbols
    return Tensor.__bool__(self) if decides else _condition(self)


for _name, _method in {
    "__bool__": _bool,
    "__float__": _hidden("float()", _ARRAYS), "__int__": _hidden("int()", _ARRAYS),
    "__complex__": _hidden("complex()", _ARRAYS), "__index__": _hidden("an index or size", _ARRAYS),
    "__contains__": _hidden("a condition (in)", _BRANCH), "item": _hidden("item()", _ARRAYS),
    "tolist": _hidden("tolist()", _ARRAYS), "numpy": _hidden("numpy()", _ARRAYS), "data_ptr": _hidden("data_ptr()", ""),
    "__array__": _array,
}.items():  # fmt: skip
    setattr(Symbol, _name, _method)


def _member(fn: Any) -> Any:
    setattr(Symbol, fn.__name__, fn)
    return fn


def _shape(self: Symbol) -> Size:
    """The sizes of the dimensions, named where they were declared by name."""
    return Size(named_shape(self))


Symbol.shape = property(_shape, doc=_shape.__doc__)  # type: ignore[method-assign,assignment]


def size(self: Symbol, dim: int | None = None) -> Any:
    """Return the shape, or the size of one dimension."""
    shape = _shape(self)
    return shape if dim is None else shape[describe._one_dim(self, dim)]


Symbol.size = SizeMethod(size)  # type: ignore[method-assign,assignment]


@_member
def numel(self: Symbol) -> Any:
    """Return the number of elements: a product of named sizes."""
    return _shape(self).numel()


Symbol.nelement = numel  # type: ignore[method-assign]


@_member
def __len__(self: Symbol) -> Any:
    shape = _shape(self)
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    if type(shape[0]) is Dim:
        raise SymbolicBranchError(
            f"len() of {title(self)} is the named size {shape[0]}, which Python's len() cannot return",
            "It must return an int, and this size stands for any.",
            "Write x.shape[0], which can be computed with: x.sum() / x.shape[0].",
        )
    return shape[0]


@_member
def __iter__(self: Symbol) -> Any:
    shape = _shape(self)
    if shape and type(shape[0]) is Dim:
        raise SymbolicBranchError(
            f"iteration over {title(self)}: it has {shape[0]} rows, however many these are",
            "A loop needs a number.",
            "Write it with array operations (sums, products, cumsum), or declare the symbol with a number as its size.",
        )
    if not shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(METHODS["unbind"](self, 0))


@_member
def __getitem__(self: Symbol, index: Any) -> Any:
    index, sizes = named_index(named_shape(self), index)
    out = METHODS["__getitem__"](self, index)
    if sizes:
        out._extra.sizes = {**(out._extra.sizes or {}), **sizes}
    return out


@_member
def __pow__(self: Symbol, exponent: Any) -> Any:
    return METHODS["pow"](self, exponent.number() if type(exponent) is Dim else exponent)


@_member
def detach(self: Symbol) -> Symbol:
    """Return the same symbol as a constant: no gradient flows through it."""
    return detached(self)


Symbol.data = property(detached, doc="The same symbol as a constant.")  # type: ignore[method-assign,assignment]


@_member
def requires_grad_(self: Symbol, requires_grad: bool = True) -> Symbol:
    """Set ``requires_grad`` and return the symbol; a detached one becomes the leaf it was detached from."""
    if not requires_grad or self._node is not None:
        return history.requires_grad_(self, requires_grad)
    notes = listening.get()
    before = None if notes is None else detached(self)
    _become_leaf(self)
    if notes is not None and before is not None:  # a leaf does not say what it was before
        notes.detached(self, before)
    return self


def _become_leaf(self: Symbol) -> None:
    bag = self._extra
    source = bag.origin[1][0] if bag is not None and bag.origin is not None else None
    if is_leaf_node(source) and source.facts is not None:
        bag.name, bag.origin = source.label, None
        make_leaf(self)._node.facts = source.facts
    else:
        history.requires_grad_(self, True)


def _rebuild(name: str, data: Any, facts: Any, constant: bool) -> Symbol:
    leaf = make_symbol(name, data, facts)
    return detached(leaf) if constant else leaf


@_member
def __reduce_ex__(self: Symbol, protocol: Any) -> Any:
    """Pickle a declared symbol; what was computed from one is not pickled."""
    facts = facts_of(self)
    if facts is None:
        raise SymbolicBranchError(
            f"{title(self)} cannot be copied or pickled: its graph would be lost, and its values are none",
            "Only declared symbols can be.",
            "Pickle its formula instead.",
        )
    return _rebuild, (self._node.label, self._data, facts, False)


def _again(self: Symbol) -> Symbol:
    make, state = __reduce_ex__(self, 4)
    return make(*state)


@_member
def __deepcopy__(self: Symbol, memo: dict[int, Any]) -> Symbol:
    if id(self) not in memo:
        found = copied_inside(self)
        memo[id(self)] = _again(self) if found is None else found
    return memo[id(self)]


@_member
def __repr__(self: Symbol) -> str:
    notes = listening.get()
    if notes is not None:
        notes.doubt("it makes a text of a value")
    name = self.name
    shape = named_shape(self)
    sizes = f": {shape_text(self)}" if shape else ""
    if name is None:
        node = public_node(self)
        name, left = _short_formula(self)
        return f"symbol({name or (f'<{node.name()}>' if node is not None else '…')}{sizes}{left})"
    return f"symbol({name}{sizes})"


SYMBOL_TEXT = bound(60)
"""Signs of a formula that stands in a symbol's repr."""
SYMBOL_GRAPH = bound(64)
"""Operations of a graph up to which its formula is made for that."""


def _short_formula(x: Symbol) -> tuple[str, str]:
    """The formula, if it is short; else what is left out."""
    count = _operations(x, SYMBOL_GRAPH)
    if count > SYMBOL_GRAPH:  # reading it takes a while, and it is long
        return "", f", of more than {SYMBOL_GRAPH} operations: see its formula()"
    try:
        text = str(x.formula())
    except SymgradError as error:
        return "", f", no formula: {str(error).partition(chr(10))[0]}"
    if len(text) <= SYMBOL_TEXT and "\n" not in text:
        return text, ""
    return "", f", of {count} operations: see its formula()"


def _operations(x: Symbol, most: int) -> int:
    """How many operations made it, counted to one more than ``most``."""
    seen: set[int] = set()
    stack = [x._node]
    while stack and len(seen) <= most:
        node = stack.pop()
        if node is not None and not is_leaf_node(node) and id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.parents)
    return len(seen)


@_member
def __format__(self: Symbol, spec: str) -> str:
    try:
        return format(repr(self), spec)
    except ValueError:  # of a number: a line that tells of progress
        return repr(self)

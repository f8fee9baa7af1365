"""A call in a text: what its function takes, entry by entry and along axes; bars; entries in other words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from functools import cache, partial, reduce
from typing import Any, NamedTuple

from .. import linalg
from ..core import TABLE, Tensor
from ..ops import FUNCTIONS
from ..show.functions import LETTER_OF
from ..show.signs import in_unicode
from ..syntax import (
    APPLIED,
    GREEK,
    INDICES,
    LATEX_FUNCTIONS,
    SIGNS,
    SUM,
    Node,
    ParseError,
    Token,
    end_of_bracket,
    in_bracket,
    is_where,
    shifted_name,
    starts_operand,
    summed_in,
    tokens_at,
)
from ._shapes import Reading, Shape, WorkedOut, as_numbers, as_truth, broadcast, is_no_number, lift, may_be_covariance

# ------------------------------ A call in a text: what its function takes, and the functions that work entry by entry

# The idea to hold: a function of arrays is its parameters and a rule; what does not fit the parameters is refused here,
# so that a rule only asks for what is its own. Functions that work entry by entry are read from the table of
# operations. A function that is neither is not called, whatever its name: texts come from strangers.


AXES = "axis|dim|dims"
KEEP = "keepdims|keepdim"
_MANY = "…"


class ArrayFunction(NamedTuple):
    """A function: its parameters, ``"x y ? axis|dim * keepdims"``, and what it makes of a call.

    What stands before ``?`` must be given, what follows ``*`` only by name; ``|`` is between names of one parameter.
    ``.`` is an argument that has none, ``…`` any number of them.
    """

    parameters: str
    rule: Callable[[TextCall], WorkedOut]


ARRAY_FUNCTIONS: dict[str, ArrayFunction] = {}


def function(names: str, parameters: str) -> Callable[[Callable[[TextCall], WorkedOut]], Any]:
    """Declare the functions that a rule is for."""

    def declare(rule: Callable[[TextCall], WorkedOut]) -> Any:
        ARRAY_FUNCTIONS.update(dict.fromkeys(names.split(), ArrayFunction(parameters, rule)))
        return rule

    return declare


class TextCall:
    """A call whose arguments fit its parameters; ``options`` are those that may be left out, by their first names."""

    def __init__(self, reading: Reading, node: Node, args: tuple[Shape, ...], parameters: str) -> None:
        self.reading, self.node = reading, node
        self.name, names = node.value
        self.arguments = list(zip(node.children, args, strict=True))
        cut = len(args) - len(names)
        self.positional = self.arguments[:cut]
        placed, _, only = parameters.partition("*")
        needed, _, more = placed.partition("?")
        least, optional = len(needed.split()), more.split()
        self.between(least, least + len(optional) if _MANY not in optional else None)
        self.options = dict(zip([o.split("|")[0] for o in optional if o != _MANY], self.positional[least:]))
        for name, (part, shape) in zip(names, self.arguments[cut:], strict=True):
            known = next((o for o in (*optional, *only.split()) if name in o.split("|")), None)
            if known is None:
                raise self.problem(f"has no argument '{name}'", at=part)
            self.options[known.split("|")[0]] = part, shape

    def problem(self, what: str, next_step: str = "", at: Node | None = None) -> ParseError:
        return self.reading.problem(at or self.node, f"{self.name}: {what}", next_step)

    def between(self, least: int, most: int | None) -> None:
        """Check how many arguments stand without a name."""
        n = len(self.positional)
        if n < least or (most is not None and n > most):
            wanted = f"at least {least}" if most is None else str(least) if least == most else f"{least} to {most}"
            raise self.problem(f"takes {wanted} argument{'s' * (not wanted.endswith('1'))}, got {n}")

    def array(self, i: int = 0) -> tuple[Node, Shape]:
        """The argument ``i``, an array."""
        node, shape = self.positional[i]
        if is_no_number(node, shape) or shape.parts:
            raise self.problem(f"{self.reading.source(node)} is no array", at=node)
        return node, shape

    def arrays(self) -> list[tuple[Node, Shape]]:
        return [self.array(i) for i in range(len(self.positional))]

    def fit(self, spec: str) -> Shape:
        """The shape that ``spec`` says of the arguments, see `Reading.fit`."""
        return self.reading.fit(self.node, spec, self.arrays()[: spec.split()[0].count(",") + 1])

    def option(self, name: str, default: Any = None) -> Any:
        """A written number, tuple of numbers, string or flag."""
        return self.written(*self.options[name]) if name in self.options else default

    def written(self, node: Node, shape: Shape) -> Any:
        if node.kind == "number" and node.value is None:
            return None
        if shape.parts and all(isinstance(p.number, int) for p in shape.parts):
            return tuple(p.number for p in shape.parts)
        if shape.number is None:
            raise self.problem(f"{self.reading.source(node)} must be a written number", at=node)
        return shape.number

    def axes(self, rank: int, default: Any = None) -> Any:
        """The axes that are asked for, None or a tuple counted from 0."""
        axis = self.option("axis", default)
        if axis is None or axis == "all":  # MATLAB's
            return None
        self._refuse_other_axes()
        axes = axis if isinstance(axis, tuple) else (axis,)
        for a in axes:
            if isinstance(a, bool) or not isinstance(a, int) or not -rank <= a < rank:
                said = self.reading.said(*self.positional[0])
                raise self.problem(f"there is no axis {a}" + f": {said}" * (not self.positional[0][1].parts))
        counted = tuple(a % rank for a in axes)
        if len(set(counted)) < len(counted):
            raise self.problem("an axis is given twice")
        return counted

    def _refuse_other_axes(self) -> None:
        """Refuse ``sum(A, 1)`` beside MATLAB's signs and ``sum(A, dims=1)`` of Julia, whose axes are counted from 1."""
        node = self.options["axis"][0] if "axis" in self.options else None
        julia = "dims" in self.node.value[1] and self.name in _OF_COLUMNS
        ours = self.node.owner or "axis" in self.node.value[1] or "dim" in self.node.value[1]
        if node is not None and (julia or (any(self.reading.marks) and not ours)):
            step = f"Write {self.name}(…, axis=0) for the sums, or the like, of columns, axis=1 for those of rows."
            raise self.problem("MATLAB and Julia count axes from 1", step, node)

    def refuse_columns(self, a: Shape) -> None:
        """Refuse ``sum(A)`` of a matrix beside MATLAB's signs, which is that of each column there; ``sum(sum(A))`` is
        the same everywhere."""
        nested = id(self.node) in self.reading.totals or any(
            c.kind == "call" and c.value == self.node.value for c in self.node.children
        )
        if (
            self.reading.marks.matlab
            and a.rank == 2
            and not nested
            and not self.node.owner
            and "axis" not in self.options
        ):
            inner = self.reading.argument(self.arguments[0][0])
            what = f"{self.reading.said(*self.arguments[0])}: of all entries in Julia, of each column in MATLAB"
            step = f'Write {self.name}({inner}, "all"), or {self.name}({inner}, axis=0) for each column.'
            raise self.problem(what, step)

    def flag(self, name: str) -> bool:
        value = self.option(name, False)
        if not isinstance(value, bool):
            raise self.problem(f"'{name}' is True or False")
        return value


def call(reading: Reading, node: Node, *args: Shape) -> WorkedOut:
    """The shape of a call, and how it is computed."""
    name = node.value[0]
    if name in _JULIA_REDUCTIONS and len(args) == 1:
        name, node.value = _JULIA_REDUCTIONS[name], (_JULIA_REDUCTIONS[name], node.value[1])
    if name in ARRAY_FUNCTIONS:
        return ARRAY_FUNCTIONS[name].rule(TextCall(reading, node, args, ARRAY_FUNCTIONS[name].parameters))
    if name not in entrywise():
        return _of_row(reading, node, args, *rows()[name])
    fn, inputs = entrywise()[name]
    options = " ".join(node.value[1])
    needed = 1 if options or name in ("clip", "clamp") else inputs
    return _entry_by_entry(TextCall(reading, node, args, f"{'x ' * needed} ? … * {options}"), fn, inputs)


# ---------------------------------------------------------------------- entry by entry

_NOT_FOR_TEXTS = frozenset({
    "add", "sub", "subtract", "rsub", "mul", "multiply", "div", "divide", "true_divide", "clone", "fill", "neg",
    "conj", "conj_physical", "angle", "complex", "polar", "normal", "bernoulli", "positive", "negative",
    "nan_to_num", "sgn", "resolve_conj", "addcmul", "addcdiv", "float_power", "floor_divide", "rdiv", "lerp",
    "masked_fill", "fix", "poisson", "nextafter", "igamma", "igammac",
})  # fmt: skip
_OTHER_NAMES = {
    "ln": "log", "expit": "sigmoid", "gammaln": "lgamma", "loggamma": "lgamma", "psi": "digamma",
    "fabs": "abs", "ifelse": "where", "pmax": "maximum", "pmin": "minimum", "sgn": "sign", "signum": "sign",
    "power": "pow", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "plogis": "sigmoid", "qlogis": "logit",
    "pnorm": "ndtr", "normcdf": "ndtr", "mod": "remainder",
    "log_sigmoid": "logsigmoid", "logistic": "sigmoid", "norm_cdf": "ndtr", "logΓ": "lgamma",
    **{letter: name for name, letter in LETTER_OF.items()},
}  # fmt: skip
_ONE_OVER = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
"""Functions that are reciprocals of others."""
_OF_COLUMNS = frozenset({"sum", "mean", "prod", "median", "max", "min", "amax", "amin", "var", "std"})
"""Functions that MATLAB takes of each column of a matrix."""
_JULIA_REDUCTIONS = {"maximum": "amax", "minimum": "amin"}
"""What Julia's functions of one array are."""
OF_COMPLEX = frozenset({"conj", "angle", "complex", "polar", "view_as_complex", "view_as_real", "real", "imag"})
_CONDITIONS = ("logical_not", "logical_and", "logical_or", "logical_xor", "isnan", "isinf", "isfinite")


@cache
def entrywise() -> dict[str, tuple[Callable[..., Any], int]]:
    """Element-wise functions by name: the function, and how many of its arguments are arrays."""
    rows = {op.label: op for op in TABLE.values() if op.kind == "elementwise" and not op.name.endswith("_")}
    names: dict[Any, str] = {FUNCTIONS[n]: n for n in rows if n in FUNCTIONS}
    found: dict[str, tuple[Callable[..., Any], int]] = {}
    for name, fn in FUNCTIONS.items():
        row = getattr(fn, "op", None) or rows.get(names.get(fn, name))
        if row is not None and row.kind == "elementwise" and name not in _NOT_FOR_TEXTS:
            found[name] = (fn, len(row.inputs))
    for name in ("ndtr", "xlog1py", "normal_pdf"):
        found[name] = (TABLE[name].apply, len(TABLE[name].inputs))
    found.update({name: (FUNCTIONS[name], len(TABLE[name].inputs)) for name in _CONDITIONS})
    found["selu"], found["pow"] = (FUNCTIONS["selu"], 1), (FUNCTIONS["pow"], 2)
    found["polygamma"] = (lambda n, x: FUNCTIONS["polygamma"](int(n), x), 2)
    for name, known_as in _OTHER_NAMES.items():
        found[name] = found[known_as]
    found["abs2"] = (lambda x: x * x, 1)
    found["factorial"] = (_factorial, 1)
    found |= dict.fromkeys(("binom", "binomial", "nchoosek", "choose", "comb"), (_binomial, 2))
    for name, below in _ONE_OVER.items():
        found[name] = (_reciprocal(FUNCTIONS[below]), 1)
        if name != "cot":  # whose inverse lies between 0 and π to some, between −π/2 and π/2 to others
            for arc in ("a", "arc", "ar") if name.endswith("h") else ("a", "arc"):
                found[arc + name] = (_of_reciprocal(FUNCTIONS[f"a{below}"]), 1)
    return found


def _factorial(n: Any) -> Any:
    return rows()["gamma_function"][0].apply(as_numbers(n + 1))


def _binomial(n: Any, k: Any) -> Any:
    """How often k of n can be chosen, by the beta function: Γ overflows where n is 171."""
    n, k = as_numbers(n), as_numbers(k)
    return 1 / ((n + 1) * rows()["beta_function"][0].apply(n - k + 1, k + 1))


def _reciprocal(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: 1 / fn(x)


def _of_reciprocal(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: fn(1 / x)


@cache
def rows() -> dict[str, tuple[Any, tuple[str, ...]]]:
    """The other element-wise rows, by the names that formulas print: the row, and the order of its arguments there."""
    found: dict[str, tuple[Any, tuple[str, ...]]] = {}
    for op in TABLE.values():
        of_numbers = "complex" not in op.domain and op.params[:1] not in (("noise",), ("values",))
        if op.kind == "elementwise" and of_numbers and op.name not in OF_COMPLEX:
            names = (*op.inputs, *op.params)
            printed = re.fullmatch(r"([a-z]\w+)\(([^()]*)\)", op.text)
            own = [int(k) for k in re.findall(r"[{<](\d)[}>]", printed[2])] if printed else [*range(len(names))]
            own = own if len(own) == len(names) else [*range(len(names))]
            shown = {op.name, op.label, printed[1] if printed else op.label}
            if op.label in GREEK.values():  # beta alone is a number, or a vector
                shown = {f"{op.label}_function"}
            for name in shown - {*entrywise(), *ARRAY_FUNCTIONS}:
                found.setdefault(name, (op, tuple([names[k] for k in own])))
    for op, _ in [*found.values()]:  # SciPy's names: jv(order, x)
        called = re.fullmatch(r"(\w+)\(((?:{\w+}(?:, )?)*)\)", op.scipy)
        if called and called[1] not in {*entrywise(), *ARRAY_FUNCTIONS}:
            places = re.findall(r"\w+", called[2])
            found.setdefault(called[1], (op, tuple([op.inputs[int(k)] if k.isdigit() else k for k in places])))
    return found


def _of_row(reading: Reading, node: Node, args: tuple[Shape, ...], op: Any, order: tuple[str, ...]) -> WorkedOut:
    """A row of the table of its operands and parameters."""
    call = TextCall(reading, node, args, f" ? {_MANY} * {' '.join(order)}")
    named = dict(zip([name for name in order if name not in call.options], call.positional)) | call.options
    missing = [name for name in order if name not in named and name not in op.defaults]
    if missing or len(call.positional) > len(order):
        raise call.problem(f"takes {', '.join(order)}")
    params = [call.written(*named[name]) if name in named else op.defaults[name] for name in op.params]
    arrays = [named[name] for name in op.inputs]
    places = [next(k for k, (part, _) in enumerate(call.arguments) if part is array) for array, _ in arrays]

    def run(*values: Any) -> Any:
        return op.apply(*[as_numbers(values[k]) for k in places], *params)

    return broadcast(reading, node, arrays), run


def _entry_by_entry(call: TextCall, fn: Callable[..., Any], inputs: int) -> WorkedOut:
    truths = call.name.startswith("logical_")
    order = call.arguments[0][1].number
    if call.name == "polygamma" and not (isinstance(order, int) and order >= 0):
        raise call.reading.problem(call.node, "polygamma(n, x) takes an order n = 0, 1, 2…")
    for node, shape in call.arguments:
        if (isinstance(shape.number, (str, bool)) and not truths) or shape.parts:
            raise call.problem(f"{call.reading.source(node)} is no number", at=node)
    count, names = len(call.positional), call.node.value[1]

    def run(*values: Any) -> Any:
        if truths:
            return fn(*map(as_truth, values))
        arrays = [_argument(v, i, fn, inputs) for i, v in enumerate(values[:count])]
        return fn(*arrays, **dict(zip(names, map(lift, values[count:]), strict=True)))

    return broadcast(call.reading, call.node, call.arguments), run


def _argument(value: Any, place: int, fn: Any, inputs: int) -> Any:
    """What an operation of the table takes is a tensor (of bools for `where`); bounds and orders are numbers."""
    if value is None or place >= inputs or fn is entrywise()["polygamma"][0]:
        return lift(value)
    if fn is FUNCTIONS["where"]:
        return as_truth(value) if place == 0 else lift(value)
    return as_numbers(value) if place == 0 or hasattr(fn, "op") else lift(value)


# -------------------------------------------------------- Functions along axes: sums, means, norms, softmax; and bars


def _left(a: Shape, axes: tuple[int, ...] | None, keep: bool) -> Shape:
    """The shape that a sum over ``axes`` leaves."""
    gone = range(a.rank) if axes is None else axes
    kept = [(1 if i in gone else d) for i, d in enumerate(a.dims) if keep or i not in gone]
    return Shape(tuple(kept))


@function("sum mean prod nansum median amax amin logsumexp", f"x ? {AXES} * {KEEP}")
@function("var std", f"x ? {AXES} * {KEEP} correction|ddof unbiased")
def _reduction(call: TextCall) -> WorkedOut:
    name, (_, a) = call.name, call.array()
    fn = FUNCTIONS[{"max": "amax", "min": "amin"}.get(name, name)]
    axes, keep = call.axes(a.rank), call.flag("keepdims")
    options = {n: call.option(n) for n in ("correction", "unbiased") if n in call.options}
    call.refuse_columns(a)
    if name == "median" and call.node.owner in _OF_NUMPY:
        what = "is the mean of the two in the middle in NumPy, and the lower one in PyTorch and here"
        raise call.problem(what, "Write median(…) for the latter.")
    if name in ("var", "std") and not options:
        options["correction"] = _correction(call)
        if not call.node.owner:
            of = "a sample, over n − 1" if options["correction"] else "all there are, over n"
            call.reading.taken.add(f"{name} as that of {of}")
    if not a.rank and axes is None and name not in ("var", "std"):
        return Shape(number=a.number), lambda x, *_: x
    whole = axes is None and not keep
    over = tuple(range(a.rank)) if axes is None else axes
    if len(over) > 1 and name in ("prod", "median") and not whole:
        raise call.problem("takes one axis")
    dim: Any = over[0] if len(over) == 1 else over

    def run(x: Any, *_: Any) -> Any:
        x = as_numbers(x)
        out = fn(x, **options) if whole and name != "logsumexp" else fn(x, dim, keepdim=keep, **options)
        return out if isinstance(out, Tensor) else out[0]

    return _left(a, axes, keep), run


_OF_NUMPY = ("np", "numpy", "jnp", "scipy")
_OF_TORCH = ("torch", "sg", "symgrad")


def _correction(call: TextCall) -> int:
    """What a variance takes away from n where the text does not say it: nothing in NumPy, 1 in PyTorch and in
    statistics; of a method, and in NumPy's signs, it is not known which is meant."""
    owner = call.node.owner
    if owner == "." or (not owner and call.reading.is_numpy):
        step = f"Write {call.name}(…, ddof=0) or {call.name}(…, ddof=1)."
        raise call.problem("divides by n in NumPy, and by n − 1 in PyTorch and in statistics", step)
    return int(owner not in _OF_NUMPY)


def is_of_operands(call: Node) -> bool:
    """Whether ``max`` is that of its operands: ``max(x, 0)`` is, where a library goes along an axis, and not
    ``max(A, "all")``."""
    of_library = call.owner in (".", *_OF_NUMPY, *_OF_TORCH)
    several = len(call.children) - len(call.value[1])
    axis = several > 1 and (call.children[1].kind == "string" or (of_library and call.children[1].kind == "number"))
    return several > 1 and not axis and not (of_library and several > 2)


@function("max min", f"x ? {AXES} {_MANY} * {KEEP}")
def _extreme(call: TextCall) -> WorkedOut:
    """``max(x)``, ``max(x, axis=0)`` and ``max(x, y, z)``; ``x.max(0)`` and ``np.max(x, 0)`` go along an axis."""
    if not is_of_operands(call.node):
        call.between(1, 2)
        return _reduction(call)
    if call.node.value[1]:  # an axis is of one array
        call.between(1, 1)
    call.arrays()
    fn = FUNCTIONS[f"{call.name}imum"]
    return broadcast(call.reading, call.node, call.arguments), lambda *values: reduce(fn, map(as_numbers, values))


@function("softmax log_softmax cumprod logcumsumexp", f"x ? {AXES}")
@function("cumsum shift cumprod_before", f"x ? {AXES} * reverse")
def _along(call: TextCall) -> WorkedOut:
    """As papers do, symgrad writes softmax(X) for the softmax of each row; SciPy's is that of all entries."""
    node, a = call.array()
    if not a.rank:
        raise call.reading.wanted(call.node, node, a, "a vector")
    rowwise = TABLE[call.name].rowwise
    axes = call.axes(a.rank, -1 if a.rank == 1 or (rowwise and call.reading.matrix) else None)
    if axes is not None and len(axes) > 1 and rowwise:
        return a, lambda x, *_: TABLE[call.name].apply(as_numbers(x), axes)
    if axes is None or len(axes) > 1:
        example = f"{call.name}({call.reading.argument(node)}, axis=1)"
        raise call.problem(f"{call.reading.said(node, a)}: along which axis?", f"Say it: {example}.")
    if TABLE[call.name].params[-1:] == ("reverse",):
        backwards = call.flag("reverse")
        return a, lambda x, *_: TABLE[call.name].apply(as_numbers(x), axes[0], backwards)
    return a, lambda x, *_: FUNCTIONS[call.name](as_numbers(x), axes[0])


@function("recurrence", f"b a ? {AXES} * reverse")
def _recurrence(call: TextCall) -> WorkedOut:
    """``recurrence(b, a)``: the solution of ``y[k] = b[k] + a[k]*y[k-1]`` along an axis."""
    shape, backwards = broadcast(call.reading, call.node, call.arrays()[:2]), call.flag("reverse")
    axes = call.axes(shape.rank, -1 if shape.rank == 1 else None)
    if axes is None or len(axes) > 1:
        raise call.problem("along which axis?", "Say it: recurrence(b, a, dim=1).")
    return shape, lambda b, a, *_: TABLE["recurrence"].apply(as_numbers(b), as_numbers(a), axes[0], backwards)


# ---------------------------------------------------------------------- norms and absolute values

_MATRIX_ORDERS = (1, 2, -1, -2, math.inf, -math.inf)


@function("norm linalg_norm", f"x ? ord|p {AXES} * {KEEP}")
@function("norm1 norm2", f"x * {AXES} {KEEP}")
def _norm(call: TextCall) -> WorkedOut:
    """``norm(x)``, ``norm(x, p)``, ``norm(X, 'fro')``; ``norm1`` and ``norm2`` of vectors."""
    node, a = call.array()
    order = {"norm1": 1, "norm2": 2}.get(call.name)
    p = order or call.option("ord")
    axes, keep = call.axes(a.rank), call.flag("keepdims")
    if (isinstance(p, str) and p not in ("fro", "nuc")) or isinstance(p, (bool, tuple)):
        raise call.problem(f"{p!r} is no order", "Write a number, inf, 'fro' or 'nuc'.")
    if not a.rank and p is None:
        return Shape(), lambda x, *_: FUNCTIONS["abs"](as_numbers(x))
    over = a.rank if axes is None else len(axes)
    if not 1 <= over <= 2 or (isinstance(p, str) and over != 2):
        raise call.problem(f"{call.reading.said(node, a)}, a vector is needed")
    if order is not None and over == 2:
        source = call.reading.argument(node)
        step = f"Write norm({source}) for Frobenius, norm({source}, {order}) for the operator norm."
        raise call.problem("of a matrix may be read in two ways", step)
    if over == 2 and isinstance(p, (int, float)) and p not in _MATRIX_ORDERS:
        raise call.problem(f"there is no matrix norm of order {p}", "Write 1, 2, inf, 'fro' or 'nuc'.")
    if over == 2 and p is None and call.reading.marks.matlab and not call.node.owner:
        inner = call.reading.argument(node)
        step = f"Write norm({inner}, 'fro'), or norm({inner}, 2) for MATLAB's."
        raise call.problem("of a matrix is Frobenius' in Julia and the largest singular value in MATLAB", step)
    if over == 2 and p is None:
        call.reading.taken.add("the norm of a matrix as Frobenius'")
    dim = None if axes is None else axes[0] if len(axes) == 1 else axes
    number = None if p is None else p if isinstance(p, str) else float(p)
    return _left(a, axes, keep), lambda x, *_: linalg.norm(as_numbers(x), number, dim, keep)


@function("‖‖", "x * ord")
def _double_bars(call: TextCall) -> WorkedOut:
    """``‖x‖``, ``‖x‖₁``: over all entries."""
    call.name = "norm"
    node, a = call.array()
    p = call.option("ord")
    if p in (None, 2) and a.rank > 2:
        return Shape(), lambda x, *_: linalg.vector_norm(as_numbers(x))
    if p is not None and a.rank > 1 and p != "nuc":
        source = call.reading.argument(node)
        raise call.problem("of a matrix may be read in two ways", f"Write norm({source}) for Frobenius.")
    return _norm(call)


@function("||", "x")
def _bars(call: TextCall) -> WorkedOut:
    """``|x|``; that of a square matrix may be its determinant."""
    node, a = call.array()
    call.name = "abs"
    start, reading = call.node.start, call.reading
    if start in reading.dets or (a.rank == 2 and start in reading.raised) or may_be_covariance(reading, node.value, a):
        return call.fit("ii -> "), linalg.det
    if a.rank == 2:
        call.reading.bars.append((call.node, a))
    if a.rank == 1 and call.reading.bold:
        call.reading.taken.add("bars of a bold vector as its length")
        return Shape(), lambda x: linalg.norm(as_numbers(x))

    def run(x: Any) -> Any:
        if isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == bool):
            raise call.problem(f"{call.reading.source(node)} is a condition", "Write (a > b) | (c > d) for or.")
        return FUNCTIONS["abs"](as_numbers(x))

    return Shape(a.dims, a.row), run


# ---------------------------------------------------------------------- functions without brackets


BETWEEN = frozenset(["if", "else", "otherwise"])


BARE = LATEX_FUNCTIONS | {
    "log10", "log2", "logdet", "sqrt", "tr", "trace", "erf", "erfc", "sech", "csch", "sgn",
    *[f"{arc}{name}" for arc in ("ar", "arc", "a") for name in ("sinh", "cosh", "tanh")],
}  # fmt: skip
"""Functions that are written without brackets, too."""


def is_function(token: Token, names: Collection[str]) -> bool:
    return token.kind == "name" and token.text in BARE and token.text not in names


def applied_in_two_ways(function: Token, text: str, otherwise: str = "") -> ParseError:
    """The error where nobody knows how much a function without brackets takes."""
    what = f"what '{function.text}' is applied to may be read in two ways"
    return ParseError.at(what, text, function, f"Write brackets, {function.text}(…){otherwise}.")


def ends_argument(tokens: list[Token], i: int, names: Collection[str]) -> bool:
    """Whether a function's argument may end before a token: what follows is no factor of it."""
    token = tokens[i]
    if token.kind in ("end", "close") or is_function(token, names) or is_where(tokens, i):
        return True
    if token.text in BETWEEN or token.text == "and":
        return True
    if token.kind != "op" or (starts_operand(token) and token.text != "-"):
        return False
    return SIGNS[token.text].binds <= SUM or token.text in ")],;=⟩⌋"


_APPLIED_TO_A_NUMBER = re.compile(f"({'|'.join(sorted({'sqrt', *APPLIED}))})([0-9]+)")


def refuse_applied(reader: Any, nodes: list[Node]) -> None:
    """Refuse ``x/sqrt2``, where a name is a function and a number."""
    for node in nodes:
        found = _APPLIED_TO_A_NUMBER.fullmatch(str(node.value)) if node.kind == "name" else None
        if found and node.value not in reader.declared.keys() | reader.definitions.keys():
            what = f"{node.value} may be a name, and {found[1]}({found[2]})"
            raise reader.reading.problem(node, what, f"Write {found[1]}({found[2]}), or declare the name.")


# ---------------------------------------------------------------------- entries in other words


_LABEL_ABOVE = re.compile("⁽([ⁱʲᵏˡᵗ])⁾")
_LOWERED = dict(zip("ⁱʲᵏˡᵗ", "ᵢⱼₖₗₜ", strict=True))
_SUM_OVER = re.compile(
    r"(?:\\sum|[Σ∑]|(?<![^\W_])sum)\s*_\s*(?:\{([a-z])(?: ?(?:\\in(?![a-z])|∈) ?(?:\\mathcal ?)?\{?[A-Z]\}?)?\}"
    r"|([a-z])(?![a-z0-9]))|[Σ∑](ₓ)"
)
_BEHIND = r"(?<![A-Za-z_\\])"


def with_entries_of_matrices(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``θ_{ij}`` beside Θ as its entries, as matrices have them, where θ stands in no other way."""
    capitals = {in_unicode(t.text): t.text for t in tokens if t.kind == "name" and len(in_unicode(t.text)) == 1}
    places = dict[str, list[int]]()
    for k, token in enumerate(tokens[:-1]):
        if token.kind == "name" and in_unicode(token.text) in capitals and token.text not in declared:
            places.setdefault(in_unicode(token.text), []).append(k)
    out = list(tokens)
    for letter, there in places.items():
        capital = capitals.get(letter.upper(), "")
        is_lower = letter.islower() and letter != "δ" and all(_has_two_below(tokens, k, text) for k in there)
        if is_lower and capital and _is_matrix_here(tokens, capital, declared):
            for k in there:
                out[k] = tokens[k]._replace(text=capital)
    return out


def rows_of_arguments(tokens: list[Token], head: str, declared: Collection[str]) -> dict[str, str]:
    r"""Small letters of vectors, one for each index, by the capital that stands for their matrix among the arguments:
    of ``f(U, V) = \sum (M_{ij} - u_i^\top v_j)^2`` they are the rows of U and V."""
    arguments = set(re.findall(r"(?<![A-Za-z\\])[A-Z](?![A-Za-z])", head.partition("(")[2]))
    found = dict[str, str]()
    for capital in sorted(arguments - {*declared}):
        small = capital.lower()
        places = [k for k, t in enumerate(tokens) if t.kind == "name" and t.text == small]
        below = [[t.kind for t in tokens[k + 1 : k + 4]] == ["op", "name", "op"] for k in places]
        is_vector = any(_turns(tokens[k - 1]) or _turns(tokens[min(k + 4, len(tokens) - 1)]) for k in places)
        if places and all(below) and is_vector and small not in declared:
            found[small] = capital
    return found


def _turns(token: Token) -> bool:
    return token.text in ("T", "'") and token.kind in ("sup", "op")


_OF_SCIPY = ("x", "loc", "scale")
_DENSITIES_OF_CODE = {"dnorm": ("x", "mean", "sd", "log"), "pdf": _OF_SCIPY, "logpdf": _OF_SCIPY}


def with_densities_of_code(tokens: list[Token]) -> list[Token]:
    """The tokens with R's ``dnorm(x, m, s, log = TRUE)``, SciPy's ``norm.logpdf`` as ``log(N(x | m, (s)^2))``."""
    out = list(tokens)
    for k in reversed(range(len(tokens) - 1)):
        token, scipy = tokens[k], [t.text for t in tokens[max(k - 2, 0) : k]] == ["norm", "."]
        if token.text not in _DENSITIES_OF_CODE or scipy == (token.text == "dnorm") or tokens[k + 1].text != "(":
            continue
        closes, begin = end_of_bracket(out, k + 1), k - 2 * scipy
        given = _given_by_name(out[k + 2 : closes], _DENSITIES_OF_CODE[token.text])
        if len(given) < 1 + scipy:  # norm.pdf(x) is a function of its own
            continue
        while begin > 1 and out[begin - 1].text == "." and out[begin - 2].text in ("stats", "scipy"):
            begin -= 2
        x, mean, spread, *log = [given.get(name, []) for name in _DENSITIES_OF_CODE[token.text]]
        of_log = token.text == "logpdf" or (log and [t.text for t in log[0]] in (["TRUE"], ["T"], ["True"]))
        put = partial(tokens_at, token.start)
        density = [*put("N("), *x, *put("|"), *(mean or put("0")), *put(",("), *(spread or put("1")), *put(")^2)")]
        out[begin : closes + 1] = [*put("log("), *density, *put(")")] if of_log else density
    return out


def parted(tokens: list[Token], signs: Collection[str] = (",",)) -> list[list[Token]]:
    """What stands between some signs, outside brackets."""
    parts, depth = [list[Token]()], 0
    for token in tokens:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text in signs and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _given_by_name(tokens: list[Token], names: tuple[str, ...]) -> dict[str, list[Token]]:
    """The arguments of a call by their names; nothing where one has another."""
    parts = parted(tokens)
    found = dict[str, list[Token]]()
    for name, part in zip(names, parts, strict=False):
        if len(part) > 2 and part[1].is_sign("="):
            name, part = part[0].text, part[2:]
        found[name] = part
    return found if len(found) == len(parts) and set(found) <= {*names} and all(found.values()) else {}


def with_states(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``hₜ`` and ``hₜ₋₁`` as names where t, over which no sum runs, stands below wherever h does."""
    inner = {k: _below(tokens, k, text) for k, t in enumerate(tokens[:-3]) if t.kind == "name"}
    below = {k: parts for k, parts in inner.items() if [t.kind for t in parts] in _ONE_BELOW}
    steps = {p[0].text for p in below.values() if len(p) == 3 and p[0].text not in INDICES} - summed_in(tokens)
    at_times = {k: parts for k, parts in below.items() if parts[0].text in steps}
    others = {t.text for k, t in enumerate(tokens) if k not in at_times}
    names = {tokens[k].text for k in at_times}.difference(declared, others)
    out, end = list[Token](), 0
    for k, token in enumerate(tokens):
        if k in below and token.text in names:
            end = k + len(below[k]) + 3
            out.append(
                token._replace(text=shifted_name(token.text, *[p.text for p in below[k]]), end=tokens[end - 1].end)
            )
        elif k >= end:
            out.append(token)
    return out


_ONE_BELOW = (["name"], ["name", "op", "number"])
"""One letter below a name, perhaps with a number that is added to it."""


def _below(tokens: list[Token], k: int, text: str) -> list[Token]:
    """What stands below a name, and not in brackets, as entries are printed."""
    opens = tokens[k + 1]
    return in_bracket(tokens, k + 1) if opens.text == "[" and not text.startswith("[", opens.start) else []


def _is_matrix_here(tokens: list[Token], name: str, declared: Any) -> bool:
    """Whether a capital stands as only a matrix does: a trace, a determinant, a norm of it, or its transpose."""
    if name in declared:
        return len(declared[name]) == 2
    for k, token in enumerate(tokens[:-1]):
        before = [t.text for t in tokens[max(k - 2, 0) : k] if t.text != "("]
        of_matrix = before[-1:] and before[-1] in {"tr", "trace", "det", "logdet", "‖"}
        if token.text == name and (of_matrix or tokens[k + 1].kind == "sup" or tokens[k + 1].text == "'"):
            return True
    return False


def _has_two_below(tokens: list[Token], k: int, text: str) -> bool:
    """Whether two letters stand below a name."""
    return [t.text for t in _below(tokens, k, text) if t.is_sign(",")] == [","]


_UP_TO = re.compile(r"(?<=_)\{([a-z]) *= *([01])\.\.([A-Za-z0-9])\}")  # of as many characters as _{i=1}^n
_PAIRS = re.compile(r"((?<![^\W_])sum|[Σ∑])_([ijkl] ?[<≠] ?[ijkl])(?!\w)")
_MATLAB_PART = re.compile(r"\b([A-Za-z]\w*)\(([1-9][0-9]*):(end|[0-9]+)\)")


def _slice(found: re.Match[str]) -> str:
    """A part of a vector in the words of NumPy, for MATLAB's ``x(2:end)``."""
    last = "" if found[3] == "end" else found[3]
    return f"{found[1]}[{int(found[2]) - 1}:{last}]".ljust(len(found[0]))


def with_entries(body: str, declared: Collection[str]) -> str:
    """A text of as many characters in which entries are written as such: ``Σ_x p(x) log p(x)``, functions of the letter
    that a sum runs over, ``x⁽ⁱ⁾``, and MATLAB's ``x(2:end)``; and the ends of a sum as elsewhere, of ``Σ_{i=1..n}``."""
    if pairs := _PAIRS.search(body):
        what = f"'{pairs[0]}' may be a sum over pairs, and a comparison"
        raise ParseError(what, body, *pairs.span(), f"Write {pairs[1]}_{{{pairs[2]}}}, or brackets.")
    body = _UP_TO.sub(r"{\1=\2}^\3 ", body)
    body = _MATLAB_PART.sub(_slice, body) if ".^" in body or ".*" in body else body
    body = _LABEL_ABOVE.sub(lambda found: "\u200b\u200b" + _LOWERED[found[1]], body)
    for over in {"x" if found[3] else found[1] or found[2] for found in _SUM_OVER.finditer(body)} - {*declared}:
        called = re.compile(rf"{_BEHIND}([A-Za-z])\({over}\)")
        names = {found[1] for found in called.finditer(body)}
        rest = called.sub("", _SUM_OVER.sub("", body))
        apart = not names or re.search(rf"{_BEHIND}(?:{over}(?![A-Za-z])|[{''.join(names)}](?![A-Za-z_]))", rest)
        body = called.sub(rf"\1_{over} ", body) if not apart and names.isdisjoint(declared) else body
    return body

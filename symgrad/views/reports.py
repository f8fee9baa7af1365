"""``sg.report``: all that is known of a function and its derivatives, as one page of HTML."""

from __future__ import annotations

import inspect
import os
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _limits, show
from .._errors import DTypeError, FormulaError, SymgradError, compose
from .._limits import bound
from .._trees import postorder
from ..core import Dim, Symbol, Tensor, edge, reachable, unwrap, wrap
from ..formulas import CODE, Formula, Place, Point, Undefined, entry_at, places, value_of
from ..inspect import Side, Truth, as_array, likely, only_where, variables_of
from ..transforms import cost, hessian
from ..transforms.calls import Traced, bind_arguments, entry_names, flatten, flatten_values, of_text, unflatten
from ..transforms.matrix import HessianMatrix
from .graph_picture import graph
from .graph_svg import escaped, write_file
from .pages import Section, first_line, formula_block, graph_part, matrix_map, page, problem, spectrum, steps

# ------------------------------ Derivatives held against differences of the function: of its values alone, by no rule

# The idea to hold: nobody is called wrong on one witness (`inspect/truth.py`): an entry counts as wrong only where the
# differences say how far they can be trusted, and it is farther off.


Variables = str | tuple[str, ...]
"""What is differentiated in: a variable, or several numbers as one vector."""


class Check(NamedTuple):
    """What differences say of a derivative: entries that agree, to how many digits, and the worst that does not."""

    agreed: int
    digits: int
    undecided: int
    points: int
    wrong: str = ""

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        if self.wrong:
            return self.wrong
        if not self.agreed:
            return "not checked: differences decide nothing at the points that were looked at"
        at = f"{self.points} point{'s' * (self.points != 1)}"
        text = f"agrees with differences: {self.agreed} entries at {at}, to {self.digits} digits"
        return text + (f"; {self.undecided} undecided, at kinks or by rounding" if self.undecided else "")


class AtPoint(Side):
    """A Python function of which some arguments are moved: ``call`` takes them by name."""

    def __init__(self, formula: Formula, call: Callable[[Point], Any]) -> None:
        super().__init__(None, "f", formula)
        self.call = call

    def value(self, point: Point, lengths: dict[str, int]) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            return np.asarray(self.call(point), float)


REPORT_ENTRIES = bound(6)
"""Entries that it does so for, of each derivative at each point."""


def checked(
    f: Formula, derivative: Formula, kind: str, wrt: Variables, call: Callable[[Point], Any] | None = None
) -> Check:
    """Hold a gradient (``kind`` is 'grad') or a Hessian ('hess') against differences.

    ``call`` is the function itself, at the point of the formula; without it the formula's values count, at points that
    are drawn. A Hessian is held against differences of the gradient's formula.
    """
    side = Side(None, "f", f) if call is None else AtPoint(f, call)
    truth = Truth(side, "jac" if kind == "grad" and f.shape else kind, wrt)
    rng = np.random.default_rng(0)
    agreed, undecided, points, digits, wrong = 0, 0, 0, 15.0, ""
    for place in _places(f, wrt, rng, call is not None):
        try:
            claimed = value_of(derivative, *place[:2])
        except (SymgradError, Undefined, np.linalg.LinAlgError):
            continue
        if not np.isfinite(claimed).all():
            continue
        points += 1
        scale = float(np.max(np.abs(claimed), initial=0))
        for k in rng.permutation(claimed.size)[:REPORT_ENTRIES]:
            entry = entry_at(k, claimed.shape)
            found = truth.again(place, entry)
            if found is None or found[1] > 1e-4 * (scale + abs(found[0]) + 1e-6):
                undecided += 1
                continue
            apart = abs(found[0] - float(claimed[entry]))
            if apart > 100 * found[1] + 1e-6 * (scale + 1e-6):
                wrong = wrong or _wrong(entry, float(claimed[entry]), found[0])
                continue
            agreed += 1
            digits = min(digits, -np.log10(max(apart / (scale or 1.0), 1e-15)))
    return Check(agreed, int(digits), undecided, points, wrong)


REPORT_POINTS = bound(3)
"""Points at which a report holds a formula against differences."""


def _places(f: Formula, wrt: Variables, rng: Any, there: bool) -> Iterator[Place]:
    if there:
        yield Place({n: np.asarray(v, float) for n, v in f.point.items()}, {})
    else:
        usual = (place for place in places(variables_of(f), wrt, rng) if place.usual)
        yield from islice(usual, REPORT_POINTS)


def _wrong(entry: tuple[int, ...], claimed: float, found: float) -> str:
    at = f"entry [{', '.join(map(str, entry))}]" if entry else "the value"
    return f"WRONG: {at} is {claimed:.6g} by the formula and {found:.6g} by differences"


# ------------------------ The parts of a report that a formula gives: derivatives, steps, kinks, the graph, the check

# The idea to hold: a part that cannot be had says why in its place; the others are there all the same.


def told(make: Callable[[], str]) -> str:
    """A part, or why it cannot be had."""
    try:
        return make()
    except RecursionError:
        return '<p class="note">It is nested too deeply to be shown.</p>'
    except (SymgradError, np.linalg.LinAlgError) as error:
        return problem(error)


REPORT_TEXT = bound(400)
"""Signs of a formula above which a report does not derive it line by line, differentiate it again, or write it for
SymPy."""


def is_long(f: Formula) -> bool:
    """Whether a formula is too long to be worked with by a reader, and for a while by a machine."""
    return len(str(f)) > REPORT_TEXT


TOO_LONG = '<p class="note">Left out: the formula is long. A report of a part of the function shows it.</p>'


REPORT_SYMPY = bound(500)
"""Entries of a formula times those of its symbols up to which a report has its SymPy expression."""


REPORT_MATRIX = bound(4)
"""Rows of a matrix up to which its SymPy expression has functions of it: a determinant has n! terms."""


def targets_of(f: Formula) -> list[str]:
    """What a formula is written in: SymPy writes out every entry, which takes long for large arrays."""
    calls = [t.args[0].shape for t in postorder(f._expanded()) if t.kind == "call" and t.args]
    large = any(len(s) > 1 and s[-1] == s[-2] and int(s[-1]) > REPORT_MATRIX for s in calls)
    symbols = sum([int(np.prod([int(n) for n in v.shape])) for v in f._background.symbols.values()])
    entries = int(np.prod([int(n) for n in f.shape]))
    small = not large and max(entries, 1) * max(symbols, 1) <= REPORT_SYMPY and not is_long(f)
    return [t for t in CODE if t != "sympy" or small]


def derivative_name(wrt: Variables, order: int) -> str:
    wrt = wrt if isinstance(wrt, str) else f"({', '.join(wrt)})"
    return f"∂f/∂{wrt}" if order == 1 else f"∂²f/∂{wrt}²"


def block(name: str, f: Formula) -> str:
    """A formula, and whether it was checked."""
    known = "checked against the tape" if f.checked is True else str(f.checked).removeprefix("not checked: ")
    if "did not come from a recorded graph" in known:
        known = ""
    named = any(type(n) is Dim for v in f._background.symbols.values() for n in v.shape)  # for SymPy they are numbers
    return formula_block(name, f, known, [t for t in targets_of(f) if t != "sympy" or not named])


def kinks(f: Formula) -> str:
    """Where there is no derivative, and what is given there; where values jump; and where the formulas hold."""
    found = dict[str, str]()
    for term in postorder(f._expanded()):
        op = getattr(term, "op", None)
        if op is None or not (op.kink or op.truth):
            continue
        said = op.kink or "jumps where it changes between true and false, and counts as constant"
        found[show.to_text(term, limit=0).split("\n")[0]] = said
    rows = "".join(f"<tr><th><code>{escaped(k)}</code></th><td>{escaped(v)}</td></tr>" for k, v in found.items())
    return f'<div class="scroll"><table class="facts">{rows}</table></div>' if rows else ""


def where_smooth(f: Formula, gradients: Iterable[tuple[str, Formula, Variables]] = ()) -> str:
    """Where a function has no derivative, and what is given there; a formula's own conditions stand with it."""
    only = dict.fromkeys(c for _, g, wrt in gradients for c in only_where(f, g, wrt))
    if only:
        words = f"The formula of the gradient says something where {', '.join(only)} only; f has one elsewhere, too."
        return f'<p class="note">{escaped(words)}</p>' + kinks(f)
    if bent := kinks(f):
        return "<h3>No derivative, and what is given there</h3>" + bent
    return '<p class="note">No piecewise operation; there is no derivative where a formula divides by 0.</p>'


def derivations(formulas: Iterable[tuple[str, Formula]]) -> str:
    def one(f: Formula) -> str:
        return TOO_LONG if is_long(f) else told(lambda: steps(f.explain()))

    return "".join([f"<h3>{escaped(name)}</h3>{one(f)}" for name, f in formulas])


REPORT_GRAPH = bound(1000)
"""Boxes up to which a report has a picture of the graph."""


def picture(t: Tensor | Formula) -> tuple[str, str]:
    """The graph's part of a page and its script."""
    try:
        drawn = graph(t)
        count = len(drawn._boxes)
        if count > REPORT_GRAPH:
            text = f"The graph has {count:,} boxes, too many for a page: sg.graph(…).save(…) writes it to a file."
            return f'<p class="note">{escaped(text)}</p>', ""
        return graph_part(drawn._drawing())
    except SymgradError as error:
        return f'<p class="note">No graph: {escaped(first_line(error))}</p>', ""


def verdicts(found: Iterable[tuple[str, Callable[[], Check]]]) -> str:
    """What differences say of each derivative."""
    rows = []
    for name, make in found:
        try:
            check = make()
            sign = ("bad", "✗") if not check else ("good", "✓") if check.agreed else ("note", "?")
            said = str(check)
        except (SymgradError, np.linalg.LinAlgError) as error:
            sign, said = ("note", "?"), f"not checked: {first_line(error)}"
        rows.append(f'<tr><th>{escaped(name)}</th><td class="{sign[0]}">{sign[1]} {escaped(said)}</td></tr>')
    return f'<div class="scroll"><table class="facts">{"".join(rows)}</table></div>' if rows else ""


def numbers(value: Any) -> str:
    """An array, shortened."""
    array = np.asarray(unwrap(value))
    return np.array2string(array, precision=5, threshold=_limits.REPORT_TOLD, edgeitems=3, max_line_width=90)


# ---------------------------- ``sg.report``: all that is known of a function and its derivatives, as one page of HTML

# The idea to hold: the function is run once on named variables (`Traced`); its formulas, graph and numbers are of that
# run. The page is text from then on: it keeps no tensor, and needs no network.


NOTEBOOK_PAGE = bound(4_000_000)
"""Signs of a report up to which it shows the page."""


class Report:
    """A page about a function and its derivatives: save it, or show it in a notebook.

    Attributes
    ----------
    title : of the page
    html : the page, which needs no other file and no network
    """

    title: str
    html: str

    def __init__(self, title: str, html: str) -> None:
        self.title, self.html = title, html

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self.html) / 1000:,.0f} kB)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : ends in .html

        Raises
        ------
        ValueError : the suffix is another
        OSError : the file cannot be written
        """
        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            what = f"a report cannot be saved as {path.name!r}"
            raise ValueError(compose(what, f"The suffix is {path.suffix!r}.", "Choose .html."))
        write_file(path, self.html.encode(), "the report")

    def _repr_html_(self) -> str:
        if len(self.html) > NOTEBOOK_PAGE:
            size = f"{len(self.html) / 1e6:,.1f} MB"
            return (
                f'<p>{escaped(repr(self))}: {size} are too large for a notebook; <code>save("report.html")</code></p>'
            )
        return (
            f'<iframe srcdoc="{escaped(self.html)}" sandbox="allow-scripts" title="{escaped(self.title)}" '
            'width="100%" height="640" frameborder="0"></iframe>'
        )


REPORT_STEPS = bound(600)
"""Recorded steps up to which a report has formulas."""
REPORT_SOURCE = bound(20_000)
"""Signs of a function's source that a report shows."""


class _Subject:
    """What a report is about: a formula, or a function that was run.

    Attributes
    ----------
    formula : of the function; None where there is none, for the reason ``why``
    variables : the names of the arrays that it is differentiated in, each by itself; several numbers are one vector
    output : the tensor that the function returned
    """

    def __init__(self, f: Any, args: tuple[Any, ...], wrt: Any) -> None:
        self.f = f
        self.variables: list[Any]
        self.why: Exception | None = None
        self.output: Tensor | None = None
        self.formula: Formula | None = None
        self.argument = ""
        if isinstance(f, Formula):
            several = isinstance(wrt, (tuple, list))
            self.variables = [tuple([_only(f, name) for name in wrt]) if several else _only(f, wrt)]
            self.formula, self.title = f, str(f).split("\n")[0]
            return
        if not callable(f):
            raise DTypeError(
                f"sg.report is about a function or a formula, got {type(f).__name__!r}",
                "A tensor has its formula itself: sg.report(t.formula())." if isinstance(f, Tensor) else "",
                of_text(f) if isinstance(f, str)
                else "Pass the function and where to run it: sg.report(loss, w, X, y).",
            )  # fmt: skip
        self.title = getattr(f, "__name__", type(f).__name__).replace("<lambda>", "a function")
        self.call = bind_arguments(f, args, {})
        names = list(self.call.arguments)
        if not names or (wrt is not None and wrt not in names):
            raise FormulaError(f"there is no argument {wrt or 'to differentiate in'!r}", f"There are {names}.", "")
        self.argument = names[0] if wrt is None else wrt
        self.traced = Traced(f, self.call, (self.argument,))
        self.output = self.traced.output
        self.spec, self.variables = self.traced.names[self.argument]
        self._read()

    def _read(self) -> None:
        assert self.output is not None
        self.steps = len(reachable([edge(self.output)])[0]) if self.output._node is not None else 0
        if self.steps > REPORT_STEPS:
            what = f"no formulas: the function records {self.steps:,} steps"
            step = "Make a report of a part of it, or of a smaller case."
            self.why = FormulaError(what, "They would fill the page.", step)
            return
        try:
            self.formula = self.traced.formula()
        except SymgradError as error:
            self.why = error

    @property
    def of_arrays(self) -> bool:
        """Whether there are numbers."""
        return self.output is not None and not isinstance(self.output, Symbol)

    def at(self, point: Point) -> np.ndarray:
        """The function's own value with its variables moved."""
        given = flatten_values(self.call.arguments[self.argument])[0]
        new = [_alike(point[n], v) for n, v in zip(self.variables, given, strict=True)]
        arguments = inspect.BoundArguments(self.call.signature, dict(self.call.arguments))
        arguments.arguments[self.argument] = unflatten(self.spec, new)
        return as_array(self.f(*arguments.args, **arguments.kwargs))

    def source(self) -> str:
        """The function as it is written, or as a formula."""
        if isinstance(self.f, Formula):
            return str(self.f)
        try:
            text = textwrap.dedent(inspect.getsource(self.f)).rstrip()
        except (OSError, TypeError):
            return ""
        return text if len(text) <= REPORT_SOURCE else text[:REPORT_SOURCE] + "\n…"


def _only(f: Formula, wrt: str | None) -> str:
    known = sorted(variables_of(f))
    if wrt is not None or len(known) == 1:
        return known[0] if wrt is None else f._variable(wrt).name
    step = f'Say which: wrt="{likely(known)}".' if known else ""
    raise FormulaError(f"the formula has the variables {', '.join(known) or '(none)'}", "", step)


def _alike(value: np.ndarray, given: Any) -> Any:
    if isinstance(given, Tensor):
        return wrap(np.array(value, given._data.dtype))
    return np.array(value) if isinstance(given, np.ndarray) else float(value)


REPORT_VARIABLES = bound(8)
"""Arrays to differentiate in up to which a report has the formulas of each."""


def report(f: Any, *args: Any, wrt: Any = None, path: Any = None, title: str | None = None) -> Report:
    """Return a page about a function: its formula, gradient and Hessian, the steps to them, and a check of them.

    Parameters
    ----------
    f : a function of arrays, or a Formula
    args : where to run it, as for `symgrad.formula`: arrays, or symbols, of which there are formulas and no numbers
    wrt : the argument that is differentiated in, by name; of a function the first, of a formula its only one, or
        several that are numbers: ``("x", "y")``
    path : a file that the page is written to, too
    title : of the page; default: the function's name

    Returns
    -------
    Report
        With ``html``, ``save(path)``; a notebook shows it.

    Raises
    ------
    FormulaError : there is no such argument, or what a function returned is no array
    ShapeError, DTypeError, … : what running the function raises

    Notes
    -----
    The page has the source, formulas with buttons that copy them as LaTeX and as code, the derivation line by line,
    the graph, the Hessian's map and spectrum, the cost, kinks and conditions, and a check of the derivatives against
    differences of the function. It is one file, without any address of another. Formulas are set by ``latex2mathml``
    (``pip install symgrad[report]``), and are text without it. What cannot be had, says why in its place.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> def loss(w, X, y):
    ...     return ((X @ w - y) ** 2).sum()
    >>> r = sg.report(loss, np.zeros(2), np.eye(2), np.ones(2))
    >>> r.title, "agrees with differences" in r.html
    ('loss', True)
    >>> r = sg.report(sg.parse("sum(exp(A@x))"), wrt="x")
    >>> "Aᵀ exp(Ax)" in r.html
    True
    """
    subject = _Subject(f, args, wrt)
    name = subject.title if title is None else title
    sections, script = _sections(subject)
    ways = ", ".join([v if isinstance(v, str) else ", ".join(v) for v in subject.variables[:REPORT_VARIABLES]])
    more = ", …" * (len(subject.variables) > REPORT_VARIABLES)
    head = f'<h1>{escaped(name)}</h1><p class="note">differentiated in {escaped(ways + more)}, by symgrad</p>'
    made = Report(name, page(name, head, sections, script))
    if path is not None:
        made.save(path)
    return made


def _sections(subject: _Subject) -> tuple[list[Section], str]:
    first = [Section("function", "Function", _function(subject))]
    rest, script = [], ""
    gradients: list[tuple[str, Formula, Variables]] = []
    hessians: list[tuple[str, Formula, Variables]] = []
    shown = ""
    if subject.formula is None:
        shown = problem(subject.why) if subject.why is not None else ""
    else:
        shown = block("f", subject.formula)
        shown += _derived(subject, subject.formula, gradients, hessians)
        rest = [
            Section("steps", "Steps", derivations([d[:2] for d in [*gradients[:1], *hessians[:1]]])),
            Section("kinks", "Kinks", where_smooth(subject.formula, gradients)),
            Section("check", "Check", _checks(subject, subject.formula, gradients, hessians)),
        ]  # fmt: skip
    drawn, script = picture(subject.output if subject.output is not None else subject.f)
    numeric = []
    if subject.of_arrays and subject.output is not None and not subject.output._data.shape:
        numeric = [Section("matrix", "The Hessian's numbers", told(lambda: _matrix(subject))),
                   Section("cost", "Cost", told(lambda: _cost(subject)))]  # fmt: skip
    found = [*first, Section("formulas", "Formulas", shown), *rest[:1], Section("graph", "Graph", drawn)]
    return [*found, *numeric, *rest[1:]], script


def _function(subject: _Subject) -> str:
    source = subject.source()
    parts = [f"<pre>{escaped(source)}</pre>" if source else '<p class="note">Its source is not available.</p>']
    rows, most = [], REPORT_VARIABLES
    if subject.output is not None:
        for name, value in subject.call.arguments.items():
            leaves = flatten(value)[0]
            shapes = ", ".join([" × ".join(map(str, getattr(v, "shape", ()))) or "number" for v in leaves[:most]])
            rows.append((name, shapes + ", …" * (len(leaves) > most)))
        if subject.of_arrays:
            rows.append(("value", numbers(subject.output)))
    body = "".join(f"<tr><th>{escaped(k)}</th><td><code>{escaped(v)}</code></td></tr>" for k, v in rows)
    return "".join(parts) + (f'<div class="scroll"><table class="facts">{body}</table></div>' if body else "")


REPORT_DERIVED = bound(1500)
"""Signs of a function's formula above which a report has no formula of its derivatives."""


def _derived(subject: _Subject, f: Formula, gradients: list[Any], hessians: list[Any]) -> str:
    """The blocks of the derivatives, which are put into the lists."""
    if len(str(f)) > REPORT_DERIVED:
        return TOO_LONG
    parts = []
    for wrt in subject.variables[:REPORT_VARIABLES]:
        if isinstance(wrt, str) and wrt not in f.free_symbols:
            parts.append(f'<p class="note">f does not depend on {escaped(wrt)}.</p>')
            continue

        def made(wrt: Variables = wrt) -> str:
            gradients.append((derivative_name(wrt, 1), f.grad(wrt), wrt))
            return block(*gradients[-1][:2])

        def twice(wrt: Variables = wrt) -> str:
            hessians.append((derivative_name(wrt, 2), f.hessian(wrt), wrt))
            return block(*hessians[-1][:2])

        parts.append(told(made))
        again = bool(gradients) and not f.shape
        parts += [TOO_LONG if is_long(gradients[-1][1]) else told(twice)] if again else []
    left = len(subject.variables) - REPORT_VARIABLES
    return "".join(parts) + (f'<p class="note">and {left} more variables</p>' if left > 0 else "")


def _checks(subject: _Subject, f: Formula, gradients: list[Any], hessians: list[Any]) -> str:
    call: Callable[[Point], Any] | None = subject.at if subject.of_arrays else None
    found = [(name, partial(checked, f, d, "grad", wrt, call)) for name, d, wrt in gradients]
    found += [(name, partial(checked, f, d, "hess", wrt, call)) for name, d, wrt in hessians]
    against = "differences of the function itself, at the point" if call is not None else "differences of the formula"
    how = f'<p class="note">Gradients are held against {against}; Hessians against differences of the gradient.</p>'
    return verdicts(found) + how if found else ""


REPORT_ROWS = bound(400)
"""Variables up to which a report computes the matrix of second derivatives."""
REPORT_PROGRAM = bound(200)
"""Recorded steps up to which it has the Hessian's numbers and cost, for which a program is made."""


def _matrix(subject: _Subject) -> str:
    n = sum([int(np.size(as_array(v))) for v in flatten(subject.call.arguments[subject.argument])[0]])
    if n > REPORT_ROWS or subject.steps > REPORT_PROGRAM:
        size = f"{n:,} rows, and the function {subject.steps:,} steps"
        return f'<p class="note">Left out: it has {size}. sg.hessian(f) computes it.</p>'
    second = hessian(subject.f, subject.argument)
    args, kwargs = subject.call.args, subject.call.kwargs
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = second(*args, **kwargs)
        about = second.report(*args, **kwargs)
    if isinstance(found, HessianMatrix):
        matrix, labels = np.asarray(found), list(found.labels)
    else:
        matrix = as_array(found).reshape(n, n)
        labels = entry_names(subject.argument, np.shape(as_array(subject.call.arguments[subject.argument])))
    said = "".join([f'<p class="note">{escaped(text)}</p>' for text in dict.fromkeys(str(w.message) for w in seen)])
    drawn = matrix_map(matrix, labels)
    drawn += spectrum(about.eigenvalues, about.tolerance) if about.complete and len(about.eigenvalues) else ""
    return f'<div class="matrix">{drawn}</div><pre>{escaped(str(about))}</pre>{said}'


def _cost(subject: _Subject) -> str:
    if subject.steps > REPORT_PROGRAM:
        return f'<p class="note">Left out: the function records {subject.steps:,} steps. sg.cost counts them.</p>'
    found = cost(subject.f, *subject.call.args, argnums=subject.argument)
    return f"<pre>{escaped(str(found))}</pre>"

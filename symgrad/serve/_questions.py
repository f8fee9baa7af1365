"""A question and its answer as parts of a page, worked out by a process that may do nothing else."""

from __future__ import annotations

import ast
import json
import os
import signal
import struct
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from textwrap import dedent
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import parse_qsl, urlencode

from .._errors import FormulaError, SymgradError
from .._limits import bound
from .._trees import parsed
from ..formulas import CODE, Formula
from ..inspect import variables_of, verify
from ..notation import CONSTANTS, COUNTS, all_declared, read
from ..syntax import MODULES, ParseError
from ..views import (
    TOO_LONG,
    Section,
    checked,
    copy_button,
    derivations,
    derivative_name,
    escaped,
    formula_block,
    is_long,
    picture,
    problem,
    targets_of,
    told,
    verdicts,
    where_smooth,
)

# ------------------------------------------ What is asked: the fields of the form, which are the query of the address


VIEWS = {"answer": "Derivatives", "steps": "Steps", "check": "Check", "graph": "Graph", "sympy": "SymPy"}
DIALECTS = {"": "as the signs say", "numpy": "NumPy", "matrix": "matrices", "latex": "LaTeX"}


class Refused(ValueError):
    """A query that is not read, with the status that says so."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status = status


class Question(NamedTuple):
    """A text, the variable, what names are, the dialect, a claimed gradient, what is wanted, and whether the answer may
    take long."""

    f: str = ""
    wrt: str = ""
    shapes: str = ""
    dialect: str = ""
    claim: str = ""
    view: str = "answer"
    time: str = ""

    def query(self, **changed: str) -> str:
        """The address's query that asks this again."""
        new, plain = self._replace(**changed), Question()
        return urlencode([(k, v) for k, v, d in zip(self._fields, new, plain, strict=True) if v != d])


SERVE_TEXT = bound(4000)
"""Signs of a formula, or of a function, that the server reads."""
SERVE_FIELD = bound(1000)
"""Signs of another field."""
SERVE_QUERY = bound(20_000)
"""Signs of a whole query, as it is written in the address."""


def read_query(query: str) -> Question:
    """The question of a query.

    Raises
    ------
    Refused : it is too long, says a field twice, or has a field or a choice that there is not
    """
    if len(query) > SERVE_QUERY:
        raise Refused(414, "the question is too long")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=len(Question._fields))
    except ValueError as error:
        raise Refused(400, "the question is not written as an address is") from error
    fields = dict(pairs)
    unknown = [name for name in fields if name not in Question._fields]
    if unknown or len(fields) != len(pairs):
        raise Refused(400, "the question has a field twice, or one that there is not")
    for name, value in fields.items():
        most = SERVE_TEXT if name == "f" else SERVE_FIELD
        if len(value) > most:
            raise Refused(413, f"the field {name} has {len(value):,} signs, more than the {most:,} that are read")
        if any(ord(c) < 32 and c not in "\t\r\n" for c in value):
            raise Refused(400, f"the field {name} has a sign that cannot be typed")
    found = Question(**{k: v.replace("\r\n", "\n").strip() for k, v in fields.items()})
    if found.claim and fields.get("view") == "answer":  # the form's: a gradient that was typed is to be checked
        found = found._replace(view="check")
    if found.view not in VIEWS or found.dialect not in DIALECTS or found.time not in ("", "more"):
        raise Refused(400, "there is no such view, dialect or time")
    return found


# ----------------- A Python function as a formula's text: ``def f(x): r = A @ x; return r.sum()``, read and never run

# The idea to hold: only the statements are read here: names that are assigned become definitions after ``where``, and
# each expression goes to `symgrad.parse` as it stands, which knows the functions that it may call. What is no plain
# assignment changes something, and is refused.


_RULE = "A function is read that has assignments to names and one return, of expressions that sg.parse knows."


class FormulaText(NamedTuple):
    """A formula's text and the names of the parameters."""

    text: str
    parameters: list[str]


def is_python(text: str) -> bool:
    """Whether a text is a function, and no formula."""
    return text.lstrip().startswith(("def ", "lambda ", "lambda:", "import ", "from ", "@", "async "))


def read_function(text: str) -> FormulaText:
    """The formula that a function's text says.

    Raises
    ------
    FormulaError : it is no Python, or has a statement that is not read
    """
    try:
        body = parsed(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f"Line {line}: {error.msg}." if isinstance(error, SyntaxError) and line else ""
        raise FormulaError("this is no Python", where, "Paste a def, or type a formula.") from None
    body = [s for s in body if not _is_import(s)]
    if len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Lambda):
        given = body[0].value
        parameters = _parameters(given.args, given)
        return FormulaText(_text(given.body, set(parameters)), parameters)
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        raise _refused(body[0] if body else None, "one function is read, without a decorator")
    function = body[0]
    parameters = _parameters(function.args, function)
    return FormulaText(_formula(function, parameters), parameters)


_MODULES = {"numpy": "np", "math": "math", "torch": "torch", "jax.numpy": "jnp", "symgrad": "sg"}
_SOURCES = frozenset({*_MODULES, "numpy.linalg", "scipy.linalg", "scipy.special"})


def _is_import(statement: ast.stmt) -> bool:
    """Whether a statement imports what expressions may speak of anyway, by its own name: nothing is imported."""
    if isinstance(statement, ast.Import):
        known = all(a.name in _MODULES and a.asname in (None, _MODULES[a.name]) for a in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        known = statement.module in _SOURCES and not any(a.asname or a.name == "*" for a in statement.names)
    else:
        return False
    if not known:
        raise _refused(statement, f"'{ast.unparse(statement)}' gives something a name that is not known")
    return True


def _parameters(arguments: ast.arguments, at: ast.AST) -> list[str]:
    if arguments.vararg or arguments.kwarg:
        raise _refused(at, "*args and **kwargs are not read")
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


SERVE_STATEMENTS = bound(200)
"""Statements of a function that it reads."""


def _formula(function: ast.FunctionDef, parameters: list[str]) -> str:
    statements = list(function.body)
    if ast.get_docstring(function) is not None:
        statements = statements[1:]
    if len(statements) > SERVE_STATEMENTS:
        raise _refused(function, f"more than {SERVE_STATEMENTS} statements are not read")
    taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | set(parameters)
    called: dict[str, str] = dict(zip(parameters, parameters, strict=True))  # name -> what its value now is called
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def written(expression: ast.expr) -> str:
        early = next(
            (n for n in ast.walk(expression) if isinstance(n, ast.Name) and n.id in stored - called.keys()), None
        )
        if early is not None:
            raise _refused(early, f"{early.id!r} is read before it is assigned")
        return _text(_Renamed(called).visit(expression), stored | set(called.values()))

    parts: list[str] = []
    for statement in statements:
        if isinstance(statement, ast.Return) and statement is statements[-1] and statement.value is not None:
            text = written(statement.value)
            return text + ("\nwhere " + "\n".join(parts) if parts else "")
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets: list[ast.expr] = [statement.target]
            value = statement.value
        elif isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        else:
            raise _refused(statement, f"'{type(statement).__name__.lower()}' is not read")
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            raise _refused(statement, "only a name is assigned to, one at a time")
        text = written(value)
        name = targets[0].id
        called[name] = name if name not in called else _fresh(name, taken)
        parts.append(f"{called[name]} = {text}")
    raise _refused(function, "the function does not end with a return")


def _fresh(name: str, taken: set[str]) -> str:
    k = 2
    while f"{name}_{k}" in taken:
        k += 1
    taken.add(f"{name}_{k}")
    return f"{name}_{k}"


class _Renamed(ast.NodeTransformer):
    def __init__(self, called: dict[str, str]) -> None:
        self.called = called

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.called.get(node.id, node.id), node.ctx), node)


_NO_FORMULA = (
    ast.Lambda, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await,
    ast.Yield, ast.YieldFrom, ast.FormattedValue, ast.JoinedStr, ast.NamedExpr, ast.Starred,
)  # fmt: skip


def _text(node: ast.AST, own: set[str]) -> str:
    """An expression as it is written; what no formula has, or would be read as another, is refused with its line."""
    for inner in ast.walk(node):
        if isinstance(inner, _NO_FORMULA):
            raise _refused(inner, f"'{type(inner).__name__}' is no part of a formula")
        if (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Name)
            and inner.value.id not in own | MODULES
        ):
            raise _refused(inner, f"{inner.value.id!r} is not known")
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in own:
            raise _refused(inner, f"{inner.func.id!r} is a value, and is called")
        if isinstance(inner, ast.Constant) and isinstance(inner.value, (complex, bytes)):
            raise _refused(inner, f"{inner.value!r} is no number")
    return ast.unparse(node)


def _refused(node: ast.AST | None, what: str) -> FormulaError:
    line = getattr(node, "lineno", None)
    return FormulaError(what, f"It is on line {line}." if line else "", _RULE)


# -------------------------------------------------------------------------------------------------------------------
# The answer to a question, as parts of a page: what was read, its derivatives, how they came about, a check

# It runs in a process of its own (`main`): whatever a text does here, the server goes on.


_CODE = tuple(t for t in CODE if t != "sympy")  # which takes long
_LIKELY = ("x", "w", "X", "W", "theta", "t")


class ReadFormula(NamedTuple):
    """A formula, what it was read from, what was assumed, and the variable."""

    formula: Formula
    text: str
    assumed: list[str]
    wrt: str
    others: list[str]


@lru_cache(8)
def _read(f: str, wrt: str, shapes: str, dialect: str) -> ReadFormula:
    declared = all_declared(shapes)
    text, parameters = f, list[str]()
    if is_python(f):
        text, parameters = read_function(f)
        dialect = "numpy"
        unsaid = sorted({*CONSTANTS, *COUNTS, "I"}.intersection(parameters) - declared.keys())
        if unsaid:
            raise FormulaError(
                f"the parameter {unsaid[0]!r} has the name of a constant or a size", "",
                f"Say what it is under shapes: {unsaid[0]}=() for a number, {unsaid[0]}=k for a vector.",
            )  # fmt: skip
    found = read(text, dialect or None, None, declared)
    known = sorted(variables_of(found.formula))
    if not wrt:
        wrt = next((n for n in (*parameters[:1], *_LIKELY, *known) if n in known), "")
    elif wrt not in known:
        raise FormulaError(f"there is no variable {wrt!r}", f"The variables are {', '.join(known) or '(none)'}.", "")
    return ReadFormula(found.formula, text, found.assumed(), wrt, [n for n in known if n != wrt])


def answer(question: Question) -> dict[str, Any]:
    """The sections of a page, and the script of a graph in it: texts, to be sent as JSON."""
    failure: Exception
    try:
        found = _read(question.f, question.wrt, question.shapes, question.dialect)
        sections, script = _VIEWS[question.view](question, found)
        sections = [Section("read", "Read as", _read_as(question, found)), *sections]
        return {"sections": [list(s) for s in sections if s.body], "script": script, "ok": True}
    except RecursionError:
        failure = ParseError("the formula is nested too deeply", "", next_step="Name parts of it: … where r = ….")
    except (SymgradError, ValueError, ArithmeticError) as error:
        failure = error
    return {"sections": [["problem", "Not read", problem(failure)]], "script": "", "ok": False}


def _unanswered(problem: str) -> dict[str, Any]:
    """What is sent where there is no answer."""
    return {"sections": [], "script": "", "ok": False, "problem": problem}


def _read_as(question: Question, found: ReadFormula) -> str:
    said = f'<p class="note">With {escaped(", ".join(found.assumed))}.</p>' if found.assumed else ""
    if found.text != question.f:
        said += f"<p>The function says</p><pre>{escaped(found.text)}</pre>"
    others = ", ".join(
        f'<a href="/?{escaped(question.query(wrt=name, claim=""))}">{escaped(name)}</a>' for name in found.others
    )  # fmt: skip
    ways = f" (others: {others})" if others else ""
    differentiated = f"<p>Differentiated in <b>{escaped(found.wrt)}</b>{ways}.</p>" if found.wrt else ""
    return told(partial(formula_block, "f", found.formula, "", _CODE)) + said + differentiated


def _derivatives(found: ReadFormula) -> list[tuple[str, Formula]]:
    f = found.formula
    if not found.wrt:
        return []
    first = f.grad(found.wrt)
    out = [(derivative_name(found.wrt, 1), first)]
    if not f.shape and not is_long(first):
        out.append((derivative_name(found.wrt, 2), first.jacobian(found.wrt)))
    return out


def _answer(question: Question, found: ReadFormula) -> tuple[list[Section], str]:
    made = _derivatives(found)
    titles = ["Jacobian"] if found.formula.shape else ["Gradient", "Hessian"]
    sections = [
        Section(title.lower(), title, told(partial(formula_block, name, d, "", _CODE)))
        for title, (name, d) in zip(titles, made, strict=False)
    ]
    if made and len(made) < len(titles):
        sections.append(Section("hessian", "Hessian", TOO_LONG))
    smooth = where_smooth(found.formula, [(name, d, found.wrt) for name, d in made[:1]])
    return [*sections, Section("kinks", "Kinks", smooth)], ""


def _steps(question: Question, found: ReadFormula) -> tuple[list[Section], str]:
    return [Section("steps", "Steps", derivations(_derivatives(found)[-1:]))], ""


def _check(question: Question, found: ReadFormula) -> tuple[list[Section], str]:
    f, made = found.formula, _derivatives(found)
    kinds = ("grad", "hess")
    rows: list[tuple[str, Callable[[], Any]]] = [
        (name, partial(checked, f, d, kind, found.wrt)) for kind, (name, d) in zip(kinds, made, strict=False)
    ]
    note = '<p class="note">At points that are drawn: gradients against differences of f, Hessians of the gradient.</p>'
    sections = [Section("check", "Check against differences", verdicts(rows) + note if rows else "")]
    if question.claim and found.wrt:
        kind = "jac" if f.shape else "grad"
        said = told(lambda: _verdict(verify(f, wrt=found.wrt, **{kind: question.claim})))
        sections.append(Section("claim", "The gradient that you derived", said))
    return sections, ""


def _verdict(found: Any) -> str:
    """A verdict; its lines wrap but where they are a derivation, which has columns."""
    word, _, rest = str(found).partition("\n")
    mood, shape = "good" if found else "bad", "" if found.steps else ' class="words"'
    return f'<p><b class="{mood}">{escaped(word)}</b></p><pre{shape}>{escaped(dedent(rest))}</pre>'


def _graph(question: Question, found: ReadFormula) -> tuple[list[Section], str]:
    made = _derivatives(found)
    body, script = picture(made[0][1] if made else found.formula)
    name = f" of {made[0][0]}" if made else ""
    return [Section("graph", f"Graph{name}", body)], script


def _sympy(question: Question, found: ReadFormula) -> tuple[list[Section], str]:
    def one(f: Formula) -> str:
        if "sympy" not in targets_of(f):
            return '<p class="note">Left out: it has many entries. Give sizes, as A=2,3, to have it.</p>'
        code = f.code("sympy")
        return f'<pre>{escaped(code)}</pre><div class="copy">{copy_button("SymPy", code)}</div>'

    made = [("f", found.formula), *_derivatives(found)[:1]]
    parts = [f"<h3>{escaped(n)}</h3>{told(partial(one, d))}" for n, d in made]
    note = '<p class="note">Entry by entry, at the small sizes that stand in for named ones.</p>'
    return [Section("sympy", "SymPy", "".join(parts) + note)], ""


_VIEWS = {"answer": _answer, "steps": _steps, "check": _check, "graph": _graph, "sympy": _sympy}


# ---------------------------------- The process that answers: it reads questions from a pipe, and may do nothing else

# The idea to hold: two walls. Texts are parsed and never evaluated; and if that failed, this process could still write
# no file, read none but those that modules are loaded from, open no connection and start no other process (an audit
# hook, limits of the system), and is ended when it takes too long: by a processor's time, for what else the machine
# does is no reason to have no answer.


LENGTH = struct.Struct("!I")
_WARM = ("sum(log(1 + exp(-y*(X@w))))", "logdet(X)", "norm(A@x - b)", "sum(where(abs(r) <= c, r, c))", "softmax(x)")
_READABLE = (".py", ".pyc", ".so", ".css", ".js", ".txt")
_FORBIDDEN = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "os.startfile", "os.remove",
    "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.kill",
    "os.putenv", "shutil.", "socket.", "ftplib.", "urllib.", "http.client.", "smtplib.", "webbrowser.", "ctypes.",
    "pty.", "tempfile.", "sqlite3.", "pathlib.",
)  # fmt: skip


def main() -> None:
    """Answer questions until the pipe ends."""
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer

    for text in _WARM:
        for view in VIEWS.keys() - {"sympy"}:
            answer(Question(f=text, view=view))
    answer(Question(f="sin(t)", shapes="t=()", view="sympy"))
    _lock()
    _send(answers, {"ready": True})
    while (asked := _receive(questions)) is not None:
        _end_in(asked.pop("seconds"))
        try:
            found = answer(Question(**asked))
        except MemoryError:
            found = _unanswered("the answer needs too much memory")
        except Exception as error:  # an error of symgrad's own must not end the process
            found = _unanswered(f"no answer: {type(error).__name__}")
        _end_in(0)
        _send(answers, found)


def _end_in(seconds: float) -> None:
    """Let the system end this process when it has worked for so long; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


SERVE_MEMORY = bound(3 << 30)
"""Bytes of memory that a process may ask for which answers the server's questions."""


def _lock() -> None:
    """Give up what answering does not need."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (SERVE_MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # a system without them has the hook, and the time
        pass
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, flags = (*arguments, None, None, None)[:3]
        writes = bool(set(mode or "r") & set("wax+")) or bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if writes or not str(path).endswith(_READABLE):
            raise PermissionError("a process that answers opens no file but of code")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"a process that answers does not do this: {event}")


SERVE_ANSWER = bound(2_000_000)
"""Bytes of an answer."""


def _send(stream: Any, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode()
    if len(data) > SERVE_ANSWER:
        data = json.dumps(_unanswered("the answer is too long")).encode()
    view = memoryview(LENGTH.pack(len(data)) + data)
    while view:
        view = view[stream.write(view) :]


def _receive(stream: BinaryIO) -> dict[str, Any] | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return json.loads(stream.read(LENGTH.unpack(head)[0]))

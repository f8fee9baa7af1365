"""What tools read: names, help, signatures, docstrings, stubs. And what they say is true.

The idea to hold: what is public has one list, `dir(sg)` and the ``__all__`` of its submodules; each check walks it.
"""

import ast
import builtins
import doctest
import importlib
import inspect
import itertools
import pickle
import re
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import symgrad as sg

ROOT = Path(__file__).resolve().parents[2]
INTERNALS = {"calculus", "core", "data", "formulas", "inspect", "interop", "ops", "programs", "serve", "show", "sweep",
             "syntax", "terms", "transforms", "views"}  # fmt: skip
"""Packages whose names have no underscore, and which are nobody's to import."""


def public(module=sg):
    """Yield (name, object) for everything public: ``symgrad.linalg.inv``."""
    names = [n for n in dir(module) if not n.startswith("_")] if module is sg else getattr(module, "__all__", ())
    for name in names:
        value = getattr(module, name)
        yield f"{module.__name__}.{name}", value
        if isinstance(value, ModuleType) and value.__name__ == f"{module.__name__}.{name}":
            yield from public(value)


PUBLIC = dict(public())
OWN = {
    f"{value.__module__}.{value.__qualname__}": value for value in PUBLIC.values()
    if isinstance(value, FunctionType | type) and value.__module__.startswith("symgrad")
}  # fmt: skip
OWN |= {
    f"symgrad.Tensor.{name}": value for name, value in vars(sg.Tensor).items()
    if isinstance(value, FunctionType) and not name.startswith("_") and value not in OWN.values()
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ names


def test_dir_is_what_is_public():
    names = {name for name in dir(sg) if not name.startswith("_")}
    functions = names - sg._SUBMODULES
    assert functions - set(sg.__all__) == {name for name in functions if hasattr(builtins, name)}
    assert not [name for name in names if not hasattr(sg, name)]
    assert not [name for name in functions if isinstance(getattr(sg, name), ModuleType)]


def test_dir_of_a_submodule_is_what_is_public_there():
    modules = [m for m in PUBLIC.values() if isinstance(m, ModuleType) and m.__name__.startswith("symgrad.")]
    assert {sg.linalg, sg.nn.init, sg.autograd.graph, sg.utils.checkpoint} <= set(modules)
    scipys = [m for m in modules if m.__name__.startswith("symgrad.scipy")]
    others = [m for m in modules if m not in scipys]
    assert not {m.__name__: dir(m) for m in others if {n for n in dir(m) if n[:2] != "__"} != set(m.__all__)}
    for m in scipys:  # SciPy's own names pass through them
        theirs = importlib.import_module(m.__name__.removeprefix("symgrad."))
        assert set(dir(m)) == {*m.__all__, *theirs.__all__}


def test_every_package_is_public_or_internal():
    files = {p.stem for p in (ROOT / "symgrad").iterdir() if p.suffix in ("", ".py") and not p.stem.startswith("_")}
    assert files == sg._SUBMODULES | INTERNALS


def test_import_star_shadows_no_builtin():
    space = {}
    exec("from symgrad import *", space)
    assert {"sin", "Tensor", "hessian", "float64"} <= set(space)
    assert not [name for name in space if hasattr(builtins, name) and not name.startswith("__")]
    assert sg.abs(sg.tensor(-1.0)).item() == sg.sum(sg.ones(1)).item() == 1.0


def test_an_unknown_name_is_an_attribute_error():
    for module in (sg, sg.autograd):
        assert not hasattr(module, "tensr")
        with pytest.raises(AttributeError, match="has no attribute 'tensr'"):
            module.tensr


def test_public_objects_say_where_they_are_found():
    wrong = [f"{name}: {value.__module__}" for name, value in OWN.items() if value.__module__ not in _modules()]
    assert not wrong
    assert repr(sg.Tensor) == "<class 'symgrad.Tensor'>"
    assert repr(sg.nn.Linear) == "<class 'symgrad.nn.Linear'>"
    assert sg.linalg.cholesky.__name__ == "cholesky"


def _modules():
    return {"symgrad", *(value.__name__ for value in PUBLIC.values() if isinstance(value, ModuleType))}


def test_public_objects_are_pickled_by_their_names():
    assert not [name for name, value in OWN.items() if pickle.loads(pickle.dumps(value)) is not value]


def test_members_of_modules_can_be_read_without_what_is_not_installed():
    code = """
        import inspect, pydoc, sys
        for name in ("torch", "jax", "autograd", "casadi", "matplotlib"): sys.modules[name] = None
        import symgrad
        assert dict(inspect.getmembers(symgrad))["nn"] is symgrad.nn
        assert "sg.tensor" in pydoc.render_doc(symgrad)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, cwd=ROOT)


# ------------------------------------------------------------------------------------------------------- docstrings


SECTIONS = (
    "Parameters", "Returns", "Yields", "Receives", "Other Parameters", "Raises", "Warns", "Warnings", "See Also",
    "Notes", "References", "Examples",
)  # fmt: skip
OF_CLASSES = ("Attributes", "Methods")
OTHER_DIALECTS = re.compile(r"^ *(arg|argument|keyword|shape|input|output|return|raise|example)s?::?$|:param", re.I)
BY_THEIR_BASE = {"extra_repr", "forward", "change"}
"""Methods that say what the base class's docstring says."""


@cache
def documented():
    """Every public function, class and public method of one, by name."""
    found = dict(OWN)
    for name, value in OWN.items():
        for method, fn in vars(value).items() if isinstance(value, type) else ():
            if isinstance(fn, FunctionType) and not method.startswith("_"):
                found.setdefault(f"{name}.{method}", fn)
    return found


def test_every_public_object_has_a_docstring():
    bare = {name for name, value in documented().items() if not inspect.getdoc(value)}
    assert not {name for name in bare if name.rpartition(".")[2] not in BY_THEIR_BASE}
    properties = {n: v for n, v in vars(sg.Tensor).items() if isinstance(v, property) and n[0] != "_"}
    assert not [name for name, value in properties.items() if not value.__doc__]


def test_docstrings_are_of_one_dialect():
    wrong = []
    for name, value in documented().items():
        lines = (inspect.getdoc(value) or "").splitlines()
        pairs = list(itertools.pairwise(lines))
        titles = [a for a, b in pairs if re.fullmatch("-{3,}", b)]
        known = [title for title in titles if title in SECTIONS]
        wrong += [f"{name}: {line}" for line in lines if OTHER_DIALECTS.search(line)]
        wrong += [f"{name}: section {title!r}" for title in titles if title not in (*SECTIONS, *OF_CLASSES)]
        wrong += [f"{name}: order {known}"] if known != sorted(known, key=SECTIONS.index) else []
        wrong += [f"{name}: under {a}" for a, b in pairs if a in SECTIONS and set(b) == {"-"} and len(a) != len(b)]
        wrong += [f"{name}: summary {lines[:2]}"] if len(lines) > 1 and lines[1] and lines[2:3] != [""] else []
    assert not wrong, "\n".join(wrong)


def test_every_parameter_of_a_function_is_documented():
    """In its section, or where the docstring refers to another's; an in-place method's are its function's."""
    wrong = {}
    for name, value in OWN.items():
        doc = inspect.getdoc(value) or ""
        if isinstance(value, type) and (issubclass(value, Exception | tuple) or "\nAttributes\n---" in doc):
            continue  # made by symgrad
        if name[-1] == "_" and ".Tensor." in name:
            continue  # takes what its function takes
        names = [p.name for p in inspect.signature(value).parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = [n.rstrip("_") for n in names if n[0] != "_" and n not in ("self", "args")]
        section = re.search(r"^Parameters\n-+\n((?:(?!\n).*\n?)*)", doc, re.M)
        entries = re.findall(r"^(\S.*?) :", section[1], re.M) if section else []
        unknown = {e.strip("* ") for entry in entries for e in entry.split(",")} - {
            *names,
            *getattr(value, "also", ()),
            "args",
        }
        if unknown and not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(value).parameters.values()):
            wrong[name] = f"no parameter: {unknown}"
        silent = [n for n in names if not re.search(rf"\b{n}\b", doc)]
        if silent and not re.search("Parameters (as|are those)", doc):
            wrong[name] = silent
    assert not wrong


def _has_examples(value):
    return ">>>" in (value.__doc__ or "")


@pytest.mark.parametrize("name", [n for n, value in OWN.items() if _has_examples(value) or isinstance(value, type)])
def test_examples_of_docstrings_run(name, capsys, monkeypatch, install_line):
    """No module's own run finds them: functions say that they are symgrad's, where `float` and `sum` mean others."""
    if name == "symgrad.install":  # other tests may have imported PyTorch, whose name it takes
        for module in [m for m in sys.modules if m.partition(".")[0] == "torch"]:
            monkeypatch.delitem(sys.modules, module)
    for test in doctest.DocTestFinder().find(OWN[name], name, module=False, globs={}):
        try:
            doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(test)
        except doctest.UnexpectedException as error:
            line = install_line(error.exc_info[1])
            if line is None:
                raise error.exc_info[1] from None
            pytest.skip(line)  # a library that is not installed
    assert not capsys.readouterr().out


def test_the_first_example_runs(capsys):
    doctest.run_docstring_examples(sg.__doc__, {}, name="symgrad")
    assert ">>>" in sg.__doc__ and not capsys.readouterr().out


def test_rows_have_whole_docstrings():
    rows = {n: v for n, v in OWN.items() if getattr(getattr(v, "op", None), "apply", None) is inspect.unwrap(v)}
    assert len(rows) > 70
    for name, fn in rows.items():
        doc = fn.__doc__
        assert all(f"\n{title}\n---" in doc for title in ("Parameters", "Returns", "Notes", "Examples")), name
        assert "- Derivative: " in doc or not fn.op.holomorphic, name
        assert fn.op.kink in doc, name
        assert "\nwhere " not in doc, name  # definitions stand on their formula's line
    fdtr = sg.special.fdtr.__doc__
    assert "d n((nx/s)^(n/2 − 1) (1 − nx/s)^(d/2 − 1)/B(n/2, d/2))/s² in x, where s = nx + d\n" in fdtr
    assert "- Derivative: −sin(x)\n" in sg.cos.__doc__
    assert "- Finite for: |x| ≤ 1\n" in sg.asin.__doc__


# ------------------------------------------------------------------------------------------------------- signatures


FOR_ANOTHER = {"symgrad.formula", "symgrad.utils.checkpoint.checkpoint"}
"""Functions whose ``*args, **kwargs`` are the arguments of the function that they are given."""

OVERLOADED = {
    "to", "cuda", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_",
    "uniform_",
}  # fmt: skip
"""Methods of Tensor that take arguments by type, or by names that Python has no parameters of (``from``)."""


def test_signatures_say_what_is_taken():
    vague = set()
    for name, fn in OWN.items():
        parameters = inspect.signature(fn).parameters if isinstance(fn, FunctionType) else {}
        if name.startswith("symgrad.cuda."):
            continue  # they raise, whatever they are given
        kinds = {p.kind for p in parameters.values()}
        if "args" in parameters and {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds:
            vague.add(name)
    assert vague == FOR_ANOTHER | {f"symgrad.Tensor.{name}" for name in OVERLOADED}


def test_rows_take_what_their_signatures_say():
    x, y = sg.tensor([0.5]), sg.tensor([0.25])
    assert sg.sin(input=x).item() == np.sin(0.5)
    assert sg.atan2(input=x, other=y).item() == np.arctan2(0.5, 0.25)
    assert list(inspect.signature(sg.sin).parameters) == ["input", "out"]
    assert list(inspect.signature(x.add_).parameters) == ["other", "alpha"]


# ------------------------------------------------------------------------------------------------------------ stubs


@pytest.mark.slow
def test_stubs_and_docstrings_are_what_would_be_written():
    """Written from the table and from signatures; a change of those is a change of these."""
    done = subprocess.run(
        [sys.executable, "docs/_stubs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + "\nrun: python docs/_stubs.py"


def declared(file, within=""):
    """Return (name, what it returns) for the functions of a stub; of overloads with the same parameters the first, on
    tensors (`test_a_type_checker_knows_what_runs` looks at the others)."""
    body = ast.parse((ROOT / "symgrad" / file).read_text(encoding="utf-8")).body
    if within:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == within)
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            prop = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
            first = (ast.unparse(node.returns) if node.returns else "None", prop)
            taken = ast.unparse(node.args) if "Literal" in ast.unparse(node.args) else [a.arg for a in node.args.args]
            found.setdefault(node.name, (first, []))[1].append(taken)
    return [(name, *first) for name, (first, taken) in found.items() if taken.count(taken[0]) == len(taken)]


def samples():
    """Arguments that some function takes: operands first, new ones at each call."""
    x, A, v = sg.tensor([0.2, 0.5, 0.7]), sg.tensor([[2.0, 0.5], [0.5, 1.0]]), sg.tensor([1.0, 2.0])
    B, b, i, z = sg.stack([A, A]), sg.tensor([False, True, True]), sg.tensor([0, 1, 1]), sg.tensor([1 + 1j, 2.0, 1j])
    C, s = sg.ones(2, 2, 2), sg.tensor(1.0, requires_grad=True).exp()
    yield from ((x,), (A,), (b,), (i,), (B,), (z,), ((A, A),), (C,), (s,), ((x, i),), (x, x), (A, A), (A, v), (B, B))
    yield from ((b, b), (i, i), (x, 0.5), (x, 1), (x, 2), (A, 0), (A, (1, 0)), (x, b), (C, 2), (x, i), (A, B), (x, "d"))
    yield from ((x, sg.float32), (1, x), (A, 2, 2), (x, "x"), (A, (2, 2)), (s, lambda g: None), (A, 0, 1), (b, x, x))
    yield from ((x, x, x), (x, x, 0.5), (x, 0.0, 1.0), (v, A, v), (A, v, v), (x, b, 0.0), (x, b, x), (B[0], B, B))
    yield from ((A, A, A), (x, 0, i), (x, 0, 1), (A, 0, sg.tensor([0, 1])), (x, i, x), (x, (i,), x), (x, 0, i, x))
    yield from ((A, v, 0, 0), (x, 0, i, 0.0), (A, 0, (1, 2)), (x, 0, i, x, "sum"), (x, 0, (3, 1)), (A, 1, (0, 1)))
    yield from ((), (3,), (2, 2), (0, 3), (0, 1, 4), ((2, 2), 1.0), (np.ones(3),), ("ij,jk->ik", A, A), (0, 5, (3,)))
    yield from (
        (1, 2),
        ((2, 1), (1, 2)),
        (sg.float32, sg.float64),
        (2.0,),
        (sg.float64,),
        ("cpu",),
        (A, (1, 1)),
        (A, A, True),
    )
    yield from ((A, 0, 1, 1), (A, 0, 0, 1), (sg.ones(1, requires_grad=True), lambda t: None))


def meant(annotation):
    """The class that an annotation of a stub speaks of."""
    base = annotation.removeprefix("_").partition("[")[0]
    if base.startswith("return_types."):
        return getattr(sg.return_types, base.partition(".")[2])
    known = {
        "Size": sg.Size, "Device": sg.device, "Generator": sg.Generator, "np.ndarray": np.ndarray, "Tensor": sg.Tensor,
        "Formula": sg.Formula, "RemovableHandle": type(sg.ones(1, requires_grad=True).register_hook(abs)),
        "Graph": sg.Graph, "DType": sg.dtype, "np.dtype": np.dtype, "None": type(None),
    }  # fmt: skip
    return known.get(base) or getattr(builtins, base)


FUNCTIONS = [
    (prefix + name, returns)
    for prefix, file in (("", "__init__.pyi"), ("linalg.", "linalg/__init__.pyi"), ("special.", "special/__init__.pyi"),
                         ("fft.", "fft/__init__.pyi"))
    for name, returns, _ in declared(file) if returns != "Any"
]  # fmt: skip
MEMBERS = [m for m in declared("core/_members.pyi", "Members") if m[1] != "Any" and m[0] != "cuda"]  # which raises


@pytest.mark.parametrize(("name", "returns"), FUNCTIONS)
def test_functions_return_what_their_stubs_say(name, returns):
    home, _, short = name.rpartition(".")
    check(getattr(getattr(sg, home) if home else sg, short), samples(), returns)


@pytest.mark.parametrize(("name", "returns", "prop"), MEMBERS)
def test_members_are_what_their_stubs_say(name, returns, prop):
    if prop:
        assert isinstance(getattr(sg.tensor([[1j]], requires_grad=True), name), meant(returns))
    else:
        check(getattr(sg.Tensor, name), (s for s in samples() if s and isinstance(s[0], sg.Tensor)), returns)


LU = (*sg.linalg.lu_factor(sg.eye(2)), sg.ones(2, 1))
SPECIAL = {
    "frombuffer": lambda fn: fn(bytearray(8), dtype=sg.int64),
    "renorm": lambda fn: fn(sg.ones(2, 2), 2, 0, 1.0),
    "renorm_": lambda fn: fn(sg.ones(2, 2), 2, 0, 1.0),
    "index_reduce": lambda fn: fn(sg.ones(2), 0, sg.tensor([0]), sg.ones(1), "mean"),
    "index_reduce_": lambda fn: fn(sg.ones(2), 0, sg.tensor([0]), sg.ones(1), "mean"),
    "lu_solve": lambda fn: fn(*(LU if fn is sg.linalg.lu_solve else (LU[2], *LU[:2]))),
    "empty_permuted": lambda fn: fn((2, 3), (1, 0)),
    "unravel_index": lambda fn: fn(sg.tensor([1, 2]), (2, 2)),
    "nonzero_static": lambda fn: fn(sg.ones(2), size=1),
    "apply_": lambda fn: fn(sg.ones(2), lambda x: x + 1),
    "map_": lambda fn: fn(sg.ones(2), sg.ones(2), lambda x, y: x + y),
    "map2_": lambda fn: fn(sg.ones(2), sg.ones(2), sg.ones(2), lambda x, y, z: x + y),
    "solve_triangular": lambda fn: fn(sg.eye(2), sg.ones(2, 2), upper=True),
    "baddbmm_": lambda fn: fn(sg.ones(2, 2, 2), sg.ones(2, 2, 2), sg.ones(2, 2, 2)),
    "set_rng_state": lambda fn: fn(sg.get_rng_state()),
}
"""Calls that no sample is."""


def check(fn, calls, returns):
    """At least one call is taken, and every one whose first operand is a tensor, if any, gives what is declared."""
    results, default = {True: [], False: []}, sg.get_default_dtype()
    if fn.__name__ in SPECIAL:
        results[True].append(SPECIAL[fn.__name__](fn))
    for arguments in calls:
        try:
            result = fn(*arguments)
        except Exception:  # these were arguments of another function
            continue
        results[bool(arguments) and isinstance(arguments[0], sg.Tensor)].append(result)
        if len(results[True]) == 10:
            break
    sg.set_default_dtype(default)
    counted = results[True] or results[False]
    assert counted
    assert not [r for r in counted if not isinstance(r, meant(returns))]


RIGHT = """
import numpy as np
import symgrad as sg

t: sg.Tensor = sg.sin(sg.tensor([1.0, 2.0], requires_grad=True))
total: sg.Tensor = t.sum(0, keepdim=True) + 2 * t.mean() @ t
t -= 1
shape: sg.Size = t.shape
size: int = t.numel()
inverse: sg.Tensor = sg.linalg.inv(sg.eye(2))
values = sg.sort(t).values.exp_().T
layer: sg.nn.Linear = sg.nn.Linear(2, 3)
layer.weight
sg.special.gamma(input=t)
sg.autograd.gradcheck(sg.cos, t)
sg.autograd.functional.hessian(lambda x: x.sum(), t)
sg.return_types.qr
formula: sg.Formula = t.formula()
text: str = formula.latex()
array: np.ndarray = sg.grad(lambda x: (x**2).sum())(np.ones(3))
parts: tuple[sg.Tensor, ...] = t.split(1)
t.sum().backward(retain_graph=True)
square = sg.extend.elementwise("mine", lambda x: x * x, lambda x: 2 * x)
with sg.no_grad():
    t.requires_grad = False
for row in t:
    row.item()
sg.zeros(2, 3, dtype=sg.float32).to(sg.float64).reshape(-1, 2)
"""
WRONG = """
import symgrad as sg
t = sg.tensor([1.0])
sg.tensr([1.0])
t.summ()
sg.sin(t).suum()
sg.linalg.invv(t)
sg.nn.Liner(2, 3)
sg.special.gama(t)
sg.autograd.gradd(t, t)
sg.sum(t, dimm=0)
t.requires_gard = True
sg.Tensor.addd
sg.return_types.qrr
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of each text: once of all, for it takes seconds to load."""
    folder = tmp_path_factory.mktemp("typed")
    known = ["import symgrad as sg", "from symgrad.nn import functional as F", "x = sg.ones(2, 2)"]
    known += [f"reveal_type({text})" for text in KNOWN]
    for name, text in (("known", "\n".join(known)), ("right", RIGHT), ("wrong", WRONG)):
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, sorted(folder.glob("*.py")))]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    return {name: [line for line in lines if f"{name}.py" in line] for name in ("known", "right", "wrong")}


KNOWN = """
x.argmax(axis=0)
x.max() x.max(0) x.max(x) sg.max(x) sg.max(x,0) sg.max(x,x) x.min(0) sg.median(x) sg.median(x,0) x.nanmedian()
x.nonzero() x.nonzero(as_tuple=True) sg.nonzero(x) x.unique() sg.unique_consecutive(x) x.size() x.size(0) x.stride()
x.stride(0) x.type() x.type(sg.float32) x.where(x>0,0.0) sg.where(x>0,x,0.0) sg.where(x>0) sg.atleast_2d(x)
sg.cat([x,x]) sg.stack((x,x)) sg.linalg.lstsq(x,x) sg.linalg.svd(x) x.dtype sg.float32 sg.promote_types(sg.int8,sg.bool)
sg.get_default_dtype() sg.nn.Parameter(x)+1 sg.nn.MSELoss()(x,x) F.mse_loss(x,x) F.relu(x,inplace=False) F.dropout(x)
F.max_pool1d(x,1) F.max_pool1d_with_indices(x,1) F.softmax(x,0) F.cross_entropy(x,x) F.pad(x,(1,1)) sg.Tensor([1.0])
""".split()  # noqa: SIM905
"""What a strict type checker is to know the type of: expressions without spaces, of a tensor ``x`` of shape (2, 2)."""


@pytest.mark.slow
def test_a_type_checker_knows_what_runs(said):
    revealed = [re.search('Revealed type is "(.*)"', line) for line in said["known"]]
    space = {"sg": sg, "F": sg.nn.functional, "x": sg.ones(2, 2)}
    for text, found in zip(KNOWN, revealed, strict=True):
        named = re.search(r"fallback=[\w.]*?(\w+)\]$", found[1]) or re.search(r"(\w+)(\[.*)?$", found[1])
        assert named[1] == type(eval(text, space)).__name__, text


@pytest.mark.slow
def test_a_type_checker_takes_what_is_right(said):
    assert said["known"] and said["right"] == []


@pytest.mark.slow
def test_a_type_checker_refuses_what_is_wrong(said):
    lines = {int(re.search(r"wrong\.py:(\d+): error", line)[1]) for line in said["wrong"] if ": error" in line}
    assert lines == set(range(4, len(WRONG.splitlines()) + 1))

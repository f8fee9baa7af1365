"""The layers stay honest: modules import downwards only, files fit one sitting, functions one screen.

The idea to hold: the order of the layers is data (`LAYERS`), and every import statement of the package, lazy ones
included, is an edge that must point to a lower row. A module that is in no row fails: give it one.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from ..helpers.sources import PACKAGE, SOURCES, facts, facts_of

# From top to bottom. Modules of one row do not know each other, except as SIBLINGS says.
LAYERS = (
    ("__main__",),
    ("cli",),
    ("nn", "optim", "distributions", "scipy", "stats", "interop", "numpy", "testing", "serve"),
    ("views",),
    ("distributed",),
    ("inspect",),
    ("transforms", "notation", "autograd", "func", "linalg", "special", "fft", "return_types", "extend")
    + ("utils", "cuda", "backends"),
    ("programs",),
    ("_array",),
    ("_serialize",),
    ("_tensor", "_function"),
    ("formulas",),
    ("calculus",),
    ("terms",),
    ("sweep", "show"),
    ("ops",),
    ("core",),
    ("syntax",),
    ("_progress",),
    ("_typing", "_config", "_limits", "_moved", "_trees"),
    ("_errors",),
)
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}

# (importer, imported) of one row, each with its reason.
SIBLINGS = {
    ("autograd", "transforms"): "PyTorch's names for the transforms",
    ("func", "transforms"): "PyTorch's names for the transforms",
    ("notation", "linalg"): "a parsed text speaks of norms and determinants by their public names",
    ("distributions", "scipy"): "a density stands in one place",
    ("optim", "nn"): "an averaged model is a Module",
    ("utils", "autograd"): "a checkpoint is a custom Function",
    ("_typing", "_config"): "the default dtype is a setting",
    ("backends", "cuda"): "what is asked of one kind of device is asked of all",
    ("_function", "_tensor"): "a user-defined operation takes and returns Tensors",
}

LOADED_ON_FIRST_USE = ("sympy", "scipy", "opt_einsum", "torch", "hashlib", "string", "numpy.polynomial", "numpy.fft")
OWN_ON_FIRST_USE = """
_array terms calculus formulas programs transforms views linalg special fft numpy ops.numpy ops.filters.linear
ops.fourier.transforms ops.entries.bessel ops.entries.distributions ops.entries.integrals ops.linalg.special_systems
ops.linalg.matrix_equations
""".split()  # noqa: SIM905

MOST_LINES_OF_A_FILE = 900
MOST_LINES_OF_A_FUNCTION = 60  # its docstring not counted

# "file.py:function" -> why it is longer than one screen.
LONG_FUNCTIONS: dict[str, str] = {}


def unit_of(path, package=PACKAGE):
    """The name in LAYERS that a file belongs to: its first part below the package."""
    return path.relative_to(package).with_suffix("").parts[0]


@cache
def is_module(name, package):
    """Whether a package has a module, or package, of a name."""
    return any((package / f"{name}{end}").exists() for end in ("", ".py"))


def imported_modules(imports, path, package=PACKAGE):
    """Yield (line, dotted name) for every import below the package, wherever in the file it stands.

    `from symgrad import name` counts as an import of `symgrad.name` where that is a module, of `symgrad` otherwise.
    """
    root = package.name
    here = [root, *path.relative_to(package).with_suffix("").parts[:-1]]
    for node in imports:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            base = ".".join(base + ([node.module] if node.module else []))
            names = [f"{base}.{alias.name}" if base == root else base for alias in node.names]
        else:
            names = [arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)]
        for name in names:
            parts = name.split(".")
            if parts[0] != root:
                continue
            yield node.lineno, name if len(parts) > 1 and is_module(parts[1], package) else root


def why_upward(importer, imported):
    """Why `importer` may not import `imported` (dotted, below the package); None where it may.

    Names without a layer are reported once, by test_every_module_has_a_layer.
    """
    target = imported.split(".")[1] if "." in imported else None
    if target is None:
        return "the root package is above everything"
    if importer == target or not {importer, target} <= set(RANK):
        return None
    if RANK[importer] < RANK[target] or (importer, target) in SIBLINGS:
        return None
    return f"{target} is {'a sibling of' if RANK[importer] == RANK[target] else 'above'} {importer}"


def test_every_module_has_a_layer():
    units = {unit_of(path) for path in SOURCES} - {"__init__"}
    assert units <= set(RANK), f"not in LAYERS: {sorted(units - set(RANK))}"


def test_imports_go_downwards_only():
    wrong = []
    for path in SOURCES:
        importer = unit_of(path)
        if importer == "__init__":
            continue
        for line, imported in imported_modules(facts(path).imports, path):
            reason = why_upward(importer, imported)
            if reason:
                wrong.append(f"{path.relative_to(PACKAGE.parent)}:{line} imports {imported}: {reason}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("file", "statement", "reason"),
    [
        ("ops/_a.py", "from ..core import Op", None),
        ("ops/_a.py", "from ._b import sin", None),
        ("core/_a.py", "def lazy():\n    from ..ops import sin", "ops is above core"),
        ("core/_a.py", "import pkg.ops._b", "ops is above core"),
        ("core/_a.py", "importlib.import_module('pkg.ops')", "ops is above core"),
        ("sweep/_a.py", "from .. import show", "show is a sibling of sweep"),
        ("_tensor.py", "from . import sin", "the root package is above everything"),
        ("func/__init__.py", "from ..transforms import grad", None),
        ("core/_a.py", "import numpy as np", None),
    ],
)
def test_an_upward_import_is_found(tmp_path, file, statement, reason):
    package = tmp_path / "pkg"
    for unit in RANK:
        (package / unit).mkdir(parents=True)
    found = [
        why_upward(unit_of(package / file, package), imported)
        for _, imported in imported_modules(facts_of(ast.parse(statement)).imports, package / file, package)
    ]
    assert [r for r in found if r] == ([reason] if reason else [])


def files_of_import(node, path, package=PACKAGE):
    """The files of the package that a statement imports."""
    if not isinstance(node, ast.ImportFrom) or not node.level:
        return
    here = path.relative_to(package).with_suffix("").parts
    base = [*here[: len(here) - node.level], *(node.module.split(".") if node.module else [])]
    for name in [alias.name for alias in node.names]:
        for parts in ([*base, name], base):
            file = package.joinpath(*parts).with_suffix(".py") if parts else package / "__init__.py"
            found = [f for f in (file, package.joinpath(*parts, "__init__.py")) if f.exists()]
            if found:
                yield found[0]
                break


def imported_files(path):
    """The files of the package that a file imports, wherever in it the statement stands, also for types alone."""
    return (file for node in facts(path).imports for file in files_of_import(node, path))


def circle_in(graph):
    """Some circle of a directed graph (a dictionary of sets), as a list; empty if there is none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        path.append(node)
        for after in sorted(graph.get(node, ())):
            if found := visit(after):
                return found
        done.add(path.pop())
        return []

    return next((found for node in sorted(graph) if (found := visit(node))), [])


def test_no_circle_among_files():
    """Inside packages, too, and wherever in a file an import stands: in functions, and for types alone."""
    graph = {path: set(imported_files(path)) for path in SOURCES}
    found = [str(path.relative_to(PACKAGE)) for path in circle_in(graph)]
    assert not found, f"these import each other: {' -> '.join(found)}; name the third idea and put it below both"


def test_a_circle_is_found():
    assert circle_in({1: {2}, 2: {3}, 3: {2}}) == [2, 3, 2]
    assert circle_in({1: {2, 3}, 2: {3}, 3: set()}) == []


NAMESPACES = "core.modes core.storage programs.helpers programs.program"
"""Modules that others use as modules: ``modes.recording``."""
STANDING_ALONE = """
ops.entries.all_special ops.entries.bessel ops.entries.distributions ops.entries.integrals ops.filters.linear_filters
ops.fourier.transforms ops.linalg.matrix_equations ops.linalg.special_systems
show.functions show.latex_notes show.layout show.signs sweep.batch sweep.replay sweep.series
transforms.first_derivatives transforms.hessian_operator transforms.matrix transforms.products transforms.report
"""
"""Modules that their packages do not load: what is in them is imported from them, when it is first used."""
ROOMS = (
    "terms",
    "calculus",
    "formulas",
    "_array",
    "_tensor",
    "core",
    "inspect",
    "notation",
    "ops",
    "programs",
    "show",
    "sweep",
    "syntax",
    "transforms",
    "views",
)
"""Inner packages: the docstring of each, and of each package within, is a map of its modules."""
MAPPED = sorted(
    p.parent.relative_to(PACKAGE).as_posix() for unit in (*ROOMS, "cli") for p in (PACKAGE / unit).rglob("__init__.py")
)


@cache
def offered(unit):
    """The names that the ``__init__`` of a package imports from its modules."""
    path = PACKAGE / unit / "__init__.py"
    statements = ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []
    return [
        alias.asname or alias.name
        for node in statements
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    ]


def names_from_rooms():
    """Yield (path, line, module, name) for what files import of inner packages that are not theirs."""
    for path in SOURCES:
        for node in facts(path).imports:
            if isinstance(node, ast.ImportFrom) and node.level:
                here = path.relative_to(PACKAGE).with_suffix("").parts
                module = [*here[: len(here) - node.level], *(node.module.split(".") if node.module else [])]
                for name in [alias.name for alias in node.names]:
                    inside = PACKAGE.joinpath(*module, f"{name}.py").exists() and name not in offered("/".join(module))
                    of = [*module, name] if inside else module
                    if of[:1] != [unit_of(path)] and of[:1] and of[0] in ROOMS:
                        yield path, node.lineno, ".".join(of), name


def test_packages_offer_what_others_import_of_them():
    """A package, or a package within, says in its ``__init__`` what others may use: nobody looks into its modules."""
    alone = {*NAMESPACES.split(), *STANDING_ALONE.split()}
    found = list(names_from_rooms())
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {name} of {module}"
        for path, line, module, name in found
        if PACKAGE.joinpath(*module.split(".")).with_suffix(".py").exists() and module not in alone
    ]
    assert not wrong, "\n".join(wrong)
    assert alone <= {module for _, _, module, _ in found}, "nobody imports these"


def test_modules_that_stand_alone_are_not_loaded_by_their_packages():
    wrong = [
        module
        for module in STANDING_ALONE.split()
        for init in [PACKAGE.joinpath(*module.split(".")[:-1], "__init__.py")]
        if init.with_name(f"{module.split('.')[-1]}.py")
        in [f for node in ast.parse(init.read_text(encoding="utf-8")).body for f in files_of_import(node, init)]
    ]
    assert not wrong, f"offer what they have in __init__: {wrong}"


def test_what_a_package_offers_is_asked_for():
    """Names that an inner package's ``__init__`` imports are used there, or imported from it."""
    asked = {(module, name) for _, _, module, name in names_from_rooms()}
    outside = [path.read_text(encoding="utf-8") for path in [*OUTSIDE, PACKAGE / "__init__.py"]]
    outside = {word for text in outside for word in re.findall(r"\w+", text)}
    unused = []
    for unit in MAPPED:
        text = (PACKAGE / unit / "__init__.py").read_text(encoding="utf-8")
        for name in offered(unit):
            used = len(re.findall(rf"\b{name}\b", text)) > 1 or name in outside
            if not used and (unit.replace("/", "."), name) not in asked:
                unused.append(f"{unit}: {name}")
    assert not unused, "\n".join(unused)


@pytest.mark.parametrize("unit", MAPPED)
def test_the_docstring_of_a_package_is_a_map_of_its_modules(unit):
    docstring = ast.get_docstring(ast.parse((PACKAGE / unit / "__init__.py").read_text(encoding="utf-8")))
    said = re.findall(r"^(\w+) +\S.*$", docstring.split("\n\n")[1], re.M)
    there = [p.stem for p in (PACKAGE / unit).iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()]
    assert sorted(said) == sorted(set(there) - {"__init__"})


def test_the_drawn_rooms_are_those_of_the_package():
    text = (PACKAGE.parent / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^([a-z_, ]+?)  +\S.*$", text.split("## The rooms")[1].split("```")[1], re.M)
    rooms = [name for line in drawn for name in line.split(", ")]
    assert sorted(rooms) == sorted(p.parent.name for p in PACKAGE.glob("*/__init__.py"))
    ranks = [RANK[name] for name in rooms]
    assert ranks == sorted(ranks)


OUTSIDE = [p for d in ("tests", "docs", "examples") for p in (PACKAGE.parent / d).rglob("*.py")]
NOT_NEEDED = ("views", "cli", "serve")
WITHOUT_THEM = """
import numpy as np, symgrad as sg
H = sg.hessian(lambda x: (x**4).sum())(np.arange(3.0))
x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
sg.exp(x).sum().backward(create_graph=True)
print(H.diagonal(), x.grad.formula(), sg.verify("x**2", grad="2*x", x=()).verdict)
"""


def test_the_package_works_without_its_views(tmp_path):
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in SOURCES
        for line, name in imported_modules(facts(path).imports, path)
        if name.startswith("symgrad.views")
        and unit_of(path) not in (*NOT_NEEDED, "__init__")  # which asks for them late
    ]
    assert not wrong, "\n".join(wrong)
    shutil.copytree(PACKAGE, tmp_path / "symgrad", ignore=shutil.ignore_patterns(*NOT_NEEDED, "__pycache__"))
    done = subprocess.run([sys.executable, "-c", WITHOUT_THEM], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})  # fmt: skip
    assert done.stdout == "[ 0. 12. 48.] exp(x) PROVED\n", done.stderr


def test_no_two_files_share_a_name():
    names = Counter(path.stem for path in SOURCES if path.stem != "__init__")
    assert [name for name, count in names.items() if count > 1] == []


def test_a_file_fits_one_sitting():
    long = {
        str(path.relative_to(PACKAGE)): n
        for path in SOURCES
        if (n := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES_OF_A_FILE
    }
    assert not long, f"split by concept: {long}"


def test_a_function_fits_one_screen():
    long = {
        f"{path.relative_to(PACKAGE)}:{name}": lines
        for path in SOURCES
        for name, lines in facts(path).functions
        if lines > MOST_LINES_OF_A_FUNCTION
    }
    unexplained = {name: lines for name, lines in long.items() if name not in LONG_FUNCTIONS}
    assert not unexplained, f"longer than {MOST_LINES_OF_A_FUNCTION} lines: {unexplained}"
    assert set(LONG_FUNCTIONS) <= set(long), "an exception nobody needs any more"


@cache
def loaded():
    """The modules that `import symgrad` loads, in a process of its own."""
    code = "import sys, symgrad; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return done.stdout.split()


def test_import_loads_only_numpy():
    assert "numpy" in loaded() and [name for name in LOADED_ON_FIRST_USE if name in loaded()] == []


def test_import_loads_no_module_that_is_asked_for_later():
    later = tuple(f"symgrad.{name}" for name in OWN_ON_FIRST_USE)
    assert [name for name in loaded() if name.startswith(later)] == []

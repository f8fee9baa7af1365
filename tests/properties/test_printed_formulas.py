"""What is printed is the number: code, ASCII, Unicode and LaTeX of random programs' formulas, read back.

    python -m tests.properties.test_printed_formulas 2000      # a longer search than the suite's

The idea to hold: each form of a formula has a reader that knows nothing of terms (Python for code and ASCII,
`notation.parse` for Unicode, KaTeX for LaTeX), and must come back with the formula's value, shape included.
"""

import functools
import importlib
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad.core import TABLE
from symgrad.notation import ParseError, parse

from ..helpers.cases import one_in
from ._formulas import Run, differ, formulas, search

COUNT = 100
FOUND = (921, 954, 1017, 1032, 1034, 1058, 1079, 1085, 1104, 1128, 1141, 1142, 1161, 1186, 1205, 2607)
"""Programs that once made trouble: masks, numbers where PyTorch takes tensors, stacks, writes into views."""
FEW = 12
"""Programs whose code runs in JAX: it compiles each operation."""
KATEX = "npm install katex, and NODE_PATH=<where>/node_modules"

ALONG = ("softmax", "log_softmax", "logsumexp", "cumsum", "cumprod", "logcumsumexp", "flip")


def along_the_only_axis(function):
    """A function along an axis as it is written of vectors (and of whole arrays): without saying which."""

    def call(x, *args, **options):
        if not args and not {"dim", "dims", "axis"} & set(options):
            args = (tuple(range(x.ndim)),) if function.__name__ in ("logsumexp", "flip") else (0,)
        return function(x, *args, **options)

    return call


FROM_NUMPY = (
    "array", "sum", "einsum", "where", "diag", "trace", "ones", "eye", "sqrt", "outer", "transpose", "reshape",
    "broadcast_to", "tensordot", "s_",
)  # fmt: skip
NAMES = {
    **vars(np),
    **vars(scipy.special),
    **vars(np.linalg),
    **{name: getattr(sg, name) for name in dir(sg) if name[0] != "_"},
    **{name: getattr(np, name) for name in FROM_NUMPY},
    **{name: along_the_only_axis(getattr(sg, name)) for name in ALONG},
}
"""The names of the ASCII form: NumPy's and symgrad's (which decides where functions have parameters)."""
INTERNAL = {op.label for op in TABLE.values()} - set(NAMES)
"""Rows that are no public function: derivatives of others, most of them."""
UNNAMED = re.compile(rf"\b(transposed|jacobian|{'|'.join(sorted(INTERNAL))})\(")
"""What Python has no name for, besides the transpose of a linear operation and an unknown Jacobian."""


def placed(x, shape, index):
    """Zeros, with an array added at an index."""
    out = np.zeros(shape)
    np.add.at(out, index, x)
    return out


# ----------------------------------------------------------------------------------------------------------- readers


def run_code(formula, target="numpy", convert=np.asarray):
    """The value of a formula's source, arguments in the order of its signature."""
    source = formula.code(target)
    scope = {}
    exec(source, scope)
    arguments = re.search(r"^def f\((.*?)\):", source, re.MULTILINE).group(1)
    names = [a.split("=")[0].strip() for a in arguments.split(",") if a.strip()]
    return np.asarray(scope["f"](*[convert(formula.point[n]) for n in names]))


def read_ascii(formula):
    """The value of the ASCII form as Python; None where it has parts that Python has no name for."""
    text = format(formula, "ascii")
    if UNNAMED.search(text):
        return None
    body, _, rest = text.partition("\nwhere ")
    scope = {**NAMES, "placed": placed, **formula.point}
    for line in rest.split("\n      ") if rest else ():
        name, _, expression = line.partition(" = ")
        scope[name] = eval(expression, scope)
    return np.asarray(eval(body, scope))


def read_unicode(formula):
    """The value of the Unicode text as `parse` reads it; None for index notation and what may be read in two ways."""
    shapes = {name: tuple(np.shape(formula.point[name])) for name in formula.free_symbols}
    try:
        found = parse(str(formula), dialect="matrix", shape=formula.shape, **shapes)
    except ParseError:
        return None
    tables = {name for name in found.free_symbols if re.fullmatch(r"c\d+", name)}  # arrays that are written out
    assert found.free_symbols - tables <= {*shapes}, "a symbol that is not there"
    return np.asarray(found(**{n: formula.point[n] for n in found.free_symbols & set(shapes)}))


def unbalanced(latex):
    """What does not match in LaTeX: braces, ``\\left`` and ``\\right``, ``\\begin`` and ``\\end``."""
    depth = 0
    for sign in re.sub(r"\\[{}\\]", "", latex):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return "a closing brace too many"
    pairs = [(r"\\left\b", r"\\right\b"), (r"\\begin\{", r"\\end\{"), (r"\\lVert", r"\\rVert"),
             (r"\\langle", r"\\rangle"), (r"\\lvert", r"\\rvert")]  # fmt: skip
    for opening, closing in pairs:
        if len(re.findall(opening, latex)) != len(re.findall(closing, latex)):
            return f"{opening} and {closing}"
    return "an open brace" if depth else None


@functools.cache
def katex():
    """Whether KaTeX can be run."""
    if shutil.which("node") is None:
        return False
    return subprocess.run(["node", "-e", "require('katex')"], capture_output=True, check=False).returncode == 0


def katex_refuses(texts):
    """What KaTeX says of each text: None if it accepts it."""
    script = """
const katex = require("katex");
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const said = texts.map(t => {
  try { katex.renderToString(t, {throwOnError: true, strict: "error"}); return null; }
  catch (error) { return String(error.message); }
});
console.log(JSON.stringify(said));
"""
    done = subprocess.run(["node", "-e", script], input=json.dumps(texts), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# ------------------------------------------------------------------------------------------------------- complaints


def by_code(formula, target, convert):
    """Yield how the code of a formula is not the formula."""
    try:
        difference = differ(run_code(formula, target, convert), formula(), 1e-9)
    except sg.FormulaError as error:
        if target == "numpy" or "no counterpart" not in str(error):
            yield f"{target}: {error}"
        return
    except Exception as error:
        yield f"{target}: {type(error).__name__}: {error}\n{formula.code(target)}"
        return
    if difference:
        yield f"{target}: {difference}\n{formula.code(target)}"


def by_text(formula):
    """Yield how the texts of a formula are not the formula."""
    value = formula()
    for style, read in (("ascii", read_ascii), ("unicode", read_unicode)):
        try:
            found = read(formula)
            if found is not None and not found.ndim:  # an array of equal numbers is written as the number
                found = np.broadcast_to(found, value.shape)
        except Exception as error:
            yield f"{style}: {type(error).__name__}: {error}\n{format(formula, style)}"
            continue
        difference = None if found is None else differ(found, value, 1e-9)
        if difference:
            yield f"{style}: {difference}\n{format(formula, style)}"
    what = unbalanced(formula.latex())
    if what:
        yield f"latex: {what}: {formula.latex()}"


def torch_array(a):
    return importlib.import_module("torch").tensor(np.asarray(a))


def jax_array(a):
    return importlib.import_module("jax.numpy").asarray(a)


def trouble(run, targets=("numpy", "torch", "jax")):
    """Yield what is wrong with the printed formulas of a program."""
    converts = {"numpy": np.asarray, "torch": torch_array, "jax": jax_array}
    for what, formula in formulas(run):
        for target in targets:
            yield from (f"{what}, {c}" for c in by_code(formula, target, converts[target]))
        yield from (f"{what}, {c}" for c in by_text(formula))
        if katex() and len(targets) > 1:
            (said,) = katex_refuses([formula.latex()])
            if said:
                yield f"{what}, KaTeX: {said}\n{formula.latex()}"


# ------------------------------------------------------------------------------------------------------------ tests


@functools.cache
def legal(seed):
    """The run of a program, None if it has no derivative."""
    run = Run(seed)
    return run if run.legal else None


def found_again(seed):
    """Each program that once was in trouble is a family of its own, which runs always."""
    return seed if seed in FOUND else None


@one_in(60)
@pytest.mark.parametrize("seed", [*range(COUNT), *FOUND])
def test_numpy_code_and_texts_are_the_formula(seed):
    run = legal(seed)
    complaints = list(trouble(run, ("numpy",))) if run else ()
    assert not complaints, "\n".join([repr(run.program), *complaints])


@pytest.mark.parametrize("seed", [*range(COUNT), *FOUND])
def test_torch_code_is_the_formula(seed):
    pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
    for what, formula in formulas(legal(seed)):
        assert not list(by_code(formula, "torch", torch_array)), what


@pytest.mark.parametrize("seed", range(FEW))
def test_jax_code_is_the_formula(seed):
    jax = pytest.importorskip("jax", reason='python -m pip install -e ".[compare]"')
    jax.config.update("jax_enable_x64", True)
    for what, formula in formulas(legal(seed)):
        assert not list(by_code(formula, "jax", jax_array)), what


def test_latex_is_accepted_by_katex():
    if not katex():
        pytest.skip(KATEX)
    texts = [formula.latex() for seed in range(COUNT) for _, formula in formulas(legal(seed))]
    refused = [(said, text) for said, text in zip(katex_refuses(texts), texts, strict=True) if said]
    assert not refused


@pytest.mark.slow
def test_most_texts_are_read_back():
    """What the tests above let pass as unreadable is the exception."""
    found = [formula for seed in range(COUNT) for _, formula in formulas(legal(seed))]
    read = [sum(reader(f) is not None for f in found) / len(found) for reader in (read_ascii, read_unicode)]
    assert read[0] > 0.8 and read[1] > 0.65, read


if __name__ == "__main__":
    importlib.import_module("jax").config.update("jax_enable_x64", True)
    search(trouble, __doc__)

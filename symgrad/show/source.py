"""A formula as the source of one function.

The idea to hold: the body's shared parts are the function's local names, in the order in which they are needed; its
arguments are the formula's symbols, sorted. Sizes that have names are read from the arguments' shapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .._trees import postorder
from .code import WRITERS, CodeWriter, Symbols, identifier
from .functions import LIBRARIES, Library
from .layout import COMPARISONS, each_after, truths_of
from .layout_choice import chosen_sheet, uses


def to_code(
    root: Any, target: str = "numpy", name: str = "f", given: Sequence[tuple[str, Any]] = (), real: bool = True
) -> str:
    """Return the source of a function that computes a term, with its imports.

    Parameters
    ----------
    root : term
    target : {"numpy", "torch", "jax"}
    name : str
        The function's name.
    given : sequence of (name, term)
        Definitions to stop at: ``root`` has a symbol of that name.
    real : bool
        Whether nothing in the terms is complex: some functions of SciPy's take real numbers only.

    Returns
    -------
    str
        The function's arguments are the free symbols in alphabetical order.

    Raises
    ------
    FormulaError
        PyTorch or JAX have no counterpart of an operation, or a part of the term has no formula.

    Examples
    --------
    >>> from symgrad.terms import Ein
    >>> from symgrad.terms import Var
    >>> from symgrad.show import to_code
    >>> A, x = Var("A", (2, 3)), Var("x", (2,))
    >>> print(to_code(Ein(2, [(A, (1, 0)), (x, (1,))], (3, 2), 1)))
    def f(A, x):
        return 2*A.T @ x
    <BLANKLINE>
    """
    laid = chosen_sheet(root, given, lines=True, program=True)
    roots = [root, *(t for _, t in given)]
    symbols = _symbols(roots, {label for label, _ in given})
    taken = {"sg", "TABLE", "dtype", name}.union(*[library.roots for library in LIBRARIES.values()])
    rename: dict[str, str] = {}
    for label in [*sorted(symbols), *(label for label, _ in laid.definitions)]:
        rename[label] = identifier(label, taken)
        taken.add(rename[label])
    sizes = _sizes(symbols, rename, taken)
    arguments = [s for s in sorted(symbols) if s not in sizes]
    known = _known(roots, symbols, sizes)._replace(real=real)
    like, first = _dtype(_numbers(symbols, known), known, rename)
    writer: CodeWriter = WRITERS[target](rename, like, known)
    lines = [
        f"{rename[label]} = {writer.text(note)}" for label, note in each_after(dict(laid.definitions), uses).items()
    ]
    lines.append(f"return {writer.text(laid.body)}")
    if first and any("=dtype" in line or "(dtype)" in line or ", dtype)" in line for line in lines):
        lines.insert(0, first)
    read = {n: where for n, where in sizes.items() if n in writer.sizes or n in symbols}
    signature = [rename[s] for s in arguments]
    signature += [rename[n] for n in sorted(writer.sizes) if n not in read and n not in arguments]
    lines = [f"{rename[n]} = {where}" for n, where in sorted(read.items())] + lines
    body = "\n".join([f"def {name}({', '.join(signature)}):", *["    " + line for line in lines]])
    return _module("\n\n\n".join([*[writer.helper_sources[h] for h in sorted(writer.helpers)], body]), writer.library)


def _module(source: str, library: Library) -> str:
    """Functions, with the imports that they need."""
    imports = library.imports_of(source)
    imports += ["from symgrad.core import TABLE"] if "TABLE[" in source else []
    imports += ["import symgrad as sg"] if re.search(r"(?<![\w.])sg\.", source) else []
    imports.sort(key=lambda line: (line.startswith("from"), line))
    return "\n".join(imports) + ("\n\n\n" if imports else "") + source + "\n"


def _known(roots: list[Any], symbols: dict[str, Any], sizes: dict[str, str]) -> Symbols:
    """What the use of symbols says of them: conditions are truths, operands of functions are numbers."""
    truths: set[str] = set()
    numbers: set[str] = set()
    for t in postorder(*roots):
        if t.kind != "map":
            continue
        conditions = truths_of(t)
        truths |= {a.name for k, (a, _) in enumerate(t.args) if k in conditions and a.kind == "var"}
        if not conditions and t.operation not in COMPARISONS:
            numbers |= {a.name for a, _ in t.args if a.kind == "var"}
    of_size = {s for s in symbols if "size" in symbols[s].properties}
    return Symbols(frozenset(of_size.union(sizes)), frozenset(truths), frozenset(numbers - truths))


def _numbers(symbols: dict[str, Any], known: Symbols) -> list[str]:
    """Symbols that new arrays may take their dtype of: arrays first, and first those known to be numbers."""
    found = [s for s in sorted(symbols) if s not in known.sizes and s not in known.truths]
    return sorted(found, key=lambda s: (s not in known.numbers, not symbols[s].shape))


def _dtype(symbols: list[str], known: Symbols, rename: dict[str, str]) -> tuple[str, str]:
    """The dtype of new arrays in PyTorch, and the line that says it where a symbol might be one of truths."""
    if not symbols or symbols[0] in known.numbers:
        return (f"{rename[symbols[0]]}.dtype" if symbols else ""), ""
    arrays = ", ".join([rename[s] for s in symbols])
    return "dtype", f"dtype = next((a.dtype for a in [{arrays}] if a.dtype.is_floating_point), torch.float64)"


def _symbols(roots: list[Any], known: set[str]) -> dict[str, Any]:
    return {t.name: t for t in postorder(*roots) if t.kind == "var" and t.name not in known}


def _sizes(symbols: dict[str, Any], rename: dict[str, str], taken: set[str]) -> dict[str, str]:
    """Where a named size can be read from: an axis of an argument."""
    found: dict[str, str] = {}
    for label in sorted(symbols):
        for axis, n in enumerate(symbols[label].shape):
            size = getattr(n, "name", None)
            if not size or size in found or (size in symbols and "size" not in symbols[size].properties):
                continue
            if size not in rename:
                rename[size] = identifier(size, taken)
                taken.add(rename[size])
            found[size] = f"{rename[label]}.shape[{axis}]"
    return found

"""The docstrings of public rows, written from the table; `_stubs.py` keeps them in ``symgrad/data/docstrings.txt``.

A row says what it computes (``doc``), its rules, its kinks and its SymPy twin. From these follow the derivative in
words of formulas and an example, which cost seconds to work out: so they are kept as text, and read at import.
"""

# ruff: noqa: E402

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]  # the package and the files beside this one

from _operations import partial

import symgrad as sg
from symgrad.core import NUMPY, Op
from symgrad.ops import FUNCTIONS
from symgrad.ops._numpy import public_name

_POINTS = np.array([-2, -1, -0.5, 0, 0.5, 1, 2])
_DOMAINS = {
    "1111111": "", "1110111": "x ≠ 0", "0001111": "x ≥ 0", "0000111": "x > 0", "0011111": "x > −1",
    "0111110": "|x| ≤ 1", "0011100": "|x| < 1", "0000011": "x ≥ 1", "0000100": "0 < x < 1", "0010111": "every x but 0, −1, −2, …",
}  # fmt: skip
"""Where a function is finite, by which of the points it is finite at."""

_EXAMPLES = {
    "real": "[-1.5, 0.5]", "nonzero": "[-1.5, 0.5]", "positive": "[0.5, 2.0]", "unit": "[-0.5, 0.5]",
    "above_one": "[1.5, 2.0]", "probability": "[0.25, 0.5]", "bool": "[True, False]", "complex": "[1j, 1 + 1j]",
}  # fmt: skip
_SECOND = {**_EXAMPLES, "real": "[2.0, 0.5]", "nonzero": "[2.0, 0.5]", "positive": "[1.0, 3.0]", "bool": "[True, True]"}

_RESULT = "Tensor\n    An array or a number where no operand is a tensor.\n"

NOT_IN_PYTORCH = frozenset({"beta", "betaln", "cbrt", "gamma", "kl_div", "logaddexp2", "normal_pdf", "rel_entr"})
"""Rows without a function of PyTorch's: those have SciPy's or NumPy's name."""


def rows() -> dict[str, Op]:
    """Return the rows that are public functions, by the name that is shown first: ``sg.sin``, ``sg.special.gamma``.

    >>> rows()["sg.sin"].name, rows()["sg.special.gamma"].name
    ('sin', 'gamma')
    """
    spaces = {"sg.": FUNCTIONS, "sg.special.": {n: getattr(sg.special, n) for n in sg.special.__all__}}
    found: dict[Callable[..., Any], str] = {}
    for prefix, space in spaces.items():
        for name, fn in space.items():
            if hasattr(fn, "op"):
                found.setdefault(fn, prefix + name)
    return {name: fn.op for fn, name in found.items()}  # type: ignore[attr-defined]


def docstrings() -> str:
    """Return every docstring, each below its row's name, with form feeds between them."""
    return "\f\n".join(f"{op.name}\n{docstring(name, op)}" for name, op in rows().items())


def docstring(name: str, op: Op) -> str:
    """Return the docstring of a row.

    >>> print(docstring("sg.log", sg.extend.TABLE["log"]))  # doctest: +ELLIPSIS
    Return the natural logarithm.
    <BLANKLINE>
    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.
    <BLANKLINE>
    Returns
    -------
    Tensor
            An array or a number where no operand is a tensor.
    <BLANKLINE>
    Notes
    -----
    - Derivative: 1/x
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``log(x)``
    - In NumPy: ``np.log``
    - In PyTorch: ``torch.log``
    <BLANKLINE>
    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log(x)
    >>> y
    tensor([-0.6931,  0.6931], grad_fn=<LogBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([2.0000, 0.5000], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/x
    """
    parameters = "".join(
        f"{parameter} : tensor, array or number\n    Called {operand} below.\n"
        for parameter, operand in zip(inspect.signature(op.apply).parameters, op.inputs, strict=False)
    )
    notes = "".join(f"- {title}: {text}\n" for title, text in _notes(name, op) if text)
    return (
        f"Return {op.doc}.\n\nParameters\n----------\n{parameters}out : Tensor, optional\n"
        f"    Where the result is written.\n\nReturns\n-------\n{_RESULT}\nNotes\n-----\n{notes}\n"
        f"Examples\n--------\n{_example(name, op)}"
    )


def _notes(name: str, op: Op) -> Iterator[tuple[str, str]]:
    if op.kind == "constant":
        yield "Derivative", "none, the result carries no gradient"
    else:
        partials = [_derivative(op, i) for i in range(len(op.inputs))]
        words = zip(partials, op.inputs, strict=True)
        yield "Derivative", partials[0] if len(partials) == 1 else "; ".join(f"{text} in {x}" for text, x in words)
        yield "At kinks", op.kink
        if len(op.inputs) == 1 and op.domain != "complex":
            with np.errstate(all="ignore"):
                yield "Finite for", _DOMAINS["".join(str(int(f)) for f in np.isfinite(op.forward(_POINTS)))]
        yield "Complex numbers", "no" if op.real_only else "yes" if op.holomorphic else "yes, with PyTorch's gradient"
    yield "SymPy", f"``{op.sympy}``" if isinstance(op.sympy, str) else ""
    yield "In NumPy", ", ".join(f"``{public_name(f)}``" for f, fn in list(NUMPY.items()) if fn is op.apply)
    yield "In PyTorch", "" if op.name in NOT_IN_PYTORCH else f"``torch.{name.removeprefix('sg.')}``"


def _derivative(op: Op, i: int) -> str:
    """The partial as the row's rule gives it; of a rule that takes care of edges or of rounding, the SymPy twin's."""
    text = partial(op, i)
    if "\n" not in text:
        return text
    import sympy

    return str(sg.from_sympy(sympy.simplify(sympy.diff(sympy.sympify(op.sympy), op.inputs[i]))))


def _example(name: str, op: Op) -> str:
    """An example that runs: values, and for what has a derivative the gradients and their formulas."""
    domains = op.domain if isinstance(op.domain, tuple) else (op.domain,) * len(op.inputs)
    smooth = op.kind != "constant"
    sources, options = [_EXAMPLES[domains[0]], *(_SECOND[d] for d in domains[1:])], ", requires_grad=True" * smooth
    lines = [f'{x} = sg.tensor({at}{options}, name="{x}")' for x, at in zip(op.inputs, sources, strict=True)]
    call = f"{name}({', '.join(op.inputs)})"
    if not smooth:
        return _run([*lines, call])
    grads = [f"g_{x}" for x in op.inputs] if len(op.inputs) > 1 else ["g"]
    left = ", ".join(grads) if len(grads) > 1 else "(g,)"
    right = f"({', '.join(op.inputs)})" if len(grads) > 1 else op.inputs[0]
    lines += [f"y = {call}", "y", f"{left} = sg.autograd.grad(y.sum(), {right}, create_graph=True)", ", ".join(grads)]
    if domains[0] != "complex" and not any("\n" in partial(op, i) for i in range(len(op.inputs))):
        lines.append(", ".join(f"{g}.formula()" for g in grads))
    return _run(lines)


def _run(lines: list[str]) -> str:
    """The lines as a doctest, with what they print."""
    space: dict[str, Any] = {"sg": sg}
    text = [">>> import symgrad as sg"]
    for line in lines:
        text.append(f">>> {line}")
        if " = " in line:
            exec(line, space)
        else:
            text.append(repr(eval(line, space)))
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    print(docstrings())

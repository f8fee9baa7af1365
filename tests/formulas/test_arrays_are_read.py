"""What a formula of a row of arrays prints is read back, in each notation: equal in numbers and shape, or refused."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers import rows as _rows

OF_ARRAYS = [
    op for op in _rows.SAMPLED
    if op.kind != "elementwise" and not _rows.is_draw(op)
    and all(np.asarray(a).dtype.kind == "f" for a in _rows.sample(op)[0])
]  # fmt: skip
NAMES = ("X", "Y", "Z", "W", "V", "U")

MORE = {
    "max": lambda x: sg.max(x, 1)[0], "columns": lambda x: sg.stack([x[0, :1], x[-1, -1:]]),
    "a row": lambda x: sg.stack([x[0, 0], x[-1, -1] ** 2])[None],
    "min of columns": lambda x: sg.min(x, 0, keepdim=True)[0],
    "max, kept": lambda x: sg.max(x, 1, keepdim=True)[0], "median": lambda x: sg.median(x, 1)[0],
    "median, kept": lambda x: sg.median(x, 1, keepdim=True)[0], "mode, kept": lambda x: sg.mode(x, 1, keepdim=True)[0],
    "all, kept": lambda x: sg.sum(x, (0, 1), keepdim=True), "zeros": lambda x: 0 * x, "in front": lambda x: x[None],
    "behind": lambda x: x[..., None], "between": lambda x: sg.exp(x)[:, None] * 3, "of rows": lambda x: x[:, :1],
    "twice": lambda x: x[:, None] + x[:, None] ** 2, "over": lambda x: 1 / x[None],
    "spread": lambda x: x.expand(2, *x.shape),
    "a number": lambda x: sg.ones(2, 1, 3) * x.sum(), "ones": lambda x: sg.ones_like(x),
    "norms": lambda x: sg.norm(x, dim=1, keepdim=True),
    "softmax": lambda x: sg.softmax(x[None], 2), "diagonals": lambda x: sg.diag_embed(x)[:, None],
    "kthvalue, kept": lambda x: sg.kthvalue(x, 1, 0, keepdim=True)[0], "beside": lambda x: x[None] + 2 * x[:, None],
}  # fmt: skip
SHAPES = {"numbers": (2, 3), "three": (2, 3, 4), "row": (3,), "names": ("m", "n"), "ones": (1, 3)}


def _first(found):
    return found[0] if isinstance(found, tuple) else found


def _assert_read(formula, form, shapes, values):
    """Whether the printed form is read; then it is what it was."""
    text = format(formula, form)
    try:
        again = sg.parse(text, dialect="latex" if form == "latex" else None, **shapes)
    except sg.ParseError:
        return
    if not again.free_symbols <= set(shapes):
        return
    sizes = dict(zip(shapes["X"], values["X"].shape)) if "m" in shapes["X"] else {}
    expected, found = (f(**{n: v for n, v in values.items() if n in f.free_symbols}, **sizes) for f in (formula, again))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, strict=True, err_msg=f"{text}\nread as\n{again}")


def _assert_all_read(function, shapes, values):
    symbols = [sg.symbol(n, s) for n, s in shapes.items()]
    for f in (function, lambda *a: (function(*a) ** 2).sum()):
        try:
            formula = sg.formula(f, *symbols)
            if f is not function:
                formula = formula.grad(next(iter(shapes)))
        except (sg.SymgradError, NotImplementedError):
            continue
        for form in ("ascii", "unicode", "latex"):
            _assert_read(formula, form, shapes, values)


@pytest.mark.parametrize("op", OF_ARRAYS, ids=lambda op: op.name)
def test_what_a_row_of_arrays_prints_is_read_back_or_refused(op):
    operands, params = _rows.sample(op)
    values = dict(zip(NAMES, map(np.asarray, operands)))
    f = lambda *a: _first(op.apply(a, *params) if op.variadic else op.apply(*a, *params))
    _assert_all_read(f, {n: v.shape for n, v in values.items()}, values)


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_function_of_an_array_prints_is_read_back_or_refused(name, shape):
    size = tuple({"m": 2, "n": 3}.get(n, n) for n in SHAPES[shape])
    values = np.random.default_rng(0).permutation(np.prod(size)).reshape(size) + 1.0
    _assert_all_read(MORE[name], {"X": SHAPES[shape]}, {"X": values})

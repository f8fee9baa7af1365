"""A program as a file: Python source that needs NumPy (and SciPy where its functions do), and tests itself.

The idea to hold: the file holds the program's own text, the arrays that the program takes as given, and one point with
its results, so that whoever runs it sees at once whether it still computes what it did.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .. import _limits
from ._source_module import Module
from ._survey import Unprogrammable
from ._variable_names import array_text, mentions, renamed

_TEST = '''

def _test():
    """Compare the results at one point with those of the day this was written."""
{before}    for _found, _truth in zip({call}, _results()):
        for _a, _b in zip(_found, _truth) if isinstance(_truth, tuple) else [(_found, _truth)]:
            np.testing.assert_allclose(np.asarray(_a), _b, rtol={rtol}, atol={rtol} * np.max(np.abs(_b), initial=0))
    print("{name}: as it should be")


if __name__ == "__main__":
    _test()
'''

_CHECK = """\
for _name, _given, _shape in ({checked}):
    if np.shape(_given) != _shape:
        _text = "%s has shape %s; this was written for %s: save it anew"
        raise ValueError(_text % (_name, np.shape(_given), _shape))"""


def written(
    path: Any, module: Module, values: dict[str, Any], given: dict[str, str], title: str, order: list[int],
    results: Any, compiled: Any = None, dtypes: list[list[np.dtype[Any]]] | None = None,
) -> None:  # fmt: skip
    """Write a program to ``path``; ``given`` are the arguments of its function and their names in the file, all else
    becomes part of it.

    ``order`` says which of its results (those of NumPy's program) comes where, ``dtypes`` what each part of these is
    returned in, ``compiled`` what Numba compiles (a `ScalarForm`, a `Nested`).
    """
    if not module.standalone:
        own = sorted([name.removeprefix("op_") for name in module.source.space])
        raise Unprogrammable("it calls operations that only symgrad has: " + ", ".join(own))
    if module.program.sparse:
        raise Unprogrammable("its matrix is sparse")
    if results is None:
        raise Unprogrammable("its results at this point are not finite")
    checked = "".join([f"({word!r}, {k}, {np.shape(values[k])}), " for k, word in given.items()]).rstrip()
    check, constants = _CHECK.format(checked=checked).splitlines(), {**values, **module.constants}
    constants |= {} if compiled is None else compiled.constants
    constants = {k: np.asarray(v) for k, v in constants.items() if k not in given}
    results, texts = tuple([results[k] for k in order]), [module.results[k] for k in order]
    if dtypes is not None:
        texts = [_brought(t, r, d) for t, r, d in zip(texts, results, dtypes, strict=True)]
        results = tuple([_with_dtypes(r, d) for r, d in zip(results, dtypes, strict=True)])
    if compiled is None:
        mentioned = module.written(list(given), [], texts)
        constants = {k: v for k, v in constants.items() if mentions(mentioned, k)}
        lines, arrays = module.beginning(list(given), constants)
        body = module.written(list(given), [*check, *lines], texts)
    else:
        body = compiled.shown(module.name, list(given), texts, check)
        arrays = {k: v for k, v in constants.items() if mentions(body, k)}
    arrays |= {f"_at_{name}": values[name] for name in given}
    arrays = {name: np.asarray(value) for name, value in arrays.items()}
    large: dict[str, np.ndarray] = {}
    imports = module.imports(f"{body}\nnp.testing\n{module.before_test}")
    head = [f'"""{title}: written by symgrad; run it to test it."""', "", *imports]
    if any(v.size > _limits.SAVED_ENTRIES for v in (*arrays.values(), *_flat(results))):
        head += ["from pathlib import Path"]
        head += ["", 'with np.load(Path(__file__).with_suffix(".npz")) as _file:', "    _data = dict(_file)"]
    defined = [f"{name} = {_array(name, value, large)}" for name, value in arrays.items()]
    test = _test(module, list(given), results, large)
    text = "\n".join([*head, "", *defined, "", "", body, *test])
    text = renamed(text, {**given, **{f"_at_{n}": f"_at_{word}" for n, word in given.items()}}, module.name)
    path = Path(path)
    if large:
        np.savez(path.with_suffix(".npz"), **large)  # type: ignore[arg-type]
    path.write_text(text, encoding="utf-8")


def _brought(text: str, result: Any, dtypes: list[np.dtype[Any]]) -> str:
    """The text of a result in the dtypes of its parts: a constant beside short floats makes others of them."""
    several = isinstance(result, tuple)
    parts, texts = (result, text[1:-1].split(", ")) if several else ((result,), [text])
    found = [
        t if np.asarray(p).dtype == d else f"np.asarray({t}, {d.name!r})[()]"
        for t, p, d in zip(texts, parts, dtypes, strict=True)
    ]
    return f"({', '.join(found)})" if several else found[0]


def _with_dtypes(result: Any, dtypes: list[np.dtype[Any]]) -> Any:
    if isinstance(result, tuple):
        return tuple([np.asarray(p, d) for p, d in zip(result, dtypes, strict=True)])
    return np.asarray(result, dtypes[0])


def _test(module: Module, given: list[str], results: Any, large: dict[str, np.ndarray]) -> list[str]:
    """The functions that compare the results at one point with those of today."""
    texts = []
    for k, value in enumerate(results):
        parts = value if isinstance(value, tuple) else (value,)
        inner = [_array(f"_result_{k}_{i}", np.asarray(p), large) for i, p in enumerate(parts)]
        texts.append(f"({', '.join(inner)},)" if isinstance(value, tuple) else inner[0])
    call = f"{module.name}({', '.join(f'_at_{n}' for n in given)})"
    short = any(np.finfo(v.dtype).eps > 1e-10 for v in _flat(results) if v.dtype.kind == "f")
    call, rtol = call if len(results) > 1 else f"[{call}]", 1e-4 if short else 1e-9
    test = _TEST.format(name=module.name, call=call, rtol=rtol, before=module.before_test)
    doc = '    """What came out at the point of the test."""'
    return ["", "def _results():", doc, f"    return ({', '.join(texts)},)", test]


def _flat(results: Any) -> list[np.ndarray]:
    return [np.asarray(p) for value in results for p in (value if isinstance(value, tuple) else (value,))]


def _array(name: str, value: np.ndarray, large: dict[str, np.ndarray]) -> str:
    """An array as source: written out if it is small, else by its name in the file beside."""
    if value.size > _limits.SAVED_ENTRIES:
        large[name] = value
        return f"_data[{name!r}]"
    return array_text(value)

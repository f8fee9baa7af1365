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
    results: Any, compiled: Any = None,
) -> None:  # fmt: skip
    """Write a program to ``path``; ``given`` are the arguments of its function and their names in the file, all else
    becomes part of it.

    ``order`` says which of its results (those of NumPy's program) comes where, ``compiled`` what Numba compiles (a
    `ScalarForm`, a `Fused`).
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
    constants = {k: np.asarray(v) for k, v in constants.items() if k not in given}
    if compiled is None:
        mentioned = module.written(list(given), [], order)
        constants = {k: v for k, v in constants.items() if mentions(mentioned, k)}
        lines, arrays = module.beginning(list(given), constants)
        body = module.written(list(given), [*check, *lines], order)
    else:
        body = compiled.shown(module.name, list(given), [module.results[k] for k in order], check)
        arrays = {k: v for k, v in constants.items() if mentions(body, k)}
    arrays |= {f"_at_{name}": values[name] for name in given}
    arrays = {name: np.asarray(value) for name, value in arrays.items()}
    results = tuple([results[k] for k in order])
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


def _test(module: Module, given: list[str], results: Any, large: dict[str, np.ndarray]) -> list[str]:
    """The functions that compare the results at one point with those of today."""
    texts = []
    for k, value in enumerate(results):
        parts = value if isinstance(value, tuple) else (value,)
        inner = [_array(f"_result_{k}_{i}", np.asarray(p), large) for i, p in enumerate(parts)]
        texts.append(f"({', '.join(inner)},)" if isinstance(value, tuple) else inner[0])
    call = f"{module.name}({', '.join(f'_at_{n}' for n in given)})"
    eps = np.finfo(np.result_type(np.float32, *_flat(results))).eps
    call, rtol = call if len(results) > 1 else f"[{call}]", 1e-9 if eps < 1e-10 else 1e-4
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

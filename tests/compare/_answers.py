"""What other libraries say, as data: a test compares symgrad with it on every machine, with that library or without.

A test gives what the other library does as a function of its module, and has what that returns, or raises:

    from ._answers import answer

    @pytest.mark.parametrize("name", ["sin", "exp"])
    def test_values(name):
        def run(lib):
            return getattr(lib, name)(lib.tensor([0.5, 1.0])).numpy()

        np.testing.assert_allclose(run(sg), answer("torch", run), rtol=1e-12)

The library is used nowhere else: no import of it, and no object of it in the parameters of a test. What comes back is
plain: None, numbers, text, NumPy's arrays (tensors are made such), and tuples, lists and dictionaries of these; what
else a test asks of a result (its class, whether it requires grad, the name of a dtype) the function itself returns.
An error that it raises is raised by ``answer``: of the same built-in class, or of a class of the same name and bases.

Answers lie in ``answers/`` by module, test, case and count of the call within the case; hence which calls a test
makes, and in which order, must hang neither on what symgrad returns nor on which libraries are here. An answer that
cases share, or that a module asks for while it is imported, has a name: ``answer("torch", run, name="losses")``, where
``run`` is a function of that module.

Where the library is missing, what is stored is the answer. Where it is installed, it is asked anew and must say what is
stored (to the rounding of another processor). ``python -m tests.compare.write_answers`` stores what they say now.
"""

import contextlib
import functools
import importlib
import importlib.util
import json
import lzma
import random
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ..helpers.cases import running, turn

FOLDER = Path(__file__).parent / "answers"
SEED = 0
"""Of the other libraries' random numbers (and Python's) in each call."""

TOLERANCE = {"d": 1e-10, "D": 1e-10, "f": 1e-5, "F": 1e-5, "e": 1e-2}
"""By a dtype's character: between processors, relative to a number, and to the largest of its array up to 1."""

FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 3, "pb": 3}]
"""For words of eight bytes."""

current = SimpleNamespace(turn=None, module=None, case=None, count=0)
"""Which case asks, and how many answers it has had."""

written = None
"""While answers are written: those of each module, by case, as encoded; None while they are read."""


def _begin(nodeid):
    """Say which case asks from here on: ``tests/compare/test_it.py::test_this[case]``."""
    file, _, current.case = nodeid.partition("::")
    current.turn, current.module, current.count = turn(), Path(file).stem, 0


def answer(peer, run, name=None, bits=None, near=None):
    """Return (or raise) what ``run`` does with a library's module, here as it was stored if that is not installed.

    PyTorch is in float64 and JAX has 64 bits; their random numbers begin with ``SEED``. Of numbers in float64 that are
    compared to 1e-9, ``bits=40`` suffice, and files are smaller by a quarter. What is sought in steps until
    they are small may differ between processors by ``near``, relatively.
    """
    if name is None:
        assert turn() is not None, "while a module is imported an answer has a name"
        if current.turn != turn():
            _begin(running())
        module, case, place = current.module, current.case, current.count
        current.count += 1
    else:
        module, case, place = Path(run.__globals__["__file__"]).stem, name, 0
    stored = _stored(module, case, place, peer)
    if installed(peer):
        new = [peer, _said(peer, run, bits)]
        if stored is None and written is None:
            pytest.fail(f"no answer is stored {_how_to_write(module, case, place)}")
        difference = "" if stored is None else _difference(decode(new[1]), decode(stored[1]), near)
        if difference and written is None:
            pytest.fail(
                f"{peer} {version(peer)} does not say what it said ({peer} {_file(module)['versions'].get(peer)}): "
                f"{difference} {_how_to_write(module, case, place)}"
            )
        if difference or stored is None:
            stored = new
    elif stored is None:
        pytest.fail(f"{peer} is not installed, and no answer is stored {_how_to_write(module, case, place)}")
    if written is not None:
        answers = written.setdefault(module, {}).setdefault(case, [])
        answers[place:] = [stored]
    said = decode(stored[1])
    if isinstance(said, Exception):
        raise said
    return said


def _how_to_write(module, case, place):
    return (
        f"({module}::{case}, answer {place}); with the libraries of the extra `compare`: "
        f"python -m tests.compare.write_answers tests/compare/{module}.py"
    )


def _stored(module, case, place, peer):
    answers = _file(module)["answers"].get(case, [])
    if place < len(answers) and answers[place][0] == peer:
        return answers[place]
    return None


@functools.cache
def _file(module):
    path = FOLDER / f"{module}.xz"
    return _unpacked(lzma.decompress(path.read_bytes())) if path.exists() else {"versions": {}, "answers": {}}


# The libraries -------------------------------------------------------------------------------------------------------


@functools.cache
def installed(peer):
    return importlib.util.find_spec(peer) is not None


def version(peer):
    return importlib.import_module(peer).__version__


@functools.cache
def _module(peer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a library says of its own imports
        module = importlib.import_module(peer)
        if peer == "torch":
            importlib.import_module("torch.utils.checkpoint")  # torch does not import it by itself
            module.set_num_threads(1)  # the same sums on every machine
    return module


@contextlib.contextmanager
def _settings(peer, module):
    state = random.getstate()
    random.seed(SEED)
    if peer == "torch":
        before = module.get_default_dtype()
        module.set_default_dtype(module.float64)
        module.manual_seed(SEED)
    elif peer == "jax":
        before = module.config.jax_enable_x64
        module.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        random.setstate(state)
        if peer == "torch":
            module.set_default_dtype(before)
        elif peer == "jax":
            module.config.update("jax_enable_x64", before)


def _said(peer, run, bits):
    module = _module(peer)
    with _settings(peer, module):
        try:
            value = run(module)
        except Exception as error:
            return _encoded_error(error)
        return encode(value, bits)


# Answers as JSON -----------------------------------------------------------------------------------------------------


def encode(value, bits=None):
    """Return a value as JSON has it, but for bytes; what JSON lacks is a dictionary of one entry, which says what."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, tuple):
        return {"tuple": [encode(v, bits) for v in value]}
    if isinstance(value, list):
        return [encode(v, bits) for v in value]
    if isinstance(value, dict):
        return {"dict": [[encode(k), encode(v, bits)] for k, v in value.items()]}
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "_is_zerotensor"):
        value = value.detach()
        value = (value + 0 if value._is_zerotensor() else value).numpy(force=True)
    elif type(value).__module__.partition(".")[0] in ("jax", "jaxlib", "casadi"):
        value = np.asarray(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "?biufc":
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        numbers = np.asarray(value, value.dtype.newbyteorder("<"), order="C")
        if bits is not None and numbers.dtype.char in "dD":
            fractions, exponents = np.frexp(np.atleast_1d(numbers).view(np.float64))
            numbers = np.ldexp(np.rint(np.ldexp(fractions, bits)), exponents - bits).view(numbers.dtype)
        return {kind: [numbers.dtype.str, list(value.shape), numbers.tobytes()]}
    raise TypeError(f"an answer is plain data, and a {type(value)} is not: {value!r:.100}")


def decode(value):
    """Return what ``encode`` was given, in new arrays; an error as one that may be raised."""
    if isinstance(value, list):
        return [decode(v) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, of),) = value.items()
    if kind == "complex":
        return complex(*of)
    if kind == "tuple":
        return tuple(decode(v) for v in of)
    if kind == "dict":
        return {decode(k): decode(v) for k, v in of}
    if kind == "error":
        return _class(*of[0])(*of[1])
    dtype, shape, data = of
    array = np.frombuffer(data, dtype).reshape(shape).astype(np.dtype(dtype).newbyteorder("="))
    return array if kind == "array" else array[()]


def _packed(content):
    """Return JSON, in which bytes are places in what follows it, so that equal numbers lie at equal places of words."""
    parts, places, size = [], {}, 0

    def place(data):
        nonlocal size
        if data not in places:
            places[data] = [size, len(data)]
            parts.append(data + bytes(-len(data) % 8))
            size += len(parts[-1])
        return {"bytes": places[data]}

    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=place).encode()
    return b"".join([text, b" " * (-(len(text) + 1) % 8), b"\0", *parts])


def _unpacked(packed):
    text, _, data = packed.partition(b"\0")

    def part(found):
        start, length = found.get("bytes", (0, None))
        return found if length is None else data[start : start + length]

    return json.loads(text, object_hook=part)


def _encoded_error(error):
    names = [f"{c.__module__}.{c.__qualname__}" for c in type(error).__mro__]
    plain = names[0].startswith("builtins.") and all(type(a) in (str, int) for a in error.args)
    said = error.args if plain else [str(error)]
    return {"error": [names, [_of_no_machine(a) if type(a) is str else a for a in said]]}


def _of_no_machine(text):
    """Without addresses of objects and without where packages and tests lie; sets of words in order."""
    text = re.sub(
        r"\{('[^'{}]*'(?:, '[^'{}]*')*)\}", lambda words: f"{{{', '.join(sorted(words[1].split(', ')))}}}", text
    )
    text = re.sub(r"\b0x[0-9a-f]{6,}", "0x0", text)
    return re.sub(r"""[^\s"'(<]*/(?=site-packages/|tests/compare/|lib/python3)""", "", text)


@functools.cache
def _class(*names):
    """The class of an error by its name and those of its bases; of another library's, one that stands for it."""
    module, _, own = names[0].rpartition(".")
    if module.partition(".")[0] in ("builtins", "numpy"):
        return getattr(importlib.import_module(module), own)
    return type(own, (_class(*names[1:]),), {"__module__": module, "__str__": lambda self: self.args[0]})


def _difference(new, stored, near=None, where="it"):
    """Say where two answers differ by more than rounding, or nothing."""
    if isinstance(new, float | complex) and type(new) is type(stored):
        new, stored = np.asarray(new), np.asarray(stored)
    if type(new) is not type(stored):
        return f"{where} is {new!r:.300}, and was {stored!r:.300}"
    if isinstance(new, Exception):
        return "" if str(new) == str(stored) else f"{where} raises {new!r:.600}, and raised {stored!r:.600}"
    if isinstance(new, np.ndarray | np.generic):
        return _difference_of_arrays(np.asarray(new), np.asarray(stored), near, where)
    if isinstance(new, dict):
        if list(new) != list(stored):
            return f"{where} has the keys {list(new)!r:.300}, and had {list(stored)!r:.300}"
        new, stored, keys = list(new.values()), list(stored.values()), list(new)
    elif isinstance(new, tuple | list):
        if len(new) != len(stored):
            return f"{where} has {len(new)} parts, and had {len(stored)}"
        keys = range(len(new))
    else:
        return "" if new == stored else f"{where} is {new!r:.300}, and was {stored!r:.300}"
    return next(filter(None, (_difference(a, b, near, f"{where}[{k!r}]") for k, a, b in zip(keys, new, stored))), "")


def _difference_of_arrays(new, stored, near, where):
    if new.dtype != stored.dtype or new.shape != stored.shape:
        return f"{where} is of {new.dtype} {new.shape}, and was of {stored.dtype} {stored.shape}"
    if new.tobytes() == stored.tobytes():
        return ""
    tolerance = near or TOLERANCE.get(new.dtype.char, 0)
    with np.errstate(all="ignore"):
        # at least a thousandth: of ones that cancel rounding is left, and another processor rounds otherwise
        scale = min(1.0, float(np.max(np.abs(stored), where=np.isfinite(stored), initial=1e-3)))
        same = (new == stored) | (abs(new - stored) <= tolerance * (abs(stored) + scale) if tolerance else False)
    if new.dtype.kind in "fc":
        same |= np.isnan(new) & np.isnan(stored)
    same = np.asarray(same)
    if same.all():
        return ""
    place = tuple(int(i[0]) for i in np.nonzero(~same)) if same.ndim else ()
    return f"{where}{list(place) or ''} is {new[place]!r}, and was {stored[place]!r}"


# Writing -------------------------------------------------------------------------------------------------------------


def save(module):
    """Store what a module's tests were told, and nothing else; return what changed, in words, or nothing."""
    answers, before = written.get(module, {}), _file(module)
    path = FOLDER / f"{module}.xz"
    if not answers:
        path.unlink(missing_ok=True)
        return f"{module}: {len(before['answers'])} cases removed, with the file" if before["answers"] else ""
    peers = {"numpy", *(peer for said in answers.values() for peer, _ in said)}
    versions = {p: version(p) if installed(p) else before["versions"].get(p) for p in sorted(peers)}
    content = {"versions": versions, "seed": SEED, "answers": answers}
    if content == before:
        return ""
    packed = _packed(content)
    for place in (str(Path.home()), sys.prefix, str(Path.cwd())):
        if len(place) > 4 and place.encode() in packed:
            raise ValueError(f"{module}: an answer names a place of this machine: {place}")
    FOLDER.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress(packed, filters=FILTERS))
    kinds = {
        "new": answers.keys() - before["answers"].keys(),
        "removed": before["answers"].keys() - answers.keys(),
        "changed": {c for c in answers.keys() & before["answers"].keys() if answers[c] != before["answers"][c]},
    }
    counts = ", ".join(f"{len(cases)} {kind}" for kind, cases in kinds.items() if cases) or "other versions"
    named = [f"  {kind}: {case}" for kind in ("changed", "removed") for case in sorted(kinds[kind])[:20]]
    return "\n".join([f"{module}: {counts}, of {len(answers)} cases; {path.stat().st_size / 1000:.1f} kB", *named])

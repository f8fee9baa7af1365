"""Every function of NumPy's and SciPy's ufuncs, with a tensor that requires grad in every place that takes an array.

A call that arrays take either raises, or records and then has NumPy's value and the slope of finite differences, or
its result does not depend on that argument: it is constant on pieces. Nothing loses a derivative without a word.
"""

import difflib
import inspect
import itertools
import warnings

import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg
import symgrad.numpy

from ..helpers.cases import one_in

HOMES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.lib.stride_tricks": np.lib.stride_tricks, "sc": sc}
WRITES_FILES = {
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "fromfile", "genfromtxt", "fromregex", "test",
    "show_config", "show_runtime", "info", "set_printoptions", "setbufsize", "seterr", "seterrcall", "printoptions",
    "get_include", "geterr",
}  # fmt: skip
IN_PLACE = {"np.copyto", "np.put", "np.place", "np.putmask", "np.fill_diagonal", "np.put_along_axis"}
UNCOMPARED = {
    "sc.boxcox": "at 0 its slope by the power is 0 times infinity, NaN: sc.boxcox has the limit",
    "sc.gdtr": "a rate of 0 is none: its slope there is NaN",
    "sc.gdtrc": "the same",
    "sc.elliprc": "beyond its cut SciPy has a principal value, which has no derivative here: NaN",
    "np.empty_like": "its entries are whatever was in memory",
    "np.logical_and": "of a list of numbers that are differentiated NumPy gives one of them, as Python's and does",
    "np.logical_or": "the same",
    "np.interp": "its places must increase, which those below do not",
    "np.rot90": "a number of quarter turns is whole",
    "np.linalg.pinv": "a cutoff among the singular values leaves some out",
}


def matrix(k):
    return np.sin(np.arange(1.0, 10.0) * (1.3 + 0.29 * k)).reshape(3, 3) + 4 * np.eye(3)


def candidates(k, symmetric=False):
    """The arguments to be tried in place ``k``: no two places get the same numbers, so there are no ties."""
    v = np.array([[0.52, 0.87, 0.33, 0.71], [0.46, 0.23, 0.94, 0.62], [0.81, 0.38, 0.57, 0.26]][k % 3])
    A = matrix(k) + symmetric * matrix(k).T
    return {"v": v, "A": A, "n": np.array(0.61 + 0.07 * k), "k": np.array([2, 0, 1, 0]), "1": 1, "[v]": [v],
            "m": np.array([True, False, True, True]), "[v, w]": [v, v[::-1] ** 2], "(2, 3)": (2, 3)}  # fmt: skip


def functions():
    for home, module in HOMES.items():
        for name in sorted(dir(module)):
            function = getattr(module, name)
            wanted = isinstance(function, np.ufunc) if home == "sc" else callable(function)
            if wanted and not isinstance(function, type) and not name.startswith("_") and name not in WRITES_FILES:
                yield f"{home}.{name}", function


def calls(function, symmetric):
    """Positional arguments, and the name of the last if it goes by name, of which arrays may be a call."""
    counts = [function.nin] if isinstance(function, np.ufunc) else [1, 2, 3]
    short = []
    for n in counts:
        if n > 3:
            continue
        names = [list(candidates(0)), ["v", "A", "n", "k", "1", "[v]"], ["v", "A", "k"]][n - 1]
        for chosen in itertools.product(names, repeat=n):
            arguments = [candidates(k, symmetric)[c] for k, c in enumerate(chosen)]
            yield arguments, None
            short += [arguments] if n < 3 else []
    if isinstance(function, np.ufunc):
        return
    try:
        named = [p.name for p in inspect.signature(function).parameters.values() if p.kind in (1, 3)]
    except ValueError:
        return
    works = [a for a in short if plain(function, a, None) is not None][:6]
    for name, arguments in itertools.product(named, works):
        if name not in ("out", "dtype", "like", "device", "order"):
            yield from (([*arguments, candidates(2)[c]], name) for c in ("v", "A", "n", "k", "m", "1"))


def own(a):
    return [u.copy() for u in a] if isinstance(a, list) else a.copy() if isinstance(a, np.ndarray) else a


def run(function, arguments, name, full_name=""):
    head, kwargs = (arguments, {}) if name is None else (arguments[:-1], {name: arguments[-1]})
    result = function(*head, **kwargs)
    return arguments[0] if full_name in IN_PLACE else result


def plain(function, arguments, name, full_name=""):
    """The numbers of a result of arrays, in one row; None where there is no such call."""
    try:
        return numbers(run(function, [own(a) for a in arguments], name, full_name))
    except Exception:
        return None


def leaves(result):
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves(part)]
    kinds = (sg.Tensor, np.ndarray, np.generic, int, float, complex)
    return [result] if isinstance(result, kinds) or hasattr(result, "requires_grad") else []


def together(result):
    """Results with arrays for NumPy's arrays of objects, whose entries are differentiated."""
    if isinstance(result, (list, tuple)):
        return [together(part) for part in result]
    is_objects = isinstance(result, np.ndarray) and result.dtype == object
    if not is_objects:
        return result
    array = symgrad.numpy.asarray(np.asarray(result))
    return array if is_differentiated(array) else np.asarray(array, float)


def is_differentiated(result):
    return bool(getattr(result, "requires_grad", False))


def numbers(result):
    arrays = [np.asarray(r.detach() if hasattr(r, "requires_grad") else r) for r in leaves(result)]
    rows = [a.astype(complex).reshape(-1) for a in arrays if a.dtype.kind in "fciub"]
    return np.concatenate(rows) if rows else np.zeros(0)


def is_float(a):
    return isinstance(a, np.ndarray) and a.dtype.kind == "f"


def variables(arguments):
    """(the array, a function that puts another in its place) for every array of floats among the arguments."""
    for i, a in enumerate(arguments):
        if is_float(a):
            yield a, lambda new, i=i: [*arguments[:i], new, *arguments[i + 1 :]]
        for j, part in enumerate(a if isinstance(a, list) else []):
            yield part, lambda new, i=i, j=j, a=a: [*arguments[:i], [*a[:j], new, *a[j + 1 :]], *arguments[i + 1 :]]


def recorded(function, x, replace, name, full_name, tensors):
    """The result with a tensor in place of ``x``, inside a transform, the gradient, and per part of the result whether
    it records; None where that raises. (What the function wrote to is a plain value afterwards.)"""
    found, records = [], []

    def f(t):
        arguments = [a if a is t else own(a) for a in replace(t)] if not tensors else replace(t)
        found.append(together(run(function, arguments, name, full_name)))
        records[:] = [is_differentiated(p) for p in leaves(found[0])]
        parts = [p for p, records_it in zip(leaves(found[0]), records, strict=True) if records_it]
        total = (t * 0).sum()
        for p in parts:
            weights = np.cos(np.arange(p.numel())).reshape(p.shape)
            total = total + (weights * (p.real if p.is_complex() else p)).sum()
        return total

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "Converting a tensor")  # a number that is taken is said, too
        try:
            slope = sg.grad(f)(x)
        except Exception as error:
            if found and not isinstance(error, sg.GradientError):  # np.array_equal holds what it cannot compare unequal
                raise
            return None
    return found[0], slope, records


def slope_of_numbers(function, x, direction, replace, name, full_name, records):
    """The directional derivative of the parts that record, weighed as above, by differences; None at a border."""
    ends = []
    for h in (1e-6, -1e-6):
        try:
            result = leaves(run(function, [own(a) for a in replace(x + h * direction)], name, full_name))
        except Exception:
            return None
        if len(result) != len(records):
            return None
        rows = [np.asarray(r).reshape(-1) for r, records_it in zip(result, records, strict=True) if records_it]
        ends.append(sum((np.cos(np.arange(r.size)) * r.real).sum() for r in rows))
    return (ends[0] - ends[1]) / 2e-6


def examine(full_name, function, arguments, name, want):
    for x, replace in variables(arguments):
        direction = np.resize([0.3, -0.7, 0.5, 0.9, -0.2], x.shape)
        direction = direction + direction.T if full_name.startswith("np.linalg.") and x.ndim == 2 else direction
        sides = [plain(function, replace(x + h * direction), name, full_name) for h in (1e-6, -1e-6)]
        if any(side is None or side.shape != want.shape for side in sides):
            continue
        for tensors in (False, True):
            put = replace if not tensors else lambda t, replace=replace: beside(replace, t)
            outcome = recorded(function, x, put, name, full_name, tensors)
            if outcome is None or outcome[0] is None:
                continue
            result, slope, records = outcome
            if not any(records):
                assert np.array_equal(*sides, equal_nan=True), f"lost: {arguments}, {name}"
                continue
            np.testing.assert_allclose(numbers(result), want, 1e-9, 1e-12, err_msg=f"{arguments}, {name}")
            expected = slope_of_numbers(function, x, direction, replace, name, full_name, records)
            if expected is not None and np.isfinite(expected):
                found = (slope * direction).sum()
                assert abs(found - expected) <= 2e-4 * (1 + abs(expected)), f"{arguments}, {name}: {found} {expected}"


def beside(replace, t):
    """The arguments with ``t`` put in, the other arrays of floats as tensors without a gradient."""
    return [[u if u is t else sg.tensor(u) for u in a] if isinstance(a, list) else sg.tensor(a) if is_float(a) else a
            for a in replace(t)]  # fmt: skip


def repaired(name, arguments, want):
    """NumPy's and SciPy's result, but for what is known to be wrong in it."""
    if name == "sc.stdtrit":  # SciPy's quantile of level 0 is +inf (tests/scipy/test_student_quantile.py)
        levels = np.broadcast_arrays(*arguments)[1].reshape(-1)
        return np.where(levels == 0, -np.inf, want) if levels.shape == want.shape else want
    return want


FUNCTIONS = [pytest.param(n, f, id=n) for n, f in functions() if n not in UNCOMPARED]


@pytest.mark.filterwarnings("ignore")
@one_in(24)
@pytest.mark.parametrize(("name", "function"), FUNCTIONS)
def test_a_derivative_is_right_or_refused_and_never_lost(name, function, monkeypatch):
    # refusals name functions near in name (see test_numpy_messages.py): here that would take half of the time
    monkeypatch.setattr(difflib, "get_close_matches", lambda *_: [])
    with np.errstate(all="ignore"):
        for arguments, by_name in calls(function, name.startswith("np.linalg.")):
            want = plain(function, arguments, by_name, name)
            if want is not None:
                examine(name, function, arguments, by_name, repaired(name, arguments, want))


def test_the_sweep_sees_a_derivative_that_is_lost():
    def careless(x):
        return np.asarray(x.detach()) ** 2 if hasattr(x, "detach") else x**2

    with pytest.raises(AssertionError, match="lost"):
        examine("careless", careless, [candidates(0)["v"]], None, numbers(candidates(0)["v"] ** 2))

"""What users may do around a derivative that is asked for many times, and the run follows: so does its program."""

import copy
import functools
import gc
import linecache
import math
import sys
import threading
import types
import weakref
from collections import OrderedDict

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms import repeated

CALLS = 6
NEVER = 10**9
ALL = (sg.grad, sg.value_and_grad, sg.hessian)
X = np.array([1.5, 2.0, 3.0])
INDEX = np.array([0, 1, 2])
FIVE = np.array([0.3, -0.7, 0.6, 1.1, -0.5])


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", CALLS)
    monkeypatch.setattr(repeated, "_of_functions", OrderedDict())  # no counts of other tests


def ready(derivative, *args):
    """The derivative after so many calls that it is a program, if it gets one."""
    for _ in range(CALLS + 2):
        derivative(*args)
    return derivative


def run(transform, f, *args, **options):
    """What the run gives: a new function is asked for the first time."""
    if type(f) is types.FunctionType:
        f = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    return transform(f, **options)(*args)


def outcome(call, *args):
    """The last result, or the kind of the error."""
    try:
        found = call(*args)
    except Exception as error:
        return type(error)
    return found


def assert_as_run(transform, f, first, *others, rtol=1e-7, **options):
    """At other arguments, a derivative that had many calls gives what the run gives."""
    derivative = ready(transform(f, **options), *first)
    for args in (first, *others):
        with np.errstate(all="ignore"):
            found, truth = outcome(derivative, *args), outcome(lambda *a: run(transform, f, *a, **options), *args)
        if isinstance(truth, type) or isinstance(found, type):
            assert found is truth
            continue
        for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, truth)), strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=0)


# ---------------------------------------------------------------------------------------------- arguments of every kind


def loop_of_indices(x, k):
    total = 0.0
    for j in k:
        total = total + x[j] ** 3
    return total


def unpacked_indices(x, k):
    a, b, c = k
    return x[a] ** 2 * x[b] + x[c] ** 3


ITERATED = {
    "for j in k": loop_of_indices, "a, b, c = k": unpacked_indices, "list(k)": lambda x, k: (x[list(k)] ** 3).sum(),
    "x[..., j]": lambda x, k: sum([x[..., j] ** 3 for j in k]),
    "rows": lambda x, k: sum([(np.outer(x, x)[j] ** 2).sum() for j in k]),
    "unbind": lambda x, k: sum([x[j] ** 3 for j in sg.unbind(k)]),
}  # fmt: skip


@pytest.mark.parametrize("transform", ALL)
@pytest.mark.parametrize("name", ITERATED)
def test_indices_of_an_argument_that_is_iterated_over(name, transform):
    assert_as_run(transform, ITERATED[name], (FIVE, INDEX), (FIVE, np.array([4, 3, 2])))


def test_compile_follows_them():
    compiled = sg.compile(loop_of_indices, "g")
    compiled(FIVE, INDEX)
    np.testing.assert_allclose(compiled(FIVE, INDEX + 2), run(sg.grad, loop_of_indices, FIVE, INDEX + 2))


@pytest.mark.parametrize("f", [lambda x, k: (np.take_along_axis(x, k, 0) ** 3).sum(),
                               lambda x, k: (sg.take_along_dim(x, k, 0) ** 3).sum()])  # fmt: skip
def test_negative_indices(f):
    assert_as_run(sg.hessian, f, (FIVE, INDEX), (FIVE, np.array([-1, 0, -1])))


@pytest.mark.parametrize("k", [[5, 0, 0], [-6, 0, 0]])
def test_indices_out_of_range_are_an_error(k):
    f = lambda x, k: (x[k[:, None]] * x[k[None, :]]).sum()
    assert_as_run(sg.hessian, f, (FIVE, INDEX), (FIVE, np.array(k)))


@pytest.mark.parametrize("f", [lambda x, k: (sg.gather(x, 0, k) ** 3).sum(),
                               lambda x, k: (sg.index_select(x, 0, k) ** 3).sum(),
                               lambda x, k: (sg.scatter_add(x, 0, k, x[:3] ** 2) ** 2).sum(),
                               lambda x, k: (sg.index_add(x, 0, k, x[:3] ** 2) ** 2).sum()])  # fmt: skip
def test_indices_that_the_run_refuses_are_refused(f):
    assert_as_run(sg.grad, f, (FIVE, INDEX), (FIVE, np.array([-1, 0, -1])))


def test_the_error_of_an_index_is_the_runs():
    assert_as_run(sg.grad, lambda x, k: (x[k] ** 3).sum(), (FIVE, INDEX), (FIVE, np.array([5, 0, 0])))


def of_an_array():
    turn, batches = np.zeros(1, int), np.arange(1.0, 5.0)

    def f(x):
        turn[0] = (turn[0] + 1) % 4
        return batches[turn[0]] * (x**2).sum()

    return f


def of_a_dictionary():
    state, batches = {"turn": 0}, [1.0, 2.0, 3.0, 4.0]

    def f(x):
        state["turn"] = (state["turn"] + 1) % 4
        return batches[state["turn"]] * (x**2).sum()

    return f


def of_a_list():
    batches = [1.0, 2.0, 3.0, 4.0]

    def f(x):
        batches.insert(0, batches[3])
        del batches[4]
        return batches[0] * (x**2).sum()

    return f


@pytest.mark.parametrize("make", [of_an_array, of_a_dictionary, of_a_list])
def test_a_state_that_cycles_is_not_moved(make, monkeypatch):
    """Batches in turn, of which the number divides 32: at call 64 the state is that of call 32; no program comes of it,
    but from there on all are of another batch."""
    monkeypatch.setattr(_limits, "REPEATED", 64)
    found = sg.grad(make())
    monkeypatch.setattr(_limits, "REPEATED", NEVER)
    truth = sg.grad(make())
    assert [found(np.ones(1))[0] for _ in range(80)] == [truth(np.ones(1))[0] for _ in range(80)]


def counts_in_argument(x, count):
    count += 1
    return count[0] * (x**2).sum()


def fills_argument(x, buffer):
    np.copyto(buffer, 7.0)
    return (x**2).sum()


def adds_at_argument(x, buffer):
    np.add.at(buffer, [0, 1], 1.0)
    return (x**2).sum()


def branches_and_counts(x, count):
    count[0] += 1
    return (x**2).sum() if x[0] > 0 else x.sum()


@pytest.mark.parametrize("transform", ALL)
@pytest.mark.parametrize("f", [counts_in_argument, fills_argument, adds_at_argument, branches_and_counts])
def test_arguments_that_the_function_writes_to(f, transform, monkeypatch):
    found, given = transform(f), np.zeros(3)
    monkeypatch.setattr(_limits, "REPEATED", NEVER)
    truth, known = transform(f), np.zeros(3)
    for k in range(3 * CALLS):
        if f is fills_argument:
            given[:] = known[:] = k
        a, b = found(X, given), truth(X, known)
        np.testing.assert_array_equal(given, known)
        np.testing.assert_allclose(a[-1], b[-1])


LISTED = []


def counts_seldom(x, count):
    if x[0] < 0:
        count[0] += 1
    return (1 + count[0]) * (x**2).sum()


def lists_seldom(x):
    listed = LISTED
    if x[0] < 0:
        listed += [1]
    return (1 + len(LISTED)) * (x**2).sum()


def adds_seldom(x, count):
    if x[0] < 0:
        np.add(count, 1, out=count)
    return ((1 + count) * x**2).sum()


def adds_always(x, count):
    np.add.at(count, [0], 1.0)
    return (count * x**3).sum()


WRITING = {
    "an array": lambda kept: lambda x, given: counts_seldom(x, kept),
    "an argument": lambda kept: counts_seldom,
    "a list": lambda kept: lambda x, given: lists_seldom(x),
    "out=": lambda kept: lambda x, given: adds_seldom(x, kept),
    "always": lambda kept: lambda x, given: adds_always(x, kept),
}


@pytest.mark.parametrize("large", [2, 0])
@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("transform", ALL)
def test_a_way_that_writes_writes_once(transform, name, large, monkeypatch):
    """A way that Python takes for the first time is run before it is traced, also where the program is due; and an
    array that is written to is no input."""
    monkeypatch.setattr(_limits, "REPEATED_CONSTANT", large)
    found = {}
    for calls in (CALLS, NEVER):
        monkeypatch.setattr(_limits, "REPEATED", calls)
        monkeypatch.setattr(_limits, "REPEATED_MS", calls)
        LISTED.clear()
        kept, given, found[calls] = np.zeros(3), np.zeros(3), []
        derivative = transform(WRITING[name](kept))
        for k in range(1, 8 * CALLS):
            result = derivative(-X if k in (CALLS, 5 * CALLS, 5 * CALLS + 2) else X, given)
            found[calls].append((result[-1].tolist(), kept[0], given[0], len(LISTED)))
    assert found[CALLS] == found[NEVER]


TEXTS = {
    "str": lambda x: (2.0 if "-" in str(x) else 1.0) * (x**2).sum(),
    "f-string": lambda x: (2.0 if "-" in f"{x}" else 1.0) * (x**2).sum(),
    "with a format": lambda x: (2.0 if "-" in f"{x[0]:.1f}" else 1.0) * (x**2).sum(),
    "percent": lambda x: (2.0 if "-" in "%s" % x else 1.0) * (x**2).sum(),  # noqa: UP031
    "repr": lambda x: (2.0 if "-" in f"{x!r}" else 1.0) * (x**2).sum(),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_hangs_on_the_text_of_a_value(name):
    assert_as_run(sg.grad, TEXTS[name], (X + 4,), (-X,))


WRAPPED = {
    "k - 1": (lambda x, k: (x**2 * (k - 1)).sum(), np.uint8, [3, 2, 1], [0, 1, 2]),
    "k * k": (lambda x, k: (x**2 * (k * k)).sum(), np.int8, [0, 1, 2], [100, 50, 7]),
    "k**2": (lambda x, k: (x**2 * k**2).sum(), np.uint8, [0, 1, 2], [100, 50, 7]),
    "-k": (lambda x, k: (x**2 * -k).sum(), np.int8, [0, 1, 2], [-128, 1, 2]),
    "k @ k": (lambda x, k: (x**2).sum() * (k @ k), np.int8, [0, 1, 2], [100, 50, 7]),
    "differences": (lambda x, k: (x[1:] ** 2 * np.diff(k)).sum(), np.uint8, [0, 1, 2], [2, 1, 0]),
    "of 64 bits": (lambda x, k: (x**2 * (k - 1)).sum(), np.uint64, [3, 2, 1], [0, 1, 2]),
    "of truth values": (lambda x, k: (x[1:] ** 2 * np.diff(k)).sum(), bool, [0, 0, 1], [1, 1, 0]),
    "float16": (lambda x, k: (x**2 * (k * k * k)).sum(), np.float16, [1, 2, 3], [100, 2, 1]),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_whole_numbers_of_an_argument_wrap_around(name):
    f, dtype, first, other = WRAPPED[name]
    assert_as_run(sg.grad, f, (X, np.array(first).astype(dtype)), (X, np.array(other).astype(dtype)))


W = np.arange(1.0, 7.0)
ORDERS = {
    "np.ravel K": lambda a: (np.ravel(a, "K") * W).sum() ** 2, "ravel A": lambda a: (a.ravel("A") * W).sum() ** 2,
    "reshape A": lambda a: (np.reshape(a, -1, order="A") * W).sum() ** 2,
    "a global": lambda a: (a.ravel(ORDER) * W).sum() ** 2, "a default": lambda a, o="K": (a.flatten(o) * W).sum() ** 2,
    "options": lambda a: (a.ravel(**OPTIONS) * W).sum() ** 2, "copy": lambda a: (a.copy("K").ravel("K") * W).sum() ** 2,
    "like": lambda a: ((np.zeros_like(a) + a).ravel(ORDER) * W).sum() ** 2,
}  # fmt: skip
ORDER, OPTIONS = "K", {"order": "A"}
LAYOUTS = {
    "Fortran": np.asfortranarray, "columns with gaps": lambda a: np.repeat(np.asfortranarray(a), 2, 1)[:, ::2],
    "rows with gaps": lambda a: np.repeat(a, 2, 0)[::2], "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "columns backwards": lambda a: np.asfortranarray(a[::-1, ::-1])[::-1, ::-1],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*its program and the tape disagree:RuntimeWarning")  # where there are gaps
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ORDERS)
def test_the_memory_order_of_an_argument(name, layout):
    a = np.arange(6.0).reshape(2, 3)
    other = LAYOUTS[layout](a)
    np.testing.assert_array_equal(other, a)
    try:
        run(sg.grad, ORDERS[name], other)
    except sg.ShapeError as error:
        assert "of an array that is not contiguous" in str(error)
        for again in (ready(sg.grad(ORDERS[name]), a), sg.compile(ORDERS[name], "g")):
            again(a)
            with pytest.raises(sg.ShapeError, match="of an array that is not contiguous"):
                again(other)
        return
    assert_as_run(sg.grad, ORDERS[name], (a,), (other,))
    assert_as_run(sg.grad, ORDERS[name], (other,), (a,))
    assert_as_run(sg.grad, lambda x, a: ORDERS[name](a) * x, (np.ones(()), a), (np.ones(()), other))
    for outputs in ("f", "g"):
        compiled, fresh = (
            sg.compile(ORDERS[name], outputs),
            {"f": lambda b: ORDERS[name](b), "g": sg.grad(ORDERS[name])},
        )
        for b in (a, other, a, other, LAYOUTS["Fortran"](a), other, a, sg.tensor(other), sg.tensor(a), other, a):
            found = compiled(b)
            np.testing.assert_allclose(np.asarray(found), np.asarray(fresh[outputs](b)))


# -------------------------------------------------------------------------------------------------------------- changes


def tuned(x):
    return x**2


HALF = functools.partial(tuned)


@pytest.mark.parametrize("carrier", [tuned, HALF], ids=["function", "partial"])
def test_an_attribute_that_was_not_there(carrier):
    def f(x):
        try:
            k = carrier.factor
        except AttributeError:
            k = 1.0
        return (k * carrier(x)).sum()

    g = ready(sg.grad(f), X)
    np.testing.assert_allclose(g(X), 2 * X)
    try:
        carrier.factor = 5.0
        np.testing.assert_allclose(g(X), 10 * X)
        carrier.factor = 7.0
        np.testing.assert_allclose(g(X), 14 * X)
        del carrier.factor
        np.testing.assert_allclose(g(X), 2 * X)
    finally:
        vars(carrier).clear()


def test_another_function_argument_or_format_of_the_object():
    """`function`, `argnums` and `format` are its public attributes; the run reads them."""
    g = ready(sg.grad(lambda x: (x**2).sum()), X)
    other = copy.copy(g)
    g.function = other.function = lambda x: (x**3).sum()
    np.testing.assert_allclose(other(X), 3 * X**2)
    np.testing.assert_allclose(g(X), 3 * X**2)


def test_another_argnums_of_the_object():
    g = ready(sg.grad(lambda x, y: (x**2 * y).sum()), X, X)
    g.argnums = 1
    np.testing.assert_allclose(g(X, X), X**2)


def test_a_record_that_is_written_to():
    record = np.zeros((), dtype=[("c", float)])[()]  # np.void: a scalar, and mutable
    record["c"] = 2.0
    f = lambda x: record["c"] * (x**2).sum()
    g = ready(sg.grad(f), X)
    record["c"] = 5.0
    np.testing.assert_allclose(g(X), run(sg.grad, f, X))


@pytest.mark.parametrize(("home", "name", "by", "f"), [
    (np, "tanh", lambda x: 7 * x, lambda x: np.tanh(x).sum()),
    (np, "pi", 3.0, lambda x: np.pi * (x**2).sum()),
    (math, "pi", 3.0, lambda x: math.pi * (x**2).sum()),
    (np.linalg, "norm", lambda x: (x**2).sum(), lambda x: np.linalg.norm(x)),
    (sg, "softplus", lambda x: 3 * x, lambda x: sg.softplus(x).sum()),
])  # fmt: skip
def test_a_library_that_is_patched(home, name, by, f, monkeypatch):
    g = ready(sg.grad(f), X)
    monkeypatch.setattr(home, name, by)
    np.testing.assert_allclose(g(X), run(sg.grad, f, X))


def test_a_partial_that_gets_another_state():
    base = lambda x, c: c * (x**2).sum()
    f = functools.partial(base, c=2.0)
    g = ready(sg.grad(f), X)
    f.__setstate__((base, (), {"c": 9.0}, {}))
    np.testing.assert_allclose(g(X), run(sg.grad, f, X))


# -------------------------------------------------------------------------------------------------------------- results


def test_relu_of_no_number():
    assert_as_run(sg.grad, lambda x: sg.relu(x).sum(), (np.ones(2),), (np.array([np.nan, 1.0]),))


def test_a_softmax_of_large_numbers():
    f = lambda x: sg.softmax(x, 0) * x
    assert_as_run(sg.jacobian, f, (np.array([0.5, 0.3, 0.7]),), (np.array([1e-200, 1e200, 1.0]),))


def test_the_byte_order_of_the_result():
    f = lambda x: (x @ x) ** 2
    x = X.astype(">f8")
    assert ready(sg.grad(f), x)(x).dtype == run(sg.grad, f, x).dtype


def test_the_pattern_of_a_sparse_jacobian():
    f = lambda x: np.stack([x[0] * x[1], x[1], x[2] * x[3]])
    found, truth = ready(sg.jacobian(f, format="csr"), FIVE)(FIVE), run(sg.jacobian, f, FIVE, format="csr")
    assert (found.nnz, found.indices.dtype) == (truth.nnz, truth.indices.dtype)


# --------------------------------------------------------------------------------------------------- memory and threads


def test_arguments_are_not_kept():
    g, refs = sg.grad(lambda x, data: ((data @ x) ** 2).sum()), []
    for _ in range(2 * CALLS):
        data = np.ones((10_000, 10))
        refs.append(weakref.ref(data))
        g(np.ones(10), data)
    del data
    gc.collect()
    assert not any(r() is not None for r in refs)


def between(line, act):
    """Do something once, in another thread, before a line of `_made_when_due` runs in this one."""
    done = []

    def local(frame, event, arg):
        if event == "line" and not done and line in linecache.getline(frame.f_code.co_filename, frame.f_lineno):
            done.append(1)
            thread = threading.Thread(target=act)
            thread.start()
            thread.join()
        return local

    return lambda frame, event, arg: local if frame.f_code is repeated.Repeated._made_when_due.__code__ else None


@pytest.mark.parametrize(
    ("line", "calls", "others"), [("if not watched.unchanged()", 6, 1), ("return Afterwards", 2, 3)]
)
def test_threads_with_arrays_of_other_shapes(line, calls, others, monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", calls)
    g = sg.grad(lambda x: (x**2).mean())
    sys.settrace(between(line, lambda: [g(np.ones(4)) for _ in range(others)]))
    try:
        found = [g(X) for _ in range(calls + 2)]
    finally:
        sys.settrace(None)
    for each in found:
        np.testing.assert_allclose(each, 2 * X / 3)


# --------------------------------------------------------------------------------------------------- where there is one


def test_single_numbers_of_numpy_count_too():
    """``x = x - 0.1 * g(x)`` makes an np.float64 of a float: no program ever comes of it."""
    g, x = sg.grad(lambda x: np.sin(3 * x) + x**2 / 10), 2.0
    for _ in range(3 * CALLS):
        x = x - 0.05 * g(x)
    assert g._repeated._ready is not None


def test_a_name_of_the_module_like_an_attribute_that_is_read():
    """A script's variable ``norm``, new in each step, is taken for ``np.linalg.norm``: attributes are names too."""
    names = {"np": np, "sg": sg}
    exec("f = lambda w: np.linalg.norm(w)**3\ng, w = sg.grad(f), np.ones(3)", names)
    exec(f"for k in range({4 * CALLS}):\n    norm = float(np.abs(g(w)).max()) + k", names)
    assert names["g"]._repeated._ready is not None

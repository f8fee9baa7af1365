"""A derivative asked for many times: compiled where its function is known through and through, and never stale."""

import gc
import math
import pickle
import threading
import time
import types
import warnings
import weakref
from collections import OrderedDict

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms import repeated as repeated_module
from symgrad.transforms.calls.reads import KnownFunction, NoKey
from symgrad.transforms.calls.tree import tree_map

CALLS = 6
SCALE = 3.0
DATA = np.array([1.0, -2.0, 0.5])


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", CALLS)
    monkeypatch.setattr(repeated_module, "_of_functions", OrderedDict())  # no counts of other tests


def repeated(derivative, *args):
    """The result of a call for which the function is not run; the test fails if there is none."""
    for _ in range(CALLS):
        derivative(*args)
    assert derivative._repeated._ready is not None
    return derivative(*args)


def anew(derivative, f, *args):
    """The same of a function that was never asked before."""
    return derivative(another(f))(*args)


def another(f):
    """A function that does the same, and is a new one."""
    copy = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    copy.__kwdefaults__ = f.__kwdefaults__
    return copy


def assert_same(found, truth):
    if isinstance(truth, tuple):
        for a, b in zip(found, truth, strict=True):
            assert_same(a, b)
        return
    assert type(found) is type(truth) and found.dtype == truth.dtype and found.shape == truth.shape
    found, truth = (v.toarray() if hasattr(v, "toarray") else v for v in (found, truth))
    eps = np.sqrt(np.finfo(truth.dtype).eps)
    np.testing.assert_allclose(found, truth, rtol=eps, atol=eps * max(1.0, np.abs(truth).max(initial=0)))


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def scaled(x):
    return SCALE * np.tanh(x).sum() * helper(x)


def helper(x):
    return np.exp(-(x**2).sum())


def looped(p):
    h, s = 1.0, 0.0
    for r in [0.3, -1.2, 0.5, 2.0, -0.1]:
        h = p[0] + p[1] * r**2 + p[2] * h
        s = s + np.log(h) + r**2 / h
    return s


def filled(x):
    out = np.zeros_like(x)
    for k in range(3):
        out[k] = x[k] ** 2 * DATA[k]
    return out.sum() + (x**3).sum()


FUNCTIONS = {
    "rosenbrock": (rosenbrock, np.array([0.3, -1.2, 2.0])),
    "of its module's names": (scaled, np.array([0.3, -0.2, 0.1])),
    "a loop of numbers": (looped, np.array([0.4, 0.2, 0.3])),
    "it fills an array": (filled, np.array([1.0, 2.0, -0.7])),
    "a number": (lambda x: math.pi * np.sin(x) * x, 0.7),
    "a matrix": (lambda X: np.linalg.slogdet(X @ X.T + np.eye(3))[1], np.arange(6.0).reshape(3, 2) / 5),
    "single precision": (lambda x: (np.exp(x) * DATA.astype(np.float32)).sum(), np.array([0.1, 0.2, 0.3], np.float32)),
    "a kink": (lambda x: np.abs(x).sum() ** 2 + np.maximum(x, 0).sum() ** 2, np.array([0.0, 1.0, -1.0])),
    "a sort": (lambda x: (np.sort(x) * DATA * x).sum(), np.array([0.4, 0.1, -0.3])),
    "symgrad's functions": (lambda x: sg.logsumexp(x * DATA, 0) + sg.norm(x) ** 3, np.array([0.4, 0.1, -0.3])),
}


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_asked_for_again_and_again_has_a_program(name, transform):
    f, x = FUNCTIONS[name]
    if transform is sg.hessian and not isinstance(x, np.ndarray):
        x = np.array([x])
        f = lambda x, g=f: g(x).sum()
    derivative = transform(f)
    assert_same(repeated(derivative, x), anew(transform, f, x))
    for step in (1.1, 0.7):  # elsewhere it is right as well, and was not run
        there = (x * step).astype(x.dtype) if isinstance(x, np.ndarray) else x * step
        assert_same(derivative(there), anew(transform, f, there))


def test_sparse_hessians_and_other_arguments():
    H = sg.hessian(rosenbrock, format="csr")
    x = np.linspace(-1, 1, 7)
    assert_same(repeated(H, x), sg.hessian(rosenbrock, format="csr")(x))
    loss = lambda X, w, y: ((X @ w - y) ** 2).sum() + (w**4).sum()
    rng = np.random.default_rng(0)
    X, w, y = rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=5)
    g = sg.grad(loss, 1)
    assert_same(repeated(g, X, w, y), sg.grad(loss, 1)(X, w, y))
    assert_same(g(2 * X, w, y + 1), sg.grad(loss, 1)(2 * X, w, y + 1))  # other data are other inputs
    assert g._repeated._ready is not None
    assert_same(g(X[:4], w, y[:4]), sg.grad(loss, 1)(X[:4], w, y[:4]))  # other shapes: it is run
    assert g._repeated._ready is None


@pytest.mark.parametrize("transform", [sg.jacobian, sg.jacfwd, sg.jacrev])
def test_jacobians(transform):
    f = lambda x: np.stack([x * DATA, np.cumsum(x**2), x[::-1] * x])
    x = np.array([0.3, -1.2, 2.0])
    J = transform(f)
    assert_same(repeated(J, x), anew(transform, f, x))
    assert_same(J(2 * x), anew(transform, f, 2 * x))
    pair = transform(lambda x: (x**2, x.sum()))
    for _ in range(2 * CALLS):
        squares, total = pair(x)
    np.testing.assert_allclose(squares, np.diag(2 * x))
    assert (total == 1).all()


def test_derivatives_of_derivatives():
    f = lambda x: (np.exp(x) * DATA).sum() * (x**2).sum()
    x = np.array([0.3, -0.2, 0.1])
    assert_same(repeated(sg.jacobian(sg.hessian(f)), x), sg.jacobian(sg.hessian(f))(x))
    assert_same(repeated(sg.hessian(lambda y: sg.norm(slope(y))), x), sg.hessian(lambda y: sg.norm(sg.grad(f)(y)))(x))
    nested = sg.jacobian(slope)
    assert_same(repeated(nested, x), sg.hessian(f)(x))
    assert_same(nested(x), sg.jacobian(slope)(x))
    for k in range(2):
        inner = sg.grad(lambda x: (x**3).sum())
        outer = sg.jacobian(inner)
        repeated(outer, x)
        (inner, outer)[k].function = (f, slope)[k]
        assert_same(outer(x), sg.hessian(f)(x))


slope = sg.grad(lambda x: (np.exp(x) * DATA).sum() * (x**2).sum())


def test_results_belong_to_the_caller():
    H = sg.hessian(lambda x: (x**2).sum() + x[0] * x[1])
    x = np.array([1.0, 2.0])
    first = repeated(H, x)
    first[:] = 7
    assert (H(x) == [[2, 1], [1, 2]]).all()
    x[:] = 5
    assert (x == 5).all() and (H(x) == [[2, 1], [1, 2]]).all()
    A = np.arange(1600.0).reshape(40, 40)
    of_argument = sg.grad(lambda X, A: np.trace(A @ X)), sg.jacobian(lambda x, A: A.T @ x)
    for derivative, there in zip(of_argument, (A + 1, A[0] + 1), strict=True):
        repeated(derivative, there, A)[:] = 7
        assert (derivative(there, A) == np.arange(1600.0).reshape(40, 40).T).all()
    compiled = sg.compile(lambda x: A.T * x.sum(), "fj")
    for _ in range(4):
        value, J = compiled(np.array([1.0]))
        assert (value == A.T).all() and (J[:, :, 0] == A.T).all()
        value[:], J[:] = 7, 7
    compiled = sg.compile(lambda X: X.T, "f")
    compiled(A)[:] = 7
    assert A[0, 1] == 1


# --------------------------------------------------------------------------------------------------------- never stale


def assert_follows(change, f, x=DATA):
    """After a change, all three are what they would be of a new function; and so again when it has become a program."""
    repeated_module._of_functions.clear()  # or it waits longer, after another change
    derivatives = [(sg.grad, sg.grad(f)), (sg.value_and_grad, sg.value_and_grad(f)), (sg.hessian, sg.hessian(f))]
    for _, derivative in derivatives:
        repeated(derivative, x)
    kept = [derivative(x) for _, derivative in derivatives]
    change()
    for (transform, derivative), old in zip(derivatives, kept, strict=True):
        truth = anew(transform, f, x)
        last, before = (v[-1] if isinstance(v, tuple) else v for v in (truth, old))
        assert not np.allclose(last, before), "the change is none"
        for _ in range(5 * CALLS):
            assert_same(derivative(x), truth)


def test_an_array_of_a_closure_that_is_written_to():
    a = np.array([1.0, 2.0, 3.0])
    assert_follows(lambda: a.__setitem__(1, 9.0), lambda x: (a * x**3).sum())


def test_a_view_whose_base_is_written_to():
    base = np.arange(8.0)
    a = base[1:7:2]
    assert_follows(lambda: base.__setitem__(3, 9.0), lambda x: (a * x**3).sum())


def test_a_name_of_a_closure_that_gets_another_value():
    c = 2.0

    def change():
        nonlocal c
        c = 5.0

    assert_follows(change, lambda x: c * (x**3).sum())


def test_numbers_and_arrays_in_containers():
    p, q, a = {"c": 2.0}, [1.0, [3.0]], np.ones(3)
    nested = {"a": [a]}
    assert_follows(lambda: p.update(c=4.0), lambda x: p["c"] * (x**3).sum())
    assert_follows(lambda: q[1].__setitem__(0, 4.0), lambda x: q[0] * q[1][0] * (x**3).sum())
    assert_follows(lambda: q.__setitem__(1, [7.0]), lambda x: q[0] * q[1][0] * (x**3).sum())
    assert_follows(lambda: a.__setitem__(0, 4.0), lambda x: (nested["a"][0] * x**3).sum())
    assert_follows(lambda: nested["a"].append(1.0), lambda x: len(nested["a"]) * (x**3).sum())


def test_an_array_of_zeros_whose_signs_change():
    a = np.zeros(3)
    f = lambda x: (np.copysign(1.0, a) * x**3).sum()
    assert_follows(lambda: np.negative(a, out=a), f)


def test_an_array_that_gets_another_shape():
    a = np.ones((3, 1))
    assert_follows(lambda: give_shape(a, (1, 3)), lambda x: (a * x**3).sum() * a.shape[0])


def give_shape(a, shape):
    with warnings.catch_warnings():  # NumPy 2.5 deprecates it, scripts have it
        warnings.simplefilter("ignore", DeprecationWarning)
        a.shape = shape


def test_names_of_a_module(monkeypatch):
    assert_follows(lambda: monkeypatch.setitem(globals(), "SCALE", 8.0), scaled)
    monkeypatch.undo()


def test_a_function_of_a_module_that_is_defined_anew(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", CALLS)
    assert_follows(lambda: monkeypatch.setitem(globals(), "helper", lambda x: (x**4).sum()), scaled)


def test_the_code_of_a_function_that_is_another(monkeypatch):
    f = lambda x: helper(x) + (x**3).sum()
    assert_follows(lambda: monkeypatch.setattr(helper, "__code__", (lambda x: (x**4).sum()).__code__), f)


def test_defaults_that_change():
    def f(x, c=2.0, *, d=(1.0,)):
        return c * d[0] * (x**3).sum()

    assert_follows(lambda: setattr(f, "__defaults__", (5.0,)), f)
    assert_follows(lambda: f.__kwdefaults__.update(d=(3.0,)), f)


def test_a_name_of_python_that_a_module_takes_for_itself(monkeypatch):
    f = lambda x: abs(x**3).sum() * max(1.0, 2.0)
    assert_follows(lambda: monkeypatch.setitem(globals(), "max", lambda a, b: 7.0), f)


def test_minibatches_are_not_compiled_each_time(monkeypatch):
    rng = np.random.default_rng(0)
    batch = rng.normal(size=(4, 3))
    g = sg.grad(lambda w: ((batch @ w) ** 2).sum())
    made = []
    monkeypatch.setattr(type(g._repeated), "_made", lambda *args: made.append(1))
    for _ in range(20 * CALLS):
        batch = rng.normal(size=(4, 3))
        w = rng.normal(size=3)
        np.testing.assert_allclose(g(w), 2 * batch.T @ batch @ w)
    assert not made


# -------------------------------------------------------------------------------------------------- what is not known


class Model:
    scale = 2.0

    def loss(self, x):
        return self.scale * (x**2).sum()

    def __call__(self, x):
        return self.loss(x)


MODEL = Model()
RNG = np.random.default_rng(0)
TENSOR = sg.tensor([1.0, 2.0, 3.0])
RUNS = [0]
LOG = []
NAMED: dict[str, float] = {}
ITERATOR = iter(range(10**9))


def counted(x):
    global RUNS
    RUNS = [RUNS[0] + 1]
    return (x**2).sum()


def told(x):
    print("run")
    return (x**2).sum()


def logged(x):
    LOG.append(1)
    return (x**2).sum()


def imported(x):
    from numpy.random import normal

    return normal() * x.sum()  # noqa: NPY002


def of_globals(x):
    return globals()["SCALE"] * (x**2).sum()


UNKNOWN = {
    "a method": MODEL.loss, "an object": MODEL, "an attribute": lambda x: MODEL.scale * (x**2).sum(),
    "a generator of numbers": lambda x: (x**2).sum() * RNG.normal(),
    "NumPy's generator": lambda x: (x**2).sum() * np.random.normal(),  # noqa: NPY002
    "symgrad's generator": lambda x: (x**2).sum() * sg.randn(()),
    "a generator of its own": lambda x: (x**2).sum() * np.random.default_rng().normal(),
    "the clock": lambda x: (x**2).sum() * time.time(),
    "a tensor": lambda x: (TENSOR * x).sum(),
    "a file": lambda x: (np.loadtxt("numbers.txt") * x).sum(),
    "what it counts": counted, "what it prints": told, "what it keeps": logged,
    "an import": imported, "its names by name": of_globals,
    "an iterator": lambda x: next(ITERATOR) * (x**2).sum(),
    "an attribute that it sets": lambda x: setattr(MODEL, "scale", 3.0) or (x**2).sum(),
    "a dictionary of objects": lambda x, d={"m": MODEL}: d["m"].scale * (x**2).sum(),
    "a printer in a closure": (lambda say: lambda x: say("run") or (x**2).sum())(print),
    "a transform of what is not known": sg.grad(MODEL.loss),
    "identities": lambda x: id(x) * (x**2).sum(),
    "errors of NumPy": lambda x: (np.seterr(all="ignore"), (x**2).sum())[1],
    "a seed": lambda x: (sg.manual_seed(0), (x**2).sum())[1],
    "its own name": lambda x: (x**2).sum() * len(RUNS.__class__.__name__),
    "a queue": lambda x: LOG.pop() * (x**2).sum(),
    "a queue in a closure": (lambda q: lambda x: q.pop(0) * (x**2).sum())([1.0, 2.0]),
    "a default that it changes": lambda x, q=[1.0]: (q.insert(0, 2.0), (x**2).sum() * q[-1])[1],
    "what it remembers": lambda x: NAMED.setdefault("a", 2.0) * (x**2).sum(),
    "what it tells others": lambda x: (NAMED.update(a=2.0), (x**2).sum())[1],
    "what it turns round": lambda x: (LOG.reverse(), (x**2).sum())[1],
    "what it clears": lambda x: (NAMED.clear(), (x**2).sum())[1],
}  # fmt: skip
QUEUES = {
    "pop": lambda x: [q := [*x, 1.0], q.pop(0), (q[0] * q[-1]) ** 2][-1],
    "insert": lambda x: [q := [*x], q.insert(0, x[2] ** 2), q[0] * q[1]][-1],
    "a dictionary": lambda x: [d := {"a": x[0]}, d.update(b=x[1]), d.setdefault("b", 0.0) ** 2 * d.pop("a")][-1],
}


@pytest.mark.parametrize("name", QUEUES)
def test_lists_and_dictionaries_of_its_own_may_change(name):
    f, x = QUEUES[name], np.array([0.3, 0.7, 1.1])
    found = repeated(sg.grad(f), x)
    np.testing.assert_allclose(found, sg.grad(f).by_recording((x,), {}), rtol=1e-12)


def imports(x):
    import math

    from numpy import sin

    return math.exp(1.0) * sin(x).sum()


def test_imports_and_modules_of_ones_own_are_known():
    """A module of the user's may have a function by a name that no library has."""
    module = types.ModuleType("own")
    exec("import numpy as np\ndef halved_tangent(x):\n    return np.tan(x / 2)\n", vars(module))
    for f in (imports, lambda x: module.halved_tangent(x).sum()):
        KnownFunction(f, 0)
    with pytest.raises(NoKey):
        KnownFunction(lambda x: x.halved_tangent(), 0)


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_function_that_may_do_other_things_is_not_known(name):
    with pytest.raises(NoKey):
        KnownFunction(UNKNOWN[name], 1 << 18)


def test_a_nonlocal_count_is_not_known():
    count = 0

    def f(x):
        nonlocal count
        count += 1
        return (x**2).sum()

    g = sg.grad(f)
    for _ in range(4 * CALLS):
        g(DATA)
    assert count == 4 * CALLS


def test_a_count_in_an_array_goes_on():
    count = np.zeros(1)

    def f(x):
        count[0] += 1
        return (x**2).sum()

    g = sg.grad(f)
    for _ in range(4 * CALLS):
        g(DATA)
    assert count == 4 * CALLS


def test_branches_on_values_are_taken_at_every_call():
    f = lambda x: (x**2).sum() if x[0] > 0 else (x**3).sum()
    for transform in (sg.grad, sg.value_and_grad, sg.hessian):
        derivative = transform(f)
        for _ in range(2 * CALLS):
            derivative(DATA)
        assert_same(derivative(-DATA), anew(transform, f, -DATA))


def test_a_swallowed_refusal_is_no_program():
    def f(x):
        try:
            large = bool(x[0] > 0)
        except Exception:
            large = True
        return (x**2).sum() if large else (x**3).sum()

    g = sg.grad(f)
    for _ in range(2 * CALLS):
        g(DATA)
    assert_same(g(-DATA), anew(sg.grad, f, -DATA))


def test_a_tensor_that_somebody_differentiates_is_followed():
    w = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    g = sg.grad(lambda x: (w * x**2).sum())
    for _ in range(2 * CALLS):
        found = g(DATA)
    found.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * DATA)


def test_without_recording_it_is_the_same():
    w = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    g, h = sg.grad(lambda x: (w * x**2).sum()), sg.hessian(rosenbrock)
    with sg.no_grad():
        for _ in range(2 * CALLS):
            found, curved = g(DATA), h(DATA)
    assert h._repeated._ready is not None
    assert_same(curved, anew(sg.hessian, rosenbrock, DATA))
    assert_same(h(2 * DATA), anew(sg.hessian, rosenbrock, 2 * DATA))
    assert type(found) is np.ndarray
    g(DATA).sum().backward()  # of what is recorded, the history is followed again
    np.testing.assert_allclose(w.grad.numpy(), 2 * DATA)
    with sg.inference_mode():
        assert_same(h(DATA), curved)


# -------------------------------------------------------------------------------------- where it is not the common case


def test_transforms_within_transforms_see_the_function():
    inner = sg.grad(rosenbrock)
    x = np.array([0.3, -1.2, 2.0])
    repeated(inner, x)
    assert_same(sg.jacobian(inner)(x), sg.hessian(rosenbrock)(x))
    np.testing.assert_allclose(sg.vmap(inner)(np.stack([x, 2 * x])), [inner(x), inner(2 * x)])
    assert_same(sg.grad(lambda y: inner(y) @ y)(x), sg.hessian(rosenbrock)(x) @ x + inner(x))
    assert isinstance(inner(sg.tensor(x)), sg.Tensor)
    assert "x" in str(inner(sg.symbol("x", "n")))


def test_points_without_a_finite_number_are_run():
    f = lambda x: np.log(x).sum()
    g = sg.grad(f)
    repeated(g, np.ones(3))
    bad = np.array([0.0, 1.0, 2.0])
    with np.errstate(all="ignore"):
        assert_same(g(bad), anew(sg.grad, f, bad))


def test_anomaly_mode_sees_the_run():
    g = sg.grad(lambda x: np.sqrt(x).sum() * 0.0 + (x**2).sum())
    repeated(g, np.ones(3))
    with sg.detect_anomaly(), pytest.raises(sg.AnomalyError), np.errstate(all="ignore"):
        sg.grad(lambda x: (np.sqrt(x) * 0).sum())(np.zeros(3))
    with sg.detect_anomaly(), pytest.raises(sg.AnomalyError), np.errstate(all="ignore"):
        g(np.zeros(3))


def test_errors_and_warnings_are_those_of_the_run():
    g = sg.grad(rosenbrock)
    repeated(g, np.ones(3))
    with pytest.raises(sg.SymgradError):
        g(np.array([1, 2, 3]) > 0)
    with pytest.raises(TypeError):
        g()
    linear = sg.hessian(lambda x: (x * 2).sum())
    for _ in range(2 * CALLS):
        with pytest.warns(sg.StructurallyZeroWarning):
            linear(np.ones(3))


def test_another_default_dtype_is_asked_anew():
    g = sg.grad(lambda x: x**2)
    repeated(g, 2.0)
    sg.set_default_dtype(sg.float32)
    try:
        assert g(2.0).dtype == anew(sg.grad, lambda x: x**2, 2.0).dtype == np.float32
    finally:
        sg.set_default_dtype(sg.float64)
    assert g(2.0).dtype == np.float64


def test_a_pickle_begins_anew_and_threads_share():
    g = sg.grad(rosenbrock)
    x = np.array([0.3, -1.2, 2.0])
    repeated(g, x)
    other = pickle.loads(pickle.dumps(g))
    assert other._repeated._ready is None
    assert_same(repeated(other, x), g(x))
    found = []
    h = sg.hessian(rosenbrock)
    threads = [threading.Thread(target=lambda: found.extend(h(x) for _ in range(4 * CALLS))) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 12 * CALLS
    for each in found:
        assert_same(each, anew(sg.hessian, rosenbrock, x))


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian, sg.jacobian])
def test_a_transform_that_is_written_in_the_loop_has_the_functions_program(transform):
    data = np.array([2.0, 3.0])

    def f(x):
        runs.append(1)
        return (np.sin(x) * data).sum()

    def pure(x):
        return (np.sin(x) * data).sum()

    runs, x = [], np.array([0.3, 0.7])
    for k in range(3 * CALLS):
        assert_same(transform(pure)(x + k), anew(transform, pure, x + k))
        transform(f)(x)
    assert transform(pure)._repeated._ready is not None
    assert len(runs) == 3 * CALLS  # whoever keeps accounts is run
    data[0] = 5.0
    assert_same(transform(pure)(x), anew(transform, pure, x))
    assert transform(pure, argnums=0)._repeated is not transform(pure, argnums=(0,))._repeated


def test_what_programs_of_functions_keep_is_bounded(monkeypatch):
    def made(data):
        def f(x):
            return (x * data).sum() ** 2

        for _ in range(3 * CALLS):
            sg.grad(f)(np.ones(len(data)))
        return f, sg.grad(f)

    kept = made(np.ones(3))
    assert kept[1]._repeated._ready is not None
    monkeypatch.setattr(repeated_module, "REPEATED_KEPT", 100)
    f, own = made(np.ones(20))
    assert own._repeated._ready is None  # no two of them share one
    repeated(own, np.ones(20))
    assert sg.grad(f)._repeated is not own._repeated
    watched, gone = weakref.ref(f), weakref.ref(own)
    del f, own
    gc.collect()
    assert watched() is None and gone() is None


def test_a_function_that_is_not_asked_often_goes_with_its_data():
    data = np.ones(3)
    watched = weakref.ref(data)
    f = (lambda data: lambda x: (x * data).sum())(data)
    sg.grad(f)(np.ones(3))
    before = len(repeated_module._of_functions)
    del f, data
    gc.collect()
    assert watched() is None and len(repeated_module._of_functions) == before - 1


def test_long_functions_are_run(monkeypatch):
    def long(x):
        for _ in range(40):
            x = np.sin(x)
        return x.sum()

    monkeypatch.setattr("symgrad.transforms.repeated.REPEATED_STEPS", 30)
    g = sg.grad(long)
    for _ in range(2 * CALLS):
        g(DATA)
    assert g._repeated._ready is None


def test_data_of_any_size_are_inputs():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 5)), rng.normal(size=40_000)
    loss = lambda w, X, y: (np.log1p(np.exp(X @ w)) - y * (X @ w)).sum()
    for derivative in (sg.grad, sg.hessian):
        g, w = derivative(loss), np.zeros(5)
        assert_same(repeated(g, w, X, y), derivative(loss)(w, X, y))
        y[0] += 1.0  # they are not compared
        assert_same(g(w, X[::-1].copy(), y), derivative(loss)(w, X[::-1].copy(), y))
        assert g._repeated._ready is not None


LARGE = np.random.default_rng(1).normal(size=(40_000, 5))


def test_large_arrays_that_are_read_are_inputs(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED_CONSTANT", 0)  # however long a call takes
    y = np.random.default_rng(0).normal(size=40_000)
    far = np.asfortranarray(LARGE[:2000, :2])

    def loss(w):
        return np.log1p(np.exp(LARGE @ w)).sum() - y @ (LARGE @ w) + (far @ w[:2] ** 3).sum()

    for derivative in (sg.grad, sg.value_and_grad, sg.hessian):
        g, w = derivative(loss), np.full(5, 0.1)
        repeated(g, w)
        ready = g._repeated._ready
        assert {id(a) for a in ready.known.inputs} >= {id(LARGE), id(y)}
        y[3], LARGE[7, 2], far[0] = y[3] + 1.0, LARGE[7, 2] - 2.0, far[0] * 2
        assert_same(g(w), anew(derivative, loss, w))
        assert g._repeated._ready is ready  # they are not compared
        y = y[::-1].copy()  # another one is
        assert_same(g(w), anew(derivative, loss, w))
        assert g._repeated._ready is None
        repeated_module._of_functions.clear()  # or it waits longer, after a change
        g = derivative(loss)
        repeated(g, w)
        give_shape(far, (1, *far.shape))  # the same one, of which NumPy makes another sum
        try:
            assert_same(g(w), anew(derivative, loss, w))
        finally:
            give_shape(far, far.shape[1:])


def test_a_large_array_that_is_read_in_two_ways_or_written_to_is_no_input(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED_CONSTANT", 0)
    home = types.ModuleType("home_of_an_array")
    data = home.data = np.linspace(1, 2, 500)
    monkeypatch.setitem(__import__("sys").modules, home.__name__, home)
    counts = np.zeros(3)

    def twice(x):
        return (data * home.data).sum() * (x**3).sum()

    def counting(x):
        counts[0] += 1.0
        return counts[0] * (x**3).sum()

    g = sg.grad(twice)
    for k in range(3):
        for _ in range(4 * CALLS):
            assert_same(g(DATA), (data * data).sum() * 3 * DATA**2)
        data[k] += 1.0
    g = sg.grad(counting)
    for k in range(1, 6 * CALLS):
        assert_same(g(DATA), k * 3.0 * DATA**2)


def parts(p):
    return (np.exp(p["a"]) * p["b"][0]).sum() + (p["b"][1] ** 3).sum() * p["a"].sum()


def two(a, b):
    return (a**2).sum() * (b * a).sum() + (b**3).sum()


TREES = {
    "a tensor": (rosenbrock, (sg.tensor([0.3, -1.2, 2.0]),), 0),
    "a dictionary": (parts, ({"a": np.array([0.1, 0.2]), "b": [np.array(0.5), np.array([1.0, -1.0])]},), 0),
    "a dictionary of tensors": (
        parts,
        ({"a": sg.tensor([0.1, 0.2]), "b": (sg.tensor(0.5), sg.tensor([1.0, -1.0]))},),
        0,
    ),
    "two arrays": (two, (DATA, DATA[::-1].copy()), (0, 1)),
    "two tensors": (two, (sg.tensor(DATA), sg.tensor(DATA) + 1), (1, 0)),
    "a tensor and an array": (two, (sg.tensor(DATA), DATA + 1), 0),
    "an array and a tensor": (two, (DATA, sg.tensor(DATA) + 1), 0),
    "an array and a dictionary": (lambda x, p: two(x, p["a"]) * p["b"].sum(), (DATA, {"a": DATA + 1, "b": DATA}), 0),
}


def assert_alike(found, truth):
    if isinstance(truth, (tuple, list)):
        assert type(found) is type(truth)
        for a, b in zip(found, truth, strict=True):
            assert_alike(a, b)
    elif isinstance(truth, dict):
        assert found.keys() == truth.keys()
        for name in truth:
            assert_alike(found[name], truth[name])
    elif isinstance(truth, sg.Tensor):
        assert type(found) is type(truth) and found.requires_grad == truth.requires_grad
        assert_same(found.numpy(), truth.numpy())
    elif hasattr(truth, "labels"):
        assert found.labels == truth.labels
        assert_alike(found.matrix, truth.matrix)
    else:
        assert_same(found, truth)


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian])
@pytest.mark.parametrize("name", TREES)
def test_tensors_and_containers_have_programs_too(name, transform):
    f, args, argnums = TREES[name]
    derivative = transform(f, argnums)
    assert_alike(repeated(derivative, *args), transform(f, argnums)(*args))
    other = tree_map(lambda a: 0.7 * a, args)
    assert_alike(derivative(*other), transform(f, argnums)(*other))
    assert derivative._repeated._ready is not None


def test_a_tensor_that_asks_for_gradients_is_differentiated_again():
    g, x = sg.grad(rosenbrock), sg.tensor([0.3, -1.2, 2.0])
    repeated(g, x)
    leaf = x.clone().requires_grad_()
    g(leaf).sum().backward()
    again = x.clone().requires_grad_()
    sg.grad(rosenbrock)(again).sum().backward()
    assert_same(leaf.grad.numpy(), again.grad.numpy())
    nan = sg.tensor([0.3, float("nan"), 2.0])
    assert_same(g(nan).numpy(), sg.grad(rosenbrock)(nan).numpy())


def test_a_slow_function_has_a_program_after_few_calls(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", 10_000)
    noise = [0.3, -1.2, 0.5, 2.0, -0.1] * 80

    def likelihood(p):
        h, s = 1.0, 0.0
        for r in noise:
            h = p[0] + p[1] * r**2 + p[2] * h
            s = s + np.log(h) + r**2 / h
        return s

    for derivative in (sg.grad, sg.hessian):
        g, p = derivative(likelihood), np.array([0.4, 0.2, 0.3])
        for _ in range(60):
            g(p)
        assert g._repeated._ready is not None
        assert_same(g(1.1 * p), derivative(likelihood)(1.1 * p))

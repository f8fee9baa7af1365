"""What is differentiated never silently becomes a constant; what a tensor cannot do is said, and what to write."""

import contextlib
import contextvars
import functools
import math
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.sparse as sparse
import scipy.special as sc

import symgrad as sg
import symgrad.numpy
import symgrad.scipy.stats

X = np.array([0.3, 0.7, 1.2])


@pytest.mark.parametrize("make", [sg.as_tensor, sg.asarray])
def test_a_tensor_made_of_pieces_keeps_their_history(make):
    for f in (lambda v: (make([v[0], v[1]]) ** 2).sum(), lambda v: (make([[v[0], 2.0], [1.0, v[1]]]) ** 2).sum()):
        np.testing.assert_allclose(sg.grad(f)(X), [0.6, 1.4, 0])
        np.testing.assert_allclose(sg.jacobian(f)(X), [0.6, 1.4, 0])
    np.testing.assert_allclose(sg.vmap(sg.grad(lambda v: (make([v, v]) ** 3).sum()))(X), 6 * X**2)
    found = sg.func.grad(lambda v: (make([v[0], v[1]]) ** 2).sum())(sg.tensor(X))
    np.testing.assert_allclose(found.numpy(), [0.6, 1.4, 0])


@pytest.mark.parametrize("transform", [sg.grad, sg.jacobian, sg.jacfwd, sg.hessian])
def test_a_new_tensor_of_values_is_refused(transform):
    for f in (lambda v: (sg.tensor([v[0], 1.0]) ** 2).sum(), lambda v: (sg.nn.Parameter(sg.as_tensor(v)) ** 2).sum()):
        with pytest.raises(sg.GradientError, match="takes the number"):
            transform(f)(X)


def in_threads(v):
    with ThreadPoolExecutor() as pool:
        return sum(pool.map(math.exp, v))


def filled_in_threads(v):
    h = np.zeros(3)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda i: h.__setitem__(i, v[i] ** 2), range(3)))
    return h.sum()


def in_another_context(v):
    return contextvars.Context().run(lambda: math.exp(v[0])) * v[1]


@pytest.mark.parametrize("transform", [sg.grad, sg.jacobian, sg.jacfwd])
@pytest.mark.parametrize("f", [in_threads, filled_in_threads, in_another_context])
def test_numbers_are_not_given_to_other_threads(transform, f):
    with pytest.raises(sg.GradientError, match="takes the number"):
        transform(f)(X)


def test_work_in_threads_that_takes_no_numbers_is_fine():
    def f(v):
        with ThreadPoolExecutor() as pool:
            return sum(pool.map(lambda u: np.exp(u) * v[0], v))

    np.testing.assert_allclose(sg.grad(f)(X), [np.exp(X).sum() + 0.3 * np.exp(0.3), *(0.3 * np.exp(X[1:]))])


def with_a_way_round(v):
    try:
        return v + math.sqrt(v)
    except (ValueError, TypeError, RuntimeError):
        return v


def test_an_error_that_is_caught_is_raised_all_the_same():
    for transform in (sg.grad, sg.jacobian, sg.value_and_grad):
        with pytest.raises(sg.GradientError, match="(?s)number of an array.*caught this error and went on"):
            transform(with_a_way_round)(4.0)
        with pytest.raises(sg.GradientError, match="(?s)number of a tensor.*caught this error and went on"):
            transform(with_a_way_round)(sg.tensor(4.0))
    with pytest.raises(sg.SymbolicBranchError):
        sg.compile(with_a_way_round, outputs="f")(4.0)
    with pytest.raises(sg.SymgradError):
        sg.formula(with_a_way_round, np.array(4.0))
    assert sg.grad(lambda v: v * v)(4.0) == 8  # what was refused before is forgotten


BATCH = np.array([-1.0, -2, 4, -3, 9, -1, -1, -5])


@pytest.mark.parametrize(
    "f",
    [
        with_a_way_round, lambda v: v + (100.0 if "9" in repr(v) else 0.0), lambda v: v * (2 if "4" in f"{v}" else 1),
        lambda v: v + {4.0: 100.0}.get(v, 0.0), lambda v: v * len({v, 9.0}),
    ],
)  # fmt: skip
def test_a_batch_runs_in_a_loop_where_the_function_asks_for_values(f):
    np.testing.assert_allclose(sg.vmap(f)(BATCH), [f(v) for v in BATCH])


def test_numbers_are_looked_up_by_their_values():
    table = {4.0: 100.0}
    f = lambda v: v[0] * table.get(v[1], 1.0) * len(set(v))
    for transform in (sg.grad, sg.jacobian):
        np.testing.assert_allclose(transform(f)(np.array([2.0, 4.0])), [200.0, 0])
    found = sg.formula(f, np.array([2.0, 4.0]))
    assert any("= 4" in str(c) for c in found.conditions)
    with pytest.raises(sg.SymbolicBranchError):
        sg.compile(f, outputs="f")(np.array([2.0, 4.0]))


def _memo(f):
    kept = {}

    def looked_up(x):
        if x not in kept:
            kept[x] = f(x)
        return kept[x]

    return looked_up


@pytest.mark.parametrize("kind", [functools.lru_cache(None), _memo])
@pytest.mark.parametrize("number", [float, np.float64])
def test_what_a_memo_keeps_is_of_the_number_that_it_was_computed_of(kind, number):
    cube, x = kind(lambda x: x * x * x), number(1.3)
    assert cube(x) == x * x * x  # kept under a plain number
    for _ in "ab":  # the second finds what the first left
        assert sg.grad(cube)(x) == pytest.approx(3 * 1.69) and sg.hessian(cube)(x) == pytest.approx(7.8)
        assert sg.jvp(cube, (x,), (1.0,))[1] == pytest.approx(3 * 1.69)
        np.testing.assert_allclose(sg.grad(lambda p: cube(p[0]) + cube(p[1]) - cube(2.0))(np.array([2.0, 2.0])), 12.0)
    assert type(cube(x)) is number


def test_a_look_up_of_which_no_source_is_known_is_refused():
    with pytest.raises(sg.GradientError, match="looked up among keys"):
        sg.grad(eval("lambda x: x * {1.0: 3.0}[x]"))(1.0)


@functools.singledispatch
def _dispatched(x):
    return 0 * x


_dispatched.register(float, lambda x: x**2)


@pytest.mark.parametrize(
    "f",
    [
        _dispatched, lambda x: x**2 if isinstance(x, float) else 0 * x,
        lambda x: x**2 if isinstance(x, np.floating) else 0 * x,
        lambda x: 0 * x if symgrad.numpy.iterable(x) else x**2,
    ],
)  # fmt: skip
def test_who_asks_what_a_number_is_takes_the_branch_of_numpys(f):
    x = np.float64(3.0)
    assert sg.value_and_grad(f)(x) == (9.0, 6.0) and sg.hessian(f)(x) == 2 and sg.jvp(f, (x,), (1.0,)) == (9.0, 6.0)
    assert sg.compile(f, "fgh")(x) == (9.0, 6.0, 2.0) and str(sg.formula(f, sg.symbol("x"))) == "x²"
    assert sg.grad(lambda v: f(v[0]) + f(2 * v[1]))(np.array([1.0, 2.0])).tolist() == [2.0, 16.0]


def test_a_number_is_no_sequence_and_a_number_to_those_who_ask():
    import numbers

    def f(x):
        for s in (x[0], x.sum(), x[0] * 2, np.sin(x[1])):
            assert np.isscalar(s) and isinstance(s, numbers.Real) and not hasattr(s, "__len__") and np.ndim(s) == 0
            assert {s: 1}[s] == 1
            with pytest.raises(TypeError):
                list(s)
            with pytest.raises(TypeError):
                s[()] = 1.0
        z = x[0] * 1j
        assert isinstance(z, numbers.Complex)
        return x[0] * abs(z)

    for transform in (sg.grad, sg.jacobian, sg.hessian):
        transform(f)(X)


def test_programs_and_operators_refuse_what_is_differentiated_around_them():
    cubes = lambda a: lambda y: (a * y**3).sum()
    for f in (
        lambda a: sg.compile(cubes(a), outputs="f")(X), lambda a: sg.compile(cubes(a), outputs="g")(X).sum(),
        lambda a: (sg.hessian_operator(cubes(a), X) @ X).sum(),
    ):  # fmt: skip
        for transform in (sg.grad, sg.jacobian):
            with pytest.raises(sg.GradientError, match=r"^(compile\(<lambda>\)|sg.*) makes .*differentiated around it"):
                transform(f)(2.0)
    with pytest.raises(sg.GradientError, match="differentiated around it"):
        sg.grad(lambda v: (sg.hessian_operator(cubes(1.0), v) @ np.ones(3)).sum())(X)
    np.testing.assert_allclose(sg.grad(lambda a: sg.grad(cubes(a))(X).sum())(2.0), (3 * X**2).sum())
    for f in (lambda a: sg.formula(cubes(a), X)(y=X), lambda a: sg.grad(cubes(a)).formula(X)(y=X).sum()):
        with pytest.raises(sg.GradientError, match="being differentiated around it"):
            sg.grad(f)(2.0)
    assert sg.grad(lambda a: len(str(sg.formula(cubes(a), X))) * a)(2.0) > 0  # its text is free


def test_the_callers_batch_is_not_written_to():
    rows = np.stack([X, X])
    sg.vmap(lambda v: sg.as_tensor(v).add_(1).sum())(rows)
    np.testing.assert_array_equal(rows, [X, X])


def with_data(g):
    @functools.wraps(g)
    def wrapped(t):
        return g(np.arange(3.0), t)

    return wrapped


def with_anything(g):
    @functools.wraps(g)
    def wrapped(*args):
        return g(np.arange(3.0), *args)

    return wrapped


@pytest.mark.parametrize("decorator", [with_data, with_anything])
def test_a_decorator_that_gives_arguments(decorator):
    @decorator
    def loss(data, t):
        return ((data - t) ** 2).sum()

    for transform in (sg.grad, sg.jacobian, sg.jacfwd, sg.compile(loss, outputs="g")):
        found = transform(X) if transform not in (sg.grad, sg.jacobian, sg.jacfwd) else transform(loss)(X)
        np.testing.assert_allclose(found, 2 * (X - np.arange(3.0)))
    np.testing.assert_allclose(sg.hessian(loss)(X), 2 * np.eye(3))


def test_a_batch_of_functions_that_return_numbers_of_python():
    np.testing.assert_allclose(sg.vmap(lambda v: max(v, 0.5))(X), np.maximum(X, 0.5))
    np.testing.assert_allclose(sg.vmap(lambda v: v if v > 0.5 else 0.0)(X), [0, 0.7, 1.2])
    np.testing.assert_allclose(sg.vmap(math.sqrt)(X), np.sqrt(X))


UNUSED = [
    lambda x: np.sqrt(x[0]) if x[0] > 0 else 2 * x[0], lambda x: (np.log(x[0]), x[1] * x[1] * 2)[1],
    lambda x: x[2] ** 2 + (x[0] if (r := np.sqrt(x[0] ** 2 + x[3] ** 2)) < 1e-9 else r),
    lambda x: sum(t for v, t in [(v, v * np.log(v)) for v in x] if v > 0),
    lambda x: [x[1] ** x[1] + np.nan * x[0], x[2]][1],
]  # fmt: skip


@pytest.mark.parametrize("f", UNUSED)
def test_what_nothing_uses_has_no_gradient(f):
    at = np.array([0.0, 1.5, 3.0, 0.0])
    with np.errstate(all="ignore"):
        found = sg.grad(f)(at)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found, sg.jacobian(f)(at), rtol=1e-14)


def written_beside(x):
    h = np.zeros(3)
    try:
        h += x
    except Exception:
        h = h + 0.0
    return h.sum() + x[0] ** 2


def put_beside(x):
    h = np.zeros(3)
    with contextlib.suppress(Exception):
        np.put(h, [0, 1, 2], x)
    return h.sum() + x[0] ** 2


@pytest.mark.parametrize("f", [written_beside, put_beside])
@pytest.mark.parametrize("transform", [sg.grad, sg.jacobian, sg.jacfwd, sg.hessian])
def test_every_refusal_that_is_caught_is_raised(transform, f):
    with pytest.raises(sg.SymgradError, match="caught this error and went on"):
        transform(f)(X)


def test_numbers_are_tested_and_told():
    def f(x):
        assert not math.isnan(x[0]) and math.isfinite(x[1]) and not math.isinf(x[0] * 2) and math.isclose(x[2], x[2])
        assert not hasattr(x[0], "__iter__") and not hasattr(x[0], "__contains__")
        return x[0] ** 2

    for transform in (sg.grad, sg.jacobian):
        np.testing.assert_allclose(transform(f)(X), [0.6, 0, 0])

    def told(x):
        line = f"{x[0]:.3f} of {x.sum():8.2e}"
        return (x**2).sum() * (len(line) > 0)

    assert sg.compile(told, outputs="f")(X) == told(X)


# What a tensor cannot do, said with its true name ---------------------------------------------------------------------


POINT = np.array([0.52, 0.87, 0.33, 0.71, 0.95, 0.26, 0.64, 0.45, 0.78, 0.17, 0.58, 0.39])


def message(run):
    with pytest.raises(Exception) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True), sg.tensor(POINT.reshape(3, 4), requires_grad=True))
    return caught.type, str(caught.value)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda x, A: sc.wright_bessel(1.0, 2.0, x), "scipy.special.wright_bessel"),
        (lambda x, A: sc.kelvin(x), "scipy.special.kelvin"),
        (lambda x, A: np.savetxt("x.txt", x), "np.savetxt"),
        (lambda x, A: np.divmod.outer(x, x), "np.divmod.outer"),
        (lambda x, A: sc.agm.reduce(x), "scipy.special.agm.reduce"),
        (lambda x, A: sc.zeta(x + 2), "_riemann_zeta, which a function of scipy.special calls,"),
    ],
)
def test_a_function_without_a_row_is_named_truly(run, name):
    kind, text = message(run)
    assert kind is sg.NotDifferentiableError
    assert text.startswith(f"{name} on a tensor that requires grad has no derivative rule\n")


def test_the_nearest_rows_are_named():
    assert "scipy.special.zeta" in message(lambda x, A: sc.zetac(x))[1]
    assert "scipy.special.struve" in message(lambda x, A: sc.itstruve0(x))[1]
    assert "Near" not in message(lambda x, A: np.savetxt("x.txt", x))[1]


def test_an_argument_that_a_row_does_not_take_is_named():
    kind, text = message(lambda x, A: np.exp(x, out=np.zeros(4)))
    assert kind is sg.NotDifferentiableError
    assert re.match(r"np\.exp with out= on a tensor .*\n.*has a row for it", text)
    a = np.zeros(4)
    kind, text = message(lambda x, A: a.__iadd__(x))
    assert kind is sg.NotDifferentiableError and "Write a = a + x where it says a += x" in text


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.sum() / x.size, lambda x: x.size / 2, lambda x: 2 * x.size, lambda x: range(x.size),
        lambda x: x.size > 3, lambda x: x.size == 4, lambda x: np.float64(2.0) / x.size, lambda x: -x.size,
        lambda x: np.ones(x.size), lambda x: np.zeros((x.size, 2)), lambda x: np.arange(x.size), lambda x: bool(x.size),
        lambda x: x.reshape(x.size), lambda x: x * x.size,
    ],
)  # fmt: skip
def test_a_size_that_is_computed_with_says_that_it_is_a_method(use):
    for x in (sg.tensor(POINT, requires_grad=True), sg.tensor(POINT), sg.symbol("x", "n")):
        with pytest.raises((sg.SymgradError, TypeError), match=r"x\.numel\(\) or np\.size\(x\)"):
            use(x)


def test_size_is_still_a_method():
    x = sg.ones(2, 3)
    assert x.size() == (2, 3) and x.size(0) == 2 and x.size(dim=-1) == 3 and sg.Tensor.size(x, 1) == 3
    assert callable(x.size) and "x.numel()" in repr(x.size) and sg.Tensor.size.__doc__.startswith("Return the shape")
    s = sg.symbol("x", ("m", "n"))
    assert str(s.size(0)) == "m" and s.size() == s.shape
    assert np.size(x) == 6 and np.size(x, 1) == 3 and np.size(x, (0, 1)) == 6


def test_a_pair_of_values_and_indices_says_what_it_is():
    kind, text = message(lambda x, A: A.max(axis=1).sum())
    assert kind is AttributeError
    assert "values, indices" in text and "np.max(A, axis=…)" in text and "sg.amax" in text
    assert "np.min" in message(lambda x, A: A.min(axis=1).mean())[1]
    assert "svd" in message(lambda x, A: sg.svd(A).sum())[1]
    pair = sg.ones(2, 2).max(1)
    assert not hasattr(pair, "nonsense") and not hasattr(pair, "__array__") and pair.values.tolist() == [1, 1]
    values, indices = pair
    assert values is pair[0] and indices is pair.indices


def test_concatenation_by_brackets_names_concatenate():
    for name, run in {"np.r_": lambda x, A: np.r_[0.0, x], "np.c_": lambda x, A: np.c_[x, x]}.items():
        kind, text = message(run)
        assert kind is sg.NotDifferentiableError and text.startswith(f"{name}[…] on a tensor")
    assert "np.concatenate" in message(lambda x, A: np.r_[x, x])[1]
    assert "np.column_stack" in message(lambda x, A: np.c_[x, 2 * x])[1]
    np.testing.assert_array_equal(np.r_[0.0, sg.tensor([1.0, 2.0])], [0, 1, 2])  # nothing to be lost


def test_a_dot_of_matrices_names_the_operator():
    kind, text = message(lambda x, A: A.dot(A.T))
    assert kind is sg.ShapeError
    assert text.startswith("1D tensors expected, but got 2D and 2D tensors") and "A @ B" in text


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (lambda x, A: sl.cho_factor(A), "symgrad.scipy.linalg.cho_factor,"),
        (lambda x, A: sl.cholesky(A), "symgrad.scipy.linalg.cholesky,"),
        (lambda x, A: sl.cho_solve((np.eye(3), True), A[:, 0]), "symgrad.scipy.linalg.cho_solve,"),
        (lambda x, A: sl.solve_triangular(A, np.ones(3)), "symgrad.scipy.linalg.solve_triangular"),
        (lambda x, A: sl.solve(A, np.ones(3)), "symgrad.scipy.linalg.solve,"),
        (lambda x, A: sl.inv(A), "symgrad.scipy.linalg.inv,"),
        (lambda x, A: sl.det(A), "symgrad.scipy.linalg.det,"),
        (lambda x, A: sl.expm(A), "symgrad.scipy.linalg.expm"),
        (lambda x, A: sc.logsumexp(x), "symgrad.scipy.special.logsumexp"),
        (lambda x, A: sc.softmax(x), "symgrad.scipy.special.softmax"),
        (lambda x, A: sc.log_softmax(x), "symgrad.scipy.special.log_softmax"),
        (lambda x, A: sparse.eye(4, format="csr").multiply(x), "A sparse array is a factor, A @ x"),
    ],
)
def test_scipys_functions_of_arrays_name_what_takes_tensors(function, instead):
    kind, text = message(lambda x, A: function(x, A[:, :3] @ A[:, :3].T))
    assert kind is sg.GradientError and instead in text, text
    assert "in line" in text and "of test_no_way_out.py" in text


def test_what_is_named_instead_exists():
    from symgrad._tensor.values import _INSTEAD

    for text in _INSTEAD.values():
        for path in re.findall(r"\b(?:np|sg)(?:\.\w+)+", text):
            place = {"np": np, "sg": sg}[path.split(".")[0]]
            for part in path.split(".")[1:]:
                place = getattr(place, part)
            assert callable(place)


def test_a_table_of_pandas_is_named_with_the_users_line():
    pd = pytest.importorskip("pandas", reason="pip install pandas")
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 1.0]})
    for function in (lambda w: (table @ w).sum(), lambda w: table.dot(w).sum()):
        with pytest.raises(sg.GradientError) as caught:
            sg.grad(function)(np.ones(2))
        text = str(caught.value)
        assert "an array by pandas" in text and "of test_no_way_out.py" in text and "df.to_numpy()" in text
    with pytest.raises(sg.SymbolicBranchError, match=r"pandas .*df\.to_numpy\(\)"):
        sg.compile(lambda w: (table @ w).sum())(np.ones(2))


def test_a_list_is_refused_by_operators_and_taken_by_functions():
    for use in (lambda x, A: A @ [1.0, 2.0, 3.0, 4.0], lambda x, A: x + [1.0, 2.0, 3.0, 4.0], lambda x, A: [2.0] * x):
        kind, text = message(use)
        assert issubclass(kind, TypeError) and "Pass tensors, NumPy arrays" in text
    x = sg.tensor(POINT[:2], requires_grad=True)
    assert np.add([1.0, 2.0], x).requires_grad and np.matmul(x, [1.0, 2.0]).requires_grad
    assert np.multiply((1.0, 2.0), x).tolist() == [POINT[0], 2 * POINT[1]]


@pytest.mark.parametrize(
    ("f", "asked", "step"),
    [
        (lambda t: sc.spherical_jn(1, t), r"scipy.special \(spherical_jn", "Use symgrad.scipy.special.spherical_jn"),
        (
            lambda t: sc.sph_harm_y(1, 0, t, 0.3).real,
            r"scipy.special \(sph_harm_y",
            "Use symgrad.scipy.special.sph_harm",
        ),
        (
            lambda t: symgrad.scipy.stats.invgamma.logpdf(1.5, t),
            r"scipy.stats \(invgamma.logpdf",
            "has no derivative here",
        ),
        (lambda t: symgrad.scipy.stats.triang.logpdf(0.4, t), r"scipy.stats \(triang.logpdf", "has no derivative here"),
        (
            lambda t: np.vectorize(lambda s: t * s if s > 1 else 0.0)(np.array([0.5, 4.0])).sum(),
            r"numpy \(vectorize\(\)\)",
            "say otypes=.object.",
        ),
    ],
)
def test_what_a_library_cannot_differentiate_is_named_with_what_can(f, asked, step):
    with pytest.raises(sg.GradientError, match=f"(?s){asked}.*{step}"):
        sg.grad(f)(0.5)


def test_numpys_own_dot_is_warned_of():
    A = np.arange(6.0).reshape(3, 2)
    with pytest.warns(UserWarning, match=r"A.dot\(w\) multiplies Python objects"):
        found = sg.grad(lambda w: (A.dot(w) ** 2).sum())(np.ones(2))
    assert found == pytest.approx(2 * A.T @ A @ np.ones(2))


def test_a_guard_that_takes_an_array_for_a_number_is_warned_of():
    def f(w):
        if not isinstance(w, np.ndarray):
            w = np.array([w])
        return (w[-1] ** 2).sum()

    with pytest.warns(UserWarning, match="f makes an array of what is differentiated, and asks isinstance"):
        sg.value_and_grad(f)(np.array([1.0, 2.0, 3.0]))

"""Transforms of whatever can be called: star arguments, NumPy's functions, modules, objects, builtins, partials."""

import copy
import functools
import inspect
import operator

import numpy as np
import pytest

import symgrad as sg

x = np.array([1.0, 2.0])


def stars(*args, **kwargs):
    return np.sum(args[0] * args[1] ** 2) * kwargs.get("k", 1.0)


# ------------------------------------------------------------------------------------------------------ star arguments


@pytest.mark.parametrize(("argnums", "expected"), [(0, 9.0), (1, 12.0), (-1, 12.0), (-2, 9.0), ((1, 0), (12.0, 9.0))])
def test_positions_count_into_star_arguments(argnums, expected):
    assert sg.grad(stars, argnums)(2.0, 3.0) == expected
    assert sg.value_and_grad(stars, argnums)(2.0, 3.0)[1] == expected
    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        assert transform(stars, argnums)(2.0, 3.0) == expected
    assert sg.grad(functools.partial(stars, 2.0), 0)(3.0) == 12.0


def test_every_transform_with_argnums_takes_a_star_argument():
    f = lambda *rest: (rest[0] * rest[1] ** 2).sum()
    assert np.array_equal(sg.hessian(f, 1)(x, x), np.diag(2 * x))
    assert sg.hessian(f, (0, 1))(x, x).labels == ["rest_0[0]", "rest_0[1]", "rest_1[0]", "rest_1[1]"]
    value, g, H = sg.compile(f, argnums=1)(x, x)
    assert value == (x**3).sum() and np.array_equal(g, 2 * x * x) and np.array_equal(H, np.diag(2 * x))
    assert sg.sparsity(f, x, x, argnums=-1).nnz == 2 and sg.cost(f, x, x, argnums=1) is not None
    assert str(sg.grad(f, 1).formula(x, x)) == "2 rest₀ ⊙ rest₁"
    u, v = sg.symbol("u", "n"), sg.symbol("v", "n")
    assert str(sg.grad(f, 1)(u, v)) == "2u ⊙ v" and str(sg.formula(f, u, v)) == "uᵀv²"


def test_entries_of_keyword_arguments_go_by_their_names():
    assert sg.grad(stars, "k")(2.0, 3.0, k=4.0) == 18.0
    assert sg.grad(stars, -1)(2.0, 3.0, k=4.0) == 48.0  # positions are those of positional arguments
    both = sg.grad(lambda **p: p["a"] * p["b"] ** 2, ("b", "a"))(a=2.0, b=3.0)
    assert both == (12.0, 9.0)
    assert sg.hessian(lambda **p: (p["a"] ** 3).sum(), "a")(a=x).tolist() == np.diag(6 * x).tolist()
    assert sg.compile(lambda **p: (p["a"] ** 3).sum(), "g", argnums="a")(a=x).tolist() == (3 * x**2).tolist()
    assert sg.grad(lambda x, /, **p: x * p["x"])(2.0, x=3.0) == 3.0  # one name for two things
    assert sg.grad(lambda **p: p["in"] * p["a b"] * p["c"], "c")(**{"in": 2.0, "a b": 3.0, "c": 1.0}) == 6.0


def test_star_arguments_as_a_whole():
    assert sg.grad(stars, "args")(2.0, 3.0) == (9.0, 12.0)
    assert sg.grad(lambda **p: p["a"] * p["b"], "p")(a=2.0, b=3.0) == {"a": 3.0, "b": 2.0}


def test_defaults_and_keyword_only_parameters():
    f = lambda a=2.0, *rest, k=3.0: a * sum(rest) * k
    assert sg.grad(f)(5.0, 1.0) == 3.0 and sg.grad(f, 1)(5.0, 1.0) == 15.0 and sg.grad(f, "k")(5.0, 1.0) == 5.0
    assert sg.grad(lambda a, *, k=3.0: a * k**2, "k")(2.0) == 12.0


@pytest.mark.parametrize(
    ("f", "argnums", "words"),
    [
        (stars, 2, "takes 2 arguments"), (stars, -3, "takes 2 arguments"), (stars, "q", "no parameter 'q'"),
        (stars, ("args", 0), "unique"), (functools.partial(stars, 1.0), -3, "takes 2 arguments"),
        (lambda **k: 1.0, 0, "takes 0 arguments"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(f, argnums, words):
    with pytest.raises(sg.GradientError, match=words):
        sg.grad(f, argnums)(*([2.0, 3.0] if f is not None and "k" not in inspect.signature(f).parameters else []))


def test_a_function_of_nothing_is_told_to_take_an_argument():
    with pytest.raises(sg.GradientError, match="takes 0 arguments\nThey.*\n.*must be an argument, not a variable from"):
        sg.grad(lambda: 1.0)()


def test_star_arguments_can_be_held():
    f = sg.fix(stars, {1: 3.0}, k=2.0)
    assert sg.grad(f)(5.0) == 18.0 and f(5.0) == 90.0
    assert str(sg.formula(sg.fix(lambda x, **p: x @ p["q"], q=x), x)) == "qᵀx"
    with pytest.raises(sg.GradientError, match="only 1 come before it"):
        sg.fix(stars, {3: 1.0})(2.0)
    with pytest.raises(TypeError, match="multiple values"):
        f(5.0, k=1.0)


# ---------------------------------------------------------------------------------------- NumPy's functions, builtins


def test_numpys_functions_to_any_order():
    assert sg.grad(sg.grad(sg.grad(np.tanh)))(0.5) == pytest.approx(sg.grad(sg.grad(sg.grad(sg.tanh)))(0.5))
    assert np.allclose(sg.vmap(sg.grad(sg.grad(np.sin)))(x), -np.sin(x))
    assert np.allclose(sg.vmap(np.sin)(x), np.sin(x)) and sg.jacfwd(sg.jacrev(np.exp))(1.0) == pytest.approx(np.e)
    assert str(sg.grad(sg.grad(np.sin)).formula(0.3)) == "−sin(x)"
    assert str(inspect.signature(sg.grad(np.add))) == "(x, y)" and sg.grad(np.power, "y")(2.0, 3.0) is not None
    assert np.allclose(sg.hessian(np.linalg.norm)(x), sg.hessian(lambda x: np.sqrt((x * x).sum()))(x))
    assert sg.grad(functools.partial(np.power, 2.0))(3.0) == pytest.approx(8 * np.log(2))


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [(max, (1.0, 2.0), 1.0), (pow, (2.0, 3.0), 12.0), (abs, (-2.0,), -1.0), (operator.mul, (2.0, 3.0), 3.0)],
)
def test_builtins(f, args, expected):
    assert sg.grad(f, 1 if f is max else 0)(*args) == expected
    assert isinstance(sg.grad(sg.grad(f))(*args), float)


class Model:
    w = 3.0

    def __call__(self, x):
        return (x**2).sum() * self.w

    def scaled(self, x, *more):
        return self(x) * more[0]

    static = staticmethod(lambda x: (x**2).sum())


def test_methods_and_callable_objects():
    model = Model()
    assert sg.grad(model)(x).tolist() == [6.0, 12.0] and sg.grad(model.scaled, 1)(x, 2.0) == 15.0
    assert sg.grad(Model.static)(x).tolist() == [2.0, 4.0] and str(sg.formula(model, x)) == "3‖x‖²"
    assert sg.hessian(model.scaled)(x, 2.0).tolist() == [[12.0, 0.0], [0.0, 12.0]]


# ------------------------------------------------------------------------------------------------------------- modules


def test_modules_have_the_parameters_of_their_forward():
    net = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh(), sg.nn.Linear(3, 1), sg.nn.Flatten(0))
    layer = sg.nn.Linear(2, 3)
    assert str(inspect.signature(sg.jacobian(layer))).startswith("(input: ")
    with sg.no_grad():
        assert np.array_equal(sg.jacobian(layer)(x), layer.weight.numpy())
        assert np.array_equal(sg.jacobian(layer, "input")(x), layer.weight.numpy())
        number = lambda x: net(x)[0]
        H = sg.hessian(number)(x)
        assert np.allclose(sg.jacobian(sg.jacobian(net))(x)[0], H, atol=1e-12)
        assert np.allclose(sg.vmap(sg.jacobian(layer))(np.stack([x, x]))[1], layer.weight.numpy())


class Scalar(sg.nn.Module):
    def forward(self, x, scale=1.0):
        return (x**3).sum() * scale


def test_a_module_is_a_function_like_any_other():
    assert sg.hessian(Scalar())(x).tolist() == np.diag(6 * x).tolist()
    assert sg.grad(Scalar(), "scale")(x, 2.0) == 9.0 and sg.grad(Scalar(), -1)(x) == 9.0


# -------------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy], ids=lambda f: f.__name__)
@pytest.mark.parametrize("of", ["the argument", "a result", "a container"])
def test_a_copy_made_inside_a_function_depends_on_the_original(copied, of):
    def f(x):
        y = copied(x) if of == "the argument" else copied(x * 1) if of == "a result" else copied({"a": [x]})["a"][0]
        return (y**3).sum()

    for transform in (sg.grad, lambda f: sg.grad(f).formula, sg.func.grad, lambda f: sg.compile(f, "g")):
        found = transform(f)(x)
        found = found(x=x) if isinstance(found, sg.Formula) else found
        assert np.allclose(found, 3 * x**2)
    assert np.allclose(sg.hessian(f)(x), np.diag(6 * x)) and sg.jvp(f, (x,), (x,))[1] == 27.0
    assert np.allclose(sg.vmap(sg.grad(f))(np.stack([x, 2 * x])), [3 * x**2, 12 * x**2])
    assert str(sg.formula(f, sg.symbol("x", "n"))) == "sum(x³)"
    assert np.allclose(sg.grad(lambda x: sg.grad(f)(x).sum())(x), 6 * x)


def test_a_copy_of_an_argument_has_memory_of_its_own():
    def f(x):
        y = copy.copy(x)
        y[0] = 0.0
        return (x * y).sum()

    assert sg.grad(f)(x).tolist() == [0.0, 4.0] and x.tolist() == [1.0, 2.0]


def test_copies_of_modules_inside_a_function_and_of_tensors_outside_are_leaves():
    net = sg.nn.Linear(2, 1)

    def f(x):
        twin = copy.deepcopy(net)
        assert all(p.is_leaf and isinstance(p, sg.nn.Parameter) for p in twin.parameters())
        return twin(x).sum()

    assert np.allclose(sg.grad(f)(sg.tensor(x)).detach(), net.weight.detach()[0])
    w = sg.tensor(x, requires_grad=True)
    assert copy.copy(w).is_leaf and copy.deepcopy(w).is_leaf and copy.copy(w * 2).is_leaf
    with pytest.raises(sg.GradientError, match="deepcopy protocol"):
        copy.deepcopy(w * 2)


class Doubled(functools.partial):
    def __call__(self, *args):
        return 2.0 * super().__call__(*args)


ASKED = {
    "grad": sg.grad, "of a tensor": lambda f: lambda x: sg.grad(f)(sg.tensor(x)).numpy(),
    "compile": lambda f: sg.compile(f, "g"), "fix": lambda f: sg.grad(sg.fix(f, a=3.0)),
}  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
def test_a_partial_function_that_is_called_in_a_way_of_its_own(ask):
    f = Doubled(lambda x, a=3.0: (x**a).sum())
    np.testing.assert_allclose(ASKED[ask](f)(x), 6 * x**2)

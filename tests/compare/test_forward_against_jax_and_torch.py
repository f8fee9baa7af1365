"""Forward mode and Taylor series against JAX (jvp, linearize, jacfwd, jet) and PyTorch (func.jvp, jacfwd)."""

import importlib
import math

import numpy as np
import pytest

import symgrad as sg

from ..properties._programs import program_of
from ._answers import answer

# PyTorch's forward mode compiles formulas of its own with what it deprecates itself
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

X = np.array([0.3, -0.7, 1.1])
T = np.array([1.0, -2.0, 0.5])


def functions(lib):
    """The same functions, written with the operations of a library: `lib.name`, arrays with operators."""
    return {
        "mixed": lambda x: lib.sin(x) * lib.exp(-x * x) + x[0] * x[1:].sum(),
        "powers": lambda x: (x * x + 1) ** 1.5 / (2 + lib.cos(x)),
        "softmax": lambda x: lib.softmax(x * 3, 0),
        "logsumexp": lambda x: lib.logsumexp(x * x, 0),
        "product": lambda x: lib.outer(x, lib.tanh(x)) @ x,
        "choice": lambda x: lib.where(x > 0, lib.log1p(abs(x)), x**3),
        "norm": lambda x: lib.sqrt((x * x).sum()) * x,
        "solve": lambda x: lib.solve(lib.outer(x, x) + lib.eye(3) * 2, lib.sin(x)),
        "det": lambda x: lib.det(lib.outer(x, x) + lib.eye(3) * 2),
        "prod": lambda x: lib.prod(x + 2) + lib.cumsum(x, 0),
        "special": lambda x: lib.erf(x) + lib.lgamma(x * x + 1) + lib.arctan2(x, x + 2),
    }


class _Symgrad:
    solve, det = staticmethod(sg.linalg.solve), staticmethod(sg.linalg.det)

    def __getattr__(self, name):
        return getattr(sg, name)


NAMES = tuple(functions(_Symgrad()))
MINE = functions(_Symgrad())


def of_jax(jax):
    class Library:
        softmax, logsumexp = staticmethod(jax.nn.softmax), staticmethod(jax.nn.logsumexp)
        erf, lgamma = staticmethod(jax.scipy.special.erf), staticmethod(jax.scipy.special.gammaln)
        solve, det = staticmethod(jax.numpy.linalg.solve), staticmethod(jax.numpy.linalg.det)

        def __getattr__(self, name):
            return getattr(jax.numpy, name)

    return functions(Library())


def of_torch(torch):
    class Library:
        solve, det = staticmethod(torch.linalg.solve), staticmethod(torch.linalg.det)

        def eye(self, n):
            return torch.eye(n, dtype=torch.float64)

        def __getattr__(self, name):
            return getattr(torch, name)

    return functions(Library())


# JAX ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_values_tangents_and_columns_are_jaxs(name):
    def theirs(jax):
        f = of_jax(jax)[name]
        columns, again = jax.jacfwd(f)(X), jax.jacfwd(jax.jacfwd(f))(X)
        return jax.jvp(f, (X,), (T,)), jax.linearize(f, X)[1](T), columns, again

    f = MINE[name]
    pair, linear, columns, again = answer("jax", theirs)
    for found, expected in zip(sg.jvp(f, (X,), (T,)), pair, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.linearize(f, X)[1](T), linear, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(f)(X), columns, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(sg.jacfwd(f))(X), again, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_series_are_jaxs_nested_directional_derivatives(name):
    def theirs(jax):
        def along(f):
            return lambda x: jax.jvp(f, (x,), (T,))[1]

        derivatives = [of_jax(jax)[name]]
        for _ in range(3):
            derivatives.append(along(derivatives[-1]))
        return [g(X) for g in derivatives]

    found, expected = sg.taylor(MINE[name], X, 3, T), answer("jax", theirs)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    for k in range(1, 4):
        np.testing.assert_allclose(found[k], expected[k] / math.factorial(k), rtol=1e-8, atol=1e-10)


def test_series_are_those_of_jet():
    order = 8

    def theirs(jax):
        jet = importlib.import_module("jax.experimental.jet").jet
        inputs = [jax.numpy.asarray(1.0)] + [jax.numpy.asarray(0.0)] * (order - 1)
        value, derivatives = jet(lambda x: jax.numpy.sin(jax.numpy.exp(x)) * jax.numpy.tanh(x), (0.3,), (inputs,))
        return [value, *derivatives]

    expected = [d / math.factorial(k) for k, d in enumerate(answer("jax", theirs))]
    found = sg.taylor(lambda x: sg.sin(sg.exp(x)) * sg.tanh(x), 0.3, order)
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-9)


def test_containers_and_aux_are_jaxs():
    def f(p, y):
        return {"a": p["w"] * y, "b": (p["w"].sum(), y)}, y * 2

    primals, tangents = ({"w": X}, 2.0), ({"w": T}, 0.5)
    value, t, aux = sg.jvp(f, primals, tangents, has_aux=True)
    theirs = answer("jax", lambda jax: jax.jvp(f, primals, tangents, has_aux=True))
    for found, expected in zip((value, t), theirs[:2], strict=True):
        np.testing.assert_allclose(found["a"], expected["a"])
        np.testing.assert_allclose(found["b"], expected["b"])
    assert aux == theirs[2]


# PyTorch --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_values_tangents_and_columns_are_torchs(name):
    has_columns = name != "special"  # PyTorch has no batching rule for lgamma's derivative in forward mode everywhere

    def theirs(torch):
        f, x, t = of_torch(torch)[name], torch.tensor(X), torch.tensor(T)
        return torch.func.jvp(f, (x,), (t,)), torch.func.jacfwd(f)(x) if has_columns else None

    f = MINE[name]
    pair, columns = answer("torch", theirs)
    for found, expected in zip(sg.jvp(f, (X,), (T,)), pair, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    if has_columns:
        np.testing.assert_allclose(sg.jacfwd(f)(X), columns, rtol=1e-10, atol=1e-12)


OF_COMPLEX = {
    "exp": lambda lib, z: lib.exp(z) * z, "abs": lambda lib, z: lib.abs(z), "conj": lambda lib, z: z.conj() * z,
    "angle": lambda lib, z: lib.angle(z), "parts": lambda lib, z: z.real * z.imag,
    "view_as_real": lambda lib, z: lib.view_as_real(z) * 2, "sqrt": lambda lib, z: lib.sqrt(z) + 1 / z,
    "complex": lambda lib, z: lib.complex(z.real**2, z.imag),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_tangents_of_complex_numbers_are_torchs(name):
    of = OF_COMPLEX[name]
    z, v = np.array([1 + 2j, -0.5 + 0.5j]), np.array([1j, 2 - 1j])
    found = sg.jvp(lambda z: of(sg, z), (z,), (v,))[1]
    expected = answer(
        "torch", lambda torch: torch.func.jvp(lambda z: of(torch, z), (torch.tensor(z),), (torch.tensor(v),))[1]
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_functions_own_jvp_gives_what_it_gives_in_torch():
    def cube(lib):
        class Cube(lib.autograd.Function):
            @staticmethod
            def forward(x, a):
                return x**3 * a

            @staticmethod
            def setup_context(ctx, inputs, output):
                x, ctx.a = inputs
                ctx.save_for_backward(x)
                ctx.save_for_forward(x)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 3 * x**2 * ctx.a * g, None

            @staticmethod
            def jvp(ctx, t, _):
                (x,) = ctx.saved_tensors
                return 3 * x**2 * ctx.a * t

        return lambda x: Cube.apply(x, 2.0)

    found = sg.jvp(cube(sg), (X,), (T,))[1]
    expected = answer("torch", lambda torch: torch.func.jvp(cube(torch), (torch.tensor(X),), (torch.tensor(T),))[1])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_tangents_of_random_programs_are_torchs(seed):
    program = program_of(seed, smooth=True)
    rng = np.random.default_rng(seed)
    tangents = [np.asarray(rng.normal(size=a.shape)) for a in program.leaves]

    def theirs(torch):
        leaves, moves = (tuple(map(torch.tensor, arrays)) for arrays in (program.leaves, tangents))
        return torch.func.jvp(lambda *xs: program.loss(torch, list(xs)), leaves, moves)

    expected = answer("torch", theirs)
    found = sg.jvp(lambda *xs: program.loss(sg, list(xs)), tuple(program.leaves), tuple(tangents))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-8, atol=1e-10)

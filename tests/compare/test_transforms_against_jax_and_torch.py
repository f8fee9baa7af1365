"""The function interface against its models: JAX's transforms (in double precision) and ``torch.func``.

JAX runs random programs of NumPy's functions, written here; PyTorch those of `tests/properties`.
"""

import importlib
import random

import numpy as np
import pytest

import symgrad as sg

from ..helpers.numeric import assert_close
from ..properties._programs import program_of
from ._answers import answer

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]


# ------------------------------------------------------------------------------------------ programs in NumPy's words

UNARY = ["L.sin({u})", "L.tanh({u})", "L.exp(-{u} * {u})", "L.log(2 + {u} * {u})", "{u}[::-1]", "L.cumsum({u})"]
BINARY = ["{u} * {w}", "{u} - {w}", "{u} / (2 + L.cos({w}))", "p['M'] @ {u}", "({u} @ {w}) * {w}", "p['s'] * {u}",
          "L.sum(L.outer({u}, {w}) * p['M'], 0)", "L.sqrt(1 + {u} ** 2) + {w}", "L.max({u}) * {w}"]  # fmt: skip


class Text:
    """A random function from {'a': (3,), 'M': (3, 3), 's': ()} to a vector, the same text for NumPy and JAX."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.lines, names = [], ["p['a']"]
        for k in range(r.randrange(3, 7)):
            form = r.choice(UNARY + 2 * BINARY)
            self.lines.append(f"v{k} = {form.format(u=r.choice(names[-2:]), w=r.choice(names))}")
            names.append(f"v{k}")
        self.last = names[-1]

    def vector(self, L):
        def model(p):
            scope = {"L": L, "p": p}
            for line in self.lines:
                exec(line, scope)
            return scope[self.last]

        return model

    def number(self, L):
        model = self.vector(L)
        return lambda p: L.sum(L.sin(model(p)) * np.array([1.0, 2.0, -0.5]))


def parameters(seed):
    r = np.random.default_rng(seed)
    return {"a": r.normal(size=3), "M": r.normal(size=(3, 3)) / 2, "s": np.asarray(r.normal())}


def dotted(L, p, v):
    return sum(L.sum(p[k] * v[k]) for k in p)


SYMGRAD = {
    "grad": sg.grad, "value_and_grad": sg.value_and_grad, "jacobian": sg.jacobian, "jacrev": sg.jacrev,
    "hessian": sg.hessian, "vjp": sg.vjp, "hvp": sg.hvp, "ggn": sg.ggn_vp, "laplacian": sg.laplacian,
    "diagonal": sg.diag_hessian,
}  # fmt: skip


def of_jax(jax):
    """The same names for JAX."""
    ravel = importlib.import_module("jax.flatten_util").ravel_pytree

    def hvp(f, x, v):
        return jax.jvp(jax.grad(f), (x,), (v,))[1]

    def ggn(f, x, v, loss):
        z, tangent = jax.jvp(f, (x,), (v,))
        return jax.vjp(f, x)[1](hvp(loss, z, tangent))[0]

    def diagonal(f, x):
        flat, back = ravel(x)
        return back(jax.numpy.diag(jax.hessian(lambda z: f(back(z)))(flat)))

    return {
        "grad": jax.grad, "value_and_grad": jax.value_and_grad, "jacobian": jax.jacfwd, "jacrev": jax.jacrev,
        "hessian": jax.hessian, "vjp": jax.vjp, "hvp": hvp, "ggn": ggn, "diagonal": diagonal,
        "laplacian": lambda f, x: sum(d.sum() for d in diagonal(f, x).values()),
    }  # fmt: skip


def results(L, T, program, p, v):
    """Every transform, and transforms of transforms, of one program in one library."""
    f, model = program.number(L), program.vector(L)
    loss = lambda z: L.sum(L.log(1 + L.exp(z)))
    ones = np.array([1.0, -2.0, 0.5])
    value, pull = T["vjp"](model, p)
    number = lambda g: dotted(L, g, v)
    return {
        "gradient": T["grad"](f)(p),
        "value and gradient": T["value_and_grad"](f)(p),
        "with aux": T["grad"](lambda p: (f(p), {"twice": 2 * p["a"]}), has_aux=True)(p),
        "Jacobian": T["jacobian"](model)(p),
        "Jacobian of a container": T["jacrev"](lambda p: {"y": model(p), "more": (f(p),)})(p),
        "Hessian": T["hessian"](f)(p),
        "vjp": (value, pull(ones)),
        "hvp": T["hvp"](f, p, v),
        "Gauss-Newton": T["ggn"](model, p, v, loss),
        "diagonal": T["diagonal"](f, p),
        "Laplacian": T["laplacian"](f, p),
        "gradient of a gradient": T["grad"](lambda p: number(T["grad"](f)(p)))(p),
        "Jacobian of a gradient": T["jacobian"](T["grad"](f))(p),
        "gradient of value and gradient": T["grad"](lambda p: number(T["value_and_grad"](f)(p)[1]))(p),
        "value and gradient with aux": T["grad"](T["value_and_grad"](f), has_aux=True)(p),
        "vjp of vjp": T["vjp"](lambda p: T["vjp"](model, p)[1](ones)[0]["a"], p)[1](ones),
        "gradient of hvp": T["grad"](lambda p: number(T["hvp"](f, p, v)))(p),
        "Hessian of an entry of a Hessian": T["hessian"](
            lambda s: T["hessian"](lambda a: f({**p, "a": a, "s": s}))(p["a"])[0, 1])(p["s"]),
    }  # fmt: skip


def compare(found, expected, what):
    if isinstance(expected, dict):
        assert set(found) == set(expected), what
        for key in expected:
            compare(found[key], expected[key], f"{what}[{key!r}]")
    elif isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected), what
        for k, (a, b) in enumerate(zip(found, expected, strict=True)):
            compare(a, b, f"{what}[{k}]")
    else:
        if isinstance(found, sg.Tensor):
            assert not found.requires_grad, what
            found = found.numpy()
        assert_close(found, np.asarray(expected), rtol=1e-9, atol=1e-9, what=what)


@pytest.mark.parametrize("seed", range(6))
def test_every_transform_gives_what_jax_gives(seed):
    program, p, v = Text(seed), parameters(seed), parameters(seed + 100)
    expected = answer("jax", lambda jax: results(jax.numpy, of_jax(jax), program, p, v), bits=40)
    compare(results(np, SYMGRAD, program, p, v), expected, f"{program.lines}: ")
    tensors = {k: sg.tensor(a) for k, a in p.items()}
    compare(results(np, SYMGRAD, program, tensors, v), expected, f"{program.lines}, tensors: ")


@pytest.mark.parametrize("seed", range(6))
def test_formulas_have_the_values_of_jax(seed):
    program, p, v = Text(seed), parameters(seed), parameters(seed + 100)
    symbols = {"a": sg.symbol("a", 3), "M": sg.symbol("M", (3, 3)), "s": sg.symbol("s")}

    def run(L, T, x):
        f = program.number(L)
        return {
            "gradient": T["grad"](f)(x),
            "value and gradient": T["value_and_grad"](f)(x),
            "hvp": T["hvp"](f, x, v),
            "vjp": T["vjp"](f, x)[1](2.0),
        }

    expected = answer("jax", lambda jax: run(jax.numpy, of_jax(jax), p), bits=40)
    for name, formulas in run(np, SYMGRAD, symbols).items():
        values = evaluated(formulas, p)
        compare(values, expected[name], f"{program.lines}: {name}")


def evaluated(tree, p):
    if isinstance(tree, dict):
        return {k: evaluated(e, p) for k, e in tree.items()}
    if isinstance(tree, tuple):
        return tuple(evaluated(e, p) for e in tree)
    return tree(**{k: v for k, v in p.items() if k in tree.free_symbols})


# -------------------------------------------------------------------------------------------------------- torch.func


def of_both(lib, func, program, leaves, vectors):
    """Transforms of a random program by ``func``, or by symgrad."""
    f = lambda x: program.loss(lib, list(x))
    weighted = lambda g: sum((a * b).sum() for a, b in zip(g, vectors, strict=True))
    if func is None:
        return {
            "gradient": sg.grad(f)(leaves), "hvp": sg.hvp(f, leaves, vectors),
            "vjp": sg.vjp(f, leaves)[1](lib.tensor(2.0)),
            "gradient of hvp": sg.grad(lambda x: weighted(sg.hvp(f, x, vectors)))(leaves),
        }  # fmt: skip
    hvp = lambda x: func.vjp(func.grad(f), x)[1](vectors)[0]
    # torch.func's third derivative of det is wrong on some machines, where torch.autograd's agrees with differences
    third = by_autograd(lib, f, leaves, weighted) if "linalg.det" in repr(program) else None
    return {
        "gradient": func.grad(f)(leaves), "hvp": hvp(leaves), "vjp": func.vjp(f, leaves)[1](lib.tensor(2.0)),
        "gradient of hvp": third or func.grad(lambda x: weighted(hvp(x)))(leaves),
    }  # fmt: skip


def by_autograd(torch, f, leaves, weighted):
    """The gradient of the Hessian-vector product, by three sweeps of the tape."""
    xs = tuple(x.clone().requires_grad_() for x in leaves)
    found = f(xs)
    for _ in range(3):
        options = dict(create_graph=True, allow_unused=True, materialize_grads=True)
        grads = torch.autograd.grad(found, xs, **options) if found.requires_grad else [torch.zeros_like(x) for x in xs]
        found = weighted(grads)
    return tuple(g.detach() for g in grads)


def test_random_programs_give_what_torch_func_gives():
    checked = 0
    for seed in range(120):
        program = program_of(seed, smooth=True)
        r = np.random.default_rng(seed)
        vectors = [r.normal(size=a.shape) for a in program.leaves]

        def theirs(torch, program=program, vectors=vectors):
            leaves, along = (tuple(torch.tensor(a) for a in arrays) for arrays in (program.leaves, vectors))
            return {name: flat(tree) for name, tree in of_both(torch, torch.func, program, leaves, along).items()}

        try:
            expected = answer("torch", theirs, bits=40)
        except (RuntimeError, NotImplementedError):  # torch.func has not every operation
            continue
        ours = tuple(sg.tensor(a) for a in program.leaves), tuple(sg.tensor(v) for v in vectors)
        found = of_both(sg, None, program, *ours)
        for name, arrays in expected.items():
            if all(np.abs(np.nan_to_num(a)).max(initial=0) < 1e6 for a in arrays):
                for a, b in zip(flat(found[name]), arrays, strict=True):
                    a = a.numpy()
                    b = np.where(np.isnan(b) & np.isfinite(a), a, b)  # its third derivative of logcumsumexp is NaN
                    assert_close(a, b, rtol=1e-8, atol=1e-8, what=f"seed {seed}, {name}:\n{program!r}")
        checked += 1
    assert checked > 90


def flat(tree):
    return [leaf for entry in tree for leaf in flat(entry)] if isinstance(tree, tuple) else [tree]

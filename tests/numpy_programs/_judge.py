"""What the programs of this folder are, and how their derivatives are judged: by differences of plain NumPy runs.

A program is the body of a function of one argument, as a script would have it after `import numpy as np` and
`import scipy.special as sc`. It is text, so that it can run with either of two modules named `np`.
"""

import functools
import linecache
import textwrap
from dataclasses import dataclass

import numpy
import scipy.special

import symgrad as sg

WIDE, NARROW = 1e-4, 5e-5


@dataclass(frozen=True)
class Case:
    """The body of `def f(x)`, where to start, and what the script has `given` before the function.

    With ``plain=False`` the program runs with `symgrad.numpy` only: it fills a float array that it made from nothing,
    or gives an array of pieces to a function that NumPy does not have for objects: `np.linalg`, binary ufuncs,
    and a mean of all, which NumPy ends by `dtype.type(mean)`.
    With ``by_jacobian`` its Hessian is `sg.jacobian(sg.grad(f))`, since `sg.hessian` looks long for a program.
    """

    name: str
    body: str
    x: str
    given: str = ""
    arg: str = "x"
    plain: bool = True
    by_jacobian: bool = False

    def start(self):
        """The point: an array, a number, or a container of these."""
        return eval(self.x, _names(numpy, seed=0))

    def function(self, np=numpy):
        """The program as a function, with ``np`` as its NumPy. Errors show its lines."""
        given, body = (textwrap.dedent(text).strip("\n") for text in (self.given, self.body))
        source = f"{given}\n\ndef f({self.arg}):\n{textwrap.indent(body, '    ')}\n"
        file = f"<{self.name}>"
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        names = _names(np, seed=1)
        exec(compile(source, file, "exec"), names)
        return names["f"]


def _names(np, seed):
    return {"np": np, "sc": scipy.special, "rng": numpy.random.default_rng(seed), "__name__": "program"}


def flat(tree):
    """All numbers of a container as one vector, dictionaries by sorted keys."""
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree)]
    if isinstance(tree, list | tuple):
        return numpy.concatenate([flat(branch) for branch in tree])
    return numpy.array(tree, dtype=float).ravel()


def like(tree, vector):
    """A new container like ``tree`` with the numbers of ``vector``."""
    if isinstance(tree, dict):
        keys = sorted(tree)
        return dict(zip(keys, like([tree[key] for key in keys], vector)))
    if isinstance(tree, list | tuple):
        ends = numpy.cumsum([flat(branch).size for branch in tree])
        return type(tree)(like(branch, part) for branch, part in zip(tree, numpy.split(vector, ends[:-1])))
    return vector.copy().reshape(tree.shape) if isinstance(tree, numpy.ndarray) else float(vector[0])


def shapes(tree):
    """The container with the shapes of its arrays."""
    if isinstance(tree, dict):
        return {key: shapes(branch) for key, branch in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(shapes(branch) for branch in tree)
    return numpy.shape(tree)


def by_differences(f, direction):
    """The derivative at 0 of f(t·direction): central differences with two steps, which must agree to 1e-5."""
    wide, narrow = ((f(h * direction) - f(-h * direction)) / (2 * h) for h in (WIDE, NARROW))
    numpy.testing.assert_allclose(wide, narrow, rtol=1e-5, atol=1e-7, err_msg="the reference is not sound")
    return (4 * narrow - wide) / 3


@functools.cache
def gradient_by_differences(case):
    """The gradient as a vector, entry by entry."""
    f, x = case.function(), case.start()
    at = flat(x)
    return numpy.array([by_differences(lambda d: float(f(like(x, at + d))), unit) for unit in numpy.eye(at.size)])


def assert_gradient(case, np):
    """`sg.grad(f)` at the start point is right, and leaves the caller's arrays as they were."""
    x = case.start()
    before = flat(x)
    actual = sg.grad(case.function(np))(x)
    numpy.testing.assert_allclose(flat(actual), gradient_by_differences(case), rtol=2e-5, atol=1e-7)
    numpy.testing.assert_array_equal(flat(x), before, err_msg="the caller's array was written to")
    assert shapes(actual) == shapes(x)


def assert_value(case, np):
    """What `sg.value_and_grad(f)` says of the value is what plain NumPy computes."""
    value = case.function()(case.start())
    assert numpy.shape(value) == ()
    numpy.testing.assert_allclose(sg.value_and_grad(case.function(np))(case.start())[0], value, rtol=1e-12, atol=1e-14)


def assert_second_derivatives(case, np, jacobian=False):
    """`sg.hessian(f)`, along two directions that no entry escapes, is what the gradient does along them.

    With ``jacobian``, and where the case says so, the Hessian of an array is `sg.jacobian(sg.grad(f))`.
    """
    f, x = case.function(np), case.start()
    at, gradient = flat(x), sg.grad(f)
    if isinstance(x, numpy.ndarray | float):
        hessian = sg.jacobian(gradient)(x) if jacobian or case.by_jacobian else sg.hessian(f)(x)
        matrix, vector = numpy.reshape(hessian, (at.size, at.size)), flat
    else:
        hessian = sg.hessian(f)(x)
        matrix, vector = hessian.matrix, hessian.flatten
    numpy.testing.assert_allclose(matrix, matrix.T, rtol=1e-7, atol=1e-9, err_msg="the Hessian is not symmetric")
    for direction in numpy.random.default_rng(7).normal(size=(2, at.size)):
        expected = by_differences(lambda d: vector(gradient(like(x, at + d))), direction)
        numpy.testing.assert_allclose(matrix @ vector(like(x, direction)), expected, rtol=2e-5, atol=1e-7)

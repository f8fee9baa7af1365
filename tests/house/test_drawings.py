"""The drawings of docs/how-it-works.md are what runs."""

import functools
import itertools
import pathlib
import re
import sys
import textwrap

import numpy as np
import pytest

import symgrad as sg
from symgrad.programs.program import clear

PACKAGE = pathlib.Path(sg.__file__).parent
PAGE = PACKAGE.parent / "docs" / "how-it-works.md"
LINE = re.compile(r"( *)(\S+(?: \S+)*) {2,}(<[^>]+>|\S+)(?: {2,}.*)?")


def drawings():
    section = PAGE.read_text().split("## Hop by hop")[1].split("\n## ")[0]
    blocks = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    return [[LINE.fullmatch(line).groups() for line in textwrap.dedent(b).splitlines()] for b in blocks]


@functools.cache  # of millions of calls
def place(filename):
    """Where a code is written: a file of the package by its path there."""
    path = pathlib.Path(filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else re.sub(r" \d+>", ">", filename)


def calls(run):
    """The calls that ``run`` makes inside the package: a tree of ``(name, file, calls)``."""
    root = ("", "", [])
    stack = [root]

    def note(frame, event, _):
        if event == "call":
            code = frame.f_code
            stack.append((code.co_qualname, place(code.co_filename), []))
            stack[-2][2].append(stack[-1])
        elif event == "return" and len(stack) > 1:
            stack.pop()

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return root


def below(call):
    for inner in call[2]:
        yield inner
        yield from below(inner)


def follow(drawing, call, depth=0):
    """Find the drawn lines of one depth, in order, among the calls below ``call``; and theirs below them."""
    starts = [i for i, (indent, *_) in enumerate(drawing) if len(indent) == depth] + [len(drawing)]
    inner = below(call)
    for a, b in itertools.pairwise(starts):
        _, name, file = drawing[a]
        for found in inner:
            if found[:2] == (name, file):
                try:
                    follow(drawing[a + 1 : b], found, depth + 2)
                    break
                except AssertionError:
                    continue
        else:
            raise AssertionError(f"{name} of {file} is drawn and does not run below {call[0]}")


def test_the_drawings_are_followed():
    X = np.arange(6.0).reshape(3, 2)

    def f(w):
        return sg.log1p(sg.exp(X @ w)).sum()

    w = sg.tensor([0.1, 0.2], requires_grad=True, name="w")
    loss = f(w)
    (
        backward, formula, printed, first, again, repeated, tape, arrays, written, added, product, product_again,
        batch, compiled, looped, parsed,
    ) = drawings()  # fmt: skip
    follow(backward, calls(lambda: loss.backward(retain_graph=True)))
    w.grad = None
    loss.backward(create_graph=True)
    follow(formula, calls(lambda: w.grad.formula()))
    follow(printed, calls(lambda: repr(w.grad.formula())))
    clear()
    H = sg.hessian(f)
    follow(first, calls(lambda: H(np.zeros(2))))
    follow(again, calls(lambda: H(np.ones(2))))
    for _ in range(500):  # until it was called often enough
        H(np.ones(2))
    follow(repeated, calls(lambda: H(np.ones(2))))

    class Cube(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    follow(tape, calls(lambda: sg.hessian(lambda x: Cube.apply(x).sum())(sg.tensor([1.0, 2.0]))))
    follow(arrays, calls(lambda: sg.grad(lambda w: np.log1p(np.exp(X @ w)).sum())(np.zeros(2))))

    def filled(x):
        h = np.zeros_like(x)
        h[0] = 2 * x[0]
        return np.sum(h)

    follow(written, calls(lambda: sg.grad(filled)(np.ones(2))))

    def added_to(x):
        h = np.zeros_like(x)
        h[1:3] += 2 * x[1:3]
        return np.sum(h)

    follow(added, calls(lambda: sg.grad(added_to)(np.ones(4))))
    follow(product, calls(lambda: sg.hvp(f, np.zeros(2), np.ones(2))))
    follow(product_again, calls(lambda: sg.hvp(f, np.ones(2), np.ones(2))))
    follow(batch, calls(lambda: sg.vmap(lambda w: sg.log1p(sg.exp(w)).sum())(np.ones((4, 2)))))
    follow(compiled, calls(lambda: sg.compile(f, "fgh")(np.zeros(2))))

    def rounds(p):
        s, total = 0.1, 0.0
        for e in np.linspace(-1, 1, 300):
            s = p[0] + p[1] * s + p[2] * e * e
            total = total + np.log(s) + e * e / s
        return total

    follow(looped, calls(lambda: sg.compile(rounds, "fgh")(np.array([0.1, 0.2, 0.3]))))
    follow(parsed, calls(lambda: sg.parse("sum((A@x - b)**2)")))


def test_a_drawing_of_what_does_not_run_is_noticed():
    with pytest.raises(AssertionError, match=r"sweep of sweep/reverse\.py is drawn and does not run"):
        follow([("", "sweep", "sweep/reverse.py")], calls(lambda: sg.tensor(1.0)))

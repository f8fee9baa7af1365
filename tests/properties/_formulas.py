"""Random programs and the formulas of what they compute: what the tests of formulas are run on.

A seed gives a program (`_programs.py`); smooth ones, ones with kinks and ones that write in place take turns.
"""

import argparse
import sys
import traceback

import numpy as np

import symgrad as sg

from ._programs import program_of

BEHIND_THE_BACK = "no formula describes these numbers"
STYLES = ({"smooth": True}, {"smooth": False}, {"smooth": False, "inplace": True})
LARGEST = 1e7
"""Programs with larger numbers say more about rounding than about formulas."""


class Run:
    """A program run once: its named leaves, its loss, the gradients with their graph.

    ``legal`` is False where PyTorch refuses the program too (what was saved was overwritten), where it has no
    derivative, or where its numbers are too large or not finite.
    """

    def __init__(self, seed):
        self.program = program_of(seed, most=8, **STYLES[seed % len(STYLES)])
        self.leaves = [sg.tensor(a, requires_grad=True, name=f"x{i}") for i, a in enumerate(self.program.leaves)]
        self.names = [x.name for x in self.leaves]
        self.gradients = []
        try:
            self.loss = self.program.loss(sg, self.leaves)
            if self.loss.requires_grad:
                self.gradients = sg.autograd.grad(self.loss, self.leaves, create_graph=True, materialize_grads=True)
        except (sg.InplaceError, sg.NotDifferentiableError, sg.ShapeError):  # a view of what is not contiguous
            self.legal = False
            return
        numbers = [t.detach().numpy() for t in (self.loss, *self.gradients)]
        self.legal = all(np.isfinite(a).all() and np.abs(a).max(initial=0) < LARGEST for a in numbers)

    @property
    def writes_behind_the_back(self):
        """Whether the program writes through ``detach()``: no recorded operation explains that."""
        return any(".detach()" in line for line in self.program.lines)

    def hessian(self, i):
        """The second derivative in leaf ``i`` by two reverse sweeps, or None where the tape has none."""
        g, x = self.gradients[i], self.leaves[i]
        rows = np.zeros((g.numel(), x.numel()))
        if g.requires_grad:
            for k in range(g.numel()):
                (row,) = sg.autograd.grad(g.reshape(-1)[k], x, retain_graph=True, materialize_grads=True)
                rows[k] = row.numpy().reshape(-1)
        return rows.reshape(x.shape + x.shape)


def runs(seeds):
    """Yield (seed, `Run`) for the programs that are legal."""
    for seed in seeds:
        run = Run(seed)
        if run.legal:
            yield seed, run


SMALL = 4
"""Leaves of at most so many entries have their Hessian taken."""


def formulas(run):
    """Yield (what, formula): of the loss of a program, of its derivatives. Nothing where there is no formula."""
    try:
        loss = run.loss.formula()
    except (AttributeError, sg.FormulaError):  # no run; or `test_formulas_of_programs` says whether that is right
        return
    yield "loss", loss
    for name, x in zip(run.names, run.leaves, strict=True):
        if name in loss.point:
            yield f"gradient in {name}", loss.grad(name)
            if x.numel() <= SMALL:
                yield f"Hessian in {name}", loss.hessian(name)


def differ(value, number, tolerance=1e-6):
    """Say how two arrays differ (None if they do not): by shape, or by more than rounding."""
    value, number = np.asarray(value), np.asarray(number)
    if value.shape != number.shape:
        return f"shape {value.shape}, expected {number.shape}"
    if not np.array_equal(np.isfinite(value), np.isfinite(number)):
        return f"{value}, expected {number}"
    finite = np.isfinite(number)
    scale = max(1.0, float(np.abs(number[finite]).max(initial=0)))
    if np.abs(value[finite] - number[finite]).max(initial=0) > tolerance * scale:
        return f"{value}, expected {number}"
    return None


def search(trouble, doc):
    """The command line of a search: ``python -m … 2000 [--start 500]`` prints every program that makes trouble."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--start", type=int, default=0)
    args = parser.parse_args()
    found = legal = 0
    for seed, run in runs(range(args.start, args.start + args.count)):
        legal += 1
        try:
            complaints = list(trouble(run))
        except Exception:
            complaints = [traceback.format_exc(limit=-2)]
        if complaints:
            found += 1
            print(f"--- seed {seed}\n{run.program}")
            print(*complaints, sep="\n", flush=True)
    print(f"{legal} programs, {found} with trouble")
    sys.exit(bool(found))

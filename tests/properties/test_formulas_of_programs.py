"""Every random program has a formula, so have its derivatives, and all are the tape's numbers.

python -m tests.properties.test_formulas_of_programs 2000      # a longer search than the suite's
"""

from functools import partial

import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ._formulas import SMALL, Run, differ, search

COUNT = 150
REFUSED = "no formula describes these numbers"
WRITTEN = "written in place since"


def trouble(run):
    """Yield what is wrong with the formulas of a program."""
    loss = yield from asked("loss", run.loss.formula, run, run.loss)
    for i, (name, x, g) in enumerate(zip(run.names, run.leaves, run.gradients)):
        yield from asked(f"gradient in {name}", g.formula, run, g)  # from the gradient's own graph
        if loss is None or name not in loss.point:
            continue
        yield from asked(f"loss.grad({name!r})", partial(loss.grad, name), run, g)
        if x.numel() <= SMALL:
            yield from asked(f"loss.hessian({name!r})", partial(loss.hessian, name), run, run.hessian(i))


def asked(what, ask, run, number):
    """Yield what is wrong with a formula; returns it. A write that no operation recorded excuses, and nothing else."""
    try:
        formula = ask()
    except sg.FormulaError as error:
        if not (run.writes_behind_the_back and REFUSED in str(error)):
            yield f"{what}: {error}"
        return None
    if formula.checked is not True:
        if not (run.writes_behind_the_back and WRITTEN in formula.checked):
            yield f"{what}: {formula.checked}"
        return formula
    number = number.detach().numpy() if isinstance(number, sg.Tensor) else number
    difference = differ(formula(), number)
    if difference:
        yield f"{what}: {formula}\nis {difference}"
    if not str(formula):
        yield f"{what}: no text"
    return formula


@one_in(50)
@pytest.mark.parametrize("seed", range(COUNT))
def test_formulas_of_a_program_are_its_numbers(seed):
    run = Run(seed)
    if not run.legal:
        pytest.skip("not differentiable, or refused")
    complaints = list(trouble(run))
    assert not complaints, "\n".join([repr(run.program), *complaints])


if __name__ == "__main__":
    search(trouble, __doc__)

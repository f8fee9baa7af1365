"""Views and copies made, read and written to inside and outside of inference mode, in every combination.

A view is what its base is, wherever it is made; a result that has memory of its own is what the mode is.
"""

import contextlib
import itertools

import pytest

import symgrad as sg

from ._answers import answer

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

MODES = {
    "normal": lambda L: contextlib.nullcontext(), "no_grad": lambda L: L.no_grad(),
    "inference": lambda L: L.inference_mode(),
}  # fmt: skip
BASES = {
    "data": lambda L: L.ones(4), "result": lambda L: L.ones(4, requires_grad=True) * 1,
    "view": lambda L: L.ones(8)[:4], "view of a result": lambda L: (L.ones(8, requires_grad=True) * 1)[:4],
}  # fmt: skip
MADE = {
    "slice": lambda t: t[0:2], "view": lambda t: t.view(2, 2), "t": lambda t: t.view(2, 2).t(),
    "reshape": lambda t: t.reshape(2, 2), "select": lambda t: t[0], "unsqueeze": lambda t: t.unsqueeze(0),
    "diagonal": lambda t: t.view(2, 2).diagonal(), "clone": lambda t: t.clone(), "mul": lambda t: t * 2,
    "copied reshape": lambda t: t.view(2, 2).t().reshape(4),
}  # fmt: skip
DONE = {
    "nothing": lambda L, base, t: None,
    "write": lambda L, base, t: t.mul_(2),
    "write to the base": lambda L, base, t: base.mul_(2),
    "fill an entry": lambda L, base, t: t.fill_(5.0),
    "save": lambda L, base, t: (t * L.ones(1, requires_grad=True)).sum().backward(),
    "ask for its version": lambda L, base, t: t._version >= 0,
    "detach": lambda L, base, t: (t.detach().is_inference(), t.data.is_inference(), base.detach().is_inference()),
    "write to what is detached": lambda L, base, t: t.detach().mul_(2),
    "save what is detached": lambda L, base, t: (t.detach() * L.ones(1, requires_grad=True)).sum().backward(),
    "view again": lambda L, base, t: t.reshape(-1)[:1].is_inference(),
    "require a gradient": lambda L, base, t: t.requires_grad_().requires_grad,
}


@pytest.mark.parametrize("done", DONE)
@pytest.mark.parametrize("made", MADE)
def test_in_and_out_of_inference_mode(made, done):
    def run(L):
        seen = {}
        for base, *where in itertools.product(BASES, MODES, MODES, MODES):
            if "inference" in where:
                first, second, third = (MODES[name] for name in where)
                with first(L):
                    root = BASES[base](L)
                with second(L):
                    t = MADE[made](root)
                try:
                    with third(L):
                        said = DONE[done](L, root, t)
                    said = None if isinstance(said, L.Tensor) else said
                    found = t.detach().tolist()
                except RuntimeError as error:
                    said, found = str(error)[:35], None  # PyTorch has written some of what it refuses
                seen[f"{base}: {where}"] = [said, root.is_inference(), t.is_inference(), found]
        return seen

    ours, theirs = run(sg), answer("torch", run)
    assert {case: (ours[case], said) for case, said in theirs.items() if ours[case] != said} == {}

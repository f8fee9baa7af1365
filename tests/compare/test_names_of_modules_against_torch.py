"""What is a module and what a function under PyTorch's names: both where a file has the name of a function in it."""

import importlib
import sys

import pytest

import symgrad as sg
from symgrad.interop._as_torch import FILES

from ..nn.test_as_torch import without_pytorch
from ._answers import answer

pytestmark = pytest.mark.compare

PATHS = [f"{above}.{name}" for above, names in FILES.items() for name in names.split()]
PATHS += ["autograd.function", "autograd.functional", "autograd.graph", "nn.functional", "nn.init", "nn.utils.rnn"]
PATHS += ["optim.lr_scheduler", "utils.checkpoint", "utils.data", "linalg", "special", "fft", "func", "testing"]


def run(L):
    """By path, whether the name is something to be called once the module of that name was imported."""
    kinds = {}
    for path in PATHS:
        try:
            importlib.import_module(f"torch.{path}")
        except ImportError:
            continue
        above, _, last = f"torch.{path}".rpartition(".")
        kinds[path] = callable(getattr(sys.modules[above], last, None))
    return kinds


def test_importing_a_module_covers_no_function_of_its_name():
    theirs = answer("torch", run)
    assert {path for path, function in theirs.items() if function} >= {"autograd.gradcheck", "nn.utils.weight_norm"}
    with without_pytorch(), sg.install("torch"):
        ours = run(sys.modules["torch"])
        assert {path: ours[path] for path in theirs} == theirs
        import torch
        import torch.nn.utils.spectral_norm as spectral
        from torch.autograd.gradcheck import gradcheck

        assert torch.autograd.gradcheck is gradcheck is sg.autograd.gradcheck
        assert spectral is torch.nn.utils.spectral_norm is sg.nn.utils.spectral_norm
        with pytest.raises(RuntimeError, match=r"use torch.tensor\(...\) instead"):
            torch.autograd.variable(1.0)
        torch.autograd.gradcheck = None  # a script's own is set
        assert torch.autograd.gradcheck is None

"""symgrad under the name torch: scripts as tutorials have them run unedited, and what is lacking is said by name."""

import contextlib
import importlib.util
import re
import runpy
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest

import symgrad as sg

SCRIPTS = sorted((Path(__file__).parents[1] / "torch_scripts").glob("*.py"))


@contextlib.contextmanager
def without_pytorch():
    """Other tests may have imported PyTorch, which is put back."""
    there = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    try:
        yield
    finally:
        sys.modules.update(there)


@pytest.fixture
def torch():
    with without_pytorch(), sg.install("torch"):
        import torch

        yield torch


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_for_pytorch_runs_unedited(script, torch, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # two scripts provoke PyTorch's own warnings
        space = runpy.run_path(str(script), run_name="__main__")
    assert space["torch"] is torch and capsys.readouterr().out
    torch.set_default_device("cpu")


def test_names_are_symgrads_objects(torch):
    import torch.nn.functional as F
    from torch import nn
    from torch.nn.modules.module import Module
    from torch.nn.parameter import Parameter
    from torch.optim.lr_scheduler import StepLR
    from torch.utils.data import DataLoader
    from torch.utils.data.dataset import Dataset

    assert torch.Tensor is sg.Tensor and isinstance(torch.manual_seed(0), sg.Generator)
    assert (Module, Parameter, nn.Linear) == (sg.nn.Module, sg.nn.Parameter, sg.nn.Linear)
    assert F.relu is sg.nn.functional.relu and torch.nn.functional is F and sys.modules["torch.nn"] is nn
    assert (DataLoader, Dataset) == (sg.utils.data.DataLoader, sg.utils.data.Dataset)
    assert StepLR is torch.optim.lr_scheduler.StepLR is sg.optim.lr_scheduler.StepLR
    assert "Linear" in dir(nn) and "sin" in dir(torch) and torch.sin is sg.sin


def test_every_submodule_that_symgrad_has_is_there(torch):
    names = "nn nn.functional nn.init nn.utils nn.utils.rnn optim optim.lr_scheduler optim.swa_utils utils utils.data "
    names += "utils.checkpoint autograd autograd.functional autograd.forward_ad autograd.graph autograd.function func "
    names += "linalg fft special backends backends.cudnn cuda testing "
    names += "distributions distributions.constraints distributions.kl distributions.transforms"
    for name in names.split():
        assert importlib.util.find_spec(f"torch.{name}") is not None
        module = importlib.import_module(f"torch.{name}")
        assert module.__name__ == f"torch.{name}"


def test_the_version_says_what_it_is(torch):
    assert torch.__version__.endswith(f"+symgrad{sg.__version__}")
    assert tuple(map(int, torch.__version__.split("+")[0].split("."))) >= (2, 0)


def test_compile_is_pytorchs(torch):
    f = lambda x: x + 1
    assert torch.compile(f) is f and torch.compile(mode="max-autotune")(f) is f
    assert torch.compile is not sg.compile


def test_shapes_and_dtypes_print_as_pytorchs(torch):
    x = torch.ones(2, 3, dtype=torch.float32)
    assert repr(x.shape) == f"{x.size()}" == "torch.Size([2, 3])" and str(x.dtype) == "torch.float32"
    assert repr(x[0]) == "tensor([1., 1., 1.], dtype=torch.float32)" and x.type() == "torch.FloatTensor"
    assert str(torch.get_default_dtype()) == "torch.float64"


def test_shapes_and_dtypes_print_as_symgrads_again():
    with without_pytorch(), sg.install("torch"):
        with sg.install("torch"):
            pass
        assert repr(sg.ones(2).shape) == "torch.Size([2])"
    assert repr(sg.ones(2).shape) == "symgrad.Size([2])" and repr(sg.float64) == "symgrad.float64"


def test_mixed_precision_changes_nothing(torch):
    from torch.amp import GradScaler, autocast
    from torch.cuda.amp import GradScaler as OfCuda
    from torch.cuda.amp import autocast as cuda_autocast

    w = torch.ones(3, requires_grad=True)
    for scaler in (GradScaler("cpu"), GradScaler("cuda", enabled=False), OfCuda(enabled=False)):
        optimizer = torch.optim.SGD([w], lr=0.5)
        for context in (autocast("cpu", dtype=torch.bfloat16), cuda_autocast(enabled=False)):
            w.data[:] = 1.0
            optimizer.zero_grad()
            with context:
                loss = (w * torch.ones(3)).sum()
            assert loss.dtype == torch.float64 and not torch.is_autocast_enabled()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            assert w.tolist() == [0.5, 0.5, 0.5]
        assert (scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()) == (1.0, False, {})
        scaler.load_state_dict(scaler.state_dict())

    @torch.autocast(device_type="cpu")
    def double(x):
        return x + x

    assert double(w).tolist() == [1.0, 1.0, 1.0] and double.__name__ == "double"
    with pytest.raises(sg.DTypeError, match=r"not torch\.bfloat16"):
        torch.zeros(2, dtype=torch.bfloat16)


def test_mixed_precision_of_a_device_that_is_not_there_warns_as_pytorch(torch):
    for ask in (
        lambda: torch.autocast("cuda"), lambda: torch.cuda.amp.autocast(), lambda: torch.amp.GradScaler(),
        lambda: torch.cuda.amp.GradScaler(),
    ):  # fmt: skip
        with pytest.warns(UserWarning, match="CUDA is not available.  Disabling"):
            ask()
    with pytest.raises(sg.RangeError, match="no device type 'gpu'"):
        torch.autocast("gpu")


def test_settings_of_speed_and_determinism_are_kept_and_change_nothing(torch):
    torch.set_num_threads(3)
    torch.set_float32_matmul_precision("high")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.random.manual_seed(0)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (3, "high")
    for number, name in enumerate(("default", "warn", "error")):
        torch.set_deterministic_debug_mode(name)
        assert torch.get_deterministic_debug_mode() == number
    assert torch.are_deterministic_algorithms_enabled() and torch.version.cuda is None
    assert not hasattr(sg, "set_num_threads")
    with pytest.raises(sg.SymgradError, match="set_num_threads is given 0"):
        torch.set_num_threads(0)


def test_what_a_script_sets_is_not_set_in_symgrad(torch):
    torch.nn.functional.relu = None
    torch.mine = 1
    assert callable(sg.nn.functional.relu) and not hasattr(sg, "mine")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("torch.stft(torch.ones(3))", "torch, which is symgrad here, has no 'stft'.*unfold"),
        ("from torch import stft", "torch, which is symgrad here, has no 'stft'.*unfold"),
        ("from torch import sin, jit", "has no 'jit'.*sg.compile"),
        ("import torch.onnx", "torch, which is symgrad here, has no 'onnx'.*code"),
        ("from torch.distributions import Wishart", "torch.distributions, which is symgrad .*'Wishart'.*scipy.stats"),
        (
            "import torch.utils.tensorboard",
            "torch.utils, which is symgrad here, has no 'tensorboard'.*logs of runs.*list",
        ),
        ("from torch.profiler import profile", "torch, which is symgrad here, has no 'profiler'.*profiles.*cProfile"),
        ("from torch.nn import LazyLinear", "torch.nn, which is symgrad here, has no 'LazyLinear'.*without Lazy"),
        ("torch.nn.Liner", "torch.nn, which is symgrad here, has no 'Liner'.*There is Linear"),
        ("import torch.sin", "has no 'sin'"),
        ("torch.sparse", "has no 'sparse'.*Left out.*format=\"csr\""),
        ("from torch.nn.utils import prune", "torch.nn.utils, which is .*'prune'.*Left out: masks.*parametrize"),
        ("from torch.nn.utils import stateless", "has no 'stateless'.*functional_call"),
        ("torch.nn.utils.fuse_conv_bn_eval", "has no 'fuse_conv_bn_eval'.*Left out: modules fused"),
    ],
)
def test_what_is_lacking_is_said_by_name(statement, words, torch):
    with pytest.raises((ImportError, AttributeError), match=f"(?s){words}"):
        exec(statement, {"torch": torch})
    assert not hasattr(torch, "stft")


def test_the_name_is_free_again():
    with without_pytorch():
        with sg.install("torch"):
            with sg.install("torch"):  # a notebook's cell that runs twice
                import torch
            assert sys.modules["torch"] is torch
        assert not [name for name in sys.modules if name.partition(".")[0] == "torch"]
        assert torch.ones(2).sum() == 2  # what was imported keeps working
        assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("symgrad.interop")]


def test_pytorch_itself_is_not_replaced():
    with without_pytorch():
        sys.modules["torch"] = type(sys)("torch")
        with pytest.raises(sg.SymgradError, match="(?s)is imported in this process.*symgrad run"):
            sg.install("torch")
        del sys.modules["torch"]
        with pytest.raises(sg.SymgradError, match="'jax'"):
            sg.install("jax")


def test_the_page_shows_what_runs(capsys):
    page = (Path(__file__).parents[2] / "docs/coming-from-pytorch.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(import symgrad as sg\n\nsg.install.*?)```", page, re.S)[1]
    with without_pytorch():
        space = {}
        exec(code.replace("sg.install", "installed = sg.install"), space)
        space["installed"].uninstall()
    assert capsys.readouterr().out.strip() == code.rpartition("# ")[2].strip()


def test_formulas_are_there_under_that_name(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True, name="x")
    (x**2).sum().backward(create_graph=True)
    assert str(x.grad.formula()) == "2x"


def test_oldest_idioms(torch):
    weight = next(torch.nn.Linear(2, 3).parameters())
    assert tuple(weight.new(2, 4).zero_().shape) == (2, 4) and tuple(weight.new(weight.size()).shape) == (3, 2)
    assert weight.new([1.0]).tolist() == [1.0]
    assert torch.zeros_like(weight, memory_format=torch.preserve_format).sum() == 0


@pytest.mark.slow
@pytest.mark.compare
def test_the_scripts_are_pytorchs(tmp_path):
    """They run with PyTorch, too: what they ask for is there."""
    pytest.importorskip("torch")
    code = """
        import contextlib, io, runpy, sys, warnings
        warnings.simplefilter("ignore")
        for script in sys.argv[1:]:
            with contextlib.redirect_stdout(io.StringIO()):
                runpy.run_path(script, run_name="__main__")
    """
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]

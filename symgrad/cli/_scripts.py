"""``run``, a script for PyTorch as it stands; ``completion``, a script for a shell; and ``demo``, one model."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..autograd import grad
from ..core import Tensor
from ..interop import install
from ..ops import FUNCTIONS
from ._answer import Answer, of_a_file, with_json


def declare(commands: Any, common: Any) -> None:
    """Declare the commands."""
    demo = commands.add_parser(
        "demo", parents=[common], help="fit a logistic regression, with its Hessian, standard errors and formulas"
    )
    with_json(demo)
    demo.set_defaults(run=_demo)
    run = commands.add_parser("run", parents=[common], help="run a script for PyTorch, with symgrad under its name")
    run.add_argument("script")
    run.add_argument("arguments", nargs="...", help="for the script")
    run.set_defaults(run=_run)
    completion = commands.add_parser(
        "completion", parents=[common], help='make a shell complete names: eval "$(symgrad completion bash)"'
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    completion.set_defaults(run=_completion)


def _demo(options: Any) -> Answer | int:
    data, wrong = demonstrate(say=(lambda text: None) if options.json else print)
    return Answer("", data, int(wrong)) if options.json else int(wrong)


def _completion(options: Any) -> int:
    from ._completion import script

    print(script(options.shell))
    return 0


def _run(options: Any) -> int:
    """Run the script as Python would."""
    path = Path(options.script)
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such file", options.script)
    argv, first = sys.argv, sys.path[0]
    with install("torch"), of_a_file(options):
        sys.argv, sys.path[0] = [options.script, *options.arguments], str(path.resolve().parent)
        try:
            runpy.run_path(options.script, run_name="__main__")
        finally:
            sys.argv, sys.path[0] = argv, first
    return 0


# ------------------------- ``demo``: one model from the likelihood to its standard errors, in numbers and in formulas


# Dalal, Fowlkes and Hoadley, JASA 84 (1989): estimate and standard error of intercept and slope
PUBLISHED = {"intercept": (15.0429, 7.3786), "slope": (-0.2322, 0.1082)}
PUBLISHED_LOG_LIKELIHOOD = -10.158

tensor, logaddexp, stack = FUNCTIONS["tensor"], FUNCTIONS["logaddexp"], FUNCTIONS["stack"]


def challenger_data() -> tuple[Tensor, Tensor]:
    """Return the design matrix (a column of ones, the temperature in °F) and the outcome, 1 for damage."""
    with (files("symgrad") / "data" / "challenger.csv").open() as file:
        temperature, failure = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    return tensor(np.column_stack([np.ones_like(temperature), temperature]), name="X"), tensor(failure, name="y")


def negative_log_likelihood(w: Any, X: Any, y: Any) -> Any:
    """Return −log L of the logistic model: an ordinary function, as one would write it in NumPy."""
    z = X @ w
    return (logaddexp(0, z) - y * z).sum()


def derivatives(w: Tensor, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return value, gradient and Hessian at ``w``, all of them tensors with a graph (so with a formula)."""
    value = negative_log_likelihood(w, X, y)
    (gradient,) = grad(value, w, create_graph=True)
    rows = [grad(entry, w, create_graph=True)[0] for entry in gradient]
    return value, gradient, stack(rows)


def newton(
    X: Tensor, y: Tensor, say: Callable[[str], None] = print, tolerance: float = 1e-10, steps: int = 25
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the optimum and value, gradient and Hessian there."""
    w = tensor([0.0, 0.0], requires_grad=True, name="w")
    for step in range(steps):
        value, gradient, hessian = derivatives(w, X, y)
        size = float(np.linalg.norm(gradient.detach().numpy()))
        say(f"  step {step}: -log L = {value.item():9.6f}   |gradient| = {size:.2e}")
        if size < tolerance:
            break
        direction = np.linalg.solve(hessian.detach().numpy(), gradient.detach().numpy())
        w = tensor(w.detach().numpy() - direction, requires_grad=True, name="w")
    return w, value, gradient, hessian


def demonstrate(say: Callable[[str], None] = print) -> tuple[dict[str, Any], bool]:
    """Say the demonstration; returns it as data, and whether a number differs from the published one."""
    X, y = challenger_data()
    say("Logistic regression of O-ring damage on temperature, 23 flights")
    say("(Report of the Presidential Commission on the Space Shuttle Challenger Accident, 1986)\n")
    say("Newton's method, derivatives by the tape:")
    w, value, gradient, hessian = newton(X, y, say)
    errors = np.sqrt(np.diag(np.linalg.inv(hessian.detach().numpy())))

    say("\n             estimate  standard error    published")
    off = []
    for (name, (estimate, error)), got, got_error in zip(PUBLISHED.items(), w.tolist(), errors, strict=True):
        say(f"{name:12} {got:9.4f} {got_error:12.4f}       {estimate:8.4f} ± {error:.4f}")
        off += [name] * (not np.allclose([got, got_error], [estimate, error], rtol=0, atol=6e-5))
    say(f"log-likelihood {-value.item():.3f}                   {PUBLISHED_LOG_LIKELIHOOD:8.3f}")
    off += ["log-likelihood"] * (abs(value.item() + PUBLISHED_LOG_LIKELIHOOD) > 6e-4)

    say("\nThe same three as formulas, the first two read from the graphs of the numbers above, all checked:\n")
    formulas = {"loss": value.formula(), "gradient": gradient.formula(), "Hessian": value.formula().hessian("w")}
    for title, formula in formulas.items():
        say(f"{title}:\n  " + str(formula).replace("\n", "\n  ") + "\n")
    if off:
        say(f"WRONG: {', '.join(off)} not as published")
    data = {"estimates": w.tolist(), "standard_errors": errors.tolist(), "log_likelihood": -value.item()}
    return data | {"formulas": {title: str(formula) for title, formula in formulas.items()}}, bool(off)

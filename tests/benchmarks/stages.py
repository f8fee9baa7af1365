"""Where the time goes: microseconds of eager operations, and the stages of a Hessian's first call.

    python tests/benchmarks/stages.py                # about a minute
    PYTHONPATH=<another checkout> python tests/benchmarks/stages.py   # the same for another version

The idea to hold: a stage is a function of the library, wrapped in a stop-watch that leaves out the stages inside it.
Time is the processor's, the least of several runs. A stage that a version does not have is left out: its time stands
with the rest.
"""

import importlib
import sys
import timeit
from collections import Counter
from functools import wraps
from time import process_time

import hessians_sciences  # noqa: F401 (they fill PROBLEMS)
import hessians_statistics  # noqa: F401
import numpy as np
from _dense_problems import PROBLEMS
from _timing import machine

import symgrad as sg

x = np.linspace(0.1, 0.8, 8)
X, w = sg.tensor(x), sg.tensor(x, requires_grad=True)


gradient = sg.grad(lambda v: (v * v).sum())


def chain():
    y = w
    for _ in range(20):
        y = y * X + X
    return y.sum()


def swept():
    chain().backward()
    w.grad = None


EAGER = {
    "np.multiply(x, x), arrays": lambda: np.multiply(x, x),
    "X * X, tensors without gradient": lambda: X * X,
    "w * X": lambda: w * X,
    "w * x, an array": lambda: w * x,
    "x * w, an array first": lambda: x * w,
    "sg.sin(w)": lambda: sg.sin(w),
    "np.sin(w)": lambda: np.sin(w),
    "w @ X": lambda: w @ X,
    "w[1:]": lambda: w[1:],
    "w.sum()": lambda: w.sum(),
    "a chain of 41 operations, forward": chain,
    "the same, and backward": swept,
    "sg.grad(f)(x), f of two operations": lambda: gradient(x),
}

STAGES = {
    "survey of the tape": ("programs.survey", "Survey.__init__"),
    "lift": ("programs.graph_terms", "Lifted.root"),
    "stable form": ("programs.sweeps", "StableForms.of"),
    "back": ("programs.sweeps", "gradients"),
    "forth": ("programs.sweeps", "Tangents.of"),
    "plan of the matrix": ("programs.assemble", "Assembly.block"),
    "write and compile": ("programs.source_module", "Module.__init__"),
    "estimate of work": ("programs.assemble", "work_of"),
    "compare with the tape here": ("transforms.tape_route", "compare_with_tape"),
    "compare with it elsewhere": ("transforms.tape_route", "compare_elsewhere"),
    "recipe": ("programs.program", "Program.remember"),
}

spent, open_stages = Counter(), []


def watched(stage, fn):
    @wraps(fn)
    def run(*args, **kwargs):
        start, inside = process_time(), [0.0]
        open_stages.append(inside)
        try:
            return fn(*args, **kwargs)
        finally:
            took = process_time() - start
            open_stages.pop()
            spent[stage] += took - inside[0]
            if open_stages:
                open_stages[-1][0] += took

    return run


def watch_stages():
    loaded = [m for name, m in sys.modules.items() if name.startswith("symgrad")]
    for stage, (module, name) in STAGES.items():
        owner = importlib.import_module(f"symgrad.{module}")
        *path, last = name.split(".")
        for part in path:
            owner = getattr(owner, part, None)
        fn = getattr(owner, last, None)
        if fn is None:
            continue
        found = watched(stage, fn)
        for place in [owner] if path else [m for m in loaded if getattr(m, last, None) is fn]:
            setattr(place, last, found)


def main():
    for name, call in EAGER.items():
        number = 2000 if call not in (chain, swept) else 100
        best = min(timeit.repeat(call, number=number, repeat=25, timer=process_time)) / number
        print(f"{name:40}{1e6 * best:9.2f} µs")
    from symgrad.programs.program import clear

    first, later = {}, {}
    problems = {}
    for name, problem in PROBLEMS.items():
        f, at, data = problem.make(False)
        problems[name] = (lambda at, f=f, data=data: f(sg, at, *data)), at
        H = sg.hessian(problems[name][0])
        H(at), H(at)
        later[name] = min(timeit.repeat(lambda H=H, at=at: H(at), number=1, repeat=20, timer=process_time))
    for _ in range(3):
        for name, (f, at) in problems.items():
            clear()
            H, start = sg.hessian(f), process_time()
            H(at)
            first[name] = min(first.get(name, np.inf), process_time() - start)
    for what, times in (("first call", first), ("later call", later)):
        seconds = np.array(list(times.values()))
        mean = np.exp(np.mean(np.log(seconds)))
        print(f"{what}: {1e3 * mean:.2f} ms in the geometric mean of {len(seconds)}, {seconds.sum():.2f} s together")
    watch_stages()
    total = 0.0
    for f, at in problems.values():
        clear()
        H, start = sg.hessian(f), process_time()
        H(at)
        total += process_time() - start
    for stage, seconds in spent.most_common():
        print(f"{stage:40}{100 * seconds / total:8.1f} % of the first calls")
    print(f"{'the rest':40}{100 * (1 - sum(spent.values()) / total):8.1f} %")
    print(f"{machine()}, numpy {np.__version__}; processor time")


if __name__ == "__main__":
    main()

"""Hours of random work in several threads at once: rows, programs, transforms in transforms; then what memory grew by.

python -m tests.properties._soak --seconds 3600 --threads 8 --seed 0

A piece of work is a number. What a thread complains of is done again alone: what is wrong then is a wrong derivative,
what is not is what threads do to each other. Warnings are only heard alone, as Python has one list of them for all.
"""

import argparse
import collections
import gc
import itertools
import random
import sys
import threading
import time
import tracemalloc

import numpy as np

import symgrad as sg

from ..helpers.numeric import is_smooth
from ..helpers.rows import ONCE, TWICE, arrays_of, call, domains, restrict, sample, tensors, wanted, weights
from ._seams import ROWS, program_of
from ._ways import differ, study

STEP = 1e-5

# Rows: forward mode beside reverse mode beside differences -----------------------------------------------------------


def row_work(seed):
    """Complaints about a row of the table at a random point: ⟨w, J v⟩ by both modes and by differences."""
    op = ROWS[seed % len(ROWS)]
    rng = np.random.default_rng(seed)
    operands, params = sample(op, rng=rng)
    live = [i for i in wanted(op, operands) if operands[i].dtype == np.float64]
    directions = [restrict(op, i, rng.normal(size=operands[i].shape)) for i in live]

    def outputs(*primals):
        given = list(tensors(operands, ()))
        for i, p in zip(live, primals, strict=True):
            given[i] = p
        return [o for o in call(op, given, params) if o.dtype.is_floating_point]

    def projected(*primals):
        found = outputs(*primals)
        return sum((sg.tensor(w) * o).sum() for w, o in zip(weights(arrays_of(found)), found, strict=True))

    primals = tuple(sg.tensor(operands[i]) for i in live)
    tangents = tuple(map(sg.tensor, directions))
    if not live or not outputs(*primals):
        return []
    forward = sg.func.jvp(projected, primals, tangents)[1].item()
    _, pull = sg.func.vjp(projected, *primals)
    pulled = pull(sg.tensor(1.0))
    reverse = sum((g * v).sum().item() for g, v in zip(pulled, tangents, strict=True))

    def along(t):
        return projected(*[p + t * v for p, v in zip(primals, tangents, strict=True)]).item()

    found = []
    if text := differ(forward, reverse, 1e-8):
        found.append((f"forward and reverse of {op.name}", text))
    if not op.places and is_smooth(along):
        by = [(along(h) - along(-h)) / (2 * h) for h in (STEP, 2 * STEP)]
        slope = (4 * by[0] - by[1]) / 3
        if abs(by[0] - by[1]) < 1e-5 * max(1, abs(slope)) and (text := differ(reverse, slope, 1e-5)):
            found.append((f"differences of {op.name}", text))
    return found


# Transforms in transforms: third derivatives of a number, by every nest of three -------------------------------------

SMOOTH = [op for op in ROWS if op.kind == "elementwise" and len(op.inputs) == 1 and not op.params and not op.kink
          and domains(op) == ("real",) and op.name not in ONCE | TWICE]  # fmt: skip
LEVELS = {
    "grad": sg.func.grad,
    "jvp": lambda f: lambda x: sg.func.jvp(f, (x,), (sg.ones_like(x),))[1],
    "vmap(grad)": lambda f: lambda x: sg.vmap(sg.func.grad(f))(sg.stack([x + 1, x, x]))[1],
    "jacfwd": sg.func.jacfwd,
    "jacrev": sg.func.jacrev,
    "vmap(jvp)": lambda f: lambda x: sg.vmap(lambda v: sg.func.jvp(f, (x,), (v,))[1])(sg.ones(2, dtype=x.dtype))[0],
}


def nest_work(seed):
    """Complaints about the third derivative of a random function of one number, by several nests of transforms."""
    r = random.Random(seed)
    inner, outer, beside = r.choice(SMOOTH), r.choice(SMOOTH), r.choice(SMOOTH)
    a, b, at = r.uniform(0.3, 0.9), r.uniform(-0.5, 0.5), r.uniform(-1, 1)

    def f(x):
        return outer.apply(a * sg.tanh(inner.apply(x)) + b) * beside.apply(b * x)

    def by(nest, g=f):
        for level in nest:
            g = LEVELS[level](g)
        return g(sg.tensor(at)).item()

    nests = [tuple(r.choices(list(LEVELS), k=3)) for _ in range(3)]
    truth = sg.grad(sg.grad(sg.grad(f)))(at)
    if not np.isfinite(truth) or abs(truth) > 1e6:
        return []
    what = f"{outer.name}({a} tanh({inner.name}(x)) + {b}) * {beside.name}({b} x) at {at}"
    found = [(f"nest {' of '.join(reversed(n))}", f"{what}: {text}") for n in nests
             if (text := differ(by(n), truth, 1e-8))]  # fmt: skip
    second = sg.grad(sg.grad(f))
    slopes = [(second(at + h) - second(at - h)) / (2 * h) for h in (1e-4, 2e-4)]
    slope = (4 * slopes[0] - slopes[1]) / 3
    if abs(slopes[0] - slopes[1]) < 1e-4 * max(1, abs(slope)) and (text := differ(truth, slope, 1e-4)):
        found.append(("third derivative and differences of the second", f"{what}: {text}"))
    return found


# Random programs, by every way to their derivatives ------------------------------------------------------------------


def program_work(seed):
    """Complaints about a random program: the tape, formulas, programs, compiled programs, differences."""
    program = program_of(seed, 5)
    if not program.wrt:
        return []
    chosen = (("formula",), ("program",), ("program", "compiled"), ("formula", "function's formula"))[seed // 5 % 4]
    return [(kind, f"{text}\n{program.source}") for kind, text in study(program, (), chosen).complaints]


KINDS = (program_work, row_work, nest_work, row_work)


def work(seed):
    """The complaints about one piece of work; an error that is none of symgrad's own is one."""
    try:
        return KINDS[seed % len(KINDS)](seed // len(KINDS))
    except Exception as error:
        return [(f"{type(error).__name__} in {KINDS[seed % len(KINDS)].__name__}", str(error)[:400])]


# The run -------------------------------------------------------------------------------------------------------------


def in_threads(start, seconds, threads):
    """Do pieces of work until the time is over; return how many, and the numbers of those with complaints."""
    numbers, done, doubtful = itertools.count(start), collections.Counter(), []
    end = time.monotonic() + seconds

    def run():
        while time.monotonic() < end:
            seed = next(numbers)
            found = work(seed)
            done[KINDS[seed % len(KINDS)].__name__] += 1
            if any(not kind.startswith("warning") for kind, _ in found):
                doubtful.append((seed, found))

    running = [threading.Thread(target=run) for _ in range(threads)]
    for t in running:
        t.start()
    for t in running:
        t.join()
    return done, doubtful


def growth(start, pieces=40, warm=3, passes=4):
    """Bytes that memory grew by while the same work was done again and again, after caches are full."""
    tracemalloc.start()
    sizes = []
    for _ in range(warm + passes):
        for seed in range(start, start + pieces):
            work(seed)
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return sizes[-1] - sizes[warm - 1]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    done, doubtful = in_threads(args.seed, args.seconds, args.threads)
    print(f"{sum(done.values())} pieces in {args.threads} threads: {dict(done)}", flush=True)
    wrong = 0
    for seed, found in doubtful:
        alone = work(seed)
        wrong += 1
        for kind, text in alone or found:
            print(f"--- {seed}: {kind}{'' if alone else ' (only beside other threads)'}\n{text}\n", flush=True)
    grew = growth(args.seed)
    print(f"{wrong} with complaints; memory grew by {grew / 1e6:.3f} MB")
    sys.exit(bool(wrong or grew > 1e6))


if __name__ == "__main__":
    main()

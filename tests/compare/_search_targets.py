"""Searches random functions for compiled derivatives in which the targets, or a target and the tape, disagree.

python -m tests.compare._search_targets START COUNT [--targets numpy numba jax torch]

JAX runs operation by operation, since compiling each of thousands of functions would take hours; so does Numba, whose
loops are Python then.
"""

import argparse
import collections
import os
import time
import warnings

import numpy as np


def study(seed, targets, agrees, by_tape):
    """What is to be said of one function, by target."""
    found = {}
    for target in targets:
        try:
            if target == "numpy":
                found[target] = by_tape(seed)
            else:
                found[target] = agrees(seed, target)
        except AssertionError as error:
            found[target] = f"differs: {str(error).strip().splitlines()[0][:120]}"
        except Exception as error:  # what is no refusal in words is a find
            found[target] = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--targets", nargs="*", default=["numpy", "numba", "jax", "torch"])
    args = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    if "jax" in args.targets:
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_disable_jit", True)
    from ..properties._hessian_functions import function_of
    from ..properties.test_hessian_programs import agree
    from .test_programs_for_jax_and_torch import random_function_agrees

    def by_tape(seed):
        function = function_of(seed, most=8)
        return agree(function.compiled(), function.leaves)

    counts, begun = collections.Counter(), time.time()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for seed in range(args.start, args.start + args.count):
        for target, said in study(seed, args.targets, random_function_agrees, by_tape).items():
            counts[target, "compared" if said is True else "not compared" if said is False else "FOUND"] += 1
            if isinstance(said, str):
                print(f"seed {seed}, {target}: {said}", flush=True)
        if (seed - args.start + 1) % 200 == 0:
            print(f"{seed - args.start + 1} after {time.time() - begun:.0f} s", dict(counts), flush=True)
    print({f"{target}, {what}": n for (target, what), n in sorted(counts.items())})


if __name__ == "__main__":
    main()

"""Searches random programs on large arrays (`_large_programs.py`) for wrong derivatives, and shrinks what it finds.

python -m tests.properties._large_search START COUNT      # judged by PyTorch, where it is installed
"""

import argparse
import collections
import functools
import re
import sys
import time

from ._large_programs import LARGE, LOW
from ._large_runs import plainly, serious, study
from ._large_ways import program_of
from ._search import shorter, shrunk, signature


def fewer(program):
    """Shorter versions of the lines: fewer terms, fewer outputs and inputs, and what `shorter` yields."""
    yield from shorter(program)
    for i, line in enumerate(program.lines):
        name = line.partition(" = ")[0]
        texts = []
        if name.startswith("loss") or line.startswith("return "):
            terms = line.removeprefix("return ").removeprefix(f"{name} = ").split(" + ")
            head = line[: len(line) - len(" + ".join(terms))]
            texts = [head + " + ".join(t for t in terms if t != term) for term in terms if len(terms) > 1]
            texts += [re.sub(r"\((v\d+) \* c\d+\)\.sum\(\)|\(\1 \*\* 2\)\.sum\(\)", r"\1.sum()", line)]
        for found in re.finditer(r"\[([vx]\d+(?:, [vx]\d+)+)\]", line):
            names = found[1].split(", ")
            texts += [line.replace(found[0], f"[{', '.join(m for m in names if m != n)}]") for n in names]
        yield from ([*program.lines[:i], t, *program.lines[i + 1 :]] for t in texts if t != line)


def simplified(program, kind, complaints):
    """The program with plainer arrays, as far as the complaint stays."""
    for name, text in program.arrays.items():
        program.arrays[name] = re.sub(r"^np\.asfortranarray\((.*)\)$|\[::-1\]$|\.astype\(.*\)$", r"\1", text)
        if program.arrays[name] != text and not any(k == kind for k, _ in complaints(program)):
            program.arrays[name] = text
    return program


def search(start, count, judge, sizes=LARGE, seconds=None, known=None):
    """Study many programs; print the smallest program of each new kind of trouble, and how often each was met."""
    seen, other = collections.Counter(), collections.Counter()
    begun = time.time()

    def complaints(program):
        return serious(study(program, judge))

    for seed in range(start, start + count):
        if seconds and time.time() - begun > seconds:
            break
        found = study(program_of(seed, sizes=sizes), judge)
        kinds = dict(serious(found))
        other.update({kind for kind, _ in found if kind not in kinds})
        if "number" in kinds:  # what follows from it is not shrunk again
            kinds = {"number": kinds["number"]}
        source = "\n".join(program_of(seed, sizes=sizes).source)
        for kind in kinds:
            if known and re.search(known, f"{kind}\n{kinds[kind]}\n{source}", re.DOTALL):
                seen["known"] += 1
                continue
            small = shrunk(program_of(seed, sizes=sizes), kind, complaints, fewer)
            small = simplified(small, kind, complaints)
            key = signature(kind, small)
            seen[key] += 1
            if seen[key] == 1:
                texts = [text for k, text in complaints(small) if k == kind]
                print(f"--- seed {seed}: {kind}\n{small!r}\n# {texts[:2]}\n", flush=True)
        if (seed - start + 1) % 500 == 0:
            print(f"=== {seed - start + 1} programs, {time.time() - begun:.0f} s, {seen.total()} troubles", flush=True)
    print(f"=== {seed - start + 1} programs, {time.time() - begun:.0f} s, {seen.total()} troubles")
    for what, counted in (("trouble", seen), ("no trouble", other)):
        for key, n in counted.most_common(80):
            print(f"{what} {n:6d} {key}")
    return seen


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--low", action="store_true", help="arrays of a few entries, for thresholds that are lowered")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--known", help="a regular expression of complaints and programs not to shrink")
    parser.add_argument("--alone", action="store_true", help="without PyTorch: judged by symgrad without blocks")
    args = parser.parse_args(arguments)
    judge = plainly
    if not args.alone:
        try:
            import torch

            from ..compare._torch_large import by_torch

            judge = functools.partial(by_torch, torch)
        except ImportError:
            print("=== without PyTorch")
    sizes = LOW if args.low else LARGE
    sys.exit(bool(search(args.start, args.count, judge, sizes, args.seconds, args.known)))


if __name__ == "__main__":
    main()

"""Searches random programs (`_seams.py`) for derivatives that disagree (`_ways.py`), and shrinks what it finds.

    python -m tests.properties._search START COUNT      # with PyTorch too, where it is installed
"""

import argparse
import collections
import contextlib
import re
import sys
import time

from ._seams import program_of
from ._ways import study

# Shrinking -----------------------------------------------------------------------------------------------------------


def shrunk(program, kind, complaints):
    """The program with as few lines and terms as still make a complaint of the same kind.

    ``complaints`` is a function of a program that returns its ``(kind, text)`` pairs.
    """

    def still(lines):
        before, program.lines = program.lines, lines
        with contextlib.suppress(Exception):
            if any(k == kind for k, _ in complaints(program)):
                return True
        program.lines = before
        return False

    changed = True
    while changed:
        changed = any(still(lines) for lines in _fewer(program))
    return program


def _fewer(program):
    """Shorter versions of the lines: fewer terms of the loss, one line less, a variable for another."""
    *body, last = program.lines
    terms = last.removeprefix("loss = ").split(" + ")
    if len(terms) > 1:
        yield from ([*body, f"loss = {t}"] for t in terms)
    if last.count("(") > 1:
        for name in re.findall(r"\b[vx]\d+\b", last):
            yield [*body, f"loss = {name}.sum()"]
    for i in reversed(range(len(body))):
        name = body[i].partition(" = ")[0]
        rest = body[i + 1 :]
        yield [*body[:i], *rest, last]
        for other, shape in program.shapes.items():
            if other != name and shape == program.shapes.get(name) and re.fullmatch(r"[vx]\d+", other):
                yield [*body[:i], *[re.sub(rf"\b{name}\b", other, t) for t in (*rest, last)]]
        inner = sorted(set(re.findall(r"\b[vx]\d+\b", body[i].partition(" = ")[2])))
        if body[i] != f"{name} = {'x0'}" and inner and " = " in body[i] and not body[i].startswith("with"):
            for other in inner:
                if f"{name} = {other}" != body[i]:
                    yield [*body[:i], f"{name} = {other}", *rest, last]


# Search --------------------------------------------------------------------------------------------------------------


def signature(kind, program):
    """What two findings have in common if they are one bug: the kind and the last operations left."""
    text = re.sub(r"\b[vxc]\d+\b", "@", " ; ".join(program.lines))
    return f"{kind} | {re.sub(r'[0-9.]+', '#', text)[:160]}"


def _first_of_each(complaints):
    """One kind for each sort of trouble: what makes a value wrong makes the gradient wrong, here and elsewhere."""
    found = {}
    for kind, _ in complaints:
        found.setdefault("number" if " and " in kind else kind.removesuffix(", elsewhere"), kind)
    return found.values()


def search(start, count, others, every=2000, seconds=None, most=7, skip=None):
    """Study many programs and print each new kind of trouble with the smallest program that shows it."""
    seen, ways, without = collections.Counter(), collections.Counter(), collections.Counter()
    compared = 0
    begun = time.time()
    for seed in range(start, start + count):
        if seconds and time.time() - begun > seconds:
            break
        program = program_of(seed, most)
        if not program.wrt:
            continue
        if skip and re.search(skip, program.source):
            continue
        chosen = (("formula",), ("program",), ("program", "compiled"), ("formula", "function's formula"))[seed // 5 % 4]
        report = study(program, others, chosen)
        gave = report.compared
        ways.update(gave)
        compared += len(gave) >= 3
        without.update(f"{n}: {re.sub(r'[0-9]+', 'N', t)[:70]}" for n, t in report.without.items())
        for kind in _first_of_each(report.complaints):
            small = shrunk(program_of(seed, most), kind, lambda p, c=chosen: study(p, others, c).complaints)
            key = signature(kind, small)
            seen[key] += 1
            if seen[key] == 1:
                texts = [t for k, t in study(small, others, chosen).complaints if k == kind]
                print(f"--- seed {seed}: {kind}\n{small!r}\n# {texts[:1]}\n", flush=True)
        if (seed - start + 1) % every == 0:
            print(f"=== {seed - start + 1} programs, {compared} compared, {time.time() - begun:.0f} s, {dict(ways)}",
                  flush=True)  # fmt: skip
    print(f"=== {compared} programs with three ways or more in {time.time() - begun:.0f} s: {dict(ways)}")
    for what, counted in (("trouble", seen), ("no answer", without)):
        for key, n in counted.most_common(80):
            print(f"{what} {n:6d} {key}")
    return seen


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--most", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--skip", help="a regular expression: programs whose text matches are left out")
    parser.add_argument("--alone", action="store_true", help="without PyTorch")
    args = parser.parse_args(arguments)
    others = []
    if not args.alone:
        with contextlib.suppress(ImportError):
            from ..compare._torch_way import torchs

            others = [("torch", torchs)]
    sys.exit(bool(search(args.start, args.count, others, seconds=args.seconds, most=args.most, skip=args.skip)))


if __name__ == "__main__":
    main()

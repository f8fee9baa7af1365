"""Searches random programs (`_seams.py`) for derivatives that disagree (`_ways.py`), and shrinks what it finds.

python -m tests.properties._search START COUNT      # with PyTorch too, where it is installed
"""

import argparse
import collections
import contextlib
import functools
import re
import sys
import time

from ._seams import program_of
from ._ways import study

VARIABLE = r"\b[vx]\d+\b"

# Shrinking -----------------------------------------------------------------------------------------------------------


def shrunk(program, kind, complaints, fewer=None):
    """The program with as few lines and terms as still make a complaint of the same kind.

    ``complaints`` is a function of a program that returns its ``(kind, text)`` pairs; ``fewer`` yields shorter versions
    of its lines (by default fewer terms of its last line, fewer lines, variables for others).
    """
    fewer = fewer or shorter

    def still(lines):
        before, program.lines = program.lines, lines
        with contextlib.suppress(Exception):
            if any(k == kind for k, _ in complaints(program)):
                return True
        program.lines = before
        return False

    changed = True
    while changed:
        changed = any(still(lines) for lines in fewer(program))
    return program


def shorter(program):
    """Shorter versions of the lines: fewer terms of the loss, one line less, a variable for another."""
    *body, last = program.lines
    terms = last.removeprefix("loss = ").split(" + ")
    if len(terms) > 1:
        yield from ([*body, f"loss = {t}"] for t in terms)
    if last.count("(") > 1:
        for name in re.findall(VARIABLE, last):
            yield [*body, f"loss = {name}.sum()"]
    for i in reversed(range(len(body))):
        name, _, made = body[i].partition(" = ")
        before, rest = body[:i], [*body[i + 1 :], last]
        yield [*before, *rest]
        alike = [n for n, s in program.shapes.items() if n != name and s == program.shapes.get(name)]
        for other in dict.fromkeys([*re.findall(VARIABLE, made), *alike]):
            yield [*before, *[re.sub(rf"\b{name}\b", other, line) for line in rest]]
            if made not in program.shapes and re.fullmatch(VARIABLE, name):
                yield [*before, f"{name} = {other}", *rest]


# Search --------------------------------------------------------------------------------------------------------------


def signature(kind, program):
    """What two findings have in common if they are one bug: the kind and the last operations left."""
    text = re.sub(r"\b[vxc]\d+\b", "@", " ; ".join(program.lines))
    return f"{kind} | {re.sub(r'[0-9.]+', '#', text)[:160]}"


def _first_of_each(complaints):
    """One complaint for each sort of trouble: what makes a value wrong makes the gradient wrong, here and elsewhere."""
    found = {}
    for kind, text in complaints:
        found.setdefault("number" if " and " in kind else kind.removesuffix(", elsewhere"), (kind, text))
    return found.values()


def search(start, count, others, every=500, seconds=None, most=7, known=None):
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
        chosen = (("formula",), ("program",), ("program", "compiled"), ("formula", "function's formula"))[seed // 5 % 4]
        report = study(program, others, chosen)
        gave = report.compared
        ways.update(gave)
        compared += len(gave) >= 3
        without.update(f"{n}: {re.sub(r'[0-9]+', 'N', t)[:70]}" for n, t in report.without.items())
        for kind, text in _first_of_each(report.complaints):
            if known and re.search(known, f"{kind}\n{text}\n{program.source}", re.DOTALL):
                seen["known"] += 1
                continue
            small = shrunk(program_of(seed, most), kind, lambda p, c=chosen: study(p, others, c).complaints)
            key = signature(kind, small)
            seen[key] += 1
            if seen[key] == 1:
                texts = [t for k, t in study(small, others, chosen).complaints if k == kind]
                print(f"--- seed {seed}: {kind}\n{small!r}\n# {texts[:1]}\n", flush=True)
        if (seed - start + 1) % every == 0:
            print(f"=== {seed - start + 1} programs, {compared} compared, {time.time() - begun:.0f} s, {dict(ways)}, "
                  f"{sum(seen.values())} troubles",
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
    parser.add_argument("--known", help="a regular expression of complaints and programs not to print")
    parser.add_argument("--alone", action="store_true", help="without PyTorch")
    args = parser.parse_args(arguments)
    others = []
    if not args.alone:
        with contextlib.suppress(ImportError):
            import torch

            from ..compare._torch_way import torchs

            others = [("torch", functools.partial(torchs, torch))]
    sys.exit(bool(search(args.start, args.count, others, seconds=args.seconds, most=args.most, known=args.known)))


if __name__ == "__main__":
    main()

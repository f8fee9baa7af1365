"""First calls of Hessians in new processes: with the program to be made, and with the one that another process kept.

    python tests/benchmarks/first_calls.py mixture attention
    python tests/benchmarks/first_calls.py --loops garch kalman     # 30 calls: the program is made at the 25th

The idea to hold: each figure is from processes of its own, which have made one small Hessian before; it is processor
time, the least of three. The folder of kept programs is a new one.
"""

import os
import subprocess
import sys
import tempfile

SCRIPT = """
import sys
from time import process_time

import hessians_sciences, hessians_statistics
import numpy as np
from _dense_problems import PROBLEMS

import symgrad as sg

sg.hessian(lambda x: (x**2 * sg.sin(x)).sum())(np.ones(3))
f, at, data = PROBLEMS[sys.argv[1]].make(False)
H, times = sg.hessian(lambda x: f(sg, x, *data)), []
for _ in range(int(sys.argv[2])):
    start = process_time()
    H(at)
    times.append(1e3 * (process_time() - start))
print(times[0], max(times))
"""


def measured(key, calls, folder):
    """The first call's milliseconds, and the longest's."""
    command = [sys.executable, "-c", SCRIPT, key, str(calls)]
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, env={**os.environ, "SYMGRAD_CACHE": folder, "PYTHONPATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    first, longest = map(float, done.stdout.split())
    return first, longest


def main():
    loops = "--loops" in sys.argv
    calls = 30 if loops else 1
    for key in [k for k in sys.argv[1:] if k != "--loops"]:
        with tempfile.TemporaryDirectory() as folder:
            made = min(measured(key, calls, "off")[1] for _ in range(3))
            measured(key, calls, folder)
            kept = min(measured(key, 1, folder)[0] for _ in range(3))
        print(f"{key:30} made {made:9.1f} ms   kept {kept:9.1f} ms   {made / kept:6.2f}")


if __name__ == "__main__":
    main()

"""Processes that have imported what scripts need, and are copied for each: a process of its own, without its imports.

The idea to hold: a copy has nothing but modules from the process it was copied from, which itself runs no script; its
environment, its folder, its arguments and its output are those of the call. Sets are ordered otherwise in each of the
processes that are copied, as they are in those that a user starts. Where processes are not copied, each is started.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COPYING = """
import json, os, sys, traceback
{imports}
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    status = 1
    try:
        for name, number in (("out", 1), ("err", 2)):
            os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.environ.clear()
        os.environ.update(job["environment"])
        os.chdir(job["folder"])
        sys.argv = ["-c", *job["arguments"]]
        exec(compile(job["script"], "<script>", "exec"), {{"__name__": "__main__"}})
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(status)
"""


class Processes:
    """Runs scripts, by turns as copies of processes that have imported the same and order sets otherwise."""

    def __init__(self, imports, seeds=(1, 2)):
        code = COPYING.format(imports=imports)
        self._made = [
            subprocess.Popen(
                [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONHASHSEED": str(seed)},
            )
            for seed in (seeds if hasattr(os, "fork") else ())
        ]  # fmt: skip
        self._turns = itertools.cycle(self._made)

    def run(self, script, *arguments):
        """What a script prints, run in this environment and folder; what it says where it fails is an error."""
        if not self._made:
            command = [sys.executable, "-c", script, *arguments]
            return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            job = {"script": script, "arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd(),
                   "out": str(out), "err": str(err)}  # fmt: skip
            process = next(self._turns)
            print(json.dumps(job), file=process.stdin, flush=True)
            status = process.stdout.readline()
            assert status == "0\n", err.read_text(encoding="utf-8") if err.exists() else "the process has ended"
            return out.read_text(encoding="utf-8")

    def close(self):
        for process in self._made:
            process.stdin.close()
            process.wait(10)
            process.stdout.close()

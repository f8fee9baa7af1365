"""Store what other libraries say in ``answers/``: python -m tests.compare.write_answers [files]

Runs the files (all, if none is named) with the libraries that are installed, says what changed, and forgets what no
test asks for. An answer that is the stored one to rounding stays as it is stored, and so do those of missing libraries.
"""

import sys
from pathlib import Path

import pytest

from . import _answers

HERE = Path(__file__).parent


def main(files):
    """Write the answers of some files, and return pytest's exit code."""
    paths = [Path(file) for file in files] or sorted(HERE.glob("test_*.py"))
    if missing := [str(path) for path in paths if not path.is_file()]:
        raise SystemExit(f"no such file: {', '.join(missing)}")
    _answers.written = {}
    code = pytest.main(["-q", "-m", "", "-p", "no:xdist", "-p", "no:cacheprovider", *map(str, paths)])
    if code > pytest.ExitCode.TESTS_FAILED:
        raise SystemExit("nothing is stored: the tests did not run")
    modules = {path.stem for path in paths}
    if not files:
        modules |= {path.name.partition(".")[0] for path in _answers.FOLDER.glob("*.xz")}
    changes = [said for module in sorted(modules) if (said := _answers.save(module))]
    print("\n".join(changes) or "the stored answers are what they were")
    if code:
        print("Some tests fail: what they asked for before they did is stored.")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

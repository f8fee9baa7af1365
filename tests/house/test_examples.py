"""Every example is a plain script that runs from anywhere and ends without an error or a warning."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_example_runs(script, tmp_path):
    draws = f"{script.name} path.svg" in script.read_text(encoding="utf-8")
    picture = [str(tmp_path / "picture.svg")] if draws else []
    run = [sys.executable, "-W", "error", str(script), *picture]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example shows something"
    for path in picture:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(Path(path).read_text(encoding="utf-8")) > 1000, "something is drawn"


def test_readme_lists_every_example():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in SCRIPTS if path.name not in listed] == []

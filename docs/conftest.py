"""The files here import each other, and the tests; what draws the plots of pages is only there with Matplotlib."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

collect_ignore = [] if find_spec("matplotlib") else ["_plots.py"]

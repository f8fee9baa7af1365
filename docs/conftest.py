"""What draws the plots of pages is only there with Matplotlib."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("matplotlib") else ["_plots.py"]

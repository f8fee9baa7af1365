"""Sphinx configuration: `python -m sphinx docs docs/_build`, with the `docs` extra installed."""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

with open(Path(__file__).parents[1] / "pyproject.toml", "rb") as file:
    release = tomllib.load(file)["project"]["version"]

project = "symgrad"
author = "symgrad developers"
copyright = "2026, symgrad developers"

extensions = ["myst_parser"]
myst_heading_anchors = 3

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "symgrad"
html_static_path = ["_static"]
html_css_files = ["tables.css"]


def prepare(app, page, source):
    """Fill in what is read from the code: operations, facts of rows. Drop the blank lines that end doctests."""
    if page == "operations":
        from _operations import markdown

        source[0] = source[0].replace("{{ operations }}", markdown())
    if page == "rules":
        from _rules import markdown

        source[0] = source[0].replace("{{ rules }}", markdown())
    if page == "numpy":
        from _numpy_names import markdown

        source[0] = source[0].replace("{{ numpy }}", markdown())
    if page == "extending":
        from _operations import facts, meanings

        source[0] = source[0].replace("{{ facts }}", facts()).replace("{{ meanings }}", meanings())
    if page == "coming-from-pytorch":
        from _operations import absent

        from symgrad._absent import LAYERS, OPERATIONS

        source[0] = source[0].replace("{{ absent }}", absent(OPERATIONS)).replace("{{ layers }}", absent(LAYERS))
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app):
    app.connect("source-read", prepare)

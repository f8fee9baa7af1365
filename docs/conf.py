"""Sphinx configuration: `python -m sphinx docs docs/_build`, with the `docs` extra installed."""

import tomllib
from pathlib import Path

with open(Path(__file__).parents[1] / "pyproject.toml", "rb") as file:
    release = tomllib.load(file)["project"]["version"]

project = "symgrad"
author = "symgrad developers"
copyright = "2026, symgrad developers"

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "symgrad"

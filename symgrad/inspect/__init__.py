"""Functions and their graphs, looked at: what was computed, as a picture."""

from ..ops._public import settle as _settle
from ._graph_picture import Graph, graph, notebook_picture

__all__ = ["Graph", "graph", "notebook_picture"]

_settle("symgrad", globals(), ["Graph", "graph"])

"""What was computed, looked into: is a gradient right, who made a NaN, how a gradient came about; as a picture."""

from ..ops._public import settle as _settle
from ._blame import AnomalyError
from ._graph_picture import Graph, graph, notebook_picture
from ._plot import plot
from ._report_made import Report, report
from ._verify import verify

__all__ = ["AnomalyError", "Graph", "Report", "graph", "notebook_picture", "plot", "report", "verify"]

_settle("symgrad", globals(), ["AnomalyError", "Graph", "Report", "graph", "plot", "report", "verify"])

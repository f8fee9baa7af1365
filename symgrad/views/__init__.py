"""Pictures, plots, reports and pages of what was computed: nothing else of symgrad needs them.

graph_boxes    a graph as boxes and arrows, of a formula too: what is drawn, before anybody asks where
graph_picture  ``sg.graph``: a picture of how a tensor was computed, and of its gradient; as text for terminals, too
graph_svg      where boxes and arrows go, and they as SVG and as an HTML page in which one can follow a gradient
pages          pages of HTML that need nothing else: frame, style and script; formulas as MathML; a matrix as SVG
plot_matrix    ``H.plot()``: a map of the Hessian's entries and its eigenvalues; and what plots share
plot_subject   what is plotted, whether it came as a function or as a formula: values and derivatives at many points
plots          ``sg.plot``: a function with its derivatives as curves, contours and fields
reports        ``sg.report``: all that is known of a function and its derivatives, as one page of HTML
"""

from ..ops import set_public_names as _settle
from .graph_picture import Graph, graph, notebook_picture
from .graph_svg import escaped
from .pages import Section, copy_button, formula_block, page, problem
from .plots import plot
from .reports import (
    TOO_LONG,
    Report,
    checked,
    derivations,
    derivative_name,
    is_long,
    picture,
    report,
    targets_of,
    told,
    verdicts,
    where_smooth,
)

_settle("symgrad", globals(), ["Graph", "Report", "graph", "plot", "report"])

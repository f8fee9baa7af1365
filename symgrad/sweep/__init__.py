"""Sweeps over the recorded graph.

calls        ``backward`` and ``grad``: what they are given, checked, and parts of graphs
reverse      the reverse sweep, with the user's hooks, and backwards inside backwards
bookkeeping  whether saved values are as they were; gradients added to leaves
forward      the tangent of one node, by the kind of its row
directions   tangents pushed through a graph, one, many at once, or with each operation as it runs
batch        how each operation of the table runs on a batch
replay       a recorded graph run again: on a batch, on other leaves, at other sizes
series       Taylor series: a recorded graph on power series
"""

from .bookkeeping import check_unspoilt, orders_of
from .calls import Subgraph, backward, grad, make_seed, retain
from .directions import PullMany, Push, many_tangents, refuse_hooks, set_tangent
from .forward import NoForwardRule, stand_in_of
from .reverse import Sweep, calling_frame, depth_of_rules, run_users_code

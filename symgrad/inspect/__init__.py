"""What was computed, looked into: is a gradient right, who made a NaN, how a gradient came about.

anomalies        the error of anomaly mode: which operation is to blame for a NaN, where it stands, why
proof_of_claims  the proof that a claim is right, also where Python branches; and where alone it says something
recorded_values  the numbers of a recorded graph, their derivatives entry by entry, and words for one operation of it
sides            what is verified and what is claimed of it, as one kind of thing
tape             a recorded graph as a derivation: each operation, then each gradient back to the leaves
truth            what a derivative is at a point, and a claim held against it, point by point
verification     `verify`: whether what somebody says about a function is so, what is wrong with it
"""

from ..ops import set_public_names as _settle
from .anomalies import AnomalyError
from .proof_of_claims import only_where
from .sides import Side, as_array, likely, variables_of
from .truth import Truth
from .verification import verify

_settle("symgrad", globals(), ["AnomalyError", "verify"])

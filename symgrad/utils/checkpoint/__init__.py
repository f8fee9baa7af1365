"""PyTorch's ``utils.checkpoint``: compute values again in backward instead of keeping them."""

from ...autograd._checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_early_stop
from ...ops import set_public_names as _settle

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop"]

_settle(__name__, globals(), __all__)

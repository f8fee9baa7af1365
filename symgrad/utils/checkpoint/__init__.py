"""PyTorch's ``utils.checkpoint``: compute values again in backward instead of keeping them."""

from ...autograd._checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_early_stop

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop"]

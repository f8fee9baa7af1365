"""One small call per line of behaviour, run by both libraries.

The one idea: a case is a function of the library (and its `func`); both must return the same structure, values and
flags, or raise errors of one class that begin with the same words.
"""

import numpy as np

import symgrad as sg

from ._answers import answer


def described(L, result):
    if isinstance(result, L.Tensor):
        return tuple(result.shape), result.requires_grad, np.round(result.detach().numpy(), 8).tolist()
    if isinstance(result, (tuple, list)):
        return type(result).__name__, [described(L, r) for r in result]
    if isinstance(result, dict):
        return {k: described(L, v) for k, v in result.items()}
    return result


def outcome(call):
    try:
        return call(), None
    except Exception as error:
        return None, error


def check_edge(run):
    """Both libraries do the same, or fail alike."""

    def result(L):
        return described(L, run(L, L.func))

    ours, our_error = outcome(lambda: result(sg))
    theirs, their_error = outcome(lambda: answer("torch", result))
    assert (our_error is None) == (their_error is None), (our_error, their_error)
    assert ours == theirs
    if their_error is not None:
        assert isinstance(our_error, type(their_error)) or type(our_error).__name__ == type(their_error).__name__
        words = [str(e).split("\n")[0].replace("torch.", "").rstrip(".")[:50] for e in (our_error, their_error)]
        assert words[0] == words[1]

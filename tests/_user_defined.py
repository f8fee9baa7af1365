"""Operations as a user defines them: they have no row in the table, so neither a program nor a pattern."""

import symgrad as sg


class Cube(sg.autograd.Function):
    """x³."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


class SquareOnArrays(sg.autograd.Function):
    """x², whose backward computes on arrays: no derivative flows through it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return sg.tensor(2 * x.detach().numpy() * g.detach().numpy())

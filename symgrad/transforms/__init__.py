"""Functions in, functions out: what `symgrad.func` and `symgrad.autograd.functional` are made of.

cost               ``sg.cost``: how much work and memory a function, its gradient and its second derivatives take
derivative         ``sg.grad``, ``sg.jacobian``: the derivative of a function, as a function of the same arguments
first_derivatives  ``sg.vjp``, ``sg.jvp``, ``sg.value_and_grad``, ``sg.jacrev``, ``sg.jacfwd``, ``sg.linearize``
fix                ``sg.fix``: a function of fewer arguments, the others held constant
hessian            ``sg.hessian``: the matrix of second derivatives, as a function; by the workers of a cluster too
matrix             `HessianMatrix`: second derivatives in several parameters as one matrix whose rows, and blocks
hessian_operator   ``sg.hessian_operator``: the matrix as its products, which loads SciPy's operators
products           products with second derivatives: ``sg.hvp``, ``sg.laplacian`` and kin; ``sg.taylor``
repeated           derivatives that are asked for again and again: of a function that is known through and through
report             what a matrix of second derivatives says of a point: eigenvalues, their signs
routes             the ways to a matrix of second derivatives of one run: by a program, or by the tape
tape_route         second derivatives by the tape, and programs compared with it
sparse_hessian     sparse second derivatives where there is no program: products, as many as the pattern has colours
sparse_jacobian    sparse Jacobians: products with the matrix, as many as its columns or rows have colours
vmap               ``sg.vmap``: a function of one example, run on a batch of them, or once on symbols and replayed
calls              one call of a transform: its arguments and variables, what the function reads, its run
compiled           what `sg.compile` makes: programs by structures of arguments, with loops in them
loops              loops: `sg.scan`, and rounds that are found on the tape
"""

from .compiled import compile  # what is asked for often is compiled by it
from .cost import cost
from .derivative import Derivative, grad, jacobian
from .hessian import Hessian, StructurallyZeroWarning, hessian, labelled
from .vmap import MappedCall, VmapSettings, vmap

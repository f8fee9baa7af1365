"""Functions in, functions out: what `symgrad.func` and `symgrad.autograd.functional` are made of."""

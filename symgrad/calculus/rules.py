"""The rules of the calculus: every one that says "this is that": a pattern, what it is instead, where, and why.

Patterns are index notation (see `matching`). A rule holds for all real values unless ``where`` says otherwise;
that condition travels with the formula. What is an algorithm (common factors, quotients, branches) stands in
`passes`, with its reason; how both are applied, in `rewriting`.
"""

from __future__ import annotations

from typing import NamedTuple

# ruff: noqa: E501  (a rule is a line)


class Jacobian(NamedTuple):
    """The derivative of an operation in an operand, read at indices."""

    of: str
    wrt: str
    slope: str
    why: str = ""


class Rule(NamedTuple):
    """A rule as it is written.

    ``when`` names what decides whether it is used (`WHEN`, `WANTED`); ``tags`` says who uses it: formulas ("short"), programs
    ("stable"; "stated" where the term says that the conditions hold), forms that printers take where they are shorter ("reading", which tries all that holds); "real" that it holds for real values only, and is not used where complex ones occur.
    """

    pattern: str
    replacement: str
    where: str = ""
    why: str = ""
    when: str = ""
    tags: str = "short stable"


RULES: list[Rule] = [
    # exponentials
    Rule("log(1 + exp(x))", "softplus(x)", why="the definition of softplus", tags="short stable real"),
    Rule("log1p(exp(x))", "softplus(x)", why="the definition of softplus", tags="short stable real"),
    Rule("log(x) − log(y)", "log(x/y)", where="y > 0", why="the law of logarithms", tags="short real"),
    Rule("−log(x / y)", "log(y / x)", why="the law of logarithms", when="there is a minus", tags="short real"),
    Rule("xlogy(a, x)", "a · log(x)", where="x > 0", why="the definition, but for 0 log 0, which is 0", tags="short real"),
    Rule("xlog1py(a, x)", "a · log1p(x)", where="1 + x > 0", why="the definition, but for 0 log 0, which is 0", tags="short real"),
    Rule("logaddexp(x, 0)", "softplus(x)", why="log(eˣ + e⁰)", tags="short stable real"),
    Rule("logsigmoid(x)", "−softplus(−x)", why="log(1/(1 + e⁻ˣ))", tags="short stable real"),
    Rule("log(sigmoid(x))", "−softplus(−x)", why="log(1/(1 + e⁻ˣ))", tags="short stable real"),
    Rule("log(1 − sigmoid(x))", "−softplus(x)", why="1 − σ(x) is 1/(1 + eˣ)", tags="short stable real"),
    Rule("softplus(−x) − softplus(x)", "−x", why="log(1 + e⁻ˣ) is log(1 + eˣ) without log eˣ", tags="short stable real"),
    Rule("1 / (1 + exp(x))", "sigmoid(−x)", why="the definition of σ at −x", tags="short stable real"),
    Rule("exp(x) · sigmoid(−x)", "sigmoid(x)", why="eˣ/(1 + eˣ)", tags="short stable real"),
    Rule("sigmoid(−x) − sigmoid(−y)", "sigmoid(y) − sigmoid(x)", why="1 − σ(x) is σ(−x), and the ones cancel", when="x and y are shorter than −x and −y", tags="short real"),
    Rule("1 − sigmoid(−x)", "sigmoid(x)", why="1 − σ(x) is σ(−x)", when="x is shorter than −x and something else is added", tags="short real"),
    Rule("softplus(−x) + x", "softplus(x)", why="log(1 + e⁻ˣ) and log eˣ", tags="short stable real"),
    Rule("sigmoid(−x) · (1 − sigmoid(−x))", "sigmoid(x) · (1 − sigmoid(x))", why="1 − σ(x) is σ(−x)", when="x is shorter than −x", tags="short real"),
    Rule("sigmoid(x) · (1 − sigmoid(x))", "sigmoid(x) · sigmoid(−x)", why="1 − σ(x) is σ(−x), which loses no digits", when="x is a number", tags="reading real"),
    Rule("exp(x) · exp(−x)", "1", why="e⁰"),
    Rule("exp(−x) / (1 − exp(−x))", "1 / (exp(x) − 1)", why="both multiplied by eˣ", when="x is shorter than −x", tags="short"),
    Rule("exp(x) · exp(y)", "exp(x + y)", why="the law of exponents", when="terms of x and y meet", tags="short"),
    Rule("log(Σₖ exp(u[…,k]))", "logsumexp(u, k)[…]", why="the definition of logsumexp"),
    Rule("exp(u[…,j])^k · (Σᵢ exp(u[…,i]))^n", "softmax(u, j)[…,j]^k · (Σᵢ exp(u[…,i]))^(k + n)", why="the definition", when="there are as many as powers of the sum"),
    Rule("exp(u[…,k] − logsumexp(u, k)[…])", "softmax(u, k)[…,k]", why="eᵘ over Σ eᵘ"),
    Rule("log_softmax(u, k)[…,k]", "u[…,k] − logsumexp(u, k)[…]", why="the definition; a sum has no Jacobian that links what it adds", tags="stable"),
    Rule("exp(log_softmax(u, k)[…,k])", "softmax(u, k)[…,k]", why="the definition", tags="short real"),
    Rule("log(softmax(u, k)[…,k])", "u[…,k] − logsumexp(u, k)[…]", why="the definition", tags="stable real"),
    Rule("Σₖ softmax(u, k)[…,k]", "1", why="probabilities sum to one"),
    Rule("softmax(u[…,k] + c[…], k)[…,k]", "softmax(u, k)[…,k]", why="what is the same for all entries cancels"),
    Rule("log_softmax(u[…,k] + c[…], k)[…,k]", "log_softmax(u, k)[…,k]", why="what is the same for all entries cancels"),
    Rule("logsumexp(u[…,k] + c[…], k)[…]", "logsumexp(u, k)[…] + c[…]", why="what is the same for all entries goes out", tags="short stable real"),
    # circular and hyperbolic functions
    Rule("sin(x)² + cos(x)²", "1", why="Pythagoras"),
    Rule("1 − sin(x)²", "cos(x)²", why="Pythagoras"),
    Rule("1 − cos(x)²", "sin(x)²", why="Pythagoras"),
    Rule("cosh(x)² − sinh(x)²", "1", why="(cosh x + sinh x)(cosh x − sinh x) = eˣ e⁻ˣ"),
    Rule("1 + sinh(x)²", "cosh(x)²", why="cosh² − sinh² = 1"),
    Rule("cosh(x)² − 1", "sinh(x)²", why="cosh² − sinh² = 1"),
    Rule("sin(x)^k · cos(x)^n", "tan(x)^k", why="the definition", when="n is −k"),
    Rule("cos(x)^k · tan(x)^n", "sin(x)^k", why="the definition", when="n is k", tags="short"),
    Rule("sinh(x)^k · cosh(x)^n", "tanh(x)^k", why="the definition", when="n is −k"),
    Rule("tan(x) + 1/tan(x)", "2/sin(2·x)", why="(sin² + cos²)/(sin cos), and the double angle", tags="short"),
    Rule("sin(x) · cos(x)", "½·sin(2·x)", why="the double angle", when="nothing else is multiplied", tags="short reading"),
    Rule("cos(x)² − sin(x)²", "cos(2·x)", why="the double angle", tags="short"),
    Rule("1 − 1/tanh(x)²", "−1/sinh(x)²", why="cosh² − sinh² = 1", tags="short"),
    Rule("1 + 1/tan(x)²", "1/sin(x)²", why="cos² + sin² = 1", tags="short"),
    Rule("log((1 + x) / (1 − x))", "2·atanh(x)", why="the inverse of tanh, which is (e²ˣ − 1)/(e²ˣ + 1)", tags="short real"),
    Rule("log((1 − x) / (1 + x))", "−2·atanh(x)", why="the inverse of tanh, which is (e²ˣ − 1)/(e²ˣ + 1)", tags="short real"),
    # signs and choices
    Rule("|x| · sign(x)", "x", why="the definition of the sign", tags="short stable real"),
    Rule("x^k · sign(x)", "x^(k − 1) · |x|", why="the definition of the sign", when="k is at least 1", tags="short stable real"),
    Rule("x / |x|", "sign(x)", why="the definition of the sign", tags="short stable real"),
    Rule("sign(x) / |x|", "1/x", why="the definition of the sign", tags="short stable real"),
    Rule("sign(x)^k", "1[x ≠ 0]", why="1 and −1 are 1 squared", when="k is even and positive", tags="short real"),
    Rule("|x|^k · 1[x ≠ 0]", "|x|^k", why="elsewhere it is infinite", when="k is negative", tags="short"),
    Rule("relu(x)^k · 1[x > 0]", "relu(x)^k", why="relu(x) is 0 elsewhere", when="k is positive", tags="short stable real"),
    Rule("max(x, 0)^k · 1[x > 0]", "relu(x)^k", why="relu(x) has the slope 0 at 0, too", when="k is positive", tags="short stable real"),
    Rule("max(x, 0)^k · where(x = 0, ½, 1[x > 0])", "max(x, 0)^k", why="max(x, 0) is 0 elsewhere", when="k is positive", tags="short stable real"),
    Rule("relu(relu(x))", "relu(x)", why="relu(x) is not below 0", tags="short stable real"),
    Rule("max(x, x)", "x", why="the larger one of equals", tags="short stable real"),
    Rule("min(x, x)", "x", why="the smaller one of equals", tags="short stable real"),
    Rule("where(0, x, y)", "y", why="0 is false"),
    Rule("where(1, x, y)", "x", why="1 is true"),
    Rule("where(c, where(c, x, y), z)", "where(c, x, z)", why="there c holds", tags="short stable real"),
    Rule("where(c, x, where(c, y, z))", "where(c, x, z)", why="there c does not hold", tags="short stable real"),
    Rule("where(x > y, clamp_min_tensor(x, y), z)", "where(x > y, x, z)", why="there it is x", tags="short stable real"),
    # powers
    Rule("a^x · a^y", "a^(x + y)", where="a > 0", why="the law of exponents", tags="short real"),
    Rule("a^x · a^k", "a^(x + k)", where="a > 0", why="the law of exponents", tags="short real"),
    Rule("(a^x)^k", "a^(k·x)", where="a > 0", why="a power of a power", when="k is not 1", tags="short real"),
    Rule("(x^k)^n", "|x|^(k·n)", why="√x² is |x|", when="k is even and n no whole number", tags="short stable real"),
    # matrices
    Rule("Σₖ inv(A)[i,k] · A[k,j]", "δ[i,j]", where="A has an inverse", why="the definition of the inverse"),
    Rule("Σₖ A[i,k] · inv(A)[k,j]", "δ[i,j]", where="A has an inverse", why="the definition of the inverse"),
    Rule("Σₖ expm(A)[i,k] · expm(A)[k,j]", "expm(2·A)[i,j]", why="a matrix commutes with itself", tags="short"),
    Rule("logdet(expm(X))", "Σᵢ X[i,i]", why="det eˣ is e to the trace of X", tags="short real"),
    Rule("detsign(expm(X))", "1", why="eˣ of a number is positive", tags="short real"),
    Rule("det(expm(X))", "exp(Σᵢ X[i,i])", why="the determinant is the product of the eigenvalues", tags="short"),
    Rule("log(det(X))", "logdet(X)", where="det(X) > 0", why="the logarithm of a determinant is one function", tags="short stable real"),
    Rule("log(|det(X)|)", "logdet(X)", why="the logarithm of a determinant is one function", tags="short stable real"),
    Rule("where(detsign(X) = −1, NaN, y)", "y", where="det(X) > 0", why="elsewhere it is no number", tags="short stable real"),
    Rule("x · 1[detsign(X) ≠ 0]", "x", where="det(X) > 0", why="the logarithm is asked for where it is one", tags="short real"),
    Rule("Σₖ Q[k,i] · Q[k,j]", "δ[i,j]", why="orthogonal: QᵀQ = I", when="Q was declared orthogonal", tags="short stable real"),
    Rule("Σₖ Q[i,k] · Q[j,k]", "δ[i,j]", why="orthogonal: QQᵀ = I", when="Q was declared orthogonal", tags="short stable real"),
    Rule("Σₖ p[…,k]", "1", why="one entry of a one-hot row is 1, the others 0", when="p was declared one-hot"),
    Rule("Σₖ cholesky(K)[i,k] · cholesky(K)[j,k]", "K[i,j]", where="K is symmetric", why="that is what the factor L is: L Lᵀ = K", tags="short real"),
    Rule("Σₖ inv(cholesky(K))[k,i] · inv(cholesky(K))[k,j]", "inv(K)[i,j]", where="K is symmetric", why="L⁻ᵀ L⁻¹ = (L Lᵀ)⁻¹", tags="short real"),
    Rule("Σᵢ log(cholesky(K)[i,i])", "½·logdet(K)", where="K is symmetric", why="det K is det L squared", tags="short stable real"),
    Rule("inv(x[i]·δ[i,j])[i,j]", "δ[i,j] / x[i]", why="entry by entry on the diagonal"),
    Rule("det(x[i]·δ[i,j])", "prod(x)", why="the product of the eigenvalues, which are the entries"),
    Rule("logdet(x[i]·δ[i,j])", "Σᵢ log(|x[i]|)", why="the eigenvalues are the entries", tags="short stable real"),
    Rule("expm(x[i]·δ[i,j])[i,j]", "exp(x[i])·δ[i,j]", why="powers of a diagonal are taken entry by entry"),
    Rule("cholesky(x[i]·δ[i,j])[i,j]", "√(x[i])·δ[i,j]", where="x > 0", why="L Lᵀ has the squares on its diagonal", tags="short stable real"),
    Rule("det(A[j,i])", "det(A)", why="rows and columns play the same part", tags="short"),
    Rule("logdet(A[j,i])", "logdet(A)", why="rows and columns play the same part", tags="short real"),
    Rule("logdet(inv(A))", "−logdet(A)", why="det A · det A⁻¹ = det I", tags="short stable real"),
    Rule("detsign(inv(A))", "detsign(A)", why="det A · det A⁻¹ = det I", tags="short stable real"),
    Rule("detsign(A[j,i])", "detsign(A)", why="rows and columns play the same part", tags="short real"),
    Rule("det(δ[i,j] + x[i]·y[j])", "1 + Σᵢ x[i]·y[i]", why="but for one, the eigenvalues are 1", tags="short"),
    Rule("Σⱼₖ inv(Σₗ A[i,l]·B[l,j])[i,j] · A[j,k] · B[k,m]", "δ[i,m]", why="the definition of the inverse, of a product"),
    Rule("Σⱼₖ A[i,k] · B[k,j] · inv(Σₗ A[i,l]·B[l,j])[j,m]", "δ[i,m]", why="the definition of the inverse, of a product"),
    Rule("Σⱼ inv(Σₖ A[i,k]·B[k,j])[i,j] · A[j,l]", "inv(B)[i,l]", where="A has an inverse", why="(A B)⁻¹ = B⁻¹ A⁻¹", when="A and B are square", tags="short"),
    Rule("Σᵢ B[l,i] · inv(Σₖ A[i,k]·B[k,j])[i,j]", "inv(A)[l,j]", where="B has an inverse", why="(A B)⁻¹ = B⁻¹ A⁻¹", when="A and B are square", tags="short"),
    Rule("Σₖ (x − δ[i,k]) · (x − δ[k,j])", "δ[i,j] − x", why="what is centred stays so", when="x is 1 over the size of k"),
    Rule("expm_rate(x·A[i,j], y·A[i,j])[i,j]", "Σₖ y·A[i,k]·expm(x·A[i,j])[k,j]", why="a matrix commutes with its multiples", tags="short"),
    Rule("Σᵢⱼ A[i,j] · expm_rate(x·A[j,i], G)[i,j]", "Σᵢⱼₖ A[i,k]·expm(x·A[i,j])[k,j]·G[i,j]", why="a matrix commutes with its multiples", tags="short"),
    # Kronecker products, and axes laid out as one: δ[p,i,k] is 1 where p is the place of (i, k), row by row, and so
    # δ[p,r,i,k,j,l] where also r is that of (j, l)
    Rule("Σᵢ kron(A, B)[i,i]", "Σⱼₖ A[j,j]·B[k,k]", why="the blocks on the diagonal are A[i,i] B", when="A and B are square", tags="short"),
    Rule("Σₚᵣ kron(A, B)[p,r]", "Σᵢⱼₖₗ A[i,j]·B[k,l]", why="each entry of A times each of B", tags="short"),
    Rule("Σₚ kron(x, y)[p]", "Σᵢⱼ x[i]·y[j]", why="each entry of x times each of y", tags="short"),
    Rule("inv(kron(A, B))[i,j]", "kron(inv(A), inv(B))[i,j]", why="the inverse of a Kronecker product", when="A and B are square", tags="short"),
    Rule("det(kron(A, B))", "det(A)^size(B)·det(B)^size(A)", why="(A ⊗ I)(I ⊗ B) has as many blocks", when="A and B are square", tags="short"),
    Rule("logdet(kron(A, B))", "size(B)·logdet(A) + size(A)·logdet(B)", why="(A ⊗ I)(I ⊗ B) has as many blocks", when="A and B are square", tags="short real"),
    Rule("Σₖ kron(A, B)[i,k] · kron(C, D)[k,j]", "kron(Σₖ A[i,k]·C[k,j], Σₖ B[i,k]·D[k,j])[i,j]", why="axes in pairs: AC ⊗ BD", tags="short"),
    Rule("Σₖ kron(A, B)[k,i] · kron(C, D)[k,j]", "kron(Σₖ A[k,i]·C[k,j], Σₖ B[k,i]·D[k,j])[i,j]", why="axes in pairs: AᵀC ⊗ BᵀD", tags="short"),
    Rule("Σₖ kron(A, B)[i,k] · kron(C, D)[j,k]", "kron(Σₖ A[i,k]·C[j,k], Σₖ B[i,k]·D[j,k])[i,j]", why="axes in pairs: ACᵀ ⊗ BDᵀ", tags="short"),
    Rule("Σₚᵣ δ[p,r,i,k,j,l] · kron(A, B)[p,r]", "A[i,j]·B[k,l]", why="both axes of a Kronecker product are pairs", tags="short"),
    Rule("Σₚ δ[p,i,k] · kron(A, B)[p,r]", "Σⱼₗ A[i,j]·B[k,l]·δ[r,j,l]", why="an axis of a Kronecker product is a pair", tags="short"),
    Rule("Σₚ δ[p,i,k] · kron(A, B)[r,p]", "Σⱼₗ A[j,i]·B[l,k]·δ[r,j,l]", why="an axis of a Kronecker product is a pair", tags="short"),
    Rule("Σₚ δ[p,p,i,k,j,l]", "δ[i,j]·δ[k,l]", why="pairs are equal where both of their entries are", tags="short"),
    Rule("Σₚ δ[p,i] · δ[p,j]", "δ[i,j]", why="laid out and apart again", tags="short"),
    Rule("Σₚ δ[p,i]", "1", why="each entry has one place", tags="short"),
]  # fmt: skip

JACOBIANS: list[Jacobian] = [
    # Petersen and Pedersen, The Matrix Cookbook, sections 2 and 9
    Jacobian("inv(X)[i,j]", "X[k,l]", "−inv(X)[i,k]·inv(X)[l,j]", why="from X X⁻¹ = I"),
    Jacobian("det(X)", "X[k,l]", "det(X)·inv(X)[l,k]", why="Jacobi's formula"),
    Jacobian("logdet(X)", "X[k,l]", "inv(X)[l,k]", why="Jacobi's formula, divided by det X"),
    Jacobian("softmax(u, k)[…,k]", "u[…,l]", "softmax(u, k)[…,k]·δ[k,l] − softmax(u, k)[…,k]·softmax(u, l)[…,l]", why="the quotient rule"),
    Jacobian("log_softmax(u, k)[…,k]", "u[…,l]", "δ[k,l] − softmax(u, l)[…,l]", why="log softmax is u − logsumexp(u)"),
    Jacobian("logsumexp(u, k)[…]", "u[…,k]", "softmax(u, k)[…,k]", why="eᵘ over Σ eᵘ"),
    Jacobian("svd_s(X)[k]", "X[i,j]", "svd_u(X)[i,k]·svd_vh(X)[k,j]", why="UᵀdX V has dσ on its diagonal"),
    Jacobian("prod(x)", "x[…]", "prod(x) / x[…]", why="every factor but one; where no entry is 0"),
    # slopes whose rule is written for a point where the textbook's form, or its derivative, is undefined
    Jacobian("logit(x)", "x", "1/(x·(1 − x))", why="log x − log(1 − x)"),
]  # fmt: skip

"""Reading a printed formula back as numbers: the rules of the notation, once more and independently of the printer.

The idea to hold: a vector is a column and ``ᵀ`` makes it a row; side by side is the product, which binds tighter than
``/``, ``⊙``, ``⊗`` and the sums, in this order. ``I``, ``𝟏``, ``δ``, ``K`` have no size of their own: sizes are tried
until the shapes fit and the result has the size that is asked for. Index formulas, `Σₖ A[i,k]·B[k,j]`, are read too.
"""

import itertools
import re
from collections.abc import Callable, Mapping

import numpy as np
from scipy import linalg, special

from .._tokens import defined_names, tokens
from ._values import Misfit, NotReadable, Value, entrywise, laid, lettered, product, raised, spread, summed


def _numpy_functions() -> dict[str, Callable[..., np.ndarray]]:
    names = "exp log sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh sqrt abs sign log1p expm1"
    found = {name: getattr(np, name) for name in names.split()}
    return found | {name.replace("arc", "a"): function for name, function in found.items()}


ENTRYWISE: dict[str, Callable[..., np.ndarray]] = {
    **_numpy_functions(),
    "σ": special.expit,
    "sigmoid": special.expit,
    "softplus": lambda x: np.logaddexp(0, x),
    "relu": lambda x: np.maximum(x, 0),
    "Φ": special.ndtr,
    "ndtr": special.ndtr,
    "φ": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "erf": special.erf,
    "erfc": special.erfc,
    "Γ": special.gamma,
    "lgamma": special.gammaln,
    "digamma": special.digamma,
    "ψ": special.digamma,
    "polygamma": lambda n, x: special.polygamma(int(n), x),
    "where": np.where,
}
WHOLE: dict[str, Callable[..., np.ndarray]] = {
    "softmax": lambda x: special.softmax(x, axis=-1),
    "log_softmax": lambda x: special.log_softmax(x, axis=-1),
    "logsumexp": lambda x: special.logsumexp(x),
    "sum": lambda x: np.sum(x),
    "mean": np.mean,
    "prod": lambda x: np.prod(x),
    "max": lambda x: np.max(x),
    "tr": np.trace,
    "trace": np.trace,
    "diag": np.diag,
    "det": np.linalg.det,
    "logdet": lambda x: np.linalg.slogdet(x)[1],
    "inv": np.linalg.inv,
    "kron": np.kron,
    "matrix_exp": linalg.expm,
}
SUBSCRIPTS = str.maketrans("ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "aehijklmnoprstuvx")
SIZELESS_ARRAYS: dict[str, Callable[[int], np.ndarray]] = {
    "I": np.eye,
    "δ": np.eye,
    "𝟏": np.ones,
    "K": lambda n: np.eye(n * n).reshape(n, n, n * n).swapaxes(0, 1).reshape(n * n, n * n),
}
"""Arrays without a size of their own; K transposes a square matrix that is read row by row."""

SIZELESS = frozenset(SIZELESS_ARRAYS)
COMPARE = {
    ">": np.greater,
    "<": np.less,
    "≥": np.greater_equal,
    "≤": np.less_equal,
    ">=": np.greater_equal,
    "<=": np.less_equal,
    "=": np.equal,
    "==": np.equal,
    "≠": np.not_equal,
}


def read(
    text: str, values: Mapping[str, np.ndarray], size: int, sizes: Mapping[str, int], each: bool = False
) -> np.ndarray:
    """Return what a formula says at a point: an array with ``size`` entries.

    Parameters
    ----------
    text : the formula, with its "where" if it has one
    values : the variables' arrays by name
    size : how many entries the result has
    each : whether powers of matrices are those of each entry, as in some books
    sizes : the named sizes, which are numbers of the text and the candidates for I and 𝟏

    Raises
    ------
    NotReadable
        where the text is not in the matrix part of the notation, or no sizes of I and 𝟏 fit
    """
    names = {*values, *sizes, *defined_names(text)}
    body, *definitions = _definitions(text)
    parts = (body, *(right for _, right in definitions))
    free = sum(token.text in SIZELESS - names for part in parts for token in tokens(part, names))
    why: Exception | None = None
    for guess in itertools.product(sorted(set(sizes.values())), repeat=free):
        guesses = iter(guess)
        env = {name: Value(np.asarray(value, float)) for name, value in (*sizes.items(), *values.items())}
        try:
            for left, right in _in_order(definitions, names):
                name, _, letters = left.rstrip("]").partition("[")
                value = _Parser(right, names, env, guesses, each).whole()
                env[name] = Value(spread(value, re.sub(r"[\s,]", "", letters))) if letters else value
            value = _Parser(body, names, env, guesses, each).whole()
            found = spread(value, "".join(sorted(value.letters))) if value.letters else value.array
        except Misfit as error:
            why = error
            continue
        if found.size == size:
            return found
        why = Misfit(f"{found.shape} has not {size} entries")
    raise NotReadable(f"{text!r}: {why}")


def _definitions(text: str) -> list:
    remark = r"\s*K exchanges the last two axes"  # `SIZELESS_ARRAYS` has K
    body, *rest = re.split(r"\s*\bwhere\b(?!\s*\()\s*", re.sub(remark, "", text))
    parts: list = [body]
    for piece in rest:
        found = re.finditer(r"[^\W\d]\w*(?:\[[\w\s,]+\])?\s*=(?!=)", piece)
        starts = [start for start in (match.start() for match in found) if _is_outside(piece[:start])]
        for start, end in zip(starts, [*starts[1:], len(piece)]):
            name, _, right = piece[start:end].partition("=")
            parts.append((name.strip(), right.strip().rstrip(",;")))
    return parts


def _is_outside(before: str) -> bool:
    """Whether the brackets of a text are closed at its end (`dim=1` in a call defines nothing)."""
    return before.count("(") == before.count(")")


def _in_order(definitions: list[tuple[str, str]], names: set[str]) -> list[tuple[str, str]]:
    """Order definitions so that each uses only earlier ones."""
    pending, ordered = list(definitions), []
    while pending:
        waiting = {left.partition("[")[0] for left, _ in pending}
        ready = [pair for pair in pending if not waiting & {token.text for token in tokens(pair[1], names)}]
        if not ready:
            raise NotReadable(f"definitions in a circle: {pending}")
        ordered += ready
        pending = [pair for pair in pending if pair not in ready]
    return ordered


class _Parser:
    """One pass over the tokens, by the grammar's levels from the loosest to the tightest."""

    def __init__(self, text: str, names: set[str], env: Mapping[str, Value], guesses, each: bool) -> None:
        self.rest = [token for token in tokens(text, names) if token.text.strip()]
        self.env, self.guesses, self.text, self.each = env, guesses, text, each
        self.bars: list[str] = []

    def whole(self) -> Value:
        value = self.comparison()
        if self.rest:
            raise NotReadable(f"{self.text!r}: {self.rest[0].text!r} is left over")
        return value

    def peek(self) -> str:
        return self.rest[0].text.strip() if self.rest else ""

    def take(self, *texts: str) -> str:
        if self.peek() in texts:
            return self.rest.pop(0).text.strip()
        return ""

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise NotReadable(f"{self.text!r}: {text!r} expected before {self.peek()!r}")

    def comparison(self) -> Value:
        left = self.sum()
        sign = self.take(*COMPARE)
        return entrywise(COMPARE[sign], left, self.sum()) if sign else left

    def sum(self) -> Value:
        sign = self.take("−", "-", "+")
        value = self.kronecker()
        value = entrywise(np.negative, value) if sign in ("−", "-") else value
        while sign := self.take("−", "-", "+"):
            value = entrywise(np.add if sign == "+" else np.subtract, value, self.kronecker())
        return value

    def kronecker(self) -> Value:
        value = self.entrywise_product()
        while self.take("⊗"):
            other = self.entrywise_product()
            value = Value(np.kron(laid(value), laid(other)))
        return value

    def entrywise_product(self) -> Value:
        value = self.quotient()
        while self.take("⊙"):
            value = entrywise(np.multiply, value, self.quotient())
        return value

    def quotient(self) -> Value:
        value = self.product()
        while sign := self.take("/", "·"):
            other = self.product()
            value = entrywise(np.divide, value, other) if sign == "/" else product(value, other)
        return value

    def product(self) -> Value:
        factors = [self.power()]
        while self.starts():
            factors.append(self.power())
        value = factors[0]
        for factor in factors[1:]:
            value = product(value, factor)
        return value

    def starts(self) -> bool:
        if not self.rest:
            return False
        kind, text = self.rest[0].kind, self.peek()
        if kind == "bar":
            return not (self.bars and self.bars[-1] == text)
        return kind in ("name", "number") or text in ("(", "⟨", "√")

    def power(self) -> Value:
        value = self.atom()
        while True:
            if self.rest and self.rest[0].kind == "superscript":
                value = raised(value, self.rest.pop(0).text, self.each)
            elif self.take("^", "**"):
                if not self.take("∘") and value.rank == 2:
                    raise NotReadable(f"{self.text!r}: a matrix to a power that is no number")
                negative = self.take("-", "−")
                exponent = self.atom()
                value = entrywise(lambda a, b, s=-1 if negative else 1: np.power(a, s * b), value, exponent)
            elif self.take("["):
                value = lettered(value, self.indices())
            else:
                return value

    def atom(self) -> Value:
        if not self.rest:
            raise NotReadable(f"{self.text!r} ends too early")
        token = self.rest.pop(0)
        text = token.text
        if token.kind == "number":
            return self.indicator() if text == "1" and self.peek() == "[" else Value(np.asarray(float(text)))
        if text == "(":
            return self.closed(")")
        if text == "⟨":
            left = self.until_comma()
            return Value(np.asarray(np.sum(left.array * self.closed("⟩").array)))
        if token.kind == "bar":
            inner = self.closed(text)
            return entrywise(np.abs, inner) if text == "|" else Value(np.linalg.norm(inner.array))
        if text == "√":
            inner = self.power()
            return entrywise(np.sqrt, inner)
        if token.kind != "name":
            raise NotReadable(f"{self.text!r}: {text!r} out of place")
        return self.named(text)

    def indices(self) -> str:
        letters = []
        while not self.take("]"):
            letters.append(self.rest.pop(0).text.strip() if self.rest else "")
        if not all(re.fullmatch("[a-z]|,", letter) for letter in letters):
            raise NotReadable(f"{self.text!r} has indices that are no letters")
        return "".join(letter for letter in letters if letter != ",")

    def over_letters(self) -> Value:
        letters = ""
        while self.rest and self.rest[0].text.translate(SUBSCRIPTS) != self.rest[0].text:
            letters += self.rest.pop(0).text.translate(SUBSCRIPTS)
        return summed(self.quotient(), letters)

    def closed(self, bracket: str) -> Value:
        outer, self.bars = self.bars, [bracket] if bracket in "|‖" else []
        value = self.comparison()
        self.bars = outer
        self.expect(bracket)
        return value

    def until_comma(self) -> Value:
        value = self.comparison()
        self.expect(",")
        return value

    def indicator(self) -> Value:
        self.expect("[")
        return self.closed("]")

    def named(self, name: str) -> Value:
        if name in self.env:
            return self.env[name]
        if name in SIZELESS:
            return Value(SIZELESS_ARRAYS[name](next(self.guesses)))
        if name == "Σ":
            return self.over_letters()
        if name in ("e", "π"):
            return Value(np.asarray({"e": np.e, "π": np.pi}[name]))
        if self.peek() != "(" or name not in ENTRYWISE | WHOLE:
            raise NotReadable(f"{self.text!r}: no value for {name!r}")
        self.expect("(")
        arguments = []
        while self.peek() != ")" and self.commas_left():
            arguments.append(self.until_comma())
        if self.peek() in ("dim", "axis"):
            self.skip_last_axis()
        else:
            arguments.append(self.closed(")"))
        if name in ENTRYWISE:
            return entrywise(ENTRYWISE[name], *arguments)
        if any(argument.letters for argument in arguments):
            raise NotReadable(f"{self.text!r}: {name} of a lettered value")
        return Value(np.asarray(WHOLE[name](*(argument.array for argument in arguments))))

    def skip_last_axis(self) -> None:
        """Pass over `dim=1)` of a matrix: the functions below take the last axis."""
        said = [self.rest.pop(0).text.strip() for _ in range(4) if self.rest]
        if said[1:] != ["=", "1", ")"]:
            raise NotReadable(f"{self.text!r}: {said}")

    def commas_left(self) -> bool:
        """Whether a comma comes before the bracket that closes this call."""
        depth = 0
        for token in self.rest:
            text = token.text.strip()
            if text in ("(", "[", "⟨"):
                depth += 1
            elif text in (")", "]", "⟩"):
                depth -= 1
            if depth < 0:
                return False
            if text == "," and depth == 0:
                return True
        return False

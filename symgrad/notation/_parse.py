"""`parse`: a formula from text: its clauses, declarations, and pairs of axes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError
from .._progress import Task
from .._tensor import symbol
from .._trees import postorder
from ..core import Dim as SizeOfSymbol
from ..core import Symbol, Tensor, facts_of, unwrap
from ..show.signs import INDEX_LETTERS, in_unicode
from ..syntax import (
    MATRIX_PRODUCTS,
    PRODUCTS,
    LatexText,
    Node,
    ParseError,
    Parser,
    Token,
    is_latex,
    is_truth,
    latex_tokens,
    ranges_in,
    with_roles,
)
from ._build import (
    build,
    in_order,
    note_places,
    refuse_last,
    refuse_unsummed,
    span_letters,
    work_out,
)
from ._clauses import (
    Clause,
    Decomposition,
    clauses_of,
    decompositions,
    head_of,
    title_of,
    with_else,
    with_normal_densities,
    with_own_functions,
    without_sentences,
)
from ._known_functions import known, run_together
from ._letters import (
    bare_letters,
    functions_seen,
    plain_tokens,
    refuse_operators,
    with_concentrations,
    with_functions,
    with_functions_apart,
    with_sums,
    with_words_between,
    without_remarks,
)
from ._operators import OF_SQUARES, bars_raised, guard_terms, keep_apart, numbers_listed, sums_within
from ._readings import chosen, misfit, with_determinants
from ._shapes import CONSTANTS, LanguageMarks, Reading, Shape, Sizes, UnknownSize, is_covariance
from ._text_calls import rows_of_arguments, with_densities_of_code, with_entries, with_entries_of_matrices, with_states
from ._words import (
    COUNTS,
    Notation,
    WordSplitter,
    as_declared,
    as_numpy,
    is_greek_word,
    is_name,
    letters_alone,
    marks_of,
    notation_of,
    only_printed,
    products_in,
    rank_by_letter,
    refuse_lumped,
    refuse_missed,
    refuse_transposes,
    with_arguments,
    with_coefficients,
)


def _is_derivative(above: Token, below: Token) -> bool:
    """Whether a quotient of two names is ``dy/dx``, ``d/dx``."""
    both = (above.text, below.text)
    return all(re.fullmatch(r"[d∂][^\W\d_₀-₉]?", t) for t in both) and both[0] != both[1]


_OPTIMUM = re.compile("(?:arg)?(?:min|max)_[a-z]+")


def refuse_derivatives(tokens: list[Token], text: str, names: Collection[str]) -> None:
    """Refuse ``d/dx`` and ``dy/dx``, which are no fractions, and ``min_x``, an optimum.

    Raises
    ------
    ParseError : there is one
    """
    for k, sign in enumerate(tokens[1:-1], 1):
        if sign.text != "/":
            if "m" in tokens[k - 1].text and sign.text not in ("(", "=") and _OPTIMUM.fullmatch(tokens[k - 1].text):
                step = "Write the function itself; sg.minimize finds where it is least."
                raise ParseError.at("an optimum is no part of a formula", text, tokens[k - 1], step)
            continue
        above, below = tokens[k - 1 - (tokens[k - 1].text == ")")], tokens[k + 1 + (tokens[k + 1].text == "(")]
        if set(names).isdisjoint((above.text, below.text)) and _is_derivative(above, below):
            step = "Write the function itself; formula.grad(name) is its derivative."
            raise ParseError.at("a derivative is no part of a formula", text, sign, step)


# -------------------------------------------------------------------------------------------------------------------
# ``vec(P) vec(Q)ᵀ`` beside ``P ⊗ Q``: as symgrad prints arrays of four axes, a pair of axes being one of a matrix

# The idea to hold: such a product has four axes where it is added to what has, or where the result is asked to have
# them; elsewhere it is the matrix that it looks like.


_LINEAR = MATRIX_PRODUCTS | {"+", "-", "/"}


def with_pairs(root: Node, rank: int) -> None:
    """Let the products ``vec(P) vec(Q)ᵀ`` of a sum have four axes, if it has; ``rank`` is what was asked for."""
    found: list[Node] = []
    four = rank == 4
    stack = [root]
    while stack:
        node = stack.pop()
        four = four or node.is_binary("⊗")
        if node.is_binary(*MATRIX_PRODUCTS) and _is_row_of_pairs(node.children[1]):
            found.append(node)
        elif node.kind in ("binary", "unary") and node.value in _LINEAR:
            stack += node.children
    for node in found if four else ():
        left, right = node.children
        (last,) = right.children[0].children
        if _is_vec(left):
            node.kind, node.value, node.children = "pairs", None, (left.children[0], last)
        elif left.is_binary(*MATRIX_PRODUCTS) and _is_vec(left.children[1]):
            (first,) = left.children[1].children
            pair = Node("pairs", None, (first, last), left.children[1].start, node.end)
            node.children = (left.children[0], pair)


def _is_vec(node: Node) -> bool:
    return node.kind == "call" and node.value == ("vec", ())


def _is_row_of_pairs(node: Node) -> bool:
    return node.is_unary("T") and _is_vec(node.children[0])


def _factors_of(d: Decomposition, whole: Node) -> dict[str, Node]:
    """What the names of a decomposition are, by calls of what finds them."""
    at = d.left[0].start, d.left[-1].end
    symmetric = d.first == d.last
    found = Node("call", ("eigh[]" if symmetric else "svd[]", ()), (whole,), *at)
    parts = [Node("index", (k,), (found,), *at) for k in range(2 if symmetric else 3)]
    values, first = (parts[0], parts[1]) if symmetric else (parts[1], parts[0])
    middle = values if d.is_diag else Node("call", ("diag", ()), (values,), *at)
    last = {} if symmetric else {d.last: Node("unary", "T", (parts[2],), *at)}
    return {d.first: first, d.middle: middle, **last}


# ----------------------------- Scripts: several statements, functions of a language, what an optimum is taken over


_OPTIMUM_OF = re.compile(
    r"\s*\\?(?P<name>(?:min|max)(?:imi[sz]e)?_(?:(?P<bare>[^\W\d_]+)(?!\w)|(?P<over>\{[^{}]*\})))"
    r"(?!\()\s*(?:\\[;,:!\s]\s*)*(?![=*/^,)+<>≤≥]|[-−]\s)(?=\S)"
)
_CONSTRAINED = re.compile(r"\bs\.\s*t\.|\bsubject\b|\bsuch that\b")
_ASSIGNED = re.compile(r"\s*([^\W\d]\w*)\s*(?:=(?!=)|<-)\s*(\S.*)", re.S)
_OF_CODE = re.compile(
    r"\s*(?:(?:\w+\s*=\s*)?lambda\s+[\w\s,=.*]*:|\w+\s*=\s*@\([\w\s,]*\)|[\w.]+ <- (?!function\b)(?!.*[;\n])"
    r"|def\s+\w+\([\w\s,=.*]*\)\s*:(?:\s*return(?!\w))?)\s*(?=\S)"
)
_OF_R = re.compile(r"\s*[\w.]+\s*(?:<-|=)\s*function\s*\([\w\s,.]*\)\s*(?=\S)")


_REMARK = re.compile(r"(?<!\s) {2,10}\([A-Z][a-z]{3,}(?: [a-z]+){0,4}, \w+ ?= ?[0-9.]+\)\Z")
"""``(Huber, c = 1.3)`` behind a formula and some blanks."""
_OVER = re.compile(r"\s*[Mm](?:in|ax)imi[sz]e\b.*\S(?= over (?:all )?[^\W\d_](?:,? (?:and )?[^\W\d_])*\s*\Z)", re.S)
_CASES = re.compile(r"([^{}\\]*=\s*)\{((?:[^{}\\]|\{[^{}]*\})*\bif\b(?:[^{}\\]|\{[^{}]*\})*)\}\s*\Z")
"""``f(x) = {x if x > 0; 0 if x ≤ 0}``."""


def as_one_formula(text: str, declared: Collection[str]) -> str:
    """A text without what an optimum is taken over, what a statement of a script ends with or an R function begins
    with; and of several statements the last, with the others behind it."""
    stripped = _REMARK.sub("", text.rstrip())
    text = stripped if len(stripped) < len(text.rstrip()) else text
    if re.search(r"[^\\];$|[^\W\d]\.$|[)\]]\.$", stripped):  # a statement, or a sentence
        text = stripped[:-1]
    text = over[0] if (over := _OVER.match(text)) else text
    text = f"{cases[1]} {cases[2]}" if (cases := _CASES.match(text)) else text
    if (of_code := _OF_CODE.match(text)) and "\n" in (body := text[of_code.end() :].strip()):
        script = re.sub(r"\n\s*return(?![\w(])\s*([^\n]*)\Z|\n\s*return(?=\()([^\n]*)\Z", r"\n(\1\2)", body)
        return text if (found := _script(script)) == script else found
    if of_code:
        return text[of_code.end() :].rjust(len(text))
    optimum, of_r = _OPTIMUM_OF.match(text), _OF_R.match(text)
    if optimum and optimum["name"] not in declared and _is_over(optimum, text[optimum.end() :]):
        return text[optimum.end() :].rjust(len(text))
    body = text[of_r.end() :].strip().removeprefix("{").removesuffix("}").strip() if of_r else ""
    if of_r and "\n" not in body:  # no second statement
        return text[of_r.end() :].rjust(len(text))
    return _script(text)


def _is_over(optimum: re.Match[str], rest: str) -> bool:
    """Whether an optimum is over names of a formula, not over an index, nor where more is said of them."""
    over = re.findall(r"[^\W\d_]+", optimum["over"] or optimum["bare"])
    if (optimum["bare"] and len(over[0]) > 1 and not is_greek_word(over[0])) or _CONSTRAINED.search(rest):
        return False
    below = "".join(re.findall(r"_(\{[^{}]*\}|\w+)", rest))
    words = re.sub(r"_(?:\{[^{}]*\}|\w+)", " ", rest)
    words = re.sub(r"[^\W\d_]{2,}", lambda found: " " if found[0] in known(True) else found[0], words)
    return all(x in words and x not in below and not re.search(rf"(?<!\w){x}\s*=", rest) for x in over)


def _script(text: str) -> str:
    """Several statements as the value of the last, with the others as definitions."""
    parts = re.split(r"(?<!\\)[;\n]", text)
    found = [_ASSIGNED.fullmatch(part) for part in parts[:-1]]
    if len(parts) < 2 or not all(found):
        return text
    last = _ASSIGNED.fullmatch(parts[-1])
    value = last[2] if last else parts[-1].strip()
    name = last[1] if last else ""
    if not value or (
        last is None
        and (not re.match(r"[\w(\[|‖½√\\]", value) or re.match(r"(?:where|with|if|else|for|and|or)\b(?!\s*\()", value))
    ):
        return text
    names, bodies = [*[part[1] for part in found if part], name], [*[part[2] for part in found if part], value]
    uses = [{*names}.intersection(re.findall(r"\w+", body)) for body in bodies]
    follows = all(any(name in later for later in uses[k + 1 :]) for k, name in enumerate(names[:-1]))
    early = any(names[k] in used for k in range(len(names)) for used in uses[: k + 1])
    called = not {*names[:-1]}.isdisjoint(re.findall(r"(\w+)\(", text))  # f = x^2; g = f(y)
    if not follows or len({*names}) < len(names) or early or called:
        return text
    return f"{value} where {'; '.join(f'{n} = {b}' for n, b in zip(names[:-1], bodies[:-1], strict=True))}"


# --------------------------------------------------------------------------------------- `parse`: a formula from text


_MAKERS = frozenset({"eye", "identity", "ones", "zeros"})  # functions whose arguments are sizes


def parse(text: str, /, *, dialect: str | None = None, shape: Any = None, **shapes: Any) -> Any:
    r"""Read a formula from text, written as in NumPy, as on paper, entry by entry, or in LaTeX.

    Parameters
    ----------
    text : the formula. As in NumPy: ``sum(log(1 + exp(-y*(X@w))))``, with ``@ ** .T`` and ``*`` entry by entry. As
        on paper (and on matrixcalculus.org): ``x'*A*x``, where ``*`` is the matrix product, ``.* ./ .^`` go entry
        by entry, ``X^-1`` is the inverse and vectors are columns; what symgrad prints (``2Aᵀ(Ax − b)``,
        ``‖x‖²``, ``y ⊙ σ(x)``, ``where r = …``) is paper too. Letters in brackets are indices, ``Σₖ A[i,k]·B[k,j]``
        or ``sum_k A[i,k]*B[k,j]``, ``Σ (x_i − m)²``; those over which nothing sums are the axes of the result.
        LaTeX as in papers, ``\lVert Ax - b \rVert^2``, and as ``latex()`` of a formula prints it.
    dialect : {"numpy", "matrix", "latex"}, optional
        What the text is written in. If it is not said, signs that only one of them has decide, and what both could
        have written, as ``norm(A*x - b)``, must mean the same in both or fit together in one of them only. LaTeX is
        known by a backslash, a brace or a dollar.
    shape : of the result, as for a name: where the text does not tell the size of I or 𝟏, and where one number stands
        for an array of equal ones
    shapes : what the names are: ``X=("m", "n")``, ``w="n"``, ``t=()``, a number of entries, an array of the
        right shape, or a symbol with its properties, ``B=sg.symbol("B", ("n", "n"), symmetric=True)``

    Returns
    -------
    A Formula. Names that were not declared are matrices if they start with a capital (I is the identity), sizes if they
    are m, n or N, numbers if they are one of alpha, gamma, delta, epsilon (eps), eta, kappa, lambda (lam), mu, nu, rho,
    sigma, tau, omega, hbar, ell (or the letter), and vectors otherwise; where that leaves an array, or adds numbers to
    vectors, they are what makes the formula one number whose parts fit: c is a number in ``x'*A*x + c``. Their sizes
    follow from how they are used; pi and e are the numbers. Σ, where it is a square matrix, is symmetric: a covariance.

    Raises
    ------
    ParseError : the text is no formula, may be read in two ways, or its shapes do not fit; it shows where

    Notes
    -----
    The text is read by a parser, never evaluated as Python: it can do no more than call the functions of
    `symgrad.notation.functions`.

    Examples
    --------
    >>> from symgrad.notation import parse
    >>> f = parse("sum((X@w - y)**2)")
    >>> sorted(f.free_symbols)
    ['X', 'w', 'y']
    >>> parse("x'*A*x", x=2)(x=[1.0, 2.0], A=[[1.0, 0.0], [0.0, 1.0]])
    array(5.)
    >>> parse("Σᵢ (Σⱼ A[i,j]·x[j] − b[i])²").grad("x")
    2Aᵀ(Ax − b)
    >>> parse("tr(A*X*B)", dialect="matrix").grad("X")
    AᵀBᵀ
    >>> parse(r"\frac{1}{2} \sum_{i=1}^{n} (x_i - \mu)^2").grad("x")
    x − μ
    """
    if not isinstance(text, str):
        raise FormulaError(f"parse takes a text, got {type(text).__name__}", "", 'Write parse("sum(x**2)").')
    try:
        return read(text, dialect, shape, shapes).formula
    except RecursionError:
        raise ParseError("the formula is nested too deeply", text, 0, 1, "Name parts of it: … where r = ….") from None


DIALECTS = ("numpy", "matrix", "latex")


def require_dialect(dialect: Any) -> None:
    """Raise if there is no such dialect."""
    if dialect not in DIALECTS:
        raise FormulaError(f"{dialect!r} is no dialect", "", 'Write dialect="numpy", "matrix" or "latex".')


def read(text: str, dialect: str | None, shape: Any, shapes: dict[str, Any]) -> ExpressionReader:
    """What `parse` does, with all that was found out about the text."""
    if dialect is not None:
        require_dialect(dialect)
    if len(text) <= _limits.TEXT:
        text, said = without_sentences(as_one_formula(text, shapes), shapes)
        shapes = {**said, **shapes}
        dialect = dialect or ("latex" if is_latex(text) else None)

    def read_with(ranks: dict[str, int], flipped: bool = False, dets: frozenset[int] = frozenset()) -> ExpressionReader:
        reader = ExpressionReader(text, dialect, shape, shapes, ranks, dets)
        other = reader.notation._replace(matrix=not reader.notation.matrix)
        return ExpressionReader(text, dialect, shape, shapes, ranks, dets, other) if flipped else reader

    with Task("reading a formula"):
        found = chosen(read_with)
        final = with_determinants(found, lambda dets: read_with(found.chosen, found.is_flipped, dets))
    final.formula._read = lambda: read(text, dialect, shape, shapes).formula
    return final


class ExpressionReader:
    """One reading of a text: `work` leaves the ``formula``, and in ``reading`` how it came about."""

    formula: Any
    reading: Reading
    is_inferred = False

    def __init__(
        self, text: str, dialect: str | None, shape: Any, shapes: dict[str, Any],
        chosen: dict[str, int] | None = None, dets: frozenset[int] = frozenset(), notation: Notation | None = None,
    ) -> None:  # fmt: skip
        self.text, self.chosen, self.dets, self.is_flipped = text, chosen or {}, dets, notation is not None
        self.sizes = Sizes()
        self.symbols: dict[str, Any] = {}  # given as symbols
        self.called: set[str] = set()
        self.letters: set[str] = set()  # that are indices
        self.used: set[str] = set()  # names that occur
        self.ranks: dict[str, int] = {}  # how many indices names have
        self.properties: dict[str, dict[str, bool]] = {}  # of square matrices
        self.declared = {name: self._declared(name, value) for name, value in shapes.items()}
        if not text.strip():
            raise ParseError("the formula is empty", next_step="Write one, as in sum((X@w - y)**2).")
        if len(text) > _limits.TEXT:
            raise ParseError(
                f"the text has {len(text):,} characters, more than the {_limits.TEXT:,} that are read",
                next_step="Write the function in Python and call formula() on its result.",
            )
        self.wanted = None if shape is None else self._declared("shape", shape)
        tokens = self._tokens(dialect)
        defined = {tokens[k].text for k in range(len(tokens) - 1) if tokens[k + 1].text == "="}
        own = {*self.declared, *defined}
        refuse_derivatives(tokens, text, own)
        refuse_operators(tokens, text, own, self.latex is not None)
        tokens = with_functions(tokens, {*own, *map(in_unicode, self.declared)}, text)
        self.meant = functions_seen(tokens, text)
        if self.latex is None and dialect is None:
            tokens = with_coefficients(tokens, text, own, self.head)
        tokens = self._in_notation(tokens, dialect, notation)
        parts, self.swaps = clauses_of(tokens, text)
        decomposed = decompositions(parts, self.declared, text)
        counted = {said.size for said in self.ranges.values()}
        names = {*self.declared, *parts, *(counted & {"T"}), *[x for d in decomposed.values() for x in d[1:4]]} - {""}
        if self.notation.paper:
            refuse_transposes(tokens, text, names)
            known = names | self.swaps | set(self.sizes.named) | set(map(in_unicode, names))
            split = WordSplitter(tokens, text, known, self.latex is not None)
            for name, part in parts.items():
                applied = part.tokens if self.latex is not None else with_arguments(part.tokens, names, text)
                parts[name] = part._replace(tokens=split(applied))
        elif not self.is_numpy and dialect is None:
            refuse_lumped(tokens, text, names)
        shown = {in_unicode(name): name for name in self.declared}
        for name in parts:
            if in_unicode(name) in shown:
                raise FormulaError(f"'{name}' is declared and defined after 'where'", "", "Leave one of them out.")
        refuse_missed([t for part in parts.values() for t in part.tokens], text, self.declared, names)
        spelled = {in_unicode(name): name for name in names}
        self.whole = {t.text for part in parts.values() for t in part.tokens if t.kind == "name"}
        self.first = 0 if self.latex is None else self.latex.first
        self.vectors = self.members = frozenset[str]()
        if self.latex is not None:
            self.vectors, self.members = (v - self.declared.keys() for v in (self.latex.vectors, self.latex.members))
        self.spellings: dict[str, str] = {}  # the first of each name, by how it is shown
        self.definitions = {name: self._tree(part, names, spelled) for name, part in parts.items()}
        self.root = self.definitions.pop("")
        if decomposed:
            self._define_factors(decomposed, split, names, spelled)

    def _tokens(self, dialect: str | None) -> list[Token]:
        """The tokens of the text behind its head."""
        text = self.text
        title = title_of(text)
        begin = title + head_of(text[title:])
        self.head = text[title:begin].strip("$=:≔≜& \n")
        dollars = text[: len(text) - len(text.lstrip("$ "))]
        body = with_entries(dollars.ljust(begin) + text[begin:] if begin else text, self.declared)
        mixed = body.count("$") > 2 or not body.lstrip().startswith("$")
        if body.count("$") % 2 == 0 and "$" in body and mixed:  # …, where $K = \sigma^2 I$
            body = re.sub(r"(?<!\\)\$", " ", body)
        self.latex = self._latex(body) if dialect == "latex" else None
        self.ranges = self.latex.ranges if self.latex is not None else ranges_in(body)
        plain = self.latex.tokens if self.latex is not None else plain_tokens(body, self.declared)
        plain = with_own_functions(plain, text, self.declared, self.ranges, self.latex is not None)
        plain = with_normal_densities(with_densities_of_code(plain), text, self.declared)
        self.rows = rows_of_arguments(plain, self.head, self.declared)
        plain = [t._replace(text=self.rows[t.text]) if t.text in self.rows else t for t in plain]
        for rewritten in (with_entries_of_matrices, with_states, with_concentrations):
            plain = rewritten(plain, text, self.declared)
        plain = with_functions_apart(plain, text, self.declared, self.head)
        self.in_brackets = (
            {t.text for t in plain if t.kind == "name" and text[t.start] == "["} if "[" in text else set()
        )
        tokens = with_words_between(
            plain if self.latex is not None else with_sums(plain, text, self.declared), text, self.declared
        )
        return with_roles(tokens, text)

    def _in_notation(self, tokens: list[Token], dialect: str | None, notation: Notation | None) -> list[Token]:
        """The tokens as their notation has them; which one it is, and whose signs there are."""
        self.marks = marks_of(tokens, self.text) if self.latex is None else LanguageMarks()
        self.marks = self.marks._replace(matlab=self.marks.matlab and dialect is None)
        own = {*self.declared, *self.sizes.named, *letters_alone(tokens)}
        self.notation = notation or notation_of(tokens, self.text, dialect, products_in(tokens, own), self.marks.julia)
        self.printed = self.notation.paper and only_printed(tokens, self.text)
        self.is_numpy = dialect == "numpy" or any(t.is_sign("@", "%*%", "**") for t in tokens)
        return tokens if self.notation.paper else as_numpy(tokens)

    def _latex(self, body: str) -> LatexText:
        ranks = {name: len(dims) for name, dims in self.declared.items()}
        text = without_remarks(body, latex=True)
        return latex_tokens(
            text, {in_unicode(name): n for name, n in ranks.items()} | ranks, known(True) | bare_letters()
        )

    def _tree(self, part: Clause, names: set[str], spelled: dict[str, str]) -> Node:
        tokens = as_declared(with_else(part.tokens), self.text, self.declared, names, spelled, self.whole, self.first)
        tokens = self._in_one_spelling(tokens, names)
        paper = self.notation.paper
        tree = Parser(tokens, self.text, paper, known(paper) - letters_alone(tokens), names, self.swaps).parse()
        for node in postorder(tree) if "⟨" in {t.text for t in tokens} else ():
            if node.value == ("⟨⟩", ()) and any(n.kind == "entry" for n in postorder(node)):  # ⟨w, x_i⟩, w'x_i
                left, right = node.children
                turned = Node("unary", "T", (left,), left.start, left.end)
                node.kind, node.value, node.children = "binary", "juxt", (turned, right)
        return Node("axes", part.letters, (tree,), tree.start, tree.end) if part.letters else tree

    def _define_factors(
        self, decomposed: dict[str, Decomposition], split: Any, names: set[str], spelled: dict[str, str]
    ) -> None:
        """Define the factors of decompositions that occur in the text."""
        used = {n.value for n in self.nodes() if n.kind == "name"}
        for d in decomposed.values():
            end = Token("end", "", d.left[-1].end, d.left[-1].end)
            factors = _factors_of(d, self._tree(Clause(split([*d.left, end]), ()), names, spelled))
            self.definitions |= {name: node for name, node in factors.items() if name in used}

    def _in_one_spelling(self, tokens: list[Token], names: set[str]) -> list[Token]:
        """The tokens with names that nobody declared as they are spelled first: ``sigma`` behind σ is σ."""
        out = list[Token]()
        for token, after in zip_longest(tokens, tokens[1:]):
            first = token.text
            called = after is not None and after.text == "(" and first in known(self.notation.paper)
            if token.kind == "name" and not called and first not in names:
                first = self.spellings.setdefault(in_unicode(first), first)
            if first != token.text:
                self.meant.add(f"{token.text} as {first}")
                token = token._replace(text=first)
            out.append(token)
        return out

    # ------------------------------------------------------------------ declarations

    def _declared(self, name: str, value: Any) -> tuple[int | UnknownSize, ...]:
        if not is_name(name):
            raise FormulaError(f"'{name}' cannot be a name", "", "Choose an identifier that Python does not use.")
        if isinstance(value, MappingProxyType):  # the text says what it is, and not how large
            self.properties[name] = dict(value)
            return (self.sizes.fresh(),) * 2
        if isinstance(value, Symbol):
            facts = facts_of(value)
            flags = dict.fromkeys((facts.properties if facts else frozenset()) - {"size"}, True)
            known = facts is not None and value.name == name
            self.symbols[name] = value if known else symbol(name, tuple(value.shape), **flags)
            return tuple(map(self.sizes.of_symbol, value.shape))
        if isinstance(value, (Tensor, np.ndarray, float, np.generic)):
            return tuple(map(int, np.shape(unwrap(value))))
        if isinstance(value, str):
            value = value.replace(",", " ").split()
        if isinstance(value, list) and not all(isinstance(v, str) for v in value):
            value = np.shape(value)
        sizes = (value,) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(sizes, (tuple, list)) or not all(map(_is_size, sizes)):
            raise FormulaError(
                f"{value!r} is no shape of '{name}'", "A shape is made of names and numbers.",
                f'Write {name}=("m", "n"), {name}="n", {name}=3, or {name}=() for a number.',
            )  # fmt: skip
        return tuple(self._size(size) for size in sizes)

    def _size(self, size: Any) -> int | UnknownSize:
        if isinstance(size, str):
            self.sizes.declared.add(size)
            return self.sizes.called(size)
        return self.sizes.of_symbol(size)

    # ------------------------------------------------------------------ names

    def work(self) -> None:
        """Find shapes and the formula."""
        if not self.is_inferred:
            self.infer()
        self.formula = build(self.reading, self.root, self.symbols)
        self.formula._compares = is_truth(self.root)

    def infer(self) -> None:
        """Find shapes, or where they do not fit."""
        self._link()
        self.reading = reading = Reading(self.text, self.notation.matrix, {}, {}, self.definitions, self.sizes)
        reading.printed, reading.rank, reading.dets = self.printed, len(self.wanted or ()), self.dets
        reading.paper, reading.is_settled, reading.marks = self.notation.paper, self.notation.settled, self.marks
        reading.is_numpy, reading.bold = self.is_numpy and not reading.paper, bool(self.vectors)
        reading.ranges, reading.properties = self.ranges, self.properties
        for said in self.ranges.values():
            if said.size and said.size not in self.declared:
                self.sizes.called(said.size)
        roots = [self.root, *self.definitions.values()]
        for root in roots:
            with_pairs(root, reading.rank)
        keep_apart(*roots)
        guard_terms(*roots)
        nodes = sorted(postorder(*roots), key=lambda n: (n.start, n.end))
        note_places(reading, nodes, self.declared)
        reading.raised = bars_raised(nodes)
        span_letters(reading, nodes)
        for node in nodes:
            self._note(node, reading)
            self._refuse_between(node, reading)
        on_the_left = tuple("".join(re.findall(r"_\{?(\w+)", self.head)))  # y_i = …
        if self.letters or "_" in self.text:
            at_times = self.latex.times if self.latex else ()
            refuse_unsummed(reading, roots, self.declared.keys(), (*on_the_left, *at_times))
        below = dict(self.ranks)
        entries_of_names = [e for e in nodes if e.kind == "entry" and e.children[0].kind == "name"]
        of_code = {e.children[0].value for e in entries_of_names if self.text[e.at] == "["}  # x[i], a row
        below_line = self.declared.keys() if self.latex is not None else self.declared.keys() - of_code
        self.ranks |= {name: self.ranks[name] + 1 for name in self.members & self.ranks.keys()}  # bold x_i
        ranks = self.ranks | self.chosen | {name: len(self.declared[name]) for name in below_line}
        reading.families = {name for name, letters in below.items() if ranks[name] == letters + 1}
        within = [n.children[0] for n in nodes if n.kind == "entry"]
        entries = Counter(n.value for n in within if n.kind == "name")
        used = Counter(node.value for node in nodes if node.kind == "name")
        self.used, self.indexed = {*used}, {n for n, times in used.items() if times == entries[n]}
        self.listed = {name for node in nodes if node.kind == "list" for name in numbers_listed(node)}
        for node in nodes:
            if node.kind == "name" and not node.children:
                self._classify(node, reading)
        found = work_out(reading, self.root)
        for node in nodes if self.latex is not None else ():
            self._check_table(node)
        if found.at:
            refuse_last(reading, nodes, [letter for letter, _ in found.at])
            found = self._as_array(self._with_silent_axes(in_order(reading, self.root, found)))
        if self.wanted is not None:
            self._fit(found, self.wanted)
        for node, shape, what, step in reading.unlike_square:
            if self.may_be_square(shape):
                raise reading.problem(node, what, step)
        self.is_inferred = True

    def _note(self, node: Node, reading: Reading) -> None:
        """Note what a part says of the rest: letters that are indices, sizes, what only a square matrix can be."""
        first = node.children[0] if node.value == "juxt" else node
        if first is not node and first.value == "/" and first.end == node.children[1].start and not first.bracketed:
            reading.taken.add(f"{reading.source(first)} before {reading.source(node.children[1])} as its factor")
        if node.kind == "call":
            self.called.add(node.value[0])
            if node.value[0] in OF_SQUARES:
                reading.square.update(map(id, sums_within(node)))
            if node.value[0] in _MAKERS:
                self._note_sizes(node)
            reading.totals.update([id(c) for c in node.children if c.kind == "call" and c.value == node.value])
        elif node.kind == "entry":
            self.letters.update(x for x in node.value if isinstance(x, str))
            if node.children[0].kind == "name":
                self.ranks.setdefault(node.children[0].value, len(node.value))

    def _check_table(self, node: Node) -> None:
        """Refuse blocks in a matrix that is written out in LaTeX."""
        assert self.latex is not None
        if node.kind != "list" or node.start not in self.latex.tables:
            return
        cells = [c for child in node.children for c in (child.children if child.kind == "list" else (child,))]
        for cell in cells:
            if id(cell) in self.reading.shapes and self.reading.shapes[id(cell)].dims:
                what = f"{self.reading.source(cell)} is {self.reading.described(self.reading.shapes[id(cell)])}"
                raise self.reading.problem(cell, f"{what} in a matrix of numbers", "Write hstack([A, B]) for blocks.")

    def may_be_square(self, shape: Shape) -> bool:
        return self.sizes.agree(*shape.dims[-2:]) is not False

    def open_names(self) -> dict[str, tuple[int, int]]:
        """The names that nobody declared, of which is chosen what they are: their ranks by their letters and indices,
        and the other ones that they may have."""
        counts = [n for n in self.reading.counts if n not in self.sizes.declared]
        constants = [n for n in self.used & CONSTANTS.keys() if n not in self.reading.symbols]
        found = dict.fromkeys(constants, (0, 1))
        for name in (*self.reading.symbols, *counts):
            usual = self._usual_rank(name)
            if name in self.members & self.ranks.keys():
                found[name] = usual, usual - 1
            elif name in self.ranks and name not in self.vectors:
                found[name] = usual, usual + 1
            elif name not in self.vectors:
                found[name] = usual, 2 if name in COUNTS and name.isupper() else abs(1 - usual)
        settled = {*self.declared, *(self.latex.sets if self.latex else ())}
        return {name: ranks for name, ranks in found.items() if name not in settled}

    def _usual_rank(self, name: str) -> int:
        if self.latex is not None and name in self.latex.sets:
            return self.latex.sets[name]
        by_letter = rank_by_letter(name) if name not in self.listed or rank_by_letter(name) > 1 else 0
        usual = 0 if name in self.in_brackets else 1 if name in self.vectors else by_letter
        return self.ranks.get(name, usual)

    def nodes(self) -> list[Node]:
        """The parts of the text, operands first."""
        return postorder(self.root, *self.definitions.values())

    def misfit(self) -> int:
        """How badly the parts fit one another, as they were read; 0 if they do."""
        return misfit(self.reading, self.root, self.wanted is None)

    def assumed(self) -> list[str]:
        """What the text does not say: what undeclared names are, and which product ``*`` is."""
        reading = self.reading
        of_sets = dict.fromkeys(self.latex.sets if self.latex else (), ", 1 in the set and 0 elsewhere")
        said = [
            f"{n} as {reading.described(s)}" + ", symmetric" * is_covariance(reading, n, s) + of_sets.get(n, "")
            for n, s in reading.symbols.items()
            if n not in self.declared
        ]
        said += [f"{x} with an index as the rows of {capital}" for x, capital in self.rows.items()]
        said += [f"{n} as a size" for n in reading.counts if n not in self.sizes.declared]
        meant = {"e": "the number 2.718…", "pi": "3.14159…", "π": "3.14159…", "I": "the identity"}
        said += [
            f"{n} as {what}"
            for n, what in meant.items()
            if n in self.used - reading.symbols.keys() - self.definitions.keys()
        ]
        said += ["i as no imaginary unit"] * ("i" in reading.symbols.keys() - self.declared.keys())
        said += [f"{self.head} as its name"] * bool(self.head) + sorted(self.meant) + sorted(reading.taken)
        product = "the matrix product" if self.notation.matrix else "the product entry by entry"
        return said + [f"* as {product}"] * bool(reading.stars)

    def _with_silent_axes(self, letters: tuple[str, ...]) -> tuple[str, ...]:
        """The letters of the result; also those which symgrad gives its axes, where it is constant along some."""
        axes = tuple(INDEX_LETTERS[: len(self.wanted or ())])
        taken = {*self.declared, *self.definitions, *self.sizes.named}
        return axes if set(letters) < set(axes) and taken.isdisjoint(axes) else letters

    def _as_array(self, letters: tuple[str, ...]) -> Shape:
        self.root = Node("axes", letters, (self.root,), self.root.start, self.root.end)
        return work_out(self.reading, self.root)

    def _fit(self, found: Shape, wanted: tuple[int | UnknownSize, ...]) -> None:
        """Let the result have the shape that was asked for."""
        if wanted and not found.dims and not self.dets:
            found = self._as_array(tuple(map(str, range(len(wanted)))))
        if found.rank != len(wanted) or not all(map(self.sizes.same, found.dims, wanted)):
            said = f"the formula is {self.reading.described(found)}, and another shape was asked for"
            raise self.reading.conflict(self.root, said)

    def _link(self) -> None:
        """Let every use of a defined name lead to its definition; refuse circles, and definitions without a use."""
        uses: dict[str, set[str]] = {}
        places: list[Node] = []
        for name, root in (*self.definitions.items(), ("", self.root)):
            found = [n for n in postorder(root) if n.kind == "name" and n.value in self.definitions]
            uses[name] = {n.value for n in found}
            places += found
            if name in uses[name]:
                raise ParseError(f"'{name}' is defined by itself", self.text, root.start, root.end)
        used = set().union(*uses.values())
        for name, root in self.definitions.items():
            if name not in used:
                what = f"'{name}' is defined but does not occur"
                step = "Leave its definition out, or write the name as it is defined."
                raise ParseError(what, self.text, root.start, root.end, step)
        left = self._of_circles(uses)
        if left:
            what = f"the definitions of {', '.join(left)} go in a circle"
            raise ParseError(what, self.text, self.definitions[left[0]].start, self.definitions[left[0]].end)
        for node in places:
            if not node.children:
                node.children = (self.definitions[node.value],)

    def _of_circles(self, uses: dict[str, set[str]]) -> list[str]:
        """The definitions that need each other, or need such, by what each uses."""
        order = TopologicalSorter({name: uses[name] for name in self.definitions})
        with suppress(CycleError):
            order.prepare()
        left = set(self.definitions)
        while ready := order.get_ready():
            left.difference_update(ready)
            order.done(*ready)
        return sorted(left)

    def _refuse_between(self, node: Node, reading: Reading) -> None:
        """Refuse ``ωᵀ I ω``, in which nobody writes an identity, as it would change nothing."""
        left = node.children[0] if node.is_binary(*PRODUCTS) else node
        if left is node or not left.is_binary(*PRODUCTS) or left.bracketed:
            return
        one, middle = left.children
        while one.is_binary(*PRODUCTS) and not one.bracketed:  # ½ ωᵀ
            one = one.children[1]
        turned = one.is_unary("T")
        if turned and middle.kind == "name" and middle.value == "I" and "I" not in {*self.declared, *self.definitions}:
            step = 'Declare the matrix, I=("n", "n"), or leave the identity out.'
            raise reading.problem(middle, "I between two vectors may be a matrix, and the identity", step)

    def _note_sizes(self, node: Node) -> None:
        names = [c for child in node.children for c in (child.children if child.kind == "tuple" else (child,))]
        for child in [c.children[0] if c.is_binary("+", "-") else c for c in names]:  # n + 1
            if child.kind == "name" and child.value not in self.declared and child.value not in self.definitions:
                self.sizes.called(child.value)

    def _classify(self, node: Node, reading: Reading) -> None:
        """Decide what a name is, unless that is known by now."""
        name = node.value
        if name in self.definitions or name in reading.symbols:
            return
        if name in self.declared:
            reading.symbols[name] = Shape(self.declared[name])
        elif name in self.letters:
            step = "Choose another letter for the index."
            raise reading.problem(node, f"'{name}' is an index, and stands here as a number", step)
        elif name in self.sizes.named or (name in COUNTS and name not in {*self.indexed, *self.chosen, *self.vectors}):
            reading.counts[name] = self.sizes.called(name)
        elif (
            name == "I" and name not in self.chosen and not self.called.isdisjoint({"eye", "identity"})
        ):  # so it is printed beside a symbol I
            step = 'Declare it, I=("n", "n"), or write the identity as eye(n) or as I everywhere.'
            raise reading.problem(node, "'I' beside eye(n) may be the identity or a matrix of that name", step)
        elif (name in CONSTANTS | {"I": 1} and name not in {*self.ranks, *self.chosen}) or name == "𝟏":
            return
        elif len(name) > 1 and name in known(self.notation.paper) and not is_greek_word(name):
            step = f"Write {name}(x), or declare the name: {name}=(…)."
            raise reading.problem(node, f"'{name}' is a function and stands without its argument", step)
        elif self.ranks.get(name) == 1 and rank_by_letter(name) == 2 and self._is_called_in_brackets(name):
            what = f"'{name}[…]' may be an expectation or a function, and an entry"
            raise reading.problem(node, what, f'Declare it, {name}="n", or write the sum that it is.')
        elif name in self.called:
            what = f"'{name}' stands for a function and for a number or an array"
            raise reading.problem(node, what, f"Declare the name: {name}=(…).")
        else:
            rank = self.chosen.get(name, self._usual_rank(name))
            reading.symbols[name] = Shape(tuple(self.sizes.fresh() for _ in range(rank)))
            reading.undeclared.add(name)
            self._refuse_lumped(node)
        if name in reading.symbols:
            reading.places[name] = node

    def _is_called_in_brackets(self, name: str) -> bool:
        """Whether a capital stands as in ``E[x]``, a letter that nothing sums over in brackets behind it."""
        own = [n for n in self.nodes() if n.kind == "entry" and n.children[0].value == name]
        return self.latex is None and any(not n.spans and n.value[0] not in "ijkl" for n in own)

    def _refuse_lumped(self, node: Node) -> None:
        """Refuse a name nobody declared that is made of one that was: AXB where X was declared, x_1 where x was."""
        stem = (name := str(node.value)).rstrip("0123456789").rstrip("_")
        inside = [d for d in self.declared if d not in self.used and d in name]
        entry = (head := name.partition("_")[0]) in inside
        if inside and (entry or (stem.isalpha() and len(stem) > 1)):
            what = f"'{name}' is one name, and '{head if entry else inside[0]}' was declared but does not occur"
            meant = run_together(name, self.declared)
            letters = "@".join([*stem[:-1], name[len(stem) - 1 :]])
            meant = f"{meant} for the function" if meant else f"{letters} for a product of matrices"
            if entry:
                zeros = ",".join("0" * len(self.declared[head]))
                meant = f"{head}[{zeros}] for its first entry" if zeros else f"{head} for that symbol"
            raise ParseError.at(what, self.text, node, f"Write {meant}, or declare the name: {name}=(…).")


def _is_size(value: Any) -> bool:
    if isinstance(value, str):
        return is_name(value)
    if type(value) is SizeOfSymbol:
        return True
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) > 0

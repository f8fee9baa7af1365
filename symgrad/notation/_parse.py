"""`parse`: a formula from text."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import FormulaError
from .._postorder import postorder
from .._symbol import symbol
from ..core import Dim as SizeOfSymbol
from ..core import Symbol, Tensor, facts_of
from ..show._shown_names import in_unicode
from ._bars import with_roles
from ._build import build
from ._default_names import CONSTANTS, COUNTS, is_name, rank_by_letter
from ._dialect import WordSplitter, as_numpy, is_matrix_notation, is_where, only_printed
from ._known_functions import is_function
from ._lexer import BRACKETS, Token, tokens_of
from ._parser import Parser
from ._printed_names import as_declared
from ._problem import ParseError
from ._shapes import Reading, Shape
from ._sizes import Dim, Sizes
from ._steps import work_out
from ._syntax import Node

_MAKERS = frozenset({"eye", "identity", "ones", "zeros"})  # functions whose arguments are sizes


def parse(text: str, /, *, matrix: bool | None = None, **shapes: Any) -> Any:
    """Read a formula from text, written as in NumPy or as on paper.

    Parameters
    ----------
    text : the formula. As in NumPy: ``sum(log(1 + exp(-y*(X@w))))``, with ``@ ** .T`` and ``*`` entry by entry. As
        on paper (and on matrixcalculus.org): ``x'*A*x``, where ``*`` is the matrix product, ``.* ./ .^`` go entry
        by entry, ``X^-1`` is the inverse and vectors are columns; what symgrad prints (``2Aᵀ(Ax − b)``,
        ``‖x‖²``, ``y ⊙ σ(x)``, ``where r = …``) is paper too. Signs that only one of them has decide which it is.
    matrix : True to read it as on paper, False as in NumPy, None to let the signs decide
    shapes : what the names are: ``X=("m", "n")``, ``w="n"``, ``t=()``, a number of entries, an array of the
        right shape, or a symbol with its properties, ``B=sg.symbol("B", ("n", "n"), symmetric=True)``

    Returns
    -------
    A Formula. Names that were not declared are matrices if they start with a capital, numbers if they are m, n, N, or
    one of alpha, gamma, delta, epsilon (eps), eta, kappa, lam, mu, nu, rho, sigma, tau, omega (or the Greek
    letter), and vectors otherwise. Their sizes follow from how they are used; pi and e are the numbers.

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
    """
    if not isinstance(text, str):
        raise FormulaError(f"parse takes a text, got {type(text).__name__}", "", 'Write parse("sum(x**2)").')
    try:
        return _Reader(text, matrix, shapes).formula()
    except RecursionError:
        raise ParseError("the formula is nested too deeply", text, 0, 1, "Name parts of it: … where r = ….") from None


class _Reader:
    """One call of `parse`."""

    def __init__(self, text: str, matrix: bool | None, shapes: dict[str, Any]) -> None:
        self.text = text
        self.sizes = Sizes()
        self.symbols: dict[str, Any] = {}  # given as symbols
        self.given: dict[str, Any] = {}
        self.called: set[str] = set()
        self.declared = {name: self._declared(name, value) for name, value in shapes.items()}
        if not text.strip():
            raise ParseError("the formula is empty", next_step="Write one, as in sum((X@w - y)**2).")
        tokens = with_roles(tokens_of(text), text)
        self.matrix = is_matrix_notation(tokens, text, matrix)
        self.printed = self.matrix and only_printed(tokens, text)
        tokens = tokens if self.matrix else as_numpy(tokens)
        main, clauses = _clauses(tokens, text)
        names = {*self.declared, *clauses}
        if self.matrix:
            known = names | set(self.sizes.named) | set(map(in_unicode, self.declared))
            split = WordSplitter(tokens, text, known)
            main = split(main)
            clauses = {name: split(part) for name, part in clauses.items()}
        self.definitions = {name: self._tree(part, names) for name, part in clauses.items()}
        for name in clauses:
            if name in self.declared:
                raise FormulaError(f"'{name}' is declared and defined after 'where'", "", "Leave one of them out.")
        self.root = self._tree(main, names)

    def _tree(self, tokens: list[Token], names: set[str]) -> Node:
        tokens = as_declared(tokens, self.declared)
        return Parser(tokens, self.text, self.matrix, names).parse()

    # ------------------------------------------------------------------ declarations

    def _declared(self, name: str, value: Any) -> tuple[int | Dim, ...]:
        if not is_name(name):
            raise FormulaError(f"'{name}' cannot be a name", "", "Choose an identifier that Python does not use.")
        if isinstance(value, Symbol):
            facts = facts_of(value)
            flags = dict.fromkeys((facts.properties if facts else frozenset()) - {"size"}, True)
            known = facts is not None and value.name == name
            self.symbols[name] = value if known else symbol(name, tuple(value.shape), **flags)
            return tuple(map(self._size_of_symbol, value.shape))
        if isinstance(value, (Tensor, np.ndarray, float, np.generic)):
            return tuple(map(int, np.shape(value._data if isinstance(value, Tensor) else value)))
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

    def _size(self, size: Any) -> int | Dim:
        if isinstance(size, str):
            self.sizes.declared.add(size)
            return self.sizes.called(size)
        return self._size_of_symbol(size)

    def _size_of_symbol(self, size: Any) -> int | Dim:
        if type(size) is not SizeOfSymbol:
            return int(size)
        offset = dict(size.terms).get((), 0)
        rest: Any = size - offset
        self.given[rest.name] = rest
        self.sizes.declared.add(rest.name)
        return self.sizes.plus(self.sizes.called(rest.name), offset)

    # ------------------------------------------------------------------ names

    def formula(self) -> Any:
        """The formula of the text."""
        self._link()
        reading = Reading(self.text, self.matrix, {}, {}, self.definitions, self.sizes, given=self.given)
        reading.printed = self.printed
        roots = [self.root, *self.definitions.values()]
        nodes = sorted({id(n): n for root in roots for n in postorder(root)}.values(), key=lambda n: (n.start, n.end))
        for node in nodes:
            if node.kind == "call" and node.value[0] in _MAKERS:
                self._note_sizes(node)
            elif node.kind == "call":
                self.called.add(node.value[0])
        for node in nodes:
            if node.kind == "name" and not node.children:
                self._classify(node, reading)
        work_out(reading, self.root)
        self._check_squares(reading)
        return build(reading, self.root, self.symbols)

    def _link(self) -> None:
        """Let every use of a defined name lead to its definition; refuse circles."""
        uses: dict[str, set[str]] = {}
        for name, root in (*self.definitions.items(), ("", self.root)):
            found = [n for n in postorder(root) if n.kind == "name" and n.value in self.definitions]
            uses[name] = {n.value for n in found}
            if name in uses[name]:
                raise ParseError(f"'{name}' is defined by itself", self.text, root.start, root.end)
        order: list[str] = []
        left = set(self.definitions)
        while left:
            ready = sorted(name for name in left if not uses[name] & left)
            if not ready:
                name = sorted(left)[0]
                root = self.definitions[name]
                names = ", ".join(sorted(left))
                raise ParseError(f"the definitions of {names} go in a circle", self.text, root.start, root.end)
            order += ready
            left -= set(ready)
        for root in [*(self.definitions[name] for name in order), self.root]:
            for node in list(postorder(root)):
                if node.kind == "name" and node.value in self.definitions and not node.children:
                    node.children = (self.definitions[node.value],)

    def _note_sizes(self, node: Node) -> None:
        names = [c for child in node.children for c in (child.children if child.kind == "tuple" else (child,))]
        for child in names:
            if child.kind == "name" and child.value not in self.declared and child.value not in self.definitions:
                self.sizes.called(child.value)
                self.sizes.asked.add(child.value)

    def _classify(self, node: Node, reading: Reading) -> None:
        """Decide what a name is, unless that is known by now."""
        name = node.value
        if name in self.definitions or name in reading.symbols:
            return
        if name in self.declared:
            reading.symbols[name] = Shape(self.declared[name])
        elif name in self.sizes.named or name in COUNTS:
            reading.counts[name] = self.sizes.called(name)
        elif name in CONSTANTS or name == "𝟏" or (name == "I" and self.matrix):
            return
        elif len(name) > 1 and is_function(name, self.matrix):
            raise ParseError(f"'{name}' is a function and stands without its argument", self.text, node.start, node.end,
                             f"Write {name}(x), or declare the name: {name}=(…).")  # fmt: skip
        elif name in self.called:
            raise ParseError(f"'{name}' stands for a function and for a number or an array", self.text, node.start,
                             node.end, f"Declare the name: {name}=(…).")  # fmt: skip
        else:
            reading.symbols[name] = Shape(tuple(self.sizes.fresh() for _ in range(rank_by_letter(name))))
            self._refuse_lumped(node)
        if name in reading.symbols:
            reading.places[name] = node

    def _refuse_lumped(self, node: Node) -> None:
        """Refuse a name nobody declared that is made of one that was: AXB where X was declared."""
        name = str(node.value)
        roots = (*self.definitions.values(), self.root)
        used = {n.value for root in roots for n in postorder(root) if n.kind == "name"}
        inside = [d for d in self.declared if d not in used and d in name]
        if inside and name.isalpha():
            raise ParseError(
                f"'{name}' is one name, and '{inside[0]}' was declared but does not occur", self.text, node.start,
                node.end, f"Write {'@'.join(name)} for a product of matrices, or declare the name: {name}=(…).",
            )  # fmt: skip

    def _check_squares(self, reading: Reading) -> None:
        """Refuse what a square matrix lets be read in two ways, unless the matrix is known not to be square."""
        for node, shape, what, step in reading.unlike_square:
            if not self.sizes.differ(*shape.dims[-2:]):
                raise reading.problem(node, what, step)


def _is_size(value: Any) -> bool:
    if isinstance(value, str):
        return is_name(value)
    if type(value) is SizeOfSymbol:
        return True
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) > 0


def _refuse_remarks(tokens: list[Token], start: int, text: str) -> None:
    """Refuse 'K exchanges the last two axes'."""
    for token, after in zip(tokens[start:], tokens[start + 1 :], strict=False):
        if after.kind == "name" and after.text == "exchanges":
            what = f"what exchanges two axes, here {token.text}, is printed but not read back"
            raise ParseError(what, text, token.start, after.end, "Write the product without it, or einsum(…).")


def _clauses(tokens: list[Token], text: str) -> tuple[list[Token], dict[str, list[Token]]]:
    """The tokens of the formula, and of the definitions that follow 'where'."""
    depth = 0
    starts: list[int] = []
    where = len(tokens) - 1
    for i, token in enumerate(tokens[:-1]):
        if token.kind == "op":
            depth += (token.text in BRACKETS) - (token.text in BRACKETS.values())
        after = tokens[i + 1]
        if is_where(tokens, i) and where == len(tokens) - 1:
            where, depth = i, 0
        elif depth <= 0 and token.kind == "name" and after.kind == "op" and after.text == "=":
            starts.append(i)
    end = tokens[-1]
    main = tokens[:where]
    if starts and starts[0] == 0 and where > 1:  # f = …
        main = main[2:]
        starts = starts[1:]
    parts: dict[str, list[Token]] = {}
    _refuse_remarks(tokens, where + 1, text)
    starts = [s for s in starts if s > where]
    if where < len(tokens) - 1 and (not starts or starts[0] != where + 1):
        if [t.text for t in tokens[where + 2 : where + 3]] == ["["]:
            what, place = "index notation is printed but not read back", tokens[where + 1]
            raise ParseError(what, text, place.start, place.end, "Write sum(…) or einsum(…).")
        raise ParseError("after 'where' a definition follows", text, tokens[where].start, tokens[where].end,
                         "Write where r = X@w - y; the function is where(condition, a, b).")  # fmt: skip
    for begin, stop in zip(starts, [*starts, len(tokens) - 1][1:], strict=bool(starts)):
        part = tokens[begin + 2 : stop]
        while part and (part[-1].text in (",", ";", "and", "where")):
            part = part[:-1]
        name = tokens[begin].text
        if name in parts or not part:
            what = "is defined twice" if name in parts else "is defined as nothing"
            raise ParseError(f"'{name}' {what}", text, tokens[begin].start, tokens[begin].end)
        parts[name] = [*part, Token("end", "", part[-1].end, part[-1].end)]
    return [*main, Token("end", "", main[-1].end if main else end.start, end.start)], parts

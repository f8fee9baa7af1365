r"""The commands of LaTeX beside those of the table of signs: fonts, accents, functions, blanks, what means nothing.

The idea to hold: what a command means is a row here or in `_sign_table`; a command in neither is refused by its name.
"""

from __future__ import annotations

from ._alphabet import ACCENTS, GREEK

LETTERS = {word: letter for letter, word in GREEK.items()} | {
    "varepsilon": "ε", "varphi": "φ", "vartheta": "θ", "varrho": "ρ", "varsigma": "σ", "varpi": "π", "ell": "ell",
    "infty": "inf",
}  # fmt: skip
r"""Commands that are letters; ``\varphi`` beside ``\phi`` would be two letters with one name, which is refused."""

ABOVE = {**ACCENTS, "widehat": ACCENTS["hat"], "overline": ACCENTS["bar"], "widetilde": ACCENTS["tilde"]}
"""Accents, as the character that a letter is followed by."""

FONTS = {
    "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "pmb": "bold", "mathbfit": "bold", "symbf": "bold",
    "mathit": "", "mathnormal": "", "mathcal": "script", "mathscr": "script", "mathfrak": "fraktur",
    "mathsf": "sans", "mathtt": "typed", "vec": "arrow",
}  # fmt: skip
"""Commands that show the letters of their argument otherwise; two letters that only differ so are two names."""

WORDS = frozenset({"mathrm", "text", "textrm", "textnormal", "mbox", "textbf", "textit", "operatorname", "mathop"})
"""Commands whose argument is words."""

TALL = frozenset({
    "big", "Big", "bigg", "Bigg", "bigl", "Bigl", "biggl", "Biggl", "bigr", "Bigr", "biggr", "Biggr", "bigm", "Bigm",
})  # fmt: skip
"""Sizes of the bracket that follows."""

BLANK = frozenset({
    ",", ";", ":", "!", " ", ">", "quad", "qquad", "enspace", "thinspace", "displaystyle", "textstyle", "scriptstyle",
    "limits", "nolimits", "nonumber", "notag", "mathstrut", "strut", "relax", "allowbreak", "break", "hfill",
    "ensuremath", "medspace", "thickspace", "negthinspace", "mathopen", "mathclose", "mathbin", "mathrel", "mathord",
})  # fmt: skip
"""Commands without a meaning."""

BLANK_WITH_ARGUMENT = frozenset({"phantom", "vphantom", "hphantom", "label", "tag", "hspace", "hspace*", "vspace"})

FUNCTIONS = {
    "log": "log", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "det": "det", "max": "max",
    "min": "min",
}  # fmt: skip
"""Commands of LaTeX that are functions, and what they are called in a text."""

BRACKETS = {
    "lVert": ("open", "‖"), "rVert": ("close", "‖"), "lvert": ("open", "|"), "rvert": ("close", "|"),
    "{": ("op", "{"), "}": ("op", "}"), "lbrace": ("op", "{"), "rbrace": ("op", "}"), "lbrack": ("op", "["),
    "rbrack": ("op", "]"), "lceil": ("op", "⌈"), "rceil": ("op", "⌉"),
}  # fmt: skip
"""Brackets whose side is told by their command, and those that texts do not have."""

MATCHING = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "‖": "‖", "|": "|"}

TRANSPOSES = frozenset({"top", "intercal", "T", "mathsf T", "mathrm T", "prime"})

MEANINGLESS = {
    "partial": "Write the function; its derivative is formula.grad(name).",
    "nabla": "Write the function; its gradient is formula.grad(name).",
    "int": "Integrals are not read.",
    "iint": "Integrals are not read.",
    "oint": "Integrals are not read.",
    "lim": "Limits are not read.",
    "arg": r"Write the function without \arg.",
    "argmin": "Write the function that is to be least.",
    "argmax": "Write the function that is to be greatest.",
    "in": r"Sums run over a whole axis, \sum_{i} or \sum_{i=1}^{n}.",
    "to": "Write the formula alone.",
    "mapsto": "Write the formula alone.",
    "triangleq": "Write the formula alone.",
    "approx": "Write the formula alone.",
    "propto": "Write the formula with its factor.",
    "sim": "Write the density.",
    "mid": r"Write \lvert x \rvert for an absolute value, \lor for or.",
    "binom": r"Write \exp(\log\Gamma(n+1) - …).",
    "over": r"Write \frac{a}{b}.",
    "dots": r"Write the sum, \sum_{i=1}^{n} x_i.",
    "ldots": r"Write the sum, \sum_{i=1}^{n} x_i.",
    "cdots": r"Write the sum, \sum_{i=1}^{n} x_i.",
    "succ": 'Declare the symbol: A=sg.symbol("A", ("n", "n"), pd=True).',
    "succeq": 'Declare the symbol: A=sg.symbol("A", ("n", "n"), psd=True).',
    "ddot": r"Write \dot{x} or another name.",
    "dagger": r"Write \operatorname{pinv}(A) for the pseudo-inverse, ^{\top} for the transpose.",
    "star": r"Write * for a product, x_{\star} for a name.",
    "lgamma": r"Write \log\Gamma(x).",
    "hskip": r"Write \; for a blank.",
    "newcommand": r"Write the formula with what the command stands for.",
    "def": r"Write the formula with what the command stands for.",
}
"""What to write instead of commands that are often met and mean nothing here."""

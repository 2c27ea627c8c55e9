"""The grammar of text in a model file: numbers with units, arithmetic, names, markers, calls.

    sum      = product (('+' | '-') product)*
    product  = power (('*' | '/') power)*
    power    = ('-' | '+') power | operand ('**' power)?
    operand  = number unit? | name ('.' name)* | call | marker | '(' sum (',' sum)* ')' | '[' sum (',' sum)* ']'
    call     = operand '(' (name '=')? sum, ... ')'         2*r    length(ground@(0, 0, 1), crank@P)    25 N/mm
    marker   = name '@' (name | '(' ... ')')                crank@(0.1, 0, angle=30 deg)
    unit     = word ('^' integer)? (('*' | '/')? word ('^' integer)?)*       directly after a number

Names with spaces or signs are quoted: 'front wheel'.angle. Nothing is executed.
"""

from __future__ import annotations

import math
import re
from typing import Any, NoReturn

from cardan.files.faults import FaultError, SourceLocation, did_you_mean, short_repr
from cardan.files.text.nodes import List, Scalar, TextNode
from cardan.files.text.units import NONE, UNITS, Dims

MAX_LENGTH = 20_000  # characters of a text
MAX_BRACKETS = 40  # nested brackets
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|'(?P<single>[^']*)'"
    r'|"(?P<double>[^"]*)"|(?P<sign>\*\*|[-+*/^@().,=\[\]]))'
)
NOT_FINITE = re.compile(r"([-+]?)\.(inf|nan)", re.IGNORECASE)  # as YAML spells them


class Number(TextNode):
    """A number. With a unit, `value` is in SI, `dims` its dimension and `size` the SI value of the unit."""

    __slots__ = ("value", "dims", "size")

    def __init__(self, at: Any, column: int, value: float, dims: Dims | None = None, size: float = 1.0) -> None:
        super().__init__(at.path, at.line, column)
        self.value, self.dims, self.size = value, dims, size


class Word(TextNode):
    """A name, or names joined by dots."""

    __slots__ = ("parts",)

    def __init__(self, at: Any, column: int, parts: tuple[str, ...]) -> None:
        super().__init__(at.path, at.line, column)
        self.parts = parts

    @property
    def text(self) -> str:
        return ".".join(self.parts)


class Call(TextNode):
    """name(...), or of.name(...)."""

    __slots__ = ("name", "of", "listed", "named")

    def __init__(self, at: Any, column: int, name: str, of: TextNode | None = None) -> None:
        super().__init__(at.path, at.line, column)
        self.name, self.of = name, of
        self.listed: list[TextNode] = []
        self.named: dict[str, TextNode] = {}


class Attribute(TextNode):
    """of.name, where `of` is not a plain name."""

    __slots__ = ("of", "name")

    def __init__(self, of: TextNode, name: str) -> None:
        super().__init__(of.path, of.line, of.column)
        self.of, self.name = of, name


class At(TextNode):
    """body@point: `point` is a call with the coordinates, or the name of a marker of the body."""

    __slots__ = ("body", "point")

    def __init__(self, body: Word, point: Call | str) -> None:
        super().__init__(body.path, body.line, body.column)
        self.body, self.point = body, point


class Operation(TextNode):
    """left sign right; `left` is None for a sign alone."""

    __slots__ = ("sign", "left", "right")

    def __init__(self, sign: str, left: TextNode | None, right: TextNode) -> None:
        first = left or right
        super().__init__(first.path, first.line, first.column)
        self.sign, self.left, self.right = sign, left, right


def parse(scalar: Scalar) -> TextNode:
    """The tree of a text; raises FaultError."""
    text = scalar.text.strip()
    try:
        plain = NOT_FINITE.sub(r"\1\2", text) if NOT_FINITE.fullmatch(text) else text.replace("_", "x")
        value = float(plain)  # 1_000 is not a number here
    except ValueError:
        return _Parser(scalar).whole()
    if not math.isfinite(value):
        raise FaultError(scalar, "C302", f"{short_repr(text)} is not a finite number")
    return Number(scalar, scalar.column, value)


class _Parser:
    """Parses tokens from left to right."""

    def __init__(self, scalar: Scalar) -> None:
        self.at, self.depth = scalar, 0
        self.tokens: list[tuple[str, str, int]] = []
        text = scalar.text
        if len(text) > MAX_LENGTH:
            raise FaultError(scalar, "C301", f"the text is longer than {MAX_LENGTH} characters")
        place, end = 0, len(text.rstrip())
        while place < end:
            match = TOKEN.match(text, place)
            if match is None:
                start = len(text) - len(text[place:].lstrip())
                self._fail(f"unknown character {text[start]!r}", start)
            kind = match.lastgroup or ""
            self.tokens.append((kind, match[kind], match.start(kind)))
            place = match.end()
        self.i = 0

    def whole(self) -> TextNode:
        if not self.tokens:
            raise FaultError(self.at, "C301", "a value is expected, not an empty text")
        tree = self._sum()
        if self.i < len(self.tokens):
            kind, word, column = self.tokens[self.i]
            before = self.tokens[self.i - 1]
            hint = f"write '{before[1]}*{word}' for a product" if kind == "name" else ""
            self._fail(f"{word!r} is not expected", column, hint)
        return tree

    def _column(self, column: int) -> int:
        return self.at.column + column + (1 if self.at.quoted else 0)

    def _fail(self, message: str, column: int = 0, hint: str = "", code: str = "C301") -> NoReturn:
        place = SourceLocation(self.at.path, self.at.line, self._column(column))
        raise FaultError(place, code, f"{short_repr(self.at.text)}: {message}", hint)

    def _peek(self, *signs: str) -> bool:
        return self.i < len(self.tokens) and self.tokens[self.i][0] == "sign" and self.tokens[self.i][1] in signs

    def _next(self) -> tuple[str, str, int]:
        if self.i >= len(self.tokens):
            self._fail("the text ends too early", len(self.at.text))
        self.i += 1
        return self.tokens[self.i - 1]

    def _expect(self, sign: str) -> None:
        if not self._peek(sign):
            column = self.tokens[self.i][2] if self.i < len(self.tokens) else len(self.at.text)
            early = self.i >= len(self.tokens) and not self.at.quoted
            hint = "put text that contains a comma in quotes inside { } or [ ]" if early else ""
            self._fail(f"{sign!r} is missing", column, hint)
        self.i += 1

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_BRACKETS:
            self._fail(f"more than {MAX_BRACKETS} nested brackets or powers")

    def _sum(self) -> TextNode:
        self._deeper()
        tree = self._product()
        while self._peek("+", "-"):
            sign = self._next()[1]
            tree = Operation(sign, tree, self._product())
        self.depth -= 1
        return tree

    def _product(self) -> TextNode:
        tree = self._power()
        while self._peek("*", "/"):
            sign = self._next()[1]
            tree = Operation(sign, tree, self._power())
        return tree

    def _power(self) -> TextNode:
        if self._peek("-", "+"):
            signs = []
            while self._peek("-", "+"):
                signs.append(self._next()[1])
            tree = self._power()
            return Operation("-", None, tree) if signs.count("-") % 2 else tree
        tree = self._operand()
        if self._peek("**", "^"):
            self._next()
            self._deeper()
            tree = Operation("**", tree, self._power())
            self.depth -= 1
        return tree

    def _operand(self) -> TextNode:
        kind, word, column = self._next()
        if kind == "number":
            return self._number(word, column)
        if kind == "sign":
            if word in "([":
                return self._bracket(word, column)
            self._fail(f"{word!r} is not expected", column)
        tree: TextNode = Word(self.at, self._column(column), (word,))
        while self._peek(".", "(", "@"):
            tree = self._postfix(tree)
        return tree

    def _postfix(self, tree: TextNode) -> TextNode:
        sign = self._next()[1]
        if sign == "(":
            if not isinstance(tree, Word | Attribute):
                self._fail("only a name can be called")
            name, of = (tree.text, None) if isinstance(tree, Word) else (tree.name, tree.of)
            return self._arguments(Call(tree, tree.column, name, of))
        if sign == "@":
            if not isinstance(tree, Word):
                self._fail("'@' must follow the name of a body")
            if self._peek("("):
                self._next()
                return At(tree, self._arguments(Call(tree, tree.column, tree.text)))
            return At(tree, self._name())
        name = self._name()
        return Word(tree, tree.column, (*tree.parts, name)) if isinstance(tree, Word) else Attribute(tree, name)

    def _name(self) -> str:
        kind, word, column = self._next()
        if kind in ("sign", "number"):
            self._fail(f"a name is expected, not {word!r}", column)
        return word

    def _arguments(self, call: Call) -> Call:
        while not self._peek(")"):
            ahead = self.tokens[self.i : self.i + 2]
            if len(ahead) == 2 and ahead[0][0] == "name" and ahead[1][1] == "=":
                name, column = ahead[0][1], ahead[0][2]
                self.i += 2
                if name in call.named:
                    self._fail(f"'{name}' is stated twice", column)
                call.named[name] = self._sum()
            elif call.named:
                self._fail("values without a name must precede named ones")
            else:
                call.listed.append(self._sum())
            if not self._peek(")"):
                self._expect(",")
        self._expect(")")
        return call

    def _bracket(self, opening: str, column: int) -> TextNode:
        closing, items, comma = (")" if opening == "(" else "]"), [], False
        while not self._peek(closing):
            items.append(self._sum())
            if self._peek(","):
                comma = True
                self._next()
            elif not self._peek(closing):
                self._expect(closing)
        self._expect(closing)
        if opening == "(" and len(items) == 1 and not comma:
            return items[0]
        return List(self.at.path, self.at.line, self._column(column), items)

    def _number(self, word: str, column: int) -> TextNode:
        value = float(word)
        if not math.isfinite(value):
            self._fail(f"{word} is not a finite number", column, code="C302")
        ahead = self.tokens[self.i][0] if self.i < len(self.tokens) else ""
        if ahead != "name":
            return Number(self.at, self._column(column), value)
        factor, dims = self._unit()
        return Number(self.at, self._column(column), value * factor, dims, factor)

    def _unit(self) -> tuple[float, Dims]:
        """The units that follow a number."""
        kind, word, column = self.tokens[self.i]
        if unit_of(word) is None:
            hint = did_you_mean(word, UNITS, f"write '{self.tokens[self.i - 1][1]}*{word}' for a product")
            place = SourceLocation(self.at.path, self.at.line, self._column(column))
            raise FaultError(place, "C303", f"unknown unit {word!r}", hint)
        factor, dims, over = 1.0, NONE, 1.0
        while True:
            size, one = unit_of(self.tokens[self.i][1]) or (1.0, NONE)
            self.i += 1
            exponent = over * self._exponent()
            try:
                factor *= size**exponent
            except OverflowError:
                self._fail("the value is not finite", code="C302")
            dims = tuple(d + exponent * u for d, u in zip(dims, one, strict=True))  # type: ignore[assignment]
            sign = self._peek("*", "/")
            ahead = self.tokens[self.i + sign] if self.i + sign < len(self.tokens) else ("", "", 0)
            if ahead[0] != "name" or unit_of(ahead[1]) is None:
                return factor, dims
            over = -1.0 if sign and self.tokens[self.i][1] == "/" else 1.0
            self.i += sign

    def _exponent(self) -> float:
        if not self._peek("^", "**"):
            return 1.0
        ahead = self.tokens[self.i + 1 : self.i + 3]
        negative = bool(ahead) and ahead[0][1] == "-"
        ahead = ahead[negative:]
        if not ahead or ahead[0][0] != "number" or not ahead[0][1].isdigit() or len(ahead[0][1]) > 1:
            self._fail("the power of a unit must be a digit", hint="write m^2, for example", code="C303")
        self.i += 2 + negative
        return -float(ahead[0][1]) if negative else float(ahead[0][1])


def unit_of(word: str) -> tuple[float, Dims] | None:
    """The SI value and dimension of a unit; m2 and s2 are m^2 and s^2."""
    if word in UNITS:
        return UNITS[word]
    if word[-1:] in ("2", "3", "4") and word[:-1] in UNITS:
        size, dims = UNITS[word[:-1]]
        power = int(word[-1])
        return size**power, tuple(power * d for d in dims)  # type: ignore[return-value]
    return None

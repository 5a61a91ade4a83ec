"""Patterns → JavaScript: the parse tree of a pattern, written down as the source of a RegExp with the same meaning.

The RegExp is to be compiled with the flag `u` alone: letters whose case is ignored are spelled out, `^`, `$`, `.` and `\\s` are written
as what they are in Python. What has no exact counterpart is refused.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from ..expressions import Expression
from ..pattern_tree import PatternError, parse

__all__ = ["NotPortableError", "translate", "translate_compiled"]


class NotPortableError(ValueError):
    """A pattern without an exact counterpart in JavaScript; the message says what stands in the way."""


def translate(pattern: str, flags: str = "") -> str:
    """The source of a signature's pattern, which has ASCII meaning. `flags` are letters of "ims"."""
    try:
        tree = parse(pattern, flags)
    except PatternError as error:
        raise NotPortableError(str(error)) from None
    return _Writer(tree, ascii=True).source()


def translate_compiled(pattern: "re.Pattern[str] | Expression") -> str:
    """The source of a pattern of the program's own, which may have Unicode meaning."""
    if pattern.flags & (re.VERBOSE | re.LOCALE):
        raise NotPortableError("a verbose or locale pattern")
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    return _Writer(tree, ascii=bool(pattern.flags & re.ASCII)).source()


# Classes are written without their brackets, so that they can stand inside others. Without the flag `i`, JavaScript's own `\w`, `\d`
# and `\b` have ASCII meaning, `\s` never has.
_ASCII = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_WORD: r"\w", op.CATEGORY_SPACE: r"\t-\r "}
_UNICODE = {
    op.CATEGORY_DIGIT: r"\p{Nd}",
    op.CATEGORY_WORD: r"\p{L}\p{N}_",
    op.CATEGORY_SPACE: r"\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
}
_NEGATED = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
}
# What else is a letter's own where case is ignored with Unicode meaning: the Kelvin sign, the long s, the Turkish i.
_ALSO = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_COUNTS = {(0, op.MAXREPEAT): "*", (1, op.MAXREPEAT): "+", (0, 1): "?"}
_REFUSED = {
    op.ATOMIC_GROUP: "an atomic group",
    op.POSSESSIVE_REPEAT: "a possessive repeat",
    op.GROUPREF_EXISTS: "a conditional",
}


class _Writer:
    """Writes one tree. `_filled` are the groups that have matched whenever the place being written is reached."""

    def __init__(self, tree: Any, ascii: bool) -> None:
        self._tree = tree
        self._categories = _ASCII if ascii else _UNICODE
        self._is_ascii = ascii
        flags = tree.state.flags
        self._fold, self._lines, self._dotall = (bool(flags & flag) for flag in (re.I, re.M, re.S))
        self._names = {number: name for name, number in tree.state.groupdict.items()}
        self._filled: set[int] = set()

    def source(self) -> str:
        return self._sequence(self._tree)

    def _sequence(self, nodes: Iterable[tuple[Any, Any]]) -> str:
        return "".join(self._node(code, value) for code, value in nodes)

    def _node(self, code: Any, value: Any) -> str:
        if code in (op.LITERAL, op.NOT_LITERAL):
            return self._literal(value, negated=code is op.NOT_LITERAL)
        if code is op.ANY:
            return r"[\s\S]" if self._dotall else r"[^\n]"
        if code is op.IN:
            return self._class(value)
        if code is op.BRANCH:
            return self._branch(value[1])
        if code is op.SUBPATTERN:
            return self._group(value)
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            return self._repeat(value, "" if code is op.MAX_REPEAT else "?")
        if code is op.AT:
            return self._at(value)
        if code in (op.ASSERT, op.ASSERT_NOT):
            return self._look(value, "=" if code is op.ASSERT else "!")
        if code is op.GROUPREF:
            return self._reference(value)
        raise NotPortableError(_REFUSED.get(code, str(code)))

    # --- one character ---------------------------------------------------------------------------------------------------------

    def _literal(self, code: int, negated: bool) -> str:
        forms = self._forms(code)
        if negated:
            return f"[^{''.join(map(_in_class, forms))}]"
        return _alone(forms) if len(forms) == 1 else f"[{''.join(map(_in_class, forms))}]"

    def _forms(self, code: int) -> str:
        """The characters that a literal stands for: itself, and where case is ignored the others of its kind."""
        character = chr(code)
        if not self._fold:
            return character
        if not character.isascii():
            if not self._is_ascii and character.lower() != character.upper():
                raise NotPortableError(f"case ignored for {character!r}")
            return character
        also = "" if self._is_ascii else _ALSO.get(character.lower(), "")
        return (character + character.swapcase() if character.isalpha() else character) + also

    def _class(self, items: Sequence[tuple[Any, Any]]) -> str:
        negated = items[0][0] is op.NEGATE
        if len(items) - negated == 1 and items[-1][0] is op.CATEGORY and items[-1][1] in _NEGATED:
            return f"[{'' if negated else '^'}{self._categories[_NEGATED[items[-1][1]]]}]"
        inner, words = "", False
        for code, value in items:
            if code is op.LITERAL:
                inner += "".join(map(_in_class, self._forms(value)))
            elif code is op.RANGE:
                inner += self._range(*value)
            elif code is op.CATEGORY and value in _NEGATED:
                words = words or value is op.CATEGORY_NOT_WORD
                inner += "" if value is op.CATEGORY_NOT_WORD else self._but(_NEGATED[value])
            elif code is op.CATEGORY:
                inner += self._categories[value]
        return self._without_words(inner, negated) if words else f"[{'^' if negated else ''}{inner}]"

    def _without_words(self, inner: str, negated: bool) -> str:
        """A class with `\\W` in it. With Unicode meaning no class can hold what is no word character, so it stands beside."""
        words = self._categories[op.CATEGORY_WORD]
        if not inner:
            return f"[{words}]" if negated else f"[^{words}]"
        return f"(?:(?![{inner}])[{words}])" if negated else f"(?:[{inner}]|[^{words}])"

    def _but(self, category: Any) -> str:
        """The complement of digits or blanks, to stand inside a class."""
        if category is op.CATEGORY_DIGIT:
            return r"\D" if self._is_ascii else r"\P{Nd}"
        blanks = re.compile(f"[{_ASCII[category] if self._is_ascii else _UNICODE[category]}]")
        ranges, start = "", 0
        for code in range(0x3002):  # behind the last blank
            if blanks.match(chr(code)):
                ranges += f"{_in_class(chr(start))}-{_in_class(chr(code - 1))}" if start < code else ""
                start = code + 1
        return rf"{ranges}{_in_class(chr(start))}-\u{{10ffff}}"

    def _range(self, low: int, high: int) -> str:
        out = f"{_in_class(chr(low))}-{_in_class(chr(high))}"
        if not self._fold:
            return out
        if high > 127 and not self._is_ascii:
            raise NotPortableError("case ignored for a range beyond ASCII")
        for first, last in ((65, 90), (97, 122)):
            begin, end = max(low, first), min(high, last)
            if begin <= end:
                letters = [chr(letter).lower() for letter in range(begin, end + 1)]
                out += f"{chr(begin).swapcase()}-{chr(end).swapcase()}"
                out += "" if self._is_ascii else "".join(_ALSO.get(letter, "") for letter in letters)
        return out

    # --- several ---------------------------------------------------------------------------------------------------------------

    def _branch(self, branches: Sequence[Any]) -> str:
        before, after, out = set(self._filled), [], []
        for branch in branches:
            self._filled = set(before)
            out.append(self._sequence(branch))
            after.append(self._filled)
        self._filled = set.intersection(*after)
        return f"(?:{'|'.join(out)})"

    def _group(self, value: Any) -> str:
        number, added, removed, body = value
        if added or removed:
            raise NotPortableError("flags for a part of the pattern")
        inner = self._sequence(body)
        if number is None:
            return f"(?:{inner})"
        self._filled.add(number)
        return f"(?<{self._names[number]}>{inner})" if number in self._names else f"({inner})"

    def _repeat(self, value: Any, lazy: str) -> str:
        least, most, body = value
        if body.getwidth()[0] == 0:
            raise NotPortableError("a repeat of something that can be empty")
        if most != 1 and any(_captures(body)):
            raise NotPortableError("a group that captures inside a repeat")
        before = set(self._filled)
        inner = self._sequence(body)
        if least == 0:
            self._filled = before
        if not _is_atom(body, inner):
            inner = f"(?:{inner})"
        count = _COUNTS.get((least, most)) or f"{{{least}}}"
        if least != most and (least, most) not in _COUNTS:
            count = f"{{{least},{'' if most is op.MAXREPEAT else most}}}"
        return inner + count + lazy

    # --- places ----------------------------------------------------------------------------------------------------------------

    def _at(self, place: Any) -> str:
        if place is op.AT_BEGINNING_STRING or (place is op.AT_BEGINNING and not self._lines):
            return "^"
        if place is op.AT_BEGINNING:
            return r"(?<![^\n])"
        if place is op.AT_END_STRING:
            return "$"
        if place is op.AT_END:
            return r"(?![^\n])" if self._lines else r"(?=\n?$)"
        if place is op.AT_BOUNDARY:
            word = f"[{self._categories[op.CATEGORY_WORD]}]"
            return r"\b" if self._is_ascii else f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        raise NotPortableError(r"`\B`")

    def _look(self, value: Any, sign: str) -> str:
        direction, body = value
        if any(_captures(body)):
            raise NotPortableError("a group that captures inside a lookaround")
        return f"(?{'<' if direction < 0 else ''}{sign}{self._sequence(body)})"

    def _reference(self, number: int) -> str:
        # A reference to a group that has not matched fails in Python and matches nothing in JavaScript.
        if number not in self._filled or self._fold:
            raise NotPortableError("a back-reference")
        return rf"\k<{self._names[number]}>" if number in self._names else rf"(?:\{number})"


def _captures(nodes: Any) -> Iterator[bool]:
    """True for each group that captures."""
    for code, value in nodes:
        if code is op.SUBPATTERN:
            if value[0] is not None:
                yield True
            yield from _captures(value[3])
        elif code is op.BRANCH:
            for branch in value[1]:
                yield from _captures(branch)
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT):
            yield from _captures(value[2])
        elif code in (op.ASSERT, op.ASSERT_NOT):
            yield from _captures(value[1])


def _is_atom(body: Any, source: str) -> bool:
    """Whether a repeat can be written right behind the source."""
    if len(body) != 1:
        return False
    code, _ = body[0]
    return code in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN, op.BRANCH) or (code is op.SUBPATTERN and source.startswith("("))


def _alone(character: str) -> str:
    return f"\\{character}" if character in _SYNTAX else _escaped(character)


def _in_class(character: str) -> str:
    return f"\\{character}" if character in _SYNTAX or character == "-" else _escaped(character)


def _escaped(character: str) -> str:
    """A character as itself where it can be seen, else by its number."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\u{{{code:x}}}"
    if character.isprintable():
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

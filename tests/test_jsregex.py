"""Patterns in JavaScript: the same match in the same place, with the same groups, as in `re` and in `regex`."""

import importlib
import random
import re
import unicodedata
from typing import Any

import pytest

import fixbook
from fixbook.facts import EXTRACTORS
from fixbook.pattern import compile_pattern, problems
from fixbook.pattern_tree import parse
from fixbook.site.jsregex import NotPortableError, translate, translate_compiled
from node import needs_node, run

# Characters that the two languages tell apart in one way or another: word characters, digits, blanks and letters with odd cases.
ALPHABET = "aAbkKsSiIxz019_ -.:/\n\t\r\v\f\x1c\x1f\x85\xa0\u2028\u3000\ufefféß\u0130\u0131\u017f\u212a显存，：１٣\u0301🙂𝟗\0"
SEARCH = """
function main([patterns, texts]) {
  return patterns.map((source) => {
    const pattern = new RegExp(source, 'du');
    return texts.map((text) => {
      const found = pattern.exec(text);
      return found && found.indices.map((span) => span ?? null);
    });
  });
}
"""


@pytest.mark.parametrize(
    ("pattern", "flags", "source"),
    [
        (r"\bOOM\b", "", r"\bOOM\b"),
        (r"a.b", "", r"a[^\n]b"),
        (r"a.b", "s", r"a[\s\S]b"),
        (r"^a$", "", r"^a(?=\n?$)"),
        (r"^a$", "m", r"(?<![^\n])a(?![^\n])"),
        (r"\Aa\Z", "m", "^a$"),
        (r"\s+", "", r"[\t-\r ]+"),
        (r"[^\s,]", "", r"[^\t-\r ,]"),
        (r"(?P<line>\d+)", "", r"(?<line>[\d]+)"),
        (r"x{,3}y{2}?z{1,}", "", r"x{0,3}y{2}?z+"),
        (r"ok-/#", "", r"ok-\/#"),
        (r"Kib[a-f]", "i", r"[Kk][iI][bB][a-fA-F]"),
        ("显存\u2028🙂", "", r"显存\u2028\u{1f642}"),
    ],
)
def test_translation(pattern: str, flags: str, source: str) -> None:
    assert translate(pattern, flags) == source


@pytest.mark.parametrize(
    "pattern",
    [r"a\Bb", r"(?>a+)b", r"a++b", r"(a)?b(?(1)c|d)", r"(?i:a)b", r"(?:a*)*b", r"(?:(a)b)+", r"(?=(a))ab", r"(a)?\1b", "(", r"a(?#x)b\8"],
)
def test_what_has_no_counterpart_is_refused(pattern: str) -> None:
    with pytest.raises(NotPortableError):
        translate(pattern)


def test_the_book_runs_in_a_page() -> None:
    """Whatever the loader takes has a counterpart."""
    for article in fixbook.load().entries:
        for signature in article.entry.signatures:
            assert problems(signature.pattern, signature.flags) == ()
            assert translate(signature.pattern, signature.flags)


# --- the same matches -------------------------------------------------------------------------------------------------------------


class _Patterns:
    """Random patterns of the portable subset."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self._groups = 0

    def make(self) -> str:
        self._groups = 0
        return self._sequence(3, captures=True)

    def _sequence(self, depth: int, captures: bool) -> str:
        return "".join(self._part(depth, captures) for _ in range(self.pick.randint(1, 4)))

    def _part(self, depth: int, captures: bool) -> str:
        kind = self.pick.random()
        if kind < 0.12:
            return self.pick.choice([r"\b", "^", "$", r"\A", r"\Z"])
        if kind < 0.55 or depth == 0:
            return self._one() + self.pick.choice(["", "", "", "?", "*", "+", "{2}", "{1,3}", "{,2}", "*?", "+?", "??"])
        if kind < 0.65:
            return f"({self.pick.choice(['?=', '?!', '?<=', '?<!'])}{self._one()})"
        if kind < 0.8:
            return f"(?:{self._sequence(depth - 1, captures)}|{self._sequence(depth - 1, captures)})"
        if kind < 0.9 and captures:
            self._groups += 1
            return f"(?P<g{self._groups}>{self._sequence(depth - 1, captures)})" + self.pick.choice(["", "", "?"])
        return f"(?:{self._sequence(depth - 1, False)})" + self.pick.choice(["", "?", "{1,2}"])

    def _one(self) -> str:
        kind = self.pick.random()
        if kind < 0.5:
            return re.escape(self.pick.choice(ALPHABET))
        if kind < 0.75:
            return self.pick.choice([".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S"])
        # Two categories that exclude each other, as in `[^\w\W]`, are nothing in `re` and not in `regex`: one is enough.
        members = [self._member(classes=False), *(self._member(classes=True) for _ in range(self.pick.randint(0, 1)))]
        return f"[{self.pick.choice(['', '', '^'])}{''.join(members)}]"

    def _member(self, classes: bool) -> str:
        if classes and self.pick.random() < 0.6:
            return self.pick.choice([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
        if self.pick.random() < 0.3:
            return self.pick.choice(["a-f", "0-5", "A-Z", "é-显"])
        return re.escape(self.pick.choice(ALPHABET))

    def text(self) -> str:
        return "".join(self.pick.choice(ALPHABET) for _ in range(self.pick.randint(0, 12)))


def _spans(found: Any, text: str) -> list[list[int] | None] | None:
    """The spans of a match and its groups, counted as JavaScript counts."""
    if found is None:
        return None
    units = [0]
    for character in text:
        units.append(units[-1] + (2 if ord(character) > 0xFFFF else 1))
    spans = [found.span(number) for number in range((found.re.groups or 0) + 1)]
    return [None if start < 0 else [units[start], units[end]] for start, end in spans]


def _portable(seed: int, count: int) -> list[tuple[str, str, str]]:
    """`(pattern, flags, source)` of random patterns that the loader would take, as far as meaning goes."""
    patterns = _Patterns(seed)
    found: list[tuple[str, str, str]] = []
    while len(found) < count:
        pattern, flags = patterns.make(), patterns.pick.choice(["", "", "i", "m", "s", "ims"])
        try:
            if parse(pattern, flags).getwidth()[0]:
                found.append((pattern, flags, translate(pattern, flags)))
        except NotPortableError:
            continue
    return found


@needs_node
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_patterns_match_the_same(seed: int) -> None:
    letters = {"i": re.I, "m": re.M, "s": re.S}
    portable = _portable(seed, 700)
    patterns = _Patterns(seed + 100)
    texts = ["", "\n", *(patterns.text() for _ in range(60))]
    told = run(SEARCH, [[source for *_, source in portable], texts])
    for (pattern, flags, source), row in zip(portable, told, strict=True):
        bits = re.ASCII
        for letter in flags:
            bits |= letters[letter]
        plain, engine = re.compile(pattern, bits), compile_pattern(pattern, flags)
        for text, spans in zip(texts, row, strict=True):
            assert spans == _spans(plain.search(text), text), (pattern, flags, source, text)
            assert spans == _spans(engine.search(text), text), (pattern, flags, source, text)


ROOMS = (
    "peel", "repairs", "statements", "events", "log", "failures", "unknown", "missing", "facts", "fact_kinds", "fact_values", "settings",
    "filling", "escape",
)  # fmt: skip


def _own_patterns() -> list[re.Pattern[str]]:
    """What the rooms of the program look for themselves, with Unicode meaning where it has none given."""
    rooms = [importlib.import_module(f"fixbook.{room}") for room in ROOMS]
    found = [value for room in rooms for value in vars(room).values() if isinstance(value, re.Pattern)]
    return [*found, *(re.compile(extractor.pattern, re.ASCII) for extractor in EXTRACTORS)]


@needs_node
def test_the_programs_own_patterns_match_the_same() -> None:
    own = _own_patterns()
    pick = random.Random(7)
    cases = [text for article in fixbook.load().entries[::3] for sample in article.entry.samples[:1] for text in _lines(sample.text)]
    texts = [_mixed(pick, line) for line in pick.choices(cases, k=150)]
    told = run(SEARCH, [[translate_compiled(pattern) for pattern in own], texts])
    for pattern, row in zip(own, told, strict=True):
        for text, spans in zip(texts, row, strict=True):
            assert spans == _spans(pattern.search(text), text), (pattern.pattern, text)


def _lines(text: str | bytes) -> list[str]:
    return [line for line in (text if isinstance(text, str) else text.decode("utf-8", "replace")).splitlines() if line][:40]


def _mixed(pick: random.Random, line: str) -> str:
    """A line of a log with odd characters in it."""
    for _ in range(pick.randint(0, 4)):
        at = pick.randint(0, len(line))
        line = line[:at] + pick.choice(ALPHABET) + line[at:]
    return line


@needs_node
def test_every_character_is_of_the_same_kind() -> None:
    """Letters, digits and blanks with Unicode meaning, for all characters of the plane that both languages know."""
    kinds = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"[^\W_]", r"[\W_]", r"[^\s\d]", r"[\D\s]", "[k-s]", "i"]
    wanted = [re.compile(f"^{kind}$", re.I if kind in ("[k-s]", "i") else 0) for kind in kinds]
    characters = [chr(code) for code in range(1, 0xD800) if code != 10 and unicodedata.category(chr(code)) != "Cn"]
    told = run(SEARCH, [[translate_compiled(pattern) for pattern in wanted], characters])
    for pattern, row in zip(wanted, told, strict=True):
        wrong = [
            f"{ord(character):x}"
            for character, spans in zip(characters, row, strict=True)
            if bool(spans) != bool(pattern.search(character))
        ]
        assert not wrong, (pattern.pattern, wrong[:20])

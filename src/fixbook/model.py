"""What the book says: entries, their signatures, conditions and bilingual text. Values only; `kb.py` makes them from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from .errors import Where
from .value import Value, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Lang = Literal["en", "zh"]
else:
    Lang = str

__all__ = [
    "SECTIONS",
    "Affects",
    "Block",
    "Commonness",
    "Component",
    "Condition",
    "Conditions",
    "Entry",
    "Evidence",
    "FixEffect",
    "Kind",
    "Lang",
    "Level",
    "Link",
    "Ordered",
    "Place",
    "Sample",
    "Severity",
    "Sibling",
    "Signature",
    "Status",
    "Term",
    "Text",
]

# The prose sections of an article, in the order of the page.
SECTIONS = ("environment", "quick_fix", "caveats", "scenario", "cause", "checks", "steps", "verify")


class Ordered(StrEnum):
    """A string enumeration that compares by the order of its definition, smallest first."""

    @property
    def order(self) -> int:
        return list(type(self)).index(self)

    def __lt__(self, other: str) -> bool:
        return self.order < type(self)(other).order

    def __le__(self, other: str) -> bool:
        return self.order <= type(self)(other).order

    def __gt__(self, other: str) -> bool:
        return self.order > type(self)(other).order

    def __ge__(self, other: str) -> bool:
        return self.order >= type(self)(other).order


class Kind(Ordered):
    CAUSE = "cause"
    WRAPPER = "wrapper"  # a shell around a failure that is told elsewhere
    CASCADE = "cascade"  # what the others do when one has died
    BENIGN = "benign"  # frightening and harmless


class Status(Ordered):
    ACTIVE = "active"
    DRAFT = "draft"  # loads, is never matched by default, refused in the shipped book
    WITHDRAWN = "withdrawn"  # keeps its page, is never matched


class Level(Ordered):
    CONFIRMED = "confirmed"
    LIKELY = "likely"
    POSSIBLE = "possible"
    RULED_OUT = "ruled_out"


class Severity(Ordered):
    SERVICE_DOWN = "service-down"
    REQUEST_FAILS = "request-fails"
    WRONG_OUTPUT = "wrong-output"
    SLOW = "slow"
    NOISE = "noise"


class Commonness(Ordered):
    COMMON = "common"
    USUAL = "usual"
    RARE = "rare"


class FixEffect(Ordered):
    REPAIRS = "repairs"
    REJECTS_EARLY = "rejects_early"
    WORKS_AROUND = "works_around"


class Evidence(Ordered):
    FIX_MERGED = "fix-merged"
    MAINTAINER = "maintainer"
    SEVERAL_REPORTERS = "several-reporters"
    ONE_REPORTER = "one-reporter"
    INFERRED = "inferred"


class Place(Ordered):
    """Where in a failure a signature looks; `message` and `exception` together when it does not say."""

    MESSAGE = "message"
    EXCEPTION = "exception"
    FRAME = "frame"
    SOURCE = "source"


class Text(Value):
    """The same statement in both languages. Markdown, with `{name}` placeholders."""

    en: str
    zh: str

    def get(self, lang: Lang) -> str:
        return self.zh if lang == "zh" else self.en


class Block(Value):
    """One step or paragraph of a section: prose, and the command that belongs to it (the same in both languages)."""

    text: Text
    run: str | None = None


class Condition(Value):
    """What one fact has to be. Exactly one kind of test is set.

    `any_of` and `none_of` are lists of globs over normalised values; `same_as` / `not_same_as` name another fact;
    `at_least` / `below` are versions or numbers with units (`24GiB`, `8.0`), both may be set for a range.
    """

    fact: str
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    same_as: str | None = None
    not_same_as: str | None = None
    at_least: str | None = None
    below: str | None = None
    where: Where = field(default=Where("", 0), compare=False)


class Conditions(Value):
    """`requires` or `rules_out` of an entry.

    `frames`: a pattern that one frame of the hit's own traceback (`path:line in func`) has to match; unknown without a traceback.
    `messages`: a pattern that some message of the same run has to match; what is not seen is unknown, never false.
    """

    facts: tuple[Condition, ...] = ()
    frames: str | None = None
    messages: str | None = None

    def __bool__(self) -> bool:
        return bool(self.facts or self.frames or self.messages)


class Signature(Value):
    """One shape of text by which the failure shows itself."""

    id: str
    pattern: str
    place: Place | None = None  # None: message or exception
    with_: str | None = None  # frame or source only: the exception in which the traceback ends; then only the innermost frame counts
    flags: str = ""  # any of "i", "m", "s"
    shared: bool = False  # other causes print the same words
    after_fix: bool = False  # what a fixed release prints instead
    seen_in: tuple[str, ...] = ()  # releases whose source prints this wording: "vllm 0.8.0-0.33.0"
    where: Where = field(default=Where("", 0), compare=False)


class Sibling(Value):
    """An entry that is taken for this one, and what tells the two apart."""

    entry: str  # id
    tell: Text


class Sample(Value):
    """A text with the answer it must get: `expect` maps signature ids to the entry's level; empty means "not found"."""

    text: str | bytes
    expect: Mapping[str, Level]
    why: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)  # stated by the caller, as with --fact
    file: str | None = None
    where: Where = field(default=Where("", 0), compare=False)


class Affects(Value):
    """Versions of a package that have the fault: from `introduced` (inclusive) to `fixed` (exclusive)."""

    package: str
    introduced: str | None = None
    fixed: str | None = None
    first_release: str | None = None  # the first final release with the fix, when `fixed` is a pre-release


class Link(Value):
    url: str
    says: str


class Entry(Value):
    """One cause of failure with its bilingual article; `id` is `<component>/<slug>`, told by its path."""

    id: str
    kind: Kind
    status: Status
    title: Text
    summary: Text  # at most 200 characters a language
    severity: Severity
    commonness: Commonness
    signatures: tuple[Signature, ...]
    samples: tuple[Sample, ...]
    sections: Mapping[str, tuple[Block, ...]]  # keys of SECTIONS; a section that has nothing to say is absent
    links: tuple[Link, ...]
    evidence: Evidence
    reviewed: str  # ISO date
    aliases: tuple[str, ...] = ()  # slugs, or ids
    affects: tuple[Affects, ...] = ()
    fix_effect: FixEffect | None = None
    requires: Conditions = field(default_factory=Conditions)
    rules_out: Conditions = field(default_factory=Conditions)
    refines: tuple[str, ...] = ()  # ids of more general entries
    siblings: tuple[Sibling, ...] = ()
    names: Mapping[str, Text] = field(default_factory=dict)  # words for placeholders where nothing was captured
    where: Where = field(default=Where("", 0), compare=False)

    @property
    def component(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def slug(self) -> str:
        return self.id.split("/", 1)[-1]


class Component(Value):
    """A line of `kb/components.yaml`: a folder of the book and the software it is about."""

    id: str
    name: Text
    packages: tuple[str, ...] = ()  # PyPI names whose versions matter to it
    url: str | None = None


class Term(Value):
    """A line of `kb/glossary.yaml`: the one Chinese word for an English term, and the words not to use."""

    en: str
    zh: str
    avoid: tuple[str, ...] = ()

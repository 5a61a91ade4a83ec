"""What the book says about an entry, as Markdown sentences in one language; the formats make text, HTML or Markdown of them."""

from collections.abc import Callable, Iterable

from .escape import code_span, fence_for
from .filling import Marked, Values, fill, fill_command, tidy, values_of
from .model import Affects, Block, Entry, Kind, Lang, Link, Sibling, Text
from .report import Finding
from .templates import is_label, label
from .value import Value

__all__ = ["TitleOf", "Words", "values_of"]

TitleOf = Callable[[str], Text | None]  # the title of an entry by its id; None for one that the caller's book does not hold


class Words(Value):
    """The sentences of one language."""

    lang: Lang

    def say(self, key: str, /, **values: object) -> Marked:
        """A label with its placeholders filled; a value that is not Markdown already is escaped."""
        known = {name: value if isinstance(value, str) else str(value) for name, value in values.items()}
        return self._tidied(fill(label(key, self.lang), Values(known=known)))

    def say_or(self, key: str, word: str) -> Marked:
        """The label if there is one, else the word itself as code."""
        return self.say(key) if is_label(key) else Marked(code_span(word))

    def prose(self, markdown: str, values: Values) -> Marked:
        """A text of the book, filled."""
        return self._tidied(fill(markdown.strip(), values))

    def _tidied(self, markdown: Marked) -> Marked:
        return Marked(tidy(markdown)) if self.lang == "zh" else markdown

    def join(self, parts: Iterable[str], key: str = "join.and") -> Marked:
        """The parts as a list in the language's own punctuation."""
        whole = Marked("")
        for part in parts:
            whole = self.say(key, a=whole, b=Marked(part)) if whole else Marked(part)
        return whole

    def title(self, entry: Entry, finding: Finding | None = None) -> Marked:
        return self.prose(entry.title.get(self.lang), values_of(entry, self.lang, finding))

    def summary(self, entry: Entry, finding: Finding | None = None) -> Marked:
        return self.prose(entry.summary.get(self.lang), values_of(entry, self.lang, finding))

    def identity(self, entry: Entry) -> Marked:
        """The entry's id, its kind if that is not a cause, and how bad it is."""
        id_ = Marked(code_span(entry.id))
        severity = self.say(f"severity.{entry.severity}")
        if entry.kind in (Kind.CAUSE, Kind.BENIGN):
            return self.say("entry.id", id=id_, severity=severity)
        return self.say("entry.kind", id=id_, kind=self.say(f"kind.{entry.kind}"), severity=severity)

    def aliases(self, entry: Entry) -> Marked:
        return self.say("entry.aliases", aliases=self.ids(entry.aliases))

    def ids(self, ids: Iterable[str]) -> Marked:
        return self.join(map(code_span, ids))

    def section(self, entry: Entry, name: str, finding: Finding | None = None) -> Marked:
        """A section as Markdown, "" when the entry does not have it; several steps are numbered."""
        blocks = entry.sections.get(name, ())
        values = values_of(entry, self.lang, finding)
        numbered = name == "steps" and len(blocks) > 1
        parts = (self._block(block, values, f"{n}. " if numbered else "") for n, block in enumerate(blocks, 1))
        return Marked("\n\n".join(parts))

    def _block(self, block: Block, values: Values, marker: str) -> str:
        text = self.prose(block.text.get(self.lang), values)
        if block.run:
            text = Marked(f"{text}\n\n{self.command(block.run, values)}")
        lines = (marker + text).split("\n")
        return "\n".join((lines[0], *((" " * len(marker) + line).rstrip() for line in lines[1:])))

    def command(self, command: str, values: Values | None = None) -> Marked:
        """A shell command as a fenced block."""
        code = (fill_command(command, values) if values else command).strip("\n")
        fence = fence_for(code)
        return Marked(f"{fence}bash\n{code}\n{fence}")

    def affects(self, affects: Affects) -> Marked:
        """One line of the table of versions."""
        key = "affects.introduced" if affects.introduced else "affects.any"
        name = self.say(key, package=affects.package, introduced=affects.introduced)
        if not affects.fixed:
            return self.say("affects.unfixed", package=name)
        return self.say("affects.fixed", package=name, fixed=self.fixed(affects))

    def fixed(self, affects: Affects) -> Marked:
        """Since when it is fixed: the pre-release that has the fix, and the first final release, where they differ."""
        key = "fixed.release" if affects.first_release and affects.first_release != affects.fixed else "fixed.in"
        return self.say(key, fixed=affects.fixed, first_release=affects.first_release)

    def sibling(self, sibling: Sibling, title_of: TitleOf) -> Marked:
        """The sibling's title, if the book at hand holds it, and its id."""
        title = title_of(sibling.entry)
        id_ = Marked(code_span(sibling.entry))
        return self.say("entry.titled", title=self.prose(title.get(self.lang), Values()), id=id_) if title else id_

    def link(self, link: Link) -> Marked:
        says = link.says.replace("[", "\\[").replace("]", "\\]") if link.says else link.url
        return Marked(f"[{says}]({link.url})")

    def evidence(self, entry: Entry) -> Marked:
        return self.say("entry.evidence", evidence=self.say(f"evidence.{entry.evidence}"), reviewed=entry.reviewed)

"""The field cases of `tests/field_cases`, and the samples of the book's entries, as lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import fixbook
from fixbook.decoding import decode
from fixbook.model import Level

__all__ = ["CASES", "Case", "covered_cases", "negative_logs", "samples"]

CASES = Path(__file__).parent / "field_cases"


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    lines: tuple[str, ...]
    facts: dict[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()  # slugs under which an entry of this cause may go
    levels: frozenset[Level] = frozenset()  # that a sample expects


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.replace("\r\n", "\n").rstrip("\n").split("\n"))


def _names(cause: Path, case: Path) -> frozenset[str]:
    names = {cause.name}
    for file in cause.glob("cause*.yaml"):
        names.update(line.split(":", 1)[1].strip() for line in file.read_text("utf-8").splitlines() if line.startswith("cause:"))
    lines = (case / "source.yaml").read_text("utf-8").splitlines()
    if "accept:" in lines:
        for line in lines[lines.index("accept:") + 1 :]:
            if not line.startswith("- "):
                break
            names.add(line[2:].strip())
    return frozenset(names)


def field_logs() -> Iterator[Case]:
    """Every report and whole log of a failure."""
    for cause in sorted([*(CASES / "causes").iterdir(), *(CASES / "genuine").iterdir()]):
        for case in sorted(path for path in cause.iterdir() if path.is_dir()):
            text = decode((case / "log.txt").read_bytes())
            yield Case("/".join(case.parts[-3:]), _lines(text), names=_names(cause, case))


@cache
def covered_cases() -> tuple[Case, ...]:
    """The field logs of causes that the shipped book has an entry for."""
    entries = fixbook.load().entries
    known = {name.rsplit("/", 1)[-1] for entry in entries for name in (entry.id, *entry.aliases)}
    return tuple(case for case in field_logs() if case.names & known)


@cache
def samples() -> tuple[Case, ...]:
    """The samples of the shipped book that must be found."""
    return tuple(
        Case(f"{article.id}[{number}]", _lines(sample.text), dict(sample.facts), levels=frozenset(sample.expect.values()))
        for article in fixbook.load().entries
        for number, sample in enumerate(article.entry.samples)
        if sample.expect and isinstance(sample.text, str)
    )


def negative_logs() -> Iterator[tuple[str, bool, bytes]]:
    """`(kind, whether it is ambiguous, log)` of each log that must not be answered."""
    for kind in sorted((CASES / "negative").iterdir()):
        for case in sorted(path for path in kind.iterdir() if path.is_dir()):
            yield kind.name, "ambiguous:" in (case / "source.yaml").read_text("utf-8"), (case / "log.txt").read_bytes()

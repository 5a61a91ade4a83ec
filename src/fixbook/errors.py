"""What can go wrong, said with its place, the fault and the remedy."""

from __future__ import annotations

from collections.abc import Iterable

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

__all__ = ["BookError", "FixbookError", "Problem", "Where"]


class Where(Value):
    """A place in a file of the book: `kb/vllm/x.yaml:14: signatures[1].pattern`."""

    file: str
    line: int  # 1-based; 0 when the whole file is meant
    field: str = ""  # dotted path inside the document, "" for the document itself

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}" if self.field else place


class Problem(Value):
    """One defect of the book and how to mend it. `code` is stable and kebab-case (`unknown-key`)."""

    where: Where
    code: str
    what: str
    help: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        kind = "" if self.severity == "error" else "warning: "
        return f"{self.where}: {kind}{self.what} [{self.code}]\n    help: {self.help}"


class FixbookError(Exception):
    """Bad input or a bad call; the message says what to do."""


class BookError(FixbookError):
    """A book that cannot be used; carries every problem found, not the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

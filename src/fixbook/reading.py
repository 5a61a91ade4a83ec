"""What the file of a book is read with: where its problems go, which names it may use."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from .errors import Problem, Where
from .yaml_reader import Node

__all__ = ["KINDS", "Reading", "RefusedError", "did_you_mean", "listed"]

# The kinds of nodes, as a person calls them.
KINDS = {"text": "text", "flag": "true or false", "null": "nothing", "list": "a list", "mapping": "a mapping"}


class RefusedError(Exception):
    """A value that cannot be made; its problem is already written down."""


@dataclass(slots=True)
class Reading:
    """What one file is read with, and the problems found on the way. `id` is that of the entry, as its path tells it.

    `fact_names`: names that conditions and placeholders may use; None when they are not known here, then every name is taken.
    """

    folder: Path
    id: str = ""
    problems: list[Problem] = field(default_factory=list)
    fact_names: Collection[str] | None = None

    def report(self, where: Where, code: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(where, code, what, remedy))

    def warn(self, where: Where, code: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(where, code, what, remedy, "warning"))

    def refuse(self, where: Where, code: str, what: str, remedy: str) -> RefusedError:
        """Writes the problem down and gives the exception to raise."""
        self.report(where, code, what, remedy)
        return RefusedError(what)

    def wrong_type(self, node: Node, wanted: str, remedy: str) -> RefusedError:
        return self.refuse(node.where, "wrong-type", f"this is {KINDS[node.kind]}, not {wanted}", remedy)


def did_you_mean(given: str, known: Collection[str]) -> str:
    """ "did you mean `x`?", or "" when nothing is near."""
    near = get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""


def listed(values: Sequence[str]) -> str:
    """ "`a`, `b`" """
    return ", ".join(f"`{value}`" for value in values)

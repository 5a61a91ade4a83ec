"""Values as an author would write them in YAML: a file that is written once and then edited by people."""

import re
from collections.abc import Iterator

__all__ = ["block", "flow", "quoted"]

# What YAML does not take as it is, and what it takes for the end of a line.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def quoted(text: str) -> str:
    """A text of one line in single quotes."""
    return "'" + _plain(text).replace("\n", " ").replace("\t", " ").replace("'", "''") + "'"


def flow(text: str) -> str:
    """Text of a log inside prose: braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")


def block(key: str, text: str, indent: int) -> Iterator[str]:
    """`key: |` and the lines of the text; characters that YAML does not take are left out."""
    lines = [_plain(line).rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")]
    first = next((line for line in lines if line), "")
    # Where the first line is indented, YAML has to be told by how much the block is.
    mark = "2" if first.startswith((" ", "\t")) or not lines[0] else ""
    yield f"{' ' * indent}{key}: |{mark}"
    for line in lines:
        yield f"{' ' * (indent + 2)}{line}" if line else ""


def _plain(text: str) -> str:
    return _ODD.sub("", text)

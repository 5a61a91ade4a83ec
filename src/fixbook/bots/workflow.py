"""What a step of GitHub Actions says to its runner: annotations on stdout, outputs and the job summary in files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..escape import one_line

__all__ = ["Annotation", "annotations", "append_summary", "set_output"]

_MOST = 9  # of 10 that a step may have; the tenth says how many more there are
_TITLE = 120
_PATH = 1_000
_MESSAGE = 1_000
_SUMMARY = 1_000_000  # bytes; 1 MiB for a step, beyond which nothing of it is shown


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark on a line of a file, or on the run where there is no file."""

    level: Literal["error", "warning", "notice"]
    title: str
    message: str
    file: str = ""
    line: int = 0


def annotations(wanted: Sequence[Annotation]) -> list[str]:
    """The commands for the first nine, and one that tells how many more there are. A log's text cannot end a command or begin one."""
    lines = [_command(each) for each in wanted[:_MOST]]
    if len(wanted) > _MOST:
        lines.append(_command(Annotation("notice", "fixbook", f"{len(wanted) - _MOST} more: see the summary of the job.")))
    return lines


def _command(annotation: Annotation) -> str:
    properties = {"file": one_line(annotation.file, _PATH), "line": str(annotation.line) if annotation.line and annotation.file else ""}
    properties["title"] = one_line(annotation.title, _TITLE)
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{annotation.level} {told}::{_data(one_line(annotation.message, _MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def set_output(file: str, name: str, value: str) -> None:
    """One output of the step. `value` is a single line of the program's own; raises ValueError for anything else."""
    if "\n" in value or "\r" in value:
        raise ValueError(f"output {name} has to be one line")
    if file:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"{name}={value}\n")


def append_summary(file: str, parts: Sequence[str]) -> None:
    """The parts, as many as the summary takes."""
    text = ""
    for at, part in enumerate(parts):
        if len((text + part).encode("utf-8", "replace")) > _SUMMARY:
            text += f"\n\n+ {len(parts) - at}\n"
            break
        text += part + "\n\n"
    if file:
        with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)

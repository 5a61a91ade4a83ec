"""Where the templates lie, the words that they share, and the Jinja environment that renders them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache

from .errors import FixbookError
from .expressions import expression
from .model import Lang, Text
from .shipped import shipped_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

__all__ = ["environment", "label", "labels", "root"]

# One label a line, so that both languages stand side by side in a review:  key: {"en": "…", "zh": "…"}
_LABEL = expression(r"^(?P<key>[a-z0-9_.-]+): (?P<text>\{.*\})$", re.MULTILINE)


def root() -> Path:
    """The folder of the templates: inside an installed wheel, else beside `src/` in the repository."""
    from pathlib import Path

    return Path(_folder())


@cache
def _folder() -> str:
    folder = os.path.join(shipped_folder(), "templates")
    if os.path.isfile(os.path.join(folder, "labels.yaml")):
        return folder
    raise FixbookError("the templates are not installed: reinstall fixbook (pip install --force-reinstall fixbook)")


@cache
def labels() -> Mapping[str, Text]:
    """Every label of `labels.yaml`. Its lines are YAML and JSON at once, so that no YAML parser has to be loaded for an answer."""
    with open(os.path.join(_folder(), "labels.yaml"), encoding="utf-8") as file:
        text = file.read()
    return {line["key"]: Text(**json.loads(line["text"])) for line in _LABEL.finditer(text)}


def label(key: str, lang: Lang) -> str:
    """The label in a language: Markdown with placeholders, as the book's prose is. KeyError for a key that is not there."""
    return labels()[key].get(lang)


@cache
def environment(html: bool) -> Environment:
    """The environment of one kind of output; `html` escapes what a template does not mark as safe."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from .compiled import compiled_templates

    return Environment(
        loader=FileSystemLoader(_folder()),
        undefined=StrictUndefined,
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=compiled_templates(),
    )

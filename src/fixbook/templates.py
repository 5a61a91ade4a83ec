"""Where the templates lie, the words that they share, and the Jinja environment that renders them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from .errors import FixbookError
from .model import Lang, Text
from .shipped import shipped_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

__all__ = ["environment", "is_label", "label", "labels", "root"]

# One label a line, so that both languages stand side by side in a review:  key: {"en": "…", "zh": "…"}
_BEGIN, _BETWEEN, _END = '{"en": "', '", "zh": "', '"}'


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
def _lines() -> str:
    """`labels.yaml`, an end of line before each line."""
    with open(os.path.join(_folder(), "labels.yaml"), encoding="utf-8") as file:
        return f"\n{file.read()}\n"


@cache
def labels() -> Mapping[str, Text]:
    """Every label of `labels.yaml`."""
    keys = (line.partition(": ")[0] for line in _lines().split("\n") if line.endswith(_END) and not line.startswith("#"))
    return {key: _label(key) for key in keys}


def label(key: str, lang: Lang) -> str:
    """The label in a language: Markdown with placeholders, as the book's prose is. KeyError for a key that is not there."""
    return _label(key).get(lang)


def is_label(key: str) -> bool:
    return f"\n{key}: {_BEGIN}" in _lines()


@cache
def _label(key: str) -> Text:
    """An answer says a tenth of the labels: only those are read, and without the parser of YAML or JSON, whose import takes longer."""
    start = _lines().find(f"\n{key}: {_BEGIN}")
    if start < 0:
        raise KeyError(key)
    line = _lines()[start + 1 : _lines().index("\n", start + 1)].removeprefix(f"{key}: ")
    if "\\" in line:
        import json

        return Text(**json.loads(line))
    en, zh = line.removeprefix(_BEGIN).removesuffix(_END).split(_BETWEEN)
    return Text(en, zh)


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

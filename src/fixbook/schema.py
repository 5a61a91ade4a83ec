"""The book's files in JSON Schema, draft-07, for editors: written from the same forms that the loader reads by.

python -m fixbook.schema > schema/fixbook.schema.json
"""

import json
import sys
from typing import Any

from .book_lists import COMPONENTS, GLOSSARY
from .entry_form import ENTRY

__all__ = ["schema", "text"]


def schema() -> dict[str, Any]:
    """An entry at the root; the two lists under `#/definitions/components` and `#/definitions/glossary`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "An entry of a fixbook: one cause of failure",
        "description": "The format is explained in docs/entry-format.md; `fixbook lint` checks what a schema cannot.",
        **ENTRY.schema(),
        "definitions": {
            "components": {"title": "components.yaml", **COMPONENTS.schema()},
            "glossary": {"title": "glossary.yaml", **GLOSSARY.schema()},
        },
    }


def text() -> str:
    """The file as it lies in the repository."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())

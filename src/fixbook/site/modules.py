"""JavaScript modules → one classic script, because a page that lies on a disk may not load modules.

Understands what the matcher's modules use: one `import { a, b } from "./name.js";` a line, and `export` before a declaration.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..errors import FixbookError

__all__ = ["joined"]

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://|/\*\*|\*/?(?:[ \t]|$)).*\n", re.MULTILINE)  # a quarter of the script, for readers of the modules
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(folder: Path, main: str) -> str:
    """A function `fixbookMatcher` that makes the modules of the folder, without their comments, and gives what the module `main` exports.

    Its text can be had with `toString`, so that a worker can start another one. Raises FixbookError for a module it cannot read.
    """
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}
    body = "".join(_wrapped(name, sources[name]) for name in _in_order(main, sources))
    return f"function fixbookMatcher() {{\n'use strict';\n{body}return ${main};\n}}\n"


def _in_order(main: str, sources: Mapping[str, str]) -> Iterator[str]:
    """The modules that `main` needs, each after those it imports."""
    done: dict[str, bool] = {}

    def visit(name: str) -> Iterator[str]:
        if name not in sources:
            raise FixbookError(f"there is no module {name}.js")
        if not done.get(name, True):
            raise FixbookError(f"{name}.js imports itself through others")
        if name in done:
            return
        done[name] = False
        for match in _IMPORT.finditer(sources[name]):
            yield from visit(match[2])
        done[name] = True
        yield name

    yield from visit(main)


def _wrapped(name: str, source: str) -> str:
    source = _COMMENT.sub("", source)
    exported = [match[1] for match in _EXPORT.finditer(source)]
    body = _EXPORT.sub("", _IMPORT.sub(lambda match: f"const {{ {match[1].replace(' as ', ': ')} }} = ${match[2]};\n", source))
    left = _LEFT.search(body)
    if left:
        raise FixbookError(f"{name}.js: cannot read `{left[0]}`")
    return f"const ${name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"

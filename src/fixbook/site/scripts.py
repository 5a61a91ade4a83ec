"""ES modules that import from each other → one classic script: without a server a browser loads no module, and no worker from a file."""

import re
from collections.abc import Callable

__all__ = ["joined"]

_IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*['\"]\./(?:[\w-]+/)*([\w-]+)\.js['\"];?[ \t]*$", re.MULTILINE)
_DECLARED = re.compile(r"^export\s+((?:async\s+)?(?:function\*?|const|let|class)\s+([\w$]+))", re.MULTILINE)
_LISTED = re.compile(r"^export\s*\{([^}]*)\};?[ \t]*$", re.MULTILINE)
_AS = re.compile(r"([\w$]+)\s+as\s+([\w$]+)")


def joined(main: str, module: Callable[[str], str]) -> str:
    """`main` behind every module that it needs, each in a function of its own, so that names do not meet.

    `module` gives the text of a module by its name. Understood are `import {a, b as c} from "./name.js"`, `export` before a declaration
    and `export {a, b as c}`.
    """
    ordered: dict[str, str] = {}
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name not in seen:
            seen.add(name)
            text = module(name)
            for _, needed in _IMPORT.findall(text):
                visit(needed)
            ordered[name] = text

    for _, needed in _IMPORT.findall(main):
        visit(needed)
    return "".join(_wrapped(name, text) for name, text in ordered.items()) + _imported(main)


def _wrapped(name: str, text: str) -> str:
    exports = [name for _, name in _DECLARED.findall(text)]
    exports += [_AS.sub(r"\2: \1", part.strip()) for listed in _LISTED.findall(text) for part in listed.split(",") if part.strip()]
    body = _LISTED.sub("", _DECLARED.sub(r"\1", _imported(text)))
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();\n"


def _imported(text: str) -> str:
    def taken(match: re.Match[str]) -> str:
        names = _AS.sub(r"\1: \2", match[1])
        return f"const {{{names}}} = {_variable(match[2])};"

    return _IMPORT.sub(taken, text)


def _variable(name: str) -> str:
    return "module_" + name.replace("-", "_")

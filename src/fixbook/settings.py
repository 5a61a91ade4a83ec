"""Settings in running text: `name=value, …` of a configuration line, `{'name': value}` of an argument dump, `--name value` of a command."""

from collections.abc import Iterator

from .expressions import expression
from .value import Value

__all__ = ["LIMIT", "Setting", "flags", "pairs"]

# An engine configuration line is 3 to 9 KB; what stands behind this many characters is not read.
LIMIT = 16_000


class Setting(Value):
    """One name and its value as it stood there. `owner` is the value around a nested one: `speculative_config`, "" at the top."""

    name: str
    value: str
    at: int  # offset of the value in the text
    owner: str = ""


# Names stand before `=` or `:`; strings are taken whole, so that a comma or bracket inside one does not count. They are bounded, as each
# quote that nothing closes is looked for the end of.
_TOKEN = expression(
    r"(?P<string>'(?:[^'\\\n]|\\.){0,500}'|\"(?:[^\"\\\n]|\\.){0,500}\")|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<is>[=:])|(?P<word>[^\s'\"()\[\]{},=:]+)"
)


def pairs(text: str, start: int = 0) -> Iterator[Setting]:
    """The settings in `text` from `start` on, to the end of the bracket in which `start` stands; nested ones carry their owner.

    Takes `a=1, b='c'`, `{'a': 1}` and a mixture; a value is everything up to the comma. Stops after LIMIT characters.
    """
    owners: list[str] = []
    name, before, begin, end = "", "", -1, -1
    for match in _TOKEN.finditer(text, start, start + LIMIT):
        kind = match.lastgroup
        if kind == "comma" or kind == "close":
            if name and begin >= 0:
                yield Setting(name, text[begin:end], begin, owners[-1] if owners else "")
            if kind == "close":
                if not owners:
                    return
                owners.pop()
            name, before, begin = "", "", -1
        elif kind == "open":
            owners.append(name or (owners[-1] if owners else ""))
            name, before, begin = "", "", -1
        elif kind == "is" and not name:
            name = before.strip("'\"")
        elif name:
            begin = match.start() if begin < 0 else begin
            end = match.end()
        else:
            before = match[0]
    if name and begin >= 0:
        yield Setting(name, text[begin:end], begin, owners[-1] if owners else "")


# A flag ends where a blank, a quote or a bracket does: `--dtype half`, `--dtype=half`, `["--dtype", "half"]`, `--dtype \<line end> half`.
_FLAG = expression(r"(?<![\w-])--?(?P<name>[A-Za-z][\w-]*)(?:(?P<gap>=|['\"]?[\s,\\]+)(?P<value>'[^'\n]*'|\"[^\"\n]*\"|[^\s'\",\\)\]]+))?")


def flags(text: str, start: int = 0) -> Iterator[Setting]:
    """The flags of a command line from `start` on, dashes in names as `_`; a flag without a value is `true`."""
    at, stop = start, start + LIMIT
    while match := _FLAG.search(text, at, stop):
        name, value = match["name"].replace("-", "_"), match["value"]
        at = match.end()
        if value is None:
            yield Setting(name, "true", match.start())
        elif match["gap"] != "=" and value.strip("'\"").startswith("-"):
            # The next word is a flag of its own: this one had no value.
            at = match.start("value")
            yield Setting(name, "true", match.start())
        elif not value.startswith(("{", "[")) or match["gap"] == "=":
            yield Setting(name, value.rstrip(":;,."), match.start("value"))

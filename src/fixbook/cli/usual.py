"""Argument lists of the usual shape, read without `argparse`, whose import and set-up take a paste longer than its log.

A room describes its options once, to `argparse` or to `Usual`. What `Usual` reads, it reads as `argparse` would, which a test holds to
many lists; of anything else (a mistake, `--lang=zh`, `-fjson`, `--help`) it says nothing, and `argparse` is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from typing import Any, TypeAlias

    Parser: TypeAlias = "ArgumentParser | Usual"

__all__ = ["Options", "Usual"]

_KNOWN = frozenset(("action", "choices", "default", "help", "metavar", "nargs", "version"))
_ACTIONS = frozenset(("append", "store", "store_true", "version"))


class Options:
    """What was asked for: an attribute for each option."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Usual:
    """Takes descriptions of options as an `ArgumentParser` does, and reads arguments of which none is odd."""

    usage: str | None = None
    description: str | None = None
    epilog: str | None = None

    def __init__(self) -> None:
        self._flags: dict[str, str] = {}
        self._values: dict[str, tuple[str, bool, Sequence[str] | None]] = {}  # name, whether it may come again, choices
        self._words = ""  # the name of what is no option
        self._defaults: dict[str, Any] = {}
        self._odd = False  # something was described that is not understood here

    def add_argument(self, *names: str, **how: Any) -> None:
        action = how.get("action", "store")
        positional = not names[0].startswith("-")
        if how.keys() - _KNOWN or action not in _ACTIONS or (positional and (self._words or how.get("nargs") != "*")):
            self._odd = True
        elif positional:
            self._words = names[0]
        elif "nargs" in how:
            self._odd = True
        elif action != "version":
            name = next((each for each in names if each.startswith("--")), names[0]).lstrip("-").replace("-", "_")
            self._defaults[name] = how.get("default", False if action == "store_true" else None)
            if action == "store_true":
                self._flags.update(dict.fromkeys(names, name))
            else:
                self._values.update(dict.fromkeys(names, (name, action == "append", how.get("choices"))))

    def set_defaults(self, **values: Callable[[Options], int]) -> None:
        self._defaults.update(values)

    def read(self, arguments: Sequence[str]) -> Options | None:
        """The options, as `argparse` would give them; None where that has to be asked."""
        values = {**self._defaults}
        words: list[str] = []
        end = 0  # behind the last word that is no option: where an option stands between them, `argparse` is asked
        at = 0
        while at < len(arguments):
            word = arguments[at]
            at += 1
            if word in self._flags:
                values[self._flags[word]] = True
            elif word in self._values:
                name, again, choices = self._values[word]
                value = arguments[at] if at < len(arguments) else "-"
                if not value or value.startswith("-") or (choices is not None and value not in choices):
                    return None
                values[name] = [*values[name], value] if again else value
                at += 1
            elif not word or (word.startswith("-") and word != "-") or (words and end != at - 1):
                return None
            else:
                words.append(word)
                end = at
        if self._odd or (words and not self._words):
            return None
        options = Options()
        vars(options).update(values)
        if self._words:
            setattr(options, self._words, words)
        return options

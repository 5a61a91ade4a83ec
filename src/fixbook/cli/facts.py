"""`fixbook facts`: what a log can state about its system, and `--fact` can state for it."""

from argparse import ArgumentParser

from .arguments import Options
from .console import message_language, prepare, use_color

__all__ = ["configure", "run"]

_EPILOG = """\
Any other package's version is a fact, too: xformers_version.

examples:
  fixbook facts
  fixbook facts --lang zh
  fixbook server.log --fact kv_cache_dtype=float16 --fact platform=cuda

exit codes:
  0  listed
  2  trouble
"""


def configure(parser: ArgumentParser) -> None:
    parser.description = "Lists the facts: name, meaning, and the command that looks it up (server.log stands for the whole log)."
    parser.epilog = _EPILOG
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("-l", "--lang", choices=("en", "zh", "both"), help="default: FIXBOOK_LANG, else the locale")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="auto: on a terminal; NO_COLOR, FORCE_COLOR")
    parser.set_defaults(run=run)


def run(options: Options) -> int:
    """Lists all that have a name of their own."""
    prepare(options.format != "text")
    print(_json() if options.format == "json" else _text(options))
    return 0


def _text(options: Options) -> str:
    from ..fact_kinds import FACTS
    from ..terminal import Painter, cells

    painter = Painter(use_color(options.color, to_file=False))
    labels = {name: kind.label.get(message_language(options.lang)) for name, kind in FACTS.items()}
    names, words = max(map(len, labels)), max(map(cells, labels.values()))
    rows = (
        f"{painter.paint(name, 'code')}{' ' * (names - len(name))}  {label}{' ' * (words - cells(label))}  {FACTS[name].command}"
        for name, label in labels.items()
    )
    return "\n".join(row.rstrip() for row in rows)


def _json() -> str:
    import json

    from ..fact_kinds import FACTS

    rows = [
        {"name": name, "kind": str(kind.value), "label": {"en": kind.label.en, "zh": kind.label.zh}, "command": kind.command}
        for name, kind in FACTS.items()
    ]
    return json.dumps({"facts": rows}, ensure_ascii=False, indent=2)

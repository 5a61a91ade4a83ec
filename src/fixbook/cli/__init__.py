"""The command line: takes arguments, returns an exit code.

Nothing heavy is imported here: a paste pays only for what it needs.
"""

import gc
import os
import sys
from collections.abc import Sequence

__all__ = ["command", "main"]

_TROUBLE = 2
_RARELY = 100_000  # objects between two searches for circles of them: a paste makes fewer, and hardly any circle
_INTERRUPTED = 130
_BROKEN_PIPE = 141  # what a shell shows for a process that SIGPIPE ended


def command() -> int:
    """`fixbook` as a process of its own, which is too short to look for circles of objects: neither while it runs nor when it ends."""
    gc.set_threshold(_RARELY)
    code = main(alone=True)
    gc.freeze()
    return code


def main(arguments: Sequence[str] | None = None, *, alone: bool = False) -> int:
    """Runs one command. 0 known, 1 nothing known, 2 trouble; 130 after Ctrl-C, 141 when the reader of a pipe went away.

    `alone`: the process is there for nothing else.
    """
    if sys.stdout is None:  # closed by the caller: `fixbook … >&-`; the exit code is still wanted
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:  # `print` to None would print to stdout
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments), alone)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return _BROKEN_PIPE
    except OSError as error:
        from .console import complain

        _drop_output()
        what = error.filename or "the answer could not be written"  # a full disk behind `> report.txt` has no name
        complain(f"{what}: {error.strerror or error}")
        return _TROUBLE
    return code


def _drop_output() -> None:
    """The interpreter flushes stdout once more at its end; with nothing behind it, that would print a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _keep_expressions() -> None:
    """What this run had to compile, the next one finds ready."""
    if "fixbook.expressions" in sys.modules:
        from ..cache import Cache
        from ..expressions import keep

        keep(Cache())


def _run(arguments: list[str], alone: bool) -> int:
    from ..errors import BookError, FixbookError
    from .arguments import parse
    from .console import complain

    try:
        options = parse(arguments, alone)
        code = int(options.run(options))
        _keep_expressions()
        return code
    except BookError as error:
        for problem in error.problems:
            complain(str(problem))
    except FixbookError as error:
        complain(str(error))
    return _TROUBLE

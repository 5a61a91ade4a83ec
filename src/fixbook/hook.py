"""The article under an uncaught exception: `python -m fixbook.hook script.py …`, or `fixbook.install()` in a program.

Scripts, threads, IPython and Jupyter cells, children of multiprocessing. Nothing of the matcher is imported before something failed.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from types import TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:
    from .value import NamedTuple

__all__ = ["Settings", "install", "main", "uninstall"]

_USAGE = """\
usage: python -m fixbook.hook [--lang en|zh|both] [--kb DIR] [--full] (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]

Runs a program as `python` would; under an uncaught exception it prints the article of the cause, if the book knows it.

examples:
  python -m fixbook.hook train.py --epochs 3
  python -m fixbook.hook --lang zh -m vllm.entrypoints.openai.api_server --model MODEL
  torchrun --nproc-per-node 2 -m fixbook.hook train.py
"""
# Frames of what runs a program, which `python script.py` would not show either.
_OWN = (__file__, "<frozen runpy>", "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class Settings(NamedTuple):
    """How the article is told."""

    lang: str | None = None  # en, zh, both; None: FIXBOOK_LANG, else the locale
    kb: tuple[str, ...] = ()  # books over the shipped one
    full: bool = False
    family: str = ""  # of processes that tell one cause once


class _Hooks:
    """What was there before, for the way back; None while nothing is installed."""

    settings: Settings | None = None
    excepthook: Any = None
    threads: Any = None
    notebook: Any = None


def install(*, lang: str | None = None, kb: tuple[str, ...] | list[str] = (), full: bool = False) -> None:
    """From now on the article of a known cause is printed under an uncaught exception.

    In IPython and Jupyter it follows the cell that failed. Children that multiprocessing starts have it, too. May be called again.
    """
    import os

    if lang not in (None, "en", "zh", "both") or isinstance(kb, str):
        from .errors import FixbookError

        raise FixbookError(
            f"kb={kb!r}: give a list of folders: kb=[{kb!r}]" if isinstance(kb, str) else f"unknown language {lang!r}: one of en, zh, both"
        )
    family = _Hooks.settings.family if _Hooks.settings else f"{os.getpid()}-{os.urandom(4).hex()}"
    _install(Settings(lang, tuple(kb), full, family))


def _install(settings: Settings) -> None:
    first = _Hooks.settings is None
    _Hooks.settings = settings
    if not first:
        return
    atexit.register(_forget)
    _Hooks.excepthook, sys.excepthook = sys.excepthook, _excepthook
    _Hooks.threads, threading.excepthook = threading.excepthook, _threads
    from .doors import children

    children.watch()
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        from .doors import notebook

        _Hooks.notebook = notebook.install(shell, lambda: _Hooks.settings)


def uninstall() -> None:
    """Undoes `install`, where nobody has put another hook on top since."""
    if _Hooks.settings is None:
        return
    if sys.excepthook is _excepthook:
        sys.excepthook = _Hooks.excepthook
    if threading.excepthook is _threads:
        threading.excepthook = _Hooks.threads
    if _Hooks.notebook is not None:
        _Hooks.notebook()
        _Hooks.notebook = None
    from .doors import children

    children.unwatch()
    _Hooks.settings = None


def _forget() -> None:
    """Removes what the processes of this family told each other by, if they had to tell anything."""
    if _Hooks.settings is not None and not {"fixbook.doors.telling", "multiprocessing.process"}.isdisjoint(sys.modules):
        from .doors import families

        families.forget(_Hooks.settings.family)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext fixbook.hook`. What `install` was told before stays."""
    if _Hooks.settings is None:
        install()


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext fixbook.hook`."""
    uninstall()


def tell(error: BaseException) -> None:
    """Prints the article of an exception that nobody has caught, if the book knows its cause."""
    if _Hooks.settings is not None and isinstance(error, Exception):
        from .doors.telling import tell_exception

        tell_exception(error, _Hooks.settings)


def current() -> Settings | None:
    """The settings while the hook is installed."""
    return _Hooks.settings


def _excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    while trace is not None and trace.tb_frame.f_code.co_filename in _OWN:
        trace = trace.tb_next
    error = error.with_traceback(trace)
    _Hooks.excepthook(kind, error, trace)
    tell(error)


def _threads(arguments: threading.ExceptHookArgs) -> None:
    _Hooks.threads(arguments)
    if arguments.exc_value is not None:
        tell(arguments.exc_value)


# --- python -m fixbook.hook -------------------------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Runs a program as `python` would, with the hook installed. What it raises comes out."""
    options: dict[str, Any] = {"kb": []}
    while arguments and arguments[0] in ("--lang", "--kb", "--full", "-h", "--help"):
        name = arguments.pop(0)
        if name in ("-h", "--help") or (name != "--full" and not arguments):
            print(_USAGE, end="", file=sys.stdout if name in ("-h", "--help") else sys.stderr)
            return 0 if name in ("-h", "--help") else 2
        if name == "--full":
            options["full"] = True
        elif name == "--kb":
            options["kb"].append(arguments.pop(0))
        else:
            options["lang"] = arguments.pop(0)
    if wrong := _wrong(**options):
        print(f"fixbook.hook: {wrong}", file=sys.stderr)
        return 2
    if (
        not arguments
        or (arguments[0] in ("-m", "-c") and len(arguments) == 1)
        or (arguments[0][:1] == "-" and arguments[0] not in ("-m", "-c"))
    ):
        print(_USAGE, end="", file=sys.stderr)
        return 2
    install(**options)
    return _run(arguments)


def _wrong(kb: list[str], lang: str | None = None, full: bool = False) -> str:
    """What would show only when the program has failed, perhaps hours later; "" for nothing."""
    import os

    if lang not in (None, "en", "zh", "both"):
        return f"unknown language {lang!r}: one of en, zh, both"
    return next((f"--kb {folder}: there is no such folder" for folder in kb if not os.path.isdir(folder)), "")  # noqa: PTH112


def _run(arguments: list[str]) -> int:
    import runpy

    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        return _found(lambda: runpy.run_module(arguments[1], run_name="__main__", alter_sys=True))
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        _execute("<string>", arguments[1].encode(), None)
        return 0
    return _run_script(arguments)


def _found(run: Callable[[], object]) -> int:
    """Runs what is there. That it is not there is one line, as of `python`."""
    try:
        run()
    except ImportError as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OWN:
            trace = trace.tb_next
        if trace is not None:  # raised in the program
            raise
        print(f"fixbook.hook: {error}", file=sys.stderr)
        return 1
    return 0


def _run_script(arguments: list[str]) -> int:
    import os
    from importlib.machinery import SourceFileLoader

    path = arguments[0]
    sys.argv = arguments
    if os.path.isdir(path) or path.endswith((".zip", ".pyz", ".pyc")):  # noqa: PTH112 (pathlib costs a start more than all else here)
        import runpy

        return _found(lambda: runpy.run_path(path, run_name="__main__"))
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            source = file.read()
    except OSError as error:
        print(f"fixbook.hook: can't open file {path!r}: {error.strerror}", file=sys.stderr)
        return 2
    sys.path[0] = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
    _execute(path, source, SourceFileLoader("__main__", path))
    return 0


def _execute(path: str, source: bytes, loader: Any) -> None:
    """Runs a source as the module `__main__`, which stays: threads, pickles and handlers at the exit look there."""
    from types import ModuleType

    module = ModuleType("__main__")
    module.__dict__.update(__builtins__=__builtins__, __loader__=loader, __spec__=None, __cached__=None)
    if loader is not None:
        module.__file__ = path
    sys.modules["__main__"] = module
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)


if __name__ == "__main__":
    from fixbook import hook  # the module that the program itself would import, not a second one

    sys.exit(hook.main(sys.argv[1:]))

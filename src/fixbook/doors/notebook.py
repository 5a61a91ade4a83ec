"""IPython and Jupyter: the article follows the cell that failed."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..hook import Settings

__all__ = ["install"]


def install(shell: Any, settings: Callable[[], Settings | None]) -> Callable[[], None]:
    """Listens to the cells of a shell; gives what undoes it."""

    def after_cell(result: Any) -> None:
        error = getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)
        now = settings()
        if now is not None and isinstance(error, Exception):
            _tell(shell, error, now)

    shell.events.register("post_run_cell", after_cell)
    return lambda: shell.events.unregister("post_run_cell", after_cell)


def _tell(shell: Any, error: Exception, settings: Settings) -> None:
    from .telling import report_on, tell_exception

    if not hasattr(shell, "kernel"):  # IPython on a terminal
        tell_exception(error, settings)
        return
    try:
        found = report_on(error, settings)
        if found is not None:
            display: Any = import_module("IPython.display").display
            display({"text/plain": found.text(color=False), "text/html": found.html()}, raw=True)
    except Exception as trouble:
        print(f"fixbook: {type(trouble).__name__}: {trouble}", file=sys.stderr)

"""Children of multiprocessing: it prints their tracebacks itself, so that no exception hook is called there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["unwatch", "watch"]

_NAME = "multiprocessing.process"


def watch() -> None:
    """Has the children tell; multiprocessing is not imported for that, but awaited."""
    module = sys.modules.get(_NAME)
    if module is not None:
        _patch(module)
    elif not any(isinstance(finder, _Awaiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Awaiting())


def unwatch() -> None:
    """Undoes `watch`."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Awaiting)]
    base = getattr(sys.modules.get(_NAME), "BaseProcess", None)
    for name in ("start", "_bootstrap"):
        before = getattr(getattr(base, name, None), "fixbook_before", None)
        if before is not None:
            setattr(base, name, before)


class _Awaiting:
    """A finder of modules that finds nothing itself, and patches the one module when another finder has found it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name != _NAME:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec: Any = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


class _Loader:
    """Loads as the loader inside it does, and patches what was loaded."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def create_module(self, spec: Any) -> Any:
        return self._inner.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        _patch(module)


def _patch(module: Any) -> None:
    base = module.BaseProcess
    if hasattr(base._bootstrap, "fixbook_before"):
        return
    start, bootstrap = base.start, base._bootstrap

    def watched_start(self: Any) -> Any:
        """Gives a child of a fresh interpreter what it needs to install the hook: unpickling does it."""
        self._fixbook = _Carrier()
        try:
            return start(self)
        finally:
            del self._fixbook

    def watched_bootstrap(self: Any, *arguments: Any, **options: Any) -> Any:
        import traceback

        before = traceback.print_exc

        def print_exc(*arguments: Any, **options: Any) -> None:
            before(*arguments, **options)
            error = sys.exc_info()[1]
            caller = sys._getframe(1).f_code
            if error is not None and caller.co_name == "_bootstrap" and caller.co_filename == bootstrap.__code__.co_filename:
                from .. import hook

                hook.tell(error)

        traceback.print_exc = print_exc
        return bootstrap(self, *arguments, **options)

    for name, old, new in (("start", start, watched_start), ("_bootstrap", bootstrap, watched_bootstrap)):
        new.fixbook_before = old  # type: ignore[attr-defined]
        setattr(base, name, new)


class _Carrier:
    """Pickled by the parent, it installs the hook in the child."""

    def __reduce__(self) -> tuple[Any, ...]:
        from .. import hook

        return _arrive, (tuple(hook.current() or ()),)


def _arrive(settings: tuple[Any, ...]) -> None:
    from .. import hook

    if settings:
        hook._install(hook.Settings(*settings))

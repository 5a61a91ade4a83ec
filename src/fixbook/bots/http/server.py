"""Running the server until it is told to stop."""

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from ...errors import FixbookError
from .app import make_app
from .pool import BookRefusedError
from .service import Service
from .settings import ServeSettings

__all__ = ["bound", "serve"]

_log = logging.getLogger("fixbook.http")
_LOCAL = ("127.0.0.1", "::1", "localhost")


def serve(settings: ServeSettings) -> int:
    """Serves until SIGTERM or SIGINT, then answers what it has begun. 0; 2 when it could not start."""
    _log_to_stderr()
    with bound(settings) as listener:
        return asyncio.run(_serve(settings, listener))


def bound(settings: ServeSettings) -> socket.socket:
    """The listening socket. Raises FixbookError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named because asyncio turns Nagle's delay off only where it is: an answer would wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise FixbookError(f"{settings.host}:{settings.port}: {error.strerror or error}: choose another with --host and --port") from error
    listener.set_inheritable(False)
    return listener


async def _serve(settings: ServeSettings, listener: socket.socket) -> int:
    service = Service(settings)
    try:
        await service.start()
    except BookRefusedError as error:
        for each in error.problems:
            _log.error("%s", each)
        return 2
    try:
        return await _listening(service, listener)
    finally:
        await service.stop()
        _log.info("stopped")


async def _listening(service: Service, listener: socket.socket) -> int:
    settings = service.settings
    config = uvicorn.Config(
        make_app(service),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(settings.stop_time) or None,
    )
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    server = _Server(config, service)
    if settings.host not in _LOCAL and not settings.token:
        _log.warning("anybody who reaches %s can use this server: give it a token", settings.host)
    await server.serve(sockets=[listener])
    return 0 if server.started else 2


class _Server(uvicorn.Server):
    """Stops on signals, without passing them on to itself afterwards: a stop that was asked for is a success."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._reloads: set[asyncio.Task[bool]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if sockets and not self.should_exit:
            host, port = sockets[0].getsockname()[:2]
            _log.info("listening on http://%s:%d", f"[{host}]" if ":" in host else host, port)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def stop(number: int, _: FrameType | None) -> None:
            self.force_exit = self.should_exit and number == signal.SIGINT
            self.should_exit = True

        def reload(*_: object) -> None:
            loop.call_soon_threadsafe(self._reload)

        handlers: dict[int, Callable[..., None]] = {signal.SIGTERM: stop, signal.SIGINT: stop}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = reload
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _reload(self) -> None:
        task = asyncio.ensure_future(self._service.reload())
        self._reloads.add(task)
        task.add_done_callback(self._reloads.discard)


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S%z"))
    root = logging.getLogger("fixbook")
    root.addHandler(handler)
    root.setLevel(logging.INFO)

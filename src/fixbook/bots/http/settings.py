"""What the server is started with."""

from dataclasses import dataclass

__all__ = ["ServeSettings"]

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """Sizes in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = 8011
    kb: tuple[str, ...] = ()  # books over the shipped one
    shipped: bool = True
    workers: int = 1
    queue: int = 32  # requests that may wait for a worker
    body_limit: int = 5 * _MEGABYTE  # of a log, also after it was unpacked
    queue_time: float = 60.0  # for a request to wait
    time_limit: float = 20.0  # for one answer, waiting not counted
    body_time: float = 30.0  # for a request's body to arrive
    stop_time: float = 30.0  # for open requests when the server is stopped
    watch: float = 2.0  # between two looks at the files of the book; 0: never
    token: str = ""  # that requests have to bring; "": none
    base_url: str = ""  # where the site of the book is published; cards link to it
    hosts: bool = False  # mask names and addresses of machines, too

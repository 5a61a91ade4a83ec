"""Reading the body of a request within its limits."""

import asyncio

from starlette.requests import ClientDisconnect, Request

from .settings import ServeSettings
from .task import RefusedError

__all__ = ["read_body"]

_LINGER_BYTES = 64_000_000
_LINGER_TIME = 5.0


async def read_body(request: Request, settings: ServeSettings) -> bytes:
    """The body. Raises RefusedError: 413 when it is larger than the limit, 408 when it does not arrive in time."""
    limit = settings.body_limit
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        await _linger(request)
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_time):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    break
            else:
                return bytes(body)
    except TimeoutError as error:
        raise RefusedError(408, f"the body did not arrive within {settings.body_time:g} s") from error
    except ClientDisconnect as error:
        raise RefusedError(400, "the client went away") from error
    await _linger(request)
    raise _too_large(limit)


def _too_large(limit: int) -> RefusedError:
    return RefusedError(413, f"the body is larger than {limit:,} bytes: send the end of the log, where the failure is, or send it as gzip")


async def _linger(request: Request) -> None:
    """Reads on for a while without keeping anything: a client that is still sending would not see an answer that comes now."""
    if request.headers.get("expect", "").lower() == "100-continue":
        return  # it has not begun to send
    seen = 0
    try:
        async with asyncio.timeout(_LINGER_TIME):
            async for chunk in request.stream():
                seen += len(chunk)
                if seen > _LINGER_BYTES:
                    return
    except (TimeoutError, ClientDisconnect, RuntimeError):  # RuntimeError: the stream was read to its end before
        return

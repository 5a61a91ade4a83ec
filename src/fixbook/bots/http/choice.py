"""Which format and language a request asks for."""

from collections.abc import Sequence

from .task import RefusedError

__all__ = ["MEDIA_TYPES", "chosen_format", "chosen_lang", "flag"]

# The formats that have a media type of their own, in the order in which `*/*` takes them.
MEDIA_TYPES = {
    "json": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
_LANGS = ("en", "zh", "both")


def chosen_format(named: str, accept: str, allowed: Sequence[str]) -> str:
    """The format that is named, else the one that the Accept header likes best; JSON where it likes all.

    Raises RefusedError for a name that is not `allowed`, and where nothing is acceptable.
    """
    if named:
        if named not in allowed:
            raise RefusedError(400, f"no format is called {named!r}: one of {', '.join(allowed)}")
        return named
    ranges = list(_weighted(accept or "*/*"))
    best, best_weight = "", 0.0
    for format, media_type in MEDIA_TYPES.items():
        weight = _weight(media_type.split(";")[0], ranges)
        if format in allowed and weight > best_weight:
            best, best_weight = format, weight
    if not best:
        raise RefusedError(406, f"none of the accepted types is offered: {', '.join(kind.split(';')[0] for kind in MEDIA_TYPES.values())}")
    return best


def _weighted(header: str) -> Sequence[tuple[str, float]]:
    """`(range, q)` of an Accept or Accept-Language header; a weight that cannot be read is 0."""
    out = []
    for part in header.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip().lower() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        if name:
            out.append((name.lower(), weight))
    return out


def _weight(media_type: str, ranges: Sequence[tuple[str, float]]) -> float:
    """That of the most specific range that holds the type."""
    for name in (media_type, media_type.split("/")[0] + "/*", "*/*"):
        weights = [weight for range, weight in ranges if range == name]
        if weights:
            return max(weights)
    return 0.0


def chosen_lang(named: str, languages: str) -> str:
    """The language that is named, else the first of Accept-Language that there is, else English."""
    if named:
        if named not in _LANGS:
            raise RefusedError(400, f"no language is called {named!r}: one of {', '.join(_LANGS)}")
        return named
    for tag, weight in sorted(_weighted(languages), key=lambda pair: -pair[1]):
        if weight > 0 and tag.split("-")[0] in ("en", "zh"):
            return tag.split("-")[0]
    return "en"


def flag(value: str, name: str, default: bool = False) -> bool:
    """`true`, `false`, `1` or `0`."""
    if not value:
        return default
    if value.lower() not in ("true", "false", "1", "0"):
        raise RefusedError(400, f"{name}={value!r}: write true or false")
    return value.lower() in ("true", "1")

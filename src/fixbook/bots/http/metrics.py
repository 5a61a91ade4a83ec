"""Counters in the text format of Prometheus. Labels are routes, statuses, verdicts and ids of the book: never text of a log."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What happened since the start. Used from the event loop alone."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._verdicts: Counter[str] = Counter()
        self._entries: Counter[str] = Counter()
        self._reloads: Counter[str] = Counter(ok=0, refused=0)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests[route, method, str(status)] += 1
        buckets = self._buckets.setdefault(route, [0] * (len(_BUCKETS) + 1))
        buckets[bisect_left(_BUCKETS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def diagnosis(self, verdict: str, entries: Iterable[str]) -> None:
        self._verdicts[verdict] += 1
        self._entries.update(entries)

    def reload(self, ok: bool) -> None:
        self._reloads["ok" if ok else "refused"] += 1

    def text(self, gauges: Mapping[str, tuple[str, float]], book: Mapping[str, object]) -> str:
        """Everything. `gauges`: name → (help, value), as they are now; `book`: version, digest and number of entries."""
        return "\n".join((*self._counters(), *self._histogram(), *_of_book(book), *_gauges(gauges))) + "\n"

    def _counters(self) -> Iterator[str]:
        yield from _head("fixbook_requests_total", "counter", "Requests answered.")
        for (route, method, status), count in sorted(self._requests.items()):
            yield _line("fixbook_requests_total", count, route=route, method=method, status=status)
        yield from _counter("fixbook_diagnoses_total", "Logs diagnosed, by verdict.", "verdict", self._verdicts)
        yield from _counter("fixbook_findings_total", "Entries found in logs.", "entry", self._entries)
        yield from _counter("fixbook_reloads_total", "Attempts to take over an edited book.", "result", self._reloads)

    def _histogram(self) -> Iterator[str]:
        name = "fixbook_request_seconds"
        yield from _head(name, "histogram", "Time from the first byte of a request to the last of its answer.")
        for route, buckets in sorted(self._buckets.items()):
            total = 0
            for bound, count in zip((*map(str, _BUCKETS), "+Inf"), buckets, strict=True):
                total += count
                yield _line(f"{name}_bucket", total, route=route, le=bound)
            yield _line(f"{name}_sum", round(self._seconds[route], 6), route=route)
            yield _line(f"{name}_count", total, route=route)


def _of_book(book: Mapping[str, object]) -> Iterator[str]:
    yield from _head("fixbook_book_info", "gauge", "The book in use.")
    yield _line("fixbook_book_info", 1, version=str(book.get("version", "")), digest=str(book.get("digest", "")))


def _gauges(gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    for name, (help, value) in sorted(gauges.items()):
        yield from _head(name, "counter" if name.endswith("_total") else "gauge", help)
        yield _line(name, value)


def _counter(name: str, help: str, label: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield from _head(name, "counter", help)
    for value, count in sorted(counts.items()):
        yield _line(name, count, **{label: value})


def _head(name: str, kind: str, help: str) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, value: float, **labels: str) -> str:
    pairs = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{pairs}}} {value}" if pairs else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

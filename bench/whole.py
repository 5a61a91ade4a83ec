"""The command line under measurement: `python bench/whole.py shipped|foreign|none ARGUMENTS…`.

The word says which table of what is common is used: that of the package, one that was counted over the negative field cases alone, none.
With FIXBOOK_BENCH, the hits and the peak of memory are written to that file: a failure after which the program goes on is located like
every other, but is no finding.
"""

import json
import os
import sys
from functools import cache
from pathlib import Path


def main() -> int:
    kind, *arguments = sys.argv[1:]
    if kind != "shipped":
        _exchange(kind)
    told = os.environ.get("FIXBOOK_BENCH")
    hits = _listen() if told else []
    from fixbook.cli import main as fixbook

    code = fixbook(arguments)
    if told:
        Path(told).write_text(json.dumps({"hits": hits, "peak": _peak()}))
    return code


def _exchange(kind: str) -> None:
    """As the table of the package is, this one is read from a file: it is made once."""
    from fixbook import rows
    from fixbook.background import Background

    kept = Path(os.environ["FIXBOOK_CACHE"]) / f"background-{kind}.bin"
    if not kept.exists():
        cases = Path(__file__).resolve().parents[1] / "tests/field_cases/negative"
        table = Background.count([path.read_bytes() for path in cases.glob("*/*/log.txt")] if kind == "foreign" else [])
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(table.dump())
    rows.shipped = cache(lambda: Background.load(kept.read_bytes()))


def _listen() -> list[tuple[str, int]]:
    """Everything that `scan` finds, from now on."""
    from fixbook import api

    hits: list[tuple[str, int]] = []
    scan = api.scan

    def listening(*given: object, **named: object) -> object:
        found = scan(*given, **named)  # type: ignore[arg-type]
        hits.extend((hit.signature, hit.line) for hit in found.hits)
        return found

    api.scan = listening  # type: ignore[assignment]
    return hits


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())

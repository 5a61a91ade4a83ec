"""`hyperscan` alone, as the peer that does nothing else: `python bench/raw.py LOG LITERALS DATABASE`.

Counts where the literals of a file (one a line) end in a log, read in chunks as the sweep reads it. The database is built by the first run.
"""

import sys
from pathlib import Path

import hyperscan

CHUNK = 1 << 21


def database(literals: Path, kept: Path) -> hyperscan.Database:
    if not kept.exists():
        texts = literals.read_bytes().splitlines()
        made = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        made.compile(expressions=texts, ids=list(range(len(texts))), elements=len(texts), flags=[0] * len(texts), literal=True)
        kept.write_bytes(hyperscan.dumpb(made))
    loaded = hyperscan.loadb(kept.read_bytes(), hyperscan.HS_MODE_BLOCK)
    loaded.scratch = hyperscan.Scratch(loaded)
    return loaded


def main() -> int:
    log, literals, kept = map(Path, sys.argv[1:])
    looked_for = database(literals, kept)
    found = 0

    def told(number: int, start: int, end: int, flags: int, context: object) -> None:
        nonlocal found
        found += 1

    buffer = bytearray(CHUNK)
    view = memoryview(buffer)
    with log.open("rb", buffering=0) as file:
        while count := file.readinto(view):
            looked_for.scan(view[:count], match_event_handler=told)
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Every pattern over the whole text: `python bench/naive.py SIGNATURES LOG BYTES` prints MB per CPU second."""

import sys
import time
from pathlib import Path

import regex
from workload import signatures


def main() -> None:
    count, path, size = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    patterns = [regex.compile(made.pattern, regex.ASCII | (regex.IGNORECASE if made.flags else 0)) for made in signatures(count)]
    with path.open("rb") as file:
        text = file.read(size).decode("utf-8", "replace")
    start = time.process_time()
    for pattern in patterns:
        for _ in pattern.finditer(text):
            pass
    print(size / 1e6 / (time.process_time() - start))


if __name__ == "__main__":
    main()

"""Writes the table of src/fixbook/data/background.bin: what is common in logs where nothing is wrong.

    python bench/background.py

It is counted over the healthy logs of tests/field_cases/negative and over generated ones (workload.py, other seeds than
the benchmarks use).
"""

from pathlib import Path

from workload import pieces

from fixbook.background import Background

ROOT = Path(__file__).resolve().parents[1]
GENERATED = 20_000  # blocks
WEIGHT = 4  # of a real log against a generated one of the same size


def main() -> None:
    real = [log.read_bytes() for log in sorted((ROOT / "tests/field_cases/negative").glob("*/*/log.txt"))]
    table = Background.count([*real * WEIGHT, *pieces(777, GENERATED)])
    path = ROOT / "src/fixbook/data/background.bin"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(table.dump())
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()

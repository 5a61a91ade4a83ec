"""The command line, with another table of what is common: `python bench/whole.py shipped|foreign|none ARGUMENTS…`."""

import sys
from pathlib import Path


def main() -> int:
    kind, *arguments = sys.argv[1:]
    if kind != "shipped":
        from fixbook import rows
        from fixbook.background import Background

        cases = Path(__file__).resolve().parents[1] / "tests/field_cases/negative"
        logs = [path.read_bytes() for path in cases.glob("*/*/log.txt")] if kind == "foreign" else []
        table = Background.count(logs)
        rows.shipped = lambda: table
    from fixbook.cli import main as fixbook

    return fixbook(arguments)


if __name__ == "__main__":
    sys.exit(main())

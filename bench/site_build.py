"""How long the site takes: `python bench/site_build.py 1000`, in a process of its own for each build, from its start to its end.

The book is made of copies of the shipped entries under other names, so its articles are as long as real ones. The program's modules are
compiled, as an installed program's are.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fixbook.kb import shipped_root

_BUILD = """\
import json, resource, sys
from fixbook.cli import main
code = main(["site", sys.argv[1], "--kb", sys.argv[2], "--no-shipped", "--base-url", "https://example.org/fixbook/"])
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({"code": code, "cpu": sum(u.ru_utime + u.ru_stime for u in used),
                  "peak": [u.ru_maxrss / 1024 for u in used]}))
"""


def make_book(folder: Path, entries: int) -> None:
    """`entries` copies of shipped entries; names that only one entry may have are taken out."""
    source = shipped_root() / "kb"
    shutil.copy(source / "components.yaml", folder)
    shutil.copy(source / "glossary.yaml", folder)
    files = sorted(source.glob("*/*.yaml"))
    for number in range(entries):
        file, copy = files[number % len(files)], number // len(files)
        text = re.sub(r"^aliases:.*\n(?:  ?- .*\n)*", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        target = folder / file.parent.name / (f"{file.stem}-{copy}.yaml" if copy else file.name)
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
        for sample in file.parent.glob(f"{file.stem}.*.log"):
            shutil.copy(sample, target.parent)


def build(out: Path, book: Path, cache: Path) -> dict[str, object]:
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", _BUILD, str(out), str(book)],
        env={**known, "FIXBOOK_CACHE": str(cache), "PYTHONPYCACHEPREFIX": str(cache.with_name("compiled"))},
        capture_output=True,
        text=True,
        check=True,
    )
    return {**json.loads(ran.stdout), "wall": time.perf_counter() - started, "said": ran.stderr.strip().splitlines()[-1]}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        book, out, cache = (Path(folder) / name for name in ("kb", "site", "cache"))
        book.mkdir()
        make_book(book, count)
        show("first build", build(out, book, cache))
        show("nothing changed", build(out, book, cache))
        entry = next(iter(sorted(book.glob("*/*.yaml"))))
        for number in range(5):
            text = entry.read_text(encoding="utf-8").replace("\nverify:\n  en: ", f"\nverify:\n  en: {number} ")
            entry.write_text(text, encoding="utf-8")
            show("one entry changed", build(out, book, cache))
        sizes = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
        print(f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")
        for path in sorted((out / "assets").iterdir()):
            packed = subprocess.run(["gzip", "-c", str(path)], capture_output=True, check=True).stdout
            print(f"  {path.name}: {path.stat().st_size / 1e3:.0f} KB, {len(packed) / 1e3:.0f} KB packed")


def show(what: str, measured: dict[str, object]) -> None:
    peak = " and ".join(f"{each:.0f}" for each in measured["peak"])  # type: ignore[attr-defined]
    print(
        f"{what}: {measured['wall']:.2f} s wall, {measured['cpu']:.2f} s CPU, {peak} MB peak (own, children); {measured['said']}",
        flush=True,
    )


if __name__ == "__main__":
    main()

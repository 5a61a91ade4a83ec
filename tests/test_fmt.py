"""`fixbook fmt`: one layout, nothing lost."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("ruamel.yaml", reason="fmt needs the extra [author]")

from cli_book import write_book
from fixbook.cli import main
from fixbook.cli.fmt import formatted
from fixbook.errors import FixbookError
from fixbook.kb import shipped_root

UGLY = """\
# about this entry

title: {en: "A  fault",   zh: 一处故障}
schema:   fixbook/1
# why it is slow
severity: slow     # for now
summary:
    en: it's 0.10, on
    zh: "是 12:30"   # a time
signatures:
- id: words      # the only one
  pattern: 'a {1,3}\\.b'

# the samples
samples:
- expect: none
  why: x
  text: |
     INFO all is fine\x20\x20
       # no comment
links: [{url: 'https://example.org/a', says: x}]
"""
NEAT = """\
# about this entry

schema: fixbook/1
title: {en: "A  fault", zh: 一处故障}
# why it is slow
severity: slow     # for now
signatures:
  - id: words    # the only one
    pattern: 'a {1,3}\\.b'

# the samples
samples:
  - expect: none
    why: x
    text: |
      INFO all is fine\x20\x20
        # no comment
summary:
  en: it's 0.10, on
  zh: "是 12:30"     # a time
links: [{url: 'https://example.org/a', says: x}]
"""


def test_one_layout() -> None:
    assert formatted(UGLY, "x.yaml") == NEAT
    assert formatted(NEAT, "x.yaml") == NEAT
    assert formatted(UGLY.replace("\n", "\r\n"), "x.yaml") == NEAT


def test_long_lines_stay_lines() -> None:
    text = f"schema: fixbook/1\ntitle: {{en: x, zh: y}}\nsummary:\n  en: {'word ' * 4000}end\n  zh: 字\n"
    assert formatted(text, "x.yaml") == text


def test_keys_that_no_entry_has_stay_where_they_are() -> None:
    text = "severity: slow\nnonsense: 1\nschema: fixbook/1\n"
    assert formatted(text, "x.yaml") == text


@pytest.mark.parametrize(
    ("text", "says"), [("a: [", "not YAML"), ("a: 1\na: 2\n", "given twice"), ("a: &x [1]\nb: *x\n", "aliases"), ("", "holds nothing")]
)
def test_what_is_no_entry_is_refused(text: str, says: str) -> None:
    with pytest.raises(FixbookError, match=says):
        formatted(text, "x.yaml")


ENTRIES = sorted((shipped_root() / "kb").glob("*/*.yaml"))


def test_the_shipped_entries_are_in_the_layout() -> None:
    assert len(ENTRIES) > 100
    for path in ENTRIES:
        text = path.read_text("utf-8")
        assert formatted(text, path.name) == text, f"fixbook fmt {path}"


def test_comments_stay_and_go_with_their_keys() -> None:
    for path in ENTRIES[::5]:
        *parts, last = re.findall(r"(?m)(?:^#.*\n)*^[a-z_]+:.*\n(?:^(?!#|[a-z_]+:).*\n)*", path.read_text("utf-8"))
        noted = [f"# note {number}\n{part}" for number, part in enumerate(parts)]
        done = formatted("# about the file\n\n" + last + "".join(noted[::-1]), path.name)
        assert done.startswith("# about the file\n")
        assert [each for each in noted if each not in done] == []  # above the key that it stood above


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_book(Path("kb"))
    main(["fmt"])
    capsys.readouterr()
    assert main(["fmt", "--check"]) == 0
    ugly = Path("kb/demo/ugly.yaml")
    ugly.write_text(UGLY, "utf-8")
    assert main(["fmt", "--check", "kb/demo"]) == 1
    assert ugly.read_text("utf-8") == UGLY
    assert capsys.readouterr().err == "fixbook: would format kb/demo/ugly.yaml\n"
    assert main(["fmt", str(ugly)]) == 0
    assert capsys.readouterr().err == "fixbook: formatted kb/demo/ugly.yaml\n"
    assert ugly.read_text("utf-8") == NEAT
    assert main(["fmt", "nowhere"]) == 2


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(FixbookError, match=r"pip install 'fixbook\[author\]'"):
        formatted("schema: fixbook/1\n", "x.yaml")

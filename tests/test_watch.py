"""`fixbook lint --watch`: again after each change."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli_book import write_book, write_broken
from fixbook.cli.watch import again_on_change, snapshot
from fixbook.errors import FixbookError


def stepping(*steps: Callable[[], object]) -> Callable[[], None]:
    """A pause that does the next step, and is interrupted after the last."""
    left = list(steps)

    def pause() -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    return pause


def nothing() -> None:
    pass


def test_it_acts_once_for_each_change(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "a.yaml"
    file.parent.mkdir()
    done: list[str] = []

    def write(text: str) -> Callable[[], object]:
        return lambda: file.write_text(text)

    def act() -> int:
        done.append(file.read_text() if file.exists() else "none")
        return len(done)

    pause = stepping(nothing, write("one"), nothing, nothing, write("on"), write("two!"), nothing, file.unlink, nothing, nothing)
    assert again_on_change([tmp_path], act, pause) == 4
    assert done == ["none", "one", "two!", "none"]


def test_trouble_is_told_and_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def act() -> int:
        raise FixbookError("no book there")

    assert again_on_change([tmp_path], act, stepping(nothing)) == 2
    assert "fixbook: no book there\n" in capsys.readouterr().err


def test_snapshots_see_files_and_bear_broken_links(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "nowhere")
    assert list(snapshot([tmp_path, tmp_path / "c"])) == [tmp_path / "a"]


def test_as_a_process(tmp_path: Path) -> None:
    book = write_book(tmp_path / "kb")
    command = [sys.executable, "-m", "fixbook", "lint", "--watch", str(book)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ) as process:
        assert process.stdout is not None

        def until(words: str) -> str:
            shown = ""
            for line in process.stdout or ():
                shown += line
                if words in line:
                    return shown
            raise AssertionError(shown)

        assert "0 errors" in until("Ctrl-C ends it")
        broken = write_broken(book)
        assert "broken.yaml" in until("Ctrl-C ends it")
        broken.unlink()
        assert "0 errors" in until("Ctrl-C ends it")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0

"""Completion scripts: current, and alive in their shells."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixbook.cli import main
from fixbook.cli.arguments import COMMANDS
from fixbook.cli.completing import FILES, FOLDER, scripts

TEXT = scripts()


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.mark.parametrize("shell", FILES)
def test_the_shipped_script_is_current(shell: str) -> None:
    assert (FOLDER / FILES[shell]).read_text("utf-8") == TEXT[shell], "run: python -m fixbook.cli.completing"


@pytest.mark.parametrize("shell", FILES)
def test_it_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == TEXT[shell]


@pytest.mark.parametrize("shell", FILES)
def test_every_command_and_option_is_in_it(shell: str) -> None:
    for command in COMMANDS:
        assert command in TEXT[shell]
    for option in ("on-fail-write", "exit-zero", "no-shipped", "strict"):
        assert option in TEXT[shell]


# --- bash ---------------------------------------------------------------------------------------------------------------------------------


def bash(folder: Path, *words: str) -> set[str]:
    """What is offered for the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""
source '{FOLDER / FILES["bash"]}'
fixbook() {{ printf '%s  title\\n' vllm/one nccl/two; }}
COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}
_fixbook
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run([needs("bash"), "--norc", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.splitlines()) - {""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a log.txt").write_text("x")
    (tmp_path / "logs").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("fixbook", "li"), {"lint", "list"}),
        (("fixbook", "a"), {"a log.txt"}),
        (("fixbook", "--ex"), {"--exit-zero"}),
        (("fixbook", "list", "--f"), {"--format"}),
        (("fixbook", "list", "--format", ""), {"text", "json"}),
        (("fixbook", "list", "-f", "j"), {"json"}),
        (("fixbook", "--lang", "zh", "list", "-f", "j"), {"json"}),
        (("fixbook", "show", "v"), {"vllm/one"}),
        (("fixbook", "explain", "x.log", "--id", ""), {"vllm/one", "nccl/two"}),
        (("fixbook", "list", "--kb", ""), {"logs"}),
        (("fixbook", "completion", ""), {"bash", "zsh", "fish"}),
        (("fixbook", "run", "--on"), {"--on-fail-write"}),
        (("fixbook", "run", "--", "--on"), set()),
        (("fixbook", "run", "--", "a"), {"a log.txt"}),
        (("fixbook", "lint", "lo"), {"logs"}),
    ],
)
def test_bash(folder: Path, words: tuple[str, ...], offered: set[str]) -> None:
    found = bash(folder, *words)
    if words[:3] == ("fixbook", "run", "--") and offered:
        assert offered <= found  # and every command of the machine
    else:
        assert found == offered


# --- fish ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("fixbook li", {"lint", "list", "logs/"}),
        ("fixbook list --form", {"--format"}),
        ("fixbook list --format ", {"text", "json"}),
        ("fixbook show v", {"vllm/one"}),
        ("fixbook completion ", {"bash", "zsh", "fish"}),
        ("fixbook run --on", {"--on-fail-write"}),
    ],
)
def test_fish(folder: Path, line: str, offered: set[str]) -> None:
    command = f"function fixbook; echo 'vllm/one  title'; end; source '{FOLDER / FILES['fish']}'; complete -C '{line}'"
    done = subprocess.run(
        [needs("fish"), "--no-config", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(folder)},
        check=True,
    )
    assert {shown.split("\t")[0] for shown in done.stdout.splitlines()} <= offered
    assert offered - {"logs/"} <= {shown.split("\t")[0] for shown in done.stdout.splitlines()}


# --- zsh ----------------------------------------------------------------------------------------------------------------------------------


class Zsh:
    """An interactive zsh on a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        shell = needs("zsh")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(shell, [shell, "-f", "-i"], {**os.environ, "HOME": str(folder), "TERM": "dumb", "PS1": ""})
        self.say("PROMPT='' RPROMPT=''; unsetopt zle_bracketed_paste 2>/dev/null; zstyle ':completion:*' list-prompt ''; LISTMAX=1000\n")
        self.say(
            f"fpath=({FOLDER} $fpath); autoload -Uz compinit; compinit -u -D; fixbook() {{ print 'vllm/one  title' }}; print re''ady\n"
        )
        self.until("ready\r\n")

    def say(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def until(self, words: str) -> str:
        shown, deadline = "", time.monotonic() + 30
        while words not in shown:
            ready, _, _ = select.select([self.terminal], [], [], max(deadline - time.monotonic(), 0))
            assert ready, f"{words!r} did not come, but {shown!r}"
            shown += os.read(self.terminal, 65536).decode("utf-8", "replace")
        return shown


@pytest.fixture
def zsh(folder: Path) -> Iterator[Zsh]:
    shell = Zsh(folder)
    yield shell
    os.close(shell.terminal)
    os.kill(shell.process, 9)
    os.waitpid(shell.process, 0)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("fixbook complet\t", "completion"),
        ("fixbook list --form\t", "--format"),
        ("fixbook list --format j\t", "json"),
        ("fixbook --lang zh list --format j\t", "json"),
        ("fixbook show v\t", "vllm/one"),
        ("fixbook run --on\t", "--on-fail-write"),
        ("fixbook lint lo\t", "logs/"),
        ("fixbook explain a\t", "a\\ log.txt"),
    ],
)
def test_zsh(zsh: Zsh, typed: str, shown: str) -> None:
    zsh.say(typed)
    zsh.until(shown)

"""`fixbook redact`: files and pipes, in pieces, in any encoding."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from fixbook.cli import main
from fixbook.cli import redact as room

HF = "hf_abcdefghijKLMNOPQRSTUVWXYZ12345678"
KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSk\n" * 20 + "-----END PRIVATE KEY-----\n"


def redacted(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["redact", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(f"HF_TOKEN={HF}\r\n错误 /home/li.wei/x\r\n".encode())
    assert redacted(capsys, str(log)) == "HF_TOKEN=<token-1>\r\n错误 /home/user-1/x\r\n"


def test_several_files_share_their_masks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.log", f"{HF}\n"), ("b.log", f"a@b.org {HF}\n")):
        (tmp_path / name).write_text(text)
    assert redacted(capsys, str(tmp_path / "a.log"), str(tmp_path / "b.log")) == "<token-1>\n<email-1> <token-1>\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(f"显存不足，请重启 {HF}\n错误\n".encode(encoding))
    assert redacted(capsys, str(log)) == "显存不足，请重启 <token-1>\n错误\n"


def test_pieces_are_cut_at_line_ends_and_outside_of_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{'x' * 100}\n{HF} 错误\n{KEY}/home/li.wei/x\n" * 8 + "no line end"
    log = tmp_path / "server.log"
    log.write_text(text, encoding="utf-8")
    whole = redacted(capsys, str(log))
    assert "MII" not in whole
    assert whole.count("\n") == text.count("\n")
    for piece in (7, 64, 1000):
        monkeypatch.setattr(room, "_PIECE", piece)
        assert redacted(capsys, str(log)) == whole


def test_a_line_without_an_end_is_not_held_for_ever(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_PIECE", 100)
    monkeypatch.setattr(room, "_LONGEST", 1000)
    log = tmp_path / "server.log"
    log.write_text("word " * 2000)
    assert redacted(capsys, str(log)) == "word " * 2000


def test_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fixbook", "redact", "--hosts"],
        input=f"{HF} gpu-7:1:1 [0] NCCL INFO x\n".encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"<token-1> host-1:1:1 [0] NCCL INFO x\n", b"")


class Terminal(io.StringIO):
    """What stands for a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_it_would_act_upon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"\x1b]0;title\x07\x1b[2J {HF} \u202e\x9b1m\r\nnext\tline\n"
    log = tmp_path / "server.log"
    log.write_bytes(text.encode())
    assert redacted(capsys, str(log)) == text.replace(HF, "<token-1>")
    for piece in (1 << 20, 1):
        terminal = Terminal()
        monkeypatch.setattr(room, "_PIECE", piece)
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(["redact", str(log)]) == 0
        monkeypatch.undo()
        assert terminal.getvalue() == "\\x1b]0;title\\x07\\x1b[2J <token-1> \\u202e\\x9b1m\nnext\tline\n"


def test_trouble(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.log"
    target.write_text("old")
    assert main(["redact", str(tmp_path / "missing.log"), "-o", str(target)]) == 2
    assert "missing.log: no such file or folder" in capsys.readouterr().err
    assert target.read_text() == "old"

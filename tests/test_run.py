"""`fixbook run`, as a process around programs that behave badly."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli_book import write_book
from fixbook.cli.ending import memory_here, oom_kills
from fixbook.doors.quiet import Quiet
from fixbook.doors.record import Record

KNOWN = "ValueError: frobnicator f9 is not calibrated"
ARTICLE = b"Confirmed cause: The frobnicator is not calibrated"
PATIENCE = 60  # seconds after which a test gives up


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_book(tmp_path_factory.mktemp("run") / "kb")


def environment() -> dict[str, str]:
    quiet = {
        name: value for name, value in os.environ.items() if name not in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS")
    }
    return {**quiet, "LANG": "C.UTF-8", "TERM": "xterm"}


def line(book: Path, *command: str, options: Sequence[str] = ()) -> list[str]:
    return [sys.executable, "-m", "fixbook", "run", "--kb", str(book), "--no-shipped", *options, "--", *command]


def python(code: str) -> tuple[str, str, str]:
    return sys.executable, "-c", code


def run(book: Path, *command: str, options: Sequence[str] = (), typed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        line(book, *command, options=options), input=typed, capture_output=True, env=environment(), timeout=PATIENCE, check=False
    )


@contextmanager
def running(book: Path, *command: str, options: Sequence[str] = ()) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        line(book, *command, options=options), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(number: int, words: bytes, before: bytes = b"") -> bytes:
    """What comes from a descriptor until the words did; fails when they do not come."""
    shown = before
    deadline = time.monotonic() + PATIENCE
    while words not in shown:
        ready, _, _ = select.select([number], [], [], max(deadline - time.monotonic(), 0))
        data = b""
        if ready:
            try:
                data = os.read(number, 65536)
            except OSError:
                data = b""
        assert data, f"{words!r} did not come, but {shown!r}"
        shown += data
    return shown


# --- output and exit code -----------------------------------------------------------------------------------------------------------------


def test_a_success_is_silent(book: Path) -> None:
    done = run(book, *python(f"import sys; print({KNOWN!r}); sys.stderr.write('b\\n')"))
    assert (done.returncode, done.stdout, done.stderr) == (0, KNOWN.encode() + b"\n", b"b\n")


def test_a_known_failure_is_told(book: Path) -> None:
    done = run(book, *python(f"raise {KNOWN.replace(': ', '(' + chr(39))}')"))
    assert (done.returncode, done.stdout) == (1, b"")
    traceback, _, told = done.stderr.partition(b"\nfixbook: `")
    assert traceback.startswith(b"Traceback (most recent call last)") and traceback.endswith(KNOWN.encode() + b"\n")
    assert b"ended with exit code 1\n\n" + ARTICLE in told
    assert b"frob calibrate" in told


@pytest.mark.parametrize("code", [1, 2, 3, 126, 127, 255])
def test_the_exit_code_is_the_commands(book: Path, code: int) -> None:
    done = run(book, *python(f"raise SystemExit({code})"))
    assert done.returncode == code
    assert f"exit code {code}\nfixbook: nothing in its output looks like a failure\n".encode() in done.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM])
def test_a_signal_gives_the_code_of_a_shell(book: Path, number: signal.Signals) -> None:
    done = run(book, *python(f"import os; os.kill(os.getpid(), {number:d})"))
    assert done.returncode == 128 + number
    assert f"was ended by signal {number:d} ({signal.strsignal(number)}), exit code {128 + number}".encode() in done.stderr


def test_a_command_that_is_not_there(book: Path, tmp_path: Path) -> None:
    done = run(book, "no-such-command")
    assert (done.returncode, done.stderr) == (127, b"fixbook: no-such-command: No such file or directory\n")
    (tmp_path / "file").write_text("x")
    assert run(book, str(tmp_path / "file")).returncode == 126
    assert run(book, "").returncode == 127
    assert b"No such file or directory" in run(book, "").stderr
    assert run(book).returncode == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--kb", "nowhere"),
        ("--fact", "modl=x"),
        ("--fact", "x"),
        ("--on-fail-write", "no/such/a.md"),
        ("--on-fail-write", "."),
        ("--silent-after", "soon"),
        ("--silent-after", "-1"),
    ],
)
def test_wrong_options_show_before_the_command_runs(book: Path, options: tuple[str, str]) -> None:
    done = run(book, *python("print('ran')"), options=options)
    assert (done.returncode, done.stdout) == (2, b"")


def test_trouble_with_the_report_leaves_the_exit_code(book: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    code = f"import os; os.rmdir({str(folder)!r}); print({KNOWN!r}); raise SystemExit(9)"
    done = run(book, *python(code), options=("--on-fail-write", str(folder / "a.md")))
    assert done.returncode == 9
    assert ARTICLE in done.stderr
    assert b"a.md: No such file or directory" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_a_report_that_cannot_be_written_names_its_option(book: Path) -> None:
    done = run(book, *python(f"import sys; sys.exit({KNOWN!r})"), options=("--on-fail-write", "/dev/full"))
    assert done.returncode == 1
    assert done.stderr.endswith(b"fixbook: /dev/full: No space left on device: choose another file for --on-fail-write\n")


MUCH = """\
for n in range(40_000): print("INFO step", n, "is done")
print({words!r})
for n in range(40_000): print("INFO step", n, "is done")
raise SystemExit(4)
"""


@pytest.mark.parametrize(
    ("lang", "says"),
    [
        ("en", r"nothing in the beginning and the end of its output looks like a failure; (\d+) kB in the middle were not kept\."),
        ("zh", r"输出的开头和结尾没有失败的迹象，中间的 (\d+) kB 未保留。如需检查全部输出，请运行 `CMD > run\.log 2>&1`"),
    ],
)
def test_a_middle_that_was_not_kept_is_told(book: Path, tmp_path: Path, lang: str, says: str) -> None:
    report = tmp_path / "report.json"
    done = run(book, *python(MUCH.format(words=KNOWN)), options=("--lang", lang, "--on-fail-write", str(report)))
    assert done.returncode == 4
    told = re.search(says, done.stderr.decode())
    assert told, done.stderr.decode()[-2000:]
    data = json.loads(report.read_text("utf-8"))
    assert data["verdict"] == "clean"
    assert data["skipped"][0] == {"what": "output", "reason": f"{told[1]} kB in the middle were not kept", "line": 0}
    assert abs(len(done.stdout) - (640 << 10) - 1000 * int(told[1])) < 50_000


def test_a_failure_at_the_end_of_much_output_tells_what_was_not_kept(book: Path) -> None:
    done = run(book, *python(f"import sys; print('INFO ready\\n' * 2_000_000, flush=True); sys.exit({KNOWN!r})"))
    assert ARTICLE in done.stderr
    assert b"- `output`: 21 MB in the middle were not kept" in done.stderr


def test_options_of_the_command_are_its_own(book: Path) -> None:
    show = "import sys; print(sys.argv[1:])"
    assert run(book, *python(show), "--lang", "--", "-h").stdout == b"['--lang', '--', '-h']\n"
    without = [sys.executable, "-m", "fixbook", "run", sys.executable, "-c", show, "--full"]
    assert subprocess.run(without, capture_output=True, check=False).stdout == b"['--full']\n"


def test_bytes_pass_unchanged(book: Path) -> None:
    noise = bytes(range(256)) * 50 + b"\r 10%|#   |\r 20%|##  |\r\n\x1b[31mred\x1b[0m no end"
    done = run(book, *python(f"import os; os.write(1, {noise!r}); os.write(2, {noise[::-1]!r})"))
    assert (done.stdout, done.stderr) == (noise, noise[::-1])


def test_both_streams_into_one_keep_their_order(book: Path) -> None:
    code = "import os\nfor n in range(300): os.write(1 + n % 2, b'%d\\n' % n)"
    done = subprocess.run(line(book, *python(code)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), check=False)
    assert done.stdout == b"".join(b"%d\n" % number for number in range(300))


def test_output_comes_at_once(book: Path) -> None:
    code = "import os; os.write(1, b'50%'); got = os.read(0, 10); os.write(1, got); raise SystemExit(7)"
    with running(book, *python(code)) as process:
        assert process.stdout and process.stdin
        assert read_until(process.stdout.fileno(), b"50%") == b"50%"
        process.stdin.write(b"go")
        process.stdin.flush()
        assert read_until(process.stdout.fileno(), b"go") == b"go"
        assert process.wait(PATIENCE) == 7


def test_lines_of_two_streams_do_not_mix_in_the_record(book: Path) -> None:
    code = f"import os; os.write(2, b'{KNOWN[:20]}'); os.write(1, b'step 1\\n'); os.write(2, b'{KNOWN[20:]}\\n'); os._exit(1)"
    assert ARTICLE in run(book, *python(code)).stderr


def test_a_reader_that_goes_away(book: Path) -> None:
    code = "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nwhile True: print('y' * 1000)"
    with running(book, *python(code)) as process:
        assert process.stdout
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(PATIENCE) == 128 + signal.SIGPIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("times", [1, 5000])  # the command has ended well before that shows, or notices itself
def test_an_output_that_cannot_be_written_is_told(book: Path, times: int) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            line(book, *python(f"import os\nfor _ in range({times}): os.write(1, b'x' * 1000)")),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=PATIENCE,
            check=False,
        )
    assert (done.returncode == 0) is (times == 1)
    assert b"its output could not be passed on: No space left on device\n" in done.stderr


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_streams_that_are_closed_stay_so(book: Path, closed: str) -> None:
    code = f"import os; os.write(2, b'{KNOWN}\\n'); os.write(1, b'out'); os._exit(5)"
    quoted = " ".join(f"'{word}'" for word in line(book, *python(code.replace("'", '"'))))
    done = subprocess.run(["/bin/sh", "-c", f"{quoted} {closed}"], capture_output=True, env=environment(), timeout=PATIENCE, check=False)
    assert done.returncode == 5
    assert done.stdout == (b"" if "1>" in closed else b"out")
    assert (ARTICLE in done.stderr) is ("2>" not in closed)


# --- what stays behind --------------------------------------------------------------------------------------------------------------------


def test_a_child_that_tells_the_cause_after_its_parent(book: Path) -> None:
    code = f"import os, time\nif os.fork(): os._exit(4)\ntime.sleep(0.4); print({KNOWN!r}, flush=True)"
    done = run(book, *python(code))
    assert done.returncode == 4
    assert ARTICLE in done.stderr


def test_a_child_that_stays_is_not_waited_for_and_keeps_its_output(book: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    code = f"import os\nif os.fork(): os._exit(4)\nopen({str(gate)!r}).read(); os.write(1, b'late')"
    with running(book, *python(code)) as process:
        assert process.stdout
        assert process.wait(PATIENCE) == 4
        gate.write_text("go")
        assert read_until(process.stdout.fileno(), b"late") == b"late"


# --- signals ------------------------------------------------------------------------------------------------------------------------------

_COUNTS = """
import os, signal
seen = []
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP):
    signal.signal(each, lambda number, _: (seen.append(number), os.write(1, b'got %d.' % number)))
os.write(1, b'ready.')
while len(seen) < 4: signal.pause()
raise SystemExit(len(seen))
"""


def test_signals_reach_the_command_once(book: Path) -> None:
    with running(book, *python(_COUNTS)) as process:
        assert process.stdout
        read_until(process.stdout.fileno(), b"ready.")
        for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.send_signal(number)
            assert read_until(process.stdout.fileno(), b"got %d." % number) == b"got %d." % number
        assert process.wait(PATIENCE) == 4


def test_a_stop_that_was_asked_for_is_no_failure(book: Path) -> None:
    with running(book, *python("import os, signal; os.write(1, b'ready.'); signal.pause()")) as process:
        assert process.stdout and process.stderr
        read_until(process.stdout.fileno(), b"ready.")
        process.terminate()
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert process.stderr.read() == b""


def test_an_output_that_nobody_reads_does_not_hold_up_a_signal(book: Path) -> None:
    with running(book, *python("import os\nwhile True: os.write(1, b'x' * 65536)")) as process:
        assert process.stdout
        process.stdout.read(1)
        time.sleep(0.3)  # until the pipes are full
        process.terminate()
        while process.stdout.read(1 << 20):
            pass
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    ("number", "says"),
    [(signal.SIGKILL, "killed process"), (signal.SIGSEGV, "PYTHONFAULTHANDLER=1"), (signal.SIGBUS, "/dev/shm"), (signal.SIGILL, "lscpu")],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_end_without_a_word_is_told_as_it_was(book: Path, tmp_path: Path, number: signal.Signals, says: str, lang: str) -> None:
    path = tmp_path / "report.json"
    options = ("--lang", lang, "--on-fail-write", str(path))
    told = run(book, "sh", "-c", f"echo loading; kill -{number:d} $$", options=options).stderr.decode()
    nothing = {"en": "nothing in its output looks like a failure", "zh": "输出中没有失败的迹象"}[lang]
    assert f"fixbook: {nothing}\nfixbook: " in told
    assert says in told
    assert not re.search(r"fixbook run: \d|fingerprint|指纹|line 1", told)
    report = json.loads(path.read_text())
    assert report["verdict"] == "unknown"
    assert re.search(rf"fixbook run: \d+ {signal.strsignal(number)} ", report["unknown"][0]["message"])
    through_a_shell = run(book, "sh", "-c", f"sh -c 'kill -{number:d} $$'; exit $?", options=options)
    assert through_a_shell.returncode == 128 + number
    assert f"{128 + number}" in through_a_shell.stderr.decode()
    assert says in through_a_shell.stderr.decode()


def test_an_end_by_a_signal_does_not_hide_what_failed_before(book: Path) -> None:
    told = run(book, *python("import os; print('KeyError: nobody knows', flush=True); os.kill(os.getpid(), 9)")).stderr
    assert b"  - line 1: `KeyError: nobody knows`\n" in told
    assert b"killed process" in told
    known = run(book, *python(f"import os; print({KNOWN!r}, flush=True); os.kill(os.getpid(), 9)")).stderr
    assert b"exit code 137\n\n" + ARTICLE in known
    assert b"killed process" not in known


def test_an_entry_may_be_about_the_end(tmp_path: Path) -> None:
    other = write_book(tmp_path / "kb")
    path = next((other / "demo").glob("frob*.yaml"))
    path.write_text(path.read_text().replace(r"frobnicator (?P<device>\w+) is not calibrated", r"\b(?P<device>\d+) Killed +sh -c\b"))
    assert ARTICLE in run(other, "sh", "-c", "echo frobnicator f9 is not calibrated; kill -9 $$").stderr


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in Linux's way")
@pytest.mark.parametrize("on_terminal", [False, True])
def test_the_memory_of_a_killed_command_is_told(book: Path, on_terminal: bool) -> None:
    code = "import os; b = bytearray(400 << 20); b[::4096] = b'x' * len(b[::4096]); os.kill(os.getpid(), 9)"
    if on_terminal:
        with terminal(line(book, *python(code))) as (process, number):
            told = finish(process, number)[1]
    else:
        told = run(book, *python(code)).stderr
    assert re.search(rb"the largest of its processes used up to 0\.[45] GiB; \d+\.\d GiB of memory can be had here", told)


def heard(number: signal.Signals, fifo: Path) -> str:
    """A program that waits for a signal, and writes into a fifo that it came."""
    os.mkfifo(fifo)
    return f"""
import os, signal
def stop(*_): open({str(fifo)!r}, "w").write("heard"); os._exit(1)
signal.signal({int(number)}, stop)
os.write(1, b"ready.")
while True: signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the command notices when it prints")
def test_a_runner_that_is_killed_takes_the_command_along(book: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with running(book, *python(heard(signal.SIGTERM, gone))) as process:
        assert process.stdout
        read_until(process.stdout.fileno(), b"ready.")
        process.kill()
        assert gone.read_text() == "heard"


def test_memory_kills_are_told(book: Path) -> None:
    arguments = line(book, "sh", "-c", "kill -9 $$")[3:]
    code = f"""
import sys
from fixbook.cli import ending, main
counts = iter((3, 5))
ending.oom_kills = lambda: next(counts)
sys.exit(main({arguments!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), timeout=PATIENCE, check=False)
    assert done.returncode == 137
    assert (
        b"meanwhile the kernel killed processes of this container or cgroup for want of memory: 2 (`oom_kill` of the cgroup)" in done.stderr
    )
    assert b"Give the container more memory" in done.stderr


@pytest.mark.parametrize(
    ("row", "folder", "events", "limit"),
    [
        ("0::/", "", "memory.events", "memory.max"),  # a container with a namespace of its own
        ("0::/system.slice/vllm.service", "system.slice/vllm.service", "memory.events", "memory.max"),
        ("0::/kubepods/pod1/abc", "kubepods/pod1", "memory.events", "memory.max"),  # the limit is the pod's
        ("4:memory:/slurm/job_7", "memory/slurm/job_7", "memory.oom_control", "memory.limit_in_bytes"),
        (
            "4:memory:/docker/abc",
            "memory",
            "memory.oom_control",
            "memory.limit_in_bytes",
        ),  # a path of the host's
    ],
)
def test_memory_kills_and_limits_are_read(tmp_path: Path, row: str, folder: str, events: str, limit: str) -> None:
    own, root = tmp_path / "own", tmp_path / "root"
    own.write_text(f"9:name=systemd:/x\n5:devices:/\n{row}\n")
    (root / folder).mkdir(parents=True)
    assert oom_kills(root, own) == 0
    machine = memory_here(root, own)
    assert machine > 1 << 26
    (root / folder / events).write_text("low 0\nmax 3\noom 2\noom_kill 2\n")
    assert oom_kills(root, own) == 2
    (root / folder / limit).write_text("max\n")
    assert memory_here(root, own) == machine
    (root / folder / limit).write_text(f"{1 << 26}\n")
    assert memory_here(root, own) == 1 << 26
    own.unlink()  # no /proc
    assert oom_kills(root, own) == (2 if folder in ("", "memory") else 0)


# --- a failure that hangs -----------------------------------------------------------------------------------------------------------------


def test_the_article_comes_while_the_command_hangs(book: Path) -> None:
    code = f"import os, signal; os.write(2, b'{KNOWN}\\n'); signal.pause()"
    with running(book, *python(code), options=("--silent-after", "0.3")) as process:
        assert process.stderr
        told = read_until(process.stderr.fileno(), b"fixbook show demo/frobnicator-not-calibrated")
        assert b"still runs, but has printed nothing for" in told
        assert ARTICLE in told
        assert process.poll() is None
        process.terminate()
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        rest = process.stderr.read()
        assert ARTICLE not in rest
        assert b"the cause is told above" in rest


_PROBED = """
import os, time
os.write(2, b"{failure}\\n")
for n in range(3000):
    os.write(1, b"{probe}\\n")
    time.sleep(0.02)
"""


def test_the_article_comes_while_a_dead_server_answers_probes(book: Path) -> None:
    code = _PROBED.format(failure=KNOWN, probe='INFO:     10.0.0.1:4242 - \\"GET /health HTTP/1.1\\" 503 Service Unavailable')
    with running(book, *python(code), options=("--silent-after", "0.4")) as process:
        assert process.stderr
        told = read_until(process.stderr.fileno(), b"fixbook show demo/frobnicator-not-calibrated")
        assert b"still runs and prints on, but this failure stands in its output" in told
        assert process.poll() is None
        process.terminate()
        assert ARTICLE not in process.stderr.read()


def test_what_a_program_gets_over_is_not_told_while_it_runs(book: Path) -> None:
    code = _PROBED.format(failure=f"WARNING retrying after {KNOWN}", probe="Epoch 1: 10%|#  | 10/100 loss=0.5 step 10")
    done = run(book, *python(code.replace("3000", "100")), options=("--silent-after", "0.3"))
    assert (done.returncode, done.stderr.count(b"\n")) == (0, 1)


def test_looks_into_a_command_that_prints_become_rare() -> None:
    record, looks = Record(), []
    quiet = Quiet(record, lambda look: looks.append(look) or "", 0.01, lambda: None)
    until = time.monotonic() + 1.3
    while time.monotonic() < until:
        record.add(b"INFO step\n")
        quiet.since = time.monotonic()
        assert quiet.said(True) == ""
        time.sleep(0.001)
    assert [look.silent for look in looks] == [False] * len(looks)
    assert 3 <= len(looks) <= 8  # after 10, 20, 40 … ms, and not 130 times
    assert sum(look.new for look in looks) <= record.size


@pytest.mark.parametrize("text", ["INFO ready, no ERROR at all", "KeyError: nobody knows", "RuntimeError: flux out of range"])
def test_a_silent_command_without_a_fatal_cause_is_left_alone(book: Path, text: str) -> None:
    code = f"import os, time; os.write(2, b'{text}\\n'); time.sleep(1.5)"
    done = run(book, *python(code), options=("--silent-after", "0.2"))
    assert (done.returncode, done.stderr) == (0, text.encode() + b"\n")


# --- much output --------------------------------------------------------------------------------------------------------------------------


def _peak(arguments: list[str], tmp_path: Path) -> tuple[int, int, bytes]:
    """Exit code, peak memory in bytes, stderr; stdout goes to nowhere."""
    told = tmp_path / "stderr"
    with told.open("wb") as err, Path(os.devnull).open("wb") as out:
        process = subprocess.Popen(arguments, stdout=out, stderr=err, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, told.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak differs")
def test_a_gigabyte_is_passed_in_little_memory(book: Path, tmp_path: Path) -> None:
    lines_each, block = 1024, 1 << 16
    code = (
        f"import os; b = (b'x' * 63 + b'\\n') * {lines_each}\nfor _ in range({{}}): os.write(1, b)\nos.write(1, b'{KNOWN}\\n'); os._exit(1)"
    )
    small = _peak(line(book, *python(code.format(20))), tmp_path)
    blocks = (1 << 30) // block
    large = _peak(line(book, *python(code.format(blocks))), tmp_path)
    assert small[0] == large[0] == 1
    assert f"output:{20 * lines_each + 1}".encode() in small[2]
    assert f"output:{blocks * lines_each + 1}".encode() in large[2]
    assert large[1] < small[1] + (24 << 20)


# --- on a terminal ------------------------------------------------------------------------------------------------------------------------


@contextmanager
def terminal(arguments: Sequence[str], rows: int = 30, columns: int = 90) -> Iterator[tuple[int, int]]:
    """A program on a pseudo-terminal: its process and the terminal."""
    process, number = pty.fork()
    if process == 0:
        for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # who runs the tests in the background has them ignored
            signal.signal(each, signal.SIG_DFL)
        os.execve(arguments[0], list(arguments), environment())
    resize(number, rows, columns)
    try:
        yield process, number
    finally:
        os.close(number)
        try:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def resize(number: int, rows: int, columns: int) -> None:
    fcntl.ioctl(number, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def finish(process: int, number: int, shown: bytes = b"") -> tuple[int, bytes]:
    """Exit code and all that appeared."""
    while True:
        try:
            data = os.read(number, 65536)
        except OSError:
            data = b""
        if not data:
            break
        shown += data
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown


def test_on_a_terminal_the_command_has_one(book: Path) -> None:
    code = "import os; print([os.isatty(n) for n in range(3)], tuple(os.get_terminal_size()), os.tcgetpgrp(0) == os.getpgrp())"
    with terminal(["/bin/sh", "-c", 'sleep 0.3; exec "$0" "$@"', *line(book, *python(code))]) as (process, number):
        assert finish(process, number) == (0, b"[True, True, True] (90, 30) True\r\n")


def test_on_a_terminal_a_runner_that_is_killed_takes_the_command_along(book: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with terminal(line(book, *python(heard(signal.SIGHUP, gone)))) as (process, number):
        read_until(number, b"ready.")
        os.kill(process, signal.SIGKILL)
        assert gone.read_text() == "heard"


def test_on_a_terminal_bytes_are_the_same_as_without(book: Path) -> None:
    code = """
import os
for n in range(101): os.write(2, b'\\r%3d%%|%s|' % (n, b'#' * (n // 5)))
print(); print('\\x1b[31mdone\\x1b[0m\\tx\\n')
"""
    shown = []
    for arguments in (list(python(code)), line(book, *python(code))):
        with terminal(arguments) as (process, number):
            shown.append(finish(process, number))
    assert shown[0] == shown[1]


def test_a_new_size_reaches_the_command(book: Path) -> None:
    code = """
import os, signal
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'now %d %d.' % tuple(os.get_terminal_size())))
os.write(1, b'ready.')
while True: signal.pause()
"""
    with terminal(line(book, *python(code))) as (_, number):
        read_until(number, b"ready.")
        resize(number, 40, 132)
        read_until(number, b"now 132 40.")


def test_keys_reach_the_command(book: Path) -> None:
    code = "import os; os.write(1, b'name? '); name = input(); os.write(1, b'hello ' + name.encode()); raise SystemExit(5)"
    with terminal(line(book, *python(code))) as (process, number):
        shown = read_until(number, b"name? ")
        os.write(number, b"fox\r")
        code_, shown = finish(process, number, shown)
    assert code_ == 5
    assert b"fox\r\nhello fox" in shown


def test_ctrl_c_stops_the_command_and_is_no_failure(book: Path) -> None:
    code = """
import os, time
try: os.write(1, b'ready.'); time.sleep(60)
except KeyboardInterrupt: os.write(1, b'bye.'); raise SystemExit(130)
"""
    with terminal(line(book, *python(code))) as (process, number):
        read_until(number, b"ready.")
        os.write(number, b"\x03")
        ended, shown = finish(process, number)
    assert ended == 130
    assert shown.endswith(b"bye.")


def test_on_a_terminal_the_article_has_colours_and_whole_lines(book: Path) -> None:
    with terminal(line(book, *python(f"print({KNOWN!r}); raise SystemExit(1)"))) as (process, number):
        ended, shown = finish(process, number)
    assert ended == 1
    assert b"\x1b[" in shown.partition(KNOWN.encode())[2]
    assert b"\n" not in shown.replace(b"\r\n", b"")


def test_on_a_terminal_an_article_amid_a_session_has_whole_lines(book: Path) -> None:
    code = f"import os, time; os.write(2, b'{KNOWN}\\n'); time.sleep(60)"
    with terminal(line(book, *python(code), options=("--silent-after", "0.3"))) as (_, number):
        shown = read_until(number, b"fixbook show demo/frobnicator-not-calibrated")
    assert b"\n" not in shown.replace(b"\r\n", b"")


def test_on_a_terminal_a_child_outlives_the_command(book: Path) -> None:
    code = f"import os, time\nif os.fork(): os._exit(4)\ntime.sleep(0.4); print({KNOWN!r}, flush=True)"
    with terminal(line(book, *python(code))) as (process, number):
        ended, shown = finish(process, number)
    assert ended == 4
    assert b"Confirmed cause" in shown


def test_a_terminal_that_goes_away_takes_the_command_along(book: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    os.mkfifo(gone)
    code = f"""
import os, signal
def stop(*_): open({str(gone)!r}, "w").write("hung up"); raise SystemExit(1)
signal.signal(signal.SIGHUP, stop)
os.write(1, b"ready.")
while True: signal.pause()
"""
    with terminal(line(book, *python(code))) as (process, number):
        read_until(number, b"ready.")
        os.close(number)
        assert gone.read_text() == "hung up"
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) in (1, 128 + signal.SIGHUP)
        spare = os.open(os.devnull, os.O_RDONLY)  # for the number that is closed at the end
        if spare != number:
            os.dup2(spare, number)
            os.close(spare)


def test_the_terminal_is_as_before_afterwards(book: Path) -> None:
    shell = ["/bin/sh", "-c", 'stty -a > before; "$@"; stty -a > after; cmp before after && echo same', "sh"]
    folder = book.parent
    arguments = ["/bin/sh", "-c", f'cd "{folder}"; exec "$@"', "sh", *shell, *line(book, *python("import os; os.kill(os.getpid(), 9)"))]
    with terminal(arguments) as (process, number):
        assert b"same" in finish(process, number)[1]


def test_only_the_errors_go_to_a_terminal(book: Path, tmp_path: Path) -> None:
    code = f"import os; os.write(1, b'%d%d%d' % tuple(os.isatty(n) for n in range(3))); os.write(2, b'{KNOWN}\\n'); os._exit(1)"
    quoted = " ".join(f"'{word}'" for word in line(book, *python(code.replace("'", '"'))))
    with terminal(["/bin/sh", "-c", f"{quoted} > {tmp_path}/out"]) as (process, number):
        ended, shown = finish(process, number)
    assert ended == 1
    assert (tmp_path / "out").read_bytes() == b"101"
    assert shown.startswith(KNOWN.encode() + b"\r\n")
    assert b"Confirmed cause" in shown


@contextmanager
def shell(book: Path, tmp_path: Path, code: str, script: str = 'exec "$@"') -> Iterator[int]:
    """The terminal of an interactive shell in which a program runs. What waits for it can neither come from the echo nor from `fg`."""
    (tmp_path / "work.py").write_text(code)
    (tmp_path / "around.sh").write_text(f"{script}\n")
    words = ["/bin/bash", str(tmp_path / "around.sh"), *line(book, sys.executable, str(tmp_path / "work.py"))]
    with terminal(["/bin/bash", "--norc", "--noprofile", "-i"]) as (_, number):
        os.write(number, b"PS1='ne''xt> '; set -o notify\n")
        read_until(number, b"next> ")
        os.write(number, " ".join(f"'{word}'" for word in words).encode() + b"\n")
        yield number


_SUSPENDED = """
import os, signal
signal.signal(signal.SIGCONT, lambda *_: os.write(1, b"again."))
os.write(1, b"ready.")
while True: signal.pause()
"""


@pytest.mark.parametrize("script", ['exec "$@"', '"$@"; echo behind'])
def test_a_shell_can_suspend_it(book: Path, tmp_path: Path, script: str) -> None:
    with shell(book, tmp_path, _SUSPENDED, script) as number:
        read_until(number, b"ready.")
        os.write(number, b"\x1a")
        read_until(number, b"next> ", read_until(number, b"Stopped").rpartition(b"Stopped")[2])
        os.write(number, b"fg\n")
        read_until(number, b"again.")
        os.write(number, b"\x03")
        shown = read_until(number, b"next> ", read_until(number, b"KeyboardInterrupt").rpartition(b"KeyboardInterrupt")[2])
        assert b"behind" not in shown
        os.write(number, b"echo code $?\n")
        read_until(number, b"code 130\r")


@pytest.mark.parametrize("script", ['while "$@" || true; do :; done; echo behind', '"$@" < /dev/null; echo behind'])
def test_an_interrupt_ends_the_script_around_it(book: Path, tmp_path: Path, script: str) -> None:
    with shell(book, tmp_path, "import os, signal; os.write(1, b'ready.'); signal.pause()", script) as number:
        read_until(number, b"ready.")
        os.write(number, b"\x03")
        assert b"behind" not in read_until(number, b"next> ")


def test_an_interrupt_that_the_command_takes_leaves_the_script_alone(book: Path, tmp_path: Path) -> None:
    code = "import os, signal\ntry: os.write(1, b'ready.'); signal.pause()\nexcept KeyboardInterrupt: raise SystemExit(3)"
    with shell(book, tmp_path, code, '"$@"; echo code=$?') as number:
        read_until(number, b"ready.")
        os.write(number, b"\x03")
        read_until(number, b"code=3")


# --- a file -------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begins"), [("a.txt", "Confirmed cause"), ("a.md", "# Confirmed"), ("a.html", "<article"), ("a.json", "{")]
)
def test_the_report_is_written(book: Path, tmp_path: Path, name: str, begins: str) -> None:
    code = f"print('token hf_abcdefghijKLMNOPQRSTUVWXYZ12345678 in /home/li.wei/x: {KNOWN}'); raise SystemExit(1)"
    done = run(book, *python(code), options=("--on-fail-write", str(tmp_path / name)))
    text = (tmp_path / name).read_text("utf-8")
    assert text.startswith(begins)
    text = text.replace("<mark>", "").replace("</mark>", "")
    assert KNOWN in text
    assert "li.wei" not in text and "hf_abc" not in text
    assert b"li.wei" in done.stderr


def test_nothing_is_written_about_a_success(book: Path, tmp_path: Path) -> None:
    run(book, *python(f"print({KNOWN!r})"), options=("--on-fail-write", str(tmp_path / "a.txt")))
    assert list(tmp_path.iterdir()) == []

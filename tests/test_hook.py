"""The exception hook: in scripts, threads, children and notebooks."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cli_book import write_book
from fixbook import hook
from fixbook.doors import ranks
from fixbook.errors import FixbookError

KNOWN = "ValueError('frobnicator f9 is not calibrated')"
TITLE = "Confirmed cause: The frobnicator is not calibrated"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_book(tmp_path_factory.mktemp("hook") / "kb"))


def python(*arguments: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    quiet = {
        name: value for name, value in os.environ.items() if name not in ("FIXBOOK_LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS")
    }
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**quiet, "LANG": "C.UTF-8", **more},
        timeout=120,
        check=False,
    )


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "work.py"
    path.write_text(text)
    return str(path)


# --- scripts ------------------------------------------------------------------------------------------------------------------------------


def test_the_article_stands_under_the_traceback(tmp_path: Path, book: str) -> None:
    path = script(tmp_path, f"def go():\n    raise {KNOWN}\n\ngo()\n")
    plain, hooked = python(path), python("-m", "fixbook.hook", "--kb", book, path)
    assert hooked.returncode == plain.returncode == 1
    assert hooked.stderr.startswith(plain.stderr + "\n" + TITLE)
    assert "frob calibrate" in hooked.stderr


@pytest.mark.parametrize(
    "text",
    [
        "print('fine')",
        "raise KeyError('nobody knows this')",
        "raise SystemExit(7)",
        "import sys; sys.exit('words')",
        "raise KeyboardInterrupt",
        "def broken(:",
        "1/0",
        f"try:\n    raise {KNOWN}\nexcept ValueError: pass",
    ],
)
def test_anything_else_is_as_without(tmp_path: Path, book: str, text: str) -> None:
    path = script(tmp_path, text)
    plain, hooked = python(path), python("-m", "fixbook.hook", "--kb", book, path)
    assert (hooked.returncode, hooked.stdout, hooked.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_a_program_sees_what_it_would_see(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("word = 'beside'")
    look = (
        "import sys, pickle, inspect, beside\n"
        "class Thing: pass\n"
        "print(__name__, __file__, sys.argv, beside.word, sys.modules['__main__'].Thing is Thing, __spec__, __package__)\n"
        "print(type(pickle.loads(pickle.dumps(Thing()))) is Thing, inspect.getsource(Thing))\n"
        "import atexit; atexit.register(lambda: print(Thing.__name__))\n"
    )
    path = script(tmp_path, look)
    plain, hooked = python(path, "--lang", "x", "-c"), python("-m", "fixbook.hook", path, "--lang", "x", "-c")
    assert (hooked.stdout, hooked.stderr) == (plain.stdout, plain.stderr)


def test_modules_commands_and_folders(tmp_path: Path, book: str) -> None:
    (tmp_path / "mod.py").write_text(f"import sys; print(sys.argv[1:], __name__); raise {KNOWN}")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(f"raise {KNOWN}")
    for arguments in (("-m", "mod", "a"), ("-c", f"raise {KNOWN}"), ("app",)):
        done = python("-m", "fixbook.hook", "--kb", book, *arguments, cwd=tmp_path)
        assert done.returncode == 1
        assert TITLE in done.stderr
        assert "fixbook/hook.py" not in done.stderr and "runpy" not in done.stderr


def test_language_and_length(tmp_path: Path, book: str) -> None:
    path = script(tmp_path, f"raise {KNOWN}")
    assert "已确认的原因：校准器尚未校准" in python("-m", "fixbook.hook", "--kb", book, "--lang", "zh", path).stderr
    assert "已确认的原因" in python("-m", "fixbook.hook", "--kb", book, path, FIXBOOK_LANG="zh").stderr
    assert "It was new." in python("-m", "fixbook.hook", "--kb", book, "--full", path).stderr


@pytest.mark.parametrize("arguments", [(), ("-m",), ("--nonsense", "x"), ("--lang",)])
def test_wrong_arguments(arguments: tuple[str, ...]) -> None:
    done = python("-m", "fixbook.hook", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m fixbook.hook")
    assert python("-m", "fixbook.hook", "--help").stdout == done.stderr


def test_a_script_that_is_not_there() -> None:
    done = python("-m", "fixbook.hook", "nowhere.py")
    assert (done.returncode, done.stderr) == (2, "fixbook.hook: can't open file 'nowhere.py': No such file or directory\n")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--lang", "de"), "unknown language 'de': one of en, zh, both"),
        (("--kb", "nowhere"), "--kb nowhere: there is no such folder"),
    ],
)
def test_wrong_options_show_before_the_program_runs(tmp_path: Path, options: tuple[str, str], says: str) -> None:
    done = python("-m", "fixbook.hook", *options, script(tmp_path, "print('ran')"))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"fixbook.hook: {says}\n")


def test_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    for arguments, says in ((("-m", "no_such_module"), "No module named no_such_module"), ((".",), "can't find '__main__' module in '.'")):
        done = python("-m", "fixbook.hook", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, f"fixbook.hook: {says}\n")
    (tmp_path / "broken.py").write_text("import no_such_module")
    done = python("-m", "fixbook.hook", "-m", "broken", cwd=tmp_path)
    assert done.stderr.startswith("Traceback") and done.stderr.endswith("ModuleNotFoundError: No module named 'no_such_module'\n")


def test_install_refuses_what_it_cannot_use() -> None:
    with pytest.raises(FixbookError, match="one of en, zh, both"):
        hook.install(lang="de")
    with pytest.raises(FixbookError, match=re.escape("kb=['our-kb']")):
        hook.install(kb="our-kb")  # type: ignore[arg-type]
    assert hook.current() is None


def test_a_chain_is_read_as_a_whole(tmp_path: Path, book: str) -> None:
    path = script(tmp_path, f"try:\n    raise {KNOWN}\nexcept ValueError as e:\n    raise RuntimeError('start failed') from e")
    assert TITLE in python("-m", "fixbook.hook", "--kb", book, path).stderr


def test_a_broken_book_does_not_hide_the_failure(tmp_path: Path) -> None:
    path = script(tmp_path, f"import fixbook; fixbook.install(kb=[{str(tmp_path / 'nowhere')!r}]); 1/0")
    done = python(path)
    assert done.returncode == 1
    assert "ZeroDivisionError: division by zero\n" in done.stderr
    assert "fixbook: FixbookError: no book at" in done.stderr


# --- install ------------------------------------------------------------------------------------------------------------------------------


def test_install_in_a_program(tmp_path: Path, book: str) -> None:
    path = script(tmp_path, f"import fixbook\nfixbook.install(kb=[{book!r}])\nfixbook.install(kb=[{book!r}], lang='zh')\nraise {KNOWN}")
    done = python(path)
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.count("已确认的原因") == 1


def test_hooks_that_were_there_are_called_and_come_back(tmp_path: Path, book: str) -> None:
    text = f"""
import sys, threading, fixbook.hook
sys.excepthook = lambda kind, *_: print('mine', kind.__name__, file=sys.stderr)
before = sys.excepthook, threading.excepthook
fixbook.install(kb=[{book!r}])
fixbook.hook.uninstall()
assert (sys.excepthook, threading.excepthook) == before
fixbook.install(kb=[{book!r}])
raise {KNOWN}
"""
    done = python(script(tmp_path, text))
    assert done.stderr.startswith("mine ValueError\n\n" + TITLE)


def test_threads(tmp_path: Path, book: str) -> None:
    text = f"""
import threading, fixbook
fixbook.install(kb=[{book!r}])
def work(): raise {KNOWN}
for _ in range(3):
    thread = threading.Thread(target=work); thread.start(); thread.join()
"""
    done = python(script(tmp_path, text))
    assert done.returncode == 0
    assert done.stderr.count("Exception in thread") == 3
    assert done.stderr.count(TITLE) == 1
    assert done.stderr.count("the cause is told above: `fixbook show demo/frobnicator-not-calibrated`") == 2


def test_nothing_is_imported_while_nothing_fails() -> None:
    text = "import sys, fixbook; before = set(sys.modules); fixbook.install(); print(*sorted(set(sys.modules) - before))"
    source = Path(__file__).parents[1] / "src"
    new = python("-S", "-E", "-c", f"import sys; sys.path.insert(0, {str(source)!r}); {text}").stdout.split()
    assert [name for name in new if name.startswith("fixbook")] == [
        "fixbook.doors",
        "fixbook.doors.children",
        "fixbook.hook",
        "fixbook.value",
    ]
    assert {"dataclasses", "inspect", "multiprocessing", "re", "tempfile", "traceback"}.isdisjoint(new)


# --- children -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("way", ["hook", "install"])
def test_children(tmp_path: Path, book: str, method: str, way: str) -> None:
    text = f"""
import multiprocessing
def work(): raise {KNOWN}
class Worker(multiprocessing.get_context({method!r}).Process):
    def run(self): work()
if __name__ == '__main__':
    {f"import fixbook; fixbook.install(kb=[{book!r}])" if way == "install" else ""}
    first = Worker(name='first'); first.start(); first.join()
    second = multiprocessing.get_context({method!r}).Process(target=work); second.start(); second.join()
    print(first.exitcode, second.exitcode)
"""
    path = script(tmp_path, text)
    with tempfile.TemporaryDirectory(prefix="fb") as scratch:  # a short name: the fork server puts a socket there
        done = python(*(("-m", "fixbook.hook", "--kb", book) if way == "hook" else ()), path, TMPDIR=scratch)
        left = [path.name for path in Path(scratch).iterdir() if path.name.startswith("fixbook-")]
    assert (done.returncode, done.stdout) == (0, "1 1\n")
    assert done.stderr.startswith("Process first:\nTraceback (most recent call last):\n")
    assert "fixbook/doors" not in done.stderr
    assert done.stderr.count("Traceback") == 2
    assert done.stderr.count(TITLE) == 1
    assert done.stderr.count("the cause is told above") == 1
    assert left == []


def test_children_that_handle_it_say_nothing(tmp_path: Path, book: str) -> None:
    text = f"""
import multiprocessing, traceback, fixbook
def work():
    try: raise {KNOWN}
    except ValueError: traceback.print_exc()
fixbook.install(kb=[{book!r}])
process = multiprocessing.get_context('fork').Process(target=work); process.start(); process.join()
print(process.exitcode)
"""
    done = python(script(tmp_path, text))
    assert done.stdout == "0\n"
    assert TITLE not in done.stderr


def test_multiprocessing_is_as_before_after_uninstall(tmp_path: Path) -> None:
    text = """
import sys, fixbook.hook
fixbook.hook.install()
import multiprocessing.process as p
assert hasattr(p.BaseProcess.start, 'fixbook_before')
assert type(p.__spec__.loader).__name__ == 'SourceFileLoader', p.__spec__
fixbook.hook.uninstall()
assert not hasattr(p.BaseProcess.start, 'fixbook_before') and not hasattr(p.BaseProcess._bootstrap, 'fixbook_before')
print('same')
"""
    done = python(script(tmp_path, text))
    assert (done.stdout, done.stderr) == ("same\n", "")


def test_what_a_killed_family_left_is_removed(tmp_path: Path, book: str) -> None:
    (tmp_path / "scratch").mkdir()
    text = f"import atexit, os; atexit.register(lambda: os.kill(os.getpid(), 9)); raise {KNOWN}"
    killed = python("-m", "fixbook.hook", "--kb", book, script(tmp_path, text), TMPDIR=str(tmp_path / "scratch"))
    assert (killed.returncode, killed.stderr.count(TITLE)) == (-9, 1)
    assert len(list((tmp_path / "scratch").glob("fixbook-*"))) == 1
    other = tmp_path / "scratch" / f"fixbook-{os.getpid()}-12345678"
    other.mkdir()
    python("-m", "fixbook.hook", "--kb", book, script(tmp_path, f"raise {KNOWN}"), TMPDIR=str(tmp_path / "scratch"))
    assert list((tmp_path / "scratch").glob("fixbook-*")) == [other]


# --- ranks of one job ---------------------------------------------------------------------------------------------------------------------

# A launcher as torchrun is one: the ranks are its children and know each other by their environment only. What a rank does after its
# article waits for a line from the launcher, so that all that fail have failed before the first one is gone.
_LAUNCHER = """
import os, signal, subprocess, sys
command, failing, way = sys.argv[1:-2], sys.argv[-2].split(","), sys.argv[-1]
job = {"MASTER_ADDR": "localhost", "MASTER_PORT": "29511", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "4"}
ranks = []
for rank in "0123":
    env = {**os.environ, **job, "RANK": rank, "LOCAL_RANK": rank, "FAILS": "1" if rank in failing else ""}
    ranks.append(subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
for each, rank in zip(ranks, "0123"):
    if rank in failing:
        assert each.stdout.readline() == b"told\\n"
for each in ranks:
    each.kill() if way == "kill" else each.terminate()
    each.wait()
"""
_RANK = f"""
import atexit, os, sys
atexit.register(lambda: (print("told", flush=True), sys.stdin.readline()))
if not os.environ["FAILS"]: sys.stdin.readline()
raise {KNOWN}
"""


def _names_taken() -> list[str]:
    return [line for line in Path("/proc/net/unix").read_text().splitlines() if "@fixbook-" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every rank tells")
def test_ranks_of_one_job_tell_a_cause_once(tmp_path: Path, book: str) -> None:
    (tmp_path / "launcher.py").write_text(_LAUNCHER)
    (tmp_path / "scratch").mkdir()
    command = [sys.executable, "-m", "fixbook.hook", "--kb", book, script(tmp_path, _RANK)]
    for failing, way in (("0,1,2,3", "kill"), ("0,1,2,3", "terminate"), ("3", "kill"), ("1,2", "kill")):
        done = python(str(tmp_path / "launcher.py"), *command, failing, way, TMPDIR=str(tmp_path / "scratch"))
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.count(TITLE) == 1  # also where the one that told it before was killed
        assert done.stderr.count(
            "failed for a cause that another rank has told: The frobnicator is not calibrated (`fixbook show demo/"
        ) == (len(failing.split(",")) - 1)
        assert list((tmp_path / "scratch").glob("fixbook-*")) == []
        assert _names_taken() == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every rank tells")
def test_jobs_and_causes_are_told_apart() -> None:
    job = {"LOCAL_RANK": "1", "RANK": "9", "MASTER_PORT": f"{os.getpid()}"}
    assert ranks.rank(job) == "9"
    assert ranks.tells("demo/a", job)
    assert not ranks.tells("demo/a", {**job, "RANK": "8", "LOCAL_RANK": "0"})
    assert ranks.tells("demo/b", job)
    assert ranks.tells("demo/a", {**job, "MASTER_PORT": f"{os.getpid()}x"})
    assert ranks.tells("demo/a", {**job, "TORCHELASTIC_RESTART_COUNT": "1"})
    for alone in ({}, {"RANK": "3"}, {**job, "LOCAL_WORLD_SIZE": "1"}):
        assert ranks.rank(alone) == ""
        assert ranks.tells("demo/a", alone)
        assert ranks.tells("demo/a", alone)
    slurm = {"SLURM_LOCALID": "2", "SLURM_PROCID": "6", "SLURM_JOB_ID": f"{os.getpid()}"}
    assert ranks.rank(slurm) == "6"
    assert [ranks.tells("demo/a", slurm), ranks.tells("demo/a", slurm)] == [True, False]
    for name in ranks._held:
        name.close()


# --- notebooks ----------------------------------------------------------------------------------------------------------------------------

_CELLS = """
from IPython.core.interactiveshell import InteractiveShell
import fixbook, fixbook.hook, IPython.display
shell = InteractiveShell.instance(colors='nocolor')
{before}
fixbook.install(kb=[{book!r}])
shell.run_cell("x = 1")
shell.run_cell("raise KeyError('nobody knows this')")
shell.run_cell("def go():\\n    raise {known}\\ngo()")
fixbook.hook.uninstall()
shell.run_cell("go()")
"""


def cells(tmp_path: Path, book: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return python(script(tmp_path, _CELLS.format(book=book, known=KNOWN, before=before)), IPYTHONDIR=str(tmp_path))


def test_ipython(tmp_path: Path, book: str) -> None:
    pytest.importorskip("IPython")
    done = cells(tmp_path, book)
    assert done.returncode == 0
    assert done.stdout.count("ValueError: frobnicator") == 2
    assert done.stderr.count(TITLE) == 1
    assert "nobody" not in done.stderr


def test_jupyter(tmp_path: Path, book: str) -> None:
    pytest.importorskip("IPython")
    shown = "lambda data, raw: print('SHOWN', sorted(data), data['text/html'][:8], data['text/plain'][:15])"
    done = cells(tmp_path, book, f"type(shell).kernel = None; IPython.display.display = {shown}")
    assert done.stdout.count("SHOWN ['text/html', 'text/plain'] <article Confirmed cause") == 1
    assert TITLE not in done.stderr

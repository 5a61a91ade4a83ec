"""Statements: tracebacks, chains, interleaved processes, repairs; and that no text breaks the reader."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook.log import read
from fixbook.model import Place
from fixbook.report import Log, Message

TRACEBACK = """\
Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 506, in run_engine_core
    raise e
  File "/usr/lib/python3.12/site-packages/vllm/v1/attention/backends/flashinfer.py", line 801, in __init__
    assert self.kv_cache_spec.dtype == self.model_config.dtype
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
AssertionError
"""


def _of(log: Log, place: Place) -> list[Message]:
    return [message for message in log.messages if message.place is place]


def _canonical(log: Log) -> list[str]:
    return [message.text for message in _of(log, Place.FRAME)]


def test_a_traceback() -> None:
    log = read(TRACEBACK)
    assert _canonical(log) == [
        "/usr/lib/python3.12/site-packages/vllm/v1/engine/core.py:506 in run_engine_core",
        "/usr/lib/python3.12/site-packages/vllm/v1/attention/backends/flashinfer.py:801 in __init__",
    ]
    assert [message.innermost for message in _of(log, Place.FRAME)] == [False, True]
    assert [message.text for message in _of(log, Place.SOURCE)] == ["raise e", "assert self.kv_cache_spec.dtype == self.model_config.dtype"]
    (exception,) = _of(log, Place.EXCEPTION)
    assert (exception.text, exception.line) == ("AssertionError", 7)
    (traceback,) = log.tracebacks
    assert traceback.exception == exception.index
    assert [log.messages[at].place for at in traceback.frames] == [Place.FRAME, Place.FRAME]


def test_a_traceback_without_its_header_and_without_indentation() -> None:
    text = 'File "/a/b.py", line 3, in f\nreturn g(x)\nFile "/a/c.py", line 9, in g\nKeyError: \'qwen2\'\n'
    log = read(text)
    assert _canonical(log) == ["/a/b.py:3 in f", "/a/c.py:9 in g"]
    assert [message.text for message in _of(log, Place.EXCEPTION)] == ["KeyError: 'qwen2'"]
    assert [message.text for message in _of(log, Place.SOURCE)] == ["return g(x)"]


def test_a_traceback_on_one_line() -> None:
    text = (
        'Traceback (most recent call last): File "/a/b.py", line 3, in f return g(x) '
        'File "/a/c.py", line 9, in g raise ValueError("no") ValueError: no'
    )
    log = read(text)
    assert _canonical(log) == ["/a/b.py:3 in f", "/a/c.py:9 in g"]
    assert [message.text for message in _of(log, Place.EXCEPTION)] == ["ValueError: no"]


def test_frames_of_windows_ipython_and_rich() -> None:
    text = (
        'Traceback (most recent call last):\n  File "F:\\glm\\test.py", line 15, in <module>\n'
        "File ~/x/vllm/llm.py:123, in LLM.__init__(self, model)\n/opt/a/b.py:7 in run\nValueError: x\n"
    )
    assert _canonical(read(text)) == ["F:/glm/test.py:15 in <module>", "~/x/vllm/llm.py:123 in LLM.__init__", "/opt/a/b.py:7 in run"]


def test_a_frame_in_typographic_quotes() -> None:
    text = "Traceback (most recent call last):\nFile “/opt/a/b.py”, line 7, in run\nself.go()\nValueError: x\n"
    assert _canonical(read(text)) == ["/opt/a/b.py:7 in run"]


@pytest.mark.parametrize("name", ["RuntimeError", "torch.OutOfMemoryError", "GatedRepoError"])
@pytest.mark.parametrize("before", ["", "-" * 75 + " "])
def test_the_header_of_ipython_is_no_failure(name: str, before: str) -> None:
    header = f"{before}{name:<42}Traceback (most recent call last)"
    text = f"{header}\nCell In[7], line 4\n----> 4 f(x)\n\nFile ~/x.py:116, in f(x)\n--> 116 return g(x)\n\n{name}: no\n"
    log = read(text)
    assert {message.text for message in _of(log, Place.EXCEPTION)} == {f"{name}: no"}


def test_a_list_of_bytes_is_read_as_their_text_and_other_numbers_are_not() -> None:
    spelled = list("\x1b[31mRuntimeError: 显存不足\x1b[0m\nsecond".encode())
    assert [message.text for message in read(f'{{"MESSAGE": {spelled}}}').messages if message.place is Place.EXCEPTION] == [
        "RuntimeError: 显存不足\nsecond"
    ]
    assert not any("RuntimeError" in message.text for message in read(f'{{"tokens": {[*spelled, 999]}}}').messages)


def test_a_chain_gives_two_tracebacks() -> None:
    text = (
        TRACEBACK
        + "\nThe above exception was the direct cause of the following exception:\n\n"
        + TRACEBACK.replace("AssertionError", "RuntimeError: Engine core")
    )
    log = read(text)
    assert [message.text for message in _of(log, Place.EXCEPTION)] == ["AssertionError", "RuntimeError: Engine core"]
    assert len(log.tracebacks) == 2


def test_two_processes_line_by_line() -> None:
    lines = TRACEBACK.splitlines()
    text = "".join(f"(Worker_TP0 pid=4) {line}\n(Worker_TP1 pid=5) heartbeat\n" for line in lines)
    log = read(text)
    (traceback,) = log.tracebacks
    assert len(traceback.frames) == 2
    assert traceback.exception is not None
    assert log.messages[traceback.exception].process == "Worker_TP0 pid=4"


def test_an_exception_of_three_lines() -> None:
    text = (
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
        '  Value error, kv_cache_dtype="float16" is incompatible with dtype="bfloat16". [type=value_error]\n'
        "    For further information visit https://errors.pydantic.dev/2.12/v/value_error\n"
    )
    (exception,) = _of(read(text), Place.EXCEPTION)
    assert exception.text.count("\n") == 2
    assert (exception.line, exception.end_line) == (1, 3)


def test_a_heartbeat_inside_a_traceback_of_the_same_process() -> None:
    text = TRACEBACK.replace("    raise e\n", "    raise e\nINFO 12-01 09:00:00 [loggers.py:236] Engine 000: idle\n")
    (traceback,) = read(text).tracebacks
    assert len(traceback.frames) == 2
    assert traceback.exception is not None


def test_the_unwrapped_reading_names_its_repair() -> None:
    long = (
        "RuntimeError: mha_varlen_fwd, /workspace/.deps/vllm-flash-attn-src/csrc/flash_attn/flash_api.cpp:601, "
        "query and key must have the same dtype"
    )
    text = "\n".join(("x" * 80, *(long[at : at + 80] for at in range(0, len(long), 80)))) + "\n"
    log = read(text)
    assert any(long in strand.text and name for message in log.messages for name, strand in message.readings) or any(
        message.text == long and "unwrapped" in message.repairs for message in log.messages
    )


def test_a_record_of_csv_is_the_text_in_it() -> None:
    log = read(
        '"2026-12-01 09:00:00","  File ""/app/x.py"", line 3, in f","{""pod"":""a""}"\n"2026-12-01 09:00:01","KeyError: ""k"", \'j\'",'
    )
    assert [message.text for message in log.messages] == ["/app/x.py:3 in f", "KeyError: \"k\", 'j'"]
    assert log.messages[1].repairs == ("record",)
    assert log.locate(log.messages[1].strand.raw(0)) == (2, 24)


def test_an_escaped_traceback_is_read_as_one() -> None:
    log = read("worker died: " + repr(TRACEBACK))
    assert len([message for message in _of(log, Place.FRAME) if "unescaped" in message.repairs]) == 2


def test_lone_carriage_returns_share_a_line() -> None:
    log = read("10%|#  | 1/10\r20%|## | 2/10\rRuntimeError: boom\nnext\n")
    (exception,) = _of(log, Place.EXCEPTION)
    assert (exception.line, exception.text.splitlines()[0]) == (1, "RuntimeError: boom")


ANYTHING = st.text(
    alphabet=st.sampled_from(list("aE:()[]{}\"'\\|>#`=.,_- \t\r\n\x1b\x00\u200b：“中0123456789")) | st.characters(), max_size=300
)
PIECES = st.lists(
    st.sampled_from(
        [
            *TRACEBACK.splitlines(keepends=True),
            "(W pid=1) ",
            "[rank0]: ",
            '{"log": "',
            '\\n"}',
            "ERROR 01-01 00:00:00 [a.py:1] ",
            "> ",
            "x" * 81,
            "\n",
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(ANYTHING | PIECES)
def test_any_text_is_read_and_maps_back(text: str) -> None:
    log = read(text)
    for message in log.messages:
        assert 1 <= message.line <= message.end_line
        for name, strand in (("", message.strand), *message.readings):
            for at in range(len(strand.text)):
                raw = strand.raw(at)
                assert 0 <= raw <= len(text)
                if name == "" and not message.repairs and message.place is Place.MESSAGE and not strand.text[at].isspace():
                    assert strand.text[at] == text[raw]
    for traceback in log.tracebacks:
        assert all(log.messages[at].place is Place.FRAME for at in traceback.frames)

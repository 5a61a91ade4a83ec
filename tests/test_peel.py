"""Prefixes in any stack, control sequences, JSON records: what is left is the text, and each character knows its place."""

import pytest

from fixbook.log import read
from fixbook.model import Place
from fixbook.prefixes import PREFIXES

TEXT = "RuntimeError: CUDA error: out of memory"

# (line, process, rank, level)
LINES = [
    ("ERROR 07-18 03:16:02 [core.py:588] ", "", None, "ERROR"),
    ("INFO 10-14 08:42:25 llm_engine.py:72] ", "", None, "INFO"),
    ("core.py:270] ", "", None, ""),
    ("(APIServer pid=1)(EngineCore_DP0 pid=2) ERROR 07-18 03:16:02 [core.py:588] ", "APIServer pid=1 EngineCore_DP0 pid=2", None, "ERROR"),
    ("(Worker_TP0_EP0 pid=77) ERROR 12-01 00:00:00 [multiproc_executor.py:492] ", "Worker_TP0_EP0 pid=77", 0, "ERROR"),
    ("(VllmWorkerProcess pid=501) ERROR 01-19 09:09:24 multiproc_worker_utils.py:233] ", "VllmWorkerProcess pid=501", None, "ERROR"),
    ("EngineCore_DP0 pid=59489) ERROR 01-19 00:05:34 [core.py:918] ", "EngineCore_DP0 pid=59489", None, "ERROR"),
    ("(RayWorkerWrapper pid=12, ip=10.0.0.1) ", "RayWorkerWrapper pid=12, ip=10.0.0.1", None, ""),
    ("(pid=12, ip=10.0.0.1) ", "pid=12, ip=10.0.0.1", None, ""),
    ("(ServeReplica:default:Echo pid=8828) INFO 2026-12-01 03:23:09,862 default_Echo dnv40ph1 -- ", None, None, None),
    ("E0409 08:11:02.123456 217303 nvc.c:376] ", "", None, "ERROR"),
    ("W1201 03:11:22.343000 1924 torch/distributed/run.py:874] ", "", None, "WARNING"),
    ("[rank1]:[W1201 03:11:36.249204549 reducer.cpp:1529] ", "rank1", 1, "WARNING"),
    ("[E ProcessGroupNCCL.cpp:458] ", "", None, "ERROR"),
    ("[rank0]: ", "rank0", 0, ""),
    ("[rank0]:[E1201 03:11:22.343000 ProcessGroupNCCL.cpp:607] [Rank 0] ", "rank0", 0, "ERROR"),
    ("k0]: ", "k0", 0, ""),
    ("rank0]: ", "rank0", 0, ""),
    ("[default6]:[rank6]: ", "default6 rank6", 6, ""),
    ("[1,2]<stdout>:", "1,2", 2, ""),
    ("3: ", "3", 3, ""),
    ("[3] ", "3", 3, ""),
    ("vllm-1  | ", "vllm-1", None, ""),
    ("vllm-1  | (EngineCore_DP0 pid=272) ERROR 12-01 09:00:01 [core.py:588] ", "vllm-1 EngineCore_DP0 pid=272", None, "ERROR"),
    ("2026-12-01T03:13:00.000000000Z ", "", None, ""),
    ("2026-12-01T03:13:00.000000000Z stdout F ", "", None, ""),
    ("[pod/vllm-0/server] ", "pod/vllm-0/server", None, ""),
    ("Nov 29 18:57:11 node-1 vllm[812]: ", "node-1 vllm[812]", None, ""),
    ("Nov 29 18:57:11 node-1 kernel: ", "node-1 kernel", None, ""),
    ("[  812.123456] ", "", None, ""),
    ("2024-01-01 10:00:00 | INFO | stdout | ", "", None, "INFO"),
    ("| ERROR | stderr | ", "", None, "ERROR"),
    ("2025-01-01 10:00:00,123 xinference.core.worker 123 ERROR    ", "", None, "ERROR"),
    ("2024-05-01 10:00:00,123 - vllm.engine - ERROR - ", "", None, "ERROR"),
    ("[2025-01-01 10:00:00 TP0] ", "TP0", 0, ""),
    ("[2024-03-18 02:10:44,907] [INFO] [logging.py:96:log_dist] [Rank 0] ", "Rank 0", 0, "INFO"),
    ("node-2:812:861 [1] NCCL WARN ", "node-2:812:861 [1]", 1, ""),
    ("E   ", "", None, ""),
    ("1764580000000,(EngineCore_DP0 pid=7) ", "EngineCore_DP0 pid=7", None, ""),
    ("2026-12-01T09:00:00.123Z,", "", None, ""),
    ("2026-11-03T09:00:00.1234567Z ##[error]", "", None, "ERROR"),
    ("# ", "", None, ""),
    ("> ", "", None, ""),
    ("> > ", "", None, ""),
    ("&gt; ", "", None, ""),
    ("│ ", "", None, ""),
    ("- ", "", None, ""),
    ("root@node-1:/workspace# ", "", None, ""),
    ("Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.2it/s]", "", None, ""),
    ("^[[31m", "", None, ""),
    ("[0;36m(EngineCore_DP0 pid=7)[0;0m ", "EngineCore_DP0 pid=7", None, ""),
]


@pytest.mark.parametrize(("prefix", "process", "rank", "level"), LINES, ids=[line[0] for line in LINES])
def test_prefixes_are_peeled(prefix: str, process: str | None, rank: int | None, level: str | None) -> None:
    log = read(prefix + TEXT)
    told = [message for message in log.messages if message.place is Place.EXCEPTION and message.text == TEXT]
    assert told, [message.text for message in log.messages]
    if process is not None:
        assert (told[0].process, told[0].rank, told[0].severity) == (process, rank, level)
    start = told[0].strand.raw(0)
    assert log.raw[start:].startswith("RuntimeError"), "the way back"
    assert log.locate(start) == (1, len(prefix) + 1)


def test_the_table_has_no_row_twice_and_each_compiles() -> None:
    names = [name for name, _ in PREFIXES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "line",
    [
        '{"log":"RuntimeError: CUDA error: out of memory\\n","stream":"stderr","time":"2026-12-01T03:13:00Z"}',
        '2026-12-01T03:13:00Z {"level":"error","msg":"RuntimeError: CUDA error: out of memory"}',
        '{"log":"{\\"message\\": \\"RuntimeError: CUDA error: out of memory\\"}\\n","stream":"stdout"}',
        '"error": "RuntimeError: CUDA error: out of memory",',
        "original error: RuntimeError('CUDA error: out of memory')",
        'Exception in worker 3: RuntimeError("CUDA error: out of memory")',
        "RuntimeError: CUDA error: out of memory [repeated 3x across cluster] (Ray deduplicates logs by default.)",
        "│ RuntimeError: CUDA error: out of memory             │",
        "\x1b[31mRuntime\x1b[0mError: CUDA \x1b[1merror\x1b[0m: out of memory\r",
        "Runtime\u200bError: CUDA\u00a0error: out of\u00a0memory",
    ],
)
def test_what_else_wraps_a_text(line: str) -> None:
    log = read(line)
    told = [message for message in log.messages if message.place is Place.EXCEPTION and message.text == TEXT]
    assert told, [message.text for message in log.messages]
    assert log.locate(told[0].strand.raw(0))[0] == 1


def test_a_rank_that_only_looks_like_one_keeps_the_text_readable() -> None:
    log = read("6: The engine plan file is not compatible with this version of TensorRT")
    assert any("6: The engine plan" in strand.text for message in log.messages for _, strand in message.readings)

"""Conditions are three-valued: what a log does not state is unknown, never false."""

import pytest

from fixbook.conditions import describe, judge, own_traceback, unknown_facts
from fixbook.facts import lookup_for, read_facts, stated_by_caller
from fixbook.log import read
from fixbook.model import Condition, Conditions, Place
from fixbook.report import Reason
from triage_parts import engine, facts, hit

TRACEBACK = """Traceback (most recent call last):
  File "/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 12, in run
  File "/venv/lib/python3.12/site-packages/flash_attn/flash_attn_interface.py", line 7, in forward
RuntimeError: query and key must have the same dtype
"""


def reasons(
    conditions: Conditions, log: str = "RuntimeError: bad", stated: dict[str, str] | None = None, rules_out: bool = False
) -> list[Reason]:
    """Judged for the last exception of the log, or its last message."""
    read_log = read(log)
    known = (*stated_by_caller(stated or {}), *read_facts(read_log))
    exceptions = [message.index for message in read_log.messages if message.place is Place.EXCEPTION]
    at = exceptions[-1] if exceptions else read_log.messages[-1].index
    found = hit(read_log, at)
    return list(judge(conditions, rules_out, found, read_log, lookup_for(found, known)))


def holds(condition: Condition, **stated: str) -> bool | None:
    return reasons(facts(condition), stated=stated)[0].holds


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        (Condition("kv_cache_dtype", any_of=("float16", "bfloat16")), "torch.float16", True),
        (Condition("kv_cache_dtype", any_of=("fp8*",)), "fp8_e5m2", True),
        (Condition("kv_cache_dtype", any_of=("fp8*",)), "float16", False),
        (Condition("kv_cache_dtype", none_of=("fp8*",)), "float16", True),
        (Condition("kv_cache_dtype", none_of=("fp8*",)), "fp8", False),
        (Condition("gpu_memory", at_least="24GiB"), "80GiB", True),
        (Condition("gpu_memory", at_least="24GiB"), "16GiB", False),
        (Condition("compute_capability", below="8.0"), "7.5", True),
        (Condition("compute_capability", below="8.0"), "8.0", False),
        (Condition("vllm_version", at_least="0.9", below="0.11"), "0.10.2", True),
        (Condition("vllm_version", at_least="0.9", below="0.11"), "0.11.0", False),
        (Condition("tensor_parallel_size", at_least="2"), "1", False),
        (Condition("enforce_eager", any_of=("true",)), "True", True),
    ],
)
def test_a_condition_on_one_fact(condition: Condition, value: str, expected: bool) -> None:
    assert holds(condition, **{condition.fact: value}) is expected


@pytest.mark.parametrize(
    "condition",
    [
        Condition("kv_cache_dtype", any_of=("fp8*",)),
        Condition("kv_cache_dtype", none_of=("fp8*",)),
        Condition("gpu_memory", at_least="24GiB"),
        Condition("model_dtype", same_as="kv_cache_dtype"),
        Condition("model_dtype", not_same_as="kv_cache_dtype"),
    ],
)
def test_what_is_not_stated_is_unknown(condition: Condition) -> None:
    assert holds(condition) is None
    assert holds(condition, **{condition.fact: "auto"}) is None


@pytest.mark.parametrize(("kv", "same"), [("bf16", True), ("half", False), ("auto", None)])
def test_two_facts_are_compared(kv: str, same: bool | None) -> None:
    stated = {"model_dtype": "torch.bfloat16", "kv_cache_dtype": kv}
    assert holds(Condition("model_dtype", same_as="kv_cache_dtype"), **stated) is same
    assert holds(Condition("model_dtype", not_same_as="kv_cache_dtype"), **stated) is (None if same is None else not same)


def test_the_reason_names_value_and_line() -> None:
    (reason,) = reasons(
        facts(Condition("kv_cache_dtype", any_of=("float16",))), f"hello\n{engine('float16')}\nRuntimeError: bad", rules_out=True
    )
    assert (reason.value, reason.line, reason.holds, reason.rules_out) == ("float16", 2, True, True)


# --- frames -----------------------------------------------------------------------------------------------------------------------


def frames(pattern: str, log: str) -> bool | None:
    return reasons(facts(frames=pattern), log)[0].holds


def test_frames_of_the_own_traceback() -> None:
    assert frames(r"/flash_attn/flash_attn_interface\.py", TRACEBACK) is True
    assert frames(r"/vllm_xpu_kernels/", TRACEBACK) is False


def test_frames_of_another_traceback_do_not_count() -> None:
    other = TRACEBACK.replace("flash_attn/", "vllm_xpu_kernels/").replace("RuntimeError: query", "ValueError: other")
    assert frames(r"/vllm_xpu_kernels/", f"{other}\nINFO 12-01 09:00:01 [x.py:1] something else\n" * 2 + TRACEBACK) is False


def test_without_a_traceback_frames_are_unknown() -> None:
    assert frames(r"/vllm_xpu_kernels/", "RuntimeError: query and key must have the same dtype") is None


def test_the_traceback_printed_with_a_log_line_is_its_own() -> None:
    told = "ERROR 06-04 15:22:19 [engine.py:164] RuntimeError('query and key must have the same dtype')\n"
    log = read(told + "".join(f"ERROR 06-04 15:22:19 [engine.py:164] {line}\n" for line in TRACEBACK.splitlines()[:-1]))
    first = log.messages[0]
    traceback = own_traceback(first, log)
    assert traceback is not None and len(traceback.frames) == 2
    # It is cut: what is not in it may have been.
    found = hit(log, 0)
    look = lookup_for(found, ())
    assert judge(facts(frames=r"/flash_attn/"), False, found, log, look)[0].holds is True
    assert judge(facts(frames=r"/vllm_xpu_kernels/"), False, found, log, look)[0].holds is None


def test_a_traceback_next_to_the_hit_may_prove_and_cannot_rule_out() -> None:
    """The line was the title of the report; the traceback below it may end in another exception."""
    log = read(
        "RuntimeError: query and key must have the same dtype\n" + TRACEBACK.replace("RuntimeError: query and key", "ValueError: other")
    )
    found = hit(log, 0)
    assert judge(facts(frames=r"/flash_attn/"), False, found, log, lookup_for(found, ()))[0].holds is True
    assert judge(facts(frames=r"/vllm_xpu_kernels/"), False, found, log, lookup_for(found, ()))[0].holds is None


# --- messages ---------------------------------------------------------------------------------------------------------------------


def test_messages_of_the_same_run_are_seen_or_unknown() -> None:
    log = "INFO 12-01 09:00:01 [loader.py:1] Starting to load model m...\nRuntimeError: bad"
    (seen,) = reasons(facts(messages="Starting to load model"), log)
    (unseen,) = reasons(facts(messages="Capturing CUDA graphs"), log)
    assert (seen.holds, seen.line) == (True, 1)
    assert unseen.holds is None


def test_messages_of_another_run_are_not_seen() -> None:
    banner = "INFO 12-01 03:13:04 [api_server.py:1772] vLLM API server version 0.12.0\n"
    log = banner + "INFO 12-01 03:13:05 [x.py:1] Starting to load model m...\nRuntimeError: bad\n" + banner + "RuntimeError: worse\n"
    (reason,) = reasons(facts(messages="Starting to load model"), log)
    assert reason.holds is None


# --- words ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition("kv_cache_dtype", any_of=("float16", "bfloat16")), "kv_cache_dtype = float16 | bfloat16"),
        (Condition("quantization", none_of=("awq", "gptq*")), "quantization ≠ awq | gptq*"),
        (Condition("model_dtype", not_same_as="kv_cache_dtype"), "model_dtype ≠ kv_cache_dtype"),
        (Condition("gpu_memory", at_least="24GiB", below="80GiB"), "gpu_memory ≥ 24GiB, < 80GiB"),
    ],
)
def test_a_condition_in_signs(condition: Condition, words: str) -> None:
    assert describe(condition) == words


def test_unknown_facts_are_named() -> None:
    read_log = read("RuntimeError: bad")
    look = lookup_for(hit(read_log, 0), stated_by_caller({"model_dtype": "half"}))
    conditions = facts(Condition("model_dtype", not_same_as="kv_cache_dtype"), Condition("platform", any_of=("xpu",)), frames="x")
    assert unknown_facts(conditions, look) == ("kv_cache_dtype", "platform")

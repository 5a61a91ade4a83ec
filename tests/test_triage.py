"""Triage: levels by the one rule, kinds, order, what to ask, the four verdicts."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixbook.model import Commonness, Condition, Entry, Kind, Level, Place, Signature
from fixbook.report import Reason, Report, Verdict, VersionStatus
from fixbook.triage import judge_level
from fixbook.value import replace
from triage_parts import affects, diagnose, engine, entry, facts, ids, sibling

WORDS = r"\bquery and key must have the same dtype\b"
FAILS = "RuntimeError: query and key must have the same dtype\n"
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above.\n"
GOES_ON = 'INFO:     10.0.0.1:4 - "POST /v1/completions HTTP/1.1" 200 OK\n' * 3
BANNER = "INFO 12-01 03:13:04 [api_server.py:1772] vLLM API server version 0.31.0\n"

NATIVE = entry(
    "vllm/native-kv",
    WORDS,
    shared=True,
    requires=facts(Condition("kv_cache_dtype", any_of=("float16", "bfloat16")), Condition("model_dtype", not_same_as="kv_cache_dtype")),
    siblings=(sibling("vllm/fp8-kv", "The cache is fp8.", "cache 为 fp8。"), sibling("vllm/xpu")),
)
FP8 = entry("vllm/fp8-kv", WORDS, shared=True, requires=facts(Condition("kv_cache_dtype", any_of=("fp8*",))))
XPU = entry("vllm/xpu", WORDS, shared=True, requires=facts(frames=r"/vllm_xpu_kernels/"))
SHELL = entry("vllm/engine-core", r"Engine core initialization failed", kind=Kind.WRAPPER)
FAMILY = (FP8, NATIVE, SHELL, XPU)


# --- levels -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shared", "requires", "rules_out"),
    [
        *itertools.product(
            (False, True),
            [values for count in (0, 1, 2) for values in itertools.product((True, None, False), repeat=count)],
            [values for count in (0, 1) for values in itertools.product((True, None, False), repeat=count)],
        )
    ],
)
def test_level_is_the_rule_of_the_entry_format(shared: bool, requires: tuple[bool | None, ...], rules_out: tuple[bool | None, ...]) -> None:
    got = judge_level(shared, [Reason("", "f", each) for each in requires], [Reason("", "f", each, rules_out=True) for each in rules_out])
    if True in rules_out or False in requires:
        expected = Level.RULED_OUT
    elif (not shared and None not in requires) or (shared and requires and all(requires)):
        expected = Level.CONFIRMED
    elif not shared:
        expected = Level.LIKELY
    else:
        expected = Level.POSSIBLE
    assert got is expected


def test_the_same_words_with_several_causes() -> None:
    native = diagnose(engine("float16") + "\n" + FAILS, *FAMILY)
    assert (ids(native.findings), native.findings[0].level) == (["vllm/native-kv", "vllm/xpu"], Level.CONFIRMED)
    assert ids(native.ruled_out) == ["vllm/fp8-kv"]
    fp8 = diagnose(engine("fp8_e4m3") + "\n" + FAILS, *FAMILY)
    assert (ids(fp8.findings), fp8.findings[0].level) == (["vllm/fp8-kv", "vllm/xpu"], Level.CONFIRMED)
    unstated = diagnose(FAILS, *FAMILY)
    assert [finding.level for finding in unstated.findings] == [Level.POSSIBLE] * 3


def test_what_speaks_against_an_entry_is_told() -> None:
    (out,) = diagnose(engine("fp8") + "\n" + FAILS, NATIVE).ruled_out
    (against,) = [reason for reason in out.reasons if reason.holds is False]
    assert (against.condition, against.value, against.line) == ("kv_cache_dtype = float16 | bfloat16", "fp8", 1)


def test_a_capture_states_its_fact() -> None:
    rejected = entry("vllm/rejected", r'kv_cache_dtype="(?P<kv_cache_dtype>\w+)" is incompatible', requires=NATIVE.requires)
    log = engine("fp8") + '\nValueError: kv_cache_dtype="float16" is incompatible with dtype="bfloat16"\n'
    (found,) = diagnose(log, rejected).findings
    assert (found.level, found.facts["kv_cache_dtype"]) == (Level.CONFIRMED, "float16")


def test_the_caller_can_state_the_fact_that_decides() -> None:
    stated = {"kv_cache_dtype": "half", "model_dtype": "bf16"}
    assert diagnose(FAILS, *FAMILY, stated=stated).findings[0].level is Level.CONFIRMED


def test_the_last_episode_decides() -> None:
    """Died with fp8, came back with float16, served, died again: for the fp8 entry the last failure speaks against it."""
    died = FAILS + "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.\n"
    log = engine("fp8") + "\n" + died + BANNER + engine("float16") + "\n" + GOES_ON + FAILS
    report = diagnose(log, FP8, NATIVE)
    assert (ids(report.findings), ids(report.ruled_out)) == (["vllm/native-kv"], ["vllm/fp8-kv"])


# --- mentioned, handled -----------------------------------------------------------------------------------------------------------


def test_mentioned_and_handled_make_no_finding() -> None:
    sure = entry("vllm/sure", WORDS)
    mentioned = diagnose("b77d01e fix: query and key must have the same dtype\n", sure)
    handled = diagnose(FAILS + GOES_ON, sure)
    assert (mentioned.findings, mentioned.verdict) == ((), Verdict.CLEAN)
    assert (handled.findings, handled.verdict) == ((), Verdict.CLEAN)


# --- kinds and consequences -------------------------------------------------------------------------------------------------------


def test_a_shell_beside_its_cause_is_a_consequence() -> None:
    report = diagnose(FAILS + WRAPPER, entry("vllm/sure", WORDS), SHELL)
    assert (ids(report.findings), ids(report.consequences), report.verdict) == (["vllm/sure"], ["vllm/engine-core"], Verdict.KNOWN)


def test_a_shell_beside_a_ruled_out_cause_is_none() -> None:
    report = diagnose(engine("fp8") + "\n" + FAILS + WRAPPER, NATIVE, SHELL)
    assert (ids(report.findings), report.consequences) == (["vllm/engine-core"], ())
    assert report.verdict is Verdict.UNKNOWN


def test_a_shell_alone_is_the_verdict_wrapper_and_says_what_is_missing() -> None:
    report = diagnose(WRAPPER, SHELL)
    assert (report.verdict, ids(report.findings)) == (Verdict.WRAPPER, ["vllm/engine-core"])
    assert [part.what for part in report.missing] == ["root-cause"]


def test_an_unexplained_failure_beside_a_shell_is_unknown() -> None:
    report = diagnose("KeyError: 'layers.0.mlp'\n\n\n\n\nhello\n" + WRAPPER, SHELL)
    assert report.verdict is Verdict.UNKNOWN
    assert [failure.exception for failure in report.unknown] == ["KeyError"]


def test_the_special_entry_sends_the_general_one_away() -> None:
    general = entry("cuda/oom", r"CUDA out of memory")
    special = entry("vllm/sampler-oom", r"out of memory occurred when warming up sampler", refines=("cuda/oom",))
    log = "torch.OutOfMemoryError: CUDA out of memory.\nRuntimeError: CUDA out of memory occurred when warming up sampler with 8 requests\n"
    report = diagnose(log, general, special)
    assert (ids(report.findings), ids(report.consequences)) == (["vllm/sampler-oom"], ["cuda/oom"])


def test_a_special_entry_that_is_less_sure_does_not() -> None:
    general = entry("cuda/oom", r"CUDA out of memory")
    special = entry("vllm/x", r"CUDA out of memory", shared=True, refines=("cuda/oom",), requires=facts(Condition("block_size", below="4")))
    report = diagnose("torch.OutOfMemoryError: CUDA out of memory.\n", general, special)
    assert ids(report.findings) == ["cuda/oom", "vllm/x"]


def test_benign_alone_is_clean() -> None:
    harmless = entry("nccl/harmless", r"No device found", kind=Kind.BENIGN)
    report = diagnose("NET/IB : No device found.\n", harmless)
    assert (ids(report.findings), report.verdict) == (["nccl/harmless"], Verdict.CLEAN)


# --- order ------------------------------------------------------------------------------------------------------------------------


def test_kind_comes_before_level_and_level_before_place() -> None:
    early = entry("a/early", r"first thing", shared=True, requires=facts(Condition("block_size", below="4")))
    sure = entry("z/sure", r"second thing")
    harmless = entry("a/harmless", r"a note", kind=Kind.BENIGN)
    log = "ERROR: a note\nRuntimeError: the first thing\nValueError: the second thing\n"
    assert ids(diagnose(log, early, harmless, sure).findings) == ["z/sure", "a/early", "a/harmless"]


def test_the_earlier_failure_comes_first_whatever_the_names() -> None:
    one, two = entry("z/one", r"first thing"), entry("a/two", r"second thing")
    assert ids(diagnose("RuntimeError: first thing\nValueError: second thing\n", one, two).findings) == ["z/one", "a/two"]
    assert ids(diagnose("ValueError: second thing\nRuntimeError: first thing\n", one, two).findings) == ["a/two", "z/one"]


@given(st.permutations(FAMILY))
@settings(max_examples=24, deadline=None)
def test_the_order_of_the_book_does_not_matter(family: list[Entry]) -> None:
    log = FAILS + WRAPPER
    report, reference = diagnose(log, *family), diagnose(log, *FAMILY)
    assert ids(report.findings) == ids(reference.findings)
    assert ids(report.consequences) == ids(reference.consequences)


def test_commonness_is_the_last_tie_break() -> None:
    rare, common = entry("a/rare", r"thing", commonness=Commonness.RARE), entry("z/common", r"thing", commonness=Commonness.COMMON)
    assert ids(diagnose("RuntimeError: thing\n", rare, common).findings) == ["z/common", "a/rare"]


def test_a_version_that_has_the_fix_surprises_and_hides_nothing() -> None:
    old = entry("a/old", r"thing", affects=affects(fixed="0.30.0"))
    other = entry("z/other", r"thing")
    report = diagnose(engine(version="0.31.0") + "\nRuntimeError: thing\n", old, other)
    assert ids(report.findings) == ["z/other", "a/old"]
    second = report.findings[1]
    assert (second.version, second.affected_version, second.rank.version_surprise) == (VersionStatus.HAS_FIX, "0.31.0", True)


@pytest.mark.parametrize(("version", "surprise"), [("0.33.0", False), ("0.31.0", True)])
def test_after_the_fix_the_old_version_is_the_surprise(version: str, surprise: bool) -> None:
    refused = entry("vllm/refused", r"is incompatible with", after_fix=True, affects=affects(fixed="0.32.1rc0"))
    (found,) = diagnose(engine(version=version) + "\nValueError: a is incompatible with b\n", refused).findings
    assert found.rank.version_surprise is surprise


# --- spread -----------------------------------------------------------------------------------------------------------------------


def rank_log(ranks: range, world: int) -> str:
    lines = [f"INFO 12-01 [parallel_state.py:1] world_size={world} rank=0 local_rank=0 distributed_init_method=tcp://h:1 backend=nccl"]
    lines += [f"[rank{rank}]: RuntimeError: query and key must have the same dtype" for rank in ranks]
    return "\n".join(lines)


def test_the_same_failure_on_all_ranks_is_one_finding() -> None:
    (found,) = diagnose(rank_log(range(8), 8), entry("vllm/sure", WORDS)).findings
    assert (found.ranks, found.world) == (tuple(range(8)), 8)


def test_on_one_rank_it_names_the_rank() -> None:
    (found,) = diagnose(rank_log(range(3, 4), 8), entry("vllm/sure", WORDS)).findings
    assert (found.ranks, found.world) == ((3,), 8)


def test_a_world_that_is_too_small_for_the_rank_is_not_believed() -> None:
    (found,) = diagnose(rank_log(range(3, 4), 2), entry("vllm/sure", WORDS)).findings
    assert found.world is None


# --- siblings and questions -------------------------------------------------------------------------------------------------------


def test_the_others_carry_the_words_of_the_first_that_tell_them_apart() -> None:
    report = diagnose(engine("float16") + "\n" + FAILS, *FAMILY)
    assert report.findings[0].tell == {}
    assert report.ruled_out[0].tell == {"en": "The cache is fp8.", "zh": "cache 为 fp8。"}


def test_it_asks_for_the_fact_that_decides() -> None:
    report = diagnose(FAILS, FP8, replace(NATIVE, rules_out=facts(Condition("platform", any_of=("xpu",)))))
    first = report.ask[0]
    assert (first.fact, set(first.decides_between)) == ("kv_cache_dtype", {"vllm/fp8-kv", "vllm/native-kv"})
    assert "kv_cache_dtype" in first.command


def test_it_asks_nothing_when_the_first_is_confirmed() -> None:
    assert diagnose(engine("float16") + "\n" + FAILS, *FAMILY).ask == ()


# --- verdicts ---------------------------------------------------------------------------------------------------------------------


def test_verdicts() -> None:
    assert diagnose("INFO hello\n", *FAMILY).verdict is Verdict.CLEAN
    assert diagnose(FAILS, *FAMILY).verdict is Verdict.KNOWN
    assert diagnose("KeyError: 'x'\n", *FAMILY).verdict is Verdict.UNKNOWN
    assert diagnose(engine("int8") + "\n" + FAILS, FP8, NATIVE).verdict is Verdict.UNKNOWN  # all candidates ruled out


def test_a_ruled_out_candidate_leaves_its_message_unknown() -> None:
    """Also where the words alone would not tell that something failed."""
    assertion = entry("vllm/quoted", r"assert self\.kv_cache_spec", requires=facts(Condition("kv_cache_dtype", none_of=("fp8*",))))
    report = diagnose(engine("fp8") + "\nAssertion at flashinfer.py:801 (assert self.kv_cache_spec.dtype)\n", assertion)
    assert (report.verdict, len(report.unknown), ids(report.ruled_out)) == (Verdict.UNKNOWN, 1, ["vllm/quoted"])


def test_a_frame_explains_the_bare_exception_of_its_traceback() -> None:
    assertion = entry(
        "vllm/assert",
        "",
        signatures=(Signature("frame", r"backends/flashinfer\.py:\d+ in __init__", place=Place.FRAME, with_=r"^AssertionError$"),),
    )
    log = (
        'Traceback (most recent call last):\n  File "/x/vllm/v1/attention/backends/flashinfer.py", line 801, in __init__\nAssertionError\n'
    )
    report: Report = diagnose(log, assertion)
    assert (ids(report.findings), report.unknown) == (["vllm/assert"], ())


def test_words_prove_before_the_frame_above_them() -> None:
    both = entry(
        "vllm/scheme",
        "",
        signatures=(
            Signature("frame", r"schemes\.py:\d+ in check_scheme", place=Place.FRAME),
            Signature("words", r"scheme needs capability (?P<needed>\d+)"),
        ),
    )
    frames = 'Traceback (most recent call last):\n  File "/x/vllm/schemes.py", line 285, in check_scheme\n'
    (whole,) = diagnose(frames + "RuntimeError: scheme needs capability 80\n", both).findings
    (cut,) = diagnose(frames, both).findings
    assert [(hit.signature, hit.line) for hit in whole.hits] == [("words", 3), ("frame", 2)]
    assert [(hit.signature, hit.line) for hit in cut.hits] == [("frame", 2)]


def test_the_spread_over_ranks() -> None:
    """The largest rank that speaks tells no number: it is stated, or the product of the parallel sizes, or unknown."""
    oom = entry("x/oom", "card exploded")
    steps = "".join(f"[rank{rank}]: step=1 loss=2.0\n" for rank in range(8))
    one = diagnose(steps + "[rank3]: RuntimeError: card exploded\n", oom)
    assert (one.findings[0].ranks, one.findings[0].world) == ((3,), None)
    every = diagnose("".join(f"[rank{rank}]: RuntimeError: card exploded\n" for rank in range(8)), oom)
    assert (every.findings[0].ranks, every.findings[0].world) == (tuple(range(8)), None)
    parallel = diagnose("[rank3]: RuntimeError: card exploded\n", oom, stated={"tensor_parallel_size": "4", "pipeline_parallel_size": "2"})
    assert (parallel.findings[0].ranks, parallel.findings[0].world) == ((3,), 8)

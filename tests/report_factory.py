"""Report values made by hand, as the triage would make them: for the tests of what is rendered."""

from fixbook.model import (
    Affects,
    Block,
    Commonness,
    Condition,
    Conditions,
    Entry,
    Evidence,
    FixEffect,
    Kind,
    Level,
    Link,
    Place,
    Sample,
    Severity,
    Sibling,
    Signature,
    Status,
    Text,
)
from fixbook.report import (
    Ask,
    BookInfo,
    Fact,
    Finding,
    Hit,
    MessageStatus,
    Missing,
    Nearest,
    Rank,
    Reason,
    Report,
    Skipped,
    Unknown,
    Verdict,
    VersionStatus,
)
from fixbook.value import replace

BOOK = BookInfo(version="0.1.0", digest="sha256:0123", entries=138)
PROOF = (
    "ERROR 12-01 09:00:07 [core.py:588] RuntimeError: mha_varlen_fwd, /workspace/.deps/vllm-flash-attn-src/csrc/flash_attn/"
    "flash_api.cpp:601, query and key must have the same dtype"
)
REJECTED = '  Value error, kv_cache_dtype="float16" is incompatible with dtype="bfloat16".'


def block(en: str, zh: str, run: str | None = None) -> tuple[Block, ...]:
    return (Block(Text(en, zh), run),)


def seed_entry() -> Entry:
    """A cause with every section."""
    return Entry(
        id="vllm/kv-cache-dtype-differs-from-model",
        kind=Kind.CAUSE,
        status=Status.ACTIVE,
        title=Text("KV cache dtype differs from the model dtype", "KV cache 精度与模型精度不一致"),
        summary=Text(
            "`--kv-cache-dtype {kv_cache_dtype}` was set for a {model_dtype} model. Leave it at `auto`.",
            "为 {model_dtype} 模型设置了 `--kv-cache-dtype {kv_cache_dtype}`。请保持 `auto`。",
        ),
        severity=Severity.SERVICE_DOWN,
        commonness=Commonness.USUAL,
        signatures=(
            Signature(id="fa2-words", pattern=r"\bquery and key must have the same dtype\b", shared=True),
            Signature(id="rejected", pattern=r"\bkv_cache_dtype=\S+ is incompatible with dtype=", after_fix=True),
        ),
        samples=(
            Sample(text=f"INFO starting\n{PROOF}\n", expect={"fa2-words": Level.CONFIRMED}),
            Sample(text=f"{REJECTED}\n", expect={"rejected": Level.CONFIRMED}),
            Sample(text="nothing", expect={}, why="healthy"),
        ),
        sections={
            "environment": block("vLLM 0.31.0 on CUDA.", "CUDA 环境下的 vLLM 0.31.0。"),
            "quick_fix": block(
                "Start without an explicit cache dtype:", "去掉显式的 cache 精度后重启：", "vllm serve {model} --kv-cache-dtype auto"
            ),
            "caveats": block("The fix does not make float16 work.", "修复并不会让 float16 可用。"),
            "cause": block(
                "The kernel wants one dtype:\n\n- query: {model_dtype}\n- key: {kv_cache_dtype}",
                "内核要求精度一致：\n\n- query：{model_dtype}\n- key：{kv_cache_dtype}",
            ),
            "steps": (
                Block(Text("Upgrade.", "升级。"), "pip install -U vllm"),
                Block(Text("Remove the flag.", "去掉该参数。")),
            ),
            "verify": block("The log says `Application startup complete`.", "日志出现 `Application startup complete`。"),
        },
        links=(Link("https://github.com/vllm-project/vllm/pull/60885", "the fix"),),
        evidence=Evidence.FIX_MERGED,
        reviewed="2026-12-01",
        aliases=("vllm/kv-dtype-mismatch",),
        affects=(Affects("vllm", fixed="0.32.1rc0", first_release="0.33.0"),),
        fix_effect=FixEffect.REJECTS_EARLY,
        requires=Conditions((Condition("kv_cache_dtype", any_of=("float16", "bfloat16")),)),
        siblings=(Sibling("vllm/fp8-kv-cache-qk-dtype", Text("The config says `kv_cache_dtype=fp8`.", "配置中为 `kv_cache_dtype=fp8`。")),),
        names={"kv_cache_dtype": Text("float16", "float16"), "model": Text("MODEL", "MODEL"), "model_dtype": Text("bfloat16", "bfloat16")},
    )


def sibling_entry() -> Entry:
    return replace(
        seed_entry(),
        id="vllm/fp8-kv-cache-qk-dtype",
        title=Text("FP8 KV cache meets a FlashAttention build without FP8", "FP8 KV cache 遇到不支持 FP8 的 FlashAttention"),
        aliases=(),
        siblings=(),
    )


def wrapper_entry() -> Entry:
    return replace(
        seed_entry(),
        id="vllm/engine-core-init-failed",
        kind=Kind.WRAPPER,
        title=Text("The engine core did not start", "引擎核心进程启动失败"),
        summary=Text("The real error stands above this line.", "真正的错误在这一行之前。"),
        affects=(),
        fix_effect=None,
        siblings=(),
        aliases=(),
    )


def hit(entry: Entry, **changes: object) -> Hit:
    """A hit of the entry's first signature in `PROOF`."""
    matched = "query and key must have the same dtype"
    values: dict[str, object] = {
        "entry": entry.id,
        "signature": entry.signatures[0].id,
        "message": 3,
        "source": "server.log",
        "line": 41,
        "column": PROOF.index(matched) + 1,
        "text": PROOF,
        "matched": matched,
        "captures": {},
        "place": Place.EXCEPTION,
        "status": MessageStatus.RAISED,
        "shared": True,
    }
    return Hit(**{**values, **changes})  # type: ignore[arg-type]


def finding(entry: Entry, level: Level = Level.CONFIRMED, **changes: object) -> Finding:
    values: dict[str, object] = {
        "entry": entry,
        "level": level,
        "version": VersionStatus.AFFECTED,
        "rank": Rank(entry.kind, level, False, 0, 0, entry.commonness),
        "hits": (hit(entry),),
        "reasons": (
            Reason("kv_cache_dtype = float16 | bfloat16", "kv_cache_dtype", True, "float16", 3),
            Reason("model_dtype ≠ kv_cache_dtype", "model_dtype", True, "bfloat16", 3),
        ),
        "facts": {"kv_cache_dtype": "float16", "model_dtype": "bfloat16", "vllm_version": "0.31.0"},
        "affected_version": "0.31.0",
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def known_report() -> Report:
    """A report in which every part has something to say."""
    first = finding(seed_entry(), ranks=tuple(range(8)), world=8)
    ruled_out = finding(
        sibling_entry(),
        Level.RULED_OUT,
        reasons=(Reason("kv_cache_dtype = fp8*", "kv_cache_dtype", False, "float16", 3),),
    )
    shell = hit(wrapper_entry(), line=88, column=1, matched="Engine core", text="Engine core initialization failed")
    wrapper = finding(wrapper_entry(), hits=(shell, shell, shell))
    return Report(
        book=BOOK,
        source="server.log",
        verdict=Verdict.KNOWN,
        findings=(first,),
        consequences=(wrapper,),
        ruled_out=(ruled_out,),
        facts=(
            Fact("kv_cache_dtype", "float16", "float16", "server.log", 3),
            Fact("model_dtype", "bfloat16", "torch.bfloat16", "server.log", 3),
            Fact("vllm_version", "0.31.0", "v0.31.0", "server.log", 3),
        ),
        missing=(Missing("root-cause", 90, "kubectl logs --previous POD"),),
        skipped=(Skipped("kb/x#slow", "time limit", 12),),
    )


def possible_report() -> Report:
    """Two causes of the same words, and the fact that decides."""
    open_reason = (Reason("kv_cache_dtype = float16 | bfloat16", "kv_cache_dtype", None),)
    first = finding(seed_entry(), Level.POSSIBLE, reasons=open_reason, facts={}, version=VersionStatus.UNKNOWN, affected_version=None)
    tell = {"en": "The config says `kv_cache_dtype=fp8`.", "zh": "配置中为 `kv_cache_dtype=fp8`。"}
    second = finding(sibling_entry(), Level.POSSIBLE, reasons=open_reason, facts={}, tell=tell)
    ask = Ask("kv_cache_dtype", (first.entry.id, second.entry.id), "grep -o 'kv_cache_dtype=[^,]*' server.log")
    return Report(book=BOOK, source="server.log", verdict=Verdict.KNOWN, findings=(first, second), ask=(ask,))


def wrapper_report() -> Report:
    entry = wrapper_entry()
    line = "RuntimeError: Engine core initialization failed. See root cause above."
    shell = finding(entry, hits=(hit(entry, line=9, text=line, column=15, matched=line[14:53], shared=False),), reasons=(), facts={})
    missing = (Missing("root-cause", 9, "kubectl logs --previous POD"),)
    return Report(book=BOOK, source="pod.log", verdict=Verdict.WRAPPER, findings=(shell,), missing=missing)


def unknown_report() -> Report:
    failure = Unknown(
        fingerprint="9f2c41d07a35",
        exception="ValueError",
        message="the frobnicator is not `calibrated`",
        line=77,
        frames=("app/serve.py in main",),
        nearest=(Nearest("vllm/engine-dead", "the exception's class is another"),),
    )
    facts = (Fact("vllm_version", "0.31.0", "v0.31.0", "app.log", 3),)
    return Report(book=BOOK, source="app.log", verdict=Verdict.UNKNOWN, unknown=(failure,), facts=facts)


def clean_report() -> Report:
    return Report(book=BOOK, source="server.log", verdict=Verdict.CLEAN)


REPORTS = {
    "known": known_report,
    "possible": possible_report,
    "wrapper": wrapper_report,
    "unknown": unknown_report,
    "clean": clean_report,
}

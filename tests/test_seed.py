"""The seed: its texts are recognised as the software prints them and as the article quotes them, and its siblings where they are meant."""

from functools import cache

import pytest

import fixbook
from fixbook.api import Book, Report
from shapes import SHAPES, Shape

SEED = "vllm/kv-cache-dtype-differs-from-model"
FP8 = "vllm/fp8-kv-cache-qk-dtype"
FA2 = (
    "RuntimeError: mha_varlen_fwd, /workspace/.deps/vllm-flash-attn-src/csrc/flash_attn/flash_api.cpp:601, "
    "query and key must have the same dtype"
)
WORDS = "RuntimeError: query and key must have the same dtype"
FA4 = "AssertionError: q.dtype torch.bfloat16 != k.dtype torch.float16"
QUOTED = "AssertionError at flashinfer.py:801 (assert self.kv_cache_spec.dtype == self.model_config.dtype)"
REJECTED = 'kv_cache_dtype="float16" is incompatible with dtype="bfloat16". Please set `--kv-cache-dtype` to `auto` or `bfloat16`.'


def _frames(line: int, source: bool) -> str:
    quoted = "\n    assert self.kv_cache_spec.dtype == self.model_config.dtype" if source else ""
    return (
        "Traceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.12/site-packages/vllm/v1/worker/gpu_model_runner.py", line 4011, in initialize_metadata_builders\n'
        f'  File "/opt/venv/lib/python3.12/site-packages/vllm/v1/attention/backends/flashinfer.py", line {line}, in __init__{quoted}\n'
        "AssertionError"
    )


def _pydantic(message: str) -> str:
    return (
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
        f"  Value error, {message} [type=value_error, input_value=ArgsKwargs((), {{'model_config': 1}}), input_type=ArgsKwargs]\n"
        "    For further information visit https://errors.pydantic.dev/2.12/v/value_error"
    )


TEXTS = {
    "FA2": FA2,
    "FA4": FA4,
    "as the article quotes FlashInfer": QUOTED,
    "FlashInfer 0.31": _frames(801, True),
    "FlashInfer 0.33": _frames(983, True),
    "FlashInfer without its source line": _frames(858, False),
    "rejected": _pydantic(REJECTED),
    "rejected, as the article quotes it": "ValueError: " + REJECTED.replace("`", ""),
    "rejected, float16 model": _pydantic(REJECTED.replace("bfloat16", "x16").replace("float16", "bfloat16").replace("x16", "float16")),
    "rejected, float32 model": _pydantic(
        'kv_cache_dtype="float16" is incompatible with dtype="float32". Please set `--kv-cache-dtype` to `auto`.'
    ),
}
# First without any facts: the words with vLLM's own path, and the rejection.
ALONE = [name for name in TEXTS if name == "FA2" or name.startswith("rejected")]


def _engine(kv: str, dtype: str = "torch.bfloat16") -> str:
    return (
        f"INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='m', dtype={dtype}, "
        f"quantization=fp8, kv_cache_dtype={kv}"
    )


@cache
def _book() -> Book:
    return fixbook.load()


def _first(report: Report) -> tuple[str, str]:
    return (report.findings[0].entry.id, str(report.findings[0].level)) if report.findings else ("", "")


SHAPED = [shape for shape in SHAPES if not shape.name.startswith("embedded")]


@pytest.mark.parametrize("shape", SHAPED, ids=[shape.name for shape in SHAPED])
def test_the_seed_in_every_shape(shape: Shape) -> None:
    wrong = []
    for name, text in TEXTS.items():
        stated = _first(_book().diagnose(shape.make([_engine("float16"), *text.splitlines()]).data))
        if stated != (SEED, "confirmed"):
            wrong.append(f"{name}, facts stated: {stated}")
        alone = _book().diagnose(shape.make(text.splitlines()).data)
        if SEED not in [finding.entry.id for finding in alone.findings]:
            wrong.append(f"{name}, alone: {_first(alone)}")
        if name in ALONE and _first(alone)[0] != SEED:
            wrong.append(f"{name}, alone, first: {_first(alone)}")
    assert not wrong


@pytest.mark.parametrize("name", TEXTS)
def test_inside_a_server_log(name: str) -> None:
    start = [
        f"(APIServer pid=7) INFO 12-01 09:00:{at % 60:02} [api_utils.py:{at}] Route: /v1/item/{at}, Methods: POST" for at in range(280)
    ]
    lines = [_engine("float16"), *TEXTS[name].splitlines()]
    failed = [f"(EngineCore_DP0 pid=9) ERROR 12-01 09:01:00 [core.py:588] {line}" for line in lines[1:]]
    tail = ["(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"]
    log = "\n".join([*start, "(EngineCore_DP0 pid=9) " + lines[0], *failed, *tail])
    report = _book().diagnose(log)
    assert _first(report) == (SEED, "confirmed")
    assert "vllm/engine-core-init-failed" in [finding.entry.id for finding in report.consequences]
    assert report.findings[0].hits[0].line > 281


@pytest.mark.parametrize("text", [FA2, WORDS], ids=["with the path", "the words"])
@pytest.mark.parametrize("kv", ["fp8", "fp8_e4m3", "fp8_e5m2"])
def test_an_fp8_cache_is_the_sibling(kv: str, text: str) -> None:
    report = _book().diagnose(_engine(kv) + "\n" + text)
    assert _first(report)[0] == FP8
    assert SEED in [finding.entry.id for finding in report.ruled_out]


def test_xpu_frames_are_the_sibling() -> None:
    frames = (
        "Traceback (most recent call last):\n"
        '  File "/usr/local/lib/python3.12/dist-packages/vllm_xpu_kernels/flash_attn_interface.py", line 125, in flash_attn_varlen_func\n'
    )
    assert _first(_book().diagnose(frames + WORDS))[0] == "vllm/xpu-qk-dtype"


def test_a_training_traceback_is_the_sibling() -> None:
    frames = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/train.py", line 120, in <module>\n    trainer.train()\n'
        '  File "/home/u/venv/lib/python3.11/site-packages/transformers/trainer.py", line 2123, in train\n'
        '  File "/home/u/venv/lib/python3.11/site-packages/peft/tuners/lora/layer.py", line 497, in forward\n'
        '  File "/home/u/venv/lib/python3.11/site-packages/flash_attn/flash_attn_interface.py", line 96, in _flash_attn_varlen_forward\n'
    )
    assert _first(_book().diagnose(frames + WORDS))[0] == "flash-attn/lora-training-qk-dtype"


def test_the_value_that_an_old_release_does_not_know() -> None:
    text = "vllm serve: error: argument --kv-cache-dtype: invalid choice: 'float16' (choose from 'auto', 'fp8', 'fp8_e4m3', 'fp8_e5m2')"
    assert _first(_book().diagnose(text))[0] == "vllm/kv-cache-dtype-invalid-choice"


@pytest.mark.parametrize("wrapper", ["vllm/engine-core-init-failed", "vllm/engine-dead"])
def test_wrappers_say_how_to_get_the_rest(wrapper: str) -> None:
    article = _book()[wrapper].render("markdown", lang="zh")
    assert "kubectl logs" in article
    assert "docker logs" in article

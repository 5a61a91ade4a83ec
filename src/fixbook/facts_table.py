"""Where logs state facts about a program: configuration lines, commands and versions; one row for each wording.

A row is data that a browser can run as well: a pattern in the portable subset, literals of which every match contains one, and what
follows from a match. Named groups are facts; `package` and `version` together state `<package>_version`.
"""

from __future__ import annotations

from collections.abc import Mapping

from .model import Place
from .value import Value, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Follow = Literal["", "pairs", "flags"]

__all__ = ["ANY", "ARGUMENTS", "FRAME", "PACKAGE_NAMES", "SETTINGS", "TEXT", "VALUE_FLAGS", "VERSIONS", "Extractor", "row"]

FRAME = (Place.FRAME,)
TEXT = (Place.MESSAGE,)
ANY = (Place.MESSAGE, Place.EXCEPTION, Place.FRAME)


class Extractor(Value):
    """One wording that states facts."""

    id: str
    literals: tuple[str, ...]  # every match contains one of them; at least 4 characters each
    pattern: str
    states: Mapping[str, str] = field(default_factory=dict)  # facts that hold wherever the pattern matches
    then: Follow = ""  # settings to read: `a=1, b=2` behind the match, `--a 1` from its beginning
    places: tuple[Place, ...] = (Place.MESSAGE, Place.EXCEPTION)
    code: bool = False  # `pairs` of source code: only literal values count, a variable's name is no value
    typed: bool = False  # written by a person, no logger: a line without a level, in a paste


_MESSAGES = (Place.MESSAGE, Place.EXCEPTION)


def row(
    id: str,
    literals: str,
    pattern: str,
    states: Mapping[str, str] | None = None,
    then: Follow = "",
    places: tuple[Place, ...] = _MESSAGES,
    code: bool = False,
    typed: bool = False,
) -> Extractor:
    """An extractor with its literals written in one string, `|` between them."""
    return Extractor(id, tuple(literals.split("|")), pattern, states or {}, then, places, code, typed)  # all by place: the quick way


# The names of settings → facts. `bf16` and its like are flags whose name is the value.
ARGUMENTS: Mapping[str, str] = {
    "attention_backend": "attention_backend",
    "attn_implementation": "attention_backend",
    "block_size": "block_size",
    "context_length": "max_model_len",
    "cpu_offload_gb": "cpu_offload_gb",
    "data_parallel_size": "data_parallel_size",
    "device": "platform",
    "device_config": "platform",
    "distributed_executor_backend": "distributed_executor_backend",
    "dp": "data_parallel_size",
    "dp_size": "data_parallel_size",
    "dtype": "model_dtype",
    "enforce_eager": "enforce_eager",
    "gpu_memory_utilization": "gpu_memory_utilization",
    "kv_cache_dtype": "kv_cache_dtype",
    "load_format": "load_format",
    "max_model_len": "max_model_len",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "max_num_seqs": "max_num_seqs",
    "max_seq_len": "max_model_len",
    "model": "model",
    "model_name_or_path": "model",
    "model_path": "model",
    "model_tag": "model",
    "params_dtype": "model_dtype",
    "pipeline_model_parallel_size": "pipeline_parallel_size",
    "pipeline_parallel_size": "pipeline_parallel_size",
    "pp": "pipeline_parallel_size",
    "pp_size": "pipeline_parallel_size",
    "quantization": "quantization",
    "quantize": "quantization",
    "speculative_algorithm": "speculative_method",
    "tensor_model_parallel_size": "tensor_parallel_size",
    "tensor_parallel_size": "tensor_parallel_size",
    "tool_call_parser": "tool_call_parser",
    "torch_dtype": "model_dtype",
    "tp": "tensor_parallel_size",
    "tp_size": "tensor_parallel_size",
    "trust_remote_code": "trust_remote_code",
    "world_size": "world_size",
    # settings inside another one are written with their owner
    "speculative_config.method": "speculative_method",
}
VALUE_FLAGS: Mapping[str, tuple[str, str]] = {
    "bf16": ("model_dtype", "bfloat16"),
    "fp16": ("model_dtype", "float16"),
    "load_in_4bit": ("quantization", "bitsandbytes"),
    "load_in_8bit": ("quantization", "bitsandbytes"),
}

# The name in front of `_version`, where it is not the package's own.
PACKAGE_NAMES: Mapping[str, str] = {
    "flashinfer_python": "flashinfer",
    "nvidia_nccl_cu11": "nccl",
    "nvidia_nccl_cu12": "nccl",
    "nvidia_nccl_cu13": "nccl",
    "pytorch": "torch",
    "pytorch_triton": "triton",
    "tensorrt_llm": "tensorrt_llm",
}

# fmt: off
_PACKAGES = (
    "accelerate", "auto-gptq", "autoawq", "bitsandbytes", "cuda-python", "datasets", "deepspeed", "diffusers", "fastapi", "flash-attn",
    "flashinfer-python", "gradio", "huggingface-hub", "lmdeploy", "llamafactory", "modelscope", "ms-swift", "numpy", "nvidia-nccl-cu11",
    "nvidia-nccl-cu12", "nvidia-nccl-cu13", "openai", "outlines", "peft", "protobuf", "pydantic", "pytorch-triton", "ray", "safetensors",
    "sentencepiece", "sgl-kernel", "sglang", "tensorrt", "tokenizers", "torch", "torch-npu", "torchaudio", "torchvision",
    "transformer-engine", "transformers", "triton", "vllm", "vllm-ascend", "xformers", "xgrammar", "xinference",
)
# As environment reports call them, in front of `version`.
_TITLES = (
    "vLLM", "PyTorch", "pytorch", "Transformers", "transformers", "Accelerate", "accelerate", "DeepSpeed", "SGLang", "sglang", "xformers",
    "TensorRT-LLM", "Triton", "triton", "vllm", "Numpy", "Safetensors", "flash-attn", "FlashInfer",
)
# Flags that are worth reading outside a command as well: long enough to mean nothing else.
_FLAGS = (
    "attention-backend", "block-size", "cpu-offload-gb", "data-parallel-size", "distributed-executor-backend", "dtype", "enforce-eager",
    "gpu-memory-utilization", "kv-cache-dtype", "load-format", "max-model-len", "max-num-batched-tokens", "max-num-seqs",
    "pipeline-parallel-size", "quantization", "tensor-parallel-size", "tool-call-parser", "trust-remote-code",
)
# fmt: on


def _spelled(names: tuple[str, ...]) -> list[str]:
    """Each name as it is and with `_` for `-`."""
    return list(dict.fromkeys(form for name in names for form in (name, name.replace("-", "_"))))


def _any(names: tuple[str, ...]) -> str:
    """An alternation in which a longer name comes before the shorter one that begins it."""
    return "|".join(sorted(_spelled(names), key=len, reverse=True))


def _each(names: tuple[str, ...], *ends: str) -> str:
    """Each name with each end: the literals of a row."""
    return "|".join(name + end for name in _spelled(names) for end in ends)


_PACKAGE = f"(?P<package>{_any(_PACKAGES)})"
_TITLE = f"(?P<package>{_any(_TITLES)})"
_VERSION = r"(?P<version>\d+\.\d+[\w.]{0,40})"
# What a build adds to its version: the CUDA it was built for, or that it was built for something else.
_LOCAL = r"(?:\+(?:cu(?P<cuda_version>\d{3})|(?P<platform>cpu|rocm|xpu))?[\w.]{0,40})?"
_FLAG = "--(?:" + "|".join(_FLAGS) + r")\b"
_FLAG_LITERALS = "|".join(f"--{name}" for name in _FLAGS)
_VLLM = {"program": "vllm"}

# fmt: off
SETTINGS = (
    # core.py: Initializing a V1 LLM engine (v0.12.0) with config: model='m', …; dump_input.py: Dumping input data for V1 LLM engine (v…) …
    row("vllm-engine-config", "LLM engine ",
        r"(?:\b(?P<engine>V[01]) )?LLM engine (?:\(v(?P<vllm_version>[\w.+]{1,60})\) )?with config: ", states=_VLLM, then="pairs"),
    # Before 0.4 the line had no version, and there was one engine only.
    row("vllm-engine-v0", "Initializing an LLM engine with", r"Initializing an LLM engine with config: ", states={"engine": "v0"}),
    row("vllm-arguments", "non-default args: ", r"non-default args: \{", states=_VLLM, then="pairs"),
    row("namespace", "Namespace(", r"\bNamespace\(", then="pairs"),
    row("sglang-arguments", "ServerArgs(", r"\bServerArgs\(", states={"program": "sglang"}, then="pairs"),
    row("python-call", "LLM(|EngineArgs(|from_pretrained(|TrainingArguments(|SFTConfig(|BitsAndBytesConfig(",
        r"\b(?:LLM|(?:Async)?EngineArgs|from_pretrained|TrainingArguments|SFTConfig|BitsAndBytesConfig)\(",
        then="pairs", places=(Place.MESSAGE, Place.SOURCE), code=True),
    row("command",
        "vllm serve |vllm bench |sglang serve |sglang.launch_server |torchrun |deepspeed |accelerate launch |llamafactory-cli |swift sft "
        "|swift rlhf |swift infer |swift deploy |lmdeploy serve |xinference launch |docker run |python |python3 ",
        r"(?:vllm serve|vllm bench|sglang serve|sglang\.launch_server|torchrun|deepspeed|accelerate launch|llamafactory-cli"
        r"|swift (?:sft|rlhf|infer|deploy)|lmdeploy serve|xinference launch|docker run|python3?) [^\n]{0,400}[ \t]--?[a-z]",
        then="flags", places=TEXT),
    # "vllm serve of a large model fails" is prose: what follows the model is a flag or the end.
    row("serve-model", "vllm serve ", r"(?:^|[$#>&;|+\"']\s{0,2})vllm serve (?P<model>[^\s<$-]\S{0,200})(?=\s*$|\s+[-\\])",
        places=TEXT, typed=True),
    row("megatron-arguments", "model_parallel_size ...|world_size ...|params_dtype ...",
        r"\btensor_model_parallel_size \.{3,60} (?P<tensor_parallel_size>\d{1,4})"
        r"|\bpipeline_model_parallel_size \.{3,60} (?P<pipeline_parallel_size>\d{1,4})"
        r"|\bworld_size \.{3,60} (?P<world_size>\d{1,6})|\bparams_dtype \.{3,60} (?P<model_dtype>torch\.\w{4,12})",
        states={"program": "training"}),
    # A line of its own in a script, a compose file or a manifest.
    # In a manifest the value may stand on the next line.
    row("flag-line", _FLAG_LITERALS, r"(?:^|\n)[-+\s\"'\[]{0,12}" + _FLAG, then="flags", places=TEXT, typed=True),
    # sys.argv, `command:` of compose, CMD of an image: ['/usr/bin/vllm', 'serve', '--kv-cache-dtype', 'fp8']
    row("argument-list", _FLAG_LITERALS, r"[\[,(]\s?['\"]" + _FLAG + r"(?:=|['\"],\s?['\"][^-'\"\n])", then="flags"),
    # "it fails with `--kv-cache-dtype fp8`", "(--quantization fp8)", "加上 --enforce-eager". Advice says "set" or "try", and is not read.
    row("flag-in-prose", _FLAG_LITERALS,
        r"(?:\b[Ww]ith|\b[Uu]sing|\b[WwIi]e? use|加上?|使用了?|设置了|用了)[ `'\"(（]{0,3}" + _FLAG + r"|[(（]" + _FLAG,
        then="flags", places=TEXT, typed=True),
    row("environment-backend", "VLLM_ATTENTION_BACKEND",
        r"\bVLLM_ATTENTION_BACKEND['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<attention_backend>\w{2,40})"),
    row("environment-engine", "VLLM_USE_V1", r"\bVLLM_USE_V1['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<engine>[01])\b"),
    row("environment-world", "WORLD_SIZE", r"\bWORLD_SIZE['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<world_size>\d{1,6})\b"),
)

VERSIONS = (
    row("vllm-server-version", "vLLM API server version ", r"vLLM API server version (?P<vllm_version>[\w.+]{1,60})", states=_VLLM),
    row("vllm-banner", "█  version ", r"█  version (?P<vllm_version>[\w.+]{1,60})", states=_VLLM),
    row("vllm-banner-model", "█  model", r"█  model\s{1,8}(?P<model>\S{1,200})"),
    row("pip-freeze", _each(_PACKAGES, "==", " ==", "["),
        r"(?<![\w-])" + _PACKAGE + r"(?:\[[\w,-]{1,40}\])? ?={2,3}\s?" + _VERSION + _LOCAL),
    # pip list and conda list print two columns.
    row("pip-list", _each(_PACKAGES, "  "), r"(?:^|\n|\[conda\] )" + _PACKAGE + r" {2,40}" + _VERSION + _LOCAL),
    row("pip-wheel", ".dist-info|-cp3|-py3|-py2|.tar.gz",
        r"(?<![\w-])" + _PACKAGE + "-" + _VERSION + _LOCAL + r"(?:\.dist-info|-cp3|-py3|-py2|\.tar\.gz)"),
    # torch.utils.collect_env, vllm collect-env, transformers env, ds_report
    row("version-line", _each(_TITLES, " version", " Version", "` version", "` Version"),
        r"(?<![\w-])" + _TITLE + r"`? [Vv]ersion(?: \(accelerator\?\))?\s{0,30}[:=]\s{0,4}v?" + _VERSION + _LOCAL),
    row("found-version", "but found version: ",
        r"requires transformers version: .{0,60}but found version: (?P<transformers_version>\d[\w.]{1,40})"),
    row("torch-attribute", "torch.__version__",
        r"\btorch\.__version__\s{0,4}[=:]\s{0,4}['\"]?(?P<torch_version>\d+\.\d+[\w.]{0,40})" + _LOCAL),
    row("xformers-you-have", "(you have ",
        r"PyTorch \S{1,40} with (?:CUDA \w{1,10} )?\(you have (?P<torch_version>\d+\.\d+[\w.]{0,40})" + _LOCAL),
    row("numpy-two", "cannot be run in", r"cannot be run in\s+NumPy (?P<numpy_version>\d+\.\d+[\w.]{0,20})"),
    # A report's own list: "- vllm: 0.9.1", "vLLM v0.9.1", "torch 2.6.0", "环境：vLLM 0.9.1，torch 2.7.0", "vLLM 版本：0.8.5".
    row("typed-version",
        _each(("vLLM", "vllm", "SGLang", "sglang", "PyTorch", "pytorch", "torch", "ransformers", "riton", "flash-attn"),
            ":", " ", "：", "版"),
        r"(?:^[-*•\s]{0,6}|[，、；：（]\s?)(?P<package>vLLM|vllm|SGLang|sglang|PyTorch|pytorch|torch|[Tt]ransformers|[Tt]riton|flash-attn|flash_attn)"
        r"(?: ?(?:版本 ?)?[:：]\s?| )v?" + _VERSION + _LOCAL, places=TEXT, typed=True),
    row("image-vllm", "vllm-openai:|vllm-dev:|vllm-cpu:",
        r"\bvllm-(?:openai|dev|cpu):v?(?P<vllm_version>\d+\.\d+[\w.]{0,40})", states={"container": "docker"}),
    row("image-ascend", "vllm-ascend:",
        r"\bvllm-ascend:v?(?P<vllm_ascend_version>\d+\.\d+[\w.]{0,40})", states={"container": "docker", "platform": "ascend"}),
    row("image-sglang", "lmsysorg/sglang:",
        r"\blmsysorg/sglang:v?(?P<sglang_version>\d+\.\d+[\w.]{0,40})", states={"container": "docker"}),
    row("nccl-version", "NCCL version ", r"\bNCCL version (?P<nccl_version>\d+\.\d+[\d.]{0,20})"),
    row("nccl-pip", "is using nccl==", r"is using nccl==(?P<nccl_version>\d+\.\d+[\d.]{0,20})"),
    row("ray-cluster", "Ray: ", r"\bRay: (?P<ray_version>\d+\.\d+\.\d+)\s+Python: (?P<python_version>\d+\.\d+\.\d+)"),
    row("ollama", "(version ", r"\(version (?P<ollama_version>\d+\.\d+\.\d+)\)"),
    row("cuda-built", "CUDA used to build PyTorch", r"CUDA used to build PyTorch {0,30}: (?P<cuda_version>\d+\.\d+)"),
    row("rocm-built", "used to build PyTorch", r"(?:ROCM|HIP) used to build PyTorch {0,30}: \d", states={"platform": "rocm"}),
    row("cuda-compiled", "was compiled with ", r"version (?:that )?(?:torch|PyTorch) was compiled with (?P<cuda_version>\d+\.\d+)"),
    row("cuda-compiled-torch", "was used to compile", r"was used to compile\s+PyTorch \((?P<cuda_version>\d+\.\d+)\)"),
    row("python-line", "Python version|Python 3.|Python版本|Python 版本",
        r"\bPython(?: version {0,30}: | ?版本[:：] ?| )(?P<python_version>3\.\d{1,2}(?:\.\d{1,2})?)\b"),
    row("python-path", "/python3.", r"/python(?P<python_version>3\.\d{1,2})/", places=ANY),
    row("python-windows", "/Python3", r"/Python(?P<python_version>3\d{1,2})/", places=FRAME),
    row("python-extension", ".cpython-3", r"\.cpython-(?P<python_version>3\d{1,2})-", places=ANY),
)
# fmt: on

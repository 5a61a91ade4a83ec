"""Where logs state facts: one row for each wording, and the names that settings have in the programs that print them.

A row is data that a browser can run as well: a pattern in the portable subset, literals of which every match contains one, and what
follows from a match. Named groups are facts; `package` and `version` together state `<package>_version`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .model import Place

__all__ = ["ARGUMENTS", "EXTRACTORS", "PACKAGE_NAMES", "VALUE_FLAGS", "Extractor"]


@dataclass(frozen=True, slots=True)
class Extractor:
    """One wording that states facts."""

    id: str
    pattern: str
    literals: tuple[str, ...]  # every match contains one of them; at least 4 characters each
    states: Mapping[str, str] = field(default_factory=dict)  # facts that hold wherever the pattern matches
    then: Literal["", "pairs", "flags"] = ""  # settings that follow: `a=1, b=2` behind the match, `--a 1` from its beginning
    places: tuple[Place, ...] = (Place.MESSAGE, Place.EXCEPTION)
    code: bool = False  # `pairs` of source code: only literal values count, a variable's name is no value
    typed: bool = False  # written by a person, no logger: a line without a level, in a paste


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

_PACKAGES = (
    "accelerate auto-gptq autoawq bitsandbytes cuda-python datasets deepspeed diffusers fastapi flash-attn flashinfer-python gradio "
    "huggingface-hub lmdeploy llamafactory modelscope ms-swift numpy nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-nccl-cu13 openai outlines peft "
    "protobuf pydantic pytorch-triton safetensors sentencepiece sgl-kernel sglang tensorrt tokenizers torch torch-npu torchaudio torchvision "
    "transformer-engine transformers triton vllm vllm-ascend xformers xgrammar xinference"
).split()
_PACKAGE = "(?P<package>" + "|".join(name.replace("-", "[-_]") for name in sorted((*_PACKAGES, "ray"), key=len, reverse=True)) + ")"
_VERSION = r"(?P<version>\d+\.\d+[\w.]{0,40})"
# What a build adds to its version: the CUDA it was built for, or that it was built for something else.
_LOCAL = r"(?:\+(?:cu(?P<cuda_version>\d{3})|(?P<platform>cpu|rocm|xpu))?[\w.]{0,40})?"


def _spelled(suffix: str, names: tuple[str, ...] = (*_PACKAGES, "ray")) -> tuple[str, ...]:
    """Each package name with the suffix, with `-` and with `_`."""
    return tuple(dict.fromkeys(spelled + suffix for name in names for spelled in (name, name.replace("-", "_"))))


_TITLES = ("vLLM", "PyTorch", "pytorch", "Transformers", "transformers", "`transformers`", "Accelerate", "`Accelerate`", "DeepSpeed")
_TITLES += ("SGLang", "sglang", "xformers", "TensorRT-LLM", "Triton", "triton", "vllm", "Numpy", "Safetensors", "flash-attn", "FlashInfer")
_TITLE = "(?P<package>" + "|".join(sorted({title.strip("`") for title in _TITLES}, key=len, reverse=True)) + ")"

# Flags that are worth reading outside a command as well: long enough to mean nothing else.
_FLAGS = (
    "attention-backend|block-size|cpu-offload-gb|data-parallel-size|distributed-executor-backend|dtype|enforce-eager|gpu-memory-utilization|"
    "kv-cache-dtype|load-format|max-model-len|max-num-batched-tokens|max-num-seqs|pipeline-parallel-size|quantization|"
    "tensor-parallel-size|tool-call-parser|trust-remote-code"
)
_FLAG_LITERALS = tuple(f"--{name}" for name in _FLAGS.split("|"))

_ATTENTION = (
    "Flash ?Attention(?:-[23]| MLA)?|Flash[Ii]nfer(?: MLA)?|FLASH\\w{2,40}|FlashMLA|XFormers|XFORMERS|Torch SDPA|TORCH_SDPA|ROCmFlashAttention|"
    "Rocm Attention|ROCM_\\w{2,40}|Triton Attention|Triton MLA|TRITON_\\w{2,40}|CUTLASS_\\w{2,40}|FlexAttention|FLEX_ATTENTION|Tree Attention|"
    "TREE_ATTN|Pallas|PALLAS|IPEX attention|IPEX|HPUAttention|BlocksparseFlashAttention|AITER MLA|AITER TRITON MLA|CPU_ATTN|B12X"
)

_VLLM = {"program": "vllm"}
_TRAINING = {"program": "training"}
_NPU = {"platform": "ascend"}
_FRAME = (Place.FRAME,)
_ANY = (Place.MESSAGE, Place.EXCEPTION, Place.FRAME)
_TEXT = (Place.MESSAGE,)

_SETTINGS = (
    # core.py: Initializing a V1 LLM engine (v0.12.0) with config: model='m', …; dump_input.py: Dumping input data for V1 LLM engine (v…) …
    Extractor(
        "vllm-engine-config",
        r"(?:\b(?P<engine>V[01]) )?LLM engine (?:\(v(?P<vllm_version>[\w.+]{1,60})\) )?with config: ",
        ("LLM engine ",),
        _VLLM,
        "pairs",
    ),
    # before 0.4 the line had no version, and there was one engine only
    Extractor("vllm-engine-v0", r"Initializing an LLM engine with config: ", ("Initializing an LLM engine with",), {"engine": "v0"}),
    Extractor("vllm-arguments", r"non-default args: \{", ("non-default args: ",), _VLLM, "pairs"),
    Extractor("namespace", r"\bNamespace\(", ("Namespace(",), {}, "pairs"),
    Extractor("sglang-arguments", r"\bServerArgs\(", ("ServerArgs(",), {"program": "sglang"}, "pairs"),
    Extractor(
        "python-call",
        r"\b(?:LLM|(?:Async)?EngineArgs|from_pretrained|TrainingArguments|SFTConfig|BitsAndBytesConfig)\(",
        ("LLM(", "EngineArgs(", "from_pretrained(", "TrainingArguments(", "SFTConfig(", "BitsAndBytesConfig("),
        {},
        "pairs",
        places=(Place.MESSAGE, Place.SOURCE),
        code=True,
    ),
    Extractor(
        "command",
        r"(?:vllm serve|vllm bench|sglang[. ]serve|sglang\.launch_server|torchrun|deepspeed|accelerate launch|llamafactory-cli|swift (?:sft|rlhf|infer|deploy)"
        r"|lmdeploy serve|xinference launch|docker run|python3?) [^\n]{0,400}[ \t]--?[a-z]",
        (
            "vllm serve ",
            "vllm bench ",
            "sglang serve ",
            "sglang.launch_server ",
            "torchrun ",
            "deepspeed ",
            "accelerate launch ",
            "llamafactory-cli ",
        )
        + (
            "swift sft ",
            "swift rlhf ",
            "swift infer ",
            "swift deploy ",
            "lmdeploy serve ",
            "xinference launch ",
            "docker run ",
            "python ",
            "python3 ",
        ),
        {},
        "flags",
        places=_TEXT,
    ),
    # a line of its own in a script, a compose file or a manifest
    Extractor("flag-line", r"^[-+\s\"'\[]{0,12}--(?:" + _FLAGS + r")\b", _FLAG_LITERALS, {}, "flags", places=_TEXT, typed=True),
    # "it fails with `--kv-cache-dtype fp8`", "(--quantization fp8)", "加上 --enforce-eager"; advice says "set" or "try", and is not read
    Extractor(
        "flag-in-prose",
        r"(?:\b[Ww]ith|\b[Uu]sing|\b[Ww]e use|\bI use|\bi use|加上?|使用了?|设置了|用了)[ `'\"(（]{0,3}--(?:"
        + _FLAGS
        + r")\b|[(（]--(?:"
        + _FLAGS
        + r")\b",
        _FLAG_LITERALS,
        {},
        "flags",
        places=_TEXT,
        typed=True,
    ),
    Extractor(
        "environment-backend",
        r"\bVLLM_ATTENTION_BACKEND['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<attention_backend>\w{2,40})",
        ("VLLM_ATTENTION_BACKEND",),
    ),
    Extractor("environment-engine", r"\bVLLM_USE_V1['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<engine>[01])\b", ("VLLM_USE_V1",)),
    Extractor("environment-world", r"\bWORLD_SIZE['\"]?\s{0,2}[=:]\s{0,2}['\"]?(?P<world_size>\d{1,6})\b", ("WORLD_SIZE",)),
)

_VERSIONS = (
    Extractor("vllm-server-version", r"vLLM API server version (?P<vllm_version>[\w.+]{1,60})", ("vLLM API server version ",), _VLLM),
    Extractor("vllm-banner", r"█\s{1,4}version (?P<vllm_version>[\w.+]{1,60})", ("█  version ",), _VLLM),
    Extractor("vllm-banner-model", r"█\s{1,4}model\s{1,8}(?P<model>\S{1,200})", ("█  model ",)),
    Extractor("pip-freeze", r"(?<![\w-])" + _PACKAGE + r"(?:\[[\w,-]{1,40}\])?\s?={2,3}\s?" + _VERSION + _LOCAL, _spelled("==")),
    # pip list, conda list: two columns
    Extractor("pip-list", r"(?:^|\n|\[conda\] )" + _PACKAGE + r"\s{2,40}" + _VERSION + _LOCAL, _spelled("  ")),
    Extractor(
        "pip-wheel", r"(?<![\w-])" + _PACKAGE + "-" + _VERSION + _LOCAL + r"(?:\.dist-info|-cp\d|-py3|-py2|\.tar\.gz)", _spelled("-")
    ),
    # torch.utils.collect_env, vllm collect-env, transformers env, ds_report
    Extractor(
        "version-line",
        r"(?<![\w-])`?" + _TITLE + r"`? [Vv]ersion(?: \(accelerator\?\))?\s{0,30}[:=]\s{0,4}v?" + _VERSION + _LOCAL,
        (*(f"{title} version" for title in _TITLES), *(f"{title} Version" for title in _TITLES)),
    ),
    Extractor(
        "found-version",
        r"requires transformers version: .{0,60}but found version: (?P<transformers_version>\d[\w.]{1,40})",
        ("but found version: ",),
    ),
    Extractor(
        "torch-attribute",
        r"\btorch\.__version__\s{0,4}[=:]\s{0,4}['\"]?(?P<torch_version>\d+\.\d+[\w.]{0,40})" + _LOCAL,
        ("torch.__version__",),
    ),
    Extractor(
        "xformers-you-have",
        r"PyTorch \S{1,40} with (?:CUDA \w{1,10} )?\(you have (?P<torch_version>\d+\.\d+[\w.]{0,40})" + _LOCAL,
        ("(you have ",),
    ),
    Extractor("numpy-two", r"cannot be run in\s+NumPy (?P<numpy_version>\d+\.\d+[\w.]{0,20})", ("cannot be run in",)),
    # a report's own list: "- vllm: 0.9.1", "vLLM v0.9.1", "torch 2.6.0"
    Extractor(
        "typed-version",
        r"^[-*•\s]{0,6}(?P<package>vLLM|vllm|SGLang|sglang|PyTorch|pytorch|torch|[Tt]ransformers|[Tt]riton|flash[-_]attn)(?::\s?| )v?"
        + _VERSION
        + _LOCAL,
        tuple(
            name + end
            for name in ("vLLM", "vllm", "SGLang", "sglang", "PyTorch", "pytorch", "torch", "ransformers", "riton", "flash-attn")
            for end in ": "
        ),
        places=_TEXT,
        typed=True,
    ),
    Extractor(
        "image-vllm",
        r"(?:vllm-openai|/vllm-dev|/vllm-cpu):v?(?P<vllm_version>\d+\.\d+[\w.]{0,40})",
        ("vllm-openai:", "vllm-dev:", "vllm-cpu:"),
        {"container": "docker"},
    ),
    Extractor(
        "image-ascend", r"vllm-ascend:v?(?P<vllm_ascend_version>\d+\.\d+[\w.]{0,40})", ("vllm-ascend:",), {"container": "docker", **_NPU}
    ),
    Extractor("image-sglang", r"lmsysorg/sglang:v?(?P<sglang_version>\d+\.\d+[\w.]{0,40})", ("lmsysorg/sglang:",), {"container": "docker"}),
    Extractor("nccl-version", r"\bNCCL version (?P<nccl_version>\d+\.\d+[\d.]{0,20})", ("NCCL version ",)),
    Extractor("nccl-pip", r"is using nccl==(?P<nccl_version>\d+\.\d+[\d.]{0,20})", ("is using nccl==",)),
    Extractor("ray-cluster", r"\bRay: (?P<ray_version>\d+\.\d+\.\d+)\s+Python: (?P<python_version>\d+\.\d+\.\d+)", ("Ray: ",)),
    Extractor("ollama", r"\(version (?P<ollama_version>\d+\.\d+\.\d+)\)", ("(version ",)),
    Extractor("cuda-built", r"CUDA used to build PyTorch: (?P<cuda_version>\d+\.\d+)", ("CUDA used to build PyTorch: ",)),
    Extractor("rocm-built", r"(?:ROCM|HIP) used to build PyTorch: \d", ("used to build PyTorch: ",), {"platform": "rocm"}),
    Extractor(
        "cuda-compiled", r"version (?:that )?(?:torch|PyTorch) was compiled with (?P<cuda_version>\d+\.\d+)", ("was compiled with ",)
    ),
    Extractor("cuda-compiled-torch", r"was used to compile\s+PyTorch \((?P<cuda_version>\d+\.\d+)\)", ("was used to compile",)),
    Extractor(
        "python-line",
        r"(?:Python version: |-- Python |\bPython )(?P<python_version>3\.\d{1,2}(?:\.\d{1,2})?)\b",
        ("Python version: ", "Python 3."),
    ),
    Extractor("python-path", r"/[Pp]ython(?P<python_version>3\.\d{1,2})/", ("/python3.", "/Python3."), places=_ANY),
    Extractor("python-windows", r"/Python3(?P<minor>\d{1,2})/", ("/Python3",), places=_FRAME),
    Extractor("python-extension", r"\.cpython-3(?P<minor>\d{1,2})-", (".cpython-3",), places=_ANY),
)

_MACHINE = (
    Extractor(
        "smi-driver",
        r"(?:Driver Version|[Dd]river version)\s{0,3}[:=]\s{0,3}(?P<driver_version>\d{3}\.[\d.]{1,10})",
        ("river Version", "river version"),
    ),
    Extractor("smi-cuda", r"\bCUDA Version\s?: (?P<driver_cuda>\d{1,2}\.\d)", ("CUDA Version",)),
    Extractor(
        "nvrm-driver",
        r"(?:cuda driver version|NVRM version: .{0,60}Kernel Module) {1,3}(?P<driver_version>\d{3}\.[\d.]{1,10})",
        ("cuda driver version", "NVRM version: "),
    ),
    Extractor("driver-too-old", r"too old \(found version (?P<driver_cuda>\d{4,5})\)", ("too old (found version ",)),
    Extractor(
        "smi-gpu",
        r"^\|\s{1,4}\d{1,2}\s{2}(?P<gpu_name>(?:NVIDIA|Tesla|GeForce|Quadro|GRID) [\w() /-]{1,40}?)\s{1,30}(?:On|Off|N/A|WDDM|TCC)\s",
        ("  NVIDIA ", "  Tesla ", "  GeForce ", "  Quadro ", "  GRID "),
        {"platform": "cuda"},
    ),
    Extractor("smi-memory", r"\d{1,7}MiB / {1,7}(?P<gpu_memory>\d{3,7}MiB)", ("MiB / ",)),
    Extractor(
        "gpu-list",
        r"\bGPU \d{1,2}: (?P<gpu_name>(?:NVIDIA|Tesla|GeForce|Quadro|AMD)[\w -]{1,40}?)(?: \(UUID: |\n|$)",
        ("GPU 0: ", "GPU 1: ", "GPU 2: ", "GPU 3: ", "GPU 4: ", "GPU 5: ", "GPU 6: ", "GPU 7: "),
    ),
    Extractor("gpu-config-name", r"\bdevice_name=(?P<gpu_name>NVIDIA_[\w-]{1,40})", ("device_name=NVIDIA",), {"platform": "cuda"}),
    Extractor(
        "oom-capacity",
        r"total capac(?:i)?ty of (?P<gpu_memory>\d{1,4}\.\d{1,2} [GM]iB)|; (?P<gpu_memory_old>\d{1,4}\.\d{1,2} [GM]iB) total capacity",
        ("total capac",),
    ),
    Extractor(
        "free-memory", r"Free memory on device (?:cuda:\d{1,2} )?\([\d.]{1,8}/(?P<gpu_memory>[\d.]{1,8} GiB)\)", ("Free memory on device",)
    ),
    Extractor(
        "total-gpu-memory",
        r"total_gpu_memory \((?P<gpu_memory>[\d.]{1,8}GiB)\) x gpu_memory_utilization \((?P<gpu_memory_utilization>[\d.]{1,6})\)",
        ("total_gpu_memory (",),
    ),
    Extractor(
        "your-gpu",
        r"[Yy]our (?P<gpu_name>[\w -]{2,50}) GPU has compute capability (?P<compute_capability>\d{1,2}\.\d)",
        ("GPU has compute capability ",),
    ),
    Extractor("your-capability", r"your GPU has capability (?P<compute_capability>\(\d{1,2}, \d\))", ("your GPU has capability ",)),
    Extractor("current-capability", r"Current capability: (?P<compute_capability>\d{2,3})\b", ("Current capability: ",)),
    Extractor(
        "torch-capability",
        r"(?P<gpu_name>[\w -]{4,60}) with CUDA capability (?P<compute_capability>sm_\d{2,3}a?) is not compatible",
        ("with CUDA capability ",),
    ),
    Extractor(
        "capability-line",
        r"[Cc]ompute capability\s?[:=] ?(?P<compute_capability>\(\d{1,2}, \d\)|\d{1,2}\.\d|\d{2,3}\b)",
        ("ompute capability",),
    ),
    Extractor("os-line", r"(?:^|\n)OS\s{0,30}: (?P<os>[A-Z][\w ().-]{3,60})", ("OS: ", "  : "), places=_TEXT),
    Extractor("os-release", r"PRETTY_NAME=\"(?P<os>[^\"\n]{3,60})\"", ("PRETTY_NAME=",)),
    Extractor(
        "os-windows",
        r"\b[A-Z]:[/\\]{1,2}(?:Users|Program Files|Windows)\b|\[WinError \d",
        (":/Users", ":\\Users", ":\\\\Users", ":/Program Files", ":\\Program Files", ":/Windows", ":\\Windows", "[WinError "),
        {"os": "Windows"},
        places=_ANY,
    ),
    Extractor("os-wsl", r"\bWSL is detected|microsoft-standard-WSL2", ("WSL is detected", "microsoft-standard-WSL2"), {"os": "WSL"}),
)

_STATE = (
    Extractor(
        "attention-backend",
        r"\bUsing (?:AttentionBackendEnum\.)?(?P<attention_backend>" + _ATTENTION + r")(?: [Vv]1)?(?: attention)? backend(?! for)",
        ("Using ",),
    ),
    Extractor(
        "attention-backend-chosen",
        r"Attention backend not \w{4,12} specified\. Use (?P<attention_backend>\w{2,20}) backend",
        ("Attention backend not ",),
    ),
    Extractor(
        "attention-frame",
        r"/attention/backends/(?:mla/)?(?P<attention_backend>flash_attn|flashinfer|xformers|triton_attn|triton_mla|flashmla|flashinfer_mla|cutlass_mla|torch_sdpa|rocm_flash_attn|rocm_attn|rocm_aiter_fa|flex_attention|pallas|tree_attn|cpu_attn)\.py:",
        ("/attention/backends/",),
        places=_FRAME,
    ),
    Extractor(
        "cache-data-type",
        r"\bUsing (?P<kv_cache_dtype>fp8\w{0,12}|bfloat16|float16) data type to store kv cache",
        ("data type to store kv cache",),
    ),
    Extractor(
        "casting",
        r"\b(?:Casting|Downcasting|Upcasting) torch\.\w{4,12} to (?P<model_dtype>torch\.\w{4,12})\.",
        ("Casting torch.", "casting torch."),
    ),
    Extractor("model-config", r"\"(?:torch_dtype|dtype)\": \"(?P<model_dtype>\w{4,12})\"", ('"torch_dtype": ', '"dtype": ')),
    Extractor("model-config-quantization", r"\"quant_method\": \"(?P<quantization>[\w-]{2,30})\"", ('"quant_method": ',)),
    Extractor(
        "quantization-kernel",
        r"convertible to \w{3,20} during runtime\. Using (?P<quantization>\w{3,20}) kernel",
        ("during runtime. Using ",),
    ),
    Extractor(
        "quantization-rejected",
        r"quantization method (?P<quantization>[\w-]{2,30}) is not supported for the current GPU",
        ("quantization method ",),
    ),
    Extractor(
        "architecture",
        r"Resolved architecture: (?P<architecture>\w{3,80})|Model architectures \['(?P<architecture_first>\w{3,80})'|\"architectures\": \[\s{0,12}\"(?P<architecture_config>\w{3,80})\"",
        ("Resolved architecture: ", "Model architectures [", '"architectures": ['),
    ),
    Extractor("model-loading", r"Starting to load model (?P<model>\S{1,200}?)\.\.\.", ("Starting to load model ",)),
    Extractor("max-model-len", r"\bUsing max model len (?P<max_model_len>\d{1,9})\b", ("Using max model len ",)),
    Extractor("max-seq-len", r"model's max seq len \((?P<max_model_len>\d{1,9})\)", ("max seq len (",)),
    Extractor(
        "batched-tokens", r"\bmax_num_batched_tokens=(?P<max_num_batched_tokens>\d{1,9})\b", ("max_num_batched_tokens=",), places=_TEXT
    ),
    Extractor(
        "desired-utilization",
        r"desired GPU memory utilization \((?P<gpu_memory_utilization>[\d.]{1,6}),",
        ("desired GPU memory utilization (",),
    ),
    Extractor(
        "world-line",
        r"\bworld_size[=:]\s?(?P<world_size>\d{1,6})\b(?:,? rank=|,? local_world_size=| backend=)",
        ("world_size",),
        places=_TEXT,
    ),
    Extractor("world-words", r"\bworld size (?:is )?(?P<world_size>\d{1,6})(?:,| {1,2}rank| devices)", ("world size ",), places=_TEXT),
    Extractor("nccl-ranks", r"\brank \d{1,6} nranks (?P<world_size>\d{1,6})\b", (" nranks ",)),
    Extractor("clients-joined", r"\b\d{1,6}/(?P<world_size>\d{1,6}) clients joined", ("clients joined",)),
    Extractor(
        "executor-default",
        r"Defaulting to use (?P<distributed_executor_backend>mp|ray) for distributed inference",
        ("for distributed inference",),
    ),
    Extractor(
        "platform-detected",
        r"Automatically detected platform (?P<platform>\w{2,10})\.|Platform plugin (?P<platform_plugin>ascend) is activated",
        ("detected platform ", "Platform plugin "),
    ),
    Extractor("platform-smi", r"\bNVIDIA-SMI \d", ("NVIDIA-SMI ",), {"platform": "cuda"}),
    Extractor(
        "platform-npu",
        r"\bNPU out of memory|/torch_npu/|/vllm_ascend/|\bASCEND\w{0,20}|\bHCCL\b|\bE[A-Z]\d{4}: ",
        ("NPU out of memory", "/torch_npu/", "/vllm_ascend/", "ASCEND", "HCCL", "E0000: "),
        _NPU,
        places=_ANY,
    ),
    Extractor(
        "platform-rocm",
        r"\bHIP out of memory|\bHIP error|\bhipError\w{4,40}|\bRCCL version|libamdhip64",
        ("HIP out of memory", "HIP error", "hipError", "RCCL version", "libamdhip64"),
        {"platform": "rocm"},
    ),
    Extractor(
        "platform-xpu",
        r"/vllm_xpu_kernels/|/torch/xpu/|/intel_extension_for_pytorch/|\bXPU out of memory|\bsycl::",
        ("/vllm_xpu_kernels/", "/torch/xpu/", "/intel_extension_for_pytorch/", "XPU out of memory", "sycl::"),
        {"platform": "xpu"},
        places=_ANY,
    ),
    Extractor(
        "platform-cpu",
        r"/(?:cpu_worker|cpu_model_runner)\.py:",
        ("/cpu_worker.py", "/cpu_model_runner.py"),
        {"platform": "cpu"},
        places=_FRAME,
    ),
    Extractor("engine-v1", r"/vllm/v1/", ("/vllm/v1/",), {"engine": "v1", **_VLLM}, places=_FRAME),
    Extractor(
        "engine-v0",
        r"/vllm/(?:engine/(?:llm_engine|async_llm_engine|multiprocessing/\w{2,20})|worker/\w{2,30})\.py:",
        ("/vllm/engine/", "/vllm/worker/"),
        {"engine": "v0", **_VLLM},
        places=_FRAME,
    ),
    Extractor("program-vllm", r"/vllm/(?:entrypoints|model_executor|attention|distributed|config)", ("/vllm/",), _VLLM, places=_FRAME),
    Extractor("program-sglang", r"/sglang/(?:srt|launch_server)", ("/sglang/",), {"program": "sglang"}, places=_FRAME),
    Extractor("program-lmdeploy", r"/lmdeploy/(?:serve|turbomind|pytorch|cli)", ("/lmdeploy/",), {"program": "lmdeploy"}, places=_FRAME),
    Extractor(
        "program-training",
        r"/(?:transformers/trainer|trl/trainer/\w{2,40}|accelerate/accelerator|torch/optim/\w{2,20}|megatron/training/\w{2,30}|deepspeed/runtime/engine|lightning/pytorch/\w{2,40}(?:/\w{2,40})?"
        r"|llamafactory/train/\w{2,20}(?:/\w{2,20})?|swift/trainers/\w{2,30}|torch/_tensor)\.py:",
        (
            "/transformers/trainer.py",
            "/trl/trainer/",
            "/accelerate/accelerator.py",
            "/torch/optim/",
            "/megatron/training/",
            "/deepspeed/runtime/engine.py",
            "/lightning/pytorch/",
        )
        + ("/llamafactory/train/", "/swift/trainers/", "/torch/_tensor.py"),
        _TRAINING,
        places=_FRAME,
    ),
    Extractor(
        "container-docker",
        r"\bdocker run\b|\bdocker: Error response|/\.dockerenv|^/vllm-workspace/|\bOCI runtime create failed|\bcontainerd\b",
        ("docker run", "docker: Error response", "/.dockerenv", "/vllm-workspace/", "OCI runtime create failed", "containerd"),
        {"container": "docker"},
        places=_ANY,
    ),
    Extractor(
        "container-kubernetes",
        r"\bkubectl\b|\bkubelet\b|\bBack-off restarting failed container|\bkube-system\b|KUBERNETES_SERVICE_HOST|\bCrashLoopBackOff\b|\bLiveness probe failed",
        (
            "kubectl",
            "kubelet",
            "Back-off restarting failed",
            "kube-system",
            "KUBERNETES_SERVICE_HOST",
            "CrashLoopBackOff",
            "Liveness probe failed",
        ),
        {"container": "kubernetes"},
    ),
    Extractor(
        "launcher-torchrun",
        r"\btorchrun\b|/torch/distributed/(?:run|launch|launcher/api|elastic/\w{2,40}(?:/\w{2,40}){0,2})\.py:|\btorch\.distributed\.(?:elastic|launch|run)\b",
        ("torchrun", "/torch/distributed/", "torch.distributed."),
        {"launcher": "torchrun"},
        places=_ANY,
    ),
    Extractor(
        "launcher-ray",
        r"\bray::\w|\braylet\b|Started a local Ray instance|Connecting to existing Ray cluster",
        ("ray::", "raylet", "Started a local Ray instance", "Connecting to existing Ray cluster"),
        {"launcher": "ray"},
    ),
    Extractor(
        "launcher-mpi",
        r"\bmpirun\b|\bmpiexec\b|\bprterun\b|\borterun\b",
        ("mpirun", "mpiexec", "prterun", "orterun"),
        {"launcher": "mpirun"},
    ),
    Extractor(
        "launcher-slurm",
        r"\bsrun: |\bslurmstepd: |\bSLURM_\w{3,20}|\bsbatch\b",
        ("srun: ", "slurmstepd: ", "SLURM_", "sbatch"),
        {"launcher": "slurm"},
    ),
    Extractor(
        "launcher-docker",
        r"\bdocker run |\bdocker logs |\bdocker: Error",
        ("docker run ", "docker logs ", "docker: Error"),
        {"launcher": "docker"},
    ),
    Extractor("launcher-compose", r"\bdocker[- ]compose\b", ("docker compose", "docker-compose"), {"launcher": "compose"}),
    Extractor(
        "launcher-kubectl",
        r"\bkubectl (?:logs|describe|get|apply)\b|\bkubelet\b|\bBack-off restarting failed",
        ("kubectl ", "kubelet", "Back-off restarting failed"),
        {"launcher": "kubectl"},
    ),
    Extractor(
        "launcher-systemd",
        r"\bsystemd\[\d|\bsystemctl \w|\bjournalctl\b|\.service: (?:Main process exited|Failed with result)",
        ("systemd[", "systemctl ", "journalctl", ".service: "),
        {"launcher": "systemd"},
    ),
)

EXTRACTORS: tuple[Extractor, ...] = (*_SETTINGS, *_VERSIONS, *_MACHINE, *_STATE)

"""The facts a log can state about its system: their names, what kind of value they have, and how to look them up."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from .expressions import expression
from .model import Text
from .value import Value

__all__ = ["FACTS", "FactKind", "ValueKind", "kind_of"]


class ValueKind(StrEnum):
    """How a value is normalised and compared."""

    BACKEND = "backend"  # FLASH_ATTN
    CAPABILITY = "capability"  # 8.9
    CHOICE = "choice"  # one lower-case word of a list: awq, ray, docker
    DTYPE = "dtype"  # bfloat16, fp8_e4m3
    FLAG = "flag"  # true, false
    NAME = "name"  # text as it stands
    NUMBER = "number"  # 8, 0.9
    SIZE = "size"  # 79.15GiB
    VERSION = "version"  # public PEP 440


class FactKind(Value):
    """What is known about one fact by its name.

    `command` looks the fact up in a shell; `server.log` stands for the whole log of the failed program. A `lasting` fact is one of
    the machine or of what is installed: it outlives a restart of the program, a launch argument does not.
    """

    name: str
    value: ValueKind
    label: Text
    command: str
    lasting: bool = False


_PACKAGE = expression(r"(?P<package>[a-z][a-z0-9_]*)_version")


def kind_of(name: str) -> FactKind | None:
    """What the fact is, any `<package>_version` included; None for a name that is no fact."""
    known = FACTS.get(name)
    if known is not None:
        return known
    match = _PACKAGE.fullmatch(name)
    return _package(match["package"].replace("_", "-"), name) if match else None


def _package(package: str, name: str = "") -> FactKind:
    label = Text(f"{package} version", f"{package} 版本")
    return FactKind(name or f"{package.replace('-', '_')}_version", ValueKind.VERSION, label, f"pip show {package}", True)


def _setting(name: str, value: ValueKind, en: str, zh: str, key: str = "") -> FactKind:
    """A fact that the engine's configuration line or the launch arguments state."""
    return FactKind(name, value, Text(en, zh), f"grep -om1 '{key or name}=[^,]*' server.log", False)


def _system(name: str, value: ValueKind, en: str, zh: str, command: str) -> FactKind:
    return FactKind(name, value, Text(en, zh), command, True)


def _gpu(field: str) -> str:
    return f"nvidia-smi --query-gpu={field} --format=csv,noheader"


def _torch(expression: str) -> str:
    return f'python -c "import torch; print({expression})"'


_KINDS = (
    *(_package(package) for package in ("flash-attn", "ray", "torch", "transformers", "triton", "vllm")),
    _package("flashinfer-python", "flashinfer_version"),
    _system("nccl_version", ValueKind.VERSION, "NCCL version", "NCCL 版本", _torch("torch.cuda.nccl.version()")),
    _system("cuda_version", ValueKind.VERSION, "CUDA of PyTorch", "PyTorch 的 CUDA 版本", _torch("torch.version.cuda")),
    _system("driver_version", ValueKind.VERSION, "NVIDIA driver", "NVIDIA 驱动版本", _gpu("driver_version")),
    _system("driver_cuda", ValueKind.VERSION, "highest CUDA of the driver", "驱动支持的最高 CUDA 版本", "nvidia-smi | grep 'CUDA Version'"),
    _system("python_version", ValueKind.VERSION, "Python version", "Python 版本", "python --version"),
    _system("os", ValueKind.NAME, "operating system", "操作系统", "cat /etc/os-release"),
    _system("platform", ValueKind.CHOICE, "compute platform", "计算平台", _torch("torch.version.cuda, torch.version.hip")),
    _system("gpu_name", ValueKind.NAME, "GPU", "GPU 型号", _gpu("name")),
    _system("gpu_memory", ValueKind.SIZE, "GPU memory", "显存大小", _gpu("memory.total")),
    _system("compute_capability", ValueKind.CAPABILITY, "compute capability", "计算能力（compute capability）", _gpu("compute_cap")),
    _system("container", ValueKind.CHOICE, "container", "容器环境", "ls /.dockerenv; env | grep KUBERNETES_SERVICE_HOST"),
    FactKind("launcher", ValueKind.CHOICE, Text("launcher", "启动方式"), "ps -ef"),
    FactKind("program", ValueKind.CHOICE, Text("program", "程序"), "ps -ef"),
    _setting("model", ValueKind.NAME, "model", "模型"),
    FactKind("architecture", ValueKind.NAME, Text("model architecture", "模型架构"), "grep -A1 architectures MODEL_DIR/config.json"),
    _setting("model_dtype", ValueKind.DTYPE, "model dtype", "模型精度", " dtype"),
    _setting("kv_cache_dtype", ValueKind.DTYPE, "KV cache dtype", "KV cache 精度"),
    _setting("quantization", ValueKind.CHOICE, "quantization", "量化方式"),
    FactKind(
        "attention_backend", ValueKind.BACKEND, Text("attention backend", "attention 后端"), "grep -m1 'attention.* backend' server.log"
    ),
    _setting("tensor_parallel_size", ValueKind.NUMBER, "tensor parallel size", "张量并行大小"),
    _setting("pipeline_parallel_size", ValueKind.NUMBER, "pipeline parallel size", "流水线并行大小"),
    _setting("data_parallel_size", ValueKind.NUMBER, "data parallel size", "数据并行大小"),
    _setting("world_size", ValueKind.NUMBER, "world size", "world size（进程总数）"),
    _setting("max_model_len", ValueKind.NUMBER, "maximum model length", "最大上下文长度", "max_seq_len"),
    _setting("gpu_memory_utilization", ValueKind.NUMBER, "GPU memory utilization", "显存利用率上限"),
    _setting("enforce_eager", ValueKind.FLAG, "eager mode", "eager 模式"),
    _setting("load_format", ValueKind.CHOICE, "load format", "权重加载格式"),
    _setting("tool_call_parser", ValueKind.CHOICE, "tool call parser", "tool call 解析器"),
    FactKind("engine", ValueKind.CHOICE, Text("vLLM engine", "vLLM 引擎版本"), "grep -om1 'Initializing a V. LLM engine' server.log"),
    _setting("distributed_executor_backend", ValueKind.CHOICE, "distributed executor backend", "分布式执行后端"),
    _setting("speculative_method", ValueKind.CHOICE, "speculative decoding", "投机解码方法", "speculative_config"),
    _setting("block_size", ValueKind.NUMBER, "KV cache block size", "KV cache 块大小"),
    _setting("cpu_offload_gb", ValueKind.NUMBER, "CPU offload (GiB)", "CPU offload 大小（GiB）"),
    _setting("max_num_seqs", ValueKind.NUMBER, "maximum number of sequences", "最大并发序列数"),
    _setting("max_num_batched_tokens", ValueKind.NUMBER, "maximum batched tokens", "单批最大 token 数"),
    _setting("trust_remote_code", ValueKind.FLAG, "trust remote code", "信任远程代码"),
)

FACTS: Mapping[str, FactKind] = MappingProxyType({kind.name: kind for kind in _KINDS})

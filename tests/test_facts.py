"""Facts: every row of the table on a line that some program prints, normal forms, and which statement holds for a hit."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fixbook.errors import FixbookError
from fixbook.fact_values import at_least, glob_matches
from fixbook.facts import EXTRACTORS, FACTS, Extractor, kind_of, normalise, read_facts, stated_by_caller, value_for
from fixbook.log import read
from fixbook.pattern import captures, problems
from fixbook.report import Fact
from fixbook.settings import flags, pairs

CASES = Path(__file__).parent / "field_cases"
V1 = (
    "INFO 12-01 09:00:01 [core.py:93] Initializing a V1 LLM engine (v0.31.0) with config: model='/models/m', "
    "speculative_config=SpeculativeConfig(method='eagle', model='/models/draft', num_spec_tokens=3), tokenizer='/models/m', "
    "trust_remote_code=False, dtype=torch.bfloat16, max_seq_len=4096, load_format=auto, tensor_parallel_size=2, pipeline_parallel_size=1, "
    "quantization=fp8, quantization_config=None, enforce_eager=True, kv_cache_dtype=fp8_e4m3, device_config=cuda, "
    "observability_config=ObservabilityConfig(collect_detailed_traces=None), seed=0, "
    "compilation_config={'mode': <CompilationMode.NONE: 0>, 'dtype': 'int8'}"
)
V0 = (
    "INFO 07-02 08:15:08 llm_engine.py:72] Initializing an LLM engine with config: model='/models/m', tokenizer='/models/m', "
    "tokenizer_mode=auto, dtype=torch.float16, max_seq_len=16384, tensor_parallel_size=5, quantization=awq, enforce_eager=False, seed=0)"
)
FRAME = 'Traceback (most recent call last):\n  File "{}", line 7, in run\nValueError: bad\n'

# id of the row → a text as a program prints it, and the facts that it states (others may be stated as well)
ROWS: dict[str, tuple[str, dict[str, str]]] = {
    "vllm-engine-config": (
        V1,
        {
            "engine": "v1",
            "vllm_version": "0.31.0",
            "program": "vllm",
            "model": "/models/m",
            "model_dtype": "bfloat16",
            "kv_cache_dtype": "fp8_e4m3",
            "quantization": "fp8",
            "tensor_parallel_size": "2",
            "pipeline_parallel_size": "1",
            "max_model_len": "4096",
            "enforce_eager": "true",
            "trust_remote_code": "false",
            "platform": "cuda",
            "speculative_method": "eagle",
        },
    ),
    "vllm-engine-v0": (V0, {"engine": "v0", "model_dtype": "float16", "quantization": "awq", "max_model_len": "16384"}),
    "vllm-arguments": (
        "(APIServer pid=1) INFO 12-01 03:06:51 [utils.py:253] non-default args: {'model_tag': '/m', 'kv_cache_dtype': 'fp8', "
        "'enforce_eager': True, 'gpu_memory_utilization': 0.95, 'max_num_seqs': 16, 'tool_call_parser': 'hermes'}",
        {
            "model": "/m",
            "kv_cache_dtype": "fp8",
            "enforce_eager": "true",
            "gpu_memory_utilization": "0.95",
            "max_num_seqs": "16",
            "tool_call_parser": "hermes",
        },
    ),
    "namespace": (
        "INFO 12-01 03:19:54 [api_server.py:1044] args: Namespace(subparser='serve', model_tag='/m', dtype='half', kv_cache_dtype='auto', "
        "block_size=16, cpu_offload_gb=4, load_format='bitsandbytes', distributed_executor_backend='ray', quantization=None)",
        {
            "model": "/m",
            "model_dtype": "float16",
            "block_size": "16",
            "cpu_offload_gb": "4",
            "load_format": "bitsandbytes",
            "distributed_executor_backend": "ray",
        },
    ),
    "sglang-arguments": (
        "[2025-11-03 16:20:41] server_args=ServerArgs(model_path='/m', dtype='auto', kv_cache_dtype='fp8_e5m2', tp_size=8, dp_size=2)",
        {"program": "sglang", "model": "/m", "kv_cache_dtype": "fp8_e5m2", "tensor_parallel_size": "8", "data_parallel_size": "2"},
    ),
    "python-call": (
        'llm = LLM(model="/m", kv_cache_dtype="fp8", dtype=dtype, tensor_parallel_size=4, trust_remote_code=True)',
        {"model": "/m", "kv_cache_dtype": "fp8", "tensor_parallel_size": "4", "trust_remote_code": "true"},
    ),
    "command": (
        "$ vllm serve /m --kv-cache-dtype fp8 --dtype=half -tp 8 --max-model-len 32k --enforce-eager",
        {
            "kv_cache_dtype": "fp8",
            "model_dtype": "float16",
            "tensor_parallel_size": "8",
            "max_model_len": "32000",
            "enforce_eager": "true",
        },
    ),
    "serve-model": ("$ vllm serve Qwen/Qwen3-0.6B --port 8000", {"model": "Qwen/Qwen3-0.6B"}),
    "megatron-arguments": (
        "  params_dtype .................................... torch.bfloat16\n  tensor_model_parallel_size ...................... 8",
        {"model_dtype": "bfloat16", "tensor_parallel_size": "8", "program": "training"},
    ),
    "flag-line": ("      - --kv-cache-dtype=fp8", {"kv_cache_dtype": "fp8"}),
    "argument-list": (
        "sys.argv: ['/usr/local/bin/vllm', 'serve', '/m', '--kv-cache-dtype', 'fp8', '--tensor-parallel-size', '4', '--dtype', 'half']",
        {"kv_cache_dtype": "fp8", "tensor_parallel_size": "4", "model_dtype": "float16"},
    ),
    "flag-in-prose": ("I see this when I use fp8 (--quantization fp8)", {"quantization": "fp8"}),
    "environment-backend": ("export VLLM_ATTENTION_BACKEND=FLASHINFER", {"attention_backend": "FLASHINFER"}),
    "environment-engine": ("VLLM_USE_V1=0", {"engine": "v0"}),
    "environment-world": ("WORLD_SIZE=16", {"world_size": "16"}),
    "vllm-server-version": (
        "INFO 12-01 03:13:04 [api_server.py:1772] vLLM API server version 0.8.5.post1",
        {"vllm_version": "0.8.5.post1", "program": "vllm"},
    ),
    "vllm-banner": (
        "(APIServer pid=1) INFO 12-01 03:06:51 [utils.py:287]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0",
        {"vllm_version": "0.32.0"},
    ),
    "vllm-banner-model": (
        "(APIServer pid=1) INFO 12-01 03:06:51 [utils.py:287]   █▄█▀ █     █     █     █  model   /models/m",
        {"model": "/models/m"},
    ),
    "pip-freeze": ("[pip3] torch==2.9.1+cu128", {"torch_version": "2.9.1", "cuda_version": "12.8"}),
    "pip-list": ("nvidia-nccl-cu12         2.27.5", {"nccl_version": "2.27.5"}),
    "pip-wheel": ("Using cached vllm-0.9.1-cp38-abi3-manylinux1_x86_64.whl", {"vllm_version": "0.9.1"}),
    "version-line": ("PyTorch version: 2.13.0+cpu", {"torch_version": "2.13.0", "platform": "cpu"}),
    "found-version": (
        "LMDeploy requires transformers version: [4.33.0 ~ 4.44.1], but found version: 4.45.0",
        {"transformers_version": "4.45.0"},
    ),
    "torch-attribute": ("  torch.__version__  = 2.7.0+rocm6.3", {"torch_version": "2.7.0", "platform": "rocm"}),
    "xformers-you-have": (
        "    PyTorch 2.3.0+cu121 with CUDA 1201 (you have 2.4.0+cu124)",
        {"torch_version": "2.4.0", "cuda_version": "12.4"},
    ),
    "numpy-two": ("A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.1 as it may crash.", {"numpy_version": "2.0.1"}),
    "typed-version": ("- vllm: 0.9.1", {"vllm_version": "0.9.1"}),
    "image-vllm": ("image: vllm/vllm-openai:v0.9.1", {"vllm_version": "0.9.1", "container": "docker"}),
    "image-ascend": ("ascend/vllm-ascend:v0.8.4rc2", {"vllm_ascend_version": "0.8.4rc2", "platform": "ascend"}),
    "image-sglang": ("lmsysorg/sglang:v0.4.6.post1-cu124", {"sglang_version": "0.4.6.post1"}),
    "nccl-version": ("node-2:812:812 [1] NCCL INFO NCCL version 2.19.3+cuda12.3", {"nccl_version": "2.19.3"}),
    "nccl-pip": ("[2025-11-03 16:20:54 DP0 TP0] sglang is using nccl==2.27.3", {"nccl_version": "2.27.3"}),
    "ray-cluster": ("    Ray: 2.55.0\n    Python: 3.10.14", {"ray_version": "2.55.0", "python_version": "3.10.14"}),
    "ollama": ("Listening on [::]:11434 (version 0.6.5)", {"ollama_version": "0.6.5"}),
    "cuda-built": ("CUDA used to build PyTorch: 12.4", {"cuda_version": "12.4"}),
    "rocm-built": ("ROCM used to build PyTorch: 6.3.42131", {"platform": "rocm"}),
    "cuda-compiled": (
        "Installed CUDA version 12.2 does not match the version torch was compiled with 11.7, unable to compile",
        {"cuda_version": "11.7"},
    ),
    "cuda-compiled-torch": (
        "RuntimeError: The detected CUDA version (13.0) mismatches the version that was used to compile\nPyTorch (12.4). Please make sure",
        {"cuda_version": "12.4"},
    ),
    "python-line": ("Python version: 3.11.7 (main, May  9 2026, 07:35:25) [GCC 12.2.0]", {"python_version": "3.11.7"}),
    "python-path": (FRAME.format("/usr/lib/python3.12/multiprocessing/process.py"), {"python_version": "3.12"}),
    "python-windows": (FRAME.format("C:\\\\Users\\\\u\\\\Python311\\\\Lib\\\\importlib\\\\__init__.py"), {"python_version": "3.11"}),
    "python-extension": (
        "ImportError: /x/flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: _ZN3c10",
        {"python_version": "3.12"},
    ),
    "smi-driver": (
        "| NVIDIA-SMI 570.133.20             Driver Version: 570.133.20     CUDA Version: 12.8     |",
        {"driver_version": "570.133.20", "driver_cuda": "12.8", "platform": "cuda"},
    ),
    "smi-cuda": ("|     Driver Version: 535.104.05   CUDA Version: 12.2     |", {"driver_cuda": "12.2"}),
    "smi-gpu": (
        "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |",
        {"gpu_name": "A100-SXM4-80GB"},
    ),
    "smi-memory": ("| N/A   31C    P0    61W / 400W |   1024MiB / 81920MiB |      0%      Default |", {"gpu_memory": "80GiB"}),
    "smi-csv": (
        "NVIDIA A800-SXM4-80GB, 535.129.03, 81920 MiB",
        {"gpu_name": "A800-SXM4-80GB", "driver_version": "535.129.03", "gpu_memory": "80GiB"},
    ),
    "gpu-list": ("GPU 0: NVIDIA A10 (UUID: GPU-0f3a)", {"gpu_name": "A10"}),
    "driver-kernel": ("Found pynvml==12.0.0 and cuda driver version 550.90.07.", {"driver_version": "550.90.07"}),
    "driver-too-old": ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040).", {"driver_cuda": "11.4"}),
    "gpu-config-name": ("Config file not found at /x/E=128,N=384,device_name=NVIDIA_H20.json", {"gpu_name": "H20", "platform": "cuda"}),
    "oom-capacity": (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.61 GiB. GPU 0 has a total capacty of 5.68 GiB",
        {"gpu_memory": "5.68GiB"},
    ),
    "oom-capacity-old": (
        "RuntimeError: NPU out of memory. Tried to allocate 3.39 GiB (NPU 0; 59.54 GiB total capacity; 57.54 GiB already allocated)",
        {"gpu_memory": "59.54GiB", "platform": "ascend"},
    ),
    "free-memory": (
        "ValueError: Free memory on device (31.44/44.11 GiB) on startup is less than desired GPU memory utilization (0.95, 41.90 GiB).",
        {"gpu_memory": "44.11GiB", "gpu_memory_utilization": "0.95"},
    ),
    "total-gpu-memory": (
        "INFO 07-02 08:16:09 [worker.py:295] the instance can use total_gpu_memory (31.73GiB) x gpu_memory_utilization (0.90) = 28GiB",
        {"gpu_memory": "31.73GiB", "gpu_memory_utilization": "0.9"},
    ),
    "your-gpu": (
        "ValueError: Bfloat16 is only supported on GPUs with at least 8.0. Your Tesla T4 GPU has compute capability 7.5.",
        {"gpu_name": "Tesla T4", "compute_capability": "7.5"},
    ),
    "your-capability": (
        "    requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)",
        {"compute_capability": "7.5"},
    ),
    "current-capability": (
        "ValueError: The quantization method awq is not supported for the current GPU. Minimum capability: 75. Current capability: 70.",
        {"compute_capability": "7.0", "quantization": "awq"},
    ),
    "torch-capability": (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
        {"gpu_name": "GeForce RTX 5090", "compute_capability": "12.0"},
    ),
    "capability-line": ("[06/25/2025-07:11:09] [TRT-LLM] [I] Compute capability: (9, 0)", {"compute_capability": "9.0"}),
    "capability-call": (">>> torch.cuda.get_device_capability()\n(8, 6)", {"compute_capability": "8.6"}),
    "ggml-device": (
        "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes",
        {"gpu_name": "GeForce RTX 4090", "compute_capability": "8.9"},
    ),
    "os-line": ("OS: Debian GNU/Linux 12 (bookworm) (x86_64)", {"os": "Debian GNU/Linux 12 (bookworm) (x86_64)"}),
    "os-release": ('PRETTY_NAME="Ubuntu 22.04.4 LTS"', {"os": "Ubuntu 22.04.4 LTS"}),
    "os-windows": ("OSError: [WinError 126] The specified module could not be found.", {"os": "Windows"}),
    "os-wsl": ("WARNING 12-01 [interface.py:1] Using 'pin_memory=False' as WSL is detected.", {"os": "WSL"}),
    "attention-backend": (
        "INFO 04-06 22:46:30 [cuda.py:292] Using Flash Attention backend on V1 engine.",
        {"attention_backend": "FLASH_ATTN"},
    ),
    "attention-backend-chosen": (
        "[2025-11-03 16:20:41] WARNING server_args.py:1204: Attention backend not explicitly specified. Use fa3 backend by default.",
        {"attention_backend": "FA3"},
    ),
    "attention-frame": (FRAME.format("/x/vllm/v1/attention/backends/flashinfer.py"), {"attention_backend": "FLASHINFER"}),
    "cache-data-type": (
        "INFO 07-04 [config.py:407] Using fp8 data type to store kv cache. It reduces the GPU memory",
        {"kv_cache_dtype": "fp8"},
    ),
    "casting": ("WARNING 06-04 [config.py:1075] Casting torch.bfloat16 to torch.float16.", {"model_dtype": "float16"}),
    "model-config": ('  "torch_dtype": "bfloat16",', {"model_dtype": "bfloat16"}),
    "model-config-quantization": ('    "quant_method": "compressed-tensors"', {"quantization": "compressed-tensors"}),
    "quantization-kernel": (
        "INFO 07-02 [awq_marlin.py:90] The model is convertible to awq_marlin during runtime. Using awq_marlin kernel.",
        {"quantization": "awq_marlin"},
    ),
    "quantization-rejected": ("ValueError: The quantization method gptq is not supported for the current GPU.", {"quantization": "gptq"}),
    "architecture": ("INFO 12-01 03:13:21 [model.py:637] Resolved architecture: LlamaForCausalLM", {"architecture": "LlamaForCausalLM"}),
    "architecture-rejected": (
        "ValueError: Model architectures ['Qwen3NextForCausalLM'] are not supported for now.",
        {"architecture": "Qwen3NextForCausalLM"},
    ),
    "architecture-config": ('  "architectures": [\n    "LlamaForCausalLM"\n  ],', {"architecture": "LlamaForCausalLM"}),
    "model-loading": ("INFO 04-06 22:46:31 [gpu_model_runner.py:1276] Starting to load model /mnt/m-7b...", {"model": "/mnt/m-7b"}),
    "max-model-len": ("INFO 12-01 03:13:21 [model.py:1750] Using max model len 2048", {"max_model_len": "2048"}),
    "max-seq-len": (
        "ValueError: To serve at least one request with the model's max seq len (8388608), (8.0 GiB KV cache is needed",
        {"max_model_len": "8388608"},
    ),
    "batched-tokens": (
        "INFO 12-01 [scheduler.py:228] Chunked prefill is enabled with max_num_batched_tokens=2048.",
        {"max_num_batched_tokens": "2048"},
    ),
    "desired-utilization": (
        "ValueError: … is less than desired GPU memory utilization (0.9, 19.17 GiB).",
        {"gpu_memory_utilization": "0.9"},
    ),
    "world-line": (
        "INFO 12-01 [parallel_state.py:1200] world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://10.0.0.1:51289 backend=nccl",
        {"world_size": "2"},
    ),
    "world-words": ("INFO rank 0 in world size 8 is assigned as DP rank 0, PP rank 0, TP rank 0", {"world_size": "8"}),
    "nccl-ranks": ("node:1:2 [0] NCCL INFO comm 0x55 rank 3 nranks 16 cudaDev 3", {"world_size": "16"}),
    "clients-joined": (
        "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.",
        {"world_size": "2"},
    ),
    "executor-default": (
        "INFO 07-02 [config.py:1770] Defaulting to use mp for distributed inference",
        {"distributed_executor_backend": "mp"},
    ),
    "platform-detected": ("INFO 07-10 17:07:59 [__init__.py:244] Automatically detected platform rocm.", {"platform": "rocm"}),
    "platform-plugin": ("INFO 07-10 17:07:59 [__init__.py:230] Platform plugin ascend is activated", {"platform": "ascend"}),
    "platform-smi": ("| NVIDIA-SMI 570.133.20 |", {"platform": "cuda"}),
    "platform-npu": ("EJ0002: [PID: 1] the network port is down", {"platform": "ascend"}),
    "platform-rocm": ("RuntimeError: HIP error: invalid device function", {"platform": "rocm"}),
    "platform-xpu": (FRAME.format("/x/vllm_xpu_kernels/flash_attn_interface.py"), {"platform": "xpu"}),
    "platform-cpu": (FRAME.format("/x/vllm/v1/worker/cpu_worker.py"), {"platform": "cpu"}),
    "engine-process": ("(EngineCore_DP0 pid=41) INFO 12-01 03:13:35 [core.py:93] hello there", {"engine": "v1"}),
    "engine-v1": (FRAME.format("/x/vllm/v1/engine/core.py"), {"engine": "v1", "program": "vllm"}),
    "engine-v0": (FRAME.format("/x/vllm/worker/model_runner.py"), {"engine": "v0", "program": "vllm"}),
    "program-vllm": (FRAME.format("/x/vllm/model_executor/models/llama.py"), {"program": "vllm"}),
    "program-sglang": (FRAME.format("/x/sglang/srt/managers/scheduler.py"), {"program": "sglang"}),
    "program-lmdeploy": (FRAME.format("/x/lmdeploy/serve/async_engine.py"), {"program": "lmdeploy"}),
    "program-training": (FRAME.format("/x/transformers/trainer.py"), {"program": "training"}),
    "container-docker": (
        "docker: Error response from daemon: could not select device driver",
        {"container": "docker", "launcher": "docker"},
    ),
    "container-kubernetes": (
        "Warning  BackOff  2m (x9 over 5m)  kubelet  Back-off restarting failed container",
        {"container": "kubernetes", "launcher": "kubectl"},
    ),
    "launcher-torchrun": (FRAME.format("/x/torch/distributed/run.py"), {"launcher": "torchrun"}),
    "launcher-ray": ("(raylet) Task failed", {"launcher": "ray"}),
    "launcher-mpi": ("mpirun noticed that process rank 0 exited on signal 9", {"launcher": "mpirun"}),
    "launcher-slurm": ("slurmstepd: error: Detected 1 oom_kill event", {"launcher": "slurm"}),
    "launcher-docker": ("docker logs vllm-1", {"launcher": "docker"}),
    "launcher-compose": ("$ docker compose up", {"launcher": "compose"}),
    "launcher-kubectl": ("$ kubectl logs vllm-0", {"launcher": "kubectl"}),
    "prefix-compose": ("vllm-1  | it ended", {"launcher": "compose"}),
    "prefix-kubernetes": ("2026-12-01T03:13:00.000000000Z stderr F it ended", {"launcher": "kubectl"}),
    "prefix-unit": ("Dec 01 09:00:00 gpu-1 python3[812]: it ended", {"launcher": "systemd"}),
    "prefix-ray": ("(RayWorkerWrapper pid=12, ip=10.0.0.1) it ended", {"launcher": "ray"}),
    "launcher-systemd": ("Apr 09 20:14:51 node-1 systemd[1]: Started Ollama Service.", {"launcher": "systemd"}),
}


def facts_of(text: str) -> dict[str, str]:
    """Name → value, the last statement of each."""
    return {fact.name: fact.value for fact in read_facts(read(text))}


def test_every_row_has_a_text() -> None:
    assert set(ROWS) == {extractor.id for extractor in EXTRACTORS}
    assert len(ROWS) == len(EXTRACTORS)


@pytest.mark.parametrize("id", ROWS)
def test_row_states_its_facts(id: str) -> None:
    text, expected = ROWS[id]
    assert facts_of(text).items() >= expected.items()


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda extractor: extractor.id)
def test_row_alone_states_something(extractor: Extractor) -> None:
    """Without the other rows, so that none rests on its neighbour."""
    text, _ = ROWS[extractor.id]
    assert read_facts(read(text), [extractor])


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda extractor: extractor.id)
def test_row_is_portable_and_has_literals(extractor: Extractor) -> None:
    assert problems(extractor.pattern, "") == ()
    assert extractor.literals and all(len(literal) >= 4 for literal in extractor.literals)
    names = {*captures(extractor.pattern), *extractor.states} - {"package", "version"}
    assert all(kind_of(name) for name in names)


# --- what states nothing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "INFO 12-01 [core.py:93] Initializing a V1 LLM engine (v0.33.0) with config: model='m', kv_cache_dtype=auto, quantization=None",
        "vllm serve: error: argument --kv-cache-dtype: invalid choice: 'float16' (choose from auto, fp8)",
        "usage: vllm serve [--kv-cache-dtype {auto,float16,fp8}] [--quantization {awq,gptq}]",
        "ValueError: Please set --kv-cache-dtype to auto or bfloat16.",
        "WARNING 12-01 [x.py:1] try --kv-cache-dtype=fp8 --quantization fp8 to save memory",
        "You can use float16 instead by explicitly setting the `dtype` flag in CLI, for example: --dtype=half.",
        "engine_args = EngineArgs(model=model, dtype=dtype, kv_cache_dtype=kv_cache_dtype, quantization=quantization)",
        "INFO 12-01 [x.py:1] Using Flash Attention backend for ViT model.",
        "Cannot use FlashAttention-2 backend for Volta and Turing GPUs.",
        "this argument is deprecated and will be removed in vLLM v0.15.0",
        "ERROR: No matching distribution found for vllm>=0.9.1",
        "vllm serve of Llama-4-Scout with the default length throws",
    ],
)
def test_states_no_setting(text: str) -> None:
    stated = facts_of(text)
    assert not stated.keys() & {"kv_cache_dtype", "quantization", "model_dtype", "attention_backend"}
    assert stated.get("vllm_version") in (None, "0.33.0")
    assert stated.get("model") in (None, "m")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            'args:\n  - --model\n  - /m\n  - --tensor-parallel-size\n  - "4"\n  - --quantization\n  - fp8\n  - --enforce-eager\n',
            {"tensor_parallel_size": "4", "quantization": "fp8", "enforce_eager": "true"},
        ),
        (
            'command: ["--model", "/m", "--kv-cache-dtype=fp8", "--max-model-len", "8192"]',
            {"kv_cache_dtype": "fp8", "max_model_len": "8192"},
        ),
        ("PyTorch version              : 2.7.1+cu126\nPython version               : 3.12.11", {"python_version": "3.12.11"}),
        ("CUDA used to build PyTorch   : 12.6\nROCM used to build PyTorch   : N/A", {"cuda_version": "12.6"}),
        ("kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue", {"driver_version": "550.54.15"}),
        (
            "环境：vllm 0.9.1，torch 2.7.0+cu126，驱动 550.54.15",
            {"vllm_version": "0.9.1", "torch_version": "2.7.0", "cuda_version": "12.6"},
        ),
        ("vLLM版本：0.8.5\nPython版本：3.10", {"vllm_version": "0.8.5", "python_version": "3.10"}),
        ("root@6fd1b2c3d4e5:/vllm-workspace# vllm serve /m", {"container": "docker"}),
    ],
)
def test_the_same_in_other_layouts(text: str, stated: dict[str, str]) -> None:
    assert facts_of(text).items() >= stated.items()


@pytest.mark.parametrize("text", ["- --quantization", "unrecognized arguments: ['--quantization', '--dtype']"])
def test_a_flag_without_its_value_states_nothing(text: str) -> None:
    assert not facts_of(text).keys() & {"quantization", "model_dtype"}


def test_nested_settings_are_not_the_engine_s() -> None:
    stated = facts_of(V1)
    assert (stated["model"], stated["model_dtype"]) == ("/models/m", "bfloat16")


def test_settings_survive_a_cut_line_and_odd_brackets() -> None:
    cut = V1[: V1.index("observability_config") + 40]
    assert facts_of(cut)["kv_cache_dtype"] == "fp8_e4m3"
    assert [setting.name for setting in pairs("a=1, b=[(1, 2), {'c': ']'}], d=2) e=3")] == ["a", "c", "d"]


def test_flags_in_their_forms() -> None:
    text = '--a 1 --b=2 -tp 8 --flag --c \'x y\' "--d", "e" --f'
    values = [(flag.name, flag.value.strip("'\"")) for flag in flags(text)]
    assert values == [("a", "1"), ("b", "2"), ("tp", "8"), ("flag", "true"), ("c", "x y"), ("d", "e"), ("f", "true")]


def test_a_fact_knows_its_line() -> None:
    facts = read_facts(read(f"first\nsecond\n{V1}\n"))
    assert {fact.line for fact in facts} == {3}


def test_repetitions_are_stated_once() -> None:
    facts = read_facts(read("\n".join([V1] * 5)))
    assert len([fact for fact in facts if fact.name == "kv_cache_dtype" and fact.run == 0]) == 1


# --- normal forms -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stated", "value"),
    [
        ("model_dtype", "torch.float16", "float16"),
        ("model_dtype", "half", "float16"),
        ("model_dtype", "fp16", "float16"),
        ("model_dtype", "Half", "float16"),
        ("model_dtype", "c10::BFloat16", "bfloat16"),
        ("model_dtype", "bf16", "bfloat16"),
        ("model_dtype", "float", "float32"),
        ("model_dtype", "dtype", None),
        ("kv_cache_dtype", "torch.float8_e4m3fn", "fp8_e4m3"),
        ("kv_cache_dtype", "fp8_ds_mla", "fp8_ds_mla"),
        ("kv_cache_dtype", "auto", None),
        ("kv_cache_dtype", "'fp8'", "fp8"),
        ("quantization", "None", None),
        ("quantization", "", None),
        ("quantization", "$QUANT", None),
        ("quantization", "Compressed-Tensors", "compressed-tensors"),
        ("attention_backend", "FLASH_ATTN_VLLM_V1", "FLASH_ATTN"),
        ("attention_backend", "AttentionBackendEnum.TRITON_ATTN", "TRITON_ATTN"),
        ("attention_backend", "flash_attention_2", "FLASH_ATTN"),
        ("attention_backend", "FlashInfer", "FLASHINFER"),
        ("attention_backend", "Triton MLA", "TRITON_MLA"),
        ("vllm_version", "0.8.5.post1", "0.8.5.post1"),
        ("vllm_version", "v0.10.2rc3.dev12+gabc", "0.10.2rc3.dev12"),
        ("vllm_version", "0.1.dev1+g1234", None),
        ("torch_version", "2.7.0+cu128", "2.7.0"),
        ("torch_version", "1.0-rc.2", "1.0rc2"),
        ("cuda_version", "128", "12.8"),
        ("driver_cuda", "12040", "12.4"),
        ("python_version", "312", "3.12"),
        ("compute_capability", "sm_89", "8.9"),
        ("compute_capability", "(8, 9)", "8.9"),
        ("compute_capability", "sm_121a", "12.1"),
        ("compute_capability", "75", "7.5"),
        ("compute_capability", "120", "12.0"),
        ("gpu_memory", "24564MiB", "23.99GiB"),
        ("gpu_memory", "80 GB", "74.51GiB"),
        ("gpu_memory", "81920MiB", "80GiB"),
        ("max_model_len", "32K", "32768"),
        ("max_model_len", "1,024", "1024"),
        ("gpu_memory_utilization", "0.90", "0.9"),
        ("enforce_eager", "True", "true"),
        ("enforce_eager", "maybe", None),
        ("load_format", "LoadFormat.AUTO", None),
        ("load_format", "LoadFormat.SAFETENSORS", "safetensors"),
        ("platform", "cuda:0", "cuda"),
        ("gpu_name", "NVIDIA_H100_80GB_HBM3", "H100 80GB HBM3"),
        ("model", "None", None),
        ("vllm_ascend_version", "0.8.4rc2", "0.8.4rc2"),
    ],
)
def test_normal_form(name: str, stated: str, value: str | None) -> None:
    assert normalise(name, stated) == value


@given(st.sampled_from(sorted(FACTS)), st.text(max_size=30))
def test_normal_form_is_its_own(name: str, text: str) -> None:
    value = normalise(name, text)
    assert value is None or normalise(name, value) == value


@pytest.mark.parametrize(
    ("name", "value", "bound", "result"),
    [
        ("vllm_version", "0.32.1.dev5", "0.32.1rc0", False),
        ("vllm_version", "0.10.0", "0.9.2", True),
        ("compute_capability", "12.0", "8.9", True),
        ("gpu_memory", "79.15GiB", "24GB", True),
        ("gpu_memory", "512MiB", "1GiB", False),
        ("max_model_len", "8192", "8k", True),
        ("gpu_name", "A10", "1", None),
        ("vllm_version", "0.10.0", "soon", None),
    ],
)
def test_at_least(name: str, value: str, bound: str, result: bool | None) -> None:
    assert at_least(name, value, bound) is result


@pytest.mark.parametrize(
    ("name", "value", "glob", "result"),
    [
        ("kv_cache_dtype", "fp8_e4m3", "fp8*", True),
        ("kv_cache_dtype", "float16", "half", True),
        ("kv_cache_dtype", "bfloat16", "float16", False),
        ("gpu_name", "Tesla T4", "*t4", True),
        ("gpu_name", "A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", True),
        ("attention_backend", "FLASHINFER", "flashinfer", True),
        ("compute_capability", "8.9", "sm_89", True),
        ("tensor_parallel_size", "1", "1", True),
    ],
)
def test_globs_over_normal_forms(name: str, value: str, glob: str, result: bool) -> None:
    assert glob_matches(name, value, glob) is result


# --- which statement holds --------------------------------------------------------------------------------------------------------


def fact(value: str, index: int, run: int = 0, name: str = "kv_cache_dtype", source: str = "log") -> Fact:
    return Fact(name, value, value, source, line=index + 1, run=run, index=index)


def holds(
    facts: list[Fact], message: int, run: int = 0, captures: dict[str, str] | None = None, name: str = "kv_cache_dtype"
) -> str | None:
    found = value_for(facts, name, message, run, captures or {})
    return found.value if found else None


def test_the_last_statement_before_the_hit_holds() -> None:
    facts = [fact("fp8", 1), fact("float16", 4), fact("bfloat16", 9)]
    assert [holds(facts, message) for message in (0, 1, 5, 9, 20)] == ["fp8", "fp8", "float16", "bfloat16", "bfloat16"]


def test_another_run_says_nothing_of_a_launch_argument() -> None:
    """A pod that failed with float16 and restarted with auto failed with float16."""
    facts = [fact("float16", 1, run=0)]
    assert holds(facts, 3, run=0) == "float16"
    assert holds(facts, 8, run=1) is None


def test_another_run_tells_of_the_machine() -> None:
    facts = [fact("A10", 1, run=0, name="gpu_name"), fact("A100", 9, run=2, name="gpu_name")]
    assert holds(facts, 5, run=1, name="gpu_name") == "A10"


def test_capture_before_caller_before_log() -> None:
    caller = stated_by_caller({"kv_cache_dtype": "bf16"})
    facts = [*caller, fact("fp8", 1)]
    assert holds(facts, 2) == "bfloat16"
    assert holds(facts, 2, captures={"kv_cache_dtype": "half"}) == "float16"
    assert holds(facts, 2, captures={"kv_cache_dtype": "auto"}) == "bfloat16"


def test_the_caller_says_nothing_with_auto_and_errs_with_an_unknown_name() -> None:
    assert stated_by_caller({"kv_cache_dtype": "auto"}) == ()
    with pytest.raises(FixbookError, match="no fact is called 'kv_dtype'"):
        stated_by_caller({"kv_dtype": "fp8"})


# --- real logs --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (
            "genuine/kv-cache-too-small-for-max-seq-len",
            {
                "vllm_version": "0.32.0",
                "engine": "v1",
                "model": "models/longctx",
                "model_dtype": "bfloat16",
                "max_model_len": "8388608",
                "platform": "cpu",
                "enforce_eager": "true",
            },
        ),
        ("genuine/bitsandbytes-not-installed", {"vllm_version": "0.16.0", "quantization": "bitsandbytes", "load_format": "bitsandbytes"}),
        (
            "causes/compressed-tensors-scheme-min-capability",
            {
                "vllm_version": "0.9.1",
                "engine": "v0",
                "quantization": "compressed-tensors",
                "tensor_parallel_size": "2",
                "platform": "cuda",
            },
        ),
        ("causes/container-loses-gpu-nvml-unknown-error", {"gpu_name": "A10", "driver_version": "570.133.20", "driver_cuda": "12.8"}),
        ("causes/libcudart-so-missing", {}),
    ],
)
def test_facts_of_real_logs(case: str, expected: dict[str, str]) -> None:
    stated = facts_of((CASES / case / "1" / "log.txt").read_text(encoding="utf-8", errors="replace"))
    assert stated.items() >= expected.items()
    assert "kv_cache_dtype" not in stated  # auto everywhere, or not said


# --- any text ---------------------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([text for text, _ in ROWS.values()] + ["", "x" * 50, "{'a': [", "--b"]), max_size=6), st.text(max_size=60))
def test_no_text_breaks_the_reading(parts: list[str], noise: str) -> None:
    log = read("\n".join([*parts, noise]))
    for found in read_facts(log):
        assert kind_of(found.name)
        assert normalise(found.name, found.stated) == found.value
        assert log.messages[found.index].line <= found.line or log.messages[found.index].repairs


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda extractor: extractor.id)
def test_every_match_contains_a_literal(extractor: Extractor) -> None:
    """Texts are made from the pattern itself, so that no alternative of it is forgotten."""
    pattern = re.compile(extractor.pattern, re.ASCII)

    @settings(max_examples=8, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern))
    def check(text: str) -> None:
        match = pattern.search(text)
        assert match is not None
        assert any(literal in match.group() for literal in extractor.literals)

    check()

"""Where logs state facts about the machine and about what the program chose: one row for each wording, as in `facts_table`."""

from .facts_table import ANY, FRAME, TEXT, row

__all__ = ["MACHINE", "STATE"]

_ATTENTION = (
    r"Flash ?Attention(?:-[23]| MLA)?|Flash[Ii]nfer(?: MLA)?|FLASH\w{2,40}|FlashMLA|XFormers|XFORMERS|Torch SDPA|TORCH_SDPA|CPU_ATTN|B12X"
    r"|ROCmFlashAttention|Rocm Attention|ROCM_\w{2,40}|Triton Attention|Triton MLA|TRITON_\w{2,40}|CUTLASS_\w{2,40}|FlexAttention"
    r"|FLEX_ATTENTION|Tree Attention|TREE_ATTN|Pallas|PALLAS|IPEX attention|IPEX|HPUAttention|BlocksparseFlashAttention|AITER MLA"
    r"|AITER TRITON MLA"
)
_BACKEND_FILES = (
    "flash_attn|flashinfer|xformers|triton_attn|triton_mla|flashmla|flashinfer_mla|cutlass_mla|torch_sdpa|rocm_flash_attn|rocm_attn"
    "|rocm_aiter_fa|flex_attention|pallas|tree_attn|cpu_attn"
)

# fmt: off
MACHINE = (
    # nvidia-smi, torch.utils.collect_env, NVML
    row("smi-driver", "river Version|river version",
        r"(?:Driver Version|[Dd]river version)\s{0,3}[:=]\s{0,3}(?P<driver_version>\d{3}\.[\d.]{1,10})"),
    row("smi-cuda", "CUDA Version", r"\bCUDA Version\s?: (?P<driver_cuda>\d{1,2}\.\d)"),
    row("smi-gpu", "  NVIDIA |  Tesla |  GeForce |  Quadro |  GRID ",
        r"^\|?\s{1,4}\d{1,2} {2}(?P<gpu_name>(?:NVIDIA|Tesla|GeForce|Quadro|GRID) [\w() /-]{1,40}?)\s{1,30}(?:On|Off|N/A|WDDM|TCC)\s",
        states={"platform": "cuda"}),
    row("smi-memory", "MiB / ", r"\d{1,7}MiB / {1,7}(?P<gpu_memory>\d{3,7}MiB)"),
    row("gpu-list", ": NVIDIA|: Tesla|: GeForce|: Quadro|: AMD",
        r"\bGPU \d{1,2}: (?P<gpu_name>(?:NVIDIA|Tesla|GeForce|Quadro|AMD)[\w -]{1,40}?)(?: \(UUID: |\n|$)"),
    # nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv
    row("smi-csv", "NVIDIA |Tesla |GeForce |Quadro ",
        r"^(?P<gpu_name>(?:NVIDIA|Tesla|GeForce|Quadro) [\w -]{1,40}), (?P<driver_version>\d{3}\.\d[\d.]{1,8})"
        r"(?:, (?P<gpu_memory>\d{4,6} MiB))?",
        places=TEXT),
    row("driver-kernel", "cuda driver version|NVRM version: |NVRM: loading ",
        r"(?:cuda driver version|NVRM(?: version: |: loading ).{0,60}Kernel Module(?: for \w{3,10})?) {1,3}"
        r"(?P<driver_version>\d{3}\.[\d.]{1,10})"),
    # torch: The NVIDIA driver on your system is too old (found version 11040)
    row("driver-too-old", "too old (found version ", r"too old \(found version (?P<driver_cuda>\d{4,5})\)"),
    # Config file not found at …/E=128,N=384,device_name=NVIDIA_H20.json
    row("gpu-config-name", "device_name=NVIDIA", r"\bdevice_name=(?P<gpu_name>NVIDIA_[\w-]{1,40})", states={"platform": "cuda"}),
    # The allocator of torch, in its wordings before and since 2.1 (one release spelled it "capacty").
    row("oom-capacity", "total capac", r"total capaci?ty of (?P<gpu_memory>\d{1,4}\.\d{1,2} [GM]iB)"),
    row("oom-capacity-old", "iB total capacity", r"; (?P<gpu_memory>\d{1,4}\.\d{1,2} [GM]iB) total capacity"),
    row("free-memory", "Free memory on device",
        r"Free memory on device (?:cuda:\d{1,2} )?\([\d.]{1,8}/(?P<gpu_memory>[\d.]{1,8} GiB)\)"),
    row("total-gpu-memory", "total_gpu_memory (",
        r"total_gpu_memory \((?P<gpu_memory>[\d.]{1,8}GiB)\) x gpu_memory_utilization \((?P<gpu_memory_utilization>[\d.]{1,6})\)"),
    row("your-gpu", "GPU has compute capability ",
        r"[Yy]our (?P<gpu_name>[\w -]{2,50}) GPU has compute capability (?P<compute_capability>\d{1,2}\.\d)"),
    row("your-capability", "your GPU has capability ", r"your GPU has capability (?P<compute_capability>\(\d{1,2}, \d\))"),
    row("current-capability", "Current capability: ", r"Current capability: (?P<compute_capability>\d{2,3})\b"),
    row("torch-capability", "with CUDA capability ",
        r"(?P<gpu_name>[\w -]{4,60}) with CUDA capability (?P<compute_capability>sm_\d{2,3}a?) is not compatible"),
    row("capability-line", "ompute capability",
        r"[Cc]ompute capability\s?[:=] ?(?P<compute_capability>\(\d{1,2}, \d\)|\d{1,2}\.\d|\d{2,3}\b)"),
    row("capability-call", "get_device_capability",
        r"\bget_device_capability\([^)\n]{0,20}\)[^\w(]{1,8}(?P<compute_capability>\(\d{1,2}, \d\))"),
    # llama.cpp: Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
    row("ggml-device", ", compute capability ",
        r"\bDevice \d{1,2}: (?P<gpu_name>[A-Z][\w ./-]{2,60}), compute capability (?P<compute_capability>\d{1,2}\.\d)"),
    row("os-line", "OS: |OS : |OS  ", r"(?:^|\n)OS {0,30}: (?P<os>[A-Z][\w ()./-]{3,60})", places=TEXT),
    row("os-release", "PRETTY_NAME=", r"PRETTY_NAME=\"(?P<os>[^\"\n]{3,60})\""),
    row("os-windows",
        r":/Users|:\Users|:\\Users|:/Program Files|:\Program Files|:\\Program Files|:/Windows|:\Windows|:\\Windows|[WinError ",
        r"\b[A-Z]:(?:/|\\{1,2})(?:Users|Program Files|Windows)\b|\[WinError \d", states={"os": "Windows"}, places=ANY),
    row("os-wsl", "WSL is detected|microsoft-standard-WSL2", r"\bWSL is detected|microsoft-standard-WSL2", states={"os": "WSL"}),
)

STATE = (
    # Using Flash Attention backend on V1 engine. · Using FLASH_ATTN attention backend out of potential backends: … · not: … for ViT model
    row("attention-backend", "Using ",
        r"\bUsing (?:AttentionBackendEnum\.)?(?P<attention_backend>" + _ATTENTION + r")(?: [Vv]1)?(?: attention)? backend(?! for)"),
    row("attention-backend-chosen", "Attention backend not ",
        r"Attention backend not \w{4,12} specified\. Use (?P<attention_backend>\w{2,20}) backend"),
    row("attention-frame", "/attention/backends/",
        r"/attention/backends/(?:mla/)?(?P<attention_backend>" + _BACKEND_FILES + r")\.py:", places=FRAME),
    row("cache-data-type", "data type to store kv cache",
        r"\bUsing (?P<kv_cache_dtype>fp8\w{0,12}|bfloat16|float16) data type to store kv cache"),
    row("casting", "asting torch.", r"\b(?:C|Downc|Upc)asting torch\.\w{4,12} to (?P<model_dtype>torch\.\w{4,12})\."),
    row("model-config", '"torch_dtype": |"dtype": ', r"\"(?:torch_)?dtype\": \"(?P<model_dtype>\w{4,12})\""),
    row("model-config-quantization", '"quant_method": ', r"\"quant_method\": \"(?P<quantization>[\w-]{2,30})\""),
    row("quantization-kernel", "during runtime. Using ",
        r"convertible to \w{3,20} during runtime\. Using (?P<quantization>\w{3,20}) kernel"),
    row("quantization-rejected", "quantization method ",
        r"quantization method (?P<quantization>[\w-]{2,30}) is not supported for the current GPU"),
    row("architecture", "Resolved architecture: ", r"Resolved architecture: (?P<architecture>\w{3,80})"),
    row("architecture-rejected", "Model architectures [", r"Model architectures \['(?P<architecture>\w{3,80})'"),
    row("architecture-config", '"architectures": [', r"\"architectures\": \[\s{0,12}\"?(?P<architecture>\w{3,80})\"?"),
    row("model-loading", "Starting to load model ", r"Starting to load model (?P<model>\S{1,200}?)\.\.\."),
    row("max-model-len", "Using max model len ", r"\bUsing max model len (?P<max_model_len>\d{1,9})\b"),
    row("max-seq-len", "max seq len (", r"model's max seq len \((?P<max_model_len>\d{1,9})\)"),
    row("batched-tokens", "max_num_batched_tokens=", r"\bmax_num_batched_tokens=(?P<max_num_batched_tokens>\d{1,9})\b", places=TEXT),
    row("desired-utilization", "desired GPU memory utilization (",
        r"desired GPU memory utilization \((?P<gpu_memory_utilization>[\d.]{1,6}),"),
    row("world-line", "world_size",
        r"\bworld_size[=:]\s?(?P<world_size>\d{1,6})\b(?:,? rank=|,? local_world_size=| backend=)", places=TEXT),
    row("world-words", "world size ", r"\bworld size (?:is )?(?P<world_size>\d{1,6})(?:,| {1,2}rank| devices| is assigned)", places=TEXT),
    row("nccl-ranks", " nranks ", r"\brank \d{1,6} nranks (?P<world_size>\d{1,6})\b"),
    row("clients-joined", "clients joined", r"\b\d{1,6}/(?P<world_size>\d{1,6}) clients joined"),
    row("executor-default", "for distributed inference",
        r"Defaulting to use (?P<distributed_executor_backend>mp|ray) for distributed inference"),
    row("platform-detected", "detected platform ", r"Automatically detected platform (?P<platform>\w{2,10})\."),
    row("platform-plugin", "Platform plugin ", r"Platform plugin (?P<platform>ascend) is activated"),
    row("platform-smi", "NVIDIA-SMI ", r"\bNVIDIA-SMI \d", states={"platform": "cuda"}),
    row("platform-npu", "NPU out of memory|/torch_npu/|/vllm_ascend/|ASCEND|HCCL|EI00|EJ00",
        r"\bNPU out of memory|/torch_npu/|/vllm_ascend/|\bASCEND\w{0,20}|\bHCCL\b|\bE[IJ]00\d\d: ",
        states={"platform": "ascend"}, places=ANY),
    row("platform-rocm", "HIP out of memory|HIP error|hipError|RCCL version|libamdhip64",
        r"\bHIP out of memory|\bHIP error|\bhipError\w{4,40}|\bRCCL version|\blibamdhip64", states={"platform": "rocm"}),
    row("platform-xpu", "/vllm_xpu_kernels/|/torch/xpu/|/intel_extension_for_pytorch/|XPU out of memory|sycl::",
        r"/vllm_xpu_kernels/|/torch/xpu/|/intel_extension_for_pytorch/|\bXPU out of memory|\bsycl::",
        states={"platform": "xpu"}, places=ANY),
    row("platform-cpu", "/cpu_worker.py|/cpu_model_runner.py",
        r"/cpu_(?:worker|model_runner)\.py:", states={"platform": "cpu"}, places=FRAME),
    # the name of a process, in front of what it says
    row("engine-process", "(EngineCore", r"\(EngineCore(?:_\w{1,12})?(?: pid=\d{1,9})?\)", states={"engine": "v1", "program": "vllm"}),
    row("engine-v1", "/vllm/v1/", r"/vllm/v1/", states={"engine": "v1", "program": "vllm"}, places=FRAME),
    row("engine-v0", "/vllm/engine/|/vllm/worker/",
        r"/vllm/(?:engine/(?:llm_engine|async_llm_engine|multiprocessing/\w{2,20})|worker/\w{2,30})\.py:",
        states={"engine": "v0", "program": "vllm"}, places=FRAME),
    row("program-vllm", "/vllm/entry|/vllm/model_exec|/vllm/attention|/vllm/distributed|/vllm/config",
        r"/vllm/(?:entrypoints|model_executor|attention|distributed|config)\b", states={"program": "vllm"}, places=FRAME),
    row("program-sglang", "/sglang/srt/|/sglang/launch", r"/sglang/(?:srt/|launch_server)", states={"program": "sglang"}, places=FRAME),
    row("program-lmdeploy", "/lmdeploy/", r"/lmdeploy/(?:serve|turbomind|pytorch|cli)\b", states={"program": "lmdeploy"}, places=FRAME),
    row("program-training",
        "/transformers/trainer.py|/trl/trainer/|/accelerate/accelerator.py|/torch/optim/|/megatron/training/|/deepspeed/runtime/engine.py"
        "|/lightning/pytorch/|/llamafactory/train/|/swift/trainers/|/torch/_tensor.py",
        r"/(?:transformers/trainer|accelerate/accelerator|deepspeed/runtime/engine|torch/_tensor)\.py:"
        r"|/(?:trl/trainer|torch/optim|megatron/training|lightning/pytorch|llamafactory/train|swift/trainers)/",
        states={"program": "training"}, places=FRAME),
    row("container-docker", "docker run|docker: Error response|/.dockerenv|/vllm-workspace|OCI runtime create failed|containerd",
        r"\bdocker run\b|\bdocker: Error response|/\.dockerenv|(?:^|:)/vllm-workspace[/#]|\bOCI runtime create failed|\bcontainerd\b",
        states={"container": "docker"}, places=ANY),
    row("container-kubernetes",
        "kubectl|kubelet|Back-off restarting failed|kube-system|KUBERNETES_SERVICE_HOST|CrashLoopBackOff|Liveness probe failed",
        r"\bkubectl\b|\bkubelet\b|\bBack-off restarting failed|\bkube-system\b|KUBERNETES_SERVICE_HOST|\bCrashLoopBackOff\b"
        r"|\bLiveness probe failed", states={"container": "kubernetes"}),
    row("launcher-torchrun", "torchrun|/torch/distributed/|torch.distributed.",
        r"\btorchrun\b|/torch/distributed/(?:run|launch|launcher|elastic)\b|\btorch\.distributed\.(?:elastic|launch|run)\b",
        states={"launcher": "torchrun"}, places=ANY),
    row("launcher-ray", "ray::|raylet|Started a local Ray instance|Connecting to existing Ray cluster",
        r"\bray::\w|\braylet\b|Started a local Ray instance|Connecting to existing Ray cluster", states={"launcher": "ray"}),
    row("launcher-mpi", "mpirun|mpiexec|prterun|orterun", r"\bmpirun\b|\bmpiexec\b|\bprterun\b|\borterun\b", states={"launcher": "mpirun"}),
    row("launcher-slurm", "srun: |slurmstepd: |SLURM_|sbatch",
        r"\bsrun: |\bslurmstepd: |\bSLURM_\w{3,20}|\bsbatch\b", states={"launcher": "slurm"}),
    row("launcher-docker", "docker run |docker logs |docker: Error",
        r"\bdocker run |\bdocker logs |\bdocker: Error", states={"launcher": "docker"}),
    row("launcher-compose", "docker compose|docker-compose", r"\bdocker[- ]compose\b", states={"launcher": "compose"}),
    row("launcher-kubectl", "kubectl |kubelet|Back-off restarting failed",
        r"\bkubectl (?:logs|describe|get|apply)\b|\bkubelet\b|\bBack-off restarting failed", states={"launcher": "kubectl"}),
    row("launcher-systemd", "systemd[|systemctl |journalctl|.service: ",
        r"\bsystemd\[\d|\bsystemctl \w|\bjournalctl\b|\.service: (?:Main process exited|Failed with result)",
        states={"launcher": "systemd"}),
    # Who wrote what stands before each line started the program, too.
    row("prefix-compose", "-1  |_1  |-2  |_2  ", r"^\w[\w./-]{0,80}[-_][12] {2,20}\| ", states={"launcher": "compose"}),
    row("prefix-kubernetes", "[pod/| stdout F | stderr F ",
        r"^\[pod/[\w./-]{1,200}\]|\dZ std(?:out|err) F ", states={"launcher": "kubectl"}),
    row("prefix-unit", "vllm[|sglang[|python[|python3[",
        r"\d [\w.-]{1,80} (?:vllm|sglang|python3?)\[\d{1,9}\]: ", states={"launcher": "systemd"}),
    row("prefix-ray", ", ip=", r"\(\w[\w:.]{0,80} pid=\d{1,9}, ip=[\w.:]{1,45}\)", states={"launcher": "ray"}),
)
# fmt: on

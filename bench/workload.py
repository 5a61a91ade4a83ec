"""Logs and books for the benchmarks: reproducible, any size, any number of signatures.

    python bench/workload.py DIR            small and middle sizes;  --large adds 1 GB

A log is healthy serving output of several systems, tracebacks that no signature knows among it, and planted failures at known lines.
The signatures are made of the same vocabulary, so that their words stand everywhere in the log and only together mean a failure.
"""

# ruff: noqa: E501, SIM905 (words and lines of logs are data)
import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 20261201
SIZES = {"5k": 5_000, "1m": 1_000_000, "20m": 20_000_000, "200m": 200_000_000}
COUNTS = (100, 1_000, 10_000)

THINGS = (
    "adapter attention backend batch block bucket buffer cache cell channel checkpoint chunk client cluster codec column config context "
    "cursor decoder device digest driver dtype encoder endpoint engine event executor expert fabric filter frame gate graph group handle "
    "head heap index ingress kernel key lane layer layout lease ledger link lock logits mask matrix mesh metric mirror module mutex node "
    "norm object operator packet page partition peer pipeline plane plugin pod policy pool port probe process profile projection prompt "
    "proxy query queue quota rank record region registry replica request residual ring role rope route router runtime sample sampler "
    "schedule scheduler schema scope sector segment semaphore sequence session shape shard signal slice slot snapshot socket span stage "
    "stream stride table task tensor thread ticket tile timer token tokenizer topology trace tree tunnel vector vocab volume weight window worker"
).split()
KINDS = (
    "adaptive aligned async atomic batched blocked cached causal chained compiled compressed cyclic deferred dense detached direct "
    "dynamic eager elastic external fused global grouped hashed hybrid idle inner lazy local merged mixed native nested outer packed paged "
    "parallel pinned prefetched pruned quantized ragged remote replicated rotary shared sharded sparse speculative split static strided "
    "tiled traced unified virtual"
).split()
DOINGS = (
    "acquire advance align allocate append apply assign attach bind build capture cast clone close collect commit compile connect copy "
    "decode detach dispatch drain dump encode evict expand export fetch flush fold forward free gather grow hash import infer init insert "
    "join launch listen load lookup map mark measure merge migrate mount move open pack parse pin poll prefetch probe publish push read "
    "rebuild receive record recover reduce refresh register release reload remap replay reset resize resolve restore retry rotate route "
    "sample save scale scan scatter seal seek send serve shrink shut sort spawn spill split start stop store swap sync tokenize trace train "
    "trim unmap unpack update validate verify wait warm wrap write"
).split()
PACKAGES = "vllm sglang torch nccl flash_attn flashinfer triton ray transformers deepspeed kubelet containerd etcd nginx redis kafka postgres".split()
ERRORS = (
    "RuntimeError ValueError TypeError KeyError AttributeError ImportError OSError AssertionError NotImplementedError TimeoutError "
    "ConnectionError MemoryError IndexError PermissionError FileNotFoundError"
).split()
CLAUSES = (
    "must be a multiple of the {}|has no matching {}|is not registered with the {}|was released before the {}|does not fit into the {}|"
    "is owned by another {}|lost its {}|cannot share a {}|needs a newer {}|got stuck behind the {}|is older than the {}|rejects every {}"
).split("|")
CHINESE = "显存不足 权重加载失败 连接被拒绝 进程异常退出 初始化超时 找不到文件 张量形状不一致".split()


@dataclass(frozen=True, slots=True)
class Made:
    """A signature of a made-up book, and a text that it matches."""

    id: str
    pattern: str
    flags: str
    sample: str


def signatures(count: int) -> list[Made]:
    """The first `count` of one endless list: a larger set contains every smaller one."""
    r, seen, out = random.Random(SEED), set(), []
    while len(out) < count:
        pattern, flags, sample = _signature(r)
        if pattern not in seen:
            seen.add(pattern)
            out.append(Made(f"made/{len(out):05}", pattern, flags, sample))
    return out


def _signature(r: random.Random) -> tuple[str, str, str]:
    """One of the shapes that patterns have in practice."""
    kind, thing, other, third, doing, package = (r.choice(words) for words in (KINDS, THINGS, THINGS, THINGS, DOINGS, PACKAGES))
    number, error, clause = r.randint(1, 2000), r.choice(ERRORS), r.choice(CLAUSES).format(third)
    name, capital = f"{kind}_{thing}", f"{kind.capitalize()}{thing.capitalize()}"
    shapes = (
        (rf"\b{name}_{doing}\.cpp:(?P<line>\d+), {other} {clause}", "", f"{name}_{doing}.cpp:{number}, {other} {clause}"),
        (rf"\b{doing}_{name}\.py:\d+: {doing}_{other} gave up", "", f"lib/{doing}_{name}.py:{number}: {doing}_{other} gave up"),
        (
            rf"\b{thing}\.{other} (?P<left>\S{{1,40}}) != {doing}_{thing}\.{other}",
            "",
            f"{thing}.{other} a{number} != {doing}_{thing}.{other} b",
        ),
        (rf"\b{error}: (?:{other} )?{thing} {clause}", "", f"{error}: {thing} {clause}"),
        (
            rf"{capital}Error: .{{0,200}}\b{doing}_{other}\b.{{0,80}} got (?P<got>\d+)",
            "",
            f"{capital}Error: in {doing}_{other} want {number} got 3",
        ),
        (rf"\[{name}\.{doing}:\d+\] (?:{other}|{third}) {clause}", "", f"[{name}.{doing}:{number}] {other} {clause}"),
        (rf"\b{kind} {thing} {clause}", "i", f"{kind} {thing} {clause}".upper() if number % 2 else f"{kind} {thing} {clause}"),
        (rf"\bundefined symbol: _ZN\d+{capital}{other.capitalize()}", "", f"undefined symbol: _ZN{number}{capital}{other.capitalize()}Ev"),
        (rf"\b{package}_{thing}: (?:error|fatal): \w+ {doing} \w+ {other}", "", f"{package}_{thing}: fatal: the {doing} of {other}"),
        (
            rf'"(?:reason|message)": ?"{capital}{other.capitalize()}[^"]{{0,200}}{third}',
            "",
            f'"reason": "{capital}{other.capitalize()} on {third}"',
        ),
        (rf"{r.choice(CHINESE)}.{{0,80}}{doing}_{name}", "", ""),
        (rf"(?<!no ){kind} {thing} {clause}(?! \(ignored\))", "", f"the {kind} {thing} {clause}"),
    )
    pattern, flags, sample = r.choices(shapes, weights=(14, 8, 9, 14, 10, 8, 7, 6, 6, 5, 2, 2))[0]
    if not sample:
        sample = f"{pattern.split('.')[0]}: {doing}_{name}"
    return pattern, flags, sample


class Healthy:
    """Lines of systems that serve."""

    def __init__(self, seed: int) -> None:
        self._r = random.Random(SEED + seed)

    def block(self) -> str:
        """One line, or a traceback that no signature knows."""
        r = self._r
        makers = (self._engine, self._access, self._web, self._ray, self._worker, self._json, self._kubelet, self._container, self._chinese)
        makers = (*makers, self._progress, self._warning, self._traceback)
        return r.choices(makers, weights=(22, 18, 10, 10, 9, 10, 8, 4, 3, 2, 2, 0.6))[0]()

    def _time(self) -> str:
        r = self._r
        return f"{r.randint(1, 12):02}-{r.randint(1, 28):02} {r.randint(0, 23):02}:{r.randint(0, 59):02}:{r.randint(0, 59):02}"

    def _address(self) -> str:
        r = self._r
        return f"10.{r.randint(0, 9)}.{r.randint(0, 255)}.{r.randint(1, 254)}"

    def _hex(self) -> str:
        return f"{self._r.getrandbits(48):012x}"

    def _words(self) -> tuple[str, str, str, str, str]:
        r = self._r
        return r.choice(THINGS), r.choice(THINGS), r.choice(DOINGS), r.choice(KINDS), r.choice(PACKAGES)

    def _engine(self) -> str:
        r = self._r
        return (
            f"(APIServer pid={r.randint(1, 99999)}) INFO {self._time()} [loggers.py:{r.randint(80, 300)}] Engine {r.randint(0, 7):03}: "
            f"Avg prompt throughput: {r.random() * 9999:.1f} tokens/s, Avg generation throughput: {r.random() * 2999:.1f} tokens/s, "
            f"Running: {r.randint(0, 256)} reqs, Waiting: {r.randint(0, 99)} reqs, GPU KV cache usage: {r.random() * 100:.1f}%, "
            f"Prefix cache hit rate: {r.random() * 100:.1f}%"
        )

    def _access(self) -> str:
        status = self._r.choice(("200 OK",) * 40 + ("429 Too Many Requests", "500 Internal Server Error"))
        path = self._r.choice(("/v1/chat/completions", "/v1/completions", "/metrics", "/health"))
        return f'INFO:     {self._address()}:{self._r.randint(1024, 65535)} - "POST {path} HTTP/1.1" {status}'

    def _web(self) -> str:
        thing, _, doing, _, _ = self._words()
        return f'{self._address()} - - [{self._time()} +0000] "GET /{thing}/{doing}?id={self._hex()} HTTP/1.1" 200 {self._r.randint(100, 99999)} "-"'

    def _ray(self) -> str:
        thing, other, doing, kind, _ = self._words()
        pid, line = self._r.randint(100, 99999), self._r.randint(1, 2000)
        return f"(RayWorkerWrapper pid={pid}, ip={self._address()}) INFO {self._time()} [{kind}_{thing}.py:{line}] {doing} {other} took {line / 91:.2f} s"

    def _worker(self) -> str:
        thing, other, doing, kind, _ = self._words()
        level = self._r.choice(("INFO", "INFO", "INFO", "WARNING", "DEBUG"))
        pid = self._r.randint(100, 99999)
        return f"(EngineCore_DP0 pid={pid}) {level} {self._time()} [{thing}.py:{pid % 900}] {doing.capitalize()} the {kind} {other} for {thing}"

    def _json(self) -> str:
        thing, other, doing, kind, package = self._words()
        value = {"ts": f"2026-{self._time()}", "level": "info", "logger": f"{package}.{thing}", "msg": f"{doing} {kind} {other}"}
        return json.dumps({**value, "trace": self._hex(), "ms": self._r.randint(1, 9000), "error": None})

    def _kubelet(self) -> str:
        thing, other, doing, _, _ = self._words()
        place, line = self._hex()[:5], self._r.randint(1, 900)
        return f'I1201 {self._time()[6:]}.{line:06}       1 {thing}_controller.go:{line}] "{doing.capitalize()}d {other}" pod="ns-{place}/{thing}-{place}" err=<nil>'

    def _container(self) -> str:
        thing, _, doing, _, _ = self._words()
        return f'2026-{self._time().replace(" ", "T")}Z stderr F level=warning msg="{doing} {thing} was slow, trying again (attempt {self._r.randint(1, 9)})"'

    def _chinese(self) -> str:
        thing, _, _, _, package = self._words()
        return f"[2026-{self._time()}] 信息: {package} {thing} 模型加载完成, 耗时 {self._r.random() * 90:.1f} 秒, 显存占用 {self._r.randint(100, 80000)} MiB"

    def _progress(self) -> str:
        done = self._r.randint(0, 100)
        return (
            f"Loading safetensors checkpoint shards: {done:3}% Completed | {done // 25}/4 [00:{done % 60:02}<00:09,  {done / 31:.2f}s/it]\r"
        )

    def _warning(self) -> str:
        thing, other, _, kind, _ = self._words()
        error = self._r.choice(ERRORS)
        return f"WARNING {self._time()} [{kind}_{thing}.py:{self._r.randint(1, 900)}] 0 errors, {error}: {other} is deprecated and will be removed"

    def _traceback(self) -> str:
        r = self._r
        head = r.choice(("", "", f"ERROR {self._time()} [core.py:{r.randint(1, 900)}] "))
        lines = [f"{head}Traceback (most recent call last):"]
        for _ in range(r.randint(3, 12)):
            thing, other, doing, _, package = self._words()
            lines.append(
                f'{head}  File "/opt/venv/lib/python3.12/site-packages/{package}/{thing}.py", line {r.randint(1, 3000)}, in {doing}_{other}'
            )
            lines.append(f"{head}    {other} = self._{doing}({thing}, {other})")
        thing, other, _, _, _ = self._words()
        return "\n".join([*lines, f"{head}{r.choice(ERRORS)}: unexpected {thing} in {other} ({self._hex()})"])


def write_log(path: Path, size: int, planted: list[Made], seed: int = 0, each: int | None = None) -> None:
    """A log of `size` bytes with 20 planted failures, or one in `each` lines, and beside it `.truth.json`: id and line of each."""
    r, healthy = random.Random(SEED + seed), Healthy(seed + 1)
    pool = [(healthy.block() + "\n").encode() for _ in range(min(120_000, max(200, size // 60)))]
    truth: list[tuple[str, int]] = []
    line = written = 0
    plants = 20 if each is None else max(size // 140 // each, 1)
    with path.open("wb") as file:
        for number in range(plants):
            target = size * (number + 1) // plants
            while written < target - 200:
                data = b"".join(r.choices(pool, k=max(1, min(20_000, (target - written - 200) // 200))))
                file.write(data)
                written += len(data)
                line += data.count(b"\n")
            made = r.choice(planted)
            head = r.choice(("", "ERROR 07-18 03:16:02 [core.py:588] ", "(EngineCore_DP0 pid=123) "))
            data = f"{head}{made.sample}\n".encode()
            truth.append((made.id, line + 1))
            file.write(data)
            written += len(data)
            line += data.count(b"\n")
    path.with_suffix(".truth.json").write_text(json.dumps({"planted": truth, "lines": line, "bytes": written}))


def pieces(seed: int, count: int) -> Iterator[bytes]:
    """Healthy lines alone, for the background table."""
    healthy = Healthy(seed)
    for _ in range(count):
        yield (healthy.block() + "\n").encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--large", action="store_true", help="a log of 1 GB, too")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    made = signatures(COUNTS[0])
    for number, (name, size) in enumerate({**SIZES, **({"1g": 1_000_000_000} if args.large else {})}.items()):
        write_log(args.folder / f"{name}.log", size, made, seed=number)
    write_log(args.folder / "many.log", SIZES["20m"], made, seed=9, each=100)


if __name__ == "__main__":
    main()

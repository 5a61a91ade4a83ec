"""What a line says about the course of things: listings, hints, progress, ends, new runs. One table, without any entry's words.

A `Sign` is a pattern with words in lower case of which every match contains one, so that most lines are passed without a pattern.
"""

import re

from .alternatives import Alternatives
from .expressions import expression

__all__ = [
    "ALL_PASSED",
    "ASKED",
    "DONE",
    "ENDED",
    "FAILS",
    "FAULT",
    "HINT",
    "LISTED",
    "LISTED_WITHIN",
    "PROGRESS",
    "RESULT",
    "RETRY",
    "RUNNER",
    "SEARCH",
    "SERVER_FAILED",
    "SOFT",
    "SOME_FAILED",
    "STARTS",
    "STOPPED",
    "Sign",
]


class Sign(Alternatives):
    """Alternatives with `words`, in lower case, of which every match contains one: a quick no for most lines."""

    def __init__(self, words: tuple[str, ...], pattern: str, flags: int = 0) -> None:
        super().__init__(pattern, flags)
        self.words = words

    def seen(self, text: str, low: str) -> bool:
        for word in self.words:
            if word in low:
                return super().seen(text, low)
        return False


def _sign(words: str, *branches: str, flags: int = 0) -> Sign:
    return Sign(tuple(words.split("|")), "|".join(branches), flags)


# --- mentioned --------------------------------------------------------------------------------------------------------------------

# A line of a listing: what a test runner, a commit log or a changelog prints of one item.
_CHANGE = (
    "[Ff]ix(?:ed|es)?|[Dd]ocs?|ci|CI|[Aa]dded?|[Rr]emoved?|[Cc]hanged?|[Ff]eat|chore|test|perf|refactor|build|[Bb]ug ?fix|[Ii]mproved?"
    "|修复|新增|优化"
)
LISTED = expression(  # at the beginning of the line
    r"(?:PASSED|SKIPPED|XFAIL|XPASS|DESELECTED)\b|\s*--- (?:PASS|SKIP):|=== (?:RUN|PAUSE|CONT)\b"
    r"|(?:not )?ok \d+ - |# Subtest: |\s*[✓✔]\s"
    r"|[0-9a-f]{7,40} (?:\(.{0,80}\) )?(?:Merge|Revert|[a-z]{2,12}(?:\([\w ./-]{1,40}\))?!?: )"
    r"|\s*(?:[*+•-]|\d{1,3}\.)\s.{1,400}(?:\(#\d{1,6}\)|\bby @[\w-]{1,40}(?: in https?://\S{1,200})?)\s*$"
    r"|\s*(?:[*+•-]|\d{1,3}\.)\s+\[?(?:" + _CHANGE + r")\b[^:：\n]{0,40}\]?\s*[:：]"
    r"|\s*(?:If you (?:see|get|encounter|hit|run into|face)|To (?:avoid|prevent|fix|resolve|suppress|silence))\b"
    r"|(?:fix|docs|ci|feat|chore|test|perf|refactor|build|style)(?:\([\w ./-]{1,40}\))?!?: "
)
LISTED_WITHIN = _sign(
    "::|... ok|... skipped|... expected failure|<testcase",
    r"::\S{1,200}(?: [^\n]{0,300}\])? (?:PASSED|SKIPPED|XFAIL|XPASS)\b|\.\.\. (?:ok|skipped|expected failure)\b|<testcase\b",
)
# Documents whose every line only lists: the runner's own summary says that nothing failed.
ALL_PASSED = expression(
    r"^=+ (?=.*\b\d+ passed)(?!.*\b[1-9]\d* (?:failed|error)).*=\s*$|^OK(?: \(.*\))?$|^PASS$|^ok\s+\S+\s+\d[\d.]*s|^# fail 0$"
    r"|^Tests:(?!.*failed).*\b\d+ passed|errors=\"0\" failures=\"0\"|failures=\"0\" errors=\"0\"|test result: ok\.",
    re.MULTILINE,
)
SOME_FAILED = expression(
    r"^=+ (?=.*\b[1-9]\d* (?:failed|error)).*=\s*$|^FAILED(?: \(| \S+::)|^--- FAIL|^# fail [1-9]"
    r"|failures=\"[1-9]|test result: FAILED|^FAIL\b",
    re.MULTILINE,
)
RUNNER = Alternatives(
    r"test session starts|^Ran \d+ tests? in|^=== RUN|^TAP version|^1\.\.\d+|<testsuite|^running \d+ tests?|^ok\s+\S+\s+\d|^# tests \d",
    re.MULTILINE,
)
# A command that searches or compares, or the head of what it prints; and a line of its results. A bullet has one blank after its dash.
SEARCH = expression(
    r"^[ \t]{0,80}(?:\$|#|>|\S{1,200}[$#])?[ \t]{0,8}(?:grep|egrep|rg|ag|ack|git grep|git log)[ \t]{1,8}\S"
    r"|^diff --git |^@@ -\d{1,9}(?:,\d{1,9})? \+\d",
    re.MULTILINE,
)
RESULT = expression(r"^[\w./-]{1,200}\.\w{1,6}(?::\d+)?(?:[:-].*)?$|^[0-9a-f]{7,40} \S|^[-+](?:\S|\s{2,}\S)")
# What a client and a model said to each other, as a server logs it: an error in a question did not happen.
ASKED = _sign(
    "request|prompt|role|generated response",
    r"\bGenerated response \S|\b[Rr]eceived request \S{1,100}: prompt|\bprompt: ['\"]|\bGenerateReqInput\(",
    r"\\?[\"']role\\?[\"']: ?\\?[\"'](?:user|system|assistant|tool)\b",
)
# A warning or a hint that quotes an error which may come.
HINT = _sign(
    "error|exception|failure|message|issue|cause|lead|result|produce|trigger|raise|fail|hit|encounter|see|get|if you|to avoid|to prevent"
    "|to suppress|to silence|in case|opt out",
    r"\b(?:errors?|exceptions?|failures?|messages?|issues?) (?:like|such as|similar to)\b",
    r"\b(?:can|may|might|could|would) (?:also )?(?:cause|lead to|result in|produce|trigger|raise|see|fail with|hit|encounter|get)\b",
    r"\bif you (?:see|get|encounter|hit|run into|face)\b|\bto (?:avoid|prevent|suppress|silence)\b|\bin case of\b|\bto opt out\b",
    r"\bwill (?:raise|fail|be raised)\b",
    flags=re.IGNORECASE,
)
# Levels at which a log writer speaks of no failure of its own.
SOFT = frozenset({"DEBUG", "INFO", "WARNING", "NOTICE", "TRACE", "SUCCESS"})

# --- handled ----------------------------------------------------------------------------------------------------------------------

# The program works: one such line may be left over from before, two after a failure say that it goes on. Probes of a server's
# health say nothing: they are answered while its engine is dead.
_PROBES = "health|metrics|ping|version|v1/models|readyz|livez|healthz|load|favicon"
PROGRESS = _sign(
    'http/|throughput|step|iteration|loss|success|decode batch|epoch|" 200 ',
    r"\"(?:POST|GET) (?!/(?:" + _PROBES + r"))[^\"]{1,300} HTTP/[\d.]+\"\s+2\d\d",
    r"\bgeneration throughput: (?!0\.0 )",  # an engine that is dead or idle has none
    r"\bstep[ =:]+\d+|\biteration\s+\d+/|'loss':|\bloss[=: ]+\d|\bepoch[=: ]+\d+.*\bloss\b|\bSuccess\b$|\" 200 \d+$|\bdecode batch\b",
    flags=re.IGNORECASE,
)
# The program has come up, come back or come to its end.
DONE = _sign(
    "startup complete|resumed from|finished|train_runtime|completed|closed after|succeeded|ready: 200|recovered|save|training done",
    r"Application startup complete|\bresumed from\b|\bfinished \d+/\d+|'train_runtime'|Training (?:completed|finished)",
    r"\bclosed after \d+ failures|succeeded after \d+|retry succeeded|\bready: 200\b|\brecovered\b",
    r"Saved? (?:model|checkpoint) (?:to|in)|\btraining done\b",
    flags=re.IGNORECASE,
)
# What is not handled, whatever comes after: the server itself says that it failed.
SERVER_FAILED = _sign(
    "internal server error|http/|enginedeaderror|died|engine is dead",
    r"\b5\d\d Internal Server Error|HTTP/[\d.]+\"\s+5\d\d|EngineDeadError|Engine core proc .* died|engine is dead",
    flags=re.IGNORECASE,
)
# Somebody stopped the program: what it prints then is its teardown.
STOPPED = _sign(
    "^c|keyboardinterrupt|received s|shutting down|sigint|ctrl",
    r"^\s*(?:\^C|KeyboardInterrupt\b)|\bKeyboardInterrupt\b|Received (?:signal |SIG)(?:2\b|INT\b|15\b|TERM\b)",
    r"Shutting down FastAPI HTTP server|\bsignal SIGINT\b|INFO: +Shutting down\s*$|Ctrl-?C",
)
RETRY = _sign(
    "retry|attempt|reducing|skipping|recovered",
    r"\bRetry(?:ing)?\b|\bretry in\b|\bwill retry\b|\battempt \d+(?: of |/)\d+",
    r"Reducing (?:hysteresis|dynamic loss scale)|reducing to \d+|Skipping step|\brecovered:",
    flags=re.IGNORECASE,
)
# --- failures of one line ---------------------------------------------------------------------------------------------------------

# The line names the fault itself: compilers, linkers and loaders, the C library, the kernel, package managers. What of it a large log is
# searched for stands among the marks of log.py.
FAULT = _sign(
    "fatal error: |error c|error lnk|error msb|错误|cannot find -l|找不到 -l|undefined reference to|(): |double free|corrupted "
    "|smashing det|overflow det|pure virtual method|cmake error|nvidia-smi |nvidia-container-"
    "|segfault at|trap invalid|protection fault|exec format"
    "|e: unable|e: could|e: failed|e: package|e: version|e: sub-process|e: the repository|e: 无法|dpkg: error|npm error "
    "|not found (required by|非法指令|已放弃|已杀死",
    r"\bfatal error: |\b(?:fatal )?error (?:C|LNK|MSB)\d{4} ?: |^(?:\S{1,200}: )?(?:致命)?错误[：:]",
    r"\bcannot find -l\w|找不到 -l\w|\bundefined reference to [`'‘]|\bversion [`'‘]\w[\w.]{1,60}['’] not found \(required by\b",
    r"^(?:\S{1,100}: )?(?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\): (?:corrupted|double|invalid|memory|mismatching"
    r"|smallbin|largebin|too many|unaligned|unsorted)\b|\bdouble free or corruption\b",
    r"\bcorrupted (?:size vs\. prev_size|double-linked list)|\b(?:stack smashing|buffer overflow) detected\b",
    r"\bpure virtual method called\b",
    r"\bCMake Error(?:: | at | in | \()|\bNVIDIA-SMI (?:has failed|couldn't)\b|\bnvidia-container-\w{1,20}: (?:\w{1,20} ){1,3}error: ",
    r"\bsegfault at [0-9a-f]{1,16} ip |\btrap invalid opcode\b|\bgeneral protection fault ip:|\b[Ee]xec format error\b",
    r"^E: (?:Unable|Could|Failed|Package|Version|Sub-process|The repository|无法)|\bdpkg: error |^npm error \S",
    r"^(?:[^\n]{0,120}\d[ \t]{1,8}|\S{1,100}[:：] ?)?(?:段错误|总线错误|非法指令|已放弃|已杀死)(?:[ \t（(]|$)",
    flags=re.MULTILINE,
)
# States and reasons of a container that did not come up or did not last, as Kubernetes names them.
_POD = (
    r"(?:Init:)?(?:CrashLoopBackOff|ImagePullBackOff|OOMKilled|Evicted|ContainerCannotRun|DeadlineExceeded|ErrImage\w{2,40}"
    r"|(?:\w{1,40}(?:Container|Config|Start|Admission))?Error)"
)
# The line only tells that something failed, and not what: shells, supervisors, launchers, build tools.
ENDED = _sign(
    "is not recognized as|不是内部或外部命令|项识别为|到命令|categoryinfo|fullyqualifiederrorid|permission denied|no such file|没有那个文件"
    "|权限不够|cannot execute|can't open file|main process exited|failed with result|failed: |warning|backoff|back-off|evicted|oomkill"
    "|reason:|cannotrun|deadlineexc|errimage| error  |containererr|configerr|starterr|admissionerr|nodes are available|*** "
    "|ninja: build stopped|did not run succ|configuring incomplete|on signal |<signals.|nccl warn|aborted|curl: |zsh: |killed  "
    "|segmentation fault  |bus error  |instruction  |abort  |退出",
    # shells
    r"\bis not recognized as (?:an internal or external command|(?:the|a) name of a cmdlet)|不是内部或外部命令",
    r"无法将[“\"][^”\"\n]{1,200}[”\"]项识别为|[:：] ?(?:未找到命令|找不到命令)",
    r"^\s{0,8}\+ (?:CategoryInfo {1,20}: (?!NotSpecified\b)\w|FullyQualifiedErrorId : (?!NativeCommandError\b)\w)",
    r"^(?:-?(?:ba|da|z|k|a)?sh|[\w./-]{1,200}\.sh): (?:(?:line |行 )?\d{1,6}: )?[^:\n]{1,200}: (?:Permission denied"
    r"|No such file or directory|cannot execute|权限不够|没有那个文件或目录)",
    r"^(?:zsh: |[^\n]{0,40}\b\d{2,8} {1,4})(?:killed|segmentation fault|bus error|illegal hardware instruction|abort) {2}",
    r"\bcan't open file '|^Aborted[ \t]*$|^curl: \(\d{1,2}\) ",
    # supervisors and launchers; what ends on SIGTERM or SIGINT was asked to
    r"\bMain process exited, code=(?:exited, status=(?!0/|143/)|dumped, |killed, status=(?!15/|2/))|\bFailed with result '",
    r"\bexited on signal \d|退出(?:代码|码)为?[:： ]{0,2}-?[1-9]|\bdied with <Signals\.",
    # Kubernetes: a table of pods, their description, events
    r"\b\d{1,3}/\d{1,3}[ \t]{1,40}" + _POD + r"[ \t]{1,40}\d|\bReason:[ \t]{1,40}" + _POD + r"(?:[ \t]*$|[ \t]{2})",
    r"^\s{0,40}\"?(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\"?,?\s{0,8}$",
    r"\bBack-off (?:restarting|pulling)\b|\b\d{1,5}/\d{1,5} nodes are available: ",
    r"\bWarning[ \t]{1,20}(?:BackOff|Evicted|OOMKilling|SystemOOM|Failed(?!Get|Compute|ToRetrieve)[A-Z]\w{2,40})\b",
    r"\bWarning[ \t]{1,20}Failed(?:[ \t]{2}|[ \t]\d{1,4}[smhd]\b|[ \t][a-z]{2,40}/|[ \t]*$)",
    # build tools
    r"make(?:\.exe)?(?:\[\d{1,4}\])?: \*\*\* (?![^\n]{0,400}(?:\(ignored\)|（已忽略）|\] (?:Interrupt|Terminated|中断)))",
    r"\bninja: build stopped: (?!interrupted)|^FAILED: \S|\bdid not run successfully\b|\bConfiguring incomplete, errors occurred",
    # NCCL has no level above its WARN; that it looks for a library in vain is none of its failures
    r"\bNCCL WARN (?![^\n]{0,80}\b(?:[Ff]ailed to (?:find|load|open)|[Cc]ould not (?:find|load|open))\b)[^\n]{0,300}"
    r"(?:\b[Ff]ail(?:ed|ure)\b|\b[Ee]rror\b|\bstatus=[1-9]|\b[Tt]imed? ?out\b)",
    flags=re.MULTILINE,
)
# A failure in a line that has no level and is no exception. Prose ("I get this error:") does not count.
FAILS = _sign(
    "|".join(
        (
            "error: |fatal|aborted|killed|died|panic|segmentation fault|core dumped|out of memory|timed out|timeout|xid|exit code|exitcode",
            "failed: |failed to |failed with ",
            *FAULT.words,
            *ENDED.words,
        )
    ),
    FAULT.pattern.pattern,
    ENDED.pattern.pattern,
    r"\berror: \S|\bfatal\b|\bAborted\b|\bKilled\b|\bkilled by\b|\bdied\b|\bpanic\b|[Ss]egmentation fault|core dumped|\bout of memory\b",
    r"\btimed out\b|\btimeout:|\bXid\b|\bexit ?code:? [1-9-]|\bfailed\b(?=: | to | with )",
    flags=re.MULTILINE,
)

# --- runs -------------------------------------------------------------------------------------------------------------------------

# A program starts: the kinds of line by which that shows. A kind that comes again after a failure begins another run; the first kind alone
# does so without a failure before.
STARTS = (
    _sign(
        "api server version|version |server_args",
        r"vLLM API server version|\bversion \d+\.\d+\.\d+.{0,200}█|█.{0,200}\bversion \d+\.\d+\.\d+|server_args=ServerArgs\(",
    ),
    _sign("initializing a", r"Initializing an? (?:V\d )?LLM engine"),
    _sign("omp_num_threads", r"^Setting OMP_NUM_THREADS"),
    _sign("started server process", r"Started server process"),
    _sign("starting ", r"Starting (?:vLLM|SGLang)"),
    _sign("+ |$ ", r"^\+ (?:vllm|python)\b|^\$ (?:vllm|python|torchrun)\b"),
)

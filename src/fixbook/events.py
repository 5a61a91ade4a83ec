"""What a line says about the course of things: listings, hints, progress, ends, new runs. One table, without any entry's words.

A `Sign` is a pattern with words in lower case of which every match contains one, so that most lines are passed without a pattern.
"""

import re

from .expressions import expression
from .value import Value

__all__ = [
    "ALL_PASSED",
    "ASKED",
    "DONE",
    "FAILS",
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


class Sign(Value):
    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def seen(self, text: str, low: str) -> bool:
        """Whether the text bears the sign; `low` is the text in lower case."""
        for word in self.words:
            if word in low:
                return self.pattern.search(text) is not None
        return False


def _sign(words: str, *branches: str, flags: int = 0) -> Sign:
    return Sign(tuple(words.split("|")), expression("|".join(branches), flags))


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
    r"::\S{1,200} (?:PASSED|SKIPPED|XFAIL|XPASS)\b|\.\.\. (?:ok|skipped|expected failure)\b|<testcase\b",
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
RUNNER = expression(
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
# A failure in a line that has no level and is no exception. Prose ("I get this error:") does not count.
FAILS = _sign(
    "error: |fatal|aborted|killed|died|panic|segmentation fault|core dumped|out of memory|timed out|timeout|xid|exit code|exitcode|failed",
    r"\berror: \S|\bfatal\b|\bAborted\b|\bKilled\b|\bkilled by\b|\bdied\b|\bpanic\b|[Ss]egmentation fault|core dumped|\bout of memory\b",
    r"\btimed out\b|\btimeout:|\bXid\b|\bexit ?code:? [1-9-]|\bfailed\b(?=: | to | with )",
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

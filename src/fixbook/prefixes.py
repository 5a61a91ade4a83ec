"""What log writers put before a line: one table of prefixes, tried in this order, in any stack.

Each row is `(name, pattern)`, in the portable subset (the page's matcher reads the same table). A named group says what the prefix tells:

    process   which process wrote the line: two processes' lines are put together apart
    rank      its rank
    level     the log level
    where     the place in the code that wrote it, `core.py:588`
    time      a time stamp

Blanks: a prefix takes at most one blank after it, because the indentation that follows belongs to the text.
"""

__all__ = ["LEVELS", "LEVEL_WORD", "PREFIXES"]

LEVEL_WORD = "TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRITICAL|CRIT|FATAL|SEVERE|SUCCESS"
_DATE = r"\d{4}[-/]\d\d[-/]\d\d"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d| ?UTC| ?GMT)?"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_FILE = r"[\w./+-]{1,120}\.(?:py|cc|cpp|cu|cuh|c|h|hpp|go|rs|java|js|ts)"

PREFIXES: tuple[tuple[str, str], ...] = (
    # A quote in Markdown or mail, also HTML-escaped; `>>> ` of a Python prompt.
    ("quote", r"(?:>|&gt;)(?:[ \t]?(?:>|&gt;))*(?:[ \t]|$)"),
    # fastchat, loguru: `2024-01-01 10:00:00 | ERROR | stderr | `, `| INFO | stdout | `
    (
        "pipes",
        r"(?:(?P<time>"
        + _DATE
        + "[T ]"
        + _CLOCK
        + r")[ \t]*)?\|[ \t]*(?P<level>"
        + LEVEL_WORD
        + r")[ \t]*\|[ \t]*(?:[\w.:<>-]{1,120}[ \t]*[|-][ \t]?)?",
    ),
    # A table or box border; a tmux pane border. The closing border is cut by the reader.
    ("border", r"[│┃║▏▕|][ \t]?(?![|])"),
    ("fence", r"`{1,3}(?=[^`\s])"),
    ("comment", r"(?:#{1,6}|//)[ \t]+(?=\S)"),
    ("bullet", r"(?:[*•‣◦-]|\d{1,2}[.)])[ \t]+(?=\S)"),
    # docker compose `vllm-1  | `; a service name has no blank.
    ("compose", r"(?P<process>[\w][\w./-]{0,80})[ \t]+\|[ \t]?(?!\s*(?:" + LEVEL_WORD + r")\b)"),
    # kubectl logs --prefix
    ("pod", r"\[(?P<process>pods?/[\w./-]{1,200})\][ \t]?"),
    # CRI: `2026-12-01T03:13:00.000000000Z stdout F `
    ("cri", r"(?P<time>" + _DATE + "T" + _CLOCK + _ZONE + r") std(?:out|err) [FP](?: |$)"),
    # vLLM: `ERROR 07-18 03:16:02 [core.py:588] `, `INFO 10-14 08:42:25 llm_engine.py:72] `
    ("vllm", r"(?P<level>" + LEVEL_WORD + r") (?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) \[?(?P<where>" + _FILE + r":\d+)\](?: |$)"),
    # `[ERROR] HCCP(38011,python):2025-07-23-18:56:32.997.682 [ra_hdc_rdma.c:1199]`
    (
        "plog",
        r"\[(?P<level>"
        + LEVEL_WORD
        + (r")\] (?P<process>[A-Z_]{2,20}\(\d+,[\w./-]{0,60}\)):(?P<time>")
        + _DATE
        + r"-[\d:.]+) \[(?P<where>"
        + _FILE
        + r":\d+)\][ ]?",
    ),
    # glog and torch: `E0409 08:11:02.123456 217303 nvc.c:376] `, also within brackets, and there with a month of one digit:
    # `[W1201 03:11:36.249204549 reducer.cpp:1529] `, `[W301 12:00:18.249204549 reducer.cpp:1529] `
    ("glog", r"\[?(?P<level>[IWEF])(?P<time>\d{3,4} \d\d:\d\d:\d\d(?:\.\d+)?)(?: +\d+)? (?P<where>[\w./+-]{1,160}:\d+)\](?: |$)"),
    ("c10", r"\[(?P<level>[IWEF]) (?P<where>[\w./+-]{1,160}:\d+)\](?: |$)"),
    # torch's own logs: `I0712 10:00:00.123000 140 torch/_dynamo/x.py:12] [0/0] `
    # SGLang: `[2025-01-01 10:00:00 TP0] `, `[2025-01-01 10:00:00 DP0 TP1 EP1] `
    ("sglang", r"\[(?P<time>" + _DATE + " " + _CLOCK + r") (?P<process>(?:[A-Z]{2,3}\d+ ?){1,4})\](?: |$)"),
    # the first column of a CSV file: milliseconds since 1970, a time
    ("csv-time", r"(?P<time>\d{10,19}|" + _DATE + "[T ]" + _CLOCK + _ZONE + r"),(?=[^\d\s]|[ \t]*$|  )"),
    # time stamps, with or without brackets
    ("time", r"[\[(<]?(?P<time>" + _DATE + "[T _-]" + _CLOCK + _ZONE + r")[\])>]?(?:[:,]|[ \t]-)?(?:[ \t]|$)"),
    ("date-vllm", r"(?P<time>\d\d[-/]\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)[ \t]"),
    ("clock", r"[\[(]?(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)[\])]?(?::|[ \t]-)?[ \t]"),
    ("ctime", r"\[?(?P<time>" + _DAY + " " + _MONTH + r" {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)? (?:[A-Z]{3,4} )?\d{4})\]?(?: |$)"),
    # journald, syslog: `Nov 29 18:57:11 node-1 kernel: `, `… node-1 vllm[812]: `
    ("syslog", r"(?P<time>" + _MONTH + r" {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?) (?P<process>[\w.-]{1,80} [\w./@:-]{1,80}(?:\[\d+\])?): ?"),
    ("syslog-time", r"(?P<time>" + _MONTH + r" {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?) "),
    ("journald", r"(?P<process>[\w.-]{1,80} (?:kernel|systemd|dockerd|containerd|kubelet|[\w.@-]{1,60}\[\d+\])): "),
    ("kernel", r"(?:kernel: )?\[ *(?P<time>\d{1,9}\.\d{6})\](?: \[ *[TC]\d+\])?(?: |$)"),
    ("kernel-word", r"kernel: "),
    ("kmsg", r"\d{1,2},\d+,\d+,[-c];"),
    # mpirun --tag-output, torchrun, Slurm, pdsh
    ("mpirun", r"\[(?P<process>\d+,(?P<rank>\d+))\]<std(?:out|err|diag)>:? ?"),
    ("torchrun", r"\[(?P<process>default(?P<rank>\d+))\]:? ?"),
    ("rank", r"\[(?P<process>(?:rank|Rank|RANK)[ :_]{0,2}(?P<rank>\d+))\]:? ?"),
    ("rank-cut", r"(?P<process>(?:rank|ank|nk|k)(?P<rank>\d+))\]: ?"),
    ("rank-word", r"(?P<process>[Rr]ank[ _]?(?P<rank>\d+)): "),
    ("srun", r"(?P<process>(?P<rank>\d{1,4})): (?=\S)"),
    ("pdsh", r"\[(?P<process>(?P<rank>\d{1,4}))\] "),
    # vLLM and Ray process tags, also with the first characters cut off
    ("process", r"\((?P<process>[\w][\w.:/-]{0,80}(?: rank=\d+)?,? pid=\d+(?:, ip=[\w.:]+)?)\) ?"),
    ("ray-pid", r"\((?P<process>pid=\d+(?:, ip=[\w.:]+)?)\) ?"),
    ("raylet", r"\((?P<process>(?:raylet|autoscaler[ +\w]{0,12}|gcs_server)(?:, ip=[\w.:]+)?)\) ?"),
    ("process-cut", r"(?P<process>[A-Za-z]\w{0,60} pid=\d+(?:, ip=[\w.:]+)?)\) "),
    # NCCL: `node-2:812:861 [1] `
    ("nccl", r"(?P<process>[\w.-]{1,80}:\d+:\d+ \[(?P<rank>\d+)\]) "),
    # logger names between time and level: `xinference.core.worker 123 ERROR `; NCCL's WARN is no warning: it has no level above
    (
        "logger",
        r"(?!NCCL WARN\b)\[?(?P<where>[A-Za-z_][\w.]{2,80})\]?(?:[ \t]+\d{1,9})?[ \t]+(?:-[ \t]+)?(?=(?:" + LEVEL_WORD + r")\b[ \t:\]])",
    ),
    ("level-paren", r"[\[<(](?P<level>" + LEVEL_WORD + r")[\]>)](?:[:,-])?(?:[ \t]|$)"),
    ("level", r"(?P<level>" + LEVEL_WORD + r")(?:[ \t]{0,8}(?::|\||-(?= ))(?:[ \t]|$)|[ \t]{1,8}(?=\S)|$)"),
    ("github", r"(?:##\[(?P<level>error|warning|debug|notice)\]|::(?:error|warning|notice)(?: [^:\n]{0,200})?::)"),
    ("where", r"\[(?P<where>" + _FILE + r":\d+(?::\w+)?)\](?: |$)"),
    ("where-cut", r"(?P<where>[\w./+-]{0,120}py:\d+)\](?: |$)"),
    ("thread", r"\[(?:MainThread|Thread-\d+|main|PID[: ]\d+|pid[: ]\d+)\][ \t]"),
    ("pytest", r"E(?:[ ]{3,}|[ \t]+(?=[A-Z]\w+(?:Error|Exception)\b))"),
    ("json-field", r"[{\[]?[ \t]*\\?\"[\w.@-]{1,40}\\?\"[ \t]*:[ \t]*\\?\"(?=\S)"),
    # IPython's header announces the class that the end of the traceback names again: `RuntimeError      Traceback (most recent call last)`
    ("ipython", r"(?:-{10,99}[ \t]?)?(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{1,80}[ \t]{1,80}(?=Traceback \(most recent call last\))"),
    # `root@node-1:/workspace# `, `(venv) user@host:~$ `
    ("prompt", r"(?:\([\w.-]{1,40}\)[ \t]?)?[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#\n]{0,80}[$#][ \t]"),
    # A progress bar before the text: `Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.2it/s]`
    (
        "progress",
        (
            r"[^|%\n]{0,100}\d{1,3}%(?:[^|\n]{0,20})\|[^|\n]{0,120}\|?[ \t]*[\d.,kMG]{1,12}/[\d.,kMG?]{1,12}[ \t]*\[[^\]\n]{0,300}\]"
            r"(?:,? [\w.]{1,20}=[\w.]{1,20})*[ \t]?(?=\S)"
        ),
    ),
)

# How levels of all these styles are called in messages.
LEVELS = {
    "I": "INFO",
    "W": "WARNING",
    "E": "ERROR",
    "D": "DEBUG",
    "F": "FATAL",
    "WARN": "WARNING",
    "ERR": "ERROR",
    "CRIT": "CRITICAL",
    "SEVERE": "ERROR",
}

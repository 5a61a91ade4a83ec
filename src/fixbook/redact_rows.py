"""What is secret or personal in a log: one row a shape, each with the part that is masked and what may be left as it is."""

import re
from base64 import b64decode
from collections.abc import Callable

from .expressions import expression
from .redact_values import Judge, Spans, after_flag, after_name
from .value import Value

__all__ = ["HOST_ROWS", "PRIVATE_KEY", "ROWS", "Row", "is_identifying"]

Match = re.Match[str]


class Row(Value):
    """`kind` names the mask; masked is what `read` finds behind a match, else the group `secret` of each match that is `accept`ed."""

    kind: str
    pattern: re.Pattern[str]
    accept: Callable[[Match], bool] = lambda match: True
    needs: tuple[str, ...] = ()  # a text without any of these, in lower case, has no match
    read: Callable[[Match], Spans] | None = None


# Where a word begins: behind no letter or digit, or behind an escaped line end or tab, as in a log inside a JSON string.
_WORD = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
_QUOTES = r"[\\'\"]{0,4}"

# The beginning of a private key; its end is looked for from there.
PRIVATE_KEY = expression(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")


# --- tokens that show by their form -----------------------------------------------------------------------------------------------

# Of a fixed length, so that one that a terminal broke over two lines is still known.
_FIXED = (("hf_", 34), ("api_org_", 34), ("ghp_", 36), ("gho_", 36), ("ghu_", 36), ("ghs_", 36), ("npm_", 36))
_BROKEN = "|".join(f"{head}(?:[A-Za-z0-9]\\r?\\n?){{{length - 1}}}[A-Za-z0-9]" for head, length in _FIXED)
_FORMS = "|".join(
    (
        r"hf_[A-Za-z0-9]{16,200}",
        r"gh[pousr]_[A-Za-z0-9]{20,255}",
        r"github_pat_\w{20,255}",
        r"gl(?:pat|dt|rt|soat|cbt|ptt|ft)-[\w-]{16,100}",
        r"sk-(?:[a-z0-9]{2,12}-){0,3}(?=[\w-]{0,60}\d)[\w-]{16,255}",
        r"(?:gsk|r8|xai|tgp_v1|fw|pplx)[_-][A-Za-z0-9_-]{24,120}",
        r"nvapi-[\w-]{20,120}",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
        r"AKID[A-Za-z0-9]{28,44}",
        r"LTAI(?=[A-Za-z0-9]{0,20}\d)[A-Za-z0-9]{12,26}",
        r"AIza[\w-]{35}",
        r"ya29\.[\w-]{20,300}",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",
        r"(?:dckr_pat|dop_v1|pypi|npm)[_-][\w-]{24,255}",
        r"ms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        r"eyJ[\w-]{8,2000}\.[\w-]{8,4000}(?:\.[\w-]{0,2000})?",
    )
)


_NUMBERED = expression(r"\b(?:user|host)-\d{1,6}\b")  # masks that are parts of words: their digits say nothing of the word


def _has_digit(secret: str) -> bool:
    return any(character.isdigit() for character in _NUMBERED.sub("", secret))


def _is_credential(match: Match) -> bool:
    """Not the word after "Bearer" in a sentence."""
    return _has_digit(match["secret"]) or len(match["secret"]) >= 32


def _is_basic(match: Match) -> bool:
    """A name, a colon and a password in base64; "Basic" stands before other words, too."""
    secret = match["secret"]
    if len(secret) % 4:
        secret += "=" * (-len(secret) % 4)
    try:
        login = b64decode(secret, validate=True).decode()
    except ValueError:
        return False
    return ":" in login and login.isprintable()


# --- values that show by their name -----------------------------------------------------------------------------------------------

_NAMES = (
    r"api[_-]?keys?|apikey|secret[_-]?(?:access[_-]?)?key|access[_-]?key(?:[_-]?id)?|account[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|client[_-]?secret|app[_-]?secret|secret[_-]?id|webhook[_-]?secret|\w{1,30}_SECRET|passwords?|passwd|passphrase"
    r"|(?:hf|hub|hugging_?face|hugging_?face_?hub|auth|access|api|bearer|refresh|session|security|github|gitlab|slack|bot|registry"
    r"|npm|pypi|wandb|modelscope|admin|service|deploy|personal)[_-]?token"
)
_SIGN = r"(?:\s{0,3}(?::=|=>|[:=])\s{0,3})"
_BARE = r"(?:[burf]{0,2}" + _QUOTES + r")(?P<secret>[^\s'\"\\,;()\[\]{}<>&]{3,4000})"
_NOTHING = expression(
    r"(?:none|null|nil|true|false|yes|no|not|required|missing|invalid|incorrect|empty|unset|set|undefined|default|str|string|bytes|int|bool"
    r"|optional|secretstr|redacted|hidden|your|is|must|was|for|and|or|in|from|field|value|key|token|\$.*|%.*|@.*|[*x.•_-]+|…+"
    r"|\w{0,40}_(?:key|token|secret|password)s?|os\.\w+|self\.\w+|args\.\w+|config\.\w+|settings\.\w+|env\.\w+|test)\W?",
    re.IGNORECASE,
)


# `"password": "must not be empty"`: what a form's check says about the value.
_SENTENCE = expression(r"(?:must|is|was|field|value|input|invalid|incorrect|missing|required|should|cannot)\s", re.IGNORECASE)
_FOLDER_VALUE = expression(r"~?/|\.{1,2}(?:/|$)|[A-Za-z]:[\\/]|\\\\")
_CHINESE_LETTER = expression(r"[\u3400-\u9fff]")


def _is_secret(secret: str) -> bool:
    """A value, not the word that says that there is none, nor a type or a variable in a source line."""
    return _NOTHING.fullmatch(secret) is None and _SENTENCE.match(secret) is None


def _is_value(match: Match) -> bool:
    """The same of a match; and no call."""
    return _NOTHING.fullmatch(match["secret"]) is None and not match.string.startswith("(", match.end())


def _is_no_folder(secret: str) -> bool:
    """For `pwd`, which is a folder, too."""
    return _is_secret(secret) and _FOLDER_VALUE.match(secret) is None


def _is_no_word(secret: str) -> bool:
    """For names behind which sentences stand, too: `pwd: command not found`, `密码为空`."""
    return _is_no_folder(secret) and _has_digit(secret) and _CHINESE_LETTER.search(secret) is None


def _is_latin(secret: str) -> bool:
    """For names in Chinese: `密码: 错误` says something about the password."""
    return _is_secret(secret) and _CHINESE_LETTER.search(secret) is None


def _looks_random(match: Match) -> bool:
    """For names that mostly stand for something harmless: `token=` of a tokenizer, of a parser's error."""
    return _is_random(match["secret"])


def _is_random(secret: str) -> bool:
    return len(secret) >= 16 and _has_digit(secret) and any(character.isalpha() for character in secret)


def _is_pair(secret: str) -> bool:
    """Name and password, not a user and a group: `--user 1000:1000`, `-u root:root`, `-u $(id -u):$(id -g)`."""
    name, colon, password = secret.partition(":")
    return bool(colon and password) and not (name.isdigit() and password.isdigit()) and name != password and "$" not in secret


def _is_chinese_key(secret: str) -> bool:
    return len(secret) >= 6 and _is_no_word(secret) and not secret.isdigit()


_CONTAINERS = expression(r"\b(?:docker|podman|nerdctl|singularity|apptainer|chown|install|compose)\b")


def _user_option(match: Match) -> Spans:
    """`--user name:password`, but for the commands whose option is a user with a group."""
    start = match.string.rfind("\n", 0, match.start()) + 1
    if not _CONTAINERS.search(match.string, max(start, match.start() - 400), match.start()):
        yield from after_flag(_is_pair, many=False)(match)


_PARAMETERS = (
    r"access_token|token|api[_-]?key|key|sig|signature|password|secret|client_secret|auth|sign|policy|awsaccesskeyid"
    r"|x-(?:amz|goog|oss)-(?:signature|credential|security-token)|ossaccesskeyid|security-token"
)


def _is_login(match: Match) -> bool:
    return match["secret"] not in ("git", "hg", "svn", "oauth2accesstoken")


# --- people -----------------------------------------------------------------------------------------------------------------------

# Accounts that images, installers and clouds make, and folders that people put beside the homes: they name nobody.
_ACCOUNT_NAMES = """
    admin administrator all anaconda anaconda3 app appuser azureuser build builder centos ci coder conda container data dataset datasets
    debian default dev docker ec2-user fedora git guest huggingface huggingface_models jenkins jovyan linuxbrew llm miniconda miniconda3
    miniforge3 model models node nobody nvidia ollama opc podman postgres public python ray root runner sagemaker-user seluser service
    sglang share shared slurm software spark test tgi trainer triton-server ubuntu user username users vagrant vcap vllm vscode work
    worker workspace www-data you your_name your_username yourname yourusername
"""
_ACCOUNTS = frozenset(_ACCOUNT_NAMES.split())
# What looks like the last part of a mail domain and is the kind of a unit or file: `user@1000.service`, `libx@main.so`.
_NO_DOMAINS = "service socket target mount timer slice scope device path so py json log txt yaml yml sock git"
_NO_DOMAIN = frozenset(_NO_DOMAINS.split())


def is_identifying(name: str) -> bool:
    """Whether a user name can be somebody's."""
    return name.casefold() not in _ACCOUNTS and any(character.isalpha() for character in name) and not name.startswith((".", "$", "{", "<"))


def _is_somebody(match: Match) -> bool:
    return is_identifying(match["secret"])


def _is_mailbox(match: Match) -> bool:
    name, _, domain = match["secret"].partition("@")
    return domain.rsplit(".", 1)[-1].lower() not in _NO_DOMAIN and name.lower() not in ("git", "noreply", "no-reply")


_SEGMENT = r"(?P<secret>[^\s/\\'\"<>:,;|()\[\]{}*?$&]{1,64})(?=[\s/\\'\"<>:,;|()\[\]{}]|$)"
_FOLDER = r"(?P<secret>(?:[^\s\\/'\"<>:|*?][^\r\n\\/'\"<>:|*?]{0,39}(?=[\\/]))|[^\s\\/'\"<>:|*?]{1,64})"
_ROOT = r"(?:(?<![\w.-])|(?<=\\[nrt])|(?<=/mnt/[a-z])|(?<=\.(?:com|net|org)))"


def _row(
    kind: str, pattern: str, accept: Callable[[Match], bool] = lambda match: True, *, needs: str = "", flags: int = re.IGNORECASE
) -> Row:
    """A row; `needs` are its literals, with blanks between."""
    return Row(kind, expression(pattern, flags | re.ASCII), accept, tuple(needs.split()))


def _read(kind: str, pattern: str, read: Callable[[Match], Spans], *, needs: str, flags: int = re.IGNORECASE) -> Row:
    """A row of what stands behind a match."""
    return Row(kind, expression(pattern, flags | re.ASCII), needs=tuple(needs.split()), read=read)


def _command(name: str, flag: str, judge: Judge = _is_secret, *, needs: str) -> Row:
    """An option that is a password with this command only, on its line or on lines that it continues."""
    pattern = rf"(?<![\w-]){name}(?![\w.-])(?:[^\n|;]|(?<=\S)[|;](?=\S)|\\\r?\n){{0,400}}?(?<=[\s'\",]){flag}"
    return _read("password", pattern, after_flag(judge, many=False), needs=needs, flags=0)


_FLAG = r"--(?:[a-z0-9]{1,20}-){0,3}"
# The next word, element of a list, or item of a list in YAML.
_TO_FLAG = rf"(?:\s{{1,3}}(?![\s-])|=(?!-)|{_QUOTES},\s?(?!-)|{_QUOTES}[ \t]{{0,40}}\r?\n[ \t]{{0,80}}-[ \t]{{1,8}}(?!['\"]?-))"
_PWD = r"(?<![a-z0-9])(?:[a-z0-9]{1,20}_){0,4}pwd"
_NAME_NEEDS = "key secret pass token"
_FORM_NEEDS = (
    "hf_ api_org_ gh github_pat_ gl sk- gsk r8 xai tgp fw pplx nvapi- akia asia abia acca akid ltai aiza ya29 xox dckr dop pypi npm ms- eyj"
)
ROWS: tuple[Row, ...] = (
    _row("token", _WORD + f"(?P<secret>{_BROKEN})(?![A-Za-z0-9])", flags=0, needs="hf_ api_org_ gh npm_"),
    _row("token", _WORD + f"(?P<secret>{_FORMS})", flags=0, needs=_FORM_NEEDS),
    _row("token", r"\bBearer[\s:]{1,3}" + _QUOTES + r"(?P<secret>[\w.~+/=-]{8,4000})", _is_credential, needs="bearer"),
    _row(
        "token",
        rf"\bAuthorization{_QUOTES}{_SIGN}{_QUOTES}(?:(?:Basic|Token|Digest|ApiKey)\s)?(?P<secret>[\w.~+/=:-]{{8,4000}})",
        _is_credential,
        needs="authorization",
    ),
    _row("token", rf"\bBasic[\s:]{{1,3}}{_QUOTES}(?P<secret>[A-Za-z0-9+/]{{6,4000}}={{0,2}})(?![\w+/=-])", _is_basic, needs="basic"),
    _row("token", rf"\b(?:Set-)?Cookie{_QUOTES}{_SIGN}{_QUOTES}(?P<secret>[^\s'\"][^\n'\"]{{3,4000}})", needs="cookie"),
    _row("token", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]{10,200})", needs="hooks.slack.com"),
    _row("token", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,25}/[\w-]{10,200})", needs="/webhooks/"),
    _row("token", r"/open-apis/bot/v2/hook/(?P<secret>[\w-]{8,80})", needs="/hook/"),
    _row("password", r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://(?P<secret>[^\s/'\"<>\\]{1,300})@", _is_login, needs="://"),
    _row("token", rf"[?&;](?:{_PARAMETERS})=(?P<secret>[^&\s'\"<>\\()\[\],;]{{6,4000}})", _is_value, needs="? & ;"),
    _read("token", rf"(?:{_NAMES}){_QUOTES}{_SIGN}", after_name(_is_secret), needs=_NAME_NEEDS),
    _read("token", rf"{_FLAG}(?:{_NAMES}|token|secret){_TO_FLAG}", after_flag(_is_secret, many=False), needs=_NAME_NEEDS),
    _read("token", rf"{_FLAG}api[_-]?keys?{_TO_FLAG}", after_flag(_is_secret, many=True), needs="key"),
    _row(
        "token",
        rf"(?<![a-z0-9])(?:[a-z0-9]{{1,20}}_){{0,4}}(?:token|secret){_QUOTES}{_SIGN}{_BARE}",
        _looks_random,
        needs="token secret",
    ),
    _read("token", rf"{_PWD}(?:{_QUOTES}\s{{0,3}}(?::?=|=>)\s{{0,3}}|['\"]{_QUOTES}\s?:\s?)", after_name(_is_no_folder), needs="pwd"),
    _read("token", rf"{_PWD}\s?(?::|：)[ \t]{{0,3}}", after_name(_is_no_word), needs="pwd"),
    _read("token", rf"(?:密码|口令){_QUOTES}[ \t]{{0,3}}[:：=＝][ \t]{{0,3}}", after_name(_is_latin), needs="密码 口令"),
    _read(
        "token", r"(?:密码|口令|密钥|令牌)[ \t]{0,3}(?:[:：=＝]|是|为)[ \t]{0,3}", after_name(_is_chinese_key), needs="密码 口令 密钥 令牌"
    ),
    _command("curl", r"(?:-[a-zA-Z]{0,9}?[uU]|--(?:proxy-)?user)(?:\s{1,3}|=|['\"],\s?|)", _is_pair, needs="curl"),
    _read("password", r"(?<![\w-])--(?:proxy-)?user(?:\s{1,3}|=)", _user_option, needs="-user"),
    _command("sshpass", r"-p\s{0,3}", needs="sshpass"),
    _command(r"(?:mysql\w{0,12}|mariadb(?:-\w{1,12})?)", r"-p(?=[^\s-])", needs="mysql mariadb"),
    _command("redis-cli", r"(?:-a|--pass)\s{1,3}", needs="redis-cli"),
    _command(r"(?:docker|podman|nerdctl|helm registry)\s{1,3}login", r"-p\s{1,3}", needs="login"),
    _row(
        "email",
        r"(?<![\w.+-])(?P<secret>[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,18})(?![\w-])(?!\.[a-z0-9])(?!:[~/])",
        _is_mailbox,
        needs="@",
    ),
    _row("user", _ROOT + r"(?:/[a-z0-9_-]{1,20}){0,2}/home/" + _SEGMENT, _is_somebody, flags=0, needs="/home/"),
    _row("user", _ROOT + r"/Users/" + _SEGMENT, _is_somebody, flags=0, needs="/users/"),
    # A name may hold blanks there: `C:\Users\Li Wei\x.py`.
    _row("user", rf"\b[A-Z]:(?:\\{{1,8}}|/)Users(?:\\{{1,8}}|/){_FOLDER}", _is_somebody, needs="users"),
    _row("user", r"(?<![\w-])(?:USER|LOGNAME|USERNAME|SUDO_USER)=" + _QUOTES + _SEGMENT, _is_somebody, flags=0, needs="user logname"),
    _row(
        "user", r"(?<![\w.+-])(?P<secret>[\w.-]{1,32})@[A-Za-z0-9][\w.-]{0,62}:(?=[~/][^\s]{0,200}[\s#$])", _is_somebody, flags=0, needs="@"
    ),
)


# --- machines: only when asked for ------------------------------------------------------------------------------------------------

# Hosts that everybody uses say nothing about the one who wrote the log.
_PUBLIC = expression(
    r"(?:.{1,200}\.)?(?:localhost|huggingface\.co|hf\.co|hf-mirror\.com|modelscope\.cn|github\.com|github\.io|githubusercontent\.com|ghcr\.io"
    r"|gitlab\.com|pytorch\.org|python\.org|nvidia\.com|nvcr\.io|vllm\.ai|ray\.io|pydantic\.dev|readthedocs\.io"
    r"|docker\.com|docker\.io|quay\.io|gcr\.io|amd\.com|intel\.com|openai\.com|anthropic\.com|google\.com|googleapis\.com|w3\.org"
    r"|ubuntu\.com|debian\.org|anaconda\.(?:com|org)|stackoverflow\.com|kubernetes\.io|example\.(?:com|org|net))",
    re.IGNORECASE,
)
_NO_HOST = expression(r"(?:localhost|none|null|true|false|default|auto|any|all|host|hostname|[\d.]+|\W+)\W?", re.IGNORECASE)
_VERSION_BEFORE = expression(r"(?:version\W{0,4}|nvidia[-_][\w-]{1,40}\W{1,40}|cu\d\d\W{1,40}|cudnn\w{0,9}\W{1,4}|==|[_-])$", re.IGNORECASE)
_PRIVATE = expression(r"10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|169\.254\.")
_OPEN = ("0.", "127.", "255.")


def _is_machine(match: Match) -> bool:
    name = match["secret"]
    return _NO_HOST.fullmatch(name) is None and _PUBLIC.fullmatch(name) is None


def _is_inner(match: Match) -> bool:
    """A machine of a private domain; a Python module may be called `threading.local`, but has no dash and no digit."""
    return bool(re.search(r"[\d-]", match["secret"]))


def _is_address(match: Match) -> bool:
    """An address, and not a version of four numbers."""
    address = match["secret"]
    if any(int(number) > 255 for number in address.split(".")) or address.startswith(_OPEN):
        return False
    before = match.string[max(match.start() - 60, 0) : match.start()]
    follows = match.string[match.end() : match.end() + 1]
    if _VERSION_BEFORE.search(before):
        return False
    return bool(_PRIVATE.match(address)) or follows in (":", "<", "/") or before.endswith(("//", "@", "ip=", "inet "))


_CLOCK = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30}"
_STATED = "master_addr|rdzv_endpoint|nodename|node_name|server_name|hostname|host"
_INNER = "internal|local|lan|corp|intra|intranet|localdomain|svc"
_HEX = "[0-9a-f]{1,4}"
_NAME = r"(?P<secret>[A-Za-z0-9](?:[\w.-]{0,62}\w)?)"
HOST_ROWS: tuple[Row, ...] = (
    _row("host", rf"(?<![\w.-]){_NAME}(?=:\d{{1,8}}:\d{{1,8}} (?:\[\d{{1,3}}\] )?NCCL\b)", _is_machine, needs="nccl"),
    _row("host", rf"@{_NAME}(?=:[~/])", _is_machine, needs="@"),
    _row("host", rf"^(?:{_CLOCK}) {_NAME}(?= [\w./-]{{1,60}}(?:\[\d{{1,8}}\])?: )", _is_machine, flags=re.MULTILINE),
    _row(
        "host",
        rf"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{{1,20}}://(?:[^\s/'\"<>]{{1,300}}@)?{_NAME}(?=[:/\s'\"<>),]|$)",
        _is_machine,
        needs="://",
    ),
    _row("host", rf"\b(?:{_STATED}){_QUOTES}\s?[=:]\s?{_QUOTES}{_NAME}", _is_machine, needs="host addr endpoint name"),
    _row("host", rf"(?<![\w.-])(?P<secret>(?:[a-z0-9-]{{1,63}}\.){{1,6}}(?:{_INNER}))(?![\w.-]*\w)", _is_inner, needs="."),
    _row("address", r"(?<![\w.])(?P<secret>(?:\d{1,3}\.){3}\d{1,3})(?![\w-]|\.\d)", _is_address, needs="."),
    _row(
        "address6",
        rf"(?<![\w:.])(?P<secret>(?:{_HEX}:){{7}}{_HEX}|(?:[0-9a-f]{{4}}:|(?:{_HEX}:){{2,6}})(?::{_HEX}){{1,5}})(?![\w:])",
        needs=":",
    ),
)

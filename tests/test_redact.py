"""Redaction: what is secret goes, what a diagnosis needs stays."""

import re
from functools import cache
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixbook
from field import field_logs, negative_logs
from fixbook.decoding import decode
from fixbook.redact import Redactor, redact
from fixbook.report import Report

HF = "hf_abcdefghijKLMNOPQRSTUVWXYZ12345678"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
KEY = """\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACB
-----END OPENSSH PRIVATE KEY-----"""


# --- what is masked -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"HF_TOKEN={HF} vllm serve", "HF_TOKEN=<token-1> vllm serve"),
        (f'{{"log": "\\n{HF}\\n"}}', '{"log": "\\n<token-1>\\n"}'),
        (f"{HF[:20]}\n{HF[20:]} is refused", "<token-1>\n is refused"),
        ("OPENAI_API_KEY=sk-proj-Ab12Cd34Ef56Gh78Ij90", "OPENAI_API_KEY=<token-1>"),
        ("Incorrect API key provided: sk-abcdefgh12345678abcd.", "Incorrect API key provided: <token-1>."),
        ("key ghp_0123456789abcdefghijABCDEFGHIJ012345", "key <token-1>"),
        ("github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVw", "<token-1>"),
        ("glpat-abcDEF123456_-xyz78 nvapi-abcdefghijklmnopqrstuvwx12", "<token-1> <token-2>"),
        ("AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "AWS_ACCESS_KEY_ID=<token-1>"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = <token-1>"),
        (f"cookie jwt {JWT}!", "cookie jwt <token-1>!"),
        ("-H 'Authorization: Bearer abc123def456'", "-H 'Authorization: Bearer <token-1>'"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic <token-1>"),
        ("redis://default:s3cr3t@10.0.0.7:6379/0", "redis://<password-1>@10.0.0.7:6379/0"),
        (
            "https://x.org/f?Policy=eyAiU3Rh&Signature=abc~def&Key-Pair-Id=K2X",
            "https://x.org/f?Policy=<token-1>&Signature=<token-2>&Key-Pair-Id=K2X",
        ),
        ("--api-key my-secret-1 --port 80", "--api-key <token-1> --port 80"),
        ("non-default args: {'api_key': ['abcdef'], 'port': 1}", "non-default args: {'api_key': ['<token-1>'], 'port': 1}"),
        ('{"password": "hunter2", "user": "x"}', '{"password": "<token-1>", "user": "x"}'),
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"<token-1>\\"}'),
        ("hooks.slack.com/services/T000/B000/XXXXXXXX1", "hooks.slack.com/services/<token-1>"),
        ("mail li.wei@corp.example.cn now", "mail <email-1> now"),
        ('File "/home/li.wei/app/x.py", line 3', 'File "/home/user-1/app/x.py", line 3'),
        ("/Users/mary/x /data/mary/y /mnt/c/Users/mary/z", "/Users/user-1/x /data/user-1/y /mnt/c/Users/user-1/z"),
        ("C:\\Users\\Li Wei\\x.py C:\\\\Users\\\\Li Wei\\\\y", "C:\\Users\\user-1\\x.py C:\\\\Users\\\\user-1\\\\y"),
        ("mary@node-7:~/run$ ls", "user-1@node-7:~/run$ ls"),
        # lists: each element
        ("{'api_key': ['prodkeyA1234567', 'prodkeyB7654321'], 'port': 1}", "{'api_key': ['<token-1>', '<token-2>'], 'port': 1}"),
        ("api_key=('k1secret', '', 'k2secret')", "api_key=('<token-1>', '', '<token-2>')"),
        ('{\\"api_key\\": [\\"k1secret\\",\\n \\"k2secret\\"]}', '{\\"api_key\\": [\\"<token-1>\\",\\n \\"<token-2>\\"]}'),
        ("api_key:\n  - k1secret\n  - k2secret\nport: 1", "api_key:\n  - <token-1>\n  - <token-2>\nport: 1"),
        ("VLLM_API_KEY=k1secret,k2secret,port=8000", "VLLM_API_KEY=<token-1>,<token-2>,port=8000"),
        ("--api-key k1secret k2secret --port 80", "--api-key <token-1> <token-2> --port 80"),
        ("- --api-key\n  - k1secret\n  - --port\n  - '80'", "- --api-key\n  - <token-1>\n  - --port\n  - '80'"),
        ('- "--api-key"\n- "k1 secret"\n', '- "--api-key"\n- "<token-1>"\n'),
        ("--api-key firstsecret secondsecret", "--api-key <token-1> <token-2>"),
        ("['--api-key', 'k1secret', 'k2secret', '--port', '8000']", "['--api-key', '<token-1>', '<token-2>', '--port', '8000']"),
        ("--api-key 'k1 secret' \"k2 secret\" -tp 2", "--api-key '<token-1>' \"<token-2>\" -tp 2"),
        ("--api-key k1secret Qwen/Qwen3-8B --port 80", "--api-key <token-1> Qwen/Qwen3-8B --port 80"),
        ("serve --api-key k1secret 2>&1 | tee run1.log", "serve --api-key <token-1> 2>&1 | tee run1.log"),
        # quotes: up to the one that closes
        ('{"password": "abcdefgh ijkl"}', '{"password": "<token-1>"}'),
        ('password="correct horse battery" x', 'password="<token-1>" x'),
        ('{"password": "x y z"}', '{"password": "<token-1>"}'),
        ('{"password": "p4ss\\"word1", "port": 1}', '{"password": "<token-1>", "port": 1}'),
        ('{"password": "p4ssword\\\\", "port": 1}', '{"password": "<token-1>", "port": 1}'),
        ('{\\"password\\": \\"p4ss\\\\\\"word 1\\", \\"port\\": 1}', '{\\"password\\": \\"<token-1>\\", \\"port\\": 1}'),
        ("--password 'a b; c&d' --port 80", "--password '<token-1>' --port 80"),
        ("password='cut off", "password='<token-1> off"),
        ("redis://:pa@ss99@10.0.0.7:6379/0", "redis://<password-1>@10.0.0.7:6379/0"),
        # names
        ("pwd=hunter22;DB_PWD=s3cret MYSQL_PWD=s3cret9", "pwd=<token-1>;DB_PWD=<token-2> MYSQL_PWD=<token-3>"),
        ("{'pwd': 'hunter', \"db_pwd\": \"a b c\"} pwd: s3cret", "{'pwd': '<token-1>', \"db_pwd\": \"<token-2>\"} pwd: <token-3>"),
        ("密码: hunter，用户 x", "密码: <token-1>，用户 x"),
        ("密码：hunter2。口令：abcdef", "密码：<token-1>。口令：<token-2>"),
        ("数据库密码: “a b c”，密码是 s3cret9", "数据库密码: “<token-1>”，密码是 <token-2>"),
        ("访问密钥：abcd1234", "访问密钥：<token-1>"),
        ("SecretId: AKIDabc123, SecretKey: xyz987", "SecretId: <token-1>, SecretKey: <token-2>"),
        ("AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE LTAI5tExample12345678", "<token-1> <token-2>"),
        # headers and commands
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic <token-1>"),
        ("[('authorization', 'Basic dXNlcjpwYXNz')]", "[('authorization', 'Basic <token-1>')]"),
        ("curl -u user:pass http://x", "curl -u <password-1> http://x"),
        ("curl -X POST \\\n  -u 'user:pa ss' http://x", "curl -X POST \\\n  -u '<password-1>' http://x"),
        ("curl -sSu user:pass x; req --user user:pass", "curl -sSu <password-1> x; req --user <password-1>"),
        ("curl -uuser:pass x; ['curl', '-u', 'user:pass']", "curl -u<password-1> x; ['curl', '-u', '<password-1>']"),
        ('curl "http://x/a;b|c" -u user:pass', 'curl "http://x/a;b|c" -u <password-1>'),
        ("sshpass -p hunter ssh -p 2222 x", "sshpass -p <password-1> ssh -p 2222 x"),
        ("sshpass -p 'a b c' ssh x", "sshpass -p '<password-1>' ssh x"),
        ("mysql -u root -psecret -P 3306 db", "mysql -u root -p<password-1> -P 3306 db"),
        ("redis-cli -h h -a hunter ping", "redis-cli -h h -a <password-1> ping"),
        ("docker login -u me -p hunter ghcr.io", "docker login -u me -p <password-1> ghcr.io"),
    ],
)
def test_masked(text: str, masked: str) -> None:
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "api_key=None, hf_token=None, token=True, 'password': None, api_key='', max_tokens=512, eos_token_id=2",
        "pad_token='<|endoftext|>' tokenizer='Qwen/Qwen3-8B', tokenizer_mode=auto, prompt token: 20712, new-token: 2817",
        "The api_key client option must be set by passing api_key to the client or by setting OPENAI_API_KEY",
        "client = OpenAI(api_key=os.environ['KEY'], token=self.token, password=get_password())",
        "def login(token: str, api_key: Optional[str] = None, secret: SecretStr)",
        "JSONDecodeError: Unexpected token: '<', Bearer authentication is required",
        "systemd[1]: user@1000.service started; git@github.com:vllm-project/vllm.git; vllm@sha256:aa",
        "/home/ray/anaconda3/x /home/ubuntu/y /root/z /Users/runner/w C:\\Users\\Administrator\\x",
        "10.0.0.7:29500 127.0.0.1 node-7:41:41 [0] NCCL INFO http://gitlab.corp/x",
        "sk-dtype-mismatch sk-full-errno hf_overrides hf_transfer github_pat ms-swift",
        "<token-1> <email-2> /home/user-1/x",
        "PWD=/home/ray/x OLDPWD=/tmp pwd: /root/x pwd=./x 'pwd': '/workspace' pwd=os.getcwd() bash: pwd: command not found",
        "$ pwd\n/workspace\n$ cd $(pwd) && docker run -v $PWD:/w -w /w -p 8000:8000 --user 1000:1000 vllm",
        "docker run --user vllm:render x; install -u root:root; curl -u $USER:$PASS x; docker run -u $(id -u):$(id -g) --user $(id -u):0",
        "-p 8000 ssh -p 2222 x, mysql -p -h db, mysql -P 3306; mkdir -p secret/x; curl http://h | mkdir -p x:y",
        "password: required, wrong password, password=None, \"password\": \"must not be empty\", {'password': {'type': 'string'}}",
        "密码错误 密码: 错误 密码：不能为空 密码为空 密码是否正确 令牌: 20712 密钥：RSA 口令：********",
        "the --api-key is required; use --api-key $KEY; Basic authentication is used, Authorization: Basic is needed; Basic username",
        "'password', 'x y', missing \"password:\", \"detail\": \"x y\"; api_key: [] api_key=[None, None] password=''",
        "pydantic: api_key=SecretStr('**********') def f(password: str, *, pwd: str, pwd=None)",
    ],
)
def test_left_alone(text: str) -> None:
    assert redact(text) == text


def test_a_private_key_keeps_its_lines() -> None:
    masked = redact(f"a\n{KEY}\nb")
    assert masked == "a\n-----BEGIN OPENSSH PRIVATE KEY-----\n<key-1>\n<key-1>\n-----END OPENSSH PRIVATE KEY-----\nb"
    prefixed = redact("\n".join(f"vllm-1  | {line}" for line in KEY.split("\n")))
    assert "b3Blbn" not in prefixed and "QyNTUx" not in prefixed
    assert "b3Blbn" not in redact(KEY[:90])


def test_the_same_value_has_the_same_mask_and_others_another() -> None:
    text = f"{HF} a@b.org {HF} c@d.org a@b.org"
    assert redact(text) == "<token-1> <email-1> <token-1> <email-2> <email-1>"


def test_a_secret_is_masked_where_it_stands_without_its_name() -> None:
    assert redact("password=hunter2hunter2\nlogin hunter2hunter2 failed") == "password=<token-1>\nlogin <token-1> failed"


def test_masks_that_stand_there_are_not_given_again() -> None:
    assert redact(f"<token-3> {HF}") == "<token-3> <token-4>"


def test_pieces_share_their_masks() -> None:
    redactor = Redactor()
    assert [redactor.feed(f"a@b.org {HF}\n"), redactor.feed(f"c@d.org {HF}\n")] == ["<email-1> <token-1>\n", "<email-2> <token-1>\n"]


# --- machines -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("gpu-a17:41:41 [0] NCCL INFO NET/Socket", "host-1:41:41 [0] NCCL INFO NET/Socket"),
        ("connect to 10.9.1.60<4321> failed, 10.9.1.61", "connect to 192.0.2.1<4321> failed, 192.0.2.2"),
        ("Nov 03 09:00:01 gpu-a17 vllm[41]: gpu-a17 is up", "Nov 03 09:00:01 host-1 vllm[41]: host-1 is up"),
        ("http://model.team.corp:8000/v1 https://huggingface.co/x", "http://host-1:8000/v1 https://huggingface.co/x"),
        ("MASTER_ADDR=gpu-a17 host='localhost'", "MASTER_ADDR=host-1 host='localhost'"),
        ("[fd00::a17:1]:29500", "[2001:db8::1]:29500"),
    ],
)
def test_machines(text: str, masked: str) -> None:
    assert redact(text, hosts=True) == masked


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:80 0.0.0.0:8000 cuDNN version 8.9.2.26 nvidia-curand-cu12   10.3.5.147 cublas==12.4.5.8",
        "torch._C.internal threading.local std::vector c10::Error 09:00:01",
        "a17:41:41 is a time",
    ],
)
def test_no_machines(text: str) -> None:
    assert redact(text, hosts=True) == text


# --- any text -----------------------------------------------------------------------------------------------------------------------------

_WORDS = (
    HF,
    JWT,
    KEY,
    "a@b.org",
    "/home/li.wei/x",
    "https://u:p@h/",
    "10.0.0.7",
    "-----BEGIN PRIVATE KEY-----",
    "Nov 03 09:00:01 gpu-7 x: ",
)
_SIGNS = ("password=", "token: ", "Bearer ", "\n", " ", "'", '"', "\\n", "<token-1>", "user-1", "=")
_PIECES = st.sampled_from(_WORDS + _SIGNS)
TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=25).map("".join)


@given(TEXTS, st.booleans())
def test_line_ends_stay(text: str, hosts: bool) -> None:
    assert re.findall(r"[\r\n]", redact(text, hosts)) == re.findall(r"[\r\n]", text)


@given(st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=25).map(" ".join), st.booleans())
def test_what_is_masked_stays_as_it_is(text: str, hosts: bool) -> None:
    once = redact(text, hosts)
    assert f" {HF} " not in once and f" {JWT} " not in once
    assert redact(once, hosts) == once


# --- nothing that diagnosis needs ---------------------------------------------------------------------------------------------------------


@cache
def book() -> fixbook.Book:
    return fixbook.load()


LOGS = [(case.name, "\n".join(case.lines)) for case in field_logs()]
LOGS += [(f"{kind}/{number}", decode(data)) for number, (kind, _, data) in zip(count(), negative_logs(), strict=False)]
_HOME = re.compile(r"(/home/|/Users/|Users\\{1,2})(?:user|test)\b")


def _with_secrets(text: str) -> str:
    """The log as somebody would really have it: a person's home, keys in what was printed before."""
    said = (
        f"HF_TOKEN={HF}",
        f"session {JWT}",
        "Authorization: Bearer abc123def456",
        "git clone https://u:pw1@gitlab.corp/x for li.wei@corp.example.cn",
    )
    # The longest line holds no secret: how wide the widest line is tells the reader whether a terminal wrapped the log.
    said = (*said, "non-default args: " + "{'port': 8000, 'max_num_seqs': 256} " * 4)
    head = [f"INFO 12-01 09:00:0{at} [env.py:{at}] {words}" for at, words in enumerate(said)]
    return "\n".join((*head, _HOME.sub(r"\1li.wei", text)))


def _diagnosis(report: Report) -> list[object]:
    """What is found, how sure it is and where it stands."""
    groups = (report.findings, report.consequences, report.ruled_out)
    found = [[(each.entry.id, each.level, sorted({(hit.signature, hit.line) for hit in each.hits})) for each in group] for group in groups]
    unknown = [(each.fingerprint, each.line) for each in report.unknown]
    facts = [(fact.name, fact.value, fact.line) for fact in report.facts if fact.name != "model"]
    return [report.verdict, found, unknown, facts, report.missing, report.ask]


@pytest.mark.parametrize(("name", "text"), LOGS, ids=[name for name, _ in LOGS])
def test_the_diagnosis_stays(name: str, text: str) -> None:
    masked = redact(text)
    if masked != text:
        assert _diagnosis(book().diagnose(masked)) == _diagnosis(book().diagnose(text))


@pytest.mark.parametrize(("name", "text"), LOGS, ids=[name for name, _ in LOGS])
def test_the_diagnosis_stays_among_secrets(name: str, text: str) -> None:
    text = _with_secrets(text)
    masked = redact(text)
    assert not [secret for secret in ("li.wei", HF, JWT, "abc123def456", "pw1") if secret in masked]
    assert _diagnosis(book().diagnose(masked))[:2] == _diagnosis(book().diagnose(text))[:2]


def test_masked_machines_cost_no_finding() -> None:
    changed = []
    for name, text in LOGS:
        masked = redact(text, hosts=True)
        if masked != text:
            before, after = (_diagnosis(book().diagnose(each))[:2] for each in (text, masked))
            if before != after:
                changed.append(name)
    assert changed == []

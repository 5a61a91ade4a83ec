"""Values of facts in one form each, and their comparison: `torch.float16`, `half` and `fp16` are one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from .expressions import expression
from .fact_kinds import ValueKind, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from packaging.version import Version

__all__ = ["at_least", "glob_matches", "is_silent", "normalise", "public_version"]

# What a program prints where it was told nothing: the fact stays unknown.
_SILENT = frozenset(("", "auto", "default", "n/a", "na", "nan", "none", "null", "not found", "not set", "unset"))
_SILENT |= {"could not collect", "unknown", "unspecified"}

_DTYPES: Mapping[str, str] = {
    "half": "float16",
    "fp16": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
    "float": "float32",
    "fp32": "float32",
    "f32": "float32",
    "double": "float64",
    "fp64": "float64",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e4m3fnuz": "fp8_e4m3",
    "float8_e4m3": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "float8_e5m2fnuz": "fp8_e5m2",
    "e4m3": "fp8_e4m3",
    "e5m2": "fp8_e5m2",
    "float8": "fp8",
}
_DTYPE = expression(r"b?float\d\w*|[su]?u?int\d\w*|[a-z]{1,4}fp\d\w*|fp\d\w*|complex\d+|bool|turboquant\w*")

# The vLLM enumeration names a backend in one way, its log lines over the releases in several.
_BACKENDS: Mapping[str, str] = {
    "FLASH_ATTENTION": "FLASH_ATTN",
    "FLASH_ATTENTION_2": "FLASH_ATTN",
    "FLASHATTENTION": "FLASH_ATTN",
    "FLASHATTENTION_2": "FLASH_ATTN",
    "FLASH_ATTN_2": "FLASH_ATTN",
    "FA2": "FLASH_ATTN",
    "FLASHATTENTION_MLA": "FLASH_ATTN_MLA",
    "BLOCKSPARSEFLASHATTENTION": "BLOCK_SPARSE_FLASH_ATTN",
    "FLEXATTENTION": "FLEX_ATTENTION",
    "HPUATTENTION": "HPU_ATTN",
    "IPEX_ATTENTION": "IPEX",
    "ROCMFLASHATTENTION": "ROCM_FLASH",
    "ROCM_FLASH_ATTN": "ROCM_FLASH",
    "ROCM_ATTENTION": "ROCM_ATTN",
    "SDPA": "TORCH_SDPA",
    "TREE_ATTENTION": "TREE_ATTN",
    "TRITON": "TRITON_ATTN",
    "TRITON_ATTENTION": "TRITON_ATTN",
}

_CHOICES: Mapping[str, Mapping[str, str]] = {
    "platform": {"gpu": "cuda", "nvidia": "cuda", "hip": "rocm", "amd": "rocm", "npu": "ascend"},
    "distributed_executor_backend": {"multiprocessing": "mp"},
    "container": {"k8s": "kubernetes", "podman": "docker"},
    "engine": {"0": "v0", "1": "v1"},
    "speculative_method": {"[ngram]": "ngram"},
}

_NO_NAME = expression(r"[^A-Z0-9]+")
_BACKEND_END = expression(r"(?:_VLLM)?_V1$|_BACKEND$|BACKEND$")
# An enumeration prints itself in two ways: `LoadFormat.AUTO` and `<LoadFormat.AUTO: 'auto'>`.
_ENUMERATION = expression(r"^[a-z]+(?:format|methods|backend)\.(?=\w)")
_BLANKS = expression(r"[\s_]+")
_BYTES = {"": 1, "B": 1} | {
    prefix + unit: base**power for power, prefix in enumerate("KMGT", start=1) for unit, base in (("", 1024), ("IB", 1024), ("B", 1000))
}
_SIZE = expression(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[KMGT]?(?:i?B)?)", re.IGNORECASE)
_COUNT = expression(r"(?P<number>[+-]?\d[\d,_]*(?:\.\d+)?|\.\d+)(?P<unit>[kKmMgG]?)")
_COUNTS = {"": 1, "k": 1000, "K": 1024, "m": 10**6, "M": 2**20, "g": 10**9, "G": 2**30}
_CAPABILITY = expression(r"(?:sm_?|compute_)?\(?(?P<major>\d{1,2})(?:\.|,\s*|)(?P<minor>\d)[af]?\)?", re.ASCII)
_VERSION = expression(r"\d+(?:\.\d+)*(?:[._-]?(?:a|b|c|rc|alpha|beta|dev|post)[._-]?\d*)*", re.ASCII)
_PLAIN_VERSION = expression(r"\d+(?:\.\d+)*(?:rc\d+)?(?:\.post\d+)?(?:\.dev\d+)?", re.ASCII)
# setuptools-scm gives these to a build whose git tags were not there: the number says nothing about the release.
_UNTAGGED = expression(r"0\.(?:0|1)(?:\.0)?\.dev\d*|0(?:\.0)*|dev", re.ASCII)


@lru_cache(maxsize=4096)
def normalise(name: str, stated: str) -> str | None:
    """`stated` in the one form that values of the fact `name` have; None when it states nothing (`auto`, `None`, no value of this kind)."""
    kind = kind_of(name)
    text = _bare(stated)
    if _says_nothing(text):
        return None
    return _NORMALISERS[kind.value if kind else ValueKind.NAME](name, text)


def is_silent(name: str, stated: str) -> bool:
    """Whether it says of itself that it states nothing: `auto`, a placeholder, the number of a build that is no release."""
    kind, text = kind_of(name), _bare(stated)
    if _says_nothing(text):
        return True
    return kind is not None and kind.value is ValueKind.VERSION and text.removeprefix("v")[:1].isdecimal()


def public_version(text: str) -> Version | None:
    """The version without its local part (`0.8.5+cu128` is 0.8.5); None when there is no version in it."""
    from packaging.version import InvalidVersion, Version  # only a verdict over versions needs it

    try:
        return Version(Version(text.strip().removeprefix("v")).public)
    except InvalidVersion:
        return None


def glob_matches(name: str, value: str, pattern: str) -> bool:
    """Whether a normalised value of the fact matches a glob that an author wrote (`fp8*`, `half`, `*A100*`)."""
    from fnmatch import fnmatchcase  # few entries have one

    folded = value.casefold()
    if fnmatchcase(folded, pattern.casefold()):
        return True
    # `half` and `sm_89` in an entry mean what they mean in a log.
    plain = None if set("*?[") & set(pattern) else normalise(name, pattern)
    return plain is not None and plain.casefold() == folded


def _bare(stated: str) -> str:
    return stated.strip().strip("'\"`").strip()


def _says_nothing(text: str) -> bool:
    return text.casefold() in _SILENT or text.startswith(("$", "<", "{"))


def at_least(name: str, value: str, bound: str) -> bool | None:
    """Whether a value of the fact is at least the bound, both as versions, numbers or sizes; None when they cannot be compared."""
    kind = kind_of(name)
    left, right = normalise(name, value), normalise(name, bound)
    if kind is None or left is None or right is None:
        return None
    if kind.value in (ValueKind.VERSION, ValueKind.CAPABILITY):
        have, want = public_version(left), public_version(right)
        return None if have is None or want is None else have >= want
    try:
        return float(left.removesuffix("GiB")) >= float(right.removesuffix("GiB"))
    except ValueError:
        return None


def _dtype(_name: str, text: str) -> str | None:
    word = text.removeprefix("torch.").removeprefix("c10::").removeprefix("jnp.").casefold()
    word = _DTYPES.get(word, word)
    return word if _DTYPE.fullmatch(word) else None


def _backend(_name: str, text: str) -> str | None:
    word = _NO_NAME.sub("_", text.rsplit(".", 1)[-1].upper()).strip("_")
    word = _BACKEND_END.sub("", word)
    return _BACKENDS.get(word, word) or None


def _capability(_name: str, text: str) -> str | None:
    match = _CAPABILITY.fullmatch(text.strip().casefold())
    return f"{match['major']}.{match['minor']}" if match else None


def _choice(name: str, text: str) -> str | None:
    word = text.casefold()
    word = _ENUMERATION.sub("", word)
    word = word.removesuffix(":0") if name == "platform" else word
    return None if word in _SILENT else _CHOICES.get(name, {}).get(word, word)


def _flag(_name: str, text: str) -> str | None:
    word = text.casefold()
    if word in ("true", "1", "yes", "on"):
        return "true"
    return "false" if word in ("false", "0", "no", "off") else None


def _name(name: str, text: str) -> str | None:
    if name == "gpu_name":
        return _BLANKS.sub(" ", text).strip().removeprefix("NVIDIA ") or None
    return text


def _number(_name: str, text: str) -> str | None:
    match = _COUNT.fullmatch(text)
    if not match:
        return None
    return _plain(float(match["number"].replace(",", "").replace("_", "")) * _COUNTS[match["unit"]])


def _size(_name: str, text: str) -> str | None:
    match = _SIZE.fullmatch(text)
    if not match:
        return None
    return _plain(round(float(match["number"]) * _BYTES[match["unit"].upper()] / 2**30, 2)) + "GiB"


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(round(number, 6))


def _version(name: str, text: str) -> str | None:
    if text.isdecimal() and name in _SHORT:
        text = _SHORT[name](text)
    match = _VERSION.match(text.removeprefix("v").removeprefix("V"))
    if not match or _UNTAGGED.fullmatch(match[0]):
        return None
    if _PLAIN_VERSION.fullmatch(match[0]):
        return match[0]
    version = public_version(match[0])
    return str(version) if version else None


# Versions that are also written without a point: cu128, cpython-312, CUDA's 12040.
_SHORT: Mapping[str, Callable[[str], str]] = {
    "cuda_version": lambda text: f"{text[:-1]}.{text[-1]}" if len(text) == 3 else text,
    "driver_cuda": lambda text: f"{int(text) // 1000}.{int(text) % 1000 // 10}" if len(text) > 3 else text,
    "python_version": lambda text: f"{text[0]}.{text[1:]}" if len(text) > 1 else text,
}

_NORMALISERS: Mapping[ValueKind, Callable[[str, str], str | None]] = {
    ValueKind.BACKEND: _backend,
    ValueKind.CAPABILITY: _capability,
    ValueKind.CHOICE: _choice,
    ValueKind.DTYPE: _dtype,
    ValueKind.FLAG: _flag,
    ValueKind.NAME: _name,
    ValueKind.NUMBER: _number,
    ValueKind.SIZE: _size,
    ValueKind.VERSION: _version,
}

"""The parts of an entry's file, each as a form: bilingual text, sections, signatures, samples, links, versions."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version

from . import pattern
from .errors import Where
from .form import Flag, Form, Items, Keyed, May, Must, OneOf, Scalar, Shape, Values, Words
from .model import Affects, Block, Level, Link, Place, Sample, Sibling, Signature, Text
from .reading import Reading, RefusedError, did_you_mean
from .yaml_reader import Node

__all__ = ["AFFECTS", "ID", "LINK", "NAMES", "PACKAGE_NAME", "SAMPLE", "SIBLING", "SIGNATURE", "SLUG", "Pattern", "Section", "bilingual"]

SLUG = Words(r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$", "a name of lower-case letters, digits and `-`", "dev-shm-too-small")
ID = Words(r"^[a-z0-9_.-]+/[a-z0-9]+(?:[.-][a-z0-9]+)*$", "the id of an entry", "nccl/dev-shm-too-small")
PACKAGE_NAME = Words(r"^[a-z0-9]+(?:[._-][a-z0-9]+)*$", "a package's name in lower case", "flash-attn")
_NAME = r"^[a-z][a-z0-9_]*$"

# Places where anyone can put a file that nobody has looked at.
_FILE_HOSTS = (
    "drive.google.com",
    "docs.google.com",
    "dropbox.com",
    "mediafire.com",
    "mega.nz",
    "mega.io",
    "pan.baidu.com",
    "wetransfer.com",
    "sendspace.com",
    "anonfiles.com",
    "gofile.io",
    "1drv.ms",
    "onedrive.live.com",
    "lanzou.com",
    "aliyundrive.com",
    "alipan.com",
    "quark.cn",
    "bit.ly",
    "tinyurl.com",
    "t.co",
    "user-images.githubusercontent.com",
    "objects.githubusercontent.com",
)
_ATTACHMENT = re.compile(r"/user-attachments/|^/[^/]+/[^/]+/files/|\.(?:zip|rar|7z|exe|msi|dmg|pkg|scr|bat|apk|tar|tgz|gz)$", re.I)


def bilingual(limit: int = 0) -> Shape[Text]:
    """`{en, zh}`, at most `limit` characters each where a limit is given."""
    en = Must("en", Words(limit=limit), "the English text")
    zh = Must("zh", Words(limit=limit), "the Chinese text")
    return Shape((en, zh), lambda values, _: Text(en=values[en], zh=values[zh]))


class Pattern:
    """A regular expression of the portable subset."""

    def read(self, node: Node, reading: Reading) -> str:
        if node.kind != "text":
            raise reading.wrong_type(node, "a pattern", "write it in single quotes")
        if not node.text:
            raise reading.refuse(node.where, "empty-text", "the pattern is empty", "write the words that the failure prints")
        return node.text

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 4}


def check_pattern(text: str, flags: str, where: Where, reading: Reading) -> None:
    """Writes down why a pattern is not portable; raises RefusedError where it is not."""
    reasons = pattern.problems(text, flags)
    for reason in reasons:
        what, _, remedy = reason.partition(": ")
        reading.report(where, "pattern", what, remedy or "see the pattern's rules in docs/entry-format.md")
    if reasons:
        raise RefusedError


_EN = Must("en", Words(), "the English prose, Markdown without HTML")
_ZH = Must("zh", Words(), "the Chinese prose, Markdown without HTML")
_RUN: May[str | None] = May("run", Words(), "a shell command, the same in both languages", None)
_BLOCK = Shape((_EN, _ZH, _RUN), lambda values, _: Block(Text(en=values[_EN], zh=values[_ZH]), values[_RUN]))
Section: Form[tuple[Block, ...]] = Items(_BLOCK, alone=True)

_FLAGS = Words(r"^(?!.*(.).*\1)[ims]+$", "some of the letters `i`, `m`, `s`", "i")
_SIG_ID = Must("id", SLUG, "its name in this entry, kebab-case")
_PATTERN = Must("pattern", Pattern(), "a regular expression of the portable subset")
_PLACE: May[Place | None] = May("place", OneOf(Place), "where it looks; left out: message and exception", None)
_WITH: May[str | None] = May("with", Pattern(), "frame and source only: the exception in which the traceback ends", None)
_SIG_FLAGS = May("flags", _FLAGS, "any of the letters i, m, s", "")
_SHARED = May("shared", Flag(), "other causes print the same words; `siblings` has to name them", False)
_AFTER_FIX = May("after_fix", Flag(), "the wording of a release that has the fix", False)
_SEEN_IN = May("seen_in", Items(Words(), alone=True), "releases whose own source prints this wording: `vllm 0.8.0-0.33.0`", ())


def _signature(values: Values, reading: Reading) -> Signature:
    node, flags, place, with_ = values.node, values[_SIG_FLAGS], values[_PLACE], values[_WITH]
    check_pattern(values[_PATTERN], flags, node.at("pattern"), reading)
    if with_ is not None:
        check_pattern(with_, "", node.at("with"), reading)
        if place not in (Place.FRAME, Place.SOURCE):
            what = "`with` belongs to the places `frame` and `source`"
            raise reading.refuse(node.at("with"), "with-without-frame", what, "add `place: frame`, or put its words into the pattern")
    return Signature(
        id=values[_SIG_ID],
        pattern=values[_PATTERN],
        place=place,
        with_=with_,
        flags=flags,
        shared=values[_SHARED],
        after_fix=values[_AFTER_FIX],
        seen_in=values[_SEEN_IN],
        where=node.where,
    )


SIGNATURE = Shape((_SIG_ID, _PATTERN, _PLACE, _WITH, _SIG_FLAGS, _SHARED, _AFTER_FIX, _SEEN_IN), _signature)


class _Expect:
    """`none`, or signature ids with the level that the entry gets."""

    _levels = Keyed(OneOf(Level), SLUG.like, "the id of a signature", SLUG.example)

    def read(self, node: Node, reading: Reading) -> Mapping[str, Level]:
        if node.kind == "text" and node.text == "none":
            return {}
        if node.kind != "mapping" or not node.fields:
            raise reading.wrong_type(node, "an expectation", "write `none`, or `{signature: level}`")
        levels = self._levels.read(node, reading)
        if len(set(levels.values())) > 1:
            what = "one sample gives the entry one level, here are several"
            raise reading.refuse(node.where, "several-levels", what, "give every signature of the sample the same level")
        return levels

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"const": "none"}, self._levels.schema()]}


class _Raw:
    """Text as it stands, blanks and line ends included."""

    def read(self, node: Node, reading: Reading) -> str:
        if node.kind != "text" or not node.text.strip():
            raise reading.wrong_type(node, "the text of a log", "write it under `text: |`, indented")
        return node.text

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}


_EXPECT: Must[Mapping[str, Level]] = Must("expect", _Expect(), "`none`, or the signatures that hit with the level the entry gets")
_TEXT: May[str | None] = May("text", _Raw(), "the log", None)
_FILE_NAME = Words(r"^[\w.-]+$", "the name of a file beside the entry", "dev-shm-too-small.1.log")
_FILE: May[str | None] = May("file", _FILE_NAME, "instead of `text`: a file beside the entry, for long or binary logs", None)
_WHY: May[str | None] = May("why", Words(), "why the entry must not be found, or is ruled out", None)
_FACTS: May[Mapping[str, str]] = May(
    "facts", Keyed(Scalar(), _NAME, "the name of a fact", "kv_cache_dtype"), "facts as if the caller had stated them", {}
)


def _sample(values: Values, reading: Reading) -> Sample:
    text, file, node = values[_TEXT], values[_FILE], values.node
    if (text is None) == (file is None):
        remedy = "write the log under `text: |`, or name a file beside the entry"
        raise reading.refuse(node.where, "sample-text", "a sample has either `text` or `file`", remedy)
    if not values[_EXPECT] and values[_WHY] is None:
        remedy = "say in a few words why the entry must not be found here"
        raise reading.refuse(node.where, "missing-why", "a sample that expects `none` needs `why`", remedy)
    for name in values[_FACTS]:
        known_fact(name, node.fields["facts"].at(name), reading)
    return Sample(
        text=text if text is not None else _beside(str(file), node.at("file"), reading),
        expect=values[_EXPECT],
        why=values[_WHY],
        facts=values[_FACTS],
        file=file,
        where=node.where,
    )


SAMPLE = Shape((_EXPECT, _TEXT, _FILE, _WHY, _FACTS), _sample)


def _beside(name: str, where: Where, reading: Reading) -> str | bytes:
    """The sample's file: text where it is UTF-8, else its bytes."""
    try:
        data = (reading.folder / name).read_bytes()
    except OSError as error:
        what = f"`{name}` cannot be read: {error.strerror}"
        raise reading.refuse(where, "sample-file", what, "put it beside the entry, or correct the name") from None
    try:
        return data.decode("utf-8") if b"\0" not in data else data
    except UnicodeDecodeError:
        return data


def known_fact(name: str, where: Where, reading: Reading) -> None:
    """Refuses a name that is no fact."""
    known = reading.fact_names
    if known is None or name in known or name.endswith("_version"):
        return
    remedy = did_you_mean(name, known) or "the names of facts are listed in docs/entry-format.md"
    raise reading.refuse(where, "unknown-fact", f"there is no fact `{name}`", remedy)


_ENTRY = Must("entry", ID, "the id of the entry that is taken for this one")
_TELL = Must("tell", bilingual(), "what in the log or the system tells the two apart")
SIBLING = Shape((_ENTRY, _TELL), lambda values, _: Sibling(entry=values[_ENTRY], tell=values[_TELL]))
NAMES: Keyed[Text] = Keyed(bilingual(), _NAME, "the name of a placeholder", "path")


class _VersionText:
    """A version by PEP 440."""

    def read(self, node: Node, reading: Reading) -> str:
        text = Words(says="a version").read(node, reading)
        try:
            Version(text)
        except InvalidVersion:
            what = f"`{text}` is not a version"
            raise reading.refuse(node.where, "version", what, "write one version as the release is named: `0.32.1rc0`") from None
        return text

    def schema(self) -> dict[str, Any]:
        return {"type": ["string", "number"]}


_PACKAGE = Must("package", PACKAGE_NAME, "the package whose versions are meant")
_INTRODUCED: May[str | None] = May("introduced", _VersionText(), "the first version that has the fault", None)
_FIXED: May[str | None] = May("fixed", _VersionText(), "the first version that has the fix", None)
_FIRST: May[str | None] = May("first_release", _VersionText(), "the first final release with the fix, when `fixed` is a pre-release", None)


def _affects(values: Values, reading: Reading) -> Affects:
    introduced, fixed, first, node = values[_INTRODUCED], values[_FIXED], values[_FIRST], values.node
    if introduced and fixed and Version(introduced) >= Version(fixed):
        what = f"introduced in {introduced}, but fixed before that in {fixed}"
        raise reading.refuse(node.at("introduced"), "version-order", what, "`introduced` is the earlier one")
    if first and (not fixed or Version(first) < Version(fixed) or Version(first).is_prerelease):
        what = f"{first} is not the first final release after `fixed`"
        remedy = "give the final release that follows `fixed`, or leave it out"
        raise reading.refuse(node.at("first_release"), "version-order", what, remedy)
    return Affects(values[_PACKAGE], introduced, fixed, first)


AFFECTS = Shape((_PACKAGE, _INTRODUCED, _FIXED, _FIRST), _affects)

_URL = Must(
    "url", Words(r"^https?://[^\s]+$", "an address", "https://github.com/owner/name/issues/1"), "an https address that backs the article"
)
_SAYS = Must(
    "says", Words(r"^[\x20-\x7e]+$", "a short English phrase", "the fix", limit=120), "what stands there, in a short English phrase"
)


def _link(values: Values, reading: Reading) -> Link:
    parts, where = urlsplit(values[_URL]), values.node.at("url")
    host = (parts.hostname or "").lower()
    if parts.scheme != "https":
        raise reading.refuse(where, "link", "the address is not https", "give the https address")
    if any(host == bad or host.endswith("." + bad) for bad in _FILE_HOSTS) or _ATTACHMENT.search(parts.path):
        remedy = "link to the thread, the release note or the source"
        raise reading.refuse(where, "link", "the address is a download, an attachment or a short link", remedy)
    return Link(values[_URL], values[_SAYS])


LINK = Shape((_URL, _SAYS), _link)

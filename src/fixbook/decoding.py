"""Bytes of a log → text. Every byte string has a text; nothing here raises."""

import codecs
import re

__all__ = ["decode", "encoding_of", "is_wide"]

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROBE = 4096
_ERRORS = "fixbook-typographic"
# A two-byte character of GB2312, the part of GB18030 in which Chinese prose is written. Windows-1252 quotes and accented letters
# before an ASCII letter are GB18030 too (`don\x92t`), never GB2312.


def decode(data: bytes, encoding: str | None = None) -> str:
    """The text of `data`, without a byte order mark and without NUL characters.

    `encoding` is what `encoding_of` said of the beginning of the same source; left out, it is found out here. A byte that is
    no UTF-8 stands as U+FFFD, typographic quotes and dashes of Windows-1252 as themselves.
    """
    name = encoding or encoding_of(data)
    for mark, marked in _MARKS:
        if name == marked and data.startswith(mark):
            data = data[len(mark) :]
            break
    text = data.decode(name, errors=_ERRORS if name == "utf-8" else "replace")
    # A log truncated under a running writer begins with NULs; PowerShell's `>>` appends UTF-16 to a file of ASCII.
    return text.replace("\0", "") if "\0" in text else text


def encoding_of(data: bytes) -> str:
    """`utf-8`, `utf-16-le`, `utf-16-be`, `utf-32-le`, `utf-32-be` or `gb18030`: the encoding in which `data` reads best."""
    for mark, name in _MARKS:
        # The marks of UTF-16 are also what a damaged file may begin with; a log in UTF-16 has line ends and blanks, which have a NUL.
        if data.startswith(mark) and (name == "utf-8" or b"\0" in data[:_PROBE]):
            return name
    wide = is_wide(data[:_PROBE])
    if wide:
        return wide
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "gb18030" if _is_chinese(data) else "utf-8"
    return "utf-8"


def is_wide(probe: bytes) -> str | None:
    """`utf-16-le` or `utf-16-be` when `probe`, from an even offset, is UTF-16 without a mark: every second byte of its ASCII is NUL."""
    pairs = len(probe) // 2
    # `>>` of PowerShell puts UTF-16 behind a beginning in ASCII
    if pairs < 2 or b"\0" not in probe or (probe[:4].isascii() and probe[:4].decode().isprintable()):
        return None
    even, odd = probe[0 : 2 * pairs : 2].count(0), probe[1 : 2 * pairs : 2].count(0)
    if odd * 4 >= pairs and even * 20 <= odd:
        return "utf-16-le"
    if even * 4 >= pairs and odd * 20 <= even:
        return "utf-16-be"
    return None


def _is_chinese(data: bytes) -> bool:
    """Whether what is no UTF-8 reads as Chinese in GB18030: it decodes but for a cut end, and mostly in GB2312."""
    try:
        data.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        if error.end >= len(data) - 3 and error.start > len(data) // 2:
            return False  # only the last character is cut
    try:
        codecs.getincrementaldecoder("gb18030")().decode(data)
    except UnicodeDecodeError:
        return False
    high = len(re.findall(rb"[\x80-\xff]", data))
    return high >= 4 and 2 * len(re.findall(rb"[\xa1-\xf7][\xa1-\xfe]", data)) >= 0.8 * high


def _typographic(error: UnicodeError) -> tuple[str, int]:
    """One undecodable byte as its Windows-1252 quote or dash; anything else as U+FFFD."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    if len(bad) == 1 and (bad[0] == 0x85 or 0x91 <= bad[0] <= 0x97):
        return bad.decode("cp1252"), error.end
    return "\ufffd", error.end


codecs.register_error(_ERRORS, _typographic)

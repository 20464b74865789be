"""Recognises file formats other than JSON by their first bytes."""

import codecs

# Number of bytes examined.
HEAD = 4096

_UTF_16 = "it is text in UTF-16: save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8"
_SIGNATURES = (
    (b"PK\x03\x04", "it is a zip archive: unpack it, or use `frontdesk import chat` for a chat"),
    (
        b"SQLite format 3\x00",
        "it is an SQLite database: `frontdesk export events` writes an inbox as lines",
    ),
    (b"BZh", "it is compressed with bzip2: unpack it, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "it is compressed with xz: unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd: unpack it, or compress it with gzip"),
    (b"%PDF-", "it is a PDF document"),
    *((begin, "it is a picture") for begin in (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8")),
)


def foreign_format(head: bytes) -> str | None:
    """Return a sentence that names a file's format; None if it may be JSON."""
    for signature, sentence in _SIGNATURES:
        if head.startswith(signature):
            return sentence
    if _is_utf_16(head):
        return _UTF_16
    if b"\x00" in head and b'{"' not in head:
        return "it is binary data"
    if head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<"):
        return "it is HTML or XML"
    return None


def _is_utf_16(head: bytes) -> bool:
    """Detect UTF-16 by its NUL bytes, which are every other byte of most such text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return any(half.count(0) > 0.02 * len(half) for half in (head[::2], head[1::2]))
    evens, odds = head[::2].count(0), head[1::2].count(0)
    return max(evens, odds) > 0.7 * (len(head) // 2) and min(evens, odds) < 0.1 * len(head)

"""Strict UTF-8 decoding of JSON bodies, and removal of control characters from their strings."""

import json
import re
from typing import Any

from frontdesk.text import clean

# Encodings of the characters that `clean` changes: a first byte, for a fast test of absence, and
# the sequences that start with it.
_SUSPECTS = tuple(
    (first, re.compile(re.escape(first) + rest))
    for first, rest in (
        (b"\x7f", rb""),
        (b"\xc2", rb"[\x80-\x9f\xad]"),
        (b"\xd8", rb"\x9c"),
        (b"\xe1", rb"\xa0\x8e"),
        (b"\xe2", rb"(?:\x80[\x8b\x8e\x8f\xa8-\xae]|\x81[\xa0-\xaf])"),
        (b"\xe3", rb"\x85\xa4"),
        (b"\xef", rb"(?:\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])"),
        (b"\\", rb"(?:[bfr]|u(?:00[01789aA]|061|180|20|316|[fF][eEfF]|[dD][89a-fA-F]))"),
    )
)


def parse_json(body: bytes) -> Any:
    """Parse a JSON document in UTF-8 (RFC 8259, section 8.1); a byte order mark is skipped.

    `json.loads` also detects UTF-16 and UTF-32, which the byte patterns of `clean_json` do not
    cover.

    Raises: ValueError: not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return json.loads(body.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def clean_json(body: bytes) -> bytes:
    """Clean every string of a JSON document; a document without suspect bytes is returned as it is.

    Raises: ValueError: the body has suspect bytes and is not valid JSON.
    """
    if not any(first in body and suspect.search(body) for first, suspect in _SUSPECTS):
        return body
    try:
        cleaned = _clean_value(parse_json(body))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return json.dumps(cleaned, ensure_ascii=False).encode()


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _clean_value(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_clean_value(member) for member in value]
    return value

"""Parses stored webhook bodies: JSON, with or without a wrapping that names its time of receipt."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from frontdesk.ingest.json_reader import Malformed, instant

_WRAPPINGS = ("body", "payload")
# A rejected line is wrapped once more than it was.
_MOST_WRAPPINGS = 3


def body_of(line: bytes) -> Mapping[str, Any]:
    """Return the webhook body of a JSON text without its wrapping.

    Raises: Malformed.
    """
    return unwrap(line)[0]


def unwrap(line: bytes) -> tuple[Mapping[str, Any], int | None]:
    """Parse a line; return the inner object and the time of receipt, if the wrapping has one."""
    try:
        value = _object(line.decode().strip())
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    received_at: int | None = None
    for _ in range(_MOST_WRAPPINGS):
        if value.keys() & {"entry", "object", "kind"}:
            break
        wrapped = next((one for one in map(value.get, _WRAPPINGS) if _is_wrapped(one)), None)
        if wrapped is None:
            break
        received_at = _received_at(value) or received_at
        value = _object(wrapped) if isinstance(wrapped, str) else wrapped
    return value, received_at


def _is_wrapped(member: object) -> bool:
    return isinstance(member, str | Mapping)


def _received_at(wrapping: Mapping[str, Any]) -> int | None:
    """Return the time of receipt; an unreadable one counts as absent."""
    try:
        return instant(wrapping.get("received_at"))
    except Malformed:
        return None


def _object(text: str) -> Mapping[str, Any]:
    """Parse a JSON object and replace text that databases cannot store."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"it is not JSON from character {error.pos + 1} on") from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except Malformed:
        raise
    except ValueError:
        raise Malformed("it holds a number that is too long") from None
    if not isinstance(value, dict):
        raise Malformed("it is not a JSON object")
    if _SUSPECT.search(text):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _refuse(constant: str) -> float:
    raise Malformed(f"it is not JSON: {constant} is not a number there")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Malformed("it holds a number that is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
# May encode NUL or a lone surrogate.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])|\x00")


def _sound(value: Any) -> Any:
    """Return `value` without lone surrogates and NUL, which databases reject."""
    if isinstance(value, str):
        return _sound_text(value)
    if isinstance(value, list):
        return [_sound(member) for member in value]
    if isinstance(value, dict):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _sound_text(text: str) -> str:
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")

"""Strict query parameter parsing that reports all faults together."""

import re
from collections.abc import Sequence, Set
from urllib.parse import unquote_to_bytes

from frontdesk.service.cursors import MAX_LENGTH as MAX_CURSOR_LENGTH
from frontdesk.service.problems import ParameterFault, bad_parameters
from frontdesk.wire import ParameterProblem
from frontdesk.wire.queries import MAX_LIMIT

_ECHO_LENGTH = 40
_ESCAPES = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_ROW_ID = re.compile("[1-9][0-9]{0,17}")


class Parameters:
    """Parameters of one request. Faults are collected and raised together by `raise_if_invalid`.

    strict: an unknown parameter is a fault; otherwise it is ignored.
    """

    def __init__(self, query: bytes, allowed: Sequence[str], *, strict: bool = True) -> None:
        self._strict = strict
        self._values: dict[str, str] = {}
        self._faults: list[ParameterFault] = []
        self._faulty: set[str] = set()
        for pair in query.split(b"&"):
            if pair:
                name, _, value = pair.partition(b"=")
                self._take(_decoded(name), _decoded(value), allowed)

    def _take(self, name: str | None, value: str | None, allowed: Sequence[str]) -> None:
        if name is not None and name not in allowed and not self._strict:
            return
        if name is None or name not in allowed:
            shown = echo(name or "?")
            hint = "the name cannot be decoded" if name is None else "there is no such parameter"
            reason = "malformed" if name is None else "unknown"
            self.add_fault("invalid_parameter", shown, reason, hint)
        elif name in self._values:
            self.add_fault("invalid_parameter", name, "repeated", "it may be given only once")
        elif value is None:
            self._values[name] = ""
            self.add_fault("invalid_parameter", name, "malformed", "the value cannot be decoded")
        else:
            self._values[name] = value

    def get(self, name: str) -> str | None:
        """Return a parameter's decoded value, possibly empty; None if absent or faulty."""
        return None if self.faulty(name) else self._values.get(name)

    @property
    def names(self) -> Set[str]:
        """Names of the parameters that are given."""
        return self._values.keys()

    def faulty(self, name: str) -> bool:
        return name in self._faulty

    def add_fault(
        self,
        code: str,
        parameter: str,
        reason: str,
        detail: str,
        *,
        allowed: tuple[str, ...] | None = None,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        """Record a fault. bounds: minimum and maximum allowed."""
        low, high = bounds or (None, None)
        problem = ParameterProblem(
            parameter=parameter, reason=reason, detail=detail, allowed=allowed, min=low, max=high
        )
        self._faults.append(ParameterFault(code, problem))
        self._faulty.add(parameter)

    def raise_if_invalid(self) -> None:
        """Raise the collected faults.

        Raises: ApiError.
        """
        if self._faults:
            raise bad_parameters(self._faults)

    def limit(self, default: int) -> int:
        """Parse the page size; records a fault if it is out of range."""
        text = self.get("limit")
        if text is None:
            return default
        if re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= MAX_LIMIT:
            return int(text)
        self.add_fault(
            "invalid_limit",
            "limit",
            "not_allowed",
            f"it must be a whole number from 1 to {MAX_LIMIT}; got '{echo(text)}'",
            bounds=(1, MAX_LIMIT),
        )
        return default

    def cursor(self) -> str | None:
        """Return the cursor, still encoded; records a fault if its length is impossible."""
        text = self.get("cursor")
        if text is not None and not 0 < len(text) <= MAX_CURSOR_LENGTH:
            self.add_fault("invalid_cursor", "cursor", "malformed", "it is not a cursor")
            return None
        return text

    def filter_value(self, name: str, allowed: tuple[str, ...] | None = None) -> str | None:
        """Return a filter's value; records a fault if it is empty or not one of `allowed`."""
        text = self.get(name)
        if text == "":
            self.add_fault("invalid_filter", name, "empty", "it needs a value", allowed=allowed)
        elif text is not None and allowed is not None and text not in allowed:
            self.add_fault(
                "invalid_filter",
                name,
                "not_allowed",
                f"it must be one of {', '.join(allowed)}; got '{echo(text)}'",
                allowed=allowed,
            )
        else:
            return text
        return None

    def some_of(self, name: str, allowed: tuple[str, ...], code: str) -> frozenset[str]:
        """Return the values of a list with commas, each one of `allowed`; else record a fault."""
        text = self.get(name)
        names = [] if text is None else text.split(",")
        unknown = next((value for value in names if value not in allowed), None)
        if unknown is not None:
            self.add_fault(
                code,
                name,
                "not_allowed" if unknown else "empty",
                f"it must be some of {', '.join(allowed)}, with commas between; "
                f"got '{echo(unknown)}'",
                allowed=allowed,
            )
        return frozenset(names) & frozenset(allowed)


def row_id(text: str) -> int | None:
    """Parse an id of ours; None if malformed."""
    return int(text) if _ROW_ID.fullmatch(text) else None


def echo(text: str) -> str:
    """Shorten a caller's value for an error message; anything that may be a key becomes "…"."""
    if "_live_" in text:
        return "…"
    return text if len(text) <= _ECHO_LENGTH else text[: _ECHO_LENGTH - 1] + "…"


def _decoded(text: bytes) -> str | None:
    """Percent-decode to UTF-8; None if malformed or with control characters."""
    try:
        encoded = text.decode("ascii")
        if _ESCAPES.search(encoded):
            return None
        decoded = unquote_to_bytes(encoded.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(decoded) else decoded

"""Observed state of a server: capabilities, deviations from `/v1`, latency, clock skew."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

# Features by name, with display name and required scope of the key.
FEATURES: Mapping[str, tuple[str, str]] = {
    "conversations": ("conversations", "conversations:read"),
    "counts": ("counts of conversations", "conversations:read"),
    "conversation": ("conversations by id", "conversations:read"),
    "changes": ("changes since a position", "conversations:read"),
    "messages": ("messages", "messages:read"),
    "notes": ("notes", "notes:read"),
    "contacts": ("contacts", "contacts:read"),
    "contact_by_phone": ("contacts by phone", "contacts:read"),
    "labels": ("labels", "labels:read"),
    "custom_fields": ("custom fields", "custom_fields:read"),
    "users": ("users", "users:read"),
    "teams": ("teams", "teams:read"),
    "channels": ("channels", "channels:read"),
    "canned_responses": ("canned responses", "canned_responses:read"),
    "templates": ("templates", "templates:read"),
    "media": ("files of messages", "media:read"),
    "report": ("the inbox report", "reports:read"),
    "conversation_reports": ("reports by conversation", "reports:read"),
    "me": ("“me” as assignee", ""),
    "filter_status": ("the filter by status", ""),
    "filter_assignee": ("the filter by assignee", ""),
    "filter_channel": ("the filter by channel", ""),
    "filter_label": ("the filter by label", ""),
    "search_contacts": ("the search for contacts", ""),
    "search_messages": ("the search for messages", "messages:read"),
    "unchanged": ("answers of “unchanged”", ""),
}

UNKNOWN, PRESENT, ABSENT, FORBIDDEN, IGNORED, FAILING = (
    "unknown",
    "present",
    "absent",
    "forbidden",
    "ignored",
    "failing",
)

MOST_DIFFERENCES = 100
_LATENCIES = 15
_MOST_SCOPES = 50


@dataclass(frozen=True)
class Feature:
    """Capability of a server. `detail` is a sentence, or empty.

    state: unknown (not requested yet), present, absent, forbidden (for this key), ignored (a filter
    that the client applies instead), failing (responds with errors). words: display name. scope:
    required scope of the key, or empty.
    """

    words: str
    scope: str
    state: str = UNKNOWN
    detail: str = ""


@dataclass(frozen=True)
class Server:
    """Snapshot of what was observed of a server.

    features: all names of FEATURES, in that order. differences: sentences on deviations from `/v1`.
    latency: median of the last requests. clock_skew: positive if the server's clock is ahead.
    key_scopes: None until the server sends them. unchanged: number of 304 responses.
    no_extensions: filters besides those of `/v1` that the server refuses or ignores. spacing:
    seconds between requests that use up the rate limit exactly; None if the server states none.
    """

    address: str
    features: Mapping[str, Feature]
    differences: tuple[str, ...] = ()
    latency: timedelta | None = None
    clock_skew: timedelta | None = None
    key_scopes: tuple[str, ...] | None = None
    requests: int = 0
    unchanged: int = 0
    received_bytes: int = 0
    no_extensions: frozenset[str] = frozenset()
    spacing: float | None = None

    def has(self, name: str) -> bool:
        """False if a feature is known to be absent or forbidden."""
        return self.features[name].state not in (ABSENT, FORBIDDEN)

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the absent or forbidden features, in the order of FEATURES."""
        return tuple(name for name in self.features if not self.has(name))


class ServerState:
    """Records observations of responses. `clock` is in seconds, `now` in UTC."""

    def __init__(self, address: str, now: Callable[[], datetime]) -> None:
        self._address = address
        self._now = now
        self._features = {name: Feature(*words) for name, words in FEATURES.items()}
        self._differences: dict[str, None] = {}
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self._skew: timedelta | None = None
        self._scopes: tuple[str, ...] | None = None
        self._requests = self._unchanged = self._received = 0
        self._no_extensions: set[str] = set()
        self._spacing: float | None = None
        # True once counts were refused with `by` and not without it.
        self.refuses_parts_of_counts = False
        # True once counts were not those of a query.
        self.lacks_queries_of_counts = False

    def _median_latency(self) -> timedelta | None:
        """Of an even number, the longer one of the two in the middle."""
        seconds = sorted(self._latencies)
        return timedelta(seconds=seconds[len(seconds) // 2]) if seconds else None

    def server(self) -> Server:
        """Snapshot of the current state."""
        return Server(
            self._address,
            dict(self._features),
            tuple(self._differences),
            self._median_latency(),
            self._skew,
            self._scopes,
            self._requests,
            self._unchanged,
            self._received,
            frozenset(self._no_extensions),
            self._spacing,
        )

    def server_now(self) -> datetime:
        """The server's time, as far as it is known."""
        return self._now() + (self._skew or timedelta())

    def count_request(self) -> None:
        self._requests += 1

    def answered(self, seconds: float | None, length: int, date: datetime | None) -> None:
        """Record a response: latency in seconds, received bytes, Date header.

        seconds: None of one that the server held back.
        """
        self._received += length
        if seconds is None:
            return
        self._latencies.append(seconds)
        if date is None:
            return
        # Date has whole seconds, and is set about half the latency after the request.
        ahead = date + timedelta(seconds=0.5) - (self._now() - timedelta(seconds=seconds / 2))
        # A skew that may be the same stays, so that ages do not go back and forth.
        before = (self._skew or timedelta(), timedelta())
        same = (one for one in before if abs(ahead - one) <= timedelta(seconds=1 + seconds))
        self._skew = next(same, ahead)

    def record_spacing(self, spacing: float | None) -> None:
        """Record what the last response said about the rate limit, see `Server`."""
        self._spacing = spacing

    def was_unchanged(self) -> None:
        self._unchanged += 1

    def feature(self, name: str, state: str, detail: str = "") -> None:
        self._features[name] = Feature(*FEATURES[name], state, detail)

    def lacks_extensions(self, names: Iterable[str]) -> None:
        """Record filters that the client applies itself."""
        self._no_extensions.update(names)

    def is_present(self, name: str) -> bool:
        return self._features[name].state == PRESENT

    def mark_present(self, name: str) -> None:
        """Mark a feature as present unless its state is known."""
        if self._features[name].state == UNKNOWN:
            self.feature(name, PRESENT)

    def record_deviation(self, sentence: str) -> None:
        """Record a deviation from `/v1`, at most `MOST_DIFFERENCES`."""
        if len(self._differences) < MOST_DIFFERENCES:
            self._differences[sentence] = None

    def has_deviation(self, sentence: str) -> bool:
        """True if this deviation was recorded."""
        return sentence in self._differences

    def record_scopes(self, scopes: tuple[str, ...]) -> None:
        """Record the scopes of the key."""
        self._scopes = scopes[:_MOST_SCOPES]

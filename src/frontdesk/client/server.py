"""What is known of a server: what it has, how it differs from the contract, how far away it is."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

# The features by their names, with the words a reader knows them by and the scope of the key.
FEATURES: Mapping[str, tuple[str, str]] = {
    "conversations": ("conversations", "conversations:read"),
    "counts": ("counts of conversations", "conversations:read"),
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
    "report": ("the inbox report", "reports:read"),
    "me": ("“me” as assignee", ""),
    "filter_status": ("the filter by status", ""),
    "filter_assignee": ("the filter by assignee", ""),
    "filter_channel": ("the filter by channel", ""),
    "filter_label": ("the filter by label", ""),
    "search_contacts": ("the search for contacts", ""),
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
    """One thing a server may have. `detail` is a sentence, or empty.

    state: unknown (not asked yet), present, absent, forbidden (the key may not), ignored (a
    filter that the server does not apply; the client does), failing (it answered with an error).
    words: what readers call it. scope: what a key needs for it, or empty.
    """

    words: str
    scope: str
    state: str = UNKNOWN
    detail: str = ""


@dataclass(frozen=True)
class Server:
    """What was learnt of a server so far.

    features: every name of FEATURES in that order. differences: sentences on how answers differ
    from the contract. latency: the median of the last requests. clock_skew: how far the server's
    clock is ahead of ours. key_scopes: None until the server tells. unchanged: answers of 304.
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

    def has(self, name: str) -> bool:
        """Not known to be missing: it may be asked for."""
        return self.features[name].state not in (ABSENT, FORBIDDEN)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what is not there or not allowed, in the order of FEATURES."""
        return tuple(name for name in self.features if not self.has(name))


class Notebook:
    """Writes down what answers show. `clock` is in seconds, `now` in UTC."""

    def __init__(self, address: str, now: Callable[[], datetime]) -> None:
        self._address = address
        self._now = now
        self._features = {name: Feature(*words) for name, words in FEATURES.items()}
        self._differences: dict[str, None] = {}
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self._skew: timedelta | None = None
        self._scopes: tuple[str, ...] | None = None
        self._requests = self._unchanged = self._received = 0

    def server(self) -> Server:
        """What stands in the notebook."""
        return Server(
            self._address,
            dict(self._features),
            tuple(self._differences),
            timedelta(seconds=median(self._latencies)) if self._latencies else None,
            self._skew,
            self._scopes,
            self._requests,
            self._unchanged,
            self._received,
        )

    def asked(self) -> None:
        """A request was sent."""
        self._requests += 1

    def answered(self, seconds: float, length: int, date: datetime | None) -> None:
        """An answer came, so many seconds after it was asked for, dated by the server's clock."""
        self._latencies.append(seconds)
        self._received += length
        if date is None:
            return
        # Dates are in whole seconds, and half of the way was the question's.
        ahead = date + timedelta(seconds=0.5) - (self._now() - timedelta(seconds=seconds / 2))
        self._skew = ahead if abs(ahead) > timedelta(seconds=1 + seconds / 2) else timedelta()

    def was_unchanged(self) -> None:
        """An answer said that nothing changed."""
        self._unchanged += 1

    def feature(self, name: str, state: str, detail: str = "") -> None:
        """What a feature turned out to be."""
        self._features[name] = Feature(*FEATURES[name], state, detail)

    def works(self, name: str) -> None:
        """Nothing speaks against a feature, as far as was seen."""
        if self._features[name].state == UNKNOWN:
            self.feature(name, PRESENT)

    def differs(self, sentence: str) -> None:
        """An answer is not as the contract has it."""
        if len(self._differences) < MOST_DIFFERENCES:
            self._differences[sentence] = None

    def has_remark(self, sentence: str) -> bool:
        """This difference was seen."""
        return sentence in self._differences

    def scopes(self, scopes: tuple[str, ...]) -> None:
        """What the server says that the key may read."""
        self._scopes = scopes[:_MOST_SCOPES]

"""The expected failures of frontdesk: everything that is not a bug.

    InboxError
    ├── Unreachable        no answer, or "try again": connection, deadline, 429, 502, 503, 504
    │   ├── NetworkMisconfigured  a certificate or a proxy: trying again does not help
    │   └── QueryTimeout   a query of the database took longer than it may
    ├── Unauthorised       401: the server refuses the key
    ├── Forbidden          403: the key lacks a scope, or the account is disabled
    ├── NotFound           404: no such row
    │   └── NotOffered     no such path on this server: 404, 405 or 501
    ├── Refused            any other 4xx: the request itself was wrong
    │   └── CursorRefused  the cursor is unknown, expired or of another list
    ├── BadResponse        an answer that cannot be read, or 5xx that is not "try again"
    ├── UnusableFile       a database, cache or input file that is not ours, newer or broken
    ├── NothingRead        an input file was read to its end, or begun, and has nothing for us
    └── BadSettings        settings, environment or key that cannot be used

`str(error)` is one sentence for the user. It never holds a key.
"""


class InboxError(Exception):
    """An expected failure."""


class Unreachable(InboxError):
    """No usable answer now. `retry_after` is in seconds, None if the server did not tell."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Silent(Unreachable):
    """Not asked, because the server did not answer before; `retry_after` is our own pause."""


class NetworkMisconfigured(Unreachable):
    """A certificate is not trusted, or a proxy refuses: settings have to change, not the time."""


class QueryTimeout(Unreachable):
    """A query of the database took longer than it may."""


class Unauthorised(InboxError):
    """The server refuses the key."""


class Forbidden(InboxError):
    """The key is good, but not for this. `scope` names what is missing, when the server tells."""

    def __init__(self, message: str, *, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


class NotFound(InboxError):
    """The row, or the path, does not exist on this server."""


class NotOffered(NotFound):
    """The server lacks the path itself: whatever is asked of it, it does not have."""


class Refused(InboxError):
    """The server refuses the request itself. `code` is the problem's stable code."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class CursorRefused(Refused):
    """The cursor cannot be continued: start again at the head."""


class BadResponse(InboxError):
    """The server answered with something that is not the interface."""


class UnusableFile(InboxError):
    """A file that cannot be used as what it was named for. It was left untouched."""


class NothingRead(InboxError):
    """An input file of which nothing could be read."""


class BadSettings(InboxError):
    """Settings that cannot be used."""

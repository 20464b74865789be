"""Exceptions for expected failures.

    InboxError
    ├── Unreachable        no usable response: connection, deadline, 429, 502, 503, 504
    │   ├── CircuitOpen    not sent, because the circuit breaker is open
    │   ├── Paused         not sent, because the server asked for a pause
    │   ├── NetworkMisconfigured  certificate or proxy: a retry does not help
    │   └── QueryTimeout   a database query exceeded its time limit
    ├── Unauthorised       401: the key is not accepted
    ├── Forbidden          403: the key lacks a scope, or the account is disabled
    ├── NotFound           404: no such row
    │   ├── NotOffered     no such path on this server: 404, 405 or 501
    │   └── FileUnavailable  a file that the server does not have, not yet, or not any more
    ├── FileTooLarge       a file is larger than the caller wants
    ├── NoRoom             a disk has less free space than is to be left
    ├── Refused            any other 4xx: the request is invalid
    │   └── CursorRefused  the cursor is unknown, expired or of another list
    ├── BadResponse        an unreadable response
    │   ├── ServerFailed   another 5xx
    │   └── AnswerTooLarge  one that is longer than what the client reads
    ├── UnusableFile       a database, cache or input file: foreign, newer or damaged
    ├── CacheBusy          another process fills the cache
    ├── NothingRead        an input file without usable contents
    └── BadSettings        invalid settings, environment or key

`str(error)` is one sentence for the user. It never contains a key.
"""


class InboxError(Exception):
    """Base of all expected failures. code: stable name for programs; of `Refused`, the server's."""

    code = "error"


class Unreachable(InboxError):
    """No usable response. `retry_after`: seconds, None if unknown."""

    code = "unreachable"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CircuitOpen(Unreachable):
    """Not sent, because the circuit breaker is open; `retry_after`: seconds until a trial.

    `problem`: message of the last request that was sent and failed.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after: float | None = None,
        problem: str = "The server does not answer",
    ) -> None:
        super().__init__(message, retry_after=retry_after)
        self.problem = problem


class Paused(Unreachable):
    """Not sent, because the server asked for a pause; `retry_after`: seconds left of it."""


class NetworkMisconfigured(Unreachable):
    """An untrusted certificate, or a proxy that rejects the request: settings have to change."""

    code = "network_misconfigured"


class QueryTimeout(Unreachable):
    """A database query exceeded its time limit."""

    code = "query_timeout"


class Unauthorised(InboxError):
    """The server does not accept the key."""

    code = "unauthorised"


class Forbidden(InboxError):
    """The key is valid, but lacks a permission. `scope`: the missing scope, if known."""

    code = "forbidden"

    def __init__(self, message: str, *, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


class NotFound(InboxError):
    """The row or path does not exist on this server."""

    code = "not_found"


class NotOffered(NotFound):
    """The path does not exist on this server, regardless of the row."""

    code = "not_offered"


class FileUnavailable(NotFound):
    """The server does not have a file of a message.

    status: `pending` (it comes later), `expired` (the provider had it no more), `failed`, `refused`
    (over a limit of the server), `removed` (erased or deleted: copies have to go too), `not_found`
    (never known to this key), `preview` or `text` (there is a file, and no picture of it, or no
    words that a program read in it).
    """

    def __init__(self, message: str, *, status: str) -> None:
        super().__init__(message)
        self.status = status


class FileTooLarge(InboxError):
    """A file is larger than the caller's limit; nothing more of it was read."""


class NoRoom(InboxError):
    """The disk has less free space than is to be left on it; nothing was written."""


class Refused(InboxError):
    """The server rejected the request. `code`: stable error code."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


# Code of a refused filter by the assignee "me", if the key belongs to no user.
ME_UNAVAILABLE = "assignee_me_unavailable"
NOBODY_IS_ME = "Nobody is “me” here: use a key of your own (or --as you@example.com for a database)"


class CursorRefused(Refused):
    """The cursor is invalid: restart from the first page."""


class BadResponse(InboxError):
    """The response does not conform to the API."""

    code = "bad_response"


class ServerFailed(BadResponse):
    """The server failed, with a 5xx that is not `Unreachable`: it may have what was asked for."""


class AnswerTooLarge(BadResponse):
    """The response is longer than what the client reads; a page of fewer rows may not be."""


class UnusableFile(InboxError):
    """A file of another kind, newer or damaged. It was not changed."""

    code = "unusable_file"


class OlderDatabase(UnusableFile):
    """A database was made by an older frontdesk, and has to be upgraded first."""


class CacheBusy(InboxError):
    """Another process is filling the cache of this inbox."""

    code = "cache_busy"


class NothingRead(InboxError):
    """An input file without usable contents."""

    code = "nothing_read"


class BadSettings(InboxError):
    """Settings that cannot be used."""

    code = "bad_settings"


def sentence_of(error: InboxError) -> str:
    """What went wrong: the error's own sentence, but where a server refuses "me"."""
    is_nobody = isinstance(error, Refused) and error.code == ME_UNAVAILABLE
    return NOBODY_IS_ME if is_nobody else str(error)


def advice(error: InboxError) -> str:
    """Say what to do about a failure, where its own sentence does not; else ""."""
    match error:
        case CursorRefused():
            return "Begin again without a cursor."
        case Unauthorised():
            command = "frontdesk profiles add NAME --replace --url URL"
            return f"Do not retry: a working key is stored with {command}."
        case Forbidden(scope=str() as scope) if scope not in str(error):
            return f"Do not retry: a key with the scope {scope} is needed."
        case Forbidden():
            return "Do not retry with this key."
        case NotOffered():
            return "Do not retry: this server does not have it."
        case NetworkMisconfigured():
            return "Do not retry: the settings have to change."
        case Unreachable(retry_after=float() | int() as seconds):
            return f"Try again in {max(1, round(seconds))} s."
        case Unreachable() | CacheBusy():
            return "Try again later."
    return ""

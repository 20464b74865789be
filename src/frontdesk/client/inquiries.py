"""Asking a server for what it has, and not again and again for what it lacks (contract 4.3)."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from frontdesk.client.answers import Answer, UnknownForm
from frontdesk.client.exchange import Exchange
from frontdesk.client.failures import Rejected, Trouble
from frontdesk.client.server import ABSENT, FAILING, FORBIDDEN, PRESENT, Notebook
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
    Unauthorised,
    Unreachable,
)

V = TypeVar("V")

# What is known to be missing is asked for again after so long, a refused key sooner.
RECHECK_SECONDS = 600.0
REFUSED_KEY_SECONDS = 30.0

ME_UNAVAILABLE = "assignee_me_unavailable"

# Asked as long as nothing of the server was read.
_WHICH_ADDRESS = "is this the address of an inbox?"

# Below these paths stand ids: 404 may be about the row.
_OF_ONE = ("messages", "notes", "contact_by_phone")
_REMEMBERED = 100


class Inquiries:
    """The questions put to one server. `clock` is in seconds."""

    def __init__(self, exchange: Exchange, notebook: Notebook, clock: Callable[[], float]) -> None:
        self._exchange = exchange
        self._notebook = notebook
        self._clock = clock
        self._closed: dict[str, tuple[InboxError, float]] = {}
        self._lost = False
        self._was_read = False
        self._largest_limit: int | None = None
        self._limit_works = False
        self._read_threads: deque[str] = deque(maxlen=_REMEMBERED)
        self._noteless: deque[str] = deque(maxlen=_REMEMBERED)

    async def ask(
        self,
        feature: str,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[Answer], V],
        *,
        of: str = "",
    ) -> V:
        """What `read` makes of the answer. of: the id of the conversation that is asked about.

        Raises: InboxError, at once where it is known that the server lacks this.
        """
        wanted = ("key", feature, *(("me",) if parameters.get("assignee") == "me" else ()))
        for name in wanted:
            self._check(name)
        try:
            value = await self._within_limit(path, parameters, read)
        except Rejected as rejected:
            raise self._learnt(feature, rejected, parameters, of) from None
        except Unreachable:
            self._lost = True
            raise
        except UnknownForm as error:
            words = str(error) if self._was_read else f"{error}: {_WHICH_ADDRESS}"
            self._notebook.feature(feature, FAILING, words)
            raise BadResponse(words) from error
        except BadResponse as error:
            self._notebook.feature(feature, FAILING, str(error))
            raise
        self._was_read = True
        self._has(wanted[1:], of)
        return value

    def ask_anew(self) -> None:
        """Forget what the server is known to lack: the next question is asked."""
        self._closed.clear()

    def close_me(self, reason: str) -> Refused:
        """From now on nobody asks for “me”; the error to raise."""
        error = Refused(reason, code=ME_UNAVAILABLE)
        self._close("me", ABSENT, error)
        return error

    def _check(self, name: str) -> None:
        error, until = self._closed.get(name, (None, 0.0))
        if error is not None and self._clock() < until:
            # The frames of the first time are of no use to anyone.
            raise error.with_traceback(None)

    async def _within_limit(
        self, path: str, parameters: Mapping[str, str], read: Callable[[Answer], V]
    ) -> V:
        """Ask with a limit that the server takes, or else with none."""
        asked = self._limited(parameters)
        try:
            value = await self._exchange.get(path, asked, read)
        except Rejected as rejected:
            if "limit" not in asked or not self._blames_limit(rejected.trouble):
                raise
            largest = rejected.trouble.largest
            self._largest_limit = largest if largest and largest < int(asked["limit"]) else 0
            self._notebook.differs(
                f"A limit of {asked['limit']} is not taken, "
                f"{self._largest_limit or 'nor is another'}"
                f"{' at most' if self._largest_limit else ''}"
            )
            return await self._exchange.get(path, self._limited(parameters), read)
        self._limit_works = self._limit_works or "limit" in asked
        return value

    def _limited(self, parameters: Mapping[str, str]) -> Mapping[str, str]:
        largest = self._largest_limit
        if largest is None or "limit" not in parameters:
            return parameters
        if largest == 0:
            return {name: value for name, value in parameters.items() if name != "limit"}
        return {**parameters, "limit": str(min(largest, int(parameters["limit"])))}

    def _blames_limit(self, trouble: Trouble) -> bool:
        if trouble.status not in (400, 422):
            return False
        return "limit" in trouble.code or (trouble.unnamed and not self._limit_works)

    def _has(self, features: tuple[str, ...], of: str) -> None:
        """An answer came: these features are there."""
        if self._lost:
            # A server that comes back may be another one.
            self._lost = False
            self._closed.clear()
        for name in features:
            self._notebook.feature(name, PRESENT)
            self._closed.pop(name, None)
        if features[0] == "messages":
            self._read_threads.append(of)
            self._doubt_notes(of)

    def _learnt(
        self, feature: str, rejected: Rejected, parameters: Mapping[str, str], of: str
    ) -> InboxError:
        """The error to raise, once it is written down what it shows."""
        trouble, error = rejected.trouble, rejected.error
        if trouble.key_scopes is not None:
            self._notebook.scopes(trouble.key_scopes)
        if isinstance(error, Unauthorised):
            self._closed["key"] = error, self._clock() + REFUSED_KEY_SECONDS
        elif isinstance(error, Forbidden):
            self._close(feature, FORBIDDEN, error)
        elif isinstance(error, NotFound):
            return self._missing(feature, trouble, error, of)
        elif isinstance(error, Refused):
            return self._refused(trouble, error, parameters)
        elif isinstance(error, BadResponse):
            self._notebook.feature(feature, FAILING, str(error))
        return error

    def _missing(self, feature: str, trouble: Trouble, error: NotFound, of: str) -> InboxError:
        """Tells a path that is missing from a row that is."""
        if feature == "messages" and isinstance(error, NotOffered):
            # The conversation is there: nobody may take it for gone.
            return BadResponse("This server lists no messages")
        if feature not in _OF_ONE and feature != "conversations":
            error = NotOffered(str(error))
        if isinstance(error, NotOffered):
            self._close(feature, ABSENT, error)
        elif feature == "notes" and trouble.unnamed:
            self._noteless.append(of)
            self._doubt_notes(of)
        return error

    def _doubt_notes(self, of: str) -> None:
        """A conversation with messages and without a listing of notes: there is no such listing."""
        if of in self._noteless and of in self._read_threads:
            self._close("notes", ABSENT, NotOffered("This server lists no notes"))

    def _refused(
        self, trouble: Trouble, error: Refused, parameters: Mapping[str, str]
    ) -> InboxError:
        if "cursor" in parameters and trouble.blames_cursor:
            return CursorRefused(str(error), code=trouble.code)
        if parameters.get("assignee") == "me" and not isinstance(error, CursorRefused):
            return self.close_me(str(error))
        return error

    def _close(self, feature: str, state: str, error: InboxError) -> None:
        self._closed[feature] = error, self._clock() + RECHECK_SECONDS
        scope = error.scope if isinstance(error, Forbidden) else None
        told = scope is None or scope in str(error)
        lacking = "" if told else f" The key lacks the scope {scope}."
        self._notebook.feature(feature, state, f"{str(error).rstrip('.')}.{lacking}")

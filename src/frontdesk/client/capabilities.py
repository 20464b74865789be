"""Capability tracking: records missing features and refuses requests for them locally."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from frontdesk.client.failures import ErrorResponse, RejectedRequest
from frontdesk.client.response import Response, UnknownStructure
from frontdesk.client.server_info import (
    ABSENT,
    FAILING,
    FEATURES,
    FORBIDDEN,
    PRESENT,
    ServerState,
)
from frontdesk.client.transport import Requests
from frontdesk.errors import (
    ME_UNAVAILABLE,
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

# Time until a missing feature, or a rejected key, is tried again.
RECHECK_SECONDS = 600.0
REFUSED_KEY_SECONDS = 30.0


# Appended to errors until a first response could be read.
_WHICH_ADDRESS = "is this the address of an inbox?"

# Features whose paths contain an id, so that a 404 may refer to the row.
_OF_ONE = ("messages", "notes", "contact_by_phone", "conversation")


class CapabilityProbe:
    """Sends requests and learns from the responses. `clock` is in seconds."""

    def __init__(self, requests: Requests, state: ServerState, clock: Callable[[], float]) -> None:
        self._requests = requests
        self._state = state
        self._clock = clock
        self._closed: dict[str, tuple[InboxError, float]] = {}
        self._lost = False
        self._was_read = False

    async def ask(
        self,
        feature: str,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[Response], V],
    ) -> V:
        """Request and return `read` of the response.

        Raises: InboxError; without a request if the server is known to lack the feature.
        """
        return await self.observe(
            feature, lambda: self._requests.get(path, parameters, read), parameters
        )

    async def observe(
        self,
        feature: str,
        request: Callable[[], Awaitable[V]],
        parameters: Mapping[str, str] = MappingProxyType({}),
    ) -> V:
        """Run a request and learn from how it ends; as `ask`."""
        features = ("key", feature, *(("me",) if parameters.get("assignee") == "me" else ()))
        for name in features:
            self._check(name)
        try:
            value = await request()
        except RejectedRequest as rejected:
            raise self._record_error(feature, rejected, parameters) from None
        except Unreachable:
            self._lost = True
            raise
        except UnknownStructure as error:
            words = str(error) if self._was_read else f"{error}: {_WHICH_ADDRESS}"
            self._state.feature(feature, FAILING, words)
            raise BadResponse(words) from error
        except BadResponse as error:
            self._state.feature(feature, FAILING, str(error))
            raise
        self._was_read = True
        self._has(features[1:])
        return value

    def forget_missing_features(self) -> None:
        """Forget which features are missing."""
        self._closed.clear()

    def mark_me_unsupported(self, reason: str) -> Refused:
        """Mark the assignee "me" as unsupported; returns the error to raise."""
        error = Refused(reason, code=ME_UNAVAILABLE)
        self._close("me", ABSENT, error)
        return error

    def mark_message_search_absent(self, error: NotOffered) -> NotOffered:
        """Record that the server does not search messages; returns the error to raise."""
        self._close("search_messages", ABSENT, error)
        return error

    def mark_conversation_absent(self) -> None:
        """Record that the server does not return a conversation by its id, although it has it."""
        self._close("conversation", ABSENT, NotOffered("This server lists conversations only"))

    def _check(self, name: str) -> None:
        error, until = self._closed.get(name, (None, 0.0))
        if error is not None and self._clock() < until:
            # The traceback of the first occurrence is irrelevant here.
            raise error.with_traceback(None)

    def _has(self, features: tuple[str, ...]) -> None:
        """Record a success: these features are present."""
        if self._lost:
            # After an outage, the server may be another version.
            self._lost = False
            self._closed.clear()
        for name in features:
            self._state.feature(name, PRESENT)
            self._closed.pop(name, None)

    def _record_error(
        self, feature: str, rejected: RejectedRequest, parameters: Mapping[str, str]
    ) -> InboxError:
        """Record what an error response shows; returns the error to raise."""
        trouble, error = rejected.trouble, rejected.error
        if trouble.key_scopes is not None:
            self._state.record_scopes(trouble.key_scopes)
        if isinstance(error, Unauthorised):
            self._closed["key"] = error, self._clock() + REFUSED_KEY_SECONDS
        elif isinstance(error, Forbidden):
            if not _is_of_filter(feature, error):
                self._close(feature, FORBIDDEN, error)
        elif isinstance(error, NotFound):
            return self._missing(feature, trouble, error)
        elif isinstance(error, Refused):
            return self._refused(trouble, error, parameters)
        elif isinstance(error, BadResponse):
            self._state.feature(feature, FAILING, str(error))
        return error

    def _missing(self, feature: str, trouble: ErrorResponse, error: NotFound) -> InboxError:
        """Distinguish a missing endpoint from a missing row."""
        if feature == "messages" and isinstance(error, NotOffered):
            # NotFound would mean that the conversation does not exist.
            return BadResponse("This server lists no messages")
        if feature == "notes" and trouble.unnamed:
            error = NotOffered("This server lists no notes")
        elif feature not in _OF_ONE and feature != "conversations":
            error = NotOffered(str(error))
        if isinstance(error, NotOffered):
            self._close(feature, ABSENT, error)
        elif feature == "conversation" and trouble.unnamed and not self._state.is_present(feature):
            # The path may be missing as well as the row: the list shows which.
            return NotOffered(str(error))
        return error

    def _refused(
        self, trouble: ErrorResponse, error: Refused, parameters: Mapping[str, str]
    ) -> InboxError:
        if "cursor" in parameters and trouble.blames_cursor:
            return CursorRefused(str(error), code=trouble.code)
        if parameters.get("assignee") == "me" and not isinstance(error, CursorRefused):
            return self.mark_me_unsupported(str(error))
        return error

    def _close(self, feature: str, state: str, error: InboxError) -> None:
        self._closed[feature] = error, self._clock() + RECHECK_SECONDS
        scope = error.scope if isinstance(error, Forbidden) else None
        named = scope is None or scope in str(error)
        lacking = "" if named else f" The key lacks the scope {scope}."
        self._state.feature(feature, state, f"{str(error).rstrip('.')}.{lacking}")


def _is_of_filter(feature: str, error: Forbidden) -> bool:
    """True if the scope of another feature is missing: that of a filter, not of all requests."""
    own, scopes = FEATURES[feature][1], {scope for _, scope in FEATURES.values() if scope}
    return error.scope != own and error.scope in scopes

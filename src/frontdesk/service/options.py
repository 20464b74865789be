"""What an operator may set of the service."""

from dataclasses import dataclass

PROBLEM_BASE_URI = "tag:inbox.invalid,2026:problem/"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often one key may ask: `requests` in `seconds` in the long run, `burst` at once.

    No requests: there is no limit.
    """

    requests: int = 600
    seconds: int = 60
    burst: int = 120


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of one service.

    strict_query: refuse parameters that do not exist; otherwise they are ignored.
    problem_base_uri: a problem's `type` is this and its code.
    """

    rate_limit: RateLimit = RateLimit()
    strict_query: bool = True
    problem_base_uri: str = PROBLEM_BASE_URI

"""Operator settings of the service."""

from dataclasses import dataclass

PROBLEM_BASE_URI = "tag:inbox.invalid,2026:problem/"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Token bucket per key: `requests` per `seconds` sustained, `burst` at once.

    requests=0 disables the limit.
    """

    requests: int = 600
    seconds: int = 60
    burst: int = 120


@dataclass(frozen=True, slots=True)
class Options:
    """Service settings.

    strict_query: refuse unknown parameters instead of ignoring them. problem_base_uri: prefix of a
    problem's `type`.
    """

    rate_limit: RateLimit = RateLimit()
    strict_query: bool = True
    problem_base_uri: str = PROBLEM_BASE_URI

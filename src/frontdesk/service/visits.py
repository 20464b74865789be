"""Per-request context: caller, rate limit result, route, problem code."""

import uuid
from dataclasses import dataclass, field

from frontdesk.service.auth import Caller
from frontdesk.service.http import Request
from frontdesk.service.rate_limit import Allowance


@dataclass(slots=True)
class Visit:
    """Request with its time of arrival (epoch milliseconds) and the results of its processing.

    route: path template, None if unknown. problem: code of the error, if any.
    """

    request: Request
    now: int
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    route: str | None = None
    caller: Caller | None = None
    allowance: Allowance | None = None
    problem: str | None = None

"""One request on its way through the service, and what is found out about it."""

import uuid
from dataclasses import dataclass, field

from frontdesk.service.auth import Caller
from frontdesk.service.exchange import Request
from frontdesk.service.limits import Allowance


@dataclass(slots=True)
class Visit:
    """A request, when it came (epoch milliseconds), and what becomes known on the way.

    route: the path without its values, None where there is no such path. problem: its code.
    """

    request: Request
    now: int
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    route: str | None = None
    caller: Caller | None = None
    allowance: Allowance | None = None
    problem: str | None = None

"""The one shape of every error (contract 2.1, RFC 9457)."""

from frontdesk.wire.base import Wire


class ParameterProblem(Wire):
    """What is wrong with one query parameter, and what is allowed."""

    parameter: str
    reason: str
    detail: str
    allowed: tuple[str, ...] | None = None
    min: int | None = None
    max: int | None = None


class Problem(Wire):
    """A problem document. Members that do not apply are absent, never null."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None
    instance: str | None = None
    code: str
    request_id: str | None = None
    errors: tuple[ParameterProblem, ...] | None = None
    retry_after: int | None = None
    required_scope: str | None = None
    key_scopes: tuple[str, ...] | None = None
    resource: str | None = None
    allow: tuple[str, ...] | None = None

"""The one shape of every error: a problem document (RFC 9457)."""

from pydantic import Field

from frontdesk.wire.base import Wire


class ParameterProblem(Wire):
    """What is wrong with one query parameter, and what is allowed."""

    parameter: str = Field(description="The name of the parameter.")
    reason: str = Field(description="What is wrong, as a stable word.")
    detail: str = Field(description="What is wrong and what is allowed, in a sentence.")
    allowed: tuple[str, ...] | None = Field(
        default=None,
        description="The values that are allowed.",
    )
    min: int | None = Field(default=None, description="The least value.")
    max: int | None = Field(default=None, description="The greatest value.")


class Problem(Wire):
    """A problem document. Members that do not apply are absent, never null."""

    type: str = Field(default="about:blank", description="The kind of problem, as a URI.")
    title: str = Field(description="A short name of the problem.")
    status: int = Field(description="The HTTP status.")
    detail: str | None = Field(default=None, description="What is wrong with this request.")
    instance: str | None = Field(default=None, description="The path of the request.")
    code: str = Field(description="The problem as a stable word.")
    request_id: str | None = Field(default=None, description="Names the request in the log.")
    errors: tuple[ParameterProblem, ...] | None = Field(
        default=None,
        description="The parameters that are wrong.",
    )
    retry_after: int | None = Field(
        default=None,
        description="Seconds until it is worth asking again.",
    )
    required_scope: str | None = Field(default=None, description="The scope that the key lacks.")
    key_scopes: tuple[str, ...] | None = Field(default=None, description="The scopes of the key.")
    resource: str | None = Field(
        default=None,
        description="The kind of resource that was not found.",
    )
    allow: tuple[str, ...] | None = Field(default=None, description="The methods that are allowed.")

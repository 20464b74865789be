"""Bodies of requests: received within limits of size and time."""

import asyncio
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

from frontdesk.service.problems import ApiError
from frontdesk.service.rate_limit import Reservation

CLOSE = (("Connection", "close"),)


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """most_bytes: of a body. Up to `most_discarded` of a larger one are read, so that the client
    gets our 413 and not a reset."""

    most_bytes: int
    seconds: float = 20.0

    @property
    def most_discarded(self) -> int:
        return 4 * self.most_bytes


async def json_body(request: Request, limits: BodyLimits, reservation: Reservation) -> bytes:
    """Receive a body that is said to be JSON; its bytes are charged to `reservation`.

    Raises: ApiError.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ApiError("unsupported_media_type", "Send Content-Type: application/json.")
    chunks: list[bytes] = []
    announced = request.headers.get("content-length", "")
    is_too_large = announced.isdecimal() and int(announced) > limits.most_bytes
    size, complete = 0, False
    try:
        async with asyncio.timeout(limits.seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= limits.most_bytes and not is_too_large:
                    reservation.grow(len(chunk))
                    chunks.append(chunk)
                    continue
                reservation.release()
                chunks.clear()
                if size > limits.most_discarded:
                    break
            else:
                complete = True
    except TimeoutError:
        raise ApiError(
            "request_timeout",
            f"A body has to come within {limits.seconds:g} seconds.",
            headers=CLOSE,
        ) from None
    except ClientDisconnect:
        # The sender left, or what it sent cannot be read.
        raise ApiError("malformed_request", "The body did not come whole.") from None
    if size > limits.most_bytes or is_too_large:
        raise ApiError(
            "payload_too_large",
            f"A body may have {limits.most_bytes} bytes.",
            headers=() if complete else CLOSE,
        )
    return b"".join(chunks)

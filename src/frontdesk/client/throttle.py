"""Client-side throttling: concurrency limit, pauses by Retry-After headers, circuit breaker."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import ceil

from frontdesk.errors import CircuitOpen, Paused
from frontdesk.system import request_priority

AT_ONCE = 6
LONGEST_PAUSE_SECONDS = 300.0
# Shorter pauses are waited for; longer ones raise Unreachable.
SHORT_PAUSE_SECONDS = 2.0

# The circuit breaker opens after this many consecutive failures, for this many seconds.
FAILURES = 5
CLOSED_SECONDS = 30.0

_FIRST_BACKOFF_SECONDS = 1.0
_LONGEST_BACKOFF_SECONDS = 60.0


class Throttle:
    """Throttle of one client. `clock` is in seconds.

    Requests inside `request_priority.urgent()` skip pauses and the open circuit breaker. They can
    end both, and start a pause if none is running, but never extend one.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        chance: Callable[[], float],
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._places = asyncio.Semaphore(AT_ONCE)
        self._paused_until = 0.0
        self._refusals = 0
        self._failures = 0
        self._problem = ""
        self._closed_until: float | None = None
        self._trying = False

    @asynccontextmanager
    async def slot(self, *, held: bool = False) -> AsyncIterator[None]:
        """Acquire a slot for one request; report its result before leaving the context.

        held: the server may hold the request, which takes no place of others meanwhile.

        Raises: Paused, CircuitOpen: requests are paused, for `retry_after` seconds.
        """
        urgent = request_priority.is_urgent()
        trial = False
        if not urgent:
            self._check_pause()
            trial = self._check_circuit()
        try:
            async with nullcontext() if held else self._places:
                if not urgent:
                    await self._wait()
                yield
        finally:
            # A cancelled trial proves nothing: the next request becomes the trial.
            self._trying = self._trying and not trial

    def pause(self, seconds: float) -> None:
        """Pause requests, for at most five minutes."""
        until = self._clock() + min(seconds, LONGEST_PAUSE_SECONDS)
        choose = max if self._may_prolong else min
        self._paused_until = choose(self._paused_until, until)

    def back_off(self) -> float:
        """Pause with exponential back-off after a 429 without Retry-After; returns the seconds."""
        if not self._may_prolong:
            return self._paused_until - self._clock()
        self._refusals += 1
        longest: float = min(_FIRST_BACKOFF_SECONDS * 2**self._refusals, _LONGEST_BACKOFF_SECONDS)
        seconds = self._chance() * longest
        self.pause(seconds)
        return seconds

    def succeeded(self) -> None:
        """Record a successful response; resets the back-off."""
        self.answered()
        self._refusals = 0

    def accepted(self) -> None:
        """End the current pause if a request by hand was accepted."""
        if request_priority.is_urgent():
            self._paused_until = 0.0

    def answered(self) -> None:
        """Record a response of any kind; closes the circuit breaker."""
        self._failures = 0
        self._closed_until = None

    def failed(self, problem: str) -> None:
        """Record a failure of all attempts and its message; may open the circuit breaker."""
        self._problem = problem
        if request_priority.is_urgent():
            return
        self._failures += 1
        if self._failures >= FAILURES or self._closed_until is not None:
            self._closed_until = self._clock() + CLOSED_SECONDS

    @property
    def _may_prolong(self) -> bool:
        """True unless the request is by hand and a pause is running."""
        return not request_priority.is_urgent() or self._paused_until <= self._clock()

    def _check_pause(self) -> None:
        left = self._paused_until - self._clock()
        if left > SHORT_PAUSE_SECONDS:
            raise Paused(f"The server asks for a pause of {ceil(left)} seconds", retry_after=left)

    def _check_circuit(self) -> bool:
        """True if this request is the trial of a half-open circuit breaker."""
        if self._closed_until is None:
            return False
        left = self._closed_until - self._clock()
        if left > 0 or self._trying:
            left = max(left, 1.0)
            raise CircuitOpen(
                f"{self._problem.rstrip('.')}; next attempt in {ceil(left)} seconds",
                retry_after=left,
                problem=self._problem,
            )
        self._trying = True
        return True

    async def _wait(self) -> None:
        left = self._paused_until - self._clock()
        if left > 0:
            await self._sleep(left)


# The current header is RateLimit: "default";r=571;t=3; older ones have a header per number.
_LEFT = re.compile(r";\s*r=(\d{1,10})")
_RESET = re.compile(r";\s*t=(\d{1,10})")
_OLDER = ("ratelimit", "x-ratelimit")
# RateLimit-Policy: "default";q=600;w=60.
_QUOTA = re.compile(r";\s*q=(\d{1,10})")
_WINDOW = re.compile(r";\s*w=(\d{1,10})")
# Larger numbers are Unix timestamps, not seconds from now.
_EPOCH = 1_000_000_000


def retry_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from 0 to 300; None if the headers do not say.

    Dates are compared with the server's Date header if present.
    """
    seconds = retry_after(headers.get("retry-after"), date_of(headers) or now)
    return limit_reset(headers, now) if seconds is None else seconds


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds from a Retry-After header, which holds a number or a date."""
    text = (header or "").strip()
    if text.isdecimal() and text.isascii():
        # More digits than any sensible number of seconds.
        return min(float(text[:10]), LONGEST_PAUSE_SECONDS)
    moment = _date(text)
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_PAUSE_SECONDS)


def limit_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until the rate limit resets; None while requests remain."""
    current = headers.get("ratelimit", "")
    left, reset = _LEFT.search(current), _RESET.search(current)
    if left and reset:
        return _seconds(reset[1], now) if int(left[1]) == 0 else None
    for prefix in _OLDER:
        remaining = headers.get(f"{prefix}-remaining", "").strip()
        if remaining.isdecimal() and int(remaining[:10]) == 0:
            return _seconds(headers.get(f"{prefix}-reset", "").strip(), now)
    return None


def spacing(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds between requests that use up the rate limit exactly; None if no header says it."""
    current, policy = headers.get("ratelimit", ""), headers.get("ratelimit-policy", "")
    each = [_share(_RESET.search(current), _LEFT.search(current), now)]
    each.append(_share(_WINDOW.search(policy), _QUOTA.search(policy), now))
    for prefix in _OLDER:
        left = re.fullmatch(r"(\d{1,10})", headers.get(f"{prefix}-remaining", "").strip())
        reset = re.fullmatch(r"(\d{1,16})", headers.get(f"{prefix}-reset", "").strip())
        each.append(_share(reset, left, now))
    return max((value for value in each if value is not None), default=None)


def _share(
    seconds: re.Match[str] | None, requests: re.Match[str] | None, now: datetime
) -> float | None:
    length = _seconds(seconds[1], now) if seconds else None
    return None if length is None or requests is None else length / max(int(requests[1]), 1)


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """Time of the Date header."""
    return _date(headers.get("date", "").strip())


def _seconds(text: str, now: datetime) -> float | None:
    if not (text.isdecimal() and text.isascii()):
        return None
    number = float(text[:16])
    seconds = number - now.timestamp() if number > _EPOCH else number
    return min(max(seconds, 0.0), LONGEST_PAUSE_SECONDS)


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment

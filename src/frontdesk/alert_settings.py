"""Settings of alerts: what is alerted, and when not; `alerts` decides by them."""

from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

MINE, WAITING, WINDOW = "message", "waiting", "window"


class QuietHours(NamedTuple):
    """Times of day without alerts, also over midnight. zone: "" is that of the computer."""

    start: time
    end: time
    zone: str = ""

    def cover(self, moment: datetime) -> bool:
        at = moment.astimezone(ZoneInfo(self.zone) if self.zone else None).time()
        if self.start <= self.end:
            return self.start <= at < self.end
        return at >= self.start or at < self.end


class AlertSettings(NamedTuple):
    """What is alerted, and how.

    mine: a message in a conversation of the user. waiting: an unassigned conversation waits longer.
    window: the reply window of a waiting conversation closes sooner. terminal: notify by it.
    """

    mine: bool = False
    waiting: timedelta | None = None
    window: timedelta | None = None
    quiet: QuietHours | None = None
    terminal: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        chosen = {MINE: self.mine, WAITING: self.waiting, WINDOW: self.window}
        return tuple(kind for kind, on in chosen.items() if on)

    def is_quiet(self, moment: datetime) -> bool:
        return self.quiet is not None and self.quiet.cover(moment)

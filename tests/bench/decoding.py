"""What reading other spellings costs where there are none: `python -m tests.bench decoding`.

A page of 50 in the contract's own spelling, read by the client (cleaned, read, and looked at for
other spellings), against `model_validate_json` alone.
"""

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx

from frontdesk.client.decode import page_of
from frontdesk.client.response import Response
from frontdesk.wire import Contact, Conversation, Message, Page, Wire, timestamp
from tests.bench.ratios import Ratio, in_turn, ratio, shown

MOST = 1.3
ROWS = 50
REPEATS = 5
WORDS = "Kan jeg få den i blått – “før fredag”? Ta med ☕"


def conversation(number: int) -> dict[str, Any]:
    """A row as the service sends it."""
    moment = timestamp(1_773_480_413_000 - number * 60_000)
    return {
        "id": str(1000 + number),
        "status": ("open", "snoozed", "resolved")[number % 3],
        "awaiting_human": number % 2 == 0,
        "snoozed_until": None,
        "channel": {"id": "106540352242922", "name": "Support EU", "phone": "+15550783881"},
        "contact": {"id": str(number), "name": f"Åse {number}", "phone": f"+4755512{number:03d}"},
        "assignee": None if number % 3 == 0 else {"id": "7", "name": "Ana Souza"},
        "labels": ["billing", "vip"] if number % 2 else [],
        "unread_count": number % 5,
        "waiting_since": moment,
        "first_reply_at": None,
        "last_inbound_at": moment,
        "service_window_expires_at": moment,
        "last_activity_at": moment,
        "last_message": {
            "id": str(9000 + number),
            "direction": "inbound",
            "author": "contact",
            "type": "text",
            "text": WORDS,
            "delivery_status": None,
            "created_at": moment,
        },
        "created_at": moment,
        "updated_at": moment,
    }


def message(number: int) -> dict[str, Any]:
    """A row as the service sends it; every third answers another."""
    moment = timestamp(1_773_480_413_000 - number * 60_000)
    outbound = number % 2 == 0
    reply = {"wamid": "wamid.1", "direction": "inbound", "author": "contact", "type": "text"}
    times = dict.fromkeys(("sent_at", "delivered_at", "read_at"), moment)
    return {
        "id": str(number),
        "conversation_id": "1042",
        "direction": "outbound" if outbound else "inbound",
        "author": "user" if outbound else "contact",
        "author_ref": {"id": "7", "name": "Ana Souza"},
        "type": "text",
        "text": WORDS,
        "content": None,
        "media": None,
        "reply_to": None if number % 3 else {"message_id": "1", "text": WORDS, **reply},
        "forwarded": None,
        "referral": None,
        "reactions": [],
        "delivery_status": "read" if outbound else None,
        "delivery": {**times, "played_at": None, "failed_at": None} if outbound else None,
        "error": None,
        "wamid": f"wamid.SAMPLE{number:08X}",
        "source": "webhook",
        "edited_at": None,
        "deleted_at": None,
        "created_at": moment,
    }


def contact(number: int) -> dict[str, Any]:
    """A row as the service sends it."""
    moment = timestamp(1_773_480_413_000 - number * 60_000)
    return {
        "id": str(number),
        "phone": f"+4755512{number:03d}",
        "name": f"Åse {number}",
        "profile_name": None,
        "email": None,
        "wa_id": f"4755512{number:03d}",
        "wa_user_id": None,
        "username": None,
        "blocked": False,
        "custom_fields": {"plan": "gold", "seats": 12},
        "last_activity_at": moment,
        "created_at": moment,
        "updated_at": moment,
    }


PAGES: dict[str, tuple[type[Wire], Callable[[int], dict[str, Any]]]] = {
    "conversations": (Conversation, conversation),
    "messages": (Message, message),
    "contacts": (Contact, contact),
}


def measured(
    name: str, row: type[Wire], make: Callable[[int], dict[str, Any]], rounds: int
) -> Ratio:
    """What the client needs for a page, over what reading it alone needs."""
    rows = [make(number) for number in range(ROWS)]
    page = {"data": rows, "next_cursor": "v1.next", "has_more": True}
    body = json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode()
    answer = Response(200, httpx.Headers(), body)
    model: type[Page[Any]] = Page[row]  # type: ignore[valid-type]
    remarks: list[str] = []
    assert page_of(answer, row, remarks.append) == model.model_validate_json(body)
    assert not remarks, remarks
    taken = in_turn(
        rounds,
        {
            "tolerant": lambda number: repeated(lambda: page_of(answer, row, remarks.append)),
            "alone": lambda number: repeated(lambda: model.model_validate_json(body)),
        },
    )
    each = {work: [seconds / REPEATS for seconds in times] for work, times in taken.items()}
    return ratio(name, "<=", MOST, each["tolerant"], each["alone"])


def repeated(work: Callable[[], object]) -> None:
    """Do it often enough to be timed."""
    for _ in range(REPEATS):
        work()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--rounds", type=int, default=400)


def run(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    ratios = [measured(name, *kind, options.rounds) for name, kind in PAGES.items()]
    sys.stdout.write(shown(ratios) + "\n")


def main() -> None:
    """Run this benchmark alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    run(parser.parse_args())


if __name__ == "__main__":
    main()

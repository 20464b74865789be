"""Makes a cache file that holds as many conversations as are wanted, as if they had been read.

The newest of them has a thread of any length, of which the server has still older messages.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from frontdesk.cache import Cache
from frontdesk.cache.kept_files import KeptFiles
from frontdesk.mailbox import Mailbox
from frontdesk.sample.pictures import MOTIFS, picture
from frontdesk.wire import Conversation, ConversationFilter, Counts, Label, Message, Page
from frontdesk.wire.values import timestamp
from tests.mailbox.inbox import OPEN, Inbox

PAGE = 1_000
# Threads that are held too: the cursor rests on these.
THREADS, MESSAGES = 60, 30
# No cache is too big here.
LIMIT_BYTES = 100_000_000_000
NEWEST = 1_794_000_000_000
NEWEST_ID = "0"
LABELS = ("shipping", "refund", "vip", "booking")
TEXTS = (
    "Hi, my order was due on Monday and nothing has come yet 😕",
    "¿Me puedes mandar la factura, por favor?",
    "Obrigada! Chegou tudo certinho ❤️",
    "Could I swap the M for an L?",
    "شكرا جزيلا 🌹",
)


def name(number: int) -> str:
    """Customer of the conversation at a position."""
    return f"Customer {number:07d}"


def last_words(number: int) -> str:
    """The end of a message's text; the newest of a thread has the number 0."""
    return f"({number})"


class Archive(Inbox):
    """A server in memory with `size` open conversations, each made when it is asked for.

    The thread of the newest one has no beginning, and `arrived` messages above the number 0.
    message_limit: how many of them make a page. photos: every third of them has one.
    """

    def __init__(self, size: int, message_limit: int = PAGE, *, photos: bool = False) -> None:
        super().__init__()
        self.size, self.message_limit, self.photos = size, message_limit, photos
        self.arrived = 0
        self.labels = tuple(Label(id=title, title=title) for title in LABELS)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        start = int(cursor or 0)
        end = min(start + PAGE, self.size) if filter.status == "open" else start
        more = str(end) if start < end < self.size else None
        data = tuple(map(_conversation, range(start, end)))
        return Page(data=data, next_cursor=more, has_more=more is not None)

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Counts:
        return Counts(all=self.size, open=self.size, assigned=self.size)

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        if conversation_id != NEWEST_ID:
            messages = (_message(conversation_id, number) for number in range(MESSAGES))
            return Page(data=tuple(messages))
        first = -self.arrived if cursor is None else int(cursor)
        after = first + self.message_limit
        data = tuple(
            _message(conversation_id, number, photo=self.photos and number % 3 == 0)
            for number in range(first, after)
        )
        return Page(data=data, next_cursor=str(after), has_more=True)


async def make(
    path: Path, size: int, origin: str, messages: int = MESSAGES, *, photos: bool = False
) -> None:
    """Read `size` conversations of `origin` into a new cache at `path`, newest first.

    messages: of the newest conversation; it has more of them where it came from. photos: every
    third of those has one, see `keep_photos`.
    """
    cache = Cache(path, origin, limit_bytes=LIMIT_BYTES)
    archive: Any = Archive(size, min(PAGE, messages), photos=photos)
    mailbox = Mailbox(lambda: archive, cache)
    try:
        await mailbox.connect()
        await mailbox.refresh_catalogues()
        await mailbox.refresh_counts(ConversationFilter())
        await mailbox.refresh_counts(OPEN)
        await mailbox.refresh_conversations(OPEN)
        while not mailbox.conversations(OPEN).complete:
            await mailbox.older_conversations(OPEN)
        for number in range(min(THREADS, size)):
            await mailbox.refresh_thread(str(number))
        while len(mailbox.thread(NEWEST_ID)) < messages:
            await mailbox.older_messages(NEWEST_ID)
    finally:
        await mailbox.close()
        cache.close()


def keep_photos(directory: Path) -> None:
    """Write the photos of messages to where files are kept."""
    kept = KeptFiles(directory, most_bytes=LIMIT_BYTES)
    for motif in range(len(MOTIFS)):
        with kept.writing(_photo(motif), preview=True) as file:
            file.write(picture(motif))


def _photo(number: int) -> str:
    """Key of the photo of a message."""
    return f"photo-{number % len(MOTIFS)}"


def _conversation(number: int) -> Conversation:
    active, text = timestamp(NEWEST - number * 61_000), TEXTS[number % len(TEXTS)]
    members = {
        "id": str(number),
        "status": "open",
        "awaiting_human": number % 11 == 0,
        **dict.fromkeys(("snoozed_until", "first_reply_at", "service_window_expires_at")),
        "channel": {"id": "108200000000011", "name": "London", "phone": "+442079460018"},
        "contact": {"id": f"c{number}", "name": name(number), "phone": None},
        "assignee": {"id": "1", "name": "Grace Okafor"} if number % 3 else None,
        "labels": LABELS[: number % 3],
        "unread_count": number % 4,
        "waiting_since": active if number % 4 else None,
        "last_inbound_at": active,
        "last_activity_at": active,
        "last_message": {"id": f"m{number}", "text": text, "created_at": active},
        "created_at": timestamp(NEWEST - 40_000_000_000),
        "updated_at": active,
    }
    return Conversation.model_validate(members)


def _message(conversation_id: str, number: int, *, photo: bool = False) -> Message:
    outbound, at = number % 2 == 0, NEWEST - int(conversation_id) * 61_000 - number * 90_000
    members = {
        "id": f"{conversation_id}.{number}",
        "conversation_id": conversation_id,
        "direction": "outbound" if outbound else "inbound",
        "author": "user" if outbound else "contact",
        "text": f"{TEXTS[number % len(TEXTS)]} {last_words(number)}",
        "delivery_status": "read" if outbound else None,
        "created_at": timestamp(at),
    }
    if photo:
        url, size = f"/v1/media/{_photo(number)}", {"width": 480, "height": 360}
        media = {"url": url, "mime_type": "image/png", "status": "available", **size}
        return Message.model_validate({**members, "type": "image", "media": media})
    return Message.model_validate(members)

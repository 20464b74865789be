"""A source whose messages have files, and a viewer that keeps them."""

import struct
import zlib
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any, BinaryIO, cast

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import FileUnavailable
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.sample.contents import detail_of
from frontdesk.sample.demo_files import HEARD, HEARD_BY
from frontdesk.settings import DEFAULTS_OF_VIEWER, ViewerSettings
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Media, MediaText, Message, Page
from tests.conftest import NOW


def png(width: int, height: int, colour: bytes = b"\xd0\x20\x20") -> bytes:
    """A picture of one colour."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        checked = kind + body
        return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + colour * width for _ in range(height))
    body = zlib.compress(rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


class WithFiles:
    """The real client; the last messages of every thread have files.

    files: contents by key; FileUnavailable for others.
    """

    def __init__(self, client: InboxClient, medias: list[Media], types: list[str]) -> None:
        self._client, self._medias, self._types = client, medias, types
        self.files: dict[str, bytes] = {}
        self.status = "pending"
        self.asked: list[tuple[str, int | None]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def message_page(self, *arguments: Any, **options: Any) -> Page[Message]:
        page = await self._client.message_page(*arguments, **options)
        data = list(page.data)
        for at, (media, type) in enumerate(zip(self._medias, self._types, strict=True)):
            if at < len(data) and not options.get("cursor"):
                data[at] = data[at].model_copy(update={"media": media, "type": type, "text": None})
        return page.model_copy(update={"data": tuple(data)})

    async def save_media(
        self,
        key: str,
        file: BinaryIO,
        *,
        most_bytes: int,
        width: int | None = None,
        progress: Callable[[int], object] = lambda size: None,
    ) -> None:
        self.asked.append((key, width))
        if key not in self.files:
            raise FileUnavailable("It is not there", status=self.status)
        file.write(self.files[key])
        progress(len(self.files[key]))


class WithPhotos(WithFiles):
    """The real client; every photo of a customer is one picture."""

    def __init__(self, client: InboxClient, picture: bytes) -> None:
        super().__init__(client, [], [])
        self.files["photo"] = picture

    async def message_page(self, *arguments: Any, **options: Any) -> Page[Message]:
        page = await super().message_page(*arguments, **options)
        photo = media("photo", mime_type="image/png", width=480, height=360)
        data = (
            message.model_copy(
                update={"media": photo.model_copy(update={"size_bytes": message.media.size_bytes})}
            )
            if message.type == "image" and message.media is not None
            else message
            for message in page.data
        )
        return page.model_copy(update={"data": tuple(data)})


class WithVoices(WithFiles):
    """The real client; voice messages have the words of the demo."""

    def __init__(self, client: InboxClient) -> None:
        super().__init__(client, [], [])

    async def message_page(self, *arguments: Any, **options: Any) -> Page[Message]:
        page = await super().message_page(*arguments, **options)
        return page.model_copy(update={"data": tuple(map(_heard, page.data))})


def _heard(message: Message) -> Message:
    heard = HEARD.get(detail_of(message.media.id) or 0) if message.media else None
    if message.media is None or heard is None:
        return message
    language, words = heard
    text = MediaText(text=words, by=HEARD_BY, language=language, at=message.created_at)
    facts = {"url": "/v1/media/voice", "size_bytes": 9_000, "text": text}
    return message.model_copy(update={"media": message.media.model_copy(update=facts)})


def media(key: str, **facts: Any) -> Media:
    return Media(url=f"/v1/media/{key}", **facts)


def viewer_of(
    source: WithFiles,
    cache: Cache,
    kept: Path,
    commands: tuple[OwnCommand, ...] = (),
    settings: ViewerSettings = DEFAULTS_OF_VIEWER,
) -> FrontdeskApp:
    """kept: where files are kept."""
    mailbox = Mailbox(lambda: cast(InboxClient, source), cache, clock=lambda: NOW)
    clock = Clock(UTC, lambda: NOW)
    preferences = Preferences(settings, media_directory=kept, commands=commands)
    return FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)

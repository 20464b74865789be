"""Files of the demo's messages: pictures, silent voice messages and short PDFs.

What is said in voice messages is given as a program might have heard it.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from functools import cache

from frontdesk.ingest.media import facts
from frontdesk.ingest.media.requests import import_request
from frontdesk.pictures import PictureDecoder
from frontdesk.sample import pictures
from frontdesk.sample.contents import detail_of
from frontdesk.store import media
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import StoredFile
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.media_texts import FileText, set_text
from frontdesk.store.rows import MessageRow
from frontdesk.store.writes import bump_revision

_ACCOUNT = 1
_MOST_BYTES = 1_000_000
_ROWS_AT_ONCE = 500

# Words of a voice message by its length in seconds, as its length is all that the script has.
HEARD: Mapping[int, tuple[str, str]] = {
    9: ("es", "Ah, perfecto. ¿Y hay ascensor? Es que voy con el carrito de la niña."),
    12: ("pt", "E tem estacionamento perto? Eu vou de carro, com a minha mãe."),
    23: (
        "en",
        "I'd rather have a new one, please, I don't want to wait for the repair. Could somebody "
        "collect the old one? I'm at home in the afternoons, just ring twice.",
    ),
    # With what machines do: names, numbers and words that sound alike.
    41: (
        "en",
        "Morning, it's me again. We'd like the same as lost time, the throes not the cushions, in "
        "the colour I sent you the other day, not the grey won.\n"
        "They go to the new shop, not to the ware house, and the driver should come round the back "
        "because the front is all scaffolding till the end of the mouth.\n"
        "And if you are out of them just send what there is, I'll take the rest neck swick. Thanks "
        "for watching.",
    ),
}
HEARD_BY = "speech@demo"

# A packet of Opus that is 20 ms of silence.
_SILENCE = b"\xfc\xff\xfe"
_PACKETS_A_SECOND = 50
_FRAME = 960
_SERIAL = 20


def add_demo_files(
    database: Database, files: MediaFiles, decoder: PictureDecoder, now: int
) -> None:
    """Store the files of all messages of the demo; those of videos and music have expired.

    now: epoch milliseconds. Without Pillow, pictures have no size and no preview.
    """
    rows = database.read_latest(
        lambda c: media.messages_without_file(c, _ACCOUNT, -1, None, requested=True)
    )
    contents = {row["id"]: _content(row) for row in rows}
    stored = {
        content: _store(files, decoder, content)
        for content in dict.fromkeys(contents.values())
        if content is not None
    }
    wanted = [(row, stored[content]) for row in rows if (content := contents[row["id"]])]
    for start in range(0, len(wanted), _ROWS_AT_ONCE):
        some = wanted[start : start + _ROWS_AT_ONCE]
        database.write(lambda connection, some=some: _add(connection, some, now))  # type: ignore[misc]
    database.write(lambda connection: media.expire(connection, _ACCOUNT, now + 1))


def _add(connection: Connection, rows: Sequence[tuple[MessageRow, StoredFile]], now: int) -> None:
    for row, file in rows:
        request = import_request(row, str(_members(row).get("filename") or "") or None)
        media.add_stored(connection, _ACCOUNT, request, file, now, lambda: True)
        if row["type"] == "audio" and (said := HEARD.get(detail_of(_members(row).get("id")) or 0)):
            language, words = said
            set_text(connection, _ACCOUNT, row["id"], FileText(words, HEARD_BY, language), now)
    bump_revision(connection, _ACCOUNT, {row["conversation_id"] for row, _ in rows})


def _store(files: MediaFiles, decoder: PictureDecoder, content: bytes) -> StoredFile:
    with files.receive(_ACCOUNT, _MOST_BYTES) as incoming:
        incoming.write(content)
        return facts.keep(files, _ACCOUNT, incoming, decoder)


def _content(row: MessageRow) -> bytes | None:
    """The file of a message; None for a video, or an id that is not of the demo, as music has."""
    members = _members(row)
    detail = detail_of(members.get("id"))
    if detail is None:
        return None
    kind = row["type"]
    if kind in ("image", "sticker"):
        return pictures.picture(detail) if detail < len(pictures.MOTIFS) else None
    if kind == "audio":
        return voice_message(detail)
    if kind == "document":
        return pdf(str(members.get("filename") or "").partition("-")[0])
    return None


def _members(row: MessageRow) -> Mapping[str, object]:
    members: dict[str, object] = json.loads(row["media_json"] or "{}")
    return members


@cache
def voice_message(seconds: int) -> bytes:
    """An Ogg Opus file of so many seconds of silence."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 312, 48_000, 0, 0)
    tags = b"OpusTags" + struct.pack("<I", 4) + b"demo" + struct.pack("<I", 0)
    pages = [_page(0, 0, [head], flags=2), _page(0, 1, [tags])]
    for second in range(1, seconds + 1):
        position = 312 + second * _PACKETS_A_SECOND * _FRAME
        last = 4 if second == seconds else 0
        pages.append(_page(position, second + 1, [_SILENCE] * _PACKETS_A_SECOND, flags=last))
    return b"".join(pages)


def _page(position: int, number: int, packets: Sequence[bytes], *, flags: int = 0) -> bytes:
    """A page of Ogg, with its checksum."""
    lengths = bytes(len(packet) for packet in packets)
    header = struct.pack(
        "<4sBBqIIIB", b"OggS", 0, flags, position, _SERIAL, number, 0, len(lengths)
    )
    page = header + lengths + b"".join(packets)
    return page[:22] + struct.pack("<I", _ogg_checksum(page)) + page[26:]


@cache
def _checksums() -> tuple[int, ...]:
    """CRC-32 of each byte, from the highest bit."""
    table = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7 if value >> 31 else value << 1) & 0xFFFFFFFF
        table.append(value)
    return tuple(table)


def _ogg_checksum(page: bytes) -> int:
    table, value = _checksums(), 0
    for byte in page:
        value = (value << 8 & 0xFFFFFFFF) ^ table[value >> 24 ^ byte]
    return value


@cache
def pdf(title: str) -> bytes:
    """A page with a title."""
    words = "".join(letter for letter in title if letter.isascii() and letter not in "()\\")
    stream = f"BT /F 24 Tf 72 720 Td (Veldrano) Tj 0 -40 Td ({words}) Tj ET".encode()
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n" % count
        + table
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(content))
    )

"""Stores a file that has been received, with what its bytes say of it."""

from dataclasses import dataclass
from pathlib import Path

from frontdesk.errors import UnusableFile
from frontdesk.file_types import PICTURES, duration_seconds, media_type
from frontdesk.pictures import PictureDecoder
from frontdesk.store.incoming_files import IncomingFile
from frontdesk.store.media import StoredFile
from frontdesk.store.media_files import MediaFiles

PREVIEW_SIDE = 480


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts of a file; those of another kind are None. preview: a small picture in WebP."""

    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    preview: bytes | None = None


def describe(path: Path, mime: str, decoder: PictureDecoder) -> FileFacts:
    """Size and preview of a picture, length of a sound or video; nothing of a damaged file.

    Blocks for up to the deadline of the decoder.
    """
    if mime in PICTURES:
        try:
            small = decoder.encode(path, PREVIEW_SIDE, PREVIEW_SIDE, "WEBP")
        except UnusableFile:
            return FileFacts()
        return FileFacts(small.picture.width, small.picture.height, preview=small.content)
    seconds = duration_seconds(path, mime)
    return FileFacts(duration_ms=None if seconds is None else round(seconds * 1000))


def keep(
    files: MediaFiles, account_id: int, incoming: IncomingFile, decoder: PictureDecoder
) -> StoredFile:
    """Store a file that was received whole, and its preview. Raises: NoRoom, Unreachable."""
    mime = media_type(incoming.head)
    facts = describe(incoming.path, mime, decoder)
    digest = incoming.keep()
    if facts.preview is not None:
        files.save_preview(account_id, digest, facts.preview)
    return StoredFile(
        digest,
        incoming.size,
        mime,
        facts.width,
        facts.height,
        facts.duration_ms,
        facts.preview is not None,
    )

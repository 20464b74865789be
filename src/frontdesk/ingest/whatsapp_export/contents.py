"""Recognises contents of exported messages: text, files, locations, deletions (pure)."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from frontdesk.ingest.webhooks.contents import NO_MEDIA, TEXT_LIMIT
from frontdesk.ingest.whatsapp_export.phrases import PHRASES
from frontdesk.text.calls import (
    ANSWERED,
    CALL,
    DECLINED,
    MISSED,
    UNANSWERED,
    call_content,
    call_text,
)
from frontdesk.text.clean import plain
from frontdesk.wire.values import MEDIA_TYPES

# Message type by the placeholder of a file; "" if only the presence of a file is known.
_OMITTED: Mapping[str, str] = {
    **dict.fromkeys(PHRASES["file"], ""),
    **{phrase: kind for kind in MEDIA_TYPES for phrase in PHRASES[kind]},
}


def _folded(phrase: str) -> str:
    """Normalise a phrase for look-up: without a final full stop, casefolded."""
    return phrase.strip().rstrip(".。").strip().casefold()


_CALLS = (*PHRASES["video call"], *PHRASES["voice call"])
_LONGEST_CALL = 80
# Seconds of the units of lengths, by their beginnings; "std" and "sa" are hours.
_UNITS: Mapping[str, int] = {
    **dict.fromkeys(("std", "sa", "h", "ч", "год", "jam", "घं", "時", "giờ", "ชั่ว", "س"), 3600),
    **dict.fromkeys(("m", "м", "хв", "dk", "dak", "menit", "मि", "分", "phút", "นาที", "د"), 60),
    **dict.fromkeys(("s", "с", "sn", "det", "से", "秒", "giây", "วิ", "ث"), 1),
}
_LENGTH = re.compile(
    rf"(\d{{1,4}})\s?({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})"
)
# Begins what iOS writes itself in a message: placeholders, notices; in some languages the other.
_MARK = "\u200e"
_MARKS = (_MARK, "\u200f")
_EXTENSIONS: Mapping[str, tuple[str, str]] = {
    "jpg": ("image", "image/jpeg"),
    "jpeg": ("image", "image/jpeg"),
    "png": ("image", "image/png"),
    "heic": ("image", "image/heic"),
    "gif": ("image", "image/gif"),
    "webp": ("sticker", "image/webp"),
    "mp4": ("video", "video/mp4"),
    "3gp": ("video", "video/3gpp"),
    "mov": ("video", "video/quicktime"),
    "webm": ("video", "video/webm"),
    "opus": ("audio", "audio/ogg"),
    "ogg": ("audio", "audio/ogg"),
    "m4a": ("audio", "audio/mp4"),
    "mp3": ("audio", "audio/mpeg"),
    "aac": ("audio", "audio/aac"),
    "amr": ("audio", "audio/amr"),
    "pdf": ("document", "application/pdf"),
    "vcf": ("document", "text/vcard"),
    "zip": ("document", "application/zip"),
    "txt": ("document", "text/plain"),
    "csv": ("document", "text/csv"),
    **dict.fromkeys(("doc", "docx", "odt", "rtf"), ("document", "application/msword")),
    **dict.fromkeys(("xls", "xlsx", "ods"), ("document", "application/vnd.ms-excel")),
    **dict.fromkeys(("ppt", "pptx", "odp"), ("document", "application/vnd.ms-powerpoint")),
}
_PREFIXES: Mapping[str, str] = {
    **dict.fromkeys(("IMG", "PHOTO"), "image"),
    **dict.fromkeys(("VID", "VIDEO", "GIF"), "video"),
    **dict.fromkeys(("PTT", "AUD", "AUDIO"), "audio"),
    **dict.fromkeys(("STK", "STICKER"), "sticker"),
    "DOC": "document",
}
_PREFIX = re.compile(rf"(?:^|-)({'|'.join(_PREFIXES)})-")
_FILE = r"[^\s<>:/\\|\"?*][^<>:/\\|\"?*\n]{0,200}\.(?P<extension>[A-Za-z0-9]{2,5})"
# iOS: "<attached: 00000012-PHOTO-….jpg>" on a line of its own, in the phone's language.
_ATTACHED = re.compile(rf"^<[^<>:\n]{{1,40}}: (?P<file>{_FILE})>$", re.MULTILINE)
# Android: "IMG-….jpg (file attached)" on the first line, the caption on the others.
_FOLLOWED = re.compile(rf"^(?P<file>{_FILE}) \([^()\n]{{2,60}}\)$", re.MULTILINE)
_PAGES = re.compile(r"^(?P<file>[^•\n]{1,200}) • [^•\n]{1,60}$")
_BRACKETED = re.compile(r"^<(?P<phrase>[^<>\n]{3,60})>$")
_EDITED = re.compile(r"\s?<(?P<phrase>[^<>\n]{3,60})>$")
_PLACE = re.compile(
    r"(?:[^\n:]{1,40}: )?(?P<url>https?://(?:maps\.google\.[a-z.]+|(?:www\.)?google\.[a-z.]+/maps"
    r"|maps\.apple\.com)/?\S*?[?&](?:q|ll|query)="
    r"(?P<latitude>-?\d{1,2}(?:\.\d+)?),(?:%20)?(?P<longitude>-?\d{1,3}(?:\.\d+)?)\S*)"
)


class EntryContents(NamedTuple):
    """Contents of a message in wire format."""

    type: str
    text: str | None = None
    content: Mapping[str, Any] | None = None
    media: Mapping[str, Any] | None = None
    edited: bool = False
    deleted: bool = False


def entry_contents(original: str, sizes: Mapping[str, int]) -> EntryContents:
    """Parse an entry's contents. sizes: file sizes in bytes by name."""
    text = plain(original).strip()
    if _folded(text) in PHRASES["deleted"]:
        return EntryContents("text", deleted=True)
    ending = _EDITED.search(text)
    if ending is not None and _folded(ending["phrase"]) in PHRASES["edited"]:
        stripped = original.strip()
        inner = entry_contents(stripped[: stripped.rindex("<")], sizes)
        return inner._replace(edited=True)
    return (
        _file(text, sizes)
        or _omitted(text)
        or _omitted_with_caption(original)
        or _place(text)
        or _words(original)
    )


def is_notice(original: str, *, ios: bool) -> bool:
    """Check for a notice of WhatsApp itself, which some exports attribute to a sender.

    ios: the export marks all that WhatsApp itself wrote; besides notices these are calls, files,
    places, polls and deleted messages.
    """
    if not original.startswith(_MARKS) or call_contents(original, named=True) is not None:
        return False
    text = plain(original).casefold()
    if any(notice in text for notice in (*PHRASES["notice"], *_CALLS)):
        return True
    if not (ios and original.startswith(_MARK)) or text.strip().startswith(tuple(PHRASES["poll"])):
        return False
    contents = entry_contents(original, {})
    return contents.type == "text" and not (contents.edited or contents.deleted)


def call_contents(original: str, *, named: bool, outbound: bool = False) -> EntryContents | None:
    """Recognise a call, which WhatsApp itself writes; None if it is none.

    named: the line has a sender, so that WhatsApp's own words are marked. outbound: that is the
    business.
    """
    if named and not original.startswith(_MARKS):
        return None
    text = plain(original).casefold().strip()
    call = next((phrase for phrase in _CALLS if phrase in text), None)
    if call is None or "\n" in text or len(text) > _LONGEST_CALL:
        return None
    status = next(
        (kind for kind in (MISSED, DECLINED) if any(word in text for word in PHRASES[kind])), None
    )
    seconds = None if status else _call_seconds(text)
    if status is None and seconds is None:
        return None
    if status == MISSED and outbound:
        status = UNANSWERED
    content = call_content(status or ANSWERED, seconds, video=call in PHRASES["video call"])
    return EntryContents(CALL, call_text(content), content)


def _call_seconds(text: str) -> int | None:
    """Return the length of a call, None if the text has none."""
    parts = [(int(part[1]), part[2]) for part in _LENGTH.finditer(text)]
    return sum(number * _UNITS[unit] for number, unit in parts) if parts else None


def _file(text: str, sizes: Mapping[str, int]) -> EntryContents | None:
    match = _ATTACHED.search(text) or _FOLLOWED.match(text)
    if match is None or match["extension"].lower() not in _EXTENSIONS:
        return None
    caption = (text[: match.start()].strip() + "\n" + text[match.end() :].strip()).strip()
    return _media(match["file"], match["extension"].lower(), caption, sizes)


def _media(name: str, extension: str, caption: str, sizes: Mapping[str, int]) -> EntryContents:
    kind, mime_type = _EXTENSIONS[extension]
    prefix = _PREFIX.search(name)
    if prefix is not None:
        kind = _PREFIXES[prefix[1]]
    voice = kind == "audio" and (extension == "opus" or name.startswith("PTT"))
    media = {
        **NO_MEDIA,
        "filename": name,
        "mime_type": mime_type,
        "size_bytes": sizes.get(name),
        "voice": voice if kind == "audio" else None,
    }
    return EntryContents(kind, caption[:TEXT_LIMIT] or None, media=media)


def _omitted(text: str) -> EntryContents | None:
    """Recognise the placeholder of a file that was left out of the export."""
    bracketed = _BRACKETED.match(text)
    kind = _OMITTED.get(_folded(bracketed["phrase"] if bracketed else text))
    named = _PAGES.match(text)
    if kind is None and named is not None:
        ending = next((phrase for phrase in _OMITTED if _folded(text).endswith(phrase)), None)
        if ending is not None and _OMITTED[ending] == "document":
            return EntryContents("document", media={**NO_MEDIA, "filename": named["file"].strip()})
    if kind is None:
        return None
    if not kind:
        reason: dict[str, Any] = {
            "reason": "media_placeholder",
            "original_type": None,
            "errors": [],
        }
        return EntryContents("unsupported", content=reason)
    return EntryContents(kind, media=NO_MEDIA)


def _omitted_with_caption(original: str) -> EntryContents | None:
    """Recognise the placeholder of a left-out file on its own line, or marked after the caption."""
    text = original.strip()
    first, _, below = text.partition("\n")
    above, mark, last = text.rpartition(_MARK)
    candidates = [(first, below)] if first.startswith(("<", _MARK)) else []
    candidates += [(last, above)] if mark else []
    for placeholder, caption in candidates:
        contents = _omitted(plain(placeholder).strip())
        if contents is not None and caption.strip():
            return contents._replace(text=_words(caption).text)
    return None


def _place(text: str) -> EntryContents | None:
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    latitude, longitude = float(match["latitude"]), float(match["longitude"])
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    place = {"latitude": latitude, "longitude": longitude, "name": None, "address": None}
    return EntryContents("location", content={**place, "url": match["url"]})


def _words(original: str) -> EntryContents:
    """Return the text without the direction marks that the export adds."""
    text = original.strip().strip("\u200e\u200f").strip()
    return EntryContents("text", text.replace("\x00", "\ufffd")[:TEXT_LIMIT])

"""Recognises contents of exported messages: text, files, locations, deletions (pure)."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from frontdesk.ingest.json_reader import JsonObject
from frontdesk.ingest.webhooks.contents import NO_MEDIA, contact_card
from frontdesk.ingest.whatsapp_export.files import name_key
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
from frontdesk.text.limits import cut_text
from frontdesk.wire.values import MEDIA_TYPES

# What stands for a message that the export lacks: a file of any or of one type, a contact, a live
# location, a message that the phone itself waits for.
_LEFT_OUT = ("file", *MEDIA_TYPES, "contacts", "location", "waiting")
_OMITTED: Mapping[str, str] = {phrase: kind for kind in _LEFT_OUT for phrase in PHRASES[kind]}


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
MARKS = (_MARK, "\u200f")
_NO_MARKS = dict.fromkeys((0x200E, 0x200F))
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
# Spaces that may follow a file's name, and the most characters of one.
_REST = r"[^\S\n]{0,3}$"
_NAME = r"[^\n]{1,255}"
# iOS: "<attached: 00000012-PHOTO-….jpg>" at the end of a line, in the phone's language.
_ATTACHED = re.compile(
    rf"(?P<marked>[\u200e\u200f])?<[^<>:：\n]{{1,40}}[:：][^\S\n]?(?P<file>{_NAME})>{_REST}",
    re.MULTILINE,
)
# Android: "IMG-….jpg (file attached)" on the first line, the caption on the others.
_FOLLOWED = re.compile(
    rf"(?P<marked>[\u200e\u200f])?(?P<file>{_NAME}?)[^\S\n]?[(（](?P<phrase>[^()（）\n]{{2,60}})[)）]{_REST}",
    re.MULTILINE,
)
_EXTENSION = re.compile(r"\.([^\W_]{1,10})$")
# Names that phones give to files: by their number on iOS, by their day on Android.
_NUMBERED = re.compile(r"^\d{8}-")
_DATED = re.compile(r"-WA\d{4}\b")
_PLAIN_NAME = re.compile(r"^[^\s<>:/\\|\"?*][^<>:/\\|\"?*]*$")
_PAGES = re.compile(r"^(?P<file>[^•\n]{1,200}) • [^•\n]{1,60}$")
_BRACKETED = re.compile(r"^<(?P<phrase>[^<>\n]{3,60})>$")
# The mark of an edited message; after its words no other has brackets and a direction mark.
_EDITED = re.compile(
    r"(?<=[^\s\u200e\u200f])\s?(?P<marked>[\u200e\u200f])?<(?P<phrase>[^<>:：\n]{3,60})>$"
)
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
    recognised: bool = True


def entry_contents(
    original: str, sizes: Mapping[str, int], *, marked: bool = False
) -> EntryContents:
    """Parse an entry's contents.

    sizes: file sizes in bytes by `name_key`. marked: WhatsApp itself wrote the line, so that words
    which nothing here knows stand for something that the export lacks.
    """
    text = plain(original).strip()
    if _folded(text) in PHRASES["deleted"]:
        return EntryContents("text", deleted=True)
    stripped = original.strip()
    ending = _EDITED.search(stripped)
    if ending is not None and (
        ending["marked"] or _folded(plain(ending["phrase"])) in PHRASES["edited"]
    ):
        inner = entry_contents(stripped[: stripped.rindex("<")], sizes, marked=marked)
        return inner._replace(edited=True)
    return (
        _file(original.strip(), sizes)
        or _omitted(text)
        or _omitted_with_caption(original)
        or _place(text)
        or (_unrecognised(original) if marked and not _is_poll(text) else _words(original))
    )


def is_notice(original: str) -> bool:
    """Check for a notice of WhatsApp itself about the whole chat, which some exports attribute to a
    sender."""
    if not original.startswith(MARKS):
        return False
    text = plain(original).casefold()
    return any(notice in text for notice in PHRASES["notice"])


def _is_poll(text: str) -> bool:
    return text.casefold().startswith(tuple(PHRASES["poll"]))


def _unrecognised(original: str) -> EntryContents:
    reason: dict[str, Any] = {"reason": "unknown_type", "original_type": None, "errors": []}
    return EntryContents("unsupported", _words(original).text, reason, recognised=False)


def call_contents(original: str, *, named: bool, outbound: bool = False) -> EntryContents | None:
    """Recognise a call, which WhatsApp itself writes; None if it is none.

    named: the line has a sender, so that WhatsApp's own words are marked. outbound: that is the
    business.
    """
    if named and not original.startswith(MARKS):
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
    """Recognise a file that the export names, whatever its kind.

    The mark says that it is one. Where it is missing the name has to: it is in the zip, or looks
    like a file's.
    """
    for match in _ATTACHED.finditer(text):
        name = _file_name(match)
        is_alone = not text[: match.start()].rpartition("\n")[2].strip()
        is_named = _NUMBERED.match(name) is not None or _is_plausible(name, sizes)
        if match["marked"] or (is_alone and is_named):
            return _media(name, text[: match.start()], text[match.end() :], sizes)
    followed = _FOLLOWED.match(text)
    name = _file_name(followed) if followed else ""
    if followed and (_is_followed_file(followed, name) or _is_plausible(name, sizes)):
        return _media(name, "", text[followed.end() :], sizes)
    return None


def _file_name(match: re.Match[str]) -> str:
    return match["file"].strip().translate(_NO_MARKS)


def _is_plausible(name: str, sizes: Mapping[str, int]) -> bool:
    """Check if a name that nothing marks is that of a file: of one in the zip, or of a known
    kind."""
    ending = _EXTENSION.search(name)
    is_known = ending is not None and ending[1].lower() in _EXTENSIONS
    return name_key(name) in sizes or (is_known and _PLAIN_NAME.match(name) is not None)


def _is_followed_file(match: re.Match[str], name: str) -> bool:
    """Check if what stands before words in parentheses is a file's name."""
    has_ending = _EXTENSION.search(name) is not None
    if _folded(plain(match["phrase"])) in PHRASES["attached"]:
        return bool(match["marked"]) or has_ending
    return bool(match["marked"]) and (has_ending or _DATED.search(name) is not None)


def _media(name: str, before: str, after: str, sizes: Mapping[str, int]) -> EntryContents:
    """Contents of a file with the words before and after its name."""
    ending = _EXTENSION.search(name)
    extension = ending[1].lower() if ending else ""
    kind, mime_type = _EXTENSIONS.get(extension, ("document", None))
    prefix = _PREFIX.search(name)
    if prefix is not None:
        kind = _PREFIXES[prefix[1]]
    voice = kind == "audio" and (extension == "opus" or name.startswith("PTT"))
    media = {
        **NO_MEDIA,
        "filename": name,
        "mime_type": mime_type,
        "size_bytes": sizes.get(name_key(name)),
        "voice": voice if kind == "audio" else None,
    }
    caption = _words(f"{_trimmed(before)}\n{_trimmed(after)}").text
    if _title(caption or "") == _NUMBERED.sub("", name):
        caption = None
    return EntryContents(kind, caption or None, media=media)


def _title(caption: str) -> str:
    """Name of a document with its number of pages, else the words themselves."""
    pages = _PAGES.match(plain(caption))
    return (pages["file"] if pages else caption).strip()


def _omitted(text: str) -> EntryContents | None:
    """Recognise the placeholder of what was left out of the export."""
    bracketed = _BRACKETED.match(text)
    kind = _OMITTED.get(_folded(bracketed["phrase"] if bracketed else text))
    named = _PAGES.match(text)
    if kind is None and named is not None:
        ending = next((phrase for phrase in _OMITTED if _folded(text).endswith(phrase)), None)
        if ending is not None and _OMITTED[ending] == "document":
            return EntryContents("document", media={**NO_MEDIA, "filename": named["file"].strip()})
    if kind is None:
        return None
    if kind in MEDIA_TYPES:
        return EntryContents(kind, media=NO_MEDIA)
    if kind == "contacts":
        return _contact(None)
    if kind == "location":
        return EntryContents("location", text)
    reason: dict[str, Any] = {"original_type": None, "errors": []}
    if kind == "waiting":
        return EntryContents("unsupported", text, {"reason": "unknown_type", **reason})
    return EntryContents("unsupported", content={"reason": "media_placeholder", **reason})


def _omitted_with_caption(original: str) -> EntryContents | None:
    """Recognise the placeholder of a left-out file on its own line, or marked after the caption."""
    text = original.strip()
    first, _, below = text.partition("\n")
    above, mark, last = text.rpartition(_MARK)
    candidates = [(first, below)] if first.startswith(("<", *MARKS)) else []
    candidates += [(last, above)] if mark else []
    for placeholder, caption in candidates:
        contents = _omitted(plain(placeholder).strip())
        if contents is not None and caption.strip():
            return _captioned(contents, _words(caption).text or "")
    return None


def _captioned(contents: EntryContents, caption: str) -> EntryContents:
    """Contents with the words beside their placeholder, which for some kinds are a name."""
    if contents.type == "contacts":
        name, dot, ending = caption.rpartition(".")
        return _contact(name if dot and ending.casefold() == "vcf" else caption)
    if contents.type == "document" and "\n" not in caption and _EXTENSION.search(caption):
        return contents._replace(media={**NO_MEDIA, "filename": _title(caption)})
    return contents._replace(text=caption)


def _contact(name: str | None) -> EntryContents:
    """Contents of a shared contact of whom at most the name is known."""
    card = contact_card(JsonObject({"name": name} if name else {}))
    return EntryContents("contacts", name, {"contacts": [card]})


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
    text = _trimmed(original)
    return EntryContents("text", cut_text(text.replace("\x00", "\ufffd")))


def _trimmed(text: str) -> str:
    return text.strip().strip("\u200e\u200f").strip()

"""Recognises contents of exported messages: text, files, locations, deletions (pure).

Placeholder phrases of WhatsApp exports, by language (pure).
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from frontdesk.ingest.webhooks.contents import TEXT_LIMIT
from frontdesk.text import plain

# Placeholders of files of any type.
_LEFT_OUT = (
    *("media omitted", "multimedia omitido", "archivo omitido", "mídia oculta"),
    *("arquivo de mídia oculto", "ficheiro não revelado", "média omis", "médias omis"),
    *("fichier omis", "medien ausgeschlossen", "medien weggelassen", "media omessi"),
    *("media omesso", "без медиафайлов", "файл пропущен", "без медіафайлів", "медіа пропущено"),
    *("média vynechána", "média byla vynechána", "media weggelaten", "media tidak disertakan"),
    *("मीडिया के बिना", "मीडिया छोड़ा गया", "メディアは含まれていません", "メディアなし"),
    *("ไม่มีสื่อ", "สื่อถูกละเว้น", "bỏ qua phương tiện", "đã bỏ qua phương tiện"),
    *("تم استبعاد الوسائط", "الوسائط غير مدرجة", "medya dahil edilmedi", "pominięto multimedia"),
)
_KINDS: Mapping[str, tuple[str, ...]] = {
    "image": (
        *("image omitted", "imagen omitida", "imagem ocultada", "imagem omitida"),
        *("image absente", "bild weggelassen", "immagine omessa", "изображение пропущено"),
        *("зображення пропущено", "obrázek vynechán", "afbeelding weggelaten"),
        *("gambar tidak disertakan", "画像は含まれていません", "hình ảnh bị bỏ qua"),
        *("تم استبعاد الصورة", "görüntü dahil edilmedi"),
    ),
    "video": (
        *("video omitted", "video omitido", "vídeo omitido", "vídeo ocultado"),
        *("vidéo absente", "video weggelassen", "video omesso", "видео пропущено"),
        *("відео пропущено", "video vynecháno", "video weggelaten", "video tidak disertakan"),
        *("gif omitted", "gif omitido", "gif retiré", "gif weggelassen", "gif esclusa"),
        *("gif пропущено", "gif weggelaten", "動画は含まれていません", "تم استبعاد الفيديو"),
    ),
    "audio": (
        *("audio omitted", "audio omitido", "áudio ocultado", "áudio omitido", "audio omis"),
        *("audio weggelassen", "audio omesso", "аудиофайл пропущен", "аудіо пропущено"),
        *("zvuk vynechán", "audio weggelaten", "audio tidak disertakan"),
        *("オーディオは含まれていません", "تم استبعاد المقطع الصوتي"),
    ),
    "sticker": (
        *("sticker omitted", "sticker omitido", "figurinha omitida", "sticker omis"),
        *("sticker weggelassen", "sticker non incluso", "стикер пропущен", "стікер пропущено"),
        *("nálepka vynechána", "sticker weggelaten", "stiker tidak disertakan"),
    ),
    "document": (
        *("document omitted", "documento omitido", "document omis", "dokument weggelassen"),
        *("documento omesso", "документ пропущен", "документ пропущено", "dokument vynechán"),
        *("document weggelaten", "dokumen tidak disertakan", "contact card omitted"),
        *("tarjeta de contacto omitida", "kontaktkarte ausgelassen"),
    ),
}
# Message type by placeholder phrase; "" if only the presence of a file is known.
OMITTED: Mapping[str, str] = {
    **dict.fromkeys(_LEFT_OUT, ""),
    **{phrase: kind for kind, phrases in _KINDS.items() for phrase in phrases},
}

DELETED = frozenset(
    (
        *("this message was deleted", "you deleted this message"),
        *("se eliminó este mensaje", "eliminaste este mensaje", "este mensaje fue eliminado"),
        *("mensagem apagada", "essa mensagem foi apagada", "esta mensagem foi apagada"),
        *("você apagou esta mensagem", "você apagou essa mensagem", "eliminou esta mensagem"),
        *("ce message a été supprimé", "vous avez supprimé ce message"),
        *("diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht"),
        *("questo messaggio è stato eliminato", "hai eliminato questo messaggio"),
        *("данное сообщение удалено", "вы удалили данное сообщение", "сообщение удалено"),
        *("це повідомлення видалено", "ви видалили це повідомлення"),
        *("tato zpráva byla odstraněna", "tato zpráva byla smazána", "smazali jste tuto zprávu"),
        *("dit bericht is verwijderd", "u hebt dit bericht verwijderd"),
        *("je hebt dit bericht verwijderd", "pesan ini dihapus", "pesan ini telah dihapus"),
        *("anda menghapus pesan ini", "यह मैसेज मिटा दिया गया", "आपने यह मैसेज मिटाया"),
        *("このメッセージは削除されました", "あなたはこのメッセージを削除しました"),
        *("ข้อความนี้ถูกลบ", "คุณลบข้อความนี้", "tin nhắn này đã bị xóa"),
        *("bạn đã xóa tin nhắn này", "تم حذف هذه الرسالة", "لقد حذفت هذه الرسالة"),
    )
)

EDITED = frozenset(
    (
        *("this message was edited", "se editó este mensaje", "mensagem editada"),
        *("esta mensagem foi editada", "ce message a été modifié"),
        *("diese nachricht wurde bearbeitet", "questo messaggio è stato modificato"),
        *("сообщение изменено", "повідомлення змінено", "tato zpráva byla upravena"),
        *("dit bericht is bewerkt", "dit bericht is gewijzigd", "pesan ini diedit"),
        *("pesan ini telah diedit", "यह मैसेज एडिट किया गया", "このメッセージは編集されました"),
        *("ข้อความนี้ถูกแก้ไข", "tin nhắn này đã được chỉnh sửa", "تم تعديل هذه الرسالة"),
    )
)

# Notices about the whole chat, which some phones attribute to a sender.
NOTICES = (
    *("end-to-end encrypted", "end-to-end encryption", "cifrados de extremo a extremo"),
    *("criptografia de ponta a ponta", "chiffrés de bout en bout", "ende-zu-ende-verschlüsselt"),
    *("crittografia end-to-end", "сквозным шифрованием", "наскрізним шифруванням"),
    *("koncové šifrování", "end-to-end versleuteld", "terenkripsi secara end-to-end"),
    *("एंड-टू-एंड एन्क्रिप्टेड", "エンドツーエンド暗号化", "mã hóa đầu cuối"),
    *("تشفير تام بين الطرفين", "مشفرة تماما"),
)


def folded(phrase: str) -> str:
    """Normalise a phrase for look-up: without a final full stop, casefolded."""
    return phrase.strip().rstrip(".。").strip().casefold()


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
    if folded(text) in DELETED:
        return EntryContents("text", deleted=True)
    ending = _EDITED.search(text)
    if ending is not None and folded(ending["phrase"]) in EDITED:
        stripped = original.strip()
        inner = entry_contents(stripped[: stripped.rindex("<")], sizes)
        return inner._replace(edited=True)
    return _file(text, sizes) or _omitted(text) or _place(text) or _words(original)


def is_notice(original: str) -> bool:
    """Check for a notice of WhatsApp itself, which some exports attribute to a sender."""
    text = plain(original).casefold()
    marked = original.startswith(("\u200e", "\u200f"))
    return marked and any(notice in text for notice in NOTICES)


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
        **_no_media(),
        "filename": name,
        "mime_type": mime_type,
        "size_bytes": sizes.get(name),
        "voice": voice if kind == "audio" else None,
    }
    return EntryContents(kind, caption[:TEXT_LIMIT] or None, media=media)


def _omitted(text: str) -> EntryContents | None:
    """Recognise the placeholder of a file that was left out of the export."""
    bracketed = _BRACKETED.match(text)
    kind = OMITTED.get(folded(bracketed["phrase"] if bracketed else text))
    named = _PAGES.match(text)
    if kind is None and named is not None:
        ending = next((one for one in OMITTED if folded(text).endswith(one)), None)
        if ending is not None and OMITTED[ending] == "document":
            return EntryContents(
                "document", media={**_no_media(), "filename": named["file"].strip()}
            )
    if kind is None:
        return None
    if not kind:
        reason: dict[str, Any] = {
            "reason": "media_placeholder",
            "original_type": None,
            "errors": [],
        }
        return EntryContents("unsupported", content=reason)
    return EntryContents(kind, media=_no_media())


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


def _no_media() -> dict[str, Any]:
    names = ("id", "mime_type", "filename", "size_bytes", "sha256", "voice", "animated", "url")
    return dict.fromkeys((*names, "url_expires_at"))

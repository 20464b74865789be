"""Placeholder phrases of WhatsApp exports, by language (pure)."""

from collections.abc import Mapping
from types import MappingProxyType

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
_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
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
)
# Message type by placeholder phrase; "" if only the presence of a file is known.
OMITTED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_LEFT_OUT, ""),
        **{phrase: kind for kind, phrases in _KINDS.items() for phrase in phrases},
    }
)

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

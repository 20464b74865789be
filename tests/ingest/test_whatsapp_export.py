"""Exported chats: contents, file formats, and messages that are known already."""

import contextlib
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores import Engine

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import Author, MessageUpsert, Person, StatusUpdate
from frontdesk.ingest.whatsapp_export import files, parser
from frontdesk.ingest.whatsapp_export.contents import call_contents, entry_contents
from frontdesk.ingest.whatsapp_export.files import ExportFiles
from frontdesk.ingest.whatsapp_export.importer import ChatImportResult, ChatPlace, import_chat
from frontdesk.ingest.whatsapp_export.parser import Chat, ChatOptions
from frontdesk.store.database import Connection, Database
from frontdesk.text.limits import TEXT, cut_text

TODAY = date(2026, 3, 20)
LRM, RLM = "\u200e", "\u200f"
NOW = int(datetime(2026, 3, 20, tzinfo=UTC).timestamp() * 1000)


def read(text: str, **options: Any) -> Chat:
    asked: dict[str, Any] = {"me": "Shop", "zone": UTC, "order": "dmy", "today": TODAY, **options}
    return parser.read(ExportFiles(text), ChatOptions(**asked))


WHOLE = f"""\ufeff12/03/2020, 09:15 - Messages to this chat are now secured. Tap for more info.\r
12/03/2020, 09:15 - ~\u00a0Ana 🌻: Hello: it is me\r
12/03/2020, 09:15 - Shop: Hi!\r
\r
12/03/2020 was a Thursday\r
12/03/2020, 09:16 - ~\u00a0Ana 🌻: {LRM}ok\r
13/03/2020, 10:00 - Shop: \r
"""


def test_a_chat_is_its_messages_in_their_order() -> None:
    found = read(WHOLE)
    assert (found.other, found.other_is_profile, found.family) == ("Ana 🌻", True, "Android")
    assert [(entry.outbound, entry.contents.text) for entry in found.entries] == [
        (None, "Messages to this chat are now secured. Tap for more info."),
        (False, "Hello: it is me"),
        (True, "Hi!\n\n12/03/2020 was a Thursday"),
        (False, "ok"),
        (True, ""),
    ]
    base = datetime(2020, 3, 12, 9, 15, tzinfo=UTC).timestamp() * 1000
    assert [entry.at - base for entry in found.entries[:4]] == [0, 1, 2, 60_000]


def test_whatsapp_notices_are_system_entries_even_under_a_name() -> None:
    text = f"[12/03/2020, 09:15:00] Ana: {LRM}Messages and calls are end-to-end encrypted."
    (entry,) = read(text).entries
    assert (entry.outbound, entry.contents.type) == (None, "system")


@pytest.mark.parametrize(
    "notice",
    [
        "Your security code with Ana changed. Tap to learn more.",
        "Los mensajes temporales se desactivaron.",
        "Ana changed their phone number. Tap to message the new one.",
    ],
)
def test_a_known_notice_under_a_name_is_a_system_entry(notice: str) -> None:
    text = f"""[12/03/2020, 09:15:00] Ana: Hi
[12/03/2020, 09:16:00] Shop: Solved!
{LRM}[12/03/2020, 09:17:00] Ana: {LRM}{notice}"""
    assert [entry.outbound for entry in read(text).entries] == [False, True, None]


@pytest.mark.parametrize(
    ("marked", "type"),
    [
        ("image omitted", "image"),
        ("<attached: 00000012-PHOTO-2020.jpg>", "image"),
        ("Location: https://maps.google.com/?q=40.4,-3.7", "location"),
        ("This message was deleted.", "text"),
        ("Live location shared", "location"),
        ("Contact card omitted", "contacts"),
        ("View once photo", "image"),
        ("View once video", "video"),
        ("Waiting for this message. This may take a while.", "unsupported"),
        ("POLL:\nWhich size?\n\u200eOPTION: M (1 vote)", "text"),
    ],
)
def test_what_an_iphone_marks_of_a_customer_is_a_message(marked: str, type: str) -> None:
    (entry,) = read(f"[12/03/2020, 09:15:00] Ana: {LRM}{marked}").entries
    assert (entry.outbound, entry.contents.type) == (False, type)


def test_marked_words_that_nothing_knows_are_of_their_person_and_counted() -> None:
    lines = [
        "[12/03/2020, 09:15:00] Shop: Hi",
        *[f"{LRM}[12/03/2020, 09:16:00] Ana: {LRM}foto weg"] * 2,
        f"[12/03/2020, 09:17:00] Ana: {LRM}pasted by Ana",
    ]
    found = read("\n".join(lines))
    _, *photos, pasted = found.entries
    assert [(each.outbound, each.contents.type, each.contents.text) for each in photos] == [
        (False, "unsupported", "foto weg")
    ] * 2
    assert (pasted.outbound, pasted.contents.type) == (False, "text")
    assert found.unrecognised == {"foto weg": 2}


@pytest.mark.parametrize(
    ("sender", "marked", "text", "status"),
    [
        ("Ana", "Voice call, \u200e2 min", "Voice call, 2 min", "answered"),
        ("Ana", "Missed voice call, \u200eTap to call back", "Missed voice call", "missed"),
        ("Ana", "Videollamada perdida", "Missed video call", "missed"),
        ("Ana", "Ligação de vídeo perdida", "Missed video call", "missed"),
        ("Ana", "Silenced voice call, \u200eFocus mode", "Missed voice call", "missed"),
        ("Ana", "Nieodebrane połączenie głosowe", "Missed voice call", "missed"),
        ("Ana", "Sprachanruf, 1 Std. 5 Min.", "Voice call, 1 h 5 min", "answered"),
        ("Shop", "Voice call, \u200eNo answer", "Unanswered voice call", "unanswered"),
        ("Shop", "Video call, \u200eDeclined", "Declined video call", "declined"),
    ],
)
@pytest.mark.parametrize("mark", [LRM, RLM])
def test_a_call_is_a_line_of_whoever_called(
    sender: str, marked: str, text: str, status: str, mark: str
) -> None:
    chat = f"""[12/03/2020, 09:15:00] Ana: Hi
[12/03/2020, 09:16:00] Shop: Solved!
{LRM}[12/03/2020, 09:17:00] {sender}: {mark}{marked}"""
    *_, call = read(chat).entries
    assert (call.outbound, call.contents.type, call.contents.text) == (
        sender == "Shop",
        "call",
        text,
    )
    assert call.contents.content is not None
    assert call.contents.content["status"] == status


def test_a_missed_call_without_a_sender_is_the_customer_s() -> None:
    chat = "12/03/2020, 09:15 - Ana: Hi\n12/03/2020, 09:16 - Missed voice call"
    *_, call = read(chat).entries
    assert (call.outbound, call.contents.text) == (False, "Missed voice call")


@pytest.mark.parametrize("text", ["Voice call, 2 min", "I missed your voice call"])
def test_words_of_a_person_about_calls_are_no_call(text: str) -> None:
    (entry,) = read(f"[12/03/2020, 09:15:00] Ana: {text}").entries
    assert entry.contents.type == "text"


def test_a_sender_is_known_without_the_space_after_the_colon() -> None:
    text = """[2026/3/9 02:28:09] Ana: Hey
[2026/3/9 02:28:37] My Shop:Hi: there
[2026/3/9 02:29:00] Ana:how much?"""
    found = read(text, me="My Shop", order="ymd")
    assert [(entry.outbound, entry.contents.text) for entry in found.entries] == [
        (False, "Hey"),
        (True, "Hi: there"),
        (False, "how much?"),
    ]


def test_senders_are_known_where_no_line_has_the_space() -> None:
    found = read("[12/03/2020, 09:15:00] Ana:Hey\n[12/03/2020, 09:16:00] Shop:Hi")
    assert (found.other, [entry.outbound for entry in found.entries]) == ("Ana", [False, True])


@pytest.mark.parametrize(
    "text",
    [
        "12/03/2020, 21:00 - Ana: <Media omitted>\nIs this one in stock?",
        f"[12/03/2020, 21:00:00] Ana: {LRM}image omitted\nIs this one in stock?",
        f"[12/03/2020, 21:00:00] Ana: Is this one in stock? {LRM}image omitted",
    ],
)
def test_a_file_that_was_left_out_keeps_its_caption(text: str) -> None:
    (entry,) = read(text).entries
    assert entry.contents.type in ("image", "unsupported")
    assert entry.contents.text == "Is this one in stock?"


def test_an_hour_that_the_clocks_repeat_keeps_the_order_of_the_file() -> None:
    text = """26/10/2025, 02:50 - Ana: first
26/10/2025, 02:10 - Shop: second
26/10/2025, 02:20 - Ana: third
26/10/2025, 03:01 - Shop: after"""
    found = read(text, zone=ZoneInfo("Europe/Madrid"))
    start = found.entries[0].at
    assert [(entry.at - start) // 60_000 for entry in found.entries] == [0, 20, 30, 71]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nothing of the kind", "No line begins with a date and a time"),
        ("12/3/20, 9:15 - Ana: a\n12/3/20, 9:15 - Bo: b\n12/3/20, 9:15 - Shop: c", "of a group"),
        ("12/3/20, 9:15 - Ana: a\n12/3/20, 9:15 - Bo: b", "--me must be one of 'Ana', 'Bo'"),
        (f"12/3/20, 9:15 - {'A' * 10**5}: a\n12/3/20, 9:15 - Bo: b", "'A{79}…', 'Bo'$"),
    ],
)
def test_exports_that_are_not_a_chat_between_me_and_one_other_are_refused(
    text: str, sentence: str
) -> None:
    with pytest.raises(BadSettings, match=sentence):
        read(text)


def test_one_side_alone_is_a_chat_too() -> None:
    assert read("12/3/20, 9:15 - Shop: a").other is None
    assert read("12/3/20, 9:15 - Ana: a").other == "Ana"


NOON = """\
3/12/20, 11:59 AM - Ana: before
3/12/20, 0:24 PM - Shop: at noon
and on
3/12/20, 25:24 PM - Shop: never
3/12/20, 1:00 PM - Ana: after
[3/12/20, 9:15:00 AM] Ana: pasted
"""


def test_no_message_is_swallowed_at_hour_0_and_what_cannot_be_read_is_counted() -> None:
    found = read(NOON, order="mdy")
    assert [entry.contents.text for entry in found.entries] == [
        "before",
        "at noon\nand on\n3/12/20, 25:24 PM - Shop: never",
        "after\n[3/12/20, 9:15:00 AM] Ana: pasted",
    ]
    assert found.unread == [4, 6]


@pytest.mark.parametrize("pasted", ["99/99/2020, 10:00 - X: y", "3/25/2020, 10:00 - Ana: y"])
@pytest.mark.parametrize("order", [None, "dmy"])
def test_a_quoted_line_whose_date_is_none_stays_in_its_message(
    pasted: str, order: str | None
) -> None:
    lines = [f"{day}/3/2020, 9:15 - Ana: {day}" for day in range(10, 20)]
    found = read("\n".join([*lines, pasted]), order=order)
    assert len(found.entries) == len(lines)
    assert found.entries[-1].contents.text == f"19\n{pasted}"
    assert found.unread == [11]


def test_lines_before_the_first_header_are_counted_unless_they_are_blank() -> None:
    found = read("Chat with Ana\n\n  \nexported\n12/03/2020, 09:15 - Ana: Hi\nthere")
    assert (found.before, found.unread) == (2, [])
    assert [entry.contents.text for entry in found.entries] == ["Hi\nthere"]


def test_messages_of_one_time_stay_within_it() -> None:
    """A header has minutes or seconds: as many messages as there is room for have a time each."""
    second = read("\n".join(["[12/03/2020, 09:15:42] Ana: Hi"] * 1_002)).entries
    base = second[0].at
    assert [entry.at - base for entry in second[-4:]] == [998, 999, 999, 999]
    minute = read("\n".join(["12/03/2020, 09:15 - Ana: Hi"] * 1_002)).entries
    assert [entry.at - minute[0].at for entry in minute[-2:]] == [1_000, 1_001]


def test_a_file_of_headers_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadSettings, match="No line begins with a date and a time"):
        read("3/12/20, 25:24 - Ana: a")


MISDATED = (
    "01/01/1970, 00:00 - Ana: first",
    "12/03/2020, 09:15 - Shop: second",
    "12/03/2031, 09:15 - Ana: third",
    "12/03/2020, 09:15 - Ana: fourth",
    "31/12/2399, 23:59 - Ana: fifth",
    "12/03/2020, 09:15 - Ana: sixth",
)
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"]


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("America/Lima"), ZoneInfo("Asia/Tokyo"), None])
def test_a_message_that_a_wrong_clock_dated_keeps_its_place(zone: tzinfo | None) -> None:
    entries = read("\n".join(MISDATED), zone=zone).entries
    assert [entry.contents.text for entry in entries] == ORDINALS
    assert [entry.at - entries[0].at for entry in entries] == [0, 1, 2, 3, 4, 5]
    stamped = [entry.stamped_at is not None for entry in entries]
    assert stamped == [True, False, True, False, True, False]


CONTENTS = [
    (f"{LRM}<attached: 00000012-PHOTO-2020-03-12-09-15-42.jpg>", "image", None),
    ("<angehängt: 00000013-AUDIO-2020-03-12-09-15-42.opus>", "audio", None),
    (f"{RLM}<المُرفق: 00000014-VIDEO-2020-03-12.mp4>", "video", None),
    (f"See this\n{LRM}<adjunto: 00000012-STICKER-2020.webp>", "sticker", "See this"),
    (f"{LRM}IMG-20200312-WA0001.jpg (file attached)\nlook", "image", "look"),
    ("PTT-20200312-WA0002.opus (archivo adjunto)", "audio", None),
    ("Offer 2020.pdf (Datei angehängt)", "document", None),
    ("<Media omitted>", "unsupported", None),
    ("<Multimedia omitido>", "unsupported", None),
    ("<Без медиафайлов>", "unsupported", None),
    (f"{LRM}image omitted", "image", None),
    (f"{LRM}imagen omitida", "image", None),
    (f"{LRM}Offer.pdf • {LRM}3 pages document omitted", "document", None),
    ("https://maps.google.com/?q=-23.55,-46.63", "location", None),
    ("Ubicación: https://maps.google.com/?q=40.4,-3.7", "location", None),
    ("location: https://foursquare.com/v/1", "text", "location: https://foursquare.com/v/1"),
    (f"{LRM}video note omitted", "video", None),
    ("<View once voice message omitted>", "audio", None),
    ("<Medya dahil edilmedi>", "unsupported", None),
    ("<Ceci n'est pas une phrase>", "text", "<Ceci n'est pas une phrase>"),
    ("See you at cafe.com (great place)", "text", "See you at cafe.com (great place)"),
    ("https://www.google.com/maps?q=90,180", "location", None),
    ("https://maps.apple.com/?ll=-90.0,%20-180", "location", None),
    ("https://maps.google.com/?q=91,0", "text", "https://maps.google.com/?q=91,0"),
    ("https://maps.google.com/?q=0,181", "text", "https://maps.google.com/?q=0,181"),
    ("https://example.com/?q=1,2", "text", "https://example.com/?q=1,2"),
    ("Offer • 3 pages • image omitted", "text", "Offer • 3 pages • image omitted"),
    ("00000012-x.exe (file attached)", "document", None),
    (f"{LRM}<attached: 00000007-house.skp>", "document", None),
    (f"{LRM}<zalacznik: 00000007-LICENSE>", "document", None),
    (f"{LRM}<附件：00000007-PHOTO-2020.jpg>", "image", None),
    (f"will it fit {LRM}<attached: 00000007-PHOTO-2020.jpg>", "image", "will it fit"),
    (f"will it\nfit {LRM}<attached: 00000007-house.skp>", "document", "will it\nfit"),
    (f"Offer.pdf • {LRM}3 pages {LRM}<attached: 00000007-Offer.pdf>", "document", None),
    ("<attached: 00000007-house.skp>", "document", None),
    ("<see: chapter 7>", "text", "<see: chapter 7>"),
    (f"{LRM}house.skp (something attached)", "document", None),
    ("house.skp (archivo adjunto)\nlook", "document", "look"),
    ("house.skp (the red one)", "text", "house.skp (the red one)"),
    (f"house.skp {LRM}document omitted", "document", None),
    (f"Mia.vcf {LRM}Contact card omitted", "contacts", "Mia"),
    (f"{LRM}image omitted {LRM}<uredjeno>", "image", None),
    ("VID-20200312-WA0001.jpg (file attached)", "video", None),
    ("image omitted\nlook", "text", "image omitted\nlook"),
    (f"{LRM}image omitted\n ", "image", None),
]


@pytest.mark.parametrize(("original", "kind", "text"), CONTENTS)
def test_exported_contents_get_their_message_type_and_text(
    original: str, kind: str, text: str | None
) -> None:
    found = entry_contents(original, {})
    assert (found.type, found.text) == (kind, text)


@pytest.mark.parametrize("words", ["house plan (file attached)", "<aangehecht: house plan>"])
def test_a_name_in_the_zip_is_a_file_without_mark_or_ending(words: str) -> None:
    found = entry_contents(words, {"house plan": 7})
    assert found.media is not None
    assert (found.type, found.media["filename"], found.media["size_bytes"]) == (
        "document",
        "house plan",
        7,
    )
    assert entry_contents(words, {}).type == "text"


def test_digits_of_any_script_stay_in_the_name_of_a_file() -> None:
    found = entry_contents(f"{RLM}<المُرفق: {LRM}٠٠٠٧-plan.dwg>", {"٠٠٠٧-plan.dwg": 7})
    assert found.media is not None
    assert (found.media["filename"], found.media["size_bytes"]) == ("٠٠٠٧-plan.dwg", 7)


def test_the_name_of_a_contact_that_was_left_out_is_on_its_card() -> None:
    content = entry_contents(f"Mia.vcf {LRM}Contact card omitted", {}).content
    assert content is not None
    assert [card["name"] for card in content["contacts"]] == ["Mia"]


def test_a_file_has_its_name_its_kind_and_its_size() -> None:
    found = entry_contents(
        "PTT-20200312-WA0002.opus (file attached)", {"PTT-20200312-WA0002.opus": 99}
    )
    assert found.media is not None
    assert {name: value for name, value in found.media.items() if value is not None} == {
        "filename": "PTT-20200312-WA0002.opus",
        "mime_type": "audio/ogg",
        "size_bytes": 99,
        "voice": True,
    }


@pytest.mark.parametrize(
    ("name", "type", "mime_type", "voice"),
    [
        ("PTT-20200312-WA0002.m4a", "audio", "audio/mp4", True),
        ("AUD-20200312-WA0002.mp3", "audio", "audio/mpeg", False),
        ("00000013-AUDIO-2020.opus", "audio", "audio/ogg", True),
        ("IMG-20200312-WA0002.jpg", "image", "image/jpeg", None),
        ("00000013-GIF-2020.mp4", "video", "video/mp4", None),
        ("DOC-20200312-WA0002.jpg", "document", "image/jpeg", None),
        ("Invoice.PDF", "document", "application/pdf", None),
    ],
)
def test_a_file_is_of_the_kind_that_its_name_says(
    name: str, type: str, mime_type: str, voice: bool | None
) -> None:
    found = entry_contents(f"{name} (file attached)", {})
    assert found.media is not None
    assert (found.type, found.media["mime_type"], found.media["voice"]) == (type, mime_type, voice)
    assert (found.media["filename"], found.media["size_bytes"]) == (name, None)


def test_a_text_is_kept_up_to_its_limit_without_the_marks_around_it() -> None:
    assert entry_contents(f" {LRM}\u00a0a\x00b{RLM} ", {}).text == "a\ufffdb"
    cut = cut_text("x" * (TEXT + 1))
    assert entry_contents("x" * (TEXT + 1), {}).text == cut
    caption = f"IMG-1.jpg (file attached)\n{'x' * (TEXT + 1)}"
    assert entry_contents(caption, {}).text == cut


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Voice call, 45 s", 45),
        ("Voice call, 2 min 5 s", 125),
        ("Video call, 1 h 1 min", 3_660),
        ("Sprachanruf, 1 Std. 5 Min.", 3_900),
        ("Voice call, No answer", None),
    ],
)
def test_a_call_lasts_as_long_as_its_line_says(words: str, seconds: int | None) -> None:
    call = call_contents(f"{LRM}{words}", named=True)
    assert call is not None
    assert call.content is not None
    assert call.content["duration_seconds"] == seconds
    assert call.content["video"] is words.startswith("Video")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("Voice call, 45 s", True),
        (f"{LRM}Voice call", True),
        (f"{LRM}Voice call, 45 s\nSee you", True),
        (f"{LRM}Voice call, 45 s{'.' * 65}", True),
        ("See you", False),
    ],
)
def test_words_are_a_call_on_one_marked_line_alone(words: str, named: bool) -> None:
    assert call_contents(words, named=named) is None


def test_a_call_of_the_business_that_was_missed_was_not_answered() -> None:
    for outbound, text in ((False, "Missed voice call"), (True, "Unanswered voice call")):
        call = call_contents(f"{LRM}Missed voice call", named=True, outbound=outbound)
        assert call is not None
        assert call.text == text


def test_deleted_and_edited_entries_are_marked() -> None:
    assert entry_contents("This message was deleted.", {}).deleted
    assert entry_contents(f"{LRM}Eliminaste este mensaje.", {}) == entry_contents(
        "Mensagem apagada", {}
    )
    assert entry_contents("Bu mesajı sildiniz", {}).deleted
    for mark in ("This message was edited", "Bu mesaj düzenlendi", "words of any language"):
        edited = entry_contents(f"See you {LRM}<{mark}>", {})
        assert (edited.text, edited.edited) == ("See you", True)


def zipped(path: Path, *entries: tuple[str | zipfile.ZipInfo, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in entries:
            archive.writestr(name, contents)
    return path


def test_a_zip_has_its_text_and_its_files(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", ("_chat.txt", "Hi"), ("IMG-1.jpg", "12345"), ("b.txt", ""))
    assert files.read(path) == ExportFiles("Hi", {"IMG-1.jpg": 5, "b.txt": 0}, "_chat.txt")


CHAT_TEXT = "12/03/2020, 09:15 - Ana: list.txt (file attached)"
OTHER_CHAT = "12/03/2020, 09:15 - Bo: Hi"


@pytest.mark.parametrize(
    ("zip_name", "entries"),
    [
        ("x.zip", [("WhatsApp Chat with Ana.txt", CHAT_TEXT), ("list.txt", "2 x rope")]),
        ("Chat with Ana.zip", [("list.txt", OTHER_CHAT), ("Chat with Ana.txt", CHAT_TEXT)]),
        ("Chat with Ana (1).zip", [("_chat.txt", OTHER_CHAT), ("Chat with Ana.txt", CHAT_TEXT)]),
        ("x.zip", [("list.txt", OTHER_CHAT), ("Chat with Ana.txt", CHAT_TEXT)]),
        ("x.zip", [("_chat.txt", CHAT_TEXT), ("list.txt", OTHER_CHAT)]),
        ("x.zip", [("a.txt", CHAT_TEXT.encode("utf-16")), ("list.txt", b"\xff\xff\x00")]),
    ],
)
def test_the_chat_of_a_zip_is_told_from_texts_that_were_sent(
    tmp_path: Path, zip_name: str, entries: list[tuple[str, str]]
) -> None:
    assert files.read(zipped(tmp_path / zip_name, *entries)).text == CHAT_TEXT


@pytest.mark.parametrize("blank", ["\n", " \t\r\n"])
def test_blank_lines_without_end_are_cut_between_two_messages(tmp_path: Path, blank: str) -> None:
    text = f"12/03/2020, 09:15 - Ana: Hi\n{blank * 600_000}12/03/2020, 09:16 - Shop: Hello"
    export = files.read(zipped(tmp_path / "x.zip", ("_chat.txt", text)))
    assert len(export.text) < 2_000
    options = ChatOptions(me="Shop", zone=UTC, order="dmy", today=TODAY)
    entries = parser.read(export, options).entries
    assert [entry.contents.text for entry in entries] == ["Hi", "Hello"]


def test_a_text_has_a_greatest_number_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LINES_LIMIT", 3)
    assert files.read(zipped(tmp_path / "x.zip", ("_chat.txt", "a\nb\nc\nd"))).text == "a\nb\nc\nd"
    with pytest.raises(UnusableFile, match="has more than 3 lines"):
        files.read(zipped(tmp_path / "y.zip", ("_chat.txt", "a\nb\nc\nd\n")))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_text_is_read_by_its_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("¡Hola!".encode(encoding))
    assert files.read(path).text == "¡Hola!"


def link() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("_chat.txt")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([("a.jpg", "")], "has no text"),
        ([("a.txt", ""), ("b.txt", "")], "has 2 texts"),
        ([("../_chat.txt", "")], "has a file outside of it"),
        ([("/etc/_chat.txt", "")], "has a file outside of it"),
        ([("a\\..\\..\\b.txt", "")], "has a file outside of it"),
        ([(link(), "/etc/passwd")], "has a link in it"),
    ],
)
def test_a_zip_that_is_no_export_is_refused(tmp_path: Path, entries: Any, sentence: str) -> None:
    with pytest.raises(UnusableFile, match=sentence):
        files.read(zipped(tmp_path / "x.zip", *entries))


def test_a_text_that_grows_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "TEXT_LIMIT", 2**20)
    with pytest.raises(UnusableFile, match="is larger than 1 MiB"):
        files.read(zipped(tmp_path / "x.zip", ("_chat.txt", "a" * 2**21)))
    (tmp_path / "x.txt").write_text("a" * 2**21)
    with pytest.raises(UnusableFile, match="is larger than 1 MiB"):
        files.read(tmp_path / "x.txt")


def test_a_text_may_be_as_large_as_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "TEXT_LIMIT", 2**20)
    whole = "a" * 2**20
    assert files.read(zipped(tmp_path / "x.zip", ("_chat.txt", whole))).text == whole
    (tmp_path / "x.txt").write_text(whole)
    assert files.read(tmp_path / "x.txt").text == whole
    (tmp_path / "x.txt").write_text(whole + "a")
    with pytest.raises(UnusableFile, match="is larger than 1 MiB"):
        files.read(tmp_path / "x.txt")


def test_the_text_that_whatsapp_names_is_taken_before_others(tmp_path: Path) -> None:
    entries = (("a.txt", "no"), ("Chat/_chat.txt", "Hi"), ("b.TXT", "no"))
    assert files.read(zipped(tmp_path / "x.zip", *entries)).text == "Hi"


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILES_LIMIT", 2)
    with pytest.raises(UnusableFile, match="more than 2 files"):
        files.read(zipped(tmp_path / "x.zip", *((f"{n}.jpg", "") for n in range(3))))
    two = zipped(tmp_path / "y.zip", ("_chat.txt", "Hi"), ("1.jpg", "x"), ("folder/", ""))
    assert files.read(two).text == "Hi"


def test_corrupt_archives_and_binary_files_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", ("_chat.txt", "Hi" * 1000))
    broken = bytearray(path.read_bytes())
    broken[45:60] = bytes(15)
    path.write_bytes(broken)
    with pytest.raises(UnusableFile):
        files.read(path)
    path.write_bytes(b"\xff\xfa binary")
    with pytest.raises(UnusableFile, match="is not text in UTF-8"):
        files.read(path)


def packed(path: Path, method: int) -> bytearray:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_chat.txt", "".join(f"12/3/20, 9:15 - Ana: {n}\n" for n in range(99)))
    return bytearray(path.read_bytes())


METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(data=st.data())
def test_a_damaged_or_truncated_zip_is_said_to_be_one(method: int, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.zip"
        whole = packed(path, method)
        place = data.draw(st.integers(0, len(whole) - 1), "place")
        if data.draw(st.booleans(), "cut"):
            del whole[place:]
        else:
            whole[place] ^= data.draw(st.integers(1, 255), "bits")
        path.write_bytes(whole)
        with contextlib.suppress(UnusableFile):
            files.read(path)
            return
        with pytest.raises(UnusableFile, match=SAID_OF_A_ZIP):
            files.read(path)


# Every one names the zip; some bits of its directory hold names and compression methods.
SAID_OF_A_ZIP = (
    "x.zip (is a zip that is damaged or cut off: copy it|is damaged: it is no zip"
    "|is encrypted: unpack it|has no text"
    "|has a (link|file)|is packed in a way that cannot be read here)|The text in .*x.zip is not"
)


def test_damaged_contents_of_a_zip_are_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    for method in METHODS.values():
        whole = packed(path, method)
        whole[60:90] = bytes(30)
        path.write_bytes(whole)
        with pytest.raises(UnusableFile, match="is a zip that is damaged or cut off: copy it"):
            files.read(path)


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (6, 1, "is encrypted: unpack it with its password and import the text in it"),
        (8, 97, "is packed in a way that cannot be read here .*: unpack it with another program"),
    ],
    ids=["encrypted", "unknown-method"],
)
def test_a_zip_that_only_others_can_unpack_is_said_to_be_one(
    tmp_path: Path, place: int, value: int, sentence: str
) -> None:
    path = tmp_path / "x.zip"
    whole = packed(path, zipfile.ZIP_DEFLATED)
    directory = whole.index(b"PK\x01\x02")
    whole[place] = whole[directory + place + 2] = value
    path.write_bytes(whole)
    with pytest.raises(UnusableFile, match=sentence):
        files.read(path)


ANA = Person("+16505551234", "16505551234")
PLACE = ChatPlace(1, "106", ANA, "Shop")


@pytest.fixture
def inbox(engine: Engine) -> Iterator[Database]:
    with engine.fresh() as database:
        yield database


def put(database: Database, *lines: str) -> ChatImportResult:
    outcome = import_chat(database, read("\n".join(lines)), PLACE, lambda: NOW, lambda more: None)
    assert not database.read(lambda connection: list(differences(connection, 1)))
    return outcome


def rows(database: Database) -> list[tuple[Any, ...]]:
    def texts(connection: Connection) -> list[tuple[Any, ...]]:
        found = connection.rows("SELECT text, source FROM message ORDER BY created_at, id")
        return [tuple(dict(row).values()) for row in found]

    return database.read(texts)


LINES = (
    "12/03/2020, 09:15 - Ana: ok",
    "12/03/2020, 09:15 - Shop: sure?",
    "12/03/2020, 09:15 - Ana: ok",
    "12/03/2020, 09:15 - Ana: ok",
    "13/03/2020, 09:15 - Ana: <Media omitted>",
)


def test_the_same_words_at_the_same_time_stay_several_messages(inbox: Database) -> None:
    assert put(inbox, *LINES).messages == {"received": 4, "sent": 1}
    assert [text for text, _ in rows(inbox)] == ["ok", "sure?", "ok", "ok", None]


def test_what_was_imported_is_counted(inbox: Database) -> None:
    changed = (
        "14/03/2020, 09:15 - Ana: Hi <This message was edited>",
        "14/03/2020, 09:16 - Ana: This message was deleted.",
        "14/03/2020, 09:17 - Shop: IMG-1.jpg (file attached)",
        "14/03/2020, 09:18 - Messages to this chat are now secured. Tap for more info.",
    )
    outcome = put(inbox, *LINES, *changed)
    assert outcome.messages == {"received": 6, "sent": 2, "notices": 1}
    assert outcome.files == {"named": 1, "left out": 1}
    assert (outcome.skipped, outcome.edited, outcome.deleted, outcome.filled) == (0, 1, 1, 0)
    again = put(inbox, *LINES, *changed)
    assert (again.messages, again.files) == ({}, {})
    assert (again.skipped, again.edited, again.deleted, again.filled) == (9, 0, 0, 0)


def test_progress_is_told_by_entries_whether_they_are_new_or_not(inbox: Database) -> None:
    for _ in range(2):
        progress: list[int] = []
        import_chat(inbox, read("\n".join(LINES)), PLACE, lambda: NOW, progress.append)
        assert progress == [5]


def test_who_wrote_what_is_known_from_the_export(inbox: Database) -> None:
    put(inbox, *LINES[:2], "14/03/2020, 09:18 - Messages to this chat are now secured.")
    found = inbox.read(
        lambda c: c.rows("SELECT author, author_name, live FROM message ORDER BY created_at")
    )
    assert [tuple(row.values()) for row in found] == [
        ("contact", None, 0),
        ("phone", "Shop", 0),
        ("system", None, 0),
    ]


def test_a_second_import_adds_nothing_and_a_later_export_extends(inbox: Database) -> None:
    put(inbox, *LINES)
    before = rows(inbox)
    assert put(inbox, *LINES).skipped == 5
    assert rows(inbox) == before
    # The phone has dropped the beginning, and with it a part of a minute.
    outcome = put(inbox, *LINES[2:], "14/03/2020, 09:15 - Ana: more")
    assert (outcome.skipped, outcome.messages) == (3, {"received": 1})
    assert rows(inbox) == [*before, ("more", "chat_export")]


def test_misdated_messages_are_recognised_again_even_after_their_date_has_come(
    inbox: Database,
) -> None:
    assert put(inbox, *MISDATED).messages == {"received": 5, "sent": 1}
    before = rows(inbox)
    assert [text for text, _ in before] == ORDINALS
    assert put(inbox, *MISDATED).skipped == 6
    later = read("\n".join(MISDATED), today=date(2032, 3, 20))
    assert import_chat(inbox, later, PLACE, lambda: NOW, lambda more: None).skipped == 6
    assert rows(inbox) == before


def test_a_name_is_not_stored_beyond_any_length(inbox: Database) -> None:
    put(inbox, f"12/03/2020, 09:15 - {'A' * 10**5}: ok")
    row = inbox.read(lambda connection: connection.row("SELECT name FROM contact"))
    assert row is not None
    assert len(row["name"]) == 256


def webhook(text: str, at: datetime) -> MessageUpsert:
    return MessageUpsert(
        channel="106",
        person=ANA,
        wamid=f"w{at.timestamp()}",
        at=int(at.timestamp() * 1000),
        outbound=False,
        author=Author("contact"),
        type="text",
        source="webhook",
        text=text,
    )


def store_events(database: Database, *events: MessageUpsert | StatusUpdate) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))


def test_messages_already_received_by_webhook_are_skipped(inbox: Database) -> None:
    at = datetime(2020, 3, 12, 9, 15, 40, tzinfo=UTC)
    store_events(inbox, webhook("ok", at), webhook("ok", at + timedelta(hours=1)))
    outcome = put(inbox, *LINES)
    assert (outcome.skipped, outcome.messages) == (1, {"received": 3, "sent": 1})


def test_messages_known_only_from_a_delivery_status_are_filled_in(inbox: Database) -> None:
    at = int(datetime(2020, 3, 12, 9, 15, 30, tzinfo=UTC).timestamp() * 1000)
    store_events(inbox, StatusUpdate("106", ANA, "w1", at, "delivered"))
    assert put(inbox, *LINES).filled == 1
    found = inbox.read(lambda c: c.row("SELECT text, author, wamid FROM message WHERE wamid='w1'"))
    assert found is not None
    assert (found["text"], found["author"]) == ("sure?", "phone")
    assert len(rows(inbox)) == 5


def test_the_contact_has_the_name_that_the_phone_has(inbox: Database) -> None:
    put(inbox, *LINES)
    row = inbox.read(lambda connection: connection.row("SELECT name, phone FROM contact"))
    assert row is not None
    assert (row["name"], row["phone"]) == ("Ana", "+16505551234")


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Voice call, 7 sec", 7),
        ("Voice call, 5 min", 300),
        ("Sprachanruf, 1 Std. 5 Min. 7 Sek.", 3_907),
        ("Voice call, 1 hr 1 min", 3_660),
        ("Voice call, 9999 s", 9_999),
    ],
)
def test_a_call_lasts_as_long_as_its_units_say_together(words: str, seconds: int) -> None:
    call = call_contents(f"{LRM}{words}", named=True)
    assert call is not None
    assert call.content is not None
    assert (call.content["duration_seconds"], call.content["status"]) == (seconds, "answered")
    assert call.content["video"] is False


@pytest.mark.parametrize(("length", "is_call"), [(80, True), (81, False)])
def test_a_line_about_a_call_is_short(length: int, is_call: bool) -> None:
    line = f"{LRM}Missed voice call"
    line += "." * (length + 1 - len(line))
    assert (call_contents(line, named=True) is not None) == is_call
    assert call_contents(f"{LRM}Missed voice call\nand more", named=True) is None


def test_a_missed_call_of_the_business_was_not_answered_by_the_customer() -> None:
    for outbound, status in ((False, "missed"), (True, "unanswered")):
        call = call_contents(f"{LRM}Missed video call", named=True, outbound=outbound)
        assert call is not None
        assert call.content is not None
        assert (call.content["status"], call.content["video"]) == (status, True)
        assert call.content["duration_seconds"] is None
    default = call_contents(f"{LRM}Missed video call", named=True)
    assert default is not None
    assert default.content is not None
    assert default.content["status"] == "missed"


@pytest.mark.parametrize("named", [True, False])
def test_words_of_whatsapp_are_marked_where_a_line_has_a_sender(named: bool) -> None:
    assert (call_contents("Missed voice call", named=named) is None) == named


@pytest.mark.parametrize(
    ("name", "kind", "voice"),
    [
        ("PTT-20200312-WA0002.opus", "audio", True),
        ("PTT-20200312-WA0002.m4a", "audio", True),
        ("AUD-20200312-WA0002.opus", "audio", True),
        ("AUD-20200312-WA0002.m4a", "audio", False),
        ("IMG-20200312-WA0002.jpg", "image", None),
        ("GIF-20200312-WA0002.mp4", "video", None),
        ("STK-20200312-WA0002.webp", "sticker", None),
        ("DOC-20200312-WA0002.jpg", "document", None),
    ],
)
def test_a_file_is_of_the_kind_of_its_name_and_a_voice_message_if_it_was_spoken(
    name: str, kind: str, voice: bool | None
) -> None:
    found = entry_contents(f"{name} (file attached)", {})
    assert found.media is not None
    assert (found.type, found.media["voice"], found.media["size_bytes"]) == (kind, voice, None)


@pytest.mark.parametrize(
    ("original", "text", "edited", "deleted"),
    [
        ("Hi <This message was edited>", "Hi", True, False),
        ("Hi <something else>", "Hi <something else>", False, False),
        ("This message was deleted.", None, False, True),
        ("You deleted this message", None, False, True),
        ("This message was deleted by me", "This message was deleted by me", False, False),
    ],
)
def test_what_was_edited_or_deleted_is_known_by_the_words_of_whatsapp(
    original: str, text: str | None, edited: bool, deleted: bool
) -> None:
    found = entry_contents(original, {})
    assert (found.text, found.edited, found.deleted) == (text, edited, deleted)

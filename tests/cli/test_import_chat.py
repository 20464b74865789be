"""`frontdesk import chat`: its report of imported messages, dates and gaps."""

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.pictures.drawn import encoded
from tests.pictures.drawn import photo as drawn_photo

from frontdesk.cli.commands.import_ import import_group
from frontdesk.cli.exit_codes import exit_code
from frontdesk.errors import BadSettings, InboxError, UnusableFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.sqlite import SQLiteDatabase

CHAT = """12/03/2020, 09:15 - Messages and calls are end-to-end encrypted.
12/03/2020, 09:15 - Ana: Hello
13/03/2020, 09:16 - Shop: IMG-1.jpg (file attached)
13/03/2020, 09:16 - Ana: <Media omitted>
13/03/2020, 09:17 - Ana: This message was deleted
"""
OPTIONS = {
    "--channel": "106540352242922",
    "--contact": "+16505551234",
    "--me": "Shop",
    "--tz": "UTC",
}


def run(tmp_path: Path, text: str = CHAT, *more: str, **changed: str) -> Result:
    file = tmp_path / "chat.txt"
    file.write_text(text)
    options = {**OPTIONS, **{f"--{name}": value for name, value in changed.items()}}
    named = [part for option in options.items() for part in option]
    database = ["--database", str(tmp_path / "inbox.db")]
    return CliRunner().invoke(import_group, ["chat", str(file), *named, *database, *more])


def test_the_summary_has_the_counts_and_the_date_order(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.stdout.splitlines() == [
        f"{tmp_path / 'chat.txt'}: 5 messages in the Android form",
        "taken: 3 of Ana, 1 of Shop, 1 of WhatsApp; 0 edited, 1 deleted",
        "skipped: 0 known already",
        "files: 1 by name, 1 left out by the phone",
        "dates: day, month, year (only so are all of them dates); zone: UTC",
        "such an export never has: reactions, replies, delivery states, message ids and what was "
        "said before an edit",
    ]
    assert result.stderr == ""


def test_lines_that_look_like_messages_and_wrong_dates_are_reported(tmp_path: Path) -> None:
    text = f"{CHAT}13/03/2020, 29:17 - Ana: a\n13/03/2020, 29:18 - Ana: b\n"
    result = run(tmp_path, f"{text}13/03/2999, 09:18 - Ana: c\n")
    assert result.exit_code == 0
    assert (
        "not read: 2 lines that begin as messages do, with a date and a time that cannot be read,"
        " kept in the message before; the first is line 6" in result.stdout.splitlines()
    )
    assert (
        "misdated: 1 message dated after today or before 2009, put beside the message before"
        in result.stdout.splitlines()
    )


def test_long_names_are_shortened(tmp_path: Path) -> None:
    text = CHAT.replace("Ana", "A" * 100_000)
    result = run(tmp_path, text)
    assert "taken: 3 of AAA" in result.stdout
    error = run(tmp_path, text, me="B" * 100_000).exception
    assert isinstance(error, BadSettings)
    assert max(len(result.stdout), len(str(error))) < 1_500


def test_a_second_time_everything_is_known(tmp_path: Path) -> None:
    run(tmp_path)
    assert "skipped: 5 known already" in run(tmp_path).stdout


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, CHAT, "--dry-run")
    assert "taken: 3 of Ana" in result.stdout
    assert result.stdout.endswith("nothing was changed\n")
    assert not (tmp_path / "inbox.db").exists()


def test_without_a_zone_this_machines_is_taken_and_reported(tmp_path: Path) -> None:
    options = [part for option in OPTIONS.items() if option[0] != "--tz" for part in option]
    (tmp_path / "chat.txt").write_text(CHAT)
    database = ["--database", str(tmp_path / "inbox.db")]
    arguments = ["chat", str(tmp_path / "chat.txt"), *options, *database]
    assert "zone: this machine's (" in CliRunner().invoke(import_group, arguments).stdout


@pytest.mark.parametrize(
    ("text", "changed", "sentence"),
    [
        ("1/2/20, 9:15 - Ana: Hi", {}, "chat.txt: The dates can be read in more than one way"),
        (CHAT, {"me": "Nobody"}, "--me must be one of 'Ana', 'Shop'"),
        (CHAT, {"tz": "Mars/Base"}, "No time zone is called 'Mars/Base'"),
        (CHAT, {"contact": "16505551234"}, "'16505551234' is no number such as +34600111222"),
        (CHAT, {"channel": "Support"}, "No channel 'Support': give a new one by its id"),
    ],
)
def test_impossible_options_are_errors_and_nothing_is_imported(
    tmp_path: Path, text: str, changed: dict[str, str], sentence: str
) -> None:
    error = run(tmp_path, text, **changed).exception
    assert isinstance(error, InboxError)
    assert isinstance(error, BadSettings)
    assert sentence in str(error)
    assert exit_code(error) == 2


def test_a_channel_may_be_named_by_its_phone_but_not_misspelt(tmp_path: Path) -> None:
    run(tmp_path)
    error = run(tmp_path, channel="106540352242923").exception
    assert isinstance(error, BadSettings)
    assert "known: 106540352242922" in str(error)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    error = run(tmp_path, "\udcff".encode("utf-8", "surrogateescape").decode("latin-1")).exception
    assert isinstance(error, BadSettings)
    (tmp_path / "chat.txt").unlink()
    database = ["--database", str(tmp_path / "inbox.db")]
    options = [part for option in OPTIONS.items() for part in option]
    arguments = ["chat", str(tmp_path / "chat.txt"), *options, *database]
    assert isinstance(CliRunner().invoke(import_group, arguments).exception, UnusableFile)


def test_an_imported_chat_is_stored_as_a_resolved_conversation(tmp_path: Path) -> None:
    run(tmp_path)
    database = SQLiteDatabase(tmp_path / "inbox.db")
    row = database.read(
        lambda connection: connection.row("SELECT status FROM conversation WHERE channel_id = 1")
    )
    database.close()
    assert row is not None
    assert row["status"] == 2


def zipped(tmp_path: Path, **files: bytes) -> Path:
    path = tmp_path / "chat.zip"
    text = CHAT.replace("Ana: <Media omitted>", "Ana: \u200eIMG-2.jpg (file attached)")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_chat.txt", f"{text}13/03/2020, 09:18 - Ana: IMG-3.jpg (file attached)\n")
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_files_of_a_zip_are_kept_with_their_messages(tmp_path: Path) -> None:
    photo = encoded(drawn_photo())
    path = zipped(tmp_path, **{"IMG-1.jpg": photo, "Chat/IMG-2.JPG": b"no picture at all"})
    arguments = ["chat", str(path), "--database", str(tmp_path / "inbox.db")]
    arguments += [part for option in OPTIONS.items() for part in option]
    nothing = CliRunner().invoke(import_group, [*arguments, "--dry-run"])
    assert nothing.exit_code == 0
    assert not (tmp_path / "inbox.db.media").exists()
    result = CliRunner().invoke(import_group, arguments)
    assert f"{path}: files: 2 stored, 1 missing" in result.stdout.splitlines(), result.output
    again = CliRunner().invoke(import_group, arguments)
    assert f"{path}: files: 1 missing" in again.stdout.splitlines()
    database = SQLiteDatabase(tmp_path / "inbox.db")
    rows = database.read(lambda c: c.rows("SELECT * FROM media ORDER BY message_id"))
    database.close()
    assert [(row["name"], row["state"], row["mime"], row["width"]) for row in rows] == [
        ("IMG-1.jpg", "stored", "image/jpeg", 320),
        ("IMG-2.jpg", "stored", "application/octet-stream", None),
    ]
    files = MediaDirectory(tmp_path / "inbox.db.media")
    assert files.path(1, rows[0]["digest"]).read_bytes() == photo


def test_what_could_not_be_matched_is_counted_and_named_for_each_file(tmp_path: Path) -> None:
    path = zipped(tmp_path, **{"IMG-1.jpg": b"one", "IMG-2.jpg": b"two", "lost.dwg": b"three"})
    arguments = ["chat", str(path), "--database", str(tmp_path / "inbox.db"), "--dry-run"]
    arguments += [part for option in OPTIONS.items() for part in option]
    lines = CliRunner().invoke(import_group, arguments).stdout.splitlines()
    assert "not matched: 1 file of the zip that no message names: 'lost.dwg'" in lines


def test_words_of_a_phone_that_are_not_known_are_counted_and_quoted(tmp_path: Path) -> None:
    lines = "".join(
        f"\u200e[12/03/2020, 09:15:0{second}] Ana: \u200efoto weg\n" for second in range(3)
    )
    result = run(tmp_path, f"[12/03/2020, 09:14:00] Shop: Hi\n{lines}", **{"date-order": "dmy"})
    assert (
        "not recognised: 3 lines that the phone wrote in a person's name, kept as messages of that"
        " person: 'foto weg'" in result.stdout.splitlines()
    )


def test_files_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    path = zipped(tmp_path, **{"IMG-1.jpg": encoded(drawn_photo())})
    arguments = ["chat", str(path), "--database", str(tmp_path / "inbox.db"), "--media", "off"]
    arguments += [part for option in OPTIONS.items() for part in option]
    assert "stored" not in CliRunner().invoke(import_group, arguments).stdout
    assert not (tmp_path / "inbox.db.media").exists()

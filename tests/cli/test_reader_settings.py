"""The file of `serve --media-readers`: what it says, and each mistake with its line."""

import json
from pathlib import Path

import pytest
from tests.commands import run_command

from frontdesk.cli.reader_settings import checked_readers, read_readers
from frontdesk.errors import BadSettings
from frontdesk.service.media.reader_table import FileReader

SMALL = (
    '[readers.bills]\nfor = ["document"]\ntypes = ["application/pdf"]\nrun = ["cat", "{file}"]\n'
)


def written(folder: Path, text: str, mode: int = 0o600) -> str:
    path = folder / "readers.toml"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def mistakes(folder: Path, text: str) -> list[str]:
    name = written(folder, text)
    with pytest.raises(BadSettings) as caught:
        read_readers(name)
    return [line.removeprefix(f"{name}, ") for line in str(caught.value).splitlines()]


def test_a_small_table_is_a_reader_with_defaults(tmp_path: Path) -> None:
    reader = FileReader("bills", ("document",), ("application/pdf",), (("cat", "{file}"),))
    assert read_readers(written(tmp_path, SMALL)) == (reader,)


def test_every_setting_is_read_and_tables_keep_their_order(tmp_path: Path) -> None:
    text = """
    [readers.voice]
    for = ["audio", "video"]
    types = ["audio/*", "video/mp4"]
    run = [["ffmpeg", "-i", "file:{file}", "v.wav"], ["hear", "-l", "{language}", "v.wav"]]
    language = "es"
    timeout = "5m"
    at_once = 2
    most_bytes = "3MB"
    most_seconds = 60
    most_pixels = 5
    memory = "1GB"
    senders = ["contact", "business"]
    accounts = ["shop"]
    channels = ["106540352242922"]
    environment = { HEAR_THREADS = "1" }
    output = "v.txt"
    fallthrough = true
    [readers.voice.languages]
    106540352242922 = "pt"
    """
    (voice, bills) = read_readers(written(tmp_path, text + SMALL))
    assert voice == FileReader(
        "voice", ("audio", "video"), ("audio/*", "video/mp4"),
        (("ffmpeg", "-i", "file:{file}", "v.wav"), ("hear", "-l", "{language}", "v.wav")),
        "es", {"106540352242922": "pt"}, 300.0, 2, 3_000_000, 60, 5, 1_000_000_000,
        ("contact", "business"), ("shop",), ("106540352242922",), {"HEAR_THREADS": "1"}, "v.txt",
        fallthrough=True,
    )  # fmt: skip
    assert bills.name == "bills"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('for = ["voice"]', 'use a list of "image", "video", "audio", "document", "sticker"'),
        ("for = []", 'use a list of "image", "video", "audio", "document", "sticker"'),
        ('types = "audio/ogg"', "use a list of texts in quotes"),
        ('types = ["*/ogg"]', "use a list of MIME types"),
        ('types = ["audio/o\' OR 1=1"]', "use a list of MIME types"),
        ('run = "cat {file}"', 'use a program and its arguments, ["tesseract", "{file}", "-"]'),
        ("run = [[]]", "use a program and its arguments"),
        ('run = [["cat"], "cat"]', "use a program and its arguments"),
        ('run = ["{file}"]', "the name of a program has no placeholder"),
        ('run = ["bin/hear", "{file}"]', "use its name, or its whole path"),
        (
            'run = ["cat", "{name}"]',
            "there is no {name}: use {file}, {mime}, {language}, {seconds}",
        ),
        ('timeout = "31m"', 'use a time like "90s" or "2m", up to "30m"'),
        ("at_once = 0", "use a number, 1 to 64"),
        ('most_bytes = "much"', "give a number with KB, MB, GB or TB, such as 100MB"),
        ('senders = ["bot"]', 'use a list of "contact", "business"'),
        ('language = "es; rm"', "use the name that the program knows it by"),
        ('languages = "es"', "use a table of channels"),
        ("environment = { A = 1 }", 'use a table of texts: { OMP_THREAD_LIMIT = "1" }'),
        ('output = "../text"', "use the name of a file, without a folder"),
        ("fallthrough = 1", "use true or false"),
        ('program = "cat"', "'program' means nothing here"),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(tmp_path: Path, line: str, words: str) -> None:
    name = line.partition(" ")[0]
    rest = "".join(other for other in SMALL.splitlines(True) if not other.startswith(f"{name} "))
    (mistake,) = mistakes(tmp_path, f"{rest}{line}\n")
    assert mistake.startswith(f"line {len(rest.splitlines()) + 1}: ")
    assert words in mistake


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "[readers.a]\n") == [
        f"line 1: a reader needs {name}" for name in ("for", "types", "run")
    ]
    spoken = SMALL.replace("{file}", "{language}")
    assert mistakes(tmp_path, spoken) == [
        'line 4: {language} needs a language: write language = "es"'
    ]
    assert mistakes(tmp_path, "") == ["line 1: there is no reader: write [readers.NAME]"]
    assert mistakes(tmp_path, "[voice]\n")[0] == (
        "line 1: 'voice' means nothing here: write [readers.NAME]"
    )
    assert mistakes(tmp_path, SMALL.replace("bills", '"a b"')) == [
        "line 1: 'a b' is no name: letters, digits, - and _ are"
    ]


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        (SMALL, 0o622, "Others can change .*: chmod go-w"),
        ("[readers", 0o600, "is not TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, mode: int, words: str
) -> None:
    with pytest.raises(BadSettings, match=words):
        read_readers(written(tmp_path, text, mode))
    with pytest.raises(BadSettings, match="cannot be read"):
        read_readers(str(tmp_path / "absent"))


def test_programs_are_looked_for_and_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o700)
    good = SMALL.replace('"cat"', f'"{program}"')
    assert [one.name for one in checked_readers(written(tmp_path, good))] == ["bills"]
    result = run_command("config", "check", "--media-readers", written(tmp_path, good))
    assert result.stdout.endswith("is all right: bills\n")
    told = run_command("doctor", "--json=machine", "--media-readers", written(tmp_path, good))
    assert json.loads(told.stdout)["machine"]["media_readers"] == "bills"
    bad = written(tmp_path, SMALL.replace('"cat"', '"no-such-program"'))
    with pytest.raises(BadSettings, match="the reader bills runs no-such-program, which is not th"):
        checked_readers(bad)
    told = run_command("doctor", "--media-readers", bad)
    assert "runs no-such-program, which is not there" in " ".join(told.stdout.split())
    assert not ran.exists()

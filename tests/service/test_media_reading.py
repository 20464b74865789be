"""Reading of files by real programs: what becomes of each file, and what programs get and leave.

The readers are scripts of Python that are written beside the test.
"""

import asyncio
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.patience import HANG_SECONDS

from frontdesk.errors import Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageRevoke, MessageUpsert, Person
from frontdesk.service.access_log import Telemetry
from frontdesk.service.media import reading
from frontdesk.service.media.reader_table import FileReader, ReadableFile
from frontdesk.service.media.reading import MediaReading
from frontdesk.store import media, media_texts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import Claim, MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.media_files import FileDeleted

ACCOUNT, MINUTE = 1, 60_000
BEGIN = 1_774_000_000_000
CHANNEL, PHONE = "106540352242922", "+14155550142"
ECHO = "import sys; print(open(sys.argv[1]).read())"


class Counts(Telemetry):
    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.resting: dict[str, bool] = {}
        # Workers count in threads of their own.
        self._counted = threading.Condition()

    def are(self, number: int) -> bool:
        """Wait until so many files were tried; False if that does not come."""
        with self._counted:
            return self._counted.wait_for(lambda: self.outcomes.total() >= number, HANG_SECONDS)

    def media_text(self, reader: str, outcome: str, seconds: float) -> None:
        with self._counted:
            self.outcomes[outcome] += 1
            self._counted.notify_all()

    def media_texts_resting(self, readers: Mapping[str, bool]) -> None:
        self.resting = dict(readers)


def script(source: str, **changes: Any) -> FileReader:
    """A reader of voice messages that is a program of Python."""
    arguments = (sys.executable, "-c", source, "{file}")
    reader = FileReader("voice", ("audio",), ("audio/*",), (arguments,), timeout=HANG_SECONDS)
    return reader._replace(**changes)


class Desk:
    """An inbox with files, readers, and a clock that the test moves."""

    def __init__(self, database: Database, root: Path) -> None:
        self.database = database
        self.files = MediaDirectory(root / "media", least_free_bytes=0)
        self.now = BEGIN
        self.counts = Counts()
        self.count = 0

    def add(
        self,
        content: str | bytes = "Good morning",
        *,
        kind: str = "audio",
        mime: str = "audio/ogg",
        outbound: bool = False,
        **facts: Any,
    ) -> str:
        """Add a message with a stored file; returns the file's key."""
        self.count += 1
        number, key = self.count, f"key-{self.count}"
        event = MessageUpsert(
            CHANNEL, Person(phone=PHONE), f"w{number}", BEGIN + number, outbound,
            Author("user" if outbound else "contact"), kind, "webhook",
        )  # fmt: skip
        self.database.write(lambda c: apply_events(c, ACCOUNT, [event], now=BEGIN))
        with self.files.receive(ACCOUNT, 1 << 20) as incoming:
            incoming.write(content.encode() if isinstance(content, str) else content)
            digest = incoming.keep()
        file = replace(StoredFile(digest, len(content), mime), **facts)

        def store(connection: Connection) -> None:
            sql = "SELECT id, channel_id FROM message WHERE wamid = :wamid"
            row = connection.row(sql, {"wamid": f"w{number}"})
            assert row is not None
            request = MediaRequest(
                key, row["id"], row["channel_id"], kind, media.WHATSAPP, "r", BEGIN + number
            )
            media.add_stored(connection, ACCOUNT, request, file, BEGIN, lambda: True)
            media_texts.mark_again(connection, ACCOUNT, after=0, message_id=row["id"])

        self.database.write(store)
        return key

    def reading(self, *readers: FileReader) -> MediaReading:
        return MediaReading(self.database, self.files, readers, lambda: self.now, self.counts)

    def passes(self, reading: MediaReading, *minutes: int) -> None:
        """Let the slots work at these minutes after the beginning."""

        async def work() -> None:
            self.now = BEGIN + (minutes or (0,))[0] * MINUTE
            working = asyncio.create_task(reading.lanes.run())
            await asyncio.sleep(0)
            await reading.lanes.idle()
            for minute in minutes[1:]:
                self.now = BEGIN + minute * MINUTE
                reading.lanes.look()
                await reading.lanes.idle()
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working

        asyncio.run(work())

    def read(self, *readers: FileReader) -> None:
        self.passes(self.reading(*readers))

    def row(self, key: str) -> Row:
        row = self.database.read(lambda c: c.row("SELECT * FROM media WHERE key = :k", {"k": key}))
        assert row is not None
        return row

    def text(self, key: str) -> str | None:
        text: str | None = self.row(key)["text"]
        return text

    def state(self, key: str) -> tuple[str, int]:
        row = self.row(key)
        return row["text_state"], row["attempts"]

    def fifos(self, *names: str) -> list[str]:
        """Pipes with names, by which a program and a test wait for each other."""
        paths = [str(self.files.root.parent / name) for name in names]
        for path in paths:
            os.mkfifo(path)
        return paths

    @property
    def revision(self) -> int:
        row = self.database.read(lambda c: c.row("SELECT revision FROM account WHERE id = 1"))
        assert row is not None
        number: int = row["revision"]
        return number


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> Desk:
    return Desk(database, tmp_path)


@pytest.mark.both_engines
def test_words_of_a_file_are_stored_with_who_read_them_and_clients_are_told(desk: Desk) -> None:
    key, revision = desk.add("Good\n\n morning "), desk.revision
    desk.read(script(ECHO, language="en"))
    row = desk.row(key)
    assert (row["text"], row["text_state"], row["text_at"]) == ("Good\nmorning", "read", BEGIN)
    assert (row["text_by"].partition("@")[0], row["text_language"]) == ("voice", "en")
    # The revision of many files rises once.
    assert desk.revision == revision + 1


def test_the_newest_files_are_read_first_and_those_of_the_business_are_not(desk: Desk) -> None:
    order = desk.files.root.parent / "order"
    source = "import sys; t = open(sys.argv[1]).read(); print(t); open(sys.argv[2], 'a').write(t)"
    own = desk.add("mine", outbound=True)
    for text in "abc":
        desk.add(text)
    reader = script(source)
    desk.read(reader._replace(run=((*reader.run[0], str(order)),)))
    assert order.read_text() == "cba"
    # No reader takes it: it is as if nobody had asked.
    assert desk.row(own)["text_state"] is None


def test_silence_is_no_failure(desk: Desk) -> None:
    key = desk.add()
    desk.read(script("print(' \\n \\f')"))
    assert (desk.text(key), desk.state(key)) == (None, ("none", 1))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import sys; print('half'); sys.exit('no such model')", "exit code 1: no such model"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9"),
        ("print('x'); import os; os._exit(3)", "exit code 3"),
    ],
)
def test_a_program_that_fails_is_run_again_with_pauses_and_then_given_up(
    desk: Desk, source: str, reason: str
) -> None:
    key, slots = desk.add(), desk.reading(script(source))
    desk.passes(slots, 0)
    assert desk.state(key) == ("due", 1)
    assert desk.row(key)["reason"].endswith(reason)
    desk.passes(slots, 0, 1, 5, 12, 40, 80)
    assert (desk.text(key), desk.state(key)) == (None, ("failed", 4))


def test_a_program_that_hangs_is_ended(desk: Desk) -> None:
    key = desk.add()
    desk.read(script("")._replace(run=(("sleep", "999"),), timeout=0.1))
    assert desk.state(key) == ("due", 1)
    assert desk.row(key)["reason"].startswith("sleep: ended after ")


def is_running(pid: int) -> bool:
    """Check for a process that is not a zombie."""
    with suppress(ProcessLookupError, FileNotFoundError):
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_program_that_leaves_another_with_its_output_open_is_not_waited_for(desk: Desk) -> None:
    child = "import time; time.sleep(999)"
    source = f"""
import subprocess, sys
print('words')
p = subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)
sys.stdout.flush()
open({str(desk.files.root.parent / "pid")!r}, 'w').write(str(p.pid))
"""
    key = desk.add()
    desk.read(script(source))
    os.kill(int((desk.files.root.parent / "pid").read_text()), 9)
    assert desk.text(key) == "words"


def test_a_very_long_output_is_cut_and_says_so(desk: Desk) -> None:
    key = desk.add()
    desk.read(script("for n in range(200_000): print('word', n)"))
    text = desk.text(key)
    assert text is not None
    assert (len(text), text[-10:], "left out" in text) == (20_000, "(cut here)", False)


def test_blank_lines_of_a_long_output_bring_no_line_of_ours_into_the_text(desk: Desk) -> None:
    key = desk.add()
    desk.read(script("print('\\n' * 3_000_000 + 'end')"))
    assert (desk.text(key), desk.state(key)[0]) == (None, "none")


@pytest.mark.both_engines
def test_bytes_that_are_no_text_and_sequences_for_terminals_are_made_harmless(desk: Desk) -> None:
    said = b"caf\xe9 \x1b[2Jx\x1b]0;title\x07 \x00\xe2\x80\xae\xe2\x80\x8b y\r\n10 %\r90 %\rTotal\n"
    key = desk.add()
    desk.read(script(f"import sys; sys.stdout.buffer.write({said!r})"))
    text = desk.text(key)
    assert text is not None
    assert text.splitlines()[1] == "Total"
    assert not {"\x1b", "\x00", "\u202e", "\xe9", "%"} & set(text)


def test_a_program_that_writes_a_file_is_read_from_it(desk: Desk) -> None:
    key = desk.add()
    source = "open('voice.txt', 'w').write('from the file'); print('progress')"
    desk.read(script(source, output="voice.txt"))
    assert desk.text(key) == "from the file"


@pytest.mark.parametrize("what", ["", "os.symlink('/etc/hostname', 'a.txt')", "os.mkfifo('a.txt')"])
def test_what_is_no_file_of_the_folder_is_not_read(desk: Desk, what: str) -> None:
    key = desk.add()
    desk.read(script(f"import os; {what}", output="a.txt"))
    assert desk.row(key)["reason"].endswith("a.txt was not written")


def test_steps_share_a_private_folder_that_is_deleted(desk: Desk) -> None:
    key = desk.add()
    first = "import sys; open('half', 'w').write(open(sys.argv[1]).read().upper())"
    second = "import os; print(open('half').read()); print(os.getcwd(), oct(os.stat('.').st_mode))"
    reader = script("")
    steps = tuple((sys.executable, "-c", source, "{file}") for source in (first, second))
    desk.read(reader._replace(run=steps))
    words, place = (desk.text(key) or "").splitlines()
    folder, mode = place.split()
    assert (words, mode, Path(folder).exists()) == ("GOOD MORNING", "0o40700", False)


def test_a_step_that_fails_ends_the_run(desk: Desk) -> None:
    key = desk.add()
    steps = ((sys.executable, "-c", "raise SystemExit(4)"), (sys.executable, "-c", "print('no')"))
    desk.read(script("")._replace(run=steps))
    assert (desk.text(key), desk.state(key)) == (None, ("due", 1))


def test_nothing_that_a_stranger_wrote_is_in_an_argument_and_no_secret_in_the_environment(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "FRONTDESK_API_KEY"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("LC_TIME", "C")
    key = desk.add(duration_ms=61_500)
    source = (
        "import os, sys; print(sys.argv[1:]); print(*sorted(os.environ)); print(sys.stdin.read())"
    )
    program, *rest = script(source).run[0]
    reader = script(source)._replace(
        run=((program, *rest[:2], "file:{file}", "{mime}", "{language}", "{seconds}"),),
        language="es",
        languages={CHANNEL: "pt"},
        environment={"OMP_THREAD_LIMIT": "1"},
    )
    desk.read(reader)
    arguments, variables = (desk.text(key) or "").splitlines()
    assert arguments == "['file:file.ogg', 'audio/ogg', 'pt', '61']"
    own = {"HOME", "LANG", "LC_CTYPE", "LC_TIME", "OMP_THREAD_LIMIT", "PATH", "TMPDIR", "TZ"}
    assert set(variables.split()) <= own
    assert desk.row(key)["text_language"] == "pt"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory holds on Linux")
def test_a_program_is_nice_and_has_limits(desk: Desk) -> None:
    key = desk.add()
    source = (
        "import os, resource as r; print(os.nice(0), *(r.getrlimit(one)[0]"
        " for one in (r.RLIMIT_AS, r.RLIMIT_CORE)))"
    )
    desk.read(script(source, memory=900_000_000))
    nice, *limits = map(int, (desk.text(key) or "").split())
    assert (nice >= 10, limits) == (True, [900_000_000, 0])
    key = desk.add("another")
    desk.read(script("bytearray(1_000_000_000)", memory=900_000_000))
    assert "MemoryError" in desk.row(key)["reason"]


def test_files_that_are_over_a_limit_are_refused_before_a_program_runs(desk: Desk) -> None:
    long = desk.add("a", duration_ms=1_201_000)
    large = desk.add("b" * 31)
    unknown = desk.add("c", mime="audio/amr")
    reader = script(ECHO, most_bytes=30)
    desk.read(reader)
    assert [desk.state(key)[0] for key in (long, large, unknown)] == ["failed", "failed", "read"]
    assert desk.row(long)["reason"] == "the file is longer than 1,200 seconds"
    picture = reader._replace(kinds=("image",), types=("image/*",))
    huge = desk.add("d", kind="image", mime="image/png", width=20_000, height=15_000)
    unseen = desk.add("e", kind="image", mime="image/webp")
    small = desk.add("f", kind="image", mime="image/png", width=20, height=15)
    desk.read(picture)
    assert [desk.state(key)[0] for key in (huge, unseen, small)] == ["failed", "failed", "read"]
    assert desk.row(huge)["reason"] == "the picture has more than 40,000,000 pixels"


def test_the_same_bytes_are_read_once_for_all_messages(desk: Desk) -> None:
    runs = desk.files.root.parent / "runs"
    source = "import sys; print('hi'); open(sys.argv[2], 'a').write('.')"
    keys = [desk.add("the same") for _ in range(7)]
    reader = script(source, at_once=3)
    reader = reader._replace(run=((*reader.run[0], str(runs)),))
    desk.read(reader)
    assert [desk.text(key) for key in keys] == ["hi"] * 7
    assert runs.read_text() == "."
    # Marked again, what the same reader has read is left as it is.
    desk.database.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
    desk.read(reader)
    assert (runs.read_text(), {desk.state(key)[0] for key in keys}) == (".", {"read"})
    desk.database.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
    desk.read(reader._replace(language="pt"))
    assert runs.read_text() == ".."


def test_any_number_of_files_that_are_read_already_is_unmarked_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LOOKED_THROUGH", 2)
    keys = [desk.add(f"{number}") for number in range(5)]
    desk.read(script(ECHO))
    desk.database.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
    desk.read(script(ECHO))
    assert [desk.state(key)[0] for key in keys] == ["read"] * 5
    desk.database.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
    desk.read(script(ECHO, kinds=("document",)))
    assert [desk.state(key)[0] for key in keys] == ["read"] * 5
    assert desk.counts.outcomes == {"read": 5}


def test_a_better_reader_replaces_a_text_and_a_worse_one_does_not(desk: Desk) -> None:
    key = desk.add()
    desk.read(script("print('old words')"))
    for source, text in (
        ("print('new words')", "new words"),
        ("print()", "new words"),
        ("raise SystemExit(1)", "new words"),
    ):
        desk.database.write(lambda c: media_texts.mark_again(c, ACCOUNT, after=0))
        desk.passes(desk.reading(script(source)), 0, 1, 12, 80)
        assert (desk.text(key), desk.row(key)["text_state"]) == (text, "read")


def test_where_one_finds_nothing_the_next_reader_has_the_file(desk: Desk) -> None:
    key = desk.add()
    first = script("", name="layer", fallthrough=True)
    desk.read(first, script("print('scanned')", name="scan"))
    assert desk.text(key) == "scanned"
    assert desk.row(key)["text_by"].startswith("scan@")
    # A limit of the next reader is no failure of the first one.
    large = desk.add("large")
    desk.read(first, script("print('scanned')", name="scan", most_bytes=1))
    assert desk.state(large)[0] == "none"
    # The first one that takes a file has it.
    other = desk.add("other")
    desk.read(first._replace(fallthrough=False), script("print('scanned')", name="scan"))
    assert desk.state(other)[0] == "none"


def test_a_reader_is_chosen_by_what_the_file_is_and_not_by_what_it_is_called(desk: Desk) -> None:
    row = {
        "kind": "audio", "mime": "audio/ogg", "direction": 0, "phone_number_id": CHANNEL,
    }  # fmt: skip
    file = ReadableFile(row, "shop", "d")
    reader = script("", accounts=("shop",), channels=(CHANNEL,))
    assert reader.takes(file)
    for changes in (
        {"kind": "video"}, {"mime": "video/mp4"}, {"mime": None}, {"direction": 1},
        {"direction": None}, {"phone_number_id": "9"},
    ):  # fmt: skip
        assert not reader.takes(file._replace(row={**row, **changes}))
    assert not reader.takes(file._replace(account="other"))
    both = reader._replace(senders=("contact", "business"))
    assert both.takes(file._replace(row={**row, "direction": 1}))


def test_later_is_no_failure_and_rests_the_reader(desk: Desk) -> None:
    keys = [desk.add(text) for text in "ab"]
    reading = desk.reading(script("import sys; sys.exit(75)"))
    desk.passes(reading, 0, 5)
    assert [desk.state(key) for key in keys] == [("due", 0), ("due", 0)]
    # The other one was not tried.
    assert [desk.row(key)["reason"] is None for key in keys] == [True, False]
    assert desk.counts.resting == {"voice": True}


def test_a_missing_model_does_not_spend_the_attempts_of_every_file(desk: Desk) -> None:
    keys = [desk.add(f"{n}") for n in range(12)]
    reading = desk.reading(script("raise SystemExit('no model')"))
    desk.passes(reading, 0)
    tried = [desk.state(key)[1] for key in reversed(keys)]
    # The fifth one shows that it is not the file.
    assert tried == [1, 1, 1, 1, 0, *[0] * 7]
    desk.passes(reading, 10, 20)
    assert sum(desk.state(key)[1] for key in keys) == 4
    # After the rest one file is tried, and is not charged for it.
    desk.passes(reading, 31)
    assert sum(desk.state(key)[1] for key in keys) == 4


def test_an_error_that_is_printed_as_words_rests_the_reader(desk: Desk) -> None:
    keys = [desk.add(f"{n}") for n in range(9)]
    desk.read(script("print('Error: no credits')"))
    assert [desk.text(key) is None for key in reversed(keys)] == [False] * 5 + [True] * 4


def test_a_file_that_was_removed_meanwhile_is_final(desk: Desk) -> None:
    key = desk.add()
    desk.files.delete(ACCOUNT, hashlib.sha256(b"Good morning").hexdigest())
    desk.read(script(ECHO))
    assert desk.state(key)[0] == "failed"
    assert desk.row(key)["reason"] == "the file is not there any more"


def test_a_file_that_is_deleted_while_it_is_copied_fails_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a bucket, of which it is read in pieces."""

    class Deleted:
        size, chunk_bytes = 12, 4

        def read(self, place: int, length: int) -> bytes:
            raise FileDeleted("A file of s3://shop-files was deleted while it was read")

        def close(self) -> None:
            pass

    opened, gone = desk.files.open, hashlib.sha256(b"Good morning").hexdigest()
    monkeypatch.setattr(
        desk.files,
        "open",
        lambda account_id, digest: Deleted() if digest == gone else opened(account_id, digest),
    )
    other, key = desk.add("Good evening"), desk.add("Good morning")
    desk.read(script(ECHO))
    assert (desk.state(key)[0], desk.row(key)["reason"]) == (
        "failed", "the file is not there any more",
    )  # fmt: skip
    assert desk.text(other) == "Good evening"


def test_a_message_that_is_deleted_while_a_program_runs_has_no_words(desk: Desk) -> None:
    key, (begun, goes_on) = desk.add(), desk.fifos("begun", "goes-on")
    source = f"open({begun!r}, 'w').close(); open({goes_on!r}).read(); print('words')"
    reading = desk.reading(script(source))
    reading.lanes.start()
    Path(begun).read_text()
    revoke = MessageRevoke(CHANNEL, "w1", BEGIN + 9)
    desk.database.write(lambda c: apply_events(c, ACCOUNT, [revoke], now=BEGIN))
    Path(goes_on).write_text("")
    assert desk.counts.are(1)
    reading.lanes.close()
    assert (desk.counts.outcomes, desk.text(key)) == ({"lost": 1}, None)


def test_a_service_that_is_stopped_ends_programs_and_gives_claims_back(desk: Desk) -> None:
    key, (begun,) = desk.add(), desk.fifos("begun")
    source = f"import os, time; open({begun!r}, 'w').write(str(os.getpid())); time.sleep(999)"
    reading = desk.reading(script(source))
    reading.lanes.start()
    pid = int(Path(begun).read_text())
    reading.lanes.close()
    assert not is_running(pid)
    row = desk.row(key)
    assert (row["text_state"], row["attempts"], row["claim"]) == ("due", 0, None)


@pytest.mark.skipif(sys.platform != "linux", reason="programs are told of the end on Linux")
def test_no_program_outlives_a_service_that_is_killed(tmp_path: Path) -> None:
    begun, ended = str(tmp_path / "begun"), str(tmp_path / "ended")
    os.mkfifo(begun)
    os.mkfifo(ended)
    # The kernel closes the end of a pipe that nobody holds any more.
    program = (
        f"import os, time; end = open({ended!r}, 'w'); open({begun!r}, 'w').close();"
        " time.sleep(999)"
    )
    service = f"""
import asyncio, pathlib, sys
from frontdesk.service.media.reader_table import FileReader, ReadableFile
from frontdesk.service.media.readers import words_of
reader = FileReader("voice", (), (), ((sys.executable, "-c", {program!r}),))
file = ReadableFile({{"duration_ms": 0, "mime": "", "phone_number_id": ""}}, "", "")
asyncio.run(words_of(reader, file, "", pathlib.Path({str(tmp_path)!r})))
"""
    process = subprocess.Popen([sys.executable, "-c", service])
    with open(ended) as end:
        Path(begun).read_text()
        process.kill()
        process.wait()
        assert end.read() == ""


@pytest.mark.both_engines
def test_what_a_killed_worker_had_claimed_is_read_as_soon_as_another_starts(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = desk.files.root.parent
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    key, other = desk.add("mine"), desk.add("of a worker that runs")
    for each, pid, token in ((key, ended.pid, "dead"), (other, os.getpid(), "alive")):
        (folder / f"frontdesk-reading-{pid}-{token}-x").mkdir()
        claim = Claim(token, BEGIN, BEGIN + 30 * MINUTE)
        assert desk.database.write(partial(begin, each, claim))
    desk.read(script(ECHO))
    assert (desk.text(key), desk.state(key)) == ("mine", ("read", 2))
    assert desk.row(other)["claim"] == "alive"
    left = sorted(path.name for path in folder.glob("frontdesk-reading-*"))
    assert left == [f"frontdesk-reading-{os.getpid()}-alive-x"]


def test_files_are_read_though_the_database_takes_no_writes_at_the_start(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = desk.files.root.parent
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (folder / f"frontdesk-reading-{ended.pid}-dead-x").mkdir()

    def refuse(connection: Connection, tokens: object) -> None:
        raise Unreachable("The database is busy")

    monkeypatch.setattr(media_texts, "release", refuse)
    key = desk.add("Good morning")
    reading = desk.reading(script(ECHO))
    reading.lanes.start()
    assert desk.counts.are(1)
    reading.lanes.close()
    assert desk.text(key) == "Good morning"


def begin(key: str, claim: Claim, connection: Connection) -> bool:
    return media_texts.claim(connection, ACCOUNT, key, claim)


@pytest.mark.both_engines
def test_two_workers_read_each_file_once(desk: Desk) -> None:
    keys = [desk.add(f"{n}") for n in range(8)]
    runs = desk.files.root.parent / "runs"
    source = "import sys; t = open(sys.argv[1]).read(); print(t); open(sys.argv[2], 'a').write(t)"
    reader = script(source, at_once=2)
    reader = reader._replace(run=((*reader.run[0], str(runs)),))
    workers = [desk.reading(reader) for _ in range(2)]
    for worker in workers:
        worker.lanes.start()
    assert desk.counts.are(len(keys))
    for worker in workers:
        worker.lanes.close()
    assert sorted(runs.read_text()) == sorted("01234567")
    assert [desk.text(key) for key in keys] == [*"01234567"]

"""Programs that follow an inbox, while they and the service are killed."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from servers import kill, serving, wait_until

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.sqlite import SQLiteDatabase

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SQLiteDatabase]:
    database = SQLiteDatabase(tmp_path / "inbox.db", create=True)
    yield database
    database.close()


def write(database: SQLiteDatabase, number: int) -> None:
    """Bring a message of a customer of its own."""
    event = MessageUpsert(
        "108200000000011", Person(f"+4477009007{number:02}"), f"c{number}", 1_774_200_000_000,
        False, Author("contact"), "text", "webhook", text="Hi",
    )  # fmt: skip
    database.write(lambda connection: apply_events(connection, 1, [event], now=1))


def customers(*numbers: int) -> set[str]:
    return {f"+4477009007{number:02}" for number in numbers}


def environment(url: str, directory: Path) -> dict[str, str]:
    order = KeyOrder("default", "x", None, SCOPES, None)
    key = str(make_key(str(directory / "inbox.db"), order, now=0)["key"])
    programs = directory / "programs"
    programs.mkdir()
    script = programs / "frontdesk"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m frontdesk "$@"\n')
    script.chmod(0o700)
    path = f"{programs}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "FRONTDESK_API_KEY": key, "FRONTDESK_URL": url}


def test_following_goes_on_after_the_service_was_killed(
    database: SQLiteDatabase, tmp_path: Path
) -> None:
    with serving() as serve:
        process, url = serve("--database", str(tmp_path / "inbox.db"))
        command = [sys.executable, "-m", "frontdesk", "changes", "--follow", "--format", "jsonl"]
        variables = environment(url, tmp_path)
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
        ) as program:
            assert program.stdout is not None

            def phone() -> str:
                assert program.stdout is not None
                lines = map(json.loads, iter(program.stdout.readline, ""))
                row = next(line["conversation"] for line in lines if line["kind"] != "names")
                return str(row["contact"]["phone"])

            assert json.loads(program.stdout.readline())["kind"] == "position"
            write(database, 1)
            assert {phone()} == customers(1)
            kill(process)
            process.wait()
            write(database, 2)
            assert program.stderr is not None
            assert program.stderr.readline().endswith("; trying again\n")
            serve("--database", str(tmp_path / "inbox.db"), "--port", str(urlsplit(url).port))
            write(database, 3)
            assert {phone(), phone()} == customers(2, 3)
            program.send_signal(signal.SIGINT)
            _, complaints = program.communicate()
        assert program.returncode == 130
        assert complaints.strip() == "frontdesk: the server answers again"


def test_the_spreadsheet_of_the_page_has_every_change_though_its_program_is_killed(
    database: SQLiteDatabase, tmp_path: Path
) -> None:
    found = re.search(
        r"<!-- file: (?P<name>\S+\.py) -->\n```python\n(?P<text>.*?)```",
        PAGE.read_text(),
        re.DOTALL,
    )
    assert found is not None
    (tmp_path / found["name"]).write_text(found["text"])
    command = [sys.executable, found["name"], "--follow"]

    def written() -> set[str]:
        sheet = tmp_path / "inbox.csv"
        with sheet.open(newline="") if sheet.exists() else open(os.devnull) as file:
            return {row[-1] for row in csv.reader(file)}

    with serving() as serve:
        _, url = serve("--database", str(tmp_path / "inbox.db"))
        variables = environment(url, tmp_path)
        number = 0
        for _ in range(3):
            with subprocess.Popen(
                command, cwd=tmp_path, env=variables, start_new_session=True
            ) as program:
                wait_until((tmp_path / "position").exists)
                for _ in range(3):
                    write(database, number)
                    number += 1
                wait_until(lambda number=number: customers(number - 3) <= written())
                os.killpg(program.pid, signal.SIGKILL)
        with subprocess.Popen(
            command, cwd=tmp_path, env=variables, start_new_session=True
        ) as program:
            wait_until(lambda: customers(*range(number)) == written())
            os.killpg(program.pid, signal.SIGKILL)

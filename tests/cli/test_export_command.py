"""`frontdesk export events`: to a file or a pipe, whole or not at all."""

import gzip
import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.commands.export import export_group
from frontdesk.cli.commands.import_ import import_group
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.archive import export
from frontdesk.store.sqlite import SQLiteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True).close()
    lines = tmp_path / "lines.ndjson"
    lines.write_text(json.dumps({"kind": "label", "title": "vip", "description": "ünïcode"}))
    done = CliRunner().invoke(import_group, ["events", str(lines), "--database", str(path)])
    assert done.exit_code == 0
    return path


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(export_group, ["events", "--database", str(path), *arguments])


def test_lines_go_to_standard_output_and_nothing_else_does(path: Path) -> None:
    result = run(path)
    assert [json.loads(line)["kind"] for line in result.stdout.splitlines()] == ["account", "label"]
    assert result.stderr == ""


def test_a_file_is_its_owners_alone(path: Path) -> None:
    output = path.with_name("backup.ndjson")
    result = run(path, "-o", str(output))
    assert result.stdout == f"2 lines written to {output}\n"
    assert "ünïcode" in output.read_text()
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_a_name_in_gz_is_packed(path: Path) -> None:
    output = path.with_name("backup.ndjson.gz")
    run(path, "-o", str(output))
    assert gzip.decompress(output.read_bytes()).decode() == run(path).stdout


def test_a_file_that_cannot_be_written_leaves_nothing(path: Path) -> None:
    output = path.with_name("nowhere") / "backup.ndjson"
    assert isinstance(run(path, "-o", str(output)).exception, UnusableFile)
    taken = path.with_name("taken")
    taken.mkdir()
    assert isinstance(run(path, "-o", str(taken)).exception, UnusableFile)
    assert sorted(each.name for each in path.parent.iterdir() if each.name.startswith(".")) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(path: Path) -> None:
    pipe = path.parent / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(pipe.read_bytes)
        assert run(path, "-o", str(pipe)).exit_code == 0
        assert reading.result().decode() == run(path).stdout
    assert pipe.is_fifo()


def test_an_unknown_account_is_refused(path: Path) -> None:
    output = path.with_name("backup.ndjson")
    assert isinstance(run(path, "--account", "nope", "-o", str(output)).exception, BadSettings)
    assert not output.exists()


def test_an_export_moves_an_inbox_to_another_database(path: Path) -> None:
    output, other = path.with_name("backup.gz"), path.with_name("other.db")
    run(path, "-o", str(output))
    moved = CliRunner().invoke(import_group, ["events", str(output), "--database", str(other)])
    assert "2 lines of 1 file read" in moved.stdout
    titles = [json.loads(line).get("title") for line in run(other).stdout.splitlines()]
    assert titles == [json.loads(line).get("title") for line in run(path).stdout.splitlines()]


def test_an_interruption_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object) -> Iterator[dict[str, str]]:
        yield {"kind": "account"}
        raise KeyboardInterrupt

    output = path.with_name("backup.ndjson")
    output.write_text("an earlier one")
    monkeypatch.setattr(export, "lines", interrupted)
    result = run(path, "-o", str(output))
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "frontdesk: interrupted; no file was written\n"
    assert output.read_text() == "an earlier one"
    assert not [*path.parent.glob(".*partial*")]

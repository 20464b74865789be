"""Environment of subprocesses."""

import asyncio
import os
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.system.subprocess_environment import (
    KEY_VARIABLE,
    allowed,
    set_only_here,
    with_secrets,
)
from frontdesk.tui.clipboard import open_outside

SECRETS = {
    KEY_VARIABLE: "fd_live_secret",
    "FRONTDESK_WHATSAPP_ACCESS_TOKEN": "secret",
    "FRONTDESK_DATABASE": "postgresql://desk:secret@db.example.com/desk",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "PGPASSWORD": "secret",
    "SOME_SERVICE_CREDENTIALS": "secret",
    "https_proxy": "http://desk:secret@proxy.example.com:3128",
}


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("secrets")
def test_programs_get_what_is_listed_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"PATH": "/bin", "LC_TIME": "C", "DISPLAY": ":7", "NO_PROXY": "example.com"}
    for name, value in listed.items():
        monkeypatch.setenv(name, value)
    passed_on = allowed()
    assert listed.items() <= passed_on.items()
    assert not {*SECRETS} & {*passed_on}
    assert not any("secret" in value for value in passed_on.values())


def test_another_frontdesk_gets_all_but_what_is_set_for_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FRONTDESK_TEST_OWN", raising=False)
    monkeypatch.setenv(KEY_VARIABLE, "fd_live_secret")
    monkeypatch.setenv("FRONTDESK_TEST_USER", "theirs")
    set_only_here("FRONTDESK_TEST_OWN", "1")
    set_only_here("FRONTDESK_TEST_USER", "1")
    assert os.environ["FRONTDESK_TEST_OWN"] == "1"
    passed_on = with_secrets()
    assert (passed_on[KEY_VARIABLE], passed_on["FRONTDESK_TEST_USER"]) == (
        *("fd_live_secret", "theirs"),
    )
    assert "FRONTDESK_TEST_OWN" not in passed_on
    del os.environ["FRONTDESK_TEST_OWN"]


@pytest.mark.usefixtures("secrets")
@pytest.mark.skipif(sys.platform == "win32", reason="runs programs of POSIX")
def test_the_browser_and_a_job_get_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, got = tmp_path / "record.sh", tmp_path / "got"
    program.write_text(f"#!/bin/sh\nenv > {got}.new\nmv {got}.new {got}\n")
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    # A text browser would draw on the terminal, so it is one that runs beside.
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.BackgroundBrowser(str(program)))
    assert open_outside("https://example.com/")
    job = ProgramRun(Job(["env"]))
    asyncio.run(job.run())
    for text in (got.read_text(), job.output.text()):
        assert "PATH=" in text
        assert "secret" not in text


_FRAMES = """
import sys
sys.argv = ["frontdesk", "--version"]
from frontdesk.cli import main
try:
    main()
except SystemExit:
    from textual.screen import UPDATE_PERIOD
    print(round(1 / UPDATE_PERIOD))
"""


@pytest.mark.parametrize(("chosen", "drawn"), [(None, "240"), ("30", "30")])
def test_frames_a_second_are_those_of_the_user_or_240(
    chosen: str | None, drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXTUAL_FPS", raising=False)
    if chosen is not None:
        monkeypatch.setenv("TEXTUAL_FPS", chosen)
    program = [sys.executable, "-c", _FRAMES]
    printed = subprocess.run(program, capture_output=True, check=True, text=True).stdout
    assert printed.split()[-1] == drawn

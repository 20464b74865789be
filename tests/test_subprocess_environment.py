"""Environment of subprocesses."""

import os
import subprocess
import sys

import pytest

from frontdesk.system.subprocess_environment import (
    KEY_VARIABLE,
    set_only_here,
    with_secrets,
    without_secrets,
)


def test_keys_and_own_settings_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRONTDESK_TEST_OWN", raising=False)
    monkeypatch.setenv(KEY_VARIABLE, "fd_live_secret")
    monkeypatch.setenv("FRONTDESK_TEST_USER", "theirs")
    set_only_here("FRONTDESK_TEST_OWN", "1")
    set_only_here("FRONTDESK_TEST_USER", "1")
    passed_on = without_secrets()
    assert os.environ["FRONTDESK_TEST_OWN"] == "1"
    assert passed_on["FRONTDESK_TEST_USER"] == "theirs"
    assert KEY_VARIABLE in with_secrets()
    assert "FRONTDESK_TEST_OWN" not in with_secrets()
    assert {KEY_VARIABLE, "FRONTDESK_TEST_OWN"}.isdisjoint(passed_on)
    del os.environ["FRONTDESK_TEST_OWN"]


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

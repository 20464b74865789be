"""Environment of subprocesses."""

import os

import pytest

from frontdesk.subprocess_environment import (
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

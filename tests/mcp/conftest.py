"""Inboxes of the tests' own, and no configuration of whoever runs them."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where configuration, cache and state would be."""
    for name in ("API_KEY", "DATABASE", "PROFILE", "URL"):
        monkeypatch.delenv(f"FRONTDESK_{name}", raising=False)
    home = tmp_path / "home"
    home.mkdir()
    for name in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name))
    return home


@pytest.fixture
def inbox_file(sample_file: Path, tmp_path: Path) -> Path:
    """The sample in a file, in which the service writes that snoozes are over."""
    return Path(shutil.copy(sample_file, tmp_path / "sample.db"))

"""What of the configuration the viewer gets, in a terminal and on a page."""

from pathlib import Path

import pytest

from frontdesk.cli.config import parsed
from frontdesk.cli.viewer import preferences_of

PATH = Path("config.toml")
TEXT = """\
[viewer]
theme = "nord"

[profiles.desk]
url = "https://desk.example/v1"
theme = "monokai"

[[views]]
name = "Mine"
query = "is:open @me"
key = "8"

[[commands]]
name = "Look up"
run = ["true"]
"""


@pytest.mark.parametrize(
    ("driver", "commands"),
    [
        ("", ["Look up"]),
        ("textual.drivers.linux_driver:LinuxDriver", ["Look up"]),
        ("textual.drivers.web_driver:WebDriver", []),
    ],
)
def test_a_page_has_no_commands_that_run_programs_of_its_host(
    monkeypatch: pytest.MonkeyPatch, driver: str, commands: list[str]
) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", driver)
    preferences = preferences_of(parsed(PATH, TEXT), None, ())
    assert [command.name for command in preferences.commands] == commands
    assert [view.name for view in preferences.views] == ["Mine"]


def test_the_theme_of_a_profile_goes_before_that_of_the_viewer() -> None:
    configured = parsed(PATH, TEXT)
    assert not configured.mistakes
    of_desk = preferences_of(configured, configured.named("desk"), ("A notice",))
    assert (of_desk.viewer.theme, of_desk.profile) == ("monokai", "desk")
    assert of_desk.notices == ("A notice",)
    of_none = preferences_of(configured, None, ())
    assert (of_none.viewer.theme, of_none.profile) == ("nord", None)
    assert [*of_none.profiles] == ["desk"]

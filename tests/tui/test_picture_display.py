"""If and how a terminal shows pictures."""

from pathlib import Path

import pytest

from frontdesk.tui.picture_display import picture_display
from frontdesk.tui.preferences import MediaSettings

KITTY = {"TERM": "xterm-kitty", "LANG": "en_GB.UTF-8"}
XTERM = {"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}
KEPT = MediaSettings(directory=Path("/cache"), most_bytes=1)


@pytest.mark.parametrize(
    ("environment", "settings", "lines", "large"),
    [
        (XTERM, {}, 10, True),
        (KITTY, {}, 10, True),
        ({**XTERM, "SSH_CONNECTION": "10.0.0.1 22"}, {}, 6, True),
        ({**XTERM, "SSH_CONNECTION": "10.0.0.1 22"}, {"lines": 20}, 20, True),
        (XTERM, {"pictures": "large"}, 0, True),
        (XTERM, {"pictures": "off"}, 0, False),
        ({**XTERM, "TERM": "linux"}, {}, 0, False),
        ({**XTERM, "TERM": "linux"}, {"pictures": "blocks"}, 10, True),
        ({"TERM": "dumb"}, {}, 0, False),
        (XTERM, {"directory": None}, 0, False),
    ],
)
def test_the_environment_and_the_configuration_decide(
    environment: dict[str, str], settings: dict[str, object], lines: int, large: bool
) -> None:
    display = picture_display(KEPT._replace(**settings), environment)  # type: ignore[arg-type]
    assert (display.lines, display.large) == (lines, large)
    assert display.why


def test_sixteen_colours_have_cards() -> None:
    assert picture_display(KEPT, XTERM, sixteen_colours=True).lines == 0

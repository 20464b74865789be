"""If and how a terminal shows pictures."""

import pytest

from frontdesk.settings import ViewerSettings
from frontdesk.tui.picture_display import picture_display

KITTY = {"TERM": "xterm-kitty", "LANG": "en_GB.UTF-8"}
XTERM = {"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}
DEFAULTS = ViewerSettings()


@pytest.mark.parametrize(
    ("environment", "settings", "lines", "large"),
    [
        (XTERM, {}, 10, True),
        (KITTY, {}, 14, True),
        ({**KITTY, "SSH_CONNECTION": "10.0.0.1 22"}, {}, 6, True),
        (KITTY, {"pictures": "blocks"}, 10, True),
        ({**XTERM, "SSH_CONNECTION": "10.0.0.1 22"}, {}, 6, True),
        ({**XTERM, "SSH_CONNECTION": "10.0.0.1 22"}, {"picture_lines": 20}, 20, True),
        (XTERM, {"pictures": "large"}, 0, True),
        (XTERM, {"pictures": "off"}, 0, False),
        ({**XTERM, "TERM": "linux"}, {}, 0, False),
        ({**XTERM, "TERM": "linux"}, {"pictures": "blocks"}, 10, True),
        ({"TERM": "dumb"}, {}, 0, False),
    ],
)
def test_the_environment_and_the_configuration_decide(
    environment: dict[str, str], settings: dict[str, object], lines: int, large: bool
) -> None:
    display = picture_display(DEFAULTS._replace(**settings), environment)  # type: ignore[arg-type]
    assert (display.lines, display.large) == (lines, large)
    assert display.why


def test_without_kept_files_there_are_no_pictures() -> None:
    display = picture_display(DEFAULTS, XTERM, keeps_files=False)
    assert (display.lines, display.large) == (0, False)


def test_sixteen_colours_have_cards() -> None:
    assert picture_display(DEFAULTS, XTERM, sixteen_colours=True).lines == 0


TMUX = {"TERM": "tmux-256color", "LANG": "en_GB.UTF-8", "TMUX": "/tmp/tmux-1000/default,1,0"}


@pytest.mark.parametrize(
    ("environment", "settings", "drawn"),
    [
        (KITTY, {}, True),
        ({**XTERM, "TERM": "xterm-ghostty"}, {}, True),
        ({**XTERM, "TERM_PROGRAM": "ghostty"}, {}, True),
        (KITTY, {"pictures": "large"}, True),
        (KITTY, {"pictures": "blocks"}, False),
        ({**KITTY, "ZELLIJ": "0"}, {}, False),
        # What kitty sets stays in the environment behind tmux.
        ({**TMUX, "KITTY_WINDOW_ID": "1", "TERM_PROGRAM": "tmux"}, {}, False),
        (TMUX, {"pictures": "kitty"}, True),
        ({**XTERM, "TERM_PROGRAM": "WezTerm"}, {}, False),
        ({**XTERM, "KONSOLE_VERSION": "240800"}, {}, False),
        (XTERM, {"pictures": "kitty"}, True),
    ],
)
def test_the_terminal_draws_pictures_where_it_has_placeholders(
    environment: dict[str, str], settings: dict[str, object], drawn: bool
) -> None:
    display = picture_display(DEFAULTS._replace(**settings), environment)  # type: ignore[arg-type]
    assert (display.by_terminal, display.large) == (drawn, True)
    assert display.in_tmux == (drawn and environment is TMUX)


def test_where_colours_do_not_arrive_as_they_are_pictures_are_blocks() -> None:
    display = picture_display(DEFAULTS, KITTY, is_direct=False)
    assert (display.by_terminal, display.lines) == (False, 10)

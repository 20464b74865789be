"""The saved first frame, shown before the viewer is imported."""

import os
import shutil
import signal
import sys
import termios
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.patience import HANG_SECONDS
from tests.pseudo_terminal import PseudoTerminal

from frontdesk.cache import Cache
from frontdesk.cache.stats import clear
from frontdesk.system import first_frame_file
from frontdesk.system.first_frame_file import FirstFrame

LEAVE, HELP = b"\x11", b"?"

# Holds up the import of Textual until somebody has written into the pipe.
GATE = """
import os, sys

class Gate:
    def find_spec(self, name, path=None, target=None):
        if name == "textual":
            sys.meta_path.remove(self)
            with open(os.environ["GATE"]) as pipe:
                if pipe.read() == "shut":
                    raise ImportError("shut")

if "GATE" in os.environ:
    sys.meta_path.insert(0, Gate())
"""

Start = Callable[..., PseudoTerminal]


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "sitecustomize.py").write_text(GATE)
    pipe = tmp_path / "gate" / "pipe"
    os.mkfifo(pipe)
    return pipe


@pytest.fixture
def start(inbox: Path, tmp_path: Path, gate: Path) -> Iterator[Start]:
    """Starts the viewer on the sample; `held`: at the gate."""
    started: list[PseudoTerminal] = []
    directories = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    dropped = {"NO_COLOR", "GATE"}
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    paths = os.pathsep.join([str(gate.parent), os.environ.get("PYTHONPATH", "")])
    environment |= {**directories, "PYTHONPATH": paths, "TERM": "xterm-256color"}

    def begin(
        *options: str,
        place: tuple[str, ...] = ("--database", str(inbox)),
        held: bool = False,
        size: tuple[int, int] = (120, 40),
        **variables: str,
    ) -> PseudoTerminal:
        command = (sys.executable, "-m", "frontdesk", *place, *options)
        held_at = {"GATE": str(gate)} if held else {}
        terminal = PseudoTerminal(command, {**environment, **held_at, **variables}, size)
        started.append(terminal)
        return terminal

    yield begin
    for terminal in started:
        terminal.close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "frontdesk" / "pages.db"


def live(text: str) -> bool:
    return " live" in text


def used_once(start: Start) -> str:
    """What the viewer showed when it was left."""
    terminal = start()
    terminal.wait_for(live, HANG_SECONDS)
    terminal.settle(0.5, HANG_SECONDS)
    shown = terminal.text
    terminal.write(LEAVE)
    assert terminal.ending(HANG_SECONDS) == 0
    return shown


def names(text: str) -> list[str]:
    """What the lists show, without the bars and what changes with the minute."""
    return [line[:24].rstrip() for line in text.splitlines()[3:-2]]


def at_cursor(terminal: PseudoTerminal) -> int:
    """The first line of the list whose ground is not that of most."""
    rows = range(3, 39)
    grounds = Counter(map(terminal.ground, rows))
    return next(row for row in rows if terminal.ground(row) != grounds.most_common(1)[0][0])


def test_a_start_shows_the_inbox_before_the_viewer_is_imported_and_becomes_live_without_a_flicker(
    start: Start, gate: Path
) -> None:
    left = names(used_once(start))
    terminal = start(held=True)
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    assert names(terminal.text) == left
    assert "as of " in terminal.text
    seen: list[list[str]] = []

    def watched(text: str) -> bool:
        seen.append(names(text))
        return live(text)

    gate.write_text("open")
    terminal.wait_for(watched, HANG_SECONDS)
    assert [one for one in seen if one != left] == []


# Who hangs up a terminal sends both signals.
@pytest.mark.slow
@pytest.mark.parametrize(
    "numbers", [(signal.SIGHUP, signal.SIGCONT), (signal.SIGTERM,)], ids=("closed", "terminated")
)
def test_a_viewer_that_gets_a_signal_restores_the_terminal(
    start: Start, numbers: tuple[signal.Signals, ...]
) -> None:
    terminal = start()
    terminal.wait_for(live, HANG_SECONDS)
    terminal.settle(0.5, HANG_SECONDS)
    left = terminal.text
    for number in numbers:
        terminal.signal(number)
    assert terminal.ending(HANG_SECONDS) == 128 + numbers[0], terminal.text
    terminal = start(held=True)
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    assert names(terminal.text) == names(left)


@pytest.mark.slow
def test_a_terminal_may_be_closed_and_closed_again_under_the_first_screen(
    start: Start, tmp_path: Path
) -> None:
    state = str(tmp_path / "state")
    terminal = start(XDG_STATE_HOME=state)
    terminal.wait_for(live, HANG_SECONDS)
    assert terminal.hang_up(HANG_SECONDS) == 128 + signal.SIGHUP
    terminal = start(held=True, XDG_STATE_HOME=state)
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    # It may not have come so far as to take the signal itself.
    assert terminal.hang_up(HANG_SECONDS) in (128 + signal.SIGHUP, -signal.SIGHUP)
    assert not list(tmp_path.glob("state/**/*.txt"))


@pytest.mark.slow
def test_a_viewer_ends_on_a_terminal_that_takes_no_more_output(start: Start) -> None:
    terminal = start()
    terminal.wait_for(live, HANG_SECONDS)
    terminal.settle(0.5, HANG_SECONDS)
    terminal.stop_output()
    terminal.write(b"j")
    terminal.signal(signal.SIGHUP)
    assert terminal.ending(HANG_SECONDS) == -signal.SIGALRM


@pytest.mark.slow
def test_keys_typed_ahead_are_neither_shown_nor_lost(start: Start, gate: Path) -> None:
    used_once(start)
    terminal = start(held=True)
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    before = terminal.text
    terminal.write(b"jj/zqx\r")
    terminal.settle(0.2, HANG_SECONDS)
    assert terminal.text == before
    two_below = before.splitlines()[at_cursor(terminal) + 4][1:24]
    gate.write_text("open")
    terminal.wait_for(lambda text: "zqx" in text, HANG_SECONDS)
    assert terminal.text.splitlines()[at_cursor(terminal)][1:24] == two_below


@pytest.mark.slow
def test_a_viewer_that_cannot_be_opened_leaves_the_terminal_as_it_was(
    start: Start, gate: Path
) -> None:
    used_once(start)
    terminal = start(held=True)
    before = terminal.attributes()
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    assert not terminal.attributes()[3] & termios.ECHO
    gate.write_text("shut")
    assert terminal.ending(HANG_SECONDS) == 1
    assert terminal.attributes()[3] & termios.ECHO
    assert before[3] & termios.ECHO
    assert "connecting…" not in terminal.text
    assert terminal.text.strip()


@pytest.mark.slow
@pytest.mark.parametrize("asks", [False, True])
def test_a_profile_whose_key_is_asked_of_a_command_keeps_no_first_screen(
    start: Start, inbox: Path, cache: Path, configuration_home: Path, asks: bool
) -> None:
    # The command may ask for a password on the terminal.
    configuration_home.mkdir(parents=True)
    lines = ["[profiles.work]", f'database = "{inbox}"', 'key_command = ["echo", "key"]']
    (configuration_home / "config.toml").write_text("\n".join(lines if asks else lines[:2]))
    terminal = start("--profile", "work", place=())
    terminal.wait_for(live, HANG_SECONDS)
    terminal.write(LEAVE)
    assert terminal.ending(HANG_SECONDS) == 0
    assert Path(first_frame_file.file_of(cache)).exists() is not asks


# Python lets a process die of SIGINT that was interrupted within `exec`, as dataclasses call it
# when they are imported, whatever is done about it: for a shell that is 130 too.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "codes"), [(signal.SIGINT, (130, -2)), (signal.SIGTERM, (143,))]
)
def test_a_signal_while_connecting_restores_the_terminal(
    start: Start, number: signal.Signals, codes: tuple[int, ...]
) -> None:
    used_once(start)
    terminal = start(held=True)
    terminal.wait_for(lambda text: "connecting…" in text, HANG_SECONDS)
    terminal.signal(number)
    assert terminal.ending(HANG_SECONDS) in codes, terminal.text
    assert terminal.attributes()[3] & termios.ECHO
    assert "connecting…" not in terminal.text


FRAME = FirstFrame(
    circumstances="0" * 64,
    configuration="/home/some one/config.toml",
    columns=120,
    lines=40,
    day="2026-03-13",
    screen=b"\x1b[1;1H all of it",
)


def kept(cache: Path) -> Path:
    """The file of a frame that was kept."""
    cache.parent.mkdir(parents=True, exist_ok=True)
    first_frame_file.save(cache, FRAME)
    return Path(first_frame_file.file_of(cache))


def test_a_frame_is_for_its_owner_alone(cache: Path) -> None:
    file = kept(cache)
    found = first_frame_file.load(cache)
    assert found is not None
    for name in FirstFrame.__slots__:
        assert getattr(found, name) == getattr(FRAME, name)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert first_frame_file.load(cache) is None


def test_a_frame_behind_a_link_is_nobodys(cache: Path, tmp_path: Path) -> None:
    file = kept(cache)
    shutil.move(file, tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert first_frame_file.load(cache) is None


@pytest.mark.parametrize(
    "damage",
    [b"", b"\n", b"x 1 2\n", b"\xff a b c d\nx", b"x 0 a b 2026-01-01\n", b"x y 1 2 2026-01-01\n"],
)
def test_a_damaged_frame_is_none(cache: Path, damage: bytes) -> None:
    kept(cache).write_bytes(damage)
    assert first_frame_file.load(cache) is None


def opened(path: Path) -> Cache:
    return Cache(path, "server key", clock=lambda: datetime(2026, 3, 13, tzinfo=UTC))


def test_whatever_is_written_to_the_cache_ends_its_frame(cache: Path) -> None:
    ours = opened(cache)
    ours.set_setting("view", "open")
    ours.save_first_frame(FRAME)
    ours.close()
    assert first_frame_file.load(cache) is not None
    again = opened(cache)
    again.set_setting("view", "snoozed")
    again.close()
    assert first_frame_file.load(cache) is None


def test_emptying_the_cache_removes_its_frame(cache: Path) -> None:
    opened(cache).close()
    file = kept(cache)
    clear(cache)
    assert not file.exists()


def test_a_cache_that_others_hold_open_is_emptied_with_its_frame(cache: Path) -> None:
    ours = opened(cache)
    ours.set_setting("view", "open")
    ours.save_first_frame(FRAME)
    other = opened(cache)
    ours.close()
    clear(cache)
    assert first_frame_file.load(cache) is None
    other.close()


# Keeps a frame for a start with these options, or says whether there is one.
STARTS = """
import sys
from frontdesk.cli.first_frame_display import prepare_first_frame, today
mode, configuration, *options = sys.argv[1:]
display = prepare_first_frame(options)
if mode == "keep":
    from frontdesk.system import environment, first_frame_file
    cache = environment.cache_file()
    cache.parent.mkdir(parents=True)
    frame = first_frame_file.FirstFrame(
        circumstances=display.circumstances(configuration),
        configuration=configuration,
        columns=80,
        lines=24,
        day=today(),
        screen=b"all of it",
    )
    first_frame_file.save(cache, frame)
else:
    display.show()
    shows = display.shows
    display.restore_terminal()
    print("shows" if shows else "nothing")
"""


def test_the_frame_of_another_start_size_or_configuration_is_not_shown(tmp_path: Path) -> None:
    configuration = tmp_path / "config.toml"
    configuration.write_text("[viewer]\n")
    base = {name: value for name, value in os.environ.items() if not name.startswith("FRONTDESK_")}
    base |= {"TERM": "xterm-256color", "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def started(
        mode: str = "show",
        *options: str,
        size: tuple[int, int] = (80, 24),
        **variables: str,
    ) -> str:
        command = (sys.executable, "-c", STARTS, mode, str(configuration), *options)
        terminal = PseudoTerminal(command, base | variables, size)
        assert terminal.ending(HANG_SECONDS) == 0, terminal.text
        terminal.close()
        return terminal.text.strip()

    place = ("--database", "inbox.db")
    started("keep", *place)
    assert started("show", *place) == "shows"
    assert started("show", "--database", "other.db") == "nothing"
    assert started("show", *place, "--as", "1") == "nothing"
    assert started("show", *place, "--debug") == "nothing"
    assert started("show", *place, size=(100, 30)) == "nothing"
    assert started("show", *place, TERM="xterm") == "nothing"
    assert started("show", *place, TZ="Asia/Tokyo") == "nothing"
    assert started("show", *place, FRONTDESK_CACHE_MB="20") == "nothing"
    assert started("show", *place, COLUMNS="80") == "nothing"
    assert started("show", *place) == "shows"
    configuration.write_text("[viewer]\nbell = true\n")
    assert started("show", *place) == "nothing"


BEGINS = """
import os, sys
from frontdesk.cli.first_frame_display import prepare_first_frame
display = prepare_first_frame([])
display.show()
assert display.shows is False
from frontdesk.cli.first_frame_display import _likely_cache
light = set(sys.modules)
from frontdesk.system import environment
assert _likely_cache() == str(environment.cache_file()), _likely_cache()
open(sys.argv[1], "w").write(" ".join(sorted(light)))
"""


@pytest.mark.parametrize("ours", ["", "  ", "/tmp/some where", "relative"])
def test_a_beginning_looks_where_the_cache_is_and_imports_next_to_nothing(
    ours: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": ours}
    output = tmp_path / "modules"
    terminal = PseudoTerminal(
        (sys.executable, "-S", "-c", BEGINS, str(output)),
        {**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        (80, 24),
    )
    assert terminal.ending(HANG_SECONDS) == 0, terminal.text
    terminal.close()
    heavy = {"re", "typing", "pathlib", "tempfile", "platformdirs", "textual", "enum"}
    assert not heavy & set(output.read_text().split())

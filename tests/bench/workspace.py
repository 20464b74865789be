"""The programs that are compared, and the warm caches that the viewer starts on."""

import os
import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from frontdesk import first_frame_file
from frontdesk.cache import Cache
from frontdesk.cli.target import origin_of
from frontdesk.environment import CACHE_LIMIT_VARIABLE, KEY_VARIABLE, MOST_CACHE_MB, cache_file
from frontdesk.tui.inbox.queue_pane import CONVERSATION_SETTING, QUERY_SETTING
from tests.bench import warm_cache
from tests.bench.sessions import Program

PROGRAMS = Path(__file__).resolve().parent / "programs"
# Nobody listens at this port.
NO_SERVER = "http://127.0.0.1:9"
KEY = "fdk_" + "a" * 40
ORIGIN = origin_of(NO_SERVER, KEY)
LEAVE = b"\x11"
_READ_AT_ONCE = 4_000_000

BARE = Program("bare Textual", (sys.executable, str(PROGRAMS / "bare.py")), "bare and ready")
FLOOR = Program("key floor", (sys.executable, str(PROGRAMS / "floor.py")), "keys: 0")
OPTIONS = Program("OptionList", (sys.executable, str(PROGRAMS / "option_list.py")), "0000003")
LINES = Program("line scroll", (sys.executable, str(PROGRAMS / "line_scroll.py")), "0000003")
WIDGETS = Program(
    "a widget each", (sys.executable, str(PROGRAMS / "message_widgets.py")), r"come yet \(0\)"
)


@dataclass(frozen=True)
class Workspace:
    """A warm cache: so many conversations, and messages in the thread of the newest."""

    directory: Path
    conversations: int
    messages: int

    @property
    def path(self) -> Path:
        """Its file."""
        name = f"{self.conversations}-{self.messages}"
        return self.directory / name / "frontdesk" / cache_file().name

    def make(self) -> None:
        """Fill the file, unless that was done before."""
        if not self.path.exists():
            self.path.parent.mkdir(parents=True)
            partial = self.path.with_name("partial")
            partial.unlink(missing_ok=True)
            warm_cache.make(partial, self.conversations, ORIGIN, self.messages)
            partial.rename(self.path)

    def begin_again(self) -> None:
        """Have the reader at the newest conversation again, and no frame kept."""
        cache = self._opened()
        cache.set_setting(CONVERSATION_SETTING, warm_cache.NEWEST_ID)
        cache.set_setting(QUERY_SETTING, "is:open")
        cache.close()
        first_frame_file.delete(self.path)

    def read_through(self) -> None:
        """Have the system hold the file in memory: the program is measured, not the disk.

        What starts right after so much was read is slower.
        """
        with open(self.path, "rb", buffering=0) as file:
            while file.read(_READ_AT_ONCE):
                pass

    @property
    def has_frame(self) -> bool:
        """A start begins with a saved screen."""
        return os.path.exists(first_frame_file.file_of(self.path))

    def viewer(self, name: str) -> Program:
        """The viewer on this cache, whose server does not answer."""
        return Program(
            name,
            (sys.executable, "-m", "frontdesk", "--url", NO_SERVER),
            re.escape(warm_cache.name(3)),
            self._variables(),
            key=b"j",
            # The title of the thread names the selected customer.
            answer=f"─ 3 {re.escape(warm_cache.name(1))}",
            leave=LEAVE,
        )

    def thread_viewer(self, name: str) -> Program:
        """The same; its content is the newest message of the thread."""
        content = re.escape(warm_cache.last_words(0))
        return Program(name, self.viewer(name).command, content, self._variables())

    def archived(self, name: str, scratch: Path) -> Program:
        """The viewer on a copy of this cache, whose server is in memory and has more."""
        copy = scratch / f"{self.conversations}-{self.messages}.db"
        # Who had it open before may have left a log beside the file.
        with closing(sqlite3.connect(self.path)) as whole, closing(sqlite3.connect(copy)) as part:
            whole.backup(part)
        module = ("-m", "tests.bench.programs.archived", str(copy), str(self.conversations), ORIGIN)
        content = re.escape(warm_cache.last_words(0))
        variables = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return Program(name, (sys.executable, *module), content, variables)

    def _variables(self) -> dict[str, str]:
        return {
            "XDG_CACHE_HOME": str(self.path.parent.parent),
            KEY_VARIABLE: KEY,
            CACHE_LIMIT_VARIABLE: str(MOST_CACHE_MB),
        }

    def _opened(self) -> Cache:
        return Cache(
            self.path, ORIGIN, limit_bytes=warm_cache.LIMIT_BYTES, check_after_seconds=1_000
        )

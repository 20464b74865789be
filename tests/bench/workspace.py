"""The programs that are compared, and the warm caches that the viewer starts on."""

import asyncio
import compileall
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import frontdesk
from frontdesk.cache import Cache
from frontdesk.cli.target import origin_of
from frontdesk.inbox.state import CONVERSATION_SETTING, QUERY_SETTING
from frontdesk.system import environment, first_frame_file
from tests.bench import warm_cache
from tests.bench.sessions import Program

PROGRAMS = Path(__file__).resolve().parent / "programs"
# Nobody listens at this port.
NO_SERVER = "http://127.0.0.1:9"
KEY = "fdk_" + "a" * 40
ORIGIN = origin_of(NO_SERVER, KEY)
FEW = 1_000

BARE = Program((sys.executable, str(PROGRAMS / "bare.py")), "keys: 0")
COMPARED = (sys.executable, str(PROGRAMS / "compared.py"))
OPTIONS = Program((*COMPARED, "options"), "0000003")
WIDGETS = Program((*COMPARED, "widgets"), r"come yet \(0\)")


@dataclass(frozen=True)
class Workspace:
    """A warm cache: so many conversations, and messages in the thread of the newest.

    photos: every third of those messages has one.
    """

    directory: Path
    conversations: int
    messages: int
    photos: bool = False

    @property
    def path(self) -> Path:
        name = f"{self.conversations}-{self.messages}{'-photos' if self.photos else ''}"
        return self.directory / name / "frontdesk" / environment.cache_file().name

    def make(self) -> None:
        """Fill the file, unless that was done before, and have the system hold it in memory."""
        if not self.path.exists():
            self.path.parent.mkdir(parents=True)
            partial = self.path.with_name("partial")
            partial.unlink(missing_ok=True)
            size = self.conversations, ORIGIN, self.messages
            asyncio.run(warm_cache.make(partial, *size, photos=self.photos))
            if self.photos:
                warm_cache.keep_photos(environment.media_directory(self.path, ORIGIN))
            partial.rename(self.path)
        self.path.read_bytes()

    def opened(self) -> Cache:
        """The cache itself."""
        limit = warm_cache.LIMIT_BYTES
        return Cache(self.path, ORIGIN, limit_bytes=limit, check_after_seconds=1_000)

    def begin_again(self) -> None:
        """Have the reader at the newest conversation again, and no screen saved."""
        with closing(self.opened()) as cache:
            cache.set_setting(CONVERSATION_SETTING, warm_cache.NEWEST_ID)
            cache.set_setting(QUERY_SETTING, "is:open")
        first_frame_file.delete(self.path)

    def viewer(self) -> Program:
        """The viewer on this cache, whose server does not answer."""
        return Program(
            (sys.executable, "-m", "frontdesk", "--url", NO_SERVER),
            re.escape(warm_cache.name(3)),
            {
                # The file of settings is beside the cache, where `opened` has it.
                "XDG_CACHE_HOME": str(self.path.parent.parent),
                "XDG_STATE_HOME": str(self.path.parent.parent),
                environment.KEY_VARIABLE: KEY,
                environment.CACHE_LIMIT_VARIABLE: "1000000",
            },
            key=b"j",
            # The title of the thread names the selected customer.
            answer=f"─ 3 {re.escape(warm_cache.name(1))}",
            leave=b"\x11",
        )

    def thread_viewer(self) -> Program:
        """The same; its content is the newest message of the thread."""
        content = re.escape(warm_cache.last_words(0))
        return replace(self.viewer(), content=content, key=b"", leave=b"")

    def archived(self) -> Program:
        """The viewer on a copy of this cache, whose server is in memory and has more."""
        self.begin_again()
        copy = shutil.copyfile(self.path, self.path.with_name("copy.db"))
        module = ("-m", "tests.bench.programs.archived", str(copy), str(self.conversations), ORIGIN)
        return Program((sys.executable, *module), re.escape(warm_cache.last_words(0)))


def environment_in(home: Path) -> dict[str, str]:
    """What programs see: a common terminal, a home of their own, byte code that is kept."""
    dropped = {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS", "LINES", "TMUX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    places = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    directories = {name: str(home) for name in places}
    return {**kept, **directories, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


@contextmanager
def workspaces(
    caches: str, sizes: Mapping[str, tuple[int, int] | tuple[int, int, bool]]
) -> Iterator[tuple[dict[str, str], dict[str, Workspace]]]:
    """Variables for programs, and caches of so many conversations and messages, with photos or not.

    caches: where they are kept for the next time, if anywhere.
    """
    # Without byte code, a start takes three to five times as long.
    compileall.compile_dir(Path(frontdesk.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        homes = {each: Workspace(Path(caches or name), *size) for each, size in sizes.items()}
        for home in homes.values():
            home.make()
        yield environment_in(Path(name)), homes

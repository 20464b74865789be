"""Filling the cache from a served inbox: time, requests, bytes, refusals; keys meanwhile.

A real service, `frontdesk cache fill` and the viewer, each in a process of its own. With
`--rate-limit 0` the service states no limit; the viewer's share is then half of the time.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.bench.ratios import percentile
from tests.bench.sessions import IN_A_ROW, TIMEOUT, Program, environment_in, started
from tests.bench.workspace import FLOOR

FRONTDESK = (sys.executable, "-m", "frontdesk")
# Longer than the viewer waits after a key before it goes on filling.
BETWEEN_ROWS_SECONDS = 1.5
_STATUS = re.compile(rb'^frontdesk_requests_total\{.*status="(\d+)".*\} ([0-9.]+)', re.MULTILINE)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--conversations", type=int, default=20_000)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--rate-limit", type=int, default=0, help="requests a minute; 0: none")
    parser.add_argument("--presses", type=int, default=400)
    parser.add_argument("--database", type=Path, help="keep it there, for the next time")


def run(options: argparse.Namespace) -> None:
    """Measure, and print what came out."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as scratch:
        home = Path(scratch)
        database = options.database or home / "inbox.db"
        environment = environment_in(home)
        if not database.exists():
            size = [f"--conversations={options.conversations}", f"--messages={options.messages}"]
            _run("db", "sample", "--database", str(database), *size, environment=environment)
        key = _run(
            *("keys", "create", "--name", "bench", "--all-read", "--json", "key"),
            *("--database", str(database)),
            environment=environment,
        )
        environment["FRONTDESK_API_KEY"] = json.loads(key)["key"]
        with _served(database, options.rate_limit, environment) as (url, metrics):
            _keys(url, home, environment, options.presses)
            before = _statuses(metrics)
            _fill(url, environment)
            _report("answers", dict(_statuses(metrics) - before))


def _fill(url: str, environment: Mapping[str, str]) -> None:
    for name in ("fill", "fill again"):
        began = time.perf_counter()
        fill = ("cache", "fill", "--url", url, "--keep", "all", "--json")
        summary = json.loads(_run(*fill, environment=environment))
        _report(name, {"seconds": round(time.perf_counter() - began, 1), **summary})


def _keys(url: str, home: Path, environment: Mapping[str, str], presses: int) -> None:
    """Press keys in a viewer that fills its cache, in one that does not, and in the key floor."""
    programs = {"floor": FLOOR}
    for name, keep in (("filling", "all"), ("not filling", "off")):
        directory = home / keep
        configuration = directory / "frontdesk" / "config.toml"
        configuration.parent.mkdir(parents=True)
        configuration.write_text(f'[mirror]\nkeep = "{keep}"\non_battery = true\n')
        variables = {"XDG_CONFIG_HOME": str(directory), "XDG_CACHE_HOME": str(directory)}
        programs[name] = Program(name, (*FRONTDESK, "--url", url), "live", variables)
    with ExitStack() as ending:
        terminals = {name: started(program, environment) for name, program in programs.items()}
        for name, terminal in terminals.items():
            ending.callback(terminal.close)
            content = re.compile(programs[name].content.encode())
            terminal.wait_for_words(content, TIMEOUT)
        latencies: dict[str, list[float]] = {name: [] for name in programs}
        for number in range(0, presses, IN_A_ROW):
            time.sleep(BETWEEN_ROWS_SECONDS)
            names = list(programs)
            shift = number // IN_A_ROW % len(names)
            for name in names[shift:] + names[:shift]:
                for _ in range(IN_A_ROW):
                    terminals[name].settle(0.0, TIMEOUT)
                    latencies[name].append(terminals[name].press(b"j", TIMEOUT) * 1000)
                    terminals[name].rest(TIMEOUT)
    for share in (0.5, 0.99):
        times = {name: percentile(each, share) for name, each in latencies.items()}
        _report(f"milliseconds of a key, p{share * 100:.0f}", times)


@contextmanager
def _served(
    database: Path, rate_limit: int, environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The service on free ports: its address, and that of its metrics."""
    command = ("serve", "--database", str(database), "--port", "0", "--metrics", "127.0.0.1:0")
    with subprocess.Popen(
        [*FRONTDESK, *command, "--rate-limit", str(rate_limit)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process.stdout.readline().strip()
        finally:
            process.terminate()


def _statuses(metrics: str) -> Counter[str]:
    with urllib.request.urlopen(f"{metrics}/metrics") as answer:
        text = answer.read()
    counts: Counter[str] = Counter()
    for status, number in _STATUS.findall(text):
        counts[status.decode()] += int(float(number))
    return counts


def _run(*arguments: str, environment: Mapping[str, str]) -> str:
    command = [*FRONTDESK, *arguments]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def _report(name: str, figures: Mapping[str, object]) -> None:
    shown = ", ".join(
        f"{key} {value:,.1f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in figures.items()
    )
    sys.stdout.write(f"{name}: {shown}\n")
    sys.stdout.flush()

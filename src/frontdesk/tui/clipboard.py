"""Copies text to the system clipboard, and opens web addresses of messages in a browser.

Text is copied by OSC 52 and by an installed program. Both report by a short notification.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from textual.screen import Screen

from frontdesk.system import subprocess_environment
from frontdesk.text.clean import file_size, one_line, shortened
from frontdesk.tui import sentences
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.wire import Message, Note

# A hanging program must not block the worker.
_DEADLINE_SECONDS = 2.0
# A browser that is not there fails sooner.
_BROWSER_SECONDS = 10.0
_OPEN = "from sys import argv, exit; import webbrowser; exit(not webbrowser.open(argv[1]))"
# What terminals take by OSC 52 at least; they drop what is longer, without a word.
_SAFE_BYTES = 74_000 * 3 // 4
_LONGEST_ADDRESS = 8_192
# Characters of a copied text that are shown.
_SHOWN = 40

_WAYLAND, _X11 = "WAYLAND_DISPLAY", "DISPLAY"


def programs(platform: str, environment: Mapping[str, str]) -> list[Sequence[str]]:
    """Clipboard commands for a platform, in order of preference; they read standard input."""
    if platform == "darwin":
        return [("pbcopy",)]
    if platform == "win32":
        return [("clip",)]
    commands: list[Sequence[str]] = []
    if environment.get(_WAYLAND):
        commands.append(("wl-copy",))
    if environment.get(_X11):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return commands


def copy_natively(text: str, deadline_seconds: float = _DEADLINE_SECONDS) -> bool:
    """Run the first installed command that succeeds in time; False if none does."""
    for command in programs(sys.platform, os.environ):
        if shutil.which(command[0]) is None:
            continue
        encoding = "utf-16-le" if command[0] == "clip" else "utf-8"
        try:
            subprocess.run(
                command,
                input=text.encode(encoding, "surrogatepass"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=deadline_seconds,
                env=subprocess_environment.allowed(),
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False


_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "["}


def links_in(entry: Message | Note) -> list[str]:
    """Distinct web addresses of an entry, its media's first, then that of its advertisement."""
    links = [match.group() for match in _ADDRESS.finditer(entry.text or "")]
    if isinstance(entry, Message):
        media, referral = entry.media, entry.referral or {}
        of_message = (media and media.url, referral.get("source_url"))
        links = [*(link for link in of_message if isinstance(link, str)), *links]
    usable = [address for address in map(_trimmed, links) if is_web(address)]
    return list(dict.fromkeys(usable))


def is_web(address: str) -> bool:
    """True for an http or https URL with a host, no longer than browsers take; others are never
    opened."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    return is_address and len(address) <= _LONGEST_ADDRESS


def open_outside(address: str) -> bool:
    """Open a URL in a graphical browser; False if there is none.

    Text browsers are not started, since they would draw on this terminal.
    """
    # Deferred: the first paint does not need it.
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    return not in_terminal and _is_opened(address)


def _is_opened(address: str) -> bool:
    """Open a URL by a process of its own, whose environment has no secrets for the browser."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _OPEN, address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=subprocess_environment.allowed(),
        start_new_session=True,
    )
    try:
        return process.wait(_BROWSER_SECONDS) == 0
    except subprocess.TimeoutExpired:
        # Some programs return when the page is closed.
        return True


def _trimmed(address: str) -> str:
    """Strip trailing punctuation that belongs to the sentence."""
    surplus = {
        close: address.count(close) - address.count(open) for close, open in _CLOSING.items()
    }
    end = len(address)
    while end:
        last = address[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in ".,;:!?…":
            break
        end -= 1
    return address[:end]


def say(screen: Screen[Any], sentence: str) -> None:
    """Show a notification, unless the same one is still visible."""
    if isinstance(screen.app, CrashReportingApp):
        screen.app.notify_once(sentence)
    else:
        screen.notify(sentence, markup=False)


def copy(screen: Screen[Any], text: str) -> None:
    """Copy by OSC 52 and by a clipboard program, since OSC 52 reports no success."""
    if not text:
        say(screen, sentences.NOTHING_TO_COPY)
        return
    screen.app.copy_to_clipboard(text)
    size = len(text.encode(errors="replace"))
    sentence = sentences.COPIED if size <= _SAFE_BYTES else sentences.COPIED_LARGE
    words = shortened(one_line(text), _SHOWN)
    say(screen, sentence.format(text=words, size=file_size(size)))
    if screen.app.is_web:
        # The clipboard of the serving machine may be another person's.
        return
    # A worker of the application survives the dismissal of the screen.
    screen.app.run_worker(partial(copy_natively, text), thread=True, group="copying")

"""Addresses in messages, and opening them outside the terminal."""

import re
from urllib.parse import urlsplit

from frontdesk.wire import Message, Note

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "["}


def links_in(entry: Message | Note) -> list[str]:
    """The web addresses of an entry, the media's first, each once."""
    found = [match.group() for match in _ADDRESS.finditer(entry.text or "")]
    if isinstance(entry, Message) and entry.media and entry.media.url:
        found.insert(0, entry.media.url)
    usable = [address for address in map(_trimmed, found) if is_web(address)]
    return list(dict.fromkeys(usable))


def is_web(address: str) -> bool:
    """http or https, with a host: nothing else is opened."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def open_outside(address: str) -> bool:
    """Open a web address in a browser with a window of its own; False where there is none.

    A browser that would draw on this terminal is not started.
    """
    # Not needed for a first paint.
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )
    return not in_terminal and browser.open(address)


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence around it."""
    while address:
        last = address[-1]
        opening = _CLOSING.get(last)
        if last in ".,;:!?…" or (opening and address.count(opening) < address.count(last)):
            address = address[:-1]
        else:
            break
    return address

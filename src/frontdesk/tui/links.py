"""Extracts web addresses from messages, and opens them in a browser."""

import re
from urllib.parse import urlsplit

from frontdesk.wire import Message, Note

_ADDRESS = re.compile(r"https?://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "["}


def links_in(entry: Message | Note) -> list[str]:
    """Distinct web addresses of an entry, its media's first."""
    found = [match.group() for match in _ADDRESS.finditer(entry.text or "")]
    if isinstance(entry, Message) and entry.media and entry.media.url:
        found.insert(0, entry.media.url)
    usable = [address for address in map(_trimmed, found) if is_web(address)]
    return list(dict.fromkeys(usable))


def is_web(address: str) -> bool:
    """True for an http or https URL with a host; others are never opened."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


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
    return not in_terminal and browser.open(address)


def _trimmed(address: str) -> str:
    """Strip trailing punctuation that belongs to the sentence."""
    while address:
        last = address[-1]
        opening = _CLOSING.get(last)
        if last in ".,;:!?…" or (opening and address.count(opening) < address.count(last)):
            address = address[:-1]
        else:
            break
    return address

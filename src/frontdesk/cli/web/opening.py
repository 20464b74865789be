"""Opens the page in a browser.

The secret link is passed to the browser in a private file instead of on a command line.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from frontdesk.system import private_files
from frontdesk.tui.clipboard import open_outside

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>frontdesk</title>
<a href="{link}">frontdesk</a>
"""


@contextmanager
def opener() -> Iterator[Callable[[str], bool]]:
    """Yield a function that opens a link in the default browser, False if it cannot.

    Its file is deleted at the end. Raises: UnusableFile: the file cannot be written.
    """
    with TemporaryDirectory(prefix="frontdesk-", ignore_cleanup_errors=True) as directory:

        def open_link(link: str) -> bool:
            page = Path(directory) / "open.html"
            private_files.save_text(page, _PAGE.format(link=escape(link)))
            return open_outside(page.as_uri())

        yield open_link

"""Opens the viewer on a cache file, with no server behind it: `python viewer.py FILE`."""

import gc
import sys
from pathlib import Path

gc.disable()

from frontdesk.cache import Cache  # noqa: E402
from frontdesk.errors import Unreachable  # noqa: E402
from frontdesk.mailbox import Mailbox, Source  # noqa: E402
from frontdesk.tui.app import FrontdeskApp  # noqa: E402

ORIGIN = "bench"


def refuse() -> Source:
    """There is nobody to ask."""
    raise Unreachable("The benchmark has no server")


if __name__ == "__main__":
    cache = Cache(Path(sys.argv[1]), ORIGIN)
    try:
        FrontdeskApp(Mailbox(refuse, cache), title="bench").run()
    finally:
        cache.close()

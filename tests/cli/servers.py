"""The program `frontdesk serve` in a process of its own, as tests ask it."""

import subprocess
from collections.abc import Callable

# Takes options; gives the process, and the address that it prints.
Serve = Callable[..., tuple["subprocess.Popen[str]", str]]

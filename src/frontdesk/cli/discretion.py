"""Keeps keys and customers' words out of what the program says of itself: logs, threads, cores."""

import logging
import threading

from frontdesk.crash import trace

_log = logging.getLogger("frontdesk")


class Discreet(logging.Formatter):
    """Writes of an error what kind it is and where it was raised; never what it says."""

    def format(self, record: logging.LogRecord) -> str:
        """One record. asyncio's own repeat what was under way: only what it calls it is written."""
        line = super().format(record)
        if record.name == "asyncio" and record.levelno >= logging.ERROR:
            line = line.partition("\n")[0].partition("(")[0]
            if record.exc_info and record.exc_info[1]:
                line += "\n" + trace(record.exc_info[1])
        return line

    def formatException(self, ei: object) -> str:
        """The kinds and places of an error, and of those that led to it."""
        error = ei[1] if isinstance(ei, tuple) else None
        return trace(error) if isinstance(error, BaseException) else ""


def be_discreet() -> None:
    """Call it once, before anything secret is read."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(Discreet())
    threading.excepthook = _note_thread
    _keep_no_core()


def _note_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and not isinstance(ended.exc_value, SystemExit):
        _log.error("A thread ended over a bug\n%s", trace(ended.exc_value))


def _keep_no_core() -> None:
    """Have the system write no memory to a disk; where it knows no such limit, its habit stands."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    # Linux hands cores to programs despite a limit of 0, but not of 1; no file is as short.
    least = 1 if most == resource.RLIM_INFINITY else min(1, most)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (least, most))
    except (OSError, ValueError):
        _log.debug("The limit of core files cannot be set")

"""Keeps secrets and customer data out of logs, thread errors and core dumps."""

import logging
import threading

from frontdesk.system.crash_trace import trace

_log = logging.getLogger("frontdesk")


class RedactingFormatter(logging.Formatter):
    """Log formatter that reduces exceptions to types and places, without their messages."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record. Errors of asyncio quote their context, so only their start is kept."""
        line = super().format(record)
        if record.name == "asyncio" and record.levelno >= logging.ERROR:
            line = line.partition("\n")[0].partition("(")[0]
            if record.exc_info and record.exc_info[1]:
                line += "\n" + trace(record.exc_info[1])
        return line

    def formatException(self, ei: object) -> str:
        """Format an exception and its causes by type and place."""
        error = ei[1] if isinstance(ei, tuple) else None
        return trace(error) if isinstance(error, BaseException) else ""


def protect_secrets() -> None:
    """Install the protections; call once, before any secret is read."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(RedactingFormatter())
    threading.excepthook = _log_thread_error
    _disable_core_dumps()


def _log_thread_error(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and not isinstance(ended.exc_value, SystemExit):
        _log.error("A thread ended over a bug\n%s", trace(ended.exc_value))


def _disable_core_dumps() -> None:
    """Disable core dumps where the system supports it."""
    try:
        import resource
    except ImportError:
        return
    try:
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        # On Linux, a limit of 0 still allows piped core dumps, a limit of 1 does not; no file is
        # that short.
        least = 1 if most == resource.RLIM_INFINITY else min(1, most)
        resource.setrlimit(resource.RLIMIT_CORE, (least, most))
    except (OSError, ValueError):
        _log.debug("The limit of core files cannot be set")

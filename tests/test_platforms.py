"""Modules that only some systems have are used with a fallback."""

import ast
from collections.abc import Iterator
from functools import cache

from tests.source_trees import MODULES, PACKAGE, tree_of

SPECIAL_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {
        *("chown", "fchmod", "fchown", "fork", "fpathconf", "getegid", "geteuid", "getgid"),
        *("getpgid", "getuid", "killpg", "mkfifo", "nice", "openpty", "pidfd_open", "setsid"),
        *("statvfs", "sysconf", "tcgetpgrp", "ttyname", "uname", "waitid", "waitpid"),
        *("O_CLOEXEC", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "WNOHANG"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGTSTP"),
        *("SIGUSR1", "SIGUSR2", "SIGWINCH", "SIG_BLOCK", "SIG_UNBLOCK"),
        *("alarm", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
    },
    "socket": {"AF_UNIX", "SO_REUSEPORT", "fromfd", "send_fds"},
    "time": {"tzset", "clock_gettime"},
}
METHODS = {"add_signal_handler", "remove_signal_handler", "get_child_watcher"}
KEYWORDS = {"preexec_fn", "pass_fds", "start_new_session", "process_group", "umask"}

# Uses of such modules, and the behaviour of a system without them.
ALLOWED = {
    ("cli/signals.py", "signal.alarm"): "who ends a program there ends it at once",
    ("cli/signals.py", "signal.SIGCONT"): "no terminal wakes its programs up there",
    ("cli/first_frame_display.py", "termios"): "there is no first screen on Windows",
    ("cli/first_frame_display.py", "os.fpathconf"): "there is no first screen on Windows",
    ("tui/terminal_input.py", "termios"): "the theme is dark on Windows",
    ("cli/web/server.py", "os.waitid"): "the threads that wait for a process are looked at alone",
    ("cli/web/server.py", "os.WNOHANG"): "the threads that wait for a process are looked at alone",
    ("cli/log_redaction.py", "resource"): "the system's default applies",
    ("own_commands/runner.py", "start_new_session"): "Windows ignores it",
    ("own_commands/runner.py", "os.killpg"): "the program is killed, not what it has started",
    ("pictures/process.py", "start_new_session"): "Windows ignores it",
    ("pictures/worker.py", "resource"): "the number of pixels alone is limited",
    ("service/media/limits.py", "resource"): "programs are run without it on Windows",
    ("service/media/limits.py", "signal.SIGKILL"): "programs are run without it on Windows",
    ("service/media/limits.py", "os.nice"): "programs are run without it on Windows",
    ("service/server.py", "resource"): "the system's limit applies",
    ("service/server.py", "add_signal_handler"): "the access log is not opened again",
    ("service/server.py", "signal.SIGHUP"): "the access log is not opened again",
    ("tui/clipboard.py", "start_new_session"): "Windows ignores it",
    ("tui/app_base.py", "signal.SIGCONT"): "nothing stops and continues a process there",
    ("tui/app_base.py", "signal.SIGTSTP"): "nothing stops and continues a process there",
    ("system/terminal_cells.py", "fcntl"): "a cell has the usual size",
    ("system/terminal_cells.py", "termios"): "a cell has the usual size",
    ("tui/terminal_job.py", "termios"): "a program is waited for, without a job of its own",
    ("tui/terminal_job.py", "process_group"): "a program is waited for, without a job of its own",
    ("tui/terminal_job.py", "os.killpg"): "a program is waited for, without a job of its own",
    ("tui/terminal_job.py", "os.waitpid"): "a program is waited for, without a job of its own",
    ("tui/terminal_job.py", "signal.SIGCONT"): "nothing stops and continues a process there",
    ("tui/terminal_job.py", "signal.SIGHUP"): "a program is waited for, without a job of its own",
    (
        "system/private_files.py",
        "os.geteuid",
    ): "what is in a user's directories is taken for the user's",
    ("service/rate_limit.py", "fcntl"): "only several workers share a table",
    ("cache/files.py", "fcntl"): "nobody removes there what another process has open",
    ("store/bulk_load.py", "fcntl"): "nobody removes there what another process has open",
}


@cache
def modules() -> dict[str, ast.Module]:
    return {path.relative_to(PACKAGE).as_posix(): tree_of(path) for path in MODULES}


def special(tree: ast.AST) -> Iterator[str]:
    """The names in a module that not every system has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in NAMES.get(owner, ()):
                yield f"{owner}.{node.attr}"
            elif node.attr in METHODS:
                yield node.attr
        elif isinstance(node, ast.keyword) and node.arg in KEYWORDS:
            yield node.arg or ""


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name.split(".")[0] in SPECIAL_MODULES)
        return
    owner = (node.module or "").split(".")[0]
    if owner in SPECIAL_MODULES:
        yield owner
    known = NAMES.get(owner, ())
    yield from (f"{owner}.{one.name}" for one in node.names if one.name in known)


def test_every_platform_specific_use_has_a_listed_fallback():
    found = {(name, what) for name, tree in modules().items() for what in special(tree)}
    assert found == set(ALLOWED)


def test_nothing_of_it_is_imported_before_it_is_known_to_be_there():
    for name, tree in modules().items():
        early = [what for node in tree.body if not _is_code(node) for what in special(node)]
        assert early == [], name


def _is_code(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call, under the last part of the name that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute):
                yield called.attr, node
            elif isinstance(called, ast.Name):
                yield called.id, node


def test_text_in_files_has_the_same_encoding_everywhere():
    plain = [
        f"{name}: {ast.unparse(call)}"
        for name, tree in modules().items()
        for called, call in calls(tree)
        if _has_text(called, call) and not any(one.arg == "encoding" for one in call.keywords)
    ]
    assert plain == []


def _has_text(called: str, call: ast.Call) -> bool:
    """Whether a call reads or writes a file as text, as far as can be seen."""
    if called in ("read_text", "write_text", "fdopen", "TextIOWrapper"):
        return True
    said = [one.value for one in call.args if isinstance(one, ast.Constant)]
    modes = [one for one in said if isinstance(one, str) and set(one) <= set("rwaxbt+")]
    binary = any("b" in mode for mode in modes)
    return called == "open" and not binary and (isinstance(call.func, ast.Name) or bool(modes))


def test_places_of_files_are_the_systems_own():
    """They are asked for in one module, and no other knows where a home is."""
    knowing = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "home"
            and ast.unparse(node).endswith("Path.home")
        )
        or (isinstance(node, ast.ImportFrom) and node.module == "platformdirs")
    }
    assert knowing == {"system/environment.py"}


def test_a_file_takes_the_place_of_another_on_every_system():
    renaming = [
        f"{name}: {ast.unparse(call)}"
        for name, tree in modules().items()
        for called, call in calls(tree)
        if called in ("rename", "renames")
    ]
    assert renaming == []


def test_times_are_written_with_what_every_system_writes():
    """A minus in a directive is the GNU library's own."""
    directives = [
        f"{name}: {node.value}"
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "%-" in node.value
    ]
    assert directives == []

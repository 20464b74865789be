"""Environment of subprocesses: an allowlist for programs, all settings for another frontdesk."""

import os

KEY_VARIABLE = "FRONTDESK_API_KEY"
APP_SECRET_VARIABLE = "FRONTDESK_WHATSAPP_APP_SECRET"
VERIFY_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_VERIFY_TOKEN"
ACCESS_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_ACCESS_TOKEN"
# In capitals, as Windows has all names.
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY")
_ALLOWED = frozenset(
    (
        # The user and the system.
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TMP", "TEMP"),
        *("LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NIX_LD"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "LOCPATH", "LOCALE_ARCHIVE"),
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERNAME", "USERPROFILE"),
        *("HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PUBLIC"),
        *("PROGRAMFILES", "PROGRAMFILES(X86)", "COMMONPROGRAMFILES", "PROCESSOR_ARCHITECTURE"),
        # The terminal.
        *("TERM", "TERMINFO", "TERMINFO_DIRS", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"),
        *("COLORTERM", "COLORFGBG", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "FORCE_COLOR"),
        *("TMUX", "TMUX_PANE", "STY", "WINDOW", "KITTY_WINDOW_ID", "WT_SESSION"),
        *("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "WSL_DISTRO_NAME", "WSL_INTEROP"),
        # The desktop.
        *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
        *("DESKTOP_SESSION", "KDE_FULL_SESSION", "GNOME_DESKTOP_SESSION_ID", "PULSE_SERVER"),
        *("XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_SESSION_DESKTOP"),
        *("XDG_SESSION_ID", "XDG_SESSION_CLASS", "XDG_SEAT", "XDG_VTNR", "XDG_MENU_PREFIX"),
        *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"),
        *("XDG_CACHE_HOME", "XDG_STATE_HOME"),
        # Which programs the user prefers, and where agents and stores of keys are.
        *("BROWSER", "EDITOR", "VISUAL", "PAGER", "LESS", "LESSOPEN", "LS_COLORS"),
        *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GNUPGHOME", "GPG_TTY", "PASSWORD_STORE_DIR"),
    )
)

_only_here: set[str] = set()


def set_only_here(name: str, value: str) -> None:
    """Set a variable for this process, and not for the programs that it runs.

    A value that the user has set stays, and is passed on.
    """
    if name not in os.environ:
        os.environ[name] = value
        _only_here.add(name)


def with_secrets() -> dict[str, str]:
    """The environment without variables of `set_only_here`, for another process of frontdesk."""
    return {name: value for name, value in os.environ.items() if name not in _only_here}


def allowed() -> dict[str, str]:
    """The environment of every program that is started: what `_ALLOWED` lists, and nothing else.

    Keys, tokens and passwords have too many names to be listed. A proxy's address with a
    password is left out.
    """
    return {name: value for name, value in os.environ.items() if _is_allowed(name.upper(), value)}


def _is_allowed(name: str, value: str) -> bool:
    if name in _PROXIES:
        return "@" not in value
    return name in _ALLOWED or name.startswith("LC_")

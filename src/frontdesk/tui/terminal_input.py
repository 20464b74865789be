"""Terminal input: rewrites keys to the forms that Textual's parser reads as what was pressed.

Terminals may send the type of an event (press, repeat, release) and alternate codes of a key, which
the parser does not expect: it raises, and the viewer would end without a word.

Escape and a key that follow each other quickly are the same bytes as alt and the key, which the
parser takes for another key: ESC 6 for §.

Asks the terminal for the colour of its background too, by OSC 11, whose answer comes as input.
"""

import os
import re
import selectors
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from select import select
from time import monotonic
from typing import Any, NamedTuple

from textual import constants
from textual.driver import Driver

from frontdesk.tui.key_names import key_of, latin_key

_KEY = re.compile(r"\x1b\[([\d:;]+)([u~ABCDEFHPQRS])")
# A key or an answer of the terminal that may go on in the next read.
_CUT_OFF = re.compile(r"\x1b(\[[?>=]?[\d:;]*|O|[]P]([\d>!][^\x1b\x07]{0,255}\x1b?)?)?\Z")
# Answers that nobody here asked for, which the parser would take for typed characters: of its
# modes, the parser reads those that end with $y.
_ANSWER = re.compile(r"\x1b\[[?>=][\d:;]*[@-~]|\x1b[]P_^X][^\x1b\x07]*(?:\x07|\x1b\\)")
# What begins with the escape character: pasted text, an answer of the terminal, the sequence of a
# key, another sequence; else alt and a key, or the escape key.
_ESCAPED = re.compile(
    rf"\x1b\[200~.*?(?:\x1b\[201~|\Z)|(?P<answer>{_ANSWER.pattern})"
    r"|\x1b\[(?=[^\x1b])|\x1bO(?=[A-Za-z0-9])|\x1b(?P<key>[^\x1b])?",
    re.DOTALL,
)
_PASTE, _PASTED = "\x1b[200~", "\x1b[201~"
# The escape key as kitty's protocol sends it, which is complete by itself. Textual reads it unless
# that is switched off, which it cannot be before version 8.2.7.
_ESCAPE = "\x1b" if getattr(constants, "DISABLE_KITTY_KEY", False) else "\x1b[27u"
# What editors of a line take for alt and left, right, backspace; and shift+tab of some consoles.
_EDITING_KEYS, _SHIFT_TAB = "bf\x7f", "\t"
_RELEASE = "3"
# Bits of the modifiers, of which 1 is subtracted first.
_SHIFT, _ALT, _CTRL = 1, 2, 4
_CAPS_AND_NUM_LOCK = 64 | 128
_LONGEST_NUMBER = 7
_ESC = "\x1b"
_READ_BYTES = 4096
_REST_SECONDS = constants.ESCAPE_DELAY
# Time for a terminal to say its background.
_ANSWER_SECONDS = 0.05
# A terminal that does not know the question answers the second one, which all know: what it is.
_QUESTIONS = b"\x1b]11;?\x1b\\\x1b[c"
_COLOUR = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*"
    rb"(?:\x07|\x1b\\)"
)
_KIND = re.compile(rb"\x1b\[\?[\d;]*c")
# Without a way to answer, or known to show the question.
_SILENT_TERMINALS = ("", "dumb", "linux")
# What the parser raises for input that it cannot read.
_UNREADABLE = (ValueError, OverflowError, LookupError)


def readable_keys(text: str) -> str:
    """Rewrite keys with event types and alternate codes; releases and impossible keys are left out.

    >>> readable_keys("\\x1b[1;1:1B\\x1b[97;1:3u\\x1b[97:65;2u")
    '\\x1b[1;1B\\x1b[97;2;65u'
    """
    return _KEY.sub(_readable_key, text)


def _readable_key(match: re.Match[str]) -> str:
    codes, end = match.groups()
    fields = [field.split(":") for field in codes.split(";")]
    numbers = [number for field in fields for number in field]
    if len(fields) > 3 or not all(map(_is_code, numbers)):
        # Other reports end with the same letters, such as the place of the cursor.
        return match[0] if len(fields) > 3 and ":" not in codes else ""
    key, modifiers, text = (*fields, [""], [""])[:3]
    if modifiers[1:] and modifiers[1] == _RELEASE:
        return ""
    code, bits = key[0], max(int(modifiers[0] or 1) - 1, 0)
    held = bits & ~_CAPS_AND_NUM_LOCK
    if end == "u" and code and held & ~_SHIFT:
        code = str(_latin_code(int(code)))
    if end == "u" and held == _SHIFT and text == [""] and key[1:] and key[1]:
        text = [key[1]]
    written = [code, modifiers[0], ":".join(text)][: 3 if text != [""] else 2]
    if len(fields) == 1:
        written = written[:1]
    return f"\x1b[{';'.join(written)}{end}"


def _is_code(number: str) -> bool:
    """True for a code point that is a character, or for none."""
    if len(number) > _LONGEST_NUMBER:
        return False
    return not number or (not 0xD800 <= int(number) <= 0xDFFF and int(number) <= 0x10FFFF)


def _latin_code(code: int) -> int:
    """Code of the Latin key at the place of a letter, with which shortcuts are pressed."""
    return ord(latin_key(chr(code)) or chr(code))


class AltKeys(NamedTuple):
    """What decides if the bytes of escape and a key are alt and the key.

    bound: names of keys with alt that are bound to something. is_typing: True while a text field
    has the focus, which has keys with alt of its own.
    """

    bound: Collection[str] = ()
    is_typing: Callable[[], bool] = lambda: False


_NO_ALT_KEYS = AltKeys()


class KeyRewriter:
    """Rewrites terminal input, read by read."""

    def __init__(self, alt_keys: AltKeys = _NO_ALT_KEYS) -> None:
        self._alt_keys = alt_keys
        self._pasting = False
        # The beginning of a key that may go on in the next read.
        self.rest = ""

    def read(self, text: str) -> str:
        """Rewrite what was read, up to a key that may go on."""
        rest, self.rest = self.rest, ""
        if rest == _ESC and not self._pasting and text[:1] not in ("[", "O", "]"):
            # Terminals write a key at once: these are two.
            return _ESCAPE + self.read(text)
        text = rest + text
        cut_off = _CUT_OFF.search(text)
        end = cut_off.start() if cut_off else len(text)
        self.rest = text[end:]
        return self._rewritten(text[:end])

    def end_rest(self) -> str:
        """Rewrite the beginning of a key with which nothing came."""
        rest, self.rest = self.rest, ""
        return self._rewritten(rest)

    def _rewritten(self, text: str) -> str:
        before = ""
        if self._pasting:
            before, end, text = text.partition(_PASTED)
            before, self._pasting = before + end, not end
        if _PASTE in text:
            self._pasting = text.rfind(_PASTED) < text.rfind(_PASTE)
        return before + readable_keys(_ESCAPED.sub(self._escaped, text))

    def _escaped(self, match: re.Match[str]) -> str:
        """An escape that begins no sequence as the escape key, or with the next key as alt.

        Answers of the terminal are left out.
        """
        if match["answer"]:
            return ""
        key = match["key"]
        if key is None:
            return _ESCAPE if match[0] == _ESC else match[0]
        shift = "shift+" if key.isupper() else ""
        if f"alt+{shift}{key_of(key.lower())}" in self._alt_keys.bound:
            return f"\x1b[{ord(key.lower())};{4 if shift else 3}u"
        edits = key in _EDITING_KEYS and self._alt_keys.is_typing()
        return match[0] if edits or key == _SHIFT_TAB else _ESCAPE + key


def reading_any_key(
    driver_class: type[Driver],
    failed: Callable[[Exception], object],
    alt_keys: AltKeys = _NO_ALT_KEYS,
    typed: bytes = b"",
) -> type[Driver]:
    """A terminal's driver class that ignores input which cannot be read.

    Another class, such as that of a page, is returned as it is. failed: called on the thread that
    reads keys with the error that ended it. typed: what was read of the terminal before.
    """
    if os.name == "nt":
        return driver_class
    from textual.drivers.linux_driver import LinuxDriver

    if not issubclass(driver_class, LinuxDriver):
        return driver_class

    class AnyKeyDriver(driver_class):  # type: ignore[misc, valid-type]
        """Reads keys through a pipe, into which another thread writes them rewritten."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            self._input, self._typed = threading.local(), typed
            super().__init__(*arguments, **options)

        @property
        def fileno(self) -> int:
            """The terminal; for the thread that reads keys, the pipe."""
            return getattr(self._input, "fileno", self._terminal_fileno)

        @fileno.setter
        def fileno(self, fileno: int) -> None:
            self._terminal_fileno = fileno

        def run_input_thread(self) -> None:
            keys = KeyRewriter(alt_keys)
            before, self._typed = self._typed, b""
            with _rewritten(self._terminal_fileno, keys, before) as self._input.fileno:
                while True:
                    try:
                        super().run_input_thread()
                    except _UNREADABLE:
                        if not self.exit_event.is_set():
                            continue
                    except Exception as error:
                        failed(error)
                    return

    return AnyKeyDriver


@contextmanager
def _rewritten(terminal: int, rewriter: KeyRewriter, typed: bytes) -> Iterator[int]:
    """A pipe with the keys of a terminal, rewritten, after those that were typed before."""
    keys, written = os.pipe()
    ended, end = os.pipe()
    thread = threading.Thread(
        target=_rewrite,
        args=(terminal, written, ended, rewriter, typed),
        name="frontdesk-keys",
        daemon=True,
    )
    thread.start()
    try:
        yield keys
    finally:
        # In this order: nobody reads what the other thread may be writing.
        os.close(keys)
        os.close(end)
        thread.join()
        for descriptor in (written, ended):
            os.close(descriptor)


def _rewrite(terminal: int, written: int, ended: int, rewriter: KeyRewriter, typed: bytes) -> None:
    """Rewrite keys until the other ends of `written` and `ended` are closed."""
    # Terminals cannot be waited for by every kind of selector.
    with suppress(BrokenPipeError), selectors.SelectSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        # Bytes that are no text are left out.
        decode = getincrementaldecoder("utf-8")("ignore").decode
        os.write(written, rewriter.read(decode(typed)).encode())
        while True:
            rest_seconds = _REST_SECONDS if rewriter.rest else None
            ready = {key.fd for key, _ in selector.select(rest_seconds)}
            if ended in ready:
                return
            read = _read(terminal) if ready else b""
            if ready and not read:
                # The terminal is gone, which ends the program by a signal.
                selector.unregister(terminal)
            keys = rewriter.read(decode(read)) if ready else rewriter.end_rest()
            os.write(written, keys.encode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, _READ_BYTES)
    except OSError:
        return b""


class TerminalBackground(NamedTuple):
    """colour: red, green and blue from 0 to 1; None if the terminal did not say it.

    typed: what else came meanwhile, such as keys, or the beginning of a late answer.
    """

    colour: tuple[float, float, float] | None = None
    typed: bytes = b""

    @property
    def is_light(self) -> bool:
        """True if black is easier to read on it than white."""
        if self.colour is None:
            return False
        linear = (
            one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in self.colour
        )
        luminance = sum(
            share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
        )
        return (luminance + 0.05) ** 2 > 1.05 * 0.05


def parsed_background(answer: bytes) -> TerminalBackground:
    """Tell the answers in terminal input from the rest.

    >>> parsed_background(b"j\\x1b]11;rgb:ffff/ffff/ffff\\x1b\\\\k")
    TerminalBackground(colour=(1.0, 1.0, 1.0), typed=b'jk')
    """
    found = _COLOUR.search(answer)
    colour = None
    if found is not None:
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
        colour = red, green, blue
    return TerminalBackground(colour, _KIND.sub(b"", _COLOUR.sub(b"", answer)))


def ask_background(
    keys: int = 0, screen: int = 2, seconds: float = _ANSWER_SECONDS, terminal: str | None = None
) -> TerminalBackground:
    """Ask the terminal, and wait for its answer so many seconds at most.

    keys, screen: descriptors that it is read from and written to. terminal: its kind, by default
    that of the environment.
    """
    terminal = os.environ.get("TERM", "") if terminal is None else terminal
    is_possible = sys.platform != "win32" and terminal not in _SILENT_TERMINALS
    if not (is_possible and os.isatty(keys) and os.isatty(screen)):
        return TerminalBackground()
    import termios

    before = termios.tcgetattr(keys)
    attributes = termios.tcgetattr(keys)
    attributes[0] &= ~termios.ICRNL
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    try:
        termios.tcsetattr(keys, termios.TCSANOW, attributes)
        os.write(screen, _QUESTIONS)
        return parsed_background(_read_until(keys, monotonic() + seconds))
    except OSError:
        # The terminal was closed.
        return TerminalBackground()
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)


def _read_until(keys: int, end: float) -> bytes:
    """Read until the terminal has said of what kind it is, or the time has come."""
    answer = b""
    while not _KIND.search(answer):
        left = end - monotonic()
        if left <= 0 or not select([keys], [], [], left)[0]:
            break
        read = os.read(keys, _READ_BYTES)
        if not read:
            break
        answer += read
    return answer

"""Runs the user's commands on what a screen shows: menu, values, confirmation, standard input."""

from collections.abc import Callable, Sequence
from functools import partial
from string import ascii_letters, digits
from typing import Any, NamedTuple

from textual.screen import Screen

from frontdesk.own_commands.command import OwnCommand
from frontdesk.text.clean import shortened
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.command_entries import CommandEntry
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.running_programs import programs_of
from frontdesk.tui.key_names import key_label
from frontdesk.tui.preferences import Preferences

Values = dict[str, str]
# Calls its argument with a text once that is loaded.
Load = Callable[[Callable[[str], object]], object]


def give(text: str, use: Callable[[str], object]) -> None:
    """Load a text that is there already."""
    use(text)


class CommandTarget(NamedTuple):
    """What a command is run on, as it is when the command is chosen.

    id: of the conversation, or "". name: in the list of programs. load: gives what the command
    reads. find: name of a value that has to be asked for or fetched first, and what gives it.
    keep: takes the output that stays under it.
    """

    values: Values
    id: str = ""
    name: str = ""
    load: Load = partial(give, "")
    find: tuple[str, Load] | None = None
    keep: Callable[[str], object] = lambda text: None


class CommandMenu:
    """Commands of a screen.

    target_of: what a command is run on now, or a sentence that says why it cannot be.
    """

    def __init__(
        self,
        screen: Screen[Any],
        clock: Clock,
        preferences: Preferences,
        target_of: Callable[[OwnCommand], CommandTarget | str],
    ) -> None:
        self._screen, self._clock, self._preferences = screen, clock, preferences
        self._target_of = target_of

    @property
    def _offered(self) -> list[OwnCommand]:
        """The commands that can be run here."""
        return [
            one for one in self._preferences.commands if not isinstance(self._target_of(one), str)
        ]

    def entries(self) -> list[CommandEntry]:
        """Entries of the palette and the help."""
        return [
            CommandEntry(
                f"Run: {one.name}", _keys(one), partial(self.start, one), group="Own commands"
            )
            for one in self._offered
        ]

    def others(self) -> list[tuple[str, Callable[[], object]]]:
        """Further entries of the menu: words, and what they do."""
        now = self._clock.now()
        running = programs_of(self._screen.app, self._clock).cancellable
        return [(one.words(now), one.cancel) for one in running]

    def choose(self) -> None:
        """Open the menu of the commands that can be run here, and of the programs that run."""
        offered, others = self._offered, self.others()
        if not offered and not others:
            say(self._screen, sentences.NO_COMMANDS)
            return
        letters = _letters([*(one.letter for one in offered), *([""] * len(others))])
        actions: list[tuple[str, Callable[[], object]]]
        actions = [*((one.name, partial(self.start, one)) for one in offered), *others]
        entries = [
            MenuEntry(letter, action, words)
            for letter, (words, action) in zip(letters, actions, strict=False)
        ]
        menu = dialogs.menu("Own commands", entries)
        dialogs.ask(self._screen.app, menu, lambda action: action())

    def start_key(self, key: str) -> None:
        """Run the command of a key: the first that can be run here."""
        of_key = [one for one in self._preferences.commands if one.key == key]
        command = next((one for one in self._offered if one.key == key), None)
        if of_key:
            self.start(command or of_key[0])

    def start(self, command: OwnCommand) -> None:
        """Run a command: find its value, confirm, load what it reads, run."""
        target = self._target_of(command)
        if isinstance(target, str):
            say(self._screen, target)
        elif target.find is None:
            self._confirm(command, target)
        else:
            name, load = target.find

            def use(value: str) -> None:
                values = {**target.values, name: value}
                self._confirm(command, target._replace(values=values))

            load(use)

    def _confirm(self, command: OwnCommand, target: CommandTarget) -> None:
        go_on = partial(self.run, command, target)
        if command.confirm:
            answers = [Choice(True, f"Yes, run {command.name}"), Choice(False, "No")]
            picker = dialogs.picker(shortened(command.confirm), answers, current=False)
            dialogs.ask(self._screen.app, picker, lambda yes: go_on() if yes else None)
        else:
            go_on()

    def run(self, command: OwnCommand, target: CommandTarget) -> None:
        """Load what a command reads, and run it."""

        def run(text: str) -> None:
            job = command.job(target.values, self._preferences.profile, text)
            programs = programs_of(self._screen.app, self._clock)
            programs.run(command, job, target.id, target.name, target.keep)

        target.load(run)


def _keys(command: OwnCommand) -> str:
    keys = [key_label(command.key)] if command.key else []
    return " ".join([*keys, *([f"x {command.letter}"] if command.letter else [])])


def _letters(configured: Sequence[str]) -> list[str]:
    """A letter or digit for each command: its own, else the first that is free, while any is."""
    free = iter([one for one in digits[1:] + ascii_letters if one not in configured])
    return [letter for one in configured if (letter := one or next(free, ""))]

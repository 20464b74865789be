"""Runs the user's commands on what a screen shows: menu, questions, values, standard input."""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from string import ascii_letters, digits
from typing import Any, NamedTuple

from textual.screen import Screen

from frontdesk.errors import BadSettings
from frontdesk.own_commands.arguments import ASKED, FILES
from frontdesk.own_commands.command import AskedField, OwnCommand
from frontdesk.own_commands.extracting import MOST_MATCHES, matches
from frontdesk.own_commands.runner import Job
from frontdesk.text.clean import shortened
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import CommandEntry
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.pipe import encoded
from frontdesk.tui.dialogs.running_programs import programs_of
from frontdesk.tui.key_names import key_label

Values = dict[str, str]
# Calls its argument with a text once that is loaded.
Load = Callable[[Callable[[str], object]], object]


def give(text: str, use: Callable[[str], object]) -> None:
    """Load a text that is there already."""
    use(text)


class CommandTarget(NamedTuple):
    """What a command is run on, as it is when the command is chosen.

    id: of the conversation, or "". name: in the list of programs. texts: those in which `extract`
    looks. load: gives what the command reads. load_file: gives the path of the file of a message or
    a report.
    """

    values: Values
    id: str = ""
    name: str = ""
    texts: Callable[[], Iterable[str]] = tuple
    load: Load = partial(give, "")
    load_file: Load | None = None


class CommandMenu:
    """Commands that are offered in the profile and on the platform.

    target_of: what a command is run on now, or a sentence that says why it cannot be.
    """

    def __init__(
        self,
        screen: Screen[Any],
        clock: Clock,
        commands: Sequence[OwnCommand],
        profile: str | None,
        target_of: Callable[[OwnCommand], CommandTarget | str],
    ) -> None:
        self._screen, self._clock, self._profile = screen, clock, profile
        self._target_of = target_of
        self._commands = [one for one in commands if one.is_offered(profile, sys.platform)]

    def entries(self) -> list[CommandEntry]:
        """Entries of the palette and the help."""
        return [
            CommandEntry(
                f"Run: {one.name}", _keys(one), partial(self.start, one), group="Own commands"
            )
            for one in self._commands
            if not isinstance(self._target_of(one), str)
        ]

    def choose(self) -> None:
        """Open the menu of the commands that can be run here, and of the programs that run."""
        offered = [one for one in self._commands if not isinstance(self._target_of(one), str)]
        running = programs_of(self._screen.app, self._clock).cancellable
        if not offered and not running:
            say(self._screen, sentences.NO_COMMANDS)
            return
        letters = _letters([*(one.letter for one in offered), *([""] * len(running))])
        words = [*(one.name for one in offered), *(one.words(self._clock.now()) for one in running)]
        actions: list[Callable[[], object]] = [partial(self.start, one) for one in offered]
        actions += [one.cancel for one in running]
        entries = [MenuEntry(*entry) for entry in zip(letters, actions, words, strict=False)]
        menu = dialogs.menu("Own commands", entries)
        dialogs.ask(self._screen.app, menu, lambda action: action())

    def start_key(self, key: str) -> None:
        """Run the command of a key."""
        command = next((one for one in self._commands if one.key == key), None)
        if command is not None:
            self.start(command)

    def start(self, command: OwnCommand) -> None:
        """Run a command: ask for its fields, find its match, confirm, load what it reads, run."""
        target = self._target_of(command)
        if isinstance(target, str):
            say(self._screen, target)
        else:
            self._ask(command, target, command.fields)

    def _ask(self, command: OwnCommand, target: CommandTarget, left: Sequence[AskedField]) -> None:
        """Ask for the fields that are left, one after the other."""
        if not left:
            self._extract(command, target)
            return
        field, *others = left

        def use(answer: str) -> None:
            values = {**target.values, f"{ASKED}{field.name}": answer}
            self._ask(command, target._replace(values=values), others)

        if field.choices:
            choices = [Choice(one, one) for one in field.choices]
            picker = dialogs.picker(field.title, choices, current=field.default or None)
            dialogs.ask(self._screen.app, picker, use)
        else:
            prompt = dialogs.prompt(f"{field.title} ", value=field.default, may_be_blank=True)
            dialogs.ask(self._screen.app, prompt, use)

    def _extract(self, command: OwnCommand, target: CommandTarget) -> None:
        if not command.extract:
            self._get_file(command, target)
            return

        async def find() -> None:
            try:
                found = await matches(command.extract, target.texts())
            except BadSettings as error:
                say(self._screen, str(error))
                return
            self._choose_match(command, target, found)

        self._screen.run_worker(find(), group="own commands")

    def _choose_match(
        self, command: OwnCommand, target: CommandTarget, found: Sequence[str]
    ) -> None:
        def use(match: str) -> None:
            self._get_file(command, target._replace(values={**target.values, "match": match}))

        if not found:
            words = sentences.NO_MATCH_FOR.format(name=command.name, pattern=command.extract)
            say(self._screen, words)
        elif len(found) == 1:
            use(found[0])
        else:
            choices = [Choice(one, one) for one in found]
            remark = sentences.FIRST_MATCHES.format(count=MOST_MATCHES)
            is_part = len(found) == MOST_MATCHES
            picker = dialogs.picker(
                command.name, choices, current=None, remark=remark if is_part else ""
            )
            dialogs.ask(self._screen.app, picker, use)

    def _get_file(self, command: OwnCommand, target: CommandTarget) -> None:
        name = next((name for name in FILES if command.uses(name)), "")
        if not name:
            self._confirm(command, target)
        elif target.load_file is None:
            say(self._screen, sentences.NO_FILE)
        else:

            def use(path: str) -> None:
                self._confirm(command, target._replace(values={**target.values, name: path}))

            target.load_file(use)

    def _confirm(self, command: OwnCommand, target: CommandTarget) -> None:
        try:
            job = command.job(target.values, self._profile, b"")
            question = command.question(target.values)
        except BadSettings as error:
            say(self._screen, str(error))
            return
        go_on = partial(self._load, command, job, target)
        if question:
            answers = [Choice(True, f"Yes, run {command.name}"), Choice(False, "No")]
            picker = dialogs.picker(shortened(question), answers, current=False)
            dialogs.ask(self._screen.app, picker, lambda yes: go_on() if yes else None)
        else:
            go_on()

    def _load(self, command: OwnCommand, job: Job, target: CommandTarget) -> None:
        def run(text: str) -> None:
            programs = programs_of(self._screen.app, self._clock)
            programs.run(command, job._replace(stdin=encoded(text)), target.id, target.name)

        if command.stdin == "none":
            run("")
        else:
            target.load(run)


def _keys(command: OwnCommand) -> str:
    keys = [key_label(command.key)] if command.key else []
    return " ".join([*keys, *([f"x {command.letter}"] if command.letter else [])])


def _letters(configured: Sequence[str]) -> list[str]:
    """A letter or digit for each command: its own, else the first that is free, while any is."""
    free = iter([one for one in digits[1:] + ascii_letters if one not in configured])
    return [letter for one in configured if (letter := one or next(free, ""))]

"""Textual application of the viewer: themes, stylesheets, default screen, global key handling."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Input

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.settings import theme_names
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import APPLICATION
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.command_entries import CommandEntry, all_commands
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import BufferedKeys, Choice, SizedScreen, TextField
from frontdesk.tui.garbage_collection import IdleGarbageCollector
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_names import key_label, key_of, latin_key
from frontdesk.tui.preferences import PLAIN, Preferences, Switch
from frontdesk.tui.terminal_input import AltKeys, ask_background
from frontdesk.tui.theme import DARK, GREYS, LIGHT, SIXTEEN, STYLES, configured_name

_THEME = "viewer.theme"
# Commands of the palette that come first: those that were run last, in lines.
_COMMANDS_RUN, _MOST_COMMANDS_FIRST = "palette.ran", 5

# Actions that leave the screen of a text field.
_LEAVING = ("leave", "back")
# Seconds for which keys wait at most for what an enter, or one of these, before them does.
_LONGEST_HOLD = 0.5


class FrontdeskApp(CrashReportingApp[InboxError | Switch | None]):
    """Shows a mailbox. `title` names the inbox in the header.

    `run` returns a fatal error, the profile to switch to, or None. collector: collects the garbage
    of the process between keys; None leaves that to Python.
    """

    TITLE = "frontdesk"
    CSS_PATH = [STYLES / "app.tcss", STYLES / "inbox.tcss", STYLES / "dialogs.tcss"]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+o",
            "profiles",
            "Switch profile…",
            id="app.profiles",
            group=APPLICATION("account server database"),
        ),
    ]

    def __init__(
        self,
        mailbox: Mailbox,
        *,
        title: str,
        clock: Clock | None = None,
        preferences: Preferences = PLAIN,
        collector: IdleGarbageCollector | None = None,
    ) -> None:
        super().__init__()
        self._preferences = preferences
        self._collector = collector
        self._mailbox = mailbox
        self._inbox_title = title
        self._clock = clock or Clock()
        self._clock.follow(lambda: mailbox.server.clock_skew if mailbox.server else None)
        # Keys that wait for the first paint, or for what those before them lead to; None: no key
        # has to wait.
        self._held_keys: list[events.Key] | None = []
        # The key whose way from a field to the screen is awaited, or "".
        self._passed_on = ""
        self._release: Timer | None = None
        # Assigning the theme would parse all stylesheets a second time.
        self.set_reactive(FrontdeskApp.theme, self._first_theme())
        self.stylesheet.set_variables(self.get_css_variables())
        self.use_keys(preferences.keys)

    def exit(self, *arguments: Any, **options: Any) -> None:
        """Cancel all workers before exiting: a late response would find no screen."""
        self.workers.cancel_all()
        super().exit(*arguments, **options)

    async def on_event(self, event: events.Event) -> None:
        """Record user input for polling, and hold or remap keys, before normal event handling."""
        if isinstance(event, events.Key):
            # Those that come from a field were typed before the ones that wait.
            if self._held_keys is not None and not event.is_forwarded:
                self._held_keys.append(event)
            else:
                await self._handle_key(event)
            return
        if isinstance(event, events.Click) and not event.is_forwarded:
            self._record_input(event)
        await super().on_event(event)

    async def _handle_key(self, key: events.Key) -> None:
        # Forwarding changes the event itself.
        forwarded = key.is_forwarded
        if not forwarded:
            self._record_input(key)
            key = self._at_its_place(key)
            if self._is_fast_escape(key):
                second = events.Key(key_of(key.character or ""), key.character)
                two = [events.Key("escape", "\x1b"), second]
                self._held_keys = [*two, *(self._held_keys or [])]
                await self._release_next()
                return
        if key.key == "enter" and self._submits(key):
            self._hold_next()
        elif self._is_passed_on(key):
            # The field would get the next key too, though this one may close it.
            self._hold_next()
            self._passed_on = key.key
        if forwarded:
            await self._run_key(key)
        else:
            await self._send_key(key)
        if forwarded and key.key == self._passed_on:
            await self._release_keys()

    async def _send_key(self, key: events.Key) -> None:
        """Send a key to the focused field, or run it here and now if no field has the focus.

        Other widgets have no keys of their own. On its way through them, which Textual would send
        it, a key can be overtaken by a later one that goes to the field of a new screen.
        """
        is_typing = isinstance(self.focused, Input)
        await super().on_event(key)
        # Forwarding changes the event itself. A key with priority has not been forwarded.
        if key.is_forwarded and not is_typing:
            key.stop().prevent_default()
            await self._run_key(events.Key(key.key, key.character))

    async def _run_key(self, key: events.Key) -> None:
        """Run what is bound to a key, or type it into the field of a screen that opens."""
        early = self._buffered_keys
        if early is not None and early.typing and key.is_printable:
            await early.buffer_key(key)
        else:
            await super(App, self).on_event(key)

    def _record_input(self, event: events.Key | events.Click) -> None:
        if self._collector is not None:
            self._collector.record_input()
        self.end_notice_soon()
        self._each_inbox(lambda inbox: inbox.record_input(event))

    def _hold_next(self) -> None:
        """Hold back the keys that follow, for a while."""
        self._held_keys = self._held_keys or []
        if self._release is not None:
            self._release.stop()
        self._release = self.set_timer(_LONGEST_HOLD, self._release_keys)

    def _is_passed_on(self, key: events.Key) -> bool:
        """True for a key that the focused text field gets first, and then leaves its screen."""
        if key.is_forwarded or key.is_printable or not isinstance(self.focused, TextField):
            return False
        bound = self.screen.active_bindings.get(key.key)
        return bound is not None and bound.binding.action in _LEAVING

    @property
    def alt_keys(self) -> AltKeys:
        """Keys with alt of the configuration, and if a text field has the focus."""
        keys = ",".join(self.changed_keys.values()).split(",")
        return AltKeys({key for key in keys if key.startswith("alt+")}, self._is_typing)

    def _is_typing(self) -> bool:
        """True while a text field has the focus; from any thread."""
        screens = self.screen_stack
        return bool(screens) and isinstance(screens[-1].focused, Input)

    def _is_fast_escape(self, key: events.Key) -> bool:
        """True for alt and a key that nothing is bound to: terminals send escape and the key."""
        is_alt = key.key.startswith("alt+") and key.character is not None
        return is_alt and key.key not in self.screen.active_bindings

    def _submits(self, enter: events.Key) -> bool:
        """True if a text field will get this key: the focused one, or that of a new screen."""
        if isinstance(self.focused, TextField):
            return not enter.is_forwarded
        return self._buffered_keys is not None and self._buffered_keys.typing

    @property
    def _buffered_keys(self) -> BufferedKeys[Any] | None:
        """The active screen, if it buffers keys."""
        # During exit there is no screen.
        if len(self.screen_stack) < 2:
            return None
        return self.screen if isinstance(self.screen, BufferedKeys) else None

    def _at_its_place(self, event: events.Key) -> events.Key:
        """Map a letter of a non-Latin keyboard to the Latin key, unless it is text or bound."""
        character = event.character
        if character is None or character.isascii():
            return event
        if isinstance(self.focused, Input):
            return event
        latin = latin_key(character)
        if latin is None or event.key in self.screen.active_bindings:
            return event
        return events.Key(key_of(latin), latin)

    def get_key_display(self, binding: Binding) -> str:
        """Name of a key in the help, as in the status bars."""
        return key_label(binding.key)

    def action_profiles(self) -> None:
        """Select another profile; the application exits with a Switch."""
        profiles = self._preferences.profiles
        if self.is_web:
            self.notify(sentences.ONE_INBOX_PER_PAGE, markup=False)
            return
        if not profiles.keys() - {self._preferences.profile}:
            self.notify(sentences.NO_OTHER_PROFILE, markup=False)
            return
        choices = [Choice(name, name, where) for name, where in profiles.items()]
        picker = dialogs.picker("Profile", choices, current=self._preferences.profile)
        self.push_screen(picker, self._go_to_profile)

    def _go_to_profile(self, name: str | None) -> None:
        if name is not None and name != self._preferences.profile:
            self.leave(Switch(name))

    def leave(self, result: InboxError | Switch | None = None) -> None:
        """Exit; ask first while programs run that end with the viewer."""
        exit = partial(self.exit, result)
        if self.programs is not None or len(self.screen_stack) > 1:
            # Deferred: most viewers are left without a program or a dialog that may run one.
            from frontdesk.tui.dialogs.running_programs import leave

            leave(self, exit)
        else:
            exit()

    async def action_quit(self) -> None:
        self.leave()

    def action_own_key(self, key: str) -> None:
        """Run the own command of a key, on what the screen shows."""
        screen = self.screen
        menu = screen.command_menu() if isinstance(screen, SizedScreen) else None
        if menu is not None:
            menu.start_key(key)

    def _bind_own_keys(self) -> None:
        """Bind the keys of own commands; keys of panes and screens come first."""
        keys = {one.key for one in self._preferences.commands if one.key}
        for key in keys if not self.is_web else ():
            self.bind(key, f"own_key({key!r})", description="Own command", show=False)

    async def on_key(self, event: events.Key) -> None:
        """Pass an unhandled key to a dialog that opened after the key was dispatched."""
        early = self._buffered_keys
        if early is not None:
            await early.buffer_key(event)

    def watch_app_focus(self, focus: bool) -> None:
        """Inform inbox screens of focus changes of the terminal."""
        self._each_inbox(lambda inbox: inbox.terminal_focused(focus))

    def commands(self) -> list[CommandEntry]:
        """Entries of the palette: those of the screen, and of the program."""
        own = (
            CommandEntry(
                "Theme…", "", self.search_themes, "colours dark light contrast appearance"
            ),
            CommandEntry("Screenshot (SVG)…", "", self._take_screenshot, "picture save export"),
            CommandEntry("Quit", "^q", self.leave, "exit close leave"),
        )
        screen = self.screen
        of_screen = screen.commands() if isinstance(screen, SizedScreen) else all_commands(screen)
        return [*of_screen, *own]

    def action_commands(self) -> None:
        """Open the command palette."""

        ran = (self._mailbox.get_setting(_COMMANDS_RUN) or "").splitlines()

        def run(command: CommandEntry | None) -> None:
            if command is not None:
                latest = [*dict.fromkeys([command.title, *ran])][:_MOST_COMMANDS_FIRST]
                self._mailbox.set_setting(_COMMANDS_RUN, "\n".join(latest))
                self.call_later(command.run)

        # What was run last here comes first.
        places = {title: at for at, title in enumerate(ran)}
        commands = sorted(self.commands(), key=lambda one: places.get(one.title, len(ran)))
        choices = [
            Choice(command, command.title, command.hint, synonyms=command.synonyms)
            for command in commands
        ]
        self.push_screen(dialogs.picker("Commands", choices, current=None), run)

    def search_themes(self) -> None:
        """Select a theme, which is remembered until the configuration names another."""
        few, names = self._has_sixteen_colours, theme_names()
        choices = [
            Choice(theme, name)
            for name, theme in names.items()
            if not few or theme in (SIXTEEN.name, GREYS.name)
        ]
        remark = sentences.SIXTEEN_COLOURS if few else ""
        picker = dialogs.picker("Theme", choices, current=self.theme, remark=remark)
        self.push_screen(picker, self._look)

    @property
    def _has_sixteen_colours(self) -> bool:
        return self.console.color_system in ("standard", "windows")

    def _look(self, theme: str | None) -> None:
        if theme is not None:
            self.theme = theme
            self._mailbox.set_setting(_THEME, f"{theme} {self._configured_theme}")
            if self._preferences.is_demo:
                words = sentences.THEME_OF_DEMO.format(theme=configured_name(theme))
                self.notify(words, markup=False)

    @property
    def _configured_theme(self) -> str:
        return self._preferences.viewer.theme or (GREYS if self.no_color else DARK).name

    def _first_theme(self) -> str:
        """The sixteen colours, if there are no more; the theme chosen last; the configured one.

        With NO_COLOR the greys, unless another is configured or was chosen.
        """
        if self._has_sixteen_colours:
            return (GREYS if self.no_color else SIXTEEN).name
        chosen, _, configured = (self._mailbox.get_setting(_THEME) or "").partition(" ")
        known = configured == self._configured_theme and chosen in self.available_themes
        if known:
            return chosen
        follows = self._preferences.viewer.theme is None and not self.no_color
        return (follows and self._preferences.terminal_theme) or self._configured_theme

    def _take_screenshot(self) -> None:
        """Prompt for a file name, and save the current screen as SVG."""
        # Deferred: the first paint does not need it.
        from frontdesk.exports.conversations import file_name
        from frontdesk.tui.dialogs.save_prompt import save_prompt

        picture = self.export_screenshot()
        suggested = file_name("screenshot", self._clock.now().date(), "svg")
        prompt = save_prompt(self, suggested, ("svg",))
        self.push_screen(prompt, partial(self._save_screenshot, picture))

    def _save_screenshot(self, picture: str, name: str | None) -> None:
        from frontdesk.tui.dialogs.save_prompt import save

        warn = partial(self.notify, severity="error", markup=False)
        if name is not None and (saved := save(self, name, picture, warn)):
            self.notify(sentences.SCREENSHOT_SAVED.format(saved=saved), markup=False)

    def _each_inbox(self, do: Callable[[InboxScreen], None]) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, InboxScreen) and screen.is_attached:
                do(screen)

    async def on_ready(self) -> None:
        """Begin to collect garbage, and replay buffered keys."""
        if self._collector is not None:
            self._collector.start(asyncio.get_running_loop().call_later)
        await self._release_keys()
        self._bind_own_keys()
        if self._preferences.notices:
            first, *more = self._preferences.notices
            words = sentences.MORE_MISTAKES.format(first=first, count=len(more)) if more else first
            self.notify(words, severity="warning", timeout=15, markup=False)

    @on(TextField.EnterHandled)
    async def _release_keys(self) -> None:
        """Handle the keys that were held back, up to the next that leads to another screen."""
        if self._release is not None:
            self._release.stop()
        self._release, self._passed_on = None, ""
        await self._release_next()

    async def _release_next(self) -> None:
        """Handle the first key that was held back; the next one after what it does."""
        if self._release is not None:
            return
        if self._held_keys:
            await self._handle_key(self._held_keys.pop(0))
            self.call_later(self._release_next)
        else:
            self._held_keys = None

    def on_unmount(self) -> None:
        if self._collector is not None:
            self._collector.stop()

    def action_help_quit(self) -> None:
        """Say how to quit, which Textual does for ctrl+c with its own markup."""
        key = key_label(self.changed_keys.get("inbox.leave", "q").split(",")[0])
        words = sentences.HOW_TO_QUIT.format(key=key, anywhere=key_label("ctrl+q"))
        self.notify(words, markup=False)

    def get_default_screen(self) -> InboxScreen:
        """The inbox as the default screen, so that no screen is below it."""
        screen = InboxScreen(
            self._mailbox,
            self._clock,
            title=self._inbox_title,
            preferences=self._preferences,
        )
        screen.take_classes(self.size, update=False)
        return screen


def theme_of_terminal(configured: str | None) -> tuple[str | None, bytes]:
    """The theme for the terminal's background, if none is configured, and what was typed.

    None stands for the dark theme, which a terminal that does not answer has too.
    """
    if configured is not None:
        return None, b""
    background = ask_background()
    return LIGHT.name if background.is_light else None, background.typed

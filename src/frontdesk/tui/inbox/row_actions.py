"""Actions of the inbox on conversations and messages: going there, finding, copying, saving."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial

from frontdesk.cache import Hit
from frontdesk.inbox import finding, navigating, selecting
from frontdesk.query import Query
from frontdesk.text.clean import counted
from frontdesk.text.dates import HOW_TO, day_of
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import EXPORT, FIND, READ, TRIAGE, InboxKey
from frontdesk.tui.clipboard import copy
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending
from frontdesk.tui.inbox.parts import InboxParts, Undo
from frontdesk.tui.inbox.view_actions import go_to
from frontdesk.wire import Conversation


def toggle_read(parts: InboxParts) -> None:
    """Mark the selected conversation as read on this computer, or a read one as unread."""
    toggled = parts.do(selecting.toggle_read, parts.inbox)
    if toggled is not None:
        read, marks = toggled
        done = sentences.READ_MARKS_RESTORED if read else sentences.READ_AGAIN
        words = sentences.MARKED_READ if read else sentences.MARKED_UNREAD
        parts.undoing.offer(words, _undo_of_marks(parts, marks, done))


def mark_above_read(parts: InboxParts) -> None:
    """Mark the selected conversation and those above it as read on this computer."""
    marks = parts.do(selecting.mark_above_read, parts.inbox)
    if marks:
        count = counted(len(marks), "conversation")
        words = sentences.MARKED_ABOVE_READ.format(conversations=count)
        undo = _undo_of_marks(parts, marks, sentences.READ_MARKS_RESTORED)
        parts.undoing.offer(words, undo)


def _undo_of_marks(parts: InboxParts, marks: Mapping[str, str], done: str) -> Undo:
    count = counted(len(marks), "conversation")
    restore = partial(parts.do, parts.inbox.restore_read_marks, marks)
    return Undo(restore, done.format(conversations=count))


def undo(parts: InboxParts) -> None:
    """Take back the last mark, follow-up or saved view."""
    parts.undoing.take_back()


def ask_follow_up(parts: InboxParts) -> None:
    """Ask until when to hide the selected conversation, or the marked ones, here."""
    row = parts.inbox.selected
    if row is None:
        parts.say(sentences.NO_CONVERSATION)
        return
    rows = (parts.queue.marked if parts.panes.at == "list" else []) or [row]
    # Deferred: the first paint does not need it.
    from frontdesk.tui.dialogs.moment import ask_until

    ask_until(parts.screen, parts.clock, partial(_hide, parts, rows))


def _hide(parts: InboxParts, rows: Sequence[Conversation], until: datetime) -> None:
    from frontdesk.inbox import follow_ups
    from frontdesk.text.later import coming

    before = parts.do(follow_ups.hide, parts.inbox, rows, until)
    parts.queue.list.mark_only(())
    count = counted(len(rows), "conversation")
    undo = Undo(
        partial(parts.do, follow_ups.restore, parts.inbox, before),
        sentences.SHOWN_AGAIN.format(conversations=count),
    )
    at = coming(parts.clock.here(until) or until, parts.clock.now())
    parts.undoing.offer(sentences.HIDDEN_UNTIL.format(conversations=count, time=at), undo)


def step_conversation(parts: InboxParts, step: int) -> None:
    """Open the next or previous conversation; the focus stays in its pane."""
    parts.queue.list.action_move(step)
    parts.open_selected()


def next_unread(parts: InboxParts, step: int) -> None:
    """Go to the next or previous unread conversation; downwards further pages are loaded."""
    parts.do(finding.next_unread, parts.inbox, step)


def longest_wait(parts: InboxParts) -> None:
    """Go to the longest waiting conversation; repeated, to the next longest."""
    parts.do(finding.longest_wait, parts.inbox)


def last_opened(parts: InboxParts) -> None:
    """Go back to the previously opened conversation; repeated, forth again."""
    parts.do(navigating.go_to_last_opened, parts.inbox)


def find(parts: InboxParts) -> None:
    """Ask for a text, and find it in the focused pane."""
    parts.search.ask()


def find_next(parts: InboxParts, step: int) -> None:
    """Go to the next or previous match in the pane."""
    parts.search.find_next(step)


def open_switcher(parts: InboxParts) -> None:
    """Open the quick switcher."""
    from frontdesk.tui.dialogs.switcher import Switcher

    switcher = Switcher(parts.mailbox, parts.inbox.planning.names, parts.views.all())
    parts.app.push_screen(switcher, partial(go_to, parts))


def open_search(parts: InboxParts) -> None:
    """Open the full-text search."""
    from frontdesk.tui.dialogs.search import SearchScreen

    names, offered = parts.inbox.all_names, parts.mailbox.capabilities.offered
    search = SearchScreen(parts.mailbox, parts.clock, names, offered)
    parts.app.push_screen(search, partial(_show_hit, parts))


def _show_hit(parts: InboxParts, hit: Hit | Query | str | None) -> None:
    if isinstance(hit, str):
        parts.mailbox.choose_keep(hit)
        parts.say(sentences.KEEPING_NOTHING if hit == "off" else sentences.KEEPING_OPEN)
        if hit != "off":
            parts.shown.background.start_mirror()
    elif hit is None or isinstance(hit, Query):
        go_to(parts, hit)
    elif hit.conversation_id is not None:
        parts.show_conversation(hit.conversation_id, f"{hit.kind} {hit.id}")
    elif contact := parts.mailbox.known_contact(hit.id):
        parts.show_contact(contact)


def scroll_thread(parts: InboxParts, lines: int) -> None:
    """Scroll the thread from any pane; the focus stays where it is."""
    if parts.thread.display:
        parts.thread.messages.scroll_lines(lines)
    else:
        key = parts.keys["pane.thread"]
        parts.say(sentences.THREAD_NOT_SHOWN.format(key=key))


def ask_date(parts: InboxParts) -> None:
    """Ask for a date and go there; older messages are loaded as needed."""
    if parts.queue.list.selected_id is None:
        parts.say(sentences.NO_CONVERSATION)
        return
    today = parts.clock.now().date()
    prompt = dialogs.prompt(
        "day ",
        placeholder=HOW_TO.removeprefix("write "),
        check=lambda text: None if day_of(text, today) else HOW_TO,
    )
    dialogs.ask(parts.app, prompt, partial(_go_to_day, parts))


def _go_to_day(parts: InboxParts, text: str) -> None:
    day = day_of(text, parts.clock.now().date())
    if day is None:
        return

    def notify(found: date | None) -> None:
        if found is None:
            parts.say(sentences.NO_MESSAGES_SINCE.format(day=day))
        elif found != day:
            parts.say(sentences.NO_MESSAGES_ON.format(day=day, next=found))

    parts.panes.enter("thread")
    parts.thread.load_then(partial(parts.thread.fetch_day, day), notify)


def step_file(parts: InboxParts, step: int) -> None:
    """Go to the next or previous file of the thread, from another pane to its newest."""
    entered = parts.panes.at == "thread"
    parts.panes.enter("thread")
    parts.thread.go_to_file(step, from_end=not entered)


def toggle_story(parts: InboxParts) -> None:
    """Show all conversations of the customer as one thread, or the selected one alone."""
    parts.open_selected()
    parts.panes.enter("thread")
    parts.thread.toggle_story()


def copy_row(parts: InboxParts) -> None:
    """Copy the text of the row under the cursor."""
    copy(parts.screen, parts.panes.copied())


def copy_from_menu(parts: InboxParts) -> None:
    parts.thread.exports.copy_from_menu()


def open_link(parts: InboxParts) -> None:
    """Open the file or link of the message, or the conversation, by a command for it."""
    has_commands = bool(parts.preferences.commands)
    if has_commands and parts.own_commands.open():
        return
    if parts.panes.at == "thread" and parts.thread.exports.open_file():
        return
    if parts.queue.list.selected_id is None:
        parts.say(sentences.NO_CONVERSATION)
    elif parts.thread.exports.links:
        parts.thread.exports.open_link()
    else:
        parts.say(sentences.NO_LINK)


def show_raw_row(parts: InboxParts) -> None:
    """Show the row under the cursor as JSON, as it was received."""
    from frontdesk.tui.dialogs.raw_row import RawRow

    body = parts.thread.messages if parts.panes.at == "thread" else parts.queue.list
    if body.row is not None:
        title = f"{type(body.row).__name__} {body.row.id}, as received"
        parts.app.push_screen(RawRow(title, body.row))
    else:
        parts.say(sentences.NO_ROW)


def ask_pipe(parts: InboxParts) -> None:
    """Ask for a program, and give it the thread, or the marked threads."""
    parts.own_commands.ask_for_line()


def choose_own_command(parts: InboxParts) -> None:
    """Choose one of the user's commands."""
    parts.own_commands.choose()


def export_pane(parts: InboxParts, pane: str = "") -> None:
    """Save the thread; in the list the selected conversations, or else all loaded ones."""
    from frontdesk.exports.conversations import MARKED_ENDINGS

    in_thread = (pane or parts.panes.at) in ("thread", "contact")
    if in_thread and parts.thread.conversation is not None:
        parts.thread.action_export()
    elif parts.queue.list.marked:
        ask_for_name(
            parts.screen, "selected", parts.clock, MARKED_ENDINGS, partial(_save_marked, parts)
        )
    else:
        parts.queue.export()


def _save_marked(parts: InboxParts, name: str) -> None:
    """Save rows as they are cached (CSV, JSON), or load the threads (Markdown, text)."""
    from frontdesk.exports.conversations import QUEUE_ENDINGS

    if ending(name) in QUEUE_ENDINGS:
        parts.queue.save_marked(name)
    else:
        parts.thread.exports.save_threads(name, parts.queue.marked)


KEYS: tuple[InboxKey, ...] = (
    InboxKey("u", next_unread, "Next unread", "inbox.next_unread", TRIAGE("new"), (1,)),
    InboxKey("p", next_unread, "Previous unread", "inbox.previous_unread", TRIAGE("new"), (-1,)),
    InboxKey(
        "W",
        longest_wait,
        "Next longest wait",
        "inbox.next_waiting",
        TRIAGE("oldest late overdue sla"),
    ),
    InboxKey(
        "J", step_conversation, "Next conversation", "inbox.next", TRIAGE("customer channel"), (1,)
    ),
    InboxKey(
        "K",
        step_conversation,
        "Previous conversation",
        "inbox.previous",
        TRIAGE("customer channel"),
        (-1,),
    ),
    InboxKey(
        "minus",
        last_opened,
        "Last opened conversation",
        "inbox.swap",
        TRIAGE("before alternate toggle"),
    ),
    InboxKey(
        "m",
        toggle_read,
        "Mark as read or unread",
        "inbox.mark_unread",
        TRIAGE("new later seen done"),
    ),
    InboxKey(
        "M",
        mark_above_read,
        "Mark this and all above as read",
        "inbox.mark_above",
        TRIAGE("seen done catch up all"),
    ),
    InboxKey(
        "z",
        ask_follow_up,
        "Follow up later…",
        "inbox.follow_up",
        TRIAGE("hide later snooze remind tomorrow"),
    ),
    InboxKey(
        "U",
        undo,
        "Undo mark, follow-up or saved view",
        "inbox.undo",
        TRIAGE("take back restore revert"),
    ),
    InboxKey(
        "ctrl+e",
        scroll_thread,
        "Scroll the thread down",
        "inbox.scroll_down",
        READ("messages preview line"),
        (3,),
    ),
    InboxKey(
        "ctrl+y",
        scroll_thread,
        "Scroll the thread up",
        "inbox.scroll_up",
        READ("messages preview line"),
        (-3,),
    ),
    InboxKey(
        "a",
        toggle_story,
        "All conversations of the customer",
        "inbox.story",
        READ("customer history story whole merged channels"),
    ),
    InboxKey("t", ask_date, "Go to a date…", "inbox.date", READ("day calendar jump")),
    InboxKey(
        "right_curly_bracket",
        step_file,
        "Next file",
        "inbox.next_file",
        READ("photo picture document voice attachment media"),
        (1,),
    ),
    InboxKey(
        "left_curly_bracket",
        step_file,
        "Previous file",
        "inbox.previous_file",
        READ("photo picture document voice attachment media"),
        (-1,),
    ),
    InboxKey(
        "o",
        open_link,
        "Open in the browser",
        "inbox.open_link",
        READ("link url file photo play voice document web inbox"),
    ),
    InboxKey("w", show_raw_row, "Show as JSON", "inbox.raw_row", READ("raw source fields debug")),
    InboxKey("slash", find, "Find in this pane…", "inbox.find", FIND("search")),
    InboxKey("n", find_next, "Next match", "inbox.next_match", FIND("search"), (1,)),
    InboxKey("N", find_next, "Previous match", "inbox.previous_match", FIND("search"), (-1,)),
    InboxKey(
        "s",
        open_search,
        "Search everything on this computer…",
        "inbox.search",
        FIND("find full text messages notes"),
    ),
    InboxKey(
        "ctrl+k",
        open_switcher,
        "Go to a customer, conversation or view…",
        "inbox.switch",
        FIND("jump switch customer person number phone channel label"),
    ),
    InboxKey("y", copy_row, "Copy message or line", "inbox.copy", EXPORT("clipboard yank")),
    InboxKey(
        "Y",
        copy_from_menu,
        "Copy…",
        "inbox.copy_menu",
        EXPORT("clipboard number name link id thread"),
    ),
    InboxKey(
        "E",
        export_pane,
        "Export…",
        "inbox.export",
        EXPORT("save download file csv json markdown thread list"),
    ),
    InboxKey(
        "vertical_line",
        ask_pipe,
        "Pipe to a program…",
        "inbox.pipe",
        EXPORT("shell program run filter"),
    ),
    InboxKey(
        "x",
        choose_own_command,
        "Own commands…",
        "inbox.own_commands",
        EXPORT("programs run scripts crm cancel"),
    ),
)

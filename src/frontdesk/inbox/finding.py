"""Keys that lead to a conversation, and procedures where it is not loaded yet."""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import TypeVar

from frontdesk.errors import NotOffered
from frontdesk.inbox import sentences
from frontdesk.inbox.counting import total
from frontdesk.inbox.limits import MOST_PAGES_LOADED, MOST_ROWS_SEARCHED
from frontdesk.inbox.refreshing import fetch_older
from frontdesk.inbox.requests import (
    Answer,
    Ended,
    Kind,
    Steps,
    Until,
    ask,
    rows_known,
)
from frontdesk.inbox.scanning import reloaded, reported
from frontdesk.inbox.selecting import go_to_conversation, open_selected
from frontdesk.inbox.state import Awaited, Inbox, Walk
from frontdesk.query import sort_key
from frontdesk.query.plan import SortKey, waiting_since
from frontdesk.query.terms import WAITING
from frontdesk.wire import Conversation

T = TypeVar("T")

# Rows that are read before keys are handled.
_READ_PER_STEP = 100


# Unread conversations


def next_unread(inbox: Inbox, step: int) -> None:
    """Go to the next (1) or previous (-1) unread conversation; downwards pages are loaded."""
    if go_to_unread(inbox, step):
        open_selected(inbox)
    elif not inbox.rows_are_known:
        _repeat_when_known(inbox, next_unread, inbox, step)
    elif step > 0 and inbox.view.shown.exact:
        _take_step(inbox, _step_to_unread)
    else:
        inbox.say(_no_unread_below(inbox) if step > 0 else sentences.NO_UNREAD_ABOVE)


def go_to_unread(inbox: Inbox, step: int) -> bool:
    """Go to the next (1) or previous (-1) unread loaded conversation; False if none.

    After steps to who waits longest, the walk goes on from where these began.
    """
    position = unread_beside(inbox, _unread_from(inbox), step)
    if position is not None:
        inbox.window.go_to(position)
    return position is not None


def unread_beside(
    inbox: Inbox, position: int, step: int, *, most: int = MOST_ROWS_SEARCHED
) -> int | None:
    """Position of the next unread row that is not selected, among `most`; None without one."""
    rows = inbox.window.rows
    end = len(rows) if step > 0 else -1
    for at in islice(range(position + step, end, step), most):
        if at != inbox.window.cursor and inbox.planning.is_unread(rows[at]):
            return at
    return None


def _unread_from(inbox: Inbox) -> int:
    """Position from which the next unread row is looked for."""
    before = inbox.search.before_waiting if _last_waiting(inbox) is not None else None
    position = inbox.window.rows.find(f"conversation {before}") if before is not None else None
    return inbox.window.cursor if position is None else position


def _step_to_unread(inbox: Inbox) -> Steps[bool]:
    if go_to_unread(inbox, 1):
        return True
    answer = yield from _searched(inbox, _fetch_unread(inbox))
    if answer is None:
        inbox.warn(_no_unread_below(inbox))
    elif answer.value is None:
        inbox.say(_no_unread_below(inbox))
    else:
        inbox.window.go_to(answer.value)
    return answer is not None and answer.value is not None


def _fetch_unread(inbox: Inbox) -> Steps[int | None]:
    """Load pages until one has an unread conversation; its position, None if none has."""
    view, position = inbox.view, _unread_from(inbox)
    for _ in range(MOST_PAGES_LOADED):
        # The page that is being loaded is the next one.
        yield Ended(Kind.OLDER)
        held = len(view.list)
        if not view.list.complete and view.shown.exact:
            yield from fetch_older(inbox)
        row = unread_beside(inbox, max(position, held - 1), 1)
        if row is not None or len(view.list) == held:
            return row
    return None


def _no_unread_below(inbox: Inbox) -> str:
    """That no unread conversation was found below, but perhaps there are some above."""
    words = sentences.NO_UNREAD_BELOW if inbox.view.complete else sentences.NO_UNREAD_LOADED
    if unread_beside(inbox, inbox.window.cursor, -1) is None:
        return words
    return sentences.LOOK_ABOVE.format(words=words, key=inbox.keys["inbox.previous_unread"])


# Who waits longest


def longest_wait(inbox: Inbox) -> None:
    """Go to the longest waiting conversation; repeated, to the next longest."""
    if not inbox.rows_are_known:
        _repeat_when_known(inbox, longest_wait, inbox)
    elif knows_longest_waiting(inbox) or "sort" not in inbox.cached.capabilities.offered:
        _take_step(inbox, _step_to_longest_loaded)
    else:
        _take_step(inbox, _step_to_waiting)


def waiting_rows(inbox: Inbox) -> int:
    """Number of rows among which the longest wait is looked for."""
    return min(len(inbox.window.rows), MOST_ROWS_SEARCHED)


def knows_longest_waiting(inbox: Inbox) -> bool:
    """True if the longest waits are among those rows."""
    shown = inbox.view.shown
    if shown.is_sorted and shown.order == WAITING:
        return True
    return inbox.view.complete and len(inbox.window.rows) <= MOST_ROWS_SEARCHED


def _step_to_longest_loaded(inbox: Inbox) -> Steps[bool]:
    """Go to the longest waiting loaded conversation; says so if others may wait longer.

    Resolved conversations do not wait. After the last one, the search starts again.
    """
    rows, waiting = inbox.window.rows, []
    for at in range(waiting_rows(inbox)):
        if at < len(rows) and waiting_since(row := rows[at]):
            waiting.append(row)
        if at % _READ_PER_STEP == _READ_PER_STEP - 1:
            yield Until(inbox.seconds())
    following = _next_waiting(inbox, sorted(waiting, key=_wait_key(inbox)))
    if following is None or not _go_to_waiting(inbox, following):
        inbox.say(sentences.NO_ONE_WAITS)
        return False
    if not knows_longest_waiting(inbox):
        words, key = sentences.WAITS_AMONG_LOADED, inbox.keys["inbox.order"]
        inbox.say(words.format(rows=waiting_rows(inbox), key=key))
    return True


def _step_to_waiting(inbox: Inbox) -> Steps[bool]:
    """Go to the longest waiting conversation of the view, which the server knows.

    If it cannot answer, to that of the loaded ones.
    """
    answer = yield from _searched(inbox, _fetch_longest_waiting(inbox))
    if answer is None or answer.value is None:
        return (yield from _step_to_longest_loaded(inbox))
    inbox.view.kept.add_opened(answer.value)
    yield from reloaded(inbox, inbox.view.shown.filter)
    return _go_to_waiting(inbox, answer.value)


def _fetch_longest_waiting(inbox: Inbox) -> Steps[Conversation | None]:
    """Load the list by wait until it has the conversation; None if the server has no order."""
    shown = inbox.view.shown
    ordered = shown.filter.model_copy(update={"sort": WAITING})
    listing, matches = inbox.cached.conversations(ordered), inbox.planning.matcher(shown.rest)
    try:
        if _last_waiting(inbox) is None:
            yield from ask(lambda server: server.refresh_conversations(ordered))
        for _ in range(MOST_PAGES_LOADED):
            listing.reload()
            every = [listing[at] for at in range(len(listing))]
            waiting = [row for row in takewhile(waiting_since, every) if matches(row)]
            following = _next_waiting(inbox, waiting)
            again = _last_waiting(inbox) is not None and waiting and following == waiting[0]
            if listing.complete or (waiting and not again) or not all(map(waiting_since, every)):
                return following
            yield from ask(lambda server: server.older_conversations(ordered))
    except NotOffered:
        inbox.replan()
    return None


def _next_waiting(inbox: Inbox, waiting: Sequence[Conversation]) -> Conversation | None:
    """The first of rows by wait; if that is selected, or was by this, the one after it."""
    selected = inbox.window.row
    if waiting and selected is not None and waiting[0].id == selected.id:
        _note_waiting(inbox, selected)
    row = _last_waiting(inbox)
    if row is None:
        return next(iter(waiting), None)
    key = _wait_key(inbox)
    later = (other for other in waiting if key(other) > key(row))
    return next(later, None) or next(iter(waiting), None)


def _wait_key(inbox: Inbox) -> Callable[[Conversation], SortKey]:
    return sort_key(WAITING, inbox.clock.server_now())


def _last_waiting(inbox: Inbox) -> Conversation | None:
    """The selected row, if it was selected as the longest waiting."""
    row = inbox.window.row
    return row if row is not None and row.id == inbox.search.longest_waiting_id else None


def _go_to_waiting(inbox: Inbox, row: Conversation) -> bool:
    before, key = _last_waiting(inbox), _wait_key(inbox)
    if before is not None and key(row) <= key(before):
        inbox.say(sentences.LONGEST_WAIT_AGAIN)
    _note_waiting(inbox, row)
    return inbox.go_to(row.id)


def _note_waiting(inbox: Inbox, row: Conversation) -> None:
    """Record that a row is, or is about to be, selected as the longest waiting."""
    if _last_waiting(inbox) is None:
        selected = inbox.window.row
        inbox.search.before_waiting = selected.id if selected is not None else None
    inbox.search.longest_waiting_id = row.id


# Steps that wait


def _take_step(inbox: Inbox, step: Callable[[Inbox], Steps[bool]]) -> None:
    """Take a step that may ask the server: after those of the same kind that are being taken."""
    walk = inbox.search.walk if Kind.FIND in inbox.tasks else None
    if walk is not None and walk.step is step and walk.start == inbox.window.selected_id:
        walk.left += 1
        return
    walk = inbox.search.walk = Walk(step, inbox.window.selected_id)
    inbox.tasks.start(Kind.FIND, _walk(inbox, walk), urgent=inbox.connection.is_urgent)


def _walk(inbox: Inbox, walk: Walk) -> Steps[None]:
    while walk.left and (yield from walk.step(inbox)):
        walk.left -= 1
        walk.start = inbox.window.selected_id


def _searched(inbox: Inbox, steps: Steps[T]) -> Steps[Answer[T] | None]:
    """Search, which the status line shows if it takes long."""
    inbox.search.since = inbox.seconds()
    try:
        return (yield from reported(inbox, steps))
    finally:
        inbox.search.since = None


def _repeat_when_known(inbox: Inbox, action: Callable[..., object], *arguments: object) -> None:
    """Repeat a key with the next answer for the view; warn if none is being asked for."""
    if Kind.REFRESH not in inbox.tasks and inbox.cached.connected:
        inbox.warn(sentences.NOT_KNOWN)
        return
    before = inbox.search.awaited if inbox.tasks.waits_for_rows(Kind.FIND) else None
    again = before is not None and before[:2] == (action, arguments)
    times = before.times + 1 if before is not None and again else 1
    inbox.search.awaited = Awaited(action, arguments, times)
    inbox.tasks.start(Kind.FIND, _repeat(inbox, inbox.search.awaited))


def _repeat(inbox: Inbox, awaited: Awaited) -> Steps[None]:
    yield from rows_known()
    if not inbox.rows_are_known:
        inbox.warn(sentences.NOT_KNOWN)
        return
    for _ in range(awaited.times):
        awaited.action(*awaited.arguments)


def show_when_known(inbox: Inbox, conversation_id: str, entry: str) -> None:
    """Select a conversation, and an entry in it, with the next answer for the view."""
    inbox.tasks.start(Kind.FIND, _show_when_known(inbox, conversation_id, entry))


def _show_when_known(inbox: Inbox, conversation_id: str, entry: str) -> Steps[None]:
    yield from rows_known()
    go_to_conversation(inbox, conversation_id, entry)


def stop(inbox: Inbox) -> bool:
    """End searches; False if there was none."""
    return inbox.tasks.stop(Kind.FIND)


def say_how_far(inbox: Inbox) -> None:
    """Say that the last row is that of a part, unless the status line does."""
    view, number = inbox.view, total(inbox)
    if view.scan is None and not view.list.complete:
        rows = f"{len(view.list):,}" + ("" if number is None else f" of {number:,}")
        inbox.say(sentences.LOADED_SO_FAR.format(rows=rows, key=inbox.keys["list.last"]))

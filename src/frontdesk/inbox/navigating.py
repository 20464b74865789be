"""Ways to other views and conversations: queries, their history, customers, and single rows."""

from frontdesk.inbox import sentences
from frontdesk.inbox.finding import show_when_known
from frontdesk.inbox.refreshing import refresh, show_query
from frontdesk.inbox.scanning import scan_rest
from frontdesk.inbox.selecting import go_to_conversation, open_selected
from frontdesk.inbox.state import Inbox
from frontdesk.inbox.view import ViewPlace
from frontdesk.query import Query, customer
from frontdesk.wire import Contact, PhoneRef


def show(inbox: Inbox, query: Query) -> None:
    """Show the conversations of a query: at once from the cache, then from the server."""
    _leave_for(inbox, query)
    _show(inbox, query)


def show_folder(inbox: Inbox, query: Query) -> None:
    """Show a saved view or a channel where it was left, with its own marks."""
    if query != inbox.view.query:
        place = inbox.history.place_of(query)
        _leave_for(inbox, query)
        if place is None:
            inbox.window.mark_only(())
        _show(inbox, query, place)
    else:
        _show(inbox, query)


def _leave_for(inbox: Inbox, query: Query) -> None:
    if query != inbox.view.query:
        inbox.history.leave(inbox.view.query, _place(inbox))


def _place(inbox: Inbox) -> ViewPlace:
    return ViewPlace.of(inbox.window, inbox.selection.id)


def _show(inbox: Inbox, query: Query, place: ViewPlace | None = None) -> None:
    if query != inbox.view.query:
        inbox.orders.append(lambda panes: panes.end_notices())
    show_query(inbox, query, place)
    if inbox.reader.is_entered:
        # Its thread is read, even if the row comes with a later answer.
        inbox.window.take_for_input(also_none=True)
    inbox.connection.begin()
    open_selected(inbox)
    refresh(inbox)
    scan_rest(inbox)


def step_history(inbox: Inbox, step: int) -> None:
    """Go back (-1) or forward (1) through the views, to where they were left."""
    visit = inbox.history.step(step, inbox.view.query, _place(inbox))
    if visit is None:
        inbox.say(sentences.NO_VIEW_BEFORE if step < 0 else sentences.NO_VIEW_AFTER)
    else:
        _show(inbox, visit.query, visit.place)


def show_customer(inbox: Inbox, contact: PhoneRef | Contact) -> None:
    """Show the conversations of a contact, on all channels and of any status."""
    id, phone = contact.id, contact.phone
    inbox.planning.add_contact(contact.short if isinstance(contact, Contact) else contact)
    before = inbox.view.query
    show(inbox, Query.of(customer(id, phone)))
    inbox.orders.append(lambda panes: panes.enter_pane("list"))
    if inbox.view.query != before:
        inbox.say(sentences.CUSTOMER_VIEW.format(key=inbox.keys["inbox.view_back"]))


def show_conversation(inbox: Inbox, conversation_id: str, entry: str = "") -> None:
    """Show a contact's conversations with the cursor on one of them, and on an entry in it."""
    conversation = inbox.cached.conversation(conversation_id)
    if conversation is None:
        inbox.say(sentences.NOT_ON_THIS_COMPUTER)
        return
    show_customer(inbox, conversation.contact)
    if not go_to_conversation(inbox, conversation_id, entry):
        inbox.window.go_to(0)
        open_selected(inbox)
        show_when_known(inbox, conversation_id, entry)


def go_to_last_opened(inbox: Inbox) -> None:
    """Go back to the conversation that was opened before; repeated, forth again."""
    if inbox.go_to_last_opened():
        open_selected(inbox)
    else:
        inbox.say(sentences.NO_PREVIOUS)

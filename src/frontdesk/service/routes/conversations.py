"""Endpoints of conversations: the list, one of them, and the counts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict
from urllib.parse import parse_qs

from frontdesk.query.language import analyse
from frontdesk.query.terms import KINDS
from frontdesk.service import masking, serializers
from frontdesk.service.api_keys import KeyGrant
from frontdesk.service.endpoint import EndpointRequest, JsonBody, Paging
from frontdesk.service.params import Parameters, row_id
from frontdesk.service.problems import lacking
from frontdesk.service.routes import filters, messages, query_terms
from frontdesk.service.routes.query_terms import AskedQuery
from frontdesk.store import conversation_walks, media_texts, message_search
from frontdesk.store import conversations as queries
from frontdesk.store.database import Row
from frontdesk.store.query_conditions import by_index, counted_cells
from frontdesk.store.rollups import MINUTE
from frontdesk.store.rows import OPEN
from frontdesk.text.search import Terms, searched_text
from frontdesk.wire import (
    AssigneeCounts,
    ChannelCounts,
    Conversation,
    ConversationPage,
    Counts,
    CountSet,
    LabelCounts,
    StatusCounts,
    timestamp,
)
from frontdesk.wire.queries import (
    CONVERSATION_ORDERS,
    COUNTS_BY,
    DEFAULT_CONVERSATION_ORDER,
)
from frontdesk.wire.values import STATUSES

_ONE_LABEL = "counts are of one label: give no other one, and no name that several have"
_READS_MESSAGES = "messages:read"
# Pages of a search that one request of a masked key looks through.
_MOST_MASKED_PAGES = 20


def conversations(request: EndpointRequest) -> JsonBody[ConversationPage]:
    """Conversations: the latest activity first, in the order of `sort`, or found by `q`."""
    parameters = request.parameters
    status = parameters.filter_value("status", STATUSES)
    label_id, channel_id, values = filters.label_and_channel(request)
    assigned, assignee_id = filters.assignee(request, values)
    narrowed = _extensions(request, values)
    asked = query_terms.read_query(request, values) if "query" in parameters.names else None
    terms = _searched(request, values)
    if terms is not None and asked is not None and asked.sort is not None:
        hint = "sort: does not go with q, whose order is that of the newest messages found"
        parameters.add_fault("invalid_parameter", "query", "unavailable", hint)
    sort = parameters.filter_value("sort", CONVERSATION_ORDERS) or (asked and asked.sort)
    sort = sort or DEFAULT_CONVERSATION_ORDER
    if sort != DEFAULT_CONVERSATION_ORDER:
        values["sort"] = sort
    if status is not None:
        values["status"] = status
    paging = request.paging(values)
    parameters.raise_if_invalid()
    began_at = request.now
    if paging.after is not None and len(queries.ORDERS[sort]) > 1:
        began_at = int(paging.after[1] or 0)
    selection = queries.ConversationSelection(
        queries.states_of(_statuses(status), assigned=assigned),
        label_id,
        channel_id,
        assignee_id,
        awake_at=request.awake_at,
        sort=sort,
        closed_until=began_at - began_at % MINUTE - serializers.SERVICE_WINDOW,
        began_at=began_at,
        conditions=asked.conditions if asked else (),
        **narrowed,
    )
    if asked is not None:
        cells, selection = counted_cells(selection), by_index(selection)
    if terms is not None:
        return _match_page(request, selection, terms, paging)
    if asked is not None:
        return _walked_page(request, selection, paging, asked, cells)
    if selection.is_walked:
        return _walked_page(request, selection, paging)
    rows, next_cursor = paging.split(
        queries.conversation_page(*request.account, selection, paging.after, paging.limit + 1),
        lambda row: queries.position_of(row, selection),
    )
    return _page(request, rows, next_cursor)


def _walked_page(
    request: EndpointRequest,
    selection: queries.ConversationSelection,
    paging: Paging,
    asked: AskedQuery | None = None,
    cells: queries.CountedCells | None = None,
) -> JsonBody[ConversationPage]:
    """A page of a walk, which may end early; the first one of a query with the number of all.

    cells: of all that match, where they tell it.
    """
    is_first = asked is not None and paging.after is None
    page = conversation_walks.filtered_page(
        *request.account,
        selection,
        paging.after,
        paging.limit + 1,
        counted=is_first and cells is None,
    )
    rows, next_cursor = paging.split(page.rows, lambda row: queries.position_of(row, selection))
    members: dict[str, Any] = {}
    if asked is not None:
        number, capped = page.total or (None, False)
        if is_first and cells is not None:
            number = queries.number_of_cells(*request.account, cells)
        members = {"total": number, "total_capped": capped}
        if asked.remark:
            members["remark"] = asked.remark
        if asked.words is not None:
            ids = [row["id"] for row in rows]
            newest = message_search.newest_matches(
                *request.account, ids, asked.words, files=request.reads_files
            )
            members["matches"] = _matches(request, newest, asked.words, paging)
    if next_cursor is None and page.stopped is not None:
        next_cursor = paging.codec.encode(page.stopped)
    return _page(request, rows, next_cursor, members)


def _searched(request: EndpointRequest, values: dict[str, str]) -> Terms | None:
    """Parse the words of a search for messages, recorded in `values`; None without it.

    Raises: ApiError: the key may not read messages.
    """
    parameters = request.parameters
    if parameters.filter_value("q") is None:
        return None
    if _READS_MESSAGES not in request.grant.scopes:
        raise lacking(_READS_MESSAGES, tuple(sorted(request.grant.scopes)))
    text = " ".join(filters.words(request))
    terms = Terms.of(text)
    values["q"] = text
    if parameters.get("sort") is not None:
        parameters.add_fault(
            "invalid_parameter",
            "sort",
            "unavailable",
            "it does not go with q, whose order is that of the newest messages found",
        )
    if not terms.spellings:
        reason = "it needs a word"
        parameters.add_fault("invalid_parameter", "q", "too_short", reason)
    elif (lack := message_search.lack(*request.account)) is not None:
        parameters.add_fault("message_search_unavailable", "q", "unavailable", lack)
    return terms


def _match_page(
    request: EndpointRequest,
    selection: queries.ConversationSelection,
    terms: Terms,
    paging: Paging,
) -> JsonBody[ConversationPage]:
    files = request.reads_files
    at = None if paging.after is None else int(paging.after[0] or 0)
    found = message_search.match_page(
        *request.account, selection, terms, at, paging.limit, files=files
    )
    matches = _matches(request, found.matches, terms, paging)
    total, is_capped = found.total, found.capped
    if request.grant.masked:
        # A page or a number that counted what is not shown would tell that it is there.
        total, is_capped = None, False
        for _ in range(_MOST_MASKED_PAGES):
            room = paging.limit - len(matches)
            if not room or found.next_number is None:
                break
            found = message_search.match_page(
                *request.account, selection, terms, found.next_number, room, files=files
            )
            matches += _matches(request, found.matches, terms, paging)
    ids = [int(match["conversation_id"]) for match in matches]
    rows = queries.conversations_by_id(*request.account, ids, selection.awake_at)
    members: dict[str, Any] = {"matches": matches, "total": total, "total_capped": is_capped}
    next_cursor = None
    if found.next_number is not None:
        next_cursor = paging.codec.encode((found.next_number,))
        since = message_search.time_of(request.grant.account_id, found.next_number)
        members["searched_since"] = timestamp(since)
    return _page(request, [rows[conversation_id] for conversation_id in ids], next_cursor, members)


def _matches(
    request: EndpointRequest, found: Sequence[Row], terms: Terms, paging: Paging
) -> list[dict[str, Any]]:
    """Messages as `matches` has them; of masked ones, those whose words are still there."""
    numbers = [match["number"] for match in found]
    newest = message_search.matching_messages(*request.account, numbers)
    if request.grant.masked:
        pieces = _masked_pieces(request, found, newest)
        found = [row for row in found if terms.match_text(searched_text(pieces[row["number"]]))]
    else:
        pieces = {number: message_search.shown_pieces(row) for number, row in newest.items()}
    return [
        serializers.message_match(
            match["conversation_id"],
            newest[match["number"]],
            pieces[match["number"]],
            terms,
            messages.cursor_of(paging.codec, match["conversation_id"], newest[match["number"]]),
        )
        for match in found
    ]


def _masked_pieces(
    request: EndpointRequest, found: Sequence[Row], newest: Mapping[int, Row]
) -> dict[int, tuple[str, ...]]:
    """Return the texts of masked messages, by their numbers."""
    ids = [match["conversation_id"] for match in found]
    rows = queries.conversations_by_id(*request.account, ids, request.awake_at)
    mask = masking.mask_of(request)
    known = masking.people(request, (row["contact_id"] for row in rows.values()))
    customers = {id: known[str(row["contact_id"])] for id, row in rows.items()}
    return {
        match["number"]: message_search.shown_pieces(
            newest[match["number"]],
            partial(mask.message, person=customers[match["conversation_id"]]),
        )
        for match in found
    }


def conversation(request: EndpointRequest) -> JsonBody[Conversation]:
    """One conversation, as lists have it."""
    request.parameters.raise_if_invalid()
    conversation_id = row_id(request.path_value)
    ids = [] if conversation_id is None else [conversation_id]
    rows = queries.conversations_by_id(*request.account, ids, request.awake_at) if ids else {}
    if not rows:
        raise messages.no_conversation(request)
    labels = queries.labels_of(*request.account, ids)
    return serializers.conversation_body(
        rows[ids[0]],
        labels,
        with_preview=_READS_MESSAGES in request.grant.scopes,
        file_texts=previewed_texts(request, rows.values()),
    )


def _page(
    request: EndpointRequest,
    rows: Sequence[Row],
    next_cursor: str | None,
    members: Mapping[str, Any] | None = None,
) -> JsonBody[ConversationPage]:
    labels = serializers.grouped(
        queries.labels_of(*request.account, [row["id"] for row in rows]),
        "conversation_id",
    )
    with_preview = _READS_MESSAGES in request.grant.scopes
    return serializers.conversation_page(
        rows, labels, next_cursor, members or {}, with_preview=with_preview,
        file_texts=previewed_texts(request, rows),
    )  # fmt: skip


def depends_on_minute(query: bytes, now: int) -> bool:
    """True if the query has `sort`, or terms of other kinds than counters are kept by.

    By reply windows, the order changes without a write, and what matches an age does.
    """
    parameters = parse_qs(query.decode("ascii", "replace"))
    lines = (analyse(text)[0] for text in parameters.get("query", ()))
    terms = (term for line in lines for term in line.terms)
    return "sort" in parameters or not all(KINDS[term.kind].counted for term in terms)


def counts(request: EndpointRequest) -> Counts:
    """Number of conversations, from the counter cells alone."""
    status = request.parameters.filter_value("status", STATUSES)
    label_id, channel_id, values = filters.label_and_channel(request)
    asked = query_terms.read_query(request, values, counted=True)
    narrowed = _extensions(request, values)
    of = counted_cells(
        queries.ConversationSelection(
            queries.states_of(_statuses(None)),
            label_id,
            channel_id,
            awake_at=request.awake_at,
            conditions=asked.conditions if asked else (),
            **narrowed,
        )
    )
    if of is None:
        request.parameters.add_fault("invalid_filter", "query", "unavailable", _ONE_LABEL)
    parts = _counted_by(request.parameters, label_id if of is None else of.label_id)
    request.parameters.raise_if_invalid()
    assert of is not None
    members = _parts(request, of, parts)
    if asked is not None:
        members["query"] = values["query"]
    cells = queries.counts(*request.account, of, request.grant.user_id)
    sets = {
        name: _count_set([cell for cell in cells if cell["status"] == number], request.grant)
        for number, name in enumerate(STATUSES)
    }
    flat = sets[status or "open"]
    shown = [cell for cell in cells if cell["status"] == STATUSES.index(status or "open")]
    return Counts(
        all=_total(cells),
        open=sets["open"].all,
        snoozed=sets["snoozed"].all,
        resolved=sets["resolved"].all,
        mine=flat.mine,
        assigned=flat.assigned,
        unassigned=flat.unassigned,
        awaiting_human=flat.awaiting_human,
        unread=_total([cell for cell in shown if cell["unread"]]),
        by_status=StatusCounts(**sets),
        by_channel=_by_channel(cells),
        as_of=timestamp(request.now),
        **members,
    )


def _counted_by(parameters: Parameters, label_id: int) -> Collection[str]:
    """Parse `by`, some of COUNTS_BY. After faults were recorded, the value is meaningless."""
    parts = parameters.some_of("by", COUNTS_BY, "invalid_parameter")
    if "labels" in parts and label_id != queries.NO_LABEL:
        hint = "labels does not go with a label: leave one of them out"
        parameters.add_fault("invalid_parameter", "by", "unavailable", hint)
    return parts


def _parts(
    request: EndpointRequest, of: queries.CountedCells, parts: Collection[str]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "assignees" in parts:
        found["by_assignee"] = _by_assignee(request, of)
    if "labels" in parts:
        found["by_label"] = _by_label(request, of)
    return found


def _by_assignee(request: EndpointRequest, of: queries.CountedCells) -> tuple[AssigneeCounts, ...]:
    rows = queries.counts_by_assignee(*request.account, of)
    return tuple(
        AssigneeCounts(assignee=str(id) if id else None, **_statuses_of(own))
        for id, own in serializers.grouped(rows, "assignee_id").items()
    )


def _by_label(request: EndpointRequest, of: queries.CountedCells) -> tuple[LabelCounts, ...]:
    rows = queries.counts_by_label(*request.account, of)
    return tuple(
        LabelCounts(label=title, **_statuses_of(own))
        for title, own in serializers.grouped(rows, "title").items()
    )


def _statuses_of(rows: Sequence[Row]) -> dict[str, int]:
    """Numbers of rows by status, and of all."""
    by_status = serializers.grouped(rows, "status")
    counted = {status: _total(by_status[at]) for at, status in enumerate(STATUSES)}
    return {"all": _total(rows), **counted}


class _Extensions(TypedDict):
    contact_id: int | None
    awaiting: bool | None
    unread: bool | None


def _extensions(request: EndpointRequest, values: dict[str, str]) -> _Extensions:
    """Parse the filters that the specification does not name, and record them in `values`."""
    return {
        "contact_id": filters.contact(request, values),
        "awaiting": filters.flag(request, "awaiting_human", values),
        "unread": filters.flag(request, "unread", values),
    }


def _statuses(status: str | None) -> Sequence[int]:
    return range(3) if status is None else (STATUSES.index(status),)


def _total(cells: Sequence[Row]) -> int:
    return sum(cell["n"] for cell in cells)


def _count_set(cells: Sequence[Row], grant: KeyGrant) -> CountSet:
    return CountSet(
        all=_total(cells),
        mine=None if grant.user_id is None else _total([cell for cell in cells if cell["mine"]]),
        assigned=_total([cell for cell in cells if cell["assigned"]]),
        unassigned=_total([cell for cell in cells if not cell["assigned"]]),
        awaiting_human=_total([cell for cell in cells if cell["awaiting"]]),
    )


def _by_channel(cells: Sequence[Row]) -> tuple[ChannelCounts, ...]:
    return tuple(
        ChannelCounts(
            channel=number,
            **_statuses_of(own),
            awaiting_human=_total(
                [cell for cell in own if cell["awaiting"] and cell["status"] == OPEN]
            ),
        )
        for number, own in serializers.grouped(cells, "phone_number_id").items()
    )


def previewed_texts(request: EndpointRequest, rows: Iterable[Row]) -> dict[int, str]:
    """Return what begins the words of the last message's file, by conversation id."""
    if not request.reads_files:
        return {}
    previews = ((row["id"], row["last_message_json"]) for row in rows)
    # Most are of a text: they are not parsed.
    of_files = {
        queries.previewed_id(preview): id
        for id, preview in previews
        if preview is not None and '"type":"text"' not in preview
    }
    texts = media_texts.beginnings(*request.account, [id for id in of_files if id is not None])
    return {of_files[id]: text for id, text in texts.items()}

"""The query language: text and query convert to each other, mistakes are located, names resolve."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.query import (
    Matcher,
    Query,
    QueryError,
    QueryNames,
    Term,
    analyse,
    check,
    complete,
    customer,
    dates,
    parse,
    plan,
    reference,
    sort_key,
)
from frontdesk.query.language import LISTED, words
from frontdesk.query.names import contact_id, is_contact, meaning, unknown_name
from frontdesk.query.plan import STANDARD
from frontdesk.query.terms import CONTENTS, KINDS, ORDERS, STATUS, WORDS
from frontdesk.text.clean import clean, one_line
from frontdesk.wire import (
    Channel,
    Conversation,
    ConversationFilter,
    MessagePreview,
    PhoneRef,
    UserRef,
)
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import STATUSES, timestamp

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
NAMES = QueryNames(
    users={"1": "Ana Ibáñez", "2": "Mariana Silva", "3": "Priya Raman", "4": "Ana Ruiz"},
    channels={"10": "London", "11": "New London", "12": "Madrid"},
    phones={"10": "+442079460018", "11": "+442079460019", "12": "+34911222333"},
    labels=("billing", "pick up", "VIP"),
    me="3",
    contacts=(
        PhoneRef(id="7", name="Theo Kim", phone="+16505551234"),
        PhoneRef(id="8", name="Freya Pryce", phone="+16505559999"),
    ),
)


def _is_range(text: str) -> bool:
    return not dates.problem(text)


_TEXTS = st.text().map(lambda text: one_line(clean(text))).filter(bool)
_FREE = st.one_of(_TEXTS, st.sampled_from(["unread", "-a", "#a", "@me", "is:open", 'a "b', "a\\"]))
_DURATION = st.builds(
    lambda sign, number, unit: f"{sign}{number}{unit}",
    st.sampled_from("<>"),
    st.integers(0, 99999),
    st.sampled_from("smhdw"),
)
_DAY = st.dates(date(1, 1, 1), date(9998, 12, 31)).flatmap(
    lambda day: st.sampled_from(
        [day.isoformat(), day.isoformat()[:7], day.isoformat()[:4], "today", "yesterday"]
    )
)
_DAYS = st.one_of(
    _DAY,
    st.builds("{}{}".format, st.sampled_from([">", ">=", "<", "<="]), _DAY),
    _DAY.map("{}..".format),
    _DAY.map("..{}".format),
    st.tuples(_DAY, _DAY).map(lambda days: "..".join(sorted(days))).filter(_is_range),
)
_VALUES = {
    "is": st.sampled_from(STATUSES),
    "followup": st.just("followup"),
    "needs": st.just("human"),
    "has": st.sampled_from(sorted(CONTENTS)),
    "hours": st.just("business"),
    "unread": st.just(""),
    "window": _DURATION,
    **dict.fromkeys(("waiting", "active"), _DURATION | _DAYS),
    **dict.fromkeys(("created", "sent"), _DAYS),
    "sort": st.sampled_from(sorted(ORDERS)),
    "assignee": st.one_of(
        st.sampled_from(["me", "assigned", "ana", "id:7"]),
        _TEXTS.filter(lambda text: text.casefold() not in ("me", "assigned", "unassigned")),
    ),
}
_FIELDS = st.one_of(
    st.builds(
        lambda key, values, sign, negated: Term.any_of("field", values, negated=negated)._replace(
            key=key, sign=sign
        ),
        _FREE.filter(lambda text: len(text) <= 200),
        st.lists(_FREE.filter(lambda text: len(text) <= 200), min_size=1, max_size=4),
        st.sampled_from(["=", "!="]),
        st.booleans(),
    ),
    st.builds(
        lambda key, value, sign, negated: Term("field", value, negated, (), key, sign),
        st.sampled_from(["seats", "due date", 'a"b', "-x", "a=b", "a,b"]),
        st.one_of(_DAY, st.integers().map(str), st.floats(-1e9, 1e9).map(lambda one: f"{one:.3f}")),
        st.sampled_from([">", ">=", "<", "<="]),
        st.booleans(),
    ),
    st.builds(
        lambda key, negated: Term("field", "", negated, (), key),
        _FREE.filter(lambda text: len(text) <= 200),
        st.booleans(),
    ),
)
TERMS = st.sampled_from([*KINDS]).flatmap(
    lambda kind: (
        _FIELDS
        if kind == "field"
        else st.builds(
            lambda values, negated: Term.any_of(kind, values, negated=negated),
            st.lists(_VALUES.get(kind, _FREE), min_size=1, max_size=4 if kind in LISTED else 1),
            st.just(False) if kind in ("sort", "hours") else st.booleans(),
        )
    )
)
QUERIES = st.lists(TERMS, max_size=8).map(lambda terms: Query.of(*terms))
WRITTEN = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from(
            [
                *("is:open", "is:", "@", "#b", "-", '"', '"a b"', "sort:waiting", " ", "x:y"),
                *("unread", ",", "created:", "active:", "2026-11", "..", ">", "is:open,snoozed"),
                *("team:", "by:", "ad:", "field:", "field:a=", '"', "=", "!=", "by:me,ai"),
                *("is:followup", "waiting:>4h", "hours:business", "hours:"),
            ]
        ),
    ),
    max_size=8,
).map("".join)


@given(QUERIES)
def test_a_query_is_the_same_after_it_was_written_and_parsed(query: Query) -> None:
    assert parse(str(query)) == query


@given(WRITTEN)
def test_a_text_without_mistakes_has_one_normal_form(text: str) -> None:
    query, problems = analyse(text)
    normal = str(query)
    assert str(parse(normal)) == normal
    if not problems:
        assert query == parse(normal)


@given(WRITTEN)
def test_each_mistake_is_a_part_of_the_text_with_a_sentence(text: str) -> None:
    for problem in analyse(text)[1]:
        assert 0 <= problem.start < problem.end <= len(text)
        assert problem.message.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "is:open @me #billing in:london waiting:>1h",
        'is:snoozed @unassigned -#spam "refund now"',
        "from:+16505551234 needs:human unread window:<2h sort:waiting",
        '-@ana #billing #"pick up" -in:madrid -unread -refund',
        "waiting:>1h waiting:<3h active:<2d sort:oldest",
        'from:"+44" 7700',
        '#a "not" here "or"',
    ],
)
def test_the_forms_of_the_language_stay_as_they_are_written(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from:+44 7700 900001", ["+44 7700 900001"]),
        ("from:+1 650-555-0100 refund", ["+1 650-555-0100", "refund"]),
        ("from:+44 7700 900001 2026", ["+44 7700 900001", "2026"]),
        ("from:+447700900001 2026", ["+447700900001", "2026"]),
        ("from:212 555 01 00", ["212 555 01 00"]),
        ("from:(212) 555/0100 refund", ["(212) 555/0100", "refund"]),
        ("from:212 - 555 - 0100", ["212 - 555 - 0100"]),
        ("from:07700 900001 in:london", ["london", "07700 900001"]),
        ('from:7700 "900001"', ["7700", "900001"]),
        ("from:2125550100 2026", ["2125550100", "2026"]),
        ("from:ana 2026", ["ana", "2026"]),
        ("from:+44 x7700", ["+44", "x7700"]),
    ],
)
def test_a_number_is_read_as_it_is_shown(text: str, values: list[str]) -> None:
    query = parse(text)
    assert [term.value for term in query.terms] == values
    assert parse(str(query)) == query


@pytest.mark.parametrize(
    ("text", "part", "said"),
    [
        ("is:open is:done", "is:done", "is: takes open, snoozed, resolved or followup."),
        ("is:open is:snoozed", "is:snoozed", "keep is:open or is:snoozed"),
        (
            "is:unread",
            "is:unread",
            "is: takes open, snoozed, resolved or followup. Write unread alone.",
        ),
        ("is:unassigned", "is:unassigned", "Write @unassigned alone."),
        ("waiting:1h", "waiting:1h", "such as >1h"),
        ("sort:name", "sort:name", "active, oldest, waiting, window or created"),
        ("-sort:waiting", "-sort:waiting", "cannot be negated"),
        ("asignee:me", "asignee:me", "There is no filter asignee:. Use"),
        ("#", "#", "# takes a label."),
        ('refund "to me', '"to me', "quotes are not closed"),
        ("is:open unread -unread", "-unread", "keep unread or -unread."),
        ("is:open -", "-", "Write a filter after the -."),
        ("is:open --", "--", "Write a filter after the -."),
        ("#a not #b", "not", "To exclude a term, write - directly before it."),
        ('Not #"pick up"', "Not", "To search for “Not”, put it in quotes."),
        ("is:open not unread", "not", "To exclude a term, write - directly before it."),
        ("#a OR #b", "OR", "there is no “or”"),
        ("@me and in:london", "and", "leave “and” out"),
    ],
)
def test_a_mistake_is_located_and_says_what_is_allowed(text: str, part: str, said: str) -> None:
    (problem,) = analyse(text)[1]
    assert text[problem.start : problem.end] == part
    assert said in problem.message
    with pytest.raises(QueryError, match=problem.message[:10]):
        parse(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "asignee:me",
            "There is no filter asignee:. Use is:, team:, in:, from:, by:, field:, ad:, has:, "
            "needs:, waiting:, hours:, active:, window:, created:, sent:, said:, sort:, @, # and "
            "unread.",
        ),
    ],
)
def test_a_filter_that_there_is_not_is_answered_with_those_that_there_are(
    text: str, sentence: str
) -> None:
    (problem,) = analyse(text)[1]
    assert problem.message == f"{sentence} To search for these words, put them in quotes."


def test_words_to_search_for_are_one_clean_line_or_nothing() -> None:
    assert words(" refund\n please ") == Term("words", "refund please")
    assert words("a\x07b") == Term("words", clean("a\x07b"))
    assert words(" \n") is None


def test_names_without_a_match_are_mistakes_where_the_catalogue_is_known() -> None:
    text = "in:paris @bob #billing #bill"
    assert [text[one.start : one.end] for one in check(text, NAMES)[1]] == [
        "in:paris",
        "@bob",
        "#bill",
    ]
    assert "There is London, New London, Madrid." in check("in:paris", NAMES)[1][0].message
    assert check(text, QueryNames())[1] == []


@given(st.text(max_size=30), st.integers(0, 30))
def test_every_completion_fits_into_the_text(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for one in complete(text, cursor, NAMES):
        assert one.start <= one.end == cursor


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("is:o", "is:open"),
        ("s", "sent:today"),
        ("@ma", "@Mariana Silva"),
        ("@ib", '@"Ana Ibáñez"'),
        ("#pi", '#"pick up"'),
        ("-#v", "-#VIP"),
        ("in:mad", "in:Madrid"),
        ("in:4600", "in:London"),
        ("from:555123", "from:+16505551234"),
        ("from:fre", "from:+16505559999"),
        ("open", "is:open"),
    ],
)
def test_tab_completes_to_what_most_people_mean(text: str, first: str) -> None:
    offered = [one.text for one in complete(f"unread {text}", len(text) + 7, NAMES)]
    assert offered[0].replace('"', "") == first.replace('"', "")
    assert parse(offered[0])


@given(st.dictionaries(st.text(max_size=3), _TEXTS | st.just(""), min_size=1, max_size=5))
def test_a_reference_means_the_user_it_was_made_for(users: dict[str, str]) -> None:
    users = {one_line(clean(id)): name for id, name in users.items() if one_line(clean(id))}
    for id in users:
        term = Term("assignee", reference(id, users))
        assert plan(parse(str(term)), QueryNames(users=users)).filter.assignee == id


def test_a_query_is_split_by_what_the_server_answers() -> None:
    query = parse("is:open @ruiz #billing #vip in:madrid from:theo needs:human -#spam sort:waiting")
    standard = plan(query, NAMES)
    assert standard.filter == ConversationFilter(
        status="open", assignee="4", channel="12", label="billing"
    )
    assert " ".join(map(str, standard.rest)) == "#vip -#spam from:theo needs:human"
    assert standard.order == "waiting"
    own = plan(parse("from:+16505551234 needs:human"), NAMES, STANDARD | EXTENSIONS)
    assert own.filter == ConversationFilter(contact="7", awaiting_human=True)
    assert own.exact


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("in:lo", {"1"}),
        ("in:celo", {"2"}),
        ("in:york", {"3", "4"}),
        ('in:"NEW york"', {"3"}),
        ("in:0018", {"1"}),
        ("in:id:2", {"2"}),
    ],
)
def test_a_whole_name_wins_over_the_start_of_a_word_and_that_over_a_part(
    text: str, ids: set[str]
) -> None:
    channels = {"1": "London", "2": "Barcelona", "3": "New York", "4": "New York Sales"}
    names = QueryNames(channels=channels, phones={"1": "+442079460018"})
    (term,) = parse(text).terms
    assert meaning(term, names) == ids


def test_a_name_that_several_have_is_applied_here() -> None:
    several = plan(parse("@ana in:lon"), NAMES)
    assert several.filter == ConversationFilter()
    rows = [row(assignee=id, channel=channel) for id in "1234" for channel in ("10", "12")]
    found = [one for one in rows if Matcher(several.rest, NAMES, NOW)(one)]
    assert [(one.assignee and one.assignee.id, one.channel.id) for one in found] == [
        ("1", "10"),
        ("4", "10"),
    ]


def row(
    *,
    id: str = "1",
    status: str = "open",
    assignee: str | None = None,
    channel: str = "10",
    waits: timedelta | None = None,
    active: timedelta = timedelta(),
    left: timedelta | None = None,
    text: str = "hello",
    **members: object,
) -> Conversation:
    """A conversation as `/v1` sends it, at `NOW`."""

    def at(moment: datetime) -> str:
        return timestamp(round(moment.timestamp() * 1000))

    user = UserRef(id=assignee, name=NAMES.users[assignee]) if assignee else None
    preview = MessagePreview(id="m", text=text, created_at=at(NOW - active))
    return Conversation.model_validate(
        {
            "id": id,
            "status": status,
            "assignee": user,
            "channel": PhoneRef(id=channel, name=NAMES.channels[channel]),
            "contact": NAMES.contacts[0],
            "waiting_since": at(NOW - waits) if waits is not None else None,
            "last_activity_at": at(NOW - active),
            "service_window_expires_at": at(NOW + left) if left is not None else None,
            "last_message": preview,
            **members,
        }
    )


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("text", "conversation", "matches"),
    [
        ("waiting:>1h", row(waits=2 * HOUR), True),
        ("waiting:>1h", row(waits=HOUR / 2), False),
        ("waiting:>1h", row(waits=2 * HOUR, status="resolved"), False),
        ("waiting:<1h", row(), False),
        ("-waiting:>1h", row(), True),
        ("active:<2h", row(active=HOUR), True),
        ("active:>2d", row(active=HOUR), False),
        ("window:<2h", row(left=HOUR), True),
        ("window:<2h", row(left=-HOUR), False),
        ("window:>2h", row(left=3 * HOUR), True),
        ("#billing #vip", row(labels=("Billing", "VIP")), True),
        ("#billing #vip", row(labels=("billing",)), False),
        ("-#vip", row(labels=("billing",)), True),
        ("@me", row(assignee="3"), True),
        ("-@me", row(assignee="3"), False),
        ("@assigned", row(), False),
        ("in:london", row(channel="11"), False),
        ('"refund now"', row(text="A réfund, now"), False),
        ("refund now", row(text="A Réfund, now"), True),
        ("from:555-1234", row(), True),
        ('"+1 650-555-1234"', row(), True),
        ('"650 555"', row(), True),
        ('"+1 650-555-1235"', row(), False),
        ('"16:50"', row(), False),
        ('"16 50"', row(), True),
        ('"5%"', row(), False),
        ("from:+16505551234", row(), True),
        ("from:+165055512", row(), True),
        ("from:+1 650 555 1234", row(), True),
        ("from:+1", row(), True),
        ("from:+1650", row(), True),
        ("from:+650", row(), False),
        ('from:"0650 555-1234"', row(), True),
        ('from:"001 650 555-1234"', row(), True),
        ("from:065", row(), False),
        ("from:0651", row(), False),
        ("from:kim", row(), True),
        ("from:id:8", row(), False),
        ("unread", row(unread_count=2), True),
        ("needs:human", row(awaiting_human=True), True),
    ],
)
def test_a_term_matches_what_it_says(text: str, conversation: Conversation, matches: bool) -> None:
    assert Matcher(parse(text).terms, NAMES, NOW)(conversation) is matches


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('#"pick up"late', [("label", "pick up"), ("words", "late")]),
        ('#"pick up"-#vip', [("label", "pick up"), ("label", "vip")]),
        ('"a \\"b\\""c', [("words", 'a "b"'), ("words", "c")]),
    ],
)
def test_what_follows_a_quotation_is_a_term_of_its_own(
    text: str, terms: list[tuple[str, str]]
) -> None:
    assert [(term.kind, term.value) for term in parse(text).terms] == terms


@pytest.mark.parametrize("assignee", [None, "3", "1"])
def test_nothing_is_mine_where_nobody_knows_me(assignee: str | None) -> None:
    nobody = NAMES._replace(me="")
    conversation = row(assignee=assignee)
    assert not Matcher(parse("@me").terms, nobody, NOW)(conversation)
    assert Matcher(parse("-@me").terms, nobody, NOW)(conversation)


def test_an_order_puts_first_what_is_most_urgent_and_last_what_has_no_time() -> None:
    rows = [
        row(id="none", active=3 * HOUR),
        row(id="long", waits=9 * HOUR, left=5 * HOUR, active=9 * HOUR),
        row(id="short", waits=HOUR, left=HOUR, active=HOUR),
        row(id="closed", left=-HOUR, active=2 * HOUR),
    ]
    orders = {order: [one.id for one in sorted(rows, key=sort_key(order, NOW))] for order in ORDERS}
    assert orders == {
        "active": ["short", "closed", "none", "long"],
        "oldest": ["long", "none", "closed", "short"],
        "waiting": ["long", "short", "closed", "none"],
        "window": ["short", "long", "closed", "none"],
        "created": ["short", "closed", "none", "long"],
    }


# Hours come and go with the ages that they measure.
_CONDITIONS = TERMS.filter(lambda term: term.kind != "hours")


@given(st.lists(_CONDITIONS, max_size=8).map(lambda terms: Query.of(*terms)), _CONDITIONS)
def test_a_term_that_is_toggled_twice_leaves_the_query_as_it_was(query: Query, term: Term) -> None:
    once = query.toggled(term)
    assert (term in once.terms) is not (term in query.terms)
    if term in query.terms:
        assert once.with_term(term).is_same(query)


def test_another_value_of_a_kind_with_one_value_replaces_it() -> None:
    query = parse("is:open @me #a")
    assert str(query.with_term(Term("is", "resolved"))) == "is:resolved @me #a"
    assert str(query.with_term(Term("label", "b"))) == "is:open @me #a #b"
    assert str(query.with_value("assignee", None)) == "is:open #a"
    assert query.is_same(parse("#a @me is:open"))


@pytest.mark.parametrize("number", ["+34", "34", "+34 000555118", "555118", "+3400055"])
def test_a_channel_is_named_by_any_part_of_its_number(number: str) -> None:
    channels = [
        Channel(id="1", name="Madrid", phone="+34000555118"),
        Channel(id="2", name="London"),
    ]
    names = QueryNames.of(channels)
    assert meaning(Term("in", number), names) == {"1"}
    assert unknown_name(Term("in", "+340001"), names).startswith("No channel fits +340001.")


@pytest.mark.parametrize("value", ["+1 650-555-1234", "650 555 12 34", "(650) 555/1234"])
def test_a_customer_is_meant_by_a_number_however_it_is_written(value: str) -> None:
    theo, freya = (
        Conversation(
            id=contact.id,
            status="open",
            channel=PhoneRef(id="10"),
            contact=contact,
            last_activity_at=timestamp(0),
        )
        for contact in NAMES.contacts
    )
    for term in (Term("from", value), Term("words", value)):
        matches = Matcher([term], QueryNames(), NOW)
        assert (matches(theo), matches(freya)) == (True, False)


def test_a_customer_is_completed_from_a_number_however_it_is_written() -> None:
    text = "is:open from:(650) 555-12"
    completions = complete(text, len(text), NAMES)
    assert [one.text for one in completions] == ["from:+16505551234"]
    assert text[completions[0].start :] == "from:(650) 555-12"


@pytest.mark.parametrize("digits", range(1, 13))
def test_a_customer_is_named_by_the_beginning_of_a_number_of_any_length(digits: int) -> None:
    phone = "+447700900001"
    assert is_contact(phone[: 1 + digits], PhoneRef(id="1", phone=phone))
    assert not is_contact(f"{phone[:digits]}x", PhoneRef(id="1", name="Ana", phone=phone))
    assert is_contact("+44 (0)7700 900001", PhoneRef(id="1", phone=phone))


def test_a_whole_number_means_its_customer_alone_though_others_begin_with_it() -> None:
    short, long = PhoneRef(id="1", phone="+49301234567"), PhoneRef(id="2", phone="+4930123456789")
    names = QueryNames(contacts=(long, short))
    assert contact_id("+49301234567", names) == "1"
    assert contact_id("+49 30 1234567", names) == "1"
    assert contact_id("+4930123456", names) is None


def test_a_number_that_is_kept_with_a_trunk_zero_means_its_customer() -> None:
    kept = PhoneRef(id="1", phone="+61016932829")
    assert contact_id("+61016932829", QueryNames(contacts=[kept])) == "1"
    other = PhoneRef(id="2", phone="+6116932829")
    both = QueryNames(contacts=[other, kept])
    assert contact_id("+61016932829", both) == "1"
    assert contact_id("+6116932829", both) == "2"
    assert contact_id("+61 016 932 829", QueryNames(contacts=[other])) == "2"


@pytest.mark.parametrize("text", ["-@me", "@me", "-unread", "-#refund", "#refund", "-is:open"])
def test_a_term_that_is_added_replaces_its_negation(text: str) -> None:
    (term,) = parse(text).terms
    opposite = term._replace(negated=not term.negated)
    assert (
        parse(f"in:london {text}").with_term(opposite).terms
        == Query.of(Term("in", "london"), opposite).terms
    )


def test_a_label_has_no_id() -> None:
    assert unknown_name(Term("label", "id:18"), NAMES).startswith("No label fits id:18.")
    assert unknown_name(Term("assignee", "id:18"), NAMES) == ""


def test_a_customer_without_a_number_is_meant_by_id() -> None:
    assert str(customer("7", "+16505551234")) == "from:+16505551234"
    assert str(customer("7", None)) == "from:id:7"


def test_of_many_terms_each_stands_once_and_later_ones_replace_what_they_exclude() -> None:
    texts = [Term(WORDS, f"w{number}") for number in range(20_000)]
    negated = [one._replace(negated=True) for one in texts[1:]]
    states = [Term(STATUS, value) for value in ("open", "snoozed", "resolved")]
    query = Query.of(*states, *texts, *texts, *negated, *states)
    assert query.terms == (states[-1], texts[0], *negated)


def test_a_query_has_a_length() -> None:
    longest = "a" * 1_999 + " " + "b" * 2_000
    assert str(parse(longest)) == longest
    with pytest.raises(QueryError, match="at most 4,000 characters, and this has 4,001"):
        parse(f"{longest}c")

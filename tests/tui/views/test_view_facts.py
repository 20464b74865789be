"""Rows and details of the views as they are drawn of what a server sent: see drawings/."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from frontdesk.cache.coverage import Coverage
from frontdesk.cache.stats import OriginUsage
from frontdesk.client.server_info import FEATURES, Feature, Server
from frontdesk.mailbox import CacheUsage
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.views.catalogue_screen import (
    Block,
    CatalogueEntry,
    CatalogueScreen,
    CatalogueView,
)
from frontdesk.tui.views.resources import CHANNELS as CHANNELS_TABLE
from frontdesk.tui.views.resources import DIRECTORY, value_words
from frontdesk.tui.views.server import blocks, summary
from frontdesk.tui.views.template_preview import bubble, fill_in, parameters, plain_text
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import (
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    PhoneRef,
    Team,
    Template,
    User,
    UserRef,
)
from tests.tui.compared_drawings import Drawing

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: NOW)


def drawn(shown: Iterable[Block], width: int) -> list[list[Piece]]:
    return [line for block in shown for line in block(width)]


USERS = (
    User(id="1", name="Ana\nRuiz", email="ana@example.com", role="administrator",
         availability="online"),
    User(id="2", name="Grace Okafor", availability="busy"),
    User(id="3", name="Iris", availability="on holiday"),
    User(id="4", name="Gone", availability="online", active=False),
    User(id="5", name=" "),
)  # fmt: skip
TEAMS = (
    Team(
        id="1",
        name="Atlantic shops",
        description="Answers for the shops",
        channels=("108",),
        members=(
            UserRef(id="1", name="Ana Ruiz"),
            UserRef(id="2", name="Grace Okafor"),
            UserRef(id="9", name="Not listed"),
        ),
    ),
    Team(id="2", name="Nobody", channels=("108", "109")),
)
CHANNELS = (
    Channel(
        id="108",
        name="London",
        phone="+442079460018",
        verified_name="Veldrano London",
        quality_rating="GREEN",
        status="CONNECTED",
        name_status="APPROVED",
        messaging_limit="TIER_10K",
        throughput="STANDARD",
        platform="CLOUD_API",
        on_business_app=True,
        waba_id="77",
        synced_at="2026-03-14T09:30:00Z",
    ),
    Channel(id="109", name="", display_phone_number="020 7946 0019", on_business_app=False,
            quality_rating="RED", status="FLAGGED", messaging_limit="TIER_UNKNOWN"),
    Channel(id="110", name="Bare", quality_rating="YELLOW"),
)  # fmt: skip
COUNTS = Counts.model_validate(
    {"by_channel": [{"channel": "108", "open": 1204}, {"channel": "110", "open": 1}]}
)
LABELS = (
    Label(id="1", title="refund", color="#d62828", description="Money back"),
    Label(id="2", title="odd", color="red; rm"),
)
FIELDS = (
    CustomField(id="1", key="tier", name="Membership", type="list", options=("none", "gold"),
                description="Of the customer"),
    CustomField(id="2", key="vat", name="VAT number", pattern="[A-Z]+", pattern_hint="Letters"),
)  # fmt: skip


def entry_text(entry: CatalogueEntry) -> str:
    members = (entry.name, entry.aside, entry.count, entry.hint, entry.hint_part, entry.swatch)
    found = (entry.words, entry.copied, entry.filter and entry.filter.parameters())
    return " | ".join(map(str, (entry.id, *members, *found)))


def screen(catalogue: CatalogueView, counts: Counts | None) -> CatalogueScreen:
    """A catalogue of what is known, without a terminal."""
    catalogues = SimpleNamespace(
        users=lambda: USERS, teams=lambda: TEAMS, channels=lambda: CHANNELS, labels=lambda: LABELS,
        custom_fields=lambda: FIELDS, channel_names=lambda: {"108": "London"},
    )  # fmt: skip
    mailbox: Any = SimpleNamespace(
        catalogues=catalogues,
        counts=lambda filter: counts,
        conversations=lambda filter: Loaded(ROWS[:2]),
        seen_conversations=lambda: ROWS,
        contact=lambda row: CUSTOMERS.get(row.contact.id),
    )
    return CatalogueScreen(Opening(mailbox, CLOCK, "sample"), catalogue)


def test_the_directory_says_what_the_server_sent_of_each_entry(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    directory = screen(DIRECTORY, COUNTS)
    entries = {one.name: directory.entries(one.name) for one in DIRECTORY.resources}
    entries["uncounted"] = screen(DIRECTORY, None).entries("channels")
    entries["empty counts"] = screen(DIRECTORY, Counts()).entries("channels")
    for name, listed in entries.items():
        drawing.add_text(name, map(entry_text, listed))
    for one in DIRECTORY.resources:
        for entry in directory.entries(one.name):
            shown = drawn(directory.blocks(one.name, entry), 60)
            drawing.add(f"{one.thing} {entry.id}", shown)
    drawing.compare(pytestconfig, "directory-facts")


def test_values_of_custom_fields_are_words() -> None:
    values = (True, False, 0, 12.5, "a\nb", ["x"])
    assert [*map(value_words, values)] == ["yes", "no", "0", "12.5", "a b", "['x']"]


def test_every_limit_of_the_provider_is_said_in_words() -> None:
    said = {}
    known = screen(DIRECTORY, None).known
    for limit in ("50", "250", "1K", "2K", "10K", "100K", "UNLIMITED", "7"):
        channel = Channel(id="1", name="x", messaging_limit=f"TIER_{limit}")
        lines = drawn(CHANNELS_TABLE.blocks(channel, known), 70)
        said[limit] = next(line[1][1].strip() for line in lines if line[0][1].startswith("limit"))
    assert said == {
        "50": "50 customers a day · TIER_50",
        "250": "250 customers a day · TIER_250",
        "1K": "1,000 customers a day · TIER_1K",
        "2K": "2,000 customers a day · TIER_2K",
        "10K": "10,000 customers a day · TIER_10K",
        "100K": "100,000 customers a day · TIER_100K",
        "UNLIMITED": "without limit · TIER_UNLIMITED",
        "7": "TIER_7",
    }


def server(**states: tuple[str, str]) -> Server:
    """A server of which little else is known. states: of features, with what the server said."""
    features = {name: Feature(*words) for name, words in FEATURES.items()}
    for name, (state, detail) in states.items():
        features[name] = replace(features[name], state=state, detail=detail)
    return Server("https://inbox.example", features)


KNOWN = replace(
    server(
        counts=("present", ""),
        notes=("absent", "This server lists no notes. Not\nhere."),
        templates=("forbidden", "The key lacks the scope templates:read."),
        teams=("failing", "It said: out of order."),
        filter_label=("ignored", "Rows that do not match are left out here."),
    ),
    differences=("A name is a number.", "A list is\nnot sorted."),
    latency=timedelta(milliseconds=12),
    clock_skew=timedelta(minutes=2),
    key_scopes=("conversations:read", "notes:read"),
    requests=1204,
    unchanged=301,
    received_bytes=1_500_000,
)
USAGE = CacheUsage(
    3_400_000,
    250_000_000,
    OriginUsage(
        1, "https://inbox.example", 1_200_000, 1204, 12_345, 67, 89,
        oldest=NOW - timedelta(days=400), newest=NOW, coverage=Coverage("open", 3, 1204),
    ),
)  # fmt: skip
EMPTY = CacheUsage(0, 250_000_000, OriginUsage(1, "https://inbox.example"))


def test_the_server_view_says_what_is_known(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for name, known, usage, problem in (
        ("connected", KNOWN, USAGE, ""),
        ("away", replace(KNOWN, key_scopes=(), clock_skew=None), EMPTY, "No answer."),
        ("nothing known", None, None, ""),
        ("nothing known of one that is away", None, USAGE, "No answer"),
    ):
        for width in (63, 64, 90) if known is KNOWN else (70,):
            shown = blocks(known, usage, problem, CLOCK, "^r")
            drawing.add(f"{name}, {width} cells", drawn(shown, width))
    drawing.compare(pytestconfig, "server-facts")


def test_the_summary_counts_what_is_not_there() -> None:
    present = {name: ("present", "") for name in FEATURES}
    assert summary(None) == "not connected"
    assert summary(server()) == "not checked yet"
    assert summary(server(**present)) == "all features"
    assert summary(server(counts=("present", ""))) == f"not checked: {len(FEATURES) - 1}"
    assert summary(server(counts=("absent", ""))) == f"lacks 1, not checked: {len(FEATURES) - 1}"
    several = {"notes": ("absent", ""), "me": ("absent", ""), "users": ("failing", "")}
    forbidden = {"teams": ("forbidden", "")}
    assert summary(server(**present | several | forbidden)) == "fails at 1, lacks 2, forbids 1"


def template(*components: dict[str, Any]) -> Template:
    return Template(id="1", name="offer", language="en", components=components)


BODY = {
    "type": "BODY",
    "text": "Thank you, *{{1}}*! Your order {{ 2 }} of {{shop}} is on its way.",
    "example": {"body_text": [["Pablo", "860\n198"]]},
}
BUTTONS = [
    {"type": "QUICK_REPLY", "text": "Stop"},
    {"type": "URL", "text": "Track it on a page with a very long name of more than one line",
     "url": "https://example.com/t/{{1}}"},
    {"type": "PHONE_NUMBER", "text": "Call us", "phone_number": "+15550100"},
    {"type": "COPY_CODE", "example": ["CARIBE25"]},
    {"type": "COPY_CODE", "example": "CARIBE26"},
    {"type": "OTP"}, {"type": "FLOW"}, {"type": "CATALOG"}, {"type": "MPM"}, {"type": "SPM"},
    {"type": "VOICE_CALL"}, {"type": "REQUEST_CONTACT_INFO"}, {"type": "TELEPORT_NOW"}, {},
]  # fmt: skip
SECURITY = "For your security, do not share this code."
TEMPLATES = {
    "all parts": template(
        {"type": "BUTTONS", "buttons": BUTTONS},
        {"type": "FOOTER", "text": "Lucky\nShrub"},
        BODY,
        {"type": "header", "text": "Our {{1}} is on!", "example": {"header_text": ["Sale"]}},
    ),
    "picture": template(
        {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["https://a/b.jpg"]}},
        {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"has_expiration": True}},
        {"type": "BODY", "text": "12 is your code.", "add_security_recommendation": True},
        {"type": "FOOTER", "code_expiration_minutes": 10},
    ),
    "said already": template(
        {"type": "HEADER", "format": "PRODUCT_LIST"},
        {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Soon over"}},
        {"type": "BODY", "text": f"12. {SECURITY}", "add_security_recommendation": True},
        {"type": "FOOTER", "code_expiration_minutes": 10, "text": "Ten minutes"},
    ),
    "unknown": template({"type": "HOLOGRAM"}, {"type": "SMELL_OF_IT"}, {"type": "ECHO"}),
    "carousel": template(
        {
            "type": "CAROUSEL",
            "cards": [
                {"components": [BODY, {"type": "BUTTONS", "buttons": BUTTONS[:1]}]},
                {"components": [{"type": "HEADER", "format": "VIDEO"}]},
            ],
        },
    ),
    "nothing": template(),
}  # fmt: skip


def test_a_template_is_drawn_as_a_message_in_the_room_that_there_is(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    for name, one in TEMPLATES.items():
        for width in (11, 12, 34, 59, 70) if name == "all parts" else (50,):
            drawing.add(f"{name}, {width} cells", bubble(one, width))
        places = [f"{place} = {example}" for place, example in parameters(one)]
        drawing.add_text(f"{name} as text", [*plain_text(one).split("\n"), *places])
    drawing.compare(pytestconfig, "template-bubbles")


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Hi {{1}}", "Hi Sheena"),
        ("Hi {{2}}", "Hi {{2}}"),
        ("Hi {{3}}", "Hi {{3}}"),
        ("{{name}}/{{full-name}}/{{Customer}}/{{contact}}", "/".join(["Sheena van Nelson"] * 4)),
        ("{{customer_name}}, {{ contact.first_name }}", "Sheena van Nelson, Sheena"),
        ("{{customer_last_name}} {{phone}} {{shop}}", "van Nelson +16505551234 {{shop}}"),
    ],
)
def test_places_for_the_customer_are_filled_in(text: str, filled: str) -> None:
    customer = PhoneRef(id="1", name="Sheena\nvan Nelson", phone="+16505551234")
    examples = {"{{1}}": "Pablo Diaz", "{{2}}": "860198", "{{3}}": "a name"}
    assert fill_in(text, customer, examples) == filled
    assert fill_in(text, None, examples) == text
    assert fill_in(text, PhoneRef(id="1"), examples) == text


def test_entries_of_people_channels_and_labels_lead_to_their_conversations() -> None:
    directory = screen(DIRECTORY, None)
    filters = {one.name: directory.entries(one.name)[0].filter for one in DIRECTORY.resources}
    assert filters == {
        "users": ConversationFilter(assignee="1"),
        "teams": None,
        "channels": ConversationFilter(channel="108"),
        "labels": ConversationFilter(label="refund"),
        "custom_fields": None,
    }


class Loaded(list[Any]):
    """Conversations of a list as they were loaded."""

    complete, fetched_at = False, NOW


def conversation(id: str, **members: Any) -> Conversation:
    base = {"id": id, "status": "open", "channel": {"id": "108", "name": "London"},
            "contact": {"id": id, "name": f"Customer {id}"},
            "last_activity_at": "2026-03-14T09:00:00Z"}  # fmt: skip
    return Conversation.model_validate({**base, **members})


ROWS = (
    conversation("1", assignee={"id": "1", "name": "Ana Ruiz"}),
    conversation("2", assignee={"id": "1", "name": "Ana Ruiz"}, status="resolved"),
    conversation("3", assignee={"id": "2", "name": "Grace"}),
    conversation("4", contact={"id": "3", "name": "Customer 3"}),
)
CUSTOMERS = {
    "1": Contact(id="1", custom_fields={"tier": "gold", "vat": ""}),
    "3": Contact(id="3", custom_fields={"tier": False}),
}
COUNTED = Counts.model_validate(
    {
        "open": 9,
        "snoozed": 8,
        "resolved": 7,
        "by_channel": [{"channel": "108", "open": 1204}],
        "by_assignee": [
            {"assignee": "1", "all": 1207, "open": 1204, "snoozed": 2, "resolved": 1},
            {"assignee": None, "all": 3, "open": 3, "snoozed": 0, "resolved": 0},
        ],
    }
)


@pytest.mark.parametrize("name", ["counted", "not-counted"])
def test_the_directory_says_how_many_conversations_are_behind_each_entry(
    pytestconfig: pytest.Config, name: str
) -> None:
    drawing = Drawing()
    directory = screen(DIRECTORY, COUNTED if name == "counted" else None)
    for section in DIRECTORY.resources:
        for entry in directory.entries(section.name):
            shown = drawn(directory.blocks(section.name, entry), 50)
            lines = ("".join(text for _, text in line) for line in shown)
            drawing.add_text(f"{section.thing} {entry.name}", lines)
    drawing.compare(pytestconfig, f"directory-{name}")

"""Table of the terms of the query language.

The parser's prefixes and values, sentences on what is allowed, completion, the menu of filters, the
help of the shell, the text for language models and the table of the documentation come from it.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.wire.queries import ASSIGNEE_WORDS, AUTHOR_WORDS
from frontdesk.wire.values import STATUSES

STATUS, ASSIGNEE, CHANNEL, LABEL, CONTACT = "is", "assignee", "in", "label", "from"
TEAM, AUTHOR, FIELD, AD = "team", "by", "field", "ad"
NEEDS, UNREAD, WAITING, ACTIVE, WINDOW = "needs", "unread", "waiting", "active", "window"
CREATED, SENT, FOLLOW_UP, HOURS, HAS = "created", "sent", "followup", "hours", "has"
SAID = "said"
WORDS, SORT = "words", "sort"
HUMAN, BUSINESS = "human", "business"
NEWEST, OLDEST = "active", "oldest"
ORDERS: Mapping[str, str] = MappingProxyType(
    {
        NEWEST: "newest activity",
        OLDEST: "oldest activity",
        WAITING: "longest waiting",
        WINDOW: "reply window closes soonest",
        CREATED: "newest conversation",
    }
)
# Values of `has:`, with the types of messages that they mean.
IMAGES, SOUNDS, VIDEOS = ("image", "sticker"), ("audio",), ("video",)
DOCUMENTS = ("document",)
CONTENTS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "image": IMAGES,
        "video": VIDEOS,
        "voice": SOUNDS,
        "document": DOCUMENTS,
        "file": (*IMAGES, *SOUNDS, *VIDEOS, *DOCUMENTS),
        "link": (),
        "note": (),
        "text": (),
    }
)


class TermKind(NamedTuple):
    """A kind of terms.

    prefix: how its terms begin; "" for those of one word, and for words. takes: what it takes, in
    words; "" where `values`, an age or days say it. words: values with a meaning of their own among
    names. listed: takes several values. age, days: takes `>1h`; takes days. local: only this
    computer knows what matches. scope: what a key needs besides to ask a server for it. shown: a
    row of a list shows if it matches. single: why there is only one of it. examples: what
    completion offers, with hints. menu: entries of the filter menu, as letter, value and words; the
    key opens the values. brief: the forms, in a few characters. rows: of the table in
    docs/viewer.md, terms and conversations. counted: counters are kept by it, see
    `Query.uncounted`; what matches changes with the inbox and never with time alone.
    """

    key: str
    prefix: str
    takes: str = ""
    values: Sequence[str] = ()
    words: Sequence[str] = ()
    listed: bool = False
    age: bool = False
    days: bool = False
    local: bool = False
    scope: str = ""
    shown: bool = True
    single: str = ""
    examples: Sequence[tuple[str, str]] = ()
    menu: Sequence[tuple[str, str, str]] = ()
    brief: str = ""
    rows: Sequence[tuple[str, str]] = ()
    counted: bool = False


# In the order in which a query is written.
TABLE: Sequence[TermKind] = (
    TermKind(
        STATUS,
        "is:",
        values=STATUSES,
        listed=True,
        single="A conversation has one status",
        examples=tuple((f"is:{status}", "status") for status in STATUSES),
        menu=(
            ("s", STATUS, "status"),
            ("o", "is:open", "open"),
            ("p", "is:snoozed", "snoozed"),
            ("r", "is:resolved", "resolved"),
        ),
        brief=f"is:{'|'.join(STATUSES)}",
        rows=(("`is:open`, `is:snoozed`, `is:resolved`", "of that status"),),
        counted=True,
    ),
    TermKind(
        FOLLOW_UP,
        "is:",
        local=True,
        examples=(("is:followup", "to follow up, on this computer"),),
        menu=(("z", "is:followup", "to follow up"),),
        rows=(
            (
                "`is:followup`",
                "to [follow up](#follow-up): hidden on this computer until a time, or back and not"
                " read since",
            ),
        ),
    ),
    TermKind(
        ASSIGNEE,
        "@",
        "me, unassigned, assigned or a part of a name",
        words=ASSIGNEE_WORDS,
        listed=True,
        single="A conversation has one assignee",
        examples=(
            ("@me", "assigned to me"),
            ("@unassigned", "assigned to no one"),
            ("@assigned", "assigned to anyone"),
        ),
        menu=(
            ("a", ASSIGNEE, "assignee"),
            ("m", "@me", "mine"),
            ("n", "@unassigned", "unassigned"),
        ),
        brief="@me|unassigned|name",
        rows=(
            (
                "`@me`, `@unassigned`, `@assigned`, `@ana`",
                "assigned to you, to no one, to anyone, to a user by a part of the name (the start"
                " of a word before any other part)",
            ),
        ),
        counted=True,
    ),
    TermKind(
        TEAM,
        "team:",
        "a part of the name of a team",
        listed=True,
        examples=(("team:", "team"),),
        brief="team:name",
        rows=(
            (
                "`team:atlantic`",
                "on the channels of a team, assigned to one of its members or to no one",
            ),
        ),
        counted=True,
    ),
    TermKind(
        LABEL,
        "#",
        "a label",
        listed=True,
        examples=(("#", "label"),),
        menu=(("l", LABEL, "label"),),
        brief="#label",
        rows=(("`#billing`", "with that label; several: with all of them"),),
        counted=True,
    ),
    TermKind(
        CHANNEL,
        "in:",
        "a part of the name or number of a channel",
        listed=True,
        single="A conversation is in one channel",
        examples=(("in:", "channel"),),
        menu=(("c", CHANNEL, "channel"),),
        brief="in:channel",
        rows=(
            (
                "`in:london`, `in:+34`",
                "of a channel, by a part of its name (as for users) or number",
            ),
        ),
        counted=True,
    ),
    TermKind(
        CONTACT,
        "from:",
        "a number, or a part of the name of a customer",
        listed=True,
        single="A conversation is with one customer",
        examples=(("from:", "customer, by number or name"),),
        brief="from:+number|name",
        rows=(
            (
                '`from:+16505551234`, `from:+1`, `from:650 555 12 34`, `from:"Theo Kim"`',
                "of a customer, by [number](#phone-numbers), by a part of the name, or by"
                " `@username`",
            ),
        ),
    ),
    TermKind(
        AUTHOR,
        "by:",
        "me, phone, ai or a part of a name",
        words=AUTHOR_WORDS,
        listed=True,
        shown=False,
        examples=(("by:", "who wrote in it"),),
        brief="by:name|me|ai (wrote in it)",
        rows=(
            (
                "`by:ana`, `by:me`, `by:phone`, `by:ai`",
                "in which a user, you, the WhatsApp Business app or a bot ever wrote a message,"
                " whoever has it now",
            ),
        ),
    ),
    TermKind(
        FIELD,
        "field:",
        "the key of a custom field, alone or with =, !=, >, >=, < or <= and a value",
        scope="contacts:read",
        shown=False,
        examples=(("field:", "custom field of the customer"),),
        brief="field:key=value field:key>3",
        rows=(
            (
                '`field:plan`, `field:plan=gold`, `field:seats>10`, `field:"due date"<2026-12`',
                "of customers with a [custom field](#custom-fields)",
            ),
        ),
    ),
    TermKind(
        AD,
        "ad:",
        "the id of an ad, or a part of its headline",
        scope="messages:read",
        listed=True,
        shown=False,
        examples=(("ad:", "ad that a message came from"),),
        brief="ad:headline",
        rows=(
            (
                '`ad:120210`, `ad:"summer sale"`',
                "with a message that came from an ad, by its id or a part of its headline",
            ),
        ),
    ),
    TermKind(
        HAS,
        "has:",
        values=tuple(CONTENTS),
        listed=True,
        scope="messages:read",
        shown=False,
        examples=tuple((f"has:{what}", "what was sent in it") for what in CONTENTS),
        menu=(("i", "has:image", "with a picture"), ("v", "has:voice", "with a voice message")),
        brief=f"has:{'|'.join(CONTENTS)}",
        rows=(
            (
                ", ".join(f"`has:{what}`" for what in CONTENTS),
                "in which such a message was sent, by anyone, and not deleted: a picture or"
                " sticker, a video, a voice message or other sound, a document, any of these, a"
                " link; with a note; with a file whose words a program has read",
            ),
        ),
    ),
    TermKind(
        NEEDS,
        "needs:",
        values=(HUMAN,),
        examples=(("needs:human", "a bot has handed over"),),
        menu=(("h", "needs:human", "needs a human"),),
        brief="needs:human",
        rows=(("`needs:human`", "that a bot handed over"),),
        counted=True,
    ),
    TermKind(
        UNREAD,
        "",
        examples=((UNREAD, "new messages"),),
        menu=(("u", UNREAD, "unread"),),
        brief="unread",
        rows=(
            (
                "`unread`",
                "with unread messages, or never opened here where the server does not know what was"
                " read",
            ),
        ),
        counted=True,
    ),
    TermKind(
        WAITING,
        "waiting:",
        age=True,
        days=True,
        examples=(("waiting:>1h", "waits longer than an hour"),),
        menu=(("w", "waiting:>1h", "waiting over an hour"),),
        brief="waiting:>1h (s m h d w)",
        rows=(
            (
                "`waiting:>1h`, `waiting:..yesterday`",
                "by how long the customer waits (`s m h d w`), or since when: see [days](#days)",
            ),
        ),
    ),
    TermKind(
        HOURS,
        "hours:",
        values=(BUSINESS,),
        examples=(("hours:business", "waiting: in business hours"),),
        brief="hours:business (of waiting:)",
        rows=(
            (
                "`hours:business`, beside an age as `waiting:>4h`",
                "whose wait is so long in the [business hours](#business-hours) of their channel",
            ),
        ),
    ),
    TermKind(
        ACTIVE,
        "active:",
        age=True,
        days=True,
        examples=(
            ("active:<2h", "active within two hours"),
            ("active:today", "active today"),
        ),
        brief="active:<2d active:2026-11-01..2026-11-15",
        rows=(("`active:<2d`, `active:2026-11-01`", "last active within that time, on that day"),),
    ),
    TermKind(
        WINDOW,
        "window:",
        age=True,
        examples=(("window:<2h", "reply window: under two hours left"),),
        menu=(("d", "window:<2h", "reply window: under 2h left"),),
        brief="window:<2h",
        rows=(("`window:<2h`", "whose reply window closes within that time"),),
    ),
    TermKind(
        CREATED,
        "created:",
        days=True,
        examples=(("created:today", "new today"),),
        brief="created:2026-11",
        rows=(("`created:2026-11`", "begun then"),),
    ),
    TermKind(
        SENT,
        "sent:",
        days=True,
        scope="messages:read",
        shown=False,
        single="The days of messages are one range",
        examples=(("sent:today", "with a message of today"), ("after:", "messages of that day on")),
        brief="sent:2026-11-01.. after:2026-11-01 before:2026-12-01",
        rows=(
            (
                "`sent:2026-11`, `after:2026-11-01`, `since:2026-11-01`, `before:2026-12`,"
                " `until:2026-11`",
                "with a message of these days: in them, from that day on (`after:` and `since:`),"
                " earlier than it, until its end",
            ),
        ),
    ),
    TermKind(
        SAID,
        "said:",
        "a word, or several in quotes",
        scope="media:read",
        shown=False,
        examples=(("said:", "in a voice message, picture or document"),),
        brief="said:word (in a file)",
        rows=(
            (
                '`said:invoice`, `said:"gate code"`',
                "with this word in a voice message, a picture or a document, as a program read it",
            ),
        ),
    ),
    TermKind(
        WORDS,
        "",
        menu=(("t", WORDS, "text…"),),
        brief='words "two words"',
        rows=(
            (
                '`refund`, `"money back"`',
                "with this word in a message, the customer's name, username or number, or a label;"
                " in quotes, several words as one",
            ),
        ),
    ),
    TermKind(
        SORT,
        "sort:",
        values=tuple(ORDERS),
        single="There is one order",
        examples=tuple((f"sort:{order}", words) for order, words in ORDERS.items()),
        brief=f"sort:{'|'.join(ORDERS)}",
        rows=(
            (
                ", ".join(f"`sort:{order}`" for order in ORDERS),
                "the order; the last begins with the conversation that began last",
            ),
        ),
    ),
)
KINDS: Mapping[str, TermKind] = MappingProxyType({kind.key: kind for kind in TABLE})

# All forms that a server can answer, for help and for language models.
OVERVIEW = " ".join(kind.brief for kind in TABLE if kind.brief)
# Those of kinds that counters are kept by.
COUNTED_OVERVIEW = " ".join(kind.brief for kind in TABLE if kind.counted)

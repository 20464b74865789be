"""A report as rows, as a Markdown document and as brief lines, word by word."""

# ruff: noqa: E501

from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.errors import BadSettings
from frontdesk.reports.export import (
    NAMES,
    Row,
    default_name,
    exported,
    markdown,
    records,
    rows,
    title,
)
from frontdesk.reports.figures import brief_report, parse_figures, with_figures
from frontdesk.reports.registry import BY_KEY
from frontdesk.reports.sheets import tables
from frontdesk.wire import Ref
from frontdesk.wire.reports import (
    AdFigures,
    AdRef,
    AdReport,
    Bucket,
    ChannelMetrics,
    EveryoneReport,
    HourGrid,
    Hours,
    LiveCounts,
    Metrics,
    Percentiles,
    Period,
    PersonFigures,
    PersonNow,
    PricingCount,
    Report,
    TargetShare,
    UserReport,
    WaitAges,
    ZonedPeriod,
)

MADRID = ZoneInfo("Europe/Madrid")


def bucket(day: int, new: int, mean: float | None, samples: int) -> Bucket:
    return Bucket(
        start=f"2026-03-{day:02}T23:00:00.000Z",
        end=f"2026-03-{day + 1:02}T23:00:00.000Z",
        metrics=Metrics(
            conversations_count=new,
            avg_first_response_time=mean,
            samples={"avg_first_response_time": samples},
        ),
        samples={"avg_first_response_time": samples},
    )


METRICS = Metrics(
    conversations_count=1_204,
    outgoing_messages_count=1_500,
    avg_first_response_time=312.0,
    bot_handoffs_count=1,
    bot_resolutions_count=3,
    samples={"avg_first_response_time": 11},
    spread={"avg_first_response_time": Percentiles(p50=120.0, p90=3_000.0, approximate=True)},
    targets={"first_response": TargetShare(target_seconds=900, within=9, samples=11)},
)
PREVIOUS = Metrics(
    conversations_count=700,
    outgoing_messages_count=0,
    avg_first_response_time=401.0,
    bot_handoffs_count=0,
    bot_resolutions_count=0,
    samples={"avg_first_response_time": 9},
)
LONDON = Ref(id="5", name="London|*")
REPORT = Report(
    period=ZonedPeriod(
        from_="2026-03-07T23:00:00.000Z", to="2026-03-09T23:00:00.000Z", timezone="Europe/Madrid"
    ),
    previous_period=Period(from_="2026-03-05T23:00:00.000Z", to="2026-03-07T23:00:00.000Z"),
    metrics=METRICS,
    previous=PREVIOUS,
    outgoing_by_author={"user": 1_200, "kiosk": 3},
    channels=(
        ChannelMetrics(channel=LONDON, metrics=METRICS, previous=PREVIOUS),
        ChannelMetrics(channel=Ref(id="6"), metrics=Metrics(conversations_count=0)),
    ),
    pricing=(
        PricingCount(
            channel=LONDON,
            author="campaign",
            category="marketing",
            count=1_200,
            billable_count=1_100,
            previous_count=7,
            previous_billable_count=5,
        ),
    ),
    live=LiveCounts(
        open=4,
        unassigned=1,
        unattended=2,
        awaiting_human=1_234,
        as_of="2026-03-10T10:00:00.000Z",
        over_first_response=3,
    ),
    series=(bucket(7, 1_000, None, 0), bucket(8, 204, 312.0, 11)),
    previous_series=(bucket(5, 700, 401.0, 4),),
    users=(
        UserReport(
            user=Ref(id="7", name="Ana\nRuiz"),
            current=PersonFigures(outgoing_messages_count=120, avg_reply_time=60.0),
            previous=PersonFigures(outgoing_messages_count=60, avg_reply_time=None),
            now=PersonNow(
                availability="online",
                open=6,
                waiting=1,
                longest_waiting_since="2026-03-10T07:30:00.000Z",
                waits=WaitAges(under_4h=1),
            ),
        ),
        UserReport(user=None, current=PersonFigures(outgoing_messages_count=9)),
    ),
    everyone=EveryoneReport(
        current=PersonFigures(outgoing_messages_count=129, avg_reply_time=60.0),
        now=PersonNow(open=29, waiting=10),
    ),
    ads=(
        AdReport(
            ad=AdRef(id="120", name=None),
            current=AdFigures(ad_conversations_count=3),
            previous=AdFigures(ad_conversations_count=0),
        ),
    ),
    hours=Hours(
        received=((1, 2_000), (3, 4)),
        avg_first_response_time=((None, 60.0), (61.0, None)),
        previous=HourGrid(received=((5,),)),
    ),
)

ROWS = """\
all  this | 'conversations_count' | 1204 | None
all  previous | 'conversations_count' | 700 | None
all  this | 'outgoing_messages_count' | 1500 | None
all  previous | 'outgoing_messages_count' | 0 | None
all  this | 'avg_first_response_time' | 312.0 | 11
all  this | 'approximate_p50_first_response_time' | 120.0 | None
all  this | 'approximate_p90_first_response_time' | 3000.0 | None
all  this | 'first_response_within_900s' | 9 | 11
all  previous | 'avg_first_response_time' | 401.0 | 9
all  this | 'bot_handoffs_count' | 1 | None
all  previous | 'bot_handoffs_count' | 0 | None
all  this | 'bot_resolutions_count' | 3 | None
all  previous | 'bot_resolutions_count' | 0 | None
channel London|* this | 'conversations_count' | 1204 | None
channel London|* this | 'outgoing_messages_count' | 1500 | None
channel London|* this | 'avg_first_response_time' | 312.0 | 11
channel London|* this | 'approximate_p50_first_response_time' | 120.0 | None
channel London|* this | 'approximate_p90_first_response_time' | 3000.0 | None
channel London|* this | 'first_response_within_900s' | 9 | 11
channel London|* this | 'bot_handoffs_count' | 1 | None
channel London|* this | 'bot_resolutions_count' | 3 | None
channel London|* previous | 'conversations_count' | 700 | None
channel London|* previous | 'outgoing_messages_count' | 0 | None
channel London|* previous | 'avg_first_response_time' | 401.0 | 9
channel London|* previous | 'bot_handoffs_count' | 0 | None
channel London|* previous | 'bot_resolutions_count' | 0 | None
channel 6 this | 'conversations_count' | 0 | None
user Ana Ruiz this | 'avg_reply_time' | 60.0 | None
user Ana Ruiz this | 'outgoing_messages_count' | 120 | None
user Ana Ruiz previous | 'avg_reply_time' | None | None
user Ana Ruiz previous | 'outgoing_messages_count' | 60 | None
user Ana Ruiz now | 'availability' | 'online' | None
user Ana Ruiz now | 'open' | 6 | None
user Ana Ruiz now | 'waiting' | 1 | None
user Ana Ruiz now | 'longest_waiting_since' | '2026-03-10T07:30:00.000Z' | None
user Ana Ruiz now | 'unread' | 0 | None
user Ana Ruiz now | 'waiting_under_1h' | 0 | None
user Ana Ruiz now | 'waiting_under_4h' | 1 | None
user Ana Ruiz now | 'waiting_under_1d' | 0 | None
user Ana Ruiz now | 'waiting_over_1d' | 0 | None
user nobody this | 'outgoing_messages_count' | 9 | None
everyone  this | 'avg_reply_time' | 60.0 | None
everyone  this | 'outgoing_messages_count' | 129 | None
everyone  now | 'availability' | None | None
everyone  now | 'open' | 29 | None
everyone  now | 'waiting' | 10 | None
everyone  now | 'longest_waiting_since' | None | None
everyone  now | 'unread' | 0 | None
ad 120 this | 'ad_conversations_count' | 3 | None
ad 120 previous | 'ad_conversations_count' | 0 | None
author user this | 'outgoing_messages_count' | 1200 | None
author kiosk this | 'outgoing_messages_count' | 3 | None
all  this | 'bot_resolution_rate' | 0.75 | None
all  this | 'bot_handoff_rate' | 0.25 | None
pricing London|*, campaign, marketing, unknown this | 'count' | 1200 | None
pricing London|*, campaign, marketing, unknown this | 'billable_count' | 1100 | None
pricing London|*, campaign, marketing, unknown previous | 'count' | 7 | None
pricing London|*, campaign, marketing, unknown previous | 'billable_count' | 5 | None
hour Mon 00:00 this | 'incoming_messages_count' | 1 | None
hour Tue 00:00 this | 'incoming_messages_count' | 3 | None
hour Mon 01:00 this | 'incoming_messages_count' | 2000 | None
hour Tue 01:00 this | 'incoming_messages_count' | 4 | None
hour Mon 00:00 previous | 'incoming_messages_count' | 5 | None
hour Mon 00:00 this | 'avg_first_response_time' | None | None
hour Tue 00:00 this | 'avg_first_response_time' | 61.0 | None
hour Mon 01:00 this | 'avg_first_response_time' | 60.0 | None
hour Tue 01:00 this | 'avg_first_response_time' | None | None
part  this | 'conversations_count' | 1000 | None
part  this | 'avg_first_response_time' | None | 0
part  this | 'conversations_count' | 204 | None
part  this | 'avg_first_response_time' | 312.0 | 11
part  previous | 'conversations_count' | 700 | None
part  previous | 'avg_first_response_time' | 401.0 | 4
live  now | 'open' | 4 | None
live  now | 'unassigned' | 1 | None
live  now | 'unattended' | 2 | None
live  now | 'awaiting_human' | 1234 | None
live  now | 'over_first_response' | 3 | None
"""

DOCUMENT = """\
# Inbox report

2026-03-08 00:00 – 2026-03-10 00:00 (Europe/Madrid) \x20
previous: 2026-03-06 00:00 – 2026-03-08 00:00

| Metric | This | p50 | p90 | In time | Previous | Change | Samples |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| New conversations | 1,204 |  |  |  | 700 | ▲ 72 % |  |
| Messages sent | 1,500 |  |  |  | 0 | new |  |
| First response, mean | 5m12s | \\~2m00s | \\~50m00s | 82% in 15m | 6m41s | ▼ 22 % better | 11 |
| Handed to a human | 1 |  |  |  | 0 | new |  |
| Resolved by AI | 3 |  |  |  | 0 | new |  |

| Channel | New | Change | Sent | First response | Change | p50 | p90 | In time | To a human | By AI |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| London\\|\\* | 1,204 | ▲ 72 % | 1,500 | 5m12s | ▼ 22 % | \\~2m00s | \\~50m00s | 82% in 15m | 1 | 3 |
| 6 | 0 | – | – | – | – | – | – | – | – | – |
| all | 1,204 | ▲ 72 % | 1,500 | 5m12s | ▼ 22 % | \\~2m00s | \\~50m00s | 82% in 15m | 1 | 3 |

| Person | Status now | Open now | Waits now | Longest now | Unread now | \\<1h now | 1–4h now | 4–24h now | \\>1d now | Waiting | Change | Sent |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| Ana Ruiz | online | 6 | 1 | 2h | 0 | 0 | 1 | 0 | 0 | 1m00s | – | 120 |
| nobody | – | – | – | – | – | – | – | – | – | – | – | 9 |
| all | – | 29 | 10 | – | 0 | – | – | – | – | 1m00s | – | 129 |

| Ad | From ad | Change |
| --- | ---: | ---: |
| 120 | 3 | new |

conversations that customers came to by the ad in the period

| Sent by | Messages |
| --- | ---: |
| Agents | 1,200 |
| unknown author (kiosk) | 3 |

| Share | This | Previous |
| --- | ---: | ---: |
| AI: resolved | 75 % | – |
| AI: handed over | 25 % | – |

Of the conversations that the AI ended: it resolved them, or handed them to a human.

| Charged as | Type | Channel | Sent by | Messages | Billable | Previous |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| marketing | unknown | London\\|\\* | Campaigns | 1,200 | 1,100 | 7 |

Messages sent of which no price category is known: 300

| Messages received | Mon | Tue |
| --- | ---: | ---: |
| 00:00 | 1 | 3 |
| 01:00 | 2,000 | 4 |

| First response, mean | Mon | Tue |
| --- | ---: | ---: |
| 00:00 | – | 1m01s |
| 01:00 | 1m00s | – |

| From | New | Change | First response | Change |
| --- | ---: | ---: | ---: | ---: |
| 2026-03-08 | 1,000 | ▲ 43 % | – | – |
| 2026-03-09 | 204 | – | 5m12s | – |

| Open now | Unassigned now | Unattended now | Need a human now | No first answer for over 15m |
| --- | ---: | ---: | ---: | ---: |
| 4 | 1 | 2 | 1,234 | 3 |

Unattended: open, without a first answer or with a customer who waits again
"""


def line(row: Row) -> str:
    """What a row is of, and its figure; numbers to their type."""
    scope, name, period, _, _, zone, *figure = row
    assert zone == "Europe/Madrid"
    return " | ".join([f"{scope} {name} {period}", *map(repr, figure)])


def test_every_figure_of_a_report_is_a_row() -> None:
    assert [line(row) for row in rows(REPORT)] == ROWS.splitlines()
    assert next(records(REPORT)) == dict(zip(NAMES, next(rows(REPORT)), strict=True))


def test_rows_have_what_no_table_has() -> None:
    lone = Report(
        period=REPORT.period,
        metrics=Metrics(incoming_messages_count=None, resolutions_count=3),
        channels=(ChannelMetrics(channel=LONDON, metrics=Metrics(resolutions_count=3)),),
        teams=(),
        everyone=EveryoneReport(current=PersonFigures(resolutions_count=2)),
        hours=Hours(received=((1, 2), (3,)), previous=HourGrid(received=((4,), (5,)))),
    )
    assert [table.headings[0] for table in tables(lone, UTC)] == ["Metric", "Messages received"]
    assert [line(row) for row in rows(lone)] == [
        "all  this | 'resolutions_count' | 3 | None",
        "all  this | 'incoming_messages_count' | None | None",
        "channel London|* this | 'resolutions_count' | 3 | None",
        "everyone  this | 'resolutions_count' | 2 | None",
        "hour Mon 00:00 this | 'incoming_messages_count' | 1 | None",
        "hour Tue 00:00 this | 'incoming_messages_count' | 3 | None",
        "hour Mon 00:00 previous | 'incoming_messages_count' | 4 | None",
        "hour Tue 00:00 previous | 'incoming_messages_count' | 5 | None",
    ]


def test_a_row_is_of_its_period_or_part_or_of_now() -> None:
    period, before, now = (
        *(("2026-03-07T23:00:00.000Z", "2026-03-09T23:00:00.000Z"),),
        *(("2026-03-05T23:00:00.000Z", "2026-03-07T23:00:00.000Z"),),
        *(("2026-03-10T10:00:00.000Z",) * 2,),
    )
    whole = {(row[2], row[3], row[4]) for row in rows(REPORT) if row[0] != "part"}
    assert whole == {("this", *period), ("previous", *before), ("now", *now)}
    parts = {(row[2], row[3], row[4]) for row in rows(REPORT) if row[0] == "part"}
    assert parts == {
        *(("this", part.start, part.end) for part in REPORT.series or ()),
        *(("previous", part.start, part.end) for part in REPORT.previous_series or ()),
    }


def test_a_report_is_a_document() -> None:
    assert markdown(REPORT, MADRID) == DOCUMENT
    assert exported(REPORT, "md", MADRID) == DOCUMENT


def test_a_report_as_csv_has_all_rows_and_as_json_what_the_server_sent() -> None:
    written = exported(REPORT, "csv", MADRID)
    assert written.startswith(f"\ufeff{','.join(NAMES)}\nall,,this,")
    assert written.count("\n") == 1 + len(ROWS.splitlines())
    assert Report.model_validate_json(exported(REPORT, "json", MADRID)) == REPORT


SMALL = Report(
    period=ZonedPeriod(from_="2026-03-07T23:00:00.000Z", to="2026-03-09T23:00:00.000Z"),
    metrics=Metrics(),
)


def test_a_report_of_nothing_has_no_rows_and_no_tables_but_that_of_figures() -> None:
    assert [*rows(SMALL)] == []
    assert title(SMALL, UTC) == "2026-03-07 23:00 – 2026-03-09 23:00 (UTC)"
    assert brief_report(SMALL, "all", UTC).head[1:] == [
        "None of these figures is in the answer of the server."
    ]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"channel": "5"}, ", channel London|*"),
        ({"channel": "9"}, ", channel 9"),
        ({"user": Ref(id="7", name="Ana\nRuiz")}, ", user Ana Ruiz"),
        ({"user": Ref(id="7", name=None)}, ", user 7"),
        ({"team": Ref(id="1", name="Sales")}, ", team Sales"),
        ({"label": "a\nb"}, ", label a b"),
        ({"clock": "business"}, ", business hours"),
        (
            {"channel": "9", "label": "vip", "clock": "business"},
            ", channel 9, label vip, business hours",
        ),
    ],
)
def test_the_title_says_what_a_report_is_of(members: dict[str, Any], words: str) -> None:
    first, second = title(REPORT.model_copy(update=members), MADRID).split("\n")
    assert first == f"2026-03-08 00:00 – 2026-03-10 00:00 (Europe/Madrid){words}"
    assert second == "previous: 2026-03-06 00:00 – 2026-03-08 00:00"


def test_a_file_is_named_by_the_days_of_the_period() -> None:
    assert default_name(REPORT, MADRID) == "inbox-report-2026-03-08-2026-03-09.csv"
    assert default_name(REPORT, UTC) == "inbox-report-2026-03-07-2026-03-09.csv"
    unknown = REPORT.model_copy(update={"period": ZonedPeriod(from_="?", to="?")})
    assert default_name(unknown, UTC) == "inbox-report.csv"


BRIEF = {
    "all": """\
now: 4 open, 1 unassigned, 2 unattended, 1,234 need a human, 3 no first answer for over 15m

all | this | p50 | p90 | in_time | previous | change | samples
New conversations | 1,204 | – | – | – | 700 | ▲ 72 % | –
Messages sent | 1,500 | – | – | – | 0 | new | –
First response, mean | 5m12s | ~2m00s | ~50m00s | 82% in 15m | 6m41s | ▼ 22 % better | 11
Handed to a human | 1 | – | – | – | 0 | new | –
Resolved by AI | 3 | – | – | – | 0 | new | –
""",
    "user": """\

user | status | open | waits | longest | unread | waiting_under_1h | waiting_under_4h | waiting_under_1d | waiting_over_1d | waiting | waiting:change | sent | sent:change
Ana Ruiz | online | 6 | 1 | 2h | 0 | 0 | 1 | 0 | 0 | 1m00s | no previous | 120 | ▲ 100 %
nobody | – | – | – | – | – | – | – | – | – | – | no samples | 9 | no previous
all | – | 29 | 10 | – | 0 | – | – | – | – | 1m00s | no previous | 129 | no previous
""",
    "channel": """\

channel | new | new:change | sent | sent:change | first_response | first_response:change | first_response:p50 | first_response:p90 | first_response:in_time | to_a_human | to_a_human:change | by_ai | by_ai:change
London|* | 1,204 | ▲ 72 % | 1,500 | new | 5m12s | ▼ 22 % better | ~2m00s | ~50m00s | 82% in 15m | 1 | new | 3 | new
all | 1,204 | ▲ 72 % | 1,500 | new | 5m12s | ▼ 22 % better | ~2m00s | ~50m00s | 82% in 15m | 1 | new | 3 | new
(1 without any are left out)
""",
    "ad": """\

ad | from_ad | from_ad:change
120 | 3 | new
conversations that customers came to by the ad in the period
""",
    "day": """\

day | new | new:change | first_response | first_response:change
2026-03-08 | 1,000 | ▲ 43 % | – | no samples
2026-03-09 | 204 | no previous | 5m12s | no previous
all | 1,204 | ▲ 72 % | 5m12s | ▼ 22 % better
""",
    "team": """\
This server does not report by team.
""",
}


@pytest.mark.parametrize("by", BRIEF)
def test_a_report_is_a_line_for_each_row(by: str) -> None:
    (title, *head), rows, last = brief_report(REPORT, by, MADRID)
    assert title == (
        "2026-03-08 00:00 to 2026-03-10 00:00,"
        " before: 2026-03-06 00:00 to 2026-03-08 00:00 (Europe/Madrid)"
    )
    assert [*head, *rows, *last] == BRIEF[by].splitlines()


NARROWED = """\
{
 "period": {
  "from": "2026-03-07T23:00:00.000Z",
  "to": "2026-03-09T23:00:00.000Z",
  "timezone": "Europe/Madrid"
 },
 "previous_period": {
  "from": "2026-03-05T23:00:00.000Z",
  "to": "2026-03-07T23:00:00.000Z"
 },
 "metrics": {
  "outgoing_messages_count": 1500,
  "avg_first_response_time": 312.0,
  "samples": {
   "avg_first_response_time": 11
  },
  "spread": {
   "avg_first_response_time": {
    "p50": 120.0,
    "p90": 3000.0,
    "approximate": true
   }
  },
  "targets": {
   "first_response": {
    "target_seconds": 900,
    "within": 9,
    "samples": 11
   }
  }
 },
 "previous": {
  "outgoing_messages_count": 0,
  "avg_first_response_time": 401.0,
  "samples": {
   "avg_first_response_time": 9
  }
 },
 "series": [
  {
   "start": "2026-03-07T23:00:00.000Z",
   "end": "2026-03-08T23:00:00.000Z",
   "metrics": {
    "avg_first_response_time": null,
    "samples": {
     "avg_first_response_time": 0
    }
   },
   "samples": {
    "avg_first_response_time": 0
   }
  },
  {
   "start": "2026-03-08T23:00:00.000Z",
   "end": "2026-03-09T23:00:00.000Z",
   "metrics": {
    "avg_first_response_time": 312.0,
    "samples": {
     "avg_first_response_time": 11
    }
   },
   "samples": {
    "avg_first_response_time": 11
   }
  }
 ],
 "previous_series": [
  {
   "start": "2026-03-05T23:00:00.000Z",
   "end": "2026-03-06T23:00:00.000Z",
   "metrics": {
    "avg_first_response_time": 401.0,
    "samples": {
     "avg_first_response_time": 4
    }
   },
   "samples": {
    "avg_first_response_time": 4
   }
  }
 ],
 "users": [
  {
   "user": {
    "id": "7",
    "name": "Ana\\nRuiz"
   },
   "current": {
    "outgoing_messages_count": 120
   },
   "previous": {
    "outgoing_messages_count": 60
   }
  },
  {
   "user": null,
   "current": {
    "outgoing_messages_count": 9
   }
  }
 ],
 "everyone": {
  "current": {
   "outgoing_messages_count": 129
  }
 },
 "ads": [
  {
   "ad": {
    "id": "120",
    "name": null
   },
   "current": {},
   "previous": {}
  }
 ]
}
"""


def test_a_report_is_narrowed_to_some_figures_and_a_breakdown() -> None:
    fields = ("avg_first_response_time", "outgoing_messages_count")
    narrow = with_figures(REPORT, fields, ("users", "ads"))
    assert narrow.model_dump_json(exclude_unset=True, indent=1) == NARROWED.rstrip()
    other = with_figures(REPORT, ("conversations_count",), ("hours", "live"))
    assert (other.hours, other.live) == (REPORT.hours, REPORT.live)
    assert (other.metrics.spread, other.metrics.targets) == ({}, {})
    assert not {"everyone", "users", "channels", "pricing"} & other.model_fields_set


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("new, First_Response", ("conversations_count", "avg_first_response_time")),
        ("waiting,waiting,,new", ("avg_reply_time", "conversations_count")),
        ("", ()),
    ],
)
def test_figures_are_named_by_their_headings(text: str, fields: tuple[str, ...]) -> None:
    assert parse_figures(text) == fields


def test_a_figure_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadSettings, match="There is no figure 'avg_reply_time'"):
        parse_figures("avg_reply_time")
    with pytest.raises(BadSettings) as refused:
        parse_figures("new,speed")
    assert str(refused.value) == f"There is no figure 'speed': there is {', '.join(BY_KEY)}"
    assert ", ".join(BY_KEY) == (
        "new, reopened, received, sent, resolved, first_response, waiting, resolution, to_a_human,"
        " by_ai, answered, from_ad, open_at_end, back_in_7d"
    )

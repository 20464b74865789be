"""docs/agents.md: the ten questions are answered by one call each, within its budget."""

import json
import re
from pathlib import Path
from typing import Any

from frontdesk.client import InboxClient
from tests.mcp.sessions import answer, definitions_of, estimated_tokens, session_with

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
MOST_CALLS, MOST_TOKENS = 12, 12_000

# What shows that each question is answered, in the order of the page.
ANSWERED = (
    r"^#\d+ .* · unassigned · waits \d+d .*\n(?:[^#\n].*\n)*\| ",
    r" · needs a human\b.*\n(?:[^#\n].*\n)*\| ",
    r" · reply window closes in \d",
    r"^#4 · \"Olivia Whitcombe\" (?s:.*)\n\| .*(?s:.*)\n: ",
    r"^#\d+ · \"Olivia (?s:.*)^#\d+ · \"Olivia ",
    r"^\| .*refund",
    r" · waits \d+d .* · labels (.*, )?vip",
    r"^First response, mean \| \d+m\d\ds \| \d",
    r"^Grace Okafor \| \d+m\d\ds \| ",
    r"^all \| \d+ \| .* \| \d+ \| .* \| \d+ \| ",
)


def questions() -> list[tuple[str, dict[str, Any]]]:
    """Each numbered question of the page with its call."""
    found = re.findall(r"^\d+\. (.+)\n\n +```json\n +(.+)\n +```$", PAGE, re.MULTILINE)
    return [(question, json.loads(call)) for question, call in found]


def test_the_page_has_ten_questions_with_a_call_each() -> None:
    assert re.findall(r"^(\d+)\. ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 11)]
    assert len(questions()) == len(ANSWERED) == PAGE.count("```json") == 10


async def test_ten_questions_take_twelve_calls_and_twelve_thousand_tokens_at_most(
    client: InboxClient,
) -> None:
    calls, texts = 0, [PAGE]
    async with session_with(client) as session:
        texts.append(session.instructions or "")
        definitions = definitions_of((await session.list_tools()).tools)
        for (question, call), shows in zip(questions(), ANSWERED, strict=True):
            text = await answer(session, call["name"], **call["arguments"])
            assert re.search(shows, text, re.MULTILINE), f"{question}\n{text}"
            texts.append(text)
            calls += 1
    assert calls <= MOST_CALLS
    assert definitions / 4 + sum(map(estimated_tokens, texts)) <= MOST_TOKENS


async def test_the_page_names_every_tool_and_no_other(client: InboxClient) -> None:
    async with session_with(client) as session:
        tools = {tool.name for tool in (await session.list_tools()).tools}
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert {*named} == tools

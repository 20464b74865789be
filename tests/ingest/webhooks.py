"""Webhook bodies as Meta sends them, made from a few words."""

from typing import Any

SECONDS = 1_780_000_000
NUMBERS = {"101": "15550783881", "102": "15550783882"}


def body(value: dict[str, Any], field: str = "messages", time: int | None = None) -> dict[str, Any]:
    """A body with one change."""
    entry: dict[str, Any] = {"id": "waba", "changes": [{"field": field, "value": value}]}
    if time is not None:
        entry["time"] = time
    return {"object": "whatsapp_business_account", "entry": [entry]}


def value(channel: str = "101", **members: Any) -> dict[str, Any]:
    """What a change says of one of our numbers."""
    metadata = {"display_phone_number": NUMBERS[channel], "phone_number_id": channel}
    return {"messaging_product": "whatsapp", "metadata": metadata, **members}


def text(wamid: str, second: int, **members: Any) -> dict[str, Any]:
    """A text message, without whom it is with."""
    return {
        "id": wamid,
        "timestamp": str(SECONDS + second),
        "type": "text",
        "text": {"body": f"said in {wamid}"},
        **members,
    }


def status(wamid: str, second: int, step: str, **members: Any) -> dict[str, Any]:
    """A delivery step, without whom it is with."""
    return {"id": wamid, "timestamp": str(SECONDS + second), "status": step, **members}


def history(channel: str, thread: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """A chunk of the history with one thread."""
    chunk = {"metadata": {"phase": 0}, "threads": [{"id": thread, "messages": list(messages)}]}
    return body(value(channel, history=[chunk]), "history")

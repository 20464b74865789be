"""Webhook bodies as WhatsApp posts them."""

from typing import Any

PHONE = {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}


def text_body(
    wamid: str, person: str, seconds: int, text: str, *, echo: bool = False, **members: Any
) -> dict[str, Any]:
    """A text of a person to the business number, or of its phone to them.

    seconds: of its timestamp. members: of the value beside it.
    """
    ends = {"from": PHONE["display_phone_number"], "to": person} if echo else {"from": person}
    message = {"id": wamid, "timestamp": str(seconds), "type": "text", "text": {"body": text}}
    field = "smb_message_echoes" if echo else "messages"
    value = {
        "messaging_product": "whatsapp",
        "metadata": PHONE,
        field.removeprefix("smb_"): [{**ends, **message}],
        **members,
    }
    entry = [{"id": "102290129340398", "changes": [{"field": field, "value": value}]}]
    return {"object": "whatsapp_business_account", "entry": entry}

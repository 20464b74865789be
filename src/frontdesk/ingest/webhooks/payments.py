"""Converts payment statuses of WhatsApp Pay to system messages (pure)."""

from decimal import Decimal

from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.ingest.webhooks.contents import MessageContents

# `type` of a status about a payment instead of a delivery.
PAYMENT = "payment"


def payment_contents(status: JsonObject, step: str) -> MessageContents:
    """Build a system message with a text such as "Payment captured: 21.50 INR, A-7".

    step: the provider's status: captured, pending or failed.
    """
    payment = _payment(status)
    reference = payment.optional_text("reference_id") or None
    currency = payment.optional_text("currency") or None
    amount = _amount(payment)
    content = {
        "event": PAYMENT,
        "status": step,
        "target_wamid": status.id("id"),
        "reference_id": reference,
        "amount": amount,
        "currency": currency,
    }
    price = " ".join(one for one in (amount, currency) if one)
    details = ", ".join(one for one in (price, reference) if one)
    text = f"Payment {step}: {details}" if details else f"Payment {step}"
    return MessageContents("system", text, content, raw=status.members)


def _payment(status: JsonObject) -> JsonObject:
    """Return the status's payment object, empty if malformed."""
    try:
        payment = status.optional_part(PAYMENT) or JsonObject({})
        payment.optional_text("reference_id")
        payment.optional_text("currency")
    except Malformed:
        return JsonObject({})
    return payment


def _amount(payment: JsonObject) -> str | None:
    """Return the amount in currency units: `value` divided by `offset`, a power of ten."""
    try:
        amount = payment.optional_part("amount")
        if amount is None or "value" not in amount:
            return None
        value, offset = amount.number("value"), amount.number("offset") or 1
    except Malformed:
        return None
    digits = len(str(offset)) - 1
    return f"{Decimal(value).scaleb(-digits):f}" if offset == 10**digits else None

"""The values of enumerated members of the interface, and the pattern of phone numbers."""

# In the order in which a store numbers them.
STATUSES = ("open", "snoozed", "resolved")
DIRECTIONS = ("inbound", "outbound")
AUTHORS = ("contact", "user", "ai_agent", "phone", "campaign", "api", "automation", "system")
MEDIA_TYPES = ("image", "video", "audio", "document", "sticker")

# How far an outbound message has come, besides "pending"; "failed" is an end of its own.
DELIVERY_STEPS = ("sent", "delivered", "read", "played", "failed")

# A regular expression for the digits of a number in E.164, which stand behind a plus.
PHONE_DIGITS = "[1-9][0-9]{6,14}"
# A regular expression for the id of a channel: Meta's phone_number_id.
CHANNEL_ID = "[0-9]{1,20}"

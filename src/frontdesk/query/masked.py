"""Terms that are refused where customers are masked: by them, a stand-in could be told a name."""

from frontdesk.query.language import ID, Query
from frontdesk.query.terms import CONTACT, FIELD, SAID, WORDS
from frontdesk.text.masking import STAND_IN_EXAMPLE, is_stand_in

# Where a customer is looked for by something else. A clause without a full stop.
BY_STAND_IN = f"Customers are masked, and found by a stand-in such as {STAND_IN_EXAMPLE}"


def refusal(query: Query) -> str:
    """Sentence on the first term that a masked reader may not ask by, "" if there is none."""
    for term in query.filters:
        named = term.value.startswith(ID) or is_stand_in(term.value)
        if term.kind == CONTACT and not named:
            return f'Customers are masked: from: takes a stand-in, as from:"{STAND_IN_EXAMPLE}".'
        if term.kind == FIELD:
            return f"Customers are masked, and {term} would show what their custom fields are."
        if term.kind in (SAID, WORDS):
            return (
                f"Customers are masked: words such as {term} are looked for in messages only,"
                " by a search for messages."
            )
    return ""

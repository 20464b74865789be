"""Texts that are hard to draw, after cleaning."""

from hypothesis import strategies as st

from frontdesk.text.clean import clean

# What people do write, and what nobody should.
AWKWARD = (
    "",
    " ",
    "\n",
    "\t\tindented",
    "plain words that are long enough to be cut somewhere",
    "x" * 200,
    "漢字かな交じり文",
    "👩\u200d👩\u200d👧\u200d👦 👍🏽 ❤\ufe0f 🇪🇸 1\ufe0f\u20e3 🏴\U000e0067\U000e0062\U000e007f",
    "🏽🏽🏽",
    "\u200d\u200d\u200d",
    "a\u200db\u200dc\u200d",
    "\u200d 👧",
    "e\u0301e\u0301e\u0301",
    "\u0301\u0301 alone",
    "Z\u0310\u0301\u0302\u0303\u0304\u0305algo" + "\u0336" * 300,
    "שלום עולם مرحبا بالعالم",
    "می\u200cخواهم",
    "ශ්\u200dරී ලංකා नमस्ते",
    "\u202eedirrevo\u202c \u2067isolated\u2069",
    "\x1b[31mred\x1b[0m \x9b2J \x07",
    "ﷺ ᄀ가힣 ｆｕｌｌ",
    "[@click=app.quit]x[/] [/nope] [red]r[/red]",
    "\u115f\u1160\u3164\u00ad",
    "*bold _and italic_ * ~gone~ `code` ```over\n\nlines``` *_~",
)


def raw_text(max_size: int = 60) -> st.SearchStrategy[str]:
    """Any text, often made of the characters that change the width of others."""
    hard = st.sampled_from(
        [*AWKWARD, "\u200d", "\ufe0f", "🏽", "👩", "漢", "\u0301", "\n", "\t", "*", "_", "`"]
    )
    return st.text(max_size=max_size) | st.lists(hard | st.text(max_size=4), max_size=8).map(
        "".join
    )


def drawn_text(max_size: int = 60) -> st.SearchStrategy[str]:
    """Any text as it comes out of `clean`."""
    return raw_text(max_size).map(clean)

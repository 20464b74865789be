"""Browser front end: textual-serve with access control, and the browser that opens its page."""

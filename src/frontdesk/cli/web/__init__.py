"""Browser front end: serves a page with a terminal, and runs a viewer per page."""

"""The viewer in a browser: a page with a terminal, and a viewer for each page."""

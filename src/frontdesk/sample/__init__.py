"""Invented inboxes: the demo, and databases of any size to measure with."""

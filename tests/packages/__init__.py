"""Checks of the packages that are published, in clean environments."""

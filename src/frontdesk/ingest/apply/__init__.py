"""Applies batches of events to the store."""

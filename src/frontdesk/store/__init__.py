"""Conversations at rest: SQL, and nothing else knows any."""

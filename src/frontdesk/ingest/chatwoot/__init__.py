"""Chatwoot's inboxes read through its API and written as native lines."""

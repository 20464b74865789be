"""Chatwoot importer: reads inboxes through the API and writes native lines."""

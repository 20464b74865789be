"""The interface as Python: one method per endpoint, expected failures as InboxError."""

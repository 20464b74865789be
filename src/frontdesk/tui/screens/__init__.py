"""Screens and dialogs; each owns its state and reads through the mailbox."""

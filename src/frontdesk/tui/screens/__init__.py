"""The screens: each owns its state and asks the mailbox."""

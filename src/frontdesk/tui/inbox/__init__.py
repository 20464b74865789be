"""Inbox screen: channel list, conversation list, thread and contact panes."""

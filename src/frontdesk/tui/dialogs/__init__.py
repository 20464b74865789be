"""Dialogs: menus, pickers, prompts, search and help."""
